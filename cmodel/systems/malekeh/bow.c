/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bow: BOW (Esfeden et al., MICRO 2020), as the Malekeh paper evaluates it (section VI-B): a bypassing operand collector (BOC) for each
 * warp. It has what the last three instructions of the warp read and wrote, the window; an operand that is there is not read from its
 * bank. Banks, queues and times are those of `ccu`. What is modelled and what is our reading: docs/reference/comparators.md.
 *
 * Unit k of a sub-core is the BOC of its warp number k. It holds up to three instructions. The SM sees the oldest one, when that has its
 * operands: they are dispatched in order.
 *
 * A register has a copy while one of the last three instructions names it: its copy is forgotten when the register is named anew after that,
 * so nothing is done when the window slides. The scoreboard keeps results and operands apart: an instruction issues after the results that
 * it reads or overwrites, and no register is written while an instruction that reads it is in the BOC.
 *
 * With sim.check copies have values, and each operand is compared when it is dispatched.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "systems/malekeh/malekeh.h"

enum { WINDOW = 3, REGS = 256, SOURCES = 6, NOBODY = 0xffff };

struct copy {       /* of a register */
  uint64_t named;   /* number of the last instruction that names it */
  bool here, comes; /* with its value; its bank is to give that */
};

struct boc {
  uint64_t issued; /* instructions of the warp so far, and so the number of the last one */
  unsigned count;  /* of those in it */
  uint32_t inflight[WINDOW];
  struct copy copy[REGS];
  uint32_t (*value)[32]; /* of the copies; without sim.check NULL */
};

struct wait { /* an operand that waits for its bank */
  uint8_t boc, reg, bank;
  bool read;
};

struct part {     /* of a sub-core */
  unsigned lanes; /* of the write-back, in use in this cycle */
  uint64_t given; /* BOCs that have taken a result in this cycle */
  uint64_t full;  /* BOCs that are full, as the SM was told */
  unsigned preferred, waits;
  struct wait wait[UNIT_MAX * WINDOW * SOURCES]; /* in order of request */
  struct boc boc[UNIT_MAX];
};

static struct part *bow_part_of(const struct sm *S, unsigned g) {
  return (struct part *)choice_of(S, SLOT_COLLECTOR) + g;
}

static bool fits(const struct config *c, const struct slots *slots, struct err *e) {
  if (!malekeh_copies_fit(slots, "slot.collector bow", e)) return false;
  if (!c->sm_subcores && c->sm_schedulers != 1)
    return err_at(e, NULL, 0, 0,
                  "slot.collector bow with sm.subcores false and sm.schedulers %lld, expected sm.subcores=true or "
                  "sm.schedulers=1: each scheduler has the units of its warps",
                  (long long)c->sm_schedulers);
  if (c->collector_units != c->sm_warps)
    return err_at(
        e, NULL, 0, 0,
        "slot.collector bow with collector.units %lld and sm.warps %lld, expected collector.units=%lld: a unit "
        "for each warp",
        (long long)c->collector_units, (long long)c->sm_warps, (long long)c->sm_warps);
  return malekeh_banks_fit(c, "slot.collector bow", e);
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct part *parts = xcalloc_lines(sm_view(S)->ngroup, sizeof *parts);
  choice_set(S, SLOT_COLLECTOR, parts);
  for (unsigned g = 0; sm_view(S)->check && g < sm_view(S)->ngroup; g++)
    for (uint64_t m = group_view(S, g)->all; m; m &= m - 1) parts[g].boc[bit_low64(m)].value = xcalloc_lines(REGS, 128);
  return true;
}

static void done(struct sm *S) {
  struct part *parts = bow_part_of(S, 0);
  for (unsigned g = 0; parts && g < sm_view(S)->ngroup; g++)
    for (unsigned k = 0; k < UNIT_MAX; k++) free(parts[g].boc[k].value);
  free(parts);
}

/* ---- ISSUE ---- */

static const struct collector_view *view(struct sm *S, unsigned s) {
  const struct group_view *g = group_view(S, s);
  const struct part *p = bow_part_of(S, s);
  struct collector_view v = {.busy = g->all & ~g->free};
  for (uint64_t m = g->all; m; m &= m - 1)
    if (p->boc[bit_low64(m)].count < WINDOW) v.free |= m & -m;
  return group_show(S, s, v);
}

/* The newest instruction names the register. */
static struct copy *bow_name(struct boc *b, unsigned reg) {
  struct copy *c = &b->copy[reg];
  if (b->issued - c->named >= WINDOW) {
    assert(!c->comes); /* who waits for it is in the window */
    c->here = false;
  }
  c->named = b->issued;
  return c;
}

static enum take take(struct sm *S, unsigned s, unsigned w, const struct warp_inst *inst, int unit, uint32_t inflight) {
  (void)unit;
  struct part *p = bow_part_of(S, s);
  const unsigned k = warp_view(S, w)->bit;
  struct boc *b = &p->boc[k];
  if (b->count == WINDOW) return TAKE_NEXT;
  b->inflight[b->count++] = inflight;
  b->issued++;
  unit_set_free(S, s, k, false);
  const struct op *op = &sm_view(S)->op[inst->op];
  uint8_t bank[8];
  operand_banks(S, w, inflight, op, bank);
  for (unsigned i = 0; i < op->nsrc; i++) {
    struct copy *c = bow_name(b, op->src[i]);
    if (c->here || c->comes) continue;
    c->comes = true;
    p->wait[p->waits++] = (struct wait){.boc = (uint8_t)k, .reg = op->src[i], .bank = bank[i]};
  }
  for (unsigned i = 0; i < op->ndst; i++) bow_name(b, op->dst[i]);
  sm_counters(S)->ccu_insns++;
  sm_counters(S)->ccu_sources += op->nsrc;
  return TAKE_TAKEN;
}

/* ---- WRITE ---- */

static bool port(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t bank) {
  (void)k;
  struct part *p = bow_part_of(S, f->group);
  if (p->lanes == (unsigned)sm_view(S)->cfg->rf_results) return false;
  p->lanes++;
  return rf_claim(S, f->group, bank, RF_WRITE);
}

/* It enters if its register is still in the window, and the BOC has no other one in this cycle; lanes alone only where the others are. */
static void result(struct sm *S, const struct inflight_view *f, unsigned k) {
  struct part *p = bow_part_of(S, f->group);
  const unsigned bit = warp_view(S, f->inst.warp)->bit, reg = f->op->dst[k];
  struct boc *b = &p->boc[bit];
  struct copy *c = &b->copy[reg];
  if (b->issued - c->named >= WINDOW || (!c->here && f->inst.lanes != ~0u)) return;
  if (p->given >> bit & 1) {
    sm_counters(S)->ccu_drops += c->here;
    c->here = false;
    return;
  }
  p->given |= 1ull << bit;
  c->here = true;
  sm_counters(S)->ccu_writes++;
  const uint32_t *value = sm_view(S)->check ? result_values(S, &f->inst, k) : NULL;
  for (uint32_t m = value ? f->inst.lanes : 0; m; m &= m - 1) {
    const unsigned lane = (unsigned)bit_low32(m);
    b->value[reg][lane] = value[lane];
  }
}

/* ---- COLLECT ---- */

static void bow_arrive(struct sm *S, unsigned g, struct part *p, struct wait *o) {
  struct boc *b = &p->boc[o->boc];
  struct copy *c = &b->copy[o->reg];
  c->comes = false;
  c->here = o->read = true;
  const unsigned w = warp_of(S, g, o->boc);
  if (sm_view(S)->check) memcpy(b->value[o->reg], check_row(S, w, o->reg), 128);
  if (sm_view(S)->laws) law_access(S, g, RF_READ, warp_view(S, w)->row + o->reg);
  sm_counters(S)->rf_reads++;
}

/* As rarb does: of each bank that is not written the head; of the heads of one BOC one, that of the first bank from the preferred one up. */
static void bow_read_banks(struct sm *S, unsigned g, struct part *p) {
  uint16_t head[BANK_MAX];
  for (unsigned b = 0; b < sm_view(S)->nbank; b++) head[b] = NOBODY;
  for (unsigned n = 0; n < p->waits; n++)
    if (head[p->wait[n].bank] == NOBODY) head[p->wait[n].bank] = (uint16_t)n;
  uint64_t served = 0;
  bool conflict = false;
  for (unsigned i = 0; i < sm_view(S)->nbank; i++) {
    const unsigned b = (p->preferred + i) % sm_view(S)->nbank;
    if (head[b] == NOBODY || !rf_free(S, g, b, RF_READ)) continue;
    struct wait *o = &p->wait[head[b]];
    if (served >> o->boc & 1) {
      conflict = true;
      continue;
    }
    rf_claim(S, g, b, RF_READ);
    bow_arrive(S, g, p, o);
    served |= 1ull << o->boc;
  }
  if (conflict) p->preferred = (p->preferred + 1) % sm_view(S)->nbank;
  unsigned kept = 0;
  for (unsigned n = 0; n < p->waits; n++)
    if (!p->wait[n].read) p->wait[kept++] = p->wait[n];
  p->waits = kept;
  sm_counters(S)->rf_read_conflicts += kept;
  sm_keep_awake(S); /* no cycle is jumped over while operands wait */
}

static void collect(struct sm *S) {
  for (unsigned g = 0; g < sm_view(S)->ngroup; g++) {
    struct part *p = bow_part_of(S, g);
    p->lanes = 0;
    p->given = 0;
    if (p->waits) bow_read_banks(S, g, p);
  }
}

/* ---- CONTROL ---- */

static enum move warp(struct sm *S, unsigned w) {
  struct boc *b = &bow_part_of(S, warp_view(S, w)->scheduler)->boc[warp_view(S, w)->bit];
  assert(!b->count);
  memset(b->copy, 0, sizeof b->copy);
  b->issued = 0;
  return MOVE_DONE;
}

/* ---- COMMIT ---- */

static bool has_operands(const struct boc *b, const struct op *op) {
  bool all = true;
  for (unsigned i = 0; i < op->nsrc; i++) all &= b->copy[op->src[i]].here;
  return all;
}

/* The oldest instruction of the BOC, to be dispatched from the next cycle on if it has its operands. */
static void bow_offer(struct sm *S, unsigned g, unsigned k) {
  struct part *p = bow_part_of(S, g);
  struct boc *b = &p->boc[k];
  const struct op *op = inflight_view(S, b->inflight[0])->op;
  if (!has_operands(b, op)) return;
  const struct collector_unit *u = unit_begin(S, g, k, warp_of(S, g, k), b->inflight[0], op);
  unit_hold(S, u); /* it is not free because one was dispatched */
  for (unsigned i = 0; sm_view(S)->check && i < op->nsrc; i++) check_latch(S, u, i, b->value[op->src[i]]);
  p->full |= 1ull << k;
  unit_set_full(S, u);
}

static void commit(struct sm *S) {
  for (unsigned g = 0; g < sm_view(S)->ngroup; g++) {
    struct part *p = bow_part_of(S, g);
    const struct group_view *G = group_view(S, g);
    for (uint64_t left = p->full & ~G->full; left; left &= left - 1) {
      struct boc *b = &p->boc[bit_low64(left)];
      memmove(b->inflight, b->inflight + 1, --b->count * sizeof *b->inflight);
      if (!b->count) unit_set_free(S, g, (unsigned)bit_low64(left), true);
    }
    p->full &= G->full;
    for (uint64_t m = G->all & ~G->free & ~G->full; m; m &= m - 1) bow_offer(S, g, (unsigned)bit_low64(m));
  }
}

static bool end(struct sm *S, struct err *e) {
  uint64_t left = 0;
  for (unsigned g = 0; g < sm_view(S)->ngroup; g++) {
    const struct part *p = bow_part_of(S, g);
    left |= p->waits | p->full;
    for (unsigned k = 0; k < UNIT_MAX; k++) left |= p->boc[k].count | p->boc[k].issued;
  }
  return (!left && sm_counters(S)->rf_reads <= sm_counters(S)->ccu_sources) ||
         err_at(e, NULL, 0, 0,
                "conservation law broken: collector units have instructions or warps at the end of a launch (%llx), "
                "or read more than there are operands (%llu of %llu); this is a bug of the simulator",
                (unsigned long long)left, (unsigned long long)sm_counters(S)->rf_reads,
                (unsigned long long)sm_counters(S)->ccu_sources);
}

const struct collector_ops collector_bow = {.name = "bow",
                                            .fits = fits,
                                            .init = init,
                                            .done = done,
                                            .view = view,
                                            .take = take,
                                            .collect = collect,
                                            .port = port,
                                            .result = result,
                                            .warp = warp,
                                            .commit = commit,
                                            .end = end};
