/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_range: the domain of the range analysis and its rules, private to compiler/narrow/.
 *
 * A value range is a set of words of 32 or 64 bits: those equal to a number of [lo, hi] modulo 2^bits, whose `known`
 * low bits equal those of `low`. A word has no signedness, so arithmetic is modulo 2^bits; users interpret the range
 * as signed or unsigned (range_signed, range_unsigned). Normal form: within the signed numbers of that size if
 * possible, else within the unsigned ones, else all signed ones; ends have the known low bits; a single number has
 * all of them known. lo > hi: empty, not reachable.
 */
#ifndef RT_NARROW_VALUE_RANGE_H
#define RT_NARROW_VALUE_RANGE_H

#include "compiler/narrow/ranges.h"

typedef __int128 wide;
struct value_range {
  wide lo, hi;
  uint64_t low; /* below bit `known` */
  uint8_t known;
};

static inline wide wide_power2(unsigned n) { return (wide)1 << n; }
static inline wide wide_least(wide a, wide b) { return a < b ? a : b; }
static inline wide wide_most(wide a, wide b) { return a > b ? a : b; }
static inline bool range_empty(const struct value_range *a) { return a->lo > a->hi; }
struct value_range range_none(void);
struct value_range range_full(unsigned bits);
struct value_range range_of(unsigned bits, wide lo, wide hi); /* lo <= hi, any numbers */
struct value_range range_one(unsigned bits, uint64_t value);
struct value_range range_known(unsigned bits, struct value_range a, unsigned known,
                               uint64_t low); /* those of a with these low bits */
bool range_same(const struct value_range *a, const struct value_range *b);
struct value_range range_join(unsigned bits, struct value_range a, struct value_range b);
struct value_range range_meet(unsigned bits, struct value_range a,
                              struct value_range b); /* contains the intersection, and maybe other words of a */
struct value_range range_add(unsigned bits, struct value_range a, struct value_range b);
struct value_range range_sub(unsigned bits, struct value_range a, struct value_range b);
struct value_range range_mul(unsigned bits, struct value_range a, struct value_range b);

/* Numbers, both ends included. */
struct span {
  wide lo, hi;
};
static inline struct span span_join(struct span a, struct span b) {
  return (struct span){wide_least(a.lo, b.lo), wide_most(a.hi, b.hi)};
}
static inline struct span span_around(const wide x[4]) { /* from the least to the greatest */
  return (struct span){wide_least(wide_least(x[0], x[1]), wide_least(x[2], x[3])),
                       wide_most(wide_most(x[0], x[1]), wide_most(x[2], x[3]))};
}
/* The low `bits` bits of the words of a (no more than it has), read as numbers without or with a sign. */
struct span range_unsigned(const struct value_range *a, unsigned bits);
struct span range_signed(const struct value_range *a, unsigned bits);
static inline struct span range_read(const struct value_range *a, unsigned bits, bool sign) {
  return sign ? range_signed(a, bits) : range_unsigned(a, bits);
}

static inline unsigned opnd_bits(const struct opnd *o) { return o->words == 2 || o->kind == O_IMM ? 64 : 32; }

/* rules.c. The range of destination k (a register) after i, given the ranges of its sources; *why: the rule. */
struct value_range range_rule(const struct code *c, const struct launch_facts *f, const struct insn *i, unsigned k,
                              const struct value_range *src, const char **why);
/* Words of a source that is no register. */
struct value_range range_operand(const struct code *c, const struct launch_facts *f, const struct opnd *o,
                                 const char **why);
/* The words of `bits` bits that `x` of a comparison's two sources may have if the comparison i gives `truth`,
 * when the other one is `other`. */
struct value_range range_where(const struct insn *i, unsigned x, bool truth, const struct value_range *self,
                               const struct value_range *other, unsigned bits);

#endif
