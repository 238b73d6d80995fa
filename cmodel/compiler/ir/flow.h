/* SPDX-License-Identifier: Apache-2.0 */
/* flow: control-flow analyses of a kernel: dominators, liveness, live ranges; and a kernel as text and as a graph. */
#ifndef RT_IR_FLOW_H
#define RT_IR_FLOW_H

#include <stdio.h>

#include "compiler/ir/code.h"

/* Dominators and post-dominators of a graph (compiler/ir/dom.c): immediate ones per block, g->n for "none" or "exit only".
 * Unreachable blocks have none. Post-dominators are those of the remaining threads: a path that ends in another exit
 * does not prevent the rest from reconverging (its lanes are gone), so `if (a) { if (b) return; } bar` reconverges
 * before the barrier. exec/ must therefore take lanes that exit out of every entry of its divergence stack. */
void dom_build(const struct graph *g, uint32_t *idom);
void pdom_build(const struct graph *g, uint32_t *ipdom);

/* Liveness of the registers in the code now (compiler/ir/live.c). In allocated code the sets hold the
 * LIVE_PRED general registers first, then the predicates. */
enum { LIVE_PRED = 256, LIVE_PHYSICAL = LIVE_PRED + 16 };
struct live {
  uint32_t nreg, words; /* registers in the sets; 64-bit words per set */
  uint64_t *in;         /* per instruction: [n][words], live before it */
};
void live_build(const struct code *c, struct live *l); /* virtual: predicates included, one name space */
void live_free(struct live *l);

/* A set of registers live behind an instruction becomes that before it (compiler/ir/live.c). */
void live_step(const struct code *c, const struct insn *i, uint64_t *set);

/*
 * Live ranges (compiler/ir/live_ranges.c).
 *
 * Point i lies behind instruction i. A register occupies point i if it is live there or written by i (even if never
 * read): two registers may share a physical one exactly when they occupy no common point. Lanes that wait on another
 * path keep their own values, since writes are masked by lane: liveness along a single thread's paths is enough.
 */
struct seg {
  uint32_t from, to;
}; /* points [from, to) */

struct live_ranges { /* where each register is occupied: seg[start[v]] .. seg[start[v + 1] - 1] */
  uint32_t nreg;
  uint32_t *start; /* nreg + 1 */
  struct seg *seg; /* ascending, disjoint, not touching */
};
void live_ranges_build(const struct code *c, const struct graph *g, uint32_t nreg, struct live_ranges *r);
void live_ranges_free(struct live_ranges *r);
uint64_t live_ranges_length(const struct live_ranges *r, uint32_t v); /* points */

/* Text and Graphviz for `regtwin analyze` (compiler/ir/dot.c). */
void analyze_text(const struct code *c, FILE *f); /* registers, live count per instruction, blocks, reconvergence */
void analyze_live(const struct code *c, FILE *f); /* the same of a warp, with the vectors; allocated code */
void analyze_dot(const struct code *c, FILE *f);
void dot_put_quoted(const char *s, FILE *f); /* within the quotes of Graphviz */

#endif
