// SPDX-License-Identifier: Apache-2.0
// lm: load monitor: which loads use lines again that the L1 has lost.
// C twin: cmodel/blocks/linebacker/lm.c
// One access of each kind per cycle; all entries are classified in the last cycle of a window.
// NumEntries is a power of two, 2 to 32; the hash has as many of its low bits as that needs.
module lm #(
  parameter int NumEntries = 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // a kernel begins
  input  logic        kstart_i,
  // an L1 hit
  input  logic        a_v_i,
  input  logic [31:0] a_pc_i,
  // an L1 miss
  input  logic        b_v_i,
  input  logic [31:0] b_pc_i,
  input  logic        b_hit_i,
  // a window ends
  input  logic        tick_i,
  // is this hash selected?
  input  logic [4:0]  q_hpc_i,
  output logic        q_sel_o,
  output logic [1:0]  mode_o,
  output logic        selected_o
);
  localparam int IdxW = $clog2(NumEntries);
`include "lm_enum.svh"

  logic [1:0]            mode_q, mode_d;
  logic [15:0]           k_q, k_d;
  logic [NumEntries-1:0] sel_q, sel_d;
  logic                  selected_q, selected_d;
  logic [31:0]           pc_q [NumEntries];
  logic [31:0]           hit_q [NumEntries];
  logic [31:0]           miss_q [NumEntries];
  logic [1:0]            v_q [NumEntries];

  // the accesses' entries
  logic [4:0]            a_hash;
  logic [4:0]            b_hash;
  logic [NumEntries-1:0] a_oh;
  logic [NumEntries-1:0] b_oh;
  assign a_hash = a_pc_i[4:0] ^ a_pc_i[9:5] ^ a_pc_i[14:10] ^ a_pc_i[19:15] ^ a_pc_i[24:20]
                ^ a_pc_i[29:25] ^ {3'd0, a_pc_i[31:30]};
  assign b_hash = b_pc_i[4:0] ^ b_pc_i[9:5] ^ b_pc_i[14:10] ^ b_pc_i[19:15] ^ b_pc_i[24:20]
                ^ b_pc_i[29:25] ^ {3'd0, b_pc_i[31:30]};
  assign a_oh   = a_v_i ? NumEntries'(1) << a_hash[IdxW-1:0] : '0;
  assign b_oh   = b_v_i ? NumEntries'(1) << b_hash[IdxW-1:0] : '0;

  logic                  on;
  logic [NumEntries-1:0] now;                     // class of the window that ends
  logic [NumEntries-1:0] last;                    // of the one before it
  assign on = mode_q == ModeMon;

  for (genvar e = 0; e < NumEntries; e++) begin : gen_entry
    logic [1:0]  hits;
    logic        misses;
    logic        fresh;
    logic [32:0] hit_sum;
    logic [32:0] miss_sum;
    logic [31:0] hit;
    logic [31:0] miss;
    assign hits     = {1'b0, a_oh[e]} + {1'b0, b_oh[e] && b_hit_i};
    assign misses   = b_oh[e] && !b_hit_i;
    assign fresh    = hit_q[e] == '0 && miss_q[e] == '0;
    assign hit_sum  = {1'b0, hit_q[e]} + 33'(hits);
    assign miss_sum = {1'b0, miss_q[e]} + 33'(misses);
    assign hit      = hit_sum[32] ? '1 : hit_sum[31:0];
    assign miss     = miss_sum[32] ? '1 : miss_sum[31:0];
    // 5 hit > hit + miss
    assign now[e]  = {hit, 2'd0} > {2'd0, miss};
    assign last[e] = v_q[e][0];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        pc_q[e]   <= '0;
        hit_q[e]  <= '0;
        miss_q[e] <= '0;
        v_q[e]    <= '0;
      end else if (kstart_i) begin
        pc_q[e]   <= '0;
        hit_q[e]  <= '0;
        miss_q[e] <= '0;
        v_q[e]    <= '0;
      end else if (on) begin
        if (fresh && a_oh[e]) pc_q[e] <= a_pc_i;
        else if (fresh && b_oh[e]) pc_q[e] <= b_pc_i;
        hit_q[e]  <= tick_i ? '0 : hit;
        miss_q[e] <= tick_i ? '0 : miss;
        if (tick_i) v_q[e] <= {v_q[e][0], now[e]};
      end
    end
  end

  always_comb begin
    mode_d     = mode_q;
    k_d        = k_q;
    sel_d      = sel_q;
    selected_d = 1'b0;
    if (kstart_i) begin
      mode_d = ModeMon;
      k_d    = '0;
      sel_d  = '0;
    end else if (on && tick_i) begin
      if (k_q != '1) k_d = k_q + 16'd1;
      if (k_q != '0 && now == last) begin
        mode_d     = now != '0 ? ModeSel : ModeOff;
        sel_d      = now;
        selected_d = now != '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mode_q     <= ModeMon;
      k_q        <= '0;
      sel_q      <= '0;
      selected_q <= 1'b0;
    end else begin
      mode_q     <= mode_d;
      k_q        <= k_d;
      sel_q      <= sel_d;
      selected_q <= selected_d;
    end
  end

  assign mode_o     = mode_q;
  assign selected_o = selected_q;
  assign q_sel_o    = mode_q == ModeSel && sel_q[q_hpc_i[IdxW-1:0]];

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // one symbolic entry, counted from the ports as the page says it: a, b, tick, kstart
  `ASSERT_ANY(f_e, IdxW)
  logic        f_on_q;                              // monitoring
  logic [31:0] f_pc_q, f_pc;
  logic [31:0] f_hit_q, f_hit;
  logic [31:0] f_miss_q, f_miss;
  logic [1:0]  f_v_q;
  logic [4:0]  f_a;
  logic [4:0]  f_b;
  logic        f_class;
  for (genvar i = 0; i < 5; i++) begin : gen_f_hash
    assign f_a[i] = ^{a_pc_i[i], a_pc_i[i+5], a_pc_i[i+10], a_pc_i[i+15], a_pc_i[i+20], a_pc_i[i+25],
                      i < 2 && a_pc_i[30+i%2]};
    assign f_b[i] = ^{b_pc_i[i], b_pc_i[i+5], b_pc_i[i+10], b_pc_i[i+15], b_pc_i[i+20], b_pc_i[i+25],
                      i < 2 && b_pc_i[30+i%2]};
  end
  always_comb begin
    f_pc   = f_pc_q;
    f_hit  = f_hit_q;
    f_miss = f_miss_q;
    if (a_v_i && f_a[IdxW-1:0] == f_e) begin
      if (f_hit == '0 && f_miss == '0) f_pc = a_pc_i;
      if (f_hit != '1) f_hit = f_hit + 32'd1;
    end
    if (b_v_i && f_b[IdxW-1:0] == f_e) begin
      if (f_hit == '0 && f_miss == '0) f_pc = b_pc_i;
      if (b_hit_i && f_hit != '1) f_hit = f_hit + 32'd1;
      if (!b_hit_i && f_miss != '1) f_miss = f_miss + 32'd1;
    end
    f_class = 36'(f_hit) * 36'd5 > 36'(f_hit) + 36'(f_miss);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_pc_q   <= '0;
      f_hit_q  <= '0;
      f_miss_q <= '0;
      f_v_q    <= '0;
    end else if (kstart_i) begin
      f_pc_q   <= '0;
      f_hit_q  <= '0;
      f_miss_q <= '0;
      f_v_q    <= '0;
    end else if (f_on_q) begin
      f_pc_q   <= f_pc;
      f_hit_q  <= tick_i ? '0 : f_hit;
      f_miss_q <= tick_i ? '0 : f_miss;
      if (tick_i) f_v_q <= {f_v_q[0], f_class};
    end
  end
  `ASSERT_ALWAYS begin
    assert (pc_q[f_e] == f_pc_q && hit_q[f_e] == f_hit_q && miss_q[f_e] == f_miss_q);
    assert (v_q[f_e] == f_v_q);
  end

  // windows since kstart, up to 2; the cycle before
  logic [1:0]            f_k_q;
  logic [1:0]            f_mode_q;
  logic                  f_kstart_q;
  logic [NumEntries-1:0] f_old;                     // classes of the last two windows
  logic [NumEntries-1:0] f_new;
  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_class
    assign f_old[e] = v_q[e][1];
    assign f_new[e] = v_q[e][0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_k_q      <= '0;
      f_mode_q   <= ModeMon;
      f_kstart_q <= 1'b1;
    end else begin
      if (kstart_i) f_k_q <= '0;
      else if (f_on_q && tick_i && f_k_q != 2'd2) f_k_q <= f_k_q + 2'd1;
      f_mode_q   <= mode_o;
      f_kstart_q <= kstart_i;
    end
  end
  // it is still monitoring unless two windows with the same classes have ended
  assign f_on_q = f_k_q != 2'd2 || f_old != f_new;
  `ASSERT_ALWAYS begin
    assert (32'(f_k_q) == (k_q < 16'd2 ? 32'(k_q) : 32'd2));
    // the modes and what they select
    assert (mode_o == (f_on_q ? ModeMon : f_new != '0 ? ModeSel : ModeOff));
    assert (sel_q == (mode_o == ModeSel ? f_new : '0));
    // 1
    if (f_mode_q != ModeMon && !f_kstart_q) assert (mode_o == f_mode_q);
    if (f_kstart_q) assert (mode_o == ModeMon && k_q == '0 && !selected_o);
    assert ((sel_q != '0) == (mode_o == ModeSel));
    // 2
    assert (selected_o == (mode_o == ModeSel && f_mode_q == ModeMon));
    // 3
    assert (q_sel_o == (mode_o == ModeSel && f_new[q_hpc_i[IdxW-1:0]]));
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && selected_o && sel_q[0] && !sel_q[1]);
    cover (rst_ni && mode_o == ModeOff);
    cover (rst_ni && mode_o == ModeMon && k_q == 16'd3);
    cover (rst_ni && hit_q[0] == 32'd2 && miss_q[0] == 32'd1);
  end
`endif
`endif
endmodule
