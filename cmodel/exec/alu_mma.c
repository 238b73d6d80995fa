/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_mma: D = A B + C on the fragments of a warp (docs/reference/tensor.md has the layouts).
 *
 * PTX leaves order and rounding of the sum open. Here: each element of D is C's, to which the products are
 * added in ascending k, each by one fma rounded to nearest even in f32. The products of f16, bf16 and tf32
 * are exact in it. Subnormals count. C in f16 is widened exactly, D in f16 is rounded once, at the end. Of
 * tf32 operands the 13 lowest bits are ignored. NaN results are canonical, as everywhere.
 * Here: f16, bf16 and tf32 by eight rows; alu_mma_int.c, alu_mma_quad.c (f16 at m8n8k4, f64): the others.
 */
#include "exec/alu_mma.h"

enum { ROWS = 8, COLS = 8, DEPTH = 16 };

/* Registers a[0..n-1] hold rows of A, b[] columns of B: lane l has row (column) l / 4, and of each register
 * the elements at k = 8 r + 2 (l % 4) and the next; of tf32 the one at k = 4 r + l % 4. */
INLINE void eight_rows(unsigned type, bool c32, bool f32, unsigned n, const uint32_t *const *a,
                       const uint32_t *const *b, const uint32_t *const *c, uint32_t *const *d) {
  const unsigned per = type == T_TF32 ? 1 : 2, depth = 4 * per * n;
  float am[ROWS][DEPTH], bm[DEPTH][COLS], sum[ROWS][COLS];
  for (unsigned r = 0; r < n; r++)
    for (unsigned l = 0; l < 32; l++)
      for (unsigned e = 0; e < per; e++) {
        const unsigned k = (4 * r + l % 4) * per + e;
        am[l / 4][k] = mma_element(type, a[r][l], e);
        bm[k][l / 4] = mma_element(type, b[r][l], e);
      }
  for (unsigned l = 0; l < 32; l++)
    for (unsigned e = 0; e < 2; e++)
      sum[l / 4][2 * (l % 4) + e] = c32 ? f32_of(c[e][l]) : mma_element(T_F16, c[0][l], e);
  for (unsigned y = 0; y < ROWS; y++)
    for (unsigned k = 0; k < depth; k++)
      for (unsigned x = 0; x < COLS; x++) sum[y][x] = __builtin_fmaf(am[y][k], bm[k][x], sum[y][x]);
  for (unsigned l = 0; l < 32; l++) {
    const uint32_t lo = f32_canonical(sum[l / 4][2 * (l % 4)]), hi = f32_canonical(sum[l / 4][2 * (l % 4) + 1]);
    if (f32) {
      d[0][l] = lo;
      d[1][l] = hi;
    } else {
      d[0][l] = f16_of_f32(lo, R_RN) | f16_of_f32(hi, R_RN) << 16;
    }
  }
}

/* Eight rows by n registers of A: A, B, C as they come; C and D of f16 or f32. */
#define HALF(name, type, c32, f32, n)                                                  \
  ALU_FN(name) {                                                                       \
    (void)i;                                                                           \
    eight_rows(type, c32, f32, n, io->src, io->src + (n), io->src + 2 * (n), io->dst); \
  }
HALF(f16_f16_1, T_F16, false, false, 1)
HALF(f16_f16_2, T_F16, false, false, 2)
HALF(f32_f16_1, T_F16, true, true, 1)
HALF(f32_f16_2, T_F16, true, true, 2)
HALF(f32_bf16_1, T_BF16, true, true, 1)
HALF(f32_bf16_2, T_BF16, true, true, 2)
HALF(f32_tf32_1, T_TF32, true, true, 1)
HALF(f32_tf32_2, T_TF32, true, true, 2)
/* D and C differ: of wmma, at k = 16 only. */
HALF(f16_from_f32, T_F16, true, false, 2)
HALF(f32_from_f16, T_F16, false, true, 2)

/* All sixteen: only f16 with f16 results at k = 8 needs no more than six registers. */
ALU_FN(f16_f16_whole) {
  (void)i;
  const uint32_t *a0 = io->src[0], *a8 = io->src[1], *c0 = io->src[3], *c8 = io->src[4];
  uint32_t low[32], *to = low;
  eight_rows(T_F16, false, false, 1, &a0, &io->src[2], &c0, &to);
  eight_rows(T_F16, false, false, 1, &a8, &io->src[2], &c8, &io->dst[1]);
  memcpy(io->dst[0], low, sizeof low);
}

static alu_fn *pick_rows(const struct insn *i) {
  static alu_fn *const half[4][2] = {
      {f16_f16_1, f16_f16_2}, {f32_f16_1, f32_f16_2}, {f32_bf16_1, f32_bf16_2}, {f32_tf32_1, f32_tf32_2}};
  const unsigned in = i->stype, rows = i->mods & (M_ROWS_0 | M_ROWS_8);
  const bool f16 = i->type == T_F16, tf32 = in == T_TF32, mixed = i->cmp & MMA_C_OTHER;
  if (!mods_in(i, M_SYNC | M_ROWS_0 | M_ROWS_8) || rows == (M_ROWS_0 | M_ROWS_8) || i->sub > MMA_K16) return NULL;
  if (i->rnd || i->boolop || i->cmp & ~MMA_C_OTHER || i->offset) return NULL;
  if (i->type != T_F32 && !(f16 && in == T_F16)) return NULL;
  if (tf32 ? i->sub == MMA_K16 : i->sub == MMA_K4) return NULL;
  if (!rows) return f16 && !mixed && i->sub == MMA_K8 && i->nsrc == 5 && i->ndst == 2 ? f16_f16_whole : NULL;
  const unsigned n = i->sub == (tf32 ? MMA_K8 : MMA_K16) ? 2 : 1, d = f16 ? 1 : 2, c = f16 != mixed ? 1 : 2;
  if (i->nsrc != 2 * n + c || i->ndst != d) return NULL;
  if (mixed) return in != T_F16 || n != 2 ? NULL : f16 ? f16_from_f32 : f32_from_f16;
  return half[f16 ? 0 : in == T_F16 ? 1 : in == T_BF16 ? 2 : 3][n - 1];
}

alu_fn *alu_pick_mma(const struct insn *i) {
  switch (i->stype) {
    case T_F16:
    case T_BF16:
    case T_TF32: return i->sub == MMA_M8_K4 ? alu_pick_mma_quad(i) : pick_rows(i);
    case T_F64: return alu_pick_mma_f64(i);
    default: return alu_pick_mma_int(i);
  }
}
