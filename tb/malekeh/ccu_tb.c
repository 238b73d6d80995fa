/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of ccu: phases and rules of the inputs. Its user of the block, with banks, is in ccu_user.h, its prediction of every output
 * and register in ccu_oracle.h, the coverage bins in ccu_bins.h, directed cases in ccu_cases.h. docs/blocks/malekeh/ccu.md
 */
#include "ccu_bins.h"

static void ccu_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r, const struct bias *b) {
  memset(s, 0, offsetof(struct sim, bank));
  s->t = t, s->r = r, s->b = b;
  s->in.seed_i = tb_chance(s->r, 80) ? tb_bits(r, 16) : 0;
  ccu_oracle_reset(&s->o);
  ccu_user_choose_pool(s);
}

static void ccu_run_cycle(struct sim *s) {
  struct ccu_state is = *(const struct ccu_state *)tb_model(s->t), state;
  const struct oracle was = s->o;
  ccu_oracle_state(&s->o, &state);
  ccu_oracle_out(&s->o, &s->out);
  s->waits = s->out.dispatch_valid_o ? s->waits + 1 : 0;
  expect_all(s->t, tb_step(s->t, &s->in), &s->out, &is, &state);
  ccu_oracle_edge(&s->o, &s->in, &s->d);
  ccu_bins_of_cycle(s, &was);
  ccu_user_write_banks(s);
  ccu_oracle_check(s->t, &s->o);
  ccu_user_check_values(s);
  s->before = s->d, s->s_before = s->in.operand_valid_i;
}

static void ccu_run_random(struct sim *s, unsigned cycles) {
  for (; cycles; cycles--) {
    ccu_user_drive_inputs(s);
    ccu_run_cycle(s);
  }
}

#include "ccu_cases.h"

// clang-format off
static const struct bias biases[] = {
    /* in the order of struct bias: warps, regs; al, same, source, known; near; s, mixed, take; d, full, none; sn; own, old; ex, last */
    {    2, 12,   80,  90,  50, 50,  50,   80,  0,  80,   20,  60,  5,   5,  60, 40,    2,   2}, /* calm */
    {    1,  6,  100, 100,  60, 50,  50,  100, 20, 100,   30,  70,  5,   5,  90, 40,    0,   0}, /* loop */
    {WARPS, 20,  100,  20,  60, 40,  50,  100, 50, 100,   20,  70,  5,   5,  50, 40,    5,  20}, /* crowd */
    {    2, 40,  100,  95,  60, 40,  95,  100, 20, 100,   30,  80,  5,   5,  80, 40,    2,   2}, /* near */
    {    2, 40,  100,  95,  60, 40,   8,  100, 20, 100,   30,  60,  5,   5,  80, 60,    2,   2}, /* far */
    {    3, 30,   40,  90,  40, 50,  70,   60, 40,  60,  100,  70, 10,  30,  90, 50,    2,   2}, /* results */
    {    3, 30,   60,  90,  50, 70,  50,   80, 20,  80,   60,  90,  0,  80,  90, 90,    2,   2}, /* snoops */
    {    2, 30,  100,  90,  80, 40,  50,   20, 60,  15,   60,  70, 10,  20,  80, 50,    2,   2}, /* slow */
    {    4, 20,   60,  60,  50, 50,  50,   90, 20,  60,   40,  70,  5,  20,  70, 50,  200, 300}, /* exits */
    {    2, 64,  100,  95, 100, 60,  40,  100, 20, 100,   40,  80,  0,   5,  90, 40,    1,   1}, /* wide */
    {    2, 20,  100,  90,  12, 60,  60,  100,  0, 100,   30,  70,  5,   5,  80, 50,    2,   2}, /* single */
    {    2, 10,    4,  80,  50, 50,  50,   10, 20,   8,    3,  60,  5,   2,  60, 50,    4,   4}, /* near_empty */
};
// clang-format on
static const char *const phases[] = {"calm", "loop",  "crowd", "near",   "far",        "results", "snoops",
                                     "slow", "exits", "wide",  "single", "near_empty", NULL};

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  struct sim s;
  ccu_sim_begin(&s, t, r, &biases[phase]);
  ccu_run_random(&s, 60 + tb_below(r, 240));
}

/* ---- rules ---- */

#if TB_PARAM(Cache)
static const char *ccu_illegal_result(const struct ccu_state *st, const struct ccu_out *out, unsigned w, unsigned r) {
  if (!out->owner_valid_o || w != out->owner_warp_o) return NULL;
  for (unsigned e = 0; e < ENTRIES; e++) {
    if (bit_is64(st->locked_q, e) && st->tag_q[e] == r) return "a result for a register that is locked";
  }
  return NULL;
}

/* D and the snoops, one after the other. */
static const char *ccu_illegal_results(const struct ccu_state *st, const struct ccu_in *in, const struct ccu_out *out) {
  unsigned n = 0, w[WRITES], r[WRITES];
  if (in->cache_valid_i) w[n] = (unsigned)in->cache_warp_i, r[n] = (unsigned)in->cache_register_i, n++;
  for (unsigned l = 0; l < LANES; l++) {
    if (bit_is64(in->snoop_valid_i, l)) w[n] = in->snoop_warp_i[l], r[n] = in->snoop_register_i[l], n++;
  }
  for (unsigned i = 0; i < n; i++) {
    const char *why = ccu_illegal_result(st, out, w[i], r[i]);
    if (why) return why;
    for (unsigned k = 0; k < i; k++) {
      if (w[k] == w[i] && r[k] == r[i]) return "two results for one register";
    }
  }
  return NULL;
}
#else
static const char *ccu_illegal_results(const struct ccu_state *st, const struct ccu_in *in, const struct ccu_out *out) {
  return (void)st, (void)in, (void)out, NULL;
}
#endif

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct ccu_state *st = model;
  const struct ccu_in *in = vin;
  struct ccu_out out;
  bool awaited = false;
  (void)last_in, (void)last_out;
  ccu_eval(model, in, &out);
  for (unsigned k = 0; k < SLOTS; k++) {
    const bool waits = bit_is64(st->source_q, k) && !bit_is64(st->ready_q, k);
    awaited |= waits && st->slot_entry_q[k] == in->operand_entry_i;
  }
  if (in->allocate_valid_i && out.busy_o) return "an allocation of a busy unit";
  if (in->dispatch_take_i && !out.dispatch_valid_o) return "dispatch_take without dispatch_valid";
  if (in->operand_valid_i && !awaited) return "a value for which no slot waits";
  if (out.owner_valid_o && out.busy_o && !in->dispatch_take_i && in->exit_warps_i >> out.owner_warp_o & 1)
    return "the owner ends while busy";
  return ccu_illegal_results(st, in, &out);
}

const struct tb tb_bench = {
    .cycles = 120000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
