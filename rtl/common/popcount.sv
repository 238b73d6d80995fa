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

  always_comb begin
    n_o = '0;
    for (int i = 0; i < N; i++) n_o = n_o + W'(x_i[i]);
  end
endmodule
