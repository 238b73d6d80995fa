/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_move: moves of bits: mov, pack, unpack, selp, slct, copysign.
 */
#include "exec/alu_fp.h"

ROW1(mov_8, u32, u32, a & 0xff)
ROW1(mov_16, u16, u16, a)
ROW1(mov_32, u32, u32, a)
ALU_FN(mov_64) {
  (void)i;
  const uint32_t *pa = io->src[0];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t lo = pa[l], hi = pa[32 + l];
    d[l] = lo;
    d[32 + l] = hi;
  }
}
ALU_FN(mov_pred) {
  (void)i;
  io->pdst[0] = io->psrc[0];
}

/* Pieces in ascending order of their bits. */
ROW2(pack_16_2, u32, u32, u32, (a & 0xff) | (b & 0xff) << 8)
ROW2(pack_32_2, u32, u32, u32, (a & 0xffff) | b << 16)
ROW2(pack_64_2, u32, u32, u64, a | (uint64_t)b << 32)
#define FOUR(pa, pb, pc, pd) const uint32_t *pa = io->src[0], *pb = io->src[1], *pc = io->src[2], *pd = io->src[3]
ALU_FN(pack_32_4) {
  (void)i;
  FOUR(pa, pb, pc, pd);
  uint32_t *d = io->dst[0];
  EACH_LANE(l) d[l] = (pa[l] & 0xff) | (pb[l] & 0xff) << 8 | (pc[l] & 0xff) << 16 | pd[l] << 24;
}
ALU_FN(pack_64_4) {
  (void)i;
  FOUR(pa, pb, pc, pd);
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t lo = (pa[l] & 0xffff) | pb[l] << 16, hi = (pc[l] & 0xffff) | pd[l] << 16;
    d[l] = lo;
    d[32 + l] = hi;
  }
}

#define UNPACK2(name, T, bits)                                                                      \
  ALU_FN(name) {                                                                                    \
    (void)i;                                                                                        \
    const uint32_t *pa = io->src[0];                                                                \
    uint32_t *d0 = io->dst[0], *d1 = io->dst[1];                                                    \
    EACH_LANE(l) {                                                                                  \
      const T##_t_ a = LD_##T(pa, l);                                                               \
      const uint32_t lo = (uint32_t)a & (uint32_t)(~0u >> (32 - bits)), hi = (uint32_t)(a >> bits); \
      d0[l] = lo;                                                                                   \
      d1[l] = hi;                                                                                   \
    }                                                                                               \
  }
#define UNPACK4(name, T, bits)                                                       \
  ALU_FN(name) {                                                                     \
    (void)i;                                                                         \
    const uint32_t *pa = io->src[0], m = ~0u >> (32 - bits);                         \
    uint32_t *d0 = io->dst[0], *d1 = io->dst[1], *d2 = io->dst[2], *d3 = io->dst[3]; \
    EACH_LANE(l) {                                                                   \
      const T##_t_ a = LD_##T(pa, l);                                                \
      d0[l] = (uint32_t)a & m;                                                       \
      d1[l] = (uint32_t)(a >> bits) & m;                                             \
      d2[l] = (uint32_t)(a >> 2 * bits) & m;                                         \
      d3[l] = (uint32_t)(a >> 3 * bits) & m;                                         \
    }                                                                                \
  }
UNPACK2(unpack_16_2, u16, 8)
UNPACK2(unpack_32_2, u32, 16)
UNPACK2(unpack_64_2, u64, 32)
UNPACK4(unpack_32_4, u32, 8)
UNPACK4(unpack_64_4, u64, 16)

ALU_FN(selp_16) {
  (void)i;
  const uint32_t *pa = io->src[0], *pb = io->src[1], p = io->psrc[2];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) d[l] = (p >> l & 1 ? pa[l] : pb[l]) & 0xffff;
}
ALU_FN(selp_32) {
  (void)i;
  const uint32_t *pa = io->src[0], *pb = io->src[1], p = io->psrc[2];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t a = pa[l], b = pb[l];
    d[l] = p >> l & 1 ? a : b;
  }
}
ALU_FN(selp_64) {
  (void)i;
  const uint32_t *pa = io->src[0], *pb = io->src[1], p = io->psrc[2];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t a = pa[l], b = pb[l], ha = pa[32 + l], hb = pb[32 + l];
    d[l] = p >> l & 1 ? a : b;
    d[32 + l] = p >> l & 1 ? ha : hb;
  }
}

/* c >= 0 ? a : b; -0 counts as 0 (and so does a flushed subnormal), NaN chooses b. */
#define SLCT(T)                                         \
  ROW3(slct_##T##_s32, T, T, s32, T, c >= 0 ? a : b)    \
  ROW3(slct_##T##_f32, T, T, f32, T, c >= 0.0f ? a : b) \
  ROW3(slct_##T##_ftz, T, T, u32, T, f32_of(f32_flush(c)) >= 0.0f ? a : b)
/* clang-format off */
SLCT(u16)
SLCT(u32)
SLCT(u64)

ROW2(copysign_f32, u32, u32, u32, (a & 0x80000000u) | (b & 0x7fffffffu))
ROW2(copysign_f64, u64, u64, u64, (a & 1ull << 63) | (b & ~(1ull << 63)))
/* clang-format on */

static alu_fn *pick_pack(const struct insn *i) {
  static alu_fn *const pack[3][2] = {{pack_16_2, NULL}, {pack_32_2, pack_32_4}, {pack_64_2, pack_64_4}};
  static alu_fn *const unpack[3][2] = {{unpack_16_2, NULL}, {unpack_32_2, unpack_32_4}, {unpack_64_2, unpack_64_4}};
  const int w = width_index(i->type), n = i->op == OP_PACK ? i->nsrc : i->ndst;
  if (w < 0 || (n != 2 && n != 4)) return NULL;
  return i->op == OP_PACK ? pack[w][n == 4] : unpack[w][n == 4];
}

static alu_fn *pick_mov(const struct insn *i) {
  static alu_fn *const mov[3] = {mov_16, mov_32, mov_64};
  switch (i->type) {
    case T_PRED: return mov_pred;
    case T_U8:
    case T_S8:
    case T_B8: return mov_8;
    default: return width_index(i->type) < 0 ? NULL : mov[width_index(i->type)];
  }
}

alu_fn *alu_pick_move(const struct insn *i) {
  if (i->rnd != R_NONE) return NULL;
  switch (i->op) {
    case OP_MOV: return i->mods ? NULL : pick_mov(i);
    case OP_PACK:
    case OP_UNPACK: return i->mods ? NULL : pick_pack(i);
    case OP_COPYSIGN:
      if (i->mods) return NULL;
      return i->type == T_F32 ? copysign_f32 : i->type == T_F64 ? copysign_f64 : NULL;
    default: return NULL;
  }
}

alu_fn *alu_pick_select(const struct insn *i) {
  static alu_fn *const selp[3] = {selp_16, selp_32, selp_64};
  static alu_fn *const slct[3][3] = {{slct_u16_s32, slct_u16_f32, slct_u16_ftz},
                                     {slct_u32_s32, slct_u32_f32, slct_u32_ftz},
                                     {slct_u64_s32, slct_u64_f32, slct_u64_ftz}};
  const int w = width_index(i->type);
  if (w < 0 || i->rnd != R_NONE) return NULL;
  if (i->op == OP_SELP) return i->mods ? NULL : selp[w];
  if (i->stype == T_S32) return i->mods ? NULL : slct[w][0];
  return i->stype == T_F32 && mods_in(i, M_FTZ) ? slct[w][i->mods ? 2 : 1] : NULL;
}
