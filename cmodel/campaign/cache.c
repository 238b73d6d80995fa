/* SPDX-License-Identifier: Apache-2.0 */
/* cache: see cache.h. */
#include "campaign/cache.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/io.h"
#include "config/keys.h"

struct cache {
  char dir[PATH_MAX - 512]; /* of this program's results */
};

static bool hash_file(const char *path, uint64_t *h) {
  char buf[65536];
  size_t n;
  char why[IO_WHY];
  FILE *f = input_open(path, why);
  if (!f) return false;
  while ((n = fread(buf, 1, sizeof buf, f))) *h = fnv1a(*h, buf, n);
  bool ok = !ferror(f);
  fclose(f);
  return ok;
}

/* The files of a directory, whatever order they are found in: names and contents. */
static bool hash_directory(const char *dir, uint64_t *h) {
  DIR *d = opendir(dir);
  if (!d) return false;
  uint64_t sum = 0;
  bool ok = true;
  for (struct dirent *f; ok && (f = readdir(d));) {
    char path[PATH_MAX];
    struct stat st;
    size_t n = (size_t)snprintf(path, sizeof path, "%s/%s", dir, f->d_name);
    if (n >= sizeof path || stat(path, &st) || !S_ISREG(st.st_mode)) continue;
    uint64_t one = fnv1a(FNV_START, f->d_name, strlen(f->d_name) + 1);
    ok = hash_file(path, &one);
    sum += one;
  }
  closedir(d);
  *h = fnv1a(*h, &sum, sizeof sum);
  return ok;
}

static bool hash_config(const struct config *c, uint64_t *h) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  if (!f) return false;
  config_dump(c, f); /* machine, system and every key */
  bool ok = !fclose(f);
  if (ok) *h = fnv1a(*h, text, n);
  free(text);
  for (unsigned i = 0; ok && i < config_nkeys; i++) { /* a file may get another content under its name */
    const char *path = (const char *)c + config_keys[i].offset;
    if (config_keys[i].type == KEY_PATH && path[0]) ok = hash_file(path, h);
  }
  return ok;
}

/* Only kernels of the suite: what a launch file elsewhere reads may lie anywhere. */
static bool path_of(const struct cache *c, const struct work *work, const struct task *t, char path[PATH_MAX]) {
  struct workload w;
  struct err e = {0};
  uint64_t h = FNV_START;
  if (!c || !workload_find(t->name, &w, &e) || !w.suite) return false;
  char dir[sizeof w.path];
  snprintf(dir, sizeof dir, "%s", w.path);
  char *slash = strrchr(dir, '/');
  if (!slash) return false;
  *slash = 0;
  h = fnv1a(h, t->size, strlen(t->size) + 1);
  h = fnv1a(h, &work->size, sizeof work->size);
  if (!hash_directory(dir, &h) || !hash_config(&t->cfg, &h)) return false;
  return (size_t)snprintf(path, PATH_MAX, "%s/%s.%s.%016" PRIx64, c->dir, work->name, w.name, h) < PATH_MAX;
}

static bool make_directory(const char *dir, struct err *e) {
  return !mkdir(dir, 0777) || errno == EEXIST ||
         err_at(e, dir, 0, 0, "cannot make this directory for results: %s", strerror(errno));
}

struct cache *cache_open(const char *dir, struct err *e) {
  struct cache *c = xcalloc(1, sizeof *c);
  uint64_t h = FNV_START;
  char name[17];
  bool ok = hash_file("/proc/self/exe", &h) || err_at(e, NULL, 0, 0, "cannot read this program: %s", strerror(errno));
  snprintf(name, sizeof name, "%016" PRIx64, h);
  if (ok && (size_t)snprintf(c->dir, sizeof c->dir, "%s/%s", dir, name) >= sizeof c->dir)
    ok = err_at(e, NULL, 0, 0, "found a path that is too long, expected a directory for results");
  if (ok && make_directory(dir, e) && make_directory(c->dir, e)) return c;
  free(c);
  return NULL;
}

void cache_close(struct cache *c) { free(c); }

/* The header of a result. The checksum covers the entry's own name and the result, so that neither a damaged file nor
 * a renamed entry is accepted. */
struct head {
  char magic[8];
  uint64_t size, sum;
};

static struct head head_of(const char *path, const void *result, size_t size) {
  const char *name = strrchr(path, '/') + 1;
  uint64_t sum = fnv1a(fnv1a(FNV_START, name, strlen(name) + 1), result, size);
  return (struct head){{'R', 'T', 'C', 'A', 'C', 'H', 'E', '1'}, size, sum};
}

static bool read_entry(const char *path, const struct work *work, FILE *f, void *out) {
  struct head found;
  if (fread(&found, sizeof found, 1, f) != 1 || fread(out, work->size, 1, f) != 1 || fgetc(f) != EOF) return false;
  struct head want = head_of(path, out, work->size);
  return !memcmp(&found, &want, sizeof want);
}

bool cache_get(const struct cache *c, const struct work *work, const struct task *t, void *out) {
  char path[PATH_MAX], why[IO_WHY];
  if (!path_of(c, work, t, path) || access(path, F_OK)) return false;
  FILE *f = input_open(path, why);
  bool ok = f && read_entry(path, work, f, out);
  if (f) fclose(f);
  if (ok) return true;
  memset(out, 0, work->size);
  warn("%s: found a damaged result%s%s; it is made again", path, f ? "" : ": ", f ? "" : why);
  unlink(path);
  return false;
}

void cache_put(const struct cache *c, const struct work *work, const struct task *t, const void *out) {
  char path[PATH_MAX], why[IO_WHY];
  if (!path_of(c, work, t, path)) return;
  struct head head = head_of(path, out, work->size);
  struct output *o = output_open_below(c->dir, path, why);
  if (!o) return;
  fwrite(&head, sizeof head, 1, output_stream(o));
  fwrite(out, work->size, 1, output_stream(o));
  output_close(o, true, why);
}
