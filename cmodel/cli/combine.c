/* SPDX-License-Identifier: Apache-2.0 */
/* combine: regtwin combine [A B]: which choices of two slots run together, and what they give. */
#include <stdio.h>
#include <string.h>

#include "lab/database/db.h"
#include "lab/campaign/combine.h"
#include "cli/cli.h"
#include "lab/report/json.h"

struct args {
  struct config_args config;
  const char *name[2], *json, *db, *size;
  unsigned jobs, n;
  bool run, cached;
};

enum { OPT_SIZE = 256, OPT_JSON, OPT_JOBS, OPT_DB, OPT_RUN };
static const struct argp_option options[] = {
    {"run", OPT_RUN, NULL, 0,
     "run every pair that fits on all kernels, with sim.check, and compare IPC and work with the baseline's", 0},
    {"size", OPT_SIZE, "NAME", 0, "with --run: size of the kernels' inputs; default: small", 0},
    {"json", OPT_JSON, "FILE", 0, "write the matrix as JSON too; - is standard output, without the table", 0},
    {"jobs", OPT_JOBS, "N", 0, "with --run: runs at a time; default: as many as there are processors", 0},
    {"db", OPT_DB, "FILE", 0, db_help, 0},
    {0}};

static error_t combine_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_RUN: a->run = true; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_JSON: a->json = arg; return 0;
    case OPT_JOBS: a->jobs = (unsigned)number_arg(state, "--jobs", arg, 1, 1024); return 0;
    case OPT_DB: a->db = arg; return 0;
    case ARGP_KEY_ARG:
      if (a->n == 2) argp_error(state, "found a third name '%s', expected two", arg);
      a->name[a->n++] = arg;
      return 0;
    case ARGP_KEY_END:
      if (a->n == 1)
        argp_error(state, "found '%s' alone, expected two systems or choices, or none for all pairs", a->name[0]);
      if (a->n && (a->run || a->json))
        argp_error(state, "found %s with two names, expected it with none", a->run ? "--run" : "--json");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static int combine_show_pair(const struct args *a) {
  static struct combination x;
  const struct settings s = config_settings(&a->config);
  struct err e = {0};
  if (!combine_pair(a->name, &s, &x, &e)) return err_complain(&e);
  if (!x.legal) {
    err_at(&e, NULL, 0, 0, "%s", x.why);
    return err_complain(&e);
  }
  printf("regtwin run KERNEL %s\n", x.command);
  if (x.brought[0]) printf("It needs %s.\n", x.brought);
  return 0;
}

static int combine_run_pairs(struct args *a, const struct combine *c) {
  struct matrix m = {.size = a->size};
  struct err e = {0};
  struct db *db = NULL;
  bool ok = matrix_kernels(&m, "all", &e) && db_of(a->db, &db, &e);
  if (!ok) {
    matrix_free(&m);
    return err_complain(&e);
  }
  combine_systems(c, &m);
  struct progress *p = progress_new(0);
  matrix_run(&m, a->jobs, db, progress_count, p);
  progress_free(p);
  const unsigned wrong = combine_results(c, &m, stdout);
  db_close(db);
  matrix_free(&m);
  return wrong ? EXIT_INPUT : 0;
}

static int combine_show_all(struct args *a) {
  static struct combine c;
  const struct settings s = config_settings(&a->config);
  struct err e = {0};
  int status = 0;
  if (a->run && a->config.nset < MOST_SETS) a->config.set[a->config.nset++] = "sim.check=true";
  const struct settings checked = config_settings(&a->config);
  if (!combine_all(&c, a->run ? &checked : &s, &e)) return err_complain(&e);
  bool ok = true;
  if (a->json) {
    json_t *j = combine_json(&c);
    ok = json_save(a->json, j, &e);
    json_decref(j);
  }
  if (!a->run && !(a->json && !strcmp(a->json, "-"))) combine_print(&c, stdout);
  if (a->run && ok) status = combine_run_pairs(a, &c);
  combine_free(&c);
  return ok ? status : err_complain(&e);
}

int cmd_combine(int argc, char **argv) {
  static const struct argp_child children[] = {{&machine_argp, 0, "Configuration:", 1}, {0}};
  static const struct argp argp = {
      options,
      combine_parse,
      "[A B]",
      "Which choices of two slots run together: the matrix of all pairs, or with two names, each a system or a choice, "
      "the "
      "options of 'regtwin run' that combine them, or why they do not run together and what would fit (exit status 2). "
      "The "
      "settings that a choice needs are those of the systems that have it. Without --config every machine is tried.",
      children,
      NULL,
      NULL};
  static struct args a = {.size = "small"};
  a.jobs = pool_processors();
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a)) return EXIT_INPUT;
  return a.n ? combine_show_pair(&a) : combine_show_all(&a);
}
