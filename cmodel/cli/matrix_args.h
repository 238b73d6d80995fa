/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_args: the options and outputs of commands that run kernels on systems. Each lists those that it has. */
#ifndef RT_CLI_MATRIX_ARGS_H
#define RT_CLI_MATRIX_ARGS_H

#include "cli/cli.h"
#include "lab/campaign/matrix.h"

enum { OPT_SIZE = 900, OPT_JSON, OPT_PLOT, OPT_JOBS, OPT_DB };
struct matrix_args {
  struct config_args config;
  const char *size, *json, *plot, *db, *kernel[MOST_NAMES];
  unsigned jobs, n; /* n: kernels */
};

/* Takes the configuration, one of these options, or a kernel. A command's parser calls it for keys of which it knows none. */
error_t matrix_args_parse(struct matrix_args *a, int key, char *arg, struct argp_state *state);
/* argp_error when there is no kernel. */
void matrix_args_check(const struct matrix_args *a, struct argp_state *state);
/* Adds the kernels to m. */
bool matrix_args_kernels(const struct matrix_args *a, struct matrix *m, struct err *e);
/* Can --json and --plot be written? */
bool matrix_args_outputs(const struct matrix_args *a, struct err *e);
/* Runs m beside a progress line and closes db (NULL: none); returns how many runs failed. */
unsigned matrix_args_run(const struct matrix_args *a, struct matrix *m, struct db *db);

#endif
