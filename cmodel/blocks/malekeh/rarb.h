/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rarb: bank arbiter: results first, then the oldest operand request of each bank, one a unit. Malekeh, sections II and III-B;
 * docs/blocks/malekeh/rarb.md.
 *
 * A bank's queue holds the slots that wait for it, unit by unit in the order of their requests, slot by slot within a unit. A cycle
 * costs in proportion to the units that wait and to the grants.
 */
#ifndef RT_BLOCKS_MALEKEH_RARB_H
#define RT_BLOCKS_MALEKEH_RARB_H

#include "base/bits.h"

#define BLOCK rarb
#define BLOCK_DEF "blocks/malekeh/rarb.def"
#define BLOCK_BUSY
#define BLOCK_ADVANCES
#include "blocks/declare.h"

struct rarb_unit {
  uint8_t reg[rarb_NumSlots], entry[rarb_NumSlots]; /* [slot] register and entry of its last request */
  uint8_t banks;                                    /* for which it waits, */
  uint8_t at[rarb_NumBanks_most];                   /* [bank] and with which slots; 0 where it does not */
};

struct rarb {
  struct rarb_state r;
  struct rarb_params size;                /* powers of two */
  unsigned waiting;                       /* units with a bit in pending_q, */
  uint8_t order[rarb_NumCollectors_most]; /* and which, in the order of their requests */
  struct rarb_unit unit[rarb_NumCollectors_most];
};

#endif
