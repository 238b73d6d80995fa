// SPDX-License-Identifier: Apache-2.0
// csw: CTA switch policy: which CTA leaves, which one comes, and in which steps. It fills free slots first. Without one
// it examines each stalled CTA in turn, and replaces it if another one can come. One CTA at a time: csm has one
// status for each, and the engine (rmu) moves the registers of one switch at a time.
// C twin: cmodel/blocks/finereg/csw.c
// One sequence at a time, one step after the other: a step is one cycle, or as long as its partner takes, and starts in
// the cycle after the last one's end. A stalled CTA is examined when it stalls, and every 16 cycles from then on.
module csw #(
  parameter int NumCtas = 128                         // CTAs: a power of two, at least 2
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // from and to the SM: stalled CTAs, room, warps of a CTA, a CTA that has finished
  input  logic [NumCtas-1:0] stalled_i,
  input  logic              new_fits_i,
  input  logic              acrf_slot_free_i,
  input  logic              pipeline_slot_free_i,
  input  logic [5:0]        cta_warps_i,
  input  logic              finished_valid_i,
  input  logic [6:0]        finished_cta_i,
  output logic              finished_ready_o,
  // from csm: the next CTA of each class; to csm: it is taken
  input  logic              kept_valid_i,
  input  logic [6:0]        kept_cta_i,
  input  logic              spilled_valid_i,
  input  logic [6:0]        spilled_cta_i,
  input  logic              new_valid_i,
  input  logic [6:0]        new_cta_i,
  output logic              take_kept_o,
  output logic              take_spilled_o,
  // to csm: statuses to set, [port]: CTA [7], context [2], registers [2]; port 0 has the CTA that leaves
  output logic [1:0]        set_valid_o,
  output logic [13:0]       set_cta_o,
  output logic [3:0]        set_context_o,
  output logic [3:0]        set_registers_o,
  // to and from rmu: a command and its end
  output logic              command_valid_o,
  output logic [1:0]        command_operation_o,
  output logic [6:0]        command_outgoing_cta_o,
  output logic [6:0]        command_incoming_cta_o,
  output logic [5:0]        command_warps_o,
  input  logic              command_ready_i,
  input  logic              done_valid_i,
  input  logic              done_success_i,
  // to and from the SM: a context moves
  output logic              context_move_valid_o,
  output logic              context_move_in_o,
  output logic [6:0]        context_move_cta_o,
  input  logic              context_move_done_i,
  // to issue: the frozen CTA
  output logic              freeze_valid_o,
  output logic [6:0]        freeze_cta_o,
`ifdef FORMAL
  output logic [2:0]        f_state_o,
  output logic [3:0]        f_case_o,
  output logic [6:0]        f_outgoing_cta_o,
  output logic [6:0]        f_incoming_cta_o,
`endif
  // to the SM: a new CTA begins
  output logic              launch_valid_o,
  output logic [6:0]        launch_cta_o
);
  localparam int CtaW = $clog2(NumCtas);
`include "csw_enum.svh"

  // the flat ports as arrays
  logic [6:0] set_cta [2];
  logic [1:0] set_context [2];
  logic [1:0] set_registers [2];
  for (genvar p = 0; p < 2; p++) begin : gen_port
    assign set_cta_o[7*p +: 7]       = set_cta[p];
    assign set_context_o[2*p +: 2]   = set_context[p];
    assign set_registers_o[2*p +: 2] = set_registers[p];
  end

  logic [2:0]        state_q, state_d;
  logic [6:0]        outgoing_cta_q, outgoing_cta_d; // A, which leaves
  logic [6:0]        incoming_cta_q, incoming_cta_d; // B, which comes
  logic [3:0]        timer_q;
  logic [5:0]        command_warps_q, command_warps_d;
  logic              from_stall_q, from_stall_d;  // the sequence began at a stall: A leaves
  logic              from_finish_q, from_finish_d; // it began at an end: no B
  logic              launch_q, launch_d;          // B is launched, not resumed
  logic              spill_q, spill_d;            // A's registers go to the PCRF
  logic [NumCtas-1:0] due_q, due_d;
  logic [NumCtas-1:0] stalled_q;

  // stalled CTAs that are due to be examined
  logic [NumCtas-1:0] look;
  logic [NumCtas-1:0] first;
  logic [CtaW-1:0]   first_index;
  assign look = due_q & stalled_i;
  first_one #(.N(NumCtas)) u_look (.bits_i(look), .one_hot_o(first), .index_o(first_index));

  logic stays;                                    // A is still stalled
  assign stays = state_q == ExamineSwap || stalled_i[outgoing_cta_q[CtaW-1:0]];

  always_comb begin
    state_d         = state_q;
    outgoing_cta_d  = outgoing_cta_q;
    incoming_cta_d  = incoming_cta_q;
    command_warps_d = command_warps_q;
    from_stall_d    = from_stall_q;
    from_finish_d   = from_finish_q;
    launch_d        = launch_q;
    spill_d         = spill_q;
    due_d           = stalled_i & (due_q | ~stalled_q | {NumCtas{timer_q == 4'd15}});
    take_kept_o     = 1'b0;
    take_spilled_o  = 1'b0;

    case (state_q)
      Idle: begin
        from_stall_d    = 1'b0;
        from_finish_d   = 1'b0;
        launch_d        = 1'b0;
        command_warps_d = cta_warps_i;
        if (finished_valid_i) begin
          outgoing_cta_d = finished_cta_i;
          from_finish_d  = 1'b1;
          state_d        = Set;
        end else if (pipeline_slot_free_i && kept_valid_i) begin
          incoming_cta_d = kept_cta_i;
          take_kept_o    = 1'b1;
          state_d        = MoveIn;
        end else if (pipeline_slot_free_i && acrf_slot_free_i && spilled_valid_i) begin
          incoming_cta_d = spilled_cta_i;
          take_spilled_o = 1'b1;
          state_d        = Command;
        end else if (pipeline_slot_free_i && acrf_slot_free_i && new_valid_i && new_fits_i) begin
          incoming_cta_d = new_cta_i;
          launch_d       = 1'b1;
          state_d        = Set;
        end else if (look != '0) begin
          outgoing_cta_d = 7'(first_index);
          from_stall_d   = 1'b1;
          due_d          = due_d & ~first;
          state_d        = Examine;
        end
      end

      Examine, ExamineSwap: begin
        launch_d        = 1'b0;
        spill_d         = 1'b0;
        command_warps_d = cta_warps_i;
        state_d         = Idle;
        if (stays) begin
          if (state_q == Examine && kept_valid_i) begin
            incoming_cta_d = kept_cta_i;
            take_kept_o    = 1'b1;
            state_d        = MoveOut;
          end else if (state_q == Examine && new_valid_i && new_fits_i) begin
            incoming_cta_d = new_cta_i;
            launch_d       = 1'b1;
            spill_d        = !acrf_slot_free_i;
            state_d        = acrf_slot_free_i ? MoveOut : Command;
          end else if (spilled_valid_i) begin
            incoming_cta_d = spilled_cta_i;
            take_spilled_o = 1'b1;
            spill_d        = 1'b1;
            state_d        = Command;
          end
        end
      end

      Command: if (command_ready_i) state_d = Wait;

      // only a spill or a swap can be refused
      Wait: begin
        if (done_valid_i) begin
          if (!from_stall_q) state_d = MoveIn;
          else if (done_success_i) state_d = MoveOut;
          else state_d = launch_q ? ExamineSwap : Idle;
        end
      end

      MoveOut: if (context_move_done_i) state_d = launch_q ? Set : MoveIn;
      MoveIn:  if (context_move_done_i) state_d = Set;
      default: state_d = Idle;                    // set
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q         <= Idle;
      outgoing_cta_q  <= '0;
      incoming_cta_q  <= '0;
      timer_q         <= '0;
      command_warps_q <= '0;
      from_stall_q    <= 1'b0;
      from_finish_q   <= 1'b0;
      launch_q        <= 1'b0;
      spill_q         <= 1'b0;
      due_q           <= '0;
      stalled_q       <= '0;
    end else begin
      state_q         <= state_d;
      outgoing_cta_q  <= outgoing_cta_d;
      incoming_cta_q  <= incoming_cta_d;
      timer_q         <= timer_q + 4'd1;
      command_warps_q <= command_warps_d;
      from_stall_q    <= from_stall_d;
      from_finish_q   <= from_finish_d;
      launch_q        <= launch_d;
      spill_q         <= spill_d;
      due_q           <= due_d;
      stalled_q       <= stalled_i;
    end
  end

  logic setting;
  logic set_outgoing;
  logic set_incoming;
  assign setting          = state_q == Set;
  assign set_outgoing     = setting && (from_stall_q || from_finish_q);
  assign set_incoming     = setting && !from_finish_q;
  assign set_valid_o      = {set_incoming, set_outgoing};
  assign set_cta[0]       = set_outgoing ? outgoing_cta_q : 7'd0;
  assign set_cta[1]       = set_incoming ? incoming_cta_q : 7'd0;
  assign set_context[0]   = set_outgoing && from_stall_q ? ContextShared : ContextNone;
  assign set_context[1]   = set_incoming ? ContextPipeline : ContextNone;
  assign set_registers[0] = set_outgoing && from_stall_q ? (spill_q ? RegistersAway : RegistersHere) : RegistersNone;
  assign set_registers[1] = set_incoming ? RegistersHere : RegistersNone;

  logic [1:0] operation;
  assign operation = !from_stall_q ? OperationRestore : launch_q ? OperationSpill : OperationSwap;
  assign command_valid_o        = state_q == Command;
  assign command_operation_o    = command_valid_o ? operation : 2'd0;
  assign command_outgoing_cta_o = command_valid_o && operation != OperationRestore ? outgoing_cta_q : 7'd0;
  assign command_incoming_cta_o = command_valid_o && operation != OperationSpill ? incoming_cta_q : 7'd0;
  assign command_warps_o        = command_valid_o ? command_warps_q : 6'd0;

  assign context_move_valid_o = state_q == MoveOut || state_q == MoveIn;
  assign context_move_in_o    = state_q == MoveIn;
  assign context_move_cta_o   = state_q == MoveOut ? outgoing_cta_q : state_q == MoveIn ? incoming_cta_q : 7'd0;

  assign finished_ready_o = state_q == Idle;
  assign freeze_valid_o   = state_q != Idle && from_stall_q;
  assign freeze_cta_o     = freeze_valid_o ? outgoing_cta_q : 7'd0;
  assign launch_valid_o   = setting && launch_q;
  assign launch_cta_o     = launch_valid_o ? incoming_cta_q : 7'd0;

`include "csw_properties.svh"
endmodule
