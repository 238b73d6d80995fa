/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns: struct run_result, and struct run_launch, as a row of a table: a column for each counter of the SM (sm/stats.def and the systems' lists),
 * of the memory, and for what else a run reports. For what keeps results: the database and files of results. Not among the
 * columns: kernel, path and configuration, which the row's run has.
 */
#ifndef RT_RUN_COLUMNS_H
#define RT_RUN_COLUMNS_H

#include "lab/run/run.h"

enum column_type {
  COLUMN_COUNT, /* uint64_t */
  COLUMN_SMALL, /* uint32_t or an enum */
  COLUMN_FLAG,  /* bool */
  COLUMN_REAL,  /* double, perhaps infinite or not a number */
  COLUMN_TEXT,  /* char array */
  COLUMN_HASH   /* uint64_t, as 16 hexadecimal digits */
};
struct column {
  const char *name, *unit;
  enum column_type type;
  size_t offset, size; /* in the struct */
};
extern const struct column run_columns[], launch_columns[]; /* of struct run_result; of struct run_launch */
extern const unsigned run_ncolumns, launch_ncolumns;

/* The value of one column as text, exact: column_read gives it back. `row`: the struct. */
enum { COLUMN_TEXT_MOST = 160 };
const char *column_text(const void *row, const struct column *c, char buf[COLUMN_TEXT_MOST]);
/* False: the text is no value of this column. */
bool column_read(void *row, const struct column *c, const char *text);
/* A hash of n columns, for what stores them: a value that was changed there is found. */
uint64_t columns_sum(const void *row, const struct column *c, unsigned n);

#endif
