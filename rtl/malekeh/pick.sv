// SPDX-License-Identifier: Apache-2.0
// pick: the random pick of docs/blocks/malekeh/README.md: its position among n candidates, and the next value of the LFSR.
// No C twin: part of alloc and ccu. The instantiating block holds the register.
// Combinational. The products of the register and of the seed are ready before it is known which one counts, and what n is.
module pick #(
  parameter int N = 8
) (
  input  logic [15:0]                        lfsr_i,  // 0: no pick since reset
  input  logic [15:0]                        seed_i,
  input  logic [$clog2(N+1)-1:0]             n_i,     // candidates, 1 to N
  output logic [(N > 1 ? $clog2(N) : 1)-1:0] pos_o,   // 0 for n = 0
  output logic [15:0]                        next_o
);
  localparam int W = N > 1 ? $clog2(N) : 1;
  localparam int M = $clog2(N + 1);

  logic [15:0]        seed;
  logic               fresh;
  logic [15:0]        s;
  logic [(N+1)*W-1:0] pos;
  assign seed  = seed_i != 16'd0 ? seed_i : 16'hace1;
  assign fresh = lfsr_i == 16'd0;
  assign s     = fresh ? seed : lfsr_i;
  for (genvar n = 0; n <= N; n++) begin : gen_n
    logic [19:0] of_lfsr;
    logic [19:0] of_seed;
    logic        unused;
    assign of_lfsr = 20'(lfsr_i) * 20'(n);
    assign of_seed = 20'(seed) * 20'(n);
    assign pos[W*n +: W] = fresh ? of_seed[16 +: W] : of_lfsr[16 +: W];
    assign unused = &{of_lfsr, of_seed};
  end
  always_comb begin
    pos_o = '0;
    for (int n = 1; n <= N; n++) pos_o = pos_o | (n_i == M'(n) ? pos[W*n +: W] : '0);
  end
  assign next_o = {1'b0, s[15:1]} ^ (s[0] ? 16'hb400 : 16'd0);

`ifdef FORMAL
  // ---- proof
  logic [15:0] f_s;
  assign f_s = lfsr_i != '0 ? lfsr_i : seed_i != '0 ? seed_i : 16'hace1;
  always_comb begin
    assert (next_o != 16'd0 && next_o == (f_s[0] ? 16'(f_s >> 1) ^ 16'hb400 : 16'(f_s >> 1)));
    if (n_i != '0 && 32'(n_i) <= N) begin
      assert (32'(pos_o) == (32'(f_s) * 32'(n_i)) >> 16);
      assert (32'(pos_o) < 32'(n_i));
    end
  end
`endif
endmodule
