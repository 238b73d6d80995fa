/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timing of the SM, by microbenchmarks whose answers can be computed by hand; memory: sm_memory_test.c. Most cases run a program with
 * n and with m repetitions and compare the difference: start-up costs (instruction misses, launch) cancel out.
 */
#include "unit/sm_prog.h"
#include "sampled.h"

/* ---- dependent and independent streams ---- */
enum { FEW = 20, MANY = 120 };

static uint64_t chain(const struct config *cfg, int kind, unsigned n, bool dependent) {
  struct prog *p = prog();
  /* warm the instruction cache: it does not matter, only differences do */
  for (unsigned k = 0; k < n; k++) {
    unsigned d = dependent ? 2 : 2 + 2 * (k % 20), s = dependent ? 2 : 50;
    switch (kind) {
      case CLS_INT: emit(p, OP_ADD, T_U32, 0, R(d), R(s), R(s + 1), NO); break;
      case CLS_IMUL: emit(p, OP_MUL, T_U32, M_LO, R(d), R(s), R(s + 1), NO); break;
      case CLS_SP: emit(p, OP_ADD, T_F32, 0, R(d), R(s), R(s + 1), NO); break;
      case CLS_DP: emit(p, OP_ADD, T_F64, 0, RR(d), RR(s), RR(s + 2), NO)->rnd = R_RN; break;
      case CLS_SFU: emit(p, OP_EX2, T_F32, M_APPROX, R(d), R(s), NO, NO); break;
      case CLS_DIV: emit(p, OP_DIV, T_U32, 0, R(d), R(s), R(s + 1), NO); break;
    }
  }
  finish(p, 64);
  uint64_t c = run(cfg, p, 1, 32).s.cycles;
  drop(p);
  return c;
}

static void dependent_chain_is_the_latency(void **state) {
  (void)state;
  struct config c = base();
  c.icache_bytes = 32768;
  /* the instruction cache is cold: let it miss at no cost by fetching from an L2 that is very near */
  c.noc_latency = 1, c.l2_latency = 1, c.dram_latency = 0;
  c.dram_cl_ps = c.dram_rcd_ps = c.dram_rp_ps = c.dram_ras_ps = c.dram_rc_ps = c.dram_rrd_ps = 0;
  struct {
    int cls;
    int64_t latency;
  } t[] = {{CLS_INT, c.unit_int_latency}, {CLS_IMUL, c.unit_imul_latency}, {CLS_SP, c.unit_sp_latency},
           {CLS_DP, c.unit_dp_latency},   {CLS_SFU, c.unit_sfu_latency},   {CLS_DIV, c.unit_div_latency}};
  for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
    /* whole instruction lines more: 16 instructions each; longer latencies hide the fetch of the next line only if ... so measure
     * within one line: 4 against 12 instructions */
    uint64_t d = chain(&c, t[k].cls, 12, true) - chain(&c, t[k].cls, 4, true);
    assert_int_equal(d, 8 * (uint64_t)t[k].latency);
  }
}

static void independent_stream_is_the_interval(void **state) {
  (void)state;
  struct config c = base();
  c.sm_subcores = true; /* one pipe for the warp's sub-core: int_count / schedulers */
  c.rf_banks = 64;
  c.unit_dp_count = 4;
  c.sm_ibuffer = 8, c.sm_fetch_width = 8;
  struct {
    int cls;
    int64_t interval;
  } t[] = {{CLS_INT, c.unit_int_interval}, {CLS_IMUL, c.unit_imul_interval}, {CLS_SP, c.unit_sp_interval},
           {CLS_DP, c.unit_dp_interval},   {CLS_SFU, c.unit_sfu_interval},   {CLS_DIV, c.unit_div_interval}};
  for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
    uint64_t d = chain(&c, t[k].cls, 14, false) - chain(&c, t[k].cls, 6, false);
    assert_int_equal(d, 8 * (uint64_t)t[k].interval);
  }
}

/* ---- register banks ---- */
static void register_bank_conflicts(void **state) {
  (void)state;
  /* One instruction whose n operands lie in one bank: n - 1 cycles more than n operands in n banks. */
  for (unsigned n = 1; n <= 3; n++) {
    uint64_t t[2];
    for (int spread = 0; spread < 2; spread++) {
      struct config c = base();
      c.rf_banks = 16;
      struct prog *p = prog();
      for (int k = 0; k < 10; k++) {
        unsigned s[3] = {2, 2, 2};
        for (unsigned j = 1; j < 3; j++) s[j] = spread ? 2 + j : 2 + 16 * j;
        if (n == 1) emit(p, OP_NEG, T_S32, 0, R(2), R(2), NO, NO);
        else if (n == 2) emit(p, OP_ADD, T_U32, 0, R(2), R(2), R(s[1]), NO);
        else emit(p, OP_FMA, T_F32, 0, R(2), R(2), R(s[1]), R(s[2]));
      }
      finish(p, 64);
      t[spread] = run(&c, p, 1, 32).s.cycles;
      drop(p);
    }
    assert_int_equal(t[0] - t[1], 10 * (n - 1));
  }
  /* w warps, each one instruction with one operand, all in one bank: the last waits w - 1 cycles longer. */
  for (unsigned w = 2; w <= 16; w *= 2) {
    struct config c = base();
    struct prog *p = prog();
    emit(p, OP_NEG, T_S32, 0, R(2), R(2), NO, NO);
    finish(p, 64);
    c.rf_banks = 1; /* every operand in the one bank */
    c.rf_results = 64;
    c.sm_schedulers = 8, c.unit_int_count = 16;
    struct run one = run(&c, p, 1, 32 * w);
    assert_int_equal(one.s.rf_reads, w);
    c.rf_banks = 64;
    struct run many = run(&c, p, 1, 32 * w);
    assert_int_equal(many.s.rf_read_conflicts, 0);
    /* Reads take turns at one a cycle: the last of them waits w - 1 cycles for its bank. The second round of 8 warps issues two
     * cycles later (greedy: each scheduler's first warp issues its exit in between), so that much of the wait is not seen. */
    assert_int_equal(one.s.cycles - many.s.cycles, w - 1 - (w > 8 ? 2 : 0));
    drop(p);
  }
}

/* ---- instruction cache ---- */
/* 257 instructions, exit included, in a row: lines of 16 of them, or of 8. Straight-line code of one warp misses each
 * line once, and waits for each of them alike. */
static void instruction_lines(void **state) {
  (void)state;
  struct config c = base();
  struct prog *p = prog();
  for (unsigned k = 0; k < 256; k++) add(p, 2 + k % 2, 4, 5);
  finish(p, 8);
  struct run small = run(&c, p, 1, 32);
  assert_int_equal(small.s.icache_misses, 17);
  c.icache_insn_bytes = 16;
  struct run large = run(&c, p, 1, 32);
  assert_int_equal(large.s.icache_misses, 33);
  assert_int_equal(large.m.req_reads, 33);
  c.icache_bytes =
      32 * 128; /* eight sets of four ways: a second CTA finds the code of 8 bytes, of the other kind ... */
  c.icache_insn_bytes = 8;
  c.sm_ctas = 1;
  assert_int_equal(run(&c, p, 2, 32).s.icache_misses, 17);
  c.icache_insn_bytes = 16; /* ... the set of the 33rd line holds none of its five */
  assert_int_equal(run(&c, p, 2, 32).s.icache_misses, 33 + 5);
  drop(p);
}

/* ---- occupancy ---- */
static void occupancy_limits(void **state) {
  (void)state;
  struct {
    const char *limiter;
    unsigned nreg, shared, threads, ctas, fit;
  } t[] = {
      {"warps", 8, 0, 256, 100, 8},            /* 64 warps / 8 */
      {"CTAs", 8, 0, 32, 100, 32},             /* 32 CTAs of one warp */
      {"registers", 64, 0, 256, 100, 4},       /* 2048 warp registers / (8 x 64) */
      {"shared memory", 8, 30000, 64, 100, 3}, /* 98304 / 30208 */
      {"grid", 8, 0, 64, 2, 2},
  };
  for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
    struct config c = base();
    struct prog *p = prog();
    p->c.shared_bytes = t[k].shared;
    add(p, 2, 2, 3);
    finish(p, t[k].nreg);
    struct run r = run(&c, p, t[k].ctas, t[k].threads);
    assert_string_equal(r.limiter, t[k].limiter);
    assert_int_equal(r.fit, t[k].fit);
    assert_int_equal(r.s.ctas, t[k].ctas);
    drop(p);
  }
  struct config c = base();
  c.sm_threads = 512;
  struct prog *p = prog();
  add(p, 2, 2, 3);
  finish(p, 8);
  struct run r = run(&c, p, 50, 96);
  assert_string_equal(r.limiter, "threads");
  assert_int_equal(r.fit, 5);
  drop(p);
}

/* ---- barriers, branches ---- */
static uint64_t barriers(const struct config *c, unsigned n, unsigned warps) {
  struct prog *p = prog();
  for (unsigned k = 0; k < n; k++) {
    struct insn *b = emit(p, OP_BAR, T_NONE, 0, NO, I(0), NO, NO);
    b->sub = BAR_SYNC;
  }
  finish(p, 4);
  struct run r = run(c, p, 1, 32 * warps);
  assert_int_equal(r.s.barriers, n);
  drop(p);
  return r.s.cycles;
}
static void barrier_cost(void **state) {
  (void)state;
  struct config c = base();
  for (unsigned w = 1; w <= 4; w++) /* one warp for each scheduler: all arrive in one cycle */
    assert_int_equal(barriers(&c, 12, w) - barriers(&c, 4, w), 8 * c.unit_ctrl_latency);
  /* eight warps, two for each scheduler: the second arrives a cycle later, so every round is longer by one */
  assert_int_equal(barriers(&c, 12, 8) - barriers(&c, 4, 8), 8 * (c.unit_ctrl_latency + 1));
}

static void branch_cost(void **state) {
  (void)state;
  struct config c = base();
  uint64_t t[2];
  for (int more = 0; more < 2; more++) {
    struct prog *p = prog();
    for (unsigned k = 0; k < (more ? 12u : 4u); k++) {
      struct insn *b = emit(p, OP_BRA, T_NONE, M_UNI, NO, NO, NO, NO);
      b->target = p->n; /* the next one */
    }
    finish(p, 4);
    t[more] = run(&c, p, 1, 32).s.cycles;
    drop(p);
  }
  assert_int_equal(t[1] - t[0], 8 * c.unit_ctrl_latency);
}

/* ---- two streams: what one does to the other ---- */
enum { BESIDE = 40, EVERY = 64 };

/* The older warp has n independent instructions of its kind, CLS_LSU: shared loads of 32 passes each, else SFU. Beside it a warp
 * with BESIDE independent f32 additions, one every EVERY cycles: more than the others take by far. One scheduler, four collector
 * units, banks for all; the instruction cache misses at no cost. */
static uint64_t beside(struct config c, int kind, unsigned n) {
  c.sm_schedulers = 1, c.collector_units = 4, c.unit_sp_count = c.unit_sfu_count = 1;
  c.unit_sp_interval = EVERY, c.unit_sfu_interval = 8, c.lsu_queue = 1, c.rf_banks = 64;
  c.icache_bytes = 32768, c.noc_latency = 1, c.l2_latency = 1, c.dram_latency = 0;
  struct prog *p = prog();
  p->c.shared_bytes = 4096;
  const struct opnd first = {.kind = O_PRED};
  emit(p, OP_MUL, T_U32, M_LO, R(2), SR(SR_TID_X), I(128), NO);
  emit(p, OP_SETP, T_U32, 0, first, SR(SR_TID_X), I(32), NO)->cmp = C_GE;
  struct insn *b = emit(p, OP_BRA, T_NONE, 0, NO, NO, NO, NO);
  b->guard = first;
  for (unsigned k = 0; k < n; k++) {
    if (kind == CLS_LSU) load(p, SP_SHARED, R(4 + k), R(2), 0);
    else emit(p, OP_EX2, T_F32, M_APPROX, R(4 + k), R(3), NO, NO);
  }
  emit(p, OP_EXIT, T_NONE, 0, NO, NO, NO, NO);
  b->target = p->n;
  for (unsigned k = 0; k < BESIDE; k++) emit(p, OP_ADD, T_F32, 0, R(30 + 2 * (k % 10)), R(3), R(28), NO);
  finish(p, 64);
  struct run r = run(&c, p, 1, 64);
  drop(p);
  assert_true(r.s.slot_issued + r.s.slot_collector + r.s.slot_inactive + r.s.slot_gate + r.s.slot_alu +
                  r.s.slot_memory + r.s.slot_barrier + r.s.slot_atomic + r.s.slot_fetch + r.s.slot_empty ==
              r.s.cycles);
  return r.s.cycles;
}

/* In one pool the older warp takes each unit that becomes free, so the other waits until the loads are through: 32 cycles for
 * each. With units of their own the loads are done long before the additions: no cycle more. */
static void memory_has_its_own_units(void **state) {
  (void)state;
  struct config c = base();
  assert_int_equal(beside(c, CLS_LSU, 20) - beside(c, CLS_LSU, 12), 8 * 32);
  c.collector_sp_units = 2, c.collector_sfu_units = 1, c.collector_mem_units = 1;
  assert_int_equal(beside(c, CLS_LSU, 20), beside(c, CLS_LSU, 12));
}

/* Without a reservation the older warp's special functions take every unit that becomes free and wait in it for their pipe,
 * eight cycles each, before the additions begin. With it they issue every eight cycles and hold no unit meanwhile: the additions
 * go on beside them and last longer. Memory instructions do the same for the LSU. */
static void a_busy_unit_holds_no_collector(void **state) {
  (void)state;
  for (int groups = 0; groups < 2; groups++) {
    struct config c = base();
    c.sm_subcores = groups != 0;
    assert_int_equal(beside(c, CLS_SFU, 20) - beside(c, CLS_SFU, 12), 8 * 8);
    c.unit_reserve = true;
    assert_int_equal(beside(c, CLS_SFU, 20), beside(c, CLS_SFU, 12));
    assert_int_equal(beside(c, CLS_LSU, 20), beside(c, CLS_LSU, 12));
  }
}

/* ---- schedulers ---- */
static void gto_order(void **state) {
  (void)state;
  struct sm *S = xcalloc_lines(1, sizeof *S);
  struct scheduler *sc = &S->sched[0];
  S->scheduler_at[0] = (const struct scheduler_view *)sc;
  /* warps launched in the order 3, 1, 0, 2 */
  sc->older[3] = 0, sc->older[1] = 8, sc->older[0] = 8 | 2, sc->older[2] = 8 | 2 | 1;
  sc->last = 2;
  assert_int_equal(scheduler_gto.pick(S, 0, 0xf).bit, 2); /* greedy */
  assert_int_equal(scheduler_gto.pick(S, 0, 0xb).bit, 3); /* the oldest */
  assert_int_equal(scheduler_gto.pick(S, 0, 0x3).bit, 1);
  assert_int_equal(scheduler_gto.pick(S, 0, 0x1).bit, 0);
  assert_int_equal(scheduler_lrr.pick(S, 0, 0xf).bit, 3); /* the one after the last */
  assert_int_equal(scheduler_lrr.pick(S, 0, 0x3).bit, 0);
  free(S);
}

/* ---- nothing of the simulator's own shows ---- */
static struct prog *mixed(void) {
  struct prog *p = prog();
  struct module empty = {.global_end = GLOBAL_BASE};
  struct memory *probe = memory_new(&empty);
  uint32_t at = memory_alloc(probe, "a", 1 << 20);
  memory_free(probe);
  p->c.shared_bytes = 4096;
  emit(p, OP_MAD, T_U32, M_LO, R(4), SR(SR_CTAID_X), I(256), SR(SR_TID_X));
  emit(p, OP_MUL, T_U32, M_LO, R(5), R(4), I(0x9e3779b1), NO);
  emit(p, OP_AND, T_B32, 0, R(5), R(5), I(0xffff0), NO);
  emit(p, OP_ADD, T_U32, 0, R(6), R(5), I(at), NO);
  emit(p, OP_MOV, T_U32, 0, R(7), I(0), NO, NO);
  for (int k = 0; k < 6; k++) {
    load(p, SP_GLOBAL, R(8 + k), RR(6), k % 3 == 2 ? M_CG : 0);
    emit(p, OP_FMA, T_F32, 0, R(16), R(16), R(8 + k), R(17));
    emit(p, OP_MAD, T_U32, M_LO, R(18), R(8 + k), R(5), R(4));
    emit(p, OP_AND, T_B32, 0, R(20), R(18), I(0xffc), NO);
    emit(p, OP_ST, T_U32, 0, NO, R(20), R(16), NO)->space = SP_SHARED;
    if (k & 1) emit(p, OP_BAR, T_NONE, 0, NO, I(0), NO, NO)->sub = BAR_SYNC;
    load(p, SP_SHARED, R(22), R(20), 0);
    emit(p, OP_RCP, T_F32, M_APPROX, R(23), R(22), NO, NO);
    struct insn *a = emit(p, OP_ATOM, T_U32, 0, k == 3 ? R(24) : NO, RR(6), R(4), NO);
    a->sub = ATOM_ADD, a->space = SP_GLOBAL;
    emit(p, OP_ST, T_U32, 0, NO, RR(6), R(18), NO)->space = SP_GLOBAL;
    emit(p, OP_ADD, T_U32, 0, R(5), R(5), R(24), NO);
  }
  finish(p, 26);
  return p;
}
static struct run run_mixed(const struct config *c, struct prog *p) {
  struct memory *mem = memory_new(&p->m);
  memory_alloc(mem, "a", 1 << 20);
  struct run r = run_in(c, p, mem, 24, 256);
  memory_free(mem);
  return r;
}
static void same(const struct run *a, const struct run *b) {
#define STAT(name, unit, text) \
  if (a->s.name != b->s.name)  \
    fail_msg(#name ": %llu, %llu", (unsigned long long)a->s.name, (unsigned long long)b->s.name);
#include "gen/systems/stats.def"
  assert_memory_equal(&a->m, &b->m, sizeof a->m);
  assert_true(a->hash == b->hash);
}

static void skipping_changes_nothing(void **state) {
  (void)state;
  struct prog *p = mixed();
  for (int v = 0; v < 12; v++) {
    struct config c = base();
    if (!sampled(v)) continue;
    if (v >= 9) c.unit_reserve = true, c.sm_subcores = v == 10, c.rf_single_port = true, c.lsu_queue = 4;
    if (v == 6 || v == 8) c.slot_storage = slot_storage_slices, c.collector_arrivals = 1;
    if (v == 7 || v == 8)
      c.collector_sp_units = 6, c.collector_sfu_units = 8, c.collector_mem_units = 2, c.lsu_queue = 1;
    if (v == 1) c.sm_subcores = true;
    if (v == 2) c.rf_single_port = true, c.rf_banks = 2, c.collector_units = 4;
    if (v == 3) c.l1_write = l1_write_back, c.l1_sector = 32, c.l1_bytes = 2048, c.l1_ways = 4;
    if (v == 4) c.slot_scheduler = slot_scheduler_two_level, c.noc_credits = 3, c.l1_mshrs = 2, c.l1_merge = 2;
    if (v == 5) c.l1_bytes = 0, c.lsu_queue = 1, c.collector_arrivals = 1;
    if (v == 11)
      c.lsu_lines = 4, c.lsu_bytes = 64, c.shared_interval = 2, c.l1_mshrs = c.noc_credits = 256, c.l1_sector = 32;
    if (v == 7)
      c.lsu_lines = 4, c.lsu_bytes = 64, c.shared_interval = 2, c.l1_mshrs = c.noc_credits = 256, c.l1_sector = 32;
    struct run with = run_mixed(&c, p);
    c.sim_skip = false;
    struct run without = run_mixed(&c, p);
    same(&with, &without);
    assert_true(with.s.operands_checked == with.s.rf_reads);
    assert_true(with.s.operands_checked > 10000);
  }
  drop(p);
}

/* Whatever the choices are: those that leave nearly all hooks out, and those that take most. */
static void hooks_that_do_nothing_change_nothing(void **state) {
  (void)state;
  struct prog *p = mixed();
  for (int v = 0; v < 7; v++) {
    struct config c = base();
    if (v == 1) c.sm_subcores = true, c.rf_single_port = true;
    if (v == 2) c.l1_write = l1_write_back, c.l1_bytes = 2048, c.l1_ways = 2;
    if (v == 3) c.slot_scheduler = slot_scheduler_lrr;
    if (v == 4) c.slot_scheduler = slot_scheduler_two_level;
    if (v == 5) c.slot_storage = slot_storage_slices, c.collector_arrivals = 1;
    if (v == 6) c.slot_residency = slot_residency_vt, c.sm_ctas = 2;
    struct run a = run_mixed(&c, p);
    c.sim_null_hooks = true;
    struct run b = run_mixed(&c, p);
    same(&a, &b);
  }
  drop(p);
}

/* ---- the probe: what a CTA waits for ---- */
struct told {
  unsigned launches, cta[4], issues, reads[3];
  uint64_t first, stalled;
};
static void told_launch(void *ctx, const struct code *kernel, uint64_t cycle) {
  (void)kernel, (void)cycle;
  ((struct told *)ctx)->launches++;
}
static void told_cta(void *ctx, uint64_t cycle, unsigned cta, enum probe_cta what, const uint16_t *slot,
                     unsigned warps) {
  struct told *t = ctx;
  assert_true(cta == 0 && slot[0] == 0 && warps <= 2);
  if (what == PROBE_CTA_STALLED && !t->cta[what]) t->stalled = cycle;
  if (what == PROBE_CTA_READY) assert_int_equal(t->cta[PROBE_CTA_READY] + 1, t->cta[PROBE_CTA_STALLED]); /* in turn */
  t->cta[what]++;
}
static void told_issue(void *ctx, uint64_t cycle, unsigned cta, const struct warp_inst *inst, const struct op *op) {
  struct told *t = ctx;
  (void)cta, (void)inst, (void)op;
  if (!t->issues++) t->first = cycle;
}
static void told_read(void *ctx, uint64_t cycle, uint32_t op, uint32_t line, uint8_t sectors, enum probe_read what) {
  (void)cycle, (void)op, (void)line;
  assert_int_equal(sectors, 15);
  ((struct told *)ctx)->reads[what]++;
}

/* One CTA over a buffer whose first eight bytes are its own address; the statistics are those of a run without a probe. */
static struct told watched(const struct config *c, struct prog *p, uint32_t threads, uint32_t regs) {
  struct told t = {0};
  struct err e = {0};
  const struct probe probe = {
      .launch = told_launch, .cta = told_cta, .issue = told_issue, .read = told_read, .ctx = &t};
  struct run r[2];
  finish(p, regs);
  for (int with = 0; with < 2; with++) {
    uint32_t at;
    struct memory *mem = chased(p, &at, 1 << 16, 1 << 16);
    struct gpu *g = gpu_new(c, 1, &e);
    struct launch l = {.module = &p->m, .code = &p->c, .mem = mem, .grid = {1, 1, 1}, .block = {threads, 1, 1}};
    if (with) sm_probe(gpu_sm(g, 0), &probe);
    if (!timed_launch(g, &l, NULL, &e)) fail_msg("%s", e.text);
    r[with] = (struct run){.s = *sm_stats(gpu_sm(g, 0)), .m = *gpu_mem_stats(g)};
    gpu_free(g);
    memory_free(mem);
  }
  assert_memory_equal(&r[0].s, &r[1].s, sizeof r[0].s);
  assert_memory_equal(&r[0].m, &r[1].m, sizeof r[0].m);
  assert_int_equal(t.issues, r[0].s.warp_insns);
  assert_int_equal(t.reads[PROBE_HIT] + t.reads[PROBE_MISS] + t.reads[PROBE_MERGE], r[0].s.l1_reads);
  assert_true(t.launches == 1 && t.cta[PROBE_CTA_BEGIN] == 1 && t.cta[PROBE_CTA_END] == 1);
  drop(p);
  return t;
}

static uint32_t first_buffer(void) {
  struct module empty = {.global_end = GLOBAL_BASE};
  struct memory *m = memory_new(&empty);
  uint32_t at = memory_alloc(m, "chase", 1 << 16);
  memory_free(m);
  return at;
}

static void probe_sees_stalls(void **state) {
  (void)state;
  struct config c = base();
  /* four loads, each the address of the next: three wait, whatever they hit */
  struct prog *p = prog();
  emit(p, OP_MOV, T_U64, 0, RR(2), II(first_buffer()), NO, NO);
  for (unsigned k = 0; k < 4; k++) load(p, SP_GLOBAL, RR(2), RR(2), 0);
  struct told t = watched(&c, p, 1, 8);
  assert_int_equal(t.cta[PROBE_CTA_STALLED], 3);
  assert_int_equal(t.cta[PROBE_CTA_READY], 3);
  assert_true(t.reads[PROBE_MISS] == 1 && t.reads[PROBE_HIT] == 3);
  /* the move has no operand to collect: a cycle less than its latency; then the first load issues, and the second waits */
  assert_int_equal(t.stalled - t.first, c.unit_int_latency - 1);
  /* units and barriers are no memory */
  p = prog();
  for (unsigned k = 0; k < 30; k++) add(p, 2, 2, 3);
  assert_int_equal(watched(&c, p, 1, 8).cta[PROBE_CTA_STALLED], 0);
  p = prog();
  for (unsigned k = 0; k < 3; k++) emit(p, OP_BAR, T_NONE, 0, NO, I(0), NO, NO)->sub = BAR_SYNC;
  assert_int_equal(watched(&c, p, 64, 8).cta[PROBE_CTA_STALLED], 0);
}

/* Ten loads of ten lines, none of which depends on another: with an MSHR for each none waits, with a single one those that find
 * the LSU full do. */
static void probe_sees_a_full_lsu(void **state) {
  (void)state;
  for (unsigned mshrs = 1; mshrs <= 64; mshrs += 63) {
    struct config c = base();
    c.l1_mshrs = mshrs;
    c.lsu_queue = mshrs == 1 ? 1 : 16;
    struct prog *p = prog();
    emit(p, OP_MOV, T_U64, 0, RR(2), II(first_buffer()), NO, NO);
    for (unsigned k = 0; k < 10; k++)
      *emit(p, OP_LD, T_U32, 0, R(8 + k), RR(2), NO, NO) = (struct insn){.op = OP_LD,
                                                                         .type = T_U32,
                                                                         .vec = 1,
                                                                         .line = p->n,
                                                                         .space = SP_GLOBAL,
                                                                         .ndst = 1,
                                                                         .nsrc = 1,
                                                                         .dst = {R(8 + k)},
                                                                         .src = {RR(2)},
                                                                         .offset = 128 * k};
    unsigned stalls = watched(&c, p, 1, 32).cta[PROBE_CTA_STALLED];
    if (mshrs == 1) assert_in_range(stalls, 1, 9);
    else assert_int_equal(stalls, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dependent_chain_is_the_latency),
      cmocka_unit_test(independent_stream_is_the_interval),
      cmocka_unit_test(register_bank_conflicts),
      cmocka_unit_test(instruction_lines),
      cmocka_unit_test(occupancy_limits),
      cmocka_unit_test(barrier_cost),
      cmocka_unit_test(branch_cost),
      cmocka_unit_test(memory_has_its_own_units),
      cmocka_unit_test(a_busy_unit_holds_no_collector),
      cmocka_unit_test(gto_order),
      cmocka_unit_test(skipping_changes_nothing),
      cmocka_unit_test(hooks_that_do_nothing_change_nothing),
      cmocka_unit_test(probe_sees_stalls),
      cmocka_unit_test(probe_sees_a_full_lsu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
