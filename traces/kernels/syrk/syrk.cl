/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syrk: C = alpha A A' + beta C, the symmetric rank-k update, for a row-major A of n rows and an n x n C, rows `pitch`
 * floats apart. One work item computes one element: along a warp the column j of C changes, so A is read in 32 rows at once
 * and that load is not coalesced; the one of row i is the same for the whole warp. The element is stored in every
 * iteration, as a program without `restrict` does.
 */
__kernel void syrk(__global const float *a, __global float *c, uint n, uint m, uint pitch, float alpha, float beta) {
  uint j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  c[i * pitch + j] *= beta;
#pragma nounroll
  for (uint k = 0; k < m; k++)
    c[i * pitch + j] = fma(alpha * a[i * pitch + k], a[j * pitch + k], c[i * pitch + j]);
}
