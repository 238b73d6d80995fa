/* SPDX-License-Identifier: Apache-2.0 */
/* detail: the numbers of a run by SM and by launch. Over all SMs the counters of a launch, and over all launches those of
 * an SM, sum to the run's (values of LAST, docs/reference/lists.md, excepted). */
#ifndef RT_RUN_DETAIL_H
#define RT_RUN_DETAIL_H

#include <stdbool.h>

#include "mem/mem.h"
#include "sm/stats.h"

struct run_launch {
  char kernel[128];
  uint32_t grid[3], block[3];
  bool
      timed; /* else executed without timing: functional, or outside the region (sim.roi); all but the instruction counts is 0 */
  bool cut;           /* the run stopped within it (sim.stop_cycles, sim.stop_ctas) */
  uint64_t cycles;    /* of the GPU's clock */
  struct sm_stats sm; /* summed over SMs; sm.warp_insns and sm.thread_insns are there without timing, too */
  struct mem_stats mem;
};

struct
    run_detail { /* zeroed by the caller; run_workload fills it, also as far as a run that failed came; then run_detail_free */
  bool by_launch;      /* set by the caller: the launches are wanted, which take some 1.6 KB each */
  struct sm_stats *sm; /* [sms], of all launches; none without timing */
  unsigned sms;
  struct run_launch *launch; /* [launches], if by_launch, in their order: index 0 is launch 0 */
  unsigned launches, room;
};
void run_detail_free(struct run_detail *d); /* its arrays; it is zero again */

#endif
