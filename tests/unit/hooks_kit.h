/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_kit: for the tests of the hooks of sm/slot.def (hooks_*_test.c), which no choice of the product uses yet. A test
 * makes a kernel, replaces hooks of the baseline's choices by its own, which record their calls, and runs the kernel
 * with and without the jump over idle cycles. HOOK_TEST(f) gives each test the test machine and an empty kernel.
 */
#ifndef RT_TESTS_HOOKS_KIT_H
#define RT_TESTS_HOOKS_KIT_H

#include "sm_kit.h"

#include "sm/private.h"

/* ---- the machine and the kernel of the test ---- */

static struct {
  struct config cfg;
  struct make k;
  uint32_t regs; /* registers of a warp */
  bool done;     /* the kernel has its EXIT */
} H;

static inline int hooks_begin(void **state) {
  (void)state;
  checked(&H.cfg);
  H.k = kernel_begin();
  H.regs = 8;
  H.done = false;
  return 0;
}
static inline int hooks_end(void **state) {
  (void)state;
  if (!H.done) make_done(&H.k);
  arena_free(&H.k.m->arena), free(H.k.m);
  return 0;
}
#define HOOK_TEST(f) cmocka_unit_test_setup_teardown(f, hooks_begin, hooks_end)
/* For a further kernel in the same test. */
static inline void again(void) { hooks_end(NULL), hooks_begin(NULL); }

/* A small L1 of one set. */
static inline void one_set(unsigned ways) {
  H.cfg.l1_ways = ways;
  H.cfg.l1_bytes = 128 * ways;
}

enum { LINE_A = 0, LINE_B = 128, LINE_C = 256 };
enum {
  ACCESS = 2
}; /* cycles from the issue of a load with a constant address, which reads no register, to its access */

static inline uint64_t where(uint32_t offset) { /* in the buffer, which is the first allocation of the memory */
  static uint32_t base;
  if (!base) {
    struct module empty = {.global_end = GLOBAL_BASE};
    struct memory *m = memory_new(&empty);
    base = memory_alloc(m, "b", BUFFER);
    memory_free(m);
  }
  return base + offset;
}
static inline uint32_t line_of(uint32_t offset) { return (uint32_t)where(offset) & ~127u; }

/* Instructions; each returns its index in the kernel. Its lanes use the same address, except in put_line. */
static inline uint32_t last_op(void) { return H.k.c->n - 1; }
static inline uint32_t ld(uint32_t d, uint32_t offset) {
  struct insn *i = op1(&H.k, OP_LD, T_U32, R(d), I2(where(offset)));
  i->space = SP_GLOBAL;
  return last_op();
}
static inline uint32_t put(uint32_t offset, uint32_t v) {
  st(&H.k, T_U32, where(offset), R(v));
  return last_op();
}
static inline uint32_t red(uint32_t offset, uint32_t v) {
  struct insn *i = st(&H.k, T_U32, where(offset), R(v));
  i->op = OP_ATOM; /* without a destination */
  i->sub = ATOM_ADD;
  return last_op();
}
static inline uint32_t mov(uint32_t d, uint32_t value) {
  op1(&H.k, OP_MOV, T_U32, R(d), I(value));
  return last_op();
}
static inline uint32_t use(uint32_t d, uint32_t a) {
  sum(&H.k, d, a, a);
  return last_op();
}
/* Lane l stores v at offset + 4 l, a whole line for a whole warp. Uses registers 6 and 7. */
static inline uint32_t put_line(uint32_t offset, uint32_t v) {
  struct insn *i = op2(&H.k, OP_MAD, T_U32, R(6), SR(SR_TID_X), I(4));
  i->src[i->nsrc++] = I(where(offset));
  i->mods = M_LO;
  mov(7, 0);
  i = st(&H.k, T_U32, 0, R(v));
  i->src[0] = D(6);
  return last_op();
}
/* Delays the next access: the LSU sees it well after the last one. */
static inline void apart(void) {
  for (unsigned n = 0; n < 4; n++) mov(7, 1);
}

/* ---- replaced hooks and their calls ---- */

static struct { /* the choices' tables under test */
  struct residency_ops residency;
  struct storage_ops storage;
  struct collector_ops collector;
  struct scheduler_ops scheduler;
  struct l1_ops l1;
} mine;

enum what {
  ISSUE,
  PSEUDO,
  HEAD,
  HIT,
  MISS,
  MISSED,
  EVICT,
  STORE,
  PORTED,
  GO,
  COMMIT,
  SKIP,
  QUANTUM,
  END,
  WINDOW,
  LEASE,
  MODE,
  WARP,
  FORGET
};
struct seen { /* a call in cycle `at` on SM `sm`; a and b: its arguments or its answer */
  uint64_t at;
  enum what what;
  unsigned sm;
  uint64_t a, b;
};
static struct {
  struct seen seen[1 << 14];
  unsigned n;
  /* for the hooks of the test */
  uint64_t at;       /* cycle in which `engine` acts; 0: none */
  unsigned special;  /* answers still to be given that are not the usual one */
  unsigned wait;     /* cycles that the choice takes for something */
  uint32_t mshr, op; /* op: the instruction that the test is about */
  unsigned w;
  struct memory *image;
} T;

static inline void saw(const struct sm *S, enum what what, uint64_t a, uint64_t b) {
  assert_true(T.n < sizeof T.seen / sizeof *T.seen);
  T.seen[T.n++] = (struct seen){S->now, what, S->id, a, b};
}
static inline unsigned count(enum what what) {
  unsigned n = 0;
  for (unsigned k = 0; k < T.n; k++) n += T.seen[k].what == what;
  return n;
}
/* Call k of this kind. */
static inline const struct seen *nth(enum what what, unsigned k) {
  for (unsigned i = 0; i < T.n; i++)
    if (T.seen[i].what == what && !k--) return &T.seen[i];
  fail_msg("hook %d was called only %u times", what, count(what));
  return NULL;
}
/* Cycle in which warp w first issued instruction op. */
static inline uint64_t issued(unsigned w, uint32_t op) {
  for (unsigned i = 0; i < T.n; i++)
    if (T.seen[i].what == ISSUE && T.seen[i].a == w && T.seen[i].b == op) return T.seen[i].at;
  fail_msg("warp %u has not issued instruction %u", w, op);
  return 0;
}

static inline void saw_issue(struct sm *S, unsigned w, const struct warp_inst *inst) {
  saw(S, inst->flags & W_PSEUDO ? PSEUDO : ISSUE, w, inst->op);
}
static inline bool due(const struct sm *S) { return T.at && T.at == S->now; }
static inline uint64_t until_engine(struct sm *S) { return T.at > S->now ? T.at - S->now : NEVER; }

/* ---- running ---- */

enum { MOST_SMS = 4 };
struct scale {
  unsigned sms, launches;
  uint32_t ctas, threads;
};
struct result {
  struct sm_stats s; /* of SM 0 */
  struct mem_stats m;
  uint32_t code_base;
  struct sm_stats sm[MOST_SMS];
};

static inline void replace_hooks(struct sm *S) {
  S->slots = (struct slots){&mine.residency, &mine.storage, &mine.collector, &mine.scheduler, &mine.l1};
}

/* with: replaces hooks in `mine`; NULL: only issues are recorded. False and *e: the launch failed. */
static inline bool simulate(const struct config *cfg, struct scale scale, void (*with)(void), struct result *r,
                            struct err *e) {
  if (!H.done) kernel_done(&H.k, H.regs);
  H.done = true;
  struct gpu *g = gpu_new(cfg, scale.sms, e);
  if (!g) fail_msg("%s", e->text);
  const struct slots *chosen = &gpu_sm(g, 0)->chosen;
  mine.residency = *chosen->residency, mine.storage = *chosen->storage, mine.collector = *chosen->collector;
  mine.scheduler = *chosen->scheduler, mine.l1 = *chosen->l1;
  mine.storage.issue = saw_issue;
  memset(&T, 0, sizeof T);
  if (with) with();
  for (unsigned i = 0; i < scale.sms; i++) replace_hooks(gpu_sm(g, i));
  T.image = memory_new(H.k.m);
  memory_alloc(T.image, "b", BUFFER);
  struct launch l = {
      .module = H.k.m, .code = H.k.c, .mem = T.image, .grid = {scale.ctas, 1, 1}, .block = {scale.threads, 1, 1}};
  bool ok = true;
  for (unsigned n = 0; ok && n < scale.launches; n++) ok = timed_launch(g, &l, NULL, e);
  *r = (struct result){*sm_stats(gpu_sm(g, 0)), *gpu_mem_stats(g), gpu_sm(g, 0)->code_base, {{0}}};
  for (unsigned i = 0; i < scale.sms; i++) {
    const struct sm *S = gpu_sm(g, i);
    r->sm[i] = *sm_stats(S);
    assert_true(!ok || (!S->victim.count && !banks_are_wanted(S, 0) && !S->waiting_fills));
  }
  memory_free(T.image);
  gpu_free(g);
  return ok;
}

/* With and without the jump over idle cycles: the same counters and calls, except those of COMMIT and skip. */
static inline struct result go_in(struct scale scale, void (*with)(void)) {
  struct result r[2];
  static struct seen first[1 << 14];
  unsigned n = 0;
  for (int skip = 0; skip < 2; skip++) {
    struct config cfg = H.cfg;
    cfg.sim_skip = skip;
    struct err e = {0};
    if (!simulate(&cfg, scale, with, &r[skip], &e)) fail_msg("%s", e.text);
    if (!skip) memcpy(first, T.seen, sizeof first), n = T.n;
  }
  for (unsigned i = 0; i < scale.sms; i++) stats_equal(&r[0].sm[i], &r[1].sm[i]);
  if (!count(COMMIT)) {
    assert_int_equal(n, T.n);
    assert_memory_equal(first, T.seen, n * sizeof *first);
  }
  return r[1];
}
static inline struct result go(uint32_t ctas, uint32_t threads, void (*with)(void)) {
  return go_in((struct scale){1, 1, ctas, threads}, with);
}
/* Two launches: the first must not disturb the second. */
static inline struct result go_again(uint32_t ctas, uint32_t threads, void (*with)(void)) {
  return go_in((struct scale){1, 2, ctas, threads}, with);
}

/* ---- hooks that several tests use ---- */

static inline enum l1_answer saw_miss(struct sm *S, const struct txn_view *t, uint32_t mshr) {
  saw(S, MISS, t->line, mshr);
  return L1_GO;
}
static inline void saw_missed(struct sm *S, const struct txn_view *t, uint32_t mshr) { saw(S, MISSED, t->line, mshr); }
static inline enum l1_answer saw_hit(struct sm *S, const struct txn_view *t, uint32_t way) {
  saw(S, HIT, t->line, way);
  return L1_GO;
}
static inline void with_misses(void) { mine.l1.miss = saw_miss, mine.l1.missed = saw_missed, mine.l1.hit = saw_hit; }

/* The next T.special misses are held, until the engine acts T.wait cycles later. */
static inline enum l1_answer holds(struct sm *S, const struct txn_view *t, uint32_t mshr) {
  saw(S, MISS, t->line, mshr);
  if (!T.special) return L1_GO;
  T.special--;
  T.mshr = mshr;
  T.at = S->now + T.wait;
  return L1_HELD;
}
static inline void ends_held(struct sm *S) {
  if (due(S)) cache_held_done(S, T.mshr);
}
static inline void with_held_done(void) {
  with_misses();
  mine.l1.miss = holds, mine.l1.engine = ends_held, mine.l1.idle = until_engine;
  T.special = 1, T.wait = 10;
}
static inline void with_held_long(void) {
  with_held_done();
  T.wait = 60;
}

/* The next T.special evictions are refused. */
static inline enum l1_answer evicts(struct sm *S, uint32_t line, unsigned owner) {
  saw(S, EVICT, line, owner);
  return T.special && T.special-- ? L1_BUSY : L1_GO;
}
static inline void with_evicts(void) {
  with_misses();
  mine.l1.evict = evicts;
}
static inline void with_evicts_busy(void) {
  with_evicts();
  T.special = 3;
}
static inline void with_evicts_late(void) {
  with_evicts();
  T.special = 200;
}
static inline void with_evicts_never(void) {
  with_evicts();
  T.special = 1000000;
}

/* The next T.special victims are held, until the engine installs the new line T.wait cycles later. */
static inline enum l1_answer holds_victim(struct sm *S, uint32_t line, unsigned owner) {
  saw(S, EVICT, line, owner);
  if (!T.special) return L1_GO;
  T.special--;
  T.at = S->now + T.wait;
  return L1_HELD;
}
static inline void installs(struct sm *S) {
  if (due(S)) cache_install(S);
}
static inline void with_victims(void) {
  with_misses();
  mine.l1.evict = holds_victim, mine.l1.engine = installs, mine.l1.idle = until_engine;
  T.special = 1, T.wait = 30;
}

/* Line A is first held as a victim and never taken, the next answer for it is BUSY: the launch ends with a held victim. */
static inline enum l1_answer keeps_victim(struct sm *S, uint32_t line, unsigned owner) {
  saw(S, EVICT, line, owner);
  if (line != line_of(LINE_A)) return L1_GO;
  T.w++;
  return T.w == 1 ? L1_HELD : T.w == 2 ? L1_BUSY : L1_GO;
}
static inline void with_victim_kept(void) {
  with_misses();
  mine.l1.evict = keeps_victim;
}

/* The next T.special stores and atomics are refused. */
static inline bool refuses(struct sm *S, uint32_t line) {
  if (S->cfg->l1_write != l1_write_back) assert_true(mem_can_post(S->mem, S->id, S->now));
  saw(S, STORE, line, 0);
  return !(T.special && T.special--);
}
static inline void with_stores(void) { mine.l1.store = refuses; }
static inline void with_refused(void) {
  with_stores();
  T.special = 4;
}

/* Opens the storage's gate of warp T.w in cycle T.at. */
static inline void opens(struct sm *S) {
  if (due(S)) gate_open(S, SLOT_STORAGE, T.w);
}

#endif
