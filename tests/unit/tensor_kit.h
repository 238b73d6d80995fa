/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_kit: runs a kernel of one warp on words in and out, functionally and through the timing model. */
#ifndef RT_TEST_TENSOR_KIT_H
#define RT_TEST_TENSOR_KIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/regalloc/regalloc.h"
#include "lab/run/timed.h"
#include "compiler/ptx/ptx.h"
#include "kit.h"

#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"
/* %d1: in + 4 * lane, %d2: out + 4 * lane, %r0: lane */
#define KERNEL                                                                                             \
  HEAD ".entry k(.param .u64 in, .param .u64 out) {\n"                                                     \
       ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<9>; .reg .f32 %f<40>; .shared .align 16 .b8 "     \
       "s[4096];\n"                                                                                        \
       "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 4;\n" \
       "add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3; mov.u32 %r39, s;\n"

enum { IN = 4096, OUT = 4096 }; /* words */

struct bench {
  uint32_t in[IN], out[OUT];
  struct sm_stats stats;
  struct err e;
  uint32_t mmas;
};

/* Functionally, or timed under a choice of storage; false: lab->e. */
__attribute__((unused)) static bool run_once(const char *text, struct bench *b, int how, uint32_t threads) {
  b->e = (struct err){0};
  struct module *m = ptx_parse("t.ptx", text, strlen(text), &b->e);
  if (!m) return false;
  bool ok = alloc_kernel(m, &m->kernel[0], 0, &b->e);
  struct memory *mem = ok ? memory_new(m) : NULL;
  struct code *c = &m->kernel[0];
  b->mmas = 0;
  for (uint32_t k = 0; ok && k < c->n; k++) {
    b->mmas += c->insn[k].op == OP_MMA;
    assert_true(c->op[k].nsrc <= 6 && c->op[k].ndst <= 4);
    assert_true(c->insn[k].op != OP_MMA || c->op[k].cls == CLS_TENSOR);
  }
  if (ok) {
    uint64_t param[2] = {memory_alloc(mem, "in", IN * 4), memory_alloc(mem, "out", OUT * 4)};
    memcpy(memory_at(mem, (uint32_t)param[0], IN * 4), b->in, IN * 4);
    struct launch l = {.module = m, .code = c, .mem = mem, .grid = {1, 1, 1}, .block = {threads, 1, 1}};
    l.param = (const uint8_t *)param;
    if (how == 0) {
      ok = exec_run(&l, 1, &(struct exec_counts){0}, &b->e);
    } else {
      struct config cfg;
      config_defaults(&cfg);
      cfg.sim_check = true;
      if (how == 2) cfg.slot_storage = slot_storage_slices, cfg.collector_arrivals = 1;
      if (how == 3) cfg.sim_skip = false;
      struct gpu *g = gpu_new(&cfg, 1, &b->e);
      ok = g && timed_launch(g, &l, NULL, &b->e);
      if (g) b->stats = *sm_stats(gpu_sm(g, 0));
      gpu_free(g);
    }
    memcpy(b->out, memory_at(mem, (uint32_t)param[1], OUT * 4), OUT * 4);
  }
  memory_free(mem);
  module_free(m);
  return ok;
}

/* All ways give the same; statistics of the plain timed one, which do not depend on the skipping of idle
 * cycles. */
__attribute__((unused)) static void run(const char *text, struct bench *b, uint32_t threads) {
  uint32_t first[OUT];
  struct sm_stats jumped;
  for (int how = 0; how < 4; how++) {
    if (!run_once(text, b, how, threads)) fail_msg("%d:%d: %s\n%s", b->e.line, b->e.col, b->e.text, text);
    if (how == 0) memcpy(first, b->out, sizeof first);
    assert_memory_equal(first, b->out, sizeof first);
    if (how == 1) jumped = b->stats;
    if (how == 3) assert_memory_equal(&jumped, &b->stats, sizeof jumped);
  }
}

__attribute__((unused)) static void fails(const char *text, struct bench *b, uint32_t threads, const char *want) {
  for (int how = 0; how < 2; how++) {
    if (run_once(text, b, how, threads)) fail_msg("was accepted: %s", text);
    if (!strstr(b->e.text, want)) fail_msg("found: %s\nexpected: %s", b->e.text, want);
    assert_string_equal(b->e.file, "t.ptx");
    assert_true(b->e.line >= 4);
  }
}

static uint64_t seed;
__attribute__((unused)) static uint32_t random32(void) {
  seed += 0x9e3779b97f4a7c15ull;
  uint64_t z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return (uint32_t)(z >> 32);
}

#endif
