/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier: see mbarrier.h. */
#include "unit/reference/mbarrier.h"

/* ---- 9.7.13.15.5 and 9.7.13.15.6: the operations of which the instructions consist ---- */

static void complete_phase(struct mbref *o) {
  if (o->pending || o->tx) return;
  o->phase++;
  o->pending = o->expected;
}

static bool change_tx(struct mbref *o, int64_t by) {
  const int64_t tx = o->tx + by;
  if (tx < -MBREF_MOST || tx > MBREF_MOST) return false;
  o->tx = (int32_t)tx;
  return true;
}

/*
 * The completion of a phase is a step of arrive-on and of complete-tx; of expect-tx the manual names no such step, though it
 * could also leave both counts at 0. That case is refused.
 */
static bool expect_tx(struct mbref *o, uint32_t n) { return change_tx(o, n) && (o->pending || o->tx); }

static bool complete_tx(struct mbref *o, uint32_t n) {
  if (!change_tx(o, -(int64_t)n)) return false;
  complete_phase(o);
  return true;
}

static bool arrive_on(struct mbref *o, uint32_t n) {
  if (!n || n > o->pending) return false;
  o->pending -= n;
  complete_phase(o);
  return true;
}

/* What remains of the expected count is a count from 1 on. */
static bool drop(struct mbref *o, uint32_t n) {
  if (n >= o->expected) return false;
  o->expected -= n;
  return true;
}

/* ---- the instructions ---- */

static bool init(struct mbref *o, uint32_t n) {
  if (o->valid || !n || n > MBREF_MOST) return false;
  *o = (struct mbref){.place = o->place, .life = o->life + 1, .valid = true, .pending = n, .expected = n};
  return true;
}

static bool arrive(struct mbref *o, enum mbref_op op, uint32_t n, struct mbref_token *t) {
  const bool with_tx = op == MBREF_ARRIVE_EXPECT || op == MBREF_DROP_EXPECT;
  const bool drops = op == MBREF_DROP || op == MBREF_DROP_NO_COMPLETE || op == MBREF_DROP_EXPECT;
  const bool no_complete = op == MBREF_ARRIVE_NO_COMPLETE || op == MBREF_DROP_NO_COMPLETE;
  *t = (struct mbref_token){o->place, o->life, o->phase, o->pending, no_complete};
  if (with_tx && !expect_tx(o, n)) return false;
  const uint32_t count = with_tx ? 1 : n;
  if (drops && !drop(o, count)) return false;
  return arrive_on(o, count) && (!no_complete || o->phase == t->phase);
}

/* 9.7.13.15.16: a token tells of the current phase, which is not complete, or of the one before, which is. */
static bool wait(const struct mbref *o, const struct mbref_token *t, uint64_t *answer) {
  if (t->place != o->place || t->life != o->life || t->phase + 1 < o->phase) return false;
  *answer = t->phase != o->phase;
  return true;
}

/* The parity is that of the current phase or of the one before; even phases have 0. */
static bool wait_parity(const struct mbref *o, uint32_t parity, uint64_t *answer) {
  if (parity > 1) return false;
  *answer = parity != o->phase % 2;
  return true;
}

/* 9.7.13.15.15: without .noinc the pending count has room for the arrival to come. */
static bool copies(struct mbref *o) {
  if (o->pending == MBREF_MOST) return false;
  o->pending++;
  return true;
}

static uint64_t token_bits(const struct mbref_token *t) { return t->pending | (t->phase & 7) << 61; }

static bool change(struct mbref *o, enum mbref_op op, uint32_t n, struct mbref_token *t, uint64_t *answer) {
  if (op == MBREF_INIT) return init(o, n);
  if (op == MBREF_PENDING_COUNT) {
    *answer = t->pending;
    return t->no_complete;
  }
  if (!o->valid) return false;
  switch (op) {
    case MBREF_INVAL: o->valid = false; return true;
    case MBREF_EXPECT: return expect_tx(o, n);
    case MBREF_COMPLETE: return complete_tx(o, n);
    case MBREF_WAIT: return wait(o, t, answer);
    case MBREF_WAIT_PARITY: return wait_parity(o, n, answer);
    case MBREF_COPIES: return copies(o);
    case MBREF_COPIES_NOINC: return true;
    case MBREF_COPIED: return arrive_on(o, 1);
    default: break;
  }
  if (!arrive(o, op, n, t)) return false;
  *answer = token_bits(t);
  return true;
}

bool mbref_do(struct mbref *o, enum mbref_op op, uint32_t n, struct mbref_token *t, uint64_t *answer) {
  struct mbref after = *o;
  struct mbref_token token = *t;
  uint64_t said = *answer;
  if (!change(&after, op, n, &token, &said)) return false;
  *o = after, *t = token, *answer = said;
  return true;
}

uint64_t mbref_bits(const struct mbref *o) {
  const uint64_t tx = (uint64_t)o->tx & ((1u << 21) - 1);
  return o->pending | (uint64_t)o->expected << 20 | tx << 40 | (o->phase & 7) << 61;
}
