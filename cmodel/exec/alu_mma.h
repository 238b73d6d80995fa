/* SPDX-License-Identifier: Apache-2.0 */
/* alu_mma: what the matrix products (alu_mma*.c) share: elements of a register, and pickers of their functions. */
#ifndef RT_EXEC_ALU_MMA_H
#define RT_EXEC_ALU_MMA_H

#include "exec/alu_fp.h"
#include "compiler/ir/mma.h"

/* Element e of the pair or single value that a register holds. */
INLINE float mma_element(unsigned type, uint32_t r, unsigned e) {
  if (type == T_TF32) return f32_of(r & ~0x1fffu);
  return h16_to_f32(type == T_BF16, e ? r >> 16 : r & 0xffff);
}

alu_fn *alu_pick_mma_int(const struct insn *i);  /* 8 and 4 bits, single bits */
alu_fn *alu_pick_mma_quad(const struct insn *i); /* m8n8k4 of f16 */
alu_fn *alu_pick_mma_f64(const struct insn *i);

#endif
