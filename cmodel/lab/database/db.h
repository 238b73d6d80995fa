/* SPDX-License-Identifier: Apache-2.0 */
/*
 * db: the database of results (SQLite; docs/use/database.md has its tables). Commands that run kernels take from it what it has and
 * add what they ran; `regtwin sweep` plans in it; `regtwin results` reads it. A run's key is a hash of all that its result
 * depends on (lab/database/identity.h), so a result is never of another program, configuration or file.
 *
 * Only the process that opened it uses it, not its children. Others may read and write it meanwhile: each change is one
 * transaction, begun with BEGIN IMMEDIATE, waiting up to DB_WAIT seconds for others.
 */
#ifndef RT_DATABASE_DB_H
#define RT_DATABASE_DB_H

#include <sqlite3.h>

#include "lab/database/identity.h"

enum { DB_VERSION = 1, DB_WAIT = 30 }; /* PRAGMA user_version; seconds */
/* READ: it must be there. WRITE: it is made, but not its directory, and gets columns that it lacks. */
enum db_mode { DB_READ, DB_WRITE };

struct db;
/* NULL and *e: no database, one of another version or of another program's, damaged, or it cannot be written. */
struct db *db_open(const char *path, enum db_mode mode, struct err *e);
void db_close(struct db *d); /* d may be NULL */
const char *db_path(const struct db *d);

/* ---- for those with statements of their own ---- */
/* Compiled, and kept until db_close: the same text (by address) gives the same statement, reset, without values. NULL and *e. */
sqlite3_stmt *db_prepare(struct db *d, const char *sql, struct err *e);
/* 1: there is a row; 0: there is none (the statement is reset); -1 and *e. */
int db_step(struct db *d, sqlite3_stmt *s, struct err *e);
static inline bool db_step_done(struct db *d, sqlite3_stmt *s, struct err *e) { return db_step(d, s, e) == 0; }
static inline void db_bind_text(sqlite3_stmt *s, int at, const char *value) { /* NULL: NULL */
  sqlite3_bind_text(s, at, value, -1, SQLITE_TRANSIENT);
}
bool db_exec(struct db *d, const char *sql, struct err *e);
bool db_begin(struct db *d, struct err *e);        /* BEGIN IMMEDIATE */
bool db_end(struct db *d, bool ok, struct err *e); /* COMMIT, or (not ok) ROLLBACK; ok, and it was committed */

/* ---- results of runs ---- */
struct db_run { /* one run: its key, and what that is made of */
  char key[IDENTITY], config[IDENTITY], work[IDENTITY];
  struct workload w; /* workload_find's */
};
/* False and *e: there is no such kernel, or a file cannot be read. */
bool db_identify(struct db *d, const struct work *what, const struct task *t, struct db_run *r, struct err *e);
/* The run's rows in program, config, work and run, if they are not there: waiting. Within a transaction. */
bool db_register(struct db *d, const struct work *what, const struct task *t, const struct db_run *r, struct err *e);
/* Its end: state done with the result, or failed or lost with the reason. Within a transaction. */
bool db_finish(struct db *d, const struct work *what, const struct db_run *r, const struct answer *a, const void *out,
               struct err *e);
/* The result of a run by its key; false and *e unset: there is none. A row that was changed on disk is refused, with a
 * warning, and the run is waiting again (DB_WRITE). `out` gets all but kernel, path and configuration. */
bool db_result(struct db *d, const char *key, struct run_result *out, struct err *e);

/* For the pool: what a task's result is; false: there is none (d may be NULL). What cannot be kept is not an error of the run: a
 * warning says so, once. */
bool db_get(struct db *d, const struct work *what, const struct task *t, void *out);
void db_put(struct db *d, const struct work *what, const struct task *t, const struct answer *a, const void *out);

#endif
