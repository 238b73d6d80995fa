/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_divide: integer division and remainder. Nothing traps, whatever an inactive lane holds. Where PTX leaves the
 * result undefined: x / 0 is all ones, x % 0 is x, and the most negative value / -1 wraps to itself (remainder 0).
 *
 * Up to 32 bits the quotient is the truncated double quotient: the exact one is at least 1/b away from the
 * next integer, the rounding error below 2^-21 / b.
 */
#include "exec/alu_row.h"

INLINE uint32_t quot_u32(uint32_t a, uint32_t b) { return (uint32_t)(int64_t)((double)a / (double)(b ? b : 1)); }
INLINE uint32_t quot_s32(int32_t a, int32_t b) { return (uint32_t)(int64_t)((double)a / (double)(b ? b : 1)); }
INLINE uint64_t quot_u64(uint64_t a, uint64_t b) { return a / (b ? b : 1); }
INLINE uint64_t quot_s64(int64_t a, int64_t b) { return b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / (b ? b : 1)); }

/* With b == 0 the quotient above is a, and a - q * 0 is the dividend as wanted. */
#define DIVIDE(T, W, U)                                          \
  ROW2(div_##T, T, T, U, b == 0 ? (U##_t_) - 1 : quot_##W(a, b)) \
  ROW2(rem_##T, T, T, U, (U##_t_)a - (U##_t_)(quot_##W(a, b) * (U##_t_)b))
DIVIDE(u16, u32, u16)
DIVIDE(s16, s32, u16)
DIVIDE(u32, u32, u32)
DIVIDE(s32, s32, u32)
DIVIDE(u64, u64, u64)
DIVIDE(s64, s64, u64)

alu_fn *alu_pick_divide(const struct insn *i) {
  static alu_fn *const div[6] = {div_u16, div_s16, div_u32, div_s32, div_u64, div_s64};
  static alu_fn *const rem[6] = {rem_u16, rem_s16, rem_u32, rem_s32, rem_u64, rem_s64};
  const int t = int_index(i->type);
  if (t < 0 || i->mods || i->rnd != R_NONE) return NULL;
  return i->op == OP_DIV ? div[t] : rem[t];
}
