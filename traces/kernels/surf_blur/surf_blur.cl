/* SPDX-License-Identifier: Apache-2.0 */
/*
 * surf_blur: a picture of four bytes a pixel blurred along its rows and then along its columns, from surface to surface. Nine
 * weights, those of the binomial (1 + 1)^8, in integers with rounding; beyond an edge the surface gives the pixel at it. One
 * pixel a work item, groups of 32 x 4.
 */
#include "texture_cl.h"

#define REACH 4

static inline uint4 widen(ushort4 v) {
  uint4 w = {v.x, v.y, v.z, v.w};
  return w;
}

__kernel __attribute__((reqd_work_group_size(32, 4, 1))) void blur(ulong from, ulong to, int w, int h, int dx, int dy) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  uint4 sum = widen(surf_bytes(from, 4 * x, y)) * 70u + 128u;
  uint weight = 1; /* of the binomial, from the outermost inwards */
#pragma unroll 1
  for (int k = REACH; k > 0; k--) {
    sum += (widen(surf_bytes(from, 4 * (x - k * dx), y - k * dy)) +
            widen(surf_bytes(from, 4 * (x + k * dx), y + k * dy))) * weight;
    weight = weight * (uint)(REACH + k) / (uint)(REACH + 1 - k);
  }
  surf_write_bytes(to, 4 * x, y, sum >> 8u);
}
