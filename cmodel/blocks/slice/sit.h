/* SPDX-License-Identifier: Apache-2.0 */
/* sit: docs/blocks/slice/sit.md; ports and registers: sit.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_SIT_H
#define RT_BLOCKS_SLICE_SIT_H

#define BLOCK sit
#define BLOCK_DEF "blocks/slice/sit.def"
#include "blocks/declare.h"

#endif
