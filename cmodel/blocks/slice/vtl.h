/* SPDX-License-Identifier: Apache-2.0 */
/* vtl: value truncator of one lane, step 1: fp32 to a narrow float, or the low 4n bits
 * (docs/blocks/slice/vtl.md). */
#ifndef RT_BLOCKS_SLICE_VTL_H
#define RT_BLOCKS_SLICE_VTL_H

#include <stdbool.h>

#define BLOCK vtl
#define BLOCK_DEF "blocks/slice/vtl.def"
#include "blocks/declare.h"

struct vtl {
  struct vtl_state r;
};

/*
 * The code of 4n bits, zeros above. fp: x rounded to nearest even into vcl's format of n nibbles, gradual
 * underflow, quiet NaN; otherwise, and for n = 8, the low 4n bits. fp with n < 2 has no format: 0. n > 8:
 * x.
 */
uint32_t vtl_truncate(uint32_t x, unsigned n, bool fp);
/* The same for the lanes of a warp; y and x do not overlap. */
void vtl_truncate_warp(uint32_t y[restrict 32], const uint32_t x[restrict 32], unsigned n, bool fp);
static inline uint32_t vtl_low_bits(unsigned n) { return n >= 8 ? ~0u : (1u << 4 * n) - 1; }
/* True if the integer x is its low 4n bits zero- or sign-extended. */
static inline bool vtl_restores(uint32_t x, unsigned n) {
  const uint32_t low = x & vtl_low_bits(n), sign = vtl_low_bits(n) & ~(vtl_low_bits(n) >> 1);
  return (x == low) | (x == (low ^ sign) - sign);
}

#endif
