/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syr2k: C = alpha (A B' + B A') + beta C, the symmetric rank-2k update, for row-major matrices A and B of n rows and an
 * n x n C, rows `pitch` floats apart. One work item computes one element: along a warp the column j of C changes, so rows of
 * A and B are read 32 at a time and no such load is coalesced; those of row i are the same for the whole warp. The
 * element is stored twice in every iteration, as a program without `restrict` does.
 */
__kernel void syr2k(__global const float *a, __global const float *b, __global float *c, uint n, uint m, uint pitch,
                    float alpha, float beta) {
  uint j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  c[i * pitch + j] *= beta;
#pragma nounroll
  for (uint k = 0; k < m; k++) {
    c[i * pitch + j] = fma(alpha * a[i * pitch + k], b[j * pitch + k], c[i * pitch + j]);
    c[i * pitch + j] = fma(alpha * b[i * pitch + k], a[j * pitch + k], c[i * pitch + j]);
  }
}
