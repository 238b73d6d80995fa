/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of csw: in half of its phases it models csm, rmu and an SM with few slots, and checks every switch against
 * their capacity; in the other phases the inputs are arbitrary. The bench's prediction is not a state machine: when a CTA
 * is chosen it lists the steps of the case from the page's table and follows them. docs/blocks/finereg/csw.md
 */
#include <string.h>

#include "blocks/finereg/csw.h"
#include "finereg_tb.h"

#define EXPECT csw
#define EXPECT_DEF "blocks/finereg/csw.def"
#include "expect.h"

/*
 * The number after idle_in_ has the bits kept_valid, spilled_valid, new_valid & new_fits, acrf_slot_free,
 * pipeline_slot_free and "a stalled CTA is to be examined"; after examine_in_ the first four and stalled[A]; after
 * examine_swap_in_ the first three.
 */
/* clang-format off */
#define BINS(B)                                                                                                \
  TB_64(B, idle_in_) TB_64(B, idle_finished_in_) TB_32(B, examine_in_) TB_8(B, examine_swap_in_)               \
  TB_128(B, leaves_) TB_128(B, comes_) TB_128(B, ends_) TB_16(B, chosen_at_timer_) TB_8(B, finished_comes_in_) \
  TB_8(B, timer_wraps_in_) TB_8(B, stall_rises_in_) TB_8(B, reset_in_) TB_32(B, warps_minus_1_)                \
  B(new_without_fits) B(fits_without_new) B(fill_kept) B(fill_spilled) B(fill_new) B(finished) B(case1)        \
  B(case2) B(case3) B(case3_refused) B(case3_then_4) B(case3_then_4_refused) B(case3_then_5) B(case4)          \
  B(case4_refused) B(case5) B(fell_in_examine) B(restore_without_success) B(looked_at_again)                   \
  B(looked_at_again_after_refusal) B(due_lost) B(fell_after_look) B(lower_first) B(cleared_beside_wrap)        \
  B(fell_while_waiting) B(others_change_while_frozen) B(finished_behind_finished) B(sequence_behind_sequence)  \
  B(command_at_once) B(command_waits) B(done_at_once) B(done_late) B(out_at_once) B(out_late) B(in_at_once)    \
  B(in_late) B(warps_change_while_waiting) B(junk_ids) B(none_left) B(closed_case1) B(closed_case2)            \
  B(closed_case3) B(closed_case4) B(closed_full)
/* clang-format on */
TB_BINS(BINS)

enum { N = 128, NOBODY = N };
#define END ((enum csw_step)(CSW_EXAMINE_SWAP + 1)) /* after the last step */
enum { NONE, SPILLED, KEPT, ACTIVE };               /* statuses of CTAs */
static const uint8_t context_of[] = {CSW_CONTEXT_NONE, CSW_CONTEXT_SHARED, CSW_CONTEXT_SHARED, CSW_CONTEXT_PIPELINE};
static const uint8_t registers_of[] = {CSW_REGISTERS_NONE, CSW_REGISTERS_AWAY, CSW_REGISTERS_HERE, CSW_REGISTERS_HERE};

struct sim {
  bool stalled[N], due[N]; /* stalled: of the cycle before */
  unsigned timer, outgoing_cta_q, incoming_cta_q;
  enum csw_step steps[8];  /* steps still to be done, then END */
  unsigned leaves, comes;  /* the CTAs of this sequence */
  unsigned leaves_to;      /* the status that A gets */
  bool at_stall, launches; /* begun at a stall; B is new */
  unsigned op, nw, number; /* command; case of the table */
  /* for stimulus and bins */
  unsigned nw_now, in_step, idle_for; /* cta_warps_i; cycles in this step */
  bool finished, refused, again[N]; /* finished_valid_i waits; this sequence was refused; examined since stalled rose */
  unsigned finished_cta, last_refused; /* the CTA that waits; the CTA whose swap was refused last */
};

static void csw_sim_reset(struct sim *s) {
  memset(s, 0, sizeof *s);
  s->leaves = s->comes = NOBODY;
  s->steps[0] = END;
  s->last_refused = NOBODY;
}

static enum csw_step csw_sim_step_now(const struct sim *s) { return s->steps[0] == END ? CSW_IDLE : s->steps[0]; }

static void csw_sim_plan_steps(struct sim *s, enum csw_step a, enum csw_step b, enum csw_step c, enum csw_step d,
                               enum csw_step e) {
  const enum csw_step steps[] = {a, b, c, d, e, END};
  memcpy(s->steps, steps, sizeof steps);
}

static void csw_sim_next_step(struct sim *s) { memmove(s->steps, s->steps + 1, sizeof s->steps - sizeof *s->steps); }

static unsigned lowest_due(const struct sim *s, const struct csw_in *in) {
  unsigned i = 0;
  while (i < N && !(s->due[i] && finereg_bit_of(in->stalled_i, i))) i++;
  return i;
}

/* ---- the page's tables: the choice of this cycle ---- */

struct choice {
  unsigned number; /* idle: 1 to 5; examine: 11 to 15; 0: nothing */
  unsigned leaves, comes;
  bool take_kept, take_spilled;
};

static struct choice choose_idle(const struct sim *s, const struct csw_in *in) {
  unsigned stalled = lowest_due(s, in);
  if (in->finished_valid_i)
    return (struct choice){.number = 1, .leaves = (unsigned)in->finished_cta_i, .comes = NOBODY};
  if (in->pipeline_slot_free_i && in->kept_valid_i)
    return (struct choice){2, NOBODY, (unsigned)in->kept_cta_i, true, false};
  if (in->pipeline_slot_free_i && in->acrf_slot_free_i && in->spilled_valid_i)
    return (struct choice){3, NOBODY, (unsigned)in->spilled_cta_i, false, true};
  if (in->pipeline_slot_free_i && in->acrf_slot_free_i && in->new_valid_i && in->new_fits_i) {
    return (struct choice){4, NOBODY, (unsigned)in->new_cta_i, false, false};
  }
  if (stalled < N) return (struct choice){5, stalled, NOBODY, false, false};
  return (struct choice){0, NOBODY, NOBODY, false, false};
}

static struct choice choose_examine(const struct sim *s, const struct csw_in *in, bool all) {
  bool launch = in->new_valid_i && in->new_fits_i;
  if (all && !finereg_bit_of(in->stalled_i, s->leaves)) return (struct choice){0, s->leaves, NOBODY, false, false};
  if (all && in->kept_valid_i) return (struct choice){11, s->leaves, (unsigned)in->kept_cta_i, true, false};
  if (all && launch)
    return (struct choice){in->acrf_slot_free_i ? 12 : 13, s->leaves, (unsigned)in->new_cta_i, false, false};
  if (in->spilled_valid_i) return (struct choice){14, s->leaves, (unsigned)in->spilled_cta_i, false, true};
  return (struct choice){15, s->leaves, NOBODY, false, false};
}

static struct choice csw_sim_choose(const struct sim *s, const struct csw_in *in) {
  switch (csw_sim_step_now(s)) {
    case CSW_IDLE: return choose_idle(s, in);
    case CSW_EXAMINE: return choose_examine(s, in, true);
    case CSW_EXAMINE_SWAP: return choose_examine(s, in, false);
    default: return (struct choice){0, NOBODY, NOBODY, false, false};
  }
}

static void csw_sim_begin(struct sim *s, const struct choice *c) {
  s->number = c->number;
  s->leaves = c->leaves, s->comes = c->comes;
  s->at_stall = c->number == 5 || c->number > 10;
  s->launches = c->number == 4 || c->number == 12 || c->number == 13;
  if (c->number == 1 || c->number == 5) s->outgoing_cta_q = c->leaves;
  if (c->comes < N) s->incoming_cta_q = c->comes;
  s->leaves_to = c->number == 1 ? NONE : c->number == 11 || c->number == 12 ? KEPT : SPILLED;
  s->op = c->number == 3 ? CSW_RESTORE : c->number == 13 ? CSW_SPILL : CSW_SWAP;
  s->nw = s->nw_now;
  switch (c->number) {
    case 1:
    case 4: csw_sim_plan_steps(s, CSW_SET, END, END, END, END); break;
    case 2: csw_sim_plan_steps(s, CSW_MOVE_IN, CSW_SET, END, END, END); break;
    case 3: csw_sim_plan_steps(s, CSW_COMMAND, CSW_WAIT, CSW_MOVE_IN, CSW_SET, END); break;
    case 5: csw_sim_plan_steps(s, CSW_EXAMINE, END, END, END, END); break;
    case 11: csw_sim_plan_steps(s, CSW_MOVE_OUT, CSW_MOVE_IN, CSW_SET, END, END); break;
    case 12: csw_sim_plan_steps(s, CSW_MOVE_OUT, CSW_SET, END, END, END); break;
    case 13: csw_sim_plan_steps(s, CSW_COMMAND, CSW_WAIT, CSW_MOVE_OUT, CSW_SET, END); break;
    case 14: csw_sim_plan_steps(s, CSW_COMMAND, CSW_WAIT, CSW_MOVE_OUT, CSW_MOVE_IN, CSW_SET); break;
    default: csw_sim_plan_steps(s, END, END, END, END, END); break;
  }
}

/* ---- every output and register, before the edge ---- */

static const struct csw_out *csw_compare_cycle(struct tb_run *t, const struct sim *s, const struct csw_in *in,
                                               const struct choice *c) {
  enum csw_step at = csw_sim_step_now(s);
  unsigned a = s->leaves, b = s->comes, to = s->leaves_to;
  const struct csw_state was = *(const struct csw_state *)tb_model(t);
  const struct csw_state state = {
      .state_q = at, .outgoing_cta_q = s->outgoing_cta_q, .incoming_cta_q = s->incoming_cta_q, .timer_q = s->timer};
  struct csw_out want = {
      .finished_ready_o = at == CSW_IDLE, .take_kept_o = c->take_kept, .take_spilled_o = c->take_spilled};
  for (unsigned p = 0; at == CSW_SET && p < 2; p++) {
    const unsigned cta = p ? b : a, status = p ? ACTIVE : to;
    if (cta == NOBODY) continue;
    want.set_valid_o |= 1u << p;
    want.set_cta_o[p] = (uint8_t)cta;
    want.set_context_o[p] = context_of[status], want.set_registers_o[p] = registers_of[status];
  }
  if (at == CSW_SET && s->launches) want.launch_valid_o = 1, want.launch_cta_o = b;
  if (at == CSW_COMMAND) want.command_valid_o = 1, want.command_operation_o = s->op, want.command_warps_o = s->nw;
  if (at == CSW_COMMAND && s->op != CSW_RESTORE) want.command_outgoing_cta_o = a;
  if (at == CSW_COMMAND && s->op != CSW_SPILL) want.command_incoming_cta_o = b;
  if (at == CSW_MOVE_OUT) want.context_move_valid_o = 1, want.context_move_cta_o = a;
  if (at == CSW_MOVE_IN) want.context_move_valid_o = want.context_move_in_o = 1, want.context_move_cta_o = b;
  if (at != CSW_IDLE && s->at_stall) want.freeze_valid_o = 1, want.freeze_cta_o = a;
  const struct csw_out *out = tb_step(t, in);
  expect_all(t, out, &want, &was, &state);
  return out;
}

/* ---- bins ---- */

static void csw_bins_of_due(struct tb_run *t, struct sim *s, const struct csw_in *in, const struct choice *c) {
  for (unsigned i = 0; i < N; i++) {
    bool stalled = finereg_bit_of(in->stalled_i, i);
    if (stalled && !s->stalled[i]) tb_hit(t, BIN_stall_rises_in_0 + csw_sim_step_now(s));
    if (!stalled && s->due[i]) tb_hit(t, csw_sim_step_now(s) == CSW_IDLE ? BIN_due_lost : BIN_fell_while_waiting);
    if (s->at_stall && csw_sim_step_now(s) > CSW_EXAMINE && i != s->leaves && stalled != s->stalled[i])
      tb_hit(t, BIN_others_change_while_frozen);
    if (!stalled && s->again[i]) tb_hit(t, BIN_fell_after_look);
    if (c->number == 5 && i > c->leaves && stalled && s->due[i]) tb_hit(t, BIN_lower_first);
    s->again[i] = s->again[i] && stalled;
  }
  if (c->number != 5) return;
  tb_hit(t, BIN_leaves_0 + c->leaves);
  tb_hit(t, BIN_chosen_at_timer_0 + s->timer);
  if (s->timer == 15) tb_hit(t, BIN_cleared_beside_wrap);
  if (s->again[c->leaves])
    tb_hit(t, c->leaves == s->last_refused ? BIN_looked_at_again_after_refusal : BIN_looked_at_again);
  s->again[c->leaves] = true;
}

static void csw_bins_of_choice(struct tb_run *t, const struct sim *s, const struct csw_in *in, const struct choice *c) {
  bool launch = in->new_valid_i && in->new_fits_i;
  unsigned may = in->kept_valid_i | in->spilled_valid_i << 1 | launch << 2 | in->acrf_slot_free_i << 3;
  if (csw_sim_step_now(s) == CSW_IDLE) {
    may |= in->pipeline_slot_free_i << 4 | (lowest_due(s, in) < N) << 5;
    tb_hit(t, (in->finished_valid_i ? BIN_idle_finished_in_0 : BIN_idle_in_0) + may);
    if (in->finished_valid_i && s->number == 1 && s->idle_for == 0) tb_hit(t, BIN_finished_behind_finished);
    if (c->number && s->number && s->idle_for == 0) tb_hit(t, BIN_sequence_behind_sequence);
  }
  if (csw_sim_step_now(s) == CSW_EXAMINE)
    tb_hit(t, BIN_examine_in_0 + (may | finereg_bit_of(in->stalled_i, s->leaves) << 4));
  if (csw_sim_step_now(s) == CSW_EXAMINE_SWAP) tb_hit(t, BIN_examine_swap_in_0 + (may & 7));
  if (csw_sim_step_now(s) == CSW_IDLE || csw_sim_step_now(s) == CSW_EXAMINE) {
    if (in->new_valid_i != in->new_fits_i) tb_hit(t, in->new_valid_i ? BIN_new_without_fits : BIN_fits_without_new);
    if ((!in->kept_valid_i && in->kept_cta_i) || (!in->spilled_valid_i && in->spilled_cta_i)) tb_hit(t, BIN_junk_ids);
  }
  if (csw_sim_step_now(s) == CSW_EXAMINE && !c->number) tb_hit(t, BIN_fell_in_examine);
  if (c->number == 1) tb_hit(t, BIN_ends_0 + c->leaves);
  if (c->number == 15) tb_hit(t, csw_sim_step_now(s) == CSW_EXAMINE_SWAP ? BIN_case3_then_5 : BIN_case5);
  if (c->comes < N) tb_hit(t, BIN_comes_0 + c->comes);
  if (c->number == 3 || c->number == 13 || c->number == 14) tb_hit(t, BIN_warps_minus_1_0 + s->nw_now - 1);
}

/* The end of a step, and of a sequence. */
static void csw_bins_of_step(struct tb_run *t, const struct sim *s, const struct csw_in *in) {
  static const unsigned of[] = {0, 0, BIN_command_at_once, BIN_done_at_once, BIN_out_at_once, BIN_in_at_once, 0};
  enum csw_step at = csw_sim_step_now(s);
  bool over = at == CSW_COMMAND ? in->command_ready_i : at == CSW_WAIT ? in->done_valid_i : in->context_move_done_i;
  if (of[at] && over && (s->in_step == 0 || s->in_step > 5)) tb_hit(t, of[at] + (s->in_step > 5));
  if (at == CSW_COMMAND && !over && s->nw != s->nw_now) tb_hit(t, BIN_warps_change_while_waiting);
  if (at == CSW_WAIT && over && s->op == CSW_RESTORE && !in->done_success_i) tb_hit(t, BIN_restore_without_success);
  if (at != CSW_SET) return;
  switch (s->number) {
    case 1: tb_hit(t, BIN_finished); break;
    case 2: tb_hit(t, BIN_fill_kept); break;
    case 3: tb_hit(t, BIN_fill_spilled); break;
    case 4: tb_hit(t, BIN_fill_new); break;
    case 11: tb_hit(t, BIN_case1); break;
    case 12: tb_hit(t, BIN_case2); break;
    case 13: tb_hit(t, BIN_case3); break;
    default: tb_hit(t, s->refused ? BIN_case3_then_4 : BIN_case4); break;
  }
}

/* ---- a cycle ---- */

static void csw_sim_advance(struct tb_run *t, struct sim *s, const struct csw_in *in, const struct choice *c) {
  enum csw_step at = csw_sim_step_now(s);
  bool refused = at == CSW_WAIT && in->done_valid_i && !in->done_success_i && s->op != CSW_RESTORE;
  if (at == CSW_IDLE && c->number) s->refused = false;
  if (at == CSW_EXAMINE || at == CSW_EXAMINE_SWAP || (at == CSW_IDLE && c->number)) csw_sim_begin(s, c);
  if (refused) {
    tb_hit(t, s->op == CSW_SPILL ? BIN_case3_refused : s->refused ? BIN_case3_then_4_refused : BIN_case4_refused);
    if (s->op == CSW_SWAP) s->last_refused = s->leaves;
    s->refused = true;
    csw_sim_plan_steps(s, s->op == CSW_SPILL ? CSW_EXAMINE_SWAP : END, END, END, END, END);
  } else if ((at == CSW_COMMAND && in->command_ready_i) || (at == CSW_WAIT && in->done_valid_i) ||
             ((at == CSW_MOVE_OUT || at == CSW_MOVE_IN) && in->context_move_done_i) || at == CSW_SET) {
    csw_sim_next_step(s);
  }
  s->in_step = csw_sim_step_now(s) == at ? s->in_step + 1 : 0;
  s->idle_for = at == CSW_IDLE && csw_sim_step_now(s) == CSW_IDLE ? s->idle_for + 1 : 0;
  if (at == CSW_IDLE) s->finished = false;
}

static const struct csw_out *csw_run_cycle(struct tb_run *t, struct sim *s, const struct csw_in *in) {
  struct choice c = csw_sim_choose(s, in);
  s->nw_now = (unsigned)in->cta_warps_i;
  const struct csw_out *out = csw_compare_cycle(t, s, in, &c);
  csw_bins_of_due(t, s, in, &c);
  csw_bins_of_choice(t, s, in, &c);
  csw_bins_of_step(t, s, in);
  if (s->timer == 15) tb_hit(t, BIN_timer_wraps_in_0 + csw_sim_step_now(s));
  for (unsigned i = 0; i < N; i++) {
    bool stalled = finereg_bit_of(in->stalled_i, i);
    s->due[i] = stalled && (s->due[i] || !s->stalled[i] || s->timer == 15) && !(c.number == 5 && c.leaves == i);
    s->stalled[i] = stalled;
  }
  s->timer = (s->timer + 1) % 16;
  csw_sim_advance(t, s, in, &c);
  return out;
}

/* May stalled of CTA i fall? Not while a sequence after examine freezes it. */
static bool may_fall(const struct sim *s, unsigned i) {
  return !(s->at_stall && s->leaves == i && csw_sim_step_now(s) != CSW_IDLE && csw_sim_step_now(s) != CSW_EXAMINE);
}

struct rates {
  /* probabilities of command_ready_i, done_valid_i, done_success_i, context_move_done_i */
  unsigned ready, done, ok, moved;
};

static void csw_drive_answers(struct tb_rng *r, const struct sim *s, struct csw_in *in, const struct rates *k) {
  enum csw_step at = csw_sim_step_now(s);
  in->command_ready_i = tb_chance(r, k->ready);
  in->done_valid_i = at == CSW_WAIT && tb_chance(r, k->done);
  in->done_success_i = tb_chance(r, k->ok);
  in->context_move_done_i = (at == CSW_MOVE_OUT || at == CSW_MOVE_IN) && tb_chance(r, k->moved);
}

static void end_of_cta(struct tb_run *t, struct sim *s, struct csw_in *in, bool comes, unsigned i) {
  if (!s->finished && comes) {
    s->finished = true, s->finished_cta = i;
    tb_hit(t, BIN_finished_comes_in_0 + csw_sim_step_now(s));
  }
  in->finished_valid_i = s->finished;
  in->finished_cta_i = s->finished ? s->finished_cta : i;
}

/* ---- any inputs ---- */

struct any {
  unsigned flips, stalled, kept, spilled, new, fits, slot, pipe, finished, ctas;
  struct rates rates;
};

static void drive_any(struct tb_run *t, struct tb_rng *r, struct sim *s, struct csw_in *in, const struct any *k) {
  unsigned ids[4], each = tb_chance(r, 1) ? k->ctas : k->flips;
  for (unsigned i = 0; i < 4; i++) ids[i] = tb_below(r, k->ctas);
  end_of_cta(t, s, in, tb_chance(r, k->finished) && may_fall(s, ids[3]), ids[3]);
  for (unsigned i = 0; i < N; i++) finereg_put_bit(in->stalled_i, i, s->stalled[i]);
  for (; each; each--) {
    unsigned i = tb_below(r, k->ctas);
    bool stalled = tb_chance(r, k->stalled);
    if (stalled || may_fall(s, i)) finereg_put_bit(in->stalled_i, i, stalled);
  }
  if (csw_sim_step_now(s) == CSW_EXAMINE && tb_chance(r, 6)) finereg_put_bit(in->stalled_i, s->leaves, false);
  if (in->finished_valid_i) finereg_put_bit(in->stalled_i, s->finished_cta, false);
  for (unsigned i = 0; i < 3; i++) { /* the CTA that comes is not active */
    while (finereg_bit_of(in->stalled_i, ids[i]) && tb_chance(r, 90)) ids[i] = tb_below(r, k->ctas);
  }
  in->kept_valid_i = tb_chance(r, k->kept) && !finereg_bit_of(in->stalled_i, ids[0]);
  in->spilled_valid_i = tb_chance(r, k->spilled) && !finereg_bit_of(in->stalled_i, ids[1]);
  in->new_valid_i = tb_chance(r, k->new) && !finereg_bit_of(in->stalled_i, ids[2]);
  in->kept_cta_i = ids[0], in->spilled_cta_i = ids[1], in->new_cta_i = ids[2];
  in->new_fits_i = tb_chance(r, k->fits), in->acrf_slot_free_i = tb_chance(r, k->slot),
  in->pipeline_slot_free_i = tb_chance(r, k->pipe);
  in->cta_warps_i = s->nw_now && tb_chance(r, 80) ? s->nw_now : 1 + tb_below(r, 32);
  csw_drive_answers(r, s, in, &k->rates);
}

static void one_any(struct tb_run *t, struct tb_rng *r, struct sim *s, const struct any *k) {
  struct csw_in in = {0};
  drive_any(t, r, s, &in, k);
  csw_run_cycle(t, s, &in);
}

/* ---- csm, rmu and an SM ---- */

struct world {
  unsigned ctas, slots, pipes, resident, grid;
  unsigned stall, wake, end,
      ready; /* probabilities per CTA and cycle: it stalls, continues, ends; a pending one is ready */
  struct rates rates;
  unsigned status[N];
  bool stalled[N];
};

static unsigned world_count(const struct world *w, unsigned status) {
  unsigned n = 0;
  for (unsigned i = 0; i < w->ctas; i++) n += w->status[i] == status;
  return n;
}

static unsigned some_ready(struct tb_rng *r, const struct world *w, unsigned status) {
  unsigned from = tb_below(r, w->ctas);
  for (unsigned k = 0; k < w->ctas; k++) {
    unsigned i = (from + k) % w->ctas;
    if (w->status[i] == status && tb_chance(r, w->ready)) return i;
  }
  return N;
}

static void drive_world(struct tb_run *t, struct tb_rng *r, struct world *w, struct sim *s, struct csw_in *in) {
  unsigned ended = N, kept = some_ready(r, w, KEPT), spilled = some_ready(r, w, SPILLED), new = 0;
  while (new < w->ctas && w->status[new] != NONE) new ++;
  for (unsigned i = 0; i < w->ctas; i++) {
    bool ends =
        (s->finished && s->finished_cta == i) || (csw_sim_step_now(s) == CSW_SET && s->number == 1 && s->leaves == i);
    if (w->status[i] != ACTIVE || ends) continue;
    if (w->stalled[i]) {
      w->stalled[i] = !may_fall(s, i) || !tb_chance(r, w->wake);
    } else if (tb_chance(r, w->end)) {
      ended = i;
    } else {
      w->stalled[i] = tb_chance(r, w->stall);
    }
    finereg_put_bit(in->stalled_i, i, w->stalled[i]);
  }
  bool full = new == w->ctas || world_count(w, SPILLED) + world_count(w, KEPT) + world_count(w, ACTIVE) >= w->resident;
  if (ended < N) w->stalled[ended] = false, finereg_put_bit(in->stalled_i, ended, false);
  end_of_cta(t, s, in, ended < N, ended % N);
  in->kept_valid_i = kept < N, in->kept_cta_i = kept % N;
  in->spilled_valid_i = spilled < N, in->spilled_cta_i = spilled % N;
  in->new_valid_i = new < w->ctas, in->new_cta_i = new < w->ctas ? new : 0;
  in->new_fits_i = w->grid && !full;
  in->acrf_slot_free_i = world_count(w, KEPT) + world_count(w, ACTIVE) < w->slots;
  in->pipeline_slot_free_i = world_count(w, ACTIVE) < w->pipes;
  in->cta_warps_i = 1 + w->ctas % 32;
  csw_drive_answers(r, s, in, &w->rates);
  if (csw_sim_step_now(s) == CSW_WAIT && s->op == CSW_RESTORE) in->done_success_i = 1;
}

/* Applies a status; asserts that the CTA may get it and that there is room. */
static void world_move(struct tb_run *t, struct world *w, const struct sim *s, const struct csw_out *out) {
  static const unsigned from[] = {
      [2] = KEPT, [3] = SPILLED, [4] = NONE, [11] = KEPT, [12] = NONE, [13] = NONE, [14] = SPILLED};
  for (unsigned p = 0; p < 2; p++) {
    if (!(out->set_valid_o >> p & 1)) continue;
    const unsigned i = out->set_cta_o[p], context = out->set_context_o[p], registers = out->set_registers_o[p];
    unsigned to = ACTIVE;
    while (to && (context_of[to] != context || registers_of[to] != registers)) to--;
    tb_expect(t, to || (!context && !registers), "CTA %u: status (%u,%u) is none", i, context, registers);
    tb_expect(t, p ? to == ACTIVE && w->status[i] == from[s->number] : to != ACTIVE && w->status[i] == ACTIVE,
              "CTA %u goes from status %u to %u", i, w->status[i], to);
    tb_expect(t, !p || (out->launch_valid_o && out->launch_cta_o == i) == (w->status[i] == NONE),
              "launch_valid_o of CTA %u", i);
    w->grid -= w->status[i] == NONE;
    w->status[i] = to;
    w->stalled[i] = false;
  }
  unsigned active = world_count(w, ACTIVE), in_slots = active + world_count(w, KEPT);
  tb_expect(t, active <= w->pipes && in_slots <= w->slots, "%u CTAs in the pipeline of %u, %u slots of %u", active,
            w->pipes, in_slots, w->slots);
  if (out->set_valid_o == 3 && s->number > 10) tb_hit(t, BIN_closed_case1 + s->number - 11);
  if (active == w->pipes && in_slots == w->slots && world_count(w, SPILLED)) tb_hit(t, BIN_closed_full);
  if (!active && !in_slots && !w->grid && !world_count(w, SPILLED)) tb_hit(t, BIN_none_left);
}

static void run_world(struct tb_run *t, struct tb_rng *r, struct world *w, struct sim *s, unsigned cycles) {
  csw_sim_reset(s);
  for (; cycles; cycles--) {
    struct csw_in in = {0};
    drive_world(t, r, w, s, &in);
    world_move(t, w, s, csw_run_cycle(t, s, &in));
  }
}

/* ---- phases and cases ---- */

enum { ANY = 6 };
static const struct any any[ANY] = {
    /* flips stalled kept spilled new fits slot pipe finished ctas, rates */
    {2, 50, 50, 50, 70, 70, 50, 50, 40, N, {70, 70, 60, 70}},
    {1, 30, 12, 20, 20, 50, 50, 12, 2, N, {100, 100, 60, 100}},
    {1, 15, 5, 60, 40, 90, 5, 3, 2, 8, {60, 60, 30, 60}},
    {2, 20, 50, 50, 50, 70, 60, 50, 40, N, {90, 90, 50, 90}},
    {8, 60, 20, 20, 30, 70, 30, 5, 8, 40, {15, 15, 70, 15}},
    {0, 90, 2, 2, 2, 50, 50, 3, 1, 20, {90, 90, 50, 90}},
};
static const struct world worlds[] = {
    /* ctas slots pipes resident grid, stall wake end ready, rates, statuses */
    {6, 3, 2, 6, 20, 25, 10, 6, 40, {60, 60, 80, 60}, {0}, {0}},
    {16, 8, 4, 16, 60, 40, 3, 3, 30, {90, 40, 70, 50}, {0}, {0}},
    {N, 48, 24, N, 300, 30, 3, 1, 10, {70, 70, 90, 80}, {0}, {0}},
    {9, 2, 2, 9, 30, 60, 1, 8, 60, {100, 30, 40, 30}, {0}, {0}},
};

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  struct sim s;
  if (phase < ANY) {
    csw_sim_reset(&s);
    for (unsigned n = 60 + tb_below(r, 240); n; n--) one_any(t, r, &s, &any[phase]);
  } else {
    struct world w = worlds[phase - ANY];
    run_world(t, r, &w, &s, 200 + tb_below(r, 900));
  }
}

/* Each CTA alone stalls and stays stalled: it is examined two cycles later and then every 16 cycles. */
static void csw_case_each_alone(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  csw_sim_reset(&s);
  for (unsigned i = 0; i < N; i++) {
    unsigned looks = 0;
    for (unsigned c = 0, idle = tb_below(r, 3); c < 50 + idle; c++) {
      struct csw_in in = {.cta_warps_i = 1};
      finereg_put_bit(in.stalled_i, i, c >= idle);
      csw_run_cycle(t, &s, &in);
      looks += csw_sim_step_now(&s) == CSW_EXAMINE;
      if (c == idle) tb_expect(t, !looks, "CTA %u is looked at in the cycle of its stall", i);
      if (c == idle + 1) tb_expect(t, looks == 1, "CTA %u is not looked at behind its stall", i);
    }
    tb_expect(t, looks == 4 || looks == 3, "CTA %u is looked at %u times in 50 cycles", i, looks);
    struct csw_in in = {.cta_warps_i = 1};
    csw_run_cycle(t, &s, &in);
    csw_run_cycle(t, &s, &in);
  }
}

/*
 * Two CTAs, right after the timer's wrap: they stall together, or CTA k in the cycle in which CTA j is chosen. Both are
 * examined, one behind the other, before the timer marks every stalled CTA again.
 */
static void csw_case_each_second(struct tb_run *t, struct tb_rng *r) {
  for (unsigned v = 1; v < 2 * N; v++) {
    const bool later = v >= N;
    const unsigned k = v % N, j = later ? (k + 1 + tb_below(r, N - 1)) % N : tb_below(r, k);
    struct sim s;
    csw_sim_reset(&s);
    for (unsigned c = 0; c < 5; c++) {
      struct csw_in in = {.cta_warps_i = 1};
      finereg_put_bit(in.stalled_i, j, true);
      finereg_put_bit(in.stalled_i, k, !later || c > 0);
      csw_run_cycle(t, &s, &in);
      if (c == 1)
        tb_expect(t, csw_sim_step_now(&s) == CSW_EXAMINE && s.leaves == j, "CTA %u is not looked at first", j);
      if (c == 3)
        tb_expect(t, csw_sim_step_now(&s) == CSW_EXAMINE && s.leaves == k, "CTA %u is not looked at behind CTA %u", k,
                  j);
    }
    tb_reset(t);
  }
}

/* One cycle with these conditions, as bits: kept_valid, spilled_valid, new_valid, new_fits, acrf_slot_free,
 * pipeline_slot_free, finished_valid; requests are answered. */
static void csw_run_cycle_with(struct tb_run *t, struct tb_rng *r, struct sim *s, unsigned may, bool ok,
                               unsigned stalls) {
  static const struct rates at_once = {100, 100, 100, 100};
  struct csw_in in = {.kept_valid_i = may & 1,
                      .spilled_valid_i = may >> 1 & 1,
                      .new_valid_i = may >> 2 & 1,
                      .new_fits_i = may >> 3 & 1,
                      .acrf_slot_free_i = may >> 4 & 1,
                      .pipeline_slot_free_i = may >> 5 & 1,
                      .finished_valid_i = may >> 6 & 1};
  in.kept_cta_i = tb_bits(r, 7), in.spilled_cta_i = tb_bits(r, 7), in.new_cta_i = tb_bits(r, 7),
  in.finished_cta_i = tb_bits(r, 7);
  in.cta_warps_i = 1 + tb_below(r, 32);
  csw_drive_answers(r, s, &in, &at_once);
  in.done_success_i = ok;
  if (stalls < N) finereg_put_bit(in.stalled_i, stalls, true);
  csw_run_cycle(t, s, &in);
}

/* Every combination of conditions in idle, in examine and in examine_swap. */
static void csw_case_each_choice(struct tb_run *t, struct tb_rng *r) {
  for (unsigned v = 0; v < 1024; v++) {
    bool in_idle = v < 256, stalls = !in_idle || v & 128;
    unsigned a = stalls ? tb_below(r, N) : N;
    struct sim s;
    csw_sim_reset(&s);
    csw_run_cycle_with(t, r, &s, 0, true, a);
    if (!in_idle) csw_run_cycle_with(t, r, &s, 0, true, a); /* chosen */
    csw_run_cycle_with(t, r, &s, in_idle ? v & 127 : v & 31, true, in_idle || v & 32 ? a : N);
    for (unsigned c = 0; c < 12; c++) {
      csw_run_cycle_with(t, r, &s, csw_sim_step_now(&s) == CSW_EXAMINE_SWAP ? v >> 7 & 7 : 0, v & 64,
                         csw_sim_step_now(&s) == CSW_IDLE ? N : a);
    }
    tb_reset(t);
  }
}

/* A reset in every state: nothing is pending, frozen or set afterwards. */
static void csw_case_resets(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  for (unsigned i = 0; i < 160; i++) {
    csw_sim_reset(&s);
    for (unsigned c = 0, least = tb_below(r, 40); c < 400 && (c < least || csw_sim_step_now(&s) != i % END); c++) {
      one_any(t, r, &s, &any[i / END % ANY]);
    }
    tb_hit(t, BIN_reset_in_0 + csw_sim_step_now(&s));
    tb_reset(t);
    csw_sim_reset(&s);
    for (unsigned c = 0; c < 3; c++) {
      struct csw_in in = {.cta_warps_i = 1};
      csw_run_cycle(t, &s, &in);
    }
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct csw_state *st = model;
  const struct csw_in *in = vin;
  struct csw_out out;
  const struct csw_in *was = last_in;
  const struct csw_out *before = last_out;
  csw_eval(model, in, &out);
  if (in->cta_warps_i < 1 || in->cta_warps_i > 32) return "cta_warps_i is not 1 to 32";
  if (was && was->finished_valid_i && !before->finished_ready_o && !in->finished_valid_i)
    return "finished_valid_i withdrawn before finished_ready_o";
  if (in->done_valid_i && st->state_q != CSW_WAIT) return "done_valid_i outside wait";
  if (in->context_move_done_i && st->state_q != CSW_MOVE_OUT && st->state_q != CSW_MOVE_IN)
    return "context_move_done_i outside move_out and move_in";
  if (out.freeze_valid_o && st->state_q != CSW_EXAMINE && !finereg_bit_of(in->stalled_i, (unsigned)out.freeze_cta_o)) {
    return "stalled_i of the CTA that freeze_cta_o names has fallen";
  }
  return NULL;
}

static const char *const phases[] = {"even",     "near_empty", "refused",  "ends",     "slow", "quiet",
                                     "sm_small", "sm_medium",  "sm_large", "sm_tight", NULL};
static const struct tb_case cases[] = {{"each_alone", csw_case_each_alone},
                                       {"each_second", csw_case_each_second},
                                       {"each_choice", csw_case_each_choice},
                                       {"resets", csw_case_resets},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 300000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
