/* SPDX-License-Identifier: Apache-2.0 */
/* wve: docs/blocks/slice/wve.md; ports and registers: wve.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_WVE_H
#define RT_BLOCKS_SLICE_WVE_H

#define BLOCK wve
#define BLOCK_DEF "blocks/slice/wve.def"
#include "blocks/declare.h"

#endif
