// SPDX-License-Identifier: Apache-2.0
// limit: sets how many CTAs of an SM may issue. It counts the cycles of a period in which nothing could
// issue, and changes the limit by one at the period's end: more CTAs hide latency, fewer spare the cache.
// C twin: cmodel/blocks/example/limit.c
// A period takes 2^Period cycles; the cycle after its last one has the new limit. The counters have 11
// bits: Period is at most 11.
module limit #(
  parameter int Period = 11,  // log2 of a period's cycles, 1 to 11
  parameter int Idle = 16,    // more idle cycles than this: one CTA more; at most 2048
  parameter int Low = 128,    // fewer memory cycles than this: one CTA more; at most High
  parameter int High = 384    // more memory cycles than this: one CTA less; at most 2048
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // a kernel begins; the CTAs that fit
  input  logic       start_i,
  input  logic [5:0] max_ctas_i,
  // nothing could issue in this cycle: for another reason than memory; because all warps wait for memory
  input  logic       idle_i,
  input  logic       memory_i,
  output logic [5:0] limit_o
);
  localparam logic [10:0] LastCycle = 11'((1 << Period) - 1);

  logic [5:0]  limit_q, limit_d;
  logic [5:0]  max_ctas_q;
  logic [10:0] cycle_q;
  logic [10:0] idle_cycles_q;
  logic [10:0] memory_cycles_q;

  // the period with this cycle: 2048 cycles need the twelfth bit
  logic [11:0] idle;
  logic [11:0] mem;
  assign idle = {1'b0, idle_cycles_q} + 12'(idle_i);
  assign mem  = {1'b0, memory_cycles_q} + 12'(memory_i);

  logic last;
  logic more;
  logic less;
  assign last = cycle_q == LastCycle;
  assign more = idle > 12'(Idle) || mem < 12'(Low);
  assign less = !more && mem > 12'(High);

  always_comb begin
    limit_d = limit_q;
    if (start_i) limit_d = max_ctas_i[5:1] == '0 ? 6'd1 : {1'b0, max_ctas_i[5:1]};
    else if (last && more && limit_q != max_ctas_q) limit_d = limit_q + 6'd1;
    else if (last && less && limit_q != 6'd1) limit_d = limit_q - 6'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      limit_q         <= 6'd1;
      max_ctas_q      <= 6'd1;
      cycle_q         <= '0;
      idle_cycles_q   <= '0;
      memory_cycles_q <= '0;
    end else begin
      limit_q    <= limit_d;
      if (start_i) max_ctas_q <= max_ctas_i;
      cycle_q         <= start_i || last ? '0 : cycle_q + 11'd1;
      idle_cycles_q   <= start_i || last ? '0 : idle[10:0];
      memory_cycles_q <= start_i || last ? '0 : mem[10:0];
    end
  end
  assign limit_o = limit_q;

`include "limit_properties.svh"
endmodule
