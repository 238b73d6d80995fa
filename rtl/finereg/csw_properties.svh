// SPDX-License-Identifier: Apache-2.0
// Properties of csw (docs/blocks/finereg/csw.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);

  // assumptions on the inputs: ids are in range, B is not stalled, A stays stalled
  always_comb begin
    assume (32'(kept_cta_i) < NumCtas && 32'(spilled_cta_i) < NumCtas && 32'(new_cta_i) < NumCtas);
    if (finished_valid_i) assume (32'(finished_cta_i) < NumCtas);
    if (kept_valid_i) assume (!stalled_i[kept_cta_i[CtaW-1:0]]);
    if (spilled_valid_i) assume (!stalled_i[spilled_cta_i[CtaW-1:0]]);
    if (new_valid_i) assume (!stalled_i[new_cta_i[CtaW-1:0]]);
    if (freeze_valid_o && state_q != Examine) assume (stalled_i[outgoing_cta_q[CtaW-1:0]]);
    if (done_valid_i) assume (state_q == Wait);
    if (context_move_done_i) assume (state_q == MoveOut || state_q == MoveIn);
  end
`endif

  // the page's rules and cases: 1 to 4 as numbered in idle, 5 to 8 the cases 1 to 4 of examine
  logic [3:0] f_pick;
  logic       f_new;
  always_comb begin
    f_pick = 4'd0;
    f_new  = new_valid_i && new_fits_i;
    if (state_q == Idle) begin
      if (finished_valid_i) f_pick = 4'd1;
      else if (pipeline_slot_free_i && kept_valid_i) f_pick = 4'd2;
      else if (pipeline_slot_free_i && acrf_slot_free_i && spilled_valid_i) f_pick = 4'd3;
      else if (pipeline_slot_free_i && acrf_slot_free_i && f_new) f_pick = 4'd4;
    end
    if (state_q == Examine && stalled_i[outgoing_cta_q[CtaW-1:0]]) begin
      if (kept_valid_i) f_pick = 4'd5;
      else if (f_new && acrf_slot_free_i) f_pick = 4'd6;
      else if (f_new) f_pick = 4'd7;
      else if (spilled_valid_i) f_pick = 4'd8;
    end
    if (state_q == ExamineSwap && spilled_valid_i) f_pick = 4'd8;
  end
  `ASSERT_ALWAYS begin
    assert (take_kept_o == (f_pick == 4'd2 || f_pick == 4'd5));
    assert (take_spilled_o == (f_pick == 4'd3 || f_pick == 4'd8));
    if (take_kept_o) assert (kept_valid_i);
    if (take_spilled_o) assert (spilled_valid_i);
  end

  // the CTA to examine
  logic [NumCtas-1:0] f_due_q;
  logic [NumCtas-1:0] f_stalled_q;
  logic [3:0]        f_timer_q;
  logic [6:0]        f_first;
  logic              f_look;
  always_comb begin
    f_look  = 1'b0;
    f_first = '0;
    for (int i = NumCtas - 1; i >= 0; i--) begin
      if (f_due_q[i] && stalled_i[i]) begin
        f_look  = 1'b1;
        f_first = 7'(i);
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_due_q     <= '0;
      f_stalled_q <= '0;
      f_timer_q   <= '0;
    end else begin
      f_timer_q   <= f_timer_q + 4'd1;
      f_stalled_q <= stalled_i;
      for (int i = 0; i < NumCtas; i++) begin
        f_due_q[i] <= stalled_i[i] && (f_due_q[i] || !f_stalled_q[i] || f_timer_q == 4'd15)
                    && !(state_q == Idle && f_pick == 4'd0 && f_look && f_first == 7'(i));
      end
    end
  end
  `ASSERT_ALWAYS assert (due_q == f_due_q && stalled_q == f_stalled_q && timer_q == f_timer_q);

  // the steps of each case
  logic [3:0] f_case_q;
  logic [2:0] f_state_q;
  logic [2:0] f_next;
  logic [6:0] f_outgoing_cta_q;
  logic [6:0] f_incoming_cta_q;
  logic [5:0] f_warps_q;
  logic [3:0] f_steps_q;                            // steps since idle
  always_comb begin
    f_next = f_state_q;
    case (f_state_q)
      Idle, Examine, ExamineSwap: begin
        case (f_pick)
          4'd1, 4'd4:       f_next = Set;
          4'd2:             f_next = MoveIn;
          4'd3, 4'd7, 4'd8: f_next = Command;
          4'd5, 4'd6:       f_next = MoveOut;
          default:          f_next = f_state_q == Idle && f_look ? Examine : Idle;
        endcase
      end
      Command: if (command_ready_i) f_next = Wait;
      Wait: if (done_valid_i) begin
        if (f_case_q == 4'd3) f_next = MoveIn;
        else if (f_case_q == 4'd7) f_next = done_success_i ? MoveOut : ExamineSwap;
        else f_next = done_success_i ? MoveOut : Idle;
      end
      MoveOut: if (context_move_done_i) f_next = f_case_q == 4'd5 || f_case_q == 4'd8 ? MoveIn : Set;
      MoveIn:  if (context_move_done_i) f_next = Set;
      default: f_next = Idle;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_case_q         <= 4'd0;
      f_state_q        <= Idle;
      f_outgoing_cta_q <= '0;
      f_incoming_cta_q <= '0;
      f_warps_q        <= '0;
      f_steps_q        <= '0;
    end else begin
      f_state_q <= f_next;
      if (f_next == Idle) f_steps_q <= '0;
      else if (f_next != f_state_q) f_steps_q <= f_steps_q + 4'd1;
      if (f_next == Examine || f_next == ExamineSwap) f_case_q <= 4'd0;
      else if (f_pick != 4'd0) f_case_q <= f_pick;
      if (f_pick == 4'd1) f_outgoing_cta_q <= finished_cta_i;
      else if (f_next == Examine) f_outgoing_cta_q <= f_first;
      case (f_pick)
        4'd2, 4'd5:       f_incoming_cta_q <= kept_cta_i;
        4'd3, 4'd8:       f_incoming_cta_q <= spilled_cta_i;
        4'd4, 4'd6, 4'd7: f_incoming_cta_q <= new_cta_i;
        default: ;
      endcase
      if (f_pick != 4'd0) f_warps_q <= cta_warps_i;
    end
  end

`ifdef FORMAL
  assign f_state_o        = f_state_q;
  assign f_case_o         = f_case_q;
  assign f_outgoing_cta_o = f_outgoing_cta_q;
  assign f_incoming_cta_o = f_incoming_cta_q;
`endif

  logic f_stalled;                                  // the sequence began at a stall
  logic f_launch;
  logic f_set;
  assign f_stalled = f_case_q >= 4'd5 || f_state_q == Examine || f_state_q == ExamineSwap;
  assign f_launch  = f_case_q == 4'd4 || f_case_q == 4'd6 || f_case_q == 4'd7;
  assign f_set     = f_state_q == Set;
  `ASSERT_ALWAYS begin
    assert (state_q == f_state_q && outgoing_cta_q == f_outgoing_cta_q && incoming_cta_q == f_incoming_cta_q);
    assert (finished_ready_o == (f_state_q == Idle));
    // the registers that encode the case
    if (f_state_q != Idle) begin
      assert (from_stall_q == f_stalled && from_finish_q == (f_case_q == 4'd1));
      if (f_state_q != Examine && f_state_q != ExamineSwap) begin
        assert (launch_q == f_launch);
        if (from_stall_q) assert (spill_q == (f_case_q >= 4'd7));
      end else assert (f_case_q == 4'd0);
    end
    // the cases in which each step occurs
    if (f_state_q == Command || f_state_q == Wait) begin
      assert (f_case_q == 4'd3 || f_case_q == 4'd7 || f_case_q == 4'd8);
      assert (command_warps_q == f_warps_q);
    end
    if (f_state_q == MoveOut) assert (f_case_q >= 4'd5 && f_case_q <= 4'd8);
    if (f_state_q == MoveIn)
      assert (f_case_q == 4'd2 || f_case_q == 4'd3 || f_case_q == 4'd5 || f_case_q == 4'd8);
    if (f_set) assert (f_case_q >= 4'd1 && f_case_q <= 4'd8);

    // 1: every sequence ends: nine steps at most, each of which waits only for an answer
    case (f_state_q)
      Idle:        assert (f_steps_q == 4'd0);
      Examine:     assert (f_steps_q == 4'd1);
      Command:     assert (f_steps_q <= (f_case_q == 4'd7 ? 4'd2 : 4'd5));
      Wait:        assert (f_steps_q <= (f_case_q == 4'd7 ? 4'd3 : 4'd6));
      ExamineSwap: assert (f_steps_q <= 4'd4);
      MoveOut:     assert (f_steps_q <= 4'd7);
      MoveIn:      assert (f_steps_q <= 4'd8);
      default:     assert (f_steps_q <= 4'd9);
    endcase

    // 2: statuses: A and B, and never the same CTA twice
    assert (set_valid_o == (f_set ? {f_case_q != 4'd1, f_stalled || f_case_q == 4'd1} : 2'd0));
    assert (set_cta[0] == (set_valid_o[0] ? f_outgoing_cta_q : 7'd0));
    assert (set_cta[1] == (set_valid_o[1] ? f_incoming_cta_q : 7'd0));
    assert (set_context[1] == (set_valid_o[1] ? 2'd2 : 2'd0) && set_registers[1] == set_context[1]);
    if (set_valid_o[0] && f_case_q != 4'd1) begin
      assert (set_context[0] == 2'd1);
      assert (set_registers[0] == (f_case_q >= 4'd7 ? 2'd1 : 2'd2));
    end else assert (set_context[0] == 2'd0 && set_registers[0] == 2'd0);
`ifdef FORMAL
    // because B is not stalled
    if (f_case_q >= 4'd5 && f_state_q != Idle) assert (f_outgoing_cta_q != f_incoming_cta_q);
    if (set_valid_o == 2'd3) assert (set_cta[0] != set_cta[1]);
`endif
    assert (32'(outgoing_cta_q) < NumCtas && 32'(incoming_cta_q) < NumCtas);

    // the other outputs, step by step
    assert (command_valid_o == (f_state_q == Command));
    assert (command_operation_o == (!command_valid_o || f_case_q == 4'd7 ? 2'd0 : f_case_q == 4'd3 ? 2'd1 : 2'd2));
    assert (command_outgoing_cta_o == (command_valid_o && f_case_q != 4'd3 ? f_outgoing_cta_q : 7'd0));
    assert (command_incoming_cta_o == (command_valid_o && f_case_q != 4'd7 ? f_incoming_cta_q : 7'd0));
    assert (command_warps_o == (command_valid_o ? f_warps_q : 6'd0));
    assert (context_move_valid_o == (f_state_q == MoveOut || f_state_q == MoveIn));
    assert (context_move_in_o == (f_state_q == MoveIn));
    assert (context_move_cta_o
            == (!context_move_valid_o ? 7'd0 : context_move_in_o ? f_incoming_cta_q : f_outgoing_cta_q));
    assert (freeze_valid_o == (f_state_q != Idle && f_stalled));
    assert (freeze_cta_o == (freeze_valid_o ? f_outgoing_cta_q : 7'd0));
    assert (launch_valid_o == (f_set && f_launch) && launch_cta_o == (launch_valid_o ? f_incoming_cta_q : 7'd0));
  end

  // 3: a command stays until accepted, a move until done
  logic        f_c_q;
  logic        f_x_q;
  logic [21:0] f_command;
  logic [21:0] f_command_q;
  logic [7:0]  f_move_q;
  assign f_command = {command_operation_o, command_outgoing_cta_o, command_incoming_cta_o, command_warps_o};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_c_q <= 1'b0;
      f_x_q <= 1'b0;
    end else begin
      f_c_q <= command_valid_o && !command_ready_i;
      f_x_q <= context_move_valid_o && !context_move_done_i;
    end
  end
  always_ff @(posedge clk_i) begin
    f_command_q <= f_command;
    f_move_q    <= {context_move_in_o, context_move_cta_o};
  end
  `ASSERT_ALWAYS begin
    if (f_c_q) assert (command_valid_o && f_command == f_command_q);
    if (f_x_q) assert (context_move_valid_o && {context_move_in_o, context_move_cta_o} == f_move_q);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && f_steps_q == 4'd9);                        // the bound is reached
    cover (rst_ni && set_valid_o == 2'd3 && f_case_q == 4'd5 && set_cta[0] != 7'd0);
    cover (rst_ni && launch_valid_o && f_case_q == 4'd7);
    cover (rst_ni && set_valid_o == 2'd2 && f_case_q == 4'd3);
  end
`endif
`endif
