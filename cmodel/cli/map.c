/* SPDX-License-Identifier: Apache-2.0 */
/* map: regtwin map KERNEL... --x KEY=a,b,c --y KEY=a,b,c --system S: where an idea would pay. */
#include <stdio.h>

#include "lab/campaign/compare.h"
#include "lab/campaign/experiment.h"
#include "lab/campaign/map.h"
#include "cli/matrix_args.h"
#include "lab/report/json.h"

struct args {
  struct matrix_args m;
  struct map_wanted wanted;
  struct map map;
  struct err e;
};

enum { OPT_X = 256, OPT_Y, OPT_AGAINST };
static const struct argp_option options[] = {
    {"x", OPT_X, "KEY=A,B,...", 0,
     "key of the columns and its values, ascending numbers; x2 is twice the value of machine and system", 0},
    {"y", OPT_Y, "KEY=A,B,...", 0, "key of the rows and its values", 0},
    {"against", OPT_AGAINST, "NAME", 0, "system that --system is compared with at each point; default: baseline", 0},
    SIZE_OPTION,
    JSON_OPTION,
    {"plot", OPT_PLOT, "FILE", 0, "draw the map, .png or .svg (needs gnuplot)", 0},
    JOBS_OPTION,
    DB_OPTION,
    {0}};

static error_t map_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_X:
      option_take_once(state, "--x", &a->wanted.x, arg);
      a->wanted.x_arg = number_of_arg(state, arg);
      return 0;
    case OPT_Y:
      option_take_once(state, "--y", &a->wanted.y, arg);
      a->wanted.y_arg = number_of_arg(state, arg);
      return 0;
    case OPT_AGAINST: option_take_once(state, "--against", &a->wanted.against, arg); return 0;
    case ARGP_KEY_END:
      matrix_args_check(&a->m, state);
      if (!a->wanted.x || !a->wanted.y)
        argp_error(state, "found no %s, expected section.key=value,value,...", a->wanted.x ? "--y" : "--x");
      if (!a->m.config.system) argp_error(state, "found no --system, expected one of 'regtwin list systems'");
      return 0;
    default: return matrix_args_parse(&a->m, key, arg, state);
  }
}

/* Returns the exit status; all errors that can be found early are reported before the first run. */
static int draw_map(struct args *a) {
  struct matrix *m = &a->map.m;
  const struct settings s = config_settings(&a->m.config);
  struct db *db = NULL;
  m->size = a->m.size;
  a->wanted.system = a->m.config.system;
  if (!a->wanted.against) a->wanted.against = "baseline";
  bool ok = map_plan(&a->map, &a->wanted, &s, &a->e) && matrix_args_kernels(&a->m, m, &a->e) &&
            matrix_args_outputs(&a->m, &a->e) && db_of(a->m.db, &db, &a->e);
  if (!ok) return err_complain(&a->e);
  const unsigned failed = matrix_args_run(&a->m, m, db);
  if (a->m.json) ok = json_save_new(a->m.json, map_json(&a->map), &a->e);
  if (!json_alone(a->m.json)) map_print(&a->map, stdout);
  fflush(stdout);
  compare_complaints(m);
  ok = ok && (!a->m.plot || map_plot(&a->map, a->m.plot, &a->e));
  return !ok ? err_complain(&a->e) : failed ? EXIT_INPUT : 0;
}

int cmd_map(int argc, char **argv) {
  static const struct argp argp = {options,
                                   map_parse,
                                   "KERNEL...|PAPER|all --x KEY=A,B,... --y KEY=A,B,... --system NAME",
                                   "Runs the kernels on a system and on the one that it is compared with, at every "
                                   "point of a grid of two keys, and shows "
                                   "the gain in IPC, the geometric mean over the kernels, as a table and a map. The "
                                   "machine's own point is marked, and what "
                                   "a paper says of the same two systems is beside it. A run that fails says why, and "
                                   "the others go on; the exit status is then 2.",
                                   config_children,
                                   NULL,
                                   NULL};
  static struct args a;
  a.m.size = "default";
  a.m.jobs = pool_processors();
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  const int status = experiments_check(&a.e) ? draw_map(&a) : err_complain(&a.e);
  matrix_free(&a.map.m);
  return status;
}
