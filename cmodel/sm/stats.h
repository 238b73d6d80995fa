/* SPDX-License-Identifier: Apache-2.0 */
/* stats: the counters of one SM (sm/stats.def, systems/NAME/stats.def). */
#ifndef RT_SM_STATS_H
#define RT_SM_STATS_H

#include <stdint.h>

struct sm_stats {
#define STAT(name, unit, text) uint64_t name;
#include "gen/systems/stats.def"
};

#endif
