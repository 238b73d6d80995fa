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

`ifdef FORMAL
  // ---- proof: the sum again, as sums of 2, 4, 8, ... neighbouring bits
  logic [63:0] f_sum;
  always_comb begin
    f_sum = 64'(x_i);
    f_sum = (f_sum & {32{2'd1}}) + ((f_sum >> 1) & {32{2'd1}});
    f_sum = (f_sum & {16{4'd3}}) + ((f_sum >> 2) & {16{4'd3}});
    f_sum = (f_sum & {8{8'd15}}) + ((f_sum >> 4) & {8{8'd15}});
    f_sum = (f_sum & {4{16'd255}}) + ((f_sum >> 8) & {4{16'd255}});
    f_sum = (f_sum & {2{32'd65535}}) + ((f_sum >> 16) & {2{32'd65535}});
    f_sum = (f_sum & 64'hffff_ffff) + (f_sum >> 32);
    assert (64'(n_o) == f_sum);
  end
`endif
endmodule
