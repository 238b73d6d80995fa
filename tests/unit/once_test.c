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
#include "exec/warp.h"

/* Two texts of one fnv1a. */
static const char one[] = "8yn0iYCKYHlIj4-BwPqk", other[] = "GReLUrM4wMqfg9yzV3KQ";

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
  for (unsigned k = 0; k < 2; k++) note_once("%s", one), note_once("%s", other);
  listen_end("regtwin: 8yn0iYCKYHlIj4-BwPqk\nregtwin: GReLUrM4wMqfg9yzV3KQ\n");
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

/* Once for each kernel of a memory, whose names are compared. */
static void warnings_of_kernels(void **state) {
  (void)state;
  struct memory m = {0}, second = {0};
  char name[sizeof one];
  struct err e = {0};
  err_at(&e, "k.ptx", 3, 4, "beyond");
  listen_begin();
  for (unsigned k = 0; k < 2; k++) {
    memory_warn(&m, &(struct code){.name = strcpy(name, one)}, &e);
    memory_warn(&m, &(struct code){.name = strcpy(name, other)}, &e);
    strcpy(name, "");
  }
  memory_warn(&second, &(struct code){.name = strcpy(name, one)}, &e);
  listen_end(
      "regtwin: warning: k.ptx:3:4: beyond\nregtwin: warning: k.ptx:3:4: beyond\n"
      "regtwin: warning: k.ptx:3:4: beyond\n");
  hashtab_free(&m.warned), arena_free(&m.names);
  hashtab_free(&second.warned), arena_free(&second.names);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(notes), cmocka_unit_test(warnings),
                                     cmocka_unit_test(warnings_of_kernels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
