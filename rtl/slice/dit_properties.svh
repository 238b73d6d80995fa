// SPDX-License-Identifier: Apache-2.0
// Properties of dit (docs/blocks/slice/dit.md, claims.tsv); included at the end of the module.
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

  // each bank takes the first requesting lane from the pointer upward; the pointer then moves to
  // the lane after it, else it stays
  for (genvar b = 0; b < NumBanks; b++) begin : gen_f_bank
    logic [NumLanes-1:0] f_asks;
    logic [NumLanes-1:0] f_takes;
    logic [LaneW-1:0]    f_who;
    logic [LaneW-1:0]    f_pointer_q;
    always_comb begin
      f_who = '0;
      for (int l = 0; l < NumLanes; l++) begin
        f_asks[l]  = write_valid_i[l] && 32'(write_addr[l]) % NumBanks == b
                  && (!result_valid_o[l] || result_ready_i[l])
                  && !(load_valid_i && 32'(load_addr_i) % NumBanks == b);
        f_takes[l] = write_valid_i[l] && 32'(write_addr[l]) % NumBanks == b && write_ready_o[l];
        if (f_takes[l]) f_who = LaneW'(l);
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_pointer_q <= '0;
      else if (f_takes != '0) f_pointer_q <= f_who == LaneW'(NumLanes - 1) ? '0 : f_who + 1'b1;
    end
    `ASSERT_ALWAYS begin
      assert (32'(pointer_q[b]) < NumLanes);
      assert (pointer_q[b] == f_pointer_q);
      assert ((f_takes & (f_takes - NumLanes'(1))) == '0);
      assert ((f_takes != '0) == (f_asks != '0));
      for (int l = 0; l < NumLanes; l++) begin
        if (f_takes != '0 && f_asks[l] && f_who != LaneW'(l))
          assert ((LaneW'(l) >= f_pointer_q) == (f_who >= f_pointer_q) ? f_who < LaneW'(l)
                                                               : f_who >= f_pointer_q);
      end
    end
  end

`ifdef FORMAL
  logic [NumLanes-1:0] f_met;  // the bound on the wait is reached
`endif
  for (genvar l = 0; l < NumLanes; l++) begin : gen_f_lane
    logic [AddrW-1:0]    f_addr;
    logic                f_load;
    logic                f_free;
    logic [NumLanes-1:0] f_rival;  // other lanes that request the bank now
    logic [LaneW-1:0]    f_pointer;
    assign f_addr = write_addr[l];
    assign f_load = load_valid_i && 32'(load_addr_i) % NumBanks == 32'(f_addr) % NumBanks;
    assign f_free = !result_valid_o[l] || result_ready_i[l];
    assign f_pointer    = pointer_q[32'(f_addr) % NumBanks];
    always_comb begin
      for (int k = 0; k < NumLanes; k++) begin
        f_rival[k] = k != l && write_valid_i[k] && (!result_valid_o[k] || result_ready_i[k])
                  && !f_load
                  && 32'(write_addr[k]) % NumBanks == 32'(f_addr) % NumBanks;
      end
    end

    // ready follows the rule, and does not depend on the lane's own valid
    logic             f_ready;
    logic [LaneW-1:0] f_at;
    logic             f_open;
    always_comb begin
      f_ready  = f_free && !f_load;
      f_open = 1'b1;
      f_at   = f_pointer;
      for (int i = 0; i < NumLanes; i++) begin
        if (32'(f_at) == l) f_open = 1'b0;
        else if (f_open && f_rival[f_at]) f_ready = 1'b0;
        f_at = f_at == LaneW'(NumLanes - 1) ? '0 : f_at + 1'b1;
      end
    end
    `ASSERT_ALWAYS assert (write_ready_o[l] == f_ready);

    // one look-up per bank, none in a bank that is being loaded
    `ASSERT_ALWAYS begin
      for (int k = 0; k < l; k++) begin
        if (write_valid_i[k] && write_ready_o[k] && write_valid_i[l] && write_ready_o[l])
          assert (32'(write_addr[k]) % NumBanks != 32'(f_addr) % NumBanks);
      end
    end

    // no result is lost, duplicated or changed
    logic                f_full_q;
    logic [PayloadW-1:0] f_payload_q;
    logic                f_hit_q;
    logic [EntryW-1:0]   f_want_q;
    logic [2:0]          f_in_q;
    logic [2:0]          f_out_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_full_q <= 1'b0;
        f_in_q   <= '0;
        f_out_q  <= '0;
      end else begin
        if (write_valid_i[l] && write_ready_o[l]) f_full_q <= 1'b1;
        else if (result_ready_i[l]) f_full_q <= 1'b0;
        f_in_q  <= f_in_q + 3'(write_valid_i[l] && write_ready_o[l]);
        f_out_q <= f_out_q + 3'(result_valid_o[l] && result_ready_i[l]);
      end
    end
    always_ff @(posedge clk_i) begin
      if (write_valid_i[l] && write_ready_o[l]) begin
        f_payload_q <= write_payload[l];
        f_hit_q     <= f_known_q && f_addr == f_symbol;
        f_want_q    <= f_value_q;
      end
    end
    `ASSERT_ALWAYS begin
      assert (result_valid_o[l] == f_full_q);
      assert (3'(f_in_q - f_out_q) == {2'd0, f_full_q});
      assert (result_payload[l] == (f_full_q ? f_payload_q : '0));
      if (!f_full_q) assert (result_entry[l] == '0);
      if (f_full_q && f_hit_q) assert (result_entry[l] == f_want_q);
      if (fresh_q[l]) assert (result_valid_q[l]);
    end

    // a result that was not taken stays unchanged, whatever its entry
    logic                f_hold_q;
    logic [EntryW-1:0]   f_entry_q;
    logic [PayloadW-1:0] f_held_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_hold_q <= 1'b0;
      else f_hold_q <= result_valid_o[l] && !result_ready_i[l];
    end
    always_ff @(posedge clk_i) begin
      f_entry_q <= result_entry[l];
      f_held_q  <= result_payload[l];
    end
    `ASSERT_ALWAYS begin
      if (f_hold_q && rst_ni) begin
        assert (result_valid_o[l]);
        assert (result_entry[l] == f_entry_q);
        assert (result_payload[l] == f_held_q);
      end
    end

`ifdef FORMAL
    // a lane that holds its request loses NumLanes - 1 times at most
    logic             f_wait_q;
    logic [AddrW-1:0] f_addr_q;
    logic [LaneW:0]   f_lost_q;
    logic [LaneW:0]   f_dist;
    always_comb begin
      f_dist = LaneW'(l) >= f_pointer ? (LaneW+1)'(l) - {1'b0, f_pointer}
                                : (LaneW+1)'(l + NumLanes) - {1'b0, f_pointer};
      if (f_wait_q) assume (write_valid_i[l] && f_addr == f_addr_q);
      if (f_wait_q) assert (32'(f_lost_q) + 32'(f_dist) < NumLanes);
      else assert (f_lost_q == '0);
      if (f_lost_q != '0) assert (!result_valid_o[l]);                   // the request is held
      f_met[l] = f_wait_q && 32'(f_lost_q) == NumLanes - 1;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_wait_q <= 1'b0;
        f_addr_q <= '0;
        f_lost_q <= '0;
      end else begin
        f_wait_q <= write_valid_i[l] && !write_ready_o[l];
        f_addr_q <= f_addr;
        if (!write_valid_i[l] || write_ready_o[l]) f_lost_q <= '0;
        else if (f_free && !f_load) f_lost_q <= f_lost_q + 1'b1;
      end
    end
`endif
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && f_met != '0);                              // the bound is reached
    cover (rst_ni && result_valid_o == '1);
    cover (rst_ni && gen_f_lane[0].f_hit_q && result_valid_q[0] && !fresh_q[0]
           && result_entry[0] == '1);
  end
`endif
`endif
