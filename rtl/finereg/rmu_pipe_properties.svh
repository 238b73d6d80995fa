// SPDX-License-Identifier: Apache-2.0
// Properties of rmu's pipelined engine (docs/blocks/finereg/rmu.md, claims.tsv); included at the end of rmu_pipe.svh.
`ifdef ASSERT_ON
  logic f_has_outgoing;
  logic f_has_incoming;
  assign f_has_outgoing = busy_o && operation_q != OperationRestore;
  assign f_has_incoming = busy_o && operation_q != OperationSpill;

  logic [IndexW:0] f_todo_q;                      // entries of the incoming CTA that are not vacated
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_todo_q <= '0;
    else if (accept) f_todo_q <= command_operation_i == OperationSpill ? '0 : row_count;
    else f_todo_q <= f_todo_q - (IndexW+1)'(stage2_valid_q);
  end

  // invariant 6: what is offered stays
  logic       f_acrf_read_q;
  logic [4:0] f_acrf_read_warp_q;
  logic [5:0] f_acrf_read_register_q;
  logic       f_acrf_write_q;
  logic [4:0] f_acrf_write_warp_q;
  logic [5:0] f_acrf_write_register_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_acrf_read_q  <= 1'b0;
      f_acrf_write_q <= 1'b0;
    end else begin
      f_acrf_read_q  <= acrf_read_valid_o && !acrf_read_ready_i;
      f_acrf_write_q <= acrf_write_valid_o && !acrf_write_ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    f_acrf_read_warp_q      <= acrf_read_warp_o;
    f_acrf_read_register_q  <= acrf_read_register_o;
    f_acrf_write_warp_q     <= acrf_write_warp_o;
    f_acrf_write_register_q <= acrf_write_register_o;
  end

  `ASSERT_ALWAYS begin
    assert (state_q == Idle || state_q == Look || state_q == Move || state_q == Finish);
    assert (operation_q != 2'd3);
    assert (command_ready_o == !busy_o);
    assert (fill_ready_o == !buffer_valid_q);
    assert (reads_q <= 2'd2);
    if (f_acrf_read_q) assert (acrf_read_valid_o && acrf_read_warp_o == f_acrf_read_warp_q
        && acrf_read_register_o == f_acrf_read_register_q);
    if (f_acrf_write_q) assert (acrf_write_valid_o && acrf_write_warp_o == f_acrf_write_warp_q
        && acrf_write_register_o == f_acrf_write_register_q);
    if (request_valid) assert (request_ready);
    if (allocate) assert (free_valid);
    if (exchange) assert (move && f_has_outgoing && f_has_incoming);
    if (acrf_read_valid_o) assert (move && f_has_outgoing);
    if (acrf_write_valid_o) assert (move && f_has_incoming);
    assert (!(in_row && in_vector));
    // reads and the buffer: room for each, the buffer is stored at once
    if (!move) assert (reads_q == 2'd0 && !buffer_valid_q && !drain_hold_q);
    if (drain_hold_q) assert (remaining_q != '0 && room && spare_q != '0);
    // invariant 7
    if (look) assert (spare_q == free_count_o);
    if (move) assert ((IndexW+4)'(free_count_o) == (IndexW+4)'(spare_q) + (IndexW+4)'(reads_q) + (IndexW+4)'(buffer_valid_q)
        + (IndexW+4)'(window_count_q) - (IndexW+4)'(passed_count_q));
    assert (credit_q <= 3'(Places) && window_count_q <= 3'(Places));
    assert (4'(credit_q) + 4'(stage1_valid_q) + 4'(stage2_valid_q) + 4'(window_count_q) == 4'(Places));
    assert (window_head_q < 3'(Places) && passed_count_q <= window_count_q && data_count_q <= window_count_q
        && window_count_q == data_count_q + 3'(stage3_valid_q));
    // the walk: one tag at a time; what is not vacated is in stage 2, in stage 1 or waits, or was not read
    assert (!(stage1_valid_q && wait_valid_q));
    if (!move) assert (!stage1_valid_q && !stage2_valid_q && !stage3_valid_q && !wait_valid_q && window_count_q == 3'd0);
    if (walk_start_q) assert (!stage1_valid_q && !stage2_valid_q && !stage3_valid_q && !wait_valid_q && window_count_q == 3'd0
        && credit_q == 3'(Places));
    if (look) assert (walk_start_q == (f_todo_q != '0));
    if (look || (move && walk_start_q)) assert (f_todo_q == incoming_count_q && walk_over_q == (incoming_count_q == '0));
    if (move && walk_start_q) assert (f_todo_q != '0);
    if (move && !walk_start_q) assert (f_todo_q == '0 ? !stage1_valid_q && !stage2_valid_q && !wait_valid_q : (stage1_valid_q
        || stage2_valid_q || wait_valid_q));
    if (move && !walk_start_q && !stage1_valid_q && !wait_valid_q) assert (f_todo_q == (IndexW+1)'(stage2_valid_q));
    if (move && stage2_valid_q && (stage1_valid_q || wait_valid_q)) assert (f_todo_q >= (IndexW+1)'(2));
    if (move) assert (walk_over_q == (f_todo_q == '0 && window_count_q == 3'd0));
    if (busy_o && !f_has_incoming) assert (f_todo_q == '0 && incoming_count_q == '0 && !walk_start_q && walk_over_q
        && window_count_q == 3'd0 && !stage3_valid_q);
    if (move) assert ((IndexW+4)'(f_todo_q) + (IndexW+4)'(window_count_q) <= (IndexW+4)'(incoming_count_q));
    if (f_has_incoming) assert (f_todo_q <= incoming_count_q && incoming_count_q <= (IndexW+1)'(NumEntries));
    if (state_q == Finish) assert (f_todo_q == '0 && walk_over_q && !walk_start_q);
    // look-ups
    if (busy_o) assert (warp_q <= command_warps_q && unanswered_q == command_warps_q - warp_q + 6'(lookup_valid_q));
    if (lookup_valid_q) assert (6'(lookup_warp_q) < warp_q && (look || move));
    if (busy_o) assert (f_has_outgoing ? command_warps_q != '0 && 32'(command_warps_q) <= NumWarps : command_warps_q == '0);
    if (look) assert (f_has_outgoing && remaining_q == '0 && stored_count_q == '0);
    if (state_q == Finish || !busy_o) assert (remaining_q == '0 && vector_valid_q == '0 && !lookup_valid_q);
    if (state_q == Finish) assert (unanswered_q == '0 && stored_count_q == needed_count_q);
    if (remaining_q != '0) assert (f_has_outgoing && 6'(drain_warp_q) < warp_q && !(lookup_valid_q
        && lookup_warp_q == drain_warp_q));
    if (remaining_q != '0) assert (32'(drain_warp_q) < NumWarps && !vector_valid_q[drain_warp_q[WarpW-1:0]]);
    if (stored_count_q == '0) assert (previous_index_q == '0);
    if (busy_o && !f_has_outgoing) assert (needed_count_q == '0 && stored_count_q == '0 && reads_q == '0 && !buffer_valid_q);
  end
  for (genvar w = 0; w < NumWarps; w++) begin : gen_f_row
    `ASSERT_ALWAYS begin
      if (vector_valid_q[w]) assert (f_has_outgoing && w < 32'(warp_q) && !(lookup_valid_q && 32'(lookup_warp_q) == w)
          && vector_q[64*w +: 64] != '0);
    end
  end

`ifdef FORMAL
  // assumptions on the inputs
  logic [NumEntries*CtaW-1:0]       f_owner_q;    // each entry's owner and its place in the chain, the end being 0
  logic [NumEntries*(IndexW+1)-1:0] f_rank_q;
  logic [CtaW-1:0]                  f_fill_owner;
  assign f_fill_owner = f_owner_q[CtaW*fill_index_i +: CtaW];
  always_comb begin
    assume (32'(command_incoming_cta_i) < NumCtas && 32'(command_outgoing_cta_i) < NumCtas);
    assume ((f_vector & ~Regs) == '0);
    if (acrf_response_valid_i) assume (reads_q != 2'd0);
    if (fill_valid_i) assume (f_flag[fill_index_i] && !(f_has_outgoing && outgoing_cta_q == 7'(f_fill_owner))
        && !(f_has_incoming && incoming_cta_q == 7'(f_fill_owner)));
    if (accept) begin
      assume (command_operation_i != 2'd3);
      if (command_operation_i != OperationRestore) assume (command_warps_i != '0 && 32'(command_warps_i) <= NumWarps);
      if (command_operation_i != OperationRestore) assume (!f_row_valid[command_outgoing_cta_i[CtaW-1:0]]);
      if (command_operation_i != OperationSpill) assume (f_row_valid[command_incoming_cta_i[CtaW-1:0]]);
      if (command_operation_i == OperationSwap) assume (command_outgoing_cta_i != command_incoming_cta_i);
    end
    assert (f_open_q == lookup_valid_q);
  end
  always_ff @(posedge clk_i) begin
    if (store) begin
      f_owner_q[CtaW*store_index +: CtaW]          <= outgoing_cta_q[CtaW-1:0];
      f_rank_q[(IndexW+1)*store_index +: IndexW+1] <= stored_count_q[IndexW:0];
    end
  end

  // each CTA's chain length and head; the lengths and the free entries add up to all entries
  logic [NumCtas*(IndexW+1)-1:0] f_length;
  logic [NumCtas*IndexW-1:0]    f_head;
  logic [NumCtas-1:0]           f_is_outgoing;
  logic [NumCtas-1:0]           f_is_incoming;
  logic [IndexW+1:0]            f_sum;
  logic [IndexW+1:0]            f_others;         // entries of the CTAs that keep theirs
  logic [IndexW-1:0]            f_next;           // the incoming CTA's first entry that is not vacated
  assign f_next = stage2_valid_q ? release_index : stage1_valid_q || wait_valid_q ? walk_index_q : incoming_pointer_q;
  always_comb begin
    f_sum    = (IndexW+2)'(free_count_o);
    f_others = '0;
    for (int c = 0; c < NumCtas; c++) begin
      f_is_outgoing[c] = f_has_outgoing && 32'(outgoing_cta_q) == c;
      f_is_incoming[c] = f_has_incoming && 32'(incoming_cta_q) == c;
      f_length[(IndexW+1)*c +: IndexW+1] = f_is_outgoing[c] ? stored_count_q[IndexW:0] : f_is_incoming[c] ? f_todo_q
                                  : f_row_valid[c] ? f_row[RowW*c + IndexW +: IndexW+1] : '0;
      f_head[IndexW*c +: IndexW] = f_is_outgoing[c] ? previous_index_q : f_is_incoming[c] ? f_next : f_row[RowW*c +: IndexW];
      f_sum                      = f_sum + (IndexW+2)'(f_length[(IndexW+1)*c +: IndexW+1]);
      if (!f_is_outgoing[c] && !f_is_incoming[c]) f_others = f_others + (IndexW+2)'(f_length[(IndexW+1)*c +: IndexW+1]);
      if (f_is_outgoing[c]) assert (!f_is_incoming[c] && !f_row_valid[c]);
      if (f_is_incoming[c]) assert (f_row_valid[c] && f_row[RowW*c +: RowW] == {incoming_count_q, incoming_pointer_q});
      if (f_length[(IndexW+1)*c +: IndexW+1] != '0) begin
        assert (f_flag[f_head[IndexW*c +: IndexW]]);
        assert (32'(f_owner_q[CtaW*f_head[IndexW*c +: IndexW] +: CtaW]) == c);
        assert (f_rank_q[(IndexW+1)*f_head[IndexW*c +: IndexW] +: IndexW+1] + 1'b1 == f_length[(IndexW+1)*c +: IndexW+1]);
      end
    end
    assert (f_sum == (IndexW+2)'(NumEntries));
    if (f_has_outgoing) assert (32'(outgoing_cta_q) < NumCtas && stored_count_q <= CountW'(NumEntries));
    if (f_has_incoming) assert (32'(incoming_cta_q) < NumCtas);
    // invariant 5
    if (refuse) assert (CountW'(f_others) + needed_count_q > CountW'(NumEntries));
    if ((move || state_q == Finish) && f_has_outgoing) assert (CountW'(f_others) + needed_count_q <= CountW'(NumEntries));
    // the stages hold what the memory does
    if (stage2_valid_q) assert (tag_q[11:0] == {f_tag[TagW*release_index + TagW - 1], f_tag[TagW*release_index +: 11]});
    if (stage1_valid_q || wait_valid_q) begin
      assert (f_flag[walk_index_q] && incoming_cta_q == 7'(f_owner_q[CtaW*walk_index_q +: CtaW]));
      assert (f_rank_q[(IndexW+1)*walk_index_q +: IndexW+1] + (IndexW+1)'(1) + (IndexW+1)'(stage2_valid_q) == f_todo_q);
    end
    if (stage1_valid_q) assert (read_tag == f_tag[TagW*walk_index_q +: TagW]);
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

  // needed_count_q is the number of registers moved and of those on their way; there is an entry for each, whatever comes
  logic [CountW-1:0] f_unread;
  logic [CountW-1:0] f_marked;
  logic [15:0]       f_rows;
  always_comb begin
    f_unread = f_ones(remaining_q);
    f_rows   = '0;
    for (int w = 0; w < NumWarps; w++) begin
      if (vector_valid_q[w]) begin
        f_unread = f_unread + f_ones(vector_q[64*w +: 64]);
        f_rows   = f_rows + 16'd1;
        assert ((vector_q[64*w +: 64] & ~Regs) == '0);
      end
    end
    assert ((remaining_q & ~Regs) == '0);
    f_marked = f_unread + CountW'(reads_q) + CountW'(buffer_valid_q);
    if (busy_o) begin
      assert (needed_count_q == stored_count_q + f_marked);
      assert (needed_count_q + CountW'(MaxLive) * CountW'(unanswered_q) <= CountW'(MaxLive) * CountW'(command_warps_q));
    end
    if (move) assert (CountW'(spare_q) + CountW'(f_todo_q) + CountW'(window_count_q) - CountW'(passed_count_q) >= f_unread
        + CountW'(MaxLive) * CountW'(unanswered_q));
  end

  // invariant 3: one symbolic register of one CTA
  (* anyconst *) logic [CtaW-1:0] f_cta;
  (* anyconst *) logic [4:0]      f_warp;
  (* anyconst *) logic [5:0]      f_register;
  logic              f_in_q;                      // it is in the PCRF,
  logic [IndexW-1:0] f_at_q;                      // in this entry,
  logic [DataW-1:0]  f_value_q;                   // with this value
  logic              f_out_q;                     // it is in the window,
  logic [2:0]        f_position_q;                // at this place from the head on
  logic              f_late_q;                    // a load came back since
  logic              f_want_q;                    // it is to be spilled by this command
  logic              f_fly_q;                     // its read is under way,
  logic [1:0]        f_ahead_q;                   // after so many
  logic              f_got_q;                     // its value is in the buffer
  logic [DataW-1:0]  f_read_value_q;              // and was this
  logic              f_mine;
  logic              f_read;
  logic              f_goes;
  logic              f_leaves;
  logic              f_comes;
  logic              f_fill;
  logic              f_in_vector;
  logic              f_in_row;
  logic [10:0]       f_slot;
  assign f_mine      = f_has_outgoing && outgoing_cta_q == 7'(f_cta);
  assign f_read      = read_go && f_mine && acrf_read_warp_o == f_warp && acrf_read_register_o == f_register;
  assign f_goes      = store && f_mine && f_got_q;
  assign f_leaves    = stage2_valid_q && f_in_q && release_index == f_at_q;
  assign f_comes     = pop && incoming_cta_q == 7'(f_cta) && acrf_write_warp_o == f_warp && acrf_write_register_o == f_register;
  assign f_fill      = fill_valid_i && fill_ready_o && f_in_q && fill_index_i == f_at_q;
  assign f_in_vector = vector_valid_q[f_warp[WarpW-1:0]] && vector_q[{f_warp[WarpW-1:0], f_register}];
  assign f_in_row    = drain_warp_q == f_warp && remaining_q[f_register];
  assign f_slot      = f_ahead_q == 2'd0 ? read_name_q[0] : read_name_q[1];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_in_q       <= 1'b0;
      f_out_q      <= 1'b0;
      f_position_q <= '0;
      f_late_q     <= 1'b0;
      f_want_q     <= 1'b0;
      f_fly_q      <= 1'b0;
      f_ahead_q    <= '0;
      f_got_q      <= 1'b0;
    end else begin
      f_in_q       <= f_goes || (f_in_q && !f_leaves);
      f_out_q      <= f_leaves || (f_out_q && !f_comes);
      f_position_q <= f_leaves ? window_count_q - 3'(pop) : f_position_q - 3'(pop && f_out_q && f_position_q != 3'd0);
      f_late_q     <= f_fill || (f_late_q && !f_goes);
      if (accept) f_want_q <= 1'b0;
      else if (response_valid && f_mine && lookup_warp_q == f_warp) f_want_q <= response_vector[f_register];
      f_fly_q <= f_read || (f_fly_q && !(got && f_ahead_q == 2'd0));
      if (f_read) f_ahead_q <= reads_q - 2'(got);
      else if (got && f_ahead_q != 2'd0) f_ahead_q <= f_ahead_q - 2'd1;
      f_got_q <= f_fly_q && got && f_ahead_q == 2'd0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (got) f_read_value_q <= acrf_response_data_i;
    if (f_goes) begin
      f_at_q    <= store_index;
      f_value_q <= f_read_value_q;
    end else if (f_fill) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (fill_lanes_i[l]) f_value_q[LaneW*l +: LaneW] <= fill_data_i[LaneW*l +: LaneW];
      end
    end
  end
  logic [2:0] f_place;
  assign f_place = place(window_head_q, f_position_q);
  always_comb begin
    assume (32'(f_warp) < NumWarps);
    if (f_goes) assert (!f_in_q && !f_out_q && buffer_data_q == f_read_value_q);
    if (f_comes) assert (f_out_q && f_position_q == 3'd0 && acrf_write_data_o == f_value_q);
    assert (!(f_in_q && f_out_q));
    if (f_in_q) begin
      assert (f_flag[f_at_q] && f_owner_q[CtaW*f_at_q +: CtaW] == f_cta);
      assert (f_tag[TagW*f_at_q +: 11] == {f_warp, f_register});
      assert (f_data[DataW*f_at_q +: DataW] == f_value_q);
    end
    if (f_out_q) begin
      assert (f_has_incoming && incoming_cta_q == 7'(f_cta) && f_position_q < window_count_q);
      assert (window_name_q[f_place][10:0] == {f_warp, f_register});
      if (f_position_q < data_count_q) assert (window_data_q[f_place] == f_value_q);
      else assert (stage3_valid_q && read_data == f_value_q);
    end
    // the reads under way and the buffer
    if (f_fly_q) assert (f_mine && f_ahead_q < reads_q && f_slot == {f_warp, f_register});
    if (f_mine && reads_q != 2'd0 && read_name_q[0] == {f_warp, f_register}) assert (f_fly_q && f_ahead_q == 2'd0);
    if (f_mine && reads_q == 2'd2 && read_name_q[1] == {f_warp, f_register}) assert (f_fly_q && f_ahead_q == 2'd1);
    if (f_got_q) assert (f_mine && buffer_valid_q);
    if (f_mine && buffer_valid_q) assert (f_got_q == (buffer_name_q == {f_warp, f_register}));
    if (buffer_valid_q) assert (buffer_data_q == f_read_value_q && 32'(buffer_name_q[10:6]) < NumWarps);
    if (reads_q != 2'd0) assert (32'(read_name_q[0][10:6]) < NumWarps);
    if (reads_q == 2'd2) assert (32'(read_name_q[1][10:6]) < NumWarps);
    // each live register of the outgoing CTA is moved once, and no other
    if (f_mine) begin
      assert (f_want_q == (f_in_q || f_in_vector || f_in_row || f_fly_q || f_got_q));
      assert (3'(f_in_q) + 3'(f_in_vector) + 3'(f_in_row) + 3'(f_fly_q) + 3'(f_got_q) <= 3'd1);
      if ((6'(f_warp) >= warp_q && 6'(f_warp) < command_warps_q) || (lookup_valid_q && lookup_warp_q == f_warp)
          || 6'(f_warp) >= command_warps_q) assert (!f_want_q);
      if (state_q == Finish) assert (f_in_q == f_want_q);
    end
    if (busy_o && !f_mine) assert (!f_want_q);
    if (f_has_incoming && incoming_cta_q == 7'(f_cta) && state_q == Finish) assert (!f_in_q && !f_out_q);
  end
  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_only
    always_comb begin
      if (f_flag[e] && f_owner_q[CtaW*e +: CtaW] == f_cta && f_tag[TagW*e +: 11] == {f_warp, f_register}) assert (f_in_q
          && 32'(f_at_q) == e);
    end
  end

  // the window: the end is the last entry's; the outgoing CTA's register of a name is read before the incoming CTA's is written
  for (genvar k = 0; k < Places; k++) begin : gen_f_w
    logic [2:0]  at;
    logic [11:0] id;
    logic        row;
    assign at  = place(window_head_q, 3'(k));
    assign id  = window_name_q[at];
    assign row = vector_valid_q[id[6 +: WarpW]] && vector_q[{id[6 +: WarpW], id[5:0]}];
    always_comb begin
      if (3'(k) < window_count_q) begin
        assert (id[11] == (f_todo_q == '0 && 3'(k + 1) == window_count_q));
        assert (32'(id[10:6]) < NumWarps);
      end
      if (3'(k) < passed_count_q) begin
        assert (!(6'(id[10:6]) >= warp_q && 6'(id[10:6]) < command_warps_q) && !(lookup_valid_q && lookup_warp_q == id[10:6]));
        assert (!row && !(drain_warp_q == id[10:6] && remaining_q[id[5:0]]));
      end
      if (3'(k) < window_count_q && f_has_incoming && f_cta == incoming_cta_q[CtaW-1:0]
          && id[10:0] == {f_warp, f_register}) assert (f_out_q && f_position_q == 3'(k));
    end
  end

  // the event ports report the move
  logic f_goes_q;
  logic f_comes_q;
  logic f_refuse_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_goes_q   <= 1'b0;
      f_comes_q  <= 1'b0;
      f_refuse_q <= 1'b0;
    end else begin
      f_goes_q   <= f_goes;
      f_comes_q  <= f_comes;
      f_refuse_q <= refuse;
    end
  end
  always_comb begin
    if (f_goes_q) assert (stored_valid_o && stored_warp_o == f_warp && stored_register_o == f_register
        && stored_index_o == f_at_q);
    if (f_comes_q) assert (restored_valid_o && restored_warp_o == f_warp && restored_register_o == f_register);
    assert ((done_valid_o && !done_success_o) == f_refuse_q);
    if (done_valid_o) assert (!busy_o);
  end

  // invariant 4: a command ends. A cycle of look or move that waits for no answer makes the distance smaller.
  logic        f_stall;
  logic [15:0] f_far;
  logic        f_less_q;
  logic [15:0] f_far_q;
  assign f_stall = (lookup_valid_q && !response_valid) || (acrf_read_valid_o && !acrf_read_ready_i) || (acrf_write_valid_o
      && !acrf_write_ready_i) || (reads_q != 2'd0 && !acrf_response_valid_i);
  assign f_far   = 16'd6 * (16'(f_todo_q) - 16'(stage1_valid_q) - 16'(stage2_valid_q)) + 16'd5 * 16'(stage1_valid_q)
      + 16'd4 * 16'(stage2_valid_q)
                 + 16'd3 * 16'(window_count_q) - 16'(data_count_q) - 16'(passed_count_q)
                 + 16'd4 * 16'(f_unread - f_ones(remaining_q)) + 16'd3 * 16'(f_ones(remaining_q)) + 16'd2 * 16'(reads_q)
                     + 16'(buffer_valid_q)
                 + f_rows + 16'd254 * 16'(unanswered_q) + 16'(command_warps_q - warp_q) + (look ? 16'd2 : 16'd1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_less_q <= 1'b0;
    else f_less_q <= (look || move) && !f_stall;
  end
  always_ff @(posedge clk_i) f_far_q <= f_far;
  always_comb if (f_less_q && (look || move)) assert (f_far < f_far_q);

  // covers
  logic [IndexW-1:0] f_last_q;                    // the entry that was vacated last
  always_ff @(posedge clk_i) if (stage2_valid_q) f_last_q <= release_index;
  always_comb begin
    cover (rst_ni && f_comes && f_late_q);
    cover (rst_ni && refuse);
    cover (rst_ni && exchange_go && spare_q == '0);
    cover (rst_ni && store && window_count_q != 3'd0 && store_index == f_last_q);
  end
`endif
`endif
