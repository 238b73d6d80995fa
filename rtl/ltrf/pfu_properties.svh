// SPDX-License-Identifier: Apache-2.0
// Properties of pfu (docs/blocks/ltrf/pfu.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);

  // the tables of all slots, [slot][register]
  logic [NumSlots*NumRegisters*BankW-1:0] f_bank_sets;
  for (genvar s = 0; s < NumSlots; s++) begin : gen_f_bank
    assign f_bank_sets[NumRegisters*BankW*s +: NumRegisters*BankW] = gen_slot[s].f_banks;
  end
`endif

  // of all slots, flat, since symbolic slots index them: sets of registers; registers whose read is under
  // way; banks that are given out
  logic [NumSlots*NumRegisters-1:0]  f_present_sets;
  logic [NumSlots*NumRegisters-1:0]  f_working_sets;
  logic [NumSlots*NumRegisters-1:0]  f_live_sets;
  logic [NumSlots*NumRegisters-1:0]  f_under_way_q;
  logic [NumSlots*NumCacheBanks-1:0] f_used_q;
  logic [NumSlots-1:0]               f_loading;
  for (genvar s = 0; s < NumSlots; s++) begin : gen_f_slot
    logic [NumRegisters-1:0]  f_present;
    logic [NumRegisters-1:0]  f_working_set;
    logic [NumRegisters-1:0]  f_live;
    logic [NumRegisters-1:0]  f_todo;
    logic [NumCacheBanks-1:0] f_used;               // banks that are given out
    logic [NumRegisters-1:0]  f_read_mask;          // a read is granted
    logic [NumRegisters-1:0]  f_under_way;
    logic [NumRegisters-1:0]  f_below;              // registers below todo_register_q
    logic                     f_fetches;            // it takes part in a transfer with the main register file
    logic                     f_writes;
    assign f_present     = gen_slot[s].present;
    assign f_working_set = gen_slot[s].working_set;
    assign f_live        = gen_slot[s].live;
    assign f_todo        = gen_slot[s].todo;
    assign f_used        = f_used_q[NumCacheBanks*s +: NumCacheBanks];
    assign f_under_way   = f_under_way_q[NumRegisters*s +: NumRegisters];
    assign f_fetches     = main_read_valid_o && main_read_slot_o == SlotW'(s);
    assign f_writes      = main_write_valid_o && cache_read_slot_o == SlotW'(s);
    assign f_read_mask   = f_fetches ? NumRegisters'(1) << main_read_register_o[RegisterW-1:0] : '0;
    assign f_below       = ~({NumRegisters{1'b1}} << gen_slot[s].register);
    assign f_loading[s]  = state_q[s] == Load;

    assign f_present_sets[NumRegisters*s +: NumRegisters] = f_present;
    assign f_working_sets[NumRegisters*s +: NumRegisters] = f_working_set;
    assign f_live_sets[NumRegisters*s +: NumRegisters]    = f_live;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_under_way_q[NumRegisters*s +: NumRegisters] <= '0;
        f_used_q[NumCacheBanks*s +: NumCacheBanks]    <= '0;
      end else begin
        f_under_way_q[NumRegisters*s +: NumRegisters] <= (f_under_way & ~(fill_here[s] ? fill_mask : '0)) | f_read_mask;
        if (gen_slot[s].go_activate) f_used_q[NumCacheBanks*s +: NumCacheBanks] <= '0;
        else f_used_q[NumCacheBanks*s +: NumCacheBanks] <=
          (f_used | (gen_slot[s].comes ? NumCacheBanks'(1) << gen_slot[s].free_bank : '0))
          & ~(gen_slot[s].leaves ? NumCacheBanks'(1) << cache_bank[s] : '0);
      end
    end

    `ASSERT_ALWAYS begin
      assert (state_q[s] <= Done);
      // todo and its lowest register
      assert (todo_valid_q[s] == (f_todo != '0));
      if (todo_valid_q[s]) assert (f_todo[gen_slot[s].register] && (f_todo & f_below) == '0);
      if (!todo_valid_q[s]) assert (todo_register_q[s] == '0);
      assert (32'(todo_register_q[s]) < NumRegisters);
      // 6
      if (state_q[s] == Wait || state_q[s] == Done || state_q[s] == Idle || state_q[s] == Load)
        assert (f_todo == '0);
      if (state_q[s] != Allocate && state_q[s] != Wait) assert (outstanding_q[s] == '0 && f_under_way == '0);
      // 2, and what else holds in each state
      if (state_q[s] != Evict) assert ((f_present & ~f_working_set) == '0);
      assert ((f_present & f_under_way) == '0);
      case (state_q[s])
        Idle: begin
          if (taken_q[s]) assert (f_present == f_working_set);
          if (!taken_q[s]) assert (f_present == '0 && f_working_set == '0 && f_live == '0);
        end
        Load: assert (command_q[s] == CommandActivate && f_present == '0);
        Evict: begin
          assert (command_q[s] == CommandDeactivate || command_q[s] == CommandPrefetch);
          if (command_q[s] == CommandDeactivate)
            assert (f_todo == f_present && (f_present & ~f_working_set) == '0);
          if (command_q[s] == CommandPrefetch) assert (f_todo == (f_present & ~f_working_set));
        end
        Allocate: begin
          assert (command_q[s] == CommandActivate || command_q[s] == CommandPrefetch);
          assert ((f_present | f_under_way | f_todo) == f_working_set);
          assert (((f_present | f_under_way) & f_todo) == '0);
        end
        Wait: begin
          assert (command_q[s] == CommandActivate || command_q[s] == CommandPrefetch);
          assert ((f_present | f_under_way) == f_working_set);
        end
        default: assert (f_present == (command_q[s] == CommandDeactivate ? '0 : f_working_set));
      endcase
      if (state_q[s] != Idle) assert (taken_q[s]);
      if (gen_slot[s].go_activate) assert (!taken_q[s]);
      // 1: a bank is given out once
      if (gen_slot[s].comes) assert (f_is_free(f_used, gen_slot[s].free_bank) && gen_slot[s].bank_free);
      if (gen_slot[s].leaves) assert (!f_is_free(f_used, cache_bank[s]));
      assert (gen_slot[s].bank_free == (f_used != '1) || !taken_q[s]);
      // the transfers with the main register file: of an allocation, of an eviction, of todo_register_q alone
      if (f_fetches) assert (state_q[s] == Allocate && main_read_warp_o == warp_q[s]
                             && main_read_register_o == todo_register_q[s] && f_todo[gen_slot[s].register]);
      if (f_writes) assert (state_q[s] == Evict && main_write_warp_o == warp_q[s]
                            && main_write_register_o == todo_register_q[s] && f_todo[gen_slot[s].register]);
      if (f_fetches || f_writes) begin
        assert (LiveOnly == 0 || f_live[gen_slot[s].register]);
        assert (main_ready_i[MainBankW'(32'(todo_register_q[s]) + 32'(warp_q[s]))]);
        assert (!(f_writes && !cache_ready_i[cache_read_bank_o]));
      end
      for (int n = 0; n < NumResults; n++) begin
        if (gen_slot[s].leaves)
          assert (!(result_valid_i[n] && result_warp[n] == warp_q[s] && result_register[n] == todo_register_q[s]));
      end
    end
    // 3: no two slots have one warp
    for (genvar t = 0; t < s; t++) begin : gen_f_pair
      `ASSERT_ALWAYS if (taken_q[s] && taken_q[t]) assert (warp_q[s] != warp_q[t]);
    end
  end
  function automatic logic f_is_free(input logic [NumCacheBanks-1:0] used, input logic [BankW-1:0] at);
    f_is_free = !used[at];
  endfunction

  // 3
  logic [NumWarps-1:0] f_active;
  always_comb begin
    f_active = '0;
    for (int s = 0; s < NumSlots; s++) f_active = f_active | (taken_q[s] ? NumWarps'(1) << warp_q[s][WarpW-1:0] : '0);
  end
  `ASSERT_ALWAYS begin
    assert (active_q == f_active);
    assert (slot_free == (taken_q != '1));
    assert ((f_loading & (f_loading - NumSlots'(1))) == '0);
    assert (!(main_read_valid_o && main_write_valid_o));
    if (!main_read_valid_o) assert (main_read_warp_o == '0 && main_read_register_o == '0 && main_read_slot_o == '0);
    if (!main_write_valid_o) assert (main_write_warp_o == '0 && main_write_register_o == '0);
    if (!main_write_valid_o) assert (cache_read_bank_o == '0 && cache_read_slot_o == '0);
    if (!done_valid_o) assert (done_warp_o == '0 && done_command_o == '0);
    if (!fill_valid_i) assert (cache_write_bank_o == '0 && cache_write_slot_o == '0);
  end

  // counts: of all slots in a proof, of one in a simulation
`ifdef FORMAL
  localparam int Counted = NumSlots;
`else
  localparam int Counted = 1;
  `ASSERT_ANY(f_one, SlotW)
`endif
  for (genvar g = 0; g < Counted; g++) begin : gen_f_count
    logic [SlotW-1:0]         f_at;
    logic [NumRegisters-1:0]  f_at_present;
    logic [NumRegisters-1:0]  f_at_under_way;
    logic [NumRegisters-1:0]  f_at_working_set;
    logic [NumCacheBanks-1:0] f_at_used;
    logic [RegisterW:0]       f_present_count;
    logic [RegisterW:0]       f_under_way_count;
    logic [RegisterW:0]       f_working_count;
    logic [BankW:0]           f_used_count;
`ifdef FORMAL
    assign f_at = SlotW'(g);
`else
    assign f_at = f_one;
`endif
    assign f_at_present     = f_present_sets[NumRegisters*f_at +: NumRegisters];
    assign f_at_under_way   = f_under_way_q[NumRegisters*f_at +: NumRegisters];
    assign f_at_working_set = f_working_sets[NumRegisters*f_at +: NumRegisters];
    assign f_at_used        = f_used_q[NumCacheBanks*f_at +: NumCacheBanks];
    always_comb begin
      f_present_count   = '0;
      f_under_way_count = '0;
      f_working_count   = '0;
      f_used_count      = '0;
      for (int r = 0; r < NumRegisters; r++) begin
        f_present_count   = f_present_count + (RegisterW+1)'(f_at_present[r]);
        f_under_way_count = f_under_way_count + (RegisterW+1)'(f_at_under_way[r]);
        f_working_count   = f_working_count + (RegisterW+1)'(f_at_working_set[r]);
      end
      for (int r = 0; r < NumCacheBanks; r++) f_used_count = f_used_count + (BankW+1)'(f_at_used[r]);
    end
    `ASSERT_ALWAYS begin
      // 1
      if (taken_q[f_at]) assert (32'(f_present_count) + 32'(f_under_way_count) == 32'(f_used_count));
      assert (32'(f_working_count) <= NumCacheBanks);
`ifdef FORMAL
      assert (32'(f_under_way_count) == 32'(outstanding_q[g]));
      if (taken_q[f_at]) begin
        assert (32'(f_present_count) + 32'(outstanding_q[g]) + 32'(gen_slot[g].f_free_count) == NumCacheBanks);
        assert (f_used_q[NumCacheBanks*g +: NumCacheBanks] == gen_slot[g].f_occupied);
      end
`endif
    end
`ifdef FORMAL
    for (genvar r = 0; r < NumRegisters; r++) begin : gen_f_register
      logic             f_here;                     // present or under way: it has a bank
      logic [BankW-1:0] f_place;
      assign f_here  = f_at_present[r] || f_at_under_way[r];
      assign f_place = f_bank_sets[BankW*(NumRegisters*g+r) +: BankW];
      always_comb if (taken_q[g] && f_here) assert (!f_is_free(f_at_used, f_place));
      for (genvar i = 0; i < r; i++) begin : gen_f_pair
        always_comb begin
          if (taken_q[g] && f_here && gen_f_register[i].f_here) assert (f_place != gen_f_register[i].f_place);
        end
      end
    end
`endif
  end

  // One register of one slot: 4, 5, the place that it is told to be in, and whether it is live.
  `ASSERT_ANY(f_slot, SlotW)
  `ASSERT_ANY(f_register, RegisterW)
  logic             f_present;
  logic             f_lives;
  logic             f_mine;                         // the slot has a warp
  logic [5:0]       f_slot_warp;
  logic             f_arrives;                      // events of this register: it has come from the main register file
  logic             f_read;
  logic             f_written;
  logic             f_gone;                         // the slot becomes free
  logic             f_loads;                        // the slot is in load
  logic             f_gets;                         // it gets a bank
  logic [BankW-1:0] f_gets_bank;
  always_comb begin
    f_mine      = 1'b0;
    f_slot_warp = '0;
    f_loads     = 1'b0;
    f_gets_bank = '0;
    f_gets      = 1'b0;
    for (int s = 0; s < NumSlots; s++) begin
      if (f_slot == SlotW'(s)) begin
        f_mine      = taken_q[s];
        f_slot_warp = warp_q[s];
        f_loads     = f_loading[s];
        f_gets_bank = f_heads[s];
        f_gets      = f_comes[s] && todo_register_q[s] == 8'(f_register);
      end
    end
  end
  logic [BankW-1:0]    f_heads [NumSlots];
  logic [NumSlots-1:0] f_comes;
  for (genvar s = 0; s < NumSlots; s++) begin : gen_f_heads
    assign f_heads[s] = gen_slot[s].free_bank;
    assign f_comes[s] = gen_slot[s].comes;
  end
  assign f_present = f_present_sets[NumRegisters*f_slot + 32'(f_register)];
  assign f_lives   = f_live_sets[NumRegisters*f_slot + 32'(f_register)];
  assign f_arrives = fill_valid_i && fill_slot_i == f_slot && fill_register_i == 8'(f_register);
  assign f_read    = main_read_valid_o && main_read_slot_o == f_slot && main_read_register_o == 8'(f_register);
  assign f_written = main_write_valid_o && cache_read_slot_o == f_slot && main_write_register_o == 8'(f_register);
  assign f_gone    = done_valid_o && (done_command_o == CommandDeactivate || done_command_o == CommandEnd)
                  && f_mine && done_warp_o == f_slot_warp;

  // whether it dies, or is written, at an issue
  logic f_dies;
  logic f_born;
  always_comb begin
    f_dies = 1'b0;
    f_born = 1'b0;
    for (int p = 0; p < NumPorts; p++) begin
      if (issue_valid_i[p] && f_mine && issue_warp[p] == f_slot_warp) begin
        for (int k = 0; k < 6; k++)
          if (issue_source_valid_i[6*p+k] && issue_dead_i[6*p+k] && issue_source[6*p+k] == f_register) f_dies = 1'b1;
        for (int k = 0; k < 4; k++)
          if (issue_destination_valid_i[4*p+k] && issue_destination[4*p+k] == f_register) f_born = 1'b1;
      end
    end
  end

  logic             f_was_present_q;                // one cycle ago: present, live, events
  logic             f_was_live_q;
  logic             f_arrived_q;
  logic             f_written_q;
  logic             f_gone_q;
  logic             f_reading_q;                    // its read is under way
  logic [BankW-1:0] f_place_q;                      // its bank
  logic             f_live_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_was_present_q <= 1'b0;
      f_was_live_q    <= 1'b0;
      f_arrived_q     <= 1'b0;
      f_written_q     <= 1'b0;
      f_gone_q        <= 1'b0;
      f_reading_q     <= 1'b0;
      f_place_q       <= '0;
      f_live_q        <= 1'b0;
    end else begin
      f_was_present_q <= f_present;
      f_was_live_q    <= f_lives;
      f_arrived_q     <= f_arrives;
      f_written_q     <= f_written;
      f_gone_q        <= f_gone;
      f_reading_q     <= f_read || (f_reading_q && !f_arrives);
      if (f_gets) f_place_q <= f_gets_bank;
      if (f_gone) f_live_q <= 1'b0;
      else if (f_loads) f_live_q <= row[NumRegisters + 32'(f_register)];
      else f_live_q <= f_born || (f_live_q && !f_dies);
    end
  end
  `ASSERT_ALWAYS begin
    // 4
    if (f_was_present_q && !f_present) assert (f_gone_q || f_written_q || (LiveOnly == 1 && !f_was_live_q));
    if (!f_was_present_q && f_present) assert (f_arrived_q || (LiveOnly == 1 && !f_was_live_q));
    if (f_written_q) assert (f_was_present_q && !f_present);
    // 5
    if (f_arrived_q) assert (f_present);
    if (f_read) assert (!f_reading_q && !f_present && f_mine);
    assert (f_reading_q == f_under_way_q[NumRegisters*f_slot + 32'(f_register)]);
    if (f_reading_q) assert (f_mine && !f_present);
    // the same place for each port that asks
    if (f_arrives) assert (cache_write_bank_o == f_place_q && cache_write_slot_o == f_slot);
    if (f_written) assert (cache_read_bank_o == f_place_q);
    for (int n = 0; n < NumResults; n++) begin
      if (result_valid_i[n] && f_mine && result_warp[n] == f_slot_warp && result_register[n] == 8'(f_register)) begin
        assert (result_hit_o[n] == f_present);
        if (f_present) assert (result_slot[n] == f_slot && result_bank[n] == f_place_q);
      end
      if (result_valid_i[n] && !active_q[result_warp[n][WarpW-1:0]]) assert (!result_hit_o[n]);
      if (!result_valid_i[n]) assert (!result_hit_o[n]);
      if (!result_hit_o[n]) assert (result_slot[n] == '0 && result_bank[n] == '0);
    end
    assert (f_lives == f_live_q);
`ifdef FORMAL
    if (f_present || f_reading_q)
      assert (f_place_q == f_bank_sets[BankW*(NumRegisters*f_slot + 32'(f_register)) +: BankW]);
`endif
  end

  // commands, of the symbolic slot
  logic [2:0] f_state;
  logic [1:0] f_command;
  logic [2:0] f_state_q;
  logic [1:0] f_command_q;
  logic       f_here_q;                             // a command of its warp was accepted; its code
  logic [1:0] f_accepted_q;
  logic       f_told_q;
  logic       f_told;
  always_comb begin
    f_state   = Idle;
    f_command = '0;
    for (int s = 0; s < NumSlots; s++) begin
      if (f_slot == SlotW'(s)) begin
        f_state   = state_q[s];
        f_command = command_q[s];
      end
    end
  end
  assign f_told = done_valid_o && f_mine && done_warp_o == f_slot_warp;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_state_q    <= Idle;
      f_command_q  <= '0;
      f_here_q     <= 1'b0;
      f_accepted_q <= '0;
      f_told_q     <= 1'b0;
    end else begin
      f_state_q   <= f_state;
      f_command_q <= f_command;
      f_here_q  <= command_valid_i && command_ready_o && command_i != CommandActivate && f_mine
                && command_warp_i == f_slot_warp;
      f_accepted_q <= command_i;
      f_told_q     <= f_told;
    end
  end
  `ASSERT_ALWAYS begin
    if (command_i == CommandActivate)
      assert (command_ready_o == (taken_q != '1 && !active_q[command_warp_i[WarpW-1:0]]));
    if (command_i != CommandActivate && !active_q[command_warp_i[WarpW-1:0]]) assert (!command_ready_o);
    if (command_i != CommandActivate && f_mine && command_warp_i == f_slot_warp)
      assert (command_ready_o == (f_state == Idle));
    if (f_told) assert (f_state == Done && done_command_o == f_command
                        && !(f_command == CommandDeactivate && start_valid_i));
    if (f_state == Done && !(f_command == CommandDeactivate && start_valid_i)) assert (done_valid_o);
    if (f_told_q) assert (f_state == Idle && f_mine == (f_command_q == CommandActivate || f_command_q == CommandPrefetch));
    if (f_state_q == Done && !f_told_q) assert (f_state == Done);
    if (f_here_q) assert (f_command == f_accepted_q && f_state != Idle
                          && (f_state == Done || f_state == Evict) && f_mine);
    if (f_here_q && f_command == CommandDeactivate) assert (f_state == Evict);
    if (f_here_q && f_command == CommandEnd) assert (f_state == Done);
  end

  // the row of one warp: what its start or its last DEACTIVATE wrote
  `ASSERT_ANY(f_warp, WarpW)
  logic [2*NumRegisters-1:0] f_row_q;
  logic [2*NumRegisters-1:0] f_saved;               // of the slot that ends
  always_comb begin
    f_saved = '0;
    for (int s = 0; s < NumSlots; s++) begin
      if (finished[s] && warp_q[s] == 6'(f_warp))
        f_saved = {f_live_sets[NumRegisters*s +: NumRegisters], f_working_sets[NumRegisters*s +: NumRegisters]};
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_valid_i && start_warp_i == 6'(f_warp)) f_row_q <= {start_live_i[NumRegisters-1:0], NumRegisters'(0)};
    else if (done_valid_o && done_command_o == CommandDeactivate && done_warp_o == 6'(f_warp)) f_row_q <= f_saved;
  end
  `ASSERT_ALWAYS begin
    for (int s = 0; s < NumSlots; s++) if (f_loading[s] && warp_q[s] == 6'(f_warp)) assert (row == f_row_q);
  end

  // Look-ups: one source of each port, read from the slots at the cycle that the page says
  `ASSERT_ANY(f_source, 3)
  for (genvar p = 0; p < NumPorts; p++) begin : gen_f_port
    logic [1:0]       f_age_q;                      // cycles since it was accepted; 0: none, or its result has been shown
    logic [5:0]       f_look_warp_q;
    logic [2:0]       f_look_count_q;
    logic [7:0]       f_look_register_q;
    logic             f_hit_q;
    logic [SlotW-1:0] f_look_slot_q;
    logic             f_known_q;                    // it was the symbolic register, of the symbolic slot
    logic [BankW-1:0] f_bank_q;
    logic             f_go;                         // it is accepted
    logic             f_reads;
    logic             f_open;                       // it is being read
    logic [5:0]       f_look_warp;
    logic [2:0]       f_look_count;
    logic [7:0]       f_look_register;
    logic             f_now;                        // the source is read in this cycle
    logic             f_hit;
    logic [SlotW-1:0] f_look_slot;
    logic             f_known;
    assign f_go         = lookup_valid_i[p] && lookup_ready_o[p];
    assign f_open       = f_age_q != 2'd0 && 4'({f_age_q, 1'b0}) < 4'(f_look_count_q);
    assign f_reads      = f_go || f_open;
    assign f_look_warp  = f_go ? lookup_warp[p] : f_look_warp_q;
    assign f_look_count = f_go ? lookup_count[p] : f_look_count_q;
    always_comb begin
      f_look_register = f_look_register_q;
      for (int k = 0; k < 6; k++) if (f_go && f_source == 3'(k)) f_look_register = lookup_sources[p][8*k +: 8];
    end
    assign f_now   = f_reads && f_source < f_look_count && f_source[2:1] == (f_go ? 2'd0 : f_age_q);
    assign f_known = f_now && f_mine && f_look_warp == f_slot_warp && f_look_register == 8'(f_register) && f_present;
    always_comb begin
      f_hit       = 1'b0;
      f_look_slot = '0;
      for (int s = 0; s < NumSlots; s++) begin
        if (taken_q[s] && warp_q[s] == f_look_warp) begin
          f_look_slot = SlotW'(s);
          f_hit       = f_now && f_present_sets[NumRegisters*s + 32'(f_look_register[RegisterW-1:0])];
        end
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_age_q <= '0;
      else f_age_q <= f_go ? 2'd1 : f_open ? f_age_q + 2'd1 : 2'd0;
    end
    always_ff @(posedge clk_i) begin
      f_look_warp_q     <= f_look_warp;
      f_look_count_q    <= f_look_count;
      f_look_register_q <= f_look_register;
      if (f_reads) f_look_slot_q <= f_look_slot;
      if (f_go || f_now) begin
        f_hit_q   <= f_hit;
        f_known_q <= f_known;
        f_bank_q  <= f_place_q;
      end
    end
    `ASSERT_ALWAYS begin
      assert (lookup_ready_o[p] == !f_open);
      assert (response_valid_o[p] == (f_age_q != 2'd0 && !f_open));
      if (response_valid_o[p]) begin
        assert (response_slot[p] == f_look_slot_q);
        if (f_source < 3'd6) begin
          assert (response_hit[p][f_source] == f_hit_q);
          if (!f_hit_q) assert (response_bank[p][BankW*f_source +: BankW] == '0);
          if (f_known_q) assert (response_bank[p][BankW*f_source +: BankW] == f_bank_q);
        end
      end else begin
        assert (response_slot[p] == '0 && response_hit[p] == '0 && response_bank[p] == '0);
      end
`ifdef FORMAL
      // what the registers hold meanwhile
      assert (gen_port[p].lookup_pair_q == (f_open ? f_age_q : 2'd0));
      if (f_open) begin
        assert (gen_port[p].lookup_warp_q == f_look_warp_q && gen_port[p].lookup_count_q == f_look_count_q);
        assert (32'(f_look_warp_q) % NumPorts == p);
        if (f_source[2:1] == 2'd1) assert (gen_port[p].lookup_source_q[8*f_source[0] +: 8] == f_look_register_q);
        if (f_source[2:1] == 2'd2) assert (gen_port[p].lookup_source_q[16+8*f_source[0] +: 8] == f_look_register_q);
      end
      if (f_age_q != 2'd0) begin
        assert (f_look_count_q != 3'd0 && f_look_count_q != 3'd7 && {f_age_q, 1'b0} <= f_look_count_q + 3'd1);
        if (f_source >= f_look_count_q || f_source[2:1] >= f_age_q) assert (!f_hit_q && !f_known_q);
        if (f_source < 3'd6) begin
          assert (gen_port[p].response_hit_q[f_source] == f_hit_q);
          if (!f_hit_q) assert (gen_port[p].response_bank_q[BankW*f_source +: BankW] == '0 && !f_known_q);
          if (f_known_q) assert (gen_port[p].response_bank_q[BankW*f_source +: BankW] == f_bank_q);
        end
        assert (gen_port[p].response_slot_q == f_look_slot_q);
      end
`endif
    end
  end

`ifdef FORMAL
  // the inputs that the page calls illegal; numbers of warps and registers that there are
  logic [NumWarps-1:0] f_begun_q;                   // started since reset or its last END
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_begun_q <= '0;
    else f_begun_q <= (f_begun_q & ~(NumWarps'(done_valid_o && done_command_o == CommandEnd) << done_warp_o[WarpW-1:0]))
                    | (NumWarps'(start_valid_i) << start_warp_i[WarpW-1:0]);
  end
  logic [8:0] f_ones;
  always_comb begin
    f_ones = '0;
    for (int r = 0; r < NumRegisters; r++) f_ones = f_ones + 9'(command_registers_i[r]);
  end
  for (genvar p = 0; p < NumPorts; p++) begin : gen_f_legal
    always_comb begin
      assume (32'(lookup_warp[p]) < NumWarps && 32'(issue_warp[p]) < NumWarps);
      if (lookup_valid_i[p]) begin
        assume (32'(lookup_warp[p]) % NumPorts == p && lookup_ready_o[p]);
        assume (lookup_count[p] != 3'd0 && lookup_count[p] != 3'd7);
      end
      if (issue_valid_i[p]) begin
        assume (32'(issue_warp[p]) % NumPorts == p && active_q[issue_warp[p][WarpW-1:0]]);
        assume (!(command_valid_i && command_ready_o && command_warp_i == issue_warp[p]));
        for (int s = 0; s < NumSlots; s++) if (taken_q[s] && warp_q[s] == issue_warp[p]) assume (idle[s]);
      end
      for (int k = 0; k < 6; k++) begin
        assume (32'(lookup_sources[p][8*k +: 8]) < NumRegisters);
        assume (32'(issue_source_i[48*p+8*k +: 8]) < NumRegisters);
      end
      for (int k = 0; k < 4; k++) assume (32'(issue_destination_i[32*p+8*k +: 8]) < NumRegisters);
    end
  end
  for (genvar n = 0; n < NumResults; n++) begin : gen_f_legal_result
    always_comb begin
      assume (32'(result_warp[n]) < NumWarps && 32'(result_register[n]) < NumRegisters);
      if (result_valid_i[n] && command_valid_i && command_ready_o && command_i == CommandEnd)
        assume (command_warp_i != result_warp[n]);
    end
    for (genvar i = 0; i < n; i++) begin : gen_f_pair
      always_comb begin
        if (result_valid_i[n] && result_valid_i[i])
          assume (result_warp[n] != result_warp[i] || result_register[n] != result_register[i]);
      end
    end
  end
  always_comb begin
    assume (32'(start_warp_i) < NumWarps && 32'(command_warp_i) < NumWarps && 32'(fill_register_i) < NumRegisters);
    assume ((command_registers_i >> NumRegisters) == '0);
    if (start_valid_i) assume (!active_q[start_warp_i[WarpW-1:0]] && !(enter && command_warp_i == start_warp_i));
    if (command_valid_i && command_ready_o && command_i == CommandActivate) assume (f_begun_q[command_warp_i[WarpW-1:0]]);
    if (command_valid_i && command_ready_o && command_i == CommandPrefetch) assume (32'(f_ones) <= NumCacheBanks);
    if (fill_valid_i) assume (f_under_way_q[NumRegisters*fill_slot_i + 32'(fill_register_i)]);
  end

  // 3, and the slots' aau
  logic [WarpW:0] f_active_count;
  always_comb begin
    f_active_count = '0;
    for (int w = 0; w < NumWarps; w++) f_active_count = f_active_count + (WarpW+1)'(active_q[w]);
    assert (f_slot_occupied == taken_q);
    assert (32'(f_active_count) + 32'(f_slot_count) == NumSlots);
  end
  // rows: no working set has more than NumCacheBanks registers; the row that is read is that of the warp
  for (genvar w = 0; w < NumWarps; w++) begin : gen_f_row
    logic [RegisterW:0] f_size;
    always_comb begin
      f_size = '0;
      for (int r = 0; r < NumRegisters; r++) f_size = f_size + (RegisterW+1)'(f_rows[2*NumRegisters*w+r]);
      if (f_begun_q[w]) assert (32'(f_size) <= NumCacheBanks);
      if (active_q[w]) assert (f_begun_q[w]);
    end
  end
  for (genvar s = 0; s < NumSlots; s++) begin : gen_f_warp
    always_comb begin
      assert (32'(warp_q[s]) < NumWarps);
      if (f_loading[s]) assert (row == f_rows[2*NumRegisters*warp_q[s][WarpW-1:0] +: 2*NumRegisters]);
    end
  end
  always_comb if (f_begun_q[f_warp]) assert (f_rows[2*NumRegisters*f_warp +: 2*NumRegisters] == f_row_q);

  // ---- covers
  logic [NumSlots-1:0] f_swap;                      // an eviction of a PREFETCH
  logic [NumSlots-1:0] f_held;
  logic [NumSlots-1:0] f_free;                      // a register that comes or leaves without the main register file
  logic [NumSlots-1:0] f_again;                     // load of a warp with a working set
  for (genvar s = 0; s < NumSlots; s++) begin : gen_f_cover
    assign f_swap[s]  = gen_slot[s].evict && command_q[s] == CommandPrefetch;
    assign f_held[s]  = gen_slot[s].evict && gen_slot[s].held;
    assign f_free[s]  = (gen_slot[s].comes || gen_slot[s].leaves) && !gen_slot[s].need;
    assign f_again[s] = f_loading[s] && row[NumRegisters-1:0] != '0;
  end
  always_comb begin
    cover (rst_ni && main_write_valid_o && (f_swap & grant) != '0);
    cover (rst_ni && main_read_valid_o && fill_valid_i && main_read_slot_o == fill_slot_i);
    cover (rst_ni && (f_held & ~request_valid) != '0);
    cover (rst_ni && start_valid_i && (finished & deactivates) != '0);
    cover (rst_ni && f_again != '0);
    cover (rst_ni && done_valid_o && done_command_o == CommandEnd && (f_present_sets[NumRegisters-1:0] != '0));
    cover (rst_ni && response_valid_o[0] && response_hit[0] == '1);
    cover (rst_ni && finished == '1);
    cover (rst_ni && request_valid == '1 && main_write_valid_o);
    cover (rst_ni && result_hit_o[0] && result_bank[0] == BankW'(1));
  end
  if (LiveOnly == 1) begin : gen_f_plus
    always_comb cover (rst_ni && f_free != '0);
  end
`endif
`endif
