/* SPDX-License-Identifier: Apache-2.0 */
/*
 * races: what orders two accesses and what does not. Each kernel is run with several numbers of resident
 * CTAs; the results must not depend on that.
 */
#include "exec/races.h"
#include "exec_kern.h"

enum { SHARED = 4096 };

/* "first-second" for each pair that was found: lines, less 100; "~": the same value; 's': shared memory. In
 * the order of lines. */
static void found(const struct races *r, char *out, size_t room) {
  size_t n = 0;
  out[0] = 0;
  for (unsigned a = 0; a < 64; a++)
    for (unsigned b = a; b < 64; b++)
      for (unsigned kind = 0; kind < 4; kind++) {
        bool there = false;
        for (unsigned i = 0; i < races_count(r); i++) {
          const struct race *p = races_at(r, i);
          const unsigned x = p->first.line - 100, y = p->second.line - 100;
          there |=
              (x < y ? x : y) == a && (x < y ? y : x) == b && kind == (p->same_value ? 1u : 0u) + (p->shared ? 2u : 0u);
        }
        if (there)
          n += (size_t)snprintf(out + n, room - n, "%s%u-%u%s%s", n ? " " : "", a, b, kind & 1 ? "~" : "",
                                kind & 2 ? "s" : "");
      }
}

static struct { uint32_t at, bytes; } made[4]; /* buffers of the kernel in hand: each run finds them zero */
static unsigned nmade;

static uint32_t zeros(struct kern *k, const char *name, uint32_t bytes) {
  const uint32_t a = buffer(k, name, bytes);
  made[nmade].at = a;
  made[nmade++].bytes = bytes;
  return a;
}

static void once(struct kern *k, unsigned resident, unsigned launches, const char *want) {
  char got[400], text[1200];
  struct races *r = races_new();
  k->l.races = r;
  for (unsigned n = 0; n < nmade; n++) memset(memory_at(k->mem, made[n].at, made[n].bytes), 0, made[n].bytes);
  for (unsigned n = 0; n < launches; n++)
    if (!exec_run(&k->l, resident, &k->n, &k->e)) {
      err_format(&k->e, text, sizeof text);
      fail_msg("%s", text);
    }
  found(r, got, sizeof got);
  assert_string_equal(got, want);
  races_free(r);
}

static void expects(struct kern *k, const char *want) {
  for (unsigned resident = 0; resident <= 4; resident++) once(k, resident, 1, want);
  nmade = 0;
  end(k);
}

static struct kern *shared(uint32_t block, uint32_t grid) {
  struct kern *k = kern(block, grid);
  k->c.shared_bytes = SHARED;
  mul(k, R(0), S(SR_TID_X), I(4)); /* 0: own word */
  return k;
}
static void sync_all(struct kern *k) { bar(k, BAR_SYNC, I(0), NONE); }

/* Each thread writes its word and reads that of the same lane in the other warp. */
static void neighbours(bool barrier, const char *want) {
  struct kern *k = shared(64, 3);
  st(k, SP_SHARED, T_U32, R(0), 0, S(SR_TID_X)); /* 1 */
  if (barrier) sync_all(k);
  else mov(k, R(9), I(0));                         /* 2 */
  put(k, OP_XOR, T_B32, R(1), R(0), I(128), NONE); /* 3 */
  ld(k, SP_SHARED, T_U32, R(2), R(1), 0);          /* 4 */
  leave(k);
  expects(k, want);
}

static void test_barrier(void **state) {
  (void)state;
  neighbours(true, "");
  neighbours(false, "1-4s");
  /* the same word again in the next round: a barrier is missing behind the read */
  for (int both = 0; both < 2; both++) {
    struct kern *k = shared(64, 1);
    setp(k, 0, C_EQ, S(SR_TID_X), I(0));                  /* 1 */
    add(k, R(3), R(3), I(1));                             /* 2 */
    st(k, SP_SHARED, T_U32, I(0), 0, R(3))->guard = P(0); /* 3 */
    sync_all(k);                                          /* 4 */
    ld(k, SP_SHARED, T_U32, R(2), I(0), 0);               /* 5 */
    if (both) sync_all(k);
    setp(k, 1, C_LT, R(3), I(5));
    bra(k, P(1), 2, k->c.n + 1);
    leave(k);
    expects(k, both ? "" : "3-5s");
  }
}

/* Warp 0 arrives and goes on, warp 1 waits: only what came before the arrival is ordered. */
static void test_arrive(void **state) {
  (void)state;
  struct kern *k = shared(64, 1);
  setp(k, 0, C_LT, S(SR_TID_X), I(32));                     /* 1 */
  st(k, SP_SHARED, T_U32, R(0), 0, I(7))->guard = P(0);     /* 2 */
  bar(k, BAR_ARRIVE, I(1), I(64))->guard = P(0);            /* 3 */
  st(k, SP_SHARED, T_U32, R(0), 256, I(8))->guard = P(0);   /* 4 */
  bar(k, BAR_SYNC, I(1), I(64))->guard = NP(0);             /* 5 */
  ld(k, SP_SHARED, T_U32, R(2), R(0), -128)->guard = NP(0); /* 6 */
  ld(k, SP_SHARED, T_U32, R(2), R(0), 128)->guard = NP(0);  /* 7 */
  leave(k);
  expects(k, "4-7s");
}

/* Of three warps two meet: the third is not ordered with them. */
static void test_partial(void **state) {
  (void)state;
  struct kern *k = shared(96, 1);
  setp(k, 0, C_LT, S(SR_TID_X), I(64));                 /* 1 */
  setp(k, 1, C_LT, S(SR_TID_X), I(32));                 /* 2 */
  st(k, SP_SHARED, T_U32, I(0), 0, I(7))->guard = P(1); /* 3: lanes store the same */
  bar(k, BAR_SYNC, I(2), I(64))->guard = P(0);          /* 4 */
  ld(k, SP_SHARED, T_U32, R(2), I(0), 0);               /* 5 */
  leave(k);
  expects(k, "3-3~s 3-5s");
}

/* Bytes of a word are apart; lanes of one store are not. */
static void test_bytes(void **state) {
  (void)state;
  struct kern *k = shared(64, 1);
  st(k, SP_SHARED, T_U8, S(SR_TID_X), 0, S(SR_TID_X)); /* 1 */
  st(k, SP_SHARED, T_U8, S(SR_TID_X), 1024, I(3));     /* 2 */
  ld(k, SP_SHARED, T_U8, R(2), S(SR_TID_X), 1024);     /* 3 */
  leave(k);
  expects(k, "");
  k = shared(32, 1);
  put(k, OP_SHR, T_U32, R(1), S(SR_TID_X), I(1), NONE); /* 1 */
  mul(k, R(1), R(1), I(4));                             /* 2 */
  st(k, SP_SHARED, T_U32, R(1), 0, S(SR_TID_X));        /* 3: two lanes, two values */
  st(k, SP_SHARED, T_U32, R(1), 512, R(1));             /* 4: two lanes, one value */
  st(k, SP_SHARED, T_U16, R(0), 1024, S(SR_TID_X));     /* 5: apart */
  mul(k, R(3), S(SR_TID_X), I(2));                      /* 6 */
  st(k, SP_SHARED, T_U16, R(3), 2048, S(SR_TID_X));     /* 7: apart */
  leave(k);
  expects(k, "3-3s 4-4~s");
  k = shared(64, 1);
  add(k, R(1), S(SR_TID_X), I(1));              /* 1 */
  st(k, SP_SHARED, T_U8, R(1), 0, S(SR_TID_X)); /* 2 */
  ld(k, SP_SHARED, T_U8, R(2), R(1), 1);        /* 3: lane 31 of warp 0 reads what lane 0 of warp 1 writes */
  leave(k);
  expects(k, "2-3s");
}

/* Four warps, each with its byte of one word: another warp's store to one of them meets that one's access. */
static void test_four(void **state) {
  (void)state;
  for (int32_t n = 0; n < 32; n++) {
    const int32_t byte = n & 3, warp = n >> 2 & 3;
    struct kern *k = shared(128, 1);
    put(k, OP_SHR, T_U32, R(1), S(SR_TID_X), I(5), NONE);   /* 1: the warp */
    add(k, R(2), R(1), I(1));                               /* 2 */
    if (n < 16) ld(k, SP_SHARED, T_U8, R(3), R(1), 0);      /* 3: lanes read one byte */
    else st(k, SP_SHARED, T_U8, R(1), 0, R(2));             /* 3: lanes store the same */
    setp(k, 0, C_EQ, S(SR_TID_X), I(32 * warp));            /* 4 */
    st(k, SP_SHARED, T_U8, I(0), byte, I(9))->guard = P(0); /* 5 */
    leave(k);
    expects(k, n < 16 ? byte == warp ? "" : "3-5s" : byte == warp ? "3-3~s" : "3-3~s 3-5s");
  }
  /* strong reads do not stand for a plain one */
  struct kern *k = shared(128, 1);
  setp(k, 0, C_LT, S(SR_TID_X), I(64));                 /* 1 */
  setp(k, 1, C_LT, S(SR_TID_X), I(96));                 /* 2 */
  ld(k, SP_SHARED, T_U32, R(2), I(0), 0)->guard = P(0); /* 3: warps 0 and 1 */
  k->c.insn[k->c.n - 1].mods |= M_VOLATILE;
  bra(k, P(0), 8, k->c.n + 1);                           /* 4 */
  ld(k, SP_SHARED, T_U32, R(2), I(0), 0)->guard = P(1);  /* 5: warp 2 */
  st(k, SP_SHARED, T_U32, I(0), 0, I(7))->guard = NP(1); /* 6: warp 3, lanes the same */
  k->c.insn[k->c.n - 1].mods |= M_VOLATILE;
  mov(k, R(4), I(0)); /* 7 */
  leave(k);           /* 8 */
  expects(k, "5-6s");
}

/* Global memory: CTAs, launches, atomics. */
static void test_global(void **state) {
  (void)state;
  struct kern *k = kern(32, 4);
  uint32_t a = zeros(k, "a", BUF);
  where(k, 0, a, 4);                        /* 0..3 */
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(0));   /* 4: own words */
  ld(k, SP_GLOBAL, T_U32, R(8), D(2), 0);   /* 5 */
  ld(k, SP_GLOBAL, T_U32, R(8), D(2), 512); /* 6: not written by any thread */
  leave(k);
  for (unsigned resident = 0; resident < 3; resident++) once(k, resident, 2, "");
  nmade = 0;
  end(k);
  k = kern(32, 4);
  a = zeros(k, "a", BUF);
  where(k, 0, a, 4);                        /* 0..3 */
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(0));   /* 4 */
  ld(k, SP_GLOBAL, T_U32, R(8), D(2), 128); /* 5: the next CTA's */
  leave(k);
  expects(k, "4-5");
  k = kern(32, 4);
  a = zeros(k, "a", BUF);
  const uint32_t b = zeros(k, "b", BUF);
  atom(k, SP_GLOBAL, ATOM_ADD, R(8), I64(a), I(1), NONE);      /* 0 */
  atom(k, SP_GENERIC, ATOM_MAX, NONE, I64(a + 4), I(1), NONE); /* 1: strong ones only */
  ld(k, SP_GLOBAL, T_U32, R(9), I64(a), 0)->mods = M_VOLATILE; /* 2 */
  ld(k, SP_GLOBAL, T_U32, R(9), I64(a), 0);                    /* 3: weak */
  st(k, SP_GLOBAL, T_U32, I64(b), 0, I(1));                    /* 4: everybody the same */
  leave(k);
  expects(k, "0-3 4-4~");
}

/* Who comes last, by a counter in global memory, reads what the others have written: with a fence between
 * write and count. */
static void test_last(void **state) {
  (void)state;
  for (int fence = 0; fence < 2; fence++) {
    struct kern *k = kern(64, 5);
    k->c.shared_bytes = 4;
    uint32_t a = zeros(k, "a", BUF), n = zeros(k, "n", 4);
    where(k, 0, a, 4);                                            /* 0..3 */
    st(k, SP_GLOBAL, T_U32, D(2), 0, R(0));                       /* 4 */
    if (fence) put(k, OP_MEMBAR, T_NONE, NONE, NONE, NONE, NONE); /* 5 */
    else mov(k, R(9), I(0));
    sync_all(k);                                                          /* 6 */
    setp(k, 0, C_EQ, S(SR_TID_X), I(0));                                  /* 7 */
    atom(k, SP_GLOBAL, ATOM_ADD, R(8), I64(n), I(1), NONE)->guard = P(0); /* 8 */
    st(k, SP_SHARED, T_U32, I(0), 0, R(8))->guard = P(0);                 /* 9 */
    sync_all(k);                                                          /* 10 */
    ld(k, SP_SHARED, T_U32, R(8), I(0), 0);                               /* 11 */
    setp(k, 0, C_EQ, R(8), I(4));                                         /* 12 */
    mul(k, D(10), S(SR_TID_X), I(16));                                    /* 13 */
    add(k, D(10), D(10), I64(a));                                         /* 14 */
    ld(k, SP_GLOBAL, T_U32, R(12), D(10), 0)->guard = P(0);               /* 15 */
    leave(k);
    expects(k, fence ? "" : "4-15");
  }
}

/* A flag: CTA 0 writes data, then the flag; CTA 1 waits for it, then reads. 'a': acquire and release, 'f':
 * fences, 'r': relaxed only, 'w': fence, but the flag is no strong access. */
static void flag(char how, const char *want) {
  struct kern *k = kern(32, 2);
  uint32_t a = zeros(k, "a", BUF), f = zeros(k, "f", 4);
  mul(k, D(2), S(SR_TID_X), I(4));                                                 /* 0 */
  add(k, D(2), D(2), I64(a));                                                      /* 1 */
  setp(k, 0, C_EQ, S(SR_CTAID_X), I(0));                                           /* 2 */
  setp(k, 1, C_EQ, S(SR_TID_X), I(0));                                             /* 3 */
  bra(k, NP(0), 9, 13);                                                            /* 4 */
  st(k, SP_GLOBAL, T_U32, D(2), 0, R(9));                                          /* 5 */
  if (how == 'f' || how == 'w') put(k, OP_MEMBAR, T_NONE, NONE, NONE, NONE, NONE); /* 6 */
  else mov(k, R(9), I(0));
  struct insn *i = st(k, SP_GLOBAL, T_U32, I64(f), 0, I(1)); /* 7 */
  i->guard = P(1);
  i->mods = how == 'w' ? 0 : how == 'a' ? M_VOLATILE | M_RELEASE : M_VOLATILE;
  leave(k);                                     /* 8 */
  i = ld(k, SP_GLOBAL, T_U32, R(8), I64(f), 0); /* 9 */
  i->mods = how == 'a' ? M_VOLATILE | M_ACQUIRE : M_VOLATILE;
  setp(k, 2, C_EQ, R(8), I(0));                                                    /* 10 */
  bra(k, P(2), 9, 12);                                                             /* 11 */
  if (how == 'f' || how == 'w') put(k, OP_MEMBAR, T_NONE, NONE, NONE, NONE, NONE); /* 12 */
  else mov(k, R(9), I(0));
  ld(k, SP_GLOBAL, T_U32, R(10), D(2), 0); /* 13 */
  leave(k);
  k->insn[5].src[1] = I(3);
  expects(k, want);
}

static void test_flag(void **state) {
  (void)state;
  flag('a', "");
  flag('f', "");
  flag('r', "5-13");
  flag('w', "5-13 7-9");
}

/* A lock: compare and swap, fence, the work, fence, exchange. */
static void test_lock(void **state) {
  (void)state;
  for (int fences = 0; fences < 2; fences++) {
    struct kern *k = kern(32, 4);
    uint32_t a = zeros(k, "a", 64), lock = zeros(k, "lock", 4);
    const enum opcode op = fences ? OP_MEMBAR : OP_NOP;
    setp(k, 0, C_NE, S(SR_TID_X), I(0));                        /* 0 */
    leave(k)->guard = P(0);                                     /* 1 */
    atom(k, SP_GLOBAL, ATOM_CAS, R(8), I64(lock), I(0), I(1));  /* 2 */
    setp(k, 1, C_NE, R(8), I(0));                               /* 3 */
    bra(k, P(1), 2, 5);                                         /* 4 */
    put(k, op, T_NONE, NONE, NONE, NONE, NONE);                 /* 5 */
    ld(k, SP_GLOBAL, T_U32, R(9), I64(a), 0);                   /* 6 */
    add(k, R(9), R(9), I(1));                                   /* 7 */
    st(k, SP_GLOBAL, T_U32, I64(a), 0, R(9));                   /* 8 */
    put(k, op, T_NONE, NONE, NONE, NONE, NONE);                 /* 9 */
    atom(k, SP_GLOBAL, ATOM_EXCH, R(8), I64(lock), I(0), NONE); /* 10 */
    leave(k);
    expects(k, fences ? "" : "6-8 8-8");
  }
}

/* Who and where, of one pair. */
static void test_names(void **state) {
  (void)state;
  struct kern *k = kern(64, 3);
  uint32_t a = zeros(k, "some", BUF);
  setp(k, 0, C_EQ, S(SR_TID_X), I(37));                        /* 0 */
  setp(k, 0, C_EQ, S(SR_CTAID_X), I(1))->guard = P(0);         /* 1 */
  setp(k, 1, C_EQ, S(SR_TID_X), I(5));                         /* 2 */
  setp(k, 1, C_EQ, S(SR_CTAID_X), I(2))->guard = P(1);         /* 3 */
  st(k, SP_GLOBAL, T_U32, I64(a + 24), 0, I(1))->guard = P(0); /* 4 */
  ld(k, SP_GLOBAL, T_U8, R(9), I64(a + 26), 0)->guard = P(1);  /* 5 */
  leave(k);
  k->l.races = races_new();
  run(k, 1);
  assert_int_equal(races_count(k->l.races), 1);
  const struct race *r = races_at(k->l.races, 0);
  assert_string_equal(r->kernel, "k");
  assert_string_equal(r->file, "t.ptx");
  assert_string_equal(r->buffer, "some");
  assert_int_equal(r->address, a + 26);
  assert_int_equal(r->offset, 26);
  assert_int_equal(r->count, 1);
  assert_false(r->shared || r->same_value);
  assert_int_equal(r->first.line, 104);
  assert_int_equal(r->second.line, 105);
  assert_string_equal(r->first.op, "store");
  assert_string_equal(r->second.op, "load");
  assert_true(r->first.write && !r->second.write);
  assert_int_equal(r->first.cta[0], 1);
  assert_int_equal(r->first.warp, 1);
  assert_int_equal(r->first.lane, 5);
  assert_int_equal(r->first.thread[0], 37);
  assert_int_equal(r->second.cta[0], 2);
  assert_int_equal(r->second.warp, 0);
  assert_int_equal(r->second.lane, 5);
  races_free(k->l.races);
  nmade = 0;
  end(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_barrier), cmocka_unit_test(test_arrive), cmocka_unit_test(test_partial),
      cmocka_unit_test(test_bytes),   cmocka_unit_test(test_four),   cmocka_unit_test(test_global),
      cmocka_unit_test(test_last),    cmocka_unit_test(test_flag),   cmocka_unit_test(test_lock),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
