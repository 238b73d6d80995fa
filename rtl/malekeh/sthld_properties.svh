// SPDX-License-Identifier: Apache-2.0
// Properties of sthld (docs/blocks/malekeh/sthld.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
  // the tables that the page calls illegal
  for (genvar r = 0; r < NumRows; r++) begin : gen_f_row
    always_comb begin
      if (tick_i && table_valid_i) begin
        assume (rows[r][7:5] != 3'd0 && rows[r][7:5] != 3'd7);
        assume (rows[r][10:8] != 3'd0 && rows[r][10:8] != 3'd7);
      end
    end
  end
`endif

  // the cycle before
  logic       f_tick_q;
  logic       f_own_q;                              // with the built-in table
  logic       f_large_q;
  logic [2:0] f_state_q;
  logic [5:0] f_threshold_q;
  logic       f_moved_q;
  // small changes with the built-in table, one after the other; the most of them before hold
  logic [6:0] f_small_q;
  logic [6:0] f_away;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_tick_q      <= 1'b0;
      f_own_q       <= 1'b0;
      f_large_q     <= 1'b0;
      f_state_q     <= Start;
      f_threshold_q <= '0;
      f_moved_q     <= 1'b0;
      f_small_q     <= '0;
    end else begin
      f_tick_q      <= tick_i;
      f_own_q       <= !table_valid_i;
      f_large_q     <= is_large;
      f_state_q     <= state_q;
      f_threshold_q <= threshold_q;
      f_moved_q     <= moved_q;
      if (tick_i)
        f_small_q <= is_large || table_valid_i ? '0 : f_small_q == 7'd64 ? 7'd64 : f_small_q + 7'd1;
    end
  end
  always_comb begin
    case (state_q)
      Start:   f_away = threshold_q == 6'd63 ? 7'd2 : 7'd64 - {1'b0, threshold_q};
      Flat:    f_away = 7'd64 - {1'b0, threshold_q};
      Guess:   f_away = threshold_q == 6'd63 ? 7'd2 : 7'd64 - {1'b0, threshold_q};
      Steep:   f_away = 7'd2;
      Settle:  f_away = 7'd1;
      default: f_away = 7'd0;
    endcase
  end

  // the change as the page has it
  logic [InstructionsW-1:0] f_abs;
  assign f_abs = instructions_i < last_instructions_q ? last_instructions_q - instructions_i
                                                      : instructions_i - last_instructions_q;
  `ASSERT_ALWAYS begin
    assert (is_large == (DiffW'(50) * DiffW'(f_abs) > DiffW'(last_instructions_q)));
  end

  logic [5:0] f_up;                                 // by how much the threshold rose, or fell
  logic [5:0] f_down;
  assign f_up   = threshold_q > f_threshold_q ? threshold_q - f_threshold_q : '0;
  assign f_down = threshold_q < f_threshold_q ? f_threshold_q - threshold_q : '0;
  `ASSERT_ALWAYS begin
    assert (threshold_o == threshold_q);
    // 1
    assert (state_q >= Start && state_q <= Hold);
    // 2, 5
    assert (f_up <= 6'd7 && f_down <= 6'd8);
    if (f_tick_q && f_own_q) assert (f_up <= 6'd1 && f_down <= 6'd1);
    if (f_tick_q) assert (moved_q == (threshold_q != f_threshold_q));
    if (!f_tick_q) assert (threshold_q == f_threshold_q && state_q == f_state_q && moved_q == f_moved_q);
    // 3: each small change brings hold nearer
    assert (f_away == 7'd0 || 32'(f_small_q) + 32'(f_away) <= 64);
    if (f_small_q == 7'd64) assert (state_q == Hold);
    if (f_tick_q && f_own_q && !f_large_q && f_state_q == Hold) assert (state_q == Hold && threshold_q == f_threshold_q);
    // 4
    if (f_tick_q && f_own_q) begin
      assert (state_q != Start);
      if (f_state_q == Settle) assert (state_q == Hold);
    end
    // rows of the built-in table, in words: a step back while it is steep, forward while it is flat
    if (f_tick_q && f_own_q && f_state_q == Steep) begin
      assert (state_q == (f_large_q ? Steep : Settle));
      if (f_large_q) assert (f_down != '0 || f_threshold_q == '0);
      if (!f_large_q) assert (f_down == '0 && f_up == 6'((f_moved_q || Moved == 0) && f_threshold_q != 6'd63));
    end
    if (f_tick_q && f_own_q && f_state_q == Flat) begin
      assert (f_up != '0 || f_threshold_q == 6'd63);
      assert (state_q == (f_large_q ? Guess : f_threshold_q == 6'd63 ? Hold : Flat));
    end
  end

`ifdef FORMAL
  // the walk to a knee at 1, and the limits
  always_comb begin
    cover (rst_ni && state_q == Hold && threshold_q == 6'd1 && f_moved_q && !moved_q && f_small_q == 7'd2 && f_own_q);
    cover (rst_ni && threshold_q == 6'd63 && f_tick_q && !moved_q);
    cover (rst_ni && threshold_q == '0 && f_tick_q && !f_own_q && f_threshold_q == 6'd7);
    cover (rst_ni && state_q == Start && f_state_q != Start);
  end
`endif
`endif
