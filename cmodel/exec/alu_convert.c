/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_convert: cvt with an integer on either side. alu_cvtfloat.c has the conversions between floats.
 *
 * The destination register may be wider than the type: signed results are sign-extended to it, others
 * zero-extended. Float to integer: out of range clamps; NaN gives 0, but from f64 or to a 64-bit integer only
 * the result's top bit (PTX ISA, cvt). Integer to float: overflow of f16 follows the rounding mode.
 */
#include "exec/alu_fp.h"

typedef uint8_t u8_t_;
typedef int8_t s8_t_;

INLINE void store_wide(uint32_t *d, unsigned l, uint64_t v) { ST_u64(d, l, v); }

/* ---- integer to integer ---- */
#define INT_TO_INT(D, S)                                                                               \
  ALU_FN(D##_from_##S) {                                                                               \
    const uint32_t *pa = io->src[0];                                                                   \
    uint32_t *d = io->dst[0];                                                                          \
    if (i->dst[0].words == 2) EACH_LANE(l) store_wide(d, l, (uint64_t)(int64_t)(D##_t_)LD_##S(pa, l)); \
    else EACH_LANE(l) d[l] = (uint32_t)(D##_t_)LD_##S(pa, l);                                          \
  }
#define FROM_ALL_INT(X, D) X(D, u8) X(D, s8) X(D, u16) X(D, s16) X(D, u32) X(D, s32) X(D, u64) X(D, s64)
/* clang-format off */
FROM_ALL_INT(INT_TO_INT, u8)
FROM_ALL_INT(INT_TO_INT, s8)
FROM_ALL_INT(INT_TO_INT, u16)
FROM_ALL_INT(INT_TO_INT, s16)
FROM_ALL_INT(INT_TO_INT, u32)
FROM_ALL_INT(INT_TO_INT, s32)
FROM_ALL_INT(INT_TO_INT, u64)
FROM_ALL_INT(INT_TO_INT, s64)
/* clang-format on */

/* Place of an integer type among u8 s8 u16 s16 u32 s32 u64 s64; -1: not an integer type of cvt. */
static int convert_place(unsigned type) {
  switch (type) {
    case T_U8: return 0;
    case T_S8: return 1;
    default: return int_index(type) < 0 ? -1 : int_index(type) + 2;
  }
}
#define ALL_FROM(D) \
  { D##_from_u8, D##_from_s8, D##_from_u16, D##_from_s16, D##_from_u32, D##_from_s32, D##_from_u64, D##_from_s64 }
static alu_fn *const int_to_int[8][8] = {
    ALL_FROM(u8),  ALL_FROM(s8),  ALL_FROM(u16), ALL_FROM(s16),
    ALL_FROM(u32), ALL_FROM(s32), ALL_FROM(u64), ALL_FROM(s64),
};

/* Bounds of an integer type of cvt. */
static int64_t convert_lowest(unsigned type) {
  return dtype_signed(type) ? (int64_t)(~0ull << (8 * dtype_bytes(type) - 1)) : 0;
}
static uint64_t convert_highest(unsigned type) { return ~0ull >> (64 - 8 * dtype_bytes(type) + dtype_signed(type)); }

INLINE void store_any(const struct insn *i, uint32_t *d, unsigned l, uint64_t v) {
  d[l] = (uint32_t)v;
  if (i->dst[0].words == 2) d[32 + l] = (uint32_t)(v >> 32);
}
static uint64_t load_int(unsigned type, const uint32_t *p, unsigned l) {
  switch (type) {
    case T_U8: return LD_u8(p, l);
    case T_S8: return (uint64_t)LD_s8(p, l);
    case T_U16: return LD_u16(p, l);
    case T_S16: return (uint64_t)LD_s16(p, l);
    case T_U32: return p[l];
    case T_S32: return (uint64_t)LD_s32(p, l);
    default: return LD_u64(p, l);
  }
}

ALU_FN(int_to_int_sat) {
  const int64_t lo = convert_lowest(i->type);
  const uint64_t hi = convert_highest(i->type);
  const bool sign = dtype_signed(i->stype);
  for (unsigned l = 0; l < 32; l++) {
    uint64_t v = load_int(i->stype, io->src[0], l);
    if (sign && (int64_t)v < 0) v = (int64_t)v < lo ? (uint64_t)lo : v;
    else v = v > hi ? hi : v;
    store_any(i, io->dst[0], l, v);
  }
}

/* ---- two integers, saturated and packed ---- */
INLINE uint32_t convert_narrow(int32_t x, int32_t lo, int32_t hi) { return (uint32_t)(x < lo ? lo : x > hi ? hi : x); }

/* `third`: the low bits of c lie above them. */
INLINE void pack_narrowed(struct alu_io *io, unsigned bits, bool sign, bool third) {
  const uint32_t *pa = io->src[0], *pb = io->src[1], *pc = third ? io->src[2] : pa, mask = (1u << bits) - 1;
  const int32_t lo = sign ? -(int32_t)(1u << (bits - 1)) : 0, hi = (int32_t)(mask >> sign);
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t a = convert_narrow(LD_s32(pa, l), lo, hi) & mask, b = convert_narrow(LD_s32(pb, l), lo, hi) & mask;
    d[l] = (third ? pc[l] << (2 * bits & 31) : 0) | a << bits | b;
  }
}

#define PACKED(T, bits, sign)                                                    \
  ALU_FN(packed_##T) {                                                           \
    pack_narrowed(io, bits, sign, bits < 16);                                    \
    if (i->dst[0].words == 2) memset(io->dst[0] + 32, 0, 32 * sizeof(uint32_t)); \
  }
PACKED(u16, 16, false)
PACKED(s16, 16, true)
PACKED(u8, 8, false)
PACKED(s8, 8, true)
PACKED(u4, 4, false)
PACKED(s4, 4, true)
PACKED(u2, 2, false)
PACKED(s2, 2, true)

static alu_fn *pick_packed(const struct insn *i) {
  static alu_fn *const table[T_COUNT] = {
      [T_U16] = packed_u16, [T_S16] = packed_s16, [T_U8] = packed_u8, [T_S8] = packed_s8,
      [T_U4] = packed_u4,   [T_S4] = packed_s4,   [T_U2] = packed_u2, [T_S2] = packed_s2,
  };
  const bool third = i->type != T_U16 && i->type != T_S16;
  return i->stype == T_S32 && i->mods == M_SAT && i->rnd == R_NONE && i->nsrc >= 2u + third ? table[i->type] : NULL;
}

/* ---- float to integer ---- */
INLINE double get_f16(const uint32_t *p, unsigned l, uint32_t ftz) {
  (void)ftz;
  return f32_of_f16(p[l] & 0xffff);
}
INLINE double get_bf16(const uint32_t *p, unsigned l, uint32_t ftz) {
  (void)ftz;
  return f32_of(p[l] << 16);
}
INLINE double get_f32(const uint32_t *p, unsigned l, uint32_t ftz) {
  return f32_of(u32_select(ftz, f32_flush(p[l]), p[l]));
}
INLINE double get_f64(const uint32_t *p, unsigned l, uint32_t ftz) {
  (void)ftz;
  return LD_f64(p, l);
}

struct bounds {
  double lo, hi;
  uint64_t nan;
};

/* Types of up to 32 bits; their bounds are exact in f64. */
INLINE uint64_t to_small(double r, struct bounds b) {
  double v = r >= b.lo ? r : b.lo;
  v = v > b.hi ? b.hi : v;
  const uint64_t n = (uint64_t)(int64_t)v;
  return u64_select(r != r, b.nan, n);
}
INLINE uint64_t to_s64(double r, struct bounds b) {
  const uint64_t in = (uint64_t)(r >= -0x1p63) & (uint64_t)(r < 0x1p63);
  const uint64_t n = (uint64_t)(int64_t)f64_of(of_f64(r) & (0 - in)), out = (~0ull >> 1) + (r < 0);
  return u64_select(r != r, b.nan, u64_select(in, n, out));
}
INLINE uint64_t to_u64(double r, struct bounds b) {
  const uint64_t in = (uint64_t)(r >= 0.0) & (uint64_t)(r < 0x1p64);
  const uint64_t n = (uint64_t)f64_of(of_f64(r) & (0 - in)), out = ~0ull + (r < 0);
  return u64_select(r != r, b.nan, u64_select(in, n, out));
}

static struct bounds bounds_of(const struct insn *i) {
  const unsigned bits = 8 * dtype_bytes(i->type);
  const bool zero = i->stype != T_F64 && bits != 64;
  const uint64_t top = dtype_signed(i->type) ? ~0ull << (bits - 1) : 1ull << (bits - 1);
  return (struct bounds){(double)convert_lowest(i->type), (double)convert_highest(i->type), zero ? 0 : top};
}

#define LOOP(S, to, round)                                                    \
  if (wide) EACH_LANE(l) store_wide(d, l, to(round(get_##S(pa, l, ftz)), b)); \
  else EACH_LANE(l) d[l] = (uint32_t)to(round(get_##S(pa, l, ftz)), b);       \
  break
#define FLOAT_TO(S, to)                          \
  ALU_FN(to##_from_##S) {                        \
    const struct bounds b = bounds_of(i);        \
    const uint32_t ftz = (i->mods & M_FTZ) != 0; \
    const bool wide = i->dst[0].words == 2;      \
    const uint32_t *pa = io->src[0];             \
    uint32_t *d = io->dst[0];                    \
    switch (i->rnd) {                            \
      case R_RNI: LOOP(S, to, __builtin_rint);   \
      case R_RZI: LOOP(S, to, __builtin_trunc);  \
      case R_RMI: LOOP(S, to, __builtin_floor);  \
      default: LOOP(S, to, __builtin_ceil);      \
    }                                            \
  }
#define FLOAT_TO_ALL(S) FLOAT_TO(S, to_small) FLOAT_TO(S, to_s64) FLOAT_TO(S, to_u64)
/* clang-format off */
FLOAT_TO_ALL(f16)
FLOAT_TO_ALL(bf16)
FLOAT_TO_ALL(f32)
FLOAT_TO_ALL(f64)
/* clang-format on */

/* ---- integer to float ---- */
/* To the nearest, or exact: the host's conversions. */
#define TO_F32(D, S) ROW1(f32_from_##S, S, f32, (float)a)
#define TO_F64(D, S) ROW1(f64_from_##S, S, f64, (double)a)
/* clang-format off */
FROM_ALL_INT(TO_F32, )
FROM_ALL_INT(TO_F64, )
/* clang-format on */

static uint64_t convert_from_int(unsigned type, unsigned rnd, bool neg, uint64_t mag) {
  if (type == T_F64) return soft_int64(neg, mag, rnd);
  const uint64_t v = int_odd(neg && mag, mag);
  if (type == T_F32) return f32_of_double(v, rnd);
  return type == T_F16 ? f16_of_double(v, rnd) : bf16_of_double(v, rnd);
}
static uint64_t convert_saturate(unsigned type, uint64_t v) {
  switch (type) {
    case T_F64: return f64_saturate(v);
    case T_F32: return f32_saturate((uint32_t)v);
    default: return h16_saturate(type == T_BF16, (uint32_t)v);
  }
}
/* Any mode, any type. */
ALU_FN(float_from_int) {
  for (unsigned l = 0; l < 32; l++) {
    const uint64_t v = load_int(i->stype, io->src[0], l);
    const bool neg = dtype_signed(i->stype) && v >> 63;
    const uint64_t r = convert_from_int(i->type, i->rnd, neg, neg ? 0 - v : v);
    store_any(i, io->dst[0], l, i->mods & M_SAT ? convert_saturate(i->type, r) : r);
  }
}

static alu_fn *pick_to_int(const struct insn *i) {
  static alu_fn *const table[4][3] = {
      {to_small_from_f16, to_s64_from_f16, to_u64_from_f16},
      {to_small_from_bf16, to_s64_from_bf16, to_u64_from_bf16},
      {to_small_from_f32, to_s64_from_f32, to_u64_from_f32},
      {to_small_from_f64, to_s64_from_f64, to_u64_from_f64},
  };
  const int to = i->type == T_S64 ? 1 : i->type == T_U64 ? 2 : 0;
  if (i->rnd < R_RNI || i->rnd > R_RPI || !mods_in(i, M_SAT | (i->stype == T_F32 ? M_FTZ : 0))) return NULL;
  switch (i->stype) {
    case T_F16: return table[0][to];
    case T_BF16: return table[1][to];
    case T_F32: return table[2][to];
    case T_F64: return table[3][to];
    default: return NULL;
  }
}

static alu_fn *pick_from_int(const struct insn *i, int s) {
  static alu_fn *const to_f32[8] = {f32_from_u8,  f32_from_s8,  f32_from_u16, f32_from_s16,
                                    f32_from_u32, f32_from_s32, f32_from_u64, f32_from_s64};
  static alu_fn *const to_f64[8] = {f64_from_u8,  f64_from_s8,  f64_from_u16, f64_from_s16,
                                    f64_from_u32, f64_from_s32, f64_from_u64, f64_from_s64};
  const bool f32 = i->type == T_F32, f64 = i->type == T_F64;
  if (!f32 && !f64 && i->type != T_F16 && i->type != T_BF16) return NULL;
  if (i->rnd < R_RN || i->rnd > R_RP || !mods_in(i, M_SAT | (f32 ? M_FTZ : 0))) return NULL;
  if (i->mods & M_SAT) return float_from_int;
  if (f32 && i->rnd == R_RN) return to_f32[s];
  if (f64 && (i->rnd == R_RN || s < 6)) return to_f64[s];
  return float_from_int;
}

/* Only integers extend to a register wider than their type. */
static bool convert_too_wide(const struct insn *i) {
  return dtype_float(i->type) && i->dst[0].kind == O_REG && i->dst[0].words == 2 && i->type != T_F64;
}

alu_fn *alu_pick_convert(const struct insn *i) {
  if (i->op == OP_CVTPACK) return pick_packed(i);
  if (convert_too_wide(i)) return NULL;
  const int d = convert_place(i->type), s = convert_place(i->stype);
  if (d >= 0 && s >= 0) {
    if (i->rnd != R_NONE || !mods_in(i, M_SAT)) return NULL;
    return i->mods ? int_to_int_sat : int_to_int[d][s];
  }
  return d >= 0 ? pick_to_int(i) : s >= 0 ? pick_from_int(i, s) : alu_pick_cvtfloat(i);
}
