/* SPDX-License-Identifier: Apache-2.0 */
/* Part of ccu's bench: coverage bins and what counts them, after each edge: from the oracle before it, inputs and deeds. */
#ifndef RT_TB_CCU_BINS_H
#define RT_TB_CCU_BINS_H

#include "ccu_user.h"
#include "lists.h"

#define OF_ENTRIES(B, p) TB_LIST(TB_PARAM(NumEntries), B, p)

// clang-format off
#if TB_PARAM(Cache) && TB_PARAM(Near)
/* pickN_P: position P of N far entries; al_laterN_P, d_laterN_P: by the LFSR, not the seed. al_, d_: of an allocation, of a result. */
#define OF_POSITIONS(B, p)                                                                                       \
  B(p##1_0) TB_2(B, p##2_) TB_3(B, p##3_) TB_4(B, p##4_) TB_5(B, p##5_) TB_6(B, p##6_) TB_7(B, p##7_) TB_8(B, p##8_)
#define OF_VICTIMS(B)                                                                                            \
  OF_POSITIONS(B, pick) OF_POSITIONS(B, d_later) OF_POSITIONS(B, al_later)                                         \
  B(pick_by_seed) B(pick_by_seed_0) B(pick_later) B(pick_by_allocation) B(pick_by_d)               \
  B(two_picks) B(no_pick_with_far) B(no_pick_without_far) B(far_wraps) B(far_two) B(far_six)                     \
  OF_ENTRIES(B, far_entry_) B(d_far) B(al_far) B(al_empty_far) B(al_far_old) B(al_empty_far_old)
#elif TB_PARAM(Cache)
#define OF_VICTIMS(B) B(old_far) B(old_near)
#else
#define OF_VICTIMS(B)
#endif
#if TB_PARAM(Cache) && TB_PARAM(Filter)
#define OF_FILTER(B) B(d_dropped_far)
#elif TB_PARAM(Cache)
#define OF_FILTER(B) B(d_enters_far)
#else
#define OF_FILTER(B)
#endif
#if TB_PARAM(Cache)
/* atK_E: slot K gets entry E. old_rankN: a victim that was the (N + 1)th newest. d_A_B: near was A, becomes B. */
#define OF_CACHE(B)                                                                                              \
  OF_ENTRIES(B, at0_) OF_ENTRIES(B, at1_) OF_ENTRIES(B, at2_) OF_ENTRIES(B, at3_) OF_ENTRIES(B, at4_)             \
  OF_ENTRIES(B, at5_) TB_7(B, hits_) TB_7(B, misses_) B(hits_and_misses) B(keeps) B(flushes) B(flushes_near)      \
  B(twice_hit) B(twice_missed) B(twice_hit_near_differs) B(twice_missed_near_differs) B(six_of_one_hit)         \
  B(six_of_one_missed) B(hit_between_misses) B(near_set) B(near_cleared)                                        \
  B(fills_two) B(fills_six) B(empty_with_old_tag) B(near_not_valid) B(any_not_near) B(any_near) B(none_of_owner) \
  OF_ENTRIES(B, d_hit_) OF_ENTRIES(B, d_enters_) TB_8(B, d_rank_) TB_32(B, d_lane_) TB_32(B, d_but_lane_)          \
  B(d_hit_all) B(d_hit_some) B(d_hit_none) B(d_0_0) B(d_0_1) B(d_1_0) B(d_1_1) B(d_dropped_some)                \
  B(d_dropped_none) B(d_of_other) B(d_of_nobody) B(d_enters_busy) B(d_enters_six_locked) B(d_hit_busy)          \
  B(d_enters_at_take) B(d_hit_at_take) B(d_empty) B(d_old) B(d_enters_as_owner_ends) B(d_of_next_owner)         \
  OF_RESULTS(B, sn_lane_) OF_ENTRIES(B, sn_entry_) B(sn_near) B(sn_far) B(sn_missed) B(sn_of_other) B(sn_of_nobody)  \
  B(sn_two) B(sn_busy) B(sn_at_take) B(sn_of_replaced) B(sn_room_too_late) B(sn_as_owner_ends) B(sn_beside_d_hit) \
  B(al_hits_entered) B(al_hits_written) B(al_misses_snooped) B(al_misses_replaced)                              \
  OF_ENTRIES(B, empty_entry_) OF_ENTRIES(B, old_entry_) B(old_rank1) B(old_rank2) B(old_rank3) B(old_rank4)      \
  B(old_rank5) B(old_rank6) B(old_rank7) B(old_not_oldest) B(al_empty) B(al_old) B(al_empty_old) B(victims_six)    \
  OF_VICTIMS(B) OF_FILTER(B)
#else
#define OF_CACHE(B) B(twice) B(six_of_one) B(d_of_slot) B(sn_of_slot) B(d_of_awaited)
#endif
/* low_, high_: registers 0 to 127, 128 to 255, that are asked for. */
#define BINS(B)                                                                                                 \
  TB_128(B, low_) TB_128(B, high_) TB_6(B, exists_) TB_6(B, absent_) TB_6(B, asks_) TB_6(B, fills_)                   \
  TB_7(B, sources_) OF_ENTRIES(B, s_) OF_ENTRIES(B, last_s_) OF_WARPS(B, owner_) OF_WARPS(B, ends_free_)         \
  OF_WARPS(B, ends_at_take_) OF_WARPS(B, other_ends_) B(ends_of_nobody) B(all_end)                              \
  B(s_beside_rq) B(s_late) B(s_in_turn) B(s_then_pause) B(s_beside_d) B(s_beside_sn) B(s_beside_exit)           \
  B(taken_at_once) B(taken_late) B(taken_very_late) B(taken_behind_al) B(taken_beside_d) B(taken_beside_sn)     \
  B(al_behind_take) B(al_behind_exit) B(al_same) B(al_other) B(al_unowned_same) B(al_unowned_other)            \
  B(al_beside_d) B(al_beside_sn) B(al_beside_exit_same) B(al_beside_exit_other) B(al_beside_all)                \
  B(take_beside_all) B(s_beside_all)                                                                           \
  B(reset_free) B(reset_owned) B(reset_asks) B(reset_waits) B(reset_half) B(reset_complete) B(reset_after_pick)  \
  B(junk_free) B(junk_busy) OF_CACHE(B)
// clang-format on
TB_BINS(BINS)

static unsigned ccu_count_bits(uint64_t x) { return (unsigned)__builtin_popcountll(x); }
static unsigned ccu_snoop_of_lane(const struct sim *s, unsigned l, unsigned *w) {
  *w = s->in.snoop_warp_i[l];
  return s->in.snoop_register_i[l];
}

/* ---- allocation, operands, dispatch, exit: with and without the cache ---- */

static void ccu_bins_of_allocation(struct sim *s, const struct oracle *was) {
  const struct ccu_in *in = &s->in;
  const struct deed *d = &s->d;
  if (!d->allocates) return;
  tb_hit(s->t, BIN_sources_0 + ccu_count_bits(in->allocate_source_i));
  for (unsigned k = 0; k < SLOTS; k++)
    tb_hit(s->t, (bit_is64(in->allocate_source_i, k) ? BIN_exists_0 : BIN_absent_0) + k);
  tb_hit(s->t, BIN_owner_0 + s->o.owner);
  tb_hit(s->t, d->unowned ? (d->same ? BIN_al_unowned_same : BIN_al_unowned_other)
               : d->same  ? BIN_al_same
                          : BIN_al_other);
  tb_hit_if(s->t, s->before.taken, BIN_al_behind_take);
  tb_hit_if(s->t, s->before.ends, BIN_al_behind_exit);
  tb_hit_if(s->t, in->cache_valid_i, BIN_al_beside_d);
  tb_hit_if(s->t, in->snoop_valid_i, BIN_al_beside_sn);
  tb_hit_if(s->t, d->ends, d->same ? BIN_al_beside_exit_same : BIN_al_beside_exit_other);
  tb_hit_if(s->t, d->ends && in->cache_valid_i && in->cache_warp_i == was->owner && in->snoop_valid_i,
            BIN_al_beside_all);
}

static void ccu_bins_of_s(struct sim *s, const struct oracle *was) {
  const struct ccu_in *in = &s->in;
  bool asks = false;
  for (unsigned k = 0; k < SLOTS; k++) {
    if (was->slot[k].asks) {
      const unsigned r = was->entry[was->slot[k].at].r;
      tb_hit(s->t, (r < 128 ? BIN_low_0 : BIN_high_0) + r % 128);
      tb_hit(s->t, BIN_asks_0 + k);
      asks = true;
    }
    tb_hit_if(s->t, s->d.filled >> k & 1, BIN_fills_0 + k);
  }
  tb_hit_if(s->t, s->s_before && !in->operand_valid_i && !ccu_oracle_is_complete(was) && was->busy, BIN_s_then_pause);
  if (!in->operand_valid_i) return;
  tb_hit(s->t, BIN_s_0 + (unsigned)in->operand_entry_i);
  tb_hit_if(s->t, ccu_oracle_is_complete(&s->o), BIN_last_s_0 + (unsigned)in->operand_entry_i);
  tb_hit(s->t, asks ? BIN_s_beside_rq : BIN_s_late);
  tb_hit_if(s->t, s->s_before, BIN_s_in_turn);
  tb_hit_if(s->t, in->cache_valid_i, BIN_s_beside_d);
  tb_hit_if(s->t, in->snoop_valid_i, BIN_s_beside_sn);
  tb_hit_if(s->t, in->exit_warps_i, BIN_s_beside_exit);
  tb_hit_if(s->t, in->exit_warps_i && in->cache_valid_i && in->snoop_valid_i, BIN_s_beside_all);
}

static void ccu_bins_of_dispatch(struct sim *s) {
  const struct ccu_in *in = &s->in;
  if (!s->d.taken) return;
  tb_hit(s->t, s->waits == 1 ? BIN_taken_at_once : s->waits < 10 ? BIN_taken_late : BIN_taken_very_late);
  tb_hit_if(s->t, s->before.allocates, BIN_taken_behind_al);
  tb_hit_if(s->t, in->cache_valid_i, BIN_taken_beside_d);
  tb_hit_if(s->t, in->snoop_valid_i, BIN_taken_beside_sn);
  tb_hit_if(s->t, s->d.ends && in->cache_valid_i && in->snoop_valid_i, BIN_take_beside_all);
}

static void ccu_bins_of_exit(struct sim *s, const struct oracle *was) {
  const uint64_t m = s->in.exit_warps_i;
  tb_hit_if(s->t, ccu_count_bits(m) == WARPS, BIN_all_end);
  tb_hit_if(s->t, m >> was->owner & 1 && !was->owned, BIN_ends_of_nobody);
  for (unsigned w = 0; w < WARPS; w++)
    tb_hit_if(s->t, m >> w & 1 && was->owned && was->owner != w, BIN_other_ends_0 + w);
  if (s->d.ends) tb_hit(s->t, (s->d.taken ? BIN_ends_at_take_0 : BIN_ends_free_0) + was->owner);
}

/* All valids are 0, and the payloads would do something. */
static void ccu_bins_of_junk(struct sim *s, const struct oracle *was) {
  const struct ccu_in *in = &s->in;
  if (in->allocate_valid_i || in->operand_valid_i || in->cache_valid_i || in->snoop_valid_i || in->exit_warps_i ||
      in->dispatch_take_i)
    return;
  tb_hit_if(s->t, !was->busy && was->owned && in->allocate_warp_i != was->owner && in->allocate_source_i,
            BIN_junk_free);
  tb_hit_if(s->t,
            was->busy && in->cache_warp_i == was->owner && ccu_oracle_is_awaited(was, (unsigned)in->operand_entry_i),
            BIN_junk_busy);
}

static void ccu_bins_of_reset(struct sim *s) {
  const struct oracle *o = &s->o;
  bool asks = false, here = false, waits = false;
  for (unsigned k = 0; k < SLOTS; k++) {
    const struct slot *x = &o->slot[k];
    asks |= x->asks, here |= x->here, waits |= x->exists && !x->here;
  }
  tb_hit_if(s->t, !o->owned, BIN_reset_free);
  tb_hit_if(s->t, o->owned && !o->busy, BIN_reset_owned);
  tb_hit_if(s->t, asks, BIN_reset_asks);
  tb_hit_if(s->t, waits && !asks && !here, BIN_reset_waits);
  tb_hit_if(s->t, waits && !asks && here, BIN_reset_half);
  tb_hit_if(s->t, ccu_oracle_is_complete(o), BIN_reset_complete);
  tb_hit_if(s->t, o->random || !CACHE || !NEAR, BIN_reset_after_pick);
}

#if TB_PARAM(Cache)

/* ---- the cache: hits and misses ---- */

static void ccu_bins_of_state(struct sim *s, const struct oracle *was) {
  bool any = false, near = false, near_not_valid = false;
  for (unsigned e = 0; e < ENTRIES; e++) {
    const struct entry *x = &was->entry[e];
    any |= x->valid, near |= x->valid && x->near, near_not_valid |= !x->valid && x->near;
  }
  tb_hit_if(s->t, near_not_valid && !near, BIN_near_not_valid);
  tb_hit_if(s->t, any && !near, BIN_any_not_near);
  tb_hit_if(s->t, near, BIN_any_near);
  tb_hit_if(s->t, was->owned && !any, BIN_none_of_owner);
}

/* Two slots with one register. */
static void ccu_bins_of_twice(struct sim *s) {
  const struct ccu_in *in = &s->in;
  bool one = in->allocate_source_i == (1u << SLOTS) - 1;
  for (unsigned k = 0; k < SLOTS; k++) {
    one &= in->allocate_register_i[k] == in->allocate_register_i[0];
    for (unsigned i = 0; i < k; i++) {
      if (!bit_is64(in->allocate_source_i, i) || !bit_is64(in->allocate_source_i, k)) continue;
      if (in->allocate_register_i[i] != in->allocate_register_i[k]) continue;
      const bool here = s->o.slot[k].here,
                 differs = bit_is64(in->allocate_near_i, i) != bit_is64(in->allocate_near_i, k);
      tb_hit(s->t, here ? BIN_twice_hit : BIN_twice_missed);
      tb_hit_if(s->t, differs, here ? BIN_twice_hit_near_differs : BIN_twice_missed_near_differs);
    }
  }
  tb_hit_if(s->t, one, s->d.hits ? BIN_six_of_one_hit : BIN_six_of_one_missed);
}

static void ccu_bins_of_sources(struct sim *s, const struct oracle *was) {
  const struct ccu_in *in = &s->in;
  const struct deed *d = &s->d;
  bool missed = false, between = false;
  for (unsigned k = 0; k < SLOTS; k++) {
    const struct slot *x = &s->o.slot[k];
    const unsigned r = in->allocate_register_i[k];
    if (!x->exists) continue;
    tb_hit(s->t, BIN_at0_0 + k * ENTRIES + x->at);
    tb_hit_if(s->t, x->here && was->entry[x->at].near != bit_is64(in->allocate_near_i, k),
              was->entry[x->at].near ? BIN_near_cleared : BIN_near_set);
    tb_hit_if(s->t, !x->here && between, BIN_hit_between_misses);
    missed |= !x->here, between |= x->here && missed;
    tb_hit_if(s->t, x->here && d->d == D_ENTERS && d->d_entry == x->at, BIN_al_hits_entered);
    tb_hit_if(s->t, x->here && d->d == D_HIT && d->d_entry == x->at, BIN_al_hits_written);
    if (x->here || d->flushes) continue;
    tb_hit_if(s->t, d->d == D_ENTERS && d->d_replaced == r, BIN_al_misses_replaced);
    for (unsigned l = 0; l < LANES; l++) {
      tb_hit_if(s->t, d->snooped >> l & 1 && in->snoop_register_i[l] == r, BIN_al_misses_snooped);
    }
    for (unsigned e = 0; e < ENTRIES; e++) {
      tb_hit_if(s->t, was->owned && !was->entry[e].valid && was->entry[e].r == r, BIN_empty_with_old_tag);
    }
  }
}

static void ccu_bins_of_look_up(struct sim *s, const struct oracle *was) {
  const struct deed *d = &s->d;
  bool any = false, near = false;
  if (!d->allocates) return;
  for (unsigned e = 0; e < ENTRIES; e++) {
    any |= was->entry[e].valid, near |= was->entry[e].valid && was->entry[e].near;
  }
  tb_hit(s->t, BIN_hits_0 + d->hits);
  tb_hit(s->t, BIN_misses_0 + d->misses);
  tb_hit_if(s->t, d->hits && d->misses, BIN_hits_and_misses);
  tb_hit_if(s->t, any && !d->flushes, BIN_keeps);
  tb_hit_if(s->t, any && d->flushes, BIN_flushes);
  tb_hit_if(s->t, near && d->flushes, BIN_flushes_near);
  ccu_bins_of_twice(s);
  ccu_bins_of_sources(s, was);
}

/* ---- the cache: victims ---- */

#if TB_PARAM(Near)
static void ccu_bins_of_pick(struct sim *s, const struct choice *c, bool by_d, unsigned empty) {
  unsigned far = 0, old = 0;
  for (unsigned i = 0; i < c->n; i++) {
    far += c->why[i] == FAR, old += c->why[i] == OLD;
    tb_hit_if(s->t, c->why[i] == FAR, BIN_far_entry_0 + c->entry[i]);
  }
  tb_hit_if(s->t, c->n && c->fars && !c->picked, BIN_no_pick_with_far);
  tb_hit_if(s->t, old && !c->fars, BIN_no_pick_without_far);
  if (!c->picked) return;
  tb_hit(s->t, BIN_pick1_0 + c->fars * (c->fars - 1) / 2 + c->p);
  tb_hit(s->t, !c->seeded ? BIN_pick_later : s->in.seed_i ? BIN_pick_by_seed : BIN_pick_by_seed_0);
  if (!c->seeded) tb_hit(s->t, (by_d ? BIN_d_later1_0 : BIN_al_later1_0) + c->fars * (c->fars - 1) / 2 + c->p);
  tb_hit(s->t, by_d ? BIN_pick_by_d : BIN_pick_by_allocation);
  tb_hit_if(s->t, far > c->fars - c->p, BIN_far_wraps);
  tb_hit_if(s->t, far == 2, BIN_far_two);
  tb_hit_if(s->t, far == 6, BIN_far_six);
  if (by_d) {
    tb_hit(s->t, BIN_d_far);
  } else {
    tb_hit(s->t, empty ? (old ? BIN_al_empty_far_old : BIN_al_empty_far) : old ? BIN_al_far_old : BIN_al_far);
  }
}
#else
static void ccu_bins_of_pick(struct sim *s, const struct choice *c, bool by_d, unsigned empty) {
  (void)by_d, (void)empty;
  for (unsigned i = 0; i < c->n; i++) {
    if (c->why[i] == OLD) tb_hit(s->t, c->near[i] ? BIN_old_near : BIN_old_far);
  }
}
#endif

static void ccu_bins_of_choice(struct sim *s, const struct choice *c, bool by_d) {
  unsigned empty = 0, far = 0, old = 0;
  if (!c->n) return;
  for (unsigned i = 0; i < c->n; i++) {
    empty += c->why[i] == EMPTY, far += c->why[i] == FAR, old += c->why[i] == OLD;
    tb_hit_if(s->t, c->why[i] == EMPTY, BIN_empty_entry_0 + c->entry[i]);
    if (c->why[i] != OLD) continue;
    tb_hit(s->t, BIN_old_entry_0 + c->entry[i]);
    tb_hit(s->t, BIN_old_rank1 + c->rank[i] - 1);
  }
  tb_hit_if(s->t, old && c->rank[c->n - old] != ENTRIES - 1, BIN_old_not_oldest);
  tb_hit_if(s->t, c->n == 6, BIN_victims_six);
  ccu_bins_of_pick(s, c, by_d, empty);
  if (far) return;
  if (by_d) {
    tb_hit(s->t, empty ? BIN_d_empty : BIN_d_old);
  } else {
    tb_hit(s->t, empty ? (old ? BIN_al_empty_old : BIN_al_empty) : BIN_al_old);
  }
}

/* ---- the cache: results ---- */

static void ccu_bins_of_d(struct sim *s, const struct oracle *was) {
  const struct ccu_in *in = &s->in;
  const struct deed *d = &s->d;
  const unsigned lanes = ccu_count_bits(in->cache_lanes_i);
  const bool near = in->cache_near_i;
  bool known = false;
  for (unsigned e = 0; e < ENTRIES; e++) known |= was->entry[e].valid && was->entry[e].r == in->cache_register_i;
  tb_hit_if(s->t, d->d == D_OF_OTHER && known, BIN_d_of_other);
  tb_hit_if(s->t, d->d == D_OF_OTHER && d->allocates && in->allocate_warp_i == in->cache_warp_i, BIN_d_of_next_owner);
  tb_hit_if(s->t, d->d == D_OF_NOBODY && in->cache_warp_i == was->owner, BIN_d_of_nobody);
  if (d->d == D_DROPPED) {
    tb_hit_if(s->t, lanes < WORDS && near, lanes ? BIN_d_dropped_some : BIN_d_dropped_none);
#if TB_PARAM(Filter)
    tb_hit_if(s->t, lanes == WORDS, BIN_d_dropped_far);
#endif
  }
  if (d->d != D_HIT && d->d != D_ENTERS) return;
  tb_hit(s->t, BIN_d_rank_0 + d->d_rank);
  if (d->d == D_HIT) {
    tb_hit(s->t, BIN_d_hit_0 + d->d_entry);
    tb_hit(s->t, lanes == WORDS ? BIN_d_hit_all : lanes ? BIN_d_hit_some : BIN_d_hit_none);
    tb_hit(s->t, BIN_d_0_0 + 2 * d->d_was_near + near);
    if (lanes == 1) tb_hit(s->t, BIN_d_lane_0 + (unsigned)__builtin_ctz((uint32_t)in->cache_lanes_i));
    if (lanes == WORDS - 1) tb_hit(s->t, BIN_d_but_lane_0 + (unsigned)__builtin_ctz(~(uint32_t)in->cache_lanes_i));
    tb_hit_if(s->t, was->busy, d->taken ? BIN_d_hit_at_take : BIN_d_hit_busy);
    tb_hit_if(s->t, d->snooped, BIN_sn_beside_d_hit);
    return;
  }
  unsigned locked = 0;
  for (unsigned e = 0; e < ENTRIES; e++) locked += was->entry[e].locked;
  tb_hit(s->t, BIN_d_enters_0 + d->d_entry);
  tb_hit_if(s->t, was->busy, d->taken ? BIN_d_enters_at_take : BIN_d_enters_busy);
  tb_hit_if(s->t, locked == 6, BIN_d_enters_six_locked);
  tb_hit_if(s->t, d->ends, BIN_d_enters_as_owner_ends);
#if !TB_PARAM(Filter)
  tb_hit_if(s->t, !near, BIN_d_enters_far);
#endif
}

static void ccu_bins_of_snoop(struct sim *s, const struct oracle *was) {
  const struct deed *d = &s->d;
  for (unsigned l = 0; l < LANES; l++) {
    unsigned w, r = ccu_snoop_of_lane(s, l, &w);
    bool known = false;
    if (!bit_is64(s->in.snoop_valid_i, l)) continue;
    for (unsigned e = 0; e < ENTRIES; e++) known |= was->entry[e].valid && was->entry[e].r == r;
    tb_hit_if(s->t, !was->owned && w == was->owner, BIN_sn_of_nobody);
    if (!was->owned) continue;
    tb_hit_if(s->t, w != was->owner && known, BIN_sn_of_other);
    if (w != was->owner) continue;
    tb_hit_if(s->t, d->d == D_ENTERS && d->d_replaced == r, BIN_sn_of_replaced);
    if (!(d->snooped >> l & 1)) {
      tb_hit(s->t, BIN_sn_missed);
      continue;
    }
    const unsigned e = d->snoop_at[l];
    tb_hit(s->t, BIN_sn_lane_0 + l);
    tb_hit(s->t, BIN_sn_entry_0 + e);
    tb_hit(s->t, was->entry[e].near ? BIN_sn_near : BIN_sn_far);
    tb_hit_if(s->t, was->busy, d->taken ? BIN_sn_at_take : BIN_sn_busy);
    tb_hit_if(s->t, d->ends, BIN_sn_as_owner_ends);
    tb_hit_if(s->t, d->d == D_ENTERS && d->d_choice.why[0] != EMPTY && e != d->d_entry, BIN_sn_room_too_late);
  }
  tb_hit_if(s->t, ccu_count_bits(d->snooped) > 1, BIN_sn_two);
}

static void ccu_bins_of_cache(struct sim *s, const struct oracle *was) {
  const unsigned filled = ccu_count_bits(s->d.filled);
  tb_hit_if(s->t, filled == 2, BIN_fills_two);
  tb_hit_if(s->t, filled == SLOTS, BIN_fills_six);
  ccu_bins_of_state(s, was);
  ccu_bins_of_look_up(s, was);
  ccu_bins_of_d(s, was);
  ccu_bins_of_snoop(s, was);
  ccu_bins_of_choice(s, &s->d.d_choice, true);
  ccu_bins_of_choice(s, &s->d.choice, false);
#if TB_PARAM(Near)
  tb_hit_if(s->t, s->d.d_choice.picked && s->d.choice.picked, BIN_two_picks);
#endif
}

#else

/* Without the cache: registers twice in an instruction, and results that would be taken or snooped. */
static void ccu_bins_of_cache(struct sim *s, const struct oracle *was) {
  const struct ccu_in *in = &s->in;
  bool one = in->allocate_source_i == (1u << SLOTS) - 1, twice = false;
  for (unsigned k = 0; k < SLOTS; k++) {
    const struct slot *x = &was->slot[k];
    const unsigned r = was->entry[x->at].r;
    one &= in->allocate_register_i[k] == in->allocate_register_i[0];
    for (unsigned i = 0; i < k; i++) {
      twice |= bit_is64(in->allocate_source_i, i) && bit_is64(in->allocate_source_i, k) &&
               in->allocate_register_i[i] == in->allocate_register_i[k];
    }
    if (!x->exists) continue;
    const bool d = in->cache_valid_i && in->cache_warp_i == was->owner && in->cache_register_i == r &&
                   in->cache_lanes_i == UINT32_MAX;
    tb_hit_if(s->t, d, x->here ? BIN_d_of_slot : BIN_d_of_awaited);
    for (unsigned l = 0; l < LANES; l++) {
      unsigned w, of = ccu_snoop_of_lane(s, l, &w);
      tb_hit_if(s->t, bit_is64(in->snoop_valid_i, l) && w == was->owner && of == r, BIN_sn_of_slot);
    }
  }
  tb_hit_if(s->t, s->d.allocates && twice, BIN_twice);
  tb_hit_if(s->t, s->d.allocates && one, BIN_six_of_one);
}

#endif

static void ccu_bins_of_cycle(struct sim *s, const struct oracle *was) {
  ccu_bins_of_allocation(s, was);
  ccu_bins_of_s(s, was);
  ccu_bins_of_dispatch(s);
  ccu_bins_of_exit(s, was);
  ccu_bins_of_junk(s, was);
  ccu_bins_of_cache(s, was);
}

#endif
