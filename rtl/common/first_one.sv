// SPDX-License-Identifier: Apache-2.0
// first_one: the lowest one of a vector, as a mask and as a number.
// No C twin: __builtin_ctzll in the models.
// Combinational, of logarithmic depth: a prefix tree. The upward pass finds the first one of each
// window; the downward pass finds whether a one lies below each position. More than 64 positions are
// searched as two halves: Verilator keeps 64 bits in one word, which is three times as fast.
module first_one #(
  parameter int N = 8                           // bits of the vector, at least 1
) (
  input  logic [N-1:0]                       bits_i,     // the vector
  output logic [N-1:0]                       one_hot_o,  // the lowest bit alone; zero if bits_i is zero
  output logic [(N > 1 ? $clog2(N) : 1)-1:0] index_o     // its number; zero if bits_i is zero
);
  localparam int W = N > 1 ? $clog2(N) : 1;

  if (N > 64) begin : gen_halves
    localparam int H = 1 << (W - 1);
    localparam int V = N - H > 1 ? $clog2(N - H) : 1;
    logic [H-1:0]   lo;
    logic [N-H-1:0] hi;
    logic [W-2:0]   lo_idx;
    logic [V-1:0]   hi_idx;
    logic           some_lo;
    first_one #(.N(H)) u_lo (.bits_i(bits_i[H-1:0]), .one_hot_o(lo), .index_o(lo_idx));
    first_one #(.N(N - H)) u_hi (.bits_i(bits_i[N-1:H]), .one_hot_o(hi), .index_o(hi_idx));
    assign some_lo = |bits_i[H-1:0];
    assign one_hot_o = {some_lo ? '0 : hi, lo};
    assign index_o   = {!some_lo && |bits_i[N-1:H], some_lo ? lo_idx : (W-1)'(hi_idx)};
  end else begin : gen_tree
    logic [N-1:0] free;       // no one below i
    for (genvar k = 0; k < W; k++) begin : gen_up
      // Upward: a one among the 2**k positions from i upward. Of the positions, only multiples of the
      // window's size are used; synthesis removes the others.
      logic [N-1:0] some;
      if (k == 0) begin : gen_leaf
        assign some = bits_i;
      end else begin : gen_node
        assign some = gen_up[k-1].some | (gen_up[k-1].some >> (1 << (k - 1)));
      end
    end
    for (genvar k = W; k >= 0; k--) begin : gen_down
      // Downward: no one lies below a window's upper half if none lies below it or in its lower half.
      logic [N-1:0] none;
      if (k == W) begin : gen_root
        assign none = N'(1);
      end else begin : gen_node
        assign none = gen_down[k+1].none | ((gen_down[k+1].none & ~gen_up[k].some) << (1 << k));
      end
    end
    assign free = gen_down[0].none;
    assign one_hot_o = bits_i & free;
    // Bit j of the first one's distance from i: a window's first one is in its lower half if there is
    // one, else in its upper half.
    for (genvar j = 0; j < W; j++) begin : gen_bit
      for (genvar k = j; k < W; k++) begin : gen_at
        localparam int B = k == W - 1 ? 1 : N;
        logic [B-1:0] at;
        if (k == j) begin : gen_half
          assign at = B'(~gen_up[k].some & (gen_up[k].some >> (1 << k)));
        end else begin : gen_node
          assign at = B'(gen_at[k-1].at | (~gen_up[k].some & (gen_at[k-1].at >> (1 << k))));
        end
      end
      assign index_o[j] = gen_at[W-1].at;
    end
  end

`ifdef FORMAL
`include "first_one_properties.svh"
`endif
endmodule
