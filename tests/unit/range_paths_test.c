/* SPDX-License-Identifier: Apache-2.0 */
/*
 * range_paths: ranges of small programs. By hand: branches, loops, what their ranges must be. At random:
 * programs of nested loops, of counters that other code may change, and of branches to anywhere, run by one
 * thread on the alu's functions from many inputs; whatever is written lies in its range.
 */
#include "analysis_make.h"

#include "exec/alu.h"

enum { SINGLES = 6, PAIRS = 3, PREDS = 4, PARAMS = 6, REGS = SINGLES + PAIRS + PREDS };

/* ---- one thread on the alu ---- */

struct thread {
  const struct code *c;
  uint64_t reg[REGS], param[PARAMS];
};

static uint64_t read(const struct thread *t, const struct opnd *o) {
  switch (o->kind) {
    case O_REG: return t->reg[o->reg];
    case O_PRED: return t->reg[o->reg] ^ o->neg;
    case O_CBANK: return t->param[o->reg / 8];
    default: return o->imm;
  }
}

static void compute_lane(struct thread *t, const struct insn *i) {
  static uint32_t src[INSN_SRC][64] __attribute__((aligned(64))), dst[2][64] __attribute__((aligned(64)));
  struct alu_io io = {.lanes = 1, .dst = {dst[0], dst[1]}};
  for (unsigned k = 0; k < i->nsrc; k++) {
    uint64_t x = read(t, &i->src[k]);
    io.src[k] = src[k];
    src[k][0] = (uint32_t)x;
    src[k][32] = (uint32_t)(x >> 32);
    io.psrc[k] = x & 1;
  }
  alu_fn *fn = alu_pick(i);
  assert_non_null(fn);
  fn(i, &io);
  const struct opnd *d = &i->dst[0];
  if (d->kind == O_PRED) t->reg[d->reg] = io.pdst[0] & 1;
  else t->reg[d->reg] = dst[0][0] | (d->words == 2 ? (uint64_t)dst[0][32] << 32 : 0);
}

static bool lies_in(const struct value_bounds *r, unsigned words, uint64_t x) {
  uint64_t from = x - (uint64_t)r->lo;
  return (words == 2 ? from : (uint32_t)from) <= (uint64_t)(r->hi - r->lo);
}

/* Returns how many values were looked at. */
static unsigned run(struct thread *t, const struct register_ranges *r, uint64_t seed) {
  unsigned looked = 0;
  for (uint32_t pc = 0, steps = 0; steps < 4000; steps++) {
    const struct insn *i = &t->c->insn[pc++];
    if (i->guard.kind == O_PRED && !read(t, &i->guard)) continue;
    if (i->op == OP_EXIT) break;
    if (i->op == OP_BRA) {
      pc = i->target;
      continue;
    }
    compute_lane(t, i);
    if (i->dst[0].kind != O_REG) continue;
    const struct value_bounds *is = &r->dst[pc - 1][0];
    uint64_t x = t->reg[i->dst[0].reg];
    looked++;
    if (lies_in(is, i->dst[0].words, x) && lies_in(&r->reg[i->dst[0].reg], i->dst[0].words, x)) continue;
    for (uint32_t n = 0; n < t->c->n; n++) {
      char text[200];
      insn_print(t->c, n, text, sizeof text);
      print_message("%3u %s%s\n", n, text, n == pc - 1 ? "   <" : "");
    }
    fail_msg("seed %llu: found %lld, expected %lld to %lld", (unsigned long long)seed, (long long)x, (long long)is->lo,
             (long long)is->hi);
  }
  return looked;
}

/* ---- random programs ---- */

static uint64_t s;
static uint32_t below(uint32_t n) { return pick(&s, n); }

static uint64_t constant(void) {
  static const uint64_t odd[] = {0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x10000};
  return below(8) ? below(40) : odd[below(5)];
}

static struct opnd single(void) { return R(below(SINGLES)); }
static struct opnd pair(void) { return D(SINGLES + below(PAIRS)); }
static struct opnd any_single(void) {
  return below(3) == 0 ? I(constant()) : below(6) == 0 ? C(8 * below(PARAMS), 1) : single();
}
static struct opnd predicate(void) { return P(SINGLES + PAIRS + below(PREDS)); }

static struct insn *compare(struct make *k, struct opnd p, struct opnd a, struct opnd b, uint8_t cmp) {
  struct insn *i = setp(k, cmp, p, a, b);
  i->type = a.words == 2 ? T_S64 : below(2) ? T_S32 : T_U32;
  return i;
}

static void some_insn(struct make *k) {
  static const uint8_t two[] = {OP_ADD, OP_ADD, OP_SUB, OP_SUB, OP_MUL, OP_MIN, OP_MAX,
                                OP_AND, OP_OR,  OP_XOR, OP_SHL, OP_SHR, OP_REM, OP_DIV};
  struct insn *i;
  uint8_t op = two[below(sizeof two)];
  switch (below(12)) {
    case 0: i = op1(k, OP_MOV, T_B32, single(), any_single()); break;
    case 1:
      i = op1(k, OP_CVT, T_S64, pair(), single());
      i->stype = below(2) ? T_S32 : T_U32;
      break;
    case 2:
      i = op1(k, OP_CVT, T_U32, single(), pair());
      i->stype = T_U64;
      break;
    case 3: i = op2(k, OP_MUL, below(2) ? T_S32 : T_U32, pair(), single(), I(constant())), i->mods = M_WIDE; break;
    case 4: i = op2(k, OP_ADD, T_S64, pair(), pair(), below(2) ? pair() : I2(below(40))); break;
    case 5:
      i = op2(k, OP_SELP, T_B32, single(), any_single(), any_single());
      i->src[i->nsrc++] = predicate();
      break;
    case 6: i = op1(k, below(2) ? OP_NOT : OP_NEG, T_S32, single(), single()); break;
    case 7: i = compare(k, predicate(), single(), any_single(), (uint8_t)(C_EQ + below(6))); break;
    case 8: i = op2(k, below(2) ? OP_AND : OP_OR, T_PRED, predicate(), predicate(), predicate()); break;
    default:
      i = op2(k, op, below(2) ? T_S32 : T_U32, single(), single(), any_single());
      if (op == OP_MUL) i->mods = M_LO;
  }
  if (i->op == OP_NOT || i->op == OP_AND || i->op == OP_OR || i->op == OP_XOR || i->op == OP_SHL)
    i->type = i->type == T_PRED ? T_PRED : T_B32;
  if (below(30) == 0) { /* x - x / d * d */
    struct opnd x = single(), d = any_single(), q = single();
    uint8_t type = below(2) ? T_S32 : T_U32;
    op2(k, OP_DIV, type, q, x, d);
    op2(k, OP_MUL, type, q, q, d)->mods = M_LO;
    i = op2(k, OP_SUB, type, single(), x, q);
  }
  if (below(8) == 0) i->guard = predicate(), i->guard.neg = (uint8_t)below(2);
}

/* A counter from something to something by steps, tested before or behind the body; the body may change all
 * of it. */
static void some_code(struct make *k, unsigned depth);
static void some_loop(struct make *k, unsigned depth) {
  bool wide = below(4) == 0, down = below(4) == 0, before = below(2);
  struct opnd i = wide ? pair() : single(), p = predicate(), step = wide ? I2(1 + below(4)) : I(1 + below(4));
  struct opnd end = wide ? (below(2) ? pair() : I2(below(60))) : any_single();
  static const uint8_t stay[] = {C_LT, C_LE, C_NE, C_NE, C_GT, C_GE};
  uint8_t cmp = stay[below(6)];
  if (below(3)) op1(k, OP_MOV, wide ? T_B64 : T_B32, i, wide ? I2(below(50)) : I(below(50)));
  uint32_t head = k->c->n, leave = 0;
  if (before) {
    compare(k, p, i, end, cmp);
    leave = k->c->n;
    brap(k, 0, p.reg)->guard.neg = 1;
  }
  some_code(k, depth);
  op2(k, down ? OP_SUB : OP_ADD, wide ? T_S64 : T_S32, i, i, step);
  if (before) bra(k, head);
  else {
    compare(k, p, i, end, cmp);
    brap(k, head, p.reg);
  }
  if (before) k->c->insn[leave].target = k->c->n;
}

static void some_code(struct make *k, unsigned depth) {
  for (unsigned n = 1 + below(4); n; n--) {
    unsigned what = below(10);
    if (what < 6 || !depth) some_insn(k);
    else if (what < 9) some_loop(k, depth - 1);
    else { /* an if */ uint32_t at = k->c->n;
      brap(k, 0, predicate().reg);
      some_code(k, depth - 1);
      k->c->insn[at].target = k->c->n;
    }
  }
}

static void some_program(struct make *k) {
  make_begin(k);
  for (unsigned v = 0; v < REGS; v++) reg(k, v < SINGLES ? 1 : v < SINGLES + PAIRS ? 2 : 0);
  k->c->param = arena_alloc(&k->m->arena, PARAMS * sizeof *k->c->param);
  k->c->nparam = PARAMS;
  k->c->param_bytes = 8 * PARAMS;
  for (unsigned p = 0; p < PARAMS; p++)
    k->c->param[p] = (struct param){.name = "n", .offset = 8 * p, .size = 4, .type = T_U32};
  for (uint32_t v = 0; v < SINGLES; v++) op1(k, OP_MOV, T_B32, R(v), below(2) ? I(constant()) : C(8 * v, 1));
  for (uint32_t v = 0; v < PAIRS; v++) op1(k, OP_MOV, T_B64, D(SINGLES + v), I2(below(100)));
  for (uint32_t v = 0; v < PREDS; v++) compare(k, P(SINGLES + PAIRS + v), single(), any_single(), C_LT);
  some_code(k, 3);
  for (unsigned n = below(4); n; n--) { /* and branches to anywhere */
    brap(k, below(k->c->n), predicate().reg);
    some_insn(k);
  }
  add(k, OP_EXIT, T_NONE);
  make_done(k);
}

static void what_programs_write_lies_in_its_range(void **state) {
  (void)state;
  unsigned long long looked = 0, narrow = 0, all = 0;
  const char *from = getenv("RANGE_SEED");
  uint64_t first = from ? strtoull(from, NULL, 0) : 1;
  for (uint64_t seed = first; seed < first + 4000; seed++) {
    struct make k;
    struct launch_facts f = {.any = true, .param = (struct bounds[PARAMS]){{0, 0, 0, 0}}};
    struct register_ranges r;
    s = seed;
    some_program(&k);
    for (unsigned p = 0; p < PARAMS; p++) {
      uint32_t lo = (uint32_t)constant(), more = below(2) ? 0 : below(30);
      if (lo > UINT32_MAX - more) more = 0;
      f.param[p] = (struct bounds){lo, lo + more, (int32_t)lo, (int64_t)(int32_t)lo + more};
      if (f.param[p].shi > INT32_MAX) f.param[p].slo = INT32_MIN, f.param[p].shi = INT32_MAX;
    }
    register_ranges_build(k.c, REGS, seed % 4 ? &f : NULL, &r);
    for (uint32_t i = 0; i < k.c->n; i++) {
      if (k.c->insn[i].ndst != 1 || k.c->insn[i].dst[0].kind != O_REG) continue;
      narrow += r.dst[i][0].hi - r.dst[i][0].lo < 1 << 16;
      all++;
    }
    for (unsigned turn = 0; turn < 6; turn++) {
      struct thread t = {.c = k.c};
      for (unsigned p = 0; p < PARAMS; p++)
        t.param[p] = turn == 0   ? f.param[p].lo
                     : turn == 1 ? f.param[p].hi
                                 : f.param[p].lo + below((uint32_t)(f.param[p].hi - f.param[p].lo) + 1);
      looked += run(&t, &r, seed);
    }
    register_ranges_free(&r);
    module_free(k.m);
  }
  print_message("%llu values; %llu of %llu ranges narrow\n", looked, narrow, all);
  assert_true(looked > 100000 && narrow > all / 4);
}

/* ---- by hand ---- */

static void find(struct make *k, struct register_ranges *r) {
  make_done(k);
  register_ranges_build(k->c, k->c->nvreg, NULL, r);
}

static void end(struct make *k, struct register_ranges *r) {
  register_ranges_free(r);
  module_free(k->m);
}

static void expect(const struct register_ranges *r, uint32_t insn, int64_t lo, int64_t hi) {
  if (r->dst[insn][0].lo == lo && r->dst[insn][0].hi == hi) return;
  fail_msg("instruction %u: found %lld to %lld, expected %lld to %lld", insn, (long long)r->dst[insn][0].lo,
           (long long)r->dst[insn][0].hi, (long long)lo, (long long)hi);
}

/* A sum below 50, then counted on by ones or by a step of an argument: the shape of the paper's figure 8. */
static void branches_bound(void **state) {
  (void)state;
  struct make k;
  struct register_ranges r;
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), p = reg(&k, 0), q = reg(&k, 0);
  op1(&k, OP_MOV, T_B32, R(a), C(0, 1));           /* 0 */
  setp(&k, C_LT, P(p), R(a), I(50))->type = T_S32; /* 1 */
  setp(&k, C_GE, P(q), R(a), I(0))->type = T_S32;  /* 2 */
  op2(&k, OP_AND, T_PRED, P(p), P(p), P(q));       /* 3 */
  brap(&k, 7, p)->guard.neg = 1;                   /* 4: else */
  op2(&k, OP_ADD, T_S32, R(b), R(a), I(100));      /* 5 */
  bra(&k, 8);                                      /* 6 */
  op2(&k, OP_AND, T_B32, R(b), R(a), I(255));      /* 7 */
  op2(&k, OP_ADD, T_S32, R(b), R(b), I(1));        /* 8 */
  add(&k, OP_EXIT, T_NONE);
  find(&k, &r);
  expect(&r, 0, INT32_MIN, INT32_MAX);
  expect(&r, 5, 100, 149);
  expect(&r, 7, 0, 255);
  expect(&r, 8, 1, 256);
  assert_int_equal(r.why[5][0].line, k.c->insn[4].line);
  assert_true(r.why[5][0].in.lo == 0 && r.why[5][0].in.hi == 49);
  assert_int_equal(r.why[8][0].line, 0);
  end(&k, &r);
}

/* for (i = 0; i != n; i += step) { x += 3; at += 8; } with what is given of n. */
static void a_loop(uint8_t cmp, uint32_t step, uint64_t n, int64_t top, int64_t sum, int64_t at) {
  struct make k;
  struct register_ranges r;
  make_begin(&k);
  uint32_t i = reg(&k, 1), x = reg(&k, 1), d = reg(&k, 2), p = reg(&k, 0);
  op1(&k, OP_MOV, T_B32, R(i), I(0));            /* 0 */
  op1(&k, OP_MOV, T_B32, R(x), I(0));            /* 1 */
  op1(&k, OP_MOV, T_B64, D(d), I2(65536));       /* 2 */
  op2(&k, OP_ADD, T_S32, R(x), R(x), I(3));      /* 3 */
  op2(&k, OP_ADD, T_S64, D(d), D(d), I2(8));     /* 4 */
  op2(&k, OP_ADD, T_S32, R(i), R(i), I(step));   /* 5 */
  setp(&k, cmp, P(p), R(i), I(n))->type = T_S32; /* 6 */
  brap(&k, 3, p);                                /* 7 */
  add(&k, OP_EXIT, T_NONE);
  find(&k, &r);
  expect(&r, 5, step, top);
  expect(&r, 3, 3, sum);
  expect(&r, 4, 65544, at);
  end(&k, &r);
}

static void loops_are_counted(void **state) {
  (void)state;
  a_loop(C_LT, 1, 100, 100, 300, 65536 + 800);
  a_loop(C_LT, 7, 100, 105, 3 * 15, 65536 + 8 * 15);
  a_loop(C_NE, 1, 100, 100, 300, 65536 + 800);
  a_loop(C_NE, 4, 100, 100, 75, 65536 + 200);
  a_loop(C_NE, 12, 144, 144, 36, 65536 + 96);
}

/* for (t = b - a; t != 0; t--), entered where a < b, or where a <= b only. */
static void difference(uint8_t leave, int64_t least, int64_t first, int64_t last) {
  struct make k;
  struct register_ranges r;
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), t = reg(&k, 1), p = reg(&k, 0);
  op2(&k, OP_AND, T_B32, R(a), C(0, 1), I(15));      /* 0 */
  op2(&k, OP_AND, T_B32, R(b), C(4, 1), I(63));      /* 1 */
  setp(&k, leave, P(p), R(a), R(b))->type = T_S32;   /* 2 */
  brap(&k, 8, p);                                    /* 3 */
  op2(&k, OP_SUB, T_S32, R(t), R(b), R(a));          /* 4 */
  op2(&k, OP_ADD, T_S32, R(t), R(t), I(0xffffffff)); /* 5 */
  setp(&k, C_NE, P(p), R(t), I(0))->type = T_S32;    /* 6 */
  brap(&k, 5, p);                                    /* 7 */
  add(&k, OP_EXIT, T_NONE);                          /* 8 */
  find(&k, &r);
  expect(&r, 4, least, 63);
  expect(&r, 5, first, last);
  end(&k, &r);
}

static void differences(void **state) {
  (void)state;
  difference(C_GE, 1, 0, 62);
  difference(C_GT, 0, INT32_MIN, INT32_MAX); /* from 0 it counts all the way round */
}

/* x - x / d * d, as x % d is compiled; and of another quotient, which is no remainder. */
static void remainders(void **state) {
  (void)state;
  struct make k;
  struct register_ranges r;
  make_begin(&k);
  uint32_t x = reg(&k, 1), d = reg(&k, 1), q = reg(&k, 1), t = reg(&k, 1);
  op2(&k, OP_AND, T_B32, R(x), C(0, 1), I(1023));        /* 0 */
  op2(&k, OP_AND, T_B32, R(d), C(4, 1), I(15));          /* 1 */
  op2(&k, OP_ADD, T_S32, R(d), R(d), I(5));              /* 2: 5 to 20 */
  op2(&k, OP_DIV, T_S32, R(q), R(x), R(d));              /* 3 */
  op2(&k, OP_MUL, T_S32, R(t), R(d), R(q))->mods = M_LO; /* 4 */
  op2(&k, OP_SUB, T_S32, R(t), R(x), R(t));              /* 5 */
  op2(&k, OP_MUL, T_S32, R(t), I(5), R(q))->mods = M_LO; /* 6 */
  op2(&k, OP_SUB, T_S32, R(t), R(x), R(t));              /* 7 */
  add(&k, OP_EXIT, T_NONE);
  find(&k, &r);
  expect(&r, 5, 0, 19);
  expect(&r, 7, -1020, 1023);
  end(&k, &r);
}

/* for (i = a; i != b; i++), entered where a < b, or a <= b: then it may begin at its end. */
static void meeting(uint8_t leave, int64_t first, int64_t last) {
  struct make k;
  struct register_ranges r;
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), i = reg(&k, 1), p = reg(&k, 0);
  op2(&k, OP_AND, T_B32, R(a), C(0, 1), I(15));    /* 0 */
  op2(&k, OP_AND, T_B32, R(b), C(4, 1), I(63));    /* 1 */
  setp(&k, leave, P(p), R(a), R(b))->type = T_S32; /* 2 */
  brap(&k, 8, p);                                  /* 3 */
  op1(&k, OP_MOV, T_B32, R(i), R(a));              /* 4 */
  op2(&k, OP_ADD, T_S32, R(i), R(i), I(1));        /* 5 */
  setp(&k, C_NE, P(p), R(i), R(b))->type = T_S32;  /* 6 */
  brap(&k, 5, p);                                  /* 7 */
  add(&k, OP_EXIT, T_NONE);                        /* 8 */
  find(&k, &r);
  expect(&r, 5, first, last);
  end(&k, &r);
}

/* An end that moves out of the way: do { i++; } while (i != 5 + (i & 1)). */
static void missing(void) {
  struct make k;
  struct register_ranges r;
  make_begin(&k);
  uint32_t i = reg(&k, 1), n = reg(&k, 1), p = reg(&k, 0);
  op1(&k, OP_MOV, T_B32, R(i), I(0));             /* 0 */
  op2(&k, OP_ADD, T_S32, R(i), R(i), I(1));       /* 1 */
  op2(&k, OP_AND, T_B32, R(n), R(i), I(1));       /* 2 */
  op2(&k, OP_ADD, T_S32, R(n), R(n), I(5));       /* 3 */
  setp(&k, C_NE, P(p), R(i), R(n))->type = T_S32; /* 4 */
  brap(&k, 1, p);                                 /* 5 */
  add(&k, OP_EXIT, T_NONE);                       /* 6 */
  find(&k, &r);
  expect(&r, 1, INT32_MIN, INT32_MAX);
  expect(&r, 3, 5, 6);
  end(&k, &r);
}

static void loops_that_meet_an_end(void **state) {
  (void)state;
  meeting(C_GE, 1, 63);
  meeting(C_GT, INT32_MIN, INT32_MAX);
  missing();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(branches_bound),
                                     cmocka_unit_test(loops_are_counted),
                                     cmocka_unit_test(differences),
                                     cmocka_unit_test(remainders),
                                     cmocka_unit_test(loops_that_meet_an_end),
                                     cmocka_unit_test(what_programs_write_lies_in_its_range)};
  return cmocka_run_group_tests_name("range_paths", tests, NULL, NULL);
}
