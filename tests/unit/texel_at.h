/* SPDX-License-Identifier: Apache-2.0 */
/* texel_at: where a texel lies, one at a time. */
#ifndef RT_TESTS_TEXEL_AT_H
#define RT_TESTS_TEXEL_AT_H

#include "exec/texture_axes.h"

/* Byte within the image of texel (x, y, z or layer) of a level. */
static inline uint32_t texture_texel_at(const struct texture *t, unsigned level, uint32_t x, uint32_t y, uint32_t z) {
  struct texture_axes a;
  texture_axes_of(t, level, &a);
  return a.at + texture_x(&a, x * a.texel) + texture_y(&a, y) + texture_z(&a, z);
}

#endif
