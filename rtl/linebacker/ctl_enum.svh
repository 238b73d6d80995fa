// SPDX-License-Identifier: Apache-2.0
// The ENUMs of ctl.def, made by make enums.
/* verilator lint_off UNUSEDPARAM */
localparam logic [3:0] Idle = 4'd0;
localparam logic [3:0] Hold = 4'd1;
localparam logic [3:0] Throttle = 4'd2;
localparam logic [3:0] Halt = 4'd3;
localparam logic [3:0] Quiesce = 4'd4;
localparam logic [3:0] Backup = 4'd5;
localparam logic [3:0] BackupDone = 4'd6;
localparam logic [3:0] Release = 4'd7;
localparam logic [3:0] Reactivate = 4'd8;
localparam logic [3:0] FindRange = 4'd9;
localparam logic [3:0] Offer = 4'd10;
localparam logic [3:0] Reserve = 4'd11;
localparam logic [3:0] Restore = 4'd12;
localparam logic [3:0] RestoreDone = 4'd13;
localparam logic [1:0] PolicyWait = 2'd0;
localparam logic [1:0] PolicyRun = 2'd1;
localparam logic [1:0] PolicyOff = 2'd2;
/* verilator lint_on UNUSEDPARAM */
