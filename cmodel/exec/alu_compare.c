/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_compare: setp, set, testp. A comparison gives a mask of lanes; setp combines it with a predicate, set spreads
 * it over a row. p = cmp OP c, q = !cmp OP c; of f16x2 and bf16x2 p is the low pair's result and q the high pair's.
 */
#include "exec/alu_fp.h"

typedef uint32_t mask_fn(const struct alu_io *io);

#define MASK(name, T, pre, expr)                       \
  static uint32_t name(const struct alu_io *io) {      \
    const uint32_t *pa = io->src[0], *pb = io->src[1]; \
    uint32_t m = 0;                                    \
    EACH_LANE(l) {                                     \
      const T##_t_ a = pre(pa, l), b = pre(pb, l);     \
      m |= (uint32_t)(expr) << l;                      \
    }                                                  \
    return m;                                          \
  }

INLINE void compare_combine(const struct insn *i, struct alu_io *io, uint32_t p, uint32_t q) {
  const uint32_t c = io->psrc[2];
  switch (i->boolop) {
    case B_AND: p &= c, q &= c; break;
    case B_OR: p |= c, q |= c; break;
    case B_XOR: p ^= c, q ^= c; break;
    default: break;
  }
  io->pdst[0] = p;
  io->pdst[1] = q;
}
#define COMPARE(name, T, pre, expr)     \
  MASK(mask_##name, T, pre, expr)       \
  ALU_FN(setp_##name) {                 \
    const uint32_t m = mask_##name(io); \
    compare_combine(i, io, m, ~m);      \
  }

/* clang-format off */
#define COMPARE_INT(T)               \
  COMPARE(T##_eq, T, LD_##T, a == b) \
  COMPARE(T##_ne, T, LD_##T, a != b) \
  COMPARE(T##_lt, T, LD_##T, a < b)  \
  COMPARE(T##_le, T, LD_##T, a <= b) \
  COMPARE(T##_gt, T, LD_##T, a > b)  \
  COMPARE(T##_ge, T, LD_##T, a >= b)
COMPARE_INT(u16)
COMPARE_INT(s16)
COMPARE_INT(u32)
COMPARE_INT(s32)
COMPARE_INT(u64)
COMPARE_INT(s64)
/* Ordered comparisons are false, unordered ones (..u) true when an operand is NaN. */
#define COMPARE_FLOAT(N, T, pre)                 \
  COMPARE(N##_eq, T, pre, a == b)                \
  COMPARE(N##_ne, T, pre, (a < b) | (a > b))     \
  COMPARE(N##_lt, T, pre, a < b)                 \
  COMPARE(N##_le, T, pre, a <= b)                \
  COMPARE(N##_gt, T, pre, a > b)                 \
  COMPARE(N##_ge, T, pre, a >= b)                \
  COMPARE(N##_equ, T, pre, !((a < b) | (a > b))) \
  COMPARE(N##_neu, T, pre, a != b)               \
  COMPARE(N##_ltu, T, pre, !(a >= b))            \
  COMPARE(N##_leu, T, pre, !(a > b))             \
  COMPARE(N##_gtu, T, pre, !(a <= b))            \
  COMPARE(N##_geu, T, pre, !(a < b))             \
  COMPARE(N##_num, T, pre, (a == a) & (b == b))  \
  COMPARE(N##_nan, T, pre, (a != a) | (b != b))
/* clang-format on */

INLINE float ld_f32_ftz(const uint32_t *p, unsigned l) { return f32_of(f32_flush(p[l])); }
INLINE float ld_f16(const uint32_t *p, unsigned l) { return f32_of_f16(p[l] & 0xffff); }
INLINE float ld_f16_hi(const uint32_t *p, unsigned l) { return f32_of_f16(p[l] >> 16); }
INLINE float ld_f16_ftz(const uint32_t *p, unsigned l) { return f32_of_f16(f16_flush(p[l] & 0xffff)); }
INLINE float ld_f16_ftz_hi(const uint32_t *p, unsigned l) { return f32_of_f16(f16_flush(p[l] >> 16)); }
INLINE float ld_bf16(const uint32_t *p, unsigned l) { return f32_of(p[l] << 16); }
INLINE float ld_bf16_hi(const uint32_t *p, unsigned l) { return f32_of(p[l] & 0xffff0000u); }
COMPARE_FLOAT(f32, f32, LD_f32)
COMPARE_FLOAT(f32_ftz, f32, ld_f32_ftz)
COMPARE_FLOAT(f64, f64, LD_f64)
COMPARE_FLOAT(f16, f32, ld_f16)
COMPARE_FLOAT(f16_ftz, f32, ld_f16_ftz)
COMPARE_FLOAT(bf16, f32, ld_bf16)
#undef COMPARE
#define COMPARE(name, T, pre, expr) MASK(mask_##name, T, pre, expr)
COMPARE_FLOAT(f16_hi, f32, ld_f16_hi)
COMPARE_FLOAT(f16_ftz_hi, f32, ld_f16_ftz_hi)
COMPARE_FLOAT(bf16_hi, f32, ld_bf16_hi)

/* Rows of tables in the order of enum cmpop; lo ls hi hs are lt le gt ge of unsigned types. */
#define ROW_SIGNED(k, T) \
  { k##_##T##_eq, k##_##T##_ne, k##_##T##_lt, k##_##T##_le, k##_##T##_gt, k##_##T##_ge }
#define ROW_UNSIGNED(k, T)                                                                                          \
  {                                                                                                                 \
    k##_##T##_eq, k##_##T##_ne, k##_##T##_lt, k##_##T##_le, k##_##T##_gt, k##_##T##_ge, k##_##T##_lt, k##_##T##_le, \
        k##_##T##_gt, k##_##T##_ge                                                                                  \
  }
#define ROW_BITS(k, T) \
  { k##_##T##_eq, k##_##T##_ne }
#define ROW_FLOAT(k, T)                                                                                          \
  {                                                                                                              \
    k##_##T##_eq, k##_##T##_ne, k##_##T##_lt, k##_##T##_le, k##_##T##_gt, k##_##T##_ge, NULL, NULL, NULL, NULL,  \
        k##_##T##_equ, k##_##T##_neu, k##_##T##_ltu, k##_##T##_leu, k##_##T##_gtu, k##_##T##_geu, k##_##T##_num, \
        k##_##T##_nan                                                                                            \
  }
enum { CMPS = C_NAN + 1, KINDS = 15 };
#define ROWS(k)                                                                                             \
  ROW_UNSIGNED(k, u16), ROW_SIGNED(k, s16), ROW_UNSIGNED(k, u32), ROW_SIGNED(k, s32), ROW_UNSIGNED(k, u64), \
      ROW_SIGNED(k, s64), ROW_BITS(k, u16), ROW_BITS(k, u32), ROW_BITS(k, u64), ROW_FLOAT(k, f32),          \
      ROW_FLOAT(k, f32_ftz), ROW_FLOAT(k, f64), ROW_FLOAT(k, f16), ROW_FLOAT(k, f16_ftz), ROW_FLOAT(k, bf16)
static alu_fn *const setp_table[KINDS][CMPS] = {ROWS(setp)};
static mask_fn *const mask_table[KINDS + 3][CMPS] = {ROWS(mask), ROW_FLOAT(mask, f16_hi), ROW_FLOAT(mask, f16_ftz_hi),
                                                     ROW_FLOAT(mask, bf16_hi)};

/* Row of the tables for a compared type; -1: none. Pairs compare as their low half here; HIGH is added for
 * the high one. */
enum { K_BITS = 6, K_F32 = 9, K_F64 = 11, K_F16 = 12, K_BF16 = 14, HIGH = 3 };
static int compare_kind(unsigned type, uint32_t mods) {
  const bool ftz = mods & M_FTZ, plain = !mods;
  if (mods & ~(uint32_t)M_FTZ) return -1;
  switch (type) {
    case T_F32: return K_F32 + ftz;
    case T_F16:
    case T_F16X2: return K_F16 + ftz;
    case T_F64: return plain ? K_F64 : -1;
    case T_BF16:
    case T_BF16X2: return plain ? K_BF16 : -1;
    case T_B16:
    case T_B32:
    case T_B64: return plain ? K_BITS + width_index(type) : -1;
    default: return plain ? int_index(type) : -1;
  }
}
static bool is_pair(unsigned type) { return type == T_F16X2 || type == T_BF16X2; }

ALU_FN(setp_pair) {
  const int k = compare_kind(i->type, i->mods);
  compare_combine(i, io, mask_table[k][i->cmp](io), mask_table[k + HIGH][i->cmp](io));
}

/* What "true" is in the result type. */
static uint32_t true_of(unsigned type) {
  switch (type) {
    case T_F32: return 0x3f800000;
    case T_F16:
    case T_F16X2: return 0x3c00;
    case T_BF16:
    case T_BF16X2: return 0x3f80;
    case T_U16:
    case T_S16: return 0xffff;
    default: return 0xffffffff;
  }
}
ALU_FN(set_any) {
  const int k = compare_kind(i->stype, i->mods);
  const uint32_t m = mask_table[k][i->cmp](io), one = true_of(i->type);
  compare_combine(i, io, m, is_pair(i->stype) ? mask_table[k + HIGH][i->cmp](io) : 0);
  const uint32_t p = io->pdst[0], q = is_pair(i->stype) ? io->pdst[1] : 0;
  uint32_t *d = io->dst[0];
  EACH_LANE(l) d[l] = (p >> l & 1 ? one : 0) | (q >> l & 1 ? one << 16 : 0);
}

static alu_fn *pick_set(const struct insn *i) {
  switch (i->type) {
    case T_U32:
    case T_S32: return is_pair(i->stype) ? NULL : set_any;
    case T_F32: return i->stype == T_F16 || i->stype == T_BF16 || is_pair(i->stype) ? NULL : set_any;
    case T_U16:
    case T_S16: return i->stype == T_F16 || i->stype == T_BF16 ? set_any : NULL;
    case T_F16:
    case T_BF16:
    case T_F16X2:
    case T_BF16X2: return i->stype == i->type ? set_any : NULL;
    default: return NULL;
  }
}

/* ---- testp ---- */
#define TESTP(W, U, abs_mask, inf, min)                         \
  ALU_FN(testp_##W) {                                           \
    const uint32_t *pa = io->src[0];                            \
    uint32_t finite = 0, nan = 0, normal = 0, zero = 0;         \
    EACH_LANE(l) {                                              \
      const U##_t_ a = LD_##U(pa, l) & abs_mask;                \
      finite |= (uint32_t)(a < inf) << l;                       \
      nan |= (uint32_t)(a > inf) << l;                          \
      normal |= (uint32_t)((a >= min) & (a < inf)) << l;        \
      zero |= (uint32_t)(a == 0) << l;                          \
    }                                                           \
    switch (i->sub) {                                           \
      case TESTP_FINITE: io->pdst[0] = finite; break;           \
      case TESTP_INFINITE: io->pdst[0] = ~finite & ~nan; break; \
      case TESTP_NUMBER: io->pdst[0] = ~nan; break;             \
      case TESTP_NOTANUMBER: io->pdst[0] = nan; break;          \
      case TESTP_NORMAL: io->pdst[0] = normal; break;           \
      default: io->pdst[0] = finite & ~normal & ~zero; break;   \
    }                                                           \
  }
TESTP(f32, u32, 0x7fffffffu, 0x7f800000u, 0x00800000u)
TESTP(f64, u64, ~(1ull << 63), INF_F64, 0x0010000000000000ull)

alu_fn *alu_pick_compare(const struct insn *i) {
  if (i->rnd != R_NONE) return NULL;
  if (i->op == OP_TESTP) {
    if (i->mods || i->sub > TESTP_SUBNORMAL) return NULL;
    return i->type == T_F32 ? testp_f32 : i->type == T_F64 ? testp_f64 : NULL;
  }
  if (i->cmp >= CMPS || i->boolop > B_XOR) return NULL;
  const int k = compare_kind(i->op == OP_SET ? i->stype : i->type, i->mods);
  if (k < 0 || !mask_table[k][i->cmp]) return NULL;
  return i->op == OP_SET ? pick_set(i) : is_pair(i->type) ? setp_pair : setp_table[k][i->cmp];
}
