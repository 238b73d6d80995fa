/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of csm: CTAs are launched, switched and ended through both ports in every legal way, with few or all of
 * them ready. The bench keeps each CTA's status and finds each search's result by trying one CTA after the
 * other; for each ready CTA it counts how many of its class were taken before it. docs/blocks/finereg/csm.md
 */
#include <string.h>

#include "blocks/finereg/csm.h"
#include "finereg_tb.h"

#define EXPECT csm
#define EXPECT_DEF "blocks/finereg/csm.def"
#include "expect.h"

/* clang-format off */
#define CLASS(B, p)                                                                                             \
  TB_128(B, p##_id_) B(p##_at_pointer) B(p##_one_above) B(p##_farthest) B(p##_wraps) B(p##_pointer_wraps)       \
  B(p##_none_ready) B(p##_none_in_class) B(p##_shown_not_taken) B(p##_taken_again) B(p##_leaves_while_taken)    \
  B(p##_left_while_shown) B(p##_enters_at_pointer) B(p##_passed_over_127) B(p##_ready_falls) B(p##_alone_again) \
  B(p##_only_others_ready)
/* clang-format on */
#define TRANSITIONS(B, p) TB_16(B, p##_from_to_)
/* clang-format off */
#define BINS(B)                                                                                                 \
  CLASS(B, kept) CLASS(B, spilled) TB_128(B, new_id_) TRANSITIONS(B, port0) TRANSITIONS(B, port1) B(no_port)    \
  B(port0_alone) B(port1_alone) B(both_ports) B(both_take) B(all_launched) B(none_launched_again) B(all_active) \
  B(all_kept) B(all_spilled) B(new_falls) B(new_rises) B(new_both_ports) B(actives_2_up) B(actives_2_down)      \
  B(residents_2_up) B(residents_2_down) B(swap_of_classes) B(junk_without_valid) B(reset_full)                  \
  B(reset_pointers)
/* clang-format on */
TB_BINS(BINS)
enum { PER_CLASS = BIN_spilled_id_0 - BIN_kept_id_0, N = 128 };

/* The legal statuses, numbered for the bins: not launched; context in shared memory, registers away or here; active. */
enum { OUTSIDE, SPILLED, KEPT, ACTIVE };
static const uint8_t context_of[] = {CSM_CONTEXT_NONE, CSM_CONTEXT_SHARED, CSM_CONTEXT_SHARED, CSM_CONTEXT_PIPELINE};
static const uint8_t registers_of[] = {CSM_REGISTERS_NONE, CSM_REGISTERS_AWAY, CSM_REGISTERS_HERE, CSM_REGISTERS_HERE};

struct class {
  unsigned status, rr, shown; /* shown in the cycle before; N: none */
  bool taken;                 /* in the cycle before */
  unsigned over[N];           /* other CTAs taken since this one is ready and in the class */
};
struct sim {
  unsigned status[N], in[4]; /* CTAs in each status */
  struct class c[2];         /* kept, spilled */
};

static void csm_sim_reset(struct sim *s) {
  memset(s, 0, sizeof *s);
  s->in[OUTSIDE] = N;
  s->c[0].status = KEPT, s->c[1].status = SPILLED;
  s->c[0].shown = s->c[1].shown = N;
}

static void csm_sim_move(struct sim *s, unsigned i, unsigned status) {
  s->in[s->status[i]]--;
  s->in[s->status[i] = status]++;
}

static unsigned first_new(const struct sim *s) {
  unsigned i = 0;
  while (i < N && s->status[i] != OUTSIDE) i++;
  return i;
}

static unsigned csm_choice_of(const struct sim *s, const struct class *c, const uint32_t *ready) {
  for (unsigned k = 0; k < N; k++) {
    unsigned i = (c->rr + k) % N;
    if (s->status[i] == c->status && finereg_bit_of(ready, i)) return i;
  }
  return N;
}

static void csm_compare_cycle(struct tb_run *t, const struct sim *s, const struct csm_in *in) {
  unsigned a = csm_choice_of(s, &s->c[0], in->ready_i), b = csm_choice_of(s, &s->c[1], in->ready_i), n = first_new(s);
  const struct csm_state was = *(const struct csm_state *)tb_model(t);
  const struct csm_state state = {.kept_pointer_q = s->c[0].rr, .spilled_pointer_q = s->c[1].rr};
  const struct csm_out want = {.kept_valid_o = a < N,
                               .kept_cta_o = a % N,
                               .spilled_valid_o = b < N,
                               .spilled_cta_o = b % N,
                               .new_valid_o = n < N,
                               .new_cta_o = n % N,
                               .active_count_o = s->in[ACTIVE],
                               .resident_count_o = N - s->in[OUTSIDE]};
  expect_all(t, tb_step(t, in), &want, &was, &state);
}

/* The status to which port p sets CTA i in this cycle; N: none. */
static unsigned set_by(const struct csm_in *in, unsigned p, unsigned i) {
  if (!(in->set_valid_i >> p & 1) || in->set_cta_i[p] != i) return N;
  const unsigned context = in->set_context_i[p];
  return context == CSM_CONTEXT_NONE                    ? OUTSIDE
         : context == CSM_CONTEXT_PIPELINE              ? ACTIVE
         : in->set_registers_i[p] == CSM_REGISTERS_AWAY ? SPILLED
                                                        : KEPT;
}
static unsigned set_to(const struct csm_in *in, unsigned i) {
  return set_by(in, 0, i) < N ? set_by(in, 0, i) : set_by(in, 1, i);
}

static void class_cycle(struct tb_run *t, struct sim *s, unsigned k, const struct csm_in *in, bool take) {
  struct class *c = &s->c[k];
  unsigned bin = PER_CLASS * k, i = csm_choice_of(s, c, in->ready_i), members = s->in[c->status];
  if (i == N) tb_hit(t, (members ? BIN_kept_none_ready : BIN_kept_none_in_class) + bin);
  if (c->shown < N && !c->taken && s->status[c->shown] == c->status && !finereg_bit_of(in->ready_i, c->shown)) {
    tb_hit(t, BIN_kept_ready_falls + bin);
  }
  if (c->shown < N && !c->taken && s->status[c->shown] != c->status) tb_hit(t, BIN_kept_left_while_shown + bin);
  bool others = false;
  for (unsigned j = 0; j < N; j++) {
    bool ready = finereg_bit_of(in->ready_i, j), waits = ready && s->status[j] == c->status;
    others = others || (ready && !waits);
    c->over[j] = waits ? c->over[j] + (take && j != i) : 0;
    if (c->over[j] > 127) tb_expect(t, false, "CTA %u is passed over more than 127 times", j);
  }
  if (others && i == N) tb_hit(t, BIN_kept_only_others_ready + bin);
  if (i < N) {
    if (!take) tb_hit(t, BIN_kept_shown_not_taken + bin);
    if (i == c->rr) tb_hit(t, BIN_kept_at_pointer + bin);
    if (i == (c->rr + 1) % N) tb_hit(t, BIN_kept_one_above + bin);
    if (i == (c->rr + N - 1) % N) tb_hit(t, BIN_kept_farthest + bin);
    if (i < c->rr) tb_hit(t, BIN_kept_wraps + bin);
  }
  if (take) {
    tb_hit(t, BIN_kept_id_0 + bin + i);
    if (c->taken && c->shown == i) tb_hit(t, BIN_kept_taken_again + bin);
    if (set_to(in, i) < N && set_to(in, i) != c->status) tb_hit(t, BIN_kept_leaves_while_taken + bin);
    if (i == N - 1) tb_hit(t, BIN_kept_pointer_wraps + bin);
    if (c->over[i] == 127) tb_hit(t, BIN_kept_passed_over_127 + bin);
    if (members == 1 && c->rr == (i + 1) % N) tb_hit(t, BIN_kept_alone_again + bin);
    c->over[i] = 0;
    c->rr = (i + 1) % N;
  }
  if (s->status[c->rr] != c->status && set_to(in, c->rr) == c->status) tb_hit(t, BIN_kept_enters_at_pointer + bin);
  c->shown = i, c->taken = take;
}

static void bins_of_counts(struct tb_run *t, const struct sim *s, unsigned act, unsigned res, unsigned new) {
  unsigned act2 = s->in[ACTIVE], res2 = N - s->in[OUTSIDE], new2 = first_new(s);
  if (act2 == act + 2 || act2 + 2 == act) tb_hit(t, act2 > act ? BIN_actives_2_up : BIN_actives_2_down);
  if (res2 == res + 2 || res2 + 2 == res) tb_hit(t, res2 > res ? BIN_residents_2_up : BIN_residents_2_down);
  if (new2 != new) tb_hit(t, new2 < new ? BIN_new_falls : BIN_new_rises);
  if (new < N && new2 > new &&res2 == res + 2 && new2 > new + 1) tb_hit(t, BIN_new_both_ports);
  if (res2 == N) tb_hit(t, BIN_all_launched);
  if (res && !res2) tb_hit(t, BIN_none_launched_again);
  if (act2 == N) tb_hit(t, BIN_all_active);
  if (s->in[KEPT] == N) tb_hit(t, BIN_all_kept);
  if (s->in[SPILLED] == N) tb_hit(t, BIN_all_spilled);
  if (new2 < N) tb_hit(t, BIN_new_id_0 + new2);
}

static void csm_run_cycle(struct tb_run *t, struct sim *s, const struct csm_in *in) {
  csm_compare_cycle(t, s, in);
  static const unsigned ports[] = {BIN_no_port, BIN_port0_alone, BIN_port1_alone, BIN_both_ports};
  tb_hit(t, ports[in->set_valid_i]);
  const bool junk = (in->set_cta_i[0] || in->set_cta_i[1]) && (in->set_context_i[0] || in->set_context_i[1]);
  if (!in->set_valid_i && junk) tb_hit(t, BIN_junk_without_valid);
  if (in->take_kept_i && in->take_spilled_i) tb_hit(t, BIN_both_take);
  class_cycle(t, s, 0, in, in->take_kept_i);
  class_cycle(t, s, 1, in, in->take_spilled_i);
  unsigned act = s->in[ACTIVE], res = N - s->in[OUTSIDE], new = first_new(s), was[2] = {N, N}, is[2] = {N, N};
  for (unsigned p = 0; p < 2; p++) {
    unsigned i = in->set_cta_i[p], to = set_by(in, p, i);
    if (to == N) continue;
    was[p] = s->status[i], is[p] = to;
    tb_hit(t, (p ? BIN_port1_from_to_0 : BIN_port0_from_to_0) + 4 * was[p] + to);
    csm_sim_move(s, i, to);
  }
  if (was[0] < N && was[0] != is[0] && was[0] == is[1] && was[1] == is[0]) tb_hit(t, BIN_swap_of_classes);
  bins_of_counts(t, s, act, res, new);
}

/* ---- stimulus ---- */

struct bias {
  unsigned set, thin, take, ctas; /* probabilities; one CTA of 2^thin is ready; ids are below ctas */
  unsigned weight[4];             /* of the statuses that are set */
};

static unsigned status_any(struct tb_rng *r, const struct bias *b) {
  unsigned sum = 0, x;
  for (unsigned k = 0; k < 4; k++) sum += b->weight[k];
  x = tb_below(r, sum);
  for (unsigned k = 0; k < 3; k++) {
    if (x < b->weight[k]) return k;
    x -= b->weight[k];
  }
  return ACTIVE;
}

static void put_set(struct csm_in *in, unsigned p, unsigned i, unsigned status) {
  in->set_valid_i |= 1u << p;
  in->set_cta_i[p] = (uint8_t)i;
  in->set_context_i[p] = context_of[status];
  in->set_registers_i[p] = registers_of[status];
}

/* A CTA to set: one shown at an output, one at a pointer, the next new one, or any. */
static unsigned csm_choose_target(struct tb_rng *r, const struct sim *s, const struct csm_in *in,
                                  const struct bias *b) {
  const struct class *c = &s->c[tb_below(r, 2)];
  unsigned i = tb_below(r, b->ctas), shown = csm_choice_of(s, c, in->ready_i);
  switch (tb_below(r, 6)) {
    case 0: return shown < N ? shown : i;
    case 1: return c->rr;
    case 2: return first_new(s) % N;
    case 3: return c->shown < N ? c->shown : i;
    default: return i;
  }
}

static void csm_drive_inputs(struct tb_rng *r, const struct sim *s, struct csm_in *in, const struct bias *b) {
  const bool junk = tb_chance(r, 50);
  for (unsigned p = 0; junk && p < 2; p++) {
    in->set_cta_i[p] = (uint8_t)tb_bits(r, 7);
    in->set_context_i[p] = (uint8_t)tb_bits(r, 2), in->set_registers_i[p] = (uint8_t)tb_bits(r, 2);
  }
  bool dense = tb_chance(r, 10);
  tb_words(r, in->ready_i, N);
  for (unsigned w = 0; w < N / 32; w++) {
    if (dense) in->ready_i[w] = UINT32_MAX;
    for (unsigned k = 1; !dense && k < b->thin; k++) in->ready_i[w] &= (uint32_t)tb_bits(r, 32);
  }
  unsigned first = N;
  for (unsigned p = 0; p < 2; p++) {
    unsigned i = csm_choose_target(r, s, in, b);
    if (i == first || !tb_chance(r, b->set)) continue;
    put_set(in, p, i, status_any(r, b));
    first = i;
  }
  in->take_kept_i = csm_choice_of(s, &s->c[0], in->ready_i) < N && tb_chance(r, b->take);
  in->take_spilled_i = csm_choice_of(s, &s->c[1], in->ready_i) < N && tb_chance(r, b->take);
}

static void csm_run_random(struct tb_run *t, struct tb_rng *r, struct sim *s, const struct bias *b, unsigned cycles) {
  for (; cycles; cycles--) {
    struct csm_in in = {0};
    csm_drive_inputs(r, s, &in, b);
    csm_run_cycle(t, s, &in);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {20, 2, 40, 8, {3, 2, 2, 2}},   {100, 1, 70, 128, {0, 3, 3, 2}}, {90, 6, 90, 128, {0, 1, 1, 0}},
      {95, 1, 50, 128, {3, 1, 1, 1}}, {60, 1, 95, 3, {1, 3, 3, 1}},    {100, 2, 20, 128, {0, 0, 0, 1}},
  };
  struct sim s;
  csm_sim_reset(&s);
  csm_run_random(t, r, &s, &bias[phase], 60 + tb_below(r, phase == 1 || phase == 2 || phase == 5 ? 300 : 120));
}

static void set_all(struct tb_run *t, struct tb_rng *r, struct sim *s, unsigned status) {
  for (unsigned i = 0; i < N; i += 2) {
    struct csm_in in = {0};
    unsigned p = tb_below(r, 2);
    put_set(&in, p, i, status);
    put_set(&in, !p, i + 1, status);
    csm_run_cycle(t, s, &in);
  }
}

/* All 128 CTAs in one class and ready: each is taken in turn, then passed over 127 times before the next turn.
 */
static void csm_case_rotation(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  csm_sim_reset(&s);
  for (unsigned k = 0; k < 2; k++) {
    set_all(t, r, &s, k ? SPILLED : KEPT);
    for (unsigned i = 0; i < 2 * N + 9; i++) {
      struct csm_in in = {.ready_i = {~0u, ~0u, ~0u, ~0u}, .take_kept_i = !k, .take_spilled_i = k};
      csm_run_cycle(t, &s, &in);
    }
  }
  set_all(t, r, &s, ACTIVE);
  set_all(t, r, &s, OUTSIDE);
}

/* One CTA alone in its class, with the pointer just below, at and just above it. */
static void csm_case_alone(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  csm_sim_reset(&s);
  for (unsigned k = 0; k < 2; k++) {
    for (unsigned n = 0; n < N; n++) {
      unsigned i = (n * 37 + 5) % N, status = k ? SPILLED : KEPT;
      struct csm_in in = {0};
      put_set(&in, tb_below(r, 2), i, status);
      csm_run_cycle(t, &s, &in);
      for (unsigned again = 0; again < 2; again++) {
        in = (struct csm_in){.take_kept_i = !k, .take_spilled_i = k};
        finereg_put_bit(in.ready_i, i, true);
        if (again) put_set(&in, 0, i, OUTSIDE);
        csm_run_cycle(t, &s, &in);
      }
    }
  }
}

/* Pointers at the last CTAs, as a take of the one before leaves them: the search goes on at CTA 0. All CTAs have left since. */
static void csm_case_last_pointers(struct tb_run *t, struct tb_rng *r) {
  static const struct bias few = {60, 1, 60, 6, {1, 2, 2, 1}};
  struct sim s;
  for (unsigned i = 0; i < 12; i++) {
    tb_reset(t);
    csm_sim_reset(&s);
    s.c[0].rr = N - 1 - i % 3, s.c[1].rr = N - 1 - i / 3 % 2;
    const struct csm_state state = {.kept_pointer_q = s.c[0].rr, .spilled_pointer_q = s.c[1].rr};
    tb_state(t, &state);
    for (unsigned k = 0; k < 2; k++) {
      struct csm_in in = {0};
      put_set(&in, k, N - 1 - i % 4 % 2, k ? SPILLED : KEPT);
      put_set(&in, !k, i % 5, k ? KEPT : SPILLED);
      csm_run_cycle(t, &s, &in);
      for (unsigned n = 0; n < 3; n++) {
        in = (struct csm_in){.ready_i = {~0u, ~0u, ~0u, ~0u}};
        in.take_kept_i = csm_choice_of(&s, &s.c[0], in.ready_i) < N,
        in.take_spilled_i = csm_choice_of(&s, &s.c[1], in.ready_i) < N;
        csm_run_cycle(t, &s, &in);
      }
    }
    csm_run_random(t, r, &s, &few, 10);
  }
}

static void csm_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias b = {90, 1, 60, 128, {0, 1, 1, 1}};
  struct sim s;
  for (unsigned i = 0; i < 6; i++) {
    csm_sim_reset(&s);
    if (i & 1) set_all(t, r, &s, KEPT);
    csm_run_random(t, r, &s, &b, 30);
    if (s.in[OUTSIDE] == 0) tb_hit(t, BIN_reset_full);
    if (s.c[0].rr && s.c[1].rr) tb_hit(t, BIN_reset_pointers);
    tb_reset(t);
    csm_sim_reset(&s);
    csm_run_random(t, r, &s, &b, 20);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct csm_in *in = vin;
  struct csm_out out;
  (void)last_in, (void)last_out;
  csm_eval(model, in, &out);
  for (unsigned p = 0; p < 2; p++) {
    bool legal = false;
    for (unsigned k = OUTSIDE; k <= ACTIVE; k++)
      legal = legal || (in->set_context_i[p] == context_of[k] && in->set_registers_i[p] == registers_of[k]);
    if (in->set_valid_i >> p & 1 && !legal) return "an illegal status is set";
  }
  if (in->set_valid_i == 3 && in->set_cta_i[0] == in->set_cta_i[1]) return "both ports set the same CTA";
  if (in->take_kept_i && !out.kept_valid_o) return "take_kept_i without kept_valid_o";
  if (in->take_spilled_i && !out.spilled_valid_o) return "take_spilled_i without spilled_valid_o";
  return NULL;
}

static const char *const phases[] = {"near_empty", "near_full", "rarely_ready", "come_and_go", "contention",
                                     "active",     NULL};
static const struct tb_case cases[] = {{"rotation", csm_case_rotation},
                                       {"alone", csm_case_alone},
                                       {"resets", csm_case_resets},
                                       {"last_pointers", csm_case_last_pointers},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 120000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
