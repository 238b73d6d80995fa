/* SPDX-License-Identifier: Apache-2.0 */
/* run: see run.h. */
#include "run/run.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/bits.h"
#include "run/near.h"
#include "run/timed.h"
#include "suite/about.h"

struct job {
  const struct run_progress *progress;
  struct gpu *gpu;          /* NULL: functional */
  struct near_record *near; /* exact near bits of what is timed; NULL: none */
  struct run_result *out;
  const struct workload *w;
  struct quality_results results; /* of narrow code */
  char entry[128];                /* that the manifest names; "" */
  bool of_entry;                  /* what follows is of a launch of it */
  uint64_t most;                  /* warp instructions of the launch that ran most of them so far */
};

/* Processor time, not wall-clock time: other load of the host does not count. */
static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static bool functional(struct job *j, const struct launch *l, struct err *e) {
  struct exec_counts counts = {0};
  bool ok = exec_run(l, 0, &counts, e);
  j->out->sm.warp_insns += counts.warp_insns;
  j->out->sm.thread_insns += counts.thread_insns;
  return ok;
}

static bool timed(struct job *j, const struct launch *l, struct err *e) {
  struct gpu_progress p = {0};
  if (j->progress && j->progress->tick) p = (struct gpu_progress){j->progress->tick, j->progress->ctx};
  return timed_launch(j->gpu, l, p.tick ? &p : NULL, e);
}

static bool one_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct job *j = ctx;
  struct run_result *r = j->out;
  if (j->progress && j->progress->launch) j->progress->launch(j->progress->ctx, l->code->name, index, l);
  const struct compiled *c = j->w->compiled;
  if (c && c->facts && !facts_cover(&c->facts[l->code - j->w->module->kernel], l->code, l, e)) return false;
  const uint64_t *insns = j->gpu ? &sm_stats(gpu_sm(j->gpu, 0))->warp_insns : &r->sm.warp_insns;
  struct launch watched = *l;
  watched.untimed = &r->untimed;
  watched.races = j->progress ? j->progress->races : NULL;
  if (j->near && !(watched.tap = near_launch(j->near, l, index, e))) return false;
  uint64_t before = *insns, start = now_ns();
  bool ok = j->gpu ? timed(j, &watched, e) : functional(j, &watched, e);
  r->host_ns += now_ns() - start;
  r->launches++;
  const bool entry = !strcmp(l->code->name, j->entry);
  if (!ok || entry < j->of_entry || (entry == j->of_entry && *insns - before <= j->most)) return ok;
  const char *limiter = "";
  j->of_entry = entry;
  j->most = *insns - before;
  r->regs = l->code->nreg;
  r->pressure = l->code->packing ? l->code->packing->rows : l->code->nreg;
  r->block_threads = l->block[0] * l->block[1] * l->block[2];
  r->fit = j->gpu ? sm_occupancy(gpu_sm(j->gpu, 0), &limiter) : 0;
  r->warps_fit = j->gpu ? sm_warps_fit(gpu_sm(j->gpu, 0)) : 0;
  snprintf(r->limiter, sizeof r->limiter, "%s", limiter ? limiter : "");
  snprintf(r->busiest, sizeof r->busiest, "%s", l->code->name);
  return true;
}

static void print(void *ctx, const char *text, size_t n) {
  const struct run_progress *p = ((struct job *)ctx)->progress;
  p->print(p->ctx, text, n);
}

static void keep_result(void *ctx, const struct host_result *r) { quality_keep(&((struct job *)ctx)->results, r); }

static bool compare(struct job *j, const struct compiled *c, struct err *e) {
  if (!c || !c->reference.n) return true;
  j->out->compared = true;
  return quality_compare(c->metric, &c->reference, &j->results, NULL, &j->out->quality, e);
}

void run_complaints(const struct run_result *r, const char *name) {
  char text[80];
  if (r->floats && !r->widths[0])
    note("%s: no widths of quality %s beside %s: its floats keep 32 bits (regtwin tune)", name,
         quality_level_name(r->asked), r->path);
  if (!run_below(r)) return;
  quality_text(&r->quality, text, sizeof text);
  note("%s: the quality of its results is %s (%s), expected %s", name, quality_level_name(r->quality.level), text,
       quality_level_name(r->asked));
}

static bool metric_known(const struct workload *w, const struct compiled *c, struct err *e) {
  return c->metric_known || !c->widths[0] ||
         err_at(e, w->path, 0, 0,
                "found no about.yaml beside it, expected one: a run with narrow floats (%s) needs the metric by "
                "which results are compared; of integers (--set compile.narrow=int) they stay the same",
                c->widths);
}

static uint64_t hash_of(const struct quality_results *r) {
  uint64_t h = FNV_START;
  for (unsigned i = 0; i < r->n; i++)
    if (r->buffer[i].data) h = fnv1a(h, r->buffer[i].data, r->buffer[i].n * dtype_bytes(r->buffer[i].is.type));
  return h;
}

static void describe(struct run_result *r, const struct compiled *c) {
  r->narrow = true;
  r->floats = c->floats;
  r->asked = c->asked;
  memcpy(r->widths, c->widths, sizeof r->widths);
}

static bool find_entry(struct job *j, struct err *e) {
  struct arena arena = {0};
  struct about about;
  bool there = false, ok = about_beside(&about, &arena, j->w->path, &there, e);
  if (ok && there) snprintf(j->entry, sizeof j->entry, "%s", about.entry);
  arena_free(&arena);
  return ok;
}

bool run_workload(struct workload *w, const struct config *cfg, uint64_t seed, bool functional_only,
                  const struct run_progress *p, struct run_result *out, struct err *e) {
  const struct compiled *c = w->compiled;
  struct job j = {.progress = p, .out = out, .w = w};
  memset(out, 0, sizeof *out);
  memcpy(out->kernel, w->name, sizeof out->kernel);
  memcpy(out->size, w->size, sizeof out->size);
  memcpy(out->path, w->path, sizeof out->path);
  out->cfg = *cfg;
  out->functional = functional_only;
  out->seed = seed ? seed : script_seed(w->script);
  if (c && !metric_known(w, c, e)) return false;
  if (c) describe(out, c);
  if (!find_entry(&j, e)) return false;
  if (!functional_only && !(j.gpu = gpu_new(cfg, 1, e))) return false;
  const struct near_want want = slots_near(cfg);
  bool ok = true;
  if (j.gpu) j.near = near_make(w, &want, cfg, seed, &ok, e);
  if (j.gpu && p) {
    sm_observe(gpu_sm(j.gpu, 0), p->observer);
    sm_probe(gpu_sm(j.gpu, 0), p->probe);
  }
  struct host_ops ops = {.launch = one_launch,
                         .ctx = &j,
                         .dumps = p ? p->dumps : NULL,
                         .trial = !p || !p->dumps,
                         .images = p ? p->images : NULL,
                         .limits = workload_limits(cfg)};
  if (p && p->print) ops.print = print;
  if (c) {
    ops.unchecked = true;
    ops.result = keep_result;
    snprintf(j.results.path, sizeof j.results.path, "%s", w->path);
  }
  ok = ok && script_run(w->script, w->module, seed, &ops, e) && compare(&j, c, e);
  if (ok && c) out->results = hash_of(&j.results);
  quality_free(&j.results);
  near_free(j.near);
  if (j.gpu) {
    out->sm = *sm_stats(gpu_sm(j.gpu, 0));
    out->mem = *gpu_mem_stats(j.gpu);
    load_latencies(sm_latency(gpu_sm(j.gpu, 0)), out->latency);
    if (p && p->latency) *p->latency = *sm_latency(gpu_sm(j.gpu, 0));
    out->hash = gpu_hash(j.gpu);
    gpu_free(j.gpu);
  }
  struct rusage u;
  if (!getrusage(RUSAGE_SELF, &u)) out->peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
  return ok;
}
