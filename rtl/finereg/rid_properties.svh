// SPDX-License-Identifier: Apache-2.0
// Properties of rid (docs/blocks/finereg/rid.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  assign f_remaining_o = remaining_q;                           // for the engine's proof
  initial assume (!rst_ni);
`endif

  // the bits left, computed from the transfers alone
  logic [63:0] f_left_q;
  logic [5:0]  f_previous_q;                      // the index taken last,
  logic        f_first_q;                         // if one was
  logic        f_hold_q;
  logic [5:0]  f_register_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_left_q  <= '0;
      f_first_q <= 1'b1;
      f_hold_q  <= 1'b0;
    end else begin
      f_hold_q <= register_valid_o && !register_ready_i;
      if (load_valid_i && load_ready_o) begin
        f_left_q  <= load_vector_i;
        f_first_q <= 1'b1;
      end else if (register_valid_o && register_ready_i) begin
        f_left_q[register_o] <= 1'b0;
        f_first_q            <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    f_register_q <= register_o;
    if (register_valid_o && register_ready_i) f_previous_q <= register_o;
  end

  `ASSERT_ANY(f_i, 6)                               // any bit
  `ASSERT_ALWAYS begin
    assert (remaining_q == f_left_q);
    assert (load_ready_o == (f_left_q == '0));
    assert (register_valid_o == !load_ready_o);
    if (register_valid_o) begin
      // 1: the index is the lowest bit left, and above the one taken before
      assert (f_left_q[register_o]);
      if (f_left_q[f_i]) assert (f_i >= register_o);
      if (!f_first_q && f_left_q[f_i]) assert (f_i > f_previous_q);
      // 2: it is marked as last if no other bit is left
      if (register_last_o && f_left_q[f_i]) assert (f_i == register_o);
      assert (register_last_o == ((f_left_q & ~(64'd1 << register_o)) == '0));
    end else begin
      assert (register_o == '0 && !register_last_o);
    end
    // 3: an index stays until it is taken
    if (f_hold_q) assert (register_valid_o && register_o == f_register_q);
  end
`ifdef FORMAL
  always_comb begin
    cover (rst_ni && register_last_o && !f_first_q && register_o == 6'd63 && f_previous_q == 6'd0);
  end
`endif
`endif
