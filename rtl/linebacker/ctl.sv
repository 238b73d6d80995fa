// SPDX-License-Identifier: Apache-2.0
// ctl: IPC monitor and CTA manager: throttles CTAs, saves their registers in memory and brings them back.
// C twin: cmodel/blocks/linebacker/ctl.c
// One state of the engine a cycle unless it waits; a backup and a restore move a register a cycle. NumCta is a power of two from 2 to
// 32, Ring at most 7. Period is such that no count of instructions in a window overflows.
module ctl #(
`ifdef FORMAL
  // the proof has assertions for each pair of CTAs
  parameter int NumCta = 2,
  parameter int DataW = 1,
  // bits of the registers' numbers and of the stack's first address that may be other than 0
  parameter int RegW = 11,
  parameter int AddrW = 32,
`else
  parameter int NumCta = 32,
  parameter int DataW = 1024,
`endif
  parameter int Ring = 6,
  parameter int Period = 64
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // launch
  input  logic              kstart_i,
  input  logic              k_keep_i,
  input  logic [10:0]       k_nreg_i,
  input  logic [31:0]       k_bp_i,
  input  logic [10:0]       k_top_i,
  // instructions, windows, load monitor
  input  logic [6:0]        ret_n_i,
  output logic              tick_o,
  input  logic              lm_sel_i,
  input  logic              lm_off_i,
  // victim tag table
  output logic              hold_o,
  output logic [10:0]       lrn_o,
  input  logic              hack_i,
  // CTAs: stop, end, begin, go on
  output logic              halt_v_o,
  output logic [4:0]        halt_id_o,
  input  logic [NumCta-1:0] quies_i,
  input  logic              fin_v_i,
  input  logic [4:0]        fin_id_i,
  output logic              lnew_v_o,
  output logic [10:0]       lnew_frn_o,
  input  logic              lau_v_i,
  input  logic [4:0]        lau_id_i,
  input  logic [10:0]       lau_frn_i,
  output logic              run_v_o,
  output logic [4:0]        run_id_o,
  output logic [10:0]       run_frn_o,
  // register file
  output logic              rr_v_o,
  output logic [10:0]       rr_rn_o,
  input  logic              rr_rdy_i,
  input  logic              rv_v_i,
  input  logic [DataW-1:0]  rv_d_i,
  output logic              rw_v_o,
  output logic [10:0]       rw_rn_o,
  output logic [DataW-1:0]  rw_d_o,
  input  logic              rw_rdy_i,
  // memory
  output logic              mw_v_o,
  output logic [31:0]       mw_a_o,
  output logic [DataW-1:0]  mw_d_o,
  input  logic              mw_rdy_i,
  output logic              mq_v_o,
  output logic [31:0]       mq_a_o,
  output logic [2:0]        mq_e_o,
  input  logic              mq_rdy_i,
  input  logic              ms_v_i,
  input  logic [2:0]        ms_e_i,
  input  logic [DataW-1:0]  ms_d_i
);
  localparam int IdW = $clog2(NumCta);
`include "ctl_enum.svh"

  logic [3:0]        state_q, state_d;
  logic [3:0]        after_q, after_d;            // the state that follows syn
  logic [1:0]        policy_q, policy_d;
  logic              sreq_q;
  logic              first_q, first_d;            // the throttle that follows the selection is still to come
  logic [31:0]       cyc_q, ins_q, cur_q, prev_q;
  logic [10:0]       nreg_q, lrn_q, lrn_d, top_q, t_q;
  logic [31:0]       bp_q;
  logic [NumCta-1:0] occ_q, act_q, c_q, finp_q;
  logic [10:0]       frn_q [NumCta];
  logic [31:0]       ba_q [NumCta];
  logic [4:0]        v_q;                         // the victim, or Top
  logic [10:0]       from_q;                      // the victim's first register

  // the buffer of a backup or restore, and registers requested and written
  logic [DataW-1:0]  buf_q [Ring];
  logic [Ring-1:0]   fill_q;                      // an entry has its value
  logic [2:0]        head_q;                      // the oldest entry
  logic [2:0]        put_q;                       // backup: where the next value goes; restore: what the next request takes
  logic [10:0]       req_q;
  logic [10:0]       wr_q;

  // ---- IPC monitor
  logic [31:0] ins;
  assign ins    = ins_q + 32'(ret_n_i);
  assign tick_o = cyc_q == 32'(Period - 1);

  // 10 cur - 11 prev and 9 prev - 10 cur after the shift, each as one sum
  logic [36:0] rise;
  logic [36:0] fall;
  logic        up;
  logic        down;
  assign rise = (37'(cur_q) << 3) + (37'(cur_q) << 1) + 37'(cur_q)
              - (37'(ins_q) << 3) - (37'(ins_q) << 1) - (37'(ret_n_i) << 3) - (37'(ret_n_i) << 1);
  assign fall = (37'(ins_q) << 3) + (37'(ins_q) << 1) + (37'(ret_n_i) << 3) + (37'(ret_n_i) << 1)
              - (37'(cur_q) << 3) - 37'(cur_q);
  assign up   = rise[36];
  assign down = fall[36];

  // ---- policy
  logic asked;
  assign asked = policy_q == PolicyWait && (lm_sel_i || lm_off_i);
  always_comb begin
    policy_d = policy_q;
    first_d  = first_q;
    if (asked) begin
      policy_d = lm_sel_i ? PolicyRun : PolicyOff;
      if (lm_sel_i) first_d = 1'b1;
    end
    if (state_q == Thr) first_d = 1'b0;           // the engine, after the policy
  end

  // ---- searches over the CTAs
  // the lowest one with an end to deal with, and its range
  logic [NumCta-1:0] fin_oh;
  logic [IdW-1:0]    fin_idx;
  logic [10:0]       fin_frn;
  first_one #(.N(NumCta)) u_fin (.x_i(finp_q), .oh_o(fin_oh), .idx_o(fin_idx));
  assign fin_frn = frn_q[fin_idx];

  // Top
  logic [31:0]       stack;                       // where the last backup lies
  logic [NumCta-1:0] is_top;
  logic [NumCta-1:0] top_oh;
  logic [IdW-1:0]    top_idx;
  logic              top_v;
  assign stack = {bp_q[31:7] - 25'(nreg_q), bp_q[6:0]};
  for (genvar i = 0; i < NumCta; i++) begin : gen_top
    assign is_top[i] = occ_q[i] && c_q[i] && ba_q[i] == stack;
  end
  first_one #(.N(NumCta)) u_top (.x_i(is_top), .oh_o(top_oh), .idx_o(top_idx));
  assign top_v = is_top != '0;

  // the largest range: of those that may issue in thr, else of those that hold registers
  logic [NumCta-1:0] among;
  logic [NumCta-1:0] held;
  assign held  = occ_q & ~c_q;
  assign among = state_q == Thr ? occ_q & act_q : held;
  for (genvar k = 0; k <= IdW; k++) begin : gen_max
    localparam int Nodes = 1 << (IdW - k);
    logic [Nodes-1:0]     some;                   // at least one CTA
    logic [Nodes-1:0]     many;                   // at least two
    logic [Nodes*11-1:0]  frn;                    // the largest first register, 0 without one
    logic [Nodes*IdW-1:0] id;
    for (genvar n = 0; n < Nodes; n++) begin : gen_node
      if (k == 0) begin : gen_leaf
        assign some[n]          = among[n];
        assign many[n]          = 1'b0;
        assign frn[11*n +: 11]  = among[n] ? frn_q[n] : 11'd0;
        assign id[IdW*n +: IdW] = IdW'(n);
      end else begin : gen_two
        logic        high;
        logic [1:0]  s;
        logic [10:0] a, b;
        assign s                = gen_max[k-1].some[2*n +: 2];
        assign a                = gen_max[k-1].frn[22*n +: 11];
        assign b                = gen_max[k-1].frn[22*n+11 +: 11];
        assign high             = b > a || !s[0];
        assign some[n]          = |s;
        assign many[n]          = &s || |gen_max[k-1].many[2*n +: 2];
        assign frn[11*n +: 11]  = high ? b : a;
        assign id[IdW*n +: IdW] = high ? gen_max[k-1].id[2*IdW*n+IdW +: IdW] : gen_max[k-1].id[2*IdW*n +: IdW];
      end
    end
  end
  logic [10:0] max_frn;
  assign max_frn = gen_max[IdW].frn;

  // ---- ranges
  logic [10:0] last;                              // of a range: its last register less its first
  logic [10:0] lau_end;
  logic [10:0] t_end;                             // the end of the range in hand
  logic [11:0] new_t;                             // act2: the range above all others
  logic [11:0] new_end;
  logic        fits;
  assign last    = nreg_q - 11'd1;
  assign lau_end = lau_frn_i + last;
  assign t_end   = t_q + last;
  assign new_t   = held == '0 ? 12'd0 : 12'(lrn_q) + 12'd1;
  assign new_end = (held == '0 ? 12'hFFF : 12'(lrn_q)) + 12'(nreg_q);
  assign fits    = new_end <= 12'(top_q);

  logic [10:0] lrn_s;                             // by the engine
  always_comb begin
    lrn_s = lrn_q;
    case (state_q)
      Lrn, Act: lrn_s = held == '0 ? 11'd0 : max_frn + last;
      Act2:     if (!top_v && fits) lrn_s = new_end[10:0];
      R1:       if (t_end > lrn_q) lrn_s = t_end;
      default:  ;
    endcase
  end
  assign lrn_d = lau_v_i && lau_end > lrn_s ? lau_end : lrn_s;

  // ---- backup and restore
  logic busy;
  logic more;                                     // another register can be requested
  logic req;
  logic wr;
  logic done;
  assign busy = state_q == Bck || state_q == Rst;
  assign more = req_q != nreg_q && req_q[2:0] - wr_q[2:0] != 3'(Ring);
  assign req  = (rr_v_o && rr_rdy_i) || (mq_v_o && mq_rdy_i);
  assign wr   = (mw_v_o && mw_rdy_i) || (rw_v_o && rw_rdy_i);
  assign done = wr && wr_q == last;

  logic            put;                           // put_q moves on
  logic            got;                           // a value comes, into this entry
  logic [2:0]      got_e;
  logic [Ring-1:0] got_oh;
  logic [Ring-1:0] head_oh;
  assign put   = state_q == Bck ? rv_v_i : req;
  assign got   = state_q == Bck ? rv_v_i : state_q == Rst && ms_v_i;
  assign got_e = state_q == Bck ? put_q : ms_e_i;
  for (genvar e = 0; e < Ring; e++) begin : gen_entry
    assign got_oh[e]  = got_e == 3'(e);
    assign head_oh[e] = head_q == 3'(e);
  end

  logic             ready;                        // the oldest entry has its value
  logic [24:0]      line;                         // registers from the stack's first free address on
  logic [31:0]      addr;
  logic [DataW-1:0] oldest;
  assign ready  = |(fill_q & head_oh);
  assign line   = state_q == Bck ? 25'(wr_q) : 25'(req_q) - 25'(nreg_q);
  assign addr   = {bp_q[31:7] + line, bp_q[6:0]};
  always_comb begin
    oldest = '0;
    for (int e = 0; e < Ring; e++) oldest = oldest | (buf_q[e] & {DataW{head_oh[e]}});
  end

  // ---- the engine
  logic serve;                                    // the end of a CTA is dealt with
  assign serve = state_q == Idle && !sreq_q && finp_q != '0;
  always_comb begin
    state_d = state_q;
    after_d = after_q;
    case (state_q)
      Idle: begin
        if (sreq_q) begin
          state_d = Syn;
          after_d = first_q ? Thr : Idle;
        end else if (finp_q != '0) state_d = top_v ? R1 : Lnew;
        else if (tick_o && policy_q == PolicyRun) state_d = up ? Thr : down ? Act : Idle;
      end
      Syn:  if (hack_i) state_d = after_q;
      Thr:  state_d = gen_max[IdW].many[0] ? Hlt : Idle;
      Hlt:  state_d = Qui;
      Qui: begin
        if (finp_q[v_q[IdW-1:0]]) state_d = Idle;
        else if (quies_i[v_q[IdW-1:0]]) state_d = Bck;
      end
      Bck:  if (done) state_d = Bfin;
      Bfin: state_d = Lrn;
      Lrn: begin
        state_d = Syn;
        after_d = Idle;
      end
      Act:  state_d = Act2;
      Act2: begin
        state_d = top_v ? R1 : fits ? Syn : Idle;
        after_d = Lnew;
      end
      R1: begin
        state_d = Syn;
        after_d = Rst;
      end
      Rst:  if (done) state_d = Rfin;
      default: state_d = Idle;                    // lnew, rfin
    endcase
  end

  // ---- registers, one CTA after the other
  for (genvar i = 0; i < NumCta; i++) begin : gen_cta
    logic mine;                                   // the victim or Top
    logic lau;
    logic ended;
    assign mine  = v_q == 5'(i);
    assign lau   = lau_v_i && lau_id_i == 5'(i);
    assign ended = serve && fin_oh[i];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        occ_q[i]  <= 1'b0;
        act_q[i]  <= 1'b0;
        c_q[i]    <= 1'b0;
        finp_q[i] <= 1'b0;
        frn_q[i]  <= '0;
        ba_q[i]   <= '0;
      end else if (kstart_i) begin
        occ_q[i]  <= 1'b0;
        act_q[i]  <= 1'b0;
        c_q[i]    <= 1'b0;
        finp_q[i] <= 1'b0;
        frn_q[i]  <= '0;
        ba_q[i]   <= '0;
      end else begin
        finp_q[i] <= (finp_q[i] && !ended) || (fin_v_i && fin_id_i == 5'(i));
        if (lau) occ_q[i] <= 1'b1;
        else if (ended) occ_q[i] <= 1'b0;
        if (lau || (state_q == R1 && mine)) act_q[i] <= 1'b1;
        else if (ended || (state_q == Thr && gen_max[IdW].many[0] && gen_max[IdW].id == IdW'(i))) act_q[i] <= 1'b0;
        if (lau || (state_q == Rfin && mine)) c_q[i] <= 1'b0;
        else if (state_q == Bfin && mine) c_q[i] <= 1'b1;
        if (lau) frn_q[i] <= lau_frn_i;
        else if (state_q == Bfin && mine) frn_q[i] <= '1;
        else if (state_q == Rfin && mine) frn_q[i] <= t_q;
        if (state_q == Bfin && mine) ba_q[i] <= bp_q;
      end
    end
  end

  // ---- registers of the launch, the windows and the engine
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      policy_q <= PolicyWait;
      sreq_q   <= 1'b0;
      first_q  <= 1'b0;
      cyc_q    <= '0;
      ins_q    <= '0;
      cur_q    <= '0;
      prev_q   <= '0;
      nreg_q   <= '0;
      bp_q     <= '0;
      top_q    <= '0;
      lrn_q    <= '0;
      t_q      <= '0;
      state_q  <= Idle;
      after_q  <= Idle;
      v_q      <= '0;
      from_q   <= '0;
    end else begin
      if (kstart_i && !k_keep_i) begin
        policy_q <= PolicyWait;
        first_q  <= 1'b0;
        cyc_q    <= '0;
        ins_q    <= '0;
        cur_q    <= '0;
        prev_q   <= '0;
      end else begin
        policy_q <= policy_d;
        first_q  <= first_d;
        cyc_q    <= tick_o ? '0 : cyc_q + 32'd1;
        ins_q    <= tick_o ? '0 : ins;
        if (tick_o) begin
          cur_q  <= ins;
          prev_q <= cur_q;
        end
      end
      if (kstart_i) begin
        sreq_q  <= k_keep_i && policy_d != PolicyWait;
        nreg_q  <= k_nreg_i;
        bp_q    <= k_bp_i;
        top_q   <= k_top_i;
        lrn_q   <= '0;
        t_q     <= '0;
        state_q <= Idle;
      end else begin
        sreq_q  <= (sreq_q && state_q != Idle) || asked;
        state_q <= state_d;
        lrn_q   <= lrn_d;
        if (state_q == Bfin) bp_q[31:7] <= bp_q[31:7] + 25'(nreg_q);
        if (state_q == Rfin) bp_q <= stack;
        if (serve) t_q <= fin_frn;
        if (state_q == Act2) t_q <= new_t[10:0];
      end
      after_q <= after_d;
      if (state_q == Thr) begin
        v_q    <= 5'(gen_max[IdW].id);
        from_q <= max_frn;
      end
      if (state_q == Idle || state_q == Act2) v_q <= 5'(top_idx);
    end
  end

  // ---- registers of the buffer
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_q <= '0;
      head_q <= '0;
      put_q  <= '0;
      req_q  <= '0;
      wr_q   <= '0;
    end else if (!busy) begin
      fill_q <= '0;
      head_q <= '0;
      put_q  <= '0;
      req_q  <= '0;
      wr_q   <= '0;
    end else begin
      fill_q <= (fill_q & ~(wr ? head_oh : '0)) | (got ? got_oh : '0);
      if (wr) head_q <= head_q == 3'(Ring - 1) ? '0 : head_q + 3'd1;
      if (put) put_q <= put_q == 3'(Ring - 1) ? '0 : put_q + 3'd1;
      req_q <= req_q + 11'(req);
      wr_q  <= wr_q + 11'(wr);
    end
  end

  // not reset: fill_q gates them
  for (genvar e = 0; e < Ring; e++) begin : gen_buf
    always_ff @(posedge clk_i) if (got && got_oh[e]) buf_q[e] <= state_q == Bck ? rv_d_i : ms_d_i;
  end

  // prev_q is read by nobody: a decision is made in the cycle of the shift
  logic unused;
  assign unused = &{prev_q, rise[35:0], fall[35:0], top_oh, gen_max[IdW].some, new_t[11]};

  // ---- outputs
  assign hold_o     = state_q == Syn;
  assign lrn_o      = lrn_q;
  assign halt_v_o   = state_q == Hlt;
  assign halt_id_o  = halt_v_o ? v_q : '0;
  assign lnew_v_o   = state_q == Lnew;
  assign lnew_frn_o = lnew_v_o ? t_q : '0;
  assign run_v_o    = state_q == Rfin;
  assign run_id_o   = run_v_o ? v_q : '0;
  assign run_frn_o  = run_v_o ? t_q : '0;
  assign rr_v_o     = state_q == Bck && more;
  assign rr_rn_o    = rr_v_o ? from_q + req_q : '0;
  assign rw_v_o     = state_q == Rst && ready;
  assign rw_rn_o    = rw_v_o ? t_q + wr_q : '0;
  assign rw_d_o     = rw_v_o ? oldest : '0;
  assign mw_v_o     = state_q == Bck && ready;
  assign mw_a_o     = mw_v_o ? addr : '0;
  assign mw_d_o     = mw_v_o ? oldest : '0;
  assign mq_v_o     = state_q == Rst && more;
  assign mq_a_o     = mq_v_o ? addr : '0;
  assign mq_e_o     = mq_v_o ? put_q : '0;

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
  logic f_thr;                                    // a throttle has its victim, whose registers are where they were
  logic f_back;                                   // a restore has its range
  logic f_new;                                    // a CTA is to begin
  assign f_thr  = state_q == Hlt || state_q == Qui || state_q == Bck || state_q == Bfin;
  assign f_back = (state_q == Syn && after_q == Rst) || state_q == Rst || state_q == Rfin;
  assign f_new  = (state_q == Syn && after_q == Lnew) || state_q == Lnew;

  // windows: tick in the last cycle, decisions by the counts after the shift; the sums in as few bits as hold them
  localparam int CountW = $clog2(127 * Period + 1);
  localparam int SumW = CountW + 4;
  `ASSERT_ALWAYS begin
    assert (cyc_q < 32'(Period) && tick_o == (cyc_q == 32'(Period - 1)));
    assert (40'(ins_q) <= 40'd127 * 40'(cyc_q));
    assert (40'(cur_q) <= 40'd127 * 40'(Period) && 40'(prev_q) <= 40'd127 * 40'(Period));
    assert ((ins >> CountW) == '0 && (cur_q >> CountW) == '0);
    assert (up == (SumW'(10) * SumW'(ins) > SumW'(11) * SumW'(cur_q)));
    assert (down == (SumW'(10) * SumW'(ins) < SumW'(9) * SumW'(cur_q)));
  end

  // 1: the stack: its first address, and how many backups lie below each CTA's
  logic [31:0] f_first_q;
  localparam int DepW = $clog2(NumCta + 1);
  logic [DepW-1:0] f_n_q;
  logic [DepW-1:0] f_dep_q [NumCta];
  logic [DepW-1:0] f_ones;
  always_comb begin
    f_ones = '0;
    for (int i = 0; i < NumCta; i++) f_ones = f_ones + DepW'(c_q[i]);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_first_q <= '0;
      f_n_q     <= '0;
    end else if (kstart_i) begin
      f_first_q <= k_bp_i;
      f_n_q     <= '0;
    end else if (state_q == Bfin) f_n_q <= f_n_q + DepW'(1);
    else if (state_q == Rfin) f_n_q <= f_n_q - DepW'(1);
  end
  function automatic logic [31:0] f_at(input logic [DepW-1:0] n);
    f_at = f_first_q;
    for (int k = 0; k < DepW; k++) begin
      if (n[k]) f_at[31:7] = f_at[31:7] + (25'(nreg_q) << k);
    end
  endfunction
  for (genvar i = 0; i < NumCta; i++) begin : gen_f_dep
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_dep_q[i] <= '0;
      else if (state_q == Bfin && v_q == 5'(i)) f_dep_q[i] <= f_n_q;
    end
  end
  `ASSERT_ALWAYS begin
    assert (f_n_q == f_ones && 32'(f_n_q) <= NumCta);
    assert (bp_q == f_at(f_n_q));
    assert (top_v == (c_q != '0));
    assert (is_top == top_oh);
    if (state_q == R1 || f_back) assert (c_q[v_q[IdW-1:0]] && top_idx == v_q[IdW-1:0]);
  end

  // 2: one symbolic pair of CTAs; the ends in 12 bits
  `ASSERT_ANY(f_i, IdW)
  `ASSERT_ANY(f_j, IdW)
  logic [11:0] f_end_i;
  logic [11:0] f_end_j;
  logic [11:0] f_end_t;
  assign f_end_i = 12'(frn_q[f_i]) + 12'(nreg_q) - 12'd1;
  assign f_end_j = 12'(frn_q[f_j]) + 12'(nreg_q) - 12'd1;
  assign f_end_t = 12'(t_q) + 12'(nreg_q) - 12'd1;
  `ASSERT_ALWAYS begin
    if (held[f_i]) begin
      assert (f_end_i <= 12'(lrn_q) && f_end_i <= 12'(top_q));
      if (held[f_j] && f_i != f_j) assert (f_end_i < 12'(frn_q[f_j]) || f_end_j < 12'(frn_q[f_i]));
      if (state_q == R1 || f_back || f_new) assert (f_end_i < 12'(t_q) || f_end_t < 12'(frn_q[f_i]));
    end
    if (c_q[f_i]) assert (frn_q[f_i] == '1 && ba_q[f_i] == f_at(f_dep_q[f_i]) && f_dep_q[f_i] < f_n_q);
    if (c_q[f_i] && c_q[f_j] && f_i != f_j) assert (f_dep_q[f_i] != f_dep_q[f_j]);
    if (state_q == R1 || f_back || f_new) assert (f_end_t <= 12'(top_q));
    if (f_back || f_new) assert (f_end_t <= 12'(lrn_q));
    // how a CTA can be: it holds registers, or it is in memory; the victim of a throttle that was given up has ended
    if (act_q[f_i] || c_q[f_i] || finp_q[f_i]) assert (occ_q[f_i]);
    if (c_q[f_i]) assert (!finp_q[f_i] && act_q[f_i] == (f_back && v_q == 5'(f_i)));
    if (held[f_i] && !act_q[f_i]) assert (finp_q[f_i] || (f_thr && v_q == 5'(f_i)));
  end

  // 3: the victim is the largest of those that may issue, and not the only one
  `ASSERT_ALWAYS begin
    assert (32'(v_q) < NumCta);
    if (state_q == Hlt) assert (act_q != '0);
    if (f_thr) begin
      assert (held[v_q[IdW-1:0]] && !act_q[v_q[IdW-1:0]] && from_q == frn_q[v_q[IdW-1:0]]);
      if (act_q[f_i]) assert (f_end_i < 12'(from_q));
      if (state_q == Bck || state_q == Bfin) assert (!finp_q[v_q[IdW-1:0]]);
    end
    if (state_q == Act || state_q == Act2) assert (held == act_q);
    assert (state_q <= Rfin && policy_q <= PolicyOff);
    if (policy_q == PolicyWait) assert (!sreq_q);
    if (state_q == Thr || f_thr || state_q == Lrn || (state_q == Syn && after_q == Thr))
      assert (policy_q == PolicyRun && !sreq_q);
  end

  // 6: the throttle that follows the selection is on its way, and syn leads to no other
  `ASSERT_ALWAYS begin
    if (first_q) assert (policy_q == PolicyRun && (sreq_q || (state_q == Syn && after_q == Thr) || state_q == Thr));
    if (state_q == Syn && after_q == Thr) assert (first_q);
  end

  // the buffer: entries in rotation from head_q on, as many as were requested (backup: have come) and not written
  logic [10:0]     f_come_q;                      // values that have come in a backup
  logic [Ring-1:0] f_wait_q;                      // entries that wait for memory
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_come_q <= '0;
    else if (state_q != Bck) f_come_q <= '0;
    else f_come_q <= f_come_q + 11'(rv_v_i);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_wait_q <= '0;
    else if (state_q != Rst) f_wait_q <= '0;
    else f_wait_q <= (f_wait_q & ~(ms_v_i ? got_oh : '0)) | (req ? Ring'(1) << put_q : '0);
  end
  logic [10:0] f_used;
  assign f_used = (state_q == Bck ? f_come_q : req_q) - wr_q;
  function automatic logic [3:0] f_place(input logic [2:0] e);  // of an entry, from the oldest on
    f_place = e >= head_q ? 4'(e) - 4'(head_q) : 4'(e) + 4'(Ring) - 4'(head_q);
  endfunction
  `ASSERT_ALWAYS begin
    assert (32'(head_q) < Ring && 32'(put_q) < Ring);
    if (busy) begin
      assert (nreg_q != '0 && wr_q < nreg_q && wr_q <= req_q && req_q <= nreg_q && req_q - wr_q <= 11'(Ring));
      assert (put_q == head_q ? f_used == '0 || 32'(f_used) == Ring : 11'(f_place(put_q)) == f_used);
      for (int e = 0; e < Ring; e++) begin
        assert (fill_q[e] == (11'(f_place(3'(e))) < f_used && (state_q == Bck || !f_wait_q[e])));
        if (f_wait_q[e]) assert (11'(f_place(3'(e))) < f_used);
      end
      if (state_q == Bck) assert (wr_q <= f_come_q && f_come_q <= req_q);
    end else if (state_q != Bfin && state_q != Rfin) begin
      assert (req_q == '0 && wr_q == '0 && head_q == '0 && put_q == '0 && fill_q == '0);
    end
    if (state_q != Bck && state_q != Bfin) assert (f_come_q == '0);
    if (state_q != Rst && state_q != Rfin) assert (f_wait_q == '0);
  end

  // requests stay until accepted; 5: hold stays until hack
  logic             f_rr_q, f_mw_q, f_mq_q, f_rw_q, f_hold_q;
  logic [10:0]      f_rn_q;
  logic [31:0]      f_a_q;
  logic [2:0]       f_e_q;
  logic [DataW-1:0] f_d_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_rr_q   <= 1'b0;
      f_mw_q   <= 1'b0;
      f_mq_q   <= 1'b0;
      f_rw_q   <= 1'b0;
      f_hold_q <= 1'b0;
    end else begin
      f_rr_q   <= rr_v_o && !rr_rdy_i;
      f_mw_q   <= mw_v_o && !mw_rdy_i;
      f_mq_q   <= mq_v_o && !mq_rdy_i;
      f_rw_q   <= rw_v_o && !rw_rdy_i;
      f_hold_q <= hold_o && !hack_i && !kstart_i;
    end
  end
  always_ff @(posedge clk_i) begin
    f_rn_q <= rr_rn_o | rw_rn_o;
    f_a_q  <= mw_a_o | mq_a_o;
    f_e_q  <= mq_e_o;
    f_d_q  <= mw_d_o | rw_d_o;
  end
  `ASSERT_ALWAYS begin
    if (f_rr_q) assert (rr_v_o && rr_rn_o == f_rn_q);
    if (f_mw_q) assert (mw_v_o && mw_a_o == f_a_q && mw_d_o == f_d_q);
    if (f_mq_q) assert (mq_v_o && mq_a_o == f_a_q && mq_e_o == f_e_q);
    if (f_rw_q) assert (rw_v_o && rw_rn_o == f_rn_q && rw_d_o == f_d_q);
    if (f_hold_q) assert (hold_o);
  end

  // 4: one symbolic register of CTA f_i: what was read is written to its place in memory; what comes from there, to its
  // place in the new range
  `ASSERT_ANY(f_r, 11)
  logic             f_mine;
  logic             f_in_q;                       // its value is in the buffer,
  logic             f_ask_q;                      // or asked for,
  logic [2:0]       f_e_at_q;                     // in this entry
  logic [DataW-1:0] f_val_q;
  assign f_mine = v_q == 5'(f_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_in_q  <= 1'b0;
      f_ask_q <= 1'b0;
    end else begin
      if (state_q == Bck && rv_v_i && f_mine && f_come_q == f_r) f_in_q <= 1'b1;
      if (state_q == Rst && ms_v_i && f_ask_q && ms_e_i == f_e_at_q) f_in_q <= 1'b1;
      if (wr && f_mine && wr_q == f_r) f_in_q <= 1'b0;
      if (state_q == Rst && req && f_mine && req_q == f_r) f_ask_q <= 1'b1;
      else if (ms_v_i && ms_e_i == f_e_at_q) f_ask_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Bck && rv_v_i && f_mine && f_come_q == f_r) begin
      f_val_q  <= rv_d_i;
      f_e_at_q <= put_q;
    end
    if (state_q == Rst && req && f_mine && req_q == f_r) f_e_at_q <= put_q;
`ifndef FORMAL
    // simulation: memory may give any value
    if (state_q == Rst && ms_v_i && f_ask_q && ms_e_i == f_e_at_q) f_val_q <= ms_d_i;
`endif
  end
  `ASSERT_ALWAYS begin
    if (f_in_q || f_ask_q) begin
      assert (busy && f_mine && 32'(f_e_at_q) < Ring && wr_q <= f_r && 11'(f_place(f_e_at_q)) == f_r - wr_q);
      assert (f_in_q != f_ask_q && f_r < (state_q == Bck ? f_come_q : req_q));
    end
    for (int e = 0; e < Ring; e++) begin
      if (f_in_q && f_e_at_q == 3'(e)) assert (fill_q[e] && buf_q[e] == f_val_q);
      if (f_ask_q && f_e_at_q == 3'(e)) assert (state_q == Rst && f_wait_q[e]);
    end
    if (busy && f_mine && f_r >= wr_q && f_r < (state_q == Bck ? f_come_q : req_q)) assert (f_in_q || f_ask_q);
    if (rr_v_o && f_mine && req_q == f_r) assert (rr_rn_o == frn_q[f_i] + f_r);
    if (mw_v_o && f_mine && wr_q == f_r) assert (mw_d_o == f_val_q && mw_a_o == bp_q + {14'd0, f_r, 7'd0});
    if (mq_v_o && f_mine && req_q == f_r) assert (mq_a_o == ba_q[f_i] + {14'd0, f_r, 7'd0});
    if (rw_v_o && f_mine && wr_q == f_r) assert (rw_d_o == f_val_q && rw_rn_o == t_q + f_r);
  end

`ifdef FORMAL
  initial assume (!rst_ni);

  // assumptions on the inputs; a launch begins before the engine first leaves idle and syn
  logic        f_begin_q;
  logic        f_begin;
  logic [11:0] f_end_lau;
  assign f_begin   = f_begin_q && (state_q == Idle || state_q == Syn);
  assign f_end_lau = 12'(lau_frn_i) + 12'(nreg_q) - 12'd1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_begin_q <= 1'b0;
    else f_begin_q <= kstart_i || f_begin;
  end
  always_comb begin
    if (kstart_i) assume (k_nreg_i != '0 && !busy);
    if (lau_v_i) begin
      assume (32'(lau_id_i) < NumCta && !occ_q[lau_id_i[IdW-1:0]]);
      assume (lnew_v_o ? lau_frn_i == t_q : f_begin && f_end_lau <= 12'(top_q));
      for (int i = 0; i < NumCta; i++) begin
        if (f_begin && held[i])
          assume (f_end_lau < 12'(frn_q[i]) || 12'(frn_q[i]) + 12'(nreg_q) - 12'd1 < 12'(lau_frn_i));
      end
    end
    if (fin_v_i) begin
      assume (32'(fin_id_i) < NumCta && held[fin_id_i[IdW-1:0]] && !finp_q[fin_id_i[IdW-1:0]]);
      if (fin_id_i == v_q) assume (state_q != Bck && state_q != Bfin && !(state_q == Qui && quies_i[v_q[IdW-1:0]]));
    end
    if (rv_v_i) assume (state_q == Bck && f_come_q != req_q);
    if (ms_v_i) assume (state_q == Rst && 32'(ms_e_i) < Ring && f_wait_q[ms_e_i]);
    if (ms_v_i && f_ask_q && ms_e_i == f_e_at_q) assume (ms_d_i == f_val_q);
    assume (32'(f_i) < NumCta && 32'(f_j) < NumCta);
  end

  logic [10:0] f_old_q [NumCta];

  // small numbers, if a proof asks for them
  localparam int StackW = (AddrW > RegW + IdW + 7 ? AddrW : RegW + IdW + 7) + 1;
  always_comb begin
    if (kstart_i) assume (k_nreg_i >> RegW == '0 && k_top_i >> RegW == '0 && k_bp_i >> AddrW == '0);
    assert ((nreg_q | top_q | lrn_q | from_q | req_q | wr_q | f_come_q) >> RegW == '0 && t_q >> (RegW + 1) == '0);
    assert (f_first_q >> AddrW == '0 && bp_q >> StackW == '0);
  end
  for (genvar i = 0; i < NumCta; i++) begin : gen_f_small
    always_comb begin
      assert (ba_q[i] >> StackW == '0);
      if (!c_q[i]) assert (frn_q[i] >> RegW == '0);
      else assert (frn_q[i] == '1 && f_old_q[i] >> RegW == '0);
    end
  end

  // all pairs, as the induction needs them. A CTA in memory had its registers above those of all that hold some and of those that
  // were throttled after it; except that a CTA whose throttle was given up may lie above the last victim until its end is dealt with.
  logic [11:0] f_end [NumCta];
  logic        f_odd;
  assign f_odd = policy_q == PolicyRun && !sreq_q
              && (state_q == Lrn || state_q == Idle || state_q == R1 || f_back || (state_q == Syn && after_q == Idle));
  for (genvar i = 0; i < NumCta; i++) begin : gen_f_cta
    always_ff @(posedge clk_i) if (state_q == Bfin && v_q == 5'(i)) f_old_q[i] <= from_q;
    assign f_end[i] = 12'(frn_q[i]) + 12'(nreg_q) - 12'd1;
    always_comb begin
      if (held[i]) begin
        assert (f_end[i] <= 12'(lrn_q) && f_end[i] <= 12'(top_q));
        if (state_q == R1 || f_back || f_new) assert (f_end[i] < 12'(t_q) || f_end_t < 12'(frn_q[i]));
        if (!act_q[i]) assert (finp_q[i] || (f_thr && v_q == 5'(i)));
      end
      if (act_q[i] || c_q[i] || finp_q[i]) assert (occ_q[i]);
      if (f_thr && act_q[i]) assert (f_end[i] < 12'(from_q));
      if (c_q[i]) begin
        assert (!f_begin_q || !f_begin);
        assert (!finp_q[i] && act_q[i] == (f_back && v_q == 5'(i)));
        assert (ba_q[i] == f_at(f_dep_q[i]) && f_dep_q[i] < f_n_q);
        assert (12'(f_old_q[i]) + 12'(nreg_q) - 12'd1 <= 12'(top_q));
        if ((state_q == R1 || f_back) && v_q != 5'(i)) assert (f_end_t < 12'(f_old_q[i]));
        if (state_q == Act2 && held != '0) assert (lrn_q < f_old_q[i]);
      end
    end
    for (genvar j = 0; j < NumCta; j++) begin : gen_f_pair
      if (i != j) begin : gen_f_two
        always_comb begin
          if (held[i] && held[j]) assert (f_end[i] < 12'(frn_q[j]) || f_end[j] < 12'(frn_q[i]));
          if (c_q[i] && c_q[j]) begin
            assert (f_dep_q[i] != f_dep_q[j]);
            if (f_dep_q[i] > f_dep_q[j]) assert (12'(f_old_q[i]) + 12'(nreg_q) - 12'd1 < 12'(f_old_q[j]));
          end
          if (c_q[i] && held[j])
            assert (f_end[j] < 12'(f_old_q[i]) || (f_odd && f_dep_q[i] == f_n_q - DepW'(1) && finp_q[j] && !act_q[j]));
        end
      end
    end
  end
  always_comb begin
    if (c_q != '0 || (state_q == Syn && (after_q == Lnew || after_q == Rst))) assert (!f_begin_q || !f_begin);
    if (state_q == Syn) assert (after_q == Idle || after_q == Thr || after_q == Lnew || after_q == Rst);
    if (f_new) assert (c_q == '0);
    if (occ_q != '0 || f_new || f_begin_q) assert (nreg_q != '0);
  end

  always_comb begin
    cover (rst_ni && run_v_o);
    cover (rst_ni && lnew_v_o && lau_v_i && t_q != '0);
    cover (rst_ni && state_q == Qui && finp_q[v_q[IdW-1:0]]);
    cover (rst_ni && rw_v_o && rw_rn_o == 11'd3 && wr_q == 11'd1);
  end
`endif
`endif
endmodule
