/* SPDX-License-Identifier: Apache-2.0 */
/* laws: what the ports of rarb, wfil, the units, alloc and sthld say, compared with what the SM counted (sm/laws.h, docs/reference/laws.md). */
#include <string.h>

#include "systems/malekeh/malekeh.h"
#include "systems/malekeh/near.h"

#define NET malekeh
#define NET_DEF "gen/nets/malekeh.def"
#include "sm/wires.h"

struct malekeh_book {
  bool ticked;
  uint64_t ticked_at, insns; /* of the last end of an interval in this launch */
};

static unsigned malekeh_laws_near_bits(const struct sm *S, const struct malekeh_size *z, const struct op *op,
                                       const struct warp_inst *inst) {
  return z->near ? malekeh_near_bits(sm_view(S)->cfg, op, inst) : 0;
}
static uint32_t malekeh_row_of(const struct sm *S, unsigned w, unsigned reg) { return warp_view(S, w)->row + reg; }

/* ---- results ---- */

/* What the ports say of the results that are to be written in this cycle; those that were, go to wfil and the units. */
static void malekeh_check_results(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, unsigned g) {
  const struct rarb_in *rarb = &n->rarb.in[g];
  const struct wfil_in *wfil = &n->wfil.in[g];
  const struct wfil_out *to = z->keeps ? wfil_get(n, g) : NULL;
  const unsigned results = (unsigned)z->rarb.NumResults;
  uint64_t asked = 0, written = 0;
  unsigned result = 0;
  const struct law_event *e;
  for (unsigned i = 0; (e = law_nth(S, LAW_PORT, i)); i++) {
    if (e->group != g || result == results) continue;
    const unsigned k = result++;
    asked |= 1ull << k;
    const unsigned w = e->warp, reg = e->reg;
    const struct warp_inst inst = {.near = e->near};
    const bool near = malekeh_laws_near_bits(S, z, &sm_view(S)->op[e->inst], &inst) >> (8 + e->op) & 1;
    law_same(S, "rarb: result_bank_i = bank of the result", rarb->result_bank_i[k],
             law_bank(S, malekeh_row_of(S, w, reg)));
    if (!e->answer) continue;
    written |= 1ull << k;
    if (!to) continue;
    law_same(S, "wfil: result_warp_i = warp of the result", wfil->result_warp_i[k], w / sm_view(S)->nsched);
    law_same(S, "wfil: result_near_i = near bit of the result", wfil->result_near_i >> k & 1, near);
    for (unsigned u = 0; u < z->units; u++) {
      const struct ccu_in *in = &n->ccu.in[z->units * g + u];
      const bool kept = to->cache_valid_o >> u & 1 && to->cache_result_o[u] == k;
      const bool dropped = to->snoop_valid_o[u] >> k & 1;
      law_same(S, "ccu: snoop_valid_i = results that wfil does not give it", in->snoop_valid_i >> k & 1, dropped);
      if (kept) {
        law_same(S, "ccu: cache_valid_i = a result that wfil gives it", in->cache_valid_i, true);
        law_same(S, "ccu: cache_warp_i = warp of the result", in->cache_warp_i, w / sm_view(S)->nsched);
        law_same(S, "ccu: cache_register_i = register of the result", in->cache_register_i, reg);
        law_same(S, "ccu: cache_near_i = near bit of the result", in->cache_near_i, near);
        law_same(S, "ccu: cache_lanes_i = lanes of the result", in->cache_lanes_i, e->lanes);
      }
      if (!dropped) continue;
      law_same(S, "ccu: snoop_warp_i = warp of the result", in->snoop_warp_i[k], w / sm_view(S)->nsched);
      law_same(S, "ccu: snoop_register_i = register of the result", in->snoop_register_i[k], reg);
    }
  }
  law_same(S, "rarb: result_valid_i = results that ask for a port", rarb->result_valid_i, asked);
  if (to) law_same(S, "wfil: result_valid_i = results written", wfil->result_valid_i, written);
}

/* ---- operands ---- */

static void check_operands(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, unsigned g) {
  const struct rarb_in *in = &n->rarb.in[g];
  const struct rarb_out *o = rarb_get(n, g);
  uint64_t requests = 0;
  for (unsigned u = 0; u < z->units; u++) {
    const unsigned k = z->units * g + u;
    const struct ccu_out *c = ccu_get(n, k);
    const struct ccu_in *unit = &n->ccu.in[k];
    const unsigned w = unit_view(S, g, u)->warp;
    law_same(S, "ccu: operand_valid_i = registers that rarb gives the unit", unit->operand_valid_i,
             o->operand_valid_o >> u & 1);
    if (unit->operand_valid_i) {
      const unsigned bank = o->operand_bank_o[u], reg = o->read_register_o[bank];
      law_same(S, "ccu: operand_entry_i = the unit's entry", unit->operand_entry_i, o->operand_entry_o[u]);
      law_same(S, "rarb: the bank that gives an operand is that of its row", bank,
               law_bank(S, malekeh_row_of(S, w, reg)));
      law_same_words(S, "ccu: operand_data_i = the bank's row", unit->operand_data_i, check_row(S, w, reg));
    }
    if (!c->request_valid_o) continue;
    requests = c->request_valid_o;
    if (!law_same(S, "rarb: request_valid_i = requests of the unit", in->request_valid_i, c->request_valid_o)) return;
    law_same(S, "rarb: request_collector_i = the unit", in->request_collector_i, u);
    for (unsigned i = 0; i < ccu_NumSlots; i++) {
      if (!(c->request_valid_o >> i & 1)) continue;
      const unsigned reg = c->request_register_o[i];
      law_same(S, "rarb: request_register_i = register of the request", in->request_register_i[i], reg);
      law_same(S, "rarb: request_entry_i = entry of the request", in->request_entry_i[i], c->request_entry_o[i]);
      law_same(S, "rarb: request_bank_i = bank of the register", in->request_bank_i[i],
               law_bank(S, malekeh_row_of(S, w, reg)));
    }
  }
  if (!requests) law_same(S, "rarb: request_valid_i = requests of the units", in->request_valid_i, 0);
}

/* ---- instructions ---- */

static void check_taken(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, unsigned g) {
  const struct law_event *e;
  unsigned taken = 0, told = 0;
  uint64_t gone = 0, ended = 0;
  for (unsigned i = 0; (e = law_nth(S, LAW_ISSUE, i)); i++)
    taken += e->group == g && sm_view(S)->op[e->op].cls != CLS_CTRL;
  for (unsigned i = 0; (e = law_nth(S, LAW_DISPATCHED, i)); i++) gone |= (uint64_t)(e->group == g) << e->id;
  for (unsigned i = 0; (e = law_nth(S, LAW_WARP_ENDED, i)); i++)
    ended |= (uint64_t)(law_group(S, e->id) == g) << e->id / sm_view(S)->nsched;
  for (unsigned u = 0; u < z->units; u++) told += n->ccu.in[z->units * g + u].allocate_valid_i != 0;
  if (!law_same(S, "ccu: allocate_valid_i = instructions that the units have taken", told, taken)) return;
  for (unsigned u = 0; u < z->units; u++) {
    const struct ccu_in *in = &n->ccu.in[z->units * g + u];
    const struct collector_unit *unit = unit_view(S, g, u);
    law_same(S, "ccu: dispatch_take_i = the unit's instruction has been dispatched", in->dispatch_take_i,
             gone >> u & 1);
    law_same(S, "ccu: exit_warps_i = warps that have ended", in->exit_warps_i, ended);
    if (!in->allocate_valid_i) continue;
    if (!law_same(S, "ccu: allocate_valid_i of a unit that has an instruction: it is free",
                  group_view(S, g)->free >> u & 1, 0))
      return;
    const struct inflight_view *f = inflight_view(S, unit->inflight);
    law_same(S, "ccu: allocate_meta_i = the unit's instruction", in->allocate_meta_i, unit->inflight & 0xffff);
    law_same(S, "ccu: allocate_warp_i = warp of the instruction", in->allocate_warp_i,
             f->inst.warp / sm_view(S)->nsched);
    law_same(S, "ccu: allocate_source_i = sources of the instruction", in->allocate_source_i,
             (1ull << f->op->nsrc) - 1);
    law_same(S, "ccu: allocate_near_i = near bits of the sources", in->allocate_near_i,
             malekeh_laws_near_bits(S, z, f->op, &f->inst) & in->allocate_source_i);
    for (unsigned i = 0; i < f->op->nsrc; i++)
      law_same(S, "ccu: allocate_register_i = register of the source", in->allocate_register_i[i], f->op->src[i]);
  }
}

/* Older warps come first: CTAs in the order in which they began, a CTA's warps by number. */
static void check_ages(struct sm *S, const struct alloc_in *in, const struct malekeh_size *z, unsigned g) {
  const struct scheduler_view *sc = scheduler_view(S, g);
  int64_t last = -1;
  for (unsigned at = 0; at < z->warps; at++) {
    const unsigned bit = in->age_warp_i[at];
    if (!(sc->resident >> bit & 1)) continue;
    const unsigned w = warp_of(S, g, bit);
    if (law_began(S) == sm_view(S)->now && cta_view(S, warp_view(S, w)->cta)->order + 1 == sm_view(S)->next_cta)
      continue; /* after ISSUE */
    const int64_t age = (int64_t)cta_view(S, warp_view(S, w)->cta)->order * LAW_WARPS_MAX + w;
    law_same(S, "alloc: age_warp_i = warps in the order in which they began", age > last, true);
    last = age;
  }
}

static void check_alloc(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, unsigned g) {
  const struct alloc_in *in = &n->alloc.in[g];
  if (!in->warp_ready_i) return;
  for (unsigned u = 0; u < z->units; u++) {
    const struct ccu_out *c = ccu_get(n, z->units * g + u);
    law_same(S, "alloc: owner_valid_i = the unit's", in->owner_valid_i >> u & 1, c->owner_valid_o);
    law_same(S, "alloc: owner_warp_i = the unit's", in->owner_warp_i[u], c->owner_warp_o);
    law_same(S, "alloc: busy_i = the unit's", in->busy_i >> u & 1, c->busy_o);
    law_same(S, "alloc: cached_i = the unit's", in->cached_i >> u & 1, c->cached_o);
    law_same(S, "alloc: cached_near_i = the unit's", in->cached_near_i >> u & 1, c->cached_near_o);
  }
  if (strcmp(sm_view(S)->chosen.scheduler->name, "malekeh") != 0) return;
  law_same(S, "alloc: warp_ready_i = ready warps", in->warp_ready_i, law_ready(S, g));
  law_same(S, "alloc: warp_direct_i = ready warps that need no unit", in->warp_direct_i, law_direct(S, g));
  check_ages(S, in, z, g);
}

static void check_interval(struct sm *S, struct malekeh_net *n, const struct malekeh_size *z, struct malekeh_book *b) {
  const struct sthld_in *in = &n->sthld.in[0];
  if (b->ticked) {
    law_same(S, "sthld: tick_i each malekeh.interval cycles", in->tick_i,
             sm_counters(S)->cycles - b->ticked_at == (uint64_t)sm_view(S)->cfg->malekeh_interval);
    if (in->tick_i)
      law_same(S, "sthld: instructions_i = instructions of the interval", in->instructions_i,
               sm_counters(S)->warp_insns - b->insns);
    for (unsigned g = 0; g < z->groups; g++)
      law_same(S, "alloc: threshold_i = sthld's threshold_o", n->alloc.in[g].threshold_i, sthld_get(n, 0)->threshold_o);
  }
  if (!in->tick_i) return;
  b->ticked = true;
  b->ticked_at = sm_counters(S)->cycles;
  b->insns = sm_counters(S)->warp_insns;
}

void malekeh_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct malekeh_net *n = (struct malekeh_net *)t;
  const struct malekeh_size *z = malekeh_size_of(S);
  bool first;
  struct malekeh_book *b = law_memory(S, SLOT_COLLECTOR, sizeof *b, &first);
  for (unsigned g = 0; g < z->groups; g++) {
    malekeh_check_results(S, n, z, g);
    check_operands(S, n, z, g);
    check_taken(S, n, z, g);
    check_alloc(S, n, z, g);
  }
  if (z->controlled) check_interval(S, n, z, b);
}
