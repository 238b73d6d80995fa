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
  logic [12*Places-1:0] id_q;                     // {end, warp, register}
  logic [DataW-1:0]     data_q [Places];
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

  logic             q_v;
  logic [4:0]       q_w;
  logic [5:0]       q_r;
  logic             h_v;
  logic             h_end;
  logic [4:0]       h_w;
  logic [5:0]       h_r;
  logic [DataW-1:0] h_d;
  always_comb begin
    q_w   = '0;
    q_r   = '0;
    h_end = 1'b0;
    h_w   = '0;
    h_r   = '0;
    for (int k = 0; k < Places; k++) begin
      if (q_v && place(head_q, np_q) == 3'(k)) {q_w, q_r} = id_q[12*k +: 11];
      if (h_v && head_q == 3'(k)) {h_end, h_w, h_r} = id_q[12*k +: 12];
    end
  end
  assign q_v = np_q < nt_q;
  assign h_v = np_q != 3'd0 && nd_q != 3'd0;
  assign h_d = h_v ? data_q[head_q] : '0;

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
  assign ex      = q_v && !unknown && mine && room && !hold_q;
  assign pass    = q_v && !unknown && !mine;
  assign drain   = move && !ex && rem_q != '0 && room && sp_q != '0;
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
      if (pop) head_q <= place(head_q, 3'd1);
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
    for (int k = 0; k < Places; k++) begin
      if (p2_v_q && place(head_q, nt_q) == 3'(k)) id_q[12*k +: 12] <= tag_q[11:0];
    end
    if (p3_v_q) data_q[place(head_q, nd_q)] <= data_rd;
    mvo_w_q <= h_w;
    mvo_r_q <= h_r;
  end
