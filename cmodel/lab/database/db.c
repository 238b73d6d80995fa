/* SPDX-License-Identifier: Apache-2.0 */
/* db: the file, its tables, statements and errors; see db.h. Rows of runs are in db_runs.c. */
#include "lab/database/db.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/show.h"
#include "lab/database/db_rows.h"
#include "config/keys.h"
#include "lab/run/columns.h"

enum { APPLICATION = 0x52547764 }; /* PRAGMA application_id: "RTwd" */

struct statement {
  const char *sql;
  sqlite3_stmt *s;
};
struct db {
  sqlite3 *handle;
  char path[PATH_MAX];
  enum db_mode mode;
  struct statement *statement;
  unsigned n, cap;
  struct db_rows *rows; /* db_runs.c's */
};

const char *db_path(const struct db *d) { return d->path; }
enum db_mode db_mode_of(const struct db *d) { return d->mode; }
struct db_rows **db_rows(struct db *d) {
  return &d->rows;
}

/* ---- errors ---- */

static bool db_bad_handle(const char *path, sqlite3 *handle, struct err *e) {
  const int code = sqlite3_errcode(handle) & 0xff;
  const char *text = sqlite3_errmsg(handle);
  switch (code) {
    case SQLITE_FULL:
      return err_at(e, path, 0, 0,
                    "found no room on the disk for this database, expected some: what was finished before is in it; "
                    "with more room "
                    "the same command continues");
    case SQLITE_CORRUPT:
      return err_at(
          e, path, 0, 0,
          "found a damaged database (%s), expected one as it was written; it was not changed: 'sqlite3 FILE .recover' "
          "saves what can be read, or give another --db",
          text);
    case SQLITE_NOTADB:
      return err_at(e, path, 0, 0, "found a file that is no database, expected one of regtwin or a new name");
    case SQLITE_BUSY:
      return err_at(e, path, 0, 0, "found the database locked by another program for %d seconds, expected it free",
                    DB_WAIT);
    case SQLITE_READONLY:
      return err_at(e, path, 0, 0, "found a database that cannot be written, expected one that can");
    case SQLITE_IOERR:
      return err_at(e, path, 0, 0,
                    "cannot read or write this database (%s; perhaps a full disk): what was finished before is in it",
                    text);
    case SQLITE_CANTOPEN: return err_at(e, path, 0, 0, "cannot open this database: %s", errno ? strerror(errno) : text);
    default: return err_at(e, path, 0, 0, "cannot use this database: %s", text);
  }
}

/* *e: what SQLite says of its last error, as a person needs it (a full disk, damage, ...). False. */
static bool db_bad(struct db *d, struct err *e) { return db_bad_handle(d->path, d->handle, e); }

/* ---- statements ---- */

sqlite3_stmt *db_prepare(struct db *d, const char *sql, struct err *e) {
  for (unsigned i = 0; i < d->n; i++)
    if (d->statement[i].sql == sql) {
      sqlite3_reset(d->statement[i].s);
      sqlite3_clear_bindings(d->statement[i].s);
      return d->statement[i].s;
    }
  sqlite3_stmt *s = NULL;
  if (sqlite3_prepare_v2(d->handle, sql, -1, &s, NULL) != SQLITE_OK) return db_bad(d, e), NULL;
  VEC_PUSH(d->statement, d->n, d->cap) = (struct statement){sql, s};
  return s;
}

int db_step(struct db *d, sqlite3_stmt *s, struct err *e) {
  const int code = sqlite3_step(s);
  if (code == SQLITE_ROW) return 1;
  if (code != SQLITE_DONE) db_bad(d, e);
  sqlite3_reset(s);
  return code == SQLITE_DONE ? 0 : -1;
}

bool db_exec(struct db *d, const char *sql, struct err *e) {
  return sqlite3_exec(d->handle, sql, NULL, NULL, NULL) == SQLITE_OK || db_bad(d, e);
}

bool db_begin(struct db *d, struct err *e) { return db_exec(d, "BEGIN IMMEDIATE", e); }

bool db_end(struct db *d, bool ok, struct err *e) {
  if (ok && db_exec(d, "COMMIT", e)) return true;
  if (!sqlite3_get_autocommit(d->handle)) sqlite3_exec(d->handle, "ROLLBACK", NULL, NULL, NULL);
  return false;
}

/* ---- tables ---- */

/* clang-format off */
static const char tables[] =
    "CREATE TABLE program(id TEXT PRIMARY KEY, version TEXT, since INTEGER) WITHOUT ROWID;"
    "CREATE TABLE work(id TEXT PRIMARY KEY, kernel TEXT, path TEXT) WITHOUT ROWID;"
    "CREATE TABLE run(key TEXT PRIMARY KEY, what TEXT NOT NULL, program TEXT NOT NULL REFERENCES program(id),"
    " config TEXT NOT NULL REFERENCES config(id), work TEXT NOT NULL REFERENCES work(id), size TEXT, seed INTEGER,"
    " state TEXT NOT NULL CHECK(state IN ('waiting', 'running', 'done', 'failed', 'lost', 'refused')),"
    " tries INTEGER NOT NULL DEFAULT 0, owner TEXT, lease INTEGER, error TEXT, host TEXT, seconds REAL,"
    " memory INTEGER, changed INTEGER) WITHOUT ROWID;"
    "CREATE INDEX run_state ON run(state);"
    "CREATE TABLE measured(run TEXT PRIMARY KEY REFERENCES run(key), sum TEXT, data BLOB) WITHOUT ROWID;"
    "CREATE TABLE campaign(name TEXT PRIMARY KEY, plan TEXT, path TEXT, base TEXT, begun INTEGER) WITHOUT ROWID;"
    "CREATE TABLE member(campaign TEXT REFERENCES campaign(name), number INTEGER, run TEXT REFERENCES run(key),"
    " kernel TEXT, alias TEXT, machine TEXT, system TEXT, size TEXT, seed INTEGER, point TEXT, choice TEXT,"
    " followed INTEGER, PRIMARY KEY(campaign, number)) WITHOUT ROWID;"
    "CREATE INDEX member_run ON member(run);";

/* Of runs: what was asked for, and its result. */
static const char view[] =
    "CREATE VIEW results AS SELECT run.key AS run, work.kernel AS kernel, run.size AS size, run.seed AS seed,"
    " config.machine AS machine, config.system AS system, run.state AS state, run.error AS error,"
    " CASE WHEN result.gpu_cycles > 0 THEN 1.0 * result.warp_insns / result.gpu_cycles END AS ipc,"
    " run.program AS program, run.config AS config, run.work AS work, run.tries AS tries, run.host AS host,"
    " run.seconds AS seconds, run.memory AS memory, run.changed AS changed, result.*"
    " FROM run JOIN work ON work.id = run.work JOIN config ON config.id = run.config"
    " LEFT JOIN result ON result.run = run.key WHERE run.what = 'run';";
/* clang-format on */

static const char *const sql_type[] = {
    [COLUMN_COUNT] = "INTEGER", [COLUMN_SMALL] = "INTEGER", [COLUMN_FLAG] = "INTEGER",
    [COLUMN_REAL] = "REAL",     [COLUMN_TEXT] = "TEXT",     [COLUMN_HASH] = "TEXT"};

/* Tables with a column for each key or counter. */
enum wide { WIDE_CONFIG, WIDE_RESULT, WIDE_LAUNCH, WIDES };
static const struct {
  const char *name, *head, *tail;
} wides[WIDES] = {
    {"config", "CREATE TABLE config(id TEXT PRIMARY KEY, machine TEXT, system TEXT", ") WITHOUT ROWID"},
    {"result", "CREATE TABLE result(run TEXT PRIMARY KEY REFERENCES run(key), sum TEXT", ") WITHOUT ROWID"},
    {"launch", "CREATE TABLE launch(run TEXT REFERENCES run(key), number INTEGER",
     ", PRIMARY KEY(run, number)) WITHOUT ROWID"}};

/* Column i of a wide table, its type behind it; NULL past the last. */
static const char *db_column_text(enum wide of, unsigned i, char buf[256]) {
  const unsigned n = of == WIDE_CONFIG ? config_nkeys : of == WIDE_RESULT ? run_ncolumns : launch_ncolumns;
  if (i >= n) return NULL;
  const struct column *c = of == WIDE_RESULT ? &run_columns[i] : of == WIDE_LAUNCH ? &launch_columns[i] : NULL;
  if (c) snprintf(buf, 256, "\"%s\" %s", c->name, sql_type[c->type]);
  else
    snprintf(buf, 256, "\"%s.%s\" %s", config_keys[i].section, config_keys[i].name,
             config_keys[i].type == KEY_INT || config_keys[i].type == KEY_BOOL ? "INTEGER" : "TEXT");
  return buf;
}

static bool db_make_wide(struct db *d, enum wide of, struct err *e) {
  char *sql = NULL, one[256];
  size_t n = 0;
  FILE *f = open_memstream(&sql, &n);
  if (!f) no_memory(1, BUFSIZ);
  fputs(wides[of].head, f);
  for (unsigned i = 0; db_column_text(of, i, one); i++) fprintf(f, ", %s", one);
  fputs(wides[of].tail, f);
  fclose(f);
  const bool ok = db_exec(d, sql, e);
  free(sql);
  return ok;
}

static bool db_has_column(struct db *d, const char *table, const char *name) {
  const int code = sqlite3_table_column_metadata(d->handle, "main", table, name, NULL, NULL, NULL, NULL, NULL);
  return code == SQLITE_OK;
}

/* Keys and counters that this program has and the file's tables have not: another program made it. */
static bool db_add_columns(struct db *d, enum wide of, struct err *e) {
  char one[256], name[256], sql[320];
  const char *table = wides[of].name;
  for (unsigned i = 0; db_column_text(of, i, one); i++) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(one + 1, "\""), one + 1);
    if (db_has_column(d, table, name)) continue;
    snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %s", table, one);
    if (!db_exec(d, sql, e)) return false;
  }
  return true;
}

static bool db_read_number(struct db *d, const char *pragma, int64_t *out, struct err *e) {
  sqlite3_stmt *s = NULL;
  if (sqlite3_prepare_v2(d->handle, pragma, -1, &s, NULL) != SQLITE_OK) return db_bad(d, e);
  const bool ok = sqlite3_step(s) == SQLITE_ROW || db_bad(d, e);
  if (ok) *out = sqlite3_column_int64(s, 0);
  sqlite3_finalize(s);
  return ok;
}

static bool db_make_tables(struct db *d, struct err *e) {
  char sql[128];
  snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, DB_VERSION);
  bool ok = db_exec(d, sql, e) && db_exec(d, tables, e);
  for (unsigned i = 0; ok && i < WIDES; i++) ok = db_make_wide(d, i, e);
  return ok && db_exec(d, view, e);
}

/* Is it ours, of this version? *empty: nothing is in it yet. */
static bool db_check_file(struct db *d, bool *empty, struct err *e) {
  int64_t tables_there = 0, application = 0, version = 0;
  if (!db_read_number(d, "SELECT count(*) FROM sqlite_schema", &tables_there, e) ||
      !db_read_number(d, "PRAGMA application_id", &application, e) ||
      !db_read_number(d, "PRAGMA user_version", &version, e))
    return false;
  *empty = !tables_there;
  if (*empty) return true;
  if (application != APPLICATION)
    return err_at(e, d->path, 0, 0, "found a database of another program, expected one of regtwin or a new name");
  return version == DB_VERSION ||
         err_at(e, d->path, 0, 0,
                "found a database of version %lld, expected version %d: use the regtwin that made it, or another --db",
                (long long)version, DB_VERSION);
}

/* ---- the file ---- */

static void directory_of(const char *path, char dir[PATH_MAX]) {
  snprintf(dir, PATH_MAX, "%s", path);
  char *slash = strrchr(dir, '/');
  if (slash) slash[1] = 0;
  else snprintf(dir, PATH_MAX, ".");
}

/* SQLite's shared memory does not work between hosts. */
static bool db_is_local(const char *path, struct err *e) {
  static const struct {
    unsigned long type;
    const char *name;
  } remote[] = {{0x6969, "NFS"},      {0x517b, "SMB"},        {0xff534d42, "CIFS"},
                {0xfe534d42, "SMB2"}, {0x0bd00bd0, "Lustre"}, {0x5346414f, "AFS"}};
  struct statfs s;
  char dir[PATH_MAX];
  directory_of(path, dir);
  for (unsigned i = 0; i < sizeof remote / sizeof *remote && !statfs(dir, &s); i++)
    if ((unsigned long)s.f_type == remote[i].type)
      return err_at(e, path, 0, 0,
                    "found a network file system (%s), expected a local one: several programs may use the database",
                    remote[i].name);
  return true;
}

/* Changing the journal's mode does not wait for others by itself. */
static bool db_set_wal(struct db *d, struct err *e) {
  for (unsigned tries = 0;; tries++) {
    const int code =
        sqlite3_exec(d->handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    if (code == SQLITE_OK) return true;
    if (code != SQLITE_BUSY || tries == DB_WAIT * 20) return db_bad(d, e);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
}

static bool db_prepare_file(struct db *d, struct err *e) {
  bool empty;
  if (d->mode == DB_READ)
    return db_check_file(d, &empty, e) &&
           (!empty || err_at(e, d->path, 0, 0, "found an empty file, expected a database of regtwin"));
  if (!db_check_file(d, &empty, e) || !db_set_wal(d, e) || !db_begin(d, e)) return false;
  bool ok = db_check_file(d, &empty, e);
  if (ok && empty) ok = db_make_tables(d, e);
  for (unsigned i = 0; ok && !empty && i < WIDES; i++) ok = db_add_columns(d, i, e);
  return db_end(d, ok, e);
}

/* Also a reader makes files beside it. */
static bool db_tell_place(struct db *d, struct err *e) {
  char dir[PATH_MAX];
  directory_of(d->path, dir);
  if ((sqlite3_errcode(d->handle) & 0xff) != SQLITE_CANTOPEN || !access(dir, W_OK)) return false;
  *e = (struct err){0};
  return err_at(
      e, d->path, 0, 0,
      "found a database in a directory that cannot be written, expected one that can, since readers, too, need "
      "files beside it: copy it to another");
}

static bool db_open_file(struct db *d, struct err *e) {
  struct stat st;
  errno = 0;
  if (d->mode == DB_READ && stat(d->path, &st))
    return err_at(e, d->path, 0, 0, "cannot open this database: %s", strerror(errno));
  if (!stat(d->path, &st) && !S_ISREG(st.st_mode))
    return err_at(e, d->path, 0, 0, "found a directory or device, expected the file of a database");
  if (d->mode == DB_WRITE && !db_is_local(d->path, e)) return false;
  const int flags = SQLITE_OPEN_READWRITE | (d->mode == DB_WRITE ? SQLITE_OPEN_CREATE : 0);
  int code = sqlite3_open_v2(d->path, &d->handle, flags, NULL);
  if (!d->handle) no_memory(1, 1);
  if (code != SQLITE_OK) return db_bad(d, e);
  sqlite3_extended_result_codes(d->handle, 1);
  sqlite3_busy_timeout(d->handle, DB_WAIT * 1000);
  return db_prepare_file(d, e) || db_tell_place(d, e);
}

struct db *db_open(const char *path, enum db_mode mode, struct err *e) {
  struct db *d = xcalloc(1, sizeof *d);
  d->mode = mode;
  const bool ok = path[0] && (size_t)snprintf(d->path, sizeof d->path, "%s", path) < sizeof d->path;
  if (!ok) err_at(e, NULL, 0, 0, "found a path of %zu bytes, expected the file of a database", strlen(path));
  if (ok && db_open_file(d, e)) return d;
  db_close(d);
  return NULL;
}

void db_close(struct db *d) {
  if (!d) return;
  for (unsigned i = 0; i < d->n; i++) sqlite3_finalize(d->statement[i].s);
  free(d->statement);
  db_rows_free(d->rows);
  sqlite3_close(d->handle);
  free(d);
}
