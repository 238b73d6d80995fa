// SPDX-License-Identifier: Apache-2.0
// limit: CTA limit controller: how many CTAs of the SM may issue, from the cycles of a period in which nothing issued.
// C twin: cmodel/blocks/example/limit.c
// The cycle after the last one of a period has the new limit. Period is from 1 to 11; Idle, Low and High are at most 2048.
module limit #(
  parameter int Period = 11,
  parameter int Idle = 16,
  parameter int Low = 128,
  parameter int High = 384
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // a kernel begins; the CTAs that fit
  input  logic       start_i,
  input  logic [5:0] max_i,
  // in this cycle nothing issued: not because of memory, because of memory
  input  logic       idle_i,
  input  logic       mem_i,
  output logic [5:0] n_o
);
  localparam logic [10:0] LastCyc = 11'((1 << Period) - 1);

  logic [5:0]  n_q, n_d;
  logic [5:0]  max_q;
  logic [10:0] cyc_q;
  logic [10:0] idle_q;
  logic [10:0] mem_q;

  // the period with this cycle: 2048 cycles need the twelfth bit
  logic [11:0] idle;
  logic [11:0] mem;
  assign idle = {1'b0, idle_q} + 12'(idle_i);
  assign mem  = {1'b0, mem_q} + 12'(mem_i);

  logic last;
  logic more;
  logic less;
  assign last = cyc_q == LastCyc;
  assign more = idle > 12'(Idle) || mem < 12'(Low);
  assign less = !more && mem > 12'(High);

  always_comb begin
    n_d = n_q;
    if (start_i) n_d = max_i[5:1] == '0 ? 6'd1 : {1'b0, max_i[5:1]};
    else if (last && more && n_q != max_q) n_d = n_q + 6'd1;
    else if (last && less && n_q != 6'd1) n_d = n_q - 6'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      n_q    <= 6'd1;
      max_q  <= 6'd1;
      cyc_q  <= '0;
      idle_q <= '0;
      mem_q  <= '0;
    end else begin
      n_q    <= n_d;
      if (start_i) max_q <= max_i;
      cyc_q  <= start_i || last ? '0 : cyc_q + 11'd1;
      idle_q <= start_i || last ? '0 : idle[10:0];
      mem_q  <= start_i || last ? '0 : mem[10:0];
    end
  end
  assign n_o = n_q;

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
  // what the page calls illegal
  always_comb begin
    assume (!(idle_i && mem_i));
    if (start_i) assume (max_i != '0 && max_i <= 6'd32);
  end
`endif

  // the cycle before, if there was one since the reset
  logic        f_v_q;
  logic        f_start_q;
  logic        f_idle_i_q;
  logic        f_mem_i_q;
  logic [5:0]  f_max_i_q;
  logic [5:0]  f_n_q;
  logic [5:0]  f_max_q;
  logic [10:0] f_cyc_q;
  logic [10:0] f_idle_q;
  logic [10:0] f_mem_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_v_q      <= 1'b0;
      f_start_q  <= 1'b0;
      f_idle_i_q <= 1'b0;
      f_mem_i_q  <= 1'b0;
      f_max_i_q  <= '0;
      f_n_q      <= '0;
      f_max_q    <= '0;
      f_cyc_q    <= '0;
      f_idle_q   <= '0;
      f_mem_q    <= '0;
    end else begin
      f_v_q      <= 1'b1;
      f_start_q  <= start_i;
      f_idle_i_q <= idle_i;
      f_mem_i_q  <= mem_i;
      f_max_i_q  <= max_i;
      f_n_q      <= n_q;
      f_max_q    <= max_q;
      f_cyc_q    <= cyc_q;
      f_idle_q   <= idle_q;
      f_mem_q    <= mem_q;
    end
  end

  // what the cycle before decided
  logic        f_last;
  logic [31:0] f_idle;
  logic [31:0] f_mem;
  logic        f_rise;
  logic        f_fall;
  assign f_last = 32'(f_cyc_q) + 1 == 1 << Period;
  assign f_idle = 32'(f_idle_q) + 32'(f_idle_i_q);
  assign f_mem  = 32'(f_mem_q) + 32'(f_mem_i_q);
  assign f_rise = f_idle > Idle || f_mem < Low;
  assign f_fall = f_mem > High && f_mem >= Low && f_idle <= Idle;

  `ASSERT_ALWAYS begin
    assert (n_o == n_q);
    // 1
    assert (n_q >= 6'd1 && n_q <= max_q && max_q <= 6'd32);
    // 3, 4
    assert (32'(idle_q) + 32'(mem_q) <= 32'(cyc_q));
    assert (32'(cyc_q) < 1 << Period);
    if (!f_v_q) assert (n_q == 6'd1 && max_q == 6'd1 && cyc_q == '0);
    if (f_v_q && f_start_q) begin
      assert (max_q == f_max_i_q);
      assert (7'(n_q) << 1 == 7'(max_q) || (7'(n_q) << 1) + 7'd1 == 7'(max_q) || (n_q == 6'd1 && max_q == 6'd1));
      assert (cyc_q == '0 && idle_q == '0 && mem_q == '0);
    end
    if (f_v_q && !f_start_q) begin
      // 2
      assert (n_q == f_n_q || (f_last && (n_q == f_n_q + 6'd1 || n_q + 6'd1 == f_n_q)));
      assert (max_q == f_max_q);
      if (f_last) begin
        assert (cyc_q == '0 && idle_q == '0 && mem_q == '0);
        assert ((n_q > f_n_q) == (f_rise && f_n_q < max_q));
        assert ((n_q < f_n_q) == (f_fall && f_n_q > 6'd1));
      end else begin
        assert (32'(cyc_q) == 32'(f_cyc_q) + 1);
        assert (32'(idle_q) == f_idle && 32'(mem_q) == f_mem);
      end
    end
  end

`ifdef FORMAL
  // each line of the table of decisions, and the limits that it is kept within
  logic f_end;
  assign f_end = rst_ni && f_v_q && !f_start_q && f_last;
  always_comb begin
    cover (f_end && n_q > f_n_q && f_idle > Idle && f_mem > High);
    cover (f_end && n_q > f_n_q && f_idle <= Idle && f_mem < Low);
    cover (f_end && n_q < f_n_q && f_max_q == 6'd32);
    cover (f_end && n_q == f_n_q && !f_rise && !f_fall);
    cover (f_end && n_q == f_n_q && f_rise && n_q != 6'd1);
    cover (f_end && n_q == f_n_q && f_fall && max_q != 6'd1);
  end
`endif
`endif
endmodule
