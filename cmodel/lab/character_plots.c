/* SPDX-License-Identifier: Apache-2.0 */
/* character_plots: see character_report.h. gnuplot reads its data from the same file as its commands,
 * characterize.gp, which stays beside the plots. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/character_report.h"

static bool have_gnuplot(void) {
  const char *path = getenv("PATH");
  char file[4096];
  for (const char *p = path ? path : ""; *p;) {
    size_t n = strcspn(p, ":");
    snprintf(file, sizeof file, "%.*s/gnuplot", (int)(n < 4000 ? n : 4000), p);
    if (!access(file, X_OK)) return true;
    p += n + (p[n] == ':');
  }
  return false;
}

bool plots_possible(const char *dir, struct err *e) {
  struct stat st;
  if (!have_gnuplot())
    return err_at(e, NULL, 0, 0, "found no gnuplot, expected it for --plots (Debian: gnuplot-nox)");
  if (strpbrk(dir, "'\n"))
    return err_at(e, NULL, 0, 0, "--plots: found a quote or a new line in '%.100s'", dir);
  if (!stat(dir, &st) && S_ISDIR(st.st_mode) && !access(dir, W_OK)) return true;
  return err_at(e, dir, 0, 0, "found no directory to write in, expected one for --plots");
}

static void head(FILE *f, const char *dir, const char *file, const char *title, const char *y,
                 unsigned width) {
  fprintf(
      f,
      "set terminal pngcairo size %u,420 font 'sans,10'\nset output '%s/%s.png'\nset title '%s' noenhanced\n",
      width, dir, file, title);
  fprintf(f,
          "set ylabel '%s'\nset grid ytics lc rgb '#cccccc'\nset grid back\nset key outside top center "
          "horizontal\n",
          y);
}

static unsigned width_of(unsigned n) { return 260 + 34 * n > 700 ? 260 + 34 * n : 700; }

/* Stacked bars, a column for each kernel. parts: names; value(c, k). */
static void stacked(FILE *f, const struct character *const *c, unsigned n, const char *const *parts,
                    unsigned nparts, bool percent, double (*value)(const struct character *, unsigned)) {
  static const char *const colour[] = {"#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677",
                                       "#aa3377", "#ee9944", "#bbbbbb", "#222222", "#88ccaa"};
  for (unsigned k = 0; k < nparts; k++) fprintf(f, "set linetype %u lc rgb '%s'\n", k + 1, colour[k % 10]);
  fprintf(f,
          "set style data histograms\nset style histogram rowstacked\nset boxwidth 0.75\nset style fill "
          "solid 0.9 border -1\n"
          "set xtics rotate by -50 noenhanced\nset yrange [0:%s]\n$d << EOD\nkernel",
          percent ? "100" : "*");
  for (unsigned k = 0; k < nparts; k++) fprintf(f, "\t%s", parts[k]);
  fputc('\n', f);
  for (unsigned i = 0; i < n; i++) {
    fprintf(f, "%s", c[i]->run.kernel);
    for (unsigned k = 0; k < nparts; k++) fprintf(f, "\t%.6g", value(c[i], k));
    fputc('\n', f);
  }
  fprintf(f,
          "EOD\nset datafile separator '\\t'\nplot for [k=2:%u] $d using k:xtic(1) title "
          "columnheader(k)\nreset\n",
          nparts + 1);
}

static double mix_value(const struct character *c, unsigned k) {
  return 100 * share(c->mix[k], c->run.sm.warp_insns);
}
static double miss_value(const struct character *c, unsigned k) {
  const uint64_t part[] = {c->cold, c->again, c->merges};
  return 100 * share(part[k], c->reads);
}
static double reuse_value(const struct character *c, unsigned k) {
  static const unsigned above[] = {0, 1, 3, 10, 62};
  uint64_t from = histogram_above(&c->reuse, above[k]),
           to = k < 4 ? histogram_above(&c->reuse, above[k + 1]) : 0;
  return 100 * share(from - to, c->reuse.count);
}
static double locality_value(const struct character *c, unsigned k) {
  return share((k ? c->locality.stream_lines : c->locality.reused_lines) * 128, c->locality.windows * 1024);
}

/* FineReg's Fig 5: a mark for the mean, a line from least to most. */
static void register_use(FILE *f, const struct character *const *c, unsigned n) {
  fprintf(f, "set xtics rotate by -50 noenhanced\nset yrange [0:100]\nset xrange [-0.6:%u-0.4]\n$d << EOD\n",
          n);
  for (unsigned i = 0; i < n; i++) {
    const struct fractions *u = &c[i]->used, *k = &c[i]->used_cta, *l = &c[i]->live;
    fprintf(f, "%u\t%s\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", i, c[i]->run.kernel, 100 * fraction_mean(u),
            100 * u->least,
            100 * u->most, 100 * fraction_mean(k), 100 * fraction_mean(l));
  }
  fprintf(f,
          "EOD\nset datafile separator '\\t'\nplot $d using 1:3:4:5:xtic(2) with yerrorbars pt 2 lc 'black' "
          "title 'of the SM, least to most', "
          "$d using 1:6 with points pt 6 lc 'blue' title 'of a CTA', "
          "$d using 1:7 with points pt 4 lc 'red' title 'live', %.1f with lines dt 2 lc 'grey' title "
          "'FineReg, mean'\nreset\n",
          PAPER_USED);
}

static void stalls(FILE *f, const struct character *const *c, unsigned n) {
  fprintf(f,
          "set xtics rotate by -50 noenhanced\nset logscale y\nset yrange [1:*]\nset xrange "
          "[-0.6:%u-0.4]\nset boxwidth 0.4\nset style fill solid 0.9\n$d << EOD\n",
          n);
  for (unsigned i = 0; i < n; i++)
    fprintf(f, "%u\t%s\t%.6g\t%.6g\n", i, c[i]->run.kernel, share(c[i]->stall_cycles, c[i]->stall_n),
            share(c[i]->again_cycles, c[i]->again_n));
  fprintf(f,
          "EOD\nset datafile separator '\\t'\nplot $d using ($1-0.2):3:xtic(2) with boxes title 'to the "
          "first stall', "
          "$d using ($1+0.2):4 with boxes title 'to each stall'\nreset\n");
}

/* One kernel: registers over time, and its reuse distances. */
static void one_kernel(FILE *f, const struct character *c, const char *dir) {
  const struct series *u = &c->used_over, *l = &c->live_over;
  head(f, dir, c->run.kernel, c->run.kernel, "% of allocated registers", 900);
  fprintf(
      f,
      "set multiplot layout 1,2 title '%s' noenhanced\nset title 'registers over time'\nset yrange [0:100]\n"
      "set xlabel 'thousand warp instructions'\n$u << EOD\n",
      c->run.kernel);
  for (uint32_t k = 0; k < u->n; k++)
    fprintf(f, "%u %.6g %.6g\n", (k + 1) * u->stride, 100 * share(u->num[k], u->den[k]),
            100 * share(l->num[k], l->den[k]));
  fprintf(
      f,
      "EOD\nplot $u using 1:2 with lines lw 2 title 'accessed', $u using 1:3 with lines lw 2 title 'live'\n"
      "set title 'reuse distance'\nset xlabel 'instructions of the warp'\nset ylabel '%% of reuses'\nset "
      "yrange [0:*]\n"
      "set xrange [0:64]\nset style fill solid 0.9\nset boxwidth 0.9\n$r << EOD\n");
  for (unsigned k = 1; k < HIST_BINS; k++)
    fprintf(f, "%u %.6g\n", k, 100 * share(c->reuse.bin[k], c->reuse.count));
  fprintf(f, "EOD\nplot $r using 1:2 with boxes title 'last bar: 64 and more'\nunset multiplot\nreset\n");
}

/* Registers over time, a small picture for each kernel. */
static void courses(FILE *f, const struct character *const *c, unsigned n, const char *dir) {
  enum { ACROSS = 6 };
  unsigned down = (n + ACROSS - 1) / ACROSS;
  fprintf(f, "set terminal pngcairo size %u,%u font 'sans,8'\nset output '%s/time.png'\n", 190 * ACROSS,
          130 * down + 50, dir);
  fprintf(
      f,
      "set multiplot layout %u,%u title '%% of allocated registers over thousands of warp instructions: "
      "accessed (grey), live (red)' noenhanced\nset yrange [0:100]\nset ytics 50\nset xtics auto\nunset key\n"
      "set grid ytics lc rgb '#cccccc'\n",
      down, (unsigned)ACROSS);
  for (unsigned i = 0; i < n; i++) {
    const struct series *u = &c[i]->used_over, *l = &c[i]->live_over;
    fprintf(f, "set title '%s' noenhanced offset 0,-0.7\nset xrange [0:%u]\nset xtics %u\n$u%u << EOD\n",
            c[i]->run.kernel, u->n * u->stride, u->n * u->stride / 2 ? u->n * u->stride / 2 : 1, i);
    for (uint32_t k = 0; k < u->n; k++)
      fprintf(f, "%u %.6g %.6g\n", (k + 1) * u->stride, 100 * share(u->num[k], u->den[k]),
              100 * share(l->num[k], l->den[k]));
    fprintf(
        f,
        "EOD\nplot $u%u using 1:2 with lines lc rgb '#888888', $u%u using 1:3 with lines lc rgb '#cc3311'\n",
        i, i);
  }
  fprintf(f, "unset multiplot\nreset\n");
}

static void all_plots(FILE *f, const struct character *const *c, unsigned n, const char *dir) {
  static const char *const miss[] = {"cold", "capacity or conflict", "joined a line under way"};
  static const char *const reuse[] = {"1", "2 to 3", "4 to 10", "11 to 62", "more"};
  static const char *const where[] = {"reused by the top four loads", "streaming"};
  unsigned w = width_of(n);
  head(f, dir, "mix", "Instruction mix", "% of warp instructions", w);
  stacked(f, c, n, mix_names, MIX_COUNT, true, mix_value);
  head(f, dir, "l1", "L1 reads that are no hits", "% of lines read", w);
  stacked(f, c, n, miss, 3, true, miss_value);
  head(f, dir, "reuse", "Reuse distance of registers, instructions of the warp", "% of reuses", w);
  stacked(f, c, n, reuse, 5, true, reuse_value);
  head(f, dir, "locality", "Data of loads in windows of 50000 cycles", "KB", w);
  stacked(f, c, n, where, 2, false, locality_value);
  head(f, dir, "registers", "Registers accessed in 1000 warp instructions", "% of allocated registers", w);
  register_use(f, c, n);
  head(f, dir, "stall", "Cycles from the first issue to complete CTA stall", "cycles", w);
  stalls(f, c, n);
  courses(f, c, n, dir);
  for (unsigned i = 0; i < n; i++) one_kernel(f, c[i], dir);
}

static bool draw(const char *script, struct err *e) {
  extern char **environ;
  char program[] = "gnuplot", file[4096];
  snprintf(file, sizeof file, "%s", script);
  char *argv[] = {program, file, NULL};
  pid_t pid;
  int status = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
  if (status) return err_at(e, NULL, 0, 0, "gnuplot: %s", strerror(status));
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return err_at(e, NULL, 0, 0, "gnuplot: %s", strerror(errno));
  return status == 0 || err_at(e, script, 0, 0,
                               "gnuplot failed (status %d), expected it to draw what this file says", status);
}

bool character_plots(const struct character *const *c, unsigned n, const char *dir, struct err *e) {
  char script[4096];
  if ((size_t)snprintf(script, sizeof script, "%s/characterize.gp", dir) >= sizeof script)
    return err_at(e, NULL, 0, 0, "--plots: found a path that is too long");
  FILE *f = fopen(script, "w");
  if (!f) return err_at(e, script, 0, 0, "cannot write: %s", strerror(errno));
  all_plots(f, c, n, dir);
  bool bad = ferror(f);
  if (fclose(f) || bad) return err_at(e, script, 0, 0, "cannot write: %s", strerror(errno));
  return draw(script, e);
}
