// SPDX-License-Identifier: Apache-2.0
// wve_fv: every lane is a tve of its own data, for any entry.
module wve_fv #(
  parameter int Lanes = 2
) (
  input logic [32*Lanes-1:0] data_i,
  input logic [31:0]         entry_i,
  input logic                part_i,
  input logic                signed_i
);
  logic [32*Lanes-1:0] y;
  wve #(.Lanes(Lanes)) u_wve (.data_i(data_i), .entry_i(entry_i), .part_i(part_i), .signed_i(signed_i), .part_data_o(y));
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [31:0] yl;
    tve u_tve (.data_i(data_i[32*l +: 32]), .entry_i(entry_i), .part_i(part_i), .signed_i(signed_i), .part_data_o(yl));
    always_comb assert (y[32*l +: 32] == yl);
  end
  always_comb cover (y[31:0] != '0);
endmodule
