// SPDX-License-Identifier: Apache-2.0
// wve: warp value extractor: the thread value extractors of all lanes. They share the entry and
// therefore the control.
// C twin: cmodel/blocks/slice/wve.c
// Combinational, inside the register file's read cycle: no cycle of latency, one part per cycle.
module wve #(
  parameter int Lanes = 32            // threads of a warp
) (
  input  logic [32*Lanes-1:0] data_i,      // [lane] register data
  input  logic [31:0]         entry_i,     // {m1, r1, m0, r0}
  input  logic                part_i,      // 0: the slices in r0, 1: in r1
  input  logic                signed_i,    // extend the sign
  output logic [32*Lanes-1:0] part_data_o  // [lane]
);
  logic [31:0] data [Lanes];
  logic [31:0] part_data [Lanes];
  for (genvar l = 0; l < Lanes; l++) begin : gen_port
    assign data[l] = data_i[32*l +: 32];
    assign part_data_o[32*l +: 32] = part_data[l];
  end

  logic [31:0] select;
  logic [7:0]  fill;
  logic [7:0]  top;

  tve_sel u_sel (
    .mask0_i(entry_i[15:8]), .mask1_i(entry_i[31:24]), .part_i(part_i), .signed_i(signed_i),
    .select_o(select), .fill_o(fill), .top_o(top)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    tve_mux u_mux (
      .data_i(data[l]), .select_i(select), .fill_i(fill), .top_i(top), .part_data_o(part_data[l])
    );
  end
endmodule
