// SPDX-License-Identifier: Apache-2.0
// aau: address allocation unit: free numbers, in the order in which they became free, so that a
// number that has just come back is given out last.
// C twin: cmodel/blocks/ltrf/aau.c
// Latency 1 from a push to the head; one number given out and one taken back per cycle.
module aau #(
  parameter int Depth = 16            // numbers; a power of two, 2 to 32
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // all numbers become free
  input  logic                     init_i,
  // the head is taken
  input  logic                     pop_valid_i,
  // a number becomes free
  input  logic                     push_valid_i,
  input  logic [$clog2(Depth)-1:0] push_number_i,
`ifdef FORMAL
  output logic [Depth-1:0]         f_occupied_o,
  output logic [$clog2(Depth):0]   f_free_count_o,
`endif
  output logic                     head_valid_o,
  output logic [$clog2(Depth)-1:0] head_number_o
);
  localparam int NumberW = $clog2(Depth);

  logic [Depth-1:0]   occupied_q, occupied_d;
  logic [NumberW:0]   free_count_q, free_count_d;
  // the queue: a ring of places; free_count_q of them are in use, from the head on
  logic [NumberW-1:0] number_q [Depth];
  logic [NumberW-1:0] head_pointer_q, head_pointer_d;
  logic [NumberW-1:0] tail_pointer_q, tail_pointer_d;
  logic               push;
  assign push = push_valid_i && !init_i;

  for (genvar k = 0; k < Depth; k++) begin : gen_place
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) number_q[k] <= NumberW'(k);
      else if (init_i) number_q[k] <= NumberW'(k);
      else if (push && tail_pointer_q == NumberW'(k)) number_q[k] <= push_number_i;
    end
  end

  for (genvar j = 0; j < NumberW; j++) begin : gen_bit
    logic [Depth-1:0] numbers;                    // bit j of all places
    for (genvar k = 0; k < Depth; k++) begin : gen_place
      assign numbers[k] = number_q[k][j];
    end
    assign head_number_o[j] = head_valid_o && numbers[head_pointer_q];
  end
  assign head_valid_o = free_count_q != '0;

  always_comb begin
    occupied_d = occupied_q;
    if (push_valid_i) occupied_d[push_number_i] = 1'b0;
    if (pop_valid_i) occupied_d[head_number_o] = 1'b1;
    free_count_d   = free_count_q + (NumberW+1)'(push_valid_i) - (NumberW+1)'(pop_valid_i);
    head_pointer_d = head_pointer_q + NumberW'(pop_valid_i);
    tail_pointer_d = tail_pointer_q + NumberW'(push_valid_i);
    if (init_i) begin
      occupied_d     = '0;
      free_count_d   = (NumberW+1)'(Depth);
      head_pointer_d = '0;
      tail_pointer_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      occupied_q     <= '0;
      free_count_q   <= (NumberW+1)'(Depth);
      head_pointer_q <= '0;
      tail_pointer_q <= '0;
    end else begin
      occupied_q     <= occupied_d;
      free_count_q   <= free_count_d;
      head_pointer_q <= head_pointer_d;
      tail_pointer_q <= tail_pointer_d;
    end
  end

`include "aau_properties.svh"
endmodule
