/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of linked objects as one text: what is kept, what is left out, what is renamed, in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/link.h"

#define HEAD(version, target) ".version " version "\n.target " target "\n.address_size 64\n"
#define KERNEL(name, body) ".visible .entry " name "(.param .u64 p) {" body "}\n"

/* With these names wanted. */
static char *linked(unsigned n, const char *const *texts) {
  static const char *const wanted[] = {"k0", "k1", "k2", "v0", "no such"};
  struct link_text in[4];
  size_t size = 0;
  for (unsigned i = 0; i < n; i++) in[i] = (struct link_text){texts[i], strlen(texts[i])};
  char *out = link_ptx(in, n, wanted, 5, &size);
  assert_non_null(out);
  assert_int_equal(size, strlen(out));
  return out;
}

static void expect_link(unsigned n, const char *const *texts, const char *want) {
  char *out = linked(n, texts);
  assert_string_equal(out, want);
  free(out);
}
#define LINK(want, ...)                                                    \
  do {                                                                     \
    const char *const texts_[] = {__VA_ARGS__};                            \
    expect_link((unsigned)(sizeof texts_ / sizeof *texts_), texts_, want); \
  } while (0)

/* A function, a variable and a constant that another text has; what none has stays declared, once. */
static void taken_from_others(void **state) {
  (void)state;
  LINK(HEAD("8.0", "sm_75") ".extern .func vprintf(.param .b64 a);\n"
                            ".visible .func (.param .b32 r) f(.param .b32 a) ;\n"
                            ".extern .shared .align 16 .b8 s[];\n"
                            ".visible .global .align 4 .u32 c = 3;\n"
                            ".visible .const .align 4 .b8 d[8] = {1, 2};\n"
                            ".visible .entry k0(.param .u64 p) {f; vprintf; c; d;}\n"
                            ".visible .func (.param .b32 r) f(.param .b32 a) {vprintf;}\n",
       HEAD("8.0", "sm_75") ".extern .func (.param .b32 r) f(.param .b32 a);\n.extern .func vprintf(.param .b64 a);\n"
                            ".extern .global .align 4 .u32 c;\n.extern .const .align 4 .b8 d[8];\n.extern .shared .align 16 .b8 s[];\n"
           KERNEL("k0", "f; vprintf; c; d;"),
       HEAD("8.0", "sm_75") "// c\n/* .visible .func g() {} */ .extern .func vprintf(.param .b64 a);\n.extern .shared .align 16 .b8 s[];\n"
                            ".visible .global .align 4 .u32 c = 3;\n.visible .const .align 4 .b8 d[8] = {1, 2};\n"
                            ".visible .func (.param .b32 r) f(.param .b32 a) {vprintf;}\n");
}

/* Texts of which nothing is wanted or used are left out, with their head; those used by used ones are not. */
static void libraries(void **state) {
  (void)state;
  LINK(HEAD("8.1", "sm_80") ".visible .func f() ;\n.visible .func g() ;\n.visible .entry k0(.param .u64 p) {f;}\n"
                            ".visible .func f() {g;}\n.visible .func g() {ret;}\n",
       HEAD("8.0", "sm_75") ".extern .func f();\n" KERNEL("k0", "f;"), HEAD("9.0", "sm_121") ".visible .func h() {ret;}\n" KERNEL("x", ""),
       HEAD("8.1", "sm_75") ".extern .func g();\n.visible .func f() {g;}\n", HEAD("8.0", "sm_80") ".visible .func g() {ret;}\n");
  LINK(HEAD("8.0", "sm_75") ".global .u32 v0;\n", HEAD("8.0", "sm_75") ".global .u32 v0;\n",
       HEAD("8.0", "sm_90") ".global .u32 w;\n");
}

/* Of weak definitions the first stays, or the one that is not weak. */
static void weak_names(void **state) {
  (void)state;
  LINK(HEAD("8.0", "sm_75") ".weak .func t() ;\n.visible .func u() ;\n.visible .entry k0(.param .u64 p) {t;}\n.weak .func t() {one;}\n"
                            ".visible .entry k1(.param .u64 p) {u;}\n.visible .func u() {three;}\n",
       HEAD("8.0", "sm_75") KERNEL("k0", "t;") ".weak .func t() {one;}\n.weak .func u() {two;}\n",
       HEAD("8.0", "sm_75") KERNEL("k1", "u;") ".weak .func t() {four;}\n.visible .func u() {three;}\n");
}

/* Names of a text alone: only what clashes gets a suffix, everywhere in its text, and not in other names or in numbers. */
static void local_names(void **state) {
  (void)state;
  LINK(HEAD("8.0", "sm_75") ".func f() ;\n.func f$of_text_2() ;\n.global .b8 $str[4] = {65};\n.global .u32 only;\n"
                            ".global .b8 $str$of_text_2[4] = {66};\n.visible .entry k0(.param .u64 p) {$str; f;}\n.func f() {ret;}\n"
                            ".visible .entry k1(.param .u64 p) {mov %str, $str$of_text_2; f$of_text_2; $str1, g.f 0f00 \"f\" }\n.func f$of_text_2() {$str$of_text_2+4;}\n",
       HEAD("8.0", "sm_75") ".global .b8 $str[4] = {65};\n.global .u32 only;\n" KERNEL("k0", "$str; f;") ".func f() {ret;}\n",
       HEAD("8.0", "sm_75") ".global .b8 $str[4] = {66};\n" KERNEL("k1", "mov %str, $str; f; $str1, g.f 0f00 \"f\" ") ".func f() {$str+4;}\n");
}

/* Declared before it is defined; kernels, too. Debug information is left out. */
static void declarations(void **state) {
  (void)state;
  LINK(HEAD("8.0", "sm_75") ".func f() .noreturn;\n.entry k1(.param .u64 p) ;\n.func f() .noreturn;\n.global .u64 t[1] = {k1};\n"
                            ".func f() .noreturn{ret;}\n.visible .entry k0(.param .u64 p) .maxntid 32, 1, 1 {}\n.entry k1(.param .u64 p) {}\n",
       HEAD("8.0", "sm_75, debug") ".file 1 \"a{b;.cu\", 1, 2\n.func f() .noreturn;\n.entry k1(.param .u64 p) ;\n.global .u64 t[1] = {k1};\n"
                                   ".func f() .noreturn{ret;}\n.visible .entry k0(.param .u64 p) .maxntid 32, 1, 1 {}\n.entry k1(.param .u64 p) {}\n"
                                   ".section .debug_str { .b8 1 }\n");
}

/* What is no PTX comes through, so that its reader says what is wrong. */
static void wrong_texts(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "this is no PTX", ".visible .entry k0( {", "}", ".version", ".target sm_75 /*", "\"", ".func ;", "", "%", "k0 {"};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *const texts[] = {HEAD("8.0", "sm_75") KERNEL("k1", ""), wrong[i],
                                 HEAD("8.0", "sm_75") KERNEL("k2", "")};
    char *out = linked(3, texts);
    assert_non_null(strstr(out, ".visible .entry k1(.param .u64 p) {}\n"));
    assert_non_null(strstr(out, ".visible .entry k2(.param .u64 p) {}\n"));
    free(out);
  }
  const char *const texts[] = {HEAD("8.0", "sm_75") KERNEL("k1", ""),
                               HEAD("8.0", "sm_75") ".visible .entry k2( { unclosed"};
  char *out = linked(2, texts);
  assert_non_null(strstr(out, ".visible .entry k2( { unclosed"));
  free(out);
  size_t size;
  out = link_ptx(NULL, 0, NULL, 0, &size);
  assert_non_null(out);
  free(out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(taken_from_others), cmocka_unit_test(libraries),    cmocka_unit_test(weak_names),
      cmocka_unit_test(local_names),       cmocka_unit_test(declarations), cmocka_unit_test(wrong_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
