/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vt: value truncator: three warp units, truncate then scatter to the slices of r0 and r1, one cycle
 * (docs/blocks/slice/vt.md). The two parts of a result leave independently; a unit takes the next when both
 * have left or leave.
 */
#ifndef RT_BLOCKS_SLICE_VT_H
#define RT_BLOCKS_SLICE_VT_H

#include "blocks/slice/entry.h"

#define BLOCK vt
#define BLOCK_DEF "blocks/slice/vt.def"
#define BLOCK_BUSY
#define BLOCK_ADVANCES
#include "blocks/declare.h"

enum { VT_UNITS = 3, VT_ALL = (1 << VT_UNITS) - 1 };

struct vt {
  struct vt_state r;
  uint64_t part_valid_q[2]; /* by part: units */
  /* by part and unit: zero where part_valid_q is */
  uint8_t part_register_q[2][VT_UNITS], part_mask_q[2][VT_UNITS];
  uint32_t part_data_q[2][VT_UNITS][32];
  /* by unit: zero where both part_valid_q are */
  uint32_t active_lanes_q[VT_UNITS];
  uint8_t warp_q[VT_UNITS];
};

/* Nibbles of the operand x to the slices of one part; zeros in the others. */
uint32_t vt_scatter(uint32_t x, uint32_t e, bool part);
void vt_scatter_warp(uint32_t y[restrict 32], const uint32_t x[restrict 32], uint32_t e, bool part);

#endif
