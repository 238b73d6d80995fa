/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_bits: logic on words and predicates, shifts, lop3, and counting of bits. Shift amounts are u32 and
 * clamp at the width.
 */
#include "exec/alu_row.h"

/* 64-bit logic is two rows of 32-bit logic. */
#define LOGIC(name, expr)                              \
  ROW2(name##_16, u16, u16, u16, expr)                 \
  ROW2(name##_32, u32, u32, u32, expr)                 \
  ALU_FN(name##_64) {                                  \
    (void)i;                                           \
    const uint32_t *pa = io->src[0], *pb = io->src[1]; \
    uint32_t *d = io->dst[0];                          \
    EACH_LANE(l) {                                     \
      uint32_t a = pa[l], b = pb[l];                   \
      const uint32_t lo = expr;                        \
      a = pa[32 + l], b = pb[32 + l];                  \
      const uint32_t hi = expr;                        \
      d[l] = lo;                                       \
      d[32 + l] = hi;                                  \
    }                                                  \
  }                                                    \
  ALU_FN(name##_pred) {                                \
    (void)i;                                           \
    const uint32_t a = io->psrc[0], b = io->psrc[1];   \
    (void)b;                                           \
    io->pdst[0] = expr;                                \
  }
LOGIC(and, a &b)
LOGIC(or, a | b)
LOGIC(xor, a ^ b)

ROW1(not_16, u16, u16, ~(uint32_t)a)
ROW1(not_32, u32, u32, ~a)
ROW1(not_64, u64, u64, ~a)
ALU_FN(not_pred) {
  (void)i;
  io->pdst[0] = ~io->psrc[0];
}
ROW1(cnot_16, u16, u16, a == 0)
ROW1(cnot_32, u32, u32, a == 0)
ROW1(cnot_64, u64, u64, a == 0)

ROW2(shl_16, u16, u32, u16, b > 15 ? 0 : (uint32_t)a << (b & 15))
ROW2(shl_32, u32, u32, u32, b > 31 ? 0 : a << (b & 31))
ROW2(shl_64, u64, u32, u64, b > 63 ? 0 : a << (b & 63))
ROW2(shr_u16, u16, u32, u16, b > 15 ? 0 : (uint32_t)a >> (b & 15))
ROW2(shr_u32, u32, u32, u32, b > 31 ? 0 : a >> (b & 31))
ROW2(shr_u64, u64, u32, u64, b > 63 ? 0 : a >> (b & 63))
ROW2(shr_s16, s16, u32, s16, a >> (b > 15 ? 15 : b))
ROW2(shr_s32, s32, u32, s32, a >> (b > 31 ? 31 : b))
ROW2(shr_s64, s64, u32, s64, a >> (b > 63 ? 63 : b))

/* Funnel shifts of b:a by c; left keeps the high word, right the low one. */
INLINE uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n) {
  const uint64_t x = (uint64_t)b << 32 | a;
  return (uint32_t)(x << (n & 63) >> 32);
}
INLINE uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n) {
  const uint64_t x = (uint64_t)b << 32 | a;
  return (uint32_t)(x >> (n & 63));
}
ROW3(shf_l_wrap, u32, u32, u32, u32, funnel_left(a, b, c & 31))
ROW3(shf_l_clamp, u32, u32, u32, u32, funnel_left(a, b, c > 32 ? 32 : c))
ROW3(shf_r_wrap, u32, u32, u32, u32, funnel_right(a, b, c & 31))
ROW3(shf_r_clamp, u32, u32, u32, u32, funnel_right(a, b, c > 32 ? 32 : c))

/* Bit 4a + 2b + c of the table, in every bit position: a choice by c of choices by b of choices by a. */
ALU_FN(lop3_32) {
  const uint32_t *pa = io->src[0], *pb = io->src[1], *pc = io->src[2];
  const uint32_t lut = (uint32_t)i->src[3].imm;
  uint32_t *d = io->dst[0], m[8];
  for (int k = 0; k < 8; k++) m[k] = lut >> k & 1 ? 0xffffffffu : 0;
  const uint32_t m0 = m[0], x0 = m[0] ^ m[4], m1 = m[1], x1 = m[1] ^ m[5];
  const uint32_t m2 = m[2], x2 = m[2] ^ m[6], m3 = m[3], x3 = m[3] ^ m[7];
  EACH_LANE(l) {
    const uint32_t a = pa[l], b = pb[l], c = pc[l];
    const uint32_t k0 = m0 ^ (a & x0), k1 = m1 ^ (a & x1), k2 = m2 ^ (a & x2), k3 = m3 ^ (a & x3);
    const uint32_t b0 = k0 ^ (b & (k0 ^ k2)), b1 = k1 ^ (b & (k1 ^ k3));
    d[l] = b0 ^ (c & (b0 ^ b1));
  }
}

INLINE uint32_t u32_popc(uint32_t x) {
  x -= x >> 1 & 0x55555555;
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}
INLINE uint32_t u32_smear(uint32_t x) {
  x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8;
  return x | x >> 16;
}
INLINE uint32_t u32_clz(uint32_t x) { return 32 - u32_popc(u32_smear(x)); }
INLINE uint32_t u64_popc(uint64_t x) { return u32_popc((uint32_t)x) + u32_popc((uint32_t)(x >> 32)); }
INLINE uint32_t u64_clz(uint64_t x) {
  const uint32_t hi = (uint32_t)(x >> 32);
  return hi ? u32_clz(hi) : 32 + u32_clz((uint32_t)x);
}
INLINE uint32_t u32_brev(uint32_t x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
  return x >> 16 | x << 16;
}
ROW1(popc_32, u32, u32, u32_popc(a))
ROW1(popc_64, u64, u32, u64_popc(a))
ROW1(clz_32, u32, u32, u32_clz(a))
ROW1(clz_64, u64, u32, u64_clz(a))
ROW1(brev_32, u32, u32, u32_brev(a))
ROW1(brev_64, u64, u64, (uint64_t)u32_brev((uint32_t)a) << 32 | u32_brev((uint32_t)(a >> 32)))

/* Place of the highest bit that is not sign; .shiftamt: how far to shift it to the top; all ones where there is
 * none. */
INLINE uint32_t u32_find_top(uint32_t a, bool amount) {
  const uint32_t z = u32_clz(a);
  return z == 32 ? ~0u : amount ? z : 31 - z;
}
INLINE uint32_t u64_find_top(uint64_t a, bool amount) {
  const uint32_t z = u64_clz(a);
  return z == 64 ? ~0u : amount ? z : 63 - z;
}
#define FIND(name, amount)                                                    \
  ROW1(name##_u32, u32, u32, u32_find_top(a, amount))                         \
  ROW1(name##_s32, s32, u32, u32_find_top((uint32_t)(a ^ (a >> 31)), amount)) \
  ROW1(name##_u64, u64, u32, u64_find_top(a, amount))                         \
  ROW1(name##_s64, s64, u32, u64_find_top((uint64_t)(a ^ (a >> 63)), amount))
FIND(bfind, false)
FIND(bfind_amount, true)

static alu_fn *pick_shift(const struct insn *i) {
  static alu_fn *const shl[3] = {shl_16, shl_32, shl_64};
  static alu_fn *const shr_u[3] = {shr_u16, shr_u32, shr_u64};
  static alu_fn *const shr_s[6] = {NULL, shr_s16, NULL, shr_s32, NULL, shr_s64};
  if (i->op == OP_SHL) return type_is_bits(i->type) ? shl[width_index(i->type)] : NULL;
  const int t = int_index(i->type);
  if (t < 0 && !type_is_bits(i->type)) return NULL;
  return t >= 0 && shr_s[t] ? shr_s[t] : shr_u[width_index(i->type)];
}

static alu_fn *pick_funnel(const struct insn *i) {
  if (i->type != T_B32) return NULL;
  switch (i->mods) {
    case M_LEFT | M_WRAP: return shf_l_wrap;
    case M_LEFT | M_CLAMP: return shf_l_clamp;
    case M_RIGHT | M_WRAP: return shf_r_wrap;
    case M_RIGHT | M_CLAMP: return shf_r_clamp;
    default: return NULL;
  }
}

static alu_fn *pick_find(const struct insn *i) {
  static alu_fn *const find[4] = {bfind_u32, bfind_s32, bfind_u64, bfind_s64};
  static alu_fn *const amount[4] = {bfind_amount_u32, bfind_amount_s32, bfind_amount_u64, bfind_amount_s64};
  const int t = int_index(i->type) - 2;
  if (t < 0 || !mods_in(i, M_SHIFTAMT)) return NULL;
  return i->mods ? amount[t] : find[t];
}

static alu_fn *pick_logic(const struct insn *i) {
  static alu_fn *const table[5][4] = {
      {and_16, and_32, and_64, and_pred}, {or_16, or_32, or_64, or_pred},    {xor_16, xor_32, xor_64, xor_pred},
      {not_16, not_32, not_64, not_pred}, {cnot_16, cnot_32, cnot_64, NULL},
  };
  const bool pred = i->type == T_PRED;
  if (i->mods || (!pred && !type_is_bits(i->type))) return NULL;
  const int w = pred ? 3 : width_index(i->type);
  switch (i->op) {
    case OP_AND: return table[0][w];
    case OP_OR: return table[1][w];
    case OP_XOR: return table[2][w];
    case OP_NOT: return table[3][w];
    case OP_CNOT: return table[4][w];
    default: return NULL;
  }
}

alu_fn *alu_pick_bits(const struct insn *i) {
  const bool b32 = i->type == T_B32, b64 = i->type == T_B64;
  if (i->rnd != R_NONE) return NULL;
  switch (i->op) {
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_CNOT: return pick_logic(i);
    case OP_SHL:
    case OP_SHR: return i->mods ? NULL : pick_shift(i);
    case OP_SHF: return pick_funnel(i);
    case OP_LOP3: return b32 && !i->mods && i->src[3].kind == O_IMM ? lop3_32 : NULL;
    case OP_BFIND: return pick_find(i);
    default: break;
  }
  if (i->mods) return NULL;
  switch (i->op) {
    case OP_POPC: return b32 ? popc_32 : b64 ? popc_64 : NULL;
    case OP_CLZ: return b32 ? clz_32 : b64 ? clz_64 : NULL;
    case OP_BREV: return b32 ? brev_32 : b64 ? brev_64 : NULL;
    default: return NULL;
  }
}
