/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syrk: C = alpha A A' + beta C, the symmetric rank-k update, for a row-major n x m matrix A and an n x n C.
 * One work item computes one element: along a warp the column j of C changes, so A is read in 32 rows at once
 * and that load is not coalesced; the one of row i is the same for the whole warp.
 */
__kernel void syrk(__global const float *restrict a, __global float *restrict c, uint n, uint m, float alpha,
                   float beta) {
  uint j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  float sum = 0.0f;
#pragma nounroll
  for (uint k = 0; k < m; k++) sum = fma(a[i * m + k], a[j * m + k], sum);
  c[i * n + j] = fma(alpha, sum, beta * c[i * n + j]);
}
