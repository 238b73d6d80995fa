// SPDX-License-Identifier: Apache-2.0
// The ENUMs of rmu.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [1:0] OpSpill = 2'd0;
localparam logic [1:0] OpRestore = 2'd1;
localparam logic [1:0] OpSwap = 2'd2;
localparam logic [3:0] Idle = 4'd0;
localparam logic [3:0] CRq = 4'd1;
localparam logic [3:0] CWt = 4'd2;
localparam logic [3:0] Admit = 4'd3;
localparam logic [3:0] Walk = 4'd4;
localparam logic [3:0] DLd = 4'd5;
localparam logic [3:0] SRd = 4'd6;
localparam logic [3:0] SWt = 4'd7;
localparam logic [3:0] SWr = 4'd8;
localparam logic [3:0] Finish = 4'd9;
localparam logic [3:0] Look = 4'd10;
localparam logic [3:0] Move = 4'd11;
/* verilator lint_on UNUSEDPARAM */
