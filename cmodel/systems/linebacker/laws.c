/* SPDX-License-Identifier: Apache-2.0 */
/* laws: what the ports of CTL, LM and VTT say, compared with what the SM counted (sm/laws.h, docs/laws.md). */
#include <string.h>

#include "blocks/linebacker/ctl.h"
#include "blocks/linebacker/lm.h"
#include "systems/linebacker/linebacker.h"

#define NET linebacker
#define NET_DEF "systems/linebacker/wires.def"
#define WIRES_OF_RESIDENCY
#include "sm/wires.h"
#undef WIRES_OF_RESIDENCY
#define NET victim
#define NET_DEF "systems/linebacker/wires.def"
#include "sm/wires.h"

enum { SAVED = 1 << 16, LINES = 1 << 23 };

struct ctl_laws {
  uint64_t retired; /* told so far */
  uint64_t halted;  /* CTAs, as CTL said */
  bool reading;     /* a row was read in the last cycle */
  uint32_t row[32]; /* its values */
  bool runs;        /* a CTA came back in the last cycle */
  uint64_t run_id, run_first;
  uint32_t asked[ctl_Ring]; /* address of each entry's read */
  uint64_t saved[SAVED];    /* hash of what was written to each address */
  /* for the laws of LM and VTT */
  uint64_t at; /* cycle */
  bool tick, waits, hold, selected, off, still;
  uint64_t top; /* the last register that VTT may not use */
};

struct victim_laws {
  uint32_t pc[256]; /* of each MSHR: the load that took it while LM watched */
  bool ticked;
  uint64_t ticked_at; /* alone: the last window's end in this launch */
};

static struct ctl_laws *ctl_book(struct sm *S, bool *fresh) {
  return law_memory(S, SLOT_RESIDENCY, sizeof(struct ctl_laws), fresh);
}

/* No instruction of the CTA is in flight but reductions that wait at a barrier. */
static bool is_quiet(const struct sm *S, unsigned c) {
  for (uint32_t k = 0; k < S->ninflight; k++) {
    const struct inflight_inst *f = &S->inflight[k];
    if (!f->op || S->warp[f->inst.warp].cta != c || f->op->kind & K_BAR) continue;
    return false;
  }
  return S->cta[c].used && S->cta[c].live;
}

static void check_start(struct sm *S, const struct ctl_in *in, bool first) {
  const uint32_t regs = S->wpc * S->warp_regs;
  law_same(S, "CTL: kstart_i in the launch's first cycle", in->kstart_i, first);
  if (!first) return;
  law_same(S, "CTL: k_nreg_i = registers of a CTA", in->k_nreg_i, regs);
  law_same(S, "CTL: k_bp_i = address of saved registers", in->k_bp_i, saved_base(S));
  law_same(S, "CTL: k_top_i = last register of the CTAs", in->k_top_i, S->rf_slots * regs - 1);
}

static void check_ctas(struct sm *S, struct ctl_laws *b, const struct ctl *model, const struct ctl_in *in,
                       const struct ctl_out *out) {
  if (in->lau_v_i) {
    law_told(S, LAW_BEGUN, in->lau_id_i, S->now);
    law_same(S, "CTL: lau_frn_i = first register of the CTA", in->lau_frn_i, S->warp[S->cta[in->lau_id_i].slot[0]].row);
  }
  if (in->fin_v_i) law_told(S, LAW_ENDED, in->fin_id_i, 0);
  if (model->r.state_q == CTL_QUI)
    law_same(S, "CTL: quies_i = the halted CTA has nothing in flight", in->quies_i,
             is_quiet(S, (unsigned)model->cta_q) ? 1ull << model->cta_q : 0);
  if (b->runs)
    law_same(S, "CTL: run_frn_o = first register of the CTA that comes back", b->run_first,
             S->warp[S->cta[b->run_id].slot[0]].row);
  if (out->halt_v_o) b->halted |= 1ull << out->halt_id_o;
  if (out->run_v_o) b->halted &= ~(1ull << out->run_id_o);
  b->runs = out->run_v_o;
  b->run_id = out->run_id_o;
  b->run_first = out->run_frn_o;
  unsigned active = 0;
  for (unsigned c = 0; c < S->cta_limit; c++) {
    if (!S->cta[c].used) b->halted &= ~(1ull << c);
    const bool halted = b->halted >> c & 1;
    active += S->cta[c].used && !halted;
    for (unsigned i = 0; S->cta[c].used && i < S->wpc; i++) {
      const unsigned w = S->cta[c].slot[i];
      law_same(S, "CTL: warps behind the gate are those of halted CTAs",
               S->sched[w % S->nsched].gate[SLOT_RESIDENCY] >> w / S->nsched & 1, halted);
    }
  }
  law_same(S, "CTL: active CTAs = CTAs - halted CTAs", S->nactive, active);
}

/* Rows that leave and come back, and their way through memory. */
static void check_moves(struct sm *S, struct ctl_laws *b, const struct ctl_in *in, const struct ctl_out *out) {
  law_same(S, "CTL: rv_v_i in the cycle after each read", in->rv_v_i, b->reading);
  if (b->reading) law_same_words(S, "CTL: rv_d_i = the row that was read", in->rv_d_i, b->row);
  b->reading = out->rr_v_o && in->rr_rdy_i;
  if (b->reading) {
    law_access(S, 0, RF_READ, (uint32_t)out->rr_rn_o);
    memcpy(b->row, check_file(S, (uint32_t)out->rr_rn_o), sizeof b->row);
  }
  if (out->rw_v_o && in->rw_rdy_i) {
    law_access(S, 0, RF_WRITE, (uint32_t)out->rw_rn_o);
    law_same_words(S, "CTL: rw_d_o = the row after the write", out->rw_d_o, check_file(S, (uint32_t)out->rw_rn_o));
  }
  if (out->mw_v_o && in->mw_rdy_i) {
    law_told(S, LAW_MOVED, out->mw_a_o, MEM_WRITE << 8 | 15);
    b->saved[(out->mw_a_o - saved_base(S)) / 128 % SAVED] = law_hash(out->mw_d_o, 128);
  }
  if (out->mq_v_o && in->mq_rdy_i) {
    law_told(S, LAW_MOVED, out->mq_a_o, MEM_READ << 8 | 15);
    b->asked[out->mq_e_o] = (uint32_t)out->mq_a_o;
  }
  if (!in->ms_v_i) return;
  law_told(S, LAW_REPLIES, in->ms_e_i, 0);
  law_same(S, "CTL: ms_d_i = what was written to this address", law_hash(in->ms_d_i, 128),
           b->saved[(b->asked[in->ms_e_i] - saved_base(S)) / 128 % SAVED]);
}

void linebacker_ctl_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct linebacker_net *n = (struct linebacker_net *)t;
  const struct ctl *model = ctl_model(n, 0);
  const struct ctl_in *in = &n->ctl.in[0];
  const struct ctl_out *out = ctl_get(n, 0);
  bool first;
  struct ctl_laws *b = ctl_book(S, &first);
  if (first) {
    law_open(S, LAW_BEGUN), law_open(S, LAW_ENDED), law_open(S, LAW_MOVED), law_open(S, LAW_REPLIES);
    b->retired = S->laws->retired;
  }
  check_start(S, in, first);
  b->retired += in->ret_n_i;
  law_same(S, "CTL: ret_n_i = instructions retired, summed", b->retired, S->st.retired);
  check_ctas(S, b, model, in, out);
  check_moves(S, b, in, out);
  b->at = S->now;
  b->tick = out->tick_o;
  b->waits = model->r.policy_q == CTL_WAIT;
  b->hold = out->hold_o;
  b->top = out->lrn_o;
  b->selected = in->lm_sel_i;
  b->off = in->lm_off_i;
  b->still = in->hack_i;
}

/* ---- LM and VTT ---- */

static uint32_t line_number(uint32_t line) { return line / 128 % LINES; }

/* A load's code address: instructions lie one after the other from fetch_base on. */
static uint32_t load_address(const struct sm *S, uint32_t op) {
  return S->fetch_base + S->insn_bytes * (S->at ? S->at[op] : S->op[op].pc / 8);
}

static void check_windows(struct sm *S, struct victim_laws *b, const struct lm_in *in, const struct ctl_laws *c) {
  if (c) {
    law_same(S, "LM: tick_i = CTL's tick_o", in->tick_i, c->tick);
    return;
  }
  if (b->ticked)
    law_same(S, "LM: tick_i each linebacker.period cycles", in->tick_i,
             S->st.cycles - b->ticked_at == (uint64_t)S->cfg->linebacker_period);
  if (in->tick_i) b->ticked_at = S->st.cycles;
  b->ticked |= in->tick_i;
}

static void check_monitor(struct sm *S, struct victim_laws *b, const struct lm_in *in, const struct lm_out *lm,
                          const struct vtt_in *vtt, const struct vtt_out *o) {
  const bool watches = S->cfg->linebacker_select && lm->mode_o == LM_MON;
  const struct law_event *hit = law_nth(S, LAW_L1_HIT, 0);
  if (law_same(S, "LM: a_v_i = hits in the L1 while it watches", in->a_v_i, watches ? law_count(S, LAW_L1_HIT) : 0) &&
      in->a_v_i)
    law_same(S, "LM: a_pc_i = code address of the load that hits", in->a_pc_i, load_address(S, hit->op));
  const bool probe =
      o->rs_v_o && vtt->rs_rdy_i && o->rs_kind_o == VTT_PROBE && S->cfg->linebacker_select && lm->mode_o == LM_MON;
  if (law_same(S, "LM: b_v_i = probes answered while it watches", in->b_v_i, probe) && probe) {
    law_same(S, "LM: b_pc_i = code address of the load that missed", in->b_pc_i, b->pc[o->rs_id_o]);
    law_same(S, "LM: b_hit_i = the probe's answer", in->b_hit_i, o->rs_hit_o);
  }
}

static void check_lookups(struct sm *S, struct victim_laws *b, const struct vtt_in *in, const struct vtt_out *o) {
  const bool watches = o->vm_o == VTT_MON;
  const enum law_kind kind = watches ? LAW_L1_MISSED : LAW_L1_MISS;
  const unsigned n = o->vm_o == VTT_OFF ? 0 : law_count(S, kind);
  const struct law_event *e = law_nth(S, kind, 0);
  if (law_same(S, "VTT: lk_v_i = read misses of the L1", in->lk_v_i, n) && n) {
    law_same(S, "VTT: lk_l_i = number of the line", in->lk_l_i, line_number(e->line));
    law_same(S, "VTT: lk_id_i = the MSHR", in->lk_id_i, e->id);
    if (watches) b->pc[e->id] = load_address(S, e->op);
  }
  law_same(S, "VTT: no miss is held, or leaves at once, against its mode",
           law_count(S, watches || o->vm_o == VTT_OFF ? LAW_L1_MISS : LAW_L1_MISSED), 0);
}

/* Lines that leave the L1: those that VTT is to keep. */
static void check_inserts(struct sm *S, struct victim_net *n, const struct vtt_in *in, const struct vtt_out *o) {
  const bool sel = o->vm_o == VTT_SEL, on = o->vm_o != VTT_OFF && o->act_o;
  const struct law_event *kept = NULL, *last = NULL;
  unsigned count = 0;
  for (unsigned k = 0; on && (last = law_nth(S, LAW_L1_EVICT, k)); k++)
    if (last->answer == (sel ? L1_HELD : L1_GO)) kept = last, count++;
  if (law_same(S, "VTT: in_v_i = lines of the L1 that it is to keep", in->in_v_i, count) && count)
    law_same(S, "VTT: in_l_i = number of the line", in->in_l_i, line_number(kept->line));
  const unsigned asked = on && sel ? law_count(S, LAW_L1_EVICT) : 0;
  if (!asked || !S->cfg->linebacker_select) return;
  last = law_nth(S, LAW_L1_EVICT, asked - 1);
  law_same(S, "LM: q_hpc_i = owner of the line", n->lm.in[0].q_hpc_i, last->id);
  law_same(S, "LM: q_sel_o = the line is kept", lm_get(n, 0)->q_sel_o, last->answer != L1_GO);
}

static void check_stores(struct sm *S, const struct vtt_in *in, const struct vtt_out *o) {
  const unsigned stores = o->vm_o == VTT_OFF ? 0 : law_count(S, LAW_L1_STORE);
  if (law_same(S, "VTT: iv_v_i = stores and atomics", in->iv_v_i, stores) && stores)
    law_same(S, "VTT: iv_l_i = number of the line", in->iv_l_i, line_number(law_nth(S, LAW_L1_STORE, 0)->line));
}

/* The response that was taken in this cycle went where it says. */
static void check_response(struct sm *S, const struct vtt_in *in, const struct vtt_out *o) {
  const bool taken = o->rs_v_o && in->rs_rdy_i;
  const bool gone = taken && o->rs_kind_o == VTT_LOOKUP && !o->rs_hit_o;
  if (law_same(S, "VTT: held reads that leave for L2 = look-ups that miss", law_count(S, LAW_L1_GONE), gone) && gone)
    law_same(S, "VTT: rs_id_o = the MSHR that leaves", o->rs_id_o, law_nth(S, LAW_L1_GONE, 0)->id);
  if (!taken || gone || o->rs_kind_o == VTT_PROBE) return;
  const struct victim_port *p = &S->victim;
  const struct victim_access *a = &p->queue[(p->head + p->count + VICTIM_PORT - 1) % VICTIM_PORT];
  if (!law_same(S, "VTT: a response enters the victim port", p->count != 0, true)) return;
  law_same(S, "VTT: rs_rn_o = row of the access", o->rs_rn_o, a->row);
  law_same(S, "VTT: rs_kind_o = the access writes", o->rs_kind_o == VTT_INSERT, a->write);
  if (!a->write) law_same(S, "VTT: rs_id_o = the MSHR that waits for the row", o->rs_id_o, a->tag);
}

void linebacker_victim_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct victim_net *n = (struct victim_net *)t;
  const struct lm_in *lm_in = &n->lm.in[0];
  const struct vtt_in *in = &n->vtt.in[0];
  const struct lm_out *lm = lm_get(n, 0);
  const struct vtt_out *o = vtt_get(n, 0);
  bool first, unused;
  struct victim_laws *b = law_memory(S, SLOT_L1, sizeof *b, &first);
  const struct ctl_laws *c = S->cfg->slot_residency == slot_residency_linebacker ? ctl_book(S, &unused) : NULL;
  law_same(S, "VTT: kstart_i in the launch's first cycle", in->kstart_i, first);
  check_windows(S, b, lm_in, c);
  check_monitor(S, b, lm_in, lm, in, o);
  check_lookups(S, b, in, o);
  check_inserts(S, n, in, o);
  check_stores(S, in, o);
  check_response(S, in, o);
  law_same(S, "VTT: vbusy_i = accesses in the victim port", in->vbusy_i, S->victim.count != 0);
  if (first) return; /* levels follow from the last cycle's outputs */
  law_same(S, "VTT: mode_i = LM's mode_o", in->mode_i, S->cfg->linebacker_select ? lm->mode_o : VTT_SEL);
  if (!c) {
    law_same(S, "VTT: lrn_i = last register of the CTAs", in->lrn_i, S->cta_limit * S->wpc * S->warp_regs - 1);
    return;
  }
  law_same(S, "VTT: lrn_i = CTL's lrn_o", in->lrn_i, c->top);
  law_same(S, "VTT: hold_i only while CTL's hold_o", in->hold_i & ~(uint64_t)c->hold, 0);
  law_same(S, "CTL: lm_sel_i = LM's selected_o", c->selected, lm->selected_o);
  law_same(S, "CTL: lm_off_i = LM has given up", c->off, lm->mode_o == LM_OFF && c->waits);
  law_same(S, "CTL: hack_i = VTT's hack_o", c->still, c->hold && o->hack_o);
}
