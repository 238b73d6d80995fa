/* SPDX-License-Identifier: Apache-2.0 */
/* result: run results as a table for reading (result_table.c) and as JSON for machines (result_json.c). */
#ifndef RT_RUN_RESULT_H
#define RT_RUN_RESULT_H

#include <jansson.h>
#include <stdio.h>

#include "run/run.h"

/* Results side by side, a column each; all of one configuration and all functional or none. */
void result_print(const struct run_result *r, unsigned n, FILE *f);
/* One result; the keys are documented in docs/results.md. Owned by the caller. */
json_t *result_json(const struct run_result *r);

#endif
