/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_l1_access: l1.hit, miss, missed and store: one question per access, accesses held and resumed.
 */
#include "hooks_kit.h"

static enum l1_answer busy_first(struct sm *S, const struct txn_view *t, uint32_t mshr) {
  saw_miss(S, t, mshr);
  return T.special && T.special-- ? L1_BUSY : L1_GO;
}
static void with_busy(void) {
  with_misses();
  mine.l1.miss = busy_first;
  T.special = 5;
}

static void one_question_per_access(void **state) {
  (void)state;
  uint32_t load = ld(2, LINE_A), add = use(3, 2);
  ld(4, LINE_A + 8), use(5, 4);
  struct result r = go(1, 64, with_misses);
  uint64_t wait = issued(0, add) - issued(0, load);
  /* two warps: one misses, the other joins; then both hit */
  assert_int_equal(count(MISS), 1);
  assert_int_equal(count(MISSED), 1);
  assert_int_equal(nth(MISS, 0)->at, issued(0, load) + ACCESS);
  assert_int_equal(nth(MISS, 0)->a, line_of(LINE_A));
  assert_int_equal(nth(MISS, 0)->b, nth(MISSED, 0)->b);
  assert_int_equal(count(HIT), 2);
  assert_int_equal(r.s.l1_read_hits, 2);
  assert_int_equal(r.s.l1_read_merges, 1);
  assert_int_equal(r.s.lsu_stall_l1, 0);
  /* refused five times: miss is called in each cycle, missed once, when the request leaves */
  r = go(1, 64, with_busy);
  assert_int_equal(count(MISS), 6);
  for (unsigned n = 0; n < 6; n++) assert_int_equal(nth(MISS, n)->at, issued(0, load) + ACCESS + n);
  assert_int_equal(count(MISSED), 1);
  assert_int_equal(nth(MISSED, 0)->at, nth(MISS, 5)->at);
  assert_int_equal(r.s.lsu_stall_l1, 5);
  assert_int_equal(issued(0, add) - issued(0, load), wait + 5);
}

/* Without a free MSHR miss is not called; missed is not called while the interconnect takes no request. */
static void asked_only_with_an_mshr(void **state) {
  (void)state;
  H.cfg.l1_mshrs = 1;
  ld(2, LINE_A), ld(3, LINE_B), ld(4, LINE_C);
  struct result r = go(1, 32, with_misses);
  assert_int_equal(count(MISS), 3);
  assert_int_equal(count(MISSED), 3);
  assert_true(r.s.lsu_stall_mshr > 0);
  H.cfg.l1_mshrs = 32, H.cfg.noc_credits = 1; /* miss is called at each try, missed once */
  r = go(1, 32, with_misses);
  assert_true(r.s.lsu_stall_credit > 0);
  assert_int_equal(count(MISSED), 3);
}

static void sends_held(struct sm *S) {
  if (!due(S)) return;
  bool left = cache_held_go(S, T.mshr);
  saw(S, GO, left, 0);
  if (!left) T.at++;
}
static void with_held_go(void) {
  with_held_done();
  mine.l1.engine = sends_held;
}

static void held_access(void **state) {
  (void)state;
  uint32_t load = ld(2, LINE_A), add = use(3, 2);
  uint32_t again = ld(4, LINE_A + 8);
  use(5, 4);
  go(1, 64, NULL);
  uint64_t miss = issued(0, add) - issued(0, load);
  /* Done in cycle m + 10: its readers end as an L1 hit of then would. Nothing is filled: the next read misses. */
  struct result r = go(1, 64, with_held_done);
  uint64_t m = nth(MISS, 0)->at, end = m + 10 + (uint64_t)H.cfg.l1_latency - 3;
  assert_int_equal(m, issued(0, load) + ACCESS);
  assert_int_equal(issued(0, add), end);
  assert_in_range(issued(1, add), end, end + 1); /* it joined; two results of one cycle, whose banks differ */
  assert_int_equal(r.s.l1_held, 1);
  assert_int_equal(count(MISS), 2);
  assert_int_equal(nth(MISS, 1)->at, issued(0, again) + ACCESS);
  assert_int_equal(count(MISSED), 1);
  assert_int_equal(r.s.l1_read_misses, 1);
  assert_int_equal(r.s.l1_read_merges, 2);
  assert_int_equal(r.m.req_reads, 1 + r.s.icache_misses);
  /* Sent in cycle m + 10: the miss's time, and 10 cycles. Then the line is there. */
  r = go(1, 64, with_held_go);
  assert_int_equal(issued(0, add) - issued(0, load), miss + 10);
  assert_int_equal(r.s.l1_held, 0);
  assert_int_equal(count(MISS), 1);
  assert_int_equal(count(MISSED), 0);
  assert_int_equal(count(HIT), 2);
  assert_int_equal(r.s.l1_read_misses, 1);
}

/* The link is busy with the request that another miss has just sent. */
static enum l1_answer holds_first(struct sm *S, const struct txn_view *t, uint32_t mshr) {
  if (t->line == line_of(LINE_A)) {
    T.mshr = mshr;
    return L1_HELD;
  }
  T.at = S->now;
  return L1_GO;
}
static void with_no_credit(void) {
  mine.l1.miss = holds_first, mine.l1.engine = sends_held, mine.l1.idle = until_engine;
}
static void held_access_waits_for_credit(void **state) {
  (void)state;
  ld(2, LINE_A), ld(3, LINE_B);
  H.cfg.noc_request_bytes = 4; /* two cycles for the eight bytes of a request */
  struct result r = go(1, 32, with_no_credit);
  assert_int_equal(count(GO), 3);
  for (unsigned n = 0; n < 3; n++) {
    assert_int_equal(nth(GO, n)->a, n == 2);
    assert_int_equal(nth(GO, n)->at, nth(GO, 0)->at + n);
  }
  assert_int_equal(r.s.l1_read_misses, 2);
}

/* ---- hits that the choice ends ---- */

/* The next T.special hits are refused, the one after them is held until the engine ends it. */
static enum l1_answer holds_hit(struct sm *S, const struct txn_view *t, uint32_t way) {
  saw_hit(S, t, way);
  if (T.special && T.special--) return L1_BUSY;
  T.mshr = t->inflight;
  T.at = S->now + T.wait;
  assert_int_equal(lsu_hit_end(S, t), S->now + H.cfg.l1_latency - 3);
  return L1_HELD;
}
static void ends_hit(struct sm *S) {
  if (due(S)) lsu_hit_done(S, T.mshr, S->now, 0);
}
static void with_held_hits(void) {
  with_misses();
  mine.l1.hit = holds_hit, mine.l1.engine = ends_hit, mine.l1.idle = until_engine;
  T.special = 4, T.wait = 25;
}
static void with_early_hits(void) { /* ended at once, but no earlier than it is told */
  with_held_hits();
  T.special = T.wait = 0;
}

static void held_hit(void **state) {
  (void)state;
  ld(2, LINE_A), use(3, 2);
  uint32_t load = ld(4, LINE_A + 8), add = use(5, 4);
  struct result r = go(1, 32, with_misses);
  uint64_t hit = issued(0, add) - issued(0, load);
  uint32_t way = (uint32_t)nth(HIT, 0)->b;
  assert_int_equal(way / (uint32_t)H.cfg.l1_ways,
                   (line_of(LINE_A) >> 7) % (uint32_t)(H.cfg.l1_bytes / 128 / H.cfg.l1_ways));
  r = go(1, 32, with_held_hits);
  assert_int_equal(count(HIT), 5);
  assert_int_equal(r.s.l1_read_hits, 1);
  assert_int_equal(r.s.lsu_stall_l1, 4);
  assert_int_equal(issued(0, add) - issued(0, load), hit + 4 + 25);
  go(1, 32, with_early_hits);
  assert_int_equal(issued(0, add) - issued(0, load), hit);
}

/* ---- H6: stores and atomics ---- */

static void stores_and_atomics_may_be_refused(void **state) {
  (void)state;
  for (int atomic = 0; atomic < 2; atomic++) {
    again();
    op1(&H.k, OP_MOV, T_U32, R(2), I(1));
    uint32_t store = atomic ? red(LINE_B, 2) : put(LINE_B, 2);
    struct result r = go(1, 32, with_stores);
    assert_int_equal(count(STORE), 1);
    assert_int_equal(r.s.lsu_stall_l1, 0);
    uint64_t cycles = r.s.cycles;
    r = go(1, 32, with_refused);
    assert_int_equal(count(STORE), 5);
    for (unsigned n = 0; n < 5; n++) {
      assert_int_equal(nth(STORE, n)->at, issued(0, store) + 1 + ACCESS + n);
      assert_int_equal(nth(STORE, n)->a, line_of(LINE_B));
    }
    assert_int_equal(r.s.lsu_stall_l1, 4);
    assert_int_equal(r.s.cycles, cycles + 4);
    assert_int_equal(atomic ? r.m.req_atomics : r.m.req_writes, 1);
  }
}

/* A store to a line that is held: later loads wait until its MSHR is gone, then miss anew. */
static void store_closes_a_held_access(void **state) {
  (void)state;
  op1(&H.k, OP_MOV, T_U32, R(3), I(1));
  ld(2, LINE_A);
  put(LINE_A + 4, 3);
  apart();
  uint32_t again = ld(4, LINE_A + 8);
  struct result r = go(1, 32, with_held_long);
  uint64_t done = nth(MISS, 0)->at + 60;
  assert_int_equal(count(MISS), 2);
  assert_int_equal(nth(MISS, 1)->at, done + 1);
  assert_int_equal(r.s.lsu_stall_mshr, done + 1 - (issued(0, again) + ACCESS));
  assert_int_equal(r.s.l1_held, 1);
  assert_int_equal(r.s.l1_read_misses, 1);
}

/* The hooks of each SM are called for its own L1. */
static void an_l1_for_each_sm(void **state) {
  (void)state;
  ld(2, LINE_A), use(3, 2);
  ld(4, LINE_A + 8), use(5, 4);
  struct result r = go_in((struct scale){2, 1, 2, 32}, with_misses);
  static const enum what once[] = {MISS, MISSED, HIT};
  for (unsigned k = 0; k < 3; k++) {
    assert_int_equal(count(once[k]), 2);
    assert_int_equal(nth(once[k], 0)->sm + nth(once[k], 1)->sm, 1); /* one on each */
    for (unsigned n = 0; n < 2; n++) assert_int_equal(nth(once[k], n)->a, line_of(LINE_A));
  }
  for (unsigned i = 0; i < 2; i++) {
    assert_int_equal(r.sm[i].l1_read_misses, 1);
    assert_int_equal(r.sm[i].l1_read_hits, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(one_question_per_access),
      HOOK_TEST(asked_only_with_an_mshr),
      HOOK_TEST(held_access),
      HOOK_TEST(held_access_waits_for_credit),
      HOOK_TEST(held_hit),
      HOOK_TEST(stores_and_atomics_may_be_refused),
      HOOK_TEST(store_closes_a_held_access),
      HOOK_TEST(an_l1_for_each_sm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
