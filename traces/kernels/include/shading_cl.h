/* SPDX-License-Identifier: Apache-2.0 */
/* shading_cl: vectors of the kernels that draw. Needs own_cl.h; sums are written as fma, in a fixed order. */
#ifndef RT_SHADING_CL_H
#define RT_SHADING_CL_H

typedef struct {
  float x, y, z;
} v3;

static inline v3 vec(float x, float y, float z) {
  v3 r = {x, y, z};
  return r;
}
static inline float dot(v3 a, v3 b) { return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x)); }

/* Where a pixel's middle looks, at z = 1. */
static inline v3 ahead(int x, int y, int w, int h, float scale) {
  return vec(((float)x + 0.5f - 0.5f * (float)w) * scale, (0.5f * (float)h - 0.5f - (float)y) * scale, 1.0f);
}

#endif
