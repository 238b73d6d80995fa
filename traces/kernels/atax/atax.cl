/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atax: y = A' (A x) for a row-major matrix of rows x cols. The first kernel gives each work item a row, so a
 * warp reads 32 rows at once and no load is coalesced; the second gives each a column, and every load is.
 */
__kernel void atax_row(__global const float *restrict a, __global const float *restrict x,
                       __global float *restrict t, uint rows, uint cols) {
  uint i = get_global_id(0);
  if (i >= rows) return;
  float sum = 0.0f;
  for (uint j = 0; j < cols; j++) sum += a[i * cols + j] * x[j];
  t[i] = sum;
}

__kernel void atax_column(__global const float *restrict a, __global const float *restrict t,
                          __global float *restrict y, uint rows, uint cols) {
  uint j = get_global_id(0);
  if (j >= cols) return;
  float sum = 0.0f;
  for (uint i = 0; i < rows; i++) sum += a[i * cols + j] * t[i];
  y[j] = sum;
}
