/* SPDX-License-Identifier: Apache-2.0 */
/* bottleneck_plot: the pictures of bottleneck.h. */
#include <math.h>
#include <string.h>

#include "lab/campaign/bottleneck.h"
#include "lab/report/heat.h"
#include "lab/report/plot.h"

static double bottleneck_gain_or_nan(const struct bottleneck *b, unsigned k, unsigned r) {
  double x = NAN;
  const bool there = b->at[r] >= 0 && matrix_ratio(&b->m, measure_find("ipc"), k, (unsigned)b->at[r], 0, &x);
  return there ? x : NAN;
}

/* ---- one kernel: two panels of bars ---- */

enum { ONE_WIDE = 1150, BAR_HIGH = 22, ONE_MARGINS = 130 };
enum { TIGHT = 0xd55e00, OTHER = 0x56b4e9, GAIN = 0x0072b2, LOSS = 0x999999 }; /* of Okabe and Ito; grey */

static void bottleneck_write_bar(FILE *f, unsigned row, double from, double to, int rgb, const char *format,
                                 double number) {
  fprintf(f, "%.6g %.6g %u %d %.6g ", fmin(from, to), fmax(from, to), row, rgb, fmax(from, to));
  fprintf(f, format, number);
  fputc('\n', f);
}

/* Draws the rows of `data`, written by bottleneck_write_bar; the first on top. */
static void bottleneck_draw_bars(FILE *f, const char *data, unsigned rows) {
  fprintf(f,
          "set yrange [%u.6:-0.6]\nplot %s using (($1 + $2) / 2):3:1:2:($3 - 0.36):($3 + 0.36):4 with boxxyerror "
          "fs solid 0.95 noborder lc rgb variable notitle, "
          "%s using 5:3:(' '.stringcolumn(6)) with labels left notitle\n",
          rows - 1, data, data);
}

static void usage_panel(struct plot *p, const struct usage *u) {
  FILE *f = plot_script(p);
  fprintf(f, "$u << EOD\n");
  for (unsigned i = 0; i < u->n; i++) {
    const double x = 100 * u->part[u->order[i]];
    bottleneck_write_bar(f, i, 0, x, i ? OTHER : TIGHT, "%.0f", x);
  }
  fprintf(f,
          "EOD\nset title 'How busy each resource is'\nset xlabel '%% of what it could do'\nset xrange [0:112]\n"
          "set xtics 0,20,100\nset lmargin at screen 0.13\nset rmargin at screen 0.48\nset ytics (");
  for (unsigned i = 0; i < u->n; i++)
    fprintf(f, "%s%s %u", i ? ", " : "", plot_tic(p, resources[u->order[i]].label), i);
  fprintf(f, ")\n");
  bottleneck_draw_bars(f, "$u", u->n);
}

static void gain_panel(struct plot *p, const struct bottleneck *b) {
  FILE *f = plot_script(p);
  double most = 1.2, least = 0.9;
  unsigned n = 0;
  fprintf(f, "$g << EOD\n");
  for (unsigned r = 0; r < RELAXATIONS; r++) {
    const double x = bottleneck_gain_or_nan(b, 0, r);
    if (isnan(x)) continue;
    bottleneck_write_bar(f, n++, 1, x, x < 1 ? LOSS : GAIN, "%.2f", x);
    most = fmax(most, x), least = fmin(least, x);
  }
  const double wide = most - least;
  fprintf(f,
          "EOD\nset title 'What IPC would be with one thing relaxed'\nset xlabel 'relative to the machine as it is'\n"
          "set lmargin at screen 0.67\nset rmargin at screen 0.98\nset xtics autofreq\n");
  if (most > 4) fprintf(f, "set logscale x 2\nset xrange [%.3g:%.4g]\n", least * 0.9, most * 1.6);
  else fprintf(f, "set xrange [%.3g:%.4g]\n", least - 0.05 * wide, most + 0.22 * wide);
  fprintf(f, "set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb '#000000' lw 1 front\nset ytics (");
  n = 0;
  for (unsigned r = 0; r < RELAXATIONS; r++)
    if (!isnan(bottleneck_gain_or_nan(b, 0, r)))
      fprintf(f, "%s%s %u", n ? ", " : "", plot_tic(p, relaxations[r].label), n), n++;
  fprintf(f, ")\n");
  if (n) bottleneck_draw_bars(f, "$g", n);
}

static bool bottleneck_plot_kernel(const struct bottleneck *b, const char *path, struct err *e) {
  const struct cell *c = matrix_cell(&b->m, 0, 0);
  struct usage u;
  FILE *f;
  usage_of(&c->run, &u);
  const unsigned rows = u.n > RELAXATIONS ? u.n : RELAXATIONS;
  struct plot *p = plot_open(path, ONE_WIDE, rows * BAR_HIGH + ONE_MARGINS, &f, e);
  if (!p) return false;
  const struct config *m = &c->run.cfg;
  fprintf(f,
          "set multiplot title %s font 'sans,13'\nset tmargin at screen 0.87\nset bmargin at screen 0.12\n"
          "set grid xtics back lt 1 lc rgb '#dddddd'\nset border 3\nset tics nomirror\nset ytics scale 0\n",
          plot_text(p, "%s on %s of %s, %s (size %s): IPC %.2f of %lld, the tightest is %s, %.0f %%",
                    b->m.kernel[0].kernel, RUN_SMS(m), m->machine, b->m.system[0].label, b->m.size,
                    (double)c->run.sm.warp_insns / (double)c->run.cycles, (long long)m->sm_schedulers * m->sim_sms,
                    resources[u.order[0]].label, 100 * u.part[u.order[0]]));
  usage_panel(p, &u);
  gain_panel(p, b);
  fprintf(f, "unset multiplot\n");
  return plot_close(p, e);
}

/* ---- several: a map of gains ---- */

enum { CELL_WIDE = 52, CELL_HIGH = 24, LEFT = 330, TOP = 170, RIGHT = 130, BELOW = 30 };

static double bottleneck_mean_or_nan(const struct bottleneck *b, unsigned r) {
  const struct mean m =
      b->at[r] < 0 ? (struct mean){0} : matrix_mean(&b->m, measure_find("ipc"), (unsigned)b->at[r], 0);
  return mean_or_nan(&m);
}

static void bottleneck_map_tics(struct plot *p, const struct bottleneck *b) {
  FILE *f = plot_script(p);
  fprintf(f, "set ytics (");
  for (unsigned k = 0; k < b->m.nkernel; k++) {
    const struct cell *c = matrix_cell(&b->m, k, 0);
    const struct matrix_kernel *name = &b->m.kernel[k];
    struct usage u = {0};
    char text[200] = "failed";
    if (c->ok) {
      usage_of(&c->run, &u);
      snprintf(text, sizeof text, "%s %.0f%%, %s %.0f%%", resources[u.order[0]].label, 100 * u.part[u.order[0]],
               resources[u.order[1]].label, 100 * u.part[u.order[1]]);
    }
    char label[256];
    snprintf(label, sizeof label, "%.40s: %.150s", name->alias[0] ? name->alias : name->kernel, text);
    fprintf(f, "%s %u, ", plot_tic(p, label), k);
  }
  fprintf(f, "'mean' %u.3)\n", b->m.nkernel);
}

static void bottleneck_map_data(FILE *f, const struct bottleneck *b) {
  fprintf(f, "$m << EOD\n");
  for (unsigned k = 0; k < b->m.nkernel; k++)
    for (unsigned r = 0, column = 0; r < RELAXATIONS; r++)
      if (b->at[r] >= 0) heat_cell(f, column++, k, bottleneck_gain_or_nan(b, k, r));
  fprintf(f, "EOD\n$mean << EOD\n");
  for (unsigned r = 0, column = 0; r < RELAXATIONS; r++)
    if (b->at[r] >= 0) heat_cell(f, column++, b->m.nkernel + 0.3, bottleneck_mean_or_nan(b, r));
  fprintf(f, "EOD\n");
}

static bool bottleneck_plot_suite(const struct bottleneck *b, const char *path, struct err *e) {
  const unsigned columns = b->m.nsystem - 1, rows = b->m.nkernel + 1;
  const struct heat h = {LEFT + columns * CELL_WIDE + RIGHT, TOP + rows * CELL_HIGH + BELOW, LEFT, RIGHT, TOP, BELOW};
  FILE *f;
  struct plot *p = plot_open(path, h.wide, h.high, &f, e);
  if (!p) return false;
  bottleneck_map_data(f, b);
  bottleneck_map_tics(p, b);
  heat_scale(&h, f);
  fprintf(f, "set x2tics (");
  for (unsigned r = 0, column = 0; r < RELAXATIONS; r++)
    if (b->at[r] >= 0) fprintf(f, "%s%s %u", column ? ", " : "", plot_tic(p, relaxations[r].label), column), column++;
  fprintf(f,
          ") rotate by 40 left scale 0\nunset xtics\nset ytics scale 0\nunset key\n"
          "set xrange [-0.5:%u.5]\nset x2range [-0.5:%u.5]\nset yrange [%u.9:-0.5]\nset border 0\n"
          "set label 1 'IPC with one thing of the machine relaxed' at screen 0.01, screen %.4f font 'sans,13'\n"
          "set label 2 %s at screen 0.01, screen %.4f\nplot ",
          columns - 1, columns - 1, rows - 1, 1 - 16.0 / h.high,
          plot_text(p, "relative to %s, %s, size %s; left: the two busiest resources", b->m.system[0].cfg.machine,
                    b->m.system[0].label, b->m.size),
          1 - 38.0 / h.high);
  heat_draw(f, "$m", "");
  fprintf(f, ", ");
  heat_draw(f, "$mean", "sans-Bold,10");
  fputc('\n', f);
  return plot_close(p, e);
}

bool bottleneck_plot(const struct bottleneck *b, const char *path, struct err *e) {
  if (b->m.nkernel == 1 && !matrix_cell(&b->m, 0, 0)->ok)
    return err_at(e, path, 0, 0, "no picture: %s failed on the machine as it is", b->m.kernel[0].kernel);
  return b->m.nkernel == 1 ? bottleneck_plot_kernel(b, path, e) : bottleneck_plot_suite(b, path, e);
}
