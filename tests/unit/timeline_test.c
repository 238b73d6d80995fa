/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_test: the steps of a timeline for events made by hand, and for a run whose cycles are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "lab/run/timeline.h"

static void tell(struct timeline *t, uint64_t cycle, unsigned cta, enum probe_cta what) {
  static const uint16_t slot[1] = {0};
  const struct probe *p = timeline_probe(t);
  p->cta(p->ctx, cycle, cta, what, slot, 1);
}

/* 3 to 103 active, to 5000 stalled, to 1000000 active: long enough for steps to be halved nine times. */
static void cycles_of_each_state(void **state) {
  (void)state;
  struct timeline *t = timeline_new(0);
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

/* Suspended with its registers at 10, back at 50 by way of its context alone; stalled or not makes no
 * difference meanwhile. */
static void put_aside(void **state) {
  (void)state;
  struct timeline *t = timeline_new(0);
  const struct probe *p = timeline_probe(t);
  tell(t, 0, 0, PROBE_CTA_BEGIN);
  p->status(p->ctx, 0, 0, PROBE_ACTIVE);
  tell(t, 8, 0, PROBE_CTA_STALLED);
  p->status(p->ctx, 9, 0, PROBE_LEAVES);
  p->status(p->ctx, 10, 0, PROBE_PENDING);
  tell(t, 20, 0, PROBE_CTA_READY);
  p->status(p->ctx, 25, 0, PROBE_COMES);
  p->status(p->ctx, 30, 0, PROBE_CONTEXT);
  p->status(p->ctx, 50, 0, PROBE_ACTIVE);
  tell(t, 53, 0, PROBE_CTA_END);
  assert_int_equal(timeline_sum(t, 0, TIMELINE_ACTIVE), 8 + 3);
  assert_int_equal(timeline_sum(t, 0, TIMELINE_STALLED), 2);
  assert_int_equal(timeline_sum(t, 0, TIMELINE_PENDING), 20);
  assert_int_equal(timeline_sum(t, 0, TIMELINE_CONTEXT), 20);
  timeline_free(t);
}

/* All of a run's resident CTAs x cycles are in one state or another, and being watched changes no cycle. */
static void watch_run(const char *kernel, const char *system, bool aside) {
  struct run_result alone, seen;
  struct config c;
  struct err e = {0};
  struct workload w;
  struct timeline *t = timeline_new(0);
  struct run_progress watch = {.probe = timeline_probe(t)};
  uint64_t sum = 0, stalled = 0, away = 0;
  assert_true(config_load(&c, "gtx980", system, &e));
  assert_true(workload_open(kernel, "small", &w, &e));
  assert_true(run_workload(&w, &c, 0, false, NULL, &alone, &e));
  workload_close(&w);
  assert_true(workload_open(kernel, "small", &w, &e));
  assert_true(run_workload(&w, &c, 0, false, &watch, &seen, &e));
  workload_close(&w);
  for (unsigned r = 0; r < 256; r++) {
    stalled += timeline_sum(t, r, TIMELINE_STALLED);
    away += timeline_sum(t, r, TIMELINE_CONTEXT) + timeline_sum(t, r, TIMELINE_PENDING);
    for (unsigned s = 1; s < TIMELINE_STATES; s++) sum += timeline_sum(t, r, (enum timeline_state)s);
  }
  assert_int_equal(seen.sm.cycles, alone.sm.cycles);
  assert_int_equal(timeline_cycles(t), alone.sm.cycles - alone.sm.drain_cycles); /* that of the stores is not drawn */
  assert_int_equal(sum, alone.sm.cta_cycles);
  assert_int_equal(sum - away, alone.sm.active_cycles);
  assert_true(stalled > 0 && stalled < sum && (away > 0) == aside);
  timeline_free(t);
}
static double insns(const struct run_result *r) { return (double)r->sm.warp_insns; }
static double one(const struct run_result *r) { return (void)r, 1; }

/* The windows of a run, together, are the run: as many as there is room for, and of a length that is asked for. */
static void windows_of(uint64_t length, unsigned least, unsigned most) {
  struct run_result r;
  struct config c;
  struct err e = {0};
  struct workload w;
  struct timeline *t = timeline_new(length);
  const struct run_progress watch = {.probe = timeline_probe(t)};
  const struct timeline_panel p = {"", "", insns, one};
  double v[600], sum = 0;
  assert_true(config_load(&c, "gtx980", "LB", &e));
  assert_true(config_set(&c, "linebacker.period=2000", 0, &e) && workload_open("kmeans", "small", &w, &e));
  assert_true(run_workload(&w, &c, 0, false, &watch, &r, &e));
  workload_close(&w);
  const unsigned n = timeline_windows(t, &r, &p, v, 600);
  for (unsigned i = 0; i < n; i++) sum += v[i];
  assert_true(n >= least && n <= most);
  assert_true(sum == (double)r.sm.warp_insns);
  if (length) assert_int_equal(n, (timeline_cycles(t) + length - 1) / length);
  timeline_free(t);
}
static void windows_are_the_run(void **state) {
  (void)state;
  windows_of(0, 200, 513);
  windows_of(2000, 10, 513);
}
static void all_cycles_of_a_run(void **state) {
  (void)state;
  watch_run("bfs", "FR-Base", false);
  watch_run("CS", "VT", true);
  watch_run("sgemm", "FineReg", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_of_each_state), cmocka_unit_test(put_aside),
                                     cmocka_unit_test(all_cycles_of_a_run), cmocka_unit_test(windows_are_the_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
