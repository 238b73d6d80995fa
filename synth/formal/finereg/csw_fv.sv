// SPDX-License-Identifier: Apache-2.0
// csw_fv: the policy with its status monitor: the CTA that leaves is active, the one that comes has
// the status of its case, and the pipeline and the ACRF never hold more CTAs than they have slots.
module csw_fv #(
  parameter int NumCta = 4
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [NumCta-1:0] stalled_i,
  input logic [NumCta-1:0] ready_i,
  input logic              new_ok_i,
  input logic [5:0]        k_nw_i,
  input logic              fin_v_i,
  input logic [6:0]        fin_cta_i,
  input logic              c_rdy_i,
  input logic              done_v_i,
  input logic              done_ok_i,
  input logic              x_done_i
);
  localparam int CtaW = $clog2(NumCta);

  logic                p12_v, p11_v, new_v, take12, take11;
  logic [6:0]          p12_id, p11_id, new_id;
  logic [1:0]          set_v;
  logic [13:0]         set_cta;
  logic [3:0]          set_ctx, set_reg;
  logic [7:0]          n_act, n_res;
  logic [2*NumCta-1:0] ctx, regs;
  logic                freeze_v;
  logic [2:0]          state;
  logic [3:0]          pick;                      // rules 1 to 4 of idle, 5 to 8: cases 1 to 4
  logic [6:0]          a, b;
  logic                pipe_ok, slot_ok;

  csm #(.NumCta(NumCta)) u_csm (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .set_v_i(set_v), .set_cta_i(set_cta), .set_ctx_i(set_ctx), .set_reg_i(set_reg),
    .ready_i(ready_i),
    .p12_v_o(p12_v), .p12_id_o(p12_id), .p11_v_o(p11_v), .p11_id_o(p11_id),
    .new_v_o(new_v), .new_id_o(new_id), .take12_i(take12), .take11_i(take11),
    .f_ctx_o(ctx), .f_reg_o(regs), .n_act_o(n_act), .n_res_o(n_res)
  );
  csw #(.NumCta(NumCta)) u_csw (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .stalled_i(stalled_i), .new_ok_i(new_ok_i), .slot_ok_i(slot_ok), .pipe_ok_i(pipe_ok), .k_nw_i(k_nw_i),
    .fin_v_i(fin_v_i), .fin_cta_i(fin_cta_i), .fin_rdy_o(),
    .p12_v_i(p12_v), .p12_id_i(p12_id), .p11_v_i(p11_v), .p11_id_i(p11_id),
    .new_v_i(new_v), .new_id_i(new_id), .take12_o(take12), .take11_o(take11),
    .set_v_o(set_v), .set_cta_o(set_cta), .set_ctx_o(set_ctx), .set_reg_o(set_reg),
    .c_v_o(), .c_op_o(), .c_a_o(), .c_b_o(), .c_nw_o(), .c_rdy_i(c_rdy_i),
    .done_v_i(done_v_i), .done_ok_i(done_ok_i),
    .x_v_o(), .x_in_o(), .x_cta_o(), .x_done_i(x_done_i),
    .freeze_v_o(freeze_v), .freeze_a_o(),
    .f_state_o(state), .f_case_o(pick), .f_a_o(a), .f_b_o(b),
    .launch_v_o(), .launch_cta_o()
  );

  initial assume (!rst_ni);

  // slots, and the CTAs that occupy them
  (* anyconst *) logic [CtaW:0] pipes;
  (* anyconst *) logic [CtaW:0] slots;
  logic [NumCta-1:0] act;
  logic [CtaW:0]     n_pipe, n_slot;
  always_comb begin
    n_pipe = '0;
    n_slot = '0;
    for (int i = 0; i < NumCta; i++) begin
      act[i] = ctx[2*i +: 2] == 2'd2 && regs[2*i +: 2] == 2'd2;
      n_pipe = n_pipe + (CtaW+1)'(ctx[2*i +: 2] == 2'd2);
      n_slot = n_slot + (CtaW+1)'(regs[2*i +: 2] == 2'd2);
    end
  end
  assign pipe_ok = n_pipe < pipes;
  assign slot_ok = n_slot < slots;

  logic       busy;                               // a case is chosen
  logic [3:0] b_was;                              // B's status
  assign busy  = state >= 3'd2 && state <= 3'd6;
  assign b_was = {ctx[2*b[CtaW-1:0] +: 2], regs[2*b[CtaW-1:0] +: 2]};
  always_comb begin
    assume ((stalled_i & ~act) == '0);
    if (freeze_v && state != 3'd1) assume (stalled_i[a[CtaW-1:0]]);
    if (done_v_i) assume (state == 3'd3);
    if (x_done_i) assume (state == 3'd4 || state == 3'd5);
    if (fin_v_i) assume (32'(fin_cta_i) < NumCta && act[fin_cta_i[CtaW-1:0]]);

    if (freeze_v || (busy && pick == 4'd1)) assert (act[a[CtaW-1:0]]);
    if (busy) begin
      case (pick)
        4'd1: ;
        4'd2, 4'd5: assert (b_was == 4'b01_10);
        4'd3, 4'd8: assert (b_was == 4'b01_01);
        default:    assert (b_was == 4'b00_00);
      endcase
      if (pick >= 4'd2 && pick <= 4'd4) assert (pipe_ok);
      if (pick == 4'd3 || pick == 4'd4 || pick == 4'd6) assert (slot_ok);
    end
    assert (n_pipe <= pipes && n_slot <= slots);

    cover (rst_ni && set_v == 2'd3 && pick == 4'd8 && n_pipe == pipes && n_slot == slots);
    cover (rst_ni && n_pipe == (CtaW+1)'(2) && n_slot == (CtaW+1)'(3) && n_res == 8'(NumCta));
  end
endmodule
