/* SPDX-License-Identifier: Apache-2.0 */
/* compare: a matrix of runs as tables, JSON and a picture. */
#ifndef RT_CAMPAIGN_COMPARE_H
#define RT_CAMPAIGN_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "lab/campaign/matrix.h"

enum { COMPARE_MOST = 64 };
struct compare_what { /* neither: IPC, and a line for each of a few other measures */
  bool all;           /* every measure, what limits the CTAs, how far results are off */
  bool by_system;     /* a line for each system instead, with the measures chosen or a few others as columns */
  const struct measure *measure[COMPARE_MOST];
  unsigned n;
};
/* Prints of each measure chosen a line for each kernel, a column for each system; then relative to the first
 * system, with means (matrix_mean). Last, what a paper says of the same systems. */
void compare_print(const struct matrix *m, const struct compare_what *what, FILE *f);
/* docs/use/results.md has the keys. Owned by the caller. */
json_t *compare_json(const struct matrix *m);
/* Failed cells with the reason, systems that did other work than the first (one line a kernel), warnings (run_complaints); a line each. */
void compare_complaints(const struct matrix *m);
/* Those of kernel k without the other work. */
void compare_complain_of_runs(const struct matrix *m, unsigned k);
/* Bars of IPC relative to the first system, with the means; to a .png or .svg. */
bool compare_plot(const struct matrix *m, const char *path, struct err *e);

#endif
