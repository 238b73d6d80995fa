/* SPDX-License-Identifier: Apache-2.0 */
/* plot: see plot.h. */
#define _GNU_SOURCE /* memfd_create */
#include "report/plot.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <png.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/show.h"
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
  return have_gnuplot() || err_at(e, NULL, 0, 0, "found no gnuplot, expected it for %s (Debian: gnuplot-nox)", option);
}

bool plot_directory(const char *dir, const char *option, struct err *e) {
  struct stat st;
  if (!possible(option, e)) return false;
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

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n > m && !strcmp(s + n - m, end);
}

bool plot_file(const char *path, const char *option, struct err *e) {
  if (!ends_with(path, ".png") && !ends_with(path, ".svg"))
    return err_at(e, NULL, 0, 0, "%s: found '%.100s', expected a file that ends in .png or .svg", option, path);
  return possible(option, e) && json_writable(path, e);
}

struct plot *plot_open(const char *path, unsigned width, unsigned height, FILE **script, struct err *e) {
  struct plot *p = xcalloc(1, sizeof *p);
  bool svg = ends_with(path, ".svg");
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

static char *all_of(int fd, size_t *n) {
  off_t size = lseek(fd, 0, SEEK_END);
  char *text = xcalloc(1, (size_t)(size > 0 ? size : 0) + 1);
  ssize_t got = size > 0 ? pread(fd, text, (size_t)size, 0) : 0;
  *n = got > 0 ? (size_t)got : 0;
  return text;
}

/* gnuplot's own status says nothing of what it could not write. */
static bool whole_png(const void *data, size_t n) {
  png_image png = {.version = PNG_IMAGE_VERSION};
  bool ok = false;
  if (n > 12 && !memcmp((const char *)data + n - 8, "IEND", 4) && png_image_begin_read_from_memory(&png, data, n)) {
    png.format = PNG_FORMAT_RGBA;
    void *pixel = xmalloc(PNG_IMAGE_SIZE(png));
    ok = png_image_finish_read(&png, NULL, pixel, 0, NULL);
    free(pixel);
  }
  png_image_free(&png);
  return ok;
}

static bool whole_svg(const char *text, size_t n) {
  static const char end[] = "</svg>";
  while (n && strchr("\n\r ", text[n - 1])) n--;
  return n > sizeof end && !strncmp(text, "<?xml", 5) && !strncmp(text + n - 6, end, 6) && !memchr(text, 0, n);
}

/* Runs gnuplot: three files, for its input, output and messages. */
static bool run(const int fd[3], struct err *e) {
  char program[] = "gnuplot", input[] = "-";
  char *argv[] = {program, input, NULL};
  posix_spawn_file_actions_t to;
  pid_t pid;
  posix_spawn_file_actions_init(&to);
  for (int k = 0; k < 3; k++) posix_spawn_file_actions_adddup2(&to, fd[k], k);
  int status = posix_spawnp(&pid, program, &to, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&to);
  if (status) return err_at(e, NULL, 0, 0, "gnuplot: %s", strerror(status));
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return err_at(e, NULL, 0, 0, "gnuplot: %s", strerror(errno));
  size_t n;
  char *said = all_of(fd[2], &n);
  if (status)
    err_at(e, NULL, 0, 0, "gnuplot failed (status %d), expected it to draw: %.300s", status,
           said + strspn(said, "\n "));
  free(said);
  return status == 0;
}

static bool save(const struct plot *p, const char *data, size_t n, struct err *e) {
  char why[IO_WHY];
  if (ends_with(p->path, ".svg") ? !whole_svg(data, n) : !whole_png(data, n))
    return err_at(e, p->path, 0, 0, "gnuplot left a picture that is not whole (%zu bytes)", n);
  struct output *o = output_open(p->path, why);
  if (o) fwrite(data, 1, n, output_stream(o));
  return (o && output_close(o, true, why)) || err_at(e, p->path, 0, 0, "cannot write: %s", why);
}

static bool draw(struct plot *p, struct err *e) {
  int fd[3] = {script_of(p, e), memfd_create("picture", MFD_CLOEXEC), memfd_create("messages", MFD_CLOEXEC)};
  bool ok = fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0;
  if (!ok) err_at(e, p->path, 0, 0, "cannot draw: %s", strerror(errno));
  ok = ok && run(fd, e);
  if (ok) {
    size_t n;
    char *data = all_of(fd[1], &n);
    ok = save(p, data, n, e);
    free(data);
  }
  for (int k = 0; k < 3; k++)
    if (fd[k] >= 0) close(fd[k]);
  return ok;
}

bool plot_close(struct plot *p, struct err *e) {
  if (fclose(p->script) || fclose(p->texts)) no_memory(1, BUFSIZ);
  bool ok = draw(p, e);
  free(p->script_data);
  free(p->texts_data);
  arena_free(&p->arena);
  free(p);
  return ok;
}
