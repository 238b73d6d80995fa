/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_collector: collector.warp.
 */
#include "hooks_kit.h"

static enum move forgets(struct sm *S, unsigned w) {
  saw(S, FORGET, w, 0);
  return MOVE_DONE;
}
static void with_forget(void) { mine.collector.warp = forgets; }
static void warps_end_together(void **state) {
  (void)state;
  ld(2, LINE_A), use(3, 2);
  go(2, 128, with_forget);
  assert_int_equal(count(FORGET), 8);
  uint64_t warps = 0;
  for (unsigned n = 0; n < 8; n++) {
    warps |= 1ull << nth(FORGET, n)->a;
    assert_int_equal(nth(FORGET, n)->at, nth(FORGET, n / 4 * 4)->at);
  }
  assert_int_equal(warps, 0xff);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(warps_end_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
