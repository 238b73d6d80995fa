/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_test: texts broken to a width, alone and in a grid; the width itself. */
#include "base/wrap.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/report/grid.h"

/* Prints a text broken to `width` behind a margin of two columns, the lines after the first indented by `indent`. */
static void wrapped(const char *text, unsigned indent, unsigned width, const char *want) {
  char *out = NULL;
  size_t n;
  FILE *f = open_memstream(&out, &n);
  fputs("- ", f);
  wrap_print(f, text, 2, indent, width);
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
  } cases[] = {{"100", 100}, {"60", 60},         {"59", WRAP_LEAST},        {"1", WRAP_LEAST},
               {"120", 120}, {"500", WRAP_MOST}, {"99999999999", WRAP_MOST}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv("COLUMNS", cases[i].columns, 1);
    assert_int_equal(wrap_width(), cases[i].width);
  }
  int was = dup(1), null = open("/dev/null", O_WRONLY); /* no terminal */
  dup2(null, 1);
  setenv("COLUMNS", "wide", 1);
  const unsigned nonsense = wrap_width();
  unsetenv("COLUMNS");
  const unsigned none = wrap_width();
  dup2(was, 1);
  close(was), close(null);
  assert_int_equal(nonsense, 80);
  assert_int_equal(none, 80);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(text_cells), cmocka_unit_test(widths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
