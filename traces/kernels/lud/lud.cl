/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lud: A = L U in place, without pivoting, by blocks of 16 (Golub and Van Loan, right-looking): for each
 * block on the diagonal, at row and column `at`, three launches:
 *   diagonal    factors that block; 16 work items, one row each
 *   perimeter   the blocks right of it and below it, one of each per group: 32 work items, the first half has
 *               a column each of the block of U, the second a row each of the block of L
 *   internal    subtracts L U from all blocks that are left; 16 x 16 work items, one element each
 * n is a multiple of 16. Each element is updated in the order of k, as without blocks.
 */
#define B 16

__kernel __attribute__((reqd_work_group_size(B, 1, 1))) void diagonal(__global float *a, uint n, uint at) {
  __local float d[B][B + 1];
  uint t = get_local_id(0);
  for (uint i = 0; i < B; i++) d[i][t] = a[(at + i) * n + at + t];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma nounroll
  for (uint k = 0; k < B - 1; k++) {
    if (t > k) {
      float f = div_rn(d[t][k], d[k][k]);
      d[t][k] = f;
#pragma nounroll
      for (uint j = k + 1; j < B; j++) d[t][j] = fma(-f, d[k][j], d[t][j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = 0; i < B; i++) a[(at + i) * n + at + t] = d[i][t];
}

__kernel __attribute__((reqd_work_group_size(2 * B, 1, 1))) void perimeter(__global float *a, uint n,
                                                                           uint at) {
  __local float d[B][B + 1], u[B][B + 1], l[B][B + 1];
  uint t = get_local_id(0) % B, far = at + B + get_group_id(0) * B;
  bool right = get_local_id(0) < B;
#pragma nounroll
  for (uint i = 0; i < B; i++) {
    if (right) {
      d[i][t] = a[(at + i) * n + at + t];
      u[i][t] = a[(at + i) * n + far + t];
    } else l[i][t] = a[(far + i) * n + at + t];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (right) {
#pragma nounroll
    for (uint k = 0; k < B - 1; k++)
#pragma nounroll
      for (uint i = k + 1; i < B; i++) u[i][t] = fma(-d[i][k], u[k][t], u[i][t]);
  } else {
#pragma nounroll
    for (uint k = 0; k < B; k++) {
      float f = div_rn(l[t][k], d[k][k]);
      l[t][k] = f;
#pragma nounroll
      for (uint j = k + 1; j < B; j++) l[t][j] = fma(-f, d[k][j], l[t][j]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma nounroll
  for (uint i = 0; i < B; i++) {
    if (right) a[(at + i) * n + far + t] = u[i][t];
    else a[(far + i) * n + at + t] = l[i][t];
  }
}

__kernel __attribute__((reqd_work_group_size(B, B, 1))) void internal(__global float *a, uint n, uint at) {
  __local float l[B][B], u[B][B];
  uint tx = get_local_id(0), ty = get_local_id(1);
  uint x = at + B + get_group_id(0) * B + tx, y = at + B + get_group_id(1) * B + ty;
  l[ty][tx] = a[y * n + at + tx];
  u[ty][tx] = a[(at + ty) * n + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  float v = a[y * n + x];
#pragma nounroll
  for (uint k = 0; k < B; k++) v = fma(-l[ty][k], u[k][tx], v);
  a[y * n + x] = v;
}
