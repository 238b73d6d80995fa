/* SPDX-License-Identifier: Apache-2.0 */
/* pareto: see pareto.h. */
#include "lab/campaign/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cost/cost.h"
#include "lab/campaign/cost_notes.h"
#include "lab/report/colour.h"
#include "lab/report/json.h"
#include "lab/report/points.h"
#include "lab/report/table.h"

/* Over the kernels for which this system and the first one have the number: one without it does not take it from the others. */
static double pareto_mean(const struct matrix *m, const struct measure *x, unsigned s) {
  struct mean mean = {0};
  double v;
  for (unsigned k = 0; k < m->nkernel; k++) {
    if (!matrix_ratio(m, x, k, s, 0, &v)) return NAN;
    mean_add(&mean, v);
  }
  return mean_geometric(&mean, &v) ? v : NAN;
}

/* Some kernel's number of this system is zero or not known. */
static bool pareto_lacks_number(const struct matrix *m, const struct measure *x, unsigned s) {
  double v;
  for (unsigned k = 0; k < m->nkernel; k++)
    if (!matrix_value(m, x, k, s, &v) || v <= 0) return true;
  return false;
}

/* At least as good in both, and better in one. */
static bool pareto_point_beats(const struct pareto_point *a, const struct pareto_point *b, bool x_less, bool y_less) {
  const double x = x_less ? b->x - a->x : a->x - b->x, y = y_less ? b->y - a->y : a->y - b->y;
  return x >= 0 && y >= 0 && x + y > 0;
}

void pareto_front(struct pareto_point *p, unsigned n, bool x_less, bool y_less) {
  for (unsigned s = 0; s < n; s++) {
    p[s].front = !isnan(p[s].x) && !isnan(p[s].y);
    for (unsigned o = 0; o < n; o++) p[s].front &= !pareto_point_beats(&p[o], &p[s], x_less, y_less);
  }
}

/* p[m->nsystem] */
static void pareto_points(const struct matrix *m, const struct measure *x, const struct measure *y,
                          struct pareto_point *p) {
  for (unsigned s = 0; s < m->nsystem; s++)
    p[s] = (struct pareto_point){pareto_mean(m, x, s), pareto_mean(m, y, s), matrix_earlier(m, x, s, 0),
                                 matrix_earlier(m, y, s, 0), false};
  pareto_front(p, m->nsystem, x->better == BETTER_LESS, y->better == BETTER_LESS);
}

static const char *pareto_better_text(const struct measure *m) {
  return m->better == BETTER_LESS ? "less is better" : "more is better";
}

void pareto_print(const struct matrix *m, const struct measure *x, const struct measure *y, FILE *f) {
  struct pareto_point *p = xcalloc(m->nsystem, sizeof *p);
  struct table *t = table_new(3);
  char title[512], buf[CELL];
  bool marked = false;
  pareto_points(m, x, y, p);
  table_head(t, 0, x->key);
  table_head(t, 1, y->key);
  table_head(t, 2, "front");
  snprintf(title, sizeof title, "relative to %s, geometric means over the kernels; %s: %s, %s: %s", m->system[0].label,
           x->key, pareto_better_text(x), y->key, pareto_better_text(y));
  table_section(t, title);
  for (unsigned s = 0; s < m->nsystem; s++) {
    table_row(t, m->system[s].label, "");
    for (unsigned c = 0; c < 2; c++) {
      const double v = c ? p[s].y : p[s].x;
      const bool earlier = c ? p[s].y_earlier : p[s].x_earlier;
      snprintf(buf, sizeof buf, "%.3f%s", v, earlier ? "~" : "");
      if (isnan(v)) continue;
      table_cell(t, c, buf);
      marked |= earlier;
    }
    table_cell(t, 2, p[s].front ? "yes" : "no");
  }
  fputc('\n', f);
  table_print(t, f);
  table_free(t);
  if (marked) fprintf(f, "~: " EARLIER_NOTE "\n");
  cost_bounds_print(m, x, NOTE_COLUMNS, f);
  if (y != x) cost_bounds_print(m, y, NOTE_COLUMNS, f);
  if (matrix_has_cost(m, x) || matrix_has_cost(m, y)) cost_notes_print(m, NOTE_COLUMNS, f);
  for (unsigned s = 0; s < m->nsystem; s++) {
    if (!isnan(p[s].x) && !isnan(p[s].y)) continue;
    const char *key = isnan(p[s].x) ? x->key : y->key;
    if (pareto_lacks_number(m, isnan(p[s].x) ? x : y, s))
      fprintf(f, "%s: no figure: %s of some kernel is zero or not known\n", SHOWN(m->system[s].label), key);
    else
      fprintf(f, "%s: no figure: the first system, %s, has none of %s\n", SHOWN(m->system[s].label),
              SHOWN(m->system[0].label), key);
  }
  free(p);
}

json_t *pareto_json(const struct matrix *m, const struct measure *x, const struct measure *y) {
  struct pareto_point *p = xcalloc(m->nsystem, sizeof *p);
  json_t *o = json_object(), *points = json_array();
  pareto_points(m, x, y, p);
  for (unsigned s = 0; s < m->nsystem; s++) {
    json_t *at = json_object();
    json_put(at, "system", json_text(m->system[s].label));
    json_put(at, "x", isnan(p[s].x) ? json_null() : json_real(p[s].x));
    json_put(at, "y", isnan(p[s].y) ? json_null() : json_real(p[s].y));
    if (p[s].x_earlier) json_put(at, "x_earlier_verilog", json_boolean(true));
    if (p[s].y_earlier) json_put(at, "y_earlier_verilog", json_boolean(true));
    json_put(at, "front", json_boolean(p[s].front));
    json_array_append_new(points, at);
  }
  json_put(o, "x", json_text(x->key));
  json_put(o, "y", json_text(y->key));
  json_put(o, "points", points);
  free(p);
  return o;
}

bool pareto_plot(const struct matrix *m, const struct measure *x, const struct measure *y, const char *path,
                 struct err *e) {
  enum { WIDE = 820, HIGH = 430 };
  struct pareto_point *at = xcalloc(m->nsystem, sizeof *at);
  struct point *point = xcalloc(m->nsystem, sizeof *point);
  const char **name = xcalloc(m->nsystem, sizeof *name);
  char(*rgb)[COLOUR_TEXT] = xcalloc(m->nsystem, sizeof *rgb);
  bool any = false;
  FILE *f;
  pareto_points(m, x, y, at);
  for (unsigned s = 0; s < m->nsystem; s++) name[s] = m->system[s].label;
  colours_assign(name, m->nsystem, rgb);
  for (unsigned s = 0; s < m->nsystem; s++) {
    any |= !isnan(at[s].x) && !isnan(at[s].y);
    point[s] = (struct point){at[s].x, at[s].y, NAN, name[s], rgb[s], 7, at[s].front};
  }
  struct plot *p = any ? plot_open(path, WIDE, WIDE, &f, e) : NULL;
  if (!any) err_at(e, NULL, 0, 0, "--plot: found no system with both measures, expected one at least");
  if (p) {
    const struct frame_key key = {"no system is better in both", "#777777", FRAME_DASHES, 0};
    char title[256], about[320], axis[2][320];
    snprintf(title, sizeof title, "%.100s over %.100s", y->label, x->label);
    snprintf(about, sizeof about, "%s of %.60s, size %.60s, geometric means of %u kernel%s%s",
             RUN_SMS(&m->system[0].cfg), m->system[0].cfg.machine, m->size, m->nkernel, m->nkernel == 1 ? "" : "s",
             (matrix_has_cost(m, x) || matrix_has_cost(m, y)) && cost_units_differ(m)
                 ? "; collector units in the cost of some systems only"
                 : "");
    for (unsigned i = 0; i < 2; i++)
      snprintf(axis[i], sizeof axis[i], "%.120s, relative to %.60s (%s)", i ? y->label : x->label, m->system[0].label,
               pareto_better_text(i ? y : x));
    const struct points g = {.title = "",
                             .x_title = axis[0],
                             .y_title = axis[1],
                             .point = point,
                             .n = m->nsystem,
                             .x_more = x->better != BETTER_LESS,
                             .y_less = y->better == BETTER_LESS,
                             .missing = "without a number"};
    fprintf(f, "set multiplot\n");
    double end = frame_put_key(p, FRAME_EDGE, frame_put_head(p, title, about) + 2, WIDE - 2 * FRAME_EDGE, &key, 1);
    end = points_draw(p, &g, end, HIGH);
    fprintf(f, "unset multiplot\n");
    plot_resize(p, WIDE, (unsigned)ceil(end) + 4);
  }
  free(at), free(point), free(name), free(rgb);
  return p && plot_close(p, e);
}
