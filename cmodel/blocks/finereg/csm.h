/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csm: CTA status monitor: the location of each CTA's context and registers, and the next CTA of each class. FineReg,
 * section V-D; docs/blocks/finereg/csm.md. The values of context and registers stand in csm.def.
 */
#ifndef RT_BLOCKS_FINEREG_CSM_H
#define RT_BLOCKS_FINEREG_CSM_H

#define BLOCK csm
#define BLOCK_DEF "blocks/finereg/csm.def"
#include "blocks/declare.h"

/* The legal statuses as sets: a CTA is in one of them or, not launched, in none. */
enum csm_class { CSM_SPILLED, CSM_KEPT, CSM_ACTIVE, CSM_CLASSES };

struct csm {
  struct csm_state r;
  uint64_t member_q[CSM_CLASSES][csm_NumCtas / 64];
};

#endif
