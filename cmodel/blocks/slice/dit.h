/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dit: destination indirection table: three write-back lanes, round robin per bank
 * (docs/blocks/slice/dit.md). A lane that loses waits with its input held; a lane whose output is taken can
 * look up again in the same cycle.
 */
#ifndef RT_BLOCKS_SLICE_DIT_H
#define RT_BLOCKS_SLICE_DIT_H

#define BLOCK dit
#define BLOCK_DEF "blocks/slice/dit.def"
#define BLOCK_BUSY
#define BLOCK_ADVANCES
#include "blocks/declare.h"

enum { DIT_BANKS = 16, DIT_LANES = 3, DIT_PAYLOAD = 1063 };

struct dit {
  struct dit_state r;
  uint64_t o_v_q;
  uint32_t o_e_q[DIT_LANES]; /* zero where o_v_q is, as is o_pl_q */
  uint32_t o_pl_q[RT_WORDS(DIT_LANES * DIT_PAYLOAD)];
  uint32_t mem_q[256]; /* by register; 0: not loaded since reset */
};

#endif
