/* SPDX-License-Identifier: Apache-2.0 */
/* load_latency: see load_latency.h. */
#include "lab/run/load_latency.h"

#include <stdio.h>
#include <string.h>

#include "lab/report/plot.h"

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

enum { WIDE = 1000, HIGH = 520, PER_OCTAVE = 8, BARS = (8 + LATENCY_OCTAVES) * PER_OCTAVE };

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

static void latency_put_mark(FILE *f, const char *name, uint64_t at, unsigned row) {
  fprintf(f,
          "set arrow from first %llu, graph 0 to first %llu, graph 1 nohead dt 2 lc rgb '#444444' front\n"
          "set label '%s %llu' at first %llu, graph %.2f offset 0.4, 0 front\n",
          (unsigned long long)at, (unsigned long long)at, name, (unsigned long long)at, (unsigned long long)at,
          0.97 - 0.05 * row);
}

bool load_latency_draw(const struct latency *l, const char *title, const char *path, struct err *e) {
  struct load_latency s[LATENCY_ROWS];
  load_latencies(l, s);
  const struct load_latency *all = &s[LATENCY_ALL];
  FILE *f;
  struct plot *p = plot_open(path, WIDE, HIGH, &f, e);
  if (!p) return false;
  double most = 0;
  for (unsigned k = 0; k < LATENCY_LEVELS; k++) {
    double top = latency_put_bars(l, all->loads ? all->loads : 1, k, f);
    most = top > most ? top : most;
  }
  if (all->loads) {
    latency_put_mark(f, "p50", all->p50, 0);
    latency_put_mark(f, "mean", (all->cycles + all->loads / 2) / all->loads, 1);
    latency_put_mark(f, "p95", all->p95, 2);
  }
  const uint64_t end = bar_from(bar_of(all->most) + 1) * 3 / 2; /* with room for the last label */
  fprintf(f,
          "set title %s\nset logscale x 2\nset xrange [4:%llu]\nset yrange [0:%.4f]\n"
          "set xlabel 'cycles from the look-up in L1 to the last register written'\nset ylabel '%% of the loads'\n"
          "set format x '%%.0f'\nset xtics out nomirror\nset ytics out nomirror\nset style fill solid 1 noborder\n"
          "set bmargin 6\n"
          "set key at screen 0.5, screen 0.01 center bottom horizontal maxrows 1 reverse Left samplen 1.5 noenhanced\n"
          "plot ",
          plot_text(p, "%s: %llu loads", title, (unsigned long long)all->loads),
          (unsigned long long)(end > 64 ? end : 64), most > 0 ? most * 1.15 : 1);
  for (unsigned k = 0; k < LATENCY_LEVELS; k++)
    fprintf(
        f,
        "$level%u using 1:3:1:2:3:4 with boxxyerror lc rgb '%s' title '%s: %.1f %%, mean %.1f, p50 %llu, p95 %llu'%s",
        k, levels[k].colour, levels[k].name, all->loads ? 100.0 * (double)s[k].loads / (double)all->loads : 0.0,
        s[k].loads ? (double)s[k].cycles / (double)s[k].loads : 0.0, (unsigned long long)s[k].p50,
        (unsigned long long)s[k].p95, k + 1 < LATENCY_LEVELS ? ", \\\n" : "\n");
  return plot_close(p, e);
}
