/* SPDX-License-Identifier: Apache-2.0 */
/* once_test: messages that come once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/hashtab.h"

static char *said;
static size_t bytes;
static FILE *shown;

static void listen_begin(void) {
  fflush(stderr);
  shown = stderr;
  stderr = open_memstream(&said, &bytes);
}

/* What was printed since listen_begin is `text`. */
static void listen_end(const char *text) {
  fclose(stderr);
  stderr = shown;
  assert_string_equal(said, text);
  free(said);
}

static void notes(void **state) {
  (void)state;
  listen_begin();
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 0; i < 3; i++) note_once("line %u", i);
  note_once("%s %d", "line", 1);
  listen_end("regtwin: line 0\nregtwin: line 1\nregtwin: line 2\n");
  listen_begin();
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 0; i < 1000; i++) note_once("many %u", i); /* each of them, and none twice */
  fflush(stderr);
  unsigned lines = 0;
  for (const char *c = said; *c; c++) lines += *c == '\n';
  fclose(stderr);
  stderr = shown;
  free(said);
  assert_int_equal(lines, 1000);
}

/* The text does not matter; two tables know nothing of each other; a warning that is dropped has been given. */
static void warnings(void **state) {
  (void)state;
  struct hashtab a = {0}, b = {0};
  listen_begin();
  warn_once(&a, 5, "first %d", 1);
  warn_once(&a, 5, "second");
  warn_once(&a, 0, "third");
  warn_once(&b, 5, "fourth");
  const bool were = warnings_enable(false);
  warn_once(&b, 6, "fifth");
  warnings_enable(were);
  warn_once(&b, 6, "sixth");
  listen_end("regtwin: warning: first 1\nregtwin: warning: third\nregtwin: warning: fourth\n");
  hashtab_free(&a);
  hashtab_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(notes), cmocka_unit_test(warnings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
