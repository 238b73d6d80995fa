/* SPDX-License-Identifier: Apache-2.0 */
/* sm_prog: programs in physical registers, built by hand, so that banks and dependences are exactly what a case says; and their runs. */
#ifndef RT_TESTS_SM_PROG_H
#define RT_TESTS_SM_PROG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/run/load_latency.h"
#include "lab/run/timed.h"
#include "sm/private.h"

/* ---- a program ---- */
struct prog {
  struct module m;
  struct code c;
  struct insn insn[4096];
  uint32_t n;
  uint32_t reconv[4096];
};

static inline struct opnd R(unsigned r) {
  return (struct opnd){.kind = O_REG, .words = 1, .reg = r};
} static inline struct opnd RR(unsigned r) {
  return (struct opnd){.kind = O_REG, .words = 2, .reg = r};
} static inline struct opnd I(uint64_t v) {
  return (struct opnd){.kind = O_IMM, .words = 1, .imm = v};
} static inline struct opnd II(uint64_t v) {
  return (struct opnd){.kind = O_IMM, .words = 2, .imm = v};
} static inline struct opnd SR(enum sreg s) {
  return (struct opnd){.kind = O_SREG, .words = 1, .reg = s};
}
#define NO ((struct opnd){0})

static inline struct insn *
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
static inline void add(struct prog *p, unsigned d, unsigned a, unsigned b) {
  emit(p, OP_ADD, T_U32, 0, R(d), R(a), R(b), NO);
}
static inline void load(struct prog *p, enum space sp, struct opnd d, struct opnd a, uint32_t mods) {
  emit(p, OP_LD, d.words == 2 ? T_U64 : T_U32, mods, d, a, NO, NO)->space = (uint8_t)sp;
}
static inline void finish(struct prog *p, unsigned nreg) {
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
static inline struct prog *prog(void) { return xcalloc(1, sizeof(struct prog)); }
static inline void drop(struct prog *p) { arena_free(&p->m.arena), free(p); }

/* ---- running it ---- */
struct run {
  struct sm_stats s;
  struct mem_stats m;
  uint32_t fit;
  const char *limiter;
  uint64_t hash;
};

static inline struct config base(void) {
  struct config c;
  config_defaults(&c);
  snprintf(c.machine, sizeof c.machine, "test");
  c.sim_check = true;
  return c;
}

static struct load_latency took[LATENCY_ROWS]; /* of the last run */

static inline struct run run_in(const struct config *cfg, struct prog *p, struct memory *mem, uint32_t ctas,
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
static inline struct run run(const struct config *cfg, struct prog *p, uint32_t ctas, uint32_t threads) {
  struct memory *mem = memory_new(&p->m);
  struct run r = run_in(cfg, p, mem, ctas, threads);
  memory_free(mem);
  return r;
}

/* ---- a pointer chase ---- */
static inline struct memory *chased(struct prog *p, uint32_t *at, uint32_t bytes, uint32_t stride) {
  struct memory *mem = memory_new(&p->m);
  *at = memory_alloc(mem, "chase", bytes);
  uint8_t *host = memory_at(mem, *at, bytes);
  for (uint32_t k = 0; k + 8 <= bytes; k += stride) {
    uint64_t next = *at + (k + stride + 8 <= bytes ? k + stride : 0);
    memcpy(host + k, &next, 8);
  }
  return mem;
}

#endif
