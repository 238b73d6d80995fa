/* SPDX-License-Identifier: Apache-2.0 */
/* traits: see traits.h. */
#include "lab/campaign/traits.h"

#include <math.h>
#include <stdlib.h>

#include "lab/kernels/character.h"

static const struct traits none = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

static bool measure_traits(const void *task, void *out, struct err *e) {
  const struct task *t = task;
  struct character *c = xcalloc(1, sizeof *c);
  struct traits *x = out;
  struct workload w;
  struct about about;
  struct arena arena = {0};
  bool there = false;
  bool ok = workload_find(t->name, &w, e) && about_beside(&about, &arena, w.path, &there, e) &&
            character_measure(t->name, t->size, there ? about.entry : NULL, &t->cfg, NULL, c, e);
  *x = none;
  if (ok && c->used.n)
    x->used_mean = fraction_mean(&c->used), x->used_least = c->used.least, x->used_most = c->used.most;
  if (ok && c->stall_n) x->stall = fraction_of(c->stall_cycles, c->stall_n);
  if (ok && c->reads) x->miss = character_miss(c), x->again = character_again(c);
  if (ok && c->locality.windows) x->reused_kb = character_reused_kb(c), x->stream_kb = character_stream_kb(c);
  if (ok && c->locality.reused_lines) x->own = character_private(c);
  arena_free(&arena);
  free(c);
  return ok;
}
static const struct work work_traits = {"traits", sizeof(struct traits), sizeof(struct task), measure_traits, NULL};

struct watch {
  const struct setup *setup;
  const struct matrix *m;
  const char *system;
  unsigned done;
};
static bool traits_on_done(void *ctx, unsigned i, const struct answer *a) {
  struct watch *w = ctx;
  (void)a;
  w->done++;
  if (w->setup->progress) w->setup->progress(w->setup->ctx, w->done, w->m->nkernel, w->m->kernel[i].kernel, w->system);
  return true;
}

struct traits *traits_of(const struct setup *setup, const struct matrix *m, const char *system, struct findings *f) {
  struct watch watch = {setup, m, system, 0};
  struct pool pool = {&work_traits, setup->jobs, setup->db, traits_on_done, &watch};
  struct task *t = xcalloc(m->nkernel, sizeof *t);
  struct answer *a = xcalloc(m->nkernel, sizeof *a);
  struct traits *x = xcalloc(m->nkernel, sizeof *x);
  struct config c;
  struct err e = {0};
  bool ok = settings_apply(&setup->settings, system, "", &c, &e);
  if (!ok) findings_complain(f, "", system, &e);
  for (unsigned i = 0; i < m->nkernel; i++) {
    snprintf(t[i].name, sizeof t[i].name, "%s", m->kernel[i].name);
    snprintf(t[i].size, sizeof t[i].size, "%s", m->size);
    t[i].cfg = c;
  }
  if (ok) pool_run(&pool, t, m->nkernel, x, a);
  for (unsigned i = 0; i < m->nkernel; i++) {
    if (ok && a[i].ok) continue;
    x[i] = none;
    if (ok) findings_complain(f, m->kernel[i].kernel, system, &a[i].e);
  }
  f->runs = ok ? m->nkernel : 0;
  free(t), free(a);
  return x;
}
