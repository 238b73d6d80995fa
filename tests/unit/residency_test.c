/* SPDX-License-Identifier: Apache-2.0 */
/*
 * residency vt and finereg: hand-made kernels whose CTAs are switched in a predictable order. Values are checked
 * throughout: a register restored from the PCRF or from memory is compared at its next use, and one that was not
 * restored is 0xdeadbeef.
 */
#include "sm/private.h"
#include "systems/finereg/cta_switch.h"
#include "unit/sm_kit.h"

enum { REGS = 12 };

/* A line of its own for each CTA and each load. */
static struct insn *load(struct make *k, unsigned d, unsigned line) {
  struct insn *i = op1(k, OP_LD, T_U32, R(d), D(2));
  i->space = SP_GLOBAL;
  i->offset = (int32_t)line * 128;
  return i;
}

static uint32_t buffer(struct make *k) {
  struct memory *m = memory_new(k->m);
  uint32_t at = memory_alloc(m, "b", BUFFER);
  memory_free(m);
  return at;
}

/* R0 = lane, R1 = 0x100 + lane; R2:3: this CTA's part of the buffer. */
static struct make prog(void) {
  struct make k = kernel_begin();
  const uint32_t at = buffer(&k);
  op1(&k, OP_MOV, T_U32, R(0), SR(SR_LANEID));
  op2(&k, OP_ADD, T_U32, R(1), R(0), I(0x100));
  op1(&k, OP_MOV, T_U32, R(3), I(0));
  struct insn *i = op2(&k, OP_MAD, T_U32, R(2), SR(SR_CTAID_X), I(8192));
  i->src[i->nsrc++] = I(at);
  i->mods = M_LO;
  return k;
}

/* One warp a CTA, one CTA that issues. */
static struct config base(int residency) {
  struct config c;
  checked(&c);
  c.sm_ctas = 1;
  c.slot_residency = residency;
  c.finereg_acrf_bytes = REGS * 128;
  c.finereg_pcrf_bytes = 64 * 128;
  return c;
}

struct seen {
  char order[400];
  unsigned n;
};
static void on_status(void *ctx, uint64_t cycle, unsigned cta, enum probe_status what) {
  struct seen *s = ctx;
  (void)cycle;
  if (s->n + 3 < sizeof s->order) s->n += (unsigned)sprintf(s->order + s->n, "%c%u ", "ACPlcs"[what], cta);
}
static void on_launch(void *ctx, const struct code *k, uint64_t cycle) { (void)ctx, (void)k, (void)cycle; }
static void on_cta(void *ctx, uint64_t cycle, unsigned cta, enum probe_cta what, const uint16_t *slot, unsigned warps) {
  (void)ctx, (void)cycle, (void)cta, (void)what, (void)slot, (void)warps;
}
static void on_issue(void *ctx, uint64_t cycle, unsigned cta, const struct warp_inst *inst, const struct op *op) {
  (void)ctx, (void)cycle, (void)cta, (void)inst, (void)op;
}
static void on_read(void *ctx, uint64_t cycle, uint32_t op, uint32_t line, uint8_t sectors, enum probe_read what) {
  (void)ctx, (void)cycle, (void)op, (void)line, (void)sectors, (void)what;
}

/* Two loads, one after the other, each awaited. */
static struct make two_loads(void) {
  struct make k = prog();
  load(&k, 4, 1);
  sum(&k, 5, 4, 1);
  load(&k, 6, 2);
  sum(&k, 5, 5, 6);
  sum(&k, 5, 5, 0);
  kernel_done(&k, REGS);
  return k;
}

/* CTA 0 waits and goes; 1 comes, waits, and goes when 0's line is here; and so on in turn. */
static void two_ctas_alternate(void **state) {
  (void)state;
  struct make k = two_loads();
  struct config c = base(slot_residency_vt);
  struct seen seen = {.n = 0};
  const struct probe probe = {on_launch, on_cta, on_issue, on_read, on_status, NULL, &seen};
  struct run r;
  struct err e = {0};
  if (!try_run(&c, &k, 2, 32, &probe, &r, &e)) fail_msg("%s", e.text);
  assert_string_equal(seen.order, "A0 C0 A1 C1 A0 C0 A1 C1 A0 A1 ");
  assert_int_equal(r.fit, 2);
  assert_int_equal(r.s.switches, 4);
  /* four contexts out; in again: 0 twice and 1 twice; a warp's takes two cycles */
  assert_int_equal(r.s.context_cycles, 2 * (4 + 4));
  assert_int_equal(r.s.regs_out + r.s.spills + r.s.swaps, 0);
  assert_true(r.s.active_cycles < r.s.cycles && r.s.cta_cycles > r.s.cycles);
  module_free(k.m);
}

/* The line that a CTA waits for comes when its registers are in the PCRF: it is merged there, lanes that are
 * off keep theirs. */
static void a_late_load_meets_its_register(void **state) {
  (void)state;
  struct make k = prog();
  setp(&k, C_LT, P(0), R(0), I(10));
  sum(&k, 4, 1, 1);
  struct insn *half = load(&k, 4, 1);
  half->guard = P(0);
  sum(&k, 5, 4, 1);
  sum(&k, 5, 5, 0);
  kernel_done(&k, REGS);
  struct config c = base(slot_residency_finereg);
  struct run r = run(&c, &k, 2, 32);
  /* spilled: R0, R1, and R4 that the load still writes; the other CTA the same, in a swap or not at all once
   * 0 may end */
  assert_int_equal(r.s.spills, 1);
  assert_int_equal(r.s.late_taken, r.s.spills + r.s.swaps);
  assert_int_equal(r.s.regs_out, 3 * (r.s.spills + r.s.swaps));
  assert_int_equal(r.s.regs_in, r.s.regs_out);
  assert_int_equal(r.s.late_dropped, 0);
  assert_int_equal(r.s.lrvc_lookups, r.s.spills + r.s.swaps);
  assert_int_equal(r.s.lrvc_misses, 1);
  assert_int_equal(r.s.live_vector_bytes, 8 * k.c->n);
  module_free(k.m);
}

/* A load to a dead register is dropped when its CTA leaves, and holds up no later write to that register. */
static void a_dead_load_is_dropped(void **state) {
  (void)state;
  struct make k = prog();
  load(&k, 7, 1);
  load(&k, 4, 2);
  sum(&k, 5, 4, 1);
  sum(&k, 7, 5, 1);
  sum(&k, 5, 7, 0);
  kernel_done(&k, REGS);
  struct config c = base(slot_residency_finereg);
  struct run r = run(&c, &k, 2, 32);
  assert_int_equal(r.s.spills, 1);
  assert_int_equal(r.s.late_dropped, r.s.spills + r.s.swaps);
  assert_int_equal(r.s.late_taken, r.s.spills + r.s.swaps);
  module_free(k.m);
}

/* A live vector that is too small is found: forget R1 where the CTA waits. */
static void values_are_watched(void **state) {
  (void)state;
  struct make k = two_loads();
  struct config c = base(slot_residency_finereg);
  struct run r;
  struct err e = {0};
  run(&c, &k, 2, 32);
  k.c->warp_live[5][0] &= ~2ull;
  assert_false(try_run(&c, &k, 2, 32, NULL, &r, &e));
  assert_non_null(strstr(e.text, "(R1) lane"));
  assert_non_null(strstr(e.text, "0xdeadbeef"));
  module_free(k.m);
}

/* The PCRF has room for less than one CTA's live registers: refused, the CTA stays, everything ends. */
static void refused(void **state) {
  (void)state;
  struct make k = two_loads();
  struct config c = base(slot_residency_finereg);
  c.finereg_pcrf_bytes = 2 * 128; /* at the waits five registers are live, and three */
  struct run r = run(&c, &k, 2, 32);
  assert_true(r.s.refused > 1 && r.s.depleted > 16);
  assert_int_equal(r.s.spills, 0);
  assert_int_equal(r.s.regs_out, 0);
  module_free(k.m);
}

/* Whole contexts through memory: 12 registers each way. */
static void contexts_in_memory(void **state) {
  (void)state;
  struct make k = two_loads();
  struct config c = base(slot_residency_vt);
  c.rf_bytes = REGS * 128; /* one CTA */
  assert_int_equal(run(&c, &k, 2, 32).s.spills, 0);
  c.finereg_dram_ctas = 1;
  struct run r = run(&c, &k, 2, 32);
  assert_int_equal(r.fit, 2);
  assert_int_equal(r.s.spills, 1);
  assert_int_equal(r.s.regs_out, REGS * (r.s.spills + r.s.swaps));
  assert_int_equal(r.s.context_reads, r.s.regs_out);
  assert_int_equal(r.s.context_writes, r.s.regs_out + r.s.late_taken);
  module_free(k.m);
}

/* Many CTAs of three warps: the same counts with and without the jump over idle cycles; the work of the baseline. */
static void nothing_else_changes(void **state) {
  (void)state;
  struct make k = two_loads();
  for (int v = 0; v < 5; v++) {
    struct config c = base(v < 2 ? slot_residency_vt : slot_residency_finereg), flat = c;
    c.sm_ctas = 3;
    c.finereg_dram_ctas = v == 1 ? 3 : 0;
    c.finereg_acrf_bytes = 3 * 3 * REGS * 128;
    c.rf_bytes = v < 2 ? 4 * 3 * REGS * 128 : 262144;
    if (v == 3) c.finereg_pcrf_bytes = 17 * 128; /* chains of all sizes, swaps with nothing free */
    if (v == 4) c.slot_scheduler = slot_scheduler_two_level, c.rf_single_port = true, c.rf_banks = 2;
    struct run with = run(&c, &k, 40, 96);
    c.sim_skip = false;
    struct run without = run(&c, &k, 40, 96);
    equal(&with, &without);
    c.sim_null_hooks = true;
    struct run wrapped = run(&c, &k, 40, 96);
    equal(&with, &wrapped);
    flat.slot_residency = slot_residency_static;
    assert_int_equal(run(&flat, &k, 40, 96).hash, with.hash);
    assert_true(with.s.switches > 10 && with.s.active_cycles <= 3 * with.s.cycles);
    if (v > 1) assert_true(with.s.spills + with.s.swaps > 3);
    assert_int_equal(with.s.regs_out, with.s.regs_in);
  }
  module_free(k.m);
}

/* Lines of each warp alone, and lines that all share: the warps of a CTA wait for L2 and for the L1, each at its own time. */
static struct make near_and_far(void) {
  struct make k = prog();
  op1(&k, OP_MOV, T_U32, R(8), I(buffer(&k) + BUFFER / 2));
  op1(&k, OP_MOV, T_U32, R(9), I(0));
  struct insn *i = op2(&k, OP_MAD, T_U32, R(2), SR(SR_WARPID), I(2048));
  i->src[i->nsrc++] = R(2);
  i->mods = M_LO;
  for (unsigned n = 0; n < 4; n++) {
    load(&k, 4, n);
    sum(&k, 5, 4, 1);
    for (unsigned hit = 0; hit < 3; hit++) {
      load(&k, 6, n)->src[0] = D(8);
      sum(&k, 5, 6, 5);
    }
  }
  kernel_done(&k, REGS);
  return k;
}

/* csw looks at stalled CTAs every 16 cycles, also while no other can come, and closes their gates meanwhile: that changes no active set. */
static void looking_changes_no_active_set(void **state) {
  (void)state;
  struct make k = near_and_far();
  for (int v = 0; v < 4; v++) {
    struct config c = base(v & 1 ? slot_residency_finereg : slot_residency_vt);
    c.sm_ctas = 2;
    c.finereg_acrf_bytes = 2 * 4 * REGS * 128;
    c.slot_scheduler = slot_scheduler_two_level;
    c.sm_active_warps = 4;
    c.sm_promote = v & 2 ? sm_promote_oldest : sm_promote_turn;
    struct run with = run(&c, &k, 24, 128);
    c.sim_skip = false;
    struct run without = run(&c, &k, 24, 128);
    equal(&with, &without);
    assert_true(with.s.l1_read_hits > 100 && with.s.switches > 10);
  }
  module_free(k.m);
}

/* At a quantum's end csw's inputs are to be set again only if the grid has or lacks a CTA that it had not or had. */
static void a_quantum_wakes_nothing(void **state) {
  (void)state;
  struct make k = two_loads();
  struct config c = base(slot_residency_vt);
  struct err e = {0};
  struct gpu *g = gpu_new(&c, 1, &e);
  struct memory *mem = memory_new(k.m);
  memory_alloc(mem, "b", BUFFER);
  struct launch l = {.module = k.m, .code = k.c, .mem = mem, .grid = {2, 1, 1}, .block = {32, 1, 1}};
  assert_true(timed_launch(g, &l, NULL, &e));
  struct sm *S = gpu_sm(g, 0);
  const struct cta_switch *s = cta_switch_of(S);
  assert_true(s->on && s->told && S->st.switches == 4);
  sm_quantum(S, false);
  assert_true(s->told);
  S->source->ready = 1;
  sm_quantum(S, false);
  assert_false(s->told);
  memory_free(mem);
  gpu_free(g);
  module_free(k.m);
}

/* What gains nothing, or cannot, runs as on the baseline, to the cycle. */
static void falls_back(void **state) {
  (void)state;
  struct make k = two_loads();
  struct config c = base(slot_residency_finereg), flat = base(slot_residency_static);
  c.finereg_acrf_bytes = (REGS - 1) * 128; /* less than a CTA */
  struct run a = run(&c, &k, 4, 32), b = run(&flat, &k, 4, 32);
  equal(&a, &b);
  c = base(slot_residency_vt);
  c.rf_bytes = flat.rf_bytes = REGS * 128;
  a = run(&c, &k, 4, 32), b = run(&flat, &k, 4, 32);
  equal(&a, &b);
  module_free(k.m);
  k = prog(); /* of 64 registers; a vector names 63 */
  load(&k, 63, 1);
  sum(&k, 5, 63, 1);
  kernel_done(&k, 64);
  c = base(slot_residency_finereg), flat = base(slot_residency_static);
  c.finereg_acrf_bytes = 64 * 128;
  a = run(&c, &k, 4, 32), b = run(&flat, &k, 4, 32);
  equal(&a, &b);
  module_free(k.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_ctas_alternate),
      cmocka_unit_test(a_late_load_meets_its_register),
      cmocka_unit_test(a_dead_load_is_dropped),
      cmocka_unit_test(values_are_watched),
      cmocka_unit_test(refused),
      cmocka_unit_test(contexts_in_memory),
      cmocka_unit_test(nothing_else_changes),
      cmocka_unit_test(looking_changes_no_active_set),
      cmocka_unit_test(a_quantum_wakes_nothing),
      cmocka_unit_test(falls_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
