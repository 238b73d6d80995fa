/* SPDX-License-Identifier: Apache-2.0 */
/* matrix: see matrix.h. */
#include "lab/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/about.h"

/* ---- kernels and systems ---- */

/* By one of its names; the same kernel a second time is no more than once there. */
static bool add(struct matrix *m, const char *name, const char *alias, const char *group, struct err *e) {
  struct workload w;
  struct matrix_kernel k = {0};
  if (!workload_find(name, m->size, &w, e)) return false;
  snprintf(k.kernel, sizeof k.kernel, "%s", w.name);
  snprintf(k.name, sizeof k.name, "%s", w.size[0] ? w.name : name);
  if (strchr(alias, ':')) alias = strchr(alias, ':') + 1; /* finereg:CS */
  if (strcmp(alias, k.kernel) && w.size[0])
    snprintf(k.alias, sizeof k.alias, "%.*s", (int)strcspn(alias, "|"), alias);
  snprintf(k.group, sizeof k.group, "%s", group);
  for (unsigned i = 0; i < m->nkernel; i++)
    if (!strcmp(m->kernel[i].name, k.name)) return true;
  VEC_PUSH(m->kernel, m->nkernel, m->kernels_cap) = k;
  return true;
}

/* All of the suite, or those of a paper in its order. */
static bool add_many(struct matrix *m, int paper, struct err *e) {
  char root[4096];
  struct suite s;
  if (!traces_root(root, sizeof root))
    return err_at(e, NULL, 0, 0, "found no directory of kernels, expected ./traces or $REGTWIN_TRACES");
  bool ok = suite_read(&s, root, e);
  for (unsigned i = 0; ok && paper < 0 && i < s.n; i++)
    ok = add(m, s.kernel[i].name, s.kernel[i].name, "", e);
  for (unsigned i = 0; ok && paper >= 0 && i < paper_nnames; i++) {
    const struct suite_kernel *k =
        (int)paper_names[i].paper == paper ? suite_covers(&s, &paper_names[i]) : NULL;
    if (k) ok = add(m, k->name, paper_names[i].names, paper_names[i].group, e);
  }
  suite_free(&s);
  return ok;
}

bool matrix_kernels(struct matrix *m, const char *word, struct err *e) {
  if (!strcmp(word, "all")) return add_many(m, -1, e);
  int paper = paper_find(word);
  return paper < 0 ? add(m, word, word, "", e) : add_many(m, paper, e);
}

bool matrix_system(struct matrix *m, const char *name, const struct settings *s, struct err *e) {
  struct plan p;
  if (!plan_find(&p, name, s, e)) return false;
  for (unsigned i = 0; i < m->nsystem; i++)
    if (!strcmp(m->system[i].label, p.label))
      return err_at(e, NULL, 0, 0, "found system '%s' a second time, expected it once", p.label);
  VEC_PUSH(m->system, m->nsystem, m->systems_cap) = p;
  return true;
}

void matrix_free(struct matrix *m) {
  free(m->kernel), free(m->system), free(m->cell);
  memset(m, 0, sizeof *m);
}

/* ---- running ---- */

struct batch { /* tasks on their way; task i is of cell[i] */
  struct matrix *m;
  struct task *task;
  unsigned *cell, n, done;
  matrix_progress progress;
  void *ctx;
};

static void on_done(void *ctx, unsigned i, const struct answer *a) {
  struct batch *b = ctx;
  unsigned c = b->cell[i];
  (void)a;
  b->done++;
  if (b->progress)
    b->progress(b->ctx, b->done, b->n, b->m->kernel[c / b->m->nsystem].kernel,
                b->m->system[c % b->m->nsystem].label);
}

/* Adds the runs of one cell, or says in the cell why there are none. */
static void plan_cell(struct batch *b, unsigned c, const struct plan_kernel *shapes) {
  struct matrix *m = b->m;
  struct cell *cell = &m->cell[c];
  const struct matrix_kernel *k = &m->kernel[c / m->nsystem];
  struct task *t = &b->task[b->n];
  if (!plan_config(&m->system[c % m->nsystem], shapes, &t->cfg, &cell->e)) return;
  snprintf(t->name, sizeof t->name, "%s", k->name);
  snprintf(t->size, sizeof t->size, "%s", m->size);
  b->cell[b->n++] = c;
}

static void plan_cells(struct batch *b) {
  struct matrix *m = b->m;
  struct plan_kernel *shapes = xcalloc(1, sizeof *shapes);
  for (unsigned k = 0; k < m->nkernel; k++) {
    struct err e = {0};
    bool ok = plan_kernel(m->kernel[k].name, m->size, shapes, &e);
    for (unsigned c = k * m->nsystem; c < (k + 1) * m->nsystem; c++) {
      if (ok) plan_cell(b, c, shapes);
      else m->cell[c].e = e;
    }
  }
  free(shapes);
}

unsigned matrix_run(struct matrix *m, unsigned jobs, struct cache *cache, matrix_progress progress,
                    void *ctx) {
  unsigned cells = m->nkernel * m->nsystem, failed = 0;
  struct batch b = {.m = m, .progress = progress, .ctx = ctx};
  struct pool pool = {&work_run, jobs, cache, on_done, &b};
  b.task = xcalloc(cells, sizeof *b.task);
  b.cell = xcalloc(cells, sizeof *b.cell);
  free(m->cell);
  m->cell = xcalloc(cells, sizeof *m->cell);
  plan_cells(&b);
  struct answer *a = xcalloc(b.n, sizeof *a);
  struct run_result *r = xcalloc(b.n, sizeof *r);
  m->runs = b.n;
  pool_run(&pool, b.task, b.n, r, a);
  for (unsigned i = 0; i < b.n; i++) m->cell[b.cell[i]] = (struct cell){a[i].ok, a[i].e, r[i]};
  for (unsigned i = 0; i < cells; i++) failed += !m->cell[i].ok;
  free(a), free(r), free(b.task), free(b.cell);
  return failed;
}

/* ---- what came out ---- */

bool matrix_value(const struct matrix *m, const struct measure *x, unsigned k, unsigned s, double *out) {
  const struct cell *c = matrix_cell(m, k, s);
  *out = 0;
  return c->ok && measure_of(x, &c->run, out);
}

bool matrix_ratio(const struct matrix *m, const struct measure *x, unsigned k, unsigned s, unsigned base,
                  double *out) {
  double a, b;
  bool there = matrix_value(m, x, k, s, &a) && matrix_value(m, x, k, base, &b) && b > 0;
  *out = there ? a / b : 0;
  return there;
}

struct mean matrix_mean(const struct matrix *m, const struct measure *x, unsigned s, int base,
                        const char *group) {
  struct mean mean = {0};
  for (unsigned k = 0; k < m->nkernel; k++) {
    double v, mine = 0;
    bool all = !group || !strcmp(group, m->kernel[k].group);
    for (unsigned i = 0; all && i < m->nsystem; i++) {
      all = base < 0 ? matrix_value(m, x, k, i, &v) : matrix_ratio(m, x, k, i, (unsigned)base, &v);
      if (i == s) mine = v;
    }
    if (all) mean_add(&mean, mine);
  }
  return mean;
}

bool matrix_differs(const struct matrix *m, unsigned k, unsigned s, unsigned base) {
  const struct cell *a = matrix_cell(m, k, s), *b = matrix_cell(m, k, base);
  return a->ok && b->ok && a->run.hash != b->run.hash;
}
