/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tex_warp: a picture turned and magnified around a point, each pixel the mean of 2 x 2 linearly filtered samples of a texture
 * of four normalised bytes, with coordinates from 0 to 1; the texture mirrors it beyond its edges. One pixel a work item, groups
 * of 16 x 16.
 */
#pragma OPENCL FP_CONTRACT OFF
#include "texture_cl.h"

#define TILE 16

/* dx, dy: the step in the picture from pixel to pixel along a row; along a column it is -dy, dx times aspect's two. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void warp(ulong picture, __global float *restrict out, int w,
                                                                       int h, float dx, float dy, float aspect) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float r = 0.0f, g = 0.0f, b = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 4; k++) {
    float px = (float)x + (0.25f + 0.5f * (float)(k & 1)) - 0.5f * (float)w;
    float py = (float)y + (0.25f + 0.5f * (float)(k >> 1)) - 0.5f * (float)h;
    float u = fma(px, dx, fma(-py, dy, 0.5f)), v = fma(fma(px, dy, py * dx), aspect, 0.5f);
    float4 c = tex_2d(picture, u, v);
    r += c.x;
    g += c.y;
    b += c.z;
  }
  int i = 3 * (y * w + x);
  out[i] = 0.25f * r;
  out[i + 1] = 0.25f * g;
  out[i + 2] = 0.25f * b;
}
