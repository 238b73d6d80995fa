/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltrf: systems LTRF, LTRF+, LTRF-strand, RFC, SHRF and BL on kernels of the suite with real values, at row 7 of the paper's Table 2, and
 * errors that are planted in the code or between the SM and the block pfu, which the values find: a dead bit too many, fills that go to
 * another bank, write-backs that are left out, a PREFETCH without one of its registers, late results in the wrong file, registers that are taken
 * for dead behind a strand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/campaign/measure.h"
#include "systems/ltrf/main_file.h"
#include "systems/ltrf/shrf.h"
#include "sampled.h"
#include "suite_kit.h"

/* ---- planted errors: an observer that changes what passes between the SM and the block, or other bits in the code ---- */
enum plant {
  DEAD_IN_CODE,    /* the first source of every instruction is said to be dead */
  DEAD_AT_ISSUE,   /* once: a source that is not dead */
  NOT_LIVE_BEHIND, /* nothing is live behind a strand */
  OTHER_BANK,      /* fills go to the bank beside theirs */
  NO_WRITE_BACK,   /* registers leave the cache, and are not written */
  SHORT_PREFETCH,  /* vectors lack their lowest register */
  LATE_IN_CACHE    /* results of registers that are not in the cache are written there */
};
struct planted {
  enum plant what;
  uint64_t seen, at; /* chances so far; DEAD_AT_ISSUE: the one that is taken */
  unsigned times;
};

static bool now(struct planted *p) {
  const bool is = p->seen++ == p->at;
  p->times += is;
  return is;
}

/* The last look at the inputs, before the clock edge. */
static bool cycle(void *ctx, const char *block, unsigned k, uint64_t at, const void *state, const void *input,
                  const void *out) {
  (void)block, (void)k, (void)at, (void)state, (void)out;
  struct planted *p = ctx;
  struct pfu_in *in = (struct pfu_in *)(uintptr_t)input;
  if (p->what == DEAD_AT_ISSUE && in->issue_valid_i & 1 && in->issue_source_valid_i[0] & ~in->issue_dead_i[0] & 1 &&
      now(p))
    in->issue_dead_i[0] |= 1;
  if (p->what == SHORT_PREFETCH && in->command_valid_i && in->command_i == PFU_PREFETCH) {
    unsigned i = 0;
    while (i < 3 && !in->command_registers_i[i]) i++;
    in->command_registers_i[i] &= in->command_registers_i[i] - 1;
    p->times++;
  }
  return true;
}

static void outputs(void *ctx, const char *block, unsigned k, const void *input, void *output) {
  (void)block, (void)k;
  struct planted *p = ctx;
  const struct pfu_in *in = input;
  struct pfu_out *o = output;
  if (p->what == OTHER_BANK && in->fill_valid_i) o->cache_write_bank_o ^= 1, p->times++;
  if (p->what == NO_WRITE_BACK && o->main_write_valid_o) o->main_write_valid_o = 0, p->times++;
  if (p->what == LATE_IN_CACHE && in->result_valid_i & ~o->result_hit_o)
    o->result_hit_o = in->result_valid_i, p->times++;
}

static void in_code(struct workload *w, struct planted *p) {
  for (uint32_t n = 0; n < w->module->nkernel; n++) {
    const struct code *c = &w->module->kernel[n];
    for (uint32_t i = 0; i < c->n; i++) {
      struct op *op = (struct op *)(uintptr_t)&c->op[i];
      if (p->what == DEAD_IN_CODE && op->nsrc && !(op->dead & 1)) op->dead |= 1, p->times++;
      if (p->what == NOT_LIVE_BEHIND) memset(c->warp_live[i], 0, sizeof c->warp_live[i]), p->times++;
    }
  }
}

/* ---- a kernel of the suite ---- */
static const char *const plain[] = {NULL};
static const struct suite_machine machine = {"maxwell", {"sim.check=true", "rf.technology=7"}};

static bool runs(const char *kernel, const char *system, struct planted *p, struct run_result *r, struct err *e) {
  struct config c;
  struct workload w;
  const struct observer o = {.reset = no_reset, .cycle = cycle, .outputs = outputs, .ctx = p};
  const struct run_progress progress = {.observer = &o};
  need(suite_compile(&machine, kernel, system, plain, &c, &w, e), e);
  in_code(&w, p);
  const bool ok = run_workload(&w, &c, 0, false, &progress, r, e);
  workload_close(&w);
  return ok;
}

static struct run_result right(const char *kernel, const char *system, const char *const *set) {
  const struct run_result r = suite_right(&machine, kernel, system, set);
  assert_true(r.sm.operands_checked > 1000);
  return r;
}

static const char *const systems[] = {"LTRF", "LTRF+", "LTRF-strand", "RFC", "SHRF", "BL"};
enum { SYSTEMS = sizeof systems / sizeof *systems };

/* The work is that of the baseline, but for hybridsort's, whose atomics return what their order makes of them. In it and in pathtracer paths
 * that waited go on in the middle of an interval. */
static void values_are_right(void **state) {
  (void)state;
  static const char *const kernels[] = {"bfs", "lud", "hybridsort", "pathtracer", "reduction"};
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    uint64_t hash = 0;
    if (!sampled(k)) continue;
    for (unsigned s = 0; s < SYSTEMS; s++) {
      const struct run_result r = right(kernels[k], systems[s], plain);
      if (s && strcmp(kernels[k], "hybridsort") != 0) assert_int_equal(r.hash, hash);
      hash = r.hash;
    }
  }
}

static void other_sizes(void **state) {
  (void)state;
  static const char *const sets[][4] = {{"ltrf.interval=8"},
                                        {"ltrf.interval=32", "sm.active_warps=16"},
                                        {"sm.active_warps=4", "ltrf.prefetch=bit"},
                                        {"sm.schedulers=4", "rf.single_port=true"},
                                        {"rf.technology=1"},
                                        {"rf.latency=1200", "l1.mshrs=2", "noc.credits=1"}};
  for (unsigned k = 0; k < sizeof sets / sizeof *sets; k++)
    for (unsigned s = 0; s < SYSTEMS - 1; s++)
      if (sampled(k + s)) right("pathfinder", systems[s], sets[k]);
}

static void what_moves(void **state) {
  (void)state;
  const struct sm_stats all = right("hybridsort", "LTRF", plain).sm, live = right("hybridsort", "LTRF+", plain).sm;
  const struct sm_stats *const both[] = {&all, &live};
  for (unsigned k = 0; k < 2; k++) {
    const struct sm_stats *s = both[k];
    assert_true(s->prefetches > 1000 && s->prefetch_resumed > 100 && s->prefetch_resumed < s->prefetches);
    assert_int_equal(s->pseudo_insns, s->prefetches);
    assert_int_equal(s->activations - s->deactivations, s->warps); /* each warp ends once, without a deactivation */
    assert_int_equal(s->cache_fills, s->main_reads);
    assert_true(s->main_writes > s->cache_spills); /* late results of warps that have left */
  }
  assert_true(live.main_reads < all.main_reads && live.cache_spills < all.cache_spills);
}

/* Accesses to the main file, not to the cache. */
static void main_file_is_measured(void **state) {
  (void)state;
  const struct measure *m = measure_find("main_accesses");
  for (unsigned s = 0; s < SYSTEMS; s++) {
    const struct run_result r = right("reduction", systems[s], plain);
    const bool cache = strcmp(systems[s], "BL") != 0;
    const uint64_t n = cache ? r.sm.main_reads + r.sm.main_writes : r.sm.rf_reads + r.sm.rf_writes;
    double got;
    assert_true(measure_of(m, &r, &got));
    assert_true(got == (double)n / (double)r.sm.warp_insns);
    assert_int_equal(r.sm.main_reads != 0, cache);
  }
}

/* A bank of RFC's and SHRF's main file takes a read and a write, as one of BL; of LTRF's, or with one port, either. */
static void ports_of_the_main_file(void **state) {
  (void)state;
  struct config c;
  config_defaults(&c);
  c.rf_latency = 630;
  for (unsigned v = 0; v < 4; v++) {
    struct main_file m;
    const bool narrow = v & 1, one = v != 0;
    c.rf_single_port = v & 2;
    for (int what = RF_READ; what <= RF_WRITE; what++) {
      const unsigned bank = 3 + (unsigned)what;
      main_file_init(&m, &c, narrow);
      assert_int_equal(m.access, 25 + 3 * narrow);
      main_file_take(&m, 100, bank, what);
      assert_true(main_file_free(&m, 100, bank + 8, what));
      assert_int_equal(main_file_free(&m, 121, bank, !what), !one);
      assert_true(!main_file_free(&m, 121, bank, what) && main_file_free(&m, 122, bank, what));
      assert_true(main_file_free(&m, 122, bank, !what));
    }
  }
}

/* SHRF: what comes late goes to the main file alone; what comes from shared memory may lie in the small file. */
static void loads_in_the_small_file(void **state) {
  (void)state;
  struct config c;
  struct workload w;
  struct subgraphs g;
  struct err e = {0};
  unsigned shared = 0, global = 0;
  need(suite_compile(&machine, "lud", "SHRF", plain, &c, &w, &e), &e);
  for (uint32_t n = 0; n < w.module->nkernel; n++) {
    const struct code *code = &w.module->kernel[n];
    assert_true(subgraphs_make(&g, &c, code, &e));
    struct operand_place *place = shrf_place(code, &g, 16);
    for (uint32_t i = 0; i < code->n; i++) {
      if (code->insn[i].op != OP_LD) continue;
      shared += code->insn[i].space == SP_SHARED && place[i].dst[0] != NO_ENTRY;
      global += code->insn[i].space == SP_GLOBAL && place[i].dst[0] != NO_ENTRY;
    }
    free(place);
    subgraphs_free(&g);
  }
  workload_close(&w);
  assert_true(shared > 5);
  assert_int_equal(global, 0);
}

static void same_cycle_by_cycle(const char *kernel, const char *system, const char *const *set,
                                const char *const *each_cycle) {
  const struct run_result a = right(kernel, system, set), b = right(kernel, system, each_cycle);
  stats_equal(&a.sm, &b.sm);
}

static void cycles_that_are_jumped_over(void **state) {
  (void)state;
  static const char *const with[][3] = {{"sim.skip=true"}, {"l1.mshrs=2", "noc.credits=1"}, {"sm.schedulers=4"}},
                           *const each[][4] = {{"sim.skip=false"},
                                               {"l1.mshrs=2", "noc.credits=1", "sim.skip=false"},
                                               {"sm.schedulers=4", "sim.skip=false"}};
  for (unsigned s = 0; s < SYSTEMS; s++) {
    for (unsigned k = 0; k < 3; k++)
      if (sampled(s + k)) same_cycle_by_cycle("reduction", systems[s], with[k], each[k]);
    if (sampled(s)) same_cycle_by_cycle("hybridsort", systems[s], with[0], each[0]);
  }
}

/* BL at row 1, without the cache's 16 KB, is the machine without LTRF. */
static void without_a_cache_at_row_1(void **state) {
  (void)state;
  static const char *const one[] = {"rf.technology=1", "rf.bytes=262144", NULL}, *const landed[] = {"rf.technology=1",
                                                                                                    "sm.schedulers=1",
                                                                                                    "sm.promote=oldest",
                                                                                                    NULL};
  static const char *const kernels[] = {"hotspot", "hybridsort", "spmv"};
  for (unsigned k = 0; k < 3; k++) {
    const struct run_result a = right(kernels[k], "BL", one), b = right(kernels[k], "baseline", landed);
    stats_equal(&a.sm, &b.sm);
  }
}

/* With it, something is found. */
static void found(const char *kernel, const char *system, enum plant what, uint64_t at, const char *message) {
  struct run_result r;
  struct planted p = {.what = what, .at = at};
  struct err e = {0};
  const bool ok = runs(kernel, system, &p, &r, &e);
  planted_found(ok, kernel, system, p.times, &e, message);
}

static void a_dead_bit_too_many(void **state) {
  (void)state;
  found("bfs", "LTRF+", DEAD_IN_CODE, 0, "was read as 0xdeadbeef");
  found("lud", "RFC", DEAD_IN_CODE, 0, "was read as 0xdeadbeef");
  found("nn", "LTRF+", DEAD_AT_ISSUE, 100, "was read as 0xdeadbeef");
  found("mm2", "LTRF+", DEAD_AT_ISSUE, 100, "was read as 0xdeadbeef");
}
static void a_register_that_is_live_behind_a_strand(void **state) {
  (void)state;
  found("lud", "SHRF", NOT_LIVE_BEHIND, 0, "was read as 0xdeadbeef");
}
static void a_fill_to_another_bank(void **state) {
  (void)state;
  found("lud", "LTRF", OTHER_BANK, 0, "was read as 0x");
  found("pathtracer", "LTRF+", OTHER_BANK, 0, "was read as 0x");
}
static void no_write_back(void **state) {
  (void)state;
  found("bfs", "LTRF", NO_WRITE_BACK, 0, "was read as 0x");
  found("hybridsort", "LTRF+", NO_WRITE_BACK, 0, "was read as 0x");
}
static void a_prefetch_without_a_register(void **state) {
  (void)state;
  found("lud", "LTRF", SHORT_PREFETCH, 0, "R0 is not in the register cache");
  found("nn", "LTRF+", SHORT_PREFETCH, 0, "R0 is not in the register cache");
}
static void a_late_result_in_the_cache(void **state) {
  (void)state;
  found("bfs", "LTRF", LATE_IN_CACHE, 0, "was read as 0x");
  found("reduction", "LTRF+", LATE_IN_CACHE, 0, "was read as 0x");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_right),
                                     cmocka_unit_test(other_sizes),
                                     cmocka_unit_test(what_moves),
                                     cmocka_unit_test(main_file_is_measured),
                                     cmocka_unit_test(ports_of_the_main_file),
                                     cmocka_unit_test(loads_in_the_small_file),
                                     cmocka_unit_test(cycles_that_are_jumped_over),
                                     cmocka_unit_test(without_a_cache_at_row_1),
                                     cmocka_unit_test(a_dead_bit_too_many),
                                     cmocka_unit_test(a_register_that_is_live_behind_a_strand),
                                     cmocka_unit_test(a_fill_to_another_bank),
                                     cmocka_unit_test(no_write_back),
                                     cmocka_unit_test(a_prefetch_without_a_register),
                                     cmocka_unit_test(a_late_result_in_the_cache)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
