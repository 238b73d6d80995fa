/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fdtd2d: finite differences in the time domain (Yee 1966) for a field of h x w cells with ex and ey in the
 * plane and hz across it. A time step is three launches, one cell per work item:
 *   fdtd_ey   ey -= (hz - hz above) / 2; row 0 is the source
 *   fdtd_ex   ex -= (hz - hz to the left) / 2, but for column 0
 *   fdtd_hz   hz -= 0.7 (ex to the right - ex + ey below - ey), but for the last row and column
 */
__kernel void fdtd_ey(__global float *restrict ey, __global const float *restrict hz, int w, int h,
                      float source) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  int i = y * w + x;
  ey[i] = y == 0 ? source : fma(-0.5f, hz[i] - hz[i - w], ey[i]);
}

__kernel void fdtd_ex(__global float *restrict ex, __global const float *restrict hz, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h || x == 0) return;
  int i = y * w + x;
  ex[i] = fma(-0.5f, hz[i] - hz[i - 1], ex[i]);
}

__kernel void fdtd_hz(__global const float *restrict ex, __global const float *restrict ey,
                      __global float *restrict hz, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w - 1 || y >= h - 1) return;
  int i = y * w + x;
  hz[i] = fma(-0.7f, ex[i + 1] - ex[i] + ey[i + w] - ey[i], hz[i]);
}
