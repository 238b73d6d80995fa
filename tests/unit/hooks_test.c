/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks_test: each hook of sm/slot.def that no choice of the product takes yet is exercised by a choice of this test,
 * whose tables are the baseline's with some hooks replaced. Every case runs with and without the jump over idle cycles.
 */
#include "sm_kit.h"

#include "sm/state.h"

/* ---- an SM with replaced hooks ---- */

static struct { /* the tables under test */
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
struct seen { /* in cycle `at`; what a and b are depends on the hook */
  uint64_t at;
  enum what what;
  uint64_t a, b;
};
static struct { /* what the choice has seen, and what it is to do */
  struct seen seen[1 << 14];
  unsigned n;
  uint64_t at;       /* cycle in which `engine` acts; 0: none */
  unsigned say;      /* answers still to be given that are not the usual one */
  unsigned wait;     /* cycles that it takes for something */
  uint32_t mshr, op; /* op: the instruction that the case is about */
  unsigned w;
} T;

static void saw(const struct sm *S, enum what what, uint64_t a, uint64_t b) {
  assert_true(T.n < sizeof T.seen / sizeof *T.seen);
  T.seen[T.n++] = (struct seen){S->now, what, a, b};
}
static unsigned count(enum what what) {
  unsigned n = 0;
  for (unsigned k = 0; k < T.n; k++) n += T.seen[k].what == what;
  return n;
}
/* The k-th of its kind. */
static const struct seen *nth(enum what what, unsigned k) {
  for (unsigned i = 0; i < T.n; i++)
    if (T.seen[i].what == what && !k--) return &T.seen[i];
  fail_msg("hook %d was called only %u times", what, count(what));
  return NULL;
}
/* Cycle in which warp w issued instruction op. */
static uint64_t issued(unsigned w, uint32_t op) {
  for (unsigned i = 0; i < T.n; i++)
    if (T.seen[i].what == ISSUE && T.seen[i].a == w && T.seen[i].b == op) return T.seen[i].at;
  fail_msg("warp %u has not issued instruction %u", w, op);
  return 0;
}

static void saw_issue(struct sm *S, unsigned w, const struct warp_inst *inst) {
  saw(S, inst->flags & W_PSEUDO ? PSEUDO : ISSUE, w, inst->op);
}
static bool due(const struct sm *S) { return T.at && T.at == S->now; }
static uint64_t until_engine(struct sm *S) { return T.at > S->now ? T.at - S->now : NEVER; }

struct result {
  struct sm_stats s;
  struct mem_stats m;
  uint32_t code_base;
};

/* Two launches on one SM if `again`: what the first leaves behind must not disturb the second. */
static bool on_sm(const struct config *c, const struct make *k, uint32_t ctas, uint32_t threads, void (*take)(void),
                  bool again, struct result *r, struct err *e) {
  struct gpu *g = gpu_new(c, 1, e);
  if (!g) fail_msg("%s", e->text);
  struct sm *S = gpu_sm(g, 0);
  mine.residency = *S->chosen.residency, mine.storage = *S->chosen.storage, mine.collector = *S->chosen.collector;
  mine.scheduler = *S->chosen.scheduler, mine.l1 = *S->chosen.l1;
  mine.storage.issue = saw_issue;
  memset(&T, 0, sizeof T);
  if (take) take();
  S->slots = (struct slots){&mine.residency, &mine.storage, &mine.collector, &mine.scheduler, &mine.l1};
  struct memory *image = memory_new(k->m);
  memory_alloc(image, "b", BUFFER);
  struct launch l = {.module = k->m, .code = k->c, .mem = image, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
  bool ok = true;
  for (unsigned n = 0; ok && n < 1u + again; n++) ok = timed_launch(g, &l, NULL, e);
  *r = (struct result){*sm_stats(S), *gpu_mem_stats(g), S->code_base};
  assert_true(!ok || (!S->victim.count && !S->group->banks_wanted && !S->waiting_fills));
  memory_free(image);
  gpu_free(g);
  return ok;
}

/* With and without the jump over idle cycles: the same counters, and the same calls but those of COMMIT and skip. */
static struct result go_again(const struct config *c, const struct make *k, uint32_t ctas, uint32_t threads,
                              void (*take)(void), bool again) {
  struct result r[2];
  static struct seen first[1 << 14];
  unsigned n = 0;
  for (int skip = 0; skip < 2; skip++) {
    struct config with = *c;
    with.sim_skip = skip;
    struct err e = {0};
    if (!on_sm(&with, k, ctas, threads, take, again, &r[skip], &e)) fail_msg("%s", e.text);
    if (!skip) memcpy(first, T.seen, sizeof first), n = T.n;
  }
#define STAT(name, unit, text) assert_int_equal(r[0].s.name, r[1].s.name);
#include "gen/systems/stats.def"
  if (!count(COMMIT)) {
    assert_int_equal(n, T.n);
    assert_memory_equal(first, T.seen, n * sizeof *first);
  }
  return r[1];
}
static struct result go(const struct config *c, const struct make *k, uint32_t ctas, uint32_t threads,
                        void (*take)(void)) {
  return go_again(c, k, ctas, threads, take, false);
}

/* ---- kernels ---- */

enum { LINE_A = 0, LINE_B = 128, LINE_C = 256 };
enum {
  ACCESS = 2
}; /* cycles from the issue of a load whose address is a constant to the LSU's access: it reads no register */
static uint64_t where(uint32_t offset) { /* in the buffer, which is memory's first allocation */
  static uint32_t base;
  if (!base) {
    struct module empty = {.global_end = GLOBAL_BASE};
    struct memory *m = memory_new(&empty);
    base = memory_alloc(m, "b", BUFFER);
    memory_free(m);
  }
  return base + offset;
}
static uint32_t line_of(uint32_t offset) { return (uint32_t)where(offset) & ~127u; }

/* The instructions of a kernel are counted from 0: what these return. */
static uint32_t ld(struct make *k, uint32_t d, uint32_t offset) {
  struct insn *i = op1(k, OP_LD, T_U32, R(d), I2(where(offset)));
  i->space = SP_GLOBAL;
  return k->c->n - 1;
}
static uint32_t put(struct make *k, uint32_t offset, uint32_t v) {
  st(k, T_U32, where(offset), R(v));
  return k->c->n - 1;
}
static uint32_t red(struct make *k, uint32_t offset, uint32_t v) {
  struct insn *i = st(k, T_U32, where(offset), R(v));
  i->op = OP_ATOM; /* without a destination */
  i->sub = ATOM_ADD;
  return k->c->n - 1;
}
static uint32_t use(struct make *k, uint32_t d, uint32_t a) {
  sum(k, d, a, a);
  return k->c->n - 1;
}
/* The LSU shall see the next instruction behind the last, though it reads no register. */
static void apart(struct make *k) {
  for (unsigned n = 0; n < 4; n++) op1(k, OP_MOV, T_U32, R(7), I(1));
}
static void none(struct make *k) { arena_free(&k->m->arena), free(k->m); }

/* A small L1 of one set, and instructions that lie in one line. */
static struct config one_set(unsigned ways) {
  struct config c;
  checked(&c);
  c.l1_ways = ways;
  c.l1_bytes = 128 * ways;
  return c;
}

/* ---- H1: commit, idle and skip, quantum and end of every slot ---- */

#define COUNTS(slot, number)                                                                      \
  static void slot##_commits(struct sm *S) { saw(S, COMMIT, number, 0); }                         \
  static void slot##_skips(struct sm *S, uint64_t n) { saw(S, SKIP, number, n); }                 \
  static void slot##_meets(struct sm *S) { saw(S, QUANTUM, number, 0); }                          \
  static bool slot##_ends(struct sm *S, struct err *e) {                                          \
    saw(S, END, number, 0);                                                                       \
    return T.say != (number) || err_at(e, NULL, 0, 0, "the law of slot %u", T.say);               \
  }                                                                                               \
  static uint64_t slot##_idles(struct sm *S) { return 7 + (number) + 0 * S->now; }                \
  static void slot##_takes(void) {                                                                \
    mine.slot.commit = slot##_commits, mine.slot.skip = slot##_skips;                             \
    mine.slot.quantum = slot##_meets, mine.slot.end = slot##_ends, mine.slot.idle = slot##_idles; \
  }
COUNTS(residency, 1)
COUNTS(storage, 2)
COUNTS(collector, 3)
COUNTS(scheduler, 4)
COUNTS(l1, 5)
static void take_common(void) {
#define TAKE(slot) slot##_takes();
  EACH_SLOT(TAKE)
}
static unsigned broken;
static void take_broken(void) {
  take_common();
  T.say = broken;
}

static void every_slot_commits_in_order(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  kernel_done(&k, 8);
  struct result r = go(&c, &k, 1, 32, take_common);
  uint64_t skipped[6] = {0}, longest = 0;
  unsigned commits[6] = {0}, last = 5;
  for (unsigned i = 0; i < T.n; i++) {
    const struct seen *s = &T.seen[i];
    if (s->what == COMMIT) {
      assert_int_equal(s->a, last % 5 + 1); /* residency, storage, collector, scheduler, l1 */
      last = (unsigned)s->a;
      commits[s->a]++;
    }
    if (s->what == SKIP) skipped[s->a] += s->b, longest = s->b > longest ? s->b : longest;
  }
  for (unsigned slot = 1; slot <= 5; slot++) assert_int_equal(commits[slot] + skipped[slot], r.s.cycles);
  assert_int_equal(longest, 7 + 1 - 1); /* the least idle is residency's: 8 cycles from one that runs to the next */
  assert_int_equal(count(QUANTUM), 5 * r.m.cycles / (uint64_t)c.noc_latency);
  assert_int_equal(count(END), 5);
  for (broken = 1; broken <= 5; broken++) {
    struct err e = {0};
    char text[64];
    assert_false(on_sm(&c, &k, 1, 32, take_broken, false, &r, &e));
    snprintf(text, sizeof text, "the law of slot %u", broken);
    assert_string_equal(e.text, text);
  }
  none(&k);
}

/* ---- H2: what a residency asks the l1 choice ---- */

static void asks(struct sm *S) {
  l1_window(S);
  bool free = l1_lease(S, T.wait < 3, 40 + T.wait);
  saw(S, COMMIT, (uint64_t)free, (uint64_t)l1_mode(S));
  T.wait++;
}
static uint64_t awake(struct sm *S) { return T.wait < 12 ? 0 : NEVER + 0 * S->now; }
static void window(struct sm *S) { saw(S, WINDOW, 0, 0); }
static bool lease(struct sm *S, bool hold, uint32_t first) {
  saw(S, LEASE, hold, first);
  return T.wait >= 5;
}
static int mode(struct sm *S) {
  saw(S, MODE, 0, 0);
  return T.wait >= 7 ? 2 : 1;
}
static void l1_after(struct sm *S) { saw(S, COMMIT, 9, 9); }
static void take_lease(void) {
  mine.residency.commit = asks, mine.residency.idle = awake;
  mine.l1.window = window, mine.l1.lease = lease, mine.l1.mode = mode, mine.l1.commit = l1_after;
}
static void take_asks(void) { mine.residency.commit = asks, mine.residency.idle = awake; }

static void residency_asks_l1(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  kernel_done(&k, 8);
  go(&c, &k, 1, 32, take_lease);
  for (unsigned n = 0; n < 12; n++) { /* in each cycle in which the residency is awake, before the l1's own commit */
    const struct seen *s = nth(LEASE, n);
    assert_int_equal(s->at, nth(LEASE, 0)->at + n);
    assert_int_equal(s->a, n < 3);
    assert_int_equal(s->b, 40 + n);
    assert_int_equal(nth(WINDOW, n)->at, s->at);
    assert_int_equal(nth(MODE, n)->at, s->at);
    assert_int_equal(nth(COMMIT, 2 * n)->a, n >= 5);
    assert_int_equal(nth(COMMIT, 2 * n)->b, n >= 7 ? 2 : 1);
    assert_int_equal(nth(COMMIT, 2 * n + 1)->a, 9);
    assert_int_equal(nth(COMMIT, 2 * n + 1)->at, s->at);
  }
  go(&c, &k, 1, 32, take_asks); /* an l1 that knows nothing of it: it holds no register, its mode is 0 */
  assert_int_equal(nth(COMMIT, 0)->a, true);
  assert_int_equal(nth(COMMIT, 0)->b, 0);
  none(&k);
}

/* ---- H3, H4: one question per access; held and resumed ---- */

static enum l1_answer saw_miss(struct sm *S, const struct txn *t, uint32_t mshr) {
  saw(S, MISS, t->line, mshr);
  return L1_GO;
}
static enum l1_answer busy_first(struct sm *S, const struct txn *t, uint32_t mshr) {
  saw_miss(S, t, mshr);
  return T.say && T.say-- ? L1_BUSY : L1_GO;
}
static void saw_missed(struct sm *S, const struct txn *t, uint32_t mshr) { saw(S, MISSED, t->line, mshr); }
static void saw_hit(struct sm *S, const struct txn *t) { saw(S, HIT, t->line, 0); }
static void take_misses(void) { mine.l1.miss = saw_miss, mine.l1.missed = saw_missed, mine.l1.hit = saw_hit; }
static void take_busy(void) {
  take_misses();
  mine.l1.miss = busy_first;
  T.say = 5;
}

static void one_question_per_access(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  uint32_t load = ld(&k, 2, LINE_A), add = use(&k, 3, 2);
  ld(&k, 4, LINE_A + 8), use(&k, 5, 4);
  kernel_done(&k, 8);
  struct result r = go(&c, &k, 1, 64, take_misses);
  uint64_t wait = issued(0, add) - issued(0, load);
  /* two warps: one misses, the other joins; then both hit */
  assert_int_equal(count(MISS), 1);
  assert_int_equal(count(MISSED), 1);
  assert_int_equal(nth(MISS, 0)->at, issued(0, load) + ACCESS);
  assert_int_equal(nth(MISS, 0)->a, line_of(LINE_A));
  assert_int_equal(nth(MISS, 0)->b, nth(MISSED, 0)->b);
  assert_int_equal(count(HIT), 2);
  assert_int_equal(r.s.l1_read_hits, 2);
  assert_int_equal(r.s.l1_read_merges, 1);
  assert_int_equal(r.s.lsu_stall_l1, 0);
  /* refused five times: asked again in each cycle, told once that the request has left */
  r = go(&c, &k, 1, 64, take_busy);
  assert_int_equal(count(MISS), 6);
  for (unsigned n = 0; n < 6; n++) assert_int_equal(nth(MISS, n)->at, issued(0, load) + ACCESS + n);
  assert_int_equal(count(MISSED), 1);
  assert_int_equal(nth(MISSED, 0)->at, nth(MISS, 5)->at);
  assert_int_equal(r.s.lsu_stall_l1, 5);
  assert_int_equal(issued(0, add) - issued(0, load), wait + 5);
  none(&k);
}

/* Without a free MSHR nobody is asked; nor, while the interconnect takes nothing, told. */
static void asked_only_with_an_mshr(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  c.l1_mshrs = 1;
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), ld(&k, 3, LINE_B), ld(&k, 4, LINE_C);
  kernel_done(&k, 8);
  struct result r = go(&c, &k, 1, 32, take_misses);
  assert_int_equal(count(MISS), 3);
  assert_int_equal(count(MISSED), 3);
  assert_true(r.s.lsu_stall_mshr > 0);
  c.l1_mshrs = 32, c.noc_credits = 1; /* a question in each cycle in which it is tried; told once */
  r = go(&c, &k, 1, 32, take_misses);
  assert_true(r.s.lsu_stall_credit > 0);
  assert_int_equal(count(MISSED), 3);
  none(&k);
}

static enum l1_answer holds(struct sm *S, const struct txn *t, uint32_t mshr) {
  saw(S, MISS, t->line, mshr);
  if (!T.say) return L1_GO;
  T.say--;
  T.mshr = mshr;
  T.at = S->now + T.wait;
  return L1_HELD;
}
static void ends_held(struct sm *S) {
  if (due(S)) cache_held_done(S, T.mshr);
}
static void sends_held(struct sm *S) {
  if (!due(S)) return;
  bool left = cache_held_go(S, T.mshr);
  saw(S, GO, left, 0);
  if (!left) T.at++;
}
static void take_held_done(void) {
  take_misses();
  mine.l1.miss = holds, mine.l1.engine = ends_held, mine.l1.idle = until_engine;
  T.say = 1, T.wait = 10;
}
static void take_held_go(void) {
  take_held_done();
  mine.l1.engine = sends_held;
}

static void held_access(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  uint32_t load = ld(&k, 2, LINE_A), add = use(&k, 3, 2);
  uint32_t again = ld(&k, 4, LINE_A + 8);
  use(&k, 5, 4);
  kernel_done(&k, 8);
  go(&c, &k, 1, 64, NULL);
  uint64_t miss = issued(0, add) - issued(0, load);
  /* Done in cycle m + 10: its readers end as an L1 hit of then would. Nothing is filled: the next read misses. */
  struct result r = go(&c, &k, 1, 64, take_held_done);
  uint64_t m = nth(MISS, 0)->at, end = m + 10 + (uint64_t)c.l1_latency - 3;
  assert_int_equal(m, issued(0, load) + ACCESS);
  assert_int_equal(issued(0, add), end);
  assert_in_range(issued(1, add), end, end + 1); /* it joined; two results of one cycle, whose banks differ */
  assert_int_equal(r.s.l1_held, 1);
  assert_int_equal(count(MISS), 2);
  assert_int_equal(nth(MISS, 1)->at, issued(0, again) + ACCESS);
  assert_int_equal(count(MISSED), 1);
  assert_int_equal(r.s.l1_read_misses, 1);
  assert_int_equal(r.s.l1_read_merges, 2);
  assert_int_equal(r.m.req_reads, 1 + r.s.icache_misses);
  /* Sent in cycle m + 10: the miss's time, and 10 cycles. Then the line is there. */
  r = go(&c, &k, 1, 64, take_held_go);
  assert_int_equal(issued(0, add) - issued(0, load), miss + 10);
  assert_int_equal(r.s.l1_held, 0);
  assert_int_equal(count(MISS), 1);
  assert_int_equal(count(MISSED), 0);
  assert_int_equal(count(HIT), 2);
  assert_int_equal(r.s.l1_read_misses, 1);
  none(&k);
}

/* The link is busy with the request that another miss has just sent. */
static enum l1_answer holds_first(struct sm *S, const struct txn *t, uint32_t mshr) {
  if (t->line == line_of(LINE_A)) {
    T.mshr = mshr;
    return L1_HELD;
  }
  T.at = S->now;
  return L1_GO;
}
static void take_no_credit(void) {
  mine.l1.miss = holds_first, mine.l1.engine = sends_held, mine.l1.idle = until_engine;
}
static void held_access_waits_for_credit(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), ld(&k, 3, LINE_B);
  kernel_done(&k, 8);
  c.noc_request_bytes = 4; /* two cycles for the eight bytes of a request */
  struct result r = go(&c, &k, 1, 32, take_no_credit);
  assert_int_equal(count(GO), 3);
  for (unsigned n = 0; n < 3; n++) {
    assert_int_equal(nth(GO, n)->a, n == 2);
    assert_int_equal(nth(GO, n)->at, nth(GO, 0)->at + n);
  }
  assert_int_equal(r.s.l1_read_misses, 2);
  none(&k);
}

/* ---- H6: stores and atomics ---- */

static bool refuses(struct sm *S, uint32_t line) {
  assert_true(mem_can_post(S->mem, S->id, S->now));
  saw(S, STORE, line, 0);
  return !(T.say && T.say--);
}
static void take_stores(void) { mine.l1.store = refuses; }
static void take_refused(void) {
  take_stores();
  T.say = 4;
}

static void stores_and_atomics_may_be_refused(void **state) {
  (void)state;
  for (int atomic = 0; atomic < 2; atomic++) {
    struct config c;
    checked(&c);
    struct make k = kernel_begin();
    op1(&k, OP_MOV, T_U32, R(2), I(1));
    uint32_t store = atomic ? red(&k, LINE_B, 2) : put(&k, LINE_B, 2);
    kernel_done(&k, 8);
    struct result r = go(&c, &k, 1, 32, take_stores);
    assert_int_equal(count(STORE), 1);
    assert_int_equal(r.s.lsu_stall_l1, 0);
    uint64_t cycles = r.s.cycles;
    r = go(&c, &k, 1, 32, take_refused);
    assert_int_equal(count(STORE), 5);
    for (unsigned n = 0; n < 5; n++) {
      assert_int_equal(nth(STORE, n)->at, issued(0, store) + 1 + ACCESS + n);
      assert_int_equal(nth(STORE, n)->a, line_of(LINE_B));
    }
    assert_int_equal(r.s.lsu_stall_l1, 4);
    assert_int_equal(r.s.cycles, cycles + 4);
    assert_int_equal(atomic ? r.m.req_atomics : r.m.req_writes, 1);
    none(&k);
  }
}

/* A store to a line that is held: later loads wait until its MSHR is gone, then miss anew. */
static void take_closed(void) {
  take_held_done();
  T.wait = 60;
}
static void store_closes_a_held_access(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  op1(&k, OP_MOV, T_U32, R(3), I(1));
  ld(&k, 2, LINE_A);
  put(&k, LINE_A + 4, 3);
  apart(&k);
  uint32_t again = ld(&k, 4, LINE_A + 8);
  kernel_done(&k, 8);
  struct result r = go(&c, &k, 1, 32, take_closed);
  uint64_t done = nth(MISS, 0)->at + 60;
  assert_int_equal(count(MISS), 2);
  assert_int_equal(nth(MISS, 1)->at, done + 1);
  assert_int_equal(r.s.lsu_stall_mshr, done + 1 - (issued(0, again) + ACCESS));
  assert_int_equal(r.s.l1_held, 1);
  assert_int_equal(r.s.l1_read_misses, 1);
  none(&k);
}

/* ---- H5, H7: fills that wait for their victim; whose line it is ---- */

static enum l1_answer evicts(struct sm *S, uint32_t line, unsigned owner) {
  saw(S, EVICT, line, owner);
  return T.say && T.say-- ? L1_BUSY : L1_GO;
}
static void take_evicts(void) {
  take_misses();
  mine.l1.evict = evicts;
}
static void take_evicts_busy(void) {
  take_evicts();
  T.say = 3;
}
static void take_evicts_late(void) {
  take_evicts();
  T.say = 200;
}

/* Five bits of the code address, bit by bit. */
static unsigned five_bits(uint32_t address) {
  unsigned h = 0;
  for (unsigned b = 0; b < 32; b++) h ^= (address >> b & 1) << b % 5;
  return h;
}

static void fill_waits_for_its_victim(void **state) {
  (void)state;
  struct config c = one_set(1);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  uint32_t last = ld(&k, 2, LINE_A + 4);
  use(&k, 3, 2);
  uint32_t load = ld(&k, 4, LINE_B), add = use(&k, 5, 4);
  ld(&k, 6, LINE_B + 4), use(&k, 7, 6);
  ld(&k, 2, LINE_A + 8), use(&k, 3, 2);
  kernel_done(&k, 8);
  go(&c, &k, 1, 32, take_evicts);
  uint64_t miss = issued(0, add) - issued(0, load);
  assert_int_equal(count(EVICT), 2); /* A for B, then B for A */
  /* Refused three times: asked in four cycles; the load that brings the line does not wait. */
  struct result r = go(&c, &k, 1, 32, take_evicts_busy);
  uint64_t come = nth(EVICT, 0)->at;
  assert_int_equal(issued(0, add), come);
  assert_int_equal(come - issued(0, load), miss);
  for (unsigned n = 0; n < 4; n++) {
    assert_int_equal(nth(EVICT, n)->at, come + n);
    assert_int_equal(nth(EVICT, n)->a, line_of(LINE_A));
    assert_int_equal(nth(EVICT, n)->b, five_bits(r.code_base + 8 * last)); /* the load that hit it last */
  }
  assert_int_equal(r.s.l1_evictions, 2);
  /* Refused for long: the second read of the line is a hit without l1.hit; the victim can be hit, too. */
  r = go(&c, &k, 1, 32, take_evicts_late);
  assert_int_equal(r.s.l1_read_hits, 3);
  assert_int_equal(count(HIT), 2);
  assert_int_equal(nth(HIT, 0)->a, line_of(LINE_A));
  assert_int_equal(nth(HIT, 1)->a, line_of(LINE_A));
  assert_int_equal(count(MISS), 2);
  none(&k);
}

/* Two lines come; the second waits behind the first, though its way would be free to go. */
static void fills_wait_in_order(void **state) {
  (void)state;
  struct config c = one_set(1);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  ld(&k, 4, LINE_B), ld(&k, 5, LINE_C);
  use(&k, 6, 4), use(&k, 7, 5);
  for (unsigned n = 0; n < 60; n++) use(&k, 7, 7);
  kernel_done(&k, 8);
  struct result r = go(&c, &k, 1, 32, take_evicts_late);
  assert_int_equal(count(EVICT), 202); /* 200 refused, then A goes for B, and B at once for C */
  assert_int_equal(nth(EVICT, 200)->a, line_of(LINE_A));
  assert_int_equal(nth(EVICT, 201)->a, line_of(LINE_B));
  assert_int_equal(nth(EVICT, 201)->at, nth(EVICT, 200)->at);
  assert_int_equal(nth(EVICT, 200)->at, nth(EVICT, 0)->at + 200);
  assert_int_equal(r.s.l1_evictions, 2);
  none(&k);
}

static void drops(void (*take)(void), bool once) {
  for (int atomic = 0; atomic < 2; atomic++) {
    struct config c = one_set(1);
    struct make k = kernel_begin();
    ld(&k, 2, LINE_A), use(&k, 3, 2);
    ld(&k, 4, LINE_B), use(&k, 5, 4);
    uint32_t store = atomic ? red(&k, LINE_B, 5) : put(&k, LINE_B, 5);
    apart(&k);
    ld(&k, 6, LINE_B + 4), use(&k, 7, 6);
    kernel_done(&k, 8);
    struct result r = go(&c, &k, 1, 32, take);
    uint64_t passes = issued(0, store) + 1 + ACCESS;
    uint64_t come = nth(EVICT, 0)->at, asked = once ? 1 : passes - come + 1; /* in each cycle up to the store's own */
    assert_true(passes > come);
    for (unsigned n = 0; n < asked; n++) assert_int_equal(nth(EVICT, n)->at, come + n);
    assert_true(count(EVICT) == asked ||
                nth(EVICT, (unsigned)asked)->at > passes + 30); /* no more, until B comes again */
    assert_int_equal(count(MISS), 3);                           /* A, B, and B again: it was not installed */
    assert_int_equal(r.s.l1_read_hits, 0);
    none(&k);
  }
}
static void take_evicts_never(void) {
  take_evicts();
  T.say = 1000000;
}
static enum l1_answer takes_victim(struct sm *S, uint32_t line, unsigned owner) {
  saw(S, EVICT, line, owner);
  if (!T.say) return L1_GO;
  T.say--;
  T.at = S->now + T.wait;
  return L1_HELD;
}
static void installs(struct sm *S) {
  if (due(S)) cache_install(S);
}
static void take_victims(void) {
  take_misses();
  mine.l1.evict = takes_victim, mine.l1.engine = installs, mine.l1.idle = until_engine;
  T.say = 1, T.wait = 30;
}

static void store_drops_a_waiting_fill(void **state) {
  (void)state;
  drops(take_evicts_never, false);
  drops(take_victims, true); /* promised a way, which gets free all the same */
}

static void promised_way(void **state) {
  (void)state;
  struct config c = one_set(2);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  ld(&k, 2, LINE_B), use(&k, 3, 2);
  ld(&k, 4, LINE_C);
  uint32_t add = use(&k, 5, 4);
  uint32_t hit = ld(&k, 6, LINE_A + 4); /* the victim is in its way until the choice has installed the new line */
  use(&k, 7, 6);
  for (unsigned n = 0; n < 12; n++) use(&k, 7, 7);
  uint32_t miss = ld(&k, 6, LINE_A + 4);
  use(&k, 7, 6);
  kernel_done(&k, 8);
  struct result r = go(&c, &k, 1, 32, take_victims);
  uint64_t come = nth(EVICT, 0)->at;
  assert_int_equal(issued(0, add), come);
  assert_int_equal(nth(EVICT, 0)->a, line_of(LINE_A));
  assert_int_equal(count(HIT), 1);
  assert_int_equal(nth(HIT, 0)->at, issued(0, hit) + ACCESS);
  assert_true(nth(HIT, 0)->at < come + 30);
  assert_true(issued(0, miss) + ACCESS > come + 30);
  assert_int_equal(count(MISS), 4);
  assert_int_equal(count(EVICT), 2); /* held: not asked again; then B leaves for A (C came later) */
  assert_int_equal(nth(EVICT, 1)->a, line_of(LINE_B));
  assert_int_equal(r.s.l1_evictions, 2);
  none(&k);
}

/* A launch that ends while a fill waits: the fill is dropped, the next launch finds nothing of it. */
static void launch_ends_while_a_fill_waits(void **state) {
  (void)state;
  struct config c = one_set(1);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  ld(&k, 4, LINE_B), use(&k, 5, 4);
  kernel_done(&k, 8);
  struct result r = go_again(&c, &k, 1, 32, take_evicts_never, true);
  assert_int_equal(r.s.l1_read_hits, 1); /* A of the second launch: nobody has taken its place */
  assert_int_equal(r.s.l1_evictions, 0);
  none(&k);
}

/* ---- H8, H9: the victim port ---- */

static unsigned puts_n;
static void saw_ported(struct sm *S, uint32_t tag) { saw(S, PORTED, tag, 0); }
/* In the cycle T.at: a write and three reads; a fifth does not fit. */
static void puts_four(struct sm *S) {
  if (!due(S)) return;
  for (uint32_t n = 0; n < 5; n++) {
    bool fits = victim_port_put(S, n ? RF_READ : RF_WRITE, 100 + n / 2, 50 + n);
    assert_int_equal(fits, n < 4);
  }
}
static void issue_starts(struct sm *S, unsigned w, const struct warp_inst *inst) {
  saw_issue(S, w, inst);
  if (inst->op == T.op) T.at = S->now + T.wait;
}
static void take_port(void) {
  mine.storage.issue = issue_starts;
  mine.l1.ported = saw_ported, mine.l1.engine = puts_four, mine.l1.idle = until_engine;
  T.op = 0, T.wait = 20;
}

static void victim_port_is_in_order(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  kernel_done(&k, 8);
  struct result base = go(&c, &k, 1, 32, NULL), r = go(&c, &k, 1, 32, take_port);
  assert_int_equal(count(PORTED), 4);
  for (unsigned n = 0; n < 4; n++) { /* put in x: granted in x+1, x+2..., told one cycle later */
    assert_int_equal(nth(PORTED, n)->a, 50 + n);
    assert_int_equal(nth(PORTED, n)->at, issued(0, 0) + 20 + 2 + n);
  }
  assert_int_equal(r.s.cycles, base.s.cycles);
  assert_int_equal(r.s.rf_writes, base.s.rf_writes + 1);
  assert_int_equal(r.s.rf_reads, base.s.rf_reads + 3);
  assert_int_equal(r.s.rf_read_conflicts, base.s.rf_read_conflicts);
  assert_int_equal(r.s.rf_write_conflicts, base.s.rf_write_conflicts);
  none(&k);
}

static int put_what;
static void puts_one(struct sm *S) {
  if (due(S)) assert_true(victim_port_put(S, put_what, 3, 7));
}
static void take_one(void) {
  take_port();
  mine.l1.engine = puts_one;
  T.op = 1, T.wait = puts_n;
}

static void victim_port_takes_turns(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  c.rf_banks = 1;
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A);
  struct insn *i = op2(&k, OP_FMA, T_F32, R(5), R(5), R(6)); /* three operands of the one bank */
  i->src[i->nsrc++] = R(7);
  i->rnd = R_RN;
  uint32_t next = use(&k, 6, 5);
  kernel_done(&k, 8);
  struct result base = go(&c, &k, 1, 32, NULL);
  uint64_t wait = issued(0, next) - issued(0, 1);
  /* A read, put when the unit has got its first operand: the port's turn comes before the unit's second. */
  put_what = RF_READ, puts_n = 1;
  struct result r = go(&c, &k, 1, 32, take_one);
  assert_int_equal(nth(PORTED, 0)->at, issued(0, 1) + 3);
  assert_int_equal(issued(0, next) - issued(0, 1), wait + 1);
  assert_int_equal(r.s.rf_reads, base.s.rf_reads + 1);
  assert_int_equal(r.s.rf_read_conflicts, base.s.rf_read_conflicts + 1); /* the unit waits in that one cycle */
  /* A write, in the cycle in which the result is written: the result goes first. */
  put_what = RF_WRITE, puts_n = (unsigned)wait - 1;
  r = go(&c, &k, 1, 32, take_one);
  assert_int_equal(nth(PORTED, 0)->at, issued(0, next) + 2);
  assert_int_equal(issued(0, next) - issued(0, 1), wait);
  assert_int_equal(r.s.rf_writes, base.s.rf_writes + 1);
  assert_int_equal(r.s.rf_write_conflicts, base.s.rf_write_conflicts + 1);
  none(&k);
}

/* In every cycle as many as fit: the launch ends with a full port, which the next one does not see. */
static void puts_always(struct sm *S) {
  while (victim_port_put(S, T.w % 3 ? RF_READ : RF_WRITE, T.w % 64, T.w)) T.w++;
}
static void take_always(void) { mine.l1.ported = saw_ported, mine.l1.engine = puts_always; }
static void port_is_empty_at_the_end(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  kernel_done(&k, 8);
  struct result base = go_again(&c, &k, 1, 32, NULL, true), r = go_again(&c, &k, 1, 32, take_always, true);
  uint64_t granted = r.s.rf_reads + r.s.rf_writes - base.s.rf_reads - base.s.rf_writes;
  assert_in_range(granted, count(PORTED), count(PORTED) + 2); /* of each launch, one in its last cycle at most */
  assert_in_range(count(PORTED), r.s.cycles - 10, r.s.cycles);
  none(&k);
}

static void rows_have_banks(struct sm *S) {
  for (unsigned w = 0; w < S->nwarp; w++)
    for (unsigned r = 0; r < S->warp_regs; r++)
      assert_int_equal(rf_row_bank(S, S->warp[w].row + r), rf_bank(S, r, S->warp[w].rf_slot));
  T.w++;
}
static void take_rows(void) { mine.l1.engine = rows_have_banks; }
static void bank_of_a_row(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  kernel_done(&k, 27);
  for (c.rf_banks = 5; c.rf_banks <= 16; c.rf_banks += 11) {
    go(&c, &k, 3, 96, take_rows);
    assert_true(T.w > 10);
  }
  none(&k);
}

/* ---- H10: a warp begins, comes in, goes out, ends ---- */

static enum warp_move pending;
static enum move saw_warp(struct sm *S, unsigned w, enum warp_move what) {
  saw(S, WARP, w, what);
  if (!T.say || what != pending) return MOVE_DONE;
  T.say--;
  T.w = w;
  T.at = S->now + T.wait;
  gate_close(S, SLOT_STORAGE, w);
  return MOVE_PENDING;
}
static void opens(struct sm *S) {
  if (due(S)) gate_open(S, SLOT_STORAGE, T.w);
}
static void take_warps(void) {
  mine.storage.warp = saw_warp, mine.storage.engine = opens, mine.storage.idle = until_engine;
}
static void take_pending(void) {
  take_warps();
  T.say = 1, T.wait = 25;
}
static void take_slow(void) {
  take_pending();
  T.wait = 700;
}
/* The n-th event of this kind. */
static const struct seen *event(enum warp_move what, unsigned n) {
  for (unsigned i = 0; i < T.n; i++)
    if (T.seen[i].what == WARP && T.seen[i].b == what && !n--) return &T.seen[i];
  fail_msg("no such event of a warp");
  return NULL;
}

static void warps_come_and_go(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  c.slot_scheduler = slot_scheduler_two_level;
  c.sm_schedulers = 1, c.sm_active_warps = 1;
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  kernel_done(&k, 8);
  go(&c, &k, 1, 64, take_warps);
  assert_int_equal(event(WARP_BEGIN, 0)->at, event(WARP_BEGIN, 1)->at);
  assert_int_equal(event(WARP_END, 0)->at, event(WARP_END, 1)->at);
  assert_int_equal(event(WARP_IN, 0)->a, 0);
  assert_int_equal(event(WARP_OUT, 0)->a, 0); /* it waits for its load */
  assert_int_equal(event(WARP_IN, 1)->a, 1);
  assert_int_equal(event(WARP_IN, 1)->at, event(WARP_OUT, 0)->at); /* in the same cycle */
  /* Going out takes 25 cycles: until then warp 0 keeps the one active place. */
  pending = WARP_OUT;
  go(&c, &k, 1, 64, take_pending);
  assert_int_equal(event(WARP_OUT, 0)->a, 0);
  assert_int_equal(event(WARP_IN, 1)->a, 1);
  assert_int_equal(event(WARP_IN, 1)->at, event(WARP_OUT, 0)->at + 25);
  assert_int_equal(issued(1, 0), event(WARP_IN, 1)->at + 1);
  /* Coming in takes longer than the first fetch: it issues in the cycle of the gate (ENGINE, then ISSUE). */
  pending = WARP_IN;
  go(&c, &k, 1, 64, take_slow);
  assert_int_equal(issued(0, 0), event(WARP_IN, 0)->at + 700);
  none(&k);
}

/* ---- H14: the end of several warps in one cycle ---- */

static enum move forgets(struct sm *S, unsigned w) {
  saw(S, FORGET, w, 0);
  return MOVE_DONE;
}
static void take_forget(void) { mine.collector.warp = forgets; }
static void warps_end_together(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  ld(&k, 2, LINE_A), use(&k, 3, 2);
  kernel_done(&k, 8);
  go(&c, &k, 2, 128, take_forget);
  assert_int_equal(count(FORGET), 8);
  uint64_t warps = 0;
  for (unsigned n = 0; n < 8; n++) {
    warps |= 1ull << nth(FORGET, n)->a;
    assert_int_equal(nth(FORGET, n)->at, nth(FORGET, n / 4 * 4)->at);
  }
  assert_int_equal(warps, 0xff);
  none(&k);
}

/* ---- H15: pseudo instructions and code slots ---- */

static bool before_one(struct sm *S, unsigned w, const struct warp_inst *inst, struct warp_inst *pseudo) {
  (void)S, (void)w, (void)pseudo;
  return inst->op == T.op;
}
static void holds_head(struct sm *S, unsigned w, const struct warp_inst *pseudo) {
  assert_true(pseudo->flags & W_PSEUDO);
  saw(S, HEAD, w, pseudo->op);
  T.w = w, T.at = S->now + T.wait;
  gate_close(S, SLOT_STORAGE, w);
}
static void take_pseudo(void) {
  mine.storage.fetch = before_one;
  T.op = 2;
}
static void take_head(void) {
  take_pseudo();
  mine.storage.head = holds_head, mine.storage.engine = opens, mine.storage.idle = until_engine;
  T.wait = 30;
}

static void pseudo_instruction_is_held(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  for (unsigned n = 0; n < 4; n++) op1(&k, OP_MOV, T_U32, R(2 + n), I(1));
  kernel_done(&k, 8);
  struct result r = go(&c, &k, 1, 32, take_pseudo);
  uint64_t before = issued(0, 1), gates = r.s.slot_gate, cycles = r.s.cycles;
  assert_int_equal(nth(PSEUDO, 0)->at, before + 1);
  assert_int_equal(r.s.pseudo_insns, 1);
  r = go(&c, &k, 1, 32, take_head);
  assert_int_equal(count(HEAD), 1);
  assert_int_equal(nth(HEAD, 0)->at, before); /* it comes to the head when the instruction before it has issued */
  assert_int_equal(issued(0, 1), before);
  assert_int_equal(nth(PSEUDO, 0)->at, before + 30);
  assert_int_equal(issued(0, 2), before + 31);
  assert_int_equal(r.s.slot_gate, gates + 29); /* cycles in which the warp could have issued it */
  assert_int_equal(r.s.cycles, cycles + 29);
  none(&k);
}

static uint32_t slot_of[64];
static bool plan_slots(struct sm *S, const struct kernel *k, struct err *e) {
  S->at = slot_of;
  return storage_flat.plan(S, k, e);
}
static void take_slots(void) { mine.storage.plan = plan_slots; }

static void code_slots_are_addresses(void **state) {
  (void)state;
  struct config c;
  checked(&c);
  struct make k = kernel_begin();
  for (unsigned n = 0; n < 19; n++) op1(&k, OP_MOV, T_U32, R(2), I(n));
  kernel_done(&k, 8); /* 20 instructions: 16 in a line */
  const struct { unsigned stride, first, lines; } t[] = {{1, 0, 2}, {1, 12, 2}, {1, 13, 3}, {2, 0, 3}, {16, 0, 20}};
  assert_int_equal(go(&c, &k, 1, 32, NULL).s.icache_misses, 2);
  for (unsigned n = 0; n < sizeof t / sizeof *t; n++) {
    for (unsigned i = 0; i < 20; i++) slot_of[i] = t[n].first + i * t[n].stride;
    assert_int_equal(go(&c, &k, 1, 32, take_slots).s.icache_misses, t[n].lines);
  }
  none(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_slot_commits_in_order),
      cmocka_unit_test(residency_asks_l1),
      cmocka_unit_test(one_question_per_access),
      cmocka_unit_test(asked_only_with_an_mshr),
      cmocka_unit_test(held_access),
      cmocka_unit_test(held_access_waits_for_credit),
      cmocka_unit_test(stores_and_atomics_may_be_refused),
      cmocka_unit_test(store_closes_a_held_access),
      cmocka_unit_test(fill_waits_for_its_victim),
      cmocka_unit_test(fills_wait_in_order),
      cmocka_unit_test(store_drops_a_waiting_fill),
      cmocka_unit_test(promised_way),
      cmocka_unit_test(launch_ends_while_a_fill_waits),
      cmocka_unit_test(victim_port_is_in_order),
      cmocka_unit_test(victim_port_takes_turns),
      cmocka_unit_test(port_is_empty_at_the_end),
      cmocka_unit_test(bank_of_a_row),
      cmocka_unit_test(warps_come_and_go),
      cmocka_unit_test(warps_end_together),
      cmocka_unit_test(pseudo_instruction_is_held),
      cmocka_unit_test(code_slots_are_addresses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
