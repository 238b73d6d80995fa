/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atax: t = A x, y = A' t, the two products of A' A x, for a row-major matrix whose rows lie `pitch` floats apart. The first
 * kernel gives each work item a row, so a warp reads 32 rows at once and no load of the matrix is coalesced; the second gives
 * each a column, and every load is. A sum lies in memory and is stored in every iteration, as a program without
 * `restrict` does.
 */
__kernel void atax_row(__global const float *a, __global const float *x, __global float *t, uint rows, uint cols,
                       uint pitch) {
  uint i = get_global_id(0);
  if (i >= rows) return;
#pragma nounroll
  for (uint j = 0; j < cols; j++) t[i] = fma(a[i * pitch + j], x[j], t[i]);
}

__kernel void atax_column(__global const float *a, __global const float *t, __global float *y, uint rows, uint cols,
                          uint pitch) {
  uint j = get_global_id(0);
  if (j >= cols) return;
#pragma nounroll
  for (uint i = 0; i < rows; i++) y[j] = fma(a[i * pitch + j], t[i], y[j]);
}
