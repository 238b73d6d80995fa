/* SPDX-License-Identifier: Apache-2.0 */
/* pick: the random picks of Malekeh's blocks, from an LFSR of 16 bits. docs/blocks/malekeh/overview.md, "Random picks". */
#ifndef RT_BLOCKS_MALEKEH_PICK_H
#define RT_BLOCKS_MALEKEH_PICK_H

#include "blocks/rules.h"

/* The register is 0 until the first pick: the seed is a port. */
static inline uint64_t pick_value(uint64_t lfsr, uint64_t seed) { return lfsr ? lfsr : seed ? seed : 0xACE1; }

/* A number below n, n >= 1. */
static inline uint64_t pick_below(uint64_t lfsr, uint64_t seed, uint64_t n) { return pick_value(lfsr, seed) * n >> 16; }

/* The register after a pick. */
static inline uint64_t pick_next(uint64_t lfsr, uint64_t seed) {
  const uint64_t s = pick_value(lfsr, seed), next = s >> 1 ^ (s & 1 ? 0xB400 : 0);
  BLOCK_INVARIANT(next && next <= UINT16_MAX);
  return next;
}

#endif
