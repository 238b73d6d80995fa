/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantum: any number of host threads gives the same statistics, stream hash and memory image, also for kernels with
 * races; stores of a quantum are seen as gpu/gpu.h says, against a slow reference: each SM on a copy of the memory,
 * which are made one at every quantum's end.
 */
#define _GNU_SOURCE /* feenableexcept, uselocale */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/host_env.h"
#include "exec/warp.h"
#include "gpu/gpu.h"
#include "compiler/ptx/ptx.h"
#include "compiler/regalloc/regalloc.h"
#include "lab/run/load.h"
#include "lab/run/timed.h"
#include "unit/host_env_kit.h"
#include "gpu_whole.h"
#include "kit.h"
#include "sampled.h"

static struct config machine(const char *name) {
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  need(config_machine(&c, name, &e), &e);
  return c;
}

static uint64_t image_hash(const struct memory *m) {
  return fnv1a(FNV_START, m->image + GLOBAL_BASE, m->end - GLOBAL_BASE);
}

enum { MOST = 16 };
struct outcome {
  struct sm_stats sm[MOST];
  struct mem_stats mem;
  uint64_t hash, image;
};

/* ---- kernels of the suite, any number of threads ---- */

struct job {
  struct gpu *gpu;
  uint64_t image;
};

static bool launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct job *j = ctx;
  (void)index;
  const bool ok = timed_launch(j->gpu, l, NULL, e);
  j->image = hash_mix(j->image, image_hash(l->mem));
  return ok;
}

static struct outcome run(const char *kernel, const struct config *c, unsigned sms, unsigned threads) {
  struct outcome o = {0};
  struct err e = {0};
  struct workload w;
  struct job j = {.gpu = gpu_new(c, sms, &e)};
  const struct host_ops ops = {.launch = launch, .ctx = &j, .trial = true};
  need(j.gpu && workload_open(kernel, "small", &w, &e), &e);
  gpu_threads(j.gpu, threads);
  need(script_run(w.script, w.module, 0, &ops, &e), &e);
  for (unsigned i = 0; i < sms; i++) o.sm[i] = *sm_stats(gpu_sm(j.gpu, i));
  o.mem = *gpu_mem_stats(j.gpu);
  o.hash = gpu_hash(j.gpu);
  o.image = j.image;
  gpu_free(j.gpu);
  workload_close(&w);
  return o;
}

static void same_on(const char *kernel, const struct config *c, unsigned sms, unsigned threads) {
  const struct outcome one = run(kernel, c, sms, 1), many = run(kernel, c, sms, threads);
  assert_true(one.sm[0].warp_insns > 0);
  if (memcmp(&one, &many, sizeof one) != 0)
    fail_msg("%s on %u SMs differs between 1 and %u threads", kernel, sms, threads);
}

/* bfs_frontier, bfs_worklist and hybridsort have races: what they do hangs on the order of accesses. */
static void any_threads(void **state) {
  static const struct {
    const char *kernel;
    unsigned sms;
  } t[] = {{"bfs_frontier", 16}, {"bfs_worklist", 3}, {"bfs_worklist", 16}, {"hybridsort", 16}, {"hybridsort", 2},
           {"spmv", 16},         {"vecadd", 7},       {"sgemm", 16},        {"kmeans", 4},      {"gather", 16}};
  (void)state;
  const struct config c = machine("gtx980");
  for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
    for (unsigned threads = 2; sampled(i) && threads <= 16; threads *= threads)
      same_on(t[i].kernel, &c, t[i].sms, threads);
}

/* Short quanta, and machines with other SMs, caches and systems. */
static void any_machine(void **state) {
  static const struct {
    const char *machine, *system, *kernel;
    unsigned sms, quantum;
  } t[] = {{"gtx480", "baseline", "bfs_worklist", 15, 7},
           {"rtx2060", "Malekeh", "bfs_frontier", 5, 0},
           {"gtx980", "FineReg", "bfs_worklist", 6, 0},
           {"maxwell", "LTRF+", "hybridsort", 4, 33}};
  (void)state;
  for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
    struct config c;
    struct err e = {0};
    if (!sampled(i)) continue;
    need(config_load(&c, t[i].machine, t[i].system, &e), &e);
    c.gpu_quantum = t[i].quantum;
    same_on(t[i].kernel, &c, t[i].sms, 2);
    same_on(t[i].kernel, &c, t[i].sms, 4);
  }
}

/* ---- a kernel of races against a slow reference ---- */

/* Each thread loads, stores and adds at places of 4 KB that a generator chooses, in accesses of 1 to 16 bytes, and keeps a sum
 * of what it has read. */
static const char racing[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry k(.param .u64 p, .param .u64 q) {\n"
    ".reg .b64 %d<9>; .reg .u32 %r<30>; .reg .u16 %h<3>; .reg .pred %p<4>;\n"
    "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "mad.lo.u32 %r5, %r4, 747796405, 2891336453;\n"
    "mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
    "next: mad.lo.u32 %r5, %r5, 1664525, 1013904223;\n"
    "shr.u32 %r8, %r5, 9; and.b32 %r8, %r8, 4080;\n" /* a multiple of 16 */
    "cvt.u64.u32 %d3, %r8; add.u64 %d4, %d1, %d3;\n"
    "shr.u32 %r9, %r5, 21; and.b32 %r10, %r9, 15; cvt.u64.u32 %d5, %r10; add.u64 %d5, %d5, %d4;\n"
    "ld.global.u8 %r11, [%d5]; add.u32 %r6, %r6, %r11;\n"
    "ld.global.v4.u32 {%r12,%r13,%r14,%r15}, [%d4];\n"
    "xor.b32 %r6, %r6, %r12; add.u32 %r6, %r6, %r13; xor.b32 %r6, %r6, %r14; add.u32 %r6, %r6, %r15;\n"
    "cvt.u16.u32 %h1, %r6; st.global.u8 [%d5], %h1;\n"
    "and.b32 %r16, %r9, 7; setp.eq.u32 %p1, %r16, 0; setp.eq.u32 %p2, %r16, 1; setp.eq.u32 %p3, %r16, 2;\n"
    "@%p1 st.global.v2.u32 [%d4+8], {%r6, %r5};\n"
    "@%p2 st.global.u16 [%d4+2], %h1;\n"
    "@%p3 atom.global.add.u32 %r17, [%d4+4], %r5;\n"
    "@%p3 xor.b32 %r6, %r6, %r17;\n"
    "@%p2 red.global.xor.b32 [%d4+12], %r6;\n"
    "ld.global.s16 %r18, [%d4+2]; add.u32 %r6, %r6, %r18;\n"
    "ld.global.u64 %d6, [%d4+8]; cvt.u32.u64 %r19, %d6; xor.b32 %r6, %r6, %r19;\n"
    "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 6;\n"
    "@%p1 bra next;\n"
    "mul.wide.u32 %d7, %r4, 4; add.u64 %d7, %d2, %d7;\n"
    "st.global.u32 [%d7], %r6;\n"
    "ret;\n}\n";

enum { CELLS = 4096, CTAS = 24, THREADS = 64, SMS = 5, WHOLE = CELLS + 4 * CTAS * THREADS };

struct racers {
  struct module *m;
  struct memory *mem;
  uint64_t param[2];
  struct launch l;
};

static void racers_new(struct racers *r) {
  struct err e = {0};
  r->m = ptx_parse("k.ptx", racing, strlen(racing), &e);
  need(r->m && alloc_kernel(r->m, &r->m->kernel[0], 0, &e), &e);
  r->mem = memory_new(r->m);
  r->param[0] = memory_alloc(r->mem, "p", CELLS);
  r->param[1] = memory_alloc(r->mem, "q", 4 * CTAS * THREADS);
  r->l = (struct launch){.module = r->m,
                         .code = &r->m->kernel[0],
                         .mem = r->mem,
                         .grid = {CTAS, 1, 1},
                         .block = {THREADS, 1, 1},
                         .param = (const uint8_t *)r->param};
  for (uint32_t k = 0; k < CELLS; k++) r->mem->image[r->param[0] + k] = (uint8_t)(k * 37);
}

static void racers_free(struct racers *r) {
  memory_free(r->mem);
  module_free(r->m);
}

static void racers_result(const struct racers *r, const struct gpu *g, struct outcome *o) {
  memset(o, 0, sizeof *o);
  for (unsigned i = 0; i < gpu_sms(g); i++) o->sm[i] = *sm_stats(gpu_sm(g, i));
  o->mem = *gpu_mem_stats(g);
  o->hash = gpu_hash(g);
  o->image = image_hash(r->mem);
}

/* A stream on its own copy of the memory, which marks the bytes that are stored. */
struct copied {
  struct stream s;
  struct stream *of;
  struct racers own;
  const struct racers *all;
  bool stored[1 << 16]; /* by address - GLOBAL_BASE */
  uint32_t bytes;
};

static int copied_next(struct stream *s, unsigned warp, struct warp_inst *out) {
  struct copied *c = (struct copied *)s;
  const int got = c->of->ops->next(c->of, warp, out);
  s->hash = c->of->hash;
  if (got != STREAM_GIVEN) return got;
  const struct insn *i = &c->own.l.code->insn[out->op];
  if (i->op != OP_ST) return got;
  for (unsigned k = 0; k < 32; k++) {
    if (!(out->lanes >> k & 1)) continue;
    const uint32_t at = inst_addr(s, out)[k] - GLOBAL_BASE, n = c->own.l.code->op[out->op].bytes;
    assert_true(at + n <= c->bytes);
    memset(c->stored + at, true, n);
  }
  return got;
}
static void copied_begin(struct stream *s, unsigned slot, uint32_t cta, const uint16_t *at) {
  struct copied *c = (struct copied *)s;
  c->of->ops->cta_begin(c->of, slot, cta, at);
}
static void copied_end(struct stream *s, unsigned slot) {
  struct copied *c = (struct copied *)s;
  c->of->ops->cta_end(c->of, slot);
}
/* The stores of this quantum in the common memory, then the atomics there. */
static unsigned copied_quantum(struct stream *s) {
  struct copied *c = (struct copied *)s;
  uint8_t *all = c->all->mem->image + GLOBAL_BASE, *own = c->own.mem->image + GLOBAL_BASE;
  for (uint32_t k = 0; k < c->bytes; k++)
    if (c->stored[k]) all[k] = own[k];
  memset(c->stored, 0, sizeof c->stored);
  memcpy(own, all, c->bytes);
  const unsigned n = c->of->ops->quantum(c->of);
  memcpy(all, own, c->bytes);
  s->hash = c->of->hash;
  return n;
}
static struct copied *copies; /* of the SMs, for copied_settle */
static void copied_settle(struct stream *s) {
  (void)s;
  for (unsigned i = 0; i < SMS; i++)
    memcpy(copies[i].own.mem->image + GLOBAL_BASE, copies[i].all->mem->image + GLOBAL_BASE, copies[i].bytes);
}
static const struct stream_ops copied_ops = {.next = copied_next,
                                             .cta_begin = copied_begin,
                                             .cta_end = copied_end,
                                             .quantum = copied_quantum,
                                             .settle = copied_settle};

static void reference(const struct config *cfg, struct outcome *o) {
  struct err e = {0};
  struct racers r;
  struct stream *stream[SMS];
  struct gpu *g = gpu_new(cfg, SMS, &e);
  need(g != NULL, &e);
  racers_new(&r);
  copies = calloc(SMS, sizeof *copies);
  for (unsigned i = 0; i < SMS; i++) {
    struct copied *c = &copies[i];
    const struct stream_room room = gpu_room(g, i);
    const struct exec_limits limits = {.warp_slots = room.warp_slots, .cta_slots = room.cta_slots};
    racers_new(&c->own);
    c->all = &r;
    c->bytes = r.mem->end - GLOBAL_BASE;
    assert_true(c->bytes <= sizeof c->stored);
    need((c->of = stream_functional(&c->own.l, &limits, &e)) != NULL, &e);
    c->s = *c->of;
    c->s.ops = &copied_ops;
    stream[i] = &c->s;
  }
  const struct kernel k = launch_kernel(&r.l);
  need(gpu_whole(g, stream, &k, &e), &e);
  racers_result(&r, g, o);
  for (unsigned i = 0; i < SMS; i++) {
    copies[i].of->ops->free(copies[i].of);
    racers_free(&copies[i].own);
  }
  free(copies);
  racers_free(&r);
  gpu_free(g);
}

static void as_the_reference(void **state) {
  (void)state;
  uint64_t images[3];
  for (unsigned q = 0; q < 3; q++) {
    struct config c = machine("gtx980");
    struct outcome want, found;
    struct err e = {0};
    c.gpu_quantum = (int[]){0, 11, 40}[q];
    reference(&c, &want);
    for (unsigned threads = 1; threads <= 4; threads++) {
      struct racers r;
      struct gpu *g = gpu_new(&c, SMS, &e);
      need(g != NULL, &e);
      gpu_threads(g, threads);
      racers_new(&r);
      need(timed_launch(g, &r.l, NULL, &e), &e);
      racers_result(&r, g, &found);
      assert_memory_equal(&found, &want, sizeof want);
      racers_free(&r);
      gpu_free(g);
    }
    for (unsigned i = 0; i < SMS; i++) assert_true(want.sm[i].ctas > 0 && want.sm[i].atomics > 0);
    images[q] = want.image;
  }
  assert_true(images[0] != images[1] && images[1] != images[2]); /* there are races */
}

/* ---- small kernels: loops that wait, prints, the SM's number, local memory ---- */

static struct module *parsed(const char *body) {
  char text[4096];
  struct err e = {0};
  snprintf(text, sizeof text, ".version 7.0\n.target sm_52\n.address_size 64\n%s", body);
  struct module *m = ptx_parse("k.ptx", text, strlen(text), &e);
  need(m && alloc_kernel(m, &m->kernel[m->nkernel - 1], 0, &e), &e);
  return m;
}

/* Runs a kernel of one parameter, a buffer, with CTAs of a warp; what the buffer holds then goes to out. */
static bool run_small(struct module *m, unsigned sms, unsigned threads, unsigned ctas, uint32_t *out, unsigned words,
                      struct prints *prints, struct err *e) {
  struct config c = machine("gtx980");
  struct memory *mem = memory_new(m);
  const uint64_t at = memory_alloc(mem, "p", 4 * words);
  const struct launch l = {.module = m,
                           .code = &m->kernel[m->nkernel - 1],
                           .mem = mem,
                           .grid = {ctas, 1, 1},
                           .block = {32, 1, 1},
                           .prints = prints,
                           .param = (const uint8_t *)&at};
  struct gpu *g = gpu_new(&c, sms, e);
  need(g != NULL, e);
  gpu_threads(g, threads);
  const bool ok = timed_launch(g, &l, NULL, e);
  memcpy(out, memory_at(mem, (uint32_t)at, 4 * words), 4 * (size_t)words);
  gpu_free(g);
  memory_free(mem);
  return ok;
}

/* CTA 0 on the first SM waits for what CTA 1 on the second writes after some 300,000 instructions; or never writes. */
static const char waits[] =
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %%d<9>; .reg .u32 %%r<9>; .reg .pred %%p<3>;\n"
    "ld.param.u64 %%d1, [p]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, 0;\n"
    "setp.eq.u32 %%p1, %%r1, 0; @%%p1 bra wait;\n"
    "count: add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p2, %%r2, 100000; @%%p2 bra count;\n"
    "st.global.u32 [%%d1+%u], %%r2;\n"
    "again: ld.volatile.global.u32 %%r3, [%%d1+4]; setp.eq.u32 %%p2, %%r3, 0; @%%p2 bra again;\n"
    "ret;\n"
    "wait: ld.volatile.global.u32 %%r3, [%%d1]; setp.eq.u32 %%p2, %%r3, 0; @%%p2 bra wait;\n"
    "st.global.u32 [%%d1+4], %%r3;\n"
    "ret;\n}\n";

static void waiting_for_another(void **state) {
  (void)state;
  char body[1024];
  uint32_t out[16];
  for (unsigned threads = 1; threads <= 2; threads++) {
    struct err e = {0};
    snprintf(body, sizeof body, waits, 0);
    struct module *m = parsed(body);
    need(run_small(m, 2, threads, 2, out, 16, NULL, &e), &e);
    assert_true(out[0] == 100000 && out[1] == 100000);
    module_free(m);
    snprintf(body, sizeof body, waits, 8); /* elsewhere: both wait for each other */
    m = parsed(body);
    assert_false(run_small(m, 2, threads, 2, out, 16, NULL, &e));
    assert_non_null(strstr(e.text, "a loop that cannot end: it waits for a value that no warp will write"));
    assert_non_null(strstr(e.text, "CTA (0,0,0)"));
    module_free(m);
  }
}

/* A warp with too many instructions, found within a quantum: the loop that the message names is looked for without a
 * change of memory, which other SMs read at that time. */
static void runaway_apart(void **state) {
  (void)state;
  struct module *m = parsed(
      ".visible .entry k(.param .u64 p) {\n"
      ".reg .b64 %d<3>; .reg .u32 %r<3>;\n"
      "ld.param.u64 %d1, [p]; mov.u32 %r1, 7;\n"
      "next: st.global.u32 [%d1], %r1; bra next;\n"
      "}\n");
  struct memory *mem = memory_new(m);
  const uint64_t at = memory_alloc(mem, "p", 64);
  const struct launch l = {.module = m,
                           .code = &m->kernel[0],
                           .mem = mem,
                           .grid = {2, 1, 1},
                           .block = {32, 1, 1},
                           .param = (const uint8_t *)&at};
  struct err e = {0};
  struct warp_inst inst;
  const uint16_t slot = 0;
  const uint32_t *const word = (const uint32_t *)(const void *)memory_at(mem, (uint32_t)at, 4);
  for (unsigned sms = 1; sms <= 2; sms++) {
    const struct exec_limits limits = {.warp_slots = 1, .cta_slots = 1, .sms = sms, .max_insns = 1000};
    struct stream *s = stream_functional(&l, &limits, &e);
    need(s != NULL, &e);
    memset(memory_at(mem, (uint32_t)at, 4), 0, 4);
    s->ops->cta_begin(s, 0, 0, &slot);
    while (s->ops->next(s, 0, &inst) == STREAM_GIVEN) {
    }
    assert_non_null(
        strstr(s->err.text, "a runaway loop: the warp has executed 1000 instructions; the loop that goes back"));
    assert_int_equal(word[0], sms == 1 ? 7 : 0);
    s->ops->free(s);
  }
  memory_free(mem);
  module_free(m);
}

static const char numbers[] =
    ".visible .entry k(.param .u64 p) {\n"
    ".local .align 4 .b8 stack[8];\n"
    ".reg .b64 %d<9>; .reg .u32 %r<9>;\n"
    "ld.param.u64 %d1, [p]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 8; add.u64 %d2, %d2, %d1;\n"
    "mov.u32 %r2, %smid; mov.u32 %r3, %nsmid;\n"
    "st.local.u32 [stack+4], %r2; ld.local.u32 %r2, [stack+4];\n"
    "st.global.u32 [%d2], %r2; st.global.u32 [%d2+4], %r3;\n"
    "ret;\n}\n";

static void numbered(void **state) {
  (void)state;
  uint32_t out[16];
  struct err e = {0};
  struct module *m = parsed(numbers);
  need(run_small(m, 8, 2, 8, out, 16, NULL, &e), &e);
  for (unsigned i = 0; i < 8; i++) assert_true(out[2 * i] == i && out[2 * i + 1] == 8);
  need(run_small(m, 1, 1, 8, out, 16, NULL, &e), &e);
  for (unsigned i = 0; i < 8; i++) assert_true(out[2 * i] == 0 && out[2 * i + 1] == 1);
  module_free(m);
}

/* The lines of local memory that the timing model sees. */
static void apart_in_local(void **state) {
  (void)state;
  struct module *m = parsed(numbers);
  struct memory *mem = memory_new(m);
  const uint64_t at = memory_alloc(mem, "p", 64);
  const struct launch l = {.module = m,
                           .code = &m->kernel[0],
                           .mem = mem,
                           .grid = {8, 1, 1},
                           .block = {32, 1, 1},
                           .param = (const uint8_t *)&at};
  uint32_t line[3][2] = {{0}}; /* of the last warp slot: its local words' addresses, least and greatest */
  for (unsigned sm = 0; sm < 3; sm++) {
    struct err e = {0};
    struct warp_inst inst;
    const uint16_t first = 0, last = 7;
    const struct exec_limits limits = {.warp_slots = 8, .cta_slots = 8, .sm = sm, .sms = 3};
    struct stream *s = stream_functional(&l, &limits, &e);
    need(s != NULL, &e);
    s->ops->cta_begin(s, 0, 0, &first);
    s->ops->cta_begin(s, 1, 1, &last);
    for (unsigned w = 0; w < 2; w++)
      while (s->ops->next(s, w ? last : first, &inst) == STREAM_GIVEN)
        if (inst.mem && W_SPACE_OF(&inst) == SP_LOCAL) line[sm][w] = inst_addr(s, &inst)[0] / 128;
    assert_true(line[sm][0] && line[sm][1] > line[sm][0]);
    if (sm) assert_true(line[sm][0] > line[sm - 1][1]);
    s->ops->free(s);
  }
  memory_free(mem);
  module_free(m);
}

/* Each thread says its CTA, then that again from a buffer that it has just written. */
static const char says[] =
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 fmt[6] = {37, 46, 49, 102, 32, 0};\n" /* "%.1f " */
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %d<9>; .reg .u32 %r<9>; .reg .f64 %e;\n"
    "ld.param.u64 %d1, [p]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 8; add.u64 %d2, %d2, %d1;\n"
    "cvt.rn.f64.u32 %e, %r1; st.global.f64 [%d2], %e;\n"
    "mov.u64 %d3, fmt; cvta.global.u64 %d3, %d3; cvta.global.u64 %d4, %d2;\n"
    "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d3; st.param.b64 [a], %d4;\n"
    "call.uni (r), vprintf, (f, a); }\n"
    "ret;\n}\n";

static void take_text(void *ctx, const char *text, size_t n) {
  char *to = ctx;
  snprintf(to, 4096, "%.*s", (int)n, text);
}

static void prints_in_order(void **state) {
  (void)state;
  char text[4096], want[4096];
  uint32_t out[32];
  size_t n = 0;
  for (unsigned c = 0; c < 16; c++)
    for (unsigned k = 0; k < 32; k++) n += (size_t)snprintf(want + n, sizeof want - n, "%u.0 ", c);
  for (unsigned threads = 1; threads <= 4; threads *= 2) {
    struct err e = {0};
    struct module *m = parsed(says);
    struct prints *p = prints_new();
    need(run_small(m, 4, threads, 16, out, 32, p, &e), &e);
    text[0] = 0;
    prints_give(p, take_text, text);
    assert_string_equal(text, want);
    prints_free(p);
    module_free(m);
  }
}

/* Also when the process has a locale of its own, as a host program may. */
static void locale_of_threads(void **state) {
  host_env_enter();
  if (!setlocale(LC_ALL, "comma")) abort();
  prints_in_order(state);
  setlocale(LC_ALL, "C");
  host_env_leave();
}

int main(void) {
  comma_locale("quantum");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_the_reference),    cmocka_unit_test(any_threads),     cmocka_unit_test(any_machine),
      cmocka_unit_test(waiting_for_another), cmocka_unit_test(runaway_apart),   cmocka_unit_test(numbered),
      cmocka_unit_test(apart_in_local),      cmocka_unit_test(prints_in_order), cmocka_unit_test(locale_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
