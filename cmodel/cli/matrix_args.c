/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_args: see matrix_args.h. */
#include "cli/matrix_args.h"

#include "lab/database/db.h"
#include "lab/report/json.h"
#include "lab/report/plot.h"

error_t matrix_args_parse(struct matrix_args *a, int key, char *arg, struct argp_state *state) {
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_JSON: a->json = arg; return 0;
    case OPT_PLOT: a->plot = arg; return 0;
    case OPT_JOBS: a->jobs = jobs_arg(state, arg); return 0;
    case OPT_DB: a->db = arg; return 0;
    case ARGP_KEY_ARG: kernel_take(state, a->kernel, &a->n, arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

void matrix_args_check(const struct matrix_args *a, struct argp_state *state) {
  if (!a->n) argp_error(state, "found no kernel, expected names of 'regtwin list kernels', a paper, or all");
}

bool matrix_args_kernels(const struct matrix_args *a, struct matrix *m, struct err *e) {
  for (unsigned i = 0; i < a->n; i++)
    if (!matrix_kernels(m, a->kernel[i], e)) return false;
  return true;
}

bool matrix_args_outputs(const struct matrix_args *a, struct err *e) {
  return json_apart(a->json, a->plot, "--plot", e) && (!a->json || json_writable(a->json, e)) &&
         (!a->plot || plot_file(a->plot, "--plot", e));
}

unsigned matrix_args_run(const struct matrix_args *a, struct matrix *m, struct db *db) {
  struct progress *p = progress_new(0);
  const unsigned failed = matrix_run(m, a->jobs, db, progress_count, p);
  progress_free(p);
  db_close(db);
  return failed;
}
