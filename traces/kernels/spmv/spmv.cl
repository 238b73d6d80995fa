/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spmv: y = A x, A sparse in jagged diagonals (Saad 1989): rows are ordered by falling length, and the first
 * entries of all rows lie side by side, then the second ones, and so on. A work item is a row; entries and
 * columns are read coalesced and once, x is gathered, y is scattered to the rows' own places.
 */
__kernel void spmv(__global const float *restrict value, __global const uint *restrict column,
                   __global const uint *restrict diagonal, __global const uint *restrict length,
                   __global const uint *restrict row, __global const float *restrict x,
                   __global float *restrict y, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float sum = 0.0f;
  uint entries = length[i];
#pragma clang loop unroll(disable)
  for (uint k = 0; k < entries; k++) {
    uint at = diagonal[k] + i;
    sum = fma(value[at], x[column[at]], sum);
  }
  y[row[i]] = sum;
}
