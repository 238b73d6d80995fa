// SPDX-License-Identifier: Apache-2.0
// csw: CTA switch policy: which CTA leaves, which one comes, and in which steps.
// C twin: cmodel/blocks/finereg/csw.c
// One sequence at a time, one step after the other. NumCta is a power of two, at least 2.
module csw #(
  parameter int NumCta = 128
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // from and to the SM
  input  logic [NumCta-1:0] stalled_i,
  input  logic              new_ok_i,
  input  logic              slot_ok_i,
  input  logic              pipe_ok_i,
  input  logic [5:0]        k_nw_i,
  input  logic              fin_v_i,
  input  logic [6:0]        fin_cta_i,
  output logic              fin_rdy_o,
  // status monitor: the next CTA of each class
  input  logic              p12_v_i,
  input  logic [6:0]        p12_id_i,
  input  logic              p11_v_i,
  input  logic [6:0]        p11_id_i,
  input  logic              new_v_i,
  input  logic [6:0]        new_id_i,
  output logic              take12_o,
  output logic              take11_o,
  // status monitor: statuses to set, [2] ports
  output logic [1:0]        set_v_o,
  output logic [13:0]       set_cta_o,
  output logic [3:0]        set_ctx_o,
  output logic [3:0]        set_reg_o,
  // register management engine
  output logic              c_v_o,
  output logic [1:0]        c_op_o,
  output logic [6:0]        c_a_o,
  output logic [6:0]        c_b_o,
  output logic [5:0]        c_nw_o,
  input  logic              c_rdy_i,
  input  logic              done_v_i,
  input  logic              done_ok_i,
  // context moves
  output logic              x_v_o,
  output logic              x_in_o,
  output logic [6:0]        x_cta_o,
  input  logic              x_done_i,
  // to issue: the frozen CTA
  output logic              freeze_v_o,
  output logic [6:0]        freeze_a_o,
`ifdef FORMAL
  output logic [2:0]        f_state_o,
  output logic [3:0]        f_case_o,
  output logic [6:0]        f_a_o,
  output logic [6:0]        f_b_o,
`endif
  output logic              launch_v_o,
  output logic [6:0]        launch_cta_o
);
  localparam int CtaW = $clog2(NumCta);
`include "csw_enum.svh"

  logic [2:0]        state_q, state_d;
  logic [6:0]        a_q, a_d;
  logic [6:0]        b_q, b_d;
  logic [3:0]        t4_q;
  logic [5:0]        nw_q, nw_d;
  logic              stall_q, stall_d;            // the sequence began at a stall: A leaves
  logic              fin_q, fin_d;                // it began at an end: no B
  logic              launch_q, launch_d;          // B is launched, not resumed
  logic              away_q, away_d;              // A's registers go to the PCRF
  logic [NumCta-1:0] pend_q, pend_d;
  logic [NumCta-1:0] stalled_q;

  // stalled CTAs that are due to be examined
  logic [NumCta-1:0] look;
  logic [NumCta-1:0] first;
  logic [CtaW-1:0]   first_idx;
  assign look = pend_q & stalled_i;
  first_one #(.N(NumCta)) u_look (.x_i(look), .oh_o(first), .idx_o(first_idx));

  logic stays;                                    // A is still stalled
  assign stays = state_q == Eval4 || stalled_i[a_q[CtaW-1:0]];

  always_comb begin
    state_d  = state_q;
    a_d      = a_q;
    b_d      = b_q;
    nw_d     = nw_q;
    stall_d  = stall_q;
    fin_d    = fin_q;
    launch_d = launch_q;
    away_d   = away_q;
    pend_d   = stalled_i & (pend_q | ~stalled_q | {NumCta{t4_q == 4'd15}});
    take12_o = 1'b0;
    take11_o = 1'b0;

    case (state_q)
      Idle: begin
        stall_d  = 1'b0;
        fin_d    = 1'b0;
        launch_d = 1'b0;
        nw_d     = k_nw_i;
        if (fin_v_i) begin
          a_d     = fin_cta_i;
          fin_d   = 1'b1;
          state_d = Set;
        end else if (pipe_ok_i && p12_v_i) begin
          b_d      = p12_id_i;
          take12_o = 1'b1;
          state_d  = In;
        end else if (pipe_ok_i && slot_ok_i && p11_v_i) begin
          b_d      = p11_id_i;
          take11_o = 1'b1;
          state_d  = Rm;
        end else if (pipe_ok_i && slot_ok_i && new_v_i && new_ok_i) begin
          b_d      = new_id_i;
          launch_d = 1'b1;
          state_d  = Set;
        end else if (look != '0) begin
          a_d     = 7'(first_idx);
          stall_d = 1'b1;
          pend_d  = pend_d & ~first;
          state_d = Eval;
        end
      end

      Eval, Eval4: begin
        launch_d = 1'b0;
        away_d   = 1'b0;
        nw_d     = k_nw_i;
        state_d  = Idle;
        if (stays) begin
          if (state_q == Eval && p12_v_i) begin
            b_d      = p12_id_i;
            take12_o = 1'b1;
            state_d  = Out;
          end else if (state_q == Eval && new_v_i && new_ok_i) begin
            b_d      = new_id_i;
            launch_d = 1'b1;
            away_d   = !slot_ok_i;
            state_d  = slot_ok_i ? Out : Rm;
          end else if (p11_v_i) begin
            b_d      = p11_id_i;
            take11_o = 1'b1;
            away_d   = 1'b1;
            state_d  = Rm;
          end
        end
      end

      Rm: if (c_rdy_i) state_d = Wait;

      // only a spill or a swap can be refused
      Wait: begin
        if (done_v_i) begin
          if (!stall_q) state_d = In;
          else if (done_ok_i) state_d = Out;
          else state_d = launch_q ? Eval4 : Idle;
        end
      end

      Out: if (x_done_i) state_d = launch_q ? Set : In;
      In:  if (x_done_i) state_d = Set;
      default: state_d = Idle;                    // set
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      a_q       <= '0;
      b_q       <= '0;
      t4_q      <= '0;
      nw_q      <= '0;
      stall_q   <= 1'b0;
      fin_q     <= 1'b0;
      launch_q  <= 1'b0;
      away_q    <= 1'b0;
      pend_q    <= '0;
      stalled_q <= '0;
    end else begin
      state_q   <= state_d;
      a_q       <= a_d;
      b_q       <= b_d;
      t4_q      <= t4_q + 4'd1;
      nw_q      <= nw_d;
      stall_q   <= stall_d;
      fin_q     <= fin_d;
      launch_q  <= launch_d;
      away_q    <= away_d;
      pend_q    <= pend_d;
      stalled_q <= stalled_i;
    end
  end

  logic setting;
  logic set_a;
  logic set_b;
  assign setting   = state_q == Set;
  assign set_a     = setting && (stall_q || fin_q);
  assign set_b     = setting && !fin_q;
  assign set_v_o   = {set_b, set_a};
  assign set_cta_o = {set_b ? b_q : 7'd0, set_a ? a_q : 7'd0};
  assign set_ctx_o = {set_b ? 2'd2 : 2'd0, set_a && stall_q ? 2'd1 : 2'd0};
  assign set_reg_o = {set_b ? 2'd2 : 2'd0, set_a && stall_q ? (away_q ? 2'd1 : 2'd2) : 2'd0};

  logic [1:0] op;
  assign op     = !stall_q ? OpRestore : launch_q ? OpSpill : OpSwap;
  assign c_v_o  = state_q == Rm;
  assign c_op_o = c_v_o ? op : 2'd0;
  assign c_a_o  = c_v_o && op != OpRestore ? a_q : 7'd0;
  assign c_b_o  = c_v_o && op != OpSpill ? b_q : 7'd0;
  assign c_nw_o = c_v_o ? nw_q : 6'd0;

  assign x_v_o   = state_q == Out || state_q == In;
  assign x_in_o  = state_q == In;
  assign x_cta_o = state_q == Out ? a_q : state_q == In ? b_q : 7'd0;

  assign fin_rdy_o    = state_q == Idle;
  assign freeze_v_o   = state_q != Idle && stall_q;
  assign freeze_a_o   = freeze_v_o ? a_q : 7'd0;
  assign launch_v_o   = setting && launch_q;
  assign launch_cta_o = launch_v_o ? b_q : 7'd0;

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);

  // assumptions on the inputs: ids are in range, B is not stalled, A stays stalled
  always_comb begin
    assume (32'(p12_id_i) < NumCta && 32'(p11_id_i) < NumCta && 32'(new_id_i) < NumCta);
    if (fin_v_i) assume (32'(fin_cta_i) < NumCta);
    if (p12_v_i) assume (!stalled_i[p12_id_i[CtaW-1:0]]);
    if (p11_v_i) assume (!stalled_i[p11_id_i[CtaW-1:0]]);
    if (new_v_i) assume (!stalled_i[new_id_i[CtaW-1:0]]);
    if (freeze_v_o && state_q != Eval) assume (stalled_i[a_q[CtaW-1:0]]);
    if (done_v_i) assume (state_q == Wait);
    if (x_done_i) assume (state_q == Out || state_q == In);
  end
`endif

  // the page's rules and cases: 1 to 4 as numbered in idle, 5 to 8 the cases 1 to 4 of eval
  logic [3:0] f_pick;
  logic       f_new;
  always_comb begin
    f_pick = 4'd0;
    f_new  = new_v_i && new_ok_i;
    if (state_q == Idle) begin
      if (fin_v_i) f_pick = 4'd1;
      else if (pipe_ok_i && p12_v_i) f_pick = 4'd2;
      else if (pipe_ok_i && slot_ok_i && p11_v_i) f_pick = 4'd3;
      else if (pipe_ok_i && slot_ok_i && f_new) f_pick = 4'd4;
    end
    if (state_q == Eval && stalled_i[a_q[CtaW-1:0]]) begin
      if (p12_v_i) f_pick = 4'd5;
      else if (f_new && slot_ok_i) f_pick = 4'd6;
      else if (f_new) f_pick = 4'd7;
      else if (p11_v_i) f_pick = 4'd8;
    end
    if (state_q == Eval4 && p11_v_i) f_pick = 4'd8;
  end
  `ASSERT_ALWAYS begin
    assert (take12_o == (f_pick == 4'd2 || f_pick == 4'd5));
    assert (take11_o == (f_pick == 4'd3 || f_pick == 4'd8));
    if (take12_o) assert (p12_v_i);
    if (take11_o) assert (p11_v_i);
  end

  // the CTA to examine
  logic [NumCta-1:0] f_pend_q;
  logic [NumCta-1:0] f_stalled_q;
  logic [3:0]        f_t_q;
  logic [6:0]        f_first;
  logic              f_look;
  always_comb begin
    f_look  = 1'b0;
    f_first = '0;
    for (int i = NumCta - 1; i >= 0; i--) begin
      if (f_pend_q[i] && stalled_i[i]) begin
        f_look  = 1'b1;
        f_first = 7'(i);
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_pend_q    <= '0;
      f_stalled_q <= '0;
      f_t_q       <= '0;
    end else begin
      f_t_q       <= f_t_q + 4'd1;
      f_stalled_q <= stalled_i;
      for (int i = 0; i < NumCta; i++) begin
        f_pend_q[i] <= stalled_i[i] && (f_pend_q[i] || !f_stalled_q[i] || f_t_q == 4'd15)
                    && !(state_q == Idle && f_pick == 4'd0 && f_look && f_first == 7'(i));
      end
    end
  end
  `ASSERT_ALWAYS assert (pend_q == f_pend_q && stalled_q == f_stalled_q && t4_q == f_t_q);

  // the steps of each case
  logic [3:0] f_case_q;
  logic [2:0] f_state_q;
  logic [2:0] f_next;
  logic [6:0] f_a_q;
  logic [6:0] f_b_q;
  logic [5:0] f_nw_q;
  logic [3:0] f_steps_q;                            // steps since idle
  always_comb begin
    f_next = f_state_q;
    case (f_state_q)
      Idle, Eval, Eval4: begin
        case (f_pick)
          4'd1, 4'd4:       f_next = Set;
          4'd2:             f_next = In;
          4'd3, 4'd7, 4'd8: f_next = Rm;
          4'd5, 4'd6:       f_next = Out;
          default:          f_next = f_state_q == Idle && f_look ? Eval : Idle;
        endcase
      end
      Rm:   if (c_rdy_i) f_next = Wait;
      Wait: if (done_v_i) begin
        if (f_case_q == 4'd3) f_next = In;
        else if (f_case_q == 4'd7) f_next = done_ok_i ? Out : Eval4;
        else f_next = done_ok_i ? Out : Idle;
      end
      Out:  if (x_done_i) f_next = f_case_q == 4'd5 || f_case_q == 4'd8 ? In : Set;
      In:   if (x_done_i) f_next = Set;
      default: f_next = Idle;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_case_q  <= 4'd0;
      f_state_q <= Idle;
      f_a_q     <= '0;
      f_b_q     <= '0;
      f_nw_q    <= '0;
      f_steps_q <= '0;
    end else begin
      f_state_q <= f_next;
      if (f_next == Idle) f_steps_q <= '0;
      else if (f_next != f_state_q) f_steps_q <= f_steps_q + 4'd1;
      if (f_next == Eval || f_next == Eval4) f_case_q <= 4'd0;
      else if (f_pick != 4'd0) f_case_q <= f_pick;
      if (f_pick == 4'd1) f_a_q <= fin_cta_i;
      else if (f_next == Eval) f_a_q <= f_first;
      case (f_pick)
        4'd2, 4'd5:       f_b_q <= p12_id_i;
        4'd3, 4'd8:       f_b_q <= p11_id_i;
        4'd4, 4'd6, 4'd7: f_b_q <= new_id_i;
        default: ;
      endcase
      if (f_pick != 4'd0) f_nw_q <= k_nw_i;
    end
  end

`ifdef FORMAL
  assign f_state_o = f_state_q;
  assign f_case_o  = f_case_q;
  assign f_a_o     = f_a_q;
  assign f_b_o     = f_b_q;
`endif

  logic f_stalled;                                  // the sequence began at a stall
  logic f_launch;
  logic f_set;
  assign f_stalled = f_case_q >= 4'd5 || f_state_q == Eval || f_state_q == Eval4;
  assign f_launch  = f_case_q == 4'd4 || f_case_q == 4'd6 || f_case_q == 4'd7;
  assign f_set     = f_state_q == Set;
  `ASSERT_ALWAYS begin
    assert (state_q == f_state_q && a_q == f_a_q && b_q == f_b_q);
    assert (fin_rdy_o == (f_state_q == Idle));
    // the registers that encode the case
    if (f_state_q != Idle) begin
      assert (stall_q == f_stalled && fin_q == (f_case_q == 4'd1));
      if (f_state_q != Eval && f_state_q != Eval4) begin
        assert (launch_q == f_launch);
        if (stall_q) assert (away_q == (f_case_q >= 4'd7));
      end else assert (f_case_q == 4'd0);
    end
    // the cases in which each step occurs
    if (f_state_q == Rm || f_state_q == Wait) begin
      assert (f_case_q == 4'd3 || f_case_q == 4'd7 || f_case_q == 4'd8);
      assert (nw_q == f_nw_q);
    end
    if (f_state_q == Out) assert (f_case_q >= 4'd5 && f_case_q <= 4'd8);
    if (f_state_q == In)
      assert (f_case_q == 4'd2 || f_case_q == 4'd3 || f_case_q == 4'd5 || f_case_q == 4'd8);
    if (f_set) assert (f_case_q >= 4'd1 && f_case_q <= 4'd8);

    // 1: every sequence ends: nine steps at most, each of which waits only for an answer
    case (f_state_q)
      Idle:    assert (f_steps_q == 4'd0);
      Eval:    assert (f_steps_q == 4'd1);
      Rm:      assert (f_steps_q <= (f_case_q == 4'd7 ? 4'd2 : 4'd5));
      Wait:    assert (f_steps_q <= (f_case_q == 4'd7 ? 4'd3 : 4'd6));
      Eval4:   assert (f_steps_q <= 4'd4);
      Out:     assert (f_steps_q <= 4'd7);
      In:      assert (f_steps_q <= 4'd8);
      default: assert (f_steps_q <= 4'd9);
    endcase

    // 2: statuses: A and B, and never the same CTA twice
    assert (set_v_o == (f_set ? {f_case_q != 4'd1, f_stalled || f_case_q == 4'd1} : 2'd0));
    assert (set_cta_o[6:0] == (set_v_o[0] ? f_a_q : 7'd0));
    assert (set_cta_o[13:7] == (set_v_o[1] ? f_b_q : 7'd0));
    assert (set_ctx_o[3:2] == (set_v_o[1] ? 2'd2 : 2'd0) && set_reg_o[3:2] == set_ctx_o[3:2]);
    if (set_v_o[0] && f_case_q != 4'd1) begin
      assert (set_ctx_o[1:0] == 2'd1);
      assert (set_reg_o[1:0] == (f_case_q >= 4'd7 ? 2'd1 : 2'd2));
    end else assert (set_ctx_o[1:0] == 2'd0 && set_reg_o[1:0] == 2'd0);
`ifdef FORMAL
    // because B is not stalled
    if (f_case_q >= 4'd5 && f_state_q != Idle) assert (f_a_q != f_b_q);
    if (set_v_o == 2'd3) assert (set_cta_o[6:0] != set_cta_o[13:7]);
`endif
    assert (32'(a_q) < NumCta && 32'(b_q) < NumCta);

    // the other outputs, step by step
    assert (c_v_o == (f_state_q == Rm));
    assert (c_op_o == (!c_v_o || f_case_q == 4'd7 ? 2'd0 : f_case_q == 4'd3 ? 2'd1 : 2'd2));
    assert (c_a_o == (c_v_o && f_case_q != 4'd3 ? f_a_q : 7'd0));
    assert (c_b_o == (c_v_o && f_case_q != 4'd7 ? f_b_q : 7'd0));
    assert (c_nw_o == (c_v_o ? f_nw_q : 6'd0));
    assert (x_v_o == (f_state_q == Out || f_state_q == In) && x_in_o == (f_state_q == In));
    assert (x_cta_o == (!x_v_o ? 7'd0 : x_in_o ? f_b_q : f_a_q));
    assert (freeze_v_o == (f_state_q != Idle && f_stalled));
    assert (freeze_a_o == (freeze_v_o ? f_a_q : 7'd0));
    assert (launch_v_o == (f_set && f_launch) && launch_cta_o == (launch_v_o ? f_b_q : 7'd0));
  end

  // 3: a command stays until accepted, a move until done
  logic        f_c_q;
  logic        f_x_q;
  logic [21:0] f_cmd_q;
  logic [7:0]  f_mov_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_c_q <= 1'b0;
      f_x_q <= 1'b0;
    end else begin
      f_c_q <= c_v_o && !c_rdy_i;
      f_x_q <= x_v_o && !x_done_i;
    end
  end
  always_ff @(posedge clk_i) begin
    f_cmd_q <= {c_op_o, c_a_o, c_b_o, c_nw_o};
    f_mov_q <= {x_in_o, x_cta_o};
  end
  `ASSERT_ALWAYS begin
    if (f_c_q) assert (c_v_o && {c_op_o, c_a_o, c_b_o, c_nw_o} == f_cmd_q);
    if (f_x_q) assert (x_v_o && {x_in_o, x_cta_o} == f_mov_q);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && f_steps_q == 4'd9);                        // the bound is reached
    cover (rst_ni && set_v_o == 2'd3 && f_case_q == 4'd5 && set_cta_o[6:0] != 7'd0);
    cover (rst_ni && launch_v_o && f_case_q == 4'd7);
    cover (rst_ni && set_v_o == 2'd2 && f_case_q == 4'd3);
  end
`endif
`endif
endmodule
