// SPDX-License-Identifier: Apache-2.0
// vt: value truncator: truncates, then scatters to the slices of r0 and r1; the two parts leave
// independently.
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
  logic [4*NumUnits-1:0]     n;
  // the results held; not reset: v0_q and v1_q gate them
  logic [32*NumUnits-1:0]    e_q;
  logic [DataW*NumUnits-1:0] d0_q;
  logic [DataW*NumUnits-1:0] d1_q;
  logic [Lanes*NumUnits-1:0] lane_q;
  logic [6*NumUnits-1:0]     warp_q;

  assign i_rdy_o = (~v0_q | o_rdy0_i) & (~v1_q | o_rdy1_i);

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    logic [31:0]      e;
    logic [PlW-1:0]   pl;
    logic [3:0]       p0;
    logic             unused;                     // sixteen slices, which no entry has
    logic [23:0]      sel0;
    logic [23:0]      sel1;
    logic [DataW-1:0] d0;
    logic [DataW-1:0] d1;
    logic             take;

    assign e    = i_e_i[32*u +: 32];
    assign pl   = i_pl_i[PlW*u +: PlW];
    assign take = i_v_i[u] && i_rdy_o[u];

    popcount #(.N(8)) u_p0 (.x_i(e[15:8]), .n_o(p0));
    popcount #(.N(16)) u_n (.x_i({e[31:24], e[15:8]}), .n_o({unused, n[4*u +: 4]}));
    vt_sel u_sel0 (.base_i(4'd0), .m_i(e[15:8]), .sel_o(sel0));
    vt_sel u_sel1 (.base_i(p0), .m_i(e[31:24]), .sel_o(sel1));

    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic [31:0] narrow;                        // after step 1
      vtl u_vtl (
        .value_i(pl[32*l +: 32]), .nibbles_i(n[4*u +: 4]), .float_i(pl[PlW-1]), .code_o(narrow)
      );
      vt_mux u_mux0 (
        .x_i(narrow), .m_i(e[15:8]), .sel_i(sel0), .y_o(d0[32*l +: 32])
      );
      vt_mux u_mux1 (
        .x_i(narrow), .m_i(e[31:24]), .sel_i(sel1), .y_o(d1[32*l +: 32])
      );
    end

    assign v0_d[u] = take || (v0_q[u] && !o_rdy0_i[u]);
    assign v1_d[u] = take ? e[31:24] != 8'd0 : v1_q[u] && !o_rdy1_i[u];

    always_ff @(posedge clk_i) begin
      if (take) begin
        e_q[32*u +: 32]         <= e;
        d0_q[DataW*u +: DataW]  <= d0;
        d1_q[DataW*u +: DataW]  <= d1;
        lane_q[Lanes*u +: Lanes] <= pl[DataW +: Lanes];
        warp_q[6*u +: 6]        <= pl[DataW + Lanes +: 6];
      end
    end

    assign o_r0_o[8*u +: 8]           = v0_q[u] ? e_q[32*u +: 8] : '0;
    assign o_m0_o[8*u +: 8]           = v0_q[u] ? e_q[32*u+8 +: 8] : '0;
    assign o_d0_o[DataW*u +: DataW]   = v0_q[u] ? d0_q[DataW*u +: DataW] : '0;
    assign o_r1_o[8*u +: 8]           = v1_q[u] ? e_q[32*u+16 +: 8] : '0;
    assign o_m1_o[8*u +: 8]           = v1_q[u] ? e_q[32*u+24 +: 8] : '0;
    assign o_d1_o[DataW*u +: DataW]   = v1_q[u] ? d1_q[DataW*u +: DataW] : '0;
    assign o_lane_o[Lanes*u +: Lanes] = v0_q[u] || v1_q[u] ? lane_q[Lanes*u +: Lanes] : '0;
    assign o_warp_o[6*u +: 6]         = v0_q[u] || v1_q[u] ? warp_q[6*u +: 6] : '0;
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

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  for (genvar u = 0; u < NumUnits; u++) begin : gen_f_unit
    // a reference model: the result taken, and which of its parts are still to leave
    logic             f_p0_q;
    logic             f_p1_q;
    logic [31:0]      f_e_q;
    logic [Lanes+5:0] f_pl_q;                       // warp and lanes
    logic             f_take;
    logic [31:0]      f_e;
    logic [3:0]       f_n;
    assign f_e    = i_e_i[32*u +: 32];
    assign f_take = i_v_i[u] && i_rdy_o[u];
    always_comb begin
      f_n  = '0;
      for (int i = 0; i < 8; i++) begin
        f_n  = f_n + 4'(f_e[8+i]) + 4'(f_e[24+i]);
      end
`ifdef FORMAL
      if (i_v_i[u]) assume (f_e[15:8] != 8'd0 && f_n <= 4'd8 && f_n != 4'd0);
`endif
    end
    `ASSERT_ALWAYS assert (n[4*u +: 4] == f_n);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_p0_q <= 1'b0;
        f_p1_q <= 1'b0;
      end else if (f_take) begin
        f_p0_q <= 1'b1;
        f_p1_q <= f_e[31:24] != 8'd0;
      end else begin
        if (o_rdy0_i[u]) f_p0_q <= 1'b0;
        if (o_rdy1_i[u]) f_p1_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (f_take) begin
        f_e_q  <= f_e;
        f_pl_q <= i_pl_i[PlW*u+DataW +: Lanes+6];
      end
    end

    `ASSERT_ALWAYS begin
      // ready when no part is left or the last one leaves now; it does not depend on i_v_i
      assert (i_rdy_o[u] == ((!f_p0_q || o_rdy0_i[u]) && (!f_p1_q || o_rdy1_i[u])));
      // each part stays until it is accepted, independently of the other
      assert (o_v0_o[u] == f_p0_q && o_v1_o[u] == f_p1_q);
      assert (o_r0_o[8*u +: 8] == (f_p0_q ? f_e_q[7:0] : 8'd0));
      assert (o_m0_o[8*u +: 8] == (f_p0_q ? f_e_q[15:8] : 8'd0));
      assert (o_r1_o[8*u +: 8] == (f_p1_q ? f_e_q[23:16] : 8'd0));
      assert (o_m1_o[8*u +: 8] == (f_p1_q ? f_e_q[31:24] : 8'd0));
      assert (o_lane_o[Lanes*u +: Lanes] == (f_p0_q || f_p1_q ? f_pl_q[0 +: Lanes] : '0));
      assert (o_warp_o[6*u +: 6] == (f_p0_q || f_p1_q ? f_pl_q[Lanes +: 6] : '0));
      if (f_p0_q || f_p1_q) assert (e_q[32*u +: 32] == f_e_q);
    end

    // the rules of the page, from the ports alone: what is not accepted stays, part 1 rises with
    // part 0, data is zero outside the mask, as many parts leave as came
    localparam int PartW = 16 + DataW;
    logic             f_hold0_q;
    logic             f_hold1_q;
    logic             f_v1_q;
    logic [PartW-1:0] f_part0;
    logic [PartW-1:0] f_part1;
    logic [PartW-1:0] f_part0_q;
    logic [PartW-1:0] f_part1_q;
    logic [2:0]       f_in0_q;
    logic [2:0]       f_in1_q;
    logic [2:0]       f_out0_q;
    logic [2:0]       f_out1_q;
    assign f_part0 = {o_r0_o[8*u +: 8], o_m0_o[8*u +: 8], o_d0_o[DataW*u +: DataW]};
    assign f_part1 = {o_r1_o[8*u +: 8], o_m1_o[8*u +: 8], o_d1_o[DataW*u +: DataW]};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_hold0_q <= 1'b0;
        f_hold1_q <= 1'b0;
        f_v1_q    <= 1'b0;
        f_in0_q   <= '0;
        f_in1_q   <= '0;
        f_out0_q  <= '0;
        f_out1_q  <= '0;
      end else begin
        f_hold0_q <= o_v0_o[u] && !o_rdy0_i[u];
        f_hold1_q <= o_v1_o[u] && !o_rdy1_i[u];
        f_v1_q    <= o_v1_o[u];
        f_in0_q   <= f_in0_q + 3'(f_take);
        f_in1_q   <= f_in1_q + 3'(f_take && f_e[31:24] != 8'd0);
        f_out0_q  <= f_out0_q + 3'(o_v0_o[u] && o_rdy0_i[u]);
        f_out1_q  <= f_out1_q + 3'(o_v1_o[u] && o_rdy1_i[u]);
      end
    end
    always_ff @(posedge clk_i) begin
      f_part0_q <= f_part0;
      f_part1_q <= f_part1;
    end
    `ASSERT_ALWAYS begin
      if (f_hold0_q) assert (o_v0_o[u] && f_part0 == f_part0_q);
      if (f_hold1_q) assert (o_v1_o[u] && f_part1 == f_part1_q);
      if (o_v1_o[u] && !f_v1_q) assert (o_v0_o[u]);
      if (o_v0_o[u]) assert (o_m0_o[8*u +: 8] != 8'd0);
      if (o_v1_o[u]) assert (o_m1_o[8*u +: 8] != 8'd0);
      assert (3'(f_in0_q - f_out0_q) == {2'd0, o_v0_o[u]});
      assert (3'(f_in1_q - f_out1_q) == {2'd0, o_v1_o[u]});
    end

`ifdef FORMAL
    // data: vtl and the scatter, which vtl_fv and vt_fv prove, applied to the result taken
    logic [3:0]  f_p0;
    logic [23:0] f_sel0;
    logic [23:0] f_sel1;
    popcount #(.N(8)) u_p0 (.x_i(f_e[15:8]), .n_o(f_p0));
    vt_sel u_sel0 (.base_i(4'd0), .m_i(f_e[15:8]), .sel_o(f_sel0));
    vt_sel u_sel1 (.base_i(f_p0), .m_i(f_e[31:24]), .sel_o(f_sel1));
    for (genvar l = 0; l < Lanes; l++) begin : gen_f_lane
      localparam int At = DataW * u + 32 * l;
      logic [31:0] f_t;
      logic [31:0] f_d0;
      logic [31:0] f_d1;
      logic [31:0] f_d0_q;
      logic [31:0] f_d1_q;
      vtl u_vtl (
        .value_i(i_pl_i[PlW*u+32*l +: 32]), .nibbles_i(n[4*u +: 4]), .float_i(i_pl_i[PlW*u+PlW-1]), .code_o(f_t)
      );
      vt_mux u_mux0 (.x_i(f_t), .m_i(f_e[15:8]), .sel_i(f_sel0), .y_o(f_d0));
      vt_mux u_mux1 (.x_i(f_t), .m_i(f_e[31:24]), .sel_i(f_sel1), .y_o(f_d1));
      always_ff @(posedge clk_i) begin
        if (f_take) begin
          f_d0_q <= f_d0;
          f_d1_q <= f_d1;
        end
      end
      `ASSERT_ALWAYS begin
        assert (o_d0_o[At +: 32] == (f_p0_q ? f_d0_q : 32'd0));
        assert (o_d1_o[At +: 32] == (f_p1_q ? f_d1_q : 32'd0));
        for (int s = 0; s < 8; s++) begin
          if (!o_m0_o[8*u+s]) assert (o_d0_o[At+4*s +: 4] == 4'd0);
          if (!o_m1_o[8*u+s]) assert (o_d1_o[At+4*s +: 4] == 4'd0);
        end
        // not visible at the ports once a part has left, but needed for the induction
        if (f_p0_q || f_p1_q) assert (d0_q[At +: 32] == f_d0_q && d1_q[At +: 32] == f_d1_q);
      end
    end
`endif
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && o_v0_o == '1 && o_v1_o == '0 && o_d0_o != '0);
    cover (rst_ni && o_v0_o[0] && o_v1_o[0] && i_v_i[0] && i_rdy_o[0]);
    cover (rst_ni && !o_v0_o[0] && o_v1_o[0] && o_d1_o[31:0] != '0);
  end
`endif
`endif
endmodule
