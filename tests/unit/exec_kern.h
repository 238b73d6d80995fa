/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_kern: hand-built, allocated kernels for the tests of exec/. Instruction k stands on line 100 + k of
 * "t.ptx".
 */
#ifndef RT_TESTS_EXEC_KERN_H
#define RT_TESTS_EXEC_KERN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/exec.h"

/* ---- builders ---- */

enum { MAX = 128, BUF = 4096 };
struct kern {
  struct module m;
  struct code c;
  struct insn insn[MAX];
  uint32_t reconv[MAX];
  struct op op[MAX];
  struct memory *mem;
  struct launch l;
  uint8_t param[64];
  struct err e;
  struct exec_counts n;
};

#define NONE ((struct opnd){0})
static inline struct opnd R(unsigned r) {
  return (struct opnd){.kind = O_REG, .words = 1, .reg = r};
} static inline struct opnd D(unsigned r) {
  return (struct opnd){.kind = O_REG, .words = 2, .reg = r};
} static inline struct opnd P(unsigned p) {
  return (struct opnd){.kind = O_PRED, .reg = p};
} static inline struct opnd NP(unsigned p) {
  return (struct opnd){.kind = O_PRED, .reg = p, .neg = 1};
} static inline struct opnd I(uint64_t v) {
  return (struct opnd){.kind = O_IMM, .words = 1, .imm = v};
} static inline struct opnd I64(uint64_t v) {
  return (struct opnd){.kind = O_IMM, .words = 2, .imm = v};
} static inline struct opnd S(enum sreg s) {
  return (struct opnd){.kind = O_SREG, .words = 1, .reg = s};
} static inline struct opnd C(unsigned off, unsigned words) {
  return (struct opnd){.kind = O_CBANK, .words = (uint8_t)words, .reg = off};
}

static inline struct kern *
kern(uint32_t block, uint32_t grid) {
  struct kern *k = calloc(1, sizeof *k);
  assert_non_null(k);
  k->m.file = "t.ptx";
  k->c = (struct code){.name = "k",
                       .file = "t.ptx",
                       .line = 7,
                       .insn = k->insn,
                       .reconv = k->reconv,
                       .op = k->op,
                       .allocated = true,
                       .nreg = 32,
                       .npred = 8,
                       .param_bytes = 64};
  k->l =
      (struct launch){.module = &k->m, .code = &k->c, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .param = k->param};
  k->mem = k->l.mem = memory_new(&k->m);
  return k;
}
static inline void end(struct kern *k) {
  memory_free(k->mem);
  free(k);
}

static inline struct insn *put(struct kern *k, enum opcode op, enum dtype t, struct opnd d, struct opnd a,
                               struct opnd b, struct opnd c) {
  assert_true(k->c.n < MAX);
  uint32_t n = k->c.n++;
  struct insn *i = &k->insn[n];
  *i = (struct insn){.op = (uint8_t)op, .type = (uint8_t)t, .stype = (uint8_t)t, .vec = 1, .line = 100 + n};
  k->op[n].pc = 8 * n;
  k->op[n].line = 100 + n;
  k->reconv[n] = n + 1;
  if (d.kind) i->dst[i->ndst++] = d;
  if (a.kind) i->src[i->nsrc++] = a;
  if (b.kind) i->src[i->nsrc++] = b;
  if (c.kind) i->src[i->nsrc++] = c;
  return i;
}
static inline struct insn *mov(struct kern *k, struct opnd d, struct opnd a) {
  return put(k, OP_MOV, d.words == 2 ? T_B64 : T_B32, d, a, NONE, NONE);
}
static inline struct insn *add(struct kern *k, struct opnd d, struct opnd a, struct opnd b) {
  return put(k, OP_ADD, d.words == 2 ? T_U64 : T_U32, d, a, b, NONE);
}
static inline struct insn *mul(struct kern *k, struct opnd d, struct opnd a, struct opnd b) {
  struct insn *i = put(k, OP_MUL, T_U32, d, a, b, NONE);
  i->mods = d.words == 2 ? M_WIDE : M_LO;
  return i;
}
static inline struct insn *setp(struct kern *k, unsigned p, enum cmpop cmp, struct opnd a, struct opnd b) {
  struct insn *i = put(k, OP_SETP, T_U32, P(p), a, b, NONE);
  i->cmp = (uint8_t)cmp;
  return i;
}
static inline struct insn *ld(struct kern *k, enum space sp, enum dtype t, struct opnd d, struct opnd a, int64_t off) {
  struct insn *i = put(k, OP_LD, t, d, a, NONE, NONE);
  i->space = (uint8_t)sp;
  i->offset = off;
  return i;
}
static inline struct insn *st(struct kern *k, enum space sp, enum dtype t, struct opnd a, int64_t off, struct opnd v) {
  struct insn *i = put(k, OP_ST, t, NONE, a, v, NONE);
  i->space = (uint8_t)sp;
  i->offset = off;
  return i;
}
static inline struct insn *atom(struct kern *k, enum space sp, unsigned sub, struct opnd d, struct opnd a,
                                struct opnd v, struct opnd w) {
  struct insn *i = put(k, OP_ATOM, v.words == 2 ? T_U64 : T_U32, d, a, v, w);
  i->space = (uint8_t)sp;
  i->sub = (uint8_t)sub;
  return i;
}
static inline struct insn *bar(struct kern *k, unsigned sub, struct opnd id, struct opnd count) {
  struct insn *i = put(k, OP_BAR, T_NONE, NONE, id, count, NONE);
  i->sub = (uint8_t)sub;
  return i;
}
static inline struct insn *bra(struct kern *k, struct opnd guard, uint32_t target, uint32_t reconv) {
  struct insn *i = put(k, OP_BRA, T_NONE, NONE, NONE, NONE, NONE);
  i->guard = guard;
  i->target = target;
  k->reconv[k->c.n - 1] = reconv;
  return i;
}
static inline struct insn *leave(struct kern *k) { return put(k, OP_EXIT, T_NONE, NONE, NONE, NONE, NONE); }

/* R(r) = global thread number; D(r + 2) = address of element r of the buffer at `base` (words of 4 << shift
 * bytes). */
static inline void where(struct kern *k, unsigned r, uint32_t base, unsigned bytes) {
  mul(k, R(r), S(SR_CTAID_X), S(SR_NTID_X));
  add(k, R(r), R(r), S(SR_TID_X));
  mul(k, D(r + 2), R(r), I(bytes));
  add(k, D(r + 2), D(r + 2), I64(base));
}

static inline uint32_t buffer(struct kern *k, const char *name, uint32_t bytes) {
  uint32_t a = memory_alloc(k->mem, name, bytes);
  assert_int_not_equal(a, 0);
  return a;
}
static inline uint32_t word(struct kern *k, uint32_t a) {
  uint32_t v;
  void *p = memory_at(k->mem, a, 4);
  assert_non_null(p);
  memcpy(&v, p, 4);
  return v;
}
static inline void set_word(struct kern *k, uint32_t a, uint32_t v) { memcpy(memory_at(k->mem, a, 4), &v, 4); }

static inline void run(struct kern *k, unsigned resident) {
  char text[1200] = "";
  if (!exec_run(&k->l, resident, &k->n, &k->e)) {
    err_format(&k->e, text, sizeof text);
    fail_msg("%s", text);
  }
}
static inline void fails(struct kern *k, int line, const char *text) {
  assert_false(exec_run(&k->l, 2, &k->n, &k->e));
  assert_true(k->e.set);
  assert_string_equal(k->e.file, "t.ptx");
  assert_string_equal(k->e.text, text);
  assert_int_equal(k->e.line, line);
}

/* How a fault's text ends. */
#define WHERE(pc, thread) "; kernel 'k', PC 0x" pc ", CTA (0,0,0), thread (" thread ",0,0)"

#endif
