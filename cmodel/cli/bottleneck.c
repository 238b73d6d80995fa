/* SPDX-License-Identifier: Apache-2.0 */
/* bottleneck: regtwin bottleneck KERNEL...: what of a machine holds kernels back, and what relaxing it would give. */
#include <stdio.h>
#include <string.h>

#include "lab/campaign/bottleneck.h"
#include "lab/database/db.h"
#include "lab/campaign/compare.h"
#include "cli/cli.h"
#include "lab/report/json.h"
#include "lab/report/plot.h"

enum { MOST_NAMES = 256 };

struct args {
  struct config_args config;
  const char *json, *plot, *db;
  unsigned jobs, n;
  const char *kernel[MOST_NAMES];
  struct bottleneck b;
  struct err e;
};

enum { OPT_SIZE = 256, OPT_JSON, OPT_PLOT, OPT_JOBS, OPT_RELAX, OPT_DB };
static const struct argp_option options[] = {
    {"relax", OPT_RELAX, "A,B,...", 0,
     "relax only these (regtwin list relaxations), or none; default: all that the machine has", 0},
    {"size", OPT_SIZE, "NAME", 0, "size of the kernels' inputs, e.g. small; default: default", 0},
    {"json", OPT_JSON, "FILE", 0, "write the results as JSON too; - is standard output, without the table", 0},
    {"plot", OPT_PLOT, "FILE", 0, "draw them, .png or .svg (needs gnuplot)", 0},
    {"jobs", OPT_JOBS, "N", 0, "runs at a time; default: as many as there are processors", 0},
    {"db", OPT_DB, "FILE", 0, db_help, 0},
    {0}};

/* "a,b,c"; false and *e when one is none. */
static bool take_relaxations(struct args *a, const char *list) {
  a->b.chosen = true;
  if (!strcmp(list, "none")) return true;
  for (;;) {
    char word[64];
    const size_t n = strcspn(list, ",");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), list);
    const int r = relax_find(word);
    if (r < 0)
      return err_at(&a->e, NULL, 0, 0, "--relax: found '%s', expected some of 'regtwin list relaxations'", word);
    a->b.wanted[r] = true;
    if (!list[n]) return true;
    list += n + 1;
  }
}

static error_t bottleneck_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_RELAX:
      if (!take_relaxations(a, arg)) argp_error(state, "%s", a->e.text);
      return 0;
    case OPT_SIZE: a->b.m.size = size_arg(state, arg); return 0;
    case OPT_JSON: a->json = arg; return 0;
    case OPT_PLOT: a->plot = arg; return 0;
    case OPT_DB: a->db = arg; return 0;
    case OPT_JOBS: a->jobs = (unsigned)number_arg(state, "--jobs", arg, 1, 1024); return 0;
    case ARGP_KEY_ARG:
      if (a->n == MOST_NAMES) argp_error(state, "found more than %d kernels, expected fewer", MOST_NAMES);
      a->kernel[a->n++] = arg;
      return 0;
    case ARGP_KEY_END:
      if (!a->n) argp_error(state, "found no kernel, expected names of 'regtwin list kernels', a paper, or all");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* Returns the exit status; all errors that can be found early are reported before the first run. */
static int bottleneck_show(struct args *a) {
  struct matrix *m = &a->b.m;
  const struct settings s = config_settings(&a->config);
  struct db *db = NULL;
  bool ok = bottleneck_plan(&a->b, a->config.system ? a->config.system : "baseline", &s, &a->e);
  for (unsigned i = 0; ok && i < a->n; i++) ok = matrix_kernels(m, a->kernel[i], &a->e);
  if (ok && a->plot && m->nkernel > 1 && m->nsystem == 1)
    ok = err_at(
        &a->e, NULL, 0, 0,
        "--plot: found nothing to relax, expected something: of several kernels the picture shows what that gives");
  ok = ok && json_apart(a->json, a->plot, "--plot", &a->e) && (!a->json || json_writable(a->json, &a->e)) &&
       (!a->plot || plot_file(a->plot, "--plot", &a->e)) && db_of(a->db, &db, &a->e);
  if (!ok) return err_complain(&a->e);
  struct progress *p = progress_new(0);
  const unsigned failed = matrix_run(m, a->jobs, db, progress_count, p);
  progress_free(p);
  db_close(db);
  if (a->json) {
    json_t *j = bottleneck_json(&a->b);
    ok = json_save(a->json, j, &a->e);
    json_decref(j);
  }
  if (!(a->json && !strcmp(a->json, "-"))) bottleneck_print(&a->b, stdout);
  fflush(stdout);
  compare_complaints(m);
  ok = ok && (!a->plot || bottleneck_plot(&a->b, a->plot, &a->e));
  return !ok ? err_complain(&a->e) : failed ? EXIT_INPUT : 0;
}

int cmd_bottleneck(int argc, char **argv) {
  static const struct argp_child children[] = {{&config_argp, 0, "Configuration:", 1}, {0}};
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
                                   children,
                                   NULL,
                                   NULL};
  static struct args a;
  a.b.m.size = "default";
  a.jobs = pool_processors();
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a)) return EXIT_INPUT;
  const int status = bottleneck_show(&a);
  matrix_free(&a.b.m);
  return status;
}
