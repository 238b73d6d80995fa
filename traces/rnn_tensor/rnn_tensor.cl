/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rnn_tensor: one step of a recurrent layer on tensor cores: h = clip(x + U h'), where h' is the state before
 * it, x what the layer below gives, in f32, and clip(z) = min(max(z, 0), 20), the clipped rectifier of Deep
 * Speech (Hannun et al. 2014). U is hidden x hidden, h and h' batch x hidden, all in f16; x is batch x
 * hidden. The sum begins with x. Eight warps make 128 units x 16 of the batch, a warp 16 x 16: all of U
 * passes once through shared memory, by cp.async, in two buffers; little of it is used twice. hidden is a
 * multiple of 32.
 */
#include "tensor_cl.h"

#define BM 128
#define BN 16
#define BK 32
#define P (BK + 8) /* pitch: eight rows start in different banks */

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void rnn_tensor(
    __global const ushort *restrict U, __global const ushort *restrict before,
    __global const float *restrict x, __global ushort *restrict after, uint hidden, uint batch) {
  __local ALIGN16 ushort us[2 * BM * P], hs[2 * BN * P];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5, piece = (t & 3) * 8;
  uint unit0 = get_group_id(0) * BM, batch0 = get_group_id(1) * BN;

  uint u_to = shared_at(us) + ((t >> 2) * P + piece) * 2, h_to = shared_at(hs) + ((t >> 2) * P + piece) * 2;
  __global const ushort *u_from = U + (unit0 + (t >> 2)) * hidden + piece;
  __global const ushort *h_from = before + (batch0 + (t >> 2)) * hidden + piece;
  uint u_bytes0 = unit0 + (t >> 2) < hidden ? 16 : 0, u_bytes1 = unit0 + (t >> 2) + 64 < hidden ? 16 : 0;
  uint h_bytes = batch0 + (t >> 2) < batch ? 16 : 0;

  uint u_at = shared_at(us) + ((warp * 16 + (lane & 15)) * P + (lane >> 4) * 8) * 2;
  uint h_at = shared_at(hs) + (((lane & 7) + (lane >> 4) * 8) * P + (lane >> 3 & 1) * 8) * 2;

  uint unit = unit0 + warp * 16 + lane / 4, item = batch0 + lane % 4 * 2;
  float acc[2][4];
#pragma unroll
  for (uint j = 0; j < 2; j++)
#pragma unroll
    for (uint e = 0; e < 4; e++) {
      uint b = item + j * 8 + (e & 1), u = unit + (e >> 1) * 8;
      acc[j][e] = b < batch && u < hidden ? x[b * hidden + u] : 0.0f;
    }

  uint steps = hidden / BK, buffer = 0;
#define LOAD(to)                                                                    \
  do {                                                                              \
    copy16(u_to + (to) * (BM * P * 2), 0, u_from, u_bytes0);                        \
    copy16(u_to + (to) * (BM * P * 2), 64 * P * 2, u_from + 64 * hidden, u_bytes1); \
    if (t < BN * 4) copy16(h_to + (to) * (BN * P * 2), 0, h_from, h_bytes);         \
    u_from += BK;                                                                   \
    h_from += BK;                                                                   \
  } while (0)

  LOAD(0);
  copy_commit();
#pragma unroll 1
  for (uint step = 0; step < steps; step++) {
    copy_wait_0();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step + 1 < steps) LOAD(buffer ^ 1);
    copy_commit();
    uint a = u_at + buffer * (BM * P * 2), b = h_at + buffer * (BN * P * 2);
    buffer ^= 1;
#pragma unroll
    for (uint kk = 0; kk < BK; kk += 16) {
      uint uf[4], hf[4];
      ldmatrix_x4(uf, a, kk * 2);
      ldmatrix_x4(hf, b, kk * 2);
      mma_f16(acc[0], uf, &hf[0]);
      mma_f16(acc[1], uf, &hf[2]);
    }
  }

#pragma unroll
  for (uint j = 0; j < 2; j++)
#pragma unroll
    for (uint e = 0; e < 4; e++) {
      uint b = item + j * 8 + (e & 1), u = unit + (e >> 1) * 8;
      if (b < batch && u < hidden) after[b * hidden + u] = f16_of(fmin(fmax(acc[j][e], 0.0f), 20.0f));
    }
}
