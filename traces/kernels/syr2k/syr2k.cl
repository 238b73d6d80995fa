/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syr2k: C = alpha (A B' + B A') + beta C, the symmetric rank-2k update, for row-major n x m matrices A and B
 * and an n x n C. One work item computes one element: along a warp the column j of C changes, so rows of A
 * and B are read 32 at a time and no such load is coalesced; those of row i are the same for the whole warp.
 */
__kernel void syr2k(__global const float *restrict a, __global const float *restrict b,
                    __global float *restrict c, uint n, uint m, float alpha, float beta) {
  uint j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  float sum = 0.0f;
#pragma nounroll
  for (uint k = 0; k < m; k++) {
    sum = fma(a[i * m + k], b[j * m + k], sum);
    sum = fma(b[i * m + k], a[j * m + k], sum);
  }
  c[i * n + j] = fma(alpha, sum, beta * c[i * n + j]);
}
