/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malekeh: the systems of the Malekeh paper on kernels of the suite with real values, and errors that are planted between the SM and its
 * blocks, which the values find: results that are not snooped, or come with other lanes or values, operands of another register, CTAs whose
 * end is not told, instructions exchanged. What the units count, the controller's intervals over launches, its table from a file, cycles
 * that are jumped over, configurations that are refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/campaign/measure.h"
#include "systems/malekeh/malekeh.h"
#include "sampled.h"
#include "suite_kit.h"

/* ---- planted errors: an observer that changes what passes between the SM and its blocks ---- */
enum plant {
  NO_SNOOP,      /* an old copy stays */
  OTHER_RESULT,  /* a unit is given another value than the bank */
  OTHER_LANE,    /* ... or one lane less */
  OTHER_OPERAND, /* a bank gives another value */
  NO_END,        /* the end of CTAs is not told to the units */
  OTHER_META     /* the unit says that it has another instruction */
};
struct planted {
  enum plant what;
  unsigned times;
};

/* Is the owner's register in the unit? */
static bool has(const struct ccu *s, uint64_t reg) {
  for (unsigned i = 0; i < s->size.NumEntries; i++)
    if (s->r.valid_q >> i & 1 && s->r.tag_q[i] == reg) return true;
  return false;
}

/* The last look at the inputs, before the clock edge. */
static bool cycle(void *ctx, const char *block, unsigned k, uint64_t at, const void *state, const void *input,
                  const void *out) {
  (void)k, (void)at, (void)out;
  struct planted *p = ctx;
  if (strcmp(block, "malekeh/ccu") != 0) return true;
  const struct ccu *s = state;
  struct ccu_in *in = (struct ccu_in *)(uintptr_t)input;
  if (p->what == NO_SNOOP && in->snoop_valid_i) in->snoop_valid_i = 0, p->times++;
  if (p->what == OTHER_RESULT && in->cache_valid_i && has(s, in->cache_register_i))
    in->cache_data_i[5] ^= 1u << 9, p->times++;
  if (p->what == OTHER_LANE && in->cache_valid_i && in->cache_lanes_i == ~0u && has(s, in->cache_register_i))
    in->cache_lanes_i &= ~2u, p->times++;
  if (p->what == OTHER_OPERAND && in->operand_valid_i) in->operand_data_i[31] ^= 1, p->times++;
  if (p->what == NO_END && in->exit_warps_i) in->exit_warps_i = 0, p->times++;
  return true;
}

static void outputs(void *ctx, const char *block, unsigned k, const void *input, void *output) {
  (void)k, (void)input;
  struct planted *p = ctx;
  if (p->what != OTHER_META || strcmp(block, "malekeh/ccu") != 0) return;
  struct ccu_out *o = output;
  if (o->dispatch_valid_o) o->dispatch_meta_o ^= 1, p->times++;
}

/* ---- a kernel of the suite ---- */
static const struct suite_machine machine = {"rtx2060", {"malekeh.interval=1000"}};

static struct run_result right(const char *kernel, const char *system, const char *const *set) {
  return suite_right(&machine, kernel, system, set);
}

static const char *const plain[] = {NULL}, *const checked[] = {"sim.check=true", NULL};
static const char *const systems[] = {"baseline", "MK-Base",     "MK-OCU2",       "MK-OCU4", "MK-OCU8",
                                      "Malekeh",  "Malekeh_PR",  "GTO+LRU",       "MK-RFC",  "MK-SW-RFC",
                                      "MK-Mono",  "MK-Mono-RFC", "MK-Mono-SW-RFC"};
enum { SYSTEMS = sizeof systems / sizeof *systems };
static bool caches(const char *system) { return !strncmp(system, "Malekeh", 7) || !strcmp(system, "GTO+LRU"); }

/* Every operand is compared, and every register in a unit in every cycle. gemm_tensor's instructions have six sources and four
 * destinations. */
static void values_are_right(void **state) {
  (void)state;
  static const char *const kernels[] = {"bfs", "lud", "pathtracer", "reduction", "gemm_tensor", "hotspot"};
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    struct run_result base = {0};
    uint64_t taken = 0;
    if (!sampled(k)) continue;
    for (unsigned s = 0; s < SYSTEMS; s++) {
      const struct run_result r = right(kernels[k], systems[s], checked);
      assert_true(r.sm.operands_checked > 1000);
      if (!s) base = r;
      assert_int_equal(r.hash, base.hash);
      assert_int_equal(r.sm.operands_checked, base.sm.operands_checked);
      assert_int_equal(r.sm.rf_writes, base.sm.rf_writes); /* results are always written to the banks */
      if (!s) continue;
      assert_int_equal(r.sm.ccu_sources, base.sm.rf_reads);
      if (!taken) taken = r.sm.ccu_insns;
      assert_int_equal(r.sm.ccu_insns, taken);
      assert_true(taken > 0 && taken < r.sm.warp_insns); /* branches and barriers need no unit */
      if (caches(systems[s])) assert_true(r.sm.rf_reads < r.sm.ccu_sources && r.sm.ccu_writes > 0);
      else assert_int_equal(r.sm.rf_reads, r.sm.ccu_sources);
    }
  }
}

static void other_forms(void **state) {
  (void)state;
  static const char *const sets[][4] = {{"malekeh.entries=6", "sim.check=true"},
                                        {"collector.units=16", "sim.check=true"},
                                        {"malekeh.filter=false", "malekeh.replace=lru", "sim.check=true"},
                                        {"malekeh.pass=false", "malekeh.sthld=9", "sim.check=true"},
                                        {"malekeh.near=exact", "sim.check=true"},
                                        {"rf.banks=16", "rf.results=4", "sim.check=true"},
                                        {"sm.warps=64", "sm.threads=2048", "rf.bytes=524288", "sim.check=true"}};
  for (unsigned k = 0; k < sizeof sets / sizeof *sets; k++) {
    const char *set[5] = {NULL};
    memcpy(set, sets[k], sizeof sets[k]);
    right("lud", "Malekeh", set);
    if (sampled(k)) right("pathfinder", "Malekeh", set);
  }
  static const char *const one[] = {"sm.subcores=false", "sm.schedulers=1", "rf.results=8", "sim.check=true", NULL};
  right("lud", "Malekeh", one);
  right("lud", "GTO+LRU", one);
}

/* Plain units keep nothing: their configurations have no such number. */
static double hits(const struct run_result *r) {
  double got;
  assert_true(measure_of(measure_find("ccu_hit"), r, &got));
  assert_true(fabs(got - (1 - (double)r->sm.rf_reads / (double)r->sm.ccu_sources)) < 1e-12);
  return got;
}

/* A unit for each warp has more than one for several; what is spared longer is hit more often; near registers more often than any. */
static void what_units_have(void **state) {
  (void)state;
  static const char *const at[][2] = {{"malekeh.sthld=0"}, {"malekeh.sthld=16"}, {"malekeh.sthld=63"}};
  static const char *const kernels[] = {"lud", "hotspot"};
  for (unsigned k = 0; k < 2; k++) {
    const struct run_result base = right(kernels[k], "MK-Base", plain), lru = right(kernels[k], "GTO+LRU", plain),
                            pr = right(kernels[k], "Malekeh_PR", plain);
    struct run_result fixed[3];
    for (unsigned i = 0; i < 3; i++) fixed[i] = right(kernels[k], "Malekeh", at[i]);
    double none;
    assert_false(measure_of(measure_find("ccu_hit"), &base, &none));
    assert_int_equal(base.sm.rf_reads, base.sm.ccu_sources);
    assert_true(hits(&lru) > 0 && hits(&lru) < hits(&fixed[0]));
    assert_true(hits(&fixed[0]) < hits(&fixed[1]) && hits(&fixed[1]) <= hits(&fixed[2]) && hits(&fixed[2]) < hits(&pr));
    assert_int_equal(fixed[0].sm.ccu_waits, 0);
    assert_true(fixed[1].sm.ccu_waits > 100);
    assert_true(fixed[1].sm.slot_collector >= fixed[1].sm.ccu_waits);
    assert_true(fixed[1].sm.ccu_flushed_near <= fixed[1].sm.ccu_flushes);
    assert_int_equal(pr.sm.ccu_waits, 0);
    assert_true(pr.sm.ccu_drops > 0 && pr.sm.ccu_writes + pr.sm.ccu_drops <= pr.sm.rf_writes);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(fixed[i].sm.sthld_intervals, 0);
  }
}

/* No other times than the collector `ocu` has: where it takes the same operands, cycles differ by the order of banks alone. */
static void as_the_landed_collector(void **state) {
  (void)state;
  static const char *const kernels[] = {"vecadd", "sgemm", "hotspot", "lud", "gemm_tensor"};
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    const struct run_result a = right(kernels[k], "baseline", plain), b = right(kernels[k], "MK-Base", plain);
    assert_int_equal(a.sm.rf_reads, b.sm.rf_reads);
    assert_true(b.sm.cycles * 100 > a.sm.cycles * 95 && b.sm.cycles * 100 < a.sm.cycles * 110);
  }
  const struct run_result a = right("hotspot", "MK-Base", plain), b = right("hotspot", "MK-OCU2", plain);
  stats_equal(&a.sm, &b.sm);
}

static void two_levels(void **state) {
  (void)state;
  const struct run_result gto = right("lud", "MK-Base", plain), rfc = right("lud", "MK-RFC", plain),
                          sw = right("lud", "MK-SW-RFC", plain);
  assert_int_equal(gto.sm.slot_pending, 0);
  assert_true(rfc.sm.slot_pending >= rfc.sm.slot_inactive && rfc.sm.slot_inactive > 0);
  assert_true(rfc.sm.slot_pending <= 4 * rfc.sm.cycles - rfc.sm.slot_issued);
  assert_true(rfc.sm.cycles > gto.sm.cycles);
  assert_true(sw.sm.slot_pending > 0 && sw.sm.cycles != rfc.sm.cycles);
}

/* lud's launches are shorter than the intervals together: the controller goes on. */
static void intervals_over_launches(void **state) {
  (void)state;
  const struct run_result r = right("lud", "Malekeh", plain);
  assert_true(r.sm.launches > 10);
  assert_int_equal(r.sm.sthld_intervals, (r.sm.cycles - r.sm.drain_cycles) / 1000);
  assert_true(r.sm.sthld_sum > 0 && r.sm.sthld_sum <= 63 * r.sm.sthld_intervals);
}

/* ---- the controller's table ---- */
static const char built_in[] =
    "# as built in\n"
    "start small +1 flat\nstart large +1 flat\nflat small +1 flat top hold\nflat large +1 guess\nguess small 1 "
    "flat\nguess large -1 steep\n"
    "steep small +1 settle moved # one step behind the knee\n\n  steep\tlarge -1 steep\nsettle small 0 hold\nsettle "
    "large +0 hold\nhold small 0 hold\nhold large +1 guess";

static bool read_table(const char *text, uint16_t rows[STHLD_ROWS], struct err *e, char *path) {
  strcpy(path, "/tmp/regtwin-sthld-XXXXXX");
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  memset(rows, 0, STHLD_ROWS * sizeof *rows);
  return malekeh_table(path, rows, e);
}

static void table_from_a_file(void **state) {
  (void)state;
  char path[64], set[96];
  uint16_t rows[STHLD_ROWS];
  struct err e = {0};
  assert_true(read_table(built_in, rows, &e, path));
  for (unsigned k = 0; k < STHLD_ROWS; k++) assert_int_equal(rows[k], sthld_table[k]);
  snprintf(set, sizeof set, "malekeh.table=%s", path);
  const char *const with[] = {set, NULL};
  const struct run_result a = right("lud", "Malekeh", plain), b = right("lud", "Malekeh", with);
  assert_int_equal(a.sm.cycles, b.sm.cycles);
  unlink(path);
  /* one that goes up and stays there */
  assert_true(
      read_table("start small 7 hold\nstart large 7 hold\nhold small +7 hold\nhold large +7 hold\nflat small 0 "
                 "hold\nflat large 0 hold\n"
                 "guess small 0 hold\nguess large 0 hold\nsteep small 0 hold\nsteep large -8 hold\nsettle small 0 "
                 "hold\nsettle large 0 hold\n",
                 rows, &e, path));
  snprintf(set, sizeof set, "malekeh.table=%s", path);
  const struct run_result up = right("lud", "Malekeh", with);
  uint64_t sum = 0;
  for (uint64_t i = 1; i <= up.sm.sthld_intervals; i++) sum += 7 * i < 63 ? 7 * i : 63;
  assert_int_equal(up.sm.sthld_sum, sum);
  unlink(path);
}

static void tables_that_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
    int line, col;
  } cases[] = {
      {"", "found the end of the file, expected a row 'start small'", 1, 1},
      {"start small +1 flat\n", "found the end of the file, expected a row 'start large'", 2, 1},
      {"start small +1 flat\n\n start small +1 flat\n",
       "found a second row 'start small', expected one: the first one is in line 1", 3, 1},
      {"begin small +1 flat\n", "found 'begin', expected a state (start, flat, guess, steep, settle or hold)", 1, 1},
      {"start  medium +1 flat\n", "found 'medium', expected small or large", 1, 8},
      {"start small +9 flat\n", "found '+9', expected a step from -8 to +7", 1, 13},
      {"start small 8 flat\n", "found '8', expected a step from -8 to +7", 1, 13},
      {"start small -9 flat\n", "found '-9', expected a step from -8 to +7", 1, 13},
      {"start small 1.5 flat\n", "found '1.5', expected a step from -8 to +7", 1, 13},
      {"start small\n", "found the end of the line, expected a step from -8 to +7", 1, 12},
      {"start small 1 7\n", "found '7', expected a state (start, flat, guess, steep, settle or hold)", 1, 15},
      {"start small 1 flat top\n",
       "found the end of the line, expected a state (start, flat, guess, steep, settle or hold)", 1, 23},
      {"start small 1 flat moved top hold\n", "found 'top', expected 'top STATE', 'moved' or the end of the line", 1,
       26}};
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    char path[64];
    uint16_t rows[STHLD_ROWS];
    struct err e = {0};
    assert_false(read_table(cases[k].text, rows, &e, path));
    unlink(path);
    assert_string_equal(e.text, cases[k].says);
    assert_string_equal(e.file, path);
    assert_int_equal(e.line, cases[k].line);
    assert_int_equal(e.col, cases[k].col);
  }
  static const char *const nowhere[] = {"malekeh.table=no/such/file", NULL};
  struct run_result r;
  struct err e = {0};
  assert_false(suite_run(&machine, "vecadd", "Malekeh", nowhere, NULL, &r, &e));
  assert_string_equal(e.text, "cannot read: No such file or directory; expected a table of the threshold controller");
}

/* ---- cycles ---- */
static void cycles_that_are_jumped_over(void **state) {
  (void)state;
  static const char *const with[][3] = {{"sim.skip=true"}, {"l1.mshrs=2", "noc.credits=1"}, {"malekeh.sthld=20"}},
                           *const each[][4] = {{"sim.skip=false"},
                                               {"l1.mshrs=2", "noc.credits=1", "sim.skip=false"},
                                               {"malekeh.sthld=20", "sim.skip=false"}},
                           *const hooks[][4] = {{"sim.null_hooks=true"},
                                                {"l1.mshrs=2", "noc.credits=1", "sim.null_hooks=true"},
                                                {"malekeh.sthld=20", "sim.null_hooks=true"}};
  static const char *const kernels[] = {"reduction", "hybridsort"};
  for (unsigned s = 1; s < SYSTEMS; s++)
    for (unsigned k = 0; k < 3; k++) {
      const char *kernel = kernels[k == 0];
      if (!sampled(s + k)) continue;
      const struct run_result a = right(kernel, systems[s], with[k]), b = right(kernel, systems[s], each[k]),
                              c = right(kernel, systems[s], hooks[k]);
      stats_equal(&a.sm, &b.sm);
      stats_equal(&a.sm, &c.sm);
    }
}

/* ---- planted errors ---- */
static void found(const char *kernel, const char *system, enum plant what, const char *message) {
  struct run_result r;
  struct planted p = {.what = what};
  struct err e = {0};
  const struct observer o = {.reset = no_reset, .cycle = cycle, .outputs = outputs, .ctx = &p};
  const bool ok = suite_run(&machine, kernel, system, checked, &o, &r, &e);
  planted_found(ok, kernel, system, p.times, &e, message);
}

static void planted_errors_are_found(void **state) {
  (void)state;
  static const char *const kernels[] = {"lud", "hotspot"};
  static const char *const with[] = {"Malekeh", "Malekeh_PR", "GTO+LRU"};
  for (unsigned k = 0; k < 2; k++) {
    for (unsigned s = 0; s < 3; s++) {
      found(kernels[k], with[s], NO_SNOOP, "holds 0x");
      found(kernels[k], with[s], OTHER_RESULT, "holds 0x");
      found(kernels[k], with[s], OTHER_LANE, "holds 0x");
      found(kernels[k], with[s], OTHER_OPERAND, "holds 0x");
    }
    found(kernels[k], "MK-Base", OTHER_OPERAND, "was read as 0x");
    found(kernels[k], "MK-Base", OTHER_META, "dispatches another instruction than it took");
    found(kernels[k], "Malekeh", NO_END,
          k ? "holds 0x" : "collector units have instructions or owners at the end of a launch");
  }
}

/* ---- configurations ---- */
static void what_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *system, *set[3], *says;
  } cases[] = {
      {"Malekeh", {"malekeh.entries=5"}, "malekeh.entries: found 5, expected 6 to 8 registers"},
      {"MK-Base",
       {"sm.subcores=false"},
       "slot.collector ccu with sm.subcores false and sm.schedulers 4, expected sm.subcores=true or sm.schedulers=1: "
       "the "
       "units of a sub-core take one instruction a cycle"},
      {"MK-Base",
       {"sm.schedulers=8"},
       "slot.collector ccu with sm.schedulers 8, expected sm.schedulers=4, 2 or 1 sub-cores"},
      {"MK-Base",
       {"sm.warps=256", "sm.threads=8192"},
       "slot.collector ccu with sm.warps 256, expected sm.warps=128 or less: 32 warps of each sub-core have numbers"},
      {"MK-Base",
       {"collector.units=12"},
       "slot.collector ccu with collector.units 12, expected collector.units=32, 16 or 8: 2, 4 or 8 for each of 4 "
       "sub-cores"},
      {"MK-Base",
       {"collector.units=64"},
       "slot.collector ccu with collector.units 64, expected collector.units=32, 16 or 8: 2, 4 or 8 for each of 4 "
       "sub-cores"},
      {"MK-Base",
       {"rf.banks=4"},
       "slot.collector ccu with rf.banks 4, expected rf.banks=32, 16 or 8: 2, 4 or 8 for each of 4 sub-cores"},
      {"MK-Base", {"rf.results=3"}, "slot.collector ccu with rf.results 3, expected rf.results=2, 4 or 8 lanes"},
      {"MK-Base",
       {"rf.single_port=false"},
       "slot.collector ccu with rf.single_port false, expected rf.single_port=true: a bank is read or written"},
      {"Malekeh_PR",
       {"collector.units=16"},
       "malekeh.private with collector.units 16, expected collector.units=32: a unit for each warp"},
      {"GTO+LRU",
       {"malekeh.private=true"},
       "found malekeh.private without slot.scheduler malekeh, expected slot.scheduler=malekeh, or "
       "malekeh.private=false: "
       "other schedulers take any unit"},
      {"Malekeh",
       {"malekeh.cache=false"},
       "found slot.scheduler malekeh with malekeh.cache false, expected malekeh.cache=true: plain units have no "
       "registers "
       "to be spared"},
      {"Malekeh",
       {"slot.collector=ocu"},
       "found slot.scheduler malekeh without slot.collector ccu, expected slot.collector=ccu, or slot.scheduler=gto: "
       "it "
       "looks for the unit that has a warp's registers"},
      {"MK-Base",
       {"slot.storage=regmutex"},
       "slot.collector ccu with slot.storage regmutex, expected slot.storage=flat: its units ask the banks for rows of "
       "the flat file, and keep copies by register number"},
      {"MK-Base",
       {"slot.residency=vt"},
       "slot.collector ccu with slot.residency vt, expected slot.residency=static or pcal: registers that move would "
       "leave copies in its units, and its tables have rows for sm.warps warps"},
      {"MK-Base",
       {"rf.latency=200"},
       "slot.collector ccu with rf.latency 200, expected rf.latency=100: it uses the banks' ports as if an access took "
       "one cycle"}};
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct config c;
    struct slots slots;
    struct err e = {0};
    if (suite_configure(&machine, cases[k].system, cases[k].set, &c, &e) && slots_pick(&c, &slots, &e))
      fail_msg("taken, expected: %s", cases[k].says);
    const char *text = strncmp(e.text, "configuration: ", 15) ? e.text : e.text + 15;
    assert_string_equal(text, cases[k].says);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_right),
                                     cmocka_unit_test(other_forms),
                                     cmocka_unit_test(what_units_have),
                                     cmocka_unit_test(as_the_landed_collector),
                                     cmocka_unit_test(two_levels),
                                     cmocka_unit_test(intervals_over_launches),
                                     cmocka_unit_test(table_from_a_file),
                                     cmocka_unit_test(tables_that_are_refused),
                                     cmocka_unit_test(cycles_that_are_jumped_over),
                                     cmocka_unit_test(planted_errors_are_found),
                                     cmocka_unit_test(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
