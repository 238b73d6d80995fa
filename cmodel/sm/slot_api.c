/* SPDX-License-Identifier: Apache-2.0 */
/* slot_api: the functions of slot_api.h that belong to no part of the SM, or change one field. */
#include <stdlib.h>
#include <string.h>

#include "sm/private.h"

/* ---- views ---- */

const struct cta_view *cta_view(const struct sm *S, unsigned c) { return (const struct cta_view *)&S->cta[c]; }

const struct inflight_view *inflight_view(const struct sm *S, uint32_t i) {
  return (const struct inflight_view *)&S->inflight[i];
}

uint32_t inflight_number(const struct sm *S, const struct inflight_view *f) {
  return (uint32_t)((const struct inflight_inst *)f - S->inflight);
}

uint32_t inflight_records(const struct sm *S) { return S->ninflight; }

uint32_t warp_stands_at(const struct sm *S, unsigned w) {
  const struct warp *W = &S->warp[w];
  return W->icount ? W->ibuf[W->ihead].op : W->next;
}

const struct warp_inst *warp_issued(const struct sm *S, unsigned w) {
  const struct warp *W = &S->warp[w];
  return &W->ibuf[(W->ihead - 1u) & S->ring];
}

bool warp_reads(const struct sm *S, unsigned w, unsigned r) { return S->readers[(size_t)w * 256 + r] != 0; }

const uint32_t *result_values(struct sm *S, const struct warp_inst *inst, unsigned k) {
  static const uint32_t none[32];
  if (S->stream->val_ring) return inst_val(S->stream, inst, k);
  sm_fail(S,
          "result_values: found no values, expected sim.check=true: without it a run has no values of registers "
          "(docs/start/add-a-system.md, section 4)");
  return none;
}

uint32_t load_address(const struct sm *S, const struct txn_view *t) {
  return inst_address(S, S->inflight[t->inflight].inst.op);
}

/* ---- the choice ---- */

void choice_set(struct sm *S, enum slot s, void *state) { S->choice[s] = state; }

void probe_tell(const struct sm *S, unsigned c, enum probe_status what) {
  if (S->probe && S->probe->status) S->probe->status(S->probe->ctx, S->now, c, what);
}

/* ---- a launch ---- */

void plan_registers(struct sm *S, uint32_t warp_regs) { S->warp_regs = warp_regs; }
void plan_pool(struct sm *S, uint32_t pool_regs) { S->pool_regs = pool_regs; }
void plan_code(struct sm *S, const uint32_t *at) { S->at = at; }
void plan_overlap(struct sm *S, const uint64_t (*overlap)[4]) { S->overlap = overlap; }
void scheduler_keep_far(struct sm *S) { S->far_kept = true; }
uint32_t launch_ctas(const struct sm *S) { return S->stream->ctas; }

struct cta_need ledger_need(const struct sm *S) {
  return (struct cta_need){S->wpc, S->warp_regs, S->stream->shared_bytes, S->pool_regs};
}

void plan_cache_banks(struct sm *S, unsigned banks) {
  free(S->slow);
  S->slow = NULL;
  S->operand_late = 0;
  S->nbank = banks;
  S->bank_mask = banks - 1;
}

void plan_ctas(struct sm *S, unsigned limit, unsigned fit, unsigned rf_slots, const char *limiter) {
  S->cta_limit = limit;
  S->room = fit;
  S->rf_slots = rf_slots;
  S->limiter = limiter;
}

void plan_warn_without(struct sm *S, enum slot s, const struct kernel *k, const char *what, const char *why) {
  if (S->id) return;
  warn_once(&S->warned, (uint64_t)(uintptr_t)k->code * SLOT_COUNT + s, "kernel '%s' runs without %s: %s", k->code->name,
            what, why);
}

uint32_t saved_base(const struct sm *S) { return 0x50000000u + S->id * SAVED_ROOM; }

/* ---- CTAs and warps ---- */

bool grid_has_cta(const struct sm *S) { return S->source->ready != 0; }
void grid_keep(struct sm *S, uint32_t n) { S->source->kept = n; }
void cta_set_active(struct sm *S, unsigned n) { S->nactive = n; }

void cta_gate_alone(struct sm *S, unsigned c, bool shut) {
  for (unsigned i = 0; i < S->wpc; i++) {
    const unsigned w = S->cta[c].slot[i];
    uint64_t *gate = &S->sched[w % S->nsched].gate[SLOT_RESIDENCY], bit = 1ull << w / S->nsched;
    *gate = shut ? *gate | bit : *gate & ~bit;
  }
}

void cta_tell_scheduler(struct sm *S, unsigned c, enum warp_event event) {
  for (unsigned i = 0; i < S->wpc; i++)
    if (warp_lives(S, S->cta[c].slot[i])) scheduler_warp(S, S->cta[c].slot[i], event);
}

bool cta_is_quiet(const struct sm *S, unsigned c) {
  const struct cta *C = &S->cta[c];
  unsigned n = 0;
  if (!C->used) return false;
  for (unsigned i = 0; i < C->warps; i++) n += S->warp[C->slot[i]].inflight_count;
  for (unsigned b = 0; b < 16; b++)
    for (uint32_t f = C->bar[b].red; f != NONE32; f = S->inflight[f].next) n--;
  return n == 0 && C->live;
}

void warp_set_token(struct sm *S, unsigned w, bool has) {
  uint64_t *token = &S->sched[w % S->nsched].token, bit = 1ull << w / S->nsched;
  *token = has ? *token | bit : *token & ~bit;
}

void gate_close(struct sm *S, enum slot s, unsigned w) {
  S->sched[w % S->nsched].gate[s] |= 1ull << (w / S->nsched);
  if (s == SLOT_STORAGE && S->slots.residency->cta) cta_touch(S, w);
}

void gate_open(struct sm *S, enum slot s, unsigned w) {
  S->sched[w % S->nsched].gate[s] &= ~(1ull << (w / S->nsched));
  if (s == SLOT_STORAGE && S->slots.residency->cta) cta_touch(S, w);
  S->busy = true;
}

/* ---- units and results ---- */

void unit_give(struct sm *S, const struct collector_unit *u, unsigned k, const uint32_t *value) {
  if (S->check) check_latch(S, u, k, value);
  if (S->laws) law_given(S, u, k);
  unit_take_operand(S, u, k);
}

void unit_operands_at(struct sm *S, const struct collector_unit *u, uint64_t cycle) {
  event_at(S, cycle, EV_OPERANDS, UNIT_MAX * u->group + u->index);
}

void operand_banks(struct sm *S, unsigned w, uint32_t inflight, const struct op *op, uint8_t bank[8]) {
  struct collector_unit at = {.inflight = inflight, .op = op, .warp = (uint16_t)w};
  storage_locate(S, &at);
  memcpy(bank, at.bank, sizeof at.bank);
}

void result_complete_at(struct sm *S, const struct inflight_view *f, unsigned k, uint64_t cycle) {
  event_at(S, cycle, EV_COMPLETE, inflight_number(S, f) << 2 | k);
}

void result_complete_now(struct sm *S, const struct inflight_view *f, unsigned k) {
  (void)S;
  ((struct inflight_inst *)f)->completed |= (uint8_t)(1u << k);
}

void result_drop(struct sm *S, const struct inflight_view *view, unsigned k) {
  struct inflight_inst *f = (struct inflight_inst *)view;
  f->completed |= (uint8_t)(1u << k);
  f->dropped |= (uint8_t)(1u << k);
  scoreboard_drop(S, f->inst.warp, f->op->dst[k]);
}

void inflight_set_note(struct sm *S, const struct inflight_view *f, unsigned note) {
  (void)S;
  ((struct inflight_inst *)f)->note = (uint8_t)note;
}

/* ---- memory ---- */

bool memory_takes(const struct sm *S) { return mem_can_post(S->mem, S->id, S->now); }
uint64_t memory_takes_at(const struct sm *S) { return mem_post_at(S->mem, S->id, S->now); }
bool memory_full(const struct sm *S) { return memory_is_full(S); }

void sm_post(struct sm *S, const struct mem_req *r) {
  mem_post(S->mem, S->id, S->now, r);
  if (!S->laws) return;
  if (r->addr >= GLOBAL_END) law_own(S, LAW_MOVED, r->addr, (uint64_t)r->kind << 8 | r->sectors);
  else if (r->kind != MEM_READ) law_told(S, LAW_STORED, r->addr, (uint64_t)r->bytes << 8 | r->sectors);
}
