/* SPDX-License-Identifier: Apache-2.0 */
/*
 * two_level: only the active warps (sm.active_warps of the SM, the same part in each scheduler) issue, round robin (Gebhart et al., ISCA
 * 2011, as the LTRF paper uses it). A warp that waits at a barrier, for an atomic that has issued, or for memory (sm.demote: for L2 or
 * beyond alone, or for any access) leaves the active set, and another that does not wait comes in. With sm.demote=strand a warp
 * leaves, too, when it has issued the last instruction of a strand (MICRO 2011; docs/reference/intervals.md).
 *
 * sm.promote=turn: it leaves at once; the next one in turn comes. oldest: it leaves when another one can come in its place, the oldest
 * that neither waits nor has a pending write. Warps that left because of an mbarrier's test come behind all others, in the order in
 * which they left: by age those that test in a loop would keep out the younger warp that they wait for.
 *
 * The storage's hook `warp` is called for both. While it moves the registers of a leaving warp (MOVE_PENDING: its gate
 * is closed), the warp keeps its place in the set and issues nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/interval.h"
#include "sm/slot_api.h"

enum { REGISTERS = 256 }; /* of a strand, at most: any number */

struct two_level {
  uint64_t active[SCHED_MAX], leaving[SCHED_MAX]; /* leaving: active still, until the storage's gate is open */
  uint64_t here[SCHED_MAX];                       /* of CTAs that may issue */
  uint64_t waited[SCHED_MAX];                     /* at the last CONTROL */
  uint64_t ends[SCHED_MAX];                       /* have issued the last instruction of a strand in this cycle */
  uint64_t ready[SCHED_MAX];                      /* of this cycle */
  /* sm.promote=oldest: when it left because of an mbarrier's test, counted from 1; 0: it did not. Back to 0 when it comes in again. */
  uint64_t tested[SCHED_MAX][64];
  uint64_t tests;   /* the last such number */
  uint64_t issues;  /* schedulers that have issued in this cycle */
  unsigned pending; /* schedulers that have not, but could have with a warp that is not active */
  uint32_t *strand; /* sm.demote=strand: of each instruction */
  uint8_t next[SCHED_MAX];
  unsigned most;
  bool oldest;
};

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct two_level *t = xcalloc(1, sizeof *t);
  t->most = (unsigned)sm_view(S)->cfg->sm_active_warps / sm_view(S)->nsched;
  if (!t->most) t->most = 1;
  t->oldest = sm_view(S)->cfg->sm_promote == sm_promote_oldest;
  if (sm_view(S)->cfg->sm_demote != sm_demote_memory) scheduler_keep_far(S);
  choice_set(S, SLOT_SCHEDULER, t);
  return true;
}

static void done(struct sm *S) {
  struct two_level *t = choice_of(S, SLOT_SCHEDULER);
  if (t) free(t->strand);
  free(t);
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct two_level *t = choice_of(S, SLOT_SCHEDULER);
  struct intervals v;
  if (sm_view(S)->cfg->sm_demote != sm_demote_strand) return true;
  if (!code_strands(k->code, STRAND_USE, REGISTERS, &v, e)) return false;
  free(t->strand);
  t->strand = xmalloc((k->code->n + 1) * sizeof *t->strand);
  memcpy(t->strand, v.at, k->code->n * sizeof *t->strand);
  intervals_clear(&v);
  return true;
}

static struct pick pick(struct sm *S, unsigned s, uint64_t ready) {
  struct two_level *t = choice_of(S, SLOT_SCHEDULER);
  t->ready[s] |= ready;
  ready &= t->active[s] & ~t->leaving[s];
  if (!ready) return (struct pick){PICK_NONE, ANY_UNIT};
  return (struct pick){bit_from64(ready, (scheduler_view(S, s)->last + 1) % 64), ANY_UNIT};
}

static void issued(struct sm *S, unsigned s, unsigned bit) {
  struct two_level *t = choice_of(S, SLOT_SCHEDULER);
  t->issues |= 1ull << s;
  if (!t->strand) return;
  const struct warp_inst *inst = warp_issued(S, warp_of(S, s, bit));
  if (!(inst->flags & W_EXIT) && t->strand[inst->op] != t->strand[inst->next]) t->ends[s] |= 1ull << bit;
}

static void warp(struct sm *S, unsigned w, enum warp_event ev) {
  struct two_level *t = choice_of(S, SLOT_SCHEDULER);
  const uint64_t bit = 1ull << w / sm_view(S)->nsched;
  const unsigned s = w % sm_view(S)->nsched;
  if (ev == WEV_IN) t->here[s] |= bit;
  if (ev != WEV_OUT) return;
  t->here[s] &= ~bit;
  if (sm_view(S)->chosen.storage->warp && (scheduler_view(S, s)->live & bit))
    return; /* CONTROL takes it out, by the storage's hook */
  t->active[s] &= ~bit;
  t->leaving[s] &= ~bit;
}

/* These go out of the active set, now or when their registers have. */
static void two_level_demote(struct sm *S, struct two_level *t, unsigned s, uint64_t out) {
  for (out &= t->active[s] & ~t->leaving[s]; out; out &= out - 1) {
    uint64_t bit = out & -out;
    const unsigned n = (unsigned)bit_low64(out);
    const bool ended = !(scheduler_view(S, s)->live & bit); /* the next warp at its place has not tested */
    t->tested[s][n] = !ended && warp_view(S, warp_of(S, s, n))->pwrfar ? ++t->tests : 0;
    if (sm_view(S)->laws && !ended) law_own(S, LAW_ACTIVE, warp_of(S, s, n), WARP_OUT);
    if (storage_warp(S, warp_of(S, s, n), WARP_OUT) == MOVE_PENDING) t->leaving[s] |= bit;
    else t->active[s] &= ~bit;
  }
}

static void two_level_promote(struct sm *S, struct two_level *t, unsigned s, unsigned bit) {
  t->active[s] |= 1ull << bit;
  t->tested[s][bit] = 0;
  if (sm_view(S)->laws) law_own(S, LAW_ACTIVE, warp_of(S, s, bit), WARP_IN);
  storage_warp(S, warp_of(S, s, bit), WARP_IN);
}

/* Warps that wait leave; others come in turn while places are free. */
static void two_level_refill_in_turn(struct sm *S, struct two_level *t, unsigned s, uint64_t waits) {
  two_level_demote(S, t, s, waits);
  uint64_t pending = ~waits & ~t->active[s];
  while (pending && (unsigned)bit_count64(t->active[s]) < t->most) {
    int bit = bit_from64(pending, t->next[s]);
    t->next[s] = (uint8_t)((bit + 1) % 64);
    two_level_promote(S, t, s, (unsigned)bit);
    pending &= ~(1ull << bit);
  }
}

static bool writes_pending(const struct sm *S, unsigned w) {
  const struct warp_view *W = warp_view(S, w);
  return (W->wr[0] | W->wr[1] | W->wr[2] | W->wr[3] | W->pwr) != 0;
}

/* The first to come of these warps without a pending write; -1: there is none. */
static int two_level_oldest(const struct sm *S, const struct two_level *t, unsigned s, uint64_t of) {
  int best = -1;
  for (uint64_t m = of; m; m &= m - 1) {
    const unsigned bit = (unsigned)bit_low64(m);
    if (best >= 0) {
      const uint64_t mine = t->tested[s][bit], other = t->tested[s][best];
      if (mine > other || (mine == other && !(scheduler_view(S, s)->older[best] >> bit & 1))) continue;
    }
    if (!writes_pending(S, warp_of(S, s, bit))) best = (int)bit;
  }
  return best;
}

/* Warps that have ended leave at once, one that waits for each that can come in its place; places that are free are filled. */
static void two_level_refill_by_age(struct sm *S, struct two_level *t, unsigned s, uint64_t waits) {
  const uint64_t live = scheduler_view(S, s)->live;
  two_level_demote(S, t, s, ~live);
  uint64_t pending = ~waits & ~t->active[s], out = waits & live & t->active[s] & ~t->leaving[s];
  unsigned places = t->most - (unsigned)bit_count64(t->active[s]), coming = (unsigned)bit_count64(t->leaving[s]);
  while (pending && (places || out)) {
    const int bit = two_level_oldest(S, t, s, pending);
    if (bit < 0) return;
    pending &= ~(1ull << bit);
    if (coming) { /* one of those that leave already makes room for it */
      coming--;
      continue;
    }
    if (!places) {
      two_level_demote(S, t, s, out & -out);
      out &= out - 1;
      places = t->most - (unsigned)bit_count64(t->active[s]);
      if (!places) continue; /* its registers leave first */
    }
    two_level_promote(S, t, s, (unsigned)bit);
    places--;
  }
}

/* Not the residency's gate: it is also closed while the residency looks at a CTA that it then leaves as it is. */
static uint64_t two_level_waiting(const struct sm *S, const struct two_level *t, unsigned s) {
  const struct scheduler_view *sc = scheduler_view(S, s);
  const uint64_t memory = sm_view(S)->far_kept ? sc->depfar : sc->depmem;
  return memory | sc->barrier | (sc->atomic & ~sc->head) | ~sc->live | ~t->here[s];
}

/* The Malekeh paper's second state of a two-level scheduler (section VI-A): nothing issues, and a warp in the pending set could. */
static unsigned count_pending(const struct sm *S, const struct two_level *t) {
  unsigned n = 0;
  for (unsigned s = 0; s < sm_view(S)->nsched; s++) n += !(t->issues >> s & 1) && t->ready[s] & ~t->active[s];
  return n;
}

static void control(struct sm *S) {
  struct two_level *t = choice_of(S, SLOT_SCHEDULER);
  t->pending = count_pending(S, t);
  sm_counters(S)->slot_pending += t->pending;
  t->issues = 0;
  for (unsigned s = 0; s < sm_view(S)->nsched; s++) {
    const struct scheduler_view *sc = scheduler_view(S, s);
    const uint64_t was = t->active[s], waits = t->waited[s] = two_level_waiting(S, t, s);
    const uint64_t left = t->leaving[s] & ~sc->gate[SLOT_STORAGE];
    t->leaving[s] &= ~left;
    t->active[s] &= ~left;
    if (t->oldest) two_level_refill_by_age(S, t, s, waits | t->ends[s]);
    else two_level_refill_in_turn(S, t, s, waits | t->ends[s]);
    t->ends[s] = t->ready[s] = 0;
    if (t->active[s] != was) sm_keep_awake(S);
  }
}

/* A residency suspends and resumes CTAs after CONTROL. */
static uint64_t idle(struct sm *S) {
  const struct two_level *t = choice_of(S, SLOT_SCHEDULER);
  for (unsigned s = 0; s < sm_view(S)->nsched; s++)
    if (two_level_waiting(S, t, s) != t->waited[s]) return 0;
  return NEVER;
}

static void skip(struct sm *S, uint64_t n) {
  const struct two_level *t = choice_of(S, SLOT_SCHEDULER);
  sm_counters(S)->slot_pending += n * t->pending;
}

const struct scheduler_ops scheduler_two_level = {.name = "two_level",
                                                  .init = init,
                                                  .done = done,
                                                  .plan = plan,
                                                  .pick = pick,
                                                  .issued = issued,
                                                  .warp = warp,
                                                  .control = control,
                                                  .idle = idle,
                                                  .skip = skip};
