/* SPDX-License-Identifier: Apache-2.0 */
/*
 * residency vt and finereg: hand-made kernels whose CTAs change places in an order that can be told
 * beforehand. Values are checked throughout: a register that comes back from the PCRF or from memory is
 * compared at its next use, and what did not come back is 0xdeadbeef.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/internal.h"
#include "gpu/gpu.h"
#include "sm/sm.h"

enum { BUFFER = 1 << 20, REGS = 12 };

struct prog {
  struct module m;
  struct code c;
  struct insn insn[200];
};

static struct opnd R(unsigned r) {
  return (struct opnd){.kind = O_REG, .words = 1, .reg = r};
} static struct opnd RR(unsigned r) {
  return (struct opnd){.kind = O_REG, .words = 2, .reg = r};
} static struct opnd I(uint64_t v) {
  return (struct opnd){.kind = O_IMM, .words = 1, .imm = v};
} static struct opnd SR(enum sreg s) {
  return (struct opnd){.kind = O_SREG, .words = 1, .reg = s};
}

static struct insn *
emit(struct prog *p, enum opcode op, struct opnd d, struct opnd a, struct opnd b, struct opnd c) {
  struct insn *i = &p->insn[p->c.n++];
  *i = (struct insn){.op = (uint8_t)op, .type = T_U32, .vec = 1, .line = p->c.n};
  if (d.kind) i->dst[i->ndst++] = d;
  struct opnd s[3] = {a, b, c};
  for (int k = 0; k < 3 && s[k].kind; k++) i->src[i->nsrc++] = s[k];
  return i;
}
#define NO ((struct opnd){0})
static void add(struct prog *p, unsigned d, unsigned a, unsigned b) { emit(p, OP_ADD, R(d), R(a), R(b), NO); }
/* A line of its own for each CTA and each load. */
static struct insn *load(struct prog *p, unsigned d, unsigned line) {
  struct insn *i = emit(p, OP_LD, R(d), RR(2), NO, NO);
  i->space = SP_GLOBAL;
  i->offset = (int32_t)line * 128;
  return i;
}

/* R0 = lane, R1 = 0x100 + lane; R2:3: this CTA's part of the buffer. */
static struct prog *prog(unsigned nreg) {
  struct prog *p = xcalloc(1, sizeof *p);
  p->c = (struct code){
      .name = "test", .file = "residency_test", .insn = p->insn, .nreg = nreg, .npred = 1, .allocated = true};
  p->m = (struct module){.file = "residency_test", .kernel = &p->c, .nkernel = 1, .global_end = GLOBAL_BASE};
  struct memory *m = memory_new(&p->m);
  uint32_t at = memory_alloc(m, "b", BUFFER);
  memory_free(m);
  emit(p, OP_MOV, R(0), SR(SR_LANEID), NO, NO);
  emit(p, OP_ADD, R(1), R(0), I(0x100), NO);
  emit(p, OP_MOV, R(3), I(0), NO, NO);
  emit(p, OP_MAD, R(2), SR(SR_CTAID_X), I(8192), I(at))->mods = M_LO;
  return p;
}
static struct prog *finish(struct prog *p) {
  emit(p, OP_EXIT, NO, NO, NO, NO)->type = T_NONE;
  finish_code(&p->m, &p->c);
  return p;
}
static void drop(struct prog *p) {
  arena_free(&p->m.arena);
  free(p);
}

/* One warp a CTA, one CTA that issues. */
static struct config base(int residency) {
  struct config c;
  config_defaults(&c);
  snprintf(c.machine, sizeof c.machine, "test");
  c.sim_check = true;
  c.sim_deadlock = 20000;
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
static void on_launch(void *ctx, const struct launch *l, uint64_t cycle) { (void)ctx, (void)l, (void)cycle; }
static void on_cta(void *ctx, uint64_t cycle, unsigned cta, enum probe_cta what, const uint16_t *slot,
                   unsigned warps) {
  (void)ctx, (void)cycle, (void)cta, (void)what, (void)slot, (void)warps;
}
static void on_issue(void *ctx, uint64_t cycle, unsigned cta, const struct wi *wi, const struct op *op) {
  (void)ctx, (void)cycle, (void)cta, (void)wi, (void)op;
}
static void on_read(void *ctx, uint64_t cycle, uint32_t op, uint32_t line, uint8_t sectors,
                    enum probe_read what) {
  (void)ctx, (void)cycle, (void)op, (void)line, (void)sectors, (void)what;
}

struct run {
  struct sm_stats s;
  uint64_t hash;
  uint32_t fit;
  struct seen seen;
};
static bool try_run(const struct config *c, struct prog *p, uint32_t ctas, uint32_t threads, struct run *r,
                    struct err *e) {
  struct memory *mem = memory_new(&p->m);
  memory_alloc(mem, "b", BUFFER);
  *r = (struct run){0};
  struct probe probe = {on_launch, on_cta, on_issue, on_read, on_status, &r->seen};
  struct gpu *g = gpu_new(c, e);
  if (!g) fail_msg("%s", e->text);
  gpu_probe(g, &probe);
  struct launch l = {
      .module = &p->m, .code = &p->c, .mem = mem, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
  bool ok = gpu_launch(g, &l, NULL, e);
  r->s = *gpu_stats(g);
  r->hash = gpu_hash(g);
  r->fit = gpu_occupancy(g, NULL);
  gpu_free(g);
  memory_free(mem);
  return ok;
}
static struct run run(const struct config *c, struct prog *p, uint32_t ctas, uint32_t threads) {
  struct run r;
  struct err e = {0};
  if (!try_run(c, p, ctas, threads, &r, &e)) fail_msg("%s", e.text);
  return r;
}

/* Two loads, one after the other, each awaited. */
static struct prog *two_loads(void) {
  struct prog *p = prog(REGS);
  load(p, 4, 1);
  add(p, 5, 4, 1);
  load(p, 6, 2);
  add(p, 5, 5, 6);
  add(p, 5, 5, 0);
  return finish(p);
}

/* CTA 0 waits and goes; 1 comes, waits, and goes when 0's line is here; and so on in turn. */
static void two_ctas_alternate(void **state) {
  (void)state;
  struct prog *p = two_loads();
  struct config c = base(RES_VT);
  struct run r = run(&c, p, 2, 32);
  assert_string_equal(r.seen.order, "A0 C0 A1 C1 A0 C0 A1 C1 A0 A1 ");
  assert_int_equal(r.fit, 2);
  assert_int_equal(r.s.switches, 4);
  /* four contexts out; in again: 0 twice and 1 twice; a warp's takes two cycles */
  assert_int_equal(r.s.context_cycles, 2 * (4 + 4));
  assert_int_equal(r.s.regs_out + r.s.spills + r.s.swaps, 0);
  assert_true(r.s.active_cycles < r.s.cycles && r.s.cta_cycles > r.s.cycles);
  drop(p);
}

/* The line that a CTA waits for comes when its registers are in the PCRF: it is merged there, lanes that are
 * off keep theirs. */
static void a_late_load_meets_its_register(void **state) {
  (void)state;
  struct prog *p = prog(REGS);
  emit(p, OP_SETP, (struct opnd){.kind = O_PRED, .reg = 0}, R(0), I(10), NO)->sub = C_LT;
  add(p, 4, 1, 1);
  struct insn *half = load(p, 4, 1);
  half->guard = (struct opnd){.kind = O_PRED, .reg = 0};
  add(p, 5, 4, 1);
  add(p, 5, 5, 0);
  finish(p);
  struct config c = base(RES_FINEREG);
  struct run r = run(&c, p, 2, 32);
  /* spilled: R0, R1, and R4 that the load still writes; the other CTA the same, in a swap or not at all once
   * 0 may end */
  assert_int_equal(r.s.spills, 1);
  assert_int_equal(r.s.late_taken, r.s.spills + r.s.swaps);
  assert_int_equal(r.s.regs_out, 3 * (r.s.spills + r.s.swaps));
  assert_int_equal(r.s.regs_in, r.s.regs_out);
  assert_int_equal(r.s.late_dropped, 0);
  assert_int_equal(r.s.lrvc_lookups, r.s.spills + r.s.swaps);
  assert_int_equal(r.s.lrvc_misses, 1);
  assert_int_equal(r.s.live_vector_bytes, 8 * p->c.n);
  drop(p);
}

/* A load whose register nobody reads is dropped when its CTA leaves, and holds up no later write to that
 * register. */
static void a_dead_load_is_dropped(void **state) {
  (void)state;
  struct prog *p = prog(REGS);
  load(p, 7, 1);
  load(p, 4, 2);
  add(p, 5, 4, 1);
  add(p, 7, 5, 1);
  add(p, 5, 7, 0);
  finish(p);
  struct config c = base(RES_FINEREG);
  struct run r = run(&c, p, 2, 32);
  assert_int_equal(r.s.spills, 1);
  assert_int_equal(r.s.late_dropped, r.s.spills + r.s.swaps);
  assert_int_equal(r.s.late_taken, r.s.spills + r.s.swaps);
  drop(p);
}

/* A live vector that is too small is found: forget R1 where the CTA waits. */
static void values_are_watched(void **state) {
  (void)state;
  struct prog *p = two_loads();
  struct config c = base(RES_FINEREG);
  struct run r;
  struct err e = {0};
  run(&c, p, 2, 32);
  p->c.warp_live[5][0] &= ~2ull;
  assert_false(try_run(&c, p, 2, 32, &r, &e));
  assert_non_null(strstr(e.text, "(R1) lane"));
  assert_non_null(strstr(e.text, "0xdeadbeef"));
  drop(p);
}

/* The PCRF has room for less than one CTA's live registers: refused, the CTA stays, everything ends. */
static void refused(void **state) {
  (void)state;
  struct prog *p = two_loads();
  struct config c = base(RES_FINEREG);
  c.finereg_pcrf_bytes = 2 * 128; /* at the waits five registers are live, and three */
  struct run r = run(&c, p, 2, 32);
  assert_true(r.s.refused > 1 && r.s.depleted > 16);
  assert_int_equal(r.s.spills, 0);
  assert_int_equal(r.s.regs_out, 0);
  drop(p);
}

/* Whole contexts through memory: 12 registers each way. */
static void contexts_in_memory(void **state) {
  (void)state;
  struct prog *p = two_loads();
  struct config c = base(RES_VT);
  c.rf_bytes = REGS * 128; /* one CTA */
  assert_int_equal(run(&c, p, 2, 32).s.spills, 0);
  c.residency_dram_ctas = 1;
  struct run r = run(&c, p, 2, 32);
  assert_int_equal(r.fit, 2);
  assert_int_equal(r.s.spills, 1);
  assert_int_equal(r.s.regs_out, REGS * (r.s.spills + r.s.swaps));
  assert_int_equal(r.s.context_reads, r.s.regs_out);
  assert_int_equal(r.s.context_writes, r.s.regs_out + r.s.late_taken);
  drop(p);
}

static void equal(const struct run *a, const struct run *b) {
#define STAT(name, unit, text) assert_int_equal(a->s.name, b->s.name);
#include "sm/stats.def"
#undef STAT
  assert_int_equal(a->hash, b->hash);
}

/* Many CTAs of three warps: the same counts with and without the jump over idle cycles; the work of the
 * baseline. */
static void nothing_else_changes(void **state) {
  (void)state;
  struct prog *p = two_loads();
  for (int v = 0; v < 5; v++) {
    struct config c = base(v < 2 ? RES_VT : RES_FINEREG), flat = c;
    c.sm_ctas = 3;
    c.residency_dram_ctas = v == 1 ? 3 : 0;
    c.finereg_acrf_bytes = 3 * 3 * REGS * 128;
    c.rf_bytes = v < 2 ? 4 * 3 * REGS * 128 : 262144;
    if (v == 3) c.finereg_pcrf_bytes = 17 * 128; /* chains of all sizes, swaps with nothing free */
    if (v == 4) c.slot_scheduler = SCH_TWO_LEVEL, c.rf_single_port = true, c.rf_banks = 2;
    struct run with = run(&c, p, 40, 96);
    c.sim_skip = false;
    struct run without = run(&c, p, 40, 96);
    equal(&with, &without);
    flat.slot_residency = RES_STATIC;
    assert_int_equal(run(&flat, p, 40, 96).hash, with.hash);
    assert_true(with.s.switches > 10 && with.s.active_cycles <= 3 * with.s.cycles);
    if (v > 1) assert_true(with.s.spills + with.s.swaps > 3);
    assert_int_equal(with.s.regs_out, with.s.regs_in);
  }
  drop(p);
}

/* What gains nothing, or cannot, runs as on the baseline, to the cycle. */
static void falls_back(void **state) {
  (void)state;
  struct prog *p = two_loads();
  struct config c = base(RES_FINEREG), flat = base(RES_STATIC);
  c.finereg_acrf_bytes = (REGS - 1) * 128; /* less than a CTA */
  struct run a = run(&c, p, 4, 32), b = run(&flat, p, 4, 32);
  equal(&a, &b);
  c = base(RES_VT);
  c.rf_bytes = flat.rf_bytes = REGS * 128;
  a = run(&c, p, 4, 32), b = run(&flat, p, 4, 32);
  equal(&a, &b);
  drop(p);
  p = prog(64); /* a vector names 63 */
  load(p, 63, 1);
  add(p, 5, 63, 1);
  finish(p);
  c = base(RES_FINEREG), flat = base(RES_STATIC);
  c.finereg_acrf_bytes = 64 * 128;
  a = run(&c, p, 4, 32), b = run(&flat, p, 4, 32);
  equal(&a, &b);
  drop(p);
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
      cmocka_unit_test(falls_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
