/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv_tensor: a 3 x 3 convolution with a border of one, stride 1, as an implicit matrix product on tensor
 * cores, f16 times f16 in f32. out[pixel][filter] = sum over r, s, c of in[pixel + (r-1, s-1)][c]
 * filter[filter][r][s][c]; images lie as [image][row][column][channel]. Nothing is laid out anew in memory:
 * each step copies 16 channels of one neighbour of 128 pixels, zeros where there is none, and as many weights
 * of 128 filters, to shared memory by cp.async, into one of two buffers. Eight warps, 32 pixels x 64 filters
 * each. Channels are a multiple of 16, filters of 128.
 */
#include "tensor_cl.h"

#define BM 128
#define BN BM
#define BK 16
#define P (BK + 8) /* pitch: eight rows start in different banks */
#define TAPS 3

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void conv_tensor(
    __global const ushort *restrict in, __global const ushort *restrict filter, __global float *restrict out,
    uint images, uint height, uint width, uint channels, uint filters) {
  __local ALIGN16 ushort as[2 * BM * P], bs[2 * BN * P];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5, piece = (t & 1) * 8;
  uint pixel0 = get_group_id(0) * BM, filter0 = get_group_id(1) * BN;
  uint pixels = images * height * width, depth = TAPS * TAPS * channels;

  /* what this thread copies: half of a pixel's channels, half of a filter's weights */
  uint mine = pixel0 + t / 2, row = mine / width;
  int x = (int)(mine - row * width) - 1, y = (int)(row % height) - 1;
  uint there = 0; /* bit per neighbour: it is in the image */
#pragma unroll
  for (uint tap = 0; tap < TAPS * TAPS; tap++)
    if (mine < pixels && (uint)(y + (int)(tap / TAPS)) < height && (uint)(x + (int)(tap % TAPS)) < width)
      there |= 1u << tap;
  __global const ushort *a_from = in + ((long)mine - (long)width - 1) * channels + piece;
  __global const ushort *b_from = filter + (ulong)(filter0 + t / 2) * depth + piece;
  uint a_to = shared_at(as) + (t / 2 * P + piece) * 2, b_to = shared_at(bs) + (t / 2 * P + piece) * 2;

  /* what this warp reads of them */
  uint wm = (warp & 3) * 32, wn = (warp >> 2) * 64;
  uint a_at = shared_at(as) + ((wm + (lane & 15)) * P + (lane >> 4) * 8) * 2;
  uint b_at = shared_at(bs) + ((wn + (lane & 7) + (lane >> 4) * 8) * P + (lane >> 3 & 1) * 8) * 2;

  float acc[2][8][4];
#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 8; j++)
#pragma unroll
      for (uint e = 0; e < 4; e++) acc[i][j][e] = 0.0f;

  uint steps = depth / BK, c = 0, tap = 0, bytes = (there & 1) * 16, buffer = 0; /* buffer: in bytes */
#define LOAD(to)                                                                                   \
  do {                                                                                             \
    copy16_l1(a_to + (to), 0, a_from, bytes); /* nine times over: the L1 keeps some of it */       \
    copy16(b_to + (to), 0, b_from, 16);                                                            \
    a_from += BK;                                                                                  \
    b_from += BK;                                                                                  \
    c += BK;                                                                                       \
    if (c == channels) { /* a neighbour's channels follow those of the one before it in its row */ \
      c = 0;                                                                                       \
      tap++;                                                                                       \
      bytes = (there >> tap & 1) * 16;                                                             \
      if (tap == TAPS || tap == 2 * TAPS) a_from += (long)(width - TAPS) * channels;               \
    }                                                                                              \
  } while (0)

  LOAD(0);
  copy_commit();
#pragma unroll 1
  for (uint step = 0; step < steps; step++) {
    copy_wait_0();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step + 1 < steps) LOAD(buffer ^ BM * P * 2);
    copy_commit();
    uint a = a_at + buffer, b = b_at + buffer;
    buffer ^= BM * P * 2;
    uint af[2][4], bf[4][4];
#pragma unroll
    for (uint i = 0; i < 2; i++) ldmatrix_x4(af[i], a, i * 16 * P * 2);
#pragma unroll
    for (uint j = 0; j < 4; j++) ldmatrix_x4(bf[j], b, j * 16 * P * 2);
#pragma unroll
    for (uint i = 0; i < 2; i++)
#pragma unroll
      for (uint j = 0; j < 8; j++) mma_f16(acc[i][j], af[i], &bf[j / 2][j % 2 * 2]);
  }

#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 8; j++) {
      uint pixel = pixel0 + wm + i * 16 + lane / 4, f = filter0 + wn + j * 8 + lane % 4 * 2;
      if (pixel < pixels)
        *(__global float2 *)&out[pixel * filters + f] = (float2)(acc[i][j][0], acc[i][j][1]);
      if (pixel + 8 < pixels)
        *(__global float2 *)&out[(pixel + 8) * filters + f] = (float2)(acc[i][j][2], acc[i][j][3]);
    }
}
