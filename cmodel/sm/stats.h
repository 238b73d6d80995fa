/* SPDX-License-Identifier: Apache-2.0 */
/* stats: the counters of one SM (stats.def). */
#ifndef RT_SM_STATS_H
#define RT_SM_STATS_H

#include <stdint.h>

struct sm_stats {
#define STAT(name, unit, text) uint64_t name;
#include "sm/stats.def"
#undef STAT
};

#endif
