/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_half: f16 and bf16, one or two to a register. Everything is computed wider and rounded once: sums in
 * f32 (24 bits are more than twice 11 plus 2, so the second rounding never shows), products in f32 (exact
 * down to 2^-134, which for bf16 already is a tie between zero and its least number), fma in f64 rounded to
 * odd.
 */
#include "exec/alu_fp.h"

enum { ADD_, SUB_, MUL_, FMA_ };
struct mode {
  uint32_t ftz, sat, relu;
}; /* 0 or 1 */

INLINE uint32_t half_compute(int op, bool bf, uint32_t ha, uint32_t hb, uint32_t hc) {
  const float a = h16_to_f32(bf, ha), b = h16_to_f32(bf, hb), c = h16_to_f32(bf, hc);
  switch (op) {
    case ADD_: return h16_of_f32(bf, of_f32(a + b), R_RN);
    case SUB_: return h16_of_f32(bf, of_f32(a - b), R_RN);
    case MUL_: return h16_of_f32(bf, of_f32(a * b), R_RN);
    default: return h16_of_double(bf, add_odd((double)a * b, c), R_RN);
  }
}
INLINE uint32_t half_element(int op, bool bf, struct mode m, uint32_t a, uint32_t b, uint32_t c) {
  a = u32_select(m.ftz, h16_flush(bf, a), a);
  b = u32_select(m.ftz, h16_flush(bf, b), b);
  c = u32_select(m.ftz, h16_flush(bf, c), c);
  uint32_t r = half_compute(op, bf, a, b, c);
  r = u32_select(m.ftz, h16_flush(bf, r), r);
  r = u32_select(m.relu, h16_relu(r), r);
  return u32_select(m.sat, h16_saturate(bf, r), r);
}
INLINE void half_rows(int op, bool bf, bool two, const struct insn *i, struct alu_io *io) {
  const struct mode m = {(i->mods & M_FTZ) != 0, (i->mods & M_SAT) != 0, (i->mods & M_RELU) != 0};
  const uint32_t *pa = io->src[0], *pb = io->src[1], *pc = op == FMA_ ? io->src[2] : pa;
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint32_t a = pa[l], b = pb[l], c = pc[l];
    const uint32_t lo = half_element(op, bf, m, a & 0xffff, b & 0xffff, c & 0xffff);
    d[l] = two ? lo | half_element(op, bf, m, a >> 16, b >> 16, c >> 16) << 16 : lo;
  }
}

#define HALF(name, op)                                        \
  ALU_FN(name##_f16) { half_rows(op, false, false, i, io); }  \
  ALU_FN(name##_f16x2) { half_rows(op, false, true, i, io); } \
  ALU_FN(name##_bf16) { half_rows(op, true, false, i, io); }  \
  ALU_FN(name##_bf16x2) { half_rows(op, true, true, i, io); }
/* clang-format off */
HALF(add, ADD_)
HALF(sub, SUB_)
HALF(mul, MUL_)
HALF(fma, FMA_)
/* clang-format on */

/* Only the sign bits; NaN bits stay. */
INLINE uint32_t half_flush_pair(uint32_t x) { return f16_flush(x & 0xffff) | f16_flush(x >> 16) << 16; }
ROW1(neg_16, h16, h16, a ^ 0x8000u)
ROW1(neg_16_ftz, h16, h16, f16_flush(a) ^ 0x8000u)
ROW1(neg_pair, u32, u32, a ^ 0x80008000u)
ROW1(neg_pair_ftz, u32, u32, half_flush_pair(a) ^ 0x80008000u)
ROW1(abs_16, h16, h16, a & 0x7fffu)
ROW1(abs_16_ftz, h16, h16, f16_flush(a) & 0x7fffu)
ROW1(abs_pair, u32, u32, a & 0x7fff7fffu)
ROW1(abs_pair_ftz, u32, u32, half_flush_pair(a) & 0x7fff7fffu)

#define TABLE(name) \
  { name##_f16, name##_f16x2, name##_bf16, name##_bf16x2 }
alu_fn *alu_pick_half(const struct insn *i) {
  static alu_fn *const table[4][4] = {TABLE(add), TABLE(sub), TABLE(mul), TABLE(fma)};
  static alu_fn *const sign[2][2][2] = {{{neg_16, neg_16_ftz}, {neg_pair, neg_pair_ftz}},
                                        {{abs_16, abs_16_ftz}, {abs_pair, abs_pair_ftz}}};
  int t;
  switch (i->type) {
    case T_F16: t = 0; break;
    case T_F16X2: t = 1; break;
    case T_BF16: t = 2; break;
    case T_BF16X2: t = 3; break;
    default: return NULL;
  }
  const bool bf = t > 1;
  if (i->op == OP_NEG || i->op == OP_ABS)
    return mods_in(i, bf ? 0 : M_FTZ) && i->rnd == R_NONE ? sign[i->op == OP_ABS][t & 1][i->mods != 0] : NULL;
  if (i->rnd > R_RN || (i->op == OP_FMA && i->rnd != R_RN)) return NULL;
  const uint32_t relu = i->op == OP_FMA ? M_RELU : 0;
  if (!mods_in(i, bf ? relu : M_FTZ | M_SAT | relu) || (i->mods & M_SAT && i->mods & M_RELU)) return NULL;
  switch (i->op) {
    case OP_ADD: return table[0][t];
    case OP_SUB: return table[1][t];
    case OP_MUL: return table[2][t];
    case OP_FMA: return table[3][t];
    default: return NULL;
  }
}
