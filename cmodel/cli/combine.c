/* SPDX-License-Identifier: Apache-2.0 */
/* combine: regtwin combine [A B]: which choices of two slots run together, and what they give. */
#include <stdio.h>

#include "lab/campaign/combine.h"
#include "cli/matrix_args.h"
#include "lab/report/json.h"

struct args {
  struct matrix_args m; /* its kernels are the two names */
  bool run;
};

enum { OPT_RUN = 256 };
static const struct argp_option options[] = {
    {"run", OPT_RUN, NULL, 0,
     "run every pair that fits on all kernels, with sim.check, and compare IPC and work with the baseline's", 0},
    {"size", OPT_SIZE, "NAME", 0, "with --run: size of the kernels' inputs; default: small", 0},
    {"json", OPT_JSON, "FILE", 0, "also write the matrix as JSON; - writes it to standard output, without the table",
     0},
    {"jobs", OPT_JOBS, "N", 0, "with --run: runs at a time; default: the number of processors", 0},
    DB_OPTION,
    {0}};

static error_t combine_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_RUN: a->run = true; return 0;
    case ARGP_KEY_ARG:
      if (a->m.n == 2) argp_error(state, "found a third name '%s', expected two", arg);
      return matrix_args_parse(&a->m, key, arg, state);
    case ARGP_KEY_END:
      if (a->m.n == 1)
        argp_error(state, "found '%s' alone, expected two systems or choices, or none for all pairs", a->m.kernel[0]);
      if (a->m.n && (a->run || a->m.json))
        argp_error(state, "found %s with two names, expected it with none", a->run ? "--run" : "--json");
      return 0;
    default: return matrix_args_parse(&a->m, key, arg, state);
  }
}

static int combine_show_pair(const struct args *a) {
  static struct combination x;
  const struct settings s = config_settings(&a->m.config);
  struct err e = {0};
  if (!combine_pair(a->m.kernel, &s, &x, &e)) return err_complain(&e);
  if (!x.legal) {
    err_at(&e, NULL, 0, 0, "%s", x.why);
    return err_complain(&e);
  }
  printf("regtwin run KERNEL %s\n", x.command);
  if (x.brought[0]) printf("It needs %s.\n", x.brought);
  return 0;
}

static int combine_run_pairs(struct args *a, const struct combine *c) {
  struct matrix m = {.size = a->m.size};
  struct err e = {0};
  struct db *db = NULL;
  bool ok = matrix_kernels(&m, "all", &e) && db_of(a->m.db, &db, &e);
  if (!ok) {
    matrix_free(&m);
    return err_complain(&e);
  }
  combine_systems(c, &m);
  matrix_args_run(&a->m, &m, db);
  const unsigned wrong = combine_results(c, &m, stdout);
  matrix_free(&m);
  return wrong ? EXIT_INPUT : 0;
}

static int combine_show_all(struct args *a) {
  static struct combine c;
  struct config_args *given = &a->m.config;
  const struct settings s = config_settings(given);
  struct err e = {0};
  int status = 0;
  if (a->run && given->nset < MOST_SETS) given->set[given->nset++] = "sim.check=true";
  const struct settings checked = config_settings(given);
  if (!combine_all(&c, a->run ? &checked : &s, &e)) return err_complain(&e);
  const bool ok = !a->m.json || json_save_new(a->m.json, combine_json(&c), &e);
  if (!a->run && !json_alone(a->m.json)) combine_print(&c, stdout);
  if (a->run && ok) status = combine_run_pairs(a, &c);
  combine_free(&c);
  return ok ? status : err_complain(&e);
}

int cmd_combine(int argc, char **argv) {
  static const struct argp argp = {
      options,
      combine_parse,
      "[A B]",
      "Which choices of two slots run together: the matrix of all pairs, or with two names, each a system or a choice, "
      "the "
      "options of 'regtwin run' that combine them, or why they do not run together and what would fit (exit status 2). "
      "The "
      "settings that a choice needs are those of the systems that have it. Without --config every machine is tried.",
      machine_children,
      NULL,
      NULL};
  static struct args a = {.m.size = "small"};
  a.m.jobs = pool_processors();
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  return a.m.n ? combine_show_pair(&a) : combine_show_all(&a);
}
