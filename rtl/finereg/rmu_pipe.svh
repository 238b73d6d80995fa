// SPDX-License-Identifier: Apache-2.0
// The pipelined engine of rmu (Engine 2): b's registers leave the PCRF one a cycle, in the order of its chain, and in the same
// cycles a's are read from the ACRF: where both have a register, a's is read before b's is written (exchange).

  localparam int Places = 5;                      // entries of W
  localparam int SumW = CntW + 2;

  // ---- registers
  logic [NumWarps-1:0]    st_v_q, st_v_d;         // 0: the row reads as 0
  logic [NumWarps*64-1:0] st_q;                   // live registers of a, not yet read
  logic [63:0]            rem_q, rem_d;           // those of warp dw, whose row has left st
  logic [4:0]             dw_q;
  logic [5:0]             left_q;                 // warps without an answer
  logic                   lk_v_q;                 // a look-up is open,
  logic [4:0]             lk_w_q;                 // of this warp
  logic [IdxW:0]          sp_q;                   // entries free and promised to no register
  logic                   wk_q;                   // the walk is to begin
  logic                   over_q;                 // b's chain has been popped
  logic                   hold_q;                 // a drain was offered and refused
  logic [21:0]            rd_q;                   // two reads under way, {warp, register} each, the oldest below
  logic                   buf_v_q;                // a register of a is to be written to the PCRF
  logic [10:0]            buf_id_q;
  logic [DataW-1:0]       buf_q;

  // stages of the walk: p1: the tag is at the memory's output; p2: it is known, the data is read, the entry is free; p3: the
  // data is at the memory's output
  logic            p1_v_q, p2_v_q, p3_v_q;
  logic            wait_v_q;                      // a tag waits for a credit
  logic [IdxW-1:0] at_q;                          // the entry that waits, or that in p1
  logic [TagW-1:0] tag_q;                         // in p2: {index, end, warp, register}
  logic [2:0]      credit_q;

  // W, in order of the chain: entries with their tag, those that were passed, those with their data
  logic [12*Places-1:0]    id_q;                  // {end, warp, register}
  logic [DataW*Places-1:0] data_q;
  logic [2:0]           head_q;
  logic [2:0]           nt_q, np_q, nd_q;

  logic look;
  logic move;
  assign look = state_q == Look;
  assign move = state_q == Move;

  // ---- W: q is the first entry that was not passed, h the head
  function automatic logic [2:0] place(input logic [2:0] head, input logic [2:0] n);
    logic [3:0] sum;
    sum   = 4'(head) + 4'(n);
    place = sum >= 4'(Places) ? 3'(sum - 4'(Places)) : sum[2:0];
  endfunction

  logic [2:0]       q_at;                         // places: q, the next entry, the next data, the next head
  logic [2:0]       nt_at;
  logic [2:0]       nd_at;
  logic [2:0]       head_next;
  logic             q_v;
  logic [4:0]       q_w;
  logic [5:0]       q_r;
  logic             h_v;
  logic             h_end;
  logic [4:0]       h_w;
  logic [5:0]       h_r;
  logic [DataW-1:0] h_d;
  assign q_at      = place(head_q, np_q);
  assign nt_at     = place(head_q, nt_q);
  assign nd_at     = place(head_q, nd_q);
  assign head_next = place(head_q, 3'd1);
  always_comb begin
    q_w   = '0;
    q_r   = '0;
    h_end = 1'b0;
    h_w   = '0;
    h_r   = '0;
    h_d   = '0;
    for (int k = 0; k < Places; k++) begin
      if (q_v && q_at == 3'(k)) {q_w, q_r} = id_q[12*k +: 11];
      if (h_v && head_q == 3'(k)) {h_end, h_w, h_r} = id_q[12*k +: 12];
      if (h_v && head_q == 3'(k)) h_d = data_q[DataW*k +: DataW];
    end
  end
  assign q_v = np_q < nt_q;
  assign h_v = np_q != 3'd0 && nd_q != 3'd0;

  // ---- what is decided in this cycle
  logic [SumW-1:0] avail;
  logic            much;                          // more live registers than entries, already
  logic            sure;                          // all fit, whatever the vectors that are left
  logic            ask;
  logic            unknown;                       // q's vector has not come
  logic            in_rem;                        // a's register of q's name is live and was not read
  logic            in_st;
  logic            mine;
  logic            room;
  logic            ex;
  logic            pass;
  logic            drain;
  logic            ex_go;                         // accepted
  logic            drain_go;
  logic [63:0]     low;                           // the lowest bit of rem
  logic [5:0]      low_r;
  logic            rd_go;
  logic            got;                           // a read is answered
  first_one #(.N(64)) u_low (.x_i(rem_q), .oh_o(low), .idx_o(low_r));

  assign avail   = SumW'(sp_q) + (op_q == OpSwap ? SumW'(bcnt_q) : '0);
  assign much    = SumW'(need_q) > avail;
  assign sure    = avail >= SumW'(need_q) + SumW'(MaxLive) * SumW'(left_q);
  assign ask     = ((look && !much) || move) && w_q != nw_q && rq_rdy;
  assign rq_v    = ask && pc_live_i;
  assign unknown = (6'(q_w) >= w_q && 6'(q_w) < nw_q) || (lk_v_q && lk_w_q == q_w);
  assign in_rem  = dw_q == q_w && rem_q[q_r];
  assign in_st   = st_v_q[q_w[WarpW-1:0]] && st_q[{q_w[WarpW-1:0], q_r}];
  assign mine    = in_rem || in_st;
  assign room    = !x_q[1];
  assign ex      = (q_v && room && !hold_q) && (mine && !unknown);
  assign pass    = q_v && !unknown && !mine;
  assign drain   = (move && rem_q != '0 && room && sp_q != '0) && !ex;
  assign ex_go    = ex && ard_rdy_i;
  assign drain_go = drain && ard_rdy_i;
  assign rd_go    = ex_go || drain_go;
  assign got      = ars_v_i && blk_v_o;

  // ---- outputs
  assign ard_v_o  = ex || drain;
  assign ard_w_o  = ex ? q_w : drain ? dw_q : '0;
  assign ard_r_o  = ex ? q_r : drain ? low_r : '0;
  assign awr_v_o  = h_v;
  assign awr_w_o  = h_w;
  assign awr_r_o  = h_r;
  assign awr_d_o  = h_d;
  assign fl_rdy_o = !buf_v_q;
  assign pc_w_o   = ask ? w_q[4:0] : '0;

  logic [4:0] mvo_w_q;
  logic [5:0] mvo_r_q;
  assign mvo_w_o = mvo_v_q ? mvo_w_q : '0;
  assign mvo_r_o = mvo_v_q ? mvo_r_q : '0;

  // ---- a's registers: BUF to the lowest free entry
  assign take         = buf_v_q;
  assign written      = buf_v_q;
  assign wr_idx       = ff_idx;
  assign {wr_w, wr_r} = buf_id_q;

  // ---- the walker
  logic [TagW-1:0]  tag_rd;                       // read data of the memories
  logic [DataW-1:0] data_rd;
  logic             want;                         // a tag is to be read: the chain's first, the one waiting or p1's successor
  logic             tag_re;
  logic [IdxW-1:0]  tag_a;
  assign want   = (move && wk_q) || wait_v_q || (p1_v_q && !tag_rd[TagW-1]);
  assign tag_re = want && credit_q != 3'd0;
  assign tag_a  = wk_q ? bptr_q : wait_v_q ? at_q : tag_rd[11 +: IdxW];

  assign freed     = p2_v_q;
  assign freed_idx = tag_q[12 +: IdxW];

  ram_1r1w #(.Depth(NumEntries), .Width(TagW)) u_tag (
    .clk_i(clk_i),
    .re_i(tag_re),
    .raddr_i(tag_a),
    .we_i(buf_v_q),
    .waddr_i(ff_idx),
    .wdata_i({moved_q == '0, prev_q, buf_id_q}),
`ifdef FORMAL
    .f_mem_o(f_tag),
`endif
    .rdata_o(tag_rd)
  );

  ram_1r1w #(.Depth(NumEntries), .Width(DataW), .Lanes(NumLanes)) u_data (
    .clk_i(clk_i),
    .re_i(p2_v_q),
    .raddr_i(freed_idx),
    .we_i({NumLanes{buf_v_q}} | ({NumLanes{fl_v_i && fl_rdy_o}} & fl_lane_i)),
    .waddr_i(buf_v_q ? ff_idx : fl_idx_i),
    .wdata_i(buf_v_q ? buf_q : fl_d_i),
`ifdef FORMAL
    .f_mem_o(f_data),
`endif
    .rdata_o(data_rd)
  );

  // ---- rows: the lowest one is loaded when rem is empty or becomes so by a drain
  logic [NumWarps-1:0] ld;                        // one-hot
  logic [WarpW-1:0]    ld_w;
  logic                load;
  logic [63:0]         ld_row;
  logic                st_clr;                    // the exchanged register is in st
  logic                st_last;                   // the last one of its row
  logic [63:0]         q_row;
  logic [63:0]         q_bit;
  first_one #(.N(NumWarps)) u_row (.x_i(st_v_q), .oh_o(ld), .idx_o(ld_w));
  assign load    = move && (rem_q == '0 || (drain_go && rem_q == low)) && st_v_q != '0;
  assign q_bit   = 64'd1 << q_r;
  assign q_row   = st_q[{q_w[WarpW-1:0], 6'd0} +: 64];
  assign st_clr  = ex_go && !in_rem;
  assign st_last = (q_row & ~q_bit) == '0;
  assign ld_row  = st_q[{ld_w, 6'd0} +: 64];

  always_comb begin
    rem_d = rem_q;
    if (accept) rem_d = '0;
    else if (load) rem_d = st_clr && 5'(ld_w) == q_w ? ld_row & ~q_bit : ld_row;
    else if (ex_go && in_rem) rem_d = rem_q & ~q_bit;
    else if (drain_go) rem_d = rem_q & ~low;
    st_v_d = st_v_q;
    if (st_clr && st_last) st_v_d[q_w[WarpW-1:0]] = 1'b0;
    if (load) st_v_d = st_v_d & ~ld;
    if (rs_v) st_v_d[lk_w_q[WarpW-1:0]] = rs_vec != '0;
    if (accept || refuse) st_v_d = '0;
  end

  // ---- next state
  assign refuse = look && !sure && much && !lk_v_q;
  always_comb begin
    state_d = state_q;
    case (state_q)
      Idle:    if (c_v_i) state_d = c_op_i != OpRestore ? Look : row_cnt == '0 ? Finish : Move;
      Look:    if (sure) state_d = Move;
               else if (refuse) state_d = Idle;
      Move:    if (left_q == '0 && moved_q + CntW'(buf_v_q) == need_q && (over_q || (pop && h_end))) state_d = Finish;
      default: state_d = Idle;
    endcase
    w_d = accept ? '0 : w_q + 6'(ask);
    x_d = accept ? '0 : x_q + 2'(rd_go) - 2'(got);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_v_q   <= '0;
      rem_q    <= '0;
      dw_q     <= '0;
      left_q   <= '0;
      lk_v_q   <= 1'b0;
      lk_w_q   <= '0;
      sp_q     <= '0;
      wk_q     <= 1'b0;
      over_q   <= 1'b0;
      hold_q   <= 1'b0;
      buf_v_q  <= 1'b0;
      p1_v_q   <= 1'b0;
      p2_v_q   <= 1'b0;
      p3_v_q   <= 1'b0;
      wait_v_q <= 1'b0;
      at_q     <= '0;
      tag_q    <= '0;
      credit_q <= 3'(Places);
      head_q   <= '0;
      nt_q     <= '0;
      np_q     <= '0;
      nd_q     <= '0;
    end else begin
      st_v_q   <= st_v_d;
      rem_q    <= rem_d;
      if (load) dw_q <= 5'(ld_w);
      lk_v_q   <= rq_v || (lk_v_q && !rs_v);
      if (rq_v) lk_w_q <= w_q[4:0];
      hold_q   <= drain && !ard_rdy_i;
      buf_v_q  <= got;
      if (accept) begin
        left_q <= c_op_i == OpRestore ? '0 : c_nw_i;
        sp_q   <= cnt_free_o;
        wk_q   <= c_op_i != OpSpill && row_cnt != '0;
        over_q <= c_op_i == OpSpill || row_cnt == '0;
      end else begin
        left_q <= left_q - 6'(rs_v) - 6'(ask && !pc_live_i);
        sp_q   <= sp_q + (IdxW+1)'(pass) - (IdxW+1)'(drain_go);
        if (move) wk_q <= 1'b0;
        if (pop && h_end) over_q <= 1'b1;
      end
      p1_v_q   <= tag_re;
      p2_v_q   <= p1_v_q;
      p3_v_q   <= p2_v_q;
      wait_v_q <= want && !tag_re;
      if (want) at_q <= tag_a;
      if (p1_v_q) tag_q <= {at_q, tag_rd[TagW-1], tag_rd[10:0]};
      credit_q <= credit_q + 3'(pop) - 3'(tag_re);
      if (pop) head_q <= head_next;
      nt_q     <= nt_q + 3'(p2_v_q) - 3'(pop);
      np_q     <= np_q + 3'(ex_go || pass) - 3'(pop);
      nd_q     <= nd_q + 3'(p3_v_q) - 3'(pop);
    end
  end

  // not reset: valid bits and counts gate them
  always_ff @(posedge clk_i) begin
    if (rs_v) st_q[{lk_w_q[WarpW-1:0], 6'd0} +: 64] <= rs_vec;
    if (st_clr) st_q[{q_w[WarpW-1:0], q_r}] <= 1'b0;
    if (got) rd_q[10:0] <= rd_q[21:11];
    if (rd_go && x_q == 2'(got)) rd_q[10:0] <= {ard_w_o, ard_r_o};
    if (rd_go && x_q != 2'(got)) rd_q[21:11] <= {ard_w_o, ard_r_o};
    if (got) buf_id_q <= rd_q[10:0];
    if (got) buf_q <= ars_d_i;
    mvo_w_q <= h_w;
    mvo_r_q <= h_r;
  end
  for (genvar k = 0; k < Places; k++) begin : gen_place
    always_ff @(posedge clk_i) begin
      if (p2_v_q && nt_at == 3'(k)) id_q[12*k +: 12] <= tag_q[11:0];
      if (p3_v_q && nd_at == 3'(k)) data_q[DataW*k +: DataW] <= data_rd;
    end
  end

`ifdef ASSERT_ON
  // ---- proof
  logic f_has_a;
  logic f_has_b;
  assign f_has_a = blk_v_o && op_q != OpRestore;
  assign f_has_b = blk_v_o && op_q != OpSpill;

  logic [IdxW:0] f_todo_q;                          // entries of b that are not vacated
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_todo_q <= '0;
    else if (accept) f_todo_q <= c_op_i == OpSpill ? '0 : row_cnt;
    else f_todo_q <= f_todo_q - (IdxW+1)'(p2_v_q);
  end

  // invariant 6: what is offered stays
  logic       f_ard_q;
  logic [4:0] f_ard_w_q;
  logic [5:0] f_ard_r_q;
  logic       f_awr_q;
  logic [4:0] f_awr_w_q;
  logic [5:0] f_awr_r_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_ard_q <= 1'b0;
      f_awr_q <= 1'b0;
    end else begin
      f_ard_q <= ard_v_o && !ard_rdy_i;
      f_awr_q <= awr_v_o && !awr_rdy_i;
    end
  end
  always_ff @(posedge clk_i) begin
    f_ard_w_q <= ard_w_o;
    f_ard_r_q <= ard_r_o;
    f_awr_w_q <= awr_w_o;
    f_awr_r_q <= awr_r_o;
  end

  `ASSERT_ALWAYS begin
    assert (state_q == Idle || state_q == Look || state_q == Move || state_q == Finish);
    assert (op_q != 2'd3);
    assert (c_rdy_o == !blk_v_o);
    assert (fl_rdy_o == !buf_v_q);
    assert (x_q <= 2'd2);
    if (f_ard_q) assert (ard_v_o && ard_w_o == f_ard_w_q && ard_r_o == f_ard_r_q);
    if (f_awr_q) assert (awr_v_o && awr_w_o == f_awr_w_q && awr_r_o == f_awr_r_q);
    if (rq_v) assert (rq_rdy);
    if (take) assert (ff_v);
    if (ex) assert (move && f_has_a && f_has_b);
    if (ard_v_o) assert (move && f_has_a);
    if (awr_v_o) assert (move && f_has_b);
    assert (!(in_rem && in_st));
    // reads and BUF: room for each, BUF is written at once
    if (!move) assert (x_q == 2'd0 && !buf_v_q && !hold_q);
    if (hold_q) assert (rem_q != '0 && room && sp_q != '0);
    // invariant 7
    if (look) assert (sp_q == cnt_free_o);
    if (move) assert ((IdxW+4)'(cnt_free_o) == (IdxW+4)'(sp_q) + (IdxW+4)'(x_q) + (IdxW+4)'(buf_v_q) + (IdxW+4)'(nt_q) - (IdxW+4)'(np_q));
    assert (credit_q <= 3'(Places) && nt_q <= 3'(Places));
    assert (4'(credit_q) + 4'(p1_v_q) + 4'(p2_v_q) + 4'(nt_q) == 4'(Places));
    assert (head_q < 3'(Places) && np_q <= nt_q && nd_q <= nt_q && nt_q == nd_q + 3'(p3_v_q));
    // the walk: one tag at a time; what is not vacated is in p2, in p1 or waits, or was not read
    assert (!(p1_v_q && wait_v_q));
    if (!move) assert (!p1_v_q && !p2_v_q && !p3_v_q && !wait_v_q && nt_q == 3'd0);
    if (wk_q) assert (!p1_v_q && !p2_v_q && !p3_v_q && !wait_v_q && nt_q == 3'd0 && credit_q == 3'(Places));
    if (look) assert (wk_q == (f_todo_q != '0));
    if (look || (move && wk_q)) assert (f_todo_q == bcnt_q && over_q == (bcnt_q == '0));
    if (move && wk_q) assert (f_todo_q != '0);
    if (move && !wk_q) assert (f_todo_q == '0 ? !p1_v_q && !p2_v_q && !wait_v_q : (p1_v_q || p2_v_q || wait_v_q));
    if (move && !wk_q && !p1_v_q && !wait_v_q) assert (f_todo_q == (IdxW+1)'(p2_v_q));
    if (move && p2_v_q && (p1_v_q || wait_v_q)) assert (f_todo_q >= (IdxW+1)'(2));
    if (move) assert (over_q == (f_todo_q == '0 && nt_q == 3'd0));
    if (blk_v_o && !f_has_b) assert (f_todo_q == '0 && bcnt_q == '0 && !wk_q && over_q && nt_q == 3'd0 && !p3_v_q);
    if (move) assert ((IdxW+4)'(f_todo_q) + (IdxW+4)'(nt_q) <= (IdxW+4)'(bcnt_q));
    if (f_has_b) assert (f_todo_q <= bcnt_q && bcnt_q <= (IdxW+1)'(NumEntries));
    if (state_q == Finish) assert (f_todo_q == '0 && over_q && !wk_q);
    // look-ups
    if (blk_v_o) assert (w_q <= nw_q && left_q == nw_q - w_q + 6'(lk_v_q));
    if (lk_v_q) assert (6'(lk_w_q) < w_q && (look || move));
    if (blk_v_o) assert (f_has_a ? nw_q != '0 && 32'(nw_q) <= NumWarps : nw_q == '0);
    if (look) assert (f_has_a && rem_q == '0 && moved_q == '0);
    if (state_q == Finish || !blk_v_o) assert (rem_q == '0 && st_v_q == '0 && !lk_v_q);
    if (state_q == Finish) assert (left_q == '0 && moved_q == need_q);
    if (rem_q != '0) assert (f_has_a && 6'(dw_q) < w_q && !(lk_v_q && lk_w_q == dw_q));
    if (rem_q != '0) assert (32'(dw_q) < NumWarps && !st_v_q[dw_q[WarpW-1:0]]);
    if (moved_q == '0) assert (prev_q == '0);
    if (blk_v_o && !f_has_a) assert (need_q == '0 && moved_q == '0 && x_q == '0 && !buf_v_q);
  end
  for (genvar w = 0; w < NumWarps; w++) begin : gen_f_row
    `ASSERT_ALWAYS begin
      if (st_v_q[w]) assert (f_has_a && w < 32'(w_q) && !(lk_v_q && 32'(lk_w_q) == w) && st_q[64*w +: 64] != '0);
    end
  end

`ifdef FORMAL
  // assumptions on the inputs
  logic [NumEntries*CtaW-1:0]     f_own_q;          // each entry's owner and its place in the chain, the end being 0
  logic [NumEntries*(IdxW+1)-1:0] f_rank_q;
  logic [CtaW-1:0]                f_fl_own;
  assign f_fl_own = f_own_q[CtaW*fl_idx_i +: CtaW];
  always_comb begin
    assume (32'(c_b_i) < NumCta && 32'(c_a_i) < NumCta);
    assume ((f_vec & ~Regs) == '0);
    if (ars_v_i) assume (x_q != 2'd0);
    if (fl_v_i) assume (f_flag[fl_idx_i] && !(f_has_a && a_q == 7'(f_fl_own)) && !(f_has_b && b_q == 7'(f_fl_own)));
    if (accept) begin
      assume (c_op_i != 2'd3);
      if (c_op_i != OpRestore) assume (c_nw_i != '0 && 32'(c_nw_i) <= NumWarps);
      if (c_op_i != OpRestore) assume (!f_row_v[c_a_i[CtaW-1:0]]);
      if (c_op_i != OpSpill) assume (f_row_v[c_b_i[CtaW-1:0]]);
      if (c_op_i == OpSwap) assume (c_a_i != c_b_i);
    end
    assert (f_open_q == lk_v_q);
  end
  always_ff @(posedge clk_i) begin
    if (written) begin
      f_own_q[CtaW*wr_idx +: CtaW]          <= a_q[CtaW-1:0];
      f_rank_q[(IdxW+1)*wr_idx +: IdxW+1] <= moved_q[IdxW:0];
    end
  end

  // each CTA's chain length and head; the lengths and the free entries add up to all entries
  logic [NumCta*(IdxW+1)-1:0] f_len;
  logic [NumCta*IdxW-1:0]     f_head;
  logic [NumCta-1:0]          f_is_a;
  logic [NumCta-1:0]          f_is_b;
  logic [IdxW+1:0]            f_sum;
  logic [IdxW+1:0]            f_others;             // entries of the CTAs that keep theirs
  logic [IdxW-1:0]            f_next;               // b's first entry that is not vacated
  assign f_next = p2_v_q ? freed_idx : p1_v_q || wait_v_q ? at_q : bptr_q;
  always_comb begin
    f_sum    = (IdxW+2)'(cnt_free_o);
    f_others = '0;
    for (int c = 0; c < NumCta; c++) begin
      f_is_a[c] = f_has_a && 32'(a_q) == c;
      f_is_b[c] = f_has_b && 32'(b_q) == c;
      f_len[(IdxW+1)*c +: IdxW+1] = f_is_a[c] ? moved_q[IdxW:0] : f_is_b[c] ? f_todo_q
                                  : f_row_v[c] ? f_row[RowW*c + IdxW +: IdxW+1] : '0;
      f_head[IdxW*c +: IdxW]      = f_is_a[c] ? prev_q : f_is_b[c] ? f_next : f_row[RowW*c +: IdxW];
      f_sum = f_sum + (IdxW+2)'(f_len[(IdxW+1)*c +: IdxW+1]);
      if (!f_is_a[c] && !f_is_b[c]) f_others = f_others + (IdxW+2)'(f_len[(IdxW+1)*c +: IdxW+1]);
      if (f_is_a[c]) assert (!f_is_b[c] && !f_row_v[c]);
      if (f_is_b[c]) assert (f_row_v[c] && f_row[RowW*c +: RowW] == {bcnt_q, bptr_q});
      if (f_len[(IdxW+1)*c +: IdxW+1] != '0) begin
        assert (f_flag[f_head[IdxW*c +: IdxW]]);
        assert (32'(f_own_q[CtaW*f_head[IdxW*c +: IdxW] +: CtaW]) == c);
        assert (f_rank_q[(IdxW+1)*f_head[IdxW*c +: IdxW] +: IdxW+1] + 1'b1 == f_len[(IdxW+1)*c +: IdxW+1]);
      end
    end
    assert (f_sum == (IdxW+2)'(NumEntries));
    if (f_has_a) assert (32'(a_q) < NumCta && moved_q <= CntW'(NumEntries));
    if (f_has_b) assert (32'(b_q) < NumCta);
    // invariant 5
    if (refuse) assert (CntW'(f_others) + need_q > CntW'(NumEntries));
    if ((move || state_q == Finish) && f_has_a) assert (CntW'(f_others) + need_q <= CntW'(NumEntries));
    // the stages hold what the memory does
    if (p2_v_q) assert (tag_q[11:0] == {f_tag[TagW*freed_idx + TagW - 1], f_tag[TagW*freed_idx +: 11]});
    if (p1_v_q || wait_v_q) begin
      assert (f_flag[at_q] && b_q == 7'(f_own_q[CtaW*at_q +: CtaW]));
      assert (f_rank_q[(IdxW+1)*at_q +: IdxW+1] + (IdxW+1)'(1) + (IdxW+1)'(p2_v_q) == f_todo_q);
    end
    if (p1_v_q) assert (tag_rd == f_tag[TagW*at_q +: TagW]);
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

  // need_q is the number of registers moved and of those on their way; there is an entry for each, whatever comes
  logic [CntW-1:0] f_unread;
  logic [CntW-1:0] f_marked;
  logic [15:0]     f_rows;
  always_comb begin
    f_unread = f_ones(rem_q);
    f_rows   = '0;
    for (int w = 0; w < NumWarps; w++) begin
      if (st_v_q[w]) begin
        f_unread = f_unread + f_ones(st_q[64*w +: 64]);
        f_rows   = f_rows + 16'd1;
        assert ((st_q[64*w +: 64] & ~Regs) == '0);
      end
    end
    assert ((rem_q & ~Regs) == '0);
    f_marked = f_unread + CntW'(x_q) + CntW'(buf_v_q);
    if (blk_v_o) begin
      assert (need_q == moved_q + f_marked);
      assert (need_q + CntW'(MaxLive) * CntW'(left_q) <= CntW'(MaxLive) * CntW'(nw_q));
    end
    if (move) assert (CntW'(sp_q) + CntW'(f_todo_q) + CntW'(nt_q) - CntW'(np_q) >= f_unread + CntW'(MaxLive) * CntW'(left_q));
  end

  // invariant 3: one symbolic register of one CTA
  (* anyconst *) logic [CtaW-1:0] f_c;
  (* anyconst *) logic [4:0]      f_w;
  (* anyconst *) logic [5:0]      f_r;
  logic             f_in_q;                         // it is in the PCRF,
  logic [IdxW-1:0]  f_at_q;                         // in this entry,
  logic [DataW-1:0] f_val_q;                        // with this value
  logic             f_out_q;                        // it is in W,
  logic [2:0]       f_pos_q;                        // at this place from the head on
  logic             f_late_q;                       // a load came back since
  logic             f_want_q;                       // it is to be spilled by this command
  logic             f_fly_q;                        // its read is under way,
  logic [1:0]       f_ahead_q;                      // behind so many
  logic             f_got_q;                        // its value is in BUF
  logic [DataW-1:0] f_rv_q;                         // and was this
  logic             f_mine;
  logic             f_read;
  logic             f_goes;
  logic             f_leaves;
  logic             f_comes;
  logic             f_fl;
  logic             f_st;
  logic             f_rem;
  logic [10:0]      f_slot;
  assign f_mine   = f_has_a && a_q == 7'(f_c);
  assign f_read   = rd_go && f_mine && ard_w_o == f_w && ard_r_o == f_r;
  assign f_goes   = written && f_mine && f_got_q;
  assign f_leaves = p2_v_q && f_in_q && freed_idx == f_at_q;
  assign f_comes  = pop && b_q == 7'(f_c) && awr_w_o == f_w && awr_r_o == f_r;
  assign f_fl     = fl_v_i && fl_rdy_o && f_in_q && fl_idx_i == f_at_q;
  assign f_st     = st_v_q[f_w[WarpW-1:0]] && st_q[{f_w[WarpW-1:0], f_r}];
  assign f_rem    = dw_q == f_w && rem_q[f_r];
  assign f_slot   = f_ahead_q == 2'd0 ? rd_q[10:0] : rd_q[21:11];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_in_q    <= 1'b0;
      f_out_q   <= 1'b0;
      f_pos_q   <= '0;
      f_late_q  <= 1'b0;
      f_want_q  <= 1'b0;
      f_fly_q   <= 1'b0;
      f_ahead_q <= '0;
      f_got_q   <= 1'b0;
    end else begin
      f_in_q   <= f_goes || (f_in_q && !f_leaves);
      f_out_q  <= f_leaves || (f_out_q && !f_comes);
      f_pos_q  <= f_leaves ? nt_q - 3'(pop) : f_pos_q - 3'(pop && f_out_q && f_pos_q != 3'd0);
      f_late_q <= f_fl || (f_late_q && !f_goes);
      if (accept) f_want_q <= 1'b0;
      else if (rs_v && f_mine && lk_w_q == f_w) f_want_q <= rs_vec[f_r];
      f_fly_q  <= f_read || (f_fly_q && !(got && f_ahead_q == 2'd0));
      if (f_read) f_ahead_q <= x_q - 2'(got);
      else if (got && f_ahead_q != 2'd0) f_ahead_q <= f_ahead_q - 2'd1;
      f_got_q  <= f_fly_q && got && f_ahead_q == 2'd0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (got) f_rv_q <= ars_d_i;
    if (f_goes) begin
      f_at_q  <= wr_idx;
      f_val_q <= f_rv_q;
    end else if (f_fl) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (fl_lane_i[l]) f_val_q[LaneW*l +: LaneW] <= fl_d_i[LaneW*l +: LaneW];
      end
    end
  end
  logic [2:0] f_place;
  assign f_place = place(head_q, f_pos_q);
  always_comb begin
    assume (32'(f_w) < NumWarps);
    if (f_goes) assert (!f_in_q && !f_out_q && buf_q == f_rv_q);
    if (f_comes) assert (f_out_q && f_pos_q == 3'd0 && awr_d_o == f_val_q);
    assert (!(f_in_q && f_out_q));
    if (f_in_q) begin
      assert (f_flag[f_at_q] && f_own_q[CtaW*f_at_q +: CtaW] == f_c);
      assert (f_tag[TagW*f_at_q +: 11] == {f_w, f_r});
      assert (f_data[DataW*f_at_q +: DataW] == f_val_q);
    end
    if (f_out_q) begin
      assert (f_has_b && b_q == 7'(f_c) && f_pos_q < nt_q && id_q[12*f_place +: 11] == {f_w, f_r});
      if (f_pos_q < nd_q) assert (data_q[DataW*f_place +: DataW] == f_val_q);
      else assert (p3_v_q && data_rd == f_val_q);
    end
    // the reads under way and BUF
    if (f_fly_q) assert (f_mine && f_ahead_q < x_q && f_slot == {f_w, f_r});
    if (f_mine && x_q != 2'd0 && rd_q[10:0] == {f_w, f_r}) assert (f_fly_q && f_ahead_q == 2'd0);
    if (f_mine && x_q == 2'd2 && rd_q[21:11] == {f_w, f_r}) assert (f_fly_q && f_ahead_q == 2'd1);
    if (f_got_q) assert (f_mine && buf_v_q);
    if (f_mine && buf_v_q) assert (f_got_q == (buf_id_q == {f_w, f_r}));
    if (buf_v_q) assert (buf_q == f_rv_q && 32'(buf_id_q[10:6]) < NumWarps);
    if (x_q != 2'd0) assert (32'(rd_q[10:6]) < NumWarps);
    if (x_q == 2'd2) assert (32'(rd_q[21:17]) < NumWarps);
    // each live register of a is moved once, and no other
    if (f_mine) begin
      assert (f_want_q == (f_in_q || f_st || f_rem || f_fly_q || f_got_q));
      assert (3'(f_in_q) + 3'(f_st) + 3'(f_rem) + 3'(f_fly_q) + 3'(f_got_q) <= 3'd1);
      if ((6'(f_w) >= w_q && 6'(f_w) < nw_q) || (lk_v_q && lk_w_q == f_w) || 6'(f_w) >= nw_q) assert (!f_want_q);
      if (state_q == Finish) assert (f_in_q == f_want_q);
    end
    if (blk_v_o && !f_mine) assert (!f_want_q);
    if (f_has_b && b_q == 7'(f_c) && state_q == Finish) assert (!f_in_q && !f_out_q);
  end
  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_only
    always_comb begin
      if (f_flag[e] && f_own_q[CtaW*e +: CtaW] == f_c && f_tag[TagW*e +: 11] == {f_w, f_r}) assert (f_in_q && 32'(f_at_q) == e);
    end
  end

  // W: the end is the last entry's; a's register of a name is read before b's is written
  for (genvar k = 0; k < Places; k++) begin : gen_f_w
    logic [2:0]  at;
    logic [11:0] id;
    logic        row;
    assign at  = place(head_q, 3'(k));
    assign id  = id_q[12*at +: 12];
    assign row = st_v_q[id[6 +: WarpW]] && st_q[{id[6 +: WarpW], id[5:0]}];
    always_comb begin
      if (3'(k) < nt_q) begin
        assert (id[11] == (f_todo_q == '0 && 3'(k + 1) == nt_q));
        assert (32'(id[10:6]) < NumWarps);
      end
      if (3'(k) < np_q) begin
        assert (!(6'(id[10:6]) >= w_q && 6'(id[10:6]) < nw_q) && !(lk_v_q && lk_w_q == id[10:6]));
        assert (!row && !(dw_q == id[10:6] && rem_q[id[5:0]]));
      end
      if (3'(k) < nt_q && f_has_b && f_c == b_q[CtaW-1:0] && id[10:0] == {f_w, f_r}) assert (f_out_q && f_pos_q == 3'(k));
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
    if (f_goes_q) assert (mvi_v_o && mvi_w_o == f_w && mvi_r_o == f_r && mvi_idx_o == f_at_q);
    if (f_comes_q) assert (mvo_v_o && mvo_w_o == f_w && mvo_r_o == f_r);
    assert ((done_v_o && !done_ok_o) == f_refuse_q);
    if (done_v_o) assert (!blk_v_o);
  end

  // invariant 4: a command ends. A cycle of look or move that waits for no answer makes the distance smaller.
  logic        f_stall;
  logic [15:0] f_far;
  logic        f_less_q;
  logic [15:0] f_far_q;
  assign f_stall = (lk_v_q && !rs_v) || (ard_v_o && !ard_rdy_i) || (awr_v_o && !awr_rdy_i) || (x_q != 2'd0 && !ars_v_i);
  assign f_far   = 16'd6 * (16'(f_todo_q) - 16'(p1_v_q) - 16'(p2_v_q)) + 16'd5 * 16'(p1_v_q) + 16'd4 * 16'(p2_v_q)
                 + 16'd3 * 16'(nt_q) - 16'(nd_q) - 16'(np_q)
                 + 16'd4 * 16'(f_unread - f_ones(rem_q)) + 16'd3 * 16'(f_ones(rem_q)) + 16'd2 * 16'(x_q) + 16'(buf_v_q)
                 + f_rows + 16'd254 * 16'(left_q) + 16'(nw_q - w_q) + (look ? 16'd2 : 16'd1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_less_q <= 1'b0;
    else f_less_q <= (look || move) && !f_stall;
  end
  always_ff @(posedge clk_i) f_far_q <= f_far;
  always_comb if (f_less_q && (look || move)) assert (f_far < f_far_q);

  // covers
  logic [IdxW-1:0] f_last_q;                        // the entry that was vacated last
  always_ff @(posedge clk_i) if (p2_v_q) f_last_q <= freed_idx;
  always_comb begin
    cover (rst_ni && f_comes && f_late_q);
    cover (rst_ni && refuse);
    cover (rst_ni && ex_go && sp_q == '0);
    cover (rst_ni && written && nt_q != 3'd0 && wr_idx == f_last_q);
  end
`endif
`endif
