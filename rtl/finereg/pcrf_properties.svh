// SPDX-License-Identifier: Apache-2.0
// Properties of pcrf (docs/blocks/finereg/pcrf.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // entries under way, oldest first: places of the FIFO, stages 3, 2, 1
  localparam int Items = Places + 3;
  logic [Items-1:0] f_v;
  always_comb begin
    for (int k = 0; k < Places; k++) f_v[k] = k < 32'(fifo_count_q);
    f_v[Places +: 3] = {stage1_valid_q, stage2_valid_q, stage3_valid_q};
  end
`ifdef FORMAL
  logic [Items*IndexW-1:0] f_index;
  always_comb begin
    f_index = '0;
    for (int k = 0; k < Places; k++) f_index[IndexW*k +: IndexW] = fifo_name_q[2'(fifo_head_q + 2'(k))][NameW-1 -: IndexW];
    f_index[IndexW*Places +: 3*IndexW] = {walk_index_q, walk_index_q, stage3_name_q[NameW-1 -: IndexW]};
  end
`endif

`ifdef FORMAL
  // for the engine's proof
  assign f_tag_o      = f_tag;
  assign f_data_o     = f_data;
  assign f_on_o       = f_on_q;
  assign f_expected_o = f_expected_q;
`endif

  logic f_on_q;                                   // a walk is under way; next: f_expected_q
`ifdef FORMAL
  // assumptions on the inputs
  logic [IndexW-1:0] f_expected_q;
  logic              f_write;
  logic [IndexW-1:0] f_write_index;
  assign f_write       = write_valid_i || fill_valid_i;
  assign f_write_index = write_valid_i ? write_index_i : fill_index_i;
  always_comb begin
    if (walk_valid_i) assume (!f_on_q);
    if (head_pop_i) assume (head_valid_o);
    assume (!(write_valid_i && fill_valid_i));
    if (read_tag_valid && f_write) assume (read_tag_index != f_write_index);
    for (int k = 0; k < Items; k++) begin
      if (f_v[k] && f_write && !(k == 0 && head_pop_i)) assume (f_index[IndexW*k +: IndexW] != f_write_index);
    end
  end

  // contents: one symbolic entry, each lane of its data
  (* anyconst *) logic [IndexW-1:0] f_symbol;
  logic             f_known_q;                    // written since the reset
  logic [TagW-1:0]  f_tag_q;
  logic [DataW-1:0] f_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_known_q <= 1'b0;
    else if (write_valid_i && write_index_i == f_symbol) f_known_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (write_valid_i && write_index_i == f_symbol) begin
      f_tag_q  <= {write_end_i, write_next_i, write_warp_i, write_register_i};
      f_data_q <= write_data_i;
    end else if (fill_valid_i && fill_index_i == f_symbol) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (fill_lanes_i[l]) f_data_q[LaneW*l +: LaneW] <= fill_data_i[LaneW*l +: LaneW];
      end
    end
  end
  always_comb begin
    if (f_known_q) begin
      assert (f_tag[TagW*f_symbol +: TagW] == f_tag_q);
      assert (f_data[DataW*f_symbol +: DataW] == f_data_q);
    end
  end

  // invariant 1: the head is the next entry of the chain, as the memories hold it
  logic [TagW-1:0] f_head_tag;
  assign f_head_tag = f_tag[TagW*head_index_o +: TagW];
  always_ff @(posedge clk_i) begin
    if (walk_valid_i) f_expected_q <= walk_pointer_i;
    else if (head_pop_i) f_expected_q <= f_head_tag[11 +: IndexW];
  end
  always_comb begin
    if (head_valid_o) begin
      assert (f_on_q && head_index_o == f_expected_q);
      assert ({head_end_o, head_warp_o, head_register_o} == {f_head_tag[TagW-1], f_head_tag[10:0]});
      assert (head_data_o == f_data[DataW*head_index_o +: DataW]);
    end else begin
      assert ({head_index_o, head_end_o, head_warp_o, head_register_o} == '0 && head_data_o == '0);
    end
  end
`endif
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_on_q <= 1'b0;
    else f_on_q <= walk_valid_i || (f_on_q && !(head_pop_i && head_end_o));
  end

  // invariant 2; nothing is left when the walk is over
  logic [3:0] f_items;
  always_comb begin
    f_items = '0;
    for (int k = 0; k < Items; k++) f_items = f_items + 4'(f_v[k]);
  end
  `ASSERT_ALWAYS begin
    assert (f_items + 4'(credit_q) == 4'(Places));
    assert (f_on_q == (f_items != '0));
    if (!f_on_q) assert (credit_q == 3'(Places) && !wait_valid_q);
  end

  // invariant 3
  logic                   f_hold_q;
  logic [NameW+DataW-1:0] f_h_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_hold_q <= 1'b0;
    else f_hold_q <= head_valid_o && !head_pop_i;
  end
  always_ff @(posedge clk_i) f_h_q <= {head_index_o, head_end_o, head_warp_o, head_register_o, head_data_o};
  `ASSERT_ALWAYS begin
    if (f_hold_q && rst_ni)
      assert (head_valid_o && {head_index_o, head_end_o, head_warp_o, head_register_o, head_data_o} == f_h_q);
  end

  // times: a walk's first entry comes after four cycles, a later one after four at most. A tag is
  // read whenever there is a credit; a credit that a pop returns counts from the next cycle on.
  logic [2:0] f_dry_q;                            // cycles of the walk without a head
  logic       f_first_q;                          // no head yet
  logic       f_had_q;                            // there was a credit
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_dry_q   <= '0;
      f_first_q <= 1'b0;
      f_had_q   <= 1'b0;
    end else begin
      f_had_q   <= credit_q != 3'd0;
      f_dry_q   <= f_on_q && !head_valid_o ? f_dry_q + 3'd1 : '0;
      f_first_q <= walk_valid_i || (f_first_q && !head_valid_o);
    end
  end
  `ASSERT_ALWAYS begin
    if (f_on_q && !head_valid_o) assert (f_dry_q < 3'd3);
    if (f_first_q && head_valid_o) assert (f_dry_q == 3'd3);
    if (f_first_q && !head_valid_o) begin
      assert (f_items == 4'd1 || (f_items == 4'd2 && stage3_valid_q && stage1_valid_q));
      assert (f_dry_q == (stage3_valid_q ? 3'd2 : stage2_valid_q ? 3'd1 : 3'd0));
    end
    if (f_on_q && !head_valid_o && !f_first_q)
      assert (f_dry_q <= (stage3_valid_q ? 3'd2 : stage2_valid_q ? 3'd1 : 3'd0));
    if (wait_valid_q) assert (!f_had_q && credit_q <= 3'd1);
    if (stage1_valid_q) assert (f_had_q);
  end

`ifdef FORMAL
  // needed for the induction: each entry under way is as the memories hold it, and its successor
  // is the next one under way
  logic [TagW-1:0] f_t;
  logic [TagW-1:0] f_last;                        // tag of the youngest
  logic            f_some;
  always_comb begin
    assert (32'(fifo_count_q) <= Places && 2'(fifo_head_q + fifo_count_q[1:0]) == fifo_tail_q);
    assert (!(stage1_valid_q && stage2_valid_q) && !(stage2_valid_q && stage3_valid_q));
    if (stage1_valid_q) assert (read_tag == f_tag[TagW*walk_index_q +: TagW]);
    if (stage2_valid_q) assert (tag_q == f_tag[TagW*walk_index_q +: TagW]);
    if (stage3_valid_q) assert (read_data == f_data[DataW*stage3_name_q[NameW-1 -: IndexW] +: DataW]);
    f_some = 1'b0;
    f_last = '0;
    for (int k = 0; k < Items; k++) begin
      f_t = f_tag[TagW*f_index[IndexW*k +: IndexW] +: TagW];
      if (f_v[k]) begin
        if (k < Places) begin
          assert (fifo_name_q[2'(fifo_head_q + 2'(k))][11:0] == {f_t[TagW-1], f_t[10:0]});
          assert (fifo_data_q[2'(fifo_head_q + 2'(k))] == f_data[DataW*f_index[IndexW*k +: IndexW] +: DataW]);
        end
        if (k == Places) assert (stage3_name_q[11:0] == {f_t[TagW-1], f_t[10:0]});
        if (f_some) assert (!f_last[TagW-1] && f_last[11 +: IndexW] == f_index[IndexW*k +: IndexW]);
        else assert (f_index[IndexW*k +: IndexW] == f_expected_q);
        f_last = f_t;
        f_some = 1'b1;
      end
    end
    // the youngest is the chain's end, or its successor waits, or is requested from stage 2
    if (!stage1_valid_q && !stage2_valid_q) assert (wait_valid_q == (f_some && !f_last[TagW-1]));
    else assert (!wait_valid_q);
    if (wait_valid_q) assert (walk_index_q == f_last[11 +: IndexW]);
  end

  always_comb begin
    cover (rst_ni && wait_valid_q && credit_q == 3'd1 && f_known_q);
    cover (rst_ni && head_pop_i && head_end_o && head_index_o == f_symbol && f_known_q && head_data_o == '1);
    cover (rst_ni && f_on_q && !f_first_q && !head_valid_o);
    cover (rst_ni && fifo_count_q == 3'd3 && stage3_valid_q && head_pop_i && write_valid_i && write_index_i == head_index_o);
  end
`endif
`endif
