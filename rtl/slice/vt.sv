// SPDX-License-Identifier: Apache-2.0
// vt: value truncator: truncates, then scatters to the slices of r0 and r1. The two parts leave
// independently, since they may lie in different banks: a unit is free when both have left.
// C twin: cmodel/blocks/slice/vt.c
// Latency 1; one result per unit and cycle while both parts are accepted at once.
module vt #(
  parameter int NumUnits = 3,         // results at a time, one per write-back lane
  parameter int Lanes = 32            // threads of a warp
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  // results, [unit]: entry [32], payload {fp, warp[6], active[Lanes], data[Lanes][32]}
  input  logic [NumUnits-1:0]              result_valid_i,
  input  logic [32*NumUnits-1:0]           result_entry_i,
  input  logic [(7+33*Lanes)*NumUnits-1:0] result_payload_i,
  output logic [NumUnits-1:0]              result_ready_o,
  // parts to the register file, [unit]: register [8], slice mask [8], data [lane][32]
  output logic [NumUnits-1:0]              part0_valid_o,
  output logic [NumUnits-1:0]              part1_valid_o,
  output logic [8*NumUnits-1:0]            part0_register_o,
  output logic [8*NumUnits-1:0]            part0_mask_o,
  output logic [32*Lanes*NumUnits-1:0]     part0_data_o,
  output logic [8*NumUnits-1:0]            part1_register_o,
  output logic [8*NumUnits-1:0]            part1_mask_o,
  output logic [32*Lanes*NumUnits-1:0]     part1_data_o,
  output logic [Lanes*NumUnits-1:0]        active_lanes_o,
  output logic [6*NumUnits-1:0]            warp_o,
  input  logic [NumUnits-1:0]              part0_ready_i,
  input  logic [NumUnits-1:0]              part1_ready_i
);
  localparam int DataW = 32 * Lanes;
  localparam int PayloadW = 1 + 6 + Lanes + DataW;

  // the flat ports as arrays
  logic [31:0]         result_entry [NumUnits];
  logic [PayloadW-1:0] result_payload [NumUnits];
  logic [7:0]          part0_register [NumUnits];
  logic [7:0]          part0_mask [NumUnits];
  logic [DataW-1:0]    part0_data [NumUnits];
  logic [7:0]          part1_register [NumUnits];
  logic [7:0]          part1_mask [NumUnits];
  logic [DataW-1:0]    part1_data [NumUnits];
  logic [Lanes-1:0]    active_lanes [NumUnits];
  logic [5:0]          warp [NumUnits];
  for (genvar u = 0; u < NumUnits; u++) begin : gen_port
    assign result_entry[u]                = result_entry_i[32*u +: 32];
    assign result_payload[u]              = result_payload_i[PayloadW*u +: PayloadW];
    assign part0_register_o[8*u +: 8]     = part0_register[u];
    assign part0_mask_o[8*u +: 8]         = part0_mask[u];
    assign part0_data_o[DataW*u +: DataW] = part0_data[u];
    assign part1_register_o[8*u +: 8]     = part1_register[u];
    assign part1_mask_o[8*u +: 8]         = part1_mask[u];
    assign part1_data_o[DataW*u +: DataW] = part1_data[u];
    assign active_lanes_o[Lanes*u +: Lanes] = active_lanes[u];
    assign warp_o[6*u +: 6]               = warp[u];
  end

  logic [NumUnits-1:0] part0_valid_q;
  logic [NumUnits-1:0] part1_valid_q;
  logic [NumUnits-1:0] part0_valid_d;
  logic [NumUnits-1:0] part1_valid_d;
  logic [3:0]          nibbles [NumUnits];
  // the results held; not reset: part0_valid_q and part1_valid_q gate them
  logic [31:0]      entry_q [NumUnits];
  logic [DataW-1:0] part0_data_q [NumUnits];
  logic [DataW-1:0] part1_data_q [NumUnits];
  logic [Lanes-1:0] active_lanes_q [NumUnits];
  logic [5:0]       warp_q [NumUnits];

  assign result_ready_o = (~part0_valid_q | part0_ready_i) & (~part1_valid_q | part1_ready_i);

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    logic [31:0]         entry;
    logic [PayloadW-1:0] payload;
    logic [3:0]          nibbles0;
    logic [3:0]          count;
    logic                unused;  // sixteen slices, which no entry has
    logic [23:0]         select0;
    logic [23:0]         select1;
    logic [DataW-1:0]    data0;
    logic [DataW-1:0]    data1;
    logic                take;

    assign entry   = result_entry[u];
    assign payload = result_payload[u];
    assign take    = result_valid_i[u] && result_ready_o[u];
    assign nibbles[u] = count;

    popcount #(.N(8)) u_p0 (.bits_i(entry[15:8]), .count_o(nibbles0));
    popcount #(.N(16)) u_n (.bits_i({entry[31:24], entry[15:8]}), .count_o({unused, count}));
    vt_sel u_sel0 (.base_i(4'd0), .mask_i(entry[15:8]), .select_o(select0));
    vt_sel u_sel1 (.base_i(nibbles0), .mask_i(entry[31:24]), .select_o(select1));

    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic [31:0] value;
      logic [31:0] code;  // after step 1
      assign value = payload[32*l +: 32];
      vtl u_vtl (
        .value_i(value), .nibbles_i(nibbles[u]), .float_i(payload[PayloadW-1]), .code_o(code)
      );
      vt_mux u_mux0 (
        .code_i(code), .mask_i(entry[15:8]), .select_i(select0), .slices_o(data0[32*l +: 32])
      );
      vt_mux u_mux1 (
        .code_i(code), .mask_i(entry[31:24]), .select_i(select1), .slices_o(data1[32*l +: 32])
      );
    end

    assign part0_valid_d[u] = take || (part0_valid_q[u] && !part0_ready_i[u]);
    assign part1_valid_d[u] = take ? entry[31:24] != 8'd0 : part1_valid_q[u] && !part1_ready_i[u];

    always_ff @(posedge clk_i) begin
      if (take) begin
        entry_q[u]        <= entry;
        part0_data_q[u]   <= data0;
        part1_data_q[u]   <= data1;
        active_lanes_q[u] <= payload[DataW +: Lanes];
        warp_q[u]         <= payload[DataW + Lanes +: 6];
      end
    end

    assign part0_register[u] = part0_valid_q[u] ? entry_q[u][7:0] : '0;
    assign part0_mask[u]     = part0_valid_q[u] ? entry_q[u][15:8] : '0;
    assign part0_data[u]     = part0_valid_q[u] ? part0_data_q[u] : '0;
    assign part1_register[u] = part1_valid_q[u] ? entry_q[u][23:16] : '0;
    assign part1_mask[u]     = part1_valid_q[u] ? entry_q[u][31:24] : '0;
    assign part1_data[u]     = part1_valid_q[u] ? part1_data_q[u] : '0;
    assign active_lanes[u]   = part0_valid_q[u] || part1_valid_q[u] ? active_lanes_q[u] : '0;
    assign warp[u]           = part0_valid_q[u] || part1_valid_q[u] ? warp_q[u] : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      part0_valid_q <= '0;
      part1_valid_q <= '0;
    end else begin
      part0_valid_q <= part0_valid_d;
      part1_valid_q <= part1_valid_d;
    end
  end

  assign part0_valid_o = part0_valid_q;
  assign part1_valid_o = part1_valid_q;

`include "vt_properties.svh"
endmodule
