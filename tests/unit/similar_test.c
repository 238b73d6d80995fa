/* SPDX-License-Identifier: Apache-2.0 */
/* similar_test: the rule of "did you mean" (base/similar.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/similar.h"

static void distances(void **state) {
  (void)state;
  static const struct {
    const char *text, *name;
    unsigned edits;
  } cases[] = {
      {"", "", 0},           {"banks", "banks", 0},     {"banks", "bank", 1},
      {"bankz", "banks", 1}, {"bnaks", "banks", 1},     {"abnks", "banks", 1},
      {"nabks", "banks", 2}, {"baanks", "banks", 1},    {"kitten", "sitting", 3},
      {"", "sm", 2},         {"FINEREG", "FineReg", 0}, {"vt+um", "VT+UM", 0},
      {"ca", "abc", 3},      {"srad", "srad_v1", 1},    {"SRAD", "srad_v1", 1},
      {"sr", "srad_v1", 5},  {"srad_v1", "srad", 3},    {"sgemm", "sgemm", 0},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    if (similar_distance(cases[i].text, cases[i].name) != cases[i].edits)
      fail_msg("%s, %s: found %u edits, expected %u", cases[i].text, cases[i].name,
               similar_distance(cases[i].text, cases[i].name), cases[i].edits);
  char longest[2 * SIMILAR_NAME];
  memset(longest, 'a', sizeof longest);
  longest[sizeof longest - 1] = 0;
  assert_int_equal(similar_distance(longest, longest), SIMILAR_NAME);
}

/* What a message asks about `text` when there are these names, separated by blanks. */
static const char *similar_ask_about(const char *text, const char *names, char *buf, size_t size) {
  struct similar s;
  char copy[512], *rest = copy;
  snprintf(copy, sizeof copy, "%s", names);
  similar_begin(&s, text);
  for (const char *name; (name = strsep(&rest, " "));) similar_offer(&s, name);
  return similar_ask_or(&s, "; none", buf, size);
}

static void questions(void **state) {
  (void)state;
  static const struct {
    const char *text, *names, *question;
  } cases[] = {
      {"VTT", "FineReg VT LB", "; did you mean 'VT'?"},
      {"FinReg", "VT FineReg", "; did you mean 'FineReg'?"},
      {"sgem", "bfs sgemm gesummv", "; did you mean 'sgemm'?"},
      {"comapre", "run compare", "; did you mean 'compare'?"},
      {"tp", "AT TP", "; did you mean 'TP'?"},
      {"srad", "srad_v1 bfs srad_v2", "; did you mean 'srad_v1' or 'srad_v2'?"},
      {"gem", "gemm_f64 gemm_s8 gemm_wmma", "; did you mean 'gemm_f64', 'gemm_s8' or 'gemm_wmma'?"},
      /* the least distance alone */
      {"bytes", "byte bytes_in", "; did you mean 'byte' or 'bytes_in'?"},
      {"warps", "wraps warp warps", "; did you mean 'warps'?"},
      /* a third of the text, and one for the shortest */
      {"rg", "rf slot", "; did you mean 'rf'?"},
      {"abcde", "abxye abcd", "; did you mean 'abcd'?"},
      {"abcde", "abxye", "; none"},
      {"abcdef", "abxyef", "; did you mean 'abxyef'?"},
      {"abcdef", "xbyzef", "; none"},
      {"frobnication", "warps banks", "; none"},
      /* a name twice; too many to guess; nothing found */
      {"aa", "ab ab", "; did you mean 'ab'?"},
      {"aa", "ab ac ad ae af", "; did you mean 'ab', 'ac', 'ad', 'ae' or 'af'?"},
      {"aa", "ab ac ad ae af ag", "; none"},
      {"", "a b", "; none"},
  };
  char buf[256];
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(similar_ask_about(cases[i].text, cases[i].names, buf, sizeof buf), cases[i].question);
}

static void room(void **state) {
  (void)state;
  struct similar s;
  char buf[24];
  similar_begin(&s, "aaa");
  similar_offer(&s, "aab");
  similar_offer(&s, "aac");
  assert_string_equal(similar_ask(&s, buf, sizeof buf), "; did you mean 'aab' or");
  similar_begin(&s, "x");
  assert_string_equal(similar_ask(&s, buf, sizeof buf), "");
  similar_offer_at(&s, "cache.x", 1);
  assert_string_equal(similar_ask(&s, buf, sizeof buf), "; did you mean 'cache.x");
}

static void an_array(void **state) {
  (void)state;
  static const struct {
    unsigned before;
    const char *key;
    unsigned after;
  } rows[] = {{1, "ipc", 2}, {3, "cycles", 4}, {5, "area", 6}};
  char buf[64];
  assert_string_equal(similar_among("cycle", &rows[0].key, sizeof *rows, 3, "", buf, sizeof buf),
                      "; did you mean 'cycles'?");
  assert_string_equal(similar_among("arae", &rows[0].key, sizeof *rows, 3, "", buf, sizeof buf),
                      "; did you mean 'area'?");
  assert_string_equal(similar_among("arae", &rows[0].key, sizeof *rows, 2, ", expected one", buf, sizeof buf),
                      ", expected one");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances), cmocka_unit_test(questions), cmocka_unit_test(room),
                                     cmocka_unit_test(an_array)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
