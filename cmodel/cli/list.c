/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list: regtwin list WHAT: names of kernels, systems, statistics and so on, and what each means.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/similar.h"
#include "cli/list.h"
#include "lab/kernels/suite/about.h"
#include "lab/campaign/measure.h"
#include "lab/campaign/relax.h"
#include "lab/report/grid.h"
#include "lab/run/usage.h"

static const char *const thing_names[LIST_THINGS] = {"kernels",  "systems",     "configs",   "statistics",
                                                     "measures", "experiments", "resources", "relaxations",
                                                     "blocks",   "lockstep",    "ptx"};
static const char things[] =
    "kernels, systems, configs, statistics, measures, experiments, resources, relaxations, blocks, lockstep or ptx";

enum { OPT_PAPER = 256, OPT_MARKDOWN, OPT_JSON, OPT_LIMITS, OPT_NAMES };
static const struct argp_option options[] = {
    {"verbose", 'v', NULL, 0,
     "kernels: for each all that is known of it: inputs, sizes, launches, differences from the papers' programs", 0},
    {"limits", OPT_LIMITS, NULL, 0,
     "kernels: a table of what each needs, ours and the paper's: registers per thread, threads and warps per CTA, "
     "bytes of shared memory; and on each machine how many CTAs fit and what limits them",
     0},
    {"paper", OPT_PAPER, "PAPER", 0,
     "kernels: only those that stand for a program of this paper, and which of its programs have none; PAPER is one of"
#define PAPER(key, source, machine, mean, whole, groups, rule) " " #key
#include "gen/systems/papers.def"
     ,
     0},
    {"names", OPT_NAMES, "compare", OPTION_ARG_OPTIONAL,
     "print the names alone, one a line; of systems those that --system takes, with =compare also those that only "
     "compare and experiment run",
     0},
    {"markdown", OPT_MARKDOWN, NULL, 0, "blocks: a table for a page, a row for each paper; ptx: a table for a page", 0},
    {"json", OPT_JSON, NULL, 0, "ptx: as JSON", 0},
    {0}};

static bool list_asked_config(const struct list_args *a) {
  return a->config.machine || a->config.system || a->config.nset;
}

/* What goes with which list. */
static void list_check(const struct list_args *a, struct argp_state *state) {
  if (a->what < 0) return;
  const char *what = thing_names[a->what];
  if (a->what != LIST_KERNELS && (a->verbose || a->paper >= 0 || a->limits))
    argp_error(state, "found --paper, --limits or -v with '%s', expected them with kernels", what);
  if (a->verbose && a->limits) argp_error(state, "found -v with --limits, expected one of them");
  if (a->what != LIST_BLOCKS && a->what != LIST_PTX && a->markdown)
    argp_error(state, "found --markdown with '%s', expected it with blocks or ptx", what);
  if (a->json && (a->what != LIST_PTX || a->markdown))
    argp_error(state, "found --json, expected it with ptx, and without --markdown");
  if (a->names && (a->what >= LIST_BLOCKS || a->verbose || a->limits))
    argp_error(state, "found --names with '%s', expected it with a list of names, without -v and --limits", what);
  if (a->compare && a->what != LIST_SYSTEMS)
    argp_error(state, "found --names=compare with '%s', expected systems", what);
  if (list_asked_config(a) && a->what != LIST_STATISTICS)
    argp_error(state, "found --config, --system or --set with '%s', expected them with statistics", what);
}

static void list_take_thing(struct list_args *a, const char *arg, struct argp_state *state) {
  char near[400], otherwise[200];
  if (a->what >= 0) argp_error(state, "found a second argument '%s', expected one", arg);
  for (int i = 0; i < LIST_THINGS; i++)
    if (!strcmp(arg, thing_names[i])) a->what = i;
  snprintf(otherwise, sizeof otherwise, ", expected %s", things);
  similar_among(arg, thing_names, sizeof *thing_names, LIST_THINGS, otherwise, near, sizeof near);
  if (a->what < 0) argp_error(state, "found '%s'%s", arg, near);
}

static error_t list_parse(int key, char *arg, struct argp_state *state) {
  struct list_args *a = state->input;
  char near[400], otherwise[200];
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case 'v': a->verbose = true; return 0;
    case OPT_LIMITS: a->limits = true; return 0;
    case OPT_PAPER:
      a->paper = paper_find(arg);
      snprintf(otherwise, sizeof otherwise, ", expected %s", paper_keys);
      similar_among(arg, &papers[0].key, sizeof *papers, PAPERS, otherwise, near, sizeof near);
      if (a->paper < 0) argp_error(state, "--paper: found '%s'%s", arg, near);
      return 0;
    case OPT_NAMES:
      if (arg && strcmp(arg, "compare") != 0)
        argp_error(state, "--names: found '%s', expected compare or nothing", arg);
      a->names = true;
      a->compare = arg;
      return 0;
    case OPT_MARKDOWN: a->markdown = true; return 0;
    case OPT_JSON: a->json = true; return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "found nothing to list, expected %s", things); return 0;
    case ARGP_KEY_ARG: list_take_thing(a, arg, state); return 0;
    case ARGP_KEY_END: list_check(a, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* ---- names with a text ---- */

struct listing listing_begin(bool names) {
  struct listing l = {names, names ? NULL : grid_new()};
  return l;
}
void listing_add(struct listing *l, const char *name, const char *text) {
  if (l->names) {
    printf("%s\n", SHOWN(name));
    return;
  }
  grid_row(l->g);
  grid_cell(l->g, "%s", name);
  grid_cell(l->g, "%s", text);
}
void listing_end(struct listing *l) {
  if (l->names) return;
  grid_wrap(l->g, show_width());
  grid_print(l->g, stdout);
  grid_free(l->g);
}

static int list_texts(const struct list_args *a, unsigned n, const char *(*name)(unsigned),
                      void (*text)(unsigned, char *, size_t)) {
  struct listing l = listing_begin(a->names);
  char buf[1024];
  for (unsigned i = 0; i < n; i++) {
    text(i, buf, sizeof buf);
    listing_add(&l, name(i), buf);
  }
  listing_end(&l);
  return 0;
}

static const char *measure_name(unsigned i) { return measures[i].key; }
static void measure_describe(unsigned i, char *buf, size_t size) {
  snprintf(buf, size, "%s%s%s", measures[i].label, measures[i].unit[0] ? ", " : "", measures[i].unit);
}
static const char *resource_name(unsigned i) { return resources[i].key; }
static void resource_describe(unsigned i, char *buf, size_t size) {
  snprintf(buf, size, "%s: %s", resources[i].label, resources[i].text);
}
static const char *relaxation_name(unsigned i) { return relaxations[i].key; }
static void relaxation_describe(unsigned i, char *buf, size_t size) {
  snprintf(buf, size, "%s: %s", relaxations[i].label, relaxations[i].text);
}
static const char *machine_name(unsigned i) { return config_machines()[i].name; }
static void machine_describe(unsigned i, char *buf, size_t size) {
  snprintf(buf, size, "%s", config_machines()[i].text);
}
static unsigned count_machines(void) {
  unsigned n = 0;
  while (config_machines()[n].name) n++;
  return n;
}

/* ---- systems, by paper ---- */

/* A system's text begins with its name where the file alone would not say it. */
static const char *system_describe(const struct config_name *s) {
  const size_t n = strlen(s->name);
  return !strncmp(s->text, s->name, n) && !strncmp(s->text + n, ": ", 2) ? s->text + n + 2 : s->text;
}

static const char *plan_folder(const struct plan_info *p) {
  const struct config_name *s = config_systems();
  while (s->name && strcmp(s->name, p->base)) s++;
  return s->name ? s->folder : "";
}

static void system_print(const char *name, unsigned column, const char *text) {
  printf("  %-*s  ", (int)column, name);
  show_wrapped(stdout, text, column + 4, column + 4, show_width());
}

/* "FineReg (MICRO'18)", and the systems that only some commands run after the presets. */
static void list_print_folder(const char *folder, unsigned column) {
  const int paper = paper_of_folder(folder);
  if (paper >= 0) printf("%.*s\n", (int)strcspn(papers[paper].source, ","), papers[paper].source);
  else printf("of no paper: %s\n", SHOWN(folder));
  for (const struct config_name *s = config_systems(); s->name; s++)
    if (!strcmp(s->folder, folder)) system_print(s->name, column, system_describe(s));
  bool any = false;
  for (unsigned i = 0; i < plan_ninfos; i++) {
    if (strcmp(plan_folder(&plan_infos[i]), folder) != 0) continue;
    if (!any) printf("  for compare and experiment only, settings depend on the kernel:\n");
    any = true;
    system_print(plan_infos[i].name, column, plan_infos[i].text);
  }
}

static int list_systems(const struct list_args *a) {
  const struct config_name *all = config_systems();
  unsigned column = 0;
  for (const struct config_name *s = all; s->name; s++) {
    if (a->names) printf("%s\n", s->name);
    if (strlen(s->name) > column) column = (unsigned)strlen(s->name);
  }
  for (unsigned i = 0; i < plan_ninfos; i++) {
    if (a->compare) printf("%s\n", plan_infos[i].name);
    if (strlen(plan_infos[i].name) > column) column = (unsigned)strlen(plan_infos[i].name);
  }
  if (a->names) return 0;
  for (const struct config_name *s = all; s->name; s++) {
    if (s != all && !strcmp(s->folder, s[-1].folder)) continue;
    if (s != all) putchar('\n');
    list_print_folder(s->folder, column);
  }
  return 0;
}

int cmd_list(int argc, char **argv) {
  static const struct argp_child children[] = {{&plain_argp, 0, "Configuration, of statistics:", 1}, {0}};
  static const struct argp argp = {options,
                                   list_parse,
                                   "WHAT",
                                   "Lists what there is, and what each means. WHAT is one of:\n"
                                   "  kernels      kernels and what they do\n"
                                   "  systems      systems by paper, and what each is\n"
                                   "  configs      machines\n"
                                   "  statistics   numbers of a run: unit, meaning and denominator; with options\n"
                                   "               of the configuration also which of them it models\n"
                                   "  measures     numbers of compare, experiment and results\n"
                                   "  experiments  figures and tables of the papers that are measured here\n"
                                   "  resources    parts of the machine whose use bottleneck shows\n"
                                   "  relaxations  changes of the machine that bottleneck tries\n"
                                   "  blocks       what was recorded of each C model and its Verilog\n"
                                   "  lockstep     recorded runs of the Verilog on the whole SM\n"
                                   "  ptx          instructions that are read, and those that are refused",
                                   children,
                                   NULL,
                                   NULL};
  struct list_args a = {.what = -1, .paper = -1};
  if (command_parse(&argp, argc, argv, 0, &a)) return EXIT_INPUT;
  switch (a.what) {
    case LIST_KERNELS: return list_kernels(&a);
    case LIST_SYSTEMS: return list_systems(&a);
    case LIST_CONFIGS: return list_texts(&a, count_machines(), machine_name, machine_describe);
    case LIST_STATISTICS: return list_statistics(&a);
    case LIST_MEASURES: return list_texts(&a, nmeasures, measure_name, measure_describe);
    case LIST_EXPERIMENTS: return list_experiments(a.names);
    case LIST_RESOURCES: return list_texts(&a, RESOURCES, resource_name, resource_describe);
    case LIST_RELAXATIONS: return list_texts(&a, RELAXATIONS, relaxation_name, relaxation_describe);
    case LIST_BLOCKS: return list_blocks(a.markdown);
    case LIST_LOCKSTEP: return list_lockstep();
    default: return list_ptx(a.markdown, a.json);
  }
}
