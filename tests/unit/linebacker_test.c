/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linebacker: systems LB, SVC and VC on kernels of the suite with real values: what victim rows and restored CTAs hold is checked, and errors
 * that are planted between the SM and its blocks are found by that: a store that does not invalidate, a row that is one off, a CTA
 * that is restored without the victim lines' leave, an insert behind a store.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bits.h"
#include "blocks/linebacker/ctl.h"
#include "blocks/linebacker/vtt.h"
#include "sampled.h"
#include "suite_kit.h"

/* ---- planted errors: an observer that changes what passes between the SM and a block ---- */
#define IV_KERNEL "fdtd2d"
#define LATE_KERNEL "fdtd2d"

enum plant { NO_INVALIDATION, ROW_OFF, NO_SYNC, LATE_INSERT, LATE_HALT };
struct planted {
  enum plant what;
  uint64_t line, left; /* LATE_INSERT: held back, for so many more cycles at most */
  bool held, ended;    /* LATE_HALT: CTA `id` has ended in the last cycle */
  uint64_t id;
  unsigned times;
};

/* Registers of active partitions are asked back. */
static bool given_back(const struct vtt_in *in, const struct vtt_out *out) {
  if (!in->hold_i || out->effective_mode_o != VTT_SELECTED || !out->active_partitions_o) return false;
  return vtt_Offset + (uint64_t)vtt_Sets * vtt_Ways * (uint64_t)bit_low64(out->active_partitions_o) <=
         in->highest_register_i;
}

/* The last look at VTT's inputs, before its clock edge. */
static void at_vtt(struct planted *p, struct vtt_in *in, const struct vtt_out *out) {
  if (p->what == NO_INVALIDATION && in->invalidate_valid_i) {
    in->invalidate_valid_i = 0;
    p->times++;
  }
  if (p->what == NO_SYNC && given_back(in, out)) {
    in->hold_i = 0; /* it goes on as it was; outputs() says that it has stood still */
    p->times++;
  }
  if (p->what != LATE_INSERT) return;
  if (in->launch_start_i) p->held = false;
  if (in->insert_valid_i && !p->held && out->effective_mode_o == VTT_SELECTED) {
    p->held = true;
    p->line = in->insert_line_i;
    p->left = 3000;
    in->insert_valid_i = 0;
  } else if (p->held && in->invalidate_valid_i) {
    if (in->invalidate_line_i == p->line) p->left = 4, p->times++; /* behind it, as soon as the block is free */
  } else if (p->held && !in->lookup_valid_i && !in->insert_valid_i && out->insert_ready_o && (!p->left || !--p->left)) {
    in->insert_valid_i = 1;
    in->insert_line_i = p->line;
    p->held = false;
  }
}

static bool cycle(void *ctx, const char *block, unsigned k, uint64_t now, const void *state, const void *in,
                  const void *out) {
  (void)k, (void)now, (void)state;
  struct planted *p = ctx;
  const struct ctl_in *at_ctl = in;
  if (!strcmp(block, "linebacker/ctl") && at_ctl->end_valid_i) p->ended = true, p->id = at_ctl->end_cta_i;
  if (!strcmp(block, "linebacker/vtt")) at_vtt(ctx, (struct vtt_in *)(uintptr_t)in, out);
  return true;
}

static void outputs(void *ctx, const char *block, unsigned k, const void *in, void *out) {
  (void)k;
  struct planted *p = ctx;
  if (p->what == LATE_HALT && !strcmp(block, "linebacker/ctl") && p->ended) {
    struct ctl_out *c = out;
    c->halt_valid_o = 1;
    c->halt_cta_o = p->id;
    p->ended = false;
    p->times++;
  }
  if (strcmp(block, "linebacker/vtt") != 0) return;
  struct vtt_out *o = out;
  if (p->what == ROW_OFF && o->response_kind_o == VTT_LOOKUP && o->response_hit_o)
    o->response_register_o ^= 1, p->times++;
  if (p->what == NO_SYNC && given_back(in, o)) o->hold_done_o = 1;
}

/* ---- a kernel of the suite ---- */
static const char *const plain[] = {NULL};
static const struct suite_machine machine = {"gtx980", {"sim.check=true", "linebacker.period=2000"}};
static bool runs(const char *kernel, enum plant what, const char *system, struct planted *p, struct run_result *r,
                 struct err *e) {
  const struct observer o = {.reset = no_reset, .cycle = cycle, .outputs = outputs, .ctx = p};
  *p = (struct planted){.what = what};
  return suite_run(&machine, kernel, system, plain, &o, r, e);
}

static struct run_result right(const char *kernel, const char *system, const char *const *set) {
  return suite_right(&machine, kernel, system, set);
}

static void victim_lines_are_what_they_were(void **state) {
  (void)state;
  struct run_result r = right("atax", "LB", plain);
  assert_true(r.sm.victim_hits > 1000);
  assert_int_equal(r.sm.victim_checked, r.sm.victim_hits);
  assert_true(r.sm.throttled > 5);
  assert_int_equal(r.sm.reactivated, r.sm.throttled);
  assert_int_equal(r.sm.backup_reads, r.sm.backup_writes);
  r = right("atax", "VC", plain);
  assert_true(r.sm.victim_hits > 1000 && r.sm.victim_not_selected == 0);
  assert_int_equal(r.sm.throttled, 0);
}

/* Registers of a warp in the file are those of the baseline: the work is the same. */
static void the_work_is_the_same(void **state) {
  (void)state;
  const uint64_t want = right("kmeans", "LB-Base", plain).hash;
  const char *const systems[] = {"LB", "SVC", "VC", "LB-Off", "PCAL", "PCAL-SVC"};
  for (unsigned k = 0; k < sizeof systems / sizeof *systems; k++)
    assert_int_equal(right("kmeans", systems[k], plain).hash, want);
}

/* Launches of one file shorter than a window: the l1 choice alone counts windows through them, as CTL does. */
static void windows_go_on_over_launches(void **state) {
  (void)state;
  static const char *const off[] = {"linebacker.across=off", NULL};
  const struct sm_stats s = right("gaussian", "SVC", plain).sm;
  const uint64_t cycles = s.cycles - s.drain_cycles;
  assert_true(s.launches > 100);
  assert_in_range(s.monitor_windows, cycles / 2000 - 1, cycles / 2000);
  const struct sm_stats each = right("gaussian", "SVC", off).sm;
  assert_true(each.monitor_windows < s.monitor_windows);
}

/* A file of 1,024 registers has two partitions above number 511, one of 768 has one, one of 640 none. */
static void small_register_files(void **state) {
  (void)state;
  static const char *const two[] = {"rf.bytes=131072", NULL}, *const one[] = {"rf.bytes=98304", NULL},
                           *const none[] = {"rf.bytes=81920", NULL};
  static const char *const *const set[] = {two, one};
  for (unsigned k = 0; k < 2; k++) {
    const struct sm_stats s = right("mvt", "VC", set[k]).sm;
    assert_true(s.victim_hits > 100);
    assert_int_equal(s.victim_checked, s.victim_hits);
    assert_in_range(s.victim_registers, s.cycles, s.cycles * 192 * (2 - k));
  }
  assert_int_equal(right("mvt", "VC", none).sm.victim_lookups, 0);
  assert_int_equal(right("mvt", "LB", none).sm.monitor_windows, 0);
}

/* gaussian has three kernels and more than a hundred launches. */
static void warned_once_for_each_kernel(const char *system) {
  static const char *const set[] = {"rf.bytes=81920", NULL};
  FILE *f = tmpfile();
  const int err = dup(2);
  assert_true(f && err >= 0 && dup2(fileno(f), 2) == 2);
  right("gaussian", system, set);
  assert_int_equal(dup2(err, 2), 2);
  close(err);
  unsigned lines = 0;
  rewind(f);
  for (int c = fgetc(f); c != EOF; c = fgetc(f)) lines += c == '\n';
  fclose(f);
  assert_int_equal(lines, 3);
}
static void a_kernel_beyond_the_tables(void **state) {
  (void)state;
  warned_once_for_each_kernel("LB");
  warned_once_for_each_kernel("SVC");
}

static void same_cycle_by_cycle(const char *kernel, const char *system, const char *const *set,
                                const char *const *each_cycle) {
  const struct run_result a = right(kernel, system, set), b = right(kernel, system, each_cycle);
  stats_equal(&a.sm, &b.sm);
}

/* With few credits answers of the table wait, while nothing else happens; in cfd the load monitor gives up, in srad_v2 it selects,
 * while all wait. */
static void cycles_that_are_jumped_over(void **state) {
  (void)state;
  static const char *const gives_up[] = {"linebacker.period=700", "l1.mshrs=6", NULL}, *const watched[] = {
                                                                                           "linebacker.period=700",
                                                                                           "l1.mshrs=6",
                                                                                           "sim.skip=false", NULL};
  same_cycle_by_cycle("cfd", "SVC", gives_up, watched);
  same_cycle_by_cycle("srad_v2", "PCAL-SVC", gives_up, watched);
  static const char *const with[][3] = {{"sim.skip=true"}, {"noc.credits=4"}, {"l1.mshrs=4", "noc.credits=2"}},
                           *const each[][4] = {{"sim.skip=false"},
                                               {"noc.credits=4", "sim.skip=false"},
                                               {"l1.mshrs=4", "noc.credits=2", "sim.skip=false"}};
  const char *const systems[] = {"LB", "VC", "PCAL-SVC"};
  for (unsigned k = 0; k < sizeof systems / sizeof *systems; k++) {
    for (unsigned i = 0; i < sizeof with / sizeof *with; i++)
      if (sampled(k + i)) same_cycle_by_cycle("mvt", systems[k], with[i], each[i]);
  }
}

/* One MSHR, one credit, one place in the LSU's queue: whatever the choice, the kernel ends. */
static void no_deadlock(void **state) {
  (void)state;
  static const char *const tight[] = {"l1.mshrs=1", "noc.credits=1", "lsu.queue=1", NULL}, *const merge[] = {
                                                                                               "l1.mshrs=2",
                                                                                               "l1.merge=1",
                                                                                               "noc.credits=1", NULL};
  const char *const systems[] = {"LB", "VC", "SVC", "PCAL", "PCAL-SVC"};
  for (unsigned k = 0; k < sizeof systems / sizeof *systems; k++) {
    right("vecadd", systems[k], tight);
    right("kmeans", systems[k], merge);
  }
}

/* Without the error the kernel runs; with it, something is found. */
static void found(const char *kernel, const char *system, enum plant what, const char *message) {
  struct run_result r;
  struct planted p;
  struct err e = {0};
  right(kernel, system, plain);
  const bool ok = runs(kernel, what, system, &p, &r, &e);
  planted_found(ok, kernel, system, p.times, &e, message);
}

static void a_row_that_is_one_off(void **state) {
  (void)state;
  found("atax", "VC", ROW_OFF, "victim line 0x");
}
static void a_store_that_does_not_invalidate(void **state) {
  (void)state;
  found(IV_KERNEL, "VC", NO_INVALIDATION, "victim line 0x");
}
static void a_restore_without_its_synchronisation(void **state) {
  (void)state;
  found("dwt2d", "LB", NO_SYNC, "was read as 0x");
}
static void an_insert_behind_a_store(void **state) {
  (void)state;
  found(LATE_KERNEL, "VC", LATE_INSERT, "victim line 0x");
}

/* A CTA may end in the cycle in which CTL halts it: that leaves nothing behind for the slot's next CTA. */
static void a_halt_of_a_cta_that_has_ended(void **state) {
  (void)state;
  struct run_result r;
  struct planted p;
  struct err e = {0};
  const struct run_result alone = right("kmeans", "LB", plain);
  if (!runs("kmeans", LATE_HALT, "LB", &p, &r, &e)) fail_msg("%s", e.text);
  assert_true(p.times > 10);
  assert_int_equal(r.sm.cycles, alone.sm.cycles);
  assert_int_equal(r.sm.active_cycles, alone.sm.active_cycles);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(victim_lines_are_what_they_were),
                                     cmocka_unit_test(the_work_is_the_same),
                                     cmocka_unit_test(windows_go_on_over_launches),
                                     cmocka_unit_test(small_register_files),
                                     cmocka_unit_test(a_kernel_beyond_the_tables),
                                     cmocka_unit_test(cycles_that_are_jumped_over),
                                     cmocka_unit_test(no_deadlock),
                                     cmocka_unit_test(a_row_that_is_one_off),
                                     cmocka_unit_test(a_store_that_does_not_invalidate),
                                     cmocka_unit_test(a_restore_without_its_synchronisation),
                                     cmocka_unit_test(an_insert_behind_a_store),
                                     cmocka_unit_test(a_halt_of_a_cta_that_has_ended)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
