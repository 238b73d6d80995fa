/* SPDX-License-Identifier: Apache-2.0 */
/* stats: the counters of one SM (sm/stats.def, systems/NAME/system.def), and sums of them. */
#ifndef RT_SM_STATS_H
#define RT_SM_STATS_H

#include <stdint.h>

struct sm_stats {
#define STAT(name, unit, text) uint64_t name;
#include "gen/systems/stats.def"
};

/* Adds the counters of another SM or launch; of values that are no counts (LAST, docs/reference/lists.md) the larger one stays. */
void sm_stats_add(struct sm_stats *sum, const struct sm_stats *s);
/* What was counted since `before`, an earlier state of the same SM; values that are no counts stay as they are. */
void sm_stats_since(struct sm_stats *s, const struct sm_stats *before);

#endif
