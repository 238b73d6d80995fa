/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_soft: f64 arithmetic in any rounding mode with 128-bit integers; used for rz, rm and rp, which the host's
 * arithmetic (round to nearest) cannot provide. A value is sig * 2^(exp - 125), sig normalised to bit 125 (two bits
 * of room above); bits that fall off on the right are kept as a sticky lowest bit, which is enough because operands
 * leave at least 20 zero bits there: cancellation of more than one bit never meets a lost one.
 */
#include "exec/alu_fp.h"

enum { TOP = 125 };
struct num {
  bool neg;
  int exp;
  u128 sig;
}; /* sig 0: zero */

static int top_bit(u128 x) { /* x != 0 */
  const uint64_t hi = (uint64_t)(x >> 64);
  return hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((uint64_t)x);
}

static struct num soft_normalise(bool neg, int exp, u128 sig) {
  if (sig) {
    const int up = TOP - top_bit(sig);
    if (up >= 0) sig <<= up;
    else sig = sig >> -up | ((sig & (((u128)1 << -up) - 1)) != 0);
    exp -= up;
  }
  return (struct num){neg, exp, sig};
}

static bool soft_is_nan(uint64_t b) { return b << 1 > INF_F64 << 1; }
static bool soft_is_inf(uint64_t b) { return b << 1 == INF_F64 << 1; }
static bool soft_is_zero(uint64_t b) { return !(b << 1); }

static struct num soft_unpack(uint64_t b) { /* finite */
  const int e = (int)(b >> 52 & 0x7ff);
  const uint64_t m = (b & 0xfffffffffffffull) | (e ? 1ull << 52 : 0);
  return soft_normalise(b >> 63, (e ? e : 1) - 1023 + TOP - 52, m);
}

static uint64_t soft_pack(struct num x, unsigned rnd) {
  const uint64_t sign = x.neg ? 1ull << 63 : 0;
  if (!x.sig) return sign;
  if (x.exp > 1023) return sign | (INF_F64 - max64(rnd, x.neg));
  const int low = x.exp < -1022 ? -1022 - x.exp : 0;
  const int drop = TOP - 52 + low;
  const u128 q = drop > 127 ? 0 : x.sig >> drop;
  const u128 rem = drop > 127 ? 1 : x.sig & (((u128)1 << drop) - 1);
  /* lost bits as less than, equal to, or more than half */
  const u128 half = drop > 127 ? 2 : (u128)1 << (drop - 1);
  const uint64_t lost = (uint64_t)(rem >= half) << 63 | (rem != 0 && rem != half);
  const uint64_t base = low ? 0 : (uint64_t)(x.exp + 1022) << 52;
  const uint64_t r = base + (uint64_t)q + up64(rnd, x.neg, q & 1, lost);
  return sign | (r >= INF_F64 ? INF_F64 - max64(rnd, x.neg) : r);
}

static struct num soft_sum(struct num a, struct num b, unsigned rnd) {
  if (!a.sig && !b.sig) return (struct num){a.neg == b.neg ? a.neg : rnd == R_RM, 0, 0};
  const bool a_less = a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig);
  if (!a.sig || (b.sig && a_less)) {
    const struct num t = a;
    a = b, b = t;
  }
  const int d = b.sig ? a.exp - b.exp : 0;
  const u128 small = !b.sig ? 0 : d > 126 ? 1 : b.sig >> d | ((b.sig & (((u128)1 << d) - 1)) != 0);
  if (a.neg == b.neg) return soft_normalise(a.neg, a.exp, a.sig + small);
  const u128 diff = a.sig - small;
  return diff ? soft_normalise(a.neg, a.exp, diff) : (struct num){rnd == R_RM, 0, 0};
}

static struct num soft_product(uint64_t a, uint64_t b) { /* finite */
  const struct num x = soft_unpack(a), y = soft_unpack(b);
  /* 53 significant bits at the top of each: the 106 bits of the product at bits 104 and 105 */
  const u128 p = (u128)(uint64_t)(x.sig >> (TOP - 52)) * (uint64_t)(y.sig >> (TOP - 52));
  return soft_normalise(x.neg != y.neg, x.exp + y.exp + TOP - 104, p);
}

uint64_t soft_fma64(uint64_t a, uint64_t b, uint64_t c, unsigned rnd) {
  if (soft_is_nan(a) || soft_is_nan(b) || soft_is_nan(c)) return NAN_F64;
  const uint64_t sign = (a ^ b) & 1ull << 63;
  if (soft_is_inf(a) || soft_is_inf(b)) {
    if (soft_is_zero(a) || soft_is_zero(b) || (soft_is_inf(c) && (c & 1ull << 63) != sign)) return NAN_F64;
    return sign | INF_F64;
  }
  return soft_is_inf(c) ? c : soft_pack(soft_sum(soft_product(a, b), soft_unpack(c), rnd), rnd);
}

uint64_t soft_add64(uint64_t a, uint64_t b, unsigned rnd) { return soft_fma64(a, of_f64(1.0), b, rnd); }

uint64_t soft_mul64(uint64_t a, uint64_t b, unsigned rnd) {
  if (soft_is_nan(a) || soft_is_nan(b) || soft_is_inf(a) || soft_is_inf(b)) return soft_fma64(a, b, 0, rnd);
  return soft_pack(soft_product(a, b), rnd);
}

uint64_t soft_div64(uint64_t a, uint64_t b, unsigned rnd) {
  const uint64_t sign = (a ^ b) & 1ull << 63;
  if (soft_is_nan(a) || soft_is_nan(b) || (soft_is_inf(a) && soft_is_inf(b)) || (soft_is_zero(a) && soft_is_zero(b)))
    return NAN_F64;
  if (soft_is_inf(a) || soft_is_zero(b)) return sign | INF_F64;
  if (soft_is_inf(b) || soft_is_zero(a)) return sign;
  const struct num x = soft_unpack(a), y = soft_unpack(b);
  const u128 n = x.sig, d = y.sig >> (TOP - 52); /* 126 bits by 53: a quotient of 73 or 74 */
  const u128 q = n / d;                          /* NOLINT(clang-analyzer-core.DivideZero): b is not 0 */
  return soft_pack(soft_normalise(sign >> 63, x.exp - y.exp + 51, q << 1 | (n % d != 0)), rnd);
}

uint64_t soft_sqrt64(uint64_t a, unsigned rnd) {
  if (soft_is_zero(a)) return a;
  if (soft_is_nan(a) || a >> 63) return NAN_F64;
  if (soft_is_inf(a)) return a;
  const struct num x = soft_unpack(a);
  /* m * 2^e with e even and m of 105 or 106 bits; the root has 53 */
  const int odd = (x.exp - 104) & 1, e = x.exp - 104 - odd;
  const u128 m = x.sig >> (TOP - 104 - odd);
  uint64_t r = (uint64_t)__builtin_sqrt((double)m); /* within one of the root */
  while ((u128)r * r > m) r--;
  while ((u128)(r + 1) * (r + 1) <= m) r++;
  const bool inexact = (u128)r * r != m;
  return soft_pack(soft_normalise(false, e / 2 + TOP - 1, (u128)r << 1 | inexact), rnd);
}

uint64_t soft_int64(bool neg, uint64_t mag, unsigned rnd) {
  return soft_pack(soft_normalise(neg && mag, TOP, mag), rnd);
}
