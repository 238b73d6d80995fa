// SPDX-License-Identifier: Apache-2.0
// Properties of vtt (docs/blocks/linebacker/vtt.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
  // assumption on the inputs
  always_comb assume (mode_i != 2'd3);
`endif

  // the set and the tag are those of the page
  if (Thirds != 0) begin : gen_f_thirds
    `ASSERT_ALWAYS begin
      assert (32'(gen_thirds.quotient) == 32'(high) / 3);
      assert (32'(set) == 32'(high) % 3 * (1 << LowW) + 32'(line[LowW-1:0]));
    end
  end

  // what the stages hold; a sweep reads sweep_row_q and writes the row before it
  logic f_request;
  assign f_request = compare_invalidate_q || compare_insert_q || compare_lookup_q;
  `ASSERT_ALWAYS begin
    assert (32'(compare_sweep_q) + 32'(compare_invalidate_q) + 32'(compare_insert_q) + 32'(compare_lookup_q) <= 1);
    if (compare_lookup_q) assert (compare_answers_q);
    if (compare_insert_q) assert (compare_answers_q == (effective_mode_q == ModeSelected && active_partitions_q != '0));
    if (compare_answers_q) assert (compare_insert_q || compare_lookup_q);
    if (f_request) assert (running_q && 32'(compare_row_q) < Sets);
    if (running_q) begin
      assert (sweep_row_q == '0);
      if (compare_sweep_q) assert (32'(compare_row_q) == Sets - 1 && active_partitions_q == target_partitions_q);
    end else begin
      assert (response_count_q == '0 && !hold_done_o && 32'(sweep_row_q) < Sets);
      assert (compare_sweep_q == (sweep_row_q != '0));
      if (compare_sweep_q) assert (32'(compare_row_q) + 1 == 32'(sweep_row_q));
    end
  end

  // 4, and what the modes mean
  logic [10:0] f_highest_q;                       // of the last activation
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_highest_q <= '0;
    else if (running_q && hold_i && idle_o && !hold_done_o) f_highest_q <= highest_register_i;
  end
  `ASSERT_ALWAYS begin
    assert ((~active_partitions_o & (~active_partitions_o + NumPartitions'(1))) == '0
            && (~target_partitions_q & (~target_partitions_q + NumPartitions'(1))) == '0);
    assert (effective_mode_o != 2'd3 && target_mode_q != 2'd3);
    if (running_q && effective_mode_o == ModeMonitor) assert (active_partitions_o == '1);
    if (effective_mode_o == ModeOff) assert (active_partitions_o == '0);
    if (!running_q && target_mode_q == ModeMonitor) assert (target_partitions_q == '1);
    if (target_mode_q == ModeOff) assert (target_partitions_q == '0);
    if (!running_q || compare_sweep_q) assert ((kept_partitions_q & ~target_partitions_q) == '0);
  end
  for (genvar v = 0; v < NumPartitions; v++) begin : gen_f_partition
    `ASSERT_ALWAYS begin
      if (running_q && effective_mode_o == ModeSelected)
        assert (active_partitions_o[v] == (Offset + Sets * Ways * v > 32'(f_highest_q)));
      if (!running_q && target_mode_q == ModeSelected)
        assert (target_partitions_q[v] == (Offset + Sets * Ways * v > 32'(f_highest_q)));
    end
  end

  // hold_done: after hold and with it, one cycle longer
  logic f_hold_q;
  logic f_done_q;
  logic f_start_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_hold_q  <= 1'b0;
      f_done_q  <= 1'b0;
      f_start_q <= 1'b1;
    end else begin
      f_hold_q  <= hold_i;
      f_done_q  <= hold_done_o;
      f_start_q <= launch_start_i;
    end
  end
`ifdef FORMAL
  always_comb if (f_hold_q && !f_done_q && !f_start_q && !hold_done_o) assume (hold_i);
`endif
  `ASSERT_ALWAYS begin
    if (f_done_q) assert (hold_done_o == (f_hold_q && !f_start_q));
    if (f_start_q)
      assert (!hold_done_o && !running_q && active_partitions_o == '0 && effective_mode_o == ModeMonitor
              && response_count_q == '0 && spacing_q == '0);
  end

  // 5: acceptances: one at most, in mode selected SearchInterval cycles apart
  logic [3:0] f_since_q;                          // cycles since the last one, up to SearchInterval
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_since_q <= 4'(SearchInterval);
    else if (launch_start_i) f_since_q <= 4'(SearchInterval);
    else if (take) f_since_q <= 4'd1;
    else if (32'(f_since_q) < SearchInterval) f_since_q <= f_since_q + 4'd1;
  end
  `ASSERT_ALWAYS begin
    assert (32'(take_invalidate) + 32'(take_insert) + 32'(take_lookup) <= 1);
    assert (32'(spacing_q) + 32'(f_since_q) == SearchInterval);
    if (take && effective_mode_o == ModeSelected) assert (32'(f_since_q) == SearchInterval);
    if (take) assert (running_q && !launch_start_i && (take_insert || !hold_i));
  end

  // acceptance as the page has it: of Room places the last one is for an insert
  localparam int Room = NumPartitions * SearchLatency / SearchInterval + 1 > 9
                      ? NumPartitions * SearchLatency / SearchInterval + 1 : 9;
  logic f_open;
  assign f_open = running_q && !launch_start_i && (effective_mode_o != ModeSelected || 32'(f_since_q) == SearchInterval);
  `ASSERT_ALWAYS begin
    assert (invalidate_ready_o == (f_open && !hold_i));
    assert (insert_ready_o == (f_open && !(invalidate_valid_i && !hold_i) && 32'(response_count_q) < Room));
    assert (lookup_ready_o == (f_open && !hold_i && !invalidate_valid_i && !insert_valid_i
                               && 32'(response_count_q) < Room - 1));
  end

  // a response that is not taken stays
  logic                 f_wait_q;
  logic [ResponseW-1:0] f_data_q;
  logic [6:0]           f_count;
  always_comb begin
    f_count = '0;
    for (int e = 0; e < QueueLen; e++) f_count = f_count + 7'(queue_valid_q[e]);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_wait_q <= 1'b0;
    else f_wait_q <= response_valid_o && !response_ready_i && !launch_start_i;
  end
  always_ff @(posedge clk_i) f_data_q <= {response_kind_o, response_hit_o, response_register_o, response_id_o};
  `ASSERT_ALWAYS begin
    if (f_wait_q)
      assert (response_valid_o && {response_kind_o, response_hit_o, response_register_o, response_id_o} == f_data_q);
    if (!response_valid_o) assert ({response_kind_o, response_hit_o, response_register_o, response_id_o} == '0);
    // the queue has no gap, and room for what is under way
    assert ((queue_valid_q & (queue_valid_q + QueueLen'(1))) == '0);
    assert (response_count_q == f_count + 7'(compare_answers_q) + 7'(respond_valid_q) && 32'(response_count_q) <= QueueLen
            && QueueLen < 128);
  end

  // What depends on the contents of a row is proven for one symbolic row; a simulation checks every request.
  logic f_compares;                               // in the second cycle, in the third
  logic f_responds;
`ifdef FORMAL
  `ASSERT_ANY(f_row, RowW)
  assign f_compares = compare_row_q == f_row;
  assign f_responds = respond_row_q == f_row;
`else
  assign f_compares = 1'b1;
  assign f_responds = 1'b1;
`endif

  logic [NumW-1:0] f_up_to;                       // active partitions up to that of the way
  always_comb begin
    f_up_to = '0;
    for (int v = 0; v < NumPartitions; v++) f_up_to = f_up_to + NumW'(active_partitions_q[v]
                                                                      && v <= 32'(respond_way_q) / Ways);
  end

  // 3, of a response that is formed and of those in the queue; and when it is ready
  `ASSERT_ALWAYS begin
    assert (Offset + NumPartitions * Sets * Ways - 1 <= 2047);
    if (respond_valid_q) begin
      assert (32'(respond_row_q) < Sets);
      if (f_responds && (respond_insert_q || (respond_hit_q && effective_mode_q == ModeSelected)))
        assert (32'(respond_way_q) < NumWays && active_partitions_q[32'(respond_way_q)/Ways]);
      if (respond_insert_q) assert (!respond_hit_q && effective_mode_q == ModeSelected);
      if (f_responds)
        assert (32'(timer) + 3 == SearchLatency * 32'(searched) && searched != '0 && 32'(searched) <= NumPartitions);
      if (f_responds)
        assert (searched == (kind != KindLookup ? NumW'(1)
                             : respond_hit_q ? f_up_to
                             : num_active == '0 ? NumW'(1) : num_active));
    end
  end
  for (genvar e = 0; e < QueueLen; e++) begin : gen_f_entry
    logic [1:0]  f_kind;
    logic        f_hit;
    logic [10:0] f_register;
    logic        f_of;                            // its row is the one
    assign {f_kind, f_hit, f_register} = queue_data_q[e][ResponseW-1:8];
`ifdef FORMAL
    assign f_of = (32'(f_register) - Offset) / Ways % Sets == 32'(f_row);
`else
    assign f_of = 1'b1;
`endif
    `ASSERT_ALWAYS begin
      if (queue_valid_q[e]) begin
        assert (f_kind != KindNone && (f_kind == KindProbe) == (effective_mode_q != ModeSelected));
        if (f_kind == KindInsert || (f_kind == KindLookup && f_hit)) begin
          if (f_of) assert (f_register > f_highest_q);
        end else begin
          assert (f_register == '0);
        end
        if (f_kind == KindInsert) assert (!f_hit && queue_data_q[e][7:0] == '0);
      end
    end
  end

  // 1: one way matches at most
  `ASSERT_ALWAYS if (f_request && f_compares) assert ((match & (match - NumWays'(1))) == '0);

  // 2: what is written: the ages of the active partitions' ways are all numbers below their number
  logic [NumPartitions-1:0] f_active;
  logic [NumWays-1:0]       f_ages;
  logic [NumWays-1:0]       f_ways;               // as many ones as there are active ways
  assign f_active = compare_sweep_q ? target_partitions_q : active_partitions_q;
  always_comb begin
    f_ages = '0;
    f_ways = '0;
    for (int g = 0; g < NumWays; g++) begin
      if (f_active[g/Ways]) begin
        f_ages = f_ages | (NumWays'(1) << new_age[g]);
        f_ways = {f_ways[NumWays-2:0], 1'b1};
      end
    end
  end
  `ASSERT_ALWAYS if (write && f_compares) assert (f_ages == f_ways);

`ifdef FORMAL
  // 1, 2 of what the memory holds, in that row. Rows that a sweep has still to write have tags that occur once among
  // those that are kept, and no more.
  logic [RowBits-1:0]       f_at;
  logic [NumPartitions-1:0] f_partitions;
  logic                     f_swept;
  logic [NumW-1:0]          f_num_partitions;
  assign f_at             = f_mem[RowBits*f_row +: RowBits];
  assign f_partitions     = running_q ? active_partitions_q : target_partitions_q;
  assign f_num_partitions = running_q ? num_active : num_target;
  assign f_swept          = running_q ? !(compare_sweep_q && f_row == compare_row_q) : compare_sweep_q
      && f_row < compare_row_q;
  always_comb begin
    assume (32'(f_row) < Sets);
    // the row that is compared is the one that the memory holds
    if ((f_request || compare_sweep_q) && f_compares) assert (row == f_at);
  end
  for (genvar g = 0; g < NumWays; g++) begin : gen_f_way
    logic [AgeW-1:0] f_age;
    logic [TagW-1:0] f_tag;
    assign f_age = f_at[NumWays + g*AgeW +: AgeW];
    assign f_tag = f_at[NumWays*(1+AgeW) + g*TagW +: TagW];
    always_comb begin
      if (f_swept) begin
        if (f_partitions[g/Ways]) begin
          assert (32'(f_age) < Ways * 32'(f_num_partitions));
        end else begin
          assert (f_age == '0 && !f_at[g]);
        end
      end
    end
    for (genvar h = 0; h < g; h++) begin : gen_f_pair
      always_comb begin
        if (f_swept && f_partitions[g/Ways] && f_partitions[h/Ways]) assert (f_age != gen_f_way[h].f_age);
        if (f_at[g] && f_at[h] && (f_swept || (kept_partitions_q[g/Ways] && kept_partitions_q[h/Ways])))
          assert (f_tag != gen_f_way[h].f_tag);
      end
    end
  end

  always_comb begin
    cover (rst_ni && response_valid_o && response_kind_o == KindLookup && response_hit_o
           && response_register_o != 11'(Offset));
    cover (rst_ni && response_valid_o && response_kind_o == KindProbe && response_hit_o);
    cover (rst_ni && compare_insert_q && compare_bypass_q && !hit && unused == '0);
    cover (rst_ni && hold_done_o && effective_mode_o == ModeSelected && active_partitions_o[NumPartitions-1]
           && !active_partitions_o[0]);
    cover (rst_ni && response_valid_o && response_kind_o == KindInsert && f_count == 7'd2);
  end
`endif
`endif
