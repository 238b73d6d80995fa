// SPDX-License-Identifier: Apache-2.0
// tve_sel: the extractor's control, one for all lanes: which slice feeds each nibble of the
// operand.
// C twin: part of cmodel/blocks/slice/tve.c
// Combinational.
module tve_sel (
  input  logic [7:0]  mask0_i,      // slices of part 0
  input  logic [7:0]  mask1_i,      // slices of part 1; none: the operand has one part
  input  logic        part_i,       // the part that is extracted
  input  logic        signed_i,     // extend the sign
  output logic [31:0] select_o,     // [8][4] slice of each nibble; 8: the fill nibble
  output logic [7:0]  fill_o,       // nibbles that the sign fills, if the lane's value is negative
  output logic [7:0]  top_o        // one-hot: the part's highest slice, with the sign
);
  logic [7:0] m;
  logic [3:0] p0;
  logic [3:0] p1;
  logic [4:0] n;
  logic       last;

  popcount #(.N(8)) u_p0 (.bits_i(mask0_i), .count_o(p0));
  popcount #(.N(8)) u_p1 (.bits_i(mask1_i), .count_o(p1));

  assign m    = part_i ? mask1_i : mask0_i;
  assign n    = {1'b0, p0} + {1'b0, p1};
  assign last = (mask1_i == 8'd0) ? !part_i : part_i;

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

  assign select_o = select(part_i ? p0 : 4'd0, m);

  for (genvar j = 0; j < 8; j++) begin : gen_nib
    assign fill_o[j] = last && signed_i && 5'(j) >= n;
    assign top_o[j]  = m[j] && (m >> (j + 1)) == 8'd0;
  end
endmodule
