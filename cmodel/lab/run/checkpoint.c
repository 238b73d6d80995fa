/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint: see checkpoint.h. */
#include "lab/run/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "lab/run/run.h"

enum { NAME = PATH_MAX };

struct checkpoint {
  char file[NAME], older[NAME], part[NAME];
  uint64_t every, last; /* ns */
  bool check, warned;
  unsigned written, foreign;
};

static void checkpoint_older_name(char out[NAME], const char *file) { snprintf(out, NAME, "%.*s.1", NAME - 8, file); }

struct checkpoint *checkpoint_again(const char *file, double minutes, bool check) {
  struct checkpoint *c = xcalloc(1, sizeof *c);
  snprintf(c->file, NAME, "%s", file);
  checkpoint_older_name(c->older, file);
  snprintf(c->part, NAME, "%.*s.part", NAME - 8, file);
  c->every = (uint64_t)(minutes * 60e9);
  c->check = check;
  c->last = clock_wall_ns();
  return c;
}

static bool checkpoint_is_there(const char *file, struct err *e) {
  struct stat st;
  return !lstat(file, &st) &&
         !err_at(e, file, 0, 0,
                 "found a file, expected none where a checkpoint is to be written: 'regtwin resume' continues a run; "
                 "remove the file to begin anew");
}

struct checkpoint *checkpoint_new(const char *file, double minutes, bool check, struct err *e) {
  char why[IO_WHY], older[NAME];
  checkpoint_older_name(older, file);
  if (strlen(file) > NAME - 8) {
    err_at(e, NULL, 0, 0, "found a path of %zu bytes, expected the file of a checkpoint", strlen(file));
    return NULL;
  }
  if (checkpoint_is_there(file, e) || checkpoint_is_there(older, e)) return NULL;
  if (!strcmp(file, "-") || !output_possible(file, why)) {
    err_at(e, file, 0, 0, "%s", strcmp(file, "-") ? why : "found standard output, expected a file");
    return NULL;
  }
  return checkpoint_again(file, minutes, check);
}

bool checkpoint_due(const struct checkpoint *c) { return clock_span(c->last, clock_wall_ns()) >= c->every; }
unsigned checkpoint_foreign(const struct checkpoint *c) { return c->foreign; }

/* ---- write ---- */

enum { SAYS = 4 }; /* lines before the configuration */

/* What a person may want to know of it, a line each, and the configuration; freed by the caller. */
static char *checkpoint_describe(const struct run_result *r, const char *kernel, unsigned launch, uint64_t cycle,
                                 size_t *n) {
  char *text = NULL;
  FILE *f = open_memstream(&text, n);
  if (!f) no_memory(1, BUFSIZ);
  fprintf(f, "regtwin %s\nrun: %s%s%s\nlaunch: %u, %s\ncycle: %llu\n", RT_VERSION, r->kernel,
          r->size[0] ? ", size " : "", r->size, launch, kernel, (unsigned long long)cycle);
  config_dump(&r->cfg, f);
  if (fclose(f)) no_memory(1, BUFSIZ);
  return text;
}

/* So that the new names, too, outlive a power failure. */
static void sync_directory(const char *file) {
  char dir[NAME];
  const char *slash = strrchr(file, '/');
  snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
  const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

/* The part, empty; two processes that continue one run do not write into one file. Its lock lasts until the part has another
 * name. -1: why. */
static int checkpoint_open_part(const struct checkpoint *c, char why[IO_WHY]) {
  struct stat here, there;
  const int fd = open(c->part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644); /* others may not write it */
  if (fd < 0) return snprintf(why, IO_WHY, "%s", strerror(errno)), -1;
  bool mine = !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK; /* a file system may have no locks */
  mine = mine && !fstat(fd, &here) && !lstat(c->part, &there) && here.st_ino == there.st_ino;
  if (mine && !ftruncate(fd, 0)) return fd;
  snprintf(why, IO_WHY, "%s", mine ? strerror(errno) : "another process writes it: is the run continued twice?");
  close(fd);
  return -1;
}

static bool checkpoint_write_part(int part, const char *about, size_t n, char why[IO_WHY]) {
  const int fd = dup(part);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
  if (!f) return snprintf(why, IO_WHY, "%s", strerror(errno)), false;
  bool ok = image_write(f, about, n, why);
  if (ok && fsync(fd)) ok = false, snprintf(why, IO_WHY, "%s", strerror(errno));
  if (fclose(f) && ok) ok = false, snprintf(why, IO_WHY, "%s", strerror(errno));
  return ok;
}

static bool checkpoint_replace(const struct checkpoint *c, char why[IO_WHY]) {
  if ((rename(c->file, c->older) && errno != ENOENT) || rename(c->part, c->file))
    return snprintf(why, IO_WHY, "%s", strerror(errno)), false;
  sync_directory(c->file);
  return true;
}

void checkpoint_write(struct checkpoint *c, const struct run_result *r, const char *kernel, unsigned launch,
                      uint64_t cycle) {
  char why[IO_WHY];
  size_t n;
  if (c->check) c->foreign += image_foreign(stderr);
  char *about = checkpoint_describe(r, kernel, launch, cycle, &n);
  const int part = checkpoint_open_part(c, why);
  const bool ok = part >= 0 && checkpoint_write_part(part, about, n, why) && checkpoint_replace(c, why);
  free(about);
  c->last = clock_wall_ns();
  c->written += ok;
  if (part >= 0 && !ok) unlink(c->part);
  if (part >= 0) close(part);
  if (ok) return;
  if (!c->warned) warn("%s: found no way to write a checkpoint (%s); the run goes on, and tries again", c->file, why);
  c->warned = true;
}

void checkpoint_free(struct checkpoint *c, bool done) {
  if (!c) return;
  if (done) {
    const bool file = !unlink(c->file), older = !unlink(c->older);
    unlink(c->part); /* of a process that was killed while it wrote */
    if (file || older) note("%s: removed, since the run has ended", c->file);
  }
  free(c);
}

/* ---- read ---- */

static void checkpoint_first_lines(char *out, size_t size, const char *about) {
  size_t n = 0;
  unsigned line = 0;
  for (const char *p = about; *p && line < SAYS && n + 3 < size; p++) {
    if (*p == '\n') line++;
    if (!line) continue; /* the version */
    if (*p != '\n') out[n++] = *p;
    else if (line > 1 && line < SAYS) n += (size_t)snprintf(out + n, size - n, "; ");
  }
  out[n] = 0;
}

static const char *checkpoint_config_of(const char *about) {
  for (unsigned line = 0; line < SAYS && *about; about++) line += *about == '\n';
  return about;
}

/* Of a line, without its comment. */
static int setting_length(const char *line) {
  const int n = (int)strcspn(line, "#\n");
  return n < 100 ? n : 100;
}

static bool checkpoint_same_config(const char *file, const char *about, const struct config *cfg, struct err *e) {
  char *text = config_dump_text(cfg);
  const char *a = checkpoint_config_of(about), *b = text;
  bool ok = true;
  while (ok && (*a || *b)) {
    const size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
    if (na != nb || memcmp(a, b, na))
      ok = err_at(e, file, 0, 0, "found a checkpoint of another configuration: '%.*s', expected '%.*s'",
                  setting_length(a), a, setting_length(b), b);
    a += na + (a[na] != 0);
    b += nb + (b[nb] != 0);
  }
  free(text);
  return ok;
}

static bool checkpoint_is_trusted(const char *file, const struct image_info *info, struct err *e) {
  if (info->own) return true;
  const char *why =
      "a checkpoint holds pointers to functions, so it is trusted like a program; --any-owner continues it";
  return info->owner == geteuid()
             ? err_at(e, file, 0, 0, "found a checkpoint that every user can write, expected one that only you can: %s",
                      why)
             : err_at(e, file, 0, 0, "found a checkpoint of user %u, expected one of your own: %s", info->owner, why);
}

/* good: it is whole, whatever it is of. */
static bool checkpoint_map_one(const char *file, bool any_owner, const struct config *cfg, bool *good, struct err *e) {
  struct image_info info;
  char text[400];
  *good = image_inspect(file, &info, e);
  if (!*good) return false;
  bool ok = any_owner || checkpoint_is_trusted(file, &info, e);
  ok = ok &&
       (info.program ||
        err_at(e, file, 0, 0,
               "found a checkpoint of another program, expected one of this very program: only that which wrote it "
               "can continue it"));
  ok = ok && (!cfg || checkpoint_same_config(file, info.about, cfg, e)) && image_map(file, any_owner, e);
  checkpoint_first_lines(text, sizeof text, info.about);
  if (ok) note("%s: %s", file, text);
  free(info.about);
  return ok;
}

bool checkpoint_map(const char *file, bool any_owner, const struct config *cfg, struct err *e) {
  char older[NAME], text[1200];
  struct err second = {0};
  struct stat st;
  bool good;
  checkpoint_older_name(older, file);
  if (checkpoint_map_one(file, any_owner, cfg, &good, e)) return true;
  if (good || stat(older, &st)) return false;
  err_format(e, text, sizeof text);
  note("%s", text);
  note("the one before it is taken: %s", older);
  if (!checkpoint_map_one(older, any_owner, cfg, &good, &second)) {
    *e = second;
    return false;
  }
  *e = (struct err){0};
  return true;
}
