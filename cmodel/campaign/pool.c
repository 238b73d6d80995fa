/* SPDX-License-Identifier: Apache-2.0 */
/* pool: see pool.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "campaign/pool.h"

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

#include "campaign/cache.h"

static bool run_task(const struct task *t, bool functional, struct run_result *out, struct err *e) {
  struct workload w;
  if (!workload_compile(t->name, t->size, &t->cfg, t->seed, &w, e)) return false;
  bool ok = run_workload(&w, &t->cfg, t->seed, functional, NULL, out, e);
  workload_close(&w);
  return ok;
}
static bool timed(const void *task, void *out, struct err *e) { return run_task(task, false, out, e); }
static bool executed(const void *task, void *out, struct err *e) { return run_task(task, true, out, e); }
const struct work work_run = {"run", sizeof(struct run_result), sizeof(struct task), timed};
const struct work work_functional = {"functional", sizeof(struct run_result), sizeof(struct task), executed};

/* What a child sends: a struct told, then the result if it is ok. */
struct told {
  bool ok;
  struct err e;
};
struct child {
  pid_t pid;
  int fd;
  unsigned task;
  size_t got; /* bytes of `message` */
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

static _Noreturn void be_child(const struct pool *p, const void *task, int fd, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* the reader of the result has ended */
  if (getppid() != parent) _exit(1);
  void *out = xcalloc(1, p->work->size);
  struct told told = {0};
  told.ok = p->work->run(task, out, &told.e);
  bool sent = send_all(fd, &told, sizeof told) && (!told.ok || send_all(fd, out, p->work->size));
  fflush(stderr);
  _exit(sent ? 0 : 1);
}

static bool begin(const struct pool *p, const void *task, struct child *c, struct err *e) {
  int fd[2];
  pid_t parent = getpid();
  fflush(NULL);
  if (pipe(fd)) return err_at(e, NULL, 0, 0, "cannot start a child process: %s", strerror(errno));
  c->pid = fork();
  if (!c->pid) {
    close(fd[0]);
    be_child(p, task, fd[1], parent);
  }
  close(fd[1]);
  if (c->pid > 0) {
    c->fd = fd[0];
    c->got = 0;
    c->message = xmalloc(sizeof(struct told) + p->work->size);
    return true;
  }
  close(fd[0]);
  return err_at(e, NULL, 0, 0, "cannot start a child process: %s", strerror(errno));
}

/* Reads what is there; false at the end of it. */
static bool hear(const struct pool *p, struct child *c) {
  size_t all = sizeof(struct told) + p->work->size;
  if (c->got == all) return false;
  ssize_t n = read(c->fd, c->message + c->got, all - c->got);
  if (n < 0) return errno == EINTR;
  c->got += (size_t)n;
  return n > 0;
}

static void end(const struct pool *p, struct child *c, void *out, struct answer *a) {
  struct told told = {0};
  struct rusage u = {0};
  int status = 0;
  close(c->fd);
  while (wait4(c->pid, &status, 0, &u) < 0 && errno == EINTR) {
  }
  if (c->got >= sizeof told) memcpy(&told, c->message, sizeof told);
  a->peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
  a->ok = told.ok && c->got == sizeof told + p->work->size;
  if (a->ok) memcpy(out, c->message + sizeof told, p->work->size);
  else if (told.e.set) a->e = told.e;
  else if (WIFSIGNALED(status)) err_at(&a->e, NULL, 0, 0, "the child process died: %s", strsignal(WTERMSIG(status)));
  else err_at(&a->e, NULL, 0, 0, "the child process ended without a result (wait status %d)", status);
  free(c->message);
}

static bool tell(const struct pool *p, unsigned i, const struct answer *a) {
  return !p->done || p->done(p->ctx, i, &a[i]);
}

/* Its result is no longer needed. */
static void drop(struct child *c) {
  kill(c->pid, SIGKILL);
  close(c->fd);
  while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {
  }
  free(c->message);
}

void pool_run(const struct pool *p, const void *tasks, unsigned n, void *out, struct answer *a) {
  struct child *child = xcalloc(p->jobs, sizeof *child);
  struct pollfd *fd = xcalloc(p->jobs, sizeof *fd);
  unsigned next = 0, running = 0;
  bool more = true; /* answers are asked for */
  memset(a, 0, n * sizeof *a);
#define TASK(i) ((const char *)tasks + (i)*p->work->task)
#define OUT(i) ((char *)out + (i)*p->work->size)
  while (more && (next < n || running)) {
    for (; more && next < n && running < p->jobs; next++) {
      child[running].task = next;
      a[next].ok = a[next].cached = p->cache && cache_get(p->cache, p->work, (const void *)TASK(next), OUT(next));
      if (!a[next].ok && begin(p, TASK(next), &child[running], &a[next].e)) running++;
      else more = tell(p, next, a);
    }
    for (unsigned k = 0; k < running; k++) fd[k] = (struct pollfd){.fd = child[k].fd, .events = POLLIN};
    if (more && running && poll(fd, running, -1) < 0 && errno != EINTR) die("poll: %s", strerror(errno));
    for (unsigned k = running; more && k-- > 0;) {
      unsigned i = child[k].task;
      if (!fd[k].revents || hear(p, &child[k])) continue;
      end(p, &child[k], OUT(i), &a[i]);
      if (a[i].ok && p->cache) cache_put(p->cache, p->work, (const void *)TASK(i), OUT(i));
      child[k] = child[--running];
      more = tell(p, i, a);
    }
  }
#undef TASK
#undef OUT
  while (running) drop(&child[--running]);
  free(child), free(fd);
}

unsigned pool_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}
