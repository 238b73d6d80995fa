/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timing of the SM, by microbenchmarks whose answers can be computed by hand. Programs are built here, in physical
 * registers, so that banks and dependences are exactly what the case says. Most cases run a program with n and with m repetitions
 * and compare the difference: start-up costs (instruction misses, launch) cancel out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/load_latency.h"
#include "run/timed.h"
#include "sm/state.h"

/* ---- a program ---- */
struct prog {
  struct module m;
  struct code c;
  struct insn insn[4096];
  uint32_t n;
  uint32_t reconv[4096];
};

static struct opnd R(unsigned r) {
  return (struct opnd){.kind = O_REG, .words = 1, .reg = r};
} static struct opnd RR(unsigned r) {
  return (struct opnd){.kind = O_REG, .words = 2, .reg = r};
} static struct opnd I(uint64_t v) {
  return (struct opnd){.kind = O_IMM, .words = 1, .imm = v};
} static struct opnd II(uint64_t v) {
  return (struct opnd){.kind = O_IMM, .words = 2, .imm = v};
} static struct opnd SR(enum sreg s) {
  return (struct opnd){.kind = O_SREG, .words = 1, .reg = s};
}
#define NO ((struct opnd){0})

static struct insn *
emit(struct prog *p, enum opcode op, enum dtype t, uint32_t mods, struct opnd d, struct opnd a, struct opnd b,
     struct opnd c) {
  struct insn *i = &p->insn[p->n];
  *i = (struct insn){.op = (uint8_t)op, .type = (uint8_t)t, .mods = mods, .vec = 1, .line = ++p->n};
  if (d.kind) i->dst[i->ndst++] = d;
  struct opnd s[3] = {a, b, c};
  for (int k = 0; k < 3 && s[k].kind; k++) i->src[i->nsrc++] = s[k];
  if (t == T_F32 && (op == OP_ADD || op == OP_MUL || op == OP_FMA)) i->rnd = R_RN;
  return i;
}
static void add(struct prog *p, unsigned d, unsigned a, unsigned b) { emit(p, OP_ADD, T_U32, 0, R(d), R(a), R(b), NO); }
static void load(struct prog *p, enum space sp, struct opnd d, struct opnd a, uint32_t mods) {
  emit(p, OP_LD, d.words == 2 ? T_U64 : T_U32, mods, d, a, NO, NO)->space = (uint8_t)sp;
}
static void finish(struct prog *p, unsigned nreg) {
  emit(p, OP_EXIT, T_NONE, 0, NO, NO, NO, NO);
  for (uint32_t k = 0; k < p->n; k++) p->reconv[k] = p->n;
  p->c = (struct code){.name = "test",
                       .file = "sm_test",
                       .insn = p->insn,
                       .n = p->n,
                       .nreg = nreg,
                       .npred = 1,
                       .allocated = true,
                       .reconv = p->reconv,
                       .maxlive = nreg,
                       .shared_bytes = p->c.shared_bytes};
  p->m = (struct module){.file = "sm_test", .kernel = &p->c, .nkernel = 1, .global_end = GLOBAL_BASE};
  op_build(&p->m, &p->c);
}
static struct prog *prog(void) { return xcalloc(1, sizeof(struct prog)); }
static void drop(struct prog *p) { arena_free(&p->m.arena), free(p); }

/* ---- running it ---- */
struct run {
  struct sm_stats s;
  struct mem_stats m;
  uint32_t fit;
  const char *limiter;
  uint64_t hash;
};

static struct config base(void) {
  struct config c;
  config_defaults(&c);
  snprintf(c.machine, sizeof c.machine, "test");
  c.sim_check = true;
  return c;
}

static struct load_latency took[LATENCY_ROWS]; /* of the last run */

static struct run run_in(const struct config *cfg, struct prog *p, struct memory *mem, uint32_t ctas,
                         uint32_t threads) {
  struct err e = {0};
  struct gpu *g = gpu_new(cfg, 1, &e);
  if (!g) fail_msg("%s", e.text);
  struct launch l = {.module = &p->m, .code = &p->c, .mem = mem, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
  if (!timed_launch(g, &l, NULL, &e)) fail_msg("%s:%d: %s", e.file, e.line, e.text);
  struct run r = {.s = *sm_stats(gpu_sm(g, 0)), .m = *gpu_mem_stats(g), .hash = gpu_hash(g)};
  r.fit = sm_occupancy(gpu_sm(g, 0), &r.limiter);
  load_latencies(sm_latency(gpu_sm(g, 0)), took);
  gpu_free(g);
  return r;
}
static struct run run(const struct config *cfg, struct prog *p, uint32_t ctas, uint32_t threads) {
  struct memory *mem = memory_new(&p->m);
  struct run r = run_in(cfg, p, mem, ctas, threads);
  memory_free(mem);
  return r;
}

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

/* ---- shared memory ---- */
static void shared_bank_conflicts(void **state) {
  (void)state;
  for (unsigned way = 1; way <= 32; way *= 2) {
    uint64_t t[2];
    for (int more = 0; more < 2; more++) {
      struct config c = base();
      struct prog *p = prog();
      p->c.shared_bytes = 32 * 128;
      emit(p, OP_MUL, T_U32, M_LO, R(2), SR(SR_TID_X), I(4 * way), NO); /* word stride `way`: way-fold conflict */
      struct insn *st = emit(p, OP_ST, T_U32, 0, NO, R(2), R(2), NO);   /* each word holds its own address */
      st->space = SP_SHARED;
      for (int k = 0; k < (more ? 9 : 1); k++) load(p, SP_SHARED, R(2), R(2), 0);
      finish(p, 8);
      struct run r = run(&c, p, 1, 32);
      t[more] = r.s.cycles;
      assert_int_equal(r.s.shared_conflicts, (way - 1) * (unsigned)(more ? 10 : 2));
      drop(p);
    }
    struct config c = base();
    assert_int_equal(t[1] - t[0], 8 * ((uint64_t)c.shared_latency + way - 1));
  }
}

/* With a word per bank in two cycles: each pass but the first costs two, and the port is held for two a pass. */
static uint64_t shared_loads(const struct config *c, unsigned n, unsigned warps, unsigned way, bool dependent) {
  struct prog *p = prog();
  p->c.shared_bytes = 32 * 128;
  emit(p, OP_AND, T_B32, 0, R(2), SR(SR_TID_X), I(31), NO);
  emit(p, OP_MUL, T_U32, M_LO, R(2), R(2), I(4 * way), NO);
  emit(p, OP_ST, T_U32, 0, NO, R(2), R(2), NO)->space = SP_SHARED;
  for (unsigned k = 0; k < n; k++) load(p, SP_SHARED, dependent ? R(2) : R(4 + k % 16), R(2), 0);
  finish(p, 24);
  uint64_t t = run(c, p, 1, 32 * warps).s.cycles;
  drop(p);
  return t;
}

static void shared_bandwidth(void **state) {
  (void)state;
  struct config c = base();
  c.shared_interval = 2;
  for (unsigned way = 1; way <= 32; way *= 2)
    assert_int_equal(shared_loads(&c, 9, 1, way, true) - shared_loads(&c, 1, 1, way, true),
                     8 * ((uint64_t)c.shared_latency + 2 * (way - 1)));
  /* independent loads of 16 warps: 16 x 64 of them at a load in two cycles, 64 bytes a cycle */
  assert_int_equal(shared_loads(&c, 128, 16, 1, false) - shared_loads(&c, 64, 16, 1, false), 16 * 64 * 2);
  c.shared_interval = 1;
  assert_in_range(shared_loads(&c, 128, 16, 1, false) - shared_loads(&c, 64, 16, 1, false), 16 * 64, 16 * 64 * 2 - 1);
}

/* ---- L1, L2, DRAM by pointer chase ---- */
static struct memory *chased(struct prog *p, uint32_t *at, uint32_t bytes, uint32_t stride) {
  struct memory *mem = memory_new(&p->m);
  *at = memory_alloc(mem, "chase", bytes);
  uint8_t *host = memory_at(mem, *at, bytes);
  for (uint32_t k = 0; k + 8 <= bytes; k += stride) {
    uint64_t next = *at + (k + stride + 8 <= bytes ? k + stride : 0);
    memcpy(host + k, &next, 8);
  }
  return mem;
}

static uint64_t chase(const struct config *c, unsigned n, uint32_t bytes, uint32_t stride, uint32_t mods) {
  struct prog *p = prog();
  uint32_t at;
  /* the buffer's address is known before the program is built: the first allocation of an empty module */
  struct module empty = {.global_end = GLOBAL_BASE};
  struct memory *probe = memory_new(&empty);
  at = memory_alloc(probe, "chase", bytes);
  memory_free(probe);
  emit(p, OP_MOV, T_U64, 0, RR(2), II(at), NO, NO);
  for (unsigned k = 0; k < n; k++) load(p, SP_GLOBAL, RR(2), RR(2), mods);
  finish(p, 8);
  struct memory *mem = chased(p, &at, bytes, stride);
  uint64_t t = run_in(c, p, mem, 1, 1).s.cycles;
  memory_free(mem);
  drop(p);
  return t;
}

/* Cycles of `n` dependent loads of 8 bytes by `lanes` lanes; lane k's is at k * stride and holds its own address. */
static uint64_t strided(const struct config *c, unsigned n, unsigned lanes, uint32_t stride, uint32_t mods) {
  struct prog *p = prog();
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  uint32_t at = memory_alloc(mem, "own", lanes * stride);
  for (uint32_t k = 0; k < lanes; k++) {
    uint64_t own = at + k * stride;
    memcpy(memory_at(mem, (uint32_t)own, 8), &own, 8);
  }
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), SR(SR_TID_X), I(stride), II(at));
  for (unsigned k = 0; k < n; k++) load(p, SP_GLOBAL, RR(2), RR(2), mods);
  finish(p, 8);
  uint64_t t = run_in(c, p, mem, 1, lanes).s.cycles;
  memory_free(mem);
  drop(p);
  return t;
}

/* The 48 sets and 8 ways hold all lines, so that all loads but the first hit; the last line's access of n ends n - 1
 * cycles after the first one's. */
static void lines_of_a_cycle(void **state) {
  (void)state;
  const struct {
    unsigned lines, lanes, stride, cycles;
  } want[] = {{1, 32, 128, 32},     /* one line a cycle */
              {4, 32, 128, 8},      /* four neighbours, in four sets */
              {8, 32, 128, 4},      /* eight */
              {4, 32, 32, 2},       /* four sectors of a line are one access: 8 lines */
              {4, 8, 48 * 128, 8},  /* all in one set: one a cycle */
              {4, 8, 24 * 128, 4},  /* two sets in turn: two a cycle */
              {4, 12, 16 * 128, 4}, /* three: a fourth line would be in the first one's set */
              {1, 8, 48 * 128, 8}};
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    struct config c = base();
    assert_int_equal(c.l1_bytes / 128 / c.l1_ways, 48);
    c.lsu_lines = want[k].lines;
    uint64_t took =
        strided(&c, 12, want[k].lanes, want[k].stride, 0) - strided(&c, 4, want[k].lanes, want[k].stride, 0);
    assert_int_equal(took, 8 * ((unsigned)c.l1_latency + want[k].cycles - 1));
  }
}

/* mem's latencies are of a whole line; these loads want one sector, whose reply packet is shorter. */
static uint64_t one_sector_less(const struct config *c) {
  return (uint64_t)((8 + 128 - 1) / c->noc_reply_bytes - (8 + 32 - 1) / c->noc_reply_bytes);
}

/* Eight-byte loads that hit; b bytes a cycle: 32 lanes' data need 256 / b cycles, behind which the next load follows. */
static void bytes_of_a_cycle(void **state) {
  (void)state;
  struct config c = base();
  c.lsu_lines = 4;
  const struct {
    unsigned bytes, lanes, stride, cycles;
  } want[] = {{0, 32, 8, 1},    /* two lines, no limit */
              {64, 32, 8, 4},   /* 256 bytes */
              {64, 8, 8, 1},    /* 64 bytes of one line */
              {64, 9, 8, 2},    /* 72 bytes: a cycle begun */
              {64, 32, 128, 8}, /* 32 lines take longer than their data */
              {128, 32, 8, 2}};
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    c.lsu_bytes = want[k].bytes;
    uint64_t took =
        strided(&c, 12, want[k].lanes, want[k].stride, 0) - strided(&c, 4, want[k].lanes, want[k].stride, 0);
    assert_int_equal(took, 8 * ((unsigned)c.l1_latency + want[k].cycles - 1));
  }
}

/* Loads of 32 lines that hit L2, whose slice serves one request in two cycles; L: latency of one of them. Without a
 * limit the last reply comes 31 x 2 cycles after the first. Of eight MSHRs each is free with the reply: four batches of
 * eight, each L after the one before, the last reply 7 x 2 behind the first of its batch. Of eight credits each is back
 * noc.latency after the slice has served the request, 2 x noc.latency after it was posted. */
static void misses_in_flight(void **state) {
  (void)state;
  struct config c = base(), few = base(), poor = base();
  c.l1_mshrs = c.noc_credits = c.l2_mshrs = 256;
  few.l1_mshrs = 8;
  poor.noc_credits = 8;
  uint64_t L = mem_hit_latency(&c) - one_sector_less(&c), far = 2 * (uint64_t)c.noc_latency;
  assert_int_equal(strided(&c, 12, 32, 128, M_CG) - strided(&c, 4, 32, 128, M_CG), 8 * (3 + L + 31 * 2));
  assert_int_equal(strided(&few, 12, 32, 128, M_CG) - strided(&few, 4, 32, 128, M_CG), 8 * (3 + 4 * L + 7 * 2));
  assert_int_equal(strided(&poor, 12, 32, 128, M_CG) - strided(&poor, 4, 32, 128, M_CG), 8 * (3 + 3 * far + L + 7 * 2));
}

static void pointer_chase(void **state) {
  (void)state;
  struct config c = base();
  /* a line that points to itself: all but the first hit L1 */
  assert_int_equal(chase(&c, 12, 128, 128, 0) - chase(&c, 4, 128, 128, 0), 8 * c.l1_latency);
  /* past the L1: all but the first hit L2; load to use = 3 cycles from issue to the LSU, then the memory's own latency */
  assert_int_equal(chase(&c, 12, 128, 128, M_CG) - chase(&c, 4, 128, 128, M_CG),
                   8 * (3 + mem_hit_latency(&c) - one_sector_less(&c)));
}

static void dram_latency(void **state) {
  (void)state;
  struct config c = base();
  /* The second line lies in a bank that is not open (neither for the first line nor for the instructions). */
  uint64_t one = chase(&c, 1, 1 << 20, 1 << 17, 0), two = chase(&c, 2, 1 << 20, 1 << 17, 0);
  assert_int_equal(two - one, 3 + mem_dram_latency(&c));
}

static void latency_is(unsigned level, unsigned loads, uint64_t cycles) {
  assert_int_equal(took[level].loads, loads);
  assert_int_equal(took[level].cycles, loads * cycles);
  assert_int_equal(took[level].p50, loads ? cycles : 0);
  assert_int_equal(took[level].p95, loads ? cycles : 0);
  assert_int_equal(took[level].most, loads ? cycles : 0);
}

/* A line that points to itself, from the LSU's look-up, three cycles behind the issue, to the register. */
static void load_latencies_by_level(void **state) {
  (void)state;
  struct config c = base();
  c.dram_latency = 8; /* so that a load from DRAM is below 256 cycles, where bins are exact */
  uint64_t l1 = (uint64_t)c.l1_latency - 3, l2 = mem_hit_latency(&c) - one_sector_less(&c);
  chase(&c, 12, 128, 128, 0);
  latency_is(LATENCY_L1, 11, l1);
  latency_is(LATENCY_L2, 0, 0);
  latency_is(LATENCY_DRAM, 1, mem_dram_latency(&c)); /* the whole line */
  assert_int_equal(took[LATENCY_ALL].p50, l1);
  assert_int_equal(took[LATENCY_ALL].p95, mem_dram_latency(&c)); /* 11 of 12 are but 91.7 % */
  assert_int_equal(took[LATENCY_ALL].cycles, 11 * l1 + mem_dram_latency(&c));
  chase(&c, 12, 128, 128, M_CG);
  latency_is(LATENCY_L1, 0, 0);
  latency_is(LATENCY_L2, 11, l2);
  assert_int_equal(took[LATENCY_DRAM].loads, 1);
  chase(&c, 21, 128, 128, 0); /* 20 of 21 are 95.2 % */
  assert_int_equal(took[LATENCY_ALL].p95, l1);
  /* 32 lines of one load, one a cycle: its latency is that of the last */
  strided(&c, 2, 32, 128, 0);
  latency_is(LATENCY_L1, 1, l1 + 31);
  assert_int_equal(took[LATENCY_DRAM].loads, 1);
}

/* ---- streaming, merging ---- */
static struct run stream_read(const struct config *c, unsigned ctas, unsigned loads) {
  struct prog *p = prog();
  struct module empty = {.global_end = GLOBAL_BASE};
  struct memory *probe = memory_new(&empty);
  uint32_t bytes = ctas * 1024 * 4 * loads, at = memory_alloc(probe, "in", bytes);
  memory_free(probe);
  emit(p, OP_MAD, T_U32, M_LO, R(4), SR(SR_CTAID_X), I(1024), SR(SR_TID_X));
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), R(4), I(4), II(at));
  for (unsigned k = 0; k < loads; k++) {
    load(p, SP_GLOBAL, R(8 + k), RR(2), 0);
    p->insn[p->n - 1].offset = (int64_t)k * ctas * 4096;
  }
  finish(p, 8 + loads);
  struct memory *mem = memory_new(&p->m);
  assert_int_equal(memory_alloc(mem, "in", bytes), at);
  struct run r = run_in(c, p, mem, ctas, 1024);
  memory_free(mem);
  drop(p);
  return r;
}

static void streaming_reads_reach_their_share(void **state) {
  (void)state;
  struct config c = base();
  struct run a = stream_read(&c, 32, 8);
  double share =
      (double)c.dram_mbps * 1e6 / (double)(c.gpu_clock_mhz * 1000000) / (double)c.gpu_sms; /* bytes per cycle */
  double got = (double)a.m.dram_read_sectors * 32 / (double)a.s.cycles;
  print_message("streaming: %.2f of %.2f bytes per cycle (%.1f %%)\n", got, share, 100 * got / share);
  assert_true(got <= share);
  assert_true(got >= 0.85 * share);
}

static void mshr_merges(void **state) {
  (void)state;
  struct config c = base();
  struct prog *p = prog();
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  uint32_t at = memory_alloc(mem, "line", 128);
  emit(p, OP_MOV, T_U64, 0, RR(2), II(at), NO, NO);
  load(p, SP_GLOBAL, R(4), RR(2), 0);
  finish(p, 8);
  struct run r = run_in(&c, p, mem, 1, 128); /* four warps, one line */
  assert_int_equal(r.s.l1_reads, 4);
  assert_int_equal(r.s.l1_read_misses, 1);
  assert_int_equal(r.s.l1_read_merges, 3);
  assert_int_equal(r.m.req_reads, 1 + r.s.icache_misses);
  c.l1_merge = 1; /* no room for a second: the others wait, then hit */
  r = run_in(&c, p, mem, 1, 128);
  assert_int_equal(r.s.l1_read_merges, 0);
  assert_int_equal(r.s.l1_read_hits, 3);
  assert_true(r.s.lsu_stall_mshr > 0);
  memory_free(mem);
  drop(p);
}

/* ---- words of stores ---- */
/* Lane k stores `t` at k * 8 + first, then at k * 8 + second, and reads 4 bytes at k * 8 from L2; sectors from DRAM. */
static uint64_t stored(struct config *c, enum dtype t, int first, int second) {
  struct prog *p = prog();
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  uint32_t at = memory_alloc(mem, "parts", 256);
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), SR(SR_TID_X), I(8), II(at));
  for (int k = 0; k < 2; k++) {
    struct insn *st = emit(p, OP_ST, t, 0, NO, RR(2), t == T_U64 ? RR(2) : R(2), NO);
    st->space = SP_GLOBAL;
    st->offset = k ? second : first;
  }
  emit(p, OP_BAR, T_NONE, 0, NO, I(0), NO, NO)->sub =
      BAR_SYNC; /* the load, with one operand less, does not overtake them */
  load(p, SP_GLOBAL, R(4), RR(2), M_CG);
  finish(p, 8);
  struct run r = run_in(c, p, mem, 1, 32);
  memory_free(mem);
  drop(p);
  return r.m.dram_read_sectors - 4 * r.s.icache_misses;
}

static void stores_of_parts(void **state) {
  (void)state;
  struct config c = base();
  assert_int_equal(stored(&c, T_U32, 0, 4), 0); /* even words, odd words: the eight sectors are whole */
  assert_int_equal(stored(&c, T_U32, 0, 0), 8); /* even ones twice */
  assert_int_equal(stored(&c, T_U16, 0, 2), 8); /* half words */
  assert_int_equal(stored(&c, T_U64, 0, 0), 0);
  c.l2_mask = 32;
  assert_int_equal(stored(&c, T_U32, 0, 4), 8);
  assert_int_equal(stored(&c, T_U64, 0, 0), 0);
}

/* ---- the end of a launch ---- */
/* One warp writes n lines in a row and exits. */
static struct run writes(const struct config *c, int n) {
  struct prog *p = prog();
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  uint32_t at = memory_alloc(mem, "lines", 128 * 32);
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), SR(SR_TID_X), I(4), II(at));
  for (int k = 0; k < n; k++) {
    struct insn *st = emit(p, OP_ST, T_U32, 0, NO, RR(2), R(2), NO);
    st->space = SP_GLOBAL;
    st->offset = 128 * k;
  }
  finish(p, 8);
  struct run r = run_in(c, p, mem, 1, 32);
  memory_free(mem);
  drop(p);
  return r;
}

/* The last CTA ends in the cycle in which its last store is posted, p. Of the packet, 8 bytes and 128, the last byte leaves
 * at p + floor(135 / 32) = p + 4 (or, at 8 bytes a cycle, p + 16) and is at L2 noc.latency later, which takes it then. */
static void stores_are_drained(void **state) {
  (void)state;
  struct config c = base();
  assert_int_equal(writes(&c, 0).s.drain_cycles, 0);
  for (int n = 1; n <= 8; n++) assert_int_equal(writes(&c, n).s.drain_cycles, 4 + 64);
  struct run with = writes(&c, 8);
  c.gpu_drain = false;
  struct run without = writes(&c, 8);
  assert_int_equal(without.s.drain_cycles, 0);
  assert_int_equal(without.s.cycles + 4 + 64, with.s.cycles);
  assert_int_equal(without.s.slot_empty + 4 * (4 + 64), with.s.slot_empty); /* four schedulers */
  assert_int_equal(without.m.cycles, with.m.cycles);
  c.gpu_drain = true;
  c.noc_latency = 164;
  assert_int_equal(writes(&c, 8).s.drain_cycles, 4 + 164);
  c.noc_request_bytes = 8;
  assert_int_equal(writes(&c, 1).s.drain_cycles, 16 + 164);
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
  assert_true(r.s.slot_issued + r.s.slot_collector + r.s.slot_gate + r.s.slot_alu + r.s.slot_memory + r.s.slot_barrier +
                  r.s.slot_atomic + r.s.slot_fetch + r.s.slot_empty ==
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
      cmocka_unit_test(shared_bank_conflicts),
      cmocka_unit_test(shared_bandwidth),
      cmocka_unit_test(pointer_chase),
      cmocka_unit_test(load_latencies_by_level),
      cmocka_unit_test(lines_of_a_cycle),
      cmocka_unit_test(bytes_of_a_cycle),
      cmocka_unit_test(misses_in_flight),
      cmocka_unit_test(dram_latency),
      cmocka_unit_test(streaming_reads_reach_their_share),
      cmocka_unit_test(mshr_merges),
      cmocka_unit_test(stores_of_parts),
      cmocka_unit_test(stores_are_drained),
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
