/* SPDX-License-Identifier: Apache-2.0 */
/* bench: see bench.h. */
#include "lab/campaign/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/pool.h"

const char *const bench_names[] = {"sgemm", "vecadd", "bfs", "gather", NULL};
const char *const bench_sms_names[] = {"sgemm", "vecadd", "transpose", "spmv", "bfs", "gather", NULL};

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
    if (!cfg->sm_cta_stride) t[i].cfg.sm_cta_stride = 1; /* CTAs without time would be part of the time */
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

/* ---- several SMs ---- */

/* Runs `n` tasks that are all alike, all of them at once. ns: the slowest's. */
static bool bench_run_at_once(const struct task *task, unsigned n, uint64_t *ns, struct run_result *first,
                              uint64_t *rss, struct err *e) {
  const struct pool together = {.work = &work_run, .jobs = n};
  struct task t[2] = {*task, *task};
  struct answer a[2] = {0};
  struct run_result *r = xcalloc(n, sizeof *r);
  bool ok = true;
  pool_run(&together, t, n, r, a);
  for (unsigned i = 0; i < n; i++) {
    if (!a[i].ok && ok) *e = a[i].e;
    ok &= a[i].ok;
    if (!i || r[i].host_ns > *ns) *ns = r[i].host_ns;
    if (a[i].peak_rss_bytes > *rss) *rss = a[i].peak_rss_bytes;
  }
  *first = r[0];
  free(r);
  return ok;
}

static bool bench_run_best(const struct task *t, unsigned times, unsigned n, uint64_t *least, struct run_result *r,
                           uint64_t *rss, struct err *e) {
  *least = UINT64_MAX;
  *rss = 0;
  for (unsigned i = 0; i < times; i++) {
    uint64_t ns;
    if (!bench_run_at_once(t, n, &ns, r, rss, e)) return false;
    if (ns < *least) *least = ns;
  }
  return true;
}

static struct task *bench_make_task(const char *name, const char *size, const struct config *cfg, int64_t sms) {
  struct task *t = xcalloc(1, sizeof *t);
  snprintf(t->name, sizeof t->name, "%s", name);
  snprintf(t->size, sizeof t->size, "%s", size);
  t->cfg = *cfg;
  t->cfg.sim_sms = sms;
  t->cfg.sm_cta_stride = 1;
  t->threads = 1;
  return t;
}

bool bench_several(const char *name, const char *size, const struct config *cfg, struct bench_sms *out, struct err *e) {
  struct task *t = bench_make_task(name, size, cfg, cfg->gpu_sms < BENCH_SMS ? cfg->gpu_sms : BENCH_SMS);
  struct run_result *r = xcalloc(1, sizeof *r);
  uint64_t rss;
  memset(out, 0, sizeof *out);
  bool ok = bench_run_best(t, BENCH_BEST, 1, &out->one_ns, r, &out->peak_rss_bytes, e);
  out->sms = (unsigned)t->cfg.sim_sms;
  out->insns = r->sm.warp_insns;
  ok = ok && bench_run_best(t, BENCH_BEST, 2, &out->pair_ns, r, &rss, e);
  t->threads = 2;
  ok = ok && bench_run_best(t, BENCH_BEST, 1, &out->two_ns, r, &rss, e);
  free(t), free(r);
  return ok;
}

bool bench_memory(const char *name, const char *size, const struct config *cfg, uint64_t *peak_rss_bytes,
                  struct err *e) {
  struct task *t = bench_make_task(name, size, cfg, BENCH_MANY);
  struct run_result *r = xcalloc(1, sizeof *r);
  uint64_t ns;
  t->cfg.gpu_sms = BENCH_MANY;
  const bool ok = bench_run_best(t, 1, 1, &ns, r, peak_rss_bytes, e);
  free(t), free(r);
  return ok;
}
