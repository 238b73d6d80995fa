/* SPDX-License-Identifier: Apache-2.0 */
/* tve: thread value extractor: extracts one lane's operand part from its slices (docs/blocks/slice/tve.md). */
#ifndef RT_BLOCKS_SLICE_TVE_H
#define RT_BLOCKS_SLICE_TVE_H

#include "blocks/slice/entry.h"

#define BLOCK tve
#define BLOCK_DEF "blocks/slice/tve.def"
#include "blocks/declare.h"

struct tve {
  struct tve_state r;
};

/* The operations of an entry on every lane: moves, then the bits of fill if the bit at `sign` is set. */
struct tve_plan {
  struct slice_runs moves;
  uint32_t fill;
  unsigned sign;
};
struct tve_plan tve_plan(uint32_t e, bool part, bool sgn);

static inline uint32_t tve_apply(const struct tve_plan *p, uint32_t d) {
  return slice_move(d, p->moves.run, 4, false) | (-(d >> p->sign & 1) & p->fill);
}

/* The part's nibbles of the operand at their places, zeros elsewhere; sign-extended above the last part. */
uint32_t tve_extract(uint32_t d, uint32_t e, bool part, bool sgn);

#endif
