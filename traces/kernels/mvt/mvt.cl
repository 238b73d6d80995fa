/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mvt: x1 += A y1 and x2 += A' y2 for a row-major n x n matrix. The first kernel gives each work item a row,
 * so a warp reads 32 rows at once and no load of the matrix is coalesced; the second gives each a column, and
 * every load is.
 */
__kernel void mvt_row(__global const float *restrict a, __global const float *restrict y1,
                      __global float *restrict x1, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float sum = x1[i];
#pragma nounroll
  for (uint j = 0; j < n; j++) sum = fma(a[i * n + j], y1[j], sum);
  x1[i] = sum;
}

__kernel void mvt_column(__global const float *restrict a, __global const float *restrict y2,
                         __global float *restrict x2, uint n) {
  uint j = get_global_id(0);
  if (j >= n) return;
  float sum = x2[j];
#pragma nounroll
  for (uint i = 0; i < n; i++) sum = fma(a[i * n + j], y2[i], sum);
  x2[j] = sum;
}
