/* SPDX-License-Identifier: Apache-2.0 */
/* csw: CTA switch policy. docs/blocks/finereg/csw.md. */
#include "blocks/finereg/csw.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

enum { NONE = csw_NumCtas };
enum { PERIOD = 16 };

/* The choices of idle, examine and examine_swap: none, a finished CTA, the CTA that comes (B), or the CTA to examine. */
enum choice { STAY, FINISHED, KEPT, SPILLED, FRESH, EXAMINE };

static uint64_t csw_word(const uint32_t *w, unsigned i) { return words_get(w, 64 * i, 64); }
static bool csw_is_stalled(const struct csw_in *in, uint64_t cta) { return in->stalled_i[cta >> 5] >> (cta & 31) & 1; }

static unsigned first_due(const struct csw *s, const struct csw_in *in) {
  for (unsigned i = 0; i < 2; i++) {
    if (!s->due_q[i]) continue;
    const uint64_t p = s->due_q[i] & csw_word(in->stalled_i, i);
    if (p) return 64 * i + (unsigned)bit_low64(p);
  }
  return NONE;
}

static enum choice csw_choose(const struct csw *s, const struct csw_in *in) {
  const bool fresh = in->new_valid_i && in->new_fits_i;
  switch (s->r.state_q) {
    case CSW_IDLE:
      if (in->finished_valid_i) return FINISHED;
      if (in->pipeline_slot_free_i) {
        if (in->kept_valid_i) return KEPT;
        if (in->acrf_slot_free_i && in->spilled_valid_i) return SPILLED;
        if (in->acrf_slot_free_i && fresh) return FRESH;
      }
      return first_due(s, in) == NONE ? STAY : EXAMINE;
    case CSW_EXAMINE:
      if (!csw_is_stalled(in, s->r.outgoing_cta_q)) return STAY;
      if (in->kept_valid_i) return KEPT;
      if (fresh) return FRESH;
      return in->spilled_valid_i ? SPILLED : STAY;
    case CSW_EXAMINE_SWAP: return in->spilled_valid_i ? SPILLED : STAY;
    default: return STAY;
  }
}

static bool csw_is_choosing(const struct csw *s) {
  return s->r.state_q == CSW_IDLE || s->r.state_q == CSW_EXAMINE || s->r.state_q == CSW_EXAMINE_SWAP;
}

void csw_reset(struct csw *s) { *s = (struct csw){0}; }

static void csw_eval_command(const struct csw *s, struct csw_out *out) {
  out->command_valid_o = 1;
  out->command_operation_o = s->operation_q;
  out->command_outgoing_cta_o = s->operation_q == CSW_RESTORE ? 0 : s->r.outgoing_cta_q;
  out->command_incoming_cta_o = s->operation_q == CSW_SPILL ? 0 : s->r.incoming_cta_q;
  out->command_warps_o = s->command_warps_q;
}

/* Port 0: the CTA that leaves, to (0,0), (1,1) or (1,2). Port 1: the one that comes, to (2,2). */
static void csw_eval_statuses(const struct csw *s, struct csw_out *out) {
  if (s->cause_q != CSW_FILL) {
    out->set_valid_o |= 1;
    out->set_cta_o[0] = (uint8_t)s->r.outgoing_cta_q;
    if (s->cause_q == CSW_STALL) {
      out->set_context_o[0] = CSW_CONTEXT_SHARED;
      out->set_registers_o[0] = s->spilled_q ? CSW_REGISTERS_AWAY : CSW_REGISTERS_HERE;
    }
  }
  if (s->cause_q != CSW_FINISH) {
    out->set_valid_o |= 2;
    out->set_cta_o[1] = (uint8_t)s->r.incoming_cta_q;
    out->set_context_o[1] = CSW_CONTEXT_PIPELINE;
    out->set_registers_o[1] = CSW_REGISTERS_HERE;
    out->launch_valid_o = s->launch_q;
    out->launch_cta_o = s->launch_q ? s->r.incoming_cta_q : 0;
  }
}

void csw_eval(const struct csw *s, const struct csw_in *in, struct csw_out *out) {
  const enum choice c = csw_choose(s, in);
  memset(out, 0, sizeof *out);
  out->finished_ready_o = s->r.state_q == CSW_IDLE;
  out->take_kept_o = c == KEPT;
  out->take_spilled_o = c == SPILLED;
  if (s->r.state_q == CSW_IDLE) return;
  if (s->cause_q == CSW_STALL) {
    out->freeze_valid_o = 1;
    out->freeze_cta_o = s->r.outgoing_cta_q;
  }
  if (s->r.state_q == CSW_COMMAND) csw_eval_command(s, out);
  if (s->r.state_q == CSW_MOVE_OUT || s->r.state_q == CSW_MOVE_IN) {
    out->context_move_valid_o = 1;
    out->context_move_in_o = s->r.state_q == CSW_MOVE_IN;
    out->context_move_cta_o = out->context_move_in_o ? s->r.incoming_cta_q : s->r.outgoing_cta_q;
  }
  if (s->r.state_q == CSW_SET) csw_eval_statuses(s, out);
}

static void csw_order(struct csw *s, const struct csw_in *in, enum csw_operation operation) {
  s->operation_q = operation;
  s->command_warps_q = in->cta_warps_i;
  s->r.state_q = CSW_COMMAND;
}

/* The cycles that choose: idle, examine, examine_swap. */
static void csw_begin(struct csw *s, const struct csw_in *in) {
  const bool idle = s->r.state_q == CSW_IDLE;
  const enum choice c = csw_choose(s, in);
  if (c == STAY) {
    s->r.state_q = CSW_IDLE;
    return;
  }
  if (idle) s->cause_q = c == FINISHED ? CSW_FINISH : c == EXAMINE ? CSW_STALL : CSW_FILL;
  s->launch_q = c == FRESH;
  s->spilled_q = false;
  switch (c) {
    case STAY: break;
    case FINISHED:
      s->r.outgoing_cta_q = in->finished_cta_i;
      s->r.state_q = CSW_SET;
      break;
    case EXAMINE:
      s->r.outgoing_cta_q = first_due(s, in);
      s->r.state_q = CSW_EXAMINE;
      break;
    case KEPT:
      s->r.incoming_cta_q = in->kept_cta_i;
      s->r.state_q = idle ? CSW_MOVE_IN : CSW_MOVE_OUT;
      break;
    case SPILLED:
      s->r.incoming_cta_q = in->spilled_cta_i;
      csw_order(s, in, idle ? CSW_RESTORE : CSW_SWAP);
      break;
    case FRESH:
      s->r.incoming_cta_q = in->new_cta_i;
      if (idle) s->r.state_q = CSW_SET;
      else if (in->acrf_slot_free_i) s->r.state_q = CSW_MOVE_OUT;
      else csw_order(s, in, CSW_SPILL);
      break;
  }
}

static void csw_moved(struct csw *s, bool ok) {
  if (s->operation_q == CSW_RESTORE) {
    s->r.state_q = CSW_MOVE_IN;
  } else if (ok) {
    s->spilled_q = true;
    s->r.state_q = CSW_MOVE_OUT;
  } else {
    s->r.state_q = s->operation_q == CSW_SPILL ? CSW_EXAMINE_SWAP : CSW_IDLE;
  }
}

static void csw_watch(struct csw *s, const struct csw_in *in) {
  const uint64_t again = s->r.timer_q == PERIOD - 1 ? UINT64_MAX : 0;
  for (unsigned i = 0; i < 2; i++) {
    const uint64_t stalled = csw_word(in->stalled_i, i);
    s->due_q[i] = stalled & (s->due_q[i] | ~s->stalled_q[i] | again);
    s->stalled_q[i] = stalled;
  }
  s->r.timer_q = (s->r.timer_q + 1) % PERIOD;
}

void csw_tick(struct csw *s, const struct csw_in *in) {
  const uint64_t step = s->r.state_q;
  BLOCK_RULE(!in->done_valid_i || step == CSW_WAIT);
  BLOCK_RULE(!in->context_move_done_i || step == CSW_MOVE_OUT || step == CSW_MOVE_IN);
  BLOCK_RULE(step == CSW_IDLE || step == CSW_EXAMINE || s->cause_q != CSW_STALL ||
             csw_is_stalled(in, s->r.outgoing_cta_q));
  if (csw_is_choosing(s)) csw_begin(s, in);
  else if (step == CSW_COMMAND && in->command_ready_i) s->r.state_q = CSW_WAIT;
  else if (step == CSW_WAIT && in->done_valid_i) csw_moved(s, in->done_success_i);
  else if (step == CSW_MOVE_OUT && in->context_move_done_i) s->r.state_q = s->launch_q ? CSW_SET : CSW_MOVE_IN;
  else if (step == CSW_MOVE_IN && in->context_move_done_i) s->r.state_q = CSW_SET;
  else if (step == CSW_SET) s->r.state_q = CSW_IDLE;
  csw_watch(s, in);
  if (s->r.state_q == CSW_EXAMINE) set_del(s->due_q, (uint32_t)s->r.outgoing_cta_q);
}

uint64_t csw_idle(const struct csw *s) {
  if (s->r.state_q != CSW_IDLE || s->due_q[0] | s->due_q[1]) return 0;
  return s->stalled_q[0] | s->stalled_q[1] ? PERIOD - 1 - s->r.timer_q : UINT64_MAX;
}

/* No CTA can come, with these inputs. */
static bool csw_nobody_comes(const struct csw_in *in) {
  return !in->kept_valid_i && !in->spilled_valid_i && !(in->new_valid_i && in->new_fits_i);
}

uint64_t csw_hold(const struct csw *s, const struct csw_in *in) {
  if (csw_word(in->stalled_i, 0) != s->stalled_q[0] || csw_word(in->stalled_i, 1) != s->stalled_q[1]) return 0;
  if (in->finished_valid_i || in->done_valid_i || in->context_move_done_i) return 0;
  switch (s->r.state_q) {
    case CSW_IDLE:
    case CSW_EXAMINE: return csw_nobody_comes(in) ? UINT64_MAX : 0;
    case CSW_COMMAND: return in->command_ready_i ? 0 : UINT64_MAX;
    case CSW_WAIT:
    case CSW_MOVE_OUT:
    case CSW_MOVE_IN: return UINT64_MAX;
    default: return 0;
  }
}

/* Examining the stalled CTAs, two cycles each, repeats with the timer; from 8 CTAs on, the one being examined as
 * the timer wraps is left out of every second round. */
static void look_round(struct csw *s, uint64_t n) {
  struct csw_in in = {0};
  for (unsigned i = 0; i < 2; i++) words_set(in.stalled_i, 64 * i, 64, s->stalled_q[i]);
  const bool all = bit_count64(s->stalled_q[0]) + bit_count64(s->stalled_q[1]) < PERIOD / 2;
  const uint64_t period = all ? PERIOD : 2 * PERIOD;
  for (uint64_t k = n < 3 * period ? n : 2 * period + n % period; k; k--) csw_tick(s, &in);
}

void csw_skip(struct csw *s, uint64_t n) {
  if (s->r.state_q == CSW_EXAMINE || (s->r.state_q == CSW_IDLE && csw_idle(s) < n)) {
    look_round(s, n);
    return;
  }
  if (s->r.state_q != CSW_IDLE && s->r.timer_q + n >= PERIOD) memcpy(s->due_q, s->stalled_q, sizeof s->due_q);
  s->r.timer_q = (s->r.timer_q + n) % PERIOD;
}
