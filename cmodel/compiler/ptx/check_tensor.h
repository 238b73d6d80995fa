/* SPDX-License-Identifier: Apache-2.0 */
/* check_tensor: which shapes, types, layouts and modifiers of mma go together, and the registers that its operands have. */
#ifndef RT_PTX_CHECK_TENSOR_H
#define RT_PTX_CHECK_TENSOR_H

#include "compiler/ptx/check.h"

/* seen: set of enum group. */
bool check_mma(const struct ir *ir, const struct ir_insn *i, uint64_t seen, struct err *e);
/* Of operand 0 to 3: D, A, B, C: how many registers it has, and the type that each of them holds. */
unsigned check_mma_regs(const struct ir_insn *i, unsigned operand);
uint8_t check_mma_type(const struct ir_insn *i, unsigned operand);

struct wmma_shape {
  const char *name;
  uint8_t m, n, k;
  uint32_t in, out; /* types of A and B, of C and D */
};
const struct wmma_shape *wmma_shape(unsigned sub);
/* Also puts the types into their places: D, A, B, C; of a load or store i->type alone. */
bool check_wmma(const struct ir *ir, struct ir_insn *i, unsigned ntypes, uint64_t seen, struct err *e);
/* Of the fragment WMMA_A, ... */
unsigned check_wmma_regs(const struct ir_insn *i, unsigned fragment);
uint8_t check_wmma_type(const struct ir_insn *i, unsigned fragment);

#endif
