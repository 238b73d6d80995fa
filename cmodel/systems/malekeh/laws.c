/* SPDX-License-Identifier: Apache-2.0 */
/* laws: what the ports of rarb, wfil, the units, alloc and sthld say, compared with what the SM counted (sm/laws.h, docs/laws.md). */
#include <string.h>

#include "systems/malekeh/malekeh.h"
#include "systems/malekeh/near.h"

#define NET malekeh
#define NET_DEF "systems/malekeh/wires.def"
#include "sm/wires.h"

struct malekeh_book {
  bool ticked;
  uint64_t ticked_at, insns; /* of the last end of an interval in this launch */
};

static uint64_t field(uint64_t port, unsigned k, unsigned width) { return port >> width * k & ((1ull << width) - 1); }
static unsigned width_of(uint64_t n) { return (unsigned)bit_count64(n - 1); }
static unsigned near_bits(const struct sm *S, const struct malekeh_size *z, const struct op *op,
                          const struct warp_inst *inst) {
  return z->near ? malekeh_near_bits(S->cfg, op, inst) : 0;
}
static uint32_t row_of(const struct sm *S, unsigned w, unsigned reg) { return S->warp[w].row + reg; }

/* ---- results ---- */

/* What the ports say of the results that are to be written in this cycle; those that were, go to wfil and the units. */
static void check_results(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, unsigned g) {
  const struct rarb_in *rarb = &n->rarb.in[g];
  const struct wfil_in *wfil = &n->wfil.in[g];
  const struct wfil_out *to = z->keeps ? wfil_get(n, g) : NULL;
  const unsigned bank_bits = width_of(z->rarb.Nbank), warp_bits = width_of(z->warps), lanes = (unsigned)z->rarb.Nwb;
  uint64_t asked = 0, written = 0;
  unsigned lane = 0;
  const struct law_event *e;
  for (unsigned i = 0; (e = law_nth(S, LAW_PORT, i)); i++) {
    if (e->group != g || lane == lanes) continue;
    const unsigned k = lane++;
    asked |= 1ull << k;
    const unsigned w = e->warp, reg = e->reg;
    const struct warp_inst inst = {.near = e->near};
    const bool near = near_bits(S, z, &S->op[e->inst], &inst) >> (8 + e->op) & 1;
    law_same(S, "rarb: wb_b_i = bank of the result", field(rarb->wb_b_i, k, bank_bits), law_bank(S, row_of(S, w, reg)));
    if (!e->answer) continue;
    written |= 1ull << k;
    if (!to) continue;
    law_same(S, "wfil: wb_wid_i = warp of the result", wfil->wb_wid_i[k], w / S->nsched);
    law_same(S, "wfil: wb_near_i = near bit of the result", field(wfil->wb_near_i, k, 1), near);
    for (unsigned u = 0; u < z->units; u++) {
      const struct ccu_in *in = &n->ccu.in[z->units * g + u];
      const bool kept = to->d_v_o >> u & 1 && to->d_lane_o[u] == k;
      const bool dropped = to->sn_v_o[u] >> k & 1;
      law_same(S, "ccu: sn_v_i = results that wfil does not give it", in->sn_v_i >> k & 1, dropped);
      if (kept) {
        law_same(S, "ccu: d_v_i = a result that wfil gives it", in->d_v_i, true);
        law_same(S, "ccu: d_wid_i = warp of the result", in->d_wid_i, w / S->nsched);
        law_same(S, "ccu: d_r_i = register of the result", in->d_r_i, reg);
        law_same(S, "ccu: d_near_i = near bit of the result", in->d_near_i, near);
        law_same(S, "ccu: d_lane_i = lanes of the result", in->d_lane_i, e->lanes);
      }
      if (!dropped) continue;
      law_same(S, "ccu: sn_wid_i = warp of the result", field(in->sn_wid_i, k, warp_bits), w / S->nsched);
      law_same(S, "ccu: sn_r_i = register of the result", field(in->sn_r_i, k, 8), reg);
    }
  }
  law_same(S, "rarb: wb_v_i = results that ask for a port", rarb->wb_v_i, asked);
  if (to) law_same(S, "wfil: wb_v_i = results written", wfil->wb_v_i, written);
}

/* ---- operands ---- */

static void check_operands(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, unsigned g) {
  const struct rarb_in *in = &n->rarb.in[g];
  const struct rarb_out *o = rarb_get(n, g);
  const unsigned bank_bits = width_of(z->rarb.Nbank);
  uint64_t requests = 0;
  for (unsigned u = 0; u < z->units; u++) {
    const unsigned k = z->units * g + u;
    const struct ccu_out *c = ccu_get(n, k);
    const struct ccu_in *unit = &n->ccu.in[k];
    const unsigned w = S->group[g].unit[u].warp;
    law_same(S, "ccu: s_v_i = registers that rarb gives the unit", unit->s_v_i, o->s_v_o >> u & 1);
    if (unit->s_v_i) {
      const unsigned bank = (unsigned)field(o->s_b_o, u, bank_bits), reg = (unsigned)field(o->rd_r_o, bank, 8);
      law_same(S, "ccu: s_ct_i = the unit's entry", unit->s_ct_i, field(o->s_ct_o, u, 3));
      law_same(S, "rarb: the bank that gives an operand is that of its row", bank, law_bank(S, row_of(S, w, reg)));
      law_same_words(S, "ccu: s_d_i = the bank's row", unit->s_d_i, check_row(S, w, reg));
    }
    if (!c->rq_v_o) continue;
    requests = c->rq_v_o;
    if (!law_same(S, "rarb: rq_v_i = requests of the unit", in->rq_v_i, c->rq_v_o)) return;
    law_same(S, "rarb: rq_u_i = the unit", in->rq_u_i, u);
    for (unsigned i = 0; i < ccu_Noct; i++) {
      if (!(c->rq_v_o >> i & 1)) continue;
      const unsigned reg = (unsigned)field(c->rq_r_o, i, 8);
      law_same(S, "rarb: rq_r_i = register of the request", field(in->rq_r_i, i, 8), reg);
      law_same(S, "rarb: rq_ct_i = entry of the request", field(in->rq_ct_i, i, 3), field(c->rq_ct_o, i, 3));
      law_same(S, "rarb: rq_b_i = bank of the register", field(in->rq_b_i, i, bank_bits),
               law_bank(S, row_of(S, w, reg)));
    }
  }
  if (!requests) law_same(S, "rarb: rq_v_i = requests of the units", in->rq_v_i, 0);
}

/* ---- instructions ---- */

static void check_taken(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, unsigned g) {
  const struct law_event *e;
  unsigned taken = 0, told = 0;
  uint64_t gone = 0, ended = 0;
  for (unsigned i = 0; (e = law_nth(S, LAW_ISSUE, i)); i++) taken += e->group == g && S->op[e->op].cls != CLS_CTRL;
  for (unsigned i = 0; (e = law_nth(S, LAW_DISPATCHED, i)); i++) gone |= (uint64_t)(e->group == g) << e->id;
  for (unsigned i = 0; (e = law_nth(S, LAW_WARP_ENDED, i)); i++)
    ended |= (uint64_t)(law_group(S, e->id) == g) << e->id / S->nsched;
  for (unsigned u = 0; u < z->units; u++) told += n->ccu.in[z->units * g + u].al_v_i != 0;
  if (!law_same(S, "ccu: al_v_i = instructions that the units have taken", told, taken)) return;
  for (unsigned u = 0; u < z->units; u++) {
    const struct ccu_in *in = &n->ccu.in[z->units * g + u];
    const struct collector_unit *unit = &S->group[g].unit[u];
    law_same(S, "ccu: dp_take_i = the unit's instruction has been dispatched", in->dp_take_i, gone >> u & 1);
    law_same(S, "ccu: ex_m_i = warps that have ended", in->ex_m_i, ended);
    if (!in->al_v_i) continue;
    if (!law_same(S, "ccu: al_v_i of a unit that has an instruction: it is free", S->group[g].free >> u & 1, 0)) return;
    const struct inflight_inst *f = &S->inflight[unit->inflight];
    law_same(S, "ccu: al_meta_i = the unit's instruction", in->al_meta_i, unit->inflight & 0xffff);
    law_same(S, "ccu: al_wid_i = warp of the instruction", in->al_wid_i, f->inst.warp / S->nsched);
    law_same(S, "ccu: al_sv_i = sources of the instruction", in->al_sv_i, (1ull << f->op->nsrc) - 1);
    law_same(S, "ccu: al_near_i = near bits of the sources", in->al_near_i,
             near_bits(S, z, f->op, &f->inst) & in->al_sv_i);
    for (unsigned i = 0; i < f->op->nsrc; i++)
      law_same(S, "ccu: al_r_i = register of the source", field(in->al_r_i, i, 8), f->op->src[i]);
  }
}

/* Older warps come first: CTAs in the order in which they began, a CTA's warps by number. */
static void check_ages(struct sm *S, const struct alloc_in *in, const struct malekeh_size *z, unsigned g) {
  const struct scheduler *sc = &S->sched[g];
  int64_t last = -1;
  for (unsigned at = 0; at < z->warps; at++) {
    const unsigned bit = (unsigned)words_get(in->age_i, width_of(z->warps) * at, width_of(z->warps));
    if (!(sc->resident >> bit & 1)) continue;
    const unsigned w = warp_of(S, g, bit);
    if (S->laws->began == S->now && S->cta[S->warp[w].cta].order + 1 == S->next_cta) continue; /* after ISSUE */
    const int64_t age = (int64_t)S->cta[S->warp[w].cta].order * LAW_WARPS_MAX + w;
    law_same(S, "alloc: age_i = warps in the order in which they began", age > last, true);
    last = age;
  }
}

static void check_alloc(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, unsigned g) {
  const struct alloc_in *in = &n->alloc.in[g];
  if (!in->rdy_i) return;
  for (unsigned u = 0; u < z->units; u++) {
    const struct ccu_out *c = ccu_get(n, z->units * g + u);
    law_same(S, "alloc: r_widv_i = the unit's", in->r_widv_i >> u & 1, c->r_widv_o);
    law_same(S, "alloc: r_wid_i = the unit's", field(in->r_wid_i, u, width_of(z->warps)), c->r_wid_o);
    law_same(S, "alloc: r_busy_i = the unit's", in->r_busy_i >> u & 1, c->r_busy_o);
    law_same(S, "alloc: r_any_i = the unit's", in->r_any_i >> u & 1, c->r_any_o);
    law_same(S, "alloc: r_near_i = the unit's", in->r_near_i >> u & 1, c->r_near_o);
  }
  if (strcmp(S->chosen.scheduler->name, "malekeh") != 0) return;
  law_same(S, "alloc: rdy_i = ready warps", in->rdy_i, S->laws->ready[g]);
  law_same(S, "alloc: nc_i = ready warps that need no unit", in->nc_i, S->laws->control[g]);
  check_ages(S, in, z, g);
}

static void check_interval(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, struct malekeh_book *b) {
  const struct sthld_in *in = &n->sthld.in[0];
  if (b->ticked) {
    law_same(S, "sthld: tick_i each malekeh.interval cycles", in->tick_i,
             S->st.cycles - b->ticked_at == (uint64_t)S->cfg->malekeh_interval);
    if (in->tick_i) law_same(S, "sthld: cur_i = instructions of the interval", in->cur_i, S->st.warp_insns - b->insns);
    for (unsigned g = 0; g < z->groups; g++)
      law_same(S, "alloc: sthld_i = sthld's sth_o", n->alloc.in[g].sthld_i, sthld_get(n, 0)->sth_o);
  }
  if (!in->tick_i) return;
  b->ticked = true;
  b->ticked_at = S->st.cycles;
  b->insns = S->st.warp_insns;
}

void malekeh_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct malekeh_net *n = (struct malekeh_net *)t;
  const struct malekeh_size *z = malekeh_size_of(S);
  bool first;
  struct malekeh_book *b = law_memory(S, SLOT_COLLECTOR, sizeof *b, &first);
  for (unsigned g = 0; g < z->groups; g++) {
    check_results(S, n, z, g);
    check_operands(S, n, z, g);
    check_taken(S, n, z, g);
    check_alloc(S, n, z, g);
  }
  if (z->controlled) check_interval(S, n, z, b);
}
