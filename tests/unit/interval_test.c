/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval: register-intervals and strands of graphs by hand, and of random ones against the rules as they are written;
 * the checks on planted faults; the code slots of PREFETCHes; an allocated kernel.
 */
#include "interval_kit.h"

#include "analysis_make.h"

/* ---- by hand ---- */

#define BLOCKS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* want: a digit for each instruction, its interval; "." where it has none. */
static void at_is(const struct intervals *v, uint32_t n, const char *want) {
  char got[MOST_INSNS] = "";
  for (uint32_t x = 0; x < n; x++) got[x] = v->at[x] == INTERVAL_NONE ? '.' : (char)('0' + v->at[x]);
  assert_string_equal(got, want);
}

static void regs_are(const struct intervals *v, uint32_t i, const char *want) {
  char got[2048];
  regset_print(v->of[i].regs, got, sizeof got);
  assert_string_equal(got, want);
}

static void form(struct built *k, const char *const *blocks, uint32_t most, struct intervals *v) {
  struct err e = {0};
  built_of(k, blocks);
  if (!intervals_form(&k->g, most, v, &e)) fail_msg("%s", e.text);
}

static void formed(const char *const *blocks, uint32_t most, const char *want) {
  struct built k;
  struct intervals v;
  form(&k, blocks, most, &v);
  at_is(&v, k.g.n, want);
  intervals_clear(&v);
}

static void straight_line(void **state) {
  (void)state;
  struct built k;
  struct intervals v;
  form(&k, BLOCKS("0,1 1 2,0 3 2,3 4"), 3, &v);
  at_is(&v, k.g.n, "000111");
  assert_int_equal(v.n, 2);
  regs_are(&v, 0, "R0-R2");
  regs_are(&v, 1, "R2-R4");
  assert_int_equal(v.of[1].first, 3);
  assert_int_equal(v.of[1].pc, 24);
  assert_int_equal(v.of[1].block, 0);
  assert_int_equal(v.of[1].length, 3);
  intervals_clear(&v);
  formed(BLOCKS("0,1 1 2,0 3 2,3 4"), 5, "000000");
  formed(BLOCKS("0 1 2 > 1", "3"), 2, "0011"); /* what is cut off goes on */
  formed(BLOCKS("0 1 2 3 4"), 2, "00112");     /* one block that alone exceeds the limit */
  formed(BLOCKS("255 0 254"), 256, "000");
}

static void loops(void **state) {
  (void)state;
  formed(BLOCKS("0 > 1", "0,1 > 1 2", "2"), 3, "000"); /* it opens an interval, which pass 2 merges */
  formed(BLOCKS("0 > 1", "1,2 > 1 2", "1"), 2, "011"); /* it does not fit: the loop is one */
  formed(BLOCKS("0 > 1", "1 > 1 2", "2"), 1, "012");
  formed(BLOCKS("0 > 0 1", "1"), 2, "00"); /* the entry */
  /* Figure 6: a nested loop, A, B and C */
  formed(BLOCKS("0 > 1", "1 > 2", "2 > 1 0"), 3, "000");
  formed(BLOCKS("0 > 1", "1 > 2", "2 > 1 0"), 2, "011");
  /* two loops in one: each pass 2 merges one level */
  formed(BLOCKS("0 > 1", "0 > 2", "0 > 3", "0 > 2 4", "0 > 1 5", "0"), 1, "000000");
}

static void diamonds(void **state) {
  (void)state;
  static const char *const if_else[] = {"0 > 1 2", "1,2 > 3", "3,4 > 3", "0", NULL};
  formed(if_else, 5, "0000");
  formed(if_else, 4, "0012");                        /* no path names more than four, but the interval would */
  formed(BLOCKS("0 > 1 2", "1,2", "3,4"), 3, "001"); /* the lower one is taken, whatever the order of the edges */
  formed(BLOCKS("0 > 2 1", "1,2", "3,4"), 3, "001");
  formed(BLOCKS("0 > 2", "3,4", "1,2 > 1"), 3, "010");    /* the lower one is not ready before the other */
  formed(BLOCKS("0 > 1 2", "1 > 2", "2 > 1"), 16, "012"); /* irreducible: each entry of the loop */
}

static void calls(void **state) {
  (void)state;
  formed(BLOCKS("0 > 1", "call > 2", "0"), 16, "012");
  formed(BLOCKS("0 > 1", "call > 2", "call > 3", "0 > 3 4", "0"), 16, "01233");
  formed(BLOCKS("call > 1", "0 > 0"), 16, "01");
}

static void dead_ends(void **state) {
  (void)state;
  struct built k;
  struct intervals v;
  form(&k, BLOCKS("0 > 2", "1 > 2", "2"), 16, &v); /* an edge from what is not reached counts, too */
  at_is(&v, k.g.n, "0.1");
  assert_int_equal(v.unreached, 1);
  assert_int_equal(v.in[1], INTERVAL_NONE);
  intervals_clear(&v);
  formed(BLOCKS("0 > 2", "1 > 3", "0 > 4", "1 > 4", "0"), 16, "0.0.1");
  form(&k, BLOCKS("0 > 1", "> 2", "1"), 16, &v); /* an empty block */
  at_is(&v, k.g.n, "00");
  assert_int_equal(v.in[1], 0);
  intervals_clear(&v);
  form(&k, BLOCKS("0 > 1 2", "1,2 > 3", "3,4 > 3", "> 4", "0"), 4, &v); /* as a header */
  at_is(&v, k.g.n, "0012");
  assert_int_equal(v.of[2].block, 3);
  assert_int_equal(v.of[2].length, 1);
  intervals_clear(&v);
  form(&k, BLOCKS(""), 16, &v);
  assert_int_equal(v.n, 1);
  assert_int_equal(v.of[0].length, 0);
  intervals_clear(&v);
}

static void too_many(void **state) {
  (void)state;
  struct built k;
  struct intervals v;
  struct err e = {0};
  built_of(&k, BLOCKS("0 > 1", "0,1 4,5,6"));
  assert_false(intervals_form(&k.g, 2, &v, &e));
  assert_string_equal(e.text, "found an instruction of 3 registers at pc 0x10, expected at most the 2 of an interval");
  assert_true(e.line == 3 && e.col == 3);
  e.set = false;
  assert_false(strands_form(&k.g, STRAND_USE, 2, &v, &e));
  assert_string_equal(e.text, "found an instruction of 3 registers at pc 0x10, expected at most the 2 of an interval");
  built_of(&k, BLOCKS("0 > 2", "4,5,6", "0,1")); /* not reached */
  e.set = false;
  assert_true(intervals_form(&k.g, 2, &v, &e));
  intervals_clear(&v);
}

static void functions(void **state) {
  (void)state;
  struct built k;
  struct intervals v;
  struct err e = {0};
  built_begin(&k);
  built_func(&k, "f");
  built_block(&k, "0 1 > 1");
  built_block(&k, "2");
  built_func(&k, "g");
  built_block(&k, "0 1");
  assert_true(intervals_form(&k.g, 2, &v, &e));
  at_is(&v, k.g.n, "00122");
  assert_int_equal(v.of[1].func, 0);
  assert_int_equal(v.of[2].func, 1);
  assert_int_equal(v.of[2].pc, 0);
  intervals_clear(&v);
}

/* ---- strands ---- */

static void cut(const char *const *blocks, enum strand_cut how, uint32_t most, const char *want) {
  struct built k;
  struct intervals v;
  struct err e = {0};
  built_of(&k, blocks);
  if (!strands_form(&k.g, how, most, &v, &e)) fail_msg("%s", e.text);
  at_is(&v, k.g.n, want);
  intervals_clear(&v);
}

static void strands(void **state) {
  (void)state;
  cut(BLOCKS("!0 1,2 0,1 3"), STRAND_USE, 256, "0011");
  cut(BLOCKS("!0 1,2 0,1 3"), STRAND_OP, 256, "0111");
  cut(BLOCKS("!0,0 0"), STRAND_USE, 256, "01");      /* its own address is none */
  cut(BLOCKS("!0 !1 0 1"), STRAND_USE, 256, "0011"); /* R1 comes from the strand before */
  cut(BLOCKS("!0 !1 0 1"), STRAND_OP, 256, "0122");
  cut(BLOCKS("0,1 1,2 3"), STRAND_USE, 3, "001");
  cut(BLOCKS("0 > 1", "call > 2", "1"), STRAND_USE, 256, "012");
}

static void strand_branches(void **state) {
  (void)state;
  cut(BLOCKS("0 > 1", "0 > 1 2", "0"), STRAND_USE, 256, "012");
  cut(BLOCKS("0 > 1", "0 > 2", "0 > 1 3", "0"), STRAND_USE, 256, "0112");
  cut(BLOCKS("0 > 1 2", "0 > 3", "0 > 3", "0"), STRAND_USE, 256, "0000");
  cut(BLOCKS("0 > 1 2", "!1 > 3", "2 > 3", "3"), STRAND_USE, 256, "0001");  /* R1 is outstanding on one way */
  cut(BLOCKS("0 > 1 2", "!1 > 3", "!1 > 3", "3"), STRAND_USE, 256, "0000"); /* on both */
  cut(BLOCKS("!0 > 1 2", "0 > 3", "2 > 3", "3"), STRAND_USE, 256, "0102");  /* different strands */
  cut(BLOCKS("!0 > 1", "1 > 2", "0"), STRAND_USE, 256, "001");              /* from block to block */
  cut(BLOCKS("!0 > 1", "1"), STRAND_OP, 256, "01");
  cut(BLOCKS("0 > 2", "1 > 2", "2"), STRAND_USE, 256, "0.1");
  cut(BLOCKS("0,1 > 1 2", "2 > 3", "3 > 3", "0"), STRAND_USE, 3, "0012");
}

/* ---- random graphs ---- */

/* Both give the same parts: each number of one stands for one number of the other. */
static bool same_parts(const struct cfg *g, const struct intervals *v, const int *of) {
  int as[MOST_INSNS];
  for (uint32_t i = 0; i < v->n; i++) as[i] = -1;
  for (uint32_t x = 0; x < g->n; x++) {
    if ((v->at[x] == INTERVAL_NONE) != (of[x] < 0)) return false;
    if (of[x] < 0) continue;
    if (as[v->at[x]] < 0) as[v->at[x]] = of[x];
    if (as[v->at[x]] != of[x]) return false;
  }
  return true;
}

static void random_graphs(void **state) {
  (void)state;
  uint32_t total = 0;
  for (uint64_t seed = 1; seed <= 12000; seed++) {
    struct built k;
    struct intervals v;
    struct err e = {0};
    int of[MOST_INSNS];
    const uint32_t most = 3 + (uint32_t)(seed * 7 % 20);
    random_graph(&k, seed);
    if (!intervals_form(&k.g, most, &v, &e)) fail_msg("seed %u: %s", (unsigned)seed, e.text);
    const uint32_t want = oracle_intervals(&k.g, most, of);
    if (v.n != want) fail_msg("seed %u: found %u intervals, expected %u", (unsigned)seed, v.n, want);
    if (!same_parts(&k.g, &v, of)) fail_msg("seed %u: found other intervals than expected", (unsigned)seed);
    total += v.n;
    intervals_clear(&v);
    for (unsigned how = STRAND_USE; how <= STRAND_OP; how++) { /* at least the checks hold */
      if (!strands_form(&k.g, how, most, &v, &e)) fail_msg("seed %u: %s", (unsigned)seed, e.text);
      intervals_clear(&v);
    }
  }
  print_message("# 12000 graphs, %u intervals\n", total);
}

/* ---- the checks ---- */

static void check_finds(const struct built *k, const struct intervals *v, uint32_t most, const char *why) {
  struct err e = {0};
  assert_false(intervals_check(&k->g, most, v, &e));
  if (!strstr(e.text, why)) fail_msg("found '%s', expected '%s'", e.text, why);
}

static void planted(void **state) {
  (void)state;
  struct built k;
  struct intervals v;
  struct err e = {0};
  form(&k, BLOCKS("0 1,2 > 1 2", "3,4 > 3", "5,6 > 3", "0", "7 > 3"), 4, &v);
  at_is(&v, k.g.n, "00123.");
  assert_true(intervals_check(&k.g, 4, &v, &e));
  check_finds(&k, &v, 2, "too many registers");
  set_del(v.of[0].regs, 2);
  check_finds(&k, &v, 4, "block 'B0', pc 0x8: a register that is not in the vector");
  set_add(v.of[0].regs, 2);
  v.at[1] = INTERVAL_NONE;
  check_finds(&k, &v, 4, "no interval");
  v.at[1] = 2;
  check_finds(&k, &v, 4, "an interval is entered, but not at its header");
  v.at[1] = 0;
  v.of[3].first++; /* no header is at the merge */
  check_finds(&k, &v, 4, "enters elsewhere than at the header");
  v.of[3].first--;
  v.in[4] = 0;
  check_finds(&k, &v, 4, "although it is not reached");
  v.in[4] = INTERVAL_NONE;
  v.of[0].first = 1;
  check_finds(&k, &v, 4, "the entry is no header");
  v.of[0].first = 0;
  /* an edge from code that is not reached into the middle */
  k.succ[k.block[4].succ] = 1;
  v.of[1] = v.of[0];
  check_finds(&k, &v, 4, "elsewhere than at the header");
  intervals_clear(&v);
}

/* ---- code slots, and a kernel ---- */

static void slots(void **state) {
  (void)state;
  struct built k;
  struct intervals v;
  uint32_t total;
  form(&k, BLOCKS("0,1 1 2,0 3 2,3 4"), 3, &v);
  uint32_t *slot = intervals_slots(&v, k.g.n, PREFETCH_INSN, &total);
  assert_memory_equal(slot, ((const uint32_t[]){5, 6, 7, 13, 14, 15}), 6 * sizeof *slot);
  assert_int_equal(total, 16);
  free(slot);
  slot = intervals_slots(&v, k.g.n, PREFETCH_VECTOR, &total);
  assert_int_equal(slot[3], 11);
  assert_int_equal(total, 14);
  free(slot);
  intervals_clear(&v);
}

static void kernel(void **state) {
  (void)state;
  struct make k;
  struct intervals v;
  struct err e = {0};
  struct insn *ld;
  make_begin(&k);
  op1(&k, OP_MOV, T_U64, D(2), C(0, 2));  /* 0 */
  ld = op1(&k, OP_LD, T_U32, R(0), D(2)); /* 1 */
  ld->space = SP_GLOBAL;
  setp(&k, C_NE, P(0), R(0), I(0));                      /* 2 */
  brap(&k, 5, 0);                                        /* 3 */
  op2(&k, OP_ADD, T_U64, D(4), D(2), I2(1));             /* 4 */
  op1(&k, OP_LD, T_U32, R(1), I2(8))->space = SP_SHARED; /* 5 */
  op2(&k, OP_ADD, T_U32, R(1), R(1), R(0));              /* 6 */
  add(&k, OP_EXIT, T_NONE);                              /* 7 */
  make_done(&k);
  k.c->allocated = true;
  k.c->nreg = 6;
  k.c->npred = 1;
  finish_code(k.m, k.c);
  assert_true(code_intervals(k.c, 16, &v, &e));
  at_is(&v, k.c->n, "00000000");
  regs_are(&v, 0, "R0-R5"); /* pairs are two registers */
  intervals_clear(&v);
  assert_true(code_intervals(k.c, 4, &v, &e));
  at_is(&v, k.c->n, "00001222");
  assert_int_equal(v.of[1].pc, 32);
  intervals_clear(&v);
  assert_false(code_intervals(k.c, 3, &v, &e));
  assert_string_equal(e.text, "found an instruction of 4 registers at pc 0x20, expected at most the 3 of an interval");
  assert_true(code_strands(k.c, STRAND_USE, 256, &v, &e));
  at_is(&v, k.c->n, "00111111"); /* R0 is loaded; the load from shared memory is not late */
  intervals_clear(&v);
  module_free(k.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straight_line), cmocka_unit_test(loops),     cmocka_unit_test(diamonds),
      cmocka_unit_test(calls),         cmocka_unit_test(dead_ends), cmocka_unit_test(too_many),
      cmocka_unit_test(functions),     cmocka_unit_test(strands),   cmocka_unit_test(strand_branches),
      cmocka_unit_test(random_graphs), cmocka_unit_test(planted),   cmocka_unit_test(slots),
      cmocka_unit_test(kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
