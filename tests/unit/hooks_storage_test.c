/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_storage: storage.warp, fetch, head and plan: warps that begin, enter, leave and end; pseudo instructions.
 */
#include "hooks_kit.h"

static enum warp_move pending;
static enum move saw_warp(struct sm *S, unsigned w, enum warp_move what) {
  saw(S, WARP, w, what);
  if (!T.special || what != pending) return MOVE_DONE;
  T.special--;
  T.w = w;
  T.at = S->now + T.wait;
  gate_close(S, SLOT_STORAGE, w);
  return MOVE_PENDING;
}
static void with_warps(void) {
  mine.storage.warp = saw_warp, mine.storage.engine = opens, mine.storage.idle = until_engine;
}
static void with_pending(void) {
  with_warps();
  T.special = 1, T.wait = 25;
}
static void with_slow(void) {
  with_pending();
  T.wait = 700;
}
/* The n-th event of this kind. */
static const struct seen *event(enum warp_move what, unsigned n) {
  for (unsigned i = 0; i < T.n; i++)
    if (T.seen[i].what == WARP && T.seen[i].b == what && !n--) return &T.seen[i];
  fail_msg("no such event of a warp");
  return NULL;
}

static void warps_come_and_go(void **state) {
  (void)state;
  H.cfg.slot_scheduler = slot_scheduler_two_level;
  H.cfg.sm_schedulers = 1, H.cfg.sm_active_warps = 1;
  ld(2, LINE_A), use(3, 2);
  go(1, 64, with_warps);
  assert_int_equal(event(WARP_BEGIN, 0)->at, event(WARP_BEGIN, 1)->at);
  assert_int_equal(event(WARP_END, 0)->at, event(WARP_END, 1)->at);
  assert_int_equal(event(WARP_IN, 0)->a, 0);
  assert_int_equal(event(WARP_OUT, 0)->a, 0); /* it waits for its load */
  assert_int_equal(event(WARP_IN, 1)->a, 1);
  assert_int_equal(event(WARP_IN, 1)->at, event(WARP_OUT, 0)->at); /* in the same cycle */
  /* Going out takes 25 cycles: until then warp 0 keeps the one active place. */
  pending = WARP_OUT;
  go(1, 64, with_pending);
  assert_int_equal(event(WARP_OUT, 0)->a, 0);
  assert_int_equal(event(WARP_IN, 1)->a, 1);
  assert_int_equal(event(WARP_IN, 1)->at, event(WARP_OUT, 0)->at + 25);
  assert_int_equal(issued(1, 0), event(WARP_IN, 1)->at + 1);
  /* Coming in takes longer than the first fetch: it issues in the cycle of the gate (ENGINE, then ISSUE). */
  pending = WARP_IN;
  go(1, 64, with_slow);
  assert_int_equal(issued(0, 0), event(WARP_IN, 0)->at + 700);
}

static bool before_one(struct sm *S, unsigned w, const struct warp_inst *inst, struct warp_inst *pseudo) {
  (void)S, (void)w, (void)pseudo;
  return inst->op == T.op;
}
static void holds_head(struct sm *S, unsigned w, const struct warp_inst *pseudo) {
  assert_true(pseudo->flags & W_PSEUDO);
  saw(S, HEAD, w, pseudo->op);
  T.w = w, T.at = S->now + T.wait;
  gate_close(S, SLOT_STORAGE, w);
}
static void with_pseudo(void) {
  mine.storage.fetch = before_one;
  T.op = 2;
}
static void with_head(void) {
  with_pseudo();
  mine.storage.head = holds_head, mine.storage.engine = opens, mine.storage.idle = until_engine;
  T.wait = 30;
}

static void pseudo_instruction_is_held(void **state) {
  (void)state;
  for (unsigned n = 0; n < 4; n++) op1(&H.k, OP_MOV, T_U32, R(2 + n), I(1));
  struct result r = go(1, 32, with_pseudo);
  uint64_t before = issued(0, 1), gates = r.s.slot_gate, cycles = r.s.cycles;
  assert_int_equal(nth(PSEUDO, 0)->at, before + 1);
  assert_int_equal(r.s.pseudo_insns, 1);
  r = go(1, 32, with_head);
  assert_int_equal(count(HEAD), 1);
  assert_int_equal(nth(HEAD, 0)->at, before); /* it comes to the head when the instruction before it has issued */
  assert_int_equal(issued(0, 1), before);
  assert_int_equal(nth(PSEUDO, 0)->at, before + 30);
  assert_int_equal(issued(0, 2), before + 31);
  assert_int_equal(r.s.slot_gate, gates + 29); /* cycles in which the warp could have issued it */
  assert_int_equal(r.s.cycles, cycles + 29);
}

static uint32_t slot_of[64];
static bool plan_slots(struct sm *S, const struct kernel *k, struct err *e) {
  S->at = slot_of;
  return storage_flat.plan(S, k, e);
}
static void with_slots(void) { mine.storage.plan = plan_slots; }

static void code_slots_are_addresses(void **state) {
  (void)state;
  for (unsigned n = 0; n < 19; n++) op1(&H.k, OP_MOV, T_U32, R(2), I(n));
  /* 20 instructions: 16 in a line */
  const struct { unsigned stride, first, lines; } t[] = {{1, 0, 2}, {1, 12, 2}, {1, 13, 3}, {2, 0, 3}, {16, 0, 20}};
  assert_int_equal(go(1, 32, NULL).s.icache_misses, 2);
  for (unsigned n = 0; n < sizeof t / sizeof *t; n++) {
    for (unsigned i = 0; i < 20; i++) slot_of[i] = t[n].first + i * t[n].stride;
    assert_int_equal(go(1, 32, with_slots).s.icache_misses, t[n].lines);
  }
}

/* A storage that looks at each result; T.w: how many it has seen, T.mshr: the last lane of the last one. */
static enum result_answer looks(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t *bank,
                                uint32_t *row) {
  T.mshr = result_values(S, &f->inst, k)[31];
  T.w++;
  return storage_flat.result(S, f, k, bank, row);
}
static void with_look(void) { mine.storage.result = looks; }

static void values_are_there_when_checked(void **state) {
  (void)state;
  struct result r;
  struct err e = {0};
  const struct scale scale = {1, 1, 1, 32};
  mov(2, 77);
  assert_true(simulate(&H.cfg, scale, with_look, &r, &e));
  assert_int_equal(T.w, 1);
  assert_int_equal(T.mshr, 77);
  H.cfg.sim_check = false;
  assert_false(simulate(&H.cfg, scale, with_look, &r, &e));
  assert_non_null(strstr(e.text, "result_values: found no values, expected sim.check=true"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(warps_come_and_go),
      HOOK_TEST(pseudo_instruction_is_held),
      HOOK_TEST(code_slots_are_addresses),
      HOOK_TEST(values_are_there_when_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
