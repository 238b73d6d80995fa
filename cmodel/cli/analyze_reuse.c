/* SPDX-License-Identifier: Apache-2.0 */
/* analyze --reuse: reuse distances of registers, and near and far operands, of the kernels that a launch file executes. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/io.h"
#include "base/show.h"
#include "cli/cli.h"
#include "lab/report/grid.h"
#include "lab/run/compile.h"
#include "lab/run/near.h"
#include "lab/run/reuse.h"

static uint64_t reuse_count_between(const struct reuse_entry *x, uint32_t from, uint32_t to) {
  uint64_t n = 0;
  for (uint32_t d = from; d <= to && d < REUSE_BINS; d++) n += x->bin[d];
  return n;
}

static double reuse_percent(uint64_t n, uint64_t of) { return of ? 100.0 * (double)n / (double)of : 0; }

static void reuse_print_histogram(const struct reuse_entry *x, uint64_t reuses, FILE *f) {
  static const struct {
    uint32_t from, to;
  } row[] = {{1, 1}, {2, 2}, {3, 3}, {4, 6}, {7, 10}, {11, 12}, {13, 20}, {21, 40}, {41, 63}};
  struct grid *g = grid_new();
  grid_row(g);
  grid_cell(g, "  distance");
  grid_cell(g, "reuses");
  grid_cell(g, "%%");
  for (unsigned k = 0; k <= sizeof row / sizeof *row; k++) {
    const bool last = k == sizeof row / sizeof *row;
    const uint64_t n = last ? x->bin[0] : reuse_count_between(x, row[k].from, row[k].to);
    grid_row(g);
    if (last) grid_cell(g, "  above %d", REUSE_BINS - 1);
    else if (row[k].from == row[k].to) grid_cell(g, "  %" PRIu32, row[k].from);
    else grid_cell(g, "  %" PRIu32 " to %" PRIu32, row[k].from, row[k].to);
    grid_cell(g, "%" PRIu64, n);
    grid_cell(g, "%.1f", reuse_percent(n, reuses));
  }
  grid_right(g, 1, 2);
  grid_print(g, f);
  grid_free(g);
}

/* Operands of the code that were executed, and how many of them are near. */
static void reuse_print_operands(const struct reuse_entry *x, uint32_t near, FILE *f) {
  unsigned n[2][2] = {{0}}; /* source, destination: all, near */
  for (uint32_t i = 0; i < x->n; i++) {
    const unsigned bits = reuse_near(&x->insn[i].count);
    for (unsigned k = 0; k < REUSE_OPERANDS; k++) {
      if (!x->insn[i].count.near[k] && !x->insn[i].count.far[k]) continue;
      n[k >= 6][0]++;
      n[k >= 6][1] += bits >> reuse_bit(k) & 1;
    }
  }
  fprintf(f, "  near          %u of %u sources, %u of %u destinations executed: most reuses within %" PRIu32 "\n",
          n[0][1], n[0][0], n[1][1], n[1][0], near);
}

static void reuse_print_executed(const struct reuse_entry *x, FILE *f) {
  const uint64_t reuses = reuse_count_between(x, 1, REUSE_BINS - 1) + x->bin[0];
  fprintf(f, "  executed      %" PRIu64 " warps, %" PRIu64 " instructions\n", x->warps, x->insns);
  fprintf(f, "  accesses      %" PRIu64 " of registers, %" PRIu64 " without a reuse\n", reuses + x->never, x->never);
  fprintf(f, "  reuses        %" PRIu64 ": %.1f %% at a distance above 3, %.1f %% above 10\n", reuses,
          reuse_percent(reuses - reuse_count_between(x, 1, 3), reuses),
          reuse_percent(reuses - reuse_count_between(x, 1, 10), reuses));
  reuse_print_histogram(x, reuses, f);
}

static void reuse_print_entry(const struct reuse_profile *p, const struct reuse_entry *x, bool read, FILE *f) {
  fprintf(f, "kernel %s\n", SHOWN(x->name));
  reuse_print_operands(x, p->near, f);
  if (!read) reuse_print_executed(x, f);
}

static bool reuse_save_profile(const struct reuse_profile *p, const char *path, struct err *e) {
  char why[IO_WHY];
  struct output *o = output_open(path, why);
  if (o) reuse_write(p, output_stream(o));
  return (o && output_close(o, true, why)) || err_at(e, path, 0, 0, "cannot write: %s", why);
}

/* Of all kernels together, as the paper's Fig 1 has a program. */
static void reuse_print_sums(const struct reuse_profile *p, FILE *f) {
  struct reuse_entry all = {.name = ""};
  for (uint32_t i = 0; i < p->n; i++)
    for (unsigned d = 0; d < REUSE_BINS; d++) all.bin[d] += p->entry[i].bin[d];
  const uint64_t reuses = reuse_count_between(&all, 1, REUSE_BINS - 1) + all.bin[0];
  fprintf(f, "%" PRIu32 " kernels: %" PRIu64 " reuses: %.1f %% at a distance above 3, %.1f %% above 10\n", p->n, reuses,
          reuse_percent(reuses - reuse_count_between(&all, 1, 3), reuses),
          reuse_percent(reuses - reuse_count_between(&all, 1, 10), reuses));
}

static bool reuse_show_profile(const struct reuse_args *a, const struct reuse_profile *p, struct err *e) {
  if (a->write && !reuse_save_profile(p, a->write, e)) return false;
  if (a->write && !strcmp(a->write, "-")) return true;
  for (uint32_t i = 0; i < p->n; i++)
    if (!a->kernel || !strcmp(a->kernel, p->entry[i].name)) reuse_print_entry(p, &p->entry[i], a->read, stdout);
  if (!a->kernel && !a->read && p->n > 1) reuse_print_sums(p, stdout);
  return true;
}

/* Of a file nothing was executed. */
static bool reuse_make_profile(const struct reuse_args *a, struct workload *w, struct reuse_profile *p, struct err *e) {
  const uint32_t near = near_most(a->cfg);
  return a->read ? reuse_read(p, a->read, w, near, e) : reuse_run(w, 0, a->ctas, near, p, e);
}

bool analyze_reuse(struct reuse_args *a, struct err *e) {
  char why[IO_WHY];
  struct workload w;
  struct reuse_profile p = {0};
  if (a->write && !output_possible(a->write, why)) return err_at(e, a->write, 0, 0, "cannot write: %s", why);
  if (!workload_compile(a->what, a->size, a->cfg, 0, &w, e)) return false;
  const bool ok =
      analyze_entry(w.module, &a->kernel, e) && reuse_make_profile(a, &w, &p, e) && reuse_show_profile(a, &p, e);
  reuse_free(&p);
  workload_close(&w);
  return ok;
}
