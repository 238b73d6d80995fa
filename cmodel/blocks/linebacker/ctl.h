/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl: IPC monitor and CTA manager: throttles CTAs, saves their registers in memory and brings them back. Linebacker,
 * sections 3.4, 4.1 and 4.2 (Figs. 7, 8); docs/blocks/linebacker/ctl.md.
 *
 * It counts the cycles of its window: ctl_idle ends before the window's last cycle.
 */
#ifndef RT_BLOCKS_LINEBACKER_CTL_H
#define RT_BLOCKS_LINEBACKER_CTL_H

#include <stdbool.h>

#define BLOCK ctl
#define BLOCK_DEF "blocks/linebacker/ctl.def"
#define BLOCK_BUSY
#define BLOCK_COUNTS
#define BLOCK_HOLDS
#include "blocks/declare.h"

struct ctl {
  struct ctl_state r;
  struct ctl_params size;
  uint64_t next_q; /* syn: the step after it */
  uint64_t cta_q;  /* the CTA that is throttled or restored */
  bool wakes_q;    /* at the last edge hack_i, or in qui quies_i of this CTA: they are held in quiet cycles */
  /* The transfers of bck and rst. Transfer k uses entry k % Ring of the buffer; those from done_q on, before asked_q, have theirs. */
  uint64_t asked_q, done_q;
  uint32_t full_q;              /* entries whose value has come */
  uint32_t buf_q[ctl_Ring][32]; /* their values */
  uint64_t base, placed;        /* for the asserts only: bp after kstart; CTAs that have begun since then */
};

#endif
