// SPDX-License-Identifier: Apache-2.0
// The ENUMs of csw.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [1:0] ContextNone = 2'd0;
localparam logic [1:0] ContextShared = 2'd1;
localparam logic [1:0] ContextPipeline = 2'd2;
localparam logic [1:0] RegistersNone = 2'd0;
localparam logic [1:0] RegistersAway = 2'd1;
localparam logic [1:0] RegistersHere = 2'd2;
localparam logic [1:0] OperationSpill = 2'd0;
localparam logic [1:0] OperationRestore = 2'd1;
localparam logic [1:0] OperationSwap = 2'd2;
localparam logic [2:0] Idle = 3'd0;
localparam logic [2:0] Examine = 3'd1;
localparam logic [2:0] Command = 3'd2;
localparam logic [2:0] Wait = 3'd3;
localparam logic [2:0] MoveOut = 3'd4;
localparam logic [2:0] MoveIn = 3'd5;
localparam logic [2:0] Set = 3'd6;
localparam logic [2:0] ExamineSwap = 3'd7;
/* verilator lint_on UNUSEDPARAM */
