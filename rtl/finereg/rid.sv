// SPDX-License-Identifier: Apache-2.0
// rid: register index decoder: the numbers of a vector's set bits, ascending, one per cycle.
// C twin: cmodel/blocks/finereg/rid.c
// Latency 1 from load to first index; one index per cycle; loads when no bit is left.
module rid (
  input  logic        clk_i,
  input  logic        rst_ni,
  // load a vector
  input  logic        ld_v_i,
  input  logic [63:0] ld_vec_i,
  output logic        ld_rdy_o,
  // its indices
  output logic        ix_v_o,
  output logic [5:0]  ix_o,
  output logic        ix_last_o,
`ifdef FORMAL
  output logic [63:0] f_rem_o,
`endif
  input  logic        ix_rdy_i
);
  logic [63:0] rem_q, rem_d;
  logic [63:0] low;                               // the lowest bit that is left

  first_one #(.N(64)) u_low (.x_i(rem_q), .oh_o(low), .idx_o(ix_o));

  assign ld_rdy_o  = rem_q == '0;
  assign ix_v_o    = rem_q != '0;
  assign ix_last_o = rem_q != '0 && rem_q == low;

  always_comb begin
    rem_d = rem_q;
    if (ld_v_i && ld_rdy_o) rem_d = ld_vec_i;
    else if (ix_rdy_i) rem_d = rem_q & ~low;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rem_q <= '0;
    else rem_q <= rem_d;
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  assign f_rem_o = rem_q;                           // for the engine's proof
  initial assume (!rst_ni);
`endif

  // the bits left, computed from the transfers alone
  logic [63:0] f_left_q;
  logic [5:0]  f_prev_q;                            // the index taken last,
  logic        f_first_q;                           // if one was
  logic        f_hold_q;
  logic [5:0]  f_ix_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_left_q  <= '0;
      f_first_q <= 1'b1;
      f_hold_q  <= 1'b0;
    end else begin
      f_hold_q <= ix_v_o && !ix_rdy_i;
      if (ld_v_i && ld_rdy_o) begin
        f_left_q  <= ld_vec_i;
        f_first_q <= 1'b1;
      end else if (ix_v_o && ix_rdy_i) begin
        f_left_q[ix_o] <= 1'b0;
        f_first_q      <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    f_ix_q <= ix_o;
    if (ix_v_o && ix_rdy_i) f_prev_q <= ix_o;
  end

  `ASSERT_ANY(f_i, 6)                               // any bit
  `ASSERT_ALWAYS begin
    assert (rem_q == f_left_q);
    assert (ld_rdy_o == (f_left_q == '0));
    assert (ix_v_o == !ld_rdy_o);
    if (ix_v_o) begin
      // 1: the index is the lowest bit left, and above the one taken before
      assert (f_left_q[ix_o]);
      if (f_left_q[f_i]) assert (f_i >= ix_o);
      if (!f_first_q && f_left_q[f_i]) assert (f_i > f_prev_q);
      // 2: it is marked as last if no other bit is left
      if (ix_last_o && f_left_q[f_i]) assert (f_i == ix_o);
      assert (ix_last_o == ((f_left_q & ~(64'd1 << ix_o)) == '0));
    end else begin
      assert (ix_o == '0 && !ix_last_o);
    end
    // 3: an index stays until it is taken
    if (f_hold_q) assert (ix_v_o && ix_o == f_ix_q);
  end
`ifdef FORMAL
  always_comb begin
    cover (rst_ni && ix_last_o && !f_first_q && ix_o == 6'd63 && f_prev_q == 6'd0);
  end
`endif
`endif
endmodule
