/* SPDX-License-Identifier: Apache-2.0 */
/* compare: see compare.h. */
#include "lab/campaign/compare.h"

#include <string.h>

#include "base/show.h"
#include "base/wrap.h"
#include "lab/campaign/cost_notes.h"
#include "lab/campaign/experiment.h"
#include "cost/cost.h"
#include "lab/run/result.h"
#include "lab/report/figure.h"
#include "lab/report/json.h"
#include "lab/report/sheet.h"
#include "lab/report/table.h"
#include "lab/run/trace.h"

/* ---- the tables ---- */

/* `earlier`: figures of a block's earlier Verilog are in it. */
static void compare_put_number(struct table *t, unsigned column, bool there, double x, unsigned decimals,
                               bool earlier) {
  char buf[CELL], marked[CELL + 1];
  if (!there) return;
  if (decimals) snprintf(buf, sizeof buf, "%.*f", (int)decimals, x);
  else text_count(buf, (uint64_t)(x + 0.5));
  snprintf(marked, sizeof marked, "%s%s", buf, earlier ? "~" : "");
  table_cell(t, column, marked);
}

/* A number at the smaller and at the larger bound of logic: one cell, "0.988 to 1.002" where they differ as printed. */
static void compare_put_range(struct table *t, unsigned column, bool there, const double v[2], unsigned decimals,
                              bool earlier) {
  char low[CELL], high[CELL], both[2 * CELL + 8];
  snprintf(low, sizeof low, "%.*f", (int)decimals, v[0]);
  snprintf(high, sizeof high, "%.*f", (int)decimals, v[1]);
  snprintf(both, sizeof both, "%s to %s%s", low, high, earlier ? "~" : "");
  if (there && strcmp(low, high) != 0) table_cell(t, column, both);
  else compare_put_number(t, column, there, v[0], decimals, earlier);
}

/* "", or ", size small": traces have sizes of their own; and whether all systems did the same work. */
static const char *work_text(const struct matrix *m, char *buf, size_t size) {
  bool sized = m->same_work;
  for (unsigned k = 0; k < m->nkernel; k++) sized |= !trace_named(m->kernel[k].name);
  snprintf(buf, size, "%s%s%s%s", sized ? ", size " : "", sized ? m->size : "", m->same_work ? ", the work of " : "",
           m->same_work ? m->system[0].label : "");
  return buf;
}

/* Of what has results of a part of a run in it. */
static const char *compare_partial_mark(bool partial) { return partial ? " *" : ""; }

static void mean_rows(struct table *t, const struct matrix *m, const struct measure *x, int base, unsigned decimals) {
  struct mean mean = {0};
  unsigned kernels = 0;
  double v;
  for (unsigned geometric = 0; geometric < 2; geometric++) {
    char label[CELL];
    snprintf(label, sizeof label, "%s mean%s", geometric ? "geometric" : "arithmetic",
             compare_partial_mark(matrix_partials(m)));
    table_row(t, label, "");
    for (unsigned s = 0; s < m->nsystem; s++) {
      mean = matrix_mean(m, x, s, base);
      if (mean.n) kernels = mean.n;
      bool there = geometric ? mean_geometric(&mean, &v) : mean_arithmetic(&mean, &v);
      compare_put_number(t, s, there, v, decimals, matrix_earlier(m, x, s, base));
    }
  }
  if (!kernels || kernels == m->nkernel) return;
  char text[CELL];
  table_row(t, "kernels in the means", "");
  for (unsigned s = 0; s < m->nsystem; s++) table_cell(t, s, text_count(text, kernels));
}

static void kernel_row(struct table *t, const struct matrix *m, unsigned k) {
  char label[sizeof m->kernel[k].kernel + 2];
  snprintf(label, sizeof label, "%s%s", m->kernel[k].kernel, compare_partial_mark(matrix_partial(m, k)));
  table_row(t, label, m->kernel[k].alias);
  for (unsigned s = 0; s < m->nsystem; s++)
    if (!matrix_cell(m, k, s)->ok) table_cell(t, s, "failed");
}

static bool compare_value(const struct matrix *m, const struct measure *x, unsigned k, unsigned s, int base,
                          double *v) {
  return base < 0 ? matrix_value(m, x, k, s, v) : matrix_ratio(m, x, k, s, (unsigned)base, v);
}

/* Some run has a number, or all failed, and the cells say so. */
static bool compare_is_shown(const struct matrix *m, const struct measure *x, int base) {
  bool ran = false;
  double v;
  for (unsigned k = 0; k < m->nkernel; k++)
    for (unsigned s = 0; s < m->nsystem; s++) {
      if (compare_value(m, x, k, s, base, &v)) return true;
      ran |= matrix_cell(m, k, s)->ok;
    }
  return !ran;
}

static void compare_add_section(struct table *t, const struct matrix *m, const struct measure *x, int base) {
  if (!compare_is_shown(m, x, base)) return;
  char title[256];
  unsigned decimals = base < 0 ? x->decimals : 3;
  double v;
  if (base < 0) snprintf(title, sizeof title, "%s%s%s", x->label, x->unit[0] ? ", " : "", x->unit);
  else snprintf(title, sizeof title, "%s, relative to %s", x->label, m->system[base].label);
  table_section(t, title);
  for (unsigned k = 0; k < m->nkernel; k++) {
    kernel_row(t, m, k);
    for (unsigned s = 0; s < m->nsystem; s++) {
      bool there = compare_value(m, x, k, s, base, &v);
      compare_put_number(t, s, there, v, decimals, matrix_earlier(m, x, s, base));
    }
  }
  if (m->nkernel > 1) mean_rows(t, m, x, base, decimals);
}

static void compare_add_limiters(struct table *t, const struct matrix *m) {
  table_section(t, "what limits the CTAs of the entry's largest launch, and how many fit");
  for (unsigned k = 0; k < m->nkernel; k++) {
    kernel_row(t, m, k);
    for (unsigned s = 0; s < m->nsystem; s++) {
      const struct run_result *r = &matrix_cell(m, k, s)->run;
      char text[64];
      snprintf(text, sizeof text, "%s %u", r->limiter, r->fit);
      if (matrix_cell(m, k, s)->ok) table_cell(t, s, text);
    }
  }
}

/* Of narrow code: how far results are from those of 32-bit registers. */
static void compare_add_qualities(struct table *t, const struct matrix *m) {
  bool any = false;
  for (unsigned c = 0; c < m->nkernel * m->nsystem; c++) any |= m->cell[c].ok && m->cell[c].run.compared;
  if (!any) return;
  table_section(t, "quality of the results against those of 32-bit registers");
  for (unsigned k = 0; k < m->nkernel; k++) {
    kernel_row(t, m, k);
    for (unsigned s = 0; s < m->nsystem; s++) {
      const struct cell *c = matrix_cell(m, k, s);
      char text[CELL], cell[CELL + 16];
      if (!c->ok || !c->run.compared) continue;
      const struct quality *q = &c->run.quality;
      quality_text(q, text, sizeof text);
      snprintf(cell, sizeof cell, "%s%s%s", quality_level_name(q->level), q->differ ? ", " : "", q->differ ? text : "");
      table_cell(t, s, cell);
    }
  }
}

/* Of systems that are chosen for each kernel: what was chosen, out of how many runs. */
static void compare_print_choices(FILE *f, const struct matrix *m) {
  for (unsigned s = 0; s < m->nsystem; s++) {
    const struct plan *p = &m->system[s];
    if (!p->info) continue;
    fprintf(f, "\n%s: %s\n", SHOWN(p->label), p->info->text);
    for (unsigned k = 0; k < m->nkernel; k++) {
      const struct cell *c = matrix_cell(m, k, s);
      if (c->ok && c->points > 1)
        fprintf(f, "  %-20s  %s, the best of %u runs\n", m->kernel[k].kernel, c->what, c->points);
      else if (c->ok) fprintf(f, "  %-20s  %s\n", m->kernel[k].kernel, c->what);
    }
  }
}

static void compare_add_measure(struct table *t, const struct matrix *m, const struct measure *x) {
  compare_add_section(t, m, x, -1);
  if (m->nsystem > 1) compare_add_section(t, m, x, 0);
}

/* The measures shown by default, by their keys. */
static const char *const brief[] = {
#define BRIEF(key) #key,
#include "gen/systems/panels.def"
};
enum { BRIEFS = sizeof brief / sizeof *brief };

/* Zero for each kernel and system: a measure of systems that are not among these. */
static bool all_zero(const struct matrix *m, const struct measure *x) {
  double v;
  for (unsigned k = 0; k < m->nkernel; k++)
    for (unsigned s = 0; s < m->nsystem; s++)
      if (matrix_value(m, x, k, s, &v) && v != 0) return false;
  return true;
}

/* A line for each measure: of one kernel its value; of several the geometric mean of the ratios to the first
 * system, or, of one system, the arithmetic mean of the values. */
static void compare_add_line(struct table *t, const struct matrix *m, const struct measure *x) {
  const bool one = m->nkernel == 1, ratio = !one && m->nsystem > 1;
  if (!compare_is_shown(m, x, ratio ? 0 : -1)) return;
  struct mean mean = {0};
  char unit[CELL + 16] = "";
  if (!ratio) snprintf(unit, sizeof unit, "%s", x->unit);
  else if ((mean = matrix_mean(m, x, 0, 0)).n < m->nkernel) snprintf(unit, sizeof unit, "of %u kernels", mean.n);
  table_row(t, x->label, unit);
  for (unsigned s = 0; s < m->nsystem; s++) {
    double v = 0;
    mean = matrix_mean(m, x, s, ratio ? 0 : -1);
    bool there = one ? matrix_value(m, x, 0, s, &v) : ratio ? mean_geometric(&mean, &v) : mean_arithmetic(&mean, &v);
    compare_put_number(t, s, there, v, ratio ? 3 : x->decimals, matrix_earlier(m, x, s, ratio ? 0 : -1));
  }
}

static void short_form(struct table *t, const struct matrix *m) {
  const bool one = m->nkernel == 1;
  char title[256];
  if (m->nsystem > 1) compare_add_section(t, m, measure_find("ipc"), 0);
  else if (!one) compare_add_section(t, m, measure_find("ipc"), -1);
  if (one) snprintf(title, sizeof title, "%s%s", m->kernel[0].kernel, compare_partial_mark(matrix_partials(m)));
  else if (m->nsystem == 1)
    snprintf(title, sizeof title, "arithmetic means over the kernels%s", compare_partial_mark(matrix_partials(m)));
  else
    snprintf(title, sizeof title, "geometric means over the kernels, relative to %s%s", m->system[0].label,
             compare_partial_mark(matrix_partials(m)));
  table_section(t, title);
  for (unsigned i = one ? 0 : 1; i < BRIEFS; i++) {
    const struct measure *x = measure_find(brief[i]);
    if (!x) die("paper.def: found '%s', expected a measure", brief[i]);
    if (!all_zero(m, x)) compare_add_line(t, m, x);
  }
  if (one) compare_add_limiters(t, m);
}

/* ---- a line for each system */

/* The columns without a choice of the user. */
static const char *const by_system[] = {"ipc", "ctas_resident", "l1_miss", "energy"};
enum { BY_SYSTEM = sizeof by_system / sizeof *by_system };

static unsigned compare_columns(const struct compare_what *what, const struct measure *column[COMPARE_MOST]) {
  for (unsigned i = 0; i < what->n; i++) column[i] = what->measure[i];
  for (unsigned i = 0; i < BY_SYSTEM && !what->n; i++) column[i] = measure_find(by_system[i]);
  return what->n ? what->n : BY_SYSTEM;
}

/* The measure of a system: of one kernel its value, of several the geometric mean of the ratios to the first system. */
static bool compare_summary(const struct matrix *m, const struct measure *x, unsigned s, double *v) {
  if (m->nkernel == 1) return matrix_value(m, x, 0, s, v);
  const struct mean mean = matrix_mean(m, x, s, 0);
  return mean_geometric(&mean, v);
}

/* The same at the smaller and at the larger bound of logic. */
static bool compare_summary_range(const struct matrix *m, const struct measure *x, unsigned s, double v[2]) {
  bool there = compare_summary(m, x, s, &v[0]);
  v[1] = v[0];
  if (!there || !matrix_has_cost(m, x)) return there;
  cost_use_larger_bound(true);
  there = compare_summary(m, x, s, &v[1]);
  cost_use_larger_bound(false);
  return there;
}

/* A line for each system. Of one kernel the first column is IPC relative to the first system. */
static void compare_add_systems(struct table *t, const struct matrix *m, const struct measure *const *column,
                                unsigned n) {
  const bool one = m->nkernel == 1;
  char title[256];
  double v = 0, range[2];
  if (one) snprintf(title, sizeof title, "%s%s", m->kernel[0].kernel, compare_partial_mark(matrix_partials(m)));
  else
    snprintf(title, sizeof title, "geometric means over %u kernels, relative to %s%s", m->nkernel, m->system[0].label,
             compare_partial_mark(matrix_partials(m)));
  if (one) table_head(t, 0, "relative IPC");
  for (unsigned i = 0; i < n; i++) table_head(t, one + i, column[i]->key);
  table_section(t, title);
  for (unsigned s = 0; s < m->nsystem; s++) {
    table_row(t, m->system[s].label, "");
    const bool related = one && matrix_ratio(m, measure_find("ipc"), 0, s, 0, &v);
    if (one && !matrix_cell(m, 0, s)->ok) table_cell(t, 0, "failed");
    else if (one) compare_put_number(t, 0, related, v, 3, false);
    for (unsigned i = 0; i < n; i++) {
      const bool there = compare_summary_range(m, column[i], s, range);
      compare_put_range(t, one + i, there, range, one ? column[i]->decimals : 3,
                        matrix_earlier(m, column[i], s, one ? -1 : 0));
    }
  }
}

/* The unit of a column; of one that shows both bounds of logic without the words that name the smaller one. */
static const char *compare_unit_text(const struct measure *x, char *buf, size_t size) {
  const char *bound = measure_most(x) ? strstr(x->unit, ", logic at the smaller") : NULL;
  if (measure_most(x) && !bound) bound = strstr(x->unit, ", the smaller");
  snprintf(buf, size, "%.*s", (int)(bound ? bound - x->unit : (long)strlen(x->unit)), x->unit);
  return buf;
}

/* The units of the columns, of one kernel, whose values are shown. */
static void compare_print_units(const struct measure *const *column, unsigned n, FILE *f) {
  enum { COLUMNS = 80 };
  char text[2000] = "", unit[400];
  size_t at = 0;
  for (unsigned i = 0; i < n && at < sizeof text; i++)
    if (column[i]->unit[0])
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%s: %s", at ? "; " : "Units: ", column[i]->key,
                             compare_unit_text(column[i], unit, sizeof unit));
  if (text[0]) wrap_print(f, text, 0, 2, COLUMNS);
}

/* Says what a range of the columns is, or, of tables of the smaller bound, which measures have the larger one. */
static void compare_print_bounds(const struct matrix *m, const struct compare_what *what,
                                 const struct measure *const *column, unsigned n, FILE *f) {
  char most[400] = "";
  size_t at = 0;
  for (unsigned i = 0; i < n && at < sizeof most; i++) {
    const struct measure *x = measure_most(column[i]);
    if (x && matrix_has_cost(m, x)) at += (size_t)snprintf(most + at, sizeof most - at, "%s%s", at ? "," : "", x->key);
  }
  if (at && what->by_system) fprintf(f, "\nA range: the logic at the smaller and at the larger bound\n");
  else if (at) fprintf(f, "\nThe larger bound of logic: --measures %s\n", most);
}

/* The paper's numbers for the same systems on its kernels, beside ours; its page explains the differences. */
static void beside_paper(FILE *f, const struct matrix *m) {
  const struct measure *ipc = measure_find("ipc");
  for (unsigned k = 0; k < m->nkernel; k++)
    if (!m->kernel[k].alias[0]) return;
  const struct experiment *x, *first = NULL;
  for (unsigned s = 1; m->nkernel > 1 && s < m->nsystem; s++) {
    const char *text = experiment_mean("ipc", m->system[s].label, m->system[0].label, &x);
    if (!text) continue;
    const struct paper_info *p = &papers[x->paper];
    const bool geometric = p->mean == PAPER_MEAN_geometric;
    struct mean mean = matrix_mean(m, ipc, s, 0);
    double v;
    if (!(geometric ? mean_geometric(&mean, &v) : mean_arithmetic(&mean, &v))) continue;
    if (!first) {
      first = x;
      fprintf(f, "\nIPC relative to %s, %s mean of %u kernels, and what the paper has (%.*s, %s):\n",
              m->system[0].label, geometric ? "geometric" : "arithmetic", mean.n, (int)strcspn(p->source, ","),
              p->source, x->where);
    }
    fprintf(f, "  %-20s  %.3f  %s\n", m->system[s].label, v, text);
  }
  if (first) fprintf(f, "Why ours are not the paper's: docs/results/%s.md\n", papers[first->paper].key);
}

/* Some system's occupancy is above 1. */
static bool compare_suspends(const struct matrix *m) {
  const struct measure *x = measure_find("occupancy");
  double v;
  for (unsigned c = 0; c < m->nkernel * m->nsystem; c++)
    if (matrix_value(m, x, c / m->nsystem, c % m->nsystem, &v) && v > 1) return true;
  return false;
}

/* Calls `take` with each measure that is shown; true if one of the calls is. */
static bool compare_any_shown(const struct matrix *m, const struct compare_what *what,
                              bool (*take)(const struct matrix *m, const struct measure *x)) {
  const struct measure *column[COMPARE_MOST];
  const unsigned n = compare_columns(what, column);
  bool any = false;
  for (unsigned i = 0; i < n && (what->by_system || what->n); i++) any |= take(m, column[i]);
  if (what->by_system) return any;
  for (unsigned i = 0; i < nmeasures && what->all; i++) any |= take(m, &measures[i]);
  for (unsigned i = 0; i < BRIEFS && !what->all && !what->n; i++) any |= take(m, measure_find(brief[i]));
  return any;
}

/* Some system's figure of the measure has a ~. */
static bool compare_has_earlier(const struct matrix *m, const struct measure *x) {
  bool any = false;
  for (unsigned s = 0; s < m->nsystem; s++) any |= matrix_earlier(m, x, s, -1);
  return any;
}

/* A column for each system. */
static void compare_add_measures(struct table *t, const struct matrix *m, const struct compare_what *what) {
  for (unsigned s = 0; s < m->nsystem; s++) table_head(t, s, m->system[s].label);
  for (unsigned i = 0; i < nmeasures && what->all; i++) compare_add_measure(t, m, &measures[i]);
  for (unsigned i = 0; i < what->n; i++) compare_add_measure(t, m, what->measure[i]);
  if (!what->all && !what->n) short_form(t, m);
  if (what->all) {
    compare_add_limiters(t, m);
    compare_add_qualities(t, m);
  }
}

void compare_print(const struct matrix *m, const struct compare_what *what, FILE *f) {
  const struct measure *column[COMPARE_MOST];
  const unsigned n = compare_columns(what, column);
  struct table *t = table_new(what->by_system ? n + (m->nkernel == 1) : m->nsystem);
  if (what->by_system) compare_add_systems(t, m, column, n);
  else compare_add_measures(t, m, what);
  const bool few = !what->all && !what->n && !what->by_system;
  char work[256];
  fprintf(f, "regtwin %s   %s of %s%s\n\n", RT_VERSION, RUN_SMS(&m->system[0].cfg), SHOWN(m->system[0].cfg.machine),
          SHOWN(work_text(m, work, sizeof work)));
  table_print(t, f);
  table_free(t);
  if (compare_any_shown(m, what, compare_has_earlier)) fprintf(f, "\n~: " EARLIER_NOTE "\n");
  const unsigned columns = what->by_system ? NOTE_COLUMNS_BRIEF : NOTE_COLUMNS;
  if (what->n || what->by_system) compare_print_bounds(m, what, column, n, f);
  for (unsigned i = 0; i < n && (what->n || what->by_system); i++) cost_bounds_print(m, column[i], columns, f);
  for (unsigned i = 0; i < nmeasures && what->all; i++) cost_bounds_print(m, &measures[i], columns, f);
  if (compare_any_shown(m, what, matrix_has_cost)) cost_notes_print(m, columns, f);
  if (matrix_partials(m)) fprintf(f, "\n* with results of a part of a run\n");
  if (few && compare_suspends(m))
    fprintf(f, "\nOccupancy counts suspended CTAs, too: more of it is no gain by itself; see ctas_active\n");
  compare_print_choices(f, m);
  if ((few || what->all) && !matrix_partials(m)) beside_paper(f, m);
  if (few) fprintf(f, "\nMore: --all, or --measures with some of 'regtwin list measures'\n");
  if (what->by_system) fputc('\n', f);
  if (what->by_system && m->nkernel == 1) compare_print_units(column, n, f);
  if (what->by_system) fprintf(f, "The columns, and more of them for --measures: regtwin list measures\n");
}

/* One line for each kernel, however many systems did other work than the first. */
static void compare_complain_of_work(const struct matrix *m, unsigned k) {
  const char *kernel = m->kernel[k].kernel, *last = "";
  unsigned n = 0;
  for (unsigned s = 0; s < m->nsystem; s++)
    if (matrix_differs(m, k, s, 0)) n++, last = m->system[s].label;
  if (n == 1) warn("%s did other work on %s than on %s: their stream hashes differ", kernel, last, m->system[0].label);
  else if (n)
    warn("%s did other work on %u of %u others than on %s: their stream hashes differ", kernel, n, m->nsystem - 1,
         m->system[0].label);
}

/* True if kernel k failed on every one of several systems, for one reason: its file cannot be read, or it has no such size. */
static bool compare_fails_everywhere(const struct matrix *m, unsigned k) {
  char first[1200], other[1200];
  for (unsigned s = 0; s < m->nsystem; s++) {
    if (matrix_cell(m, k, s)->ok) return false;
    err_format(&matrix_cell(m, k, s)->e, s ? other : first, sizeof first);
    if (s && strcmp(first, other) != 0) return false;
  }
  return m->nsystem > 1;
}

void compare_complain_of_runs(const struct matrix *m, unsigned k) {
  const char *kernel = m->kernel[k].kernel;
  char text[1200];
  if (compare_fails_everywhere(m, k)) {
    err_format(&matrix_cell(m, k, 0)->e, text, sizeof text);
    note("%s failed: %s", kernel, text);
    return;
  }
  for (unsigned s = 0; s < m->nsystem; s++) {
    const struct cell *c = matrix_cell(m, k, s);
    if (c->ok) {
      snprintf(text, sizeof text, "warning: %s on %s", kernel, m->system[s].label);
      run_complaints(&c->run, text);
    } else {
      err_format(&c->e, text, sizeof text);
      note("%s on %s failed: %s", kernel, m->system[s].label, text);
    }
  }
}

void compare_complaints(const struct matrix *m) {
  for (unsigned k = 0; k < m->nkernel; k++) {
    compare_complain_of_work(m, k);
    compare_complain_of_runs(m, k);
  }
}

/* ---- JSON ---- */

static json_t *mean_json(const struct matrix *m, const struct measure *x, unsigned s, int base) {
  struct mean mean = matrix_mean(m, x, s, base);
  double v;
  json_t *o = json_object();
  json_put(o, "kernels", json_whole(mean.n));
  json_put(o, "partial", json_boolean(matrix_partials(m)));
  json_put(o, "arithmetic", mean_arithmetic(&mean, &v) ? json_real(v) : json_null());
  json_put(o, "geometric", mean_geometric(&mean, &v) ? json_real(v) : json_null());
  return o;
}

static json_t *values_json(const struct matrix *m, unsigned s, unsigned k) {
  json_t *o = json_object();
  double v;
  for (unsigned i = 0; i < nmeasures; i++) {
    json_t *one = json_object();
    json_put(one, "value", matrix_value(m, &measures[i], k, s, &v) ? json_real(v) : json_null());
    json_put(one, "relative", matrix_ratio(m, &measures[i], k, s, 0, &v) ? json_real(v) : json_null());
    if (matrix_earlier(m, &measures[i], s, -1)) json_put(one, "earlier_verilog", json_boolean(true));
    json_put(o, measures[i].key, one);
  }
  return o;
}

static json_t *cell_json(const struct matrix *m, unsigned k, unsigned s) {
  const struct cell *c = matrix_cell(m, k, s);
  json_t *o = json_object();
  char text[1200];
  if (!c->ok) err_format(&c->e, text, sizeof text);
  json_put(o, "kernel", json_text(m->kernel[k].kernel));
  json_put(o, "alias", m->kernel[k].alias[0] ? json_text(m->kernel[k].alias) : json_null());
  json_put(o, "error", c->ok ? json_null() : json_text(text));
  json_put(o, "other_work", json_boolean(matrix_differs(m, k, s, 0)));
  json_put(o, "chosen", c->what[0] ? json_text(c->what) : json_null());
  json_put(o, "points", json_whole(c->points));
  json_put(o, "measures", values_json(m, s, k));
  json_put(o, "result", c->ok ? result_json(&c->run) : json_null());
  return o;
}

json_t *compare_json(const struct matrix *m) {
  json_t *all = json_object(), *systems = json_array();
  for (unsigned s = 0; s < m->nsystem; s++) {
    json_t *o = json_object(), *runs = json_array(), *means = json_object(), *relative = json_object();
    for (unsigned k = 0; k < m->nkernel; k++) json_array_append_new(runs, cell_json(m, k, s));
    for (unsigned i = 0; i < nmeasures; i++) {
      json_put(means, measures[i].key, mean_json(m, &measures[i], s, -1));
      json_put(relative, measures[i].key, mean_json(m, &measures[i], s, 0));
    }
    json_put(o, "system", json_text(m->system[s].label));
    json_put(o, "kernels", runs);
    json_put(o, "means", means);
    json_put(o, "means_relative", relative);
    json_array_append_new(systems, o);
  }
  json_put(all, "regtwin", json_text(RT_VERSION));
  json_put(all, "config", json_text(m->system[0].cfg.machine));
  json_put(all, "size", json_text(m->size));
  if (m->same_work) json_put(all, "same_work", json_boolean(true));
  json_put(all, "notes", cost_notes_json(m));
  json_put(all, "systems", systems);
  return all;
}

/* ---- the picture ---- */

static void compare_fill_sheet(const struct matrix *m, const struct measure *x, struct sheet *sheet) {
  char title[512];
  double v, *row;
  snprintf(title, sizeof title, "%s, relative to %s", x->label, m->system[0].label);
  sheet_init(sheet, m->nsystem, 3, title);
  for (unsigned s = 0; s < m->nsystem; s++)
    snprintf(sheet->column[s], sizeof sheet->column[s], "%s", m->system[s].label);
  for (unsigned k = 0; k < m->nkernel; k++) {
    row = sheet_row(sheet, m->kernel[k].kernel, m->kernel[k].alias);
    for (unsigned s = 0; s < m->nsystem; s++)
      if (matrix_ratio(m, x, k, s, 0, &v)) row[s] = v;
  }
  for (unsigned geometric = 0; m->nkernel > 1 && geometric < 2; geometric++) {
    row = sheet_row(sheet, geometric ? "geometric mean" : "arithmetic mean", "");
    for (unsigned s = 0; s < m->nsystem; s++) {
      struct mean mean = matrix_mean(m, x, s, 0);
      if (geometric ? mean_geometric(&mean, &v) : mean_arithmetic(&mean, &v)) row[s] = v;
    }
  }
}

bool compare_plot(const struct matrix *m, const char *path, struct err *e) {
  struct sheet sheet;
  struct figure f = {.sheet = &sheet};
  char work[256];
  compare_fill_sheet(m, measure_find("ipc"), &sheet);
  snprintf(f.title, sizeof f.title, "%s", sheet.title);
  snprintf(f.about, sizeof f.about, "%s of %.60s%.150s%s", RUN_SMS(&m->system[0].cfg), m->system[0].cfg.machine,
           work_text(m, work, sizeof work), matrix_partials(m) ? ", parts of runs" : "");
  unsigned *column = xcalloc(m->nsystem, sizeof *column);
  for (unsigned s = 1; s < m->nsystem; s++) column[s - 1] = s;
  struct figure_axis *a =
      figure_add_axis(&f, FIGURE_RATIO, 0, measure_find("ipc")->label, m->nsystem > 1 ? column : NULL, m->nsystem - 1);
  if (m->nsystem > 1) {
    snprintf(a->base, sizeof a->base, "%s", m->system[0].label);
    a->bases = 1;
  }
  const bool ok = figure_draw(&f, path, e);
  free(column);
  figure_free(&f);
  sheet_free(&sheet);
  return ok;
}
