// SPDX-License-Identifier: Apache-2.0
// Properties of alloc (docs/blocks/malekeh/alloc.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
  // the inputs that the page calls illegal
  always_comb begin
    for (int i = 0; i < NumWarps; i++) begin
      for (int j = 0; j < i; j++)
        if (warp_ready_i != '0) assume (age_warp[i] != age_warp[j]);
    end
    for (int c = 0; c < NumCollectors; c++) begin
      for (int d = 0; d < c; d++) begin
        if (Policy == 1 && warp_ready_i != '0 && owner_valid_i[c] && owner_valid_i[d])
          assume (owner_warp[c] != owner_warp[d]);
      end
    end
  end
`endif

  // one symbolic warp, as the page tries it: is it tried, what does it do
  `ASSERT_ANY(f_warp, WarpW)
  logic                  f_own;                     // it owns a unit
  logic                  f_busy;                    // which is busy
  logic                  f_early;
  logic [CollectorW-1:0] f_its_unit;
  logic [WarpW-1:0]      f_age;                     // its place by age
  logic                  f_stop;                    // a try of it ends the search
  logic                  f_before;                  // some warp ends the search before it
  logic                  f_tried;
  logic                  f_none_far;
  logic                  f_other_owns;
  logic                  f_other_busy;
  logic                  f_other_early;
  logic [WarpW-1:0]      f_other;
  always_comb begin
    f_own      = 1'b0;
    f_busy     = 1'b0;
    f_early    = 1'b0;
    f_its_unit = '0;
    f_age      = '0;
    for (int c = 0; c < NumCollectors; c++) begin
      if (Policy == 1 ? owner_valid_i[c] && owner_warp[c] == f_warp
                      : Policy == 2 && WarpW'(c) == f_warp) begin
        f_own      = 1'b1;
        f_its_unit = CollectorW'(c);
        f_busy     = busy_i[c];
        f_early    = busy_i[c] || cached_i[c];
      end
    end
    for (int i = 0; i < NumWarps; i++) if (age_warp[i] == f_warp) f_age = WarpW'(i);
    f_stop = warp_direct_i[f_warp] || !(f_own && f_busy) || Pass == 0;
    // the warps in the order of their age
    f_before      = 1'b0;
    f_other_owns  = 1'b0;
    f_other_busy  = 1'b0;
    f_other_early = 1'b0;
    f_other       = '0;
    for (int i = 0; i < NumWarps; i++) begin
      f_other       = age_warp[i];
      f_other_owns  = 1'b0;
      f_other_busy  = 1'b0;
      f_other_early = 1'b0;
      for (int c = 0; c < NumCollectors; c++) begin
        if (Policy == 1 ? owner_valid_i[c] && owner_warp[c] == f_other
                        : Policy == 2 && WarpW'(c) == f_other) begin
          f_other_owns  = 1'b1;
          f_other_busy  = busy_i[c];
          f_other_early = busy_i[c] || cached_i[c];
        end
      end
      if (warp_ready_i[f_other] && f_other != f_warp
          && (warp_direct_i[f_other] || !(f_other_owns && f_other_busy) || Pass == 0)) begin
        if (f_other == last_warp_q) f_before = 1'b1;
        else if (f_warp != last_warp_q
                 && (f_other_early == f_early ? WarpW'(i) < f_age : f_other_early)) f_before = 1'b1;
      end
    end
    f_tried    = warp_ready_i[f_warp] && !f_before;
    f_none_far = Policy == 1 && (~busy_i & ~cached_near_i) == '0;
  end

  // the unit that a pick takes: the one at its place, counted up
  logic [15:0]           f_value;
  logic [CollectorW-1:0] f_unit;
  logic [CountW-1:0]     f_count;
  logic [CountW-1:0]     f_seen;
  logic [CountW-1:0]     f_place;
  logic                  f_is;
  assign f_value = random_q != 16'd0 ? random_q : seed_i != 16'd0 ? seed_i : 16'hace1;
  always_comb begin
    f_count = '0;
    for (int c = 0; c < NumCollectors; c++)
      f_count = f_count + CountW'(!busy_i[c] && (Policy != 1 || f_none_far || !cached_near_i[c]));
    f_place = CountW'((20'(f_value) * 20'(f_count)) >> 16);
    f_seen  = '0;
    f_unit  = '0;
    f_is    = 1'b0;
    for (int c = 0; c < NumCollectors; c++) begin
      f_is = !busy_i[c] && (Policy != 1 || f_none_far || !cached_near_i[c]);
      if (f_is && f_seen == f_place) f_unit = CollectorW'(c);
      f_seen = f_seen + CountW'(f_is);
    end
  end

  // units that the warp owns after this cycle, by ccu's rule: the owner is the warp that was allocated last
  logic [CountW-1:0] f_owned;
  always_comb begin
    f_owned = '0;
    for (int c = 0; c < NumCollectors; c++) begin
      if (issue_valid_o && !issue_direct_o && issue_collector_o == CollectorW'(c)
          ? issue_warp_o == f_warp : owner_valid_i[c] && owner_warp[c] == f_warp)
        f_owned = f_owned + CountW'(1);
    end
  end

  // the cycle before
  logic [5:0]  f_waited_q;
  logic [15:0] f_random_q;
  logic [15:0] f_value_q;
  logic        f_spared_q;
  logic        f_forced_q;
  logic        f_picked_q;
  logic        f_picked;
  assign f_picked = issue_valid_o && !issue_direct_o && f_warp == issue_warp_o && !f_own;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_waited_q <= '0;
      f_random_q <= '0;
      f_value_q  <= '0;
      f_spared_q <= 1'b0;
      f_forced_q <= 1'b0;
      f_picked_q <= 1'b0;
    end else begin
      f_waited_q <= waited_q;
      f_random_q <= random_q;
      f_value_q  <= f_value;
      f_spared_q <= issue_wait_o;
      f_forced_q <= new_unit && Policy == 1 && f_none_far;
      f_picked_q <= new_unit;
    end
  end

  `ASSERT_ALWAYS begin
    // 1
    assert (!(issue_valid_o && issue_wait_o));
    if (issue_valid_o) assert (warp_ready_i[issue_warp_o]);
    if (issue_valid_o && !issue_direct_o) assert (!busy_i[issue_collector_o]);
    if (!issue_valid_o || issue_direct_o) assert (issue_collector_o == '0);
    if (!issue_valid_o) assert (issue_warp_o == '0 && !issue_direct_o);
    if (issue_valid_o && issue_warp_o == f_warp) begin
      assert (f_tried && issue_direct_o == warp_direct_i[f_warp]);
      // 2
      if (!issue_direct_o && f_own) assert (issue_collector_o == f_its_unit);
      if (!issue_direct_o && !f_own) assert (issue_collector_o == f_unit && new_unit);
    end
    if (new_unit && issue_warp_o == f_warp) assert (!f_own);
    if (Policy == 1 && warp_ready_i != '0) assert (f_owned <= CountW'(1));
    if (f_picked_q)
      assert (random_q == ({1'b0, f_value_q[15:1]} ^ (f_value_q[0] ? 16'hb400 : 16'd0)));
    // 3
    if (Policy == 2 && issue_valid_o && !issue_direct_o)
      assert (32'(issue_collector_o) == 32'(issue_warp_o));
    if (Policy == 2) assert (waited_q == '0 && random_q == '0);
    if (Policy == 3) assert (waited_q == '0 && !issue_wait_o);
    // 4
    if (f_spared_q) assert (waited_q == f_waited_q + 6'd1 && waited_q != '0);
    if (f_forced_q) assert (waited_q == '0);
    if (!f_spared_q && !f_forced_q) assert (waited_q == f_waited_q);
    if (issue_wait_o)
      assert (waited_q < threshold_i && busy_i != '1 && (~busy_i & ~cached_near_i) == '0);
    // 5
    if (Policy == 1 && f_picked && cached_near_i[issue_collector_o])
      assert (f_none_far && waited_q >= threshold_i);
    // 6: a warp that is tried and would end the search decides
    if (f_tried && f_stop) begin
      assert (issue_valid_o == (warp_direct_i[f_warp]
              || (f_own ? !f_busy : busy_i != '1 && !(f_none_far && waited_q < threshold_i))));
      assert (issue_wait_o == (!warp_direct_i[f_warp] && !f_own && busy_i != '1
              && f_none_far && waited_q < threshold_i));
      if (issue_valid_o) assert (issue_warp_o == f_warp);
    end
    if (!issue_valid_o && !issue_wait_o && warp_ready_i[f_warp]) begin
      assert (busy_i != '0);
      if (Policy == 3) assert (busy_i == '1);
      if (Pass != 0) assert ((!warp_direct_i[f_warp] && f_own && f_busy) || busy_i == '1);
    end
    // 7
    if (f_picked_q) assert (random_q != '0);
    if (!f_picked_q) assert (random_q == f_random_q);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && issue_valid_o && !issue_direct_o && !f_own && issue_warp_o == f_warp
           && issue_warp_o != last_warp_q && issue_collector_o == '1);
    cover (rst_ni && warp_ready_i == '1 && issue_direct_o && issue_warp_o != last_warp_q);
    cover (rst_ni && warp_ready_i[age_warp[0]] && busy_i == '0 && issue_valid_o
           && age_warp[0] != issue_warp_o && last_warp_q != issue_warp_o);
    cover (rst_ni && !issue_valid_o && warp_ready_i != '0 && busy_i != '1 && !issue_wait_o);
    cover (rst_ni && Policy == 1 && new_unit && waited_q == 6'd2 && threshold_i == 6'd2
           && random_q != '0);
  end
`endif
`endif
