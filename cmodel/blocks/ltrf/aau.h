/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aau: address allocation unit: free numbers, in the order in which they became free. LTRF, section 4.1 (Fig. 6);
 * docs/blocks/ltrf/aau.md. pfu has one for each slot and one for the slots, and uses the inline functions: they are what aau_tick does.
 */
#ifndef RT_BLOCKS_LTRF_AAU_H
#define RT_BLOCKS_LTRF_AAU_H

#include "blocks/rules.h"

#define BLOCK aau
#define BLOCK_DEF "blocks/ltrf/aau.def"
#include "blocks/declare.h"

struct aau {
  struct aau_state r;
  struct aau_params size;     /* Depth: a power of two, 2 to 32 */
  uint8_t id[aau_Depth_most]; /* a ring; cnt_q free numbers from rd on, the next one that is pushed goes to wr */
  uint8_t rd, wr;
};

static inline uint64_t aau_head(const struct aau *s) { return s->r.cnt_q ? s->id[s->rd] : 0; }

static inline void aau_start(struct aau *s) {
  s->r.occ_q = 0;
  s->r.cnt_q = s->size.Depth;
  s->rd = s->wr = 0;
  for (unsigned k = 0; k < s->size.Depth; k++) s->id[k] = (uint8_t)k;
}

/* In a cycle with a pop and a push the pop comes first. */
static inline uint64_t aau_pop(struct aau *s) {
  BLOCK_RULE(s->r.cnt_q);
  const uint64_t head = s->id[s->rd];
  s->rd = (s->rd + 1u) & (s->size.Depth - 1);
  s->r.cnt_q--;
  s->r.occ_q |= 1ull << head;
  return head;
}

static inline void aau_push(struct aau *s, uint64_t id) {
  BLOCK_RULE(s->r.occ_q >> id & 1);
  s->id[s->wr] = (uint8_t)id;
  s->wr = (s->wr + 1u) & (s->size.Depth - 1);
  s->r.cnt_q++;
  s->r.occ_q &= ~(1ull << id);
}

#endif
