/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm: the runs of a plan as arrays of tasks of Slurm; see sweep.h. Each array has a directory in the spool, whose name is the
 * job's: a copy of the program, a file for each task and one for its results. Of a run that is on its way the database says
 * "slurm JOB TASK" as owner, before the job is submitted: so a sweep that takes over finds all there is, and needs no more than
 * the queue, asked by the job's name, and the directory.
 */
#define _GNU_SOURCE /* get_current_dir_name */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "lab/campaign/sweep.h"
#include "lab/campaign/slurm_files.h"

enum {
  TASKS = 1000,        /* of an array; MaxArraySize is 1001 where nobody changed it */
  LEASE = 900,         /* seconds: a sweep that looks after its jobs renews it at each look */
  GONE = 3,            /* looks at which a task is in no queue and has no results, before it counts as lost */
  QUIET = 120,         /* looks at which the queue does not answer, before the sweep gives up */
  UNKNOWN_SECONDS = 10 /* of a run, when no run of the kernel is known */
};

struct part { /* a task on its way */
  char job[128];
  unsigned task, gone;
  bool queued, seen; /* in the queue; found in the database at the last look */
};
struct spool {
  struct sweep *s;
  const struct sweep_how *how;
  struct err *e;
  char dir[PATH_MAX - 512];
  int lock;
  struct part *part;
  unsigned n, cap, quiet, serial;
};

/* ---- other programs ---- */

/* Runs it; what it prints on both streams, cut off at size. False: it cannot be run, or ended with an error. */
static bool slurm_run_tool(char *const argv[], char *out, size_t size) {
  int fd[2], status = 0;
  size_t n = 0;
  out[0] = 0;
  if (pipe2(fd, O_CLOEXEC)) return false;
  fflush(NULL);
  const pid_t pid = fork();
  if (!pid) {
    dup2(fd[1], STDOUT_FILENO), dup2(fd[1], STDERR_FILENO);
    execvp(argv[0], argv);
    dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  close(fd[1]);
  char rest[4096];
  for (ssize_t got; pid > 0 && ((got = read(fd[0], rest, sizeof rest)) > 0 || (got < 0 && errno == EINTR));)
    for (ssize_t i = 0; i < got && n + 1 < size; i++) out[n++] = rest[i];
  out[n] = 0;
  close(fd[0]);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void first_line(char *text) { text[strcspn(text, "\r\n")] = 0; }

/* ---- the spool ---- */

static bool spool_path(const struct spool *p, const char *job, const char *kind, unsigned task, char path[PATH_MAX]) {
  if (task) return (size_t)snprintf(path, PATH_MAX, "%s/%s/%s-%u.json", p->dir, job, kind, task) < PATH_MAX;
  return (size_t)snprintf(path, PATH_MAX, "%s/%s%s%s", p->dir, job, kind[0] ? "/" : "", kind) < PATH_MAX;
}

static bool spool_open(struct spool *p) {
  char lock[PATH_MAX];
  if (mkdir(p->how->spool, 0777) && errno != EEXIST)
    return err_at(p->e, p->how->spool, 0, 0, "cannot make this directory for a spool: %s", strerror(errno));
  char *real = realpath(p->how->spool, NULL);
  const bool fits = real && (size_t)snprintf(p->dir, sizeof p->dir, "%s", real) < sizeof p->dir;
  free(real);
  if (!fits)
    return err_at(p->e, p->how->spool, 0, 0,
                  "cannot use this directory as a spool: its path is too long, or it is gone");
  snprintf(lock, sizeof lock, "%s/lock", p->dir);
  p->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (p->lock < 0) return err_at(p->e, lock, 0, 0, "cannot open: %s", strerror(errno));
  return !flock(p->lock, LOCK_EX | LOCK_NB) ||
         err_at(p->e, p->dir, 0, 0, "found a sweep that uses this spool, expected none: each needs its own (--spool)");
}

/* The program itself, so that it may be built anew meanwhile. */
static bool spool_copy_program(struct spool *p, const char *job) {
  char path[PATH_MAX], why[IO_WHY], buf[65536];
  if (!spool_path(p, job, "regtwin", 0, path)) return err_at(p->e, p->dir, 0, 0, "found a path that is too long");
  FILE *in = input_open("/proc/self/exe", why);
  struct output *out = in ? output_replace(path, why) : NULL;
  for (size_t n; out && (n = fread(buf, 1, sizeof buf, in));) fwrite(buf, 1, n, output_stream(out));
  if (in) fclose(in);
  const bool ok = out && output_close(out, true, why) &&
                  (!chmod(path, 0755) || (snprintf(why, sizeof why, "%s", strerror(errno)), false));
  return ok || err_at(p->e, path, 0, 0, "cannot write: %s", why);
}

/* As one word of a shell. */
static void slurm_quote_word(FILE *f, const char *text) {
  fputc('\'', f);
  for (; *text; text++)
    if (*text == '\'') fputs("'\\''", f);
    else fputc(*text, f);
  fputc('\'', f);
}

static bool spool_write_script(struct spool *p, const char *job) {
  char path[PATH_MAX], dir[PATH_MAX], traces[PATH_MAX], why[IO_WHY];
  if (!spool_path(p, job, "job.sh", 0, path) || !spool_path(p, job, "", 0, dir)) return false;
  struct output *o = output_replace(path, why);
  if (!o) return err_at(p->e, path, 0, 0, "cannot write: %s", why);
  FILE *f = output_stream(o);
  char *real = traces_root(traces, sizeof traces) ? realpath(traces, NULL) : NULL;
  fputs("#!/bin/sh\n# A task of regtwin sweep.\n", f);
  if (real) fputs("REGTWIN_TRACES=", f), slurm_quote_word(f, real), fputs("\nexport REGTWIN_TRACES\n", f);
  fputs("dir=", f), slurm_quote_word(f, dir);
  fputs("\nexec \"$dir/regtwin\" sweep --task \"$dir/task-$SLURM_ARRAY_TASK_ID.json\"\n", f);
  free(real);
  return output_close(o, true, why) || err_at(p->e, path, 0, 0, "cannot write: %s", why);
}

/* ---- submitting ---- */

/* What runs of a kernel took, in the mean. */
static double seconds_of(struct spool *p, unsigned kernel) {
  struct err none = {0};
  double v = UNKNOWN_SECONDS;
  sqlite3_stmt *x = db_prepare(p->s->db,
                               "SELECT avg(seconds) FROM run JOIN work ON work.id = run.work"
                               " WHERE what = 'run' AND state = 'done' AND kernel = ? AND size = ?",
                               &none);
  if (!x) return v;
  db_bind_text(x, 1, p->s->kernels.kernel[kernel].kernel), db_bind_text(x, 2, p->s->plan->size);
  if (db_step(p->s->db, x, &none) == 1 && sqlite3_column_type(x, 0) != SQLITE_NULL) v = sqlite3_column_double(x, 0);
  sqlite3_reset(x);
  return v;
}

struct bundle { /* runs of one task: list[first], n of them */
  unsigned first, n;
};
struct array {
  char job[128];
  unsigned *list, nlist, list_cap;
  struct bundle *bundle;
  unsigned n, cap;
};

/* Takes runs until the array is full: a task gets as many as make `bundle` seconds; one that was lost before gets its own. */
static bool spool_fill_array(struct spool *p, struct array *a, unsigned *next) {
  struct sweep *s = p->s;
  double *known = xcalloc(s->kernels.nkernel, sizeof *known), sum = 0;
  bool open = false;
  for (; *next < s->n && !p->e->set; ++*next) {
    struct sweep_run *r = &s->run[*next];
    char owner[LEASE_OWNER];
    if (r->run.state != SWEEP_WAITING && r->run.state != SWEEP_RUNNING &&
        !(r->run.state == SWEEP_LOST && r->run.tries <= s->plan->tries))
      continue;
    const bool alone = r->run.tries > 0, begin = !open || alone || sum >= p->how->bundle;
    if (begin && a->n == TASKS) break;
    snprintf(owner, sizeof owner, "slurm %s %u", a->job, a->n + begin);
    if (lease_take(s->db, &r->run, s->plan->tries, owner, p->e) != LEASE_MINE) continue;
    if (begin) VEC_PUSH(a->bundle, a->n, a->cap) = (struct bundle){a->nlist, 0}, sum = 0;
    open = !alone;
    VEC_PUSH(a->list, a->nlist, a->list_cap) = *next;
    a->bundle[a->n - 1].n++;
    if (!known[r->kernel]) known[r->kernel] = seconds_of(p, r->kernel);
    sum += known[r->kernel];
  }
  free(known);
  return !p->e->set;
}

static bool spool_renew_leases(struct spool *p, unsigned seconds) {
  sqlite3_stmt *x = db_prepare(p->s->db,
                               "UPDATE run SET lease = ? WHERE state = 'running' AND owner LIKE 'slurm %'"
                               " AND key IN (SELECT run FROM member WHERE campaign = ?)",
                               p->e);
  if (!x) return false;
  sqlite3_bind_int64(x, 1, time(NULL) + seconds);
  db_bind_text(x, 2, p->s->plan->name);
  return db_begin(p->s->db, p->e) && db_end(p->s->db, !db_step(p->s->db, x, p->e), p->e);
}

/* Those of a job (of one task, or with task 0 of all) wait again. */
static bool spool_give_back(struct spool *p, const char *job, unsigned task, struct err *e) {
  char owner[LEASE_OWNER];
  sqlite3_stmt *x = db_prepare(p->s->db,
                               "UPDATE run SET state = 'waiting', owner = NULL, lease = NULL WHERE state = 'running'"
                               " AND (owner = ?1 OR substr(owner, 1, length(?2)) = ?2)",
                               e);
  if (!x) return false;
  snprintf(owner, sizeof owner, "slurm %s %u", job, task);
  db_bind_text(x, 1, owner);
  snprintf(owner, sizeof owner, "slurm %s ", job);
  if (!task) db_bind_text(x, 2, owner);
  return db_begin(p->s->db, e) && db_end(p->s->db, !db_step(p->s->db, x, e), e);
}

static bool spool_sbatch(struct spool *p, const struct array *a) {
  const struct sweep_plan *plan = p->s->plan;
  char script[PATH_MAX], said[1024], name[160], array[32], out[PATH_MAX], where[PATH_MAX + 16], mem[48] = "",
                                                                                                limit[48] = "";
  unsigned most = 0;
  char *cwd = get_current_dir_name();
  for (unsigned i = 0; i < a->n; i++)
    if (a->bundle[i].n > most) most = a->bundle[i].n;
  spool_path(p, a->job, "job.sh", 0, script);
  spool_path(p, a->job, "log-%a", 0, out);
  snprintf(name, sizeof name, "--job-name=%s", a->job);
  snprintf(array, sizeof array, "--array=1-%u", a->n);
  snprintf(where, sizeof where, "--output=%s", out);
  char *argv[16] = {"sbatch", "--parsable", "--nodes=1", "--ntasks=1", name, array, where};
  char chdir[PATH_MAX + 16];
  unsigned n = 7;
  snprintf(chdir, sizeof chdir, "--chdir=%s", cwd ? cwd : "/");
  argv[n++] = chdir;
  if (plan->memory_mb)
    snprintf(mem, sizeof mem, "--mem=%lluM", (unsigned long long)plan->memory_mb + 64), argv[n++] = mem;
  if (plan->seconds > 0) snprintf(limit, sizeof limit, "--time=%.0f", plan->seconds * most / 60 + 2), argv[n++] = limit;
  argv[n] = script;
  free(cwd);
  if (slurm_run_tool(argv, said, sizeof said)) return true;
  first_line(said);
  return err_at(p->e, NULL, 0, 0, "Slurm takes no job: %.300s", said[0] ? said : "sbatch ended with an error");
}

/* A job that was not taken leaves nothing. */
static void spool_discard_array(struct spool *p, const struct array *a) {
  static const char *const files[] = {"regtwin", "job.sh", ""};
  char path[PATH_MAX];
  for (unsigned i = 1; i <= a->n; i++)
    if (spool_path(p, a->job, "task", i, path)) unlink(path);
  for (unsigned i = 0; i < 3; i++)
    if (spool_path(p, a->job, files[i], 0, path)) remove(path);
}

static bool spool_submit_array(struct spool *p, const struct array *a) {
  char path[PATH_MAX];
  if (!spool_copy_program(p, a->job) || !spool_write_script(p, a->job)) return false;
  for (unsigned i = 0; i < a->n; i++)
    if (!spool_path(p, a->job, "task", i + 1, path) ||
        !slurm_write_task(p->s, a->list + a->bundle[i].first, a->bundle[i].n, path, p->e))
      return false;
  return spool_sbatch(p, a);
}

/* All that waits, in arrays. */
static bool spool_submit(struct spool *p) {
  unsigned next = 0;
  bool ok = true;
  while (ok) {
    struct array a = {0};
    char dir[PATH_MAX];
    snprintf(a.job, sizeof a.job, "rt-%s-%lld-%ld-%u", p->s->plan->name, (long long)time(NULL), (long)getpid(),
             p->serial++);
    ok = spool_fill_array(p, &a, &next);
    const bool some = a.nlist;
    if (ok && some) {
      ok = spool_path(p, a.job, "", 0, dir) &&
           (!mkdir(dir, 0777) || err_at(p->e, dir, 0, 0, "cannot make this directory: %s", strerror(errno)));
      ok = ok && spool_submit_array(p, &a);
    }
    if (!ok && some) spool_give_back(p, a.job, 0, &(struct err){0}), spool_discard_array(p, &a);
    free(a.list), free(a.bundle);
    if (!some) break;
  }
  return ok;
}

/* ---- what is on its way ---- */

/* Owners of this plan's runs, by the database. */
static bool spool_find_parts(struct spool *p) {
  sqlite3_stmt *x = db_prepare(p->s->db,
                               "SELECT DISTINCT owner FROM run WHERE state = 'running' AND owner LIKE 'slurm %'"
                               " AND key IN (SELECT run FROM member WHERE campaign = ?)",
                               p->e);
  int got;
  if (!x) return false;
  db_bind_text(x, 1, p->s->plan->name);
  for (unsigned i = 0; i < p->n; i++) p->part[i].seen = false;
  while ((got = db_step(p->s->db, x, p->e)) == 1) {
    struct part one = {.queued = true};
    unsigned i = 0;
    if (sscanf((const char *)sqlite3_column_text(x, 0), "slurm %127s %u", one.job, &one.task) != 2) continue;
    while (i < p->n && (p->part[i].task != one.task || strcmp(p->part[i].job, one.job) != 0)) i++;
    if (i == p->n) VEC_PUSH(p->part, p->n, p->cap) = one;
    p->part[i].seen = true;
  }
  unsigned n = 0;
  for (unsigned i = 0; i < p->n; i++)
    if (p->part[i].seen) p->part[n++] = p->part[i];
  p->n = n;
  return !got;
}

/* Which of the parts are in the queue. A queue that does not answer holds all of them, for a while. */
static bool spool_ask_queue(struct spool *p) {
  enum { MOST = 1 << 22 };
  char *out = xmalloc(MOST), user[32], *save = NULL;
  snprintf(user, sizeof user, "--user=%lu", (unsigned long)geteuid());
  char *argv[] = {"squeue", "--noheader", "--array", user, "--format=%j %K", NULL};
  const bool ok = slurm_run_tool(argv, out, MOST);
  if (ok) p->quiet = 0;
  else if (++p->quiet >= QUIET) {
    first_line(out);
    err_at(p->e, NULL, 0, 0, "Slurm's queue does not answer: %.300s", out);
  }
  for (unsigned i = 0; i < p->n; i++) p->part[i].queued = !ok;
  for (char *line = strtok_r(ok ? out : NULL, "\n", &save); ok && line; line = strtok_r(NULL, "\n", &save)) {
    char job[128];
    unsigned task;
    if (sscanf(line, "%127s %u", job, &task) != 2) continue;
    for (unsigned i = 0; i < p->n; i++) p->part[i].queued |= p->part[i].task == task && !strcmp(p->part[i].job, job);
  }
  free(out);
  return !p->e->set;
}

static struct sweep_run *run_of(struct sweep *s, const char *key) {
  for (unsigned i = 0; i < s->n; i++)
    if (!strcmp(s->run[i].run.key, key)) return &s->run[i];
  return NULL;
}

/* Is the run still that task's? */
static bool has_run(struct spool *p, const struct part *part, const char *key) {
  char owner[LEASE_OWNER];
  sqlite3_stmt *x = db_prepare(p->s->db, "SELECT 1 FROM run WHERE key = ? AND state = 'running' AND owner = ?", p->e);
  if (!x) return false;
  snprintf(owner, sizeof owner, "slurm %s %u", part->job, part->task);
  db_bind_text(x, 1, key), db_bind_text(x, 2, owner);
  const bool there = db_step(p->s->db, x, p->e) == 1;
  sqlite3_reset(x);
  return there;
}

static bool spool_take_answers(struct spool *p, const struct part *part, const char *path) {
  struct slurm_answers a;
  struct err why = {0};
  char task[PATH_MAX], text_of_it[1200];
  bool ok = true;
  if (!slurm_read_answers(path, &a, &why)) {
    err_format(&why, text_of_it, sizeof text_of_it);
    warn("%s; its runs are made again", text_of_it);
  }
  for (unsigned i = 0; ok && !why.set && i < a.n; i++) {
    struct sweep_run *r = run_of(p->s, a.of[i].key);
    if (r && has_run(p, part, r->run.key)) ok = lease_end(p->s->db, &r->run, &a.of[i].answer, a.of[i].result, p->e);
  }
  slurm_answers_free(&a);
  ok = ok && !p->e->set && spool_give_back(p, part->job, part->task, p->e); /* what the file had no answer for */
  if (!ok) return false;
  unlink(path);
  if (spool_path(p, part->job, "task", part->task, task)) unlink(task);
  return true;
}

/* Why, as far as Slurm still knows. */
static void spool_part_state(const struct part *part, char *buf, size_t size) {
  char out[4096], name[192];
  snprintf(name, sizeof name, "--name=%s", part->job);
  char *argv[] = {"sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State", name, NULL};
  snprintf(buf, size, "it is in the queue no more");
  if (!slurm_run_tool(argv, out, sizeof out)) return;
  char want[32], *save = NULL;
  snprintf(want, sizeof want, "_%u|", part->task);
  for (char *line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    const char *at = strstr(line, want);
    if (at) snprintf(buf, size, "its state is %.60s", at + strlen(want));
  }
}

static bool spool_lose_part(struct spool *p, const struct part *part) {
  struct sweep *s = p->s;
  struct answer a = {.lost = LOST_DIED};
  char why[128];
  bool ok = true;
  spool_part_state(part, why, sizeof why);
  err_at(&a.e, NULL, 0, 0, "task %u of Slurm's job %s ended without results: %s", part->task, part->job, why);
  for (unsigned i = 0; ok && i < s->n; i++)
    if (has_run(p, part, s->run[i].run.key)) ok = lease_end(s->db, &s->run[i].run, &a, NULL, p->e);
  return ok && !p->e->set;
}

/* A node may have written a file that is not seen here yet: clients of network file systems keep for a while that a name is not
 * there, unless the directory changes. */
static void spool_look_anew(const struct spool *p, const struct part *part) {
  char path[PATH_MAX];
  if (!spool_path(p, part->job, "look", 0, path)) return;
  const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return;
  close(fd);
  unlink(path);
}

/* Takes what is there, and what will not come. */
static bool spool_look(struct spool *p) {
  char path[PATH_MAX];
  if (!spool_find_parts(p) || (p->n && !spool_ask_queue(p))) return false;
  for (unsigned i = 0; i < p->n; i++) {
    struct part *part = &p->part[i];
    if (!spool_path(p, part->job, "out", part->task, path)) continue;
    if (!part->queued) spool_look_anew(p, part);
    if (!access(path, R_OK)) {
      if (!spool_take_answers(p, part, path)) return false;
    } else if (part->queued) {
      part->gone = 0;
    } else if (++part->gone >= GONE && !spool_lose_part(p, part)) {
      return false;
    }
  }
  return spool_renew_leases(p, LEASE);
}

/* Directories of jobs that are over: what only the sweep needed. */
static void spool_clean_job(struct spool *p, const char *job) {
  char path[PATH_MAX];
  for (unsigned i = 0; i < p->n; i++)
    if (!strcmp(p->part[i].job, job)) return;
  if (spool_path(p, job, "regtwin", 0, path)) unlink(path);
  if (spool_path(p, job, "job.sh", 0, path)) unlink(path);
  for (unsigned i = 1; i <= TASKS; i++) {
    struct stat st;
    char log[32];
    snprintf(log, sizeof log, "log-%u", i);
    if (spool_path(p, job, log, 0, path) && !stat(path, &st) && !st.st_size) unlink(path);
  }
  if (spool_path(p, job, "", 0, path)) rmdir(path); /* stays with the logs of tasks that said something */
}

static void spool_clean_jobs(struct spool *p, struct part *before, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (!i || strcmp(before[i].job, before[i - 1].job) != 0) spool_clean_job(p, before[i].job);
}

/* ---- the sweep ---- */

static unsigned slurm_count_runs(const struct sweep *s, enum sweep_state state) {
  unsigned n = 0;
  for (unsigned i = 0; i < s->n; i++) n += s->run[i].run.state == state;
  return n;
}

static void spool_tell_progress(const struct spool *p) {
  const struct sweep *s = p->s;
  if (!p->how->progress) return;
  const unsigned running = slurm_count_runs(s, SWEEP_RUNNING);
  const struct sweep_progress now = {
      .done = s->n - running - slurm_count_runs(s, SWEEP_WAITING), .all = s->n, .running = running, .what = "Slurm"};
  p->how->progress(p->how->ctx, &now);
}

static bool spool_run_all(struct spool *p) {
  for (;;) {
    struct part *before = xcalloc(p->n + 1, sizeof *before);
    const unsigned n = p->n;
    if (n) memcpy(before, p->part, n * sizeof *before);
    const bool ok = spool_look(p) && sweep_refresh(p->s, p->e) && spool_submit(p) && spool_find_parts(p);
    if (ok) spool_clean_jobs(p, before, n);
    free(before);
    if (!ok) return false;
    spool_tell_progress(p);
    if (!p->n && !slurm_count_runs(p->s, SWEEP_RUNNING)) return true;
    const double poll = p->how->poll;
    nanosleep(&(struct timespec){(time_t)poll, (long)((poll - (double)(time_t)poll) * 1e9)}, NULL);
  }
}

bool sweep_slurm(struct sweep *s, const struct sweep_how *how, struct err *e) {
  struct spool p = {.s = s, .how = how, .e = e, .lock = -1};
  bool ok = spool_open(&p);
  for (unsigned open = UINT32_MAX; ok;) {
    ok = spool_run_all(&p);
    if (!s->open || s->open >= open) break;
    open = s->open;
    ok = ok && sweep_remake(s, e);
  }
  if (p.lock >= 0) close(p.lock);
  free(p.part);
  return ok;
}
