/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aau: address allocation unit: free numbers, in the order in which they became free. LTRF, section 4.1 (Fig. 6);
 * docs/blocks/ltrf/aau.md. pfu has one for each slot and one for the slots, and uses the inline functions that aau_tick consists of.
 */
#ifndef RT_BLOCKS_LTRF_AAU_H
#define RT_BLOCKS_LTRF_AAU_H

#include "blocks/rules.h"

#define BLOCK aau
#define BLOCK_DEF "blocks/ltrf/aau.def"
#include "blocks/declare.h"

struct aau {
  struct aau_state r;
  struct aau_params size;         /* Depth: a power of two, 2 to 32 */
  uint8_t number[aau_Depth_most]; /* [place] a ring: free_count_q free numbers, from the head on */
  uint8_t head, tail;             /* places: of the head; that the next number is pushed to */
};

static inline uint64_t aau_head(const struct aau *s) { return s->r.free_count_q ? s->number[s->head] : 0; }

static inline void aau_start(struct aau *s) {
  s->r.occupied_q = 0;
  s->r.free_count_q = s->size.Depth;
  s->head = s->tail = 0;
  for (unsigned k = 0; k < s->size.Depth; k++) s->number[k] = (uint8_t)k;
}

/* In a cycle with a pop and a push the pop comes first. */
static inline uint64_t aau_pop(struct aau *s) {
  BLOCK_RULE(s->r.free_count_q);
  const uint64_t head = s->number[s->head];
  s->head = (s->head + 1u) & (s->size.Depth - 1);
  s->r.free_count_q--;
  s->r.occupied_q |= 1ull << head;
  return head;
}

static inline void aau_push(struct aau *s, uint64_t number) {
  BLOCK_RULE(s->r.occupied_q >> number & 1);
  s->number[s->tail] = (uint8_t)number;
  s->tail = (s->tail + 1u) & (s->size.Depth - 1);
  s->r.free_count_q++;
  s->r.occupied_q &= ~(1ull << number);
}

#endif
