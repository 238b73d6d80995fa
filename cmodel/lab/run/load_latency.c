/* SPDX-License-Identifier: Apache-2.0 */
/* load_latency: see load_latency.h. */
#include "lab/run/load_latency.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/report/chart.h"
#include "lab/report/frame.h"

/* Loads in this bin, of one level or of all. */
static uint64_t in_bin(const struct latency *l, unsigned row, unsigned bin) {
  uint64_t n = 0;
  for (unsigned k = 0; k < LATENCY_LEVELS; k++) n += row == k || row == LATENCY_ALL ? l->bin[k][bin] : 0;
  return n;
}

static uint64_t latency_percentile(const struct latency *l, unsigned row, uint64_t loads, unsigned percent) {
  uint64_t seen = 0;
  for (unsigned b = 0; b < LATENCY_BINS; b++)
    if ((seen += in_bin(l, row, b)) * 100 >= loads * percent) return latency_least(b);
  return 0;
}

void load_latencies(const struct latency *l, struct load_latency out[LATENCY_ROWS]) {
  for (unsigned row = 0; row < LATENCY_ROWS; row++) {
    struct load_latency *o = &out[row];
    *o = (struct load_latency){0};
    for (unsigned k = 0; k < LATENCY_LEVELS; k++) {
      if (row != k && row != LATENCY_ALL) continue;
      o->cycles += l->sum[k];
      if (l->most[k] > o->most) o->most = l->most[k];
    }
    for (unsigned b = 0; b < LATENCY_BINS; b++) o->loads += in_bin(l, row, b);
    if (!o->loads) continue;
    o->p50 = latency_percentile(l, row, o->loads, 50);
    o->p95 = latency_percentile(l, row, o->loads, 95);
  }
}

/* ---- the picture: bars of equal width on a logarithmic axis, stacked by level ---- */

enum { WIDE = PLOT_WIDE, HIGH = 360, PER_OCTAVE = 8, BARS = (8 + LATENCY_OCTAVES) * PER_OCTAVE };

static const struct {
  const char *name, *colour;
} levels[] = {[LATENCY_L1] = {"L1", "#117733"}, [LATENCY_L2] = {"L2", "#4477aa"}, [LATENCY_DRAM] = {"DRAM", "#cc3311"}};

/* A bar ends where the next one begins; the first ones, of less than one cycle, stay empty. */
static uint64_t bar_from(unsigned bar) {
  static const unsigned step[PER_OCTAVE] = {1024, 1117, 1218, 1328, 1448, 1579, 1722, 1878}; /* 1024 * 2^(k/8) */
  return (((uint64_t)step[bar % PER_OCTAVE] << bar / PER_OCTAVE) + 1023) / 1024;
}

static unsigned bar_of(uint64_t cycles) {
  unsigned bar = 0;
  while (bar + 1 < BARS && bar_from(bar + 1) <= cycles) bar++;
  return bar;
}

/* "from to bottom top" of each bar of a level, in % of all loads. */
static double latency_put_bars(const struct latency *l, uint64_t loads, unsigned level, FILE *f) {
  static uint64_t n[BARS][LATENCY_LEVELS];
  double most = 0;
  memset(n, 0, sizeof n);
  for (unsigned b = 0; b < LATENCY_BINS; b++)
    for (unsigned k = 0; k < LATENCY_LEVELS; k++)
      if (l->bin[k][b]) n[bar_of(latency_least(b))][k] += l->bin[k][b];
  fprintf(f, "$level%u << EOD\n", level);
  for (unsigned b = 0; b < BARS; b++) {
    double below = 0;
    for (unsigned k = 0; k < level; k++) below += 100.0 * (double)n[b][k] / (double)loads;
    double top = below + 100.0 * (double)n[b][level] / (double)loads;
    if (top > most) most = top;
    if (n[b][level])
      fprintf(f, "%llu %llu %.4f %.4f\n", (unsigned long long)bar_from(b), (unsigned long long)bar_from(b + 1), below,
              top);
  }
  fprintf(f, "0.1 0.2 0 0\nEOD\n"); /* never empty, never seen */
  return most;
}

/* A dashed line at a number of cycles, its name beside it. */
static void latency_put_mark(struct plot *p, const struct frame_area *a, const struct frame_scale *x, const char *name,
                             uint64_t at, unsigned row) {
  const double px = a->x0 + frame_place(x, fmax((double)at, x->least)) * (a->x1 - a->x0);
  plot_put_line(p, px, a->y0, px, a->y1, 1, 2, "#444444");
  char text[64];
  snprintf(text, sizeof text, "%s %llu", name, (unsigned long long)at);
  const bool right = px + 8 + plot_text_width(text, PLOT_NORMAL, false) < WIDE;
  plot_put(p, right ? px + 4 : px - 4, a->y0 + 10 + row * PLOT_LINE_HIGH, right ? PLOT_LEFT : PLOT_RIGHT,
           (struct plot_font){PLOT_NORMAL, false, 0, NULL}, "%s", text);
}

/* Powers of two from 4 cycles on, to beyond the longest load, with room for the last mark's name. */
static struct frame_scale latency_scale(uint64_t most) {
  const double end = (double)bar_from(bar_of(most) + 1) * 3 / 2;
  struct frame_scale s = {.least = 4, .most = end > 64 ? end : 64, .log = true};
  const unsigned step = s.most > 1 << 17 ? 4 : 2;
  for (double at = 4; at <= s.most && s.tics < FRAME_TICS; at *= step) s.tic[s.tics++] = at;
  return s;
}

static double latency_put_levels(struct plot *p, const struct load_latency s[LATENCY_ROWS], double y) {
  struct frame_key key[LATENCY_LEVELS];
  char text[LATENCY_LEVELS][160];
  unsigned n = 0;
  for (unsigned k = 0; k < LATENCY_LEVELS; k++) {
    if (!s[k].loads) continue;
    snprintf(text[k], sizeof text[k], "%s: %.1f %%, mean %.1f, p50 %llu, p95 %llu", levels[k].name,
             100.0 * (double)s[k].loads / (double)s[LATENCY_ALL].loads, (double)s[k].cycles / (double)s[k].loads,
             (unsigned long long)s[k].p50, (unsigned long long)s[k].p95);
    key[n++] = (struct frame_key){text[k], levels[k].colour, FRAME_BOX, 0};
  }
  return frame_put_key(p, FRAME_EDGE, y, WIDE - 2 * FRAME_EDGE, key, n);
}

bool load_latency_draw(const struct latency *l, const char *title, const char *path, struct err *e) {
  struct load_latency s[LATENCY_ROWS];
  load_latencies(l, s);
  const struct load_latency *all = &s[LATENCY_ALL];
  char about[512];
  FILE *f;
  struct plot *p = plot_open(path, WIDE, WIDE, &f, e);
  if (!p) return false;
  double most = 0;
  for (unsigned k = 0; k < LATENCY_LEVELS; k++) {
    double top = latency_put_bars(l, all->loads ? all->loads : 1, k, f);
    most = top > most ? top : most;
  }
  snprintf(about, sizeof about, "%.400s: %llu loads", title, (unsigned long long)all->loads);
  double y = latency_put_levels(p, s, frame_put_head(p, "How long loads took", about) + 2);
  const struct frame_scale x = latency_scale(all->most);
  struct frame_scale sy = {.most = most > 0 ? chart_end(most * 1.05) : 1};
  sy.tics = chart_place_ticks(0, sy.most, 6, sy.tic, &sy.decimals);
  const struct plot_font font = {PLOT_NORMAL, false, 0, NULL}, turned = {PLOT_NORMAL, false, 90, NULL};
  const struct frame_area a = {FRAME_EDGE + 20 + frame_numbers_width(&sy), y + 8, WIDE - FRAME_EDGE - 10, y + 8 + HIGH};
  frame_put_axes(p, &a, &x, 0, 0, &sy);
  plot_put(p, (a.x0 + a.x1) / 2, a.y1 + 29, PLOT_MIDDLE, font,
           "cycles from the look-up in L1 to the last register written");
  plot_put(p, FRAME_EDGE + 8, (a.y0 + a.y1) / 2, PLOT_MIDDLE, turned, "%% of the loads");
  if (all->loads) {
    latency_put_mark(p, &a, &x, "p50", all->p50, 0);
    latency_put_mark(p, &a, &x, "mean", (all->cycles + all->loads / 2) / all->loads, 1);
    latency_put_mark(p, &a, &x, "p95", all->p95, 2);
  }
  fprintf(f, "set style fill solid 1 noborder\nplot ");
  for (unsigned k = 0; k < LATENCY_LEVELS; k++)
    fprintf(f, "$level%u using 1:3:1:2:3:4 with boxxyerror lc rgb '%s'%s", k, levels[k].colour,
            k + 1 < LATENCY_LEVELS ? ", " : "\n");
  plot_resize(p, WIDE, (unsigned)ceil(a.y1) + 48);
  return plot_close(p, e);
}
