/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier_kit: for the tests that hold mbarriers to unit/reference/mbarrier.c. A kernel is a sequence of steps; what each thread needs
 * for each is in a table, and it stores its answer or token and the bytes of an object after each, which are compared bit for bit.
 */
#ifndef RT_TESTS_MBARRIER_KIT_H
#define RT_TESTS_MBARRIER_KIT_H

#include "base/bits.h"
#include "unit/reference/mbarrier.h"
#include "unit/device_kit.h"

enum { OBJECTS = 3, TOKENS = 3, WARPS = 4, THREADS = 32 * WARPS, STEPS = 48 };
enum { INPUT = 4096, ROWS = 2 * STEPS }; /* bytes of input besides the table; rows of the output */
enum { MARK = 0x5eed };                  /* the answer of a lane that gives none */
static const uint32_t place[OBJECTS] = {8, 16, 264};

/* What a thread reads for a step: an address in shared memory, an operand, the bytes that a copy reads; what it stores. */
struct cell {
  uint32_t at, operand, active, read;
};
struct stored {
  uint64_t answer, object; /* that of the thread's number modulo OBJECTS */
};
typedef struct stored row[THREADS];
static struct cell cell[STEPS][THREADS];
static row want[STEPS];
static bool known[STEPS][OBJECTS]; /* the object is valid, so its bytes are known */
static unsigned steps, threads;

static struct mbref object[OBJECTS];
static struct mbref_token token[THREADS][TOKENS];

static struct device *device[2]; /* not timed; timed */
static uint32_t in_at[2], out_at[2];
static uint64_t rng;
static unsigned long compared;

static inline unsigned draw(unsigned n) { return (unsigned)(rng_next(&rng) >> 33) % n; }

static inline void begin(unsigned warps) {
  threads = 32 * warps, steps = 0;
  memset(token, 0, sizeof token);
  memset(known, 0, sizeof known);
  for (unsigned o = 0; o < OBJECTS; o++) object[o] = (struct mbref){.place = place[o]};
  for (unsigned s = 0; s < STEPS; s++)
    for (unsigned t = 0; t < THREADS; t++) {
      cell[s][t] = (struct cell){.at = 4}; /* no object is there: an operation by this lane would be an error */
      want[s][t] = (struct stored){.answer = MARK};
    }
}

/* ---- running a kernel ---- */

static inline void print_head(FILE *f, unsigned shared) {
  fprintf(f, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n");
  fprintf(f, ".shared .align 16 .b8 memory[%u];\n", shared);
  fprintf(f, ".reg .pred %%act, %%p; .reg .b32 %%s, %%id, %%at, %%n, %%g, %%x, %%a, %%c, %%mine;\n");
  fprintf(f, ".reg .b64 %%in, %%out, %%src, %%w, %%ga, %%ans, %%obj, %%t<%u>;\n", TOKENS);
  fprintf(f, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%id, %%tid.x; mov.u32 %%s, memory;\n");
  fprintf(f, "add.u64 %%src, %%in, %zu;\n", sizeof cell);
  fprintf(f, "mad.wide.u32 %%in, %%id, 16, %%in; mad.wide.u32 %%out, %%id, 16, %%out;\n");
  fprintf(f, "rem.u32 %%c, %%id, 3; setp.eq.u32 %%p, %%c, 0; selp.u32 %%mine, %u, %u, %%p;\n", place[0], place[1]);
  fprintf(f, "setp.eq.u32 %%p, %%c, 2; @%%p mov.u32 %%mine, %u; add.u32 %%mine, %%mine, %%s;\n", place[2]);
  for (unsigned t = 0; t < TOKENS; t++) fprintf(f, "mov.b64 %%t%u, 0;\n", t);
}
/* %act, operand %n; the address in three forms: %a, %w + 8, both of shared memory, and the generic %ga. */
static inline void print_cell(FILE *f) {
  fprintf(f, "ld.global.v4.u32 {%%at, %%n, %%g, %%x}, [%%in + %zu];\n", steps * sizeof cell[0]);
  fprintf(f, "setp.ne.u32 %%act, %%g, 0; add.u32 %%a, %%s, %%at; mov.b64 %%ans, %u;\n", MARK);
  fprintf(f, "cvt.u64.u32 %%w, %%a; cvta.shared.u64 %%ga, %%w; sub.u64 %%w, %%w, 8;\n");
}
static inline void print_store(FILE *f) {
  fprintf(f, "ld.shared.b64 %%obj, [%%mine]; st.global.v2.b64 [%%out + %zu], {%%ans, %%obj};\n", steps++ * sizeof(row));
}

static inline void compare(const row *got, const char *text, unsigned long long seed) {
  for (unsigned s = 0; s < steps; s++)
    for (unsigned t = 0; t < threads; t++, compared++) {
      struct stored g = got[s][t], w = want[s][t];
      if (!known[s][t % OBJECTS]) g.object = w.object = 0;
      if (g.answer == w.answer && g.object == w.object) continue;
      fputs(text, stderr);
      fail_msg("seed %llu, step %u, thread %u: answer %llx, object %llx, expected %llx, %llx", seed, s, t,
               (unsigned long long)g.answer, (unsigned long long)g.object, (unsigned long long)w.answer,
               (unsigned long long)w.object);
    }
}

/* Runs the kernel, timed or not, on the table and the input and compares what it stores. Returns the rows of its output. */
static inline const row *run(const char *text, unsigned timed, const uint8_t *input, unsigned long long seed) {
  const struct { uint64_t in, out; } p = {in_at[timed], out_at[timed]};
  struct err e;
  struct device_result r;
  uint8_t *in = device_at(device[timed], in_at[timed], sizeof cell + INPUT);
  memcpy(in, cell, sizeof cell);
  if (input) memcpy(in + sizeof cell, input, INPUT);
  struct device_module *m = load(device[timed], text);
  if (go(device[timed], kernel(m, "k"), 1, threads, &p, sizeof p, &r, &e) != DEVICE_OK) {
    fputs(text, stderr);
    fail_msg("seed %llu: line %d: %s", seed, e.line, e.text);
  }
  device_unload(m);
  const row *got = (const void *)device_at(device[timed], out_at[timed], ROWS * sizeof(row));
  compare(got, text, seed);
  return got;
}

static inline int open_both(void **state) {
  (void)state;
  for (unsigned d = 0; d < 2; d++) {
    device[d] = open_with(&(struct device_settings){.machine = "rtx2060", .time = d ? "all" : "none"});
    in_at[d] = buffer(device[d], sizeof cell + INPUT);
    out_at[d] = buffer(device[d], ROWS * sizeof(row));
  }
  return 0;
}
static inline int close_both(void **state) {
  (void)state;
  for (unsigned d = 0; d < 2; d++) device_close(device[d]);
  return 0;
}

/* ---- one operation ---- */

enum operand { NO_OPERAND, MAY_HAVE, MUST_HAVE };
static const struct form {
  const char *name, *order[3]; /* memory orders that it can be given */
  enum operand operand;
  bool arrives;
  unsigned weight; /* how often it is drawn */
} form[MBREF_OPS] = {
    [MBREF_INIT] = {"init", {"", "", ""}, MUST_HAVE, false, 6},
    [MBREF_INVAL] = {"inval", {"", "", ""}, NO_OPERAND, false, 2},
    [MBREF_ARRIVE] = {"arrive", {"", ".release.cta", ".relaxed.cta"}, MAY_HAVE, true, 10},
    [MBREF_ARRIVE_NO_COMPLETE] = {"arrive.noComplete", {"", "", ".release.cta"}, MUST_HAVE, true, 6},
    [MBREF_ARRIVE_EXPECT] = {"arrive.expect_tx", {"", ".release.cta", ".relaxed.cta"}, MUST_HAVE, true, 3},
    [MBREF_DROP] = {"arrive_drop", {"", ".release.cta", ".relaxed.cta"}, MAY_HAVE, true, 5},
    [MBREF_DROP_NO_COMPLETE] = {"arrive_drop.noComplete", {"", "", ".release.cta"}, MUST_HAVE, true, 3},
    [MBREF_DROP_EXPECT] = {"arrive_drop.expect_tx", {"", ".release.cta", ".relaxed.cta"}, MUST_HAVE, true, 3},
    [MBREF_EXPECT] = {"expect_tx", {"", "", ".relaxed.cta"}, MUST_HAVE, false, 3},
    [MBREF_COMPLETE] = {"complete_tx", {"", "", ".relaxed.cta"}, MUST_HAVE, false, 8},
    [MBREF_WAIT] = {"_wait", {"", ".acquire.cta", ".relaxed.cta"}, NO_OPERAND, false, 8},
    [MBREF_WAIT_PARITY] = {"_wait.parity", {"", ".acquire.cta", ".relaxed.cta"}, MUST_HAVE, false, 6},
    [MBREF_PENDING_COUNT] = {"pending_count", {"", "", ""}, NO_OPERAND, false, 4},
};

static inline bool is_wait(enum mbref_op op) { return op == MBREF_WAIT || op == MBREF_WAIT_PARITY; }

struct step {
  enum mbref_op op;
  unsigned token;
  bool counted, sink, constant; /* has an operand; the token is not kept; the operand is n */
  uint32_t n;
};

static inline const char *draw_address(const char **space) {
  static const char *const spaces[] = {".shared", ".shared::cta", ""}, *const address[] = {"%a", "%w + 8", "%ga"};
  const unsigned a = draw(3);
  *space = a == 2 ? "" : spaces[draw(2)];
  return address[a];
}
static inline void print_wait(FILE *f, const struct step *x) {
  const char *space, *address = draw_address(&space);
  const unsigned tries = draw(3);
  fprintf(f, "mbarrier.%s%s%s%s.b64 %%p, [%s], ", tries ? "try" : "test", form[x->op].name, form[x->op].order[draw(3)],
          space, address);
  if (x->op == MBREF_WAIT) fprintf(f, "%%t%u", x->token);
  else if (x->constant) fprintf(f, "%u", x->n);
  else fprintf(f, "%%n");
  fprintf(f, "%s;\n", tries > 1 ? ", 1000" : "");
}
/* The operation of a thread in this step, with the answer that is expected. False: undefined. */
static inline bool do_lane(const struct step *x, unsigned t, unsigned o, uint32_t n) {
  struct mbref_token none = {0};
  struct stored *w = &want[steps][t];
  if (!mbref_do(&object[o], x->op, n, x->sink ? &none : &token[t][x->token], &w->answer)) return false;
  if (x->sink) w->answer = MARK;
  cell[steps][t] = (struct cell){.at = place[o], .operand = n, .active = 1};
  return true;
}
/* The objects' bytes after this step are expected, too. */
static inline void expect_objects(void) {
  for (unsigned o = 0; o < OBJECTS; o++) known[steps][o] = object[o].valid;
  for (unsigned t = 0; t < threads; t++)
    if (object[t % OBJECTS].valid) want[steps][t].object = mbref_bits(&object[t % OBJECTS]);
}

#endif
