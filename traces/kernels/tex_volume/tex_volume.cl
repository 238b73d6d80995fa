/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tex_volume: rays through a volume of bytes, a 3-D texture with linear filtering and coordinates from 0 to 1. Every sample's density
 * gets its colour and opacity from a table, a 1-D texture of four floats with linear filtering; they are added up from front
 * to back until little would change. One ray (pixel) a work item, groups of 16 x 16.
 */
#pragma OPENCL FP_CONTRACT OFF
#include "texture_cl.h"

#define TILE 16

/* The eye looks along z from `eye` before the volume [0, 1]^3; `turn` shears the rays, so that three of its sides are seen. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void rays(ulong volume, ulong colours,
                                                                       __global float *restrict out, int w, int h,
                                                                       int steps, float eye, float turn) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float step = recip_rn((float)steps);
  float dx = ((float)x + 0.5f - 0.5f * (float)w) * recip_rn((float)w) * 1.5f;
  float dy = ((float)y + 0.5f - 0.5f * (float)h) * recip_rn((float)h) * 1.5f;
  float r = 0.0f, g = 0.0f, b = 0.0f, clear = 1.0f;
#pragma unroll 1
  for (int k = 0; k < steps && clear > 0.02f; k++) {
    float z = ((float)k + 0.5f) * step, away = z + eye, at = z - 0.5f;
    float density = tex_3d(volume, fma(at, turn, fma(dx, away, 0.5f)), fma(at, -turn, fma(dy, away, 0.5f)), z).x;
    float4 c = tex_1d(colours, density);
    float part = clear * c.w;
    r = fma(part, c.x, r);
    g = fma(part, c.y, g);
    b = fma(part, c.z, b);
    clear -= part;
  }
  int i = 3 * (y * w + x);
  out[i] = r;
  out[i + 1] = g;
  out[i + 2] = b;
}
