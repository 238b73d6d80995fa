/* SPDX-License-Identifier: Apache-2.0 */
/* value_range: sets of words between two bounds, see value_range.h; and the nibbles that they need. */
#include "compiler/narrow/value_range.h"

#include "base/bits.h"

static uint64_t range_low_mask(unsigned n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

struct value_range range_none(void) {
  return (struct value_range){.lo = 1, .hi = 0};
}

struct value_range range_full(unsigned bits) {
  return (struct value_range){.lo = -wide_power2(bits - 1), .hi = wide_power2(bits - 1) - 1};
}

/* a modulo 2^bits, as a signed number. */
static wide range_wrap(wide a, unsigned bits) {
  wide low = a & (wide_power2(bits) - 1);
  return low >= wide_power2(bits - 1) ? low - wide_power2(bits) : low;
}

/* Ends moved inwards to numbers with the known low bits. */
static struct value_range range_trim(unsigned bits, struct value_range a) {
  uint64_t m = range_low_mask(a.known);
  a.low &= m;
  if (a.known >= bits) {
    wide at = a.lo + (wide)((a.low - (uint64_t)a.lo) & range_low_mask(bits));
    if (at > a.hi) return range_none();
    a.lo = a.hi = at;
  } else if (a.known) {
    a.lo += (wide)((a.low - (uint64_t)a.lo) & m);
    a.hi -= (wide)(((uint64_t)a.hi - a.low) & m);
    if (a.lo > a.hi) return range_none();
  }
  if (a.lo == a.hi) {
    a.known = 64;
    a.low = (uint64_t)a.lo;
  }
  return a;
}

static struct value_range range_normal(unsigned bits, wide lo, wide hi) {
  if (hi - lo >= wide_power2(bits) - 1) return range_full(bits);
  wide from = range_wrap(lo, bits), to = from + (hi - lo);
  bool fits = to < wide_power2(bits - 1) || (from >= 0 && to < wide_power2(bits));
  return fits ? (struct value_range){.lo = from, .hi = to} : range_full(bits);
}

struct value_range range_of(unsigned bits, wide lo, wide hi) {
  return range_trim(bits, range_normal(bits, lo, hi));
}

struct value_range range_one(unsigned bits, uint64_t value) {
  return range_of(bits, (wide)value, (wide)value);
}

struct value_range range_known(unsigned bits, struct value_range a, unsigned known, uint64_t low) {
  if (known > bits) known = bits;
  if (range_empty(&a)) return a;
  unsigned both = known < a.known ? known : a.known;
  if ((a.low ^ low) & range_low_mask(both)) return range_none();
  if (known > a.known) {
    a.known = (uint8_t)known;
    a.low = low;
  }
  return range_trim(bits, a);
}

bool range_same(const struct value_range *a, const struct value_range *b) {
  if (range_empty(a) || range_empty(b)) return range_empty(a) && range_empty(b);
  return a->lo == b->lo && a->hi == b->hi && a->known == b->known && a->low == b->low;
}

struct span range_unsigned(const struct value_range *a, unsigned bits) {
  wide size = wide_power2(bits), from = a->lo & (size - 1), to = from + (a->hi - a->lo);
  return to < size ? (struct span){from, to} : (struct span){0, size - 1};
}

struct span range_signed(const struct value_range *a, unsigned bits) {
  wide half = wide_power2(bits - 1), from = range_wrap(a->lo, bits), to = from + (a->hi - a->lo);
  return to < half ? (struct span){from, to} : (struct span){-half, half - 1};
}

/* ---- operations on two ranges ---- */

/* The hull in the reading, signed or unsigned, in which it is smaller. */
struct value_range range_join(unsigned bits, struct value_range a, struct value_range b) {
  if (range_empty(&a)) return b;
  if (range_empty(&b)) return a;
  struct span s = span_join(range_signed(&a, bits), range_signed(&b, bits));
  struct span u = span_join(range_unsigned(&a, bits), range_unsigned(&b, bits));
  struct value_range r = u.hi - u.lo < s.hi - s.lo ? range_normal(bits, u.lo, u.hi) : range_normal(bits, s.lo, s.hi);
  unsigned known = a.known < b.known ? a.known : b.known;
  uint64_t differ = (a.low ^ b.low) & range_low_mask(known);
  if (differ) known = (unsigned)bit_low64(differ);
  r.known = (uint8_t)known;
  r.low = a.low;
  return range_trim(bits, r);
}

struct value_range range_meet(unsigned bits, struct value_range a, struct value_range b) {
  if (range_empty(&a) || range_empty(&b)) return range_none();
  struct span s = range_signed(&a, bits), t = range_signed(&b, bits);
  struct span u = range_unsigned(&a, bits), v = range_unsigned(&b, bits);
  s = (struct span){wide_most(s.lo, t.lo), wide_least(s.hi, t.hi)};
  u = (struct span){wide_most(u.lo, v.lo), wide_least(u.hi, v.hi)};
  if (s.lo > s.hi || u.lo > u.hi) return range_none();
  struct value_range r = u.hi - u.lo < s.hi - s.lo ? range_normal(bits, u.lo, u.hi) : range_normal(bits, s.lo, s.hi);
  r = range_known(bits, r, a.known, a.low);
  return range_known(bits, r, b.known, b.low);
}

struct value_range range_add(unsigned bits, struct value_range a, struct value_range b) {
  struct value_range r = range_normal(bits, a.lo + b.lo, a.hi + b.hi);
  return range_known(bits, r, u32_min(a.known, b.known), a.low + b.low);
}

struct value_range range_sub(unsigned bits, struct value_range a, struct value_range b) {
  struct value_range r = range_normal(bits, a.lo - b.hi, a.hi - b.lo);
  return range_known(bits, r, u32_min(a.known, b.known), a.low - b.low);
}

/* Products of numbers read one way; false: too large to tell. */
static bool range_products(struct span a, struct span b, struct span *out) {
  wide p[4];
  if (__builtin_mul_overflow(a.lo, b.lo, &p[0]) || __builtin_mul_overflow(a.lo, b.hi, &p[1]) ||
      __builtin_mul_overflow(a.hi, b.lo, &p[2]) || __builtin_mul_overflow(a.hi, b.hi, &p[3]))
    return false;
  *out = span_around(p);
  wide size;
  return !__builtin_sub_overflow(out->hi, out->lo, &size);
}

/* Low bits known of a product: (2^i x + a) (2^j y + b) = ab + 2^i bx + 2^j ay + ... */
static unsigned product_known(struct value_range a, struct value_range b) {
  unsigned za = a.known ? (unsigned)bit_low64(a.low | (a.known < 64 ? 1ull << a.known : 1ull << 63)) : 0;
  unsigned zb = b.known ? (unsigned)bit_low64(b.low | (b.known < 64 ? 1ull << b.known : 1ull << 63)) : 0;
  return u32_min(64, u32_min(a.known + zb, b.known + za));
}

/* Modulo 2^bits any reading of the factors gives the same: the best one counts. */
struct value_range range_mul(unsigned bits, struct value_range a, struct value_range b) {
  struct value_range best = range_full(bits);
  for (unsigned k = 0; k < 4; k++) {
    struct span p;
    if (!range_products(range_read(&a, bits, k & 1), range_read(&b, bits, k & 2), &p)) continue;
    struct value_range r = range_normal(bits, p.lo, p.hi);
    if (r.hi - r.lo < best.hi - best.lo) best = r;
  }
  return range_known(bits, best, product_known(a, b), a.low * b.low);
}

/* ---- nibbles ---- */

void range_nibbles(const struct value_bounds *r, unsigned words, unsigned word, uint8_t *n, uint8_t *sgn) {
  struct value_range a;
  if (words == 2 && word == 1) a = range_of(32, r->lo >> 32, r->hi >> 32);
  else a = range_of(32, r->lo, r->hi);
  *sgn = a.lo < 0;
  for (*n = 1; *n < 8; ++*n) {
    wide top = wide_power2(4 * *n - *sgn);
    if (a.hi < top && a.lo >= -top) break;
  }
  if (*n == 8) *sgn = 0;
}
