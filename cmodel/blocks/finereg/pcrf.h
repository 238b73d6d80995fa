/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcrf: registers of pending CTAs: tag memory, data memory and the walker that follows a chain through them.
 * FineReg, sections V-B and V-C (Fig. 8, 9); docs/blocks/finereg/pcrf.md.
 */
#ifndef RT_BLOCKS_FINEREG_PCRF_H
#define RT_BLOCKS_FINEREG_PCRF_H

#include <stdbool.h>

#define BLOCK pcrf
#define BLOCK_DEF "blocks/finereg/pcrf.def"
#define BLOCK_BUSY
#include "blocks/declare.h"

enum { PCRF_PLACES = 4, PCRF_LANES = 32 };

struct pcrf_tag {
  uint16_t next;
  uint8_t warp, reg;
  bool end;
};

struct pcrf_entry {
  uint16_t index;
  struct pcrf_tag tag;
  uint32_t data[PCRF_LANES];
};

/* State of the walk: the tag was requested in the cycle before, is known, or waits for a credit. */
enum pcrf_walk { PCRF_STILL, PCRF_ASKED, PCRF_KNOWN, PCRF_WAITS };

struct pcrf {
  struct pcrf_state r;
  enum pcrf_walk walk_q;
  uint16_t walk_index_q;              /* the entry of walk_q */
  struct pcrf_tag tag_q;              /* its tag, if requested or known */
  bool coming_q;                      /* data requested in the cycle before, for the place after the last entry */
  unsigned fifo_head_q, fifo_count_q; /* the FIFO: first place, entries */
  struct pcrf_entry fifo_q[PCRF_PLACES];
  struct pcrf_params size;
  uint64_t written[pcrf_NumEntries_most / 64]; /* since reset; for the asserts only */
  /* the memories, which reset leaves as they are */
  struct pcrf_tag tag_m[pcrf_NumEntries_most];
  uint32_t data_m[pcrf_NumEntries_most][PCRF_LANES];
};

#endif
