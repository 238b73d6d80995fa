/* SPDX-License-Identifier: Apache-2.0 */
/* plot: see plot.h. */
#include "report/plot.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/json.h"

static bool have_gnuplot(void) {
  const char *path = getenv("PATH");
  char file[4096];
  for (const char *p = path ? path : ""; *p;) {
    size_t n = strcspn(p, ":");
    snprintf(file, sizeof file, "%.*s/gnuplot", (int)(n < 4000 ? n : 4000), p);
    if (!access(file, X_OK)) return true;
    p += n + (p[n] == ':');
  }
  return false;
}

static bool possible(const char *option, struct err *e) {
  return have_gnuplot() ||
         err_at(e, NULL, 0, 0, "found no gnuplot, expected it for %s (Debian: gnuplot-nox)", option);
}

/* Paths stand between quotes in a script. */
static bool quotable(const char *path, const char *option, struct err *e) {
  return !strpbrk(path, "'\n") ||
         err_at(e, NULL, 0, 0, "%s: found a quote or a new line in '%.100s'", option, path);
}

bool plot_directory(const char *dir, const char *option, struct err *e) {
  struct stat st;
  if (!possible(option, e) || !quotable(dir, option, e)) return false;
  return (!stat(dir, &st) && S_ISDIR(st.st_mode) && !access(dir, W_OK)) ||
         err_at(e, dir, 0, 0, "found no directory to write in, expected one for %s", option);
}

bool plot_draw(const char *script, struct err *e) {
  extern char **environ;
  char program[] = "gnuplot", file[4096];
  snprintf(file, sizeof file, "%s", script);
  char *argv[] = {program, file, NULL};
  pid_t pid;
  int status = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
  if (status) return err_at(e, NULL, 0, 0, "gnuplot: %s", strerror(status));
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return err_at(e, NULL, 0, 0, "gnuplot: %s", strerror(errno));
  return status == 0 || err_at(e, script, 0, 0,
                               "gnuplot failed (status %d), expected it to draw what this file says", status);
}

/* ---- one picture ---- */

struct plot {
  FILE *script;
  char path[PATH_MAX], drawn[PATH_MAX], commands[PATH_MAX];
};

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n > m && !strcmp(s + n - m, end);
}

bool plot_file(const char *path, const char *option, struct err *e) {
  if (!ends_with(path, ".png") && !ends_with(path, ".svg"))
    return err_at(e, NULL, 0, 0, "%s: found '%.100s', expected a file that ends in .png or .svg", option,
                  path);
  return quotable(path, option, e) && possible(option, e) && json_writable(path, e);
}

struct plot *plot_open(const char *path, unsigned width, unsigned height, FILE **script, struct err *e) {
  struct plot *p = xcalloc(1, sizeof *p);
  bool svg = ends_with(path, ".svg");
  if ((size_t)snprintf(p->commands, sizeof p->commands, "%s.XXXXXX", path) >= sizeof p->commands - 8) {
    err_at(e, NULL, 0, 0, "found a path that is too long, expected a picture to write");
    free(p);
    return NULL;
  }
  snprintf(p->path, sizeof p->path, "%s", path);
  int fd = mkstemp(p->commands);
  p->script = fd < 0 ? NULL : fdopen(fd, "w");
  if (!p->script) {
    err_at(e, path, 0, 0, "cannot write: %s", strerror(errno));
    free(p);
    return NULL;
  }
  snprintf(p->drawn, sizeof p->drawn, "%.*s.new", (int)(sizeof p->drawn - 5), p->commands);
  fprintf(p->script, "set terminal %s size %u,%u font 'sans,10'%s\nset output '%s'\n",
          svg ? "svg" : "pngcairo", width, height, svg ? " background rgb 'white'" : "", p->drawn);
  *script = p->script;
  return p;
}

bool plot_close(struct plot *p, struct err *e) {
  bool ok = !ferror(p->script);
  if (fclose(p->script) || !ok) ok = err_at(e, p->path, 0, 0, "cannot write: %s", strerror(errno));
  ok = ok && plot_draw(p->commands, e);
  if (ok && rename(p->drawn, p->path)) ok = err_at(e, p->path, 0, 0, "cannot write: %s", strerror(errno));
  unlink(p->commands);
  if (!ok) unlink(p->drawn);
  free(p);
  return ok;
}
