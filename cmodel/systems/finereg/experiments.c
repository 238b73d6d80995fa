/* SPDX-License-Identifier: Apache-2.0 */
/* experiments: those of FineReg that are about the kernels alone, on the plain machine: Figs 3 and 5 and Table III. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/character.h"
#include "campaign/experiment.h"

/* ---- Fig 3: by the launch alone ---- */

void experiment_cta_memory(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const column[] = {"registers", "shared memory", "both", "registers, %"};
  struct sheet *s = findings_sheet(f, 4, 1, "KB that one more CTA takes");
  struct mean share = {0};
  double least = NAN, most = NAN, mean;
  struct config c;
  struct err e = {0};
  struct plan_kernel *k = xcalloc(1, sizeof *k);
  for (unsigned i = 0; i < 4; i++) snprintf(s->column[i], sizeof s->column[i], "%s", column[i]);
  bool ok = settings_apply(&setup->settings, "FR-Base", "", &c, &e);
  if (!ok) findings_complain(f, "", "FR-Base", &e);
  for (unsigned i = 0; ok && i < m->nkernel; i++) {
    struct err bad = {0};
    if (!plan_kernel(m->kernel[i].name, m->size, &c, k, &bad)) {
      findings_complain(f, m->kernel[i].kernel, "FR-Base", &bad);
      continue;
    }
    const struct kernel_shape *shape = &k->shape[0];
    double *v = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    v[0] = shape->need.warps * warp_registers(&c, shape->regs) * 128 / 1024.0;
    v[1] = shape->need.shared / 1024.0;
    v[2] = v[0] + v[1];
    v[3] = 100 * v[0] / v[2];
    mean_add(&share, v[3]);
    least = fmin(least, v[2]), most = fmax(most, v[2]);
  }
  free(k);
  findings_claim(f, "KB, least", "6", least, 1);
  findings_claim(f, "KB, most", "37.3", most, 1);
  findings_claim(f, "% that are registers, mean", "88.7", mean_arithmetic(&share, &mean) ? mean : NAN, 1);
}

/* ---- Fig 5, Table III: as characterize measures them ---- */

struct traits {                            /* what is kept of a struct character: plain numbers */
  double used_mean, used_least, used_most; /* NaN: none */
  double stall;
};

static bool measure_traits(const void *task, void *out, struct err *e) {
  const struct task *t = task;
  struct character *c = xcalloc(1, sizeof *c);
  struct traits *x = out;
  struct workload w;
  struct about about;
  struct arena arena = {0};
  bool there = false;
  bool ok = workload_find(t->name, &w, e) && about_beside(&about, &arena, w.path, &there, e) &&
            characterize(t->name, t->size, there ? about.entry : NULL, &t->cfg, NULL, c, e);
  if (ok && c->used.n) *x = (struct traits){fraction_mean(&c->used), c->used.least, c->used.most, NAN};
  else *x = (struct traits){NAN, NAN, NAN, NAN};
  if (ok && c->stall_n) x->stall = (double)c->stall_cycles / (double)c->stall_n;
  arena_free(&arena);
  free(c);
  return ok;
}
static const struct work work_traits = {"traits", sizeof(struct traits), sizeof(struct task), measure_traits};

struct watch {
  const struct setup *setup;
  const struct matrix *m;
  unsigned done;
};
static bool on_done(void *ctx, unsigned i, const struct answer *a) {
  struct watch *w = ctx;
  (void)a;
  w->done++;
  if (w->setup->progress) w->setup->progress(w->setup->ctx, w->done, w->m->nkernel, w->m->kernel[i].kernel, "FR-Base");
  return true;
}

/* Of each kernel; NaN where it failed. */
static struct traits *traits_of(const struct setup *setup, const struct matrix *m, struct findings *f) {
  struct watch watch = {setup, m, 0};
  struct pool pool = {&work_traits, setup->jobs, setup->cache, on_done, &watch};
  struct task *t = xcalloc(m->nkernel, sizeof *t);
  struct answer *a = xcalloc(m->nkernel, sizeof *a);
  struct traits *x = xcalloc(m->nkernel, sizeof *x);
  struct config c;
  struct err e = {0};
  bool ok = settings_apply(&setup->settings, "FR-Base", "", &c, &e);
  if (!ok) findings_complain(f, "", "FR-Base", &e);
  for (unsigned i = 0; i < m->nkernel; i++) {
    snprintf(t[i].name, sizeof t[i].name, "%s", m->kernel[i].name);
    snprintf(t[i].size, sizeof t[i].size, "%s", m->size);
    t[i].cfg = c;
  }
  if (ok) pool_run(&pool, t, m->nkernel, x, a);
  for (unsigned i = 0; i < m->nkernel; i++) {
    if (ok && a[i].ok) continue;
    x[i] = (struct traits){NAN, NAN, NAN, NAN};
    if (ok) findings_complain(f, m->kernel[i].kernel, "FR-Base", &a[i].e);
  }
  f->runs = ok ? m->nkernel : 0;
  free(t), free(a);
  return x;
}

void experiment_register_use(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const column[] = {"mean", "least", "most"};
  static const char *const low[] = {"MC", "NW", "LI", "SR2", "TA"}; /* the text's worst windows */
  struct sheet *s =
      findings_sheet(f, 3, 1, "% of the allocated registers, in windows of 1000 warp instructions of the SM");
  struct traits *x = traits_of(setup, m, f);
  struct mean mean = {0};
  double all;
  for (unsigned i = 0; i < 3; i++) snprintf(s->column[i], sizeof s->column[i], "%s", column[i]);
  for (unsigned i = 0; i < m->nkernel; i++) {
    double *v = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    v[0] = 100 * x[i].used_mean, v[1] = 100 * x[i].used_least, v[2] = 100 * x[i].used_most;
    if (!isnan(v[0])) mean_add(&mean, v[0]);
  }
  findings_claim(f, "mean", "55.3", mean_arithmetic(&mean, &all) ? all : NAN, 1);
  for (unsigned k = 0; k < sizeof low / sizeof *low; k++)
    for (unsigned i = 0; i < m->nkernel; i++) {
      char what[64];
      if (strcmp(m->kernel[i].alias, low[k])) continue;
      snprintf(what, sizeof what, "%s, least", low[k]);
      findings_claim(f, what, "below 15", 100 * x[i].used_least, 1);
    }
  free(x);
}

void experiment_stall_times(const struct setup *setup, struct matrix *m, struct findings *f) {
  struct sheet *s = findings_sheet(f, 2, 0, "cycles from a CTA's first instruction to its first complete stall");
  struct traits *x = traits_of(setup, m, f);
  snprintf(s->column[0], sizeof s->column[0], "ours");
  snprintf(s->column[1], sizeof s->column[1], "paper");
  for (unsigned i = 0; i < m->nkernel; i++) {
    const struct paper_name *n = paper_name(f->experiment->paper, m->kernel[i].alias);
    double *v = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    v[0] = x[i].stall;
    v[1] = n && n->stall ? n->stall : NAN;
  }
  free(x);
}
