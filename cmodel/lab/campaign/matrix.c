/* SPDX-License-Identifier: Apache-2.0 */
/* matrix: see matrix.h. */
#include "lab/campaign/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/similar.h"
#include "lab/kernels/suite/about.h"

/* ---- kernels and systems ---- */

/* What the manifest of a kernel of the suite says of its runs. */
static bool matrix_read_manifest(const struct workload *w, struct matrix_kernel *k, struct err *e) {
  struct arena arena = {0};
  struct about about;
  bool there;
  if (!w->suite) return true;
  const bool ok = about_beside(&about, &arena, w->path, &there, e);
  k->timed = ok && there && about.work;
  arena_free(&arena);
  return ok;
}

/* By one of its names; the same kernel a second time is no more than once there. */
static bool matrix_add_kernel(struct matrix *m, const char *name, const char *alias, const char *group, struct err *e) {
  struct workload w;
  struct matrix_kernel k = {0};
  if (!workload_find(name, &w, e) || !matrix_read_manifest(&w, &k, e)) return false;
  snprintf(k.kernel, sizeof k.kernel, "%s", w.name);
  snprintf(k.name, sizeof k.name, "%s", w.suite ? w.name : name);
  if (strchr(alias, ':')) alias = strchr(alias, ':') + 1; /* finereg:CS */
  if (strcmp(alias, k.kernel) && w.suite) snprintf(k.alias, sizeof k.alias, "%.*s", (int)strcspn(alias, "|"), alias);
  snprintf(k.group, sizeof k.group, "%s", group);
  for (unsigned i = 0; i < m->nkernel; i++)
    if (!strcmp(m->kernel[i].name, k.name)) return true;
  VEC_PUSH(m->kernel, m->nkernel, m->kernels_cap) = k;
  return true;
}

/* Those of a paper that names few of its programs: the kernels whose manifests have it, by group, in the order of its list. */
static bool matrix_add_chosen(struct matrix *m, const struct suite *s, int paper, struct err *e) {
  char groups[64], *rest = groups;
  snprintf(groups, sizeof groups, "%s", papers[paper].groups);
  for (const char *g; (g = strsep(&rest, "|"));)
    for (unsigned i = 0; i < s->n; i++) {
      const struct about_paper *p = &s->kernel[i].about.paper[paper];
      if (p->nname && !strcmp(p->group, g) && !matrix_add_kernel(m, s->kernel[i].name, p->name[0], g, e)) return false;
    }
  return true;
}

/* All of the suite, or those of a paper in its order. */
static bool matrix_add_many(struct matrix *m, int paper, struct err *e) {
  struct suite s;
  bool ok = suite_open(&s, e);
  for (unsigned i = 0; ok && paper < 0 && i < s.n; i++)
    ok = matrix_add_kernel(m, s.kernel[i].name, s.kernel[i].name, "", e);
  if (paper >= 0 && !papers[paper].whole) ok = ok && matrix_add_chosen(m, &s, paper, e);
  for (unsigned i = 0; ok && paper >= 0 && papers[paper].whole && i < paper_nnames; i++) {
    const struct suite_kernel *k = (int)paper_names[i].paper == paper ? suite_covers(&s, &paper_names[i]) : NULL;
    if (k) ok = matrix_add_kernel(m, k->name, paper_names[i].names, paper_names[i].group, e);
  }
  suite_free(&s);
  return ok;
}

bool matrix_kernels(struct matrix *m, const char *word, struct err *e) {
  if (!strcmp(word, "all")) return matrix_add_many(m, -1, e);
  int paper = paper_find(word);
  if (paper >= 0) return matrix_add_many(m, paper, e);
  struct err why = {0};
  char near[400];
  if (matrix_add_kernel(m, word, word, "", &why)) return true;
  similar_among(word, &papers[0].key, sizeof *papers, PAPERS, "", near, sizeof near);
  if (near[0] && !config_has_system(word))
    return err_at(e, NULL, 0, 0, "found no kernel and no paper '%.60s'%s", word, near);
  if (!e->set) *e = why;
  return false;
}

bool matrix_system(struct matrix *m, const char *name, const struct settings *s, struct err *e) {
  struct plan p;
  if (!plan_find(&p, name, s, e)) return false;
  if (m->nsystem && strcmp(p.cfg.machine, m->system[0].cfg.machine))
    return err_at(e, NULL, 0, 0, "found system '%s' on %s and '%s' on %s, expected one machine for all: --config NAME",
                  m->system[0].label, m->system[0].cfg.machine, p.label, p.cfg.machine);
  for (unsigned i = 0; i < m->nsystem; i++)
    if (!strcmp(m->system[i].label, p.label))
      return err_at(e, NULL, 0, 0, "found system '%s' a second time, expected it once", p.label);
  VEC_PUSH(m->system, m->nsystem, m->systems_cap) = p;
  m->threads = s->threads;
  return true;
}

void matrix_free(struct matrix *m) {
  free(m->kernel), free(m->system), free(m->cell);
  memset(m, 0, sizeof *m);
}

/* ---- running ---- */

struct origin { /* of a run: its cell, and what was chosen */
  unsigned cell;
  char what[PLAN_WHAT];
};
struct batch { /* runs on their way; task[i] is of of[i] */
  struct matrix *m;
  const struct pool *pool;
  struct task *task;
  struct origin *of;
  unsigned n, task_cap, ofs, of_cap, done;
  struct run_result *followed; /* by cell; of systems that follow another: what that did */
  struct plan_kernel *shapes;  /* by cell; n 0: it cannot be read */
  matrix_progress progress;
  void *ctx;
};

static bool batch_on_done(void *ctx, unsigned i, const struct answer *a) {
  struct batch *b = ctx;
  unsigned c = b->of[i].cell;
  (void)a;
  b->done++;
  if (b->progress)
    b->progress(b->ctx, b->done, b->n, b->m->kernel[c / b->m->nsystem].kernel, b->m->system[c % b->m->nsystem].label);
  return true;
}

/* Adds the runs of one cell, or says in the cell why there are none. */
static void batch_plan_cell(struct batch *b, unsigned c, const struct run_result *followed) {
  struct matrix *m = b->m;
  const struct plan_kernel *k = &b->shapes[c];
  struct plan_point *x = xcalloc(PLAN_POINTS, sizeof *x);
  struct task t = {0};
  snprintf(t.name, sizeof t.name, "%s", m->kernel[c / m->nsystem].name);
  snprintf(t.size, sizeof t.size, "%s", m->size);
  unsigned n = k->n ? plan_points(&m->system[c % m->nsystem], k, followed, x, &m->cell[c].e) : 0;
  for (unsigned i = 0; i < n; i++) {
    t.cfg = x[i].cfg;
    VEC_PUSH(b->task, b->n, b->task_cap) = t;
    struct origin *o = &VEC_PUSH(b->of, b->ofs, b->of_cap);
    o->cell = c;
    memcpy(o->what, x[i].what, sizeof o->what);
  }
  free(x);
}

static bool matrix_is_better(const struct run_result *a, const struct run_result *b) { /* a's IPC above b's */
  return (double)a->sm.warp_insns * (double)b->cycles > (double)b->sm.warp_insns * (double)a->cycles;
}

static void batch_share_processors(struct batch *b) {
  const unsigned at_once = b->pool->jobs < b->n ? b->pool->jobs : b->n;
  unsigned each = b->m->threads ? b->m->threads : at_once ? pool_processors() / at_once : 1;
  for (unsigned i = 0; i < b->n; i++) b->task[i].threads = each ? each : 1;
}

/* Runs what is planned; the first of equally good points stands. */
static void batch_run(struct batch *b, bool follow) {
  struct matrix *m = b->m;
  struct answer *a = xcalloc(b->n, sizeof *a);
  struct run_result *r = xcalloc(b->n, sizeof *r);
  b->done = 0;
  batch_share_processors(b);
  pool_run(b->pool, b->task, b->n, r, a);
  m->runs += b->n;
  for (unsigned i = 0; i < b->n; i++) {
    unsigned c = b->of[i].cell;
    struct cell *cell = &m->cell[c];
    if (a[i].ok && r[i].partial && !m->parts) {
      if (!cell->e.set)
        err_at(&cell->e, NULL, 0, 0,
               "found a part of the run (%s), expected a whole run: parts are not averaged with others", r[i].part);
    } else if (!a[i].ok) {
      if (!cell->e.set) cell->e = a[i].e;
    } else if (follow && plan_follows(&m->system[c % m->nsystem])) {
      b->followed[c] = r[i];
    } else {
      cell->points++;
      if (cell->ok && !matrix_is_better(&r[i], &cell->run)) continue;
      cell->ok = true;
      cell->run = r[i];
      memcpy(cell->what, b->of[i].what, sizeof cell->what);
    }
  }
  b->n = b->ofs = 0;
  free(a), free(r);
}

static void batch_read_shapes(struct batch *b) {
  struct matrix *m = b->m;
  for (unsigned c = 0; c < m->nkernel * m->nsystem; c++) {
    const char *kernel = m->kernel[c / m->nsystem].name;
    if (!plan_kernel(kernel, m->size, &m->system[c % m->nsystem].cfg, &b->shapes[c], &m->cell[c].e)) b->shapes[c].n = 0;
  }
}

unsigned matrix_run(struct matrix *m, unsigned jobs, struct db *db, matrix_progress progress, void *ctx) {
  unsigned cells = m->nkernel * m->nsystem, failed = 0;
  struct batch b = {.m = m, .progress = progress, .ctx = ctx};
  const unsigned most = m->threads ? pool_processors() / m->threads : jobs;
  const struct pool pool = {&work_run, jobs <= most ? jobs : most ? most : 1, db, batch_on_done, &b};
  b.pool = &pool;
  b.followed = xcalloc(cells, sizeof *b.followed);
  b.shapes = xcalloc(cells, sizeof *b.shapes);
  free(m->cell);
  m->cell = xcalloc(cells, sizeof *m->cell);
  m->runs = 0;
  batch_read_shapes(&b);
  for (unsigned c = 0; c < cells; c++) batch_plan_cell(&b, c, NULL);
  batch_run(&b, true);
  for (unsigned c = 0; c < cells; c++)
    if (b.followed[c].sm.cycles) batch_plan_cell(&b, c, &b.followed[c]);
  if (b.n) batch_run(&b, false);
  for (unsigned c = 0; c < cells; c++) failed += !m->cell[c].ok;
  free(b.task), free(b.of), free(b.followed), free(b.shapes);
  return failed;
}

/* ---- results ---- */

bool matrix_value(const struct matrix *m, const struct measure *x, unsigned k, unsigned s, double *out) {
  const struct cell *c = matrix_cell(m, k, s);
  *out = 0;
  return c->ok && measure_of(x, &c->run, out);
}

bool matrix_ratio(const struct matrix *m, const struct measure *x, unsigned k, unsigned s, unsigned base, double *out) {
  double a, b;
  bool there = matrix_value(m, x, k, s, &a) && matrix_value(m, x, k, base, &b) && b > 0;
  *out = there ? a / b : 0;
  return there;
}

bool matrix_earlier(const struct matrix *m, const struct measure *x, unsigned s, int base) {
  for (unsigned k = 0; k < m->nkernel; k++) {
    const struct cell *mine = matrix_cell(m, k, s);
    if (mine->ok && measure_has_earlier_figures(x, &mine->run)) return true;
    if (base < 0) continue;
    const struct cell *other = matrix_cell(m, k, (unsigned)base);
    if (other->ok && measure_has_earlier_figures(x, &other->run)) return true;
  }
  return false;
}

static bool matrix_number(const struct matrix *m, const struct measure *x, unsigned k, unsigned s, int base,
                          double *out) {
  return base < 0 ? matrix_value(m, x, k, s, out) : matrix_ratio(m, x, k, s, (unsigned)base, out);
}

/* A system may lack a measure, as the baseline lacks what only the paper's system has, or fail on every kernel. */
static bool matrix_has_measure(const struct matrix *m, const struct measure *x, unsigned s, int base) {
  double v;
  for (unsigned k = 0; k < m->nkernel; k++)
    if (matrix_number(m, x, k, s, base, &v)) return true;
  return false;
}

struct mean matrix_mean(const struct matrix *m, const struct measure *x, unsigned s, int base) {
  struct mean mean = {0};
  bool *has = xcalloc(m->nsystem, sizeof *has);
  for (unsigned i = 0; i < m->nsystem; i++) has[i] = matrix_has_measure(m, x, i, base);
  for (unsigned k = 0; k < m->nkernel; k++) {
    double v, mine;
    bool all = matrix_number(m, x, k, s, base, &mine);
    for (unsigned i = 0; all && i < m->nsystem; i++) all = !has[i] || matrix_number(m, x, k, i, base, &v);
    if (all) mean_add(&mean, mine);
  }
  free(has);
  return mean;
}

bool matrix_partial(const struct matrix *m, unsigned k) {
  bool any = false;
  for (unsigned s = 0; s < m->nsystem; s++) any |= matrix_cell(m, k, s)->ok && matrix_cell(m, k, s)->run.partial;
  return any;
}

unsigned matrix_partials(const struct matrix *m) {
  unsigned n = 0;
  for (unsigned k = 0; k < m->nkernel; k++) n += matrix_partial(m, k);
  return n;
}

/* Stream hashes are of instructions in their order: only those of code in the same order can be compared. */
static bool same_order(const struct config *a, const struct config *b) {
  return a->compile_schedule == b->compile_schedule &&
         (a->compile_schedule == compile_schedule_none || (a->compile_schedule_load == b->compile_schedule_load &&
                                                           a->compile_schedule_regs == b->compile_schedule_regs &&
                                                           a->compile_schedule_unroll == b->compile_schedule_unroll));
}

bool matrix_differs(const struct matrix *m, unsigned k, unsigned s, unsigned base) {
  const struct cell *a = matrix_cell(m, k, s), *b = matrix_cell(m, k, base);
  return a->ok && b->ok && same_order(&a->run.cfg, &b->run.cfg) && a->run.hash != b->run.hash;
}
