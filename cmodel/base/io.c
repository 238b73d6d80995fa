/* SPDX-License-Identifier: Apache-2.0 */
/* io: see io.h. */
#define _GNU_SOURCE /* O_PATH */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/err.h"

static bool why_set(char why[IO_WHY], const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool why_set(char why[IO_WHY], const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(why, IO_WHY, fmt, ap);
  va_end(ap);
  return false;
}

static const char *mode_kind(mode_t m) {
  return S_ISDIR(m)    ? "a directory"
         : S_ISFIFO(m) ? "a pipe"
         : S_ISLNK(m)  ? "a link"
         : S_ISSOCK(m) ? "a socket"
                       : "a device";
}

/* ---- which files were read ---- */

/* Files that the program wrote itself may be written again, even if it has read them. The table is shared with forked
 * processes, which do much of the reading. */
enum { MOST_SEEN = 1 << 16 };
static struct seen {
  _Atomic size_t n;
  struct known {
    dev_t dev;
    ino_t ino;
    bool written;
  } file[MOST_SEEN];
} * seen;

static void __attribute__((constructor)) share_seen(void) {
  seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (seen == MAP_FAILED) no_memory(1, sizeof *seen);
}

static struct known *seen_find(const struct stat *st) {
  for (size_t i = 0, n = seen->n; i < n && i < MOST_SEEN; i++)
    if (seen->file[i].dev == st->st_dev && seen->file[i].ino == st->st_ino) return &seen->file[i];
  return NULL;
}

static void seen_add(const struct stat *st, bool written) {
  struct known *k = seen_find(st);
  size_t i = k ? 0 : seen->n++;
  if (k) k->written |= written;
  else if (i < MOST_SEEN) seen->file[i] = (struct known){st->st_dev, st->st_ino, written};
}

static bool was_read(const struct stat *st) {
  const struct known *k = seen_find(st);
  return k && !k->written;
}

/* ---- inputs ---- */

FILE *input_open(const char *path, char why[IO_WHY]) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a pipe without a writer opens, too */
  if (fd < 0) return why_set(why, "%s", strerror(errno)), NULL;
  FILE *f = NULL;
  if (fstat(fd, &st)) why_set(why, "%s", strerror(errno));
  else if (!S_ISREG(st.st_mode)) why_set(why, "it is %s, no file", mode_kind(st.st_mode));
  else if (!(f = fdopen(fd, "rb"))) why_set(why, "%s", strerror(errno));
  if (f) seen_add(&st, false);
  else close(fd);
  return f;
}

char *input_read(const char *path, size_t most, size_t *n, char why[IO_WHY]) {
  FILE *f = strcmp(path, "-") ? input_open(path, why) : stdin;
  char *text = NULL;
  size_t room = 0, got = 1;
  if (!f) return NULL;
  for (*n = 0; got && *n <= most; *n += got) {
    if (room - *n < 2) text = xrealloc(text, room = room ? room * 2 : 65536);
    got = fread(text + *n, 1, room - *n - 1, f);
  }
  int bad = ferror(f) ? errno : 0;
  if (f != stdin) fclose(f);
  text[*n] = 0;
  if (!bad && *n <= most) return text;
  if (bad) why_set(why, "%s", strerror(bad));
  else why_set(why, "it has more than %zu bytes", most);
  free(text);
  return NULL;
}

/* ---- outputs ---- */

struct output {
  FILE *f;
  int dir;          /* where it goes; -1: written in place */
  char *name, *new; /* there; the new file until then */
};

FILE *output_stream(struct output *o) { return o->f; }

static void output_drop(struct output *o) {
  if (o->f && o->f != stdout) fclose(o->f);
  if (o->new) unlinkat(o->dir, o->new, 0);
  if (o->dir >= 0) close(o->dir);
  free(o->name);
  free(o->new);
  free(o);
}

static struct output *output_failed(struct output *o, char why[IO_WHY]) {
  why_set(why, "%s", strerror(errno));
  output_drop(o);
  return NULL;
}

/* The new file in `dir`, which becomes the output's. */
static struct output *output_begin(int dir, const char *name, char why[IO_WHY]) {
  struct output *o = xcalloc(1, sizeof *o);
  struct stat st;
  size_t room = strlen(name) + 32;
  char *new = xmalloc(room);
  int fd = -1;
  o->dir = dir;
  o->name = xmalloc(room);
  snprintf(o->name, room, "%s", name);
  for (int k = 0; fd < 0 && k < 100; k++) {
    snprintf(new, room, "%s.%ld.%d", name, (long)getpid(), k);
    fd = openat(dir, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) break;
  }
  if (fd >= 0) o->new = new;
  else free(new);
  if (fd < 0 || fstat(fd, &st) || !(o->f = fdopen(fd, "wb"))) {
    int bad = errno;
    if (fd >= 0) close(fd);
    errno = bad;
    return output_failed(o, why);
  }
  seen_add(&st, true);
  return o;
}

static struct output *in_place(const char *path, char why[IO_WHY]) {
  struct output *o = xcalloc(1, sizeof *o);
  o->dir = -1;
  o->f = path ? fopen(path, "we") : stdout;
  return o->f ? o : output_failed(o, why);
}

/* The directory of a path and the name in it. */
static const char *path_split(const char *path, char dir[PATH_MAX], char why[IO_WHY]) {
  const char *name = path_name(path);
  size_t n = (size_t)(name - path);
  if (!path[0]) why_set(why, "found an empty path, expected a file");
  else if (n + 3 > PATH_MAX) why_set(why, "%s", strerror(ENAMETOOLONG));
  else if (!name[0] || !strcmp(name, ".") || !strcmp(name, "..")) why_set(why, "found a directory, expected a file");
  else {
    snprintf(dir, PATH_MAX, "%.*s%s", (int)n, path, n ? "" : ".");
    return name;
  }
  return NULL;
}

bool stat_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool not_read(const struct stat *st, char why[IO_WHY]) {
  return !was_read(st) || why_set(why, "found a file that this run reads, expected another");
}

struct output *output_open(const char *path, char why[IO_WHY]) {
  struct stat st;
  return strcmp(path, "-") && !stat(path, &st) && !not_read(&st, why) ? NULL : output_replace(path, why);
}

struct output *output_replace(const char *path, char why[IO_WHY]) {
  struct stat st, out;
  char dir[PATH_MAX], real[PATH_MAX];
  bool there = !stat(path, &st);
  if (!strcmp(path, "-") || (there && !fstat(STDOUT_FILENO, &out) && stat_same_file(&st, &out)))
    return in_place(NULL, why);
  if (there && S_ISDIR(st.st_mode)) return why_set(why, "found a directory, expected a file"), NULL;
  if (there && !S_ISREG(st.st_mode)) return in_place(path, why);
  if (there && realpath(path, real)) path = real;
  const char *name = path_split(path, dir, why);
  if (!name) return NULL;
  int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? (why_set(why, "%s", strerror(errno)), NULL) : output_begin(fd, name, why);
}

/* Opens the directory `real`, in which no component is a link, from `root` above it. */
static int path_open_directory(const char *root, const char *real) {
  char part[NAME_MAX + 1];
  int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (const char *p = real + strlen(root); fd >= 0 && *(p += strspn(p, "/"));) {
    size_t n = strcspn(p, "/");
    snprintf(part, sizeof part, "%.*s", (int)n, p);
    int in = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(fd);
    fd = in;
    p += n;
  }
  return fd;
}

static bool is_below(const char *root, const char *real) {
  size_t n = strlen(root);
  return !strcmp(root, "/") || (!strncmp(root, real, n) && (!real[n] || real[n] == '/'));
}

struct output *output_open_below(const char *below, const char *path, char why[IO_WHY]) {
  struct stat st;
  char dir[PATH_MAX], real[PATH_MAX], root[PATH_MAX];
  const char *name = path_split(path, dir, why);
  if (!name) return NULL;
  if (!realpath(below, root) || !realpath(dir, real)) return why_set(why, "%s", strerror(errno)), NULL;
  if (!is_below(root, real)) return why_set(why, "it does not lie below the directory '%.100s'", below), NULL;
  int fd = path_open_directory(root, real);
  if (fd < 0) return why_set(why, "%s", strerror(errno)), NULL;
  if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW)) return output_begin(fd, name, why);
  if (S_ISREG(st.st_mode) ? not_read(&st, why) : why_set(why, "found %s, expected a file", mode_kind(st.st_mode)))
    return output_begin(fd, name, why);
  close(fd);
  return NULL;
}

bool output_close(struct output *o, bool ok, char why[IO_WHY]) {
  if (ok) errno = 0;
  bool good = ok && !ferror(o->f) && !fflush(o->f) && (!o->new || !fsync(fileno(o->f)));
  if (ok && ferror(o->f) && !errno && o->f != stdout) /* an earlier error: writing one more byte yields errno again */
    (void)!write(fileno(o->f), "", 1);
  int bad = errno;
  if (o->f != stdout && fclose(o->f) && good) good = false, bad = errno;
  o->f = NULL;
  if (good && o->new &&renameat(o->dir, o->new, o->dir, o->name)) good = false, bad = errno;
  if (good) free(o->new), o->new = NULL;
  else if (ok) why_set(why, "%s", strerror(bad ? bad : EIO));
  output_drop(o);
  return good;
}

bool output_possible(const char *path, char why[IO_WHY]) {
  struct stat st;
  if (!strcmp(path, "-")) return true;
  if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) /* opening a pipe would wait */
    return !access(path, W_OK) || why_set(why, "%s", strerror(errno));
  struct output *o = output_open(path, why);
  if (o) output_drop(o);
  return o;
}
