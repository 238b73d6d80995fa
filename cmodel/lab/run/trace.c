/* SPDX-License-Identifier: Apache-2.0 */
/* trace: see trace.h. */
#include "lab/run/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/ir/reuse.h"
#include "compiler/ptx/ptx.h"
#include "compiler/regalloc/regalloc.h"
#include "lab/run/compile.h"
#include "sm/slots.h"
#include "trace/accelsim/import.h"
#include "trace/accelsim/opmap.h"
#include "trace/accelsim/traceg.h"

/* ---- names ---- */

static size_t trace_ending_length(const char *name) {
  static const char *const ends[] = {".trf", ".traceg.xz", ".traceg", ".g"};
  const size_t n = strlen(name);
  for (unsigned k = 0; k < sizeof ends / sizeof *ends; k++) {
    const size_t m = strlen(ends[k]);
    if (n > m && !strcmp(name + n - m, ends[k])) return m;
  }
  return 0;
}

bool trace_named(const char *name) { return trace_ending_length(name) != 0; }
bool trace_foreign(const char *name) { return traceg_is(name); }
void trace_short(char *name) { name[strlen(name) - trace_ending_length(name)] = 0; }

/* ---- Accel-Sim's files ---- */

struct imported {
  int fd; /* of the trace that they became, which has no name */
  char path[32];
  struct import_report report;
};

static bool trace_import(struct workload *w, struct err *e) {
  struct imported *x = w->imported = xcalloc(1, sizeof *x);
  x->fd = -1;
  if (!traceg_import(w->path, opmap_user(), NULL, &x->fd, &x->report, e)) return false;
  snprintf(x->path, sizeof x->path, "/proc/self/fd/%d", x->fd);
  return true;
}

void trace_close(struct workload *w) {
  trf_free(w->trace);
  w->trace = NULL;
  if (w->imported && w->imported->fd >= 0) close(w->imported->fd);
  free(w->imported);
  w->imported = NULL;
}

/* ---- code ---- */

static struct module *module_new(const struct trf *t) {
  struct module *m = xcalloc(1, sizeof *m);
  m->nkernel = trf_codes(t);
  m->kernel = arena_alloc(&m->arena, (m->nkernel + 1) * sizeof *m->kernel);
  m->file = trf_path(t);
  return m;
}

static bool near_fits(const struct trf *t, const struct trf_code *c, const struct code *k, struct err *e) {
  for (uint32_t i = 0; c->near && i < k->n; i++)
    if (c->near[i] & ~reuse_mask(&k->op[i]))
      return err_at(e, trf_path(t), 0, 0,
                    "section NEAR: found near bits 0x%x of instruction %" PRIu32
                    " of kernel '%.160s', expected bits of its operands",
                    (unsigned)c->near[i], i, k->name);
  return true;
}

/* As it was recorded. */
static void take_code(struct module *m, const struct trf_code *from, struct code *to) {
  *to = *from->code;
  to->insn = arena_alloc(&m->arena, (size_t)to->n * sizeof *to->insn);
  memcpy(to->insn, from->code->insn, (size_t)to->n * sizeof *to->insn);
  finish_code(m, to);
  for (uint32_t i = 0; from->cls && i < to->n; i++) to->op[i].cls = from->cls[i];
}

/* The text of the PTX file that the kernel is of; NULL: it is not in the trace. */
static const char *trace_ptx_of(const struct trf *t, const struct trf_code *c) {
  for (uint32_t k = 0; k < trf_codes(t); k++)
    if (trf_code(t, k)->ptx[0] && !strcmp(trf_code(t, k)->code->file, c->code->file)) return trf_code(t, k)->ptx;
  return NULL;
}

static bool compiles_alike(const struct config *a, const struct config *b) {
  return a->compile_regs == b->compile_regs && a->compile_schedule == b->compile_schedule &&
         (a->compile_schedule == compile_schedule_none || (a->compile_schedule_load == b->compile_schedule_load &&
                                                           a->compile_schedule_regs == b->compile_schedule_regs &&
                                                           a->compile_schedule_unroll == b->compile_schedule_unroll));
}

static bool other_code(const struct trf *t, const struct code *c, const char *why, struct err *e) {
  return err_at(
      e, trf_path(t), 0, 0,
      "kernel '%.160s': found a configuration of section compile under which %s, expected the instructions that were "
      "recorded; execute it instead",
      c->name, why);
}

/* Compiled anew as cfg says: another allocation or order of the same instructions may stand in for what was recorded. */
static bool compile_code(const struct trf *t, const struct trf_code *from, const struct config *cfg, struct module *m,
                         struct code *to, struct err *e) {
  const char *ptx = trace_ptx_of(t, from);
  if (!ptx) return other_code(t, from->code, "it would be compiled anew, but its PTX is not in the trace", e);
  struct module *own = ptx_parse(from->code->file, ptx, strlen(ptx), e);
  if (!own) return false;
  own->schedule = schedule_of(cfg);
  struct code *c = module_kernel(own, from->code->name);
  const uint32_t regs = cfg->compile_regs == compile_regs_need ? 0 : trace_regs(t, from->code->name);
  bool ok = c && alloc_kernel(own, c, regs, e);
  if (ok && trf_shape(c) != from->shape)
    ok =
        other_code(t, from->code, c->spills != from->code->spills ? "its spills differ" : "its instructions differ", e);
  if (ok) {
    const struct trf_code renamed = {.code = c};
    take_code(m, &renamed, to);
    to->name = from->code->name;
    to->file = from->code->file;
    to->param = NULL;
    to->nparam = 0;
    to->vreg = NULL;
    to->nvreg = 0;
  }
  module_free(own);
  return ok;
}

/* ---- opening ---- */

static bool trace_refuse(const struct workload *w, const char *found, const char *why, struct err *e) {
  return err_at(e, w->path, 0, 0, "found a trace under %s, expected a launch file: %s", found, why);
}

/* Some CTA is whole. */
static bool any_cta(const struct trf *t) {
  for (uint32_t k = 0; k < trf_launches(t); k++)
    if (trf_launch(t, k)->ctas) return true;
  return false;
}

static bool trace_serves(const struct workload *w, const struct config *cfg, struct err *e) {
  if (cfg->compile_narrow == compile_narrow_float || cfg->compile_narrow == compile_narrow_full)
    return trace_refuse(w, "compile.narrow=float or full", "rounded floats change what a kernel does", e);
  if (cfg->compile_narrow == compile_narrow_int)
    return trace_refuse(w, "compile.narrow=int", "narrow code is made from what the launches of a run have in common",
                        e);
  if (cfg->sim_check && !(trf_flags(w->trace) & TRF_VALUES))
    return trace_refuse(w, "sim.check", "this trace has no values of registers (regtwin trace record --values)", e);
  if (!trf_whole(w->trace) && !cfg->sim_partial)
    return err_at(e, w->path, 0, 0, "%s; expected a whole trace (--partial runs what is there)", w->broken.text);
  if (!trf_whole(w->trace) && !any_cta(w->trace))
    return err_at(e, w->path, 0, 0, "%s; and no CTA is whole, expected one at least", w->broken.text);
  return trf_launches(w->trace) || err_at(e, w->path, 0, 0, "found no launch, expected one at least");
}

static bool make_module(struct workload *w, const struct trace_meta *meta, const struct config *cfg, struct err *e) {
  const bool imported = trf_flags(w->trace) & TRF_IMPORTED;
  const bool alike = !cfg || imported || (meta->known && compiles_alike(&meta->cfg, cfg));
  bool ok = true;
  w->module = module_new(w->trace);
  for (uint32_t k = 0; ok && k < w->module->nkernel; k++) {
    const struct trf_code *c = trf_code(w->trace, k);
    if (alike) {
      take_code(w->module, c, &w->module->kernel[k]);
      ok = near_fits(w->trace, c, &w->module->kernel[k], e);
    } else ok = compile_code(w->trace, c, cfg, w->module, &w->module->kernel[k], e);
  }
  return ok;
}

bool trace_open(struct workload *w, const struct config *cfg, struct err *e) {
  struct trace_meta *meta = xcalloc(1, sizeof *meta);
  bool ok = !trace_foreign(w->path) || trace_import(w, e);
  if (ok) w->trace = trf_open_partial(w->imported ? w->imported->path : w->path, &w->broken, e);
  ok = w->trace && trace_meta_read(w->trace, meta, e) && (!cfg || trace_serves(w, cfg, e)) &&
       make_module(w, meta, cfg, e);
  if (ok) {
    memcpy(w->size, meta->size, sizeof w->size);
    memcpy(w->entry, meta->entry, sizeof w->entry);
    w->seed = meta->seed;
  }
  free(meta);
  return ok;
}

static bool wants_alike(const struct near_want *a, const struct near_want *b) {
  return a->source == b->source && a->most == b->most && !strcmp(a->file, b->file);
}

/* Every kernel of the trace has its near bits. */
static bool near_recorded(const struct trf *t) {
  uint32_t k = 0;
  while (k < trf_codes(t) && trf_code(t, k)->near) k++;
  return k == trf_codes(t);
}

bool trace_near(const struct workload *w, const struct config *cfg) {
  struct trace_meta *meta = xcalloc(1, sizeof *meta);
  struct err ignored = {0};
  const struct near_want want = slots_near(cfg);
  bool same = trace_meta_read(w->trace, meta, &ignored) && meta->known && compiles_alike(&meta->cfg, cfg);
  if (same) {
    const struct near_want had = slots_near(&meta->cfg);
    same = wants_alike(&had, &want);
  }
  free(meta);
  same = same && near_recorded(w->trace);
  for (uint32_t k = 0; same && k < w->module->nkernel; k++)
    for (uint32_t i = 0; i < w->module->kernel[k].n; i++)
      w->module->kernel[k].op[i].near = trf_code(w->trace, k)->near[i];
  return same;
}

/* ---- running ---- */

static void make_launch(const struct workload *w, const struct host_ops *ops, struct trace_at *at) {
  const uint64_t most = ops->limits.insns ? ops->limits.insns : UINT64_MAX - 1;
  const struct trf_launch *is = trf_launch(w->trace, at->next);
  at->l = (struct launch){.module = w->module,
                          .code = &w->module->kernel[is->code],
                          .shared_dyn = is->shared_dyn,
                          .param = is->param,
                          .most_insns = most > at->ran ? most - at->ran : 1,
                          .limit = "sim.max_insns",
                          .ran = &at->ran,
                          .trace = w->trace,
                          .trace_launch = at->next};
  memcpy(at->l.grid, is->grid, sizeof at->l.grid);
  memcpy(at->l.block, is->block, sizeof at->l.block);
}

bool trace_go(const struct workload *w, const struct host_ops *ops, struct trace_at *at, struct err *e) {
  bool ok = true;
  for (; ok && at->next < trf_launches(w->trace); at->next++) {
    if (!trf_launch(w->trace, at->next)->ctas && !trf_whole(w->trace)) break;
    if (at->within) {
      ok = ops->resume(ops->ctx, &at->l, e);
    } else {
      make_launch(w, ops, at);
      at->within = true;
      ok = ops->launch(ops->ctx, &at->l, at->next, e);
    }
    at->within = false;
  }
  return ok;
}

bool workload_go(struct workload *w, uint64_t seed, const struct host_ops *ops, struct err *e) {
  struct trace_at at = {0};
  return w->trace ? trace_go(w, ops, &at, e) : script_run(w->script, w->module, seed, ops, e);
}

const char *workload_kernel(const struct workload *w, unsigned i) {
  if (!w->trace) return script_kernel(w->script, i);
  return i < w->module->nkernel ? w->module->kernel[i].name : NULL;
}

bool workload_has_kernel(const struct workload *w, const char *kernel) {
  const char *name;
  for (unsigned i = 0; (name = workload_kernel(w, i)); i++)
    if (!strcmp(name, kernel)) return true;
  return false;
}

void trace_note(const struct workload *w, const struct config *cfg) {
  struct err e = {0};
  char keys[200];
  if (w->imported) import_tell(w->path, &w->imported->report);
  if (trf_flags(w->trace) & TRF_IMPORTED) return;
  struct trace_meta *m = xcalloc(1, sizeof *m);
  if (!trace_meta_read(w->trace, m, &e)) {
    free(m);
    return;
  }
  if (trace_differs(m, cfg, keys, sizeof keys)[0])
    note("%s: recorded under another configuration (%s): the same work is timed, whatever would depend on time",
         w->name, keys);
  else if (!m->timed)
    note("%s: recorded without timing: kernels with races may do other work than in a run with timing", w->name);
  else if (slots_near(cfg).source == NEAR_PROFILE && !near_recorded(w->trace))
    note(
        "%s: recorded without near bits, by an earlier version: those of the recorded instructions are used, which "
        "differ in loops that wait",
        w->name);
  free(m);
}

uint64_t workload_seed(const struct workload *w) { return w->trace ? w->seed : script_seed(w->script); }
