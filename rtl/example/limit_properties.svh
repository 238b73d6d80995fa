// SPDX-License-Identifier: Apache-2.0
// Properties of limit (docs/blocks/example/limit.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
  // what the page calls illegal
  always_comb begin
    assume (!(idle_i && memory_i));
    if (start_i) assume (max_ctas_i != '0 && max_ctas_i <= 6'd32);
  end
`endif

  // the cycle before, if there was one since the reset
  logic        f_v_q;
  logic        f_start_q;
  logic        f_idle_i_q;
  logic        f_memory_i_q;
  logic [5:0]  f_max_ctas_i_q;
  logic [5:0]  f_limit_q;
  logic [5:0]  f_max_ctas_q;
  logic [10:0] f_cycle_q;
  logic [10:0] f_idle_cycles_q;
  logic [10:0] f_memory_cycles_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_v_q             <= 1'b0;
      f_start_q         <= 1'b0;
      f_idle_i_q        <= 1'b0;
      f_memory_i_q      <= 1'b0;
      f_max_ctas_i_q    <= '0;
      f_limit_q         <= '0;
      f_max_ctas_q      <= '0;
      f_cycle_q         <= '0;
      f_idle_cycles_q   <= '0;
      f_memory_cycles_q <= '0;
    end else begin
      f_v_q             <= 1'b1;
      f_start_q         <= start_i;
      f_idle_i_q        <= idle_i;
      f_memory_i_q      <= memory_i;
      f_max_ctas_i_q    <= max_ctas_i;
      f_limit_q         <= limit_q;
      f_max_ctas_q      <= max_ctas_q;
      f_cycle_q         <= cycle_q;
      f_idle_cycles_q   <= idle_cycles_q;
      f_memory_cycles_q <= memory_cycles_q;
    end
  end

  // what the cycle before decided
  logic        f_last;
  logic [31:0] f_idle;
  logic [31:0] f_mem;
  logic        f_rise;
  logic        f_fall;
  assign f_last = 32'(f_cycle_q) + 1 == 1 << Period;
  assign f_idle = 32'(f_idle_cycles_q) + 32'(f_idle_i_q);
  assign f_mem  = 32'(f_memory_cycles_q) + 32'(f_memory_i_q);
  assign f_rise = f_idle > Idle || f_mem < Low;
  assign f_fall = f_mem > High && f_mem >= Low && f_idle <= Idle;

  `ASSERT_ALWAYS begin
    assert (limit_o == limit_q);
    // 1
    assert (limit_q >= 6'd1 && limit_q <= max_ctas_q && max_ctas_q <= 6'd32);
    // 3, 4
    assert (32'(idle_cycles_q) + 32'(memory_cycles_q) <= 32'(cycle_q));
    assert (32'(cycle_q) < 1 << Period);
    if (!f_v_q) assert (limit_q == 6'd1 && max_ctas_q == 6'd1 && cycle_q == '0);
    if (f_v_q && f_start_q) begin
      assert (max_ctas_q == f_max_ctas_i_q);
      assert (7'(limit_q) << 1 == 7'(max_ctas_q) || (7'(limit_q) << 1) + 7'd1 == 7'(max_ctas_q) ||
              (limit_q == 6'd1 && max_ctas_q == 6'd1));
      assert (cycle_q == '0 && idle_cycles_q == '0 && memory_cycles_q == '0);
    end
    if (f_v_q && !f_start_q) begin
      // 2
      assert (limit_q == f_limit_q || (f_last && (limit_q == f_limit_q + 6'd1 || limit_q + 6'd1 == f_limit_q)));
      assert (max_ctas_q == f_max_ctas_q);
      if (f_last) begin
        assert (cycle_q == '0 && idle_cycles_q == '0 && memory_cycles_q == '0);
        assert ((limit_q > f_limit_q) == (f_rise && f_limit_q < max_ctas_q));
        assert ((limit_q < f_limit_q) == (f_fall && f_limit_q > 6'd1));
      end else begin
        assert (32'(cycle_q) == 32'(f_cycle_q) + 1);
        assert (32'(idle_cycles_q) == f_idle && 32'(memory_cycles_q) == f_mem);
      end
    end
  end

`ifdef FORMAL
  // each line of the table of decisions, and the limits that it is kept within
  logic f_end;
  assign f_end = rst_ni && f_v_q && !f_start_q && f_last;
  always_comb begin
    cover (f_end && limit_q > f_limit_q && f_idle > Idle && f_mem > High);
    cover (f_end && limit_q > f_limit_q && f_idle <= Idle && f_mem < Low);
    cover (f_end && limit_q < f_limit_q && f_max_ctas_q == 6'd32);
    cover (f_end && limit_q == f_limit_q && !f_rise && !f_fall);
    cover (f_end && limit_q == f_limit_q && f_rise && limit_q != 6'd1);
    cover (f_end && limit_q == f_limit_q && f_fall && max_ctas_q != 6'd1);
  end
`endif
`endif
