/* SPDX-License-Identifier: Apache-2.0 */
/* image: blocks of all sizes, the file and back in a process of its own, damage, words that point elsewhere. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/image.h"
#include "base/bits.h"

static char path[] = "/tmp/image_test.XXXXXX";

static void begin(void) {
  struct err e = {0};
  if (!image_begin(&e)) fail_msg("%s", e.text);
}

static bool zero(const unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i]) return false;
  return true;
}

/* Random allocations, resizes and frees: aligned, zeroed, apart from each other. */
static void blocks(void **state) {
  (void)state;
  enum { N = 200, ROUNDS = 20000 };
  static unsigned char *at[N];
  static size_t size[N];
  uint64_t x = 12345;
  begin();
  for (unsigned i = 0; i < ROUNDS; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    const unsigned k = (unsigned)(x >> 33) % N;
    const size_t want = 1 + (size_t)(x >> 13) % (1u << (1 + (x >> 50) % 18));
    if (at[k])
      for (size_t j = 0; j < size[k]; j += 1 + size[k] / 7) assert_int_equal(at[k][j], k + 1);
    if (at[k] && x >> 63) {
      unsigned char *p = xrealloc(at[k], want);
      const size_t kept = want < size[k] ? want : size[k];
      assert_int_equal(p[kept - 1], k + 1);
      assert_true(zero(p + kept, want - kept));
      at[k] = p;
    } else {
      free(at[k]);
      at[k] = x & 1024 ? xcalloc(1, want) : xcalloc_lines(1, want);
      assert_true(zero(at[k], want));
    }
    assert_true(image_holds(at[k]));
    assert_int_equal((uintptr_t)at[k] % 64, 0);
    size[k] = want;
    memset(at[k], (int)k + 1, want);
  }
  for (unsigned k = 0; k < N; k++) free(at[k]), at[k] = NULL;
  image_end();
}

static void pages(void **state) {
  (void)state;
  begin();
  unsigned char *a = image_pages(100 << 20), *small = xmalloc(10), *b = image_pages(5000);
  assert_true(a && b && zero(a, 1 << 20));
  memset(a, 1, 1 << 20);
  memset(b, 2, 5000);
  memset(small, 3, 10);
  image_pages_free(a);
  assert_true(zero(a, 1 << 20));
  assert_int_equal(b[4999], 2);
  assert_ptr_equal(image_pages(1 << 20), a);
  assert_int_equal(small[9], 3);
  assert_int_equal(image_foreign(stderr), 0);
  image_end();
}

/* What lay in the library's memory before stays there, and is freed there. */
static void mixed(void **state) {
  (void)state;
  char *before = xmalloc(100);
  begin();
  char *in = xmalloc(100);
  before = xrealloc(before, 100000);
  assert_false(image_holds(before));
  assert_true(image_holds(in));
  free(before);
  free(in);
  free(NULL);
  image_end();
  in = xmalloc(5);
  assert_false(image_holds(in));
  free(in);
}

struct list {
  struct list *next;
  uint64_t value;
  const char *text;
  void (*call)(void **);
};

static void save(const char *to, struct list **root) {
  char why[IO_WHY];
  begin();
  struct list *l = NULL;
  struct arena a = {0};
  for (unsigned i = 0; i < 5000; i++) {
    struct list *n = i % 2 ? xcalloc(1, sizeof *n) : arena_alloc(&a, sizeof *n);
    *n = (struct list){l, i * 77, "a constant", mixed};
    l = n;
    free(xcalloc(1, 100 * i)); /* holes */
  }
  unsigned char *p = image_pages(300 << 20);
  p[200 << 20] = 9;
  l->text = (char *)p;
  image_set_root(l);
  *root = l;
  FILE *f = fopen(to, "wb");
  assert_true(f && image_write(f, "about it", 8, why));
  fclose(f);
}

/* The image again: in a child, as another process would have it. */
static int reread(void) {
  struct err e = {0};
  if (!image_map(path, false, &e)) return 1;
  unsigned n = 0;
  const struct list *l = image_root();
  if (l->text[200 << 20] != 9) return 2;
  for (; l; l = l->next, n++)
    if (l->value != (4999 - n) * 77 || l->call != mixed || (n && strcmp(l->text, "a constant"))) return 3;
  free(image_root());
  unsigned char *p = xcalloc(1, 1 << 20);
  return n != 5000 ? 4 : !zero(p, 1 << 20) ? 5 : image_foreign(stderr) ? 6 : 0;
}

static void there_and_back(void **state) {
  (void)state;
  struct list *root;
  struct image_info info;
  struct err e = {0};
  save(path, &root);
  assert_int_equal(image_foreign(stderr), 0);
  image_end();
  assert_true(image_inspect(path, &info, &e));
  assert_true(info.program && info.file_bytes < 1 << 20 && info.bytes >= 5000 * sizeof *root);
  assert_string_equal(info.about, "about it");
  free(info.about);
  const pid_t child = fork();
  if (!child) _exit(reread());
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void foreign(void **state) {
  (void)state;
  begin();
  void **p = xcalloc(10, sizeof *p);
  int here;
  FILE *null = fopen("/dev/null", "w");
  image_set_root(p); /* so that the compiler keeps what is stored there */
  assert_int_equal(image_foreign(null), 0);
  p[3] = &here;
  p[7] = null;
  assert_int_equal(image_foreign(null), 2);
  p[3] = p;
  p[7] = (void *)(uintptr_t) "constant";
  assert_int_equal(image_foreign(null), 0);
  fclose(null);

  image_end();
}

/* Any changed byte, and any length, is refused. */
static void damaged(void **state) {
  (void)state;
  struct list *root;
  size_t n;
  char why[IO_WHY];
  save(path, &root);
  image_end();
  char *good = input_read(path, 1 << 24, &n, why);
  assert_non_null(good);
  for (size_t i = 0; i < n + n / 97; i += 1 + n / 97) {
    struct image_info info;
    struct err e = {0};
    FILE *f = fopen(path, "wb");
    if (i < n) good[i] ^= 0x10;
    assert_int_equal(fwrite(good, 1, i < n ? n : i - n, f), i < n ? n : i - n);
    fclose(f);
    assert_false(image_inspect(path, &info, &e));
    assert_true(strstr(e.text, "expected a checkpoint") || strstr(e.text, "expected version"));
    assert_null(info.about);
    if (i < n) good[i] ^= 0x10;
  }
  free(good);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks),  cmocka_unit_test(pages),
                                     cmocka_unit_test(mixed),   cmocka_unit_test(there_and_back),
                                     cmocka_unit_test(foreign), cmocka_unit_test(damaged)};
  image_foreign_begin();
  const int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
  const int bad = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return bad;
}
