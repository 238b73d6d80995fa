/* SPDX-License-Identifier: Apache-2.0 */
/* result: run results as a table for reading (result_table.c) and as JSON for machines (result_json.c); by SM and by launch
 * (result_detail.c). */
#ifndef RT_RUN_RESULT_H
#define RT_RUN_RESULT_H

#include <jansson.h>
#include <stdio.h>

#include "lab/run/run.h"

/* Prints results side by side, a column each; all of one configuration and all functional or none. short_form: a few rows only. settings:
 * what the title says after the system's name, ", slot.storage=flat"; "": nothing. */
void result_print(const struct run_result *r, unsigned n, bool short_form, const char *settings, FILE *f);
/* One result; the keys are documented in docs/use/results.md. Owned by the caller. */
json_t *result_json(const struct run_result *r);

/* A row for each SM of a run with timing; for each launch. */
void result_print_sms(const struct run_result *r, const struct run_detail *d, FILE *f);
void result_print_launches(const struct run_result *r, const struct run_detail *d, FILE *f);
/* Arrays of the same, owned by the caller; counters by their names in the lists. */
json_t *result_sms_json(const struct run_detail *d);
json_t *result_launches_json(const struct run_detail *d);
json_t *result_counters(const struct sm_stats *s);
/* What was counted in a launch, or in several; without time only its instructions, the rest is null. */
void result_put_counts(json_t *o, bool timed, uint64_t cycles, const struct sm_stats *sm, const struct mem_stats *mem);
json_t *result_triple(const uint32_t v[3]);
json_t *result_configuration(const struct config *c); /* every key, by section */

#endif
