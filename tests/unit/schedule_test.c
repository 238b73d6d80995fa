/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule: blocks by hand, whose order is derived in the comments; what must stay in order; and random programs, which
 * must store the same values in the same order, occupy no more registers than allowed, and come out the same each time;
 * and loops before and after they are unrolled.
 *
 * Latencies: a load 100, an integer addition 4, a store 22 (class LSU). The height of an instruction is its longest path
 * to the end of the block, its own latency included.
 */
#include "analysis_make.h"
#include "pressure.h"
#include "exec/warp.h"
#include "compiler/ptx/ptx.h"
#include "lab/run/compile.h"
#include "lab/run/quality.h"

static const struct schedule plain = {true, 100, 48, 1};

static struct insn *ld(struct make *k, uint8_t space, struct opnd d, struct opnd a, int64_t offset) {
  struct insn *i = op1(k, OP_LD, T_U32, d, a);
  i->space = space;
  i->offset = offset;
  return i;
}

static struct insn *store(struct make *k, uint8_t space, struct opnd a, int64_t offset, struct opnd v) {
  struct insn *i = add(k, OP_ST, T_U32);
  i->space = space;
  i->offset = offset;
  i->src[i->nsrc++] = a;
  i->src[i->nsrc++] = v;
  return i;
}

/* Schedules the code as it is, without folding and coalescing. */
static void schedule_by(struct make *k, const struct schedule *how, uint32_t limit) {
  struct work w = {.m = k->m, .c = k->c};
  for (uint32_t v = 0; v < k->c->nvreg; v++) work_reg(&w, k->c->vreg[v].words, false);
  schedule_code(&w, how, limit);
  free(w.words);
  free(w.temp);
  free(w.phys);
  free(w.depth);
  live_ranges_free(&w.r);
}

/* Where each instruction was written, from its line: "0 2 1". */
static void assert_order(const struct make *k, const char *want) {
  char got[256];
  size_t n = 0;
  for (uint32_t i = 0; i < k->c->n; i++)
    n += (size_t)snprintf(got + n, sizeof got - n, "%s%u", i ? " " : "", k->c->insn[i].line - 101);
  assert_string_equal(got, want);
}

/* n times: load, add 1, store; from and to addresses of their own. */
static void chains(struct make *k, uint32_t n) {
  make_begin(k);
  for (uint32_t j = 0; j < n; j++) {
    uint32_t a = reg(k, 1), b = reg(k, 1);
    ld(k, SP_GLOBAL, R(a), I2(0x10000 + 4 * j), 0);
    op2(k, OP_ADD, T_U32, R(b), R(a), I(1));
    st(k, T_U32, 0x20000 + 4 * j, R(b));
  }
  add(k, OP_EXIT, T_NONE);
  make_done(k);
}

/* Heights: store 5: 22, store 2: 23 (one before store 5), additions 26 and 27, loads 126 and 127. Cycle 0: load 0;
 * 1: load 3, the only one that does not stall; 100: add 1; 101: add 4, since store 2 waits until 104; 104, 105: stores. */
static void loads_move_up(void **state) {
  (void)state;
  struct make k;
  chains(&k, 2);
  schedule_by(&k, &plain, 0);
  assert_order(&k, "0 3 1 4 2 5 6");
  module_free(k.m);
}

/* With room for two registers. Loads 0 and 3 fill them; load 6 would be a third, so add 1 (which takes the place of its
 * source) comes at 100 and add 4 at 101. Store 2 at 104 frees a register: at 105 load 6 (height 126) precedes store 5
 * (at most 23), and its addition and store end the block. */
static void registers_limit(void **state) {
  (void)state;
  struct make k;
  chains(&k, 3);
  schedule_by(&k, &(struct schedule){true, 100, 2, 1}, 0);
  assert_order(&k, "0 3 1 4 2 6 5 7 8 9");
  assert_int_equal(live_pressure(k.c, NULL), 2);
  module_free(k.m);
  /* a launch file's count is a limit as well, where it is lower */
  chains(&k, 3);
  schedule_by(&k, &plain, 2);
  assert_order(&k, "0 3 1 4 2 6 5 7 8 9");
  module_free(k.m);
  chains(&k, 3);
  schedule_by(&k, &plain, 3);
  assert_order(&k, "0 3 6 1 4 7 2 5 8 9");
  module_free(k.m);
}

/* Off, and where no order is shorter, the code stays as written: two additions of one chain. */
static void written_stays(void **state) {
  (void)state;
  struct make k;
  chains(&k, 2);
  schedule_by(&k, &(struct schedule){false, 100, 48, 1}, 0);
  assert_order(&k, "0 1 2 3 4 5 6");
  module_free(k.m);
  /* add 1 (height 4) could follow add 2 (height 8), but the block ends at cycle 12 in both orders: 0, 4, 8 */
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), c = reg(&k, 1);
  op2(&k, OP_ADD, T_U32, R(a), C(0, 1), I(1));
  op2(&k, OP_ADD, T_U32, R(b), C(4, 1), I(2));
  op2(&k, OP_ADD, T_U32, R(c), R(a), I(3));
  op2(&k, OP_ADD, T_U32, R(c), R(c), R(b));
  st(&k, T_U32, 0x10000, R(c));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  schedule_by(&k, &plain, 0);
  assert_order(&k, "0 1 2 3 4 5");
  module_free(k.m);
}

/* A branch is never crossed: the load of the second block stays in it. */
static void blocks_stay_apart(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), p = reg(&k, 0);
  op2(&k, OP_ADD, T_U32, R(a), C(0, 1), I(1));
  setp(&k, C_LT, P(p), R(a), I(9));
  brap(&k, 5, p);
  op2(&k, OP_ADD, T_U32, R(a), R(a), I(1)); /* 3 */
  ld(&k, SP_GLOBAL, R(b), I2(0x10000), 0);  /* 4: before 3, within the block */
  st(&k, T_U32, 0x20000, R(a));
  st(&k, T_U32, 0x20004, R(b)); /* b is read where it may have no value */
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  schedule_by(&k, &plain, 0);
  assert_order(&k, "0 1 2 4 3 5 6 7");
  module_free(k.m);
}

/* A block of: something, a load, an addition of its result, a store of that far away. The load (height over 100) comes
 * first unless something keeps it behind: whether it did. */
struct before {
  uint8_t op, space, sub;
  int64_t offset;
  bool own; /* address in a register of its own, else in the load's */
  uint32_t mods;
};

static bool load_passes(const struct before *x, uint8_t space, uint32_t mods) {
  struct make k;
  make_begin(&k);
  uint32_t a = reg(&k, 2), b = reg(&k, 2), v = reg(&k, 1), l = reg(&k, 1), s = reg(&k, 1);
  op1(&k, OP_MOV, T_B64, D(a), C(0, 2));
  op1(&k, OP_MOV, T_B64, D(b), C(8, 2));
  op1(&k, OP_MOV, T_B32, R(v), C(16, 1));
  bra(&k, 4); /* ends the block: addresses come in */
  struct insn *i = add(&k, x->op, T_U32);
  i->space = x->space;
  i->sub = x->sub;
  i->mods = x->mods;
  i->offset = x->offset;
  if (x->op != OP_MEMBAR) i->src[i->nsrc++] = x->op == OP_BAR ? I(0) : D(x->own ? b : a);
  if (x->op == OP_ST || x->op == OP_ATOM) i->src[i->nsrc++] = R(v);
  ld(&k, space, R(l), D(a), 0)->mods = mods;
  op2(&k, OP_ADD, T_U32, R(s), R(l), I(1));
  store(&k, SP_LOCAL, I2(0), 0, R(s));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  /* something that can be overlapped, so that an order with the load first is shorter */
  schedule_by(&k, &plain, 0);
  bool passes = k.c->insn[4].op == OP_LD;
  module_free(k.m);
  return passes;
}

static void memory_order(void **state) {
  (void)state;
  const struct before apart = {OP_ST, SP_GLOBAL, 0, 4, false, 0}, same = {OP_ST, SP_GLOBAL, 0, 0, false, 0},
                      part = {OP_ST, SP_GLOBAL, 0, 3, false, 0}, below = {OP_ST, SP_GLOBAL, 0, -4, false, 0},
                      into = {OP_ST, SP_GLOBAL, 0, -3, false, 0}, other = {OP_ST, SP_GLOBAL, 0, 64, true, 0},
                      shared = {OP_ST, SP_SHARED, 0, 0, true, 0}, any = {OP_ST, SP_GENERIC, 0, 64, false, 0},
                      strong = {OP_ST, SP_GLOBAL, 0, 64, false, M_VOLATILE},
                      atom = {OP_ATOM, SP_GLOBAL, ATOM_ADD, 64, false, 0}, bar = {OP_BAR, 0, BAR_SYNC, 0, false, 0},
                      warp = {OP_BAR, 0, BAR_WARP, 0, false, 0}, fence = {OP_MEMBAR, 0, 0, 0, false, 0},
                      load = {OP_PREFETCH, SP_GLOBAL, 0, 0, false, 0};
  /* from one address register: by bytes */
  assert_true(load_passes(&apart, SP_GLOBAL, 0));
  assert_true(load_passes(&below, SP_GLOBAL, 0));
  assert_false(load_passes(&same, SP_GLOBAL, 0));
  assert_false(load_passes(&part, SP_GLOBAL, 0));
  assert_false(load_passes(&into, SP_GLOBAL, 0));
  /* from another: unknown; but not in another space, and never for data that nobody writes */
  assert_false(load_passes(&other, SP_GLOBAL, 0));
  assert_true(load_passes(&shared, SP_GLOBAL, 0));
  assert_false(load_passes(&any, SP_SHARED, 0));
  assert_false(load_passes(&other, SP_GENERIC, 0));
  assert_true(load_passes(&same, SP_GLOBAL, M_NC));
  assert_true(load_passes(&same, SP_CONST, 0));
  assert_true(load_passes(&load, SP_GLOBAL, 0));
  /* what orders all accesses */
  assert_false(load_passes(&strong, SP_GLOBAL, 0));
  assert_false(load_passes(&apart, SP_GLOBAL, M_VOLATILE));
  assert_false(load_passes(&atom, SP_SHARED, 0));
  assert_false(load_passes(&bar, SP_GLOBAL, 0));
  assert_false(load_passes(&bar, SP_GLOBAL, M_NC));
  assert_false(load_passes(&warp, SP_SHARED, 0));
  assert_false(load_passes(&fence, SP_LOCAL, 0));
}

/* The address changes between: the same register, another value. Load 2 has to wait for 1, and 0 for nobody. */
static void another_value(void **state) {
  (void)state;
  for (unsigned guarded = 0; guarded < 2; guarded++) {
    struct make k;
    make_begin(&k);
    uint32_t a = reg(&k, 1), v = reg(&k, 1), p = reg(&k, 0);
    store(&k, SP_SHARED, R(a), 0, I(7));
    struct insn *i = op2(&k, OP_ADD, T_U32, R(a), R(a), I(4));
    if (guarded) i->guard = P(p);
    ld(&k, SP_SHARED, R(v), R(a), -4);
    st(&k, T_U32, 0x10000, R(v));
    add(&k, OP_EXIT, T_NONE);
    make_done(&k);
    schedule_by(&k, &plain, 0);
    assert_order(&k, "0 1 2 3 4");
    module_free(k.m);
  }
}

/* Shuffles, votes and barriers keep their order: the vote (height 4) before the shuffle (height 126), however long the
 * way from the shuffle; a clock stays where it is, and so does all else about it. */
static void convergent_order(void **state) {
  (void)state;
  for (unsigned what = 0; what < 3; what++) {
    struct make k;
    make_begin(&k);
    uint32_t a = reg(&k, 1), b = reg(&k, 1), c = reg(&k, 1), p = reg(&k, 0), q = reg(&k, 0);
    if (what == 0) op2(&k, OP_VOTE, T_B32, R(a), P(p), I(0xffffffff))->sub = VOTE_BALLOT;
    if (what == 1) op1(&k, OP_MOV, T_U32, R(a), (struct opnd){.kind = O_SREG, .words = 1, .reg = SR_CLOCK});
    if (what == 2) setp(&k, C_LT, P(q), C(0, 1), I(5)); /* nothing of the kind: the shuffle passes */
    struct insn *i = op2(&k, OP_SHFL, T_B32, R(b), R(c), I(1));
    i->sub = SHFL_BFLY;
    i->src[i->nsrc++] = I(31);
    i->src[i->nsrc++] = I(0xffffffff);
    op2(&k, OP_ADD, T_U32, R(b), R(b), I(1));
    st(&k, T_U32, 0x10000, R(b));
    add(&k, OP_EXIT, T_NONE);
    make_done(&k);
    schedule_by(&k, &plain, 0);
    assert_order(&k, what == 2 ? "1 0 2 3 4" : "0 1 2 3 4");
    module_free(k.m);
  }
}

/* One register used again: its second load stays behind the reads of the first value; a guarded write behind both. */
static void register_order(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), c = reg(&k, 1), p = reg(&k, 0);
  ld(&k, SP_GLOBAL, R(a), I2(0x10000), 0);
  op2(&k, OP_ADD, T_U32, R(b), R(a), I(1));
  ld(&k, SP_GLOBAL, R(a), I2(0x10004), 0); /* 2 */
  op2(&k, OP_ADD, T_U32, R(c), R(a), I(1));
  op2(&k, OP_ADD, T_U32, R(c), C(0, 1), I(1))->guard = P(p); /* 4: c, if p */
  ld(&k, SP_GLOBAL, R(a), I2(0x10008), 0);                   /* 5: behind 3 */
  st(&k, T_U32, 0x20000, R(b));
  st(&k, T_U32, 0x20004, R(c));
  st(&k, T_U32, 0x20008, R(a));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  schedule_by(&k, &plain, 0);
  /* 0 at 0, 1 at 100, 2 at 101, store 6 at 104, 3 at 201, 5 at 202 (height 101 with store 8), 4 at 205, 7, 8 */
  assert_order(&k, "0 1 2 6 3 5 4 7 8 9");
  module_free(k.m);
}

/* ---- random programs ---- */

static uint32_t most_of(uint32_t a, uint32_t b) { return a > b ? a : b; }

static bool moved(const struct code *a, const struct code *b) {
  for (uint32_t i = 0; i < a->n; i++)
    if (a->insn[i].line != b->insn[i].line) return true;
  return false;
}

/* The same values, no more registers than allowed, the same code again; whether anything moved. */
static bool check_schedule(struct make *a, struct make *b, struct make *again, const struct schedule *how,
                           uint64_t seed) {
  uint32_t na, nb, predicates[2];
  uint32_t written = live_pressure(a->c, &predicates[0]);
  schedule_by(b, how, 0);
  schedule_by(again, how, 0);
  assert_memory_equal(b->c->insn, again->c->insn, b->c->n * sizeof *b->c->insn);
  uint32_t now = live_pressure(b->c, &predicates[1]);
  if (now > most_of(written, how->regs) || predicates[1] > most_of(predicates[0], 7))
    fail_msg("seed %llu: %u registers, %u as written, limit %u; %u predicates, %u", (unsigned long long)seed, now,
             written, how->regs, predicates[1], predicates[0]);
  uint64_t want = interpret(a->c, 1, &na), got = interpret(b->c, 1, &nb);
  if (na != nb || want != got) fail_msg("seed %llu: %u stores, %u when scheduled", (unsigned long long)seed, na, nb);
  bool any = moved(a->c, b->c);
  module_free(a->m);
  module_free(b->m);
  module_free(again->m);
  return any;
}

static void random_programs(void **state) {
  (void)state;
  unsigned differ = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct shape h = {3 + (uint32_t)(seed * 7 % 20),
                      1 + (uint32_t)(seed % 9),
                      1 + (uint32_t)(seed % 7),
                      1 + (uint32_t)(seed % 12),
                      20,
                      seed % 3 > 0};
    struct make k[3];
    for (int j = 0; j < 3; j++) random_program(&k[j], seed, &h);
    differ += check_schedule(&k[0], &k[1], &k[2], &(struct schedule){true, 100, 1 + (uint32_t)(seed % 30), 1}, seed);
  }
  assert_true(differ > 150);
}

/* Straight-line code with loads and stores of parts of 64 bytes of local memory, which often overlap. */
static void random_memory(struct make *k, uint64_t seed, uint32_t n) {
  enum { REGS = 24 };
  uint64_t s = seed;
  make_begin(k);
  k->c->local_bytes = 64;
  for (uint32_t v = 0; v < REGS; v++) reg(k, 1);
  for (uint32_t v = 0; v < REGS; v++) op1(k, OP_MOV, T_B32, R(v), I(rng_next(&s) & 0xffff));
  for (uint32_t j = 0; j < n; j++) {
    uint32_t r = pick(&s, REGS), a = pick(&s, REGS), b = pick(&s, REGS), at = pick(&s, 61), kind = pick(&s, 4);
    if (kind == 0) ld(k, SP_LOCAL, R(r), I2(at), 0);
    else if (kind == 1) store(k, SP_LOCAL, I2(at), 0, R(r));
    else op2(k, kind == 2 ? OP_ADD : OP_XOR, T_U32, R(r), R(a), R(b));
  }
  for (uint32_t v = 0; v < REGS; v++) st(k, T_U32, 0x10000 + 4 * v, R(v));
  for (uint32_t at = 0; at < 64; at += 4) {
    ld(k, SP_LOCAL, R(0), I2(at), 0);
    st(k, T_U32, 0x20000 + at, R(0));
  }
  add(k, OP_EXIT, T_NONE);
  make_done(k);
}

static void random_straight_lines(void **state) {
  (void)state;
  unsigned differ = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct make k[3];
    for (int j = 0; j < 3; j++) random_memory(&k[j], seed, 20 + (uint32_t)(seed * 13 % 300));
    differ += check_schedule(&k[0], &k[1], &k[2], &(struct schedule){true, 100, 20 + (uint32_t)(seed % 30), 1}, seed);
  }
  assert_true(differ > 150);
  struct make k[3]; /* longer than a region */
  for (int j = 0; j < 3; j++) random_memory(&k[j], 7, 5000);
  assert_true(check_schedule(&k[0], &k[1], &k[2], &plain, 7));
}

/* Through allocation and packing: the same stores, in few registers with spills as well. */
static void allocated(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct shape h = {3 + (uint32_t)(seed * 7 % 20), 1 + (uint32_t)(seed % 9), 3, 1 + (uint32_t)(seed % 6), 16, true};
    const struct narrowing ints = {.ints = true, .split = true};
    struct make k[4];
    struct err e = {0};
    uint32_t n[4];
    uint64_t hash[4];
    for (int j = 0; j < 4; j++) {
      random_program(&k[j], seed, &h);
      k[j].m->schedule = plain;
    }
    k[2].c->maxnreg = 8 + (uint32_t)(seed % 8);
    assert_true(alloc_kernel(k[1].m, k[1].c, 0, &e) && alloc_kernel(k[2].m, k[2].c, 0, &e));
    assert_true(pack_kernel(k[3].m, k[3].c, &ints, &e));
    for (int j = 0; j < 3; j++) hash[j] = interpret(k[j].c, 1 + (uint64_t)j, &n[j]);
    assert_true(n[0] == n[1] && hash[0] == hash[1] && n[0] == n[2] && hash[0] == hash[2]);
    for (int j = 0; j < 4; j++) module_free(k[j].m);
  }
}

/* Nine values live over a barrier, and a launch file's regs of 6: spilled as written, refused when scheduled. */
static void forced_below_need(void **state) {
  (void)state;
  for (unsigned list = 0; list < 2; list++) {
    struct make k;
    struct err e = {0};
    make_begin(&k);
    uint32_t v[9];
    for (uint32_t j = 0; j < 9; j++) ld(&k, SP_GLOBAL, R(v[j] = reg(&k, 1)), I2(0x10000 + 4 * j), 0);
    add(&k, OP_BAR, T_NONE)->nsrc = 1;
    k.c->insn[9].src[0] = I(0);
    for (uint32_t j = 0; j < 9; j++) st(&k, T_U32, 0x20000 + 4 * j, R(v[j]));
    add(&k, OP_EXIT, T_NONE);
    make_done(&k);
    if (list) k.m->schedule = plain;
    bool ok = alloc_kernel(k.m, k.c, 6, &e);
    assert_int_equal(ok, !list);
    if (list) assert_non_null(strstr(e.text, "found regs 6, expected at least 9: with compile.schedule=list"));
    if (list) assert_false(k.c->allocated);
    else assert_true(k.c->spills > 0);
    module_free(k.m);
  }
}

/* ---- loops ---- */

enum { I_, A_, S_, X_, P_ }; /* registers of the loops below: counter, address, sum, what is loaded, predicate */

static void loop_begin(struct make *k) {
  make_begin(k);
  for (unsigned v = 0; v < 5; v++) reg(k, v == A_ ? 2 : v < P_);
  op1(k, OP_MOV, T_B64, D(A_), C(0, 2));
  op1(k, OP_MOV, T_B32, R(S_), C(8, 1));
  op1(k, OP_MOV, T_B32, R(I_), I(0));
}

static void loop_end(struct make *k) {
  store(k, SP_GLOBAL, D(A_), 0, R(S_));
  add(k, OP_EXIT, T_NONE);
  make_done(k);
}

/* do { s += *a++; } while (++i != trips): six instructions from 3 on. */
static void counted(struct make *k, struct opnd trips) {
  loop_begin(k);
  ld(k, SP_GLOBAL, R(X_), D(A_), 0);
  op2(k, OP_ADD, T_U32, R(S_), R(S_), R(X_));
  op2(k, OP_ADD, T_U64, D(A_), D(A_), I2(4));
  op2(k, OP_ADD, T_U32, R(I_), R(I_), I(1));
  setp(k, C_NE, P(P_), R(I_), trips);
  brap(k, 3, P_);
  loop_end(k);
}

/* for (;;) { s += *a; if (i == last) break; s += a[1]; a += 2; i += 2; }: eight instructions from 3 on. */
static void left_within(struct make *k, uint32_t last) {
  loop_begin(k);
  ld(k, SP_GLOBAL, R(X_), D(A_), 0);
  op2(k, OP_ADD, T_U32, R(S_), R(S_), R(X_));
  setp(k, C_EQ, P(P_), R(I_), I(last));
  brap(k, 12, P_);
  ld(k, SP_GLOBAL, R(X_), D(A_), 4);
  op2(k, OP_ADD, T_U32, R(S_), R(S_), R(X_));
  op2(k, OP_ADD, T_U64, D(A_), D(A_), I2(8));
  op2(k, OP_ADD, T_U32, R(I_), R(I_), I(2));
  bra(k, 3);
  loop_end(k);
}

static void work_of(struct make *k, struct work *w) {
  struct insn *copy = xmalloc((k->c->n + 1) * sizeof *copy);
  memcpy(copy, k->c->insn, k->c->n * sizeof *copy);
  k->c->insn = copy; /* as work_begin leaves it: edited in place, and freed */
  *w = (struct work){.m = k->m, .c = k->c};
  for (uint32_t v = 0; v < k->c->nvreg; v++) work_reg(w, k->c->vreg[v].words, false);
}

static void work_done(struct make *k, struct work *w) {
  work_end(w);
  module_free(k->m);
}

/* The code after unrolling, a line for each instruction. */
static void assert_unrolled(struct make *k, uint32_t most, const char *want) {
  char got[4096];
  size_t n = 0;
  struct work w;
  struct schedule how = plain;
  how.unroll = most;
  work_of(k, &w);
  unroll_code(&w, &how);
  for (uint32_t i = 0; i < k->c->n; i++) {
    insn_print(k->c, i, got + n, (unsigned)(sizeof got - n));
    n += strlen(got + n);
    got[n++] = '\n';
  }
  got[n] = 0;
  assert_string_equal(got, want);
  work_done(k, &w);
}

/* 60 iterations of six instructions are 360, more than 300; 60 is a multiple of 4, and four copies have 24. Copies one to
 * three write registers of their own, from %v5 on; those of the address, the counter and the predicate (%v7 to %v9 in the
 * first copy) are not read, since all that follows is taken from the address and counter at the head. */
static void a_part_of_the_iterations(void **state) {
  (void)state;
  struct make k;
  counted(&k, I(60));
  assert_unrolled(&k, 4,
                  "mov.b64 %v1, c[0x0]\n"
                  "mov.b32 %v2, c[0x8]\n"
                  "mov.b32 %v0, 0\n"
                  "ld.global.u32 %v5, [%v1]\n"
                  "add.u32 %v6, %v2, %v5\n"
                  "ld.global.u32 %v10, [%v1+4]\n"
                  "add.u32 %v11, %v6, %v10\n"
                  "ld.global.u32 %v15, [%v1+8]\n"
                  "add.u32 %v16, %v11, %v15\n"
                  "ld.global.u32 %v3, [%v1+12]\n"
                  "add.u32 %v2, %v16, %v3\n"
                  "add.u64 %v1, %v1, 16\n"
                  "add.u32 %v0, %v0, 4\n"
                  "setp.ne.u32 %vp4, %v0, 60\n"
                  "@%vp4 bra 3\n"
                  "st.global.u32 [%v1], %v2\n"
                  "exit\n");
}

/* Two iterations: no counter, no branch. The address is not known, so it is advanced once. */
static void all_iterations(void **state) {
  (void)state;
  struct make k;
  counted(&k, I(2));
  assert_unrolled(&k, 4,
                  "mov.b64 %v1, c[0x0]\n"
                  "mov.b32 %v2, c[0x8]\n"
                  "ld.global.u32 %v6, [%v1]\n"
                  "add.u32 %v7, %v2, %v6\n"
                  "ld.global.u32 %v3, [%v1+4]\n"
                  "add.u32 %v2, %v7, %v3\n"
                  "add.u64 %v1, %v1, 8\n"
                  "st.global.u32 [%v1], %v2\n"
                  "exit\n");
}

/* The exit is reached twice, so what follows it is executed once. What is stored is the sum of three, at a + 8. */
static void left_in_the_middle(void **state) {
  (void)state;
  struct make k;
  left_within(&k, 2);
  assert_unrolled(&k, 4,
                  "mov.b64 %v1, c[0x0]\n"
                  "mov.b32 %v2, c[0x8]\n"
                  "ld.global.u32 %v6, [%v1]\n"
                  "add.u32 %v7, %v2, %v6\n"
                  "ld.global.u32 %v9, [%v1+4]\n"
                  "add.u32 %v10, %v7, %v9\n"
                  "add.u64 %v1, %v1, 8\n"
                  "ld.global.u32 %v3, [%v1]\n"
                  "add.u32 %v2, %v10, %v3\n"
                  "st.global.u32 [%v1], %v2\n"
                  "exit\n");
}

static void judged(struct make *k, uint32_t most, enum loop_why why, uint32_t trips, uint32_t copies) {
  struct work w;
  struct inner_loop *l;
  work_of(k, &w);
  assert_int_equal(find_loops(&w, most, &l), 1);
  assert_int_equal(l->why, why);
  assert_int_equal(l->trips, trips);
  assert_int_equal(l->copies, copies);
  free(l);
  work_done(k, &w);
}

/* Which loops: six instructions each. 50 iterations are 300; of 51, 3 is the greatest divisor up to 4, of 53 there is none;
 * 12 copies of 72 instructions fit in 75, 15 would not. */
static void which_loops(void **state) {
  (void)state;
  static const struct {
    uint32_t trips, most, copies;
  } of[] = {{50, 4, 50}, {50, 2, 50}, {50, 1, 1}, {51, 4, 3}, {53, 4, 1}, {60, 64, 12}, {4096, 4, 4}};
  struct make k;
  for (unsigned j = 0; j < sizeof of / sizeof *of; j++) {
    counted(&k, I(of[j].trips));
    judged(&k, of[j].most, of[j].copies > 1 ? LOOP_UNROLLED : LOOP_LONG, of[j].trips, of[j].copies);
  }
  left_within(&k, 2);
  judged(&k, 4, LOOP_UNROLLED, 2, 2);
  left_within(&k, 3); /* never equal within 4096 */
  judged(&k, 4, LOOP_NOT_CONSTANT, 0, 1);
  counted(&k, C(16, 1)); /* a parameter */
  judged(&k, 4, LOOP_NOT_CONSTANT, 0, 1);
  counted(&k, I(4097));
  judged(&k, 4, LOOP_NOT_CONSTANT, 0, 1);
  counted(&k, I(8));
  k.c->insn[8].mods = M_NOUNROLL;
  judged(&k, 4, LOOP_PRAGMA, 8, 1);
  counted(&k, I(8)); /* another way in: the counter is not 0 there */
  k.c->insn[9] = (struct insn){.op = OP_BRA, .target = 3, .guard = P(P_)};
  judged(&k, 4, LOOP_NOT_CONSTANT, 0, 1);
  counted(&k, I(8)); /* the counter's addition is guarded */
  k.c->insn[6].guard = P(P_);
  judged(&k, 4, LOOP_NOT_CONSTANT, 0, 1);
  counted(&k, I(8)); /* a thread may leave by itself */
  k.c->insn[4] = (struct insn){.op = OP_EXIT, .guard = P(P_)};
  judged(&k, 4, LOOP_BRANCHES, 0, 1);
  counted(&k, I(8)); /* a branch within */
  k.c->insn[4] = (struct insn){.op = OP_BRA, .target = 6, .guard = P(P_)};
  judged(&k, 4, LOOP_BRANCHES, 0, 1);
  counted(&k, I(8)); /* the warp's clock counts its instructions */
  k.c->insn[9].src[1] = (struct opnd){.kind = O_SREG, .words = 1, .reg = SR_CLOCK};
  judged(&k, 4, LOOP_LONG, 8, 1);
}

/* .pragma "nounroll" before the first instruction of a loop, of a kernel, of the file; elsewhere it says nothing. */
static void pragma_keeps_loops(void **state) {
  (void)state;
  static const char *const at[] = {".pragma \"nounroll\";", ".pragma \"other\";"};
  struct err e = {0};
  char text[600];
  for (unsigned place = 0; place < 4; place++)
    for (unsigned other = 0; other < 2; other++) {
      const char *p = at[other];
      const int n = snprintf(
          text, sizeof text,
          ".version 7.8\n.target sm_75\n.address_size 64\n%s\n.entry k() %s {\n.reg .pred %%p<2>; .reg .b32 "
          "%%r<2>;\nmov.u32 %%r0, 0;\nL:\n%s\nadd.u32 %%r0, %%r0, 1;\n%s\nsetp.ne.u32 %%p0, %%r0, 8;\n@%%p0 bra "
          "L;\nret;\n}\n",
          place == 0 ? p : "", place == 1 ? p : "", place == 2 ? p : "", place == 3 ? p : "");
      struct module *m = ptx_parse("t.ptx", text, (size_t)n, &e);
      struct inner_loop *l;
      if (!m) fail_msg("%s", e.text);
      assert_int_equal(code_loops(m, &m->kernel[0], 4, &l), 1);
      assert_int_equal(l->trips, 8);
      assert_int_equal(l->why, other || place == 3 ? LOOP_UNROLLED : LOOP_PRAGMA);
      free(l);
      module_free(m);
    }
}

/* A random body, with counter and exit in between, whose registers are all stored behind it. */
static void random_loop(struct make *k, uint64_t seed, const struct shape *h) {
  uint64_t s = seed;
  make_begin(k);
  const uint32_t before = h->singles + h->pairs;
  for (uint32_t v = 0; v < before + h->preds; v++) reg(k, v < h->singles ? 1 : v < before ? 2 : 0);
  const uint32_t i = reg(k, 1), p = reg(k, 0), step = 1 + pick(&s, 3),
                 trips = seed % 2 ? 2 + pick(&s, 24) : 12 * (4 + pick(&s, 7)), within = pick(&s, 2);
  for (uint32_t v = 0; v < before; v++)
    op1(k, OP_MOV, v < h->singles ? T_B32 : T_B64, v < h->singles ? R(v) : D(v),
        v < h->singles ? I(pick(&s, 99)) : I2(rng_next(&s)));
  for (uint32_t v = 0; v < h->preds; v++) setp(k, C_LT, P(before + v), R(v % h->singles), I(50));
  op1(k, OP_MOV, T_B32, R(i), I(5));
  const uint32_t head = k->c->n;
  for (uint32_t j = pick(&s, h->length); j-- > 0;) random_insn(k, &s, h);
  op2(k, OP_ADD, T_U32, R(i), R(i), I(step));
  random_insn(k, &s, h);
  setp(k, C_LT, P(p), R(i), I(5 + step * trips));
  uint32_t leave = k->c->n;
  if (within) brap(k, 0, p)->guard.neg = 1;
  for (uint32_t j = pick(&s, h->length); within && j-- > 0;) random_insn(k, &s, h);
  if (within) op2(k, OP_ADD, T_U32, R(0), R(0), R(i));
  if (within) bra(k, head);
  else brap(k, head, p);
  k->c->insn[leave].target = within ? k->c->n : head;
  for (uint32_t v = 0; v < before; v++)
    st(k, v < h->singles ? T_U32 : T_U64, 0x10000 + 8 * v, v < h->singles ? R(v) : D(v));
  add(k, OP_EXIT, T_NONE);
  make_done(k);
}

/* Allocated with loops as written and unrolled, in few registers as well: the same stores in the same order. */
static void random_loops(void **state) {
  (void)state;
  unsigned complete = 0, part = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    const struct shape h = {2 + (uint32_t)(seed % 7), 1 + (uint32_t)(seed % 3), 2, 1, 1 + (uint32_t)(seed % 11), false};
    struct make k[4];
    struct err e = {0};
    struct inner_loop *l;
    uint32_t n[4];
    uint64_t hash[4];
    for (unsigned j = 0; j < 4; j++) random_loop(&k[j], seed, &h);
    for (unsigned j = 1; j < 4; j++) k[j].m->schedule = (struct schedule){true, 100, 48, 1 + (uint32_t)(seed % 8)};
    assert_int_equal(code_loops(k[1].m, k[1].c, 1 + (uint32_t)(seed % 8), &l), 1);
    assert_true(l->trips > 1);
    complete += l->copies == l->trips;
    part += l->copies > 1 && l->copies < l->trips;
    free(l);
    k[2].c->maxnreg = 12;
    for (unsigned j = 1; j < 3; j++) assert_true(alloc_kernel(k[j].m, k[j].c, 0, &e));
    assert_true(pack_kernel(k[3].m, k[3].c, &(struct narrowing){.ints = true, .split = true}, &e));
    for (unsigned j = 0; j < 3; j++) hash[j] = interpret(k[j].c, 1 + j, &n[j]);
    for (unsigned j = 1; j < 3; j++)
      if (n[j] != n[0] || hash[j] != hash[0]) fail_msg("seed %llu: other stores", (unsigned long long)seed);
    for (unsigned j = 0; j < 4; j++) module_free(k[j].m);
  }
  assert_true(complete > 100 && part > 30);
}

/* ---- the suite ---- */

struct images { /* of global memory, after each launch */
  uint64_t hash[4096];
  unsigned n;
};

static bool hash_image(void *ctx, const struct launch *l, struct err *e) {
  struct images *i = ctx;
  struct exec_counts counts = {0};
  if (!exec_run(l, 0, &counts, e)) return false;
  assert_true(i->n < 4096);
  i->hash[i->n++] = fnv1a(FNV_START, l->mem->image, l->mem->bytes);
  return true;
}

/* unroll: 0: as written. */
static void run_images(const char *kernel, unsigned unroll, struct images *i) {
  struct workload w;
  struct config cfg;
  struct err e = {0};
  struct quality_results r = {0};
  const struct launcher by = {hash_image, i};
  config_defaults(&cfg);
  cfg.compile_schedule = unroll ? compile_schedule_list : compile_schedule_none;
  cfg.compile_schedule_unroll = unroll ? unroll : 1;
  i->n = 0;
  if (!workload_compile(kernel, "small", &cfg, 0, &w, &e) || !quality_run(&w, 0, false, &by, &r, &e))
    fail_msg("%s: %s", kernel, e.text);
  quality_free(&r);
  workload_close(&w);
}

/* All of global memory, bit for bit, after each launch of each kernel: scheduled, and with loops unrolled as well. */
static void same_memory(void **state) {
  (void)state;
  static struct images written, scheduled;
  struct suite s;
  struct err e = {0};
  assert_true(suite_open(&s, &e) && s.n >= 50);
  for (unsigned k = 0; k < s.n; k++) {
    run_images(s.kernel[k].name, 0, &written);
    for (unsigned unroll = 1; unroll <= 4; unroll += 3) {
      run_images(s.kernel[k].name, unroll, &scheduled);
      assert_int_equal(written.n, scheduled.n);
      for (unsigned j = 0; j < written.n; j++)
        if (written.hash[j] != scheduled.hash[j])
          fail_msg("%s: other memory after launch %u, compile.schedule_unroll=%u", s.kernel[k].name, j, unroll);
    }
  }
  suite_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_move_up),
      cmocka_unit_test(registers_limit),
      cmocka_unit_test(written_stays),
      cmocka_unit_test(blocks_stay_apart),
      cmocka_unit_test(memory_order),
      cmocka_unit_test(another_value),
      cmocka_unit_test(convergent_order),
      cmocka_unit_test(register_order),
      cmocka_unit_test(random_programs),
      cmocka_unit_test(random_straight_lines),
      cmocka_unit_test(allocated),
      cmocka_unit_test(forced_below_need),
      cmocka_unit_test(a_part_of_the_iterations),
      cmocka_unit_test(all_iterations),
      cmocka_unit_test(left_in_the_middle),
      cmocka_unit_test(which_loops),
      cmocka_unit_test(pragma_keeps_loops),
      cmocka_unit_test(random_loops),
      cmocka_unit_test(same_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
