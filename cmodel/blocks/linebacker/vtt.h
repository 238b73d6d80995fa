/* SPDX-License-Identifier: Apache-2.0 */
/* vtt: victim tag table: which evicted lines lie in registers that no CTA holds. Linebacker, sections 3.2, 3.3; docs/blocks/linebacker/vtt.md. */
#ifndef RT_BLOCKS_LINEBACKER_VTT_H
#define RT_BLOCKS_LINEBACKER_VTT_H

#include <stdbool.h>

#define BLOCK vtt
#define BLOCK_DEF "blocks/linebacker/vtt.def"
#define BLOCK_BUSY
#define BLOCK_COUNTS
#define BLOCK_HOLDS
#include "blocks/declare.h"

enum { vtt_WAYS = 32, vtt_QUEUE = 97 }; /* ways of a set, places of the queue: at most */
struct vtt_answer {
  uint8_t kind, hit, id;
  uint16_t reg, wait; /* wait: cycles until it is ready */
};
struct vtt {
  struct vtt_state r;
  struct vtt_params size;
  uint64_t places;               /* of the queue */
  unsigned k;                    /* low bits of a line's number that are bits of its set */
  bool three;                    /* sets are 3 x 2^k */
  uint64_t active, mode;         /* partitions and mode in effect */
  uint64_t to_active, to_mode;   /* a sweep: what comes into effect */
  uint64_t rows;                 /* after so many more rows */
  bool hold_done, sweep_answers; /* sweep_answers: the sweep ends with hold_done */
  unsigned first;                /* of the queue */
  struct vtt_answer queue[vtt_QUEUE];
  uint32_t valid[vtt_Sets_most];
  uint32_t tag[vtt_Sets_most][vtt_WAYS];
  uint8_t order[vtt_Sets_most][vtt_WAYS]; /* ways of active partitions, the newest first */
};

#endif
