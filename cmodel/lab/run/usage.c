/* SPDX-License-Identifier: Apache-2.0 */
/* usage: see usage.h. */
#include "lab/run/usage.h"

#include <string.h>

#include "mem/mem.h"

const struct resource resources[] = {
#define RESOURCE(key, label, when, used, capacity, text) {#key, label, text},
#include "lab/run/usage.def"
};

/* Pipes or collector units that there are: each sub-core has its part, at least one (sm/sm.c). */
static double usage_parts(const struct config *c, int64_t n) {
  const int64_t groups = c->sm_subcores ? c->sm_schedulers : 1;
  return (double)((n / groups ? n / groups : 1) * groups);
}

#define RESOURCE(key, label, when, used, capacity, text)                                                              \
  static bool has_##key(const struct run_result *r) { return (void)r, (when); }                                       \
  static double used_##key(const struct run_result *r, const struct mem_share *m) { return (void)m, (double)(used); } \
  static double capacity_##key(const struct run_result *r, const struct mem_share *m) {                               \
    return (void)m, (double)(capacity);                                                                               \
  }
#include "lab/run/usage.def"

static const struct {
  bool (*has)(const struct run_result *r);
  double (*used)(const struct run_result *r, const struct mem_share *m);
  double (*capacity)(const struct run_result *r, const struct mem_share *m);
} formulae[] = {
#define RESOURCE(key, label, when, used, capacity, text) {has_##key, used_##key, capacity_##key},
#include "lab/run/usage.def"
};

void usage_of(const struct run_result *r, struct usage *u) {
  const struct mem_share m = mem_share(&r->cfg);
  memset(u, 0, sizeof *u);
  for (unsigned i = 0; i < RESOURCES; i++) {
    if (!formulae[i].has(r)) continue;
    const double capacity = formulae[i].capacity(r, &m);
    u->part[i] = capacity > 0 ? formulae[i].used(r, &m) / capacity : 0;
    unsigned at = u->n++;
    for (; at && u->part[u->order[at - 1]] < u->part[i]; at--) u->order[at] = u->order[at - 1];
    u->order[at] = i;
  }
}
