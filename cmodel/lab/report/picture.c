/* SPDX-License-Identifier: Apache-2.0 */
/* picture: see picture.h. */
#define _GNU_SOURCE /* memfd_create */
#include "lab/report/picture.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <png.h>

#include "base/text.h"
#include "base/io.h"
#include "lab/report/json.h"

bool picture_is_svg(const char *path) { return text_ends_with(path, ".svg"); }

static bool picture_has_program(const char *program) {
  const char *path = getenv("PATH");
  char file[4096];
  for (const char *p = path ? path : ""; *p;) {
    size_t n = strcspn(p, ":");
    snprintf(file, sizeof file, "%.*s/%s", (int)(n < 4000 ? n : 4000), p, program);
    if (!access(file, X_OK)) return true;
    p += n + (p[n] == ':');
  }
  return false;
}

bool picture_possible(const struct drawer *d, const char *option, struct err *e) {
  return picture_has_program(d->program) ||
         err_at(e, NULL, 0, 0, "found no %s, expected it for %s (Debian: %s)", d->program, option, d->package);
}

bool picture_file(const struct drawer *d, const char *path, const char *option, struct err *e) {
  if (!text_ends_with(path, ".png") && !text_ends_with(path, ".svg"))
    return err_at(e, NULL, 0, 0, "%s: found '%.100s', expected a file that ends in .png or .svg", option, path);
  return picture_possible(d, option, e) && json_writable(path, e);
}

/* ---- drawing ---- */

static char *picture_read_all(int fd, size_t *n) {
  off_t size = lseek(fd, 0, SEEK_END);
  char *text = xcalloc(1, (size_t)(size > 0 ? size : 0) + 1);
  ssize_t got = size > 0 ? pread(fd, text, (size_t)size, 0) : 0;
  *n = got > 0 ? (size_t)got : 0;
  return text;
}

/* The program's own status says nothing of what it could not write. */
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

/* Three files, for its input, output and messages. */
static bool picture_run_drawer(char *const argv[], const int fd[3], struct err *e) {
  posix_spawn_file_actions_t to;
  pid_t pid;
  posix_spawn_file_actions_init(&to);
  for (int k = 0; k < 3; k++) posix_spawn_file_actions_adddup2(&to, fd[k], k);
  int status = posix_spawnp(&pid, argv[0], &to, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&to);
  if (status) return err_at(e, NULL, 0, 0, "%s: %s", argv[0], strerror(status));
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return err_at(e, NULL, 0, 0, "%s: %s", argv[0], strerror(errno));
  size_t n;
  char *said = picture_read_all(fd[2], &n);
  if (status)
    err_at(e, NULL, 0, 0, "%s failed (status %d), expected it to draw: %.300s", argv[0], status,
           said + strspn(said, "\n "));
  free(said);
  return status == 0;
}

static bool picture_save(const char *path, const char *program, const char *data, size_t n, struct err *e) {
  char why[IO_WHY];
  if (picture_is_svg(path) ? !whole_svg(data, n) : !whole_png(data, n))
    return err_at(e, path, 0, 0, "%s left a picture that is not whole (%zu bytes)", program, n);
  struct output *o = output_open(path, why);
  if (o) fwrite(data, 1, n, output_stream(o));
  return (o && output_close(o, true, why)) || err_at(e, path, 0, 0, "cannot write: %s", why);
}

bool picture_draw(const char *path, char *const argv[], int input, struct err *e) {
  int fd[3] = {input, memfd_create("picture", MFD_CLOEXEC), memfd_create("messages", MFD_CLOEXEC)};
  bool ok = fd[1] >= 0 && fd[2] >= 0;
  if (!ok) err_at(e, path, 0, 0, "cannot draw: %s", strerror(errno));
  ok = ok && picture_run_drawer(argv, fd, e);
  if (ok) {
    size_t n;
    char *data = picture_read_all(fd[1], &n);
    ok = picture_save(path, argv[0], data, n, e);
    free(data);
  }
  for (int k = 1; k < 3; k++)
    if (fd[k] >= 0) close(fd[k]);
  return ok;
}

/* ---- graphs ---- */

bool picture_digraph_file(const char *path, const char *option, struct err *e) {
  static const struct drawer dot = {"dot", "graphviz"};
  return picture_file(&dot, path, option, e);
}

bool picture_digraph(const char *path, const char *text, size_t n, struct err *e) {
  char program[] = "dot", png[] = "-Tpng", svg[] = "-Tsvg", *argv[] = {program, picture_is_svg(path) ? svg : png, NULL};
  const int fd = memfd_create("graph", MFD_CLOEXEC);
  FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
  const bool there = f && fwrite(text, 1, n, f) == n;
  bool ok = f && !fclose(f) && there && lseek(fd, 0, SEEK_SET) == 0;
  if (ok) ok = picture_draw(path, argv, fd, e);
  else err_at(e, path, 0, 0, "cannot draw: %s", strerror(errno));
  if (fd >= 0) close(fd);
  return ok;
}
