/* SPDX-License-Identifier: Apache-2.0 */
/* experiment: see experiment.h. */
#include "lab/campaign/experiment.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cost/cost.h"

const struct experiment experiments[] = {
#define EXPERIMENT(id, paper, where, kernels, title, note) \
  {id, PAPER_##paper, where, kernels, title, note, __FILE__, __LINE__},
#include "gen/systems/experiments.def"
    {.id = NULL}};
const unsigned nexperiments = sizeof experiments / sizeof *experiments - 1;

enum mode { VALUE, RATIO, MORE };
static const struct {
  const char *id, *name, *label, *base;
  const char *file;
  unsigned line;
} systems[] = {
#define SYSTEM(id, name, label, base) {id, name, label, base, __FILE__, __LINE__},
#include "gen/systems/experiments.def"
    {.id = NULL}};
static const struct {
  const char *id, *measure;
  enum mode mode;
  const char *title;
  const char *file;
  unsigned line;
} shows[] = {
#define SHOW(id, measure, mode, title) {id, #measure, mode, title, __FILE__, __LINE__},
#include "gen/systems/experiments.def"
    {.id = NULL}};
static const struct {
  const char *id, *measure, *label, *over, *text;
  const char *file;
  unsigned line;
} claims[] = {
#define CLAIM(id, measure, label, over, text) {id, #measure, label, over, text, __FILE__, __LINE__},
#include "gen/systems/experiments.def"
    {.id = NULL}};
static const struct {
  const char *id, *system, *against, *x, *y;
  const char *file;
  unsigned line;
} maps[] = {
#define MAP(id, system, against, x, y) {id, system, against, x, y, __FILE__, __LINE__},
#include "gen/systems/experiments.def"
    {.id = NULL}};
static const struct {
  const char *id;
  void (*measure)(const struct setup *setup, struct matrix *m, struct findings *f);
} measured[] = {
#define MEASURED(id, name) {id, experiment_##name},
#include "gen/systems/experiments.def"
    {.id = NULL}};
/* without the last line of each, so that a list may be empty */
static const unsigned nmeasured = sizeof measured / sizeof *measured - 1,
                      nsystems = sizeof systems / sizeof *systems - 1, nshows = sizeof shows / sizeof *shows - 1,
                      nclaims = sizeof claims / sizeof *claims - 1, nmaps = sizeof maps / sizeof *maps - 1;

bool experiment_named(const struct experiment *x, const char *id) {
  const size_t n = strlen(id);
  if (strncasecmp(x->id, id, n)) return false;
  return !x->id[n] || (islower((unsigned char)x->id[n]) && !x->id[n + 1]);
}

static bool has_system(const char *id, const char *label) { /* label NULL: any */
  for (unsigned i = 0; i < nsystems; i++)
    if (!strcmp(systems[i].id, id) && (!label || !strcmp(systems[i].label, label))) return true;
  return false;
}

static bool experiment_known(const char *id, const char *file, unsigned line, struct err *e) {
  for (unsigned i = 0; i < nexperiments; i++)
    if (!strcmp(experiments[i].id, id)) return true;
  return err_at(e, file, line, 0, "found experiment '%s', expected the id of a line EXPERIMENT", id);
}

static bool experiment_system_known(const char *id, const char *label, const char *file, unsigned line, struct err *e) {
  return has_system(id, label) ||
         err_at(e, file, line, 0, "found system '%s', expected the label of a line SYSTEM of %s", label, id);
}

/* No id twice, no label of an experiment twice. */
static bool experiments_check_once(struct err *e) {
  for (unsigned i = 0; i < nexperiments; i++)
    for (unsigned k = 0; k < i; k++)
      if (!strcmp(experiments[k].id, experiments[i].id))
        return err_at(e, experiments[i].file, (int)experiments[i].line, 0,
                      "found experiment '%s' a second time, expected it once", experiments[i].id);
  for (unsigned i = 0; i < nsystems; i++)
    for (unsigned k = 0; k < i; k++)
      if (!strcmp(systems[k].id, systems[i].id) && !strcmp(systems[k].label, systems[i].label))
        return err_at(e, systems[i].file, (int)systems[i].line, 0,
                      "found the label '%s' of %s a second time, expected it once", systems[i].label, systems[i].id);
  return true;
}

bool experiments_check(struct err *e) {
  if (!experiments_check_once(e)) return false;
  for (unsigned i = 0; i < nsystems; i++)
    if (!experiment_known(systems[i].id, systems[i].file, systems[i].line, e) ||
        !experiment_system_known(systems[i].id, systems[i].base, systems[i].file, systems[i].line, e))
      return false;
  for (unsigned i = 0; i < nshows; i++) {
    if (!experiment_known(shows[i].id, shows[i].file, shows[i].line, e)) return false;
    char near[400];
    if (!measure_find(shows[i].measure))
      return err_at(e, shows[i].file, shows[i].line, 0, "found measure '%s'%s", shows[i].measure,
                    measure_suggest(shows[i].measure, near, sizeof near));
  }
  for (unsigned i = 0; i < nclaims; i++) {
    if (!experiment_known(claims[i].id, claims[i].file, claims[i].line, e)) return false;
    if (has_system(claims[i].id, NULL) &&
        !experiment_system_known(claims[i].id, claims[i].label, claims[i].file, claims[i].line, e))
      return false;
  }
  for (unsigned i = 0; i < nmaps; i++)
    if (!experiment_known(maps[i].id, maps[i].file, maps[i].line, e)) return false;
  return experiment_axes_check(e);
}

static bool experiment_plan_map(struct map *map, unsigned i, const struct settings *s, struct err *e) {
  const struct map_wanted w = {maps[i].system, maps[i].against, maps[i].x, maps[i].y, 0, 0};
  return map_plan(map, &w, s, e);
}

bool experiment_suite(const struct experiment *x, struct matrix *m, struct err *e) {
  char word[64];
  for (const char *p = x->kernels; *p; p += strcspn(p, ","), p += *p == ',') {
    snprintf(word, sizeof word, "%.*s", (int)strcspn(p, ","), p);
    if (!matrix_kernels(m, word, e)) return false;
  }
  return true;
}

/* The line is the place of an error that is not in another file; own settings have argument numbers, without a line. */
static bool at_line(struct err *e, const char *file, unsigned line) {
  if (e->line) return false;
  snprintf(e->file, sizeof e->file, "%s", file);
  e->line = (int)line;
  return false;
}

bool experiment_check(const struct experiment *x, struct err *e) {
  struct matrix m = {0};
  bool ok = experiment_suite(x, &m, e) || at_line(e, x->file, x->line);
  for (unsigned i = 0; ok && i < nsystems; i++) {
    struct plan p;
    const struct settings s = {.machine = papers[x->paper].machine};
    if (!strcmp(systems[i].id, x->id))
      ok = plan_find(&p, systems[i].name, &s, e) || at_line(e, systems[i].file, systems[i].line);
  }
  for (unsigned i = 0; ok && i < nmaps; i++) {
    struct map map = {0};
    const struct settings s = {.machine = papers[x->paper].machine};
    if (!strcmp(maps[i].id, x->id)) ok = experiment_plan_map(&map, i, &s, e) || at_line(e, maps[i].file, maps[i].line);
    matrix_free(&map.m);
  }
  matrix_free(&m);
  return ok;
}

static const struct experiment *experiment_of(const char *id) {
  for (unsigned i = 0; i < nexperiments; i++)
    if (!strcmp(experiments[i].id, id)) return &experiments[i];
  die("%s: no such experiment", id);
}

static const char *experiment_system_name(const char *id, const char *label) {
  for (unsigned i = 0; i < nsystems; i++)
    if (!strcmp(systems[i].id, id) && !strcmp(systems[i].label, label)) return systems[i].name;
  die("%s: no system '%s'", id, label);
}

static const char *claimed_mean(const char *id, const char *label, const char *measure) {
  for (unsigned c = 0; c < nclaims; c++)
    if (!strcmp(claims[c].id, id) && !strcmp(claims[c].label, label) && !claims[c].over[0] &&
        !strcmp(claims[c].measure, measure))
      return claims[c].text;
  return NULL;
}

const char *experiment_mean(const char *measure, const char *system, const char *base, const struct experiment **x) {
  for (unsigned i = 0; i < nsystems; i++) {
    const char *id = systems[i].id, *text = NULL;
    if (!strcmp(systems[i].name, system) && !strcmp(experiment_system_name(id, systems[i].base), base))
      text = claimed_mean(id, systems[i].label, measure);
    for (unsigned s = 0; text && s < nshows; s++)
      if (!strcmp(shows[s].id, id) && !strcmp(shows[s].measure, measure) && shows[s].mode == RATIO)
        return *x = experiment_of(id), text;
  }
  return NULL;
}

const char *experiment_base_of(const struct experiment *x, const char *label) {
  for (unsigned i = 0; i < nsystems; i++)
    if (!strcmp(systems[i].id, x->id) && !strcmp(systems[i].label, label)) return systems[i].base;
  return NULL;
}

bool experiment_shows_ratio(const struct experiment *x, const struct measure **measure) {
  unsigned i = 0;
  while (i < nshows && strcmp(shows[i].id, x->id) != 0) i++;
  *measure = i < nshows ? measure_find(shows[i].measure) : NULL;
  return i < nshows && shows[i].mode == RATIO;
}

/* ---- findings ---- */

struct sheet *findings_sheet(struct findings *f, unsigned columns, unsigned decimals, const char *title) {
  if (f->nsheet == MOST_SHEETS) die("%s: more than %d tables", f->experiment->id, MOST_SHEETS);
  struct sheet *s = &f->sheet[f->nsheet++];
  sheet_init(s, columns, decimals, title);
  return s;
}

void findings_claim(struct findings *f, const char *what, const char *paper, double ours, unsigned decimals) {
  struct claim c = {.paper = paper, .ours = ours, .decimals = decimals};
  snprintf(c.what, sizeof c.what, "%s", what);
  VEC_PUSH(f->claim, f->nclaim, f->claims_cap) = c;
}

void findings_complain(struct findings *f, const char *kernel, const char *system, const struct err *e) {
  char text[1100];
  (void)VEC_PUSH(f->complaint, f->ncomplaint, f->complaints_cap);
  err_format(e, text, sizeof text);
  snprintf(f->complaint[f->ncomplaint - 1], sizeof *f->complaint, "%s: %.60s%s%.120s: %s", f->experiment->id, kernel,
           kernel[0] ? " on " : "", system, text);
}

bool findings_config(struct findings *f, const struct setup *setup, const char *system, struct config *c) {
  struct err e = {0};
  const bool ok = settings_apply(&setup->settings, system, "", c, &e);
  if (!ok) findings_complain(f, "", system, &e);
  return ok;
}

bool findings_run(struct findings *f, const struct setup *setup, struct matrix *m, const char *const *system,
                  unsigned n) {
  struct err e = {0};
  for (unsigned s = 0; s < n; s++)
    if (!matrix_system(m, system[s], &setup->settings, &e)) {
      findings_complain(f, "", system[s], &e);
      return false;
    }
  matrix_run(m, setup->jobs, setup->db, setup->progress, setup->ctx);
  f->runs += m->runs;
  for (unsigned k = 0; k < m->nkernel; k++)
    for (unsigned s = 0; s < n; s++)
      if (!matrix_cell(m, k, s)->ok) findings_complain(f, m->kernel[k].kernel, system[s], &matrix_cell(m, k, s)->e);
  return true;
}

void findings_free(struct findings *f) {
  for (unsigned i = 0; i < f->nsheet; i++) sheet_free(&f->sheet[i]);
  free(f->claim), free(f->complaint), free(f->remark), free(f->view);
}

/* ---- systems side by side ---- */

struct versus { /* the systems of one experiment; at[i]: of the matrix, -1: there is no such system */
  const struct experiment *x;
  struct matrix m;
  unsigned first, n;
  int *at, *base;
};

static int versus_find_label(const struct versus *v, const char *label) {
  for (unsigned i = 0; i < v->n; i++)
    if (!strcmp(systems[v->first + i].label, label)) return (int)i;
  die("%s: no system '%s'", v->x->id, label);
}

static void versus_open(struct versus *v, const struct setup *setup, struct findings *f) {
  while (v->first < nsystems && strcmp(systems[v->first].id, v->x->id)) v->first++;
  while (v->first + v->n < nsystems && !strcmp(systems[v->first + v->n].id, v->x->id)) v->n++;
  v->at = xcalloc(v->n, sizeof *v->at);
  v->base = xcalloc(v->n, sizeof *v->base);
  for (unsigned i = 0; i < v->n; i++) {
    struct err e = {0};
    bool ok = matrix_system(&v->m, systems[v->first + i].name, &setup->settings, &e);
    v->at[i] = ok ? (int)v->m.nsystem - 1 : -1;
    if (!ok) findings_complain(f, "", systems[v->first + i].name, &e);
  }
  for (unsigned i = 0; i < v->n; i++) v->base[i] = v->at[versus_find_label(v, systems[v->first + i].base)];
}

static double versus_value(const struct versus *v, const struct measure *x, enum mode mode, unsigned k, unsigned i) {
  double a, b;
  int s = v->at[i], base = v->base[i];
  if (s < 0 || !matrix_value(&v->m, x, k, (unsigned)s, &a)) return NAN;
  if (mode == VALUE) return a;
  if (base < 0 || !matrix_value(&v->m, x, k, (unsigned)base, &b)) return NAN;
  return mode == MORE ? a - b : b > 0 ? a / b : NAN;
}

/* As the paper averages. */
static bool versus_is_geometric(const struct versus *v) { return papers[v->x->paper].mean == PAPER_MEAN_geometric; }
static const char *versus_mean_name(const struct versus *v) {
  return versus_is_geometric(v) ? "geometric mean" : "mean";
}

/* A system may lack a measure, as the baseline lacks what only the paper's system has. */
static bool versus_has_measure(const struct versus *v, const struct measure *x, enum mode mode, unsigned i) {
  for (unsigned k = 0; k < v->m.nkernel; k++)
    if (!isnan(versus_value(v, x, mode, k, i))) return true;
  return false;
}

/* Over the kernels of a group (""; all) for which every system that has the measure has a number. */
static double versus_mean_value(const struct versus *v, const struct measure *x, enum mode mode, const char *group,
                                unsigned i) {
  struct mean mean = {0};
  for (unsigned k = 0; k < v->m.nkernel; k++) {
    bool in = !group[0] || !strcmp(group, v->m.kernel[k].group);
    for (unsigned j = 0; in && j < v->n; j++)
      in = !versus_has_measure(v, x, mode, j) || !isnan(versus_value(v, x, mode, k, j));
    if (in && !isnan(versus_value(v, x, mode, k, i))) mean_add(&mean, versus_value(v, x, mode, k, i));
  }
  double out;
  const bool there = versus_is_geometric(v) ? mean_geometric(&mean, &out) : mean_arithmetic(&mean, &out);
  return there ? out : NAN;
}

/* A system's numbers have figures of a block's earlier Verilog in them. */
static bool versus_is_earlier(const struct versus *v, const struct measure *x, enum mode mode, unsigned i) {
  return v->at[i] >= 0 && matrix_earlier(&v->m, x, (unsigned)v->at[i], mode == VALUE ? -1 : v->base[i]);
}
static void versus_mark_row(const struct versus *v, const struct measure *x, enum mode mode, struct sheet *s) {
  for (unsigned i = 0; i < v->n; i++)
    if (versus_is_earlier(v, x, mode, i)) sheet_mark(s, i);
}

static void versus_mean_row(const struct versus *v, const struct measure *x, enum mode mode, const char *group,
                            struct sheet *s) {
  char name[64];
  snprintf(name, sizeof name, "%s%s%s", versus_mean_name(v), group[0] ? ", " : "", group);
  double *row = sheet_row(s, name, "");
  for (unsigned i = 0; i < v->n; i++) row[i] = versus_mean_value(v, x, mode, group, i);
  versus_mark_row(v, x, mode, s);
}

/* Kernels in their order, then means: of each group in the order of its first kernel, and of all. The slices
 * paper's groups, which are numbers, only tell how quality is measured. */
static void versus_fill_sheet(const struct versus *v, const struct measure *x, enum mode mode, struct sheet *s) {
  const struct matrix *m = &v->m;
  for (unsigned i = 0; i < v->n; i++) {
    snprintf(s->column[i], sizeof s->column[i], "%s", systems[v->first + i].label);
    snprintf(s->system[i], sizeof s->system[i], "%s", systems[v->first + i].name);
  }
  for (unsigned k = 0; k < m->nkernel; k++) {
    double *row = sheet_row(s, m->kernel[k].kernel, m->kernel[k].alias);
    for (unsigned i = 0; i < v->n; i++) row[i] = versus_value(v, x, mode, k, i);
    versus_mark_row(v, x, mode, s);
  }
  if (m->nkernel < 2) return;
  for (unsigned k = 0; k < m->nkernel; k++) {
    bool first = isalpha((unsigned char)m->kernel[k].group[0]);
    for (unsigned j = 0; j < k; j++) first &= strcmp(m->kernel[j].group, m->kernel[k].group) != 0;
    if (first) versus_mean_row(v, x, mode, m->kernel[k].group, s);
  }
  versus_mean_row(v, x, mode, "", s);
}

/* Over one kernel, if `over` is its name in the paper, or its own if that is the same; else over a group, or all. */
static double versus_value_over(const struct versus *v, const struct measure *x, enum mode mode, const char *name,
                                unsigned i) {
  for (unsigned k = 0; name[0] && k < v->m.nkernel; k++) {
    const struct matrix_kernel *of = &v->m.kernel[k];
    if (!strcmp(of->alias[0] ? of->alias : of->kernel, name)) return versus_value(v, x, mode, k, i);
  }
  return versus_mean_value(v, x, mode, name, i);
}

static void versus_claim_all(const struct versus *v, struct findings *f, const char *measure, enum mode mode) {
  const struct measure *x = measure_find(measure);
  for (unsigned c = 0; c < nclaims; c++) {
    char what[192];
    if (strcmp(claims[c].id, v->x->id) || strcmp(claims[c].measure, measure)) continue;
    snprintf(what, sizeof what, "%s, %s, %s", x->label, claims[c].label,
             claims[c].over[0] ? claims[c].over : versus_mean_name(v));
    findings_claim(f, what, claims[c].text,
                   versus_value_over(v, x, mode, claims[c].over, (unsigned)versus_find_label(v, claims[c].label)),
                   mode == VALUE ? x->decimals : 3);
    f->claim[f->nclaim - 1].earlier = versus_is_earlier(v, x, mode, (unsigned)versus_find_label(v, claims[c].label));
  }
}

/* Narrow code may do other work, as a branch may depend on a rounded float, and so may a kernel with atomics, whose order is that of
 * time: these are remarks. Other work without either is a complaint. */
static bool experiment_is_narrow(const struct matrix *m, unsigned k, unsigned s) {
  return matrix_cell(m, k, s)->run.narrow || matrix_cell(m, k, 0)->run.narrow;
}

/* Its work may depend on timing. */
static bool experiment_is_timed(const struct matrix *m, unsigned k, unsigned s) {
  return m->kernel[k].timed || matrix_cell(m, k, s)->run.sm.atomics || matrix_cell(m, k, 0)->run.sm.atomics;
}

static void complain_all(const struct matrix *m, struct findings *f) {
  for (unsigned k = 0; k < m->nkernel; k++)
    for (unsigned s = 0; s < m->nsystem; s++) {
      struct err other = {0};
      const struct cell *c = matrix_cell(m, k, s);
      if (matrix_differs(m, k, s, 0) && !experiment_is_narrow(m, k, s) && !experiment_is_timed(m, k, s))
        err_at(&other, NULL, 0, 0, "other work than on %s: their stream hashes differ", m->system[0].label);
      if (!c->ok || other.set) findings_complain(f, m->kernel[k].kernel, m->system[s].label, c->ok ? &other : &c->e);
    }
}

/* Remarks on narrow code: for each system the kernels concerned.
 */
static bool other_work(const struct matrix *m, unsigned k, unsigned s) {
  return experiment_is_narrow(m, k, s) && matrix_differs(m, k, s, 0);
}
static bool no_widths(const struct matrix *m, unsigned k, unsigned s) {
  const struct cell *c = matrix_cell(m, k, s);
  return c->ok && c->run.floats && !c->run.widths[0];
}
static bool experiment_is_below(const struct matrix *m, unsigned k, unsigned s) {
  const struct cell *c = matrix_cell(m, k, s);
  return c->ok && run_below(&c->run);
}

static void remark_timed(const struct matrix *m, struct findings *f) {
  char text[sizeof *f->remark];
  size_t n = 0;
  for (unsigned k = 0; k < m->nkernel; k++)
    for (unsigned s = 0; s < m->nsystem; s++)
      if (matrix_differs(m, k, s, 0) && !experiment_is_narrow(m, k, s) && experiment_is_timed(m, k, s)) {
        if (n < sizeof text)
          n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", m->kernel[k].kernel);
        break;
      }
  if (!n) return;
  (void)VEC_PUSH(f->remark, f->nremark, f->remarks_cap);
  snprintf(f->remark[f->nremark - 1], sizeof *f->remark,
           "the work of these differs a little between the systems, since it depends on timing: %.300s", text);
}

static void remark_all(const struct versus *v, struct findings *f) {
  static const struct {
    bool (*holds)(const struct matrix *m, unsigned k, unsigned s);
    const char *text;
  } all[] = {
      {no_widths, "floats keep 32 bits for want of a widths file"},
      {experiment_is_below, "results are below the quality that was asked for"},
      {other_work,
       "other instructions than on the first system, since a branch depended on a rounded float or on the order of "
       "atomics"},
  };
  for (unsigned r = 0; r < sizeof all / sizeof *all; r++)
    for (unsigned i = 0; i < v->n; i++) {
      char text[sizeof *f->remark];
      size_t n = 0;
      for (unsigned k = 0; v->at[i] >= 0 && k < v->m.nkernel; k++)
        if (n < sizeof text && all[r].holds(&v->m, k, (unsigned)v->at[i]))
          n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", v->m.kernel[k].kernel);
      if (!n) continue;
      (void)VEC_PUSH(f->remark, f->nremark, f->remarks_cap);
      snprintf(f->remark[f->nremark - 1], sizeof *f->remark, "%.60s: %s: %.200s", systems[v->first + i].label,
               all[r].text, text);
    }
}

static void versus_run(struct versus *v, const struct setup *setup, struct findings *f) {
  versus_open(v, setup, f);
  matrix_run(&v->m, setup->jobs, setup->db, setup->progress, setup->ctx);
  f->runs = v->m.runs;
  complain_all(&v->m, f);
  remark_timed(&v->m, f);
  remark_all(v, f);
  for (unsigned i = 0; i < nshows; i++) {
    if (strcmp(shows[i].id, v->x->id)) continue;
    const struct measure *x = measure_find(shows[i].measure);
    if (!x) die("%s: no measure '%s'", v->x->id, shows[i].measure);
    versus_fill_sheet(v, x, shows[i].mode,
                      findings_sheet(f, v->n, shows[i].mode == RATIO ? 3 : x->decimals, shows[i].title));
    versus_claim_all(v, f, shows[i].measure, shows[i].mode);
  }
  free(v->at), free(v->base);
}

/* ---- maps ---- */

static void experiment_fill_map(const struct map *map, struct findings *f) {
  const struct map_axis *x = &map->x, *y = &map->y;
  char title[sizeof f->sheet->title], where[256];
  snprintf(title, sizeof title,
           "IPC of %.40s relative to %.40s, geometric mean; %s.%s below each other, %s.%s side by side; *: %.40s",
           map->system.label, map->against.label, y->key->section, y->key->name, x->key->section, x->key->name,
           map->system.cfg.machine);
  struct sheet *s = findings_sheet(f, x->n, 3, title);
  const char *claim = map_claim(map, where, sizeof where, NULL);
  for (unsigned i = 0; i < x->n; i++)
    snprintf(s->column[i], sizeof s->column[i], "%lld%s", (long long)x->value[i], x->value[i] == x->own ? "*" : "");
  for (unsigned j = y->n; j-- > 0;) { /* the largest on top, as in the picture */
    char name[64];
    snprintf(name, sizeof name, "%lld%s", (long long)y->value[j], y->value[j] == y->own ? "*" : "");
    double *row = sheet_row(s, name, "");
    for (unsigned i = 0; i < x->n; i++) row[i] = map_gain(map, i, j);
  }
  if (!claim) return;
  (void)VEC_PUSH(f->remark, f->nremark, f->remarks_cap);
  snprintf(f->remark[f->nremark - 1], sizeof *f->remark,
           "%.60s: %.200s has %g in the mean of its kernels: reached at %u of %u points", map->system.label, where,
           atof(claim), map_reached(map, atof(claim)), x->n * y->n);
}

static void experiment_run_map(const struct versus *v, unsigned i, const struct setup *setup, struct findings *f) {
  struct err e = {0};
  struct map map = {.m = {.size = setup->size}};
  if (!experiment_plan_map(&map, i, &setup->settings, &e) || !experiment_suite(v->x, &map.m, &e)) {
    findings_complain(f, "", maps[i].system, &e);
    matrix_free(&map.m);
    return;
  }
  matrix_run(&map.m, setup->jobs, setup->db, setup->progress, setup->ctx);
  f->runs += map.m.runs;
  complain_all(&map.m, f);
  remark_timed(&map.m, f);
  experiment_fill_map(&map, f);
  map_view_of(&map, &VEC_PUSH(f->view, f->nview, f->views_cap));
  matrix_free(&map.m);
}

static bool experiment_run_maps(const struct versus *v, const struct setup *setup, struct findings *f) {
  bool any = false;
  for (unsigned i = 0; i < nmaps; i++)
    if (!strcmp(maps[i].id, v->x->id)) experiment_run_map(v, i, setup, f), any = true;
  return any;
}

static bool experiment_measure(const struct setup *setup, struct versus *v, struct findings *f) {
  for (unsigned i = 0; i < nmeasured; i++)
    if (!strcmp(v->x->id, measured[i].id)) return measured[i].measure(setup, &v->m, f), true;
  return false;
}

/* Of the machine with these settings, whichever system. */
static void name_sms(const struct setup *setup, struct findings *f) {
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  settings_apply(&setup->settings, "baseline", "", &c, &e); /* what is wrong with it, each system says */
  run_sms(&c, f->sms);
}

/* Says once what ~ means, or, where a figure of earlier Verilog is in numbers that have none, that it is. */
static void remark_earlier(struct findings *f, bool given) {
  bool marked = false;
  for (unsigned i = 0; i < f->nsheet; i++) marked |= sheet_marked(&f->sheet[i]);
  for (unsigned i = 0; i < f->nclaim; i++) marked |= f->claim[i].earlier;
  if (!marked && !given) return;
  (void)VEC_PUSH(f->remark, f->nremark, f->remarks_cap);
  snprintf(f->remark[f->nremark - 1], sizeof *f->remark, "%s: " EARLIER_NOTE, marked ? "~" : "some of these numbers");
}

bool experiment_run(const struct experiment *x, const struct setup *setup, struct findings *f, struct err *e) {
  struct versus v = {.x = x, .m = {.size = setup->size}};
  memset(f, 0, sizeof *f);
  f->experiment = x;
  snprintf(f->size, sizeof f->size, "%s", setup->size);
  snprintf(f->machine, sizeof f->machine, "%s", setup->settings.machine);
  name_sms(setup, f);
  bool ok = experiment_suite(x, &v.m, e);
  block_take_earlier_flag();
  if (ok && !experiment_measure(setup, &v, f) && !experiment_run_maps(&v, setup, f) && x->kernels[0])
    versus_run(&v, setup, f);
  remark_earlier(f, block_take_earlier_flag());
  matrix_free(&v.m);
  return ok;
}

/* ---- runs that were made before ---- */

bool experiment_compares(const char *system, const char *base) {
  for (unsigned i = 0; i < nsystems; i++)
    if (!strcmp(systems[i].name, system) && !strcmp(experiment_system_name(systems[i].id, systems[i].base), base))
      return true;
  return false;
}

static bool is_versus(const struct experiment *x) {
  for (unsigned i = 0; i < nmeasured; i++)
    if (!strcmp(x->id, measured[i].id)) return false;
  for (unsigned i = 0; i < nmaps; i++)
    if (!strcmp(x->id, maps[i].id)) return false;
  return x->kernels[0];
}

/* One that a claim is about, and the system that it is compared with. */
static bool any_ran(const struct experiment *x, const struct experiment_source *from) {
  for (unsigned i = 0; i < nsystems; i++)
    if (!strcmp(systems[i].id, x->id) && strcmp(systems[i].label, systems[i].base) &&
        from->has(from->ctx, systems[i].name) && from->has(from->ctx, experiment_system_name(x->id, systems[i].base)))
      return true;
  return false;
}

/* Systems that ran have their runs; the others are as if they were refused. */
static void versus_take_runs(struct versus *v, const struct experiment_source *from, struct findings *f) {
  struct matrix *m = &v->m;
  m->cell = xcalloc(m->nkernel * m->nsystem, sizeof *m->cell);
  for (unsigned k = 0; k < m->nkernel; k++) {
    bool all = true;
    for (unsigned s = 0; s < m->nsystem; s++) {
      const struct run_result *r = from->run(from->ctx, m->kernel[k].kernel, m->system[s].label);
      struct cell *c = &m->cell[k * m->nsystem + s];
      c->ok = r != NULL;
      if (r) c->run = *r;
      all &= c->ok || !from->has(from->ctx, m->system[s].label);
    }
    f->runs += all;
  }
}

bool experiment_claims(const struct experiment *x, const struct experiment_source *from, struct findings *f,
                       unsigned *kernels, struct err *e) {
  struct versus v = {.x = x};
  const struct setup setup = {.settings = {.machine = papers[x->paper].machine}};
  memset(f, 0, sizeof *f);
  f->experiment = x;
  *kernels = 0;
  if (!is_versus(x) || !any_ran(x, from)) return true;
  const bool ok = experiment_suite(x, &v.m, e);
  if (ok) {
    versus_open(&v, &setup, f);
    versus_take_runs(&v, from, f);
    *kernels = v.m.nkernel;
    for (unsigned i = 0; i < nshows; i++)
      if (!strcmp(shows[i].id, x->id)) versus_claim_all(&v, f, shows[i].measure, shows[i].mode);
    free(v.at), free(v.base);
  }
  matrix_free(&v.m);
  return ok;
}
