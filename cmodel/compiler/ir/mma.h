/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mma: the matrix instructions of PTX: shapes, fields of an MMA instruction, and the work that one is to the tensor unit.
 * docs/reference/tensor.md has the layouts and how wide ones are split.
 *
 * An MMA of ours computes eight rows and eight columns of D = A B + C, or a part of those:
 * - n registers of A (1 or 2), n of B, one or two of C; one or two of D. C and D are one register where they are f16, else two.
 *   M_ROWS_0, M_ROWS_8: which rows of a shape with sixteen.
 * - f16 at m16n8k8 with sums of f16: all sixteen rows; a0, a1, b0, c0, c1; d0, d1.
 * - f64: one (pair of a) register each of A, B, C and D, at k = 4; insn.offset: 0 for the even columns, 1 for the odd ones.
 * - f16 at m8n8k4, four products at once: a0, a1, b0, b1, two of C; two of D, which are registers 2 insn.offset and the next.
 */
#ifndef RT_IR_MMA_H
#define RT_IR_MMA_H

#include "compiler/ir/insn.h"

struct mma_shape {
  const char *name; /* "m16n8k8" */
  uint8_t m, n;
  uint16_t k;
};

const struct mma_shape *mma_shape(unsigned sub); /* of insn.sub; NULL: none */
unsigned mma_bits(enum dtype t);                 /* of an element; 0: no type of a matrix */

enum {                  /* insn.cmp of an MMA: bits */
       MMA_A_COL = 1,   /* m8n8k4 of f16: A is .col */
       MMA_B_ROW = 2,   /* and B .row */
       MMA_B_OTHER = 4, /* B's integers have a sign where A's have none, or the other way round */
       MMA_C_OTHER = 8  /* C is f32 where D is f16, or the other way round */
};

/* What the rate of the tensor unit depends on; unit.tensor_*interval. */
enum mma_rate { RATE_F16, RATE_BF16, RATE_TF32, RATE_INT8, RATE_INT4, RATE_B1, RATE_F64, RATE_COUNT };
enum mma_rate mma_rate(const struct insn *i);
unsigned mma_intervals(const struct insn *i); /* of that rate */

#endif
