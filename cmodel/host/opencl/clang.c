/* SPDX-License-Identifier: Apache-2.0 */
/* clang: see clang.h. */
#define _GNU_SOURCE
#include "host/opencl/clang.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

enum { LOG_BYTES = 1 << 20 }; /* most of clang's output that is kept */

/* ---- the directory ---- */

bool workshop_open(struct workshop *w) {
  memset(w, 0, sizeof *w);
  const char *tmp = getenv("TMPDIR");
  if (!tmp || !*tmp) tmp = "/tmp";
  int n = snprintf(w->dir, sizeof w->dir, "%s/regtwin-opencl-XXXXXX", tmp);
  if (n < (int)sizeof w->dir && mkdtemp(w->dir)) return true;
  note("found no place for the compiler's files in '%s' (%s), expected TMPDIR to name a directory that can be written",
       tmp, n < (int)sizeof w->dir ? strerror(errno) : "its name is too long");
  w->dir[0] = 0;
  return false;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f) {
  (void)s, (void)type, (void)f;
  remove(path);
  return 0;
}

void workshop_close(struct workshop *w) {
  if (w->dir[0]) nftw(w->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(w->log);
  memset(w, 0, sizeof *w);
}

char *workshop_path(const struct workshop *w, const char *name) {
  size_t n = strlen(w->dir) + strlen(name) + 2;
  char *path = xmalloc(n);
  snprintf(path, n, "%s/%s", w->dir, name);
  return path;
}

static bool make_directories(const struct workshop *w, char *path) {
  for (char *p = path + strlen(w->dir) + 1; (p = strchr(p, '/')); p++) {
    *p = 0;
    bool made = !mkdir(path, 0700) || errno == EEXIST;
    *p = '/';
    if (!made) return false;
  }
  return true;
}

bool workshop_put(struct workshop *w, const char *name, const void *bytes, size_t n) {
  char *path = workshop_path(w, name);
  FILE *f = make_directories(w, path) ? fopen(path, "wb") : NULL;
  bool good = f && (!n || fwrite(bytes, 1, n, f) == n);
  int why = errno;
  if (f && fclose(f)) good = false, why = errno;
  if (!good) note("cannot write the compiler's file '%s' (%s)", path, strerror(why));
  free(path);
  return good;
}

bool workshop_get(struct workshop *w, const char *name, struct blob *out) {
  char *path = workshop_path(w, name);
  struct stat s;
  FILE *f = fopen(path, "rb");
  free(path);
  memset(out, 0, sizeof *out);
  bool good = f && !fstat(fileno(f), &s) && (out->s = malloc((size_t)s.st_size + 1));
  if (good) {
    out->n = fread(out->s, 1, (size_t)s.st_size, f);
    out->s[out->n] = 0;
  }
  if (f) fclose(f);
  return good;
}

/* ---- the log ---- */

static void log_add(struct workshop *w, const char *text, size_t n) {
  if (w->log_bytes + n > LOG_BYTES) n = LOG_BYTES - w->log_bytes;
  char *more = realloc(w->log, w->log_bytes + n + 1);
  if (!more) return;
  w->log = more;
  memcpy(w->log + w->log_bytes, text, n);
  w->log_bytes += n;
  w->log[w->log_bytes] = 0;
}

void workshop_say(struct workshop *w, const char *text) {
  log_add(w, text, strlen(text));
  log_add(w, "\n", 1);
}

/* The output of a run, without the directory's name, which differs from run to run. */
static void log_output(struct workshop *w) {
  struct blob b;
  if (!workshop_get(w, "output", &b)) return;
  size_t dir = strlen(w->dir);
  const char *p = b.s, *end = b.s + b.n;
  for (const char *at; (at = memmem(p, (size_t)(end - p), w->dir, dir));) {
    log_add(w, p, (size_t)(at - p));
    p = at + dir;
    if (p < end && *p == '/') p++;
  }
  log_add(w, p, (size_t)(end - p));
  free(b.s);
}

/* ---- a process ---- */

/* The environment without what is meant for the host program only. */
static char **clang_environment(void) {
  unsigned n = 0, k = 0;
  while (environ && environ[n]) n++; /* NULL after clearenv */
  char **e = xmalloc((n + 2) * sizeof *e);
  for (unsigned i = 0; i < n; i++) {
    if (strncmp(environ[i], "LD_PRELOAD=", 11) && strncmp(environ[i], "LC_ALL=", 7)) e[k++] = environ[i];
  }
  e[k++] = "LC_ALL=C";
  e[k] = NULL;
  return e;
}

/* As errno; *status as waitpid gives it. */
static int clang_spawn(const struct workshop *w, const char *program, char **arg, const char *input, int *status) {
  char *in = input ? workshop_path(w, input) : NULL, *out = workshop_path(w, "output"), **env = clang_environment();
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, in ? in : "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_init(&attr);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &all);
  pid_t pid;
  int bad = posix_spawnp(&pid, program, &files, &attr, arg, env);
  if (!bad) {
    pid_t got;
    while ((got = waitpid(pid, status, 0)) < 0 && errno == EINTR) {
    }
    if (got < 0) *status = 0; /* the program lets its children end by themselves: whether there is a result tells */
  }
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attr);
  free(env);
  free(out);
  free(in);
  return bad;
}

/* Of Debian 12 and 13; the first is the reference, which the tests of accuracy use. */
static const char *const compilers[] = {"clang-14", "clang-19"};
enum { COMPILERS = sizeof compilers / sizeof *compilers };

/* Into the log, from which the error's line is taken. */
static bool clang_say_missing(struct workshop *w, const char *program, int why) {
  char text[512];
  if (access(LIBCLC, R_OK))
    snprintf(text, sizeof text,
             "error: found no %s, expected the package libclc-14 (Debian 12) or libclc-19 (Debian 13)", LIBCLC);
  else if (why)
    snprintf(text, sizeof text,
             "error: cannot run '%.200s' (%s), expected the package clang-14 (Debian 12) or clang-19 (Debian 13), or "
             "REGTWIN_CLANG to name the compiler",
             program, strerror(why));
  else return false;
  workshop_say(w, text);
  return true;
}

/* As errno; 127 as status: the C library could not start it. */
static int clang_run_one(const struct workshop *w, const char *program, const char *const *arg, const char *input,
                         int *status) {
  unsigned n = 0;
  while (arg[n]) n++;
  char **all = xmalloc((n + 2) * sizeof *all);
  all[0] = (char *)program;
  for (unsigned i = 0; i <= n; i++) all[i + 1] = (char *)arg[i];
  *status = 0;
  int bad = clang_spawn(w, program, all, input, status);
  free(all);
  return bad || !WIFEXITED(*status) || WEXITSTATUS(*status) != 127 ? bad : ENOENT;
}

enum clang_end clang_run(struct workshop *w, const char *const *arg, const char *input) {
  const char *named = getenv("REGTWIN_CLANG"), *program = named && *named ? named : compilers[0];
  if (clang_say_missing(w, program, 0)) return CLANG_MISSING;
  int status, bad = clang_run_one(w, program, arg, input, &status);
  for (unsigned i = 1; program != named && bad == ENOENT && i < COMPILERS; i++)
    bad = clang_run_one(w, compilers[i], arg, input, &status);
  if (bad) return clang_say_missing(w, program, bad), CLANG_MISSING;
  log_output(w);
  if (WIFSIGNALED(status)) {
    char text[64];
    snprintf(text, sizeof text, "error: the compiler was ended by signal %d", WTERMSIG(status));
    workshop_say(w, text);
  }
  return WIFEXITED(status) && !WEXITSTATUS(status) ? CLANG_DONE : CLANG_FAILED;
}
