/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gaussian: solves A x = b for a row-major n x n matrix that needs no pivoting. For each column k two
 * launches: `multipliers` (one work item per row below k) and `eliminate` (one per element of what is left,
 * b is done along with the first column). Then `substitute`, one group: it finds x from the last row up and
 * takes each found x out of b in all rows above.
 */
__kernel void multipliers(__global const float *restrict a, __global float *restrict m, uint n, uint k) {
  uint i = k + 1 + get_global_id(0);
  if (i < n) m[i] = div_rn(a[i * n + k], a[k * n + k]);
}

__kernel void eliminate(__global float *a, __global float *b, __global const float *restrict m, uint n,
                        uint k) {
  uint j = k + get_global_id(0), i = k + 1 + get_global_id(1);
  if (i >= n || j >= n) return;
  float f = -m[i];
  a[i * n + j] = fma(f, a[k * n + j], a[i * n + j]);
  if (j == k) b[i] = fma(f, b[k], b[i]);
}

__kernel void substitute(__global const float *restrict a, __global float *b, __global float *x, uint n) {
  for (uint i = n; i-- > 0;) {
    float found = div_rn(b[i], a[i * n + i]);
    if (get_local_id(0) == 0) x[i] = found;
    for (uint r = get_local_id(0); r < i; r += get_local_size(0)) b[r] = fma(-a[r * n + i], found, b[r]);
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
