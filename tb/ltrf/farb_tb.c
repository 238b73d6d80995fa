/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of farb: requests that stay or go, banks that are ready together, rarely, or one of them never for a while. Its
 * prediction goes through the slots one after another. docs/blocks/ltrf/farb.md
 */
#include <string.h>

#include "blocks/ltrf/farb.h"
#include "tb.h"

#define EXPECT farb
#define EXPECT_DEF "blocks/ltrf/farb.def"
#include "expect.h"

#include "lists.h"

/* clang-format off */
/* mrf_ and rfc_: the bank of a grant; no_mrf_ and no_rfc_: this bank alone refuses a request. Of eligible_, so many are. */
#define BINS(B)                                                                                                  \
  OF_SLOTS(B, fetch_) OF_SLOTS(B, back_) OF_SLOTS(B, ptr_) OF_SLOTS(B, beyond_) OF_SLOTS(B, waited_)                   \
  OF_SLOTS(B, eligible_) B(eligible_all) OF_SLOTS(B, stays_at_) OF_BANKS(B, mrf_) OF_BANKS(B, no_mrf_)              \
  OF_PLACES(B, rfc_) OF_PLACES(B, no_rfc_) B(none_asks) B(none_eligible) B(fetch_no_mrf) B(back_no_mrf)           \
  B(back_no_rfc) B(back_no_both) B(fetch_without_rfc) B(grant_at_ptr) B(grant_wraps) B(grant_before_ptr)          \
  B(one_bank) B(one_place) B(fetch_beside_back) B(back_beside_fetch) B(withdrawn) B(changes_kind) B(changes_bank)  \
  B(changes_place) B(granted_behind_refused) B(granted_again) B(same_ready_other_bank) B(all_ready) B(none_ready)  \
  B(reset_behind_grant) B(junk_without_valid)
/* clang-format on */
TB_BINS(BINS)

enum { SLOTS = TB_PARAM(NumSlots), BANKS = TB_PARAM(NumMainBanks), PLACES = TB_PARAM(NumCacheBanks), NOBODY = SLOTS };

struct request {
  bool asks, writes; /* writes back */
  unsigned bank, place;
};

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  struct request q[SLOTS], last[SLOTS];
  bool bank[BANKS], place[PLACES]; /* free ones of this cycle */
  unsigned from;                   /* where the search begins */
  unsigned waits[SLOTS];           /* for so many cycles it has been eligible without a grant */
  unsigned granted, cycles;        /* in the last cycle; since reset */
  bool refused[SLOTS];             /* in the last cycle */
};

static void farb_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r, s->granted = NOBODY;
}

static bool farb_is_eligible(const struct sim *s, unsigned i) {
  const struct request *q = &s->q[i];
  if (!q->asks || !s->bank[q->bank]) return false;
  return !q->writes || s->place[q->place];
}

static void farb_bins_of_refused(struct sim *s, unsigned i) {
  const struct request *q = &s->q[i];
  bool mrf = s->bank[q->bank], rfc = s->place[q->place];
  if (!q->writes) {
    tb_hit_if(s->t, !mrf, BIN_fetch_no_mrf);
    return;
  }
  tb_hit_if(s->t, !mrf, rfc ? BIN_back_no_mrf : BIN_back_no_both);
  tb_hit_if(s->t, mrf && !rfc, BIN_back_no_rfc);
}

/* How the slots' requests are different from those of the cycle before. */
static void farb_bins_of_changes(struct sim *s, unsigned i) {
  const struct request *q = &s->q[i], *was = &s->last[i];
  if (!s->cycles || !was->asks || s->granted == i) return;
  tb_hit_if(s->t, !q->asks, BIN_withdrawn);
  if (!q->asks) return;
  tb_hit_if(s->t, q->writes != was->writes, BIN_changes_kind);
  tb_hit_if(s->t, q->bank != was->bank, BIN_changes_bank);
  tb_hit_if(s->t, q->writes && was->writes && q->place != was->place, BIN_changes_place);
}

/* The request of a slot that is alone is refused by one bank alone: which? */
static void farb_bins_of_alone(struct sim *s, unsigned asks) {
  unsigned no_bank = 0, no_place = 0;
  for (unsigned b = 0; b < BANKS; b++) no_bank += !s->bank[b];
  for (unsigned b = 0; b < PLACES; b++) no_place += !s->place[b];
  tb_hit_if(s->t, asks && !no_bank && !no_place, BIN_all_ready);
  tb_hit_if(s->t, asks && no_bank == BANKS && no_place == PLACES, BIN_none_ready);
  for (unsigned i = 0; i < SLOTS; i++) {
    const struct request *q = &s->q[i];
    if (!q->asks) continue;
    tb_hit_if(s->t, no_bank == 1 && !s->bank[q->bank], BIN_no_mrf_0 + q->bank);
    tb_hit_if(s->t, q->writes && no_place == 1 && !s->place[q->place], BIN_no_rfc_0 + q->place);
    tb_hit_if(s->t, q->writes && s->place[q->place] && !s->bank[q->bank] && no_bank == 1, BIN_same_ready_other_bank);
  }
}

static void farb_bins_of_grant(struct sim *s, unsigned g) {
  const struct request *q = &s->q[g];
  unsigned k = (g + SLOTS - s->from) % SLOTS;
  tb_hit(s->t, (q->writes ? BIN_back_0 : BIN_fetch_0) + g);
  tb_hit(s->t, BIN_mrf_0 + q->bank);
  tb_hit(s->t, BIN_beyond_0 + k);
  tb_hit(s->t, BIN_waited_0 + s->waits[g]);
  tb_hit_if(s->t, q->writes, BIN_rfc_0 + q->place);
  tb_hit_if(s->t, !q->writes && !s->place[q->place], BIN_fetch_without_rfc);
  tb_hit_if(s->t, k == 0, BIN_grant_at_ptr);
  tb_hit_if(s->t, g < s->from, BIN_grant_wraps);
  tb_hit_if(s->t, k == SLOTS - 1, BIN_grant_before_ptr);
  tb_hit_if(s->t, s->refused[g], BIN_granted_behind_refused);
  tb_hit_if(s->t, s->granted == g, BIN_granted_again);
  for (unsigned i = 0; i < SLOTS; i++) {
    if (i == g || !farb_is_eligible(s, i)) continue;
    tb_hit_if(s->t, s->q[i].bank == q->bank, BIN_one_bank);
    tb_hit_if(s->t, q->writes && s->q[i].writes && s->q[i].place == q->place, BIN_one_place);
    tb_hit_if(s->t, s->q[i].writes != q->writes, q->writes ? BIN_back_beside_fetch : BIN_fetch_beside_back);
  }
}

static void farb_run_cycle(struct sim *s) {
  struct farb_state is = *(const struct farb_state *)tb_model(s->t);
  const struct farb_state state = {.pointer_q = s->from};
  struct farb_out want = {0};
  struct farb_in in = {0};
  unsigned granted = NOBODY, asks = 0, could = 0;
  for (unsigned i = 0; i < SLOTS; i++) {
    const struct request *q = &s->q[i];
    in.request_valid_i |= (uint64_t)q->asks << i, in.request_write_back_i |= (uint64_t)q->writes << i;
    in.request_main_bank_i[i] = (uint8_t)q->bank, in.request_cache_bank_i[i] = (uint8_t)q->place;
    asks += q->asks, could += farb_is_eligible(s, i);
    tb_hit_if(s->t, !q->asks && q->writes && q->bank && q->place, BIN_junk_without_valid);
  }
  for (unsigned b = 0; b < BANKS; b++) words_set(in.main_ready_i, b, 1, s->bank[b]);
  for (unsigned b = 0; b < PLACES; b++) in.cache_ready_i |= (uint64_t)s->place[b] << b;
  for (unsigned k = 0; k < SLOTS && granted == NOBODY; k++) {
    if (farb_is_eligible(s, (s->from + k) % SLOTS)) granted = (s->from + k) % SLOTS;
  }
  if (granted != NOBODY) want.grant_o = UINT64_C(1) << granted;
  expect_all(s->t, tb_step(s->t, &in), &want, &is, &state);

  tb_hit(s->t, BIN_ptr_0 + s->from);
  if (could < SLOTS) tb_hit(s->t, BIN_eligible_0 + could);
  tb_hit_if(s->t, could == SLOTS, BIN_eligible_all);
  tb_hit_if(s->t, !asks, BIN_none_asks);
  tb_hit_if(s->t, asks && !could, BIN_none_eligible);
  tb_hit_if(s->t, granted == NOBODY, BIN_stays_at_0 + s->from);
  farb_bins_of_alone(s, asks);
  if (granted != NOBODY) farb_bins_of_grant(s, granted);
  for (unsigned i = 0; i < SLOTS; i++) {
    const bool can = farb_is_eligible(s, i);
    farb_bins_of_changes(s, i);
    if (s->q[i].asks && !can) farb_bins_of_refused(s, i);
    s->refused[i] = s->q[i].asks && !can;
    s->waits[i] = can && i != granted ? s->waits[i] + 1 : 0;
    tb_expect(s->t, s->waits[i] < SLOTS, "slot %u has been eligible for %u cycles without a grant", i, s->waits[i]);
  }
  if (granted != NOBODY) s->from = (granted + 1) % SLOTS;
  s->granted = granted, s->cycles++;
  memcpy(s->last, s->q, sizeof s->last);
}

/* ---- stimulus ---- */

enum ready { ALWAYS, HALF, SPARSE, ONE_NOT, ONE_ONLY, BLINK };
struct bias {
  unsigned ask, back, keep, few; /* few: banks that requests are for; 0: all */
  enum ready mrf, rfc;
};

static bool farb_bank_is_ready(struct sim *s, enum ready how, unsigned b, unsigned odd, bool on) {
  switch (how) {
    case ALWAYS: return true;
    case HALF: return tb_chance(s->r, 50);
    case SPARSE: return tb_chance(s->r, 10);
    case ONE_NOT: return b != odd;
    case ONE_ONLY: return b == odd;
    default: return on;
  }
}

static void farb_run_random(struct sim *s, const struct bias *b, unsigned cycles) {
  unsigned odd_bank = tb_below(s->r, BANKS), odd_place = tb_below(s->r, PLACES), base = tb_below(s->r, BANKS);
  bool on[2] = {true, true};
  for (; cycles; cycles--) {
    for (unsigned i = 0; i < SLOTS; i++) {
      struct request *q = &s->q[i];
      if (q->asks && s->granted != i && tb_chance(s->r, b->keep)) continue;
      bool as_before = tb_chance(s->r, 20);
      q->asks = tb_chance(s->r, b->ask), q->writes = tb_chance(s->r, b->back);
      if (!as_before) q->bank = b->few ? (base + tb_below(s->r, b->few)) % BANKS : tb_below(s->r, BANKS);
      q->place = tb_below(s->r, b->few && b->few < PLACES ? b->few : PLACES);
    }
    if (tb_chance(s->r, 10)) {
      odd_bank = tb_chance(s->r, 60) ? s->q[tb_below(s->r, SLOTS)].bank : tb_below(s->r, BANKS);
      odd_place = tb_chance(s->r, 60) ? s->q[tb_below(s->r, SLOTS)].place : tb_below(s->r, PLACES);
    }
    for (unsigned k = 0; k < 2; k++) {
      if (tb_chance(s->r, 25)) on[k] = !on[k];
    }
    for (unsigned k = 0; k < BANKS; k++) s->bank[k] = farb_bank_is_ready(s, b->mrf, k, odd_bank, on[0]);
    for (unsigned k = 0; k < PLACES; k++) s->place[k] = farb_bank_is_ready(s, b->rfc, k, odd_place, on[1]);
    farb_run_cycle(s);
  }
}

static const char *const phases[] = {"calm",     "full",     "half_ready", "sparse", "one_mrf_not", "one_rfc_not",
                                     "one_only", "conflict", "blink",      "backs",  "changing",    NULL};
static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {20, 40, 80, 0, ALWAYS, ALWAYS}, {100, 50, 100, 0, ALWAYS, ALWAYS}, {50, 50, 90, 0, HALF, HALF},
      {60, 50, 95, 0, SPARSE, HALF},   {60, 30, 90, 0, ONE_NOT, ALWAYS},  {60, 80, 90, 0, ALWAYS, ONE_NOT},
      {80, 40, 95, 4, ONE_ONLY, HALF}, {80, 50, 95, 2, HALF, HALF},       {70, 50, 95, 0, BLINK, BLINK},
      {90, 100, 95, 0, HALF, SPARSE},  {60, 50, 20, 0, ONE_NOT, ONE_NOT},
  };
  struct sim s;
  farb_sim_begin(&s, t, r);
  farb_run_random(&s, &bias[phase], 20 + tb_below(r, 200));
}

/* One request alone, of each slot with each bank; ready is its bank alone, then all others. */
static void farb_case_each_bank(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  farb_sim_begin(&s, t, r);
  for (unsigned k = 0; k < 4 * BANKS; k++) {
    unsigned i = tb_below(r, SLOTS), bank = k % BANKS, place = k % PLACES;
    memset(s.q, 0, sizeof s.q);
    s.q[i] = (struct request){true, k / BANKS % 2, bank, place};
    for (unsigned round = 0; round < 3; round++) { /* its banks alone; all but the one; all but the other */
      for (unsigned b = 0; b < BANKS; b++) s.bank[b] = round == 0 ? b == bank : round == 1 ? b != bank : true;
      for (unsigned b = 0; b < PLACES; b++) s.place[b] = round == 0 ? b == place : round == 1 ? true : b != place;
      farb_run_cycle(&s);
    }
  }
}

/* From each beginning each slot alone is eligible, and each one beside all that come after it. */
static void farb_case_each_turn(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  farb_sim_begin(&s, t, r);
  memset(s.bank, 1, sizeof s.bank), memset(s.place, 1, sizeof s.place);
  for (unsigned from = 0; from < SLOTS; from++) {
    for (unsigned k = 0; k < 2 * SLOTS; k++) {
      for (unsigned i = 0; i < SLOTS; i++) s.q[i] = (struct request){.asks = (i + 1) % SLOTS == from};
      farb_run_cycle(&s);
      for (unsigned i = 0; i < SLOTS; i++) {
        unsigned turn = (i + SLOTS - from) % SLOTS;
        s.q[i] = (struct request){k < SLOTS ? turn == k : turn >= k - SLOTS, i % 2, i % BANKS, (i + k) % PLACES};
      }
      farb_run_cycle(&s);
      memset(s.q, 0, sizeof s.q);
      farb_run_cycle(&s);
    }
  }
}

/* All are eligible for several rounds. */
static void farb_case_all(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  farb_sim_begin(&s, t, r);
  memset(s.bank, 1, sizeof s.bank), memset(s.place, 1, sizeof s.place);
  for (unsigned k = 0; k < 3 * SLOTS; k++) {
    for (unsigned i = 0; i < SLOTS; i++) s.q[i] = (struct request){true, (i + k) % 3 == 0, 5 % BANKS, 3 % PLACES};
    farb_run_cycle(&s);
  }
}

static void farb_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias some_of_all = {50, 50, 50, 0, HALF, HALF};
  struct sim s;
  for (unsigned i = 0; i < 20; i++) {
    farb_sim_begin(&s, t, r);
    farb_run_random(&s, &some_of_all, 1 + tb_below(r, 20));
    tb_hit_if(t, s.from && s.granted != NOBODY, BIN_reset_behind_grant);
    tb_reset(t);
  }
}

static const struct tb_case cases[] = {{"each_bank", farb_case_each_bank},
                                       {"each_turn", farb_case_each_turn},
                                       {"all", farb_case_all},
                                       {"resets", farb_case_resets},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 100000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases};
