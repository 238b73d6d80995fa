// SPDX-License-Identifier: Apache-2.0
// csw_fv: the policy with its status monitor: the CTA that leaves is active, the one that comes has
// the status of its case, and the pipeline and the ACRF never hold more CTAs than they have slots.
module csw_fv #(
  parameter int NumCtas = 4
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [NumCtas-1:0] stalled_i,
  input logic [NumCtas-1:0] ready_i,
  input logic              new_fits_i,
  input logic [5:0]        cta_warps_i,
  input logic              finished_valid_i,
  input logic [6:0]        finished_cta_i,
  input logic              command_ready_i,
  input logic              done_valid_i,
  input logic              done_success_i,
  input logic              context_move_done_i
);
  localparam int CtaW = $clog2(NumCtas);

  logic                kept_valid, spilled_valid, new_valid, take_kept, take_spilled;
  logic [6:0]          kept_cta, spilled_cta, new_cta;
  logic [1:0]          set_valid;
  logic [13:0]         set_cta;
  logic [3:0]          set_context, set_registers;
  logic [7:0]          active_count, resident_count;
  logic [2*NumCtas-1:0] context_of, registers_of;
  logic                freeze_valid;
  logic [2:0]          state;
  logic [3:0]          pick;                      // rules 1 to 4 of idle, 5 to 8: cases 1 to 4
  logic [6:0]          outgoing, incoming;
  logic                pipeline_slot_free, acrf_slot_free;

  csm #(.NumCtas(NumCtas)) u_csm (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .set_valid_i(set_valid), .set_cta_i(set_cta), .set_context_i(set_context), .set_registers_i(set_registers),
    .ready_i(ready_i),
    .kept_valid_o(kept_valid), .kept_cta_o(kept_cta), .spilled_valid_o(spilled_valid), .spilled_cta_o(spilled_cta),
    .new_valid_o(new_valid), .new_cta_o(new_cta), .take_kept_i(take_kept), .take_spilled_i(take_spilled),
    .f_context_o(context_of), .f_registers_o(registers_of),
    .active_count_o(active_count), .resident_count_o(resident_count)
  );
  csw #(.NumCtas(NumCtas)) u_csw (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .stalled_i(stalled_i), .new_fits_i(new_fits_i), .acrf_slot_free_i(acrf_slot_free),
    .pipeline_slot_free_i(pipeline_slot_free), .cta_warps_i(cta_warps_i),
    .finished_valid_i(finished_valid_i), .finished_cta_i(finished_cta_i), .finished_ready_o(),
    .kept_valid_i(kept_valid), .kept_cta_i(kept_cta), .spilled_valid_i(spilled_valid), .spilled_cta_i(spilled_cta),
    .new_valid_i(new_valid), .new_cta_i(new_cta), .take_kept_o(take_kept), .take_spilled_o(take_spilled),
    .set_valid_o(set_valid), .set_cta_o(set_cta), .set_context_o(set_context), .set_registers_o(set_registers),
    .command_valid_o(), .command_operation_o(), .command_outgoing_cta_o(), .command_incoming_cta_o(),
    .command_warps_o(), .command_ready_i(command_ready_i),
    .done_valid_i(done_valid_i), .done_success_i(done_success_i),
    .context_move_valid_o(), .context_move_in_o(), .context_move_cta_o(), .context_move_done_i(context_move_done_i),
    .freeze_valid_o(freeze_valid), .freeze_cta_o(),
    .f_state_o(state), .f_case_o(pick), .f_outgoing_cta_o(outgoing), .f_incoming_cta_o(incoming),
    .launch_valid_o(), .launch_cta_o()
  );

  initial assume (!rst_ni);

  // slots, and the CTAs that occupy them
  (* anyconst *) logic [CtaW:0] pipes;
  (* anyconst *) logic [CtaW:0] slots;
  logic [NumCtas-1:0] act;
  logic [CtaW:0]     n_pipe, n_slot;
  always_comb begin
    n_pipe = '0;
    n_slot = '0;
    for (int i = 0; i < NumCtas; i++) begin
      act[i] = context_of[2*i +: 2] == 2'd2 && registers_of[2*i +: 2] == 2'd2;
      n_pipe = n_pipe + (CtaW+1)'(context_of[2*i +: 2] == 2'd2);
      n_slot = n_slot + (CtaW+1)'(registers_of[2*i +: 2] == 2'd2);
    end
  end
  assign pipeline_slot_free = n_pipe < pipes;
  assign acrf_slot_free     = n_slot < slots;

  logic       busy;                               // a case is chosen
  logic [3:0] incoming_was;                       // B's status
  assign busy         = state >= 3'd2 && state <= 3'd6;
  assign incoming_was = {context_of[2*incoming[CtaW-1:0] +: 2], registers_of[2*incoming[CtaW-1:0] +: 2]};
  always_comb begin
    assume ((stalled_i & ~act) == '0);
    if (freeze_valid && state != 3'd1) assume (stalled_i[outgoing[CtaW-1:0]]);
    if (done_valid_i) assume (state == 3'd3);
    if (context_move_done_i) assume (state == 3'd4 || state == 3'd5);
    if (finished_valid_i) assume (32'(finished_cta_i) < NumCtas && act[finished_cta_i[CtaW-1:0]]);

    if (freeze_valid || (busy && pick == 4'd1)) assert (act[outgoing[CtaW-1:0]]);
    if (busy) begin
      case (pick)
        4'd1: ;
        4'd2, 4'd5: assert (incoming_was == 4'b01_10);
        4'd3, 4'd8: assert (incoming_was == 4'b01_01);
        default:    assert (incoming_was == 4'b00_00);
      endcase
      if (pick >= 4'd2 && pick <= 4'd4) assert (pipeline_slot_free);
      if (pick == 4'd3 || pick == 4'd4 || pick == 4'd6) assert (acrf_slot_free);
    end
    assert (n_pipe <= pipes && n_slot <= slots);

    cover (rst_ni && set_valid == 2'd3 && pick == 4'd8 && n_pipe == pipes && n_slot == slots);
    cover (rst_ni && n_pipe == (CtaW+1)'(2) && n_slot == (CtaW+1)'(3) && resident_count == 8'(NumCtas));
  end
endmodule
