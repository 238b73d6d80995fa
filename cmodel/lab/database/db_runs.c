/* SPDX-License-Identifier: Apache-2.0 */
/* db_runs: runs and their results as rows of the database; see db.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "lab/database/db_rows.h"
#include "config/keys.h"
#include "lab/run/columns.h"

struct known { /* a workload that was hashed: its files are read once */
  char name[1024], id[IDENTITY];
  struct workload w;
};
struct db_rows {
  struct known *known;
  unsigned n, cap;
  char *put_config, *put_result, *get_result, *put_launch; /* statements with a column for each key, each counter */
  char host[64];
  bool warned;
};

/* ---- statements ---- */

static char *db_wide_sql(const char *head, const char *(*name)(unsigned i, char buf[256]), bool values,
                         const char *tail) {
  char *sql = NULL, one[256];
  size_t n = 0;
  FILE *f = open_memstream(&sql, &n);
  if (!f) no_memory(1, BUFSIZ);
  fputs(head, f);
  for (unsigned i = 0; name(i, one); i++) fprintf(f, ", \"%s\"", one);
  if (values) {
    fputs(") VALUES(?, ?", f);
    if (strstr(head, "system")) fputs(", ?", f);
    for (unsigned i = 0; name(i, one); i++) fputs(", ?", f);
  }
  fputs(tail, f);
  fclose(f);
  return sql;
}
static const char *key_name(unsigned i, char buf[256]) {
  if (i >= config_nkeys) return NULL;
  snprintf(buf, 256, "%s.%s", config_keys[i].section, config_keys[i].name);
  return buf;
}
static const char *counter_name(unsigned i, char buf[256]) {
  if (i >= run_ncolumns) return NULL;
  snprintf(buf, 256, "%s", run_columns[i].name);
  return buf;
}

static const char *launch_name(unsigned i, char buf[256]) {
  if (i >= launch_ncolumns) return NULL;
  snprintf(buf, 256, "%s", launch_columns[i].name);
  return buf;
}

static struct db_rows *db_rows_of(struct db *d) {
  struct db_rows **r = db_rows(d);
  if (*r) return *r;
  *r = xcalloc(1, sizeof **r);
  (*r)->put_config = db_wide_sql("INSERT OR IGNORE INTO config(id, machine, system", key_name, true, ")");
  (*r)->put_result = db_wide_sql("INSERT OR REPLACE INTO result(run, sum", counter_name, true, ")");
  (*r)->put_launch = db_wide_sql("INSERT OR REPLACE INTO launch(run, number", launch_name, true, ")");
  (*r)->get_result = db_wide_sql("SELECT sum", counter_name, false, " FROM result WHERE run = ?");
  if (gethostname((*r)->host, sizeof(*r)->host - 1)) snprintf((*r)->host, sizeof(*r)->host, "?");
  return *r;
}

void db_rows_free(struct db_rows *r) {
  if (!r) return;
  free(r->known), free(r->put_config), free(r->put_result), free(r->get_result), free(r->put_launch);
  free(r);
}

/* ---- identity ---- */

static struct known *known_of(struct db *d, const char *name, struct err *e) {
  struct db_rows *r = db_rows_of(d);
  for (unsigned i = 0; i < r->n; i++)
    if (!strcmp(r->known[i].name, name)) return &r->known[i];
  struct known k = {0};
  snprintf(k.name, sizeof k.name, "%s", name);
  if (!workload_find(name, &k.w, e) || !identity_work(&k.w, k.id, e)) return NULL;
  VEC_PUSH(r->known, r->n, r->cap) = k;
  return &r->known[r->n - 1];
}

bool db_identify(struct db *d, const struct work *what, const struct task *t, struct db_run *r, struct err *e) {
  const struct known *k = known_of(d, t->name, e);
  if (!k || !identity_config(&t->cfg, r->config, e)) return false;
  memcpy(r->work, k->id, sizeof r->work);
  r->w = k->w;
  identity_run(what->name, r->config, r->work, t->size, t->seed, r->key);
  return true;
}

/* ---- writing ---- */

static bool db_put_config(struct db *d, const struct config *c, const char *id, struct err *e) {
  sqlite3_stmt *s = db_prepare(d, db_rows_of(d)->put_config, e);
  if (!s) return false;
  db_bind_text(s, 1, id), db_bind_text(s, 2, c->machine), db_bind_text(s, 3, c->system);
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    const char *at = (const char *)c + k->offset;
    char value[KEY_TEXT];
    key_print(c, k, value, sizeof value);
    if (k->type == KEY_INT) sqlite3_bind_int64(s, (int)i + 4, *(const int64_t *)at);
    else if (k->type == KEY_BOOL) sqlite3_bind_int64(s, (int)i + 4, *(const bool *)at);
    else db_bind_text(s, (int)i + 4, k->type == KEY_PATH || k->type == KEY_WORD ? at : value);
  }
  return db_step_done(d, s, e);
}

static bool db_put_program(struct db *d, struct err *e) {
  sqlite3_stmt *s = db_prepare(d, "INSERT OR IGNORE INTO program VALUES(?, ?, ?)", e);
  if (!s) return false;
  db_bind_text(s, 1, identity_program), db_bind_text(s, 2, RT_VERSION);
  sqlite3_bind_int64(s, 3, time(NULL));
  return db_step_done(d, s, e);
}

static bool db_put_work(struct db *d, const struct db_run *r, struct err *e) {
  sqlite3_stmt *s = db_prepare(d, "INSERT OR IGNORE INTO work VALUES(?, ?, ?)", e);
  if (!s) return false;
  db_bind_text(s, 1, r->work), db_bind_text(s, 2, r->w.name), db_bind_text(s, 3, r->w.path);
  return db_step_done(d, s, e);
}

bool db_register(struct db *d, const struct work *what, const struct task *t, const struct db_run *r, struct err *e) {
  if (!db_put_program(d, e) || !db_put_config(d, &t->cfg, r->config, e) || !db_put_work(d, r, e)) return false;
  sqlite3_stmt *s = db_prepare(d,
                               "INSERT OR IGNORE INTO run(key, what, program, config, work, size, seed, state, changed)"
                               " VALUES(?, ?, ?, ?, ?, ?, ?, 'waiting', ?)",
                               e);
  if (!s) return false;
  db_bind_text(s, 1, r->key), db_bind_text(s, 2, what->name), db_bind_text(s, 3, identity_program),
      db_bind_text(s, 4, r->config), db_bind_text(s, 5, r->work);
  db_bind_text(s, 6, t->size);
  sqlite3_bind_int64(s, 7, (sqlite3_int64)t->seed);
  sqlite3_bind_int64(s, 8, time(NULL));
  return db_step_done(d, s, e);
}

/* Of a row: its values and its key, so that neither a changed nor a moved one is taken. */
static void row_sum(uint64_t sum, const char *key, char buf[17]) {
  snprintf(buf, 17, "%016" PRIx64, fnv1a(sum, key, strlen(key)));
}

static void db_bind_column(sqlite3_stmt *s, int at, const void *row, const struct column *c) {
  char value[COLUMN_TEXT_MOST];
  const char *from = (const char *)row + c->offset;
  if (c->type == COLUMN_COUNT) sqlite3_bind_int64(s, at, (sqlite3_int64) * (const uint64_t *)from);
  else if (c->type == COLUMN_SMALL) sqlite3_bind_int64(s, at, *(const uint32_t *)from);
  else if (c->type == COLUMN_FLAG) sqlite3_bind_int64(s, at, *(const bool *)from);
  else if (c->type == COLUMN_REAL) sqlite3_bind_double(s, at, *(const double *)from); /* not a number: NULL */
  else db_bind_text(s, at, column_text(row, c, value));
}

static bool db_put_result(struct db *d, const char *key, const struct run_result *r, struct err *e) {
  sqlite3_stmt *s = db_prepare(d, db_rows_of(d)->put_result, e);
  char sum[17];
  if (!s) return false;
  row_sum(columns_sum(r, run_columns, run_ncolumns), key, sum);
  db_bind_text(s, 1, key), db_bind_text(s, 2, sum);
  for (unsigned i = 0; i < run_ncolumns; i++) db_bind_column(s, (int)i + 3, r, &run_columns[i]);
  return db_step_done(d, s, e);
}

static bool db_put_launches(struct db *d, const char *key, const struct blob *more, struct err *e) {
  sqlite3_stmt *s = db_prepare(d, db_rows_of(d)->put_launch, e);
  struct run_launch l;
  bool ok = s;
  for (size_t n = 0; ok && (n + 1) * sizeof l <= more->n; n++) {
    memcpy(&l, (const char *)more->data + n * sizeof l, sizeof l);
    db_bind_text(s, 1, key);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)n);
    for (unsigned i = 0; i < launch_ncolumns; i++) db_bind_column(s, (int)i + 3, &l, &launch_columns[i]);
    ok = db_step_done(d, s, e);
  }
  return ok;
}

static bool db_put_measured(struct db *d, const char *key, const void *out, size_t size, struct err *e) {
  sqlite3_stmt *s = db_prepare(d, "INSERT OR REPLACE INTO measured VALUES(?, ?, ?)", e);
  char sum[17];
  if (!s) return false;
  row_sum(fnv1a(FNV_START, out, size), key, sum);
  db_bind_text(s, 1, key), db_bind_text(s, 2, sum);
  sqlite3_bind_blob(s, 3, out, (int)size, SQLITE_TRANSIENT);
  return db_step_done(d, s, e);
}

static bool work_is_run(const struct work *what) { return what == &work_run || what == &work_functional; }

bool db_finish(struct db *d, const struct work *what, const struct db_run *r, const struct answer *a, const void *out,
               struct err *e) {
  char why[1200];
  if (a->ok && work_is_run(what) && (!db_put_result(d, r->key, out, e) || !db_put_launches(d, r->key, &a->more, e)))
    return false;
  if (a->ok && !work_is_run(what) && !db_put_measured(d, r->key, out, what->size, e)) return false;
  sqlite3_stmt *s =
      db_prepare(d,
                 "UPDATE run SET state = ?2, tries = tries + 1, owner = NULL, lease = NULL, error = ?3, host = ?4,"
                 " seconds = ?5, memory = ?6, changed = ?7 WHERE key = ?1 AND (?2 = 'done' OR state <> 'done')",
                 e);
  if (!s) return false;
  db_bind_text(s, 1, r->key), db_bind_text(s, 2, a->ok ? "done" : a->lost ? "lost" : "failed");
  if (!a->ok) err_format(&a->e, why, sizeof why), db_bind_text(s, 3, why);
  db_bind_text(s, 4, db_rows_of(d)->host);
  sqlite3_bind_double(s, 5, a->seconds);
  sqlite3_bind_int64(s, 6, (sqlite3_int64)a->peak_rss_bytes);
  sqlite3_bind_int64(s, 7, time(NULL));
  return db_step_done(d, s, e);
}

/* ---- reading ---- */

static bool db_take_column(sqlite3_stmt *s, int at, struct run_result *r, const struct column *c) {
  char *to = (char *)r + c->offset;
  const int type = sqlite3_column_type(s, at);
  if (c->type == COLUMN_COUNT) {
    const sqlite3_int64 v = sqlite3_column_int64(s, at);
    memcpy(to, &v, sizeof v);
    return type == SQLITE_INTEGER;
  }
  if (c->type == COLUMN_REAL) {
    const double v = type == SQLITE_NULL ? (double)NAN : sqlite3_column_double(s, at);
    memcpy(to, &v, sizeof v);
    return type != SQLITE_BLOB;
  }
  const char *value = (const char *)sqlite3_column_text(s, at);
  return value && column_read(r, c, value);
}

/* Damage on the disk that SQLite itself does not see. The run is made again. */
static void db_mark_damaged(struct db *d, const char *key) {
  struct err e = {0};
  const bool only_read = db_mode_of(d) == DB_READ;
  warn("%s: found a damaged result (run %.12s); %s", db_path(d), key,
       only_read ? "the next sweep of it makes it again" : "it is made again");
  if (only_read) return;
  sqlite3_stmt *s = db_prepare(d, "UPDATE run SET state = 'waiting', error = NULL WHERE key = ?", &e);
  if (!s) return;
  db_bind_text(s, 1, key);
  db_step_done(d, s, &e);
}

bool db_result(struct db *d, const char *key, struct run_result *out, struct err *e) {
  sqlite3_stmt *s = db_prepare(d, db_rows_of(d)->get_result, e);
  char sum[17];
  memset(out, 0, sizeof *out);
  if (!s) return false;
  db_bind_text(s, 1, key);
  if (db_step(d, s, e) != 1) return false;
  bool ok = true;
  for (unsigned i = 0; ok && i < run_ncolumns; i++) ok = db_take_column(s, (int)i + 1, out, &run_columns[i]);
  row_sum(ok ? columns_sum(out, run_columns, run_ncolumns) : 0, key, sum);
  const char *kept = (const char *)sqlite3_column_text(s, 0);
  ok = ok && kept && !strcmp(kept, sum);
  sqlite3_reset(s);
  if (ok) return true;
  memset(out, 0, sizeof *out);
  db_mark_damaged(d, key);
  return false;
}

static bool db_get_measured(struct db *d, const char *key, void *out, size_t size, struct err *e) {
  sqlite3_stmt *s = db_prepare(d, "SELECT sum, data FROM measured WHERE run = ?", e);
  char sum[17];
  if (!s) return false;
  db_bind_text(s, 1, key);
  if (db_step(d, s, e) != 1) return false;
  const void *data = sqlite3_column_blob(s, 1);
  const char *kept = (const char *)sqlite3_column_text(s, 0);
  bool ok = data && (size_t)sqlite3_column_bytes(s, 1) == size && kept;
  if (ok) row_sum(fnv1a(FNV_START, data, size), key, sum);
  ok = ok && !strcmp(kept, sum);
  if (ok) memcpy(out, data, size);
  sqlite3_reset(s);
  if (!ok) db_mark_damaged(d, key);
  return ok;
}

/* ---- for the pool ---- */

/* A result that is not there is run, one that cannot be kept is printed nevertheless: but the user should know. */
static void db_complain(struct db *d, const struct err *e) {
  char why[1200];
  if (!e->set || db_rows_of(d)->warned) return;
  db_rows_of(d)->warned = true;
  err_format(e, why, sizeof why);
  warn("%s", why);
}

bool db_get(struct db *d, const struct work *what, const struct task *t, void *out) {
  struct db_run r;
  struct err e = {0};
  if (!d || !db_identify(d, what, t, &r, &(struct err){0})) return false; /* the run itself says what is wrong */
  const bool there = work_is_run(what) ? db_result(d, r.key, out, &e) : db_get_measured(d, r.key, out, what->size, &e);
  db_complain(d, &e);
  if (!there || !work_is_run(what)) return there;
  struct run_result *result = out;
  memcpy(result->kernel, r.w.name, sizeof result->kernel);
  memcpy(result->path, r.w.path, sizeof result->path);
  result->cfg = t->cfg;
  return true;
}

void db_put(struct db *d, const struct work *what, const struct task *t, const struct answer *a, const void *out) {
  struct db_run r;
  struct err e = {0};
  if (!d || !db_identify(d, what, t, &r, &(struct err){0})) return;
  if (db_begin(d, &e)) db_end(d, db_register(d, what, t, &r, &e) && db_finish(d, what, &r, a, out, &e), &e);
  db_complain(d, &e);
}
