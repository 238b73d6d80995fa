// SPDX-License-Identifier: Apache-2.0
// The ENUMs of sthld.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [2:0] StStart = 3'd1;
localparam logic [2:0] StFlat = 3'd2;
localparam logic [2:0] StGuess = 3'd3;
localparam logic [2:0] StSteep = 3'd4;
localparam logic [2:0] StSettle = 3'd5;
localparam logic [2:0] StHold = 3'd6;
/* verilator lint_on UNUSEDPARAM */
