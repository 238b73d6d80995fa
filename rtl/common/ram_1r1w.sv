// SPDX-License-Identifier: Apache-2.0
// ram_1r1w: memory with a read and a write port, never used at the same address in one cycle;
// one of the two wrappers that synthesis replaces by a macro.
// No C twin: an array in the model that uses it.
// Latency: a read's data in the next cycle, held until the next read. One read and one write per
// cycle. A write takes the lanes that are enabled. Contents are not reset.
module ram_1r1w #(
  parameter int Depth = 16,         // words, at least 2
  parameter int Width = 32,         // bits of a word
  parameter int Lanes = 1           // parts of a word with a write enable of their own; divides Width
) (
  input  logic                     clk_i,
  input  logic                     re_i,
  input  logic [$clog2(Depth)-1:0] raddr_i,
  input  logic [Lanes-1:0]         we_i,
  input  logic [$clog2(Depth)-1:0] waddr_i,
  input  logic [Width-1:0]         wdata_i,
`ifdef FORMAL
  output logic [Depth*Width-1:0]   f_mem_o,
`endif
  output logic [Width-1:0]         rdata_o
);
  localparam int LaneW = Width / Lanes;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [LaneW-1:0] mem_q [Depth];
    logic [LaneW-1:0] rdata_q;

    always_ff @(posedge clk_i) begin
      if (re_i) rdata_q <= mem_q[raddr_i];
      if (we_i[l]) mem_q[waddr_i] <= wdata_i[LaneW*l +: LaneW];
    end

    assign rdata_o[LaneW*l +: LaneW] = rdata_q;
  end

`ifdef FORMAL
`include "ram_1r1w_properties.svh"
`endif
endmodule
