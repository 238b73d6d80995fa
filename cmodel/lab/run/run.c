/* SPDX-License-Identifier: Apache-2.0 */
/* run: see run.h. */
#include "lab/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/bits.h"
#include "base/clock.h"
#include "lab/run/checkpoint.h"
#include "lab/run/counted.h"
#include "lab/run/near.h"
#include "lab/run/record.h"
#include "lab/run/region.h"
#include "lab/run/timed.h"
#include "lab/run/trace.h"
#include "lab/kernels/suite/about.h"

struct run_job {
  struct region region;
  bool ended; /* sim.stop_cycles or sim.stop_ctas was reached: the rest is not run */
  const struct run_progress *progress;
  struct gpu *gpu;          /* NULL: functional */
  struct near_record *near; /* exact near bits of what is timed; NULL: none */
  struct run_result *out;
  struct workload *w;
  uint64_t seed;                  /* 0: the launch file's own */
  struct quality_results results; /* of narrow code */
  char entry[128];                /* that the manifest names; "" */
  bool of_entry;                  /* what follows is of a launch of it */
  uint64_t most;                  /* warp instructions of the launch that ran most of them so far */
  struct host_ops ops;
  struct host_run *host; /* the launch file; NULL: it could not begin */
  struct trace_at trace; /* or how far a trace was run */
  /* of the launch that is being timed */
  struct timed *timed;
  struct launch watched;
  struct counted before; /* until it began */
  unsigned index;
  uint64_t began; /* now_ns, up to which host_ns counts */
};

/* Processor time, so that other load of the host does not count; with several threads, which wait for each other, wall-clock time. */
static uint64_t now_ns(const struct run_job *j) {
  return j->gpu && j->progress && j->progress->threads > 1 ? clock_wall_ns() : clock_cpu_ns();
}

/* record: where it is recorded; NULL: nowhere. */
static bool run_functional(const struct launch *l, struct recording *record, struct sm_stats *counted, struct err *e) {
  struct exec_counts counts = {0};
  bool ok = record ? recording_run(record, l, &counts, e) : exec_run(l, 0, &counts, e);
  counted->warp_insns += counts.warp_insns;
  counted->thread_insns += counts.thread_insns;
  return ok;
}

static void count_time(struct run_job *j) {
  const uint64_t now = now_ns(j);
  j->out->host_ns += clock_span(j->began, now);
  j->began = now;
}

/* At a quantum's end of a launch, or before its first one. */
static void save_if_due(struct run_job *j, uint64_t cycle) {
  struct checkpoint *c = j->progress ? j->progress->checkpoint : NULL;
  if (!c || !checkpoint_due(c)) return;
  count_time(j);
  checkpoint_write(c, j->out, j->watched.code->name, j->index, cycle);
  j->began = now_ns(j); /* what that took is not the simulation's */
}

static void run_on_tick(void *ctx, uint64_t cycle, uint32_t done, uint32_t ctas, uint64_t insns) {
  struct run_job *j = ctx;
  const struct run_progress *p = j->progress;
  if (p->tick) p->tick(p->ctx, cycle, done, ctas, insns);
  save_if_due(j, cycle);
}

/* The launch from where it is to its end. */
static bool run_rest_of_timed(struct run_job *j, struct err *e) {
  const struct run_progress *p = j->progress;
  const struct gpu_progress tick = {run_on_tick, j};
  const bool ok = j->timed && timed_go(j->timed, p && (p->tick || p->checkpoint) ? &tick : NULL, e);
  timed_end(j->timed);
  j->timed = NULL;
  return ok;
}

/* Of a launch that has ended or failed. */
static void keep_launch(const struct run_job *j, const struct launch *l, bool timed, const struct counted *n) {
  struct run_detail *d = j->progress ? j->progress->detail : NULL;
  if (!d || !d->by_launch) return;
  struct run_launch *one = &VEC_PUSH(d->launch, d->launches, d->room);
  *one = (struct run_launch){
      .timed = timed, .cut = timed && gpu_stopped(j->gpu), .cycles = n->cycles, .sm = n->sm, .mem = n->mem};
  snprintf(one->kernel, sizeof one->kernel, "%s", l->code->name);
  memcpy(one->grid, l->grid, sizeof one->grid);
  memcpy(one->block, l->block, sizeof one->block);
}

/* What an SM has room for, of the launch that ran most instructions. */
static void keep_largest(struct run_job *j, const struct launch *l, uint64_t insns) {
  struct run_result *r = j->out;
  const bool entry = !strcmp(l->code->name, j->entry);
  if (entry < j->of_entry || (entry == j->of_entry && insns <= j->most)) return;
  j->of_entry = entry;
  const char *limiter = "";
  j->most = insns;
  r->regs = l->code->nreg;
  r->pressure = l->code->packing ? l->code->packing->rows : l->code->nreg;
  r->block_threads = l->block[0] * l->block[1] * l->block[2];
  r->fit = j->gpu ? sm_occupancy(gpu_sm(j->gpu, 0), &limiter) : 0;
  r->warps_fit = j->gpu ? sm_warps_fit(gpu_sm(j->gpu, 0)) : 0;
  snprintf(r->limiter, sizeof r->limiter, "%s", limiter ? limiter : "");
  snprintf(r->busiest, sizeof r->busiest, "%s", l->code->name);
}

/* The run ends here, without an error of its own: run_workload knows. */
static bool run_end_here(struct run_job *j, const struct launch *l, struct err *e) {
  j->ended = true;
  return err_at(e, NULL, 0, 0, "kernel '%.160s': sim.stop_cycles or sim.stop_ctas was reached", l->code->name);
}

/* The rest of run_one_launch, with what the launch returned. *n: what was counted without time. */
static bool run_end_launch(struct run_job *j, const struct launch *l, bool with_time, struct counted *n, bool ok,
                           struct err *e) {
  struct run_result *r = j->out;
  count_time(j);
  if (with_time) {
    *n = counted_now(j->gpu);
    counted_since(n, &j->before);
  }
  r->launches++;
  r->launches_timed += with_time;
  keep_launch(j, l, with_time, n);
  if (!j->gpu) sm_stats_add(&r->sm, &n->sm);
  if (ok && (with_time || !j->gpu)) keep_largest(j, l, n->sm.warp_insns);
  return ok && j->gpu && gpu_stopped(j->gpu) ? run_end_here(j, l, e) : ok;
}

/* Executes it; with time if there is a gpu and the region has it. */
static bool run_one_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct run_job *j = ctx;
  struct run_result *r = j->out;
  struct counted n = {0};
  bool ok;
  const bool with_time = j->gpu && region_takes(&j->region, index, l->code->name);
  if (j->gpu && gpu_spent(j->gpu)) return run_end_here(j, l, e);
  if (j->progress && j->progress->launch) j->progress->launch(j->progress->ctx, l->code->name, index, l);
  const struct compiled *c = j->w->compiled;
  if (c && c->facts && !facts_cover(&c->facts[l->code - j->w->module->kernel], l->code, l, e)) return false;
  j->index = index;
  j->watched = *l;
  j->watched.untimed = &j->out->untimed;
  j->watched.races = j->progress ? j->progress->races : NULL;
  if (with_time && j->near && !(j->watched.tap = near_launch(j->near, l, index, e))) return false;
  struct recording *record = j->progress ? j->progress->record : NULL;
  if (with_time) j->watched.record = record;
  if (with_time) j->before = counted_now(j->gpu);
  if (with_time && l->stride > 1 && r->cfg.sim_sms > 1 && !r->cfg.sm_cta_stride && l->stride > r->unshared)
    r->unshared = l->stride;
  j->began = now_ns(j);
  if (with_time) {
    j->timed = timed_begin(j->gpu, &j->watched, e);
    if (j->timed) save_if_due(j, gpu_cycles(j->gpu)); /* of launches that are too short for a tick */
    ok = run_rest_of_timed(j, e);
  } else {
    ok = run_functional(&j->watched, j->gpu ? NULL : record, &n.sm, e);
  }
  return run_end_launch(j, l, with_time, &n, ok, e);
}

/* Of a run that goes on in another process: it was saved in run_on_tick. */
static bool run_rest_of_launch(void *ctx, const struct launch *l, struct err *e) {
  struct run_job *j = ctx;
  struct counted n = {0};
  const struct run_progress *p = j->progress;
  if (p && p->launch) p->launch(p->ctx, l->code->name, j->index, l);
  j->began = now_ns(j);
  return run_end_launch(j, l, true, &n, run_rest_of_timed(j, e), e);
}

static void run_on_print(void *ctx, const char *text, size_t n) {
  const struct run_progress *p = ((struct run_job *)ctx)->progress;
  p->print(p->ctx, text, n);
}

static void keep_result(void *ctx, const struct host_result *r) { quality_keep(&((struct run_job *)ctx)->results, r); }

static bool run_compare_results(struct run_job *j, const struct compiled *c, struct err *e) {
  if (!c || !c->reference.n) return true;
  j->out->compared = true;
  return quality_compare(c->metric, &c->reference, &j->results, NULL, &j->out->quality, e);
}

void run_complaints(const struct run_result *r, const char *name) {
  char text[80];
  if (r->floats && !r->widths[0])
    note("%s: no widths of quality %s beside %s: its floats keep 32 bits (regtwin tune)", name,
         quality_level_name(r->asked), r->path);
  if (r->partial) note("%s: its result is of a part of the run: %s", name, r->part);
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

static uint64_t run_hash_results(const struct quality_results *r) {
  uint64_t h = FNV_START;
  for (unsigned i = 0; i < r->n; i++)
    if (r->buffer[i].data) h = fnv1a(h, r->buffer[i].data, r->buffer[i].n * dtype_bytes(r->buffer[i].is.type));
  return h;
}

static void run_describe_narrow(struct run_result *r, const struct compiled *c) {
  r->narrow = true;
  r->floats = c->floats;
  r->asked = c->asked;
  memcpy(r->widths, c->widths, sizeof r->widths);
}

static bool run_find_entry(struct run_job *j, struct err *e) {
  struct arena arena = {0};
  struct about about;
  memcpy(j->entry, j->w->entry, sizeof j->entry);
  if (j->w->trace) return true;
  bool there = false, ok = about_beside(&about, &arena, j->w->path, &there, e);
  if (ok && there) snprintf(j->entry, sizeof j->entry, "%s", about.entry);
  arena_free(&arena);
  return ok;
}

static void keep_sms(const struct run_job *j) {
  struct run_detail *d = j->progress ? j->progress->detail : NULL;
  if (!d) return;
  d->sms = gpu_sms(j->gpu);
  d->sm = xcalloc(d->sms, sizeof *d->sm);
  for (unsigned i = 0; i < d->sms; i++) d->sm[i] = *sm_stats(gpu_sm(j->gpu, i));
}

static void keep_latency(const struct run_job *j) {
  struct latency *all = xcalloc(1, sizeof *all);
  for (unsigned i = 0; i < gpu_sms(j->gpu); i++) latency_join(all, sm_latency(gpu_sm(j->gpu, i)));
  load_latencies(all, j->out->latency);
  if (j->progress && j->progress->latency) *j->progress->latency = *all;
  free(all);
}

const char *run_sms(const struct config *c, char buf[SMS_TEXT]) {
  const bool all = c->sim_sms > 1 && c->sim_sms == c->gpu_sms;
  if (c->sim_sms == 1) snprintf(buf, SMS_TEXT, "one SM");
  else snprintf(buf, SMS_TEXT, "%s%lld SMs", all ? "all " : "", (long long)c->sim_sms);
  return buf;
}

void run_watched(struct run_result *r, const struct run_detail *d) {
  if (d->sms <= 1) return;
  r->sm = d->sm[r->cfg.sim_watch_sm];
  r->cycles = r->sm.cycles;
}

bool run_energy(const struct run_result *r, struct energy *out) {
  struct err unused = {0};
  return run_energy_explained(r, out, &unused);
}

bool run_energy_explained(const struct run_result *r, struct energy *out, struct err *e) {
  struct sm_stats s = r->sm;
  s.cycles = r->cycles * (uint64_t)r->cfg.sim_sms;
  return energy_of(&r->cfg, &s, &r->mem, out, e);
}

/* Names of the region must be kernels of the file, which a mistyped one is not. */
static bool region_known(const struct region *r, const struct module *m, struct err *e) {
  const struct region_end *const end[] = {&r->from, &r->to};
  for (unsigned i = 0; i < 2; i++) {
    bool known = !end[i]->kernel[0];
    char names[400] = "";
    for (uint32_t k = 0; !known && k < m->nkernel; k++) {
      known = !strcmp(m->kernel[k].name, end[i]->kernel);
      const size_t n = strlen(names);
      snprintf(names + n, sizeof names - n, "%s%s", k ? ", " : "", m->kernel[k].name);
    }
    if (!known)
      return err_at(e, NULL, 0, 0, "sim.roi: found '%.60s', expected a number of a launch or a kernel of its file: %s",
                    end[i]->kernel, names);
  }
  return true;
}

/* Says what of the run was counted, if not all. */
static bool run_describe_part(struct run_job *j, struct err *e) {
  struct run_result *r = j->out;
  const char *const roi = r->cfg.sim_roi;
  int n = 0;
  if (j->w->trace && !trf_whole(j->w->trace)) {
    r->partial |= PARTIAL_TRACE;
    n = snprintf(r->part, sizeof r->part, "of a trace that breaks off");
  }
  if (!j->gpu) return true;
  if (roi[0] && !r->launches_timed && !j->ended)
    return err_at(e, NULL, 0, 0,
                  "sim.roi: found '%.60s', of which no launch was in this run, expected some of its %u launches", roi,
                  r->launches);
  if (r->launches_timed < r->launches) {
    r->partial |= PARTIAL_ROI;
    n += snprintf(r->part + n, sizeof r->part - (size_t)n, "%s%u of %u launches, sim.roi %.40s", n ? "; " : "",
                  r->launches_timed, r->launches, roi);
  }
  if (!j->ended) return true;
  const bool ctas = r->cfg.sim_stop_ctas && gpu_ctas(j->gpu) >= (uint64_t)r->cfg.sim_stop_ctas;
  r->partial |= ctas ? PARTIAL_CTAS : PARTIAL_CYCLES;
  snprintf(r->part + n, sizeof r->part - (size_t)n, "%sstopped in launch %u after %llu cycles and %llu CTAs",
           n ? "; " : "", r->launches ? r->launches - 1 : 0, (unsigned long long)r->cycles,
           (unsigned long long)gpu_ctas(j->gpu));
  return true;
}

/* Before the launch file: the simulated machine, and what must be known of the workload. */
static bool run_prepare(struct run_job *j, struct workload *w, const struct config *cfg, bool functional_only,
                        struct err *e) {
  const struct compiled *c = w->compiled;
  const struct near_want want = slots_near(cfg);
  bool ok = true;
  if (c && !metric_known(w, c, e)) return false;
  if (!run_find_entry(j, e) || !region_read(&j->region, cfg->sim_roi, e) || !region_known(&j->region, w->module, e))
    return false;
  if (functional_only) return true;
  if (!(j->gpu = gpu_new(cfg, (unsigned)cfg->sim_sms, e))) return false;
  j->near = near_make(w, &want, cfg, j->seed, &ok, e);
  return ok;
}

static void run_set_hooks(struct run_job *j, const struct run_progress *p) {
  j->progress = p;
  j->ops.dumps = p ? p->dumps : NULL;
  j->ops.trial = !p || !p->dumps;
  j->ops.images = p ? p->images : NULL;
  j->ops.print = p && p->print ? run_on_print : NULL;
  if (!j->gpu || !p) return;
  struct sm *watched = gpu_sm(j->gpu, (unsigned)j->out->cfg.sim_watch_sm);
  sm_observe(watched, p->observer);
  sm_probe(watched, p->probe);
  if (p->threads) gpu_threads(j->gpu, p->threads);
}

struct run_job *run_begin(struct workload *w, const struct config *cfg, uint64_t seed, bool functional_only,
                          struct run_result *out, struct err *e) {
  struct run_job *j = xcalloc(1, sizeof *j);
  memset(out, 0, sizeof *out);
  memcpy(out->kernel, w->name, sizeof out->kernel);
  memcpy(out->size, w->size, sizeof out->size);
  memcpy(out->path, w->path, sizeof out->path);
  out->cfg = *cfg;
  out->functional = functional_only;
  out->seed = seed ? seed : workload_seed(w);
  if (w->compiled) run_describe_narrow(out, w->compiled);
  j->out = out;
  j->w = w;
  j->seed = seed;
  j->ops = (struct host_ops){
      .launch = run_one_launch, .resume = run_rest_of_launch, .ctx = j, .limits = workload_limits(cfg)};
  if (w->compiled) {
    j->ops.unchecked = true;
    j->ops.result = keep_result;
    snprintf(j->results.path, sizeof j->results.path, "%s", w->path);
  }
  if (run_prepare(j, w, cfg, functional_only, e)) return j;
  run_end(j);
  return NULL;
}

/* The launches of the file, or of a trace. */
static bool run_all_launches(struct run_job *j, struct err *e) {
  if (j->w->trace) return trace_go(j->w, &j->ops, &j->trace, e);
  if (!j->host) j->host = script_begin(j->w->script, j->w->module, j->seed, &j->ops, e);
  return j->host && script_go(j->host, e);
}

/* A trace does what was recorded. */
static bool trace_fits(const struct run_job *j, const struct run_progress *p, struct err *e) {
  const char *const path = j->w->path;
  const bool values = trf_flags(j->w->trace) & TRF_VALUES;
  if (p && p->record) return err_at(e, path, 0, 0, "found a trace, expected a launch file: it is recorded already");
  if (p && p->observer && !values)
    return err_at(e, path, 0, 0,
                  "found a trace without values, expected one with them (regtwin trace record --values), or a "
                  "launch file: blocks are compared with the values of registers");
  if (j->seed && j->seed != j->w->seed)
    return err_at(e, path, 0, 0, "found seed %" PRIu64 ", expected %" PRIu64 ", that of the recording", j->seed,
                  j->w->seed);
  return true;
}

bool run_go(struct run_job *j, const struct run_progress *p, struct err *e) {
  const struct compiled *c = j->w->compiled;
  struct run_result *out = j->out;
  run_set_hooks(j, p);
  if (j->w->trace && !trace_fits(j, p, e)) return false;
  bool ok = run_all_launches(j, e) && run_compare_results(j, c, e);
  if (j->ended) { /* not an error */
    *e = (struct err){0};
    ok = true;
  }
  if (ok && c && !j->ended) out->results = run_hash_results(&j->results);
  if (j->gpu) {
    out->cycles = gpu_cycles(j->gpu);
    out->sm = all_sms_stats(j->gpu);
    out->mem = *gpu_mem_stats(j->gpu);
    keep_sms(j);
    keep_latency(j);
    out->hash = gpu_hash(j->gpu);
  }
  ok = ok && run_describe_part(j, e);
  struct rusage u;
  if (!getrusage(RUSAGE_SELF, &u)) out->peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
  return ok;
}

void run_end(struct run_job *j) {
  if (!j) return;
  script_end(j->host);
  quality_free(&j->results);
  near_free(j->near);
  gpu_free(j->gpu);
  free(j);
}

bool run_workload(struct workload *w, const struct config *cfg, uint64_t seed, bool functional_only,
                  const struct run_progress *p, struct run_result *out, struct err *e) {
  struct run_job *j = run_begin(w, cfg, seed, functional_only, out, e);
  const bool ok = j && run_go(j, p, e);
  run_end(j);
  return ok;
}
