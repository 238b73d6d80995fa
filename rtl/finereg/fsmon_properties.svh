// SPDX-License-Identifier: Apache-2.0
// Properties of fsmon (docs/blocks/finereg/fsmon.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  logic [NumEntries-1:0] f_occupied;
`ifdef FORMAL
  assign f_occupied_o = f_occupied;                         // for the engine's proof
`endif
  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_flag
    assign f_occupied[e] = occupied_q[e/Size][e%Size];
  end

`ifdef FORMAL
  // assumptions on the inputs
  always_comb begin
    if (allocate_valid_i) assume (free_valid_o);
    if (release_valid_i) assume (32'(release_index_i) < NumEntries && f_occupied[release_index_i]);
  end

  // 1: free = entries - occupied. f_below_q[e] counts the occupied entries below e from the ports
  // alone; it exceeds f_below_q[e-1] by the flag of entry e-1, so the last one is the sum.
  logic [(NumEntries+1)*(IndexW+1)-1:0] f_below_q;
  for (genvar e = 0; e <= NumEntries; e++) begin : gen_f_below
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_below_q[(IndexW+1)*e +: IndexW+1] <= '0;
      else f_below_q[(IndexW+1)*e +: IndexW+1] <= f_below_q[(IndexW+1)*e +: IndexW+1]
        + (IndexW+1)'(allocate_valid_i && 32'(free_index_o) < e) - (IndexW+1)'(release_valid_i && 32'(release_index_i) < e);
    end
    if (e > 0) begin : gen_f_step
      always_comb
        assert (f_below_q[(IndexW+1)*e +: IndexW+1]
                == f_below_q[(IndexW+1)*(e-1) +: IndexW+1] + (IndexW+1)'(f_occupied[e-1]));
    end else begin : gen_f_none
      always_comb assert (f_below_q[IndexW:0] == '0);
    end
  end
  always_comb
    assert (free_count_o == (IndexW+1)'(NumEntries) - f_below_q[(IndexW+1)*NumEntries +: IndexW+1]);
`endif

  // 2, 3: one symbolic entry
  `ASSERT_ANY(f_e, IndexW)
  logic f_taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_taken_q <= 1'b0;
    else if (allocate_valid_i && free_index_o == f_e) f_taken_q <= 1'b1;
    else if (release_valid_i && release_index_i == f_e) f_taken_q <= 1'b0;
  end
  `ASSERT_ALWAYS begin
    if (32'(f_e) < NumEntries) begin
      assert (f_occupied[f_e] == f_taken_q);
      if (!free_valid_o) assert (f_taken_q);
    end
    if (free_valid_o) begin
      assert (32'(free_index_o) < NumEntries && !f_occupied[free_index_o]);
      if (f_e < free_index_o) assert (f_taken_q);
    end else begin
      assert (free_index_o == '0);
    end
  end
`ifdef FORMAL
  always_comb begin
    cover (rst_ni && free_index_o == IndexW'(2) && f_occupied[3] && allocate_valid_i && release_valid_i && release_index_i == '0);
    if (NumEntries <= 8) cover (rst_ni && !free_valid_o && free_count_o == '0);
  end
`endif
`endif
