/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv: runs as comma-separated values (RFC 4180): a line of names, then a line for each run, or for each kernel or system. Numbers
 * have all their digits; what there is not is empty. Foreign text is quoted, and shown as base/show.h shows it.
 */
#ifndef RT_RESULTS_CSV_H
#define RT_RESULTS_CSV_H

#include "lab/campaign/measure.h"
#include "lab/database/results/view.h"

enum csv_columns {
  CSV_MEASURES, /* what was run, and every measure of `regtwin list measures` */
  CSV_COUNTERS, /* and every counter */
  CSV_PRESENT   /* and every counter that is not 0 in all runs */
};
/* A line for each run, with a column for each key of which two of them have different values. */
void csv_runs(const struct outcome_set *s, enum csv_columns which, FILE *f);

/* The measure, or its ratio to the first system: kernels below each other and systems side by side, or the other way round, for each
 * machine and size; last the means. A system that was run with several values of a key is a column for each of them, "VT:l1.mshrs=16". A cell
 * without a whole result is empty. */
void csv_table(const struct outcome_set *s, const struct measure *m, const char *base, bool ratio, bool systems_down,
               FILE *f);

/* A line for each launch of each run of the set, from the database that it was read from: the launch and all of its counters. False
 * and *e: the database cannot be read. */
bool csv_launches(const struct outcome_set *s, const char *db, FILE *f, struct err *e);

/* A text as a cell; one that begins as a formula does has an apostrophe before it. */
void csv_text(FILE *f, const char *text);

#endif
