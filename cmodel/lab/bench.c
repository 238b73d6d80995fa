/* SPDX-License-Identifier: Apache-2.0 */
/* bench: see bench.h. */
#include "lab/bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const bench_names[] = {"sgemm", "vecadd", "bfs", "gather", NULL};

struct answer {
  bool ok;
  struct err e;
  struct run_result r;
};

static void child(int fd, const char *name, const char *size, const struct config *cfg, bool functional) {
  struct answer *a = xcalloc(1, sizeof *a);
  struct workload w;
  a->ok = workload_open(name, size, &w, &a->e);
  if (a->ok) {
    a->ok = run_workload(&w, cfg, 0, functional, NULL, &a->r, &a->e);
    workload_close(&w);
  }
  const char *p = (const char *)a;
  for (size_t left = sizeof *a; left;) {
    ssize_t n = write(fd, p, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);
    p += n;
    left -= (size_t)n;
  }
  _exit(0);
}

static bool once(const char *name, const char *size, const struct config *cfg, bool functional,
                 struct answer *a, uint64_t *rss, struct err *e) {
  int fd[2];
  fflush(NULL);
  if (pipe(fd)) return err_at(e, NULL, 0, 0, "cannot start a child process: %s", strerror(errno));
  pid_t pid = fork();
  if (pid < 0) {
    close(fd[0]);
    close(fd[1]);
    return err_at(e, NULL, 0, 0, "cannot start a child process: %s", strerror(errno));
  }
  if (!pid) {
    close(fd[0]);
    child(fd[1], name, size, cfg, functional);
  }
  close(fd[1]);
  size_t got = 0;
  for (ssize_t n; got < sizeof *a; got += (size_t)n) {
    n = read(fd[0], (char *)a + got, sizeof *a - got);
    if (n < 0 && errno == EINTR) n = 0;
    else if (n <= 0) break;
  }
  close(fd[0]);
  struct rusage u = {0};
  int status = 0;
  while (wait4(pid, &status, 0, &u) < 0 && errno == EINTR) {
  }
  if (got < sizeof *a)
    return err_at(e, NULL, 0, 0, "%s: the child process died (wait status %d)", name, status);
  if (!a->ok) *e = a->e;
  *rss = (uint64_t)u.ru_maxrss * 1024;
  return a->ok;
}

bool bench_one(const char *name, const char *size, const struct config *cfg, bool functional,
               struct bench_item *out, struct err *e) {
  struct answer *a = xcalloc(BENCH_REPEAT, sizeof *a);
  unsigned order[BENCH_REPEAT];
  bool ok = true;
  memset(out, 0, sizeof *out);
  for (unsigned i = 0; ok && i < BENCH_REPEAT; i++) {
    uint64_t rss = 0;
    ok = once(name, size, cfg, functional, &a[i], &rss, e);
    if (rss > out->peak_rss_bytes) out->peak_rss_bytes = rss;
    unsigned at = i; /* insertion by host time */
    for (; at && a[order[at - 1]].r.host_ns > a[i].r.host_ns; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  if (ok) {
    for (unsigned i = 0; i < BENCH_REPEAT; i++) out->host_ns[i] = a[order[i]].r.host_ns;
    out->run = a[order[BENCH_REPEAT / 2]].r;
  }
  free(a);
  return ok;
}
