/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of rmu's bench, included once, after its model of the SM: the bench's predictions. They are not a state
 * machine but the page written as a program: command() goes through a command's cycles one after another and predicts
 * every port and register of each.
 */
#ifndef RT_TB_RMU_ORACLE_H
#define RT_TB_RMU_ORACLE_H

#include "rmu_sm.h"
#define EXPECT rmu
#define EXPECT_DEF "blocks/finereg/rmu.def"
#include "expect.h"

/* ---- a cycle ---- */

static bool port(struct sim *s, unsigned i) {
  if (!chance(s, s->k->sticky)) {
    s->ready[i] = chance(s, s->k->ready);
  }
  return s->ready[i];
}

/* The expected outputs of a cycle in this state; the caller adds those particular to the state, then ends the cycle with
 * go(). Inputs without their valid are junk. */
static void begin(struct sim *s, unsigned state, unsigned x, unsigned w) {
  struct rmu_in *in = &s->in;
  struct rmu_out *o = &s->o;
  memset(in, 0, sizeof *in);
  in->base_i = s->base, in->cbase_i = s->cbase;
  in->pc_i = tb_bits(s->r, 32), in->pc_live_i = below(s, 2);
  in->m_rs_d_i = tb_rand(s->r);
  in->m_rq_rdy_i = port(s, 0), in->ard_rdy_i = port(s, 1), in->awr_rdy_i = port(s, 2);
  tb_words(s->r, in->ars_d_i, 1024);
  in->c_op_i = below(s, 4), in->c_a_i = below(s, CTAS), in->c_b_i = below(s, CTAS), in->c_nw_i = below(s, 64);
  if (s->busy && !s->offered && chance(s, s->k->early)) {
    choose(s, ANY);
  }
  if (s->offered) {
    in->c_v_i = 1, in->c_op_i = s->offer.op;
    in->c_a_i = s->offer.a, in->c_b_i = s->offer.b, in->c_nw_i = s->offer.nw;
  }
  come_back(s);

  *o = s->next;
  memset(&s->next, 0, sizeof s->next);
  o->c_rdy_o = state == RMU_IDLE;
  o->cnt_free_o = s->free;
  o->pc_w_o = state == RMU_C_RQ ? w : 0;
  o->fl_rdy_o = state <= RMU_C_WT;
  if (state != RMU_IDLE) {
    o->blk_v_o = 1;
    o->blk_av_o = s->c.op != RMU_RESTORE, o->blk_a_o = s->c.op != RMU_RESTORE ? s->c.a : 0;
    o->blk_bv_o = s->c.op != RMU_SPILL, o->blk_b_o = s->c.op != RMU_SPILL ? s->c.b : 0;
  }
  s->st = (struct rmu_state){.state_q = state, .x_q = x, .w_q = w, .need_q = s->need, .n_q = s->n, .prev_q = s->prev};
}

/*
 * rmu_idle: asleep means that without a valid at its inputs nothing changes, in the next cycle or after any
 * skip; it must be asleep in idle and where it waits for an answer only.
 */
static void check_sleep(struct sim *s) {
  const struct rmu *m = tb_model(s->t);
  const struct rmu_in *in = &s->in;
  bool asleep = rmu_idle(m) != 0, events = s->o.done_v_o || s->o.mvi_v_o || s->o.mvo_v_o;
  if (s->slept) {
    tb_expect(s->t, !memcmp(&s->o, &s->slept_o, sizeof s->o) && !memcmp(&s->st, &s->slept_st, sizeof s->st),
              "rmu_idle said asleep a cycle ago");
  }
  s->slept = asleep && !in->c_v_i && !in->inv_i && !in->m_rs_v_i && !in->ars_v_i && !in->fl_v_i;
  s->slept_o = s->o, s->slept_st = s->st;
  if (!events && (s->st.state_q == RMU_IDLE || s->st.state_q == RMU_S_WT || s->answer)) {
    tb_expect(s->t, rmu_idle(m) == UINT64_MAX, "rmu_idle: not asleep");
  }
  if (asleep && chance(s, 1)) {
    struct rmu later = *m;
    struct rmu_out out;
    rmu_skip(&later, 1 + below(s, 1000));
    rmu_eval(&later, in, &out);
    expect_all(s->t, &out, &s->o, &later.r, &s->st);
    hit(s, BIN_skip);
  }
  s->answer = false;
}

static void go(struct sim *s) {
  check_sleep(s);
  struct rmu_state before = *(const struct rmu_state *)tb_model(s->t);
  const struct rmu_out *out = tb_step(s->t, &s->in);
  expect_all(s->t, out, &s->o, &before, &s->st);
  follow(s, out);
  if (s->in.fl_v_i) {
    if (s->o.fl_rdy_o) {
      load_done(s);
    } else {
      hit(s, BIN_load_waits_in_admit + (unsigned)s->st.state_q - RMU_ADMIT);
    }
  }
  s->now++;
  if (s->left-- == 0 || s->cut == s->st.state_q) {
    hit(s, BIN_reset_in_idle + (unsigned)s->st.state_q);
    longjmp(*s->end, 1);
  }
}

/* ard until it is accepted, in cycles of this state */
static unsigned ard(struct sim *s, unsigned state, unsigned w_q, unsigned w, unsigned r) {
  for (unsigned waited = 0;; waited++) {
    begin(s, state, RMU_HEAD, w_q);
    s->o.ard_v_o = 1, s->o.ard_w_o = w, s->o.ard_r_o = r;
    go(s);
    if (s->in.ard_rdy_i) {
      return waited;
    }
  }
}

/* the answer, and how long it took */
static unsigned ars(struct sim *s, unsigned state, unsigned x, unsigned w_q, unsigned w, unsigned r, uint32_t *buf) {
  for (unsigned waited = 0;; waited++) {
    begin(s, state, x, w_q);
    s->in.ars_v_i = chance(s, s->k->ars);
    if (s->in.ars_v_i) {
      memcpy(s->in.ars_d_i, acrf(s, s->cta[s->c.a].slot, w, r), sizeof s->in.ars_d_i);
      memcpy(buf, s->in.ars_d_i, sizeof s->in.ars_d_i);
    }
    go(s);
    if (s->in.ars_v_i) {
      return waited;
    }
  }
}

static unsigned awr(struct sim *s, unsigned x, const struct entry *e) {
  for (unsigned waited = 0;; waited++) {
    begin(s, RMU_WALK, x, 0);
    s->o.awr_v_o = 1, s->o.awr_w_o = e->w, s->o.awr_r_o = e->r;
    memcpy(s->o.awr_d_o, e->d, sizeof e->d);
    go(s);
    if (s->in.awr_rdy_i) {
      struct slot *k = &s->slot[s->reserved];
      memcpy(k->d[e->w][e->r], e->d, sizeof e->d);
      k->has[e->w] |= UINT64_C(1) << e->r;
      return waited;
    }
  }
}

/* ---- a command, as the page describes it ---- */

static unsigned row_of(uint32_t pc) { return (pc >> 3 ^ pc >> (3 + RT_CLOG2(ROWS))) % ROWS; }

static uint64_t look_up(struct sim *s, unsigned w, unsigned p) {
  uint32_t pc = s->pc[p];
  unsigned row = row_of(pc), waited = 0;
  if (s->val[row] && s->cached[row] == pc) {
    begin(s, RMU_C_WT, 0, w);
    go(s);
    hit(s, BIN_hit);
    return s->vec[p];
  }
  do {
    begin(s, RMU_C_WT, 0, w);
    s->o.m_rq_v_o = 1, s->o.m_rq_a_o = s->base + (pc - s->cbase);
    go(s);
    waited++;
  } while (!s->in.m_rq_rdy_i);
  hit_if(s, waited > 8, BIN_memory_asked_long);
  waited = 0;
  do {
    begin(s, RMU_C_WT, 0, w);
    s->answer = true;
    s->in.m_rs_v_i = chance(s, s->k->mem);
    s->in.m_rs_d_i = s->in.m_rs_v_i ? s->vec[p] : s->in.m_rs_d_i;
    go(s);
    waited++;
  } while (!s->in.m_rs_v_i);
  hit(s, waited == 1 ? BIN_memory_at_once : waited < 12 ? BIN_memory_late : BIN_memory_very_late);
  hit_if(s, s->val[row], BIN_row_replaced);
  hit(s, BIN_miss);
  s->val[row] = true, s->cached[row] = pc;
  begin(s, RMU_C_WT, 0, w);
  go(s);
  return s->vec[p];
}

static void look_ups(struct sim *s) {
  const struct cta *a = &s->cta[s->c.a];
  unsigned hits = 0, misses = 0, was_hit = 0;
  for (unsigned w = 0; w < s->c.nw; w++) {
    bool live = a->live >> w & 1;
    bool held = false;
    for (unsigned i = 0; i < ROWS; i++) held |= s->val[i];
    uint64_t then = s->now;
    begin(s, RMU_C_RQ, 0, w);
    s->in.pc_live_i = live;
    if (live) {
      s->in.pc_i = s->pc[a->at[w]];
    }
    go(s);
    if (live) {
      s->set[w] = look_up(s, w, a->at[w]);
      s->need += ones(s->set[w]);
      bool was = s->now == then + 2;
      hit_if(s, was && misses, BIN_hit_after_miss);
      hit_if(s, was && misses && was_hit, BIN_miss_between_hits);
      was_hit |= was && !misses;
      hits += was, misses += !was;
      hit_if(s, !was && !held && s->was_moved, BIN_inv_makes_miss);
      hit_if(s, ones(s->set[w]) == 63 || !s->set[w], s->set[w] ? BIN_vector_63 : BIN_vector_0);
    } else {
      hit(s, w + 1 == s->c.nw ? BIN_last_warp_not_live : BIN_warp_not_live);
    }
  }
  hit_if(s, hits + misses == 0, BIN_no_warp_live);
  hit_if(s, s->was_moved && misses, BIN_moved_bases);
  hit(s, s->c.nw == 1 ? BIN_nw_1 : s->c.nw == 32 ? BIN_nw_32 : BIN_nw_between);
}

/* The relation between a's set of registers and b's: bins. */
static void bins_of_sets(struct sim *s, unsigned nb) {
  uint64_t only_a = 0, only_b = 0, both = 0, of_b[WARPS] = {0}, above = 0;
  for (unsigned i = 0; i < nb; i++) {
    const struct entry *e = &s->e[s->chain[s->c.b][i]];
    of_b[e->w] |= UINT64_C(1) << e->r;
  }
  for (unsigned w = 0; w < WARPS; w++) {
    only_a |= s->set[w] & ~of_b[w], only_b |= of_b[w] & ~s->set[w], both |= s->set[w] & of_b[w];
    above |= w >= s->c.nw ? of_b[w] : 0;
  }
  hit_if(s, above, BIN_b_has_more_warps);
  if (!both) {
    hit_if(s, only_a && only_b, BIN_sets_disjoint);
    hit_if(s, only_a && only_b && !s->free, BIN_swap_none_free_disjoint);
  } else {
    hit(s, only_a && only_b ? BIN_sets_overlap : only_a ? BIN_b_within_a : only_b ? BIN_a_within_b : BIN_sets_equal);
    hit_if(s, !s->free && (only_b || only_a), BIN_swap_none_free_overlap);
    hit_if(s, !s->free && !only_b && !only_a, BIN_swap_none_free_equal);
  }
}

static bool admit(struct sim *s) {
  unsigned nb = s->c.op == RMU_SWAP ? s->cta[s->c.b].n : 0, room = s->free + nb;
  bool swap = s->c.op == RMU_SWAP, fits = s->need <= room;
  begin(s, RMU_ADMIT, 0, 0);
  go(s);
  if (s->need == room || s->need == room + 1) {
    hit(s, fits ? (swap ? BIN_swap_fits_exactly : BIN_spill_fits_exactly)
                : (swap ? BIN_swap_refused_by_one : BIN_spill_refused_by_one));
  }
  if (swap) {
    hit_if(s, !s->free && !fits, BIN_swap_none_free_refused);
    hit_if(s, !s->free && fits, BIN_swap_none_free);
    hit_if(s, !s->free && !s->need, BIN_swap_none_free_needs_none);
    hit_if(s, !s->need, nb ? BIN_swap_needs_none : BIN_swap_none_with_none);
    hit_if(s, s->need && !nb, BIN_swap_with_none);
    if (fits && s->need && nb) {
      bins_of_sets(s, nb);
    }
  } else {
    hit_if(s, !s->need, BIN_spill_of_none);
  }
  return fits;
}

/* The buffer, register r of a's warp w, is now in this entry. */
static void moved_in(struct sim *s, unsigned idx, unsigned w, unsigned r, const uint32_t *buf) {
  struct entry *e = &s->e[idx];
  e->occupied = true, e->loaded = false;
  e->w = w, e->r = r;
  memcpy(e->d, buf, sizeof e->d);
  hit_if(s, s->n, idx > s->prev ? BIN_chain_ascends : BIN_chain_descends);
  hit_if(s, idx == 0, BIN_entry_0);
  hit_if(s, idx == ENTRIES - 1, BIN_entry_last);
  hit_if(s, r == 0, BIN_register_0);
  hit_if(s, r == 62, BIN_register_62);
  hit_if(s, w == 31, BIN_warp_31);
  s->chain[s->c.a][s->n++] = (uint16_t)idx;
  s->prev = idx;
  s->set[w] &= ~(UINT64_C(1) << r);
  s->next.mvi_v_o = 1, s->next.mvi_w_o = w, s->next.mvi_r_o = r, s->next.mvi_idx_o = idx;
}

/* An entry of b for a register that a spills, too: they are exchanged. */
static void exchange(struct sim *s, struct entry *e, unsigned idx) {
  uint32_t buf[LANES];
  unsigned w = e->w, r = e->r;
  hit_if(s, ard(s, RMU_WALK, 0, w, r), BIN_exchange_ard_waits);
  hit(s, ars(s, RMU_WALK, RMU_READ, 0, w, r, buf) ? BIN_exchange_ars_late : BIN_exchange_ars_at_once);
  hit_if(s, awr(s, RMU_WRITE, e), BIN_exchange_awr_waits);
  moved_in(s, idx, w, r, buf);
}

/*
 * When pcrf shows the entries: tag i + 1 is read two cycles after tag i, but not before the cycle after the
 * pop of i - 3, and its entry is there four cycles later.
 */
static void walk(struct sim *s) {
  unsigned n = s->cta[s->c.b].n, exchanged = 0;
  uint64_t tag = s->now, popped[4] = {0};
  uint16_t order[ENTRIES];
  memcpy(order, s->chain[s->c.b], n * sizeof order[0]);
  for (unsigned i = 0; i < n; i++) {
    unsigned idx = order[n - 1 - i];
    struct entry *e = &s->e[idx];
    while (s->now < tag + 4) {
      begin(s, RMU_WALK, RMU_HEAD, 0);
      go(s);
    }
    bool both = s->set[e->w] >> e->r & 1;
    unsigned w = e->w, r = e->r;
    if (both) {
      exchange(s, e, idx);
      hit_if(s, i == 0, BIN_exchange_first);
      hit_if(s, i + 1 == n, BIN_exchange_last);
    } else {
      unsigned waited = awr(s, RMU_HEAD, e);
      hit_if(s, waited, waited > 10 ? BIN_head_waits_long : BIN_head_waits);
      hit_if(s, exchanged, BIN_exchange_then_head);
      e->occupied = false;
      s->free++;
    }
    exchanged = both;
    s->next.mvo_v_o = 1, s->next.mvo_w_o = w, s->next.mvo_r_o = r;
    popped[i % 4] = s->now; /* the cycle after the pop */
    tag += 2;
    if (i >= 3 && popped[(i + 1) % 4] > tag) {
      tag = popped[(i + 1) % 4];
    }
  }
  hit(s, n <= 5 ? BIN_chain_1 + n - 1 : n <= 100 ? BIN_chain_5 : n <= LONG_CHAIN ? BIN_chain_over_100 : BIN_chain_long);
  hit_if(s, n == WHOLE, BIN_chain_of_all);
}

static unsigned lowest_free(const struct sim *s) {
  unsigned i = 0;
  while (s->e[i].occupied) {
    i++;
  }
  return i;
}

static void drain_warp(struct sim *s, unsigned w) {
  uint64_t left = s->set[w];
  uint32_t buf[LANES];
  bool taken = false; /* ard was accepted in s_wr */
  while (left) {
    unsigned r = lowest(left), waited = taken ? 0 : ard(s, RMU_S_RD, w, w, r);
    hit_if(s, waited, waited > 10 ? BIN_drain_ard_waits_long : BIN_drain_ard_waits);
    left &= left - 1;
    hit(s, ars(s, RMU_S_WT, 0, w, w, r, buf) ? BIN_drain_ars_late : BIN_drain_ars_at_once);
    begin(s, RMU_S_WR, 0, w);
    if (left) {
      s->o.ard_v_o = 1, s->o.ard_w_o = w, s->o.ard_r_o = lowest(left);
    }
    go(s);
    taken = left && s->in.ard_rdy_i;
    hit_if(s, left, taken ? BIN_drain_next_taken : BIN_drain_next_refused);
    moved_in(s, lowest_free(s), w, r, buf);
    s->free--;
  }
}

static void drain(struct sim *s) {
  hit_if(s, s->n, BIN_drain_behind_exchange);
  for (unsigned w = 0; w < s->c.nw; w++) {
    begin(s, RMU_D_LD, 0, w);
    go(s);
    hit_if(s, !s->set[w],
           w == 0            ? BIN_drain_empty_first
           : w + 1 < s->c.nw ? BIN_drain_empty_between
                             : BIN_drain_empty_last);
    drain_warp(s, w);
  }
}

/* F22: loads under way for a that had no mvi are for dead registers. */
static void after_done(struct sim *s) {
  unsigned sum = 0;
  for (struct load *l = s->load; l < s->load + LOADS; l++) {
    if (l->on && s->c.op != RMU_RESTORE && l->cta == s->c.a && !l->seen_in) {
      l->on = false;
      hit(s, BIN_load_dropped);
    }
    l->seen_in = false;
  }
  if (s->c.op != RMU_SPILL) {
    s->cta[s->c.b].place = ACTIVE, s->cta[s->c.b].slot = s->reserved;
    s->cta[s->c.b].n = 0;
  }
  if (s->c.op != RMU_RESTORE) {
    struct cta *a = &s->cta[s->c.a];
    s->slot[a->slot].taken = s->c.op == RMU_SWAP;
    hit_if(s, a->was_pending, BIN_row_used_again);
    a->place = PENDING, a->n = s->n, a->was_pending = true;
  }
  for (unsigned i = 0; i < CTAS; i++) {
    sum += s->cta[i].n;
  }
  tb_expect(s->t, s->free + sum == ENTRIES, "%u entries are free and %u taken", s->free, sum);
}

static void command(struct sim *s) {
  s->need = s->n = s->prev = 0;
  memset(s->set, 0, sizeof s->set);
  unsigned count = s->c.op == RMU_SPILL ? 0 : s->cta[s->c.b].n;
  if (s->c.op != RMU_RESTORE) {
    look_ups(s);
    if (!admit(s)) {
      hit(s, s->c.op == RMU_SWAP ? BIN_swap_refused : BIN_spill_refused);
      s->next.done_v_o = 1, s->next.done_cnt_o = s->need;
      s->last_refused = true;
      return;
    }
  }
  if (count) {
    walk(s);
  }
  hit_if(s, s->c.op == RMU_RESTORE && !count, BIN_restore_of_none);
  if (s->c.op != RMU_RESTORE) {
    drain(s);
  }
  begin(s, RMU_FINISH, 0, 0);
  go(s);
  s->next.done_v_o = s->next.done_ok_o = 1;
  s->next.done_cnt_o = s->c.op == RMU_RESTORE ? count : s->need;
  hit(s, BIN_spill + s->c.op);
  hit_if(s, s->c.op == RMU_RESTORE && s->last_in == s->c.b, BIN_restore_behind_its_spill);
  hit_if(s, s->c.op == RMU_SWAP && s->last_in == s->c.b && s->last_out == s->c.a, BIN_swap_back);
  s->last_in = s->c.op == RMU_RESTORE ? CTAS : s->c.a;
  s->last_out = s->c.op == RMU_SPILL ? CTAS : s->c.b;
  s->last_done = true;
  after_done(s);
}

#endif
