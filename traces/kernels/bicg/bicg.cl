/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bicg: s = A' r and q = A p for a row-major matrix of rows x cols, the two products of a step of the
 * biconjugate gradient method (Fletcher 1976). The first kernel gives each work item a column, and its loads
 * are coalesced; the second gives each a row, so a warp reads 32 rows at once.
 */
__kernel void bicg_column(__global const float *restrict a, __global const float *restrict r,
                          __global float *restrict s, uint rows, uint cols) {
  uint j = get_global_id(0);
  if (j >= cols) return;
  float sum = 0.0f;
#pragma nounroll
  for (uint i = 0; i < rows; i++) sum = fma(a[i * cols + j], r[i], sum);
  s[j] = sum;
}

__kernel void bicg_row(__global const float *restrict a, __global const float *restrict p,
                       __global float *restrict q, uint rows, uint cols) {
  uint i = get_global_id(0);
  if (i >= rows) return;
  float sum = 0.0f;
#pragma nounroll
  for (uint j = 0; j < cols; j++) sum = fma(a[i * cols + j], p[j], sum);
  q[i] = sum;
}
