/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reuse: reuse distances of registers in the stream of one warp, as Malekeh defines them (section III-A; our readings are in
 * docs/reference/reuse-distance.md): from an access to the next read of the register by the same warp, in instructions. A write
 * before it, or the warp's end, and the value is not read again. Each instruction of the stream counts, whatever its lanes.
 */
#ifndef RT_IR_REUSE_H
#define RT_IR_REUSE_H

#include "compiler/ir/code.h"

/* Operands of an instruction by number: sources 0 to 5, destinations 6 to 9. In masks, as in op.near, source k is bit k and
 * destination k bit 8 + k. */
enum { REUSE_OPERANDS = 10 };
static inline unsigned reuse_bit(unsigned operand) { return operand < 6 ? operand : operand + 2; }
unsigned reuse_mask(const struct op *op); /* the operands that it has */

/* A warp's registers, each with its last access. Zero at the warp's begin. */
struct reuse_warp {
  uint64_t n; /* instructions so far */
  struct reuse_access {
    uint64_t at, tag;  /* number of the instruction; what the caller calls it */
    uint16_t operands; /* mask: those of it that accessed the register; 0: nothing waits for a reuse */
  } reg[256];
};
/* An access of these operands of instruction `tag` is over: it was reused `distance` instructions later; 0: never. */
typedef void reuse_fn(void *ctx, uint64_t tag, unsigned operands, uint64_t distance);
void reuse_step(struct reuse_warp *w, const struct op *op, uint64_t tag, reuse_fn *over, void *ctx);
void reuse_end(struct reuse_warp *w, reuse_fn *over, void *ctx); /* the warp has exited */

/* How often an operand's reuse was near, and how often it was far or did not come. */
struct reuse_counts {
  uint64_t near[REUSE_OPERANDS], far[REUSE_OPERANDS];
};
void reuse_count(struct reuse_counts *c, unsigned operands, bool near);
/* op.near: near where most are; ties are far. */
uint16_t reuse_near(const struct reuse_counts *c);

/* Of what counts depend on: the operands of each instruction, in its order. */
uint64_t reuse_code_hash(const struct code *c);

#endif
