/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval_merge: passes 2 of register-interval formation (LTRF, Algorithm 2), to a fixpoint, for compiler/ir/interval.c only.
 *
 * A pass is like pass 1, with intervals instead of blocks: interval by interval, in the order in which they are opened,
 * it merges the lowest one whose predecessors all lie in the one in work and whose registers fit; then every other
 * successor is opened, in the order of the pass before.
 *
 * Cost. A pass can merge something only where the pass before has changed an interval: one that was not merged because
 * it did not fit never will be, since intervals only grow. Until the first of these places, a pass opens the same
 * intervals in the same order as the one before; so it is started there. Nested loops, which lose one level in each
 * pass, from the innermost one on, cost little more than a single pass; at worst, with other code opened among them, their
 * depth times that code.
 */
#ifndef RT_IR_INTERVAL_MERGE_H
#define RT_IR_INTERVAL_MERGE_H

#include "compiler/ir/cfg.h"
#include "compiler/ir/heap.h"

struct merge_edges {
  uint32_t *to, n, room;
};

struct merge {
  uint32_t n, most;
  regset *vector;          /* per interval, all of these; valid of those that are not merged */
  struct merge_edges *out; /* to others; those to merged ones are dropped when they are met */
  uint32_t *in;            /* edges from others */
  uint8_t *call;           /* never merged */
  uint32_t *root;          /* itself, or what it was merged into */

  /* order of a pass */
  uint32_t norder, *order; /* intervals as they are opened */
  uint32_t *number;        /* their places, those of the pass before while one is at work */
  uint32_t *opener;        /* the one at whose end it is opened */
  uint32_t *opened;        /* per place: how many are open when that one is complete */
  uint8_t *placed;         /* open, or merged in this pass */
  uint32_t *old, base;     /* order of the pass before, from place `base` on */

  uint32_t *seen, *mark;       /* edges from the one in work; which that is, plus 1 */
  uint32_t ntouched, *touched; /* places of its successors */
  struct heap heap;            /* places of its candidates */
  uint32_t nchanged, *changed; /* that merged others in this pass */
};

/* n intervals in the order in which pass 1 opened them; the first one is the entry's. The vectors are copied. */
void merge_begin(struct merge *m, uint32_t n, uint32_t most, const regset *vector);
void merge_edge(struct merge *m, uint32_t from, uint32_t to);
void merge_lost(struct merge *m, uint32_t to); /* an edge from code that is not reached */
void merge_run(struct merge *m);
uint32_t merge_root(struct merge *m, uint32_t interval); /* what it is part of; its header is that of this one */
void merge_end(struct merge *m);

#endif
