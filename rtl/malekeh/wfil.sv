// SPDX-License-Identifier: Apache-2.0
// wfil: write filter: which result each collector caches, and of which ones it drops an old copy. A unit caches one result a
// cycle, the lowest one of its owner that is near; the others go to the banks alone.
// C twin: cmodel/blocks/malekeh/wfil.c
// Combinational, all results a cycle; the clock serves the assertions.
module wfil #(
  parameter int NumCollectors = 2,    // collector units of the sub-core, a power of two from 2
  parameter int NumResults = 2,       // results that may be written in a cycle, a power of two from 2
  parameter int NumWarps = 8,         // warps of the sub-core, a power of two from 2
  parameter int Filter = 1            // 1: near results alone are cached; 0: any
) (
  input  logic                                        clk_i,
  input  logic                                        rst_ni,
  // results that are written, [result]: warp; near
  input  logic [NumResults-1:0]                       result_valid_i,
  input  logic [NumResults*$clog2(NumWarps)-1:0]      result_warp_i,
  input  logic [NumResults-1:0]                       result_near_i,
  // units that have an owner, [unit]: this warp
  input  logic [NumCollectors-1:0]                    owner_valid_i,
  input  logic [NumCollectors*$clog2(NumWarps)-1:0]   owner_warp_i,
  // units that cache a result, [unit]: which one; [unit][result]: the unit drops its copy
  output logic [NumCollectors-1:0]                    cache_valid_o,
  output logic [NumCollectors*$clog2(NumResults)-1:0] cache_result_o,
  output logic [NumCollectors*NumResults-1:0]         snoop_valid_o
);
  localparam int ResultW = $clog2(NumResults);
  localparam int WarpW = $clog2(NumWarps);

  // the flat ports as arrays
  logic [WarpW-1:0]      result_warp [NumResults];
  logic [WarpW-1:0]      owner_warp [NumCollectors];
  logic [ResultW-1:0]    cache_result [NumCollectors];
  logic [NumResults-1:0] snoop_valid [NumCollectors];
  for (genvar r = 0; r < NumResults; r++) begin : gen_result_port
    assign result_warp[r] = result_warp_i[WarpW*r +: WarpW];
  end
  for (genvar u = 0; u < NumCollectors; u++) begin : gen_port
    assign owner_warp[u]                           = owner_warp_i[WarpW*u +: WarpW];
    assign cache_result_o[ResultW*u +: ResultW]    = cache_result[u];
    assign snoop_valid_o[NumResults*u +: NumResults] = snoop_valid[u];
  end

  for (genvar u = 0; u < NumCollectors; u++) begin : gen_unit
    logic [NumResults-1:0] mine;                  // results that belong to the unit
    logic [NumResults-1:0] want;
    logic [NumResults-1:0] take;
    for (genvar r = 0; r < NumResults; r++) begin : gen_result
      assign mine[r] = result_valid_i[r] && owner_valid_i[u] && result_warp[r] == owner_warp[u];
    end
    assign want = Filter != 0 ? mine & result_near_i : mine;
    first_one #(.N(NumResults)) u_take (.bits_i(want), .one_hot_o(take), .index_o(cache_result[u]));
    assign cache_valid_o[u] = want != '0;
    assign snoop_valid[u]   = mine & ~take;
  end

  logic unused;
  assign unused = &{clk_i, rst_ni};

`include "wfil_properties.svh"
endmodule
