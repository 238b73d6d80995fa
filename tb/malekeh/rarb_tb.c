/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of rarb: units that ask as soon as they can or rarely, for all banks or for one, under results that come now and then or
 * in waves. Its prediction is one list of all requests in the order in which they came. docs/blocks/malekeh/rarb.md
 */
#include <string.h>

#include "blocks/malekeh/rarb.h"
#include "tb.h"

#define EXPECT rarb
#define EXPECT_DEF "blocks/malekeh/rarb.def"
#include "expect.h"

#include "lists.h"

#if TB_PARAM(NumCollectors) == 2
#define OF_PAIRS(B, p) TB_4(B, p)
#elif TB_PARAM(NumCollectors) == 4
#define OF_PAIRS(B, p) TB_16(B, p)
#else
#define OF_PAIRS(B, p) TB_64(B, p)
#endif
#if TB_PARAM(NumBanks) > 2
#define OF_MANY_BANKS(B) \
  B(conflict_of_three) B(conflict_wraps) B(two_conflicts) B(conflict_beside_other) B(head_loses_again)
#else
#define OF_MANY_BANKS(B)
#endif
/* clang-format off */
/* before_: number (units) u + v: a request of unit v waits in the bank behind the one of unit u that is granted. all_written, all_read: as many banks as lanes and units can. */
#define BINS(B)                                                                                                     \
  OF_UNITS(B, asks_) OF_UNITS(B, granted_) OF_UNITS(B, conflict_) OF_UNITS(B, again_) OF_PAIRS(B, before_)           \
  OF_BANKS(B, read_) OF_BANKS(B, read_later_) OF_BANKS(B, written_head_) OF_BANKS(B, pp_) OF_BANKS(B, wins_)         \
  OF_BANKS(B, loses_) OF_BANKS(B, beyond_) OF_RESULTS(B, lane_) OF_RESULTS(B, ready_without_valid_)                      \
  TB_6(B, slot_) TB_6(B, slots_less_1_) TB_8(B, entry_) OF_MANY_BANKS(B) B(lane_refused) B(not_ready_without_valid)  \
  B(lane_behind_lane_without_valid) B(lane_withdrawn) B(lane_accepted_after_refusal) B(all_written) B(all_read)      \
  B(at_once) B(later) B(new_behind_old) B(new_behind_granted) B(new_beside_old) B(conflict_of_new)                   \
  B(conflict_at_pp) B(no_conflict_by_write) B(two_units) B(blocked_by_loser) B(loser_then_wins) B(all_in_one_bank)   \
  B(full) B(full_of_one_bank) B(empty_again) B(asks_when_empty) B(asks_behind_last) B(lower_asks_last)               \
  B(higher_asks_last) B(waits_without_request) B(reset_waiting) B(reset_pp) B(junk_without_valid) B(junk_of_waiting_unit)
/* clang-format on */
TB_BINS(BINS)

enum {
  UNITS = TB_PARAM(NumCollectors),
  BANKS = TB_PARAM(NumBanks),
  LANES = TB_PARAM(NumResults),
  SLOTS = rarb_NumSlots,
  ALL = UNITS * SLOTS
};
enum { UNIT_BITS = RT_CLOG2(UNITS), BANK_BITS = RT_CLOG2(BANKS), NONE = ALL };
#define SOME(port) (rt_any(port, sizeof(port)) != 0) /* an element is not 0 */

struct request {
  unsigned unit, slot, reg, entry, bank;
  bool is_new, lost;       /* of this cycle; in the last conflict of its unit */
  unsigned waited, headed; /* cycles without a write to its bank: all; as the bank's head */
};

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  struct request q[ALL]; /* those that wait, the oldest first */
  unsigned n, pp, last_unit;
  bool was_served[UNITS]; /* its last operand was granted in the cycle before */
  bool refused[LANES];    /* in the last cycle */
};

/* What a cycle decides. */
struct verdict {
  bool written[BANKS], granted[BANKS];
  unsigned head[BANKS]; /* number in the list, or NONE */
  unsigned candidates[UNITS], gets[UNITS];
};

static void rarb_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r;
}

static bool rarb_unit_waits(const struct sim *s, unsigned unit) {
  for (unsigned i = 0; i < s->n; i++) {
    if (s->q[i].unit == unit) return true;
  }
  return false;
}

static unsigned rarb_bank_of_lane(const struct rarb_in *in, unsigned l) { return in->result_bank_i[l]; }
static bool rarb_lane_valid(const struct rarb_in *in, unsigned l) { return in->result_valid_i >> l & 1; }

/* ---- prediction ---- */

static bool rarb_lane_ready(const struct rarb_in *in, unsigned l) {
  for (unsigned below = 0; below < l; below++) {
    if (rarb_lane_valid(in, below) && rarb_bank_of_lane(in, below) == rarb_bank_of_lane(in, l)) return false;
  }
  return true;
}

static void rarb_append_requests(struct sim *s, const struct rarb_in *in) {
  for (unsigned i = 0; i < s->n; i++) s->q[i].is_new = false;
  for (unsigned k = 0; k < SLOTS; k++) {
    if (!(in->request_valid_i >> k & 1)) continue;
    s->q[s->n++] = (struct request){.unit = (unsigned)in->request_collector_i,
                                    .slot = k,
                                    .reg = in->request_register_i[k],
                                    .entry = in->request_entry_i[k],
                                    .bank = in->request_bank_i[k],
                                    .is_new = true};
  }
}

static void rarb_verdict_decide(const struct sim *s, const struct rarb_in *in, struct verdict *v) {
  memset(v, 0, sizeof *v);
  for (unsigned l = 0; l < LANES; l++) {
    if (rarb_lane_valid(in, l)) v->written[rarb_bank_of_lane(in, l)] = true;
  }
  for (unsigned b = 0; b < BANKS; b++) v->head[b] = NONE;
  for (unsigned i = s->n; i; i--) v->head[s->q[i - 1].bank] = i - 1;
  for (unsigned k = 0; k < BANKS; k++) {
    unsigned b = (s->pp + k) % BANKS;
    if (v->written[b] || v->head[b] == NONE) continue;
    unsigned u = s->q[v->head[b]].unit;
    if (!v->candidates[u]++) v->granted[b] = true, v->gets[u] = b;
  }
}

static void rarb_verdict_out(const struct sim *s, const struct rarb_in *in, const struct verdict *v,
                             struct rarb_out *want) {
  memset(want, 0, sizeof *want);
  for (unsigned l = 0; l < LANES; l++) want->result_ready_o |= (uint64_t)rarb_lane_ready(in, l) << l;
  for (unsigned b = 0; b < BANKS; b++) {
    if (!v->granted[b]) continue;
    const struct request *q = &s->q[v->head[b]];
    want->read_valid_o |= UINT64_C(1) << b;
    want->read_collector_o[b] = (uint8_t)q->unit;
    want->read_register_o[b] = (uint8_t)q->reg;
    want->operand_valid_o |= UINT64_C(1) << q->unit;
    want->operand_entry_o[q->unit] = (uint8_t)q->entry;
    want->operand_bank_o[q->unit] = (uint8_t)b;
  }
}

/* ---- bins ---- */

static void rarb_bins_of_lanes(struct sim *s, const struct rarb_in *in, const struct verdict *v) {
  unsigned written = 0;
  for (unsigned b = 0; b < BANKS; b++) {
    written += v->written[b];
    tb_hit_if(s->t, v->written[b] && v->head[b] != NONE, BIN_written_head_0 + b);
  }
  tb_hit_if(s->t, written == (LANES < BANKS ? LANES : BANKS), BIN_all_written);
  for (unsigned l = 0; l < LANES; l++) {
    bool valid = rarb_lane_valid(in, l), ready = rarb_lane_ready(in, l);
    tb_hit_if(s->t, valid && ready, BIN_lane_0 + l);
    tb_hit_if(s->t, !valid && ready, BIN_ready_without_valid_0 + l);
    tb_hit_if(s->t, valid && !ready, BIN_lane_refused);
    tb_hit_if(s->t, !valid && !ready, BIN_not_ready_without_valid);
    tb_hit_if(s->t, s->refused[l] && !valid, BIN_lane_withdrawn);
    tb_hit_if(s->t, s->refused[l] && valid && ready, BIN_lane_accepted_after_refusal);
    for (unsigned k = 0; valid && ready && k < l; k++)
      tb_hit_if(s->t, !rarb_lane_valid(in, k) && rarb_bank_of_lane(in, k) == rarb_bank_of_lane(in, l),
                BIN_lane_behind_lane_without_valid);
    s->refused[l] = valid && !ready;
  }
}

static void rarb_bins_of_request(struct sim *s, const struct rarb_in *in, unsigned before) {
  unsigned u = (unsigned)in->request_collector_i, slots = (unsigned)__builtin_popcountll(in->request_valid_i), same = 0;
  if (!in->request_valid_i) {
    tb_hit_if(s->t, before, BIN_waits_without_request);
    tb_hit_if(s->t,
              SOME(in->request_register_i) && SOME(in->request_entry_i) && SOME(in->request_bank_i) &&
                  SOME(in->result_bank_i) && !in->result_valid_i,
              BIN_junk_without_valid);
    tb_hit_if(s->t, rarb_unit_waits(s, u), BIN_junk_of_waiting_unit);
    return;
  }
  tb_hit(s->t, BIN_asks_0 + u);
  tb_hit(s->t, BIN_slots_less_1_0 + slots - 1);
  for (unsigned i = before; i < s->n; i++) same += s->q[i].bank == s->q[before].bank;
  tb_hit_if(s->t, same == SLOTS, BIN_all_in_one_bank);
  tb_hit_if(s->t, !before, BIN_asks_when_empty);
  tb_hit_if(s->t, s->was_served[u], BIN_asks_behind_last);
  tb_hit_if(s->t, before && u < s->last_unit, BIN_lower_asks_last);
  tb_hit_if(s->t, before && u > s->last_unit, BIN_higher_asks_last);
  s->last_unit = u;
}

static void rarb_bins_of_unit(struct sim *s, const struct verdict *v, unsigned u) {
  unsigned b = v->gets[u], from = (b + BANKS - s->pp) % BANKS;
  bool by_write = false;
  for (unsigned c = 0; c < BANKS; c++) {
    if (v->head[c] == NONE) continue;
    const struct request *q = &s->q[v->head[c]];
    if (q->unit != u) continue;
    by_write |= v->written[c];
    if (v->written[c] || c == b) continue;
    tb_hit(s->t, BIN_loses_0 + c);
#if TB_PARAM(NumBanks) > 2
    tb_hit_if(s->t, q->lost, BIN_head_loses_again);
#endif
    for (unsigned i = v->head[c] + 1; i < s->n; i++)
      tb_hit_if(s->t, s->q[i].bank == c && s->q[i].unit != u && !v->candidates[s->q[i].unit], BIN_blocked_by_loser);
  }
  tb_hit(s->t, BIN_granted_0 + u);
  tb_hit(s->t, BIN_beyond_0 + from);
  tb_hit_if(s->t, s->q[v->head[b]].lost, BIN_loser_then_wins);
  tb_hit_if(s->t, v->candidates[u] == 1 && by_write, BIN_no_conflict_by_write);
  if (v->candidates[u] == 1) return;
  tb_hit(s->t, BIN_conflict_0 + u);
  tb_hit(s->t, BIN_wins_0 + b);
  tb_hit_if(s->t, s->q[v->head[b]].is_new, BIN_conflict_of_new);
  tb_hit_if(s->t, from == 0, BIN_conflict_at_pp);
#if TB_PARAM(NumBanks) > 2
  tb_hit_if(s->t, v->candidates[u] == 3, BIN_conflict_of_three);
  tb_hit_if(s->t, b < s->pp, BIN_conflict_wraps);
#endif
}

static void rarb_bins_of_bank(struct sim *s, const struct verdict *v, unsigned b) {
  if (!v->granted[b]) return;
  const struct request *q = &s->q[v->head[b]];
  tb_hit(s->t, (q->is_new ? BIN_read_0 : BIN_read_later_0) + b);
  tb_hit(s->t, BIN_slot_0 + q->slot);
  tb_hit(s->t, BIN_entry_0 + q->entry);
  tb_hit(s->t, q->is_new ? BIN_at_once : BIN_later);
  for (unsigned i = v->head[b] + 1; i < s->n; i++) {
    const struct request *p = &s->q[i];
    tb_hit_if(s->t, p->bank == b, BIN_before_0 + UNITS * q->unit + p->unit);
    tb_hit_if(s->t, p->bank == b && p->is_new && !q->is_new, BIN_new_behind_granted);
    tb_hit_if(s->t, p->bank != b && p->is_new && !q->is_new, BIN_new_beside_old);
  }
}

static void rarb_bins_of_cycle(struct sim *s, const struct rarb_in *in, const struct verdict *v, unsigned before) {
  unsigned units = 0, conflicts = 0, reads = 0, same = 0;
  tb_hit(s->t, BIN_pp_0 + s->pp);
  rarb_bins_of_lanes(s, in, v);
  rarb_bins_of_request(s, in, before);
  for (unsigned u = 0; u < UNITS; u++) {
    units += v->candidates[u] > 0, conflicts += v->candidates[u] > 1;
    if (v->candidates[u]) rarb_bins_of_unit(s, v, u);
  }
  for (unsigned b = 0; b < BANKS; b++) {
    reads += v->granted[b];
    rarb_bins_of_bank(s, v, b);
  }
  for (unsigned i = before; i < s->n; i++) tb_hit_if(s->t, v->head[s->q[i].bank] < before, BIN_new_behind_old);
  for (unsigned i = 0; i < s->n; i++) same += s->q[i].bank == s->q[0].bank;
  tb_hit_if(s->t, reads == (UNITS < BANKS ? UNITS : BANKS), BIN_all_read);
  tb_hit_if(s->t, units > 1, BIN_two_units);
#if TB_PARAM(NumBanks) > 2
  tb_hit_if(s->t, conflicts > 1, BIN_two_conflicts);
  tb_hit_if(s->t, conflicts && units > conflicts, BIN_conflict_beside_other);
#endif
  tb_hit_if(s->t, s->n == ALL, BIN_full);
  tb_hit_if(s->t, same == ALL, BIN_full_of_one_bank);
}

/* ---- a cycle ---- */

/* The bounds of the page's invariant 6. */
static void rarb_count_wait(struct sim *s, struct request *q, bool is_head) {
  q->waited++;
  if (is_head) q->headed++;
  tb_expect(s->t, q->headed < SLOTS, "the head of bank %u has waited for %u cycles without a write", q->bank,
            q->headed);
  tb_expect(s->t, q->waited < ALL, "a request of unit %u has waited for %u cycles without a write", q->unit, q->waited);
}

static void rarb_run_cycle(struct sim *s, const struct rarb_in *in) {
  const struct rarb_state is = *(const struct rarb_state *)tb_model(s->t);
  struct rarb_state state = {.preferred_bank_q = s->pp};
  const unsigned before = s->n;
  struct rarb_out want;
  struct verdict v;
  unsigned left = 0;
  bool conflict = false, had[UNITS];
  for (unsigned i = 0; i < s->n; i++) {
    uint8_t *slots = &state.pending_q[s->q[i].unit];
    *slots = (uint8_t)(*slots | 1u << s->q[i].slot);
  }
  rarb_append_requests(s, in);
  rarb_verdict_decide(s, in, &v);
  rarb_verdict_out(s, in, &v, &want);
  expect_all(s->t, tb_step(s->t, in), &want, &is, &state);
  rarb_bins_of_cycle(s, in, &v, before);

  for (unsigned u = 0; u < UNITS; u++) {
    conflict |= v.candidates[u] > 1, had[u] = rarb_unit_waits(s, u);
    tb_hit_if(s->t, v.candidates[u] && s->was_served[u], BIN_again_0 + u);
  }
  for (unsigned i = 0; i < s->n; i++) {
    struct request q = s->q[i];
    bool is_head = v.head[q.bank] == i;
    if (is_head && v.granted[q.bank]) continue;
    if (!v.written[q.bank]) {
      rarb_count_wait(s, &q, is_head);
      q.lost = is_head;
    }
    s->q[left++] = q;
  }
  tb_hit_if(s->t, s->n && !left, BIN_empty_again);
  s->n = left;
  for (unsigned u = 0; u < UNITS; u++) s->was_served[u] = had[u] && !rarb_unit_waits(s, u);
  if (conflict) s->pp = (s->pp + 1) % BANKS;
}

/* ---- stimulus ---- */

struct bias {
  unsigned ask, slots;     /* a unit that can asks; density of its slots */
  unsigned banks;          /* that requests are for; 0: all */
  unsigned write, written; /* density of results; banks that they are for, 0: all */
  bool waves;              /* times in which all banks are written, or half of the lanes write */
};

static void rarb_put_all_results(struct sim *s, struct rarb_in *in) {
  unsigned from = tb_below(s->r, BANKS);
  in->result_valid_i = (UINT64_C(1) << LANES) - 1;
  for (unsigned l = 0; l < LANES; l++) in->result_bank_i[l] = (uint8_t)((from + l) % BANKS);
}

/* Every field has a value, whatever is valid. */
static void rarb_put_junk(struct sim *s, struct rarb_in *in) {
  memset(in, 0, sizeof *in);
  any_elements(s->r, in->result_bank_i, LANES, BANK_BITS);
  in->request_collector_i = tb_bits(s->r, UNIT_BITS);
  any_elements(s->r, in->request_register_i, SLOTS, 8);
  any_elements(s->r, in->request_entry_i, SLOTS, 3);
  any_elements(s->r, in->request_bank_i, SLOTS, BANK_BITS);
}

static void rarb_put_request(struct rarb_in *in, unsigned unit, unsigned slots) {
  in->request_collector_i = unit, in->request_valid_i = slots;
}
static void rarb_put_bank(struct rarb_in *in, unsigned k, unsigned bank) { in->request_bank_i[k] = (uint8_t)bank; }

/* A unit that may ask, or UNITS. */
static unsigned rarb_some_free_unit(struct sim *s) {
  unsigned u = tb_below(s->r, UNITS);
  for (unsigned k = 0; k < UNITS; k++, u = (u + 1) % UNITS) {
    if (!rarb_unit_waits(s, u)) return u;
  }
  return UNITS;
}

static void rarb_run_random(struct sim *s, const struct bias *b, unsigned cycles) {
  unsigned base = tb_below(s->r, BANKS), result_base = tb_below(s->r, BANKS), wave = 0;
  for (; cycles; cycles--) {
    struct rarb_in in;
    unsigned u = rarb_some_free_unit(s);
    rarb_put_junk(s, &in);
    if (u < UNITS && tb_chance(s->r, b->ask)) rarb_put_request(&in, u, (unsigned)tb_dense(s->r, SLOTS, b->slots));
    if (in.request_valid_i && tb_chance(s->r, 10)) in.request_valid_i = UINT64_C(1) << tb_below(s->r, SLOTS);
    for (unsigned k = 0; b->banks && k < SLOTS; k++) rarb_put_bank(&in, k, (base + tb_below(s->r, b->banks)) % BANKS);
    in.result_valid_i = tb_dense(s->r, LANES, b->write);
    for (unsigned l = 0; b->written && l < LANES; l++)
      in.result_bank_i[l] = (uint8_t)((result_base + tb_below(s->r, b->written)) % BANKS);
    if (b->waves && wave == 1) rarb_put_all_results(s, &in);
    if (b->waves && wave == 2) in.result_valid_i = 0;
    if (tb_chance(s->r, 5)) wave = tb_below(s->r, 3);
    if (tb_chance(s->r, 5)) base = tb_below(s->r, BANKS), result_base = tb_below(s->r, BANKS);
    rarb_run_cycle(s, &in);
  }
}

static const char *const phases[] = {"calm",        "full",  "one_bank",     "two_banks", "written", "half_written",
                                     "one_written", "waves", "waves_of_one", "single",    NULL};
static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {20, 40, 0, 10, 0, false},  {100, 70, 0, 0, 0, false}, {60, 50, 1, 20, 0, false}, {100, 60, 2, 20, 2, false},
      {100, 50, 0, 80, 0, false}, {60, 50, 0, 50, 0, false}, {80, 50, 0, 60, 1, false}, {80, 60, 0, 30, 0, true},
      {80, 90, 1, 20, 0, true},   {70, 15, 0, 30, 0, false},
  };
  struct sim s;
  rarb_sim_begin(&s, t, r);
  rarb_run_random(&s, &bias[phase], 20 + tb_below(r, 200));
}

/* While every bank that a request names is written. */
static void rarb_run_written(struct sim *s, struct rarb_in *in, unsigned bank) {
  if (LANES < BANKS) {
    in->result_valid_i = 1, in->result_bank_i[0] = (uint8_t)bank;
  } else {
    rarb_put_all_results(s, in);
  }
  rarb_run_cycle(s, in);
}

static void rarb_drain_requests(struct sim *s) {
  while (s->n) {
    struct rarb_in in;
    rarb_put_junk(s, &in);
    rarb_run_cycle(s, &in);
  }
}

/* The units ask for one bank in any order while it is written; then each is served in this order. */
static void rarb_case_orders(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  rarb_sim_begin(&s, t, r);
  for (unsigned round = 0; round < 60; round++) {
    unsigned bank = round % BANKS, order[UNITS] = {0};
    for (unsigned i = 0; i < UNITS; i++) {
      unsigned j = tb_below(r, i + 1);
      order[i] = order[j], order[j] = i;
    }
    for (unsigned i = 0; i < UNITS; i++) {
      struct rarb_in in;
      rarb_put_junk(&s, &in);
      rarb_put_request(&in, order[i], round % 3 ? 1 + tb_below(r, 63) : 63);
      for (unsigned k = 0; k < SLOTS; k++) rarb_put_bank(&in, k, bank);
      rarb_run_written(&s, &in, bank);
    }
    rarb_drain_requests(&s);
  }
}

/* Each slot alone, at once and from its store, each bit of register, entry and bank alone. */
static void rarb_case_each_slot(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  rarb_sim_begin(&s, t, r);
  for (unsigned i = 0; i < ALL; i++) {
    for (unsigned bit = 0; bit < 8 + 3 + BANK_BITS; bit++) {
      for (unsigned stored = 0; stored < 2; stored++) {
        struct rarb_in in = {0};
        unsigned k = i % SLOTS;
        rarb_put_request(&in, i / SLOTS, 1u << k);
        if (bit < 8) in.request_register_i[k] = (uint8_t)(1u << bit);
        if (bit >= 8 && bit < 11) in.request_entry_i[k] = (uint8_t)(1u << (bit - 8));
        if (bit >= 11) in.request_bank_i[k] = (uint8_t)(1u << (bit - 11));
        if (stored) {
          rarb_run_written(&s, &in, bit >= 11 ? 1u << (bit - 11) : 0);
        } else {
          rarb_run_cycle(&s, &in);
        }
        rarb_drain_requests(&s);
      }
    }
  }
}

/* All slots of all units wait, then leave; the preferred bank is any. */
static void rarb_case_full(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  rarb_sim_begin(&s, t, r);
  for (unsigned round = 0; round < 10; round++) {
    for (unsigned u = 0; u < UNITS; u++) {
      struct rarb_in in;
      rarb_put_junk(&s, &in);
      rarb_put_request(&in, (u + round) % UNITS, 63);
      rarb_put_all_results(&s, &in);
      rarb_run_cycle(&s, &in);
    }
    rarb_drain_requests(&s);
  }
}

/* Each unit has one operand in a bank of its own, as far as there are banks: all banks read in one cycle. */
static void rarb_case_all_banks(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  rarb_sim_begin(&s, t, r);
  for (unsigned round = 0; round < 2 * BANKS; round++) {
    for (unsigned u = 0; u < UNITS; u++) {
      struct rarb_in in;
      unsigned k = tb_below(r, SLOTS);
      rarb_put_junk(&s, &in);
      rarb_put_request(&in, u, 1u << k);
      rarb_put_bank(&in, k, (u + round) % BANKS);
      rarb_put_all_results(&s, &in);
      rarb_run_cycle(&s, &in);
    }
    rarb_drain_requests(&s);
  }
}

/* Each pair of lanes, with and without valids, of one bank and of two. */
static void rarb_case_lanes(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  rarb_sim_begin(&s, t, r);
  for (unsigned a = 0; a < LANES; a++) {
    for (unsigned b = 0; b < LANES; b++) {
      for (unsigned valid = 0; valid < 4; valid++) {
        for (unsigned other = 0; other < BANKS; other++) {
          struct rarb_in in = {0};
          unsigned bank = tb_below(r, BANKS);
          in.result_valid_i = (uint64_t)(valid & 1) << a | (uint64_t)(valid >> 1) << b;
          for (unsigned l = 0; l < LANES; l++) in.result_bank_i[l] = (uint8_t)((l == a ? bank : bank + other) % BANKS);
          rarb_run_cycle(&s, &in);
        }
      }
    }
  }
}

static void rarb_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias some_of_all = {80, 60, 0, 40, 0, false};
  struct sim s;
  for (unsigned i = 0; i < 30; i++) {
    rarb_sim_begin(&s, t, r);
    rarb_run_random(&s, &some_of_all, 1 + tb_below(r, 20));
    tb_hit_if(t, s.n, BIN_reset_waiting);
    tb_hit_if(t, s.pp, BIN_reset_pp);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct rarb_state *s = model;
  const struct rarb_in *in = vin;
  (void)last_in, (void)last_out;
  if (in->request_valid_i && s->pending_q[in->request_collector_i]) return "a request of a unit that waits";
  return NULL;
}

static const struct tb_case cases[] = {{"orders", rarb_case_orders},
                                       {"each_slot", rarb_case_each_slot},
                                       {"full", rarb_case_full},
                                       {"all_banks", rarb_case_all_banks},
                                       {"lanes", rarb_case_lanes},
                                       {"resets", rarb_case_resets},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 100000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
