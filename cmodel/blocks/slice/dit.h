/* SPDX-License-Identifier: Apache-2.0 */
/* dit: docs/blocks/slice/dit.md; ports and registers: dit.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_DIT_H
#define RT_BLOCKS_SLICE_DIT_H

#define BLOCK dit
#define BLOCK_DEF "blocks/slice/dit.def"
#include "blocks/declare.h"

#endif
