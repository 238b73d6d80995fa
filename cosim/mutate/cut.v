// SPDX-License-Identifier: Apache-2.0
// For cosim/mutate/equal.sh: Yosys puts these in the place of registers and memories; expose -evert then makes ports of theirs,
// so that two copies of a block can be given the same state.
`ifndef MAP
module cut_reg #(parameter W = 1) (
  input  [W-1:0] d,
  output [W-1:0] q
);
endmodule

module cut_rd #(parameter A = 1, parameter D = 1) (     // a read port
  input  [A-1:0] ra,
  output [D-1:0] rd
);
endmodule

module cut_wr #(parameter A = 1, parameter D = 1) (     // a write port
  input  [D-1:0] we,
  input  [A-1:0] wa,
  input  [D-1:0] wd
);
endmodule

`else
(* techmap_celltype = "$dff" *)
module map_reg (CLK, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1;
  input CLK;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  cut_reg #(.W(WIDTH)) _TECHMAP_REPLACE_ (.d(D), .q(Q));
endmodule

(* techmap_celltype = "$mem_v2" *)
module map_mem (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter signed SIZE = 1;
  parameter signed OFFSET = 0;
  parameter signed ABITS = 1;
  parameter signed WIDTH = 1;
  parameter signed INIT = 1'bx;
  parameter signed RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1'b0;
  parameter RD_CLK_POLARITY = 1'b0;
  parameter RD_TRANSPARENCY_MASK = 1'b0;
  parameter RD_COLLISION_X_MASK = 1'b0;
  parameter RD_WIDE_CONTINUATION = 1'b0;
  parameter RD_CE_OVER_SRST = 1'b0;
  parameter RD_ARST_VALUE = 1'b0;
  parameter RD_SRST_VALUE = 1'b0;
  parameter RD_INIT_VALUE = 1'b0;
  parameter signed WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1'b0;
  parameter WR_CLK_POLARITY = 1'b0;
  parameter WR_PRIORITY_MASK = 1'b0;
  parameter WR_WIDE_CONTINUATION = 1'b0;
  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;
  genvar k;
  generate
    for (k = 0; k < RD_PORTS; k = k + 1) begin : rd
      cut_rd #(.A(ABITS), .D(WIDTH)) port (.ra(RD_ADDR[k*ABITS +: ABITS]), .rd(RD_DATA[k*WIDTH +: WIDTH]));
    end
    for (k = 0; k < WR_PORTS; k = k + 1) begin : wr
      cut_wr #(.A(ABITS), .D(WIDTH)) port (.we(WR_EN[k*WIDTH +: WIDTH]), .wa(WR_ADDR[k*ABITS +: ABITS]),
                                           .wd(WR_DATA[k*WIDTH +: WIDTH]));
    end
  endgenerate
  wire _TECHMAP_FAIL_ = RD_CLK_ENABLE != 0;
endmodule
`endif
