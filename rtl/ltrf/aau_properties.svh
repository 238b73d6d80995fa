// SPDX-License-Identifier: Apache-2.0
// Properties of aau (docs/blocks/ltrf/aau.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  assign f_occupied_o   = occupied_q;
  assign f_free_count_o = free_count_q;
  initial assume (!rst_ni);
  // the inputs that the page calls illegal
  always_comb begin
    if (!init_i) begin
      if (pop_valid_i) assume (head_valid_o);
      if (push_valid_i) assume (occupied_q[push_number_i]);
    end
  end
`endif

  // 1
  logic [NumberW:0] f_free;
  always_comb begin
    f_free = '0;
    for (int i = 0; i < Depth; i++) f_free = f_free + (NumberW+1)'(!occupied_q[i]);
  end
  `ASSERT_ALWAYS begin
    assert (free_count_q == f_free && head_valid_o == (free_count_q != '0));
    assert (tail_pointer_q == head_pointer_q + free_count_q[NumberW-1:0]);
    if (!head_valid_o) assert (head_number_o == '0);
    // 2
    if (head_valid_o) assert (!occupied_q[head_number_o]);
  end

  // 2: how often a number is in the queue, and how far after the head: for all numbers in a proof,
  // for one in a simulation
  logic [NumberW-1:0] f_queue [Depth];              // in the queue's order
  logic [Depth-1:0]   f_used;
  for (genvar k = 0; k < Depth; k++) begin : gen_f_place
    logic [NumberW-1:0] f_place;
    logic [NumberW-1:0] f_number;
    assign f_place    = head_pointer_q + NumberW'(k);
    assign f_used[k]  = k < 32'(free_count_q);
    assign f_queue[k] = f_number;
    for (genvar j = 0; j < NumberW; j++) begin : gen_f_bit
      assign f_number[j] = gen_bit[j].numbers[f_place];
    end
  end
`ifdef FORMAL
  for (genvar i = 0; i < Depth; i++) begin : gen_f_number
    logic [NumberW:0] f_times;
    always_comb begin
      f_times = '0;
      for (int k = 0; k < Depth; k++) begin
        f_times = f_times + (NumberW+1)'(f_used[k] && f_queue[k] == NumberW'(i));
      end
      assert (f_times == (NumberW+1)'(!occupied_q[i]));
    end
  end
`endif

  // Of two numbers: 3, and that the first one is ahead of the second one in the queue if it became
  // free before it
  `ASSERT_ANY(f_first, NumberW)
  `ASSERT_ANY(f_second, NumberW)
  logic [NumberW:0]   f_times;
  logic [NumberW-1:0] f_first_place;
  logic [NumberW-1:0] f_second_place;
  logic               f_first_out_q;                // the first one is occupied, by what went through the ports
  logic               f_second_out_q;
  logic               f_fresh_q;                    // none of the two has been taken since init
  logic               f_ahead_q;                    // both are free, and the first one for longer
  logic               f_ahead;
  logic               f_first_goes;
  logic               f_second_goes;
  logic               f_first_comes;
  logic               f_second_comes;
  assign f_first_goes   = pop_valid_i && head_number_o == f_first;
  assign f_second_goes  = pop_valid_i && head_number_o == f_second;
  assign f_first_comes  = push_valid_i && push_number_i == f_first;
  assign f_second_comes = push_valid_i && push_number_i == f_second;
  assign f_ahead        = f_fresh_q ? f_first < f_second : f_ahead_q;
  always_comb begin
    f_times        = '0;
    f_first_place  = '0;
    f_second_place = '0;
    for (int k = 0; k < Depth; k++) begin
      f_times = f_times + (NumberW+1)'(f_used[k] && f_queue[k] == f_first);
      if (f_used[k] && f_queue[k] == f_first) f_first_place = NumberW'(k);
      if (f_used[k] && f_queue[k] == f_second) f_second_place = NumberW'(k);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_first_out_q  <= 1'b0;
      f_second_out_q <= 1'b0;
      f_fresh_q      <= 1'b1;
      f_ahead_q      <= 1'b0;
    end else if (init_i) begin
      f_first_out_q  <= 1'b0;
      f_second_out_q <= 1'b0;
      f_fresh_q      <= 1'b1;
      f_ahead_q      <= 1'b0;
    end else begin
      if (f_first_comes) f_first_out_q <= 1'b0;
      else if (f_first_goes) f_first_out_q <= 1'b1;
      if (f_second_comes) f_second_out_q <= 1'b0;
      else if (f_second_goes) f_second_out_q <= 1'b1;
      if (f_first_goes || f_second_goes) f_fresh_q <= 1'b0;
      if (f_first_goes || f_second_goes || f_first_comes) f_ahead_q <= 1'b0;
      else if (f_second_comes) f_ahead_q <= !f_first_out_q;
    end
  end
  `ASSERT_ALWAYS begin
    assert (f_times == (NumberW+1)'(!occupied_q[f_first]));
    assert (occupied_q[f_first] == f_first_out_q && occupied_q[f_second] == f_second_out_q);
    if (f_fresh_q) assert (!f_first_out_q && !f_second_out_q && !f_ahead_q);
    if (f_ahead) assert (!f_first_out_q && !f_second_out_q && f_first_place < f_second_place);
    if (!init_i && f_first_goes) assert (!f_first_out_q);
    if (!init_i && f_second_goes) assert (!f_ahead);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && !head_valid_o && push_valid_i && !init_i);
    cover (rst_ni && free_count_q == (NumberW+1)'(Depth) && head_number_o == NumberW'(1) && number_q[1] == NumberW'(0));
    cover (rst_ni && free_count_q == (NumberW+1)'(1) && pop_valid_i && push_valid_i && !init_i);
    cover (rst_ni && init_i && push_valid_i && pop_valid_i && !head_valid_o);
  end
`endif
`endif
