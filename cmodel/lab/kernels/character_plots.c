/* SPDX-License-Identifier: Apache-2.0 */
/* character_plots: see character_report.h. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lab/kernels/character_report.h"
#include "lab/report/plot.h"

/* Kernels side by side, at most so many in a row: a page is as wide as that. */
enum { ACROSS_MOST = 25, WIDE = 1000, ROW_HIGH = 320, TITLE_HIGH = 40 };
static unsigned plot_rows_of(unsigned n) { return (n + ACROSS_MOST - 1) / ACROSS_MOST; }
static unsigned plot_kernels_across(unsigned n) { return (n + plot_rows_of(n) - 1) / plot_rows_of(n); }

/* dir/file.png; NULL and *e. */
static struct plot *character_plot_open(const char *dir, const char *file, unsigned wide, unsigned high, FILE **f,
                                        struct err *e) {
  char path[PATH_MAX];
  if ((size_t)snprintf(path, sizeof path, "%s/%s.png", dir, file) < sizeof path)
    return plot_open(path, wide, high, f, e);
  err_at(e, NULL, 0, 0, "--plots: found a path that is too long");
  return NULL;
}

static struct plot *character_plot_begin(const char *dir, const char *file, const char *title, unsigned n,
                                         FILE **script, struct err *e) {
  struct plot *p = character_plot_open(dir, file, WIDE, ROW_HIGH * plot_rows_of(n) + TITLE_HIGH, script, e);
  if (p)
    fprintf(*script,
            "set multiplot layout %u,1 title \"%s\\n\" font 'sans,12'\n"
            "set xtics rotate by -50 scale 0\nset xrange [-0.7:%u-0.3]\nset lmargin 12\nset bmargin 8\n"
            "set grid ytics lc rgb '#cccccc'\nset grid back\n"
            "set key outside top center horizontal reverse Left samplen 1.5\n",
            plot_rows_of(n), title, plot_kernels_across(n));
  return p;
}

static void kernel_tics(struct plot *p, const struct character *const *c, unsigned n, unsigned row) {
  FILE *f = plot_script(p);
  fprintf(f, "set xtics (");
  for (unsigned k = 0, i = row * plot_kernels_across(n); i < n && k < plot_kernels_across(n); k++, i++)
    fprintf(f, "%s%s %u", k ? ", " : "", plot_tic(p, c[i]->run.kernel), k);
  fprintf(f, ")\n");
}

struct bars {
  const char *file, *title, *y;
  const char *const *part;
  unsigned parts;
  double (*value)(const struct character *, unsigned part);
  bool percent; /* stacked, to 100; else beside each other on a logarithmic scale */
};

/* One scale for all rows. */
static double bars_greatest(const struct bars *b, const struct character *const *c, unsigned n) {
  double most = 1;
  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < b->parts; k++)
      if (b->value(c[i], k) > most) most = b->value(c[i], k);
  return most;
}

static void bar_row(struct plot *p, const struct bars *b, const struct character *const *c, unsigned n, unsigned row) {
  FILE *f = plot_script(p);
  kernel_tics(p, c, n, row);
  fprintf(f, "$d%u << EOD\n", row);
  for (unsigned i = row * plot_kernels_across(n); i < n && i < (row + 1) * plot_kernels_across(n);
       i++, fprintf(f, "\n"))
    for (unsigned k = 0; k < b->parts; k++) fprintf(f, "%.6g ", b->value(c[i], k));
  fprintf(f, "EOD\nplot ");
  for (unsigned k = 0; k < b->parts; k++)
    fprintf(f, "%s$d%u using %u title %s", k ? ", " : "", row, k + 1, plot_text(p, "%s", b->part[k]));
  fputc('\n', f);
}

static bool character_plot_bars(const char *dir, const struct bars *b, const struct character *const *c, unsigned n,
                                struct err *e) {
  static const char *const colour[] = {"#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677",
                                       "#aa3377", "#ee9944", "#bbbbbb", "#222222", "#88ccaa"};
  FILE *f;
  struct plot *p = character_plot_begin(dir, b->file, b->title, n, &f, e);
  if (!p) return false;
  for (unsigned k = 0; k < b->parts; k++) fprintf(f, "set linetype %u lc rgb '%s'\n", k + 1, colour[k % 10]);
  fprintf(f, "set ylabel '%s'\nset style data histograms\nset boxwidth 0.8\nset style fill solid 0.9 border -1\n",
          b->y);
  if (b->percent) fprintf(f, "set style histogram rowstacked\nset yrange [0:100]\n");
  else
    fprintf(f, "set style histogram clustered gap 1\nset logscale y\nset yrange [1:%g]\n",
            1.5 * bars_greatest(b, c, n));
  for (unsigned row = 0; row < plot_rows_of(n); row++) bar_row(p, b, c, n, row);
  fprintf(f, "unset multiplot\n");
  return plot_close(p, e);
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

/* A mark for the mean, a line from least to most (as FineReg's Fig 5). */
static bool character_plot_registers(const char *dir, const struct character *const *c, unsigned n, struct err *e) {
  FILE *f;
  struct plot *p = character_plot_begin(dir, "registers", "Registers accessed in 1000 warp instructions", n, &f, e);
  if (!p) return false;
  fprintf(f, "set ylabel '%% of allocated registers'\nset yrange [0:105]\n");
  for (unsigned row = 0; row < plot_rows_of(n); row++) {
    kernel_tics(p, c, n, row);
    fprintf(f, "$d%u << EOD\n", row);
    for (unsigned i = row * plot_kernels_across(n); i < n && i < (row + 1) * plot_kernels_across(n); i++) {
      const struct fractions *u = &c[i]->used;
      fprintf(f, "%.6g %.6g %.6g %.6g %.6g\n", 100 * fraction_mean(u), 100 * u->least, 100 * u->most,
              100 * fraction_mean(&c[i]->used_cta), 100 * fraction_mean(&c[i]->live));
    }
    fprintf(
        f,
        "EOD\nplot $d%u using 0:1:2:3 with yerrorbars pt 2 lc 'black' title 'of the SM, least to most', $d%u "
        "using 0:4 with points pt 6 lc 'blue' title 'of a CTA', $d%u using 0:5 with points pt 4 lc 'red' title 'live'",
        row, row, row);
    for (const struct paper_trait *t = NULL; (t = trait_next(t, TRAIT_used));)
      fprintf(f, ", %.1f with lines dt 2 lc 'grey' title '%.*s, mean'", t->number, trait_paper(t), t->where);
    fputc('\n', f);
  }
  fprintf(f, "unset multiplot\n");
  return plot_close(p, e);
}

/* One kernel: registers over time, and its reuse distances. */
static bool character_plot_kernel(const struct character *c, const char *dir, struct err *e) {
  FILE *f;
  struct plot *p = character_plot_open(dir, c->run.kernel, WIDE, 420, &f, e);
  if (!p) return false;
  const struct series *u = &c->used_over, *l = &c->live_over;
  fprintf(f,
          "set ylabel '%% of allocated registers'\nset grid ytics lc rgb '#cccccc'\nset key outside top center "
          "horizontal\n"
          "set multiplot layout 1,2 title %s\nset title 'registers over time'\nset yrange [0:100]\n"
          "set xlabel 'thousand warp instructions'\n$u << EOD\n",
          plot_text(p, "%s", c->run.kernel));
  for (uint32_t k = 0; k < u->n; k++)
    fprintf(f, "%u %.6g %.6g\n", (k + 1) * u->stride, 100 * fraction_of(u->num[k], u->den[k]),
            100 * fraction_of(l->num[k], l->den[k]));
  fprintf(f,
          "EOD\nplot $u using 1:2 with lines lw 2 title 'accessed', $u using 1:3 with lines lw 2 title 'live'\n"
          "set title 'reuse distance'\nset xlabel 'instructions of the warp'\nset ylabel '%% of reuses'\nset "
          "yrange [0:*]\n"
          "set xrange [0:64]\nset style fill solid 0.9\nset boxwidth 0.9\n$r << EOD\n");
  for (unsigned k = 1; k < HIST_BINS; k++)
    fprintf(f, "%u %.6g\n", k, 100 * fraction_of(c->reuse.bin[k], c->reuse.count));
  fprintf(f, "EOD\nplot $r using 1:2 with boxes title 'last bar: 64 and more'\nunset multiplot\n");
  return plot_close(p, e);
}

/* Registers over time, a small picture for each kernel. */
static bool character_plot_courses(const struct character *const *c, unsigned n, const char *dir, struct err *e) {
  enum { ACROSS = 6 };
  unsigned down = (n + ACROSS - 1) / ACROSS;
  FILE *f;
  struct plot *p = character_plot_open(dir, "time", WIDE / ACROSS * ACROSS, 130 * down + 50, &f, e);
  if (!p) return false;
  fprintf(f,
          "set termoption font 'sans,8'\n"
          "set multiplot layout %u,%u title '%% of allocated registers over thousands of warp instructions: "
          "accessed (grey), live (red)'\nset yrange [0:100]\nset ytics 50\nset xtics auto\nunset key\n"
          "set grid ytics lc rgb '#cccccc'\n",
          down, (unsigned)ACROSS);
  for (unsigned i = 0; i < n; i++) {
    const struct series *u = &c[i]->used_over, *l = &c[i]->live_over;
    fprintf(f, "set title %s offset 0,-0.7\nset xrange [0:%u]\nset xtics %u\n$u%u << EOD\n",
            plot_text(p, "%s", c[i]->run.kernel), u->n * u->stride, u->n * u->stride / 2 ? u->n * u->stride / 2 : 1, i);
    for (uint32_t k = 0; k < u->n; k++)
      fprintf(f, "%u %.6g %.6g\n", (k + 1) * u->stride, 100 * fraction_of(u->num[k], u->den[k]),
              100 * fraction_of(l->num[k], l->den[k]));
    fprintf(f, "EOD\nplot $u%u using 1:2 with lines lc rgb '#888888', $u%u using 1:3 with lines lc rgb '#cc3311'\n", i,
            i);
  }
  fprintf(f, "unset multiplot\n");
  return plot_close(p, e);
}

bool character_plots(const struct character *const *c, unsigned n, const char *dir, struct err *e) {
  static const char *const miss[] = {"cold", "capacity or conflict", "joined a line under way"};
  static const char *const reuse[] = {"1", "2 to 3", "4 to 10", "11 to 63", "64 and more"};
  static const char *const where[] = {"reused by the top four loads", "streaming"};
  static const char *const stall[] = {"to the first stall", "to each stall"};
  const struct bars all[] = {
      {"mix", "Instruction mix", "% of warp instructions", mix_names, MIX_COUNT, mix_value, true},
      {"l1", "L1 reads that are no hits", "% of lines read", miss, 3, miss_value, true},
      {"reuse", "Reuse distance of registers, instructions of the warp", "% of reuses", reuse, 5, reuse_value, true},
      {"locality", "Data of loads in windows of 50000 cycles", "KB", where, 2, locality_value, false},
      {"stall", "Cycles from the first issue to complete CTA stall", "cycles", stall, 2, stall_value, false}};
  bool ok = true;
  for (unsigned k = 0; ok && k < sizeof all / sizeof *all; k++) ok = character_plot_bars(dir, &all[k], c, n, e);
  ok = ok && character_plot_registers(dir, c, n, e) && character_plot_courses(c, n, dir, e);
  for (unsigned i = 0; ok && i < n; i++) ok = character_plot_kernel(c[i], dir, e);
  return ok;
}
