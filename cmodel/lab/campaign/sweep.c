/* SPDX-License-Identifier: Apache-2.0 */
/* sweep: the runs of a plan, made, checked and put into the database; see sweep.h. */
#include "lab/campaign/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sm/slots.h"

/* ---- one run ---- */

enum { POINT = 4096 };
struct maker { /* where the loops are */
  struct sweep *s;
  const char *machine, *system;
  char point[POINT];         /* "section.key=value ...", of sweep and zip */
  unsigned number;           /* of the next member */
  struct run_result *result; /* results that are there are looked at; NULL: they are not */
  struct err *e;
};

static unsigned config_index(struct sweep *s, const struct config *c, const char *id) {
  for (unsigned i = s->nconfig; i-- > 0;) /* the same one is mostly the last */
    if (!strcmp(s->config_id[i], id)) return i;
  struct config *copy = xmalloc(sizeof *copy);
  *copy = *c;
  VEC_PUSH(s->config, s->nconfig, s->config_cap) = copy;
  (void)VEC_PUSH(s->config_id, s->ids, s->id_cap);
  memcpy(s->config_id[s->ids - 1], id, IDENTITY);
  return s->nconfig - 1;
}

static bool sweep_put_member(struct maker *m, const struct matrix_kernel *k, const char *key, uint64_t seed,
                             const char *choice, bool followed, const struct config *c) {
  struct db *d = m->s->db;
  sqlite3_stmt *x = db_prepare(d, "INSERT INTO member VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", m->e);
  if (!x) return false;
  db_bind_text(x, 1, m->s->plan->name);
  sqlite3_bind_int64(x, 2, m->number++);
  db_bind_text(x, 3, key), db_bind_text(x, 4, k->kernel), db_bind_text(x, 5, k->alias), db_bind_text(x, 6, c->machine),
      db_bind_text(x, 7, m->system);
  db_bind_text(x, 8, m->s->plan->size);
  sqlite3_bind_int64(x, 9, (sqlite3_int64)seed);
  db_bind_text(x, 10, m->point), db_bind_text(x, 11, choice);
  sqlite3_bind_int64(x, 12, followed);
  return db_step_done(d, x, m->e);
}

static bool sweep_refuse_run(struct maker *m, const char *key, const char *reason) {
  sqlite3_stmt *x = db_prepare(m->s->db, "UPDATE run SET state = 'refused', error = ? WHERE key = ?", m->e);
  if (!x) return false;
  db_bind_text(x, 1, reason), db_bind_text(x, 2, key);
  return db_step_done(m->s->db, x, m->e);
}

/* Columns 0 and 1: state, tries. */
static void sweep_take_state(sqlite3_stmt *x, struct sweep_run *r) {
  const char *state = (const char *)sqlite3_column_text(x, 0);
  for (unsigned i = 0; state && i < SWEEP_STATES; i++)
    if (!strcmp(state, sweep_states[i])) r->run.state = i;
  r->run.tries = (unsigned)sqlite3_column_int64(x, 1);
}

static bool sweep_read_state(struct maker *m, struct sweep_run *r) {
  sqlite3_stmt *x = db_prepare(m->s->db, "SELECT state, tries FROM run WHERE key = ?", m->e);
  if (!x) return false;
  db_bind_text(x, 1, r->run.key);
  if (db_step(m->s->db, x, m->e) != 1) return false;
  sweep_take_state(x, r);
  sqlite3_reset(x);
  return true;
}

/* A result that was damaged on the disk, or taken out, is to be made again. */
static bool look_at_result(struct maker *m, struct sweep_run *r) {
  if (!m->result || r->run.state != SWEEP_DONE || db_result(m->s->db, r->run.key, m->result, m->e)) return true;
  sqlite3_stmt *x = m->e->set ? NULL : db_prepare(m->s->db, "UPDATE run SET state = 'waiting' WHERE key = ?", m->e);
  if (!x) return false;
  db_bind_text(x, 1, r->run.key);
  r->run.state = SWEEP_WAITING;
  return db_step_done(m->s->db, x, m->e);
}

bool sweep_refresh(struct sweep *s, struct err *e) {
  sqlite3_stmt *x = db_prepare(s->db,
                               "SELECT state, tries, number, run.key FROM member JOIN run ON run.key = member.run"
                               " WHERE campaign = ?",
                               e);
  int got;
  if (!x) return false;
  db_bind_text(x, 1, s->plan->name);
  while ((got = db_step(s->db, x, e)) == 1) {
    const sqlite3_int64 i = sqlite3_column_int64(x, 2);
    const char *key = (const char *)sqlite3_column_text(x, 3);
    /* Another sweep may have put another plan of this name there. */
    if (i >= 0 && i < s->n && key && !strcmp(key, s->run[i].run.key)) sweep_take_state(x, &s->run[i]);
  }
  return !got;
}

/* A configuration that is refused may be incomplete, and so be another one that is not: its key is of the plan's words, too. */
static void refused_key(const struct maker *m, const struct task *t, const char *choice, struct db_run *id) {
  char what[POINT + 1300];
  snprintf(what, sizeof what, "refused %s %s %s", m->system, m->point, choice);
  identity_run(what, id->config, id->work, t->size, t->seed, id->key);
}

/* One run into the list and the database; `reason`: why it is refused, or NULL. */
static bool sweep_add_run(struct maker *m, unsigned kernel, const struct config *c, uint64_t seed, const char *choice,
                          bool followed, const char *reason) {
  struct sweep *s = m->s;
  struct task t = {.cfg = *c, .seed = seed};
  struct db_run id;
  snprintf(t.name, sizeof t.name, "%s", s->kernels.kernel[kernel].name);
  snprintf(t.size, sizeof t.size, "%s", s->plan->size);
  if (s->n == SWEEP_RUNS)
    return err_at(m->e, s->plan->file, 0, 0, "found more than %d runs, expected fewer", SWEEP_RUNS);
  if (!db_identify(s->db, &work_run, &t, &id, m->e)) return false;
  if (reason) refused_key(m, &t, choice, &id);
  if (!db_register(s->db, &work_run, &t, &id, m->e) || (reason && !sweep_refuse_run(m, id.key, reason))) return false;
  struct sweep_run r = {.kernel = kernel, .config = config_index(s, c, id.config), .seed = seed};
  memcpy(r.run.key, id.key, sizeof r.run.key);
  if (!sweep_read_state(m, &r) || !look_at_result(m, &r) ||
      !sweep_put_member(m, &s->kernels.kernel[kernel], r.run.key, seed, choice, followed, c))
    return false;
  VEC_PUSH(s->run, s->n, s->cap) = r;
  return true;
}

/* ---- what is excluded ---- */

static bool rule_holds(const struct maker *m, const struct sweep_rule *r, unsigned kernel, const char *seed,
                       const struct config *c, struct config *scratch) {
  const char *v = r->value.text;
  if (!strcmp(r->field, "kernel")) {
    const struct matrix_kernel *k = &m->s->kernels.kernel[kernel];
    return !strcmp(v, k->kernel) || !strcmp(v, k->name) || (k->alias[0] && !strcmp(v, k->alias));
  }
  if (!strcmp(r->field, "machine")) return !strcmp(v, c->machine);
  if (!strcmp(r->field, "system")) return !strcmp(v, m->system);
  if (!strcmp(r->field, "seed")) return !strcmp(v, seed);
  struct err e = {0};
  key_copy(scratch, c, r->key);
  return key_set(scratch, r->key, v, &(struct place){0}, &e) && key_same(scratch, c, r->key);
}

static bool sweep_excludes_run(struct maker *m, unsigned kernel, const char *seed, const struct config *c) {
  const struct sweep_plan *p = m->s->plan;
  struct config scratch;
  if (!p->nexclude) return false;
  config_defaults(&scratch);
  for (unsigned i = 0; i < p->nexclude; i++) {
    bool all = true;
    for (unsigned k = 0; all && k < p->exclude[i].n; k++)
      all = rule_holds(m, &p->exclude[i].rule[k], kernel, seed, c, &scratch);
    if (!all) continue;
    m->s->left_out[i] = true;
    return true;
  }
  return false;
}

/* A row of exclude that concerns no run has a wrong word, or another row took its runs. */
static void tell_excluded(struct sweep *s) {
  const struct sweep_plan *p = s->plan;
  for (unsigned i = 0; i < p->nexclude; i++)
    if (!s->left_out[i])
      warn("%s:%d:%d: this row of exclude leaves out no run", p->file, p->exclude[i].line, p->exclude[i].col);
}

static bool some_left(const struct sweep *s, struct err *e) {
  const struct sweep_plan *p = s->plan;
  const struct sweep_rules none = {0}, *first = p->nexclude ? p->exclude : &none;
  return s->n || err_at(e, p->file, first->line, first->col, "found no run that is left, expected one or more: %s",
                        p->nexclude ? "exclude takes all of them" : "its words mean no kernel");
}

/* ---- the loops ---- */

/* Of a system whose settings depend on the kernel: its points, or why there are none. */
static bool sweep_add_points(struct maker *m, const struct plan *p, unsigned kernel, uint64_t seed,
                             const struct run_result *followed) {
  struct sweep *s = m->s;
  struct plan_point *x = xcalloc(PLAN_POINTS, sizeof *x);
  struct plan_kernel *k = xcalloc(1, sizeof *k);
  struct err why = {0};
  const bool first = plan_follows(p) && !followed;
  unsigned n = plan_kernel(s->kernels.kernel[kernel].name, s->plan->size, &p->cfg, k, &why)
                   ? plan_points(p, k, followed, x, &why)
                   : 0;
  bool ok = n || sweep_add_run(m, kernel, &p->cfg, seed, "", false, why.text);
  for (unsigned i = 0; ok && i < n; i++) {
    struct err no = {0};
    const bool fits = config_fits(&x[i].cfg, &no);
    ok = sweep_add_run(m, kernel, &x[i].cfg, seed, x[i].what, first, fits ? NULL : no.text);
  }
  free(x), free(k);
  return ok;
}

static bool sweep_add_plan(struct maker *m, const struct plan *p, unsigned kernel, uint64_t seed) {
  struct sweep *s = m->s;
  if (!sweep_add_points(m, p, kernel, seed, NULL)) return false;
  if (!plan_follows(p)) return true;
  const struct sweep_run *last = &s->run[s->n - 1];
  struct run_result *r = xcalloc(1, sizeof *r);
  struct err e = {0};
  bool ok = true;
  if (last->run.state == SWEEP_DONE && db_result(s->db, last->run.key, r, &e))
    ok = sweep_add_points(m, p, kernel, seed, r);
  else if (last->run.state != SWEEP_REFUSED && last->run.state != SWEEP_FAILED) s->open++;
  free(r);
  if (e.set) *m->e = e;
  return ok && !e.set;
}

static bool sweep_each_kernel(struct maker *m, const struct plan *p, const char *reason) {
  struct sweep *s = m->s;
  const struct sweep_words *seeds = &s->plan->seeds;
  for (unsigned k = 0; k < s->kernels.nkernel; k++)
    for (unsigned i = 0; i < (seeds->n ? seeds->n : 1); i++) {
      const char *word = seeds->n ? seeds->word[i].text : "own";
      const uint64_t seed = seeds->n ? strtoull(word, NULL, 10) : 0;
      if (sweep_excludes_run(m, k, word, &p->cfg)) continue;
      if (reason ? !sweep_add_run(m, k, &p->cfg, seed, "", false, reason)
                 : !(p->info ? sweep_add_plan(m, p, k, seed) : sweep_add_run(m, k, &p->cfg, seed, "", false, NULL)))
        return false;
    }
  return true;
}

/* The configuration of one point on one machine, checked; then each kernel with it. */
static bool sweep_one_point(struct maker *m, const char *const *set, unsigned nset) {
  static const int no_args[3 * SWEEP_SETS];
  const struct settings settings = {.machine = m->machine, .set = set, .set_arg = no_args, .nset = nset};
  struct plan *p = xmalloc(sizeof *p);
  struct err why = {0};
  bool fits = plan_find(p, m->system, &settings, &why);
  fits = fits && config_fits(&p->cfg, &why);
  const bool ok = sweep_each_kernel(m, p, fits ? NULL : why.text);
  free(p);
  return ok;
}

static char *sweep_assignment_text(struct arena *a, const struct sweep_axis *x, unsigned value) {
  char one[1024];
  const int n = snprintf(one, sizeof one, "%s.%s=%s", x->key->section, x->key->name, x->value.word[value].text);
  return arena_strndup(a, one, (size_t)n < sizeof one ? (size_t)n : sizeof one - 1);
}

/* Every row of zip, crossed with every value of every key of sweep: like the digits of a number. */
static bool sweep_each_point(struct maker *m) {
  const struct sweep_plan *p = m->s->plan;
  const unsigned rows = p->zip.n ? p->zip.axis[0].value.n : 1;
  unsigned at[SWEEP_SETS] = {0};
  for (unsigned row = 0; row < rows; at[p->sweep.n] = 0) {
    struct arena arena = {0};
    const char *set[3 * SWEEP_SETS];
    unsigned n = 0, swept;
    for (unsigned i = 0; i < p->set.n; i++) set[n++] = sweep_assignment_text(&arena, &p->set.axis[i], 0);
    swept = n;
    for (unsigned i = 0; i < p->zip.n; i++) set[n++] = sweep_assignment_text(&arena, &p->zip.axis[i], row);
    for (unsigned i = 0; i < p->sweep.n; i++) set[n++] = sweep_assignment_text(&arena, &p->sweep.axis[i], at[i]);
    m->point[0] = 0;
    for (size_t i = swept, k = 0; i < n && k < POINT; i++)
      k += (size_t)snprintf(m->point + k, POINT - k, "%s%s", k ? " " : "", set[i]);
    const bool ok = sweep_one_point(m, set, n);
    arena_free(&arena);
    if (!ok) return false;
    unsigned i = p->sweep.n;
    while (i && ++at[i - 1] == p->sweep.axis[i - 1].value.n) at[--i] = 0;
    row += !i;
  }
  return true;
}

static bool sweep_each_system(struct maker *m) {
  const struct sweep_plan *p = m->s->plan;
  for (unsigned a = 0; a < (p->machines.n ? p->machines.n : 1); a++)
    for (unsigned b = 0; b < p->systems.n; b++) {
      m->machine = p->machines.n ? p->machines.word[a].text : NULL;
      m->system = p->systems.word[b].text;
      if (!sweep_each_point(m)) return false;
    }
  return true;
}

/* ---- the plan's words ---- */

/* The place of a word, for an error that has none in a file. */
static bool at_word(struct err *e, const struct sweep_plan *p, const struct sweep_word *w) {
  if (e->line) return false;
  snprintf(e->file, sizeof e->file, "%s", p->file);
  e->line = w->line, e->col = w->col;
  return false;
}

/* The kernels of a word; their files are there. */
static bool kernels_known(struct sweep *s, const struct sweep_word *word, struct err *e) {
  const struct sweep_plan *p = s->plan;
  unsigned i = s->kernels.nkernel;
  if (!matrix_kernels(&s->kernels, word->text, e)) return at_word(e, p, word);
  for (; i < s->kernels.nkernel; i++) {
    struct workload w;
    if (!workload_find(s->kernels.kernel[i].name, &w, e)) return at_word(e, p, word);
    if (access(w.path, R_OK))
      return err_at(e, p->file, word->line, word->col, "kernels: cannot read '%.200s': %s", w.path, strerror(errno));
  }
  return true;
}

static bool words_known(struct sweep *s, struct err *e) {
  const struct sweep_plan *p = s->plan;
  for (unsigned i = 0; i < p->kernels.n; i++)
    if (!kernels_known(s, &p->kernels.word[i], e)) return false;
  for (unsigned i = 0; i < p->machines.n; i++)
    if (!plan_known("baseline", p->machines.word[i].text, e)) return at_word(e, p, &p->machines.word[i]);
  for (unsigned i = 0; i < p->systems.n; i++)
    if (!plan_known(p->systems.word[i].text, p->machines.n ? p->machines.word[0].text : NULL, e))
      return at_word(e, p, &p->systems.word[i]);
  double n = (double)s->kernels.nkernel * p->systems.n * (p->machines.n ? p->machines.n : 1) *
             (p->seeds.n ? p->seeds.n : 1) * (p->zip.n ? p->zip.axis[0].value.n : 1);
  for (unsigned i = 0; i < p->sweep.n; i++) n *= p->sweep.axis[i].value.n;
  return n <= SWEEP_RUNS || err_at(e, p->file, 0, 0, "found %.0f runs, expected at most %d", n, SWEEP_RUNS);
}

static bool sweep_put_campaign(struct sweep *s, struct err *e) {
  sqlite3_stmt *x = db_prepare(s->db, "DELETE FROM member WHERE campaign = ?", e);
  if (!x) return false;
  db_bind_text(x, 1, s->plan->name);
  if (!db_step_done(s->db, x, e)) return false;
  x = db_prepare(s->db,
                 "INSERT INTO campaign VALUES(?1, ?2, ?3, ?4, ?5)"
                 " ON CONFLICT(name) DO UPDATE SET plan = ?2, path = ?3, base = ?4",
                 e);
  if (!x) return false;
  db_bind_text(x, 1, s->plan->name), db_bind_text(x, 2, s->text), db_bind_text(x, 3, s->plan->file),
      db_bind_text(x, 4, s->plan->base);
  sqlite3_bind_int64(x, 5, time(NULL));
  return db_step_done(s->db, x, e);
}

static bool sweep_make_runs(struct sweep *s, struct run_result *result, struct err *e) {
  struct maker m = {.s = s, .result = result, .e = e};
  s->n = s->open = 0;
  return db_begin(s->db, e) && db_end(s->db, sweep_put_campaign(s, e) && sweep_each_system(&m) && some_left(s, e), e);
}

bool sweep_remake(struct sweep *s, struct err *e) { return sweep_make_runs(s, NULL, e); }

bool sweep_open(struct sweep *s, const struct sweep_plan *plan, const char *text_of_it, struct err *e) {
  *s = (struct sweep){.plan = plan, .text = text_of_it, .left_out = xcalloc(plan->nexclude + 1, 1)};
  return words_known(s, e);
}

bool sweep_make(struct sweep *s, struct db *db, struct err *e) {
  s->db = db;
  struct run_result *result = xcalloc(1, sizeof *result);
  const bool ok = sweep_make_runs(s, result, e);
  free(result);
  if (ok) tell_excluded(s);
  return ok;
}

bool sweep_again(struct sweep *s, struct err *e) {
  sqlite3_stmt *x =
      db_prepare(s->db,
                 "UPDATE run SET state = 'waiting', tries = 0, error = NULL WHERE state IN ('failed', 'lost')"
                 " AND key IN (SELECT run FROM member WHERE campaign = ?)",
                 e);
  if (!x) return false;
  db_bind_text(x, 1, s->plan->name);
  return db_step_done(s->db, x, e) && sweep_remake(s, e);
}

void sweep_free(struct sweep *s) {
  for (unsigned i = 0; i < s->nconfig; i++) free(s->config[i]);
  free(s->config), free(s->config_id), free(s->run), free(s->left_out);
  matrix_free(&s->kernels);
  memset(s, 0, sizeof *s);
}

const struct task *sweep_task(const struct sweep *s, const struct sweep_run *r, struct task *t) {
  memset(t, 0, sizeof *t);
  snprintf(t->name, sizeof t->name, "%s", s->kernels.kernel[r->kernel].name);
  snprintf(t->size, sizeof t->size, "%s", s->plan->size);
  t->cfg = *s->config[r->config];
  t->seed = r->seed;
  return t;
}

const char *sweep_name(const struct sweep *s, const struct sweep_run *r, char *buf, size_t size) {
  snprintf(buf, size, "%s on %s", s->kernels.kernel[r->kernel].kernel, s->config[r->config]->system);
  return buf;
}

bool sweep_count(struct db *db, const char *name, struct sweep_counts *c, struct err *e) {
  sqlite3_stmt *x = db_prepare(db,
                               "SELECT state, count(*), total(seconds) FROM run WHERE key IN"
                               " (SELECT run FROM member WHERE campaign = ?) GROUP BY state",
                               e);
  int got;
  memset(c, 0, sizeof *c);
  if (!x) return false;
  db_bind_text(x, 1, name);
  while ((got = db_step(db, x, e)) == 1)
    for (unsigned i = 0; i < SWEEP_STATES; i++) {
      if (strcmp((const char *)sqlite3_column_text(x, 0), sweep_states[i]) != 0) continue;
      c->state[i] = (unsigned)sqlite3_column_int64(x, 1);
      c->all += c->state[i];
      if (i == SWEEP_DONE && c->state[i]) c->seconds = sqlite3_column_double(x, 2) / c->state[i];
    }
  return !got;
}
