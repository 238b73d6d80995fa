/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval: prefetch subgraphs of allocated code, the parts that one PREFETCH of LTRF serves: register-intervals and
 * strands (LTRF, ASPLOS'18, section 3.3; docs/reference/intervals.md has the rules). A subgraph has one header, which every
 * edge into it enters, and names at most so many registers. Both kinds have the same form of result.
 */
#ifndef RT_IR_INTERVAL_H
#define RT_IR_INTERVAL_H

#include "compiler/ir/cfg.h"

#define INTERVAL_NONE UINT32_MAX
enum { INTERVAL_REGS = 16 }; /* the paper's limit */

struct reg_interval {
  regset regs;     /* all that its instructions name: the vector of its PREFETCH */
  uint32_t func;   /* of the graph */
  uint32_t block;  /* the header: from instruction `first` to the end of this block */
  uint32_t first;  /* where the block is empty: the next instruction in layout order */
  uint32_t pc;     /* of `first`, bytes in the function */
  uint32_t length; /* instructions */
};

struct intervals {
  uint32_t n;
  struct reg_interval *of; /* [n], function by function, in layout order of their headers */
  uint32_t *at;       /* per instruction: its interval; INTERVAL_NONE: the entry of its function does not reach it */
  uint32_t *in;       /* per block: the interval of its begin */
  uint32_t unreached; /* blocks without an interval */
};

/* Register-intervals of at most `most` registers, 1 to 256 (compiler/ir/interval.c). False and *e: an instruction names more.
 * The result is checked (intervals_check). */
bool intervals_form(const struct cfg *g, uint32_t most, struct intervals *v, struct err *e);

/* Strands, cut at `most` registers as well; 256: only where a strand ends (compiler/ir/strand.c). A strand that a late result
 * ends is cut before the first use of its register, or right behind the operation. */
enum strand_cut { STRAND_USE, STRAND_OP };
bool strands_form(const struct cfg *g, enum strand_cut cut, uint32_t most, struct intervals *v, struct err *e);

/* That every reached instruction lies in one interval, its registers in the vector, at most `most` registers in each,
 * and all edges into an interval enter its header (compiler/ir/interval_check.c). False and *e with the pc. */
bool intervals_check(const struct cfg *g, uint32_t most, const struct intervals *v, struct err *e);

/* The same of an allocated kernel. */
bool code_intervals(const struct code *c, uint32_t most, struct intervals *v, struct err *e);
bool code_strands(const struct code *c, enum strand_cut cut, uint32_t most, struct intervals *v, struct err *e);

void intervals_clear(struct intervals *v);

/* Where instructions lie once each header of the n instructions has a PREFETCH in front of it, of `prefetch` code slots:
 * the slot of each instruction, and their number *total; freed by the caller. That of a header's PREFETCH begins
 * `prefetch` slots before the header's own. Vector of 256 bits: 4 slots of 8 bytes; with an instruction: 5. */
enum { PREFETCH_VECTOR = 4, PREFETCH_INSN = 5 };
uint32_t *intervals_slots(const struct intervals *v, uint32_t n, uint32_t prefetch, uint32_t *total);

/* For those who form them. Begin: room for all that there may be, none is there yet. Finish: the final order and names,
 * func, pc and length; then the checks. */
void intervals_begin(const struct cfg *g, struct intervals *v);
bool intervals_finish(const struct cfg *g, uint32_t most, struct intervals *v, struct err *e);
/* False and *e: instruction i alone names more than `most` registers. */
bool intervals_too_many(const struct cfg *g, uint32_t i, uint32_t most, struct err *e);

/* As text and for Graphviz (compiler/ir/interval_view.c). `what`: "register-interval", "strand". */
void intervals_text(const struct cfg *g, const struct intervals *v, const char *what, uint32_t most, FILE *f);
void intervals_dot(const struct cfg *g, const struct intervals *v, FILE *f);

#endif
