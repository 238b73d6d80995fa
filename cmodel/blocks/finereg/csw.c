/* SPDX-License-Identifier: Apache-2.0 */
/* csw: CTA switch policy. docs/blocks/finereg/csw.md. */
#include "blocks/finereg/csw.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

enum { NONE = csw_NumCta };
enum { PERIOD = 16 };

/* The choices of idle, eval and eval4: none, an ended CTA, the CTA that comes (B), or the CTA to examine. */
enum choice { STAY, FIN, P12, P11, FRESH, LOOK };

static uint64_t word(const uint32_t *w, unsigned i) { return words_get(w, 64 * i, 64); }
static bool stalled(const struct csw_in *in, uint64_t cta) { return in->stalled_i[cta >> 5] >> (cta & 31) & 1; }

static unsigned first_pending(const struct csw *s, const struct csw_in *in) {
  for (unsigned i = 0; i < 2; i++) {
    if (!s->pend_q[i]) continue;
    const uint64_t p = s->pend_q[i] & word(in->stalled_i, i);
    if (p) return 64 * i + (unsigned)bit_low64(p);
  }
  return NONE;
}

static enum choice choose(const struct csw *s, const struct csw_in *in) {
  const bool fresh = in->new_v_i && in->new_ok_i;
  switch (s->r.state_q) {
    case CSW_IDLE:
      if (in->fin_v_i) return FIN;
      if (in->pipe_ok_i) {
        if (in->p12_v_i) return P12;
        if (in->slot_ok_i && in->p11_v_i) return P11;
        if (in->slot_ok_i && fresh) return FRESH;
      }
      return first_pending(s, in) == NONE ? STAY : LOOK;
    case CSW_EVAL:
      if (!stalled(in, s->r.a_q)) return STAY;
      if (in->p12_v_i) return P12;
      if (fresh) return FRESH;
      return in->p11_v_i ? P11 : STAY;
    case CSW_EVAL4: return in->p11_v_i ? P11 : STAY;
    default: return STAY;
  }
}

static bool choosing(const struct csw *s) {
  return s->r.state_q == CSW_IDLE || s->r.state_q == CSW_EVAL || s->r.state_q == CSW_EVAL4;
}

void csw_reset(struct csw *s) { *s = (struct csw){0}; }

static void command(const struct csw *s, struct csw_out *out) {
  out->c_v_o = 1;
  out->c_op_o = s->op_q;
  out->c_a_o = s->op_q == CSW_RESTORE ? 0 : s->r.a_q;
  out->c_b_o = s->op_q == CSW_SPILL ? 0 : s->r.b_q;
  out->c_nw_o = s->nw_q;
}

/* Port 0: the CTA that leaves, to (0,0), (1,1) or (1,2). Port 1: the one that comes, to (2,2). */
static void statuses(const struct csw *s, struct csw_out *out) {
  if (s->cause_q != CSW_FILL) {
    out->set_v_o |= 1;
    out->set_cta_o |= s->r.a_q;
    if (s->cause_q == CSW_STALL) {
      out->set_ctx_o |= 1;
      out->set_reg_o |= s->spilled_q ? 1 : 2;
    }
  }
  if (s->cause_q != CSW_FIN) {
    out->set_v_o |= 2;
    out->set_cta_o |= s->r.b_q << 7;
    out->set_ctx_o |= 2 << 2;
    out->set_reg_o |= 2 << 2;
    out->launch_v_o = s->new_q;
    out->launch_cta_o = s->new_q ? s->r.b_q : 0;
  }
}

void csw_eval(const struct csw *s, const struct csw_in *in, struct csw_out *out) {
  const enum choice c = choose(s, in);
  *out = (struct csw_out){.fin_rdy_o = s->r.state_q == CSW_IDLE, .take12_o = c == P12, .take11_o = c == P11};
  if (s->r.state_q == CSW_IDLE) return;
  if (s->cause_q == CSW_STALL) {
    out->freeze_v_o = 1;
    out->freeze_a_o = s->r.a_q;
  }
  if (s->r.state_q == CSW_RM) command(s, out);
  if (s->r.state_q == CSW_OUT || s->r.state_q == CSW_IN) {
    out->x_v_o = 1;
    out->x_in_o = s->r.state_q == CSW_IN;
    out->x_cta_o = out->x_in_o ? s->r.b_q : s->r.a_q;
  }
  if (s->r.state_q == CSW_SET) statuses(s, out);
}

static void order(struct csw *s, const struct csw_in *in, uint64_t op) {
  s->op_q = op;
  s->nw_q = in->k_nw_i;
  s->r.state_q = CSW_RM;
}

/* The cycles that choose: idle, eval, eval4. */
static void begin(struct csw *s, const struct csw_in *in) {
  const bool idle = s->r.state_q == CSW_IDLE;
  const enum choice c = choose(s, in);
  if (c == STAY) {
    s->r.state_q = CSW_IDLE;
    return;
  }
  if (idle) s->cause_q = c == FIN ? CSW_FIN : c == LOOK ? CSW_STALL : CSW_FILL;
  s->new_q = c == FRESH;
  s->spilled_q = false;
  switch (c) {
    case STAY: break;
    case FIN:
      s->r.a_q = in->fin_cta_i;
      s->r.state_q = CSW_SET;
      break;
    case LOOK:
      s->r.a_q = first_pending(s, in);
      s->r.state_q = CSW_EVAL;
      break;
    case P12:
      s->r.b_q = in->p12_id_i;
      s->r.state_q = idle ? CSW_IN : CSW_OUT;
      break;
    case P11:
      s->r.b_q = in->p11_id_i;
      order(s, in, idle ? CSW_RESTORE : CSW_SWAP);
      break;
    case FRESH:
      s->r.b_q = in->new_id_i;
      if (idle) s->r.state_q = CSW_SET;
      else if (in->slot_ok_i) s->r.state_q = CSW_OUT;
      else order(s, in, CSW_SPILL);
      break;
  }
}

static void moved(struct csw *s, bool ok) {
  if (s->op_q == CSW_RESTORE) {
    s->r.state_q = CSW_IN;
  } else if (ok) {
    s->spilled_q = true;
    s->r.state_q = CSW_OUT;
  } else {
    s->r.state_q = s->op_q == CSW_SPILL ? CSW_EVAL4 : CSW_IDLE;
  }
}

static void watch(struct csw *s, const struct csw_in *in) {
  const uint64_t again = s->r.t4_q == PERIOD - 1 ? UINT64_MAX : 0;
  for (unsigned i = 0; i < 2; i++) {
    const uint64_t stalled = word(in->stalled_i, i);
    s->pend_q[i] = stalled & (s->pend_q[i] | ~s->stalled_q[i] | again);
    s->stalled_q[i] = stalled;
  }
  s->r.t4_q = (s->r.t4_q + 1) % PERIOD;
}

void csw_tick(struct csw *s, const struct csw_in *in) {
  const uint64_t step = s->r.state_q;
  BLOCK_RULE(!in->done_v_i || step == CSW_WAIT);
  BLOCK_RULE(!in->x_done_i || step == CSW_OUT || step == CSW_IN);
  BLOCK_RULE(step == CSW_IDLE || step == CSW_EVAL || s->cause_q != CSW_STALL || stalled(in, s->r.a_q));
  if (choosing(s)) begin(s, in);
  else if (step == CSW_RM && in->c_rdy_i) s->r.state_q = CSW_WAIT;
  else if (step == CSW_WAIT && in->done_v_i) moved(s, in->done_ok_i);
  else if (step == CSW_OUT && in->x_done_i) s->r.state_q = s->new_q ? CSW_SET : CSW_IN;
  else if (step == CSW_IN && in->x_done_i) s->r.state_q = CSW_SET;
  else if (step == CSW_SET) s->r.state_q = CSW_IDLE;
  watch(s, in);
  if (s->r.state_q == CSW_EVAL) set_del(s->pend_q, (uint32_t)s->r.a_q);
}

uint64_t csw_idle(const struct csw *s) {
  if (s->r.state_q != CSW_IDLE || s->pend_q[0] | s->pend_q[1]) return 0;
  return s->stalled_q[0] | s->stalled_q[1] ? PERIOD - 1 - s->r.t4_q : UINT64_MAX;
}

/* No CTA can come, with these inputs. */
static bool nobody(const struct csw_in *in) { return !in->p12_v_i && !in->p11_v_i && !(in->new_v_i && in->new_ok_i); }

uint64_t csw_hold(const struct csw *s, const struct csw_in *in) {
  if (word(in->stalled_i, 0) != s->stalled_q[0] || word(in->stalled_i, 1) != s->stalled_q[1]) return 0;
  if (in->fin_v_i || in->done_v_i || in->x_done_i) return 0;
  switch (s->r.state_q) {
    case CSW_IDLE:
    case CSW_EVAL: return nobody(in) ? UINT64_MAX : 0;
    case CSW_RM: return in->c_rdy_i ? 0 : UINT64_MAX;
    case CSW_WAIT:
    case CSW_OUT:
    case CSW_IN: return UINT64_MAX;
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
  if (s->r.state_q == CSW_EVAL || (s->r.state_q == CSW_IDLE && csw_idle(s) < n)) {
    look_round(s, n);
    return;
  }
  if (s->r.state_q != CSW_IDLE && s->r.t4_q + n >= PERIOD) memcpy(s->pend_q, s->stalled_q, sizeof s->pend_q);
  s->r.t4_q = (s->r.t4_q + n) % PERIOD;
}
