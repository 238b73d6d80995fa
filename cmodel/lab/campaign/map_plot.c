/* SPDX-License-Identifier: Apache-2.0 */
/* map_plot: the picture of map.h. */
#include <math.h>
#include <stdlib.h>

#include "lab/campaign/map.h"
#include "lab/report/frame.h"
#include "lab/report/heat.h"

enum { LEAST_WIDE = 560, GAP = 24 };

static bool map_view_reached(const struct map_view *v) {
  for (unsigned i = 0; i < v->nx * v->ny; i++)
    if (v->gain[i] >= v->reach) return true;
  return false;
}

/* What heat.h takes of a map; the largest value of y is on top. */
struct map_heat {
  struct heat h;
  char text[2][MAP_MOST][24], title[400], note[100];
  const char *name[2][MAP_MOST];
  double v[MAP_MOST * MAP_MOST];
  struct heat_frame frame[MAP_MOST * MAP_MOST + 1];
};

static void map_heat_fill(struct map_heat *m, const struct map_view *v) {
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 0; i < (k ? v->nx : v->ny); i++) {
      snprintf(m->text[k][i], sizeof m->text[k][i], "%lld", (long long)(k ? v->x[i] : v->y[v->ny - 1 - i]));
      m->name[k][i] = m->text[k][i];
    }
  snprintf(m->title, sizeof m->title, "%s", v->title);
  if (isnan(v->reach)) snprintf(m->note, sizeof m->note, "no paper has a mean of it");
  else
    snprintf(m->note, sizeof m->note, "the paper's %g is reached%s", v->reach,
             map_view_reached(v) ? " in the green frames" : " nowhere");
  m->h = (struct heat){.rows = v->ny,
                       .columns = v->nx,
                       .row = m->name[0],
                       .column = m->name[1],
                       .v = m->v,
                       .ratio = true,
                       .title = m->title,
                       .note = m->note,
                       .row_title = v->y_title,
                       .column_title = v->x_title,
                       .frame = m->frame};
  for (unsigned j = 0; j < v->ny; j++)
    for (unsigned i = 0; i < v->nx; i++) {
      const double gain = v->gain[(v->ny - 1 - j) * v->nx + i];
      m->v[j * v->nx + i] = gain;
      if (gain >= v->reach) m->frame[m->h.frames++] = (struct heat_frame){j, i, "#009e73", 1};
    }
  if (!isnan(v->own_x) && !isnan(v->own_y))
    m->frame[m->h.frames++] = (struct heat_frame){v->ny - 1 - v->own_y, v->own_x, "#000000", 4};
}

static double map_put_key(struct plot *p, const struct map_view *v, unsigned n, double y) {
  struct frame_key key[2];
  unsigned keys = 0;
  bool own = false, reached = false;
  for (unsigned k = 0; k < n; k++) {
    own |= !isnan(v[k].own_x) && !isnan(v[k].own_y);
    reached |= map_view_reached(&v[k]);
  }
  if (own) key[keys++] = (struct frame_key){"the machine as it is", "#000000", FRAME_FRAME, 0};
  if (reached) key[keys++] = (struct frame_key){"the paper's mean is reached", "#009e73", FRAME_FRAME, 0};
  return frame_put_key(p, FRAME_EDGE, y, plot_width(p) - 2 * FRAME_EDGE, key, keys);
}

bool map_views_plot(const struct map_view *v, unsigned n, const char *title, const char *about, const char *path,
                    struct err *e) {
  struct map_heat *m = xcalloc(n, sizeof *m);
  unsigned wide = 0, one = 0, across = 1;
  FILE *f;
  for (unsigned k = 0; k < n; k++) {
    map_heat_fill(&m[k], &v[k]);
    const unsigned w = heat_width(&m[k].h);
    one = w > one ? w : one;
  }
  while (across < n && (across + 1) * (one + GAP) <= PLOT_WIDE) across++;
  wide = across * (one + GAP);
  struct plot *p = plot_open(path, wide < LEAST_WIDE ? LEAST_WIDE : wide < PLOT_WIDE ? wide : PLOT_WIDE, 100, &f, e);
  if (p) {
    fprintf(f, "set multiplot\n");
    double y = map_put_key(p, v, n, frame_put_head(p, title, about)) + 4, low = y;
    for (unsigned k = 0; k < n; k++) {
      if (k && k % across == 0) y = low + 10;
      const double end = heat_draw(p, &m[k].h, FRAME_EDGE + k % across * (one + GAP), y,
                                   across > 1 ? one : plot_width(p) - 2 * FRAME_EDGE);
      low = end > low ? end : low;
    }
    fprintf(f, "unset multiplot\n");
    plot_resize(p, plot_width(p), (unsigned)ceil(low) + 4);
  }
  free(m);
  return p && plot_close(p, e);
}

static void map_axis_title(char *out, size_t n, const struct map_axis *a) {
  snprintf(out, n, "%s.%s%s%s%s", a->key->section, a->key->name, a->key->unit[0] ? " (" : "", a->key->unit,
           a->key->unit[0] ? ")" : "");
}

void map_view_of(const struct map *map, struct map_view *v) {
  char where[256];
  const char *claim = map_claim(map, where, sizeof where, NULL);
  *v = (struct map_view){.nx = map->x.n, .ny = map->y.n, .own_x = map_own(&map->x), .own_y = map_own(&map->y)};
  snprintf(v->title, sizeof v->title, "IPC of %.90s relative to %.90s", map->system.label, map->against.label);
  v->reach = claim ? atof(claim) : NAN;
  map_axis_title(v->x_title, sizeof v->x_title, &map->x);
  map_axis_title(v->y_title, sizeof v->y_title, &map->y);
  for (unsigned i = 0; i < v->nx; i++) v->x[i] = map->x.value[i];
  for (unsigned j = 0; j < v->ny; j++) v->y[j] = map->y.value[j];
  for (unsigned j = 0; j < v->ny; j++)
    for (unsigned i = 0; i < v->nx; i++) v->gain[j * v->nx + i] = map_gain(map, i, j);
}

bool map_plot(const struct map *map, const char *path, struct err *e) {
  struct map_view v;
  char about[320], title[256];
  const unsigned kernels = matrix_mean(&map->m, measure_find("ipc"), 1, 0).n;
  map_view_of(map, &v);
  snprintf(title, sizeof title, "%s", v.title);
  v.title[0] = 0; /* it is the picture's */
  snprintf(about, sizeof about, "%s of %.60s, size %.30s, geometric mean of %u kernel%s", RUN_SMS(&map->system.cfg),
           map->system.cfg.machine, map->m.size, kernels, kernels == 1 ? "" : "s");
  return map_views_plot(&v, 1, title, about, path, e);
}
