/* SPDX-License-Identifier: Apache-2.0 */
/* compare: a matrix of runs as tables, JSON and a picture. */
#ifndef RT_LAB_COMPARE_H
#define RT_LAB_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "lab/matrix.h"

/* A section for each measure: a line for each kernel, a column for each system; then relative to the first
 * system, with means (matrix_mean). */
void compare_print(const struct matrix *m, FILE *f);
/* docs/results.md has the keys. Owned by the caller. */
json_t *compare_json(const struct matrix *m);
/* Why cells have no result, which systems did other work than the first, what else is to be known
 * (run_complaints); a line each. */
void compare_complaints(const struct matrix *m, FILE *f);
/* Bars of IPC relative to the first system, with the means; to a .png or .svg. */
bool compare_plot(const struct matrix *m, const char *path, struct err *e);

#endif
