/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cerf: the l1 choice on kernels made by hand, whose ways, hits and lines that leave are counted here, and on kernels of the suite; errors
 * planted in it are found; whatever the choice of the L1, one MSHR, one credit and one place in the LSU's queue are enough.
 */
#include "hooks_kit.h"

#include "sampled.h"
#include "sm/slots.h"
#include "suite_kit.h"

/* 64 rows of registers and an L1 of 4 sets x 2 ways: a pool of 72. A window has 16 cycles. */
static void small_pool(int lend) {
  H.cfg.slot_l1 = slot_l1_cerf;
  H.cfg.cerf_lend = lend;
  H.cfg.rf_bytes = 64 * 128;
  H.cfg.l1_bytes = 8 * 128, H.cfg.l1_ways = 2;
  H.cfg.linebacker_period = 160;
}

static uint64_t counted(const struct sm_stats *s) { return s->cycles - s->drain_cycles; }

/* ---- the number of ways ---- */

static void ways_beside_registers_that_a_cta_holds(void **state) {
  (void)state;
  small_pool(cerf_lend_sur);
  ld(2, LINE_A), use(3, 2);
  struct result r = go(1, 32, NULL); /* 8 registers: (72 - 8) / 4 = 16 ways */
  assert_int_equal(r.s.cerf_rows, 16 * 4 * counted(&r.s));
  assert_int_equal(r.s.cerf_windows, counted(&r.s) / 16);
  assert_int_equal(r.s.cerf_shrinks, 0);
  again();
  small_pool(cerf_lend_sur);
  H.regs = 7;
  ld(2, LINE_A), use(3, 2);
  r = go(1, 64, NULL); /* two warps of 7: (72 - 14) / 4 = 14 ways, two rows left */
  assert_int_equal(r.s.cerf_rows, 14 * 4 * counted(&r.s));
}

/* Eight are kept in the first window; none until the load issues, in cycle L; R2 alone from the next window on, until it is read:
 * (72 - 1) / 4 = 17 ways, rows 4 and above. */
static void ways_beside_registers_that_are_live(void **state) {
  (void)state;
  small_pool(cerf_lend_dead);
  uint32_t load = ld(2, LINE_A), add = use(3, 2);
  struct result r = go(1, 32, NULL);
  uint64_t L = issued(0, load), next = (L / 16 + 1) * 16, n = counted(&r.s);
  assert_true(L >= 16 && next < issued(0, add)); /* the instruction cache misses first */
  uint64_t want = 64 * 16 + 72 * (L - 16) + 71 * (next - L) + 68 * (n - next);
  assert_int_equal(r.s.cerf_rows, want);
  assert_int_equal(r.s.cerf_shrinks, 1);
  /* R7's row may hold a line: its way is shut when the add issues, until the window ends. */
  again();
  small_pool(cerf_lend_dead);
  load = ld(2, LINE_A), add = use(7, 2);
  r = go(1, 32, NULL);
  const uint64_t A = issued(0, add), till = (A / 16 + 1) * 16;
  n = counted(&r.s);
  assert_int_equal(issued(0, load), L);
  want = 64 * 16 + 72 * (L - 16) + 71 * (next - L) + 68 * (n - next) - ((till < n ? till : n) - A);
  assert_int_equal(r.s.cerf_rows, want);
  assert_int_equal(r.s.cerf_taken, 0); /* no line was there */
}

/* A pool of 33 rows, one set: each row counts. R5 is dead, and kept to the end of the window after the one in which it was written. */
static void touched_registers_are_kept(void **state) {
  (void)state;
  small_pool(cerf_lend_dead);
  H.cfg.rf_bytes = 32 * 128;
  H.cfg.l1_bytes = 128, H.cfg.l1_ways = 1;
  const uint32_t load = ld(2, LINE_A), lone = mov(5, 1), add = use(3, 2);
  struct result r = go(1, 32, NULL);
  const uint64_t L = issued(0, load), M = issued(0, lone), A = issued(0, add), free = (M / 16 + 2) * 16;
  assert_true(L >= 16 && free < A);
  uint64_t want = 25 * 16;
  for (uint64_t t = 16; t < counted(&r.s); t++) want += 33u - (t >= L) - (t >= M && t < free) - (t >= A);
  assert_int_equal(r.s.cerf_rows, want);
}

/* ---- lines that leave ---- */

/* Two sets, 24 registers: (34 - 24) / 2 = 5 ways at first, 16 when only R0 and R1 are in use: rows 33 to 2. Rows of odd registers
 * are set 0's. When eight of those are written and live, set 1 has to give ways: of its fourteen lines the twelve used last remain. */
static void the_most_recently_used_are_kept(void **state) {
  (void)state;
  small_pool(cerf_lend_dead);
  H.cfg.rf_bytes = 32 * 128;
  H.cfg.l1_bytes = 256, H.cfg.l1_ways = 1;
  H.cfg.linebacker_period = 1000;
  H.regs = 24;
  const uint32_t odd = (line_of(LINE_A) >> 7 & 1) ? 0 : 128;
  for (uint32_t n = 0; n < 3; n++) ld(0, odd), use(1, 0);            /* the first window is over */
  for (uint32_t n = 0; n < 14; n++) ld(0, odd + 256 * n), use(1, 0); /* thirteen more lines */
  for (uint32_t n = 0; n < 2; n++) ld(0, odd + 256 * n), use(1, 0);  /* 2 and 3 are now the oldest */
  for (uint32_t r = 9; r < 24; r += 2) mov(r, r);
  for (uint32_t n = 0; n < 4; n++) ld(0, odd), use(1, 0);            /* a window ends */
  for (uint32_t n = 4; n < 14; n++) ld(0, odd + 256 * n), use(1, 0); /* these are there */
  ld(0, odd + 256), use(1, 0);
  const uint32_t gone = ld(0, odd + 512);
  use(1, 0);
  ld(0, odd + 768), use(1, 0); /* these two are not */
  for (uint32_t r = 9; r < 24; r += 2) sum(&H.k, 1, 1, r);
  struct result r = go(1, 32, NULL);
  assert_true(issued(0, gone) > 2000);
  assert_int_equal(r.s.cerf_left, 2);
  assert_int_equal(r.s.cerf_taken, 0);
  assert_int_equal(r.s.l1_read_misses, 14 + 2);
  assert_int_equal(r.s.cerf_writes, 16);
}

/* A line lies in the row of a dead register (R0 to R7 of a file of eight): when that is written, the line leaves. */
static void file_of_eight(void) {
  small_pool(cerf_lend_dead);
  H.cfg.rf_bytes = 32 * 128;
  H.cfg.l1_bytes = 128, H.cfg.l1_ways = 1;
  H.regs = 32;
  ld(0, LINE_A), use(1, 0); /* the first window is over: rows 32 to 2, in this order */
  for (uint32_t n = 0; n < 31; n++) ld(0, LINE_A + 128 * n), use(1, 0); /* all are full */
  apart();
  mov(4, 5), mov(8, 5);
  ld(0, LINE_A), use(1, 0);
  use(1, 4), use(1, 8);
  for (uint32_t n = 0; n < 31; n++) ld(0, LINE_A + 128 * n), use(1, 0);
}
static void a_register_takes_its_row_back(void **state) {
  (void)state;
  file_of_eight();
  struct result r = go(1, 32, NULL);
  assert_in_range(r.s.cerf_taken, 2, 3); /* R4's, R8's, and R7's, which apart() writes */
  assert_true(r.s.l1_read_misses > 31 + 2);
}

/* ---- planted: an instruction does not say which registers it names ---- */
static void no_touch(void) { mine.l1.issue = NULL; }
static void a_row_of_both_is_found(void **state) {
  (void)state;
  file_of_eight();
  struct result r;
  struct err e = {0};
  assert_false(simulate(&H.cfg, (struct scale){1, 1, 1, 32}, no_touch, &r, &e));
  if (!strstr(e.text, "was read as 0x")) fail_msg("found '%s'", e.text);
}

/* ---- CTAs that begin on rows that hold lines ---- */

/* The cycle in which the warp of CTA n, of CTAs that follow each other, issued this instruction. */
static uint64_t issued_in(uint32_t op, unsigned n) {
  for (unsigned i = 0; i < T.n; i++)
    if (T.seen[i].what == ISSUE && T.seen[i].b == op && !n--) return T.seen[i].at;
  fail_msg("instruction %u has not issued so often", op);
  return 0;
}

/* A CTA reads R30 before anything writes it, so R30 is live when the CTA begins, and holds zero. At the end of the first CTA its row holds line 30.
 * The second CTA takes the row back when it begins. The third one begins before the next window
 * has ended and finds the row owned by the register. */
static void a_live_register_takes_its_row_when_a_cta_begins(void **state) {
  (void)state;
  enum { WINDOW = 3500 };
  small_pool(cerf_lend_dead);
  H.cfg.rf_bytes = 32 * 128;
  H.cfg.l1_bytes = 128, H.cfg.l1_ways = 1;
  H.cfg.linebacker_period = 10 * WINDOW;
  H.regs = 32;
  const uint32_t first = use(1, 30);
  for (uint32_t n = 0; n < 20; n++) ld(0, LINE_A + 128 * n), use(1, 0); /* in the first window there is one way */
  for (uint32_t n = 0; n < 30; n++) ld(0, LINE_A + 128 * n), use(1, 0);
  const uint32_t last = ld(0, LINE_A + 128 * 30);
  use(1, 0);
  struct result r = go(3, 32, NULL);
  assert_true(issued_in(last, 0) > 2 * WINDOW);
  assert_true(issued_in(first, 2) / WINDOW <= issued_in(first, 1) / WINDOW + 1);
  assert_int_equal(r.s.cerf_taken, 1);
}

/* Four CTAs of 16 registers share one bank. When a CTA begins and takes a row, a hit of another CTA on the row's line may wait in the port.
 * Such a hit is not compared; every other hit is. */
static void a_cta_begins_before_a_line_is_read(void **state) {
  (void)state;
  small_pool(cerf_lend_dead);
  H.cfg.rf_banks = 1;
  H.regs = 16;
  for (uint32_t n = 4; n < 16; n++) use(0, n);
  struct insn *i = op2(&H.k, OP_MAD, T_U32, R(2), SR(SR_TID_X), I(128));
  i->src[i->nsrc++] = I(where(0));
  i->mods = M_LO;
  mov(3, 0);
  for (uint32_t n = 0; n < 20; n++) {
    i = op1(&H.k, OP_LD, T_U32, R(0), D(2));
    i->space = SP_GLOBAL;
    use(1, 0);
  }
  struct result r = go(30, 32, NULL);
  assert_true(r.s.cerf_taken > 12);
  assert_in_range(r.s.cerf_checked, r.s.cerf_reads / 2, r.s.cerf_reads - 1);
}

/* The CTA ends in the cycle in which its load's result is written; the line waits in the port for the same bank. The next launch hits it. */
static void a_launch_ends_with_a_line_in_the_port(void **state) {
  (void)state;
  small_pool(cerf_lend_sur);
  H.cfg.rf_banks = 1;
  ld(2, LINE_A);
  struct result r = go_again(1, 32, NULL);
  assert_int_equal(r.s.cerf_writes, 1);
  assert_int_equal(r.s.cerf_reads, 1);
  assert_int_equal(r.s.cerf_checked, 1);
}

/* ---- time ---- */

/* One warp, one access at a time: the port is never contended. Then CERF is a plain L1 of as many ways, cycle by cycle. */
static void a_plain_l1_of_as_many_ways(void **state) {
  (void)state;
  struct result r[2];
  for (int cerf = 0; cerf < 2; cerf++) {
    again();
    small_pool(cerf_lend_sur);
    H.cfg.linebacker_period = 10000000;
    for (uint32_t n = 0; n < 200; n++) ld(2, 128 * (n * n % 151)), use(3, 2), apart();
    if (!cerf) H.cfg.slot_l1 = slot_l1_plain, H.cfg.l1_ways = 16, H.cfg.l1_bytes = 64 * 128;
    r[cerf] = go(1, 32, NULL);
  }
  assert_true(r[0].s.l1_read_hits > 50 && r[0].s.l1_evictions > 0);
  assert_int_equal(r[1].s.cerf_reads, r[1].s.l1_read_hits);
  assert_int_equal(r[1].s.cerf_writes, r[1].s.l1_read_misses);
  assert_int_equal(r[1].s.rf_reads, r[0].s.rf_reads + r[1].s.cerf_reads);
  assert_int_equal(r[1].s.rf_writes, r[0].s.rf_writes + r[1].s.cerf_writes);
  assert_in_range(r[1].s.rf_write_conflicts, 0,
                  10); /* a line and the result of its load, in one bank: the line waits */
  r[1].s.rf_reads = r[0].s.rf_reads, r[1].s.rf_writes = r[0].s.rf_writes;
  r[1].s.rf_write_conflicts = r[0].s.rf_write_conflicts;
  r[1].s.cerf_reads = r[1].s.cerf_writes = r[1].s.cerf_rows = r[1].s.cerf_checked = r[1].s.cerf_register_hits = 0;
  stats_equal(&r[0].s, &r[1].s);
}

/* Four lines of one bank: the file has one, and other warps keep it busy. */
static void a_hit_waits_for_its_bank(void **state) {
  (void)state;
  uint64_t least[2] = {NEVER, NEVER}, sum_of[2] = {0};
  for (int cerf = 0; cerf < 2; cerf++) {
    again();
    small_pool(cerf_lend_sur);
    if (!cerf) H.cfg.slot_l1 = slot_l1_plain;
    H.cfg.rf_banks = 1;
    for (uint32_t n = 0; n < 4; n++) ld(2, 128 * n), use(3, 2);
    uint32_t load[20], add[20];
    for (uint32_t n = 0; n < 20; n++) load[n] = ld(2, 128 * (n % 4)), add[n] = use(3, 2);
    go(1, 128, NULL);
    for (unsigned w = 0; w < 4; w++)
      for (uint32_t n = 0; n < 20; n++) {
        const uint64_t t = issued(w, add[n]) - issued(w, load[n]);
        if (t < least[cerf]) least[cerf] = t;
        sum_of[cerf] += t;
      }
  }
  assert_true(least[1] >= least[0]); /* never faster */
  assert_true(sum_of[1] > sum_of[0]);
}

/* ---- kernels of the suite, values checked ---- */
static const struct suite_machine machine = {"gtx980", {"sim.check=true", "linebacker.period=2000"}};
static struct run_result right(const char *kernel, const char *system, const char *const *set) {
  return suite_right(&machine, kernel, system, set);
}
static const char *const none[] = {NULL};

static void the_work_is_the_same(void **state) {
  (void)state;
  const char *const systems[] = {"CERF", "PCAL-CERF"}, *const kernels[] = {"kmeans", "mvt"};
  for (unsigned i = 0; i < 2; i++) {
    const uint64_t want = right(kernels[i], "LB-Base", none).hash;
    for (unsigned k = 0; k < 2; k++) {
      const struct run_result r = right(kernels[i], systems[k], none);
      assert_int_equal(r.hash, want);
      assert_true(r.sm.cerf_shrinks > 0 && r.sm.cerf_register_hits > 1000);
      assert_true(r.sm.cerf_left > 0 || i == 0);
      assert_int_equal(r.sm.cerf_checked, r.sm.cerf_reads);
    }
  }
}

/* Registers take rows back while the port still has accesses to them: a result waits for those. */
static void rows_with_accesses_under_way(void **state) {
  (void)state;
  static const char *const busy[] = {"rf.banks=1", "rf.single_port=true", "linebacker.period=1000", NULL};
  assert_true(right("srad_v2", "CERF", busy).sm.cerf_taken > 1000);
  assert_true(right("spmv", "CERF", busy + 2).sm.cerf_taken > 100);
}

static void cycles_that_are_jumped_over(void **state) {
  (void)state;
  static const char *const with[][4] = {{"sim.skip=true"}, {"l1.mshrs=4", "noc.credits=2"}, {"cerf.lend=sur"}},
                           *const each[][4] = {{"sim.skip=false"},
                                               {"l1.mshrs=4", "noc.credits=2", "sim.skip=false"},
                                               {"cerf.lend=sur", "sim.skip=false"}};
  const char *const systems[] = {"CERF", "PCAL-CERF"};
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 0; i < sizeof with / sizeof *with; i++) {
      if (!sampled(k + i)) continue;
      const struct run_result a = right("kmeans", systems[k], with[i]), b = right("kmeans", systems[k], each[i]);
      stats_equal(&a.sm, &b.sm);
    }
}

/* One MSHR, one credit, one place in the LSU's queue; one bank with one port: whatever backs the L1, the kernel ends. */
static void no_deadlock(void **state) {
  (void)state;
  static const char *const tight[][6] = {
      {"l1.mshrs=1", "noc.credits=1", "lsu.queue=1"},
      {"l1.mshrs=1", "noc.credits=1", "lsu.queue=1", "rf.banks=1", "rf.single_port=true"},
      {"l1.mshrs=2", "l1.merge=1", "noc.credits=1"}};
  const char *const systems[] = {"LB-Base", "VC", "LB", "CERF", "PCAL-CERF"};
  for (unsigned k = 0; k < sizeof systems / sizeof *systems; k++)
    for (unsigned i = 0; i < sizeof tight / sizeof *tight; i++) {
      if (!sampled(k + i)) continue;
      right("vecadd", systems[k], tight[i]);
      right("kmeans", systems[k], tight[i]);
    }
}

/* ---- refusals ---- */
static void refused(const char *const *what, const char *want) {
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  if (!config_machine(&c, "gtx980", &e) || !config_set(&c, "slot.l1=cerf", 0, &e) || !config_set_all(&c, what, &e) ||
      !config_check(&c, &e))
    fail_msg("%s", e.text);
  struct gpu *g = gpu_new(&c, 1, &e);
  if (g) fail_msg("accepted, expected: %s", want);
  if (!strstr(e.text, want)) fail_msg("found '%s'", e.text);
}
static void what_it_does_not_run_with(void **state) {
  (void)state;
  static const struct {
    const char *set[5], *want;
  } no[] = {
      {{"slot.residency=vt", "finereg.dram_ctas=1"},
       "slot.residency vt with finereg.dram_ctas above 0 with slot.l1 cerf, expected slot.l1=plain: "},
      {{"slot.residency=finereg"},
       "slot.l1 cerf with slot.residency finereg, expected slot.residency=static, vt or pcal: "},
      {{"slot.residency=linebacker"}, "slot.l1 cerf with slot.residency linebacker, expected slot.residency=static, "},
      {{"slot.storage=regmutex"}, "slot.l1 cerf with slot.storage regmutex, expected slot.storage=flat: "},
      {{"slot.storage=slices", "collector.arrivals=1"},
       "slot.l1 cerf with slot.storage slices, expected slot.storage=flat: "},
      {{"collector.units=64", "collector.sp_units=0", "collector.sfu_units=0", "collector.mem_units=0"},
       "slot.l1 cerf with collector.units 64, expected collector.units=63 or less: "},
      {{"sm.subcores=true", "collector.sp_units=0", "collector.sfu_units=0", "collector.mem_units=0"},
       "slot.l1 cerf with sm.subcores true, expected sm.subcores=false: "},
      {{"l1.write=back"}, "slot.l1 cerf with l1.write back, expected l1.write=evict: "},
      {{"l1.sector=32"}, "slot.l1 cerf with l1.sector 32, expected l1.sector=0: "},
      {{"l1.bytes=0"}, "slot.l1 cerf with l1.bytes 0, expected l1.bytes=16384 or "}};
  for (unsigned k = 0; k < sizeof no / sizeof *no; k++) refused(no[k].set, no[k].want);
}

int main(void) {
  const struct CMUnitTest tests[] = {HOOK_TEST(ways_beside_registers_that_a_cta_holds),
                                     HOOK_TEST(ways_beside_registers_that_are_live),
                                     HOOK_TEST(touched_registers_are_kept),
                                     HOOK_TEST(the_most_recently_used_are_kept),
                                     HOOK_TEST(a_register_takes_its_row_back),
                                     HOOK_TEST(a_row_of_both_is_found),
                                     HOOK_TEST(a_live_register_takes_its_row_when_a_cta_begins),
                                     HOOK_TEST(a_cta_begins_before_a_line_is_read),
                                     HOOK_TEST(a_launch_ends_with_a_line_in_the_port),
                                     HOOK_TEST(a_plain_l1_of_as_many_ways),
                                     HOOK_TEST(a_hit_waits_for_its_bank),
                                     cmocka_unit_test(the_work_is_the_same),
                                     cmocka_unit_test(rows_with_accesses_under_way),
                                     cmocka_unit_test(cycles_that_are_jumped_over),
                                     cmocka_unit_test(no_deadlock),
                                     cmocka_unit_test(what_it_does_not_run_with)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
