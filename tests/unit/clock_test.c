/* SPDX-License-Identifier: Apache-2.0 */
/* clock_test: durations when the clock goes back. The clock_gettime here stands in front of the C library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/clock.h"
#include "lab/run/run.h"

static int64_t fake, step; /* ns; each reading is a step after the one before */

int clock_gettime(clockid_t clock, struct timespec *t) {
  (void)clock;
  fake += step;
  *t = (struct timespec){fake / 1000000000, fake % 1000000000};
  return 0;
}

static void spans(void **state) {
  (void)state;
  fake = 5000000000, step = 7;
  const uint64_t a = clock_wall_ns(), b = clock_cpu_ns();
  assert_int_equal(clock_span(a, b), 7);
  assert_int_equal(clock_span(b, a), 0);
  assert_true(clock_seconds(b, a) == 0);
}

static uint64_t host_ns(unsigned threads, bool functional, int64_t of_step) {
  static struct run_result r;
  struct config c;
  struct workload w;
  struct err e = {0};
  const struct run_progress p = {.threads = threads};
  config_defaults(&c);
  if (!config_machine(&c, "gtx980", &e) || !config_set(&c, "sim.sms=2", 0, &e) ||
      !config_set(&c, "sm.cta_stride=1", 0, &e))
    fail_msg("%s", e.text);
  fake = 1000000000000, step = of_step;
  if (!workload_open("bfs", "small", &w, &e) || !run_workload(&w, &c, 0, functional, &p, &r, &e))
    fail_msg("%s", e.text);
  workload_close(&w);
  return r.host_ns;
}

static void a_run(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 2; threads++)
    for (unsigned functional = 0; functional < 2; functional++) {
      assert_in_range(host_ns(threads, functional, 1000), 1000, 1000000000);
      assert_int_equal(host_ns(threads, functional, -1000), 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(spans), cmocka_unit_test(a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
