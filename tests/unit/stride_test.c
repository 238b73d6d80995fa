/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stride: of a grid one SM times every so manieth CTA (sm.cta_stride, `stride` of a launch file), and the CTAs of the
 * other SMs are executed without time: all results are there, in an order that is derived here by hand; they change no
 * statistic; and what they do wrong is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "exec/races.h"
#include "compiler/ptx/ptx.h"
#include "compiler/regalloc/regalloc.h"
#include "lab/run/timed.h"
#include "kit.h"

enum { WORDS = 1 << 12 };

struct outcome {
  bool ok;
  char text[1400];
  struct sm_stats sm;
  struct mem_stats mem;
  uint64_t untimed, ran;
  uint32_t word[WORDS];
};

struct arguments {
  uint64_t p;
  uint32_t n;
};

/* `of`: the launch file's stride; config: sm.cta_stride. */
struct how {
  uint32_t ctas, n;
  unsigned config, of;
  uint64_t most;
  bool races;
};

#define HEAD                                              \
  ".version 7.0\n.target sm_52\n.address_size 64\n"       \
  ".visible .entry k(.param .u64 p, .param .u32 n) {\n"   \
  ".reg .b64 %d<9>; .reg .u32 %r<9>; .reg .pred %p<3>;\n" \
  "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"       \
  "mov.u32 %r2, %ctaid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %d1, %d2;\n"

static struct outcome run(const char *text, const struct how *h) {
  static struct outcome o;
  struct err e = {0};
  struct config c;
  memset(&o, 0, sizeof o);
  config_defaults(&c);
  if (!config_machine(&c, "gtx980", &e)) fail_msg("%s", e.text);
  c.sm_ctas = 1; /* one after the other */
  c.sm_cta_stride = h->config;
  struct module *m = ptx_parse("k.ptx", text, strlen(text), &e);
  if (!m || !alloc_kernel(m, &m->kernel[0], 0, &e)) fail_msg("%s", e.text);
  struct memory *mem = memory_new(m);
  const struct arguments at = {memory_alloc(mem, "p", sizeof o.word), h->n};
  struct races *races = h->races ? races_new() : NULL;
  const struct launch l = {.module = m,
                           .code = &m->kernel[0],
                           .mem = mem,
                           .grid = {h->ctas, 1, 1},
                           .block = {1, 1, 1},
                           .param = (const uint8_t *)&at,
                           .most_insns = h->most,
                           .ran = &o.ran,
                           .races = races,
                           .stride = h->of,
                           .untimed = &o.untimed};
  struct gpu *g = gpu_new(&c, 1, &e);
  if (!g) fail_msg("%s", e.text);
  o.ok = timed_launch(g, &l, NULL, &e);
  if (!o.ok) err_format(&e, o.text, sizeof o.text);
  o.sm = *sm_stats(gpu_sm(g, 0));
  o.mem = *gpu_mem_stats(g);
  memcpy(o.word, memory_at(mem, (uint32_t)at.p, sizeof o.word), sizeof o.word);
  gpu_free(g);
  races_free(races);
  memory_free(mem);
  module_free(m);
  return o;
}

/* Each CTA takes a number and writes it down. */
static const char numbers[] = HEAD
    "atom.global.add.u32 %r3, [%d1], 1;\n"
    "st.global.u32 [%d2+4], %r3;\nret;\n}\n";

/* Of ten CTAs by four, 0, 4 and 8 are timed, one at a time. Before the first instruction of each, the three behind it in
 * the grid take their numbers, in the order of the grid: their atomics are of one quantum of theirs. */
static void the_order(void **state) {
  (void)state;
  static const uint32_t by_four[10] = {3, 0, 1, 2, 7, 4, 5, 6, 9, 8};
  const struct how config = {10, 0, 4, 0, 0, false}, file = {10, 0, 0, 4, 0, false}, both = {10, 0, 1, 4, 0, false};
  for (unsigned i = 0; i < 2; i++) {
    const struct outcome o = run(numbers, i ? &file : &config);
    assert_string_equal(o.text, "");
    assert_int_equal(o.word[0], 10);
    for (unsigned k = 0; k < 10; k++) assert_int_equal(o.word[1 + k], by_four[k]);
    assert_true(o.sm.ctas == 3 && o.untimed == 7);
    assert_int_equal(o.ran % 10, 0); /* all of them count: the CTAs are alike */
    assert_int_equal(o.ran / 10, o.sm.warp_insns / 3);
  }
  const struct outcome o = run(numbers, &both); /* the config decides */
  for (unsigned k = 0; k < 10; k++) assert_int_equal(o.word[1 + k], k);
  assert_true(o.sm.ctas == 10 && !o.untimed);
}

/* A load and a store, each CTA in lines of its own: n times as far apart. */
static const char lines[] = HEAD
    "mul.lo.u32 %r3, %r2, %r1; shl.b32 %r3, %r3, 8;\n"
    "cvt.u64.u32 %d3, %r3; add.u64 %d3, %d1, %d3;\n"
    "ld.global.u32 %r4, [%d3]; add.u32 %r4, %r4, 7;\n"
    "st.global.u32 [%d3+128], %r4;\nret;\n}\n";

/* Every fourth of 40 CTAs is what a grid of 10 is whose CTAs lie four times as far apart: each statistic is equal. */
static void no_statistic(void **state) {
  (void)state;
  const struct how some = {40, 1, 4, 0, 0, false}, few = {10, 4, 1, 0, 0, false};
  const struct outcome a = run(lines, &some), b = run(lines, &few);
  assert_true(a.ok && b.ok && a.untimed == 30 && !b.untimed);
  stats_equal(&a.sm, &b.sm);
  assert_memory_equal(&a.mem, &b.mem, sizeof a.mem);
  for (unsigned k = 0; k < 40; k++) assert_int_equal(a.word[k * 64 + 32], 7);
  for (unsigned k = 0; k < 40; k++) assert_int_equal(b.word[k * 64 + 32], k % 4 ? 0 : 7);
}

/* CTA k waits for CTA n, and all say that they were there. */
static const char waits[] = HEAD
    "mov.u32 %r3, 1; st.volatile.global.u32 [%d2], %r3;\n"
    "setp.ne.u32 %p1, %r2, 5; @%p1 bra out;\n"
    "mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d1, %d3;\n"
    "wait: ld.volatile.global.u32 %r4, [%d3];\n"
    "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra wait;\n"
    "out: ret;\n}\n";
/* The same of CTA 4. */
static const char waits4[] = HEAD
    "mov.u32 %r3, 1; st.volatile.global.u32 [%d2], %r3;\n"
    "setp.ne.u32 %p1, %r2, 4; @%p1 bra out;\n"
    "mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d1, %d3;\n"
    "wait: ld.volatile.global.u32 %r4, [%d3];\n"
    "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra wait;\n"
    "out: ret;\n}\n";

static void told(const struct outcome *o, const char *words) {
  if (o->ok || !strstr(o->text, words)) fail_msg("found '%s', expected '%s'", o->text, words);
}

/* CTA 5 is untimed, CTA 4 timed: a CTA of its own kind that came before is there, others are not. */
static void one_waits_for_another(void **state) {
  (void)state;
  struct how h = {12, 3, 4, 0, 0, false};
  assert_true(run(waits, &h).ok);  /* 5 for 3: both of other SMs, the round before */
  assert_true(run(waits4, &h).ok); /* 4 for 3 */
  h.n = 7;
  assert_true(run(waits, &h).ok); /* 5 for 7: of the same round, they run side by side */
  assert_true(run(waits4, &h).ok);
  h.n = 4;
  struct outcome o = run(waits, &h);
  told(&o,
       "these CTAs of other SMs are executed without time, on their own: CTAs that wait for each other need stride 1");
  told(&o, "CTA (5,0,0)");
  h.n = 9;
  o = run(waits4, &h);
  told(&o, "CTAs of other SMs are executed without time, when one of this SM begins");
  told(&o, "CTA (4,0,0)");
}

/* CTA n stores to address 0. */
static const char fails[] = HEAD
    "setp.ne.u32 %p1, %r1, %r2;\n@%p1 bra out;\n"
    "mov.u64 %d2, 0;\nst.global.u32 [%d2], %r1;\nout: ret;\n}\n";

static void a_fault_has_its_place(void **state) {
  (void)state;
  const struct how h = {12, 6, 4, 0, 0, false};
  const struct outcome o = run(fails, &h);
  told(&o, "k.ptx:11:1: ");
  told(&o, "CTA (6,0,0), thread (0,0,0)");
}

/* An endless loop of CTA 5 that counts, so only the limit ends it. */
static const char counts[] = HEAD
    "mov.u32 %r3, 0;\nsetp.ne.u32 %p1, %r2, 5; @%p1 bra out;\n"
    "again: add.u32 %r3, %r3, 1; st.global.u32 [%d2], %r3;\nbra again;\n"
    "out: ret;\n}\n";

static void limits_hold(void **state) {
  (void)state;
  struct how h = {12, 0, 4, 0, 100000, false};
  const struct outcome o = run(counts, &h);
  told(&o, "a runaway launch: its warps have executed more than 100000 instructions");
  h.races = true;
  const struct outcome r = run(numbers, &h);
  told(&r, "found a stride of 4 CTAs (sm.cta_stride, or of the launch file), expected 1 while races are looked for");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order),
      cmocka_unit_test(no_statistic),
      cmocka_unit_test(one_waits_for_another),
      cmocka_unit_test(a_fault_has_its_place),
      cmocka_unit_test(limits_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
