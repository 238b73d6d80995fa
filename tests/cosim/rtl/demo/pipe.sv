// SPDX-License-Identifier: Apache-2.0
// pipe: a FIFO with a count; the engine's own test block.
// C twin: tests/cosim/cmodel/blocks/demo/pipe.c
// Latency 1, one word per cycle.
module pipe (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        in_valid_i,
  input  logic [4:0]  in_tag_i,
  input  logic [4:0]  in_alternate_i,
  input  logic [71:0] in_data_i,
  input  logic [29:0] in_lane_i,
  output logic        in_ready_o,
  output logic        out_valid_o,
  output logic [4:0]  out_tag_o,
  output logic [71:0] out_data_o,
  output logic [5:0]  out_sum_o,
  output logic [35:0] out_lane_o,
  input  logic        out_ready_i
);
  logic [1:0]  rd_q;
  logic [2:0]  fill_q;
  logic [32:0] passed_q;
  logic [4:0]  tag_q [4];
  logic [15:0] refused_q;
  logic [139:0] last_q;
  logic [71:0] d_q [4];
  logic        push, pop;
  logic [1:0]  wr;
  logic [2:0]  fill_d;

  assign in_ready_o = !fill_q[2];
  assign out_valid_o = fill_q != 3'd0;
  assign out_tag_o = out_valid_o ? tag_q[rd_q] : '0;
  assign out_data_o = out_valid_o ? d_q[rd_q] : '0;
  assign out_sum_o = {1'b0, in_tag_i} + {1'b0, in_alternate_i};
  for (genvar k = 0; k < 6; k++) assign out_lane_o[6*k +: 6] = {1'b0, in_lane_i[5*k +: 5]} + {1'b0, in_alternate_i};
  assign push = in_valid_i && in_ready_o;
  assign pop = out_ready_i && out_valid_o;
  assign wr = rd_q + fill_q[1:0];
  assign fill_d = fill_q + {2'd0, push} - {2'd0, pop};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q <= '0;
      fill_q <= '0;
      passed_q <= '0;
      refused_q <= '0;
      last_q <= '0;
      for (int i = 0; i < 4; i++) tag_q[i] <= '0;
    end else begin
      if (push) tag_q[wr] <= in_tag_i ^ (in_alternate_i >> 1);
      if (push) last_q <= {last_q[69:0], in_data_i[69:0]};
      if (pop) rd_q <= rd_q + 2'd1;
      if (pop) passed_q <= passed_q + 33'd1;
      if (in_valid_i && !in_ready_o && refused_q != '1) refused_q <= refused_q + 16'd1;
      fill_q <= fill_d;
    end
  end

  // not reset: fill_q gates it
  always_ff @(posedge clk_i) begin
    if (push) d_q[wr] <= in_data_i;
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // as many words have left as came, but for those that are here
  logic [32:0] f_taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_taken_q <= '0;
    else f_taken_q <= f_taken_q + 33'(push);
  end
  `ASSERT_ALWAYS begin
    assert (f_taken_q - 33'(fill_q) == passed_q);
    if (fill_q == 3'd4) assert (!in_ready_o);
  end
`endif
endmodule
