/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_minmax: floating-point minimum and maximum. -0 is less than +0. One NaN gives the other operand, two
 * give the canonical NaN; with .NaN one is enough. .xorsign.abs compares magnitudes and gives the result the
 * xor of the signs (not a NaN's).
 */
#include "exec/alu_fp.h"

struct mode {
  uint32_t max, ftz, nan, xabs;
}; /* 0 or 1 */

/* Bits of a float as an integer in the order of the values, -0 below +0. */
INLINE int32_t minmax_order32(uint32_t b) { return (int32_t)(b ^ ((uint32_t)((int32_t)b >> 31) & 0x7fffffff)); }
INLINE int64_t minmax_order64(uint64_t b) { return (int64_t)(b ^ ((uint64_t)((int64_t)b >> 63) & ~(1ull << 63))); }

/* Of 32-bit patterns whose magnitudes above inf are NaN; 16-bit formats come shifted into the high half. */
INLINE uint32_t minmax_choose32(uint32_t a, uint32_t b, uint32_t inf, uint32_t canonical, struct mode m) {
  const uint32_t sign = (a ^ b) & (m.xabs << 31);
  const uint32_t na = (a & 0x7fffffff) > inf, nb = (b & 0x7fffffff) > inf;
  a &= ~(m.xabs << 31);
  b &= ~(m.xabs << 31);
  const uint32_t first = (uint32_t)(minmax_order32(a) < minmax_order32(b)) ^ m.max;
  const uint32_t r = u32_select(na, b, u32_select(nb | first, a, b)) | sign;
  return u32_select((na & nb) | ((na | nb) & m.nan), canonical, r);
}
INLINE uint64_t minmax_choose64(uint64_t a, uint64_t b, uint64_t max) {
  const uint64_t na = a << 1 > INF_F64 << 1, nb = b << 1 > INF_F64 << 1;
  const uint64_t first = (uint64_t)(minmax_order64(a) < minmax_order64(b)) ^ max;
  return u64_select(na & nb, NAN_F64, u64_select(na, b, u64_select(nb | first, a, b)));
}

INLINE void minmax_rows32(struct alu_io *io, struct mode m) {
  const uint32_t *pa = io->src[0], *pb = io->src[1];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t a = u32_select(m.ftz, f32_flush(pa[l]), pa[l]), b = u32_select(m.ftz, f32_flush(pb[l]), pb[l]);
    d[l] = minmax_choose32(a, b, 0x7f800000, NAN_F32, m);
  }
}
INLINE struct mode minmax_mode(const struct insn *i, bool max) {
  return (struct mode){max, (i->mods & M_FTZ) != 0, (i->mods & M_NAN) != 0, (i->mods & M_ABS) != 0};
}
INLINE uint32_t minmax_choose16(bool bf, uint32_t a, uint32_t b, struct mode m) {
  a = u32_select(m.ftz, h16_flush(bf, a), a);
  b = u32_select(m.ftz, h16_flush(bf, b), b);
  return minmax_choose32(a << 16, b << 16, INF_H16(bf) << 16, NAN_H16 << 16, m) >> 16;
}
INLINE void minmax_rows16(struct alu_io *io, bool bf, bool two, struct mode m) {
  const uint32_t *pa = io->src[0], *pb = io->src[1];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t a = pa[l], b = pb[l], lo = minmax_choose16(bf, a & 0xffff, b & 0xffff, m);
    d[l] = two ? lo | minmax_choose16(bf, a >> 16, b >> 16, m) << 16 : lo;
  }
}

#define MINMAX(name, is_max)                                                       \
  ALU_FN(name##_f32) {                                                             \
    (void)i;                                                                       \
    minmax_rows32(io, (struct mode){is_max, false, false, false});                 \
  }                                                                                \
  ALU_FN(name##_f32_ftz) {                                                         \
    (void)i;                                                                       \
    minmax_rows32(io, (struct mode){is_max, true, false, false});                  \
  }                                                                                \
  ALU_FN(name##_f32_mode) { minmax_rows32(io, minmax_mode(i, is_max)); }           \
  ROW2(name##_f64, u64, u64, u64, minmax_choose64(a, b, is_max))                   \
  ALU_FN(name##_f16) { minmax_rows16(io, false, false, minmax_mode(i, is_max)); }  \
  ALU_FN(name##_f16x2) { minmax_rows16(io, false, true, minmax_mode(i, is_max)); } \
  ALU_FN(name##_bf16) { minmax_rows16(io, true, false, minmax_mode(i, is_max)); }  \
  ALU_FN(name##_bf16x2) { minmax_rows16(io, true, true, minmax_mode(i, is_max)); }
MINMAX(min, false)
MINMAX(max, true)

alu_fn *alu_pick_minmax(const struct insn *i) {
  static alu_fn *const f32[2][3] = {{min_f32, min_f32_ftz, min_f32_mode}, {max_f32, max_f32_ftz, max_f32_mode}};
  static alu_fn *const f64[2] = {min_f64, max_f64};
  static alu_fn *const f16[2][4] = {{min_f16, min_f16x2, min_bf16, min_bf16x2},
                                    {max_f16, max_f16x2, max_bf16, max_bf16x2}};
  const bool max = i->op == OP_MAX;
  if (i->rnd != R_NONE) return NULL;
  switch (i->type) {
    case T_F32:
      if (!mods_in(i, M_FTZ | M_NAN | M_ABS)) return NULL;
      return f32[max][!i->mods ? 0 : i->mods == M_FTZ ? 1 : 2];
    case T_F64: return i->mods ? NULL : f64[max];
    case T_F16: return mods_in(i, M_FTZ | M_NAN | M_ABS) ? f16[max][0] : NULL;
    case T_F16X2: return mods_in(i, M_FTZ | M_NAN | M_ABS) ? f16[max][1] : NULL;
    case T_BF16: return mods_in(i, M_NAN | M_ABS) ? f16[max][2] : NULL;
    case T_BF16X2: return mods_in(i, M_NAN | M_ABS) ? f16[max][3] : NULL;
    default: return NULL;
  }
}
