/* SPDX-License-Identifier: Apache-2.0 */
/* bench: see bench.h. */
#include "campaign/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/pool.h"

const char *const bench_names[] = {"sgemm", "vecadd", "bfs", "gather", NULL};

bool bench_one(const char *name, const char *size, const struct config *cfg, bool functional, struct bench_item *out,
               struct err *e) {
  const struct pool alone = {.work = functional ? &work_functional : &work_run, .jobs = 1};
  struct task *t = xcalloc(BENCH_REPEAT, sizeof *t);
  struct answer *a = xcalloc(BENCH_REPEAT, sizeof *a);
  struct run_result *r = xcalloc(BENCH_REPEAT, sizeof *r);
  unsigned order[BENCH_REPEAT];
  bool ok = true;
  memset(out, 0, sizeof *out);
  for (unsigned i = 0; i < BENCH_REPEAT; i++) {
    snprintf(t[i].name, sizeof t[i].name, "%s", name);
    snprintf(t[i].size, sizeof t[i].size, "%s", size);
    t[i].cfg = *cfg;
  }
  pool_run(&alone, t, BENCH_REPEAT, r, a);
  for (unsigned i = 0; i < BENCH_REPEAT; i++) {
    if (!a[i].ok && ok) *e = a[i].e;
    ok &= a[i].ok;
    if (a[i].peak_rss_bytes > out->peak_rss_bytes) out->peak_rss_bytes = a[i].peak_rss_bytes;
    unsigned at = i; /* insertion by host time */
    for (; at && r[order[at - 1]].host_ns > r[i].host_ns; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  if (ok) {
    for (unsigned i = 0; i < BENCH_REPEAT; i++) out->host_ns[i] = r[order[i]].host_ns;
    out->run = r[order[BENCH_REPEAT / 2]];
  }
  free(t), free(a), free(r);
  return ok;
}
