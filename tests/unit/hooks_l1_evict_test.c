/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_l1_evict: l1.evict and l1.fill: fills that wait for their victim or for the choice, held victims, the owner of a line, shut ways.
 */
#include "hooks_kit.h"

/* Five bits of the code address, bit by bit. */
static unsigned five_bits(uint32_t address) {
  unsigned h = 0;
  for (unsigned b = 0; b < 32; b++) h ^= (address >> b & 1) << b % 5;
  return h;
}

static void fill_waits_for_its_victim(void **state) {
  (void)state;
  one_set(1);
  ld(2, LINE_A), use(3, 2);
  uint32_t last = ld(2, LINE_A + 4);
  use(3, 2);
  uint32_t load = ld(4, LINE_B), add = use(5, 4);
  ld(6, LINE_B + 4), use(7, 6);
  ld(2, LINE_A + 8), use(3, 2);
  go(1, 32, with_evicts);
  uint64_t miss = issued(0, add) - issued(0, load);
  assert_int_equal(count(EVICT), 2); /* A for B, then B for A */
  /* Refused three times: asked in four cycles; the load that brings the line does not wait. */
  struct result r = go(1, 32, with_evicts_busy);
  uint64_t come = nth(EVICT, 0)->at;
  assert_int_equal(issued(0, add), come);
  assert_int_equal(come - issued(0, load), miss);
  for (unsigned n = 0; n < 4; n++) {
    assert_int_equal(nth(EVICT, n)->at, come + n);
    assert_int_equal(nth(EVICT, n)->a, line_of(LINE_A));
    assert_int_equal(nth(EVICT, n)->b, five_bits(r.code_base + 8 * last)); /* the load that hit it last */
  }
  assert_int_equal(r.s.l1_evictions, 2);
  /* Refused for long: the second read of the line is a hit without l1.hit; the victim can be hit, too. */
  r = go(1, 32, with_evicts_late);
  assert_int_equal(r.s.l1_read_hits, 3);
  assert_int_equal(count(HIT), 2);
  assert_int_equal(nth(HIT, 0)->a, line_of(LINE_A));
  assert_int_equal(nth(HIT, 1)->a, line_of(LINE_A));
  assert_int_equal(count(MISS), 2);
}

/* An empty way: no victim is asked for, but the choice is whether the line may go there. */
static enum l1_answer refuses_fill(struct sm *S, uint32_t line, uint32_t way) {
  saw(S, GO, line, way);
  return T.special && T.special-- ? L1_BUSY : L1_GO;
}
static void with_fills_busy(void) {
  with_evicts();
  mine.l1.fill = refuses_fill;
  T.special = 300;
}
static void fill_waits_for_the_choice(void **state) {
  (void)state;
  one_set(1);
  ld(2, LINE_A), use(3, 2);
  ld(4, LINE_A + 4), use(5, 4);
  for (unsigned n = 0; n < 60; n++) use(7, 7);
  ld(4, LINE_A + 8), use(5, 4);
  struct result r = go(1, 32, with_fills_busy);
  assert_int_equal(count(GO), 301);
  for (unsigned n = 0; n < 301; n++) assert_int_equal(nth(GO, n)->at, nth(GO, 0)->at + n);
  assert_int_equal(nth(GO, 0)->a, line_of(LINE_A));
  assert_int_equal(count(EVICT), 0);
  assert_int_equal(r.s.l1_read_hits, 2); /* the first while the line waits, without l1.hit */
  assert_int_equal(count(HIT), 1);
  assert_int_equal(r.s.l1_read_misses, 1);
}

/* A shut way keeps no line: with one of two, the set has one; with none, each read misses. */
static bool shuts_ways(struct sm *S, const struct kernel *k, struct err *e) {
  (void)k, (void)e;
  cache_more_ways(S, 2);
  if (T.special) cache_way_open(S, 1);
  assert_int_equal(cache_way_used(S, 0), NEVER);
  return true;
}
static void with_none_open(void) {
  with_misses();
  mine.l1.plan = shuts_ways;
}
static void with_one_open(void) {
  with_none_open();
  T.special = 1;
}
static void shut_ways(void **state) {
  (void)state;
  one_set(2);
  for (unsigned n = 0; n < 2; n++) ld(2, LINE_A), use(3, 2);
  ld(2, LINE_B), use(3, 2);
  ld(2, LINE_A), use(3, 2);
  struct result r = go(1, 32, with_misses);
  assert_int_equal(r.s.l1_read_hits, 2);
  r = go(1, 32, with_one_open);
  assert_int_equal(r.s.l1_read_hits, 1);
  assert_int_equal(r.s.l1_read_misses, 3);
  assert_int_equal(nth(HIT, 0)->b, 1);
  assert_int_equal(r.s.l1_evictions, 2);
  r = go(1, 32, with_none_open);
  assert_int_equal(r.s.l1_read_misses, 4);
  assert_int_equal(r.s.l1_evictions, 0);
}

/* Two lines come; the second waits behind the first. */
static void fills_wait_in_order(void **state) {
  (void)state;
  one_set(1);
  ld(2, LINE_A), use(3, 2);
  ld(4, LINE_B), ld(5, LINE_C);
  use(6, 4), use(7, 5);
  for (unsigned n = 0; n < 60; n++) use(7, 7);
  struct result r = go(1, 32, with_evicts_late);
  assert_int_equal(count(EVICT), 202); /* 200 refused, then A leaves for B, and B at once for C */
  assert_int_equal(nth(EVICT, 200)->a, line_of(LINE_A));
  assert_int_equal(nth(EVICT, 201)->a, line_of(LINE_B));
  assert_int_equal(nth(EVICT, 201)->at, nth(EVICT, 200)->at);
  assert_int_equal(nth(EVICT, 200)->at, nth(EVICT, 0)->at + 200);
  assert_int_equal(r.s.l1_evictions, 2);
}

static void drops(void (*with)(void), bool once) {
  for (int atomic = 0; atomic < 2; atomic++) {
    again();
    one_set(1);
    ld(2, LINE_A), use(3, 2);
    ld(4, LINE_B), use(5, 4);
    uint32_t store = atomic ? red(LINE_B, 5) : put(LINE_B, 5);
    apart();
    ld(6, LINE_B + 4), use(7, 6);
    struct result r = go(1, 32, with);
    uint64_t passes = issued(0, store) + 1 + ACCESS;
    uint64_t come = nth(EVICT, 0)->at, asked = once ? 1 : passes - come + 1; /* in each cycle up to the store's own */
    assert_true(passes > come);
    for (unsigned n = 0; n < asked; n++) assert_int_equal(nth(EVICT, n)->at, come + n);
    assert_true(count(EVICT) == asked ||
                nth(EVICT, (unsigned)asked)->at > passes + 30); /* no more, until B comes again */
    assert_int_equal(count(MISS), 3);                           /* A, B, and B again: it was not installed */
    assert_int_equal(r.s.l1_read_hits, 0);
  }
}

static void store_drops_a_waiting_fill(void **state) {
  (void)state;
  drops(with_evicts_never, false);
  drops(with_victims, true); /* its way is reserved, and becomes free all the same */
}

static void reserved_way(void **state) {
  (void)state;
  one_set(2);
  ld(2, LINE_A), use(3, 2);
  ld(2, LINE_B), use(3, 2);
  ld(4, LINE_C);
  uint32_t add = use(5, 4);
  uint32_t hit = ld(6, LINE_A + 4); /* the victim is in its way until the choice has installed the new line */
  use(7, 6);
  for (unsigned n = 0; n < 12; n++) use(7, 7);
  uint32_t miss = ld(6, LINE_A + 4);
  use(7, 6);
  struct result r = go(1, 32, with_victims);
  uint64_t come = nth(EVICT, 0)->at;
  assert_int_equal(issued(0, add), come);
  assert_int_equal(nth(EVICT, 0)->a, line_of(LINE_A));
  assert_int_equal(count(HIT), 1);
  assert_int_equal(nth(HIT, 0)->at, issued(0, hit) + ACCESS);
  assert_true(nth(HIT, 0)->at < come + 30);
  assert_true(issued(0, miss) + ACCESS > come + 30);
  assert_int_equal(count(MISS), 4);
  assert_int_equal(count(EVICT), 2); /* held: not asked again; then B leaves for A (C came later) */
  assert_int_equal(nth(EVICT, 1)->a, line_of(LINE_B));
  assert_int_equal(r.s.l1_evictions, 2);
}

/* A launch that ends while a fill waits: the fill is dropped, the next launch finds nothing of it. */
static void launch_ends_while_a_fill_waits(void **state) {
  (void)state;
  one_set(1);
  ld(2, LINE_A), use(3, 2);
  ld(4, LINE_B), use(5, 4);
  struct result r = go_again(1, 32, with_evicts_never);
  assert_int_equal(r.s.l1_read_hits, 1); /* A in the second launch: it was not evicted */
  assert_int_equal(r.s.l1_evictions, 0);
}

/* The choice holds the victim A of the launch's last fill and installs nothing before the launch ends. */
static bool ends(struct sm *S, struct err *e) {
  (void)e;
  saw(S, END, S->waiting_fills, 0);
  return true;
}
static void with_kept_to_the_end(void) {
  with_victim_kept();
  mine.l1.end = ends;
}

/* In the second launch A is still in its way, which is no longer reserved: B evicts it, refused once. */
static void second_launch_evicts(unsigned misses, unsigned evictions) {
  struct result r = go_again(1, 32, with_kept_to_the_end);
  assert_int_equal(r.s.launches, 2);
  assert_int_equal(r.s.l1_read_hits, 1);
  assert_int_equal(count(HIT), 1);
  assert_int_equal(nth(HIT, 0)->a, line_of(LINE_A));
  assert_int_equal(count(MISS), misses);
  assert_int_equal(count(EVICT), 2 + evictions);
  for (unsigned n = 0; n < 3; n++) assert_int_equal(nth(EVICT, n)->a, line_of(LINE_A));
  assert_int_equal(nth(EVICT, 2)->at, nth(EVICT, 1)->at + 1);
  assert_true(nth(EVICT, 1)->at > nth(HIT, 0)->at);
  assert_int_equal(r.s.l1_evictions, evictions);
  assert_int_equal(count(END), 2);
  for (unsigned n = 0; n < 2; n++) assert_int_equal(nth(END, n)->a, 0); /* nothing waits when `end` is called */
}

static void launch_ends_with_a_held_victim(void **state) {
  (void)state;
  one_set(1);
  ld(2, LINE_A), use(3, 2);
  ld(4, LINE_B), use(5, 4);
  second_launch_evicts(3, 1); /* A, B; B */
  /* Two lines wait, C behind B. */
  again();
  one_set(1);
  ld(2, LINE_A), use(3, 2);
  ld(4, LINE_B), ld(5, LINE_C);
  use(6, 4), use(7, 5);
  second_launch_evicts(5, 2); /* A, B, C; B, C */
  /* The waiting line is dropped by a store before the end. */
  again();
  one_set(1);
  ld(2, LINE_A), use(3, 2);
  ld(4, LINE_B), use(5, 4);
  put(LINE_B, 5);
  second_launch_evicts(3, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(fill_waits_for_its_victim),      HOOK_TEST(fills_wait_in_order),
      HOOK_TEST(store_drops_a_waiting_fill),     HOOK_TEST(reserved_way),
      HOOK_TEST(launch_ends_while_a_fill_waits), HOOK_TEST(launch_ends_with_a_held_victim),
      HOOK_TEST(fill_waits_for_the_choice),      HOOK_TEST(shut_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
