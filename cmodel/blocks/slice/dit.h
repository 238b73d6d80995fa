/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dit: destination indirection table: three write-back lanes, round robin per bank
 * (docs/blocks/slice/dit.md). A lane that loses waits with its input held; a lane whose output is taken can
 * look up again in the same cycle.
 */
#ifndef RT_BLOCKS_SLICE_DIT_H
#define RT_BLOCKS_SLICE_DIT_H

#include "blocks/slice/entry.h"

#define BLOCK dit
#define BLOCK_DEF "blocks/slice/dit.def"
#define BLOCK_BUSY
#define BLOCK_ADVANCES
#include "blocks/declare.h"

enum { DIT_LANES = 3, DIT_ALL = (1 << DIT_LANES) - 1 };

struct dit {
  struct dit_state r;
  uint64_t result_valid_q;
  uint32_t result_entry_q[DIT_LANES]; /* zero where result_valid_q is, as is result_payload_q */
  uint32_t result_payload_q[DIT_LANES][PAYLOAD_WORDS];
  uint32_t mem_q[TABLE_BANKS * TABLE_ROWS]; /* by register; 0: not loaded since reset */
};

#endif
