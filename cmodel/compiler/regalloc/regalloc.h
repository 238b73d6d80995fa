/* SPDX-License-Identifier: Apache-2.0 */
/* regalloc: from virtual registers to physical ones. Never sees PTX: it works on struct code. */
#ifndef RT_REGALLOC_REGALLOC_H
#define RT_REGALLOC_REGALLOC_H

#include "compiler/ir/flow.h"

/* An innermost loop of a kernel that is not allocated yet, and how often compiler/regalloc/unroll.c copies its body. */
enum loop_why { LOOP_UNROLLED, LOOP_PRAGMA, LOOP_LONG, LOOP_NOT_CONSTANT, LOOP_BRANCHES };
struct inner_loop {
  uint32_t head, back,
      exit;               /* instructions: first, the branch back, the one that leaves (not if why is LOOP_BRANCHES) */
  uint32_t line;          /* of the first one in the PTX file */
  uint32_t trips, copies; /* 0: not constant; of the body, 1 where it stays as it is */
  enum loop_why why; /* it is unrolled, or what prevents it: .pragma "nounroll"; too many instructions or no divisor;
                                its count; branches within, or several ways out */
};
/* In the order of the text; copies as with schedule.unroll = most. The array is freed by the caller. */
uint32_t code_loops(struct module *m, struct code *c, uint32_t most, struct inner_loop **out);

/* The whole way (compiler/regalloc/alloc.c): copy coalescing, allocation of 32-bit registers (64-bit in aligned pairs), predicates
 * apart, spilling to local memory; then reconvergence points, liveness and last uses in physical names, op_build.
 * regs_cap: 0, or the most registers (spills when the need is greater; an error when no code can do it);
 * regs_force: report exactly this many (>= need) or cap to it (a launch file's `regs N`); 0: off. */
bool alloc_kernel(struct module *m, struct code *c, uint32_t regs_force, struct err *e);
/* Its last step alone, for code in physical names that comes from elsewhere (compiler/regalloc/finish.c): reconvergence points,
 * liveness, last uses, op_build; in the module's arena. */
void finish_code(struct module *m, struct code *c);

#endif
