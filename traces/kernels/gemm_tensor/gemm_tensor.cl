/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm_tensor: C = A B on tensor cores, f16 times f16 in f32; A is m x k, B k x n, C m x n, row-major, k a
 * multiple of 32, n even. Eight warps make a tile of 128 x 64, a warp 32 x 32 of it. Tiles of A and B, 32
 * deep, come by cp.async into two buffers: one on its way while the other is used. Rows of A and columns of B
 * beyond the matrix are read as zero. lda, ldb, ldc are the rows' lengths in memory, multiples of 8.
 */
#include "tensor_cl.h"

#define BM 128
#define BN 64
#define BK 32
#define AP (BK + 8) /* pitches: eight rows start in different banks */
#define BP (BN + 8)

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void gemm_tensor(__global const ushort *restrict A,
                                                                           __global const ushort *restrict B,
                                                                           __global float *restrict C, uint m,
                                                                           uint n, uint k, uint lda, uint ldb,
                                                                           uint ldc) {
  __local ALIGN16 ushort as[2 * BM * AP], bs[2 * BK * BP];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5;
  uint row0 = get_group_id(1) * BM, col0 = get_group_id(0) * BN;

  /* what this thread copies of each tile: two pieces of A, one of B */
  uint ar = t >> 2, ac = (t & 3) * 8, br = t >> 3, bc = (t & 7) * 8;
  uint a_to = shared_at(as) + (ar * AP + ac) * 2, b_to = shared_at(bs) + (br * BP + bc) * 2;
  __global const ushort *a_from = A + (row0 + ar) * lda + ac, *b_from = B + br * ldb + col0 + bc;
  uint a_bytes0 = row0 + ar < m ? 16 : 0, a_bytes1 = row0 + ar + 64 < m ? 16 : 0;
  uint b_bytes = col0 + bc < ldb ? 16 : 0;

  /* what this warp reads of them */
  uint wm = (warp & 3) * 32, wn = (warp >> 2) * 32;
  uint a_at = shared_at(as) + ((wm + (lane & 15)) * AP + (lane >> 4) * 8) * 2;
  uint b_at = shared_at(bs) + ((lane & 15) * BP + wn + (lane >> 4) * 8) * 2;

  float acc[2][4][4];
#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 4; j++)
#pragma unroll
      for (uint e = 0; e < 4; e++) acc[i][j][e] = 0.0f;

  uint steps = k / BK, buffer = 0;
#define LOAD(to)                                                                   \
  do {                                                                             \
    copy16(a_to + (to) * (BM * AP * 2), 0, a_from, a_bytes0);                      \
    copy16(a_to + (to) * (BM * AP * 2), 64 * AP * 2, a_from + 64 * lda, a_bytes1); \
    copy16(b_to + (to) * (BK * BP * 2), 0, b_from, b_bytes);                       \
    a_from += BK;                                                                  \
    b_from += BK * ldb;                                                            \
  } while (0)

  LOAD(0);
  copy_commit();
#pragma unroll 1
  for (uint step = 0; step < steps; step++) {
    copy_wait_0();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step + 1 < steps) LOAD(buffer ^ 1);
    copy_commit();
    uint a = a_at + buffer * (BM * AP * 2), b = b_at + buffer * (BK * BP * 2);
    buffer ^= 1;
#pragma unroll
    for (uint kk = 0; kk < BK; kk += 16) {
      uint af[2][4], bf[2][4];
#pragma unroll
      for (uint i = 0; i < 2; i++) ldmatrix_x4(af[i], a, (i * 16 * AP + kk) * 2);
#pragma unroll
      for (uint j = 0; j < 2; j++) ldmatrix_x4_trans(bf[j], b, (kk * BP + j * 16) * 2);
#pragma unroll
      for (uint i = 0; i < 2; i++)
#pragma unroll
        for (uint j = 0; j < 4; j++) mma_f16(acc[i][j], af[i], &bf[j / 2][j % 2 * 2]);
    }
  }

#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 4; j++) {
      uint row = row0 + wm + i * 16 + lane / 4, col = col0 + wn + j * 8 + lane % 4 * 2;
      if (col >= n) continue;
      if (row < m) *(__global float2 *)&C[row * ldc + col] = (float2)(acc[i][j][0], acc[i][j][1]);
      if (row + 8 < m) *(__global float2 *)&C[(row + 8) * ldc + col] = (float2)(acc[i][j][2], acc[i][j][3]);
    }
}
