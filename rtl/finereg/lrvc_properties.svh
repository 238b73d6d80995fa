// SPDX-License-Identifier: Apache-2.0
// Properties of lrvc (docs/blocks/finereg/lrvc.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  logic        f_ran_q;                             // the bases are those of the cycle before
  logic [31:0] f_base_q;
  logic [31:0] f_cbase_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_ran_q <= 1'b0;
    else f_ran_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    f_base_q  <= vector_base_i;
    f_cbase_q <= code_base_i;
  end
`ifdef FORMAL
  // assumptions on the inputs: the bases change with invalidate only
  always_comb begin
    if (f_ran_q && !invalidate_i) assume (vector_base_i == f_base_q && code_base_i == f_cbase_q);
    if (invalidate_i) assume (state_q == Idle);
    if (memory_response_valid_i) assume (state_q == MemoryWait);
    if (request_valid_i) assume (request_pc_i[2:0] == '0);
  end
`endif

  // 1: one symbolic PC, with memory's last answer for it
  `ASSERT_ANY(f_word, 29)
  logic [31:0] f_pc;
  logic [63:0] f_kept_q;
  assign f_pc = {f_word, 3'd0};
  always_ff @(posedge clk_i) begin
    if (memory_response_valid_i && f_open_pc_q == f_pc) f_kept_q <= memory_response_data_i;
  end

  logic        f_sent_q;                            // memory has a request,
  logic [31:0] f_sent_a_q;                          // of this address
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_sent_q <= 1'b0;
    else if (memory_request_valid_o && memory_request_ready_i) f_sent_q <= 1'b1;
    else if (memory_response_valid_i) f_sent_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (memory_request_valid_o && memory_request_ready_i) f_sent_a_q <= memory_request_addr_o;
  end
  // the look-up under way
  logic        f_open_q;
  logic        f_late_q;                            // accepted before the last edge
  logic [31:0] f_open_pc_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_open_q <= 1'b0;
    else if (request_valid_i && request_ready_o) f_open_q <= 1'b1;
    else if (response_valid_o) f_open_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    f_late_q <= !(request_valid_i && request_ready_o);
    if (request_valid_i && request_ready_o) f_open_pc_q <= request_pc_i;
  end

  logic [IndexW-1:0] f_idx;
  logic              f_has;
  assign f_idx = f_pc[3 +: IndexW] ^ f_pc[3+IndexW +: IndexW];
  assign f_has = valid_q[f_idx] && tag_q[f_idx] == f_pc;
  `ASSERT_ALWAYS begin
    assert (state_q != 2'd3);
    if (!f_ran_q) assert (state_q == Idle && valid_q == '0);
    if (response_valid_o) assert (f_open_q);            // once, and never without a look-up
    if (f_open_q) assert (response_valid_o || state_q != Idle);
    assert (request_ready_o == (!f_open_q || response_valid_o));  // the next is taken unless a miss is open
    if (response_valid_o) assert (state_q == Idle);
    if (response_valid_o && f_open_pc_q == f_pc) assert (response_vector_o == f_kept_q);
    if (!response_valid_o) assert (response_vector_o == '0 && !response_hit_o);
`ifdef FORMAL
    // an entry holds what memory has answered
    if (f_has) assert (f_mem[64*f_idx +: 64] == f_kept_q);
`endif
    if (state_q != Idle) begin
      assert (f_open_q && miss_pc_q == f_open_pc_q && miss_addr_q == f_base_q + (miss_pc_q - f_cbase_q));
      assert (miss_pc_q[2:0] == '0);
    end
    // memory was asked for that PC's vector
    if (f_sent_q) assert (f_sent_a_q == vector_base_i + (f_open_pc_q - code_base_i));
    assert (f_sent_q == (state_q == MemoryWait));
    assert (memory_request_addr_o == (memory_request_valid_o ? vector_base_i + (f_open_pc_q - code_base_i) : '0));
  end

  // 2: a PC in the cache is answered in the next cycle, as a hit; no other PC is a hit
  logic f_hit_q;
  logic f_miss_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_hit_q  <= 1'b0;
      f_miss_q <= 1'b0;
    end else begin
      f_hit_q  <= request_valid_i && request_ready_o && request_pc_i == f_pc && f_has && !invalidate_i;
      f_miss_q <= request_valid_i && request_ready_o && request_pc_i == f_pc && !(f_has && !invalidate_i);
    end
  end
  `ASSERT_ALWAYS begin
    if (f_hit_q) assert (response_valid_o && response_hit_o && request_ready_o && !memory_request_valid_o);
    if (f_miss_q) assert (!response_valid_o && memory_request_valid_o);
    if (response_hit_o) assert (response_valid_o && !f_late_q);
  end

  // a filled entry stays until invalidate or a fill for another PC of its index
  logic f_in_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_in_q <= 1'b0;
    else if (invalidate_i) f_in_q <= 1'b0;
    else if (memory_response_valid_i && f_open_pc_q == f_pc) f_in_q <= 1'b1;
    else if (memory_response_valid_i
             && (f_open_pc_q[3 +: IndexW] ^ f_open_pc_q[3+IndexW +: IndexW]) == f_idx) f_in_q <= 1'b0;
  end
  `ASSERT_ALWAYS assert (f_has == f_in_q);

  // 3: a request stays until accepted
  logic        f_ask_q;
  logic [31:0] f_ask_a_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_ask_q <= 1'b0;
    else f_ask_q <= memory_request_valid_o && !memory_request_ready_i;
  end
  always_ff @(posedge clk_i) f_ask_a_q <= memory_request_addr_o;
  `ASSERT_ALWAYS begin
    if (f_ask_q) assert (memory_request_valid_o && memory_request_addr_o == f_ask_a_q);
    if (f_sent_q) assert (!memory_request_valid_o);
  end

  // 4: a valid entry's tag maps to its own index
  `ASSERT_ANY(f_e, IndexW)
  `ASSERT_ALWAYS begin
    if (valid_q[f_e]) assert ((tag_q[f_e][3 +: IndexW] ^ tag_q[f_e][3+IndexW +: IndexW]) == f_e);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && response_valid_o && response_hit_o && f_open_pc_q == f_pc && f_pc[31] && response_vector_o[62]);
    cover (rst_ni && f_hit_q && request_valid_i && invalidate_i && request_pc_i == f_pc);
    cover (rst_ni && response_valid_o && !response_hit_o && valid_q == 3);
  end
`endif
`endif
