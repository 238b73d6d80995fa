/* SPDX-License-Identifier: Apache-2.0 */
/* list: runs of a database as text for reading: a line each, one in full, and what differs between runs. */
#ifndef RT_RESULTS_LIST_H
#define RT_RESULTS_LIST_H

#include "lab/database/results/set.h"

/* A line for each run, and how many there are of each state. */
void results_list(const struct outcome_set *s, FILE *f);
/* What was run, its state, and the table of `regtwin run`; all: every counter, too. */
void results_show(const struct outcome *o, bool all, FILE *f);

/* Keys, measures and counters that differ between two runs. */
void results_diff(const struct outcome *a, const struct outcome *b, FILE *f);
/* Runs of two sets, each with the one of the other set of the same kernel, size, seed, machine, system and configuration: how many
 * are the same to the bit, which differ and by what, which are in one of them only. name_a, name_b: what the sets are. */
void results_diff_sets(const struct outcome_set *a, const char *name_a, const struct outcome_set *b, const char *name_b,
                       FILE *f);

#endif
