/* SPDX-License-Identifier: Apache-2.0 */
/* pool: see pool.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "lab/campaign/pool.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "lab/database/db.h"

/* What a child sends: a struct told, then the result and `more` bytes if it is ok. */
struct told {
  bool ok;
  size_t more;
  struct err e;
};
enum { MOST_MORE = 1 << 30 };
struct child {
  pid_t pid;
  int fd;
  unsigned id;
  uint64_t start; /* clock_wall_ns */
  enum lost killed;
  size_t got, all; /* bytes of `message`: here, expected as far as is known */
  char *message;
};

static bool send_all(int fd, const void *data, size_t left) {
  for (const char *p = data; left;) {
    ssize_t n = write(fd, p, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    left -= (size_t)n;
  }
  return true;
}

static _Noreturn void be_child(const struct pool_feed *f, const void *task, int fd, pid_t parent) {
  const struct work *work = f->work;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* the reader of the result has ended */
  if (getppid() != parent) _exit(1);
  void *out = xcalloc(1, work->size);
  struct told told = {0};
  struct blob more = {0};
  told.ok = f->more && work->run_more ? work->run_more(task, out, &more, &told.e) : work->run(task, out, &told.e);
  told.more = told.ok && more.n <= MOST_MORE ? more.n : 0;
  bool sent = send_all(fd, &told, sizeof told) && (!told.ok || send_all(fd, out, work->size)) &&
              send_all(fd, more.data, told.more);
  fflush(stderr);
  _exit(sent ? 0 : 1);
}

static bool child_start(const struct pool_feed *f, const void *task, struct child *c, struct err *e) {
  int fd[2];
  pid_t parent = getpid();
  fflush(NULL);
  if (pipe(fd)) return err_at(e, NULL, 0, 0, "cannot start a child process: %s", strerror(errno));
  c->pid = fork();
  if (!c->pid) {
    close(fd[0]);
    be_child(f, task, fd[1], parent);
  }
  close(fd[1]);
  if (c->pid > 0) {
    c->fd = fd[0];
    c->got = 0;
    c->all = sizeof(struct told) + f->work->size;
    c->message = xmalloc(c->all);
    c->start = clock_wall_ns();
    c->killed = LOST_NO;
    return true;
  }
  close(fd[0]);
  return err_at(e, NULL, 0, 0, "cannot start a child process: %s", strerror(errno));
}

static size_t child_more_bytes(const struct child *c) {
  struct told told;
  if (!c->message || c->got < sizeof told) return 0;
  memcpy(&told, c->message, sizeof told);
  return told.more <= MOST_MORE ? told.more : 0;
}

/* Reads what is there; false at the end of it. */
static bool child_hear(const struct work *work, struct child *c) {
  const size_t all = sizeof(struct told) + work->size + child_more_bytes(c);
  if (all > c->all) c->message = xrealloc(c->message, c->all = all);
  if (c->got == c->all) return false;
  ssize_t n = read(c->fd, c->message + c->got, c->all - c->got);
  if (n < 0) return errno == EINTR;
  c->got += (size_t)n;
  return n > 0;
}

static void child_why_lost(const struct child *c, const struct pool_limits *l, int status, struct answer *a) {
  a->lost = c->killed ? c->killed : LOST_DIED;
  if (c->killed == LOST_TIME)
    err_at(&a->e, NULL, 0, 0, "found no result after %.0f s, expected one within the limit", l->seconds);
  else if (c->killed == LOST_MEMORY)
    err_at(&a->e, NULL, 0, 0, "found more than %llu MB in use, expected memory within the limit",
           (unsigned long long)l->rss_bytes >> 20);
  else if (WIFSIGNALED(status)) err_at(&a->e, NULL, 0, 0, "the child process died: %s", strsignal(WTERMSIG(status)));
  else err_at(&a->e, NULL, 0, 0, "the child process ended without a result (wait status %d)", status);
}

/* The child's answer; returns where its result is, until its message is freed. */
static const void *child_take_answer(const struct work *work, const struct pool_limits *l, struct child *c,
                                     struct answer *a) {
  struct told told = {0};
  struct rusage u = {0};
  int status = 0;
  close(c->fd);
  while (wait4(c->pid, &status, 0, &u) < 0 && errno == EINTR) {
  }
  memset(a, 0, sizeof *a);
  if (c->got >= sizeof told) memcpy(&told, c->message, sizeof told);
  a->seconds = clock_seconds(c->start, clock_wall_ns());
  a->peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
  a->ok = told.ok && c->got == sizeof told + work->size + told.more;
  if (a->ok && told.more) a->more = (struct blob){c->message + sizeof told + work->size, told.more};
  if (!a->ok && told.e.set) a->e = told.e;
  else if (!a->ok) child_why_lost(c, l, status, a);
  return c->message + sizeof told;
}

/* Its result is no longer needed. */
static void child_drop(struct child *c) {
  kill(c->pid, SIGKILL);
  close(c->fd);
  while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {
  }
  free(c->message);
}

static uint64_t process_resident_bytes(pid_t pid) {
  char path[64];
  unsigned long long size, pages = 0;
  snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
  FILE *f = fopen(path, "re");
  if (!f) return 0;
  if (fscanf(f, "%llu %llu", &size, &pages) != 2) pages = 0;
  fclose(f);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Kills what exceeds a limit; the end of its message is then seen as that of any other. */
static void child_watch(const struct pool_limits *l, struct child *c) {
  if (c->killed) return;
  if (l->seconds > 0 && clock_seconds(c->start, clock_wall_ns()) > l->seconds) c->killed = LOST_TIME;
  else if (l->rss_bytes && process_resident_bytes(c->pid) > l->rss_bytes) c->killed = LOST_MEMORY;
  if (c->killed) kill(c->pid, SIGKILL);
}

static bool pool_start_some(const struct pool_feed *f, struct child *child, unsigned *running) {
  while (*running < f->jobs) {
    unsigned id = 0;
    const void *task = f->next(f->ctx, &id);
    struct answer a = {0};
    if (!task) return true;
    child[*running].id = id;
    if (child_start(f, task, &child[*running], &a.e)) {
      ++*running;
      continue;
    }
    a.lost = LOST_DIED;
    if (!f->ended(f->ctx, id, &a, NULL)) return false;
  }
  return true;
}

void pool_feed(const struct pool_feed *f) {
  enum { WATCH_MS = 50, TICK_MS = 250 };
  struct child *child = xcalloc(f->jobs, sizeof *child);
  struct pollfd *fd = xcalloc(f->jobs, sizeof *fd);
  const bool limited = f->limits.seconds > 0 || f->limits.rss_bytes;
  const int wait = limited ? WATCH_MS : f->tick ? TICK_MS : -1;
  unsigned running = 0;
  uint64_t ticked = 0; /* clock_wall_ns */
  for (bool more = true; more;) {
    more = pool_start_some(f, child, &running);
    if (!running) break;
    for (unsigned k = 0; k < running; k++) fd[k] = (struct pollfd){.fd = child[k].fd, .events = POLLIN};
    if (more && poll(fd, running, wait) < 0 && errno != EINTR) die("poll: %s", strerror(errno));
    for (unsigned k = running; more && k-- > 0;) {
      if (limited) child_watch(&f->limits, &child[k]);
      if (!fd[k].revents || child_hear(f->work, &child[k])) continue;
      struct answer a;
      const void *out = child_take_answer(f->work, &f->limits, &child[k], &a);
      struct child ended = child[k];
      child[k] = child[--running];
      child[running].message = NULL;
      more = f->ended(f->ctx, ended.id, &a, out);
      free(ended.message);
    }
    if (more && f->tick && clock_span(ticked, clock_wall_ns()) >= TICK_MS * 1000000ull)
      more = f->tick(f->ctx, running), ticked = clock_wall_ns();
  }
  while (running) child_drop(&child[--running]);
  free(child), free(fd);
}

/* ---- a list of tasks ---- */

struct list {
  const struct pool *p;
  const char *task;
  char *out;
  struct answer *a;
  unsigned next, n;
  bool enough;
};

static bool pool_tell_done(struct list *l, unsigned i) {
  l->enough = l->p->done && !l->p->done(l->p->ctx, i, &l->a[i]);
  return !l->enough;
}

/* Skips those that the database has. */
static const void *pool_next_task(void *ctx, unsigned *id) {
  struct list *l = ctx;
  const struct work *work = l->p->work;
  while (!l->enough && l->next < l->n) {
    const unsigned i = l->next++;
    const void *task = l->task + i * work->task;
    l->a[i].ok = l->a[i].cached = l->p->db && db_get(l->p->db, work, task, l->out + i * work->size);
    if (!l->a[i].ok) return *id = i, task;
    pool_tell_done(l, i);
  }
  return NULL;
}

static bool pool_task_ended(void *ctx, unsigned i, const struct answer *a, const void *out) {
  struct list *l = ctx;
  const struct work *work = l->p->work;
  l->a[i] = *a;
  if (a->ok && out) memcpy(l->out + i * work->size, out, work->size);
  if (l->p->db) db_put(l->p->db, work, (const struct task *)(const void *)(l->task + i * work->task), a, out);
  l->a[i].more = (struct blob){0};
  return pool_tell_done(l, i);
}

void pool_run(const struct pool *p, const void *tasks, unsigned n, void *out, struct answer *a) {
  struct list l = {.p = p, .task = tasks, .out = out, .a = a, .n = n};
  const struct pool_feed feed = {
      .work = p->work, .jobs = p->jobs, .more = p->db, .next = pool_next_task, .ended = pool_task_ended, .ctx = &l};
  memset(a, 0, n * sizeof *a);
  pool_feed(&feed);
}

unsigned pool_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}
