/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_victim_port: l1.ported and the victim port, the l1 choice's access to rows of the register file.
 */
#include "hooks_kit.h"

static unsigned puts_n;
static void saw_ported(struct sm *S, uint32_t tag) { saw(S, PORTED, tag, 0); }
/* In the cycle T.at: a write and three reads; a fifth does not fit. */
static void puts_four(struct sm *S) {
  if (!due(S)) return;
  for (uint32_t n = 0; n < 5; n++) {
    bool fits = victim_port_put(S, n ? RF_READ : RF_WRITE, 100 + n / 2, 50 + n);
    assert_int_equal(fits, n < 4);
  }
}
static void issue_starts(struct sm *S, unsigned w, const struct warp_inst *inst) {
  saw_issue(S, w, inst);
  if (inst->op == T.op) T.at = S->now + T.wait;
}
static void with_port(void) {
  mine.storage.issue = issue_starts;
  mine.l1.ported = saw_ported, mine.l1.engine = puts_four, mine.l1.idle = until_engine;
  T.op = 0, T.wait = 20;
}

static void victim_port_is_in_order(void **state) {
  (void)state;
  ld(2, LINE_A), use(3, 2);
  struct result base = go(1, 32, NULL), r = go(1, 32, with_port);
  assert_int_equal(count(PORTED), 4);
  for (unsigned n = 0; n < 4; n++) { /* put in x: granted in x+1, x+2..., reported one cycle later */
    assert_int_equal(nth(PORTED, n)->a, 50 + n);
    assert_int_equal(nth(PORTED, n)->at, issued(0, 0) + 20 + 2 + n);
  }
  assert_int_equal(r.s.cycles, base.s.cycles);
  assert_int_equal(r.s.rf_writes, base.s.rf_writes + 1);
  assert_int_equal(r.s.rf_reads, base.s.rf_reads + 3);
  assert_int_equal(r.s.rf_read_conflicts, base.s.rf_read_conflicts);
  assert_int_equal(r.s.rf_write_conflicts, base.s.rf_write_conflicts);
}

static int put_what;
static void puts_one(struct sm *S) {
  if (due(S)) assert_true(victim_port_put(S, put_what, 3, 7));
}
static void with_one(void) {
  with_port();
  mine.l1.engine = puts_one;
  T.op = 1, T.wait = puts_n;
}

static void victim_port_takes_turns(void **state) {
  (void)state;
  H.cfg.rf_banks = 1;
  ld(2, LINE_A);
  struct insn *i = op2(&H.k, OP_FMA, T_F32, R(5), R(5), R(6)); /* three operands of the one bank */
  i->src[i->nsrc++] = R(7);
  i->rnd = R_RN;
  uint32_t next = use(6, 5);
  struct result base = go(1, 32, NULL);
  uint64_t wait = issued(0, next) - issued(0, 1);
  /* A read, put when the unit has got its first operand: the port's turn comes before the unit's second. */
  put_what = RF_READ, puts_n = 1;
  struct result r = go(1, 32, with_one);
  assert_int_equal(nth(PORTED, 0)->at, issued(0, 1) + 3);
  assert_int_equal(issued(0, next) - issued(0, 1), wait + 1);
  assert_int_equal(r.s.rf_reads, base.s.rf_reads + 1);
  assert_int_equal(r.s.rf_read_conflicts, base.s.rf_read_conflicts + 1); /* the unit waits in that one cycle */
  /* A write, in the cycle in which the result is written: the result goes first. */
  put_what = RF_WRITE, puts_n = (unsigned)wait - 1;
  r = go(1, 32, with_one);
  assert_int_equal(nth(PORTED, 0)->at, issued(0, next) + 2);
  assert_int_equal(issued(0, next) - issued(0, 1), wait);
  assert_int_equal(r.s.rf_writes, base.s.rf_writes + 1);
  assert_int_equal(r.s.rf_write_conflicts, base.s.rf_write_conflicts + 1);
}

/* In every cycle as many as fit: the launch ends with a full port, which the next one does not see. */
static void puts_always(struct sm *S) {
  while (victim_port_put(S, T.w % 3 ? RF_READ : RF_WRITE, T.w % 64, T.w)) T.w++;
}
static void with_always(void) { mine.l1.ported = saw_ported, mine.l1.engine = puts_always; }
static void port_is_empty_at_the_end(void **state) {
  (void)state;
  ld(2, LINE_A), use(3, 2);
  struct result base = go_again(1, 32, NULL), r = go_again(1, 32, with_always);
  uint64_t granted = r.s.rf_reads + r.s.rf_writes - base.s.rf_reads - base.s.rf_writes;
  assert_in_range(granted, count(PORTED), count(PORTED) + 2); /* of each launch, one in its last cycle at most */
  assert_in_range(count(PORTED), r.s.cycles - 10, r.s.cycles);
}

static void rows_have_banks(struct sm *S) {
  for (unsigned w = 0; w < S->nwarp; w++)
    for (unsigned r = 0; r < S->warp_regs; r++)
      assert_int_equal(rf_row_bank(S, S->warp[w].row + r), rf_bank(S, r, S->warp[w].rf_slot));
  T.w++;
}
static void with_rows(void) { mine.l1.engine = rows_have_banks; }
static void bank_of_a_row(void **state) {
  (void)state;
  ld(2, LINE_A), use(3, 2);
  H.regs = 27;
  for (H.cfg.rf_banks = 5; H.cfg.rf_banks <= 16; H.cfg.rf_banks += 11) {
    go(3, 96, with_rows);
    assert_true(T.w > 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(victim_port_is_in_order),
      HOOK_TEST(victim_port_takes_turns),
      HOOK_TEST(port_is_empty_at_the_end),
      HOOK_TEST(bank_of_a_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
