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
  unsigned warp_bits;
  uint32_t row[ccu_Ct_most], column[ccu_Ct_most]; /* bits of newer_q: pairs (e, j) and (i, e) of entry e */
  bool busy, widv;                                /* an instruction is here; there is an owner */
  uint64_t wid, meta;                             /* the last owner; of the instruction */
  uint32_t data[ccu_Ct_most][32];
};

/* All operands are here. */
static inline bool ccu_complete(const struct ccu *s) { return s->busy && s->r.sv_q == s->r.rdy_q; }

/* Slot k's entry; its register. */
static inline unsigned ccu_entry(const struct ccu *s, unsigned k) { return s->r.idx_q >> 3 * k & 7; }
static inline unsigned ccu_register(const struct ccu *s, unsigned k) { return s->r.tag_q >> 8 * ccu_entry(s, k) & 255; }

#endif
