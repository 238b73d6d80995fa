/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of the analyses and, through sm_kit.h, of the SM: kernels made by hand or at random, and an
 * interpreter of a few operations for one thread that shares nothing with exec/ and runs the same code in
 * virtual and in physical registers.
 */
#ifndef RT_TEST_ANALYSIS_MAKE_H
#define RT_TEST_ANALYSIS_MAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/narrow/packing.h"
#include "compiler/regalloc/work.h"
#include "base/bits.h"

/* ---- making code ---- */

struct make {
  struct module *m;
  struct code *c;
  uint32_t cap, vcap;
};

static __attribute__((unused)) void make_begin(struct make *k) {
  k->m = xcalloc(1, sizeof *k->m);
  k->m->kernel = k->c = arena_alloc(&k->m->arena, sizeof *k->c);
  k->m->nkernel = 1;
  *k->c = (struct code){.name = "k", .file = "k.ptx", .line = 3, .param_bytes = 64};
  k->cap = k->vcap = 0;
}

static __attribute__((unused)) uint32_t reg(struct make *k, uint8_t words) {
  VEC_PUSH(k->c->vreg, k->c->nvreg, k->vcap) = (struct vreg){words, NULL};
  return k->c->nvreg - 1;
}

static inline struct opnd R(uint32_t r) {
  return (struct opnd){.kind = O_REG, .words = 1, .reg = r};
} static inline struct opnd D(uint32_t r) {
  return (struct opnd){.kind = O_REG, .words = 2, .reg = r};
} static inline struct opnd P(uint32_t r) {
  return (struct opnd){.kind = O_PRED, .reg = r};
} static inline struct opnd I(uint64_t x) {
  return (struct opnd){.kind = O_IMM, .words = 1, .imm = x};
} static inline struct opnd I2(uint64_t x) {
  return (struct opnd){.kind = O_IMM, .words = 2, .imm = x};
} static inline struct opnd C(uint32_t at, uint8_t words) {
  return (struct opnd){.kind = O_CBANK, .words = words, .reg = at};
}

static __attribute__((unused)) struct insn *
add(struct make *k, uint8_t op, uint8_t type) {
  struct insn *i = &VEC_PUSH(k->c->insn, k->c->n, k->cap);
  *i = (struct insn){.op = op, .type = type, .vec = 1, .line = 100 + k->c->n};
  return i;
}

static __attribute__((unused)) struct insn *op1(struct make *k, uint8_t op, uint8_t type, struct opnd d,
                                                struct opnd a) {
  struct insn *i = add(k, op, type);
  i->dst[i->ndst++] = d;
  i->src[i->nsrc++] = a;
  return i;
}

static __attribute__((unused)) struct insn *op2(struct make *k, uint8_t op, uint8_t type, struct opnd d, struct opnd a,
                                                struct opnd b) {
  struct insn *i = op1(k, op, type, d, a);
  i->src[i->nsrc++] = b;
  return i;
}

static __attribute__((unused)) struct insn *setp(struct make *k, uint8_t cmp, struct opnd p, struct opnd a,
                                                 struct opnd b) {
  struct insn *i = op2(k, OP_SETP, T_U32, p, a, b);
  i->cmp = cmp;
  return i;
}

static __attribute__((unused)) struct insn *st(struct make *k, uint8_t type, uint64_t at, struct opnd v) {
  struct insn *i = add(k, OP_ST, type);
  i->space = SP_GLOBAL;
  i->src[0] = I2(at);
  i->src[1] = v;
  i->nsrc = 2;
  return i;
}

static __attribute__((unused)) struct insn *bra(struct make *k, uint32_t target) {
  struct insn *i = add(k, OP_BRA, T_NONE);
  i->target = target;
  return i;
}

static __attribute__((unused)) struct insn *brap(struct make *k, uint32_t target, uint32_t p) {
  struct insn *i = bra(k, target);
  i->guard = P(p);
  return i;
}

/* Moves the growing arrays into the arena, as compiler/ptx/ leaves them. */
static __attribute__((unused)) void make_done(struct make *k) {
  struct insn *i = arena_alloc(&k->m->arena, (k->c->n + 1) * sizeof *i);
  struct vreg *v = arena_alloc(&k->m->arena, (k->c->nvreg + 1) * sizeof *v);
  if (k->c->n) memcpy(i, k->c->insn, k->c->n * sizeof *i);
  if (k->c->nvreg) memcpy(v, k->c->vreg, k->c->nvreg * sizeof *v);
  free(k->c->insn);
  free(k->c->vreg);
  k->c->insn = i;
  k->c->vreg = v;
}

/* ---- an interpreter of one thread ---- */

enum { STORES = 400, STEPS = 200000 };

struct machine {
  const struct code *c;
  uint32_t *reg; /* virtual register v at 2 * v; physical r at r */
  uint8_t *pred;
  uint8_t *local;
  uint32_t nstore, steps;
  uint64_t hash;
};

static __attribute__((unused)) uint32_t *place(struct machine *x, const struct opnd *o) {
  return x->reg + (x->c->allocated ? o->reg : 2 * o->reg);
}

static __attribute__((unused)) uint64_t value(struct machine *x, const struct opnd *o) {
  switch (o->kind) {
    case O_PRED: return x->pred[o->reg] ^ o->neg;
    case O_IMM: return o->imm;
    case O_CBANK: return o->words == 2 ? 0x123400000000ull * (o->reg + 1) + o->reg : 77u * (o->reg + 1);
    case O_REG: {
      if (x->c->allocated) assert_true(o->reg + o->words <= x->c->nreg);
      if (x->c->allocated && o->words == 2) assert_int_equal(o->reg % 2, 0);
      uint32_t *p = place(x, o);
      return o->words == 2 ? (uint64_t)p[1] << 32 | p[0] : p[0];
    }
    default: return 0;
  }
}

static __attribute__((unused)) void keep(struct machine *x, const struct opnd *o, uint64_t v) {
  if (o->kind == O_PRED) {
    x->pred[o->reg] = v & 1;
  } else if (o->kind == O_REG) {
    uint32_t *p = place(x, o);
    p[0] = (uint32_t)v;
    if (o->words == 2) p[1] = (uint32_t)(v >> 32);
  }
}

static __attribute__((unused)) uint64_t compute(struct machine *x, const struct insn *i) {
  uint64_t a = i->nsrc > 0 ? value(x, &i->src[0]) : 0, b = i->nsrc > 1 ? value(x, &i->src[1]) : 0;
  switch (i->op) {
    case OP_MOV:
    case OP_CVT: return a;
    case OP_ADD: return a + b;
    case OP_XOR: return a ^ b;
    case OP_FMA: return a * b + value(x, &i->src[2]);
    case OP_SELP: return value(x, &i->src[2]) ? a : b;
    case OP_PACK: return (uint32_t)a | b << 32;
    case OP_SETP: return i->cmp == C_NE ? (uint32_t)a != (uint32_t)b : (uint32_t)a < (uint32_t)b;
    default: fail_msg("operation %u", i->op); return 0;
  }
}

static __attribute__((unused)) void execute(struct machine *x, const struct insn *i) {
  if (i->op == OP_ST && i->space == SP_GLOBAL) {
    uint64_t rec[2] = {i->src[0].imm, value(x, &i->src[1])};
    if (dtype_bytes(i->type) == 4) rec[1] = (uint32_t)rec[1];
    x->hash = fnv1a(x->hash, rec, sizeof rec);
    x->nstore++;
  } else if (i->op == OP_ST) {
    uint64_t v = value(x, &i->src[1]);
    assert_int_equal(i->space, SP_LOCAL);
    assert_true(i->src[0].imm + dtype_bytes(i->type) <= x->c->local_bytes);
    memcpy(x->local + i->src[0].imm, &v, dtype_bytes(i->type));
  } else if (i->op == OP_LD) {
    uint64_t v = 0;
    assert_int_equal(i->space, SP_LOCAL);
    assert_true(i->src[0].imm + dtype_bytes(i->type) <= x->c->local_bytes);
    memcpy(&v, x->local + i->src[0].imm, dtype_bytes(i->type));
    keep(x, &i->dst[0], v);
  } else if (i->op == OP_UNPACK) {
    uint64_t v = value(x, &i->src[0]);
    keep(x, &i->dst[0], (uint32_t)v);
    keep(x, &i->dst[1], v >> 32);
  } else {
    keep(x, &i->dst[0], compute(x, i));
  }
}

/* The values stored, in order, as a hash; stops after STORES of them. */
static __attribute__((unused)) uint64_t interpret(const struct code *c, uint64_t seed, uint32_t *stores) {
  struct machine x = {.c = c, .hash = FNV_START};
  size_t n = c->allocated ? c->nreg : 2 * (size_t)c->nvreg;
  x.reg = xcalloc(n + 1, sizeof *x.reg);
  x.pred = xcalloc((c->allocated ? c->npred : c->nvreg) + 1, 1);
  x.local = xcalloc(c->local_bytes + 8, 1);
  for (size_t k = 0; k < n; k++) x.reg[k] = (uint32_t)rng_next(&seed); /* nothing may depend on it */
  for (uint32_t pc = 0; x.nstore < STORES && x.steps < STEPS; x.steps++) {
    assert_true(pc < c->n);
    const struct insn *i = &c->insn[pc++];
    if (i->guard.kind == O_PRED && !value(&x, &i->guard)) continue;
    if (i->op == OP_EXIT) break;
    if (i->op == OP_BRA) pc = i->target;
    else execute(&x, i);
  }
  *stores = x.nstore;
  free(x.reg);
  free(x.pred);
  free(x.local);
  return x.hash;
}

/* ---- random programs ---- */

struct shape {
  uint32_t singles, pairs, preds, blocks, length;
  bool temps; /* registers that are not written on all paths as well */
};

static __attribute__((unused)) uint32_t pick(uint64_t *s, uint32_t n) { return (uint32_t)(rng_next(s) >> 33) % n; }

static __attribute__((unused)) struct opnd any32(uint64_t *s, const struct shape *h) {
  return pick(s, 8) == 0    ? I(rng_next(s) & 0xffffffff)
         : pick(s, 12) == 0 ? C(4 * pick(s, 8), 1)
                            : R(pick(s, h->singles));
}

static __attribute__((unused)) struct opnd any64(uint64_t *s, const struct shape *h) {
  return pick(s, 8) == 0 ? I2(rng_next(s)) : D(h->singles + pick(s, h->pairs));
}

static __attribute__((unused)) void random_insn(struct make *k, uint64_t *s, const struct shape *h) {
  uint32_t r = pick(s, h->singles), d = h->singles + pick(s, h->pairs), p = h->singles + h->pairs + pick(s, h->preds);
  struct opnd q = P(h->singles + h->pairs + pick(s, h->preds));
  struct opnd a = any32(s, h), b = any32(s, h), x = any64(s, h), y = any64(s, h), z = any64(s, h);
  struct insn *i;
  switch (pick(s, 17)) {
    case 0: i = op2(k, OP_ADD, T_U32, R(r), a, b); break;
    case 1: i = op2(k, OP_XOR, T_B32, R(r), a, b); break;
    case 2: i = op2(k, OP_ADD, T_U64, D(d), x, y); break;
    case 3: i = op1(k, OP_MOV, T_B32, R(r), a); break;
    case 4: i = op1(k, OP_MOV, T_B64, D(d), x); break;
    case 5: i = op2(k, OP_PACK, T_B64, D(d), a, b); break;
    case 6:
      i = op1(k, OP_UNPACK, T_B64, R(r), D(d));
      i->dst[i->ndst++] = R((r + 1) % h->singles);
      break;
    case 7:
      i = op1(k, OP_CVT, T_U32, R(r), D(d));
      i->stype = T_U64;
      break;
    case 8:
      i = op2(k, OP_SELP, T_B32, R(r), a, b);
      i->src[i->nsrc++] = q;
      break;
    case 9:
    case 10: i = setp(k, q.reg % 2 ? C_NE : C_LT, P(p), a, b); break;
    case 11:
      i = op1(k, OP_MOV, T_PRED, P(p), q);
      i->src[0].neg = (uint8_t)pick(s, 2);
      break;
    case 12:
      i = op2(k, OP_FMA, T_U64, D(d), x, y);
      i->src[i->nsrc++] = z;
      break;
    case 15: i = op1(k, OP_MOV, T_B32, R(r), R(pick(s, h->singles))); break;
    case 16: i = op1(k, OP_MOV, T_B64, D(d), D(h->singles + pick(s, h->pairs))); break;
    case 13: i = st(k, T_U32, k->c->n, R(r)); break;
    default: i = st(k, T_U64, k->c->n, D(d)); break;
  }
  if (pick(s, 5) == 0) {
    i->guard = P(h->singles + h->pairs + pick(s, h->preds));
    i->guard.neg = (uint8_t)pick(s, 2);
  }
}

/* Registers that live for a few instructions: written once, all but one under a guard, and read under the
 * same guard. */
static __attribute__((unused)) void random_temps(struct make *k, uint64_t *s, const struct shape *h) {
  uint32_t single[6], pair[6], n = 2 + pick(s, 5);
  struct opnd g = P(h->singles + h->pairs + pick(s, h->preds));
  g.neg = (uint8_t)pick(s, 2);
  for (uint32_t j = 0; j < n; j++) {
    struct opnd a = any32(s, h), x = any64(s, h);
    single[j] = reg(k, 1);
    pair[j] = reg(k, 2);
    op2(k, OP_ADD, T_U32, R(single[j]), a, j ? R(single[j - 1]) : I(j));
    struct insn *e = op2(k, OP_ADD, T_U64, D(pair[j]), x, j ? D(pair[j - 1]) : I2(j));
    if (!j && pick(s, 2)) continue;
    k->c->insn[k->c->n - 2].guard = e->guard = g;
  }
  for (uint32_t j = 0; j < n; j++) {
    st(k, T_U32, k->c->n, R(single[(j * 5 + 1) % n]))->guard = g;
    st(k, T_U64, k->c->n, D(pair[(j * 5 + 2) % n]))->guard = g;
  }
}

static __attribute__((unused)) void random_program(struct make *k, uint64_t seed, const struct shape *h) {
  uint64_t s = seed;
  make_begin(k);
  for (uint32_t v = 0; v < h->singles; v++) reg(k, 1);
  for (uint32_t v = 0; v < h->pairs; v++) reg(k, 2);
  for (uint32_t v = 0; v < h->preds; v++) reg(k, 0);
  for (uint32_t v = 0; v < h->singles; v++)
    op1(k, OP_MOV, T_B32, R(v), pick(&s, 3) ? I(rng_next(&s) & 0xffff) : C(4 * v % 64, 1));
  for (uint32_t v = 0; v < h->pairs; v++) op1(k, OP_MOV, T_B64, D(h->singles + v), I2(rng_next(&s)));
  for (uint32_t v = 0; v < h->preds; v++) setp(k, C_LT, P(h->singles + h->pairs + v), R(v % h->singles), I(0x8000));
  uint32_t *first = xcalloc(h->blocks + 1, sizeof *first), *block_at = NULL, nbra = 0, cap = 0, *which = NULL, wcap = 0,
           nw = 0;
  for (uint32_t b = 0; b < h->blocks; b++) {
    first[b] = k->c->n;
    for (uint32_t j = 0; j < 1 + pick(&s, h->length); j++) random_insn(k, &s, h);
    if (h->temps && pick(&s, 3) == 0) random_temps(k, &s, h);
    if (pick(&s, 2)) st(k, T_U32, k->c->n, R(pick(&s, h->singles)));
    uint32_t kind = pick(&s, 10), p = h->singles + h->pairs + pick(&s, h->preds);
    if (kind < 7) {
      VEC_PUSH(block_at, nbra, cap) = k->c->n;
      VEC_PUSH(which, nw, wcap) = pick(&s, h->blocks + 1);
      if (kind == 0) bra(k, 0);
      else brap(k, 0, p)->guard.neg = (uint8_t)pick(&s, 2);
    } else if (kind == 7) {
      add(k, OP_EXIT, T_NONE)->guard = P(p);
    }
  }
  first[h->blocks] = k->c->n;
  /* at the end all is stored, so that much is live throughout */
  for (uint32_t v = 0; v < h->singles; v++) st(k, T_U32, k->c->n, R(v));
  for (uint32_t v = 0; v < h->pairs; v++) st(k, T_U64, k->c->n, D(h->singles + v));
  add(k, OP_EXIT, T_NONE);
  for (uint32_t j = 0; j < nbra; j++) k->c->insn[block_at[j]].target = first[which[j]];
  free(first);
  free(block_at);
  free(which);
  make_done(k);
}

#endif
