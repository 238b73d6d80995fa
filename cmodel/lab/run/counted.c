/* SPDX-License-Identifier: Apache-2.0 */
/* counted: see counted.h. */
#include "lab/run/counted.h"

struct sm_stats all_sms_stats(const struct gpu *g) {
  struct sm_stats sum = {0};
  for (unsigned i = 0; i < gpu_sms(g); i++) sm_stats_add(&sum, sm_stats(gpu_sm(g, i)));
  return sum;
}

static void mem_add(struct mem_stats *m, const struct mem_stats *other, bool minus) {
  _Static_assert(sizeof *m % sizeof(uint64_t) == 0, "only counters");
  uint64_t *n = (uint64_t *)m;
  const uint64_t *o = (const uint64_t *)other;
  for (size_t i = 0; i < sizeof *m / sizeof *n; i++) n[i] += minus ? -o[i] : o[i];
}

struct counted counted_now(const struct gpu *g) {
  return (struct counted){all_sms_stats(g), *gpu_mem_stats(g), gpu_cycles(g)};
}

void counted_add(struct counted *n, const struct counted *more) {
  sm_stats_add(&n->sm, &more->sm);
  mem_add(&n->mem, &more->mem, false);
  n->cycles += more->cycles;
}

void counted_since(struct counted *n, const struct counted *before) {
  sm_stats_since(&n->sm, &before->sm);
  mem_add(&n->mem, &before->mem, true);
  n->cycles -= before->cycles;
}
