// SPDX-License-Identifier: Apache-2.0
// vt_fv: the truncator's scatter: the value's nibbles go to the set slices in ascending order, part 0 first.
module vt_fv (
  input logic [31:0] code_i,
  input logic [31:0] e_i
);
  logic [3:0]  p0;
  logic [3:0]  p1;
  logic [23:0] sel0;
  logic [23:0] sel1;
  logic [31:0] y0;
  logic [31:0] y1;
  popcount #(.N(8)) u_p0 (.bits_i(e_i[15:8]), .count_o(p0));
  popcount #(.N(8)) u_p1 (.bits_i(e_i[31:24]), .count_o(p1));
  vt_sel u_sel0 (.base_i(4'd0), .mask_i(e_i[15:8]), .select_o(sel0));
  vt_sel u_sel1 (.base_i(p0), .mask_i(e_i[31:24]), .select_o(sel1));
  vt_mux u_mux0 (.code_i(code_i), .mask_i(e_i[15:8]), .select_i(sel0), .slices_o(y0));
  vt_mux u_mux1 (.code_i(code_i), .mask_i(e_i[31:24]), .select_i(sel1), .slices_o(y1));

  logic [3:0]  at;
  logic [31:0] r0;
  logic [31:0] r1;
  always_comb begin
    assume (5'(p0) + 5'(p1) <= 5'd8);
    at = 4'd0;
    r0 = '0;
    r1 = '0;
    for (int s = 0; s < 8; s++) begin
      if (e_i[8+s]) begin
        r0[4*s +: 4] = 4'(code_i >> {at, 2'd0});
        at = at + 4'd1;
      end
    end
    for (int s = 0; s < 8; s++) begin
      if (e_i[24+s]) begin
        r1[4*s +: 4] = 4'(code_i >> {at, 2'd0});
        at = at + 4'd1;
      end
    end
    assert (y0 == r0);
    assert (y1 == r1);
    cover (p0 == 4'd3 && p1 == 4'd5 && y1[31:28] != 4'd0);
  end
endmodule
