/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ppt: PCRF pointer table: for each CTA the head of its chain and the chain's length, in registers. FineReg,
 * section V-C; docs/blocks/finereg/ppt.md.
 */
#ifndef RT_BLOCKS_FINEREG_PPT_H
#define RT_BLOCKS_FINEREG_PPT_H

#define BLOCK ppt
#define BLOCK_DEF "blocks/finereg/ppt.def"
#include "blocks/declare.h"

struct ppt {
  struct ppt_state r;
  struct ppt_params size;
  uint64_t valid_q[2];
  struct {
    uint16_t pointer, count;
  } row_q[ppt_NumCtas]; /* stale where valid_q is not set */
};

#endif
