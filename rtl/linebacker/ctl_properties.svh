// SPDX-License-Identifier: Apache-2.0
// Properties of ctl (docs/blocks/linebacker/ctl.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
  logic f_throttles;                              // a throttle has its victim, whose registers are where they were
  logic f_restores;                               // a restore has its range
  logic f_offers;                                 // a CTA is to begin
  assign f_throttles = state_q == Halt || state_q == Quiesce || state_q == Backup || state_q == BackupDone;
  assign f_restores  = (state_q == Hold && after_hold_q == Restore) || state_q == Restore || state_q == RestoreDone;
  assign f_offers    = (state_q == Hold && after_hold_q == Offer) || state_q == Offer;

  // windows: their end in the last cycle, decisions by the counts after the shift; the sums in as few bits as hold them
  localparam int CountW = $clog2(127 * Period + 1);
  localparam int SumW = CountW + 4;
  `ASSERT_ALWAYS begin
    assert (window_cycle_q < 32'(Period) && window_end_o == (window_cycle_q == 32'(Period - 1)));
    assert (40'(window_instructions_q) <= 40'd127 * 40'(window_cycle_q));
    assert (40'(current_instructions_q) <= 40'd127 * 40'(Period) && 40'(previous_instructions_q) <= 40'd127 * 40'(Period));
    assert ((instructions >> CountW) == '0 && (current_instructions_q >> CountW) == '0);
    assert (up == (SumW'(10) * SumW'(instructions) > SumW'(11) * SumW'(current_instructions_q)));
    assert (down == (SumW'(10) * SumW'(instructions) < SumW'(9) * SumW'(current_instructions_q)));
  end

  // 1: the stack: its first address, and how many backups lie below each CTA's
  logic [31:0] f_base_q;
  localparam int DepthW = $clog2(NumCtas + 1);
  logic [DepthW-1:0] f_depth_q;
  logic [DepthW-1:0] f_below_q [NumCtas];
  logic [DepthW-1:0] f_saved;
  always_comb begin
    f_saved = '0;
    for (int i = 0; i < NumCtas; i++) f_saved = f_saved + DepthW'(saved_q[i]);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_base_q  <= '0;
      f_depth_q <= '0;
    end else if (launch_start_i) begin
      f_base_q  <= launch_stack_addr_i;
      f_depth_q <= '0;
    end else if (state_q == BackupDone) f_depth_q <= f_depth_q + DepthW'(1);
    else if (state_q == RestoreDone) f_depth_q <= f_depth_q - DepthW'(1);
  end
  function automatic logic [31:0] f_stack_addr(input logic [DepthW-1:0] n);
    f_stack_addr = f_base_q;
    for (int k = 0; k < DepthW; k++) begin
      if (n[k]) f_stack_addr[31:7] = f_stack_addr[31:7] + (25'(cta_registers_q) << k);
    end
  endfunction
  for (genvar i = 0; i < NumCtas; i++) begin : gen_f_below
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_below_q[i] <= '0;
      else if (state_q == BackupDone && moved_cta_q == 5'(i)) f_below_q[i] <= f_depth_q;
    end
  end
  `ASSERT_ALWAYS begin
    assert (f_depth_q == f_saved && 32'(f_depth_q) <= NumCtas);
    assert (stack_addr_q == f_stack_addr(f_depth_q));
    assert (top_exists == (saved_q != '0));
    assert (is_top == top_onehot);
    if (state_q == Reserve || f_restores) assert (saved_q[moved_cta_q[CtaW-1:0]] && top_index == moved_cta_q[CtaW-1:0]);
  end

  // 2: one symbolic pair of CTAs; the ends in 12 bits
  `ASSERT_ANY(f_i, CtaW)
  `ASSERT_ANY(f_j, CtaW)
  logic [11:0] f_last_i;
  logic [11:0] f_last_j;
  logic [11:0] f_target_last;
  assign f_last_i      = 12'(first_register_q[f_i]) + 12'(cta_registers_q) - 12'd1;
  assign f_last_j      = 12'(first_register_q[f_j]) + 12'(cta_registers_q) - 12'd1;
  assign f_target_last = 12'(target_register_q) + 12'(cta_registers_q) - 12'd1;
  `ASSERT_ALWAYS begin
    if (held[f_i]) begin
      assert (f_last_i <= 12'(highest_register_q) && f_last_i <= 12'(limit_register_q));
      if (held[f_j] && f_i != f_j) assert (f_last_i < 12'(first_register_q[f_j]) || f_last_j < 12'(first_register_q[f_i]));
      if (state_q == Reserve || f_restores || f_offers)
        assert (f_last_i < 12'(target_register_q) || f_target_last < 12'(first_register_q[f_i]));
    end
    if (saved_q[f_i])
      assert (first_register_q[f_i] == '1 && backup_addr_q[f_i] == f_stack_addr(f_below_q[f_i])
              && f_below_q[f_i] < f_depth_q);
    if (saved_q[f_i] && saved_q[f_j] && f_i != f_j) assert (f_below_q[f_i] != f_below_q[f_j]);
    if (state_q == Reserve || f_restores || f_offers) assert (f_target_last <= 12'(limit_register_q));
    if (f_restores || f_offers) assert (f_target_last <= 12'(highest_register_q));
    // how a CTA can be: it holds registers, or it is in memory; the victim of a throttle that was given up has ended
    if (active_q[f_i] || saved_q[f_i] || end_pending_q[f_i]) assert (occupied_q[f_i]);
    if (saved_q[f_i]) assert (!end_pending_q[f_i] && active_q[f_i] == (f_restores && moved_cta_q == 5'(f_i)));
    if (held[f_i] && !active_q[f_i]) assert (end_pending_q[f_i] || (f_throttles && moved_cta_q == 5'(f_i)));
  end

  // 3: the victim has the highest range of those that may issue, and not the only one
  `ASSERT_ALWAYS begin
    assert (32'(moved_cta_q) < NumCtas);
    if (state_q == Halt) assert (active_q != '0);
    if (f_throttles) begin
      assert (held[moved_cta_q[CtaW-1:0]] && !active_q[moved_cta_q[CtaW-1:0]]
              && victim_register_q == first_register_q[moved_cta_q[CtaW-1:0]]);
      if (active_q[f_i]) assert (f_last_i < 12'(victim_register_q));
      if (state_q == Backup || state_q == BackupDone) assert (!end_pending_q[moved_cta_q[CtaW-1:0]]);
    end
    if (state_q == Reactivate || state_q == FindRange) assert (held == active_q);
    assert (state_q <= RestoreDone && policy_q <= PolicyOff);
    if (policy_q == PolicyWait) assert (!mode_pending_q);
    if (state_q == Throttle || f_throttles || state_q == Release || (state_q == Hold && after_hold_q == Throttle))
      assert (policy_q == PolicyRun && !mode_pending_q);
  end

  // 6: the throttle that follows the selection is on its way, and hold leads to no other
  `ASSERT_ALWAYS begin
    if (throttle_pending_q) assert (policy_q == PolicyRun
      && (mode_pending_q || (state_q == Hold && after_hold_q == Throttle) || state_q == Throttle));
    if (state_q == Hold && after_hold_q == Throttle) assert (throttle_pending_q);
  end

  // the buffer: entries in rotation from head_q on, as many as were requested (backup: have come) and not written
  logic [10:0]              f_arrived_q;          // values that have come in a backup
  logic [BufferEntries-1:0] f_waits_q;            // entries that wait for memory
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_arrived_q <= '0;
    else if (state_q != Backup) f_arrived_q <= '0;
    else f_arrived_q <= f_arrived_q + 11'(file_response_valid_i);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_waits_q <= '0;
    else if (state_q != Restore) f_waits_q <= '0;
    else f_waits_q <= (f_waits_q & ~(memory_response_valid_i ? arrival_onehot : '0))
                    | (request ? BufferEntries'(1) << tail_q : '0);
  end
  logic [10:0] f_used;
  assign f_used = (state_q == Backup ? f_arrived_q : requested_q) - written_q;
  function automatic logic [3:0] f_position(input logic [2:0] e);  // of an entry, from the oldest on
    f_position = e >= head_q ? 4'(e) - 4'(head_q) : 4'(e) + 4'(BufferEntries) - 4'(head_q);
  endfunction
  `ASSERT_ALWAYS begin
    assert (32'(head_q) < BufferEntries && 32'(tail_q) < BufferEntries);
    if (busy) begin
      assert (cta_registers_q != '0 && written_q < cta_registers_q && written_q <= requested_q
              && requested_q <= cta_registers_q && requested_q - written_q <= 11'(BufferEntries));
      assert (tail_q == head_q ? f_used == '0 || 32'(f_used) == BufferEntries : 11'(f_position(tail_q)) == f_used);
      for (int e = 0; e < BufferEntries; e++) begin
        assert (filled_q[e] == (11'(f_position(3'(e))) < f_used && (state_q == Backup || !f_waits_q[e])));
        if (f_waits_q[e]) assert (11'(f_position(3'(e))) < f_used);
      end
      if (state_q == Backup) assert (written_q <= f_arrived_q && f_arrived_q <= requested_q);
    end else if (state_q != BackupDone && state_q != RestoreDone) begin
      assert (requested_q == '0 && written_q == '0 && head_q == '0 && tail_q == '0 && filled_q == '0);
    end
    if (state_q != Backup && state_q != BackupDone) assert (f_arrived_q == '0);
    if (state_q != Restore && state_q != RestoreDone) assert (f_waits_q == '0);
  end

  // requests stay until accepted; 5: hold stays until hold_done
  logic             f_file_read_q;
  logic             f_file_write_q;
  logic             f_memory_read_q;
  logic             f_memory_write_q;
  logic             f_hold_q;
  logic [10:0]      f_register_q;
  logic [31:0]      f_addr_q;
  logic [2:0]       f_entry_q;
  logic [DataW-1:0] f_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_file_read_q    <= 1'b0;
      f_memory_write_q <= 1'b0;
      f_memory_read_q  <= 1'b0;
      f_file_write_q   <= 1'b0;
      f_hold_q         <= 1'b0;
    end else begin
      f_file_read_q    <= file_read_valid_o && !file_read_ready_i;
      f_memory_write_q <= memory_write_valid_o && !memory_write_ready_i;
      f_memory_read_q  <= memory_read_valid_o && !memory_read_ready_i;
      f_file_write_q   <= file_write_valid_o && !file_write_ready_i;
      f_hold_q         <= hold_o && !hold_done_i && !launch_start_i;
    end
  end
  always_ff @(posedge clk_i) begin
    f_register_q <= file_read_register_o | file_write_register_o;
    f_addr_q     <= memory_write_addr_o | memory_read_addr_o;
    f_entry_q    <= memory_read_entry_o;
    f_data_q     <= memory_write_data_o | file_write_data_o;
  end
  `ASSERT_ALWAYS begin
    if (f_file_read_q) assert (file_read_valid_o && file_read_register_o == f_register_q);
    if (f_memory_write_q) assert (memory_write_valid_o && memory_write_addr_o == f_addr_q && memory_write_data_o == f_data_q);
    if (f_memory_read_q) assert (memory_read_valid_o && memory_read_addr_o == f_addr_q && memory_read_entry_o == f_entry_q);
    if (f_file_write_q) assert (file_write_valid_o && file_write_register_o == f_register_q && file_write_data_o == f_data_q);
    if (f_hold_q) assert (hold_o);
  end

  // 4: one symbolic register of CTA f_i: what was read is written to its place in memory; what comes from there, to its
  // place in the new range
  `ASSERT_ANY(f_number, 11)
  logic             f_moved;
  logic             f_inside_q;                   // its value is in the buffer,
  logic             f_asked_q;                    // or asked for,
  logic [2:0]       f_its_entry_q;                // in this entry
  logic [DataW-1:0] f_value_q;
  assign f_moved = moved_cta_q == 5'(f_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_inside_q <= 1'b0;
      f_asked_q  <= 1'b0;
    end else begin
      if (state_q == Backup && file_response_valid_i && f_moved && f_arrived_q == f_number) f_inside_q <= 1'b1;
      if (state_q == Restore && memory_response_valid_i && f_asked_q && memory_response_entry_i == f_its_entry_q)
        f_inside_q <= 1'b1;
      if (write && f_moved && written_q == f_number) f_inside_q <= 1'b0;
      if (state_q == Restore && request && f_moved && requested_q == f_number) f_asked_q <= 1'b1;
      else if (memory_response_valid_i && memory_response_entry_i == f_its_entry_q) f_asked_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Backup && file_response_valid_i && f_moved && f_arrived_q == f_number) begin
      f_value_q     <= file_response_data_i;
      f_its_entry_q <= tail_q;
    end
    if (state_q == Restore && request && f_moved && requested_q == f_number) f_its_entry_q <= tail_q;
`ifndef FORMAL
    // simulation: memory may give any value
    if (state_q == Restore && memory_response_valid_i && f_asked_q && memory_response_entry_i == f_its_entry_q)
      f_value_q <= memory_response_data_i;
`endif
  end
  `ASSERT_ALWAYS begin
    if (f_inside_q || f_asked_q) begin
      assert (busy && f_moved && 32'(f_its_entry_q) < BufferEntries && written_q <= f_number
              && 11'(f_position(f_its_entry_q)) == f_number - written_q);
      assert (f_inside_q != f_asked_q && f_number < (state_q == Backup ? f_arrived_q : requested_q));
    end
    for (int e = 0; e < BufferEntries; e++) begin
      if (f_inside_q && f_its_entry_q == 3'(e)) assert (filled_q[e] && buffer_q[e] == f_value_q);
      if (f_asked_q && f_its_entry_q == 3'(e)) assert (state_q == Restore && f_waits_q[e]);
    end
    if (busy && f_moved && f_number >= written_q && f_number < (state_q == Backup ? f_arrived_q : requested_q))
      assert (f_inside_q || f_asked_q);
    if (file_read_valid_o && f_moved && requested_q == f_number)
      assert (file_read_register_o == first_register_q[f_i] + f_number);
    if (memory_write_valid_o && f_moved && written_q == f_number)
      assert (memory_write_data_o == f_value_q && memory_write_addr_o == stack_addr_q + {14'd0, f_number, 7'd0});
    if (memory_read_valid_o && f_moved && requested_q == f_number)
      assert (memory_read_addr_o == backup_addr_q[f_i] + {14'd0, f_number, 7'd0});
    if (file_write_valid_o && f_moved && written_q == f_number)
      assert (file_write_data_o == f_value_q && file_write_register_o == target_register_q + f_number);
  end

`ifdef FORMAL
  initial assume (!rst_ni);

  // assumptions on the inputs; a launch begins before the engine first leaves idle and hold
  logic        f_begin_q;
  logic        f_begin;
  logic [11:0] f_begin_last;
  assign f_begin      = f_begin_q && (state_q == Idle || state_q == Hold);
  assign f_begin_last = 12'(begin_register_i) + 12'(cta_registers_q) - 12'd1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_begin_q <= 1'b0;
    else f_begin_q <= launch_start_i || f_begin;
  end
  always_comb begin
    if (launch_start_i) assume (launch_cta_registers_i != '0 && !busy);
    if (begin_valid_i) begin
      assume (32'(begin_cta_i) < NumCtas && !occupied_q[begin_cta_i[CtaW-1:0]]);
      assume (offer_valid_o ? begin_register_i == target_register_q : f_begin && f_begin_last <= 12'(limit_register_q));
      for (int i = 0; i < NumCtas; i++) begin
        if (f_begin && held[i])
          assume (f_begin_last < 12'(first_register_q[i])
                  || 12'(first_register_q[i]) + 12'(cta_registers_q) - 12'd1 < 12'(begin_register_i));
      end
    end
    if (end_valid_i) begin
      assume (32'(end_cta_i) < NumCtas && held[end_cta_i[CtaW-1:0]] && !end_pending_q[end_cta_i[CtaW-1:0]]);
      if (end_cta_i == moved_cta_q)
        assume (state_q != Backup && state_q != BackupDone && !(state_q == Quiesce && quiet_i[moved_cta_q[CtaW-1:0]]));
    end
    if (file_response_valid_i) assume (state_q == Backup && f_arrived_q != requested_q);
    if (memory_response_valid_i)
      assume (state_q == Restore && 32'(memory_response_entry_i) < BufferEntries && f_waits_q[memory_response_entry_i]);
    if (memory_response_valid_i && f_asked_q && memory_response_entry_i == f_its_entry_q)
      assume (memory_response_data_i == f_value_q);
    assume (32'(f_i) < NumCtas && 32'(f_j) < NumCtas);
  end

  logic [10:0] f_former_q [NumCtas];

  // small numbers, if a proof asks for them
  localparam int StackW = (AddrW > RegW + CtaW + 7 ? AddrW : RegW + CtaW + 7) + 1;
  always_comb begin
    if (launch_start_i)
      assume (launch_cta_registers_i >> RegW == '0 && launch_limit_register_i >> RegW == '0
              && launch_stack_addr_i >> AddrW == '0);
    assert ((cta_registers_q | limit_register_q | highest_register_q | victim_register_q
             | requested_q | written_q | f_arrived_q) >> RegW == '0 && target_register_q >> (RegW + 1) == '0);
    assert (f_base_q >> AddrW == '0 && stack_addr_q >> StackW == '0);
  end
  for (genvar i = 0; i < NumCtas; i++) begin : gen_f_small
    always_comb begin
      assert (backup_addr_q[i] >> StackW == '0);
      if (!saved_q[i]) assert (first_register_q[i] >> RegW == '0);
      else assert (first_register_q[i] == '1 && f_former_q[i] >> RegW == '0);
    end
  end

  // all pairs, as the induction needs them. A CTA in memory had its registers above those of all that hold some and of those that
  // were throttled after it; except that a CTA whose throttle was given up may lie above the last victim until its end is dealt with.
  logic [11:0] f_last [NumCtas];
  logic        f_odd;
  assign f_odd = policy_q == PolicyRun && !mode_pending_q
              && (state_q == Release || state_q == Idle || state_q == Reserve || f_restores
                  || (state_q == Hold && after_hold_q == Idle));
  for (genvar i = 0; i < NumCtas; i++) begin : gen_f_cta
    always_ff @(posedge clk_i) if (state_q == BackupDone && moved_cta_q == 5'(i)) f_former_q[i] <= victim_register_q;
    assign f_last[i] = 12'(first_register_q[i]) + 12'(cta_registers_q) - 12'd1;
    always_comb begin
      if (held[i]) begin
        assert (f_last[i] <= 12'(highest_register_q) && f_last[i] <= 12'(limit_register_q));
        if (state_q == Reserve || f_restores || f_offers)
          assert (f_last[i] < 12'(target_register_q) || f_target_last < 12'(first_register_q[i]));
        if (!active_q[i]) assert (end_pending_q[i] || (f_throttles && moved_cta_q == 5'(i)));
      end
      if (active_q[i] || saved_q[i] || end_pending_q[i]) assert (occupied_q[i]);
      if (f_throttles && active_q[i]) assert (f_last[i] < 12'(victim_register_q));
      if (saved_q[i]) begin
        assert (!f_begin_q || !f_begin);
        assert (!end_pending_q[i] && active_q[i] == (f_restores && moved_cta_q == 5'(i)));
        assert (backup_addr_q[i] == f_stack_addr(f_below_q[i]) && f_below_q[i] < f_depth_q);
        assert (12'(f_former_q[i]) + 12'(cta_registers_q) - 12'd1 <= 12'(limit_register_q));
        if ((state_q == Reserve || f_restores) && moved_cta_q != 5'(i)) assert (f_target_last < 12'(f_former_q[i]));
        if (state_q == FindRange && held != '0) assert (highest_register_q < f_former_q[i]);
      end
    end
    for (genvar j = 0; j < NumCtas; j++) begin : gen_f_pair
      if (i != j) begin : gen_f_two
        always_comb begin
          if (held[i] && held[j]) assert (f_last[i] < 12'(first_register_q[j]) || f_last[j] < 12'(first_register_q[i]));
          if (saved_q[i] && saved_q[j]) begin
            assert (f_below_q[i] != f_below_q[j]);
            if (f_below_q[i] > f_below_q[j]) assert (12'(f_former_q[i]) + 12'(cta_registers_q) - 12'd1 < 12'(f_former_q[j]));
          end
          if (saved_q[i] && held[j])
            assert (f_last[j] < 12'(f_former_q[i])
                    || (f_odd && f_below_q[i] == f_depth_q - DepthW'(1) && end_pending_q[j] && !active_q[j]));
        end
      end
    end
  end
  always_comb begin
    if (saved_q != '0 || (state_q == Hold && (after_hold_q == Offer || after_hold_q == Restore)))
      assert (!f_begin_q || !f_begin);
    if (state_q == Hold)
      assert (after_hold_q == Idle || after_hold_q == Throttle || after_hold_q == Offer || after_hold_q == Restore);
    if (f_offers) assert (saved_q == '0);
    if (occupied_q != '0 || f_offers || f_begin_q) assert (cta_registers_q != '0);
  end

  always_comb begin
    cover (rst_ni && resume_valid_o);
    cover (rst_ni && offer_valid_o && begin_valid_i && target_register_q != '0);
    cover (rst_ni && state_q == Quiesce && end_pending_q[moved_cta_q[CtaW-1:0]]);
    cover (rst_ni && file_write_valid_o && file_write_register_o == 11'd3 && written_q == 11'd1);
  end
`endif
`endif
