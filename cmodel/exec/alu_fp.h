/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_fp: floating-point values as bits: canonical NaNs, flushing, saturation, and rounding to a narrower
 * format in any mode. Private to exec/ (alu*.c, texture*.c). The host's rounding mode is never touched, and no result
 * depends on which NaN the host makes.
 *
 * Choices where PTX leaves one:
 * - NaN results: f32 and tf32 0x7fffffff, f16 and bf16 0x7fff (as PTX says), f64 0x7ff8000000000000 (PTX says
 *   nothing; payloads are not carried over, since which operand's payload survives is not documented).
 *   Operations that only touch the sign bit or only move (neg, abs, copysign, mov, selp, slct) keep NaN bits
 *   as they are.
 * - .ftz: a result is flushed when, after rounding, it is subnormal.
 */
#ifndef RT_EXEC_ALU_FP_H
#define RT_EXEC_ALU_FP_H

#include "exec/alu_row.h"

#define NAN_F32 0x7fffffffu
#define NAN_F64 0x7ff8000000000000ull
#define NAN_H16 0x7fffu
#define INF_F64 0x7ff0000000000000ull

/* c ? a : b without a branch, which also keeps both compilers vectorising. c is 0 or 1. */
INLINE uint32_t u32_select(uint32_t c, uint32_t a, uint32_t b) { return b ^ ((a ^ b) & (0u - c)); }
INLINE uint64_t u64_select(uint64_t c, uint64_t a, uint64_t b) { return b ^ ((a ^ b) & (0ull - c)); }

INLINE uint32_t f32_canonical(float x) { return x != x ? NAN_F32 : of_f32(x); }
INLINE uint64_t f64_canonical(double x) { return x != x ? NAN_F64 : of_f64(x); }

INLINE uint32_t f32_flush(uint32_t b) { return b & 0x7f800000u ? b : b & 0x80000000u; }
INLINE uint32_t f32_flush_if(uint32_t b, bool ftz) { return ftz ? f32_flush(b) : b; }
INLINE uint64_t f64_flush(uint64_t b) { return b & INF_F64 ? b : b & 1ull << 63; }

/* [0, 1]; NaN and -0 give +0. */
INLINE uint32_t f32_saturate(uint32_t b) {
  float x = f32_of(b);
  return x > 0.0f ? (x < 1.0f ? b : 0x3f800000u) : 0;
}
INLINE uint64_t f64_saturate(uint64_t b) {
  double x = f64_of(b);
  return x > 0.0 ? (x < 1.0 ? b : of_f64(1.0)) : 0;
}

/* The two 16-bit formats; bf: bf16. */
#define INF_H16(bf) ((bf) ? 0x7f80u : 0x7c00u)
#define ONE_H16(bf) ((bf) ? 0x3f80u : 0x3c00u)
INLINE uint32_t h16_flush(bool bf, uint32_t b) { return u32_select((b & INF_H16(bf)) != 0, b, b & 0x8000u); }
INLINE uint32_t f16_flush(uint32_t b) { return h16_flush(false, b); }
INLINE uint32_t h16_saturate(bool bf, uint32_t b) {
  const uint32_t most = u32_select(b > ONE_H16(bf), ONE_H16(bf), b);
  return u32_select(b > INF_H16(bf), 0, most); /* negative numbers compare above NaN here */
}
/* .relu: negative (and -0) to +0, NaN stays (canonical already). */
INLINE uint32_t h16_relu(uint32_t b) { return b & ((b >> 15) - 1); }

/* f16 -> f32 and bf16 -> f32, exact; NaN becomes some NaN. */
INLINE float f32_of_f16(uint32_t h) {
  const uint32_t s = (h & 0x8000) << 16, e = h & 0x7c00, m = h & 0x3ff;
  const uint32_t small = of_f32((float)(int32_t)m * 0x1p-24f);
  const uint32_t normal = ((h & 0x7fff) << 13) + (112u << 23);
  return f32_of(s | u32_select(e == 0, small, u32_select(e == 0x7c00, 0x7f800000u | m << 13, normal)));
}
INLINE float f32_of_bf16(uint32_t h) { return f32_of(h << 16); }

/*
 * Rounding of a magnitude to a narrower format, in lanes of W bits. up: 1 where a magnitude grows by one unit
 * that loses the bits `lost` (a fraction of a unit: the top bit is one half); odd: lowest bit of what is
 * kept. A mode is an enum rounding; R_NONE is as R_RN, R_RNA rounds ties away. max: 1 where an overflow gives
 * the largest finite number instead of infinity.
 *
 * narrow: bits d of a float (f32 for W 32, f64 for W 64), finite or not, to a format of p mantissa bits and
 * ebits exponent bits; NaN gives `nan`. Right in every mode as long as d is exact or was rounded to odd.
 */
#define ROUNDING(W, P, EBITS, NAN_LIMIT)                                                                   \
  INLINE uint##W##_t up##W(unsigned rnd, uint##W##_t neg, uint##W##_t odd, uint##W##_t lost) {             \
    const uint##W##_t directed = rnd == R_RM || rnd == R_RP, nearest = rnd != R_RZ && !directed;           \
    const uint##W##_t half = (uint##W##_t)1 << (W - 1);                                                    \
    const uint##W##_t tie = (uint##W##_t)(lost == half) & (odd | (rnd == R_RNA));                          \
    const uint##W##_t near = (uint##W##_t)(lost > half) | tie;                                             \
    const uint##W##_t away = (uint##W##_t)(lost != 0) & (neg ^ (rnd == R_RP));                             \
    return (near & nearest) | (away & directed);                                                           \
  }                                                                                                        \
  INLINE uint##W##_t max##W(unsigned rnd, uint##W##_t neg) {                                               \
    return (rnd == R_RZ) | ((rnd == R_RM) & (neg ^ 1)) | ((rnd == R_RP) & neg);                            \
  }                                                                                                        \
  INLINE uint##W##_t narrow##W(uint##W##_t d, unsigned p, unsigned ebits, uint##W##_t nan, unsigned rnd) { \
    const int##W##_t bias = (1 << (ebits - 1)) - 1, from_bias = (1 << (EBITS - 1)) - 1;                    \
    const uint##W##_t one = 1, inf = ((one << ebits) - 1) << p, limit = NAN_LIMIT;                         \
    const uint##W##_t mag = d & (~(uint##W##_t)0 >> 1), neg = d >> (W - 1), top = mag >> P;                \
    const uint##W##_t normal = top != 0;                                                                   \
    const int##W##_t e = (int##W##_t)(top + (normal ^ 1)) - from_bias;                                     \
    const uint##W##_t m = (mag & ((one << P) - 1)) | normal << P;                                          \
    const uint##W##_t sub = e < 1 - bias;                                                                  \
    const uint##W##_t more = (uint##W##_t)(1 - bias - e) & (0 - sub), wanted = P - p + more;               \
    const uint##W##_t shift = u##W##_select(wanted > W - 3, W - 3, wanted);                                \
    const uint##W##_t q = m >> shift, lost = m << (W - shift);                                             \
    const uint##W##_t base = ((uint##W##_t)(e + bias - 1) << p) & (sub - 1);                               \
    const uint##W##_t r = base + q + up##W(rnd, neg, q & 1, lost);                                         \
    const uint##W##_t finite = u##W##_select(r >= inf, inf - max##W(rnd, neg), r);                         \
    const uint##W##_t any = u##W##_select(mag == limit, inf, finite) | neg << (p + ebits);                 \
    return u##W##_select(mag > limit, nan, any);                                                           \
  }
ROUNDING(32, 23, 8, 0x7f800000u)
ROUNDING(64, 52, 11, INF_F64)

INLINE uint32_t f32_of_double(uint64_t d, unsigned rnd) { return (uint32_t)narrow64(d, 23, 8, NAN_F32, rnd); }
INLINE uint32_t f16_of_double(uint64_t d, unsigned rnd) { return (uint32_t)narrow64(d, 10, 5, NAN_H16, rnd); }
INLINE uint32_t bf16_of_double(uint64_t d, unsigned rnd) { return (uint32_t)narrow64(d, 7, 8, NAN_H16, rnd); }
INLINE uint32_t f16_of_f32(uint32_t b, unsigned rnd) { return narrow32(b, 10, 5, NAN_H16, rnd); }
INLINE uint32_t bf16_of_f32(uint32_t b, unsigned rnd) { return narrow32(b, 7, 8, NAN_H16, rnd); }
/* The two 16-bit formats alike. */
INLINE float h16_to_f32(bool bf, uint32_t h) { return bf ? f32_of_bf16(h) : f32_of_f16(h); }
INLINE uint32_t h16_of_f32(bool bf, uint32_t b, unsigned rnd) { return bf ? bf16_of_f32(b, rnd) : f16_of_f32(b, rnd); }
INLINE uint32_t h16_of_double(bool bf, uint64_t b, unsigned rnd) {
  return bf ? bf16_of_double(b, rnd) : f16_of_double(b, rnd);
}
/* tf32: f32 with 10 mantissa bits, the 13 below are zero. */
INLINE uint32_t tf32_of_f32(uint32_t b, unsigned rnd) {
  const uint32_t mag = b & 0x7fffffff, neg = b >> 31, q = mag >> 13;
  const uint32_t r = (q + up32(rnd, neg, q & 1, mag << 19)) << 13;
  const uint32_t over = (uint32_t)(mag < 0x7f800000u) & (r >= 0x7f800000u) & max32(rnd, neg);
  return u32_select(mag > 0x7f800000u, NAN_F32, u32_select(over, 0x7f7fe000u, r) | neg << 31);
}

/* s is a double nearest to an exact value, err the sign and non-zeroness of (exact - s): the value rounded to
 * odd, which any narrower format of at most 51 bits can then be rounded from as if from the exact value. err
 * is NaN when s is not finite. */
INLINE uint64_t to_odd(double s, double err) {
  const uint64_t b = of_f64(s), lost = (uint64_t)(err > 0) | (uint64_t)(err < 0);
  const uint64_t inwards = (uint64_t)(err > 0) ^ (uint64_t)(s > 0), fix = lost & ~b & 1;
  return b + fix - ((fix & inwards) << 1);
}
/* a + b rounded to odd; exact values must stay far from the ends of the double range. */
INLINE uint64_t add_odd(double a, double b) {
  const double s = a + b, t = s - a;
  return to_odd(s, (a - (s - t)) + (b - t));
}
/* The sign that rounding gives to a sum: an exact zero of addends with different signs is -0 only towards
 * minus infinity. */
INLINE uint64_t zero_sign(uint64_t sum, double a, double b, unsigned rnd) {
  const uint64_t differ = (of_f64(a) ^ of_f64(b)) >> 63, zero = sum << 1 == 0;
  return sum | (differ & zero & (rnd == R_RM)) << 63;
}

/* ---- f64 in a chosen rounding mode, by integer arithmetic (alu_soft.c) ---- */
uint64_t soft_fma64(uint64_t a, uint64_t b, uint64_t c, unsigned rnd);
uint64_t soft_add64(uint64_t a, uint64_t b, unsigned rnd);
uint64_t soft_mul64(uint64_t a, uint64_t b, unsigned rnd);
uint64_t soft_div64(uint64_t a, uint64_t b, unsigned rnd);
uint64_t soft_sqrt64(uint64_t a, unsigned rnd);
uint64_t soft_int64(bool neg, uint64_t mag, unsigned rnd); /* to f64 */
/* An integer as a double rounded to odd (exact below 2^53). */
INLINE uint64_t int_odd(bool neg, uint64_t mag) {
  const uint64_t big = mag >> 11 | ((mag & 0x7ff) != 0);
  const double v = mag >> 53 ? (double)(int64_t)big * 0x1p11 : (double)(int64_t)mag;
  return of_f64(v) | (uint64_t)neg << 63;
}

#endif
