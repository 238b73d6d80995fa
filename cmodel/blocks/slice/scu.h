/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scu: collector unit with indirection: look-up, fetch of one or two parts, OR-merge, conversion flag
 * (docs/blocks/slice/scu.md). One instruction at a time, from al_v to dp_take.
 */
#ifndef RT_BLOCKS_SLICE_SCU_H
#define RT_BLOCKS_SLICE_SCU_H

#define BLOCK scu
#define BLOCK_DEF "blocks/slice/scu.def"
#include "blocks/declare.h"

enum { SCU_OPERANDS = 3 };

struct scu {
  struct scu_state r;
  uint64_t busy_q;
  uint64_t a_q; /* [3][8] */
  uint64_t meta_q;
  uint32_t d_q[SCU_OPERANDS][32];
  uint64_t answered; /* operands with info_q of this instruction; for the asserts only */
};

#endif
