/* SPDX-License-Identifier: Apache-2.0 */
/*
 * barrier: the 16 named barriers of a CTA. Arrival is by warp, as the hardware counts: a warp that executes a barrier
 * instruction with any of its lanes has arrived with all 32, and thread counts are of whole warps, as PTX requires.
 * Without a count a barrier opens when every warp of the CTA has arrived or exited. A red queued before a barrier is
 * visible after it: every warp that leaves the barrier delays its next global access until the quantum ends, like the
 * warp that sent the red.
 */
#include <stdarg.h>
#include <stdio.h>

#include "exec/warp.h"

static uint32_t warps_all(const struct exec *x) {
  return x->s.warps_per_cta >= 32 ? FULL : (1u << x->s.warps_per_cta) - 1;
}

static bool barrier_is_complete(const struct exec *x, const struct cta *c, const struct barrier *b) {
  if (!b->arrivals) return false;
  return b->need ? b->arrivals >= b->need : (b->arrived | c->exited) == warps_all(x);
}

static void give_result(struct exec *x, struct warp *w, const struct barrier *b) {
  const struct dinsn *d = &x->dec[w->bar_op];
  uint32_t v, lanes = w->bar_lanes;
  switch (d->insn->sub) {
    case BAR_RED_POPC: v = b->pop; break;
    case BAR_RED_AND: v = b->and ? FULL : 0; break;
    case BAR_RED_OR: v = b->or ? FULL : 0; break;
    default: return;
  }
  if (!d->ndst) return;
  if (d->pdst[0] != NO_PRED) {
    uint32_t *p = &w->pred[d->pdst[0]];
    *p = (*p & ~lanes) | ((v ? FULL : 0) & lanes);
  } else if (d->dst[0] != NO_ROW) {
    row_fill(x->scratch[0], v);
    row_merge(w->rows + d->dst[0], x->scratch[0], lanes);
    if (w->bar_val) exec_keep(x, w, d, w->bar_val);
  }
}

static void open_barrier(struct exec *x, struct cta *c, struct barrier *b) {
  if (x->races) races_open(x, c, (unsigned)(b - c->bar), b->waiting);
  for (uint32_t rest = b->waiting; rest; rest &= rest - 1) {
    struct warp *w = &x->warp[c->slot[bit_low32(rest)]];
    give_result(x, w, b);
    w->state = WS_RUN;
    w->red |= b->red;
  }
  x->red_spread |= b->red;
  *b = (struct barrier){0};
}

static uint32_t count_live_warps(const struct exec *x, const struct cta *c) {
  return (uint32_t)bit_count32(warps_all(x) & ~c->exited);
}

int exec_barrier(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  const struct insn *i = d->insn;
  struct cta *c = &x->cta[w->cta_slot];
  uint32_t op = (uint32_t)(d - x->dec), need = 0;
  int first = bit_low32(lanes);
  bool red = i->sub >= BAR_RED_POPC && i->sub <= BAR_RED_OR, arrive = i->sub == BAR_ARRIVE;
  uint32_t id = exec_row(x, w, d, 0)[first];
  if (id >= BARRIERS)
    return exec_fault(x, w, FAULT_OTHER, op, first, "found barrier %u, expected 0 to %d", id, BARRIERS - 1);
  if (d->nsrc > 1u + red) {
    uint32_t threads = exec_row(x, w, d, 1)[first];
    need = threads / LANES;
    if (!need || threads % LANES || need > x->s.warps_per_cta)
      return exec_fault(x, w, FAULT_OTHER, op, first,
                        "barrier %u: found a count of %u threads, expected a multiple of %d from %d to %u, the "
                        "whole warps of the CTA",
                        id, threads, LANES, LANES, x->s.warps_per_cta * LANES);
  }
  struct barrier *b = &c->bar[id];
  if (b->arrivals && b->need != need &&
      (b->need ? b->need : count_live_warps(x, c)) != (need ? need : count_live_warps(x, c)))
    return exec_fault(x, w, FAULT_OTHER, op, first,
                      "barrier %u: found a count of %u warps, expected %u as those who arrived before", id,
                      need ? need : count_live_warps(x, c), b->need ? b->need : count_live_warps(x, c));
  if (!b->arrivals) *b = (struct barrier){.need = need, .and = 1};
  x->changes++;
  b->arrivals++;
  b->arrived |= 1u << w->index;
  b->red |= w->red;
  if (x->races) races_arrive(x, w, id);
  if (red) {
    uint32_t p = exec_pred(w, d, d->nsrc - 1u) & lanes;
    b->pop += (uint32_t)bit_count32(p);
    b->and &= p == lanes;
    b->or |= p != 0;
  }
  out->flags |= W_BARRIER;
  out->mem = id | (need ? need : count_live_warps(x, c)) * LANES << 16 | (arrive ? 1u << 31 : 0);
  w->bar_op = op;
  w->bar_lanes = lanes;
  w->bar_val = 0;
  w->bar_id = (uint8_t)id;
  if (d->nval && x->lim.values) {
    out->val = w->bar_val = exec_values(w, d->nval);
    out->nval = d->nval;
  }
  if (!arrive) {
    w->state = WS_BARRIER;
    b->waiting |= 1u << w->index;
  }
  if (barrier_is_complete(x, c, b)) open_barrier(x, c, b);
  return STREAM_GIVEN;
}

void exec_barrier_exit(struct exec *x, struct warp *w) {
  struct cta *c = &x->cta[w->cta_slot];
  x->changes++;
  c->exited |= 1u << w->index;
  for (unsigned k = 0; k < BARRIERS; k++)
    if (barrier_is_complete(x, c, &c->bar[k])) open_barrier(x, c, &c->bar[k]);
}

/* ---- deadlock ---- */

struct list {
  char text[280];
  size_t n;
  unsigned count;
};
enum { SHOWN = 6 };

static void warp_list_add(struct list *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void warp_list_add(struct list *l, const char *fmt, ...) {
  va_list ap;
  if (l->count++ >= SHOWN || l->n >= sizeof l->text) return;
  if (l->n) l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, ", ");
  if (l->n >= sizeof l->text) return;
  va_start(ap, fmt);
  l->n += (size_t)vsnprintf(l->text + l->n, sizeof l->text - l->n, fmt, ap);
  va_end(ap);
}
static void warp_list_end(struct list *l) {
  if (l->count > SHOWN && l->n < sizeof l->text)
    snprintf(l->text + l->n, sizeof l->text - l->n, " and %u more", l->count - SHOWN);
}

static void describe_deadlock(const struct exec *x, const struct cta *c, unsigned id, struct err *e) {
  const struct barrier *b = &c->bar[id];
  const struct insn *code = x->code->insn;
  struct list wait = {.n = 0}, miss = {.n = 0};
  for (uint32_t k = 0; k < x->s.warps_per_cta; k++) {
    const struct warp *w = &x->warp[c->slot[k]];
    if (b->waiting >> k & 1) warp_list_add(&wait, "warp %u at line %u", k, code[w->bar_op].line);
    else if (b->arrived >> k & 1) continue;
    else if (c->exited >> k & 1) warp_list_add(&miss, "warp %u (exited)", k);
    else if (w->state == WS_BARRIER)
      warp_list_add(&miss, "warp %u (waits at barrier %u, line %u)", k, w->bar_id, code[w->bar_op].line);
    else warp_list_add(&miss, "warp %u (at line %u)", k, code[w->pc].line);
  }
  warp_list_end(&wait);
  warp_list_end(&miss);
  uint32_t op = x->warp[c->slot[bit_low32(b->waiting)]].bar_op;
  const uint32_t *g = x->launch->grid;
  err_at(e, x->code->file, (int)code[op].line, (int)code[op].col,
         "kernel '%.160s', PC 0x%x: deadlock at barrier %u of CTA (%u,%u,%u): %u of %u warps arrived; waiting: %s; "
         "not arrived: %s",
         x->code->name, 8 * op, id, c->id % g[0], c->id / g[0] % g[1], c->id / g[0] / g[1], b->arrivals,
         b->need ? b->need : count_live_warps(x, c), wait.text,
         miss.count ? miss.text : "none, the count asks for more");
}

bool exec_deadlock(struct exec *x, struct err *e) {
  for (uint32_t s = 0; s < x->lim.cta_slots; s++)
    for (unsigned id = 0; id < BARRIERS; id++)
      if (x->cta[s].used && x->cta[s].bar[id].waiting) {
        describe_deadlock(x, &x->cta[s], id, e);
        return true;
      }
  return false;
}
