// SPDX-License-Identifier: Apache-2.0
// tve_mux: the extractor's data path of one lane: eight 9:1 nibble multiplexers, each a tree of
// eight 2:1 ones.
// C twin: part of cmodel/blocks/slice/tve.c
// Combinational; exactly 256 two-input multiplexers, which is what the paper counts.
module tve_mux (
  input  logic [31:0] data_i,
  input  logic [31:0] select_i,     // [8][4] slice of each nibble, from tve_sel
  input  logic [7:0]  fill_i,       // nibbles that the sign fills
  input  logic [7:0]  top_i,        // one-hot: the slice with the sign
  output logic [31:0] part_data_o
);
  logic [3:0] select [8];
  logic       sign;
  for (genvar j = 0; j < 8; j++) begin : gen_select
    assign select[j] = select_i[4*j +: 4];
  end

  assign sign = |(top_i & {data_i[31], data_i[27], data_i[23], data_i[19],
                           data_i[15], data_i[11], data_i[7], data_i[3]});

  for (genvar j = 0; j < 8; j++) begin : gen_nib
    logic [15:0] l0;
    logic [7:0]  l1;
    logic [3:0]  l2;
    assign l0[3:0]   = select[j][0] ? data_i[7:4]   : data_i[3:0];
    assign l0[7:4]   = select[j][0] ? data_i[15:12] : data_i[11:8];
    assign l0[11:8]  = select[j][0] ? data_i[23:20] : data_i[19:16];
    assign l0[15:12] = select[j][0] ? data_i[31:28] : data_i[27:24];
    assign l1[3:0]   = select[j][1] ? l0[7:4]    : l0[3:0];
    assign l1[7:4]   = select[j][1] ? l0[15:12]  : l0[11:8];
    assign l2        = select[j][2] ? l1[7:4]    : l1[3:0];
    assign part_data_o[4*j +: 4] = select[j][3] ? {4{sign & fill_i[j]}} : l2;
  end
endmodule
