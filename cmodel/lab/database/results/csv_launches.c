/* SPDX-License-Identifier: Apache-2.0 */
/* csv_launches: the launches of runs, which stay in the database; see csv.h. */
#include <stdlib.h>
#include <string.h>

#include "lab/database/db.h"
#include "lab/database/results/csv.h"
#include "lab/run/columns.h"

static void csv_put_launch_head(FILE *f) {
  fputs("run,kernel,size,seed,machine,system,launch", f);
  for (unsigned i = 0; i < launch_ncolumns; i++)
    fprintf(f, ",%s%s", strcmp(launch_columns[i].name, "kernel") ? "" : "launched_", launch_columns[i].name);
  fputc('\n', f);
}

static void csv_put_launch(const struct outcome *o, sqlite3_stmt *s, FILE *f) {
  fprintf(f, "%.16s,", o->key);
  csv_text(f, o->kernel), fputc(',', f);
  csv_text(f, o->size);
  fprintf(f, ",%llu,", (unsigned long long)o->seed);
  csv_text(f, o->machine), fputc(',', f);
  csv_text(f, o->system);
  for (int i = 0; i <= (int)launch_ncolumns; i++) {
    const char *text = (const char *)sqlite3_column_text(s, i);
    fputc(',', f);
    csv_text(f, text ? text : "");
  }
  fputc('\n', f);
}

/* "SELECT number, "kernel", ... FROM launch": the columns that this program knows, in its order. */
static char *select_of(void) {
  char *sql = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&sql, &n);
  if (!f) no_memory(1, BUFSIZ);
  fputs("SELECT number", f);
  for (unsigned i = 0; i < launch_ncolumns; i++) fprintf(f, ", \"%s\"", launch_columns[i].name);
  fputs(" FROM launch WHERE run = ? ORDER BY number", f);
  if (fclose(f)) no_memory(1, BUFSIZ);
  return sql;
}

static bool csv_put_launches(const struct outcome_set *s, struct db *d, const char *sql, FILE *f, struct err *e) {
  for (unsigned i = 0; i < s->n; i++) {
    sqlite3_stmt *rows = db_prepare(d, sql, e);
    int row;
    if (!rows) return false;
    sqlite3_bind_text(rows, 1, s->row[i].key, -1, SQLITE_STATIC);
    while ((row = db_step(d, rows, e)) > 0) csv_put_launch(&s->row[i], rows, f);
    if (row < 0) return false;
  }
  return true;
}

bool csv_launches(const struct outcome_set *s, const char *db, FILE *f, struct err *e) {
  struct db *d = db_open(db, DB_READ, e);
  if (!d) return false;
  char *sql = select_of();
  csv_put_launch_head(f);
  const bool ok = csv_put_launches(s, d, sql, f, e);
  db_close(d);
  free(sql);
  return ok;
}
