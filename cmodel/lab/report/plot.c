/* SPDX-License-Identifier: Apache-2.0 */
/* plot: see plot.h. */
#define _GNU_SOURCE /* memfd_create */
#include "lab/report/plot.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/show.h"
#include "lab/report/picture.h"

static const struct drawer gnuplot = {"gnuplot", "gnuplot-nox"};

bool plot_directory(const char *dir, const char *option, struct err *e) {
  struct stat st;
  if (!picture_possible(&gnuplot, option, e)) return false;
  return (!stat(dir, &st) && S_ISDIR(st.st_mode) && !access(dir, W_OK)) ||
         err_at(e, dir, 0, 0, "found no directory to write in, expected one for %s", option);
}

/* ---- one picture ---- */

struct plot {
  char path[PATH_MAX], terminal[128];
  FILE *script, *texts;
  char *script_data, *texts_data;
  size_t script_size, texts_size;
  unsigned ntext;
  struct arena arena;
};

bool plot_file(const char *path, const char *option, struct err *e) { return picture_file(&gnuplot, path, option, e); }

struct plot *plot_open(const char *path, unsigned width, unsigned height, FILE **script, struct err *e) {
  struct plot *p = xcalloc(1, sizeof *p);
  bool svg = picture_is_svg(path);
  if ((size_t)snprintf(p->path, sizeof p->path, "%s", path) >= sizeof p->path) {
    err_at(e, NULL, 0, 0, "found a path that is too long, expected a picture to write");
    free(p);
    return NULL;
  }
  snprintf(p->terminal, sizeof p->terminal, "set terminal %s size %u,%u font 'sans,10'%s", svg ? "svg" : "pngcairo",
           width, height, svg ? " background rgb 'white'" : "");
  p->script = open_memstream(&p->script_data, &p->script_size);
  p->texts = open_memstream(&p->texts_data, &p->texts_size);
  if (!p->script || !p->texts) no_memory(1, BUFSIZ);
  *script = p->script;
  return p;
}

FILE *plot_script(struct plot *p) { return p->script; }

/* Each is a line of the data block $TEXT, behind a mark, so that none ends the block. */
const char *plot_text(struct plot *p, const char *fmt, ...) {
  char text[1024], name[32];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  fprintf(p->texts, "|%s\n", SHOWN(text));
  snprintf(name, sizeof name, "given(%u)", ++p->ntext);
  return arena_strndup(&p->arena, name, strlen(name));
}

/* gnuplot takes it for a format of the number. */
const char *plot_tic(struct plot *p, const char *text) {
  char twice[1024];
  size_t n = 0;
  for (; *text && n + 3 < sizeof twice; text++) {
    if (*text == '%') twice[n++] = '%';
    twice[n++] = *text;
  }
  twice[n] = 0;
  return plot_text(p, "%s", twice);
}

/* A file in memory with the script, from its beginning; -1 and *e. */
static int script_of(struct plot *p, struct err *e) {
  int fd = memfd_create("script", MFD_CLOEXEC);
  FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
  if (f) {
    fprintf(f, "%s\nset encoding utf8\nset termoption noenhanced\n$TEXT << END_OF_TEXT\n", p->terminal);
    fwrite(p->texts_data, 1, p->texts_size, f);
    fprintf(f, "|\nEND_OF_TEXT\ngiven(n) = substr($TEXT[n], 2, strlen($TEXT[n]))\n");
    fwrite(p->script_data, 1, p->script_size, f);
  }
  if (f && !fclose(f) && lseek(fd, 0, SEEK_SET) == 0) return fd;
  err_at(e, p->path, 0, 0, "cannot draw: %s", strerror(errno));
  if (fd >= 0) close(fd);
  return -1;
}

bool plot_close(struct plot *p, struct err *e) {
  /* -d: the user's ~/.gnuplot and the host's gnuplotrc are not read, so a picture is of its data alone. */
  char program[] = "gnuplot", defaults[] = "-d", input[] = "-", *argv[] = {program, defaults, input, NULL};
  if (fclose(p->script) || fclose(p->texts)) no_memory(1, BUFSIZ);
  const int script = script_of(p, e);
  const bool ok = script >= 0 && picture_draw(p->path, argv, script, e);
  if (script >= 0) close(script);
  free(p->script_data);
  free(p->texts_data);
  arena_free(&p->arena);
  free(p);
  return ok;
}
