/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe: observes a kernel on the SM: its instructions, its line reads, its CTAs. A probe changes nothing, so
 * statistics are the same with and without it; without a probe each event costs one test of a pointer.
 */
#ifndef RT_SM_PROBE_H
#define RT_SM_PROBE_H

#include <stdint.h>

#include "sm/stats.h"
#include "trace/stream.h"

/* STALLED: every unfinished warp of the CTA waits for memory or at a barrier, at least one of them for memory: for a
 * load's result, for an atomic, or behind an LSU that is full because memory takes no more. READY: that is over. */
enum probe_cta { PROBE_CTA_BEGIN, PROBE_CTA_STALLED, PROBE_CTA_READY, PROBE_CTA_END };
/* Of a residency with more CTAs than may issue: ACTIVE: it may issue (so it begins); CONTEXT: its context is in
 * shared memory, its registers are where they were; PENDING: they are away as well. LEAVES, COMES: its registers
 * begin to move out of the register file, back into it; STAYS: they do not after all. */
enum probe_status { PROBE_ACTIVE, PROBE_CONTEXT, PROBE_PENDING, PROBE_LEAVES, PROBE_COMES, PROBE_STAYS };
enum probe_read { PROBE_HIT, PROBE_MISS, PROBE_MERGE }; /* MERGE: joined a line under way */

struct probe {
  void (*launch)(void *ctx, const struct code *kernel, uint64_t cycle); /* a launch of it begins */
  /* The warps of CTA slot `cta` run in warp slots slot[0..warps). */
  void (*cta)(void *ctx, uint64_t cycle, unsigned cta, enum probe_cta what, const uint16_t *slot, unsigned warps);
  void (*issue)(void *ctx, uint64_t cycle, unsigned cta, const struct warp_inst *inst, const struct op *op);
  /* A read of a line by way of the L1, done (not one that was turned away); `op`: index of the instruction. */
  void (*read)(void *ctx, uint64_t cycle, uint32_t op, uint32_t line, uint8_t sectors, enum probe_read what);
  void (*status)(void *ctx, uint64_t cycle, unsigned cta, enum probe_status what); /* NULL: not asked for */
  /* The counters after this cycle, in the first cycle at or after the one that the last call returned (at first: 0). NULL: not
   * asked for. */
  uint64_t (*sample)(void *ctx, uint64_t cycle, const struct sm_stats *st);
  void *ctx;
};

#endif
