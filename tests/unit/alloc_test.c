/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc: the same program in virtual and in physical registers must store the same values. Programs are
 * random graphs with pairs, halves, predicates, guarded writes and loops, in few and in many registers; and
 * cases by hand.
 */
#include "analysis_make.h"
#include "pressure.h"

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
    struct shape h = {3 + (uint32_t)(seed * 7 % 20),
                      1 + (uint32_t)(seed % 9),
                      1 + (uint32_t)(seed % 7),
                      1 + (uint32_t)(seed % 12),
                      12,
                      seed % 3 > 0};
    run_both(seed, &h, 0);
    run_both(seed, &h, 8 + (uint32_t)(seed % 11));
    run_both(seed, &h, 8);
    run_both(seed, &h, 100);
  }
}

static void random_predicates(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    struct shape h = {6, 3, 15 + (uint32_t)(seed % 30), 1 + (uint32_t)(seed % 8), 40, true};
    run_both(1000 + seed, &h, 0);
    run_both(1000 + seed, &h, 9);
  }
}

static void random_large(void **state) {
  (void)state;
  struct shape h = {300, 80, 20, 60, 60, true};
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
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct shape h = {5 + (uint32_t)seed, 4, 5, 1 + (uint32_t)seed, 10, false};
    struct make k;
    random_program(&k, seed + 500, &h);
    struct insn *kept = k.c->insn;
    struct work w = {.m = k.m, .c = k.c, .budget = 1000000};
    for (uint32_t v = 0; v < k.c->nvreg; v++) work_reg(&w, k.c->vreg[v].words, false);
    work_ranges(&w);
    uint32_t *fail = xcalloc(w.nv, sizeof *fail), nfail, used, preds;
    used = color_search(&w, true, 16, fail, &nfail);
    assert_int_equal(nfail, 0);
    used = color_search(&w, false, 255, fail, &nfail);
    assert_int_equal(nfail, 0);
    assert_true(used >= live_pressure(k.c, &preds));
    struct live l;
    struct graph g;
    live_build(k.c, &l);
    graph_build(k.c, &g);
    for (uint32_t i = 0; i < k.c->n; i++) {
      const struct opnd *wr[INSN_DST];
      unsigned nw = insn_writes(&k.c->insn[i], wr);
      const struct insn *in = &k.c->insn[i];
      for (uint32_t v = 0; v < w.nv; v++) {
        bool after = in->op != OP_EXIT && in->op != OP_BRA && set_has(l.in + (size_t)(i + 1) * l.words, v);
        for (unsigned j = 0; j < nw; j++)
          if (after && v != wr[j]->reg) assert_false(overlap(&w, v, wr[j]->reg));
        if (g.block[g.block_of[i]].first == i && !g.block[g.block_of[i]].npred) continue; /* unreachable */
        for (uint32_t u = 0; u < v; u++)
          if (set_has(l.in + (size_t)i * l.words, v) && set_has(l.in + (size_t)i * l.words, u))
            assert_false(overlap(&w, u, v));
      }
    }
    live_free(&l);
    graph_free(&g);
    assert_ptr_equal(kept, k.c->insn);
    free(fail);
    free(w.words);
    free(w.temp);
    free(w.phys);
    free(w.depth);
    live_ranges_free(&w.r);
    module_free(k.m);
  }
}

/* ---- allocation, by hand ---- */

/* s = 0; do s = s + x[i], i = i + 1 while i < n, as compilers write it: a move per loop variable at the back
 * edge. */
static void loop_coalesces(void **state) {
  (void)state;
  struct make k;
  struct err e = {0};
  make_begin(&k);
  uint32_t s = reg(&k, 1), i = reg(&k, 1), s2 = reg(&k, 1), i2 = reg(&k, 1), n = reg(&k, 1), p = reg(&k, 0);
  op1(&k, OP_MOV, T_B32, R(n), C(8, 1)); /* folded away */
  op1(&k, OP_MOV, T_B32, R(s), I(0));
  op1(&k, OP_MOV, T_B32, R(i), I(0));
  op2(&k, OP_ADD, T_U32, R(s2), R(s), R(i)); /* 3 */
  op2(&k, OP_ADD, T_U32, R(i2), R(i), I(1));
  setp(&k, C_LT, P(p), R(i2), R(n));
  op1(&k, OP_MOV, T_B32, R(s), R(s2));
  op1(&k, OP_MOV, T_B32, R(i), R(i2));
  brap(&k, 3, p);
  st(&k, T_U32, 0, R(s2));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->n, 8); /* all moves but the two that start the loop are gone */
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
    op1(&k[j], OP_MOV, T_B32, R(t), R(a)); /* 3 */
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

/* b takes the place of a; c must not join them, as it is still read behind the write of b. */
static void third_stays_apart(void **state) {
  (void)state;
  struct make k[2];
  struct err e = {0};
  for (int j = 0; j < 2; j++) {
    make_begin(&k[j]);
    uint32_t a = reg(&k[j], 1), b = reg(&k[j], 1), c = reg(&k[j], 1), p = reg(&k[j], 0);
    op2(&k[j], OP_ADD, T_U32, R(c), C(0, 1), I(5));
    op2(&k[j], OP_ADD, T_U32, R(b), R(c), I(1)); /* 1 */
    st(&k[j], T_U32, 4, R(c));
    op1(&k[j], OP_MOV, T_B32, R(a), R(b));
    op1(&k[j], OP_MOV, T_B32, R(c), R(a));
    setp(&k[j], C_LT, P(p), R(a), I(99));
    brap(&k[j], 1, p);
    add(&k[j], OP_EXIT, T_NONE);
    make_done(&k[j]);
  }
  assert_true(alloc_kernel(k[1].m, k[1].c, 0, &e));
  uint32_t na, nb;
  assert_true(interpret(k[0].c, 1, &na) == interpret(k[1].c, 2, &nb));
  assert_true(na > 10);
  module_free(k[0].m);
  module_free(k[1].m);
}

/* Ten values at once, one kind after the other: slots of spilled ones serve again, those of pairs only pairs.
 */
static void slots_serve_again(void **state) {
  (void)state;
  struct make k[2];
  struct err e = {0};
  for (int j = 0; j < 2; j++) {
    make_begin(&k[j]);
    for (uint32_t phase = 0; phase < 8; phase++) {
      uint32_t v[10];
      for (uint32_t q = 0; q < 10; q++) {
        bool pair = phase % 2;
        v[q] = reg(&k[j], pair ? 2 : 1);
        if (pair) op2(&k[j], OP_ADD, T_U64, D(v[q]), C(8 * (q % 8), 2), I2(q + phase));
        else op2(&k[j], OP_ADD, T_U32, R(v[q]), C(4 * q, 1), I(q + phase));
      }
      for (uint32_t q = 0; q < 10; q++) st(&k[j], phase % 2 ? T_U64 : T_U32, q, phase % 2 ? D(v[q]) : R(v[q]));
    }
    add(&k[j], OP_EXIT, T_NONE);
    make_done(&k[j]);
  }
  assert_true(alloc_kernel(k[1].m, k[1].c, 6, &e));
  assert_true(k[1].c->spills > 0 && k[1].c->local_bytes <= 10 * 4 + 10 * 8);
  uint32_t na, nb;
  assert_true(interpret(k[0].c, 1, &na) == interpret(k[1].c, 2, &nb));
  assert_int_equal(na, 80);
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
  struct insn *i = op1(&k, OP_LD, T_U64, D(p), I2(8)); /* ld.param.u64 */
  i->space = SP_PARAM;
  op1(&k, OP_CVT, T_S64, D(q), D(p))->stype = T_U64; /* changes nothing */
  op1(&k, OP_MOV, T_U32, R(t), (struct opnd){.kind = O_SREG, .words = 1, .reg = SR_TID_X});
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
  assert_int_equal(k.c->n, 9); /* the conversion is gone, the move of the address stays */
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
  struct shape h = {30, 8, 2, 10, 40, false};
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

  random_program(&k, 42, &h); /* the launch file's number goes before .maxnreg */
  k.c->maxnreg = 16;
  assert_true(alloc_kernel(k.m, k.c, 200, &e));
  assert_int_equal(k.c->nreg, 200);
  assert_int_equal(k.c->spills, 0);
  module_free(k.m);
}

/* Reads of registers that were never written, unreachable code and an endless loop are harmless. */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(colors_do_not_clash),
      cmocka_unit_test(loop_coalesces),
      cmocka_unit_test(swap_stays),
      cmocka_unit_test(third_stays_apart),
      cmocka_unit_test(slots_serve_again),
      cmocka_unit_test(parameters_fold),
      cmocka_unit_test(halves_share_their_pair),
      cmocka_unit_test(predicates_spill),
      cmocka_unit_test(forced_counts),
      cmocka_unit_test(odd_code),
      cmocka_unit_test(random_programs),
      cmocka_unit_test(random_predicates),
      cmocka_unit_test(random_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
