/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval: register-interval formation (LTRF, section 3.3, Algorithms 1 and 2), with the union of registers taken over
 * the whole interval instead of over paths, so that no path through a diamond exceeds the limit.
 *
 * Pass 1, here: an interval is opened at the entry. Intervals are processed in the order in which they were opened:
 * absorb the header; then, while there is one, the block lowest in layout whose predecessors all lie in the interval and
 * whose first instruction fits; then open an interval at every other successor, in layout order. A block is cut before
 * the first instruction that does not fit: the rest opens an interval. Passes 2: interval_merge.h.
 *
 * Cost: an edge is counted when its source is absorbed (seen, against npred), so a pass is linear in edges, with the
 * logarithm of a heap of candidates. A candidate that does not fit never will, since an interval only grows.
 */
#include "compiler/ir/interval.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "compiler/ir/interval_merge.h"

/* ---- pass 1 ---- */

struct pass {
  const struct cfg *g;
  const struct cfg_func *f;
  uint32_t most, bad; /* bad: an instruction that alone exceeds the limit */
  uint32_t n;         /* intervals, in the order in which they were opened */
  uint32_t *block;    /* per interval: its header, a block from an instruction on */
  uint32_t *first;
  regset *vector;              /* per interval */
  uint32_t *at;                /* per instruction: interval */
  uint32_t *in, *end;          /* per block: intervals of its begin and end */
  uint32_t *npred;             /* per block: edges into it */
  uint32_t *seen, *mark;       /* per block: those from interval `mark` - 1 so far */
  uint32_t ntouched, *touched; /* successors of the interval in work */
  struct heap heap;            /* its candidates */
};

static uint32_t *pass_new_array(size_t n) {
  uint32_t *p = xmalloc(n * sizeof *p);
  memset(p, 0xff, n * sizeof *p);
  return p;
}

static void pass_begin(struct pass *p, const struct cfg *g, uint32_t most) {
  const size_t room = (size_t)g->nblock + g->n; /* an interval begins at a block or at an instruction */
  *p = (struct pass){.g = g, .most = most};
  p->block = xcalloc(room, sizeof *p->block);
  p->first = xcalloc(room, sizeof *p->first);
  p->vector = xcalloc(room, sizeof *p->vector);
  p->at = pass_new_array(g->n);
  p->in = pass_new_array(g->nblock);
  p->end = pass_new_array(g->nblock);
  p->npred = xcalloc(g->nblock, sizeof *p->npred);
  p->seen = xcalloc(g->nblock, sizeof *p->seen);
  p->mark = xcalloc(g->nblock, sizeof *p->mark);
  p->touched = xcalloc(g->nblock, sizeof *p->touched);
  p->heap.item = xcalloc(g->nblock, sizeof *p->heap.item);
  for (uint32_t s = 0; s < g->nsucc; s++) p->npred[g->succ[s]]++;
}

static void pass_end(struct pass *p) {
  free(p->block);
  free(p->first);
  free(p->vector);
  free(p->at);
  free(p->in);
  free(p->end);
  free(p->npred);
  free(p->seen);
  free(p->mark);
  free(p->touched);
  free(p->heap.item);
}

static void open_at(struct pass *p, uint32_t block, uint32_t insn) {
  if (insn == p->g->block[block].first) p->in[block] = p->n;
  memset(p->vector[p->n], 0, sizeof *p->vector);
  p->block[p->n] = block;
  p->first[p->n++] = insn;
}

/* An edge from interval i to the block. */
static void pass_touch(struct pass *p, uint32_t i, uint32_t block) {
  if (p->in[block] != INTERVAL_NONE) return;
  if (p->mark[block] != i + 1) {
    p->mark[block] = i + 1;
    p->seen[block] = 0;
    p->touched[p->ntouched++] = block;
  }
  if (++p->seen[block] == p->npred[block] && !p->g->block[block].call) heap_push(&p->heap, block);
}

/* Takes the block into interval i, from an instruction on and as far as it fits. False: not even that one fits, and the
 * interval is empty. */
static bool pass_absorb(struct pass *p, uint32_t i, uint32_t block, uint32_t from) {
  const struct cfg_block *b = &p->g->block[block];
  for (uint32_t x = from; x < b->end; x++) {
    if (!regset_fits(p->vector[i], p->g->regs[x], p->most)) {
      p->bad = x;
      if (x == p->first[i]) return false;
      open_at(p, block, x);
      return true;
    }
    regset_join(p->vector[i], p->g->regs[x]);
    p->at[x] = i;
  }
  p->end[block] = i;
  for (uint32_t s = 0; s < b->nsucc; s++) pass_touch(p, i, p->g->succ[b->succ + s]);
  return true;
}

static bool first_fits(const struct pass *p, uint32_t i, uint32_t block) {
  const struct cfg_block *b = &p->g->block[block];
  return b->first == b->end || regset_fits(p->vector[i], p->g->regs[b->first], p->most);
}

static bool pass_grow(struct pass *p, uint32_t i) {
  p->ntouched = p->heap.n = 0;
  if (!pass_absorb(p, i, p->block[i], p->first[i])) return false;
  while (p->heap.n && !p->g->block[p->block[i]].call) {
    const uint32_t b = heap_pop(&p->heap);
    if (!first_fits(p, i, b)) continue;
    p->in[b] = i;
    pass_absorb(p, i, b, p->g->block[b].first);
  }
  qsort(p->touched, p->ntouched, sizeof *p->touched, u32_compare);
  for (uint32_t k = 0; k < p->ntouched; k++)
    if (p->in[p->touched[k]] == INTERVAL_NONE) open_at(p, p->touched[k], p->g->block[p->touched[k]].first);
  return true;
}

static bool pass_run(struct pass *p, const struct cfg_func *f) {
  p->f = f;
  p->n = 0;
  open_at(p, f->entry, p->g->block[f->entry].first);
  for (uint32_t i = 0; i < p->n; i++)
    if (!pass_grow(p, i)) return false;
  return true;
}

/* ---- a function ---- */

static void pass_add_edge(struct merge *m, uint32_t from, uint32_t to) {
  if (to == INTERVAL_NONE || from == to) return;
  if (from == INTERVAL_NONE) merge_lost(m, to);
  else merge_edge(m, from, to);
}

/* Passes 2 over the intervals of pass 1. */
static void pass_merge(const struct pass *p, struct merge *m) {
  const struct cfg *g = p->g;
  merge_begin(m, p->n, p->most, (const regset *)p->vector);
  for (uint32_t i = 0; i < p->n; i++) m->call[i] = g->block[p->block[i]].call;
  for (uint32_t k = p->f->first; k < p->f->end; k++) {
    const struct cfg_block *b = &g->block[k];
    for (uint32_t x = b->first + 1; x < b->end; x++) pass_add_edge(m, p->at[x - 1], p->at[x]); /* cuts */
    for (uint32_t s = 0; s < b->nsucc; s++) pass_add_edge(m, p->end[k], p->in[g->succ[b->succ + s]]);
  }
  merge_run(m);
}

/* Adds the function's intervals to the result. */
static void pass_put_result(const struct pass *p, struct intervals *v) {
  const struct cfg *g = p->g;
  uint32_t *as = xcalloc(p->n, sizeof *as);
  struct merge m;
  pass_merge(p, &m);
  for (uint32_t i = 0; i < p->n; i++) {
    if (merge_root(&m, i) != i) continue;
    struct reg_interval *to = &v->of[as[i] = v->n++];
    *to = (struct reg_interval){.block = p->block[i], .first = p->first[i]};
    memcpy(to->regs, m.vector[i], sizeof to->regs);
  }
  for (uint32_t b = p->f->first; b < p->f->end; b++) {
    if (p->in[b] == INTERVAL_NONE) continue;
    v->in[b] = as[merge_root(&m, p->in[b])];
    for (uint32_t x = g->block[b].first; x < g->block[b].end; x++) v->at[x] = as[merge_root(&m, p->at[x])];
  }
  merge_end(&m);
  free(as);
}

bool intervals_form(const struct cfg *g, uint32_t most, struct intervals *v, struct err *e) {
  struct pass p;
  bool ok = true;
  intervals_begin(g, v);
  pass_begin(&p, g, most);
  for (uint32_t f = 0; ok && f < g->nfunc; f++) {
    if (g->func[f].first == g->func[f].end) continue;
    ok = pass_run(&p, &g->func[f]);
    if (ok) pass_put_result(&p, v);
    else intervals_too_many(g, p.bad, most, e);
  }
  pass_end(&p);
  ok = ok && intervals_finish(g, most, v, e);
  if (!ok) intervals_clear(v);
  return ok;
}
