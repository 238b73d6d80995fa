/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rnn_tensor: one step of a recurrent layer on tensor cores: h = clip(x + U h'), where h' is the state before
 * it, x what the layer below gives, in f32, and clip(z) = min(max(z, 0), 20), the clipped rectifier of Deep
 * Speech (Hannun et al. 2014). U is hidden x hidden, h and h' batch x hidden, all in f16; x is batch x
 * hidden. The sum begins with x. Eight warps make 64 units x 16 of the batch, a warp 16 x 8: all of U passes
 * once through shared memory, by cp.async, 64 deep, in two buffers; little of it is used twice. hidden is a
 * multiple of 32; what a last step reads beyond it is zero.
 */
#include "tensor_cl.h"

#define BM 64
#define BN 16
#define BK 64
#define P (BK + 8) /* pitch: eight rows start in different banks */

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void rnn_tensor(
    __global const ushort *restrict U, __global const ushort *restrict before,
    __global const float *restrict x, __global ushort *restrict after, uint hidden, uint batch) {
  __local ALIGN16 ushort us[2 * BM * P], hs[2 * BN * P];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5, row = t >> 3, piece = (t & 7) * 8;
  uint unit0 = get_group_id(0) * BM, batch0 = get_group_id(1) * BN;

  /* what this thread copies of each step: two pieces of U, and the first half of them one of h' */
  uint u_to = shared_at(us) + (row * P + piece) * 2, h_to = shared_at(hs) + (row * P + piece) * 2;
  __global const ushort *u_from = U + (unit0 + row) * hidden + piece;
  __global const ushort *h_from = before + (batch0 + row) * hidden + piece;
  uint u_bytes0 = unit0 + row < hidden ? 16 : 0, u_bytes1 = unit0 + row + 32 < hidden ? 16 : 0;
  uint h_bytes = batch0 + row < batch ? 16 : 0, depth = piece;

  /* what this warp reads of them */
  uint wm = (warp & 3) * 16, wn = (warp >> 2) * 8;
  uint u_at = shared_at(us) + ((wm + (lane & 15)) * P + (lane >> 4) * 8) * 2;
  uint h_at = shared_at(hs) + ((wn + (lane & 7)) * P + (lane >> 3) * 8) * 2;

  uint unit = unit0 + wm + lane / 4, item = batch0 + wn + lane % 4 * 2;
  float acc[4];
#pragma unroll
  for (uint e = 0; e < 4; e++) {
    uint b = item + (e & 1), u = unit + (e >> 1) * 8;
    acc[e] = b < batch && u < hidden ? x[b * hidden + u] : 0.0f;
  }

  uint steps = (hidden + BK - 1) / BK, buffer = 0;
#define LOAD(to)                                                                             \
  do {                                                                                       \
    uint in = depth < hidden;                                                                \
    copy16(u_to + (to) * (BM * P * 2), 0, u_from, in ? u_bytes0 : 0);                        \
    copy16(u_to + (to) * (BM * P * 2), 32 * P * 2, u_from + 32 * hidden, in ? u_bytes1 : 0); \
    if (t < BN * 8) copy16(h_to + (to) * (BN * P * 2), 0, h_from, in ? h_bytes : 0);         \
    u_from += BK;                                                                            \
    h_from += BK;                                                                            \
    depth += BK;                                                                             \
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
    for (uint kk = 0; kk < BK; kk += 32) {
      uint uf[2][4], hf[4];
      ldmatrix_x4(uf[0], a, kk * 2);
      ldmatrix_x4(uf[1], a, (kk + 16) * 2);
      ldmatrix_x4(hf, b, kk * 2);
      mma_f16(acc, uf[0], &hf[0]);
      mma_f16(acc, uf[1], &hf[2]);
    }
  }

#pragma unroll
  for (uint e = 0; e < 4; e++) {
    uint b = item + (e & 1), u = unit + (e >> 1) * 8;
    if (b < batch && u < hidden) after[b * hidden + u] = f16_of(fmin(fmax(acc[e], 0.0f), 20.0f));
  }
}
