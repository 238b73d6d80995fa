/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of widths files, and its messages for wrong files and those of another program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "packing/packing.h"
#include "run/widths.h"

#define HEAD(entries)                                                                                   \
  "format: 1\nhash: 00000000000000af\nptx: a.ptx\nquality: perfect\ncommand: regtwin tune a\nreached: " \
  "[small]\nentries:\n" entries

static void good(void **state) {
  (void)state;
  struct widths w;
  struct err e = {0};
  const char text[] = HEAD("  k2: {}\n  k1:\n    \"%f2\": 8\n    \"%f1.2\": 28\n    \"%f1\": 32\n");
  if (!widths_text(&w, "f", text, strlen(text), &e)) fail_msg("%s", e.text);
  assert_int_equal(w.hash, 0xaf);
  assert_string_equal(w.ptx, "a.ptx");
  assert_string_equal(w.reached[0], "small");
  assert_int_equal(widths_of(&w, "k1", "%f2"), 2);
  assert_int_equal(widths_of(&w, "k1", "%f1.2"), 7);
  assert_int_equal(widths_of(&w, "k1", "%f1"), 8);
  assert_int_equal(widths_of(&w, "k1", "%f3"), 8);
  assert_int_equal(widths_of(&w, "k2", "%f2"), 8);
  widths_free(&w);
  assert_int_equal(widths_of(&w, "k1", "%f2"), 8);
}

static void bad(const char *text, int line, int col, const char *says) {
  struct widths w;
  struct err e = {0};
  assert_false(widths_text(&w, "f", text, strlen(text), &e));
  assert_string_equal(e.text, says);
  assert_int_equal(e.line, line);
  assert_int_equal(e.col, col);
  widths_free(&w);
}

#define KEYS "format, ptx, hash, quality, command, reached or entries"
static void errors(void **state) {
  (void)state;
  bad("", 1, 1, "found nothing, expected " KEYS);
  bad("format: 2\n", 1, 9, "found format '2', expected 1");
  bad("format: 1\nwidth: 3\n", 2, 1, "found unknown key 'width', expected " KEYS);
  bad("ptx: a\nptx: a\n", 2, 1, "found key 'ptx' a second time, expected it once");
  bad("ptx: [a]\n", 1, 6, "found a list, expected the name of a PTX file");
  bad("hash: 12\n", 1, 7, "found hash '12', expected 16 hexadecimal digits");
  bad("reached: x\n", 1, 10, "found a single value, expected a list of inputs");
  bad("ptx: a\n", 2, 1, "found the end without all keys, expected " KEYS);
  bad(HEAD("  k: 8\n"), 8, 6, "found a single value, expected registers and their bits");
  bad(HEAD("  k:\n    \"%f1\": 10\n"), 9, 12, "found 10 bits, expected 8, 12, 16, 20, 24, 28 or 32");
  bad(HEAD("  k:\n    \"%f1\": 4\n"), 9, 12, "found 4 bits, expected 8, 12, 16, 20, 24, 28 or 32");
  bad(HEAD("  k:\n    \"%f1\": 8\n    \"%f2\": 8\n    \"%f1\": 8\n"), 11, 5,
      "found register '%f1' a second time, expected it once");
  bad(HEAD("  k: {}\n  j: {}\n  k:\n    \"%f2\": 8\n"), 10, 3, "found entry 'k' a second time, expected it once");
}

/* What is written is read as it was. */
static struct widths again(const struct widths *w) {
  struct widths r;
  struct err e = {0};
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  widths_write(w, f);
  fclose(f);
  if (!widths_text(&r, "f", text, n, &e)) fail_msg("line %d: %s in\n%s", e.line, e.text, text);
  free(text);
  return r;
}

static void round_trip(void **state) {
  (void)state;
  struct width width[] = {{"k", "", 8, 0, 0}, {"k", "%f1", 5, 0, 0}, {"k2", "", 8, 0, 0}};
  const char *reached[] = {"small seed 1: 5 %", "a \"b\\\x01"};
  struct widths w = {.ptx = "a b.ptx",
                     .quality = "perfect",
                     .command = "-c: x",
                     .hash = 1,
                     .reached = reached,
                     .nreached = 2,
                     .width = width,
                     .n = 3};
  struct widths r = again(&w);
  assert_string_equal(r.command, w.command);
  assert_string_equal(r.reached[1], reached[1]);
  assert_int_equal(r.n, 3);
  assert_int_equal(widths_of(&r, "k", "%f1"), 5);
  widths_free(&r);
  w.n = 0; /* a program without floats */
  r = again(&w);
  assert_int_equal(r.n, 0);
  widths_free(&r);
}

static void save(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

/* The file belongs to a program: its name, bytes, entries and floats. */
static void another_program(void **state) {
  (void)state;
  char dir[] = "/tmp/widths_test_XXXXXX", ptx[64], path[64], says[1024];
  assert_non_null(mkdtemp(dir));
  snprintf(ptx, sizeof ptx, "%s/a.ptx", dir);
  widths_path(path, sizeof path, ptx, "high");
  assert_string_equal(path + strlen(dir), "/high.widths");
  save(ptx, "");
  struct web web[] = {{.name = "%f1", .fp = true}, {.name = "%r1"}};
  struct packing packing = {.web = web, .nweb = 2};
  struct code k = {.name = "k", .file = ptx, .packing = &packing};
  struct module m = {.file = ptx, .kernel = &k, .nkernel = 1};
  struct widths w;
  struct err e = {0};

  save(path, HEAD("  k: {}\n"));
  assert_false(widths_read(&w, path, &m, &e));
  snprintf(says, sizeof says,
           "found widths of another version of %s (hash 00000000000000af), expected hash cbf29ce484222325; "
           "'regtwin tune a' makes them anew",
           ptx);
  assert_string_equal(e.text, says);
  assert_string_equal(e.file, path);
  widths_free(&w);

#define OWN(entries)                                                                    \
  "format: 1\nhash: cbf29ce484222325\nptx: a.ptx\nquality: high\ncommand: x\nreached: " \
  "[small]\nentries:\n" entries
  save(path, OWN("  k: {}\n  j: {}\n"));
  e = (struct err){0};
  assert_false(widths_read(&w, path, &m, &e));
  assert_true(strstr(e.text, "found entry 'j', expected one of "));
  assert_int_equal(e.line, 9);
  widths_free(&w);

  const char *wrong[] = {"found unknown register '%f2', expected a float of entry 'k'",
                         "found the register '%r1', expected a float of entry 'k'"};
  const char *text[] = {OWN("  k:\n    \"%f1\": 8\n    \"%f2\": 8\n"), OWN("  k:\n    \"%f1\": 8\n    \"%r1\": 8\n")};
  for (unsigned i = 0; i < 2; i++) {
    save(path, text[i]);
    e = (struct err){0};
    assert_true(widths_read(&w, path, &m, &e));
    assert_false(widths_fit(&w, &k, &e));
    assert_true(strstr(e.text, wrong[i]));
    assert_int_equal(e.line, 10);
    assert_int_equal(e.col, 5);
    widths_free(&w);
  }

  m.file = "elsewhere/b.ptx";
  e = (struct err){0};
  assert_false(widths_read(&w, path, &m, &e));
  assert_string_equal(e.text, "found widths of 'a.ptx', expected those of 'elsewhere/b.ptx'");
  widths_free(&w);
  unlink(path);
  e = (struct err){0};
  assert_false(widths_read(&w, path, &m, &e));
  assert_true(strstr(e.text, "expected the widths of a kernel's floats, as 'regtwin tune' makes them"));
  widths_free(&w);
  unlink(ptx);
  rmdir(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good),
      cmocka_unit_test(errors),
      cmocka_unit_test(round_trip),
      cmocka_unit_test(another_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
