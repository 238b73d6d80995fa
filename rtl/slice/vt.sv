// SPDX-License-Identifier: Apache-2.0
// vt: value truncator: truncate, then scatter to the slices of r0 and r1; the two parts leave independently.
// C twin: cmodel/blocks/slice/vt.c
// Latency 1; one result per unit and cycle while both parts are accepted at once.
module vt #(
  parameter int NumUnits = 3,
  parameter int Lanes = 32
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // results: entry and payload {fp, warp[6], lane[Lanes], data[32 * Lanes]}
  input  logic [NumUnits-1:0]            i_v_i,
  input  logic [32*NumUnits-1:0]         i_e_i,
  input  logic [(7+33*Lanes)*NumUnits-1:0] i_pl_i,
  output logic [NumUnits-1:0]            i_rdy_o,
  // parts to the register file
  output logic [NumUnits-1:0]            o_v0_o,
  output logic [NumUnits-1:0]            o_v1_o,
  output logic [8*NumUnits-1:0]          o_r0_o,
  output logic [8*NumUnits-1:0]          o_m0_o,
  output logic [32*Lanes*NumUnits-1:0]   o_d0_o,
  output logic [8*NumUnits-1:0]          o_r1_o,
  output logic [8*NumUnits-1:0]          o_m1_o,
  output logic [32*Lanes*NumUnits-1:0]   o_d1_o,
  output logic [Lanes*NumUnits-1:0]      o_lane_o,
  output logic [6*NumUnits-1:0]          o_warp_o,
  input  logic [NumUnits-1:0]            o_rdy0_i,
  input  logic [NumUnits-1:0]            o_rdy1_i
);
  localparam int DataW = 32 * Lanes;
  localparam int PlW = 1 + 6 + Lanes + DataW;

  logic [NumUnits-1:0] v0_q;
  logic [NumUnits-1:0] v1_q;
  logic [NumUnits-1:0] v0_d;
  logic [NumUnits-1:0] v1_d;

  assign i_rdy_o = (~v0_q | o_rdy0_i) & (~v1_q | o_rdy1_i);

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    logic [31:0]      e;
    logic [PlW-1:0]   pl;
    logic [3:0]       p0;
    logic [3:0]       p1;
    logic [3:0]       n;
    logic [23:0]      sel0;
    logic [23:0]      sel1;
    logic [DataW-1:0] d0;
    logic [DataW-1:0] d1;
    logic             take;
    // the result that waits; not reset: v0_q and v1_q gate it
    logic [31:0]      e_q;
    logic [DataW-1:0] d0_q;
    logic [DataW-1:0] d1_q;
    logic [Lanes-1:0] lane_q;
    logic [5:0]       warp_q;

    assign e    = i_e_i[32*u +: 32];
    assign pl   = i_pl_i[PlW*u +: PlW];
    assign take = i_v_i[u] && i_rdy_o[u];

    popcount #(.N(8)) u_p0 (.x_i(e[15:8]), .n_o(p0));
    popcount #(.N(8)) u_p1 (.x_i(e[31:24]), .n_o(p1));
    assign n = p0 + p1;
    vt_sel u_sel0 (.base_i(4'd0), .m_i(e[15:8]), .sel_o(sel0));
    vt_sel u_sel1 (.base_i(p0), .m_i(e[31:24]), .sel_o(sel1));

    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic [31:0] t;
      vtl u_vtl (.x_i(pl[32*l +: 32]), .n_i(n), .fp_i(pl[PlW-1]), .y_o(t));
      vt_mux u_mux0 (.x_i(t), .m_i(e[15:8]), .sel_i(sel0), .y_o(d0[32*l +: 32]));
      vt_mux u_mux1 (.x_i(t), .m_i(e[31:24]), .sel_i(sel1), .y_o(d1[32*l +: 32]));
    end

    assign v0_d[u] = take || (v0_q[u] && !o_rdy0_i[u]);
    assign v1_d[u] = take ? e[31:24] != 8'd0 : v1_q[u] && !o_rdy1_i[u];

    always_ff @(posedge clk_i) begin
      if (take) begin
        e_q    <= e;
        d0_q   <= d0;
        d1_q   <= d1;
        lane_q <= pl[DataW +: Lanes];
        warp_q <= pl[DataW + Lanes +: 6];
      end
    end

    assign o_r0_o[8*u +: 8]           = v0_q[u] ? e_q[7:0] : '0;
    assign o_m0_o[8*u +: 8]           = v0_q[u] ? e_q[15:8] : '0;
    assign o_d0_o[DataW*u +: DataW]   = v0_q[u] ? d0_q : '0;
    assign o_r1_o[8*u +: 8]           = v1_q[u] ? e_q[23:16] : '0;
    assign o_m1_o[8*u +: 8]           = v1_q[u] ? e_q[31:24] : '0;
    assign o_d1_o[DataW*u +: DataW]   = v1_q[u] ? d1_q : '0;
    assign o_lane_o[Lanes*u +: Lanes] = v0_q[u] || v1_q[u] ? lane_q : '0;
    assign o_warp_o[6*u +: 6]         = v0_q[u] || v1_q[u] ? warp_q : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      v0_q <= '0;
      v1_q <= '0;
    end else begin
      v0_q <= v0_d;
      v1_q <= v1_d;
    end
  end

  assign o_v0_o = v0_q;
  assign o_v1_o = v1_q;
endmodule
