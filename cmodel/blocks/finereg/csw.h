/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csw: CTA switch policy: when an active CTA stalls or ends, decides which CTA leaves and which one comes, and
 * sequences the steps. FineReg, sections V-B and V-D (Fig. 6); docs/blocks/finereg/csw.md.
 *
 * csw_idle, csw_hold, csw_skip: stalled_i stays as it was at the last tick. If no CTA can come, csw examines
 * each stalled CTA in turn, and all of them again every 16 cycles; it holds, though freeze_*_o and finished_ready_o change.
 */
#ifndef RT_BLOCKS_FINEREG_CSW_H
#define RT_BLOCKS_FINEREG_CSW_H

#include <stdbool.h>

#define BLOCK csw
#define BLOCK_DEF "blocks/finereg/csw.def"
#define BLOCK_BUSY
#define BLOCK_COUNTS
#define BLOCK_HOLDS
#include "blocks/declare.h"

enum csw_cause { CSW_FILL, CSW_STALL, CSW_FINISH }; /* the cause of the sequence: room, a stalled CTA, a finished one */

struct csw {
  struct csw_state r;
  enum csw_cause cause_q;
  uint64_t operation_q, command_warps_q; /* rmu's command */
  bool launch_q;                         /* B is launched, not resumed */
  bool spilled_q;                        /* A's registers have gone to the PCRF */
  uint64_t due_q[csw_NumCtas / 64], stalled_q[csw_NumCtas / 64];
};

#endif
