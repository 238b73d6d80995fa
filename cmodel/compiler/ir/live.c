/* SPDX-License-Identifier: Apache-2.0 */
/* live: registers live before each instruction, as bit sets. For one kernel's analysis; allocation uses
 * live_ranges.c. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/flow.h"
#include "base/bits.h"

static uint32_t live_index(const struct code *c, const struct opnd *o) {
  return o->kind == O_PRED && c->allocated ? LIVE_PRED + o->reg : o->reg;
}

static unsigned live_span(const struct code *c, const struct opnd *o) {
  return c->allocated && o->words == 2 ? 2 : 1; /* a virtual pair is one name */
}

void live_step(const struct code *c, const struct insn *i, uint64_t *set) {
  const struct opnd *o[INSN_SRC + 1];
  unsigned n = insn_writes(i, o);
  if (i->guard.kind != O_PRED)
    for (unsigned k = 0; k < n; k++)
      for (unsigned s = 0; s < live_span(c, o[k]); s++) set_del(set, live_index(c, o[k]) + s);
  n = insn_reads(i, o);
  for (unsigned k = 0; k < n; k++)
    for (unsigned s = 0; s < live_span(c, o[k]); s++) set_add(set, live_index(c, o[k]) + s);
}

/* Recomputes a block; true if the set before its first instruction changed. */
static bool redo_block(const struct code *c, const struct graph *g, struct live *l, uint32_t b, uint64_t *set) {
  const struct block *k = &g->block[b];
  memset(set, 0, l->words * sizeof *set);
  for (uint32_t s = 0; s < k->nsucc; s++) {
    const uint64_t *in = l->in + (size_t)g->block[k->succ[s]].first * l->words;
    for (uint32_t w = 0; w < l->words; w++) set[w] |= in[w];
  }
  bool changed = false;
  for (uint32_t i = k->end; i-- > k->first;) {
    live_step(c, &c->insn[i], set);
    uint64_t *in = l->in + (size_t)i * l->words;
    if (i == k->first) changed = memcmp(in, set, l->words * sizeof *set) != 0;
    memcpy(in, set, l->words * sizeof *set);
  }
  return changed;
}

void live_build(const struct code *c, struct live *l) {
  struct graph g;
  graph_build(c, &g);
  l->nreg = c->allocated ? LIVE_PHYSICAL : c->nvreg;
  l->words = set_words(l->nreg);
  l->in = xcalloc((size_t)c->n * l->words, sizeof *l->in);
  uint64_t *set = xcalloc(l->words, sizeof *set);
  uint8_t *dirty = xcalloc(g.n + 1, 1);
  memset(dirty, 1, g.n);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t b = g.n; b-- > 0;) {
      if (!dirty[b]) continue;
      dirty[b] = 0;
      if (!redo_block(c, &g, l, b, set)) continue;
      for (uint32_t p = 0; p < g.block[b].npred; p++) {
        dirty[g.block[b].pred[p]] = 1;
        again |= g.block[b].pred[p] >= b;
      }
    }
  }
  free(dirty);
  free(set);
  graph_free(&g);
}

void live_free(struct live *l) {
  free(l->in);
  *l = (struct live){0};
}
