/* SPDX-License-Identifier: Apache-2.0 */
/* db_rows: what db.c keeps for db_runs.c, private to them. */
#ifndef RT_DATABASE_DB_ROWS_H
#define RT_DATABASE_DB_ROWS_H

#include "lab/database/db.h"

struct db_rows;
struct db_rows **db_rows(struct db *d); /* made at the first use */
void db_rows_free(struct db_rows *r);   /* r may be NULL */
enum db_mode db_mode_of(const struct db *d);

#endif
