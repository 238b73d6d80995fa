/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of rid: vectors with few and many bits, offered early and late, indices taken at once and late. The bench
 * lists the numbers of a vector's bits when it is accepted, and expects them in order. docs/blocks/finereg/rid.md
 */
#include <string.h>

#include "blocks/finereg/rid.h"
#include "finereg_tb.h"

#define EXPECT rid
#define EXPECT_DEF "blocks/finereg/rid.def"
#include "expect.h"

/* clang-format off */
#define BINS(B)                                                                                                \
  TB_64(B, first_) TB_64(B, last_) TB_64(B, only_) B(zero) B(zero_behind_zero) B(load_behind_zero) B(full)     \
  B(low_half_only) B(high_half_only) B(from_31_to_32) B(from_0_to_63) B(load_behind_reset) B(load_behind_last) \
  B(load_after_pause) B(refused) B(refused_beside_last) B(held_long) B(index_waits) B(index_waits_long)        \
  B(last_waits) B(ready_without_valid) B(junk_without_valid) B(reset_while_left) B(reset_while_waiting)
/* clang-format on */
TB_BINS(BINS)

struct sim {
  unsigned char list[64];
  unsigned n, at; /* numbers of the vector; how many have been given */
  bool offered;
  uint64_t offer;
  unsigned waits, held, idle; /* for how many cycles: an index has waited; an offer has waited; no bit was left */
  bool fresh, zero;           /* no cycle since reset; the cycle before loaded zero */
};

static uint64_t rid_sim_left(const struct sim *s) {
  uint64_t v = 0;
  for (unsigned i = s->at; i < s->n; i++) v |= UINT64_C(1) << s->list[i];
  return v;
}

static void rid_sim_load(struct tb_run *t, struct sim *s, uint64_t vec) {
  s->n = s->at = 0;
  for (unsigned i = 0; i < 64; i++) {
    if (vec >> i & 1) s->list[s->n++] = (unsigned char)i;
  }
  if (s->zero) tb_hit(t, vec ? BIN_load_behind_zero : BIN_zero_behind_zero);
  if (s->idle == 1) tb_hit(t, s->fresh ? BIN_load_behind_reset : BIN_load_behind_last);
  if (s->idle > 3) tb_hit(t, BIN_load_after_pause);
  if (!vec) {
    tb_hit(t, BIN_zero);
    return;
  }
  if (s->n == 64) tb_hit(t, BIN_full);
  if (s->n > 1 && !(vec >> 32)) tb_hit(t, BIN_low_half_only);
  if (s->n > 1 && !(uint32_t)vec) tb_hit(t, BIN_high_half_only);
  tb_hit(t, BIN_first_0 + s->list[0]);
}

static void rid_run_cycle(struct tb_run *t, struct sim *s, const struct rid_in *in) {
  bool v = s->at < s->n, last = s->at + 1 == s->n;
  const struct rid_state was = *(const struct rid_state *)tb_model(t), state = {.remaining_q = rid_sim_left(s)};
  const struct rid_out want = {
      .load_ready_o = !v, .register_valid_o = v, .register_o = v ? s->list[s->at] : 0, .register_last_o = v && last};
  expect_all(t, tb_step(t, in), &want, &was, &state);
  bool take = v && in->register_ready_i, loads = in->load_valid_i && !v;
  if (!v && in->register_ready_i) tb_hit(t, BIN_ready_without_valid);
  if (!in->load_valid_i && in->load_vector_i) tb_hit(t, BIN_junk_without_valid);
  if (in->load_valid_i && v) tb_hit(t, take && last ? BIN_refused_beside_last : BIN_refused);
  s->held = in->load_valid_i && v ? s->held + 1 : 0;
  if (s->held > 70) tb_hit(t, BIN_held_long);
  s->waits = v && !take ? s->waits + 1 : 0;
  if (s->waits) tb_hit(t, last ? BIN_last_waits : BIN_index_waits);
  if (s->waits > 20) tb_hit(t, BIN_index_waits_long);
  if (take) {
    if (last) tb_hit(t, BIN_last_0 + s->list[s->at]);
    if (s->n == 1) tb_hit(t, BIN_only_0 + s->list[s->at]);
    if (!last && s->list[s->at] == 31 && s->list[s->at + 1] == 32) tb_hit(t, BIN_from_31_to_32);
    if (!last && s->list[s->at] == 0 && s->list[s->at + 1] == 63) tb_hit(t, BIN_from_0_to_63);
    s->at++;
  }
  s->idle = v ? 0 : s->idle + 1;
  if (loads) rid_sim_load(t, s, in->load_vector_i);
  s->zero = loads && !in->load_vector_i;
  s->fresh = false;
}

static uint64_t rid_choose_vector(struct tb_rng *r) {
  switch (tb_below(r, 10)) {
    case 0: return 0;
    case 1: return tb_chance(r, 30) ? UINT64_MAX : UINT64_MAX >> tb_below(r, 64);
    case 2: return UINT64_MAX << tb_below(r, 64);
    case 3: return UINT64_C(1) << tb_below(r, 64);
    case 4: return UINT64_C(1) << tb_below(r, 64) | UINT64_C(1) << tb_below(r, 64);
    case 5: return UINT64_C(1) | UINT64_C(1) << 63;
    case 6: return tb_bits(r, 32) << 32 * tb_below(r, 2);
    case 7: return UINT64_C(3) << tb_below(r, 63);
    case 8: return tb_dense(r, 64, 5);
    default: return tb_bits(r, 64);
  }
}

struct bias {
  unsigned load, ready, junk, sticky;
};

static void rid_drive_inputs(struct tb_rng *r, struct sim *s, struct rid_in *in, const struct bias *b, bool *rdy) {
  if (!s->offered && tb_chance(r, b->load)) {
    s->offered = true;
    s->offer = rid_choose_vector(r);
  }
  in->load_valid_i = s->offered;
  in->load_vector_i = s->offered ? s->offer : tb_chance(r, b->junk) ? tb_bits(r, 64) : 0;
  if (!tb_chance(r, b->sticky)) *rdy = tb_chance(r, b->ready);
  in->register_ready_i = *rdy;
}

static void rid_run_random(struct tb_run *t, struct tb_rng *r, const struct bias *b, struct sim *s, unsigned cycles) {
  bool rdy = false;
  memset(s, 0, sizeof *s);
  s->fresh = true;
  for (; cycles; cycles--) {
    struct rid_in in = {0};
    rid_drive_inputs(r, s, &in, b, &rdy);
    if (s->at == s->n) s->offered = false; /* accepted in this cycle */
    rid_run_cycle(t, s, &in);
  }
}

static const struct bias bias[] = {{10, 90, 50, 0}, {100, 100, 0, 0}, {90, 50, 50, 0}, {60, 40, 90, 97}};

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  struct sim s;
  rid_run_random(t, r, &bias[phase], &s, 40 + tb_below(r, 200));
}

/* Each register alone, with all above it, and with all below it. */
static void rid_case_each_alone(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  memset(&s, 0, sizeof s);
  for (unsigned i = 0; i < 192; i++) {
    uint64_t bit = UINT64_C(1) << i % 64;
    struct rid_in in = {.load_valid_i = 1, .load_vector_i = i < 64 ? bit : i < 128 ? -bit : bit | (bit - 1)};
    rid_run_cycle(t, &s, &in);
    while (s.at < s.n) {
      in = (struct rid_in){.load_vector_i = tb_bits(r, 64), .register_ready_i = 1};
      rid_run_cycle(t, &s, &in);
    }
  }
}

/* A reset with numbers left, and with a vector waiting: neither appears afterwards. */
static void rid_case_resets(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  for (unsigned i = 0; i < 40; i++) {
    rid_run_random(t, r, &bias[2], &s, 1 + tb_below(r, 12));
    if (s.at < s.n) tb_hit(t, s.offered ? BIN_reset_while_waiting : BIN_reset_while_left);
    tb_reset(t);
    memset(&s, 0, sizeof s);
    struct rid_in in = {.load_vector_i = tb_bits(r, 64)};
    rid_run_cycle(t, &s, &in);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct rid_in *in = vin, *was = last_in;
  (void)model;
  if (was && was->load_valid_i && !((const struct rid_out *)last_out)->load_ready_o &&
      (!in->load_valid_i || in->load_vector_i != was->load_vector_i)) {
    return "an offer was changed before it was accepted";
  }
  return NULL;
}

static const char *const phases[] = {"near_empty", "at_once", "half", "long_waits", NULL};
static const struct tb_case cases[] = {{"each_alone", rid_case_each_alone}, {"resets", rid_case_resets}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 100000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
