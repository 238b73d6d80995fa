/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_common: the hooks that every slot has: commit, idle, skip, quantum and end, on one SM and on several.
 */
#include "hooks_kit.h"

/* The word of the buffer to which the kernels add by atomics. */
static uint32_t counter(void) { return *(const uint32_t *)memory_at(T.image, (uint32_t)where(LINE_B), 4); }

#define COUNTS(slot, number)                                                                      \
  static void slot##_commits(struct sm *S) { saw(S, COMMIT, number, 0); }                         \
  static void slot##_skips(struct sm *S, uint64_t n) { saw(S, SKIP, number, n); }                 \
  static void slot##_meets(struct sm *S) { saw(S, QUANTUM, number, counter()); }                  \
  static bool slot##_ends(struct sm *S, struct err *e) {                                          \
    saw(S, END, number, 0);                                                                       \
    return T.special != (number) || T.w != S->id ||                                               \
           err_at(e, NULL, 0, 0, "the law of slot %u on SM %u", T.special, S->id);                \
  }                                                                                               \
  static uint64_t slot##_idles(struct sm *S) { return 7 + (number) + 0 * S->now; }                \
  static void slot##_takes(void) {                                                                \
    mine.slot.commit = slot##_commits, mine.slot.skip = slot##_skips;                             \
    mine.slot.quantum = slot##_meets, mine.slot.end = slot##_ends, mine.slot.idle = slot##_idles; \
  }
COUNTS(residency, 1)
COUNTS(storage, 2)
COUNTS(collector, 3)
COUNTS(scheduler, 4)
COUNTS(l1, 5)
static void with_common(void) {
#define TAKE(slot) slot##_takes();
  EACH_SLOT(TAKE)
}
static unsigned broken, broken_sm;
static void with_broken(void) {
  with_common();
  T.special = broken, T.w = broken_sm;
}
static void broken_laws(unsigned sms) {
  broken_sm = sms - 1;
  for (broken = 1; broken <= 5; broken++) {
    struct result r;
    struct err e = {0};
    char text[64];
    assert_false(simulate(&H.cfg, (struct scale){sms, 1, sms, 32}, with_broken, &r, &e));
    snprintf(text, sizeof text, "the law of slot %u on SM %u", broken, broken_sm);
    assert_string_equal(e.text, text);
    assert_int_equal(count(END), 5 * broken_sm + broken);
  }
}

static void every_slot_commits_in_order(void **state) {
  (void)state;
  ld(2, LINE_A), use(3, 2);
  struct result r = go(1, 32, with_common);
  uint64_t skipped[6] = {0}, longest = 0;
  unsigned commits[6] = {0}, last = 5;
  for (unsigned i = 0; i < T.n; i++) {
    const struct seen *s = &T.seen[i];
    if (s->what == COMMIT) {
      assert_int_equal(s->a, last % 5 + 1); /* residency, storage, collector, scheduler, l1 */
      last = (unsigned)s->a;
      commits[s->a]++;
    }
    if (s->what == SKIP) skipped[s->a] += s->b, longest = s->b > longest ? s->b : longest;
  }
  for (unsigned slot = 1; slot <= 5; slot++) assert_int_equal(commits[slot] + skipped[slot], r.s.cycles);
  assert_int_equal(longest, 7 + 1 - 1); /* the least idle is residency's: 8 cycles from one that runs to the next */
  assert_int_equal(count(QUANTUM), 5 * r.m.cycles / (uint64_t)H.cfg.noc_latency);
  assert_int_equal(count(END), 5);
  broken_laws(1);
}

/* Every SM's slots meet at each quantum's end, SM by SM, when the stores and atomics of all SMs are done. */
static void quantum_of_several_sms(void **state) {
  (void)state;
  const unsigned sms = 2;
  const uint64_t latency = (uint64_t)H.cfg.noc_latency;
  mov(1, 1);
  ld(2, LINE_A), use(3, 2);
  red(LINE_B, 1);
  struct result r = go_in((struct scale){sms, 1, 2 * sms, 32}, with_common);
  const unsigned quanta = (unsigned)(r.m.cycles / latency);
  uint64_t counted = 0, rises = 0, cycles[2] = {0};
  unsigned n = 0;
  for (unsigned i = 0; i < T.n; i++) {
    const struct seen *s = &T.seen[i];
    if (s->what == COMMIT && s->a == 1) cycles[s->sm]++;
    if (s->what == SKIP && s->a == 1) cycles[s->sm] += s->b;
    if (s->what != QUANTUM) continue;
    assert_int_equal(s->at, (n / (5 * sms) + 1) * latency);
    assert_int_equal(s->sm, n / 5 % sms);
    assert_int_equal(s->a, n % 5 + 1);
    if (n % (5 * sms)) assert_int_equal(s->b, counted); /* every SM finds the same memory */
    else rises += s->b > counted, assert_true(s->b >= counted);
    counted = s->b;
    n++;
  }
  assert_int_equal(n, 5 * sms * quanta);
  assert_int_equal(counted, 2 * sms * 32); /* 32 lanes of each CTA have added 1 */
  assert_true(rises >= 1);
  for (unsigned i = 0; i < sms; i++) {
    assert_int_equal(cycles[i], r.sm[i].cycles - r.sm[i].drain_cycles);
    assert_int_equal(r.sm[i].ctas, 2);
  }
  assert_int_equal(count(END), 5 * sms);
  for (unsigned i = 0; i < 5 * sms; i++) {
    assert_int_equal(nth(END, i)->sm, i / 5);
    assert_int_equal(nth(END, i)->a, i % 5 + 1);
  }
  broken_laws(sms);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(every_slot_commits_in_order),
      HOOK_TEST(quantum_of_several_sms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
