/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_approx: the .approx and .full functions. Computed in f64 by a fixed sequence of IEEE operations
 * (series, no libm, no fused operations) and rounded once, so every compiler gives the same bits and the
 * error stays below 0.51 ulp, well within PTX's bounds. Without .ftz, subnormal inputs and results are supported.
 *
 * div.approx for 2^126 < |b| < 2^128 gives zero with the quotient's sign, NaN for infinite a: as documented.
 * rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 ignore the low word of the input; theirs is zero (20 mantissa
 * bits, to nearest).
 */
#include "exec/alu_fp.h"

/* added and subtracted: rounds to an integer, which also stands in the low bits of the sum */
#define SHIFTER 0x1.8p52

/* 2^x for |x| < 1000: Taylor on [-1/2, 1/2], remainder below 2^-36. */
INLINE double approx_pow2(double x) {
  const double t = x + SHIFTER, f = x - (t - SHIFTER);
  double p = 0x1.b5253d395e7c4p-24;
  p = p * f + 0x1.62c0223a5c824p-20;
  p = p * f + 0x1.ffcbfc588b0c7p-17;
  p = p * f + 0x1.430912f86c787p-13;
  p = p * f + 0x1.5d87fe78a6731p-10;
  p = p * f + 0x1.3b2ab6fba4e77p-7;
  p = p * f + 0x1.c6b08d704a0c0p-5;
  p = p * f + 0x1.ebfbdff82c58fp-3;
  p = p * f + 0x1.62e42fefa39efp-1;
  p = p * f + 1.0;
  return f64_of(of_f64(p) + (of_f64(t) << 52));
}
INLINE double approx_ex2(double x) {
  double c = x < -300.0 ? -300.0 : x;
  c = c > 300.0 ? 300.0 : c;
  return x != x ? x : approx_pow2(c);
}

/* e + 2 atanh((m - 1) / (m + 1)) / ln 2 with m in [sqrt(1/2), sqrt(2)]; x not subnormal as f64. */
INLINE double approx_lg2(double x) {
  const uint64_t b = of_f64(x), up = b - 0x3fe6a09e667f3bcdull;
  const int64_t e = (int64_t)up >> 52;
  const double m = f64_of(b - ((uint64_t)e << 52)), t = (m - 1.0) / (m + 1.0), z = t * t;
  double p = 0x1.c68f568d31760p-3;
  p = p * z + 0x1.0c9a84994022dp-2;
  p = p * z + 0x1.484b13d7c02a9p-2;
  p = p * z + 0x1.a61762a7aded9p-2;
  p = p * z + 0x1.2776c50ef9bfep-1;
  p = p * z + 0x1.ec709dc3a03fdp-1;
  p = p * z + 0x1.71547652b82fep+1;
  const double r = (double)(int32_t)e + t * p, inf = f64_of(INF_F64);
  return x > 0.0 ? (x < inf ? r : inf) : x == 0.0 ? -inf : f64_of(NAN_F64);
}

/* sin or cos (quadrant 1 more) of r in [-pi/4, pi/4] plus a quarter turn per quadrant. */
INLINE double sine_of(double r, uint32_t quadrant) {
  const double z = r * r;
  double s = -0x1.ae64567f544e4p-26, c = 0x1.1eed8eff8d898p-29;
  s = s * z + 0x1.71de3a556c734p-19;
  s = s * z - 0x1.a01a01a01a01ap-13;
  s = s * z + 0x1.1111111111111p-7;
  s = s * z - 0x1.5555555555555p-3;
  s = (s * z + 1.0) * r;
  c = c * z - 0x1.27e4fb7789f5cp-22;
  c = c * z + 0x1.a01a01a01a01ap-16;
  c = c * z - 0x1.6c16c16c16c17p-10;
  c = c * z + 0x1.5555555555555p-5;
  c = c * z - 0.5;
  c = c * z + 1.0;
  const double v = quadrant & 1 ? c : s;
  return quadrant & 2 ? -v : v;
}
/* |x| below 2^20: pi/2 in three parts, the first two short enough for exact products. */
INLINE double sine_small(double x, uint32_t add) {
  const double t = x * 0x1.45f306dc9c883p-1 + SHIFTER, k = t - SHIFTER;
  const double r = ((x - k * 0x1.921fb54p+0) - k * 0x1.10b46118p-30) - k * 0x1.313198a2e0370p-61;
  return sine_of(r, (uint32_t)of_f64(t) + add);
}
/* Any finite |x| from 2^20 up: times 2/pi modulo 4, from its bits that matter. */
static double sine_large(float x, uint32_t add) {
  static const uint32_t two_over_pi[8] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                          0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  const uint32_t b = of_f32(x), m = (b & 0x7fffff) | 0x800000;
  /* of the bit with weight 2 in m * 2/pi */
  const unsigned at = (b >> 23 & 0xff) - 150 + 30, w = at / 32, s = at % 32;
  uint64_t hi = (uint64_t)two_over_pi[w] << 32 | two_over_pi[w + 1], lo = (uint64_t)two_over_pi[w + 2] << 32;
  if (w + 3 < 8) lo |= two_over_pi[w + 3];
  const u128 window = ((u128)hi << 64 | lo) << s >> 32;
  const u128 y = window * m; /* 94 bits below the point, modulo 4 */
  uint32_t quadrant = (uint32_t)(y >> 94) & 3;
  int64_t f = (int64_t)((uint64_t)(y >> 32) & ((1ull << 62) - 1));
  if (f >> 61) f -= 1ll << 62, quadrant++;
  const double r = (double)f * 0x1p-62 * 0x1.921fb54442d18p+0;
  return b >> 31 ? sine_of(-r, 0u - quadrant + add) : sine_of(r, quadrant + add);
}

INLINE double approx_tanh(double x) {
  const double a = f64_of(of_f64(x) & ~(1ull << 63)), z = x * x;
  const double e = approx_pow2((a > 20.0 ? 20.0 : a) * 0x1.71547652b82fep+1), big = (e - 1.0) / (e + 1.0);
  const double small = (((z * (-17.0 / 315.0) + 2.0 / 15.0) * z - 1.0 / 3.0) * z + 1.0) * x;
  const double r = f64_of(of_f64(big) | (of_f64(x) & 1ull << 63));
  return x != x ? x : a < 0.0625 ? small : r;
}

INLINE uint32_t approx_round(double x, bool ftz) { return f32_flush_if(f32_canonical((float)x), ftz); }

#define UNARY(name, expr)                                  \
  INLINE uint32_t name##_lane(uint32_t b, bool ftz) {      \
    const double x = (double)f32_of(f32_flush_if(b, ftz)); \
    return approx_round(expr, ftz);                        \
  }                                                        \
  ROW1(name##_f32, u32, u32, name##_lane(a, false))
UNARY(ex2, approx_ex2(x))
UNARY(lg2, approx_lg2(x))
UNARY(rsqrt, 1.0 / __builtin_sqrt(x))
UNARY(tanh, approx_tanh(x))
ROW1(ex2_f32_ftz, u32, u32, ex2_lane(a, true))
ROW1(lg2_f32_ftz, u32, u32, lg2_lane(a, true))
ROW1(rsqrt_f32_ftz, u32, u32, rsqrt_lane(a, true))

ROW1(rcp_f32, f32, u32, f32_canonical(1.0f / a))
ROW1(rcp_f32_ftz, u32, u32, f32_flush(f32_canonical(1.0f / f32_of(f32_flush(a)))))
ROW1(sqrt_f32, f32, u32, f32_canonical(__builtin_sqrtf(a)))
ROW1(sqrt_f32_ftz, u32, u32, f32_canonical(__builtin_sqrtf(f32_of(f32_flush(a)))))

INLINE void sine_rows(struct alu_io *io, uint32_t add, bool ftz) {
  const uint32_t *pa = io->src[0];
  uint32_t out[32], large = 0;
  EACH_LANE(l) {
    const uint32_t b = pa[l] & 0x7fffffff;
    large |= (uint32_t)((b >= 0x49800000) & (b < 0x7f800000)) << l;
    out[l] = approx_round(sine_small((double)f32_of(f32_flush_if(pa[l], ftz)), add), ftz);
  }
  for (; large; large &= large - 1) {
    const unsigned l = (unsigned)__builtin_ctz(large);
    out[l] = approx_round(sine_large(f32_of(pa[l]), add), ftz);
  }
  memcpy(io->dst[0], out, sizeof out);
}
ALU_FN(sin_f32) {
  (void)i;
  sine_rows(io, 0, false);
}
ALU_FN(sin_f32_ftz) {
  (void)i;
  sine_rows(io, 0, true);
}
ALU_FN(cos_f32) {
  (void)i;
  sine_rows(io, 1, false);
}
ALU_FN(cos_f32_ftz) {
  (void)i;
  sine_rows(io, 1, true);
}

INLINE uint32_t div_approx(float a, float b) {
  const uint32_t mag = of_f32(b) & 0x7fffffff, zero = (of_f32(a) ^ of_f32(b)) & 0x80000000u;
  const bool lost = (mag > 0x7e800000) & (mag < 0x7f800000);
  const bool finite = (of_f32(a) & 0x7fffffff) < 0x7f800000;
  const uint32_t q = f32_canonical(a / b);
  return lost ? (finite ? zero : NAN_F32) : q;
}
ROW2(div_approx_f32, f32, f32, u32, div_approx(a, b))
ROW2(div_approx_f32_ftz, u32, u32, u32, f32_flush(div_approx(f32_of(f32_flush(a)), f32_of(f32_flush(b)))))
ROW2(div_full_f32, f32, f32, u32, f32_canonical(a / b))
ROW2(div_full_f32_ftz, u32, u32, u32, f32_flush(f32_canonical(f32_of(f32_flush(a)) / f32_of(f32_flush(b)))))

/* ---- f64 ---- */
INLINE double gross_in(uint64_t a) { return f64_of(f64_flush(a & ~0xffffffffull)); }
INLINE uint64_t gross_out(double x) { return f64_flush((f64_canonical(x) + 0x80000000u) & ~0xffffffffull); }
ROW1(rcp_f64_gross, u64, u64, gross_out(1.0 / gross_in(a)))
ROW1(rsqrt_f64_gross, u64, u64, gross_out(1.0 / __builtin_sqrt(gross_in(a))))
ROW1(rsqrt_f64, f64, u64, f64_canonical(1.0 / __builtin_sqrt(a)))

/* ---- f16 and bf16 ---- */
INLINE uint32_t ex2_h16(bool bf, uint32_t h, bool ftz) {
  const uint32_t a = ftz ? h16_flush(bf, h) : h;
  const uint32_t r = h16_of_double(bf, of_f64(approx_ex2((double)h16_to_f32(bf, a))), R_RN);
  return ftz ? h16_flush(bf, r) : r;
}
INLINE uint32_t tanh_h16(bool bf, uint32_t h, bool ftz) {
  (void)ftz;
  return h16_of_double(bf, of_f64(approx_tanh((double)h16_to_f32(bf, h))), R_RN);
}
/* clang-format off */
#define HALVES(name)                                                                                \
  ROW1(name##_f16, h16, h16, name##_h16(false, a, i->mods & M_FTZ))                                 \
  ROW1(name##_bf16, h16, h16, name##_h16(true, a, i->mods & M_FTZ))                                 \
  ROW1(name##_f16x2, u32, u32, name##_h16(false, a & 0xffff, i->mods & M_FTZ) |                     \
                                   name##_h16(false, a >> 16, i->mods & M_FTZ) << 16)               \
  ROW1(name##_bf16x2, u32, u32, name##_h16(true, a & 0xffff, i->mods & M_FTZ) |                     \
                                    name##_h16(true, a >> 16, i->mods & M_FTZ) << 16)
/* clang-format on */
HALVES(ex2)
HALVES(tanh)

static alu_fn *approx_pick_f32(const struct insn *i) {
  const bool ftz = i->mods & M_FTZ;
  switch (i->op) {
    case OP_EX2: return ftz ? ex2_f32_ftz : ex2_f32;
    case OP_LG2: return ftz ? lg2_f32_ftz : lg2_f32;
    case OP_SIN: return ftz ? sin_f32_ftz : sin_f32;
    case OP_COS: return ftz ? cos_f32_ftz : cos_f32;
    case OP_RCP: return ftz ? rcp_f32_ftz : rcp_f32;
    case OP_SQRT: return ftz ? sqrt_f32_ftz : sqrt_f32;
    case OP_RSQRT: return ftz ? rsqrt_f32_ftz : rsqrt_f32;
    case OP_TANH: return ftz ? NULL : tanh_f32;
    case OP_DIV: return ftz ? div_approx_f32_ftz : div_approx_f32;
    default: return NULL;
  }
}

alu_fn *alu_pick_approx(const struct insn *i) {
  static alu_fn *const half[2][4] = {{ex2_f16, ex2_f16x2, ex2_bf16, ex2_bf16x2},
                                     {tanh_f16, tanh_f16x2, tanh_bf16, tanh_bf16x2}};
  const bool ftz = i->mods & M_FTZ;
  if (i->rnd != R_NONE) return NULL;
  if (i->mods & M_FULL) {
    if (i->op != OP_DIV || i->type != T_F32 || !mods_in(i, M_FULL | M_FTZ)) return NULL;
    return ftz ? div_full_f32_ftz : div_full_f32;
  }
  if (!(i->mods & M_APPROX) || !mods_in(i, M_APPROX | M_FTZ)) return NULL;
  if (i->type == T_F32) return approx_pick_f32(i);
  if (i->type == T_F64) {
    if (i->op == OP_RCP) return ftz ? rcp_f64_gross : NULL;
    return i->op != OP_RSQRT ? NULL : ftz ? rsqrt_f64_gross : rsqrt_f64;
  }
  if (i->op != OP_EX2 && (i->op != OP_TANH || ftz)) return NULL;
  switch (i->type) {
    case T_F16: return ftz ? NULL : half[i->op == OP_TANH][0];
    case T_F16X2: return ftz ? NULL : half[i->op == OP_TANH][1];
    case T_BF16: return half[i->op == OP_TANH][2];
    case T_BF16X2: return half[i->op == OP_TANH][3];
    default: return NULL;
  }
}
