// SPDX-License-Identifier: Apache-2.0
// The ENUMs of lrvc.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [1:0] Idle = 2'd0;
localparam logic [1:0] MemoryRequest = 2'd1;
localparam logic [1:0] MemoryWait = 2'd2;
/* verilator lint_on UNUSEDPARAM */
