/* SPDX-License-Identifier: Apache-2.0 */
/*
 * essa: code in extended static single assignment form (Bodik, Gupta, Sarkar: ABCD, PLDI 2000; F. M. Quintao Pereira,
 * R. E. Rodrigues, V. H. Sperle Campos: A fast and low-overhead technique to secure programs against integer
 * overflows, CGO 2013), private to compiler/narrow/. The code itself is unchanged; beside it, every read names the value that
 * it reads. Values are defined by instructions, by joins of paths (phi), by guarded writes (a merge of the old and
 * the written value) and, on both exits of a branch, for the registers that its condition constrains (sigma).
 */
#ifndef RT_NARROW_ESSA_H
#define RT_NARROW_ESSA_H

#include "compiler/ir/flow.h"

enum { NO_VAL = UINT32_MAX };
enum val_kind { VAL_ENTRY /* read before it is written */, VAL_INSN, VAL_PHI, VAL_SIGMA, VAL_MERGE };
struct val {
  uint8_t kind, bits;   /* 32 or 64; 0: a predicate */
  uint8_t dst;          /* INSN: which destination */
  uint32_t reg, at;     /* at: INSN, MERGE: instruction; SIGMA: the branch; PHI: node */
  uint32_t arg, narg;   /* essa.arg[arg..]: values it depends on (PHI: by predecessor, some NO_VAL; SIGMA: the
                         * one that is refined first; MERGE: old, new) */
  uint32_t cond, ncond; /* SIGMA: essa.cond[cond..] */
  uint32_t next;        /* PHI: another one of the node */
};

/* The condition of a branch: its register is `compared` + offset, and that is source `side` of the comparison `insn`,
 * whose result was `truth`. `low`: the sum is known of the low 32 bits only. */
struct cond {
  uint32_t insn, compared;
  uint8_t side;
  bool truth, low;
  uint64_t offset;
};

struct essa {
  const struct code *c;
  struct graph g; /* nodes: 0 the entry, then the code's blocks, then the exits of conditional branches */
  uint32_t *idom; /* per node */
  uint32_t *phi;  /* per node: the first of its phis */
  uint32_t *node; /* per instruction */
  struct val *val;
  uint32_t nval, capval;
  uint32_t *arg, narg, caparg;
  struct cond *cond;
  uint32_t ncond, capcond;
  uint32_t *same; /* per value: the equal value that sigmas and trivial phis pass on */
  uint32_t (*src)[INSN_SRC], (*dst)[INSN_DST], *guard; /* per instruction: values read and written; NO_VAL */
};

/* Of code in virtual registers numbered below nreg. Values in unreachable code: NO_VAL. */
void essa_build(const struct code *c, uint32_t nreg, struct essa *e);
void essa_free(struct essa *e);

/* A value is the sum of `val` and `offset`, perhaps (`low`) in its low 32 bits only: through moves, additions
 * of constants, and words taken from pairs or extended to them. */
struct root {
  uint32_t val;
  bool low;
  uint64_t offset;
};
struct root essa_root(const struct essa *e, uint32_t v);

/* Comparisons of integers that hold for threads that reach a node, if it is an exit of a branch.
 */
enum { ESSA_KNOWN = 8 };
struct known {
  uint32_t insn[ESSA_KNOWN];
  bool truth[ESSA_KNOWN];
  unsigned n;
};
void essa_known(const struct essa *e, uint32_t node, struct known *out);
bool essa_dominates(const struct essa *e, uint32_t a, uint32_t b); /* nodes */

#endif
