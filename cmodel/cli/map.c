/* SPDX-License-Identifier: Apache-2.0 */
/* map: regtwin map KERNEL... --x KEY=a,b,c --y KEY=a,b,c --system S: where an idea would pay. */
#include <stdio.h>
#include <string.h>

#include "lab/database/db.h"
#include "lab/campaign/compare.h"
#include "lab/campaign/experiment.h"
#include "lab/campaign/map.h"
#include "cli/cli.h"
#include "lab/report/json.h"
#include "lab/report/plot.h"

enum { MOST_NAMES = 256 };

struct args {
  struct config_args config;
  const char *json, *plot, *db, *kernel[MOST_NAMES];
  unsigned jobs, n;
  struct map_wanted wanted;
  struct map map;
  struct err e;
};

enum { OPT_SIZE = 256, OPT_JSON, OPT_PLOT, OPT_JOBS, OPT_DB, OPT_X, OPT_Y, OPT_AGAINST };
static const struct argp_option options[] = {
    {"x", OPT_X, "KEY=A,B,...", 0, "the key of the columns and its values, ascending; x2 is twice the machine's own",
     0},
    {"y", OPT_Y, "KEY=A,B,...", 0, "the key of the rows and its values", 0},
    {"against", OPT_AGAINST, "NAME", 0, "the system that --system is compared with; default baseline", 0},
    {"size", OPT_SIZE, "NAME", 0, "size of the kernels' inputs, e.g. small; default: default", 0},
    {"json", OPT_JSON, "FILE", 0, "write the results as JSON too; - is standard output, without the table", 0},
    {"plot", OPT_PLOT, "FILE", 0, "draw the map, .png or .svg (needs gnuplot)", 0},
    {"jobs", OPT_JOBS, "N", 0, "runs at a time; default: as many as there are processors", 0},
    {"db", OPT_DB, "FILE", 0, db_help, 0},
    {0}};

static void map_take_once(struct argp_state *state, const char *option, const char **at, char *arg) {
  if (*at) argp_error(state, "found %s a second time, expected it once", option);
  *at = arg;
}

static error_t map_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_X:
      map_take_once(state, "--x", &a->wanted.x, arg);
      a->wanted.x_arg = number_of_arg(state, arg);
      return 0;
    case OPT_Y:
      map_take_once(state, "--y", &a->wanted.y, arg);
      a->wanted.y_arg = number_of_arg(state, arg);
      return 0;
    case OPT_AGAINST: map_take_once(state, "--against", &a->wanted.against, arg); return 0;
    case OPT_SIZE: a->map.m.size = size_arg(state, arg); return 0;
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
      if (!a->wanted.x || !a->wanted.y)
        argp_error(state, "found no %s, expected section.key=value,value,...", a->wanted.x ? "--y" : "--x");
      if (!a->config.system) argp_error(state, "found no --system, expected one of 'regtwin list systems'");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* Returns the exit status; all errors that can be found early are reported before the first run. */
static int draw_map(struct args *a) {
  struct matrix *m = &a->map.m;
  const struct settings s = config_settings(&a->config);
  struct db *db = NULL;
  a->wanted.system = a->config.system;
  if (!a->wanted.against) a->wanted.against = "baseline";
  bool ok = map_plan(&a->map, &a->wanted, &s, &a->e);
  for (unsigned i = 0; ok && i < a->n; i++) ok = matrix_kernels(m, a->kernel[i], &a->e);
  ok = ok && json_apart(a->json, a->plot, "--plot", &a->e) && (!a->json || json_writable(a->json, &a->e)) &&
       (!a->plot || plot_file(a->plot, "--plot", &a->e)) && db_of(a->db, &db, &a->e);
  if (!ok) return err_complain(&a->e);
  struct progress *p = progress_new(0);
  const unsigned failed = matrix_run(m, a->jobs, db, progress_count, p);
  progress_free(p);
  db_close(db);
  if (a->json) {
    json_t *j = map_json(&a->map);
    ok = json_save(a->json, j, &a->e);
    json_decref(j);
  }
  if (!(a->json && !strcmp(a->json, "-"))) map_print(&a->map, stdout);
  fflush(stdout);
  compare_complaints(m);
  ok = ok && (!a->plot || maps_plot(&a->map, 1, a->plot, &a->e));
  return !ok ? err_complain(&a->e) : failed ? EXIT_INPUT : 0;
}

int cmd_map(int argc, char **argv) {
  static const struct argp_child children[] = {{&config_argp, 0, "Configuration:", 1}, {0}};
  static const struct argp argp = {options,
                                   map_parse,
                                   "KERNEL...|PAPER|all --x KEY=A,B,... --y KEY=A,B,... --system NAME",
                                   "Runs the kernels on a system and on the one that it is compared with, at every "
                                   "point of a grid of two keys, and shows "
                                   "the gain in IPC, the geometric mean over the kernels, as a table and a map. The "
                                   "machine's own point is marked, and what "
                                   "a paper says of the same two systems is beside it. A run that fails says why, and "
                                   "the others go on; the exit status is then 2.",
                                   children,
                                   NULL,
                                   NULL};
  static struct args a;
  a.map.m.size = "default";
  a.jobs = pool_processors();
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a)) return EXIT_INPUT;
  const int status = experiments_check(&a.e) ? draw_map(&a) : err_complain(&a.e);
  matrix_free(&a.map.m);
  return status;
}
