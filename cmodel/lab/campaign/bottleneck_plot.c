/* SPDX-License-Identifier: Apache-2.0 */
/* bottleneck_plot: the pictures of bottleneck.h. */
#include <math.h>
#include <stdlib.h>

#include "lab/campaign/bottleneck.h"
#include "lab/report/heat.h"
#include "lab/report/lying.h"

static double bottleneck_gain_or_nan(const struct bottleneck *b, unsigned k, unsigned r) {
  double x = NAN;
  const bool there = b->at[r] >= 0 && matrix_ratio(&b->m, measure_find("ipc"), k, (unsigned)b->at[r], 0, &x);
  return there ? x : NAN;
}

/* ---- one kernel: two panels of bars ---- */

enum { WIDE = PLOT_WIDE, ROW = 20, BAR = 15, USAGE_WIDE = 440, GAP = 30 };
static const char tight_rgb[] = "#d55e00", other_rgb[] = "#56b4e9", gain_rgb[] = "#0072b2", loss_rgb[] = "#999999";

enum { MOST_BARS = (int)RESOURCES > (int)RELAXATIONS ? (int)RESOURCES : (int)RELAXATIONS };
struct bottleneck_bars {
  const char *name[MOST_BARS];
  struct lying_bar bar[MOST_BARS];
  char text[MOST_BARS][32];
  unsigned n;
};

static void bottleneck_add_bar(struct bottleneck_bars *b, const char *name, double from, double to, const char *rgb,
                               const char *format) {
  snprintf(b->text[b->n], sizeof *b->text, format, to);
  b->name[b->n] = name;
  b->bar[b->n] = (struct lying_bar){b->n, 0, from, to, rgb, b->text[b->n]};
  b->n++;
}

static double bottleneck_put_bars(struct plot *p, const struct bottleneck_bars *b, const char *title, const char *axis,
                                  const struct frame_scale *s, double line, double x, double y, double wide) {
  const struct lying l = {b->name, b->n, b->n, ROW, BAR, b->bar, *s, 0, line, axis};
  y = frame_put_lines(p, x, y, wide, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, true, 0, NULL}, title);
  return lying_draw(p, &l, x, y + 4, wide);
}

static double bottleneck_put_usage(struct plot *p, const struct usage *u, double y) {
  struct bottleneck_bars b = {.n = 0};
  double part[RESOURCES];
  for (unsigned i = 0; i < u->n; i++) {
    part[i] = 100 * u->part[u->order[i]];
    bottleneck_add_bar(&b, resources[u->order[i]].label, 0, part[i], i ? other_rgb : tight_rgb, "%.0f");
  }
  const struct frame_scale s = frame_scale_bars(part, u->n, FRAME_PARTS);
  return bottleneck_put_bars(p, &b, "How busy each resource is", "% of what it could do", &s, NAN, FRAME_EDGE, y,
                             USAGE_WIDE);
}

static double bottleneck_put_gains(struct plot *p, const struct bottleneck *b, double y) {
  struct bottleneck_bars bars = {.n = 0};
  double gain[RELAXATIONS];
  for (unsigned r = 0; r < RELAXATIONS; r++) {
    const double x = bottleneck_gain_or_nan(b, 0, r);
    if (isnan(x)) continue;
    gain[bars.n] = x;
    bottleneck_add_bar(&bars, relaxations[r].label, 1, x, x < 1 ? loss_rgb : gain_rgb, "%.2f");
  }
  if (!bars.n) return y;
  struct frame_scale s = frame_scale_bars(gain, bars.n, FRAME_RATIOS);
  if (!s.log) { /* the bars begin at 1 */
    double least = 0.95, most = 1.05;
    for (unsigned i = 0; i < bars.n; i++) least = fmin(least, gain[i]), most = fmax(most, gain[i]);
    s = frame_scale_points(least, most);
  }
  return bottleneck_put_bars(p, &bars, "What IPC would be with one thing relaxed", "relative to the machine as it is",
                             &s, 1, FRAME_EDGE + USAGE_WIDE + GAP, y, WIDE - 2 * FRAME_EDGE - USAGE_WIDE - GAP);
}

static bool bottleneck_plot_kernel(const struct bottleneck *b, const char *path, struct err *e) {
  const struct cell *c = matrix_cell(&b->m, 0, 0);
  const struct config *m = &c->run.cfg;
  struct usage u;
  char title[320], about[320];
  FILE *f;
  usage_of(&c->run, &u);
  struct plot *p = plot_open(path, WIDE, WIDE, &f, e);
  if (!p) return false;
  snprintf(title, sizeof title, "What holds %.128s back", b->m.kernel[0].kernel);
  snprintf(about, sizeof about, "%s of %.60s, %.100s, size %.30s: IPC %.2f of %lld, the tightest is %s, %.0f %%",
           RUN_SMS(m), m->machine, b->m.system[0].label, b->m.size,
           (double)c->run.sm.warp_insns / (double)c->run.cycles, (long long)m->sm_schedulers * m->sim_sms,
           resources[u.order[0]].label, 100 * u.part[u.order[0]]);
  fprintf(f, "set multiplot\n");
  const double y = frame_put_head(p, title, about) + 6, usage = bottleneck_put_usage(p, &u, y),
               gains = bottleneck_put_gains(p, b, y);
  fprintf(f, "unset multiplot\n");
  plot_resize(p, WIDE, (unsigned)ceil(fmax(usage, gains)) + 4);
  return plot_close(p, e);
}

/* ---- several: a map of gains ---- */

static double bottleneck_mean_or_nan(const struct bottleneck *b, unsigned r) {
  const struct mean m =
      b->at[r] < 0 ? (struct mean){0} : matrix_mean(&b->m, measure_find("ipc"), (unsigned)b->at[r], 0);
  return mean_or_nan(&m);
}

/* A kernel's name, and its two busiest resources. */
static void bottleneck_row_name(const struct bottleneck *b, unsigned k, char *out, size_t n) {
  const struct cell *c = matrix_cell(&b->m, k, 0);
  const struct matrix_kernel *name = &b->m.kernel[k];
  struct usage u = {0};
  char text[200] = "failed";
  if (c->ok) {
    usage_of(&c->run, &u);
    snprintf(text, sizeof text, "%s %.0f%%, %s %.0f%%", resources[u.order[0]].label, 100 * u.part[u.order[0]],
             resources[u.order[1]].label, 100 * u.part[u.order[1]]);
  }
  snprintf(out, n, "%.40s: %.150s", name->alias[0] ? name->alias : name->kernel, text);
}

static bool bottleneck_plot_suite(const struct bottleneck *b, const char *path, struct err *e) {
  const unsigned columns = b->m.nsystem - 1, rows = b->m.nkernel + 1;
  const char **name = xcalloc(rows, sizeof *name), *head[RELAXATIONS];
  char(*text)[256] = xcalloc(rows, sizeof *text), about[320];
  double *v = xcalloc((size_t)rows * (columns + 1), sizeof *v);
  unsigned c = 0;
  FILE *f;
  for (unsigned k = 0; k < rows; k++) {
    if (k + 1 < rows) bottleneck_row_name(b, k, text[k], sizeof *text);
    name[k] = k + 1 < rows ? text[k] : "mean";
  }
  for (unsigned r = 0; r < RELAXATIONS; r++) {
    if (b->at[r] < 0) continue;
    head[c] = relaxations[r].label;
    for (unsigned k = 0; k < rows; k++)
      v[k * columns + c] = k + 1 < rows ? bottleneck_gain_or_nan(b, k, r) : bottleneck_mean_or_nan(b, r);
    c++;
  }
  const struct heat h = {.rows = rows,
                         .columns = columns,
                         .row = name,
                         .column = head,
                         .v = v,
                         .ratio = true,
                         .title = "IPC, relative to the machine as it is"};
  struct plot *p = plot_open(path, WIDE, WIDE, &f, e);
  if (p) {
    snprintf(about, sizeof about, "%s of %.60s, %.100s, size %.30s; left: the two busiest resources",
             RUN_SMS(&b->m.system[0].cfg), b->m.system[0].cfg.machine, b->m.system[0].label, b->m.size);
    fprintf(f, "set multiplot\n");
    double y = frame_put_head(p, "IPC with one thing of the machine relaxed", about);
    if (columns) y = heat_draw(p, &h, FRAME_EDGE, y + 4, WIDE - 2 * FRAME_EDGE);
    fprintf(f, "unset multiplot\n");
    plot_resize(p, WIDE, (unsigned)ceil(y) + 4);
  }
  free(name), free(text), free(v);
  return p && plot_close(p, e);
}

bool bottleneck_plot(const struct bottleneck *b, const char *path, struct err *e) {
  if (b->m.nkernel == 1 && !matrix_cell(&b->m, 0, 0)->ok)
    return err_at(e, path, 0, 0, "no picture: %s failed on the machine as it is", b->m.kernel[0].kernel);
  return b->m.nkernel == 1 ? bottleneck_plot_kernel(b, path, e) : bottleneck_plot_suite(b, path, e);
}
