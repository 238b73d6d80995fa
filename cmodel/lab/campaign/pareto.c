/* SPDX-License-Identifier: Apache-2.0 */
/* pareto: see pareto.h. */
#include "lab/campaign/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cost/cost.h"
#include "lab/report/colour.h"
#include "lab/report/json.h"
#include "lab/report/plot.h"
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
  for (unsigned s = 0; s < m->nsystem; s++) {
    struct system_cost cost;
    struct err e = {0};
    if (!isnan(p[s].x) && !isnan(p[s].y)) continue;
    const char *key = isnan(p[s].x) ? x->key : y->key;
    if (!system_cost(&m->system[s].cfg, COST_NODE, &cost, &e))
      fprintf(f, "%s: no figure: %s\n", SHOWN(m->system[s].label), e.text);
    else if (pareto_lacks_number(m, isnan(p[s].x) ? x : y, s))
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

int pareto_by_x(const void *a, const void *b) {
  const double x = ((const struct pareto_point *)a)->x, y = ((const struct pareto_point *)b)->x;
  return (x > y) - (x < y);
}

void pareto_labels(struct plot *p, const struct pareto_point *point, const char *const *name, unsigned n, double dx,
                   double dy, const char *how) {
  for (unsigned s = 0; s < n; s++) {
    char all[512] = "";
    bool told = false;
    if (isnan(point[s].x) || isnan(point[s].y)) continue;
    for (unsigned o = 0; o < n; o++) {
      if (!(fabs(point[o].x - point[s].x) < dx && fabs(point[o].y - point[s].y) < dy)) continue;
      told |= o < s;
      snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", all[0] ? ", " : "", name[o]);
    }
    if (!told)
      fprintf(plot_script(p), "set label %u %s at %.6g, %.6g %s\n", s + 1, plot_text(p, "%s", all), point[s].x,
              point[s].y, how);
  }
}

static void pareto_label_axis(struct plot *p, const char *axis, const struct matrix *m, const struct measure *x) {
  fprintf(plot_script(p), "set %slabel %s\n", axis,
          plot_text(p, "%s, relative to %s (%s)", x->label, m->system[0].label, pareto_better_text(x)));
}

bool pareto_plot(const struct matrix *m, const struct measure *x, const struct measure *y, const char *path,
                 struct err *e) {
  enum { WIDE = 820, HIGH = 560 };
  struct pareto_point *point = xcalloc(m->nsystem, sizeof *point), *front = xcalloc(m->nsystem, sizeof *front);
  const char **name = xcalloc(m->nsystem, sizeof *name), **rgb = xcalloc(m->nsystem, sizeof *rgb);
  unsigned nfront = 0;
  double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
  FILE *f;
  pareto_points(m, x, y, point);
  for (unsigned s = 0; s < m->nsystem; s++) {
    name[s] = m->system[s].label;
    if (point[s].front) front[nfront++] = point[s];
    if (isnan(point[s].x) || isnan(point[s].y)) continue;
    left = fmin(left, point[s].x), right = fmax(right, point[s].x);
    low = fmin(low, point[s].y), high = fmax(high, point[s].y);
  }
  qsort(front, nfront, sizeof *front, pareto_by_x);
  colours_assign(name, m->nsystem, rgb);
  struct plot *p = nfront ? plot_open(path, WIDE, HIGH, &f, e) : NULL;
  if (!nfront) err_at(e, NULL, 0, 0, "--plot: found no system with both measures, expected one at least");
  if (p) {
    const double dx = fmax((right - left) * 0.2, 0.02), dy = fmax((high - low) * 0.15, 0.02);
    pareto_label_axis(p, "x", m, x);
    pareto_label_axis(p, "y", m, y);
    fprintf(f,
            "set title %s\nset grid lc rgb '#dddddd'\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\nset key bottom "
            "right\n$front << EOD\n",
            plot_text(p, "%s of %s, size %s, geometric means of %u kernel%s", RUN_SMS(&m->system[0].cfg),
                      m->system[0].cfg.machine, m->size, m->nkernel, m->nkernel == 1 ? "" : "s"),
            left - dx, right + 2 * dx, low - dy, high + dy);
    for (unsigned i = 0; i < nfront; i++) fprintf(f, "%.6g %.6g\n", front[i].x, front[i].y);
    fprintf(f, "EOD\n");
    pareto_labels(p, point, name, m->nsystem, dx / 2, dy / 4, "offset 1, 0.6 front");
    for (unsigned s = 0; s < m->nsystem; s++) {
      if (isnan(point[s].x) || isnan(point[s].y)) continue;
      fprintf(f, "set label %u '' at %.6g, %.6g point pt 7 ps 1.6 lc rgb '%s' front\n", s + 1 + m->nsystem, point[s].x,
              point[s].y, rgb[s]);
    }
    fprintf(f,
            "plot $front using 1:2 with linespoints lw 2 dt 2 pt 6 ps 2.6 lc rgb '#777777' title 'no system is better "
            "in both'\n");
  }
  free(point), free(front), free(name), free(rgb);
  return p && plot_close(p, e);
}
