/* SPDX-License-Identifier: Apache-2.0 */
/*
 * two_level: only the active warps (sm.active_warps of the SM, the same part in each scheduler) issue, round robin. A warp
 * that waits for memory or at a barrier leaves the active set; the next one in turn that does not wait comes in (Gebhart et
 * al., ISCA 2011, as the LTRF paper uses it).
 *
 * The storage's hook `warp` is called for both. While it moves the registers of a leaving warp (MOVE_PENDING: its gate
 * is closed), the warp keeps its place in the set.
 */
#include <stdlib.h>

#include "sm/state.h"

struct two_level {
  uint64_t active[SCHED_MAX], leaving[SCHED_MAX]; /* leaving: active still, until the storage's gate is open */
  uint8_t next[SCHED_MAX];
  unsigned most;
};

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct two_level *t = xcalloc(1, sizeof *t);
  t->most = (unsigned)S->cfg->sm_active_warps / S->nsched;
  if (!t->most) t->most = 1;
  S->choice[SLOT_SCHEDULER] = t;
  return true;
}

static void done(struct sm *S) { free(S->choice[SLOT_SCHEDULER]); }

static struct pick pick(struct sm *S, unsigned s, uint64_t ready) {
  struct two_level *t = S->choice[SLOT_SCHEDULER];
  ready &= t->active[s];
  if (!ready) return (struct pick){-1, ANY_UNIT};
  return (struct pick){bit_from64(ready, (S->sched[s].last + 1) % 64), ANY_UNIT};
}

static void warp(struct sm *S, unsigned w, enum warp_event ev) {
  struct two_level *t = S->choice[SLOT_SCHEDULER];
  if (ev != WEV_OUT) return;
  t->active[w % S->nsched] &= ~(1ull << w / S->nsched);
  t->leaving[w % S->nsched] &= ~(1ull << w / S->nsched);
}

/* These go out of the active set, now or when their registers have. */
static void demote(struct sm *S, struct two_level *t, unsigned s, uint64_t out) {
  uint64_t left = t->leaving[s] & ~S->sched[s].gate[SLOT_STORAGE];
  t->leaving[s] &= ~left;
  t->active[s] &= ~left;
  for (out &= t->active[s] & ~t->leaving[s]; out; out &= out - 1) {
    uint64_t bit = out & -out;
    if (storage_warp(S, warp_of(S, s, (unsigned)bit_low64(out)), WARP_OUT) == MOVE_PENDING) t->leaving[s] |= bit;
    else t->active[s] &= ~bit;
  }
}

static void control(struct sm *S) {
  struct two_level *t = S->choice[SLOT_SCHEDULER];
  for (unsigned s = 0; s < S->nsched; s++) {
    const struct scheduler *sc = &S->sched[s];
    uint64_t waits = sc->depmem | sc->barrier | sc->atomic | ~sc->live | sc->gate[SLOT_RESIDENCY], was = t->active[s];
    demote(S, t, s, waits);
    uint64_t pending = ~waits & ~t->active[s];
    while (pending && (unsigned)bit_count64(t->active[s]) < t->most) {
      int bit = bit_from64(pending, t->next[s]);
      t->next[s] = (uint8_t)((bit + 1) % 64);
      t->active[s] |= 1ull << bit;
      storage_warp(S, warp_of(S, s, (unsigned)bit), WARP_IN);
      pending &= ~(1ull << bit);
    }
    if (t->active[s] != was) S->busy = true;
  }
}

const struct scheduler_ops scheduler_two_level = {
    .name = "two_level", .init = init, .done = done, .pick = pick, .warp = warp, .control = control};
