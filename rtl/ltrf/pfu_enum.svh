// SPDX-License-Identifier: Apache-2.0
// The ENUMs of pfu.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [1:0] CommandActivate = 2'd0;
localparam logic [1:0] CommandDeactivate = 2'd1;
localparam logic [1:0] CommandPrefetch = 2'd2;
localparam logic [1:0] CommandEnd = 2'd3;
localparam logic [2:0] Idle = 3'd0;
localparam logic [2:0] Load = 3'd1;
localparam logic [2:0] Evict = 3'd2;
localparam logic [2:0] Allocate = 3'd3;
localparam logic [2:0] Wait = 3'd4;
localparam logic [2:0] Done = 3'd5;
/* verilator lint_on UNUSEDPARAM */
