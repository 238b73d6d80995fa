/* SPDX-License-Identifier: Apache-2.0 */
/* heat: see heat.h. */
#include "lab/report/heat.h"

#include <math.h>

#define LEAST (-1.0) /* log2 of the ratio: a half */
#define MOST 1.585   /* three */
enum { SCALE_WIDE = 18, SCALE_FROM = 20 };

void heat_scale(const struct heat *h, FILE *f) {
  const double wide = h->wide, high = h->high, below = h->below / high;
  fprintf(f,
          "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen %.4f\nset bmargin at screen "
          "%.4f\nset palette defined (-1 '#b34700', -0.5 '#f0a868', 0 '#ffffff', 0.6 '#7fb8e0', 1.585 '#00426b')\n"
          "set cbrange [%g:%g]\nset colorbox user origin screen %.4f, screen %.4f size screen %.4f, screen %.4f\n"
          "set cbtics ('0.5' -1, '0.7' -0.515, '1' 0, '1.4' 0.485, '2' 1, '3 or more' 1.585)\n",
          h->left / wide, 1 - h->right / wide, 1 - h->above / high, below, LEAST, MOST,
          1 - (h->right - SCALE_FROM) / wide, below, SCALE_WIDE / wide, 1 - h->above / high - below);
}

void heat_cell(FILE *f, double x, double y, double ratio) {
  if (isnan(ratio)) return;
  const double shade = ratio > 0 ? fmin(fmax(log2(ratio), LEAST), MOST) : LEAST;
  fprintf(f, "%.4g %.4g %.4f %.2f %d\n", x, y, shade, ratio, fabs(shade) > 0.75 ? 0xffffff : 0); /* white on dark */
}

void heat_draw(FILE *f, const char *data, const char *font) {
  fprintf(
      f,
      "%s using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):3 with boxxyerror fs solid border lc rgb "
      "'#ffffff' fc palette notitle, %s using 1:2:(stringcolumn(4)):5 with labels font '%s' tc rgb variable notitle",
      data, data, font);
}
