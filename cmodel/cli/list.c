/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list: regtwin list kernels|systems|configs|measures|experiments|resources|relaxations|blocks|lockstep|ptx. The table of kernels is the manifest
 * (lab/kernels/suite/about.h) beside what is computed from the kernel itself: registers, blocks and what limits the CTAs on
 * each machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/show.h"
#include "cli/cli.h"
#include "lab/kernels/suite/about.h"
#include "lab/campaign/measure.h"
#include "lab/campaign/relax.h"
#include "lab/run/usage.h"
#include "lab/run/shape.h"
#include "lab/report/grid.h"

struct args {
  const char *what;
  bool verbose, markdown, json;
  int paper; /* -1: all kernels */
};

static const char things[] =
    "kernels, systems, configs, measures, experiments, resources, relaxations, blocks, lockstep or ptx";
enum { OPT_PAPER = 256, OPT_MARKDOWN, OPT_JSON };
static const struct argp_option options[] = {
    {"verbose", 'v', NULL, 0, "kernels: a description of each, its sizes and launches", 0},
    {"paper", OPT_PAPER, "PAPER", 0,
     "kernels: those that stand for a program of this paper, and which of its programs are missing; PAPER is one of"
#define PAPER(key, source, machine, mean, whole, groups, rule) " " #key
#include "gen/systems/papers.def"
     ,
     0},
    {"markdown", OPT_MARKDOWN, NULL, 0, "blocks: the short form for a page, a row for each paper; ptx: for a page", 0},
    {"json", OPT_JSON, NULL, 0, "ptx: as JSON", 0},
    {0}};

static error_t list_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case 'v': a->verbose = true; return 0;
    case OPT_PAPER:
      a->paper = paper_find(arg);
      if (a->paper < 0) argp_error(state, "--paper: found '%s', expected %s", arg, paper_keys);
      return 0;
    case OPT_MARKDOWN: a->markdown = true; return 0;
    case OPT_JSON: a->json = true; return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "found nothing to list, expected %s", things); return 0;
    case ARGP_KEY_ARG:
      if (a->what) argp_error(state, "found a second argument '%s', expected one", arg);
      if (strcmp(arg, "kernels") && strcmp(arg, "systems") && strcmp(arg, "configs") && strcmp(arg, "measures") &&
          strcmp(arg, "experiments") && strcmp(arg, "resources") && strcmp(arg, "relaxations") &&
          strcmp(arg, "blocks") && strcmp(arg, "lockstep") && strcmp(arg, "ptx"))
        argp_error(state, "found '%s', expected %s", arg, things);
      a->what = arg;
      return 0;
    case ARGP_KEY_END:
      if (a->what && strcmp(a->what, "kernels") && (a->verbose || a->paper >= 0))
        argp_error(state, "found --paper or -v with '%s', expected them with kernels", a->what);
      if (a->what && strcmp(a->what, "blocks") && strcmp(a->what, "ptx") && a->markdown)
        argp_error(state, "found --markdown with '%s', expected it with blocks or ptx", a->what);
      if (a->what && a->json && (strcmp(a->what, "ptx") || a->markdown))
        argp_error(state, "found --json, expected it with ptx, and without --markdown");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* The first line of a launch file, without its "# ". */
static void launch_file_describe(const char *path, char *buf, size_t size) {
  buf[0] = 0;
  char why[IO_WHY];
  FILE *f = input_open(path, why);
  if (!f) return;
  if (fgets(buf, (int)size, f)) {
    buf[strcspn(buf, "\n")] = 0;
    size_t skip = strspn(buf, "# ");
    memmove(buf, buf + skip, strlen(buf + skip) + 1);
  }
  fclose(f);
}

static void script_print_names(const char *what, const struct script *s,
                               const char *(*name)(const struct script *, unsigned)) {
  printf("%-22s %-8s", "", what);
  for (unsigned k = 0; name(s, k); k++) printf(" %s", name(s, k));
  putchar('\n');
}

static bool launch_file_print(const char *name, struct err *e) {
  struct workload w;
  char text[200];
  if (!workload_find(name, &w, e)) return false;
  launch_file_describe(w.path, text, sizeof text);
  w.script = script_read(w.path, e);
  if (!w.script) return false;
  printf("%-22s %-8s %s\n", SHOWN(name), "does", SHOWN(text));
  if (script_size_name(w.script, 0)) script_print_names("sizes", w.script, script_size_name);
  script_print_names("launches", w.script, script_kernel);
  script_free(w.script);
  return true;
}

/* What is said of it at length, after the table. */
static bool at_length(const struct suite_kernel *k, struct err *e) {
  if (!launch_file_print(k->name, e)) return false;
  const struct about *a = &k->about;
  if (!k->has_about) return true;
  printf("%-22s %-8s %s\n%-22s %-8s %s, metric %s, suite %s%s\n%-22s %-8s %s\n", "", "what", SHOWN(a->what), "",
         "entry", a->entry, a->metric, SHOWN(a->suite), a->work ? "; what it executes depends on timing" : "", "",
         "differs", SHOWN(a->differs));
  return true;
}

/* "finereg TR,TP type-r; ltrf transpose insensitive" */
static void names_text(const struct suite_kernel *k, char *buf, size_t size) {
  FILE *f = fmemopen(buf, size, "w");
  const char *between = "";
  if (!f) no_memory(1, BUFSIZ);
  for (int p = 0; p < PAPERS; p++) {
    const struct about_paper *a = &k->about.paper[p];
    if (!a->nname) continue;
    fprintf(f, "%s%s ", between, papers[p].key);
    for (unsigned i = 0; i < a->nname; i++) fprintf(f, "%s%s", i ? "," : "", a->name[i]);
    fprintf(f, "%s%s", a->group[0] ? " " : "", a->group);
    between = "; ";
  }
  fputc(0, f);
  fclose(f);
}

/* Ours, and the paper's beside it. */
static void list_put_both(struct grid *g, unsigned ours, unsigned paper) {
  grid_cell(g, "%u", ours);
  if (paper) grid_cell(g, "%u", paper);
  else grid_cell(g, "-");
}

static bool list_put_row(struct grid *g, const struct suite_kernel *k, struct err *e) {
  struct kernel_shape s;
  char names[512];
  unsigned regs = 0, warps = 0;
  if (!kernel_shape(k->name, k->has_about ? k->about.entry : NULL, &s, e)) return false;
  for (int p = 0; p < PAPERS; p++) {
    if (k->about.paper[p].regs) regs = k->about.paper[p].regs;
    if (k->about.paper[p].warps) warps = k->about.paper[p].warps;
  }
  names_text(k, names, sizeof names);
  grid_row(g);
  grid_cell(g, "%s", k->name);
  list_put_both(g, s.regs, regs);
  if (s.block[2] > 1) grid_cell(g, "%ux%ux%u", s.block[0], s.block[1], s.block[2]);
  else if (s.block[1] > 1) grid_cell(g, "%ux%u", s.block[0], s.block[1]);
  else grid_cell(g, "%u", s.block[0]);
  list_put_both(g, s.need.warps, warps);
  grid_cell(g, "%u", s.need.shared);
  for (const struct config_name *m = config_machines(); m->name; m++) {
    struct cta_fit f;
    if (!kernel_fit(&s, m->name, &f, e)) return false;
    grid_cell(g, "%u by %s", f.ctas, !strcmp(f.limiter, "shared memory") ? "shared" : f.limiter);
  }
  grid_cell(g, "%s", k->has_about ? k->about.suite : "-");
  grid_cell(g, "%s", names[0] ? names : "-");
  return true;
}

static struct grid *new_grid(void) {
  static const char *const left[] = {"kernel", "regs", "paper", "block", "warps", "paper", "shared"};
  struct grid *g = grid_new();
  grid_put_heads(g, left, sizeof left / sizeof *left);
  for (const struct config_name *m = config_machines(); m->name; m++) grid_cell(g, "%s", m->name);
  grid_cell(g, "suite");
  grid_cell(g, "papers");
  grid_right(g, 1, 2);
  grid_right(g, 4, 6);
  return g;
}

/* "18 of 18 names of FineReg (MICRO'18), Table II" and those that no kernel stands for; of a paper without a list only if it was named. */
static void paper_print_coverage(const struct suite *s, enum paper p, bool named) {
  unsigned all = 0, here = 0;
  for (unsigned i = 0; i < paper_nnames; i++) {
    if (paper_names[i].paper != p) continue;
    all++;
    here += suite_covers(s, &paper_names[i]) != NULL;
  }
  if (!all) {
    if (named) printf("%s: none of its programs is listed\n", papers[p].source);
    return;
  }
  printf("%s: %u of %u names have a kernel%s", papers[p].source, here, all, here < all ? "; missing:" : "");
  for (unsigned i = 0; i < paper_nnames; i++)
    if (paper_names[i].paper == p && !suite_covers(s, &paper_names[i])) printf(" %s", paper_names[i].names);
  putchar('\n');
}

static bool kernel_is_shown(const struct suite_kernel *k, const struct args *a) {
  return a->paper < 0 || k->about.paper[a->paper].nname;
}

static bool suite_print_table(const struct suite *s, const struct args *a, struct err *e) {
  struct grid *g = new_grid();
  bool ok = true;
  for (unsigned i = 0; ok && i < s->n; i++)
    if (kernel_is_shown(&s->kernel[i], a)) ok = list_put_row(g, &s->kernel[i], e);
  if (ok) grid_print(g, stdout);
  grid_free(g);
  if (!ok) return false;
  putchar('\n');
  for (int p = 0; p < PAPERS; p++)
    if (a->paper < 0 || a->paper == p) paper_print_coverage(s, (enum paper)p, a->paper == p);
  return true;
}

static int list_suite_kernels(const struct args *a) {
  struct err e = {0};
  struct suite s;
  bool ok = suite_open(&s, &e);
  if (ok && !a->verbose) ok = suite_print_table(&s, a, &e);
  for (unsigned i = 0; ok && a->verbose && i < s.n; i++)
    if (kernel_is_shown(&s.kernel[i], a)) ok = at_length(&s.kernel[i], &e);
  suite_free(&s);
  return ok ? 0 : err_complain(&e);
}

/* What compare --measures takes. */
static int list_measures(void) {
  for (unsigned i = 0; i < nmeasures; i++)
    printf("%-16s %s%s%s\n", measures[i].key, measures[i].label, measures[i].unit[0] ? ", " : "", measures[i].unit);
  return 0;
}

/* What bottleneck shows, and what its --relax takes. */
static int list_resources(void) {
  for (unsigned i = 0; i < RESOURCES; i++)
    printf("%-16s %s: %s\n", resources[i].key, resources[i].label, resources[i].text);
  return 0;
}
static int list_relaxations(void) {
  for (unsigned i = 0; i < RELAXATIONS; i++)
    printf("%-16s %s: %s\n", relaxations[i].key, relaxations[i].label, relaxations[i].text);
  return 0;
}

int cmd_list(int argc, char **argv) {
  static const struct argp argp = {
      options,
      list_parse,
      "kernels|systems|configs|measures|experiments|resources|relaxations|blocks|lockstep|ptx",
      "What is there. The table of kernels: registers per thread by our allocation and in the paper, threads per "
      "block, warps per block and in the paper, shared bytes, and on each machine how many CTAs fit an SM and what "
      "limits them; all of the kernel that the manifest names as the entry. The table of blocks: what was recorded of "
      "each C model and its Verilog, then what each paper names and what does its work; lockstep: the runs on the "
      "whole SM; ptx: the instructions of PTX that are read, and those that are refused.",
      NULL,
      NULL,
      NULL};
  struct args a = {.paper = -1};
  if (command_parse(&argp, argc, argv, 0, &a)) return EXIT_INPUT;
  if (!strcmp(a.what, "kernels")) return list_suite_kernels(&a);
  if (!strcmp(a.what, "experiments")) return list_experiments();
  if (!strcmp(a.what, "measures")) return list_measures();
  if (!strcmp(a.what, "ptx")) return list_ptx(a.markdown, a.json);
  if (!strcmp(a.what, "blocks")) return list_blocks(a.markdown);
  if (!strcmp(a.what, "lockstep")) return list_lockstep();
  if (!strcmp(a.what, "resources")) return list_resources();
  if (!strcmp(a.what, "relaxations")) return list_relaxations();
  bool systems = !strcmp(a.what, "systems");
  for (const struct config_name *n = systems ? config_systems() : config_machines(); n->name; n++)
    printf("%-18s %s\n", n->name, n->text);
  for (unsigned i = 0; systems && i < plan_ninfos; i++)
    printf("%-18s %s; compare only\n", plan_infos[i].name, plan_infos[i].text);
  return 0;
}
