/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fit: how many CTAs an SM holds of a shape, as the system's own choices plan it. It is asked on an SM of its own, since a plan
 * that fails leaves one that cannot be used any more; the answers are kept.
 */
#include <stdlib.h>

#include "host/session/session.h"

struct shape_fit {
  struct shape_fit *next;
  uint32_t threads, shared_dyn;
  unsigned ctas; /* 0: why */
  struct err why;
};

static unsigned fit_plan(struct device_kernel *k, uint32_t threads, uint64_t shared, struct err *e) {
  const struct device *d = k->of->d;
  const struct code *c = k->code;
  struct gpu *g = gpu_new(&d->cfg, 1, e);
  if (!g) return 0;
  struct stream s = {.op = c->op,
                     .nop = c->n,
                     .ctas = 1u << 20,
                     .threads_per_cta = threads,
                     .warps_per_cta = (threads + 31) / 32,
                     .regs = c->nreg,
                     .shared_bytes = (uint32_t)shared,
                     .stride = 1};
  struct cta_source none = {0};
  const struct kernel kernel = {.code = c, .code_base = CODE_BASE};
  struct sm *sm = gpu_sm(g, 0);
  const uint32_t resident = gpu_room(g, 0).warp_slots * (uint32_t)d->cfg.sim_sms;
  const bool were = warnings_enable(false); /* the launch gives them */
  const unsigned ctas =
      launch_local(c, resident, e) && sm_begin(sm, &s, &none, &kernel, 0, e) ? sm_occupancy(sm, NULL) : 0;
  warnings_enable(were);
  gpu_free(g);
  return ctas;
}

static unsigned fit_ask(struct device_kernel *k, uint32_t threads, uint32_t shared_dyn, struct err *e) {
  const struct code *c = k->code;
  const uint64_t shared = launch_shared(c, shared_dyn);
  const uint64_t has = (uint64_t)k->of->d->cfg.shared_bytes, most = has < SHARED_MAX ? has : SHARED_MAX;
  if (!threads || threads > THREADS_MAX)
    return err_at(e, c->file, (int)c->line, (int)c->col,
                  "kernel '%.160s': found a block of %u threads, expected 1 to %d", c->name, threads, THREADS_MAX),
           0;
  if (shared > most)
    return err_at(e, c->file, (int)c->line, (int)c->col,
                  "kernel '%.160s': found %llu bytes of shared memory per CTA, expected at most %llu, what the SM of "
                  "'%s' has",
                  c->name, (unsigned long long)shared, (unsigned long long)most, k->of->d->cfg.machine),
           0;
  return fit_plan(k, threads, shared, e);
}

unsigned fit_ctas(struct device_kernel *k, uint32_t threads, uint32_t shared_dyn, struct err *e) {
  struct shape_fit *f = k->fit;
  while (f && (f->threads != threads || f->shared_dyn != shared_dyn)) f = f->next;
  if (!f) {
    f = xcalloc(1, sizeof *f);
    f->threads = threads;
    f->shared_dyn = shared_dyn;
    f->ctas = fit_ask(k, threads, shared_dyn, &f->why);
    f->next = k->fit;
    k->fit = f;
  }
  if (!f->ctas) *e = f->why;
  return f->ctas;
}

void fit_free(struct device_kernel *k) {
  while (k->fit) {
    struct shape_fit *f = k->fit;
    k->fit = f->next;
    free(f);
  }
}
