/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph: basic blocks of a kernel. A block ends after every BRA, EXIT and TRAP, guarded or not, and before every
 * branch target. Blocks are numbered in the order of their first instruction; block 0 is the entry.
 */
#include <stdlib.h>

#include "compiler/ir/code.h"

static void graph_add_edge(struct block *b, uint32_t to) {
  if (b->nsucc == 1 && b->succ[0] == to) return; /* a branch to the next instruction */
  b->succ[b->nsucc++] = to;
}

/* One array for all, owned by block 0. */
void graph_preds(struct graph *g) {
  uint32_t edges = 0;
  for (uint32_t b = 0; b < g->n; b++)
    for (uint32_t s = 0; s < g->block[b].nsucc; s++, edges++) g->block[g->block[b].succ[s]].npred++;
  uint32_t *pool = xcalloc(edges + 1, sizeof *pool), at = 0;
  for (uint32_t b = 0; b < g->n; b++) {
    g->block[b].pred = pool + at;
    at += g->block[b].npred;
    g->block[b].npred = 0;
  }
  for (uint32_t b = 0; b < g->n; b++) {
    for (uint32_t s = 0; s < g->block[b].nsucc; s++) {
      struct block *to = &g->block[g->block[b].succ[s]];
      to->pred[to->npred++] = b;
    }
  }
}

void graph_build(const struct code *c, struct graph *g) {
  *g = (struct graph){0};
  g->block_of = xcalloc(c->n + 1, sizeof *g->block_of);
  if (c->n == 0) return;

  uint8_t *leader = xcalloc(c->n + 1, 1);
  leader[0] = 1;
  for (uint32_t i = 0; i < c->n; i++) {
    if (!insn_ends_block(&c->insn[i])) continue;
    leader[i + 1] = 1;
    if (c->insn[i].op == OP_BRA && c->insn[i].target < c->n) leader[c->insn[i].target] = 1;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->n; i++) n += leader[i];
  g->block = xcalloc(n, sizeof *g->block);
  for (uint32_t i = 0; i < c->n; i++) {
    if (leader[i]) g->block[g->n++].first = i;
    g->block_of[i] = g->n - 1;
    g->block[g->n - 1].end = i + 1;
  }
  free(leader);

  for (uint32_t b = 0; b < g->n; b++) {
    struct block *k = &g->block[b];
    const struct insn *t = &c->insn[k->end - 1];
    bool falls = !insn_ends_block(t) || t->guard.kind == O_PRED;
    if (t->op == OP_EXIT || t->op == OP_TRAP)
      k->leave = falls ? LEAVE_SOME : t->op == OP_EXIT ? LEAVE_EXIT : LEAVE_TRAP;
    if (falls && k->end < c->n) graph_add_edge(k, b + 1);
    if (t->op == OP_BRA && t->target < c->n) graph_add_edge(k, g->block_of[t->target]);
  }
  graph_preds(g);
}

void graph_free(struct graph *g) {
  if (g->n) free(g->block[0].pred);
  free(g->block);
  free(g->block_of);
  *g = (struct graph){0};
}
