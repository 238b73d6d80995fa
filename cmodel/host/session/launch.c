/* SPDX-License-Identifier: Apache-2.0 */
/* launch: one launch of a session, timed or only executed. */
#include <string.h>

#include "host/session/results.h"
#include "host/session/session.h"
#include "lab/run/counted.h"
#include "lab/run/reuse.h"
#include "lab/run/timed.h"
#include "sm/slots.h"

static enum device_status launch_refuse_spent(const struct device *d, const char *kernel, struct err *e) {
  err_at(e, NULL, 0, 0, "kernel '%.160s': nothing can be launched any more, since %s", kernel,
         d->spent ? "a kernel failed before" : "sim.stop_cycles or sim.stop_ctas was reached");
  return DEVICE_SPENT;
}

static enum device_status launch_check_call(struct device_kernel *k, const struct device_launch *l, struct err *e) {
  const struct code *c = k->code;
  const struct device *d = k->of->d;
  if (d->spent || (d->gpu && gpu_spent(d->gpu))) return launch_refuse_spent(d, k->name, e);
  if (!kernel_ready(k, e)) return DEVICE_REFUSED;
  for (unsigned i = 0; i < 3; i++)
    if (!l->block[i] || !l->grid[i])
      return err_at(e, c->file, (int)c->line, (int)c->col, "kernel '%.160s': found a %s of 0 in %c, expected 1 or more",
                    c->name, l->block[i] ? "grid" : "block", "xyz"[i]),
             DEVICE_BAD_VALUE;
  if (l->param_bytes != c->param_bytes || (c->param_bytes && !l->param))
    return err_at(e, c->file, (int)c->line, (int)c->col, "kernel '%.160s': found %u bytes of parameters, expected %u",
                  c->name, l->param ? l->param_bytes : 0, c->param_bytes),
           DEVICE_BAD_VALUE;
  if (!launch_fits(c, l->grid, l->block, e)) return DEVICE_TOO_LARGE;
  if (!launch_wanted(c, l->block, e)) return DEVICE_BAD_VALUE;
  if (refs_bound(k, e)) return DEVICE_BAD_VALUE;
  return fit_ctas(k, l->block[0] * l->block[1] * l->block[2], l->shared_dyn, e) ? DEVICE_OK : DEVICE_TOO_LARGE;
}

/* Executes it without time. */
static bool launch_execute(const struct launch *l, struct device_result *r, struct err *e) {
  struct exec_counts n = {0};
  const bool ok = exec_run(l, 0, &n, e);
  r->sm.warp_insns = n.warp_insns;
  r->sm.thread_insns = n.thread_insns;
  return ok;
}

static bool launch_execute_timed(struct device *d, const struct launch *l, struct device_result *r, struct err *e) {
  const struct counted before = counted_now(d->gpu);
  const bool ok = timed_launch(d->gpu, l, NULL, e);
  struct counted n = counted_now(d->gpu);
  counted_since(&n, &before);
  r->sm = n.sm;
  r->mem = n.mem;
  r->cycles = n.cycles;
  return ok;
}

/* The near bits that the system needs, of the kernel's first launch that is timed, which is tried for it. One that fails does so again when
 * it is timed. */
static void kernel_find_near_bits(struct device_kernel *k, const struct launch *l) {
  const struct near_want want = slots_near(&k->of->d->cfg);
  struct err none = {0};
  if (k->profiled || want.source != NEAR_PROFILE) return;
  k->profiled = true;
  struct launch tried = *l;
  tried.prints = NULL;
  struct saved *memory = memory_save(l->mem);
  if (!memory)
    return warn("kernel '%.160s': the host has no memory for a trial of it: no register counts as reused soon",
                k->name);
  reuse_of_launch(&tried, REUSE_CTAS, want.most, &none);
  memory_restore(l->mem, memory);
}

static struct launch launch_of(struct device_kernel *k, const struct device_launch *l) {
  struct launch out = {.module = k->of->m,
                       .code = k->code,
                       .mem = k->of->d->mem,
                       .bank = k->of->bank,
                       .shared_dyn = l->shared_dyn,
                       .param = l->param,
                       .untimed = &k->of->d->untimed,
                       .most_insns = (uint64_t)k->of->d->cfg.sim_max_insns,
                       .limit = "sim.max_insns"};
  memcpy(out.grid, l->grid, sizeof out.grid);
  memcpy(out.block, l->block, sizeof out.block);
  return out;
}

/* Cooperative groups find in %envreg1 and %envreg2 the address of their workspace: its size, and the word by which the CTAs of a grid
 * wait for each other, which begins as 0. The session keeps one; the first launch that needs it makes it. */
static enum device_status launch_cooperate(struct device *d, struct launch *run, struct err *e) {
  static const uint32_t fresh[2] = {sizeof fresh, 0};
  if (!d->workspace) {
    const enum device_status none = device_alloc(d, sizeof fresh, 0, &d->workspace, e);
    if (none) return none;
  }
  uint8_t *at = device_at(d, d->workspace, sizeof fresh);
  if (at) memcpy(at, fresh, sizeof fresh);
  run->workspace = at ? d->workspace : 0;
  return DEVICE_OK;
}

static void launch_record(struct device *d, const char *kernel, const struct device_launch *l,
                          const struct device_result *r, bool stopped, const struct err *failed) {
  struct results_guard g;
  results_change(&g);
  history_add(&d->history, kernel, l, r, stopped, failed);
  d->history.ns = r->end_ns;
  d->history.untimed = d->untimed;
  d->history.stream_hash = d->gpu ? gpu_hash(d->gpu) : 0;
  results_changed(&g);
}

enum device_status device_launch(struct device *d, struct device_kernel *k, const struct device_launch *l,
                                 struct device_result *out, struct err *e) {
  struct device_result r = {.index = d->history.n};
  const enum device_status refused = launch_check_call(k, l, e);
  if (out) *out = r;
  if (refused) return refused;
  const struct textures textures = texture_set_view(&d->textures, k->of->ref, k->of->m->ntexref);
  struct launch run = launch_of(k, l);
  run.textures = &textures;
  const enum device_status alone = l->cooperative ? launch_cooperate(d, &run, e) : DEVICE_OK;
  if (alone) return alone;
  run.prints = prints_new();
  r.timed = chosen_takes(&d->chosen, r.index, k->name);
  r.begin_ns = device_ns(d);
  if (r.timed) kernel_find_near_bits(k, &run);
  const bool ok = r.timed ? launch_execute_timed(d, &run, &r, e) : launch_execute(&run, &r, e);
  r.end_ns = device_ns(d);
  prints_give(run.prints, d->print, d->ctx);
  prints_free(run.prints);
  const bool stopped = ok && r.timed && gpu_stopped(d->gpu);
  launch_record(d, k->name, l, &r, stopped, ok ? NULL : e);
  if (out) *out = r;
  d->spent = !ok;
  if (!ok) return e->fault == FAULT_ASSERT ? DEVICE_ASSERT : DEVICE_FAULT;
  return stopped ? launch_refuse_spent(d, k->name, e) : DEVICE_OK;
}
