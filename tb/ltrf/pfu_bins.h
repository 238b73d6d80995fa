/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of pfu's bench: coverage bins and what counts them, before each edge, from the oracle's state, the inputs and
 * the plan of the cycle.
 */
#ifndef RT_TB_PFU_BINS_H
#define RT_TB_PFU_BINS_H

#include "pfu_user.h"

#include "lists.h"

// clang-format off
#define OF_REGS(B, p) B(p##0) B(p##63) B(p##64) B(p##127) B(p##128) B(p##191) B(p##192) B(p##255)
/* Look-ups of one pair, of two and of three, with the pair not full and full. */
#define OF_LOOKS(B, p) B(p##1) B(p##2) B(p##3) B(p##4) B(p##5) B(p##6)
#if TB_PARAM(NumPorts) == 4
#define OF_PORTS(B) OF_LOOKS(B, look0_) OF_LOOKS(B, look1_) OF_LOOKS(B, look2_) OF_LOOKS(B, look3_)                 \
  TB_4(B, issue_) B(all_ports_look) B(all_ports_issue)
#else
#define OF_PORTS(B) OF_LOOKS(B, look0_) B(issue_0)
#endif
#if TB_PARAM(LiveOnly)
#define OF_LIVE(B)                                                                                               \
  B(leaves_dead) B(leaves_live) B(comes_dead) B(comes_live) B(dead_of_deact) B(dead_of_act) B(dead_held)         \
  B(dead_beside_grant) B(two_at_once) B(dead_without_banks) B(dead_behind_live) B(live_behind_dead)             \
  B(died_before_deact) B(dead_from_start) B(fr_beside_take) B(all_come_dead) OF_REGS(B, drop_) OF_REGS(B, take_)
#else
#define OF_LIVE(B) B(leaves_not_live) B(comes_not_live)
#endif
/* refused_: a command. one_more_, one_less_: a vector that differs from the one before in this register. held_by_: this
 * write port holds an eviction. ok_, not_ok_: source k of a look-up. out_: a write that goes to the MRF. */
#define BINS(B)                                                                                                 \
  B(free_never) B(free_after_deact) B(free_after_end) B(idle_act) B(idle_pref) B(ld) B(evict_deact) B(evict_pref) \
  B(alloc_act) B(alloc_pref) B(wait_act) B(wait_pref) B(done_act) B(done_deact) B(done_pref) B(done_end)         \
  B(taken_act) B(taken_deact) B(taken_pref) B(taken_same) B(taken_end) B(evict_to_done) B(evict_to_alloc)       \
  B(evict_none_deact) B(evict_none_pref) B(alloc_to_wait_act) B(alloc_to_wait_pref) B(alloc_none_act)            \
  B(alloc_none_pref) B(wait_at_once) B(wait_long) B(wait_to_done_act) B(wait_to_done_pref) B(told_act)           \
  B(told_deact) B(told_pref) B(told_end) B(told_at_once) B(told_late)                                           \
  B(refused_act_full) B(refused_act_active) B(refused_deact_inactive) B(refused_pref_inactive)                  \
  B(refused_end_inactive) B(refused_deact_busy) B(refused_pref_busy) B(refused_end_busy) B(refused_in_ld)        \
  B(refused_in_evict) B(refused_in_alloc) B(refused_in_wait) B(refused_in_done) TB_4(B, ready_without_v_)          \
  B(not_ready_without_v) B(c_changes) B(c_goes) B(taken_behind_taken) B(taken_behind_told_act)                  \
  B(taken_behind_told_pref) B(act_behind_told) B(pref_behind_issue) B(deact_behind_issue)                       \
  B(pref_same) B(pref_same_none) B(pref_only_leave) B(pref_only_come) B(pref_both) B(pref_disjoint)             \
  B(pref_to_none) B(pref_from_none) B(pref_full_to_full) B(pref_same_number) OF_REGS(B, one_more_)              \
  OF_REGS(B, one_less_) B(pref_behind_act) B(pref_side_by_side)                                                 \
  B(end_none) B(end_some) B(end_full) B(deact_none) B(deact_some) B(deact_full) B(act_none) B(act_some)          \
  B(act_full) B(act_same_slot) B(act_other_slot) B(act_after_two_starts) B(act_after_end) B(act_0) B(act_63)     \
  OF_SLOTS(B, slot_) B(all_taken) B(act_takes_last) B(act_beside_release) B(act_beside_release_of_last)         \
  B(release_with_none_free) B(act_takes_released) B(slots_out_of_order)                                         \
  B(back_granted) B(back_no_mrf) B(back_no_rfc) B(back_no_both) B(back_loses) B(fetch_granted) B(fetch_no_mrf)    \
  B(fetch_loses) B(fetch_without_cache) B(one_asks) B(two_ask) B(all_fetch) B(all_back) B(fetch_beside_back)     \
  B(grant_at_first) B(grant_wraps) B(grant_of_last) OF_SLOTS(B, fetch_) OF_SLOTS(B, back_) OF_BANKS(B, mrf_)      \
  B(bank_wraps) B(bank_wraps_twice) OF_PLACES(B, rc_) OF_PLACES(B, fw_) OF_SLOTS(B, fw_slot_)                    \
  B(places_out_of_order) B(place_again) B(places_all_taken) OF_SLOTS(B, arbiter_) OF_REGS(B, back_r_)            \
  OF_REGS(B, fetch_r_) OF_REGS(B, fr_r_) TB_4(B, held_by_) B(held_long) B(held_then_leaves) B(held_beside_grant)  \
  B(held_of_deact) B(held_of_pref) B(held_with_banks) B(other_register_written) B(other_warp_written)           \
  B(leaves_beside_writes) OF_LIVE(B)                                                                            \
  B(fr_in_alloc) B(fr_in_wait) B(fr_beside_fetch_same) B(fr_beside_fetch_other) B(fr_beside_back)               \
  B(fr_beside_fetch_of_one) B(fr_last_in_wait) B(fr_to_0_in_alloc) B(fr_as_alloc_ends) B(fr_at_once)            \
  B(fr_in_turn) B(fr_in_turn_other) B(fr_not_oldest) B(fr_beside_told) B(out_full)                              \
  OF_PORTS(B) OF_LOOKS(B, again_) B(look_after_pause) TB_6(B, ok_) TB_6(B, not_ok_) B(beyond_n) B(look_inactive)  \
  B(look_in_idle) B(look_in_ld) B(look_in_evict) B(look_in_alloc) B(look_in_wait) B(look_in_done)               \
  B(look_as_it_leaves) B(look_as_it_comes) B(look_comes_between) B(look_leaves_between) B(look_warp_leaves)     \
  B(look_warp_leaves_ok) B(look_warp_comes) B(look_other_slot) B(look_same_twice) B(look_as_end_is_told)        \
  OF_REGS(B, look_r_) OF_SLOTS(B, look_slot_) OF_PLACES(B, look_bank_)                                          \
  TB_6(B, dies_) TB_4(B, lives_) B(dies_and_lives) B(source_not_dead) B(dead_without_source) B(dest_without_v)    \
  B(issue_of_absent) OF_REGS(B, dies_r_) OF_REGS(B, lives_r_)                                                   \
  TB_4(B, in_) TB_4(B, out_) B(write_inactive) B(write_left) B(write_comes) B(write_as_fr) B(write_after_fr)      \
  B(write_as_it_is_taken) B(write_in_evict) B(four_writes) B(four_of_one_warp)          \
  B(write_stays) OF_REGS(B, write_r_) OF_SLOTS(B, write_slot_) OF_PLACES(B, write_bank_)                        \
  B(st_none_live) B(st_all_live) B(st_again) B(st_beside_act) B(st_behind_told)                                 \
  B(told_beside_act) B(told_beside_deact) B(told_beside_pref) B(told_beside_end) B(two_done) B(three_done)      \
  B(told_wraps) B(told_at_first) B(told_last) B(deact_late) B(deact_late_long) B(deact_late_beside_told)        \
  B(st_beside_told) OF_SLOTS(B, teller_)                                                                        \
  B(reset_in_idle) B(reset_in_ld) B(reset_in_evict) B(reset_in_alloc) B(reset_in_wait) B(reset_in_done)         \
  B(reset_in_look) B(reset_with_reads) B(reset_with_dptr) B(junk_without_valid) B(nothing_at_all)
// clang-format on
TB_BINS(BINS)

/* An element of the port is not zero. */
#define ANY(port) (rt_any((port), sizeof(port)) != 0)

/* Which of the OF_REGS after `bin`, if it is one of them. */
static void pfu_hit_register(struct sim *s, unsigned r, unsigned bin) {
  for (unsigned i = 0; i < EDGES; i++) tb_hit_if(s->t, r == edges[i], bin + i);
}

static bool pfu_queue_in_order(const struct queue *q) {
  for (unsigned i = 1; i < q->n; i++) {
    if (q->id[i] < q->id[0]) return false;
  }
  return true;
}

static bool pfu_command_releases(unsigned op) { return op == PFU_DEACTIVATE || op == PFU_END; }

/* ---- states ---- */

static void pfu_bins_of_state(struct sim *s, unsigned i) {
  static const unsigned of_act[] = {BIN_idle_act, BIN_ld, 0, BIN_alloc_act, BIN_wait_act, BIN_done_act};
  static const unsigned of_deact[] = {0, 0, BIN_evict_deact, 0, 0, BIN_done_deact};
  static const unsigned of_pref[] = {BIN_idle_pref, 0, BIN_evict_pref, BIN_alloc_pref, BIN_wait_pref, BIN_done_pref};
  static const unsigned of_end[] = {0, 0, 0, 0, 0, BIN_done_end};
  static const unsigned *const of_op[] = {of_act, of_deact, of_pref, of_end};
  const struct warp *w = pfu_oracle_const_holder(&s->o, i);
  if (!w) {
    tb_hit(s->t, !s->ever[i]                               ? BIN_free_never
                 : s->o.slot[i].shown_op == PFU_DEACTIVATE ? BIN_free_after_deact
                                                           : BIN_free_after_end);
    return;
  }
  tb_hit(s->t, of_op[w->op][w->step]);
}

static void pfu_bins_of_wait(struct sim *s, unsigned i, const struct warp *w) {
  s->waits[i] = w->step == PFU_WAIT ? s->waits[i] + 1 : 0;
  if (w->step != PFU_WAIT || w->reads) return;
  tb_hit_if(s->t, s->waits[i] == 1, BIN_wait_at_once);
  tb_hit_if(s->t, s->waits[i] > 20, BIN_wait_long);
  tb_hit(s->t, w->op == PFU_ACTIVATE ? BIN_wait_to_done_act : BIN_wait_to_done_pref);
}

/* A slot in evict or allocate with nothing to do. */
static void pfu_bins_of_nothing(struct sim *s, unsigned i, const struct warp *w) {
  if (s->p.slot[i].wish != NOTHING) return;
  if (w->step == PFU_EVICT) {
    tb_hit_if(s->t, s->fresh[i], w->op == PFU_DEACTIVATE ? BIN_evict_none_deact : BIN_evict_none_pref);
    tb_hit_if(s->t, !s->fresh[i], w->op == PFU_DEACTIVATE ? BIN_evict_to_done : BIN_evict_to_alloc);
  }
  if (w->step == PFU_ALLOCATE) {
    tb_hit_if(s->t, s->fresh[i], w->op == PFU_ACTIVATE ? BIN_alloc_none_act : BIN_alloc_none_pref);
    tb_hit_if(s->t, !s->fresh[i], w->op == PFU_ACTIVATE ? BIN_alloc_to_wait_act : BIN_alloc_to_wait_pref);
    tb_hit_if(s->t, s->in.fill_valid_i && s->in.fill_slot_i == i, BIN_fr_as_alloc_ends);
    tb_hit_if(s->t, !w->free.n, BIN_places_all_taken);
#if TB_PARAM(LiveOnly)
    tb_hit_if(s->t, w->todo.n && !s->fetched[i], BIN_all_come_dead);
#endif
  }
  tb_hit_if(s->t, w->reads == PLACES, BIN_out_full);
}

/* ---- registers that leave and come ---- */

static void pfu_bins_of_held(struct sim *s, unsigned i, const struct warp *w) {
  const unsigned r = s->p.slot[i].r;
  if (s->p.slot[i].wish != HELD) return;
  for (unsigned k = 0; k < WRITES; k++)
    tb_hit_if(s->t, pfu_result_names(&s->in, k, s->o.slot[i].warp, r), BIN_held_by_0 + k);
  s->held[i]++;
  tb_hit_if(s->t, s->held[i] > 3, BIN_held_long);
  tb_hit_if(s->t, s->p.granted != NOBODY, BIN_held_beside_grant);
  tb_hit(s->t, w->op == PFU_DEACTIVATE ? BIN_held_of_deact : BIN_held_of_pref);
  tb_hit_if(s->t, s->p.slot[i].mrf && s->p.slot[i].rfc, BIN_held_with_banks);
#if TB_PARAM(LiveOnly)
  tb_hit_if(s->t, !w->live[r], BIN_dead_held);
#endif
}

static void pfu_bins_of_leaving(struct sim *s, unsigned i, const struct warp *w) {
  const unsigned r = s->p.slot[i].r, warp = s->o.slot[i].warp;
  for (unsigned k = 0; k < WRITES; k++) {
    if (!bit_is64(s->in.result_valid_i, k)) continue;
    const unsigned x = s->in.result_warp_i[k], y = s->in.result_register_i[k];
    tb_hit_if(s->t, x == warp && y != r, BIN_other_register_written);
    tb_hit_if(s->t, x != warp && y == r, BIN_other_warp_written);
  }
  tb_hit_if(s->t, s->in.result_valid_i == (1u << WRITES) - 1, BIN_leaves_beside_writes);
  tb_hit_if(s->t, s->held[i], BIN_held_then_leaves);
  s->held[i] = 0;
  s->went_back[i][w->place[r]] = true;
}

#if TB_PARAM(LiveOnly)
static void pfu_bins_of_live(struct sim *s, unsigned i, const struct warp *w) {
  const enum wish wish = s->p.slot[i].wish;
  const unsigned r = s->p.slot[i].r, warp = s->o.slot[i].warp;
  const bool granted = s->p.granted == i, dead = wish == DROP || wish == TAKE;
  const bool behind = w->todo.at > 0, before = behind && w->live[w->todo.r[w->todo.at - 1]];
  if (!dead && !granted) return;
  tb_hit_if(s->t, behind && before == dead, dead ? BIN_dead_behind_live : BIN_live_behind_dead);
  if (granted) tb_hit(s->t, wish == BACK ? BIN_leaves_live : BIN_comes_live);
  if (!dead) return;
  tb_hit(s->t, wish == DROP ? BIN_leaves_dead : BIN_comes_dead);
  tb_hit_if(s->t, w->op == PFU_DEACTIVATE, BIN_dead_of_deact);
  tb_hit_if(s->t, w->op == PFU_ACTIVATE, BIN_dead_of_act);
  tb_hit_if(s->t, s->p.granted != NOBODY, BIN_dead_beside_grant);
  tb_hit_if(s->t, !s->p.slot[i].mrf && !s->p.slot[i].rfc, BIN_dead_without_banks);
  tb_hit_if(s->t, w->op == PFU_ACTIVATE && s->by_issue[warp], BIN_died_before_deact);
  tb_hit_if(s->t, wish == TAKE && w->op == PFU_PREFETCH && !s->by_issue[warp] && !s->died[warp], BIN_dead_from_start);
  tb_hit_if(s->t, wish == TAKE && s->in.fill_valid_i && s->in.fill_slot_i == i, BIN_fr_beside_take);
  pfu_hit_register(s, r, wish == DROP ? BIN_drop_0 : BIN_take_0);
}
#else
static void pfu_bins_of_live(struct sim *s, unsigned i, const struct warp *w) {
  if (s->p.granted == i && !w->live[s->p.slot[i].r]) {
    tb_hit(s->t, s->p.slot[i].wish == BACK ? BIN_leaves_not_live : BIN_comes_not_live);
  }
}
#endif

static void pfu_bins_of_move(struct sim *s, unsigned i, const struct warp *w) {
  const enum wish wish = s->p.slot[i].wish;
  const bool mrf = s->p.slot[i].mrf, rfc = s->p.slot[i].rfc, granted = s->p.granted == i;
  pfu_bins_of_held(s, i, w);
  pfu_bins_of_live(s, i, w);
  if (wish == DROP || (wish == BACK && granted)) pfu_bins_of_leaving(s, i, w);
  if (wish == BACK && !granted) {
    tb_hit_if(s->t, !mrf, rfc ? BIN_back_no_mrf : BIN_back_no_both);
    tb_hit_if(s->t, mrf, rfc ? BIN_back_loses : BIN_back_no_rfc);
  }
  if (wish == FETCH && !granted) tb_hit(s->t, mrf ? BIN_fetch_loses : BIN_fetch_no_mrf);
  if (wish == TAKE || (wish == FETCH && granted)) {
    tb_hit_if(s->t, !pfu_queue_in_order(&w->free), BIN_places_out_of_order);
    tb_hit_if(s->t, w->op == PFU_PREFETCH && s->went_back[i][pfu_queue_first(&w->free)], BIN_place_again);
  }
}

static void pfu_bins_of_grant(struct sim *s) {
  const struct plan *p = &s->p;
  unsigned fetches = 0, backs = 0, at_once = 0;
  for (unsigned i = 0; i < SLOTS; i++) {
    fetches += p->slot[i].wish == FETCH, backs += p->slot[i].wish == BACK;
    at_once += p->slot[i].wish == DROP || p->slot[i].wish == TAKE;
  }
  tb_hit(s->t, BIN_arbiter_0 + s->o.arbiter);
  tb_hit_if(s->t, fetches + backs == 1, BIN_one_asks);
  tb_hit_if(s->t, fetches + backs == 2, BIN_two_ask);
  tb_hit_if(s->t, fetches == SLOTS, BIN_all_fetch);
  tb_hit_if(s->t, backs == SLOTS, BIN_all_back);
  tb_hit_if(s->t, fetches && backs, BIN_fetch_beside_back);
#if TB_PARAM(LiveOnly)
  tb_hit_if(s->t, at_once > 1, BIN_two_at_once);
#endif
  const unsigned g = p->granted;
  if (g == NOBODY) return;
  const struct warp *w = pfu_oracle_const_holder(&s->o, g);
  const unsigned r = p->slot[g].r, warp = s->o.slot[g].warp, k = (g + SLOTS - s->o.arbiter) % SLOTS;
  const bool fetch = p->slot[g].wish == FETCH;
  tb_hit(s->t, fetch ? BIN_fetch_granted : BIN_back_granted);
  pfu_hit_register(s, r, fetch ? BIN_fetch_r_0 : BIN_back_r_0);
  tb_hit(s->t, (fetch ? BIN_fetch_0 : BIN_back_0) + g);
  tb_hit(s->t, BIN_mrf_0 + pfu_oracle_mrf_bank(warp, r));
  tb_hit_if(s->t, !fetch, BIN_rc_0 + w->place[r]);
  tb_hit_if(s->t, fetch && !s->in.cache_ready_i, BIN_fetch_without_cache);
  tb_hit_if(s->t, r + warp >= BANKS, BIN_bank_wraps);
  tb_hit_if(s->t, r + warp >= 2 * BANKS, BIN_bank_wraps_twice);
  tb_hit_if(s->t, k == 0, BIN_grant_at_first);
  tb_hit_if(s->t, g < s->o.arbiter, BIN_grant_wraps);
  tb_hit_if(s->t, k == SLOTS - 1, BIN_grant_of_last);
}

static void pfu_bins_of_fill(struct sim *s) {
  const struct pfu_in *in = &s->in;
  const unsigned i = (unsigned)in->fill_slot_i, r = (unsigned)in->fill_register_i, g = s->p.granted;
  if (!in->fill_valid_i) return;
  const struct warp *w = pfu_oracle_const_holder(&s->o, i);
  const bool fetch = g != NOBODY && s->p.slot[g].wish == FETCH;
  tb_hit(s->t, BIN_fw_0 + w->place[r]);
  tb_hit(s->t, BIN_fw_slot_0 + i);
  pfu_hit_register(s, r, BIN_fr_r_0);
  tb_hit(s->t, w->step == PFU_ALLOCATE ? BIN_fr_in_alloc : BIN_fr_in_wait);
  tb_hit_if(s->t, fetch && g == i, BIN_fr_beside_fetch_same);
  tb_hit_if(s->t, fetch && g == i && w->reads == 1, BIN_fr_beside_fetch_of_one);
  tb_hit_if(s->t, fetch && g != i, BIN_fr_beside_fetch_other);
  tb_hit_if(s->t, g != NOBODY && !fetch, BIN_fr_beside_back);
  tb_hit_if(s->t, w->reads == 1 && w->step == PFU_WAIT, BIN_fr_last_in_wait);
  tb_hit_if(s->t, w->reads == 1 && w->step == PFU_ALLOCATE && !(fetch && g == i), BIN_fr_to_0_in_alloc);
  tb_hit_if(s->t, s->before.main_read_valid_o && s->before.main_read_slot_o == i && s->before.main_read_register_o == r,
            BIN_fr_at_once);
  tb_hit_if(s->t, s->last_fr, s->last.fill_slot_i == i ? BIN_fr_in_turn : BIN_fr_in_turn_other);
  tb_hit_if(s->t, s->p.told != NOBODY, BIN_fr_beside_told);
  for (unsigned k = 0; k < REGS; k++) tb_hit_if(s->t, k < r && w->comes[k], BIN_fr_not_oldest);
}

/* ---- commands ---- */

static void pfu_bins_of_prefetch(struct sim *s, const struct warp *w) {
  bool vector[REGS];
  unsigned leave = 0, come = 0, stay = 0, one = 0, beside = 0;
  pfu_regs_from_port(vector, s->in.command_registers_i);
  for (unsigned r = 0; r < REGS; r++) {
    leave += w->has[r] && !vector[r], come += vector[r] && !w->has[r], stay += vector[r] && w->has[r];
    if (vector[r] != w->has[r]) one = r;
    beside += vector[r] && !w->has[r] && r && w->has[r - 1];
  }
  const unsigned was = leave + stay, is = come + stay;
  tb_hit(s->t, leave || come ? BIN_taken_pref : BIN_taken_same);
  tb_hit_if(s->t, !leave && !come, was ? BIN_pref_same : BIN_pref_same_none);
  tb_hit_if(s->t, leave && !come, is ? BIN_pref_only_leave : BIN_pref_to_none);
  tb_hit_if(s->t, come && !leave, was ? BIN_pref_only_come : BIN_pref_from_none);
  tb_hit_if(s->t, come && leave, stay ? BIN_pref_both : BIN_pref_disjoint);
  tb_hit_if(s->t, was == PLACES && is == PLACES && !stay, BIN_pref_full_to_full);
  tb_hit_if(s->t, was == is && come, BIN_pref_same_number);
  tb_hit_if(s->t, beside, BIN_pref_side_by_side);
  if (come == 1 && !leave) pfu_hit_register(s, one, BIN_one_more_0);
  if (leave == 1 && !come) pfu_hit_register(s, one, BIN_one_less_0);
  tb_hit_if(s->t, w->op == PFU_ACTIVATE, BIN_pref_behind_act);
}

static void pfu_bins_of_number(struct sim *s, unsigned n, unsigned none) {
  tb_hit(s->t, n == 0 ? none : n < PLACES ? none + 1 : none + 2);
}

static void pfu_bins_of_activate(struct sim *s, const struct warp *w) {
  const unsigned number = (unsigned)s->in.command_warp_i, slot = pfu_queue_first(&s->o.slots);
  const bool released = s->p.told != NOBODY && pfu_command_releases(pfu_oracle_const_holder(&s->o, s->p.told)->op);
  tb_hit(s->t, BIN_taken_act);
  pfu_bins_of_number(s, pfu_regs_count(w->ws), BIN_act_none);
  tb_hit(s->t, BIN_slot_0 + slot);
  tb_hit_if(s->t, s->kept[number], s->was_slot[number] == slot ? BIN_act_same_slot : BIN_act_other_slot);
  tb_hit_if(s->t, s->starts[number] > 1, BIN_act_after_two_starts);
  tb_hit_if(s->t, s->ended[number], BIN_act_after_end);
  tb_hit_if(s->t, number == 0, BIN_act_0);
  tb_hit_if(s->t, number == 63, BIN_act_63);
  tb_hit_if(s->t, s->o.slots.n == 1, BIN_act_takes_last);
  tb_hit_if(s->t, released, s->o.slots.n == 1 ? BIN_act_beside_release_of_last : BIN_act_beside_release);
  tb_hit_if(s->t, s->none_free && s->o.slots.n == 1, BIN_act_takes_released);
  tb_hit_if(s->t, s->in.start_valid_i, BIN_st_beside_act);
}

static void pfu_bins_of_taken(struct sim *s) {
  static const unsigned beside[] = {BIN_told_beside_act, BIN_told_beside_deact, BIN_told_beside_pref,
                                    BIN_told_beside_end};
  const unsigned op = (unsigned)s->in.command_i, number = (unsigned)s->in.command_warp_i;
  const struct warp *w = &s->o.warp[number];
  bool issued = false;
  for (unsigned p = 0; s->now && p < PORTS; p++) {
    issued |= bit_is64(s->last.issue_valid_i, p) && s->last.issue_warp_i[p] == number;
  }
  tb_hit_if(s->t, s->p.told != NOBODY, beside[op]);
  tb_hit_if(s->t, s->last_taken, BIN_taken_behind_taken);
  const bool behind_told = s->last_told == number;
  tb_hit_if(s->t, behind_told && op != PFU_ACTIVATE,
            w->op == PFU_ACTIVATE ? BIN_taken_behind_told_act : BIN_taken_behind_told_pref);
  tb_hit_if(s->t, behind_told && op == PFU_ACTIVATE, BIN_act_behind_told);
  tb_hit_if(s->t, issued && op == PFU_PREFETCH, BIN_pref_behind_issue);
  tb_hit_if(s->t, issued && op == PFU_DEACTIVATE, BIN_deact_behind_issue);
  if (op == PFU_ACTIVATE) pfu_bins_of_activate(s, w);
  if (op == PFU_PREFETCH) pfu_bins_of_prefetch(s, w);
  if (op == PFU_DEACTIVATE)
    tb_hit(s->t, BIN_taken_deact), pfu_bins_of_number(s, pfu_regs_count(w->has), BIN_deact_none);
  if (op == PFU_END) tb_hit(s->t, BIN_taken_end), pfu_bins_of_number(s, pfu_regs_count(w->has), BIN_end_none);
}

static void pfu_bins_of_refused(struct sim *s) {
  static const unsigned inactive[] = {0, BIN_refused_deact_inactive, BIN_refused_pref_inactive,
                                      BIN_refused_end_inactive};
  static const unsigned busy[] = {0, BIN_refused_deact_busy, BIN_refused_pref_busy, BIN_refused_end_busy};
  const unsigned op = (unsigned)s->in.command_i;
  const struct warp *w = &s->o.warp[s->in.command_warp_i];
  if (op == PFU_ACTIVATE) {
    tb_hit_if(s->t, !w->active, BIN_refused_act_full);
    tb_hit_if(s->t, w->active && s->o.slots.n, BIN_refused_act_active);
    return;
  }
  tb_hit(s->t, w->active ? busy[op] : inactive[op]);
  if (w->active) tb_hit(s->t, BIN_refused_in_ld + w->step - PFU_LOAD);
}

static void pfu_bins_of_command(struct sim *s) {
  const struct pfu_in *in = &s->in, *was = &s->last;
  tb_hit_if(s->t, !in->command_valid_i,
            s->p.ready ? BIN_ready_without_v_0 + (unsigned)in->command_i : BIN_not_ready_without_v);
  if (s->p.taken) pfu_bins_of_taken(s);
  if (in->command_valid_i && !s->p.taken) pfu_bins_of_refused(s);
  if (!s->now || !was->command_valid_i || s->last_taken) return;
  const bool same = in->command_i == was->command_i && in->command_warp_i == was->command_warp_i &&
                    !memcmp(in->command_registers_i, was->command_registers_i, sizeof in->command_registers_i);
  tb_hit_if(s->t, in->command_valid_i && !same, BIN_c_changes);
  tb_hit_if(s->t, !in->command_valid_i, BIN_c_goes);
}

/* ---- done ---- */

static void pfu_bins_of_told(struct sim *s) {
  static const unsigned of_op[] = {BIN_told_act, BIN_told_deact, BIN_told_pref, BIN_told_end};
  const unsigned told = s->p.told;
  unsigned done = 0;
  for (unsigned i = 0; i < SLOTS; i++) {
    const struct warp *w = pfu_oracle_const_holder(&s->o, i);
    if (!w || w->step != PFU_DONE) continue;
    done++;
    if (w->op == PFU_DEACTIVATE && s->in.start_valid_i) {
      s->late[i]++;
      tb_hit(s->t, s->late[i] > 2 ? BIN_deact_late_long : BIN_deact_late);
      tb_hit_if(s->t, told != NOBODY, BIN_deact_late_beside_told);
    }
    tb_hit_if(s->t, told == i, s->lost[i] ? BIN_told_late : BIN_told_at_once);
    s->lost[i]++;
    if (told == i) s->lost[i] = s->late[i] = 0;
  }
  tb_hit(s->t, BIN_teller_0 + s->o.teller);
  tb_hit_if(s->t, done == 2, BIN_two_done);
  tb_hit_if(s->t, done > 2, BIN_three_done);
  if (told == NOBODY) return;
  const struct warp *w = pfu_oracle_const_holder(&s->o, told);
  tb_hit(s->t, of_op[w->op]);
  tb_hit_if(s->t, s->in.start_valid_i, BIN_st_beside_told);
  tb_hit_if(s->t, told < s->o.teller, BIN_told_wraps);
  tb_hit_if(s->t, told == s->o.teller, BIN_told_at_first);
  tb_hit_if(s->t, (told + 1) % SLOTS == s->o.teller, BIN_told_last);
  tb_hit_if(s->t, pfu_command_releases(w->op) && !s->o.slots.n, BIN_release_with_none_free);
}

/* ---- look-up ---- */

/* The pair that is read in this cycle, of a look-up that has begun or begins. */
static void pfu_bins_of_pair(struct sim *s, unsigned w, const unsigned *r, unsigned n, unsigned pair) {
  static const unsigned in_state[] = {BIN_look_in_idle,  BIN_look_in_ld,   BIN_look_in_evict,
                                      BIN_look_in_alloc, BIN_look_in_wait, BIN_look_in_done};
  const struct warp *x = &s->o.warp[w];
  if (!x->active) {
    tb_hit(s->t, BIN_look_inactive);
    return;
  }
  tb_hit(s->t, in_state[x->step]);
  for (unsigned k = 2 * pair; k < 2 * pair + 2; k++) {
    if (k >= n) {
      tb_hit_if(s->t, x->has[r[k]], BIN_beyond_n);
      continue;
    }
    tb_hit(s->t, (x->has[r[k]] ? BIN_ok_0 : BIN_not_ok_0) + k);
    pfu_hit_register(s, r[k], BIN_look_r_0);
    tb_hit_if(s->t, x->has[r[k]], BIN_look_bank_0 + x->place[r[k]]);
    const enum wish wish = s->p.slot[x->slot].wish;
    const bool leaves = wish == DROP || (wish == BACK && s->p.granted == x->slot);
    const bool comes = s->in.fill_valid_i && s->in.fill_slot_i == x->slot && s->in.fill_register_i == r[k];
    tb_hit_if(s->t, leaves && s->p.slot[x->slot].r == r[k] && x->has[r[k]], BIN_look_as_it_leaves);
    tb_hit_if(s->t, comes || (wish == TAKE && s->p.slot[x->slot].r == r[k]), BIN_look_as_it_comes);
    tb_hit_if(s->t, s->p.told == x->slot && x->op == PFU_END && x->has[r[k]], BIN_look_as_end_is_told);
  }
}

static void pfu_bins_of_result(struct sim *s, const struct look *l) {
  const unsigned last = l->pairs - 1;
  if (l->active[last]) tb_hit(s->t, BIN_look_slot_0 + l->off);
  for (unsigned a = 0; a < l->n; a++) {
    for (unsigned b = a + 1; b < l->n; b++) {
      if (l->r[a] != l->r[b]) continue;
      tb_hit(s->t, BIN_look_same_twice);
      tb_hit_if(s->t, l->ok[a] < l->ok[b], BIN_look_comes_between);
      tb_hit_if(s->t, l->ok[a] > l->ok[b] && l->active[last], BIN_look_leaves_between);
    }
  }
  tb_hit_if(s->t, l->active[0] && !l->active[last], BIN_look_warp_leaves);
  tb_hit_if(s->t, l->active[0] && !l->active[last] && l->ok[0] && l->slot[0], BIN_look_warp_leaves_ok);
  tb_hit_if(s->t, !l->active[0] && l->active[last] && l->off, BIN_look_warp_comes);
  tb_hit_if(s->t, last == 2 && l->active[0] && !l->active[1] && l->active[2] && l->slot[0] != l->off,
            BIN_look_other_slot);
}

static void pfu_bins_of_look_ups(struct sim *s) {
  static const unsigned of_port[] = {
    BIN_look0_1,
#if TB_PARAM(NumPorts) == 4
    BIN_look1_1,
    BIN_look2_1,
    BIN_look3_1,
#endif
  };
  unsigned taken = 0;
  for (unsigned p = 0; p < PORTS; p++) {
    const struct look *l = &s->o.look[p];
    unsigned r[SOURCES];
    if (l->shown) pfu_bins_of_result(s, l);
    if (l->busy) pfu_bins_of_pair(s, l->w, l->r, l->n, l->pairs);
    if (l->busy || !bit_is64(s->in.lookup_valid_i, p)) continue;
    const unsigned n = s->in.lookup_count_i[p];
    for (unsigned k = 0; k < SOURCES; k++) r[k] = s->in.lookup_source_i[p][k];
    pfu_bins_of_pair(s, s->in.lookup_warp_i[p], r, n, 0);
    taken++;
    tb_hit(s->t, of_port[p] + n - 1);
    tb_hit(s->t, l->shown ? BIN_again_1 + l->n - 1 : BIN_look_after_pause);
  }
#if TB_PARAM(NumPorts) == 4
  tb_hit_if(s->t, taken == PORTS, BIN_all_ports_look);
#endif
}

/* ---- issue and writes ---- */

static void pfu_bins_of_issue(struct sim *s) {
  unsigned issues = 0;
  for (unsigned p = 0; p < PORTS; p++) {
    if (!bit_is64(s->in.issue_valid_i, p)) continue;
    const unsigned number = s->in.issue_warp_i[p];
    const struct warp *w = &s->o.warp[number];
    bool dies[REGS] = {false};
    issues++;
    tb_hit(s->t, BIN_issue_0 + p);
    for (unsigned k = 0; k < SOURCES; k++) {
      const unsigned r = s->in.issue_source_i[p][k];
      const bool sv = bit_is64(s->in.issue_source_valid_i[p], k), dead = bit_is64(s->in.issue_dead_i[p], k);
      dies[r] |= sv && dead;
      tb_hit_if(s->t, sv && !w->ws[r], BIN_issue_of_absent);
      if (!w->live[r]) continue;
      tb_hit_if(s->t, sv && dead, BIN_dies_0 + k);
      tb_hit_if(s->t, sv && !dead, BIN_source_not_dead);
      tb_hit_if(s->t, !sv && dead, BIN_dead_without_source);
      if (sv && dead) pfu_hit_register(s, r, BIN_dies_r_0), s->died[number] = true;
    }
    for (unsigned k = 0; k < DESTS; k++) {
      const unsigned r = s->in.issue_destination_i[p][k];
      const bool dv = bit_is64(s->in.issue_destination_valid_i[p], k);
      tb_hit_if(s->t, dv && dies[r], BIN_dies_and_lives);
      tb_hit_if(s->t, dv && !w->live[r], BIN_lives_0 + k);
      tb_hit_if(s->t, !dv && !w->live[r], BIN_dest_without_v);
      if (dv && !w->live[r]) pfu_hit_register(s, r, BIN_lives_r_0);
    }
  }
#if TB_PARAM(NumPorts) == 4
  tb_hit_if(s->t, issues == PORTS, BIN_all_ports_issue);
#endif
}

static void pfu_bins_of_write(struct sim *s, unsigned k) {
  const unsigned number = s->in.result_warp_i[k], r = s->in.result_register_i[k];
  const struct warp *w = &s->o.warp[number];
  if (!bit_is64(s->in.result_valid_i, k)) return;
  tb_hit(s->t, (bit_is64(s->out.result_hit_o, k) ? BIN_in_0 : BIN_out_0) + k);
  pfu_hit_register(s, r, BIN_write_r_0);
  tb_hit_if(s->t, s->now && pfu_result_names(&s->last, k, number, r), BIN_write_stays);
  if (!w->active) {
    tb_hit(s->t, BIN_write_inactive);
    return;
  }
  if (w->has[r]) {
    tb_hit(s->t, BIN_write_slot_0 + w->slot);
    tb_hit(s->t, BIN_write_bank_0 + w->place[r]);
    tb_hit_if(s->t, w->step == PFU_EVICT, BIN_write_in_evict);
    tb_hit_if(s->t,
              s->last_fr && s->last.fill_slot_i == w->slot && s->last.fill_register_i == r &&
                  pfu_register_is_written(&s->last, number, r),
              BIN_write_after_fr);
    return;
  }
  tb_hit_if(s->t, !w->comes[r] && !w->ws[r], BIN_write_left);
  tb_hit_if(s->t, w->comes[r], BIN_write_comes);
  tb_hit_if(s->t, w->comes[r] && s->in.fill_valid_i && s->in.fill_slot_i == w->slot && s->in.fill_register_i == r,
            BIN_write_as_fr);
  tb_hit_if(s->t, w->step == PFU_ALLOCATE && s->p.granted == w->slot && s->p.slot[w->slot].r == r,
            BIN_write_as_it_is_taken);
}

static void pfu_bins_of_writes(struct sim *s) {
  bool one = true;
  for (unsigned k = 0; k < WRITES; k++) {
    pfu_bins_of_write(s, k);
    one &= bit_is64(s->in.result_valid_i, k) && s->in.result_warp_i[k] == s->in.result_warp_i[0];
  }
  tb_hit_if(s->t, s->in.result_valid_i == (1u << WRITES) - 1, BIN_four_writes);
  tb_hit_if(s->t, one, BIN_four_of_one_warp);
}

static void pfu_bins_of_start(struct sim *s) {
  const unsigned w = (unsigned)s->in.start_warp_i;
  bool live[REGS];
  if (!s->in.start_valid_i) return;
  pfu_regs_from_port(live, s->in.start_live_i);
  tb_hit_if(s->t, pfu_regs_count(live) == 0, BIN_st_none_live);
  tb_hit_if(s->t, pfu_regs_count(live) == REGS, BIN_st_all_live);
  tb_hit_if(s->t, s->starts[w], BIN_st_again);
  tb_hit_if(s->t, s->last_told == w, BIN_st_behind_told);
}

static void pfu_bins_of_cycle(struct sim *s) {
  const struct pfu_in *in = &s->in;
  for (unsigned i = 0; i < SLOTS; i++) {
    const struct warp *w = pfu_oracle_const_holder(&s->o, i);
    pfu_bins_of_state(s, i);
    if (!w) continue;
    pfu_bins_of_wait(s, i, w);
    pfu_bins_of_nothing(s, i, w);
    pfu_bins_of_move(s, i, w);
  }
  tb_hit_if(s->t, !s->o.slots.n, BIN_all_taken);
  tb_hit_if(s->t, !pfu_queue_in_order(&s->o.slots), BIN_slots_out_of_order);
  pfu_bins_of_grant(s);
  pfu_bins_of_fill(s);
  pfu_bins_of_command(s);
  pfu_bins_of_told(s);
  pfu_bins_of_look_ups(s);
  pfu_bins_of_issue(s);
  pfu_bins_of_writes(s);
  pfu_bins_of_start(s);
  const bool none = !in->lookup_valid_i && !in->issue_valid_i && !in->result_valid_i && !in->start_valid_i &&
                    !in->command_valid_i && !in->fill_valid_i;
  tb_hit_if(s->t,
            none && ANY(in->lookup_warp_i) && ANY(in->issue_source_valid_i) && ANY(in->issue_dead_i) &&
                ANY(in->result_register_i) && in->command_warp_i && in->fill_register_i,
            BIN_junk_without_valid);
  tb_hit_if(s->t, none && s->o.slots.n < SLOTS, BIN_nothing_at_all);
}

/* What later bins need to know of this cycle; before the edge. */
static void pfu_bins_remember(struct sim *s) {
  const struct pfu_in *in = &s->in;
  const unsigned w = (unsigned)in->command_warp_i;
  s->none_free = !s->o.slots.n;
  s->last_told = NOBODY;
  if (in->start_valid_i)
    s->starts[in->start_warp_i]++, s->kept[in->start_warp_i] = s->by_issue[in->start_warp_i] = false;
  if (s->p.told != NOBODY) {
    const unsigned number = s->o.slot[s->p.told].warp;
    const struct warp *x = &s->o.warp[number];
    s->last_told = number;
    if (x->op == PFU_DEACTIVATE)
      s->kept[number] = true, s->was_slot[number] = s->p.told, s->by_issue[number] = s->died[number];
    if (x->op == PFU_END) s->ended[number] = true, s->kept[number] = s->by_issue[number] = false;
  }
  if (s->p.taken) {
    const unsigned slot = in->command_i == PFU_ACTIVATE ? pfu_queue_first(&s->o.slots) : s->o.warp[w].slot;
    memset(s->went_back[slot], 0, sizeof s->went_back[slot]);
    if (in->command_i == PFU_ACTIVATE) s->ever[slot] = true, s->starts[w] = 0, s->ended[w] = s->died[w] = false;
    s->held[slot] = 0, s->fetched[slot] = false;
  }
  if (s->p.granted != NOBODY) s->fetched[s->p.granted] = s->p.slot[s->p.granted].wish == FETCH;
  s->before = s->out;
  s->last = *in, s->last_taken = s->p.taken, s->last_fr = in->fill_valid_i;
}

#endif
