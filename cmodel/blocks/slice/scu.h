/* SPDX-License-Identifier: Apache-2.0 */
/* scu: docs/blocks/slice/scu.md; ports and registers: scu.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_SCU_H
#define RT_BLOCKS_SLICE_SCU_H

#define BLOCK scu
#define BLOCK_DEF "blocks/slice/scu.def"
#include "blocks/declare.h"

#endif
