/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example: the block limit against cases worked by hand from docs/blocks/example/limit.md, and against the page word for word under random
 * inputs; DYNCTA in the SM: in which cycle a CTA may issue first, on kernels made by hand, and what one on a kernel of the suite must keep.
 */
#include "blocks/example/limit.h"
#include "lab/run/run.h"
#include "unit/finereg_kit.h"
#include "unit/sm_kit.h"

/* ---- the block ---- */
NOW(limit)
SKIPS(limit)

static struct limit b;
static const struct limit_params short_set = {.Period = 6, .Idle = 2, .Low = 8, .High = 24};

static void cycles(uint64_t n, uint64_t idle, uint64_t mem) {
  const struct limit_in in = {.idle_i = idle, .memory_i = mem};
  for (; n; n--) limit_tick(&b, &in);
}

static uint64_t may(void) { return limit_now(&b, &(struct limit_in){0}).limit_o; }

static void start(uint64_t most) {
  limit_tick(&b, &(struct limit_in){.start_i = 1, .max_ctas_i = most, .memory_i = 1});
  assert_true(b.r.max_ctas_q == most && !b.r.cycle_q && !b.r.idle_cycles_q && !b.r.memory_cycles_q);
}

/* One period of the short set. */
static uint64_t period(uint64_t idle, uint64_t mem) {
  cycles(idle, 1, 0);
  cycles(mem, 0, 1);
  cycles(63 - idle - mem, 0, 0);
  assert_true(b.r.cycle_q == 63 && b.r.idle_cycles_q == idle && b.r.memory_cycles_q == mem);
  cycles(1, 0, 0);
  assert_true(!b.r.cycle_q && !b.r.idle_cycles_q && !b.r.memory_cycles_q);
  return may();
}

static void periods(void **state) {
  (void)state;
  limit_reset(&b);
  assert_true(may() == 1 && b.r.max_ctas_q == 1 && limit_idle(&b) == 2047);
  limit_size(&b, &short_set);
  start(7);
  assert_int_equal(may(), 3);
  assert_int_equal(period(0, 8), 3);  /* between Low and High */
  assert_int_equal(period(0, 7), 4);  /* below Low */
  assert_int_equal(period(0, 24), 4); /* not above High */
  assert_int_equal(period(0, 25), 3);
  assert_int_equal(period(2, 25), 2); /* not above Idle */
  assert_int_equal(period(3, 60), 3); /* Idle comes first */
  assert_int_equal(period(2, 61), 2);
  assert_int_equal(period(0, 63), 1);
  assert_int_equal(period(0, 63), 1); /* at least one */
  for (uint64_t n = 2; n <= 7; n++) assert_int_equal(period(63, 0), n);
  assert_int_equal(period(63, 0), 7); /* at most all */
  cycles(24, 0, 1);
  cycles(39, 0, 0);
  cycles(1, 0, 1); /* the last cycle counts, too */
  assert_int_equal(may(), 6);
}

static void starts(void **state) {
  (void)state;
  limit_reset(&b);
  limit_size(&b, &short_set);
  start(1);
  assert_int_equal(may(), 1);
  start(32);
  assert_int_equal(may(), 16);
  cycles(63, 0, 1);
  start(5); /* in a period's last cycle: nothing is decided */
  assert_int_equal(may(), 2);
  assert_int_equal(limit_idle(&b), 63);
}

/* The page's words on random inputs, and counting at once. */
static void as_the_page_says(void **state) {
  (void)state;
  seed = 7;
  limit_reset(&b);
  limit_size(&b, &short_set);
  uint64_t n = 1, most = 1, cyc = 0, idle = 0, mem = 0;
  for (unsigned i = 0; i < 40000; i++) {
    const unsigned what = rnd(100), biased = i / 64 % 5;
    struct limit_in in = {.idle_i = what < (biased ? 3 : 60), .memory_i = what >= 100 - 20 * biased};
    if (in.idle_i) in.memory_i = 0;
    if (chance(i % 8000 < 64 ? 5 : 0)) in.start_i = 1, in.max_ctas_i = 1 + rnd(32);
    limit_tick(&b, &in);
    idle += in.idle_i, mem += in.memory_i;
    if (in.start_i) {
      most = in.max_ctas_i, n = most / 2 ? most / 2 : 1, cyc = idle = mem = 0;
    } else if (cyc == 63) {
      n += idle > 2 || mem < 8 ? n < most : mem > 24 && n > 1 ? -1ull : 0;
      cyc = idle = mem = 0;
    } else {
      cyc++;
    }
    assert_true(b.r.limit_q == n && b.r.max_ctas_q == most && b.r.cycle_q == cyc && b.r.idle_cycles_q == idle &&
                b.r.memory_cycles_q == mem);
    in.start_i = 0;
    limit_skips(&b, &in);
  }
}

/* What the page calls illegal; a set whose Low is above its High. */
static void broken(uint32_t which) {
  limit_reset(&b);
  const struct limit_in in[] = {{.start_i = 1, .max_ctas_i = 32},
                                {.idle_i = 1, .memory_i = 1},
                                {.start_i = 1, .max_ctas_i = 1, .idle_i = 1, .memory_i = 1},
                                {.start_i = 1},
                                {.start_i = 1, .max_ctas_i = 33}};
  if (which < 5) limit_tick(&b, &in[which]);
  else {
    struct limit_params size = limit_defaults();
    size.Period = 6;
    size.Low = 9;
    size.High = 8;
    limit_size(&b, &size);
  }
}

static void illegal(void **state) {
  (void)state;
  assert_false(asserts(broken, 0));
  for (uint32_t i = 1; i <= 5; i++) assert_true(asserts(broken, i));
}

/* ---- in the SM ---- */
enum { REGS = 8, CTAS = 4 };

/* In which cycle each CTA's first instruction issued, and what the residency said of them, in order. */
struct seen {
  uint64_t first[CTAS];
  char order[200];
  size_t n;
};
static void on_launch(void *ctx, const struct code *k, uint64_t cycle) { (void)ctx, (void)k, (void)cycle; }
static void on_cta(void *ctx, uint64_t cycle, unsigned cta, enum probe_cta what, const uint16_t *slot, unsigned warps) {
  (void)ctx, (void)cycle, (void)cta, (void)what, (void)slot, (void)warps;
}
static void on_issue(void *ctx, uint64_t cycle, unsigned cta, const struct warp_inst *inst, const struct op *op) {
  (void)inst, (void)op;
  struct seen *s = ctx;
  if (!s->first[cta]) s->first[cta] = cycle;
}
static void on_read(void *ctx, uint64_t cycle, uint32_t op, uint32_t line, uint8_t sectors, enum probe_read what) {
  (void)ctx, (void)cycle, (void)op, (void)line, (void)sectors, (void)what;
}
static void on_status(void *ctx, uint64_t cycle, unsigned cta, enum probe_status what) {
  struct seen *s = ctx;
  (void)cycle;
  if (s->n + 4 < sizeof s->order)
    s->n += (size_t)sprintf(s->order + s->n, "%c%u ", what == PROBE_ACTIVE ? 'A' : 'h', cta);
}

/* Four CTAs of a warp each are resident; periods of 512 cycles, so that the first instructions come within one. */
static struct config dyncta(void) {
  struct config c;
  checked(&c);
  c.sm_ctas = CTAS;
  c.slot_residency = slot_residency_dyncta;
  c.dyncta_period_log2 = 9;
  c.dyncta_idle = 2;
  c.dyncta_low = 8;
  c.dyncta_high = 24;
  return c;
}

static struct run watched(const struct config *c, const struct make *k, struct seen *seen) {
  const struct probe probe = {on_launch, on_cta, on_issue, on_read, on_status, NULL, seen};
  struct run r;
  struct err e = {0};
  *seen = (struct seen){.n = 0};
  if (!try_run(c, k, CTAS, 32, &probe, &r, &e)) fail_msg("%s", e.text);
  return r;
}

/* The same without jumps over cycles, with null hooks, and without a probe. */
static void same_otherwise(struct config c, const struct make *k, const struct run *as) {
  struct run r = run(&c, k, CTAS, 32);
  equal(&r, as);
  c.sim_skip = false;
  r = run(&c, k, CTAS, 32);
  equal(&r, as);
  c.sim_null_hooks = true;
  r = run(&c, k, CTAS, 32);
  equal(&r, as);
}

static struct make sums(unsigned n) {
  struct make k = kernel_begin();
  op1(&k, OP_MOV, T_U32, R(0), SR(SR_LANEID));
  for (unsigned i = 0; i < n; i++) sum(&k, 1 + i % 4, 0, 1 + i % 4);
  kernel_done(&k, REGS);
  return k;
}

/*
 * Sums wait for no load: after each period a CTA more. Cycle 0 is the one with start_i, 1 to 512 are the first period, and what is decided in
 * its last cycle holds from 513 on; CTA 2, for whose warp nothing was fetched while it was held, issues in 514, CTA 3 after 512 cycles more.
 */
static void a_cta_more(void **state) {
  (void)state;
  struct make k = sums(600);
  const struct config c = dyncta();
  struct seen seen;
  const struct run r = watched(&c, &k, &seen);
  assert_int_equal(r.fit, CTAS);
  assert_true(seen.first[0] < 513 && seen.first[1] < 513);
  assert_int_equal(seen.first[2], 514);
  assert_int_equal(seen.first[3], 1026);
  assert_true(r.s.dyncta_more == 2 && !r.s.dyncta_fewer && !r.s.dyncta_mem);
  assert_memory_equal(seen.order, "A0 A0 A1 A0 A1 h2 A0 A1 h2 h3 A0 A1 A2 h3 A0 A1 A2 A3 ", 54);
  same_otherwise(c, &k, &r);
  module_free(k.m);
}

/* Loads of lines of their own, each awaited: a warp waits for memory all the time. */
static struct make chain(void) {
  struct make k = kernel_begin();
  struct memory *m = memory_new(k.m);
  const uint32_t at = memory_alloc(m, "b", BUFFER);
  memory_free(m);
  op1(&k, OP_MOV, T_U32, R(3), I(0));
  struct insn *i = op2(&k, OP_MAD, T_U32, R(2), SR(SR_CTAID_X), I(8192));
  i->src[i->nsrc++] = I(at);
  i->mods = M_LO;
  for (int line = 0; line < 8; line++) {
    i = op1(&k, OP_LD, T_U32, R(4), D(2));
    i->space = SP_GLOBAL;
    i->offset = line * 128;
    sum(&k, 5, 4, 4);
  }
  kernel_done(&k, REGS);
  return k;
}

/* Nothing refuses the accesses: all wait, so it is idle, and more may issue. If every wait counts, one less: CTA 1 is held until 0 has ended. */
static void waits(void **state) {
  (void)state;
  struct make k = chain();
  struct config c = dyncta();
  struct seen seen;
  struct run r = watched(&c, &k, &seen);
  assert_true(r.s.dyncta_more == 2 && !r.s.dyncta_fewer && !r.s.dyncta_mem && r.s.dyncta_idle > r.s.cycles / 2);
  same_otherwise(c, &k, &r);
  c.dyncta_memory = dyncta_memory_every;
  c.dyncta_idle = 100; /* behind the end of a CTA no warp may issue for some cycles */
  r = watched(&c, &k, &seen);
  assert_true(!r.s.dyncta_more && r.s.dyncta_fewer == 1 && r.s.dyncta_mem > r.s.cycles / 2);
  assert_string_equal(seen.order, "A0 A0 A1 A0 A1 h2 A0 A1 h2 h3 A0 h1 h2 h3 A1 h2 h3 A2 h3 A3 ");
  assert_true(r.s.active_cycles < r.s.cycles + 700 && r.s.cta_cycles > 2 * r.s.cycles);
  same_otherwise(c, &k, &r);
  module_free(k.m);
}

static void refused(void **state) {
  (void)state;
  struct make k = sums(4);
  struct config c = dyncta();
  struct err e = {0};
  c.sm_ctas = 33;
  assert_null(gpu_new(&c, 1, &e));
  assert_string_equal(e.text,
                      "slot.residency dyncta with sm.ctas 33, expected at most 32: the controller counts so far");
  module_free(k.m);
  config_defaults(&c);
  e = (struct err){0};
  assert_true(config_set(&c, "dyncta.low=400", 0, &e));
  assert_false(config_check(&c, &e));
  assert_non_null(strstr(e.text, "found dyncta.low 400, expected at most dyncta.high, 384"));
}

/* ---- a kernel of the suite ---- */
/* An observer that says after each evaluation how many CTAs may issue: none but the block decides. */
static bool cycle(void *ctx, const char *block, unsigned k, uint64_t at, const void *s, const void *in,
                  const void *out) {
  (void)ctx, (void)block, (void)k, (void)at, (void)s, (void)in, (void)out;
  return true;
}
static void one(void *ctx, const char *block, unsigned k, const void *in, void *out) {
  (void)k, (void)in;
  assert_string_equal(block, "example/limit");
  ((struct limit_out *)out)->limit_o = 1;
  ++*(unsigned *)ctx;
}

static struct run_result suite(const char *system, const struct observer *o) {
  struct config c;
  struct workload w;
  struct run_result r = {0};
  struct err e = {0};
  const struct run_progress progress = {.observer = o};
  if (!config_load(&c, "gtx980", system, &e) || !config_set(&c, "sim.check=true", 0, &e) || !config_check(&c, &e) ||
      !workload_compile("gesummv", "small", &c, 0, &w, &e) || !run_workload(&w, &c, 0, false, &progress, &r, &e))
    fail_msg("%s on %s: %s", "gesummv", system, e.text);
  workload_close(&w);
  return r;
}

static void on_a_kernel(void **state) {
  (void)state;
  unsigned asked = 0;
  const struct observer o = {.reset = no_reset, .cycle = cycle, .outputs = one, .ctx = &asked};
  const struct run_result base = suite("LB-Base", NULL), r = suite("DYNCTA", NULL), planted = suite("DYNCTA", &o);
  assert_int_equal(r.sm.warp_insns, base.sm.warp_insns);
  assert_true(r.sm.dyncta_more > 10 && r.sm.dyncta_fewer > 10 && r.sm.dyncta_mem > 0 && r.sm.dyncta_idle > 0);
  assert_true(r.sm.active_cycles < base.sm.active_cycles);
  assert_true(asked > 0 && !planted.sm.dyncta_more && planted.sm.active_cycles < planted.sm.cycles + 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(periods), cmocka_unit_test(starts),      cmocka_unit_test(as_the_page_says),
      cmocka_unit_test(illegal), cmocka_unit_test(a_cta_more),  cmocka_unit_test(waits),
      cmocka_unit_test(refused), cmocka_unit_test(on_a_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
