/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices: kernels whose registers are packed by hand, on the whole SM, every operand checked: narrow integers
 * of both signs, floats that are rounded, operands in two registers, registers that share slices on different
 * paths; the cycles of each; and wrong packings, which must be detected.
 */
#include <inttypes.h>

#include "unit/sm_kit.h"

#include "blocks/slice/entry.h"

struct home { /* of an architectural register; e = 0: not used */
  uint32_t e;
  bool sgn, fp;
};
enum { REGS = 12 };

static struct home in(unsigned r, unsigned m) { return (struct home){.e = entry_make(r, m, 0, 0)}; }

/* What compiler/narrow/pack.c would say of code in architectural registers. */
static void packed(struct make *k, const struct home home[REGS], uint32_t rows) {
  struct packing *p = arena_alloc(&k->m->arena, sizeof *p);
  memset(p, 0, sizeof *p);
  p->rows = rows;
  p->insn = arena_alloc(&k->m->arena, k->c->n * sizeof *p->insn);
  memset(p->insn, 0, k->c->n * sizeof *p->insn);
  for (unsigned r = 0; r < REGS; r++) p->entry[r] = home[r].e;
  for (uint32_t i = 0; i < k->c->n; i++) {
    const struct op *op = &k->c->op[i];
    struct narrow *n = &p->insn[i];
    for (unsigned s = 0; s < op->nsrc; s++) {
      const struct home *h = &home[op->src[s]];
      n->sgn |= (uint8_t)(h->sgn << s);
      n->cvt |= (uint8_t)((h->fp && entry_n(h->e) < 8) << s);
    }
    for (unsigned d = 0; d < op->ndst; d++) {
      n->fp |= (uint8_t)(home[op->dst[d]].fp << d);
      n->n[d] = (uint8_t)entry_n(home[op->dst[d]].e);
    }
  }
  k->c->packing = p;
  packing_overlaps(k->m, k->c);
}

static struct insn *when(struct insn *i, bool not ) {
  i->guard = P(0);
  i->guard.neg = not ;
  return i;
}

/* Results go to memory one after the other: they are not read there, but they are operands, which are compared. */
static struct make mixed(void) {
  struct make k = kernel_begin();
  op1(&k, OP_MOV, T_U32, R(0), SR(SR_LANEID));
  op2(&k, OP_ADD, T_U32, R(1), R(0), I(0xfffffff0u));          /* -16 to 15 */
  op2(&k, OP_MUL, T_U32, R(2), R(0), I(0x12345))->mods = M_LO; /* 22 bits */
  struct insn *i = op1(&k, OP_CVT, T_F32, R(3), R(0));
  i->stype = T_U32;
  i->rnd = R_RN;
  op2(&k, OP_ADD, T_F32, R(3), R(3), I(0x3dcccccd)); /* 0.1: rounded in 16 bits */
  sum(&k, 5, 2, 1);
  setp(&k, C_LT, P(0), R(0), I(10));
  when(op2(&k, OP_ADD, T_U32, R(6), R(0), I(7)), false);
  when(op2(&k, OP_ADD, T_U32, R(7), R(0), I(9)), true);
  when(op2(&k, OP_ADD, T_U32, R(8), R(6), I(1)), false);
  when(op2(&k, OP_ADD, T_U32, R(8), R(7), I(1)), true);
  op2(&k, OP_MUL, T_F32, R(9), R(3), R(3));
  i = op2(&k, OP_FMA, T_F32, R(9), R(3), R(9));
  i->src[i->nsrc++] = R(3);
  i->rnd = R_RN;
  i = add(&k, OP_ST, T_U32); /* five registers: two passes, the second one with the float */
  i->space = SP_GLOBAL;
  i->vec = 4;
  i->src[0] = I2(GLOBAL_BASE);
  i->nsrc = 5;
  for (unsigned v = 0; v < 4; v++) i->src[1 + v] = R((uint32_t[]){1, 2, 5, 3}[v]);
  st(&k, T_U32, GLOBAL_BASE + 64, R(8));
  st(&k, T_U32, GLOBAL_BASE + 64, R(9));
  kernel_done(&k, REGS);
  return k;
}

static void homes_of_mixed(struct home h[REGS]) {
  memset(h, 0, REGS * sizeof *h);
  h[0] = in(0, 0x03);
  h[1] = in(0, 0x0c);
  h[1].sgn = true;
  h[2] = (struct home){.e = entry_make(0, 0xf0, 1, 0x03)}; /* in two registers */
  h[3] = in(1, 0x3c);
  h[3].fp = true;
  h[5] = in(2, 0xff);
  h[6] = in(3, 0x0f); /* on one path; */
  h[7] = in(3, 0x1e); /* on the other */
  h[8] = in(3, 0xe0);
  h[9] = in(4, 0xfc);
  h[9].fp = true;
}

static struct config machine(void) {
  struct config c;
  checked(&c);
  c.slot_storage = slot_storage_slices;
  c.collector_units = 16;
  c.collector_arrivals = 1;
  return c;
}

static void values_are_right(void **state) {
  (void)state;
  struct home h[REGS];
  homes_of_mixed(h);
  struct make k = mixed();
  packed(&k, h, 5);
  const int64_t delays[] = {-1, 0, 1, 8};
  for (unsigned d = 0; d < 4; d++) {
    struct config c = machine();
    c.slices_wb_delay = delays[d];
    struct run r = run(&c, &k, 9, 96), again;
    const uint64_t warps = 9 * 3;
    assert_int_equal(r.s.operands_checked, warps * 22);
    assert_int_equal(r.s.slice_lookups, warps * 22);
    assert_int_equal(r.s.slice_splits, warps * 2);      /* R2: for the sum, for the store */
    assert_int_equal(r.s.slice_conversions, warps * 8); /* R3: 1 + 2 + 2 + 1; R9: 1 + 1 */
    assert_int_equal(r.s.rf_reads, warps * 24);
    assert_int_equal(r.s.rf_writes, warps * (12 + 1)); /* R2 in two parts */
    c.sim_skip = false;
    again = run(&c, &k, 9, 96);
    equal(&r, &again);
    c.sim_check = false; /* no values are moved, no time changes */
    again = run(&c, &k, 9, 96);
    again.s.operands_checked = r.s.operands_checked;
    equal(&r, &again);
  }
  module_free(k.m);
}

/* Physical registers decide how many CTAs fit: 2 warps of 5 rows of 64. */
static void rows_are_what_a_warp_takes(void **state) {
  (void)state;
  struct home h[REGS];
  homes_of_mixed(h);
  struct make k = mixed();
  packed(&k, h, 5);
  struct config c = machine();
  c.rf_bytes = 64 * 128;
  struct run r = run(&c, &k, 20, 64);
  assert_int_equal(r.fit, 6);
  assert_string_equal(r.limiter, "registers");
  k.c->packing = NULL;
  assert_int_equal(run(&c, &k, 20, 64).fit, 64 / (2 * REGS));
  module_free(k.m);
}

/* One warp, additions that depend on each other. */
static uint64_t chain(struct home home, const struct config *c, uint8_t type, unsigned n) {
  struct make k = kernel_begin();
  struct home h[REGS] = {[1] = home};
  for (unsigned i = 0; i < n; i++) op2(&k, OP_ADD, type, R(1), R(1), I(0));
  kernel_done(&k, REGS);
  packed(&k, h, 2);
  uint64_t cycles = run(c, &k, 1, 32).s.cycles;
  module_free(k.m);
  return cycles;
}

static void costs(void **state) {
  (void)state;
  struct config c = machine();
  c.icache_bytes = 32768;
  c.noc_latency = c.l2_latency = 1; /* instructions come at nearly no cost */
  c.dram_latency = 0;
  c.dram_cl_ps = c.dram_rcd_ps = c.dram_rp_ps = c.dram_ras_ps = c.dram_rc_ps = c.dram_rrd_ps = 0;
  struct home narrow = in(0, 0x0f), two = {.e = entry_make(0, 0x0f, 1, 0x0f)};
  narrow.fp = two.fp = true;
  const unsigned n = 40;
  struct home wide = in(0, 0xff);
  wide.fp = true;
  const uint64_t whole = chain(wide, &c, T_F32, n);
  assert_int_equal(chain(narrow, &c, T_F32, n) - whole, n); /* the converter */
  narrow.fp = false;
  assert_int_equal(chain(narrow, &c, T_U32, n), chain(in(0, 0xff), &c, T_U32, n));
  assert_int_equal(chain(two, &c, T_F32, n) - whole, n); /* the second part */
  uint64_t before = 0;
  for (unsigned d = 0; d < 6; d++) {
    c.slices_wb_delay = d;
    uint64_t cycles = chain(wide, &c, T_F32, n);
    if (d) assert_int_equal(cycles - before, n);
    if (d == 3) assert_int_equal(cycles, whole); /* the pipeline without conflicts */
    before = cycles;
  }
}

/* Stores wait for the LSU; a chain begins where their value lies, under another name: it waits for them. */
static uint64_t overwrite(bool overlap) {
  struct make k = kernel_begin();
  struct home h[REGS] = {[1] = in(0, 0x0f), [2] = overlap ? in(0, 0x3c) : in(1, 0x3c)};
  op1(&k, OP_MOV, T_U32, R(1), I(5));
  for (unsigned i = 0; i < 8; i++) st(&k, T_U32, GLOBAL_BASE + 4096 * i, R(1));
  op1(&k, OP_MOV, T_U32, R(2), I(1));
  for (unsigned i = 0; i < 60; i++) op2(&k, OP_ADD, T_U32, R(2), R(2), I(1));
  kernel_done(&k, REGS);
  packed(&k, h, 3);
  struct config c = machine();
  c.lsu_queue = 1;
  uint64_t cycles = run(&c, &k, 1, 512).s.cycles;
  module_free(k.m);
  return cycles;
}

static void overlaps_wait(void **state) {
  (void)state;
  const uint64_t waits = overwrite(true), free = overwrite(false);
  if (waits < free + 30) fail_msg("%" PRIu64 " cycles, %" PRIu64 " without an overlap", waits, free);
}

static void wrong(void (*change)(struct home *), const char *what) {
  struct home h[REGS];
  struct err e = {0};
  struct run r;
  homes_of_mixed(h);
  change(h);
  struct make k = mixed();
  packed(&k, h, 5);
  struct config c = machine();
  for (unsigned constant = 0; constant < 2; constant++) {
    c.slices_wb_delay = constant ? 3 : -1;
    e = (struct err){0};
    assert_false(try_run(&c, &k, 2, 64, NULL, &r, &e));
    if (!strstr(e.text, what)) fail_msg("found: %s; expected: %s", e.text, what);
  }
  module_free(k.m);
}

static void too_narrow(struct home *h) { h[0] = in(0, 0x01); }
static void unsigned_by_mistake(struct home *h) { h[1].sgn = false; }
static void not_converted(struct home *h) { h[9] = in(4, 0xfc); }
static void over_another(struct home *h) { h[5] = in(1, 0xff); }

static void faults_are_found(void **state) {
  (void)state;
  wrong(too_narrow, "result 0 (R0) lane 16 is 0x00000010, which 1 nibbles do not hold");
  wrong(unsigned_by_mistake, "(R1) lane 0 was read as 0x000000f0, last written 0xfffffff0");
  wrong(over_another, "was read as");
  wrong(not_converted, "which 6 nibbles do not hold");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_right), cmocka_unit_test(rows_are_what_a_warp_takes), cmocka_unit_test(costs),
      cmocka_unit_test(overlaps_wait),    cmocka_unit_test(faults_are_found),
  };
  return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
