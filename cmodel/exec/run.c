/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: functional execution of a launch, without timing. As many CTAs are resident as one SM would hold; they begin
 * in order as slots become free. The resident warps take turns, in the order of their slots. A turn ends with the
 * first access to shared or global memory, at a barrier, or after TURN instructions; so warps that run the same code
 * make their accesses side by side, as on a machine, where an access costs more than the arithmetic between two of
 * them. A round of turns is a quantum: at its end the queued atomics are performed. docs/reference/timing.md, decision 14.
 *
 * A stream whose stride is N has every Nth CTA of the grid: those that one of N SMs gets. The other N - 1 of a round are
 * executed here when the stream's CTA of the round begins, before its first instruction, from their first to their last;
 * so in the order of memory accesses they stand together, between two instructions of the timed CTAs, and their atomics
 * are performed by rounds of their own. That is an order which the machine allows, since nothing says when a CTA
 * begins; programs whose results hang on it, or whose CTAs wait for each other, are told so (watch.c) and need stride 1.
 *
 * When all resident warps wait in loops for something that none of them will do, more CTAs become resident, if there
 * are any, since these may do it. So a launch ends if it would end on a machine of some size.
 */
#include <stdlib.h>

#include "exec/warp.h"

enum { TURN = 32 };

struct run {
  struct exec *x;
  unsigned resident;
  uint32_t next, end;
  uint32_t *left; /* per CTA slot: warps that have not exited; 0: free */
  struct exec_counts n;
};

static void run_enter_cta(struct run *r, unsigned slot) {
  struct stream *s = &r->x->s;
  uint16_t at[CTA_WARPS];
  if (r->next == r->end) return;
  for (uint32_t k = 0; k < s->warps_per_cta; k++) at[k] = (uint16_t)(slot * s->warps_per_cta + k);
  s->ops->cta_begin(s, slot, r->next++, at);
  r->left[slot] = s->warps_per_cta;
}

/* One turn of a warp: how many instructions it executed, 0: it waits or has ended; <0: error. */
static int run_turn(struct run *r, unsigned slot, struct warp *w) {
  if (w->state != WS_RUN) return 0;
  struct stream *s = &r->x->s;
  struct warp_inst inst;
  int k = 0;
  uint64_t threads = 0;
  while (k < TURN && exec_next(r->x, w, &inst) == STREAM_GIVEN) {
    k++;
    threads += (unsigned)bit_count32(inst.lanes);
    const enum space sp = W_SPACE_OF(&inst);
    if (sp == SP_GLOBAL || sp == SP_SHARED) break;
  }
  r->left[slot] -= w->state == WS_DONE;
  r->n.warp_insns += (unsigned)k;
  r->n.thread_insns += threads;
  if (s->err.set) return -1;
  const uint64_t most = r->x->launch->most_insns;
  if (!most || r->n.warp_insns <= most) return k;
  s->ops->runaway(s, NULL);
  return -1;
}

/* More CTAs resident, twice as many if there are; false: no more than now. */
static bool run_grow(struct run *r) {
  uint64_t more = (uint64_t)r->resident + r->end - r->next, to = 2ull * r->resident;
  if (to > more) to = more;
  const unsigned now = exec_room(r->x, (unsigned)to);
  if (now == r->resident) return false;
  r->left = xrealloc(r->left, now * sizeof *r->left);
  for (; r->resident < now; r->resident++) {
    r->left[r->resident] = 0;
    run_enter_cta(r, r->resident);
  }
  return true;
}

static bool run_rounds(struct run *r, struct err *e) {
  struct stream *s = &r->x->s;
  unsigned busy = 1;
  for (unsigned c = 0; c < r->resident; c++) run_enter_cta(r, c);
  while (busy) {
    bool moved = false;
    busy = 0;
    for (unsigned c = 0; c < r->resident; c++) {
      for (uint32_t k = 0; k < s->warps_per_cta && r->left[c]; k++) {
        int did = run_turn(r, c, &r->x->warp[c * s->warps_per_cta + k]);
        if (did < 0) return *e = s->err, false;
        moved |= did > 0;
      }
      if (!r->left[c] && r->next != r->end) {
        s->ops->cta_end(s, c);
        run_enter_cta(r, c);
      }
      busy += r->left[c] != 0;
    }
    moved |= s->ops->quantum(s) > 0;
    moved |= r->x->landing && exec_land_all(r->x) > 0;
    if (s->err.set) return *e = s->err, false;
    if (busy && !moved) {
      if (!s->ops->deadlock(s, e)) die("no warp can run, yet none waits at a barrier");
      return false;
    }
    if (!r->x->stuck) continue;
    r->x->stuck = false;
    r->x->patient = run_grow(r) && r->next != r->end;
  }
  return true;
}

/* CTAs that an SM has room for: by warps, CTAs, registers and shared memory, as most of config/machines. */
static unsigned run_sm_room(const struct launch *l, uint64_t threads, unsigned warps) {
  enum { WARPS = 64, CTAS = 32, REGS = 65536, SHARED = 98304 };
  const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  const uint64_t regs = threads * l->code->nreg, shared = (uint64_t)l->code->shared_bytes + l->shared_dyn;
  const uint64_t local = ((uint64_t)l->code->local_bytes + 3) / 4 * ROW_BYTES * warps;
  uint64_t n = WARPS / warps;
  if (n > CTAS) n = CTAS;
  if (regs && n > REGS / regs) n = REGS / regs;
  if (shared && n > SHARED / shared) n = SHARED / shared;
  if (local && n > (CODE_BASE - LOCAL_BASE) / local) n = (CODE_BASE - LOCAL_BASE) / local;
  if (n > ctas) n = ctas;
  return n ? (unsigned)n : 1;
}

static struct run *run_new(const struct launch *l, unsigned resident, struct err *e) {
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  if (!threads || threads > 1024) threads = 1; /* it is refused below */
  unsigned warps = (unsigned)(threads + LANES - 1) / LANES;
  if (!resident) resident = run_sm_room(l, threads, warps);
  struct exec_limits lim = {.warp_slots = resident * warps, .cta_slots = resident, .no_addresses = true};
  struct stream *s = stream_functional(l, &lim, e);
  if (!s) return NULL;
  struct run *r = xcalloc(1, sizeof *r);
  *r = (struct run){.x = (struct exec *)s, .resident = resident, .left = xcalloc(resident, sizeof *r->left)};
  return r;
}

static void run_free(struct run *r) {
  r->x->s.ops->free(&r->x->s);
  free(r->left);
  free(r);
}

static bool run_ctas(struct run *r, uint32_t from, uint32_t end, struct err *e) {
  r->next = from;
  r->end = end;
  r->x->patient = end - from > r->resident;
  return run_rounds(r, e);
}

bool exec_run(const struct launch *l, unsigned resident, struct exec_counts *counts, struct err *e) {
  if (l->trace) return exec_traced(l, counts, e);
  struct run *r = run_new(l, resident, e);
  if (!r) return false;
  bool ok = run_ctas(r, 0, r->x->s.ctas, e);
  if (counts) *counts = r->n;
  if (l->ran) *l->ran += r->n.warp_insns;
  run_free(r);
  return ok;
}

bool exec_others(struct exec *x, uint32_t from, uint32_t to) {
  if (!x->others) {
    if (!(x->others = run_new(x->launch, 0, &x->s.err))) return false;
    x->others->x->untimed = true;
    x->others->x->tap = NULL;
  }
  if (x->launch->untimed) *x->launch->untimed += to - from;
  return run_ctas(x->others, from, to, &x->s.err);
}

void exec_others_free(struct exec *x) {
  if (!x->others) return;
  if (x->launch->ran) *x->launch->ran += x->others->n.warp_insns;
  run_free(x->others);
}
