/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rid: register index decoder: the numbers of a vector's set bits, ascending, one per cycle. FineReg,
 * section V-C; docs/blocks/finereg/rid.md.
 */
#ifndef RT_BLOCKS_FINEREG_RID_H
#define RT_BLOCKS_FINEREG_RID_H

#define BLOCK rid
#define BLOCK_DEF "blocks/finereg/rid.def"
#define BLOCK_BUSY
#include "blocks/declare.h"

struct rid {
  struct rid_state r;
};

#endif
