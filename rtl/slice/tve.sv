// SPDX-License-Identifier: Apache-2.0
// tve: thread value extractor: extracts one lane's operand part from its slices. An operand is
// part 0 | part 1.
// C twin: cmodel/blocks/slice/tve.c
// Combinational.
module tve (
  input  logic [31:0] d_i,        // register data of the lane
  input  logic [31:0] e_i,        // {m1, r1, m0, r0}
  input  logic        part_i,     // 0: the slices in r0, 1: in r1
  input  logic        sgn_i,      // sign extend
  output logic [31:0] y_o
);
  logic [31:0] sel;
  logic [7:0]  ext;
  logic [7:0]  hi;

  tve_sel u_sel (
    .m0_i(e_i[15:8]), .m1_i(e_i[31:24]), .part_i(part_i), .sgn_i(sgn_i),
    .sel_o(sel), .ext_o(ext), .hi_o(hi)
  );
  tve_mux u_mux (
    .d_i(d_i), .sel_i(sel), .ext_i(ext), .hi_i(hi), .y_o(y_o)
  );
endmodule
