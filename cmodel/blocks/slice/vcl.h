/* SPDX-License-Identifier: Apache-2.0 */
/* vcl: docs/blocks/slice/vcl.md; ports and registers: vcl.def; contract: blocks/declare.h. */
#ifndef RT_BLOCKS_SLICE_VCL_H
#define RT_BLOCKS_SLICE_VCL_H

#define BLOCK vcl
#define BLOCK_DEF "blocks/slice/vcl.def"
#include "blocks/declare.h"

#endif
