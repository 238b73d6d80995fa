/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stencil: a Jacobi step of the 7-point stencil in three dimensions,
 *   to = centre * cell + side * (sum of its six neighbours); cells on the box's surface stay as they are.
 * A work item has one x and y and walks along z for `depth` cells, with the cells below, here and above in
 * registers, so that each is loaded once for that direction; the other four come from the cache.
 */
__kernel void stencil(__global const float *restrict from, __global float *restrict to, int w, int h, int d,
                      int depth, float centre, float side) {
  int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1;
  if (x >= w - 1 || y >= h - 1) return;
  int plane = w * h;
  int z = (int)get_group_id(2) * depth + 1, end = min(z + depth, d - 1);
  int i = z * plane + y * w + x;
  float below = from[i - plane], here = from[i];
#pragma nounroll
  for (; z < end; z++) {
    float above = from[i + plane];
    float sum = below + above + from[i - w] + from[i + w] + from[i - 1] + from[i + 1];
    to[i] = fma(side, sum, centre * here);
    below = here;
    here = above;
    i += plane;
  }
}
