/* SPDX-License-Identifier: Apache-2.0 */
/* show_test: foreign text reaches a terminal without control characters. */
#define _GNU_SOURCE /* memfd_create */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/show.h"
#include "lab/report/grid.h"
#include "lab/report/table.h"

static void one_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *shown;
  } cases[] = {
      {"plain \\x1b ~", "plain \\x1b ~"},
      {"\x1b[31m", "\\x1b[31m"},
      {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
      {"\x01\x1f\x7f", "\\x01\\x1f\\x7f"},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82"},
      {"\xc2\x9b"
       "31m \x9b",
       "\\u009b31m \\x9b"},
      {"\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0"},
      {"\xe2\x80\xae \xe2\x81\xa6 \xe2\x80\x8f \xd8\x9c", "\\u202e \\u2066 \\u200f \\u061c"},
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
      {"\xc0\x9b \xe0\x80\x9b", "\\xc0\\x9b \\xe0\\x80\\x9b"},                   /* longer than needed */
      {"\xed\xa0\x80 \xf4\x90\x80\x80", "\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80"}, /* a surrogate; too large */
      {"\xe2\x82", "\\xe2\\x82"},                                                /* cut off */
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_string_equal(SHOWN(cases[i].text), cases[i].shown);
    assert_string_equal(SHOWN(cases[i].shown), cases[i].shown);
  }
  char small[5];
  assert_string_equal(show_text(small, sizeof small, "ab\x1b"), "ab");
  assert_string_equal(show_text(small, sizeof small, "abcdef"), "abcd");
}

/* Every message and table of ours is made of lines of ours only. */
static void places(void **state) {
  (void)state;
  char text[1200], *out = NULL;
  size_t n;
  struct err e = {0};
  err_at(&e, "a\nregtwin: b\x1b", 1, 2, "found '%s'", "\x1b[0m\nx");
  err_format(&e, text, sizeof text);
  assert_string_equal(text, "a\\nregtwin: b\\x1b:1:2: error: found '\\x1b[0m\\nx'");
  FILE *f = open_memstream(&out, &n);
  struct grid *g = grid_new();
  grid_row(g);
  grid_cell(g, "%s", "g\n\x1b");
  grid_cell(g, "2");
  grid_print(g, f);
  grid_free(g);
  struct table *t = table_new(1);
  table_head(t, 0, "h\n");
  table_section(t, "s\n");
  table_row(t, "l\n", "u\n");
  table_cell(t, 0, "c\n");
  table_print(t, f);
  table_free(t);
  fclose(f);
  assert_string_equal(out,
                      "g\\n\\x1b  2\n"
                      "            h\\n\n"
                      "---------------\n"
                      "s\\n\n"
                      "  l\\n  u\\n  c\\n\n");
  free(out);
}

/* Prints a text broken to `width` behind a margin of two columns, the lines after the first indented by `indent`. */
static void wrapped(const char *text, unsigned indent, unsigned width, const char *want) {
  char *out = NULL;
  size_t n;
  FILE *f = open_memstream(&out, &n);
  fputs("- ", f);
  show_wrapped(f, text, 2, indent, width);
  fclose(f);
  assert_string_equal(out, want);
  free(out);
}

static void lines(void **state) {
  (void)state;
  wrapped("", 4, 20, "- \n");
  wrapped("one two", 4, 20, "- one two\n");
  wrapped("one two three four", 4, 12, "- one two\n    three\n    four\n");
  wrapped("one two three", 2, 9, "- one two\n  three\n");       /* two ends in column 9 */
  wrapped("  one   two  ", 2, 8, "- one\n  two\n");             /* blanks between words count as one */
  wrapped("onetwothree four", 2, 8, "- onetwothree\n  four\n"); /* a long word stays whole */
  wrapped("\xc3\xa9\xc3\xa9\xc3\xa9 two", 2, 9, "- \xc3\xa9\xc3\xa9\xc3\xa9 two\n");
  wrapped("a\x1b b", 2, 9, "- a\\x1b b\n");
}

static void text_cells(void **state) {
  (void)state;
  char *out = NULL;
  size_t n;
  FILE *f = open_memstream(&out, &n);
  struct grid *g = grid_new();
  grid_row(g);
  grid_cell(g, "name"), grid_cell(g, "%s", "a text of seven words, in two lines");
  grid_row(g);
  grid_cell(g, "longer"), grid_cell(g, "short");
  grid_wrap(g, 34);
  grid_print(g, f);
  grid_wrap(g, 20); /* too little room: whole */
  grid_print(g, f);
  grid_free(g);
  fclose(f);
  assert_string_equal(out,
                      "name    a text of seven words, in\n"
                      "        two lines\n"
                      "longer  short\n"
                      "name    a text of seven words, in two lines\n"
                      "longer  short\n");
  free(out);
}

static void widths(void **state) {
  (void)state;
  static const struct {
    const char *columns;
    unsigned width;
  } cases[] = {{"100", 100}, {"60", 60},         {"59", SHOW_LEAST},        {"1", SHOW_LEAST},
               {"120", 120}, {"500", SHOW_MOST}, {"99999999999", SHOW_MOST}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv("COLUMNS", cases[i].columns, 1);
    assert_int_equal(show_width(), cases[i].width);
  }
  int was = dup(1), null = open("/dev/null", O_WRONLY); /* no terminal */
  dup2(null, 1);
  setenv("COLUMNS", "wide", 1);
  const unsigned nonsense = show_width();
  unsetenv("COLUMNS");
  const unsigned none = show_width();
  dup2(was, 1);
  close(was), close(null);
  assert_int_equal(nonsense, 80);
  assert_int_equal(none, 80);
}

/* What a child with guarded streams sends to fd 1 and 2, both the same file. */
static void guarded(void (*body)(void), char *out, size_t size, int want) {
  int fd = memfd_create("out", 0);
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    dup2(fd, 1), dup2(fd, 2);
    show_guard();
    body();
    exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  assert_int_equal(WEXITSTATUS(status), want);
  ssize_t n = pread(fd, out, size - 1, 0);
  assert_true(n >= 0);
  out[n] = 0;
  close(fd);
}

static void prints(void) {
  printf("a\tb\n\x1b[1m \xc3");
  fflush(stdout); /* within a character */
  printf("\xa9 \xe2\x80");
  fflush(stdout);
  printf("\xae \xc3\n");
  for (int i = 0; i < 3000; i++) putchar(0x1b); /* longer than any buffer once it is shown */
  printf("\n%c end \xc3", 0);
  fflush(stdout);
  note("n\n%s", "\x9b");
  warn("w%s", "\t");
  show_lines(stderr, "p\tq\n\x1b", 5);
}

static void streams(void **state) {
  (void)state;
  static char out[20000], want[20000];
  guarded(prints, out, sizeof out, 0);
  char *p = stpcpy(want, "a\tb\n\\x1b[1m \xc3\xa9 \\u202e \\xc3\n");
  for (int i = 0; i < 3000; i++) p = stpcpy(p, "\\x1b");
  stpcpy(p, "\n\\x00 end regtwin: n\\n\\x9b\nregtwin: warning: w\\t\np\tq\n\\x1b\\xc3");
  assert_string_equal(out, want);
}

static void fills(void) {
  int full = open("/dev/full", O_WRONLY);
  dup2(full, 1);
  printf("x");
}

static void full(void **state) {
  (void)state;
  char out[200];
  guarded(fills, out, sizeof out, 1);
  assert_string_equal(out, "show_test: cannot write standard output: No space left on device\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_line), cmocka_unit_test(places), cmocka_unit_test(streams),
                                     cmocka_unit_test(full),     cmocka_unit_test(lines),  cmocka_unit_test(text_cells),
                                     cmocka_unit_test(widths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
