/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier: barriers that are objects of 8 bytes in shared memory (PTX manual, section "mbarrier"; docs/reference/tensor.md).
 *
 * Of the 8 bytes bits 0 to 19 are the pending count, 20 to 39 the expected count of the next phase, 40 to 60 the tx-count (a
 * number in two's complement), 61 to 63 the number of the phase modulo 8. A token is the phase with the pending count
 * before the arrival. Which objects there are is known apart from memory, and what they hold: an access to one that was never
 * initialised, or that something else has written to, is an error.
 *
 * Lanes take their turns in ascending order. An arrival for copies (cp.async.mbarrier.arrive) is due once the copies are
 * done: the SM says when (stream_ops.landed), or the end of the round does (run.c).
 */
#include <stdlib.h>

#include "exec/warp.h"

enum { TX_BITS = 21, TX_MOST = (1 << 20) - 1, PHASES = 8 };

struct state {
  uint32_t pending, expected, phase;
  int32_t tx;
};

struct mbarriers { /* of a CTA slot */
  struct object {
    uint32_t addr;
    uint64_t value;
  } * at;
  uint32_t n, cap;
  struct due { /* an arrival that waits for copies */
    uint32_t op, lanes, addr[LANES];
    uint16_t warp;   /* slot */
    uint64_t copies; /* how many of the warp's, from its beginning, must be done */
  } * due;
  uint32_t ndue, cdue;
};

static uint64_t mbarrier_pack(const struct state *s) {
  return s->pending | (uint64_t)s->expected << 20 | ((uint64_t)s->tx & ((1u << TX_BITS) - 1)) << 40 |
         (uint64_t)s->phase << 61;
}

static struct state mbarrier_unpack(uint64_t v) {
  const uint32_t tx = (uint32_t)(v >> 40) & ((1u << TX_BITS) - 1);
  return (struct state){.pending = (uint32_t)v & MBAR_COUNT,
                        .expected = (uint32_t)(v >> 20) & MBAR_COUNT,
                        .tx = (int32_t)tx - (tx >> (TX_BITS - 1) ? 1 << TX_BITS : 0),
                        .phase = (uint32_t)(v >> 61)};
}

static uint64_t mbarrier_token(const struct state *s) { return s->pending | (uint64_t)s->phase << 61; }

/* ---- objects ---- */

static struct object *mbarrier_find(const struct mbarriers *b, uint32_t addr) {
  for (uint32_t k = 0; b && k < b->n; k++)
    if (b->at[k].addr == addr) return &b->at[k];
  return NULL;
}

static struct mbarriers *mbarrier_of_cta(struct exec *x, const struct warp *w) {
  struct cta *c = &x->cta[w->cta_slot];
  if (!c->mbar) c->mbar = xcalloc(1, sizeof *c->mbar);
  return c->mbar;
}

/* One lane of an instruction on one object. */
struct at {
  struct exec *x;
  struct warp *w;
  const struct insn *i;
  uint32_t op, lane, addr;
  struct object *o;
  struct state s;
};

#define WRONG(a, ...) (exec_fault((a)->x, (a)->w, FAULT_OTHER, (a)->op, (int)(a)->lane, __VA_ARGS__), false)

/* The object and what it holds; false: a fault was reported. */
static bool mbarrier_open(struct at *a) {
  uint64_t v;
  a->o = mbarrier_find(a->x->cta[a->w->cta_slot].mbar, a->addr);
  if (!a->o) return WRONG(a, "found no mbarrier at shared address 0x%x, expected one that mbarrier.init made", a->addr);
  memcpy(&v, access_base(a->x, a->w, SP_SHARED) + a->addr, sizeof v);
  if (v != a->o->value)
    return WRONG(a, "found other bytes in the mbarrier at shared address 0x%x than its own: something wrote over it",
                 a->addr);
  a->s = mbarrier_unpack(v);
  return true;
}

/* Keeps the state; a phase ends whose counts are both zero. */
static void mbarrier_close(struct at *a, bool may_end) {
  if (may_end && !a->s.pending && !a->s.tx) {
    a->s.phase = (a->s.phase + 1) % PHASES;
    a->s.pending = a->s.expected;
    if (a->x->races) races_phase(a->x, a->w, a->addr);
  }
  a->o->value = mbarrier_pack(&a->s);
  memcpy(access_base(a->x, a->w, SP_SHARED) + a->addr, &a->o->value, sizeof a->o->value);
  a->x->changes++;
}

static bool mbarrier_init(struct at *a, uint32_t count) {
  struct mbarriers *b = mbarrier_of_cta(a->x, a->w);
  if (!count || count > MBAR_COUNT)
    return WRONG(a, "mbarrier.init: found a count of %u, expected 1 to %u", count, MBAR_COUNT);
  a->o = mbarrier_find(b, a->addr);
  if (!a->o) {
    a->o = &VEC_PUSH(b->at, b->n, b->cap);
    a->o->addr = a->addr;
  }
  a->s = (struct state){.pending = count, .expected = count};
  if (a->x->races) races_init(a->x, a->w, a->addr);
  mbarrier_close(a, false);
  return true;
}

static bool mbarrier_inval(struct at *a) {
  struct mbarriers *b = mbarrier_of_cta(a->x, a->w);
  *a->o = b->at[--b->n];
  a->x->changes++;
  return true;
}

static bool mbarrier_add_tx(struct at *a, int64_t n) {
  const int64_t tx = a->s.tx + n;
  if (tx > TX_MOST || tx < -TX_MOST)
    return WRONG(a, "found a tx-count of %lld of the mbarrier at shared address 0x%x, expected %d to %d", (long long)tx,
                 a->addr, -TX_MOST, TX_MOST);
  a->s.tx = (int32_t)tx;
  return true;
}

static bool mbarrier_arrive(struct at *a, uint32_t count) {
  if (!count || count > MBAR_COUNT)
    return WRONG(a, "found an arrival of %u at the mbarrier at shared address 0x%x, expected 1 to %u", count, a->addr,
                 MBAR_COUNT);
  if (count > a->s.pending)
    return WRONG(a,
                 "found an arrival of %u at the mbarrier at shared address 0x%x, expected no more than its pending "
                 "count of %u",
                 count, a->addr, a->s.pending);
  a->s.pending -= count;
  if (a->i->cmp & MB_NOCOMPLETE && !a->s.pending && !a->s.tx)
    return WRONG(a, "found an arrival with .noComplete that ends the phase of the mbarrier at shared address 0x%x",
                 a->addr);
  if (a->x->races && (a->i->mods & M_RELEASE || a->i->sub == MBAR_COPIES)) races_signal(a->x, a->w, a->addr);
  return true;
}

static bool mbarrier_arrive_token(struct at *a, uint32_t operand, uint64_t *result) {
  const bool expects = a->i->cmp & MB_EXPECT_TX;
  const uint32_t count = expects ? 1 : operand;
  if (expects && !mbarrier_add_tx(a, operand)) return false;
  *result = mbarrier_token(&a->s);
  if (!mbarrier_arrive(a, count)) return false;
  if (a->i->sub == MBAR_DROP) {
    if (count > a->s.expected)
      return WRONG(a,
                   "found mbarrier.arrive_drop of %u at shared address 0x%x, expected no more than its expected "
                   "count of %u",
                   count, a->addr, a->s.expected);
    a->s.expected -= count;
  }
  mbarrier_close(a, true);
  return true;
}

/* Has the phase ended that a token or a parity names? */
static bool mbarrier_test(struct at *a, uint64_t operand, uint64_t *result) {
  if (a->i->cmp & MB_PARITY) {
    if (operand > 1) return WRONG(a, "found a parity of %u of an mbarrier's phase, expected 0 or 1", (uint32_t)operand);
    *result = (a->s.phase & 1) != operand;
  } else {
    const uint32_t behind = (a->s.phase + PHASES - (uint32_t)(operand >> 61)) % PHASES;
    if (!(operand & MBAR_COUNT) || operand << 3 >> 23)
      return WRONG(a, "found 0x%llx as the state of an mbarrier, expected what an arrival gave",
                   (unsigned long long)operand);
    if (behind > 1)
      return WRONG(a,
                   "found the state of a phase of the mbarrier at shared address 0x%x that ended %u phases ago, "
                   "expected that of the current phase or of the one before",
                   a->addr, behind);
    *result = behind;
  }
  if (*result && a->x->races && a->i->mods & M_ACQUIRE) races_waited(a->x, a->w, a->addr);
  return true;
}

/* The pending count rises at once, so that the arrival to come changes it by nothing. */
static bool mbarrier_promise(struct at *a) {
  if (a->i->cmp & MB_NOINC) return true;
  if (a->s.pending == MBAR_COUNT)
    return WRONG(a, "found a pending count of more than %u of the mbarrier at shared address 0x%x", MBAR_COUNT,
                 a->addr);
  a->s.pending++;
  mbarrier_close(a, false);
  return true;
}

/* ---- arrivals for copies ---- */

static void mbarrier_add_due(struct exec *x, const struct warp *w, uint32_t op, uint32_t lanes,
                             const struct access *c) {
  struct mbarriers *b = mbarrier_of_cta(x, w);
  struct due *d = &VEC_PUSH(b->due, b->ndue, b->cdue);
  *d = (struct due){.op = op, .lanes = lanes, .warp = w->slot, .copies = exec_cp_count(w)};
  memcpy(d->addr, c->a, sizeof d->addr);
  x->landing++;
}

static bool mbarrier_perform_due(struct exec *x, struct mbarriers *b, uint32_t k) {
  const struct due d = b->due[k];
  struct warp *w = &x->warp[d.warp];
  memmove(&b->due[k], &b->due[k + 1], (size_t)(b->ndue - k - 1) * sizeof *b->due);
  b->ndue--;
  x->landing--;
  exec_cp_land(x, w, d.copies);
  for (uint32_t rest = d.lanes; rest; rest &= rest - 1) {
    const uint32_t lane = (uint32_t)bit_low32(rest);
    struct at a = {.x = x, .w = w, .i = x->dec[d.op].insn, .op = d.op, .lane = lane, .addr = d.addr[lane]};
    if (!mbarrier_open(&a) || !mbarrier_arrive(&a, 1)) return false;
    mbarrier_close(&a, true);
  }
  return true;
}

int exec_landed(struct exec *x, const struct warp *w) {
  struct mbarriers *b = x->cta[w->cta_slot].mbar;
  for (uint32_t k = 0; b && k < b->ndue; k++)
    if (b->due[k].warp == w->slot) return mbarrier_perform_due(x, b, k) ? STREAM_GIVEN : STREAM_ERROR;
  return STREAM_FINISHED;
}

unsigned exec_land_all(struct exec *x) {
  unsigned n = 0;
  for (uint32_t s = 0; x->landing && s < x->lim.cta_slots; s++) {
    struct mbarriers *b = x->cta[s].mbar;
    for (; b && b->ndue; n++)
      if (!mbarrier_perform_due(x, b, 0)) return n;
  }
  return n;
}

void exec_mbarrier_forget(struct exec *x, struct cta *c) {
  if (!c->mbar) return;
  x->landing -= c->mbar->ndue;
  c->mbar->n = c->mbar->ndue = 0;
}

void exec_mbarrier_free(struct cta *c) {
  if (!c->mbar) return;
  free(c->mbar->at);
  free(c->mbar->due);
  free(c->mbar);
}

/* ---- the instruction ---- */

static bool mbarrier_one_lane(struct at *a, uint64_t operand, uint64_t *result) {
  switch (a->i->sub) {
    case MBAR_INIT: return mbarrier_init(a, (uint32_t)operand);
    case MBAR_INVAL: return mbarrier_open(a) && mbarrier_inval(a);
    case MBAR_EXPECT:
    case MBAR_COMPLETE: {
      const int64_t n = (int64_t)(uint32_t)operand;
      if (!mbarrier_open(a) || !mbarrier_add_tx(a, a->i->sub == MBAR_EXPECT ? n : -n)) return false;
      mbarrier_close(a, true);
      return true;
    }
    case MBAR_TEST: return mbarrier_open(a) && mbarrier_test(a, operand, result);
    case MBAR_COPIES: return mbarrier_open(a) && mbarrier_promise(a);
    default: return mbarrier_open(a) && mbarrier_arrive_token(a, (uint32_t)operand, result);
  }
}

static void mbarrier_observe(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes,
                             const struct access *c) {
  const uint8_t sub = d->insn->sub;
  const bool plain = sub <= MBAR_INVAL, test = sub == MBAR_TEST;
  races_access(x, w,
               &(struct race_access){.a = c->a,
                                     .op = (uint32_t)(d - x->dec),
                                     .lanes = lanes,
                                     .bytes = 8,
                                     .size = 8,
                                     .vec = 1,
                                     .shared = true,
                                     .write = !test,
                                     .strong = !plain,
                                     .rmw = !plain});
}

int exec_mbarrier(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  const struct insn *i = d->insn;
  const bool tests = i->sub == MBAR_TEST;
  const uint32_t op = (uint32_t)(d - x->dec);
  struct access c;
  access_addresses(x, w, d, lanes, &c);
  if (d->space == SP_GENERIC && !access_shared_only(x, w, d, lanes, &c)) return STREAM_ERROR;
  if (!access_check(x, w, d, SP_SHARED, lanes, &c)) return STREAM_ERROR;
  if (x->races) mbarrier_observe(x, w, d, lanes, &c);
  const uint32_t *src = d->nsrc > 1 ? exec_row(x, w, d, 1) : NULL;
  const bool wide = tests && !(i->cmp & MB_PARITY);
  uint32_t *dst = !tests && d->ndst && d->dst[0] != NO_ROW ? w->rows + d->dst[0] : NULL, done = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const uint32_t l = (uint32_t)bit_low32(rest);
    struct at a = {.x = x, .w = w, .i = i, .op = op, .lane = l, .addr = c.a[l]};
    uint64_t result = 0;
    if (!mbarrier_one_lane(&a, src ? src[l] | (wide ? (uint64_t)src[LANES + l] << 32 : 0) : 0, &result))
      return STREAM_ERROR;
    done |= (uint32_t)result << l & (tests ? FULL : 0);
    if (!dst) continue;
    dst[l] = (uint32_t)result;
    dst[LANES + l] = (uint32_t)(result >> 32);
  }
  if (i->sub == MBAR_COPIES) mbarrier_add_due(x, w, op, lanes, &c);
  if (tests && d->ndst && d->pdst[0] != NO_PRED) {
    uint32_t *p = &w->pred[d->pdst[0]];
    *p = (*p & ~lanes) | done;
  }
  access_report(x, w, SP_SHARED, &c, out);
  w->hash = hash_mix(w->hash, c.hash);
  return STREAM_GIVEN;
}
