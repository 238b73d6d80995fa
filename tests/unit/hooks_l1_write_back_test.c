/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_l1_write_back: l1.evict, store and miss with l1.write=back: stores allocate, so they wait for a victim as fills
 * do, and dirty victims are written to L2.
 */
#include "hooks_kit.h"

static void write_back(void) {
  again();
  one_set(1);
  H.cfg.l1_write = l1_write_back;
  mov(1, 9);
}

static bool stores(struct sm *S, uint32_t line) {
  saw(S, STORE, line, 0);
  return true;
}
static void with_all(void) {
  with_evicts();
  mine.l1.store = stores;
}
static void with_all_busy(void) {
  with_all();
  T.special = 5;
}
static void with_all_late(void) {
  with_all();
  T.special = 1000;
}
static enum l1_answer evicts_at_once(struct sm *S, uint32_t line, unsigned owner) {
  saw(S, EVICT, line, owner);
  return L1_GO;
}
static void with_store_refused(void) {
  with_refused();
  mine.l1.evict = evicts_at_once;
}
static void with_victim_held(void) {
  with_victims();
  mine.l1.store = stores, mine.l1.engine = NULL, mine.l1.idle = NULL; /* installs nothing: the store asks again */
  T.special = 3;
}

static void asked_in_each_cycle(enum what what, unsigned n, uint32_t line) {
  assert_int_equal(count(what), n);
  for (unsigned k = 0; k < n; k++) {
    assert_int_equal(nth(what, k)->at, nth(what, 0)->at + k);
    assert_int_equal(nth(what, k)->a, line_of(line));
  }
}

static void dirty_victim_leaves(void **state) {
  (void)state;
  write_back();
  put_line(LINE_A, 1);
  put_line(LINE_B, 1);
  apart();
  ld(4, LINE_B + 4), use(5, 4);
  struct result r = go(1, 32, with_all);
  assert_int_equal(count(STORE), 2);
  assert_int_equal(nth(STORE, 0)->a, line_of(LINE_A));
  assert_int_equal(nth(STORE, 1)->a, line_of(LINE_B));
  asked_in_each_cycle(EVICT, 1, LINE_A);
  assert_int_equal(nth(EVICT, 0)->at, nth(STORE, 1)->at);
  assert_int_equal(count(HIT), 1);
  assert_int_equal(count(MISS), 0);
  assert_int_equal(r.s.l1_writes, 2);
  assert_int_equal(r.s.l1_write_hits, 0);
  assert_int_equal(r.s.l1_write_fetches, 0);
  assert_int_equal(r.s.l1_evictions, 1);
  assert_int_equal(r.s.l1_writebacks, 1);
  assert_int_equal(r.m.req_writes, 1); /* A; B stays in the L1 */
}

/* The owner is the last load; a store neither sets nor changes it. 0: only stores have used the line. */
static void owner_of_a_written_line(void **state) {
  (void)state;
  write_back();
  uint32_t first = ld(2, LINE_C);
  use(3, 2);
  put_line(LINE_A, 1); /* evicts C */
  put_line(LINE_B, 1); /* evicts A */
  apart();
  uint32_t hit = ld(2, LINE_B);
  use(3, 2);
  put_line(LINE_A, 1); /* evicts B */
  struct result r = go(1, 32, with_all);
  assert_int_equal(count(EVICT), 3);
  assert_int_equal(nth(EVICT, 0)->b, line_owner(r.code_base + 8 * first));
  assert_true(nth(EVICT, 0)->b != 0);
  assert_int_equal(nth(EVICT, 1)->b, 0);
  assert_int_equal(nth(EVICT, 2)->b, line_owner(r.code_base + 8 * hit));
  /* A store that fetches the rest of its sector keeps the owner, too. */
  write_back();
  H.cfg.l1_sector = true;
  uint32_t load = ld(2, LINE_A);
  use(3, 2);
  put(LINE_A + 64, 1);
  apart();
  ld(2, LINE_B), use(3, 2);
  r = go(1, 32, with_all);
  assert_int_equal(r.s.l1_write_fetches, 1);
  asked_in_each_cycle(EVICT, 1, LINE_A);
  assert_int_equal(nth(EVICT, 0)->b, line_owner(r.code_base + 8 * load));
}

/* A load is known by its address, folded five bits at a time: as LM folds it (docs/blocks/linebacker/overview.md). */
static void owner_of_an_address(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 10000; k++) {
    const uint32_t address = k * 2654435761u;
    unsigned want = 0;
    for (unsigned shift = 0; shift < 32; shift += 5) want ^= address >> shift & 31;
    assert_int_equal(line_owner(address), want);
  }
}

/* The store asks for its victim's place in each cycle; it has been accepted before, and in each cycle again. */
static void store_waits_for_its_victim(void **state) {
  (void)state;
  write_back();
  ld(2, LINE_A), use(3, 2);
  put_line(LINE_B, 1);
  apart();
  ld(4, LINE_B + 4), use(5, 4);
  struct result r = go(1, 32, with_all_busy);
  asked_in_each_cycle(EVICT, 6, LINE_A);
  asked_in_each_cycle(STORE, 6, LINE_B);
  assert_int_equal(nth(STORE, 0)->at, nth(EVICT, 0)->at);
  assert_int_equal(r.s.lsu_stall_l1, 5);
  assert_int_equal(r.s.l1_evictions, 1);
  assert_int_equal(r.s.l1_writebacks, 0); /* A is clean */
  assert_int_equal(count(HIT), 1);
  assert_true(nth(HIT, 0)->at > nth(EVICT, 5)->at);
  /* HELD: as BUSY; nothing is to be installed. */
  r = go(1, 32, with_victim_held);
  asked_in_each_cycle(EVICT, 4, LINE_A);
  assert_int_equal(r.s.lsu_stall_l1, 3);
  assert_int_equal(r.s.l1_evictions, 1);
}

/* A victim that may leave does leave: it is not asked for while the store is refused. */
static void refused_store_evicts_nothing(void **state) {
  (void)state;
  write_back();
  ld(2, LINE_A), use(3, 2);
  put_line(LINE_B, 1);
  struct result r = go(1, 32, with_store_refused);
  asked_in_each_cycle(STORE, 5, LINE_B);
  asked_in_each_cycle(EVICT, 1, LINE_A);
  assert_int_equal(nth(EVICT, 0)->at, nth(STORE, 4)->at);
  assert_int_equal(r.s.lsu_stall_l1, 4);
  assert_int_equal(r.s.l1_evictions, 1);
}

/* A store of a part of a sector: the line that it fetches comes while the store still waits for the victim, and waits with
 * it. The victim is asked for once in each cycle. What the store has written is not lost. */
static void partial_store_waits_with_its_fill(void **state) {
  (void)state;
  write_back();
  ld(2, LINE_A), use(3, 2);
  put(LINE_B, 1);
  apart();
  ld(4, LINE_C), use(5, 4);
  struct result r = go(1, 32, with_all_late);
  assert_int_equal(count(EVICT), 1002); /* A refused 1000 times, then A for B, B for C */
  for (unsigned n = 0; n < 1001; n++) {
    assert_int_equal(nth(EVICT, n)->at, nth(EVICT, 0)->at + n);
    assert_int_equal(nth(EVICT, n)->a, line_of(LINE_A));
  }
  assert_int_equal(nth(EVICT, 1001)->a, line_of(LINE_B));
  assert_int_equal(nth(STORE, count(STORE) - 1)->at, nth(EVICT, 1000)->at); /* in the cycle in which B is installed */
  assert_int_equal(r.s.l1_write_fetches, 1);
  assert_int_equal(r.s.l1_writes, 1);
  assert_int_equal(r.s.l1_evictions, 2);
  assert_int_equal(r.s.l1_writebacks, 1);
  assert_int_equal(r.m.req_writes, 1);
}

static void store_to_a_held_line(void **state) {
  (void)state;
  write_back(); /* a whole line: it is in the L1 at once, and later loads hit it */
  ld(2, LINE_A);
  put_line(LINE_A, 1);
  apart();
  ld(4, LINE_A + 8);
  struct result r = go(1, 32, with_held_long);
  assert_int_equal(count(MISS), 1);
  assert_int_equal(count(HIT), 1);
  assert_true(nth(HIT, 0)->at < nth(MISS, 0)->at + 60);
  assert_int_equal(r.s.l1_held, 1);
  assert_int_equal(r.s.lsu_stall_mshr, 0);
  assert_int_equal(r.s.l1_write_fetches, 0);
  write_back(); /* a part of a sector: it waits until the line's MSHR is free, then fetches the rest */
  ld(2, LINE_A);
  put(LINE_A + 4, 1);
  r = go(1, 32, with_held_long);
  assert_int_equal(count(MISS), 1);
  assert_int_equal(r.s.l1_held, 1);
  assert_in_range(r.s.lsu_stall_mshr, 40, 60);
  assert_int_equal(r.s.l1_write_fetches, 1);
  assert_int_equal(r.s.l1_writes, 1);
}

/* A store to a line that waits for its way waits with it, and then hits: the line is not dropped. */
static void store_to_a_waiting_line(void **state) {
  (void)state;
  write_back();
  ld(2, LINE_A), use(3, 2);
  ld(4, LINE_B), use(5, 4);
  put_line(LINE_B, 1);
  apart();
  ld(4, LINE_B + 4), use(5, 4);
  struct result r = go(1, 32, with_evicts_late);
  asked_in_each_cycle(EVICT, 201, LINE_A);
  assert_int_equal(count(MISS), 2);
  assert_int_equal(count(HIT), 1);
  assert_true(nth(HIT, 0)->at > nth(EVICT, 200)->at);
  assert_in_range(r.s.lsu_stall_l1, 150, 200);
  assert_int_equal(r.s.l1_write_hits, 1);
  assert_int_equal(r.s.l1_evictions, 1);
}

/* The launch ends while the choice holds a dirty victim: it is still in the L1, dirty, and is written back later. */
static void launch_ends_with_a_held_dirty_victim(void **state) {
  (void)state;
  static const uint32_t order[] = {LINE_B, LINE_A, LINE_A, LINE_A, LINE_B, LINE_A}; /* A: HELD, BUSY, GO, GO */
  write_back();
  ld(2, LINE_B), use(3, 2);
  put_line(LINE_A, 1); /* evicts B */
  apart();
  ld(4, LINE_B), use(5, 4); /* evicts A; in the first launch it waits for that until the end */
  struct result r = go_again(1, 32, with_victim_kept);
  assert_int_equal(count(EVICT), 6);
  for (unsigned n = 0; n < 6; n++) assert_int_equal(nth(EVICT, n)->a, line_of(order[n]));
  assert_int_equal(count(MISS), 4);
  assert_int_equal(r.s.l1_writes, 2);
  assert_int_equal(r.s.l1_write_hits, 0);
  assert_int_equal(r.s.l1_evictions, 4);
  assert_int_equal(r.s.l1_writebacks, 2); /* A of either launch */
  assert_int_equal(r.m.req_writes, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(dirty_victim_leaves),
      HOOK_TEST(owner_of_a_written_line),
      HOOK_TEST(owner_of_an_address),
      HOOK_TEST(store_waits_for_its_victim),
      HOOK_TEST(refused_store_evicts_nothing),
      HOOK_TEST(partial_store_waits_with_its_fill),
      HOOK_TEST(store_to_a_held_line),
      HOOK_TEST(store_to_a_waiting_line),
      HOOK_TEST(launch_ends_with_a_held_dirty_victim),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
