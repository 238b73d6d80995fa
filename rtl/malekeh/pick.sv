// SPDX-License-Identifier: Apache-2.0
// pick: the random pick of docs/blocks/malekeh/README.md: its position among n candidates, and the next value of the LFSR.
// No C twin: part of alloc and ccu. The instantiating block holds the register.
// Combinational. The products are ready before n is: the position takes one multiplexer behind n.
module pick #(
  parameter int N = 8
) (
  input  logic [15:0]                        s_i,     // value of the LFSR, not 0
  input  logic [$clog2(N+1)-1:0]             n_i,     // candidates, 1 to N
  output logic [(N > 1 ? $clog2(N) : 1)-1:0] pos_o,   // 0 for n = 0
  output logic [15:0]                        next_o
);
  localparam int W = N > 1 ? $clog2(N) : 1;
  localparam int M = $clog2(N + 1);

  logic [(N+1)*W-1:0] pos;
  for (genvar n = 0; n <= N; n++) begin : gen_n
    logic [19:0] product;
    logic        unused;
    assign product = 20'(s_i) * 20'(n);
    assign pos[W*n +: W] = product[16 +: W];
    assign unused = &product;
  end
  always_comb begin
    pos_o = '0;
    for (int n = 1; n <= N; n++) pos_o = pos_o | (n_i == M'(n) ? pos[W*n +: W] : '0);
  end
  assign next_o = {1'b0, s_i[15:1]} ^ (s_i[0] ? 16'hb400 : 16'd0);

`ifdef FORMAL
  // ---- proof
  always_comb begin
    assume (s_i != 16'd0);
    assert (next_o != 16'd0 && next_o == (s_i[0] ? 16'(s_i >> 1) ^ 16'hb400 : 16'(s_i >> 1)));
    if (n_i != '0 && 32'(n_i) <= N) begin
      assert (32'(pos_o) == (32'(s_i) * 32'(n_i)) >> 16);
      assert (32'(pos_o) < 32'(n_i));
    end
  end
`endif
endmodule
