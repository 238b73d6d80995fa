// SPDX-License-Identifier: Apache-2.0
// sthld: threshold controller: how many cycles alloc spares near registers, from the instructions of the last two intervals. The rows
// of both changes are evaluated beside the comparison, which has two products of the counts.
// C twin: cmodel/blocks/malekeh/sthld.c
// One tick per cycle; the cycle after a tick has the new threshold.
module sthld #(
  parameter int Moved = 1,            // 0: the step after the knee is always taken
  parameter int InstructionsW = 32    // bits of the count of instructions, 32 but in proofs
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // an interval ends; its instructions
  input  logic                     tick_i,
  input  logic [InstructionsW-1:0] instructions_i,
  // a table instead of the built-in one, [row][11]
  input  logic                     table_valid_i,
  input  logic [131:0]             table_i,
  output logic [5:0]               threshold_o
);
`include "sthld_enum.svh"

  // rows, the last one first: state from 63 [3], next state [3], only if moved, step [4]
  localparam int NumRows = 12;
  localparam logic [131:0] Table = {
    11'h361, 11'h6c0,                             // hold: large, small
    11'h6c0, 11'h6c0,                             // settle
    11'h48f, 11'h5b1,                             // steep
    11'h48f, 11'h241,                             // guess
    11'h361, 11'h641,                             // flat
    11'h241, 11'h241                              // start
  };

  logic [2:0]               state_q;
  logic [5:0]               threshold_q;
  logic [InstructionsW-1:0] last_instructions_q;
  logic                     moved_q;

  // 50 |now - last| > last, without the absolute value: 50 now is above 51 last or below 49 last
  localparam int DiffW = InstructionsW + 7;
  logic [DiffW-1:0] above;
  logic [DiffW-1:0] below;
  logic             is_large;
  assign above = DiffW'(51) * DiffW'(last_instructions_q) - DiffW'(50) * DiffW'(instructions_i);
  assign below = DiffW'(50) * DiffW'(instructions_i) - DiffW'(49) * DiffW'(last_instructions_q);
  assign is_large = above[DiffW-1] || below[DiffW-1];

  // The state's two rows, the small change's first, give their results beside the comparison.
  logic [131:0] rows_in_use;
  logic [10:0]  rows [NumRows];
  logic [5:0]   threshold [2];
  logic [2:0]   state [2];
  assign rows_in_use = table_valid_i ? table_i : Table;
  for (genvar r = 0; r < NumRows; r++) begin : gen_rows
    assign rows[r] = rows_in_use[11*r +: 11];
  end
  for (genvar k = 0; k < 2; k++) begin : gen_row
    logic [10:0] row;
    logic [7:0]  sum;
    always_comb begin
      case (state_q)
        Start:   row = rows[0+k];
        Flat:    row = rows[2+k];
        Guess:   row = rows[4+k];
        Steep:   row = rows[6+k];
        Settle:  row = rows[8+k];
        default: row = rows[10+k];
      endcase
    end
    assign sum = {2'd0, threshold_q}
               + (Moved != 0 && row[4] && !moved_q ? 8'd0 : {{4{row[3]}}, row[3:0]});
    assign threshold[k] = sum[7] ? 6'd0 : sum[6] ? 6'd63 : sum[5:0];
    assign state[k]     = threshold_q == 6'd63 ? row[10:8] : row[7:5];
  end

  logic [5:0] threshold_d;
  assign threshold_d = is_large ? threshold[1] : threshold[0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q             <= Start;
      threshold_q         <= '0;
      last_instructions_q <= '0;
      moved_q             <= 1'b0;
    end else if (tick_i) begin
      state_q             <= is_large ? state[1] : state[0];
      threshold_q         <= threshold_d;
      last_instructions_q <= instructions_i;
      moved_q             <= threshold_d != threshold_q;
    end
  end
  assign threshold_o = threshold_q;

`include "sthld_properties.svh"
endmodule
