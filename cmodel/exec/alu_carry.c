/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_carry: chains of extended precision. Carries live in predicates: in src2 (ADDC, SUBC: borrow) or src3
 * (MADC), out in dst1. pdst[1] is written always; it is kept only where the instruction names it.
 */
#include "exec/alu_row.h"

#define A(T) LD_##T(io->src[0], l)
#define B(T) LD_##T(io->src[1], l)
#define C(T) LD_##T(io->src[2], l)

/* x + y + carry, and x - y - borrow, in the unsigned lane type T. */
#define CHAIN_ADD(name, T, cin, xe, ye)                            \
  ALU_FN(name) {                                                   \
    (void)i;                                                       \
    const uint32_t in = cin;                                       \
    uint32_t *d = io->dst[0], out = 0;                             \
    EACH_LANE(l) {                                                 \
      const T##_t_ x = xe, y = ye, k = in >> l & 1, s = x + y + k; \
      out |= (uint32_t)((s < x) | (k & (s == x))) << l;            \
      ST_##T(d, l, s);                                             \
    }                                                              \
    io->pdst[1] = out;                                             \
  }
#define CHAIN_SUB(name, T, cin)                         \
  ALU_FN(name) {                                        \
    (void)i;                                            \
    const uint32_t in = cin;                            \
    uint32_t *d = io->dst[0], out = 0;                  \
    EACH_LANE(l) {                                      \
      const T##_t_ x = A(T), y = B(T), k = in >> l & 1; \
      out |= (uint32_t)((x < y) | (k & (x == y))) << l; \
      ST_##T(d, l, x - y - k);                          \
    }                                                   \
    io->pdst[1] = out;                                  \
  }

CHAIN_ADD(add_cc_32, u32, 0, A(u32), B(u32))
CHAIN_ADD(add_cc_64, u64, 0, A(u64), B(u64))
CHAIN_ADD(addc_32, u32, io->psrc[2], A(u32), B(u32))
CHAIN_ADD(addc_64, u64, io->psrc[2], A(u64), B(u64))
CHAIN_SUB(sub_cc_32, u32, 0)
CHAIN_SUB(sub_cc_64, u64, 0)
CHAIN_SUB(subc_32, u32, io->psrc[2])
CHAIN_SUB(subc_64, u64, io->psrc[2])

/* The product part is added to c: the carry is that of this addition. */
#define CHAIN_MAD(suffix, cin)                                                 \
  CHAIN_ADD(mad##suffix##_lo_32, u32, cin, A(u32) * B(u32), C(u32))            \
  CHAIN_ADD(mad##suffix##_lo_64, u64, cin, A(u64) * B(u64), C(u64))            \
  CHAIN_ADD(mad##suffix##_hi_u32, u32, cin, mulhi_u32(A(u32), B(u32)), C(u32)) \
  CHAIN_ADD(mad##suffix##_hi_s32, u32, cin, mulhi_s32(A(s32), B(s32)), C(u32)) \
  CHAIN_ADD(mad##suffix##_hi_u64, u64, cin, mulhi_u64(A(u64), B(u64)), C(u64)) \
  CHAIN_ADD(mad##suffix##_hi_s64, u64, cin, mulhi_s64(A(s64), B(s64)), C(u64))
CHAIN_MAD(_cc, 0)
CHAIN_MAD(c, io->psrc[3])

alu_fn *alu_pick_carry(const struct insn *i) {
  /* by width and sign: u32 s32 u64 s64 */
  static alu_fn *const add[4] = {add_cc_32, add_cc_32, add_cc_64, add_cc_64};
  static alu_fn *const addc[4] = {addc_32, addc_32, addc_64, addc_64};
  static alu_fn *const sub[4] = {sub_cc_32, sub_cc_32, sub_cc_64, sub_cc_64};
  static alu_fn *const subc[4] = {subc_32, subc_32, subc_64, subc_64};
  static alu_fn *const mad[2][4] = {{mad_cc_lo_32, mad_cc_lo_32, mad_cc_lo_64, mad_cc_lo_64},
                                    {mad_cc_hi_u32, mad_cc_hi_s32, mad_cc_hi_u64, mad_cc_hi_s64}};
  static alu_fn *const madc[2][4] = {{madc_lo_32, madc_lo_32, madc_lo_64, madc_lo_64},
                                     {madc_hi_u32, madc_hi_s32, madc_hi_u64, madc_hi_s64}};
  const int t = int_index(i->type) - 2;
  if (t < 0 || i->rnd != R_NONE) return NULL;
  const bool is_mad = i->op == OP_MAD || i->op == OP_MADC;
  const uint32_t part = i->mods & ~(uint32_t)M_CC;
  if (is_mad ? part != M_LO && part != M_HI : part != 0) return NULL;
  switch (i->op) {
    case OP_ADD: return add[t];
    case OP_SUB: return sub[t];
    case OP_ADDC: return addc[t];
    case OP_SUBC: return subc[t];
    case OP_MAD: return mad[part == M_HI][t];
    case OP_MADC: return madc[part == M_HI][t];
    default: return NULL;
  }
}
