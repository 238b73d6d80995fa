/* SPDX-License-Identifier: Apache-2.0 */
/* lower_tensor: the instructions that a matrix product becomes; private to compiler/ptx/lower_tensor.c and lower_wmma.c. */
#ifndef RT_PTX_LOWER_TENSOR_H
#define RT_PTX_LOWER_TENSOR_H

#include "compiler/ir/mma.h"
#include "compiler/ptx/lower.h"

enum { MMA_PARTS = 16 }; /* f64 at m16n8k16 */
struct mma_parts {
  struct insn i[MMA_PARTS];   /* i[n] is the one being filled */
  uint8_t goes_on[MMA_PARTS]; /* bit per source: it is what an earlier part has written, a sum that goes on */
  unsigned n;
};
/* What all parts of the statement share. */
struct insn mma_like(const struct ir_insn *s, uint8_t sub);
void mma_part_src(struct mma_parts *p, struct opnd o);
void mma_part_dst(struct mma_parts *p, struct opnd o);
void mma_part_end(struct mma_parts *p, const struct insn *like); /* what is not of the part alone is as in `like` */
/* Guarded as the statement; what a later part reads and an earlier one writes is copied first. */
void mma_parts_emit(struct lower *l, struct mma_parts *p);

#endif
