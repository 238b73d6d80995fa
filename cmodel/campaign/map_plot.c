/* SPDX-License-Identifier: Apache-2.0 */
/* map_plot: the picture of map.h. */
#include <math.h>
#include <stdlib.h>

#include "campaign/map.h"
#include "report/heat.h"
#include "report/plot.h"

enum { CELL_WIDE = 76, CELL_HIGH = 44, LEFT = 110, RIGHT = 130, ABOVE = 78, BELOW = 96, LEAST_WIDE = 640 };

static void axis(struct plot *p, const struct map_axis *a, const char *name) {
  FILE *f = plot_script(p);
  fprintf(f, "set %slabel %s\nset %stics (", name,
          plot_text(p, "%s.%s%s%s%s", a->key->section, a->key->name, a->key->unit[0] ? " (" : "", a->key->unit,
                    a->key->unit[0] ? ")" : ""),
          name);
  for (unsigned i = 0; i < a->n; i++) fprintf(f, "%s'%lld' %u", i ? ", " : "", (long long)a->value[i], i);
  fprintf(f, ") scale 0\nset %srange [-0.5:%u.5]\n", name, a->n - 1);
}

/* All points, and those that reach the paper's number. */
static void data(const struct map *map, double reach, FILE *f) {
  fprintf(f, "$m << EOD\n");
  for (unsigned j = 0; j < map->y.n; j++)
    for (unsigned i = 0; i < map->x.n; i++) heat_cell(f, i, j, map_gain(map, i, j));
  fprintf(f, "EOD\n$r << EOD\nNaN NaN\n");
  for (unsigned j = 0; j < map->y.n; j++)
    for (unsigned i = 0; i < map->x.n; i++)
      if (map_gain(map, i, j) >= reach) fprintf(f, "%u %u\n", i, j);
  fprintf(f, "EOD\n");
}

bool map_plot(const struct map *map, const char *path, struct err *e) {
  char where[256];
  const char *claim = map_claim(map, where, sizeof where);
  unsigned wide = LEFT + map->x.n * CELL_WIDE + RIGHT;
  if (wide < LEAST_WIDE) wide = LEAST_WIDE;
  const struct heat h = {wide, ABOVE + map->y.n * CELL_HIGH + BELOW, LEFT, RIGHT, ABOVE, BELOW};
  FILE *f;
  struct plot *p = plot_open(path, h.wide, h.high, &f, e);
  if (!p) return false;
  data(map, claim ? atof(claim) : INFINITY, f);
  axis(p, &map->x, "x");
  axis(p, &map->y, "y");
  heat_scale(&h, f);
  const double x = map_own(&map->x), y = map_own(&map->y);
  fprintf(f, "$own << EOD\n%g %g\nEOD\n", x, y);
  const unsigned n = matrix_mean(&map->m, measure_find("ipc"), 1, 0).n;
  fprintf(f,
          "set border 0\nset key at screen 0.5, screen %.4f bottom center horizontal samplen 2\n"
          "set label 1 %s at screen 0.5, screen %.4f center font 'sans,12'\n"
          "set label 2 %s at screen 0.5, screen %.4f center\nplot ",
          12.0 / h.high, plot_text(p, "IPC of %s relative to %s", map->system.label, map->against.label),
          1 - 20.0 / h.high,
          plot_text(p, "one SM of %s, size %s, geometric mean of %u kernel%s", map->system.cfg.machine, map->m.size, n,
                    n == 1 ? "" : "s"),
          1 - 42.0 / h.high);
  heat_draw(f, "$m", "sans,11");
  if (!isnan(x) && !isnan(y))
    fprintf(f,
            ", $own using 1:2:($1 - 0.38):($1 + 0.38):($2 - 0.34):($2 + 0.34) with boxxyerror fs empty lw 2.5 lc rgb "
            "'#000000' title 'the machine as it is'");
  if (claim)
    fprintf(f,
            ", $r using 1:2:($1 - 0.46):($1 + 0.46):($2 - 0.44):($2 + 0.44) with boxxyerror fs empty lw 3 lc rgb "
            "'#009e73' title %s",
            plot_text(p, "the paper's %s is reached", claim));
  fputc('\n', f);
  return plot_close(p, e);
}
