/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cta: launch of CTAs into free slots, barriers in the SM's own time, the end of warps and CTAs, and the events that
 * a residency receives: a CTA is STALLED when every unfinished warp waits for a memory load, an atomic, at a barrier
 * or for registers (behind the storage's gate), at least one of them for L2 or beyond or for registers, and all its
 * instructions in flight are `away`, so that its registers may move; READY when that is over; ENDED.
 */
#include <stdlib.h>

#include "sm/phases.h"

void occupancy_note(struct sm *S) {
  uint64_t n = S->now - S->occ_since;
  S->st.cta_cycles += n * S->ncta;
  S->st.active_cycles += n * S->nactive;
  S->st.warp_cycles += n * S->resident_warps;
  S->occ_since = S->now;
}

void cta_inside(struct sm *S, unsigned w, int more) {
  struct cta *C = &S->cta[S->warp[w].cta];
  C->inside = (uint16_t)(C->inside + more);
  if (!C->inside && S->slots.residency->cta) cta_touch(S, w);
}

void cta_rf_slot(struct sm *S, unsigned c, unsigned rf_slot) {
  for (unsigned i = 0; i < S->wpc; i++) {
    struct warp *W = &S->warp[S->cta[c].slot[i]];
    W->rf_slot = rf_slot * S->wpc + i;
    W->row = W->rf_slot * S->warp_regs;
  }
}

int cta_lowest(struct sm *S, unsigned *rf_slot) {
  if (!S->source->ready || S->ncta == S->cta_limit) return -1;
  unsigned c = 0;
  while (S->cta[c].used) c++;
  *rf_slot = c;
  return (int)c;
}

void cta_gate(struct sm *S, unsigned c, bool shut) {
  for (unsigned i = 0; i < S->wpc; i++) {
    const unsigned w = S->cta[c].slot[i];
    const struct scheduler *sc = &S->sched[w % S->nsched];
    if ((sc->gate[SLOT_RESIDENCY] >> w / S->nsched & 1) == shut) continue;
    if (shut) gate_close(S, SLOT_RESIDENCY, w);
    else gate_open(S, SLOT_RESIDENCY, w);
    if (sc->live >> w / S->nsched & 1) scheduler_warp(S, w, shut ? WEV_OUT : WEV_IN);
  }
}

unsigned cta_younger(const struct sm *S, int64_t order) {
  unsigned best = CTA_MAX;
  for (unsigned c = 0; c < S->cta_limit; c++) {
    if (!S->cta[c].used || S->cta[c].order <= order) continue;
    if (best == CTA_MAX || S->cta[c].order < S->cta[best].order) best = c;
  }
  return best;
}

void cta_touch(struct sm *S, unsigned w) {
  if (!S->slots.residency->cta && !S->probe) return;
  S->cta[S->warp[w].cta].dirty = true;
  S->cta_dirty = true;
}

static void cta_tell_probe(struct sm *S, unsigned c, enum probe_cta what) {
  if (S->probe) S->probe->cta(S->probe->ctx, S->now, c, what, S->cta[c].slot, S->cta[c].warps);
}

/* The SM's sides of laws (laws.h). */
static void law_begun(struct sm *S, unsigned c) {
  S->laws->began = S->now;
  law_own(S, LAW_BEGUN, c, S->now);
  for (unsigned i = 0; i < S->wpc; i++) {
    law_own(S, LAW_WARPS, S->cta[c].slot[i], 0);
    S->laws->next[S->cta[c].slot[i]] = 0;
  }
}

static void law_ended(struct sm *S, unsigned c) {
  law_own(S, LAW_ENDED, c, 0);
  for (unsigned i = 0; i < S->wpc; i++)
    law_event(S, &(struct law_event){.kind = LAW_WARP_ENDED, .id = S->cta[c].slot[i]});
}

static void launch_one(struct sm *S, unsigned c, unsigned rf_slot) {
  struct cta *C = &S->cta[c];
  occupancy_note(S);
  *C = (struct cta){.used = true,
                    .warps = (uint16_t)S->wpc,
                    .live = (uint16_t)S->wpc,
                    .index = S->source->take(S->source),
                    .order = S->next_cta++};
  for (unsigned b = 0; b < 16; b++) C->bar[b].red = NONE32;
  for (unsigned i = 0; i < S->wpc; i++) {
    unsigned w = c * S->wpc + i;
    C->slot[i] = (uint16_t)w;
    struct warp *W = &S->warp[w];
    *W = (struct warp){
        .cta = (uint16_t)c, .scheduler = (uint8_t)(w % S->nsched), .bit = (uint8_t)(w / S->nsched), .cls = CLS_CTRL};
    struct scheduler *sc = &S->sched[W->scheduler];
    uint64_t bit = 1ull << W->bit;
    sc->older[W->bit] = sc->resident;
    sc->resident |= bit;
    sc->live |= bit;
    sc->stop &= ~bit;
    sc->full &= ~bit;
    sc->dep &= ~bit;
    sc->depmem &= ~bit;
    sc->depfar &= ~bit;
    sc->test &= ~bit;
    for (int k = 0; k < CLS_COUNT; k++) sc->of[k] &= ~bit;
    sc->of[W->cls] |= bit;
    sc->blocked &= ~bit;
  }
  cta_rf_slot(S, c, rf_slot);
  for (unsigned i = 0; i < S->wpc; i++) {
    scheduler_warp(S, C->slot[i], WEV_IN);
    storage_warp(S, C->slot[i], WARP_BEGIN);
  }
  S->ncta++;
  S->nactive++;
  S->resident_warps += S->wpc;
  S->st.ctas++;
  S->st.warps += S->wpc;
  if (S->check) check_cta(S, c);
  if (S->laws) law_begun(S, c);
  S->stream->ops->cta_begin(S->stream, c, C->index, C->slot);
  cta_tell_probe(S, c, PROBE_CTA_BEGIN);
  S->busy = true;
}

static void end_one(struct sm *S, unsigned c) {
  struct cta *C = &S->cta[c];
  occupancy_note(S);
  if (S->laws) law_ended(S, c);
  residency_cta(S, c, CTA_ENDED);
  cta_tell_probe(S, c, PROBE_CTA_END);
  for (unsigned i = 0; i < C->warps; i++) {
    unsigned w = C->slot[i];
    struct warp *W = &S->warp[w];
    struct scheduler *sc = &S->sched[W->scheduler];
    sc->resident &= ~(1ull << W->bit);
    for (uint64_t x = sc->resident; x; x &= x - 1) sc->older[bit_low64(x)] &= ~(1ull << W->bit);
    scheduler_warp(S, w, WEV_OUT);
    storage_warp(S, w, WARP_END);
    collector_warp(S, w);
  }
  S->stream->ops->cta_end(S->stream, c);
  C->used = false;
  S->ncta--;
  S->nactive--;
  S->resident_warps -= C->warps;
  S->ended_ctas++;
  S->busy = true;
}

void warp_exit(struct sm *S, unsigned w) {
  struct warp *W = &S->warp[w];
  struct cta *C = &S->cta[W->cta];
  S->sched[W->scheduler].live &= ~(1ull << W->bit);
  C->live--;
  C->dirty = true;
  S->cta_dirty = true;
  /* a barrier that counts the whole CTA waits only for warps that have not exited */
  for (unsigned b = 0; b < 16; b++)
    if (C->bar[b].waiting) barrier_arrive(S, w, NULL, b);
  cta_inflight_done(S, w);
}

void cta_inflight_done(struct sm *S, unsigned w) {
  struct cta *C = &S->cta[S->warp[w].cta];
  if (S->warp[w].inflight_count || C->live) return;
  for (unsigned i = 0; i < C->warps; i++)
    if (S->warp[C->slot[i]].inflight_count) return;
  C->dirty = true;
  S->cta_dirty = true;
}

/* A warp arrives (inst), or a warp has exited (inst NULL: `arg` is the barrier to check). */
void barrier_arrive(struct sm *S, unsigned w, const struct warp_inst *inst, uint32_t arg) {
  struct warp *W = &S->warp[w];
  unsigned c = W->cta;
  struct cta *C = &S->cta[c];
  unsigned id = inst ? inst->mem & 15 : arg;
  if (inst) {
    C->bar[id].arrived++;
    C->bar[id].threads = inst->mem >> 16 & 0x7fff;
    if (arg != NONE32) {
      S->inflight[arg].next = C->bar[id].red;
      C->bar[id].red = arg;
    }
    if (!(inst->mem >> 31)) {
      C->bar[id].waiting++;
      S->sched[W->scheduler].barrier |= 1ull << W->bit;
      W->stop = STOP_BARRIER;
      W->barrier = (uint8_t)id;
      cta_touch(S, w);
    } else {
      event_at(S, S->now + S->lat_ctrl - 1, EV_FETCH, w);
    }
  }
  bool open = C->bar[id].arrived >= C->live || (C->bar[id].threads && C->bar[id].arrived * 32u >= C->bar[id].threads);
  if (!open || !C->bar[id].arrived) return;
  S->st.barriers++;
  for (unsigned i = 0; i < C->warps; i++) {
    struct warp *V = &S->warp[C->slot[i]];
    if (V->stop == STOP_BARRIER && V->barrier == id && (S->sched[V->scheduler].barrier >> V->bit & 1))
      event_at(S, S->now + S->lat_ctrl - 1, EV_FETCH, C->slot[i]);
  }
  for (uint32_t f = C->bar[id].red; f != NONE32;) {
    uint32_t next = S->inflight[f].next;
    S->inflight[f].parts = 1;
    event_at(S, S->now + 1, EV_PART, f);
    f = next;
  }
  C->bar[id].red = NONE32;
  C->bar[id].arrived = C->bar[id].waiting = 0;
  C->bar[id].threads = 0;
}

static bool cta_has_ended(const struct sm *S, const struct cta *C) {
  if (C->live) return false;
  for (unsigned i = 0; i < C->warps; i++)
    if (S->warp[C->slot[i]].inflight_count) return false;
  return true;
}

static void stall_edge(struct sm *S, unsigned c) {
  struct cta *C = &S->cta[c];
  bool all = C->live && !C->inside, memory = false, taken = false;
  for (unsigned i = 0; all && i < C->warps; i++) {
    const struct warp *W = &S->warp[C->slot[i]];
    const struct scheduler *sc = &S->sched[W->scheduler];
    if (!(sc->live >> W->bit & 1)) continue;
    bool mem = (sc->depmem >> W->bit & 1) || (!W->icount && (sc->atomic >> W->bit & 1));
    bool shut = sc->gate[SLOT_STORAGE] >> W->bit & 1;
    memory |= mem;
    taken |= shut;
    all = mem || shut || (sc->barrier >> W->bit & 1);
  }
  bool stalled = all && (taken || (memory && (C->far || C->stalled)));
  if (stalled == C->stalled) return;
  C->stalled = stalled;
  residency_cta(S, c, stalled ? CTA_STALLED : CTA_READY);
}

/* Memory blocks the warp: an access waits for an MSHR or the interconnect, the LSU is full behind it, and the warp's
 * head is a memory instruction, or finds every collector unit that it could share with memory instructions taken (by those that wait for the LSU). */
static bool memory_refuses(struct sm *S, const struct warp *W) {
  if (!memory_is_full(S) || !W->icount || W->ibuf[W->ihead].flags & W_PSEUDO) return false;
  const struct op *op = &S->op[W->ibuf[W->ihead].op];
  if (op->cls == CLS_TEX && op->kind && tex_full(S)) return true;
  if (op->cls == CLS_LSU && op->kind & (K_LOAD | K_STORE | K_ATOMIC)) return true;
  return !S->reserve && S->units_of[op->cls] & S->units_of[CLS_LSU] && !collector_view(S, W->scheduler)->free;
}

void probe_full(struct sm *S) {
  if (!memory_is_full(S)) return;
  for (unsigned c = 0; c < S->cta_limit; c++)
    if (S->cta[c].used) S->cta[c].dirty = S->cta_dirty = true;
}

/* A CTA that issues is not stalled, even if it is again at the end of this very cycle. */
void probe_issue(struct sm *S, unsigned w, const struct warp_inst *inst, const struct op *op) {
  const struct warp *W = &S->warp[w];
  struct cta *C = &S->cta[W->cta];
  if (C->seen_stalled) {
    C->seen_stalled = false;
    cta_tell_probe(S, W->cta, PROBE_CTA_READY);
  }
  S->probe->issue(S->probe->ctx, S->now, W->cta, inst, op);
  cta_touch(S, w);
  if (!collector_view(S, W->scheduler)->free) probe_full(S);
}

/* The same event for the probe, which tests whether the CTA can issue, not whether its pipelines are empty. */
static void probe_edge(struct sm *S, unsigned c) {
  struct cta *C = &S->cta[c];
  bool all = C->live != 0, memory = false;
  for (unsigned i = 0; all && i < C->warps; i++) {
    const struct warp *W = &S->warp[C->slot[i]];
    const struct scheduler *sc = &S->sched[W->scheduler];
    if (!(sc->live >> W->bit & 1)) continue;
    bool atomic = !W->icount && (sc->atomic >> W->bit & 1);
    bool free = !(sc->dep >> W->bit & 1), mem = atomic || (sc->depmem >> W->bit & 1) || (free && memory_refuses(S, W));
    memory |= mem;
    all = mem || (sc->barrier >> W->bit & 1);
  }
  if ((all && memory) == C->seen_stalled) return;
  C->seen_stalled = !C->seen_stalled;
  cta_tell_probe(S, c, C->seen_stalled ? PROBE_CTA_STALLED : PROBE_CTA_READY);
}

void control_phase(struct sm *S) {
  if (S->cta_dirty) {
    S->cta_dirty = false;
    for (unsigned c = 0; c < S->cta_limit; c++) {
      struct cta *C = &S->cta[c];
      if (!C->used || !C->dirty) continue;
      C->dirty = false;
      if (cta_has_ended(S, C)) {
        end_one(S, c);
        continue;
      }
      if (S->slots.residency->cta) stall_edge(S, c);
      if (S->probe) probe_edge(S, c);
    }
  }
  /* one CTA a cycle */
  unsigned rf_slot;
  int c = residency_launch(S, &rf_slot);
  if (c >= 0) launch_one(S, (unsigned)c, rf_slot);
}

/* A free slot is filled in the same cycle, or when the residency decides. */
uint64_t cta_idle_until(const struct sm *S) { return S->cta_dirty ? 0 : NEVER; }
