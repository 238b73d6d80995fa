/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: a launch without timing. CTAs enter in order as slots become free; each resident warp runs a burst in
 * turn, and when all have had theirs the queued atomics are performed.
 */
#include <stdlib.h>

#include "exec/warp.h"

enum { BURST = 1024 };

struct run {
  struct stream *s;
  unsigned resident;
  uint32_t next, *left; /* per CTA slot: warps that have not exited; 0: free */
  uint64_t most;        /* warp instructions; 0: no limit */
  struct exec_counts n;
};

static void enter(struct run *r, unsigned slot) {
  uint16_t at[CTA_WARPS];
  if (r->next >= r->s->ctas) return;
  for (uint32_t k = 0; k < r->s->warps_per_cta; k++) at[k] = (uint16_t)(slot * r->s->warps_per_cta + k);
  r->s->ops->cta_begin(r->s, slot, r->next++, at);
  r->left[slot] = r->s->warps_per_cta;
}

/* A burst of one warp: >0 it did something, 0 it waits or has ended, <0 error. */
static int burst(struct run *r, unsigned slot, unsigned warp) {
  struct exec *x = (struct exec *)r->s;
  struct warp *w = &x->warp[warp];
  struct wi wi;
  int k, got;
  uint64_t threads = 0;
  for (k = 0; k < BURST; k++) {
    got = exec_step(x, w, &wi);
    if (got != STREAM_GIVEN) break;
    threads += (unsigned)bit_count32(wi.lanes);
    if (wi.flags & W_EXIT) {
      k++;
      r->left[slot]--;
      break;
    }
  }
  r->n.warp_insns += (unsigned)k;
  r->n.thread_insns += threads;
  if (r->most && r->n.warp_insns > r->most)
    return exec_fault(x, w, w->pc, ALL,
                      "a runaway launch: its warps have executed more than %llu instructions",
                      (unsigned long long)r->most);
  return r->s->err.set ? -1 : k;
}

static bool rounds(struct run *r, struct err *e) {
  unsigned busy = 1;
  for (unsigned c = 0; c < r->resident; c++) enter(r, c);
  while (busy) {
    bool moved = false;
    busy = 0;
    for (unsigned c = 0; c < r->resident; c++) {
      for (uint32_t k = 0; k < r->s->warps_per_cta && r->left[c]; k++) {
        int did = burst(r, c, c * r->s->warps_per_cta + k);
        if (did < 0) return *e = r->s->err, false;
        moved |= did > 0;
      }
      if (!r->left[c] && r->next < r->s->ctas) {
        r->s->ops->cta_end(r->s, c);
        enter(r, c);
      }
      busy += r->left[c] != 0;
    }
    moved |= r->s->ops->quantum(r->s) > 0;
    if (busy && !moved) {
      if (!r->s->ops->deadlock(r->s, e)) die("no warp can run, yet none waits at a barrier");
      return false;
    }
  }
  return true;
}

bool exec_run(const struct launch *l, unsigned resident, struct exec_counts *counts, struct err *e) {
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  unsigned warps = threads && threads <= 1024 ? (unsigned)(threads + LANES - 1) / LANES : 1;
  if (!resident) resident = 1;
  if (resident > 64) resident = 64;
  struct exec_limits lim = {.warp_slots = resident * warps, .cta_slots = resident};
  struct run r = {.s = stream_functional(l, &lim, e), .resident = resident, .most = l->most_insns};
  if (!r.s) return false;
  r.left = xcalloc(resident, sizeof *r.left);
  bool ok = rounds(&r, e);
  if (counts) *counts = r.n;
  free(r.left);
  r.s->ops->free(r.s);
  return ok;
}
