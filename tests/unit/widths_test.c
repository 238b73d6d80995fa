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

#include "compiler/narrow/packing.h"
#include "lab/run/widths.h"

#define HEAD(entries)                                                                               \
  "format: 2\nhash: 00000000000000af\nptx: a.ptx\nperfect:\n  command: regtwin tune a\n  reached: " \
  "[small]\n  entries:\n" entries

static void good(void **state) {
  (void)state;
  struct widths w;
  struct err e = {0};
  const char text[] = HEAD("    k2: {}\n    k1:\n      \"%f2\": 8\n      \"%f1.2\": 28\n      \"%f1\": 32\n");
  if (!widths_text(&w, "f", text, strlen(text), NULL, &e)) fail_msg("%s", e.text);
  assert_int_equal(w.hash, 0xaf);
  assert_string_equal(w.ptx, "a.ptx");
  assert_string_equal(w.of->reached[0], "small");
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
  assert_false(widths_text(&w, "f", text, strlen(text), NULL, &e));
  assert_string_equal(e.text, says);
  assert_int_equal(e.line, line);
  assert_int_equal(e.col, col);
  widths_free(&w);
}

#define KEYS "format, hash, ptx, or a quality: perfect, high, ssim X or deviation X %"
#define TABLE "command and narrows, or command, reached and entries"
static void errors(void **state) {
  (void)state;
  bad("", 1, 1, "found nothing, expected " KEYS);
  bad("format: 1\n", 1, 9, "found format '1', expected 2");
  bad("format: 2\nwidth: 3\n", 2, 1, "found unknown key 'width', expected " KEYS);
  bad("ptx: a\nptx: a\n", 2, 1, "found key 'ptx' a second time, expected it once");
  bad("ptx: [a]\n", 1, 6, "found a list, expected the name of a PTX file");
  bad("hash: 12\n", 1, 7, "found hash '12', expected 16 hexadecimal digits");
  bad("ptx: a\n", 2, 1, "found the end without all keys, expected format, hash, ptx and a quality");
  bad("format: 2\nhash: 00000000000000af\nptx: a\n", 4, 1,
      "found the end without all keys, expected format, hash, ptx and a quality");
  bad("ssim: {}\n", 1, 1, "found unknown key 'ssim', expected " KEYS);
  bad("ssim banana: {}\n", 1, 1, "found unknown key 'ssim banana', expected " KEYS);
  bad("ssim 0: {}\n", 1, 1, "found unknown key 'ssim 0', expected " KEYS);
  bad("ssim 1.5: {}\n", 1, 1, "found unknown key 'ssim 1.5', expected " KEYS);
  bad("deviation 5: {}\n", 1, 1, "found unknown key 'deviation 5', expected " KEYS);
  bad("deviation -5 %: {}\n", 1, 1, "found unknown key 'deviation -5 %', expected " KEYS);
  bad("deviation nan %: {}\n", 1, 1, "found unknown key 'deviation nan %', expected " KEYS);
  bad("high: 8\n", 1, 7, "found a single value, expected " TABLE);
  bad("high: {width: 8}\n", 1, 8, "found unknown key 'width', expected " TABLE);
  bad("high: {reached: x}\n", 1, 17, "found a single value, expected a list of inputs");
  bad("high: {narrows: all}\n", 1, 17, "found 'all', expected 'nothing'");
  bad("high: {narrows: nothing, narrows: nothing}\n", 1, 26, "found key 'narrows' a second time, expected it once");
  bad("high: {narrows: nothing}\n", 1, 24, "found the end of 'high' with other keys, expected " TABLE);
  bad("high: {command: x, reached: []}\n", 1, 31, "found the end of 'high' with other keys, expected " TABLE);
  bad("high: {command: x, narrows: nothing, entries: {}}\n", 1, 49,
      "found the end of 'high' with other keys, expected " TABLE);
  bad("high: {command: x, narrows: nothing}\nhigh: {}\n", 2, 1, "found key 'high' a second time, expected it once");
  bad(HEAD("    k: 8\n"), 8, 8, "found a single value, expected registers and their bits");
  bad(HEAD("    k:\n      \"%f1\": 10\n"), 9, 14, "found 10 bits, expected 8, 12, 16, 20, 24, 28 or 32");
  bad(HEAD("    k:\n      \"%f1\": 4\n"), 9, 14, "found 4 bits, expected 8, 12, 16, 20, 24, 28 or 32");
  bad(HEAD("    k:\n      \"%f1\": 8\n      \"%f2\": 8\n      \"%f1\": 8\n"), 11, 7,
      "found register '%f1' a second time, expected it once");
  bad(HEAD("    k: {}\n    j: {}\n    k:\n      \"%f2\": 8\n"), 10, 5,
      "found entry 'k' a second time, expected it once");
}

/* One file holds several qualities; each is read alone, also one that narrows nothing. */
static void qualities(void **state) {
  (void)state;
  static const char text[] = HEAD("    k:\n      \"%f1\": 8\n") "high: {narrows: nothing, command: h}\n"
                             "deviation 5 %: {command: d, reached: [x], entries: {k: {\"%f1\": 12}}}\n";
  const struct {
    const char *quality, *command;
    unsigned n;
  } row[] = {{NULL, "regtwin tune a", 2},
             {"perfect", "regtwin tune a", 2},
             {"high", "h", 8},
             {"deviation 5 %", "d", 3},
             {"ssim 0.9", NULL, 8}};
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    struct widths w;
    struct err e = {0};
    if (!widths_text(&w, "f", text, sizeof text - 1, row[k].quality, &e)) fail_msg("%s", e.text);
    assert_int_equal(w.ntable, 3);
    assert_true(!w.of == !row[k].command);
    if (w.of) assert_string_equal(w.of->command, row[k].command);
    assert_int_equal(widths_of(&w, "k", "%f1"), row[k].n);
    widths_free(&w);
  }
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
  if (!widths_text(&r, "f", text, n, NULL, &e)) fail_msg("line %d: %s in\n%s", e.line, e.text, text);
  free(text);
  return r;
}

static void round_trip(void **state) {
  (void)state;
  struct width width[] = {{"k", "", 8, 0, 0}, {"k", "%f1", 5, 0, 0}, {"k2", "", 8, 0, 0}};
  const char *reached[] = {"small seed 1: 5 %", "a \"b\\\x01"};
  struct width_table table[] = {
      {.quality = "deviation 1 %", .command = "own"},
      {.quality = "high", .command = "-c: {x}, y", .width = width, .n = 1},
      {.quality = "perfect", .command = "-c: x", .reached = reached, .nreached = 2, .width = width, .n = 3}};
  struct widths w = {.ptx = "a b.ptx", .hash = 1, .table = table, .ntable = 3};
  struct widths r = again(&w);
  assert_int_equal(r.ntable, 3);
  assert_true(r.of == &r.table[0]);
  assert_string_equal(r.table[0].quality, "perfect"); /* in this order */
  assert_string_equal(r.table[1].quality, "high");
  assert_string_equal(r.table[2].quality, "deviation 1 %");
  assert_string_equal(r.table[0].command, table[2].command);
  assert_string_equal(r.table[0].reached[1], reached[1]);
  assert_int_equal(r.table[0].n, 3);
  assert_int_equal(widths_of(&r, "k", "%f1"), 5);
  assert_string_equal(r.table[1].command, table[1].command);
  assert_int_equal(r.table[1].n, 0); /* narrows nothing */
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
  widths_path(path, sizeof path, ptx, "elsewhere/a.ptx");
  assert_string_equal(path + strlen(dir), "/a.widths");
  save(ptx, "");
  struct web web[] = {{.name = "%f1", .fp = true}, {.name = "%r1"}};
  struct packing packing = {.web = web, .nweb = 2};
  struct code k = {.name = "k", .file = ptx, .packing = &packing};
  struct module m = {.file = ptx, .kernel = &k, .nkernel = 1};
  struct widths w;
  struct err e = {0};

  save(path, HEAD("    k: {}\n"));
  assert_false(widths_read(&w, path, &m, "high", &e));
  snprintf(says, sizeof says,
           "found widths of another version of %s (hash 00000000000000af), expected hash cbf29ce484222325; "
           "'regtwin tune a' makes them anew",
           ptx);
  assert_string_equal(e.text, says);
  assert_string_equal(e.file, path);
  assert_true(e.line == 2 && e.col == 7);
  widths_free(&w);

#define OWN(entries) \
  "format: 2\nhash: cbf29ce484222325\nptx: a.ptx\nhigh:\n  command: x\n  reached: [small]\n  entries:\n" entries
  save(path, OWN("    k: {}\n    j: {}\n"));
  e = (struct err){0};
  assert_false(widths_read(&w, path, &m, "high", &e));
  assert_true(strstr(e.text, "found entry 'j', expected one of "));
  assert_int_equal(e.line, 9);
  widths_free(&w);

  const char *wrong[] = {"found unknown register '%f2', expected a float of entry 'k'",
                         "found the register '%r1', expected a float of entry 'k'"};
  const char *text[] = {OWN("    k:\n      \"%f1\": 8\n      \"%f2\": 8\n"),
                        OWN("    k:\n      \"%f1\": 8\n      \"%r1\": 8\n")};
  for (unsigned i = 0; i < 4; i++) {
    save(path, text[i / 2]);
    e = (struct err){0};
    assert_true(widths_read(&w, path, &m, i % 2 ? "perfect" : "high", &e)); /* the file has no table perfect */
    assert_false(widths_fit(&w, &k, &e));
    assert_true(strstr(e.text, wrong[i / 2]));
    assert_int_equal(e.line, 10);
    assert_int_equal(e.col, 7);
    widths_free(&w);
  }

  m.file = "elsewhere/b.ptx";
  e = (struct err){0};
  assert_false(widths_read(&w, path, &m, "high", &e));
  assert_string_equal(e.text, "found widths of 'a.ptx', expected those of 'elsewhere/b.ptx'");
  assert_true(e.line == 3 && e.col == 6);
  widths_free(&w);
  unlink(path);
  e = (struct err){0};
  assert_false(widths_read(&w, path, &m, "high", &e));
  assert_true(strstr(e.text, "expected the widths of a kernel's floats, as 'regtwin tune' makes them"));
  widths_free(&w);
  unlink(ptx);
  rmdir(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good),       cmocka_unit_test(errors),          cmocka_unit_test(qualities),
      cmocka_unit_test(round_trip), cmocka_unit_test(another_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
