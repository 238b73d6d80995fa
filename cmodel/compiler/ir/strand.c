/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strand: strands (M. Gebhart et al., "A Compile-Time Managed Multi-Level Register File Hierarchy", MICRO'11, from
 * memory; LTRF, section 6.6): parts of the code without backward branches whose instructions need no late result of the
 * same part. A new strand begins
 *   - at the entry, at the target of a backward branch and behind a block that ends in one, at a call and behind it;
 *   - at a merge whose predecessors lie in different strands or have different late registers outstanding;
 *   - before the first instruction that names a register which an operation of the same strand writes late
 *     (STRAND_USE), or right behind each such operation (STRAND_OP);
 *   - before an instruction that would make it name too many registers.
 * An edge is backward if it does not lead further down in layout order; so blocks are processed in that order, and all
 * predecessors of a block that begins no strand come before it. A predecessor that is not reached lies in no strand.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/interval.h"

/* How the blocks in front of a block end. */
struct inflow {
  uint32_t n, npred; /* predecessors that were processed; all of them */
  uint32_t strand;   /* INTERVAL_NONE: they differ, or a strand ends there */
  regset far;        /* outstanding */
};

struct walk {
  const struct cfg *g;
  enum strand_cut cut;
  uint32_t most;
  struct intervals *v;
  struct inflow *in; /* per block */
  uint32_t strand;   /* in which the walk is */
  bool closed;       /* the next instruction begins another */
  regset far;        /* registers outstanding */
};

static void strand_open(struct walk *w, uint32_t block, uint32_t insn) {
  w->strand = w->v->n++;
  w->v->of[w->strand] = (struct reg_interval){.block = block, .first = insn};
  memset(w->far, 0, sizeof w->far);
  w->closed = false;
}

static bool strand_begins(const struct walk *w, uint32_t b) {
  const struct inflow *in = &w->in[b];
  return in->n == 0 || in->n != in->npred || in->strand == INTERVAL_NONE || w->g->block[b].call;
}

static bool strand_walk_insn(struct walk *w, uint32_t b, uint32_t x, struct err *e) {
  const uint64_t *regs = w->g->regs[x];
  if (w->closed || regset_meets(regs, w->far) || !regset_fits(w->v->of[w->strand].regs, regs, w->most)) {
    if (w->v->of[w->strand].block != b || w->v->of[w->strand].first != x) strand_open(w, b, x);
    if (!regset_fits(w->v->of[w->strand].regs, regs, w->most)) return intervals_too_many(w->g, x, w->most, e);
  }
  regset_join(w->v->of[w->strand].regs, regs);
  w->v->at[x] = w->strand;
  if (w->cut == STRAND_USE) regset_join(w->far, w->g->far[x]);
  else if (!regset_empty(w->g->far[x])) w->closed = true;
  return true;
}

/* Tells the blocks below how this one ends. */
static void strand_walk_edges(struct walk *w, uint32_t b) {
  const struct cfg_block *k = &w->g->block[b];
  for (uint32_t s = 0; s < k->nsucc; s++) w->closed |= w->g->succ[k->succ + s] <= b;
  for (uint32_t s = 0; s < k->nsucc; s++) {
    const uint32_t to = w->g->succ[k->succ + s];
    struct inflow *in = &w->in[to];
    if (to <= b) continue;
    if (!in->n++) {
      in->strand = w->strand;
      memcpy(in->far, w->far, sizeof in->far);
    }
    if (w->closed || in->strand != w->strand || memcmp(in->far, w->far, sizeof in->far)) in->strand = INTERVAL_NONE;
  }
}

static bool strand_walk_block(struct walk *w, uint32_t b, struct err *e) {
  const struct cfg_block *k = &w->g->block[b];
  if (strand_begins(w, b)) strand_open(w, b, k->first);
  else {
    w->strand = w->in[b].strand;
    memcpy(w->far, w->in[b].far, sizeof w->far);
    w->closed = false;
  }
  for (uint32_t x = k->first; x < k->end; x++)
    if (!strand_walk_insn(w, b, x, e)) return false;
  w->v->in[b] = k->first < k->end ? w->v->at[k->first] : w->strand;
  w->closed |= k->call;
  strand_walk_edges(w, b);
  return true;
}

static bool strand_walk_all(struct walk *w, struct err *e) {
  const struct cfg *g = w->g;
  uint8_t *reached = xcalloc(g->nblock, 1);
  bool ok = true;
  for (uint32_t f = 0; f < g->nfunc; f++) cfg_reach(g, &g->func[f], reached);
  for (uint32_t s = 0; s < g->nsucc; s++) w->in[g->succ[s]].npred++;
  for (uint32_t f = 0; f < g->nfunc; f++) w->in[g->func[f].entry].npred++; /* from outside, which is never processed */
  for (uint32_t b = 0; ok && b < g->nblock; b++)
    if (reached[b]) ok = strand_walk_block(w, b, e);
  free(reached);
  return ok;
}

bool strands_form(const struct cfg *g, enum strand_cut cut, uint32_t most, struct intervals *v, struct err *e) {
  struct walk w = {.g = g, .cut = cut, .most = most, .v = v};
  intervals_begin(g, v);
  w.in = xcalloc(g->nblock, sizeof *w.in);
  const bool ok = strand_walk_all(&w, e) && intervals_finish(g, most, v, e);
  free(w.in);
  if (!ok) intervals_clear(v);
  return ok;
}
