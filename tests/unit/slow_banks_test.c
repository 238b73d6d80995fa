/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slow banks (rf.latency), rf.technology, and the active warps of two_level: demotion on misses alone (sm.demote), the oldest first
 * (sm.promote). docs/reference/timing.md, decision 23.
 */
#include "hooks_kit.h"

static uint32_t plus(uint32_t d, uint32_t a, uint32_t b) {
  sum(&H.k, d, a, b);
  return last_op();
}

/* At 630 percent an access takes 25 cycles instead of 4, and its bank is busy for 22. */
static void operands_come_later(void **state) {
  (void)state;
  for (unsigned slow = 0; slow < 2; slow++) {
    mov(1, 5), mov(2, 6);
    const uint32_t first = plus(3, 1, 2), second = plus(4, 3, 2);
    H.cfg.rf_latency = slow ? 630 : 100;
    go(1, 32, NULL);
    assert_int_equal(issued(0, second) - issued(0, first), H.cfg.unit_int_latency + 21 * slow);
    again();
  }
}

static void a_bank_is_busy(void **state) {
  (void)state;
  for (unsigned slow = 0; slow < 2; slow++) {
    mov(1, 5), mov(2, 6), mov(4, 7);
    for (unsigned n = 0; n < 40; n++) mov(7, 1); /* the banks' writes are over */
    plus(3, 1, 2);
    const uint32_t same_bank = plus(5, 1, 4), user = plus(6, 5, 2);
    H.cfg.rf_latency = slow ? 630 : 100;
    go(1, 32, NULL);
    assert_int_equal(issued(0, user) - issued(0, same_bank), H.cfg.unit_int_latency + (21 + 21) * slow);
    again();
  }
}

/* The slow banks' bookkeeping, at row 1: no statistic changes. */
static bool slow_banks_at_row_1(struct sm *S, const struct kernel *k, struct err *e) {
  assert_true(!S->slow && S->bank_busy == 1 && S->operand_late == 0);
  S->slow = xcalloc_lines(S->ngroup, sizeof *S->slow);
  return storage_flat.plan(S, k, e);
}
static void with_slow_banks(void) { mine.storage.plan = slow_banks_at_row_1; }

static void row_1_is_the_machine_without_them(void **state) {
  (void)state;
  struct result r[2];
  for (unsigned slow = 0; slow < 2; slow++) {
    for (unsigned n = 0; n < 8; n++) {
      ld(4, 256 * n);
      plus(1, 4, 2), plus(5, 1, 1), plus(3, 5, 1), put(4096 + 256 * n, 3);
    }
    H.cfg.rf_banks = 4;
    H.cfg.slot_scheduler = slot_scheduler_two_level;
    H.cfg.sm_promote = sm_promote_oldest;
    r[slow] = go(4, 256, slow ? with_slow_banks : NULL);
    again();
  }
  assert_true(r[0].s.rf_read_conflicts > 100 && r[0].s.rf_write_conflicts > 100);
  stats_equal(&r[0].s, &r[1].s);
}

static void technology_sets_three_keys(void **state) {
  (void)state;
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  assert_true(config_set(&c, "rf.technology=7", 1, &e));
  assert_true(c.rf_banks == 128 && c.rf_latency == 630 && c.rf_bytes == 8 * 262144);
  assert_true(config_set(&c, "rf.technology=4", 1, &e));
  assert_true(c.rf_banks == 16 && c.rf_latency == 160 && c.rf_bytes == 8 * 262144);
  assert_true(config_set(&c, "rf.technology=1", 1, &e));
  assert_true(c.rf_banks == 16 && c.rf_latency == 100 && c.rf_bytes == 262144);
  assert_true(config_set(&c, "rf.ideal=true", 1, &e) && config_set(&c, "rf.technology=6", 1, &e));
  assert_true(c.rf_banks == 16 && c.rf_latency == 100 && c.rf_bytes == 8 * 262144);
  assert_true(config_set(&c, "rf.bytes=131072", 1, &e));
  assert_false(config_set(&c, "rf.technology=1", 1, &e));
  assert_non_null(strstr(e.text, "which makes rf.bytes -1703936, expected 4096 to 16777216 bytes"));
}

/* Two warps, one of them active: warp 1 comes in when warp 0 waits for a miss, and not while it waits for a hit. */
static uint64_t other_begins(bool far, bool hit) {
  if (hit) {
    ld(2, LINE_A), use(3, 2);
    apart();
  }
  const uint32_t load = ld(4, LINE_A), user = use(5, 4);
  H.cfg.slot_scheduler = slot_scheduler_two_level;
  H.cfg.sm_schedulers = 1;
  H.cfg.sm_active_warps = 1;
  H.cfg.sm_demote = far ? sm_demote_far : sm_demote_memory;
  go(1, 64, NULL);
  const bool before = issued(1, load) < issued(0, user);
  again();
  return before;
}

static void demotion_on_misses(void **state) {
  (void)state;
  assert_true(other_begins(true, false));
  assert_true(other_begins(false, false));
  assert_false(other_begins(true, true));
  assert_true(other_begins(false, true));
}

/* Three warps, one active. Each load makes room for the next warp. When the line has come, warp 2 has kept its place, since no other could
 * come; behind it the oldest goes first. */
static void the_oldest_first(void **state) {
  (void)state;
  const uint32_t load = ld(2, LINE_A), user = use(3, 2);
  H.cfg.slot_scheduler = slot_scheduler_two_level;
  H.cfg.sm_schedulers = 1;
  H.cfg.sm_active_warps = 1;
  H.cfg.sm_promote = sm_promote_oldest;
  go(1, 96, NULL);
  assert_true(issued(0, load) < issued(1, load) && issued(1, load) < issued(2, load));
  assert_true(issued(2, user) < issued(0, user) && issued(0, user) < issued(1, user));
}

/* Two warps, one active. Fetch stops behind an atomic whose result is awaited, but what is in front of it, and itself, are to issue: until
 * then the warp does not wait for it. */
static void an_atomic_that_has_not_issued(void **state) {
  (void)state;
  for (unsigned oldest = 0; oldest < 2; oldest++) {
    const uint32_t first = mov(1, 5);
    for (unsigned n = 0; n < 3; n++) use(2, 1), use(1, 2);
    struct insn *i = st(&H.k, T_U32, where(LINE_A), R(1));
    i->op = OP_ATOM;
    i->sub = ATOM_ADD;
    i->dst[i->ndst++] = R(3);
    const uint32_t atomic = last_op();
    use(4, 3);
    H.cfg.slot_scheduler = slot_scheduler_two_level;
    H.cfg.sm_schedulers = 1;
    H.cfg.sm_active_warps = 1;
    H.cfg.sm_promote = oldest ? sm_promote_oldest : sm_promote_turn;
    go(1, 64, NULL);
    assert_true(issued(0, first) < issued(0, atomic) && issued(0, atomic) < issued(1, first));
    assert_true(issued(1, first) < issued(0, atomic + 1));
    again();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(operands_come_later),
      HOOK_TEST(a_bank_is_busy),
      HOOK_TEST(row_1_is_the_machine_without_them),
      cmocka_unit_test(technology_sets_three_keys),
      HOOK_TEST(demotion_on_misses),
      HOOK_TEST(the_oldest_first),
      HOOK_TEST(an_atomic_that_has_not_issued),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
