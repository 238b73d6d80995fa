/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malekeh_bow: the collector bow. By hand: which operands it has (of the two instructions before, also if they are under way), in which cycle
 * they are dispatched, which results enter. Random sums against a model of the window that knows no time. Kernels of the suite with real
 * values, cycles that are jumped over, planted errors, configurations that are refused. Malekeh's collector: what it shows of its units.
 */
#include "hooks_kit.h"

#include "lab/campaign/measure.h"
#include "suite_kit.h"

static void machine(const char *system, const char *const *set) {
  struct err e = {0};
  bool ok = config_load(&H.cfg, "rtx2060", system, &e) && config_set(&H.cfg, "sim.check=true", 0, &e) &&
            config_set(&H.cfg, "sm.ibuffer=8", 0, &e) && (!set || config_set_all(&H.cfg, set, &e));
  if (!ok || !config_check(&H.cfg, &e)) fail_msg("%s", e.text);
  H.regs = 40;
}
static void bow_machine(const char *const *set) { machine("BOW", set); }
static int begin(void **state) {
  hooks_begin(state);
  bow_machine(NULL);
  return 0;
}
static void another(void) { hooks_end(NULL), begin(NULL); }
#define BOW_TEST(f) cmocka_unit_test_setup_teardown(f, begin, hooks_end)

/* ---- instructions: of different pipes, so that they may issue in consecutive cycles ---- */
static uint32_t three(uint8_t op, uint8_t type, uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
  struct insn *i = op2(&H.k, op, type, R(d), R(a), R(b));
  i->src[i->nsrc++] = R(c);
  if (type == T_F32) i->rnd = R_RN;
  else i->mods = M_LO;
  return last_op();
}
static uint32_t mad(uint32_t d, uint32_t a, uint32_t b, uint32_t c) { return three(OP_MAD, T_U32, d, a, b, c); }
static uint32_t fused(uint32_t d, uint32_t a, uint32_t b, uint32_t c) { return three(OP_FMA, T_F32, d, a, b, c); }
static uint32_t add3(uint32_t d, uint32_t a, uint32_t b) {
  sum(&H.k, d, a, b);
  return last_op();
}
static void fence(void) { add(&H.k, OP_MEMBAR, T_NONE); }
/* What follows is in the buffer when it issues, and finds an empty collector. */
static void buffered(void) { ld(30, LINE_A), fence(); }

static bool dispatched(struct sm *S, const struct collector_unit *u) {
  const struct warp_inst *inst = &S->inflight[u->inflight].inst;
  saw(S, GO, inst->warp, inst->op);
  return true;
}
static void with_dispatch(void) { mine.storage.convert = dispatched; }
static uint64_t left_at(uint32_t op) {
  for (unsigned n = 0;; n++)
    if (nth(GO, n)->a == 0 && nth(GO, n)->b == op) return nth(GO, n)->at;
}

/* ---- by hand ---- */
static void sources_of_two_instructions(void **state) {
  (void)state;
  for (unsigned apart = 1; apart <= 4; apart++) {
    add3(10, 1, 2);
    for (unsigned n = 1; n < apart; n++) add3(10 + n, 2 + 2 * n, 3 + 2 * n);
    add3(20, 1, 3);
    const struct result r = go(1, 32, NULL);
    assert_int_equal(r.s.ccu_sources, 2 * apart + 2);
    assert_int_equal(r.s.ccu_sources - r.s.rf_reads, apart <= 2);
    another();
  }
}

/* A hit names the register anew. */
static void window_slides(void **state) {
  (void)state;
  add3(10, 1, 2), add3(11, 4, 5), add3(12, 1, 6), add3(13, 7, 8), add3(14, 1, 9);
  assert_int_equal(go(1, 32, NULL).s.rf_reads, 8);
}

static void results_of_two_instructions(void **state) {
  (void)state;
  for (unsigned apart = 1; apart <= 4; apart++) {
    add3(1, 2, 3);
    for (unsigned n = 1; n < apart; n++) add3(10 + n, 2 + 2 * n, 3 + 2 * n);
    add3(20, 1, 19);
    const struct result r = go(1, 32, NULL);
    assert_int_equal(r.s.ccu_sources - r.s.rf_reads, apart <= 2);
    another();
  }
}

static void control_does_not_count(void **state) {
  (void)state;
  add3(10, 1, 2), fence(), fence(), fence(), fence(), add3(11, 1, 2);
  assert_int_equal(go(1, 32, NULL).s.rf_reads, 2);
}

static void one_register_twice_is_read_once(void **state) {
  (void)state;
  mad(10, 1, 1, 1);
  const struct result r = go(1, 32, NULL);
  assert_int_equal(r.s.ccu_sources, 3);
  assert_int_equal(r.s.rf_reads, 1);
}

/* Read in t + 1, dispatched in t + 2; without a bank, t + 1. */
static void times(void **state) {
  (void)state;
  buffered();
  const uint32_t first = add3(10, 1, 1), second = add3(11, 10, 10);
  const struct result r = go(1, 32, with_dispatch);
  const uint64_t t = issued(0, first);
  assert_int_equal(r.s.rf_reads, 1);
  assert_int_equal(left_at(first), t + 2);
  assert_int_equal(issued(0, second), t + 4);
  assert_int_equal(left_at(second), t + 5);
}

/* Registers 1, 3 and 5 are in one bank: they come in t + 1, t + 2, t + 3. The second instruction waits for the last two with the first one. */
static void hit_on_what_is_under_way(void **state) {
  (void)state;
  buffered();
  const uint32_t first = mad(10, 1, 3, 5), second = fused(11, 5, 3, 1);
  const struct result r = go(1, 32, with_dispatch);
  const uint64_t t = issued(0, first);
  assert_int_equal(issued(0, second), t + 1);
  assert_int_equal(r.s.ccu_sources, 6);
  assert_int_equal(r.s.rf_reads, 3);
  assert_int_equal(left_at(first), t + 4);
  assert_int_equal(left_at(second), t + 5);
  assert_int_equal(r.s.rf_read_conflicts, 2 + 1);
}

/* Register 2 comes in t + 2, from the preferred bank, before 3 and 5; its instruction is dispatched behind the one that waits for these. */
static void dispatch_in_order(void **state) {
  (void)state;
  buffered();
  const uint32_t first = mad(10, 1, 3, 5), second = fused(11, 2, 2, 2);
  const struct result r = go(1, 32, with_dispatch);
  const uint64_t t = issued(0, first);
  assert_int_equal(issued(0, second), t + 1);
  assert_int_equal(left_at(first), t + 5);
  assert_int_equal(left_at(second), t + 6);
  assert_int_equal(r.s.rf_read_conflicts, 2 + 2 + 1);
}

/* The preferred bank alternates: 2, 1, 4, 3 and then 6, so that the first instruction is there before the second one. */
static void preference_alternates(void **state) {
  (void)state;
  buffered();
  const uint32_t first = mad(10, 1, 3, 2), second = fused(11, 4, 6, 4);
  go(1, 32, with_dispatch);
  const uint64_t t = issued(0, first);
  assert_int_equal(issued(0, second), t + 1);
  assert_int_equal(left_at(first), t + 5);
  assert_int_equal(left_at(second), t + 6);
}

/* Four banks: 1, 5 and 9 are in bank 1, 3 in bank 3. From the preferred bank upward bank 1 comes first, also when that is bank 1. */
static void preference_goes_upward(void **state) {
  (void)state;
  static const char *const banks[] = {"rf.banks=16", NULL};
  bow_machine(banks);
  buffered();
  const uint32_t first = mad(10, 1, 5, 9), second = fused(11, 3, 3, 3);
  go(1, 32, with_dispatch);
  const uint64_t t = issued(0, first);
  assert_int_equal(issued(0, second), t + 1);
  assert_int_equal(left_at(first), t + 4);
  assert_int_equal(left_at(second), t + 5);
}

/* Four results for four free banks: two of them are written in a cycle. */
static void lanes_of_the_write_back(void **state) {
  (void)state;
  static const char *const banks[] = {"rf.banks=16", NULL};
  bow_machine(banks);
  struct insn *i = op1(&H.k, OP_LD, T_U32, R(4), I2(where(LINE_A)));
  i->space = SP_GLOBAL;
  i->vec = 4;
  for (unsigned k = 1; k < 4; k++) i->dst[i->ndst++] = R(4 + k);
  fence();
  const struct result r = go(1, 32, NULL);
  assert_int_equal(r.s.rf_writes, 4);
  assert_int_equal(r.s.rf_write_conflicts, 2);
  assert_int_equal(r.s.ccu_writes, 2);
}

static void has_room(struct sm *S) {
  S->chosen.collector->commit(S);
  T.special += !(S->chosen.collector->view(S, 0)->free & 1);
}
static void with_view(void) {
  with_dispatch();
  mine.collector.commit = has_room;
}

/* The fourth one issues in the cycle after that in which the first one has left; meanwhile another warp of the sub-core issues. The unit has no room
 * behind t + 2, t + 3, and behind t + 5, t + 6. */
static void three_collect(void **state) {
  (void)state;
  buffered();
  const uint32_t first = mad(10, 1, 3, 5);
  fused(11, 7, 9, 13);
  const uint32_t third = mad(12, 15, 17, 19), fourth = fused(14, 1, 1, 1);
  go(1, 32, with_view);
  const uint64_t t = issued(0, first);
  assert_int_equal(T.special, 4);
  assert_int_equal(issued(0, third), t + 2);
  assert_int_equal(left_at(first), t + 4);
  assert_int_equal(issued(0, fourth), t + 5);
  go(1, 256, with_dispatch);
  bool other = false;
  for (unsigned n = 0; n < count(ISSUE); n++) {
    const struct seen *c = nth(ISSUE, n);
    other |= c->a == 4 && c->at > issued(0, third) && c->at < issued(0, fourth);
  }
  assert_true(other);
}

/* Malekeh's collector shows its units to the scheduler and to a probe. One instruction takes one unit of the first sub-core, from the cycle after
 * its issue to that of its dispatch; the others stay free. T.special counts these cycles. */
static void sees_units(struct sm *S) {
  S->chosen.collector->commit(S);
  const struct collector_view *v = S->chosen.collector->view(S, 0);
  assert_false(v->free & v->busy);
  assert_int_equal(bit_count64(v->free | v->busy), S->cfg->collector_units / S->nsched);
  assert_true(bit_count64(v->busy) <= 1);
  T.special += v->busy != 0;
}
static void with_units(void) {
  with_dispatch();
  mine.collector.commit = sees_units;
}
static void view_of_malekeh(void **state) {
  (void)state;
  machine("Malekeh", NULL);
  const uint32_t only = mad(10, 1, 3, 5);
  go(1, 32, with_units);
  assert_int_equal(T.special, left_at(only) - issued(0, only));
}

/* A load's result enters if at most two instructions have issued behind it. */
static void late_results_do_not_enter(void **state) {
  (void)state;
  for (unsigned behind = 0; behind <= 4; behind++) {
    buffered();
    ld(1, LINE_B + 4096);
    for (unsigned n = 0; n < behind; n++) add3(10 + n, 2, 3);
    fence();
    const struct result r = go(1, 32, NULL);
    assert_int_equal(r.s.rf_writes, 2 + behind);
    assert_int_equal(r.s.ccu_writes, 1 + behind + (behind <= 2));
    another();
  }
}

/* Both halves are written in one cycle: the first one enters; of the second one the old copy is dropped. */
static void one_result_a_cycle(void **state) {
  (void)state;
  mov(3, 7), fence(), add3(6, 3, 3);
  struct insn *i = op1(&H.k, OP_LD, T_U64, D(2), I2(where(LINE_A)));
  i->space = SP_GLOBAL;
  add3(5, 2, 3);
  const struct result r = go(1, 32, NULL);
  assert_int_equal(r.s.ccu_sources, 4);
  assert_int_equal(r.s.rf_reads, 1);
  assert_int_equal(r.s.ccu_drops, 1);
  assert_int_equal(r.s.rf_writes - r.s.ccu_writes, 1);
}

/* What only some lanes write enters where the others are; else the bank alone has it. */
static void results_of_some_lanes(void **state) {
  (void)state;
  for (unsigned has = 0; has < 2; has++) {
    setp(&H.k, C_LT, P(0), SR(SR_TID_X), I(16));
    if (has) add3(7, 1, 1);
    struct insn *i = op2(&H.k, OP_ADD, T_U32, R(1), R(2), I(5));
    i->guard = P(0);
    add3(8, 1, 1);
    const struct result r = go(1, 32, NULL);
    assert_int_equal(r.s.rf_reads, 2);
    assert_int_equal(r.s.rf_writes - r.s.ccu_writes, !has);
    another();
  }
}

static void forgotten_at_the_end(void **state) {
  (void)state;
  add3(10, 1, 1);
  const struct result r = go_again(90, 32, NULL);
  assert_int_equal(r.s.ccu_sources, 2 * r.s.rf_reads);
}

/* ---- random sums ---- */
static struct { /* of a warp: the window without time */
  uint64_t issued, named[40];
  bool has[40];
} ref[32];
static uint64_t expected; /* operands from banks */

static bool names(unsigned w, unsigned reg) {
  const bool in = ref[w].issued - ref[w].named[reg] < 3;
  ref[w].named[reg] = ref[w].issued;
  ref[w].has[reg] &= in;
  return ref[w].has[reg];
}
static void issue_seen(struct sm *S, unsigned w, const struct warp_inst *inst) {
  const struct op *op = &S->op[inst->op];
  if (op->cls == CLS_CTRL) return;
  ref[w].issued++;
  for (unsigned k = 0; k < op->nsrc; k++) {
    expected += !names(w, op->src[k]);
    ref[w].has[op->src[k]] = true;
  }
  for (unsigned k = 0; k < op->ndst; k++) ref[w].has[op->dst[k]] = names(w, op->dst[k]) || inst->lanes == ~0u;
}
static enum move warp_gone(struct sm *S, unsigned w) {
  memset(&ref[w], 0, sizeof ref[w]);
  return S->chosen.collector->warp(S, w);
}
static void with_reference(void) {
  memset(ref, 0, sizeof ref);
  expected = 0;
  mine.storage.issue = issue_seen;
  mine.collector.warp = warp_gone;
}

static void random_sums(uint32_t seed) {
  for (unsigned r = 1; r < 9; r++) op2(&H.k, OP_ADD, T_U32, R(r), SR(SR_TID_X), I(r << 8));
  setp(&H.k, C_LT, P(0), SR(SR_TID_X), I(80));
  for (unsigned n = 0; n < 160; n++) {
    seed = seed * 1664525 + 1013904223;
    add3(1 + (seed >> 8) % 9, 1 + (seed >> 13) % 9, 1 + (seed >> 18) % 9);
    if (seed >> 28 < 3) H.k.c->insn[last_op()].guard = P(0);
    if (seed >> 28 == 15) fence();
  }
}

static void random_against_the_window(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 8; seed++) {
    random_sums(seed);
    const struct result r = go_again(7, 224, with_reference);
    assert_int_equal(r.s.rf_reads, expected);
    assert_true(expected < r.s.ccu_sources && expected > 1000);
    another();
  }
}

/* ---- planted errors ---- */
static unsigned planted;
static void not_told(struct sm *S, const struct inflight_view *f, unsigned k) { (void)S, (void)f, (void)k, planted++; }
static void other_lanes(struct sm *S, const struct inflight_view *f, unsigned k) {
  struct inflight_view other = *f;
  if (f->inst.lanes == ~0u) other.inst.lanes = ~2u, planted++;
  S->chosen.collector->result(S, &other, k);
}
static void other_operand(struct sm *S) {
  if (S->ncta) check_row(S, 0, 1)[3] ^= 64, planted++;
  S->chosen.collector->collect(S);
  if (S->ncta) check_row(S, 0, 1)[3] ^= 64;
}
static enum move end_not_told(struct sm *S, unsigned w) {
  (void)S, (void)w, planted++;
  return MOVE_DONE;
}
static enum take of_another_warp(struct sm *S, unsigned s, unsigned w, const struct warp_inst *inst, int unit,
                                 uint32_t f) {
  const unsigned other = w < S->nsched ? w + S->nsched : w - S->nsched;
  planted++;
  return S->chosen.collector->take(S, s, other, inst, unit, f);
}
static void with_not_told(void) { mine.collector.result = not_told; }
static void with_other_lanes(void) { mine.collector.result = other_lanes; }
static void with_other_operand(void) { mine.collector.collect = other_operand; }
static void with_end_not_told(void) { mine.collector.warp = end_not_told; }
static void with_another_warp(void) { mine.collector.take = of_another_warp; }

static void planted_errors_are_found(void **state) {
  (void)state;
  static const struct {
    void (*with)(void);
    const char *says;
  } cases[] = {{with_not_told, "was read as 0x"},
               {with_other_lanes, "was read as 0x"},
               {with_other_operand, "was read as 0x"},
               {with_another_warp, "was read as 0x"},
               {with_end_not_told, "collector units have instructions or warps at the end of a launch"}};
  random_sums(5);
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct result r;
    struct err e = {0};
    planted = 0;
    if (simulate(&H.cfg, (struct scale){1, 1, 1, 256}, cases[k].with, &r, &e))
      fail_msg("case %u: planted %u times, and not found", k, planted);
    assert_true(planted > 0);
    if (!strstr(e.text, cases[k].says)) fail_msg("case %u: found '%s', expected '%s'", k, e.text, cases[k].says);
  }
}

/* ---- kernels of the suite ---- */
static const struct suite_machine plain_machine = {"rtx2060", {NULL}};
static struct run_result right(const char *kernel, const char *system, const char *const *set) {
  return suite_right(&plain_machine, kernel, system, set);
}

static const char *const checked_values[] = {"sim.check=true", NULL};

static void values_are_right(void **state) {
  (void)state;
  static const char *const kernels[] = {"bfs", "lud", "pathtracer", "reduction", "gemm_tensor", "hotspot"};
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    const struct run_result base = right(kernels[k], "MK-Base", checked_values),
                            bow = right(kernels[k], "BOW", checked_values);
    double hit;
    assert_true(bow.sm.operands_checked > 1000);
    assert_int_equal(bow.hash, base.hash);
    assert_int_equal(bow.sm.operands_checked, base.sm.operands_checked);
    assert_int_equal(bow.sm.rf_writes, base.sm.rf_writes);
    assert_int_equal(bow.sm.ccu_sources, base.sm.rf_reads);
    assert_int_equal(bow.sm.ccu_insns, base.sm.ccu_insns);
    assert_true(bow.sm.ccu_writes > 0 && bow.sm.ccu_writes + bow.sm.ccu_drops <= bow.sm.rf_writes);
    assert_true(measure_of(measure_find("ccu_hit"), &bow, &hit));
    assert_true(hit > 0.1 && hit < 0.9 &&
                bow.sm.rf_reads == base.sm.rf_reads - (uint64_t)(hit * (double)base.sm.rf_reads + 0.5));
  }
}

static void other_machines(void **state) {
  (void)state;
  static const char *const sets[][6] = {
      {"sm.subcores=false", "sm.schedulers=1", "rf.results=8", "sim.check=true"},
      {"sm.warps=64", "sm.threads=2048", "rf.bytes=524288", "collector.units=64", "sim.check=true"},
      {"rf.banks=12", "rf.bytes=294912", "rf.results=3", "sim.check=true"},
      {"slot.scheduler=two_level", "sm.active_warps=8", "sim.check=true"},
      {"slot.scheduler=lrr", "unit.reserve=false", "sim.check=true"}};
  for (unsigned k = 0; k < sizeof sets / sizeof *sets; k++) {
    right("lud", "BOW", sets[k]);
    right("hotspot", "BOW", sets[k]);
  }
}

static void cycles_that_are_jumped_over(void **state) {
  (void)state;
  static const char *const with[][4] = {{"sim.skip=true"}, {"l1.mshrs=2", "noc.credits=1"}},
                           *const each[][4] = {{"sim.skip=false"}, {"l1.mshrs=2", "noc.credits=1", "sim.skip=false"}},
                           *const hooks[][4] = {{"sim.null_hooks=true"},
                                                {"l1.mshrs=2", "noc.credits=1", "sim.null_hooks=true"}};
  static const char *const kernels[] = {"reduction", "hybridsort"};
  for (unsigned k = 0; k < 2; k++) {
    const struct run_result a = right(kernels[k], "BOW", with[k]), b = right(kernels[k], "BOW", each[k]),
                            c = right(kernels[k], "BOW", hooks[k]);
    stats_equal(&a.sm, &b.sm);
    stats_equal(&a.sm, &c.sm);
  }
}

/* ---- configurations ---- */
static void what_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *set[4], *says;
  } cases[] = {
      {{"collector.units=8"},
       "slot.collector bow with collector.units 8 and sm.warps 32, expected collector.units=32: a unit for each warp"},
      {{"sm.subcores=false"},
       "slot.collector bow with sm.subcores false and sm.schedulers 4, expected sm.subcores=true or sm.schedulers=1: "
       "each "
       "scheduler has the units of its warps"},
      {{"rf.single_port=false"},
       "slot.collector bow with rf.single_port false, expected rf.single_port=true: a bank is read or written"},
      {{"slot.storage=regmutex"},
       "slot.collector bow with slot.storage regmutex, expected slot.storage=flat: its units ask the banks for rows of "
       "the flat file, and keep copies by register number"},
      {{"slot.residency=vt"},
       "slot.collector bow with slot.residency vt, expected slot.residency=static or pcal: registers that move would "
       "leave copies in its units, and its tables have rows for sm.warps warps"},
      {{"slot.scheduler=malekeh"},
       "found slot.scheduler malekeh without slot.collector ccu, expected slot.collector=ccu, or slot.scheduler=gto: "
       "it "
       "looks for the unit that has a warp's registers"},
      {{"sm.subcores=false", "sm.schedulers=1", "collector.sp_units=10", NULL},
       "found collector.sp_units 10, sfu_units 0 and mem_units 0, expected collector.sp_units=0, collector.sfu_units=0 "
       "and "
       "collector.mem_units=0, or none 0 and their sum the 32 of collector.units"}};
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct config c;
    struct slots slots;
    struct err e = {0};
    if (suite_configure(&plain_machine, "BOW", cases[k].set, &c, &e) && slots_pick(&c, &slots, &e))
      fail_msg("taken, expected: %s", cases[k].says);
    assert_string_equal(strncmp(e.text, "configuration: ", 15) ? e.text : e.text + 15, cases[k].says);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {BOW_TEST(sources_of_two_instructions),
                                     BOW_TEST(window_slides),
                                     BOW_TEST(results_of_two_instructions),
                                     BOW_TEST(control_does_not_count),
                                     BOW_TEST(one_register_twice_is_read_once),
                                     BOW_TEST(times),
                                     BOW_TEST(hit_on_what_is_under_way),
                                     BOW_TEST(dispatch_in_order),
                                     BOW_TEST(preference_alternates),
                                     BOW_TEST(preference_goes_upward),
                                     BOW_TEST(lanes_of_the_write_back),
                                     BOW_TEST(three_collect),
                                     BOW_TEST(view_of_malekeh),
                                     BOW_TEST(late_results_do_not_enter),
                                     BOW_TEST(one_result_a_cycle),
                                     BOW_TEST(results_of_some_lanes),
                                     BOW_TEST(forgotten_at_the_end),
                                     BOW_TEST(random_against_the_window),
                                     BOW_TEST(planted_errors_are_found),
                                     cmocka_unit_test(values_are_right),
                                     cmocka_unit_test(other_machines),
                                     cmocka_unit_test(cycles_that_are_jumped_over),
                                     cmocka_unit_test(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
