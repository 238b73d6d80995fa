/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_test: what a timeline keeps of events told by hand, and of a run whose cycles are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "lab/timeline.h"

static void tell(struct timeline *t, uint64_t cycle, unsigned cta, enum probe_cta what) {
  static const uint16_t slot[1] = {0};
  const struct probe *p = timeline_probe(t);
  p->cta(p->ctx, cycle, cta, what, slot, 1);
}

/* 3 to 103 active, to 5000 stalled, to 1000000 active: long enough for steps to be halved nine times. */
static void cycles_of_each_state(void **state) {
  (void)state;
  struct timeline *t = timeline_new();
  tell(t, 3, 0, PROBE_CTA_BEGIN);
  tell(t, 7, 2, PROBE_CTA_BEGIN);
  tell(t, 103, 0, PROBE_CTA_STALLED);
  assert_int_equal(timeline_sum(t, 0, TIMELINE_ACTIVE), 100);
  tell(t, 5000, 0, PROBE_CTA_READY);
  tell(t, 1000000, 0, PROBE_CTA_END);
  tell(t, 1000010, 0, PROBE_CTA_BEGIN);
  tell(t, 1000011, 0, PROBE_CTA_END);
  tell(t, 2000000, 2, PROBE_CTA_END);
  assert_int_equal(timeline_sum(t, 0, TIMELINE_ACTIVE), 100 + 995000 + 1);
  assert_int_equal(timeline_sum(t, 0, TIMELINE_STALLED), 4897);
  assert_int_equal(timeline_sum(t, 1, TIMELINE_ACTIVE), 0);
  assert_int_equal(timeline_sum(t, 2, TIMELINE_ACTIVE), 1999993);
  assert_int_equal(timeline_sum(t, 2, TIMELINE_STALLED), 0);
  timeline_free(t);
}

/* All of a run's resident CTAs x cycles are in one state or another, and being watched changes no cycle. */
static void all_cycles_of_a_run(void **state) {
  (void)state;
  struct run_result alone, seen;
  struct config c;
  struct err e = {0};
  struct workload w;
  struct timeline *t = timeline_new();
  struct run_progress watch = {.probe = timeline_probe(t)};
  uint64_t sum = 0, stalled = 0;
  config_defaults(&c);
  assert_true(config_machine(&c, "gtx980", &e) && workload_open("bfs", "small", &w, &e));
  assert_true(run_workload(&w, &c, 0, false, NULL, &alone, &e));
  workload_close(&w);
  assert_true(workload_open("bfs", "small", &w, &e));
  assert_true(run_workload(&w, &c, 0, false, &watch, &seen, &e));
  workload_close(&w);
  for (unsigned r = 0; r < 256; r++) {
    stalled += timeline_sum(t, r, TIMELINE_STALLED);
    for (unsigned s = 1; s < TIMELINE_STATES; s++) sum += timeline_sum(t, r, (enum timeline_state)s);
  }
  assert_int_equal(seen.sm.cycles, alone.sm.cycles);
  assert_int_equal(sum, alone.sm.cta_cycles);
  assert_true(stalled > 0 && stalled < sum);
  timeline_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_of_each_state), cmocka_unit_test(all_cycles_of_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
