/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of limit: periods with chosen numbers of idle and memory cycles, at every border of the decision, by a wait in the
 * last cycle or without one; starts everywhere. Its prediction counts from the last start on. docs/blocks/example/limit.md
 */
#include <string.h>

#include "blocks/example/limit.h"
#include "tb.h"

#define EXPECT limit
#define EXPECT_DEF "blocks/example/limit.def"
#include "expect.h"

#define OF_LAST(B, p) B(p##none) B(p##idle) B(p##mem)
#define OF_PLACES(B, p) B(p##between) B(p##lowest) B(p##highest) B(p##only)
/* clang-format off */
#define OF_CTAS(B, p)                                                                                               \
  B(p##1) B(p##2) B(p##3) B(p##4) B(p##5) B(p##6) B(p##7) B(p##8) B(p##9) TB_10(B, p##1) TB_10(B, p##2) B(p##30)     \
  B(p##31) B(p##32)
/* What the last cycle of the period was ends the names of the borders: those that decide, with limit_q between 1 and max_ctas_q. at_:
   idle is Idle, over_: Idle + 1, with a mem that alone would hold or lessen. The places are those of limit_q before the decision.
   start_last_: in the last cycle of a period, which would have decided so. skip_: with what the held inputs count. */
#define BINS(B)                                                                                                     \
  OF_LAST(B, at_hold_) OF_LAST(B, at_less_) OF_LAST(B, over_hold_) OF_LAST(B, over_less_) OF_LAST(B, low_less_1_)    \
  OF_LAST(B, low_) OF_LAST(B, high_) OF_LAST(B, high_plus_1_) OF_PLACES(B, less_) OF_PLACES(B, same_)                \
  OF_PLACES(B, more_) B(all_idle) B(all_mem) B(no_wait) B(all_wait) B(idle_largest) B(mem_largest)                   \
  B(behind_less) B(behind_same) B(behind_more) B(no_start_yet) OF_CTAS(B, n_) OF_CTAS(B, max_) B(start_first)        \
  B(start_middle) B(start_last_less) B(start_last_same) B(start_last_more) OF_LAST(B, start_) B(start_twice)         \
  B(start_below_n) B(start_raises) B(other_max_0) B(other_max_above_32) B(other_max_below_n) B(other_max_above_max)  \
  OF_LAST(B, skip_) B(busy) B(reset_counts) B(reset_n) B(reset_last)
/* clang-format on */
TB_BINS(BINS)

enum {
  PERIOD = 1 << TB_PARAM(Period),
  IDLE = TB_PARAM(Idle),
  LOW = TB_PARAM(Low),
  HIGH = TB_PARAM(High),
  MIDDLE = (LOW + HIGH) / 2,
  MOST = 32,
};

enum wait { NONE, FOR_IDLE, FOR_MEM };

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  unsigned n, max;
  uint64_t cycles, waits[3]; /* since the last start or reset: all, and those of each wait */
  uint64_t before[3];        /* waits of the periods that have ended */
  enum wait held;            /* the wait of the last cycle */
  /* for bins */
  bool started, start_last, decided;
  int change; /* of the last period */
};

/* The kernel's count begins again: nothing has waited. */
static void limit_sim_restart(struct sim *s) {
  s->cycles = 0;
  memset(s->waits, 0, sizeof s->waits);
  memset(s->before, 0, sizeof s->before);
}

static void limit_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r, s->n = s->max = 1;
}

static unsigned limit_sim_period_cycle(const struct sim *s) { return (unsigned)(s->cycles % PERIOD); }
static bool limit_sim_is_last(const struct sim *s) { return limit_sim_period_cycle(s) == PERIOD - 1; }
static unsigned limit_sim_counted(const struct sim *s, enum wait w) { return (unsigned)(s->waits[w] - s->before[w]); }

/* ---- the prediction ---- */

static struct limit_state limit_predicted_state(const struct sim *s) {
  return (struct limit_state){.limit_q = s->n,
                              .max_ctas_q = s->max,
                              .cycle_q = limit_sim_period_cycle(s),
                              .idle_cycles_q = limit_sim_counted(s, FOR_IDLE),
                              .memory_cycles_q = limit_sim_counted(s, FOR_MEM)};
}

/* How a period with so many waits changes the number of CTAs. */
static int change_by(unsigned idle, unsigned mem) {
  if (idle > IDLE || mem < LOW) return 1;
  return mem > HIGH ? -1 : 0;
}

static int change_with(const struct sim *s, enum wait w) {
  return change_by(limit_sim_counted(s, FOR_IDLE) + (w == FOR_IDLE), limit_sim_counted(s, FOR_MEM) + (w == FOR_MEM));
}

/* ---- bins ---- */

static void limit_bins_of_borders(struct sim *s, unsigned idle, unsigned mem, enum wait w) {
  if (s->n == 1 || s->n == s->max) return;
  if (mem >= LOW) {
    const bool less = mem > HIGH;
    tb_hit_if(s->t, idle == IDLE, (less ? BIN_at_less_none : BIN_at_hold_none) + w);
    tb_hit_if(s->t, idle == IDLE + 1, (less ? BIN_over_less_none : BIN_over_hold_none) + w);
  }
  if (idle > IDLE) return;
  tb_hit_if(s->t, mem + 1 == LOW, BIN_low_less_1_none + w);
  tb_hit_if(s->t, mem == LOW, BIN_low_none + w);
  tb_hit_if(s->t, mem == HIGH, BIN_high_none + w);
  tb_hit_if(s->t, mem == HIGH + 1, BIN_high_plus_1_none + w);
}

static void limit_bins_of_decision(struct sim *s, enum wait w, uint64_t max_ctas_i) {
  const unsigned idle = limit_sim_counted(s, FOR_IDLE) + (w == FOR_IDLE),
                 mem = limit_sim_counted(s, FOR_MEM) + (w == FOR_MEM);
  const unsigned place = s->max == 1 ? 3 : s->n == s->max ? 2 : s->n == 1;
  const int change = change_by(idle, mem);
  limit_bins_of_borders(s, idle, mem, w);
  tb_hit(s->t, (change < 0 ? BIN_less_between : change ? BIN_more_between : BIN_same_between) + place);
  tb_hit_if(s->t, idle == PERIOD, BIN_all_idle);
  tb_hit_if(s->t, mem == PERIOD && s->n > 1, BIN_all_mem);
  tb_hit_if(s->t, !idle && !mem, BIN_no_wait);
  tb_hit_if(s->t, idle && mem && idle + mem == PERIOD, BIN_all_wait);
  tb_hit_if(s->t, idle - (w == FOR_IDLE) == PERIOD - 1, BIN_idle_largest);
  tb_hit_if(s->t, mem - (w == FOR_MEM) == PERIOD - 1, BIN_mem_largest);
  tb_hit_if(s->t, s->decided, BIN_behind_same + (unsigned)s->change);
  tb_hit_if(s->t, !s->started, BIN_no_start_yet);
  tb_hit_if(s->t, change > 0 && max_ctas_i < s->n, BIN_other_max_below_n);
  tb_hit_if(s->t, change > 0 && s->n == s->max && max_ctas_i > s->max, BIN_other_max_above_max);
}

static void limit_bins_of_start(struct sim *s, unsigned max, enum wait w) {
  if (limit_sim_is_last(s)) tb_hit(s->t, BIN_start_last_same + (unsigned)change_with(s, w));
  tb_hit_if(s->t, !limit_sim_period_cycle(s) && s->decided, BIN_start_first);
  tb_hit_if(s->t, limit_sim_period_cycle(s) && !limit_sim_is_last(s), BIN_start_middle);
  tb_hit_if(s->t, s->start_last, BIN_start_twice);
  tb_hit_if(s->t, max < s->n, BIN_start_below_n);
  tb_hit_if(s->t, max > s->max, BIN_start_raises);
  tb_hit(s->t, BIN_start_none + w);
  tb_hit(s->t, BIN_max_1 + max - 1);
}

/* ---- a cycle ---- */

/* The page's invariants, of the registers before and behind a clock edge. */
static void limit_check_invariants(struct sim *s, const struct limit_state *was, const struct limit_state *is,
                                   bool start) {
  const uint64_t step = is->limit_q > was->limit_q ? is->limit_q - was->limit_q : was->limit_q - is->limit_q;
  tb_expect(s->t, is->limit_q >= 1 && is->limit_q <= is->max_ctas_q && is->max_ctas_q <= MOST,
            "invariant 1: limit_q %u, max_ctas_q %u", (unsigned)is->limit_q, (unsigned)is->max_ctas_q);
  tb_expect(s->t, start || step <= (was->cycle_q == PERIOD - 1),
            "invariant 2: limit_q changes by %u in cycle %u of the period", (unsigned)step, (unsigned)was->cycle_q);
  tb_expect(s->t, is->idle_cycles_q + is->memory_cycles_q <= is->cycle_q,
            "invariant 3: idle_cycles_q %u, memory_cycles_q %u, cycle_q %u", (unsigned)is->idle_cycles_q,
            (unsigned)is->memory_cycles_q, (unsigned)is->cycle_q);
  tb_expect(s->t, is->cycle_q < PERIOD, "invariant 4: cycle_q %u", (unsigned)is->cycle_q);
}

/* limit_idle gives the cycles before the next decision, not only fewer of them, as the engine requires; and limit_skip adds up
   any number of them at once, where the engine takes 40 at most. */
static void limit_check_idle(struct sim *s) {
  struct limit copy = *(const struct limit *)tb_model(s->t);
  struct limit_state is, want = limit_predicted_state(s);
  const uint64_t rest = PERIOD - 1 - limit_sim_period_cycle(s), idle = limit_idle(&copy);
  const uint64_t n = tb_chance(s->r, 30) ? rest : tb_below(s->r, (unsigned)rest + 1);
  tb_expect(s->t, idle == rest, "limit_idle is %llu, expected %llu", (unsigned long long)idle,
            (unsigned long long)rest);
  tb_hit_if(s->t, !rest, BIN_busy);
  if (!n || !tb_chance(s->r, 20)) return;
  limit_skip(&copy, n);
  memcpy(&is, &copy, sizeof is);
  want.cycle_q += n;
  want.idle_cycles_q += s->held == FOR_IDLE ? n : 0;
  want.memory_cycles_q += s->held == FOR_MEM ? n : 0;
  tb_expect(s->t, !memcmp(&is, &want, offsetof(struct limit_state, end_of_state)),
            "limit_skip(%llu): cycle_q %llu, idle_cycles_q %llu, memory_cycles_q %llu, expected %llu, %llu, %llu",
            (unsigned long long)n, (unsigned long long)is.cycle_q, (unsigned long long)is.idle_cycles_q,
            (unsigned long long)is.memory_cycles_q, (unsigned long long)want.cycle_q,
            (unsigned long long)want.idle_cycles_q, (unsigned long long)want.memory_cycles_q);
  tb_hit(s->t, BIN_skip_none + s->held);
}

static void limit_edge(struct sim *s, unsigned start, enum wait w) {
  const int change = change_with(s, w);
  if (start) {
    s->max = start;
    s->n = start < 2 ? 1 : start / 2;
    limit_sim_restart(s);
  } else {
    const bool ends = limit_sim_is_last(s);
    s->cycles++;
    s->waits[w]++;
    if (ends) {
      memcpy(s->before, s->waits, sizeof s->before);
      if (change > 0 && s->n < s->max) s->n++;
      if (change < 0 && s->n > 1) s->n--;
      s->decided = true, s->change = change;
    }
  }
  s->held = w;
  s->start_last = start;
  if (start) s->started = true, s->decided = false;
}

/* start: the CTAs that fit, 0 for no start. */
static void limit_run_cycle(struct sim *s, unsigned start, enum wait w) {
  const struct limit_state is = *(const struct limit_state *)tb_model(s->t), want = limit_predicted_state(s);
  const struct limit_out out = {.limit_o = s->n};
  const struct limit_in in = {.start_i = start > 0,
                              .max_ctas_i = start ? start : tb_bits(s->r, 6), /* without a start it means nothing */
                              .idle_i = w == FOR_IDLE,
                              .memory_i = w == FOR_MEM};
  const bool decides = !start && limit_sim_is_last(s);
  if (start) {
    limit_bins_of_start(s, start, w);
  } else {
    tb_hit_if(s->t, !in.max_ctas_i, BIN_other_max_0);
    tb_hit_if(s->t, in.max_ctas_i > MOST, BIN_other_max_above_32);
  }
  if (decides) limit_bins_of_decision(s, w, in.max_ctas_i);
  tb_hit(s->t, BIN_n_1 + s->n - 1);
  expect_all(s->t, tb_step(s->t, &in), &out, &is, &want);
  limit_edge(s, start, w);
  limit_check_invariants(s, &is, tb_model(s->t), start);
  limit_check_idle(s);
}

/* ---- stimulus ---- */

/* Waits of a period, the last cycle's among them, and where the others are. */
enum spread { EVEN, EARLY, LATE, SPREADS };
struct way {
  unsigned idle, mem;
  enum wait last;
};

/* The wait of the next cycle, so that the period gets what the way says. */
static enum wait next_wait(struct sim *s, const struct way *y, enum spread spread) {
  const unsigned slots = PERIOD - 1 - limit_sim_period_cycle(s);
  const unsigned idle = y->idle - (y->last == FOR_IDLE) - limit_sim_counted(s, FOR_IDLE);
  const unsigned mem = y->mem - (y->last == FOR_MEM) - limit_sim_counted(s, FOR_MEM);
  if (!slots) return y->last;
  if (spread == EVEN) {
    const unsigned k = tb_below(s->r, slots);
    return k < idle ? FOR_IDLE : k < idle + mem ? FOR_MEM : NONE;
  }
  if (spread == LATE && idle + mem < slots) return NONE;
  return mem ? FOR_MEM : idle ? FOR_IDLE : NONE;
}

/* So many cycles of a period of this way; the period has just begun. */
static void limit_run_way(struct sim *s, struct way y, enum spread spread, unsigned cycles) {
  for (; cycles; cycles--) limit_run_cycle(s, 0, next_wait(s, &y, spread));
}
static void limit_run_period(struct sim *s, struct way y) { limit_run_way(s, y, tb_below(s->r, SPREADS), PERIOD); }
static enum wait any_wait(struct sim *s) { return tb_below(s->r, 3); }
static void limit_run_start(struct sim *s, unsigned max) { limit_run_cycle(s, max, any_wait(s)); }

/* With 18 of them every border is met with each kind of last cycle. The others: all or nothing, and one short of it. */
static const struct way borders[] = {
    {IDLE + 1, LOW, NONE},
    {IDLE + 1, LOW, FOR_IDLE},
    {IDLE + 1, LOW, FOR_MEM},
    {IDLE + 1, HIGH + 1, NONE},
    {IDLE + 1, HIGH + 1, FOR_IDLE},
    {IDLE + 1, HIGH + 1, FOR_MEM},
    {IDLE, LOW - 1, NONE},
    {IDLE, LOW - 1, FOR_IDLE},
    {IDLE, LOW - 1, FOR_MEM},
    {IDLE, HIGH + 1, NONE},
    {IDLE, HIGH + 1, FOR_IDLE},
    {IDLE, HIGH + 1, FOR_MEM},
    {IDLE, LOW, NONE},
    {IDLE, LOW, FOR_IDLE},
    {IDLE, LOW, FOR_MEM},
    {IDLE, HIGH, NONE},
    {IDLE, HIGH, FOR_IDLE},
    {IDLE, HIGH, FOR_MEM},
    {PERIOD, 0, FOR_IDLE},
    {PERIOD - 1, 0, NONE},
    {0, 0, NONE},
    {PERIOD - LOW, LOW, FOR_IDLE},
    {IDLE + 1, HIGH, FOR_MEM},
    {IDLE + 1, LOW - 1, FOR_IDLE},
    {0, PERIOD, FOR_MEM},
    {0, PERIOD - 1, NONE},
    {0, HIGH + 1, FOR_MEM},
    {IDLE, PERIOD - IDLE, FOR_IDLE},
    {0, MIDDLE, NONE},
    {IDLE + 1, PERIOD - IDLE - 1, FOR_IDLE},
};
enum { BORDERS = sizeof borders / sizeof borders[0], WAYS = BORDERS + 5 * TB_PARAM(Period) };

struct ways {
  struct way of[WAYS];
  unsigned n;
};

static void ways_add(struct ways *w, int change, struct way y) {
  if (y.idle + y.mem <= PERIOD && change_by(y.idle, y.mem) == change) w->of[w->n++] = y;
}

/* All ways that change limit_q so: those of the table, and those in which one bit of a count decides. */
static void ways_of_change(struct ways *w, int change) {
  w->n = 0;
  for (unsigned i = 0; i < BORDERS; i++) ways_add(w, change, borders[i]);
  for (unsigned bit = 1; bit < PERIOD; bit *= 2) {
    ways_add(w, change, (struct way){IDLE + bit, LOW, NONE});
    if (bit > IDLE) ways_add(w, change, (struct way){bit, LOW, FOR_MEM});
    ways_add(w, change, (struct way){0, LOW + bit, FOR_MEM});
    ways_add(w, change, (struct way){0, HIGH + bit, NONE});
    if (bit >= LOW) ways_add(w, change, (struct way){0, bit, NONE});
  }
}

/* A last cycle that the counts allow. */
static struct way with_last(struct sim *s, unsigned idle, unsigned mem) {
  struct way y = {idle, mem, any_wait(s)};
  if ((y.last == FOR_IDLE && !idle) || (y.last == FOR_MEM && !mem)) y.last = NONE;
  if (y.last == NONE && idle + mem == PERIOD) y.last = idle ? FOR_IDLE : FOR_MEM;
  return y;
}

/* Any numbers, and those near the borders. */
static struct way way_anywhere(struct sim *s) {
  const unsigned idle = tb_below(s->r, PERIOD + 1);
  return with_last(s, idle, tb_below(s->r, PERIOD - idle + 1));
}
static struct way way_near(struct sim *s) {
  return with_last(s, IDLE - 1 + tb_below(s->r, 4), (tb_chance(s->r, 50) ? LOW : HIGH) - 2 + tb_below(s->r, 5));
}

/* Any numbers that change limit_q so; many idle cycles are a power of two and few. */
static struct way any_way(struct sim *s, int change) {
  unsigned idle = tb_below(s->r, IDLE + 1);
  if (change < 0) return with_last(s, idle, HIGH + 1 + tb_below(s->r, PERIOD - HIGH - idle));
  if (!change) return with_last(s, idle, LOW + tb_below(s->r, HIGH - LOW + 1));
  if (tb_chance(s->r, 20)) return with_last(s, idle, tb_below(s->r, LOW));
  idle += 1u << tb_below(s->r, TB_PARAM(Period));
  if (idle <= IDLE) idle = IDLE + 1;
  if (idle > PERIOD - LOW) idle = PERIOD - LOW;
  return with_last(s, idle, LOW + tb_below(s->r, PERIOD - LOW - idle + 1));
}

static unsigned any_max(struct sim *s) {
  static const unsigned often[] = {1, 2, 3, MOST};
  return tb_chance(s->r, 30) ? often[tb_below(s->r, 4)] : 1 + tb_below(s->r, MOST);
}

/* One more for each reason, up to the most, which is each bit of limit_q in turn. */
static void limit_case_climbs(struct tb_run *t, struct tb_rng *r) {
  static const unsigned most[] = {32, 16, 8, 4, 6};
  struct ways w;
  struct sim s;
  limit_sim_begin(&s, t, r);
  ways_of_change(&w, 1);
  for (unsigned i = 0, k = 0; i < sizeof most / sizeof most[0]; i++) {
    limit_run_start(&s, most[i]);
    while (s.n < most[i]) limit_run_period(&s, w.of[k++ % w.n]);
    limit_run_period(&s, any_way(&s, 1));
    if (i) continue;
    limit_run_period(&s, any_way(&s, 0));
    limit_run_period(&s, any_way(&s, -1));
  }
}

/* One less for each reason, from what borrows most; and as many as before for each reason. */
static void limit_case_holds(struct tb_run *t, struct tb_rng *r) {
  static const unsigned max[] = {32, 16, 8, 5, 24, 12};
  struct ways w;
  struct sim s;
  limit_sim_begin(&s, t, r);
  for (int change = -1; change <= 0; change++) {
    ways_of_change(&w, change);
    for (unsigned i = 0; i < w.n; i++) {
      limit_run_start(&s, max[i % 6]);
      limit_run_period(&s, w.of[i]);
    }
  }
}

static void limit_run_waits(struct sim *s, enum wait w, unsigned cycles) {
  for (; cycles; cycles--) limit_run_cycle(s, 0, w);
}

/* A count's carries into one bit and out of it, the one in an even cycle of the period, the other in an odd one: a bit that is
   inverted in every cycle is right in the last one, unless a carry meets it. Without the bit's sum the decision is another. */
static void limit_case_carries(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  limit_sim_begin(&s, t, r);
  for (unsigned bit = 1; 4 * bit <= PERIOD; bit *= 2) {
    for (unsigned k = 0; k < 4; k++) {
      const enum wait w = k / 2 ? FOR_MEM : FOR_IDLE;
      if (k / 2 ? 2 * bit < LOW : 2 * bit <= IDLE) continue;
      limit_run_start(&s, 4 + tb_below(r, MOST - 3));
      limit_run_waits(&s, NONE, k % 2);
      limit_run_waits(&s, w, bit);
      limit_run_waits(&s, NONE, 1);
      limit_run_waits(&s, w, bit);
      limit_run_waits(&s, FOR_MEM, k / 2 ? 0 : LOW);
      limit_run_waits(&s, NONE, PERIOD - limit_sim_period_cycle(&s));
    }
  }
}

/* Carries of limit_q; at 1, at the most, and where both are the same; before the first start, too. */
static void limit_case_limits(struct tb_run *t, struct tb_rng *r) {
  static const struct {
    unsigned max, n;
    int change[5];
  } of[] = {{31, 1, {1}}, {15, 1, {1}}, {7, 1, {1}}, {1, 3, {1, -1, 0}}, {2, 5, {-1, 0, 1, 1, -1}}, {3, 3, {1, 1, 1}}};
  struct sim s;
  limit_sim_begin(&s, t, r);
  limit_run_period(&s, any_way(&s, 1));
  for (unsigned i = 0; i < sizeof of / sizeof of[0]; i++) {
    limit_run_start(&s, of[i].max);
    for (unsigned k = 0; k < of[i].n; k++) limit_run_period(&s, any_way(&s, of[i].change[k]));
  }
}

/* Each number of CTAs that may fit, behind each other; then a start in each place of a period. */
static void limit_case_starts(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  limit_sim_begin(&s, t, r);
  for (unsigned i = 1; i <= 2 * MOST; i++) {
    limit_run_start(&s, i <= MOST ? i : 2 * MOST + 1 - i);
    limit_run_way(&s, any_way(&s, 0), EARLY, i <= MOST ? 0 : tb_below(r, 3));
  }
  for (int change = -1; change <= 1; change++) {
    const struct way y = any_way(&s, change);
    limit_run_start(&s, 20);
    limit_run_way(&s, y, tb_below(r, SPREADS), PERIOD - 1);
    limit_run_cycle(&s, 7, y.last); /* limit_q is 3, not one of 9, 10, 11 */
    limit_run_way(&s, y, EARLY, 1 + tb_below(r, PERIOD - 2));
  }
  limit_run_start(&s, 9);
  limit_run_period(&s, any_way(&s, -1));
  limit_run_start(&s, 2);
}

/* The last three cycles of a period, with each border from each number of CTAs. The counts before them are those of PERIOD - 3 cycles of
 * such a period. start_i gives max_ctas_q, and decisions lead from there to each limit_q up to it. */
static void limit_case_last_cycles(struct tb_run *t, struct tb_rng *r) {
  const unsigned before = PERIOD - 3;
  for (unsigned i = 0; i < BORDERS * MOST; i++) {
    const struct way y = borders[i % BORDERS];
    unsigned idle = y.idle - (y.last == FOR_IDLE), mem = y.mem - (y.last == FOR_MEM);
    struct sim s;
    tb_reset(t);
    limit_sim_begin(&s, t, r);
    s.n = 1 + i / BORDERS, s.max = s.n + tb_below(r, MOST + 1 - s.n), s.started = true;
    idle -= idle > 0, mem -= mem > 0;
    if (idle + mem > before && idle > mem) idle = before - mem;
    if (idle + mem > before) mem = before - idle;
    s.cycles = before, s.waits[FOR_IDLE] = idle, s.waits[FOR_MEM] = mem, s.waits[NONE] = before - idle - mem;
    const struct limit_state state = limit_predicted_state(&s);
    tb_state(t, &state);
    limit_run_way(&s, y, EVEN, 3);
    limit_run_way(&s, any_way(&s, 0), EARLY, 2);
  }
}

static void limit_case_resets(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  for (unsigned i = 0; i < 12; i++) {
    limit_sim_begin(&s, t, r);
    if (i % 4) limit_run_start(&s, any_max(&s));
    limit_run_way(&s, any_way(&s, 1 - (int)(i % 3)), EARLY, i ? 1 + tb_below(r, 60) : PERIOD - 1);
    tb_hit_if(t, limit_sim_counted(&s, FOR_IDLE) || limit_sim_counted(&s, FOR_MEM), BIN_reset_counts);
    tb_hit_if(t, s.n > 1, BIN_reset_n);
    tb_hit_if(t, limit_sim_is_last(&s), BIN_reset_last);
    tb_reset(t);
  }
}

static void many_starts(struct sim *s) {
  for (unsigned n = 50 + tb_below(s->r, 150); n; n--)
    limit_run_cycle(s, tb_chance(s->r, 10) ? any_max(s) : 0, any_wait(s));
}

enum phase { LESSENS, KEEPS, RAISES, NEAR, ANYWHERE, STARTS };
static const char *const phases[] = {"less", "same", "more", "near", "anywhere", "starts", NULL};
static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  struct sim s;
  limit_sim_begin(&s, t, r);
  if (phase == STARTS) {
    many_starts(&s);
    return;
  }
  for (unsigned k = 1 + tb_below(r, 2); k; k--) {
    if (k == 1 || tb_chance(r, 50)) limit_run_start(&s, any_max(&s));
    for (unsigned i = 1 + tb_below(r, 2); i; i--) {
      const struct way y = phase < NEAR    ? any_way(&s, (int)phase - KEEPS)
                           : phase == NEAR ? way_near(&s)
                                           : way_anywhere(&s);
      limit_run_way(&s, y, tb_below(r, SPREADS), PERIOD);
    }
    if (tb_chance(r, 30)) limit_run_way(&s, way_near(&s), EVEN, tb_below(r, PERIOD));
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct limit_in *in = vin;
  (void)model, (void)last_in, (void)last_out;
  if (in->idle_i && in->memory_i) return "idle_i and memory_i in one cycle";
  if (in->start_i && (!in->max_ctas_i || in->max_ctas_i > MOST)) return "start_i with max_ctas_i 0 or above 32";
  return NULL;
}

static const struct tb_case cases[] = {{"climbs", limit_case_climbs},           {"holds", limit_case_holds},
                                       {"carries", limit_case_carries},         {"limits", limit_case_limits},
                                       {"starts", limit_case_starts},           {"resets", limit_case_resets},
                                       {"last_cycles", limit_case_last_cycles}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 350000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
