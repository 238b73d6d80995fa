/* SPDX-License-Identifier: Apache-2.0 */
/* stats: see stats.h. */
#include "sm/stats.h"

#include "base/bits.h"

void sm_stats_add(struct sm_stats *sum, const struct sm_stats *s) {
  const struct sm_stats before = *sum;
#define STAT(name, unit, text) sum->name += s->name;
#include "gen/systems/stats.def"
#define LAST(name) sum->name = u64_max(before.name, s->name);
#include "gen/systems/stats.def"
  (void)before; /* a build without any system */
}

void sm_stats_since(struct sm_stats *s, const struct sm_stats *before) {
  const struct sm_stats now = *s;
#define STAT(name, unit, text) s->name -= before->name;
#include "gen/systems/stats.def"
#define LAST(name) s->name = now.name;
#include "gen/systems/stats.def"
  (void)now;
}
