/* SPDX-License-Identifier: Apache-2.0 */
/* set: see set.h. */
#include "lab/database/results/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/database/db.h"
#include "config/keys.h"
#include "lab/run/hardware.h"

const char *const outcome_state_name[OUTCOME_STATES] = {
    [OUTCOME_WAITING] = "waiting", [OUTCOME_RUNNING] = "running", [OUTCOME_DONE] = "done",
    [OUTCOME_FAILED] = "failed",   [OUTCOME_LOST] = "lost",       [OUTCOME_REFUSED] = "refused"};

const char *outcome_counter(const struct run_result *r, const struct column *c, char buf[COLUMN_TEXT_MOST]) {
  double x;
  if (!hardware_counts(&r->cfg, c->name)) return buf[0] = 0, buf;
  if (c->type != COLUMN_REAL) return column_text(r, c, buf);
  memcpy(&x, (const char *)r + c->offset, sizeof x);
  if (isnan(x)) buf[0] = 0;
  else snprintf(buf, COLUMN_TEXT_MOST, "%.9g", x);
  return buf;
}

struct loading {
  struct outcome_set *s;
  struct db *d;
  struct err *e;
  const struct key **key; /* of each column of table config; NULL: none of this program's */
  int columns;
};

static const char *outcome_keep_text(struct outcome_set *s, const char *text) {
  return text ? arena_strndup(&s->arena, text, strlen(text)) : "";
}
static const char *text_at(struct loading *l, sqlite3_stmt *s, int at) {
  return outcome_keep_text(l->s, (const char *)sqlite3_column_text(s, at));
}

/* ---- configurations ---- */

static void column_keys(struct loading *l, sqlite3_stmt *s) {
  if (l->key) return;
  l->columns = sqlite3_column_count(s);
  l->key = xcalloc((size_t)l->columns, sizeof *l->key);
  for (int i = 0; i < l->columns; i++) {
    char section[64];
    const char *name = sqlite3_column_name(s, i), *dot = strchr(name, '.');
    if (!dot || (size_t)(dot - name) >= sizeof section) continue;
    snprintf(section, sizeof section, "%.*s", (int)(dot - name), name);
    l->key[i] = key_find(section, dot + 1);
  }
}

/* A key that the file has no value of is younger than the run: it has its default. False: a value that is none of today's. */
static bool take_key(struct config *c, const struct key *k, sqlite3_stmt *s, int at) {
  char *to = (char *)c + k->offset;
  struct err e = {0};
  const char *text = (const char *)sqlite3_column_text(s, at);
  if (!text) return true;
  if (k->type == KEY_INT) {
    const int64_t x = sqlite3_column_int64(s, at);
    if (x < k->least || x > k->most) return false;
    *(int64_t *)to = x;
  } else if (k->type == KEY_BOOL) *(bool *)to = sqlite3_column_int64(s, at) != 0;
  else if (k->type == KEY_PATH) return (size_t)snprintf(to, CONFIG_PATH, "%s", text) < CONFIG_PATH;
  else return key_set(c, k, text, &(struct place){0}, &e);
  return true;
}

/* The configuration of that id, and whether all of its values are some that this program takes; NULL and *e: there is none. */
static const struct config *outcome_read_config(struct loading *l, const char *id, bool *known) {
  sqlite3_stmt *s = db_prepare(l->d, "SELECT * FROM config WHERE id = ?", l->e);
  if (!s) return NULL;
  sqlite3_bind_text(s, 1, id, -1, SQLITE_TRANSIENT);
  const int row = db_step(l->d, s, l->e);
  if (row <= 0) {
    err_at(l->e, db_path(l->d), 0, 0, "found a run of configuration %.12s, expected this one in the database", id);
    return NULL;
  }
  column_keys(l, s);
  struct config *c = arena_alloc(&l->s->arena, sizeof *c);
  config_defaults(c);
  bool all = true;
  for (int i = 0; i < l->columns; i++) {
    const char *name = sqlite3_column_name(s, i);
    if (!strcmp(name, "machine")) snprintf(c->machine, sizeof c->machine, "%s", text_at(l, s, i));
    if (!strcmp(name, "system")) snprintf(c->system, sizeof c->system, "%s", text_at(l, s, i));
    if (l->key[i]) all = take_key(c, l->key[i], s, i) && all;
  }
  sqlite3_reset(s);
  *known = all;
  return c;
}

static int outcome_by_config(const void *a, const void *b) {
  const struct outcome *x = *(struct outcome *const *)a, *y = *(struct outcome *const *)b;
  return strcmp(x->config, y->config);
}

/* Each one is read once, and all rows of it share it. */
static bool load_configs(struct loading *l) {
  struct outcome_set *s = l->s;
  struct outcome **by = xcalloc(s->n, sizeof *by);
  bool ok = true;
  for (unsigned i = 0; i < s->n; i++) by[i] = &s->row[i];
  if (s->n) qsort(by, s->n, sizeof *by, outcome_by_config);
  for (unsigned i = 0; ok && i < s->n; i++) {
    if (i && !strcmp(by[i]->config, by[i - 1]->config)) by[i]->cfg = by[i - 1]->cfg, by[i]->known = by[i - 1]->known;
    else ok = (by[i]->cfg = outcome_read_config(l, by[i]->config, &by[i]->known)) != NULL;
  }
  free(by);
  return ok;
}

/* ---- results ---- */

static const struct column *column_find(const char *name) {
  for (unsigned i = 0; i < run_ncolumns; i++)
    if (!strcmp(run_columns[i].name, name)) return &run_columns[i];
  return NULL;
}

/* Of another program: the counters that both have, as they are; the others are 0. False: none, or no values of theirs. */
static bool other_result(struct loading *l, const char *key, struct run_result *out) {
  sqlite3_stmt *s = db_prepare(l->d, "SELECT * FROM result WHERE run = ?", l->e);
  if (!s) return false;
  sqlite3_bind_text(s, 1, key, -1, SQLITE_TRANSIENT);
  if (db_step(l->d, s, l->e) != 1) return false;
  bool ok = true;
  for (int i = 0; ok && i < sqlite3_column_count(s); i++) {
    const struct column *c = column_find(sqlite3_column_name(s, i));
    const char *text = (const char *)sqlite3_column_text(s, i);
    if (c && c->type == COLUMN_REAL) {
      const double x = sqlite3_column_double(s, i);
      memcpy((char *)out + c->offset, &x, sizeof x);
    } else if (c && text) {
      ok = column_read(out, c, text);
    }
  }
  sqlite3_reset(s);
  return ok;
}

static bool load_result(struct loading *l, struct outcome *o) {
  struct run_result *r = arena_alloc(&l->s->arena, sizeof *r);
  const bool own = !strcmp(o->program, identity_program);
  struct err rule = {0};
  if (!o->known || !config_check(o->cfg, &rule)) {
    o->error = "its configuration in the database is none of this program's";
    return true;
  }
  const bool there = own ? db_result(l->d, o->key, r, l->e) : other_result(l, o->key, r);
  if (l->e->set) return false;
  if (!there) {
    o->state = OUTCOME_WAITING;
    o->error = "the result in the database is damaged; the run is to be made again";
    return true;
  }
  snprintf(r->kernel, sizeof r->kernel, "%s", o->kernel);
  snprintf(r->path, sizeof r->path, "%s", o->asked);
  r->cfg = *o->cfg;
  o->run = r;
  if (r->partial) o->partial = r->part[0] ? r->part : "a part of the run";
  return true;
}

/* ---- rows ---- */

/* The members of campaigns that a run is say what it was asked for as: a row for each kernel and system by name, of which the first
 * member counts. What is in no campaign comes last. */
static const char rows[] =
    "SELECT run.key, run.program, run.config, run.work, work.kernel, work.path, run.size, run.seed, run.state, "
    "run.tries,"
    " run.error, run.seconds, run.memory, config.machine, config.system, m.campaign, m.kernel, m.system"
    " FROM run JOIN work ON work.id = run.work JOIN config ON config.id = run.config"
    " LEFT JOIN member m ON m.run = run.key AND (?1 IS NULL OR m.campaign = ?1) AND NOT EXISTS"
    "  (SELECT 1 FROM member x WHERE x.run = m.run AND x.kernel IS m.kernel AND x.system IS m.system AND (?1 IS NULL "
    "OR x.campaign = ?1) AND (x.campaign, x.number) < "
    "(m.campaign, m.number))"
    " WHERE run.what = 'run' AND (?1 IS NULL OR m.campaign IS NOT NULL)"
    " AND (?2 IS NULL OR m.kernel = ?2 OR m.alias = ?2 OR (work.kernel = ?2 AND NOT EXISTS"
    "  (SELECT 1 FROM member y WHERE y.run = run.key AND y.kernel = ?2))) AND (?3 IS NULL OR run.size = ?3)"
    " AND (?4 IS NULL OR m.system = ?4 OR (m.system IS NULL AND config.system = ?4)) AND (?5 IS NULL OR config.machine "
    "= ?5)"
    " AND (?6 IS NULL OR run.state = ?6) AND (?7 IS NULL OR substr(run.key, 1, length(?7)) = ?7)"
    " AND (?8 IS NULL OR substr(run.program, 1, length(?8)) = ?8)"
    " ORDER BY m.campaign IS NULL, m.campaign, m.number, work.kernel, run.size, config.machine, config.system, "
    "run.config,"
    " run.seed, run.key";

/* As `regtwin run` takes it: of the suite (NAME/NAME.launch) by its name, else by its path. */
static const char *asked_of(struct outcome_set *s, const char *kernel, const char *path) {
  char end[300];
  const size_t n = (size_t)snprintf(end, sizeof end, "/%.120s/%.120s.launch", kernel, kernel), all = strlen(path);
  return all >= n && !strcmp(path + all - n, end) ? kernel : outcome_keep_text(s, path);
}

static void outcome_read_row(struct loading *l, sqlite3_stmt *s) {
  struct outcome o = {
      .key = text_at(l, s, 0), .program = text_at(l, s, 1), .config = text_at(l, s, 2), .work = text_at(l, s, 3)};
  const char *work = text_at(l, s, 4); /* its name when the work was first run */
  o.kernel = sqlite3_column_type(s, 16) == SQLITE_NULL ? work : text_at(l, s, 16);
  o.size = text_at(l, s, 6);
  o.seed = (uint64_t)sqlite3_column_int64(s, 7);
  const char *state = text_at(l, s, 8);
  for (unsigned i = 0; i < OUTCOME_STATES; i++)
    if (!strcmp(state, outcome_state_name[i])) o.state = i;
  o.tries = (unsigned)sqlite3_column_int64(s, 9);
  o.error = text_at(l, s, 10);
  o.seconds = sqlite3_column_double(s, 11);
  o.memory = (uint64_t)sqlite3_column_int64(s, 12);
  o.machine = text_at(l, s, 13);
  o.campaign = text_at(l, s, 15);
  o.asked = asked_of(l->s, work, text_at(l, s, 5));
  o.system = text_at(l, s, sqlite3_column_type(s, 17) == SQLITE_NULL ? 14 : 17);
  o.partial = "";
  VEC_PUSH(l->s->row, l->s->n, l->s->cap) = o;
}

static bool outcome_read_rows(struct loading *l, const struct wanted *w) {
  const char *const value[] = {w->campaign, w->kernel, w->size, w->system, w->machine, w->state, w->key, w->program};
  sqlite3_stmt *s = db_prepare(l->d, rows, l->e);
  int row;
  if (!s) return false;
  for (unsigned i = 0; i < sizeof value / sizeof *value; i++)
    if (value[i]) sqlite3_bind_text(s, (int)i + 1, value[i], -1, SQLITE_STATIC);
  while ((row = db_step(l->d, s, l->e)) > 0) outcome_read_row(l, s);
  return row == 0;
}

/* A column of texts into a list. */
static bool outcome_read_list(struct loading *l, const char *sql, const char ***list, unsigned *n) {
  sqlite3_stmt *s = db_prepare(l->d, sql, l->e);
  unsigned cap = 0;
  int row;
  if (!s) return false;
  while ((row = db_step(l->d, s, l->e)) > 0) VEC_PUSH(*list, *n, cap) = text_at(l, s, 0);
  return row == 0;
}

/* Keeps the runs of the program that came last of those that have any. */
static void keep_newest(struct outcome_set *s) {
  const char *program = NULL;
  unsigned n = 0;
  for (unsigned p = 0; p < s->programs && !program; p++)
    for (unsigned i = 0; i < s->n && !program; i++)
      if (!strcmp(s->row[i].program, s->program[p])) program = s->program[p];
  for (unsigned i = 0; i < s->n; i++)
    if (program && !strcmp(s->row[i].program, program)) s->row[n++] = s->row[i];
  s->other = s->n - n;
  s->n = n;
}

static int outcome_by_work(const void *a, const void *b) {
  const struct outcome *x = *(struct outcome *const *)a, *y = *(struct outcome *const *)b;
  const int c = strcmp(x->kernel, y->kernel);
  return c ? c : strcmp(x->work, y->work);
}

static int outcome_by_key(const void *a, const void *b) {
  const struct outcome *x = *(struct outcome *const *)a, *y = *(struct outcome *const *)b;
  const int c = strcmp(x->key, y->key);
  return c ? c : x < y ? -1 : 1;
}

static void mark_again(struct outcome_set *s) {
  struct outcome **by = xcalloc(s->n, sizeof *by);
  for (unsigned i = 0; i < s->n; i++) by[i] = &s->row[i];
  if (s->n) qsort(by, s->n, sizeof *by, outcome_by_key);
  for (unsigned i = 1; i < s->n; i++) by[i]->again = !strcmp(by[i]->key, by[i - 1]->key);
  free(by);
}

/* Work of one name is told apart by its hash. */
static void own_names(struct outcome_set *s) {
  struct outcome **by = xcalloc(s->n, sizeof *by);
  for (unsigned i = 0; i < s->n; i++) by[i] = &s->row[i];
  if (s->n) qsort(by, s->n, sizeof *by, outcome_by_work);
  for (unsigned i = 0, next; i < s->n; i = next) { /* from i to next: one name */
    for (next = i + 1; next < s->n && !strcmp(by[next]->kernel, by[i]->kernel);) next++;
    if (!strcmp(by[i]->work, by[next - 1]->work)) continue;
    for (unsigned k = i; k < next; k++) {
      char name[300];
      snprintf(name, sizeof name, "%.240s (%.6s)", by[k]->kernel, by[k]->work);
      by[k]->kernel = outcome_keep_text(s, name);
    }
  }
  free(by);
}

static bool outcome_read_base(struct loading *l) {
  const char **base = NULL;
  unsigned n = 0;
  const bool ok = outcome_read_list(l, "SELECT base FROM campaign WHERE base <> '' ORDER BY name", &base, &n);
  l->s->base = n ? base[0] : "";
  free(base);
  return ok;
}

static bool outcome_read_all(struct loading *l, const struct wanted *w) {
  struct outcome_set *s = l->s;
  if (!outcome_read_rows(l, w) || !outcome_read_base(l) ||
      !outcome_read_list(l, "SELECT name FROM campaign ORDER BY name", &s->campaign, &s->campaigns) ||
      !outcome_read_list(l, "SELECT id FROM program ORDER BY since DESC, id", &s->program, &s->programs))
    return false;
  if (w->newest && !w->program) keep_newest(s);
  mark_again(s);
  own_names(s);
  if (!load_configs(l)) return false;
  for (unsigned i = 0; i < s->n; i++)
    if (s->row[i].state == OUTCOME_DONE && !load_result(l, &s->row[i])) return false;
  return true;
}

static bool state_known(const char *state, struct err *e) {
  for (unsigned i = 0; state && i < OUTCOME_STATES; i++)
    if (!strcmp(state, outcome_state_name[i])) return true;
  return !state ||
         err_at(e, NULL, 0, 0, "--state: found '%s', expected waiting, running, done, failed, lost or refused", state);
}

bool outcome_read(struct outcome_set *s, const char *path, const struct wanted *w, struct err *e) {
  struct loading l = {.s = s, .e = e};
  memset(s, 0, sizeof *s);
  s->base = "";
  if (!state_known(w->state, e) || !(l.d = db_open(path, DB_READ, e))) return false;
  bool ok = db_exec(l.d, "BEGIN", e) && outcome_read_all(&l, w);
  db_end(l.d, false, e); /* it has changed nothing */
  db_close(l.d);
  free(l.key);
  return ok;
}

void outcome_free(struct outcome_set *s) {
  free(s->row), free(s->campaign), free(s->program);
  arena_free(&s->arena);
  memset(s, 0, sizeof *s);
}
