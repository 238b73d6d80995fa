/* SPDX-License-Identifier: Apache-2.0 */
/* box: see box.h. */
#include "box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/err.h"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where) {
  (void)st, (void)type, (void)where;
  return remove(path);
}

static void make_dirs(char *path) {
  for (char *p = path + 1; (p = strchr(p, '/')); p++) {
    *p = 0;
    if (mkdir(path, 0777) && errno != EEXIST) die("%s: %s", path, strerror(errno));
    *p = '/';
  }
}

void box_clear(const char *dir) {
  char path[BOX_PATH];
  snprintf(path, sizeof path, "%s/box", dir);
  nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  strcat(path, "/out/");
  make_dirs(path);
}

void box_put(const char *dir, const char *name, const void *p, size_t n) {
  char path[BOX_PATH];
  if ((size_t)snprintf(path, sizeof path, "%s/box/%s", dir, name) >= sizeof path) die("%s: too long a path", name);
  make_dirs(path);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(p ? p : "", 1, n, f) != n || fclose(f)) die("%s: %s", path, strerror(errno));
}

bool file_read(const char *path, struct bytes *b) {
  char part[65536];
  size_t n;
  FILE *f = fopen(path, "rb");
  if (!f) return false;
  b->n = 0;
  while ((n = fread(part, 1, sizeof part, f))) bytes_splice(b, b->n, 0, part, n);
  fclose(f);
  return true;
}

void box_copy(const char *dir, const char *from, const char *to) {
  struct bytes b = {0};
  DIR *d = opendir(from);
  if (!d) die("%s: %s", from, strerror(errno));
  for (struct dirent *f; (f = readdir(d));) {
    char path[BOX_PATH], name[BOX_PATH];
    struct stat st;
    size_t n = strlen(f->d_name);
    if ((size_t)snprintf(path, sizeof path, "%s/%s", from, f->d_name) >= sizeof path || stat(path, &st)) continue;
    if (!S_ISREG(st.st_mode) || st.st_size > 1 << 18 || (n > 3 && !strcmp(f->d_name + n - 3, ".cl"))) continue;
    if ((size_t)snprintf(name, sizeof name, "%s/%s", to, f->d_name) >= sizeof name || !file_read(path, &b)) continue;
    box_put(dir, name, b.p, b.n);
  }
  closedir(d);
  free(b.p);
}

/* ---- looks ---- */
static struct look *looking;
static size_t prefix;

static int see(const char *path, const struct stat *st, int type, struct FTW *where) {
  struct bytes b = {0};
  (void)where;
  if (strlen(path) <= prefix) return 0;
  struct seen s = {.hash = FNV_START};
  snprintf(s.name, sizeof s.name, "%s", path + prefix);
  s.hash = fnv1a(s.hash, &st->st_mode, sizeof st->st_mode);
  if (type == FTW_F && S_ISREG(st->st_mode) && file_read(path, &b)) s.hash = fnv1a(s.hash, b.p, b.n);
  free(b.p);
  VEC_PUSH(looking->file, looking->n, looking->room) = s;
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct seen *)a)->name, ((const struct seen *)b)->name);
}

void box_look(const char *dir, struct look *l) {
  char path[BOX_PATH];
  prefix = (size_t)snprintf(path, sizeof path, "%s/box", dir) + 1;
  l->n = 0;
  looking = l;
  nftw(path, see, 16, FTW_PHYS);
  qsort(l->file, l->n, sizeof *l->file, by_name);
}

const char *look_change(const struct look *before, const struct look *after, size_t *i, size_t *j) {
  while (*i < before->n || *j < after->n) {
    const struct seen *a = *i < before->n ? &before->file[*i] : NULL, *b = *j < after->n ? &after->file[*j] : NULL;
    int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);
    if (order <= 0) (*i)++;
    if (order >= 0) (*j)++;
    if (order < 0) return a->name;
    if (order > 0 || a->hash != b->hash) return b->name;
  }
  return NULL;
}

/* ---- a run ---- */
static void onto(const char *dir, const char *name, int fd) {
  char path[BOX_PATH];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  int f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (f < 0 || dup2(f, fd) < 0) _exit(120);
  close(f);
}

pid_t box_run(const char *dir, char *const argv[], unsigned seconds) {
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) die("fork: %s", strerror(errno));
  if (pid) {
    setpgid(pid, pid);
    return pid;
  }
  char path[BOX_PATH];
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(120);
  onto(dir, "out", 1);
  onto(dir, "err", 2);
  close(0);
  if (open("/dev/null", O_RDONLY) != 0) _exit(120);
  snprintf(path, sizeof path, "%s/box", dir);
  const struct rlimit cpu = {seconds, seconds + 2}, size = {1 << 28, 1 << 28}, core = {0, 0};
  if (chdir(path) || setrlimit(RLIMIT_CPU, &cpu) || setrlimit(RLIMIT_FSIZE, &size) || setrlimit(RLIMIT_CORE, &core))
    _exit(120);
  setenv("REGTWIN_TRACES", "traces/kernels", 1);
  setenv("ASAN_OPTIONS", "exitcode=99:detect_leaks=1:allocator_may_return_null=1:hard_rss_limit_mb=3000", 1);
  setenv("UBSAN_OPTIONS", "print_stacktrace=1", 1);
  execv(argv[0], argv);
  _exit(121);
}
