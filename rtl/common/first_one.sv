// SPDX-License-Identifier: Apache-2.0
// first_one: the lowest one of a vector, as a mask and as a number.
// No C twin: __builtin_ctzll in the models.
// Combinational, of logarithmic depth: a prefix tree. The upward pass finds the first one of each
// window; the downward pass finds whether a one lies below each position.
module first_one #(
  parameter int N = 8
) (
  input  logic [N-1:0]                       x_i,
  output logic [N-1:0]                       oh_o,    // one-hot; zero if x_i is zero
  output logic [(N > 1 ? $clog2(N) : 1)-1:0] idx_o    // its number; zero if x_i is zero
);
  localparam int W = N > 1 ? $clog2(N) : 1;

  logic [W*N-1:0] some;       // [W][N]: a one among the 2**k positions from i upward
  logic [W*N-1:0] at;         // [W][N]: bit j of the first one's distance from i, in such a window
  logic [N-1:0]   free;       // no one below i
  always_comb begin
    // Upward: a window's first one is in its lower half if there is one, else in its upper half. Of
    // the positions, only multiples of the window's size are used; synthesis removes the others.
    some = (W*N)'(x_i);
    at   = '0;
    for (int k = 0; k < W; k++) begin
      for (int j = 0; j < W; j++) begin
        if (j < k) at[N*j +: N] = at[N*j +: N] | (~some[N*k +: N] & (at[N*j +: N] >> (1 << k)));
      end
      at[N*k +: N] = ~some[N*k +: N] & (some[N*k +: N] >> (1 << k));
      if (k < W - 1) some[N*(k+1) +: N] = some[N*k +: N] | (some[N*k +: N] >> (1 << k));
    end
    // Downward: no one lies below a window's upper half if none lies below it or in its lower half.
    free = N'(1);
    for (int k = W - 1; k >= 0; k--) begin
      free = free | ((free & ~some[N*k +: N]) << (1 << k));
    end
  end

  assign oh_o = x_i & free;
  for (genvar j = 0; j < W; j++) begin : gen_bit
    assign idx_o[j] = at[N*j];
  end

`ifdef FORMAL
  // ---- proof
  (* anyconst *) logic [W-1:0] f_i;                 // any position
  always_comb begin
    if (32'(f_i) < N) assert (oh_o[f_i] == (x_i[f_i] && idx_o == f_i));
    assert ((oh_o == '0) == (x_i == '0));
    if (x_i != '0) begin
      assert (32'(idx_o) < N);
      if (f_i < idx_o) assert (!x_i[f_i]);
    end else assert (idx_o == '0);
  end
`endif
endmodule
