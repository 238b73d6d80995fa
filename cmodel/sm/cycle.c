/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle: the ten phases of one cycle, consumers before producers so that every queue is one pipeline register, and the
 * jump over cycles in which nothing can change (docs/reference/timing.md). Nothing else.
 */
#include "base/bits.h"
#include "sm/phases.h"
#include "sm/sm.h"

static void one_cycle(struct sm *S) {
  S->busy = false;
  for (unsigned g = 0; g < S->ngroup; g++)
    for (unsigned k = 0; k < BANK_WORDS; k++) S->group[g].rd_used[k] = S->group[g].wr_used[k] = 0;
  if (S->slow) slow_banks_begin(S);
  arrive_phase(S); /* 1 ARRIVE: memory replies, unit results */
  lsu_phase(S);    /* 2 MEMORY */
  if (tex_works(S)) tex_phase(S);
  write_phase(S);    /* 3 WRITE */
  dispatch_phase(S); /* 4 DISPATCH */
  storage_look(S);   /* 5 COLLECT */
  bool reads = S->victim.count && victim_port_read(S);
  collector_collect(S);
  if (reads) victim_port_collected(S);
  residency_engine(S); /* 6 ENGINE */
  storage_engine(S);
  l1_engine(S);
  issue_phase(S);       /* 7 ISSUE */
  fetch_phase(S);       /* 8 FETCH */
  scheduler_control(S); /* 9 CONTROL */
  control_phase(S);
  residency_control(S);
  commit_phase(S); /* 10 COMMIT */
  if (S->slow) slow_banks_end(S);
}

/* First cycle after `now` in which anything can happen, if nothing comes from outside. */
static uint64_t next_active(struct sm *S) {
  uint64_t soon = S->now + 1;
  if (S->busy || S->victim.count || !S->cfg->sim_skip || S->observer) return soon;
  for (unsigned g = 0; g < S->ngroup; g++)
    if (banks_are_wanted(S, g) || S->group[g].wqn) return soon;
  uint64_t t = event_next(S);
  if (S->ireply < S->nreply) t = u64_min(t, S->reply[S->ireply].cycle);
  t = u64_min(t, lsu_idle_until(S));
  if (tex_works(S)) t = u64_min(t, tex_idle_until(S));
  t = u64_min(t, dispatch_idle_until(S));
  t = u64_min(t, issue_idle_until(S));
  t = u64_min(t, fetch_idle_until(S));
  t = u64_min(t, cta_idle_until(S));
  if (t <= soon) return soon;
  uint64_t n = t == NEVER ? NEVER : t - S->now;
#define IDLE(slot) n = u64_min(n, slot##_idle(S));
  EACH_SLOT(IDLE)
  return n <= 1 ? soon : n > NEVER - S->now ? NEVER : S->now + n;
}

static void sm_sample(struct sm *S) {
  occupancy_note(S);
  S->sample_at = S->probe->sample(S->probe->ctx, S->now, &S->st);
}

/* A quantum's end resumes warps that wait for an atomic, tries what the LSU could not post, and tells slots. */
static uint64_t sm_sleeps_until(const struct sm *S) {
  if (S->failed || S->probe) return 0;
  if (!sm_running(S)) return sm_drained(S) ? NEVER : 0;
  if (S->lsu.count || S->tex.count || S->lsu.landed != NONE32 || cache_must_flush(S)) return 0;
#define LOOKS(slot) \
  if (S->chosen.slot->quantum) return 0;
  EACH_SLOT(LOOKS)
  for (unsigned s = 0; s < S->nsched; s++)
    if (S->sched[s].atomic) return 0;
  const uint64_t idle = S->last_issue + (uint64_t)S->cfg->sim_deadlock;
  const uint64_t most = S->now + (uint64_t)S->cfg->sim_max_cycles - S->st.cycles;
  return u64_min(S->asleep, u64_min(idle, most));
}

void sm_report(const struct sm *S, struct sm_report *r) {
  r->asleep = sm_sleeps_until(S);
  r->room = sm_cta_room(S);
  r->held = S->ncta;
  r->failed = S->failed;
}

void sm_wake(struct sm *S, uint64_t now) {
  if (!S->ncta && S->now < now) S->now = S->last_issue = now;
}

static void sm_run_cycles(struct sm *S, uint64_t end) {
  while (S->now < end && sm_running(S) && !S->failed) {
    one_cycle(S);
    if (S->probe && S->now >= S->sample_at) sm_sample(S);
    if (!sm_running(S)) { /* the last CTA ended in this cycle */
      S->ctas_end = ++S->now;
      break;
    }
    S->asleep = next_active(S);
    uint64_t to = u64_min(S->asleep, end), n = to - S->now - 1;
    if (n) {
      S->now = to - 1;
      /* the stalls of this cycle hold for each cycle that is jumped over */
      commit_skip(S, n);
#define SKIP(slot) slot##_skip(S, n);
      EACH_SLOT(SKIP)
    }
    S->now++;
  }
}

void sm_catch_up(struct sm *S, uint64_t now) {
  S->nreply = S->ireply = 0;
  sm_run_cycles(S, now);
  sm_wake(S, now);
}

void sm_run(struct sm *S, uint64_t end) {
  S->asleep = 0;
  S->reply = mem_replies(S->mem, S->id, &S->nreply);
  S->ireply = 0;
  sm_run_cycles(S, end);
  /* A launch that ended within the quantum leaves replies (of instruction lines) behind: they still fill the caches. */
  while (S->ireply < S->nreply && !S->failed) lsu_reply(S, &S->reply[S->ireply++]);
  if (!sm_running(S)) S->now = S->last_issue = end;
  /* A slot may wait for a credit, and when one comes is not known before the memory's quantum. */
  if (!mem_can_post(S->mem, S->id, S->now)) S->asleep = 0;
}
