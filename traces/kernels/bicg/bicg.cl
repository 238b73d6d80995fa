/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bicg: s = A' r and q = A p for a row-major matrix whose rows lie `pitch` floats apart, the two products of a step of the
 * biconjugate gradient method (Fletcher 1976). The first kernel gives each work item a column, and its loads
 * are coalesced; the second gives each a row, so a warp reads 32 rows at once. A sum lies in memory and is stored in
 * every iteration, as a program without `restrict` does.
 */
__kernel void bicg_column(__global const float *a, __global const float *r, __global float *s, uint rows, uint cols,
                          uint pitch) {
  uint j = get_global_id(0);
  if (j >= cols) return;
  s[j] = 0.0f;
#pragma nounroll
  for (uint i = 0; i < rows; i++) s[j] = fma(a[i * pitch + j], r[i], s[j]);
}

__kernel void bicg_row(__global const float *a, __global const float *p, __global float *q, uint rows, uint cols,
                       uint pitch) {
  uint i = get_global_id(0);
  if (i >= rows) return;
  q[i] = 0.0f;
#pragma nounroll
  for (uint j = 0; j < cols; j++) q[i] = fma(a[i * pitch + j], p[j], q[i]);
}
