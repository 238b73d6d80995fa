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

  // the slice's nibble number: the nibbles of part 0 before it, then the set slices below it
  logic [31:0] rank;
  always_comb begin
    rank      = '0;
    rank[3:0] = part_i ? p0 : 4'd0;
    for (int s = 1; s < 8; s++) rank[4*s +: 4] = rank[4*s-4 +: 4] + {3'd0, m[s-1]};
  end

  always_comb begin
    for (int j = 0; j < 8; j++) begin
      sel_o[4*j +: 4] = 4'd8;
      for (int s = 0; s < 8; s++) begin
        if (m[s] && rank[4*s +: 4] == 4'(j)) sel_o[4*j +: 4] = 4'(s);
      end
      ext_o[j] = last && sgn_i && 5'(j) >= n;
    end
  end

  always_comb begin
    hi_o[7] = m[7];
    for (int s = 0; s < 7; s++) hi_o[s] = m[s] && (m >> (s + 1)) == 8'd0;
  end
endmodule
