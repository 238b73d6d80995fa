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

unsigned matrix_run(struct matrix *m, unsigned jobs, struct cache *cache, matrix_progress progress,
                    void *ctx) {
  unsigned n = m->nkernel * m->nsystem, failed = 0;
  struct batch b = {.m = m, .n = n, .progress = progress, .ctx = ctx};
  struct pool pool = {&work_run, jobs, cache, on_done, &b};
  struct answer *a = xcalloc(n, sizeof *a);
  struct run_result *r = xcalloc(n, sizeof *r);
  b.task = xcalloc(n, sizeof *b.task);
  b.cell = xcalloc(n, sizeof *b.cell);
  free(m->cell);
  m->cell = xcalloc(n, sizeof *m->cell);
  for (unsigned i = 0; i < n; i++) {
    b.cell[i] = i;
    b.task[i].cfg = m->system[i % m->nsystem].cfg;
    snprintf(b.task[i].name, sizeof b.task[i].name, "%s", m->kernel[i / m->nsystem].name);
    snprintf(b.task[i].size, sizeof b.task[i].size, "%s", m->size);
  }
  pool_run(&pool, b.task, n, r, a);
  for (unsigned i = 0; i < n; i++) {
    m->cell[i] = (struct cell){a[i].ok, a[i].e, r[i]};
    failed += !a[i].ok;
  }
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
