/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mvt: x1 += A y1 and x2 += A' y2 for a row-major matrix whose rows lie `pitch` floats apart. The first kernel gives each
 * work item a row, so a warp reads 32 rows at once and no load of the matrix is coalesced; the second gives each a column,
 * and every load is. A sum lies in memory and is stored in every iteration, as a program without `restrict` does.
 */
__kernel void mvt_row(__global const float *a, __global const float *y1, __global float *x1, uint rows, uint cols,
                      uint pitch) {
  uint i = get_global_id(0);
  if (i >= rows) return;
#pragma nounroll
  for (uint j = 0; j < cols; j++) x1[i] = fma(a[i * pitch + j], y1[j], x1[i]);
}

__kernel void mvt_column(__global const float *a, __global const float *y2, __global float *x2, uint rows, uint cols,
                         uint pitch) {
  uint j = get_global_id(0);
  if (j >= cols) return;
#pragma nounroll
  for (uint i = 0; i < rows; i++) x2[j] = fma(a[i * pitch + j], y2[i], x2[j]);
}
