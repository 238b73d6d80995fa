/* SPDX-License-Identifier: Apache-2.0 */
/*
 * papers: what a paper says that its system costs, item by item, in three numbers: as it states it, as its own counts give it,
 * and what was built here (ITEM lines of systems/NAME/cost.def).
 */
#ifndef RT_COST_PAPERS_H
#define RT_COST_PAPERS_H

#include <stdbool.h>
#include <stdio.h>

struct cost_item {
  const char *system, *item, *unit;
  const char *stated;  /* the paper's words, "-": not in it */
  double items, built; /* from the counts that it names; 0: none. Built: NaN where nothing of that name is recorded */
  const char *note;
  bool earlier; /* what was built has a figure of earlier Verilog (cost/blocks.h) */
};
/* All of them, in the order of their lines. Owned by the callee. */
const struct cost_item *cost_items(unsigned *n);
void papers_cost_tsv(FILE *f);

#endif
