/* SPDX-License-Identifier: Apache-2.0 */
/* vtl: docs/blocks/slice/vtl.md; ports and registers: vtl.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_VTL_H
#define RT_BLOCKS_SLICE_VTL_H

#define BLOCK vtl
#define BLOCK_DEF "blocks/slice/vtl.def"
#include "blocks/declare.h"

#endif
