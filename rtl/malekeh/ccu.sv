// SPDX-License-Identifier: Apache-2.0
// ccu: caching collector unit: gathers an instruction's operands and keeps registers of its warp.
// C twin: cmodel/blocks/malekeh/ccu.c
// One instruction at a time. Allocation to requests and, if nothing misses, to dispatch 1 cycle; last value to dispatch 1. What
// a result (D) replaces depends on registers alone, so that the victims of an allocation in the same cycle do not wait for it.
// Ct is Noct at least; Nw and Nwb are powers of two from 2. A register has NumLanes lanes of LaneW bits, 1024 bits but in proofs.
module ccu #(
  parameter int Ct = 8,
  parameter int Nw = 8,
  parameter int Nwb = 2,
  parameter int Cache = 1,
  parameter int Near = 1,
  parameter int Filter = 1,
  parameter int Noct = 6,
  parameter int NumLanes = 32,
  parameter int LaneW = 32
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // allocation; only when not busy
  input  logic                           al_v_i,
  input  logic [$clog2(Nw)-1:0]          al_wid_i,
  input  logic [15:0]                    al_meta_i,
  input  logic [Noct-1:0]                al_sv_i,
  input  logic [Noct*8-1:0]              al_r_i,
  input  logic [Noct-1:0]                al_near_i,
  // requests to the banks, [Noct]
  output logic [Noct-1:0]                rq_v_o,
  output logic [Noct*8-1:0]              rq_r_o,
  output logic [Noct*$clog2(Ct)-1:0]     rq_ct_o,
  // S: a register from a bank
  input  logic                           s_v_i,
  input  logic [$clog2(Ct)-1:0]          s_ct_i,
  input  logic [NumLanes*LaneW-1:0]      s_d_i,
  // D: a result that may be cached
  input  logic                           d_v_i,
  input  logic [$clog2(Nw)-1:0]          d_wid_i,
  input  logic [7:0]                     d_r_i,
  input  logic                           d_near_i,
  input  logic [NumLanes-1:0]            d_lane_i,
  input  logic [NumLanes*LaneW-1:0]      d_d_i,
  // snoops, [Nwb]
  input  logic [Nwb-1:0]                 sn_v_i,
  input  logic [Nwb*$clog2(Nw)-1:0]      sn_wid_i,
  input  logic [Nwb*8-1:0]               sn_r_i,
  // the CTA of this warp has ended
  input  logic [Nw-1:0]                  ex_m_i,
  input  logic [15:0]                    seed_i,
  // R
  output logic                           r_widv_o,
  output logic [$clog2(Nw)-1:0]          r_wid_o,
  output logic                           r_busy_o,
  output logic                           r_any_o,
  output logic                           r_near_o,
  // dispatch
  output logic                           dp_v_o,
  output logic [15:0]                    dp_meta_o,
  output logic [Noct*NumLanes*LaneW-1:0] dp_d_o,
  input  logic                           dp_take_i
);
  localparam int W = $clog2(Nw);
  localparam int E = $clog2(Ct);
  localparam int M = $clog2(Ct + 1);
  localparam int DataW = NumLanes * LaneW;
  localparam int Pairs = Ct * (Ct - 1) / 2;

  logic              busy_q, busy_d;
  logic              widv_q, widv_d;
  logic [W-1:0]      wid_q, wid_d;
  logic [15:0]       meta_q, meta_d;
  logic [Ct-1:0]     val_q, val_d;
  logic [Ct-1:0]     lock_q, lock_d;
  logic [Ct-1:0]     near_q, near_d;
  logic [Ct*8-1:0]   tag_q, tag_d;
  logic [Pairs-1:0]  newer_q, newer_d;            // of entries i < j, in order of i, then j: i was used after j
  logic [Noct-1:0]   sv_q, sv_d;
  logic [Noct-1:0]   rdy_q, rdy_d;
  logic [Noct*E-1:0] idx_q, idx_d;
  logic [Noct-1:0]   req_q, req_d;
  logic [15:0]       lfsr_q, lfsr_d;
  logic [DataW-1:0]  data_q [Ct];                 // not reset: val_q or rdy_q gates it

  logic [Ct-1:0]     d_use;                       // the entry that D writes
  logic              exits;
  assign exits = widv_q && ex_m_i[wid_q];

  // ---- owner and slots
  logic [Noct-1:0]   come;                        // slots whose value S brings
  logic [Noct-1:0]   al_hit;                      // allocation: slots whose register is here
  logic [Noct*E-1:0] al_idx;
  logic [Noct-1:0]   al_req;
  for (genvar k = 0; k < Noct; k++) begin : gen_come
    assign come[k] = s_v_i && sv_q[k] && idx_q[E*k +: E] == s_ct_i;
  end
  always_comb begin
    busy_d = busy_q && !dp_take_i;
    widv_d = widv_q && !exits;
    wid_d  = wid_q;
    meta_d = meta_q;
    sv_d   = dp_take_i ? '0 : sv_q;
    rdy_d  = dp_take_i ? '0 : rdy_q | come;
    idx_d  = idx_q;
    req_d  = '0;
    if (al_v_i) begin
      busy_d = 1'b1;
      widv_d = 1'b1;
      wid_d  = al_wid_i;
      meta_d = al_meta_i;
      sv_d   = al_sv_i;
      rdy_d  = al_hit;
      idx_d  = al_idx;
      req_d  = al_req;
    end
  end

  // ---- the cache table
  if (Cache != 0) begin : gen_cache
    // order of use, both ways: bit Ct i + j says that i was used after j
    logic [Ct*Ct-1:0] after;
    logic [Ct*Ct-1:0] d_after;
    for (genvar i = 0; i < Ct; i++) begin : gen_after
      for (genvar j = 0; j < Ct; j++) begin : gen_pair
        if (i < j) begin : gen_upper
          assign after[Ct*i+j]   = newer_q[i*(2*Ct-i-1)/2 + j-i-1];
          assign d_after[Ct*i+j] = (after[Ct*i+j] || d_use[i]) && !d_use[j];
        end else if (i > j) begin : gen_lower
          assign after[Ct*i+j]   = !newer_q[j*(2*Ct-j-1)/2 + i-j-1];
          assign d_after[Ct*i+j] = d_use[i] || (after[Ct*i+j] && !d_use[j]);
        end else begin : gen_self
          assign after[Ct*i+j]   = 1'b0;
          assign d_after[Ct*i+j] = 1'b0;
        end
      end
    end

    // ---- D. Its victim is known from the registers
    logic [Ct*M-1:0] d_pos;
    logic [M-1:0]    d_num_inv;
    logic            d_far;
    logic [15:0]     d_next;
    logic [15:0]     d_lfsr;                      // the LFSR behind D
    logic            d_mine;
    logic            d_enters;
    logic [Ct-1:0]   d_hit;
    logic [Ct-1:0]   d_vic;
    logic [Ct-1:0]   d_put;                       // the entry that it replaces
    logic            d_pick;
    victims #(.Ct(Ct), .Near(Near)) u_d_victims (
      .val_i(val_q), .lock_i(lock_q), .near_i(near_q), .after_i(after), .lfsr_i(lfsr_q), .seed_i(seed_i),
      .pos_o(d_pos), .head_o(d_vic), .num_inv_o(d_num_inv), .far_o(d_far), .next_o(d_next)
    );
    for (genvar i = 0; i < Ct; i++) begin : gen_d_hit
      assign d_hit[i] = val_q[i] && tag_q[8*i +: 8] == d_r_i;
    end
    assign d_mine   = d_v_i && widv_q && d_wid_i == wid_q;
    assign d_enters = d_mine && d_hit == '0 && d_lane_i == '1 && (d_near_i || Filter == 0);
    assign d_put    = d_enters ? d_vic : '0;
    assign d_use    = d_mine && d_hit != '0 ? d_hit : d_put;
    assign d_pick   = d_enters && d_far && d_num_inv == '0;
    assign d_lfsr   = d_pick ? d_next : lfsr_q;

    // ---- snoops, exit, and the flush for another warp
    logic [Ct-1:0] gone;
    logic          flush;
    logic [Ct-1:0] ex_val;                        // behind the exit
    logic [Ct-1:0] ex_near;
    logic [Ct-1:0] al_val;                        // behind the flush
    logic [Ct-1:0] al_near;
    for (genvar i = 0; i < Ct; i++) begin : gen_snoop
      logic [Nwb-1:0] by;
      for (genvar l = 0; l < Nwb; l++) begin : gen_lane
        assign by[l] = sn_v_i[l] && widv_q && sn_wid_i[W*l +: W] == wid_q && sn_r_i[8*l +: 8] == tag_q[8*i +: 8];
      end
      // D's register is none of theirs
      assign gone[i]    = by != '0 && !d_put[i];
      assign ex_near[i] = !exits && (d_use[i] ? d_near_i : near_q[i]);
    end
    assign flush   = !widv_q || al_wid_i != wid_q;
    assign ex_val  = exits ? '0 : (val_q | d_put) & ~gone;
    assign al_val  = flush ? '0 : ex_val;
    assign al_near = flush ? '0 : ex_near;

    // ---- allocation: hits
    logic [Noct*Ct-1:0] hit;                      // bit Ct k + i: slot k has its register in entry i
    logic [Ct-1:0]      hit_lock;
    logic [Noct-1:0]    miss;
    logic [Noct-1:0]    lead;                     // first slot of its register
    logic [Noct-1:0]    tail;                     // last one
    for (genvar k = 0; k < Noct; k++) begin : gen_hit
      logic [Noct-1:0] same;
      for (genvar j = 0; j < Noct; j++) begin : gen_same
        assign same[j] = al_sv_i[k] && al_sv_i[j] && al_r_i[8*j +: 8] == al_r_i[8*k +: 8];
      end
      assign lead[k] = al_sv_i[k] && (same & ~({Noct{1'b1}} << k)) == '0;
      assign tail[k] = al_sv_i[k] && (same & ({Noct{1'b1}} << (k + 1))) == '0;
      for (genvar i = 0; i < Ct; i++) begin : gen_entry
        assign hit[Ct*k+i] = al_sv_i[k] && al_val[i] && (d_put[i] ? d_r_i : tag_q[8*i +: 8]) == al_r_i[8*k +: 8];
      end
      assign al_hit[k] = hit[Ct*k +: Ct] != '0;
      assign miss[k]   = al_sv_i[k] && !al_hit[k];
    end
    always_comb begin
      hit_lock = '0;
      for (int k = 0; k < Noct; k++) hit_lock = hit_lock | hit[Ct*k +: Ct];
    end
    assign al_req = miss & lead;

    // ---- misses: the distinct registers take the victims in their order
    logic [Ct*M-1:0]    pos;
    logic [Ct-1:0]      head;
    logic [M-1:0]       num_inv;
    logic [M-1:0]       num_miss;
    logic               far;
    logic [15:0]        next;
    logic               al_pick;
    logic [Noct*Ct-1:0] at;                       // bit Ct k + i: slot k uses entry i
    logic [Noct*Ct-1:0] put;                      // as a victim
    victims #(.Ct(Ct), .Near(Near)) u_victims (
      .val_i(al_val), .lock_i(hit_lock), .near_i(al_near), .after_i(d_after), .lfsr_i(d_lfsr), .seed_i(seed_i),
      .pos_o(pos), .head_o(head), .num_inv_o(num_inv), .far_o(far), .next_o(next)
    );
    popcount #(.N(Ct)) u_num_miss (.x_i(Ct'(al_req)), .n_o(num_miss));
    assign al_pick = al_v_i && far && num_miss > num_inv;
    for (genvar k = 0; k < Noct; k++) begin : gen_put
      logic [Noct-1:0] ahead;                     // first slots of registers that come before its own
      logic [Noct-1:0] lower;                     // of these the ones that miss
      logic [M-1:0]    num;
      for (genvar j = 0; j < Noct; j++) begin : gen_ahead
        assign ahead[j] = j < k && lead[j] && (gen_hit[k].same & ~({Noct{1'b1}} << (j + 1))) == '0;
      end
      assign lower = miss & ahead;
      popcount #(.N(Ct)) u_num (.x_i(Ct'(lower)), .n_o(num));
      for (genvar i = 0; i < Ct; i++) begin : gen_entry
        assign put[Ct*k+i] = miss[k] && !hit_lock[i] && pos[M*i +: M] == num;
      end
      assign at[Ct*k +: Ct] = hit[Ct*k +: Ct] | put[Ct*k +: Ct];
      for (genvar e = 0; e < E; e++) begin : gen_idx
        logic [Ct-1:0] odd;                       // the entry that it uses, if bit e of its number is set
        for (genvar i = 0; i < Ct; i++) begin : gen_odd
          assign odd[i] = at[Ct*k+i] && ((i >> e) & 1) != 0;
        end
        assign al_idx[E*k+e] = odd != '0;
      end
    end

    // ---- the table behind the allocation. Of several uses of an entry the last slot's counts.
    for (genvar i = 0; i < Ct; i++) begin : gen_entry
      logic [Noct-1:0] by;                        // slots that use the entry
      logic [Noct-1:0] by_put;
      logic [Noct-1:0] by_last;                   // the last of them
      logic [Noct-1:0] later;                     // slots at which it has not been used for the last time
      logic [7:0]      tag;
      for (genvar k = 0; k < Noct; k++) begin : gen_by
        assign by[k]      = at[Ct*k+i];
        assign by_put[k]  = put[Ct*k+i];
        assign by_last[k] = by[k] && tail[k];
      end
      for (genvar k = 0; k < Noct; k++) begin : gen_later
        assign later[k] = (by_last & ({Noct{1'b1}} << k)) != '0;
      end
      always_comb begin
        tag = '0;
        for (int k = 0; k < Noct; k++) tag = tag | (by_put[k] && lead[k] ? al_r_i[8*k +: 8] : '0);
      end
      assign val_d[i]  = al_v_i ? al_val[i] || by_put != '0 : ex_val[i];
      assign lock_d[i] = al_v_i ? by != '0 : lock_q[i] && !dp_take_i;
      assign near_d[i] = al_v_i ? (by != '0 ? (by_last & al_near_i) != '0 : al_near[i]) : ex_near[i];
      assign tag_d[8*i +: 8] = al_v_i && by_put != '0 ? tag : d_put[i] ? d_r_i : tag_q[8*i +: 8];
    end
    for (genvar i = 0; i < Ct; i++) begin : gen_order
      for (genvar j = i + 1; j < Ct; j++) begin : gen_pair
        logic i_by, j_by, i_last;
        assign i_by   = gen_entry[i].by != '0;
        assign j_by   = gen_entry[j].by != '0;
        assign i_last = (gen_entry[i].later & ~gen_entry[j].later) != '0;
        assign newer_d[i*(2*Ct-i-1)/2 + j-i-1] = al_v_i && (i_by || j_by) ? i_last : d_after[Ct*i+j];
      end
    end
    assign lfsr_d = al_pick ? next : d_lfsr;

    // a result takes the head of its list alone, an allocation any positions
    logic unused;
    assign unused = &{d_pos, head};
  end else begin : gen_plain
    // slot k has entry k, and its register as the tag; the other inputs mean nothing
    assign d_use   = '0;
    assign val_d   = val_q;
    assign lock_d  = lock_q;
    assign near_d  = near_q;
    assign newer_d = newer_q;
    assign lfsr_d  = lfsr_q;
    assign al_hit  = '0;
    assign al_req  = al_sv_i;
    for (genvar k = 0; k < Noct; k++) begin : gen_slot
      assign al_idx[E*k +: E] = al_sv_i[k] ? E'(k) : '0;
    end
    for (genvar i = 0; i < Ct; i++) begin : gen_tag
      localparam int K = i < Noct ? i : 0;
      assign tag_d[8*i +: 8] = i < Noct && al_v_i && al_sv_i[K] ? al_r_i[8*K +: 8] : tag_q[8*i +: 8];
    end
    logic unused;
    assign unused = &{d_v_i, d_wid_i, d_r_i, d_near_i, sn_v_i, sn_wid_i, sn_r_i, al_near_i, seed_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      widv_q  <= 1'b0;
      wid_q   <= '0;
      meta_q  <= '0;
      val_q   <= '0;
      lock_q  <= '0;
      near_q  <= '0;
      tag_q   <= '0;
      newer_q <= '1;
      sv_q    <= '0;
      rdy_q   <= '0;
      idx_q   <= '0;
      req_q   <= '0;
      lfsr_q  <= '0;
    end else begin
      busy_q  <= busy_d;
      widv_q  <= widv_d;
      wid_q   <= wid_d;
      meta_q  <= meta_d;
      val_q   <= val_d;
      lock_q  <= lock_d;
      near_q  <= near_d;
      tag_q   <= tag_d;
      newer_q <= newer_d;
      sv_q    <= sv_d;
      rdy_q   <= rdy_d;
      idx_q   <= idx_d;
      req_q   <= req_d;
      lfsr_q  <= lfsr_d;
    end
  end

  // ---- data: S and D, which never name one entry in one cycle
  logic [DataW-1:0] d_mask;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_mask
    assign d_mask[LaneW*l +: LaneW] = {LaneW{d_lane_i[l]}};
  end
  for (genvar i = 0; i < Ct; i++) begin : gen_data
    logic s_here;
    assign s_here = s_v_i && s_ct_i == E'(i);
    always_ff @(posedge clk_i) begin
      if (s_here) data_q[i] <= s_d_i;
      if (d_use[i]) data_q[i] <= (data_q[i] & ~d_mask) | (d_d_i & d_mask);
    end
  end

  // ---- outputs
  assign rq_v_o    = req_q;
  assign r_widv_o  = widv_q;
  assign r_wid_o   = widv_q ? wid_q : '0;
  assign r_busy_o  = busy_q;
  assign r_any_o   = val_q != '0;
  assign r_near_o  = (val_q & near_q) != '0;
  assign dp_v_o    = busy_q && (sv_q & ~rdy_q) == '0;
  assign dp_meta_o = dp_v_o ? meta_q : '0;
  for (genvar k = 0; k < Noct; k++) begin : gen_out
    logic [E-1:0]     at;
    logic [DataW-1:0] data;
    assign at = Cache != 0 ? idx_q[E*k +: E] : E'(k);
    assign rq_ct_o[E*k +: E] = req_q[k] ? at : '0;
    assign rq_r_o[8*k +: 8]  = req_q[k] ? tag_q[8*at +: 8] : '0;
    always_comb begin
      data = '0;
      if (dp_v_o && sv_q[k]) begin
        for (int i = 0; i < Ct; i++) begin
          if (at == E'(i)) data = data_q[i];
        end
      end
    end
    assign dp_d_o[DataW*k +: DataW] = data;
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
  localparam int K = Noct > 1 ? $clog2(Noct) : 1;
  localparam int Q = $clog2(Noct + 1);
  // slots that wait for the value of each entry, slots that point to it
  logic [Ct-1:0] f_open;
  logic [Ct-1:0] f_points;
  always_comb begin
    f_open   = '0;
    f_points = '0;
    for (int k = 0; k < Noct; k++) begin
      for (int i = 0; i < Ct; i++) begin
        if (sv_q[k] && idx_q[E*k +: E] == E'(i)) f_points[i] = 1'b1;
        if (sv_q[k] && !rdy_q[k] && idx_q[E*k +: E] == E'(i)) f_open[i] = 1'b1;
      end
    end
  end
`ifdef FORMAL
  initial assume (!rst_ni);
  // the inputs that the page calls illegal
  always_comb begin
    if (busy_q) assume (!al_v_i);
    if (!dp_v_o) assume (!dp_take_i);
    if (s_v_i) assume (32'(s_ct_i) < Ct && f_open[s_ct_i]);
    if (exits && busy_q) assume (dp_take_i);
    for (int i = 0; i < Ct; i++) begin
      if (Cache != 0 && widv_q && lock_q[i]) begin
        assume (!(d_v_i && d_wid_i == wid_q && d_r_i == tag_q[8*i +: 8]));
        for (int l = 0; l < Nwb; l++) assume (!(sn_v_i[l] && sn_wid_i[W*l +: W] == wid_q && sn_r_i[8*l +: 8] == tag_q[8*i +: 8]));
      end
    end
    for (int l = 0; l < Nwb; l++) begin
      if (Cache != 0 && d_v_i && sn_v_i[l] && d_wid_i == sn_wid_i[W*l +: W]) assume (d_r_i != sn_r_i[8*l +: 8]);
      for (int j = 0; j < l; j++) begin
        if (Cache != 0 && sn_v_i[j] && sn_v_i[l] && sn_wid_i[W*j +: W] == sn_wid_i[W*l +: W]) assume (sn_r_i[8*j +: 8] != sn_r_i[8*l +: 8]);
      end
    end
  end
`endif

  // one symbolic warp, register, entry and slot
  `ASSERT_ANY(f_w, W)
  `ASSERT_ANY(f_r, 8)
  `ASSERT_ANY(f_any_e, E)
  `ASSERT_ANY(f_any_k, K)
  logic [E-1:0]  f_e;
  logic [K-1:0]  f_k;
  assign f_e = 32'(f_any_e) < Ct ? f_any_e : '0;
  assign f_k = 32'(f_any_k) < Noct ? f_any_k : '0;

  // the register in the table, and in the slots of the instruction
  logic [Ct-1:0]   f_has;
  logic [Noct-1:0] f_slots;
  logic [M-1:0]    f_num;
  logic [Q-1:0]    f_asked;                         // slots that request it now
  logic            f_first;                         // the first of its slots does
  logic            f_found;
  always_comb begin
    f_num   = '0;
    f_asked = '0;
    f_first = 1'b0;
    f_found = 1'b0;
    for (int i = 0; i < Ct; i++) begin
      f_has[i] = val_q[i] && tag_q[8*i +: 8] == f_r;
      f_num    = f_num + M'(f_has[i]);
    end
    for (int k = 0; k < Noct; k++) begin
      if (f_slots[k] && !f_found) f_first = req_q[k];
      f_found = f_found || f_slots[k];
      f_asked = f_asked + Q'(req_q[k] && rq_r_o[8*k +: 8] == f_r);
    end
  end

  // what came through the ports: the slots' registers, requests that have no value yet, the last value for a slot
  logic [Noct*8-1:0] f_regs_q;
  logic              f_out_q;                       // of entry f_e, requested in an earlier cycle
  logic [DataW-1:0]  f_s_q;                         // value that came for slot f_k
  logic              f_al_q;
  logic              f_hit_q;                       // the register was here, and nothing in the way, when it was allocated
  logic              f_quiet;
  logic              f_req_e;
  always_comb begin
    f_req_e = 1'b0;
    for (int k = 0; k < Noct; k++) begin
      if (rq_v_o[k] && rq_ct_o[E*k +: E] == f_e) f_req_e = 1'b1;
      f_slots[k] = sv_q[k] && f_regs_q[8*k +: 8] == f_r;
    end
  end
  assign f_quiet = !d_v_i && sn_v_i == '0 && ex_m_i == '0 && widv_q && al_wid_i == wid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_al_q   <= 1'b0;
      f_hit_q  <= 1'b0;
      f_out_q  <= 1'b0;
      f_regs_q <= '0;
    end else begin
      f_al_q   <= al_v_i;
      f_hit_q  <= al_v_i && f_quiet && f_has != '0;
      f_out_q  <= (f_out_q || f_req_e) && !(s_v_i && s_ct_i == f_e);
      if (al_v_i) f_regs_q <= al_r_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (s_v_i && sv_q[f_k] && s_ct_i == idx_q[E*f_k +: E]) f_s_q <= s_d_i;
  end

  // the cycle before
  logic            f_lock_q;                        // entry f_e was locked, and no instruction was dispatched
  logic [7:0]      f_tag_q;
  logic            f_offer_q;
  logic [15:0]     f_meta_q;
  logic [DataW-1:0] f_d;                            // operand f_k
  logic [DataW-1:0] f_d_q;
  logic [15:0]     f_lfsr_q;
  logic            f_busy_q;
  logic            f_widv_q;
  logic [W-1:0]    f_wid_q;
  assign f_d = dp_d_o[DataW*f_k +: DataW];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_lock_q  <= 1'b0;
      f_tag_q   <= '0;
      f_offer_q <= 1'b0;
      f_lfsr_q  <= '0;
      f_busy_q  <= 1'b0;
      f_widv_q  <= 1'b0;
      f_wid_q   <= '0;
    end else begin
      f_lock_q  <= lock_q[f_e] && !dp_take_i;
      f_tag_q   <= tag_q[8*f_e +: 8];
      f_offer_q <= dp_v_o && !dp_take_i;
      f_lfsr_q  <= lfsr_q;
      f_busy_q  <= al_v_i || (f_busy_q && !dp_take_i);
      f_widv_q  <= al_v_i || (f_widv_q && !ex_m_i[f_wid_q]);
      if (al_v_i) f_wid_q <= al_wid_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (al_v_i) f_meta_q <= al_meta_i;
    f_d_q <= f_d;
  end

  logic [Noct-1:0] f_late;                          // slots without a value
  assign f_late = sv_q & ~rdy_q;
  `ASSERT_ALWAYS begin
    assert (r_busy_o == f_busy_q && r_widv_o == f_widv_q && r_wid_o == (f_widv_q ? f_wid_q : '0));
    // 1
    if (Cache != 0) assert (f_num <= M'(1));
    // 2
    if (Cache != 0) begin
      assert (lock_q[f_e] == f_points[f_e]);
      if (lock_q[f_e]) assert (busy_q && val_q[f_e]);
      if (f_lock_q) assert (lock_q[f_e] && val_q[f_e] && tag_q[8*f_e +: 8] == f_tag_q);
    end
    // each slot's entry has its register
    if (sv_q[f_k]) begin
      assert (32'(idx_q[E*f_k +: E]) < Ct && tag_q[8*idx_q[E*f_k +: E] +: 8] == f_regs_q[8*f_k +: 8]);
      if (Cache == 0) assert (idx_q[E*f_k +: E] == E'(f_k));
    end
    // 4
    assert ((rdy_q & ~sv_q) == '0);
    if (!busy_q) assert (sv_q == '0);
    if (busy_q) assert (widv_q);
    if (f_late[f_k] && idx_q[E*f_k +: E] == f_e) assert (f_out_q || f_req_e);
    if (f_out_q || f_req_e) assert (f_open[f_e]);
    if (!f_al_q) assert (req_q == '0);
    if (f_al_q && Cache == 0) assert (req_q == sv_q && rdy_q == '0);
    if (f_al_q && Cache != 0 && f_slots != '0) begin
      // all its slots have the value, or none and the first one requests it
      assert ((f_slots & f_late) == '0 || (f_slots & rdy_q) == '0);
      assert (f_asked == Q'((f_slots & f_late) != '0) && f_first == ((f_slots & f_late) != '0));
      if (f_hit_q) assert ((f_slots & f_late) == '0);
    end
    for (int k = 0; k < Noct; k++) begin
      if (req_q[k]) assert (rq_r_o[8*k +: 8] == f_regs_q[8*k +: 8] && rq_ct_o[E*k +: E] == idx_q[E*k +: E]);
      if (!req_q[k]) assert (rq_r_o[8*k +: 8] == '0 && rq_ct_o[E*k +: E] == '0);
    end
    // 5
    assert (dp_v_o == (busy_q && f_late == '0));
    assert (dp_meta_o == (dp_v_o ? f_meta_q : '0));
    if (busy_q) assert (meta_q == f_meta_q);
    if (!(dp_v_o && sv_q[f_k])) assert (f_d == '0);
    if (f_offer_q) assert (dp_v_o && f_d == f_d_q);
    // 6, without the cache; of a slot that missed with it
    if (Cache == 0 && dp_v_o && sv_q[f_k]) assert (f_d == f_s_q);
    // 7
    if (!widv_q) assert (val_q == '0);
    assert (r_any_o == (val_q != '0) && r_near_o == ((val_q & near_q) != '0));
    if (Cache == 0) assert (val_q == '0 && lock_q == '0 && near_q == '0 && newer_q == '1 && lfsr_q == '0);
    // 8
    if (lfsr_q != f_lfsr_q) assert (lfsr_q != '0);
  end

  // near entries go last: what a result replaces is far if there is a far one, and if nothing is free
  if (Cache != 0) begin : gen_f_cache
    `ASSERT_ALWAYS begin
      if (d_use[f_e] && !f_points[f_e] && d_v_i && !(val_q[f_e] && tag_q[8*f_e +: 8] == d_r_i)) begin
        assert (!lock_q[f_e] && d_lane_i == '1 && (d_near_i || Filter == 0));
        if (val_q[f_e]) assert ((~val_q & ~lock_q) == '0);
        if (val_q[f_e] && near_q[f_e] && Near != 0) assert ((~near_q & ~lock_q) == '0);
      end
      assert ((d_use & (d_use - Ct'(1))) == '0);
    end
  end

  // 9: a result that may enter does, and stays until its entry is replaced, or it is snooped or flushed. An allocation of the same cycle finds it.
  logic f_here;                                     // D or a snoop of the symbolic register, of the owner
  logic f_gone;
  logic f_keep_q;
  logic f_keep_near_q;
  logic f_stay_q;
  assign f_here = d_v_i && widv_q && d_wid_i == wid_q && d_r_i == f_r;
  always_comb begin
    f_gone = 1'b0;
    for (int l = 0; l < Nwb; l++) f_gone = f_gone || (sn_v_i[l] && sn_wid_i[W*l +: W] == wid_q && sn_r_i[8*l +: 8] == f_r);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_keep_q      <= 1'b0;
      f_keep_near_q <= 1'b0;
      f_stay_q      <= 1'b0;
    end else begin
      f_keep_q      <= Cache != 0 && f_here && d_lane_i == '1 && (d_near_i || Filter == 0) && lock_q != '1 && !exits && (!al_v_i || al_wid_i == wid_q);
      f_keep_near_q <= d_near_i;
      f_stay_q      <= Cache != 0 && f_has != '0 && !exits && !al_v_i && !f_gone && !(d_v_i && !f_here);
    end
  end
  `ASSERT_ALWAYS begin
    if (f_keep_q && !f_al_q) assert (f_has != '0 && ((f_has & near_q) != '0) == f_keep_near_q);
    if (f_keep_q && f_al_q) assert ((f_slots & f_late) == '0);
    if (f_stay_q) assert (f_has != '0);
  end

`ifdef FORMAL
  // 10: what an allocation replaces
  if (Cache != 0) begin : gen_f_victims
    logic [Ct-1:0] f_put;
    logic [Ct-1:0] f_free;
    logic [Ct-1:0] f_far;
    logic [Ct-1:0] f_rest;
    for (genvar i = 0; i < Ct; i++) begin : gen_f_put
      assign f_put[i] = al_v_i && gen_cache.gen_entry[i].by_put != '0;
    end
    assign f_free = ~gen_cache.al_val & ~gen_cache.hit_lock;
    assign f_far  = Near != 0 ? gen_cache.al_val & ~gen_cache.al_near & ~gen_cache.hit_lock : '0;
    assign f_rest = gen_cache.al_val & ~gen_cache.hit_lock & ~f_far;
    always_comb begin
      if (f_put[f_e] && gen_cache.al_val[f_e]) assert ((f_free & ~f_put) == '0);
      if (f_put[f_e] && f_rest[f_e]) assert ((f_far & ~f_put) == '0);
      for (int j = 0; j < Ct; j++) begin
        if (f_put[f_e] && f_rest[f_e] && f_rest[j] && gen_cache.d_after[Ct*f_e + j]) assert (f_put[j]);
      end
    end
  end

  // 1, 2 of all entries and slots
  for (genvar i = 0; i < Ct; i++) begin : gen_f_entry
    always_comb begin
      if (Cache != 0) begin
        assert (lock_q[i] == f_points[i]);
        if (lock_q[i]) assert (val_q[i]);
        for (int j = 0; j < i; j++) if (val_q[i] && val_q[j]) assert (tag_q[8*i +: 8] != tag_q[8*j +: 8]);
      end
    end
  end
  for (genvar k = 0; k < Noct; k++) begin : gen_f_slot
    always_comb begin
      if (sv_q[k]) begin
        assert (32'(idx_q[E*k +: E]) < Ct && tag_q[8*idx_q[E*k +: E] +: 8] == f_regs_q[8*k +: 8]);
        if (Cache == 0) assert (idx_q[E*k +: E] == E'(k));
      end
    end
  end

  // 3; entries that an allocation uses are newer than the others, and the last slot's is the newest
  if (Cache != 0) begin : gen_f_order
    always_comb begin
      for (int i = 0; i < Ct; i++) begin
        for (int j = 0; j < Ct; j++) begin
          if (f_al_q && f_points[i] && !f_points[j]) assert (gen_cache.after[Ct*i+j]);
          for (int k = 0; k < Noct; k++) begin
            if (f_al_q && sv_q >> k == Noct'(1) && idx_q[E*k +: E] == E'(i) && i != j) assert (gen_cache.after[Ct*i+j]);
          end
        end
      end
    end
    for (genvar i = 0; i < Ct; i++) begin : gen_f_i
      for (genvar j = 0; j < Ct; j++) begin : gen_f_j
        for (genvar k = 0; k < Ct; k++) begin : gen_f_k
          if (i != j && j != k && i != k) begin : gen_f_three
            always_comb if (gen_cache.after[Ct*i+j] && gen_cache.after[Ct*j+k]) assert (gen_cache.after[Ct*i+k]);
          end
        end
      end
    end
  end

  // 6: the symbolic register of the symbolic warp in its bank. While another warp is the owner it takes any value.
  (* anyseq *) logic [DataW-1:0] f_any;
  logic [DataW-1:0] f_bank_q;
  logic             f_own;
  logic             f_sn;
  assign f_own = widv_q && wid_q == f_w;
  always_comb begin
    f_sn = 1'b0;
    for (int l = 0; l < Nwb; l++) f_sn = f_sn || (sn_v_i[l] && sn_wid_i[W*l +: W] == f_w && sn_r_i[8*l +: 8] == f_r);
  end
  always_ff @(posedge clk_i) begin
    if (!f_own || f_sn) begin
      f_bank_q <= f_any;
    end else if (d_v_i && d_wid_i == f_w && d_r_i == f_r) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (d_lane_i[l]) f_bank_q[LaneW*l +: LaneW] <= d_d_i[LaneW*l +: LaneW];
      end
    end
  end
  for (genvar i = 0; i < Ct; i++) begin : gen_f_value
    always_comb begin
      if (Cache != 0) begin
        if (s_v_i && s_ct_i == E'(i) && f_own && tag_q[8*i +: 8] == f_r) assume (s_d_i == f_bank_q);
        if (f_own && f_has[i] && !f_open[i]) assert (data_q[i] == f_bank_q);
      end
    end
  end
  always_comb begin
    for (int k = 0; k < Noct; k++) begin
      if (Cache != 0 && dp_v_o && f_own && f_slots[k]) assert (dp_d_o[DataW*k +: DataW] == f_bank_q);
      // what the assertions above need to hold in the next cycle
      if (Cache == 0 && sv_q[k] && rdy_q[k] && K'(k) == f_k) assert (data_q[k] == f_s_q);
    end
  end

  if (Cache != 0) begin : gen_f_cover
    always_comb begin
      cover (rst_ni && dp_v_o && sv_q == '1 && f_hit_q);
      cover (rst_ni && f_al_q && req_q == '1 && lfsr_q != '0);
      cover (rst_ni && f_own && f_has != '0 && !f_has[0] && d_v_i && d_wid_i == f_w && d_r_i == f_r && d_lane_i == NumLanes'(1));
      cover (rst_ni && f_slots == '1 && sv_q == '1 && req_q == Noct'(1));
      cover (rst_ni && dp_take_i && exits && val_q == '1);
      cover (rst_ni && al_v_i && f_own && al_wid_i != f_w && (val_q & near_q) != '0);
      cover (rst_ni && d_use != '0 && al_v_i && al_wid_i == wid_q && val_q == '1 && !f_has[0] && lfsr_q != '0);
    end
  end else begin : gen_f_cover_plain
    always_comb begin
      cover (rst_ni && dp_v_o && sv_q == '1 && f_d != '0);
      cover (rst_ni && f_slots == '1 && req_q == '1);
      cover (rst_ni && dp_take_i && exits && sv_q == '0);
    end
  end
`endif
`endif
endmodule
