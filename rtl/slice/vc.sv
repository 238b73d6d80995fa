// SPDX-License-Identifier: Apache-2.0
// vc: value converter: units for whole warps, one lane converter per lane. No backpressure: the
// sender must own the destination.
// C twin: cmodel/blocks/slice/vc.c
// Latency 1, one warp operand per unit and cycle.
module vc #(
  parameter int NumUnits = 6,         // operands at a time: of two dispatches, three each
  parameter int Lanes = 32            // threads of a warp
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // operands, narrow: [unit], nibbles [unit][4], data [unit][lane][32]
  input  logic [NumUnits-1:0]          operand_valid_i,
  input  logic [4*NumUnits-1:0]        operand_nibbles_i,
  input  logic [32*Lanes*NumUnits-1:0] operand_data_i,
  // the same operands as fp32, a cycle later
  output logic [NumUnits-1:0]          converted_valid_o,
  output logic [32*Lanes*NumUnits-1:0] converted_data_o
);
  localparam int NumValues = NumUnits * Lanes;    // value Lanes * u + l is unit u's lane l

  logic [3:0]  operand_nibbles [NumUnits];
  logic [31:0] operand_data [NumValues];
  logic [31:0] converted_data [NumValues];
  for (genvar u = 0; u < NumUnits; u++) begin : gen_nibbles
    assign operand_nibbles[u] = operand_nibbles_i[4*u +: 4];
  end
  for (genvar v = 0; v < NumValues; v++) begin : gen_port
    assign operand_data[v] = operand_data_i[32*v +: 32];
    assign converted_data_o[32*v +: 32] = converted_data[v];
  end

  logic [NumUnits-1:0]     converted_valid_q;
  logic [32*NumValues-1:0] converted_data_q;  // not reset: converted_valid_q gates it

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      localparam int V = Lanes * u + l;
      logic [31:0] converted;
      vcl u_vcl (
        .code_i(operand_data[V]), .nibbles_i(operand_nibbles[u]), .value_o(converted)
      );
      always_ff @(posedge clk_i) begin
        if (operand_valid_i[u]) converted_data_q[32*V +: 32] <= converted;
      end
      assign converted_data[V] = converted_valid_q[u] ? converted_data_q[32*V +: 32] : '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) converted_valid_q <= '0;
    else converted_valid_q <= operand_valid_i;
  end

  assign converted_valid_o = converted_valid_q;

`include "vc_properties.svh"
endmodule
