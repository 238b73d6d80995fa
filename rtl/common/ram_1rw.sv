// SPDX-License-Identifier: Apache-2.0
// ram_1rw: single-port memory; one of the two wrappers that synthesis replaces by a macro.
// No C twin: an array in the model that uses it.
// Latency: a read's data in the next cycle, held until the next read. One access per cycle.
// Contents are not reset.
module ram_1rw #(
  parameter int Depth = 16,         // words, at least 2
  parameter int Width = 32          // bits of a word
) (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic                     we_i,
  input  logic [$clog2(Depth)-1:0] addr_i,
  input  logic [Width-1:0]         wdata_i,
`ifdef FORMAL
  output logic [Depth*Width-1:0]   f_mem_o,
`endif
  output logic [Width-1:0]         rdata_o
);
  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (we_i) mem_q[addr_i] <= wdata_i;
      else rdata_q <= mem_q[addr_i];
    end
  end

  assign rdata_o = rdata_q;

`ifdef FORMAL
`include "ram_1rw_properties.svh"
`endif
endmodule
