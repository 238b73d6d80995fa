// SPDX-License-Identifier: Apache-2.0
// rr_arb: round robin from a pointer upward, as two fixed-priority passes: at or above the pointer,
// then all.
// No C twin: a loop in the model that uses it. The instantiating block holds the pointer. N >= 2.
// Combinational.
module rr_arb #(
  parameter int N = 4               // requesters, at least 2
) (
  input  logic [N-1:0]         request_i,  // bit per requester
  input  logic [$clog2(N)-1:0] pointer_i,  // requester at which the search starts, 0 to N - 1
  output logic [N-1:0]         grant_o,    // one-hot, or zero without a request
  output logic [$clog2(N)-1:0] index_o,    // number of the winner; zero without a request
  output logic [$clog2(N)-1:0] pointer_o   // the pointer after this cycle
);
  localparam int W = $clog2(N);

  // requests at or above the pointer; the first of them wins or, if there is none, the first of all
  logic [N-1:0] upper;
  logic [N-1:0] first_upper;
  logic [N-1:0] first_all;
  logic [W-1:0] idx_upper;
  logic [W-1:0] idx_all;
  assign upper = request_i & ({N{1'b1}} << pointer_i);
  first_one #(.N(N)) u_upper (.bits_i(upper), .one_hot_o(first_upper), .index_o(idx_upper));
  first_one #(.N(N)) u_all (.bits_i(request_i), .one_hot_o(first_all), .index_o(idx_all));
  assign grant_o = |upper ? first_upper : first_all;
  assign index_o = |upper ? idx_upper : idx_all;

  always_comb begin
    pointer_o = pointer_i;
    if (|request_i) pointer_o = index_o == W'(N - 1) ? '0 : index_o + W'(1);
  end

`ifdef FORMAL
`include "rr_arb_properties.svh"
`endif
endmodule
