// SPDX-License-Identifier: Apache-2.0
// lm: load monitor: which loads use lines again that the L1 has lost.
// C twin: cmodel/blocks/linebacker/lm.c
// An entry for each hash of a PC counts hits and misses of one window. All entries are classified at once, in the window's last cycle,
// so that a decision takes two windows and no search.
// Latency 1 from an access or a window's end to the registers; one access of each kind per cycle. A query is answered in its cycle.
module lm #(
  parameter int NumEntries = 32       // entries, a power of two from 2 to 32; the hash has as many of its low bits as that needs
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // a launch begins
  input  logic        launch_start_i,
  // an L1 hit: PC of the load
  input  logic        hit_valid_i,
  input  logic [31:0] hit_pc_i,
  // an L1 miss: PC of the load, whether vtt has the line's tag
  input  logic        miss_valid_i,
  input  logic [31:0] miss_pc_i,
  input  logic        miss_tag_hit_i,
  // a window ends
  input  logic        window_end_i,
  // is this hash selected?
  input  logic [4:0]  query_hash_i,
  output logic        query_selected_o,
  output logic [1:0]  mode_o,
  output logic        selected_o
);
  localparam int IndexW = $clog2(NumEntries);
`include "lm_enum.svh"

  logic [1:0]            mode_q, mode_d;
  logic [15:0]           window_count_q, window_count_d;
  logic [NumEntries-1:0] selected_hashes_q, selected_hashes_d;
  logic                  selected_q, selected_d;
  logic [31:0]           load_pc_q [NumEntries];
  logic [31:0]           hit_count_q [NumEntries];
  logic [31:0]           miss_count_q [NumEntries];
  logic [1:0]            class_q [NumEntries];

  // the accesses' entries
  logic [4:0]            hit_hash;
  logic [4:0]            miss_hash;
  logic [NumEntries-1:0] hit_entry;               // one-hot, 0 without an access
  logic [NumEntries-1:0] miss_entry;
  assign hit_hash   = hit_pc_i[4:0] ^ hit_pc_i[9:5] ^ hit_pc_i[14:10] ^ hit_pc_i[19:15] ^ hit_pc_i[24:20]
                    ^ hit_pc_i[29:25] ^ {3'd0, hit_pc_i[31:30]};
  assign miss_hash  = miss_pc_i[4:0] ^ miss_pc_i[9:5] ^ miss_pc_i[14:10] ^ miss_pc_i[19:15] ^ miss_pc_i[24:20]
                    ^ miss_pc_i[29:25] ^ {3'd0, miss_pc_i[31:30]};
  assign hit_entry  = hit_valid_i ? NumEntries'(1) << hit_hash[IndexW-1:0] : '0;
  assign miss_entry = miss_valid_i ? NumEntries'(1) << miss_hash[IndexW-1:0] : '0;

  logic                  on;
  logic [NumEntries-1:0] now;                     // classes of the window that ends
  logic [NumEntries-1:0] last;                    // classes of the window before it
  assign on = mode_q == ModeMonitor;

  for (genvar e = 0; e < NumEntries; e++) begin : gen_entry
    logic [1:0]  hits;
    logic        misses;
    logic        fresh;
    logic [32:0] hit_sum;
    logic [32:0] miss_sum;
    logic [31:0] hit;
    logic [31:0] miss;
    assign hits     = {1'b0, hit_entry[e]} + {1'b0, miss_entry[e] && miss_tag_hit_i};
    assign misses   = miss_entry[e] && !miss_tag_hit_i;
    assign fresh    = hit_count_q[e] == '0 && miss_count_q[e] == '0;
    assign hit_sum  = {1'b0, hit_count_q[e]} + 33'(hits);
    assign miss_sum = {1'b0, miss_count_q[e]} + 33'(misses);
    assign hit      = hit_sum[32] ? '1 : hit_sum[31:0];
    assign miss     = miss_sum[32] ? '1 : miss_sum[31:0];
    // 5 hit > hit + miss
    assign now[e]  = {hit, 2'd0} > {2'd0, miss};
    assign last[e] = class_q[e][0];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        load_pc_q[e]    <= '0;
        hit_count_q[e]  <= '0;
        miss_count_q[e] <= '0;
        class_q[e]      <= '0;
      end else if (launch_start_i) begin
        load_pc_q[e]    <= '0;
        hit_count_q[e]  <= '0;
        miss_count_q[e] <= '0;
        class_q[e]      <= '0;
      end else if (on) begin
        if (fresh && hit_entry[e]) load_pc_q[e] <= hit_pc_i;
        else if (fresh && miss_entry[e]) load_pc_q[e] <= miss_pc_i;
        hit_count_q[e]  <= window_end_i ? '0 : hit;
        miss_count_q[e] <= window_end_i ? '0 : miss;
        if (window_end_i) class_q[e] <= {class_q[e][0], now[e]};
      end
    end
  end

  always_comb begin
    mode_d            = mode_q;
    window_count_d    = window_count_q;
    selected_hashes_d = selected_hashes_q;
    selected_d        = 1'b0;
    if (launch_start_i) begin
      mode_d            = ModeMonitor;
      window_count_d    = '0;
      selected_hashes_d = '0;
    end else if (on && window_end_i) begin
      if (window_count_q != '1) window_count_d = window_count_q + 16'd1;
      if (window_count_q != '0 && now == last) begin
        mode_d            = now != '0 ? ModeSelected : ModeOff;
        selected_hashes_d = now;
        selected_d        = now != '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mode_q            <= ModeMonitor;
      window_count_q    <= '0;
      selected_hashes_q <= '0;
      selected_q        <= 1'b0;
    end else begin
      mode_q            <= mode_d;
      window_count_q    <= window_count_d;
      selected_hashes_q <= selected_hashes_d;
      selected_q        <= selected_d;
    end
  end

  assign mode_o           = mode_q;
  assign selected_o       = selected_q;
  assign query_selected_o = mode_q == ModeSelected && selected_hashes_q[query_hash_i[IndexW-1:0]];

`include "lm_properties.svh"
endmodule
