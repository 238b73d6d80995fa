/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu: a stream that is not exec's runs on the SM (a recording of a kernel takes the same cycles as the kernel), and
 * several SMs share a memory by the rule of gpu/gpu.h: the same work and results as on one SM, the same run each time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "gpu/dispatch.h"
#include "compiler/ptx/ptx.h"
#include "compiler/regalloc/regalloc.h"
#include "lab/run/load.h"
#include "lab/run/timed.h"
#include "gpu_whole.h"
#include "kit.h"
#include "sampled.h"

static struct config machine(void) {
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  need(config_machine(&c, "gtx980", &e), &e);
  return c;
}

/* ---- a recording: what each warp of each CTA executed, with the addresses ---- */

struct line {
  struct warp_inst inst;
  uint32_t addr[32];
};
struct tape {
  struct line *line;
  uint32_t n, cap;
};
struct taped { /* a stream that records another, or plays its recording */
  struct stream s;
  struct stream *of; /* NULL: plays */
  struct tape *tape; /* [cta][warp of it] */
  struct {
    uint32_t cta, warp, pos;
  } at[256];
  uint32_t *ring;
};

static struct tape *tape_of(struct taped *t, unsigned slot) {
  return &t->tape[t->at[slot].cta * t->s.warps_per_cta + t->at[slot].warp];
}
static void taped_begin(struct stream *s, unsigned cta_slot, uint32_t cta, const uint16_t *slot) {
  struct taped *t = (struct taped *)s;
  for (uint32_t k = 0; k < s->warps_per_cta; k++) {
    t->at[slot[k]].cta = cta;
    t->at[slot[k]].warp = k;
    t->at[slot[k]].pos = 0;
  }
  if (t->of) t->of->ops->cta_begin(t->of, cta_slot, cta, slot);
}
static void taped_end(struct stream *s, unsigned cta_slot) {
  struct taped *t = (struct taped *)s;
  if (t->of) t->of->ops->cta_end(t->of, cta_slot);
}
static unsigned taped_quantum(struct stream *s) {
  struct taped *t = (struct taped *)s;
  if (!t->of) return 0;
  const unsigned n = t->of->ops->quantum(t->of);
  assert_int_equal(n, 0); /* a recording has no atomics: what they return depends on the order of warps */
  s->hash = t->of->hash;
  return n;
}
static int record(struct stream *s, unsigned warp, struct warp_inst *out) {
  struct taped *t = (struct taped *)s;
  const int got = t->of->ops->next(t->of, warp, out);
  s->hash = t->of->hash;
  if (got != STREAM_GIVEN) return got;
  struct tape *to = tape_of(t, warp);
  struct line *l = &VEC_PUSH(to->line, to->n, to->cap);
  *l = (struct line){.inst = *out};
  if (out->mem && !(out->flags & W_BARRIER)) memcpy(l->addr, inst_addr(s, out), sizeof l->addr);
  return got;
}
static int play(struct stream *s, unsigned warp, struct warp_inst *out) {
  struct taped *t = (struct taped *)s;
  const struct tape *from = tape_of(t, warp);
  if (t->at[warp].pos == from->n) return STREAM_FINISHED;
  const struct line *l = &from->line[t->at[warp].pos];
  *out = l->inst;
  out->warp = (uint16_t)warp;
  if (out->mem && !(out->flags & W_BARRIER)) {
    out->mem = t->at[warp].pos % ADDR_RING + 1;
    memcpy(t->ring + ((size_t)warp * ADDR_RING + out->mem - 1) * 32, l->addr, sizeof l->addr);
  }
  t->at[warp].pos++;
  return STREAM_GIVEN;
}
static const struct stream_ops records = {
    .next = record, .cta_begin = taped_begin, .cta_end = taped_end, .quantum = taped_quantum};
static const struct stream_ops plays = {
    .next = play, .cta_begin = taped_begin, .cta_end = taped_end, .quantum = taped_quantum};

struct outcome {
  struct sm_stats sm;
  struct mem_stats mem;
  uint64_t hash;
};

static struct outcome on_gpu(const struct config *c, struct stream *s, const struct kernel *k) {
  struct err e = {0};
  struct gpu *g = gpu_new(c, 1, &e);
  need(g != NULL, &e);
  need(gpu_whole(g, &s, k, &e), &e);
  const struct outcome o = {*sm_stats(gpu_sm(g, 0)), *gpu_mem_stats(g), gpu_hash(g)};
  gpu_free(g);
  return o;
}

/* Of one launch: executed and recorded; then the recording alone, without exec and without memory. */
static bool tape_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  const struct config *c = ctx;
  (void)index;
  const struct exec_limits limits = {.warp_slots = (unsigned)c->sm_warps, .cta_slots = (unsigned)c->sm_ctas};
  struct taped *t = xcalloc(1, sizeof *t);
  t->of = stream_functional(l, &limits, e);
  if (!t->of) return false;
  const struct kernel k = launch_kernel(l);
  const uint32_t tapes = t->of->ctas * t->of->warps_per_cta;
  t->s = *t->of;
  t->s.ops = &records;
  t->tape = xcalloc(tapes, sizeof *t->tape);
  const struct outcome executed = on_gpu(c, &t->s, &k);
  assert_true(executed.sm.warp_insns > 0 && executed.hash != 0);

  t->of->ops->free(t->of);
  t->of = NULL;
  t->s.ops = &plays;
  t->s.addr_row = NULL; /* it was the other's */
  t->s.addr_ring = t->ring = xcalloc((size_t)c->sm_warps * ADDR_RING, 128);
  const struct outcome played = on_gpu(c, &t->s, &k);
  assert_memory_equal(&played, &executed, sizeof played);

  for (uint32_t i = 0; i < tapes; i++) free(t->tape[i].line);
  free(t->tape), free(t->ring), free(t);
  return true;
}

static void a_recording(void **state) {
  static const char *const kernels[] = {"vecadd", "transpose", "hotspot"};
  (void)state;
  struct config c = machine();
  for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    struct workload w;
    struct err e = {0};
    const struct host_ops ops = {.launch = tape_launch, .ctx = &c, .trial = true};
    need(workload_open(kernels[i], "small", &w, &e), &e);
    need(script_run(w.script, w.module, 0, &ops, &e), &e);
    workload_close(&w);
  }
}

/* ---- several SMs ---- */

struct several {
  struct gpu *gpu;
  uint32_t ctas; /* of all launches */
};

static bool several_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct several *s = ctx;
  (void)index;
  s->ctas += l->grid[0] * l->grid[1] * l->grid[2];
  return timed_launch(s->gpu, l, NULL, e);
}

enum { MOST = 4 };
struct sum {
  struct sm_stats sm[MOST];
  struct mem_stats mem;
  uint64_t insns, hash;
};

/* The launch file's expectations hold the results. */
static struct sum on_several(const char *kernel, unsigned sms, struct config *c) {
  struct sum sum = {0};
  struct err e = {0};
  struct workload w;
  struct several s = {.gpu = gpu_new(c, sms, &e)};
  const struct host_ops ops = {.launch = several_launch, .ctx = &s, .trial = true};
  need(s.gpu && workload_open(kernel, "small", &w, &e), &e);
  need(script_run(w.script, w.module, 0, &ops, &e), &e);
  uint64_t ctas = 0;
  for (unsigned i = 0; i < sms; i++) {
    sum.sm[i] = *sm_stats(gpu_sm(s.gpu, i));
    ctas += sum.sm[i].ctas;
  }
  assert_int_equal(ctas, s.ctas);
  sum.mem = *gpu_mem_stats(s.gpu);
  sum.insns = gpu_insns(s.gpu);
  sum.hash = gpu_hash(s.gpu);
  gpu_free(s.gpu);
  workload_close(&w);
  return sum;
}

/* These have no races (kmeans adds by atomics): whichever SM runs a CTA, it does the same work. */
static void the_same_work(void **state) {
  static const char *const kernels[] = {"vecadd", "transpose", "hotspot", "sgemm", "kmeans", "lavaMD"};
  (void)state;
  struct config c = machine();
  c.sim_check = true;
  for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    if (!sampled(i)) continue;
    const struct sum one = on_several(kernels[i], 1, &c);
    for (unsigned sms = 2; sms <= MOST; sms += 2) {
      const struct sum a = on_several(kernels[i], sms, &c), b = on_several(kernels[i], sms, &c);
      assert_memory_equal(&a, &b, sizeof a);
      assert_int_equal(a.insns, one.insns);
      assert_int_equal(a.hash, one.hash);
      for (unsigned k = 0; k < sms; k++) assert_true(a.sm[k].ctas > 0);
      assert_true(a.sm[0].cycles < one.sm[0].cycles);
    }
  }
}

/* Each SM has blocks of its own, which sleep and are jumped over: no statistic depends on that, nor on values. */
static void systems(void **state) {
  static const struct {
    const char *machine, *system, *kernel;
  } t[] = {{"gtx980", "FineReg", "spmv"},
           {"gtx980", "RegDRAM", "spmv"},
           {"gtx980", "VT-RegMutex", "stencil"},
           {"gtx480", "slices-identity", "srad_v1"}};
  (void)state;
  for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
    struct config c;
    struct err e = {0};
    need(config_load(&c, t[i].machine, t[i].system, &e), &e);
    for (unsigned sms = 1; sms <= 2; sms++) {
      c.sim_skip = true;
      c.sim_check = false;
      const struct sum skips = on_several(t[i].kernel, sms, &c);
      c.sim_skip = false;
      const struct sum ticks = on_several(t[i].kernel, sms, &c);
      c.sim_check = true;
      struct sum checked = on_several(t[i].kernel, sms, &c);
      for (unsigned k = 0; k < sms; k++) {
        assert_true(checked.sm[k].operands_checked > 0);
        checked.sm[k].operands_checked = 0;
      }
      assert_memory_equal(&skips, &ticks, sizeof skips);
      assert_memory_equal(&skips, &checked, sizeof skips);
      const struct sm_stats *s = &skips.sm[0];
      assert_true(s->ctas > 0 && (s->switches || s->slice_lookups));
    }
  }
}

/* One CTA of one warp on each SM. Each says that it is there, looks whether the other is, waits for it, and takes a
 * number. */
static const char rendezvous[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %d<9>; .reg .u32 %r<9>; .reg .pred %p<3>;\n"
    "ld.param.u64 %d1, [p];\n"
    "mov.u32 %r1, %ctaid.x;\n"
    "mul.wide.u32 %d2, %r1, 4;\n"
    "add.u64 %d2, %d1, %d2;\n"
    "xor.b32 %r2, %r1, 1;\n"
    "mul.wide.u32 %d3, %r2, 4;\n"
    "add.u64 %d3, %d1, %d3;\n"
    "mov.u32 %r3, 1;\n"
    "st.volatile.global.u32 [%d2], %r3;\n"
    "ld.volatile.global.u32 %r4, [%d2];\n" /* its own store is there */
    "ld.volatile.global.u32 %r5, [%d3];\n" /* the other's is not, in the same quantum */
    "wait: ld.volatile.global.u32 %r6, [%d3];\n"
    "setp.eq.u32 %p1, %r6, 0;\n"
    "@%p1 bra wait;\n"
    "atom.global.add.u32 %r7, [%d1+64], 1;\n"
    "st.global.u32 [%d2+8], %r4;\n"
    "st.global.u32 [%d2+16], %r5;\n"
    "st.global.u32 [%d2+24], %r7;\n"
    "ret;\n}\n";

struct meeting {
  uint32_t word[17];
};

static struct meeting meet(unsigned quantum) {
  struct err e = {0};
  struct config c = machine();
  c.gpu_quantum = quantum;
  struct module *m = ptx_parse("k.ptx", rendezvous, strlen(rendezvous), &e);
  need(m && alloc_kernel(m, &m->kernel[0], 0, &e), &e);
  struct memory *mem = memory_new(m);
  const uint64_t at = memory_alloc(mem, "p", sizeof(struct meeting));
  const struct launch l = {.module = m,
                           .code = &m->kernel[0],
                           .mem = mem,
                           .grid = {2, 1, 1},
                           .block = {1, 1, 1},
                           .param = (const uint8_t *)&at};
  struct gpu *g = gpu_new(&c, 2, &e);
  need(g && timed_launch(g, &l, NULL, &e), &e);
  assert_true(sm_stats(gpu_sm(g, 0))->ctas == 1 && sm_stats(gpu_sm(g, 1))->ctas == 1);
  struct meeting now;
  memcpy(&now, memory_at(mem, (uint32_t)at, sizeof now), sizeof now);
  gpu_free(g);
  memory_free(mem);
  module_free(m);
  return now;
}

static void memory_of_a_quantum(void **state) {
  (void)state;
  unsigned blind = 0;
  for (unsigned quantum = 20; quantum < 60; quantum++) {
    const struct meeting a = meet(quantum), b = meet(quantum);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.word[0] == 1 && a.word[1] == 1);              /* both were there */
    assert_true(a.word[2] == 1 && a.word[3] == 1);              /* and saw it at once */
    assert_true(a.word[16] == 2 && a.word[6] + a.word[7] == 1); /* one number each */
    blind += !a.word[4] && !a.word[5];
  }
  assert_true(blind > 20); /* two instructions seldom straddle a quantum's end */
}

/* ---- errors of several SMs in one quantum ---- */

/* The CTA `early` (one on each SM) fails in line 9, the other some instructions later in line 14. */
static const char two_errors[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry k(.param .u32 early) {\n"
    ".reg .b64 %d<9>; .reg .u32 %r<9>; .reg .pred %p<3>;\n"
    "mov.u64 %d1, 0; ld.param.u32 %r1, [early];\n"
    "mov.u32 %r2, %ctaid.x;\n"
    "setp.eq.u32 %p1, %r1, %r2;\n"
    "@%p1 ld.global.u32 %r3, [%d1];\n"
    "mov.u32 %r4, %r1;\n"
    "mov.u32 %r5, %r1;\n"
    "mov.u32 %r6, %r1;\n"
    "mov.u32 %r7, %r1;\n"
    "ld.global.u32 %r3, [%d1];\n"
    "st.global.u32 [%d1], %r2;\n"
    "ret;\n}\n";

static void the_first_error(void **state) {
  (void)state;
  struct err e = {0};
  struct config c = machine();
  struct module *m = ptx_parse("k.ptx", two_errors, strlen(two_errors), &e);
  need(m && alloc_kernel(m, &m->kernel[0], 0, &e), &e);
  unsigned both = 0;
  for (c.gpu_quantum = 20; c.gpu_quantum < 60; c.gpu_quantum++)
    for (uint32_t early = 0; early < 2; early++) {
      struct memory *mem = memory_new(m);
      const struct launch l = {.module = m,
                               .code = &m->kernel[0],
                               .mem = mem,
                               .grid = {2, 1, 1},
                               .block = {1, 1, 1},
                               .param = (const uint8_t *)&early};
      struct err why = {0};
      struct gpu *g = gpu_new(&c, 2, &e);
      need(g != NULL, &e);
      assert_false(timed_launch(g, &l, NULL, &why));
      assert_int_equal(why.line, 9);
      const uint64_t at[2] = {sm_failed_at(gpu_sm(g, 0)), sm_failed_at(gpu_sm(g, 1))};
      assert_true(at[early] < at[!early]);
      both += at[!early] != UINT64_MAX;
      gpu_free(g);
      memory_free(mem);
    }
  assert_true(both > 20); /* failed in the same quantum */
  module_free(m);
}

/* ---- the order at a quantum's end ---- */

struct begun { /* of one quantum: who was asked; quanta; with all of them */
  unsigned sm[3], n, q, whole;
};
struct told {
  struct stream s;
  unsigned sm;
  struct stream *of;
  struct begun *log;
};
static int told_next(struct stream *s, unsigned w, struct warp_inst *out) {
  struct told *t = (struct told *)s;
  const int got = t->of->ops->next(t->of, w, out);
  s->hash = t->of->hash;
  return got;
}
static void told_begin(struct stream *s, unsigned c, uint32_t cta, const uint16_t *slot) {
  struct told *t = (struct told *)s;
  t->of->ops->cta_begin(t->of, c, cta, slot);
}
static void told_end(struct stream *s, unsigned c) {
  struct told *t = (struct told *)s;
  t->of->ops->cta_end(t->of, c);
}
static unsigned told_quantum(struct stream *s) {
  struct told *t = (struct told *)s;
  t->log->sm[t->log->n++ % 3] = t->sm;
  const unsigned n = t->of->ops->quantum(t->of);
  s->hash = t->of->hash;
  return n;
}
static void told_settle(struct stream *s) {
  struct told *t = (struct told *)s;
  struct begun *o = t->log;
  assert_true(o->n <= 3); /* after those that have something to do: quantum q begins with SM q mod 3 */
  for (unsigned k = 1; k < o->n; k++) assert_true((o->sm[k] + 3 - o->q % 3) % 3 > (o->sm[k - 1] + 3 - o->q % 3) % 3);
  o->whole += o->n == 3;
  o->n = 0;
  o->q++;
  t->of->ops->settle(t->of);
}
static const struct stream_ops tells = {
    .next = told_next, .cta_begin = told_begin, .cta_end = told_end, .quantum = told_quantum, .settle = told_settle};

static bool told_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  const struct config *c = ctx;
  (void)index;
  struct begun order = {0};
  struct told t[3];
  struct stream *s[3];
  struct gpu *g = gpu_new(c, 3, e);
  if (!g) return false;
  for (unsigned i = 0; i < 3; i++) {
    const struct stream_room room = gpu_room(g, i);
    assert_true(room.sm == i && room.sms == 3);
    const struct exec_limits limits = {room.warp_slots, room.cta_slots, .sm = i, .sms = 3};
    t[i] = (struct told){.sm = i, .of = stream_functional(l, &limits, e), .log = &order};
    if (!t[i].of) return false;
    t[i].s = *t[i].of;
    t[i].s.ops = &tells;
    s[i] = &t[i].s;
  }
  const struct kernel k = launch_kernel(l);
  need(gpu_whole(g, s, &k, e), e);
  assert_true(order.whole > 10 && !order.n);
  for (unsigned i = 0; i < 3; i++) t[i].of->ops->free(t[i].of);
  gpu_free(g);
  return true;
}

static void each_first_in_turn(void **state) {
  (void)state;
  struct config c = machine();
  c.sim_skip = false; /* no quantum is jumped over */
  struct workload w;
  struct err e = {0};
  const struct host_ops ops = {.launch = told_launch, .ctx = &c, .trial = true};
  need(workload_open("vecadd", "small", &w, &e), &e);
  need(script_run(w.script, w.module, 0, &ops, &e), &e);
  workload_close(&w);
}

/* ---- which SM begins the next CTA ---- */

static void ctas_in_turn(void **state) {
  (void)state;
  struct dispatch *d = dispatch_new(3);
  /* SM 0: two free slots and one CTA, SM 1: two free ones, SM 2: is full with two */
  const struct dispatch_room room[3] = {{2, 1}, {2, 0}, {0, 2}}, full[3] = {{0, 3}, {0, 2}, {1, 1}};
  static const uint32_t want[2][2] = {{1, 3}, {0, 2}}, n[3] = {3, 2, 2};
  dispatch_begin(d, 9);
  dispatch_give(d, 1, room); /* from SM 1 on: free slots breadth first, then as many spares as there are CTAs */
  assert_int_equal(dispatch_left(d), 2);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(dispatch_source(d, i)->ready, n[i]);
  struct cta_source *zero = dispatch_source(d, 0), *one = dispatch_source(d, 1), *two = dispatch_source(d, 2);
  assert_int_equal(zero->take(zero), want[0][0]);
  assert_int_equal(zero->take(zero), want[0][1]);
  assert_int_equal(one->take(one), want[1][0]);
  assert_int_equal(one->take(one), want[1][1]);
  assert_int_equal(one->ready, 0); /* within a quantum there are no more */
  /* The spares 4, 5 and 6 come back: SM 2 has a free slot now, and all CTAs that are left are given out from there. */
  dispatch_give(d, 2, full);
  assert_true(zero->ready == 2 && one->ready == 1 && two->ready == 2 && !dispatch_left(d));
  assert_int_equal(two->take(two), 4);
  assert_int_equal(two->take(two), 5);
  assert_int_equal(zero->take(zero), 6);
  assert_int_equal(zero->take(zero), 8);
  assert_int_equal(one->take(one), 7);
  dispatch_give(d, 0, full);
  assert_true(!zero->ready && !one->ready && !two->ready);
  dispatch_free(d);
}

static void alone(void **state) {
  (void)state;
  const struct dispatch_room room = {0, 2};
  struct dispatch *d = dispatch_new(1);
  struct cta_source *s = dispatch_source(d, 0);
  dispatch_begin(d, 10);
  dispatch_give(d, 0, &room);
  for (unsigned k = 0; k < 10; k++) {
    assert_int_equal(s->ready, 1); /* always the next one, until the grid is over */
    assert_int_equal(s->take(s), k);
  }
  assert_true(!s->ready && !dispatch_left(d));
  dispatch_free(d);
}

static void refused(void **state) {
  (void)state;
  struct err e = {0};
  struct config c = machine();
  assert_null(gpu_new(&c, 0, &e));
  assert_string_equal(e.text, "found 0 simulated SMs, expected 1 to 128");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recording),         cmocka_unit_test(the_same_work),   cmocka_unit_test(systems),
      cmocka_unit_test(memory_of_a_quantum), cmocka_unit_test(the_first_error), cmocka_unit_test(each_first_in_turn),
      cmocka_unit_test(ctas_in_turn),        cmocka_unit_test(alone),           cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
