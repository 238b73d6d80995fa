/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm_wmma: C = alpha A B + beta C by wmma, f16 times f16 in f32; A is m x k, B k x n, row-major; m and n are multiples of
 * 64, k of 32. Eight warps make a tile of 64 x 64, a warp 16 x 32 of it; tiles of A and B, 32 deep, go through shared memory.
 */
#include "tensor_cl.h"
#include "wmma_cl.h"

#define BM 64
#define BN 64
#define BK 32
#define AP (BK + 8)
#define BP (BN + 8)

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void gemm_wmma(__global const ushort *restrict A,
                                                                         __global const ushort *restrict B,
                                                                         __global float *restrict C, uint n, uint k,
                                                                         float alpha, float beta) {
  __local ALIGN16 ushort as[BM * AP], bs[BK * BP];
  uint t = get_local_id(0), warp = t >> 5;
  uint row0 = get_group_id(1) * BM, col0 = get_group_id(0) * BN;
  uint ar = t >> 2, ac = (t & 3) * 8, br = t >> 3, bc = (t & 7) * 8;
  __global const ushort *a_from = A + (row0 + ar) * k + ac, *b_from = B + br * n + col0 + bc;
  uint wm = (warp & 3) * 16, wn = (warp >> 2) * 32;
  uint a_at = shared_at(as) + wm * AP * 2, b_at = shared_at(bs) + wn * 2;
  float acc[2][8];
#pragma unroll
  for (uint j = 0; j < 2; j++)
#pragma unroll
    for (uint e = 0; e < 8; e++) acc[j][e] = 0.0f;
#pragma unroll 1
  for (uint step = 0; step < k; step += BK) {
    uint4 av = *(__global const uint4 *)a_from, bv = *(__global const uint4 *)b_from;
    a_from += BK;
    b_from += BK * n;
    barrier(CLK_LOCAL_MEM_FENCE);
    *(__local uint4 *)&as[ar * AP + ac] = av;
    *(__local uint4 *)&bs[br * BP + bc] = bv;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint kk = 0; kk < BK; kk += 16) {
      uint af[8], bf[8];
      WMMA_LOAD_TILE("a", af, a_at + kk * 2, AP);
#pragma unroll
      for (uint j = 0; j < 2; j++) {
        WMMA_LOAD_TILE("b", bf, b_at + (kk * BP + j * 16) * 2, BP);
        wmma_f16(acc[j], af, bf);
      }
    }
  }
#pragma unroll
  for (uint j = 0; j < 2; j++) {
    __global float *to = C + (row0 + wm) * n + col0 + wn + j * 16;
    float c[8];
    wmma_load_c(c, to, n);
#pragma unroll
    for (uint e = 0; e < 8; e++) c[e] = fma(alpha, acc[j][e], beta * c[e]);
    wmma_store(to, c, n);
  }
}
