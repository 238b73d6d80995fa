// SPDX-License-Identifier: Apache-2.0
// wve_fv: every lane is a tve of its own data, for any entry.
module wve_fv #(
  parameter int Lanes = 2
) (
  input logic [32*Lanes-1:0] d_i,
  input logic [31:0]         e_i,
  input logic                part_i,
  input logic                sgn_i
);
  logic [32*Lanes-1:0] y;
  wve #(.Lanes(Lanes)) u_wve (.d_i(d_i), .e_i(e_i), .part_i(part_i), .sgn_i(sgn_i), .y_o(y));
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [31:0] yl;
    tve u_tve (.d_i(d_i[32*l +: 32]), .e_i(e_i), .part_i(part_i), .sgn_i(sgn_i), .y_o(yl));
    always_comb assert (y[32*l +: 32] == yl);
  end
  always_comb cover (y[31:0] != '0);
endmodule
