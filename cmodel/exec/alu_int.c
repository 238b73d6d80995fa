/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_int: integer arithmetic on 16, 32 and 64 bits. All of it wraps; .sat exists for s32. 16-bit results
 * have zeros above.
 */
#include "exec/alu_row.h"

/* 64 bits as two 32-bit halves vectorise better than as one. */
ALU_FN(add_64) {
  (void)i;
  const uint32_t *pa = io->src[0], *pb = io->src[1];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t a = pa[l], lo = a + pb[l], hi = pa[32 + l] + pb[32 + l] + (lo < a);
    d[l] = lo;
    d[32 + l] = hi;
  }
}
ALU_FN(sub_64) {
  (void)i;
  const uint32_t *pa = io->src[0], *pb = io->src[1];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t a = pa[l], b = pb[l], hi = pa[32 + l] - pb[32 + l] - (a < b);
    d[l] = a - b;
    d[32 + l] = hi;
  }
}

INLINE int32_t clamp_s32(int64_t x) { return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }

ROW2(add_16, u16, u16, u16, (uint32_t)a + b)
ROW2(add_32, u32, u32, u32, a + b)
ROW2(add_sat, s32, s32, s32, clamp_s32((int64_t)a + b))
ROW2(sub_16, u16, u16, u16, (uint32_t)a - b)
ROW2(sub_32, u32, u32, u32, a - b)
ROW2(sub_sat, s32, s32, s32, clamp_s32((int64_t)a - b))

INLINE uint64_t wide_u32(uint32_t a, uint32_t b) { return (uint64_t)a * b; }
INLINE uint64_t wide_s32(int32_t a, int32_t b) { return (uint64_t)((int64_t)a * b); }

ROW2(mul_lo_16, u16, u16, u16, (uint32_t)a *b)
ROW2(mul_lo_32, u32, u32, u32, a *b)
ROW2(mul_lo_64, u64, u64, u64, a *b)
ROW2(mul_hi_u16, u16, u16, u16, (uint32_t)a *b >> 16)
ROW2(mul_hi_s16, s16, s16, u16, (uint32_t)((int32_t)a *b) >> 16)
ROW2(mul_hi_u32, u32, u32, u32, mulhi_u32(a, b))
ROW2(mul_hi_s32, s32, s32, u32, mulhi_s32(a, b))
ROW2(mul_hi_u64, u64, u64, u64, mulhi_u64(a, b))
ROW2(mul_hi_s64, s64, s64, u64, mulhi_s64(a, b))
ROW2(mul_wide_u16, u16, u16, u32, (uint32_t)a *b)
ROW2(mul_wide_s16, s16, s16, s32, (int32_t)a *b)
ROW2(mul_wide_u32, u32, u32, u64, wide_u32(a, b))
ROW2(mul_wide_s32, s32, s32, u64, wide_s32(a, b))

ROW3(mad_lo_16, u16, u16, u16, u16, (uint32_t)a *b + c)
ROW3(mad_lo_32, u32, u32, u32, u32, a *b + c)
ROW3(mad_lo_64, u64, u64, u64, u64, a *b + c)
ROW3(mad_hi_u16, u16, u16, u16, u16, ((uint32_t)a * b >> 16) + c)
ROW3(mad_hi_s16, s16, s16, u16, u16, ((uint32_t)((int32_t)a * b) >> 16) + c)
ROW3(mad_hi_u32, u32, u32, u32, u32, mulhi_u32(a, b) + c)
ROW3(mad_hi_s32, s32, s32, u32, u32, mulhi_s32(a, b) + c)
ROW3(mad_hi_u64, u64, u64, u64, u64, mulhi_u64(a, b) + c)
ROW3(mad_hi_s64, s64, s64, u64, u64, mulhi_s64(a, b) + c)
ROW3(mad_wide_u16, u16, u16, u32, u32, (uint32_t)a *b + c)
ROW3(mad_wide_s16, s16, s16, u32, u32, (uint32_t)((int32_t)a *b) + c)
ROW3(mad_wide_u32, u32, u32, u64, u64, wide_u32(a, b) + c)
ROW3(mad_wide_s32, s32, s32, u64, u64, wide_s32(a, b) + c)
ROW3(mad_hi_sat, s32, s32, s32, s32, clamp_s32(((int64_t)a * b >> 32) + c))

/* 24-bit factors; .lo: the low 32 of the 48 bits, .hi: the high 32. */
INLINE int64_t int_extend24(uint32_t x) { return (int32_t)((x & 0xffffff) ^ 0x800000) - 0x800000; }
INLINE uint64_t mul24_u(uint32_t a, uint32_t b) { return (uint64_t)(a & 0xffffff) * (b & 0xffffff); }
INLINE uint64_t mul24_s(uint32_t a, uint32_t b) { return (uint64_t)(int_extend24(a) * int_extend24(b)); }
INLINE int64_t high24_s(uint32_t a, uint32_t b) { return (int32_t)(uint32_t)(mul24_s(a, b) >> 16); }

ROW2(mul24_lo_u, u32, u32, u32, (uint32_t)mul24_u(a, b))
ROW2(mul24_lo_s, u32, u32, u32, (uint32_t)mul24_s(a, b))
ROW2(mul24_hi_u, u32, u32, u32, (uint32_t)(mul24_u(a, b) >> 16))
ROW2(mul24_hi_s, u32, u32, u32, (uint32_t)(mul24_s(a, b) >> 16))
ROW3(mad24_lo_u, u32, u32, u32, u32, (uint32_t)mul24_u(a, b) + c)
ROW3(mad24_lo_s, u32, u32, u32, u32, (uint32_t)mul24_s(a, b) + c)
ROW3(mad24_hi_u, u32, u32, u32, u32, (uint32_t)(mul24_u(a, b) >> 16) + c)
ROW3(mad24_hi_s, u32, u32, u32, u32, (uint32_t)(mul24_s(a, b) >> 16) + c)
ROW3(mad24_hi_sat, u32, u32, s32, s32, clamp_s32(high24_s(a, b) + c))

/* c + |a - b|, the difference taken exactly. */
ROW3(sad_u16, u16, u16, u16, u16, c + (a < b ? (uint32_t)b - a : (uint32_t)a - b))
ROW3(sad_s16, s16, s16, u16, u16, c + (uint32_t)(a < b ? b - a : a - b))
ROW3(sad_u32, u32, u32, u32, u32, c + (a < b ? b - a : a - b))
ROW3(sad_s32, s32, s32, u32, u32, c + (a < b ? (uint32_t)b - (uint32_t)a : (uint32_t)a - (uint32_t)b))
ROW3(sad_u64, u64, u64, u64, u64, c + (a < b ? b - a : a - b))
ROW3(sad_s64, s64, s64, u64, u64, c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))

/* The most negative value is its own magnitude. */
ROW1(abs_16, s16, u16, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
ROW1(abs_32, s32, u32, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
ROW1(abs_64, s64, u64, a < 0 ? 0u - (uint64_t)a : (uint64_t)a)
ROW1(neg_16, u16, u16, 0u - a)
ROW1(neg_32, u32, u32, 0u - a)
ROW1(neg_64, u64, u64, 0u - a)

#define MINMAX(T)                       \
  ROW2(min_##T, T, T, T, a < b ? a : b) \
  ROW2(max_##T, T, T, T, a > b ? a : b)
/* clang-format off */
MINMAX(u16)
MINMAX(s16)
MINMAX(u32)
MINMAX(s32)
MINMAX(u64)
MINMAX(s64)
ROW2(min_relu, s32, s32, s32, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
ROW2(max_relu, s32, s32, s32, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))
/* clang-format on */

/* Dot products of bytes. Signs of a and b are chosen apart; the sum wraps. */
INLINE int32_t byte_u(uint32_t x, unsigned k) { return (int32_t)(x >> 8 * k & 0xff); }
INLINE int32_t byte_s(uint32_t x, unsigned k) { return (int8_t)(x >> 8 * k); }
INLINE int32_t half_u(uint32_t x, unsigned k) { return (int32_t)(x >> 16 * k & 0xffff); }
INLINE int32_t half_s(uint32_t x, unsigned k) { return (int16_t)(x >> 16 * k); }
#define DOT4(A, B)                                                                                       \
  (byte_##A(a, 0) * byte_##B(b, 0) + byte_##A(a, 1) * byte_##B(b, 1) + byte_##A(a, 2) * byte_##B(b, 2) + \
   byte_##A(a, 3) * byte_##B(b, 3))
#define DOT2(A, B, k) ((int64_t)half_##A(a, 0) * byte_##B(b, k) + (int64_t)half_##A(a, 1) * byte_##B(b, k + 1))
#define DOTS(A, B)                                                      \
  ROW3(dp4a_##A##B, u32, u32, u32, u32, c + (uint32_t)DOT4(A, B))       \
  ROW3(dp2a_lo_##A##B, u32, u32, u32, u32, c + (uint32_t)DOT2(A, B, 0)) \
  ROW3(dp2a_hi_##A##B, u32, u32, u32, u32, c + (uint32_t)DOT2(A, B, 2))
/* clang-format off */
DOTS(u, u)
DOTS(u, s)
DOTS(s, u)
DOTS(s, s)
/* clang-format on */

/* |a - b| of each byte; signs of a and b are chosen apart, so that it is less than 384. The sum wraps. */
INLINE uint32_t int_distance(int32_t a, int32_t b, uint32_t most) {
  const uint32_t d = (uint32_t)(a < b ? b - a : a - b);
  return d < most ? d : most;
}
#define APART(A, B, k, most) int_distance(byte_##A(a, k), byte_##B(b, k), most)
#define APART4(A, B, most)                                                                                 \
  ((APART(A, B, 0, most) & 255) | (APART(A, B, 1, most) & 255) << 8 | (APART(A, B, 2, most) & 255) << 16 | \
   (APART(A, B, 3, most) & 255) << 24)
#define APART_SUM(A, B) (APART(A, B, 0, 512) + APART(A, B, 1, 512) + APART(A, B, 2, 512) + APART(A, B, 3, 512))
#define DISTANCES(A, B)                                          \
  ROW2(vabsdiff4_##A##B, u32, u32, u32, APART4(A, B, 512))       \
  ROW2(vabsdiff4_sat_u_##A##B, u32, u32, u32, APART4(A, B, 255)) \
  ROW2(vabsdiff4_sat_s_##A##B, u32, u32, u32, APART4(A, B, 127)) \
  ROW3(vabsdiff4_add_##A##B, u32, u32, u32, u32, c + APART_SUM(A, B))
/* clang-format off */
DISTANCES(u, u)
DISTANCES(u, s)
DISTANCES(s, u)
DISTANCES(s, s)
/* clang-format on */

typedef alu_fn *const table6[6];

static alu_fn *pick_addsub(const struct insn *i, int t) {
  static table6 add = {add_16, add_16, add_32, add_32, add_64, add_64};
  static table6 sub = {sub_16, sub_16, sub_32, sub_32, sub_64, sub_64};
  const bool is_add = i->op == OP_ADD;
  if (i->mods & M_SAT) return i->type == T_S32 && mods_in(i, M_SAT) ? (is_add ? add_sat : sub_sat) : NULL;
  return i->mods ? NULL : is_add ? add[t] : sub[t];
}

static alu_fn *pick_mul(const struct insn *i, int t) {
  static table6 lo = {mul_lo_16, mul_lo_16, mul_lo_32, mul_lo_32, mul_lo_64, mul_lo_64};
  static table6 hi = {mul_hi_u16, mul_hi_s16, mul_hi_u32, mul_hi_s32, mul_hi_u64, mul_hi_s64};
  static table6 wide = {mul_wide_u16, mul_wide_s16, mul_wide_u32, mul_wide_s32, NULL, NULL};
  switch (i->mods) {
    case M_LO: return lo[t];
    case M_HI: return hi[t];
    case M_WIDE: return wide[t];
    default: return NULL;
  }
}

static alu_fn *pick_mad(const struct insn *i, int t) {
  static table6 lo = {mad_lo_16, mad_lo_16, mad_lo_32, mad_lo_32, mad_lo_64, mad_lo_64};
  static table6 hi = {mad_hi_u16, mad_hi_s16, mad_hi_u32, mad_hi_s32, mad_hi_u64, mad_hi_s64};
  static table6 wide = {mad_wide_u16, mad_wide_s16, mad_wide_u32, mad_wide_s32, NULL, NULL};
  switch (i->mods) {
    case M_LO: return lo[t];
    case M_HI: return hi[t];
    case M_WIDE: return wide[t];
    case M_HI | M_SAT: return i->type == T_S32 ? mad_hi_sat : NULL;
    default: return NULL;
  }
}

static alu_fn *pick_24(const struct insn *i) {
  const bool s = i->type == T_S32, mad = i->op == OP_MAD24;
  if (!s && i->type != T_U32) return NULL;
  switch (i->mods) {
    case M_LO: return mad ? (s ? mad24_lo_s : mad24_lo_u) : s ? mul24_lo_s : mul24_lo_u;
    case M_HI: return mad ? (s ? mad24_hi_s : mad24_hi_u) : s ? mul24_hi_s : mul24_hi_u;
    case M_HI | M_SAT: return mad && s ? mad24_hi_sat : NULL;
    default: return NULL;
  }
}

static alu_fn *pick_dot(const struct insn *i) {
  static alu_fn *const dot[3][4] = {
      {dp4a_uu, dp4a_us, dp4a_su, dp4a_ss},
      {dp2a_lo_uu, dp2a_lo_us, dp2a_lo_su, dp2a_lo_ss},
      {dp2a_hi_uu, dp2a_hi_us, dp2a_hi_su, dp2a_hi_ss},
  };
  if ((i->type != T_U32 && i->type != T_S32) || (i->stype != T_U32 && i->stype != T_S32)) return NULL;
  const int signs = (i->type == T_S32) << 1 | (i->stype == T_S32);
  if (i->op == OP_DP4A) return i->mods ? NULL : dot[0][signs];
  return i->mods == M_LO ? dot[1][signs] : i->mods == M_HI ? dot[2][signs] : NULL;
}

static alu_fn *pick_vabsdiff4(const struct insn *i) {
#define OF_SIGNS(name) \
  { name##_uu, name##_us, name##_su, name##_ss }
  static alu_fn *const plain[] = OF_SIGNS(vabsdiff4), *const add[] = OF_SIGNS(vabsdiff4_add);
  static alu_fn *const sat[2][4] = {OF_SIGNS(vabsdiff4_sat_u), OF_SIGNS(vabsdiff4_sat_s)};
#undef OF_SIGNS
  const uint8_t types[] = {i->type, i->stype, i->sub};
  for (unsigned k = 0; k < 3; k++)
    if (types[k] != T_U32 && types[k] != T_S32) return NULL;
  const int signs = (i->stype == T_S32) << 1 | (i->sub == T_S32);
  return i->mods == M_SAT   ? sat[i->type == T_S32][signs]
         : i->mods == M_ADD ? add[signs]
         : i->mods          ? NULL
                            : plain[signs];
}

alu_fn *alu_pick_int(const struct insn *i) {
  static table6 sad = {sad_u16, sad_s16, sad_u32, sad_s32, sad_u64, sad_s64};
  static table6 abs = {NULL, abs_16, NULL, abs_32, NULL, abs_64};
  static table6 neg = {NULL, neg_16, NULL, neg_32, NULL, neg_64};
  static table6 min = {min_u16, min_s16, min_u32, min_s32, min_u64, min_s64};
  static table6 max = {max_u16, max_s16, max_u32, max_s32, max_u64, max_s64};
  const int t = int_index(i->type);
  if (t < 0 || i->rnd != R_NONE) return NULL;
  switch (i->op) {
    case OP_ADD:
    case OP_SUB: return pick_addsub(i, t);
    case OP_MUL: return pick_mul(i, t);
    case OP_MAD: return pick_mad(i, t);
    case OP_MUL24:
    case OP_MAD24: return pick_24(i);
    case OP_DP4A:
    case OP_DP2A: return pick_dot(i);
    case OP_SAD: return i->mods ? NULL : sad[t];
    case OP_VABSDIFF4: return pick_vabsdiff4(i);
    case OP_ABS: return i->mods ? NULL : abs[t];
    case OP_NEG: return i->mods ? NULL : neg[t];
    case OP_MIN: return i->mods == M_RELU && i->type == T_S32 ? min_relu : i->mods ? NULL : min[t];
    case OP_MAX: return i->mods == M_RELU && i->type == T_S32 ? max_relu : i->mods ? NULL : max[t];
    default: return NULL;
  }
}
