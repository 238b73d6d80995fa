// SPDX-License-Identifier: Apache-2.0
// Properties of sit (docs/blocks/slice/sit.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // contents: one symbolic entry
  `ASSERT_ANY(f_symbol, AddrW)
  logic              f_known_q;  // loaded since the reset
  logic [EntryW-1:0] f_value_q;
`ifdef FORMAL
  logic [EntryW-1:0] f_cell;
  always_comb begin
    f_cell = '0;
    for (int b = 0; b < NumBanks; b++) begin
      for (int r = 0; r < NumRows; r++) begin
        if (f_symbol == AddrW'(r * NumBanks + b)) f_cell = f_mem[EntryW*(NumRows*b + r) +: EntryW];
      end
    end
  end
  always_comb if (f_known_q) assert (f_cell == f_value_q);
`endif
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_known_q <= 1'b0;
    else if (load_valid_i && load_addr_i == f_symbol) f_known_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (load_valid_i && load_addr_i == f_symbol) f_value_q <= load_entry_i;
  end

  // one symbolic requester
  `ASSERT_ANY(f_requester, RequesterW)
`ifdef FORMAL
  always_comb assume (32'(f_requester) < NumRequesters);
`endif

  for (genvar b = 0; b < NumBanks; b++) begin : gen_f_bank
    // grants
    logic                     f_load;
    logic [NumRequesters-1:0] f_request;
    logic [NumRequesters-1:0] f_grant;
    logic [RequesterW-1:0]    f_who;
    logic [AddrW-1:0]         f_addr;
    assign f_load = load_valid_i && 32'(load_addr_i) % NumBanks == b;
    always_comb begin
      f_who  = '0;
      f_addr = '0;
      for (int q = 0; q < NumRequesters; q++) begin
        f_request[q] = request_valid_i[q] && 32'(request_addr[q]) % NumBanks == b;
        f_grant[q] = f_request[q] && grant_o[q];
        if (f_grant[q]) begin
          f_who  = RequesterW'(q);
          f_addr = request_addr[q];
        end
      end
    end
    `ASSERT_ALWAYS begin
      assert (32'(pointer_q[b]) < NumRequesters);
      assert ((f_grant & (f_grant - NumRequesters'(1))) == '0);            // one at most
      assert ((f_grant != '0) == (f_request != '0 && !f_load));     // one if there is a request
    end

    // the first request from the pointer upward; the pointer then moves to the one after it
    logic [RequesterW-1:0] f_pointer_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_pointer_q <= '0;
      else if (f_grant != '0)
        f_pointer_q <= f_who == RequesterW'(NumRequesters - 1) ? '0 : f_who + 1'b1;
    end
    `ASSERT_ALWAYS begin
      assert (pointer_q[b] == f_pointer_q);
      if (32'(f_requester) < NumRequesters && f_grant != '0 && f_request[f_requester]
          && f_who != f_requester)
        assert ((f_requester >= f_pointer_q) == (f_who >= f_pointer_q) ? f_who < f_requester
                                                                       : f_who >= f_pointer_q);
    end

    // a response follows its grant, with the requester's number and entry
    logic                  f_valid_q;
    logic [RequesterW-1:0] f_who_q;
    logic                  f_hit_q;
    logic [EntryW-1:0]     f_want_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_valid_q <= 1'b0;
      else f_valid_q <= f_grant != '0;
    end
    always_ff @(posedge clk_i) begin
      f_who_q  <= f_who;
      f_hit_q  <= f_addr == f_symbol && f_known_q;
      f_want_q <= f_value_q;
    end
    `ASSERT_ALWAYS begin
      assert (response_valid_o[b] == f_valid_q);
      assert (response_requester_q[b] == (f_valid_q ? f_who_q : '0));
      if (!f_valid_q) assert (response_entry[b] == '0);
      if (f_valid_q && f_hit_q) assert (response_entry[b] == f_want_q);
    end
  end

  `ASSERT_ALWAYS assert ((grant_o & ~request_valid_i) == '0);

`ifdef FORMAL
  // a held request waits for NumRequesters - 1 other grants at most, not counting loads of the bank
  logic                  f_wait_q;
  logic [AddrW-1:0]      f_addr_q;
  logic [RequesterW:0]   f_lost_q;
  logic [AddrW-1:0]      f_request_addr;
  logic [RequesterW-1:0] f_pointer;
  logic                  f_granted;
  logic [RequesterW:0]   f_dist;
  always_comb begin
    f_request_addr  = request_addr[f_requester];
    f_granted = grant_o[f_requester];
    f_pointer   = '0;
    for (int b = 0; b < NumBanks; b++) if (32'(f_addr_q) % NumBanks == b) f_pointer = pointer_q[b];
    f_dist = {1'b0, f_requester} - {1'b0, f_pointer}
           + (f_requester >= f_pointer ? '0 : (RequesterW+1)'(NumRequesters));
    if (f_wait_q) assume (request_valid_i[f_requester] && f_request_addr == f_addr_q);
    if (f_wait_q) assert (f_lost_q + f_dist < NumRequesters);
    else assert (f_lost_q == '0);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_wait_q <= 1'b0;
      f_addr_q <= '0;
      f_lost_q <= '0;
    end else begin
      f_wait_q <= request_valid_i[f_requester] && !f_granted;
      f_addr_q <= f_request_addr;
      if (!request_valid_i[f_requester] || f_granted) f_lost_q <= '0;
      else if (!(load_valid_i && 32'(load_addr_i) % NumBanks == 32'(f_request_addr) % NumBanks))
      f_lost_q <= f_lost_q + 1'b1;
    end
  end

  always_comb begin
    cover (rst_ni && f_wait_q && 32'(f_lost_q) == NumRequesters - 1);  // the bound is reached
    cover (rst_ni && response_valid_q == '1 && f_known_q);
    cover (rst_ni && gen_f_bank[0].f_hit_q && response_valid_q[0] && response_entry[0] == '1);
  end
`endif
`endif
