/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live: a warp's live vectors and dead sources, by hand on small graphs, and for all kernels during execution: a register
 * that a lane reads was in the vector before every instruction of its warp since the lane wrote it, and no instruction
 * since then had it as a dead source.
 */
#include <glob.h>
#include <stdio.h>

#include "analysis_make.h"
#include "cta_watch.h"
#include "launch/launch.h"
#include "compiler/ptx/ptx.h"
#include "sampled.h"

/* ---- by hand: registers and predicates are physical already ---- */

static struct insn *mov(struct make *k, struct opnd d, struct opnd a) { return op1(k, OP_MOV, T_U32, d, a); }

static void finish(struct make *k, uint32_t nreg) {
  make_done(k);
  k->c->allocated = true;
  k->c->nreg = nreg;
  k->c->npred = 4;
  finish_code(k->m, k->c);
}

/* want: a digit for each register per instruction, R0 first: "101" is R0 and R2. */
static void vectors_are(const struct make *k, const char *const *want) {
  for (uint32_t i = 0; i < k->c->n; i++) {
    char got[LIVE_VECTOR_REGS + 1] = "";
    for (uint32_t r = 0; r < k->c->nreg; r++) got[r] = live_vector(k->c, i) >> r & 1 ? '1' : '0';
    if (strcmp(got, want[i])) fail_msg("instruction %u: found %s, expected %s", i, got, want[i]);
    assert_true(live_vector(k->c, i) >> k->c->nreg == 0);
    for (unsigned w = 0; w < 4; w++) assert_int_equal(k->c->live[i][w] & ~k->c->warp_live[i][w], 0);
  }
}

/* want: of each instruction the sources that are dead behind it, "R0 R1". */
static void dead_are(const struct make *k, const char *const *want) {
  for (uint32_t i = 0; i < k->c->n; i++) {
    const struct op *o = &k->c->op[i];
    char got[64] = "";
    for (unsigned s = 0; s < o->nsrc; s++)
      if (o->dead >> s & 1) sprintf(got + strlen(got), "%sR%u", got[0] ? " " : "", o->src[s]);
    if (strcmp(got, want[i])) fail_msg("instruction %u: found dead '%s', expected '%s'", i, got, want[i]);
  }
}

static void diamond(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  mov(&k, R(0), C(0, 1));              /* 0 */
  mov(&k, R(1), C(4, 1));              /* 1 */
  mov(&k, R(2), C(8, 1));              /* 2 */
  setp(&k, C_NE, P(0), C(0, 1), I(0)); /* 3 */
  brap(&k, 8, 0);                      /* 4 */
  mov(&k, R(3), R(0));                 /* 5 one side reads R0 only */
  mov(&k, R(1), R(3));                 /* 6 and R1 of the others is not ended here */
  bra(&k, 10);                         /* 7 */
  mov(&k, R(0), R(1));                 /* 8 the other reads R1 only, writes R0, R1 */
  mov(&k, R(1), R(0));                 /* 9 */
  st(&k, T_U32, 0, R(1));              /* 10 */
  st(&k, T_U32, 0, R(2));              /* 11 */
  add(&k, OP_EXIT, T_NONE);            /* 12 */
  finish(&k, 4);
  vectors_are(&k, (const char *const[]){"0000", "1000", "1100", "1110", "1110", "1110", /* R1: of the lanes that wait */
                                        "0111",         /* R0 is read no more, R1 waits */
                                        "0110", "1110", /* R0: the first side may still come; R1: also its result */
                                        "1110", "0110", "0010", "0000"});
  /* not 8: R1 of lanes that wait at 10; not 9: R0 of lanes that wait before 5 */
  dead_are(&k, (const char *const[]){"", "", "", "", "", "R0", "R3", "", "", "", "R1", "R2", ""});
  module_free(k.m);
}

/* if without else: nothing waits but behind it. */
static void one_side(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  mov(&k, R(0), C(0, 1));   /* 0 */
  mov(&k, R(1), C(4, 1));   /* 1 */
  brap(&k, 5, 0);           /* 2 */
  st(&k, T_U32, 0, R(1));   /* 3 */
  mov(&k, R(0), I(7));      /* 4 a thread that is here needs no older R0 */
  st(&k, T_U32, 0, R(0));   /* 5 */
  add(&k, OP_EXIT, T_NONE); /* 6 */
  finish(&k, 2);
  assert_int_equal(k.c->live[3][0], 2);
  vectors_are(&k, (const char *const[]){"00", "10", "11", "11", "10", "10", "00"});
  module_free(k.m);
}

/* Lanes that leave early keep what the end reads; R1 is made anew in each round. */
static void loop(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  mov(&k, R(0), C(0, 1));                   /* 0 */
  mov(&k, R(2), I(0));                      /* 1 */
  op2(&k, OP_ADD, T_U32, R(1), R(0), I(1)); /* 2 */
  mov(&k, R(0), R(1));                      /* 3 */
  mov(&k, R(2), R(1));                      /* 4 */
  brap(&k, 2, 0);                           /* 5 */
  st(&k, T_U32, 0, R(2));                   /* 6 */
  add(&k, OP_EXIT, T_NONE);                 /* 7 */
  finish(&k, 3);
  assert_int_equal(k.c->live[2][0], 1);
  vectors_are(&k, (const char *const[]){"000", "100", "101", "011", "111", "101", "001", "000"});
  module_free(k.m);
}

/* for (;;) { if (p) { R1 of its own; break; } if (q) break; }: lanes at the break block wait for the loop. */
static void loop_with_break(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  mov(&k, R(0), C(0, 1));                   /* 0 */
  mov(&k, R(1), C(4, 1));                   /* 1 */
  op2(&k, OP_ADD, T_U32, R(0), R(0), I(1)); /* 2  loop */
  brap(&k, 7, 0);                           /* 3  break through 7 */
  mov(&k, R(2), R(0));                      /* 4 */
  brap(&k, 2, 1);                           /* 5 */
  bra(&k, 8);                               /* 6 */
  mov(&k, R(2), R(1));                      /* 7 */
  st(&k, T_U32, 0, R(2));                   /* 8 */
  add(&k, OP_EXIT, T_NONE);                 /* 9 */
  finish(&k, 3);
  vectors_are(&k, (const char *const[]){"000", "100", "111", /* R2: lanes that have left by 6 */
                                        "111", "111",        /* R1: for 7 */
                                        "111", "111", "111", /* R0: lanes that wait before the loop's next round */
                                        "001", "000"});
  module_free(k.m);
}

static void nested(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  mov(&k, R(0), C(0, 1));   /* 0 */
  mov(&k, R(1), C(4, 1));   /* 1 */
  mov(&k, R(2), C(8, 1));   /* 2 */
  brap(&k, 10, 0);          /* 3 */
  brap(&k, 7, 1);           /* 4  within: sides 5 and 7 */
  mov(&k, R(3), R(0));      /* 5 */
  bra(&k, 8);               /* 6 */
  mov(&k, R(3), R(1));      /* 7 */
  st(&k, T_U32, 0, R(3));   /* 8 */
  bra(&k, 11);              /* 9 */
  st(&k, T_U32, 0, R(2));   /* 10 */
  add(&k, OP_EXIT, T_NONE); /* 11 */
  finish(&k, 4);
  vectors_are(&k,
              (const char *const[]){"0000", "1000", "1100", "1110", "1110", "1111", /* R3: lanes that were in 7 first */
                                    "0111", "1111",                                 /* R0: for 5; R2: for 10 */
                                    "0011", "0010", "1110", /* the outer other side may still come */
                                    "0000"});
  module_free(k.m);
}

static void guarded_write(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  mov(&k, R(0), C(0, 1));                 /* 0 */
  mov(&k, R(1), C(0, 1));                 /* 1 */
  mov(&k, R(0), I(1))->guard = P(0);      /* 2 */
  mov(&k, R(1), I(1));                    /* 3 */
  st(&k, T_U32, 0, R(0));                 /* 4 */
  st(&k, T_U32, 0, R(1));                 /* 5 */
  add(&k, OP_EXIT, T_NONE)->guard = P(0); /* 6 */
  op1(&k, OP_MOV, T_U64, D(2), I2(5));    /* 7 */
  st(&k, T_U64, 0, D(2));                 /* 8 */
  add(&k, OP_EXIT, T_NONE);               /* 9 */
  finish(&k, 4);
  vectors_are(&k,
              (const char *const[]){"0000", "1000", "1000", "1000", "1100", "0100", "0000", "0000", "0011", "0000"});
  module_free(k.m);
}

static void no_vectors(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  mov(&k, R(63), I(1));
  st(&k, T_U32, 0, R(63));
  add(&k, OP_EXIT, T_NONE);
  finish(&k, 64);
  assert_false(live_vectors(k.c));
  assert_int_equal(k.c->warp_live[1][0], 1ull << 63);
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  analyze_live(k.c, f);
  fclose(f);
  assert_non_null(strstr(text, "none: 64 registers, a vector has 63"));
  assert_non_null(strstr(text, "  R63\n"));
  free(text);
  k.c->nreg = 63;
  assert_true(live_vectors(k.c));
  module_free(k.m);
}

/* ---- as kernels run ---- */

enum { WARP, THREAD };

struct trail {           /* of one warp; times are its instructions, from 1 */
  uint32_t missing[256]; /* register was last not in the vector */
  uint32_t died[256];    /* register was last a dead source */
  uint32_t written[256][LANES];
};

struct watch {
  const uint64_t (*sets)[4]; /* the vectors under test */
  bool threads;              /* dead sources by the sets of single threads; else those of struct op */
  struct trail *trail;
  uint64_t reads, lost; /* reads; those whose register had been out of the vector, or a dead source */
  uint64_t dead;        /* dead sources */
  char first[200];
};

/* As a thread sees it: not live before any next instruction, or written here. */
static bool dead_in_thread(const struct code *c, uint32_t i, uint32_t r) {
  const struct insn *in = &c->insn[i];
  const struct op *o = &c->op[i];
  for (unsigned d = 0; d < o->ndst; d++)
    if (o->dst[d] == r && in->guard.kind != O_PRED) return true;
  const bool stops = (in->op == OP_BRA || in->op == OP_EXIT || in->op == OP_TRAP) && in->guard.kind != O_PRED;
  if (!stops && i + 1 < c->n && set_has(c->live[i + 1], r)) return false;
  return in->op != OP_BRA || !set_has(c->live[in->target], r);
}

static void watch_dead(struct watch *h, const struct code *c, uint32_t i, struct trail *t, uint32_t now) {
  const struct op *op = &c->op[i];
  for (unsigned k = 0; k < op->nsrc; k++) {
    if (!(h->threads ? dead_in_thread(c, i, op->src[k]) : op->dead >> k & 1)) continue;
    t->died[op->src[k]] = now;
    h->dead++;
  }
}

static void watch_one(struct watch *h, const struct code *c, const struct warp_inst *inst) {
  struct trail *t = &h->trail[inst->warp];
  const struct op *op = &c->op[inst->op];
  uint32_t now = inst->seq + 1;
  for (uint32_t r = 0; r < c->nreg; r++)
    if (!set_has(h->sets[inst->op], r)) t->missing[r] = now;
  for (unsigned k = 0; k < op->nsrc; k++)
    for (uint32_t m = inst->lanes; m; m &= m - 1) {
      uint32_t r = op->src[k], lane = (uint32_t)bit_low32(m);
      h->reads++;
      const bool missing = t->missing[r] > t->written[r][lane];
      if (!missing && t->died[r] <= t->written[r][lane]) continue;
      if (!h->lost++)
        snprintf(h->first, sizeof h->first, "%s: instruction %u reads R%u of lane %u, which is %s %u before", c->name,
                 inst->op, r, lane, missing ? "not in the vector" : "a dead source",
                 now - (missing ? t->missing[r] : t->died[r]));
    }
  watch_dead(h, c, inst->op, t, now);
  for (unsigned k = 0; k < op->ndst; k++)
    for (uint32_t m = inst->lanes; m; m &= m - 1) t->written[op->dst[k]][bit_low32(m)] = now;
}

static void watch_begin(void *ctx, uint32_t warps) {
  struct watch *h = ctx;
  for (unsigned k = 0; k < 2; k++) memset(h[k].trail, 0, warps * sizeof *h->trail);
}

static bool watch_both(void *ctx, const struct code *c, const struct warp_inst *inst) {
  struct watch *h = ctx;
  watch_one(&h[WARP], c, inst);
  watch_one(&h[THREAD], c, inst);
  return true;
}

static bool run_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  static const struct watcher sets = {.begin = watch_begin, .given = watch_both};
  (void)index;
  struct watch *h = ctx;
  h[WARP].sets = (const uint64_t(*)[4])l->code->warp_live;
  h[THREAD].sets = (const uint64_t(*)[4])l->code->live;
  return watch_launch(&sets, h, l, e);
}

static bool run_file(const char *path, struct watch h[2], struct err *e) {
  struct script *s = script_read(path, e);
  if (!s || !script_choose(s, "small", e)) return false;
  struct module *m = ptx_load(script_ptx(s), e);
  bool ok = m != NULL;
  for (uint32_t i = 0; ok && i < m->nkernel; i++)
    ok = alloc_kernel(m, &m->kernel[i], script_regs(s, m->kernel[i].name), e);
  ok = ok && script_run(s, m, 0, &(struct host_ops){.launch = run_launch, .ctx = h}, e);
  module_free(m);
  script_free(s);
  return ok;
}

/* The threads' own sets are too small for a warp in many kernels: were they not, this test could see nothing.
 */
static void kernels_lose_nothing(void **state) {
  (void)state;
  glob_t all;
  unsigned short_of = 0;
  struct watch h[2] = {[THREAD] = {.threads = true}};
  for (unsigned k = 0; k < 2; k++) h[k].trail = xcalloc(WARPS, sizeof *h->trail);
  assert_int_equal(glob("traces/kernels/*/*.launch", 0, NULL, &all), 0);
  assert_true(all.gl_pathc >= 50);
  for (size_t i = 0; i < all.gl_pathc; i++) {
    struct err e = {0};
    uint64_t before = h[THREAD].lost;
    if (!sampled(i)) continue;
    if (!run_file(all.gl_pathv[i], h, &e)) fail_msg("%s:%d: %s", e.file[0] ? e.file : all.gl_pathv[i], e.line, e.text);
    if (h[WARP].lost) fail_msg("%s: %s", all.gl_pathv[i], h[WARP].first);
    short_of += h[THREAD].lost != before;
  }
  print_message(
      "# %zu kernels, %llu reads, %llu of dead sources (%llu by single threads); the sets of single threads lose %llu, "
      "in %u kernels\n",
      all.gl_pathc, (unsigned long long)h[WARP].reads, (unsigned long long)h[WARP].dead,
      (unsigned long long)h[THREAD].dead, (unsigned long long)h[THREAD].lost, short_of);
  assert_true(h[WARP].dead > 100000 / ONE_OF && h[WARP].dead < h[THREAD].dead);
  assert_true(h[WARP].reads > 10000000 / ONE_OF && short_of > 5 / ONE_OF);
  globfree(&all);
  for (unsigned k = 0; k < 2; k++) free(h[k].trail);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(diamond),    cmocka_unit_test(one_side),
      cmocka_unit_test(loop),       cmocka_unit_test(loop_with_break),
      cmocka_unit_test(nested),     cmocka_unit_test(guarded_write),
      cmocka_unit_test(no_vectors), cmocka_unit_test(kernels_lose_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
