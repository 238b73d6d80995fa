// SPDX-License-Identifier: Apache-2.0
// rmu: register management engine: spills, restores and swaps the live registers of CTAs.
// C twin: cmodel/blocks/finereg/rmu.c
// One command at a time. A restore of N registers takes 6 + 2N cycles; each spilled register at
// least two.
// NumWarps, NumCta and NumEntries are powers of two, at least 2.
module rmu #(
  parameter int NumCta = 128,
  parameter int NumWarps = 32,
  parameter int NumEntries = 1024,
  parameter int NumLanes = 32,
  parameter int LaneW = 32,
  parameter int LrvcEntries = 32
) (
  input  logic                                                         clk_i,
  input  logic                                                         rst_ni,
  // command
  input  logic                                                         c_v_i,
  input  logic [1:0]                                                   c_op_i,
  input  logic [6:0]                                                   c_a_i,
  input  logic [6:0]                                                   c_b_i,
  input  logic [5:0]                                                   c_nw_i,
  output logic                                                         c_rdy_o,
  // the cache of live vectors
  input  logic                                                         inv_i,
  input  logic [31:0]                                                  base_i,
  input  logic [31:0]                                                  cbase_i,
  output logic                                                         m_rq_v_o,
  output logic [31:0]                                                  m_rq_a_o,
  input  logic                                                         m_rq_rdy_i,
  input  logic                                                         m_rs_v_i,
  input  logic [63:0]                                                  m_rs_d_i,
  // free entries
  output logic [$clog2(NumEntries):0]                                  cnt_free_o,
  // where are a's warps?
  output logic [4:0]                                                   pc_w_o,
  input  logic                                                         pc_live_i,
  input  logic [31:0]                                                  pc_i,
  // read a's slot of the ACRF
  output logic                                                         ard_v_o,
  output logic [4:0]                                                   ard_w_o,
  output logic [5:0]                                                   ard_r_o,
  input  logic                                                         ard_rdy_i,
  input  logic                                                         ars_v_i,
  input  logic [NumLanes*LaneW-1:0]                                    ars_d_i,
  // write b's slot
  output logic                                                         awr_v_o,
  output logic [4:0]                                                   awr_w_o,
  output logic [5:0]                                                   awr_r_o,
  output logic [NumLanes*LaneW-1:0]                                    awr_d_o,
  input  logic                                                         awr_rdy_i,
  // a register went in, or out
  output logic                                                         mvi_v_o,
  output logic [4:0]                                                   mvi_w_o,
  output logic [5:0]                                                   mvi_r_o,
  output logic [$clog2(NumEntries)-1:0]                                mvi_idx_o,
  output logic                                                         mvo_v_o,
  output logic [4:0]                                                   mvo_w_o,
  output logic [5:0]                                                   mvo_r_o,
  // who is being moved
  output logic                                                         blk_v_o,
  output logic [6:0]                                                   blk_a_o,
  output logic [6:0]                                                   blk_b_o,
  output logic                                                         blk_av_o,
  output logic                                                         blk_bv_o,
  // a load's lanes for a spilled register
  input  logic                                                         fl_v_i,
  input  logic [$clog2(NumEntries)-1:0]                                fl_idx_i,
  input  logic [NumLanes-1:0]                                          fl_lane_i,
  input  logic [NumLanes*LaneW-1:0]                                    fl_d_i,
  output logic                                                         fl_rdy_o,
  // end of a command
  output logic                                                         done_v_o,
  output logic                                                         done_ok_o,
  output logic [(NumEntries > 1024 ? $clog2(NumEntries) : 10):0]       done_cnt_o
);
  localparam int IdxW = $clog2(NumEntries);
  localparam int DataW = NumLanes * LaneW;
  localparam int CntW = NumEntries > 1024 ? IdxW + 1 : 11;  // a CTA's registers: up to 32 x 63
  localparam int WarpW = $clog2(NumWarps);

  localparam logic [1:0] OpSpill = 2'd0;
  localparam logic [1:0] OpRestore = 2'd1;
  localparam logic [1:0] OpSwap = 2'd2;

  localparam logic [3:0] Idle = 4'd0;
  localparam logic [3:0] CRq = 4'd1;              // vectors: warp w's PC
  localparam logic [3:0] CWt = 4'd2;              // its vector
  localparam logic [3:0] Admit = 4'd3;            // do they fit?
  localparam logic [3:0] Walk = 4'd4;             // b comes, in a swap entry against entry
  localparam logic [3:0] DLd = 4'd5;              // the rest of a: warp w's vector
  localparam logic [3:0] SRd = 4'd6;              // read a register
  localparam logic [3:0] SWt = 4'd7;
  localparam logic [3:0] SWr = 4'd8;              // write it
  localparam logic [3:0] Finish = 4'd9;

  localparam logic [1:0] XHead = 2'd0;
  localparam logic [1:0] XRead = 2'd1;
  localparam logic [1:0] XWrite = 2'd2;

  logic [3:0]      state_q, state_d;
  logic [1:0]      x_q, x_d;
  logic [5:0]      w_q, w_d;
  logic [CntW-1:0] need_q, need_d;
  logic [CntW-1:0] n_q, n_d;
  logic [IdxW-1:0] prev_q, prev_d;

  // the command, and b's row of the pointer table
  logic [1:0]    op_q;
  logic [6:0]    a_q, b_q;
  logic [5:0]    nw_q;
  logic [IdxW-1:0] bptr_q;
  logic [IdxW:0] bcnt_q;

  logic [NumWarps-1:0] st_v_q, st_v_d;            // 0: the vector reads as 0
  logic [63:0]         st_q [NumWarps];
  logic [DataW-1:0]    buf_q;
  logic                wk_q, wk_d;                // the walk is to begin
  logic [5:0]          r_q;                       // the register that is being read, of warp w

  // ---- the parts
  logic            row_v;
  logic [IdxW-1:0] row_ptr;
  logic [IdxW:0]   row_cnt;
  logic            finish;
  ppt #(.NumCta(NumCta), .NumEntries(NumEntries)) u_ppt (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .rd_cta_i(c_b_i),
    .rd_v_o(row_v),
    .rd_ptr_o(row_ptr),
    .rd_cnt_o(row_cnt),
    .clr_v_i(finish && op_q != OpSpill),
    .clr_cta_i(b_q),
    .wr_v_i(finish && op_q != OpRestore),
    .wr_cta_i(a_q),
    .wr_ptr_i(prev_q),
    .wr_cnt_i(need_q[IdxW:0])
  );

  logic        rq_v;
  logic        rq_rdy;
  logic        rs_v;
  logic        rs_hit;
  logic [63:0] rs_vec;
  logic [6:0]  rs_n;
  lrvc #(.NumEntries(LrvcEntries)) u_lrvc (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .inv_i(inv_i),
    .base_i(base_i),
    .cbase_i(cbase_i),
    .rq_v_i(rq_v),
    .rq_pc_i(pc_i),
    .rq_rdy_o(rq_rdy),
    .rs_v_o(rs_v),
    .rs_vec_o(rs_vec),
    .rs_hit_o(rs_hit),
    .m_rq_v_o(m_rq_v_o),
    .m_rq_a_o(m_rq_a_o),
    .m_rq_rdy_i(m_rq_rdy_i),
    .m_rs_v_i(m_rs_v_i),
    .m_rs_d_i(m_rs_d_i)
  );
  popcount #(.N(64)) u_n (.x_i(rs_vec), .n_o(rs_n));

  logic [63:0] st_w;                              // of warp w
  logic        ix_v;
  logic [5:0]  ix;
  logic        ix_last;
  logic        ix_rdy;
  logic        rid_rdy;
  rid u_rid (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ld_v_i(state_q == DLd),
    .ld_vec_i(st_w),
    .ld_rdy_o(rid_rdy),
    .ix_v_o(ix_v),
    .ix_o(ix),
    .ix_last_o(ix_last),
    .ix_rdy_i(ix_rdy)
  );

  logic            ff_v;
  logic [IdxW-1:0] ff_idx;
  logic            take;                          // BUF goes to a free entry
  logic            pop;                           // b's register has left
  logic            swap;                          // and a's takes its entry
  logic            h_v;
  logic            h_end;
  logic [IdxW-1:0] h_idx;
  logic [4:0]      h_w;
  logic [5:0]      h_r;
  logic [DataW-1:0] h_d;
  fsmon #(.NumEntries(NumEntries)) u_fsmon (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ff_v_o(ff_v),
    .ff_idx_o(ff_idx),
    .cnt_free_o(cnt_free_o),
    .al_v_i(take),
    .fr_v_i(pop && !swap),
    .fr_idx_i(h_idx)
  );

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
    .wr_v_i(take || swap),
    .wr_idx_i(swap ? h_idx : ff_idx),
    .wr_end_i(n_q == '0),
    .wr_next_i(prev_q),
    .wr_w_i(swap ? h_w : w_q[4:0]),
    .wr_r_i(swap ? h_r : r_q),
    .wr_d_i(buf_q),
    .fl_v_i(fl_v_i && fl_rdy_o),
    .fl_idx_i(fl_idx_i),
    .fl_lane_i(fl_lane_i),
    .fl_d_i(fl_d_i)
  );

  // ---- what happens in this cycle
  logic            accept;
  logic            both;                          // h's register is one of a's too
  logic            last_w;
  logic [5:0]      next_w;
  logic [CntW-1:0] room;
  logic            refuse;
  logic            read_tail;                     // s_rd, or s_wr that raises the next read
  assign accept    = c_v_i && c_rdy_o;
  assign rq_v      = state_q == CRq && pc_live_i;
  assign both      = st_v_q[h_w[WarpW-1:0]] && st_q[h_w[WarpW-1:0]][h_r];
  assign st_w      = st_v_q[w_q[WarpW-1:0]] ? st_q[w_q[WarpW-1:0]] : '0;
  assign next_w    = w_q + 6'd1;
  assign last_w    = next_w == nw_q;
  assign room      = CntW'(cnt_free_o) + (op_q == OpSwap ? CntW'(bcnt_q) : '0);
  assign refuse    = state_q == Admit && room < need_q;
  assign finish    = state_q == Finish;
  assign take      = state_q == SWr;
  assign read_tail = state_q == SRd || (state_q == SWr && ix_v);
  assign ix_rdy    = read_tail && ard_rdy_i;
  assign pop       = awr_v_o && awr_rdy_i;
  assign swap      = pop && x_q == XWrite;

  // ---- outputs
  assign c_rdy_o  = state_q == Idle;
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

  assign blk_v_o  = state_q != Idle;
  assign blk_av_o = blk_v_o && op_q != OpRestore;
  assign blk_bv_o = blk_v_o && op_q != OpSpill;
  assign blk_a_o  = blk_av_o ? a_q : '0;
  assign blk_b_o  = blk_bv_o ? b_q : '0;

  // what the parts say and nobody here needs
  logic unused;
  assign unused = &{row_v, rq_rdy, rs_hit, ix_last, rid_rdy, ff_v};

  // ---- next state
  always_comb begin
    state_d = state_q;
    x_d     = x_q;
    w_d     = w_q;
    need_d  = need_q;
    n_d     = n_q;
    prev_d  = prev_q;
    wk_d    = 1'b0;
    case (state_q)
      Idle: begin
        if (c_v_i) begin
          state_d = c_op_i != OpRestore ? CRq : row_cnt == '0 ? Finish : Walk;
          wk_d    = 1'b1;
          need_d  = '0;
          n_d     = '0;
          prev_d  = '0;
        end
      end
      CRq, CWt: begin
        if (rq_v) begin
          state_d = CWt;
        end else if (state_q == CRq || rs_v) begin
          state_d = last_w ? Admit : CRq;
          w_d     = last_w ? '0 : next_w;
          if (rs_v) need_d = need_q + CntW'(rs_n);
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
        if (st_w != '0) begin
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
    if (take || swap) begin
      n_d    = n_q + CntW'(1);
      prev_d = swap ? h_idx : ff_idx;
    end
  end

  always_comb begin
    st_v_d = st_v_q;
    if (accept || refuse) st_v_d = '0;
    else if (state_q == CWt && rs_v) st_v_d[w_q[WarpW-1:0]] = 1'b1;
    else if (state_q == DLd) st_v_d[w_q[WarpW-1:0]] = 1'b0;
  end

  logic done_v_q, done_ok_q, mvi_v_q, mvo_v_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      x_q       <= XHead;
      w_q       <= '0;
      need_q    <= '0;
      n_q       <= '0;
      prev_q    <= '0;
      wk_q      <= 1'b0;
      op_q      <= OpSpill;
      a_q       <= '0;
      b_q       <= '0;
      nw_q      <= '0;
      bptr_q    <= '0;
      bcnt_q    <= '0;
      st_v_q    <= '0;
      r_q       <= '0;
      done_v_q  <= 1'b0;
      done_ok_q <= 1'b0;
      mvi_v_q   <= 1'b0;
      mvo_v_q   <= 1'b0;
    end else begin
      state_q   <= state_d;
      x_q       <= x_d;
      w_q       <= w_d;
      need_q    <= need_d;
      n_q       <= n_d;
      prev_q    <= prev_d;
      wk_q      <= wk_d;
      st_v_q    <= st_v_d;
      done_v_q  <= finish || refuse;
      done_ok_q <= finish;
      mvi_v_q   <= take || swap;
      mvo_v_q   <= pop;
      if (ix_rdy) r_q <= ix;
      if (accept) begin
        op_q   <= c_op_i;
        a_q    <= c_a_i;
        b_q    <= c_b_i;
        nw_q   <= c_nw_i;
        bptr_q <= row_ptr;
        bcnt_q <= row_cnt;
      end
    end
  end

  // not reset: valid bits or the state gate them
  logic [4:0] mv_w_q;
  logic [5:0] mv_r_q;
  always_ff @(posedge clk_i) begin
    if (state_q == CWt && rs_v) st_q[w_q[WarpW-1:0]] <= rs_vec;
    else if (swap) st_q[h_w[WarpW-1:0]][h_r] <= 1'b0;
    if (ars_v_i) buf_q <= ars_d_i;
    mv_w_q <= take ? w_q[4:0] : h_w;
    mv_r_q <= take ? r_q : h_r;
  end

  // ---- events. An entry that was written is `prev` now; in and out at once is one register.
  assign mvi_v_o    = mvi_v_q;
  assign mvi_w_o    = mvi_v_q ? mv_w_q : '0;
  assign mvi_r_o    = mvi_v_q ? mv_r_q : '0;
  assign mvi_idx_o  = mvi_v_q ? prev_q : '0;
  assign mvo_v_o    = mvo_v_q;
  assign mvo_w_o    = mvo_v_q ? mv_w_q : '0;
  assign mvo_r_o    = mvo_v_q ? mv_r_q : '0;
  assign done_v_o   = done_v_q;
  assign done_ok_o  = done_ok_q;
  assign done_cnt_o = !done_v_q ? '0 : op_q == OpRestore ? CntW'(bcnt_q) : need_q;
endmodule
