/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of sthld: changes of IPC near the border and far from it, counts of 32 bits, curves that fall behind a knee, the
 * built-in table and others. Its prediction has the page's table as numbers and divides by 50. docs/blocks/malekeh/sthld.md
 */
#include <string.h>

#include "blocks/malekeh/sthld.h"
#include "tb.h"

#define EXPECT sthld
#define EXPECT_DEF "blocks/malekeh/sthld.def"
#include "expect.h"

#define OF_ROWS(B, p) TB_12(B, p)
#define OF_STATES(B, p) B(p##start) B(p##flat) B(p##guess) B(p##steep) B(p##settle) B(p##hold)
/* clang-format off */
/* Rows of both tables; top_: taken at 63. next_ and to_top_ are the states that other tables lead to. delta_: its four bits.
   moved_row_, still_row_: rows of the built-in table, off the limits, behind a tick that moved the threshold or did not. */
#define BINS(B)                                                                                                    \
  OF_ROWS(B, row_) OF_ROWS(B, other_row_) OF_ROWS(B, other_top_) OF_ROWS(B, other_mv_) TB_16(B, delta_)              \
  OF_STATES(B, next_) OF_STATES(B, to_top_) TB_64(B, sth_) B(flat_to_hold_at_63) B(flat_large_at_63)               \
  B(guess_small_at_63) B(guess_large_at_63) B(hold_large_at_63) B(saturates_high) B(saturates_low) B(reaches_63)   \
  B(reaches_0) B(at_0_stays) B(mv_moved) B(mv_did_not_move) B(mv_zero_step) B(other_mv_moved)                      \
  B(other_mv_did_not_move) B(exact_up) B(exact_down) B(one_more_up) B(one_more_down) B(one_less_up)                \
  B(one_less_down) B(no_change) B(prev_0_cur_0) B(prev_0_cur_1) B(prev_below_50_small) B(prev_below_50_large)      \
  B(cur_0) B(cur_max) B(prev_max) B(cur_max_prev_0) B(cur_0_prev_max) B(large_product) B(tick_behind_tick)         \
  B(tick_later) B(small_then_large) B(large_then_small) B(other_behind_built_in) B(built_in_behind_other)         \
  B(state_of_other_table) B(junk_cur) B(junk_table) B(other_without_tick) B(settled) B(hold_left) B(knee_found)   \
  B(knee_at_0) B(reset_in_hold) B(reset_elsewhere) B(reset_moved) OF_ROWS(B, moved_row_) OF_ROWS(B, still_row_)
/* clang-format on */
TB_BINS(BINS)

enum { MOVED = TB_PARAM(Moved), ROWS = STHLD_ROWS, ROW_BITS = 11, MOST = 63, SETTLES = 64 };

struct row {
  int delta;
  bool moved; /* the step is taken only if the last tick has changed the threshold */
  unsigned next, top;
};
static const struct row built_in[ROWS] = {
    {1, false, STHLD_FLAT, STHLD_FLAT},    {1, false, STHLD_FLAT, STHLD_FLAT},    {1, false, STHLD_FLAT, STHLD_HOLD},
    {1, false, STHLD_GUESS, STHLD_GUESS},  {1, false, STHLD_FLAT, STHLD_FLAT},    {-1, false, STHLD_STEEP, STHLD_STEEP},
    {1, true, STHLD_SETTLE, STHLD_SETTLE}, {-1, false, STHLD_STEEP, STHLD_STEEP}, {0, false, STHLD_HOLD, STHLD_HOLD},
    {0, false, STHLD_HOLD, STHLD_HOLD},    {0, false, STHLD_HOLD, STHLD_HOLD},    {1, false, STHLD_GUESS, STHLD_GUESS},
};

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  unsigned state;
  int sth;
  uint32_t prev;
  bool moved;
  struct row other[ROWS]; /* the table on the port */
  /* for bins: of the last tick */
  bool ticked, any_tick, was_large, was_other;
  unsigned small; /* ticks with S and the built-in table, one after the other */
  int held;       /* threshold of the hold that this state is */
};

static void sthld_any_table(struct sim *s) {
  for (unsigned i = 0; i < ROWS; i++)
    s->other[i] =
        (struct row){(int)tb_below(s->r, 16) - 8, tb_chance(s->r, 40), 1 + tb_below(s->r, 6), 1 + tb_below(s->r, 6)};
}

static void sthld_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r, s->state = STHLD_START;
  sthld_any_table(s);
}

static uint32_t sthld_change_of(const struct sim *s, uint32_t cur) {
  return cur > s->prev ? cur - s->prev : s->prev - cur;
}
static bool sthld_is_large(const struct sim *s, uint32_t cur) { return sthld_change_of(s, cur) > s->prev / 50; }

/* ---- bins ---- */

static void sthld_bins_of_change(struct sim *s, uint32_t cur) {
  uint32_t d = sthld_change_of(s, cur), p = s->prev, limit = p / 50;
  bool up = cur > p, exact = p && p % 50 == 0;
  tb_hit_if(s->t, exact && d == limit, up ? BIN_exact_up : BIN_exact_down);
  tb_hit_if(s->t, exact && d == limit + 1, up ? BIN_one_more_up : BIN_one_more_down);
  tb_hit_if(s->t, exact && d && d + 1 == limit, up ? BIN_one_less_up : BIN_one_less_down);
  tb_hit_if(s->t, p && !d, BIN_no_change);
  tb_hit_if(s->t, !p && !cur, BIN_prev_0_cur_0);
  tb_hit_if(s->t, !p && cur == 1, BIN_prev_0_cur_1);
  tb_hit_if(s->t, p && p < 50, d ? BIN_prev_below_50_large : BIN_prev_below_50_small);
  tb_hit_if(s->t, p && !cur, BIN_cur_0);
  tb_hit_if(s->t, cur == UINT32_MAX, BIN_cur_max);
  tb_hit_if(s->t, p == UINT32_MAX, BIN_prev_max);
  tb_hit_if(s->t, !p && cur == UINT32_MAX, BIN_cur_max_prev_0);
  tb_hit_if(s->t, p == UINT32_MAX && !cur, BIN_cur_0_prev_max);
  tb_hit_if(s->t, UINT64_C(50) * d >> 37 && (UINT64_C(50) * d & 0x1fffffffff) < p, BIN_large_product);
  if (!s->any_tick) return;
  tb_hit_if(s->t, sthld_is_large(s, cur) && !s->was_large, BIN_small_then_large);
  tb_hit_if(s->t, !sthld_is_large(s, cur) && s->was_large, BIN_large_then_small);
}

static void sthld_bins_of_built_in(struct sim *s, unsigned n) {
  tb_hit(s->t, BIN_row_0 + n);
  tb_hit_if(s->t, s->sth && s->sth < MOST, (s->moved ? BIN_moved_row_0 : BIN_still_row_0) + n);
  tb_hit_if(s->t, n == 6, s->moved ? BIN_mv_moved : BIN_mv_did_not_move);
  tb_hit_if(s->t, n == 11, BIN_hold_left);
  tb_hit_if(s->t, s->any_tick && s->was_other, BIN_built_in_behind_other);
  if (s->sth < MOST) return;
  tb_hit_if(s->t, n == 2, BIN_flat_to_hold_at_63);
  tb_hit_if(s->t, n == 3, BIN_flat_large_at_63);
  tb_hit_if(s->t, n == 4, BIN_guess_small_at_63);
  tb_hit_if(s->t, n == 5, BIN_guess_large_at_63);
  tb_hit_if(s->t, n == 11, BIN_hold_large_at_63);
}

static void sthld_bins_of_other(struct sim *s, unsigned n) {
  const struct row *row = &s->other[n];
  tb_hit(s->t, (s->sth == MOST ? BIN_other_top_0 : BIN_other_row_0) + n);
  tb_hit(s->t, BIN_delta_0 + (unsigned)(row->delta & 15));
  tb_hit(s->t, s->sth == MOST ? BIN_to_top_start + row->top - 1 : BIN_next_start + row->next - 1);
  tb_hit_if(s->t, row->moved, BIN_other_mv_0 + n);
  tb_hit_if(s->t, row->moved && row->delta, s->moved ? BIN_other_mv_moved : BIN_other_mv_did_not_move);
  tb_hit_if(s->t, row->moved && !row->delta, BIN_mv_zero_step);
  tb_hit_if(s->t, s->any_tick && !s->was_other, BIN_other_behind_built_in);
  tb_hit_if(s->t, s->any_tick && s->was_other, BIN_state_of_other_table);
}

/* ---- a cycle ---- */

static void sthld_sim_tick(struct sim *s, uint32_t cur, bool other) {
  const bool large = sthld_is_large(s, cur);
  const unsigned n = 2 * (s->state - 1) + large;
  const struct row *row = other ? &s->other[n] : &built_in[n];
  sthld_bins_of_change(s, cur);
  if (other) {
    sthld_bins_of_other(s, n);
  } else {
    sthld_bins_of_built_in(s, n);
  }
  int sth = s->sth + (MOVED && row->moved && !s->moved ? 0 : row->delta);
  tb_hit_if(s->t, sth > MOST, BIN_saturates_high);
  tb_hit_if(s->t, sth < 0, BIN_saturates_low);
  if (sth > MOST) sth = MOST;
  if (sth < 0) sth = 0;
  tb_hit_if(s->t, sth == MOST && s->sth < MOST, BIN_reaches_63);
  tb_hit_if(s->t, !sth && s->sth, BIN_reaches_0);
  tb_hit_if(s->t, !sth && !s->sth && row->delta < 0, BIN_at_0_stays);
  tb_hit_if(s->t, s->any_tick, s->ticked ? BIN_tick_behind_tick : BIN_tick_later);
  s->state = s->sth == MOST ? row->top : row->next;
  s->moved = sth != s->sth;
  s->sth = sth, s->prev = cur;
  s->any_tick = true, s->was_large = large, s->was_other = other;
  s->small = other || large ? 0 : s->small + 1;
}

/* The page's invariant 3. */
static void sthld_check_settled(struct sim *s) {
  if (s->small < SETTLES) return;
  tb_expect(s->t, s->state == STHLD_HOLD, "after %u small changes the state is %u", s->small, s->state);
  if (s->small == SETTLES) s->held = s->sth;
  tb_expect(s->t, s->sth == s->held, "the threshold that was held changes from %d to %d", s->held, s->sth);
  tb_hit(s->t, BIN_settled);
}

static void sthld_run_cycle(struct sim *s, bool ticks, uint32_t cur, bool other) {
  const struct sthld_state is = *(const struct sthld_state *)tb_model(s->t);
  const struct sthld_state state = {
      .state_q = s->state, .threshold_q = (uint64_t)s->sth, .last_instructions_q = s->prev, .moved_q = s->moved};
  const struct sthld_out want = {.threshold_o = (uint64_t)s->sth};
  struct sthld_in in = {.tick_i = ticks, .instructions_i = cur, .table_valid_i = other};
  for (unsigned i = 0; i < ROWS; i++) {
    const struct row *row = &s->other[i];
    in.table_i[i] = (uint16_t)((row->delta & 15) | row->moved << 4 | (int)row->next << 5 | (int)row->top << 8);
  }
  if (!ticks || !other) { /* then the table means nothing, and may be illegal */
    uint32_t any[RT_WORDS(ROWS * ROW_BITS)];
    const bool is_any = tb_chance(s->r, 50);
    if (is_any) tb_words(s->r, any, ROWS * ROW_BITS);
    for (unsigned i = 0; is_any && i < ROWS; i++) in.table_i[i] = (uint16_t)words_get(any, i * ROW_BITS, ROW_BITS);
    tb_hit(s->t, BIN_junk_table);
  }
  expect_all(s->t, tb_step(s->t, &in), &want, &is, &state);
  tb_hit(s->t, BIN_sth_0 + (unsigned)s->sth);
  tb_hit_if(s->t, !ticks && cur != s->prev, BIN_junk_cur);
  tb_hit_if(s->t, !ticks && other, BIN_other_without_tick);
  if (ticks) {
    sthld_sim_tick(s, cur, other);
    sthld_check_settled(s);
  }
  s->ticked = ticks;
}

/* ---- stimulus ---- */

enum change { SMALL, LARGE, BORDER, EXTREME, ANY, MIXED };

static uint32_t sthld_some_extreme(struct sim *s) {
  static const uint32_t values[] = {0, 1, 49, 50, 51, 100, 0x7fffffff, 0x80000000, UINT32_MAX - 1, UINT32_MAX};
  if (tb_chance(s->r, 20)) return (1u << tb_below(s->r, 32)) - tb_chance(s->r, 50);
  return values[tb_below(s->r, sizeof values / sizeof values[0])];
}

/* One of the counts within the range, or another one. */
static uint32_t sthld_move_count(struct sim *s, uint64_t change, bool up) {
  if (up ? s->prev + change > UINT32_MAX : change > s->prev) up = !up;
  return (uint32_t)(up ? s->prev + change : s->prev - change);
}

static uint32_t sthld_next_count(struct sim *s, enum change how) {
  static const enum change all[] = {SMALL, LARGE, BORDER, EXTREME, ANY};
  bool up = tb_chance(s->r, 50);
  if (how == MIXED) how = all[tb_below(s->r, 5)];
  if (s->prev < 1000 && how < EXTREME && tb_chance(s->r, 70))
    return (uint32_t)tb_bits(s->r, 10 + tb_below(s->r, 23)) / 50 * 50;
  switch (how) {
    case SMALL: return sthld_move_count(s, tb_below(s->r, s->prev / 50 + 1), up);
    case LARGE: return sthld_move_count(s, s->prev / 50 + 1 + tb_below(s->r, s->prev / 4 + 1), up);
    case BORDER: {
      uint32_t limit = s->prev / 50;
      if (tb_chance(s->r, 30)) return s->prev / 50 * 50;
      return sthld_move_count(s, limit + tb_below(s->r, 3) - (limit ? 1 : 0), up);
    }
    case EXTREME: return sthld_some_extreme(s);
    default: return (uint32_t)tb_bits(s->r, 1 + tb_below(s->r, 32));
  }
}

struct bias {
  unsigned tick, other, table; /* probabilities of a tick, of a table on the port, of another one */
  enum change how[2];          /* before and after the half */
  unsigned turn;               /* from one to the other, in 1000 */
};

static void sthld_run_random(struct sim *s, const struct bias *b, unsigned cycles) {
  unsigned half = 0;
  bool other = tb_chance(s->r, b->other);
  for (; cycles; cycles--) {
    if (tb_chance(s->r, 5)) other = tb_chance(s->r, b->other);
    if (tb_chance(s->r, b->table)) sthld_any_table(s);
    if (tb_below(s->r, 1000) < b->turn) half = 1 - half;
    sthld_run_cycle(s, tb_chance(s->r, b->tick), sthld_next_count(s, b->how[half]), other);
  }
}

static const char *const phases[] = {"small",  "large", "waves",      "border",      "extremes", "any",
                                     "tables", "slow",  "tables_any", "rare_tables", NULL};
static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {90, 0, 0, {SMALL, SMALL}, 0},     {90, 0, 0, {LARGE, LARGE}, 0},    {95, 0, 0, {SMALL, LARGE}, 150},
      {90, 0, 0, {BORDER, BORDER}, 0},   {90, 20, 5, {EXTREME, ANY}, 50},  {80, 0, 0, {ANY, MIXED}, 20},
      {90, 100, 20, {SMALL, LARGE}, 80}, {15, 40, 5, {SMALL, LARGE}, 100}, {90, 100, 80, {MIXED, BORDER}, 30},
      {90, 15, 5, {SMALL, LARGE}, 60},
  };
  struct sim s;
  sthld_sim_begin(&s, t, r);
  sthld_run_random(&s, &bias[phase], 20 + tb_below(r, 180));
}

/* Counts whose difference times 50 is just above a power of two, so that any cut of the product would make it small. */
static void sthld_case_products(struct tb_run *t, struct tb_rng *r) {
  static const uint32_t start[] = {49,   50,       51,       99,       100,         150,
                                   5000, 1u << 20, 1u << 30, 1u << 31, 3000000000u, UINT32_MAX};
  struct sim s;
  sthld_sim_begin(&s, t, r);
  for (unsigned i = 0; i < sizeof start / sizeof start[0]; i++) {
    for (unsigned k = 5; k < 38; k++) {
      for (unsigned less = 0; less < 2; less++) {
        uint64_t d = ((UINT64_C(1) << k) + 49) / 50 - less;
        sthld_run_cycle(&s, true, start[i], false);
        if (d <= start[i]) sthld_run_cycle(&s, true, start[i] - (uint32_t)d, false);
        sthld_run_cycle(&s, true, start[i], false);
        if (start[i] + d <= UINT32_MAX) sthld_run_cycle(&s, true, start[i] + (uint32_t)d, false);
      }
    }
  }
}

/* From each count a change at the border, up and down, one less and one more. */
static void sthld_case_borders(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  sthld_sim_begin(&s, t, r);
  for (unsigned bit = 0; bit < 32; bit++) {
    for (unsigned k = 0; k < 24; k++) {
      uint32_t from = (1u << bit) + (uint32_t)tb_bits(r, bit), limit;
      if (k % 2) from = from / 50 * 50;
      limit = from / 50 + k / 2 % 3;
      limit -= limit > 0;
      sthld_run_cycle(&s, true, from, false);
      if (k / 12 && from > UINT32_MAX - limit) continue;
      sthld_run_cycle(&s, true, k / 12 ? from + limit : from - limit, false);
    }
  }
}

/* A walk of the controller on a curve of IPC that is flat up to a knee and falls behind it. */
static void sthld_case_knees(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  for (int knee = 0; knee <= MOST - 2; knee++) {
    sthld_sim_begin(&s, t, r);
    for (int i = 0; i < knee + 12; i++) {
      uint32_t ipc = 100000;
      for (int k = knee; k < s.sth; k++) ipc -= ipc / 20;
      if (tb_chance(r, 20)) sthld_run_cycle(&s, false, ipc + 5000, tb_chance(r, 50));
      sthld_run_cycle(&s, true, ipc, false);
    }
    /* without a row's bit `moved` the walk back from a knee at 0 ends one step above it */
    int end = knee || MOVED ? knee : 1;
    tb_expect(t, s.state == STHLD_HOLD, "knee %d: the state is %u", knee, s.state);
    tb_expect(t, s.sth == end, "knee %d: the threshold is %d, expected %d", knee, s.sth, end);
    tb_hit(t, knee ? BIN_knee_found : BIN_knee_at_0);
    tb_reset(t);
  }
}

/* At 63 each way that the built-in table has there. */
static void sthld_case_top(struct tb_run *t, struct tb_rng *r) {
  static const char *const ways[] = {"", "L", "LS", "LL", "SSL", "SL", "SLSS", "SLLLL", "LSSL", "SLSLSL"};
  struct sim s;
  for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    uint32_t ipc = 1000000;
    sthld_sim_begin(&s, t, r);
    while (s.sth < MOST) sthld_run_cycle(&s, true, ipc, false);
    for (const char *p = ways[i]; *p; p++) {
      ipc = *p == 'S' ? ipc + ipc / 100 : ipc - ipc / 4;
      sthld_run_cycle(&s, true, ipc, false);
    }
    for (unsigned k = 0; k < SETTLES + 4; k++) sthld_run_cycle(&s, true, ipc, false);
    tb_reset(t);
  }
}

/* To a threshold by a table on the port, whose rows all lead to `state`; then a tick that moves it there, or one that does not. */
static void sthld_lead_to(struct sim *s, unsigned state, int goal, bool moves) {
  const int from = !moves ? goal : goal ? goal - 1 : 1;
  for (bool there = false; !there;) {
    const int step = from - s->sth < -8 ? -8 : from - s->sth > 7 ? 7 : from - s->sth;
    for (unsigned k = 0; k < ROWS; k++) s->other[k] = (struct row){step, false, state, state};
    there = s->sth == from; /* then this tick does not move it */
    sthld_run_cycle(s, true, 1000, true);
  }
  if (!moves) return;
  for (unsigned k = 0; k < ROWS; k++) s->other[k] = (struct row){goal - from, false, state, state};
  sthld_run_cycle(s, true, 1000, true);
}

/* Each row of the built-in table, also where it does not lead itself: behind a move and behind none, at the limits and off them. */
static void sthld_case_built_in_rows(struct tb_run *t, struct tb_rng *r) {
  static const int at[] = {0, 1, 31, MOST - 1, MOST};
  struct sim s;
  sthld_sim_begin(&s, t, r);
  for (unsigned n = 0; n < ROWS; n++) {
    for (unsigned k = 0; k < 2 * sizeof at / sizeof at[0]; k++) {
      sthld_lead_to(&s, 1 + n / 2, at[k / 2], k % 2);
      sthld_run_cycle(&s, true, n % 2 ? 2000 : 1000, false);
    }
  }
}

/* Each row with each delta and both bits, at both limits and next to them. */
static void sthld_case_rows(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  sthld_sim_begin(&s, t, r);
  for (unsigned i = 0; i < ROWS * 16 * 2; i++) {
    const unsigned n = i % ROWS;
    const int delta = (int)(i / ROWS % 16) - 8;
    for (unsigned at = 0; at < 4; at++) {
      struct row *q = s.other;
      const int goal = at % 2 ? MOST - (int)at / 2 : (int)at / 2;
      while (s.sth != goal) { /* any way there, every row the same step */
        int step = goal - s.sth < -8 ? -8 : goal - s.sth > 7 ? 7 : goal - s.sth;
        for (unsigned k = 0; k < ROWS; k++) q[k] = (struct row){step, false, 1 + n / 2, 1 + n / 2};
        sthld_run_cycle(&s, true, 1000, true);
      }
      /* the state is that of row n; now its own change, after one that did not move it */
      for (unsigned still = 0; still < tb_chance(r, 50) + 1u; still++) {
        for (unsigned k = 0; k < ROWS; k++) q[k] = (struct row){0, true, 1 + n / 2, 1 + n / 2};
        if (still || s.state != 1 + n / 2) sthld_run_cycle(&s, true, 1000, true);
      }
      sthld_any_table(&s);
      q[n].delta = delta, q[n].moved = i / ROWS / 16;
      sthld_run_cycle(&s, true, n % 2 ? 2000 : 1000, true);
    }
  }
}

static void sthld_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias some_of_all = {90, 20, 10, {SMALL, LARGE}, 50};
  struct sim s;
  for (unsigned i = 0; i < 40; i++) {
    sthld_sim_begin(&s, t, r);
    sthld_run_random(&s, &some_of_all, 1 + tb_below(r, i % 4 ? 30 : 100));
    tb_hit(t, s.state == STHLD_HOLD ? BIN_reset_in_hold : BIN_reset_elsewhere);
    tb_hit_if(t, s.moved, BIN_reset_moved);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct sthld_in *in = vin;
  (void)model, (void)last_in, (void)last_out;
  for (unsigned i = 0; in->tick_i && in->table_valid_i && i < ROWS; i++) {
    const unsigned next = in->table_i[i] >> 5 & 7, at_top = in->table_i[i] >> 8 & 7;
    if (next < 1 || next > 6 || at_top < 1 || at_top > 6) return "a row that leads to a state that does not exist";
  }
  return NULL;
}

static const struct tb_case cases[] = {{"products", sthld_case_products}, {"borders", sthld_case_borders},
                                       {"knees", sthld_case_knees},       {"top", sthld_case_top},
                                       {"rows", sthld_case_rows},         {"built_in_rows", sthld_case_built_in_rows},
                                       {"resets", sthld_case_resets},     {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 100000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
