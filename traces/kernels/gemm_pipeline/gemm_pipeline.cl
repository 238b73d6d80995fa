/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm_pipeline: C = A B as gemm_tensor, with the warps specialised: one copies tiles by cp.async into a ring of two, eight
 * multiply what is there. Two mbarriers for each place of the ring say that it is full (the copies arrive) and that it is empty
 * (the eight warps do). No barrier of the CTA but the first.
 */
#include "tensor_cl.h"
#include "mbarrier_cl.h"

#define BM 128
#define BN 64
#define BK 32
#define AP (BK + 8) /* pitches: eight rows start in different banks */
#define BP (BN + 8)
#define STAGES 2

__kernel __attribute__((reqd_work_group_size(288, 1, 1))) void gemm_pipeline(__global const ushort *restrict A,
                                                                             __global const ushort *restrict B,
                                                                             __global float *restrict C, uint m, uint n,
                                                                             uint k, uint lda, uint ldb, uint ldc) {
  __local ALIGN16 ushort as[STAGES * BM * AP], bs[STAGES * BK * BP];
  __local ulong full[STAGES], empty[STAGES];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5;
  uint row0 = get_group_id(1) * BM, col0 = get_group_id(0) * BN, steps = k / BK;
  uint full_at = mbarrier_at(full), empty_at = mbarrier_at(empty), stage = 0, parity = 0;

  if (t < STAGES) {
    mbarrier_init(full_at + t * 8, 32);
    mbarrier_init(empty_at + t * 8, 256);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (warp == 8) { /* sixteen pieces of A, eight of B each step */
    uint ar = lane >> 2, ac = (lane & 3) * 8, br = lane >> 3, bc = (lane & 7) * 8;
    uint a_to = shared_at(as) + (ar * AP + ac) * 2, b_to = shared_at(bs) + (br * BP + bc) * 2;
    __global const ushort *a_from = A + (row0 + ar) * lda + ac, *b_from = B + br * ldb + col0 + bc;
    uint b_bytes = col0 + bc < ldb ? 16 : 0;
#pragma unroll 1
    for (uint step = 0; step < steps; step++) {
      mbarrier_wait(empty_at + stage * 8, parity ^ 1);
      uint a = a_to + stage * (BM * AP * 2), b = b_to + stage * (BK * BP * 2);
#pragma unroll
      for (uint i = 0; i < 16; i++) copy16(a, i * 8 * AP * 2, a_from + i * 8 * lda, row0 + ar + i * 8 < m ? 16 : 0);
#pragma unroll
      for (uint i = 0; i < 8; i++) copy16(b, i * 4 * BP * 2, b_from + i * 4 * ldb, b_bytes);
      mbarrier_arrive_copies(full_at + stage * 8);
      a_from += BK;
      b_from += BK * ldb;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    return;
  }

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

#pragma unroll 1
  for (uint step = 0; step < steps; step++) {
    mbarrier_wait(full_at + stage * 8, parity);
    uint a = a_at + stage * (BM * AP * 2), b = b_at + stage * (BK * BP * 2);
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
    mbarrier_arrive(empty_at + stage * 8);
    if (++stage == STAGES) stage = 0, parity ^= 1;
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
