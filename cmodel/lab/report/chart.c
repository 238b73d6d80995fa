/* SPDX-License-Identifier: Apache-2.0 */
/* chart: bars; see chart.h. */
#include "lab/report/chart.h"

#include <math.h>
#include <string.h>

#include "lab/report/html.h"

/* Pixels. A letter of the font is at most LETTER wide on average; names are cut off at NAME_MOST letters. */
enum { LETTER = 8, NAME_MOST = 34, GAP = 8, ROW = 26, BAR = 16, PLOT = 560, VALUE = 120, ABOVE = 8, BELOW = 48 };

void chart_open(FILE *f, const char *title, unsigned wide, unsigned high) {
  fprintf(f, "<svg role=\"img\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" aria-label=\"", wide, high, wide,
          high);
  html_text(f, title);
  fputs("\">\n", f);
}

void chart_close(FILE *f) { fputs("</svg>\n", f); }

/* The least step of 1, 2 or 5 times a power of ten that gives no more than `wanted` of them. */
static double chart_tick_step(double range, unsigned wanted, unsigned *decimals) {
  static const double times[] = {0.2, 0.5, 1};
  double step = 1;
  int power = 0;
  unsigned k = 0;
  for (; range / step > wanted; power++) step *= 10;
  for (; range / (step / 10) <= wanted; power--) step /= 10;
  while (range / (step * times[k]) > wanted && k < 2) k++;
  if (k < 2) power--;
  *decimals = power < 0 ? (unsigned)-power : 0;
  return step * times[k];
}

unsigned chart_place_ticks(double least, double most, unsigned wanted, double at[CHART_TICKS], unsigned *decimals) {
  const double range = most - least;
  unsigned n = 0;
  *decimals = 0;
  if (!(range > 1e-100) || !isfinite(range)) return 0;
  const double step = chart_tick_step(range, wanted, decimals), first = ceil(least / step - 1e-9);
  for (; n < CHART_TICKS && (first + n) * step <= most + step * 1e-9; n++) at[n] = (first + n) * step;
  return n;
}

double chart_end(double most) {
  double at[CHART_TICKS];
  unsigned decimals;
  if (!(most > 0)) return 1;
  const unsigned n = chart_place_ticks(0, most, 5, at, &decimals);
  const double step = n > 1 ? at[1] : most;
  return ceil(most / step - 1e-9) * step;
}

void chart_ends(double *least, double *most) {
  double at[CHART_TICKS];
  unsigned decimals;
  if (!(*least > *most / 2)) {
    *least = 0;
    *most = chart_end(*most);
    return;
  }
  const double room = fmax((*most - *least) / 20, *most / 1000), from = *least - room, to = *most + room;
  const unsigned n = chart_place_ticks(from, to, 5, at, &decimals);
  const double step = n > 1 ? at[1] - at[0] : *most / 10;
  *least = fmax(floor(from / step) * step, 0);
  *most = ceil(to / step) * step;
}

/* ---- parts that both kinds of bars have ---- */

static unsigned chart_left_margin(size_t letters) {
  return (unsigned)(letters > NAME_MOST ? NAME_MOST : letters) * LETTER + 2 * GAP;
}

static void chart_draw_name(FILE *f, const char *name, unsigned left, unsigned y) {
  fprintf(f, "<text x=\"%u\" y=\"%u\" class=\"e\">", left - GAP, y + ROW / 2 + 4);
  html_short(f, name, NAME_MOST);
  if (html_length(name) > NAME_MOST) {
    fputs("<title>", f);
    html_text(f, name);
    fputs("</title>", f);
  }
  fputs("</text>", f);
}

/* Grid, numbers and what they are. */
static void chart_draw_scale(FILE *f, const char *label, double most, unsigned left, unsigned top, unsigned high) {
  double at[CHART_TICKS];
  unsigned decimals, n = chart_place_ticks(0, most, 6, at, &decimals);
  for (unsigned i = 0; i < n; i++) {
    const double x = left + at[i] / most * PLOT;
    fprintf(f, "<path class=\"g\" d=\"M%.1f %uV%u\"/><text x=\"%.1f\" y=\"%u\" class=\"m\">%.*f</text>", x, top, high,
            x, high + 16, (int)decimals, at[i]);
  }
  fprintf(f, "<text x=\"%u\" y=\"%u\" class=\"m\">", left + PLOT / 2, high + 36);
  html_text(f, label);
  fputs("</text>\n", f);
}

/* ---- bars with dots ---- */

static double chart_longest_bar(const struct chart_bars *c) {
  double bar = 0, all = isnan(c->line) ? 0 : c->line;
  for (unsigned i = 0; i < c->n; i++) {
    if (c->bar[i].value > bar) bar = c->bar[i].value;
    for (unsigned d = 0; d < c->bar[i].dots; d++)
      if (c->bar[i].dot[d].at > all) all = c->bar[i].dot[d].at;
  }
  if (bar > 0 && all > 3 * bar) all = 3 * bar;
  return chart_end(bar > all ? bar : all);
}

/* Three heights, so that dots at the same place can be told apart. */
static void chart_draw_dots(FILE *f, const struct chart_bars *c, const struct chart_bar *b, double most, unsigned left,
                            unsigned y) {
  for (unsigned d = 0; d < b->dots; d++) {
    const struct chart_dot *dot = &b->dot[d];
    const double at = dot->at / most * PLOT + left, middle = y + ROW / 2.0 + 4.0 * (d % 3) - 4;
    if (isnan(dot->at)) continue;
    if (dot->at > most) fprintf(f, "<path class=\"d\" d=\"M%u %.0fv7l6 -3.5z\">", left + PLOT, middle - 3.5);
    else fprintf(f, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.0f\" r=\"2.8\">", dot->hollow ? "d o" : "d", at, middle);
    fputs("<title>", f);
    html_text(f, dot->name);
    fprintf(f, ": %.*f</title>%s", (int)c->decimals, dot->at, dot->at > most ? "</path>" : "</circle>");
  }
}

void chart_bars(FILE *f, const struct chart_bars *c) {
  const double most = chart_longest_bar(c);
  size_t letters = 0;
  for (unsigned i = 0; i < c->n; i++)
    if (html_length(c->bar[i].name) > letters) letters = html_length(c->bar[i].name);
  const unsigned left = chart_left_margin(letters), high = ABOVE + c->n * ROW;
  chart_open(f, c->title, left + PLOT + VALUE, high + BELOW);
  chart_draw_scale(f, c->axis, most, left, ABOVE, high);
  for (unsigned i = 0; i < c->n; i++) {
    const struct chart_bar *b = &c->bar[i];
    const unsigned y = ABOVE + i * ROW;
    chart_draw_name(f, b->name, left, y);
    if (!isnan(b->value))
      fprintf(f, "<rect x=\"%u\" y=\"%u\" width=\"%.1f\" height=\"%u\" fill=\"%s\"/>", left, y + (ROW - BAR) / 2,
              b->value / most * PLOT, (unsigned)BAR, b->rgb);
    chart_draw_dots(f, c, b, most, left, y);
    fprintf(f, "<text x=\"%u\" y=\"%u\">", left + PLOT + 12, y + ROW / 2 + 4);
    if (isnan(b->value)) fputs("no mean", f);
    else fprintf(f, "%.*f", (int)c->decimals, b->value);
    fputc(b->note[0] ? ' ' : '\n', f);
    html_text(f, b->note);
    fputs("</text>\n", f);
  }
  if (!isnan(c->line)) {
    const double x = left + c->line / most * PLOT;
    fprintf(f, "<path class=\"l\" d=\"M%.1f %uV%u\"/>", x, (unsigned)ABOVE, high);
  }
  chart_close(f);
}

/* ---- bars of parts ---- */

/* Hues of Okabe and Ito, neighbours far apart in lightness; the last ones are greys. Text on them is dark or white. */
static const struct {
  const char *rgb;
  bool dark;
} shade[CHART_PARTS] = {{"#0072b2", true}, {"#f0e442", false}, {"#d55e00", true}, {"#56b4e9", false},
                        {"#7f3c8d", true}, {"#e69f00", false}, {"#00664f", true}, {"#eab6d2", false},
                        {"#555555", true}, {"#dddddd", false}, {"#5f2a00", true}, {"#9fd4b9", false},
                        {"#004c78", true}, {"#f7dfae", false}, {"#000000", true}, {"#bbbbbb", false}};

/* Names of the parts from left to right, in as many lines as they need; returns the height. */
static unsigned chart_draw_legend(FILE *f, const struct chart_stack *c, unsigned wide) {
  unsigned x = GAP, y = 4;
  for (unsigned p = 0; p < c->parts; p++) {
    const unsigned need = 20 + (unsigned)html_length(c->part[p]) * LETTER + 2 * GAP;
    if (x > GAP && x + need > wide) x = GAP, y += 20;
    if (f) {
      fprintf(f, "<rect class=\"b\" x=\"%u\" y=\"%u\" width=\"13\" height=\"13\" fill=\"%s\"/><text x=\"%u\" y=\"%u\">",
              x, y, shade[p].rgb, x + 19, y + 11);
      html_text(f, c->part[p]);
      fputs("</text>\n", f);
    }
    x += need;
  }
  return y + 24;
}

static void chart_draw_parts(FILE *f, const struct chart_stack *c, const struct chart_stack_bar *b, unsigned left,
                             unsigned y) {
  double from = left;
  for (unsigned p = 0; p < c->parts; p++) {
    const double wide = b->part[p] / 100 * PLOT;
    if (!(wide > 0)) continue;
    fprintf(f, "<rect class=\"b\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\" fill=\"%s\"><title>", from, y + 3,
            wide, (unsigned)ROW - 6, shade[p].rgb);
    html_text(f, c->part[p]);
    fprintf(f, ": %.1f %%</title></rect>", b->part[p]);
    if (wide >= 26)
      fprintf(f, "<text x=\"%.1f\" y=\"%u\" class=\"m%s\">%.0f</text>", from + wide / 2, y + ROW / 2 + 4,
              shade[p].dark ? " w" : "", b->part[p]);
    from += wide;
  }
}

void chart_stack(FILE *f, const struct chart_stack *c) {
  size_t letters = 0;
  for (unsigned i = 0; i < c->n; i++)
    if (html_length(c->bar[i].name) > letters) letters = html_length(c->bar[i].name);
  const unsigned left = chart_left_margin(letters), wide = left + PLOT + 40;
  const unsigned top = chart_draw_legend(NULL, c, wide), high = top + c->n * ROW;
  chart_open(f, c->title, wide, high + BELOW);
  chart_draw_legend(f, c, wide);
  chart_draw_scale(f, c->axis, 100, left, top, high);
  for (unsigned i = 0; i < c->n; i++) {
    chart_draw_name(f, c->bar[i].name, left, top + i * ROW);
    chart_draw_parts(f, c, &c->bar[i], left, top + i * ROW);
    fputc('\n', f);
  }
  chart_close(f);
}
