/* SPDX-License-Identifier: Apache-2.0 */
/* character_plots: see character_report.h. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/kernels/character_report.h"
#include "lab/report/chart.h"
#include "lab/report/figure.h"
#include "lab/report/frame.h"

enum { WIDE = PLOT_WIDE };

/* dir/file.png; false and *e: it is too long. */
static bool character_path(char path[PATH_MAX], const char *dir, const char *file, struct err *e) {
  return (size_t)snprintf(path, PATH_MAX, "%s/%s.png", dir, file) < PATH_MAX ||
         err_at(e, NULL, 0, 0, "--plots: found a path that is too long");
}

static void character_about(const struct character *c, char *about, size_t size) {
  snprintf(about, size, "%s of %.60s, system %.60s%s%.30s", RUN_SMS(&c->run.cfg), c->run.cfg.machine, c->run.cfg.system,
           c->run.size[0] ? ", size " : "", c->run.size);
}

/* ---- all kernels: a table as a picture ---- */

struct bars {
  const char *file, *title, *axis;
  enum figure_kind kind;
  const char *const *part;
  unsigned parts;
  double (*value)(const struct character *, unsigned part);
};

static bool character_plot_bars(const char *dir, const struct bars *b, const struct character *const *c, unsigned n,
                                struct err *e) {
  struct sheet s;
  struct figure f = {.sheet = &s};
  char path[PATH_MAX];
  if (!character_path(path, dir, b->file, e)) return false;
  sheet_init(&s, b->parts, 1, b->axis);
  for (unsigned k = 0; k < b->parts; k++) snprintf(s.column[k], sizeof s.column[k], "%s", b->part[k]);
  for (unsigned i = 0; i < n; i++) {
    double *v = sheet_row(&s, c[i]->run.kernel, "");
    for (unsigned k = 0; k < b->parts; k++) v[k] = b->value(c[i], k);
  }
  snprintf(f.title, sizeof f.title, "%s", b->title);
  character_about(c[0], f.about, sizeof f.about);
  figure_add_axis(&f, b->kind, 0, b->axis, NULL, 0);
  const bool ok = figure_draw(&f, path, e);
  figure_free(&f);
  sheet_free(&s);
  return ok;
}

static double mix_value(const struct character *c, unsigned k) {
  return 100 * fraction_of(c->mix[k], c->run.sm.warp_insns);
}
static double miss_value(const struct character *c, unsigned k) {
  const uint64_t part[] = {c->cold, c->again, c->merges};
  return 100 * fraction_of(part[k], c->reads);
}
static double reuse_value(const struct character *c, unsigned k) {
  static const unsigned above[] = {0, 1, 3, 10, 63};
  uint64_t from = histogram_above(&c->reuse, above[k]), to = k < 4 ? histogram_above(&c->reuse, above[k + 1]) : 0;
  return 100 * fraction_of(from - to, c->reuse.count);
}
static double locality_value(const struct character *c, unsigned k) {
  return fraction_of((k ? c->locality.stream_lines : c->locality.reused_lines) * 128, c->locality.windows * 1024);
}

static double stall_value(const struct character *c, unsigned k) {
  return k ? fraction_of(c->again_cycles, c->again_n) : fraction_of(c->stall_cycles, c->stall_n);
}

/* Of windows of the SM the mean, the least and the most (as FineReg's Fig 5); of a CTA and live ones the means. */
static double registers_value(const struct character *c, unsigned k) {
  const double part[] = {fraction_mean(&c->used), c->used.least, c->used.most, fraction_mean(&c->used_cta),
                         fraction_mean(&c->live)};
  return 100 * part[k];
}

/* ---- one kernel: registers over time, and its reuse distances ---- */

enum { HALF = 470, KERNEL_HIGH = 280, COURSE_HIGH = 62, ACROSS = 6 };
static const char used_rgb[] = "#888888", live_rgb[] = "#cc3311";

static const struct frame_key course_key[] = {{"accessed in 1000 warp instructions", used_rgb, FRAME_LINE, 0},
                                              {"live", live_rgb, FRAME_LINE, 0}};

/* Thousands of warp instructions, at least one. */
static double course_length(const struct character *c) { return fmax((double)c->used_over.n * c->used_over.stride, 1); }

/* Both courses over the area of the axes; i: which of the picture. */
static void character_put_course(struct plot *p, const struct character *c, unsigned i) {
  const struct series *u = &c->used_over, *l = &c->live_over;
  FILE *f = plot_script(p);
  fprintf(f, "$u%u << EOD\n", i);
  for (uint32_t k = 0; k < u->n; k++)
    fprintf(f, "%u %.6g %.6g\n", (k + 1) * u->stride, 100 * fraction_of(u->num[k], u->den[k]),
            100 * fraction_of(l->num[k], l->den[k]));
  fprintf(f, "NaN NaN NaN\nEOD\nplot $u%u using 1:2 with lines lc rgb '%s', $u%u using 1:3 with lines lc rgb '%s'\n", i,
          used_rgb, i, live_rgb);
  plot_clear(p);
}

static struct frame_scale percent_scale(unsigned tics) {
  struct frame_scale s = {.most = 100};
  s.tics = chart_place_ticks(0, 100, tics, s.tic, &s.decimals);
  return s;
}

static double character_put_reuse(struct plot *p, const struct character *c, double x0, double y) {
  const struct plot_font font = {PLOT_NORMAL, false, 0, NULL};
  double most = 0;
  for (unsigned k = 1; k < HIST_BINS; k++) most = fmax(most, 100 * fraction_of(c->reuse.bin[k], c->reuse.count));
  struct frame_scale x = {.most = HIST_BINS}, s = {.most = chart_end(most)};
  x.tics = chart_place_ticks(0, HIST_BINS, 8, x.tic, &x.decimals);
  s.tics = chart_place_ticks(0, s.most, 6, s.tic, &s.decimals);
  FILE *f = plot_script(p);
  plot_put(p, x0, y + 10, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, true, 0, NULL},
           "reuse distance, %% of the reuses");
  const struct frame_area a = {x0 + frame_numbers_width(&s), y + 26, x0 + HALF, y + 26 + KERNEL_HIGH};
  frame_put_axes(p, &a, &x, 0, 0, &s);
  plot_put(p, (a.x0 + a.x1) / 2, a.y1 + 29, PLOT_MIDDLE, font, "instructions of the warp; last bar: 64 and more");
  fprintf(f, "$r << EOD\n");
  for (unsigned k = 1; k < HIST_BINS; k++)
    fprintf(f, "%u %.6g\n", k, 100 * fraction_of(c->reuse.bin[k], c->reuse.count));
  fprintf(f, "EOD\nset style fill solid 1 noborder\nset boxwidth 0.9\nplot $r using 1:2 with boxes lc rgb '#0072b2'\n");
  plot_clear(p);
  return a.y1 + 44;
}

static bool character_plot_kernel(const struct character *c, const char *dir, struct err *e) {
  char path[PATH_MAX], title[256], about[320];
  FILE *f;
  struct plot *p = character_path(path, dir, c->run.kernel, e) ? plot_open(path, WIDE, WIDE, &f, e) : NULL;
  if (!p) return false;
  struct frame_scale x = {.most = course_length(c)};
  const struct frame_scale s = percent_scale(5);
  x.tics = chart_place_ticks(0, x.most, 6, x.tic, &x.decimals);
  snprintf(title, sizeof title, "Registers of %.200s", c->run.kernel);
  character_about(c, about, sizeof about);
  fprintf(f, "set multiplot\n");
  double y = frame_put_head(p, title, about);
  y = frame_put_key(p, FRAME_EDGE, y, WIDE - 2 * FRAME_EDGE, course_key, 2) + 4;
  plot_put(p, FRAME_EDGE, y + 10, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, true, 0, NULL},
           "%% of allocated registers over time");
  const struct frame_area a = {FRAME_EDGE + frame_numbers_width(&s), y + 26, FRAME_EDGE + HALF, y + 26 + KERNEL_HIGH};
  frame_put_axes(p, &a, &x, 0, 0, &s);
  plot_put(p, (a.x0 + a.x1) / 2, a.y1 + 29, PLOT_MIDDLE, (struct plot_font){PLOT_NORMAL, false, 0, NULL},
           "thousand warp instructions");
  character_put_course(p, c, 0);
  y = character_put_reuse(p, c, WIDE - FRAME_EDGE - HALF - 10, y);
  fprintf(f, "unset multiplot\n");
  plot_resize(p, WIDE, (unsigned)ceil(y) + 4);
  return plot_close(p, e);
}

/* Registers over time, a small picture for each kernel. */
static bool character_plot_courses(const struct character *const *c, unsigned n, const char *dir, struct err *e) {
  const double cell = (WIDE - 2 * FRAME_EDGE) / (double)ACROSS, step = COURSE_HIGH + 46;
  char path[PATH_MAX], about[320], name[256];
  FILE *f;
  struct plot *p = character_path(path, dir, "time", e) ? plot_open(path, WIDE, WIDE, &f, e) : NULL;
  if (!p) return false;
  const struct plot_font font = {PLOT_CELL, false, 0, NULL};
  character_about(c[0], about, sizeof about);
  fprintf(f, "set multiplot\n");
  double y = frame_put_head(p, "% of the allocated registers over thousands of warp instructions", about);
  y = frame_put_key(p, FRAME_EDGE, y, WIDE - 2 * FRAME_EDGE, course_key, 2) + 4;
  for (unsigned i = 0; i < n; i++) {
    const unsigned row = i / ACROSS;
    const double x0 = FRAME_EDGE + i % ACROSS * cell + 30, y0 = y + row * step + 18;
    const struct frame_area a = {x0, y0, x0 + cell - 42, y0 + COURSE_HIGH};
    const double length = course_length(c[i]);
    frame_put_axes(p, &a, NULL, 0, length, NULL);
    fprintf(f, "set yrange [0:100]\nunset logscale y\nset ytics (50)\nset grid ytics lt 1 lc rgb '#dddddd' lw 0.5\n");
    for (unsigned k = 0; k <= 100; k += 50)
      plot_put(p, a.x0 - 4, a.y1 - k / 100.0 * COURSE_HIGH, PLOT_RIGHT, font, "%u", k);
    plot_put(p, a.x0, a.y1 + 9, PLOT_MIDDLE, font, "0");
    plot_put(p, a.x1, a.y1 + 9, PLOT_RIGHT, font, "%.0f", length);
    plot_put(p, (a.x0 + a.x1) / 2, a.y0 - 9, PLOT_MIDDLE, (struct plot_font){PLOT_SMALL, false, 0, NULL}, "%s",
             plot_shorten(name, sizeof name, c[i]->run.kernel, cell - 12, PLOT_SMALL));
    character_put_course(p, c[i], i);
  }
  fprintf(f, "unset multiplot\n");
  const unsigned rows = (n + ACROSS - 1) / ACROSS;
  plot_resize(p, WIDE, (unsigned)ceil(y + rows * step) + 8);
  return plot_close(p, e);
}

bool character_plots(const struct character *const *c, unsigned n, const char *dir, struct err *e) {
  static const char *const miss[] = {"cold", "capacity or conflict", "joined a line under way"};
  static const char *const reuse[] = {"1", "2 to 3", "4 to 10", "11 to 63", "64 and more"};
  static const char *const where[] = {"reused by the top four loads", "streaming"};
  static const char *const stall[] = {"to the first stall", "to each stall"};
  static const char *const used[] = {"of the SM, mean", "of the SM, least", "most", "of a CTA, mean", "live, mean"};
  const struct bars all[] = {
      {"mix", "Instruction mix", "% of warp instructions", FIGURE_STACK, mix_names, MIX_COUNT, mix_value},
      {"l1", "L1 reads that are no hits", "% of lines read", FIGURE_STACK, miss, 3, miss_value},
      {"reuse", "Reuse distance of registers, instructions of the warp", "% of reuses", FIGURE_STACK, reuse, 5,
       reuse_value},
      {"locality", "Data of loads in windows of 50,000 cycles", "KB", FIGURE_BARS, where, 2, locality_value},
      {"registers", "Registers accessed in 1000 warp instructions", "% of allocated registers", FIGURE_RANGE, used, 5,
       registers_value},
      {"stall", "Cycles from the first issue to complete CTA stall", "cycles", FIGURE_BARS, stall, 2, stall_value}};
  bool ok = true;
  for (unsigned k = 0; ok && k < sizeof all / sizeof *all; k++) ok = character_plot_bars(dir, &all[k], c, n, e);
  ok = ok && character_plot_courses(c, n, dir, e);
  for (unsigned i = 0; ok && i < n; i++) ok = character_plot_kernel(c[i], dir, e);
  return ok;
}
