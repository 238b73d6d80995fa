/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm_s8: a quantised layer on tensor cores: s8 times s8 in s32, then a bias, a scale of 16 fraction bits and the limits 0 and 127.
 * A is m x k, W n x k (a row for each output), out m x n; m, n and k are multiples of 64. Four warps make a tile of 64 x 64, a
 * warp 32 x 32 of it; tiles, 64 deep, come by cp.async into two buffers.
 */
#include "tensor_cl.h"
#include "wmma_cl.h"

#define BT 64 /* rows of a tile of A, of W, and its depth in bytes */
#define PITCH 80

OWN_FN int scaled(int sum, int scale) { return clamp((int)(((long)sum * scale + 32768) >> 16), 0, 127); }

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void gemm_s8(__global const uchar *restrict A,
                                                                       __global const uchar *restrict W,
                                                                       __global const int *restrict bias,
                                                                       __global const int *restrict scale,
                                                                       __global uchar *restrict out, uint n, uint k) {
  __local ALIGN16 ushort as[2 * BT * PITCH / 2], ws[2 * BT * PITCH / 2];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5;
  uint row0 = get_group_id(1) * BT, col0 = get_group_id(0) * BT;
  uint r = t >> 2, c = (t & 3) * 16;
  uint a_to = shared_at(as) + r * PITCH + c, w_to = shared_at(ws) + r * PITCH + c;
  __global const uchar *a_from = A + (row0 + r) * k + c, *w_from = W + (col0 + r) * k + c;
  uint wm = (warp & 1) * 32, wn = (warp >> 1) * 32;
  uint a_at = shared_at(as) + (wm + (lane & 15)) * PITCH + (lane >> 4) * 16;
  uint w_at = shared_at(ws) + (wn + (lane & 7) + (lane >> 4) * 8) * PITCH + (lane >> 3 & 1) * 16;
  int acc[2][4][4];
#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 4; j++)
#pragma unroll
      for (uint e = 0; e < 4; e++) acc[i][j][e] = 0;
  uint buffer = 0;
#define LOAD(to)                                                                                              \
  do {                                                                                                        \
    copy16(a_to + (to) * (BT * PITCH), 0, (__global const ushort *)a_from, 16);                               \
    copy16(a_to + (to) * (BT * PITCH), 32 * PITCH, (__global const ushort *)(a_from + 32 * k), 16);           \
    copy16(w_to + (to) * (BT * PITCH), 0, (__global const ushort *)w_from, 16);                               \
    copy16(w_to + (to) * (BT * PITCH), 32 * PITCH, (__global const ushort *)(w_from + 32 * k), 16);           \
    a_from += BT;                                                                                             \
    w_from += BT;                                                                                             \
  } while (0)
  LOAD(0);
  copy_commit();
#pragma unroll 1
  for (uint step = 0; step < k; step += BT) {
    copy_wait_0();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step + BT < k) LOAD(buffer ^ 1);
    copy_commit();
    uint a = a_at + buffer * (BT * PITCH), w = w_at + buffer * (BT * PITCH);
    buffer ^= 1;
#pragma unroll
    for (uint kk = 0; kk < BT; kk += 32) {
      uint af[2][4], wf[2][4];
#pragma unroll
      for (uint i = 0; i < 2; i++) ldmatrix_x4(af[i], a, i * 16 * PITCH + kk);
#pragma unroll
      for (uint j = 0; j < 2; j++) ldmatrix_x4(wf[j], w, j * 16 * PITCH + kk);
#pragma unroll
      for (uint i = 0; i < 2; i++)
#pragma unroll
        for (uint j = 0; j < 4; j++) mma_s8(acc[i][j], af[i], &wf[j / 2][j % 2 * 2]);
    }
  }
#pragma unroll
  for (uint j = 0; j < 4; j++) {
    uint col = col0 + wn + j * 8 + lane % 4 * 2;
    int2 b = *(__global const int2 *)&bias[col], s = *(__global const int2 *)&scale[col];
#pragma unroll
    for (uint i = 0; i < 2; i++)
#pragma unroll
      for (uint h = 0; h < 2; h++) {
        uint row = row0 + wm + i * 16 + h * 8 + lane / 4;
        int x = scaled(acc[i][j][2 * h] + b.x, s.x), y = scaled(acc[i][j][2 * h + 1] + b.y, s.y);
        *(__global ushort *)&out[row * n + col] = (ushort)(x | y << 8);
      }
  }
}
