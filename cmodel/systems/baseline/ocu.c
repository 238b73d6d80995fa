/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocu collector: operand collector units, in one pool or a set for each kind of execution unit (collector.sp_units and
 * others). An instruction takes the lowest free unit of its set; if there is none, the scheduler may go on to an instruction
 * of another set. Per bank and cycle one operand is read, units in turn (round robin from the one after the last served).
 */
#include "sm/state.h"

static const struct collector_view *view(struct sm *S, unsigned sc) {
  struct group *g = group_of(S, sc);
  g->view = (struct collector_view){.free = g->free, .busy = g->all & ~g->free};
  return &g->view;
}

/* Free units of its set; of them the one that is asked for. */
static uint64_t free_for(const struct sm *S, const struct group *g, unsigned cls, int unit) {
  const uint64_t free = g->free & S->units_of[cls];
  return unit == ANY_UNIT ? free : free & 1ull << unit;
}

static enum take room(struct sm *S, unsigned sc, unsigned cls, int unit) {
  const struct group *g = group_of(S, sc);
  if (free_for(S, g, cls, unit)) return TAKE_TAKEN;
  return g->free & ~S->units_of[cls] ? TAKE_CLASS : TAKE_STOP;
}

static enum take take(struct sm *S, unsigned sc, unsigned w, const struct warp_inst *inst, int unit,
                      uint32_t inflight) {
  (void)inst;
  struct group *g = group_of(S, sc);
  const unsigned cls = S->inflight[inflight].op->cls;
  const uint64_t free = free_for(S, g, cls, unit);
  if (!free) return room(S, sc, cls, unit);
  int k = bit_low64(free);
  struct collector_unit *u = &g->unit[k];
  u->inflight = inflight;
  u->warp = (uint16_t)w;
  u->cls = (uint8_t)cls;
  u->banks = ~0ull;
  g->free &= ~(1ull << k);
  storage_locate(S, u);
  if (u->banks != ~0ull) collector_want(g, u);
  else if (!u->hold) g->full |= 1ull << k;
  return TAKE_TAKEN;
}

/* The first of these operands (u->banks) that comes from this bank; 8: none. (The lowest zero byte of the difference.) */
static unsigned operand_in(uint64_t wanted, unsigned bank) {
  const uint64_t ones = 0x0101010101010101ull;
  uint64_t x = wanted ^ bank * ones, zero = (x - ones) & ~x & ones << 7;
  return zero ? (unsigned)bit_low64(zero) / 8 : 8;
}

/* Its last operand has been given: it is here now, or comes later from a slow bank (EV_OPERANDS). */
static void full(struct sm *S, struct group *g, const struct collector_unit *u) {
  if (S->operand_late) event_at(S, S->now + S->operand_late + 1, EV_OPERANDS, UNIT_MAX * u->group + u->index);
  else g->full |= 1ull << u->index;
}

static void collect(struct sm *S) {
  for (unsigned gi = 0; gi < S->ngroup; gi++) {
    struct group *g = &S->group[gi];
    if (!banks_are_wanted(g)) continue;
    uint64_t served = 0;
    for (unsigned word = 0; word < BANK_WORDS; word++) {
      for (uint64_t banks = g->banks_wanted[word]; banks; banks &= banks - 1) {
        unsigned b = 64 * word + (unsigned)bit_low64(banks);
        uint64_t want = g->want[b];
        S->st.rf_read_conflicts += (unsigned)bit_count64(want) - 1;
        for (uint64_t m = want & served; m; m &= m - 1)
          if (g->unit[bit_low64(m)].got >= S->arrivals) want &= ~(m & -m);
        if (!want || !rf_claim(S, g, b, RF_READ)) {
          S->st.rf_read_conflicts++;
          continue;
        }
        int k = bit_from64(want, g->rr[b]);
        g->rr[b] = (uint8_t)((k + 1) % UNIT_MAX);
        struct collector_unit *u = &g->unit[k];
        unsigned i = operand_in(u->banks, b);
        storage_read(S, u, i);
        if (S->laws) law_read(S, u, i, b);
        /* Read and written as one word: a byte that was just written delays a read of the whole. */
        const uint64_t left = u->banks |= (uint64_t)BANK_DONE << 8 * (i & 7);
        u->got = (uint8_t)(served >> k & 1 ? u->got + 1 : 1);
        served |= 1ull << k;
        S->st.rf_reads++;
        if (operand_in(left, b) == 8) {
          g->want[b] &= ~(1ull << k);
          if (!g->want[b]) g->banks_wanted[word] &= ~(1ull << b % 64);
        } else {
          S->st.rf_read_conflicts++; /* the unit's other operands in this bank wait as well */
        }
        if (left == ~0ull && !u->hold) full(S, g, u);
      }
    }
    S->busy = true;
  }
}

const struct collector_ops collector_ocu = {
    .name = "ocu", .view = view, .room = room, .take = take, .collect = collect};
