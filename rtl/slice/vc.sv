// SPDX-License-Identifier: Apache-2.0
// vc: value converter: warp units of one lane converter per lane. No backpressure: whoever sends claims the sink.
// C twin: cmodel/blocks/slice/vc.c
// Latency 1, one warp operand per unit and cycle.
module vc #(
  parameter int NumUnits = 6,
  parameter int Lanes = 32
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic [NumUnits-1:0]          i_v_i,
  input  logic [4*NumUnits-1:0]        i_n_i,    // [NumUnits][4]
  input  logic [32*Lanes*NumUnits-1:0] i_d_i,    // [NumUnits][32 * Lanes]
  output logic [NumUnits-1:0]          o_v_o,
  output logic [32*Lanes*NumUnits-1:0] o_d_o
);
  localparam int DataW = 32 * Lanes;

  logic [NumUnits-1:0]       v_q;
  logic [NumUnits*DataW-1:0] conv;
  logic [NumUnits*DataW-1:0] d_q;

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      vcl u_vcl (
        .x_i(i_d_i[u*DataW + 32*l +: 32]),
        .n_i(i_n_i[4*u +: 4]),
        .y_o(conv[u*DataW + 32*l +: 32])
      );
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) v_q <= '0;
    else v_q <= i_v_i;
  end

  // not reset: v_q gates it
  always_ff @(posedge clk_i) begin
    for (int u = 0; u < NumUnits; u++) begin
      if (i_v_i[u]) d_q[u*DataW +: DataW] <= conv[u*DataW +: DataW];
    end
  end

  assign o_v_o = v_q;
  always_comb begin
    for (int u = 0; u < NumUnits; u++) o_d_o[u*DataW +: DataW] = v_q[u] ? d_q[u*DataW +: DataW] : '0;
  end
endmodule
