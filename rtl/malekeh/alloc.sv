// SPDX-License-Identifier: Apache-2.0
// alloc: issue and allocation of a sub-core: which warp issues, into which collector. All ready warps are tried at once: what a
// try does depends on the warp's own unit and on the free units, which are the same for all. So no try waits for another one.
// C twin: cmodel/blocks/malekeh/alloc.c
// Combinational from inputs to issue; one warp a cycle.
module alloc #(
  parameter int NumWarps = 8,         // warps of the sub-core, a power of two from 2
  parameter int NumCollectors = 2,    // collector units of the sub-core, a power of two from 2
  parameter int Policy = 1,           // 1: Malekeh; 2: a unit for each warp; 3: a random free unit
  parameter int Pass = 1              // 1: a warp whose unit is busy lets the next one try; 0: it ends the search
) (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,
  // warps: ready; without need of a unit; [place]: the warps in the order of their age
  input  logic [NumWarps-1:0]                       warp_ready_i,
  input  logic [NumWarps-1:0]                       warp_direct_i,
  input  logic [NumWarps*$clog2(NumWarps)-1:0]      age_warp_i,
  // units, [unit]: owner; an instruction is here; an entry is valid; a near one is
  input  logic [NumCollectors-1:0]                  owner_valid_i,
  input  logic [NumCollectors*$clog2(NumWarps)-1:0] owner_warp_i,
  input  logic [NumCollectors-1:0]                  busy_i,
  input  logic [NumCollectors-1:0]                  cached_i,
  input  logic [NumCollectors-1:0]                  cached_near_i,
  input  logic [5:0]                                threshold_i,
  input  logic [15:0]                               seed_i,
  // the warp that issues, into which unit or without one; or nothing, to spare near registers
  output logic                                      issue_valid_o,
  output logic [$clog2(NumWarps)-1:0]               issue_warp_o,
  output logic [$clog2(NumCollectors)-1:0]          issue_collector_o,
  output logic                                      issue_direct_o,
  output logic                                      issue_wait_o
);
  localparam int WarpW = $clog2(NumWarps);
  localparam int CollectorW = $clog2(NumCollectors);
  localparam int CountW = $clog2(NumCollectors + 1);

  // the flat ports as arrays
  logic [WarpW-1:0] age_warp [NumWarps];
  logic [WarpW-1:0] owner_warp [NumCollectors];
  for (genvar i = 0; i < NumWarps; i++) begin : gen_age_port
    assign age_warp[i] = age_warp_i[WarpW*i +: WarpW];
  end
  for (genvar c = 0; c < NumCollectors; c++) begin : gen_owner_port
    assign owner_warp[c] = owner_warp_i[WarpW*c +: WarpW];
  end

  logic [WarpW-1:0] last_warp_q, last_warp_d;
  logic [5:0]       waited_q, waited_d;
  logic [15:0]      random_q, random_d;

  // ---- who owns what, [warp]: units; what trying each warp does
  logic [NumCollectors-1:0] own [NumWarps];
  logic [NumWarps-1:0]      owner;                // the warp owns a unit
  logic [NumWarps-1:0]      early;                // with data or an instruction in it
  logic [NumWarps-1:0]      held;                 // its unit is busy
  logic [NumWarps-1:0]      ends;                 // a try ends the search, with or without an issue
  for (genvar w = 0; w < NumWarps; w++) begin : gen_warp
    logic [NumCollectors-1:0] mine;
    for (genvar c = 0; c < NumCollectors; c++) begin : gen_unit
      assign mine[c] = Policy == 1 ? owner_valid_i[c] && owner_warp[c] == WarpW'(w)
                                   : Policy == 2 && c == w;
    end
    assign own[w]   = mine;
    assign owner[w] = mine != '0;
    assign early[w] = (mine & (cached_i | busy_i)) != '0;
    assign held[w]  = (mine & busy_i) != '0;
    assign ends[w]  = warp_ready_i[w] && (warp_direct_i[w] || !held[w] || Pass == 0);
  end

  // ---- the warp at which the search ends: the last one, else the first one by age of those that go early, else of the others
  logic [NumWarps-1:0] at_place [NumWarps];       // [place] the warp at this place by age, one-hot
  logic [NumWarps-1:0] at_early;
  logic [NumWarps-1:0] at_late;
  logic [NumWarps-1:0] place;                     // one-hot
  logic [NumWarps-1:0] place_early;
  logic [NumWarps-1:0] place_late;
  logic [NumWarps-1:0] select;                    // the warp, one-hot
  logic                last_ends;
  logic [WarpW-1:0]    number_early;
  logic [WarpW-1:0]    number_late;
  for (genvar i = 0; i < NumWarps; i++) begin : gen_age
    logic [NumWarps-1:0] here;
    for (genvar w = 0; w < NumWarps; w++) begin : gen_here
      assign here[w] = age_warp[i] == WarpW'(w);
    end
    assign at_place[i] = here;
    assign at_early[i] = (here & ends & early) != '0;
    assign at_late[i]  = (here & ends & ~early) != '0;
  end
  first_one #(.N(NumWarps)) u_early (.bits_i(at_early), .one_hot_o(place_early), .index_o(number_early));
  first_one #(.N(NumWarps)) u_late (.bits_i(at_late), .one_hot_o(place_late), .index_o(number_late));
  assign place     = at_early != '0 ? place_early : place_late;
  assign last_ends = ends[last_warp_q];
  for (genvar w = 0; w < NumWarps; w++) begin : gen_select
    logic [NumWarps-1:0] here;
    for (genvar i = 0; i < NumWarps; i++) begin : gen_here
      assign here[i] = place[i] && at_place[i][w];
    end
    assign select[w] = last_ends ? last_warp_q == WarpW'(w) : here != '0;
  end

  // ---- a unit for a warp without one: of the free ones without near registers, else of all free ones
  logic [15:0]              next_random;
  logic [NumCollectors-1:0] free;
  logic [NumCollectors-1:0] far;
  logic [NumCollectors-1:0] among;
  logic [CountW-1:0]        num_among;
  logic [CollectorW-1:0]    pick_place;
  logic [NumCollectors-1:0] picked;
  logic                     spare;                // only near registers would go, and it is too early
  logic                     force_near;
  assign free  = ~busy_i;
  assign far   = Policy == 1 ? free & ~cached_near_i : free;
  assign among = far != '0 ? far : free;
  assign spare      = free != '0 && far == '0 && waited_q < threshold_i;
  assign force_near = far == '0 && waited_q >= threshold_i;
  popcount #(.N(NumCollectors)) u_among (.bits_i(among), .count_o(num_among));
  pick #(.NumCandidates(NumCollectors)) u_pick (
    .random_i(random_q), .seed_i(seed_i), .count_i(num_among),
    .place_o(pick_place), .next_random_o(next_random)
  );
  for (genvar c = 0; c < NumCollectors; c++) begin : gen_picked
    logic [NumCollectors-1:0] below;
    logic [CountW-1:0]        num_below;
    assign below = among & ~({NumCollectors{1'b1}} << c);
    popcount #(.N(NumCollectors)) u_below (.bits_i(below), .count_o(num_below));
    assign picked[c] = among[c] && CountW'(pick_place) == num_below;
  end

  // ---- what the warp does
  logic                     some;                 // there is such a warp
  logic                     direct;
  logic                     has;                  // it owns a unit
  logic                     stuck;                // which is busy (Pass = 0)
  logic                     new_unit;             // it takes the unit that was picked
  logic [NumCollectors-1:0] its;
  logic [NumCollectors-1:0] unit;
  assign some   = select != '0;
  assign direct = (select & warp_direct_i) != '0;
  assign has    = (select & owner) != '0;
  assign stuck  = (select & held) != '0;
  for (genvar c = 0; c < NumCollectors; c++) begin : gen_its
    logic [NumWarps-1:0] by;
    for (genvar w = 0; w < NumWarps; w++) begin : gen_warp
      assign by[w] = select[w] && own[w][c];
    end
    assign its[c] = by != '0;
  end
  assign new_unit       = some && !direct && !has && free != '0 && !spare;
  assign issue_direct_o = direct;
  assign issue_valid_o  = direct || (has && !stuck) || new_unit;
  assign issue_wait_o   = some && !direct && !has && spare;
  assign unit           = direct ? '0 : has ? its & free : new_unit ? picked : '0;
  always_comb begin
    issue_warp_o = '0;
    for (int w = 0; w < NumWarps; w++)
      issue_warp_o = issue_warp_o | (issue_valid_o && select[w] ? WarpW'(w) : '0);
    issue_collector_o = '0;
    for (int c = 0; c < NumCollectors; c++)
      issue_collector_o = issue_collector_o | (unit[c] ? CollectorW'(c) : '0);
  end

  always_comb begin
    last_warp_d = issue_valid_o ? issue_warp_o : last_warp_q;
    random_d    = new_unit ? next_random : random_q;
    waited_d    = waited_q;
    if (issue_wait_o) waited_d = waited_q + 6'd1;
    if (Policy == 1 && new_unit && force_near) waited_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_warp_q <= '0;
      waited_q    <= '0;
      random_q    <= '0;
    end else begin
      last_warp_q <= last_warp_d;
      waited_q    <= waited_d;
      random_q    <= random_d;
    end
  end

  // numbers of places by age have no reader
  logic unused;
  assign unused = &{number_early, number_late};

`include "alloc_properties.svh"
endmodule
