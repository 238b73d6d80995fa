/* SPDX-License-Identifier: Apache-2.0 */
/* ranges: value ranges of a kernel's integers, and their derivation. */
#ifndef RT_NARROW_RANGES_H
#define RT_NARROW_RANGES_H

#include <stdio.h>

#include "compiler/ir/code.h"

/* Facts that hold for all launches of a kernel (lab/run/facts.h collects them): the values as unsigned and as signed
 * numbers of their size, since it is unknown how the kernel reads them; the narrower pair is used. Bounds are
 * inclusive. */
struct bounds {
  uint64_t lo, hi;
  int64_t slo, shi;
};
static inline bool bounds_signed(const struct bounds *b) { return (uint64_t)(b->shi - b->slo) < b->hi - b->lo; }
struct launch_facts {
  struct bounds ntid[3], nctaid[3];
  struct bounds shared_dyn; /* bytes */
  struct bounds *param;     /* [code.nparam]; unused for arrays and structs */
  bool any;                 /* a launch was seen; else nothing is known */
};

/* Ranges of integers (compiler/narrow/essa.h, value_range.h): extended SSA form, so that branches refine values; sets between
 * two bounds; widening and narrowing. For the registers in the code now, virtual ones, numbered below nreg; ranges
 * hold for every thread and every path. */
struct value_bounds {
  __int128 lo, hi;
}; /* the register's bits are a number of it modulo 2^32 (2^64 for a pair) */
struct range_why {
  const char *rule;       /* what bounded it: an operation, a special register, "parameter", "constant" */
  uint32_t line;          /* of a branch that bounds one of its sources (the first); 0: none does */
  uint8_t operand;        /* that source, */
  struct value_bounds in; /* and its range */
  bool loop;              /* it grows in a loop without a bounded trip count */
  bool never;             /* not reachable */
};
struct register_ranges {
  uint32_t nreg;
  struct value_bounds *reg;             /* hull over all definitions; [nreg]; 0 to 0 of predicates */
  struct value_bounds (*dst)[INSN_DST]; /* per instruction and destination operand: of the lanes that it writes */
  struct range_why (*why)[INSN_DST];
};
void register_ranges_build(const struct code *c, uint32_t nreg, const struct launch_facts *f /* or NULL */,
                           struct register_ranges *out);
void register_ranges_free(struct register_ranges *r);
/* Nibbles and signedness of a word (0: low) of a register of `words` words whose value lies in r. */
void range_nibbles(const struct value_bounds *r, unsigned words, unsigned word, uint8_t *n, uint8_t *sgn);

/* For a kernel that is not allocated yet, as text: the range of each instruction's result, its derivation, and the
 * nibbles of its web (compiler/narrow/ranges_text.c). Names are made in the module's arena. */
void analyze_ranges(struct module *m, struct code *c, const struct launch_facts *f /* or NULL */, FILE *out);

#endif
