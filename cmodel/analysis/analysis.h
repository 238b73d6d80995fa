/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis: from virtual registers to physical ones, and what later architectures want to know of a kernel.
 * Never sees PTX: it works on struct code.
 */
#ifndef RT_ANALYSIS_ANALYSIS_H
#define RT_ANALYSIS_ANALYSIS_H

#include <stdio.h>

#include "code/code.h"

/* Dominators and post-dominators of a graph (analysis/dom.c): immediate ones per block, g->n for "none" or
 * "exit only". Blocks that cannot be reached have none. Post-dominators are those of the threads that go on: a
 * path that ends in another exit does not keep the rest from meeting again (its lanes are gone), so
 * `if (a) { if (b) return; } bar` meets before the barrier. exec/ must therefore take lanes that exit out of every
 * entry of its divergence stack. */
void dom_build(const struct graph *g, uint32_t *idom);
void pdom_build(const struct graph *g, uint32_t *ipdom);

/* Liveness over the registers that the code holds now (analysis/live.c). In allocated code the sets hold the
 * LIVE_PRED general registers first, then the predicates. */
enum { LIVE_PRED = 256, LIVE_PHYSICAL = LIVE_PRED + 16 };
struct live {
  uint32_t nreg, words;      /* registers in the sets; 64-bit words per set */
  uint64_t *in;              /* per instruction: [n][words], live before it */
};
void live_build(const struct code *c, struct live *l);      /* virtual: predicates included, one name space */
void live_free(struct live *l);
uint32_t live_pressure(const struct code *c, uint32_t *predicates);   /* virtual: most 32-bit registers live at once */

/* The whole way (analysis/alloc.c): copy coalescing, allocation of 32-bit registers (64-bit in aligned pairs), predicates
 * apart, spilling to local memory; then reconvergence points, liveness and last uses in physical names, op_build.
 * regs_cap: 0, or the most registers (spills when the need is greater; an error when no code can do it);
 * regs_force: report exactly this many (>= need) or cap to it (a launch file's `regs N`); 0: off. */
bool alloc_kernel(struct module *m, struct code *c, uint32_t regs_force, struct err *e);

/* Text and Graphviz for `regtwin analyze` (analysis/dot.c). */
void analyze_text(const struct code *c, FILE *f);     /* registers, live count per instruction, blocks, reconvergence */
void analyze_live(const struct code *c, FILE *f);     /* the same of a warp, with the vectors; allocated code */
void analyze_dot(const struct code *c, FILE *f);

#endif
