// SPDX-License-Identifier: Apache-2.0
// wve: warp value extractor: the thread value extractors of all lanes; they share the entry and
// therefore the control.
// C twin: cmodel/blocks/slice/wve.c
// Combinational, inside the register file's read cycle.
module wve #(
  parameter int Lanes = 32
) (
  input  logic [32*Lanes-1:0] d_i,
  input  logic [31:0]         e_i,
  input  logic                part_i,
  input  logic                sgn_i,
  output logic [32*Lanes-1:0] y_o
);
  logic [31:0] sel;
  logic [7:0]  ext;
  logic [7:0]  hi;

  tve_sel u_sel (
    .m0_i(e_i[15:8]), .m1_i(e_i[31:24]), .part_i(part_i), .sgn_i(sgn_i),
    .sel_o(sel), .ext_o(ext), .hi_o(hi)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    tve_mux u_mux (
      .d_i(d_i[32*l +: 32]), .sel_i(sel), .ext_i(ext), .hi_i(hi), .y_o(y_o[32*l +: 32])
    );
  end
endmodule
