/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sit: source indirection table: 16 banks of 16 entries, 48 requesters, round robin per bank
 * (docs/blocks/slice/sit.md). Register a lies in bank a[3:0], row a[7:4]; a bank does one thing a cycle, a
 * load before a look-up.
 */
#ifndef RT_BLOCKS_SLICE_SIT_H
#define RT_BLOCKS_SLICE_SIT_H

#include "blocks/slice/entry.h"

#define BLOCK sit
#define BLOCK_DEF "blocks/slice/sit.def"
#define BLOCK_BUSY
#define BLOCK_ADVANCES
#include "blocks/declare.h"

enum { SIT_REQUESTERS = 48 };

struct sit {
  struct sit_state r;
  uint64_t response_valid_q;
  uint8_t response_requester_q[TABLE_BANKS]; /* zero where response_valid_q is, as is response_entry_q */
  uint32_t response_entry_q[TABLE_BANKS];
  uint32_t mem_q[TABLE_BANKS * TABLE_ROWS]; /* by register; 0: not loaded since reset */
};

#endif
