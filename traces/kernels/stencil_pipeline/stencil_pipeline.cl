/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stencil_pipeline: a step of a 5-point stencil, w x h, w a multiple of 4; cells at the edge stay. A CTA has a strip of 128
 * columns and `rows` rows. One warp copies a row of the strip after the other by cp.async into a ring of eight, with a cell more on both
 * sides; four warps, a thread for each column, go down behind it. Two mbarriers for each place of the ring: full and empty.
 */
#include "tensor_cl.h"
#include "mbarrier_cl.h"

#define W 128
#define RING 8
#define PITCH (W + 8) /* the strip begins at 4, so that its copies are aligned */

OWN_FN void copy4(uint shared, const __global float *from, uint bytes) {
  __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
}

__kernel __attribute__((reqd_work_group_size(W + 32, 1, 1))) void stencil_pipeline(__global const float *restrict from,
                                                                                   __global float *restrict to, uint w,
                                                                                   uint h, uint rows, float a,
                                                                                   float b) {
  __local ALIGN16 float ring[RING * PITCH];
  __local ulong full[RING], empty[RING];
  uint t = get_local_id(0), x0 = get_group_id(0) * W, y0 = get_group_id(1) * rows;
  uint full_at = mbarrier_at(full), empty_at = mbarrier_at(empty);
  uint n = min(rows, h - y0); /* rows of this CTA */

  if (t < RING) {
    mbarrier_init(full_at + t * 8, 32);
    mbarrier_init(empty_at + t * 8, W);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (t >= W) {
    uint lane = t & 31, x = x0 + lane * 4, base = (uint)(size_t)ring + (lane * 4 + 4) * 4;
    uint bytes = x < w ? 16 : 0;
#pragma unroll 1
    for (uint r = 0; r < n + 2; r++) {
      uint place = r % RING, y = min(max(y0 + r, 1u) - 1, h - 1), at = base + place * (PITCH * 4);
      __global const float *row = from + y * w;
      mbarrier_wait(empty_at + place * 8, (r / RING & 1) ^ 1);
      copy16(at, 0, (__global const ushort *)(row + x), bytes);
      if (lane == 0) copy4(at - 4, row + x - 1, x0 ? 4 : 0);
      if (lane == 31) copy4(at + 16, row + x + 4, x0 + W < w ? 4 : 0);
      mbarrier_arrive_copies(full_at + place * 8);
    }
    return;
  }

  uint x = x0 + t;
  mbarrier_wait(full_at, 0);
  mbarrier_wait(full_at + 8, 0);
#pragma unroll 1
  for (uint i = 0; i < n; i++) {
    uint below = i + 2, y = y0 + i;
    mbarrier_wait(full_at + below % RING * 8, below / RING & 1);
    __local const float *c = ring + (i + 1) % RING * PITCH + 4 + t;
    float up = ring[i % RING * PITCH + 4 + t], down = ring[below % RING * PITCH + 4 + t];
    float out = fma(b, (c[-1] + c[1]) + (up + down), a * c[0]);
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) out = c[0];
    if (x < w) to[y * w + x] = out;
    mbarrier_arrive(empty_at + i % RING * 8);
  }
}
