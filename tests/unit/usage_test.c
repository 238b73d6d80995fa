/* SPDX-License-Identifier: Apache-2.0 */
/* usage: what resources are busy for is what can be computed by hand; utilisation, order, and the share of memory. */
#include "lab/run/usage.h"
#include "unit/sm_kit.h"

enum { FEW = 4, MORE = 12 }; /* instructions of one line of the instruction cache: differences are free of its misses */

static uint32_t buffer(void) {
  struct make k = kernel_begin();
  struct memory *m = memory_new(k.m);
  const uint32_t at = memory_alloc(m, "b", BUFFER);
  memory_free(m);
  module_free(k.m);
  return at;
}

/* Frees the kernel. */
static struct run_result result_of(const struct config *c, const struct make *k, uint32_t ctas, uint32_t threads) {
  struct run_result r = {.cfg = *c};
  struct err e = {0};
  struct gpu *g = gpu_new(c, 1, &e);
  if (!g) fail_msg("%s", e.text);
  struct memory *mem = memory_new(k->m);
  memory_alloc(mem, "b", BUFFER);
  struct launch l = {.module = k->m, .code = k->c, .mem = mem, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
  if (!timed_launch(g, &l, NULL, &e)) fail_msg("%s", e.text);
  r.sm = *sm_stats(gpu_sm(g, 0));
  r.mem = *gpu_mem_stats(g);
  memory_free(mem);
  gpu_free(g);
  module_free(k->m);
  return r;
}

/* ---- counters ---- */

/* n sums, each of the one before it. */
static struct run_result chain(const struct config *c, unsigned n) {
  struct make k = kernel_begin();
  for (unsigned i = 0; i < n; i++) sum(&k, 0, 0, 1);
  kernel_done(&k, 4);
  return result_of(c, &k, 1, 32);
}

/* A sum every int_latency cycles. It issues in t, its operands, of two banks, are read in t+1, it is dispatched in t+2: its
 * unit is taken at the end of t and of t+1. It keeps its pipe for int_interval cycles. */
static void units_and_pipes(void **state) {
  (void)state;
  for (int64_t interval = 1; interval <= 3; interval++) {
    struct config c;
    checked(&c);
    c.unit_int_interval = interval;
    const struct run_result a = chain(&c, FEW), b = chain(&c, MORE);
    assert_int_equal(b.sm.cycles - a.sm.cycles, (MORE - FEW) * c.unit_int_latency);
    assert_int_equal(b.sm.int_busy - a.sm.int_busy, (MORE - FEW) * interval);
    assert_int_equal(b.sm.collector_busy - a.sm.collector_busy, (MORE - FEW) * 2);
    assert_int_equal(b.sm.sp_busy + b.sm.dp_busy + b.sm.sfu_busy + b.sm.tensor_busy + b.sm.lsu_busy, 0);
  }
}

/* R2 = buffer + lane x stride, of the global address R2:3; then n loads of it. */
static struct run_result loads(const struct config *c, unsigned n, uint32_t stride) {
  struct make k = kernel_begin();
  op1(&k, OP_MOV, T_U32, R(3), I(0));
  struct insn *i = op2(&k, OP_MAD, T_U32, R(2), SR(SR_LANEID), I(stride));
  i->src[i->nsrc++] = I(buffer());
  i->mods = M_LO;
  for (unsigned x = 0; x < n; x++) {
    i = op1(&k, OP_LD, T_U32, R(4 + x), D(2));
    i->space = SP_GLOBAL;
  }
  kernel_done(&k, 4 + n);
  return result_of(c, &k, 1, 32);
}

/* 32 lines of a warp: 32 cycles at a line a cycle, 8 at four. Of the second load of the same lines, all are hits or merge. */
static void lines_of_the_lsu(void **state) {
  (void)state;
  for (int64_t lines = 1; lines <= 4; lines *= 4) {
    struct config c;
    checked(&c);
    c.lsu_lines = lines;
    assert_int_equal(loads(&c, 1, 128).sm.lsu_busy, 32 / lines);
    assert_int_equal(loads(&c, 2, 128).sm.lsu_busy, 2 * 32 / lines);
    assert_int_equal(loads(&c, 2, 4).sm.lsu_busy, 2);
  }
}

/* Waiting is not work: with one MSHR the same accesses take thousands of cycles. */
static void waiting_is_not_counted(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  c.l1_mshrs = 1;
  const struct run_result r = loads(&c, 1, 128);
  assert_int_equal(r.sm.lsu_busy, 32);
  assert_true(r.sm.lsu_stall_mshr > 31 * mem_hit_latency(&c));
}

/* The MSHR of a miss is taken in the cycle of the request and free in that of the reply. That of L2 is taken when the request is
 * there and free when its data are: of the way of a hit, nothing is in that. */
static void mshrs_of_one_miss(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  const struct run_result r = loads(&c, 1, 4);
  assert_int_equal(r.sm.l1_mshr_busy, mem_dram_latency(&c));
  struct mem *m = mem_new(&c, 1);
  const struct mem_req q = {.addr = 4096, .kind = MEM_READ, .sectors = 15};
  mem_post(m, 0, 0, &q);
  for (uint64_t t = 0; mem_next(m) != UINT64_MAX; t += 16) {
    uint32_t n;
    mem_quantum(m, t + 16);
    mem_replies(m, 0, &n);
  }
  assert_int_equal(mem_stats(m)->l2_mshr_busy, mem_dram_latency(&c) - mem_hit_latency(&c));
  mem_free(m);
}

/* ---- utilisation ---- */

/* Sums that depend on nothing, 64 warps at a time, collectors enough: with pipes that take one every two cycles, all four
 * are busy and every other issue slot is used, but for the first instructions' way out of memory. */
static void sums_fill_their_pipes(void **state) {
  (void)state;
  struct config c;
  struct usage u;
  checked(&c);
  c.unit_int_interval = 2;
  c.collector_units = 64;
  struct make k = kernel_begin();
  for (unsigned i = 0; i < 400; i++) sum(&k, 2 + i % 16, 0, 1);
  kernel_done(&k, 20);
  const struct run_result r = result_of(&c, &k, 128, 256);
  usage_of(&r, &u);
  assert_true(u.part[RESOURCE_int] > 0.9 && u.part[RESOURCE_int] <= 1);
  assert_true(u.part[RESOURCE_issue] > 0.45 && u.part[RESOURCE_issue] <= 0.5);
  assert_int_equal(u.part[RESOURCE_dram_bus] < 0.05 && u.part[RESOURCE_lsu] == 0, 1);
}

/* Reads of 1 MB, each line once: the share's DRAM bus is near its peak. */
static void a_stream_fills_the_bus(void **state) {
  (void)state;
  struct config c;
  struct usage u;
  checked(&c);
  struct make k = kernel_begin();
  struct insn *i = op2(&k, OP_MAD, T_U32, R(4), SR(SR_CTAID_X), I(1024));
  i->src[i->nsrc++] = SR(SR_TID_X);
  i->mods = M_LO;
  op1(&k, OP_MOV, T_U32, R(3), I(0));
  i = op2(&k, OP_MAD, T_U32, R(2), R(4), I(4));
  i->src[i->nsrc++] = I(buffer());
  i->mods = M_LO;
  for (unsigned x = 0; x < 8; x++) {
    i = op1(&k, OP_LD, T_U32, R(8 + x), D(2));
    i->space = SP_GLOBAL;
    i->offset = (int32_t)x * 32 * 4096;
  }
  kernel_done(&k, 16);
  const struct run_result r = result_of(&c, &k, 32, 1024);
  usage_of(&r, &u);
  const double peak = (double)c.dram_mbps / (double)(c.gpu_clock_mhz * c.gpu_sms); /* bytes a cycle */
  assert_float_equal(u.part[RESOURCE_dram_bus], (double)(r.mem.dram_read_sectors * 32) / (peak * (double)r.mem.cycles),
                     1e-9);
  assert_true(u.part[RESOURCE_dram_bus] > 0.75);
  for (unsigned x = 0; x < u.n; x++) assert_true(u.part[u.order[x]] <= 1);
  for (unsigned x = 1; x < u.n; x++) assert_true(u.part[u.order[x - 1]] >= u.part[u.order[x]]);
}

/* Numbers made up: 1000 cycles of the machine and of memory. */
static void ratios(void **state) {
  (void)state;
  struct run_result r = {0};
  struct usage u;
  config_defaults(&r.cfg);
  r.sm.cycles = r.mem.cycles = 1000;
  r.sm.slot_issued = 2000;                        /* of 4 x 1000 */
  r.sm.rf_reads = 4000;                           /* of 16 x 1000 */
  r.sm.collector_busy = 4000;                     /* of 16 x 1000 */
  r.mem.noc_reply_bytes = 24000;                  /* of 32 x 1000 */
  r.mem.l2_read_hit = 200, r.mem.l2_atomics = 50; /* 16 slices of 16 SMs: one, 2 cycles each: 500 of 1000 */
  r.mem.dram_row_miss = 10; /* 4 channels of 16 SMs: one, four in 4 x 23 ns: 25.9 cycles each, tFAW in 1/256 cycle */
  usage_of(&r, &u);
  assert_float_equal(u.part[RESOURCE_issue], 0.5, 1e-12);
  assert_float_equal(u.part[RESOURCE_rf_reads], 0.25, 1e-12);
  assert_float_equal(u.part[RESOURCE_collectors], 0.25, 1e-12);
  assert_float_equal(u.part[RESOURCE_reply], 0.75, 1e-12);
  assert_float_equal(u.part[RESOURCE_l2], 0.5, 1e-12);
  assert_float_equal(u.part[RESOURCE_activates], 10 * 26520.0 / 4 / 256 / 1000, 1e-12);
  assert_int_equal(u.order[0], RESOURCE_reply);
  assert_int_equal(u.order[1], RESOURCE_issue); /* of equal ones the first of the list */
  assert_int_equal(u.order[2], RESOURCE_l2);
  assert_int_equal(u.n, RESOURCES - 1); /* two ports or one */
  r.cfg.rf_single_port = true;
  r.sm.rf_writes = 4000;
  usage_of(&r, &u);
  assert_float_equal(u.part[RESOURCE_rf_ports], 0.5, 1e-12);
  assert_int_equal(u.n, RESOURCES - 2);
  r.cfg.sm_subcores = true; /* one f64 pipe, but each sub-core has one at least */
  r.sm.dp_busy = 1000;
  usage_of(&r, &u);
  assert_float_equal(u.part[RESOURCE_dp], 0.25, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_and_pipes),
      cmocka_unit_test(lines_of_the_lsu),
      cmocka_unit_test(waiting_is_not_counted),
      cmocka_unit_test(mshrs_of_one_miss),
      cmocka_unit_test(sums_fill_their_pipes),
      cmocka_unit_test(a_stream_fills_the_bus),
      cmocka_unit_test(ratios),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
