/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cta_switch: residencies vt and finereg: more CTAs are resident than may issue; one whose warps all wait for memory
 * is replaced by another (Virtual Thread, ISCA'16; FineReg, MICRO'18, sections IV and V). The golden models decide:
 * csm holds the state of every CTA, csw the policy, and the register mover (cta_switch.h) moves registers if needed.
 *
 * A CTA's number is csm's id and its slot in S->cta. Gates of CTAs that do not issue are closed, and nothing
 * is fetched for them; the instructions in their buffers are part of the context. A context moves through
 * shared memory's port. A kernel that gains no CTA runs as under static residency.
 */
#include "systems/finereg/cta_switch.h"

#include <stdlib.h>
#include <string.h>

#include "sm/ledger.h"

/* ---- slots of the register file ---- */

static void take_rf_slot(struct sm *S, struct cta_switch *s, unsigned c) {
  unsigned k = s->free_rf_slot[0] ? 0 : 1;
  if (!s->free_rf_slot[k]) die("no place in the register file for CTA slot %u", c);
  unsigned p = 64 * k + (unsigned)bit_low64(s->free_rf_slot[k]);
  set_del(s->free_rf_slot, p);
  s->rf_slot[c] = (int16_t)p;
  if (S->cta[c].used) cta_rf_slot(S, c, p); /* else its launch does that */
}

static void give_rf_slot(struct cta_switch *s, unsigned c) {
  set_add(s->free_rf_slot, (uint32_t)s->rf_slot[c]);
  s->rf_slot[c] = -1;
}

static void tell(struct sm *S, unsigned c, enum probe_status what) {
  if (S->probe && S->probe->status) S->probe->status(S->probe->ctx, S->now, c, what);
}

void cta_switch_begins(struct sm *S, struct cta_switch *s, unsigned op, unsigned a, unsigned b) {
  if (op == RESTORE) take_rf_slot(S, s, b);
  if (op == SWAP) cta_rf_slot(S, b, (unsigned)s->rf_slot[a]);
  if (op != RESTORE) tell(S, a, PROBE_LEAVES);
  if (op != SPILL) tell(S, b, PROBE_COMES);
}

void cta_switch_ended(struct sm *S, struct cta_switch *s, unsigned op, unsigned a, unsigned b, bool ok) {
  s->done_v = true;
  s->done_ok = ok;
  if (!ok) {
    S->st.refused++;
    cta_bit(s->refused, a, true);
    tell(S, a, PROBE_STAYS);
    if (op == SWAP) tell(S, b, PROBE_STAYS);
    return;
  }
  ++*(op == SPILL ? &S->st.spills : op == RESTORE ? &S->st.restores : &S->st.swaps);
  if (op == SWAP) {
    s->rf_slot[b] = s->rf_slot[a];
    s->rf_slot[a] = -1;
  }
  if (op == SPILL) give_rf_slot(s, a);
  if (op != RESTORE) s->away[a] = true;
  if (op != SPILL) s->away[b] = false;
}

static bool rf_slot_free(const struct cta_switch *s) { return (s->free_rf_slot[0] | s->free_rf_slot[1]) != 0; }

/* ---- launch ---- */

static bool fits(const struct config *cfg, const struct slots *slots, struct err *e) {
  bool finereg = cfg->slot_residency == slot_residency_finereg;
  return (!finereg && !cfg->finereg_dram_ctas) || cfg->slot_storage == slot_storage_flat ||
         err_at(e, NULL, 0, 0,
                "slot.residency %s with slot.storage %s, expected flat: what moves is a warp's register in its own row",
                finereg ? "finereg" : "vt and finereg.dram_ctas", slots->storage->name);
}

static void most(const struct config *c, int64_t *ctas, int64_t *warps) {
  if (*ctas < c->finereg_ctas) *ctas = c->finereg_ctas;
  if (*warps < c->finereg_warps) *warps = c->finereg_warps;
}

/* The ACRF's size is fixed. The PCRF keeps the live registers of pending CTAs; it has at least one bank row. */
static void unified(struct config *c, double live, struct rf_share *s) {
  *s = (struct rf_share){.fixed = c->finereg_acrf_bytes,
                         .part = live,
                         .key = &c->finereg_pcrf_bytes,
                         .least = c->rf_banks * 128,
                         .most = 262144};
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  const struct config *c = S->cfg;
  struct cta_switch *s = xcalloc_lines(1, sizeof *s);
  S->choice[SLOT_RESIDENCY] = s;
  s->mover = c->slot_residency == slot_residency_finereg ? &mover_finereg : c->finereg_dram_ctas ? &mover_dram : NULL;
  if (s->mover) s->state = s->mover->init(c);
  return true;
}

static void done(struct sm *S) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s) return;
  if (s->mover) s->mover->done(s->state);
  free(s->warned);
  free(s);
}

/* Once for each kernel, however often it is launched. */
static bool first_time(struct cta_switch *s, const struct code *code) {
  for (unsigned k = 0; k < s->nwarned; k++)
    if (s->warned[k] == code) return false;
  VEC_PUSH(s->warned, s->nwarned, s->warned_cap) = code;
  return true;
}

/* CTAs whose registers the file can hold, and those that may be resident with theirs elsewhere. */
static uint32_t room(struct sm *S, const struct cta_need *need, uint32_t *rf_slots, const char **limiter) {
  const struct config *c = S->cfg;
  struct config wide = *c;
  wide.sm_warps = c->finereg_warps < 64 * c->sm_schedulers ? c->finereg_warps : 64 * c->sm_schedulers;
  wide.sm_threads = 32 * wide.sm_warps;
  wide.sm_ctas = c->finereg_ctas;
  struct cta_fit held = cta_fit(&wide, need);
  wide.rf_bytes = INT64_MAX;
  struct cta_fit all = cta_fit(&wide, need);
  if (c->slot_residency == slot_residency_finereg) {
    *rf_slots = (uint32_t)(c->finereg_acrf_bytes / 128 / (need->warps * need->warp_regs));
    if (*rf_slots > (uint32_t)c->finereg_ctas) *rf_slots = (uint32_t)c->finereg_ctas;
    *limiter = all.limiter;
    return all.ctas;
  }
  *rf_slots = held.ctas;
  uint32_t most = held.ctas + (uint32_t)c->finereg_dram_ctas;
  *limiter = most < all.ctas ? held.limiter : all.limiter;
  return most < all.ctas ? most : all.ctas;
}

static bool plan(struct sm *S, const struct kernel *kernel, struct err *e) {
  struct cta_switch *s = cta_switch_of(S);
  const struct stream *st = S->stream;
  s->on = false;
  if (!ledger_plan(S, kernel, e)) return false;
  struct cta_need need = {st->warps_per_cta, S->warp_regs, st->shared_bytes, S->pool_regs};
  uint32_t rf_slots, base = cta_fit(S->cfg, &need).ctas;
  const char *limiter;
  uint32_t most = room(S, &need, &rf_slots, &limiter);
  if (S->cfg->slot_residency == slot_residency_finereg) {
    const char *why = !rf_slots                     ? "a CTA's registers do not fit into finereg.acrf_bytes"
                      : !live_vectors(kernel->code) ? "it has more registers than a live vector names"
                                                    : NULL;
    if (why && first_time(s, kernel->code)) warn("kernel '%s' runs without FineReg: %s", kernel->code->name, why);
    if (why) return true;
  }
  s->active_limit = base < rf_slots ? base : rf_slots;
  const uint32_t fit = most;
  if (st->ctas < most) {
    most = st->ctas;
    limiter = "grid";
  }
  if (most <= s->active_limit) return true;
  S->cta_limit = most;
  S->room = fit;
  S->limiter = limiter;
  S->rf_slots = rf_slots;
  s->on = s->awake = true;
  s->lag = 0;
  s->code = kernel->code;
  csm_reset(&s->csm);
  csw_reset(&s->csw);
  if (S->observer) {
    S->observer->reset(S->observer->ctx, "finereg/csm", 0);
    S->observer->reset(S->observer->ctx, "finereg/csw", 0);
  }
  memset(&s->csm_in, 0, sizeof s->csm_in);
  memset(&s->csw_in, 0, sizeof s->csw_in);
  csm_eval(&s->csm, &s->csm_in, &s->csm_out);
  csw_eval(&s->csw, &s->csw_in, &s->csw_out);
  memset(s->context, NOWHERE, sizeof s->context);
  memset(s->regs, NOWHERE, sizeof s->regs);
  memset(s->away, 0, sizeof s->away);
  memset(s->stalled, 0, sizeof s->stalled);
  memset(s->ready, 0, sizeof s->ready);
  memset(s->ended, 0, sizeof s->ended);
  memset(s->refused, 0, sizeof s->refused);
  memset(s->rf_slot, 0xff, sizeof s->rf_slot);
  memset(s->free_rf_slot, 0, sizeof s->free_rf_slot);
  for (uint32_t p = 0; p < rf_slots; p++) set_add(s->free_rf_slot, p);
  s->moved_at = 0;
  s->c_rdy = s->done_v = s->done_ok = false;
  if (s->mover) s->mover->begin(S, s, kernel);
  return true;
}

static int launch(struct sm *S, unsigned *rf_slot) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return cta_lowest(S, rf_slot);
  if (!s->csw_out.launch_v_o) return -1;
  unsigned c = (unsigned)s->csw_out.launch_cta_o;
  take_rf_slot(S, s, c);
  *rf_slot = (unsigned)s->rf_slot[c];
  return (int)c;
}

/* ---- inputs of csm and csw ---- */

static bool active(const struct cta_switch *s, unsigned c) { return s->context[c] == INSIDE && s->regs[c] == INSIDE; }

/* Once csw has begun to suspend a CTA, its inputs must not show that the CTA is ready again. */
static bool leaving(const struct cta_switch *s, unsigned c) {
  return s->csw_out.freeze_v_o && s->csw_out.freeze_a_o == c && s->csw.r.state_q != CSW_EVAL;
}

static void look(struct sm *S, struct cta_switch *s, unsigned c) {
  const struct cta *C = &S->cta[c];
  cta_bit(s->stalled, c, C->used && active(s, c) && (C->stalled || leaving(s, c)));
  cta_bit(s->ready, c, C->used && s->context[c] == ASIDE && !C->stalled);
  if (!(s->stalled[c / 32] >> c % 32 & 1)) cta_bit(s->refused, c, false);
  s->awake = true;
}

static void cta(struct sm *S, unsigned c, enum cta_event ev) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return;
  look(S, s, c);
  if (ev != CTA_ENDED) return;
  cta_bit(s->ended, c, true);
  cta_bit(s->stalled, c, false);
  give_rf_slot(s, c);
}

static int lowest(const uint32_t *set) {
  for (unsigned k = 0; k < CTA_WORDS; k++)
    if (set[k]) return (int)(32 * k) + bit_low32(set[k]);
  return -1;
}

static void inputs(struct sm *S, struct cta_switch *s) {
  struct csw_in *in = &s->csw_in;
  int ended = lowest(s->ended);
  memcpy(in->stalled_i, s->stalled, sizeof in->stalled_i);
  /* an ended CTA has released everything but its id, which csm keeps until csw has updated it */
  in->new_ok_i = S->source->ready && S->ncta < S->cta_limit && s->csm_out.new_id_o < S->cta_limit;
  in->slot_ok_i = rf_slot_free(s);
  in->pipe_ok_i = s->csm_out.n_act_o < s->active_limit;
  in->k_nw_i = S->wpc;
  in->fin_v_i = ended >= 0;
  in->fin_cta_i = ended < 0 ? 0 : (uint64_t)ended;
  in->p12_v_i = s->csm_out.p12_v_o;
  in->p12_id_i = s->csm_out.p12_id_o;
  in->p11_v_i = s->csm_out.p11_v_o;
  in->p11_id_i = s->csm_out.p11_id_o;
  in->new_v_i = s->csm_out.new_v_o;
  in->new_id_i = s->csm_out.new_id_o;
  in->c_rdy_i = s->c_rdy;
  in->done_v_i = s->done_v;
  in->done_ok_i = s->done_ok;
  in->x_done_i = 0;
}

/* ---- outputs of csm and csw ---- */

static void gates(struct sm *S, unsigned c, bool shut) {
  for (unsigned i = 0; i < S->wpc; i++) {
    unsigned w = S->cta[c].slot[i];
    uint64_t *gate = &S->sched[w % S->nsched].gate[SLOT_RESIDENCY], bit = 1ull << w / S->nsched;
    *gate = shut ? *gate | bit : *gate & ~bit;
  }
}

static void tell_scheduler(struct sm *S, unsigned c, enum warp_event ev) {
  for (unsigned i = 0; i < S->wpc; i++)
    if (S->sched[S->cta[c].slot[i] % S->nsched].live >> S->cta[c].slot[i] / S->nsched & 1)
      scheduler_warp(S, S->cta[c].slot[i], ev);
}

/* One of csm's set ports. `begins`: the launch has done the rest. */
static void put(struct sm *S, struct cta_switch *s, unsigned c, enum where context, enum where regs, bool begins) {
  bool was = active(s, c);
  s->context[c] = (uint8_t)context;
  s->regs[c] = (uint8_t)regs;
  bool is = active(s, c);
  S->busy = true;
  if (context == NOWHERE) return; /* it has ended */
  if (was != is && !begins) {
    occupancy_note(S);
    S->nactive = is ? S->nactive + 1 : S->nactive - 1;
    S->st.switches += was;
    gates(S, c, !is);
    tell_scheduler(S, c, is ? WEV_IN : WEV_OUT);
  }
  tell(S, c, is ? PROBE_ACTIVE : regs == INSIDE ? PROBE_CONTEXT : PROBE_PENDING);
  look(S, s, c);
}

static void put_ports(struct sm *S, struct cta_switch *s) {
  const struct csw_out *o = &s->csw_out;
  for (unsigned k = 0; k < 2; k++)
    if (o->set_v_o >> k & 1)
      put(S, s, o->set_cta_o >> 7 * k & 127, (enum where)(o->set_ctx_o >> 2 * k & 3),
          (enum where)(o->set_reg_o >> 2 * k & 3), k && o->launch_v_o);
}

/* The context moves through shared memory's port, after its current accesses; true in the last cycle. */
static bool context_moved(struct sm *S, struct cta_switch *s) {
  if (!s->csw_out.x_v_o) return false;
  if (!s->moved_at) {
    uint64_t n = (uint64_t)S->cfg->finereg_context_cycles * S->wpc;
    s->moved_at = lsu_shared_port(S, n);
    S->st.context_cycles += n;
  }
  if (S->now + 1 < s->moved_at) return false;
  s->moved_at = 0;
  return true;
}

/* csw's outputs have changed: the CTA that it is about to suspend must not issue. */
static void freeze(struct sm *S, struct cta_switch *s, bool was, unsigned a) {
  bool is = s->csw_out.freeze_v_o;
  unsigned b = (unsigned)s->csw_out.freeze_a_o;
  if (was == is && a == b) return;
  if (was && active(s, a)) {
    gates(S, a, false);
    S->busy |= !S->cta[a].stalled; /* it has become ready meanwhile */
    look(S, s, a);
  }
  if (is) gates(S, b, true);
}

static bool any_come(const struct cta_switch *s) {
  const struct csw_in *in = &s->csw_in;
  return s->csm_out.p12_v_o || s->csm_out.p11_v_o || (s->csm_out.new_v_o && in->new_ok_i);
}

static bool depleted(const struct cta_switch *s) {
  for (unsigned k = 0; k < CTA_WORDS; k++)
    if (s->refused[k] & s->stalled[k]) return any_come(s);
  return false;
}

/* Only a change of the inputs starts a sequence; csw's timer counts. */
static bool asleep(const struct cta_switch *s) {
  const struct csw_in *in = &s->csw_in;
  if (csw_idle(&s->csw) != NEVER || lowest(s->stalled) >= 0 || lowest(s->ended) >= 0) return false;
  return !in->pipe_ok_i || (!s->csm_out.p12_v_o && !(in->slot_ok_i && any_come(s)));
}

void cta_switch_observe(struct sm *S, const char *block, const void *state, const void *in, const void *out) {
  if (S->observer && !S->failed && !S->observer->cycle(S->observer->ctx, block, 0, S->now, state, in, out))
    sm_fail(S, "%s: the Verilog differs from the C twin", block);
}

static void decide(struct sm *S, struct cta_switch *s) {
  if (s->lag) csw_skip(&s->csw, s->lag);
  s->lag = 0;
  memcpy(s->csm_in.ready_i, s->ready, sizeof s->csm_in.ready_i);
  CTA_SWITCH_EVAL(S, csm, &s->csm, &s->csm_in, &s->csm_out);
  inputs(S, s);
  s->csw_in.x_done_i = context_moved(S, s);
  CTA_SWITCH_EVAL(S, csw, &s->csw, &s->csw_in, &s->csw_out);
  const struct csw_out *o = &s->csw_out;
  s->csm_in.set_v_i = o->set_v_o;
  s->csm_in.set_cta_i = o->set_cta_o;
  s->csm_in.set_ctx_i = o->set_ctx_o;
  s->csm_in.set_reg_i = o->set_reg_o;
  s->csm_in.take12_i = o->take12_o;
  s->csm_in.take11_i = o->take11_o;
  CTA_SWITCH_EVAL(S, csm, &s->csm, &s->csm_in, &s->csm_out);
  cta_switch_observe(S, "finereg/csm", &s->csm, &s->csm_in, &s->csm_out);
  cta_switch_observe(S, "finereg/csw", &s->csw, &s->csw_in, &s->csw_out);
  if (s->csw_in.fin_v_i && o->fin_rdy_o) cta_bit(s->ended, (unsigned)s->csw_in.fin_cta_i, false);
  if (S->last_issue != S->now) S->st.depleted += depleted(s);
  put_ports(S, s);
  csm_tick(&s->csm, &s->csm_in);
  csw_tick(&s->csw, &s->csw_in);
}

/* The twins' outputs of the next cycle, as far as they depend on registers. */
static void settle(struct sm *S, struct cta_switch *s, bool frozen, unsigned a) {
  s->csm_in.set_v_i = s->csm_in.take12_i = s->csm_in.take11_i = 0;
  memcpy(s->csm_in.ready_i, s->ready, sizeof s->csm_in.ready_i);
  CTA_SWITCH_EVAL(S, csm, &s->csm, &s->csm_in, &s->csm_out);
  inputs(S, s);
  CTA_SWITCH_EVAL(S, csw, &s->csw, &s->csw_in, &s->csw_out);
  freeze(S, s, frozen, a);
}

static void commit(struct sm *S) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return;
  if (s->awake || S->observer) {
    bool frozen = s->csw_out.freeze_v_o;
    unsigned a = (unsigned)s->csw_out.freeze_a_o;
    decide(S, s);
    s->done_v = false;
    if (s->mover) s->mover->commit(S, s);
    settle(S, s, frozen, a);
    s->awake = !asleep(s);
    return;
  }
  s->lag++;
  if (s->mover) s->mover->commit(S, s);
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t idle(struct sm *S) {
  const struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return NEVER;
  uint64_t n = s->mover ? s->mover->idle(S, s) : NEVER;
  if (!s->awake) return n;
  const struct csw_in *in = &s->csw_in;
  switch (s->csw.r.state_q) {
    case CSW_IDLE:
      if (in->fin_v_i || (in->pipe_ok_i && (s->csm_out.p12_v_o || (in->slot_ok_i && any_come(s))))) return 0;
      return any_come(s) ? least(n, csw_idle(&s->csw)) : n;
    case CSW_EVAL: return any_come(s) ? 0 : n;
    case CSW_WAIT: return s->done_v ? 0 : n;
    case CSW_OUT:
    case CSW_IN: return s->moved_at ? least(n, s->moved_at - 1 - S->now) : 0;
    default: return 0;
  }
}

/* With constant inputs and no CTA to bring in, csw repeats with its timer: every 16 cycles, once the timer has
 * wrapped. */
static void skip(struct sm *S, uint64_t n) {
  enum { ROUND = 16 };
  struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return;
  if (!s->awake) {
    s->lag += n;
    return;
  }
  if (depleted(s)) S->st.depleted += n;
  bool frozen = s->csw_out.freeze_v_o;
  unsigned a = (unsigned)s->csw_out.freeze_a_o;
  if (csw_idle(&s->csw) >= n) {
    csw_skip(&s->csw, n);
    return;
  }
  for (uint64_t k = n < 3 * ROUND ? n : 2 * ROUND + n % ROUND; k; k--) csw_tick(&s->csw, &s->csw_in);
  settle(S, s, frozen, a);
}

static enum late late(struct sm *S, struct inflight_inst *f) {
  struct cta_switch *s = cta_switch_of(S);
  return s->on && s->mover ? s->mover->late(S, s, f) : LATE_PASS;
}
static void reply(struct sm *S, const struct mem_reply *r) { cta_switch_of(S)->mover->reply(S, cta_switch_of(S), r); }
static void engine(struct sm *S) {
  struct cta_switch *s = cta_switch_of(S);
  if (s->on && s->mover) s->mover->engine(S, s);
}

static bool end(struct sm *S, struct err *e) {
  struct cta_switch *s = cta_switch_of(S);
  return !s->on || !s->mover || s->mover->end(S, s, e);
}

#define SWITCHING                                                                                                     \
  .fits = fits, .most = most, .init = init, .idle = idle, .skip = skip, .done = done, .plan = plan, .launch = launch, \
  .cta = cta, .late = late, .reply = reply, .engine = engine, .commit = commit, .end = end
const struct residency_ops residency_vt = {.name = "vt", SWITCHING};
const struct residency_ops residency_finereg = {.name = "finereg", .unified = unified, SWITCHING};
