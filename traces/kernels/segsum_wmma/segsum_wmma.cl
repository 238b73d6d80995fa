/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segsum_wmma: sums of segments of f16 values on tensor cores, as Dakkak et al., Accelerating reduction and scan using tensor core
 * units (2019): a warp takes a segment 16 x 16 values at a time and multiplies them from the left by a matrix of ones, so that each
 * row of the product holds the sums of the columns. A segment is `tiles` times 256 values.
 */
#include "tensor_cl.h"
#include "wmma_cl.h"

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void segsum_wmma(__global const ushort *restrict in,
                                                                           __global float *restrict out, uint tiles,
                                                                           uint segments) {
  __local ALIGN16 float rows[4 * 256];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5, segment = get_group_id(0) * 4 + warp;
  if (segment >= segments) return;
  __global const ushort *from = in + segment * tiles * 256;
  uint ones[8], b[8];
  float sum[8];
#pragma unroll
  for (uint e = 0; e < 8; e++) {
    ones[e] = 0x3c003c00;
    sum[e] = 0.0f;
  }
#pragma unroll 1
  for (uint k = 0; k < tiles; k++) {
    wmma_load_b(b, from + k * 256, 16);
    wmma_f16(sum, ones, b);
  }
  __local float *row = rows + warp * 256;
  wmma_store_shared((uint)(size_t)row, sum);
  __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  float all = row[0];
#pragma unroll
  for (uint k = 1; k < 16; k++) all += row[k];
  if (lane == 0) out[segment] = all;
}
