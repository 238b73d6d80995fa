// SPDX-License-Identifier: Apache-2.0
// alloc: issue and allocation of a sub-core: which warp issues, into which collector.
// C twin: cmodel/blocks/malekeh/alloc.c
// One warp a cycle, in the cycle of its inputs. All ready warps are tried at once: what a try does depends on the warp's own unit, and on
// the free units, which are the same for all. Nw and Nccu are powers of two from 2.
module alloc #(
  parameter int Nw = 8,
  parameter int Nccu = 2,
  parameter int Policy = 1,
  parameter int Pass = 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // warps: ready, without need of a unit; [Nw] in the order of their age
  input  logic [Nw-1:0]              rdy_i,
  input  logic [Nw-1:0]              nc_i,
  input  logic [Nw*$clog2(Nw)-1:0]   age_i,
  // units, [Nccu]: owner, an instruction is here, an entry is valid, a near one
  input  logic [Nccu-1:0]            r_widv_i,
  input  logic [Nccu*$clog2(Nw)-1:0] r_wid_i,
  input  logic [Nccu-1:0]            r_busy_i,
  input  logic [Nccu-1:0]            r_any_i,
  input  logic [Nccu-1:0]            r_near_i,
  input  logic [5:0]                 sthld_i,
  input  logic [15:0]                seed_i,
  // the warp that issues, into which unit or without one; or nothing, to spare near registers
  output logic                       iss_v_o,
  output logic [$clog2(Nw)-1:0]      iss_w_o,
  output logic [$clog2(Nccu)-1:0]    iss_c_o,
  output logic                       iss_nc_o,
  output logic                       iss_wait_o
);
  localparam int W = $clog2(Nw);
  localparam int U = $clog2(Nccu);
  localparam int M = $clog2(Nccu + 1);

  logic [W-1:0]  last_q, last_d;
  logic [5:0]    wait_q, wait_d;
  logic [15:0]   lfsr_q, lfsr_d;

  // ---- who owns what, bit Nccu w + c; what trying each warp does
  logic [Nw*Nccu-1:0] own;
  logic [Nw-1:0]      owner;                      // the warp owns a unit
  logic [Nw-1:0]      early;                      // with data or an instruction in it
  logic [Nw-1:0]      held;                       // its unit is busy
  logic [Nw-1:0]      ends;                       // a try ends the search, with or without an issue
  for (genvar w = 0; w < Nw; w++) begin : gen_warp
    logic [Nccu-1:0] mine;
    for (genvar c = 0; c < Nccu; c++) begin : gen_unit
      assign mine[c] = Policy == 1 ? r_widv_i[c] && r_wid_i[W*c +: W] == W'(w) : Policy == 2 && c == w;
    end
    assign own[Nccu*w +: Nccu] = mine;
    assign owner[w] = mine != '0;
    assign early[w] = (mine & (r_any_i | r_busy_i)) != '0;
    assign held[w]  = (mine & r_busy_i) != '0;
    assign ends[w]  = rdy_i[w] && (nc_i[w] || !held[w] || Pass == 0);
  end

  // ---- the warp at which the search ends: the last one, else the first one by age of those that go early, else of the others
  logic [Nw*Nw-1:0] who;                          // bit Nw i + w: place i by age is warp w
  logic [Nw-1:0]    at_early;
  logic [Nw-1:0]    at_late;
  logic [Nw-1:0]    place;                        // one-hot
  logic [Nw-1:0]    place_early;
  logic [Nw-1:0]    place_late;
  logic [Nw-1:0]    sel;                          // the warp, one-hot
  logic             last_ends;
  logic [W-1:0]     idx_early;
  logic [W-1:0]     idx_late;
  for (genvar i = 0; i < Nw; i++) begin : gen_age
    for (genvar w = 0; w < Nw; w++) begin : gen_who
      assign who[Nw*i+w] = age_i[W*i +: W] == W'(w);
    end
    assign at_early[i] = (who[Nw*i +: Nw] & ends & early) != '0;
    assign at_late[i]  = (who[Nw*i +: Nw] & ends & ~early) != '0;
  end
  first_one #(.N(Nw)) u_early (.x_i(at_early), .oh_o(place_early), .idx_o(idx_early));
  first_one #(.N(Nw)) u_late (.x_i(at_late), .oh_o(place_late), .idx_o(idx_late));
  assign place     = at_early != '0 ? place_early : place_late;
  assign last_ends = ends[last_q];
  for (genvar w = 0; w < Nw; w++) begin : gen_sel
    logic [Nw-1:0] here;
    for (genvar i = 0; i < Nw; i++) begin : gen_here
      assign here[i] = place[i] && who[Nw*i+w];
    end
    assign sel[w] = last_ends ? last_q == W'(w) : here != '0;
  end

  // ---- a unit for a warp without one: of the free ones without near registers, else of all free ones
  logic [15:0]     s_next;
  logic [Nccu-1:0] free;
  logic [Nccu-1:0] far;
  logic [Nccu-1:0] among;
  logic [M-1:0]    n;
  logic [U-1:0]    pos;
  logic [Nccu-1:0] picked;
  logic            spare;                         // only near registers would go, and it is too early
  logic            force_near;
  assign free  = ~r_busy_i;
  assign far   = Policy == 1 ? free & ~r_near_i : free;
  assign among = far != '0 ? far : free;
  assign spare      = free != '0 && far == '0 && wait_q < sthld_i;
  assign force_near = far == '0 && wait_q >= sthld_i;
  popcount #(.N(Nccu)) u_n (.x_i(among), .n_o(n));
  pick #(.N(Nccu)) u_pick (.lfsr_i(lfsr_q), .seed_i(seed_i), .n_i(n), .pos_o(pos), .next_o(s_next));
  for (genvar c = 0; c < Nccu; c++) begin : gen_picked
    logic [Nccu-1:0] below;
    logic [M-1:0]    num;
    assign below = among & ~({Nccu{1'b1}} << c);
    popcount #(.N(Nccu)) u_num (.x_i(below), .n_o(num));
    assign picked[c] = among[c] && M'(pos) == num;
  end

  // ---- what the warp does
  logic            some;                          // there is such a warp
  logic            nc;
  logic            has;                           // it owns a unit
  logic            stuck;                         // which is busy (Pass = 0)
  logic            new_unit;                      // it takes the unit that was picked
  logic [Nccu-1:0] its;
  logic [Nccu-1:0] unit;
  assign some  = sel != '0;
  assign nc    = (sel & nc_i) != '0;
  assign has   = (sel & owner) != '0;
  assign stuck = (sel & held) != '0;
  for (genvar c = 0; c < Nccu; c++) begin : gen_its
    logic [Nw-1:0] by;
    for (genvar w = 0; w < Nw; w++) begin : gen_warp
      assign by[w] = sel[w] && own[Nccu*w+c];
    end
    assign its[c] = by != '0;
  end
  assign new_unit   = some && !nc && !has && free != '0 && !spare;
  assign iss_nc_o   = nc;
  assign iss_v_o    = nc || (has && !stuck) || new_unit;
  assign iss_wait_o = some && !nc && !has && spare;
  assign unit       = nc ? '0 : has ? its & free : new_unit ? picked : '0;
  always_comb begin
    iss_w_o = '0;
    for (int w = 0; w < Nw; w++) iss_w_o = iss_w_o | (iss_v_o && sel[w] ? W'(w) : '0);
    iss_c_o = '0;
    for (int c = 0; c < Nccu; c++) iss_c_o = iss_c_o | (unit[c] ? U'(c) : '0);
  end

  always_comb begin
    last_d = iss_v_o ? iss_w_o : last_q;
    lfsr_d = new_unit ? s_next : lfsr_q;
    wait_d = wait_q;
    if (iss_wait_o) wait_d = wait_q + 6'd1;
    if (Policy == 1 && new_unit && force_near) wait_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q <= '0;
      wait_q <= '0;
      lfsr_q <= '0;
    end else begin
      last_q <= last_d;
      wait_q <= wait_d;
      lfsr_q <= lfsr_d;
    end
  end

  // numbers of places by age have no reader
  logic unused;
  assign unused = &{idx_early, idx_late};

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
  // the inputs that the page calls illegal
  always_comb begin
    for (int i = 0; i < Nw; i++) begin
      for (int j = 0; j < i; j++) if (rdy_i != '0) assume (age_i[W*i +: W] != age_i[W*j +: W]);
    end
    for (int c = 0; c < Nccu; c++) begin
      for (int d = 0; d < c; d++) begin
        if (Policy == 1 && rdy_i != '0 && r_widv_i[c] && r_widv_i[d]) assume (r_wid_i[W*c +: W] != r_wid_i[W*d +: W]);
      end
    end
  end
`endif

  // one symbolic warp, as the page tries it: is it tried, what does it do
  `ASSERT_ANY(f_w, W)
  logic         f_own;                              // it owns a unit
  logic         f_busy;                             // which is busy
  logic         f_early;
  logic [U-1:0] f_c;
  logic [W-1:0] f_age;                              // its place by age
  logic         f_stop;                             // a try of it ends the search
  logic         f_before;                           // some warp ends the search before it
  logic         f_tried;
  logic         f_none_far;
  logic         f_own_i;
  logic         f_busy_i;
  logic         f_early_i;
  logic [W-1:0] f_i;
  always_comb begin
    f_own   = 1'b0;
    f_busy  = 1'b0;
    f_early = 1'b0;
    f_c     = '0;
    f_age   = '0;
    for (int c = 0; c < Nccu; c++) begin
      if (Policy == 1 ? r_widv_i[c] && r_wid_i[W*c +: W] == f_w : Policy == 2 && W'(c) == f_w) begin
        f_own   = 1'b1;
        f_c     = U'(c);
        f_busy  = r_busy_i[c];
        f_early = r_busy_i[c] || r_any_i[c];
      end
    end
    for (int i = 0; i < Nw; i++) if (age_i[W*i +: W] == f_w) f_age = W'(i);
    f_stop = nc_i[f_w] || !(f_own && f_busy) || Pass == 0;
    // the warps in the order of their age
    f_before  = 1'b0;
    f_own_i   = 1'b0;
    f_busy_i  = 1'b0;
    f_early_i = 1'b0;
    f_i       = '0;
    for (int i = 0; i < Nw; i++) begin
      f_i       = age_i[W*i +: W];
      f_own_i   = 1'b0;
      f_busy_i  = 1'b0;
      f_early_i = 1'b0;
      for (int c = 0; c < Nccu; c++) begin
        if (Policy == 1 ? r_widv_i[c] && r_wid_i[W*c +: W] == f_i : Policy == 2 && W'(c) == f_i) begin
          f_own_i   = 1'b1;
          f_busy_i  = r_busy_i[c];
          f_early_i = r_busy_i[c] || r_any_i[c];
        end
      end
      if (rdy_i[f_i] && f_i != f_w && (nc_i[f_i] || !(f_own_i && f_busy_i) || Pass == 0)) begin
        if (f_i == last_q) f_before = 1'b1;
        else if (f_w != last_q && (f_early_i == f_early ? W'(i) < f_age : f_early_i)) f_before = 1'b1;
      end
    end
    f_tried    = rdy_i[f_w] && !f_before;
    f_none_far = Policy == 1 && (~r_busy_i & ~r_near_i) == '0;
  end

  // the unit that a pick takes: the pos-th one, counted up
  logic [15:0]  f_s;
  logic [U-1:0] f_unit;
  logic [M-1:0] f_n;
  logic [M-1:0] f_at;
  logic [M-1:0] f_pos;
  logic         f_is;
  assign f_s = lfsr_q != 16'd0 ? lfsr_q : seed_i != 16'd0 ? seed_i : 16'hace1;
  always_comb begin
    f_n    = '0;
    for (int c = 0; c < Nccu; c++) f_n = f_n + M'(!r_busy_i[c] && (Policy != 1 || f_none_far || !r_near_i[c]));
    f_pos  = M'((20'(f_s) * 20'(f_n)) >> 16);
    f_at   = '0;
    f_unit = '0;
    f_is   = 1'b0;
    for (int c = 0; c < Nccu; c++) begin
      f_is = !r_busy_i[c] && (Policy != 1 || f_none_far || !r_near_i[c]);
      if (f_is && f_at == f_pos) f_unit = U'(c);
      f_at = f_at + M'(f_is);
    end
  end

  // units that the warp owns behind this cycle, by ccu's rule: the owner is the warp that was allocated last
  logic [M-1:0] f_owned;
  always_comb begin
    f_owned = '0;
    for (int c = 0; c < Nccu; c++) begin
      if (iss_v_o && !iss_nc_o && iss_c_o == U'(c) ? iss_w_o == f_w : r_widv_i[c] && r_wid_i[W*c +: W] == f_w)
        f_owned = f_owned + M'(1);
    end
  end

  // the cycle before
  logic [5:0]  f_wait_q;
  logic [15:0] f_lfsr_q;
  logic [15:0] f_s_q;
  logic        f_spared_q;
  logic        f_forced_q;
  logic        f_picked_q;
  logic        f_picked;
  assign f_picked = iss_v_o && !iss_nc_o && f_w == iss_w_o && !f_own;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_wait_q   <= '0;
      f_lfsr_q   <= '0;
      f_s_q      <= '0;
      f_spared_q <= 1'b0;
      f_forced_q <= 1'b0;
      f_picked_q <= 1'b0;
    end else begin
      f_wait_q   <= wait_q;
      f_lfsr_q   <= lfsr_q;
      f_s_q      <= f_s;
      f_spared_q <= iss_wait_o;
      f_forced_q <= new_unit && Policy == 1 && f_none_far;
      f_picked_q <= new_unit;
    end
  end

  `ASSERT_ALWAYS begin
    // 1
    assert (!(iss_v_o && iss_wait_o));
    if (iss_v_o) assert (rdy_i[iss_w_o]);
    if (iss_v_o && !iss_nc_o) assert (!r_busy_i[iss_c_o]);
    if (!iss_v_o || iss_nc_o) assert (iss_c_o == '0);
    if (!iss_v_o) assert (iss_w_o == '0 && !iss_nc_o);
    if (iss_v_o && iss_w_o == f_w) begin
      assert (f_tried && iss_nc_o == nc_i[f_w]);
      // 2
      if (!iss_nc_o && f_own) assert (iss_c_o == f_c);
      if (!iss_nc_o && !f_own) assert (iss_c_o == f_unit && new_unit);
    end
    if (new_unit && iss_w_o == f_w) assert (!f_own);
    if (Policy == 1 && rdy_i != '0) assert (f_owned <= M'(1));
    if (f_picked_q) assert (lfsr_q == ({1'b0, f_s_q[15:1]} ^ (f_s_q[0] ? 16'hb400 : 16'd0)));
    // 3
    if (Policy == 2 && iss_v_o && !iss_nc_o) assert (32'(iss_c_o) == 32'(iss_w_o));
    if (Policy == 2) assert (wait_q == '0 && lfsr_q == '0);
    if (Policy == 3) assert (wait_q == '0 && !iss_wait_o);
    // 4
    if (f_spared_q) assert (wait_q == f_wait_q + 6'd1 && wait_q != '0);
    if (f_forced_q) assert (wait_q == '0);
    if (!f_spared_q && !f_forced_q) assert (wait_q == f_wait_q);
    if (iss_wait_o) assert (wait_q < sthld_i && r_busy_i != '1 && (~r_busy_i & ~r_near_i) == '0);
    // 5
    if (Policy == 1 && f_picked && r_near_i[iss_c_o]) assert (f_none_far && wait_q >= sthld_i);
    // 6: a warp that is tried and would end the search decides
    if (f_tried && f_stop) begin
      assert (iss_v_o == (nc_i[f_w] || (f_own ? !f_busy : r_busy_i != '1 && !(f_none_far && wait_q < sthld_i))));
      assert (iss_wait_o == (!nc_i[f_w] && !f_own && r_busy_i != '1 && f_none_far && wait_q < sthld_i));
      if (iss_v_o) assert (iss_w_o == f_w);
    end
    if (!iss_v_o && !iss_wait_o && rdy_i[f_w]) begin
      assert (r_busy_i != '0);
      if (Policy == 3) assert (r_busy_i == '1);
      if (Pass != 0) assert ((!nc_i[f_w] && f_own && f_busy) || r_busy_i == '1);
    end
    // 7
    if (f_picked_q) assert (lfsr_q != '0);
    if (!f_picked_q) assert (lfsr_q == f_lfsr_q);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && iss_v_o && !iss_nc_o && !f_own && iss_w_o == f_w && iss_w_o != last_q && iss_c_o == '1);
    cover (rst_ni && rdy_i == '1 && iss_nc_o && iss_w_o != last_q);
    cover (rst_ni && rdy_i[age_i[W-1:0]] && r_busy_i == '0 && iss_v_o && age_i[W-1:0] != iss_w_o && last_q != iss_w_o);
    cover (rst_ni && !iss_v_o && rdy_i != '0 && r_busy_i != '1 && !iss_wait_o);
    cover (rst_ni && Policy == 1 && new_unit && wait_q == 6'd2 && sthld_i == 6'd2 && lfsr_q != '0);
  end
`endif
`endif
endmodule
