/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of fsmon: entries are taken and freed near both ends of the memory and around free entries between. The
 * bench keeps one flag for each entry and finds the lowest free one by linear search.
 * docs/blocks/finereg/fsmon.md
 */
#include <string.h>

#include "blocks/finereg/fsmon.h"
#include "finereg_tb.h"

#define EXPECT fsmon
#define EXPECT_DEF "blocks/finereg/fsmon.def"
#include "expect.h"

/* one for each group of 32 entries */
#if TB_PARAM(NumEntries) == 512
#define GROUPS(B, p) TB_16(B, p)
#elif TB_PARAM(NumEntries) == 768
#define GROUPS(B, p) TB_24(B, p)
#elif TB_PARAM(NumEntries) == 1024
#define GROUPS(B, p) TB_32(B, p)
#elif TB_PARAM(NumEntries) == 1280
#define GROUPS(B, p) TB_40(B, p)
#elif TB_PARAM(NumEntries) == 1536
#define GROUPS(B, p) TB_48(B, p)
#else
#define EIGHTHS 8 /* other sizes: one for each eighth of the groups */
#define GROUPS(B, p) TB_8(B, p)
#endif

/* clang-format off */
#define BINS(B)                                                                                                     \
  GROUPS(B, taken_group_) TB_32(B, taken_bit_) GROUPS(B, freed_group_) TB_32(B, freed_bit_) GROUPS(B, hole_)           \
  GROUPS(B, group_filled_) GROUPS(B, group_opened_) GROUPS(B, skips_to_) B(full) B(last_taken) B(free_when_full)       \
  B(free_lowers) B(free_above) B(free_just_below) B(take_and_free_below) B(take_and_free_above)                     \
  B(take_last_and_free) B(take_free_same_group) B(take_free_fills_group) B(free_just_taken) B(take_just_freed)      \
  B(first_free_when_empty_but_one) B(empty_again) B(junk_without_valid) B(idle_full) B(full_for_long) B(reset_full) \
  B(reset_part)
/* clang-format on */
TB_BINS(BINS)

enum { N = TB_PARAM(NumEntries), INDEX_BITS = RT_CLOG2(N), NGROUPS = (N + 31) / 32 };
#ifdef EIGHTHS
#define GROUP_BIN(name, g) (BIN_##name##_0 + (g)*EIGHTHS / NGROUPS)
#else
#define GROUP_BIN(name, g) (BIN_##name##_0 + (g))
#endif
static unsigned fsmon_entries_of_group(unsigned g) { return g == NGROUPS - 1 ? N - 32 * g : 32; }
struct sim {
  uint32_t occ[NGROUPS];
  unsigned used, in_group[NGROUPS];
  unsigned taken, freed, full_for; /* entries taken and freed in the cycle before; N: none */
};

static void fsmon_sim_reset(struct sim *s) {
  memset(s, 0, sizeof *s);
  s->taken = s->freed = N;
}

static unsigned fsmon_sim_lowest_free(const struct sim *s) {
  unsigned i = 0;
  while (i < N && s->in_group[i / 32] == fsmon_entries_of_group(i / 32)) i += 32;
  while (i < N && finereg_bit_of(s->occ, i)) i++;
  return i < N ? i : N;
}

static void fsmon_compare_cycle(struct tb_run *t, const struct sim *s, const struct fsmon_in *in, unsigned low) {
  const struct fsmon_state was = *(const struct fsmon_state *)tb_model(t);
  const struct fsmon_out want = {.free_valid_o = low < N, .free_index_o = low % N, .free_count_o = N - s->used};
  struct fsmon_state state = {0};
  for (unsigned g = 0; g < NGROUPS; g++) state.occupied_q[g] = s->occ[g];
  expect_all(t, tb_step(t, in), &want, &was, &state);
}

static void fsmon_sim_take(struct tb_run *t, struct sim *s, unsigned i) {
  unsigned g = i / 32;
  tb_hit(t, GROUP_BIN(taken_group, g));
  tb_hit(t, BIN_taken_bit_0 + i % 32);
  if (i % 32 && i + 1 < N && finereg_bit_of(s->occ, i + 1)) tb_hit(t, GROUP_BIN(hole, g));
  if (g && s->in_group[g - 1] == 32 && s->in_group[g]) tb_hit(t, GROUP_BIN(skips_to, g));
  if (!g && s->in_group[0]) tb_hit(t, BIN_skips_to_0);
  if (i == N - 1) tb_hit(t, BIN_last_taken);
  if (s->freed == i) tb_hit(t, BIN_take_just_freed);
  finereg_put_bit(s->occ, i, true);
  s->used++;
  if (++s->in_group[g] == fsmon_entries_of_group(g)) tb_hit(t, GROUP_BIN(group_filled, g));
}

static void fsmon_sim_give_back(struct tb_run *t, struct sim *s, unsigned i, unsigned low) {
  unsigned g = i / 32;
  tb_hit(t, GROUP_BIN(freed_group, g));
  tb_hit(t, BIN_freed_bit_0 + i % 32);
  if (s->in_group[g] == fsmon_entries_of_group(g)) tb_hit(t, GROUP_BIN(group_opened, g));
  if (s->used == N) tb_hit(t, BIN_free_when_full);
  if (low < N) tb_hit(t, i < low ? BIN_free_lowers : BIN_free_above);
  if (i + 1 == low) tb_hit(t, BIN_free_just_below);
  if (s->taken == i) tb_hit(t, BIN_free_just_taken);
  finereg_put_bit(s->occ, i, false);
  s->used--, s->in_group[g]--;
  if (!s->used) tb_hit(t, BIN_empty_again);
}

static void fsmon_run_cycle(struct tb_run *t, struct sim *s, const struct fsmon_in *in) {
  unsigned low = fsmon_sim_lowest_free(s), gone = in->release_valid_i ? (unsigned)in->release_index_i : N;
  bool both = in->allocate_valid_i && in->release_valid_i;
  fsmon_compare_cycle(t, s, in, low);
  if (!in->release_valid_i && in->release_index_i) tb_hit(t, BIN_junk_without_valid);
  if (both) {
    tb_hit(t, gone < low ? BIN_take_and_free_below : BIN_take_and_free_above);
    if (s->used == N - 1) tb_hit(t, BIN_take_last_and_free);
    if (gone / 32 == low / 32)
      tb_hit(t, s->in_group[low / 32] + 1 == fsmon_entries_of_group(low / 32) ? BIN_take_free_fills_group
                                                                              : BIN_take_free_same_group);
  }
  if (in->release_valid_i && s->used == 1 && !both) tb_hit(t, BIN_first_free_when_empty_but_one);
  if (gone < N) fsmon_sim_give_back(t, s, gone, low);
  if (in->allocate_valid_i) fsmon_sim_take(t, s, low);
  s->full_for = s->used == N ? s->full_for + 1 : 0;
  if (s->full_for) tb_hit(t, s->full_for == 1 ? BIN_full : s->full_for > 20 ? BIN_full_for_long : BIN_idle_full);
  s->taken = in->allocate_valid_i ? low : N;
  s->freed = gone;
}

struct bias {
  unsigned fill, take, give; /* entries taken first, in percent of all; probabilities */
};

/* An occupied entry near the lowest free one, at a group's end, or the one taken last; N if
 * there is none. */
static unsigned fsmon_choose_occupied(struct tb_rng *r, const struct sim *s) {
  unsigned low = fsmon_sim_lowest_free(s);
  if (s->taken < N && tb_chance(r, 10)) return s->taken;
  if (low < N && low && tb_chance(r, 15)) return low - 1;
  for (unsigned k = 0; k < 40; k++) {
    unsigned i = tb_below(r, N);
    switch (tb_below(r, 5)) {
      case 0: i = low + tb_below(r, 64); break;
      case 1: i = low - tb_below(r, 64); break;
      case 2: i = i / 32 * 32 + 31 * (i & 1); break;
      case 3: i = tb_below(r, s->used + 1); break;
      default: break;
    }
    if (i < N && finereg_bit_of(s->occ, i)) return i;
  }
  return N;
}

static void fsmon_drive_inputs(struct tb_rng *r, const struct sim *s, struct fsmon_in *in, unsigned take,
                               unsigned give) {
  unsigned i = tb_chance(r, give) ? fsmon_choose_occupied(r, s) : N;
  in->release_valid_i = i < N;
  in->release_index_i = i < N ? i : tb_chance(r, 70) ? tb_bits(r, INDEX_BITS) : 0;
  in->allocate_valid_i = s->used < N && tb_chance(r, take);
}

static void fsmon_run_random(struct tb_run *t, struct tb_rng *r, struct sim *s, unsigned cycles, unsigned take,
                             unsigned give) {
  for (; cycles; cycles--) {
    struct fsmon_in in = {0};
    fsmon_drive_inputs(r, s, &in, take, give);
    fsmon_run_cycle(t, s, &in);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {{0, 40, 45},    {100, 60, 50}, {50, 50, 50},
                                     {100, 100, 90}, {100, 30, 95}, {7, 85, 80}};
  const struct bias *b = &bias[phase];
  struct sim s;
  fsmon_sim_reset(&s);
  unsigned fill = b->fill * N / 100;
  if (fill && fill < N) fill = 1 + tb_below(r, 2 * fill - 1);
  while (s.used < fill) fsmon_run_random(t, r, &s, 1, 100, 0);
  fsmon_run_random(t, r, &s, 50 + tb_below(r, 500), b->take, b->give);
  fsmon_run_random(t, r, &s, 20 + tb_below(r, 100), b->give, b->take);
}

/* Fills all entries, waits while full, and empties them in three orders. */
static void fsmon_case_whole_space(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  fsmon_sim_reset(&s);
  for (unsigned round = 0; round < 3; round++) {
    while (s.used < N) fsmon_run_random(t, r, &s, 1, 100, 0);
    fsmon_run_random(t, r, &s, 30, 100, 0);
    unsigned from = tb_below(r, N), step = round == 0 ? 1 : round == 1 ? N - 1 : 37; /* coprime to N */
    for (unsigned i = 0; i < N; i++) {
      struct fsmon_in in = {.release_valid_i = 1, .release_index_i = (from + step * i) % N};
      fsmon_run_cycle(t, &s, &in);
    }
  }
}

/* All entries but one are occupied, for each such entry: it is found and taken, and another is freed in the same cycle. */
static void fsmon_case_one_free(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  fsmon_sim_reset(&s);
  while (s.used < N) fsmon_run_random(t, r, &s, 1, 100, 0);
  struct fsmon_in first = {.release_valid_i = 1, .release_index_i = tb_below(r, N)};
  fsmon_run_cycle(t, &s, &first);
  for (unsigned i = 0, at = tb_below(r, N); i < N; i++) {
    at = (at + 389) % N;
    if (!finereg_bit_of(s.occ, at)) continue;
    struct fsmon_in in = {.allocate_valid_i = 1, .release_valid_i = 1, .release_index_i = at};
    fsmon_run_cycle(t, &s, &in);
  }
}

static void fsmon_case_resets(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  for (unsigned i = 0; i < 4; i++) {
    fsmon_sim_reset(&s);
    unsigned fill = i & 1 ? N : 1 + tb_below(r, N - 1);
    while (s.used < fill) fsmon_run_random(t, r, &s, 1, 100, 0);
    tb_hit(t, s.used == N ? BIN_reset_full : BIN_reset_part);
    tb_reset(t);
    fsmon_sim_reset(&s);
    fsmon_run_random(t, r, &s, 60, 50, 30);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct fsmon_state *st = model;
  const struct fsmon_in *in = vin;
  bool full = true;
  (void)last_in, (void)last_out;
  for (unsigned g = 0; g < NGROUPS; g++) full = full && st->occupied_q[g] == (1ull << fsmon_entries_of_group(g)) - 1;
  if (in->allocate_valid_i && full) return "allocate_valid_i without free_valid_o";
  if (in->release_valid_i && !(st->occupied_q[in->release_index_i / 32] >> in->release_index_i % 32 & 1))
    return "release_valid_i of an entry that is free";
  return NULL;
}

static const char *const phases[] = {"near_empty", "near_full", "half", "full", "draining", "first_groups", NULL};
static const struct tb_case cases[] = {{"whole_space", fsmon_case_whole_space},
                                       {"one_free", fsmon_case_one_free},
                                       {"resets", fsmon_case_resets},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 250000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
