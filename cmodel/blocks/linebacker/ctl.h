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
  uint64_t after_hold_q; /* the state that follows hold */
  uint64_t moved_cta_q;  /* the CTA that is throttled or restored */
  /* The last edge saw hold_done_i, or in quiesce quiet_i of this CTA: quiet inputs hold these. */
  bool wakes_q;
  /* Registers of backup and restore. The k-th uses entry k % BufferEntries. Those from written_q on, before requested_q, have theirs. */
  uint64_t requested_q, written_q;
  uint32_t filled_q;                        /* entries whose value has come, a mask */
  uint32_t buffer_q[ctl_BufferEntries][32]; /* their values */
  uint64_t base;                            /* for the rules only: the stack's first address */
  uint64_t placed;                          /* for the rules only: CTAs that have begun since the launch */
};

#endif
