// SPDX-License-Identifier: Apache-2.0
// wfil: write filter: which result each collector caches, and of which ones it drops an old copy.
// C twin: cmodel/blocks/malekeh/wfil.c
// Combinational; the clock serves the assertions. Parameters but Filter are powers of two from 2.
module wfil #(
  parameter int Nccu = 2,
  parameter int Nwb = 2,
  parameter int Nw = 8,
  parameter int Filter = 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // of each lane: an accepted result; its warp; its near bit
  input  logic [Nwb-1:0]              wb_v_i,
  input  logic [Nwb*$clog2(Nw)-1:0]   wb_wid_i,
  input  logic [Nwb-1:0]              wb_near_i,
  // of each unit: it has an owner; this warp
  input  logic [Nccu-1:0]             r_widv_i,
  input  logic [Nccu*$clog2(Nw)-1:0]  r_wid_i,
  // of each unit: it takes a result; from this lane; the lanes that it snoops, a mask
  output logic [Nccu-1:0]             d_v_o,
  output logic [Nccu*$clog2(Nwb)-1:0] d_lane_o,
  output logic [Nccu*Nwb-1:0]         sn_v_o
);
  localparam int L = $clog2(Nwb);
  localparam int W = $clog2(Nw);

  logic [W-1:0]   wb_wid [Nwb];
  logic [W-1:0]   r_wid [Nccu];
  logic [L-1:0]   d_lane [Nccu];
  logic [Nwb-1:0] sn_v [Nccu];
  for (genvar l = 0; l < Nwb; l++) begin : gen_wid
    assign wb_wid[l] = wb_wid_i[W*l +: W];
  end
  for (genvar u = 0; u < Nccu; u++) begin : gen_port
    assign r_wid[u]             = r_wid_i[W*u +: W];
    assign d_lane_o[L*u +: L]   = d_lane[u];
    assign sn_v_o[Nwb*u +: Nwb] = sn_v[u];
  end

  for (genvar u = 0; u < Nccu; u++) begin : gen_unit
    logic [Nwb-1:0] mine;                         // lanes that belong to the unit
    logic [Nwb-1:0] want;
    logic [Nwb-1:0] take;
    for (genvar l = 0; l < Nwb; l++) begin : gen_lane
      assign mine[l] = wb_v_i[l] && r_widv_i[u] && wb_wid[l] == r_wid[u];
    end
    assign want = Filter != 0 ? mine & wb_near_i : mine;
    first_one #(.N(Nwb)) u_take (.x_i(want), .oh_o(take), .idx_o(d_lane[u]));
    assign d_v_o[u] = want != '0;
    assign sn_v[u]  = mine & ~take;
  end

  logic unused;
  assign unused = &{clk_i, rst_ni};

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof, of one symbolic unit and lane
  `ASSERT_ANY(f_u, $clog2(Nccu))
  `ASSERT_ANY(f_l, L)
  logic         f_mine;
  logic         f_d;                                // the lane is the unit's D
  logic [L-1:0] f_lane;
  assign f_mine = wb_v_i[f_l] && r_widv_i[f_u] && wb_wid_i[W*f_l +: W] == r_wid_i[W*f_u +: W];
  assign f_lane = d_lane_o[L*f_u +: L];
  assign f_d    = d_v_o[f_u] && f_lane == f_l;
  `ASSERT_ALWAYS begin
    // 1
    assert (f_mine == (f_d || sn_v_o[Nwb*f_u + 32'(f_l)]));
    assert (!(f_d && sn_v_o[Nwb*f_u + 32'(f_l)]));
    if (!d_v_o[f_u]) assert (f_lane == '0);
    // 2, 3
    if (Filter != 0 && f_d) assert (wb_near_i[f_l]);
    if (f_mine && (wb_near_i[f_l] || Filter == 0)) assert (d_v_o[f_u] && f_lane <= f_l);
  end

`ifdef FORMAL
  always_comb begin
    cover (d_v_o == '1 && d_lane_o == '1 && sn_v_o == '0);
    cover (sn_v_o[Nwb-1:0] == '1);
    cover (d_v_o[0] && sn_v_o[Nwb-1:0] != '0 && !d_v_o[Nccu-1]);
  end
`endif
`endif
endmodule
