/* SPDX-License-Identifier: Apache-2.0 */
/* frame: see frame.h. */
#include "lab/report/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/show.h"
#include "lab/report/chart.h"

/* ---- title and key ---- */

/* As many words of the text as fit into a line; at least one. */
static size_t frame_line_length(const char *text, double wide, struct plot_font font) {
  char line[1024];
  size_t n = 0;
  for (size_t i = 1; i <= strlen(text); i++) {
    if (text[i] && text[i] != ' ') continue;
    snprintf(line, sizeof line, "%.*s", (int)i, text);
    if (n && plot_text_width(line, font.points, font.bold) > wide) break;
    n = i;
  }
  return n;
}

double frame_put_lines(struct plot *p, double x, double y, double wide, enum plot_side side, struct plot_font font,
                       const char *text) {
  const double high = plot_text_height(font.points) * 1.25;
  for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
    char line[1024], fits[1024];
    const size_t n = frame_line_length(text, wide, font);
    snprintf(line, sizeof line, "%.*s", (int)n, text);
    plot_put(p, x, y + high / 2, side, font, "%s",
             plot_shorten(fits, sizeof fits, line, font.bold ? wide / 1.14 : wide, font.points));
    text += n;
    y += high;
  }
  return y;
}

double frame_put_head(struct plot *p, const char *title, const char *about) {
  const double wide = plot_width(p) - 2 * FRAME_EDGE;
  double y = FRAME_EDGE - 2;
  if (title)
    y = frame_put_lines(p, FRAME_EDGE, y, wide, PLOT_LEFT, (struct plot_font){PLOT_TITLE, true, 0, NULL}, title);
  if (about)
    y = frame_put_lines(p, FRAME_EDGE, y, wide, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, false, 0, "#444444"}, about);
  return y + 4;
}

enum { KEY_MARK = 24, KEY_GAP = 18, KEY_LINE = 19 };

static void frame_put_mark(struct plot *p, double x, double y, const struct frame_key *k) {
  switch (k->mark) {
    case FRAME_BOX: plot_put_box(p, x + 2, y - 6, x + 18, y + 5, k->rgb); break;
    case FRAME_FRAME:
      plot_put_line(p, x + 2, y - 6, x + 18, y - 6, 2, 1, k->rgb);
      plot_put_line(p, x + 18, y - 6, x + 18, y + 5, 2, 1, k->rgb);
      plot_put_line(p, x + 18, y + 5, x + 2, y + 5, 2, 1, k->rgb);
      plot_put_line(p, x + 2, y + 5, x + 2, y - 6, 2, 1, k->rgb);
      break;
    case FRAME_LINE: plot_put_line(p, x, y, x + 20, y, 2, 1, k->rgb); break;
    case FRAME_DASHES:
      plot_put_line(p, x, y, x + 8, y, 1.5, 1, k->rgb);
      plot_put_line(p, x + 12, y, x + 20, y, 1.5, 1, k->rgb);
      break;
    case FRAME_RANGE: plot_put_box(p, x + 7, y - 7, x + 13, y + 7, k->rgb); break;
    case FRAME_POINT: plot_put_point(p, x + 10, y, k->type, 1.1, k->rgb); break;
  }
}

double frame_put_key(struct plot *p, double x, double y, double wide, const struct frame_key *key, unsigned n) {
  double at = x;
  for (unsigned i = 0; i < n; i++) {
    char name[256];
    plot_shorten(name, sizeof name, key[i].name, fmin(wide - KEY_MARK, 420), PLOT_NORMAL);
    const double need = KEY_MARK + plot_text_width(name, PLOT_NORMAL, false);
    if (at > x && at + need > x + wide) at = x, y += KEY_LINE;
    frame_put_mark(p, at, y + KEY_LINE / 2.0, &key[i]);
    plot_put(p, at + KEY_MARK, y + KEY_LINE / 2.0, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, false, 0, NULL}, "%s",
             name);
    at += need + KEY_GAP;
  }
  return n ? y + KEY_LINE + 3 : y;
}

/* ---- scales ---- */

static int frame_compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { HIDDEN = 8 }; /* a bar of less than this part of the greatest is hidden */

/* Half of the numbers above zero are hidden by the greatest; none is below zero. */
static bool frame_one_hides_rest(const double *v, unsigned n) {
  double *above = xcalloc(n ? n : 1, sizeof *above);
  unsigned k = 0;
  bool negative = false;
  for (unsigned i = 0; i < n; i++) {
    negative |= v[i] < 0;
    if (v[i] > 0) above[k++] = v[i];
  }
  qsort(above, k, sizeof *above, frame_compare_numbers);
  const bool hides = k > 1 && !negative && above[k - 1] > 1 && above[(k - 1) / 2] * HIDDEN < above[k - 1];
  free(above);
  return hides;
}

static void frame_round_tics(struct frame_scale *s, unsigned wanted) {
  _Static_assert((int)FRAME_TICS == (int)CHART_TICKS, "tics of both");
  s->tics = chart_place_ticks(s->least, s->most, wanted, s->tic, &s->decimals);
}

enum { TICS = 7 };

/* The next round number, so that few steps lead to it. */
static double frame_end(double most) {
  double at[FRAME_TICS];
  unsigned decimals;
  if (!(most > 0)) return 1;
  const unsigned n = chart_place_ticks(0, most, TICS, at, &decimals);
  const double step = n > 1 ? at[1] : most;
  return ceil(most / step - 1e-9) * step;
}

/* Powers of two around 1. */
static struct frame_scale frame_log_ratios(double least, double most) {
  struct frame_scale s = {.log = true, .foot = 1};
  const int from = (int)floor(log2(fmin(least, 1))), to = (int)ceil(log2(fmax(most, 1)));
  const int step = (to - from) / FRAME_TICS + 1;
  s.least = ldexp(1, from), s.most = ldexp(1, to);
  for (int i = from; i <= to && s.tics < FRAME_TICS; i += step) s.tic[s.tics++] = ldexp(1, i);
  return s;
}

/* The greatest number on a logarithmic axis over the least, at most; where all numbers are within this. */
enum { SPAN = 100000, SPAN_OF_ALL = 1000000 };

/* Tics at powers of ten, with few of them also at their doubles and halves; a number at a power of ten has a bar, too. */
static struct frame_scale frame_log_numbers(double least, double most) {
  static const double step[] = {1, 2, 5};
  struct frame_scale s = {.log = true, .most = most * 1.1};
  double power = 1;
  while (power > least) power /= 10;
  while (power * 10 <= least) power *= 10;
  const bool cut = power * SPAN_OF_ALL <= most;
  while (power * SPAN_OF_ALL <= most || (cut && power * SPAN <= most)) power *= 10;
  s.least = s.foot = least >= power && least < 1.5 * power ? power / 2 : power;
  const bool few = s.most / s.least < 2000;
  while (power <= s.most) {
    for (unsigned i = 0; i < (few ? 3 : 1) && s.tics < FRAME_TICS; i++)
      if (power * step[i] >= s.least && power * step[i] <= s.most) s.tic[s.tics++] = power * step[i];
    power *= 10;
  }
  return s;
}

struct frame_scale frame_scale_bars(const double *v, unsigned n, enum frame_numbers numbers) {
  double least = INFINITY, most = 0, above = INFINITY;
  bool zeros = false;
  for (unsigned i = 0; i < n; i++) {
    if (isnan(v[i])) continue;
    least = fmin(least, v[i]), most = fmax(most, v[i]);
    if (v[i] > 0) above = fmin(above, v[i]);
    zeros |= v[i] == 0;
  }
  if (numbers != FRAME_PARTS && frame_one_hides_rest(v, n)) {
    struct frame_scale s = numbers == FRAME_RATIOS ? frame_log_ratios(above, most) : frame_log_numbers(above, most);
    s.zeros = zeros, s.small = above < s.least;
    return s;
  }
  struct frame_scale s = {.most = frame_end(numbers == FRAME_RATIOS ? fmax(most, 1) : most)};
  if (least < 0) s.least = -frame_end(-least);
  frame_round_tics(&s, TICS);
  return s;
}

struct frame_scale frame_scale_between(double least, double most) {
  struct frame_scale s = {.least = least, .most = most > least ? most : least + 1};
  frame_round_tics(&s, 10);
  return s;
}

struct frame_scale frame_scale_to(double most) {
  struct frame_scale s = {.most = most > 0 ? most : 1};
  frame_round_tics(&s, TICS);
  return s;
}

struct frame_scale frame_scale_points(double least, double most) {
  struct frame_scale s = {.least = least, .most = most};
  if (least >= 0) chart_ends(&s.least, &s.most);
  if (!(s.most > s.least)) s.most = s.least + 1;
  frame_round_tics(&s, 8);
  return s;
}

double frame_place(const struct frame_scale *s, double v) {
  return s->log ? log2(v / s->least) / log2(s->most / s->least) : (v - s->least) / (s->most - s->least);
}

void frame_number(char *out, size_t n, const struct frame_scale *s, double v) {
  const double most =
      s->log ? v : fmax(fabs(s->most), fabs(s->least)); /* one suffix for all, but on a logarithmic axis */
  if (s->log && v < 1) snprintf(out, n, "%.4g", v);
  else if (most >= 1e9 && v) snprintf(out, n, "%.4g G", v / 1e9);
  else if (most >= 1e6 && v) snprintf(out, n, "%.4g M", v / 1e6);
  else if ((most >= 1e5 || (s->log && v >= 1e4)) && v) snprintf(out, n, "%.4g k", v / 1e3);
  else snprintf(out, n, "%.*f", (int)s->decimals, v);
}

double frame_numbers_width(const struct frame_scale *s) {
  double wide = 0;
  char text[64];
  for (unsigned i = 0; i < s->tics; i++) {
    frame_number(text, sizeof text, s, s->tic[i]);
    wide = fmax(wide, plot_text_width(text, PLOT_NORMAL, false));
  }
  return wide + 12;
}

/* ---- axes ---- */

static void frame_put_range(FILE *f, char axis, const struct frame_scale *s) {
  fprintf(f, "%s %c\nset %crange [%.6g:%.6g]\nset %ctics (", s->log ? "set logscale" : "unset logscale", axis, axis,
          s->least, s->most, axis);
  for (unsigned i = 0; i < s->tics; i++) fprintf(f, "%s%.6g", i ? ", " : "", s->tic[i]);
  fprintf(f, ")\n");
}

void frame_put_axes(struct plot *p, const struct frame_area *a, const struct frame_scale *x, double from, double to,
                    const struct frame_scale *y) {
  const struct plot_font font = {PLOT_NORMAL, false, 0, NULL};
  FILE *f = plot_script(p);
  char text[64];
  plot_set_area(p, a->x0, a->y0, a->x1, a->y1);
  fprintf(f, "set border 3 lc rgb '#777777'\n");
  if (x) frame_put_range(f, 'x', x);
  else fprintf(f, "unset logscale x\nset xrange [%.6g:%.6g]\nunset xtics\n", from, to);
  if (y) frame_put_range(f, 'y', y);
  fprintf(f, "set grid%s%s lt 1 lc rgb '#dddddd' lw 0.5\nset grid back\n", x ? " xtics" : "", y ? " ytics" : "");
  double free_from = 0;
  for (unsigned i = 0; x && i < x->tics; i++) { /* a number that would lie on the one before it is left out */
    frame_number(text, sizeof text, x, x->tic[i]);
    const double at = a->x0 + frame_place(x, x->tic[i]) * (a->x1 - a->x0),
                 half = plot_text_width(text, PLOT_NORMAL, false) / 2 + 3;
    if (at - half < free_from) continue;
    plot_put(p, at, a->y1 + 13, PLOT_MIDDLE, font, "%s", text);
    free_from = at + half;
  }
  for (unsigned i = 0; y && i < y->tics; i++) {
    frame_number(text, sizeof text, y, y->tic[i]);
    plot_put(p, a->x0 - 6, a->y1 - frame_place(y, y->tic[i]) * (a->y1 - a->y0), PLOT_RIGHT, font, "%s", text);
  }
}
