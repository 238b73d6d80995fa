/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rid: register index decoder: a vector's set bits as register numbers, one a cycle, lowest first. FineReg,
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
