// SPDX-License-Identifier: Apache-2.0
// vc: value converter: units for whole warps, one lane converter per lane. No backpressure: the
// sender must own the destination.
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
  logic [NumUnits*DataW-1:0] d_q;

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    logic [DataW-1:0] conv;
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      vcl u_vcl (
        .x_i(i_d_i[u*DataW + 32*l +: 32]),
        .n_i(i_n_i[4*u +: 4]),
        .y_o(conv[32*l +: 32])
      );
    end

    // not reset: v_q gates it
    always_ff @(posedge clk_i) begin
      if (i_v_i[u]) d_q[u*DataW +: DataW] <= conv;
    end

    assign o_d_o[u*DataW +: DataW] = v_q[u] ? d_q[u*DataW +: DataW] : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) v_q <= '0;
    else v_q <= i_v_i;
  end

  assign o_v_o = v_q;

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // each lane's conversion, one cycle later; the second set of converters is for the proof only
  logic [NumUnits-1:0] f_v_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_v_q <= '0;
    else f_v_q <= i_v_i;
  end
  `ASSERT_ALWAYS assert (o_v_o == f_v_q);
`ifdef FORMAL
  logic [4*NumUnits-1:0]     f_n_q;
  logic [NumUnits*DataW-1:0] f_x_q;
  logic [NumUnits*DataW-1:0] f_y;
  always_ff @(posedge clk_i) begin
    f_n_q <= i_n_i;
    f_x_q <= i_d_i;
  end
  for (genvar u = 0; u < NumUnits; u++) begin : gen_f_unit
    for (genvar l = 0; l < Lanes; l++) begin : gen_f_lane
      localparam int At = u * DataW + 32 * l;
      vcl u_vcl (.x_i(f_x_q[At +: 32]), .n_i(f_n_q[4*u +: 4]), .y_o(f_y[At +: 32]));
      `ASSERT_ALWAYS begin
        assert (o_d_o[At +: 32] == (f_v_q[u] ? f_y[At +: 32] : 32'd0));
        if (f_v_q[u] && f_n_q[4*u +: 4] == 4'd8) assert (o_d_o[At +: 32] == f_x_q[At +: 32]);
      end
    end
  end
  always_comb cover (rst_ni && o_v_o == '1 && o_d_o != '0);
`endif
`endif
endmodule
