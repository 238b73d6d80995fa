// SPDX-License-Identifier: Apache-2.0
// Properties of rmu's serial engine (docs/blocks/finereg/rmu.md, claims.tsv); included at the end of rmu_serial.svh.
`ifdef ASSERT_ON
  // phases of the command
  logic f_moves;                                  // past the admission
  logic f_tail;                                   // in DrainRead, DrainWait, DrainWrite
  logic f_has_outgoing;
  logic f_has_incoming;
  assign f_moves        = state_q == Walk || state_q == DrainLoad || f_tail;
  assign f_tail         = state_q == DrainRead || state_q == DrainWait || state_q == DrainWrite;
  assign f_has_outgoing = busy_o && operation_q != OperationRestore;
  assign f_has_incoming = busy_o && operation_q != OperationSpill;

  // assumptions on the inputs
  logic             f_reading_q;                  // a read of the ACRF is under way,
  logic [4:0]       f_read_warp_q;                // of this register,
  logic [5:0]       f_read_register_q;
  logic [DataW-1:0] f_got_q;                      // and the data of the last one
`ifdef FORMAL
  always_comb begin
    assume (32'(command_incoming_cta_i) < NumCtas && 32'(command_outgoing_cta_i) < NumCtas);
    assume ((f_vector & ~Regs) == '0);
    if (acrf_response_valid_i) assume (f_reading_q);
    if (fill_valid_i) assume (f_flag[fill_index_i]);
    if (accept) begin
      assume (command_operation_i != 2'd3);
      if (command_operation_i != OperationRestore) assume (command_warps_i != '0 && 32'(command_warps_i) <= NumWarps);
      if (command_operation_i != OperationRestore) assume (!f_row_valid[command_outgoing_cta_i[CtaW-1:0]]);
      if (command_operation_i != OperationSpill) assume (f_row_valid[command_incoming_cta_i[CtaW-1:0]]);
      if (command_operation_i == OperationSwap) assume (command_outgoing_cta_i != command_incoming_cta_i);
    end
  end
`endif

  // invariant 5
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_reading_q <= 1'b0;
    else f_reading_q <= (acrf_read_valid_o && acrf_read_ready_i) || (f_reading_q && !acrf_response_valid_i);
  end
  always_ff @(posedge clk_i) begin
    if (acrf_read_valid_o && acrf_read_ready_i) f_read_warp_q <= acrf_read_warp_o;
    if (acrf_read_valid_o && acrf_read_ready_i) f_read_register_q <= acrf_read_register_o;
    if (acrf_response_valid_i) f_got_q <= acrf_response_data_i;
  end
  `ASSERT_ALWAYS begin
    if (acrf_read_valid_o) assert (!f_reading_q);
    if (request_valid) assert (request_ready);
`ifdef FORMAL
    assert (f_open_q == (state_q == VectorWait));
`endif
    assert (f_reading_q == (reads_q == ExchangeRead || state_q == DrainWait));
    if (reads_q != ExchangeHead) assert (f_read_warp_q == head_warp && f_read_register_q == head_register);
    if (state_q == DrainWait || state_q == DrainWrite) assert (f_read_warp_q == warp_q[4:0] && f_read_register_q == register_q);
    if (reads_q == ExchangeWrite || state_q == DrainWrite) assert (buffer_data_q == f_got_q);
  end

`ifdef FORMAL
  // each entry's owner and its place in the chain, the end being 0
  logic [NumEntries*CtaW-1:0]       f_owner_q;
  logic [NumEntries*(IndexW+1)-1:0] f_rank_q;
  logic                             f_write;
  logic [IndexW-1:0]                f_to;
  assign f_write = store;
  assign f_to    = store_index;
  always_ff @(posedge clk_i) begin
    if (f_write) begin
      f_owner_q[CtaW*f_to +: CtaW]          <= outgoing_cta_q[CtaW-1:0];
      f_rank_q[(IndexW+1)*f_to +: IndexW+1] <= stored_count_q[IndexW:0];
    end
  end
`endif
  logic [IndexW:0] f_left_q;                      // entries that the incoming CTA has left
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_left_q <= '0;
    else if (accept) f_left_q <= command_operation_i == OperationSpill ? '0 : row_count;
    else if (pop) f_left_q <= f_left_q - 1'b1;
  end

`ifdef FORMAL
  // each CTA's chain length and head; the lengths and the free entries add up to all entries
  logic [NumCtas*(IndexW+1)-1:0] f_length;
  logic [NumCtas*IndexW-1:0]    f_head;
  logic [NumCtas-1:0]           f_is_outgoing;
  logic [NumCtas-1:0]           f_is_incoming;
  logic [IndexW+1:0]            f_sum;
  always_comb begin
    f_sum = (IndexW+2)'(free_count_o);
    for (int c = 0; c < NumCtas; c++) begin
      f_is_outgoing[c] = f_has_outgoing && 32'(outgoing_cta_q) == c;
      f_is_incoming[c] = f_has_incoming && 32'(incoming_cta_q) == c;
      f_length[(IndexW+1)*c +: IndexW+1] = f_is_outgoing[c] ? stored_count_q[IndexW:0] : f_is_incoming[c] ? f_left_q
                                  : f_row_valid[c] ? f_row[RowW*c + IndexW +: IndexW+1] : '0;
      f_head[IndexW*c +: IndexW]      = f_is_outgoing[c] ? previous_index_q : f_is_incoming[c] ? (f_walk_on ? f_walk_expected
          : incoming_pointer_q)
                                  : f_row[RowW*c +: IndexW];
      f_sum = f_sum + (IndexW+2)'(f_length[(IndexW+1)*c +: IndexW+1]);
      if (f_is_outgoing[c]) assert (!f_is_incoming[c] && !f_row_valid[c]);
      if (f_is_incoming[c]) assert (f_row_valid[c] && f_row[RowW*c +: RowW] == {incoming_count_q, incoming_pointer_q});
      if (f_length[(IndexW+1)*c +: IndexW+1] != '0) begin
        assert (f_flag[f_head[IndexW*c +: IndexW]]);
        assert (32'(f_owner_q[CtaW*f_head[IndexW*c +: IndexW] +: CtaW]) == c);
        assert (f_rank_q[(IndexW+1)*f_head[IndexW*c +: IndexW] +: IndexW+1] + 1'b1
                == f_length[(IndexW+1)*c +: IndexW+1]);
      end
    end
    assert (f_sum == (IndexW+2)'(NumEntries));
    if (f_has_outgoing) assert (32'(outgoing_cta_q) < NumCtas && stored_count_q <= CountW'(NumEntries));
    if (f_has_incoming) assert (32'(incoming_cta_q) < NumCtas);
  end

  // the admission: refused if and only if the other CTAs' chains leave too few entries
  logic [IndexW+1:0] f_others;                    // entries of the CTAs that keep theirs
  logic              f_admit_q;
  logic              f_fits_q;
  always_comb begin
    f_others = '0;
    for (int c = 0; c < NumCtas; c++)
      if (!f_is_incoming[c]) f_others = f_others + (IndexW+2)'(f_length[(IndexW+1)*c +: IndexW+1]);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_admit_q <= 1'b0;
      f_fits_q  <= 1'b0;
    end else begin
      f_admit_q <= state_q == Admit;
      f_fits_q  <= CountW'(f_others) + needed_count_q <= CountW'(NumEntries);
    end
  end
  always_comb begin
    if (f_admit_q) assert (done_valid_o == !f_fits_q && !done_success_o);
    if (done_valid_o && !done_success_o) assert (f_admit_q);
  end

  // invariants 1 and 2: a CTA's entries are linked in the order of their ranks; chains are disjoint
  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_entry
    logic [TagW-1:0]   tag;
    logic [CtaW-1:0]   own;
    logic [IndexW:0]   rank;
    logic [IndexW-1:0] next;
    assign tag  = f_tag[TagW*e +: TagW];
    assign own  = f_owner_q[CtaW*e +: CtaW];
    assign rank = f_rank_q[(IndexW+1)*e +: IndexW+1];
    assign next = tag[11 +: IndexW];
    always_comb begin
      if (f_flag[e]) begin
        assert (rank < f_length[(IndexW+1)*own +: IndexW+1]);
        assert (tag[TagW-1] == (rank == '0));
        assert (32'(tag[10:6]) < NumWarps);
        if (rank != '0) begin
          assert (f_flag[next] && f_owner_q[CtaW*next +: CtaW] == own);
          assert (f_rank_q[(IndexW+1)*next +: IndexW+1] == rank - 1'b1);
        end
      end
    end
    for (genvar k = 0; k < e; k++) begin : gen_f_pair
      always_comb
        if (f_flag[e] && f_flag[k] && own == f_owner_q[CtaW*k +: CtaW])
          assert (rank != f_rank_q[(IndexW+1)*k +: IndexW+1]);
    end
  end

  // needed_count_q is the number of registers moved and still marked, and there is room for the latter
  logic [CountW-1:0] f_marked;
  always_comb begin
    f_marked = f_ones(f_remaining) + CountW'(state_q == DrainWait || state_q == DrainWrite);
    for (int w = 0; w < NumWarps; w++) begin
      if (vector_valid_q[w]) begin
        f_marked = f_marked + f_ones(vector_q[w]);
        assert ((vector_q[w] & ~Regs) == '0);
        assert (f_has_outgoing && w < 32'(command_warps_q));
        if (state_q == VectorRequest || state_q == VectorWait) assert (w < 32'(warp_q));
        if (state_q == DrainLoad) assert (w >= 32'(warp_q));
        if (f_tail) assert (w > 32'(warp_q));
        assert (state_q != Finish);
      end
    end
    assert ((f_remaining & ~Regs) == '0);
    if (f_has_outgoing) begin
      assert (needed_count_q == stored_count_q + f_marked);
      assert (32'(command_warps_q) >= 1 && 32'(command_warps_q) <= NumWarps);
      if (f_moves) assert (CountW'(free_count_o) + CountW'(f_left_q) >= needed_count_q - stored_count_q);
      if (!f_moves && state_q != Finish) assert (stored_count_q == '0 && f_marked <= CountW'(2 * NumWarps));
      if (state_q == Finish) assert (stored_count_q == needed_count_q);               // invariant 1
    end else if (busy_o) begin
      assert (needed_count_q == '0 && stored_count_q == '0 && previous_index_q == '0);
    end
    if (stored_count_q == '0) assert (previous_index_q == '0);
    if (state_q == DrainRead) assert (f_remaining != '0);
    if (!f_tail) assert (f_remaining == '0);
    if (allocate) assert (free_valid);
  end
`endif

  // states
  `ASSERT_ALWAYS begin
    assert (state_q <= Finish && reads_q <= ExchangeWrite && operation_q != 2'd3);
    if (state_q == VectorRequest || state_q == VectorWait || state_q == DrainLoad || f_tail) begin
      assert (f_has_outgoing && warp_q < command_warps_q);
    end else assert (warp_q == '0);
    if (state_q == Admit) assert (f_has_outgoing);
    // commands are accepted in idle; load data until all vectors of the outgoing CTA have been read
    assert (command_ready_o == !busy_o);
    assert (fill_ready_o == (!busy_o || state_q == VectorRequest || state_q == VectorWait));
    if (reads_q != ExchangeHead) assert (state_q == Walk && head_valid && f_has_outgoing && both);
    if (state_q == Walk) assert (f_has_incoming && f_left_q != '0);
`ifdef FORMAL
    assert (f_walk_on == (state_q == Walk && !walk_start_q));
`endif
    if (f_has_incoming && (!f_moves || (state_q == Walk && walk_start_q)) && state_q != Finish)
      assert (f_left_q == incoming_count_q);
    if (busy_o && (state_q == DrainLoad || f_tail || state_q == Finish)) assert (f_left_q == '0);
    if (f_has_incoming) assert (f_left_q <= incoming_count_q && incoming_count_q <= (IndexW+1)'(NumEntries));
    if (busy_o && operation_q == OperationSpill) assert (f_left_q == '0);
  end

`ifdef FORMAL
  // invariant 3: one symbolic register of one CTA
  (* anyconst *) logic [CtaW-1:0] f_cta;
  (* anyconst *) logic [4:0]      f_warp;
  (* anyconst *) logic [5:0]      f_register;
  logic              f_in_q;                      // it is in the PCRF,
  logic [IndexW-1:0] f_at_q;                      // in this entry,
  logic [DataW-1:0]  f_value_q;                   // with this value
  logic              f_late_q;                    // a load came back since
  logic              f_want_q;                    // it is to be spilled by this command
  logic              f_mine;
  logic              f_goes;
  logic              f_comes;
  logic              f_fill;
  logic              f_in_vector;                 // marked, about to be read, being read
  logic              f_next;
  logic              f_fly;
  assign f_mine      = f_has_outgoing && outgoing_cta_q == 7'(f_cta);
  assign f_goes      = f_write && f_mine && f_read_warp_q == f_warp && f_read_register_q == f_register;
  assign f_comes     = pop && incoming_cta_q == 7'(f_cta) && acrf_write_warp_o == f_warp && acrf_write_register_o == f_register;
  assign f_fill      = fill_valid_i && fill_ready_o && f_in_q && fill_index_i == f_at_q;
  assign f_in_vector = vector_valid_q[f_warp[WarpW-1:0]] && vector_q[f_warp[WarpW-1:0]][f_register];
  assign f_next      = f_tail && warp_q == 6'(f_warp) && f_remaining[f_register];
  assign f_fly       = (state_q == DrainWait || state_q == DrainWrite) && warp_q == 6'(f_warp) && register_q == f_register;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_in_q   <= 1'b0;
      f_late_q <= 1'b0;
      f_want_q <= 1'b0;
    end else begin
      f_in_q   <= f_goes || (f_in_q && !f_comes);
      f_late_q <= f_fill || (f_late_q && !f_goes);
      if (accept) f_want_q <= 1'b0;
      else if (response_valid && f_mine && warp_q == 6'(f_warp)) f_want_q <= response_vector[f_register];
    end
  end
  always_ff @(posedge clk_i) begin
    if (f_goes) begin
      f_at_q    <= f_to;
      f_value_q <= f_got_q;
    end else if (f_fill) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (fill_lanes_i[l]) f_value_q[LaneW*l +: LaneW] <= fill_data_i[LaneW*l +: LaneW];
      end
    end
  end
  logic [TagW-1:0] f_at_tag;
  assign f_at_tag = f_tag[TagW*f_at_q +: TagW];
  always_comb begin
    assume (32'(f_warp) < NumWarps);
    if (f_goes) assert (!f_in_q);
    if (f_comes) assert (f_in_q && acrf_write_data_o == f_value_q);
    if (f_in_q) begin
      assert (f_flag[f_at_q] && f_owner_q[CtaW*f_at_q +: CtaW] == f_cta);
      assert (f_at_tag[10:0] == {f_warp, f_register});
      assert (f_data[DataW*f_at_q +: DataW] == f_value_q);
    end
    // each live register of the outgoing CTA is moved once, and no other
    if (f_mine) begin
      assert (f_want_q == (f_in_q || f_in_vector || f_next || f_fly));
      assert (2'(f_in_q) + 2'(f_in_vector) + 2'(f_next) + 2'(f_fly) <= 2'd1);
      if (state_q == Finish) assert (f_in_q == f_want_q);
    end
    if (busy_o && !f_mine) assert (!f_want_q);
    if (f_has_incoming && incoming_cta_q == 7'(f_cta) && state_q == Finish) assert (!f_in_q);
  end

  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_only
    always_comb begin
      if (f_flag[e] && f_owner_q[CtaW*e +: CtaW] == f_cta && f_tag[TagW*e +: 11] == {f_warp, f_register})
        assert (f_in_q && 32'(f_at_q) == e);
    end
  end

  // the event ports report the move
  logic f_goes_q;
  logic f_comes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_goes_q  <= 1'b0;
      f_comes_q <= 1'b0;
    end else begin
      f_goes_q  <= f_goes;
      f_comes_q <= f_comes;
    end
  end
  always_comb begin
    if (f_goes_q) assert (stored_valid_o && stored_warp_o == f_warp && stored_register_o == f_register
        && stored_index_o == f_at_q);
    if (f_comes_q) assert (restored_valid_o && restored_warp_o == f_warp && restored_register_o == f_register);
  end
`endif

  // invariant 4: a command ends. Each cycle that does not wait for an answer (nor for the walker,
  // whose delay pcrf bounds) reduces the distance to the end by one.
  logic        f_stall;
  logic [15:0] f_steps_q;                         // since the accept; restarted at the admission
  logic [15:0] f_far;
  logic [15:0] f_room;
  logic [15:0] f_warps;
  assign f_stall = (state_q == VectorWait && !response_valid) || (acrf_read_valid_o && !acrf_read_ready_i
      && state_q != DrainWrite)
                || (f_reading_q && !acrf_response_valid_i) || (acrf_write_valid_o && !acrf_write_ready_i) || (state_q == Walk
                    && !head_valid);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_steps_q <= '0;
    else if (!busy_o || state_q == Admit) f_steps_q <= '0;
    else f_steps_q <= f_steps_q + 16'(!f_stall);
  end
  always_comb begin
    f_warps = f_has_outgoing ? 16'(command_warps_q) : 16'd0;
    f_room  = 16'(needed_count_q) - 16'(stored_count_q);
    case (state_q)
      VectorRequest:     f_far = 2 * (f_warps - 16'(warp_q));
      VectorWait:     f_far = 2 * (f_warps - 16'(warp_q)) - 16'd1;
      Walk:    f_far = 3 * 16'(f_left_q) - 16'(reads_q) + f_warps + 3 * f_room + 16'd1;
      DrainLoad:     f_far = f_warps - 16'(warp_q) + 3 * f_room + 16'd1;
      DrainRead:     f_far = f_warps - 16'(warp_q) + 3 * f_room;
      DrainWait:     f_far = f_warps - 16'(warp_q) + 3 * f_room - 16'd1;
      DrainWrite:     f_far = f_warps - 16'(warp_q) + 3 * f_room - 16'd2;
      Finish:  f_far = 16'd1;
      default: f_far = 16'd0;
    endcase
  end
  `ASSERT_ALWAYS begin
    if (state_q == VectorRequest || state_q == VectorWait || state_q == Admit) begin
      assert (f_steps_q + f_far <= 2 * f_warps);
    end else if (busy_o)
      assert (f_steps_q + f_far
              <= (f_has_incoming ? 3 * 16'(incoming_count_q) : 16'd0) + f_warps + 3 * 16'(needed_count_q) + 16'd1);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && f_comes && f_late_q);
    cover (rst_ni && done_valid_o && !done_success_o);
    if (NumEntries == 2) cover (rst_ni && exchange && free_count_o == '0);
  end
`endif
`endif
