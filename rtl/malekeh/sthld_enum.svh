// SPDX-License-Identifier: Apache-2.0
// The ENUMs of sthld.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [2:0] Start = 3'd1;
localparam logic [2:0] Flat = 3'd2;
localparam logic [2:0] Guess = 3'd3;
localparam logic [2:0] Steep = 3'd4;
localparam logic [2:0] Settle = 3'd5;
localparam logic [2:0] Hold = 3'd6;
/* verilator lint_on UNUSEDPARAM */
