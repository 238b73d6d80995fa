/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score: the scoreboard. RAW and WAW: an instruction waits while any register it names is still to be written. WAR: a
 * destination waits until every issued reader of it has read its operands (left its collector unit). So do those
 * that lie where it is written (S->overlap); of writers under way op.need has them too.
 * A warp's head is looked at again only when one of its own registers is released or the head changes.
 */
#include "sm/private.h"

static bool op_is_membar(const struct op *op) {
  return op->cls == CLS_CTRL && !op->async && !(op->kind & (K_BAR | K_BRANCH | K_EXIT));
}

/* wait_group n: all but the last n committed groups have landed. wait_all: every copy has. A commit needs a free
 * counter for the group that begins behind it, and so does an arrive for the copies behind it. */
static bool copies_wait(const struct warp *W, const struct op *op) {
  if (!W->copies) return false;
  switch (op->async) {
    case OA_COMMIT: return W->copies_of[(W->groups + 1) % COPY_GROUPS];
    case OA_WAIT_ALL: return true;
    case OA_ARRIVE: return W->arrives - W->arrived == COPY_GROUPS - 1;
    case OA_WAIT:
      for (uint32_t back = op->count + 1u; back <= W->groups && back < COPY_GROUPS; back++)
        if (W->copies_of[(W->groups - back) % COPY_GROUPS]) return true;
      return false;
    default: return false;
  }
}

void scoreboard_copy(struct sm *S, unsigned w, const struct op *op, struct inflight_inst *f) {
  struct warp *W = &S->warp[w];
  if (op->async == OA_COMMIT) W->groups++;
  if (op->async == OA_ARRIVE && f->inst.lanes) {
    W->arrives++;
    scoreboard_landed(S, w);
  }
  if (op->async != OA_COPY) return;
  f->copy_group = (uint8_t)(W->groups % COPY_GROUPS);
  f->copy_arrive = (uint8_t)(W->arrives % COPY_GROUPS);
  W->copies_of[f->copy_group]++;
  W->copies_at[f->copy_arrive]++;
  W->copies++;
}

void scoreboard_landed(struct sm *S, unsigned w) {
  struct warp *W = &S->warp[w];
  for (; W->arrived != W->arrives && !W->copies_at[W->arrived % COPY_GROUPS]; W->arrived++) {
    if (!S->stream->ops->landed || S->stream->ops->landed(S->stream, w) != STREAM_ERROR) continue;
    S->err = S->stream->err;
    sm_failing(S);
    return;
  }
}

/* What the warp's head is, for the masks by class and that of tests. */
static void head_is(struct scheduler *sc, struct warp *W, uint8_t cls, bool test) {
  const uint64_t bit = 1ull << W->bit;
  sc->test = test ? sc->test | bit : sc->test & ~bit;
  if (cls == W->cls) return;
  sc->of[W->cls] ^= bit;
  sc->of[cls] ^= bit;
  W->cls = cls;
}

void scoreboard_check(struct sm *S, unsigned w) {
  struct warp *W = &S->warp[w];
  struct scheduler *sc = &S->sched[W->scheduler];
  uint64_t bit = 1ull << W->bit;
  bool dep = false, mem = false, far = false;
  const struct warp_inst *head = W->icount ? &W->ibuf[W->ihead] : NULL;
  if (head && head->flags & W_PSEUDO) {
    head_is(sc, W, CLS_CTRL, false);
  } else if (head) {
    const struct op *op = &S->op[head->op];
    head_is(sc, W, op->cls, op->async == OA_TEST);
    uint64_t hit = op->pneed & W->pwr;
    for (unsigned k = 0; k < S->words; k++) hit |= op->need[k] & W->wr[k];
    dep = hit != 0;
    if (dep) {
      uint64_t owed = op->pneed & W->pwrmem;
      for (unsigned k = 0; k < S->words; k++) owed |= op->need[k] & W->wrmem[k];
      mem = owed != 0;
      far = op->pneed & W->pwrfar;
      for (unsigned k = 0; S->far_kept && k < S->words; k++) far |= (op->need[k] & W->wrfar[k]) != 0;
    } else {
      const uint8_t *rd = S->readers + (size_t)w * 256;
      for (unsigned k = 0; k < op->ndst; k++) dep |= rd[op->dst[k]] != 0;
      for (unsigned k = 0; S->overlap && k < S->words; k++) dep |= (S->overlap[head->op][k] & W->rd[k]) != 0;
      /* a fence waits until the warp's memory accesses are done, copies apart */
      if (op->cls == CLS_CTRL && W->inflight_mem > W->copies && op_is_membar(op)) dep = mem = far = true;
      if (op->async && head->lanes && copies_wait(W, op)) dep = mem = far = true;
    }
  }
  bool was = sc->depmem & bit;
  if (S->probe && dep != ((sc->dep & bit) != 0)) cta_touch(S, w);
  sc->dep = dep ? sc->dep | bit : sc->dep & ~bit;
  sc->depmem = mem ? sc->depmem | bit : sc->depmem & ~bit;
  sc->depfar = far ? sc->depfar | bit : sc->depfar & ~bit;
  if (was != mem) cta_touch(S, w);
  warp_told(S, w);
  if (head && head->flags & W_PSEUDO) storage_head(S, w, head);
}

void scoreboard_far(struct sm *S, const struct inflight_inst *f) {
  const unsigned w = f->inst.warp;
  for (unsigned k = 0; k < f->op->ndst; k++) set_add(S->warp[w].wrfar, f->op->dst[k]);
  if (S->sched[S->warp[w].scheduler].dep >> S->warp[w].bit & 1) scoreboard_check(S, w);
}

void warp_told(struct sm *S, unsigned w) {
  struct scheduler *sc = &S->sched[S->warp[w].scheduler];
  const uint64_t bit = 1ull << S->warp[w].bit, now = sc->depmem | sc->barrier | (sc->atomic & ~sc->head);
  if (!((now ^ sc->blocked) & bit)) return;
  sc->blocked ^= bit;
  scheduler_warp(S, w, now & bit ? WEV_BLOCKED : WEV_READY);
}

void scoreboard_issue(struct sm *S, unsigned w, const struct op *op, bool owed_by_memory) {
  struct warp *W = &S->warp[w];
  uint8_t *rd = S->readers + (size_t)w * 256;
  for (unsigned k = 0; k < op->nsrc; k++) {
    rd[op->src[k]]++;
    if (S->overlap) set_add(W->rd, op->src[k]);
  }
  for (unsigned k = 0; k < op->ndst; k++) {
    set_add(W->wr, op->dst[k]);
    if (owed_by_memory) set_add(W->wrmem, op->dst[k]);
  }
  W->pwr |= op->pdst;
  if (owed_by_memory) W->pwrmem |= op->pdst;
  if (op->async == OA_TEST) W->pwrfar |= op->pdst;
}

void scoreboard_read(struct sm *S, unsigned w, const struct op *op) {
  uint8_t *rd = S->readers + (size_t)w * 256;
  for (unsigned k = 0; k < op->nsrc; k++)
    if (!--rd[op->src[k]] && S->overlap) set_del(S->warp[w].rd, op->src[k]);
  if (op->nsrc && S->sched[S->warp[w].scheduler].dep >> S->warp[w].bit & 1) scoreboard_check(S, w);
}

void scoreboard_drop(struct sm *S, unsigned w, unsigned reg) {
  struct warp *W = &S->warp[w];
  set_del(W->wr, reg);
  set_del(W->wrmem, reg);
  if (S->far_kept) set_del(W->wrfar, reg);
  if (S->sched[W->scheduler].dep >> W->bit & 1) scoreboard_check(S, w);
}

void scoreboard_done(struct sm *S, unsigned w, const struct op *op, unsigned dropped) {
  struct warp *W = &S->warp[w];
  for (unsigned k = 0; k < op->ndst; k++) {
    if (dropped >> k & 1) continue; /* a later instruction may have reserved that register again */
    set_del(W->wr, op->dst[k]);
    set_del(W->wrmem, op->dst[k]);
    if (S->far_kept) set_del(W->wrfar, op->dst[k]);
  }
  W->pwr &= (uint16_t)~op->pdst;
  W->pwrmem &= (uint16_t)~op->pdst;
  W->pwrfar &= (uint16_t)~op->pdst;
  if (S->sched[W->scheduler].dep >> W->bit & 1) scoreboard_check(S, w);
}
