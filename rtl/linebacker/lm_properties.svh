// SPDX-License-Identifier: Apache-2.0
// Properties of lm (docs/blocks/linebacker/lm.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // one symbolic entry, counted from the ports in the page's order: hit, miss, window's end, launch
  `ASSERT_ANY(f_entry, IndexW)
  logic        f_on_q;                              // monitoring
  logic [31:0] f_pc_q, f_pc;
  logic [31:0] f_hits_q, f_hits;
  logic [31:0] f_misses_q, f_misses;
  logic [1:0]  f_class_q;
  logic [4:0]  f_hit_hash;
  logic [4:0]  f_miss_hash;
  logic        f_class;
  for (genvar i = 0; i < 5; i++) begin : gen_f_hash
    assign f_hit_hash[i]  = ^{hit_pc_i[i], hit_pc_i[i+5], hit_pc_i[i+10], hit_pc_i[i+15], hit_pc_i[i+20], hit_pc_i[i+25],
                              i < 2 && hit_pc_i[30+i%2]};
    assign f_miss_hash[i] = ^{miss_pc_i[i], miss_pc_i[i+5], miss_pc_i[i+10], miss_pc_i[i+15], miss_pc_i[i+20], miss_pc_i[i+25],
                              i < 2 && miss_pc_i[30+i%2]};
  end
  always_comb begin
    f_pc     = f_pc_q;
    f_hits   = f_hits_q;
    f_misses = f_misses_q;
    if (hit_valid_i && f_hit_hash[IndexW-1:0] == f_entry) begin
      if (f_hits == '0 && f_misses == '0) f_pc = hit_pc_i;
      if (f_hits != '1) f_hits = f_hits + 32'd1;
    end
    if (miss_valid_i && f_miss_hash[IndexW-1:0] == f_entry) begin
      if (f_hits == '0 && f_misses == '0) f_pc = miss_pc_i;
      if (miss_tag_hit_i && f_hits != '1) f_hits = f_hits + 32'd1;
      if (!miss_tag_hit_i && f_misses != '1) f_misses = f_misses + 32'd1;
    end
    f_class = 36'(f_hits) * 36'd5 > 36'(f_hits) + 36'(f_misses);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_pc_q     <= '0;
      f_hits_q   <= '0;
      f_misses_q <= '0;
      f_class_q  <= '0;
    end else if (launch_start_i) begin
      f_pc_q     <= '0;
      f_hits_q   <= '0;
      f_misses_q <= '0;
      f_class_q  <= '0;
    end else if (f_on_q) begin
      f_pc_q     <= f_pc;
      f_hits_q   <= window_end_i ? '0 : f_hits;
      f_misses_q <= window_end_i ? '0 : f_misses;
      if (window_end_i) f_class_q <= {f_class_q[0], f_class};
    end
  end
  `ASSERT_ALWAYS begin
    assert (load_pc_q[f_entry] == f_pc_q && hit_count_q[f_entry] == f_hits_q && miss_count_q[f_entry] == f_misses_q);
    assert (class_q[f_entry] == f_class_q);
  end

  // windows since the launch began, up to 2; the cycle before
  logic [1:0]            f_windows_q;
  logic [1:0]            f_mode_q;
  logic                  f_start_q;
  logic [NumEntries-1:0] f_old;                     // classes of the last two windows
  logic [NumEntries-1:0] f_new;
  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_class
    assign f_old[e] = class_q[e][1];
    assign f_new[e] = class_q[e][0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_windows_q <= '0;
      f_mode_q    <= ModeMonitor;
      f_start_q   <= 1'b1;
    end else begin
      if (launch_start_i) f_windows_q <= '0;
      else if (f_on_q && window_end_i && f_windows_q != 2'd2) f_windows_q <= f_windows_q + 2'd1;
      f_mode_q  <= mode_o;
      f_start_q <= launch_start_i;
    end
  end
  // it is still monitoring unless two windows with the same classes have ended
  assign f_on_q = f_windows_q != 2'd2 || f_old != f_new;
  `ASSERT_ALWAYS begin
    assert (32'(f_windows_q) == (window_count_q < 16'd2 ? 32'(window_count_q) : 32'd2));
    // the modes and what they select
    assert (mode_o == (f_on_q ? ModeMonitor : f_new != '0 ? ModeSelected : ModeOff));
    assert (selected_hashes_q == (mode_o == ModeSelected ? f_new : '0));
    // 1
    if (f_mode_q != ModeMonitor && !f_start_q) assert (mode_o == f_mode_q);
    if (f_start_q) assert (mode_o == ModeMonitor && window_count_q == '0 && !selected_o);
    assert ((selected_hashes_q != '0) == (mode_o == ModeSelected));
    // 2
    assert (selected_o == (mode_o == ModeSelected && f_mode_q == ModeMonitor));
    // 3
    assert (query_selected_o == (mode_o == ModeSelected && f_new[query_hash_i[IndexW-1:0]]));
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && selected_o && selected_hashes_q[0] && !selected_hashes_q[1]);
    cover (rst_ni && mode_o == ModeOff);
    cover (rst_ni && mode_o == ModeMonitor && window_count_q == 16'd3);
    cover (rst_ni && hit_count_q[0] == 32'd2 && miss_count_q[0] == 32'd1);
  end
`endif
`endif
