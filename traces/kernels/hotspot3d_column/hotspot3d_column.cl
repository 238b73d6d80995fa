/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot3d_column: one explicit step of a 3D heat stencil with a power source per cell; outside cells equal the edge cell:
 *
 *   t' = cc t + cx (e + w) + cy (n + s) + cz (u + d) + heat p + amb
 *
 * A work item marches through the layers of its column; of a column the cells below, here and above stay in registers. Two
 * layers are computed at once and all of their loads stand before the first sum, as of a compiler that unrolls the loop and
 * hoists loads: registers limit how many groups an SM holds. The number of layers is even.
 */
#pragma OPENCL FP_CONTRACT OFF
#define AHEAD 2

__kernel __attribute__((reqd_work_group_size(64, 4, 1))) void hotspot3d_column(
    __global const float *restrict power, __global const float *restrict from, __global float *restrict to, int w,
    int h, int layers, float cx, float cy, float cz, float cc, float heat, float amb) {
  int x = get_global_id(0), y = get_global_id(1), layer = w * h, c = y * w + x;
  int west = x == 0 ? 0 : -1, east = x == w - 1 ? 0 : 1, north = y == 0 ? 0 : -w, south = y == h - 1 ? 0 : w;
  float below = from[c], here = below;
#pragma unroll 1
  for (int z = 0; z < layers; z += AHEAD) {
    float we[AHEAD], ea[AHEAD], no[AHEAD], so[AHEAD], above[AHEAD], p[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      int at = c + k * layer;
      we[k] = from[at + west], ea[k] = from[at + east], no[k] = from[at + north], so[k] = from[at + south];
      above[k] = from[z + k < layers - 1 ? at + layer : at];
      p[k] = power[at];
    }
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      float t = fma(cx, we[k] + ea[k], cc * here);
      t = fma(cy, no[k] + so[k], t);
      t = fma(cz, below + above[k], t);
      to[c + k * layer] = fma(heat, p[k], t) + amb;
      below = here;
      here = above[k];
    }
    c += AHEAD * layer;
  }
}
