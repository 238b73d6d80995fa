/* SPDX-License-Identifier: Apache-2.0 */
/* counted: see counted.h. */
#include "run/counted.h"

struct sm_stats all_sms_stats(const struct gpu *g) {
  struct sm_stats sum = {0};
  for (unsigned i = 0; i < gpu_sms(g); i++) sm_stats_add(&sum, sm_stats(gpu_sm(g, i)));
  return sum;
}

static void mem_since(struct mem_stats *m, const struct mem_stats *before) {
  _Static_assert(sizeof *m % sizeof(uint64_t) == 0, "only counters");
  uint64_t *n = (uint64_t *)m;
  const uint64_t *b = (const uint64_t *)before;
  for (size_t i = 0; i < sizeof *m / sizeof *n; i++) n[i] -= b[i];
}

struct counted counted_now(const struct gpu *g) {
  return (struct counted){all_sms_stats(g), *gpu_mem_stats(g), gpu_cycles(g)};
}

void counted_since(struct counted *n, const struct counted *before) {
  sm_stats_since(&n->sm, &before->sm);
  mem_since(&n->mem, &before->mem);
  n->cycles -= before->cycles;
}
