/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_fp: floating-point values as bits: canonical NaNs, flushing, saturation, and rounding to a narrower format in any mode.
 * Private to exec/alu*.c. The host's rounding mode is never touched, and no result depends on which NaN the host makes.
 *
 * Choices where PTX leaves one:
 * - NaN results: f32 and tf32 0x7fffffff, f16 and bf16 0x7fff (as PTX says), f64 0x7ff8000000000000 (PTX says nothing; payloads
 *   are not carried over, since which operand's payload survives is not documented). Operations that only touch the sign bit
 *   or only move (neg, abs, copysign, mov, selp, slct) keep NaN bits as they are.
 * - .ftz: a result is flushed when, after rounding, it is subnormal.
 */
#ifndef RT_EXEC_ALU_FP_H
#define RT_EXEC_ALU_FP_H

#include "exec/alu_row.h"

#define NAN_F32 0x7fffffffu
#define NAN_F64 0x7ff8000000000000ull
#define NAN_H16 0x7fffu
#define INF_F64 0x7ff0000000000000ull

INLINE uint32_t canon32(float x) { return x != x ? NAN_F32 : of_f32(x); }
INLINE uint64_t canon64(double x) { return x != x ? NAN_F64 : of_f64(x); }

INLINE uint32_t flush32(uint32_t b) { return b & 0x7f800000u ? b : b & 0x80000000u; }
INLINE uint64_t flush64(uint64_t b) { return b & INF_F64 ? b : b & 1ull << 63; }
INLINE uint32_t flush_f16(uint32_t b) { return b & 0x7c00u ? b : b & 0x8000u; }
INLINE uint32_t flush_bf16(uint32_t b) { return b & 0x7f80u ? b : b & 0x8000u; }

/* [0, 1]; NaN and -0 give +0. */
INLINE uint32_t sat32(uint32_t b) { float x = f32_of(b); return x > 0.0f ? (x < 1.0f ? b : 0x3f800000u) : 0; }
INLINE uint64_t sat64(uint64_t b) { double x = f64_of(b); return x > 0.0 ? (x < 1.0 ? b : of_f64(1.0)) : 0; }
INLINE uint32_t sat_h16(uint32_t b, uint32_t one, uint32_t inf) {
  return b & 0x8000 || b > inf ? 0 : b > one ? one : b;
}
/* .relu: negative (and -0) to +0, NaN stays (canonical already). */
INLINE uint32_t relu_h16(uint32_t b) { return b & 0x8000 ? 0 : b; }

/* f16 -> f32 and bf16 -> f32, exact; NaN becomes some NaN. */
INLINE float f32_of_f16(uint32_t h) {
  const uint32_t s = (h & 0x8000) << 16, e = h & 0x7c00, m = h & 0x3ff;
  const uint32_t small = of_f32((float)(int32_t)m * 0x1p-24f);
  const uint32_t normal = ((h & 0x7fff) << 13) + (112u << 23);
  return f32_of(s | (e == 0 ? small : e == 0x7c00 ? 0x7f800000u | m << 13 : normal));
}
INLINE float f32_of_bf16(uint32_t h) { return f32_of(h << 16); }

/* Rounding of a magnitude that lost bits: `odd` lsb of what was kept, `rem` lost, `half` of its weight. A mode is an
 * enum rounding; R_NONE behaves as R_RN. R_RNA: ties away. */
INLINE bool round_up(unsigned rnd, bool neg, bool odd, uint64_t rem, uint64_t half) {
  const bool near = (rem > half) | ((rem == half) & (odd | (rnd == R_RNA)));
  const bool away = (rem != 0) & (rnd == R_RP ? !neg : neg);
  return rnd == R_RZ ? false : rnd == R_RP || rnd == R_RM ? away : near;
}
/* On overflow: the largest finite number instead of infinity? */
INLINE bool round_to_max(unsigned rnd, bool neg) {
  return (rnd == R_RZ) | ((rnd == R_RM) & !neg) | ((rnd == R_RP) & neg);
}

/* A finite or infinite double (as bits) rounded to a format of p mantissa bits and this exponent bias, returned as that format's
 * bits with the sign at bit `p + ebits`. NaN gives nan. Exact in every mode as long as d is exact or rounded to odd. */
INLINE uint64_t narrow64(uint64_t d, unsigned p, unsigned ebits, uint64_t nan, unsigned rnd) {
  const int64_t bias = (1 << (ebits - 1)) - 1;
  const uint64_t mag = d & ~(1ull << 63), inf = ((1ull << ebits) - 1) << p;
  const bool neg = d >> 63;
  const int64_t e = (int64_t)(mag >> 52) - 1023;
  const uint64_t m = (mag & 0xfffffffffffffull) | (e == -1023 ? 0 : 1ull << 52);
  const bool sub = e < 1 - bias;
  int64_t shift = 52 - (int64_t)p + (sub ? 1 - bias - e : 0);
  shift = shift > 60 ? 60 : shift;
  const uint64_t q = m >> shift, rem = m & ((1ull << shift) - 1);
  const uint64_t base = sub ? 0 : (uint64_t)(e + bias - 1) << p;
  uint64_t r = base + q + round_up(rnd, neg, q & 1, rem, 1ull << (shift - 1));
  r = (mag == INF_F64) ? inf : r >= inf ? inf - round_to_max(rnd, neg) : r;
  r |= (uint64_t)neg << (p + ebits);
  return mag > INF_F64 ? nan : r;
}
INLINE uint32_t f32_of_double(uint64_t d, unsigned rnd) { return (uint32_t)narrow64(d, 23, 8, NAN_F32, rnd); }
INLINE uint32_t f16_of_double(uint64_t d, unsigned rnd) { return (uint32_t)narrow64(d, 10, 5, NAN_H16, rnd); }
INLINE uint32_t bf16_of_double(uint64_t d, unsigned rnd) { return (uint32_t)narrow64(d, 7, 8, NAN_H16, rnd); }

/* The same from f32 bits, in 32-bit lanes: to f16 (p 10, 5 exponent bits) or bf16 (7, 8). */
INLINE uint32_t narrow32(uint32_t d, unsigned p, unsigned ebits, unsigned rnd) {
  const int32_t bias = (1 << (ebits - 1)) - 1;
  const uint32_t mag = d & 0x7fffffff, inf = ((1u << ebits) - 1) << p;
  const bool neg = d >> 31;
  int32_t e = (int32_t)(mag >> 23) - 127;
  const uint32_t m = (mag & 0x7fffff) | (e == -127 ? 0 : 1u << 23);
  e = e == -127 ? -126 : e;
  const bool sub = e < 1 - bias;
  int32_t shift = 23 - (int32_t)p + (sub ? 1 - bias - e : 0);
  shift = shift > 30 ? 30 : shift;
  const uint32_t q = m >> shift, rem = m & ((1u << shift) - 1);
  const uint32_t base = sub ? 0 : (uint32_t)(e + bias - 1) << p;
  uint32_t r = base + q + round_up(rnd, neg, q & 1, rem, 1u << (shift - 1));
  r = (mag == 0x7f800000u) ? inf : r >= inf ? inf - round_to_max(rnd, neg) : r;
  r |= (uint32_t)neg << (p + ebits);
  return mag > 0x7f800000u ? NAN_H16 : r;
}
INLINE uint32_t f16_of_f32(uint32_t b, unsigned rnd) { return narrow32(b, 10, 5, rnd); }
INLINE uint32_t bf16_of_f32(uint32_t b, unsigned rnd) { return narrow32(b, 7, 8, rnd); }
/* The two 16-bit formats alike. */
INLINE float h16_to_f32(bool bf, uint32_t h) { return bf ? f32_of_bf16(h) : f32_of_f16(h); }
INLINE uint32_t h16_of_f32(bool bf, uint32_t b, unsigned rnd) { return bf ? bf16_of_f32(b, rnd) : f16_of_f32(b, rnd); }
INLINE uint32_t h16_of_double(bool bf, uint64_t b, unsigned rnd) {
  return bf ? bf16_of_double(b, rnd) : f16_of_double(b, rnd);
}
INLINE uint32_t flush_h16(bool bf, uint32_t h) { return bf ? flush_bf16(h) : flush_f16(h); }
#define INF_H16(bf) ((bf) ? 0x7f80u : 0x7c00u)
#define ONE_H16(bf) ((bf) ? 0x3f80u : 0x3c00u)
/* tf32: f32 with 10 mantissa bits, the 13 below are zero. */
INLINE uint32_t tf32_of_f32(uint32_t b, unsigned rnd) {
  const uint32_t mag = b & 0x7fffffff, neg = b >> 31, q = mag >> 13, rem = mag & 0x1fff;
  uint32_t r = (q + round_up(rnd, neg, q & 1, rem, 0x1000)) << 13;
  r = mag < 0x7f800000u && r >= 0x7f800000u && round_to_max(rnd, neg) ? 0x7f7fe000u : r;
  return mag > 0x7f800000u ? NAN_F32 : r | neg << 31;
}

/* s is a double nearest to an exact value, err the sign and non-zeroness of (exact - s): the value rounded to odd, which any
 * narrower format of at most 51 bits can then be rounded from as if from the exact value. err is NaN when s is not finite. */
INLINE uint64_t to_odd(double s, double err) {
  const uint64_t b = of_f64(s);
  const bool fix = ((err > 0) | (err < 0)) & !(b & 1);
  const bool outwards = (err > 0) == (s > 0);
  return fix ? (outwards ? b + 1 : b - 1) : b;
}
/* a + b rounded to odd; exact values must stay far from the ends of the double range. */
INLINE uint64_t add_odd(double a, double b) {
  const double s = a + b, t = s - a;
  return to_odd(s, (a - (s - t)) + (b - t));
}
/* The sign that rounding gives to a sum: an exact zero of addends with different signs is -0 only towards minus infinity. */
INLINE uint64_t zero_sign(uint64_t sum, double a, double b, unsigned rnd) {
  const bool differ = (of_f64(a) ^ of_f64(b)) >> 63;
  return !(sum << 1) && differ && rnd == R_RM ? 1ull << 63 : sum;
}

/* ---- f64 in a chosen rounding mode, by integer arithmetic (alu_soft.c) ---- */
uint64_t soft_fma64(uint64_t a, uint64_t b, uint64_t c, unsigned rnd);
uint64_t soft_add64(uint64_t a, uint64_t b, unsigned rnd);
uint64_t soft_mul64(uint64_t a, uint64_t b, unsigned rnd);
uint64_t soft_div64(uint64_t a, uint64_t b, unsigned rnd);
uint64_t soft_sqrt64(uint64_t a, unsigned rnd);
uint64_t soft_int64(bool neg, uint64_t mag, unsigned rnd);    /* to f64 */
/* An integer as a double rounded to odd (exact below 2^53). */
INLINE uint64_t int_odd(bool neg, uint64_t mag) {
  const uint64_t big = mag >> 11 | ((mag & 0x7ff) != 0);
  const double v = mag >> 53 ? (double)(int64_t)big * 0x1p11 : (double)(int64_t)mag;
  return of_f64(v) | (uint64_t)neg << 63;
}

#endif
