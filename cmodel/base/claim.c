/* SPDX-License-Identifier: Apache-2.0 */
/* claim: see claim.h. */
#define _GNU_SOURCE /* renameat2 */
#include "base/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

enum { MOST_NAMES = 1000000, HEAD = 1 << 15 };
static const uint64_t SECOND = 1000000000;

static uint64_t ns_of(struct timespec t) { return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec; }

uint64_t claim_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return ns_of(t);
}

void claim_name(char *to, size_t size, const char *first, unsigned n) {
  const char *name = path_name(first), *dot = strrchr(name, '.');
  if (!dot || dot == name) dot = first + strlen(first); /* no suffix: after the whole name */
  if (n < 2 || !strcmp(first, "-")) snprintf(to, size, "%s", first);
  else snprintf(to, size, "%.*s.%u%s", (int)(dot - first), first, n, dot);
}

/* What a link to no file stands for; any other path is itself. False and errno: links in a circle, a name that is too long. */
static bool claim_follow_links(const char *path, char to[PATH_MAX]) {
  enum { LINKS = 40 };
  char target[PATH_MAX], next[PATH_MAX];
  errno = ENAMETOOLONG;
  if ((size_t)snprintf(to, PATH_MAX, "%s", path) >= PATH_MAX) return false;
  for (unsigned i = 0; i < LINKS; i++) {
    const ssize_t n = readlink(to, target, sizeof target - 1);
    if (n < 0) return true;
    target[n] = 0;
    const char *slash = target[0] == '/' ? NULL : strrchr(to, '/');
    const size_t dir = slash ? (size_t)(slash + 1 - to) : 0;
    errno = ENAMETOOLONG;
    if ((size_t)snprintf(next, sizeof next, "%.*s%s", (int)dir, to, target) >= sizeof next) return false;
    memcpy(to, next, sizeof next);
  }
  errno = ELOOP;
  return false;
}

bool claim_prepare(struct claim *c, const char *path, uint64_t since, char why[IO_WHY]) {
  struct stat st, out;
  char cwd[PATH_MAX] = "", real[PATH_MAX], followed[PATH_MAX];
  if (strcmp(path, "-") && stat(path, &st)) {
    if (!claim_follow_links(path, followed)) return snprintf(why, IO_WHY, "%s", strerror(errno)), false;
    path = followed;
  }
  if (!output_possible(path, why)) return false;
  const bool there = !stat(path, &st);
  if (there && !fstat(STDOUT_FILENO, &out) && stat_same_file(&st, &out)) path = "-";
  c->in_place = !strcmp(path, "-") || (there && !S_ISREG(st.st_mode));
  c->since = since;
  if (there && strcmp(path, "-") && realpath(path, real)) path = real;
  const bool whole = path[0] == '/' || !strcmp(path, "-") || !getcwd(cwd, sizeof cwd);
  if ((size_t)snprintf(c->first, sizeof c->first, "%s%s%s", cwd, whole ? "" : "/", path) < sizeof c->first) return true;
  snprintf(why, IO_WHY, "%s", strerror(ENAMETOOLONG));
  return false;
}

bool claim_begin(struct claim *c) {
  c->n = 0;
  c->bad = c->number = 0;
  c->replaced = false;
  c->fd = -1;
  if (!strcmp(c->first, "-")) c->fd = STDOUT_FILENO;
  else if (c->in_place) c->fd = open(c->first, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  for (int k = 0; c->fd < 0 && !c->in_place && k < 100; k++) {
    snprintf(c->temporary, sizeof c->temporary, "%s.%ld.%d", c->first, (long)getpid(), k);
    c->fd = open(c->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (c->fd < 0 && errno != EEXIST) break;
  }
  if (c->fd < 0) c->bad = errno;
  return c->fd >= 0;
}

static void claim_flush(struct claim *c) {
  for (size_t at = 0; at < c->n && !c->bad;) {
    const ssize_t n = write(c->fd, c->buf + at, c->n - at);
    if (n < 0 && errno != EINTR) c->bad = errno;
    if (n > 0) at += (size_t)n;
  }
  c->n = 0;
}

void claim_write(struct claim *c, const char *text, size_t n) {
  while (n) {
    const size_t room = sizeof c->buf - c->n, part = n < room ? n : room;
    memcpy(c->buf + c->n, text, part);
    c->n += part;
    text += part;
    n -= part;
    if (c->n == sizeof c->buf) claim_flush(c);
  }
}

/* Gives the file a time of this run, also if the clock went back, or the file system keeps whole seconds only. */
static void claim_stamp(struct claim *c) {
  struct stat st;
  const uint64_t now = claim_now(), t = now > c->since ? now : c->since;
  struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {(time_t)(t / SECOND), (long)(t % SECOND)}};
  futimens(c->fd, times);
  if (fstat(c->fd, &st) || ns_of(st.st_mtim) >= c->since) return;
  times[1] = (struct timespec){times[1].tv_sec + 2, 0};
  futimens(c->fd, times);
}

/* As rename, but EEXIST if the name is taken. */
static int rename_new(const char *from, const char *to) {
  if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE)) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (link(from, to)) return -1; /* a file system that cannot do the former */
  unlink(from);
  return 0;
}

/* Takes a name that was taken, if what has it is older than the run, or empty. 1: taken; 0: not free; -1: look again. Of several
 * processes that replace one file, the first has the lock, and the others see that the name has another file then. */
static int claim_replace(struct claim *c, bool empty, bool (*is_empty)(const char *text, size_t n)) {
  struct stat a, b;
  static char head[HEAD];
  const int fd = open(c->name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  int taken = 0;
  if (fd < 0) return errno == ENOENT ? -1 : 0;
  flock(fd, LOCK_EX);
  if (fstat(fd, &a) || stat(c->name, &b) || !stat_same_file(&a, &b)) taken = -1;
  else if (S_ISREG(a.st_mode)) {
    const bool old = ns_of(a.st_mtim) < c->since;
    const ssize_t n = old || empty ? 0 : read(fd, head, sizeof head);
    if (old || (n > 0 && is_empty(head, (size_t)n))) taken = !rename(c->temporary, c->name);
    c->replaced = taken && old && a.st_size;
  }
  close(fd);
  return taken;
}

static enum claim_result take_name(struct claim *c, bool empty, bool (*is_empty)(const char *text, size_t n)) {
  for (unsigned again = 0; c->number < MOST_NAMES;) {
    claim_name(c->name, sizeof c->name, c->first, c->number + 1);
    int taken = !rename_new(c->temporary, c->name);
    if (!taken && errno != EEXIST) {
      c->bad = errno;
      return CLAIM_FAILED;
    }
    if (!taken) taken = claim_replace(c, empty, is_empty);
    if (taken < 0 && again++ < MOST_NAMES) continue;
    if (!taken && empty) return CLAIM_NONE;
    c->number++;
    if (taken > 0) return CLAIM_DONE;
  }
  c->bad = EEXIST;
  return CLAIM_FAILED;
}

enum claim_result claim_end(struct claim *c, bool ok, bool empty, bool (*is_empty)(const char *text, size_t n)) {
  enum claim_result r = CLAIM_FAILED;
  if (c->fd < 0) return r;
  claim_flush(c);
  if (!c->in_place && !c->bad && fsync(c->fd)) c->bad = errno;
  if (!c->in_place) claim_stamp(c);
  if (c->fd != STDOUT_FILENO && close(c->fd) && !c->bad) c->bad = errno;
  c->fd = -1;
  claim_name(c->name, sizeof c->name, c->first, 1);
  if (ok && !c->bad) r = c->in_place ? CLAIM_DONE : take_name(c, empty, is_empty);
  if (!c->in_place && r != CLAIM_DONE) unlink(c->temporary);
  return r;
}
