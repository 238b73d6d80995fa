/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rarb: bank arbiter: results first, then the oldest operand request of each bank, one a unit. Malekeh, sections II and III-B;
 * docs/blocks/malekeh/rarb.md.
 *
 * A bank's queue is what waits for it, unit by unit in the order of their requests. A cycle costs in proportion to the requests that wait.
 */
#ifndef RT_BLOCKS_MALEKEH_RARB_H
#define RT_BLOCKS_MALEKEH_RARB_H

#include "base/bits.h"

#define BLOCK rarb
#define BLOCK_DEF "blocks/malekeh/rarb.def"
#define BLOCK_BUSY
#include "blocks/declare.h"

struct rarb {
  struct rarb_state r;
  struct rarb_params size; /* powers of two */
  unsigned unit_bits, bank_bits;
  unsigned waiting;              /* units that have requests in pend_q, */
  uint8_t order[rarb_Nccu_most]; /* and which, in the order of their requests */
  struct rarb_request {
    uint8_t r, ct, b; /* register, entry of the unit, bank */
  } request[rarb_Nccu_most][rarb_Noct];
};

#endif
