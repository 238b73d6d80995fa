/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cta_switch: residencies vt and finereg: more CTAs are resident than may issue; one whose warps all wait for memory
 * is replaced by another (Virtual Thread, ISCA'16; FineReg, MICRO'18, sections IV and V). The golden models decide:
 * csm holds the state of every CTA, csw the policy, and the register mover (cta_switch.h) moves registers if needed.
 *
 * A CTA's number is csm's id and its slot in the SM. Gates of CTAs that do not issue are closed, and nothing
 * is fetched for them; the instructions in their buffers are part of the context. A context moves through
 * shared memory's port. A kernel that gains no CTA runs as under static residency.
 */
#define NET_TABLE
#define NET_LAWS cta_switch_laws
#include "systems/finereg/cta_switch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- slots of the register file ---- */

static void take_rf_slot(struct sm *S, struct cta_switch *s, unsigned c) {
  unsigned k = s->free_rf_slot[0] ? 0 : 1;
  if (!s->free_rf_slot[k]) die("no place in the register file for CTA slot %u", c);
  unsigned p = 64 * k + (unsigned)bit_low64(s->free_rf_slot[k]);
  set_del(s->free_rf_slot, p);
  s->rf_slot[c] = (int16_t)p;
  if (cta_view(S, c)->used) cta_rf_slot(S, c, p); /* else its launch does that */
}

static void give_rf_slot(struct cta_switch *s, unsigned c) {
  set_add(s->free_rf_slot, (uint32_t)s->rf_slot[c]);
  s->rf_slot[c] = -1;
}

void cta_switch_begins(struct sm *S, struct cta_switch *s, unsigned op, unsigned a, unsigned b) {
  assert(op == CSW_RESTORE ||
         !cta_has(op == CSW_SPILL ? s->no_spill : s->no_swap, a)); /* it was refused for lack of room */
  if (op == CSW_RESTORE) take_rf_slot(S, s, b);
  if (op == CSW_SWAP) cta_rf_slot(S, b, (unsigned)s->rf_slot[a]);
  if (op != CSW_RESTORE) probe_tell(S, a, PROBE_LEAVES);
  if (op != CSW_SPILL) probe_tell(S, b, PROBE_COMES);
}

void cta_switch_ended(struct sm *S, struct cta_switch *s, unsigned op, unsigned a, unsigned b, bool ok) {
  if (!ok) {
    sm_counters(S)->refused++;
    cta_bit(s->refused, a, true);
    cta_bit(s->no_spill, a, s->by_room); /* it needs more room than a swap */
    cta_bit(s->no_swap, a, s->by_room && op == CSW_SWAP);
    s->told = false;
    probe_tell(S, a, PROBE_STAYS);
    if (op == CSW_SWAP) probe_tell(S, b, PROBE_STAYS);
    return;
  }
  ++*(op == CSW_SPILL     ? &sm_counters(S)->spills
      : op == CSW_RESTORE ? &sm_counters(S)->restores
                          : &sm_counters(S)->swaps);
  if (op == CSW_SWAP) {
    s->rf_slot[b] = s->rf_slot[a];
    s->rf_slot[a] = -1;
  }
  if (op == CSW_SPILL) give_rf_slot(s, a);
  if (op != CSW_RESTORE) s->away[a] = true;
  if (op != CSW_SPILL) s->away[b] = false;
}

static bool rf_slot_free(const struct cta_switch *s) { return (s->free_rf_slot[0] | s->free_rf_slot[1]) != 0; }

static void tell_csw(struct sm *S, struct cta_switch *s);

/* ---- launch ---- */

static bool fits(const struct config *cfg, const struct slots *slots, struct err *e) {
  const char *moves = "what it moves is a warp's register in its own row of the flat file";
  if (cfg->slot_residency == slot_residency_finereg)
    return slot_needs(e, "slot.residency finereg", "storage", slots->storage->name, "flat", moves);
  if (!cfg->finereg_dram_ctas) return true;
  const char *mine = "slot.residency vt with finereg.dram_ctas above 0";
  return slot_needs(e, mine, "storage", slots->storage->name, "flat", moves) &&
         slot_needs(e, mine, "l1", slots->l1->name, "plain", "registers that come back need rows that hold no lines");
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
  const struct config *c = sm_view(S)->cfg;
  struct cta_switch *s = xcalloc_lines(1, sizeof *s);
  choice_set(S, SLOT_RESIDENCY, s);
  s->mover = c->slot_residency == slot_residency_finereg ? &mover_finereg : c->finereg_dram_ctas ? &mover_dram : NULL;
  if (s->mover) s->state = s->mover->init(c);
  return true;
}

static void done(struct sm *S) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s) return;
  if (s->mover) s->mover->done(s->state);
  free(s);
}

/* CTAs whose registers the file can hold, and those that may be resident with theirs elsewhere. */
static uint32_t cta_switch_room(struct sm *S, const struct cta_need *need, uint32_t *rf_slots, const char **limiter) {
  const struct config *c = sm_view(S)->cfg;
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
  s->on = false;
  if (!ledger_plan(S, kernel, e)) return false;
  const struct cta_need need = ledger_need(S);
  uint32_t rf_slots, base = cta_fit(sm_view(S)->cfg, &need).ctas;
  const char *limiter;
  uint32_t most = cta_switch_room(S, &need, &rf_slots, &limiter);
  if (sm_view(S)->cfg->slot_residency == slot_residency_finereg) {
    const char *why = !rf_slots                     ? "a CTA's registers do not fit into finereg.acrf_bytes"
                      : !live_vectors(kernel->code) ? "it has more registers than a live vector names"
                                                    : NULL;
    if (why) return plan_warn_without(S, SLOT_RESIDENCY, kernel, "FineReg", why), true;
  }
  s->active_limit = base < rf_slots ? base : rf_slots;
  const uint32_t fit = most;
  if (launch_ctas(S) < most) {
    most = launch_ctas(S);
    limiter = "grid";
  }
  if (most <= s->active_limit) return true;
  plan_ctas(S, most, fit, rf_slots, limiter);
  if (sm_view(S)->cfg->slot_residency != slot_residency_finereg && !saved_fits(S, e)) return false;
  s->on = true;
  s->code = kernel->code;
  twins_start(&s->net.t, &finereg_twins, S, s->mover == &mover_finereg ? 0 : 1u << finereg_rmu);
  memset(s->context, CSM_CONTEXT_NONE, sizeof s->context);
  memset(s->regs, CSM_REGISTERS_NONE, sizeof s->regs);
  memset(s->away, 0, sizeof s->away);
  memset(s->stalled, 0, sizeof s->stalled);
  memset(s->ready, 0, sizeof s->ready);
  memset(s->ended, 0, sizeof s->ended);
  memset(s->refused, 0, sizeof s->refused);
  memset(s->no_spill, 0, sizeof s->no_spill);
  memset(s->no_swap, 0, sizeof s->no_swap);
  s->by_room = s->mover == &mover_finereg && sm_view(S)->cfg->finereg_retry == finereg_retry_room;
  s->barred = false;
  memset(s->rf_slot, 0xff, sizeof s->rf_slot);
  memset(s->free_rf_slot, 0, sizeof s->free_rf_slot);
  for (uint32_t p = 0; p < rf_slots; p++) set_add(s->free_rf_slot, p);
  s->moved_at = 0;
  s->suspends = false;
  if (s->mover) s->mover->begin(S, s, kernel);
  tell_csw(S, s);
  return true;
}

static int launch(struct sm *S, unsigned *rf_slot) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return cta_lowest(S, rf_slot);
  const struct csw_out *o = csw_get(&s->net, 0);
  if (!o->launch_valid_o) return -1;
  unsigned c = (unsigned)o->launch_cta_o;
  take_rf_slot(S, s, c);
  *rf_slot = (unsigned)s->rf_slot[c];
  return (int)c;
}

/* ---- inputs of csm and csw ---- */

static bool cta_switch_is_active(const struct cta_switch *s, unsigned c) {
  return s->context[c] == CSM_CONTEXT_PIPELINE && s->regs[c] == CSM_REGISTERS_HERE;
}

/*
 * Once csw has begun to suspend a CTA, its inputs must not show that the CTA is ready again. In the first cycle of
 * freeze csw looks whether it is (examine); from the second one on it suspends it.
 */
static bool cta_switch_is_leaving(struct cta_switch *s, unsigned c) {
  const struct csw_out *o = csw_get(&s->net, 0);
  return s->suspends && o->freeze_valid_o && o->freeze_cta_o == c;
}

static void cta_switch_look_at(struct sm *S, struct cta_switch *s, unsigned c) {
  const struct cta_view *C = cta_view(S, c);
  cta_bit(s->stalled, c, C->used && cta_switch_is_active(s, c) && (C->stalled || cta_switch_is_leaving(s, c)));
  cta_bit(s->ready, c, C->used && s->context[c] == CSM_CONTEXT_SHARED && !C->stalled);
  if (!cta_has(s->stalled, c)) {
    cta_bit(s->refused, c, false);
    cta_bit(s->no_spill, c, false);
    cta_bit(s->no_swap, c, false);
  }
  s->told = false;
}

static void cta(struct sm *S, unsigned c, enum cta_event ev) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return;
  cta_switch_look_at(S, s, c);
  if (ev != CTA_ENDED) return;
  cta_bit(s->ended, c, true);
  cta_bit(s->stalled, c, false);
  give_rf_slot(s, c);
}

static int cta_set_lowest(const uint32_t *set) {
  for (unsigned k = 0; k < CTA_WORDS; k++)
    if (set[k]) return (int)(32 * k) + bit_low32(set[k]);
  return -1;
}

static void tell_csm(struct cta_switch *s) {
  if (memcmp(s->net.csm.in[0].ready_i, s->ready, sizeof s->ready))
    memcpy(csm_set(&s->net, 0)->ready_i, s->ready, sizeof s->ready);
}

static bool new_fits(const struct sm *S, struct cta_switch *s) {
  return grid_has_cta(S) && sm_view(S)->ncta < sm_view(S)->cta_limit &&
         csm_get(&s->net, 0)->new_cta_o < sm_view(S)->cta_limit;
}

/*
 * Refused commands (docs/blocks/finereg/rmu.md, obligation 4 of the SM). A stalled CTA whose command was refused is not shown to csw, which
 * would examine it every 16 cycles, unless something else can be done with it: its place in the pipeline or in the ACRF is
 * enough, or a swap was not refused yet. csw tries a spill before a swap; in the cycle in which it chooses, a CTA whose spill was refused sees
 * no new CTA.
 */
static void forget_refused(struct cta_switch *s, const struct csm_out *m) {
  const struct rmu_out *o = rmu_get(&s->net, 0);
  if (!m->spilled_valid_o) memset(s->no_swap, 0, sizeof s->no_swap);
  if (!o->command_ready_o || o->free_count_o == s->room_seen) return;
  s->room_seen = o->free_count_o;
  memset(s->no_spill, 0, sizeof s->no_spill);
  memset(s->no_swap, 0, sizeof s->no_swap);
}

static void hide_refused(struct sm *S, struct cta_switch *s, const struct csm_out *m, uint32_t shown[CTA_WORDS]) {
  const struct csw_out *o = csw_get(&s->net, 0);
  const bool in_place = m->kept_valid_o || (m->new_valid_o && new_fits(S, s) && rf_slot_free(s));
  s->barred = o->freeze_valid_o && !s->suspends && cta_has(s->no_spill, (unsigned)o->freeze_cta_o) && !rf_slot_free(s);
  for (unsigned k = 0; k < CTA_WORDS && !in_place; k++)
    shown[k] &= ~s->no_spill[k] | (m->spilled_valid_o ? ~s->no_swap[k] : 0);
  if (o->freeze_valid_o) shown[o->freeze_cta_o / 32] |= s->stalled[o->freeze_cta_o / 32] & 1u << o->freeze_cta_o % 32;
}

static void tell_csw(struct sm *S, struct cta_switch *s) {
  struct finereg_net *n = &s->net;
  const struct csm_out *m = csm_get(n, 0);
  const int ended = cta_set_lowest(s->ended);
  uint32_t shown[CTA_WORDS];
  memcpy(shown, s->stalled, sizeof shown);
  if (s->by_room) {
    forget_refused(s, m);
    hide_refused(S, s, m, shown);
  }
  if (memcmp(n->csw.in[0].stalled_i, shown, sizeof shown)) memcpy(csw_set(n, 0)->stalled_i, shown, sizeof shown);
  /* an ended CTA has released everything but its id, which csm keeps until csw has updated it */
  NET_LEVEL(n, csw, 0, new_fits_i, new_fits(S, s) && !s->barred);
  NET_LEVEL(n, csw, 0, acrf_slot_free_i, rf_slot_free(s));
  NET_LEVEL(n, csw, 0, pipeline_slot_free_i, m->active_count_o < s->active_limit);
  NET_LEVEL(n, csw, 0, cta_warps_i, sm_view(S)->wpc);
  NET_LEVEL(n, csw, 0, finished_valid_i, ended >= 0);
  NET_LEVEL(n, csw, 0, finished_cta_i, ended < 0 ? 0 : (uint64_t)ended);
  s->told = true;
}

/* ---- outputs of csm and csw ---- */

/* One of csm's set ports. `begins`: the launch has done the rest. */
static void cta_switch_put(struct sm *S, struct cta_switch *s, unsigned c, enum csm_context context,
                           enum csm_registers regs, bool begins) {
  bool was = cta_switch_is_active(s, c);
  s->context[c] = (uint8_t)context;
  s->regs[c] = (uint8_t)regs;
  bool is = cta_switch_is_active(s, c);
  sm_keep_awake(S);
  if (context == CSM_CONTEXT_NONE) return; /* it has ended */
  if (was != is && !begins) {
    occupancy_note(S);
    cta_set_active(S, is ? sm_view(S)->nactive + 1 : sm_view(S)->nactive - 1);
    sm_counters(S)->switches += was;
    cta_gate_alone(S, c, !is);
    cta_tell_scheduler(S, c, is ? WEV_IN : WEV_OUT);
  }
  probe_tell(S, c, is ? PROBE_ACTIVE : regs == CSM_REGISTERS_HERE ? PROBE_CONTEXT : PROBE_PENDING);
  cta_switch_look_at(S, s, c);
}

static void put_ports(struct sm *S, struct cta_switch *s, const struct csw_out *o) {
  for (unsigned k = 0; k < 2; k++)
    if (o->set_valid_o >> k & 1) {
      sm_counters(S)->status_changes++;
      cta_switch_put(S, s, o->set_cta_o[k], (enum csm_context)o->set_context_o[k],
                     (enum csm_registers)o->set_registers_o[k], k && o->launch_valid_o);
    }
}

/* The context moves through shared memory's port, after its current accesses; true in the last cycle. */
static bool context_moved(struct sm *S, struct cta_switch *s) {
  if (!csw_get(&s->net, 0)->context_move_valid_o) return false;
  if (!s->moved_at) {
    uint64_t n = (uint64_t)sm_view(S)->cfg->finereg_context_cycles * sm_view(S)->wpc;
    s->moved_at = lsu_shared_port(S, n);
    sm_counters(S)->context_cycles += n;
  }
  if (sm_view(S)->now + 1 < s->moved_at) return false;
  s->moved_at = 0;
  return true;
}

/* csw's outputs have changed: the CTA that it is about to suspend must not issue. */
static void cta_switch_freeze(struct sm *S, struct cta_switch *s, bool was, unsigned a) {
  const struct csw_out *o = csw_get(&s->net, 0);
  bool is = o->freeze_valid_o;
  unsigned b = (unsigned)o->freeze_cta_o;
  if (was == is && a == b) return;
  if (was && cta_switch_is_active(s, a)) {
    cta_gate_alone(S, a, false);
    if (!cta_view(S, a)->stalled) sm_keep_awake(S); /* it has become ready meanwhile */
    cta_switch_look_at(S, s, a);
  }
  if (is) cta_gate_alone(S, b, true);
}

static bool any_come(const struct cta_switch *s) {
  const struct csw_in *in = &s->net.csw.in[0];
  return in->kept_valid_i || in->spilled_valid_i || (in->new_valid_i && (in->new_fits_i || s->barred));
}

static bool cta_switch_is_depleted(const struct cta_switch *s) {
  for (unsigned k = 0; k < CTA_WORDS; k++)
    if (s->refused[k] & s->stalled[k]) return any_come(s);
  return false;
}

static void count_depleted(struct sm *S, const struct cta_switch *s) {
  if (sm_view(S)->last_issue != sm_view(S)->now) sm_counters(S)->depleted += cta_switch_is_depleted(s);
}

/* In this cycle csw puts CTAs to another status, takes an ended one off the list, and gives the RMU a command. */
struct decision {
  struct csw_out csw; /* with set_valid_o only */
  bool set, frozen;
  unsigned frozen_cta;
};

static void cta_switch_decide(struct sm *S, struct cta_switch *s, struct decision *d) {
  struct finereg_net *n = &s->net;
  const struct csw_out *o = csw_get(n, 0);
  d->frozen = o->freeze_valid_o;
  d->frozen_cta = (unsigned)o->freeze_cta_o;
  tell_csm(s);
  tell_csw(S, s);
  if (context_moved(S, s)) csw_set(n, 0)->context_move_done_i = 1;
  if (s->mover) s->mover->ask(S, s);
  twins_settle(&n->t, &finereg_twins);
  o = csw_get(n, 0);
  d->set = o->set_valid_o != 0;
  if (d->set) d->csw = *o;
  if (n->csw.in[0].finished_valid_i && o->finished_ready_o)
    cta_bit(s->ended, (unsigned)n->csw.in[0].finished_cta_i, false);
  count_depleted(S, s);
}

/* From csw's choice of a new CTA until it begins. */
static void keep_new(struct sm *S, struct cta_switch *s) {
  const struct csw *w = csw_model(&s->net, 0);
  grid_keep(S, w->launch_q && (w->r.state_q != CSW_IDLE || csw_get(&s->net, 0)->launch_valid_o));
}

static void commit(struct sm *S) {
  struct cta_switch *s = cta_switch_of(S);
  struct decision d = {.set = false};
  if (!s->on) return;
  if (s->told && !twins_awake(&s->net.t) && !s->net.t.observed) {
    count_depleted(S, s);
    twins_asleep(&s->net.t);
    if (s->mover) s->mover->commit(S, s);
    return;
  }
  cta_switch_decide(S, s, &d);
  twins_commit(&s->net.t, &finereg_twins);
  s->suspends = d.frozen && csw_get(&s->net, 0)->freeze_valid_o;
  if (d.set) put_ports(S, s, &d.csw);
  if (s->mover) s->mover->commit(S, s);
  tell_csm(s);
  tell_csw(S, s);
  keep_new(S, s);
  cta_switch_freeze(S, s, d.frozen, d.frozen_cta);
}

static uint64_t idle(struct sm *S) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return NEVER;
  if (!s->told) return 0;
  uint64_t n = u64_min(s->mover ? s->mover->idle(S, s) : NEVER, twins_idle(&s->net.t, &finereg_twins));
  const struct csw_out *o = csw_get(&s->net, 0);
  /* a refused CTA that is being examined is hidden again */
  if (o->freeze_valid_o && !s->suspends && cta_has(s->no_spill, (unsigned)o->freeze_cta_o)) return 0;
  if (!o->context_move_valid_o) return n;
  return s->moved_at ? u64_min(n, s->moved_at - 1 - sm_view(S)->now) : 0;
}

static void skip(struct sm *S, uint64_t n) {
  struct cta_switch *s = cta_switch_of(S);
  if (!s->on) return;
  const struct csw_out *o = csw_get(&s->net, 0);
  const bool frozen = o->freeze_valid_o;
  const unsigned a = (unsigned)o->freeze_cta_o;
  if (cta_switch_is_depleted(s)) sm_counters(S)->depleted += n;
  twins_skip(&s->net.t, &finereg_twins, n);
  cta_switch_freeze(S, s, frozen, a);
}

/* Where several SMs share the grid, it may have a CTA for this one again, or none any more. */
static void quantum(struct sm *S) {
  struct cta_switch *s = cta_switch_of(S);
  if (s->on && (new_fits(S, s) && !s->barred) != s->net.csw.in[0].new_fits_i) s->told = false;
}

static enum late late(struct sm *S, const struct inflight_view *f) {
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
  for (unsigned c = 0; sm_view(S)->laws && s->on && c < CTAS; c++)
    if (cta_has(s->ended, c)) law_told(S, LAW_ENDED, c, 0);
  return !s->on || !s->mover || s->mover->end(S, s, e);
}

#define SWITCHING                                                                                                     \
  .fits = fits, .most = most, .init = init, .idle = idle, .skip = skip, .done = done, .plan = plan, .launch = launch, \
  .cta = cta, .late = late, .reply = reply, .engine = engine, .commit = commit, .quantum = quantum, .end = end
const struct residency_ops residency_vt = {.name = "vt", SWITCHING};
const struct residency_ops residency_finereg = {.name = "finereg", .unified = unified, SWITCHING};
