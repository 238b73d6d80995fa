/* SPDX-License-Identifier: Apache-2.0 */
/* vcl: value converter of one lane: narrow float of n nibbles to fp32 (docs/blocks/slice/vcl.md). */
#ifndef RT_BLOCKS_SLICE_VCL_H
#define RT_BLOCKS_SLICE_VCL_H

#include <stdbool.h>

#define BLOCK vcl
#define BLOCK_DEF "blocks/slice/vcl.def"
#include "blocks/declare.h"

struct vcl {
  struct vcl_state r;
};

/* Bits of exponent and of mantissa; the sign is above them. exp = 0 where no format has n nibbles. */
struct vcl_format {
  unsigned exp, man;
};
static inline struct vcl_format vcl_format(unsigned n) {
  static const struct vcl_format f[9] = {[2] = {3, 4}, {4, 7}, {5, 10}, {5, 14}, {6, 17}, {7, 20}, {8, 23}};
  return n <= 8 ? f[n] : f[0];
}

/* The fp32 value of the code in the low 4n bits of x; exact, NaN payloads kept. n = 8: x. No format: 0. */
uint32_t vcl_convert(uint32_t x, unsigned n);
/* The same for the lanes of a warp; y and x do not overlap. */
void vcl_convert_warp(uint32_t y[restrict 32], const uint32_t x[restrict 32], unsigned n);

#endif
