/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ccu: the collector of all systems of the Malekeh paper: units that keep registers of the warp that they served last, or, with
 * malekeh.cache=false, plain ones with the same times. Five blocks decide (docs/blocks/malekeh/). `alloc` picks the unit that takes an
 * instruction; `ccu` tracks the operands that it holds and requests the rest; `rarb` grants banks; `wfil` selects results to keep; `sthld`
 * sets how long a warp waits. This file connects them. Each sub-core has its own blocks, but for `sthld`.
 *
 * The order of a cycle: results (rarb accepts, wfil sorts), dispatch, operands, issue, ends of CTAs, clock edge. A change of a unit's state
 * becomes visible one cycle later, when its block reports it. No other part of the SM uses the banks' ports.
 *
 * With sim.check the units' registers are real. Each operand is compared when it is dispatched; in every cycle each register that a unit
 * holds is compared with its bank's.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "systems/malekeh/malekeh.h"
#include "systems/malekeh/near.h"

#define NET malekeh
#define NET_DEF "gen/nets/malekeh.def"
#define NET_TABLE
#define NET_LAWS malekeh_laws
#include "sm/wires.h"

enum { GROUPS = 4, RESULTS = rarb_NumResults_most, SOURCES = ccu_NumSlots, NOBODY = 255, ALLOC_ID = 64 };

struct result { /* that is written in this cycle */
  uint8_t warp, reg;
  bool near;
  uint32_t lanes;
  uint32_t value[32];
};

struct part {                              /* of a sub-core */
  unsigned results;                        /* that have asked for a bank in this cycle */
  uint32_t accepted;                       /* of them, a mask */
  uint8_t asks;                            /* the unit that was allocated in the last cycle */
  unsigned waits;                          /* operands that wait for their bank */
  uint64_t full;                           /* units that are full, as the SM was told */
  uint64_t owned, busy, cached, near;      /* outputs of the units, as on the ports of alloc */
  uint8_t owner[alloc_NumCollectors_most]; /* [unit] its owner, as on the ports of alloc and wfil */
  struct result result[RESULTS];           /* [result] */
};

struct malekeh {
  struct malekeh_net net;
  struct malekeh_size size;
  unsigned unit_bits;
  bool started;
  struct part part[GROUPS];
  uint64_t aged;  /* CTAs begun when the warps' ages were last looked at */
  uint64_t left;  /* cycles before the last one of this interval */
  uint64_t insns; /* issued before this interval */
  uint16_t table[STHLD_ROWS];
};

static struct malekeh *malekeh_of(const struct sm *S) { return choice_of(S, SLOT_COLLECTOR); }
static unsigned unit_number(const struct malekeh *m, unsigned g, unsigned u) { return m->size.units * g + u; }
const struct malekeh_size *malekeh_size_of(const struct sm *S) { return &malekeh_of(S)->size; }
static uint64_t malekeh_ones(uint64_t n) { return (1ull << n) - 1; }
static void malekeh_put_bit(uint64_t *mask, unsigned k, uint64_t bit) { *mask = (*mask & ~(1ull << k)) | bit << k; }

static bool fits(const struct config *c, const struct slots *slots, struct err *e) {
  struct malekeh_size size;
  return malekeh_copies_fit(slots, "slot.collector ccu", e) && malekeh_size(c, &size, e);
}

static void near(const struct config *cfg, struct near_want *want) {
  struct malekeh_size size;
  struct err e = {0};
  if (malekeh_size(cfg, &size, &e) && size.near) malekeh_near(cfg, want);
}

static bool init(struct sm *S, struct err *e) {
  struct malekeh *m = xcalloc_lines(1, sizeof *m);
  choice_set(S, SLOT_COLLECTOR, m);
  if (!malekeh_size(sm_view(S)->cfg, &m->size, e)) return false;
  m->unit_bits = (unsigned)bit_count64(m->size.units - 1);
  m->left = (uint64_t)sm_view(S)->cfg->malekeh_interval - 1;
  return !sm_view(S)->cfg->malekeh_table[0] || malekeh_table(sm_view(S)->cfg->malekeh_table, m->table, e);
}

static void done(struct sm *S) { free(malekeh_of(S)); }

static uint64_t malekeh_seed(unsigned id) { return 0xACE1 ^ (0x1357u * id & 0xffff); }

static void malekeh_start(struct sm *S, struct malekeh *m) {
  const uint64_t groups = malekeh_ones(m->size.groups), units = malekeh_ones(m->size.groups * m->size.units);
  const uint64_t present[] = {[malekeh_rarb] = groups,
                              [malekeh_wfil] = m->size.keeps ? groups : 0,
                              [malekeh_ccu] = units,
                              [malekeh_sthld] = m->size.controlled,
                              [malekeh_alloc] = groups};
  twins_start_some(&m->net.t, &malekeh_twins, S, present);
  for (unsigned g = 0; g < m->size.groups; g++) {
    rarb_size(rarb_model(&m->net, g), &m->size.rarb);
    alloc_size(alloc_model(&m->net, g), &m->size.alloc);
    if (m->size.keeps) wfil_size(wfil_model(&m->net, g), &m->size.wfil);
    struct alloc_in *in = alloc_set(&m->net, g);
    in->seed_i = malekeh_seed(ALLOC_ID + g);
    if (sm_view(S)->cfg->malekeh_sthld > 0) in->threshold_i = (uint64_t)sm_view(S)->cfg->malekeh_sthld;
    for (unsigned w = 0; w < m->size.warps; w++) in->age_warp_i[w] = (uint8_t)w;
    for (unsigned u = 0; u < m->size.units; u++) {
      const unsigned k = unit_number(m, g, u);
      ccu_size(ccu_model(&m->net, k), &m->size.ccu);
      ccu_set(&m->net, k)->seed_i = malekeh_seed(k);
    }
  }
  if (!m->size.controlled) return;
  sthld_size(sthld_model(&m->net, 0), &m->size.sthld);
  struct sthld_in *in = sthld_set(&m->net, 0);
  in->table_valid_i = sm_view(S)->cfg->malekeh_table[0] != 0;
  memcpy(in->table_i, m->table, sizeof m->table);
}

/* Blocks go on over launches: no instruction is under way, and with their CTAs warps have lost their units. */
static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  (void)k, (void)e;
  struct malekeh *m = malekeh_of(S);
  if (m->started) twins_resume(&m->net.t, &malekeh_twins);
  else malekeh_start(S, m);
  m->started = true;
  if (sm_view(S)->laws) law_arbitrate(S);
  for (unsigned g = 0; g < m->size.groups; g++) m->part[g].asks = NOBODY;
  return true;
}

/* ---- ISSUE ---- */

static const struct collector_view *view(struct sm *S, unsigned s) {
  const struct group_view *g = group_view(S, s);
  return group_show(
      S, s, (struct collector_view){.free = g->free, .busy = g->all & ~g->free, .near = malekeh_of(S)->part[s].near});
}

/* Gives alloc the warps by age: the resident ones by the number of older ones, then the others. */
static void tell_ages(struct sm *S, struct malekeh *m) {
  m->aged = sm_counters(S)->ctas;
  for (unsigned s = 0; s < m->size.groups; s++) {
    const struct scheduler_view *sc = scheduler_view(S, s);
    struct alloc_in *in = alloc_set(&m->net, s);
    unsigned last = (unsigned)bit_count64(sc->resident);
    for (unsigned b = 0; b < m->size.warps; b++) {
      const unsigned at = sc->resident >> b & 1 ? (unsigned)bit_count64(sc->older[b] & sc->resident) : last++;
      in->age_warp_i[at] = (uint8_t)b;
    }
  }
}

/* What alloc decides about these warps. Its inputs change only when they count, so that the block sleeps while no warp is ready. */
static const struct alloc_out *malekeh_allocate(struct malekeh *m, unsigned s, uint64_t ready, uint64_t direct) {
  const struct part *p = &m->part[s];
  struct alloc_in *in = alloc_set(&m->net, s);
  in->warp_ready_i = ready;
  in->warp_direct_i = direct;
  in->owner_valid_i = p->owned;
  memcpy(in->owner_warp_i, p->owner, sizeof in->owner_warp_i);
  in->busy_i = p->busy;
  in->cached_i = p->cached;
  in->cached_near_i = p->near;
  return alloc_get(&m->net, s);
}

struct pick malekeh_pick(struct sm *S, unsigned s, uint64_t ready) {
  struct malekeh *m = malekeh_of(S);
  if (m->aged != sm_counters(S)->ctas) tell_ages(S, m);
  const struct alloc_out *o = malekeh_allocate(m, s, ready, scheduler_view(S, s)->of[CLS_CTRL] & ready);
  if (o->issue_valid_o)
    return (struct pick){(int)o->issue_warp_o, o->issue_direct_o ? ANY_UNIT : (int)o->issue_collector_o};
  sm_counters(S)->ccu_waits += o->issue_wait_o;
  if (o->issue_wait_o) sm_keep_awake(S); /* it counts the cycles */
  return (struct pick){PICK_STOP, ANY_UNIT};
}

static enum take room(struct sm *S, unsigned s, unsigned cls, int unit) {
  (void)cls, (void)unit;
  return group_view(S, s)->free ? TAKE_TAKEN : TAKE_STOP;
}

/* Returns a free unit for a warp that another scheduler has chosen. */
static int random_unit(struct malekeh *m, unsigned s, unsigned bit) {
  const struct alloc_out *o = malekeh_allocate(m, s, 1ull << bit, 0);
  return o->issue_valid_o ? (int)o->issue_collector_o : ANY_UNIT;
}

static void count_flush(struct sm *S, const struct part *p, unsigned u, unsigned bit) {
  const bool other = p->owner[u] != bit;
  sm_counters(S)->ccu_flushes += other && p->cached >> u & 1;
  sm_counters(S)->ccu_flushed_near += other && p->near >> u & 1;
}

static enum take take(struct sm *S, unsigned s, unsigned w, const struct warp_inst *inst, int unit, uint32_t inflight) {
  struct malekeh *m = malekeh_of(S);
  const unsigned bit = warp_view(S, w)->bit;
  if (unit == ANY_UNIT) unit = random_unit(m, s, bit);
  if (unit == ANY_UNIT) return TAKE_STOP;
  const struct op *op = &sm_view(S)->op[inst->op];
  const struct collector_unit *u = unit_begin(S, s, (unsigned)unit, w, inflight, op);
  unit_hold(S, u); /* it is free again a cycle after it was dispatched */
  storage_locate(S, u);
  struct ccu_in *in = ccu_set(&m->net, unit_number(m, s, (unsigned)unit));
  in->allocate_valid_i = 1;
  in->allocate_warp_i = bit;
  in->allocate_meta_i = inflight & 0xffff;
  in->allocate_source_i = malekeh_ones(op->nsrc);
  memset(in->allocate_register_i, 0, sizeof in->allocate_register_i);
  for (unsigned k = 0; k < op->nsrc; k++) in->allocate_register_i[k] = (uint8_t)op->src[k];
  in->allocate_near_i = m->size.near ? malekeh_near_bits(sm_view(S)->cfg, op, inst) & in->allocate_source_i : 0;
  struct part *p = &m->part[s];
  p->asks = (uint8_t)unit;
  count_flush(S, p, (unsigned)unit, bit);
  sm_counters(S)->ccu_insns++;
  sm_counters(S)->ccu_sources += op->nsrc;
  return TAKE_TAKEN;
}

/* ---- WRITE ---- */

/* The next result wants to be written to this bank. */
static bool port(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t bank) {
  (void)k;
  struct malekeh *m = malekeh_of(S);
  struct part *p = &m->part[f->group];
  if (p->results == m->size.rarb.NumResults) return false;
  const unsigned n = p->results++;
  struct rarb_in *in = rarb_set(&m->net, f->group);
  in->result_valid_i |= 1ull << n;
  in->result_bank_i[n] = (uint8_t)bank;
  return rarb_get(&m->net, f->group)->result_ready_o >> n & 1;
}

static void result(struct sm *S, const struct inflight_view *f, unsigned k) {
  struct malekeh *m = malekeh_of(S);
  struct part *p = &m->part[f->group];
  const unsigned n = p->results - 1;
  struct result *r = &p->result[n];
  p->accepted |= 1u << n;
  r->warp = warp_view(S, f->inst.warp)->bit;
  r->reg = f->op->dst[k];
  r->near = m->size.near && malekeh_near_bits(sm_view(S)->cfg, f->op, &f->inst) >> (8 + k) & 1;
  r->lanes = f->inst.lanes;
  if (m->net.t.values) memcpy(r->value, result_values(S, &f->inst, k), sizeof r->value);
}

static bool malekeh_unit_holds(const struct ccu *c, unsigned reg) {
  for (unsigned i = 0; i < c->size.NumEntries; i++)
    if (c->r.valid_q >> i & 1 && c->r.tag_q[i] == reg) return true;
  return false;
}

/* Gives a unit a result. It keeps one that it has a copy of, or one of all lanes if some entry is not locked. */
static void malekeh_keep(struct sm *S, struct malekeh *m, unsigned k, const struct result *r) {
  const struct ccu *c = ccu_model(&m->net, k);
  const bool room = c->r.locked_q != malekeh_ones(c->size.NumEntries);
  sm_counters(S)->ccu_writes +=
      malekeh_unit_holds(c, r->reg) || (r->lanes == ~0u && (r->near || !c->size.Filter) && room);
  struct ccu_in *in = ccu_set(&m->net, k);
  in->cache_valid_i = 1;
  in->cache_warp_i = r->warp;
  in->cache_register_i = r->reg;
  in->cache_near_i = r->near;
  in->cache_lanes_i = r->lanes;
  if (m->net.t.values) memcpy(in->cache_data_i, r->value, sizeof r->value);
}

/* Tells a unit that result n goes to the banks alone. */
static void malekeh_snoop(struct sm *S, struct malekeh *m, unsigned k, unsigned n, const struct result *r) {
  sm_counters(S)->ccu_drops += malekeh_unit_holds(ccu_model(&m->net, k), r->reg);
  struct ccu_in *in = ccu_set(&m->net, k);
  in->snoop_valid_i |= 1ull << n;
  in->snoop_warp_i[n] = r->warp;
  in->snoop_register_i[n] = r->reg;
}

/* Gives the results of this cycle to the units that their warps own. */
static void sort_results(struct sm *S, struct malekeh *m, unsigned g, struct part *p) {
  struct wfil_in *in = wfil_set(&m->net, g);
  in->result_valid_i = p->accepted;
  in->owner_valid_i = p->owned;
  memcpy(in->owner_warp_i, p->owner, sizeof in->owner_warp_i);
  for (uint32_t a = p->accepted; a; a &= a - 1) {
    const unsigned n = (unsigned)bit_low32(a);
    in->result_warp_i[n] = p->result[n].warp;
    malekeh_put_bit(&in->result_near_i, n, p->result[n].near);
  }
  const struct wfil_out *o = wfil_get(&m->net, g);
  for (unsigned u = 0; u < m->size.units; u++) {
    const unsigned k = unit_number(m, g, u);
    if (o->cache_valid_o >> u & 1) malekeh_keep(S, m, k, &p->result[o->cache_result_o[u]]);
    for (uint64_t sn = o->snoop_valid_o[u]; sn; sn &= sn - 1)
      malekeh_snoop(S, m, k, (unsigned)bit_low64(sn), &p->result[bit_low64(sn)]);
  }
}

/* ---- COLLECT ---- */

/* Passes on the requests of the unit that was allocated in the last cycle. */
static void malekeh_ask(struct sm *S, struct malekeh *m, unsigned g, struct part *p) {
  const unsigned u = p->asks;
  const struct collector_unit *unit = unit_view(S, g, u);
  const struct ccu_out *c = ccu_get(&m->net, unit_number(m, g, u));
  p->asks = NOBODY;
  if (!c->request_valid_o) return;
  struct rarb_in *in = rarb_set(&m->net, g);
  in->request_valid_i = c->request_valid_o;
  in->request_collector_i = u;
  memcpy(in->request_register_i, c->request_register_o, sizeof in->request_register_i);
  memcpy(in->request_entry_i, c->request_entry_o, sizeof in->request_entry_i);
  for (unsigned k = 0; k < SOURCES; k++)
    in->request_bank_i[k] = c->request_valid_o >> k & 1 ? (uint8_t)unit->bank[k] : 0;
  p->waits += (unsigned)bit_count64(c->request_valid_o);
}

static void malekeh_read_banks(struct sm *S, struct malekeh *m, unsigned g, struct part *p) {
  const struct rarb_out *o = rarb_get(&m->net, g);
  for (uint64_t v = o->operand_valid_o; v; v &= v - 1) {
    const unsigned u = (unsigned)bit_low64(v);
    struct ccu_in *in = ccu_set(&m->net, unit_number(m, g, u));
    in->operand_valid_i = 1;
    in->operand_entry_i = o->operand_entry_o[u];
    if (m->net.t.values) {
      const unsigned r = o->read_register_o[o->operand_bank_o[u]];
      if (sm_view(S)->check)
        memcpy(in->operand_data_i, check_row(S, unit_view(S, g, u)->warp, r), sizeof in->operand_data_i);
    }
    sm_counters(S)->rf_reads++;
    p->waits--;
  }
  sm_counters(S)->rf_read_conflicts += p->waits;
  sm_keep_awake(S);
}

static void collect(struct sm *S) {
  struct malekeh *m = malekeh_of(S);
  for (unsigned g = 0; g < m->size.groups; g++) {
    struct part *p = &m->part[g];
    for (uint64_t left = p->full & ~group_view(S, g)->full; left; left &= left - 1)
      ccu_set(&m->net, unit_number(m, g, (unsigned)bit_low64(left)))->dispatch_take_i = 1;
    p->full &= group_view(S, g)->full;
    if (p->accepted && m->size.keeps) sort_results(S, m, g, p);
    p->results = p->accepted = 0;
    if (p->asks != NOBODY) malekeh_ask(S, m, g, p);
    if (p->waits) malekeh_read_banks(S, m, g, p);
  }
}

/* ---- CONTROL ---- */

static enum move warp(struct sm *S, unsigned w) {
  struct malekeh *m = malekeh_of(S);
  for (unsigned u = 0; u < m->size.units; u++)
    ccu_set(&m->net, unit_number(m, w % sm_view(S)->nsched, u))->exit_warps_i |= 1ull << warp_view(S, w)->bit;
  return MOVE_DONE;
}

/* ---- COMMIT ---- */

/* After the clock edge: copies the unit's new outputs to the SM. */
static void look_at(struct sm *S, struct malekeh *m, unsigned k) {
  const unsigned g = k >> m->unit_bits, u = k & ((1u << m->unit_bits) - 1);
  struct part *p = &m->part[g];
  const struct ccu_out *o = ccu_get(&m->net, k);
  p->owner[u] = (uint8_t)o->owner_warp_o;
  malekeh_put_bit(&p->owned, u, o->owner_valid_o);
  malekeh_put_bit(&p->busy, u, o->busy_o);
  malekeh_put_bit(&p->cached, u, o->cached_o);
  malekeh_put_bit(&p->near, u, o->cached_near_o);
  unit_set_free(S, g, u, !o->busy_o);
  if (!o->dispatch_valid_o || p->full >> u & 1) return;
  const struct collector_unit *unit = unit_view(S, g, u);
  if (o->dispatch_meta_o != (unit->inflight & 0xffff))
    sm_fail(S, "collector unit %u of sub-core %u dispatches another instruction than it took", u, g);
  const unsigned n = unit->op->nsrc;
  for (unsigned i = 0; sm_view(S)->check && i < n; i++) check_latch(S, unit, i, o->dispatch_data_o[i]);
  p->full |= 1ull << u;
  unit_set_full(S, unit);
}

/* With sim.check: compares each register that a unit holds, and does not wait for, with its bank. */
static void check_units(struct sm *S, struct malekeh *m) {
  for (unsigned k = 0; k < m->size.groups * m->size.units; k++) {
    const struct ccu *c = ccu_model(&m->net, k);
    if (!c->owned || !c->r.valid_q) continue;
    const unsigned w = warp_of(S, k / m->size.units, (unsigned)c->owner);
    uint64_t here = c->r.valid_q;
    for (unsigned i = 0; i < SOURCES; i++)
      if (c->r.source_q & ~c->r.ready_q & 1u << i) here &= ~(1ull << c->r.slot_entry_q[i]);
    for (; here; here &= here - 1) {
      const unsigned i = (unsigned)bit_low64(here), r = c->r.tag_q[i];
      const uint32_t *bank = check_row(S, w, r);
      for (unsigned l = 0; l < 32; l++)
        if (c->data[i][l] != bank[l] && bank[l] != CHECK_LOST)
          return sm_fail(S, "warp %u: collector unit %u of sub-core %u holds 0x%08x as lane %u of R%u, its bank 0x%08x",
                         w, k % m->size.units, k / m->size.units, c->data[i][l], l, r, bank[l]);
    }
  }
}

/* Counts the controller's interval, which ends with the cycle after `left` more. */
static void malekeh_count_interval(struct sm *S, struct malekeh *m) {
  if (!m->left) {
    struct sthld_in *in = sthld_set(&m->net, 0);
    in->tick_i = 1;
    in->instructions_i = sm_counters(S)->warp_insns - m->insns;
    m->insns = sm_counters(S)->warp_insns;
    m->left = (uint64_t)sm_view(S)->cfg->malekeh_interval;
    sm_counters(S)->sthld_intervals++;
  }
  m->left--;
}

static void commit(struct sm *S) {
  struct malekeh *m = malekeh_of(S);
  const bool ends = m->size.controlled && !m->left;
  if (m->size.controlled) malekeh_count_interval(S, m);
  if (!twins_awake(&m->net.t) && !m->net.t.observed) {
    twins_asleep(&m->net.t);
    return;
  }
  twins_commit(&m->net.t, &malekeh_twins);
  for (uint64_t k = m->net.t.stale[malekeh_ccu]; k; k &= k - 1) look_at(S, m, (unsigned)bit_low64(k));
  if (ends) {
    const uint64_t sth = sthld_get(&m->net, 0)->threshold_o;
    sm_counters(S)->sthld_sum += sth;
    for (unsigned g = 0; g < m->size.groups; g++) NET_LEVEL(&m->net, alloc, g, threshold_i, sth);
  }
  if (sm_view(S)->check) check_units(S, m);
}

static uint64_t idle(struct sm *S) {
  struct malekeh *m = malekeh_of(S);
  const uint64_t n = twins_idle(&m->net.t, &malekeh_twins);
  return m->size.controlled && m->left < n ? m->left : n;
}

static void skip(struct sm *S, uint64_t n) {
  struct malekeh *m = malekeh_of(S);
  if (m->size.controlled) m->left -= n;
  twins_skip(&m->net.t, &malekeh_twins, n);
}

static bool end(struct sm *S, struct err *e) {
  const struct malekeh *m = malekeh_of(S);
  uint64_t left = 0;
  for (unsigned g = 0; g < m->size.groups; g++)
    left |= m->part[g].full | m->part[g].busy | m->part[g].owned | m->part[g].waits;
  const bool reads = m->size.keeps ? sm_counters(S)->rf_reads <= sm_counters(S)->ccu_sources
                                   : sm_counters(S)->rf_reads == sm_counters(S)->ccu_sources;
  return (!left && reads) ||
         err_at(e, NULL, 0, 0,
                "conservation law broken: collector units have instructions or owners at the end of a launch (%llx), "
                "or operands "
                "came from nowhere (%llu of %llu from the banks); this is a bug of the simulator",
                (unsigned long long)left, (unsigned long long)sm_counters(S)->rf_reads,
                (unsigned long long)sm_counters(S)->ccu_sources);
}

const struct collector_ops collector_ccu = {.name = "ccu",
                                            .fits = fits,
                                            .near = near,
                                            .init = init,
                                            .done = done,
                                            .plan = plan,
                                            .view = view,
                                            .room = room,
                                            .take = take,
                                            .collect = collect,
                                            .port = port,
                                            .result = result,
                                            .warp = warp,
                                            .commit = commit,
                                            .idle = idle,
                                            .skip = skip,
                                            .end = end};
