// SPDX-License-Identifier: Apache-2.0
// popcount: number of ones.
// No C twin: __builtin_popcount in the models.
// Combinational.
module popcount #(
  parameter int N = 8
) (
  input  logic [N-1:0]           x_i,
  output logic [$clog2(N+1)-1:0] n_o
);
  localparam int W = $clog2(N + 1);

  function automatic logic [W-1:0] ones(input logic [N-1:0] x);
    ones = '0;
    for (int i = 0; i < N; i++) ones = ones + W'(x[i]);
  endfunction

  assign n_o = ones(x_i);
endmodule
