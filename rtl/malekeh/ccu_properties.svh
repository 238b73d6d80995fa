// SPDX-License-Identifier: Apache-2.0
// Properties of ccu (docs/blocks/malekeh/ccu.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
  localparam int SlotW = NumSlots > 1 ? $clog2(NumSlots) : 1;
  logic [WarpW-1:0] f_snoop_warp [NumResults];
  logic [7:0]       f_snoop_register [NumResults];
  for (genvar r = 0; r < NumResults; r++) begin : gen_f_snoop_port
    assign f_snoop_warp[r]     = snoop_warp_i[WarpW*r +: WarpW];
    assign f_snoop_register[r] = snoop_register_i[8*r +: 8];
  end

  // entries for whose value a slot waits; entries to which a slot points
  logic [NumEntries-1:0] f_open;
  logic [NumEntries-1:0] f_points;
  always_comb begin
    f_open   = '0;
    f_points = '0;
    for (int k = 0; k < NumSlots; k++) begin
      for (int i = 0; i < NumEntries; i++) begin
        if (source_q[k] && slot_entry_q[k] == EntryW'(i)) f_points[i] = 1'b1;
        if (source_q[k] && !ready_q[k] && slot_entry_q[k] == EntryW'(i)) f_open[i] = 1'b1;
      end
    end
  end
`ifdef FORMAL
  initial assume (!rst_ni);
  // the inputs that the page calls illegal
  always_comb begin
    if (busy_q) assume (!allocate_valid_i);
    if (!dispatch_valid_o) assume (!dispatch_take_i);
    if (operand_valid_i) assume (32'(operand_entry_i) < NumEntries && f_open[operand_entry_i]);
    if (exits && busy_q) assume (dispatch_take_i);
    for (int i = 0; i < NumEntries; i++) begin
      if (Cache != 0 && owner_valid_q && locked_q[i]) begin
        assume (!(cache_valid_i && cache_warp_i == owner_warp_q && cache_register_i == tag_q[i]));
        for (int r = 0; r < NumResults; r++)
          assume (!(snoop_valid_i[r] && f_snoop_warp[r] == owner_warp_q && f_snoop_register[r] == tag_q[i]));
      end
    end
    for (int r = 0; r < NumResults; r++) begin
      if (Cache != 0 && cache_valid_i && snoop_valid_i[r] && cache_warp_i == f_snoop_warp[r])
        assume (cache_register_i != f_snoop_register[r]);
      for (int j = 0; j < r; j++) begin
        if (Cache != 0 && snoop_valid_i[j] && snoop_valid_i[r] && f_snoop_warp[j] == f_snoop_warp[r])
          assume (f_snoop_register[j] != f_snoop_register[r]);
      end
    end
  end
`endif

  // the slots' registers, as they came through the port
  logic [7:0] f_registers_q [NumSlots];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int k = 0; k < NumSlots; k++) f_registers_q[k] <= '0;
    end else if (allocate_valid_i) begin
      for (int k = 0; k < NumSlots; k++) f_registers_q[k] <= allocate_register[k];
    end
  end

  // one symbolic warp, register, entry and slot
  `ASSERT_ANY(f_warp, WarpW)
  `ASSERT_ANY(f_register, 8)
  `ASSERT_ANY(f_any_entry, EntryW)
  `ASSERT_ANY(f_any_slot, SlotW)
  logic [EntryW-1:0] f_entry;
  logic [SlotW-1:0]  f_slot;
  assign f_entry = 32'(f_any_entry) < NumEntries ? f_any_entry : '0;
  assign f_slot  = 32'(f_any_slot) < NumSlots ? f_any_slot : '0;

  // of the symbolic entry, of the symbolic slot, and of the entry of the latter
  logic [7:0]        f_tag;
  logic [EntryW-1:0] f_slot_entry;
  logic [7:0]        f_slot_register;
  logic [7:0]        f_slot_tag;
  always_comb begin
    f_tag           = '0;
    f_slot_entry    = '0;
    f_slot_register = '0;
    f_slot_tag      = '0;
    for (int k = 0; k < NumSlots; k++) begin
      if (f_slot == SlotW'(k)) begin
        f_slot_entry    = slot_entry_q[k];
        f_slot_register = f_registers_q[k];
      end
    end
    for (int i = 0; i < NumEntries; i++) begin
      if (f_entry == EntryW'(i)) f_tag = tag_q[i];
      if (f_slot_entry == EntryW'(i)) f_slot_tag = tag_q[i];
    end
  end

  // the register in the table, and in the slots of the instruction
  logic [NumEntries-1:0] f_has;
  logic [NumSlots-1:0]   f_slots;
  logic [NumSlots-1:0]   f_requested_slots;         // slots that request it now
  logic [CountW-1:0]     f_count;
  logic [CountW-1:0]     f_requests;
  logic                  f_first;                   // the first of its slots does
  for (genvar i = 0; i < NumEntries; i++) begin : gen_f_has
    assign f_has[i] = valid_q[i] && tag_q[i] == f_register;
  end
  for (genvar k = 0; k < NumSlots; k++) begin : gen_f_slots
    assign f_slots[k]           = source_q[k] && f_registers_q[k] == f_register;
    assign f_requested_slots[k] = request_q[k] && request_register[k] == f_register;
  end
  popcount #(.N(NumEntries)) u_f_count (.bits_i(f_has), .count_o(f_count));
  popcount #(.N(NumEntries)) u_f_requests (.bits_i(NumEntries'(f_requested_slots)), .count_o(f_requests));
  assign f_first = (f_slots & ~(f_slots - NumSlots'(1)) & request_q) != '0;

  // what came through the ports: requests that have no value yet, the last value for a slot
  logic             f_waits_q;                      // of entry f_entry, requested in an earlier cycle
  logic [DataW-1:0] f_operand_q;                    // value that came for slot f_slot
  logic             f_allocated_q;
  logic             f_hit_q;                        // the register was here, and nothing in the way, when it was allocated
  logic             f_quiet;
  logic             f_requested;
  always_comb begin
    f_requested = 1'b0;
    for (int k = 0; k < NumSlots; k++)
      if (request_valid_o[k] && request_entry[k] == f_entry) f_requested = 1'b1;
  end
  assign f_quiet = !cache_valid_i && snoop_valid_i == '0 && exit_warps_i == '0 && owner_valid_q
                && allocate_warp_i == owner_warp_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_allocated_q <= 1'b0;
      f_hit_q       <= 1'b0;
      f_waits_q     <= 1'b0;
    end else begin
      f_allocated_q <= allocate_valid_i;
      f_hit_q       <= allocate_valid_i && f_quiet && f_has != '0;
      f_waits_q     <= (f_waits_q || f_requested) && !(operand_valid_i && operand_entry_i == f_entry);
    end
  end
  always_ff @(posedge clk_i) begin
    if (operand_valid_i && source_q[f_slot] && operand_entry_i == f_slot_entry)
      f_operand_q <= operand_data_i;
  end

  // the cycle before
  logic             f_locked_q;                     // entry f_entry was locked, and no instruction was dispatched
  logic [7:0]       f_tag_q;
  logic             f_offer_q;
  logic [15:0]      f_meta_q;
  logic [DataW-1:0] f_data;                         // operand f_slot
  logic [DataW-1:0] f_data_q;
  logic [15:0]      f_random_q;
  logic             f_busy_q;
  logic             f_owner_valid_q;
  logic [WarpW-1:0] f_owner_warp_q;
  assign f_data = dispatch_data_o[DataW*f_slot +: DataW];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_locked_q      <= 1'b0;
      f_tag_q         <= '0;
      f_offer_q       <= 1'b0;
      f_random_q      <= '0;
      f_busy_q        <= 1'b0;
      f_owner_valid_q <= 1'b0;
      f_owner_warp_q  <= '0;
    end else begin
      f_locked_q      <= locked_q[f_entry] && !dispatch_take_i;
      f_tag_q         <= f_tag;
      f_offer_q       <= dispatch_valid_o && !dispatch_take_i;
      f_random_q      <= random_q;
      f_busy_q        <= allocate_valid_i || (f_busy_q && !dispatch_take_i);
      f_owner_valid_q <= allocate_valid_i || (f_owner_valid_q && !exit_warps_i[f_owner_warp_q]);
      if (allocate_valid_i) f_owner_warp_q <= allocate_warp_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (allocate_valid_i) f_meta_q <= allocate_meta_i;
    f_data_q <= f_data;
  end

  logic [NumSlots-1:0] f_late;                      // slots without a value
  assign f_late = source_q & ~ready_q;
  `ASSERT_ALWAYS begin
    assert (busy_o == f_busy_q && owner_valid_o == f_owner_valid_q
            && owner_warp_o == (f_owner_valid_q ? f_owner_warp_q : '0));
    // 1
    if (Cache != 0) assert (f_count <= CountW'(1));
    // 2
    if (Cache != 0) begin
      assert (locked_q[f_entry] == f_points[f_entry]);
      if (locked_q[f_entry]) assert (busy_q && valid_q[f_entry]);
      if (f_locked_q) assert (locked_q[f_entry] && valid_q[f_entry] && f_tag == f_tag_q);
    end
    // each slot's entry has its register
    if (source_q[f_slot]) begin
      assert (32'(f_slot_entry) < NumEntries && f_slot_tag == f_slot_register);
      if (Cache == 0) assert (f_slot_entry == EntryW'(f_slot));
    end
    // 4
    assert ((ready_q & ~source_q) == '0);
    if (!busy_q) assert (source_q == '0);
    if (busy_q) assert (owner_valid_q);
    if (f_late[f_slot] && f_slot_entry == f_entry) assert (f_waits_q || f_requested);
    if (f_waits_q || f_requested) assert (f_open[f_entry]);
    if (!f_allocated_q) assert (request_q == '0);
    if (f_allocated_q && Cache == 0) assert (request_q == source_q && ready_q == '0);
    if (f_allocated_q && Cache != 0 && f_slots != '0) begin
      // all its slots have the value, or none and the first one requests it
      assert ((f_slots & f_late) == '0 || (f_slots & ready_q) == '0);
      assert (f_requests == CountW'((f_slots & f_late) != '0)
              && f_first == ((f_slots & f_late) != '0));
      if (f_hit_q) assert ((f_slots & f_late) == '0);
    end
    for (int k = 0; k < NumSlots; k++) begin
      if (request_q[k])
        assert (request_register[k] == f_registers_q[k] && request_entry[k] == slot_entry_q[k]);
      if (!request_q[k]) assert (request_register[k] == '0 && request_entry[k] == '0);
    end
    // 5
    assert (dispatch_valid_o == (busy_q && f_late == '0));
    assert (dispatch_meta_o == (dispatch_valid_o ? f_meta_q : '0));
    if (busy_q) assert (meta_q == f_meta_q);
    if (!(dispatch_valid_o && source_q[f_slot])) assert (f_data == '0);
    if (f_offer_q) assert (dispatch_valid_o && f_data == f_data_q);
    // 6, without the cache; of a slot that missed with it
    if (Cache == 0 && dispatch_valid_o && source_q[f_slot]) assert (f_data == f_operand_q);
    // 7
    if (!owner_valid_q) assert (valid_q == '0);
    assert (cached_o == (valid_q != '0) && cached_near_o == ((valid_q & near_q) != '0));
    if (Cache == 0)
      assert (valid_q == '0 && locked_q == '0 && near_q == '0 && newer_q == '1 && random_q == '0);
    // 8
    if (random_q != f_random_q) assert (random_q != '0);
  end

  // near entries go last: what a result replaces is far if there is a far one, and if nothing is free
  if (Cache != 0) begin : gen_f_cache
    `ASSERT_ALWAYS begin
      if (cache_use[f_entry] && !f_points[f_entry] && cache_valid_i
          && !(valid_q[f_entry] && f_tag == cache_register_i)) begin
        assert (!locked_q[f_entry] && cache_lanes_i == '1 && (cache_near_i || Filter == 0));
        if (valid_q[f_entry]) assert ((~valid_q & ~locked_q) == '0);
        if (valid_q[f_entry] && near_q[f_entry] && Near != 0) assert ((~near_q & ~locked_q) == '0);
      end
      assert ((cache_use & (cache_use - NumEntries'(1))) == '0);
    end
  end

  // 9: a result that may enter does, and stays until its entry is replaced, or it is snooped or flushed. An allocation of
  // the same cycle finds it.
  logic f_here;                                     // a result of the symbolic register, of the owner
  logic f_gone;
  logic f_keep_q;
  logic f_keep_near_q;
  logic f_stay_q;
  assign f_here = cache_valid_i && owner_valid_q && cache_warp_i == owner_warp_q
               && cache_register_i == f_register;
  always_comb begin
    f_gone = 1'b0;
    for (int r = 0; r < NumResults; r++)
      f_gone = f_gone || (snoop_valid_i[r] && f_snoop_warp[r] == owner_warp_q
                          && f_snoop_register[r] == f_register);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_keep_q      <= 1'b0;
      f_keep_near_q <= 1'b0;
      f_stay_q      <= 1'b0;
    end else begin
      f_keep_q      <= Cache != 0 && f_here && cache_lanes_i == '1 && (cache_near_i || Filter == 0)
                    && locked_q != '1 && !exits && (!allocate_valid_i || allocate_warp_i == owner_warp_q);
      f_keep_near_q <= cache_near_i;
      f_stay_q      <= Cache != 0 && f_has != '0 && !exits && !allocate_valid_i && !f_gone
                    && !(cache_valid_i && !f_here);
    end
  end
  `ASSERT_ALWAYS begin
    if (f_keep_q && !f_allocated_q) assert (f_has != '0 && ((f_has & near_q) != '0) == f_keep_near_q);
    if (f_keep_q && f_allocated_q) assert ((f_slots & f_late) == '0);
    if (f_stay_q) assert (f_has != '0);
  end

`ifdef FORMAL
  // 10: what an allocation replaces
  if (Cache != 0) begin : gen_f_victims
    logic [NumEntries-1:0] f_put;
    logic [NumEntries-1:0] f_free;
    logic [NumEntries-1:0] f_far;
    logic [NumEntries-1:0] f_rest;
    for (genvar i = 0; i < NumEntries; i++) begin : gen_f_put
      assign f_put[i] = allocate_valid_i && gen_cache.gen_entry[i].by_put != '0;
    end
    assign f_free = ~gen_cache.flush_valid & ~gen_cache.hit_locked;
    assign f_far  = Near != 0 ? gen_cache.flush_valid & ~gen_cache.flush_near & ~gen_cache.hit_locked : '0;
    assign f_rest = gen_cache.flush_valid & ~gen_cache.hit_locked & ~f_far;
    always_comb begin
      if (f_put[f_entry] && gen_cache.flush_valid[f_entry]) assert ((f_free & ~f_put) == '0);
      if (f_put[f_entry] && f_rest[f_entry]) assert ((f_far & ~f_put) == '0);
      for (int j = 0; j < NumEntries; j++) begin
        if (f_put[f_entry] && f_rest[f_entry] && f_rest[j]
            && gen_cache.cache_after[NumEntries*f_entry + j]) assert (f_put[j]);
      end
    end
  end

  // 1, 2 of all entries and slots
  for (genvar i = 0; i < NumEntries; i++) begin : gen_f_entry
    always_comb begin
      if (Cache != 0) begin
        assert (locked_q[i] == f_points[i]);
        if (locked_q[i]) assert (valid_q[i]);
        for (int j = 0; j < i; j++) if (valid_q[i] && valid_q[j]) assert (tag_q[i] != tag_q[j]);
      end
    end
  end
  for (genvar k = 0; k < NumSlots; k++) begin : gen_f_slot
    logic [7:0] f_its_tag;
    always_comb begin
      f_its_tag = '0;
      for (int i = 0; i < NumEntries; i++) if (slot_entry_q[k] == EntryW'(i)) f_its_tag = tag_q[i];
      if (source_q[k]) begin
        assert (32'(slot_entry_q[k]) < NumEntries && f_its_tag == f_registers_q[k]);
        if (Cache == 0) assert (slot_entry_q[k] == EntryW'(k));
      end
    end
  end

  // 3; entries that an allocation uses are newer than the others, and the last slot's is the newest
  if (Cache != 0) begin : gen_f_order
    always_comb begin
      for (int i = 0; i < NumEntries; i++) begin
        for (int j = 0; j < NumEntries; j++) begin
          if (f_allocated_q && f_points[i] && !f_points[j]) assert (gen_cache.after[NumEntries*i+j]);
          for (int k = 0; k < NumSlots; k++) begin
            if (f_allocated_q && source_q >> k == NumSlots'(1) && slot_entry_q[k] == EntryW'(i) && i != j)
              assert (gen_cache.after[NumEntries*i+j]);
          end
        end
      end
    end
    for (genvar i = 0; i < NumEntries; i++) begin : gen_f_i
      for (genvar j = 0; j < NumEntries; j++) begin : gen_f_j
        for (genvar k = 0; k < NumEntries; k++) begin : gen_f_k
          if (i != j && j != k && i != k) begin : gen_f_three
            always_comb
              if (gen_cache.after[NumEntries*i+j] && gen_cache.after[NumEntries*j+k])
                assert (gen_cache.after[NumEntries*i+k]);
          end
        end
      end
    end
  end

  // 6: the symbolic register of the symbolic warp in its bank. While another warp is the owner it takes any value.
  (* anyseq *) logic [DataW-1:0] f_any;
  logic [DataW-1:0] f_bank_q;
  logic             f_owns;
  logic             f_snooped;
  assign f_owns = owner_valid_q && owner_warp_q == f_warp;
  always_comb begin
    f_snooped = 1'b0;
    for (int r = 0; r < NumResults; r++)
      f_snooped = f_snooped || (snoop_valid_i[r] && f_snoop_warp[r] == f_warp
                                && f_snoop_register[r] == f_register);
  end
  always_ff @(posedge clk_i) begin
    if (!f_owns || f_snooped) begin
      f_bank_q <= f_any;
    end else if (cache_valid_i && cache_warp_i == f_warp && cache_register_i == f_register) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (cache_lanes_i[l]) f_bank_q[LaneW*l +: LaneW] <= cache_data_i[LaneW*l +: LaneW];
      end
    end
  end
  for (genvar i = 0; i < NumEntries; i++) begin : gen_f_value
    always_comb begin
      if (Cache != 0) begin
        if (operand_valid_i && operand_entry_i == EntryW'(i) && f_owns && tag_q[i] == f_register)
          assume (operand_data_i == f_bank_q);
        if (f_owns && f_has[i] && !f_open[i]) assert (data_q[i] == f_bank_q);
      end
    end
  end
  always_comb begin
    for (int k = 0; k < NumSlots; k++) begin
      if (Cache != 0 && dispatch_valid_o && f_owns && f_slots[k]) assert (dispatch_data[k] == f_bank_q);
      // what the assertions above need to hold in the next cycle
      if (Cache == 0 && source_q[k] && ready_q[k] && SlotW'(k) == f_slot) assert (data_q[k] == f_operand_q);
    end
  end

  if (Cache != 0) begin : gen_f_cover
    always_comb begin
      cover (rst_ni && dispatch_valid_o && source_q == '1 && f_hit_q);
      cover (rst_ni && f_allocated_q && request_q == '1 && random_q != '0);
      cover (rst_ni && f_owns && f_has != '0 && !f_has[0] && cache_valid_i && cache_warp_i == f_warp
             && cache_register_i == f_register && cache_lanes_i == NumLanes'(1));
      cover (rst_ni && f_slots == '1 && source_q == '1 && request_q == NumSlots'(1));
      cover (rst_ni && dispatch_take_i && exits && valid_q == '1);
      cover (rst_ni && allocate_valid_i && f_owns && allocate_warp_i != f_warp
             && (valid_q & near_q) != '0);
      cover (rst_ni && cache_use != '0 && allocate_valid_i && allocate_warp_i == owner_warp_q
             && valid_q == '1 && !f_has[0] && random_q != '0);
    end
  end else begin : gen_f_cover_plain
    always_comb begin
      cover (rst_ni && dispatch_valid_o && source_q == '1 && f_data != '0);
      cover (rst_ni && f_slots == '1 && request_q == '1);
      cover (rst_ni && dispatch_take_i && exits && source_q == '0);
    end
  end
`endif
`endif
