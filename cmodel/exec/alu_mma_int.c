/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_mma_int: eight rows of D = A B + C on integers of 8 and 4 bits and on single bits; C and D are s32.
 *
 * The products are added exactly, and so is C; the sum is then taken modulo 2^32 or, under .satfinite, limited to what an
 * s32 holds. Of bits, a product is a xor b or a and b, and the ones are counted.
 */
#include "exec/alu_mma.h"

enum { ROWS = 8, COLS = 8, MOST = 64 }; /* MOST: elements of 4 bits in two registers of four lanes */

static int32_t mma_int_element(unsigned bits, bool sign, uint32_t r, unsigned e) {
  const uint32_t v = r >> e * bits << (32 - bits);
  return sign ? (int32_t)v >> (32 - bits) : (int32_t)(v >> (32 - bits));
}

static void mma_int_result(const struct insn *i, struct alu_io *io, unsigned n, int32_t sum[ROWS][COLS]) {
  const uint32_t *const *c = io->src + 2 * n;
  for (unsigned l = 0; l < 32; l++)
    for (unsigned e = 0; e < 2; e++) {
      const int64_t exact = (int64_t)(int32_t)c[e][l] + sum[l / 4][2 * (l % 4) + e];
      const int64_t most = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
      sum[l / 4][2 * (l % 4) + e] = i->mods & M_SAT ? (int32_t)most : (int32_t)(uint32_t)exact;
    }
  for (unsigned l = 0; l < 32; l++)
    for (unsigned e = 0; e < 2; e++) io->dst[e][l] = (uint32_t)sum[l / 4][2 * (l % 4) + e];
}

/* Lane l has row (column) l / 4 and of register r the elements from k = (4 r + l % 4) times those of a register. */
INLINE void mma_int_rows(const struct insn *i, struct alu_io *io, unsigned bits) {
  const unsigned n = i->nsrc / 2 - 1, per = 32 / bits, depth = 4 * per * n;
  const bool sa = i->stype == T_S8 || i->stype == T_S4, sb = sa != !!(i->cmp & MMA_B_OTHER);
  int16_t a[ROWS][MOST], b[MOST][COLS];
  int32_t sum[ROWS][COLS] = {{0}};
  for (unsigned r = 0; r < n; r++)
    for (unsigned l = 0; l < 32; l++)
      for (unsigned e = 0; e < per; e++) {
        const unsigned k = (4 * r + l % 4) * per + e;
        a[l / 4][k] = (int16_t)mma_int_element(bits, sa, io->src[r][l], e);
        b[k][l / 4] = (int16_t)mma_int_element(bits, sb, io->src[n + r][l], e);
      }
  for (unsigned y = 0; y < ROWS; y++)
    for (unsigned k = 0; k < depth; k++)
      for (unsigned x = 0; x < COLS; x++) sum[y][x] += a[y][k] * b[k][x];
  mma_int_result(i, io, n, sum);
}
ALU_FN(of_8_bits) { mma_int_rows(i, io, 8); }
ALU_FN(of_4_bits) { mma_int_rows(i, io, 4); }

ALU_FN(of_bits) {
  const unsigned n = i->nsrc / 2 - 1;
  const bool both = i->boolop == B_AND;
  int32_t sum[ROWS][COLS] = {{0}};
  for (unsigned r = 0; r < n; r++)
    for (unsigned y = 0; y < ROWS; y++)
      for (unsigned x = 0; x < COLS; x++)
        for (unsigned t = 0; t < 4; t++) {
          const uint32_t a = io->src[r][4 * y + t], b = io->src[n + r][4 * x + t];
          sum[y][x] += __builtin_popcount(both ? a & b : a ^ b);
        }
  mma_int_result(i, io, n, sum);
}

alu_fn *alu_pick_mma_int(const struct insn *i) {
  const bool bits = i->stype == T_B1, four = i->stype == T_U4 || i->stype == T_S4;
  const struct mma_shape *s = mma_shape(i->sub);
  if (!mods_in(i, M_SYNC | M_ROWS_0 | M_ROWS_8 | (bits ? 0 : M_SAT)) || i->rnd || i->offset) return NULL;
  if (i->type != T_S32 || !s || !(bits || four || i->stype == T_U8 || i->stype == T_S8)) return NULL;
  if (i->cmp & ~(bits ? 0 : MMA_B_OTHER) || (bits ? i->boolop != B_AND && i->boolop != B_XOR : i->boolop != B_NONE))
    return NULL;
  const unsigned n = s->k * mma_bits((enum dtype)i->stype) / 128; /* registers of A with eight rows */
  if (n < 1 || n > 2 || i->nsrc != 2 * n + 2 || i->ndst != 2) return NULL;
  return bits ? of_bits : four ? of_4_bits : of_8_bits;
}
