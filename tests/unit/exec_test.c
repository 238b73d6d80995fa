/* SPDX-License-Identifier: Apache-2.0 */
/* exec: functional execution of lanes: guards, the SIMT stack, every memory space and width, faults with
 * their texts. */
#include "exec_kern.h"

#include "base/bits.h"

/* ---- the memory image ---- */

static void test_memory(void **state) {
  (void)state;
  static const uint8_t init[] = {1, 2, 3, 4};
  struct symbol sym[] = {
      {"g", SP_GLOBAL, T_U32, GLOBAL_BASE, 4, init},
      {"h", SP_GLOBAL, T_U32, GLOBAL_BASE + 16, 8, NULL},
      {"c", SP_CONST, T_U8, 8, 4, init},
  };
  struct module m = {.symbol = sym, .nsymbol = 3, .global_end = GLOBAL_BASE + 24, .const_bytes = 12};
  struct memory *mem = memory_new(&m);
  assert_memory_equal(memory_at(mem, GLOBAL_BASE, 4), init, 4);
  assert_memory_equal(memory_const(mem) + 8, init, 4);
  assert_null(memory_at(mem, GLOBAL_BASE, 5));
  assert_null(memory_at(mem, GLOBAL_BASE + 5, 1));
  assert_null(memory_at(mem, 0, 1));
  assert_non_null(memory_at(mem, GLOBAL_BASE + 16, 8));
  uint32_t a = memory_alloc(mem, "a", 100), b = memory_alloc(mem, "b", 0), c = memory_alloc(mem, "c", 4096);
  assert_int_equal(a % 256, 0);
  assert_true(a > GLOBAL_BASE + 24 && b >= a + 100 + 256 && c >= b + 256);
  assert_non_null(memory_at(mem, a + 99, 1));
  assert_null(memory_at(mem, a + 99, 2));
  assert_non_null(memory_at(mem, a + 100, 0));
  assert_non_null(memory_at(mem, b, 0));
  assert_null(memory_at(mem, b, 1));
  assert_null(memory_at(mem, c - 1, 1));
  /* a pad holds its neighbours off, and is none of the buffer's bytes */
  uint32_t d = memory_alloc_padded(mem, "d", 40, 1000), f = memory_alloc(mem, "f", 4);
  assert_true(d - 1000 >= c + 256 && f >= d + 40 + 1000 + 256 && d % 256 == 0);
  assert_null(memory_at(mem, d - 4, 4));
  assert_null(memory_at(mem, d + 40, 4));
  assert_int_equal(memory_alloc(mem, "big", LOCAL_BASE - 4096), 0);
  uint32_t big = memory_alloc(mem, "big", LOCAL_BASE - 0x100000);
  assert_int_not_equal(big, 0);
  assert_int_equal(*memory_at(mem, big + LOCAL_BASE - 0x100001, 1), 0);
  memory_free(mem);
  memory_free(NULL);
}

/* ---- lanes, guards, divergence ---- */

static void test_threads(void **state) {
  (void)state;
  struct kern *k = kern(1, 1);
  k->l.block[0] = 5, k->l.block[1] = 3, k->l.block[2] = 3; /* 45 threads: a partial warp */
  k->l.grid[0] = 2, k->l.grid[1] = 3, k->l.grid[2] = 2;
  uint32_t a = buffer(k, "a", 12 * 45 * 4);
  /* r0 = tid.x + 5 tid.y + 15 tid.z; r1 = ctaid.x + 2 ctaid.y + 6 ctaid.z; a[45 r1 + r0] = packed */
  mul(k, R(0), S(SR_TID_Y), S(SR_NTID_X));
  add(k, R(0), R(0), S(SR_TID_X));
  mul(k, R(1), S(SR_TID_Z), I(15));
  add(k, R(0), R(0), R(1));
  mul(k, R(1), S(SR_CTAID_Y), S(SR_NCTAID_X));
  add(k, R(1), R(1), S(SR_CTAID_X));
  mul(k, R(2), S(SR_CTAID_Z), I(6));
  add(k, R(1), R(1), R(2));
  mul(k, R(3), R(1), I(45));
  add(k, R(3), R(3), R(0));
  mul(k, D(4), R(3), I(4));
  add(k, D(4), D(4), I64(a));
  mul(k, R(6), S(SR_LANEID), I(1000));
  mul(k, R(7), S(SR_WARPID), I(100000));
  add(k, R(6), R(6), R(7));
  add(k, R(6), R(6), R(3));
  st(k, SP_GLOBAL, T_U32, D(4), 0, R(6));
  leave(k);
  run(k, 3);
  for (uint32_t t = 0; t < 12 * 45; t++)
    assert_int_equal(word(k, a + 4 * t), t % 45 % 32 * 1000 + t % 45 / 32 * 100000 + t);
  assert_int_equal(k->n.warp_insns, 12 * 2 * 18);
  assert_int_equal(k->n.thread_insns, 12 * 45 * 18);
  end(k);
}

static void test_special_registers(void **state) {
  (void)state;
  struct kern *k = kern(64, 1);
  k->c.shared_bytes = 20;
  k->l.shared_dyn = 100;
  uint32_t a = buffer(k, "a", 64 * 64);
  static const enum sreg s[] = {SR_LANEMASK_EQ, SR_LANEMASK_LE, SR_LANEMASK_LT, SR_LANEMASK_GE, SR_LANEMASK_GT,
                                SR_CLOCK,       SR_SMID,        SR_NSMID,       SR_NWARPID,     SR_GRIDID,
                                SR_DYN_SMEM,    SR_TOTAL_SMEM,  SR_CLOCK_HI};
  enum { N = sizeof s / sizeof *s };
  where(k, 0, a, 64);
  for (unsigned i = 0; i < N; i++) {
    mov(k, R(8), S(s[i]));
    st(k, SP_GLOBAL, T_U32, D(2), 4 * i, R(8));
  }
  struct opnd c64 = S(SR_CLOCK64);
  c64.words = 2;
  mov(k, D(8), c64);
  st(k, SP_GLOBAL, T_U64, D(2), 56, D(8));
  leave(k);
  run(k, 1);
  for (uint32_t t = 0; t < 64; t++) {
    uint32_t l = t % 32, v[16];
    for (unsigned i = 0; i < 16; i++) v[i] = word(k, a + 64 * t + 4 * i);
    assert_int_equal(v[0], 1u << l);
    assert_int_equal(v[1], l == 31 ? 0xffffffffu : (1u << (l + 1)) - 1);
    assert_int_equal(v[2], (1u << l) - 1);
    assert_int_equal(v[3], 0xffffffffu << l);
    assert_int_equal(v[4], l == 31 ? 0 : 0xffffffffu << (l + 1));
    assert_int_equal(v[5], 4 + 10); /* the warp's own count */
    assert_int_equal(v[6], 0);
    assert_int_equal(v[7], 1);
    assert_int_equal(v[8], 2);
    assert_int_equal(v[9], 0);
    assert_int_equal(v[10], 100);
    assert_int_equal(v[11], 132); /* 20, aligned to 16, and 100 */
    assert_int_equal(v[12], 0);
    assert_int_equal(v[14], 4 + 26);
    assert_int_equal(v[15], 0);
  }
  end(k);
}

static void test_guards(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 128);
  where(k, 0, a, 4);
  setp(k, 1, C_LT, R(0), I(10));
  mov(k, R(8), I(1));
  mov(k, R(8), I(2))->guard = P(1);
  add(k, R(8), R(8), I(10))->guard = NP(1);
  put(k, OP_SELP, T_B32, R(9), I(100), I(200), NP(1));
  add(k, R(8), R(8), R(9));
  setp(k, 1, C_LT, R(0), I(5))->guard = P(1); /* lanes 10.. keep their false */
  add(k, R(8), R(8), I(1000))->guard = P(1);
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8));
  leave(k);
  run(k, 1);
  for (uint32_t t = 0; t < 32; t++) assert_int_equal(word(k, a + 4 * t), (t < 10 ? 202 : 111) + (t < 5 ? 1000 : 0));
  end(k);
}

/* if (t < 16) { if (t < 8) r = 1 else r = 2; r += 10 } else if (t < 24) r = 3; r += 100 */
static void test_nesting(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 128);
  where(k, 0, a, 4);
  setp(k, 0, C_LT, R(0), I(16));          /* 4 */
  bra(k, NP(0), 12, 15);                  /* 5 */
  setp(k, 1, C_LT, R(0), I(8));           /* 6 */
  bra(k, P(1), 10, 11);                   /* 7 */
  mov(k, R(8), I(2));                     /* 8 */
  bra(k, NONE, 11, 11);                   /* 9 */
  mov(k, R(8), I(1));                     /* 10 */
  bra(k, NONE, 18, 18);                   /* 11: through a block with r += 10 */
  setp(k, 2, C_LT, R(0), I(24));          /* 12 */
  mov(k, R(8), I(3))->guard = P(2);       /* 13 */
  bra(k, NONE, 15, 15);                   /* 14 */
  add(k, R(8), R(8), I(100));             /* 15 */
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8)); /* 16 */
  leave(k);                               /* 17 */
  add(k, R(8), R(8), I(10));              /* 18 */
  bra(k, NONE, 15, 15);                   /* 19 */
  run(k, 1);
  for (uint32_t t = 0; t < 32; t++)
    assert_int_equal(word(k, a + 4 * t), 100 + (t < 8 ? 11 : t < 16 ? 12 : t < 24 ? 3 : 0));
  /* reconverged: 15, 16, 17 once. 6 + 1 x (6..8, 9, 10), 11, 18, 19; 12 13 14; */
  assert_int_equal(k->n.warp_insns, 6 + 5 + 3 + 3 + 3);
  end(k);
}

/* Each lane loops t + 1 times around an inner loop of t % 4 turns; lanes above 29 leave early from inside. */
static void test_loops(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 128);
  where(k, 0, a, 4);
  mov(k, R(8), I(0));                             /* 4: sum */
  mov(k, R(9), I(0));                             /* 5: i */
  mov(k, R(10), I(0));                            /* 6: j; outer: */
  put(k, OP_AND, T_B32, R(11), R(0), I(3), NONE); /* 7: inner: */
  setp(k, 1, C_GE, R(10), R(11));                 /* 8 */
  bra(k, P(1), 13, 13);                           /* 9 */
  add(k, R(8), R(8), I(1));                       /* 10 */
  add(k, R(10), R(10), I(1));                     /* 11 */
  bra(k, NONE, 8, 8);                             /* 12 */
  setp(k, 2, C_GE, R(0), I(30));                  /* 13 */
  leave(k)->guard = P(2);                         /* 14 */
  add(k, R(8), R(8), I(1000));                    /* 15 */
  add(k, R(9), R(9), I(1));                       /* 16 */
  setp(k, 1, C_LT, R(0), R(9));                   /* 17: t < i */
  bra(k, NP(1), 6, 19);                           /* 18 */
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8));         /* 19 */
  leave(k);                                       /* 20 */
  run(k, 1);
  for (uint32_t t = 0; t < 32; t++) assert_int_equal(word(k, a + 4 * t), t >= 30 ? 0 : (t + 1) * (1000 + t % 4));
  /* always together: 30 outer turns of 8; inner ones of 2 per test and 3 per turn, for the slowest lane */
  assert_int_equal(k->n.warp_insns, 6 + 30 * 8 + 28 * (4 * 2 + 3 * 3) + 2 * (2 * 2 + 3) + 2);
  end(k);
}

/* A branch whose sides meet only at the exit; one side exits in a nested branch. */
static void test_exits(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 128);
  where(k, 0, a, 4);
  setp(k, 0, C_LT, R(0), I(20));          /* 4 */
  bra(k, P(0), 9, 99);                    /* 5 */
  mov(k, R(8), I(7));                     /* 6 */
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8)); /* 7 */
  leave(k);                               /* 8 */
  setp(k, 1, C_LT, R(0), I(4));           /* 9 */
  bra(k, P(1), 13, 99);                   /* 10 */
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(0)); /* 11 */
  leave(k);                               /* 12 */
  mov(k, R(8), I(9));                     /* 13 */
  bra(k, NONE, 7, 7);                     /* 14 */
  k->reconv[5] = k->reconv[10] = k->c.n;
  run(k, 1);
  for (uint32_t t = 0; t < 32; t++) assert_int_equal(word(k, a + 4 * t), t < 4 ? 9 : t < 20 ? t : 7);
  end(k);
}

/* Every lane leaves the chain of nested branches at its own depth: the deepest stack there can be. */
static void test_deep(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 128);
  where(k, 0, a, 4);
  mov(k, R(8), I(0));
  enum { FIRST = 5, N = 8 };
  /* level i: if (t >= 4 i) { level i + 1 } else r8 = i + 1; each level adds 16 when it ends */
  uint32_t tails = FIRST + 2 * N + 1;
  for (unsigned i = 0; i < N; i++) {
    setp(k, 1, C_LT, R(0), I(4 * (i + 1)));
    bra(k, P(1), tails + 2 * (N - 1 - i) + 0, tails + 2 * (N - 1 - i) + 0);
  }
  add(k, R(8), R(8), I(1000)); /* no lane: 4 N = 32 */
  for (unsigned i = 0; i < N; i++) {
    add(k, R(8), R(8), I(16));
    add(k, R(8), R(8), I(1));
  }
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8));
  leave(k);
  run(k, 1);
  for (uint32_t t = 0; t < 32; t++) assert_int_equal(word(k, a + 4 * t), 17 * (t / 4 + 1));
  end(k);
}

/* ---- any control flow ---- */

/* Marks what is reachable from `at` without passing `wall`; true: the last exit is. Lanes that leave under a
 * guard need no point to meet the others. */
static bool reaches(const struct kern *k, uint32_t at, uint32_t wall, bool *seen) {
  if (at == wall || seen[at]) return false;
  seen[at] = true;
  const struct insn *i = &k->insn[at];
  if (i->op == OP_EXIT && !i->guard.kind) return true;
  bool found = i->op == OP_BRA && reaches(k, i->target, wall, seen);
  if (i->op != OP_BRA || i->guard.kind) found |= reaches(k, at + 1, wall, seen);
  return found;
}
static bool postdominates(const struct kern *k, uint32_t d, uint32_t at) {
  bool seen[MAX] = {false};
  return d != at && !reaches(k, at, d, seen);
}
/* Immediate post-dominator by definition: the one that all the others post-dominate. */
static uint32_t meet(const struct kern *k, uint32_t at) {
  for (uint32_t d = 0; d < k->c.n; d++) {
    bool nearest = postdominates(k, d, at);
    for (uint32_t o = 0; nearest && o < k->c.n; o++)
      if (o != d && postdominates(k, o, at) && !postdominates(k, o, d)) nearest = false;
    if (nearest) return d;
  }
  return k->c.n;
}

enum { BLOCKS = 8, A = 1664525, FUEL = 40 };
struct edge {
  uint32_t mask, to;
  bool leave;
};

/* One thread through the random graph below, alone. */
static uint32_t thread_alone(const struct edge *g, uint32_t t) {
  uint32_t r = t * 77, b = 0;
  for (uint32_t fuel = 0;;) {
    r = r * A + b + 1;
    if (++fuel >= FUEL) return r;
    if (g[b].leave && !(r & g[b].mask << 8)) return 0;
    b = r & g[b].mask ? g[b].to : b + 1;
    if (b == BLOCKS) return r;
  }
}

/* Random graphs, forward and backward edges, exits in the middle: 32 lanes together do what each does alone,
 * with the true points of reconvergence and with none but the exit. */
static void test_random_flow(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (unsigned turn = 0; turn < 120; turn++) {
    struct edge g[BLOCKS];
    struct kern *k = kern(32, 1);
    uint32_t a = buffer(k, "a", 128), first = 6, per = 12, last = first + per * BLOCKS;
    where(k, 0, a, 4);
    mul(k, R(8), R(0), I(77));
    mov(k, R(9), I(0));
    for (unsigned b = 0; b < BLOCKS; b++) {
      uint64_t x = rng_next(&seed);
      g[b] = (struct edge){1u << (x % 5 + 16), (uint32_t)(x >> 8) % (BLOCKS + 1), (x >> 16) % 6 == 0};
      mul(k, R(8), R(8), I(A));
      add(k, R(8), R(8), I(b + 1));
      add(k, R(9), R(9), I(1));
      setp(k, 0, C_GE, R(9), I(FUEL));
      st(k, SP_GLOBAL, T_U32, D(2), 0, R(8))->guard = P(0);
      leave(k)->guard = P(0);
      put(k, OP_AND, T_B32, R(10), R(8), I(g[b].leave ? g[b].mask << 8 : 0), NONE);
      setp(k, 1, C_EQ, R(10), I(g[b].leave ? 0 : 1));
      leave(k)->guard = P(1);
      put(k, OP_AND, T_B32, R(10), R(8), I(g[b].mask), NONE);
      setp(k, 2, C_NE, R(10), I(0));
      bra(k, P(2), first + per * g[b].to, 0);
    }
    assert_int_equal(k->c.n, last);
    st(k, SP_GLOBAL, T_U32, D(2), 0, R(8));
    leave(k);
    for (unsigned how = 0; how < 3; how++) {
      for (uint32_t n = 0; n < k->c.n; n++)
        if (k->insn[n].op == OP_BRA) k->reconv[n] = how == 1 || (how == 2 && rng_next(&seed) % 2) ? k->c.n : meet(k, n);
      for (unsigned t = 0; t < 32; t++) set_word(k, a + 4 * t, 0);
      run(k, 1);
      for (uint32_t t = 0; t < 32; t++) assert_int_equal(word(k, a + 4 * t), thread_alone(g, t));
    }
    end(k);
  }
}

/* ---- memory spaces and widths ---- */

static void test_widths(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  uint32_t in = buffer(k, "in", 32 * 8), out = buffer(k, "out", 32 * 96);
  for (unsigned i = 0; i < 32 * 8; i++) *memory_at(k->mem, in + i, 1) = (uint8_t)(i * 37 + 200);
  where(k, 0, in, 8);
  mul(k, D(4), R(0), I(96));
  add(k, D(4), D(4), I64(out));
  static const enum dtype t[] = {T_U8, T_S8, T_B16, T_S16, T_U32, T_F16};
  for (unsigned i = 0; i < 6; i++) {
    ld(k, SP_GLOBAL, t[i], R(8), D(2), 4);
    st(k, SP_GLOBAL, T_B32, D(4), 4 * i, R(8));
  }
  static const enum dtype w[] = {T_U8, T_S8, T_S16, T_S32, T_U32, T_U64};
  for (unsigned i = 0; i < 6; i++) {
    ld(k, SP_GLOBAL, w[i], D(10), D(2), 0);
    st(k, SP_GLOBAL, T_B64, D(4), 24 + 8 * i, D(10));
  }
  ld(k, SP_GLOBAL, T_U32, R(8), D(2), 0);
  st(k, SP_GLOBAL, T_B8, D(4), 73, R(8));
  st(k, SP_GLOBAL, T_B16, D(4), 76, R(8));
  leave(k);
  run(k, 1);
  for (uint32_t n = 0; n < 32; n++) {
    const uint8_t *p = memory_at(k->mem, in + 8 * n, 8), *q = p + 4;
    uint32_t a = out + 96 * n;
    uint16_t h = (uint16_t)(q[0] | q[1] << 8);
    assert_int_equal(word(k, a), q[0]);
    assert_int_equal(word(k, a + 4), (uint32_t)(int8_t)q[0]);
    assert_int_equal(word(k, a + 8), h);
    assert_int_equal(word(k, a + 12), (uint32_t)(int16_t)h);
    assert_int_equal(word(k, a + 16), h | (uint32_t)q[2] << 16 | (uint32_t)q[3] << 24);
    assert_int_equal(word(k, a + 20), h);
    uint16_t l = (uint16_t)(p[0] | p[1] << 8);
    uint32_t lo = l | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    assert_int_equal(word(k, a + 24), p[0]);
    assert_int_equal(word(k, a + 28), 0);
    assert_int_equal(word(k, a + 32), (uint32_t)(int8_t)p[0]);
    assert_int_equal(word(k, a + 36), p[0] >> 7 ? 0xffffffffu : 0);
    assert_int_equal(word(k, a + 40), (uint32_t)(int16_t)l);
    assert_int_equal(word(k, a + 44), l >> 15 ? 0xffffffffu : 0);
    assert_int_equal(word(k, a + 48), lo);
    assert_int_equal(word(k, a + 52), lo >> 31 ? 0xffffffffu : 0);
    assert_int_equal(word(k, a + 56), lo);
    assert_int_equal(word(k, a + 60), 0);
    assert_memory_equal(memory_at(k->mem, a + 64, 8), p, 8);
    assert_int_equal(word(k, a + 72), (uint32_t)p[0] << 8);
    assert_int_equal(word(k, a + 76), l);
  }
  end(k);
}

/* Vectors through global, shared and local memory, every width; lanes 5..30 only in the second half. */
static void vectors(enum space sp, bool partial) {
  struct kern *k = kern(32, 1);
  uint32_t in = buffer(k, "in", 32 * 16), out = buffer(k, "out", 32 * 64);
  for (unsigned i = 0; i < 32 * 16; i++) *memory_at(k->mem, in + i, 1) = (uint8_t)(i * 73 + 11);
  k->c.shared_bytes = 32 * 32;
  k->c.local_bytes = 36;
  where(k, 0, in, 16);
  mul(k, D(4), R(0), I(64));
  add(k, D(4), D(4), I64(out));
  struct opnd at = R(6);
  if (sp == SP_LOCAL) mov(k, R(6), I(0));
  else if (sp == SP_SHARED) mul(k, R(6), R(0), I(32));
  else mov(k, at = D(6), D(4));
  setp(k, 0, C_LT, R(0), I(31));
  setp(k, 1, C_GE, R(0), I(5));
  put(k, OP_SELP, T_B32, R(8), I(1), I(0), P(0));
  put(k, OP_SELP, T_B32, R(8), R(8), I(0), P(1));
  setp(k, 0, C_NE, R(8), I(0));
  struct opnd g = partial ? P(0) : NONE;
  struct insn *i;
  i = ld(k, SP_GLOBAL, T_F32, R(12), D(2), 0), i->vec = 4, i->ndst = 4, i->guard = g;
  for (unsigned e = 1; e < 4; e++) i->dst[e] = R(12 + e);
  i = st(k, sp, T_F32, at, 16, R(12)), i->vec = 4, i->nsrc = 5, i->guard = g;
  for (unsigned e = 1; e < 4; e++) i->src[1 + e] = R(12 + e);
  i = ld(k, sp, T_U64, D(16), at, 16), i->vec = 2, i->ndst = 2, i->guard = g, i->dst[1] = D(18);
  i = st(k, SP_GLOBAL, T_U64, D(4), 32, D(16)), i->vec = 2, i->nsrc = 3, i->guard = g, i->src[2] = D(18);
  i = ld(k, sp, T_U16, R(20), at, 24), i->vec = 4, i->ndst = 4, i->guard = g;
  for (unsigned e = 1; e < 4; e++) i->dst[e] = e == 2 ? NONE : R(20 + e);
  i = st(k, SP_GLOBAL, T_B16, D(4), 48, R(20)), i->vec = 4, i->nsrc = 5, i->guard = g;
  for (unsigned e = 1; e < 4; e++) i->src[1 + e] = R(20 + e);
  ld(k, sp, T_S8, R(24), at, 19)->guard = g;
  st(k, SP_GLOBAL, T_B32, D(4), 60, R(24))->guard = g;
  leave(k);
  run(k, 1);
  for (uint32_t t = 0; t < 32; t++) {
    uint8_t p[16], want[32] = {0};
    memcpy(p, memory_at(k->mem, in + 16 * t, 16), 16);
    if (!partial || (t >= 5 && t < 31)) {
      memcpy(want, p, 16);
      memcpy(want + 16, p + 8, 8);
      want[20] = want[21] = 0; /* the element that was not kept */
      uint32_t s8 = (uint32_t)(int8_t)p[3];
      memcpy(want + 28, &s8, 4);
    }
    assert_memory_equal(memory_at(k->mem, out + 64 * t + 32, 32), want, 32);
  }
  end(k);
}
static void test_vectors(void **state) {
  (void)state;
  static const enum space sp[] = {SP_GLOBAL, SP_SHARED, SP_LOCAL};
  for (unsigned i = 0; i < 6; i++) vectors(sp[i / 2], i % 2);
}

/* Constant bank, parameters by address and as operands, shared memory zeroed for every CTA, private to it. */
/* Vectors whose elements together are a word or less, of a whole warp, one behind the other: pixels of bytes and halves. */
static void test_narrow_vectors(void **state) {
  (void)state;
  static const struct {
    enum dtype t;
    unsigned bytes, vec;
  } cases[] = {{T_U16, 2, 2}, {T_U8, 1, 4}, {T_U8, 1, 2}, {T_U16, 2, 4}};
  for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
    const unsigned each = cases[n].bytes * cases[n].vec;
    struct kern *k = kern(32, 1);
    uint32_t in = buffer(k, "in", 32 * each), out = buffer(k, "out", 32 * each), wide = buffer(k, "wide", 32 * 16);
    for (unsigned i = 0; i < 32 * each; i++) *memory_at(k->mem, in + i, 1) = (uint8_t)(i * 37 + 200);
    where(k, 0, in, each);
    mul(k, D(4), R(0), I(each));
    add(k, D(4), D(4), I64(out));
    mul(k, D(6), R(0), I(16));
    add(k, D(6), D(6), I64(wide));
    struct insn *i = ld(k, SP_GLOBAL, cases[n].t, R(8), D(2), 0);
    i->vec = (uint8_t)cases[n].vec;
    for (; i->ndst < cases[n].vec; i->ndst++) i->dst[i->ndst] = R(8 + i->ndst);
    i = st(k, SP_GLOBAL, cases[n].t, D(4), 0, R(8));
    i->vec = (uint8_t)cases[n].vec;
    for (; i->nsrc < cases[n].vec + 1; i->nsrc++) i->src[i->nsrc] = R(7 + i->nsrc);
    for (unsigned e = 0; e < cases[n].vec; e++) st(k, SP_GLOBAL, T_U32, D(6), 4 * e, R(8 + e));
    leave(k);
    run(k, 1);
    assert_memory_equal(memory_at(k->mem, in, 32 * each), memory_at(k->mem, out, 32 * each), 32 * each);
    for (unsigned t = 0; t < 32; t++)
      for (unsigned e = 0; e < cases[n].vec; e++) {
        uint32_t want = 0;
        memcpy(&want, memory_at(k->mem, in + each * t + e * cases[n].bytes, cases[n].bytes), cases[n].bytes);
        assert_int_equal(want, word(k, wide + 16 * t + 4 * e));
      }
    end(k);
  }
}

static void test_spaces(void **state) {
  (void)state;
  static uint8_t init[64];
  for (unsigned i = 0; i < 64; i++) init[i] = (uint8_t)(i + 1);
  struct symbol sym = {"tab", SP_CONST, T_U32, 16, 64, init};
  struct kern *k = kern(16, 5);
  memory_free(k->mem);
  k->m.symbol = &sym, k->m.nsymbol = 1, k->m.const_bytes = 80;
  k->mem = k->l.mem = memory_new(&k->m);
  k->c.shared_bytes = 64;
  uint32_t a = buffer(k, "a", 5 * 16 * 16);
  uint64_t p0 = a;
  memcpy(k->param, &p0, 8);
  for (unsigned i = 0; i < 16; i++) k->param[16 + i] = (uint8_t)(0x80 + i);
  mul(k, R(0), S(SR_CTAID_X), I(16));
  add(k, R(0), R(0), S(SR_TID_X));
  mul(k, D(2), R(0), I(16));
  add(k, D(2), D(2), C(0, 2));
  mul(k, R(6), S(SR_TID_X), I(4));
  ld(k, SP_CONST, T_U32, R(8), R(6), 16);
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8));
  ld(k, SP_PARAM, T_S8, R(8), S(SR_TID_X), 16);
  st(k, SP_GLOBAL, T_U32, D(2), 4, R(8));
  ld(k, SP_SHARED, T_U32, R(8), R(6), 0);
  st(k, SP_GLOBAL, T_U32, D(2), 8, R(8));
  st(k, SP_SHARED, T_U32, R(6), 0, I(77));
  mov(k, R(8), C(17, 1));
  st(k, SP_GLOBAL, T_U32, D(2), 12, R(8));
  leave(k);
  run(k, 1);
  for (uint32_t t = 0; t < 80; t++) {
    uint32_t i = t % 16 * 4 + 1, at = a + 16 * t;
    assert_int_equal(word(k, at), i | (i + 1) << 8 | (i + 2) << 16 | (i + 3) << 24);
    assert_int_equal(word(k, at + 4), 0xffffff80u + t % 16);
    assert_int_equal(word(k, at + 8), 0);
    assert_int_equal(word(k, at + 12), 0x84838281u);
  }
  end(k);
}

/* Lanes 0..7 global, 8..15 shared, 16..23 local, 24..31 const, through one generic load and one generic
 * store. */
static void test_generic(void **state) {
  (void)state;
  static const uint8_t init[128] = {[96] = 50, [100] = 51, [124] = 57};
  struct symbol sym = {"tab", SP_CONST, T_U32, 0, 128, init};
  struct kern *k = kern(32, 1);
  memory_free(k->mem);
  k->m.symbol = &sym, k->m.nsymbol = 1, k->m.const_bytes = 128;
  k->mem = k->l.mem = memory_new(&k->m);
  uint32_t a = buffer(k, "a", 128), out = buffer(k, "out", 128);
  k->c.shared_bytes = k->c.local_bytes = 128;
  for (unsigned i = 0; i < 32; i++) set_word(k, a + 4 * i, i);
  where(k, 0, out, 4);                    /* D2 -> out[t] */
  mul(k, R(6), R(0), I(4));               /* 4 */
  add(k, R(8), R(0), I(100));             /* 5 */
  st(k, SP_SHARED, T_U32, R(6), 0, R(8)); /* 6 */
  add(k, R(8), R(0), I(200));             /* 7 */
  st(k, SP_LOCAL, T_U32, R(6), 0, R(8));  /* 8 */
  mov(k, D(10), I64(a));                  /* 9: the window of each lane */
  setp(k, 0, C_GE, R(0), I(8));
  mov(k, D(10), I64(SHARED_WINDOW))->guard = P(0);
  setp(k, 1, C_GE, R(0), I(16));
  mov(k, D(10), I64(LOCAL_WINDOW))->guard = P(1);
  setp(k, 2, C_GE, R(0), I(24));
  mov(k, D(10), I64(CONST_WINDOW))->guard = P(2);
  mul(k, D(12), R(0), I(4));
  add(k, D(10), D(10), D(12));
  ld(k, SP_GENERIC, T_U32, R(14), D(10), 0);
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(14));
  st(k, SP_GENERIC, T_U32, D(10), 0, I(7))->guard = NP(2);
  ld(k, SP_SHARED, T_U32, R(14), R(6), 0);
  ld(k, SP_LOCAL, T_U32, R(15), R(6), 0);
  put(k, OP_SHL, T_B32, R(15), R(15), I(16), NONE);
  add(k, R(14), R(14), R(15));
  st(k, SP_GLOBAL, T_U32, D(2), 128 + 256, R(14));
  leave(k);
  uint32_t out2 = buffer(k, "out2", 128);
  assert_int_equal(out2, out + 128 + 128 + 256); /* 256 aligned with a gap of 256 */
  k->insn[k->c.n - 2].offset = (int64_t)out2 - out;
  run(k, 1);
  for (uint32_t t = 0; t < 32; t++) {
    assert_int_equal(word(k, out + 4 * t), t < 8     ? t
                                           : t < 16  ? t + 100
                                           : t < 24  ? t + 200
                                           : t == 24 ? 50
                                           : t == 25 ? 51
                                           : t == 31 ? 57
                                                     : 0);
    assert_int_equal(word(k, a + 4 * t), t < 8 ? 7 : t);
    assert_int_equal(word(k, out2 + 4 * t),
                     (t >= 8 && t < 16 ? 7 : t + 100) + ((t >= 16 && t < 24 ? 7 : t + 200) << 16));
  }
  end(k);
}

/* ---- faults ---- */

/* One access at 4 (line 104, PC 0x20) by every thread to base + 4 t + off; 32 threads. */
static void fault(enum space sp, enum dtype t, uint64_t base, int64_t off, bool store, const char *text) {
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 4096);
  assert_int_equal(a, 0x10000);
  assert_int_equal(buffer(k, "b", 64), 0x11100);
  k->c.shared_bytes = 128;
  k->c.local_bytes = 124;
  where(k, 0, 0, 4);
  k->insn[3].src[1] = I64(base);
  bool wide = t == T_U64;
  if (store) st(k, sp, t, D(2), off, wide ? D(2) : R(0));
  else ld(k, sp, t, wide ? D(8) : R(8), D(2), off);
  leave(k);
  fails(k, 104, text);
  end(k);
}

static void test_faults(void **state) {
  (void)state;
  fault(SP_GLOBAL, T_U32, 0x11000, -64, false,
        "load of 4 bytes at global address 0x11000 is out of bounds: 0 bytes past the end of buffer 'a' "
        "(4096 bytes at 0x10000)" WHERE("20", "16"));
  fault(SP_GLOBAL, T_U32, 0x11000, 4, true,
        "store of 4 bytes at global address 0x11004 is out of bounds: 4 bytes past the end of buffer 'a' "
        "(4096 bytes at 0x10000)" WHERE("20", "0"));
  fault(SP_GENERIC, T_U8, 0x110ff, 0, true,
        "store of 1 bytes at global address 0x110ff is out of bounds: 1 bytes before the start of buffer 'b' "
        "(64 bytes at 0x11100)" WHERE("20", "0"));
  fault(SP_GLOBAL, T_U32, 0x11100, 0, false,
        "load of 4 bytes at global address 0x11140 is out of bounds: 0 bytes past the end of buffer 'b' (64 "
        "bytes at 0x11100)" WHERE("20", "16"));
  fault(SP_GLOBAL, T_U32, 0, 0, false,
        "load of 4 bytes at global address 0x0 is out of bounds: a null pointer" WHERE("20", "0"));
  fault(SP_GLOBAL, T_U32, 0, -8, false, /* element -2 of a null pointer */
        "load of 4 bytes at global address 0xfffffffffffffff8 is out of bounds: a null pointer" WHERE("20", "0"));
  fault(SP_GLOBAL, T_U32, 0xffff000010000ull, 0, false,
        "load of 4 bytes at global address 0xffff000010000 is out of bounds: 4503530907889344 bytes past the "
        "end of buffer 'b' "
        "(64 bytes at 0x11100)" WHERE("20", "0"));
  fault(SP_GLOBAL, T_U32, 0x10001, 0, false,
        "load of 4 bytes at global address 0x10001 is misaligned: expected a multiple of 4" WHERE("20", "0"));
  fault(SP_GLOBAL, T_U64, 0x10000, 0, true,
        "store of 8 bytes at global address 0x10004 is misaligned: expected a multiple of 8" WHERE("20", "1"));
  fault(SP_SHARED, T_U32, 0, 8, false,
        "load of 4 bytes at shared address 0x80 is out of bounds: 0 bytes past the end of the CTA's shared "
        "memory (128 bytes)" WHERE("20", "30"));
  fault(SP_GENERIC, T_U32, SHARED_WINDOW, 124, false,
        "load of 4 bytes at shared address 0x80 is out of bounds: 0 bytes past the end of the CTA's shared "
        "memory (128 bytes)" WHERE("20", "1"));
  fault(SP_LOCAL, T_U32, 0, 0, true,
        "store of 4 bytes at local address 0x7c is out of bounds: 0 bytes past the end of the thread's local "
        "memory (124 bytes)" WHERE("20", "31"));
  fault(SP_LOCAL, T_U32, 0, -4, true,
        "store of 4 bytes at local address 0xfffffffffffffffc is out of bounds: 4 bytes before the start of "
        "the "
        "thread's local memory (124 bytes)" WHERE("20", "0"));
  fault(SP_CONST, T_U32, 0, 0, false,
        "load of 4 bytes at const address 0x0 is out of bounds: there is no constant variable" WHERE("20", "0"));
  fault(SP_GENERIC, T_U32, 5 * WINDOW_SIZE, 0, false,
        "load of 4 bytes at generic address 0x500000000 is out of bounds: 21474766528 bytes past the end of "
        "buffer 'b' "
        "(64 bytes at 0x11100)" WHERE("20", "0"));
  fault(SP_PARAM, T_U32, 0, 0, true,
        "store of 4 bytes at param address 0x0: expected memory that can be written" WHERE("20", "0"));
  fault(SP_PARAM, T_U32, 0, 4, false,
        "load of 4 bytes at param address 0x40 is out of bounds: 0 bytes past the end of the parameters (64 "
        "bytes)" WHERE("20", "15"));
}

/* A straddling access, a guard that hides one, a thread far into a three-dimensional launch. */
static void test_fault_places(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  assert_int_equal(buffer(k, "a", 10), 0x10000);
  setp(k, 0, C_LT, S(SR_TID_X), I(5));
  ld(k, SP_GLOBAL, T_U32, R(8), I(0x100), 0)->guard = P(1); /* P1 is false everywhere */
  ld(k, SP_GLOBAL, T_U32, R(8), I64(0x10008), 0)->guard = NP(0);
  leave(k);
  fails(k, 102,
        "load of 4 bytes at global address 0x10008 is out of bounds: reaching 2 bytes past the end of buffer "
        "'a' "
        "(10 bytes at 0x10000)" WHERE("10", "5"));
  end(k);
  k = kern(1, 1);
  k->l.block[0] = 4, k->l.block[1] = 8, k->l.block[2] = 2;
  k->l.grid[0] = 2, k->l.grid[1] = 3, k->l.grid[2] = 2;
  buffer(k, "a", 4096);
  /* the thread with warp 1, lane 9, in CTA (1,2,1): tid (1,2,1) */
  setp(k, 0, C_EQ, S(SR_TID_X), I(1));
  struct insn *i = setp(k, 0, C_EQ, S(SR_TID_Y), I(2));
  i->guard = P(0);
  setp(k, 0, C_EQ, S(SR_TID_Z), I(1))->guard = P(0);
  setp(k, 0, C_EQ, S(SR_CTAID_X), I(1))->guard = P(0);
  setp(k, 0, C_EQ, S(SR_CTAID_Y), I(2))->guard = P(0);
  setp(k, 0, C_EQ, S(SR_CTAID_Z), I(1))->guard = P(0);
  st(k, SP_GLOBAL, T_U8, I64(0x30000), 0, I(0))->guard = P(0);
  leave(k);
  fails(k, 106,
        "store of 1 bytes at global address 0x30000 is out of bounds: 126976 bytes past the end of buffer 'a' "
        "(4096 bytes at 0x10000); kernel 'k', PC 0x30, CTA (1,2,1), thread (1,2,1)");
  end(k);
}

/* Address 0 in every lane, as the instruction's first access: no allocation is cached yet. The rest of the text
 * starts at the address. */
static void null_at(struct kern *k, const char *what) {
  char text[160];
  snprintf(text, sizeof text, "%s address 0x0 is out of bounds: a null pointer" WHERE("0", "0"), what);
  leave(k);
  fails(k, 100, text);
  end(k);
}

static void test_null(void **state) {
  (void)state;
  struct kern *k;
  for (enum space sp = SP_GENERIC; sp <= SP_GLOBAL; sp++) {
    const uint64_t far = 0x20000; /* as base + offset that is 0 */
    buffer(k = kern(32, 1), "a", 4096);
    ld(k, sp, T_U32, R(8), I64(0), 0);
    null_at(k, "load of 4 bytes at global");
    ld(k = kern(1, 1), sp, T_U8, R(8), I64(far), -(int64_t)far);
    null_at(k, "load of 1 bytes at global");
    st(k = kern(32, 1), sp, T_U64, I64(0), 0, D(8));
    null_at(k, "store of 8 bytes at global");
    atom(k = kern(32, 1), sp, ATOM_ADD, R(8), I64(0), I(1), NONE);
    null_at(k, "atomic of 4 bytes at global");
    atom(k = kern(32, 1), sp, ATOM_ADD, NONE, I64(0), I(1), NONE);
    null_at(k, "atomic of 4 bytes at global");
    struct insn *i = ld(k = kern(32, 1), sp, T_U32, R(8), I64(0), 0);
    for (i->vec = 4; i->ndst < 4; i->ndst++) i->dst[i->ndst] = R(8 + i->ndst);
    null_at(k, "load of 16 bytes at global");
  }
  k = kern(32, 1);
  ld(k, SP_CONST, T_U32, R(8), I64(0), 0);
  leave(k);
  fails(k, 100, "load of 4 bytes at const address 0x0 is out of bounds: there is no constant variable" WHERE("0", "0"));
  end(k);
  for (unsigned sp = SP_SHARED; sp <= SP_LOCAL; sp++) { /* of a kernel that has none */
    char text[200];
    k = kern(32, 1);
    ld(k, (enum space)sp, T_U32, R(8), I64(0), 0);
    leave(k);
    snprintf(text, sizeof text,
             "load of 4 bytes at %s address 0x0 is out of bounds: 0 bytes past the end of the %s memory (0 "
             "bytes)" WHERE("0", "0"),
             sp == SP_SHARED ? "shared" : "local", sp == SP_SHARED ? "CTA's shared" : "thread's local");
    fails(k, 100, text);
    end(k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory),  cmocka_unit_test(test_threads),        cmocka_unit_test(test_special_registers),
      cmocka_unit_test(test_guards),  cmocka_unit_test(test_nesting),        cmocka_unit_test(test_loops),
      cmocka_unit_test(test_exits),   cmocka_unit_test(test_deep),           cmocka_unit_test(test_random_flow),
      cmocka_unit_test(test_widths),  cmocka_unit_test(test_vectors),        cmocka_unit_test(test_spaces),
      cmocka_unit_test(test_generic), cmocka_unit_test(test_faults),         cmocka_unit_test(test_fault_places),
      cmocka_unit_test(test_null),    cmocka_unit_test(test_narrow_vectors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
