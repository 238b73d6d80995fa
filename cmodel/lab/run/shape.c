/* SPDX-License-Identifier: Apache-2.0 */
/* shape: see shape.h. */
#include "lab/run/shape.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "lab/run/trace.h"

static double live_share(const struct code *c) {
  uint64_t live = 0;
  for (uint32_t i = 0; i < c->n; i++)
    for (unsigned k = 0; k < 4; k++) live += (unsigned)bit_count64(c->warp_live[i][k]);
  return c->n && c->nreg ? (double)live / ((double)c->n * c->nreg) : 0;
}

/* The launch file says how many registers the open workload has: it is allocated once more. */
static bool registers_needed(const struct workload *w, const char *entry, uint32_t *regs, struct err *e) {
  struct workload again;
  if (!workload_read(w->path, w->size, &again, e)) return false;
  again.module->schedule = w->module->schedule;
  bool ok = workload_alloc(&again, true, e);
  if (ok) *regs = module_kernel(again.module, entry)->nreg;
  workload_close(&again);
  return ok;
}

/* Of the entry's first launch in a trace. */
static bool shape_of_trace(const struct workload *w, struct kernel_shape *s, struct err *e) {
  for (uint32_t k = 0; k < trf_launches(w->trace); k++) {
    const struct trf_launch *l = trf_launch(w->trace, k);
    const struct code *c = &w->module->kernel[l->code];
    if (strcmp(c->name, s->entry) != 0) continue;
    memcpy(s->block, l->block, sizeof s->block);
    s->regs = s->regs_need = c->nreg;
    s->live = live_share(c);
    s->need.warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
    s->need.shared = l->shared_bytes;
    return true;
  }
  return err_at(e, w->path, 0, 0, "found no launch of '%.100s', expected one", s->entry);
}

bool shape_of_workload(const struct workload *w, const char *entry, struct kernel_shape *s, struct err *e) {
  struct launch_shape at;
  memset(s, 0, sizeof *s);
  if (!entry) entry = workload_kernel(w, 0);
  snprintf(s->entry, sizeof s->entry, "%s", entry ? entry : "");
  if (w->trace) return shape_of_trace(w, s, e);
  const struct code *c = module_kernel(w->module, s->entry);
  if (!c || !script_shape(w->script, w->module, s->entry, &at, e))
    return err_at(e, w->path, 0, 0, "found no launch of '%.100s', the entry that the manifest names, expected one",
                  s->entry);
  uint32_t threads = at.block[0] * at.block[1] * at.block[2];
  memcpy(s->block, at.block, sizeof s->block);
  s->regs = s->regs_need = c->nreg;
  s->live = live_share(c);
  s->need.warps = (threads + 31) / 32;
  /* the dynamic part starts at a multiple of 16 */
  s->need.shared = at.shared_dyn ? ((c->shared_bytes + 15) & ~15u) + at.shared_dyn : c->shared_bytes;
  return !script_regs(w->script, s->entry) || registers_needed(w, s->entry, &s->regs_need, e);
}

bool kernel_shape(const char *name, const char *entry, struct kernel_shape *s, struct err *e) {
  struct workload w;
  if (!workload_open(name, "default", &w, e)) return false;
  bool ok = shape_of_workload(&w, entry, s, e);
  workload_close(&w);
  return ok;
}

struct cta_fit shape_fit(const struct kernel_shape *s, const struct config *c) {
  struct cta_need need = s->need;
  need.warp_regs = warp_registers(c, s->regs);
  return cta_fit(c, &need);
}

bool kernel_fit(const struct kernel_shape *s, const char *machine, struct cta_fit *f, struct err *e) {
  struct config c;
  config_defaults(&c);
  if (!config_machine(&c, machine, e)) return false;
  *f = shape_fit(s, &c);
  return true;
}
