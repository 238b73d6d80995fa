/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fsmon: free-space monitor: which entries of the PCRF are occupied, the lowest free one, how many are free.
 * FineReg, section V-C; docs/blocks/finereg/fsmon.md.
 */
#ifndef RT_BLOCKS_FINEREG_FSMON_H
#define RT_BLOCKS_FINEREG_FSMON_H

#include <stdbool.h>

#define BLOCK fsmon
#define BLOCK_DEF "blocks/finereg/fsmon.def"
#include "blocks/declare.h"

struct fsmon {
  struct fsmon_state r;
  struct fsmon_params size;
  uint64_t full_q; /* groups without a free entry */
  unsigned used;   /* occupied entries */
};

bool fsmon_occupied(const struct fsmon *s, uint64_t idx);

#endif
