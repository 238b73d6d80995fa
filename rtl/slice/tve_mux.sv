// SPDX-License-Identifier: Apache-2.0
// tve_mux: the extractor's data path of one lane: eight 9:1 nibble multiplexers, each a tree of
// eight 2:1 ones.
// C twin: part of cmodel/blocks/slice/tve.c
// Combinational; exactly 256 two-input multiplexers, which is what the paper counts.
module tve_mux (
  input  logic [31:0] d_i,
  input  logic [31:0] sel_i,      // [8][4] from tve_sel
  input  logic [7:0]  ext_i,
  input  logic [7:0]  hi_i,
  output logic [31:0] y_o
);
  logic sign;
  assign sign = |(hi_i & {d_i[31], d_i[27], d_i[23], d_i[19], d_i[15], d_i[11], d_i[7], d_i[3]});

  for (genvar j = 0; j < 8; j++) begin : gen_nib
    logic [3:0]  sel;
    logic [15:0] l0;
    logic [7:0]  l1;
    logic [3:0]  l2;
    assign sel = sel_i[4*j +: 4];
    assign l0[3:0]   = sel[0] ? d_i[7:4]   : d_i[3:0];
    assign l0[7:4]   = sel[0] ? d_i[15:12] : d_i[11:8];
    assign l0[11:8]  = sel[0] ? d_i[23:20] : d_i[19:16];
    assign l0[15:12] = sel[0] ? d_i[31:28] : d_i[27:24];
    assign l1[3:0]   = sel[1] ? l0[7:4]    : l0[3:0];
    assign l1[7:4]   = sel[1] ? l0[15:12]  : l0[11:8];
    assign l2        = sel[2] ? l1[7:4]    : l1[3:0];
    assign y_o[4*j +: 4] = sel[3] ? {4{sign & ext_i[j]}} : l2;
  end
endmodule
