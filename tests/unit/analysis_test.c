/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis: dominators against brute force, liveness against a second way to compute it, and allocation by running the
 * same program in virtual and in physical registers with an interpreter of a few operations that shares nothing with
 * exec/. Programs are random graphs with pairs, predicates, guarded writes, halves and loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/internal.h"
#include "base/bits.h"

/* ---- making code ---- */

struct make {
  struct module *m;
  struct code *c;
  uint32_t cap, vcap;
};

static void make_begin(struct make *k) {
  k->m = xcalloc(1, sizeof *k->m);
  k->m->kernel = k->c = arena_alloc(&k->m->arena, sizeof *k->c);
  k->m->nkernel = 1;
  *k->c = (struct code){ .name = "k", .file = "k.ptx", .line = 3, .param_bytes = 64 };
  k->cap = k->vcap = 0;
}

static uint32_t reg(struct make *k, uint8_t words) {
  VEC_PUSH(k->c->vreg, k->c->nvreg, k->vcap) = (struct vreg){ words, NULL };
  return k->c->nvreg - 1;
}

static struct opnd R(uint32_t r) { return (struct opnd){ .kind = O_REG, .words = 1, .reg = r }; }
static struct opnd D(uint32_t r) { return (struct opnd){ .kind = O_REG, .words = 2, .reg = r }; }
static struct opnd P(uint32_t r) { return (struct opnd){ .kind = O_PRED, .reg = r }; }
static struct opnd I(uint64_t x) { return (struct opnd){ .kind = O_IMM, .words = 1, .imm = x }; }
static struct opnd I2(uint64_t x) { return (struct opnd){ .kind = O_IMM, .words = 2, .imm = x }; }
static struct opnd C(uint32_t at, uint8_t words) {
  return (struct opnd){ .kind = O_CBANK, .words = words, .reg = at };
}

static struct insn *add(struct make *k, uint8_t op, uint8_t type) {
  struct insn *i = &VEC_PUSH(k->c->insn, k->c->n, k->cap);
  *i = (struct insn){ .op = op, .type = type, .vec = 1, .line = 100 + k->c->n };
  return i;
}

static struct insn *op1(struct make *k, uint8_t op, uint8_t type, struct opnd d, struct opnd a) {
  struct insn *i = add(k, op, type);
  i->dst[i->ndst++] = d;
  i->src[i->nsrc++] = a;
  return i;
}

static struct insn *op2(struct make *k, uint8_t op, uint8_t type, struct opnd d, struct opnd a, struct opnd b) {
  struct insn *i = op1(k, op, type, d, a);
  i->src[i->nsrc++] = b;
  return i;
}

static struct insn *setp(struct make *k, uint8_t cmp, struct opnd p, struct opnd a, struct opnd b) {
  struct insn *i = op2(k, OP_SETP, T_U32, p, a, b);
  i->cmp = cmp;
  return i;
}

static struct insn *st(struct make *k, uint8_t type, uint64_t at, struct opnd v) {
  struct insn *i = add(k, OP_ST, type);
  i->space = SP_GLOBAL;
  i->src[0] = I2(at);
  i->src[1] = v;
  i->nsrc = 2;
  return i;
}

static struct insn *bra(struct make *k, uint32_t target) {
  struct insn *i = add(k, OP_BRA, T_NONE);
  i->target = target;
  return i;
}

static struct insn *brap(struct make *k, uint32_t target, uint32_t p) {
  struct insn *i = bra(k, target);
  i->guard = P(p);
  return i;
}

/* Moves the growing arrays into the arena, as ptx/ leaves them. */
static void make_done(struct make *k) {
  struct insn *i = arena_alloc(&k->m->arena, (k->c->n + 1) * sizeof *i);
  struct vreg *v = arena_alloc(&k->m->arena, (k->c->nvreg + 1) * sizeof *v);
  memcpy(i, k->c->insn, k->c->n * sizeof *i);
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
  uint32_t *reg;               /* virtual register v at 2 * v; physical r at r */
  uint8_t *pred;
  uint8_t *local;
  uint32_t nstore, steps;
  uint64_t hash;
};

static uint32_t *place(struct machine *x, const struct opnd *o) {
  return x->reg + (x->c->allocated ? o->reg : 2 * o->reg);
}

static uint64_t value(struct machine *x, const struct opnd *o) {
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

static void keep(struct machine *x, const struct opnd *o, uint64_t v) {
  if (o->kind == O_PRED) {
    x->pred[o->reg] = v & 1;
  } else if (o->kind == O_REG) {
    uint32_t *p = place(x, o);
    p[0] = (uint32_t)v;
    if (o->words == 2) p[1] = (uint32_t)(v >> 32);
  }
}

static uint64_t compute(struct machine *x, const struct insn *i) {
  uint64_t a = i->nsrc > 0 ? value(x, &i->src[0]) : 0, b = i->nsrc > 1 ? value(x, &i->src[1]) : 0;
  switch (i->op) {
  case OP_MOV: case OP_CVT: return a;
  case OP_ADD: return a + b;
  case OP_XOR: return a ^ b;
  case OP_FMA: return a * b + value(x, &i->src[2]);
  case OP_SELP: return value(x, &i->src[2]) ? a : b;
  case OP_PACK: return (uint32_t)a | b << 32;
  case OP_SETP: return i->cmp == C_NE ? (uint32_t)a != (uint32_t)b : (uint32_t)a < (uint32_t)b;
  default: fail_msg("operation %u", i->op); return 0;
  }
}

static void execute(struct machine *x, const struct insn *i) {
  if (i->op == OP_ST && i->space == SP_GLOBAL) {
    uint64_t rec[2] = { i->src[0].imm, value(x, &i->src[1]) };
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
static uint64_t interpret(const struct code *c, uint64_t seed, uint32_t *stores) {
  struct machine x = { .c = c, .hash = FNV_START };
  size_t n = c->allocated ? c->nreg : 2 * (size_t)c->nvreg;
  x.reg = xcalloc(n + 1, sizeof *x.reg);
  x.pred = xcalloc((c->allocated ? c->npred : c->nvreg) + 1, 1);
  x.local = xcalloc(c->local_bytes + 8, 1);
  for (size_t k = 0; k < n; k++) x.reg[k] = (uint32_t)rng_next(&seed);   /* nothing may depend on it */
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

struct shape { uint32_t singles, pairs, preds, blocks, length; };

static uint32_t pick(uint64_t *s, uint32_t n) { return (uint32_t)(rng_next(s) >> 33) % n; }

static struct opnd any32(uint64_t *s, const struct shape *h) {
  return pick(s, 8) == 0 ? I(rng_next(s) & 0xffffffff) : pick(s, 12) == 0 ? C(4 * pick(s, 8), 1) : R(pick(s, h->singles));
}

static struct opnd any64(uint64_t *s, const struct shape *h) {
  return pick(s, 8) == 0 ? I2(rng_next(s)) : D(h->singles + pick(s, h->pairs));
}

static void random_insn(struct make *k, uint64_t *s, const struct shape *h) {
  uint32_t r = pick(s, h->singles), d = h->singles + pick(s, h->pairs), p = h->singles + h->pairs + pick(s, h->preds);
  struct opnd q = P(h->singles + h->pairs + pick(s, h->preds));
  struct insn *i;
  switch (pick(s, 15)) {
  case 0: i = op2(k, OP_ADD, T_U32, R(r), any32(s, h), any32(s, h)); break;
  case 1: i = op2(k, OP_XOR, T_B32, R(r), any32(s, h), any32(s, h)); break;
  case 2: i = op2(k, OP_ADD, T_U64, D(d), any64(s, h), any64(s, h)); break;
  case 3: i = op1(k, OP_MOV, T_B32, R(r), any32(s, h)); break;
  case 4: i = op1(k, OP_MOV, T_B64, D(d), any64(s, h)); break;
  case 5: i = op2(k, OP_PACK, T_B64, D(d), any32(s, h), any32(s, h)); break;
  case 6:
    i = op1(k, OP_UNPACK, T_B64, R(r), D(d));
    i->dst[i->ndst++] = R((r + 1) % h->singles);
    break;
  case 7:
    i = op1(k, OP_CVT, T_U32, R(r), D(d));
    i->stype = T_U64;
    break;
  case 8:
    i = op2(k, OP_SELP, T_B32, R(r), any32(s, h), any32(s, h));
    i->src[i->nsrc++] = q;
    break;
  case 9: case 10: i = setp(k, pick(s, 2) ? C_NE : C_LT, P(p), any32(s, h), any32(s, h)); break;
  case 11:
    i = op1(k, OP_MOV, T_PRED, P(p), q);
    i->src[0].neg = (uint8_t)pick(s, 2);
    break;
  case 12:
    i = op2(k, OP_FMA, T_U64, D(d), any64(s, h), any64(s, h));
    i->src[i->nsrc++] = any64(s, h);
    break;
  case 13: i = st(k, T_U32, k->c->n, R(r)); break;
  default: i = st(k, T_U64, k->c->n, D(d)); break;
  }
  if (pick(s, 5) == 0) {
    i->guard = P(h->singles + h->pairs + pick(s, h->preds));
    i->guard.neg = (uint8_t)pick(s, 2);
  }
}

static void random_program(struct make *k, uint64_t seed, const struct shape *h) {
  uint64_t s = seed;
  make_begin(k);
  for (uint32_t v = 0; v < h->singles; v++) reg(k, 1);
  for (uint32_t v = 0; v < h->pairs; v++) reg(k, 2);
  for (uint32_t v = 0; v < h->preds; v++) reg(k, 0);
  for (uint32_t v = 0; v < h->singles; v++)
    op1(k, OP_MOV, T_B32, R(v), pick(&s, 3) ? I(rng_next(&s) & 0xffff) : C(4 * v % 64, 1));
  for (uint32_t v = 0; v < h->pairs; v++) op1(k, OP_MOV, T_B64, D(h->singles + v), I2(rng_next(&s)));
  for (uint32_t v = 0; v < h->preds; v++) setp(k, C_LT, P(h->singles + h->pairs + v), R(v % h->singles), I(0x8000));
  uint32_t *first = xcalloc(h->blocks + 1, sizeof *first), *block_at = NULL, nbra = 0, cap = 0, *which = NULL, wcap = 0, nw = 0;
  for (uint32_t b = 0; b < h->blocks; b++) {
    first[b] = k->c->n;
    for (uint32_t j = 0; j < 1 + pick(&s, h->length); j++) random_insn(k, &s, h);
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

/* ---- what must hold of every allocated kernel ---- */

static void check_notes(const struct code *c) {
  struct live l;
  assert_true(c->allocated && c->nreg >= 1 && c->nreg <= 255 && c->npred <= 16);
  live_build(c, &l);
  for (uint32_t i = 0; i < c->n; i++) {
    const struct insn *in = &c->insn[i];
    assert_memory_equal(c->live[i], l.in + (size_t)i * l.words, sizeof c->live[i]);
    assert_true(c->reconv[i] <= c->n);
    if (in->op != OP_BRA) assert_int_equal(c->reconv[i], c->n);
    else assert_true(in->target < c->n);
    const struct op *o = &c->op[i];
    assert_int_equal(o->pc, 8 * i);
    assert_int_equal(o->line, in->line);
    uint64_t need[4] = {0, 0, 0, 0};
    for (unsigned k = 0; k < o->nsrc; k++) set_add(need, o->src[k]);
    for (unsigned k = 0; k < o->ndst; k++) set_add(need, o->dst[k]);
    assert_memory_equal(need, o->need, sizeof need);
    /* a last use: not live before any next instruction, unless written here */
    for (unsigned k = 0; k < o->nsrc; k++) {
      bool again = false, written = false;
      for (unsigned d = 0; d < o->ndst; d++) written |= o->dst[d] == o->src[k] && in->guard.kind != O_PRED;
      bool falls = !((in->op == OP_BRA || in->op == OP_EXIT) && in->guard.kind != O_PRED);
      if (falls && i + 1 < c->n) again |= set_has(c->live[i + 1], o->src[k]);
      if (in->op == OP_BRA) again |= set_has(c->live[in->target], o->src[k]);
      if (again && !written) assert_false(o->dead >> k & 1);
    }
  }
  live_free(&l);
}

static void run_both(uint64_t seed, const struct shape *h, uint32_t regs) {
  struct make a, b;
  struct err e = {0};
  uint32_t na, nb;
  random_program(&a, seed, h);
  random_program(&b, seed, h);
  if (!alloc_kernel(b.m, b.c, regs, &e)) fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
  check_notes(b.c);
  if (regs) assert_int_equal(b.c->nreg, regs);
  uint64_t want = interpret(a.c, 1, &na), got = interpret(b.c, 2, &nb);
  if (na != nb || want != got)
    fail_msg("seed %llu regs %u: %u stores, %u after allocation", (unsigned long long)seed, regs, na, nb);
  module_free(a.m);
  module_free(b.m);
}

static void random_programs(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 120; seed++) {
    struct shape h = { 3 + (uint32_t)(seed * 7 % 20), 1 + (uint32_t)(seed % 9), 1 + (uint32_t)(seed % 7),
                       1 + (uint32_t)(seed % 12), 12 };
    run_both(seed, &h, 0);
    run_both(seed, &h, 8 + (uint32_t)(seed % 11));
    run_both(seed, &h, 8);
    run_both(seed, &h, 100);
  }
}

static void random_predicates(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    struct shape h = { 6, 3, 15 + (uint32_t)(seed % 30), 1 + (uint32_t)(seed % 8), 40 };
    run_both(1000 + seed, &h, 0);
    run_both(1000 + seed, &h, 9);
  }
}

static void random_large(void **state) {
  (void)state;
  struct shape h = { 300, 80, 20, 60, 60 };
  run_both(5, &h, 0);
  run_both(6, &h, 0);
  run_both(7, &h, 40);
}

/* ---- colouring against liveness computed another way ---- */

static bool overlap(const struct work *w, uint32_t a, uint32_t b) {
  if ((w->words[a] == 0) != (w->words[b] == 0)) return false;
  uint32_t ea = w->phys[a] + (w->words[a] == 2 ? 2 : 1), eb = w->phys[b] + (w->words[b] == 2 ? 2 : 1);
  return w->phys[a] < eb && w->phys[b] < ea;
}

static void colors_do_not_clash(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    struct shape h = { 5 + (uint32_t)seed, 4, 5, 1 + (uint32_t)seed, 10 };
    struct make k;
    random_program(&k, seed + 500, &h);
    struct insn *kept = k.c->insn;
    struct work w = { .m = k.m, .c = k.c, .budget = 1000000 };
    for (uint32_t v = 0; v < k.c->nvreg; v++) work_reg(&w, k.c->vreg[v].words, false);
    work_ranges(&w);
    uint32_t *fail = xcalloc(w.nv, sizeof *fail), nfail, used, preds;
    used = color_search(&w, true, 16, fail, &nfail);
    assert_int_equal(nfail, 0);
    used = color_search(&w, false, 255, fail, &nfail);
    assert_int_equal(nfail, 0);
    assert_true(used >= live_pressure(k.c, &preds));
    struct live l;
    live_build(k.c, &l);
    for (uint32_t i = 0; i < k.c->n; i++) {
      const struct opnd *wr[INSN_DST];
      unsigned nw = insn_writes(&k.c->insn[i], wr);
      const struct insn *in = &k.c->insn[i];
      for (uint32_t v = 0; v < w.nv; v++) {
        bool after = in->op != OP_EXIT && in->op != OP_BRA && set_has(l.in + (size_t)(i + 1) * l.words, v);
        for (unsigned j = 0; j < nw; j++)
          if (after && v != wr[j]->reg) assert_false(overlap(&w, v, wr[j]->reg));
        for (uint32_t u = 0; u < v; u++)
          if (set_has(l.in + (size_t)i * l.words, v) && set_has(l.in + (size_t)i * l.words, u))
            assert_false(overlap(&w, u, v));
      }
    }
    live_free(&l);
    assert_ptr_equal(kept, k.c->insn);
    free(fail);
    free(w.words);
    free(w.temp);
    free(w.phys);
    free(w.depth);
    ranges_free(&w.r);
    module_free(k.m);
  }
}

static void ranges_agree_with_sets(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct shape h = { seed % 5 == 0 ? 1100 : 4 + (uint32_t)seed, 3, 4, 1 + (uint32_t)seed / 2, 9 };
    struct make k;
    random_program(&k, seed + 900, &h);
    struct graph g;
    struct ranges r;
    struct live l;
    graph_build(k.c, &g);
    ranges_build(k.c, &g, k.c->nvreg, &r);
    live_build(k.c, &l);
    for (uint32_t v = 0; v < k.c->nvreg; v++) {
      uint32_t s = r.start[v];
      for (uint32_t p = 0; p < k.c->n; p++) {
        const struct insn *in = &k.c->insn[p];
        const struct opnd *wr[INSN_DST];
        bool want = false;
        if (!(in->guard.kind != O_PRED && (in->op == OP_BRA || in->op == OP_EXIT)))
          want |= set_has(l.in + (size_t)(p + 1) * l.words, v);
        if (in->op == OP_BRA) want |= set_has(l.in + (size_t)in->target * l.words, v);
        unsigned nw = insn_writes(in, wr);
        for (unsigned j = 0; j < nw; j++) want |= wr[j]->reg == v;
        while (s < r.start[v + 1] && r.seg[s].to <= p) s++;
        bool got = s < r.start[v + 1] && r.seg[s].from <= p;
        if (p >= k.c->nvreg) assert_int_equal(want, got);     /* behind the initialisation */
      }
    }
    live_free(&l);
    ranges_free(&r);
    graph_free(&g);
    module_free(k.m);
  }
}

/* ---- dominators ---- */

/* Blocks reached from `from` without passing `without`. */
static void reach(const struct graph *g, uint32_t from, uint32_t without, bool back, uint8_t *seen) {
  uint32_t *stack = xcalloc(g->n + 1, sizeof *stack), n = 0;
  memset(seen, 0, g->n);
  if (from != without) {
    seen[from] = 1;
    stack[n++] = from;
  }
  while (n) {
    const struct block *b = &g->block[stack[--n]];
    uint32_t m = back ? b->npred : b->nsucc;
    for (uint32_t s = 0; s < m; s++) {
      uint32_t to = back ? b->pred[s] : b->succ[s];
      if (to == without || seen[to]) continue;
      seen[to] = 1;
      stack[n++] = to;
    }
  }
  free(stack);
}

/* x dominates y: y is reached, but not without x. The immediate one is dominated by all the others. */
static void brute(const struct graph *g, uint32_t root, bool back, uint32_t *idom) {
  uint8_t *dom = xcalloc((size_t)g->n * g->n + 1, 1), *all = xcalloc(g->n + 1, 1), *seen = xcalloc(g->n + 1, 1);
  reach(g, root, g->n, back, all);
  for (uint32_t x = 0; x < g->n; x++) {
    reach(g, root, x, back, seen);
    for (uint32_t y = 0; y < g->n; y++) dom[(size_t)x * g->n + y] = all[y] && all[x] && !seen[y];
  }
  for (uint32_t y = 0; y < g->n; y++) {
    idom[y] = g->n;
    for (uint32_t x = 0; x < g->n; x++) {
      if (x == y || !dom[(size_t)x * g->n + y]) continue;
      if (idom[y] == g->n || dom[(size_t)idom[y] * g->n + x]) idom[y] = x;
    }
  }
  free(dom);
  free(all);
  free(seen);
}

static void dominators_random(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 150; seed++) {
    uint64_t s = seed;
    struct make k;
    make_begin(&k);
    uint32_t p = reg(&k, 0), n = 2 + pick(&s, 30);
    for (uint32_t b = 0; b < n; b++) {
      add(&k, OP_MEMBAR, T_NONE);
      uint32_t kind = pick(&s, 6);
      if (kind == 0) bra(&k, 2 * pick(&s, n));
      else if (kind < 5) brap(&k, 2 * pick(&s, n), p);
      else add(&k, OP_MEMBAR, T_NONE);
    }
    add(&k, OP_EXIT, T_NONE);                  /* the only exit */
    make_done(&k);
    struct graph g;
    graph_build(k.c, &g);
    uint32_t *got = xcalloc(g.n, sizeof *got), *want = xcalloc(g.n, sizeof *want);
    dom_build(&g, got);
    brute(&g, 0, false, want);
    assert_memory_equal(got, want, g.n * sizeof *got);
    pdom_build(&g, got);
    brute(&g, g.n - 1, true, want);
    assert_memory_equal(got, want, g.n * sizeof *got);
    free(got);
    free(want);
    graph_free(&g);
    module_free(k.m);
  }
}

static void graph_shapes(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  uint32_t p = reg(&k, 0), a = reg(&k, 1);
  setp(&k, C_NE, P(p), C(0, 1), I(0));          /* 0  B0 */
  brap(&k, 4, p);                               /* 1 */
  op1(&k, OP_MOV, T_U32, R(a), I(1));           /* 2  B1 */
  bra(&k, 5);                                   /* 3 */
  op1(&k, OP_MOV, T_U32, R(a), I(2));           /* 4  B2 */
  st(&k, T_U32, 0, R(a));                       /* 5  B3 */
  brap(&k, 7, p);                               /* 6 to the next one: one successor */
  add(&k, OP_EXIT, T_NONE)->guard = P(p);       /* 7  B4 */
  bra(&k, 5);                                   /* 8  B5 */
  add(&k, OP_EXIT, T_NONE);                     /* 9  B6, not reached */
  make_done(&k);
  struct graph g;
  uint32_t idom[7], ipdom[7];
  graph_build(k.c, &g);
  assert_int_equal(g.n, 7);
  assert_int_equal(g.block[0].nsucc, 2);
  assert_int_equal(g.block[0].succ[0], 1);
  assert_int_equal(g.block[0].succ[1], 2);
  assert_int_equal(g.block[3].nsucc, 1);
  assert_int_equal(g.block[3].npred, 3);
  assert_int_equal(g.block[4].leave, LEAVE_SOME);
  assert_int_equal(g.block[6].leave, LEAVE_EXIT);
  assert_int_equal(g.block_of[5], 3);
  dom_build(&g, idom);
  pdom_build(&g, ipdom);
  assert_int_equal(idom[3], 0);
  assert_int_equal(idom[5], 4);
  assert_int_equal(idom[6], 7);
  assert_int_equal(ipdom[0], 3);
  assert_int_equal(ipdom[3], 4);
  assert_int_equal(ipdom[4], 7);
  graph_free(&g);
  module_free(k.m);
}

/* if (a) { if (b) return; } barrier: the lanes that stay meet before the barrier. */
static void early_return_meets(void **state) {
  (void)state;
  struct make k;
  struct err e = {0};
  make_begin(&k);
  uint32_t a = reg(&k, 0), b = reg(&k, 0);
  setp(&k, C_NE, P(a), C(0, 1), I(0));          /* 0 */
  setp(&k, C_NE, P(b), C(4, 1), I(0));          /* 1 */
  brap(&k, 5, a);                               /* 2 */
  brap(&k, 7, b);                               /* 3 */
  st(&k, T_U32, 0, I(1));                       /* 4 */
  add(&k, OP_BAR, T_NONE);                      /* 5 */
  add(&k, OP_EXIT, T_NONE);                     /* 6 */
  add(&k, OP_EXIT, T_NONE);                     /* 7 */
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->n, 8);
  assert_int_equal(k.c->reconv[2], 5);
  assert_int_equal(k.c->reconv[3], 4);
  module_free(k.m);

  make_begin(&k);
  a = reg(&k, 0), b = reg(&k, 0);
  setp(&k, C_NE, P(a), C(0, 1), I(0));          /* 0 */
  setp(&k, C_NE, P(b), C(4, 1), I(0));          /* 1 */
  brap(&k, 6, a);                               /* 2 */
  brap(&k, 5, b);                               /* 3 */
  bra(&k, 6);                                   /* 4 */
  add(&k, OP_EXIT, T_NONE);                     /* 5 */
  add(&k, OP_BAR, T_NONE);                      /* 6 */
  add(&k, OP_EXIT, T_NONE);                     /* 7 */
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->reconv[2], 6);
  assert_int_equal(k.c->reconv[3], 4);
  assert_int_equal(k.c->npred, 2);
  module_free(k.m);
}

/* ---- allocation, by hand ---- */

/* s = 0; do s = s + x[i], i = i + 1 while i < n, as compilers write it: a move per loop variable at the back edge. */
static void loop_coalesces(void **state) {
  (void)state;
  struct make k;
  struct err e = {0};
  make_begin(&k);
  uint32_t s = reg(&k, 1), i = reg(&k, 1), s2 = reg(&k, 1), i2 = reg(&k, 1), n = reg(&k, 1), p = reg(&k, 0);
  op1(&k, OP_MOV, T_B32, R(n), C(8, 1));        /* folded away */
  op1(&k, OP_MOV, T_B32, R(s), I(0));
  op1(&k, OP_MOV, T_B32, R(i), I(0));
  op2(&k, OP_ADD, T_U32, R(s2), R(s), R(i));    /* 3 */
  op2(&k, OP_ADD, T_U32, R(i2), R(i), I(1));
  setp(&k, C_LT, P(p), R(i2), R(n));
  op1(&k, OP_MOV, T_B32, R(s), R(s2));
  op1(&k, OP_MOV, T_B32, R(i), R(i2));
  brap(&k, 3, p);
  st(&k, T_U32, 0, R(s2));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->n, 8);                  /* all moves but the two that start the loop are gone */
  assert_int_equal(k.c->nreg, 2);
  assert_int_equal(k.c->npred, 1);
  assert_int_equal(k.c->maxlive, 2);
  assert_int_equal(k.c->insn[4].src[1].kind, O_CBANK);
  assert_int_equal(k.c->insn[5].target, 2);
  assert_int_equal(k.c->insn[5].line, 109);
  assert_int_equal(k.c->reconv[5], 6);
  assert_int_equal(k.c->spills, 0);
  check_notes(k.c);
  module_free(k.m);
}

/* A swap through moves in a loop must not be merged into one register. */
static void swap_stays(void **state) {
  (void)state;
  struct make k[2];
  struct err e = {0};
  for (int j = 0; j < 2; j++) {
    make_begin(&k[j]);
    uint32_t a = reg(&k[j], 1), b = reg(&k[j], 1), t = reg(&k[j], 1), n = reg(&k[j], 1), p = reg(&k[j], 0);
    op1(&k[j], OP_MOV, T_B32, R(a), I(5));
    op1(&k[j], OP_MOV, T_B32, R(b), I(9));
    op1(&k[j], OP_MOV, T_B32, R(n), I(0));
    op1(&k[j], OP_MOV, T_B32, R(t), R(a));      /* 3 */
    op1(&k[j], OP_MOV, T_B32, R(a), R(b));
    op1(&k[j], OP_MOV, T_B32, R(b), R(t));
    st(&k[j], T_U32, 4, R(a));
    st(&k[j], T_U32, 8, R(b));
    op2(&k[j], OP_ADD, T_U32, R(n), R(n), I(1));
    setp(&k[j], C_LT, P(p), R(n), I(7));
    brap(&k[j], 3, p);
    add(&k[j], OP_EXIT, T_NONE);
    make_done(&k[j]);
  }
  assert_true(alloc_kernel(k[1].m, k[1].c, 0, &e));
  uint32_t na, nb;
  assert_true(interpret(k[0].c, 1, &na) == interpret(k[1].c, 2, &nb));
  assert_int_equal(na, 14);
  module_free(k[0].m);
  module_free(k[1].m);
}

/* A pointer parameter used as an address keeps its pair; in arithmetic it is a constant operand. */
static void parameters_fold(void **state) {
  (void)state;
  struct make k;
  struct err e = {0};
  make_begin(&k);
  uint32_t p = reg(&k, 2), q = reg(&k, 2), x = reg(&k, 1), y = reg(&k, 1), t = reg(&k, 1), o = reg(&k, 2);
  struct insn *i = op1(&k, OP_LD, T_U64, D(p), I2(8));            /* ld.param.u64 */
  i->space = SP_PARAM;
  op1(&k, OP_CVT, T_S64, D(q), D(p))->stype = T_U64;              /* changes nothing */
  op1(&k, OP_MOV, T_U32, R(t), (struct opnd){ .kind = O_SREG, .words = 1, .reg = SR_TID_X });
  i = op2(&k, OP_MUL, T_U32, D(o), R(t), I(4));
  i->mods = M_WIDE;
  op2(&k, OP_ADD, T_U64, D(o), D(q), D(o));
  i = op1(&k, OP_LD, T_U32, R(x), D(o));
  i->space = SP_GLOBAL;
  i = op1(&k, OP_LD, T_U32, R(y), D(q));
  i->space = SP_GLOBAL;
  i->offset = 16;
  op2(&k, OP_ADD, T_U32, R(x), R(x), R(y));
  st(&k, T_U32, 0, R(x));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->n, 9);                   /* the conversion is gone, the move of the address stays */
  assert_int_equal(k.c->insn[0].op, OP_MOV);
  assert_int_equal(k.c->insn[0].src[0].kind, O_CBANK);
  assert_int_equal(k.c->insn[0].src[0].reg, 8);
  assert_int_equal(k.c->insn[3].src[0].kind, O_CBANK);
  assert_int_equal(k.c->insn[5].src[0].kind, O_REG);
  assert_int_equal(k.c->nreg, 4);
  check_notes(k.c);
  module_free(k.m);
}

static void halves_share_their_pair(void **state) {
  (void)state;
  struct make k;
  struct err e = {0};
  make_begin(&k);
  uint32_t d = reg(&k, 2), lo = reg(&k, 1), hi = reg(&k, 1), f = reg(&k, 2);
  op2(&k, OP_ADD, T_U64, D(d), C(0, 2), I2(3));
  struct insn *i = op1(&k, OP_UNPACK, T_B64, R(lo), D(d));
  i->dst[i->ndst++] = R(hi);
  op2(&k, OP_ADD, T_U32, R(lo), R(lo), I(1));
  op2(&k, OP_PACK, T_B64, D(f), R(lo), R(hi));
  st(&k, T_U64, 0, D(f));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->n, 4);
  assert_int_equal(k.c->nreg, 2);
  module_free(k.m);
}

static void many_predicates(struct make *k, uint32_t n) {
  make_begin(k);
  uint32_t acc = reg(k, 1), p0 = 1;
  for (uint32_t j = 0; j < n; j++) reg(k, 0);
  op1(k, OP_MOV, T_B32, R(acc), I(0));
  for (uint32_t j = 0; j < n; j++) setp(k, j % 2 ? C_NE : C_LT, P(p0 + j), C(4 * (j % 16), 1), I(400 + 60 * j));
  for (uint32_t j = 0; j < n; j++) op2(k, OP_ADD, T_U32, R(acc), R(acc), I(1u << (j % 31)))->guard = P(p0 + j);
  st(k, T_U32, 0, R(acc));
  add(k, OP_EXIT, T_NONE);
  make_done(k);
}

static void predicates_spill(void **state) {
  (void)state;
  struct err e = {0};
  for (uint32_t n = 14; n < 60; n += 9) {
    struct make a, b;
    uint32_t na, nb, preds;
    many_predicates(&a, n);
    many_predicates(&b, n);
    assert_int_equal(live_pressure(a.c, &preds), 1);
    assert_int_equal(preds, n);
    assert_true(alloc_kernel(b.m, b.c, 0, &e));
    assert_true(b.c->npred <= 16);
    if (n <= 16) assert_int_equal(b.c->nreg, 1);
    assert_true(interpret(a.c, 1, &na) == interpret(b.c, 2, &nb));
    assert_int_equal(na, 1);
    check_notes(b.c);
    module_free(a.m);
    module_free(b.m);
  }
}

static void forced_counts(void **state) {
  (void)state;
  struct shape h = { 30, 8, 2, 10, 40 };
  struct make k;
  struct err e = {0};
  char text[1200];
  random_program(&k, 42, &h);
  assert_false(alloc_kernel(k.m, k.c, 3, &e));
  assert_false(k.c->allocated);
  err_format(&e, text, sizeof text);
  assert_non_null(strstr(text, "k.ptx:3: error: kernel 'k': found regs 3, expected at least "));
  e = (struct err){0};
  assert_false(alloc_kernel(k.m, k.c, 256, &e));
  assert_non_null(strstr(e.text, "at most 255"));
  e = (struct err){0};
  k.c->maxnreg = 16;
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_true(k.c->nreg <= 16 && k.c->spills > 0 && k.c->local_bytes > 0);
  assert_int_equal(k.c->local_bytes % 4, 0);
  module_free(k.m);

  random_program(&k, 42, &h);                  /* the launch file's number goes before .maxnreg */
  k.c->maxnreg = 16;
  assert_true(alloc_kernel(k.m, k.c, 200, &e));
  assert_int_equal(k.c->nreg, 200);
  assert_int_equal(k.c->spills, 0);
  module_free(k.m);
}

/* Reading what nobody wrote, code that nothing reaches, an endless loop: no harm. */
static void odd_code(void **state) {
  (void)state;
  struct make k;
  struct err e = {0};
  make_begin(&k);
  uint32_t d = reg(&k, 2), r = reg(&k, 1), p = reg(&k, 0);
  st(&k, T_U64, 0, D(d));
  op1(&k, OP_MOV, T_B32, R(r), I(1))->guard = P(p);
  st(&k, T_U32, 8, R(r));
  bra(&k, 0);
  st(&k, T_U32, 16, R(r));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->n, 4);
  assert_int_equal(k.c->nreg, 2);
  assert_int_equal(k.c->reconv[3], 4);
  check_notes(k.c);
  module_free(k.m);
}

/* ---- timing view and text ---- */

static void classes_and_bits(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  struct insn *i;
  op2(&k, OP_ADD, T_U32, R(1), R(2), R(3));                                   /* 0 */
  op2(&k, OP_ADD, T_F64, D(2), D(4), D(6));
  op2(&k, OP_ADD, T_F32, R(1), R(2), R(3));
  op2(&k, OP_MUL, T_U32, D(2), R(3), R(4))->mods = M_WIDE;
  op2(&k, OP_DIV, T_F32, R(1), R(2), R(3))->rnd = R_RN;
  op2(&k, OP_DIV, T_F32, R(1), R(2), R(3))->mods = M_FULL;                    /* 5 */
  op2(&k, OP_REM, T_S32, R(1), R(2), R(3));
  op1(&k, OP_SQRT, T_F64, D(2), D(4));
  op1(&k, OP_CVT, T_F32, R(1), R(2))->stype = T_S32;
  op1(&k, OP_CVT, T_F64, D(2), R(2))->stype = T_F32;
  op1(&k, OP_CVT, T_U64, D(2), R(2))->stype = T_U32;                          /* 10 */
  op1(&k, OP_MOV, T_F64, D(2), D(4));
  i = op1(&k, OP_LD, T_F32, R(4), D(8));
  i->space = SP_GLOBAL;
  i->mods = M_VOLATILE;
  i->vec = 4;
  for (uint32_t v = 5; v < 8; v++) i->dst[i->ndst++] = R(v);
  i = op2(&k, OP_ATOM, T_U64, D(2), D(8), D(10));
  i->src[i->nsrc++] = D(12);
  i->space = SP_GLOBAL;
  i->sub = ATOM_CAS;
  i = setp(&k, C_LT, P(3), R(1), I(5));
  i->guard = P(1);
  i->src[0].last = 1;
  add(&k, OP_EXIT, T_NONE);                                                   /* 15 */
  make_done(&k);
  k.c->allocated = true;
  op_build(k.m, k.c);
  const uint8_t want[] = { CLS_INT, CLS_DP, CLS_SP, CLS_IMUL, CLS_DIV, CLS_SFU, CLS_DIV, CLS_DIV, CLS_SFU, CLS_DP,
                           CLS_INT, CLS_INT, CLS_LSU, CLS_LSU, CLS_INT, CLS_CTRL };
  for (unsigned j = 0; j < sizeof want; j++) assert_int_equal(k.c->op[j].cls, want[j]);
  const struct op *o = &k.c->op[12];
  assert_int_equal((uintptr_t)o % 64, 0);
  assert_int_equal(o->kind, K_LOAD | K_BYPASS);
  assert_int_equal(o->bytes, 16);
  assert_int_equal(o->nsrc, 2);
  assert_int_equal(o->src[0], 8);
  assert_int_equal(o->src[1], 9);
  assert_int_equal(o->ndst, 4);
  assert_true(o->need[0] == 0x3f0);
  o = &k.c->op[13];
  assert_int_equal(o->kind, K_ATOMIC);
  assert_int_equal(o->nsrc, 6);
  assert_int_equal(o->ndst, 2);
  assert_int_equal(o->bytes, 8);
  o = &k.c->op[14];
  assert_int_equal(o->pneed, 0xa);
  assert_int_equal(o->pdst, 8);
  assert_int_equal(o->dead, 1);
  assert_int_equal(k.c->op[15].kind, K_EXIT);

  char text[128];
  const char *const lines[] = { "add.u32 R1, R2, R3", "add.f64 R2:3, R4:5, R6:7", "add.f32 R1, R2, R3",
                                "mul.wide.u32 R2:3, R3, R4", "div.rn.f32 R1, R2, R3" };
  for (unsigned j = 0; j < 5; j++) {
    insn_print(k.c, j, text, sizeof text);
    assert_string_equal(text, lines[j]);
  }
  insn_print(k.c, 12, text, sizeof text);
  assert_string_equal(text, "ld.volatile.global.v4.f32 {R4, R5, R6, R7}, [R8:9]");
  insn_print(k.c, 14, text, sizeof text);
  assert_string_equal(text, "@P1 setp.lt.u32 P3, R1, 5");
  insn_print(k.c, 12, text, 10);
  assert_string_equal(text, "ld.volati");
  module_free(k.m);
}

static void names(void **state) {
  (void)state;
  for (unsigned k = 0; k < OP_COUNT; k++) assert_non_null(opcode_name((enum opcode)k));
  for (unsigned k = 0; k < T_COUNT; k++) assert_non_null(dtype_name((enum dtype)k));
  for (unsigned k = 0; k < SR_COUNT; k++) assert_int_equal(sreg_name((enum sreg)k)[0], '%');
  assert_int_equal(dtype_bytes(T_F16X2), 4);
  assert_true(dtype_signed(T_S8) && !dtype_signed(T_U8) && dtype_float(T_BF16) && !dtype_float(T_B64));
}

static char *capture(void (*fn)(const struct code *, FILE *), const struct code *c) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  fn(c, f);
  fclose(f);
  return text;
}

static void report(void **state) {
  (void)state;
  struct shape h = { 12, 3, 3, 6, 6 };
  struct make k;
  struct err e = {0};
  random_program(&k, 77, &h);
  char *text = capture(analyze_text, k.c);
  assert_non_null(strstr(text, "not allocated; at most"));
  free(text);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  text = capture(analyze_text, k.c);
  assert_non_null(strstr(text, "kernel k (k.ptx:3)"));
  assert_non_null(strstr(text, "B0  from entry"));
  assert_non_null(strstr(text, "meets at"));
  free(text);
  text = capture(analyze_dot, k.c);
  assert_non_null(strstr(text, "digraph \"k\" {"));
  assert_non_null(strstr(text, "label=\"taken\""));
  assert_non_null(strstr(text, "style=dashed"));
  free(text);
  module_free(k.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names), cmocka_unit_test(graph_shapes), cmocka_unit_test(dominators_random),
    cmocka_unit_test(early_return_meets), cmocka_unit_test(ranges_agree_with_sets),
    cmocka_unit_test(colors_do_not_clash), cmocka_unit_test(loop_coalesces), cmocka_unit_test(swap_stays),
    cmocka_unit_test(parameters_fold), cmocka_unit_test(halves_share_their_pair), cmocka_unit_test(predicates_spill),
    cmocka_unit_test(forced_counts), cmocka_unit_test(odd_code), cmocka_unit_test(classes_and_bits),
    cmocka_unit_test(report), cmocka_unit_test(random_programs), cmocka_unit_test(random_predicates),
    cmocka_unit_test(random_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
