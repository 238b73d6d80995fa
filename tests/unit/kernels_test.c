/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels: every kernel of the suite in its small size, from PTX through register allocation to functional
 * execution, against the plain-C references of tests/unit/reference/.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/reference/ref.h"

static void kernel_is_right(void **state) {
  const struct ref_kernel *k = *state;
  char why[1100] = "";
  struct ref_counts c = {0};
  bool ok = ref_run(k, "small", false, &c, why, sizeof why);
  if (!ok) fail_msg("%s: %s", k->name, why);
  if (c.warp_insns < 20000 || c.warp_insns > 150000)
    fail_msg("%s: %llu warp instructions, the small size is to have 20000 to 150000", k->name,
             (unsigned long long)c.warp_insns);
  assert_true(c.thread_insns > c.warp_insns && c.thread_insns <= 32 * c.warp_insns);
}

/* A wrong result must be seen, and said so that a person can act on it. */
static void differences_are_told(void **state) {
  (void)state;
  static const float want[4] = {1, 2, 3, 4}, found[4] = {1, 2.5f, 3, 4.00001f};
  static const int32_t iwant[2] = {-1, 7}, ifound[2] = {-1, -8};
  struct ref r = {0};
  struct ref_out o = {"x", T_F32, 4, want, 0, 0, false};
  assert_true(ref_compare(&r, &o, want, T_F32, 4));
  assert_false(ref_compare(&r, &o, found, T_F32, 4));
  assert_string_equal(r.fail, "x[1]: found 2.5 (0x40200000), expected 2 (0x40000000); 2 of 4 elements differ");

  r = (struct ref){0};
  o.rel = 1e-5;
  assert_false(ref_compare(&r, &o, found, T_F32, 4));
  assert_non_null(strstr(r.fail, "1 of 4 elements differ"));

  r = (struct ref){0};
  o = (struct ref_out){"y", T_S32, 2, iwant, 0, 0, false};
  assert_false(ref_compare(&r, &o, ifound, T_S32, 2));
  assert_string_equal(r.fail, "y[1]: found -8, expected 7; 1 of 2 elements differ");

  r = (struct ref){0};
  assert_false(ref_compare(&r, &o, ifound, T_S32, 1));
  assert_string_equal(r.fail, "y: 1 elements of s32, expected 2 of s32");
}

int main(void) {
  unsigned n = 0, i = 0;
  for (const struct ref_kernel *k = ref_suite; k; k = k->next) n++;
  struct CMUnitTest *tests = calloc(n + 1, sizeof *tests);
  for (struct ref_kernel *k = ref_suite; k; k = k->next)
    tests[i++] = (struct CMUnitTest){k->name, kernel_is_right, NULL, NULL, k};
  tests[n] = (struct CMUnitTest)cmocka_unit_test(differences_are_told);
  int failed = _cmocka_run_group_tests("kernels", tests, n + 1, NULL, NULL);
  free(tests);
  return failed;
}
