/* SPDX-License-Identifier: Apache-2.0 */
/* races_report: the results of the race detector as text and as JSON (docs/use/races.md). */
#ifndef RT_RUN_RACES_REPORT_H
#define RT_RUN_RACES_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "exec/races.h"

/* A paragraph for each pair, those that can change a result first; `name`: of the workload. */
void races_print(const struct races *r, const char *name, FILE *f);
/* An array; the keys are documented in docs/use/races.md. Owned by the caller. */
json_t *races_json(const struct races *r);
/* Is there a pair that can change a result? */
bool races_matter(const struct races *r);

#endif
