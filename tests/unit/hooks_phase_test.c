/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_phase: every hook of sm/slot.def is called in the phase that the list states, and as often. All hooks are replaced by
 * ones that record the call and pass it on to the chosen table; kernels run on several systems, so that each hook is reached.
 */
#include "hooks_kit.h"

#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text) H_##slot##_##name,
#define MUST(slot, name, type, phase, parameters, arguments, text) H_##slot##_##name,
enum hook {
#include "sm/slot.def"
  HOOKS
};

#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text) {#slot "." #name, phase},
#define MUST(slot, name, type, phase, parameters, arguments, text) {#slot "." #name, phase},
static const struct {
  const char *name, *phase;
} hooks[] = {
#include "sm/slot.def"
};

/* ---- calls ---- */

enum { AFTER_COMMIT = 10 };
static const char *const phases[] = {"ARRIVE", "MEMORY", "WRITE",   "DISPATCH", "COLLECT",     "ENGINE",
                                     "ISSUE",  "FETCH",  "CONTROL", "COMMIT",   "after COMMIT"};

static struct {
  unsigned n[HOOKS], ever[HOOKS]; /* calls in this run; in all */
  uint64_t at;                    /* the cycle of the last call */
  unsigned phase;                 /* reached in it */
  unsigned of_phase;              /* calls in that phase */
  unsigned closed;                /* phases whose last hook was called */
  unsigned next;                  /* of each_cycle */
  unsigned plans;                 /* calls of plan, in the order of slots */
  unsigned moves[4], stalled, cta_ended, events[4];
  uint8_t warp_is[WARP_MAX], cta_is[CTA_MAX];
} calls;

/* The phases that slot.def states for a hook, as a mask; 0: outside of a cycle, or any. */
static unsigned stated(enum hook h) {
  const char *text = hooks[h].phase;
  if (!strcmp(text, "after COMMIT")) return 1u << AFTER_COMMIT;
  if (!strncmp(text, "end of", 6)) return 0;
  unsigned mask = 0;
  for (unsigned p = 0; p < AFTER_COMMIT; p++) mask |= (strstr(text, phases[p]) != NULL) << p;
  return mask;
}

/* Hooks that are called once in each cycle that is not jumped over, in this order. */
static const enum hook each_cycle[] = {H_storage_arrive,   H_storage_look,   H_collector_collect, H_residency_engine,
                                       H_storage_engine,   H_l1_engine,      H_scheduler_control, H_residency_control,
                                       H_residency_commit, H_storage_commit, H_collector_commit,  H_scheduler_commit,
                                       H_l1_commit};
enum { EACH_CYCLE = sizeof each_cycle / sizeof *each_cycle };

static void cycle_ends(void) {
  if (calls.next && calls.next < EACH_CYCLE)
    fail_msg("%s is not called in cycle %llu", hooks[each_cycle[calls.next]].name, (unsigned long long)calls.at);
  calls.next = calls.phase = calls.of_phase = calls.closed = 0;
}

/* Calls come in the order of the phases. */
static void in_phase(enum hook h) {
  const unsigned mask = stated(h);
  unsigned p = calls.phase;
  while (p <= AFTER_COMMIT && !(mask >> p & 1)) p++;
  if (p > AFTER_COMMIT)
    fail_msg("%s (%s) is called in or behind %s", hooks[h].name, hooks[h].phase, phases[calls.phase]);
  if (p != calls.phase) calls.of_phase = 0;
  if (calls.closed >> p & 1) fail_msg("%s is called behind the last hook of %s", hooks[h].name, phases[p]);
  if (strstr(hooks[h].phase, ", last")) calls.closed |= 1u << p;
  if (calls.of_phase++ && strstr(hooks[h].phase, ", first"))
    fail_msg("%s is not the first hook called in %s", hooks[h].name, phases[p]);
  calls.phase = p;
  for (unsigned i = 0; i < EACH_CYCLE; i++) {
    if (each_cycle[i] != h) continue;
    if (i != calls.next) fail_msg("%s is called as number %u of a cycle, expected %u", hooks[h].name, calls.next, i);
    calls.next++;
  }
}

static void called(const struct sm *S, enum hook h) {
  calls.n[h]++;
  calls.ever[h]++;
  const bool skip = strstr(hooks[h].name, ".skip") != NULL;
  if (!stated(h)) {
    if (strcmp(hooks[h].phase, "any") && strncmp(hooks[h].phase, "any,", 4)) cycle_ends();
    return;
  }
  if (S->now != calls.at && !skip) cycle_ends();
  calls.at = S->now;
  in_phase(h);
}

#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text)    \
  static type see_##slot##_##name parameters {                                  \
    called(S, H_##slot##_##name);                                               \
    return S->chosen.slot->name ? (S->chosen.slot->name)arguments : (left_out); \
  }
#define MUST(slot, name, type, phase, parameters, arguments, text) \
  static type see_##slot##_##name parameters {                     \
    called(S, H_##slot##_##name);                                  \
    return (S->chosen.slot->name)arguments;                        \
  }
#include "sm/slot.def"

/* ---- calls whose arguments say how often they come ---- */

static bool plan_storage(struct sm *S, const struct kernel *k, struct err *e) {
  assert_int_equal(calls.plans++ % 3, 0);
  return see_storage_plan(S, k, e);
}
static bool plan_residency(struct sm *S, const struct kernel *k, struct err *e) {
  assert_int_equal(calls.plans++ % 3, 1);
  return see_residency_plan(S, k, e);
}
static bool plan_l1(struct sm *S, const struct kernel *k, struct err *e) {
  assert_int_equal(calls.plans++ % 3, 2);
  return see_l1_plan(S, k, e);
}

static enum late late_result(struct sm *S, const struct inflight_view *f) {
  assert_true(((const struct inflight_inst *)f)->away);
  return see_residency_late(S, f);
}

static void cta_event(struct sm *S, unsigned c, enum cta_event event) {
  if (event == CTA_STALLED) assert_false(calls.cta_is[c]); /* once for each change */
  if (event == CTA_READY) assert_true(calls.cta_is[c]);
  calls.cta_is[c] = event == CTA_STALLED;
  calls.stalled += event == CTA_STALLED;
  calls.cta_ended += event == CTA_ENDED;
  see_residency_cta(S, c, event);
}

static enum move warp_moves(struct sm *S, unsigned w, enum warp_move what) {
  calls.moves[what]++;
  return see_storage_warp(S, w, what);
}

enum { HERE = 1, BLOCKED = 2 };
static void warp_event(struct sm *S, unsigned w, enum warp_event event) {
  const uint8_t bit = event == WEV_IN || event == WEV_OUT ? HERE : BLOCKED;
  const bool set = event == WEV_IN || event == WEV_BLOCKED;
  assert_int_equal((calls.warp_is[w] & bit) != 0, !set); /* once for each change */
  calls.warp_is[w] ^= bit;
  calls.events[event]++;
  see_scheduler_warp(S, w, event);
}

static void with_all(void) {
  unsigned ever[HOOKS];
  memcpy(ever, calls.ever, sizeof ever);
  memset(&calls, 0, sizeof calls);
  memcpy(calls.ever, ever, sizeof ever);
#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, hook, type, left_out, phase, parameters, arguments, text) mine.slot.hook = see_##slot##_##hook;
#define MUST(slot, hook, type, phase, parameters, arguments, text) mine.slot.hook = see_##slot##_##hook;
#include "sm/slot.def"
  mine.storage.plan = plan_storage, mine.residency.plan = plan_residency, mine.l1.plan = plan_l1;
  mine.residency.late = late_result, mine.residency.cta = cta_event;
  mine.storage.warp = warp_moves, mine.scheduler.warp = warp_event;
}

/* ---- runs ---- */

static void barrier(void) {
  struct insn *i = add(&H.k, OP_BAR, T_NONE);
  *i = (struct insn){.op = OP_BAR, .sub = BAR_SYNC, .line = i->line, .nsrc = 1, .src = {I(0)}};
}

static struct sm_stats seen_run(uint32_t ctas, bool with_barrier) {
  mov(1, 1);
  for (unsigned n = 0; n < 4; n++) ld(2, 1024 * n), use(3, 2);
  if (with_barrier) barrier();
  ld(4, LINE_A), use(5, 4);
  put_line(LINE_B, 1);
  red(LINE_C, 1);
  ld(4, 8192), use(5, 4);
  ld(6, 12288); /* under way when the warp ends */
  struct sm_stats s;
  for (int skip = 0; skip < 2; skip++) {
    struct config cfg = H.cfg;
    struct result r;
    struct err e = {0};
    cfg.sim_skip = skip;
    if (!simulate(&cfg, (struct scale){1, 2, ctas, 64}, with_all, &r, &e)) fail_msg("%s", e.text);
    s = r.s;
    assert_int_equal(calls.plans, 6);
    assert_int_equal(calls.n[H_storage_issue], s.warp_insns + s.pseudo_insns);
    assert_int_equal(calls.n[H_scheduler_issued], s.warp_insns);
    assert_int_equal(calls.n[H_l1_hit], s.l1_read_hits);
    assert_int_equal(calls.n[H_l1_missed], s.l1_read_misses);
    if (!skip) assert_int_equal(calls.n[H_residency_commit], s.cycles);
    assert_int_equal(calls.moves[WARP_BEGIN], s.warps);
    assert_int_equal(calls.moves[WARP_END], s.warps);
    assert_int_equal(calls.n[H_collector_warp], s.warps);
    assert_int_equal(calls.cta_ended, s.ctas);
    assert_int_equal(calls.events[WEV_IN], calls.events[WEV_OUT]); /* all are gone at the end */
    for (unsigned w = 0; w < WARP_MAX; w++) assert_int_equal(calls.warp_is[w], 0);
    assert_true(calls.events[WEV_BLOCKED] > 0 && calls.stalled > 0);
    static const enum hook done[] = {H_residency_done, H_storage_done, H_collector_done, H_scheduler_done, H_l1_done};
    for (unsigned i = 0; i < SLOT_COUNT; i++) assert_int_equal(calls.n[done[i]], 1);
  }
  return s;
}

static void baseline(void **state) {
  (void)state;
  one_set(2);
  struct sm_stats s = seen_run(8, false);
  assert_int_equal(calls.n[H_collector_result], s.rf_writes);
  assert_int_equal(calls.n[H_storage_read], s.rf_reads);
  assert_int_equal(calls.events[WEV_IN], s.warps);
  again();
  H.cfg.slot_scheduler = slot_scheduler_two_level;
  H.cfg.sm_schedulers = 1, H.cfg.sm_active_warps = 1;
  H.cfg.l1_write = l1_write_back;
  one_set(2);
  seen_run(8, true);
}

static void finereg(void **state) {
  (void)state;
  H.cfg.slot_residency = slot_residency_finereg;
  H.cfg.sm_ctas = 2;
  struct sm_stats s = seen_run(16, true);
  assert_true(calls.events[WEV_OUT] > s.warps); /* suspended CTAs */
  again();
  H.cfg.slot_residency = slot_residency_vt;
  H.cfg.sm_ctas = 2, H.cfg.finereg_dram_ctas = 4;
  H.cfg.rf_bytes = 2 * 8 * 2 * 128;
  s = seen_run(16, true);
  assert_true(calls.events[WEV_OUT] > s.warps);
}

static void pcal(void **state) {
  (void)state;
  for (unsigned point = 0; point <= 13; point += 13) { /* searched; a quarter of the CTAs */
    if (point) again();
    H.cfg.slot_residency = slot_residency_pcal;
    H.cfg.pcal_point = point;
    H.cfg.linebacker_period = 33; /* CTAs end while they are halted */
    H.cfg.slot_scheduler = slot_scheduler_two_level;
    H.cfg.sm_ctas = 4;
    struct sm_stats s = seen_run(40, true);
    assert_true(calls.events[WEV_OUT] > s.warps); /* halted CTAs */
  }
}

static void pseudo_instructions_and_slices(void **state) {
  (void)state;
  H.cfg.slot_storage = slot_storage_regmutex;
  H.cfg.regmutex_brs = 4;
  struct sm_stats s = seen_run(8, false);
  assert_true(s.pseudo_insns > 0);
  again();
  H.cfg.slot_storage = slot_storage_slices;
  H.cfg.collector_units = 16, H.cfg.collector_arrivals = 1;
  seen_run(8, false);
}

static void all_of_ltrf(void) {
  static const enum hook used[] = {H_storage_fetch,  H_storage_issue,  H_storage_locate,
                                   H_storage_look,   H_storage_read,   H_storage_arrive,
                                   H_storage_result, H_storage_engine, H_storage_commit};
  for (unsigned i = 0; i < sizeof used / sizeof *used; i++)
    if (!calls.n[used[i]]) fail_msg("%s is not called", hooks[used[i]].name);
}

/* Operands that come later, from a slow bank and behind a register cache; PREFETCHes. */
static void slow_files(void **state) {
  (void)state;
  H.cfg.rf_latency = 630;
  seen_run(8, false);
  assert_true(calls.n[H_storage_operands] > 0);
  static const int storage[] = {slot_storage_ltrf, slot_storage_rfc, slot_storage_shrf};
  for (unsigned k = 0; k < 3; k++) {
    again();
    H.cfg.rf_latency = 630;
    H.cfg.slot_storage = storage[k];
    H.cfg.slot_scheduler = slot_scheduler_two_level;
    H.cfg.sm_schedulers = 1, H.cfg.sm_active_warps = 4, H.cfg.sm_promote = sm_promote_oldest;
    const struct sm_stats s = seen_run(8, true);
    assert_int_equal(s.pseudo_insns > 0, storage[k] == slot_storage_ltrf);
    assert_int_equal(calls.n[H_storage_head] > 0, storage[k] == slot_storage_ltrf);
    if (storage[k] == slot_storage_ltrf) all_of_ltrf();
    assert_int_equal(calls.n[H_storage_operands] > 0, storage[k] != slot_storage_ltrf);
    assert_true(calls.moves[WARP_IN] > s.warps && calls.moves[WARP_OUT] == calls.moves[WARP_IN]);
  }
}

/* A plan that refuses ends the launch with its error. */
static bool refuses_launch(struct sm *S, const struct kernel *k, struct err *e) {
  (void)S, (void)k;
  return err_at(e, NULL, 0, 0, "no room for it");
}
static void refused_by_storage(void) { mine.storage.plan = refuses_launch; }
static void refused_by_residency(void) { mine.residency.plan = refuses_launch; }
static void refused_by_l1(void) { mine.l1.plan = refuses_launch; }
static void a_plan_refuses(void **state) {
  (void)state;
  void (*const by[])(void) = {refused_by_storage, refused_by_residency, refused_by_l1};
  mov(1, 1);
  for (unsigned i = 0; i < 3; i++) {
    struct result r;
    struct err e = {0};
    assert_false(simulate(&H.cfg, (struct scale){1, 1, 1, 32}, by[i], &r, &e));
    assert_string_equal(e.text, "no room for it");
  }
}

/* Every hook was reached; those of a victim port and those by which a residency asks an l1 choice have tests of their own. */
static void all_are_reached(void **state) {
  (void)state;
  for (unsigned h = 0; h < HOOKS; h++) {
    if (strstr(hooks[h].name, ".init")) continue; /* called before the tables are replaced */
    const bool apart = h == H_l1_ported || h == H_l1_window || h == H_l1_lease || h == H_l1_mode ||
                       h == H_collector_view; /* of a scheduler that asks for units; and of a probe */
    if (!calls.ever[h] != apart) fail_msg("%s was called %u times", hooks[h].name, calls.ever[h]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOOK_TEST(baseline),
      HOOK_TEST(finereg),
      HOOK_TEST(pcal),
      HOOK_TEST(pseudo_instructions_and_slices),
      HOOK_TEST(slow_files),
      HOOK_TEST(a_plan_refuses),
      HOOK_TEST(all_are_reached),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
