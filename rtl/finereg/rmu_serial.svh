// SPDX-License-Identifier: Apache-2.0
// The serial engine of rmu (Engine 1): one state a cycle unless it waits, one register at a time.

  localparam logic [1:0] XHead = 2'd0;            // what the head waits for in Walk
  localparam logic [1:0] XRead = 2'd1;
  localparam logic [1:0] XWrite = 2'd2;

  logic [NumWarps-1:0] st_v_q, st_v_d;            // 0: the vector reads as 0
  logic [63:0]         st_q [NumWarps];
  logic [DataW-1:0]    buf_q;
  logic                wk_q, wk_d;                // the walk is to begin
  logic [5:0]          r_q;                       // the register that is being read, of warp w

`ifdef FORMAL
  // internal state of the parts: register numbers left, walker
  logic [63:0]         f_rem;
  logic                f_on;
  logic [IdxW-1:0]     f_exp;
`endif

  logic [63:0] st_row;                            // of the head's warp in Walk, else of warp w
  logic        ix_v;
  logic [5:0]  ix;
  logic        ix_last;
  logic        ix_rdy;
  logic        rid_rdy;
  rid u_rid (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ld_v_i(state_q == DLd),
    .ld_vec_i(st_row),
    .ld_rdy_o(rid_rdy),
    .ix_v_o(ix_v),
    .ix_o(ix),
    .ix_last_o(ix_last),
`ifdef FORMAL
    .f_rem_o(f_rem),
`endif
    .ix_rdy_i(ix_rdy)
  );

  logic            swap;                          // b's register has left, and a's takes its entry
  logic            h_v;
  logic            h_end;
  logic [IdxW-1:0] h_idx;
  logic [4:0]      h_w;
  logic [5:0]      h_r;
  logic [DataW-1:0] h_d;
  pcrf #(.NumEntries(NumEntries), .NumLanes(NumLanes), .LaneW(LaneW)) u_pcrf (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .wk_v_i(state_q == Walk && wk_q),
    .wk_ptr_i(bptr_q),
    .h_v_o(h_v),
    .h_idx_o(h_idx),
    .h_end_o(h_end),
    .h_w_o(h_w),
    .h_r_o(h_r),
    .h_d_o(h_d),
    .h_pop_i(pop),
`ifdef FORMAL
    .f_tag_o(f_tag),
    .f_data_o(f_data),
    .f_on_o(f_on),
    .f_exp_o(f_exp),
`endif
    .wr_v_i(written),
    .wr_idx_i(wr_idx),
    .wr_end_i(moved_q == '0),
    .wr_next_i(prev_q),
    .wr_w_i(wr_w),
    .wr_r_i(wr_r),
    .wr_d_i(buf_q),
    .fl_v_i(fl_v_i && fl_rdy_o),
    .fl_idx_i(fl_idx_i),
    .fl_lane_i(fl_lane_i),
    .fl_d_i(fl_d_i)
  );

  // ---- stage vectors: one read port and one write port, at one address
  logic [WarpW-1:0] st_a;
  assign st_a   = state_q == Walk ? h_w[WarpW-1:0] : w_q[WarpW-1:0];
  assign st_row = st_v_q[st_a] ? st_q[st_a] : '0;

  // ---- events of this cycle
  logic            both;                          // in Walk: the head's register is one of a's, too
  logic            last_w;
  logic [5:0]      next_w;
  logic [CntW-1:0] room;
  logic            read_tail;                     // s_rd, or s_wr that raises the next read
  assign rq_v      = state_q == CRq && pc_live_i;
  assign both      = st_row[h_r];
  assign next_w    = w_q + 6'd1;
  assign last_w    = next_w == nw_q;
  assign room      = CntW'(cnt_free_o) + (op_q == OpSwap ? CntW'(bcnt_q) : '0);
  assign refuse    = state_q == Admit && room < need_q;
  assign take      = state_q == SWr;
  assign read_tail = state_q == SRd || (state_q == SWr && ix_v);
  assign ix_rdy    = read_tail && ard_rdy_i;
  assign swap      = pop && x_q == XWrite;
  assign freed     = pop && !swap;
  assign freed_idx = h_idx;
  assign written   = take || swap;
  assign wr_idx    = swap ? h_idx : ff_idx;
  assign wr_w      = take ? w_q[4:0] : h_w;
  assign wr_r      = take ? r_q : h_r;

  // ---- outputs
  assign fl_rdy_o = state_q == Idle || state_q == CRq || state_q == CWt;
  assign pc_w_o   = state_q == CRq ? w_q[4:0] : '0;

  logic read_head;
  assign read_head = state_q == Walk && x_q == XHead && h_v && both;
  assign ard_v_o   = read_head || read_tail;
  assign ard_w_o   = read_head ? h_w : read_tail ? w_q[4:0] : '0;
  assign ard_r_o   = read_head ? h_r : read_tail ? ix : '0;

  assign awr_v_o = state_q == Walk && ((x_q == XHead && h_v && !both) || x_q == XWrite);
  assign awr_w_o = awr_v_o ? h_w : '0;
  assign awr_r_o = awr_v_o ? h_r : '0;
  assign awr_d_o = awr_v_o ? h_d : '0;

  // where in and out coincide, it is one register
  assign mvo_w_o = mvo_v_q ? mv_w_q : '0;
  assign mvo_r_o = mvo_v_q ? mv_r_q : '0;

  // outputs of the parts that are not used
  logic unused_serial;
  assign unused_serial = &{rq_rdy, ix_last, rid_rdy};

  // ---- next state
  always_comb begin
    state_d = state_q;
    x_d     = x_q;
    w_d     = w_q;
    wk_d    = 1'b0;
    case (state_q)
      Idle: begin
        if (c_v_i) begin
          state_d = c_op_i != OpRestore ? CRq : row_cnt == '0 ? Finish : Walk;
          wk_d    = 1'b1;
        end
      end
      CRq, CWt: begin
        if (rq_v) begin
          state_d = CWt;
        end else if (state_q == CRq || rs_v) begin
          state_d = last_w ? Admit : CRq;
          w_d     = last_w ? '0 : next_w;
        end
      end
      Admit: begin
        state_d = refuse ? Idle : op_q == OpSwap && bcnt_q != '0 ? Walk : DLd;
        wk_d    = 1'b1;
      end
      Walk: begin
        case (x_q)
          XHead:   if (read_head && ard_rdy_i) x_d = XRead;
          XRead:   if (ars_v_i) x_d = XWrite;
          default: if (pop) x_d = XHead;
        endcase
        if (pop && h_end) state_d = op_q == OpRestore ? Finish : DLd;
      end
      DLd: begin
        if (st_row != '0) begin
          state_d = SRd;
        end else begin
          state_d = last_w ? Finish : DLd;
          w_d     = last_w ? '0 : next_w;
        end
      end
      SRd: if (ard_rdy_i) state_d = SWt;
      SWt: if (ars_v_i) state_d = SWr;
      SWr: begin
        if (ix_v) begin
          state_d = ard_rdy_i ? SWt : SRd;
        end else begin
          state_d = last_w ? Finish : DLd;
          w_d     = last_w ? '0 : next_w;
        end
      end
      default: state_d = Idle;
    endcase
  end

  always_comb begin
    st_v_d = st_v_q;
    if (accept || refuse) st_v_d = '0;
    else if (state_q == CWt && rs_v) st_v_d[w_q[WarpW-1:0]] = 1'b1;
    else if (state_q == DLd) st_v_d[w_q[WarpW-1:0]] = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wk_q   <= 1'b0;
      st_v_q <= '0;
      r_q    <= '0;
    end else begin
      wk_q   <= wk_d;
      st_v_q <= st_v_d;
      if (ix_rdy) r_q <= ix;
    end
  end

  // not reset: valid bits or the state gate them
  always_ff @(posedge clk_i) begin
    if (swap || (state_q == CWt && rs_v)) st_q[st_a] <= swap ? st_row & ~(64'd1 << h_r) : rs_vec;
    if (ars_v_i) buf_q <= ars_d_i;
  end

`ifdef ASSERT_ON
  // ---- proof
  // phases of the command
  logic f_moves;                                    // past the admission
  logic f_tail;                                     // in s_*
  logic f_has_a;
  logic f_has_b;
  assign f_moves = state_q == Walk || state_q == DLd || f_tail;
  assign f_tail  = state_q == SRd || state_q == SWt || state_q == SWr;
  assign f_has_a = blk_v_o && op_q != OpRestore;
  assign f_has_b = blk_v_o && op_q != OpSpill;

  // assumptions on the inputs
  logic       f_rd_q;                               // a read of the ACRF is under way,
  logic [4:0] f_rw_q;                               // of this register,
  logic [5:0] f_rr_q;
  logic [DataW-1:0] f_got_q;                        // and the data of the last one
`ifdef FORMAL
  always_comb begin
    assume (32'(c_b_i) < NumCta && 32'(c_a_i) < NumCta);
    assume ((f_vec & ~Regs) == '0);
    if (ars_v_i) assume (f_rd_q);
    if (fl_v_i) assume (f_flag[fl_idx_i]);
    if (accept) begin
      assume (c_op_i != 2'd3);
      if (c_op_i != OpRestore) assume (c_nw_i != '0 && 32'(c_nw_i) <= NumWarps);
      if (c_op_i != OpRestore) assume (!f_row_v[c_a_i[CtaW-1:0]]);
      if (c_op_i != OpSpill) assume (f_row_v[c_b_i[CtaW-1:0]]);
      if (c_op_i == OpSwap) assume (c_a_i != c_b_i);
    end
  end
`endif

  // invariant 5
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_rd_q <= 1'b0;
    else f_rd_q <= (ard_v_o && ard_rdy_i) || (f_rd_q && !ars_v_i);
  end
  always_ff @(posedge clk_i) begin
    if (ard_v_o && ard_rdy_i) f_rw_q <= ard_w_o;
    if (ard_v_o && ard_rdy_i) f_rr_q <= ard_r_o;
    if (ars_v_i) f_got_q <= ars_d_i;
  end
  `ASSERT_ALWAYS begin
    if (ard_v_o) assert (!f_rd_q);
    if (rq_v) assert (rq_rdy);
`ifdef FORMAL
    assert (f_open_q == (state_q == CWt));
`endif
    assert (f_rd_q == (x_q == XRead || state_q == SWt));
    if (x_q != XHead) assert (f_rw_q == h_w && f_rr_q == h_r);
    if (state_q == SWt || state_q == SWr) assert (f_rw_q == w_q[4:0] && f_rr_q == r_q);
    if (x_q == XWrite || state_q == SWr) assert (buf_q == f_got_q);
  end

`ifdef FORMAL
  // each entry's owner and its place in the chain, the end being 0
  logic [NumEntries*CtaW-1:0]     f_own_q;
  logic [NumEntries*(IdxW+1)-1:0] f_rank_q;
  logic                           f_write;
  logic [IdxW-1:0]                f_to;
  assign f_write = written;
  assign f_to    = wr_idx;
  always_ff @(posedge clk_i) begin
    if (f_write) begin
      f_own_q[CtaW*f_to +: CtaW]       <= a_q[CtaW-1:0];
      f_rank_q[(IdxW+1)*f_to +: IdxW+1] <= moved_q[IdxW:0];
    end
  end
`endif
  logic [IdxW:0] f_left_q;                          // entries that b has left
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_left_q <= '0;
    else if (accept) f_left_q <= c_op_i == OpSpill ? '0 : row_cnt;
    else if (pop) f_left_q <= f_left_q - 1'b1;
  end

`ifdef FORMAL
  // each CTA's chain length and head; the lengths and the free entries add up to all entries
  logic [NumCta*(IdxW+1)-1:0] f_len;
  logic [NumCta*IdxW-1:0]     f_head;
  logic [NumCta-1:0]          f_is_a;
  logic [NumCta-1:0]          f_is_b;
  logic [IdxW+1:0]            f_sum;
  always_comb begin
    f_sum = (IdxW+2)'(cnt_free_o);
    for (int c = 0; c < NumCta; c++) begin
      f_is_a[c] = f_has_a && 32'(a_q) == c;
      f_is_b[c] = f_has_b && 32'(b_q) == c;
      f_len[(IdxW+1)*c +: IdxW+1] = f_is_a[c] ? moved_q[IdxW:0] : f_is_b[c] ? f_left_q
                                  : f_row_v[c] ? f_row[RowW*c + IdxW +: IdxW+1] : '0;
      f_head[IdxW*c +: IdxW]      = f_is_a[c] ? prev_q : f_is_b[c] ? (f_on ? f_exp : bptr_q)
                                  : f_row[RowW*c +: IdxW];
      f_sum = f_sum + (IdxW+2)'(f_len[(IdxW+1)*c +: IdxW+1]);
      if (f_is_a[c]) assert (!f_is_b[c] && !f_row_v[c]);
      if (f_is_b[c]) assert (f_row_v[c] && f_row[RowW*c +: RowW] == {bcnt_q, bptr_q});
      if (f_len[(IdxW+1)*c +: IdxW+1] != '0) begin
        assert (f_flag[f_head[IdxW*c +: IdxW]]);
        assert (32'(f_own_q[CtaW*f_head[IdxW*c +: IdxW] +: CtaW]) == c);
        assert (f_rank_q[(IdxW+1)*f_head[IdxW*c +: IdxW] +: IdxW+1] + 1'b1
                == f_len[(IdxW+1)*c +: IdxW+1]);
      end
    end
    assert (f_sum == (IdxW+2)'(NumEntries));
    if (f_has_a) assert (32'(a_q) < NumCta && moved_q <= CntW'(NumEntries));
    if (f_has_b) assert (32'(b_q) < NumCta);
  end

  // the admission: refused if and only if the other CTAs' chains leave too few entries
  logic [IdxW+1:0] f_others;                        // entries of the CTAs that keep theirs
  logic            f_admit_q;
  logic            f_fits_q;
  always_comb begin
    f_others = '0;
    for (int c = 0; c < NumCta; c++)
      if (!f_is_b[c]) f_others = f_others + (IdxW+2)'(f_len[(IdxW+1)*c +: IdxW+1]);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_admit_q <= 1'b0;
      f_fits_q  <= 1'b0;
    end else begin
      f_admit_q <= state_q == Admit;
      f_fits_q  <= CntW'(f_others) + need_q <= CntW'(NumEntries);
    end
  end
  always_comb begin
    if (f_admit_q) assert (done_v_o == !f_fits_q && !done_ok_o);
    if (done_v_o && !done_ok_o) assert (f_admit_q);
  end

  // invariants 1 and 2: a CTA's entries are linked in the order of their ranks; chains are disjoint
  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_entry
    logic [TagW-1:0] tag;
    logic [CtaW-1:0] own;
    logic [IdxW:0]   rank;
    logic [IdxW-1:0] next;
    assign tag  = f_tag[TagW*e +: TagW];
    assign own  = f_own_q[CtaW*e +: CtaW];
    assign rank = f_rank_q[(IdxW+1)*e +: IdxW+1];
    assign next = tag[11 +: IdxW];
    always_comb begin
      if (f_flag[e]) begin
        assert (rank < f_len[(IdxW+1)*own +: IdxW+1]);
        assert (tag[TagW-1] == (rank == '0));
        assert (32'(tag[10:6]) < NumWarps);
        if (rank != '0) begin
          assert (f_flag[next] && f_own_q[CtaW*next +: CtaW] == own);
          assert (f_rank_q[(IdxW+1)*next +: IdxW+1] == rank - 1'b1);
        end
      end
    end
    for (genvar k = 0; k < e; k++) begin : gen_f_pair
      always_comb
        if (f_flag[e] && f_flag[k] && own == f_own_q[CtaW*k +: CtaW])
          assert (rank != f_rank_q[(IdxW+1)*k +: IdxW+1]);
    end
  end

  // need_q is the number of registers moved and still marked, and there is room for the latter
  logic [CntW-1:0] f_marked;
  always_comb begin
    f_marked = f_ones(f_rem) + CntW'(state_q == SWt || state_q == SWr);
    for (int w = 0; w < NumWarps; w++) begin
      if (st_v_q[w]) begin
        f_marked = f_marked + f_ones(st_q[w]);
        assert ((st_q[w] & ~Regs) == '0);
        assert (f_has_a && w < 32'(nw_q));
        if (state_q == CRq || state_q == CWt) assert (w < 32'(w_q));
        if (state_q == DLd) assert (w >= 32'(w_q));
        if (f_tail) assert (w > 32'(w_q));
        assert (state_q != Finish);
      end
    end
    assert ((f_rem & ~Regs) == '0);
    if (f_has_a) begin
      assert (need_q == moved_q + f_marked);
      assert (32'(nw_q) >= 1 && 32'(nw_q) <= NumWarps);
      if (f_moves) assert (CntW'(cnt_free_o) + CntW'(f_left_q) >= need_q - moved_q);
      if (!f_moves && state_q != Finish) assert (moved_q == '0 && f_marked <= CntW'(2 * NumWarps));
      if (state_q == Finish) assert (moved_q == need_q);               // invariant 1
    end else if (blk_v_o) begin
      assert (need_q == '0 && moved_q == '0 && prev_q == '0);
    end
    if (moved_q == '0) assert (prev_q == '0);
    if (state_q == SRd) assert (f_rem != '0);
    if (!f_tail) assert (f_rem == '0);
    if (take) assert (ff_v);
  end
`endif

  // states
  `ASSERT_ALWAYS begin
    assert (state_q <= Finish && x_q <= XWrite && op_q != 2'd3);
    if (state_q == CRq || state_q == CWt || state_q == DLd || f_tail) begin
      assert (f_has_a && w_q < nw_q);
    end else assert (w_q == '0);
    if (state_q == Admit) assert (f_has_a);
    // commands are accepted in idle; load data until all of a's vectors have been read
    assert (c_rdy_o == !blk_v_o);
    assert (fl_rdy_o == (!blk_v_o || state_q == CRq || state_q == CWt));
    if (x_q != XHead) assert (state_q == Walk && h_v && f_has_a && both);
    if (state_q == Walk) assert (f_has_b && f_left_q != '0);
`ifdef FORMAL
    assert (f_on == (state_q == Walk && !wk_q));
`endif
    if (f_has_b && (!f_moves || (state_q == Walk && wk_q)) && state_q != Finish)
      assert (f_left_q == bcnt_q);
    if (blk_v_o && (state_q == DLd || f_tail || state_q == Finish)) assert (f_left_q == '0);
    if (f_has_b) assert (f_left_q <= bcnt_q && bcnt_q <= (IdxW+1)'(NumEntries));
    if (blk_v_o && op_q == OpSpill) assert (f_left_q == '0);
  end

`ifdef FORMAL
  // invariant 3: one symbolic register of one CTA
  (* anyconst *) logic [CtaW-1:0] f_c;
  (* anyconst *) logic [4:0]      f_w;
  (* anyconst *) logic [5:0]      f_r;
  logic             f_in_q;                         // it is in the PCRF,
  logic [IdxW-1:0]  f_at_q;                         // in this entry,
  logic [DataW-1:0] f_val_q;                        // with this value
  logic             f_late_q;                       // a load came back since
  logic             f_want_q;                       // it is to be spilled by this command
  logic             f_mine;
  logic             f_goes;
  logic             f_comes;
  logic             f_fl;
  logic             f_st;                           // marked, about to be read, being read
  logic             f_next;
  logic             f_fly;
  assign f_mine  = f_has_a && a_q == 7'(f_c);
  assign f_goes  = f_write && f_mine && f_rw_q == f_w && f_rr_q == f_r;
  assign f_comes = pop && b_q == 7'(f_c) && awr_w_o == f_w && awr_r_o == f_r;
  assign f_fl    = fl_v_i && fl_rdy_o && f_in_q && fl_idx_i == f_at_q;
  assign f_st    = st_v_q[f_w[WarpW-1:0]] && st_q[f_w[WarpW-1:0]][f_r];
  assign f_next  = f_tail && w_q == 6'(f_w) && f_rem[f_r];
  assign f_fly   = (state_q == SWt || state_q == SWr) && w_q == 6'(f_w) && r_q == f_r;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_in_q   <= 1'b0;
      f_late_q <= 1'b0;
      f_want_q <= 1'b0;
    end else begin
      f_in_q   <= f_goes || (f_in_q && !f_comes);
      f_late_q <= f_fl || (f_late_q && !f_goes);
      if (accept) f_want_q <= 1'b0;
      else if (rs_v && f_mine && w_q == 6'(f_w)) f_want_q <= rs_vec[f_r];
    end
  end
  always_ff @(posedge clk_i) begin
    if (f_goes) begin
      f_at_q  <= f_to;
      f_val_q <= f_got_q;
    end else if (f_fl) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (fl_lane_i[l]) f_val_q[LaneW*l +: LaneW] <= fl_d_i[LaneW*l +: LaneW];
      end
    end
  end
  logic [TagW-1:0] f_at_tag;
  assign f_at_tag = f_tag[TagW*f_at_q +: TagW];
  always_comb begin
    assume (32'(f_w) < NumWarps);
    if (f_goes) assert (!f_in_q);
    if (f_comes) assert (f_in_q && awr_d_o == f_val_q);
    if (f_in_q) begin
      assert (f_flag[f_at_q] && f_own_q[CtaW*f_at_q +: CtaW] == f_c);
      assert (f_at_tag[10:0] == {f_w, f_r});
      assert (f_data[DataW*f_at_q +: DataW] == f_val_q);
    end
    // each live register of a is moved once, and no other
    if (f_mine) begin
      assert (f_want_q == (f_in_q || f_st || f_next || f_fly));
      assert (2'(f_in_q) + 2'(f_st) + 2'(f_next) + 2'(f_fly) <= 2'd1);
      if (state_q == Finish) assert (f_in_q == f_want_q);
    end
    if (blk_v_o && !f_mine) assert (!f_want_q);
    if (f_has_b && b_q == 7'(f_c) && state_q == Finish) assert (!f_in_q);
  end

  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_only
    always_comb begin
      if (f_flag[e] && f_own_q[CtaW*e +: CtaW] == f_c && f_tag[TagW*e +: 11] == {f_w, f_r})
        assert (f_in_q && 32'(f_at_q) == e);
    end
  end

  // the event ports report the move
  logic            f_goes_q;
  logic            f_comes_q;
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
    if (f_goes_q) assert (mvi_v_o && mvi_w_o == f_w && mvi_r_o == f_r && mvi_idx_o == f_at_q);
    if (f_comes_q) assert (mvo_v_o && mvo_w_o == f_w && mvo_r_o == f_r);
  end
`endif

  // invariant 4: a command ends. Each cycle that does not wait for an answer (nor for the walker,
  // whose delay pcrf bounds) reduces the distance to the end by one.
  logic        f_stall;
  logic [15:0] f_steps_q;                           // since the accept; restarted at the admission
  logic [15:0] f_far;
  logic [15:0] f_room;
  logic [15:0] f_nw;
  assign f_stall = (state_q == CWt && !rs_v) || (ard_v_o && !ard_rdy_i && state_q != SWr)
                || (f_rd_q && !ars_v_i) || (awr_v_o && !awr_rdy_i) || (state_q == Walk && !h_v);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_steps_q <= '0;
    else if (!blk_v_o || state_q == Admit) f_steps_q <= '0;
    else f_steps_q <= f_steps_q + 16'(!f_stall);
  end
  always_comb begin
    f_nw   = f_has_a ? 16'(nw_q) : 16'd0;
    f_room = 16'(need_q) - 16'(moved_q);
    case (state_q)
      CRq:     f_far = 2 * (f_nw - 16'(w_q));
      CWt:     f_far = 2 * (f_nw - 16'(w_q)) - 16'd1;
      Walk:    f_far = 3 * 16'(f_left_q) - 16'(x_q) + f_nw + 3 * f_room + 16'd1;
      DLd:     f_far = f_nw - 16'(w_q) + 3 * f_room + 16'd1;
      SRd:     f_far = f_nw - 16'(w_q) + 3 * f_room;
      SWt:     f_far = f_nw - 16'(w_q) + 3 * f_room - 16'd1;
      SWr:     f_far = f_nw - 16'(w_q) + 3 * f_room - 16'd2;
      Finish:  f_far = 16'd1;
      default: f_far = 16'd0;
    endcase
  end
  `ASSERT_ALWAYS begin
    if (state_q == CRq || state_q == CWt || state_q == Admit) begin
      assert (f_steps_q + f_far <= 2 * f_nw);
    end else if (blk_v_o)
      assert (f_steps_q + f_far
              <= (f_has_b ? 3 * 16'(bcnt_q) : 16'd0) + f_nw + 3 * 16'(need_q) + 16'd1);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && f_comes && f_late_q);
    cover (rst_ni && done_v_o && !done_ok_o);
    if (NumEntries == 2) cover (rst_ni && swap && cnt_free_o == '0);
  end
`endif
`endif
