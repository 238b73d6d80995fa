/* SPDX-License-Identifier: Apache-2.0 */
/* vc: docs/blocks/slice/vc.md; ports and registers: vc.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_VC_H
#define RT_BLOCKS_SLICE_VC_H

#define BLOCK vc
#define BLOCK_DEF "blocks/slice/vc.def"
#include "blocks/declare.h"

#endif
