/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_mma_quad: m8n8k4 of f16, which makes four products of 8 x 4 and 4 x 8 at once, and m8n8k4 of f64; movmatrix. Sums as in
 * alu_mma.c: they begin with C's element, and the products follow in ascending k, each by one fma; of f64 in the rounding that
 * the instruction names.
 */
#include "exec/alu_mma.h"

enum { QUADS = 4, DEPTH = 4 };

/* Lanes 4 q to 4 q + 3 hold rows 0 to 3 of product q, lanes 16 later rows 4 to 7. */
static unsigned mma_quad_lane(unsigned quad, unsigned row) { return 4 * quad + row % 4 + 16 * (row / 4); }

struct product {
  float a[8][DEPTH], b[DEPTH][8];
};

static void mma_quad_gather(const struct insn *i, const struct alu_io *io, unsigned quad, struct product *p) {
  for (unsigned t = 0; t < 8; t++)
    for (unsigned e = 0; e < 4; e++) {
      const unsigned l = mma_quad_lane(quad, t);
      const float a = mma_element(T_F16, io->src[e / 2][l], e % 2),
                  b = mma_element(T_F16, io->src[2 + e / 2][l], e % 2);
      if (i->cmp & MMA_A_COL) p->a[e + t / 4 * 4][t % 4] = a;
      else p->a[t][e] = a;
      if (i->cmp & MMA_B_ROW) p->b[t % 4][e + t / 4 * 4] = b;
      else p->b[e][t] = b;
    }
}

static float mma_quad_sum(const struct product *p, unsigned row, unsigned col, float c) {
  for (unsigned k = 0; k < DEPTH; k++) c = __builtin_fmaf(p->a[row][k], p->b[k][col], c);
  return c;
}

/* D of f16: a lane has a row; registers 2 h and 2 h + 1 of it are here, columns 4 h to 4 h + 3. */
ALU_FN(quad_f16) {
  uint32_t out[2][32];
  for (unsigned q = 0; q < QUADS; q++) {
    struct product p;
    mma_quad_gather(i, io, q, &p);
    for (unsigned row = 0; row < 8; row++)
      for (unsigned r = 0; r < 2; r++) {
        const unsigned l = mma_quad_lane(q, row);
        uint32_t pair = 0;
        for (unsigned e = 0; e < 2; e++) {
          const float c = mma_element(T_F16, io->src[4 + r][l], e);
          pair |= f16_of_f32(f32_canonical(mma_quad_sum(&p, row, 4 * (unsigned)i->offset + 2 * r + e, c)), R_RN)
                  << 16 * e;
        }
        out[r][l] = pair;
      }
  }
  memcpy(io->dst[0], out[0], sizeof out[0]);
  memcpy(io->dst[1], out[1], sizeof out[1]);
}

/* D of f32: registers 2 h and 2 h + 1 of a lane are two columns of one row. C of f16 lies in the lane that has the row. */
ALU_FN(quad_f32) {
  const unsigned h = (unsigned)i->offset;
  uint32_t out[2][32];
  for (unsigned q = 0; q < QUADS; q++) {
    struct product p;
    mma_quad_gather(i, io, q, &p);
    for (unsigned t = 0; t < 8; t++)
      for (unsigned e = 0; e < 2; e++) {
        const unsigned l = mma_quad_lane(q, t), row = t % 2 + h % 2 * 2 + t / 4 * 4, two = t / 2 % 2,
                       col = h / 2 * 4 + two * 2 + e;
        const float c = i->cmp & MMA_C_OTHER ? mma_element(T_F16, io->src[4 + two][mma_quad_lane(q, row)], e)
                                             : f32_of(io->src[4 + e][l]);
        out[e][l] = f32_canonical(mma_quad_sum(&p, row, col, c));
      }
  }
  memcpy(io->dst[0], out[0], sizeof out[0]);
  memcpy(io->dst[1], out[1], sizeof out[1]);
}

alu_fn *alu_pick_mma_quad(const struct insn *i) {
  const bool f16 = i->type == T_F16;
  if (!mods_in(i, M_SYNC) || i->rnd || i->boolop || i->cmp & MMA_B_OTHER || i->stype != T_F16) return NULL;
  if (i->nsrc != 6 || i->ndst != 2 || i->offset < 0 || i->offset >= (f16 ? 2 : 4)) return NULL;
  if (!f16 && i->type != T_F32) return NULL;
  return !f16 ? quad_f32 : i->cmp & MMA_C_OTHER ? NULL : quad_f16;
}

/* Lane l has row l / 4 of A at k = l % 4, column l / 4 of B, and of D row l / 4, column 2 (l % 4) + offset. */
ALU_FN(f64_columns) {
  double a[8][DEPTH], b[DEPTH][8];
  uint64_t out[32];
  const unsigned rnd = i->rnd;
  for (unsigned l = 0; l < 32; l++) {
    a[l / 4][l % 4] = LD_f64(io->src[0], l);
    b[l % 4][l / 4] = LD_f64(io->src[1], l);
  }
  for (unsigned l = 0; l < 32; l++) {
    const unsigned col = 2 * (l % 4) + (unsigned)i->offset;
    double s = LD_f64(io->src[2], l);
    for (unsigned k = 0; k < DEPTH; k++)
      s = rnd == R_NONE || rnd == R_RN ? __builtin_fma(a[l / 4][k], b[k][col], s)
                                       : f64_of(soft_fma64(of_f64(a[l / 4][k]), of_f64(b[k][col]), of_f64(s), rnd));
    out[l] = f64_canonical(s);
  }
  for (unsigned l = 0; l < 32; l++) ST_u64(io->dst[0], l, out[l]);
}

alu_fn *alu_pick_mma_f64(const struct insn *i) {
  if (!mods_in(i, M_SYNC | M_ROWS_0 | M_ROWS_8) || i->boolop || i->cmp || i->rnd > R_RP) return NULL;
  if (i->type != T_F64 || (i->sub > MMA_K16 && i->sub != MMA_M8_K4) || i->offset < 0 || i->offset > 1) return NULL;
  if (i->nsrc != 3 || i->ndst != 1 || i->src[0].words == 1 || i->src[1].words == 1 || i->src[2].words == 1) return NULL;
  return i->dst[0].kind == O_NONE || i->dst[0].words == 2 ? f64_columns : NULL;
}

/* Lane l gets elements 2 (l % 4) and the next of column l / 4: those of its own register's matrix, turned. */
ALU_FN(movmatrix_turn) {
  uint32_t out[32];
  (void)i;
  for (unsigned l = 0; l < 32; l++) {
    const unsigned row = 2 * (l % 4), col = l / 4; /* of the source: a lane has two columns of a row */
    const uint32_t low = io->src[0][4 * row + col / 2], high = io->src[0][4 * (row + 1) + col / 2];
    out[l] = (low >> col % 2 * 16 & 0xffff) | (high >> col % 2 * 16) << 16;
  }
  memcpy(io->dst[0], out, sizeof out);
}

alu_fn *alu_pick_movmatrix(const struct insn *i) {
  return i->type == T_B16 && mods_in(i, M_SYNC | M_TRANS) && i->nsrc == 1 && i->ndst == 1 && i->src[0].words == 1
             ? movmatrix_turn
             : NULL;
}
