/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results: see results.h.
 *
 * A signal whose default is to end the process finds it anywhere: within malloc, or within a launch. So the handler calls
 * async-signal-safe functions alone. jansson takes its memory from an array then, and what needs more (the configuration, the program's
 * arguments) was made into text before. The launches so far change only while all signals are blocked (results_change), and a handler
 * in another thread waits for that.
 */
#define _GNU_SOURCE /* dladdr, sigabbrev_np */
#include "host/session/results.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/host_env.h"
#include "base/show.h"
#include "host/session/session.h"
#include "lab/report/json.h"

static struct {
  const struct device *device; /* whose results are to be written; NULL: none */
  pid_t process;
  struct json_parts parts;
  char who[256]; /* for messages: the program's name and the interface */
  bool given;    /* REGTWIN_RUN says when the run began */
  struct claim claim;
  bool begun;       /* some session's results are or were to be written */
  atomic_bool busy; /* the launches change, or are written */
} the;
_Static_assert(sizeof(sigset_t) <= sizeof((struct results_guard *)0)->saved, "room for the mask of signals");

/* ---- launches change ---- */

static void results_block_signals(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, before);
}

/* Waits for a change, which is short, or for the end of the process, which a handler of another thread brings about when it has written. */
static void results_take(void) {
  enum { SHORT = 64 };
  static const struct timespec ms = {.tv_nsec = 1000000};
  for (unsigned n = 0; atomic_exchange(&the.busy, true); n++)
    if (n < SHORT) sched_yield();
    else nanosleep(&ms, NULL);
}

void results_change(struct results_guard *g) {
  g->active = the.begun; /* also while they are written, which begins with device = NULL */
  if (!g->active) return;
  results_block_signals((sigset_t *)g->saved);
  results_take();
}

void results_changed(const struct results_guard *g) {
  if (!g->active) return;
  atomic_store(&the.busy, false);
  pthread_sigmask(SIG_SETMASK, (const sigset_t *)g->saved, NULL);
}

/* ---- writing ---- */

static void results_put(void *to, const char *s, size_t n) { claim_write(to, s, n); }

/* True for results without launches, as json_put_all writes them. */
static bool without_launches(const char *text, size_t n) {
  static const char none[] = "\n  \"launches\": [],\n";
  return memmem(text, n, none, sizeof none - 1);
}

/* One line on standard error, without stdio. */
static void results_say(const char *what, const char *path, const char *rest) {
  static char line[2 * PATH_MAX], shown[2 * PATH_MAX];
  show_text(shown, sizeof shown, path);
  const int n = snprintf(line, sizeof line, "regtwin: %s%s%s\n", what, shown, rest);
  if (n > 0) (void)!write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void results_tell(enum claim_result r) {
  struct claim *c = &the.claim;
  static char rest[512];
  if (r == CLAIM_FAILED) {
    snprintf(rest, sizeof rest, ": error: cannot write: %s",
             c->bad ? strerrordesc_np(c->bad) : "no memory for the results");
    results_say("", strcmp(c->first, "-") ? c->first : "standard output", rest);
  } else if (r == CLAIM_DONE && c->number > 1) {
    snprintf(rest, sizeof rest, ": others of this run are in the files before it");
    static char what[320];
    snprintf(what, sizeof what, "the results of %s are in ", the.who);
    results_say(what, c->name, rest);
  } else if (r == CLAIM_DONE && c->replaced && !the.given) {
    snprintf(rest, sizeof rest, ": the results of %s replace what was there", the.who);
    results_say("", c->name, rest);
  }
}

/* ended_by: the signal's name, or NULL. Called with `busy`, and all signals blocked. */
static void write_results(const char *ended_by) {
  const struct device *d = the.device;
  const struct json_to to = {results_put, &the.claim};
  the.device = NULL;
  bool ok = claim_begin(&the.claim) && json_put_all(&to, d, &the.parts, ended_by);
  results_tell(claim_end(&the.claim, ok, !d->history.n, without_launches));
}

/* Also waits for a handler in another thread, which reads the session's launches. */
void results_end(void) {
  if (!the.begun || the.process != getpid()) return;
  HOST_ENV_ENTERED();
  sigset_t before;
  if (!strcmp(the.claim.first, "-")) fflush(stdout);
  results_block_signals(&before);
  results_take();
  if (the.device) write_results(NULL);
  json_parts_free(&the.parts);
  atomic_store(&the.busy, false);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool results_wanted(void) { return the.device && the.process == getpid(); }

/* ---- signals ---- */

/* Those that end a process by default. */
static const int ending[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP,   SIGABRT, SIGBUS, SIGFPE,
                             SIGUSR1, SIGSEGV, SIGUSR2,   SIGPIPE, SIGALRM,   SIGTERM, SIGSYS, SIGXCPU,
                             SIGXFSZ, SIGPROF, SIGVTALRM, SIGIO,   SIGSTKFLT, SIGPWR};
enum { ENDING = sizeof ending / sizeof *ending, ARENA = 8 << 20, STACK = 256 << 10 };
static struct sigaction before[ENDING];
static bool caught[ENDING];
static char *arena; /* jansson's memory in the handler: each value begins anew */
static atomic_size_t used;

static void *from_arena(size_t n) {
  const size_t at = atomic_fetch_add(&used, (n + 15) & ~(size_t)15);
  return n < ARENA && at < ARENA - n ? arena + at : NULL;
}
static void to_arena(void *p) { (void)p; }
static void reset_arena(void) { atomic_store(&used, 0); }

static void at_signal(int number, siginfo_t *info, void *context) {
  const int saved = errno;
  char name[32];
  snprintf(name, sizeof name, "SIG%s", sigabbrev_np(number) ? sigabbrev_np(number) : "?");
  if (results_wanted()) {
    results_take();
    if (the.device) {
      json_set_alloc_funcs(from_arena, to_arena);
      the.parts.reset = reset_arena;
      write_results(name);
    }
  }
  errno = saved;
  for (unsigned i = 0; i < ENDING; i++) {
    if (ending[i] != number) continue;
    if (before[i].sa_flags & SA_SIGINFO) return before[i].sa_sigaction(number, info, context); /* the other library's */
  }
  signal(number, SIG_DFL);
  raise(number); /* when the handler has returned */
}

/* The same handler of the other library (CUDA and OpenCL in one process), which lies beside this one. */
static bool of_the_other(const struct sigaction *a) {
  Dl_info mine, theirs;
  if (!(a->sa_flags & SA_SIGINFO) || a->sa_sigaction == at_signal) return false;
  if (!dladdr((const void *)(uintptr_t)at_signal, &mine) || !dladdr((const void *)(uintptr_t)a->sa_sigaction, &theirs))
    return false;
  const char *m = strrchr(mine.dli_fname, '/'), *t = strrchr(theirs.dli_fname, '/');
  return m && t && m - mine.dli_fname == t - theirs.dli_fname &&
         !memcmp(mine.dli_fname, theirs.dli_fname, (size_t)(m - mine.dli_fname)) &&
         (!strncmp(t, "/libregtwin-", 12) || !strncmp(t, "/libcudart.", 11));
}

static void *results_map_pages(size_t n) {
  void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

/* Handlers for those signals that would end the process now. What the program installs later takes their place. */
static void catch_signals(void) {
  struct sigaction mine = {.sa_sigaction = at_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART}, now;
  stack_t stack;
  if (!arena) arena = results_map_pages(ARENA);
  if (!arena) return;
  /* A stack that has overflowed has no room for the handler. */
  if (!sigaltstack(NULL, &stack) && stack.ss_flags & SS_DISABLE) {
    stack = (stack_t){.ss_sp = results_map_pages(STACK), .ss_size = STACK};
    if (stack.ss_sp) sigaltstack(&stack, NULL);
  }
  sigfillset(&mine.sa_mask);
  for (unsigned i = 0; i < ENDING; i++) {
    if (sigaction(ending[i], NULL, &now)) continue;
    const bool by_default = !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
    if (!by_default && (caught[i] || !of_the_other(&now))) continue; /* caught: the other calls this one's */
    before[i] = now;
    caught[i] = true;
    sigaction(ending[i], &mine, NULL);
  }
}

/* ---- a session begins ---- */

void results_reset_in_fork(void) {
  atomic_store(&the.busy, false); /* another thread of the parent may have had it */
  if (!the.device) return;
  the.process = getpid();
  if (!the.given) the.claim.since = claim_now();
}

static void at_quick_exit_(void) { results_end(); }

bool results_begin(struct device *d, const struct device_env *env, const char *interface, struct err *e) {
  static bool registered;
  char why[IO_WHY], path[PATH_MAX];
  const struct origin *o = origin_of_process();
  if (!env->json) return true;
  origin_path(path, sizeof path, env->json, o);
  if (!claim_prepare(&the.claim, path, env->run ? env->run : claim_now(), why))
    return err_at(e, NULL, 0, 0, "REGTWIN_JSON: %s: %s", path, why);
  if (!registered) at_quick_exit(at_quick_exit_);
  registered = true;
  json_parts_free(&the.parts);
  the.parts = json_parts_of(d, interface);
  snprintf(the.who, sizeof the.who, "'%s' (%s)", SHOWN(o->program), interface);
  the.given = env->run;
  the.process = getpid();
  atomic_store(&the.busy, false);
  the.begun = true;
  the.device = d;
  catch_signals();
  return true;
}
