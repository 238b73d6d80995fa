/* SPDX-License-Identifier: Apache-2.0 */
/* sweep: regtwin sweep PLAN.yaml --db FILE: all runs of a plan, here or by Slurm; what became of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/yaml.h"
#include "lab/campaign/sweep.h"
#include "cli/cli.h"

enum { SHOWN_MOST = 20 }; /* runs that are told one by one */

struct args {
  const char *plan, *db, *spool, *task;
  unsigned jobs;
  bool slurm, status, retry, jobs_given;
  double bundle;
};

enum { OPT_DB = 256, OPT_JOBS, OPT_EXECUTOR, OPT_STATUS, OPT_RETRY, OPT_SPOOL, OPT_BUNDLE, OPT_TASK };
static const struct argp_option options[] = {
    DB_OPTION,
    JOBS_OPTION,
    {"executor", OPT_EXECUTOR, "WHERE", 0,
     "where runs are executed: local, in child processes, or slurm, in tasks of Slurm; default: local", 0},
    {"status", OPT_STATUS, NULL, 0, "print the state of the plan's runs, and run nothing", 0},
    {"retry", OPT_RETRY, NULL, 0,
     "also repeat runs that failed, and runs that were lost more often than the plan allows", 0},
    {"spool", OPT_SPOOL, "DIR", 0,
     "with slurm: directory for the program, the tasks and their results, on a file system that all nodes mount; "
     "default: the database's name with .spool",
     0},
    {"bundle", OPT_BUNDLE, "SECONDS", 0, "with slurm: estimated seconds of the runs in one task; default: 60", 0},
    {"task", OPT_TASK, "FILE", 0, "for the tasks of Slurm: execute the runs that this file of the spool lists", 0},
    {0}};

static error_t sweep_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_DB: a->db = arg; return 0;
    case OPT_JOBS:
      a->jobs = jobs_arg(state, arg);
      a->jobs_given = true;
      return 0;
    case OPT_EXECUTOR:
      a->slurm = !strcmp(arg, "slurm");
      if (!a->slurm && strcmp(arg, "local") != 0)
        argp_error(state, "--executor: found '%s', expected local or slurm", arg);
      return 0;
    case OPT_STATUS: a->status = true; return 0;
    case OPT_RETRY: a->retry = true; return 0;
    case OPT_SPOOL: a->spool = arg; return 0;
    case OPT_BUNDLE: a->bundle = (double)number_arg(state, "--bundle", arg, 1, 86400); return 0;
    case OPT_TASK: a->task = arg; return 0;
    case ARGP_KEY_ARG:
      if (a->plan) argp_error(state, "found a second plan, '%s', expected one", arg);
      a->plan = arg;
      return 0;
    case ARGP_KEY_END:
      if (a->task && a->plan) argp_error(state, "found --task with a plan, expected one of them");
      if (!a->task && !a->plan) argp_error(state, "found no plan, expected the path of a YAML file");
      if (a->spool && !a->slurm) argp_error(state, "found --spool, expected it with --executor slurm");
      if (a->jobs_given && a->slurm) argp_error(state, "found --jobs with --executor slurm, expected one of them");
      if (a->status && a->retry) argp_error(state, "found --status with --retry, expected one of them");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* "1 h 20 min" */
static const char *duration_text(double seconds, char buf[32]) {
  const unsigned long s = (unsigned long)(seconds + 0.5);
  if (s >= 5400) snprintf(buf, 32, "%lu h %lu min", s / 3600, s / 60 % 60);
  else if (s >= 90) snprintf(buf, 32, "%lu min", (s + 30) / 60);
  else snprintf(buf, 32, "%lu s", s);
  return buf;
}

static void on_progress(void *ctx, const struct sweep_progress *p) {
  char left[32], text[400];
  snprintf(text, sizeof text, "%u/%u runs, %u at work%s%s  %.60s", p->done, p->all, p->running,
           p->left > 0 ? ", left: " : "", p->left > 0 ? duration_text(p->left, left) : "", p->what);
  progress_text(ctx, text);
}

/* Those in this state, with the reasons: of those with the same one the first, and how many others. */
static bool sweep_print_state(struct db *db, const char *name, enum sweep_state state, struct err *e) {
  static const char sql[] =
      "SELECT kernel, member.system, machine, member.point, error, owner, tries, count(DISTINCT run.key), min(number)"
      " FROM member JOIN run ON run.key = member.run WHERE campaign = ? AND state = ?"
      " GROUP BY error, owner, tries ORDER BY min(number)";
  sqlite3_stmt *x = db_prepare(db, sql, e);
  unsigned n = 0, shown = 0;
  int got;
  if (!x) return false;
  sqlite3_bind_text(x, 1, name, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text(x, 2, sweep_states[state], -1, SQLITE_STATIC);
  while ((got = db_step(db, x, e)) == 1) {
    const unsigned others = (unsigned)sqlite3_column_int(x, 7) - 1;
    if (shown == SHOWN_MOST) n += others + 1;
    if (shown == SHOWN_MOST) continue;
    shown++;
#define TEXT(i) SHOWN(sqlite3_column_text(x, i) ? (const char *)sqlite3_column_text(x, i) : "")
    printf("%s: %s on %s, %s", sweep_states[state], TEXT(0), TEXT(1), TEXT(2));
    if (TEXT(3)[0]) printf(", %s", TEXT(3));
    if (others) printf(", and %u other%s", others, others > 1 ? "s" : "");
    if (state == SWEEP_RUNNING) printf(", by %s\n", TEXT(5));
    else if (state == SWEEP_LOST) printf(", %d times: %s\n", sqlite3_column_int(x, 6), TEXT(4));
    else printf(": %s\n", TEXT(4));
#undef TEXT
  }
  if (n) printf("and %u more that are %s\n", n, sweep_states[state]);
  return !got;
}

/* *whole: all that is not refused is done. */
static bool sweep_print_counts(struct db *db, const char *name, unsigned jobs, bool *whole, struct err *e) {
  struct sweep_counts c;
  char text[32];
  if (!sweep_count(db, name, &c, e)) return false;
  printf("%s: %u runs", SHOWN(name), c.all);
  for (unsigned i = 0, first = 1; i < SWEEP_STATES; i++)
    if (c.state[i]) printf("%s %u %s", first ? ":" : ",", c.state[i], sweep_states[i]), first = 0;
  printf("\n");
  const unsigned left = c.state[SWEEP_WAITING] + c.state[SWEEP_RUNNING];
  if (left && c.seconds > 0 && jobs)
    printf("about %s left, %u at a time, by the mean of those that are done\n",
           duration_text(c.seconds * left / jobs, text), jobs);
  *whole = c.state[SWEEP_DONE] + c.state[SWEEP_REFUSED] == c.all;
  return sweep_print_state(db, name, SWEEP_RUNNING, e) && sweep_print_state(db, name, SWEEP_FAILED, e) &&
         sweep_print_state(db, name, SWEEP_LOST, e) && sweep_print_state(db, name, SWEEP_REFUSED, e);
}

/* What the database has of this name may be of another plan or another program. */
static bool tell_begun(struct db *db, const struct sweep_plan *p, const char *plan, bool *begun, struct err *e) {
  static const char sql[] =
      "SELECT plan, (SELECT count(DISTINCT run) FROM member JOIN run ON run.key = member.run"
      " WHERE campaign = ?1 AND program <> ?2) FROM campaign WHERE name = ?1";
  sqlite3_stmt *x = db_prepare(db, sql, e);
  if (!x) return false;
  sqlite3_bind_text(x, 1, p->name, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text(x, 2, identity_program, -1, SQLITE_STATIC);
  const int got = db_step(db, x, e);
  *begun = got == 1;
  if (!got) printf("%s: not begun, by this database\n", SHOWN(p->name));
  if (got != 1) return !got;
  const char *before = (const char *)sqlite3_column_text(x, 0);
  const int others = sqlite3_column_int(x, 1);
  if (!before || strcmp(before, plan) != 0)
    note("%s: it was changed since the last sweep; these are the runs of the plan before", p->file);
  if (others)
    note("%d runs are of another version of the simulator; the next sweep replaces them by runs of this one", others);
  sqlite3_reset(x);
  return true;
}

static bool sweep_print_status(const struct args *a, const struct sweep_plan *p, const char *plan, bool *whole,
                               struct err *e) {
  const char *path = a->db ? a->db : db_default();
  struct db *db = path ? db_open(path, DB_READ, e) : NULL;
  if (!path) err_at(e, NULL, 0, 0, "found no --db, expected the file of a database");
  bool begun = false;
  const bool ok =
      db && tell_begun(db, p, plan, &begun, e) && (!begun || sweep_print_counts(db, p->name, a->jobs, whole, e));
  *whole = true;
  db_close(db);
  return ok;
}

static bool sweep_execute(const struct args *a, const struct sweep_plan *p, const char *text, bool *whole,
                          struct err *e) {
  struct db *db = NULL;
  struct sweep s = {0};
  char spool[4096];
  bool ok = sweep_open(&s, p, text, e) && db_of(a->db, &db, e);
  if (ok && !db) ok = err_at(e, NULL, 0, 0, "found no --db, expected the file of a database");
  struct progress *progress = progress_new(0);
  snprintf(spool, sizeof spool, "%s%s", a->spool ? a->spool : db ? db_path(db) : "", a->spool ? "" : ".spool");
  const struct sweep_how how = {
      .jobs = a->jobs, .progress = on_progress, .ctx = progress, .spool = spool, .bundle = a->bundle, .poll = 2};
  ok = ok && sweep_make(&s, db, e) && (!a->retry || sweep_again(&s, e));
  ok = ok && (a->slurm ? sweep_slurm(&s, &how, e) : sweep_local(&s, &how, e));
  progress_free(progress);
  ok = ok && sweep_print_counts(db, p->name, 0, whole, e);
  sweep_free(&s);
  db_close(db);
  return ok;
}

int cmd_sweep(int argc, char **argv) {
  static const struct argp argp = {
      options,
      sweep_parse,
      "PLAN.yaml",
      "Executes all runs of a plan (docs/use/campaigns.md): kernels on machines and systems, "
      "with values of keys and seeds. Results go into a database. When the same command "
      "is given again it continues: runs that are done are not repeated. If a run fails "
      "it is reported, the others continue, and the exit status is 2.",
      NULL,
      NULL,
      NULL};
  struct args a = {.jobs = pool_processors(), .bundle = 60};
  struct sweep_plan p = {0};
  struct err e = {0};
  size_t n;
  bool whole = true;
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (a.task) return slurm_task(a.task, &e) ? 0 : err_complain(&e);
  char *text = yaml_slurp(a.plan, &n, "a plan", &e);
  bool ok = text && sweep_plan_text(&p, a.plan, text, n, &e);
  ok = ok && (a.status ? sweep_print_status(&a, &p, text, &whole, &e) : sweep_execute(&a, &p, text, &whole, &e));
  sweep_plan_free(&p);
  free(text);
  return !ok ? err_complain(&e) : whole ? 0 : EXIT_INPUT;
}
