/* SPDX-License-Identifier: Apache-2.0 */
/* compile: see compile.h. */
#include "lab/run/compile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/kernels/suite/about.h"
#include "lab/run/trace.h"
#include "lab/run/widths.h"

void compiled_free(struct compiled *c, const struct module *m) {
  if (!c) return;
  if (c->facts) facts_free(c->facts, m);
  quality_free(&c->reference);
  free(c);
}

/* Integers keep their values, and so do floats of 32 bits: without a manifest, exact results are required. */
static bool compiled_find_metric(struct compiled *c, const struct workload *w, struct err *e) {
  struct arena arena = {0};
  struct about about;
  bool there = false, ok = about_beside(&about, &arena, w->path, &there, e);
  c->metric = QUALITY_EXACT;
  if (ok && there) ok = quality_metric(about.metric, &c->metric);
  c->metric_known = there;
  arena_free(&arena);
  return ok;
}

/* False and *e: there is a file, and it is wrong. */
static bool compiled_find_widths(struct compiled *c, const struct workload *w, const char *quality, struct widths *out,
                                 struct err *e) {
  char path[sizeof w->path + 32];
  widths_path(path, sizeof path, w->path, w->module->file);
  if (access(path, F_OK)) return true;
  if (!widths_read(out, path, w->module, quality, e)) return false;
  if (out->of) snprintf(c->widths, sizeof c->widths, "%s.widths", quality);
  return true;
}

/* facts: of each kernel, or NULL. */
static bool workload_pack(struct workload *w, const struct launch_facts *facts, struct narrowing how, struct err *e) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < w->module->nkernel; i++) {
    struct code *k = &w->module->kernel[i];
    how.facts = facts && facts[i].any ? &facts[i] : NULL;
    ok = pack_kernel(w->module, k, &how, e) && (!how.floats || widths_fit(how.floats, k, e));
  }
  return ok;
}

/* Runs without timing, each with a module of its own, since a run uses it up. The reference results are those of the
 * unnarrowed code. Facts are of the code with its floats rounded, where these may decide how many launches there are, and
 * of what; narrow integers change no value. */
static bool compiled_run_reference(struct compiled *c, const char *name, const char *size, uint64_t seed, bool facts,
                                   const struct widths *floats, struct err *e) {
  struct workload w;
  struct quality_results rounded = {0};
  if (!workload_open(name, size, &w, e)) return false;
  w.limits = c->limits;
  if (facts) c->facts = facts_new(w.module);
  bool ok = facts ? facts_run(&w, seed, false, c->facts, &c->reference, e)
                  : quality_run(&w, seed, false, NULL, &c->reference, e);
  const bool again = ok && facts && floats && c->reference.steered;
  if (again) facts_free(c->facts, w.module);
  if (again) c->facts = facts_new(w.module);
  workload_close(&w);
  if (!again) return ok;
  if (!workload_read(name, size, &w, e)) return false;
  w.limits = c->limits;
  ok = workload_pack(&w, NULL, (struct narrowing){.floats = floats}, e) &&
       facts_run(&w, seed, true, c->facts, &rounded, e);
  quality_free(&rounded);
  workload_close(&w);
  return ok;
}

static bool workload_compile_narrow(struct workload *w, const char *name, const char *size, const struct config *cfg,
                                    uint64_t seed, struct err *e) {
  struct compiled *c = w->compiled;
  struct widths widths = {0};
  const bool ints = cfg->compile_narrow != compile_narrow_float;
  bool ok = compiled_find_metric(c, w, e) &&
            (!c->floats || compiled_find_widths(c, w, quality_level_name(c->asked), &widths, e));
  const struct widths *floats = c->widths[0] ? &widths : NULL;
  ok = ok && compiled_run_reference(c, name, size, seed, ints && cfg->compile_facts, floats, e) &&
       workload_pack(w, c->facts, (struct narrowing){.ints = ints, .floats = floats, .split = cfg->compile_split}, e);
  widths_free(&widths);
  return ok;
}

struct schedule schedule_of(const struct config *c) {
  return (struct schedule){c->compile_schedule == compile_schedule_list, (uint32_t)c->compile_schedule_load,
                           (uint32_t)c->compile_schedule_regs, (uint32_t)c->compile_schedule_unroll};
}

bool workload_compile(const char *name, const char *size, const struct config *cfg, uint64_t seed, struct workload *w,
                      struct err *e) {
  bool ok = true;
  if (trace_named(name)) {
    ok = workload_find(name, w, e) && trace_open(w, cfg, e);
    w->limits = workload_limits(cfg);
    if (!ok) workload_close(w);
    return ok;
  }
  if (!workload_read(name, size, w, e)) return false;
  w->limits = workload_limits(cfg);
  w->module->schedule = schedule_of(cfg);
  if (cfg->compile_narrow == compile_narrow_none) {
    ok = workload_alloc(w, cfg->compile_regs == compile_regs_need, e);
  } else {
    struct compiled *c = w->compiled = xcalloc(1, sizeof *c);
    c->limits = workload_limits(cfg);
    c->floats = cfg->compile_narrow != compile_narrow_int;
    c->asked = c->floats && cfg->compile_quality == compile_quality_high ? QUALITY_HIGH : QUALITY_PERFECT;
    ok = workload_compile_narrow(w, name, size, cfg, seed, e);
  }
  if (!ok) workload_close(w);
  return ok;
}
