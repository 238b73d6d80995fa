/* SPDX-License-Identifier: Apache-2.0 */
/* tve: docs/blocks/slice/tve.md; ports and registers: tve.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_TVE_H
#define RT_BLOCKS_SLICE_TVE_H

#define BLOCK tve
#define BLOCK_DEF "blocks/slice/tve.def"
#include "blocks/declare.h"

#endif
