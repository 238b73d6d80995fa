// SPDX-License-Identifier: Apache-2.0
// popcount: number of ones.
// No C twin: __builtin_popcount in the models.
// Combinational, of logarithmic depth: a tree of sums of neighbours. The adders are written as gates:
// in a ripple adder the low bits come first, and the next level begins with them, so that all levels
// together take little more than one; of `+` Yosys would make one chain of carry-save adders.
module popcount #(
  parameter int N = 8               // bits of the vector, at least 1
) (
  input  logic [N-1:0]           bits_i,    // the vector
  output logic [$clog2(N+1)-1:0] count_o    // how many of its bits are 1
);
  localparam int L = $clog2(N);

  // Level k has 2^(L-k) counts of k + 1 bits; bit j of all of them is one vector.
  for (genvar k = 0; k <= L; k++) begin : gen_level
    localparam int Counts = 1 << (L - k);
    logic [Counts*(k+1)-1:0] c;
    if (k == 0) begin : gen_bits
      assign c = Counts'(bits_i);
    end else begin : gen_sum
      for (genvar j = 0; j < k; j++) begin : gen_bit
        logic [Counts-1:0] a;
        logic [Counts-1:0] b;
        logic [Counts-1:0] carry;
        assign {b, a} = gen_level[k-1].c[2*Counts*j +: 2*Counts];
        if (j == 0) begin : gen_half
          assign c[0 +: Counts] = a ^ b;
          assign carry          = a & b;
        end else begin : gen_full
          assign c[Counts*j +: Counts] = a ^ b ^ gen_bit[j-1].carry;
          assign carry                 = (a & b) | ((a ^ b) & gen_bit[j-1].carry);
        end
      end
      assign c[Counts*k +: Counts] = gen_bit[k-1].carry;
    end
  end
  assign count_o = ($clog2(N+1))'(gen_level[L].c);

`ifdef FORMAL
`include "popcount_properties.svh"
`endif
endmodule
