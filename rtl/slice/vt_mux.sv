// SPDX-License-Identifier: Apache-2.0
// vt_mux: the scatter's data path of one lane and part: a value's nibbles to their slices, zero
// elsewhere.
// C twin: part of cmodel/blocks/slice/vt.c
// Combinational.
module vt_mux (
  input  logic [31:0] code_i,       // the truncated value
  input  logic [7:0]  mask_i,       // the part's slices
  input  logic [23:0] select_i,     // [8][3] nibble that each slice takes, from vt_sel
  output logic [31:0] slices_o
);
  logic [2:0] select [8];
  for (genvar s = 0; s < 8; s++) begin : gen_select
    assign select[s] = select_i[3*s +: 3];
  end

  for (genvar s = 0; s < 8; s++) begin : gen_slice
    logic [15:0] l0;
    logic [7:0]  l1;
    logic [3:0]  l2;
    assign l0[3:0]   = select[s][0] ? code_i[7:4]   : code_i[3:0];
    assign l0[7:4]   = select[s][0] ? code_i[15:12] : code_i[11:8];
    assign l0[11:8]  = select[s][0] ? code_i[23:20] : code_i[19:16];
    assign l0[15:12] = select[s][0] ? code_i[31:28] : code_i[27:24];
    assign l1[3:0]   = select[s][1] ? l0[7:4]    : l0[3:0];
    assign l1[7:4]   = select[s][1] ? l0[15:12]  : l0[11:8];
    assign l2        = select[s][2] ? l1[7:4]    : l1[3:0];
    assign slices_o[4*s +: 4] = l2 & {4{mask_i[s]}};
  end
endmodule
