/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ccu: caching collector unit: gathers an instruction's operands and keeps registers of its warp. Malekeh, sections III-C and IV-A
 * (Fig. 5); docs/blocks/malekeh/ccu.md.
 *
 * An instruction's operands are entries of the cache table, which are locked until dispatch; slots name them. A cycle without an
 * input costs next to nothing, one with an allocation a few operations for each operand.
 */
#ifndef RT_BLOCKS_MALEKEH_CCU_H
#define RT_BLOCKS_MALEKEH_CCU_H

#include <stdbool.h>

#include "base/bits.h"

#define BLOCK ccu
#define BLOCK_DEF "blocks/malekeh/ccu.def"
#define BLOCK_BUSY
#include "blocks/declare.h"

struct ccu {
  struct ccu_state r;
  struct ccu_params size;
  uint32_t row[ccu_NumEntries_most],
      column[ccu_NumEntries_most];        /* bits of newer_q: pairs (e, j) and (i, e) of entry e */
  bool busy, owned;                       /* an instruction is here; there is an owner */
  uint64_t owner, meta;                   /* the last owner, a warp; number of the instruction */
  uint32_t data[ccu_NumEntries_most][32]; /* [entry][lane] its value */
};

/* All operands are here. */
static inline bool ccu_complete(const struct ccu *s) { return s->busy && s->r.source_q == s->r.ready_q; }

#endif
