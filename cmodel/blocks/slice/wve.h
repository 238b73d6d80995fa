/* SPDX-License-Identifier: Apache-2.0 */
/* wve: warp value extractor: 32 tve with one entry (docs/blocks/slice/wve.md). */
#ifndef RT_BLOCKS_SLICE_WVE_H
#define RT_BLOCKS_SLICE_WVE_H

#include <stdbool.h>

#define BLOCK wve
#define BLOCK_DEF "blocks/slice/wve.def"
#include "blocks/declare.h"

struct wve {
  struct wve_state r;
};

/* tve_extract of each lane; y and d do not overlap. */
void wve_extract(uint32_t y[restrict 32], const uint32_t d[restrict 32], uint32_t e, bool part, bool sgn);

#endif
