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

/* ---- narrow operands ---- */

/* What is known of a kernel's launches, all of them together (lab/facts.h collects it): the values as unsigned numbers and
 * as signed ones of their size, since nobody knows how the kernel reads them; what holds is the closer pair. Bounds are included. */
struct bounds { uint64_t lo, hi; int64_t slo, shi; };
static inline bool bounds_signed(const struct bounds *b) { return (uint64_t)(b->shi - b->slo) < b->hi - b->lo; }
struct facts {
  struct bounds ntid[3], nctaid[3];
  struct bounds shared_dyn;            /* bytes */
  struct bounds *param;                /* [code.nparam]; of arrays and structs: not looked at */
  bool any;                            /* a launch was seen; else nothing is known */
};

/* Ranges of integers (analysis/essa.h, interval.h): extended SSA form, so that branches refine, sets between two bounds,
 * widening and narrowing. For the registers that the code holds now, virtual ones, numbered below nreg; ranges hold
 * for every thread and every path. */
struct interval { __int128 lo, hi; };  /* the register's bits are a number of it modulo 2^32 (2^64 for a pair) */
struct interval_why {
  const char *rule;                    /* what bounded it: an operation, a special register, "parameter", "constant" */
  uint32_t line;                       /* of a branch that bounds one of its sources (the first); 0: none does */
  uint8_t operand;                     /* that source, */
  struct interval in;                  /* and its range */
  bool loop;                           /* it grows in a loop whose turns are not bounded */
  bool never;                          /* no thread comes here */
};
struct intervals {
  uint32_t nreg;
  struct interval *reg;                /* hull over all definitions; [nreg]; 0 to 0 of predicates */
  struct interval (*dst)[INSN_DST];    /* per instruction and destination operand: of the lanes that it writes */
  struct interval_why (*why)[INSN_DST];
};
void intervals_build(const struct code *c, uint32_t nreg, const struct facts *f /* or NULL */, struct intervals *out);
void intervals_free(struct intervals *r);
/* Nibbles and signedness of a word (0: low) of a register of `words` words whose value lies in r. */
void interval_nibbles(const struct interval *r, unsigned words, unsigned word, uint8_t *n, uint8_t *sgn);

/* Widths of floats, by web (lab/widths.c reads them from a file). 8: not narrowed. */
struct widths;
unsigned widths_of(const struct widths *w, const char *kernel, const char *web);

struct narrowing {
  bool ints;
  const struct facts *facts;           /* NULL: nothing is known of launches */
  const struct widths *floats;         /* NULL: floats stay as they are */
  bool split;                          /* an operand may lie in two physical registers */
};
/* In place of alloc_kernel: the same way up to copies, then webs, widths and slices (analysis/webs.c, pack.c); sets
 * c->packing, nreg is the number of architectural registers. False and *e: 255 of them do not suffice. */
bool pack_kernel(struct module *m, struct code *c, const struct narrowing *how, struct err *e);

/* Text and Graphviz for `regtwin analyze` (analysis/dot.c). */
void analyze_text(const struct code *c, FILE *f);     /* registers, live count per instruction, blocks, reconvergence */
void analyze_live(const struct code *c, FILE *f);     /* the same of a warp, with the vectors; allocated code */
void analyze_dot(const struct code *c, FILE *f);
/* Of a kernel that is not allocated yet: what each instruction writes, between which bounds and why, and how many
 * nibbles its web takes (analysis/interval_text.c). Names are made in the module's arena. */
void analyze_ranges(struct module *m, struct code *c, const struct facts *f /* or NULL */, FILE *out);
/* Packed code (analysis/slices_text.c): the table, and each operand's place. */
void analyze_slices(const struct code *c, FILE *f);

#endif
