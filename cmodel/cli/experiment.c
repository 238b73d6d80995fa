/* SPDX-License-Identifier: Apache-2.0 */
/* experiment: regtwin experiment ID...|PAPER|all: the figures of a paper, measured here beside its
 * own numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/similar.h"
#include "cli/list.h"
#include "cli/matrix_args.h"
#include "lab/campaign/experiment.h"
#include "lab/report/grid.h"
#include "lab/report/json.h"
#include "lab/report/plot.h"

enum { MOST_CHOSEN = 64 };

struct args {
  struct matrix_args m;
  const char *plots, *images;
  bool markdown, list;
  unsigned n;
  const struct experiment *chosen[MOST_CHOSEN];
};

enum { OPT_PLOTS = 256, OPT_MARKDOWN, OPT_LIST };
static const struct argp_option options[] = {
    {"list", OPT_LIST, NULL, 0, "list the experiments, with the papers' figures and tables, and run nothing", 0},
    SIZE_OPTION,
    {"json", OPT_JSON, "FILE", 0,
     "also write the findings as JSON; - writes them to standard output, without the tables", 0},
    {"plots", OPT_PLOTS, "DIR", 0,
     "directory for pictures, PNG and SVG, one for each experiment (needs gnuplot); default: none", 0},
    {"markdown", OPT_MARKDOWN, "IMAGES", OPTION_ARG_OPTIONAL,
     "print the findings as a page; IMAGES, the pictures' directory as seen from the page, shows them in it", 0},
    JOBS_OPTION,
    DB_OPTION,
    {0}};

static void experiment_choose(struct args *a, const struct experiment *x, struct argp_state *state) {
  for (unsigned i = 0; i < a->n; i++)
    if (a->chosen[i] == x) return;
  if (a->n == MOST_CHOSEN) argp_error(state, "found more than %d experiments, expected fewer", MOST_CHOSEN);
  a->chosen[a->n++] = x;
}

static void experiment_choose_named(struct args *a, const char *arg, struct argp_state *state) {
  bool found = false;
  int paper = paper_find(arg);
  for (unsigned i = 0; i < nexperiments; i++) {
    const struct experiment *x = &experiments[i];
    if (strcmp(arg, "all") != 0 && (int)x->paper != paper && !experiment_named(x, arg)) continue;
    experiment_choose(a, x, state);
    found = true;
  }
  if (found) return;
  struct similar s;
  char near[400];
  similar_begin(&s, arg);
  for (unsigned i = 0; i < nexperiments; i++) similar_offer(&s, experiments[i].id);
  for (int p = 0; p < PAPERS; p++) similar_offer(&s, papers[p].key);
  similar_ask_or(&s, ", expected one of 'regtwin experiment --list', a paper, or all", near, sizeof near);
  argp_error(state, "found unknown experiment '%.60s'%s", arg, near);
}

static error_t experiment_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_LIST: a->list = true; return 0;
    case OPT_PLOTS: a->plots = arg; return 0;
    case OPT_MARKDOWN:
      a->markdown = true;
      a->images = arg;
      return 0;
    case ARGP_KEY_ARG: experiment_choose_named(a, arg, state); return 0;
    case ARGP_KEY_END:
      if (!a->n && !a->list) argp_error(state, "found no experiment, expected some of 'regtwin experiment --list'");
      if (a->n && a->list) argp_error(state, "found an experiment beside --list, expected one or the other");
      return 0;
    default: return matrix_args_parse(&a->m, key, arg, state);
  }
}

int list_experiments(bool names) {
  struct grid *g = grid_new();
  for (unsigned i = 0; i < nexperiments; i++) {
    const struct experiment *x = &experiments[i];
    if (names) printf("%s\n", x->id);
    if (names) continue;
    grid_row(g);
    grid_cell(g, "%s", x->id);
    grid_cell(g, "%s", x->where);
    grid_cell(g, "%s%s%s", x->title, x->kernels[0] ? "" : "; ", x->kernels[0] ? "" : x->note);
  }
  grid_wrap(g, show_width());
  grid_print(g, stdout);
  grid_free(g);
  return 0;
}

/* Runs, prints and draws one; complaints go to stderr and make the status 2. */
static bool experiment_show(const struct args *a, const struct setup *setup, const struct experiment *x, json_t *all,
                            bool *whole, struct err *e) {
  static const char *const kinds[] = {"png", "svg"};
  struct findings f;
  struct setup mine = *setup;
  char path[4096];
  if (!a->m.config.machine) mine.settings.machine = papers[x->paper].machine;
  if (!experiment_run(x, &mine, &f, e)) return false;
  bool ok = true;
  for (unsigned i = 0; ok && a->plots && f.nsheet && i < 2; i++) {
    ok = (size_t)snprintf(path, sizeof path, "%s/%s.%s", a->plots, x->id, kinds[i]) < sizeof path ||
         err_at(e, NULL, 0, 0, "--plots: found a path that is too long");
    ok = ok && findings_plot(&f, path, e);
  }
  if (a->markdown) findings_markdown(&f, a->images, stdout);
  else if (!json_alone(a->m.json)) findings_print(&f, stdout);
  json_array_append_new(all, findings_json(&f));
  fflush(stdout);
  for (unsigned i = 0; i < f.ncomplaint; i++) note("%s", f.complaint[i]);
  *whole &= !f.ncomplaint;
  findings_free(&f);
  return ok;
}

static bool experiment_show_all(const struct args *a, bool *whole, struct err *e) {
  struct setup setup = {a->m.size, config_settings(&a->m.config), a->m.jobs, NULL, progress_count, NULL};
  if (!db_of(a->m.db, &setup.db, e)) return false;
  struct progress *p = progress_new(0);
  setup.ctx = p;
  json_t *out = json_array();
  bool ok = true;
  for (unsigned i = 0; ok && i < a->n; i++) ok = experiment_show(a, &setup, a->chosen[i], out, whole, e);
  if (ok && a->m.json) ok = json_save(a->m.json, a->n == 1 ? json_array_get(out, 0) : out, e);
  json_decref(out);
  db_close(setup.db);
  progress_free(p);
  return ok;
}

int cmd_experiment(int argc, char **argv) {
  static const struct argp argp = {
      options,
      experiment_parse,
      "ID...|PAPER|all",
      "Measures what a figure or a table of a paper shows, and prints it beside the paper's numbers. The machine is "
      "the paper's, if --config names none. A run that fails is reported, the others go on; the exit status is then 2.",
      machine_children,
      NULL,
      NULL};
  static struct args a;
  struct err e = {0};
  bool whole = true;
  a.m.size = "default";
  a.m.jobs = pool_processors();
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (a.list) return list_experiments(false);
  if (!experiments_check(&e)) return err_complain(&e);
  for (unsigned i = 0; i < a.n; i++)
    if (!experiment_check(a.chosen[i], &e)) return err_complain(&e);
  if (a.m.json && !json_writable(a.m.json, &e)) return err_complain(&e);
  if (a.plots && !plot_directory(a.plots, "--plots", &e)) return err_complain(&e);
  if (!experiment_show_all(&a, &whole, &e)) return err_complain(&e);
  return whole ? 0 : EXIT_INPUT;
}
