/* SPDX-License-Identifier: Apache-2.0 */
/*
 * issue: each scheduler picks one ready warp and hands the instruction at its head to the collector; control
 * instructions execute at once. Each issue slot is counted: as issued, or by the stall reason of the least blocked
 * warp.
 */
#include "sm/phases.h"

static uint64_t issue_gated(const struct scheduler *sc) {
  uint64_t g = 0;
  for (int s = 0; s < SLOT_COUNT; s++) g |= sc->gate[s];
  return g;
}

/* The head has issued: remove it from the buffer, check the next one. */
static void issue_pop(struct sm *S, struct warp *W, unsigned w) {
  struct scheduler *sc = &S->sched[W->scheduler];
  uint64_t bit = 1ull << W->bit;
  W->ihead = (uint8_t)((W->ihead + 1) & S->ring);
  W->icount--;
  if (W->icount < S->ibuf) sc->full &= ~bit;
  if (!W->icount) {
    sc->head &= ~bit;
    if (sc->atomic & bit) cta_touch(S, w); /* from now on it waits for that */
  }
  scoreboard_check(S, w);
}

/* A control instruction with no register to read needs no collector unit. */
static void issue_control(struct sm *S, unsigned w, const struct warp_inst *inst, const struct op *op) {
  struct warp *W = &S->warp[w];
  if (op->kind & K_BAR) {
    uint32_t f = NONE32;
    if (op->ndst || op->pdst) { /* bar.red: its result is there when the barrier opens */
      f = inflight_new(S, inst);
      S->inflight[f].away = true;
      W->inflight_count++;
      scoreboard_issue(S, w, op, false);
    }
    if (f == NONE32) S->st.retired++;
    if (inst->flags & W_BARRIER) barrier_arrive(S, w, inst, f);
    return;
  }
  S->st.retired++;
  if (op->async && inst->lanes) scoreboard_copy(S, w, op, NULL);
  if (inst->flags & W_EXIT) {
    warp_exit(S, w);
    return;
  }
  if (inst->flags & W_BRANCH) event_at(S, S->now + S->lat_ctrl - 1, EV_FETCH, w);
}

static bool try_issue(struct sm *S, unsigned s, unsigned bit, int unit, enum take *answer) {
  unsigned w = warp_of(S, s, bit);
  struct warp *W = &S->warp[w];
  const struct warp_inst *inst = &W->ibuf[W->ihead];
  const struct op *op = &S->op[inst->op];
  struct warp_inst copy = *inst;
  *answer = TAKE_TAKEN;
  if (copy.flags & W_PSEUDO) {
    if (S->laws) law_issue(S, w, &copy, NONE32);
    storage_issue(S, w, &copy);
    S->st.pseudo_insns++;
    issue_pop(S, W, w);
    return true;
  }
  if (op->cls == CLS_CTRL) {
    issue_control(S, w, &copy, op);
  } else {
    /* The record is made first so that the collector can refer to it; it is freed if the unit is refused. */
    uint32_t f = inflight_new(S, &copy);
    *answer = collector_take(S, s, w, &copy, unit, f);
    if (*answer != TAKE_TAKEN) {
      inflight_free(S, f);
      return false;
    }
    if (S->reserve) unit_reserve(S, &S->inflight[f]);
    const bool access = op_access(op), mem = access && (op->kind & (K_LOAD | K_ATOMIC));
    W->inflight_count++;
    if (access) W->inflight_mem++;
    cta_inside(S, w, 1);
    if (op->async) scoreboard_copy(S, w, op, &S->inflight[f]);
    scoreboard_issue(S, w, op, mem);
    if (S->laws) law_issue(S, w, &copy, f);
  }
  if (S->laws && op->cls == CLS_CTRL) law_issue(S, w, &copy, NONE32);
  storage_issue(S, w, &copy);
  l1_issue(S, w, &copy);
  if (S->probe) probe_issue(S, w, &copy, op);
  S->st.warp_insns++;
  S->st.thread_insns += (unsigned)bit_count32(copy.lanes);
  S->st.tensor_insns += op->cls == CLS_TENSOR;
  S->st.tex_insns += op->cls == CLS_TEX;
  S->sched[s].last = (uint8_t)bit;
  issue_pop(S, W, w);
  scheduler_issued(S, s, bit);
  return true;
}

/* The stall reason of a scheduler that issued nothing: that of its least blocked warp. */
static uint64_t *stall_of(struct sm *S, const struct scheduler *sc) {
  struct sm_stats *st = &S->st;
  uint64_t gates = issue_gated(sc), free = sc->head & ~sc->dep;
  if (free & ~gates) return sc->inactive ? &st->slot_inactive : &st->slot_collector;
  if (free) return &st->slot_gate;
  uint64_t here = ~sc->gate[SLOT_RESIDENCY]; /* a suspended warp has only one reason: that it is suspended */
  if (sc->dep & sc->head & ~sc->depmem & here) return &st->slot_alu;
  uint64_t waiting = sc->head | sc->barrier | sc->atomic;
  if (sc->live & ~waiting & here) return &st->slot_fetch;
  if (sc->live & ~waiting) return &st->slot_gate;
  if (sc->depmem) return &st->slot_memory;
  if (sc->atomic) return &st->slot_atomic;
  if (sc->barrier) return &st->slot_barrier;
  return &st->slot_empty;
}

static inline uint64_t ready_warps(struct sm *S, unsigned s) {
  const struct scheduler *sc = &S->sched[s];
  const uint64_t ready = sc->head & ~sc->dep & ~issue_gated(sc);
  return S->reserve && ready ? ready & ~units_refuse(S, s, ready) : ready;
}

/* One of these warps issues: TAKEN. NEXT: none could; STOP: nor can another one. *refused: one was picked, but found no unit. */
static inline __attribute__((always_inline)) enum take issue_one_of(struct sm *S, unsigned s, uint64_t ready,
                                                                    bool *refused) {
  while (ready) {
    if (S->laws) {
      S->laws->ready[s] = ready;
      S->laws->control[s] = ready & S->sched[s].of[CLS_CTRL];
    }
    const struct pick p = scheduler_pick(S, s, ready);
    if (p.bit == PICK_NONE) break;
    *refused = true;
    if (p.bit == PICK_STOP) return TAKE_STOP;
    const unsigned cls = S->warp[warp_of(S, s, (unsigned)p.bit)].cls;
    enum take answer = cls == CLS_CTRL ? TAKE_TAKEN : collector_room(S, s, cls, p.unit);
    if (answer == TAKE_TAKEN && try_issue(S, s, (unsigned)p.bit, p.unit, &answer)) return TAKE_TAKEN;
    if (answer == TAKE_STOP) return TAKE_STOP;
    ready &= ~(answer == TAKE_CLASS ? S->sched[s].of[cls] : 1ull << p.bit);
  }
  return TAKE_NEXT;
}

static inline void slot_ends(struct sm *S, struct scheduler *sc, bool issued, bool refused) {
  if (issued) {
    S->st.slot_issued++;
    S->busy = true;
    S->last_issue = S->now;
    return;
  }
  sc->inactive = !refused;
  ++*stall_of(S, sc);
}

/* Of these warps, whose next instruction tests an mbarrier, the one that has tested least recently. */
static unsigned next_test(const struct sm *S, unsigned s, uint64_t of) {
  unsigned best = (unsigned)bit_low64(of);
  for (uint64_t m = of & (of - 1); m; m &= m - 1) {
    const unsigned bit = (unsigned)bit_low64(m);
    const uint64_t mine = S->warp[warp_of(S, s, bit)].tested, other = S->warp[warp_of(S, s, best)].tested;
    if (mine < other || (mine == other && S->sched[s].older[best] >> bit & 1)) best = bit;
  }
  return best;
}

__attribute__((noinline)) static enum take issue_test(struct sm *S, unsigned s, bool *refused) {
  enum take answer = TAKE_NEXT;
  for (uint64_t ready = ready_warps(S, s) & S->sched[s].test; ready && answer == TAKE_NEXT;) {
    const unsigned bit = next_test(S, s, ready);
    answer = issue_one_of(S, s, 1ull << bit, refused);
    if (answer == TAKE_TAKEN) {
      S->warp[warp_of(S, s, bit)].tested = ++S->tests;
      S->test_turn = (s + 1) % S->nsched;
    }
    ready &= ~(1ull << bit);
  }
  return answer;
}

/*
 * Tests of mbarriers come last, the schedulers and their warps taking turns: warps that test in a loop would keep the issue slots and the
 * collector units from the warp that they wait for.
 */
void issue_phase(struct sm *S) {
  unsigned tests = 0, refusing = 0; /* schedulers that come to a test; have refused a warp before */
  for (unsigned s = 0; s < S->nsched; s++) {
    struct scheduler *sc = &S->sched[s];
    const uint64_t ready = ready_warps(S, s);
    bool refused = !ready;
    const enum take answer = issue_one_of(S, s, ready & ~sc->test, &refused);
    if (answer == TAKE_NEXT && ready & sc->test) {
      tests |= 1u << s;
      refusing |= (unsigned)refused << s;
    } else {
      slot_ends(S, sc, answer == TAKE_TAKEN, refused);
    }
  }
  for (unsigned k = 0, first = S->test_turn; tests && k < S->nsched; k++) {
    const unsigned s = (first + k) % S->nsched;
    bool refused = refusing >> s & 1;
    if (!(tests >> s & 1)) continue;
    const enum take answer = issue_test(S, s, &refused);
    slot_ends(S, &S->sched[s], answer == TAKE_TAKEN, refused);
  }
}

/* A warp may be ready and wait for its pipe alone (unit.reserve). */
uint64_t issue_idle_until(const struct sm *S) {
  uint64_t t = NEVER;
  for (unsigned s = 0; S->reserve && s < S->nsched; s++) {
    const struct scheduler *sc = &S->sched[s];
    const struct group *g = &S->group[S->ngroup == 1 ? 0 : s];
    const uint64_t ready = sc->head & ~sc->dep & ~issue_gated(sc);
    for (int c = 0; c < CLS_LSU; c++) {
      if (!(ready & sc->of[c])) continue;
      const enum pipe p = S->pipe_of[c];
      for (unsigned k = 0; k < g->pipes[p]; k++)
        if (g->pipe_next[p][k] > S->now && g->pipe_next[p][k] < t) t = g->pipe_next[p][k];
    }
  }
  return t;
}

/* What is in use at the end of this cycle, for n cycles. */
static void commit_occupancy(struct sm *S, uint64_t n) {
  for (unsigned g = 0; g < S->ngroup; g++)
    S->st.collector_busy += n * (unsigned)bit_count64(S->group[g].all & ~S->group[g].free);
  S->st.l1_mshr_busy += n * S->l1_mshrs;
  S->st.cycles += n;
}

void commit_phase(struct sm *S) {
#define COMMIT(slot) slot##_commit(S);
  EACH_SLOT(COMMIT)
  if (S->laws) laws_cycle(S);
  commit_occupancy(S, 1);
}

void commit_skip(struct sm *S, uint64_t n) {
  for (unsigned s = 0; s < S->nsched; s++) *stall_of(S, &S->sched[s]) += n;
  for (unsigned g = 0; g < S->ngroup; g++) S->st.unit_conflicts += n * (unsigned)bit_count64(S->group[g].full);
  if (lsu_blocked(S)) *lsu_stall(S) += n;
  if (tex_blocked(S)) *tex_stall(S) += n;
  commit_occupancy(S, n);
}
