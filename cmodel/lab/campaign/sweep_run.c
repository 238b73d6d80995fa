/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep_run: the runs of a plan by child processes of this host; see sweep.h. A run belongs to who has its lease: a process that
 * lives renews its leases, those of one that ended are taken over, at once if it was of this host.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "lab/campaign/sweep.h"

struct work_on {
  struct sweep *s;
  const struct sweep_how *how;
  struct err *e;
  char owner[LEASE_OWNER];
  unsigned *queue, head, tail, room; /* runs to begin: of s->run; a ring */
  unsigned *theirs, ntheirs;         /* that other processes have */
  struct task task;
  unsigned left, ended; /* to be done; that ended here */
  double seconds;
  uint64_t renewed; /* clock_wall_ns */
  char last[256];
};

static void sweep_queue_run(struct work_on *w, unsigned run) { w->queue[w->tail++ % w->room] = run; }

static bool sweep_wants_run(const struct sweep *s, const struct sweep_run *r) {
  return r->run.state == SWEEP_WAITING || r->run.state == SWEEP_RUNNING ||
         (r->run.state == SWEEP_LOST && r->run.tries <= s->plan->tries);
}

static void sweep_tell_progress(struct work_on *w, unsigned running) {
  if (!w->how->progress) return;
  const double mean = w->ended ? w->seconds / w->ended : 0;
  const struct sweep_progress p = {.done = w->s->n - w->left,
                                   .all = w->s->n,
                                   .running = running,
                                   .left = mean * w->left / w->how->jobs,
                                   .what = w->last};
  w->how->progress(w->how->ctx, &p);
}

static const void *sweep_next_task(void *ctx, unsigned *id) {
  struct work_on *w = ctx;
  while (w->head != w->tail && !w->e->set) {
    const unsigned i = w->queue[w->head++ % w->room];
    struct sweep_run *r = &w->s->run[i];
    switch (lease_take(w->s->db, &r->run, w->s->plan->tries, w->owner, w->e)) {
      case LEASE_MINE: *id = i; return sweep_task(w->s, r, &w->task);
      case LEASE_THEIRS: w->theirs[w->ntheirs++] = i; break;
      case LEASE_OVER: w->left--; break;
      case LEASE_BAD: break;
    }
  }
  return NULL;
}

static bool sweep_task_ended(void *ctx, unsigned id, const struct answer *a, const void *out) {
  struct work_on *w = ctx;
  struct sweep_run *r = &w->s->run[id];
  if (!lease_end(w->s->db, &r->run, a, out, w->e)) return false;
  if (sweep_wants_run(w->s, r)) sweep_queue_run(w, id);
  else w->left--;
  w->ended++;
  w->seconds += a->seconds;
  sweep_name(w->s, r, w->last, sizeof w->last);
  sweep_tell_progress(w, w->how->jobs);
  return true;
}

static bool sweep_on_tick(void *ctx, unsigned running) {
  struct work_on *w = ctx;
  if (clock_seconds(w->renewed, clock_wall_ns()) > LEASE_SECONDS / 4.0) {
    if (!lease_renew(w->s->db, w->owner, LEASE_SECONDS, w->e)) return false;
    w->renewed = clock_wall_ns();
  }
  sweep_tell_progress(w, running);
  return true;
}

/* Those that others had: they end them, or leave them. */
static void look_again(struct work_on *w) {
  for (unsigned i = 0; i < w->ntheirs; i++) sweep_queue_run(w, w->theirs[i]);
  w->ntheirs = 0;
}

static bool sweep_run_all(struct work_on *w) {
  struct sweep *s = w->s;
  const struct pool_feed feed = {.work = &work_run,
                                 .jobs = w->how->jobs,
                                 .more = true,
                                 .limits = {s->plan->seconds, s->plan->memory_mb << 20},
                                 .next = sweep_next_task,
                                 .ended = sweep_task_ended,
                                 .tick = sweep_on_tick,
                                 .ctx = w};
  w->room = s->n + 1;
  w->queue = xcalloc(w->room, sizeof *w->queue);
  w->theirs = xcalloc(w->room, sizeof *w->theirs);
  for (unsigned i = 0; i < s->n; i++)
    if (sweep_wants_run(s, &s->run[i])) sweep_queue_run(w, i);
  w->left = w->tail;
  for (;;) {
    pool_feed(&feed);
    if (w->e->set || !w->ntheirs) break;
    sleep(1);
    look_again(w);
    sweep_tell_progress(w, 0);
  }
  free(w->queue), free(w->theirs);
  return !w->e->set;
}

bool sweep_local(struct sweep *s, const struct sweep_how *how, struct err *e) {
  struct work_on *w = xcalloc(1, sizeof *w);
  bool ok = true;
  for (unsigned open = UINT32_MAX; ok;) {
    *w = (struct work_on){.s = s, .how = how, .e = e};
    lease_owner(w->owner);
    ok = sweep_run_all(w);
    if (!s->open || s->open >= open) break; /* what depends on results, as long as there are more of them */
    open = s->open;
    ok = ok && sweep_remake(s, e);
  }
  free(w);
  return ok;
}
