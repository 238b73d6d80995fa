/* SPDX-License-Identifier: Apache-2.0 */
/* chart_xy: points and lines; see chart.h. */
#include <math.h>
#include <string.h>

#include "lab/report/chart.h"
#include "lab/report/html.h"

/* Pixels, as in chart.c. */
enum {
  LETTER = 8,
  NAME_MOST = 34,
  LEFT = 76,
  PLOT_WIDE = 560,
  PLOT_HIGH = 320,
  ABOVE = 14,
  BELOW = 52,
  LINE = 20,
  SHAPES = 5
};

static double place_x(const struct chart_xy *c, double x) {
  return LEFT + (x - c->x.least) / (c->x.most - c->x.least) * PLOT_WIDE;
}
static double place_y(const struct chart_xy *c, double y) {
  return ABOVE + PLOT_HIGH - (y - c->y.least) / (c->y.most - c->y.least) * PLOT_HIGH;
}

/* ---- axes ---- */

static void tick_x(FILE *f, double x, const char *text) {
  fprintf(f, "<path class=\"g\" d=\"M%.1f %uv%u\"/><text x=\"%.1f\" y=\"%u\" class=\"m\">", x, (unsigned)ABOVE,
          (unsigned)PLOT_HIGH, x, (unsigned)(ABOVE + PLOT_HIGH + 16));
  html_short(f, text, 14);
  fputs("</text>", f);
}

static void tick_y(FILE *f, double y, const char *text) {
  fprintf(f, "<path class=\"g\" d=\"M%u %.1fh%u\"/><text x=\"%u\" y=\"%.1f\" class=\"e\">", (unsigned)LEFT, y,
          (unsigned)PLOT_WIDE, (unsigned)LEFT - 7, y + 4);
  html_short(f, text, 10);
  fputs("</text>", f);
}

static double chart_text_width(const char *text) {
  const size_t n = html_length(text);
  return (double)(n > 14 ? 14 : n) * LETTER + 8;
}

/* A text that would lie over the one before it is left out. */
static void own_ticks(FILE *f, const struct chart_xy *c) {
  double free_from = 0;
  for (unsigned i = 0; i < c->x.ticks; i++) {
    const double x = place_x(c, c->x.tick[i].at), half = chart_text_width(c->x.tick[i].text) / 2;
    tick_x(f, x, x - half < free_from ? "" : c->x.tick[i].text);
    if (x - half >= free_from) free_from = x + half;
  }
}

static void round_ticks(FILE *f, const struct chart_xy *c, bool y) {
  const struct chart_axis *a = y ? &c->y : &c->x;
  double at[CHART_TICKS];
  unsigned decimals, n = chart_place_ticks(a->least, a->most, 7, at, &decimals);
  for (unsigned i = 0; i < n; i++) {
    char text[64];
    snprintf(text, sizeof text, "%.*f", (int)decimals, at[i]);
    if (y) tick_y(f, place_y(c, at[i]), text);
    else tick_x(f, place_x(c, at[i]), text);
  }
}

static void chart_draw_axes(FILE *f, const struct chart_xy *c) {
  if (c->x.tick) own_ticks(f, c);
  else round_ticks(f, c, false);
  round_ticks(f, c, true);
  fprintf(f, "<path class=\"a\" d=\"M%u %uv%uh%u\"/><text x=\"%u\" y=\"%u\" class=\"m\">", (unsigned)LEFT,
          (unsigned)ABOVE, (unsigned)PLOT_HIGH, (unsigned)PLOT_WIDE, (unsigned)(LEFT + PLOT_WIDE / 2),
          (unsigned)(ABOVE + PLOT_HIGH + 40));
  html_short(f, c->x.label, PLOT_WIDE / LETTER);
  fprintf(f, "</text><text class=\"m\" transform=\"translate(16 %u) rotate(-90)\">", (unsigned)(ABOVE + PLOT_HIGH / 2));
  html_short(f, c->y.label, PLOT_HIGH / LETTER + 4);
  fputs("</text>\n", f);
  if (!isnan(c->line))
    fprintf(f, "<path class=\"l\" d=\"M%u %.1fh%u\"/>\n", (unsigned)LEFT, place_y(c, c->line), (unsigned)PLOT_WIDE);
}

/* ---- series ---- */

/* The marks of a series: circle, square, triangle, diamond, triangle upside down. */
static void chart_draw_mark(FILE *f, unsigned shape, double x, double y, const char *rgb, bool hollow,
                            const char *name) {
  fprintf(f, "<path class=\"p\" fill=\"%s\"%s d=\"", hollow ? "#ffffff" : rgb,
          hollow ? " stroke-dasharray=\"2 1\"" : "");
  switch (shape % SHAPES) {
    case 0: fprintf(f, "M%.1f %.1fm-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0z", x, y); break;
    case 1: fprintf(f, "M%.1f %.1fm-4 -4h8v8h-8z", x, y); break;
    case 2: fprintf(f, "M%.1f %.1fm0 -5.2l5 9h-10z", x, y); break;
    case 3: fprintf(f, "M%.1f %.1fm0 -5.6l5.6 5.6l-5.6 5.6l-5.6 -5.6z", x, y); break;
    default: fprintf(f, "M%.1f %.1fm0 5.2l5 -9h-10z", x, y); break;
  }
  if (!name[0]) {
    fputs("\"/>", f);
    return;
  }
  fputs("\"><title>", f);
  html_text(f, name);
  fputs("</title></path>", f);
}

static bool chart_point_exists(const struct chart_point *p) { return !isnan(p->x) && !isnan(p->y); }

/* Where lines lie on each other, the first one is seen between the dashes of the later ones. */
static void series_line(FILE *f, const struct chart_xy *c, const struct chart_series *s) {
  static const char *const dashes[] = {"", " stroke-dasharray=\"9 4\"", " stroke-dasharray=\"4 4\"",
                                       " stroke-dasharray=\"12 3 3 3\"", " stroke-dasharray=\"2 3\""};
  bool open = false;
  for (unsigned i = 0; i < s->n; i++) {
    const struct chart_point *p = &s->point[i];
    if (!chart_point_exists(p)) continue;
    if (!open) fprintf(f, "<path class=\"s\" stroke=\"%s\"%s d=\"", s->rgb, dashes[(s - c->series) % SHAPES]);
    fprintf(f, "%c%.1f %.1f", open ? 'L' : 'M', place_x(c, p->x), place_y(c, p->y));
    open = true;
  }
  if (open) fputs("\"/>\n", f);
}

void chart_xy(FILE *f, const struct chart_xy *c) {
  size_t letters = 0;
  for (unsigned s = 0; s < c->n; s++)
    if (html_length(c->series[s].name) > letters) letters = html_length(c->series[s].name);
  const unsigned key = LEFT + PLOT_WIDE + 26,
                 wide = key + 24 + (unsigned)(letters > NAME_MOST ? NAME_MOST : letters) * LETTER;
  const unsigned need = ABOVE + c->n * LINE + 10, high = ABOVE + PLOT_HIGH + BELOW;
  chart_open(f, c->title, wide, need > high ? need : high);
  chart_draw_axes(f, c);
  for (unsigned s = 0; c->lines && s < c->n; s++) series_line(f, c, &c->series[s]);
  for (unsigned s = 0; s < c->n; s++) {
    const struct chart_series *one = &c->series[s];
    for (unsigned i = 0; i < one->n; i++)
      if (chart_point_exists(&one->point[i]))
        chart_draw_mark(f, s, place_x(c, one->point[i].x), place_y(c, one->point[i].y), one->rgb, one->point[i].hollow,
                        one->point[i].name);
    chart_draw_mark(f, s, key, ABOVE + 6 + s * LINE, one->rgb, false, "");
    fprintf(f, "<text x=\"%u\" y=\"%u\">", key + 12, ABOVE + 10 + s * LINE);
    html_short(f, one->name, NAME_MOST);
    fputs("</text>\n", f);
  }
  chart_close(f);
}
