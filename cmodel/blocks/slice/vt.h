/* SPDX-License-Identifier: Apache-2.0 */
/* vt: docs/blocks/slice/vt.md; ports and registers: vt.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_VT_H
#define RT_BLOCKS_SLICE_VT_H

#define BLOCK vt
#define BLOCK_DEF "blocks/slice/vt.def"
#include "blocks/declare.h"

#endif
