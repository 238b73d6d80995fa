/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv2d: a 3 x 3 filter over a w x h image, one pixel per work item, every input read from global memory.
 * The outermost ring of `out` is left alone.
 */
__kernel void conv2d(__global const float *restrict in, __global float *restrict out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  __global const float *up = in + (y - 1) * w + x, *at = up + w, *down = at + w;
  float sum = 0.2f * up[-1];
  sum = fma(0.5f, up[0], sum);
  sum = fma(-0.8f, up[1], sum);
  sum = fma(-0.3f, at[-1], sum);
  sum = fma(0.6f, at[0], sum);
  sum = fma(-0.9f, at[1], sum);
  sum = fma(0.4f, down[-1], sum);
  sum = fma(0.7f, down[0], sum);
  sum = fma(0.1f, down[1], sum);
  out[y * w + x] = sum;
}
