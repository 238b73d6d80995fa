// SPDX-License-Identifier: Apache-2.0
// vt_mux: the scatter's data path of one lane and part: a value's nibbles to their slices, zero
// elsewhere.
// C twin: part of cmodel/blocks/slice/vt.c
// Combinational.
module vt_mux (
  input  logic [31:0] x_i,
  input  logic [7:0]  m_i,
  input  logic [23:0] sel_i,      // [8][3] from vt_sel
  output logic [31:0] y_o
);
  for (genvar s = 0; s < 8; s++) begin : gen_slice
    logic [2:0]  sel;
    logic [15:0] l0;
    logic [7:0]  l1;
    logic [3:0]  l2;
    assign sel = sel_i[3*s +: 3];
    assign l0[3:0]   = sel[0] ? x_i[7:4]   : x_i[3:0];
    assign l0[7:4]   = sel[0] ? x_i[15:12] : x_i[11:8];
    assign l0[11:8]  = sel[0] ? x_i[23:20] : x_i[19:16];
    assign l0[15:12] = sel[0] ? x_i[31:28] : x_i[27:24];
    assign l1[3:0]   = sel[1] ? l0[7:4]    : l0[3:0];
    assign l1[7:4]   = sel[1] ? l0[15:12]  : l0[11:8];
    assign l2        = sel[2] ? l1[7:4]    : l1[3:0];
    assign y_o[4*s +: 4] = l2 & {4{m_i[s]}};
  end
endmodule
