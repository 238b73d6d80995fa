/* SPDX-License-Identifier: Apache-2.0 */
/* lying: see lying.h. */
#include "lab/report/lying.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

enum { NAME_MOST = 330, NUMBERS_LOW = 20, AXIS_LOW = 18 };

/* The text beside a bar; beyond the line where it would lie on it. */
static void lying_put_text(struct plot *p, const struct lying *l, const struct lying_bar *b,
                           const struct frame_area *a) {
  const double wide = a->x1 - a->x0, line = isnan(l->line) ? -1 : a->x0 + frame_place(&l->scale, l->line) * wide;
  double x = a->x0 + frame_place(&l->scale, fmax(b->from, b->to)) * wide + 5;
  if (line > x - 4 && line < x + plot_text_width(b->text, PLOT_SMALL, false) + 2) x = line + 5;
  plot_put(p, x, a->y0 + (b->row + 0.5) * l->row_high + b->lane, PLOT_LEFT,
           (struct plot_font){PLOT_SMALL, false, 0, NULL}, "%s", b->text);
}

double lying_names_width(const char *const *name, unsigned rows) {
  double wide = 0;
  char text[512];
  for (unsigned r = 0; r < rows; r++)
    wide = fmax(wide,
                plot_text_width(plot_shorten(text, sizeof text, name[r], NAME_MOST, PLOT_NORMAL), PLOT_NORMAL, false));
  return wide;
}

double lying_draw(struct plot *p, const struct lying *l, double x, double y, double wide) {
  const struct plot_font font = {PLOT_NORMAL, false, 0, NULL};
  FILE *f = plot_script(p);
  const double names = fmax(l->names, lying_names_width(l->name, l->rows));
  double texts = 0;
  char text[512];
  for (unsigned i = 0; i < l->bars; i++) texts = fmax(texts, plot_text_width(l->bar[i].text, PLOT_SMALL, false));
  const struct frame_area a = {x + names + 8, y, x + wide - texts - 10, y + l->rows * l->row_high};
  frame_put_axes(p, &a, &l->scale, 0, 0, NULL);
  fprintf(f, "set yrange [%.2f:%.2f]\nunset logscale y\nunset ytics\n", a.y1, a.y0);
  if (!isnan(l->line))
    fprintf(f, "set arrow from %.6g, graph 0 to %.6g, graph 1 nohead lw 1.2 lc rgb '#000000' front\n", l->line,
            l->line);
  for (unsigned r = 0; r < l->rows; r++)
    plot_put(p, a.x0 - 6, y + (r + 0.5) * l->row_high, PLOT_RIGHT, font, "%s",
             plot_shorten(text, sizeof text, l->name[r], NAME_MOST, PLOT_NORMAL));
  if (l->axis) plot_put(p, (a.x0 + a.x1) / 2, a.y1 + NUMBERS_LOW + 10, PLOT_MIDDLE, font, "%s", l->axis);
  for (unsigned i = 0; i < l->bars; i++) lying_put_text(p, l, &l->bar[i], &a);
  fprintf(f, "$bars << EOD\n");
  for (unsigned i = 0; i < l->bars; i++) {
    const struct lying_bar *b = &l->bar[i];
    const double middle = y + (b->row + 0.5) * l->row_high + b->lane;
    fprintf(f, "%.6g %.2f %.6g %.6g %.2f %.2f %ld\n", (b->from + b->to) / 2, middle, fmin(b->from, b->to),
            fmax(b->from, b->to), middle - l->bar_high / 2, middle + l->bar_high / 2, strtol(b->rgb + 1, NULL, 16));
  }
  fprintf(f,
          "NaN NaN NaN NaN NaN NaN 0\nEOD\nplot $bars using 1:2:3:4:5:6:7 with boxxyerror fs solid "
          "noborder lc rgb variable\n");
  plot_clear(p);
  return a.y1 + NUMBERS_LOW + (l->axis ? AXIS_LOW : 0) + 6;
}
