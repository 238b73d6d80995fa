/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regmutex: hand-made kernels whose sections, waits and CTAs can be computed; values are checked throughout
 * (a section is filled with 0xdeadbeef when it changes hands).
 */
#include "unit/sm_kit.h"

static void barrier(struct make *k) {
  struct insn *i = add(k, OP_BAR, T_NONE);
  *i = (struct insn){.op = OP_BAR, .sub = BAR_SYNC, .line = i->line, .nsrc = 1, .src = {I(0)}};
}

/* R0 = lane; R8, of the section, through `n` additions that depend on each other; with a barrier in the
 * middle or behind. */
enum { NO_BARRIER, WITHIN, BEHIND };
static struct make prog(unsigned n, int where) {
  struct make k = kernel_begin();
  op1(&k, OP_MOV, T_U32, R(0), SR(SR_LANEID));
  sum(&k, 8, 0, 0);
  for (unsigned j = 0; j < n; j++) {
    if (where == WITHIN && j == n / 2) barrier(&k);
    sum(&k, 8, 8, 0);
  }
  sum(&k, 1, 8, 0);
  if (where == BEHIND) barrier(&k);
  for (unsigned j = 0; j < 10; j++) sum(&k, 1, 1, 0);
  kernel_done(&k, 12);
  return k;
}

static struct config base(int64_t brs, int64_t rows) {
  struct config c;
  checked(&c);
  c.slot_storage = slot_storage_regmutex;
  c.regmutex_brs = brs;
  c.rf_bytes = rows * 128;
  c.icache_bytes = 32768;
  c.noc_latency = c.l2_latency = 1; /* instructions come at nearly no cost */
  c.dram_latency = 0;
  c.dram_cl_ps = c.dram_rcd_ps = c.dram_rp_ps = c.dram_ras_ps = c.dram_rc_ps = c.dram_rrd_ps = 0;
  return c;
}

/* Two warps and one section: the second waits while the first goes through its chain, and every addition more
 * that the chain has is the adder's latency more of waiting. With two sections no warp waits. */
static void one_at_a_time(void **state) {
  (void)state;
  uint64_t wait[2], busy[2], cycles[2][2]; /* busy: the first issues while the second waits */
  for (unsigned k = 0; k < 2; k++)
    for (unsigned two = 0; two < 2; two++) {
      struct make p = prog(8 + 16 * k, NO_BARRIER);
      struct config c = base(8, two ? 2 * 8 + 2 * 4 : 2 * 8 + 4);
      struct run r = run(&c, &p, 1, 32 * 2);
      assert_int_equal(r.s.srp_taken, 2);
      assert_int_equal(r.s.pseudo_insns, 4);
      assert_int_equal(r.s.srp_regs, r.s.cycles * 4 * (two + 1));
      if (two) assert_int_equal(r.s.srp_wait, 0);
      else wait[k] = r.s.srp_wait, busy[k] = r.s.srp_wait - r.s.srp_depleted;
      cycles[k][two] = r.s.cycles;
      module_free(p.m);
    }
  struct config c = base(8, 64);
  assert_true(wait[0] > 8 * (uint64_t)c.unit_int_latency);
  assert_int_equal(busy[1] - busy[0], 16); /* one issue for each addition more */
  assert_in_range(wait[1] - wait[0], 16 * c.unit_int_latency,
                  16 * c.unit_int_latency + 60); /* two lines of instructions more */
  assert_true(cycles[1][0] - cycles[1][1] > 16 * (uint64_t)c.unit_int_latency);
}

/* CTAs of four warps of 12 registers, 8 of them their own: what the file holds by hand. */
static void admission(void **state) {
  (void)state;
  struct {
    int64_t brs, pool, rows;
    int where;
    uint32_t fit;
  } t[] = {
      {0, 0, 480, NO_BARRIER, 10}, {12, 0, 480, NO_BARRIER, 10}, {20, 0, 480, WITHIN, 10},
      {8, 0, 480, NO_BARRIER, 14},                          /* one section: (480 - 4) / 32 */
      {8, 0, 480, BEHIND, 14},     {8, 0, 480, WITHIN, 14}, /* four: 464 / 32 */
      {8, 0, 484, NO_BARRIER, 15}, {8, 0, 484, WITHIN, 14},      {8, 34, 480, NO_BARRIER, 10}, /* forty: 320 / 32 */
      {8, 99, 480, WITHIN, 1}, /* room for one CTA: (480 - 32) / 4 = 112 sections, 32 rows */
      {8, 0, 48, WITHIN, 1},       {6, 0, 48, WITHIN, 1},
  };
  for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
    struct make p = prog(8, t[k].where);
    struct config c = base(t[k].brs, t[k].rows);
    c.regmutex_pool = t[k].pool;
    struct run r = run(&c, &p, 30, 32 * 4);
    if (r.fit != t[k].fit) fail_msg("case %u: %u CTAs, expected %u", k, r.fit, t[k].fit);
    assert_string_equal(r.limiter, "registers");
    module_free(p.m);
  }
  struct make p = prog(8, WITHIN);
  struct config c = base(8, 47);
  struct err e = {0};
  struct run r;
  assert_false(try_run(&c, &p, 30, 32 * 4, NULL, &r, &e));
  assert_non_null(strstr(e.text, "one CTA needs 48 registers"));
  module_free(p.m);
}

/* Every warp of every CTA wants a section over a barrier: with any number of sections the launch ends, and
 * does the same work. */
static void barriers_end(void **state) {
  (void)state;
  struct make p = prog(12, WITHIN);
  struct config flat = base(0, 4096);
  uint64_t hash = run(&flat, &p, 40, 32 * 4).hash, waited = 0;
  for (int64_t rows = 48; rows < 800; rows += 7)
    for (int sched = slot_scheduler_lrr; sched <= slot_scheduler_gto; sched++) {
      struct config c = base(8, rows);
      c.slot_scheduler = sched;
      struct run r = run(&c, &p, 40, 32 * 4);
      assert_int_equal(r.hash, hash);
      assert_int_equal(r.s.srp_taken, 160);
      waited += r.s.srp_wait;
    }
  assert_true(waited > 10000);
  module_free(p.m);
}

/* A section given back too early is another's: forget that R8 is live in the middle of its range. */
static void values_are_watched(void **state) {
  (void)state;
  struct make p = prog(16, NO_BARRIER);
  struct config c = base(8, 8 * 8 + 4);
  struct run r;
  struct err e = {0};
  c.regmutex_gap = 0;
  assert_true(try_run(&c, &p, 1, 32 * 8, NULL, &r, &e));
  for (unsigned k = 8; k < 12; k++) {
    memset(p.c->warp_live[k], 0, sizeof p.c->warp_live[k]);
    memset(p.c->op[k].need, 0, sizeof p.c->op[k].need);
  }
  assert_false(try_run(&c, &p, 1, 32 * 8, NULL, &r, &e));
  assert_non_null(strstr(e.text, "(R8) lane"));
  module_free(p.m);
}

static void refused(void **state) {
  (void)state;
  struct config c = base(8, 64);
  struct err e = {0};
  c.slot_scheduler = slot_scheduler_two_level;
  assert_null(gpu_new(&c, 1, &e));
  assert_non_null(strstr(e.text, "slot.storage regmutex with slot.scheduler two_level"));
}

/* All registers a warp's own: the flat file. Idle cycles skipped or not: the same counts. */
static void nothing_else_changes(void **state) {
  (void)state;
  struct make p = prog(16, WITHIN);
  struct config c = base(0, 200), flat = c;
  flat.slot_storage = slot_storage_flat;
  struct run a = run(&c, &p, 20, 32 * 4), b = run(&flat, &p, 20, 32 * 4);
  equal(&a, &b);
  c.regmutex_brs = 8;
  a = run(&c, &p, 20, 32 * 4);
  c.sim_skip = false;
  b = run(&c, &p, 20, 32 * 4);
  assert_true(a.s.srp_wait > 0);
  equal(&a, &b);
  module_free(p.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_at_a_time),      cmocka_unit_test(admission), cmocka_unit_test(barriers_end),
      cmocka_unit_test(values_are_watched), cmocka_unit_test(refused),   cmocka_unit_test(nothing_else_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
