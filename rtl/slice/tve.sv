// SPDX-License-Identifier: Apache-2.0
// tve: thread value extractor: extracts one lane's operand part from its slices. The parts of an
// operand do not overlap, so that the collector ORs them.
// Control (tve_sel) and data path (tve_mux) are modules of their own: wve shares one control.
// C twin: cmodel/blocks/slice/tve.c
// Combinational: no cycle of latency, one part per cycle.
module tve (
  input  logic [31:0] data_i,       // register data of the lane
  input  logic [31:0] entry_i,      // {m1, r1, m0, r0}
  input  logic        part_i,       // 0: the slices in r0, 1: in r1
  input  logic        signed_i,     // extend the sign
  output logic [31:0] part_data_o
);
  logic [31:0] select;
  logic [7:0]  fill;
  logic [7:0]  top;

  tve_sel u_sel (
    .mask0_i(entry_i[15:8]), .mask1_i(entry_i[31:24]), .part_i(part_i), .signed_i(signed_i),
    .select_o(select), .fill_o(fill), .top_o(top)
  );
  tve_mux u_mux (
    .data_i(data_i), .select_i(select), .fill_i(fill), .top_i(top), .part_data_o(part_data_o)
  );
endmodule
