/* SPDX-License-Identifier: Apache-2.0 */
/* bottleneck: regtwin bottleneck KERNEL...: what of a machine holds kernels back, and what relaxing it would give. */
#include <stdio.h>
#include <string.h>

#include "base/similar.h"
#include "lab/campaign/bottleneck.h"
#include "cli/matrix_args.h"
#include "lab/report/json.h"

struct args {
  struct matrix_args m;
  struct bottleneck b;
  const char *sort;
  bool brief;
  struct err e;
};

enum { OPT_RELAX = 256, OPT_BRIEF, OPT_SORT, OPT_TOP };
static const struct argp_option options[] = {
    {"relax", OPT_RELAX, "A,B,...", 0,
     "relaxations of 'regtwin list relaxations' to try, or none: utilisation only; default: all that the machine has",
     0},
    {"brief", OPT_BRIEF, NULL, 0,
     "one kernel: its five busiest resources, and the relaxations by their gain; without --relax only those that "
     "decide its class, and the parts of the register file",
     0},
    {"sort", OPT_SORT, "RELAXATION", 0, "several kernels: show those first that gain most by it; default: as named", 0},
    {"top", OPT_TOP, "N", 0, "with --sort: show so many kernels; default: all", 0},
    SIZE_OPTION,
    JSON_OPTION,
    {"plot", OPT_PLOT, "FILE", 0,
     "draw utilisation and IPC, of several kernels a map of IPC; .png or .svg (needs gnuplot)", 0},
    JOBS_OPTION,
    DB_OPTION,
    {0}};

/* The number of a relaxation, for `option`; -1 and *e: there is none of this name. */
static int relaxation_take(struct args *a, const char *option, const char *word) {
  const int r = relax_find(word);
  char near[400];
  if (r < 0)
    err_at(&a->e, NULL, 0, 0, "%s: found '%s'%s", option, word,
           similar_among(word, &relaxations[0].key, sizeof *relaxations, RELAXATIONS,
                         ", expected some of 'regtwin list relaxations'", near, sizeof near));
  return r;
}

/* "a,b,c"; false and *e when one is none. */
static bool take_relaxations(struct args *a, const char *list) {
  a->b.chosen = true;
  if (!strcmp(list, "none")) return true;
  for (const char *rest = list; rest;) {
    char word[64];
    rest = list_take_word(rest, word, sizeof word);
    const int r = relaxation_take(a, "--relax", word);
    if (r < 0) return false;
    a->b.wanted[r] = true;
  }
  return true;
}

/* --sort and --top, once all options are known; false and *e. */
static bool rows_take_order(struct args *a) {
  if (!a->sort) return !a->b.top || err_at(&a->e, NULL, 0, 0, "found --top without --sort, expected both");
  const int r = relaxation_take(a, "--sort", a->sort);
  if (r < 0) return false;
  if (a->b.chosen && !a->b.wanted[r])
    return err_at(&a->e, NULL, 0, 0, "--sort: found %s, expected one of those of --relax", a->sort);
  a->b.sort = (unsigned)r + 1;
  return true;
}

static error_t bottleneck_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_RELAX:
      if (!take_relaxations(a, arg)) argp_error(state, "%s", a->e.text);
      return 0;
    case OPT_BRIEF: a->brief = true; return 0;
    case OPT_SORT: option_take_once(state, "--sort", &a->sort, arg); return 0;
    case OPT_TOP: a->b.top = (unsigned)number_arg(state, "--top", arg, 1, 100000); return 0;
    case ARGP_KEY_END:
      if (a->brief && !a->b.chosen) bottleneck_classes(&a->b), bottleneck_file_parts(&a->b);
      if (!rows_take_order(a)) argp_error(state, "%s", a->e.text);
      matrix_args_check(&a->m, state);
      return 0;
    default: return matrix_args_parse(&a->m, key, arg, state);
  }
}

/* Returns the exit status; all errors that can be found early are reported before the first run. */
static int bottleneck_show(struct args *a) {
  struct matrix *m = &a->b.m;
  const struct settings s = config_settings(&a->m.config);
  struct db *db = NULL;
  m->size = a->m.size;
  bool ok = bottleneck_plan(&a->b, a->m.config.system ? a->m.config.system : "baseline", &s, &a->e) &&
            matrix_args_kernels(&a->m, m, &a->e);
  if (ok && a->m.plot && m->nkernel > 1 && m->nsystem == 1)
    ok = err_at(
        &a->e, NULL, 0, 0,
        "--plot: found nothing to relax, expected something: of several kernels the picture shows what that gives");
  ok = ok && matrix_args_outputs(&a->m, &a->e) && db_of(a->m.db, &db, &a->e);
  if (!ok) return err_complain(&a->e);
  const unsigned failed = matrix_args_run(&a->m, m, db);
  if (a->m.json) ok = json_save_new(a->m.json, bottleneck_json(&a->b), &a->e);
  if (!json_alone(a->m.json) && (m->nkernel > 1 || matrix_cell(m, 0, 0)->ok)) bottleneck_print(&a->b, a->brief, stdout);
  fflush(stdout);
  bottleneck_complaints(&a->b);
  ok = ok && (!a->m.plot || bottleneck_plot(&a->b, a->m.plot, &a->e));
  return !ok ? err_complain(&a->e) : failed ? EXIT_INPUT : 0;
}

int cmd_bottleneck(int argc, char **argv) {
  static const struct argp argp = {options,
                                   bottleneck_parse,
                                   "KERNEL...|PAPER|all",
                                   "Shows how busy each resource of the machine is while a kernel runs, names the "
                                   "tightest, and shows what IPC would be if "
                                   "one thing of the machine were relaxed, or several together. Of several kernels it "
                                   "prints a table, with means. A run "
                                   "that fails says why, and the others go on; the exit status is then 2. PAPER, one "
                                   "of those that 'regtwin list --help' "
                                   "names, means its kernels.",
                                   config_children,
                                   NULL,
                                   NULL};
  static struct args a;
  a.m.size = "default";
  a.m.jobs = pool_processors();
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  const int status = bottleneck_show(&a);
  matrix_free(&a.b.m);
  return status;
}
