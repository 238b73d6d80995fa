// SPDX-License-Identifier: Apache-2.0
// The ENUMs of lm.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [1:0] ModeMonitor = 2'd0;
localparam logic [1:0] ModeSelected = 2'd1;
localparam logic [1:0] ModeOff = 2'd2;
/* verilator lint_on UNUSEDPARAM */
