/* SPDX-License-Identifier: Apache-2.0 */
/* characterize: regtwin characterize KERNEL...|all: measures kernels, beside the papers' numbers. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lab/campaign/plan.h"
#include "lab/kernels/character_report.h"
#include "lab/kernels/groups.h"
#include "lab/report/grid.h"
#include "lab/report/json.h"
#include "lab/report/plot.h"

struct args {
  struct config_args config;
  const char *size, *json, *plots;
  bool markdown, groups, all;
  const char *name[MOST_NAMES];
  unsigned n;
};

enum { OPT_SIZE = 256, OPT_JSON, OPT_PLOTS, OPT_MARKDOWN, OPT_GROUPS };
static const struct argp_option options[] = {
    SIZE_OPTION,
    JSON_OPTION,
    {"plots", OPT_PLOTS, "DIR", 0,
     "directory for pictures, PNG: one for each measure and one for each kernel (needs gnuplot); default: none", 0},
    {"markdown", OPT_MARKDOWN, NULL, 0, "print the tables of docs/use/kernels.md instead of the long one", 0},
    {"groups", OPT_GROUPS, NULL, 0,
     "print a table instead: the papers' groups of the kernels, and those that each paper's own rule gives ours, on "
     "the paper's machine",
     0},
    {0}};

static error_t characterize_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_JSON: a->json = arg; return 0;
    case OPT_PLOTS: a->plots = arg; return 0;
    case OPT_MARKDOWN: a->markdown = true; return 0;
    case OPT_GROUPS: a->groups = true; return 0;
    case ARGP_KEY_ARG:
      a->all |= !strcmp(arg, "all");
      kernel_take(state, a->name, &a->n, arg);
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "found no kernel, expected names of 'regtwin list kernels', or all");
      return 0;
    case ARGP_KEY_END:
      if (a->all && a->n > 1) argp_error(state, "found 'all' beside other names, expected one or the other");
      if (a->groups && (a->config.machine || a->config.system || a->json || a->plots || a->markdown))
        argp_error(state,
                   "found --config, --system, --json, --plots or --markdown beside --groups, expected only --size and "
                   "--set: each paper's rule is asked on its own machine");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

struct job {
  struct suite suite;
  const char *name[MOST_NAMES];
  unsigned n;
  struct character *found[MOST_NAMES];
  const struct about *about[MOST_NAMES];
  struct run_result other[MOST_NAMES]; /* of the size that is not measured */
};

/* Names as given (papers' names too) to kernels of the suite; a path stays a path. */
static bool characterize_choose(struct job *j, const struct args *a, struct err *e) {
  char root[4096];
  if (traces_root(root, sizeof root) && !suite_read(&j->suite, root, e)) return false;
  if (a->all && j->suite.n > MOST_NAMES)
    return err_at(e, NULL, 0, 0, "found %u kernels, expected at most %d", j->suite.n, MOST_NAMES);
  j->n = a->all ? j->suite.n : a->n;
  if (!j->n) return err_at(e, NULL, 0, 0, "found no kernel, expected some in ./traces/kernels or $REGTWIN_TRACES");
  for (unsigned i = 0; i < j->n; i++) {
    struct workload w;
    j->name[i] = a->all ? j->suite.kernel[i].name : a->name[i];
    if (!workload_find(j->name[i], &w, e)) return false;
    for (unsigned k = 0; w.suite && k < j->suite.n; k++) {
      if (strcmp(w.name, j->suite.kernel[k].name)) continue;
      j->name[i] = j->suite.kernel[k].name;
      if (j->suite.kernel[k].has_about) j->about[i] = &j->suite.kernel[k].about;
    }
  }
  return true;
}

static bool run_each(struct job *j, const struct args *a, const struct config *c, struct err *e) {
  struct progress *p = progress_new(j->n);
  struct run_progress hooks = progress_hooks(p);
  bool ok = true;
  for (unsigned i = 0; ok && i < j->n; i++) {
    progress_item(p, j->name[i]);
    j->found[i] = xcalloc(1, sizeof *j->found[i]);
    ok = character_measure(j->name[i], a->size, j->about[i] ? j->about[i]->entry : NULL, c, &hooks, j->found[i], e);
  }
  progress_free(p);
  return ok;
}

/* The runs of the other size, for the page that shows both. */
static bool execute_other(struct job *j, const struct args *a, const struct config *c, struct err *e) {
  bool ok = true;
  for (unsigned i = 0; ok && i < j->n; i++) {
    struct workload w;
    const char *other = strcmp(j->found[i]->run.size, "small") ? "small" : "default";
    if (!workload_open(j->name[i], a->size, &w, e)) return false;
    if (script_has_size(w.script, other)) {
      snprintf(w.size, sizeof w.size, "%s", other);
      ok = script_choose(w.script, other, e) && run_workload(&w, c, 0, true, NULL, &j->other[i], e);
    }
    workload_close(&w);
  }
  return ok;
}

static bool characterize_save(const struct job *j, const char *path, struct err *e) {
  json_t *out = j->n == 1 ? character_json(j->found[0], j->about[0]) : json_array();
  for (unsigned i = 0; j->n > 1 && i < j->n; i++) json_array_append_new(out, character_json(j->found[i], j->about[i]));
  return json_save_new(path, out, e);
}

/* Of each paper, how many kernels are in its group, and which are not. */
struct tally {
  unsigned all, same;
  char others[1024];
};

/* Adds one kernel's rows to the table of groups, and counts them in the tally. */
static bool groups_add_rows(const struct job *j, unsigned i, const struct args *a, struct run_progress *hooks,
                            struct grid *g, struct tally *tally, struct err *e) {
  for (unsigned p = 0; j->about[i] && p < PAPERS; p++) {
    const struct about_paper *says = &j->about[i]->paper[p];
    struct settings s = config_settings(&a->config);
    struct config c;
    struct group found;
    if (papers[p].rule == PAPER_RULE_none || !says->nname || !says->group[0]) continue;
    s.machine = papers[p].machine;
    if (!settings_apply(&s, "baseline", "", &c, e) ||
        !group_of_kernel(j->name[i], a->size, j->about[i], (enum paper)p, &c, hooks, &found, e))
      return false;
    grid_row(g);
    grid_cell(g, "%s", j->name[i]);
    grid_cell(g, "%s", papers[p].key);
    grid_cell(g, "%s", says->name[0]);
    grid_cell(g, "%s", says->group);
    grid_cell(g, "%s%s", found.ours, found.as_paper ? "" : " *");
    grid_cell(g, "%s", papers[p].machine);
    grid_cell(g, "%s", found.why);
    struct tally *t = &tally[p];
    size_t n = strlen(t->others);
    t->all++;
    t->same += found.as_paper;
    if (!found.as_paper) snprintf(t->others + n, sizeof t->others - n, " %s", says->name[0]);
  }
  return true;
}

static bool group_table(const struct job *j, const struct args *a, struct err *e) {
  static const char *const heads[] = {"kernel", "paper", "name", "there", "ours", "machine", "by"};
  struct tally tally[PAPERS] = {0};
  struct grid *g = grid_new();
  struct progress *p = progress_new(j->n);
  struct run_progress hooks = progress_hooks(p);
  bool ok = true;
  grid_put_heads(g, heads, sizeof heads / sizeof *heads);
  for (unsigned i = 0; ok && i < j->n; i++) {
    progress_item(p, j->name[i]);
    ok = groups_add_rows(j, i, a, &hooks, g, tally, e);
  }
  progress_free(p);
  if (ok) grid_print(g, stdout);
  if (ok) putchar('\n');
  for (unsigned k = 0; ok && k < PAPERS; k++)
    if (tally[k].all)
      printf("%s: %u of %u are in the paper's group%s%s\n", papers[k].source, tally[k].same, tally[k].all,
             tally[k].others[0] ? "; not:" : "", tally[k].others);
  grid_free(g);
  return ok;
}

static bool characterize_show(struct job *j, const struct args *a, const struct config *c, struct err *e) {
  if (!characterize_choose(j, a, e)) return false;
  if (a->groups) return group_table(j, a, e);
  if (!run_each(j, a, c, e) || (a->markdown && !execute_other(j, a, c, e))) return false;
  const struct character *const *found = (const struct character *const *)j->found;
  if (a->json && !characterize_save(j, a->json, e)) return false;
  if (a->plots && !character_plots(found, j->n, a->plots, e)) return false;
  if (json_alone(a->json)) return true;
  if (a->markdown) character_markdown(found, j->other, j->about, j->n, stdout);
  else character_print(found, j->about, j->n, stdout);
  return true;
}

int cmd_characterize(int argc, char **argv) {
  static const struct argp argp = {options,
                                   characterize_parse,
                                   "NAME|FILE.launch...|all",
                                   "What kernels are like: instruction mix, occupancy, use and reuse of registers, "
                                   "cycles to complete CTA stall, misses of the L1 split into cold and capacity or "
                                   "conflict, locality of loads; beside the papers' numbers where they give one.",
                                   config_children,
                                   NULL,
                                   NULL};
  struct args a = {.size = "default"};
  struct config c;
  struct err e = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (!config_from(&a.config, &c, &e)) return err_complain(&e);
  if (a.json && !json_writable(a.json, &e)) return err_complain(&e);
  if (a.plots && !plot_directory(a.plots, "--plots", &e)) return err_complain(&e);
  struct job *j = xcalloc(1, sizeof *j);
  bool ok = characterize_show(j, &a, &c, &e);
  for (unsigned i = 0; i < j->n; i++) free(j->found[i]);
  suite_free(&j->suite);
  free(j);
  return ok ? 0 : err_complain(&e);
}
