// SPDX-License-Identifier: Apache-2.0
// ccu: caching collector unit: gathers an instruction's operands and keeps registers of its warp. What a result replaces depends
// on registers alone, so that the victims of an allocation in the same cycle do not wait for it.
// C twin: cmodel/blocks/malekeh/ccu.c
// One instruction at a time. Allocation to requests and, if nothing misses, to dispatch 1 cycle; last value to dispatch 1.
module ccu #(
  parameter int NumEntries = 8,       // entries of the cache table, NumSlots at least
  parameter int NumWarps = 8,         // warps of the sub-core, a power of two from 2
  parameter int NumResults = 2,       // results that are written to the banks in a cycle, a power of two from 2
  parameter int Cache = 1,            // 0: a plain operand collector
  parameter int Near = 1,             // 1: near entries are replaced last; 0: least recently used alone
  parameter int Filter = 1,           // 1: far results are not cached; 0: all are
  parameter int NumSlots = 6,         // operand slots
  parameter int NumLanes = 32,        // lanes of a register, 32 but in proofs
  parameter int LaneW = 32            // bits of a lane, 32 but in proofs
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  // allocation, only when not busy; [slot]: source exists, register, near
  input  logic                                   allocate_valid_i,
  input  logic [$clog2(NumWarps)-1:0]            allocate_warp_i,
  input  logic [15:0]                            allocate_meta_i,
  input  logic [NumSlots-1:0]                    allocate_source_i,
  input  logic [NumSlots*8-1:0]                  allocate_register_i,
  input  logic [NumSlots-1:0]                    allocate_near_i,
  // requests to the banks, [slot]: register, entry
  output logic [NumSlots-1:0]                    request_valid_o,
  output logic [NumSlots*8-1:0]                  request_register_o,
  output logic [NumSlots*$clog2(NumEntries)-1:0] request_entry_o,
  // a register from a bank, for this entry
  input  logic                                   operand_valid_i,
  input  logic [$clog2(NumEntries)-1:0]          operand_entry_i,
  input  logic [NumLanes*LaneW-1:0]              operand_data_i,
  // a result that may be cached
  input  logic                                   cache_valid_i,
  input  logic [$clog2(NumWarps)-1:0]            cache_warp_i,
  input  logic [7:0]                             cache_register_i,
  input  logic                                   cache_near_i,
  input  logic [NumLanes-1:0]                    cache_lanes_i,
  input  logic [NumLanes*LaneW-1:0]              cache_data_i,
  // results that go to the banks alone, [result]: warp, register
  input  logic [NumResults-1:0]                  snoop_valid_i,
  input  logic [NumResults*$clog2(NumWarps)-1:0] snoop_warp_i,
  input  logic [NumResults*8-1:0]                snoop_register_i,
  // the CTA of this warp has ended
  input  logic [NumWarps-1:0]                    exit_warps_i,
  input  logic [15:0]                            seed_i,
  // state of the unit
  output logic                                   owner_valid_o,
  output logic [$clog2(NumWarps)-1:0]            owner_warp_o,
  output logic                                   busy_o,
  output logic                                   cached_o,
  output logic                                   cached_near_o,
  // dispatch; data [slot]
  output logic                                   dispatch_valid_o,
  output logic [15:0]                            dispatch_meta_o,
  output logic [NumSlots*NumLanes*LaneW-1:0]     dispatch_data_o,
  input  logic                                   dispatch_take_i
);
  localparam int WarpW = $clog2(NumWarps);
  localparam int EntryW = $clog2(NumEntries);
  localparam int CountW = $clog2(NumEntries + 1);
  localparam int DataW = NumLanes * LaneW;
  localparam int NumPairs = NumEntries * (NumEntries - 1) / 2;

  // the flat ports as arrays
  logic [7:0]        allocate_register [NumSlots];
  logic [7:0]        request_register [NumSlots];
  logic [EntryW-1:0] request_entry [NumSlots];
  logic [DataW-1:0]  dispatch_data [NumSlots];
  for (genvar k = 0; k < NumSlots; k++) begin : gen_port
    assign allocate_register[k]               = allocate_register_i[8*k +: 8];
    assign request_register_o[8*k +: 8]       = request_register[k];
    assign request_entry_o[EntryW*k +: EntryW] = request_entry[k];
    assign dispatch_data_o[DataW*k +: DataW]  = dispatch_data[k];
  end

  logic                  busy_q, busy_d;
  logic                  owner_valid_q, owner_valid_d;
  logic [WarpW-1:0]      owner_warp_q, owner_warp_d;
  logic [15:0]           meta_q, meta_d;
  logic [NumEntries-1:0] valid_q, valid_d;
  logic [NumEntries-1:0] locked_q, locked_d;
  logic [NumEntries-1:0] near_q, near_d;
  logic [7:0]            tag_q [NumEntries];
  logic [7:0]            tag_d [NumEntries];
  logic [NumPairs-1:0]   newer_q, newer_d;        // of entries i < j, in order of i, then j: i was used after j
  logic [NumSlots-1:0]   source_q, source_d;
  logic [NumSlots-1:0]   ready_q, ready_d;
  logic [EntryW-1:0]     slot_entry_q [NumSlots];
  logic [NumSlots-1:0]   request_q, request_d;
  logic [15:0]           random_q, random_d;
  logic [DataW-1:0]      data_q [NumEntries];     // not reset: valid_q or ready_q gates it

  logic [NumEntries-1:0] cache_use;               // the entry that the result writes
  logic                  exits;
  assign exits = owner_valid_q && exit_warps_i[owner_warp_q];

  // ---- owner and slots
  logic [NumSlots-1:0] come;                      // slots whose value arrives
  logic [NumSlots-1:0] hit_slots;                 // allocation: slots whose register is here
  logic [EntryW-1:0]   new_entry [NumSlots];
  logic [NumSlots-1:0] new_request;
  for (genvar k = 0; k < NumSlots; k++) begin : gen_come
    assign come[k] = operand_valid_i && source_q[k] && slot_entry_q[k] == operand_entry_i;
  end
  always_comb begin
    busy_d        = busy_q && !dispatch_take_i;
    owner_valid_d = owner_valid_q && !exits;
    owner_warp_d  = owner_warp_q;
    meta_d        = meta_q;
    source_d      = dispatch_take_i ? '0 : source_q;
    ready_d       = dispatch_take_i ? '0 : ready_q | come;
    request_d     = '0;
    if (allocate_valid_i) begin
      busy_d        = 1'b1;
      owner_valid_d = 1'b1;
      owner_warp_d  = allocate_warp_i;
      meta_d        = allocate_meta_i;
      source_d      = allocate_source_i;
      ready_d       = hit_slots;
      request_d     = new_request;
    end
  end

  // ---- the cache table
  if (Cache != 0) begin : gen_cache
    logic [WarpW-1:0] snoop_warp [NumResults];
    logic [7:0]       snoop_register [NumResults];
    for (genvar r = 0; r < NumResults; r++) begin : gen_snoop_port
      assign snoop_warp[r]     = snoop_warp_i[WarpW*r +: WarpW];
      assign snoop_register[r] = snoop_register_i[8*r +: 8];
    end

    // order of use, both ways: bit NumEntries i + j says that i was used after j; then the same after the result
    logic [NumEntries*NumEntries-1:0] after;
    logic [NumEntries*NumEntries-1:0] cache_after;
    for (genvar i = 0; i < NumEntries; i++) begin : gen_after
      for (genvar j = 0; j < NumEntries; j++) begin : gen_pair
        localparam int Bit = NumEntries * i + j;
        if (i < j) begin : gen_upper
          assign after[Bit]       = newer_q[i*(2*NumEntries-i-1)/2 + j-i-1];
          assign cache_after[Bit] = (after[Bit] || cache_use[i]) && !cache_use[j];
        end else if (i > j) begin : gen_lower
          assign after[Bit]       = !newer_q[j*(2*NumEntries-j-1)/2 + i-j-1];
          assign cache_after[Bit] = cache_use[i] || (after[Bit] && !cache_use[j]);
        end else begin : gen_self
          assign after[Bit]       = 1'b0;
          assign cache_after[Bit] = 1'b0;
        end
      end
    end

    // ---- the result. Its victim is known from the registers
    logic [NumEntries*CountW-1:0] cache_place;
    logic [CountW-1:0]            cache_num_empty;
    logic                         cache_far;
    logic [15:0]                  cache_next_random;
    logic [15:0]                  cache_random;   // the LFSR after the result
    logic                         cache_mine;
    logic                         cache_enters;
    logic [NumEntries-1:0]        cache_hit;
    logic [NumEntries-1:0]        cache_victim;
    logic [NumEntries-1:0]        cache_put;      // the entry that it replaces
    logic                         cache_pick;
    victims #(.NumEntries(NumEntries), .Near(Near)) u_cache_victims (
      .valid_i(valid_q), .locked_i(locked_q), .near_i(near_q), .after_i(after),
      .random_i(random_q), .seed_i(seed_i),
      .place_o(cache_place), .head_o(cache_victim), .num_empty_o(cache_num_empty),
      .some_far_o(cache_far), .next_random_o(cache_next_random)
    );
    for (genvar i = 0; i < NumEntries; i++) begin : gen_cache_hit
      assign cache_hit[i] = valid_q[i] && tag_q[i] == cache_register_i;
    end
    assign cache_mine   = cache_valid_i && owner_valid_q && cache_warp_i == owner_warp_q;
    assign cache_enters = cache_mine && cache_hit == '0 && cache_lanes_i == '1 && (cache_near_i || Filter == 0);
    assign cache_put    = cache_enters ? cache_victim : '0;
    assign cache_use    = cache_mine && cache_hit != '0 ? cache_hit : cache_put;
    assign cache_pick   = cache_enters && cache_far && cache_num_empty == '0;
    assign cache_random = cache_pick ? cache_next_random : random_q;

    // ---- snoops, exit, and the flush for another warp
    logic [NumEntries-1:0] dropped;
    logic                  flush;
    logic [NumEntries-1:0] exit_valid;            // after the exit
    logic [NumEntries-1:0] exit_near;
    logic [NumEntries-1:0] flush_valid;           // after the flush
    logic [NumEntries-1:0] flush_near;
    for (genvar i = 0; i < NumEntries; i++) begin : gen_snoop
      logic [NumResults-1:0] by;
      for (genvar r = 0; r < NumResults; r++) begin : gen_result
        assign by[r] = snoop_valid_i[r] && owner_valid_q && snoop_warp[r] == owner_warp_q && snoop_register[r] == tag_q[i];
      end
      // the cached result's register is none of theirs
      assign dropped[i]   = by != '0 && !cache_put[i];
      assign exit_near[i] = !exits && (cache_use[i] ? cache_near_i : near_q[i]);
    end
    assign flush       = !owner_valid_q || allocate_warp_i != owner_warp_q;
    assign exit_valid  = exits ? '0 : (valid_q | cache_put) & ~dropped;
    assign flush_valid = flush ? '0 : exit_valid;
    assign flush_near  = flush ? '0 : exit_near;

    // ---- allocation: hits
    logic [NumSlots-1:0]   same [NumSlots];       // [slot] slots of its register
    logic [NumEntries-1:0] hit [NumSlots];        // [slot] the entry that has its register
    logic [NumEntries-1:0] hit_locked;
    logic [NumSlots-1:0]   miss;
    logic [NumSlots-1:0]   lead;                  // first slot of its register
    logic [NumSlots-1:0]   tail;                  // last one
    for (genvar k = 0; k < NumSlots; k++) begin : gen_hit
      logic [NumSlots-1:0]   same_register;
      logic [NumEntries-1:0] here;
      for (genvar j = 0; j < NumSlots; j++) begin : gen_same
        assign same_register[j] = allocate_source_i[k] && allocate_source_i[j]
                               && allocate_register[j] == allocate_register[k];
      end
      assign same[k] = same_register;
      assign lead[k] = allocate_source_i[k] && (same_register & ~({NumSlots{1'b1}} << k)) == '0;
      assign tail[k] = allocate_source_i[k] && (same_register & ({NumSlots{1'b1}} << (k + 1))) == '0;
      for (genvar i = 0; i < NumEntries; i++) begin : gen_entry
        assign here[i] = allocate_source_i[k] && flush_valid[i]
                      && (cache_put[i] ? cache_register_i : tag_q[i]) == allocate_register[k];
      end
      assign hit[k]       = here;
      assign hit_slots[k] = here != '0;
      assign miss[k]      = allocate_source_i[k] && !hit_slots[k];
    end
    always_comb begin
      hit_locked = '0;
      for (int k = 0; k < NumSlots; k++) hit_locked = hit_locked | hit[k];
    end
    assign new_request = miss & lead;

    // ---- misses: the distinct registers take the victims in their order
    logic [NumEntries*CountW-1:0] flat_place;
    logic [CountW-1:0]            place [NumEntries];
    logic [NumEntries-1:0]        head;
    logic [CountW-1:0]            num_empty;
    logic [CountW-1:0]            num_miss;
    logic                         some_far;
    logic [15:0]                  next_random;
    logic                         allocate_pick;
    logic [NumEntries-1:0]        at [NumSlots];  // [slot] the entry that it uses
    logic [NumEntries-1:0]        put [NumSlots]; // as a victim
    victims #(.NumEntries(NumEntries), .Near(Near)) u_victims (
      .valid_i(flush_valid), .locked_i(hit_locked), .near_i(flush_near), .after_i(cache_after),
      .random_i(cache_random), .seed_i(seed_i),
      .place_o(flat_place), .head_o(head), .num_empty_o(num_empty),
      .some_far_o(some_far), .next_random_o(next_random)
    );
    for (genvar i = 0; i < NumEntries; i++) begin : gen_place
      assign place[i] = flat_place[CountW*i +: CountW];
    end
    popcount #(.N(NumEntries)) u_num_miss (.bits_i(NumEntries'(new_request)), .count_o(num_miss));
    assign allocate_pick = allocate_valid_i && some_far && num_miss > num_empty;
    for (genvar k = 0; k < NumSlots; k++) begin : gen_put
      logic [NumSlots-1:0]   ahead;               // first slots of registers that come before its own
      logic [NumSlots-1:0]   lower;               // of these the ones that miss
      logic [CountW-1:0]     num_lower;
      logic [NumEntries-1:0] takes;
      logic [EntryW-1:0]     number;              // of the entry that it uses
      for (genvar j = 0; j < NumSlots; j++) begin : gen_ahead
        assign ahead[j] = j < k && lead[j] && (same[k] & ~({NumSlots{1'b1}} << (j + 1))) == '0;
      end
      assign lower = miss & ahead;
      popcount #(.N(NumEntries)) u_lower (.bits_i(NumEntries'(lower)), .count_o(num_lower));
      for (genvar i = 0; i < NumEntries; i++) begin : gen_entry
        assign takes[i] = miss[k] && !hit_locked[i] && place[i] == num_lower;
      end
      assign put[k] = takes;
      assign at[k]  = hit[k] | takes;
      for (genvar e = 0; e < EntryW; e++) begin : gen_number
        logic [NumEntries-1:0] odd;               // the entry that it uses, if bit e of its number is set
        for (genvar i = 0; i < NumEntries; i++) begin : gen_odd
          assign odd[i] = at[k][i] && ((i >> e) & 1) != 0;
        end
        assign number[e] = odd != '0;
      end
      assign new_entry[k] = number;
    end

    // ---- the table after the allocation. Of several uses of an entry the last slot's counts.
    for (genvar i = 0; i < NumEntries; i++) begin : gen_entry
      logic [NumSlots-1:0] by;                    // slots that use the entry
      logic [NumSlots-1:0] by_put;
      logic [NumSlots-1:0] by_last;               // the last of them
      logic [NumSlots-1:0] later;                 // slots at which it has not been used for the last time
      logic [7:0]          tag;
      for (genvar k = 0; k < NumSlots; k++) begin : gen_by
        assign by[k]      = at[k][i];
        assign by_put[k]  = put[k][i];
        assign by_last[k] = by[k] && tail[k];
      end
      for (genvar k = 0; k < NumSlots; k++) begin : gen_later
        assign later[k] = (by_last & ({NumSlots{1'b1}} << k)) != '0;
      end
      always_comb begin
        tag = '0;
        for (int k = 0; k < NumSlots; k++) tag = tag | (by_put[k] && lead[k] ? allocate_register[k] : '0);
      end
      assign valid_d[i]  = allocate_valid_i ? flush_valid[i] || by_put != '0 : exit_valid[i];
      assign locked_d[i] = allocate_valid_i ? by != '0 : locked_q[i] && !dispatch_take_i;
      assign near_d[i]   = !allocate_valid_i ? exit_near[i]
                         : by != '0 ? (by_last & allocate_near_i) != '0 : flush_near[i];
      assign tag_d[i]    = allocate_valid_i && by_put != '0 ? tag : cache_put[i] ? cache_register_i : tag_q[i];
    end
    for (genvar i = 0; i < NumEntries; i++) begin : gen_order
      for (genvar j = i + 1; j < NumEntries; j++) begin : gen_pair
        logic i_by, j_by, i_last;
        assign i_by   = gen_entry[i].by != '0;
        assign j_by   = gen_entry[j].by != '0;
        assign i_last = (gen_entry[i].later & ~gen_entry[j].later) != '0;
        assign newer_d[i*(2*NumEntries-i-1)/2 + j-i-1] =
          allocate_valid_i && (i_by || j_by) ? i_last : cache_after[NumEntries*i+j];
      end
    end
    assign random_d = allocate_pick ? next_random : cache_random;

    // a result takes the head of its list alone, an allocation any places
    logic unused;
    assign unused = &{cache_place, head};
  end else begin : gen_plain
    // slot k has entry k, and its register as the tag; the other inputs mean nothing
    assign cache_use   = '0;
    assign valid_d     = valid_q;
    assign locked_d    = locked_q;
    assign near_d      = near_q;
    assign newer_d     = newer_q;
    assign random_d    = random_q;
    assign hit_slots   = '0;
    assign new_request = allocate_source_i;
    for (genvar k = 0; k < NumSlots; k++) begin : gen_slot
      assign new_entry[k] = allocate_source_i[k] ? EntryW'(k) : '0;
    end
    for (genvar i = 0; i < NumEntries; i++) begin : gen_tag
      localparam int Slot = i < NumSlots ? i : 0;
      assign tag_d[i] = i < NumSlots && allocate_valid_i && allocate_source_i[Slot] ? allocate_register[Slot] : tag_q[i];
    end
    logic unused;
    assign unused = &{cache_valid_i, cache_warp_i, cache_register_i, cache_near_i, snoop_valid_i, snoop_warp_i,
                      snoop_register_i, allocate_near_i, seed_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q        <= 1'b0;
      owner_valid_q <= 1'b0;
      owner_warp_q  <= '0;
      meta_q        <= '0;
      valid_q       <= '0;
      locked_q      <= '0;
      near_q        <= '0;
      newer_q       <= '1;
      source_q      <= '0;
      ready_q       <= '0;
      request_q     <= '0;
      random_q      <= '0;
      for (int i = 0; i < NumEntries; i++) tag_q[i] <= '0;
      for (int k = 0; k < NumSlots; k++) slot_entry_q[k] <= '0;
    end else begin
      busy_q        <= busy_d;
      owner_valid_q <= owner_valid_d;
      owner_warp_q  <= owner_warp_d;
      meta_q        <= meta_d;
      valid_q       <= valid_d;
      locked_q      <= locked_d;
      near_q        <= near_d;
      newer_q       <= newer_d;
      source_q      <= source_d;
      ready_q       <= ready_d;
      request_q     <= request_d;
      random_q      <= random_d;
      for (int i = 0; i < NumEntries; i++) tag_q[i] <= tag_d[i];
      for (int k = 0; k < NumSlots; k++) if (allocate_valid_i) slot_entry_q[k] <= new_entry[k];
    end
  end

  // ---- data: the operand and the result, which never name one entry in one cycle
  logic [DataW-1:0] cache_mask;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_mask
    assign cache_mask[LaneW*l +: LaneW] = {LaneW{cache_lanes_i[l]}};
  end
  for (genvar i = 0; i < NumEntries; i++) begin : gen_data
    logic operand_here;
    assign operand_here = operand_valid_i && operand_entry_i == EntryW'(i);
    always_ff @(posedge clk_i) begin
      if (operand_here) data_q[i] <= operand_data_i;
      if (cache_use[i]) data_q[i] <= (data_q[i] & ~cache_mask) | (cache_data_i & cache_mask);
    end
  end

  // ---- outputs
  assign request_valid_o  = request_q;
  assign owner_valid_o    = owner_valid_q;
  assign owner_warp_o     = owner_valid_q ? owner_warp_q : '0;
  assign busy_o           = busy_q;
  assign cached_o         = valid_q != '0;
  assign cached_near_o    = (valid_q & near_q) != '0;
  assign dispatch_valid_o = busy_q && (source_q & ~ready_q) == '0;
  assign dispatch_meta_o  = dispatch_valid_o ? meta_q : '0;
  for (genvar k = 0; k < NumSlots; k++) begin : gen_out
    logic [EntryW-1:0] at;
    logic [7:0]        tag;
    logic [DataW-1:0]  data;
    assign at = Cache != 0 ? slot_entry_q[k] : EntryW'(k);
    always_comb begin
      tag  = '0;
      data = '0;
      for (int i = 0; i < NumEntries; i++) begin
        if (request_q[k] && at == EntryW'(i)) tag = tag_q[i];
        if (dispatch_valid_o && source_q[k] && at == EntryW'(i)) data = data_q[i];
      end
    end
    assign request_entry[k]    = request_q[k] ? at : '0;
    assign request_register[k] = tag;
    assign dispatch_data[k]    = data;
  end

`include "ccu_properties.svh"
endmodule
