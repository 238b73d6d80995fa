/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier: from PTX text to values, functionally and through the timing model. Random sequences of operations are held
 * against the manual's rules, which model() has once more; then pipelines of warps and copies, and what is an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/races.h"
#include "compiler/ptx/ptx.h"
#include "compiler/regalloc/regalloc.h"
#include "lab/run/timed.h"
#include "kit.h"

/* %d1: in + 4 * thread, %d2: out + 4 * thread, %r0: thread, %r1: lane, %r2: warp; s: eight bytes of each thread */
#define KERNEL                                                                                                  \
  ".version 8.0\n.target sm_90\n.address_size 64\n"                                                             \
  ".entry k(.param .u64 in, .param .u64 out) {\n"                                                               \
  ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .shared .align 16 .b8 s[4096]; .shared .align 8 .b64 " \
  "bar[8];\n"                                                                                                   \
  "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 4;\n"           \
  "add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3; and.b32 %r1, %r0, 31; shr.u32 %r2, %r0, 5;\n"

enum { IN = 4096, OUT = 4096, LANES = 32 }; /* words */

struct bench {
  uint32_t in[IN], out[OUT];
  struct sm_stats stats;
  struct err e;
  unsigned races;
};

enum how { FUNCTIONAL, TIMED, NO_SKIP, RACES, HOWS };

/* false: b->e. */
static bool run_once(const char *text, struct bench *b, enum how how, uint32_t threads) {
  b->e = (struct err){0};
  struct module *m = ptx_parse("t.ptx", text, strlen(text), &b->e);
  if (!m) return false;
  bool ok = alloc_kernel(m, &m->kernel[0], 0, &b->e);
  struct memory *mem = ok ? memory_new(m) : NULL;
  struct races *races = how == RACES ? races_new() : NULL;
  if (ok) {
    uint64_t param[2] = {memory_alloc(mem, "in", IN * 4), memory_alloc(mem, "out", OUT * 4)};
    memcpy(memory_at(mem, (uint32_t)param[0], IN * 4), b->in, IN * 4);
    struct launch l = {.module = m, .code = &m->kernel[0], .mem = mem, .grid = {1, 1, 1}, .block = {threads, 1, 1}};
    l.param = (const uint8_t *)param;
    l.races = races;
    if (how == FUNCTIONAL || how == RACES) {
      ok = exec_run(&l, 1, &(struct exec_counts){0}, &b->e);
    } else {
      struct config cfg;
      config_defaults(&cfg);
      cfg.sim_check = true;
      cfg.sim_skip = how != NO_SKIP;
      struct gpu *g = gpu_new(&cfg, 1, &b->e);
      ok = g && timed_launch(g, &l, NULL, &b->e);
      if (g) b->stats = *sm_stats(gpu_sm(g, 0));
      gpu_free(g);
    }
    memcpy(b->out, memory_at(mem, (uint32_t)param[1], OUT * 4), OUT * 4);
  }
  b->races = races ? races_count(races) : 0;
  races_free(races);
  memory_free(mem);
  module_free(m);
  return ok;
}

/* Every way gives the same. */
static void run(const char *text, struct bench *b, uint32_t threads) {
  uint32_t first[OUT];
  for (unsigned how = 0; how < HOWS; how++) {
    if (!run_once(text, b, (enum how)how, threads)) fail_msg("%d:%d: %s\n%s", b->e.line, b->e.col, b->e.text, text);
    if (!how) memcpy(first, b->out, sizeof first);
    assert_memory_equal(first, b->out, sizeof first);
  }
}

static void fails(const char *text, struct bench *b, uint32_t threads, const char *want) {
  for (unsigned how = 0; how < HOWS; how++) {
    if (run_once(text, b, (enum how)how, threads)) fail_msg("was accepted: %s", text);
    if (!strstr(b->e.text, want)) fail_msg("found: %s\nexpected: %s", b->e.text, want);
    assert_string_equal(b->e.file, "t.ptx");
    assert_true(b->e.line >= 4);
  }
}

static uint64_t seed;
static uint32_t random32(void) {
  seed += 0x9e3779b97f4a7c15ull;
  uint64_t z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return (uint32_t)(z >> 32);
}
static uint32_t below(uint32_t n) { return random32() % n; }

/* ---- random sequences: each lane has an object and a token of its own ---- */

struct model {
  uint32_t phase, pending, expected;
  int32_t tx;
  uint32_t token_phase, token_pending; /* 0 pending: there is no token */
};

static void ends(struct model *m) {
  if (m->pending || m->tx) return;
  m->phase++;
  m->pending = m->expected;
}

enum { OFF = -1 };
enum step {
  ARRIVE,
  ARRIVE_ONE,
  DROP,
  NOCOMPLETE,
  ARRIVE_TX,
  EXPECT,
  COMPLETE,
  TEST,
  TEST_PARITY,
  TRY,
  TRY_PARITY,
  AGAIN,
  OPS
};
static const char *const op_text[OPS] = {
    [ARRIVE] = "mbarrier.arrive.shared.b64 %d5, [%r3], %r4",
    [ARRIVE_ONE] = "mbarrier.arrive.release.cta.b64 %d5, [%d6+16]",
    [DROP] = "mbarrier.arrive_drop.shared::cta.b64 %d5, [%r3], %r4",
    [NOCOMPLETE] = "mbarrier.arrive.noComplete.shared.b64 %d5, [%r3], %r4",
    [ARRIVE_TX] = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d5, [%r3], %r4",
    [EXPECT] = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], %r4",
    [COMPLETE] = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], %r4",
    [TEST] = "mbarrier.test_wait.shared.b64 %p2, [%r3], %d5",
    [TEST_PARITY] = "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], %r4",
    [TRY] = "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p2, [%r3], %d5, 1000",
    [TRY_PARITY] = "mbarrier.try_wait.parity.b64 %p2, [%d6+16], %r4",
    [AGAIN] = "mbarrier.inval.shared.b64 [%r3]; @%p1 mbarrier.init.shared.b64 [%r3], %r4",
};

/* An operand that the rules allow, or OFF; *out: what the lane stores then. */
static int64_t one(struct model *m, enum step op, uint32_t *out) {
  int64_t n = 0;
  switch (op) {
    case ARRIVE:
    case DROP:
    case ARRIVE_ONE:
    case NOCOMPLETE: {
      uint32_t most = op == ARRIVE_ONE ? 1 : m->pending;
      if (op == DROP && most > m->expected) most = m->expected;
      if (op == NOCOMPLETE && most == m->pending && !m->tx && most) most--;
      if (!most || !m->pending) return OFF;
      n = below(2) ? most : 1 + below(most);
      m->token_phase = m->phase, m->token_pending = *out = m->pending;
      m->pending -= (uint32_t)n;
      if (op == DROP) m->expected -= (uint32_t)n;
      ends(m);
      return n;
    }
    case ARRIVE_TX:
      if (!m->pending || m->tx > 1000) return OFF;
      n = below(300);
      m->tx += (int32_t)n;
      m->token_phase = m->phase, m->token_pending = *out = m->pending;
      m->pending--;
      ends(m);
      return n;
    case EXPECT:
      if (m->tx > 1000) return OFF;
      n = below(300);
      m->tx += (int32_t)n;
      ends(m);
      return n;
    case COMPLETE:
      if (m->tx < -1000) return OFF;
      n = m->tx > 0 && below(3) ? m->tx : (int32_t)below(300);
      m->tx -= (int32_t)n;
      ends(m);
      return n;
    case TEST:
    case TRY:
      if (!m->token_pending || m->phase - m->token_phase > 1) return OFF;
      *out = m->phase != m->token_phase;
      return 0;
    case TEST_PARITY:
    case TRY_PARITY:
      n = below(2);
      *out = (m->phase & 1) != n;
      return n;
    default:
      n = 1 + (below(4) ? below(5) : below(0xfffff));
      *m = (struct model){.pending = (uint32_t)n, .expected = (uint32_t)n};
      return n;
  }
}

static void sequences(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  uint32_t want[OUT];
  unsigned phases = 0, done = 0, negative = 0;
  for (unsigned k = 0; k < 60; k++) {
    seed = k;
    struct model m[LANES];
    char text[1 << 16], *p = text;
    memset(want, 0, sizeof want);
    text_put(&p, "%s shl.b32 %%r3, %%r1, 3; add.u32 %%r3, %%r3, 16; mov.u32 %%r4, s; add.u32 %%r3, %%r3, %%r4;\n",
             KERNEL);
    text_put(&p,
             "sub.u32 %%r5, %%r3, 16; cvt.u64.u32 %%d6, %%r5; cvta.shared.u64 %%d6, %%d6; ld.global.u32 %%r4, [%%d1];\n"
             "mbarrier.init.shared::cta.b64 [%%r3], %%r4;\n");
    for (unsigned l = 0; l < LANES; l++) {
      b->in[l] = 1 + below(6);
      m[l] = (struct model){.pending = b->in[l], .expected = b->in[l]};
    }
    for (unsigned s = 1; s < 100; s++) {
      const enum step op = below(50) ? (enum step)below(AGAIN) : AGAIN;
      for (unsigned l = 0; l < LANES; l++) {
        const uint32_t before = m[l].phase;
        b->in[s * LANES + l] = (uint32_t)one(&m[l], op, &want[s * LANES + l]);
        phases += m[l].phase != before;
        negative += m[l].tx < 0;
        done += op >= TEST && op <= TRY_PARITY && want[s * LANES + l];
      }
      text_put(&p, "ld.global.u32 %%r4, [%%d1+%u]; setp.ne.s32 %%p1, %%r4, -1; mov.u32 %%r6, 0;\n", s * 128);
      text_put(&p, "@%%p1 %s;\n", op_text[op]);
      if (op < EXPECT) text_put(&p, "@%%p1 mbarrier.pending_count.b64 %%r6, %%d5;\n");
      if (op >= TEST && op < AGAIN) text_put(&p, "@%%p1 selp.u32 %%r6, 1, 0, %%p2;\n");
      text_put(&p, "st.global.u32 [%%d2+%u], %%r6;\n", s * 128);
    }
    text_put(&p, "ret; }\n");
    run(text, b, LANES);
    for (unsigned w = 0; w < 100 * LANES; w++)
      if (b->out[w] != want[w])
        fail_msg("seed %u, step %u, lane %u: found %u, expected %u\n%s", k, w / LANES, w % LANES, b->out[w], want[w],
                 text);
    assert_int_equal(b->races, 0);
  }
  assert_true(phases > 2000 && done > 2000 && negative > 2000);
  free(b);
}

/* ---- warps ---- */

/* Of four warps each writes a word per thread and reads its neighbour's, ten times, with two barriers of all threads. */
static void all_threads(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  static const char *const wait[] = {
      "W%u: mbarrier.test_wait.shared.b64 %%p2, [bar+%u], %%d5; @!%%p2 bra W%u;\n",
      "W%u: mbarrier.try_wait.shared.b64 %%p2, [bar+%u], %%d5; @!%%p2 bra W%u;\n",
      "W%u: mbarrier.try_wait.parity.acquire.cta.shared.b64 %%p2, [bar+%u], %%r8; @!%%p2 bra W%u;\n",
  };
  for (unsigned w = 0; w < 3; w++) {
    char text[8192], *p = text;
    text_put(&p,
             "%s setp.eq.u32 %%p1, %%r0, 0; @%%p1 mbarrier.init.shared.b64 [bar], 128;\n"
             "@%%p1 mbarrier.init.shared.b64 [bar+8], 128; bar.sync 0;\n",
             KERNEL);
    text_put(
        &p,
        "mov.u32 %%r9, s; shl.b32 %%r3, %%r0, 2; add.u32 %%r3, %%r3, %%r9; add.u32 %%r4, %%r0, 33; and.b32 %%r4, %%r4, "
        "127;\n"
        "shl.b32 %%r4, %%r4, 2; add.u32 %%r4, %%r4, %%r9; mov.u32 %%r5, 0; mov.u32 %%r6, 0; mov.u32 %%r8, 0;\n"
        "L: mad.lo.u32 %%r7, %%r0, 7, %%r5; st.shared.u32 [%%r3], %%r7; mbarrier.arrive.shared.b64 %%d5, [bar];\n");
    text_put(&p, wait[w], 0, 0, 0);
    text_put(&p, "ld.shared.u32 %%r7, [%%r4]; add.u32 %%r6, %%r6, %%r7; mbarrier.arrive.shared.b64 %%d5, [bar+8];\n");
    text_put(&p, wait[w], 1, 8, 1);
    text_put(&p,
             "xor.b32 %%r8, %%r8, 1; add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p3, %%r5, 10; @%%p3 bra L;\n"
             "st.global.u32 [%%d2], %%r6; ret; }\n");
    run(text, b, 128);
    assert_int_equal(b->races, 0);
    for (uint32_t t = 0; t < 128; t++) assert_int_equal(b->out[t], 10 * 7 * ((t + 33) % 128) + 45);
  }
  free(b);
}

/* Warp 0 copies eight rows through two places; warp 1 sums what it finds there, last lane first. */
static const char *pipeline(char *text, const char *arrive, unsigned full, const char *acquire) {
  char *p = text;
  text_put(&p, "%s setp.eq.u32 %%p1, %%r0, 0;\n", KERNEL);
  for (unsigned k = 0; k < 2; k++)
    text_put(&p, "@%%p1 mbarrier.init.shared.b64 [bar+%u], %u; @%%p1 mbarrier.init.shared.b64 [bar+%u], 32;\n", 8 * k,
             full, 16 + 8 * k);
  text_put(&p,
           "bar.sync 0; mov.u32 %%r9, s; mov.u32 %%r5, 0; mov.u32 %%r10, bar; setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra "
           "CONSUME;\n");
  text_put(&p,
           "shl.b32 %%r4, %%r1, 2; add.u32 %%r4, %%r4, %%r9;\n"
           "P: and.b32 %%r6, %%r5, 1; shr.u32 %%r7, %%r5, 1; and.b32 %%r7, %%r7, 1; xor.b32 %%r7, %%r7, 1;\n"
           "shl.b32 %%r8, %%r6, 3; add.u32 %%r8, %%r8, %%r10; shl.b32 %%r11, %%r6, 7; add.u32 %%r11, %%r11, %%r4;\n"
           "PW: mbarrier.try_wait.parity.shared.b64 %%p2, [%%r8+16], %%r7; @!%%p2 bra PW;\n"
           "cp.async.ca.shared.global [%%r11], [%%d1], 4; %s\n"
           "add.u64 %%d1, %%d1, 128; add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p3, %%r5, 8; @%%p3 bra P;\nret;\n",
           arrive);
  text_put(&p,
           "CONSUME: sub.u32 %%r4, 31, %%r1; shl.b32 %%r4, %%r4, 2; add.u32 %%r4, %%r4, %%r9; mov.u32 %%r12, 0;\n"
           "C: and.b32 %%r6, %%r5, 1; shr.u32 %%r7, %%r5, 1; and.b32 %%r7, %%r7, 1;\n"
           "shl.b32 %%r8, %%r6, 3; add.u32 %%r8, %%r8, %%r10; shl.b32 %%r11, %%r6, 7; add.u32 %%r11, %%r11, %%r4;\n"
           "CW: mbarrier.test_wait.parity%s.shared.b64 %%p2, [%%r8], %%r7; @!%%p2 bra CW;\n"
           "ld.shared.u32 %%r13, [%%r11]; mad.lo.u32 %%r12, %%r12, 3, %%r13; mbarrier.arrive.shared.b64 _, [%%r8+16];\n"
           "add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p3, %%r5, 8; @%%p3 bra C;\n"
           "st.global.u32 [%%d2], %%r12; ret; }\n",
           acquire);
  return text;
}

#define NOINC "cp.async.mbarrier.arrive.noinc.shared.b64 [%r8];"
#define INC "cp.async.mbarrier.arrive.shared::cta.b64 [%r8]; mbarrier.arrive.shared.b64 %d5, [%r8];"
#define GROUPS "cp.async.wait_all; mbarrier.arrive.shared.b64 %d5, [%r8];"

static void copies(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  char text[8192];
  static const char *const ways[] = {NOINC, INC, GROUPS,
                                     ("add.u32 %r20, %r8, 0; cvt.u64.u32 %d7, %r20; cvta.shared.u64 %d7, %d7; "
                                      "cp.async.mbarrier.arrive.noinc.b64 [%d7];")};
  seed = 9;
  for (unsigned w = 0; w < IN; w++) b->in[w] = random32();
  for (unsigned k = 0; k < 4; k++) {
    run(pipeline(text, ways[k], 32, ""), b, 64);
    assert_int_equal(b->races, 0);
    for (unsigned l = 0; l < LANES; l++) {
      uint32_t sum = 0;
      for (unsigned r = 0; r < 8; r++) sum = sum * 3 + b->in[r * 32 + 31 - l];
      assert_int_equal(b->out[32 + l], sum);
    }
  }
  /* without the order that .acquire makes the reads race with the copies */
  assert_true(run_once(pipeline(text, NOINC, 32, ".relaxed.cta"), b, RACES, 64));
  assert_true(b->races > 0);
  free(b);
}

/* An arrival for copies comes when they are done, not when it is executed: a copy takes a way to memory and back. */
static void copies_take_time(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  uint64_t cycles[2];
  for (unsigned k = 0; k < 2; k++) {
    char text[4096], *p = text;
    text_put(&p,
             "%s setp.eq.u32 %%p1, %%r0, 0; @%%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; mov.u32 %%r3, s;\n"
             "setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra W; shl.b32 %%r4, %%r1, 2; add.u32 %%r3, %%r3, %%r4;\n",
             KERNEL);
    if (k) text_put(&p, "cp.async.ca.shared.global [%%r3], [%%d1], 4;\n");
    text_put(&p,
             "cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; ret;\n"
             "W: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0; @!%%p2 bra W; ld.shared.u32 %%r5, [s];\n"
             "st.global.u32 [%%d2], %%r5; ret; }\n");
    b->in[0] = 4711;
    run(text, b, 64);
    for (unsigned t = 32; t < 64; t++) assert_int_equal(b->out[t], k ? 4711 : 0);
    if (!run_once(text, b, TIMED, 64)) fail();
    cycles[k] = b->stats.cycles;
  }
  assert_true(cycles[1] > cycles[0] + 150);
  free(b);
}

/* A producer does not wait for its own copies: two arrivals take no longer than one. More than COPY_GROUPS of them, too. */
static void many_arrivals(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  char text[8192], *p = text;
  text_put(&p,
           "%s setp.eq.u32 %%p1, %%r0, 0; @%%p1 mbarrier.init.shared.b64 [bar], 1280; bar.sync 0; mov.u32 %%r3, s;\n"
           "setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra W; shl.b32 %%r4, %%r1, 2; add.u32 %%r3, %%r3, %%r4; mov.u32 %%r6, 0;\n"
           "L: cp.async.ca.shared.global [%%r3], [%%d1], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
           "add.u64 %%d1, %%d1, 128; add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p2, %%r6, 40; @%%p2 bra L; ret;\n"
           "W: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0; @!%%p2 bra W; shl.b32 %%r4, %%r1, 2;\n"
           "add.u32 %%r3, %%r3, %%r4; ld.shared.u32 %%r5, [%%r3]; st.global.u32 [%%d2], %%r5; ret; }\n",
           KERNEL);
  for (unsigned w = 0; w < IN; w++) b->in[w] = w;
  run(text, b, 64);
  for (unsigned l = 0; l < LANES; l++) assert_int_equal(b->out[32 + l], 39 * 32 + l);
  if (!run_once(text, b, TIMED, 64)) fail();
  assert_true(b->stats.cycles < 40 * 150); /* 40 ways to memory one behind the other are longer */
  free(b);
}

/* ---- errors ---- */

#define ONE "setp.eq.u32 %p1, %r0, 0;\n"
static void faults(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  static const char *const of[][2] = {
      {"mbarrier.init.shared.b64 [bar], 0;", "mbarrier.init: found a count of 0, expected 1 to 1048575"},
      {"mbarrier.init.shared.b64 [bar], 1048576;", "found a count of 1048576, expected 1 to 1048575"},
      {"mbarrier.init.shared.b64 [bar+4], 1;", "mbarrier of 8 bytes at shared address"},
      {"mbarrier.init.shared.b64 [bar+8192], 1;", "is out of bounds"},
      {"mbarrier.init.b64 [%d1], 1;", "mbarrier at address 0x10000: expected shared memory"},
      {"mbarrier.arrive.shared.b64 %d5, [bar];", "found no mbarrier at shared address 0x0"},
      {"mbarrier.inval.shared.b64 [bar];", "found no mbarrier at shared address"},
      {"mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;", "found no mbarrier at shared address"},
      {"mbarrier.init.shared.b64 [bar], 2; mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 %d5, [bar];",
       "found no mbarrier"},
      {"mbarrier.init.shared.b64 [bar], 2; st.shared.u32 [bar+4], 7; mbarrier.arrive.shared.b64 %d5, [bar];",
       "something wrote over it"},
      {"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %d5, [bar], 3;",
       "found an arrival of 3 at the mbarrier at shared address 0x0, expected no more than its pending count of 2"},
      {"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %d5, [bar], 0;", "found an arrival of 0"},
      {"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.noComplete.shared.b64 %d5, [bar], 2;",
       "found an arrival with .noComplete that ends the phase"},
      {"mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive_drop.shared.b64 %d5, [bar]; mbarrier.arrive.shared.b64 _, "
       "[bar];",
       "no more than its pending count of 0"},
      {"mbarrier.init.shared.b64 [bar], 1048575; cp.async.mbarrier.arrive.shared.b64 [bar];",
       "found a pending count of more than 1048575"},
      {"mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1048575;"
       "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1;",
       "found a tx-count of 1048576 of the mbarrier"},
      {"mbarrier.init.shared.b64 [bar], 1; mov.b64 %d5, 0; mbarrier.test_wait.shared.b64 %p2, [bar], %d5;",
       "found 0x0 as the state of an mbarrier"},
      {"mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 %d5, [bar]; mbarrier.arrive.shared.b64 _, [bar];"
       "mbarrier.test_wait.shared.b64 %p2, [bar], %d5;",
       "that ended 2 phases ago"},
      {"mbarrier.init.shared.b64 [bar], 1; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 2;", "found a parity of 2"},
      {"mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive_drop.shared.b64 _, [bar];"
       "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];",
       "found an arrival of 1 at the mbarrier at shared address 0x0, expected no more than its pending count of 0"},
  };
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
    char text[4096], *p = text;
    text_put(&p, "%s%s@!%%p1 bra E;\n%s\nE: st.global.u32 [%%d2], 1; ret; }\n", KERNEL, ONE, of[k][0]);
    fails(text, b, LANES, of[k][1]);
  }
  /* a warp that waits for an arrival which nobody makes; what comes in time is no such loop */
#define WAIT "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W; st.global.u32 [%d2], 1; ret; }\n"
  fails(KERNEL ONE "@%p1 mbarrier.init.shared.b64 [bar], 33; bar.sync 0; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT,
        b, LANES, "a loop that cannot end");
  fails(KERNEL ONE
        "@%p1 mbarrier.init.shared.b64 [bar], 33; bar.sync 0; setp.lt.u32 %p1, %r0, 32; @%p1 bra W; bar.sync 1, "
        "64;\n" WAIT,
        b, 96, "a loop that cannot end");
  run(KERNEL ONE
      "@%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; setp.lt.u32 %p1, %r0, 32; @%p1 bra W;\n"
      "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 200000; @%p1 bra L;\n"
      "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT,
      b, 64);
  free(b);
}

/* What is no PTX is refused when it is read. */
static void refused(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  static const char *const of[][2] = {
      {"mbarrier.b64 [bar];", "expected one of .init"},
      {"mbarrier.init.shared.b32 [bar], 1;", "found type '.b32'"},
      {"mbarrier.init.shared [bar], 1;", "without its type"},
      {"mbarrier.init.global.b64 [bar], 1;", "a generic address or .shared"},
      {"mbarrier.init.shared.b64 [bar];", "found 1 operand"},
      {"mbarrier.init.release.cta.shared.b64 [bar], 1;", "no ordering and no scope"},
      {"mbarrier.arrive.acquire.cta.shared.b64 %d5, [bar];", ".release or .relaxed"},
      {"mbarrier.arrive.release.cluster.shared.b64 %d5, [bar];", "clusters are not supported"},
      {"mbarrier.arrive.shared::cluster.b64 _, [bar];", "shared::cluster"},
      {"mbarrier.arrive.shared.b64 %r4, [bar];", "a register of .b64"},
      {"mbarrier.arrive.parity.shared.b64 %d5, [bar];", ".parity behind .test_wait"},
      {"mbarrier.arrive.expect_tx.shared.b64 %d5, [bar];", "found 2 operands"},
      {"mbarrier.arrive.noComplete.shared.b64 %d5, [bar];", "found 2 operands"},
      {"mbarrier.test_wait.noComplete.shared.b64 %p2, [bar], %d5;", ".noComplete behind .arrive"},
      {"mbarrier.test_wait.release.cta.shared.b64 %p2, [bar], %d5;", ".acquire or .relaxed"},
      {"mbarrier.test_wait.shared.b64 %p2, [bar], %r4;", "an operand of .b64"},
      {"mbarrier.test_wait.shared.b64 %r4, [bar], %d5;", "a register of .pred"},
      {"mbarrier.test_wait.shared.b64 %p2, [bar], %d5, 100;", "found 4 operands"},
      {"mbarrier.pending_count.shared.b64 %r4, %d5;", "no address space"},
      {"mbarrier.init.arrive.shared.b64 [bar], 1;", "a second modifier of its kind"},
      {"cp.async.mbarrier.arrive.shared [bar];", "expected cp.async.mbarrier.arrive"},
      {"cp.async.mbarrier.shared.b64 [bar];", "expected cp.async.mbarrier.arrive"},
      {"cp.async.wait_all.b64;", "expected cp.async.mbarrier.arrive"},
      {"cp.async.wait_all.noinc;", "expected cp.async.mbarrier.arrive"},
  };
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
    char text[4096], *p = text;
    text_put(&p, "%s %s ret; }\n", KERNEL, of[k][0]);
    fails(text, b, LANES, of[k][1]);
  }
  free(b);
}

static void listing(void **state) {
  (void)state;
  static const char *const of[][2] = {
      {"mbarrier.init.shared.b64 [%r3+8], %r4;", "mbarrier.init.shared.b64 [%r3+8], %r4"},
      {"mbarrier.arrive.shared.b64 %d5, [%r3];", "mbarrier.arrive.shared.b64 %d5, [%r3], 1"},
      {"mbarrier.arrive_drop.expect_tx.shared.b64 _, [%r3], 8;", "mbarrier.arrive_drop.expect_tx.shared.b64 [%r3], 8"},
      {"mbarrier.try_wait.parity.b64 %p2, [%d5], %r4, 99;", "mbarrier.try_wait.parity.b64 %p2, [%d5], %r4"},
      {"cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];", "mbarrier.cp.async.arrive.noinc.shared.b64 [%r3]"},
  };
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
    char text[4096], *p = text, line[128];
    struct err e = {0};
    text_put(&p, "%s %s ret; }\n", KERNEL, of[k][0]);
    struct module *m = ptx_parse("t.ptx", text, strlen(text), &e);
    if (!m) fail_msg("%d:%d: %s", e.line, e.col, e.text);
    insn_print(&m->kernel[0], m->kernel[0].n - 2, line, sizeof line);
    assert_string_equal(line, of[k][1]);
    module_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequences),        cmocka_unit_test(all_threads),   cmocka_unit_test(copies),
      cmocka_unit_test(copies_take_time), cmocka_unit_test(many_arrivals), cmocka_unit_test(faults),
      cmocka_unit_test(refused),          cmocka_unit_test(listing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
