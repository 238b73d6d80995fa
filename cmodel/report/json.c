/* SPDX-License-Identifier: Apache-2.0 */
/* json: see json.h. */
#include "report/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLAGS = JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENSURE_ASCII };

/* Devices and pipes are written in place; renaming over them would replace them. */
static bool in_place(const char *path) {
  struct stat st;
  return !strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode));
}

static bool temporary(const char *path, char buf[PATH_MAX], struct err *e) {
  if (!path[0]) return err_at(e, NULL, 0, 0, "found an empty path, expected a file to write");
  if ((size_t)snprintf(buf, PATH_MAX, "%s.XXXXXX", path) >= PATH_MAX)
    return err_at(e, NULL, 0, 0, "found a path that is too long, expected a file to write");
  return true;
}

static bool cannot(const char *path, struct err *e) {
  return err_at(e, path, 0, 0, "cannot write: %s", strerror(errno));
}

bool json_writable(const char *path, struct err *e) {
  struct stat st;
  char name[PATH_MAX];
  if (!strcmp(path, "-")) return true;
  if (!stat(path, &st) && S_ISDIR(st.st_mode))
    return err_at(e, path, 0, 0, "cannot write: found a directory, expected a file");
  if (in_place(path)) return access(path, W_OK) ? cannot(path, e) : true;
  if (!temporary(path, name, e)) return false;
  int fd = mkstemp(name);
  if (fd < 0) return cannot(path, e);
  close(fd);
  unlink(name);
  return true;
}

static bool put(FILE *f, const json_t *j) {
  return json_dumpf(j, f, FLAGS) == 0 && fputc('\n', f) != EOF && fflush(f) == 0;
}

bool json_save(const char *path, const json_t *j, struct err *e) {
  char name[PATH_MAX];
  if (!strcmp(path, "-")) return put(stdout, j) ? true : cannot("standard output", e);
  if (in_place(path)) {
    FILE *f = fopen(path, "w");
    bool ok = f && put(f, j);
    if (f && fclose(f)) ok = false;
    return ok ? true : cannot(path, e);
  }
  if (!temporary(path, name, e)) return false;
  int fd = mkstemp(name);
  if (fd < 0) return cannot(path, e);
  mode_t mask = umask(0);
  umask(mask);
  FILE *f = fdopen(fd, "w");
  bool ok = f && fchmod(fd, 0666 & ~mask) == 0 && put(f, j);
  if (f ? fclose(f) : close(fd)) ok = false;
  if (ok && !rename(name, path)) return true;
  cannot(path, e);
  unlink(name);
  return false;
}
