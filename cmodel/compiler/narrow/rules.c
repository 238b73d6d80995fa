/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules: the range of each operation's result, from the ranges of its sources. exec/alu_*.c define the operations; a
 * rule that does not know an operation, a type or a modifier returns the full range.
 *
 * Results of 16 bits leave zeros above, whatever their sign; signed narrow loads and conversions extend theirs.
 */
#include <assert.h>
#include <string.h>

#include "compiler/narrow/value_range.h"
#include "base/bits.h"

/* The context of a rule. Numbers are read by the operation's type. */
struct rule {
  const struct insn *i;
  unsigned k, out; /* destination; its bits */
  const struct value_range *src;
  unsigned bits; /* of the operation's type: 8, 16, 32, 64 */
  bool sign;
  const struct code *code;
  const struct launch_facts *facts;
  const char **why;
};

static unsigned rule_type_bits(unsigned type) { return 8 * dtype_bytes((enum dtype)type); }
static struct span type_span(unsigned type) {
  unsigned bits = rule_type_bits(type);
  if (dtype_signed((enum dtype)type)) return (struct span){-wide_power2(bits - 1), wide_power2(bits - 1) - 1};
  return (struct span){0, wide_power2(bits) - 1};
}

/* A source as a word of the destination's size, or of the operation's where that is less. */
static struct value_range rule_source(const struct rule *r, unsigned s) {
  const struct value_range *a = &r->src[s];
  return range_known(r->out, range_of(r->out, a->lo, a->hi), a->known, a->low);
}
static struct span rule_number_as(const struct rule *r, unsigned s, unsigned bits, bool sign) {
  unsigned has = opnd_bits(&r->i->src[s]);
  return range_read(&r->src[s], bits < has ? bits : has, bits <= has && sign);
}
static struct span rule_number(const struct rule *r, unsigned s) { return rule_number_as(r, s, r->bits, r->sign); }

/* Every word that the destination's type can hold. */
static struct value_range rule_any(const struct rule *r) {
  if (r->bits == 16 && r->out == 32) return range_of(32, 0, 0xffff);
  return range_full(r->out);
}

/* A result as the operation's type wraps it: 16 bits are stored with zeros above. */
static struct value_range rule_store(const struct rule *r, struct span s) {
  if (r->bits >= 32) return range_of(r->out, s.lo, s.hi);
  struct value_range a = {.lo = s.lo, .hi = s.hi};
  struct span u = range_unsigned(&a, r->bits);
  return range_of(r->out, u.lo, u.hi);
}
static struct value_range store_arc(const struct rule *r, struct value_range a) {
  return r->bits >= 32 ? a : rule_store(r, (struct span){a.lo, a.hi});
}

static struct span span_clamp(struct span s, struct span to) {
  return (struct span){wide_most(wide_least(s.lo, to.hi), to.lo), wide_least(wide_most(s.hi, to.lo), to.hi)};
}

/* ---- arithmetic ---- */

static struct value_range add_sub(const struct rule *r, bool sub) {
  const struct insn *i = r->i;
  struct value_range a = rule_source(r, 0), b = rule_source(r, 1);
  if (i->mods & M_SAT) {
    if (i->type != T_S32) return rule_any(r);
    struct span x = rule_number(r, 0), y = rule_number(r, 1);
    struct span s = sub ? (struct span){x.lo - y.hi, x.hi - y.lo} : (struct span){x.lo + y.lo, x.hi + y.hi};
    return rule_store(r, span_clamp(s, type_span(T_S32)));
  }
  struct value_range sum = sub ? range_sub(r->out, a, b) : range_add(r->out, a, b);
  struct value_range carry = range_of(r->out, 0, 1);
  if (i->op == OP_ADDC) sum = range_add(r->out, sum, carry);
  if (i->op == OP_SUBC) sum = range_sub(r->out, sum, carry);
  return store_arc(r, sum);
}
static struct value_range rule_add(const struct rule *r) { return add_sub(r, false); }
static struct value_range rule_sub(const struct rule *r) { return add_sub(r, true); }

/* Of at most 64 bits each, one of them signed or less. */
static struct span span_product(struct span a, struct span b) {
  return span_around((const wide[4]){a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
}

static bool span_is_huge(struct span s) { return s.hi >= wide_power2(63); }

static struct value_range rule_mul(const struct rule *r) {
  struct span a = rule_number(r, 0), b = rule_number(r, 1), p;
  if (!(r->i->mods & (M_HI | M_WIDE))) {
    if (r->bits < 32) return rule_store(r, span_product(a, b));
    return range_mul(r->out, rule_source(r, 0), rule_source(r, 1));
  }
  if (span_is_huge(a) && span_is_huge(b)) return rule_any(r);
  p = span_product(a, b);
  if (r->i->mods & M_WIDE) return range_of(r->out, p.lo, p.hi);
  return rule_store(r, (struct span){p.lo >> r->bits, p.hi >> r->bits});
}

static struct value_range rule_mul24(const struct rule *r) {
  struct span p = span_product(rule_number_as(r, 0, 24, r->sign), rule_number_as(r, 1, 24, r->sign));
  if (r->i->mods & M_HI) p = (struct span){p.lo >> 16, p.hi >> 16};
  return range_of(32, p.lo, p.hi);
}

/* The third source, as wide as the result. */
static struct value_range plus_third(const struct rule *r, struct value_range p) {
  struct value_range c = rule_source(r, 2);
  if (r->i->mods & M_SAT) {
    struct span x = range_signed(&p, 32), y = range_signed(&c, 32);
    return rule_store(r, span_clamp((struct span){x.lo + y.lo, x.hi + y.hi}, type_span(T_S32)));
  }
  struct value_range sum = range_add(r->out, p, c);
  if (r->i->op == OP_MADC) sum = range_add(r->out, sum, range_of(r->out, 0, 1));
  return r->i->mods & M_WIDE ? sum : store_arc(r, sum);
}

static struct value_range rule_sad(const struct rule *r) {
  struct span a = rule_number(r, 0), b = rule_number(r, 1);
  wide down = a.lo - b.hi, up = a.hi - b.lo; /* of a - b */
  struct value_range d = {.lo = wide_most(0, wide_most(down, -up)), .hi = wide_most(-down, up)}, c = rule_source(r, 2);
  return rule_store(r, (struct span){d.lo + c.lo, d.hi + c.hi});
}

/* vabsdiff4 */
static struct value_range rule_distances(const struct rule *r) {
  const wide most = r->i->stype == r->i->sub ? 255 : 383; /* of a byte */
  if (r->i->mods & M_ADD) return range_add(32, rule_source(r, 2), range_of(32, 0, 4 * most));
  return r->i->mods & M_SAT && r->sign ? range_of(32, 0, 0x7f7f7f7f) : rule_any(r);
}

static struct span span_quotient(struct span a, struct span b) { /* b without 0, of one sign */
  return span_around((const wide[4]){a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
}

static struct value_range rule_divide(const struct rule *r) {
  struct span a = rule_number(r, 0), b = rule_number(r, 1);
  struct value_range q = range_none();
  if (b.lo < 0) q = rule_store(r, span_quotient(a, (struct span){b.lo, wide_least(b.hi, -1)}));
  if (b.hi > 0) q = range_join(r->out, q, rule_store(r, span_quotient(a, (struct span){wide_most(b.lo, 1), b.hi})));
  if (b.lo <= 0 && b.hi >= 0) q = range_join(r->out, q, rule_store(r, (struct span){-1, -1})); /* by zero: all ones */
  return q;
}

static struct value_range rule_remainder(const struct rule *r) {
  struct span a = rule_number(r, 0), b = rule_number(r, 1);
  wide top = wide_most(b.hi, -b.lo) - 1; /* largest magnitude that a remainder can have */
  bool zero = b.lo <= 0 && b.hi >= 0;
  wide small = b.lo > 0 ? b.lo : b.hi < 0 ? -b.hi : 0;
  if (zero || (a.hi < small && a.lo > -small)) { /* a itself, always or perhaps */
    if (zero) top = wide_most(top, wide_most(a.hi, -a.lo));
    else return rule_store(r, a);
  }
  return rule_store(r, (struct span){a.lo < 0 ? wide_most(a.lo, -top) : 0, a.hi > 0 ? wide_least(a.hi, top) : 0});
}

static struct value_range rule_mad(const struct rule *r) { return plus_third(r, rule_mul(r)); }
static struct value_range rule_mad24(const struct rule *r) { return plus_third(r, rule_mul24(r)); }

static struct value_range rule_negate(const struct rule *r) {
  return store_arc(r, range_sub(r->out, range_of(r->out, 0, 0), rule_source(r, 0)));
}

static struct value_range rule_absolute(const struct rule *r) {
  struct span a = rule_number(r, 0);
  wide lo = a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0;
  return rule_store(r, (struct span){lo, wide_most(a.hi, -a.lo)});
}

static struct value_range rule_min_max(const struct rule *r) {
  struct span a = rule_number(r, 0), b = rule_number(r, 1), m;
  if (r->i->op == OP_MIN) m = (struct span){wide_least(a.lo, b.lo), wide_least(a.hi, b.hi)};
  else m = (struct span){wide_most(a.lo, b.lo), wide_most(a.hi, b.hi)};
  if (r->i->mods & M_RELU) m = (struct span){wide_most(m.lo, 0), wide_most(m.hi, 0)};
  return rule_store(r, m);
}

/* ---- bits ---- */

static wide ones_over(wide x) { /* 2^k - 1, not below x */
  wide m = 0;
  while (m < x) m = m << 1 | 1;
  return m;
}

/* Copies of the sign fill all bits above those of numbers of [-m - 1, m]: so they do in any bitwise function.
 */
static wide sign_copies(struct span a, struct span b) {
  return ones_over(wide_most(wide_most(a.hi, -1 - a.lo), wide_most(b.hi, -1 - b.lo)));
}

/* x & m for m = -2^k: x rounded down. */
static bool is_floor(struct span m) { return m.lo == m.hi && m.lo < 0 && ((-m.lo) & (-m.lo - 1)) == 0; }

static struct span and_span(struct span a, struct span b) {
  if (is_floor(b)) return (struct span){a.lo & b.lo, a.hi & b.lo};
  if (is_floor(a)) return (struct span){b.lo & a.lo, b.hi & a.lo};
  if (a.lo >= 0 && b.lo >= 0) return (struct span){0, wide_least(a.hi, b.hi)};
  if (a.lo >= 0) return (struct span){0, a.hi};
  if (b.lo >= 0) return (struct span){0, b.hi};
  return (struct span){-1 - sign_copies(a, b), wide_most(a.hi, b.hi)};
}

static struct span or_span(struct span a, struct span b) {
  wide m = sign_copies(a, b);
  if (a.lo >= 0 && b.lo >= 0) return (struct span){wide_most(a.lo, b.lo), m};
  if (a.hi < 0 && b.hi < 0) return (struct span){wide_most(a.lo, b.lo), -1};
  if (a.hi < 0) return (struct span){a.lo, -1};
  if (b.hi < 0) return (struct span){b.lo, -1};
  return (struct span){wide_least(a.lo, b.lo), m};
}

static struct span xor_span(struct span a, struct span b) {
  wide m = sign_copies(a, b);
  if ((a.lo >= 0 && b.lo >= 0) || (a.hi < 0 && b.hi < 0)) return (struct span){0, m};
  if ((a.lo >= 0 && b.hi < 0) || (a.hi < 0 && b.lo >= 0)) return (struct span){-1 - m, -1};
  return (struct span){-1 - m, m};
}

/* Low bits of a logical operation: known in both, or zeros (and), which one side is enough for. */
static struct value_range with_low(const struct rule *r, struct value_range out) {
  struct value_range a = rule_source(r, 0), b = rule_source(r, 1);
  unsigned both = a.known < b.known ? a.known : b.known;
  uint64_t low = r->i->op == OP_AND ? a.low & b.low : r->i->op == OP_OR ? a.low | b.low : a.low ^ b.low;
  out = range_known(r->out, out, both < r->bits ? both : r->bits, low);
  if (r->i->op != OP_AND) return out;
  for (unsigned s = 0; s < 2; s++) {
    struct value_range x = s ? b : a;
    unsigned zeros =
        x.known >= 64 ? (x.low ? (unsigned)bit_low64(x.low) : 64) : (unsigned)bit_low64(x.low | 1ull << x.known);
    if (zeros > x.known) zeros = x.known;
    if (zeros > both) out = range_known(r->out, out, zeros < r->bits ? zeros : r->bits, 0);
  }
  return out;
}

/* a's low bits are zero where b has any: or is plus. */
static bool rule_bits_apart(const struct value_range *a, struct span b) {
  return a->known && a->known < 64 && !a->low && b.lo >= 0 && b.hi < wide_power2(a->known);
}

static struct value_range rule_logic(const struct rule *r) {
  bool small = r->bits < 32; /* registers of narrow types have any bits above */
  struct span a = rule_number_as(r, 0, r->bits, !small), b = rule_number_as(r, 1, r->bits, !small), s;
  if (r->i->op == OP_OR && !small) {
    struct value_range x = rule_source(r, 0), y = rule_source(r, 1);
    if (rule_bits_apart(&x, b) || rule_bits_apart(&y, a)) return range_add(r->out, x, y);
  }
  s = r->i->op == OP_AND ? and_span(a, b) : r->i->op == OP_OR ? or_span(a, b) : xor_span(a, b);
  struct value_range out = rule_store(r, s);
  if (small) return out;
  struct span c = rule_number_as(r, 0, r->bits, false), d = rule_number_as(r, 1, r->bits, false);
  s = r->i->op == OP_AND ? and_span(c, d) : r->i->op == OP_OR ? or_span(c, d) : xor_span(c, d);
  return with_low(r, range_meet(r->out, out, rule_store(r, s)));
}

static struct value_range rule_invert(const struct rule *r) {
  return store_arc(r, range_sub(r->out, range_of(r->out, -1, -1), rule_source(r, 0)));
}

static struct value_range rule_flag(const struct rule *r) { return range_of(r->out, 0, 1); }

static struct value_range rule_shift_left(const struct rule *r) {
  struct span n = rule_number_as(r, 1, 32, false);
  wide top = (wide)r->bits - 1;
  if (n.lo > top) return range_of(r->out, 0, 0);
  struct value_range by = range_of(64, wide_power2((unsigned)n.lo), wide_power2((unsigned)wide_least(n.hi, top)));
  struct value_range a = rule_source(r, 0), out;
  if (r->bits < 32)
    out = rule_store(r, span_product(rule_number_as(r, 0, r->bits, false), (struct span){by.lo, by.hi}));
  else out = range_mul(r->out, a, by);
  return n.hi > top ? range_join(r->out, out, range_of(r->out, 0, 0)) : out;
}

static struct value_range rule_shift_right(const struct rule *r) {
  struct span n = rule_number_as(r, 1, 32, false), a = rule_number(r, 0);
  wide top = (wide)r->bits - 1;
  bool beyond = n.hi > top; /* zero if unsigned; if signed the same as by `top` */
  unsigned few = (unsigned)wide_least(n.lo, top), many = (unsigned)wide_least(n.hi, top);
  struct value_range zero = range_of(r->out, 0, 0);
  if (!r->sign && n.lo > top) return zero;
  struct span s = {wide_least(a.lo >> few, a.lo >> many), wide_most(a.hi >> few, a.hi >> many)};
  struct value_range out = rule_store(r, s);
  struct value_range x = rule_source(r, 0);
  if (few == many && x.known > few && x.known < 64 && !beyond && r->bits >= 32)
    out = range_known(r->out, out, x.known - few, x.low >> few);
  return beyond && !r->sign ? range_join(r->out, out, zero) : out;
}

/* Of three words, by a table: the signs of all are copied as in and, or and xor. */
static struct value_range rule_lop3(const struct rule *r) {
  wide m = 0;
  bool plus = !(r->i->src[3].imm & 1); /* of zeros it makes a zero */
  for (unsigned s = 0; s < 3; s++) {
    struct span a = rule_number_as(r, s, 32, true);
    m = wide_most(m, sign_copies(a, a));
    plus &= a.lo >= 0;
  }
  return range_of(32, plus ? 0 : -1 - m, m);
}

static wide wide_length(wide x) { /* bits of a number that is not negative */
  wide n = 0;
  for (; x; x >>= 1) n++;
  return n;
}

static struct value_range rule_count(const struct rule *r) {
  struct span a = rule_number_as(r, 0, r->bits, false);
  wide bits = (wide)r->bits;
  switch (r->i->op) {
    case OP_POPC: return range_of(32, a.lo > 0, wide_length(a.hi));
    case OP_CLZ: return range_of(32, bits - wide_length(a.hi), bits - wide_length(a.lo));
    default: break; /* bfind */
  }
  bool none = a.lo == 0 || r->sign;
  if (r->sign || r->i->mods & M_SHIFTAMT) return range_of(32, none ? -1 : 0, bits - 1);
  return range_of(32, none ? -1 : wide_length(a.lo) - 1, wide_length(a.hi) - 1);
}

static struct value_range rule_nth(const struct rule *r) { /* a position, or none */
  (void)r;
  return range_of(32, -1, 31);
}

static struct value_range rule_extract(const struct rule *r) {
  struct span pos = rule_number_as(r, 1, 8, false), len = rule_number_as(r, 2, 8, false);
  struct span a = rule_number_as(r, 0, r->bits, false);
  unsigned most_bits = (unsigned)wide_least(len.hi, (wide)r->bits);
  if (!most_bits) return range_of(r->out, 0, 0);
  if (r->sign) return range_of(r->out, -wide_power2(most_bits - 1), wide_power2(most_bits - 1) - 1);
  if (pos.lo >= (wide)r->bits) return range_of(r->out, 0, 0);
  wide top = a.hi >> (unsigned)pos.lo, field = wide_power2(most_bits) - 1;
  if (pos.lo == pos.hi && len.lo == len.hi && top <= field) return range_of(r->out, a.lo >> (unsigned)pos.lo, top);
  return range_of(r->out, 0, wide_least(top, field));
}

static struct value_range rule_insert(const struct rule *r) {
  struct span b = rule_number_as(r, 1, r->bits, false);
  struct span pos = rule_number_as(r, 2, 8, false), len = rule_number_as(r, 3, 8, false);
  wide end = wide_least(pos.hi + len.hi, (wide)r->bits);
  return range_of(r->out, 0, ones_over(wide_most(b.hi, wide_power2((unsigned)end) - 1)));
}

static struct value_range rule_extend(const struct rule *r) {
  struct span n = rule_number_as(r, 1, 32, false);
  wide top = 31;
  if (r->i->mods & M_CLAMP && n.hi > 31) return rule_any(r);
  if (n.hi <= 31) top = n.hi;
  if (!top) return range_of(32, 0, 0);
  if (r->sign) return range_of(32, -wide_power2((unsigned)top - 1), wide_power2((unsigned)top - 1) - 1);
  return range_of(32, 0, wide_power2((unsigned)top) - 1);
}

/* Byte n of a word. */
static struct span byte_of(const struct rule *r, unsigned s, unsigned n) {
  struct span a = rule_number_as(r, s, 32, false);
  a = (struct span){a.lo >> 8 * n, a.hi >> 8 * n};
  return a.hi - a.lo > 255 || (a.hi & 255) < (a.lo & 255) ? (struct span){0, 255}
                                                          : (struct span){a.lo & 255, a.hi & 255};
}

static struct value_range rule_permute(const struct rule *r) {
  struct span sel = rule_number_as(r, 2, 32, false);
  wide lo = 0, hi = 0;
  if (r->i->sub != PRMT_DEFAULT || sel.lo != sel.hi) return rule_any(r);
  for (unsigned k = 0; k < 4; k++) {
    unsigned s = (unsigned)(sel.lo >> 4 * k) & 15;
    struct span b = byte_of(r, s >> 2 & 1, s & 3);
    if (s & 8) b = b.hi < 128 ? (struct span){0, 0} : b.lo >= 128 ? (struct span){255, 255} : (struct span){0, 255};
    lo |= b.lo << 8 * k;
    hi |= b.hi << 8 * k;
  }
  return range_of(32, lo, hi);
}

/* ---- moves, conversions, memory ---- */

static struct value_range source_of(const struct rule *r, unsigned s) {
  if (r->bits >= 32) return rule_source(r, s);
  struct span a = rule_number_as(r, s, r->bits, false);
  return range_of(r->out, a.lo, a.hi);
}

static struct value_range rule_pack(const struct rule *r) {
  assert(r->i->nsrc);
  unsigned each = r->bits / r->i->nsrc;
  wide lo = 0, hi = 0;
  for (unsigned s = 0; s < r->i->nsrc; s++) {
    struct span a = rule_number_as(r, s, each, false);
    lo += a.lo << each * s;
    hi += a.hi << each * s;
  }
  return range_of(r->out, lo, hi);
}

static struct value_range rule_unpack(const struct rule *r) {
  unsigned each = r->bits / r->i->ndst;
  struct value_range field;
  struct span whole = rule_number_as(r, 0, r->bits, true);
  field = (struct value_range){.lo = whole.lo >> each * r->k, .hi = whole.hi >> each * r->k};
  if (each == 32) return range_of(32, field.lo, field.hi);
  struct span s = range_unsigned(&field, each);
  return range_of(32, s.lo, s.hi);
}

static struct value_range rule_convert(const struct rule *r) {
  const struct insn *i = r->i;
  struct span to = type_span(i->type), from;
  bool from_float = dtype_float((enum dtype)i->stype), to_float = dtype_float((enum dtype)i->type);
  if (to_float) return rule_any(r);
  if (from_float) return range_of(r->out, to.lo, to.hi); /* clamped, and a NaN gives a number of the type */
  from = rule_number_as(r, 0, rule_type_bits(i->stype), dtype_signed((enum dtype)i->stype));
  if (i->mods & M_SAT) from = span_clamp(from, to);
  struct value_range a = {.lo = from.lo, .hi = from.hi};
  to = range_read(&a, rule_type_bits(i->type), dtype_signed((enum dtype)i->type));
  struct value_range out = range_of(r->out, to.lo, to.hi), x = r->src[0];
  unsigned bits = (unsigned)wide_least(rule_type_bits(i->type), rule_type_bits(i->stype));
  if (i->mods & M_SAT) return out;
  return range_known(r->out, out, x.known < bits ? x.known : bits, x.low);
}

/* cvt.pack: fields that do not depend on each other, from the lowest on. */
static struct value_range rule_packed(const struct rule *r) {
  static const uint8_t sizes[T_COUNT] = {
      [T_U16] = 16, [T_S16] = 16, [T_U8] = 8, [T_S8] = 8, [T_U4] = 4, [T_S4] = 4, [T_U2] = 2, [T_S2] = 2};
  const unsigned bits = sizes[r->i->type];
  if (!bits) return rule_any(r);
  const bool sign = r->i->type == T_S16 || r->i->type == T_S8 || r->i->type == T_S4 || r->i->type == T_S2;
  const struct span to =
      sign ? (struct span){-wide_power2(bits - 1), wide_power2(bits - 1) - 1} : (struct span){0, wide_power2(bits) - 1};
  struct span sum = {0, 0};
  for (unsigned s = 0; s < 2; s++) {
    const struct span x = span_clamp(rule_number_as(r, s, 32, true), to);
    const struct value_range a = {.lo = x.lo, .hi = x.hi};
    const struct span field = range_unsigned(&a, bits);
    sum.lo += field.lo << bits * (1 - s);
    sum.hi += field.hi << bits * (1 - s);
  }
  if (bits < 16) {
    const struct span above = rule_number_as(r, 2, 32 - 2 * bits, false);
    sum.lo += above.lo << 2 * bits;
    sum.hi += above.hi << 2 * bits;
  }
  return range_of(r->out, sum.lo, sum.hi);
}

static struct value_range rule_truth(const struct rule *r) { /* of set */
  switch (r->i->type) {
    case T_U32:
    case T_S32: return range_of(32, -1, 0);
    case T_U16:
    case T_S16: return range_of(32, 0, 0xffff);
    case T_F32: return range_of(32, 0, 0x3f800000);
    default: return rule_any(r);
  }
}

static struct value_range rule_move(const struct rule *r) { return source_of(r, 0); }

static struct value_range rule_select(const struct rule *r) {
  return range_join(r->out, source_of(r, 0), source_of(r, 1));
}

static struct value_range rule_shuffle(const struct rule *r) { /* 0: of a lane that is off */
  return range_join(r->out, rule_source(r, 0), range_of(r->out, 0, 0));
}

static struct value_range rule_reduce(const struct rule *r) { /* over the lanes of a warp */
  if (r->i->sub != ATOM_MIN && r->i->sub != ATOM_MAX) return rule_any(r);
  return range_join(r->out, rule_source(r, 0), range_of(r->out, 0, 0)); /* 0: of no lane */
}

/* What a load leaves: a number of its type, extended. */
static struct value_range rule_loaded(const struct rule *r) {
  struct span s = type_span(r->i->type);
  return range_of(r->out, s.lo, s.hi);
}

/* ---- constants: the launch ---- */

static struct value_range bounds_range(const struct bounds *b, unsigned bits) {
  return bounds_signed(b) ? range_of(bits, b->slo, b->shi) : range_of(bits, (wide)b->lo, (wide)b->hi);
}

/* The scalar parameter at this offset. */
static bool param_fact(const struct code *c, const struct launch_facts *f, uint64_t offset, unsigned bytes,
                       unsigned bits, struct value_range *out) {
  if (!f || !f->any) return false;
  for (uint32_t p = 0; p < c->nparam; p++) {
    if (c->param[p].offset != offset || c->param[p].size != bytes || c->param[p].array) continue;
    *out = bounds_range(&f->param[p], bits);
    return true;
  }
  return false;
}

/* Threads of a block at most, in direction k: by facts, by what the kernel says, by the hardware. */
static wide threads_in(const struct code *c, const struct launch_facts *f, unsigned k) {
  wide top = k == 2 ? 64 : 1024, all = 1;
  if (f && f->any) return (wide)f->ntid[k].hi;
  if (c->reqntid[0]) return c->reqntid[k] ? c->reqntid[k] : 1;
  for (unsigned j = 0; j < 3; j++) all = wide_least(all * (c->maxntid[j] ? c->maxntid[j] : 1), 1024);
  return c->maxntid[0] ? wide_least(top, all) : top;
}

static wide threads_least(const struct code *c, const struct launch_facts *f, unsigned k) {
  if (f && f->any) return (wide)f->ntid[k].lo;
  return c->reqntid[0] ? threads_in(c, f, k) : 1;
}

static wide warps_of(const struct code *c, const struct launch_facts *f) {
  wide all = 1;
  for (unsigned k = 0; k < 3; k++) all *= threads_in(c, f, k);
  return (wide_least(all, 1024) + 31) / 32;
}

static struct value_range rule_special(const struct code *c, const struct launch_facts *f, const struct opnd *o,
                                       const char **why) {
  enum { SHARED_MOST = 227 * 1024 };
  unsigned bits = opnd_bits(o), s = o->reg, k = s % 3; /* the vectors come three by three */
  bool known = f && f->any;
  *why = sreg_name((enum sreg)s);
  switch (s) {
    case SR_TID_X:
    case SR_TID_Y:
    case SR_TID_Z: return range_of(bits, 0, threads_in(c, f, k) - 1);
    case SR_NTID_X:
    case SR_NTID_Y:
    case SR_NTID_Z: return range_of(bits, threads_least(c, f, k), threads_in(c, f, k));
    case SR_CTAID_X:
    case SR_CTAID_Y:
    case SR_CTAID_Z: return range_of(bits, 0, (known ? (wide)f->nctaid[k].hi : k ? 65535 : 0x7fffffff) - 1);
    case SR_NCTAID_X:
    case SR_NCTAID_Y:
    case SR_NCTAID_Z:
      if (known) return range_of(bits, (wide)f->nctaid[k].lo, (wide)f->nctaid[k].hi);
      return range_of(bits, 1, k ? 65535 : 0x7fffffff);
    case SR_LANEID: return range_of(bits, 0, 31);
    case SR_WARPID: return range_of(bits, 0, warps_of(c, f) - 1);
    case SR_NWARPID: return range_of(bits, 1, warps_of(c, f));
    case SR_DYN_SMEM:
      if (known) return range_of(bits, (wide)f->shared_dyn.lo, (wide)f->shared_dyn.hi);
      return range_of(bits, 0, SHARED_MOST);
    case SR_TOTAL_SMEM: return range_of(bits, 0, SHARED_MOST);
    default: return range_full(bits);
  }
}

struct value_range range_operand(const struct code *c, const struct launch_facts *f, const struct opnd *o,
                                 const char **why) {
  struct value_range a;
  unsigned bits = opnd_bits(o);
  switch (o->kind) {
    case O_IMM: *why = "constant"; return range_one(64, o->words == 1 ? (uint32_t)o->imm : o->imm);
    case O_CBANK: *why = "parameter"; return param_fact(c, f, o->reg, bits / 8, bits, &a) ? a : range_full(bits);
    case O_SREG: return rule_special(c, f, o, why);
    default: *why = ""; return range_full(bits);
  }
}

/* ---- all operations ---- */

static struct value_range rule_load(const struct rule *r) {
  const struct insn *i = r->i;
  struct value_range a;
  if (i->space != SP_PARAM || i->src[0].kind != O_IMM || i->vec > 1 ||
      !param_fact(r->code, r->facts, i->src[0].imm + (uint64_t)i->offset, r->bits / 8, r->bits, &a))
    return rule_loaded(r);
  *r->why = "parameter";
  struct span s = range_read(&a, r->bits, dtype_signed((enum dtype)i->type));
  return range_of(r->out, s.lo, s.hi);
}

static struct value_range rule_threads(const struct rule *r) { return range_of(r->out, 0, 1024); }

static struct value_range rule_query(const struct rule *r) {
  const bool flag = r->i->sub == TXQ_NORMALIZED || r->i->sub == TXQ_FILTER_MODE;
  return flag ? range_of(r->out, 0, 1) : rule_any(r);
}

/* The type is not the destination's. */
static struct value_range rule_full(const struct rule *r) { return range_full(r->out); }

typedef struct value_range rule_fn(const struct rule *r);
static rule_fn *const rule_of[OP_COUNT] = {
#define OPCODE(name, ptx, unit, picker, sources, range, export) [OP_##name] = range,
#include "compiler/ir/insn.def"
#undef OPCODE
};

struct value_range range_rule(const struct code *c, const struct launch_facts *f, const struct insn *i, unsigned k,
                              const struct value_range *src, const char **why) {
  struct rule r = {
      .i = i, .k = k, .out = i->dst[k].words == 2 ? 64 : 32, .src = src, .code = c, .facts = f, .why = why};
  r.bits = rule_type_bits(i->type);
  r.sign = dtype_signed((enum dtype)i->type);
  *why = opcode_name((enum opcode)i->op);
  if (rule_of[i->op] == rule_full) return rule_full(&r);
  for (unsigned s = 0; insn_is(i, TRAIT_MOVES) && i->type == T_F32 && s < i->nsrc; s++)
    if (i->src[s].kind == O_REG) return rule_any(&r); /* it may be a float rounded in its register */
  const bool ints = i->type >= T_U8 && i->type <= T_B64;
  if (!ints && !insn_is(i, TRAIT_ALL_TYPES)) return rule_any(&r);
  for (unsigned s = 0; s < i->nsrc; s++)
    if (src[s].lo > src[s].hi) return range_none();
  return rule_of[i->op](&r);
}

/* ---- comparisons ---- */

/* The comparison as one of signed or unsigned numbers with `self` on the left, C_LT to C_GE, C_EQ or C_NE;
 * C_NUM: none. */
static unsigned rule_comparison(unsigned cmp, bool swap, bool truth) {
  static const uint8_t plain[] = {[C_EQ] = C_EQ, [C_NE] = C_NE, [C_LT] = C_LT, [C_LE] = C_LE, [C_GT] = C_GT,
                                  [C_GE] = C_GE, [C_LO] = C_LT, [C_LS] = C_LE, [C_HI] = C_GT, [C_HS] = C_GE};
  static const uint8_t swapped[] = {
      [C_EQ] = C_EQ, [C_NE] = C_NE, [C_LT] = C_GT, [C_LE] = C_GE, [C_GT] = C_LT, [C_GE] = C_LE};
  static const uint8_t not [] = {
      [C_EQ] = C_NE, [C_NE] = C_EQ, [C_LT] = C_GE, [C_LE] = C_GT, [C_GT] = C_LE, [C_GE] = C_LT};
  if (cmp > C_HS) return C_NUM;
  cmp = plain[cmp];
  if (swap) cmp = swapped[cmp];
  return truth ? cmp : not [cmp];
}

static struct value_range rule_unequal(const struct value_range *self, const struct value_range *other, unsigned bits) {
  wide size = wide_power2(bits) - 1;
  struct value_range a = *self;
  if (other->lo != other->hi) return a;
  if (((a.lo - other->lo) & size) == 0) a.lo++;
  if (((a.hi - other->lo) & size) == 0) a.hi--;
  return a.lo > a.hi ? range_none() : range_of(bits, a.lo, a.hi);
}

struct value_range range_where(const struct insn *i, unsigned x, bool truth, const struct value_range *self,
                               const struct value_range *other, unsigned bits) {
  unsigned tb = rule_type_bits(i->type), cmp = rule_comparison(i->cmp, x == 1, truth);
  if (i->type < T_U8 || i->type > T_B64 || cmp == C_NUM || range_empty(self)) return *self;
  if (range_empty(other)) return range_none();
  struct span t = type_span(i->type), o = range_read(other, tb, dtype_signed((enum dtype)i->type));
  if (tb != bits && (tb > bits || self->lo < t.lo || self->hi > t.hi)) return *self; /* not the register's number */
  switch (cmp) {
    case C_EQ:
      if (tb == bits) return range_known(bits, range_of(bits, other->lo, other->hi), other->known, other->low);
      return range_of(bits, o.lo, o.hi);
    case C_NE: return tb == bits || o.lo == other->lo ? rule_unequal(self, other, bits) : *self;
    case C_LT: t.hi = o.hi - 1; break;
    case C_LE: t.hi = o.hi; break;
    case C_GT: t.lo = o.lo + 1; break;
    default: t.lo = o.lo; break;
  }
  return t.lo > t.hi ? range_none() : range_of(bits, t.lo, t.hi);
}
