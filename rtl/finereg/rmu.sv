// SPDX-License-Identifier: Apache-2.0
// rmu: register management engine: spills, restores and swaps the live registers of CTAs.
// C twin: cmodel/blocks/finereg/rmu.c
// One command at a time. A restore of N registers is done 5 + 2N cycles after its accept; each
// spilled register takes at least two.
// NumWarps, NumCta and LrvcEntries are powers of two; NumEntries obeys the rule of fsmon.
module rmu #(
`ifdef FORMAL
  // the proof has assertions for each entry and each pair of entries: only small sizes elaborate
  parameter int NumCta = 2,
  parameter int NumWarps = 2,
  parameter int NumEntries = 4,
  parameter int NumLanes = 1,
  parameter int LaneW = 1,
`else
  parameter int NumCta = 128,
  parameter int NumWarps = 32,
  parameter int NumEntries = 1024,
  parameter int NumLanes = 32,
  parameter int LaneW = 32,
`endif
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
  // the cache of live-register vectors
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
  // the PCs of a's warps
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
  // a register has been moved into, or out of, the PCRF
  output logic                                                         mvi_v_o,
  output logic [4:0]                                                   mvi_w_o,
  output logic [5:0]                                                   mvi_r_o,
  output logic [$clog2(NumEntries)-1:0]                                mvi_idx_o,
  output logic                                                         mvo_v_o,
  output logic [4:0]                                                   mvo_w_o,
  output logic [5:0]                                                   mvo_r_o,
  // the CTAs being moved
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

// CRq requests the vector of warp w's PC, CWt waits for it; Admit checks that all fit; Walk moves b, in a swap entry by entry;
// the rest of a: DLd loads warp w's vector, SRd and SWt read a register, SWr writes it
`include "rmu_enum.svh"

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

`ifdef FORMAL
  // internal state of the parts: pointer table, register numbers left, flags, tags, data, walker
  localparam int TagW = IdxW + 12;
  localparam int RowW = 2 * IdxW + 1;
  logic [NumCta-1:0]           f_row_v;
  logic [NumCta*RowW-1:0]      f_row;
  logic [63:0]                 f_rem;
  logic [NumEntries-1:0]       f_flag;
  logic [NumEntries*TagW-1:0]  f_tag;
  logic [NumEntries*DataW-1:0] f_data;
  logic                        f_on;
  logic [IdxW-1:0]             f_exp;
`endif

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
`ifdef FORMAL
    .f_v_o(f_row_v),
    .f_row_o(f_row),
`endif
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
`ifdef FORMAL
  // the cache is replaced by its contract, which lrvc's proof shows: each look-up is answered once,
  // at any time from the next cycle on, with any vector
  (* anyseq *) logic        f_rs;
  (* anyseq *) logic [63:0] f_vec;
  logic                     f_open_q;
  assign rq_rdy   = !f_open_q;
  assign rs_v     = f_open_q && f_rs;
  assign rs_hit   = 1'b0;
  assign rs_vec   = rs_v ? f_vec : '0;
  assign m_rq_v_o = 1'b0;
  assign m_rq_a_o = '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_open_q <= 1'b0;
    else if (rq_v) f_open_q <= 1'b1;
    else if (rs_v) f_open_q <= 1'b0;
  end
`else
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
`endif
  popcount #(.N(64)) u_n (.x_i(rs_vec), .n_o(rs_n));

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

  logic            ff_v;
  logic [IdxW-1:0] ff_idx;
  logic            take;                          // the buffer is written to a free entry
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
`ifdef FORMAL
    .f_flag_o(f_flag),
`endif
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
`ifdef FORMAL
    .f_tag_o(f_tag),
    .f_data_o(f_data),
    .f_on_o(f_on),
    .f_exp_o(f_exp),
`endif
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

  // ---- stage vectors: one read port and one write port, at one address
  logic [WarpW-1:0] st_a;
  assign st_a   = state_q == Walk ? h_w[WarpW-1:0] : w_q[WarpW-1:0];
  assign st_row = st_v_q[st_a] ? st_q[st_a] : '0;

  // ---- events of this cycle
  logic            accept;
  logic            both;                          // in Walk: the head's register is one of a's, too
  logic            last_w;
  logic [5:0]      next_w;
  logic [CntW-1:0] room;
  logic            refuse;
  logic            read_tail;                     // s_rd, or s_wr that raises the next read
  assign accept    = c_v_i && c_rdy_o;
  assign rq_v      = state_q == CRq && pc_live_i;
  assign both      = st_row[h_r];
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

  // outputs of the parts that are not used
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
    if (swap || (state_q == CWt && rs_v)) st_q[st_a] <= swap ? st_row & ~(64'd1 << h_r) : rs_vec;
    if (ars_v_i) buf_q <= ars_d_i;
    mv_w_q <= take ? w_q[4:0] : h_w;
    mv_r_q <= take ? r_q : h_r;
  end

  // ---- events. prev_q is the entry just written; where in and out coincide, it is one register.
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

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
  localparam logic [63:0] Regs = 64'h4000_0000_0000_0001;  // registers that may be live
  localparam int CtaW = $clog2(NumCta);

  function automatic logic [CntW-1:0] f_ones(input logic [63:0] x);
    f_ones = CntW'(x[0]) + CntW'(x[62]);
  endfunction
`endif

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
  assign f_write = take || swap;
  assign f_to    = swap ? h_idx : ff_idx;
  always_ff @(posedge clk_i) begin
    if (f_write) begin
      f_own_q[CtaW*f_to +: CtaW]       <= a_q[CtaW-1:0];
      f_rank_q[(IdxW+1)*f_to +: IdxW+1] <= n_q[IdxW:0];
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
      f_len[(IdxW+1)*c +: IdxW+1] = f_is_a[c] ? n_q[IdxW:0] : f_is_b[c] ? f_left_q
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
    if (f_has_a) assert (32'(a_q) < NumCta && n_q <= CntW'(NumEntries));
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
      assert (need_q == n_q + f_marked);
      assert (32'(nw_q) >= 1 && 32'(nw_q) <= NumWarps);
      if (f_moves) assert (CntW'(cnt_free_o) + CntW'(f_left_q) >= need_q - n_q);
      if (!f_moves && state_q != Finish) assert (n_q == '0 && f_marked <= CntW'(2 * NumWarps));
      if (state_q == Finish) assert (n_q == need_q);               // invariant 1
    end else if (blk_v_o) begin
      assert (need_q == '0 && n_q == '0 && prev_q == '0);
    end
    if (n_q == '0) assert (prev_q == '0);
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
    f_room = 16'(need_q) - 16'(n_q);
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
endmodule
