// SPDX-License-Identifier: Apache-2.0
// The ENUMs of csw.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [1:0] OpSpill = 2'd0;
localparam logic [1:0] OpRestore = 2'd1;
localparam logic [1:0] OpSwap = 2'd2;
localparam logic [2:0] Idle = 3'd0;
localparam logic [2:0] Eval = 3'd1;
localparam logic [2:0] Rm = 3'd2;
localparam logic [2:0] Wait = 3'd3;
localparam logic [2:0] Out = 3'd4;
localparam logic [2:0] In = 3'd5;
localparam logic [2:0] Set = 3'd6;
localparam logic [2:0] Eval4 = 3'd7;
/* verilator lint_on UNUSEDPARAM */
