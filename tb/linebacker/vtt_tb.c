/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of vtt: requests for a few lines of a few sets, so that they meet; holds with every change of mode and active
 * VPs; kernels that start at any time. Its prediction of every output and register is in vtt_oracle.h.
 * docs/blocks/linebacker/vtt.md
 */
#include "blocks/linebacker/vtt.h"
#include "tb.h"

#define EXPECT vtt
#define EXPECT_DEF "blocks/linebacker/vtt.def"
#include "expect.h"
#include "vtt_oracle.h"

#define OF_VPS(B, p) TB_LIST(TB_PARAM(NumPartitions), B, p)
#define OF_TAG(B, p) TB_LIST(TB_PARAM(TagW), B, p)
#if TB_PARAM(NumPartitions) > 1
#define WITH_2_VPS(B) B(more_vps) B(fewer_vps) B(keeps_lines) B(hit_kept) B(oldest_untouched)
#else
#define WITH_2_VPS(B)
#endif
#if TB_PARAM(NumPartitions) > 2
#define WITH_3_VPS(B) B(ready_before_its_elder)
#else
#define WITH_3_VPS(B)
#endif
#if TB_PARAM(SearchInterval) > 1
#define WITH_REST(B) B(invalidate_refused_rest) B(insert_refused_rest) B(lookup_refused_rest) B(hold_waits_rest)
#else
#define WITH_REST(B)
#endif
/*
 * The number after pair_, line_, gap_, closest_ and closest_line_ is 3 x the earlier request + the later one, of
 * invalidate 0, insert 1, look-up 2: two in consecutive cycles of mode 0 of one set, of one line, with one cycle
 * between, and in mode 1 as close as possible. That after mode_ is 3 x the mode before + the one after. A request
 * is counted as refused for a reason when it was the only one.
 */
/* clang-format off */
#define BINS(B)                                                                                               \
  OF_VPS(B, hit_vp_) OF_VPS(B, hit_after_vps_) OF_VPS(B, probe_vp_) OF_VPS(B, insert_vp_)                     \
  OF_VPS(B, evict_vp_) OF_VPS(B, lowest_vp_) OF_TAG(B, tag_bit_) TB_16(B, sets_) B(first_set) B(last_set)     \
  TB_10(B, count_) B(own_monitor) B(invalid_monitor) B(oldest_monitor) B(own_selected) B(invalid_selected)    \
  B(oldest_selected) B(dropped_off) B(dropped_selected) B(own_beside_invalid) B(invalid_below_valid)          \
  B(oldest_is_low) B(evicted_asked) B(first_way) B(last_way) B(probe_hit) B(probe_miss) B(probe_off) B(hit)   \
  B(miss) B(miss_without_vps) B(hit_newest) B(hit_oldest) B(hit_between) B(invalidate_hit_monitor)            \
  B(invalidate_miss_monitor) B(invalidate_hit_selected) B(invalidate_miss_selected) B(invalidate_off)         \
  B(invalidate_oldest) B(invalidate_refused_sweep) B(invalidate_refused_start) B(invalidate_refused_hold)     \
  B(insert_refused_sweep) B(insert_refused_start) B(insert_refused_invalidate) B(insert_refused_full)         \
  B(lookup_refused_sweep) B(lookup_refused_start) B(lookup_refused_hold) B(lookup_refused_invalidate)         \
  B(lookup_refused_insert) B(lookup_refused_but_one) B(lookup_refused_full) B(insert_passes_hold)             \
  B(insert_passes_invalidate) B(insert_passes_hold_done) B(insert_takes_last) B(enters_and_leaves_at_1)       \
  B(enters_and_leaves_but_one) B(lookup_changes) B(lookup_goes) B(insert_changes) B(insert_goes)              \
  B(taken_at_once) B(held) B(held_long) B(ready_when_first) B(first_when_ready) B(taken_behind_taken)         \
  B(three_in_turn) TB_9(B, pair_) TB_9(B, line_) TB_9(B, gap_) TB_9(B, closest_) TB_9(B, closest_line_)       \
  TB_9(B, mode_) B(same_vps) B(first_vps) B(no_vps_left) B(none_to_none) B(drops_lines)                       \
  B(highest_just_below) B(highest_at_first) B(highest_0) B(highest_2047) B(hold_waits_count)                  \
  B(hold_waits_access_pending) B(hold_waits_insert) B(hold_at_once) B(hold_in_start_sweep)                    \
  B(hold_falls_with_hold_done) B(hold_falls_later) B(hold_again_at_once) B(decides_behind_request)            \
  B(junk_in_sweep) B(target_changes_before) B(access_pending_without_hold) B(invalidate_behind_sweep)         \
  B(insert_behind_sweep) B(lookup_behind_sweep) B(start_in_monitor) B(start_in_selected) B(start_in_off)      \
  B(start_in_start_sweep) B(start_in_hold_sweep) B(start_in_last_row_of_start) B(start_in_last_row_of_hold)   \
  B(start_in_first_row_of_hold) B(start_at_decision) B(start_beside_hold_done) B(start_beside_hold)           \
  B(start_as_hold_falls) B(start_behind_start) B(start_behind_insert) B(start_behind_lookup)                  \
  B(start_behind_invalidate) B(start_behind_row_0) B(start_beside_take) B(start_drops_shown)                  \
  B(start_drops_unready) B(start_full) B(reset_with_queue) B(reset_in_sweep) B(reset_in_selected)             \
  B(reset_with_hold_done) B(whole_table) B(junk_without_valid) WITH_2_VPS(B) WITH_3_VPS(B) WITH_REST(B)
/* clang-format on */
TB_BINS(BINS)

enum { MOST_TAGS = 2 * OF_SET + 8, MOST_SETS = 3, HISTORY = 4, ALL_VPS = 0, NO_VPS = VPS, LONG = 10 };

struct bias {
  unsigned invalidate, insert, lookup; /* probabilities of requests */
  unsigned ready, sticky;              /* response_ready_i is 1; it stays as it is */
  unsigned hold, start;                /* begin, in 1000 */
  unsigned access_pending;
  unsigned mon, sel; /* modes that a hold aims at; the rest is off */
  enum { ANY_VPS, FULL, FEW } vps;
  unsigned sets;
  enum { TWO, HALF, BRIM, TWICE } tags; /* so many lines of a set, compared with its ways */
};

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  const struct bias *b;
  struct oracle o;
  struct vtt_in in, last;                          /* of this cycle and the one before */
  struct deed d[HISTORY];                          /* the newest first */
  uint64_t cycles;                                 /* since the reset */
  bool invalidate_waits, hold, ready, hold_before; /* hold_before: hold_i two cycles ago */
  uint32_t invalidate_line;
  unsigned want_mode, want_highest, highest; /* highest: of the last activation */
  unsigned sets, tags, set[MOST_SETS];
  uint32_t tag[MOST_TAGS], evicted;
  unsigned held, quiet, done_for; /* for so many cycles; hold_done_o is 1 for so many */
  bool touched[SETS], kept;       /* since the last sweep; it kept lines and none was inserted since */
};

/* ---- bins of what is refused ---- */

static void vtt_bins_of_refusals(struct sim *s, const struct vtt_out *out) {
  const struct vtt_in *in = &s->in;
  const struct oracle *o = &s->o;
  bool sweep = o->rows, start = in->launch_start_i, hold = in->hold_i;
  bool rest = o->mode == VTT_SELECTED && o->rest, full = o->count == PLACES, but_one = o->count == PLACES - 1;
  bool invalidates = in->invalidate_valid_i && !hold && !sweep && !start && !rest;
  unsigned of_invalidate = sweep + start + hold + rest, of_insert = sweep + start + rest + invalidates + full;
  unsigned of_lookup = sweep + start + hold + rest + (in->invalidate_valid_i || in->insert_valid_i) + (full || but_one);
  if (in->invalidate_valid_i && of_invalidate == 1) {
    tb_hit_if(s->t, sweep, BIN_invalidate_refused_sweep);
    tb_hit_if(s->t, start, BIN_invalidate_refused_start);
    tb_hit_if(s->t, hold, BIN_invalidate_refused_hold);
  }
  if (in->insert_valid_i && of_insert == 1) {
    tb_hit_if(s->t, sweep, BIN_insert_refused_sweep);
    tb_hit_if(s->t, start, BIN_insert_refused_start);
    tb_hit_if(s->t, invalidates, BIN_insert_refused_invalidate);
    tb_hit_if(s->t, full, BIN_insert_refused_full);
  }
  if (in->lookup_valid_i && of_lookup == 1) {
    tb_hit_if(s->t, sweep, BIN_lookup_refused_sweep);
    tb_hit_if(s->t, start, BIN_lookup_refused_start);
    tb_hit_if(s->t, hold, BIN_lookup_refused_hold);
    tb_hit_if(s->t, in->invalidate_valid_i && !in->insert_valid_i, BIN_lookup_refused_invalidate);
    tb_hit_if(s->t, in->insert_valid_i && !in->invalidate_valid_i, BIN_lookup_refused_insert);
    tb_hit_if(s->t, but_one, BIN_lookup_refused_but_one);
    tb_hit_if(s->t, full, BIN_lookup_refused_full);
  }
#if TB_PARAM(SearchInterval) > 1
  tb_hit_if(s->t, in->invalidate_valid_i && of_invalidate == 1 && rest, BIN_invalidate_refused_rest);
  tb_hit_if(s->t, in->insert_valid_i && of_insert == 1 && rest, BIN_insert_refused_rest);
  tb_hit_if(s->t, in->lookup_valid_i && of_lookup == 1 && rest, BIN_lookup_refused_rest);
#endif
  if (in->insert_valid_i && out->insert_ready_o) {
    tb_hit_if(s->t, hold, BIN_insert_passes_hold);
    tb_hit_if(s->t, in->invalidate_valid_i, BIN_insert_passes_invalidate);
    tb_hit_if(s->t, out->hold_done_o, BIN_insert_passes_hold_done);
    tb_hit_if(s->t, but_one && o->mode == VTT_SELECTED, BIN_insert_takes_last);
  }
}

/* Bins of inserts and look-ups that were not accepted in the last cycle. */
static void vtt_bins_of_offers(struct sim *s) {
  const struct vtt_in *in = &s->in, *was = &s->last;
  if (!s->cycles) return;
  if (was->lookup_valid_i && s->d[0].request != LOOKUP) {
    tb_hit_if(s->t,
              in->lookup_valid_i && (in->lookup_line_i != was->lookup_line_i || in->lookup_id_i != was->lookup_id_i),
              BIN_lookup_changes);
    tb_hit_if(s->t, !in->lookup_valid_i, BIN_lookup_goes);
  }
  if (was->insert_valid_i && s->d[0].request != INSERT) {
    tb_hit_if(s->t, in->insert_valid_i && in->insert_line_i != was->insert_line_i, BIN_insert_changes);
    tb_hit_if(s->t, !in->insert_valid_i, BIN_insert_goes);
  }
  tb_hit_if(s->t,
            !in->invalidate_valid_i && !in->insert_valid_i && !in->lookup_valid_i && in->invalidate_line_i &&
                in->insert_line_i && in->lookup_line_i && in->lookup_id_i,
            BIN_junk_without_valid);
}

/* ---- bins of holds and kernels' starts ---- */

static void vtt_bins_of_hold(struct sim *s, const struct vtt_out *out) {
  const struct vtt_in *in = &s->in, *was = &s->last;
  const struct oracle *o = &s->o;
  bool waits = in->hold_i && !out->hold_done_o && !o->rows && !in->launch_start_i && !out->idle_o;
  unsigned why = (o->count != 0) + (o->rest != 0) + in->access_pending_i + in->insert_valid_i;
  tb_hit_if(s->t, !in->hold_i && in->access_pending_i && !o->rows, BIN_access_pending_without_hold);
  if (waits && why == 1) {
    tb_hit_if(s->t, o->count, BIN_hold_waits_count);
    tb_hit_if(s->t, in->access_pending_i, BIN_hold_waits_access_pending);
    tb_hit_if(s->t, in->insert_valid_i, BIN_hold_waits_insert);
#if TB_PARAM(SearchInterval) > 1
    tb_hit_if(s->t, o->rest, BIN_hold_waits_rest);
#endif
  }
  tb_hit_if(s->t, in->hold_i && !was->hold_i && s->hold_before, BIN_hold_again_at_once);
  if (was->hold_i && !in->hold_i && s->cycles) {
    tb_hit(s->t, s->done_for ? BIN_hold_falls_later : BIN_hold_falls_with_hold_done);
    tb_hit_if(s->t, in->launch_start_i, BIN_start_as_hold_falls);
  }
  tb_hit_if(s->t,
            in->hold_i && o->rows && !o->empties && (in->mode_i != o->to_mode || in->highest_register_i != s->highest),
            BIN_junk_in_sweep);
  tb_hit_if(s->t,
            waits && was->hold_i && (in->mode_i != was->mode_i || in->highest_register_i != was->highest_register_i),
            BIN_target_changes_before);
  tb_hit_if(s->t, in->hold_i && o->rows && o->empties, BIN_hold_in_start_sweep);
}

static void vtt_bins_of_start(struct sim *s, const struct vtt_out *out) {
  static const unsigned in_mode[] = {BIN_start_in_monitor, BIN_start_in_selected, BIN_start_in_off};
  const struct vtt_in *in = &s->in;
  const struct oracle *o = &s->o;
  if (!in->launch_start_i) return;
  if (!o->rows) tb_hit(s->t, in_mode[o->mode]);
  tb_hit_if(s->t, o->rows && o->empties, BIN_start_in_start_sweep);
  tb_hit_if(s->t, o->rows && !o->empties, BIN_start_in_hold_sweep);
  tb_hit_if(s->t, o->rows == 1, o->empties ? BIN_start_in_last_row_of_start : BIN_start_in_last_row_of_hold);
  tb_hit_if(s->t, o->rows == SETS && !o->empties, BIN_start_in_first_row_of_hold);
  tb_hit_if(s->t, in->hold_i && out->idle_o && !out->hold_done_o, BIN_start_at_decision);
  tb_hit_if(s->t, out->hold_done_o, BIN_start_beside_hold_done);
  tb_hit_if(s->t, in->hold_i, BIN_start_beside_hold);
  tb_hit_if(s->t, s->cycles && s->last.launch_start_i, BIN_start_behind_start);
  tb_hit_if(s->t, s->d[0].request == INSERT, BIN_start_behind_insert);
  tb_hit_if(s->t, s->d[0].request == LOOKUP, BIN_start_behind_lookup);
  tb_hit_if(s->t, s->d[0].request == INVALIDATE, BIN_start_behind_invalidate);
  tb_hit_if(s->t, s->d[0].request && s->d[0].set == 0, BIN_start_behind_row_0);
  tb_hit_if(s->t, out->response_valid_o && in->response_ready_i, BIN_start_beside_take);
  tb_hit_if(s->t, out->response_valid_o && !in->response_ready_i, BIN_start_drops_shown);
  tb_hit_if(s->t, o->count && !out->response_valid_o, BIN_start_drops_unready);
  tb_hit_if(s->t, o->count == PLACES, BIN_start_full);
}

static void vtt_bins_of_responses(struct sim *s, const struct vtt_out *out) {
  const struct oracle *o = &s->o;
  if (!out->response_valid_o) return;
  if (s->in.response_ready_i) {
    tb_hit_if(s->t, o->queue[0].ready == o->now, BIN_taken_at_once);
    tb_hit_if(s->t, s->held, s->held > LONG ? BIN_held_long : BIN_held);
    tb_hit_if(s->t, s->d[0].taken, BIN_taken_behind_taken);
    if (o->count > 1) tb_hit(s->t, o->queue[1].ready <= o->now + 1 ? BIN_ready_when_first : BIN_first_when_ready);
  }
}

/* ---- bins of what was done ---- */

static void vtt_bins_of_insert(struct sim *s, const struct deed *d, bool hole) {
  const struct oracle *o = &s->o;
  if (d->by == DROPPED) {
    tb_hit(s->t, o->mode == VTT_OFF ? BIN_dropped_off : BIN_dropped_selected);
    return;
  }
  tb_hit(s->t, (o->mode == VTT_MONITOR ? BIN_own_monitor : BIN_own_selected) + (d->by - OWN));
  tb_hit_if(s->t, d->by == OWN && hole, BIN_own_beside_invalid);
  tb_hit_if(s->t, o->mode == VTT_SELECTED, BIN_insert_vp_0 + d->way / WAYS);
  tb_hit_if(s->t, d->way == 0, BIN_first_way);
  tb_hit_if(s->t, d->way == OF_SET - 1, BIN_last_way);
  if (d->by == INVALID && d->way + 1 < OF_SET)
    tb_hit_if(s->t, o->way[d->set][d->way + 1].valid, BIN_invalid_below_valid);
  if (d->by == OLDEST) {
    tb_hit(s->t, BIN_evict_vp_0 + d->way / WAYS);
    tb_hit_if(s->t, d->way < OF_SET - 1, BIN_oldest_is_low);
    s->evicted = d->evicted;
#if TB_PARAM(NumPartitions) > 1
    tb_hit_if(s->t, !s->touched[d->set], BIN_oldest_untouched);
#endif
  }
  s->kept = false;
}

static void vtt_bins_of_look_up(struct sim *s, const struct deed *d) {
  const struct oracle *o = &s->o;
  bool hit = d->way != NO_WAY;
  tb_hit_if(s->t, !hit && d->line == s->evicted, BIN_evicted_asked);
  if (o->mode == VTT_OFF) tb_hit(s->t, BIN_probe_off);
  if (o->mode == VTT_MONITOR) tb_hit(s->t, hit ? BIN_probe_hit : BIN_probe_miss);
  if (o->mode == VTT_MONITOR && hit) tb_hit(s->t, BIN_probe_vp_0 + d->way / WAYS);
  if (o->mode != VTT_SELECTED) return;
  if (!hit) {
    tb_hit(s->t, o->first == NO_VPS ? BIN_miss_without_vps : BIN_miss);
    for (unsigned g = o->first * WAYS; g < OF_SET; g++) {
      const struct place *p = &o->way[d->set][g];
      uint32_t differs = (p->line >> LOW_BITS) / (THREE ? 3 : 1) ^ (d->line >> LOW_BITS) / (THREE ? 3 : 1);
      if (p->valid && !(differs & (differs - 1))) tb_hit(s->t, BIN_tag_bit_0 + (unsigned)__builtin_ctz(differs));
    }
    return;
  }
  tb_hit(s->t, BIN_hit);
  tb_hit(s->t, BIN_hit_vp_0 + d->way / WAYS);
  tb_hit(s->t, BIN_hit_after_vps_0 + d->beyond);
  tb_hit(s->t, d->rank == 0                               ? BIN_hit_newest
               : d->rank == vtt_oracle_active_ways(o) - 1 ? BIN_hit_oldest
                                                          : BIN_hit_between);
#if TB_PARAM(NumPartitions) > 1
  tb_hit_if(s->t, s->kept, BIN_hit_kept);
#endif
}

static void vtt_bins_of_invalidation(struct sim *s, const struct deed *d) {
  const struct oracle *o = &s->o;
  bool hit = d->way != NO_WAY;
  if (o->mode == VTT_OFF) tb_hit(s->t, BIN_invalidate_off);
  if (o->mode == VTT_MONITOR) tb_hit(s->t, hit ? BIN_invalidate_hit_monitor : BIN_invalidate_miss_monitor);
  if (o->mode == VTT_SELECTED) tb_hit(s->t, hit ? BIN_invalidate_hit_selected : BIN_invalidate_miss_selected);
  tb_hit_if(s->t, hit && d->rank == vtt_oracle_active_ways(o) - 1, BIN_invalidate_oldest);
}

/* Requests of one set, or one line, that follow each other. */
static void vtt_bins_of_pairs(struct sim *s, const struct deed *d) {
  const struct deed *was = &s->d[0], *before = &s->d[1], *sel = &s->d[SPACING - 1];
  if (s->o.mode == VTT_SELECTED) {
    if (!sel->request || sel->set != d->set) return;
    unsigned k = 3 * (sel->request - INVALIDATE) + d->request - INVALIDATE;
    tb_hit(s->t, BIN_closest_0 + k);
    tb_hit_if(s->t, sel->line == d->line, BIN_closest_line_0 + k);
  }
  if (s->o.mode != VTT_MONITOR) return;
  if (was->request && was->set == d->set) {
    unsigned k = 3 * (was->request - INVALIDATE) + d->request - INVALIDATE;
    tb_hit(s->t, BIN_pair_0 + k);
    tb_hit_if(s->t, was->line == d->line, BIN_line_0 + k);
    tb_hit_if(s->t, before->request && before->set == d->set && s->d[2].request && s->d[2].set == d->set,
              BIN_three_in_turn);
  }
  if (before->request && before->set == d->set) {
    tb_hit(s->t, BIN_gap_0 + 3 * (before->request - INVALIDATE) + d->request - INVALIDATE);
  }
}

static void vtt_bins_of_request(struct sim *s, const struct deed *d, bool hole, unsigned count) {
  static const unsigned behind_sweep[] = {BIN_invalidate_behind_sweep, BIN_insert_behind_sweep,
                                          BIN_lookup_behind_sweep};
  if (!d->request) return;
  tb_hit(s->t, BIN_sets_0 + d->set * 16 / SETS);
  tb_hit_if(s->t, d->set == 0, BIN_first_set);
  tb_hit_if(s->t, d->set == SETS - 1, BIN_last_set);
  if (d->request == INSERT) vtt_bins_of_insert(s, d, hole);
  if (d->request == LOOKUP) vtt_bins_of_look_up(s, d);
  if (d->request == INVALIDATE) vtt_bins_of_invalidation(s, d);
  vtt_bins_of_pairs(s, d);
  tb_hit_if(s->t, s->d[0].last_row, behind_sweep[d->request - INVALIDATE]);
  tb_hit_if(s->t, d->taken && d->enters && count == 1, BIN_enters_and_leaves_at_1);
  tb_hit_if(s->t, d->taken && d->enters && count == PLACES - 1, BIN_enters_and_leaves_but_one);
#if TB_PARAM(NumPartitions) > 2
  const struct oracle *o = &s->o;
  if (d->enters && o->count > 1)
    tb_hit_if(s->t, o->queue[o->count - 1].ready < o->queue[o->count - 2].ready, BIN_ready_before_its_elder);
#endif
  if (d->request != INVALIDATE && d->way != NO_WAY && s->o.mode != VTT_OFF) s->touched[d->set] = true;
}

static void vtt_bins_of_decision(struct sim *s, const struct deed *d, unsigned mode, unsigned first) {
  const struct oracle *o = &s->o;
  unsigned highest = (unsigned)s->in.highest_register_i;
  if (!d->decides) return;
  s->highest = highest;
  tb_hit(s->t, BIN_mode_0 + 3 * mode + o->to_mode);
  tb_hit_if(s->t, !s->last.hold_i, BIN_hold_at_once);
  tb_hit_if(s->t, s->d[SPACING - 1].request, BIN_decides_behind_request);
  if (o->to_mode != VTT_SELECTED) return;
  unsigned lowest = FIRST_REGISTER + o->to_first * OF_VP;
  if (o->to_first < VPS) tb_hit(s->t, BIN_lowest_vp_0 + o->to_first);
  tb_hit_if(s->t, o->to_first < VPS && highest + 1 == lowest, BIN_highest_just_below);
  tb_hit_if(s->t, o->to_first > 0 && highest == lowest - OF_VP, BIN_highest_at_first);
  tb_hit_if(s->t, highest == 0, BIN_highest_0);
  tb_hit_if(s->t, highest == 2047, BIN_highest_2047);
  if (mode != VTT_SELECTED) return;
  tb_hit_if(s->t, first == o->to_first, first == NO_VPS ? BIN_none_to_none : BIN_same_vps);
  tb_hit_if(s->t, first == NO_VPS && o->to_first < first, BIN_first_vps);
  tb_hit_if(s->t, first < NO_VPS && o->to_first == NO_VPS, BIN_no_vps_left);
#if TB_PARAM(NumPartitions) > 1
  tb_hit_if(s->t, first < NO_VPS && o->to_first < first, BIN_more_vps);
  tb_hit_if(s->t, first < o->to_first && o->to_first < NO_VPS, BIN_fewer_vps);
#endif
}

static unsigned vtt_count_lines(const struct oracle *o) {
  unsigned n = 0;
  for (unsigned set = 0; set < SETS; set++) {
    for (unsigned g = 0; g < OF_SET; g++) n += o->way[set][g].valid;
  }
  return n;
}

static void vtt_bins_of_sweep(struct sim *s, unsigned before) {
  unsigned after = vtt_count_lines(&s->o);
  memset(s->touched, 0, sizeof s->touched);
  s->kept = after != 0;
  tb_hit_if(s->t, after < before, BIN_drops_lines);
#if TB_PARAM(NumPartitions) > 1
  tb_hit_if(s->t, after, BIN_keeps_lines);
#endif
}

/* ---- a cycle ---- */

static void vtt_run_cycle(struct sim *s) {
  struct oracle *o = &s->o;
  const struct vtt_in *in = &s->in;
  const struct vtt_state was = *(const struct vtt_state *)tb_model(s->t), state = vtt_oracle_state(o);
  const struct vtt_out want = vtt_oracle_out(o, in);
  const struct vtt_out *out = tb_step(s->t, in);
  struct deed d;
  expect_all(s->t, out, &want, &was, &state);
  if (out->effective_mode_o == VTT_SELECTED && out->response_register_o) {
    tb_expect(s->t, out->response_register_o > s->highest && out->response_register_o < 2048,
              "register %u, highest was %u at the last activation", (unsigned)out->response_register_o, s->highest);
  }
  tb_hit(s->t, BIN_count_0 + o->count * 9 / PLACES); /* 9: full */
  vtt_bins_of_refusals(s, out);
  vtt_bins_of_offers(s);
  vtt_bins_of_hold(s, out);
  vtt_bins_of_start(s, out);
  vtt_bins_of_responses(s, out);

  unsigned mode = o->mode, first = o->first, count = o->count, set = vtt_oracle_set_of((uint32_t)in->insert_line_i);
  bool hole = vtt_oracle_find_invalid(o, set) < OF_SET;
  unsigned before = o->rows == 1 && !in->launch_start_i ? vtt_count_lines(o) : 0;
  vtt_oracle_edge(o, in, &d);
  vtt_bins_of_request(s, &d, hole, count);
  vtt_bins_of_decision(s, &d, mode, first);
  if (d.last_row) vtt_bins_of_sweep(s, before);

  s->held = out->response_valid_o && !in->response_ready_i ? s->held + 1 : 0;
  s->done_for = out->hold_done_o ? s->done_for + 1 : 0;
  s->invalidate_waits = in->invalidate_valid_i && d.request != INVALIDATE;
  memmove(&s->d[1], &s->d[0], sizeof s->d - sizeof s->d[0]);
  s->d[0] = d;
  s->hold_before = s->last.hold_i, s->last = *in;
  s->cycles++;
  memset(&s->in, 0, sizeof s->in);
}

/* ---- stimulus ---- */

static uint32_t vtt_line_of(unsigned set, uint32_t tag) {
  uint32_t high = THREE ? 3 * tag + (set >> LOW_BITS) : tag;
  return high << LOW_BITS | set % (1u << LOW_BITS);
}

/* Tags that every set can have. */
static uint32_t vtt_most_tags(void) { return (1u << (LINE_BITS - LOW_BITS)) / (THREE ? 3 : 1); }

/* Many of them differ in one bit from another one. */
static void vtt_choose_lines(struct sim *s) {
  static const unsigned shares[][2] = {{2, 3}, {2, OF_SET / 2 + 1}, {OF_SET - 1, 4}, {OF_SET + 2, OF_SET + 4}};
  unsigned some = s->b->tags;
  s->sets = 1 + tb_below(s->r, s->b->sets);
  for (unsigned i = 0; i < s->sets; i++) {
    s->set[i] = tb_chance(s->r, 25) ? 0 : tb_chance(s->r, 20) ? SETS - 1 : tb_below(s->r, SETS);
  }
  s->tags = shares[some][0] + tb_below(s->r, shares[some][1]);
  for (unsigned i = 0; i < s->tags; i++) {
    uint32_t near = i ? s->tag[tb_below(s->r, i)] : 0;
    s->tag[i] = i == 0 || tb_chance(s->r, 30) ? tb_below(s->r, vtt_most_tags())
                : tb_chance(s->r, 40)         ? near + 1
                                              : near ^ 1u << tb_below(s->r, LINE_BITS - LOW_BITS);
    s->tag[i] %= vtt_most_tags();
  }
}

/* The line of a way that was used at this place of the list, if there is one. */
static uint32_t vtt_used_line(struct sim *s, unsigned set, unsigned rank) {
  const struct oracle *o = &s->o;
  const struct place *p = rank < vtt_oracle_active_ways(o) ? &o->way[set][o->used[set][rank]] : NULL;
  return p && p->valid ? p->line : vtt_line_of(set, s->tag[tb_below(s->r, s->tags)]);
}

static uint32_t vtt_some_line(struct sim *s) {
  unsigned set = s->set[tb_below(s->r, s->sets)], kind = tb_below(s->r, 100);
  if (kind < 8) return vtt_used_line(s, set, vtt_oracle_active_ways(&s->o) - 1);
  if (kind < 14) return vtt_used_line(s, set, 0);
  if (kind < 19) return s->d[0].request ? s->d[0].line : s->d[SPACING - 1].line;
  if (kind < 24) return s->evicted;
  return vtt_line_of(set, s->tag[tb_below(s->r, s->tags)]);
}

/* A highest register of the CTAs with which VPs from this one on are active; often at one of its limits. */
static unsigned vtt_highest_for(struct sim *s, unsigned first) {
  unsigned lowest = first == ALL_VPS ? 0 : FIRST_REGISTER + (first - 1) * OF_VP;
  unsigned highest = first == NO_VPS ? 2047 : FIRST_REGISTER + first * OF_VP - 1;
  return tb_chance(s->r, 30) ? lowest : tb_chance(s->r, 40) ? highest : lowest + tb_below(s->r, highest - lowest + 1);
}

static void vtt_choose_target(struct sim *s) {
  unsigned kind = tb_below(s->r, 100), few = VPS < 3 ? VPS : 3;
  unsigned first = s->b->vps == FULL  ? ALL_VPS
                   : s->b->vps == FEW ? VPS - 1 - tb_below(s->r, few)
                                      : tb_below(s->r, VPS + 1);
  s->want_mode = kind < s->b->mon ? VTT_MONITOR : kind < s->b->mon + s->b->sel ? VTT_SELECTED : VTT_OFF;
  s->want_highest = vtt_highest_for(s, tb_chance(s->r, 10)   ? tb_below(s->r, VPS + 1)
                                       : tb_chance(s->r, 15) ? s->o.first
                                                             : first);
}

/* Without a hold no register of an active VP is given to a CTA. */
static unsigned vtt_legal_highest(struct sim *s) {
  if (s->o.mode != VTT_SELECTED || s->o.first == NO_VPS) return tb_below(s->r, 2048);
  return tb_below(s->r, FIRST_REGISTER + s->o.first * OF_VP);
}

static void vtt_drive_hold(struct sim *s) {
  struct vtt_in *in = &s->in;
  bool fell = s->cycles && s->hold_before && !s->last.hold_i;
  if (s->hold) {
    s->hold = !(s->o.hold_done && tb_chance(s->r, 40));
  } else if (tb_below(s->r, 1000) < s->b->hold || (fell && tb_chance(s->r, 10))) {
    s->hold = true;
    vtt_choose_target(s);
  }
  in->hold_i = s->hold;
  in->mode_i = tb_below(s->r, 3), in->highest_register_i = vtt_legal_highest(s);
  if (!s->hold) return;
  if (s->o.rows || s->o.hold_done) {
    if (tb_chance(s->r, 50)) in->highest_register_i = tb_below(s->r, 2048);
    return;
  }
  if (tb_chance(s->r, 3)) vtt_choose_target(s);
  in->mode_i = s->want_mode, in->highest_register_i = s->want_highest;
}

static void vtt_drive_requests(struct sim *s) {
  struct vtt_in *in = &s->in;
  const struct bias *b = s->b;
  bool draining = s->hold && !s->o.hold_done && !s->o.rows;
  if (!s->quiet && tb_chance(s->r, 1)) s->quiet = 1 + tb_below(s->r, 25);
  if (s->quiet) s->quiet--;
  bool keep = tb_chance(s->r, 40);
  bool invalidates = !s->quiet && tb_chance(s->r, b->invalidate) && (!s->o.rows || tb_chance(s->r, 5));
  if (!s->invalidate_waits && invalidates) s->invalidate_waits = true, s->invalidate_line = vtt_some_line(s);
  in->invalidate_valid_i = s->invalidate_waits;
  if (s->d[0].last_row && tb_chance(s->r, 40)) draining = true;
  in->insert_valid_i = !s->quiet && tb_chance(s->r, draining ? b->insert / 4 : b->insert);
  in->lookup_valid_i = !s->quiet && tb_chance(s->r, b->lookup);
  in->invalidate_line_i = s->invalidate_waits ? s->invalidate_line : vtt_some_line(s);
  in->insert_line_i = keep && s->last.insert_valid_i ? s->last.insert_line_i : vtt_some_line(s);
  in->lookup_line_i = keep && s->last.lookup_valid_i ? s->last.lookup_line_i : vtt_some_line(s);
  in->lookup_id_i = keep && s->last.lookup_valid_i ? s->last.lookup_id_i : tb_bits(s->r, 8);
}

/* The chance of a kernel's start in a cycle in which little else would show a fault of it, in percent. */
static unsigned vtt_start_chance(const struct sim *s) {
  const struct oracle *o = &s->o;
  const struct vtt_out out = vtt_oracle_out(o, &s->in);
  if (s->cycles && s->last.launch_start_i) return 20;
  if (s->cycles && s->last.hold_i && !s->in.hold_i) return 10;
  if (o->count == PLACES) return 2;
  if (s->d[0].request && s->d[0].set == 0) return 1;
  if (o->rows) return o->rows == 1 ? 5 : 0;
  return s->in.hold_i && out.hold_done_o != out.idle_o ? 4 : 0;
}

static void vtt_drive_inputs(struct sim *s) {
  const struct bias *b = s->b;
  if (!tb_chance(s->r, b->sticky)) s->ready = tb_chance(s->r, b->ready);
  vtt_drive_hold(s);
  vtt_drive_requests(s);
  s->in.response_ready_i = s->ready;
  s->in.access_pending_i = tb_chance(s->r, b->access_pending);
  s->in.launch_start_i = b->start && (tb_below(s->r, 1000) < b->start || tb_below(s->r, 100) < vtt_start_chance(s));
}

static void vtt_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r, const struct bias *b) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r, s->b = b;
  s->evicted = 1u << (LINE_BITS - 1);
  vtt_oracle_reset(&s->o);
  vtt_choose_lines(s);
}

static void vtt_run_random(struct sim *s, unsigned cycles) {
  for (; cycles; cycles--) {
    vtt_drive_inputs(s);
    vtt_run_cycle(s);
  }
}

static const struct bias biases[] = {
    /* invalidate insert lookup  ready sticky hold start access_pending mon sel  vps  sets tags */
    {2, 70, 15, 80, 0, 2, 1, 5, 100, 0, ANY_VPS, 2, TWICE},   /* monitoring */
    {25, 40, 50, 70, 0, 3, 1, 5, 100, 0, ANY_VPS, 2, TWO},    /* same_lines_mon */
    {25, 60, 60, 90, 0, 3, 1, 5, 0, 100, ANY_VPS, 2, TWO},    /* same_lines_sel */
    {2, 60, 40, 90, 0, 2, 0, 5, 0, 100, FULL, 1, TWICE},      /* all_vps */
    {4, 30, 60, 85, 0, 3, 0, 10, 2, 95, FEW, 2, HALF},        /* few_vps */
    {4, 50, 60, 25, 85, 3, 1, 20, 5, 90, ANY_VPS, 3, BRIM},   /* held_back */
    {5, 40, 60, 85, 20, 40, 1, 25, 20, 60, ANY_VPS, 2, HALF}, /* activations */
    {3, 60, 60, 95, 0, 15, 0, 5, 0, 100, ANY_VPS, 1, BRIM},   /* lrn_moves */
    {10, 40, 50, 60, 40, 20, 12, 10, 30, 50, FULL, 2, HALF},  /* kernels */
    {2, 8, 15, 100, 0, 10, 2, 30, 30, 50, ANY_VPS, 3, HALF},  /* near_empty */
    {8, 30, 60, 60, 0, 4, 2, 10, 10, 10, ANY_VPS, 2, TWO},    /* off */
};
static const char *const phases[] = {
    "monitoring",  "same_lines_mon", "same_lines_sel", "all_vps",    "few_vps", "held_back",
    "activations", "lrn_moves",      "kernels",        "near_empty", "off",     NULL};

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  struct sim s;
  vtt_sim_begin(&s, t, r, &biases[phase]);
  if (tb_chance(r, 80)) {
    s.hold = true;
    vtt_choose_target(&s);
  }
  vtt_run_random(&s, 2 * SETS + 100 + tb_below(r, phase == 3 || phase == 7 ? 1500 : 700));
}

/* ---- directed cases ---- */

static const struct bias calm = {.ready = 100, .sel = 100, .sets = 1};

/* Waits for the end of a sweep, gives a hold, waits for its end, and takes the hold back. */
static void vtt_activate_by_hold(struct sim *s, unsigned mode, unsigned highest) {
  while (!s->o.hold_done) {
    s->in = (struct vtt_in){.hold_i = 1, .mode_i = mode, .highest_register_i = highest, .response_ready_i = 1};
    vtt_run_cycle(s);
  }
  s->in.response_ready_i = 1;
  vtt_run_cycle(s);
}

static void vtt_run_request(struct sim *s, enum request request, uint32_t line) {
  do {
    s->in = (struct vtt_in){.invalidate_valid_i = request == INVALIDATE,
                            .invalidate_line_i = line,
                            .insert_valid_i = request == INSERT,
                            .insert_line_i = line,
                            .lookup_valid_i = request == LOOKUP,
                            .lookup_line_i = line,
                            .lookup_id_i = line % 256,
                            .response_ready_i = 1};
    vtt_run_cycle(s);
  } while (s->d[0].request != request);
}

static void vtt_drain_responses(struct sim *s) {
  while (s->o.count || s->o.rest) {
    s->in.response_ready_i = 1;
    vtt_run_cycle(s);
  }
}

static void vtt_request_each_line(struct sim *s, enum request kind, uint32_t from) {
  for (unsigned i = 0; i < SETS * OF_SET; i++) vtt_run_request(s, kind, from + i);
}

/* Every way of every set has a line; what stays of them when VPs are given to CTAs and taken back. */
static void vtt_case_whole_table(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  uint32_t from = (1u << LINE_BITS) / (SETS * OF_SET) * (SETS * OF_SET) - SETS * OF_SET;
  from -= from % SETS;
  vtt_sim_begin(&s, t, r, &calm);
  vtt_activate_by_hold(&s, VTT_SELECTED, vtt_highest_for(&s, ALL_VPS));
  vtt_request_each_line(&s, INSERT, from);
  if (vtt_count_lines(&s.o) == SETS * OF_SET) tb_hit(t, BIN_whole_table);
  vtt_activate_by_hold(&s, VTT_SELECTED, vtt_highest_for(&s, VPS / 2));
  for (unsigned i = 0; i < SETS; i += 2) vtt_run_request(&s, INSERT, i); /* the highest way is the oldest */
  vtt_request_each_line(&s, LOOKUP, from);
  vtt_activate_by_hold(&s, VTT_SELECTED, vtt_highest_for(&s, ALL_VPS));
  vtt_request_each_line(&s, LOOKUP, from);
  for (unsigned i = 0; i < SETS; i++) vtt_run_request(&s, INSERT, i);
  vtt_activate_by_hold(&s, VTT_OFF, 0);
  vtt_activate_by_hold(&s, VTT_SELECTED, 0);
  for (unsigned i = 0; i < SETS; i++) vtt_run_request(&s, LOOKUP, from + i);
  vtt_drain_responses(&s);
}

/* In each VP's turn to be the lowest active one, a set is filled and looked up, and all lines are evicted. */
static void vtt_case_each_vp(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  vtt_sim_begin(&s, t, r, &calm);
  for (unsigned round = 0; round < 2; round++) {
    vtt_activate_by_hold(&s, round ? VTT_SELECTED : VTT_MONITOR, 0);
    for (unsigned v = 0; v < VPS; v++) {
      unsigned set = tb_below(r, SETS);
      if (round) vtt_activate_by_hold(&s, VTT_SELECTED, vtt_highest_for(&s, v));
      unsigned n = vtt_oracle_active_ways(&s.o);
      for (unsigned i = 0; i < n + 2; i++) vtt_run_request(&s, INSERT, vtt_line_of(set, i + 1));
      for (unsigned i = n + 2; i; i--) vtt_run_request(&s, LOOKUP, vtt_line_of(set, i));
      for (unsigned i = 0; i < n; i++)
        vtt_run_request(&s, INSERT, vtt_line_of(set, 100 + i)); /* which ways, and in which order */
    }
  }
  vtt_activate_by_hold(&s, VTT_SELECTED, 0);
  for (unsigned set = 0; set < SETS; set += 5) { /* each way in its turn is the oldest */
    for (unsigned i = 0; i < 2 * OF_SET; i++) vtt_run_request(&s, INSERT, vtt_line_of(set, i));
  }
  vtt_drain_responses(&s);
}

/* A full set keeps its lines when VPs are taken back and given away: in which order they are evicted then, untouched. */
static void vtt_case_kept_in_order(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  vtt_sim_begin(&s, t, r, &calm);
  unsigned set = tb_below(r, SETS);
  uint32_t tag = 0;
  for (unsigned v = 0; v < VPS; v++) {
    vtt_activate_by_hold(&s, VTT_SELECTED, vtt_highest_for(&s, ALL_VPS));
    for (unsigned i = 0; i < OF_SET; i++) vtt_run_request(&s, INSERT, vtt_line_of(set, tag++));
    vtt_activate_by_hold(&s, VTT_SELECTED, vtt_highest_for(&s, v));
    for (unsigned i = vtt_oracle_active_ways(&s.o); i; i--) vtt_run_request(&s, INSERT, vtt_line_of(set, tag++));
  }
  vtt_drain_responses(&s);
}

/* Lines that differ in one bit of the tag. */
static void vtt_case_each_tag_bit(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  vtt_sim_begin(&s, t, r, &calm);
  vtt_activate_by_hold(&s, VTT_SELECTED, 0);
  for (unsigned bit = 0; bit < TB_PARAM(TagW); bit++) {
    uint32_t a = vtt_line_of(bit % SETS, 0), b = vtt_line_of(bit % SETS, 1u << bit);
    for (unsigned i = 0; i < 2; i++) {
      vtt_run_request(&s, INSERT, i ? a : b);
      vtt_run_request(&s, LOOKUP, i ? b : a);
      vtt_run_request(&s, LOOKUP, i ? a : b);
      vtt_run_request(&s, INVALIDATE, i ? a : b);
    }
  }
  vtt_drain_responses(&s);
}

/* A kernel starts in the first rows, in the middle and in the last rows of a sweep, that of a kernel or of a hold. */
static void vtt_case_start_in_sweeps(struct tb_run *t, struct tb_rng *r) {
  static const unsigned rows[] = {SETS, SETS - 1, SETS / 2, 2, 1};
  struct sim s;
  vtt_sim_begin(&s, t, r, &calm);
  for (unsigned i = 0; i < 20; i++) {
    bool of_hold = i & 1;
    vtt_activate_by_hold(&s, VTT_SELECTED, 0);
    for (unsigned k = 0; k < OF_SET + 3; k++) vtt_run_request(&s, INSERT, vtt_line_of(k & 1 ? SETS - 1 : 0, k));
    vtt_drain_responses(&s);
    s.in = (struct vtt_in){.launch_start_i = !of_hold,
                           .hold_i = of_hold,
                           .mode_i = VTT_SELECTED,
                           .highest_register_i = of_hold ? 2047 : 0};
    vtt_run_cycle(&s);
    while (s.o.rows != rows[i / 2 % 5]) {
      s.in.hold_i = of_hold;
      vtt_run_cycle(&s);
    }
    s.in.launch_start_i = 1, s.in.hold_i = of_hold;
    vtt_run_cycle(&s);
    vtt_activate_by_hold(&s, VTT_MONITOR, 0);
    for (unsigned k = 0; k < 4; k++) vtt_run_request(&s, LOOKUP, vtt_line_of(k & 1 ? SETS - 1 : 0, k));
    vtt_drain_responses(&s);
  }
}

/* Afterwards there is no response, no line and no hold left. */
static void vtt_case_resets(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  for (unsigned i = 0; i < 40; i++) {
    vtt_sim_begin(&s, t, r, &biases[i % 2 ? 5 : 6]);
    s.hold = true;
    vtt_choose_target(&s);
    vtt_run_random(&s, i < 4 ? SETS / 2 + tb_below(r, SETS) : SETS + tb_below(r, 4 * SETS));
    for (unsigned k = 0; i % 8 == 2 && k < 2000 && !s.o.hold_done; k++) vtt_run_random(&s, 1);
    tb_hit_if(t, s.o.count, BIN_reset_with_queue);
    tb_hit_if(t, s.o.rows, BIN_reset_in_sweep);
    tb_hit_if(t, s.o.mode == VTT_SELECTED, BIN_reset_in_selected);
    tb_hit_if(t, s.o.hold_done, BIN_reset_with_hold_done);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct vtt_in *in = vin, *was = last_in;
  const struct vtt_out *before = last_out;
  struct vtt_out out;
  vtt_eval(model, in, &out);
  if (in->mode_i > VTT_OFF) return "no such mode";
  if (was && was->hold_i && !in->hold_i && !out.hold_done_o) return "hold_i falls before hold_done_o";
  if (!in->hold_i && out.effective_mode_o == VTT_SELECTED && out.active_partitions_o) {
    unsigned lowest = (unsigned)__builtin_ctzll(out.active_partitions_o);
    if (FIRST_REGISTER + lowest * OF_VP <= in->highest_register_i)
      return "a CTA holds registers of an active VP, without hold_i";
  }
  if (was && was->invalidate_valid_i && !before->invalidate_ready_o &&
      (!in->invalidate_valid_i || in->invalidate_line_i != was->invalidate_line_i)) {
    return "an invalidation was changed before it was accepted";
  }
  return NULL;
}

static const struct tb_case cases[] = {{"each_tag_bit", vtt_case_each_tag_bit},
                                       {"start_in_sweeps", vtt_case_start_in_sweeps},
                                       {"resets", vtt_case_resets},
                                       {"each_vp", vtt_case_each_vp},
                                       {"whole_table", vtt_case_whole_table},
                                       {"kept_in_order", vtt_case_kept_in_order},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 400000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
