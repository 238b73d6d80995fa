/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shrf: a loop that lanes leave in different passes, with SHRF's small file and values checked. The code after the loop lies in the strand that
 * the loop's header begins. Only some lanes began that strand last; the others waited in its middle, and their warp may have lost its entries meanwhile.
 */
#include "sm_kit.h"

static void small_file(struct config *c) {
  checked(c);
  c->slot_storage = slot_storage_shrf;
  c->slot_scheduler = slot_scheduler_two_level;
  c->sm_promote = sm_promote_oldest;
  c->sm_schedulers = 1;
  c->sm_active_warps = 4;
  c->l1_bytes = 0; /* each load is far: its warp leaves the active set and returns to the entries of other warps */
}

enum { LOOP = 2, OUT = 9, CTAS = 4, THREADS = 128, WARPS = CTAS * THREADS / 32 };

/* Lane l leaves the loop in pass l % passes. */
static struct run looped(unsigned passes) {
  struct config c;
  struct make k = kernel_begin();
  op2(&k, OP_AND, T_B32, R(4), SR(SR_LANEID), I(passes - 1));
  op1(&k, OP_MOV, T_U32, R(5), I(0));
  op2(&k, OP_ADD, T_U32, R(2), R(5), SR(SR_TID_X)); /* LOOP: a strand begins */
  setp(&k, C_LT, P(0), R(5), R(4));
  brap(&k, OUT, 0)->guard.neg = 1;
  op2(&k, OP_ADD, T_U32, R(5), R(5), I(1));
  op1(&k, OP_LD, T_U32, R(6), I2(GLOBAL_BASE + 4096))->space = SP_GLOBAL;
  sum(&k, 7, 6, 6); /* another strand: the warp waits for the load */
  bra(&k, LOOP);
  sum(&k, 8, 2, 2); /* OUT: the strand of LOOP */
  sum(&k, 8, 8, 2);
  kernel_done(&k, 10);
  small_file(&c);
  const struct run r = run(&c, &k, CTAS, THREADS);
  arena_free(&k.m->arena), free(k.m);
  return r;
}

/* At OUT all four operands come from the main file. Before, each of four passes reads two operands there and one from an entry, the copy of R5; each of
 * three ways back reads three. */
static void lanes_meet_in_the_middle_of_a_strand(void **state) {
  (void)state;
  const struct run r = looped(4);
  assert_int_equal(r.s.main_reads, WARPS * (4 * 2 + 3 * 3 + 4));
  assert_int_equal(r.s.rf_reads, WARPS * 4);
}

/* All lanes leave in the first pass, and began the strand together: at OUT they read entries. */
static void lanes_stay_in_a_strand(void **state) {
  (void)state;
  const struct run r = looped(1);
  assert_int_equal(r.s.main_reads, WARPS * 2);
  assert_int_equal(r.s.rf_reads, WARPS * (1 + 4));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_meet_in_the_middle_of_a_strand),
                                     cmocka_unit_test(lanes_stay_in_a_strand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
