/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gesummv: y = alpha A x + beta B x for row-major n x m matrices. One work item has one row of both, so a
 * warp reads 64 rows at once, no load of a matrix is coalesced, and each line is needed 32 times in a row.
 */
__kernel void gesummv(__global const float *restrict a, __global const float *restrict b,
                      __global const float *restrict x, __global float *restrict y, uint n, uint m,
                      float alpha, float beta) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float ax = 0.0f, bx = 0.0f;
#pragma nounroll
  for (uint j = 0; j < m; j++) {
    ax = fma(a[i * m + j], x[j], ax);
    bx = fma(b[i * m + j], x[j], bx);
  }
  y[i] = fma(alpha, ax, beta * bx);
}
