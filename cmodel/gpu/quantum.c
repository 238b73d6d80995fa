/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantum: one quantum of all SMs and of the memory, on one host thread or several.
 *
 * Within a quantum each SM, and the memory as one more, is advanced by one thread, whichever takes it first; none of
 * them sees what another does (gpu/gpu.h), so it does not matter which thread that is, nor when. At its end one thread
 * alone makes the stores, performs the atomics, exchanges requests and replies, and gives out CTAs, in an order that
 * depends on the quantum's number alone.
 *
 * A quantum is some microseconds of work for each thread: threads wait by spinning, yield the processor when it takes
 * long (at once if there are more threads than processors), and sleep when it takes very long: then other processes
 * want the processors, too, and the thread that is waited for can have this one.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/host_env.h"
#include "gpu/internal.h"

enum { SPINS = 1000, YIELDS = 16 };

/* Of g->visit. A thread takes its own from one end, and when it has none left those that others have not begun from the
 * other end: so it is the same few SMs at the borders that change between threads, whose caches hold them. */
struct share {
  atomic_ullong range; /* first | end << 32 */
  unsigned did;        /* SMs that the thread has run in this quantum */
  unsigned usual;      /* the mean of that, in 1/16: the share in the next quantum is in this proportion */
  char pad[64 - sizeof(unsigned long long) - 2 * sizeof(unsigned)];
};

struct signal { /* a count that threads wait for */
  atomic_uint n, asleep;
  char pad[64 - 2 * sizeof(unsigned)];
};

struct crew {
  struct gpu *g;
  unsigned threads, spins; /* with the caller's */
  pthread_t id[GPU_THREADS];
  char pad[64];
  struct signal begun; /* quanta */
  struct signal done;  /* threads that have found nothing left to do in this quantum */
  bool over;           /* there is no next quantum */
  atomic_bool memory;  /* a thread has taken the memory */
  char pad2[64];
  struct share share[GPU_THREADS];
};

static void one_sm(struct gpu *g, unsigned i) {
  if (g->ended[i]) sm_quantum(g->sm[i], false);
  g->ended[i] = true;
  sm_wake(g->sm[i], g->now - g->quantum);
  sm_run(g->sm[i], g->now);
  sm_report(g->sm[i], &g->seen[i].is);
}

/* ---- several threads ---- */

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void sleep_while(struct signal *s, unsigned old) {
  atomic_fetch_add(&s->asleep, 1);
  syscall(SYS_futex, &s->n, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
  atomic_fetch_sub(&s->asleep, 1);
}

/* Waits until the count is no longer `old`; it then. */
static unsigned wait_while(const struct crew *c, struct signal *s, unsigned old) {
  unsigned now;
  for (unsigned n = 0; (now = atomic_load_explicit(&s->n, memory_order_acquire)) == old; n++) {
    if (n < c->spins) pause_briefly();
    else if (n < c->spins + YIELDS) sched_yield();
    else sleep_while(s, old);
  }
  return now;
}

static void signal_count(struct signal *s) {
  atomic_fetch_add(&s->n, 1); /* before `asleep` is read: who goes to sleep after that finds another count */
  if (atomic_load(&s->asleep)) syscall(SYS_futex, &s->n, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static bool share_take_sm(struct share *s, bool first, unsigned *which) {
  unsigned long long r = atomic_load_explicit(&s->range, memory_order_relaxed), next;
  do {
    const uint32_t from = (uint32_t)r, to = (uint32_t)(r >> 32);
    if (from >= to) return false;
    *which = first ? from : to - 1;
    next = first ? r + 1 : r - (1ull << 32);
  } while (!atomic_compare_exchange_weak_explicit(&s->range, &r, next, memory_order_relaxed, memory_order_relaxed));
  return true;
}

static void crew_work(struct crew *c, unsigned self) {
  struct gpu *g = c->g;
  unsigned did = 0;
  /* The memory is the longest piece of work, and one that nobody can share: the caller's thread takes it first, since
   * it exchanges requests and replies afterwards. */
  if (!self && !atomic_exchange_explicit(&c->memory, true, memory_order_relaxed)) mem_advance(g->mem, g->now);
  for (unsigned k = 0; k < c->threads; k++) {
    const unsigned of = (self + k) % c->threads;
    for (unsigned i; share_take_sm(&c->share[of], !k == !(of & 1), &i); did++) one_sm(g, g->visit[i]);
  }
  c->share[self].did = did;
  if (!atomic_exchange_explicit(&c->memory, true, memory_order_relaxed)) mem_advance(g->mem, g->now);
}

struct hand {
  struct crew *c;
  unsigned self;
};

static void *crew_thread(void *arg) {
  host_env_enter(); /* a new thread has the locale of the process */
  struct hand h = *(struct hand *)arg;
  struct crew *c = h.c;
  free(arg);
  for (unsigned seen = 0;;) {
    seen = wait_while(c, &c->begun, seen);
    if (c->over) return NULL;
    crew_work(c, h.self);
    signal_count(&c->done);
  }
}

struct crew *crew_new(struct gpu *g) {
  if (g->threads < 2) return NULL;
  struct crew *c = xcalloc_lines(1, sizeof *c);
  cpu_set_t cpus;
  c->g = g;
  c->threads = 1;
  c->spins = !sched_getaffinity(0, sizeof cpus, &cpus) && CPU_COUNT(&cpus) >= (int)g->threads ? SPINS : 0;
  for (unsigned k = 1; k < g->threads; k++) {
    struct hand *h = xmalloc(sizeof *h);
    *h = (struct hand){c, k};
    if (pthread_create(&c->id[k], NULL, crew_thread, h) != 0) { /* fewer threads: the same results */
      free(h);
      break;
    }
    c->threads++;
  }
  return c;
}

void crew_free(struct crew *c) {
  if (!c) return;
  c->over = true;
  signal_count(&c->begun);
  for (unsigned k = 1; k < c->threads; k++) pthread_join(c->id[k], NULL);
  free(c);
}

static void share_out(struct crew *c) {
  const unsigned long long visits = c->g->visits;
  unsigned long long all = 0, sum = 0, from = 0;
  for (unsigned k = 0; k < c->threads; k++) {
    struct share *s = &c->share[k];
    s->usual += s->did - s->usual / 16;
    all += s->usual + 1;
  }
  for (unsigned k = 0; k < c->threads; k++) {
    sum += c->share[k].usual + 1;
    const unsigned long long to = (visits * sum + all / 2) / all;
    atomic_store_explicit(&c->share[k].range, from | to << 32, memory_order_relaxed);
    from = to;
  }
}

static void crew_run_quantum(struct crew *c) {
  share_out(c);
  atomic_store_explicit(&c->memory, false, memory_order_relaxed);
  const unsigned before = atomic_load_explicit(&c->done.n, memory_order_relaxed);
  signal_count(&c->begun);
  crew_work(c, 0);
  for (unsigned n = 0; n + 1 < c->threads;) n = wait_while(c, &c->done, before + n) - before;
}

/* ---- the quantum ---- */

/* The SM that is first in this quantum: none is favoured. */
static unsigned first_sm(const struct gpu *g) { return g->sms > 1 ? (unsigned)(g->number % g->sms) : 0; }

static void give_ctas(struct gpu *g) {
  struct dispatch_room room[GPU_SMS];
  for (unsigned i = 0; i < g->sms; i++) room[i] = (struct dispatch_room){g->seen[i].is.room, g->seen[i].is.held};
  dispatch_give(g->dispatch, first_sm(g), room);
}

void quantum_tell(struct gpu *g, bool too_many) {
  for (unsigned i = 0; i < g->sms; i++) {
    if (!g->ended[i]) continue;
    sm_quantum(g->sm[i], too_many);
    too_many &= !sm_running(g->sm[i]); /* one SM says which loop it is in */
    g->ended[i] = false;
    sm_report(g->sm[i], &g->seen[i].is);
  }
}

/* It has nothing to do before cycle `end`. */
static bool quantum_sm_sleeps(const struct gpu *g, unsigned i, uint64_t end) {
  const struct sm_report *r = &g->seen[i].is;
  uint32_t replies;
  if (r->asleep < end || (r->room && dispatch_source(g->dispatch, i)->ready)) return false;
  mem_replies(g->mem, i, &replies);
  return !replies;
}

/* Those that have something to do in the next quantum. */
static void quantum_choose_sms(struct gpu *g) {
  g->visits = 0;
  for (unsigned i = 0; i < g->sms; i++)
    if (!quantum_sm_sleeps(g, i, g->now + g->quantum)) g->visit[g->visits++] = i;
}

void quantum_begin(struct gpu *g) {
  for (unsigned i = 0; i < g->sms; i++) sm_report(g->sm[i], &g->seen[i].is);
  give_ctas(g);
  quantum_choose_sms(g);
}

/* Nobody has anything to do in the next quantum, nor until the first SM or the memory wakes: all quanta that end before
 * that are jumped over but the last. */
static void quantum_jump(struct gpu *g) {
  enum { MOST = 1 << 16 };
  const uint64_t memory = mem_next(g->mem), limit = g->cfg.sim_stop_cycles ? g->now : g->now + MOST;
  uint64_t wakes = memory < limit ? memory : limit;
  for (unsigned i = 0; i < g->sms; i++)
    if (g->seen[i].is.asleep < wakes) wakes = g->seen[i].is.asleep;
  const uint64_t idle = wakes > g->now ? (wakes - g->now) / g->quantum : 0, n = idle > 1 ? idle - 1 : 0;
  g->now += n * g->quantum;
  g->number += n;
}

/* The quantum's stores and atomics, the first SM first. */
static void quantum_perform(struct gpu *g) {
  const unsigned first = first_sm(g);
  unsigned from = 0;
  while (from < g->visits && g->visit[from] < first) from++;
  for (unsigned k = 0; k < g->visits; k++) {
    struct stream *s = g->stream[g->visit[(from + k) % g->visits]];
    s->ops->quantum(s);
  }
  if (g->sms > 1 && g->stream[0]->ops->settle) g->stream[0]->ops->settle(g->stream[0]);
}

void quantum_run(struct gpu *g, struct crew *c) {
  if (!g->visits) quantum_jump(g);
  g->now += g->quantum;
  if (c && g->visits > 1) {
    crew_run_quantum(c);
  } else {
    for (unsigned k = 0; k < g->visits; k++) one_sm(g, g->visit[k]);
    mem_advance(g->mem, g->now);
  }
  mem_exchange(g->mem, g->now);
  quantum_perform(g);
  g->number++;
  give_ctas(g);
  if (g->most_insns != UINT64_MAX && gpu_insns(g) > g->most_insns) quantum_tell(g, true);
  quantum_choose_sms(g);
}
