/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gesummv: y = alpha A x + beta B x for row-major matrices whose rows lie `pitch` floats apart. One work item has one row of
 * both, so a warp reads 64 rows at once, and no load of a matrix is coalesced. Both sums lie in memory and are stored in
 * every iteration, as a program without `restrict` does.
 */
__kernel void gesummv(__global const float *a, __global const float *b, __global const float *x, __global float *t,
                      __global float *y, uint n, uint m, uint pitch, float alpha, float beta) {
  uint i = get_global_id(0);
  if (i >= n) return;
#pragma nounroll
  for (uint j = 0; j < m; j++) {
    t[i] = fma(a[i * pitch + j], x[j], t[i]);
    y[i] = fma(b[i * pitch + j], x[j], y[i]);
  }
  y[i] = fma(alpha, t[i], beta * y[i]);
}
