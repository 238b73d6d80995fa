/* SPDX-License-Identifier: Apache-2.0 */
/* regalloc: from virtual registers to physical ones. Never sees PTX: it works on struct code. */
#ifndef RT_REGALLOC_REGALLOC_H
#define RT_REGALLOC_REGALLOC_H

#include "ir/flow.h"

/* The whole way (regalloc/alloc.c): copy coalescing, allocation of 32-bit registers (64-bit in aligned pairs), predicates
 * apart, spilling to local memory; then reconvergence points, liveness and last uses in physical names, op_build.
 * regs_cap: 0, or the most registers (spills when the need is greater; an error when no code can do it);
 * regs_force: report exactly this many (>= need) or cap to it (a launch file's `regs N`); 0: off. */
bool alloc_kernel(struct module *m, struct code *c, uint32_t regs_force, struct err *e);

#endif
