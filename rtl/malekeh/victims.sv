// SPDX-License-Identifier: Apache-2.0
// victims: the list of victims of docs/blocks/malekeh/ccu.md, as the place of each entry that is not locked. It counts the
// entries before each one, all at once, so that an allocation's misses take their places without waiting for each other.
// No C twin: part of ccu.
// Combinational.
module victims #(
  parameter int NumEntries = 8,       // entries of the cache table
  parameter int Near = 1              // 1: near entries are replaced last; 0: least recently used alone
) (
  // entries: valid, locked, near; [entry][entry]: the first one was used after the second one
  input  logic [NumEntries-1:0]                      valid_i,
  input  logic [NumEntries-1:0]                      locked_i,
  input  logic [NumEntries-1:0]                      near_i,
  input  logic [NumEntries*NumEntries-1:0]           after_i,
  // the pick's LFSR and seed
  input  logic [15:0]                                random_i,
  input  logic [15:0]                                seed_i,
  // [entry]: its place in the list, which means nothing of a locked one; the first one of the list, one-hot, 0 if all are locked
  output logic [NumEntries*$clog2(NumEntries+1)-1:0] place_o,
  output logic [NumEntries-1:0]                      head_o,
  // entries that are not valid; there is a far one: a victim after the former takes the pick; the LFSR after the pick
  output logic [$clog2(NumEntries+1)-1:0]            num_empty_o,
  output logic                                       some_far_o,
  output logic [15:0]                                next_random_o
);
  localparam int EntryW = $clog2(NumEntries);
  localparam int CountW = $clog2(NumEntries + 1);

  // the flat ports as arrays
  logic [NumEntries-1:0] after [NumEntries];      // [entry] those that were used before it
  logic [CountW-1:0]     place [NumEntries];
  for (genvar i = 0; i < NumEntries; i++) begin : gen_port
    assign after[i]                    = after_i[NumEntries*i +: NumEntries];
    assign place_o[CountW*i +: CountW] = place[i];
  end

  logic [NumEntries-1:0] empty;
  logic [NumEntries-1:0] far;
  logic [NumEntries-1:0] rest;
  logic [CountW-1:0]     num_far;
  logic [CountW-1:0]     num_both;
  logic [EntryW-1:0]     start;                   // the far one with which the far ones begin
  assign empty = ~valid_i & ~locked_i;
  assign far   = Near != 0 ? valid_i & ~near_i & ~locked_i : '0;
  assign rest  = valid_i & ~locked_i & ~far;
  popcount #(.N(NumEntries)) u_empty (.bits_i(empty), .count_o(num_empty_o));
  popcount #(.N(NumEntries)) u_far (.bits_i(far), .count_o(num_far));
  popcount #(.N(NumEntries)) u_both (.bits_i(empty | far), .count_o(num_both));
  pick #(.NumCandidates(NumEntries)) u_pick (
    .random_i(random_i), .seed_i(seed_i), .count_i(num_far),
    .place_o(start), .next_random_o(next_random_o)
  );
  assign some_far_o = far != '0;

  for (genvar i = 0; i < NumEntries; i++) begin : gen_entry
    localparam logic [NumEntries-1:0] Below = ~({NumEntries{1'b1}} << i);
    logic [CountW-1:0] empty_below;
    logic [CountW-1:0] far_below;
    logic [CountW-1:0] older;                     // of the rest
    logic [CountW-1:0] turned;                    // place among the far ones, from `start` on
    popcount #(.N(NumEntries)) u_empty (.bits_i(empty & Below), .count_o(empty_below));
    popcount #(.N(NumEntries)) u_far (.bits_i(far & Below), .count_o(far_below));
    popcount #(.N(NumEntries)) u_older (.bits_i(rest & after[i]), .count_o(older));
    assign turned = far_below - CountW'(start) + (far_below < CountW'(start) ? num_far : '0);
    assign head_o[i] = empty[i] ? empty_below == '0 :
      empty == '0 && (far[i] ? far_below == CountW'(start) : far == '0 && rest[i] && older == '0);
    assign place[i] = empty[i] ? empty_below : far[i] ? num_empty_o + turned : num_both + older;
  end

`include "victims_properties.svh"
endmodule
