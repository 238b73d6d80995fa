/* SPDX-License-Identifier: Apache-2.0 */
/* cache_test: a damaged entry is never accepted as a result, and only results are touched. */
#define _GNU_SOURCE /* asprintf */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/cache.h"

struct result {
  uint64_t n;
  bool flag;
  char text[50];
  double x;
};
static const struct work work = {"test", sizeof(struct result), sizeof(struct task), NULL};
static char dir[] = "/tmp/regtwin_cache_XXXXXX";

static struct task task_of(const char *name) {
  struct task t = {.size = "small"};
  struct err e = {0};
  snprintf(t.name, sizeof t.name, "%s", name);
  config_defaults(&t.cfg);
  assert_true(config_machine(&t.cfg, "gtx980", &e));
  return t;
}

static struct result result_of(uint64_t n) {
  struct result r;
  memset(&r, 0, sizeof r);
  r.n = n, r.flag = true, r.x = 0.5;
  strcpy(r.text, "as it was");
  return r;
}

/* The path of the only file below dir whose name begins so. */
static char found[4096];
static const char *begins;
static int look(const char *path, const struct stat *st, int type, struct FTW *w) {
  (void)st;
  if (type == FTW_F && !strncmp(path + w->base, begins, strlen(begins))) snprintf(found, sizeof found, "%s", path);
  return 0;
}
static const char *entry(const char *name) {
  found[0] = 0;
  begins = name;
  nftw(dir, look, 8, FTW_PHYS);
  assert_true(found[0]);
  return found;
}

static size_t slurp(const char *path, uint8_t *data, size_t room) {
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  size_t n = fread(data, 1, room, f);
  fclose(f);
  return n;
}
static void put(const char *path, const uint8_t *data, size_t n) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
}

/* Standard error goes to a file meanwhile; how many warnings came. */
static unsigned warnings(bool begin) {
  static int saved;
  static FILE *file;
  if (begin) {
    fflush(stderr);
    saved = dup(2);
    file = tmpfile();
    dup2(fileno(file), 2);
    return 0;
  }
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  char line[4096];
  unsigned n = 0;
  rewind(file);
  while (fgets(line, sizeof line, file)) n += strstr(line, "found a damaged result") != NULL;
  fclose(file);
  return n;
}

static void damaged(const struct cache *c, const struct task *t, const struct result *want, const char *path,
                    const uint8_t *data, size_t n) {
  struct result got;
  put(path, data, n);
  assert_false(cache_get(c, &work, t, &got));
  assert_true(access(path, F_OK) != 0);
  cache_put(c, &work, t, want);
  assert_true(cache_get(c, &work, t, &got));
  assert_memory_equal(&got, want, sizeof got);
}

static void damage(void **state) {
  (void)state;
  struct err e = {0};
  struct cache *c = cache_open(dir, &e);
  assert_non_null(c);
  const struct task t = task_of("vecadd"), other = task_of("gather");
  const struct result want = result_of(7), wrong = result_of(8);
  struct result got;
  assert_false(cache_get(c, &work, &t, &got)); /* there is none yet */
  assert_false(cache_get(NULL, &work, &t, &got));
  cache_put(c, &work, &t, &want);
  cache_put(c, &work, &other, &wrong);
  assert_true(cache_get(c, &work, &t, &got));
  assert_memory_equal(&got, &want, sizeof got);

  char path[4096];
  uint8_t whole[512], bad[512];
  snprintf(path, sizeof path, "%s", entry("test.vecadd."));
  const size_t n = slurp(path, whole, sizeof whole);
  assert_true(n > sizeof want && n < sizeof whole);
  unsigned tries = 0;
  warnings(true);
  for (size_t k = 0; k < n; k++)
    for (unsigned flip = 0; flip < 3; flip++, tries++) { /* a bit, all bits, 0xff or 0 */
      memcpy(bad, whole, n);
      bad[k] ^= flip == 0 ? 1u << k % 8 : flip == 1 ? 0xff : bad[k] == 0xff ? 0xff : bad[k] ^ 0xff;
      damaged(c, &t, &want, path, bad, n);
    }
  for (size_t k = 0; k < n; k++, tries++) damaged(c, &t, &want, path, whole, k); /* cut off */
  memcpy(bad, whole, n), bad[n] = 0;
  damaged(c, &t, &want, path, bad, n + 1), tries++; /* a byte too many */
  const size_t m = slurp(entry("test.gather."), bad, sizeof bad);
  damaged(c, &t, &want, path, bad, m), tries++; /* a good one under another's name */
  assert_int_equal(warnings(false), tries);
  cache_close(c);
}

static void touches_nothing_else(void **state) {
  (void)state;
  struct err e = {0};
  char *file[3], victim[64], link[4096];
  const char *const folder[] = {"0123456789abcdef", "ffffffffffffffff", "mine"};
  for (int k = 0; k < 3; k++) {
    char *sub;
    assert_true(asprintf(&sub, "%s/%s", dir, folder[k]) > 0);
    assert_int_equal(mkdir(sub, 0777), 0);
    assert_true(asprintf(&file[k], "%s/precious", sub) > 0);
    put(file[k], (const uint8_t *)"x", 1);
    free(sub);
  }
  struct cache *c = cache_open(dir, &e);
  assert_non_null(c);
  /* a link in place of an entry is not followed */
  const struct task t = task_of("vecadd");
  const struct result want = result_of(9);
  snprintf(victim, sizeof victim, "%s/victim", dir);
  put(victim, (const uint8_t *)"x", 1);
  snprintf(link, sizeof link, "%s", entry("test.vecadd."));
  unlink(link);
  assert_int_equal(symlink(victim, link), 0);
  struct result got;
  warnings(true);
  assert_false(cache_get(c, &work, &t, &got));
  assert_int_equal(warnings(false), 1);
  assert_int_equal(symlink(victim, link), 0);
  cache_put(c, &work, &t, &want);
  cache_close(c);
  uint8_t data[4];
  assert_int_equal(slurp(victim, data, sizeof data), 1);
  for (int k = 0; k < 3; k++) {
    assert_int_equal(slurp(file[k], data, sizeof data), 1);
    free(file[k]);
  }
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *w) {
  (void)st, (void)type, (void)w;
  return remove(path);
}
static int begin(void **state) {
  (void)state;
  return mkdtemp(dir) == NULL;
}
static int end(void **state) {
  (void)state;
  return nftw(dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(damage), cmocka_unit_test(touches_nothing_else)};
  return cmocka_run_group_tests(tests, begin, end);
}
