/* SPDX-License-Identifier: Apache-2.0 */
/* together_plot: the pictures of together.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/pareto.h"
#include "lab/campaign/together.h"
#include "cost/cost.h"
#include "lab/report/heat.h"
#include "lab/report/plot.h"

/* A hue for each paper, so that a picture of many systems shows five architectures. */
static const char *together_row_hue(const struct together_row *r) {
  static const char *const of[] = {"#0072b2", "#d55e00", "#009e73", "#8a5ab0", "#b8860b", "#cc79a7", "#56b4e9"};
  return r->paper == PAPERS ? "#000000" : of[r->paper % (sizeof of / sizeof *of)];
}

/* ---- what it costs against what it gives ---- */

struct panel {
  const char *title, *axis;
  double (*x)(const struct together *, unsigned);
};
static const struct panel panels[] = {
    {"area", "area of registers, L1, shared memory and blocks (45 nm, least)", together_area},
    {"energy", "energy of the SM and its share of memory", together_energy},
};
enum { PANELS = sizeof panels / sizeof *panels, WIDE = 1500, HIGH = 660, MOST_POINTS = TOGETHER_MOST };

/* Part of its hardware is in neither area nor energy: it is drawn hollow, and not on the front. */
static bool together_is_partial(const struct together *t, unsigned s) {
  struct system_cost cost;
  struct err e = {0};
  return system_cost(&t->m.system[s].cfg, COST_NODE, &cost, &e) && cost.partial;
}

static bool together_point_exists(const struct pareto_point *p) { return !isnan(p->x) && !isnan(p->y); }

static void draw_panel(const struct together *t, struct plot *p, unsigned i) {
  FILE *f = plot_script(p);
  struct pareto_point at[MOST_POINTS], front[MOST_POINTS];
  const char *name[MOST_POINTS];
  double right = 1, left = 1, low = 1, high = 1;
  unsigned n = 0;
  for (unsigned s = 0; s < t->m.nsystem; s++) {
    name[s] = t->m.system[s].label;
    at[s] = (struct pareto_point){.x = panels[i].x(t, s), .y = together_ipc(t, s)};
    if (!together_point_exists(&at[s])) continue;
    if (!together_is_partial(t, s)) front[n++] = at[s];
    left = fmin(left, at[s].x), right = fmax(right, at[s].x);
    low = fmin(low, at[s].y), high = fmax(high, at[s].y);
  }
  pareto_front(front, n, true, false);
  qsort(front, n, sizeof *front, pareto_by_x);
  const double wide = fmax(right - left, 0.02), tall = fmax(high - low, 0.02);
  fprintf(f,
          "unset label\nset title '%s'\nset xlabel '%s, relative (less is better)'\nset ylabel 'IPC, relative (more is "
          "better)'\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n$front << EOD\n",
          panels[i].title, panels[i].axis, left - 0.06 * wide, right + 0.25 * wide, low - 0.06 * tall,
          high + 0.08 * tall);
  for (unsigned k = 0; k < n; k++)
    if (front[k].front) fprintf(f, "%.6g %.6g\n", front[k].x, front[k].y);
  fprintf(f, "EOD\n");
  pareto_labels(p, at, name, t->m.nsystem, 0.04 * wide, 0.035 * tall, "offset 0.9, 0.5 font 'sans,9' front");
  for (unsigned s = 0; s < t->m.nsystem; s++)
    if (together_point_exists(&at[s]))
      fprintf(f, "set label %u '' at %.6g, %.6g point pt %d ps 1.5 lw 2 lc rgb '%s' front\n", s + 1 + MOST_POINTS,
              at[s].x, at[s].y, together_is_partial(t, s) ? 6 : 7, together_row_hue(t->row[s]));
  fprintf(f,
          "plot $front using 1:2 with linespoints lw 2 dt 2 pt 6 ps 2.6 lc rgb '#777777' title 'none is better in "
          "both'");
  bool told[PAPERS] = {0};
  for (unsigned s = 0; s < t->m.nsystem; s++) {
    const enum paper paper = t->row[s]->paper;
    if (paper == PAPERS || told[paper]) continue;
    told[paper] = true;
    fprintf(f, ", NaN with points pt 7 ps 1.5 lc rgb '%s' title %s", together_row_hue(t->row[s]),
            plot_text(p, "%.*s", (int)strcspn(papers[paper].source, ",("), papers[paper].source));
  }
  fputc('\n', f);
}

bool together_pareto(const struct together *t, const char *path, struct err *e) {
  FILE *f;
  struct plot *p = plot_open(path, WIDE, HIGH, &f, e);
  if (!p) return false;
  fprintf(f,
          "set multiplot layout 1,%d title %s\nset grid lc rgb '#dddddd'\nset bmargin 8\nset key at graph 0.5, graph "
          "-0.16 top center horizontal maxrows 3 font 'sans,9'\n",
          PANELS,
          plot_text(p, "%s of %s, size %s, geometric means of %u kernels; hollow: logic not counted",
                    RUN_SMS(&t->m.system[0].cfg), t->m.system[0].cfg.machine, t->m.size, t->m.nkernel));
  for (unsigned i = 0; i < PANELS; i++) draw_panel(t, p, i);
  fprintf(f, "unset multiplot\n");
  return plot_close(p, e);
}

/* ---- kernels by systems ---- */

enum { CELL_WIDE = 46, CELL_HIGH = 19, LEFT = 300, ABOVE = 130, RIGHT = 130, BELOW = 24 };

static void together_map_data(const struct together *t, const unsigned *order, FILE *f) {
  double x;
  fprintf(f, "$m << EOD\n");
  for (unsigned j = 0; j < t->m.nkernel; j++)
    for (unsigned s = 0; s < t->m.nsystem; s++)
      heat_cell(f, s, j, matrix_ratio(&t->m, measure_find("ipc"), order[j], s, 0, &x) ? x : NAN);
  fprintf(f, "EOD\n$mean << EOD\n");
  for (unsigned s = 0; s < t->m.nsystem; s++) heat_cell(f, s, t->m.nkernel + 0.3, together_ipc(t, s));
  fprintf(f, "EOD\n");
}

bool together_map(const struct together *t, const char *path, struct err *e) {
  const unsigned columns = t->m.nsystem, rows = t->m.nkernel + 1;
  const struct heat h = {
      LEFT + columns * CELL_WIDE + RIGHT, ABOVE + rows * CELL_HIGH + BELOW, LEFT, RIGHT, ABOVE, BELOW};
  unsigned *order = xcalloc(t->m.nkernel, sizeof *order);
  FILE *f;
  struct plot *p = plot_open(path, h.wide, h.high, &f, e);
  if (!p) {
    free(order);
    return false;
  }
  together_order(t, order);
  together_map_data(t, order, f);
  heat_scale(&h, f);
  fprintf(f, "set ytics (");
  for (unsigned j = 0; j < t->m.nkernel; j++) {
    const int c = bottleneck_class(&t->b, order[j]);
    char label[200];
    snprintf(label, sizeof label, "%.60s: %s", t->m.kernel[order[j]].kernel, c < 0 ? "failed" : bottleneck_label[c]);
    fprintf(f, "%s %u, ", plot_tic(p, label), j);
  }
  fprintf(f, "'geometric mean' %u.3) font 'sans,9'\nset x2tics (", t->m.nkernel);
  for (unsigned s = 0; s < columns; s++) fprintf(f, "%s%s %u", s ? ", " : "", plot_tic(p, t->m.system[s].label), s);
  fprintf(f,
          ") rotate by 45 left scale 0\nunset xtics\nset ytics scale 0\nunset key\nset xrange [-0.5:%u.5]\nset x2range "
          "[-0.5:%u.5]\nset yrange [%u.9:-0.5]\nset border 0\nset label 1 %s at screen 0.01, screen %.4f font "
          "'sans,12'\nplot ",
          columns - 1, columns - 1, rows - 1,
          plot_text(p, "IPC relative to %s, %s of %s, size %s", t->m.system[0].label, RUN_SMS(&t->m.system[0].cfg),
                    t->m.system[0].cfg.machine, t->m.size),
          1 - 16.0 / h.high);
  heat_draw(f, "$m", "sans,8");
  fprintf(f, ", ");
  heat_draw(f, "$mean", "sans-Bold,9");
  fputc('\n', f);
  free(order);
  return plot_close(p, e);
}
