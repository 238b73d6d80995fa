/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of pfu: phases and rules of the inputs. Its user of the block is in pfu_user.h, its prediction of every output
 * and register in pfu_oracle.h, the coverage bins in pfu_bins.h, directed cases in pfu_cases.h. docs/blocks/ltrf/pfu.md
 */
#include "pfu_bins.h"

static void pfu_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r, const struct bias *b) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r, s->b = b;
  s->last_told = NOBODY;
  pfu_oracle_reset(&s->o);
  if (b) pfu_user_choose_pool(s);
}

static void pfu_run_cycle(struct sim *s) {
  struct pfu_state is = *(const struct pfu_state *)tb_model(s->t), state;
  unsigned before[SLOTS];
  pfu_oracle_plan(&s->o, &s->in, &s->p);
  pfu_oracle_state(&s->o, &state);
  pfu_oracle_out(&s->o, &s->in, &s->p, &s->out);
  expect_all(s->t, tb_step(s->t, &s->in), &s->out, &is, &state);
  pfu_bins_of_cycle(s);
  pfu_user_edge(s);
  pfu_bins_remember(s);
  for (unsigned i = 0; i < SLOTS; i++)
    before[i] = pfu_oracle_const_holder(&s->o, i) ? pfu_oracle_const_holder(&s->o, i)->step : PFU_IDLE;
  pfu_oracle_edge(&s->o, &s->in, &s->p);
  for (unsigned i = 0; i < SLOTS; i++)
    s->fresh[i] = pfu_oracle_const_holder(&s->o, i) && pfu_oracle_const_holder(&s->o, i)->step != before[i];
  pfu_oracle_check(s->t, &s->o);
  s->now++;
}

static void pfu_run_random(struct sim *s, unsigned cycles) {
  for (; cycles; cycles--) {
    pfu_user_drive_inputs(s);
    pfu_run_cycle(s);
  }
}

#include "pfu_cases.h"

// clang-format off
static const struct bias biases[] = {
    /* in the order of struct bias: warps, regs; command, change; deact, end, same; st, st_late; look, issue, dead;
     * result, exec; wb, hold, noise; latency, reply, mixed; mrf, rfc; busy */
    { 6,  60,   20,  5,  10,  3, 10,  30, 30,   40,  30, 20,  60,  6,  80, 2,  0,   2, 100,  0,  ALWAYS, ALWAYS, 0}, /* calm */
    {10,  80,   80, 20,   5,  1,  8,  60, 20,   50,  40, 30,  50, 12,  70, 3,  2,   6, 100, 10,    BUSY,   HALF, 4}, /* intervals */
    {24,  30,  100, 30,  40, 15,  8,  60, 60,   50,  20, 30,  30,  5,  80, 2,  3,   2, 100,  0,  ALWAYS, ALWAYS, 0}, /* crowd */
    {12,  60,   80, 10,  15,  4,  5,  40, 20,   40,  30, 20,  50, 20,  50, 6,  2,  40,  70, 20,    HALF,   HALF, 8}, /* slow */
    {12,  40,   80, 20,  15,  4,  5,  50, 20,   40,  40, 30,  50, 10,  60, 4,  4,  10,  90, 50,  SPARSE, SPARSE, 0}, /* sparse */
    {10,  60,   80, 10,  20,  5,  5,  50, 20,   40,  40, 20,  50, 10,  60, 4,  2,   3, 100,  0,   STUCK,  STUCK, 0}, /* stuck */
    { 8,  60,   80, 10,  20,  3,  5,  50, 20,   40,  60, 30,  80,  4,  90, 5, 60,   4,  90, 30,  ALWAYS,   HALF, 0}, /* writes */
    {12,  12,   80, 20,  15,  6, 20,  50, 50,   70,  50, 30,  60,  4,  80, 2,  8,   1, 100,  0,  ALWAYS, ALWAYS, 0}, /* few_registers */
    {12, 200,   90, 10,   8,  2, 10,  60, 20,   50,  30, 20,  40,  6,  80, 2,  2,   3, 100,  0,  ALWAYS, ALWAYS, 0}, /* full */
    {16,  30,  100, 40,  35, 30, 10,  90, 90,   60,  30, 40,  20,  3,  90, 2,  4,   2, 100,  0,   BLINK,  BLINK, 0}, /* starts */
    { 8,  70,   60, 10,  25,  2,  5,  50, 20,   40, 100, 80,  30,  4,  80, 2,  6,   2, 100,  0,    HALF,   HALF, 0}, /* dead */
    { 8,  70,   90, 10,  20, 15, 10,  80, 20,  100,  30, 20,  30,  4,  80, 2,  4,   2, 100,  0,  ALWAYS, ALWAYS, 0}, /* looks */
    { 4,  20,    5,  5,  20, 10, 10,  10, 10,    5,   5, 20,  30,  4,  50, 2,  1,   5, 100,  0,  ALWAYS, ALWAYS, 0}, /* near_empty */
};
// clang-format on
static const char *const phases[] = {"calm",          "intervals", "crowd",  "slow", "sparse", "stuck",      "writes",
                                     "few_registers", "full",      "starts", "dead", "looks",  "near_empty", NULL};

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  struct sim s;
  struct bias b = biases[phase];
  b.latency = 1 + tb_below(r, b.latency);
  pfu_sim_begin(&s, t, r, &b);
  pfu_run_random(&s, 100 + tb_below(r, 400));
}

/* ---- rules ---- */

/* The state of the slot of an active warp that is not idle; idle if there is none. */
static unsigned pfu_state_step_of(const struct pfu_state *st, unsigned w, unsigned *op) {
  for (unsigned i = 0; i < SLOTS; i++) {
    if (st->state_q[i] == PFU_IDLE || st->warp_q[i] != w) continue;
    *op = (unsigned)st->command_q[i];
    return (unsigned)st->state_q[i];
  }
  *op = 0;
  return PFU_IDLE;
}

static bool pfu_state_is_active(const struct pfu_state *st, unsigned w) { return st->active_q >> w & 1; }

static const char *pfu_illegal_port(const struct pfu_state *st, const struct pfu_in *in, const struct pfu_out *out,
                                    unsigned p) {
  const unsigned w = in->issue_warp_i[p], n = in->lookup_count_i[p];
  unsigned op;
  if (bit_is64(in->lookup_valid_i, p)) {
    if (in->lookup_warp_i[p] % PORTS != p) return "a look-up of a warp of another port";
    if (n == 0 || n > SOURCES) return "a look-up of 0 or 7 sources";
    if (!bit_is64(out->lookup_ready_o, p)) return "a look-up without lookup_ready_o";
  }
  if (bit_is64(in->issue_valid_i, p)) {
    if (w % PORTS != p) return "an issue of a warp of another port";
    if (!pfu_state_is_active(st, w)) return "an issue of a warp that is not active";
    if (pfu_state_step_of(st, w, &op) != PFU_IDLE) return "an issue of a warp whose slot is not idle";
    if (in->command_valid_i && out->command_ready_o && in->command_warp_i == w)
      return "an issue of a warp for which a command is accepted";
  }
  return NULL;
}

static const char *pfu_illegal_write(const struct pfu_state *st, const struct pfu_in *in, const struct pfu_out *out,
                                     unsigned k) {
  const unsigned w = in->result_warp_i[k], r = in->result_register_i[k];
  unsigned op;
  if (!bit_is64(in->result_valid_i, k)) return NULL;
  for (unsigned i = 0; i < k; i++) {
    if (pfu_result_names(in, i, w, r)) return "two writes of one register";
  }
  if (in->command_valid_i && out->command_ready_o && in->command_i == PFU_END && in->command_warp_i == w)
    return "END while a write is under way";
  if (pfu_state_is_active(st, w) && pfu_state_step_of(st, w, &op) == PFU_DONE && op == PFU_END)
    return "a write of a warp that has ended";
  return NULL;
}

static const char *pfu_illegal_fill(const struct pfu_state *st, const struct pfu_in *in) {
  const unsigned i = (unsigned)in->fill_slot_i, r = (unsigned)in->fill_register_i;
  if (st->state_q[i] != PFU_ALLOCATE && st->state_q[i] != PFU_WAIT)
    return "a register comes for a slot that has asked for none";
  if (!set_has(st->working_set_q[i], r) || set_has(st->present_q[i], r) || set_has(st->todo_q[i], r))
    return "a register comes that was not asked for";
  return NULL;
}

/* That an ACTIVATE needs a start is known to the golden model alone. */
static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct pfu_state *st = model;
  const struct pfu_in *in = vin;
  const char *why = NULL;
  unsigned n = 0;
  struct pfu_out out;
  (void)last_in, (void)last_out;
  pfu_eval(model, in, &out);
  for (unsigned p = 0; p < PORTS && !why; p++) why = pfu_illegal_port(st, in, &out, p);
  for (unsigned k = 0; k < WRITES && !why; k++) why = pfu_illegal_write(st, in, &out, k);
  if (why) return why;
  for (unsigned k = 0; k < PFU_WORDS; k++) n += (unsigned)bit_count64(in->command_registers_i[k]);
  if (in->command_valid_i && in->command_i == PFU_PREFETCH && n > PLACES)
    return "a vector of more registers than the interval has";
  if (in->start_valid_i && pfu_state_is_active(st, (unsigned)in->start_warp_i)) return "a start of an active warp";
  if (in->start_valid_i && in->command_valid_i && out.command_ready_o && in->command_i == PFU_ACTIVATE &&
      in->command_warp_i == in->start_warp_i) {
    return "a start of a warp for which an ACTIVATE is accepted";
  }
  return in->fill_valid_i ? pfu_illegal_fill(st, in) : NULL;
}

const struct tb tb_bench = {
    .cycles = 60000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
