/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sgemm: C = alpha * A * B + beta * C, row-major, A is m x k, B is k x n. A group computes a 16 x 16 tile of
 * C and walks along k in steps of 16: one tile of A and one of B in shared memory, two barriers a step. m, n,
 * k are multiples of 16.
 */
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void sgemm(__global const float *restrict A,
                                                                         __global const float *restrict B,
                                                                         __global float *restrict C, uint n,
                                                                         uint k, float alpha, float beta) {
  __local float at[TILE][TILE], bt[TILE][TILE];
  uint tx = get_local_id(0), ty = get_local_id(1);
  uint col = get_group_id(0) * TILE + tx, row = get_group_id(1) * TILE + ty;

  float acc = 0.0f;
  for (uint base = 0; base < k; base += TILE) {
    at[ty][tx] = A[row * k + base + tx];
    bt[ty][tx] = B[(base + ty) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < TILE; j++) acc += at[ty][j] * bt[j][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint at_c = row * n + col;
  C[at_c] = fma(alpha, acc, beta * C[at_c]);
}
