/* SPDX-License-Identifier: Apache-2.0 */
/* exec: interaction of warps and the interface of a stream: atomics, barriers, rings, hash, limits, refusals. */
#include "exec_kern.h"

#include "exec/warp.h"

static void test_runaway_and_trap(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  add(k, R(0), R(0), I(1));
  bra(k, NONE, 0, 2);
  leave(k);
  struct exec_limits lim = {.warp_slots = 1, .cta_slots = 1, .max_insns = 1000};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  assert_non_null(s);
  uint16_t slot[] = {0};
  struct warp_inst inst;
  int r;
  unsigned n = 0;
  s->ops->cta_begin(s, 0, 0, slot);
  while ((r = s->ops->next(s, 0, &inst)) == STREAM_GIVEN) assert_int_equal(inst.seq, n++);
  assert_int_equal(r, STREAM_ERROR);
  assert_int_equal(n, 1000);
  assert_string_equal(s->err.text,
                      "a runaway loop: the warp has executed 1000 instructions; the loop that goes back from here to "
                      "line 100 is not over; kernel 'k', PC 0x8, CTA (0,0,0), warp 0");
  assert_int_equal(s->err.line, 101);
  assert_int_equal(s->ops->next(s, 0, &inst), STREAM_ERROR);
  s->ops->free(s);
  k->l.most_insns = 5000;
  k->l.limit = "some.key";
  fails(k, 101,
        "a runaway launch: its warps have executed more than 5000 instructions (some.key); the loop that goes back "
        "from here to line 100 is not over; kernel 'k', PC 0x8, CTA (0,0,0), warp 0");
  end(k);
  k = kern(64, 1);
  setp(k, 0, C_EQ, S(SR_TID_X), I(40));
  put(k, OP_TRAP, T_NONE, NONE, NONE, NONE, NONE)->guard = P(0);
  leave(k);
  fails(k, 101, "the kernel executed a trap" WHERE("8", "40"));
  end(k);
}

/* ---- atomics ---- */

static void test_atomics(void **state) {
  (void)state;
  struct kern *k = kern(64, 4);
  uint32_t a = buffer(k, "a", 64), out = buffer(k, "out", 256 * 4), seen = buffer(k, "seen", 256 * 4);
  set_word(k, a + 4, 1000000);
  where(k, 0, out, 4);
  atom(k, SP_GLOBAL, ATOM_ADD, R(8), I64(a), I(3), NONE);
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8));
  atom(k, SP_GLOBAL, ATOM_MIN, NONE, I64(a + 4), R(0), NONE);
  atom(k, SP_GLOBAL, ATOM_MAX, NONE, I64(a + 8), R(0), NONE);
  atom(k, SP_GLOBAL, ATOM_ADD, NONE, I64(a + 16), I64(0x100000001ull), NONE);
  ld(k, SP_GLOBAL, T_U32, R(9), I64(a + 8), 0); /* after its own red: at least its own number */
  st(k, SP_GLOBAL, T_U32, D(2), (int64_t)seen - out, R(9));
  atom(k, SP_GENERIC, ATOM_CAS, R(10), I64(a + 12), I(0), R(0))->guard = NONE;
  leave(k);
  run(k, 3);
  bool met[256] = {false};
  for (uint32_t t = 0; t < 256; t++) {
    uint32_t v = word(k, out + 4 * t);
    assert_true(v % 3 == 0 && v < 768 && !met[v / 3]);
    met[v / 3] = true;
    if (t % 32) assert_int_equal(v, word(k, out + 4 * t - 4) + 3); /* lanes ascend */
    assert_true(word(k, seen + 4 * t) >= t);
  }
  assert_int_equal(word(k, a), 768);
  assert_int_equal(word(k, a + 4), 0);
  assert_int_equal(word(k, a + 8), 255);
  assert_int_equal(word(k, a + 16), 256);
  assert_int_equal(word(k, a + 20), 256);
  assert_int_not_equal(word(k, a + 12), 0); /* the first other than thread 0's 0 for 0 */
  end(k);
}

/* Shared atomics at once, ascending; generic ones in both memories. */
static void test_shared_atomics(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 128), b = buffer(k, "b", 4);
  k->c.shared_bytes = 16;
  where(k, 0, a, 4);
  setp(k, 0, C_GE, R(0), I(4));
  atom(k, SP_SHARED, ATOM_ADD, R(8), I(4), I(2), NONE)->guard = P(0);
  mov(k, D(10), I64(SHARED_WINDOW + 4));
  setp(k, 1, C_LT, R(0), I(8));
  mov(k, D(10), I64(b))->guard = P(1);
  atom(k, SP_GENERIC, ATOM_ADD, R(9), D(10), I(100), NONE)->guard = P(0);
  add(k, R(8), R(8), R(9));
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8));
  leave(k);
  run(k, 1);
  /* 28 lanes added 2 in shared memory; then lanes 4..7 add to b, 8..31 to shared */
  for (uint32_t t = 0; t < 32; t++)
    assert_int_equal(word(k, a + 4 * t), t < 4 ? 0 : 2 * (t - 4) + (t < 8 ? 100 * (t - 4) : 56 + 100 * (t - 8)));
  assert_int_equal(word(k, b), 400);
  end(k);
  k = kern(32, 1);
  k->c.local_bytes = 16;
  atom(k, SP_GENERIC, ATOM_ADD, NONE, I64(LOCAL_WINDOW), I(1), NONE);
  leave(k);
  fails(k, 100, "atomic of 4 bytes at address 0x200000000: expected global or shared memory" WHERE("0", "0"));
  end(k);
  k = kern(32, 1);
  atom(k, SP_GLOBAL, ATOM_ADD, NONE, I64(8), I(1), NONE);
  leave(k);
  fails(k, 100, "atomic of 4 bytes at global address 0x8 is out of bounds: a null pointer" WHERE("0", "0"));
  end(k);
}

/* The stream's rules: a returning atomic stops its warp until the quantum; a red stops it at its next global access. */
static void test_atomic_stream(void **state) {
  (void)state;
  struct kern *k = kern(64, 1);
  uint32_t a = buffer(k, "a", 64);
  k->c.shared_bytes = 4;
  atom(k, SP_GLOBAL, ATOM_ADD, R(0), I64(a), I(1), NONE);   /* 0 */
  atom(k, SP_GLOBAL, ATOM_ADD, NONE, I64(a), I(10), NONE);  /* 1 */
  ld(k, SP_SHARED, T_U32, R(1), I(0), 0);                   /* 2 */
  atom(k, SP_GLOBAL, ATOM_ADD, NONE, I64(a), I(100), NONE); /* 3 */
  ld(k, SP_GLOBAL, T_U32, R(1), I64(a), 0);                 /* 4 */
  leave(k);
  struct exec_limits lim = {.warp_slots = 4, .cta_slots = 2, .values = true};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  assert_non_null(s);
  uint16_t slot[] = {3, 1};
  struct warp_inst x[2], inst;
  s->ops->cta_begin(s, 1, 0, slot);
  for (unsigned w = 0; w < 2; w++) {
    assert_int_equal(s->ops->next(s, slot[w], &x[w]), STREAM_GIVEN);
    assert_int_equal(x[w].flags, W_ATOMIC | SP_GLOBAL << 4);
    assert_int_equal(x[w].warp, slot[w]);
    assert_int_equal(x[w].nval, 1);
    assert_int_equal(inst_addr(s, &x[w])[31], a);
    assert_int_equal(s->ops->next(s, slot[w], &inst), STREAM_WAIT);
  }
  assert_int_equal(word(k, a), 0);
  assert_int_equal(s->ops->quantum(s), 2);
  assert_int_equal(word(k, a), 64);
  for (unsigned l = 0; l < 32; l++) {
    assert_int_equal(inst_val(s, &x[0], 0)[l], l);
    assert_int_equal(inst_val(s, &x[1], 0)[l], 32 + l);
  }
  for (unsigned n = 1; n < 4; n++) {
    assert_int_equal(s->ops->next(s, 3, &inst), STREAM_GIVEN);
    assert_int_equal(inst.op, n);
    assert_int_equal(inst.flags & ~W_SPACE, 0);
  }
  assert_int_equal(s->ops->next(s, 3, &inst), STREAM_WAIT);
  assert_int_equal(s->ops->next(s, 3, &inst), STREAM_WAIT);
  assert_int_equal(word(k, a), 64);
  assert_int_equal(s->ops->quantum(s), 2);
  assert_int_equal(s->ops->quantum(s), 0);
  assert_int_equal(s->ops->next(s, 3, &inst), STREAM_GIVEN);
  assert_int_equal(inst.op, 4);
  assert_int_equal(inst.seq, 4);
  assert_int_equal(inst_val(s, &inst, 0)[0], 64 + 320 + 3200);
  assert_int_equal(s->ops->next(s, 3, &inst), STREAM_GIVEN);
  assert_int_equal(inst.flags, W_EXIT);
  assert_int_equal(s->ops->next(s, 3, &inst), STREAM_FINISHED);
  s->ops->free(s);
  end(k);
}

/* ---- barriers ---- */

/* Four warps reverse 128 words through shared memory, three times, waiting twice in each turn. */
static void test_barrier(void **state) {
  (void)state;
  struct kern *k = kern(128, 3);
  uint32_t a = buffer(k, "a", 3 * 512);
  k->c.shared_bytes = 512;
  where(k, 0, a, 4);
  mul(k, R(4), S(SR_TID_X), I(4));
  mul(k, R(5), S(SR_TID_X), I(0xfffffffc));
  add(k, R(5), R(5), I(508));
  mov(k, R(6), I(0));
  mov(k, R(8), S(SR_TID_X));
  st(k, SP_SHARED, T_U32, R(4), 0, R(8)); /* 9 */
  bar(k, BAR_SYNC, I(0), NONE);
  ld(k, SP_SHARED, T_U32, R(8), R(5), 0);
  bar(k, BAR_SYNC, I(0), NONE);
  add(k, R(6), R(6), I(1));
  setp(k, 0, C_LT, R(6), I(3));
  bra(k, P(0), 9, 16);
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(8));
  leave(k);
  run(k, 2);
  for (uint32_t t = 0; t < 384; t++) assert_int_equal(word(k, a + 4 * t), 127 - t % 128);
  end(k);
}

/* bar.red in its three forms; lanes that have exited, and warps, are not waited for. */
static void test_barrier_red(void **state) {
  (void)state;
  struct kern *k = kern(96, 1);
  uint32_t a = buffer(k, "a", 96 * 16);
  struct insn *i;
  where(k, 0, a, 16);
  setp(k, 0, C_GE, R(0), I(70));
  leave(k)->guard = P(0); /* 70 threads are left */
  setp(k, 1, C_LT, R(0), I(40));
  i = put(k, OP_BAR, T_U32, R(8), I(1), P(1), NONE), i->sub = BAR_RED_POPC;
  i = put(k, OP_BAR, T_PRED, P(2), I(2), I(96), NP(1)), i->sub = BAR_RED_AND;
  i = put(k, OP_BAR, T_PRED, P(3), I(15), P(1), NONE), i->sub = BAR_RED_OR;
  setp(k, 0, C_GE, R(0), I(64));
  leave(k)->guard = P(0); /* a whole warp leaves */
  i = put(k, OP_BAR, T_PRED, P(4), I(2), I(64), P(0)), i->sub = BAR_RED_OR;
  i = put(k, OP_BAR, T_U32, R(9), I(0), NP(4), NONE), i->sub = BAR_RED_POPC;
  put(k, OP_SELP, T_B32, R(10), I(1), I(0), P(2));
  put(k, OP_SELP, T_B32, R(11), I(1), I(0), P(3));
  i = st(k, SP_GLOBAL, T_U32, D(2), 0, R(8)), i->vec = 4, i->nsrc = 5;
  for (unsigned e = 1; e < 4; e++) i->src[1 + e] = R(8 + e);
  leave(k);
  run(k, 1);
  for (uint32_t t = 0; t < 96; t++) {
    assert_int_equal(word(k, a + 16 * t), t < 64 ? 40 : 0);
    assert_int_equal(word(k, a + 16 * t + 4), t < 64 ? 64 : 0);
    assert_int_equal(word(k, a + 16 * t + 8), 0);
    assert_int_equal(word(k, a + 16 * t + 12), t < 64 ? 1 : 0);
  }
  end(k);
}

/* A producer warp arrives, a consumer warp waits; what the stream says of it. */
static void test_barrier_stream(void **state) {
  (void)state;
  struct kern *k = kern(96, 1);
  setp(k, 0, C_LT, S(SR_TID_X), I(32));                            /* 0 */
  bra(k, P(0), 5, 6);                                              /* 1 */
  struct insn *i = put(k, OP_BAR, T_U32, R(8), I(3), I(96), P(0)); /* 2 */
  i->sub = BAR_RED_POPC;
  bar(k, BAR_SYNC, I(0), NONE);    /* 3 */
  leave(k);                        /* 4 */
  bar(k, BAR_ARRIVE, I(3), I(96)); /* 5 */
  leave(k);                        /* 6 */
  struct exec_limits lim = {.warp_slots = 3, .cta_slots = 1, .values = true};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  uint16_t slot[] = {0, 1, 2};
  struct warp_inst inst, red;
  struct err e = {0};
  s->ops->cta_begin(s, 0, 0, slot);
  for (unsigned w = 1; w < 3; w++) {
    assert_int_equal(s->ops->next(s, w, &inst), STREAM_GIVEN);
    assert_int_equal(s->ops->next(s, w, &inst), STREAM_GIVEN);
    assert_int_equal(inst.flags, W_BRANCH);
    assert_int_equal(inst.next, 2);
    assert_false(s->ops->deadlock(s, &e) && w == 1);
    assert_int_equal(s->ops->next(s, w, &red), STREAM_GIVEN);
    assert_int_equal(red.flags, W_BARRIER);
    assert_int_equal(red.mem, 3 | 96u << 16);
    assert_int_equal(red.nval, 1);
    assert_int_equal(s->ops->next(s, w, &inst), STREAM_WAIT);
  }
  for (unsigned n = 0; n < 3; n++) assert_int_equal(s->ops->next(s, 0, &inst), STREAM_GIVEN);
  assert_int_equal(inst.op, 5);
  assert_int_equal(inst.mem, 3 | 96u << 16 | 1u << 31);
  assert_int_equal(inst_val(s, &red, 0)[7], 0);              /* P0 held in no lane there */
  assert_int_equal(s->ops->next(s, 0, &inst), STREAM_GIVEN); /* the producer goes on, and ends */
  assert_int_equal(inst.flags, W_EXIT);
  assert_int_equal(s->ops->next(s, 1, &inst), STREAM_GIVEN);
  assert_int_equal(inst.mem, 0 | 64u << 16);
  assert_int_equal(s->ops->next(s, 1, &inst), STREAM_WAIT);
  assert_int_equal(s->ops->next(s, 2, &inst), STREAM_GIVEN);
  assert_int_equal(s->ops->next(s, 1, &inst), STREAM_GIVEN);
  assert_int_equal(inst.op, 4);
  s->ops->free(s);
  end(k);
}

static void test_deadlock(void **state) {
  (void)state;
  struct kern *k = kern(96, 2);
  setp(k, 0, C_LT, S(SR_TID_X), I(32));
  bra(k, P(0), 4, 5);
  bar(k, BAR_SYNC, I(1), I(96));
  leave(k);
  bar(k, BAR_SYNC, I(2), I(64));
  leave(k);
  fails(k, 102,
        "kernel 'k', PC 0x10: deadlock at barrier 1 of CTA (0,0,0): 2 of 3 warps arrived; waiting: warp 1 at line "
        "102, warp 2 at line 102; not arrived: warp 0 (waits at barrier 2, line 104)");
  end(k);
  k = kern(64, 1);
  setp(k, 0, C_LT, S(SR_TID_X), I(32));
  leave(k)->guard = P(0);
  bar(k, BAR_SYNC, I(0), I(64));
  leave(k);
  fails(k, 102,
        "kernel 'k', PC 0x10: deadlock at barrier 0 of CTA (0,0,0): 1 of 2 warps arrived; waiting: warp 1 at line "
        "102; not arrived: warp 0 (exited)");
  end(k);
  k = kern(32, 1);
  bar(k, BAR_SYNC, I(16), NONE);
  leave(k);
  fails(k, 100, "found barrier 16, expected 0 to 15" WHERE("0", "0"));
  end(k);
}

/* A warp waits for a flag that another warp of its CTA sets later. */
static void test_spin(void **state) {
  (void)state;
  struct kern *k = kern(64, 1);
  uint32_t a = buffer(k, "a", 8);
  setp(k, 0, C_LT, S(SR_TID_X), I(32));
  bra(k, NP(0), 6, 8);
  ld(k, SP_GLOBAL, T_U32, R(0), I64(a), 0)->mods = M_VOLATILE;
  setp(k, 1, C_EQ, R(0), I(0));
  bra(k, P(1), 2, 5);
  bra(k, NONE, 8, 8);
  mov(k, R(1), I(5));
  st(k, SP_GLOBAL, T_U32, I64(a), 0, R(1));
  leave(k);
  run(k, 1);
  assert_int_equal(word(k, a), 5);
  end(k);
}

/* A warp stores in each of 200,000 rounds, then waits for a value that nobody writes. Its state is hashed once in
 * WATCH_EVERY instructions while it stores, and the endless loop is found soon after the last store. */
static void test_spin_after_stores(void **state) {
  (void)state;
  enum { ROUNDS = 200000 };
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 8);
  add(k, R(1), R(1), I(1));                                        /* 0 */
  st(k, SP_GLOBAL, T_U32, I64(a), 0, R(1));                        /* 1 */
  setp(k, 0, C_LT, R(1), I(ROUNDS));                               /* 2 */
  bra(k, P(0), 0, 4);                                              /* 3 */
  ld(k, SP_GLOBAL, T_U32, R(0), I64(a + 4), 0)->mods = M_VOLATILE; /* 4 */
  setp(k, 1, C_EQ, R(0), I(0));                                    /* 5 */
  bra(k, P(1), 4, 7);                                              /* 6 */
  leave(k);
  struct exec_limits lim = {.warp_slots = 1, .cta_slots = 1};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  const struct warp *w = ((struct exec *)s)->warp;
  uint16_t slot[] = {0};
  struct warp_inst inst;
  uint64_t n = 0, stored = 0, hashes = 0, mark = 0;
  int r;
  s->ops->cta_begin(s, 0, 0, slot);
  while ((r = s->ops->next(s, 0, &inst)) == STREAM_GIVEN) {
    n++;
    if (inst.op == 1) stored = n;
    hashes += inst.op < 4 && w->mark != mark;
    mark = w->mark;
    if (n % 256 == 0) s->ops->quantum(s);
  }
  assert_int_equal(r, STREAM_ERROR);
  assert_int_equal(s->err.fault, FAULT_ENDLESS);
  assert_int_equal(stored, 4 * ROUNDS - 2);
  assert_in_range(hashes, 1, stored / WATCH_EVERY);
  assert_true(n - stored < 2 * WATCH_EVERY + 8192 + 512);
  s->ops->free(s);
  end(k);
}

/* ---- rings, hash, limits ---- */

static void test_rings(void **state) {
  (void)state;
  struct kern *k = kern(32, 1);
  uint32_t a = buffer(k, "a", 4096);
  k->c.local_bytes = 20;
  k->c.shared_bytes = 256;
  where(k, 0, a, 8);                                         /* 0..3 */
  ld(k, SP_LOCAL, T_U8, R(8), I(7), 0);                      /* 4 */
  ld(k, SP_LOCAL, T_U64, D(8), I(8), 0);                     /* 5 */
  mul(k, R(6), R(0), I(4));                                  /* 6 */
  setp(k, 0, C_GE, R(0), I(3));                              /* 7 */
  st(k, SP_SHARED, T_U32, R(6), 128, R(0))->guard = NP(0);   /* 8 */
  struct insn *i = ld(k, SP_GENERIC, T_U32, R(10), D(2), 0); /* 9 */
  i->vec = 2, i->ndst = 2, i->dst[1] = NONE;
  add(k, R(10), R(0), I(5))->guard = P(0); /* 10 */
  add(k, R(10), R(0), I(5))->guard = P(5); /* 11: no lane */
  leave(k);
  struct exec_limits lim = {.warp_slots = 3, .cta_slots = 1, .values = true};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  uint16_t slot[] = {2};
  struct warp_inst inst;
  for (unsigned turn = 0; turn < 300; turn++) { /* round the rings more than once */
    s->ops->cta_begin(s, 0, 0, slot);
    for (unsigned n = 0; n < 13; n++) {
      assert_int_equal(s->ops->next(s, 2, &inst), STREAM_GIVEN);
      assert_int_equal(inst.op, n);
      assert_int_equal(inst.seq, n);
      assert_int_equal(inst.active, 0xffffffffu);
      const uint32_t *ad = inst.mem ? inst_addr(s, &inst) : NULL;
      for (unsigned l = 0; l < 32; l++) {
        uint32_t local = LOCAL_BASE + 2 * 5 * 128 + 4 * l;
        if (n == 3) assert_int_equal(inst_val(s, &inst, 0)[l], a + 8 * l);
        if (n == 3) assert_int_equal(inst_val(s, &inst, 1)[l], 0);
        if (n == 4) assert_int_equal(ad[l], local + 128 + 3);
        if (n == 5) assert_int_equal(ad[l], local + 256);
        if (n == 8 && l < 3) assert_int_equal(ad[l], 128 + 4 * l);
        if (n == 9) assert_int_equal(ad[l], a + 8 * l);
        if (n == 10 || n == 11) assert_int_equal(inst_val(s, &inst, 0)[l], l < 3 ? 0 : l + 5);
      }
      static const uint8_t nval[] = {1, 1, 2, 2, 1, 2, 1, 0, 0, 1, 1, 1, 0};
      assert_int_equal(inst.nval, nval[n]);
      assert_int_equal(inst.val != 0, nval[n] != 0);
      assert_int_equal(inst.lanes, n == 8 ? 7u : n == 10 ? ~7u : n == 11 ? 0 : ~0u);
      assert_int_equal(W_SPACE_OF(&inst), n == 4 || n == 5 ? SP_LOCAL
                                          : n == 8         ? SP_SHARED
                                          : n == 9         ? SP_GLOBAL
                                                           : SP_GENERIC);
      assert_int_equal(inst.mem != 0, n == 4 || n == 5 || n == 8 || n == 9);
    }
    assert_int_equal(inst.flags, W_EXIT);
    assert_int_equal(s->ops->next(s, 2, &inst), STREAM_FINISHED);
    s->ops->cta_end(s, 0);
  }
  s->ops->free(s);
  end(k);
}

/* The hash depends on the work, not on its order: two warps interleaved in two ways, and one different address. */
static uint64_t hash_of(uint32_t base, bool swapped) {
  struct kern *k = kern(64, 1);
  uint32_t a = buffer(k, "a", 4096);
  where(k, 0, a + base, 4);
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(0));
  setp(k, 0, C_LT, R(0), I(40));
  add(k, R(5), R(0), I(1))->guard = P(0);
  leave(k);
  struct exec_limits lim = {.warp_slots = 2, .cta_slots = 1};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  uint16_t slot[] = {swapped, !swapped};
  struct warp_inst inst;
  s->ops->cta_begin(s, 0, 0, slot);
  assert_int_equal(s->ops->next(s, slot[swapped], &inst), STREAM_GIVEN);
  while (s->ops->next(s, slot[!swapped], &inst) == STREAM_GIVEN) assert_int_equal(inst.nval, 0);
  while (s->ops->next(s, slot[swapped], &inst) == STREAM_GIVEN) assert_int_equal(inst.val, 0);
  uint64_t h = s->hash;
  s->ops->free(s);
  end(k);
  return h;
}
static void test_hash(void **state) {
  (void)state;
  uint64_t h = hash_of(0, false);
  assert_true(h != 0 && h == hash_of(0, true) && h != hash_of(4, false));
}

/* Registers and shared memory are zero for a CTA that comes into used slots. */
static void test_zeroed(void **state) {
  (void)state;
  struct kern *k = kern(32, 20);
  uint32_t a = buffer(k, "a", 20 * 128);
  k->c.local_bytes = 4;
  where(k, 0, a, 4);
  ld(k, SP_LOCAL, T_U32, R(20), I(0), 0);
  add(k, R(20), R(20), R(21));
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(20));
  mov(k, R(21), I(9));
  st(k, SP_LOCAL, T_U32, I(0), 0, R(21));
  leave(k);
  for (unsigned i = 0; i < 20 * 32; i++) set_word(k, a + 4 * i, 1);
  run(k, 2);
  for (unsigned i = 0; i < 20 * 32; i++) assert_int_equal(word(k, a + 4 * i), 0);
  end(k);
}

static void refused(void (*spoil)(struct kern *), int line, const char *text) {
  struct kern *k = kern(64, 1);
  add(k, R(0), R(0), I(1));
  leave(k);
  spoil(k);
  fails(k, line, text);
  end(k);
}
static void no_block(struct kern *k) { k->l.block[1] = 0; }
static void big_block(struct kern *k) { k->l.block[0] = k->l.block[1] = 64; }
static void no_grid(struct kern *k) { k->l.grid[2] = 0; }
static void big_grid(struct kern *k) { k->l.grid[0] = 0x7fffffff, k->l.grid[1] = 3; }
static void reqntid(struct kern *k) { k->c.reqntid[0] = 64, k->c.reqntid[1] = 2; }
static void maxntid(struct kern *k) { k->c.maxntid[0] = 8, k->c.maxntid[1] = 4; }
static void shared(struct kern *k) { k->c.shared_bytes = 4, k->l.shared_dyn = 227 * 1024; }
static void no_param(struct kern *k) { k->l.param = NULL; }
static void local(struct kern *k) { k->c.local_bytes = 0x7fffffff; }
static void raw(struct kern *k) { k->c.allocated = false; }
static void registers(struct kern *k) { k->insn[0].dst[0] = D(31); }
static void falls(struct kern *k) { k->insn[1].guard = P(0); }
static void unknown(struct kern *k) { k->insn[0].type = T_PRED; }
static void target(struct kern *k) { k->insn[1].op = OP_BRA, k->insn[1].target = 2; }

static void test_refusals(void **state) {
  (void)state;
  refused(no_block, 7, "kernel 'k': found a block of 0 threads in y, expected 1 to 1024");
  refused(big_block, 7, "kernel 'k': found a block of 4096 threads, expected at most 1024");
  refused(no_grid, 7, "kernel 'k': found a grid of 0 CTAs in z, expected 1 to 65535");
  refused(big_grid, 7, "kernel 'k': found a grid of 6442450941 CTAs, expected at most 4294967295");
  refused(reqntid, 7, "kernel 'k': found a block of (64,1,1) threads, expected (64,2,1) as .reqntid says");
  refused(maxntid, 7, "kernel 'k': found a block of 64 threads, expected at most 32 as .maxntid says");
  refused(shared, 7, "kernel 'k': found 232464 bytes of shared memory per CTA, expected at most 232448");
  refused(no_param, 7, "kernel 'k': found no parameters, expected 64 bytes");
  refused(local, 7,
          "kernel 'k': found 2147483647 bytes of local memory per thread, expected at most 1966080 with 4 "
          "resident warps");
  refused(raw, 7, "kernel 'k': its registers are not allocated, expected allocated code");
  refused(registers, 100, "kernel 'k', PC 0x0: add.u32: a destination register is beyond the kernel's allocated ones");
  refused(falls, 101, "kernel 'k', PC 0x8: exit: the kernel's last instruction falls through its end");
  refused(unknown, 100, "kernel 'k', PC 0x0: add.pred: this operation, type and modifiers are not supported");
  refused(target, 101, "kernel 'k', PC 0x8: bra: the target is not an instruction");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runaway_and_trap),
      cmocka_unit_test(test_atomics),
      cmocka_unit_test(test_shared_atomics),
      cmocka_unit_test(test_atomic_stream),
      cmocka_unit_test(test_barrier),
      cmocka_unit_test(test_barrier_red),
      cmocka_unit_test(test_barrier_stream),
      cmocka_unit_test(test_deadlock),
      cmocka_unit_test(test_spin),
      cmocka_unit_test(test_spin_after_stores),
      cmocka_unit_test(test_rings),
      cmocka_unit_test(test_hash),
      cmocka_unit_test(test_zeroed),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
