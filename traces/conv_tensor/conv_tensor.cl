/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv_tensor: a 3 x 3 convolution with a border of one, stride 1, as an implicit matrix product on tensor cores, f16
 * times f16 in f32. out[pixel][filter] = sum over r, s, c of in[pixel + (r-1, s-1)][c] filter[filter][r][s][c]; images
 * lie as [image][row][column][channel]. Nothing is laid out anew in memory: each step copies 32 channels of one
 * neighbour of 64 pixels, zeros where there is none, and as many weights of 128 filters, to shared memory by cp.async,
 * into one of two buffers. Four warps, 32 pixels x 64 filters each. Channels are a multiple of 32, filters of 128.
 */
#include "tensor_cl.h"

#define BM 64
#define BN 128
#define BK 32
#define P (BK + 8) /* pitch: eight rows start in different banks */
#define TAPS 3

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void conv_tensor(
    __global const ushort *restrict in, __global const ushort *restrict filter, __global float *restrict out,
    uint images, uint height, uint width, uint channels, uint filters) {
  __local ALIGN16 ushort as[2 * BM * P], bs[2 * BN * P];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5, piece = (t & 3) * 8;
  uint pixel0 = get_group_id(0) * BM, filter0 = get_group_id(1) * BN;
  uint pixels = images * height * width, depth = TAPS * TAPS * channels;

  /* the two pixels that this thread copies, and four filters */
  int x[2], y[2];
  __global const ushort *a_from[2];
#pragma unroll
  for (uint i = 0; i < 2; i++) {
    uint pixel = pixel0 + (t >> 2) + 32 * i, row = pixel / width;
    x[i] = (int)(pixel - row * width) - 1;
    y[i] = (int)(row % height) - 1;
    if (pixel >= pixels) y[i] = -TAPS; /* no neighbour of it is in the image */
    a_from[i] = in + ((long)pixel - (long)width - 1) * channels + piece;
  }
  __global const ushort *b_from = filter + (ulong)(filter0 + (t >> 2)) * depth + piece;
  uint a_to = shared_at(as) + ((t >> 2) * P + piece) * 2, b_to = shared_at(bs) + ((t >> 2) * P + piece) * 2;

  /* what this warp reads of them */
  uint wm = (warp & 1) * 32, wn = (warp >> 1) * 64;
  uint a_at = shared_at(as) + ((wm + (lane & 15)) * P + (lane >> 4) * 8) * 2;
  uint b_at = shared_at(bs) + ((wn + (lane & 7) + (lane >> 4) * 8) * P + (lane >> 3 & 1) * 8) * 2;

  float acc[2][8][4];
#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 8; j++)
#pragma unroll
      for (uint e = 0; e < 4; e++) acc[i][j][e] = 0.0f;

  uint steps = depth / BK, c = 0, buffer = 0;
  int r = 0, s = 0;
#define LOAD(to)                                                                                              \
  do {                                                                                                        \
    _Pragma("unroll") for (uint i = 0; i < 2; i++) {                                                          \
      uint inside = (uint)(y[i] + r) < height && (uint)(x[i] + s) < width;                                    \
      copy16(a_to + (to) * (BM * P * 2), i * (32 * P * 2), a_from[i], inside ? 16 : 0);                       \
      a_from[i] += BK;                                                                                        \
    }                                                                                                         \
    _Pragma("unroll") for (uint i = 0; i < 4; i++)                                                            \
        copy16(b_to + (to) * (BN * P * 2), i * (32 * P * 2), b_from + (ulong)i * 32 * depth, 16);             \
    b_from += BK;                                                                                             \
    c += BK;                                                                                                  \
    if (c == channels) { /* the channels of a neighbour follow those of the one before it in its row */       \
      c = 0;                                                                                                  \
      s++;                                                                                                    \
      if (s == TAPS) {                                                                                        \
        s = 0;                                                                                                \
        r++;                                                                                                  \
        _Pragma("unroll") for (uint i = 0; i < 2; i++) a_from[i] += (long)(width - TAPS) * channels;          \
      }                                                                                                       \
    }                                                                                                         \
  } while (0)

  LOAD(0);
  copy_commit();
#pragma unroll 1
  for (uint step = 0; step < steps; step++) {
    copy_wait_0();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step + 1 < steps) LOAD(buffer ^ 1);
    copy_commit();
    uint a = a_at + buffer * (BM * P * 2), b = b_at + buffer * (BN * P * 2);
    buffer ^= 1;
#pragma unroll
    for (uint kk = 0; kk < BK; kk += 16) {
      uint af[2][4], bf[4][4];
#pragma unroll
      for (uint i = 0; i < 2; i++) ldmatrix_x4(af[i], a, (i * 16 * P + kk) * 2);
#pragma unroll
      for (uint j = 0; j < 4; j++) ldmatrix_x4(bf[j], b, (j * 16 * P + kk) * 2);
#pragma unroll
      for (uint i = 0; i < 2; i++)
#pragma unroll
        for (uint j = 0; j < 8; j++) mma_f16(acc[i][j], af[i], &bf[j / 2][j % 2 * 2]);
    }
  }

#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 8; j++) {
      uint pixel = pixel0 + wm + i * 16 + lane / 4, f = filter0 + wn + j * 8 + lane % 4 * 2;
      if (pixel < pixels) *(__global float2 *)&out[pixel * filters + f] = (float2)(acc[i][j][0], acc[i][j][1]);
      if (pixel + 8 < pixels)
        *(__global float2 *)&out[(pixel + 8) * filters + f] = (float2)(acc[i][j][2], acc[i][j][3]);
    }
}
