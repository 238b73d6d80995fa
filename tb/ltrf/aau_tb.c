/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of aau: numbers taken and returned in any order, with few and with many free ones. Its prediction is a list of
 * the free numbers. docs/blocks/ltrf/aau.md
 */
#include <string.h>

#include "blocks/ltrf/aau.h"
#include "tb.h"

#define EXPECT aau
#define EXPECT_DEF "blocks/ltrf/aau.def"
#include "expect.h"

#define OF_NUMBERS(B, p) TB_LIST(TB_PARAM(Depth), B, p)
/* clang-format off */
/* free_ is the number of free ones. beside_init_: a pop or push that would be illegal otherwise. */
#define BINS(B)                                                                                                  \
  OF_NUMBERS(B, pop_) OF_NUMBERS(B, push_) OF_NUMBERS(B, free_) B(all_free) OF_NUMBERS(B, alone_free_)                 \
  OF_NUMBERS(B, alone_taken_) B(nothing) B(pops) B(pushes) B(both) B(pop_of_last) B(pop_of_all) B(push_of_none)   \
  B(push_of_all_but_one) B(both_of_one) B(both_of_all_but_one) B(push_then_head) B(both_then_head)                \
  B(pop_then_push_same) B(push_then_pop_same) B(pop_behind_pop) B(push_behind_push) B(both_behind_both)           \
  B(out_of_order) B(reversed) B(whole_round) B(init_alone) B(init_pops) B(init_pushes) B(init_both)               \
  B(init_of_none) B(init_of_all) B(init_behind_init) B(pop_behind_init) B(push_behind_both) B(beside_init_pop)    \
  B(beside_init_push) B(init_out_of_order) B(reset_of_none) B(reset_of_some) B(junk_without_valid)
/* clang-format on */
TB_BINS(BINS)

enum { N = TB_PARAM(Depth) };

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  unsigned list[N], n; /* the free numbers, the head first */
  unsigned taken;      /* numbers since reset or init */
  struct aau_in last;
  unsigned last_pop; /* number popped in the last cycle; or N */
};

static void aau_free_all(struct sim *s) {
  s->n = N, s->taken = 0;
  for (unsigned i = 0; i < N; i++) s->list[i] = i;
}

static void aau_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r, s->last_pop = N;
  aau_free_all(s);
}

static bool aau_is_free(const struct sim *s, unsigned id) {
  for (unsigned i = 0; i < s->n; i++) {
    if (s->list[i] == id) return true;
  }
  return false;
}

static bool aau_is_ascending(const struct sim *s, unsigned step) {
  for (unsigned i = 1; i < s->n; i++) {
    if ((s->list[i - 1] + step) % N != s->list[i]) return false;
  }
  return true;
}

static void aau_bins_of_init(struct sim *s, const struct aau_in *in) {
  bool pop = in->pop_valid_i, push = in->push_valid_i;
  tb_hit(s->t, pop ? push ? BIN_init_both : BIN_init_pops : push ? BIN_init_pushes : BIN_init_alone);
  tb_hit_if(s->t, !s->n, BIN_init_of_none);
  tb_hit_if(s->t, s->n == N, BIN_init_of_all);
  tb_hit_if(s->t, s->last.init_i, BIN_init_behind_init);
  tb_hit_if(s->t, pop && !s->n, BIN_beside_init_pop);
  tb_hit_if(s->t, push && aau_is_free(s, (unsigned)in->push_number_i), BIN_beside_init_push);
  tb_hit_if(s->t, !aau_is_ascending(s, 1), BIN_init_out_of_order);
}

static void aau_bins_of_cycle(struct sim *s, const struct aau_in *in) {
  bool pop = in->pop_valid_i, push = in->push_valid_i, popped = s->last.pop_valid_i, pushed = s->last.push_valid_i;
  unsigned id = (unsigned)in->push_number_i;
  if (s->n < N) tb_hit(s->t, BIN_free_0 + s->n);
  tb_hit_if(s->t, s->n == N, BIN_all_free);
  if (s->n == 1) tb_hit(s->t, BIN_alone_free_0 + s->list[0]);
  for (unsigned i = 0; s->n == N - 1 && i < N; i++) tb_hit_if(s->t, !aau_is_free(s, i), BIN_alone_taken_0 + i);
  tb_hit_if(s->t, !aau_is_ascending(s, 1), BIN_out_of_order);
  tb_hit_if(s->t, s->n > 2 && aau_is_ascending(s, N - 1), BIN_reversed);
  tb_hit_if(s->t, !pop && !push && id, BIN_junk_without_valid);
  if (in->init_i) {
    aau_bins_of_init(s, in);
    return;
  }
  tb_hit(s->t, pop ? push ? BIN_both : BIN_pops : push ? BIN_pushes : BIN_nothing);
  if (pop) {
    tb_hit(s->t, BIN_pop_0 + s->list[0]);
    tb_hit_if(s->t, s->n == 1 && !push, BIN_pop_of_last);
    tb_hit_if(s->t, s->n == N, BIN_pop_of_all);
    tb_hit_if(s->t, popped && !pushed && !push && !s->last.init_i, BIN_pop_behind_pop);
    tb_hit_if(s->t, s->last.init_i, BIN_pop_behind_init);
    tb_hit_if(s->t, pushed && !s->last.init_i && s->last.push_number_i == s->list[0], BIN_push_then_pop_same);
    tb_hit_if(s->t, pushed && popped && !s->last.init_i && s->last.push_number_i == s->list[0], BIN_both_then_head);
    tb_hit_if(s->t, s->taken == N, BIN_whole_round);
  }
  if (push) {
    tb_hit(s->t, BIN_push_0 + id);
    tb_hit_if(s->t, !pop && s->n == 0, BIN_push_of_none);
    tb_hit_if(s->t, !pop && s->n == N - 1, BIN_push_of_all_but_one);
    tb_hit_if(s->t, pushed && !popped && !pop && !s->last.init_i, BIN_push_behind_push);
    tb_hit_if(s->t, pushed && popped && !pop, BIN_push_behind_both);
    tb_hit_if(s->t, s->last_pop == id, BIN_pop_then_push_same);
  }
  tb_hit_if(s->t, pop && push && s->n == 1, BIN_both_of_one);
  tb_hit_if(s->t, pop && push && s->n == N - 1, BIN_both_of_all_but_one);
  tb_hit_if(s->t, pop && push && popped && pushed && !s->last.init_i, BIN_both_behind_both);
  tb_hit_if(s->t, pushed && !s->last.init_i && s->n == 1 && s->list[0] == s->last.push_number_i, BIN_push_then_head);
}

static void aau_run_cycle(struct sim *s, const struct aau_in *in) {
  struct aau_state is = *(const struct aau_state *)tb_model(s->t), state = {.free_count_q = s->n};
  struct aau_out want = {.head_valid_o = s->n > 0, .head_number_o = s->n ? s->list[0] : 0};
  for (unsigned i = 0; i < N; i++) {
    if (!aau_is_free(s, i)) state.occupied_q |= UINT64_C(1) << i;
  }
  expect_all(s->t, tb_step(s->t, in), &want, &is, &state);
  aau_bins_of_cycle(s, in);
  s->last = *in, s->last_pop = N;
  if (in->init_i) {
    aau_free_all(s);
    return;
  }
  if (in->pop_valid_i) {
    s->last_pop = s->list[0], s->taken++;
    memmove(&s->list[0], &s->list[1], sizeof s->list - sizeof s->list[0]);
    s->n--;
  }
  if (in->push_valid_i) s->list[s->n++] = (unsigned)in->push_number_i;
}

static void aau_run_operations(struct sim *s, bool init, bool pop, bool push, unsigned id) {
  const struct aau_in in = {.init_i = init, .pop_valid_i = pop, .push_valid_i = push, .push_number_i = id};
  aau_run_cycle(s, &in);
}

/* An occupied number; any one if there is none. */
static unsigned aau_some_occupied(struct sim *s) {
  unsigned first = tb_below(s->r, N), id = first;
  if (s->last_pop < N && tb_chance(s->r, 30)) return s->last_pop;
  while (aau_is_free(s, id)) {
    id = (id + 1) % N;
    if (id == first) break;
  }
  return id;
}

static void aau_run_random(struct sim *s, unsigned cycles, unsigned pop, unsigned push, unsigned init) {
  for (; cycles; cycles--) {
    struct aau_in in = {.init_i = tb_below(s->r, 1000) < init || (s->last.init_i && tb_chance(s->r, 20)),
                        .push_number_i = aau_some_occupied(s)};
    in.pop_valid_i = tb_chance(s->r, pop) && (s->n || in.init_i);
    in.push_valid_i = tb_chance(s->r, push) && (!aau_is_free(s, (unsigned)in.push_number_i) || in.init_i);
    if (in.init_i && tb_chance(s->r, 50)) in.push_number_i = tb_below(s->r, N);
    if (!in.push_valid_i && tb_chance(s->r, 50)) in.push_number_i = tb_below(s->r, N);
    aau_run_cycle(s, &in);
  }
}

static const char *const phases[] = {"half", "near_none", "near_all", "both", "inits", "waves", NULL};
enum { WAVES = 5 };

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const unsigned bias[][3] = {{50, 50, 2}, {80, 40, 2}, {30, 80, 2}, {95, 95, 2}, {50, 50, 100}};
  struct sim s;
  aau_sim_begin(&s, t, r);
  for (unsigned n = 1 + tb_below(r, 6); n; n--) {
    unsigned pop = tb_below(r, 101);
    if (phase == WAVES) {
      aau_run_random(&s, N + tb_below(r, 2 * N), pop, 100 - pop, 1);
    } else {
      aau_run_random(&s, 10 + tb_below(r, 60), bias[phase][0], bias[phase][1], bias[phase][2]);
    }
  }
}

/* All are taken; each number is the only free one, the only one taken, and comes back in each order. */
static void aau_case_orders(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  aau_sim_begin(&s, t, r);
  for (unsigned i = 0; i < N; i++) aau_run_operations(&s, false, true, false, N - 1);
  for (unsigned i = 0; i < N; i++) {
    aau_run_operations(&s, false, false, true, i);
    aau_run_operations(&s, false, true, true,
                       (i + 1) % N); /* of one free number the successor comes from the other port */
    aau_run_operations(&s, false, true, false, 0);
  }
  for (unsigned i = N; i; i--) aau_run_operations(&s, false, false, true, i - 1);
  for (unsigned i = 0; i < 2 * N + 1; i++) {
    aau_run_operations(&s, false, true, false, i % N);
    aau_run_operations(&s, false, false, true, s.last_pop == N ? i : (N - 1 - i % N));
  }
}

/* With each number of free ones an init, alone and with each of the others. */
static void aau_case_inits(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  aau_sim_begin(&s, t, r);
  for (unsigned k = 0; k < 4; k++) {
    for (unsigned n = 0; n <= N; n++) {
      for (unsigned i = 0; i < n; i++) aau_run_operations(&s, false, true, false, i);
      for (unsigned i = 0; i < n / 2; i++) aau_run_operations(&s, false, false, true, n / 2 - 1 - i);
      for (unsigned i = 0; i < n / 4; i++) aau_run_operations(&s, false, true, false, i);
      aau_run_operations(&s, true, k & 1, k & 2, tb_below(r, N));
      aau_run_operations(&s, k == 3 && n % 2, k == 3 && n % 2, k == 3 && n % 2, n % N);
      aau_run_operations(&s, false, true, false, N - 1);
      aau_run_operations(&s, false, false, true, 0);
      aau_run_operations(&s, true, false, false, 0);
    }
  }
}

static void aau_case_resets(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  for (unsigned i = 0; i < 20; i++) {
    aau_sim_begin(&s, t, r);
    if (i % 4 == 0) {
      while (s.n) aau_run_operations(&s, false, true, false, 0);
    }
    aau_run_random(&s, tb_below(r, 3 * N), i % 4 ? 70 : 0, i % 4 ? 50 : 0, 0);
    tb_hit(t, s.n ? BIN_reset_of_some : BIN_reset_of_none);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct aau_state *s = model;
  const struct aau_in *in = vin;
  (void)last_in, (void)last_out;
  if (in->init_i) return NULL;
  if (in->pop_valid_i && !s->free_count_q) return "a pop with no number free";
  if (in->push_valid_i && !(s->occupied_q >> in->push_number_i & 1)) return "a push of a number that is not occupied";
  return NULL;
}

static const struct tb_case cases[] = {
    {"orders", aau_case_orders}, {"inits", aau_case_inits}, {"resets", aau_case_resets}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 100000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
