// SPDX-License-Identifier: Apache-2.0
// The ENUMs of rmu.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [1:0] OperationSpill = 2'd0;
localparam logic [1:0] OperationRestore = 2'd1;
localparam logic [1:0] OperationSwap = 2'd2;
localparam logic [3:0] Idle = 4'd0;
localparam logic [3:0] VectorRequest = 4'd1;
localparam logic [3:0] VectorWait = 4'd2;
localparam logic [3:0] Admit = 4'd3;
localparam logic [3:0] Walk = 4'd4;
localparam logic [3:0] DrainLoad = 4'd5;
localparam logic [3:0] DrainRead = 4'd6;
localparam logic [3:0] DrainWait = 4'd7;
localparam logic [3:0] DrainWrite = 4'd8;
localparam logic [3:0] Finish = 4'd9;
localparam logic [3:0] Look = 4'd10;
localparam logic [3:0] Move = 4'd11;
/* verilator lint_on UNUSEDPARAM */
