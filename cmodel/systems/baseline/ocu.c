/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocu collector: operand collector units, in one pool or a set for each kind of execution unit (collector.sp_units and
 * others). An instruction takes the lowest free unit of its set; if there is none, the scheduler may go on to an instruction
 * of another set. Per bank and cycle one operand is read, units in turn (round robin from the one after the last served).
 */
#include <stdlib.h>

#include "sm/slot_api.h"

struct part {             /* of a group */
  uint8_t turn[BANK_MAX]; /* the unit from which on the bank looks for the next operand */
  uint8_t got[UNIT_MAX];  /* operands that the unit has taken in this cycle, if it is one of those served */
};

static bool init(struct sm *S, struct err *e) {
  (void)e;
  choice_set(S, SLOT_COLLECTOR, xcalloc_lines(sm_view(S)->ngroup, sizeof(struct part)));
  return true;
}

static void done(struct sm *S) { free(choice_of(S, SLOT_COLLECTOR)); }

static const struct collector_view *view(struct sm *S, unsigned sc) {
  const struct group_view *g = group_view(S, group_of(S, sc));
  return group_show(S, group_of(S, sc), (struct collector_view){.free = g->free, .busy = g->all & ~g->free});
}

/* Free units of its set; of them the one that is asked for. */
static uint64_t free_for(const struct sm *S, const struct group_view *g, unsigned cls, int unit) {
  const uint64_t free = g->free & sm_view(S)->units_of[cls];
  return unit == ANY_UNIT ? free : free & 1ull << unit;
}

static enum take room(struct sm *S, unsigned sc, unsigned cls, int unit) {
  const struct group_view *g = group_view(S, group_of(S, sc));
  if (free_for(S, g, cls, unit)) return TAKE_TAKEN;
  return g->free & ~sm_view(S)->units_of[cls] ? TAKE_CLASS : TAKE_STOP;
}

static enum take take(struct sm *S, unsigned sc, unsigned w, const struct warp_inst *inst, int unit,
                      uint32_t inflight) {
  const unsigned g = group_of(S, sc);
  const struct op *op = &sm_view(S)->op[inst->op];
  const uint64_t free = free_for(S, group_view(S, g), op->cls, unit);
  if (!free) return room(S, sc, op->cls, unit);
  const struct collector_unit *u = unit_begin(S, g, (unsigned)bit_low64(free), w, inflight, op);
  storage_locate(S, u);
  if (u->banks != ~0ull) unit_want_all(S, u);
  else if (!u->hold) unit_set_full(S, u);
  return TAKE_TAKEN;
}

/* The first of these operands (u->banks) that comes from this bank; 8: none. (The lowest zero byte of the difference.) */
static unsigned operand_in(uint64_t wanted, unsigned bank) {
  const uint64_t ones = 0x0101010101010101ull;
  uint64_t x = wanted ^ bank * ones, zero = (x - ones) & ~x & ones << 7;
  return zero ? (unsigned)bit_low64(zero) / 8 : 8;
}

/* Its last operand has been given: it is here now, or comes later from a slow bank. */
static void ocu_operands_given(struct sm *S, const struct collector_unit *u) {
  const unsigned late = sm_view(S)->operand_late;
  if (late) unit_operands_at(S, u, sm_view(S)->now + late + 1);
  else unit_set_full(S, u);
}

static void collect_group(struct sm *S, unsigned gi, struct part *p) {
  const struct group_view *g = group_view(S, gi);
  struct sm_stats *st = sm_counters(S);
  uint64_t served = 0;
  for (unsigned word = 0; word < BANK_WORDS; word++) {
    for (uint64_t banks = g->banks_wanted[word]; banks; banks &= banks - 1) {
      unsigned b = 64 * word + (unsigned)bit_low64(banks);
      uint64_t want = g->want[b];
      st->rf_read_conflicts += (unsigned)bit_count64(want) - 1;
      for (uint64_t m = want & served; m; m &= m - 1)
        if (p->got[bit_low64(m)] >= sm_view(S)->arrivals) want &= ~(m & -m);
      if (!want || !rf_claim(S, gi, b, RF_READ)) {
        st->rf_read_conflicts++;
        continue;
      }
      int k = bit_from64(want, p->turn[b]);
      p->turn[b] = (uint8_t)((k + 1) % UNIT_MAX);
      const struct collector_unit *u = &g->unit[k];
      unsigned i = operand_in(u->banks, b);
      storage_read(S, u, i);
      if (sm_view(S)->laws) law_read(S, u, i, b);
      const uint64_t left = unit_take_operand(S, u, i);
      p->got[k] = (uint8_t)(served >> k & 1 ? p->got[k] + 1 : 1);
      served |= 1ull << k;
      st->rf_reads++;
      if (operand_in(left, b) == 8) unit_want_no_more(S, u, b);
      else st->rf_read_conflicts++; /* the unit's other operands in this bank wait as well */
      if (left == ~0ull && !u->hold) ocu_operands_given(S, u);
    }
  }
}

static void collect(struct sm *S) {
  struct part *p = choice_of(S, SLOT_COLLECTOR);
  for (unsigned g = 0; g < sm_view(S)->ngroup; g++) {
    if (!banks_are_wanted(S, g)) continue;
    collect_group(S, g, &p[g]);
    sm_keep_awake(S);
  }
}

const struct collector_ops collector_ocu = {
    .name = "ocu", .init = init, .done = done, .view = view, .room = room, .take = take, .collect = collect};
