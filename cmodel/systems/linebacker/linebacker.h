/* SPDX-License-Identifier: Apache-2.0 */
/* linebacker: what the residency `linebacker` (CTL) and the l1 choices `victim` (LM, VTT) and `cerf` have in common. */
#ifndef RT_SYSTEMS_LINEBACKER_H
#define RT_SYSTEMS_LINEBACKER_H

#include "blocks/linebacker/vtt.h"
#include "sm/slot_api.h"

/* The answer of l1.mode in this cycle: LM's mode, whether LM has selected loads in the last cycle (its `selected`), and
 * whether the VTT stands still (its `hold_done`). */
enum { VICTIM_MODE = 3, VICTIM_SELECTED = 4, VICTIM_STILL = 8 };

/* The laws of CTL, of LM and VTT (laws.c). */
void linebacker_ctl_laws(struct twins *t);
void linebacker_victim_laws(struct twins *t);

/* The VTT for this L1: as many sets as that has, as many partitions as its ways and the registers above `Offset` allow (docs/blocks/linebacker/overview.md, L17). */
struct vtt_params victim_size(const struct config *c);

/* Cycles between this one and the first in which memory takes a request. */
static inline uint64_t linebacker_post_in(struct sm *S) {
  const uint64_t at = memory_takes_at(S);
  return at == NEVER ? NEVER : at > sm_view(S)->now + 1 ? at - sm_view(S)->now - 1 : 0;
}

/* With sim.check: word `lane` of what a row holds in place of a line's data, after so many stores to the line. */
static inline uint32_t linebacker_word(uint32_t line, uint32_t version, uint32_t lane) {
  uint32_t x = line ^ version * 0x9e3779b1u ^ lane * 0x85ebca6bu;
  x = (x ^ x >> 15) * 0x2c1b3c6du;
  return x ^ x >> 13;
}

/* Lines in registers, by the victim port: a residency of these, flat, ocu with a unit to spare, whole lines, write evict. False and *e:
 * this is not so of the choice `mine`. */
bool linebacker_rows_fit(const struct config *c, const struct slots *slots, const char *mine, const char *residencies,
                         struct err *e);

/* Why a kernel runs as on a plain SM, or NULL: it is beyond the tables' widths (docs/blocks/linebacker/overview.md, L36). */
const char *linebacker_unfit(const struct sm *S);
#endif
