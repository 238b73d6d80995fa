/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_units: execution units between collector and register file. Full collector units go to a free pipe of their
 * class; finished results wait in one queue per group for the write ports of their banks.
 *
 * Times: issue in t, operands read in t+1 at the earliest, dispatch in t+2, result in t+latency: a dependent
 * instruction issues latency cycles after the one it depends on.
 */
#include "sm/phases.h"

enum { ISSUE_TO_DISPATCH = 2 };

/* Cycles after which the pipe takes the next instruction. */
static unsigned op_pipe_cycles(const struct sm *S, const struct op *op) {
  return op->cls == CLS_TENSOR ? op->intervals * S->tensor_interval[op->rate] : S->interval[op->cls];
}

/* ---- unit.reserve: the pipe, or the place in the LSU's queue, is taken at issue ---- */

/* A pipe of the group to which one may issue in this cycle, or the number of them. */
static unsigned pipe_open(const struct sm *S, const struct group *g, enum pipe p) {
  unsigned k = 0;
  while (k < g->pipes[p] && g->pipe_next[p][k] > S->now) k++;
  return k;
}

uint64_t units_refuse(const struct sm *S, unsigned sc, uint64_t ready) {
  const struct group *g = &S->group[S->ngroup == 1 ? 0 : sc];
  const uint64_t *of = S->sched[sc].of;
  uint64_t no = g->lsu_held >= g->lsu_room ? of[CLS_LSU] : 0;
  if (g->tex_held >= g->tex_room) no |= of[CLS_TEX];
  for (int c = 0; c < CLS_LSU; c++)
    if (ready & of[c] && pipe_open(S, g, S->pipe_of[c]) == g->pipes[S->pipe_of[c]]) no |= of[c];
  return no;
}

void unit_reserve(struct sm *S, struct inflight_inst *f) {
  struct group *g = &S->group[f->group];
  if (f->op->cls == CLS_LSU) {
    g->lsu_held++;
    return;
  }
  if (f->op->cls == CLS_TEX) {
    g->tex_held++;
    return;
  }
  const enum pipe p = S->pipe_of[f->op->cls];
  f->pipe = (uint8_t)pipe_open(S, g, p);
  g->pipe_next[p][f->pipe] = S->now + op_pipe_cycles(S, f->op);
}

/* It was late by operands or converter: the next one issues later, too. */
static void reserved_late(struct group *g, enum pipe p, unsigned k) {
  const uint64_t from = g->pipe_free[p][k] - ISSUE_TO_DISPATCH;
  if (g->pipe_next[p][k] < from) g->pipe_next[p][k] = from;
}

static uint64_t *pipe_busy(struct sm *S, enum pipe p) {
  switch (p) {
    case PIPE_INT: return &S->st.int_busy;
    case PIPE_SP: return &S->st.sp_busy;
    case PIPE_DP: return &S->st.dp_busy;
    case PIPE_SFU: return &S->st.sfu_busy;
    default: return &S->st.tensor_busy;
  }
}

static bool dispatch_unit(struct sm *S, struct group *g, struct collector_unit *u) {
  const enum pipe p = S->pipe_of[u->cls];
  unsigned k = S->reserve ? S->inflight[u->inflight].pipe : 0;
  if (u->cls == CLS_LSU) {
    if (S->lsu.count >= S->lsu.room) return false;
  } else if (u->cls == CLS_TEX) {
    if (S->tex.count >= S->tex.room) return false;
  } else {
    const unsigned end = S->reserve ? k + 1 : g->pipes[p];
    while (k < end && g->pipe_free[p][k] > S->now + u->extra) k++;
    if (k == end) return false;
  }
  if (!storage_convert(S, u)) return false;
  struct inflight_inst *f = &S->inflight[u->inflight];
  const struct op *op = f->op;
  if (op->cls != CLS_LSU && op->cls != CLS_TEX) {
    g->pipe_free[p][k] = S->now + u->extra + op_pipe_cycles(S, op);
    *pipe_busy(S, p) += op_pipe_cycles(S, op);
    if (S->reserve) reserved_late(g, p, k);
  }
  const unsigned more = op->cls == CLS_TENSOR ? (op->intervals - 1) * S->tensor_interval[op->rate] : 0;
  if (S->check && !check_dispatch(S, u)) return true;
  if (S->laws) law_dispatched(S, u);
  unsigned w = f->inst.warp;
  f->entry = S->now + 1 + u->extra;
  if (op->cls == CLS_LSU) lsu_take(S, u->inflight);
  else if (op->cls == CLS_TEX) tex_take(S, u->inflight);
  else event_at(S, S->now + S->lat[op->cls] + more - ISSUE_TO_DISPATCH + u->extra, EV_RESULT, u->inflight);
  scoreboard_read(S, w, op);
  return true;
}

void dispatch_phase(struct sm *S) {
  if (S->laws) law_dispatch(S);
  for (unsigned i = 0; i < S->ngroup; i++) {
    struct group *g = &S->group[i];
    uint64_t todo = g->full;
    if (!todo) continue;
    for (int from = g->dispatch_rr; todo;) {
      int k = bit_from64(todo, from);
      todo &= ~(1ull << k);
      if (dispatch_unit(S, g, &g->unit[k])) {
        g->full &= ~(1ull << k);
        if (!g->unit[k].hold) g->free |= 1ull << k;
        g->dispatch_rr = (uint8_t)((k + 1) % UNIT_MAX);
        S->busy = true;
      }
    }
    S->st.unit_conflicts += (unsigned)bit_count64(g->full);
  }
}

/* Full units wait for a pipe (a known cycle) or for room in the LSU's queue (its own work). */
uint64_t dispatch_idle_until(const struct sm *S) {
  uint64_t t = NEVER;
  for (unsigned i = 0; i < S->ngroup; i++) {
    const struct group *g = &S->group[i];
    for (uint64_t m = g->full; m; m &= m - 1) {
      const struct collector_unit *u = &g->unit[bit_low64(m)];
      if (u->cls == CLS_LSU) {
        if (S->lsu.count < S->lsu.room) return 0;
        continue;
      }
      if (u->cls == CLS_TEX) {
        if (S->tex.count < S->tex.room) return 0;
        continue;
      }
      const uint64_t *free = g->pipe_free[S->pipe_of[u->cls]];
      const unsigned first = S->reserve ? S->inflight[u->inflight].pipe : 0;
      const unsigned end = S->reserve ? first + 1 : g->pipes[S->pipe_of[u->cls]];
      for (unsigned k = first; k < end; k++) {
        uint64_t from = free[k] > u->extra ? free[k] - u->extra : 0;
        if (from < t) t = from;
      }
    }
  }
  return t;
}

void result_push(struct sm *S, uint32_t f) {
  struct group *g = &S->group[S->inflight[f].group];
  VEC_PUSH(g->wq, g->wqn, g->wqcap) = f;
}

static unsigned result_mask(const struct inflight_inst *f) { return (1u << f->op->ndst) - 1; }

void result_complete_accepted(struct sm *S, uint32_t fi, unsigned k) {
  struct inflight_inst *f = &S->inflight[fi];
  f->completed |= (uint8_t)(1u << k);
  if (f->completed == result_mask(f)) result_push(S, fi);
}

void inflight_retire(struct sm *S, uint32_t fi) {
  struct inflight_inst *f = &S->inflight[fi];
  unsigned w = f->inst.warp;
  struct warp *W = &S->warp[w];
  const struct op *op = f->op;
  unsigned dropped = f->dropped;
  W->inflight_count--;
  if (!f->away) cta_inside(S, w, -1);
  S->cta[W->cta].far = (uint16_t)(S->cta[W->cta].far - f->far);
  if (op_access(op)) W->inflight_mem--;
  if (op->async == OA_COPY) {
    W->copies--;
    W->copies_of[f->copy_group]--;
    W->copies_at[f->copy_arrive]--;
    scoreboard_landed(S, w);
  }
  S->st.retired++;
  if (f->timed) latency_add(S->latency, f->level, S->now - f->entry);
  inflight_free(S, fi);
  scoreboard_done(S, w, op, dropped);
  cta_inflight_done(S, w);
  S->busy = true;
}

/* The SM's sides of laws (laws.h). */
static void law_of_result(struct sm *S, enum law_kind kind, const struct inflight_inst *f, unsigned k,
                          unsigned answer) {
  law_event(S, &(struct law_event){.kind = (uint8_t)kind,
                                   .answer = (uint8_t)answer,
                                   .group = f->group,
                                   .op = k,
                                   .id = (uint32_t)(f - S->inflight),
                                   .reg = f->op->dst[k],
                                   .warp = f->inst.warp,
                                   .near = f->inst.near,
                                   .inst = f->inst.op,
                                   .lanes = f->inst.lanes});
  if (kind == LAW_RESULT && answer == RESULT_ACCEPTED)
    law_own(S, LAW_RESULTS, (uint64_t)f->inst.lanes << 16 | f->op->dst[k] << 8 | (f->inst.warp & 63),
            law_hash(inst_val(S->stream, &f->inst, k), 128));
}

static void law_late(struct sm *S, const struct inflight_inst *f, unsigned before) {
  for (unsigned new = f->completed & ~before & ~f->dropped; new; new &= new - 1)
    if (f->inst.lanes)
      law_own(S, LAW_LATE, f->inst.lanes, law_hash(inst_val(S->stream, &f->inst, (unsigned)bit_low32(new)), 128));
}

static enum late result_ask_residency(struct sm *S, struct inflight_inst *f) {
  const unsigned before = f->completed;
  const enum late late = residency_late(S, inflight_seen(f));
  if (S->laws) law_late(S, f, before);
  return late;
}

static bool result_claim_port(struct sm *S, struct inflight_inst *f, unsigned k, uint32_t bank) {
  const bool granted = collector_port(S, inflight_seen(f), k, bank);
  if (S->laws) law_of_result(S, LAW_PORT, f, k, granted);
  return granted;
}

/* Writes those destinations that are neither complete nor accepted by the storage. Returns true if all are complete. */
static bool result_write(struct sm *S, struct inflight_inst *f) {
  for (unsigned k = 0; k < f->op->ndst; k++) {
    if ((f->completed | f->accepted) >> k & 1) continue;
    uint32_t bank, row;
    enum result_answer p = storage_result(S, inflight_seen(f), k, &bank, &row);
    if (S->laws) law_of_result(S, LAW_RESULT, f, k, p);
    const bool waits = S->victim.count && p == RESULT_TO_BANK && victim_port_holds(S, row);
    if (p == RESULT_BUSY || waits || (p == RESULT_TO_BANK && !result_claim_port(S, f, k, bank))) {
      S->st.rf_write_conflicts++;
      continue;
    }
    if (p == RESULT_ACCEPTED) {
      f->accepted |= (uint8_t)(1u << k);
      continue;
    }
    S->st.rf_writes++;
    if (S->check) check_write_row(S, inflight_seen(f), k, row);
    if (S->laws) law_access(S, f->group, RF_WRITE, row);
    collector_result(S, inflight_seen(f), k);
    f->completed |= (uint8_t)(1u << k);
  }
  return f->completed == result_mask(f);
}

void write_phase(struct sm *S) {
  storage_arrive(S);
  for (unsigned i = 0; i < S->ngroup; i++) {
    struct group *g = &S->group[i];
    if (!g->wqn) continue;
    uint32_t kept = 0, n = g->wqn, tried = 0;
    for (uint32_t k = 0; k < n; k++) {
      uint32_t fi = g->wq[k];
      struct inflight_inst *f = &S->inflight[fi];
      enum late late = f->away && f->op->ndst ? result_ask_residency(S, f) : LATE_PASS;
      bool ports = late == LATE_PASS && f->op->ndst != 0 && f->accepted != result_mask(f);
      if (ports && tried == S->wq_width) {
        S->st.rf_write_conflicts++;
        g->wq[kept++] = fi;
        continue;
      }
      tried += ports;
      if (late == LATE_HOLD ||
          (late == LATE_PASS && f->op->ndst && !result_write(S, f))) { /* held: it does not block others */
        /* once the storage has accepted all that is left, result_complete_accepted puts the instruction back */
        if (late == LATE_HOLD || (f->completed | f->accepted) != result_mask(f)) g->wq[kept++] = fi;
        continue;
      }
      inflight_retire(S, fi);
    }
    /* retiring may not push results: they come from ARRIVE and MEMORY only */
    g->wqn = kept;
  }
  if (S->victim.count) victim_port_write(S);
}

static void event_handle(struct sm *S, enum event_kind k, uint32_t arg) {
  S->busy = true;
  switch (k) {
    case EV_RESULT: result_push(S, arg); break;
    case EV_PART:
      if (--S->inflight[arg].parts == 0) lsu_done(S, arg);
      break;
    case EV_FETCH: fetch_resume(S, arg, S->warp[arg].stop); break;
    case EV_COMPLETE: result_complete_accepted(S, arg >> 2, arg & 3); break;
    case EV_OPERANDS: storage_operands(S, &S->group[arg / UNIT_MAX].unit[arg % UNIT_MAX]); break;
  }
}

void arrive_phase(struct sm *S) {
  if (S->victim.granted) victim_port_arrive(S);
  if (S->waiting_fills) cache_arrive(S);
  while (S->ireply < S->nreply && S->reply[S->ireply].cycle <= S->now) {
    lsu_reply(S, &S->reply[S->ireply++]);
    S->busy = true;
  }
  events_due(S, event_handle);
}
