// SPDX-License-Identifier: Apache-2.0
// rams: the two memories of rtl/common as black boxes: synthesis leaves their contents out (make synth).
(* blackbox *)
module ram_1r1w #(
  parameter int Depth = 16,
  parameter int Width = 32,
  parameter int Lanes = 1
) (
  input  logic                     clk_i,
  input  logic                     re_i,
  input  logic [$clog2(Depth)-1:0] raddr_i,
  input  logic [Lanes-1:0]         we_i,
  input  logic [$clog2(Depth)-1:0] waddr_i,
  input  logic [Width-1:0]         wdata_i,
  output logic [Width-1:0]         rdata_o
);
endmodule

(* blackbox *)
module ram_1rw #(
  parameter int Depth = 16,
  parameter int Width = 32
) (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic                     we_i,
  input  logic [$clog2(Depth)-1:0] addr_i,
  input  logic [Width-1:0]         wdata_i,
  output logic [Width-1:0]         rdata_o
);
endmodule
