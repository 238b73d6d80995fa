/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hamming_b1: of each query the code that differs from it in the fewest bits, on tensor cores: mma of single bits counts them. Queries
 * and codes have 1024 bits. A warp keeps sixteen queries in registers and goes through a chunk of the codes, eight at a time; best is
 * the least of (bits << 20 | code) over all chunks.
 */
#include "tensor_cl.h"
#include "wmma_cl.h"

#define WORDS 32 /* of a query or code */
#define STEPS 4  /* 256 bits each */

OWN_FN void least(__global uint *p, uint v) { __asm__ volatile("red.global.min.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void hamming_b1(__global const uint *restrict queries,
                                                                          __global const uint *restrict codes,
                                                                          __global uint *restrict best, uint chunk) {
  uint t = get_local_id(0), lane = t & 31, group = lane >> 2, in = lane & 3;
  uint first = (get_group_id(0) * 4 + (t >> 5)) * 16, from = get_group_id(1) * chunk;
  uint a[STEPS][4];
#pragma unroll
  for (uint s = 0; s < STEPS; s++)
#pragma unroll
    for (uint r = 0; r < 4; r++) a[s][r] = queries[(first + group + (r & 1) * 8) * WORDS + s * 8 + (r >> 1) * 4 + in];
  uint low = 0xffffffff, high = 0xffffffff;
  __global const uint *code = codes + (from + group) * WORDS + in;
#pragma unroll 1
  for (uint k = 0; k < chunk; k += 8) {
    int d[4] = {0, 0, 0, 0};
#pragma unroll
    for (uint s = 0; s < STEPS; s++) {
      uint b[2] = {code[s * 8], code[s * 8 + 4]};
      mma_b1(d, a[s], b);
    }
    code += 8 * WORDS;
    uint at = from + k + in * 2;
    low = min(low, min((uint)d[0] << 20 | at, (uint)d[1] << 20 | (at + 1)));
    high = min(high, min((uint)d[2] << 20 | at, (uint)d[3] << 20 | (at + 1)));
  }
  least(&best[first + group], low);
  least(&best[first + group + 8], high);
}
