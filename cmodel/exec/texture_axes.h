/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_axes: a level of an image as the sum of one term per axis (texture_layout.c). Private to exec/.
 */
#ifndef RT_EXEC_TEXTURE_AXES_H
#define RT_EXEC_TEXTURE_AXES_H

#include <string.h>

#include "exec/texture.h"
#include "compiler/ir/insn.h"

struct texture_axes {
  uint32_t at, texel;            /* byte of the level in the image; bytes of a texel */
  uint32_t width, height, depth; /* texels */
  uint64_t row, slice;           /* bytes from row to row; blocks: from one row, layer of blocks to the next */
  bool block;
  uint8_t block_height, block_depth, block_log2; /* log2 of GOBs, of slices, of the bytes of a block */
};
/* Of a laid out texture. */
void texture_axes_of(const struct texture *t, unsigned level, struct texture_axes *a);
const char *texture_geom_name(unsigned geom); /* "a2d" */

/* Byte of x (in bytes), y, z (or layer): their sum and `at` is that of the texel. */
static inline uint32_t texture_x(const struct texture_axes *a, uint32_t x) {
  return a->block ? (x >> 6 << a->block_log2) + ((x & 32) << 3) + ((x & 16) << 1) + (x & 15) : x;
}
static inline uint32_t texture_y(const struct texture_axes *a, uint32_t y) {
  if (!a->block) return y * (uint32_t)a->row;
  const uint32_t gob = y >> 3 & ((1u << a->block_height) - 1);
  return (y >> (3 + a->block_height)) * (uint32_t)a->row + (gob << 9) + ((y & 6) << 5) + ((y & 1) << 4);
}
static inline uint32_t texture_z(const struct texture_axes *a, uint32_t z) {
  if (!a->block) return z * (uint32_t)a->slice;
  return (z >> a->block_depth) * (uint32_t)a->slice + ((z & ((1u << a->block_depth) - 1)) << (9 + a->block_height));
}

#endif
