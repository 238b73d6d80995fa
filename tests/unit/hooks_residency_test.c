/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_residency: the hooks of the l1 choice that a residency calls, and a residency on several SMs.
 */
#include "hooks_kit.h"

static void asks(struct sm *S) {
  l1_window(S);
  bool free = l1_lease(S, T.wait < 3, 40 + T.wait);
  saw(S, COMMIT, (uint64_t)free, (uint64_t)l1_mode(S));
  T.wait++;
}
static uint64_t awake(struct sm *S) { return T.wait < 12 ? 0 : NEVER + 0 * S->now; }
static void window(struct sm *S) { saw(S, WINDOW, 0, 0); }
static bool lease(struct sm *S, bool hold, uint32_t first) {
  saw(S, LEASE, hold, first);
  return T.wait >= 5;
}
static int mode(struct sm *S) {
  saw(S, MODE, 0, 0);
  return T.wait >= 7 ? 2 : 1;
}
static void l1_after(struct sm *S) { saw(S, COMMIT, 9, 9); }
static void with_lease(void) {
  mine.residency.commit = asks, mine.residency.idle = awake;
  mine.l1.window = window, mine.l1.lease = lease, mine.l1.mode = mode, mine.l1.commit = l1_after;
}
static void with_asks(void) { mine.residency.commit = asks, mine.residency.idle = awake; }

static void residency_asks_l1(void **state) {
  (void)state;
  ld(2, LINE_A), use(3, 2);
  go(1, 32, with_lease);
  for (unsigned n = 0; n < 12; n++) { /* in each cycle in which the residency is awake, before the l1's own commit */
    const struct seen *s = nth(LEASE, n);
    assert_int_equal(s->at, nth(LEASE, 0)->at + n);
    assert_int_equal(s->a, n < 3);
    assert_int_equal(s->b, 40 + n);
    assert_int_equal(nth(WINDOW, n)->at, s->at);
    assert_int_equal(nth(MODE, n)->at, s->at);
    assert_int_equal(nth(COMMIT, 2 * n)->a, n >= 5);
    assert_int_equal(nth(COMMIT, 2 * n)->b, n >= 7 ? 2 : 1);
    assert_int_equal(nth(COMMIT, 2 * n + 1)->a, 9);
    assert_int_equal(nth(COMMIT, 2 * n + 1)->at, s->at);
  }
  go(1, 32, with_asks); /* an l1 choice without these hooks: it holds no register, its mode is 0 */
  assert_int_equal(nth(COMMIT, 0)->a, true);
  assert_int_equal(nth(COMMIT, 0)->b, 0);
}

/* ---- gpu/dispatch: CTAs of an SM whose residency holds them back ---- */

enum { HELD_UNTIL = 700 };
static int launches_late(struct sm *S, unsigned *rf_slot) {
  return S->id == 1 && S->now < HELD_UNTIL ? -1 : cta_lowest(S, rf_slot);
}
static uint64_t until_launch(struct sm *S) { return S->id == 1 && S->now < HELD_UNTIL ? HELD_UNTIL - S->now : NEVER; }
static void cta_event(struct sm *S, unsigned c, enum cta_event event) {
  if (event == CTA_ENDED) saw(S, END, S->cta[c].index, 0);
}
static enum move warp_begins(struct sm *S, unsigned w, enum warp_move what) {
  if (what == WARP_BEGIN) saw(S, WARP, S->cta[S->warp[w].cta].index, 0);
  return MOVE_DONE;
}
static void with_late_launches(void) {
  mine.residency.launch = launches_late, mine.residency.idle = until_launch, mine.residency.cta = cta_event;
  mine.storage.warp = warp_begins;
}

/* Two CTAs fit into an SM. SM 1 begins none before HELD_UNTIL, so it is given no spares, and the rest of the grid goes to
 * SM 0; its own two go back at each quantum's end and are given to it again, since SM 0 has no free slot. */
static void held_back_on_one_of_two_sms(void **state) {
  (void)state;
  static const uint32_t order[2][6] = {{0, 2, 4, 5, 6, 7}, {1, 3}};
  static const unsigned ctas[2] = {6, 2};
  H.cfg.sm_ctas = 2;
  ld(2, LINE_A), use(3, 2);
  struct result r = go_in((struct scale){2, 1, 8, 32}, with_late_launches);
  unsigned begun[2] = {0}, ended[2] = {0};
  for (unsigned i = 0; i < T.n; i++) {
    const struct seen *s = &T.seen[i];
    if (s->what == WARP) {
      assert_true(begun[s->sm] < ctas[s->sm]);
      assert_int_equal(s->a, order[s->sm][begun[s->sm]++]);
      if (s->sm == 1 && begun[1] == 1) assert_int_equal(s->at, HELD_UNTIL);
    }
    if (s->what == END) assert_true(++ended[s->sm] <= begun[s->sm]);
  }
  for (unsigned i = 0; i < 2; i++) {
    assert_int_equal(begun[i], ctas[i]);
    assert_int_equal(ended[i], ctas[i]);
    assert_int_equal(r.sm[i].ctas, ctas[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(residency_asks_l1),
      HOOK_TEST(held_back_on_one_of_two_sms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
