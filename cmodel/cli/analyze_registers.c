/* SPDX-License-Identifier: Apache-2.0 */
/* analyze --registers: registers per thread of each kernel as written and scheduled, beside what its launch file forces
 * and what the real compiler gave; and its innermost loops of constant trip count, with how often each is unrolled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cli/cli.h"
#include "compiler/regalloc/regalloc.h"
#include "lab/report/grid.h"
#include "lab/run/compile.h"

/* Of one entry; 0: not known. */
struct counts {
  unsigned live, none, list, forced, ptxas;
};

struct sums {
  unsigned entries, known, forced;
  double none, list;                                              /* of all entries */
  double known_none, known_list, known_ptxas, off_none, off_list; /* of those that ptxas's count is known of */
};

static void sums_add_counts(struct sums *s, const struct counts *c) {
  s->entries++;
  s->none += c->none;
  s->list += c->list;
  s->forced += c->forced != 0;
  if (!c->ptxas) return;
  s->known++;
  s->known_none += c->none;
  s->known_list += c->list;
  s->known_ptxas += c->ptxas;
  s->off_none += fabs((double)c->none - c->ptxas);
  s->off_list += fabs((double)c->list - c->ptxas);
}

/* The workload with every launched kernel allocated, whatever its launch file forces. */
static bool open_needed(const char *name, const char *size, const struct config *base, bool list, struct workload *w,
                        struct err *e) {
  struct config cfg = *base;
  cfg.compile_narrow = compile_narrow_none;
  cfg.compile_regs = compile_regs_need;
  cfg.compile_schedule = list ? compile_schedule_list : compile_schedule_none;
  return workload_compile(name, size, &cfg, 0, w, e);
}

/* Every entry of the manifest's counts must be one that is launched: else a count would be lost silently. */
static bool counts_used(const struct about_ptxas *p, const struct workload *w, struct err *e) {
  for (unsigned i = 0; i < p->n; i++) {
    const char *k = NULL;
    for (unsigned j = 0; (k = script_kernel(w->script, j)) && strcmp(k, p->of[i].entry);) j++;
    if (!k)
      return err_at(e, w->path, 0, 0,
                    "found no launch of '%.100s', of which about.yaml has ptxas's count, expected one", p->of[i].entry);
  }
  return true;
}

static unsigned count_of(const struct about_ptxas *p, const char *entry) {
  for (unsigned i = 0; i < p->n; i++)
    if (!strcmp(p->of[i].entry, entry)) return p->of[i].regs;
  return 0;
}

static void grid_put_known(struct grid *g, unsigned n) {
  if (n) grid_cell(g, "%u", n);
  else grid_cell(g, "-");
}

static void counts_put_row(struct grid *g, const char *name, const char *entry, const struct counts *c,
                           const struct about_ptxas *p) {
  grid_row(g);
  grid_cell(g, "%s", SHOWN(name));
  grid_cell(g, "%s", SHOWN(entry));
  grid_cell(g, "%u", c->live);
  grid_cell(g, "%u", c->none);
  grid_cell(g, "%u", c->list);
  grid_put_known(g, c->forced);
  grid_put_known(g, c->ptxas);
  if (c->ptxas) grid_cell(g, "%s, %s", SHOWN(p->target), SHOWN(p->version));
  else grid_cell(g, "-");
}

struct tables {
  struct grid *counts, *loops;
  uint32_t nloop;
};

/* What becomes of a loop's iterations. */
static void put_copies(struct grid *g, const struct inner_loop *l) {
  if (l->copies == l->trips) grid_cell(g, "all");
  else if (l->copies > 1) grid_cell(g, "%u at a time", (unsigned)l->copies);
  else if (l->why == LOOP_PRAGMA) grid_cell(g, "none: .pragma \"nounroll\"");
  else grid_cell(g, "none: too long");
}

/* The table of loops says what could be unrolled, also where nothing is. */
static unsigned unroll_shown(const struct config *cfg) {
  return cfg->compile_schedule_unroll > 1 ? (unsigned)cfg->compile_schedule_unroll : 4;
}

static bool list_loops(struct tables *t, const char *name, const char *size, const struct config *cfg,
                       const struct module *launched, struct err *e) {
  struct workload w;
  if (!workload_read(name, size, &w, e)) return false;
  for (uint32_t i = 0; i < w.module->nkernel; i++) {
    struct code *c = &w.module->kernel[i];
    struct inner_loop *l;
    if (!launched->kernel[i].allocated) continue;
    const uint32_t n = code_loops(w.module, c, unroll_shown(cfg), &l);
    for (uint32_t k = 0; k < n; k++) {
      if (!l[k].trips) continue;
      t->nloop++;
      grid_row(t->loops);
      grid_cell(t->loops, "%s", SHOWN(w.name));
      grid_cell(t->loops, "%s", SHOWN(c->name));
      grid_cell(t->loops, "%u", (unsigned)l[k].line);
      grid_cell(t->loops, "%u", (unsigned)(l[k].back - l[k].head + 1));
      grid_cell(t->loops, "%u", (unsigned)l[k].trips);
      put_copies(t->loops, &l[k]);
    }
    free(l);
  }
  workload_close(&w);
  return true;
}

static bool tables_add_kernel(struct tables *t, const char *name, const char *size, const struct config *cfg,
                              struct sums *s, struct err *e) {
  struct grid *g = t->counts;
  struct workload w[2];
  struct arena arena = {0};
  struct about about = {0};
  bool there = false;
  if (!open_needed(name, size, cfg, false, &w[0], e)) return false;
  if (!open_needed(name, size, cfg, true, &w[1], e)) {
    workload_close(&w[0]);
    return false;
  }
  bool ok = about_beside(&about, &arena, w[0].path, &there, e) && counts_used(&about.ptxas, &w[0], e);
  for (uint32_t i = 0; ok && i < w[0].module->nkernel; i++) {
    const struct code *c = &w[0].module->kernel[i];
    if (!c->allocated) continue; /* not launched */
    const struct counts n = {c->maxlive, c->nreg, w[1].module->kernel[i].nreg, script_regs(w[0].script, c->name),
                             count_of(&about.ptxas, c->name)};
    counts_put_row(g, w[0].name, c->name, &n, &about.ptxas);
    sums_add_counts(s, &n);
  }
  ok = ok && list_loops(t, name, size, cfg, w[0].module, e);
  arena_free(&arena);
  workload_close(&w[0]);
  workload_close(&w[1]);
  return ok;
}

static void print_sums(const struct sums *s, const struct config *cfg) {
  printf(
      "\nlive: most registers live at once; none, list: allocated, as written and by compile.schedule=list\n"
      "(compile.schedule_load %d, compile.schedule_regs %d, compile.schedule_unroll %d); launch: forced by the launch "
      "file;\n"
      "-: not known\n",
      (int)cfg->compile_schedule_load, (int)cfg->compile_schedule_regs, (int)cfg->compile_schedule_unroll);
  if (s->entries)
    printf("%u entries: mean %.1f none, %.1f list\n", s->entries, s->none / s->entries, s->list / s->entries);
  if (s->known)
    printf(
        "%u of them by ptxas: mean %.1f none, %.1f list, %.1f ptxas; mean absolute difference from ptxas %.1f none, "
        "%.1f list\n",
        s->known, s->known_none / s->known, s->known_list / s->known, s->known_ptxas / s->known, s->off_none / s->known,
        s->off_list / s->known);
}

static struct grid *grid_with_heads(const char *const *head, unsigned n, unsigned right, unsigned end) {
  struct grid *g = grid_new();
  grid_put_heads(g, head, n);
  grid_right(g, right, end);
  return g;
}

static void print_tables(const struct tables *t, const struct sums *sums, const struct config *cfg) {
  grid_print(t->counts, stdout);
  print_sums(sums, cfg);
  if (!t->nloop) return;
  printf(
      "\nInnermost loops of constant trip count, and how many iterations compile.schedule=list unrolls with\n"
      "compile.schedule_unroll=%u:\n",
      unroll_shown(cfg));
  grid_print(t->loops, stdout);
}

bool analyze_registers(const char *what, const char *size, const struct config *cfg, struct err *e) {
  static const char *const counts[] = {"kernel", "entry", "live", "none", "list", "launch", "ptxas", "target, version"};
  static const char *const loops[] = {"kernel", "entry", "PTX line", "instructions", "trips", "unrolled"};
  struct sums sums = {0};
  struct suite s = {0};
  struct tables t = {grid_with_heads(counts, sizeof counts / sizeof *counts, 2, 6),
                     grid_with_heads(loops, sizeof loops / sizeof *loops, 2, 4), 0};
  bool ok = what ? tables_add_kernel(&t, what, size, cfg, &sums, e) : suite_open(&s, e);
  for (unsigned i = 0; ok && i < s.n; i++) ok = tables_add_kernel(&t, s.kernel[i].name, size, cfg, &sums, e);
  if (ok) print_tables(&t, &sums, cfg);
  grid_free(t.counts);
  grid_free(t.loops);
  suite_free(&s);
  return ok;
}
