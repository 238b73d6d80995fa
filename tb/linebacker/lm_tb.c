/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of lm: loads with hit ratios far from 20 % or near it, in windows from one cycle on. Its prediction of every output
 * and register is a list of entries; sets of hashes are compared by counting. docs/blocks/linebacker/lm.md
 */
#include <string.h>

#include "blocks/linebacker/lm.h"
#include "tb.h"

#define EXPECT lm
#define EXPECT_DEF "blocks/linebacker/lm.def"
#include "expect.h"

/* clang-format off */
#define BINS(B)                                                                                               \
  TB_32(B, hit_) TB_32(B, tag_hit_) TB_32(B, tag_miss_) TB_32(B, selected_) TB_32(B, not_selected_)           \
  TB_32(B, one_bit_) B(both_hit_same) B(miss_beside_hit_same) B(both_hit_other) B(miss_beside_hit_other)      \
  B(same_other_pc) B(same_other_pc_fresh) B(pc_replaced) B(pc_shared) B(pc_zero) B(fresh_by_miss)             \
  B(fresh_by_tag_hit) B(window_end_of_nothing) B(window_end_alone) B(window_end_beside_hit)                   \
  B(window_end_beside_miss) B(window_end_beside_both) B(window_end_behind_window_end) B(class_by_last_hit)    \
  B(no_class_by_last_miss) B(class_none) B(class_exact) B(class_one_hit_more) B(class_one_hit_less)           \
  B(class_one_miss_less) B(class_one_miss_more) B(class_all_hits) B(class_all_misses) B(class_over_1000)      \
  B(first_empty) B(first_some) B(first_all) B(selects_one) B(selects_some) B(selects_all) B(selects_at_2)     \
  B(selects_later) B(selects_beside_access) B(off_at_2) B(off_later) B(off_after_class) B(off_beside_access)  \
  B(stays_was_empty) B(stays_now_empty) B(stays_fewer) B(stays_more) B(stays_others) B(stays_overlap)         \
  B(stays_over_20) B(class_two_windows_ago) B(hit_in_selected) B(miss_in_selected) B(window_end_in_selected)  \
  B(hit_in_off) B(miss_in_off) B(window_end_in_off) B(asked_in_monitor) B(asked_in_off)                       \
  B(selected_then_access) B(start_in_monitor) B(start_in_selected) B(start_in_off) B(start_beside_select)     \
  B(start_beside_off) B(start_beside_window_end) B(start_beside_hit) B(start_beside_miss)                     \
  B(start_beside_all) B(start_beside_selected) B(start_behind_start) B(access_behind_start)                   \
  B(window_end_behind_start) B(select_again) B(count_saturated) B(count_stays_saturated)                      \
  B(selects_when_saturated) B(reset_in_monitor) B(reset_in_selected) B(reset_in_off) B(junk_without_valid)    \
  B(hits_saturate) B(two_hits_saturate) B(misses_saturate) B(hit_beside_saturated_miss) B(class_over_2_30)    \
  B(class_exact_over_2_30) B(class_of_saturated)
/* clang-format on */
TB_BINS(BINS)

enum { N = TB_PARAM(NumEntries), MOST_COUNT = 65535, MANY = 1000 };

struct entry {
  uint32_t pc, hit, miss;
  bool newer, older; /* classes of the last two windows */
};
struct sim {
  struct entry e[N];
  bool sel[N];
  unsigned mode, count, windows; /* windows since the start, not saturated */
  bool event;                    /* selected_o in this cycle */
  bool chosen_before;            /* this kernel's predecessor was selected */
  bool after_start, after_window_end, after_event;
};

static void lm_sim_clear(struct sim *s) { memset(s, 0, sizeof *s); }

/* Bit k of the hash is the parity of the PC's bits k, k + 5, k + 10 and so on. */
static unsigned lm_sim_hash_of(uint64_t pc) {
  unsigned h = 0;
  for (unsigned i = 0; i < 32; i++) {
    if (pc >> i & 1) h ^= 1u << i % 5;
  }
  return h;
}

/* ---- every output and register, before the edge ---- */

static void lm_compare_cycle(struct tb_run *t, const struct sim *s, const struct lm_in *in) {
  const struct lm_state was = *(const struct lm_state *)tb_model(t);
  const struct lm_out want = {.query_selected_o = s->mode == LM_SELECTED && s->sel[in->query_hash_i],
                              .mode_o = s->mode,
                              .selected_o = s->event};
  struct lm_state state = {.mode_q = s->mode, .window_count_q = s->count};
  for (unsigned i = 0; i < N; i++) {
    const struct entry *e = &s->e[i];
    if (s->sel[i]) state.selected_hashes_q += UINT64_C(1) << i;
    state.load_pc_q[i] = e->pc, state.hit_count_q[i] = e->hit, state.miss_count_q[i] = e->miss;
    state.class_q[i] = (e->older ? 2 : 0) + (e->newer ? 1 : 0);
  }
  expect_all(t, tb_step(t, in), &want, &was, &state);
}

/* ---- bins ---- */

static void lm_bins_of_cycle(struct tb_run *t, const struct sim *s, const struct lm_in *in) {
  bool access = in->hit_valid_i || in->miss_valid_i, ask = in->query_hash_i != 0;
  if (s->mode == LM_SELECTED)
    tb_hit(t, (s->sel[in->query_hash_i] ? BIN_selected_0 : BIN_not_selected_0) + (unsigned)in->query_hash_i);
  tb_hit_if(t, s->mode == LM_MONITOR && ask, BIN_asked_in_monitor);
  tb_hit_if(t, s->mode == LM_OFF && ask, BIN_asked_in_off);
  tb_hit_if(t, s->mode == LM_SELECTED && in->hit_valid_i, BIN_hit_in_selected);
  tb_hit_if(t, s->mode == LM_SELECTED && in->miss_valid_i, BIN_miss_in_selected);
  tb_hit_if(t, s->mode == LM_SELECTED && in->window_end_i, BIN_window_end_in_selected);
  tb_hit_if(t, s->mode == LM_OFF && in->hit_valid_i, BIN_hit_in_off);
  tb_hit_if(t, s->mode == LM_OFF && in->miss_valid_i, BIN_miss_in_off);
  tb_hit_if(t, s->mode == LM_OFF && in->window_end_i, BIN_window_end_in_off);
  tb_hit_if(t, s->event && access, BIN_selected_then_access);
  tb_hit_if(t, s->after_start && access, BIN_access_behind_start);
  tb_hit_if(t, s->after_start && in->window_end_i, BIN_window_end_behind_start);
  tb_hit_if(t, !in->hit_valid_i && !in->miss_valid_i && in->hit_pc_i && in->miss_pc_i && in->miss_tag_hit_i,
            BIN_junk_without_valid);
  if (in->window_end_i && s->mode == LM_MONITOR) {
    tb_hit(t, in->hit_valid_i    ? in->miss_valid_i ? BIN_window_end_beside_both : BIN_window_end_beside_hit
              : in->miss_valid_i ? BIN_window_end_beside_miss
                                 : BIN_window_end_alone);
    tb_hit_if(t, s->after_window_end, BIN_window_end_behind_window_end);
  }
  if (!in->launch_start_i) return;
  tb_hit(t, s->mode == LM_MONITOR    ? BIN_start_in_monitor
            : s->mode == LM_SELECTED ? BIN_start_in_selected
                                     : BIN_start_in_off);
  tb_hit_if(t, in->window_end_i, BIN_start_beside_window_end);
  tb_hit_if(t, in->hit_valid_i, BIN_start_beside_hit);
  tb_hit_if(t, in->miss_valid_i, BIN_start_beside_miss);
  tb_hit_if(t, in->window_end_i && in->hit_valid_i && in->miss_valid_i, BIN_start_beside_all);
  tb_hit_if(t, s->event, BIN_start_beside_selected);
  tb_hit_if(t, s->after_start, BIN_start_behind_start);
}

static void lm_bins_of_pair(struct tb_run *t, const struct sim *s, const struct lm_in *in) {
  if (!in->hit_valid_i || !in->miss_valid_i) return;
  const struct entry *e = &s->e[lm_sim_hash_of(in->hit_pc_i)];
  if (lm_sim_hash_of(in->hit_pc_i) != lm_sim_hash_of(in->miss_pc_i)) {
    tb_hit(t, in->miss_tag_hit_i ? BIN_both_hit_other : BIN_miss_beside_hit_other);
    return;
  }
  tb_hit(t, in->miss_tag_hit_i ? BIN_both_hit_same : BIN_miss_beside_hit_same);
  tb_hit_if(t, in->miss_tag_hit_i && e->hit == UINT32_MAX - 1, BIN_two_hits_saturate);
  if (in->hit_pc_i != in->miss_pc_i) tb_hit(t, e->hit || e->miss ? BIN_same_other_pc : BIN_same_other_pc_fresh);
}

/* The classes of one entry and how near they are to the limit: at 20 % there are four misses for each hit. */
static void lm_bins_of_class(struct tb_run *t, const struct entry *e, bool last_hit, bool last_miss) {
  uint64_t hit = e->hit, miss = e->miss;
  if (!hit && !miss) {
    tb_hit(t, BIN_class_none);
    return;
  }
  tb_hit_if(t, miss == 4 * hit, BIN_class_exact);
  tb_hit_if(t, hit && miss == 4 * (hit - 1), BIN_class_one_hit_more);
  tb_hit_if(t, miss == 4 * (hit + 1), BIN_class_one_hit_less);
  tb_hit_if(t, miss + 1 == 4 * hit, BIN_class_one_miss_less);
  tb_hit_if(t, miss == 4 * hit + 1, BIN_class_one_miss_more);
  tb_hit_if(t, !miss, BIN_class_all_hits);
  tb_hit_if(t, !hit, BIN_class_all_misses);
  tb_hit_if(t, hit + miss > MANY && hit && miss, BIN_class_over_1000);
  tb_hit_if(t, hit >> 30, BIN_class_over_2_30);
  tb_hit_if(t, miss == 4 * hit && miss >> 31, BIN_class_exact_over_2_30);
  tb_hit_if(t, hit == UINT32_MAX && miss == UINT32_MAX, BIN_class_of_saturated);
  tb_hit_if(t, last_hit && miss < 4 * hit && miss >= 4 * (hit - 1), BIN_class_by_last_hit);
  tb_hit_if(t, last_miss && miss >= 4 * hit && miss - 1 < 4 * hit, BIN_no_class_by_last_miss);
}

/* ---- a cycle ---- */

static void lm_sim_access(struct tb_run *t, struct sim *s, uint64_t pc, bool missed, bool hit) {
  unsigned h = lm_sim_hash_of(pc);
  struct entry *e = &s->e[h];
  tb_hit(t, (!missed ? BIN_hit_0 : hit ? BIN_tag_hit_0 : BIN_tag_miss_0) + h);
  tb_hit_if(t, pc && !(pc & (pc - 1)), BIN_one_bit_0 + (pc ? (unsigned)__builtin_ctzll(pc) : 0));
  if (!e->hit && !e->miss) {
    tb_hit_if(t, e->pc && e->pc != pc, BIN_pc_replaced);
    tb_hit_if(t, !pc, BIN_pc_zero);
    tb_hit_if(t, missed, hit ? BIN_fresh_by_tag_hit : BIN_fresh_by_miss);
    e->pc = (uint32_t)pc;
  } else {
    tb_hit_if(t, e->pc != pc, BIN_pc_shared);
  }
  tb_hit_if(t, hit && e->hit == UINT32_MAX, BIN_hits_saturate);
  tb_hit_if(t, !hit && e->miss == UINT32_MAX, BIN_misses_saturate);
  tb_hit_if(t, hit && e->miss == UINT32_MAX, BIN_hit_beside_saturated_miss);
  if (hit && e->hit < UINT32_MAX) e->hit++;
  if (!hit && e->miss < UINT32_MAX) e->miss++;
}

enum { OF_NONE, OF_ONE, OF_SOME, OF_ALL };
static unsigned lm_size_of_set(unsigned n) { return n == 0 ? OF_NONE : n == 1 ? OF_ONE : n < N ? OF_SOME : OF_ALL; }

static void lm_bins_of_decision(struct tb_run *t, const struct sim *s, const struct lm_in *in, unsigned before,
                                unsigned now, unsigned both) {
  static const unsigned first[] = {BIN_first_empty, BIN_first_some, BIN_first_some, BIN_first_all};
  static const unsigned selects[] = {0, BIN_selects_one, BIN_selects_some, BIN_selects_all};
  bool beside = in->hit_valid_i || in->miss_valid_i;
  if (s->windows == 1) {
    tb_hit(t, first[lm_size_of_set(now)]);
  } else if (now && now == before && now == both) {
    tb_hit(t, selects[lm_size_of_set(now)]);
    tb_hit(t, s->windows == 2 ? BIN_selects_at_2 : BIN_selects_later);
    tb_hit_if(t, beside, BIN_selects_beside_access);
    tb_hit_if(t, in->launch_start_i, BIN_start_beside_select);
    tb_hit_if(t, s->chosen_before, BIN_select_again);
    tb_hit_if(t, s->windows > MOST_COUNT, BIN_selects_when_saturated);
  } else if (!now && !before) {
    tb_hit(t, s->windows == 2 ? BIN_off_at_2 : BIN_off_later);
    tb_hit_if(t, s->windows > 2, BIN_off_after_class);
    tb_hit_if(t, beside, BIN_off_beside_access);
    tb_hit_if(t, in->launch_start_i, BIN_start_beside_off);
  } else {
    tb_hit(t, !before          ? BIN_stays_was_empty
              : !now           ? BIN_stays_now_empty
              : both == now    ? BIN_stays_fewer
              : both == before ? BIN_stays_more
              : !both          ? BIN_stays_others
                               : BIN_stays_overlap);
    tb_hit_if(t, s->windows > 20, BIN_stays_over_20);
  }
}

static void lm_sim_end_window(struct tb_run *t, struct sim *s, const struct lm_in *in) {
  unsigned before = 0, now = 0, both = 0, counted = 0;
  s->windows++;
  if (s->count < MOST_COUNT) s->count++;
  tb_hit_if(t, s->windows == MOST_COUNT, BIN_count_saturated);
  tb_hit_if(t, s->windows > MOST_COUNT, BIN_count_stays_saturated);
  for (unsigned i = 0; i < N; i++) {
    struct entry *e = &s->e[i];
    bool is = e->miss < UINT64_C(4) * e->hit; /* of five accesses more than one hits */
    bool by_hit = in->hit_valid_i && lm_sim_hash_of(in->hit_pc_i) == i,
         by_miss = in->miss_valid_i && lm_sim_hash_of(in->miss_pc_i) == i;
    lm_bins_of_class(t, e, by_hit != (by_miss && in->miss_tag_hit_i) && !(by_miss && !in->miss_tag_hit_i),
                     by_miss && !in->miss_tag_hit_i && !by_hit);
    tb_hit_if(t, is && e->older && !e->newer, BIN_class_two_windows_ago);
    counted += e->hit || e->miss, before += e->newer, now += is, both += is && e->newer;
    e->older = e->newer, e->newer = is;
    e->hit = e->miss = 0;
  }
  tb_hit_if(t, !counted, BIN_window_end_of_nothing);
  lm_bins_of_decision(t, s, in, before, now, both);
  if (s->windows == 1) return;
  if (!now && !before) s->mode = LM_OFF;
  if (now && now == before && now == both) {
    s->mode = LM_SELECTED, s->event = true;
    for (unsigned i = 0; i < N; i++) s->sel[i] = s->e[i].newer;
  }
}

static void lm_run_cycle(struct tb_run *t, struct sim *s, const struct lm_in *in) {
  bool monitors = s->mode == LM_MONITOR;
  lm_compare_cycle(t, s, in);
  lm_bins_of_cycle(t, s, in);
  s->event = false;
  if (monitors) {
    lm_bins_of_pair(t, s, in);
    if (in->hit_valid_i) lm_sim_access(t, s, in->hit_pc_i, false, true);
    if (in->miss_valid_i) lm_sim_access(t, s, in->miss_pc_i, true, in->miss_tag_hit_i);
    if (in->window_end_i) lm_sim_end_window(t, s, in);
  }
  s->after_window_end = in->window_end_i;
  s->after_start = false;
  if (in->launch_start_i) {
    bool chosen = s->mode == LM_SELECTED;
    lm_sim_clear(s);
    s->after_start = true, s->chosen_before = chosen;
  }
}

/* ---- stimulus ---- */

struct bias {
  unsigned hits, misses; /* probabilities of accesses that hit, of accesses that miss */
  unsigned loads;        /* at most so many */
  unsigned window;       /* cycles of one, at most */
  unsigned starts;       /* in 1000 */
  enum {
    CLEAR,
    NEAR,
    NEVER,
    MOVING
  } ratio; /* CLEAR: far from 20 % on one side or the other; MOVING: changes with the window */
};

struct loads {
  unsigned n;
  uint32_t pc[64];
  unsigned ratio[64]; /* hits of 100 accesses */
};

static unsigned lm_some_ratio(struct tb_rng *r, const struct bias *b) {
  switch (b->ratio) {
    case NEVER: return tb_chance(r, 80) ? 0 : 3;
    case NEAR: return tb_chance(r, 50) ? 20 : 10 + tb_below(r, 20);
    default: return tb_chance(r, 50) ? 70 + tb_below(r, 31) : 0;
  }
}

/* Code of a kernel; some PCs share a hash: they differ in two bits that are a multiple of 5 apart. */
static void lm_choose_loads(struct tb_rng *r, struct loads *l, const struct bias *b) {
  uint32_t base = tb_chance(r, 20) ? 0 : tb_bits(r, 29) << 3;
  l->n = 1 + tb_below(r, b->loads);
  for (unsigned i = 0; i < l->n; i++) {
    unsigned low = tb_below(r, 27);
    l->pc[i] = base + 8 * tb_below(r, 200);
    if (i && tb_chance(r, 25)) l->pc[i] = l->pc[tb_below(r, i)] ^ (1u << low | 1u << (low + 5));
    if (tb_chance(r, 10)) l->pc[i] = tb_bits(r, 32);
    if (tb_chance(r, 5)) l->pc[i] = 0;
    l->ratio[i] = lm_some_ratio(r, b);
  }
}

static void lm_drive_inputs(struct tb_rng *r, const struct loads *l, struct lm_in *in, const struct bias *b) {
  unsigned i = tb_below(r, l->n), j = tb_chance(r, 25) ? i : tb_below(r, l->n);
  bool junk = tb_chance(r, 50);
  in->hit_valid_i = tb_chance(r, b->hits) && tb_chance(r, l->ratio[i]);
  in->miss_valid_i = tb_chance(r, b->misses);
  in->miss_tag_hit_i = tb_chance(r, l->ratio[j] / 2);
  if (in->hit_valid_i || junk) in->hit_pc_i = l->pc[i];
  if (in->miss_valid_i || junk) in->miss_pc_i = l->pc[j];
  in->query_hash_i = tb_chance(r, 50) ? lm_sim_hash_of(l->pc[tb_below(r, l->n)]) : tb_bits(r, 5);
}

static void lm_run_random(struct tb_run *t, struct tb_rng *r, struct sim *s, const struct bias *b, unsigned cycles) {
  struct loads l;
  unsigned rest = 1 + tb_below(r, b->window);
  lm_choose_loads(r, &l, b);
  for (; cycles; cycles--) {
    struct lm_in in = {0};
    lm_drive_inputs(r, &l, &in, b);
    in.window_end_i = --rest == 0;
    in.launch_start_i = tb_below(r, 1000) < b->starts || (s->after_start && tb_chance(r, 20)) ||
                        (s->event && tb_chance(r, 10)) || (in.window_end_i && tb_chance(r, 3));
    lm_run_cycle(t, s, &in);
    if (in.launch_start_i && tb_chance(r, 50)) lm_choose_loads(r, &l, b);
    if (in.window_end_i && b->ratio == MOVING) l.ratio[tb_below(r, l.n)] = lm_some_ratio(r, b);
    if (!rest) rest = tb_chance(r, 10) ? 1 : 1 + b->window / 2 + tb_below(r, b->window);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {40, 40, 3, 4, 5, CLEAR},     /* short_windows */
      {100, 100, 8, 120, 4, CLEAR}, /* selects */
      {80, 100, 60, 60, 4, MOVING}, /* changes */
      {100, 100, 2, 60, 4, NEAR},   /* near_20 */
      {30, 100, 10, 40, 4, NEVER},  /* off */
      {90, 90, 4, 8, 60, CLEAR},    /* kernels */
  };
  struct sim s;
  lm_sim_clear(&s);
  lm_run_random(t, r, &s, &bias[phase], 50 + tb_below(r, 700));
}

static void lm_run_access(struct tb_run *t, struct sim *s, uint32_t hit_pc, uint32_t miss_pc, bool hit,
                          bool window_end) {
  const struct lm_in in = {.hit_valid_i = hit,
                           .hit_pc_i = hit_pc,
                           .miss_valid_i = 1,
                           .miss_pc_i = miss_pc,
                           .miss_tag_hit_i = hit,
                           .query_hash_i = lm_sim_hash_of(miss_pc),
                           .window_end_i = window_end};
  lm_run_cycle(t, s, &in);
}

/* Each bit of a PC alone, through both ports. */
static void lm_case_each_bit(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  (void)r;
  lm_sim_clear(&s);
  for (unsigned i = 0; i < 32; i++) lm_run_access(t, &s, 1u << i, 1u << (i + 16) % 32, true, i == 31);
  for (unsigned i = 0; i < 32; i++) lm_run_access(t, &s, 0, 1u << i, false, i == 31);
}

/* All hashes are selected, then each alone, then all but each; every hash is asked for. */
static void lm_case_each_selection(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  (void)r;
  lm_sim_clear(&s);
  for (unsigned round = 0; round <= 2 * N; round++) {
    for (unsigned window = 0; window < 2; window++) {
      for (unsigned i = 0; i < N; i++) {
        bool is = round == 0 || (round <= N ? i == round - 1 : i != round - N - 1);
        const struct lm_in in = {
            .miss_valid_i = is || window, .miss_pc_i = i, .miss_tag_hit_i = is, .window_end_i = i == N - 1};
        lm_run_cycle(t, &s, &in);
      }
    }
    for (unsigned i = 0; i < N; i++) {
      const struct lm_in in = {
          .query_hash_i = i, .hit_valid_i = 1, .hit_pc_i = i, .window_end_i = i == 7, .launch_start_i = i == N - 1};
      lm_run_cycle(t, &s, &in);
    }
  }
}

/* Each entry has hits in the first window, and no entry in the second: it monitors on. */
static void lm_case_each_once(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  (void)r;
  lm_sim_clear(&s);
  for (unsigned i = 0; i < N; i++) {
    lm_run_access(t, &s, i, i, true, false);
    for (unsigned n = 0; n < 3; n++) lm_run_cycle(t, &s, &(struct lm_in){.window_end_i = n != 1});
    lm_run_cycle(t, &s, &(struct lm_in){0});
    lm_run_cycle(t, &s, &(struct lm_in){.launch_start_i = 1});
  }
}

/* Windows of many accesses, at 20 % and one access beside it. */
static void lm_case_long_windows(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  lm_sim_clear(&s);
  for (unsigned round = 0; round < 5; round++) {
    uint32_t pc = tb_bits(r, 32);
    unsigned hits = 205 + tb_below(r, 100), misses = 4 * hits - 2 + round;
    for (unsigned i = 0; i < hits + misses; i++) {
      const struct lm_in in = {
          .miss_valid_i = 1, .miss_pc_i = pc, .miss_tag_hit_i = i >= misses, .window_end_i = i == hits + misses - 1};
      lm_run_cycle(t, &s, &in);
    }
    const struct lm_in again = {.launch_start_i = 1};
    lm_run_cycle(t, &s, &again);
  }
}

/* A kernel in which each window has another load, so that the number of windows saturates, until two are the same. */
static void lm_case_many_windows(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  (void)r;
  lm_sim_clear(&s);
  for (unsigned i = 0; i < MOST_COUNT + 20; i++) lm_run_access(t, &s, i % 2, i % 2, true, true);
  for (unsigned i = 0; i < 4; i++) lm_run_access(t, &s, 5, 5, true, true);
}

/* For each power of two, two windows in a row select behind so many that did not. */
static void lm_case_each_number_of_windows(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  (void)r;
  lm_sim_clear(&s);
  for (unsigned n = 2; n <= MOST_COUNT; n *= 2) {
    for (unsigned i = 0; i < n; i++) lm_run_access(t, &s, i % 2, i % 2, true, true);
    lm_run_access(t, &s, 1, 1, true, true);
    const struct lm_in again = {.launch_start_i = 1, .query_hash_i = 1};
    lm_run_cycle(t, &s, &again);
  }
}

/* One window: every entry has so many hits, and four times as many misses; those of an odd number, or of an even one, have one less. The
 * hits come through one port beside misses, or through both. */
static void lm_run_limits(struct tb_run *t, struct sim *s, unsigned hits, unsigned odd, bool both) {
  for (unsigned i = 0; i < N; i++) {
    const unsigned misses = 4 * hits - (i % 2 == odd);
    for (unsigned n = 0; both && n < hits / 2; n++) {
      const struct lm_in in = {.hit_valid_i = 1, .hit_pc_i = i, .miss_valid_i = 1, .miss_pc_i = i, .miss_tag_hit_i = 1};
      lm_run_cycle(t, s, &in);
    }
    for (unsigned n = 0; n < misses; n++) {
      const struct lm_in in = {.hit_valid_i = !both && n < hits,
                               .hit_pc_i = i,
                               .miss_valid_i = 1,
                               .miss_pc_i = i,
                               .window_end_i = i == N - 1 && n == misses - 1};
      lm_run_cycle(t, s, &in);
    }
  }
}

/* Every entry is selected, and is not, by one miss, with each power of two of hits. */
static void lm_case_each_count(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  (void)r;
  lm_sim_clear(&s);
  for (unsigned k = 0; k < 8; k++) {
    for (unsigned odd = 0; odd < 2; odd++) {
      lm_run_limits(t, &s, 1u << k, odd, k % 2);
      lm_run_cycle(t, &s, &(struct lm_in){0});
      lm_run_limits(t, &s, 1u << k, odd, k % 2);
      for (unsigned i = 0; i < N; i++) {
        const struct lm_in in = {.query_hash_i = i, .launch_start_i = i == N - 1};
        lm_run_cycle(t, &s, &in);
      }
    }
  }
}

/* A window in which every entry has had so many accesses. It is reached by one hit and one miss in each cycle: window_end_i may stay low for any
 * number of cycles, and an entry holds at most 2^32 - 1 of either. PC i has hash i. */
static void lm_sim_start_with(struct tb_run *t, struct sim *s, uint32_t hit, uint32_t miss) {
  struct lm_state state = {.mode_q = LM_MONITOR};
  lm_sim_clear(s);
  for (unsigned i = 0; i < N; i++) {
    s->e[i] = (struct entry){.pc = i, .hit = hit, .miss = miss};
    state.load_pc_q[i] = i, state.hit_count_q[i] = hit, state.miss_count_q[i] = miss;
  }
  tb_state(t, &state);
}

/* Counts at their end, and classes of counts whose fourfold has more than 32 bits. */
static void lm_case_saturations(struct tb_run *t, struct tb_rng *r) {
  static const uint32_t most = UINT32_MAX, q = 1u << 30;
  static const uint32_t from[][2] = {{most - 1, 3}, {most - 2, 0},        {most, most},
                                     {5, most - 1}, {q - 1, most - 4},    {q, most},
                                     {q - 1, most}, {most - 2, most - 2}, {q - 2, most - 7}};
  struct sim s;
  for (unsigned k = 0; k < sizeof from / sizeof from[0]; k++) {
    tb_reset(t);
    lm_sim_start_with(t, &s, from[k][0], from[k][1]);
    for (unsigned i = 0; i < N; i++) {
      for (unsigned n = 0; n < i % 5; n++) {
        const bool a = (i + n) % 3 > 0, b_hits = (i + n) % 4 > 1;
        const struct lm_in in = {.hit_valid_i = a,
                                 .hit_pc_i = i,
                                 .miss_valid_i = n > 0,
                                 .miss_pc_i = tb_chance(r, 80) ? i : 0,
                                 .miss_tag_hit_i = b_hits};
        lm_run_cycle(t, &s, &in);
      }
    }
    for (unsigned n = 0; n < 3; n++) lm_run_cycle(t, &s, &(struct lm_in){.window_end_i = n != 1, .query_hash_i = k});
    lm_run_cycle(t, &s, &(struct lm_in){0});
  }
}

static void lm_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias clear_cut = {100, 100, 4, 10, 0, CLEAR}, never = {0, 100, 4, 6, 0, NEVER};
  static const unsigned bins[] = {BIN_reset_in_monitor, BIN_reset_in_selected, BIN_reset_in_off};
  struct sim s;
  for (unsigned i = 0; i < 60; i++) {
    lm_sim_clear(&s);
    lm_run_random(t, r, &s, i % 2 ? &clear_cut : &never, 1 + tb_below(r, 60));
    tb_hit(t, bins[s.mode]);
    tb_reset(t);
  }
}

static const char *const phases[] = {"short_windows", "selects", "changes", "near_20", "off", "kernels", NULL};
static const struct tb_case cases[] = {
    {"each_bit", lm_case_each_bit},         {"each_selection", lm_case_each_selection},
    {"long_windows", lm_case_long_windows}, {"resets", lm_case_resets},
    {"many_windows", lm_case_many_windows}, {"each_number_of_windows", lm_case_each_number_of_windows},
    {"each_count", lm_case_each_count},     {"each_once", lm_case_each_once},
    {"saturations", lm_case_saturations},   {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 300000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases};
