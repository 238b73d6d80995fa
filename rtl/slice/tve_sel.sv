// SPDX-License-Identifier: Apache-2.0
// tve_sel: the extractor's control, one for all lanes: which slice feeds each nibble of the
// operand.
// C twin: part of cmodel/blocks/slice/tve.c
// Combinational.
module tve_sel (
  input  logic [7:0]  m0_i,
  input  logic [7:0]  m1_i,
  input  logic        part_i,
  input  logic        sgn_i,
  output logic [31:0] sel_o,      // [8][4] slice of each nibble; 8: the fill nibble
  output logic [7:0]  ext_o,      // nibbles that the sign fills, if the lane's value is negative
  output logic [7:0]  hi_o        // one-hot: the part's highest slice, with the sign
);
  logic [7:0] m;
  logic [3:0] p0;
  logic [3:0] p1;
  logic [4:0] n;
  logic       last;

  popcount #(.N(8)) u_p0 (.x_i(m0_i), .n_o(p0));
  popcount #(.N(8)) u_p1 (.x_i(m1_i), .n_o(p1));

  assign m    = part_i ? m1_i : m0_i;
  assign n    = {1'b0, p0} + {1'b0, p1};
  assign last = (m1_i == 8'd0) ? !part_i : part_i;

  // a slice's nibble number: the nibbles of part 0 before it, then the set slices below it
  function automatic logic [31:0] select(input logic [3:0] first, input logic [7:0] mask);
    logic [3:0] rank;
    rank   = first;
    select = {8{4'd8}};
    for (int s = 0; s < 8; s++) begin
      for (int j = 0; j < 8; j++) begin
        if (mask[s] && rank == 4'(j)) select[4*j +: 4] = 4'(s);
      end
      rank = rank + {3'd0, mask[s]};
    end
  endfunction

  assign sel_o = select(part_i ? p0 : 4'd0, m);

  for (genvar j = 0; j < 8; j++) begin : gen_nib
    assign ext_o[j] = last && sgn_i && 5'(j) >= n;
    assign hi_o[j]  = m[j] && (m >> (j + 1)) == 8'd0;
  end
endmodule
