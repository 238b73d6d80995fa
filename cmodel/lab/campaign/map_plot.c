/* SPDX-License-Identifier: Apache-2.0 */
/* map_plot: the picture of map.h. */
#include <math.h>
#include <stdlib.h>

#include "lab/campaign/map.h"
#include "lab/report/heat.h"
#include "lab/report/plot.h"

enum { CELL_WIDE = 76, CELL_HIGH = 44, LEFT = 110, RIGHT = 130, ABOVE = 78, BELOW = 96, LEAST_WIDE = 640 };

static void map_plot_axis(struct plot *p, const struct map_axis *a, const char *name) {
  FILE *f = plot_script(p);
  fprintf(f, "set %slabel %s\nset %stics (", name,
          plot_text(p, "%s.%s%s%s%s", a->key->section, a->key->name, a->key->unit[0] ? " (" : "", a->key->unit,
                    a->key->unit[0] ? ")" : ""),
          name);
  for (unsigned i = 0; i < a->n; i++) fprintf(f, "%s'%lld' %u", i ? ", " : "", (long long)a->value[i], i);
  fprintf(f, ") scale 0\nset %srange [-0.5:%u.5]\n", name, a->n - 1);
}

/* All points, those that reach the paper's number, and the machine's own; k: which map. */
static void map_plot_data(const struct map *map, unsigned k, FILE *f) {
  char where[256];
  const char *claim = map_claim(map, where, sizeof where);
  const double reach = claim ? atof(claim) : INFINITY;
  fprintf(f, "$m%u << EOD\n", k);
  for (unsigned j = 0; j < map->y.n; j++)
    for (unsigned i = 0; i < map->x.n; i++) heat_cell(f, i, j, map_gain(map, i, j));
  fprintf(f, "EOD\n$r%u << EOD\nNaN NaN\n", k);
  for (unsigned j = 0; j < map->y.n; j++)
    for (unsigned i = 0; i < map->x.n; i++)
      if (map_gain(map, i, j) >= reach) fprintf(f, "%u %u\n", i, j);
  fprintf(f, "EOD\n$own%u << EOD\n%g %g\nEOD\n", k, map_own(&map->x), map_own(&map->y));
}

/* h: where it stands in the picture. */
static void map_plot_panel(struct plot *p, const struct map *map, unsigned k, const struct heat *h, FILE *f) {
  char where[256], name[16];
  const char *claim = map_claim(map, where, sizeof where);
  const unsigned n = matrix_mean(&map->m, measure_find("ipc"), 1, 0).n;
  const double top = 1 - (double)(h->above - ABOVE) / h->high, bottom = (double)(h->below - BELOW) / h->high;
  map_plot_axis(p, &map->x, "x");
  map_plot_axis(p, &map->y, "y");
  heat_scale(h, f);
  fprintf(f,
          "set border 0\nset key at screen 0.5, screen %.4f bottom center horizontal samplen 2\n"
          "set label 1 %s at screen 0.5, screen %.4f center font 'sans,12'\n"
          "set label 2 %s at screen 0.5, screen %.4f center\nplot ",
          bottom + 12.0 / h->high, plot_text(p, "IPC of %s relative to %s", map->system.label, map->against.label),
          top - 20.0 / h->high,
          plot_text(p, "%s of %s, size %s, geometric mean of %u kernel%s", RUN_SMS(&map->system.cfg),
                    map->system.cfg.machine, map->m.size, n, n == 1 ? "" : "s"),
          top - 42.0 / h->high);
  snprintf(name, sizeof name, "$m%u", k);
  heat_draw(f, name, "sans,11");
  if (!isnan(map_own(&map->x)) && !isnan(map_own(&map->y)))
    fprintf(f,
            ", $own%u using 1:2:($1 - 0.38):($1 + 0.38):($2 - 0.34):($2 + 0.34) with boxxyerror fs empty lw 2.5 lc rgb "
            "'#000000' title 'the machine as it is'",
            k);
  if (claim)
    fprintf(f,
            ", $r%u using 1:2:($1 - 0.46):($1 + 0.46):($2 - 0.44):($2 + 0.44) with boxxyerror fs empty lw 3 lc rgb "
            "'#009e73' title %s",
            k, plot_text(p, "the paper's %g is reached", atof(claim)));
  fputc('\n', f);
}

bool maps_plot(const struct map *map, unsigned n, const char *path, struct err *e) {
  unsigned wide = LEAST_WIDE, high = 0, above = 0;
  FILE *f;
  for (unsigned k = 0; k < n; k++) {
    const unsigned w = LEFT + map[k].x.n * CELL_WIDE + RIGHT;
    if (w > wide) wide = w;
    high += ABOVE + map[k].y.n * CELL_HIGH + BELOW;
  }
  struct plot *p = plot_open(path, wide, high, &f, e);
  if (!p) return false;
  for (unsigned k = 0; k < n; k++) map_plot_data(&map[k], k, f);
  if (n > 1) fprintf(f, "set multiplot\n");
  for (unsigned k = 0; k < n; k++) {
    const unsigned cells = map[k].y.n * CELL_HIGH;
    const struct heat h = {wide, high, LEFT, RIGHT, above + ABOVE, high - above - ABOVE - cells};
    map_plot_panel(p, &map[k], k, &h, f);
    above += ABOVE + cells + BELOW;
  }
  if (n > 1) fprintf(f, "unset multiplot\n");
  return plot_close(p, e);
}
