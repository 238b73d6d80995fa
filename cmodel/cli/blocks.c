/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks: regtwin list blocks and list lockstep: the twins, what was recorded of them (cosim/table.sh), and what the papers name
 * (blocks/papers.def). The figures are those of the tree that this program was built from; a ~ stands behind one that was measured with
 * other files than that tree's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/list.h"
#include "lab/report/grid.h"
#include "lab/kernels/suite/about.h"

static const struct twins_row {
  const char *block, *holder; /* holder: the block whose Verilog holds this one, or "" */
  unsigned c_lines, rtl_lines, sets;
  const char *storage, *bins, *coverage, *mutants, *proofs, *area, *path; /* as text, "-": never measured */
  uint64_t cycles, driven;                                                /* of the SM: beside the C model; driven */
  unsigned kernels;
  bool stale;
  unsigned bad; /* runs with a mismatch or other statistics */
} twins[] = {
#define TWINS(...) {__VA_ARGS__},
#define FOLDER(...)
#define LOCKSTEP(...)
#include "gen/twins/blocks.def"
#undef TWINS
#undef FOLDER
#undef LOCKSTEP
};
static const struct folder { /* all files of a system's blocks */
  const char *name;
  unsigned c_lines, rtl_lines;
} folders[] = {
#define TWINS(...)
#define FOLDER(...) {__VA_ARGS__},
#define LOCKSTEP(...)
#include "gen/twins/blocks.def"
#undef TWINS
#undef FOLDER
#undef LOCKSTEP
};
static const struct run { /* on the whole SM; blocks: "BLOCK=INSTANCES:CYCLES ..." */
  const char *system, *keys, *machine, *class, *kernel, *size;
  bool driven;
  uint64_t cycles;
  unsigned mismatches;
  const char *statistics;
  bool stale;
  const char *blocks;
} runs[] = {
#define TWINS(...)
#define FOLDER(...)
#define LOCKSTEP(...) {__VA_ARGS__},
#include "gen/twins/blocks.def"
#undef TWINS
#undef FOLDER
#undef LOCKSTEP
    {0}}; /* a tree may have none */
enum { TWINS = sizeof twins / sizeof *twins, FOLDERS = sizeof folders / sizeof *folders };
static const unsigned nruns = sizeof runs / sizeof *runs - 1;

enum how { TWINNED, WITHIN, NO_TWIN };
static const struct named { /* a block that a paper names */
  enum paper paper;
  enum how how;
  const char *section, *name, *where, *text; /* where: a block, or the C file that does its work */
} named[] = {
#define OF_PAPER(paper, section, name, block) {PAPER_##paper, TWINNED, section, name, block, ""},
#define INSIDE(paper, section, name, block, text) {PAPER_##paper, WITHIN, section, name, block, text},
#define UNTWINNED(paper, section, name, file, text) {PAPER_##paper, NO_TWIN, section, name, file, text},
#include "blocks/papers.def"
#undef OF_PAPER
#undef INSIDE
#undef UNTWINNED
};
enum { NAMED = sizeof named / sizeof *named };

static const struct named *named_as(const char *block) {
  for (unsigned i = 0; i < NAMED; i++)
    if (named[i].how == TWINNED && !strcmp(named[i].where, block)) return &named[i];
  return NULL;
}

const char *block_full_name(const char *name) {
  for (unsigned i = 0; i < TWINS; i++)
    if (!strcmp(twins[i].block, name) || !strcmp(strchr(twins[i].block, '/') + 1, name)) return twins[i].block;
  return NULL;
}

/* ---- list blocks ---- */

/* Over how many cycles of the SM the block was compared; one without ports to the SM is seen through the one that holds it. */
static void lockstep_cells(struct grid *g, const struct twins_row *t) {
  const char *mark = t->bad ? "!" : t->stale ? "~" : "";
  if (t->kernels) {
    grid_cell(g, "%" PRIu64 "%s", t->cycles, mark);
    grid_cell(g, "%" PRIu64 "%s", t->driven, mark);
    grid_cell(g, "%u", t->kernels);
    return;
  }
  if (*t->holder) grid_cell(g, "in %s", strchr(t->holder, '/') + 1);
  else grid_cell(g, "-");
  grid_cell(g, "-");
  grid_cell(g, "-");
}

static void twins_table(void) {
  static const char *const head[] = {"block",          "paper", "C lines",     "RTL lines", "sets",
                                     "FF+memory bits", "bins",  "line/toggle", "faults",    "proofs",
                                     "area um2",       "ns",    "SM cycles",   "driven",    "kernels"};
  struct grid *g = grid_new();
  grid_put_heads(g, head, sizeof head / sizeof *head);
  for (unsigned i = 0; i < TWINS; i++) {
    const struct twins_row *t = &twins[i];
    const struct named *n = named_as(t->block);
    grid_row(g);
    grid_cell(g, "%s", t->block);
    grid_cell(g, "%s", n ? n->section : "-");
    grid_cell(g, "%u", t->c_lines);
    grid_cell(g, "%u", t->rtl_lines);
    grid_cell(g, "%u", t->sets);
    grid_cell(g, "%s", t->storage);
    grid_cell(g, "%s", t->bins);
    grid_cell(g, "%s", t->coverage);
    grid_cell(g, "%s", t->mutants);
    grid_cell(g, "%s", t->proofs);
    grid_cell(g, "%s", t->area);
    grid_cell(g, "%s", t->path);
    lockstep_cells(g, t);
  }
  grid_right(g, 2, 14);
  grid_print(g, stdout);
  grid_free(g);
}

static void named_table(void) {
  static const char *const head[] = {"paper", "section", "what it names", "twin", "or what does its work"};
  struct grid *g = grid_new();
  grid_put_heads(g, head, sizeof head / sizeof *head);
  for (unsigned i = 0; i < NAMED; i++) {
    const struct named *n = &named[i];
    grid_row(g);
    grid_cell(g, "%s", papers[n->paper].key);
    grid_cell(g, "%s", n->section);
    grid_cell(g, "%s", n->name);
    grid_cell(g, "%s%s", n->how == WITHIN ? "in " : "", n->how == NO_TWIN ? "-" : n->where);
    if (n->how == NO_TWIN) grid_cell(g, "%s (%s)", n->text, n->where);
    else grid_cell(g, "%s", n->text);
  }
  grid_print(g, stdout);
  grid_free(g);
}

/* ---- the short form, a row for each paper ---- */

struct sums {
  unsigned long got[3], of[3]; /* bins, faults, proofs */
  unsigned blocks, sets;
  double line, toggle, area, path;
  bool missing[3], stale;
};
static bool in_folder(const char *block, const char *folder) {
  const size_t n = strlen(folder);
  return !strncmp(block, folder, n) && block[n] == '/';
}
static double figure_read_number(const char *text, bool *stale) {
  *stale |= strchr(text, '~') != NULL;
  return strtod(text, NULL);
}
static void sums_add_fraction(struct sums *s, unsigned k, const char *text) {
  unsigned long got, of;
  s->stale |= strchr(text, '~') != NULL;
  if (sscanf(text, "%lu/%lu", &got, &of) != 2) s->missing[k] = true;
  else s->got[k] += got, s->of[k] += of;
}
static void sums_add_block(struct sums *s, const struct twins_row *t) {
  const double path = figure_read_number(t->path, &s->stale);
  const char *slash = strchr(t->coverage, '/');
  s->blocks++;
  s->sets += t->sets;
  sums_add_fraction(s, 0, t->bins);
  sums_add_fraction(s, 1, t->mutants);
  sums_add_fraction(s, 2, t->proofs);
  if (slash && figure_read_number(t->coverage, &s->stale) < s->line) s->line = strtod(t->coverage, NULL);
  if (slash && strtod(slash + 1, NULL) < s->toggle) s->toggle = strtod(slash + 1, NULL);
  if (!*t->holder) s->area += figure_read_number(t->area, &s->stale) / 1e6;
  if (path > s->path) s->path = path;
}

static void sums_print_fraction(const struct sums *s, unsigned k) {
  printf(" %lu/%lu%s |", s->got[k], s->of[k], s->missing[k] ? " (not all measured)" : "");
}

/* The runs of a folder's blocks: cycles beside the Verilog, driven by it, and what did not agree. */
static void runs_cell(const char *folder) {
  uint64_t cycles[2] = {0};
  unsigned n = 0, bad = 0;
  bool stale = false;
  for (unsigned i = 0; i < nruns; i++) {
    const struct run *r = &runs[i];
    if (!in_folder(r->blocks, folder)) continue;
    n++;
    cycles[r->driven] += r->cycles;
    bad += r->mismatches || strcmp(r->statistics, "equal");
    stale |= r->stale;
  }
  if (!n) printf(" - |");
  else
    printf(" %.2f M + %.2f M driven, %u runs, %u that differ%s |", (double)cycles[0] / 1e6, (double)cycles[1] / 1e6, n,
           bad, stale ? "~" : "");
}

static void short_row(const struct folder *f) {
  struct sums s = {.line = 100, .toggle = 100};
  const char *between = "";
  for (unsigned i = 0; i < TWINS; i++)
    if (in_folder(twins[i].block, f->name)) sums_add_block(&s, &twins[i]);
  printf("| [%s](../blocks/%s/overview.md): ", f->name, f->name);
  for (unsigned i = 0; i < TWINS; i++) {
    if (!in_folder(twins[i].block, f->name)) continue;
    printf("%s%s", between, strchr(twins[i].block, '/') + 1);
    between = ", ";
  }
  printf("%s | %u | %u | %u |", s.stale ? " ~" : "", f->c_lines, f->rtl_lines, s.sets);
  sums_print_fraction(&s, 0);
  printf(" %.1f/%.1f |", s.line, s.toggle);
  sums_print_fraction(&s, 1);
  sums_print_fraction(&s, 2);
  printf(" %.2f | %.2f |", s.area, s.path);
  runs_cell(f->name);
  putchar('\n');
}

static void short_table(void) {
  printf(
      "| blocks | C lines | RTL lines | sets | bins | line/toggle, %% | faults killed | proofs | mm2 | longest path, "
      "ns | cycles on "
      "the whole SM "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (unsigned i = 0; i < FOLDERS; i++) short_row(&folders[i]);
}

int list_blocks(bool markdown) {
  if (markdown) {
    short_table();
    return 0;
  }
  twins_table();
  puts(
      "\n~: a file that the result depends on has changed since, if only in a comment: the result is of the earlier "
      "file, and\nmake cosim, coverage, mutate, formal or synth BLOCK=S/B measures it again. -: not measured. !: a run "
      "differed. FF, memory, area "
      "and path at the first set, in "
      "0.18 um cells,\nmemories left out of the area; SM cycles: of kernels on the whole SM beside the Verilog, and "
      "driven by it "
      "(list lockstep).\n");
  named_table();
  return 0;
}

/* ---- list lockstep ---- */

static void blocks_text(const char *blocks, char *text, size_t size) {
  text[0] = 0;
  for (const char *at = blocks; *at; at += strcspn(at, " "), at += *at == ' ') {
    const char *slash = strchr(at, '/') + 1;
    const size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%.*s", n ? " " : "", (int)strcspn(slash, "="), slash);
  }
}

int list_lockstep(void) {
  static const char *const head[] = {"system", "keys",   "machine",    "class",      "kernel",
                                     "driven", "cycles", "mismatches", "statistics", "blocks"};
  struct grid *g = grid_new();
  grid_put_heads(g, head, sizeof head / sizeof *head);
  for (unsigned i = 0; i < nruns; i++) {
    const struct run *r = &runs[i];
    char text[200];
    blocks_text(r->blocks, text, sizeof text);
    grid_row(g);
    grid_cell(g, "%s", r->system);
    grid_cell(g, "%s", r->keys);
    grid_cell(g, "%s", r->machine);
    grid_cell(g, "%s", r->class);
    grid_cell(g, "%s", r->kernel);
    grid_cell(g, "%s", r->driven ? "yes" : "no");
    grid_cell(g, "%" PRIu64 "%s", r->cycles, r->stale ? "~" : "");
    grid_cell(g, "%u", r->mismatches);
    grid_cell(g, "%s", r->statistics);
    grid_cell(g, "%s", text);
  }
  grid_right(g, 6, 7);
  grid_print(g, stdout);
  grid_free(g);
  return 0;
}
