// SPDX-License-Identifier: Apache-2.0
// pick: the random pick of docs/blocks/malekeh/overview.md, Random picks: its place among the candidates, and the next
// value of the LFSR. The products of the register and of the seed are ready before it is known which one counts, and how many
// candidates there are.
// No C twin: part of alloc and ccu. The instantiating block holds the register.
// Combinational.
module pick #(
  parameter int NumCandidates = 8     // candidates, at most
) (
  input  logic [15:0]                                                random_i, // the LFSR; 0: no pick since reset
  input  logic [15:0]                                                seed_i,   // counts while random_i is 0
  input  logic [$clog2(NumCandidates+1)-1:0]                         count_i,  // candidates, from 1
  output logic [(NumCandidates > 1 ? $clog2(NumCandidates) : 1)-1:0] place_o,  // 0 for count_i = 0
  output logic [15:0]                                                next_random_o
);
  localparam int PlaceW = NumCandidates > 1 ? $clog2(NumCandidates) : 1;
  localparam int CountW = $clog2(NumCandidates + 1);

  logic [15:0]       seed;
  logic              fresh;
  logic [15:0]       value;
  logic [PlaceW-1:0] place [NumCandidates+1];     // [candidates]
  assign seed  = seed_i != 16'd0 ? seed_i : 16'hace1;
  assign fresh = random_i == 16'd0;
  assign value = fresh ? seed : random_i;
  for (genvar n = 0; n <= NumCandidates; n++) begin : gen_n
    logic [19:0] of_random;
    logic [19:0] of_seed;
    logic        unused;
    assign of_random = 20'(random_i) * 20'(n);
    assign of_seed   = 20'(seed) * 20'(n);
    assign place[n]  = fresh ? of_seed[16 +: PlaceW] : of_random[16 +: PlaceW];
    assign unused = &{of_random, of_seed};
  end
  always_comb begin
    place_o = '0;
    for (int n = 1; n <= NumCandidates; n++) place_o = place_o | (count_i == CountW'(n) ? place[n] : '0);
  end
  assign next_random_o = {1'b0, value[15:1]} ^ (value[0] ? 16'hb400 : 16'd0);

`include "pick_properties.svh"
endmodule
