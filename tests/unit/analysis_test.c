/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code and analysis: graphs and dominators against brute force, ranges against liveness computed another way,
 * the timing view, text and Graphviz.
 */
#include "analysis_make.h"

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
    add(&k, OP_EXIT, T_NONE); /* the only exit */
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
  setp(&k, C_NE, P(p), C(0, 1), I(0));    /* 0  B0 */
  brap(&k, 4, p);                         /* 1 */
  op1(&k, OP_MOV, T_U32, R(a), I(1));     /* 2  B1 */
  bra(&k, 5);                             /* 3 */
  op1(&k, OP_MOV, T_U32, R(a), I(2));     /* 4  B2 */
  st(&k, T_U32, 0, R(a));                 /* 5  B3 */
  brap(&k, 7, p);                         /* 6 to the next one: one successor */
  add(&k, OP_EXIT, T_NONE)->guard = P(p); /* 7  B4 */
  bra(&k, 5);                             /* 8  B5 */
  add(&k, OP_EXIT, T_NONE);               /* 9  B6, not reached */
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
  setp(&k, C_NE, P(a), C(0, 1), I(0)); /* 0 */
  setp(&k, C_NE, P(b), C(4, 1), I(0)); /* 1 */
  brap(&k, 5, a);                      /* 2 */
  brap(&k, 7, b);                      /* 3 */
  st(&k, T_U32, 0, I(1));              /* 4 */
  add(&k, OP_BAR, T_NONE);             /* 5 */
  add(&k, OP_EXIT, T_NONE);            /* 6 */
  add(&k, OP_EXIT, T_NONE);            /* 7 */
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->n, 8);
  assert_int_equal(k.c->reconv[2], 5);
  assert_int_equal(k.c->reconv[3], 4);
  module_free(k.m);

  make_begin(&k);
  a = reg(&k, 0), b = reg(&k, 0);
  setp(&k, C_NE, P(a), C(0, 1), I(0)); /* 0 */
  setp(&k, C_NE, P(b), C(4, 1), I(0)); /* 1 */
  brap(&k, 6, a);                      /* 2 */
  brap(&k, 5, b);                      /* 3 */
  bra(&k, 6);                          /* 4 */
  add(&k, OP_EXIT, T_NONE);            /* 5 */
  add(&k, OP_BAR, T_NONE);             /* 6 */
  add(&k, OP_EXIT, T_NONE);            /* 7 */
  make_done(&k);
  assert_true(alloc_kernel(k.m, k.c, 0, &e));
  assert_int_equal(k.c->reconv[2], 6);
  assert_int_equal(k.c->reconv[3], 4);
  assert_int_equal(k.c->npred, 2);
  module_free(k.m);
}

/* ---- liveness ---- */

static void ranges_agree_with_sets(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct shape h = {seed % 5 == 0 ? 1100 : 4 + (uint32_t)seed, 3, 4, 1 + (uint32_t)seed / 2, 9, false};
    struct make k;
    random_program(&k, seed + 900, &h);
    struct graph g;
    struct live_ranges r;
    struct live l;
    graph_build(k.c, &g);
    live_ranges_build(k.c, &g, k.c->nvreg, &r);
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
        if (p >= k.c->nvreg) assert_int_equal(want, got); /* behind the initialisation */
      }
    }
    live_free(&l);
    live_ranges_free(&r);
    graph_free(&g);
    module_free(k.m);
  }
}

/* ---- timing view and text ---- */

static void classes_and_bits(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  struct insn *i;
  op2(&k, OP_ADD, T_U32, R(1), R(2), R(3)); /* 0 */
  op2(&k, OP_ADD, T_F64, D(2), D(4), D(6));
  op2(&k, OP_ADD, T_F32, R(1), R(2), R(3));
  op2(&k, OP_MUL, T_U32, D(2), R(3), R(4))->mods = M_WIDE;
  op2(&k, OP_DIV, T_F32, R(1), R(2), R(3))->rnd = R_RN;
  op2(&k, OP_DIV, T_F32, R(1), R(2), R(3))->mods = M_FULL; /* 5 */
  op2(&k, OP_REM, T_S32, R(1), R(2), R(3));
  op1(&k, OP_SQRT, T_F64, D(2), D(4));
  op1(&k, OP_CVT, T_F32, R(1), R(2))->stype = T_S32;
  op1(&k, OP_CVT, T_F64, D(2), R(2))->stype = T_F32;
  op1(&k, OP_CVT, T_U64, D(2), R(2))->stype = T_U32; /* 10 */
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
  add(&k, OP_EXIT, T_NONE); /* 15 */
  make_done(&k);
  k.c->allocated = true;
  op_build(k.m, k.c);
  const uint8_t want[] = {CLS_INT, CLS_DP, CLS_SP,  CLS_IMUL, CLS_DIV, CLS_SFU, CLS_DIV, CLS_DIV,
                          CLS_SFU, CLS_DP, CLS_INT, CLS_INT,  CLS_LSU, CLS_LSU, CLS_INT, CLS_CTRL};
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
  const char *const lines[] = {"add.u32 R1, R2, R3", "add.f64 R2:3, R4:5, R6:7", "add.f32 R1, R2, R3",
                               "mul.wide.u32 R2:3, R3, R4", "div.rn.f32 R1, R2, R3"};
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
  struct shape h = {12, 3, 3, 6, 6, true};
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
      cmocka_unit_test(names),
      cmocka_unit_test(graph_shapes),
      cmocka_unit_test(dominators_random),
      cmocka_unit_test(early_return_meets),
      cmocka_unit_test(ranges_agree_with_sets),
      cmocka_unit_test(classes_and_bits),
      cmocka_unit_test(report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
