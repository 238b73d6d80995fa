// SPDX-License-Identifier: Apache-2.0
// rid: register index decoder: the numbers of a vector's set bits, ascending, one per cycle. It has
// one search for the lowest bit, so that a vector needs a cycle for each register, not for each bit.
// C twin: cmodel/blocks/finereg/rid.c
// Latency 1 from load to first register; one register per cycle; loads when no bit is left.
module rid (
  input  logic        clk_i,
  input  logic        rst_ni,
  // load a vector
  input  logic        load_valid_i,
  input  logic [63:0] load_vector_i,
  output logic        load_ready_o,
  // its registers
  output logic        register_valid_o,
  output logic [5:0]  register_o,
  output logic        register_last_o,
`ifdef FORMAL
  output logic [63:0] f_remaining_o,
`endif
  input  logic        register_ready_i
);
  logic [63:0] remaining_q, remaining_d;
  logic [63:0] low;                               // the lowest bit that is left

  first_one #(.N(64)) u_low (.bits_i(remaining_q), .one_hot_o(low), .index_o(register_o));

  assign load_ready_o     = remaining_q == '0;
  assign register_valid_o = remaining_q != '0;
  assign register_last_o  = remaining_q != '0 && remaining_q == low;

  always_comb begin
    remaining_d = remaining_q;
    if (load_valid_i && load_ready_o) remaining_d = load_vector_i;
    else if (register_ready_i) remaining_d = remaining_q & ~low;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) remaining_q <= '0;
    else remaining_q <= remaining_d;
  end

`include "rid_properties.svh"
endmodule
