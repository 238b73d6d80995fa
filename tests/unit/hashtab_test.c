/* SPDX-License-Identifier: Apache-2.0 */
/* hashtab_test: the table against an array that is searched from its beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "base/hashtab.h"

enum { ENTRIES = 300 };

static struct { uint64_t key, value; } entry[ENTRIES];
static unsigned entries;

static unsigned of_key(uint64_t key) {
  unsigned n = 0;
  for (unsigned i = 0; i < entries; i++) n += entry[i].key == key;
  return n;
}

static bool is_there(uint64_t key, uint64_t value) {
  for (unsigned i = 0; i < entries; i++)
    if (entry[i].key == key && entry[i].value == value) return true;
  return false;
}

/* Every value of the key comes once: values differ, so that it is enough to count those that are of it. */
static void check_key(const struct hashtab *t, uint64_t key) {
  unsigned n = 0;
  for (uint64_t at = 0, v, last = HASHTAB_NONE; (v = hashtab_next(t, key, &at)) != HASHTAB_NONE; last = v, n++)
    assert_true(is_there(key, v) && v != last);
  assert_int_equal(n, of_key(key));
  assert_true(n ? is_there(key, hashtab_find(t, key)) : hashtab_find(t, key) == HASHTAB_NONE);
}

/* few: keys repeat. shift: bits below it are the same in all keys, as in those of aligned addresses. */
static void against_array(uint64_t seed, uint64_t few, unsigned shift, bool only_new) {
  struct hashtab t = {0};
  entries = 0;
  check_key(&t, 0);
  for (unsigned k = 0; k < ENTRIES; k++) {
    const uint64_t key = (few ? rng_next(&seed) % few : rng_next(&seed)) << shift;
    const bool new = !of_key(key);
    if (only_new) assert_true(hashtab_add(&t, key, k) == new);
    else hashtab_put(&t, key, k);
    if (new || !only_new) entry[entries].key = key, entry[entries++].value = k;
    assert_int_equal(t.n, entries);
    assert_true(2 * t.n <= t.room);
    check_key(&t, key);
    check_key(&t, (few ? rng_next(&seed) % few : rng_next(&seed)) << shift);
  }
  for (unsigned k = 0; k < entries; k++) check_key(&t, entry[k].key);
  const uint64_t room = t.room;
  hashtab_clear(&t);
  assert_true(t.n == 0 && t.room == room);
  for (unsigned k = 0; k < entries; k++) assert_true(hashtab_find(&t, entry[k].key) == HASHTAB_NONE);
  hashtab_put(&t, entry[0].key, HASHTAB_NONE - 1);
  assert_true(hashtab_find(&t, entry[0].key) == HASHTAB_NONE - 1);
  hashtab_free(&t);
  assert_true(!t.slot && !t.room && !t.n);
}

static void numbers(void **state) {
  (void)state;
  for (unsigned only_new = 0; only_new < 2; only_new++) {
    against_array(1, 0, 0, only_new);
    against_array(2, 0, 32, only_new);
    against_array(3, 60, 0, only_new);
    against_array(4, 60, 12, only_new);
    against_array(5, 1, 0, only_new);
    against_array(6, UINT64_C(1) << 20, 40, only_new);
  }
}

/* The keys 0 and 2^64 - 1 are keys like all others, and an empty table can be cleared and freed. */
static void extremes(void **state) {
  (void)state;
  struct hashtab t = {0};
  hashtab_clear(&t);
  hashtab_free(&t);
  assert_true(hashtab_add(&t, UINT64_MAX, 0) && hashtab_add(&t, 0, 7));
  assert_false(hashtab_add(&t, 0, 8) || hashtab_add(&t, UINT64_MAX, 8));
  assert_true(hashtab_find(&t, 0) == 7 && hashtab_find(&t, UINT64_MAX) == 0 && hashtab_find(&t, 1) == HASHTAB_NONE);
  hashtab_free(&t);
}

/* The first two texts have one fnv1a; "ab" is the beginning of another text. */
static void texts(void **state) {
  (void)state;
  static const char *const text[] = {"8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ", "ab", "abc", ""};
  enum { N = sizeof text / sizeof *text };
  assert_true(fnv1a(FNV_START, text[0], 20) == fnv1a(FNV_START, text[1], 20));
  struct hashtab t = {0};
  for (unsigned n = 0; n <= N; n++) {
    for (unsigned k = 0; k < N; k++) {
      char same[32];
      snprintf(same, sizeof same, "%sd", text[k]); /* found by its bytes, of which a 0 does not follow */
      assert_ptr_equal(hashtab_find_text(&t, same, strlen(text[k])), k < n ? text[k] : NULL);
    }
    if (n < N) hashtab_put_text(&t, text[n]);
  }
  hashtab_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(extremes), cmocka_unit_test(texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
