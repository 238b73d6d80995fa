/* SPDX-License-Identifier: Apache-2.0 */
/* together_plot: the pictures of together.h. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "lab/campaign/pareto.h"
#include "lab/campaign/together.h"
#include "lab/report/colour.h"
#include "lab/report/heat.h"
#include "lab/report/points.h"

enum { WIDE = PLOT_WIDE, AREA_HIGH = 400 };

/* What a system is called in every picture: as on its paper's machine. */
static const char *together_system_of(const struct together_row *r) { return r->own ? r->own : r->system; }

static void together_about(const struct together *t, char *about, size_t n) {
  snprintf(about, n, "%s of %.60s, size %.30s, geometric means of %u kernel%s", RUN_SMS(&t->m.system[0].cfg),
           t->m.system[0].cfg.machine, t->m.size, t->m.nkernel, t->m.nkernel == 1 ? "" : "s");
}

/* ---- what it costs against what it gives ---- */

/* A mark for each paper, filled and hollow, so that a picture of many systems shows five architectures. */
static int together_mark(enum paper paper, bool hollow) {
  static const int filled[] = {5, 9, 11, 13, 15};
  const int type = paper == PAPERS ? 7 : filled[paper % (sizeof filled / sizeof *filled)];
  return hollow ? type - 1 : type;
}

/* Sets `front` of the points that no other one beats; what is not wholly in the cost takes no part. */
static void together_set_front(struct point *point, const struct together_view *v, unsigned n) {
  struct pareto_point at[TOGETHER_MOST];
  for (unsigned s = 0; s < n; s++) {
    const bool counts = !v[s].partial && !isnan(point[s].x) && !isnan(point[s].y);
    at[s] = (struct pareto_point){.x = counts ? point[s].x : NAN, .y = counts ? point[s].y : NAN};
  }
  pareto_front(at, n, true, false);
  for (unsigned s = 0; s < n; s++) point[s].front = at[s].front;
}

static double together_put_points(struct plot *p, const struct together_view *v, unsigned n, bool energy,
                                  char (*rgb)[COLOUR_TEXT], const char *first, double y) {
  struct point point[TOGETHER_MOST];
  char area[256];
  for (unsigned s = 0; s < n; s++)
    point[s] = (struct point){.x = energy ? v[s].energy : v[s].area,
                              .x_most = energy ? NAN : v[s].area_most,
                              .y = v[s].ipc,
                              .name = v[s].label,
                              .rgb = rgb[s],
                              .type = together_mark(v[s].row->paper, v[s].partial)};
  together_set_front(point, v, n);
  snprintf(area, sizeof area,
           "area at 45 nm: that of %.40s and what the system has more than its base, relative to that of %.40s; "
           "a bar goes from the least to the most",
           first, first);
  const struct points g = {
      .title = energy ? "IPC over the energy of the SM and its share of memory: up and to the left is better"
                      : "IPC over the area of registers, L1, shared memory and blocks: up and to the left is better",
      .x_title = energy ? "energy, relative to the system's base" : area,
      .y_title = "IPC, relative to the system's base",
      .point = point,
      .n = n,
      .missing = energy ? "not drawn, energy not known" : "not drawn, area not known"};
  return points_draw(p, &g, y, AREA_HIGH);
}

static double together_put_papers(struct plot *p, const struct together_view *v, unsigned n, double y) {
  struct frame_key key[PAPERS + 3];
  char name[PAPERS][96];
  unsigned keys = 0;
  bool told[PAPERS + 1] = {false}, hollow = false;
  for (unsigned s = 0; s < n; s++) {
    const enum paper paper = v[s].row->paper;
    if (isnan(v[s].ipc) || (isnan(v[s].area) && isnan(v[s].energy))) continue;
    hollow |= v[s].partial;
    if (told[paper]) continue;
    told[paper] = true;
    if (paper != PAPERS)
      snprintf(name[paper], sizeof name[paper], "%.*s", (int)strcspn(papers[paper].source, ",("), papers[paper].source);
    key[keys++] = (struct frame_key){paper == PAPERS ? "baseline, combinations" : name[paper], "#444444", FRAME_POINT,
                                     together_mark(paper, false)};
  }
  if (hollow) key[keys++] = (struct frame_key){"hollow: logic not counted", "#444444", FRAME_POINT, 6};
  key[keys++] = (struct frame_key){"no filled mark is better in both", "#777777", FRAME_DASHES, 0};
  return frame_put_key(p, FRAME_EDGE, y, WIDE - 2 * FRAME_EDGE, key, keys) + 6;
}

bool together_views_pareto(const struct together_view *v, unsigned n, const char *about, const char *path,
                           struct err *e) {
  FILE *f;
  const char *name[TOGETHER_MOST];
  char rgb[TOGETHER_MOST][COLOUR_TEXT];
  assert(n); /* the base at least */
  struct plot *p = plot_open(path, WIDE, WIDE, &f, e);
  if (!p) return false;
  for (unsigned s = 0; s < n; s++) name[s] = together_system_of(v[s].row);
  colours_assign(name, n, rgb);
  fprintf(f, "set multiplot\n");
  double y = frame_put_head(p, "What each system gives, and what it costs", about);
  y = together_put_papers(p, v, n, y + 2);
  y = together_put_points(p, v, n, false, rgb, v[0].label, y);
  y = together_put_points(p, v, n, true, rgb, v[0].label, y + 6);
  fprintf(f, "unset multiplot\n");
  plot_resize(p, WIDE, (unsigned)ceil(y) + 4);
  return plot_close(p, e);
}

bool together_pareto(const struct together *t, const char *path, struct err *e) {
  struct together_view v[TOGETHER_MOST];
  char about[256];
  for (unsigned s = 0; s < t->m.nsystem; s++) {
    struct system_cost cost;
    struct err none = {0};
    v[s] = (struct together_view){.label = t->m.system[s].label,
                                  .row = t->row[s],
                                  .ipc = together_ipc_of_base(t, s),
                                  .energy = together_energy(t, s),
                                  .area = together_area(t, s, false),
                                  .area_most = together_area(t, s, true)};
    v[s].partial = system_cost(&t->m.system[s].cfg, COST_NODE, &cost, &none) && cost.partial;
  }
  together_about(t, about, sizeof about);
  return together_views_pareto(v, t->m.nsystem, about, path, e);
}

/* ---- kernels by systems ---- */

bool together_sheet_map(const struct sheet *s, const double *mean, const struct together_row *const *row,
                        const char *about, const char *path, struct err *e) {
  const unsigned rows = s->rows + 1, columns = s->columns - 1; /* the first system is 1 everywhere */
  const char **system = xcalloc(s->columns, sizeof *system), **name = xcalloc(rows, sizeof *name),
             **head = xcalloc(s->columns, sizeof *head);
  char(*text)[200] = xcalloc(rows, sizeof *text), title[160];
  unsigned *order = xcalloc(s->columns, sizeof *order);
  double *v = xcalloc((size_t)rows * s->columns, sizeof *v);
  FILE *f;
  for (unsigned c = 0; c < columns; c++) system[c] = together_system_of(row[c + 1]);
  colours_order(system, columns, order);
  for (unsigned c = 0; c < columns; c++) head[c] = s->column[order[c] + 1];
  for (unsigned r = 0; r < rows; r++) {
    if (r < s->rows) snprintf(text[r], sizeof *text, "%.60s: %.60s", s->row[r].name, s->row[r].alias);
    name[r] = r < s->rows ? text[r] : "geometric mean";
    for (unsigned c = 0; c < columns; c++)
      v[r * columns + c] = r < s->rows ? s->row[r].v[order[c] + 1] : mean[order[c] + 1];
  }
  snprintf(title, sizeof title, "IPC, relative to %.60s", s->column[0]);
  const struct heat h = {
      .rows = rows, .columns = columns, .row = name, .column = head, .v = v, .ratio = true, .title = title};
  struct plot *p = columns ? plot_open(path, WIDE, WIDE, &f, e) : NULL;
  if (!columns) err_at(e, path, 0, 0, "no picture: found one system, expected two at least");
  if (p) {
    fprintf(f, "set multiplot\n");
    double y = frame_put_head(p, "Each kernel on each system; beside a kernel's name its class", about);
    y = heat_draw(p, &h, FRAME_EDGE, y + 4, WIDE - 2 * FRAME_EDGE);
    fprintf(f, "unset multiplot\n");
    plot_resize(p, WIDE, (unsigned)ceil(y) + 4);
  }
  free(system), free(name), free(head), free(text), free(order), free(v);
  return p && plot_close(p, e);
}

bool together_map(const struct together *t, const char *path, struct err *e) {
  struct sheet s;
  double mean[TOGETHER_MOST];
  char about[256];
  together_kernel_sheet(t, &s);
  for (unsigned i = 0; i < t->m.nsystem; i++) mean[i] = together_ipc(t, i);
  together_about(t, about, sizeof about);
  const bool ok = together_sheet_map(&s, mean, t->row, about, path, e);
  sheet_free(&s);
  return ok;
}
