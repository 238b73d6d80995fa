/* SPDX-License-Identifier: Apache-2.0 */
/* lm: load monitor: which loads use lines again that the L1 has lost. Linebacker, section 3.1; docs/blocks/linebacker/lm.md. */
#ifndef RT_BLOCKS_LINEBACKER_LM_H
#define RT_BLOCKS_LINEBACKER_LM_H

#include <stdbool.h>

#define BLOCK lm
#define BLOCK_DEF "blocks/linebacker/lm.def"
#define BLOCK_BUSY
#include "blocks/declare.h"

struct lm {
  struct lm_state r;
  bool selected_q; /* the mode has just become selected */
};

#endif
