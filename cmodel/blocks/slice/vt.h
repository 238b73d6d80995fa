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

enum { VT_UNITS = 3, VT_PAYLOAD = 1063 };

struct vt {
  struct vt_state r;
  uint64_t o_v_q[2];           /* by part; bit per unit */
  uint64_t o_r_q[2], o_m_q[2]; /* [2][3][8]; zero where o_v_q is, as is o_d_q */
  uint32_t o_d_q[2][VT_UNITS][32];
  uint32_t o_lane_q[VT_UNITS]; /* zero where both o_v_q are */
  uint64_t o_warp_q;           /* [3][6] */
};

/* Nibbles of the operand x to the slices of one part; zeros in the others. */
uint32_t vt_scatter(uint32_t x, uint32_t e, bool part);
void vt_scatter_warp(uint32_t y[restrict 32], const uint32_t x[restrict 32], uint32_t e, bool part);

#endif
