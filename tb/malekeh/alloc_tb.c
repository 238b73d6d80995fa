/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of alloc: units whose owners follow what it issues, and units in any state that the page allows. Its prediction
 * writes the warps in the order of the page into a list and tries one after another. docs/blocks/malekeh/alloc.md
 */
#include <string.h>

#include "blocks/malekeh/alloc.h"
#include "tb.h"

#define EXPECT alloc
#define EXPECT_DEF "blocks/malekeh/alloc.def"
#include "expect.h"

#include "lists.h"

#define MALEKEH (TB_PARAM(Policy) == 1)
#define OWN_UNITS (TB_PARAM(Policy) != 3)
#define PICKS (TB_PARAM(Policy) != 2)

/* clang-format off */
#if PICKS
/* of_: one fewer than the units to pick from; place_: which of them */
#define OF_PICKS(B)                                                                                                \
  OF_UNITS(B, of_) OF_UNITS(B, place_) TB_16(B, lfsr_bit_) B(first_pick) B(first_pick_seed_zero) B(pick_again)       \
  B(picks_low_half) B(picks_high_half) B(busy_below) B(free_above) B(all_busy) B(no_unit_before_nc)
#else
#define OF_PICKS(B)
#endif
#if OWN_UNITS
#define OF_OWNERS(B)                                                                                               \
  OF_UNITS(B, own_) B(any_before_older) B(busy_before_older) B(busy_and_any_before_older) B(last_before_any)         \
  B(owner_without_data) B(older_of_first_group)
#if TB_PARAM(Pass)
#define OF_PASS(B)                                                                                                 \
  B(younger_of_first_group) B(passed_one) B(passed_two) B(passed_then_own) B(passed_then_nc) B(all_passed)          \
  B(last_passed) OF_PASS_PICK(B)
#if PICKS
#define OF_PASS_PICK(B) B(passed_then_pick) B(passed_then_no_unit) B(passed_then_waits) B(passed_then_forced)
#else
#define OF_PASS_PICK(B) B(all_passed_but_one)
#endif
#else
#define OF_PASS(B) B(ends_at_busy) B(ends_at_last_busy) B(ends_before_nc) B(ends_before_free_own) B(ends_with_free_unit)
#endif
#else
#define OF_OWNERS(B)
#define OF_PASS(B) B(pick_of_other_owner)
#endif
#if MALEKEH
#define OF_NEAR(B)                                                                                                 \
  TB_64(B, wait_) TB_64(B, forced_at_) OF_UNITS(B, forced_to_) OF_UNITS(B, far_to_) B(waits_one_below)               \
  B(forced_at_threshold) B(forced_above_threshold) B(forced_without_waiting) B(forced_again) B(forced_of_other)    \
  B(far_beside_near) B(far_beside_busy_near) B(near_beside_busy_far) B(far_above_threshold) B(kept_over_own)       \
  B(kept_over_far) B(kept_over_nc) B(kept_over_none) B(kept_over_busy) B(own_near) B(waits_before_own)             \
  B(waits_before_nc) B(unit_of_none_near)
#else
#define OF_NEAR(B)
#endif
#define BINS(B)                                                                                                    \
  OF_WARPS(B, issues_) OF_WARPS(B, nc_) OF_WARPS(B, last_) OF_WARPS(B, age_) OF_WARPS(B, first_at_) OF_UNITS(B, to_)    \
  OF_PICKS(B) OF_OWNERS(B) OF_PASS(B) OF_NEAR(B) B(none_ready) B(last_again) B(last_first) B(last_not_ready)        \
  B(nc_of_last) B(nc_of_other) B(nc_all_busy) B(nothing) B(junk_nc) B(junk_without_ready) B(reset_behind_issue)
/* clang-format on */
TB_BINS(BINS)

enum { WARPS = TB_PARAM(NumWarps), UNITS = TB_PARAM(NumCollectors), POLICY = TB_PARAM(Policy), PASS = TB_PARAM(Pass) };
enum { WARP_BITS = RT_CLOG2(WARPS), NONE = UNITS, THRESHOLDS = 64 };

struct ccu_state {
  bool owned, busy, any, near;
  unsigned warp;
};
enum end { ISSUED, WAITS, NO_UNIT, OWN_BUSY, PASSED_ALL };
struct verdict {
  enum end end;
  unsigned order[WARPS], ready; /* the warps in the order in which they are tried */
  unsigned tried;               /* the place of the last one that was tried */
  unsigned unit, n, place;      /* of the unit that it gets; n: it was picked from so many */
  bool nc, own, forced;
  unsigned from[UNITS];
};
struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  /* inputs */
  bool rdy[WARPS], nc[WARPS];
  unsigned age[WARPS], sthld, seed;
  struct ccu_state c[UNITS];
  /* registers */
  unsigned last, wait, lfsr;
  bool picked, issued, forced; /* in the last cycle */
  struct verdict v;            /* of the last cycle */
};

static void alloc_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r;
  for (unsigned i = 0; i < WARPS; i++) s->age[i] = i;
  s->seed = tb_chance(s->r, 15) ? 0 : tb_chance(s->r, 30) ? 1u << tb_below(s->r, 16) : (unsigned)tb_bits(r, 16);
}

/* ---- prediction ---- */

static unsigned alloc_sim_unit_of(const struct sim *s, unsigned w) {
  if (POLICY == 2) return w;
  for (unsigned c = 0; POLICY == 1 && c < UNITS; c++) {
    if (s->c[c].owned && s->c[c].warp == w) return c;
  }
  return NONE;
}

static bool alloc_in_first_group(const struct sim *s, unsigned w) {
  unsigned c = alloc_sim_unit_of(s, w);
  return c != NONE && (s->c[c].any || s->c[c].busy);
}

static void alloc_verdict_order(const struct sim *s, struct verdict *v) {
  if (s->rdy[s->last]) v->order[v->ready++] = s->last;
  for (unsigned group = 0; group < 2; group++) {
    for (unsigned k = 0; k < WARPS; k++) {
      unsigned w = s->age[k];
      if (s->rdy[w] && w != s->last && alloc_in_first_group(s, w) == (group == 0)) v->order[v->ready++] = w;
    }
  }
}

/* The units that a pick is from, in v->from. */
static unsigned alloc_verdict_choices(const struct sim *s, struct verdict *v, bool only_far) {
  unsigned n = 0;
  for (unsigned c = 0; c < UNITS; c++) {
    if (!s->c[c].busy && !(only_far && s->c[c].near)) v->from[n++] = c;
  }
  return n;
}

static unsigned alloc_random_value(const struct sim *s) { return s->lfsr ? s->lfsr : s->seed ? s->seed : 0xace1; }

static enum end alloc_verdict_pick(const struct sim *s, struct verdict *v, unsigned n) {
  v->n = n, v->place = alloc_random_value(s) * n / 65536;
  v->unit = v->from[v->place];
  return ISSUED;
}

/* A warp without a unit. */
static enum end alloc_verdict_allocate(const struct sim *s, struct verdict *v) {
  unsigned n = alloc_verdict_choices(s, v, false);
  if (!n) return NO_UNIT;
  if (POLICY == 3) return alloc_verdict_pick(s, v, n);
  unsigned far = alloc_verdict_choices(s, v, true);
  if (far) return alloc_verdict_pick(s, v, far);
  if (s->wait < s->sthld) return WAITS;
  v->forced = true;
  return alloc_verdict_pick(s, v, alloc_verdict_choices(s, v, false));
}

static void alloc_verdict_decide(const struct sim *s, struct verdict *v) {
  memset(v, 0, sizeof *v);
  alloc_verdict_order(s, v);
  v->end = PASSED_ALL, v->unit = NONE;
  for (unsigned i = 0; i < v->ready; i++) {
    unsigned w = v->order[i], c = alloc_sim_unit_of(s, w);
    v->tried = i, v->nc = s->nc[w];
    if (v->nc) {
      v->end = ISSUED;
    } else if (c == NONE) {
      v->end = alloc_verdict_allocate(s, v);
    } else if (!s->c[c].busy) {
      v->end = ISSUED, v->own = true, v->unit = c;
    } else if (PASS) {
      continue;
    } else {
      v->end = OWN_BUSY;
    }
    return;
  }
  v->nc = false;
}

/* ---- bins ---- */

#if PICKS || !TB_PARAM(Pass)
static bool alloc_verdict_has_later(const struct sim *s, const struct verdict *v,
                                    bool nc) { /* one behind the last that was tried */
  for (unsigned i = v->tried + 1; i < v->ready; i++) {
    unsigned w = v->order[i], c = alloc_sim_unit_of(s, w);
    if (nc ? s->nc[w] : !s->nc[w] && c != NONE && !s->c[c].busy) return true;
  }
  return false;
}
#endif

static unsigned alloc_count_busy(const struct sim *s) {
  unsigned n = 0;
  for (unsigned c = 0; c < UNITS; c++) n += s->c[c].busy;
  return n;
}

static unsigned alloc_place_in_age(const struct sim *s, unsigned w) {
  unsigned k = 0;
  while (s->age[k] != w) k++;
  return k;
}

#if PICKS
static void alloc_bins_of_pick(struct sim *s, const struct verdict *v) {
  tb_hit_if(s->t, v->end == NO_UNIT, BIN_all_busy);
  tb_hit_if(s->t, v->end == NO_UNIT && alloc_verdict_has_later(s, v, true), BIN_no_unit_before_nc);
  if (!v->n) return;
  tb_hit(s->t, BIN_of_0 + v->n - 1);
  tb_hit(s->t, BIN_place_0 + v->place);
  for (unsigned b = 0; b < 16; b++) tb_hit_if(s->t, alloc_random_value(s) >> b & 1, BIN_lfsr_bit_0 + b);
  tb_hit_if(s->t, !s->lfsr, s->seed ? BIN_first_pick : BIN_first_pick_seed_zero);
  tb_hit_if(s->t, s->picked, BIN_pick_again);
  tb_hit(s->t, alloc_random_value(s) < 32768 ? BIN_picks_low_half : BIN_picks_high_half);
  for (unsigned c = 0; c < v->unit; c++) tb_hit_if(s->t, s->c[c].busy, BIN_busy_below);
  tb_hit_if(s->t, v->place + 1 < v->n, BIN_free_above);
#if !OWN_UNITS
  tb_hit_if(s->t, s->c[v->unit].owned && s->c[v->unit].warp != v->order[v->tried], BIN_pick_of_other_owner);
#endif
}
#endif

#if OWN_UNITS
static void alloc_bins_of_order(struct sim *s, const struct verdict *v) {
  for (unsigned i = 0; i + 1 < v->ready && i < v->tried + 1; i++) {
    unsigned w = v->order[i], c = alloc_sim_unit_of(s, w), next = v->order[i + 1];
    tb_hit_if(s->t, w == s->last && !alloc_in_first_group(s, w) && alloc_in_first_group(s, next), BIN_last_before_any);
    if (w == s->last || !alloc_in_first_group(s, w)) continue;
    for (unsigned k = i + 1; k < v->ready; k++) {
      unsigned x = v->order[k];
      if (alloc_in_first_group(s, x)) {
        tb_hit_if(s->t, i == v->tried, BIN_older_of_first_group);
#if TB_PARAM(Pass)
        tb_hit_if(s->t, i < v->tried && k == v->tried, BIN_younger_of_first_group);
#endif
      } else if (alloc_place_in_age(s, x) < alloc_place_in_age(s, w)) {
        tb_hit(s->t, !s->c[c].busy ? BIN_any_before_older
                     : s->c[c].any ? BIN_busy_and_any_before_older
                                   : BIN_busy_before_older);
      }
    }
  }
}

static void alloc_bins_of_owners(struct sim *s, const struct verdict *v) {
  unsigned w = v->order[v->tried];
  alloc_bins_of_order(s, v);
  tb_hit_if(s->t, v->own, BIN_own_0 + (v->own ? v->unit : 0));
  tb_hit_if(s->t, v->own && !alloc_in_first_group(s, w), BIN_owner_without_data);
#if TB_PARAM(Pass)
  tb_hit_if(s->t, v->end == PASSED_ALL, BIN_all_passed);
  if (!v->tried || v->end == PASSED_ALL) return;
  tb_hit_if(s->t, v->tried == 1, BIN_passed_one);
  tb_hit_if(s->t, v->tried == 2, BIN_passed_two);
  tb_hit_if(s->t, v->order[0] == s->last, BIN_last_passed);
  tb_hit_if(s->t, v->own, BIN_passed_then_own);
  tb_hit_if(s->t, v->nc, BIN_passed_then_nc);
#if PICKS
  tb_hit_if(s->t, v->end == WAITS, BIN_passed_then_waits);
  tb_hit_if(s->t, v->forced, BIN_passed_then_forced);
  tb_hit_if(s->t, v->n, BIN_passed_then_pick);
  tb_hit_if(s->t, v->end == NO_UNIT, BIN_passed_then_no_unit);
#else
  tb_hit_if(s->t, v->tried == WARPS - 1, BIN_all_passed_but_one);
#endif
#else
  if (v->end != OWN_BUSY) return;
  tb_hit(s->t, w == s->last ? BIN_ends_at_last_busy : BIN_ends_at_busy);
  tb_hit_if(s->t, alloc_verdict_has_later(s, v, true), BIN_ends_before_nc);
  tb_hit_if(s->t, alloc_verdict_has_later(s, v, false), BIN_ends_before_free_own);
  tb_hit_if(s->t, alloc_count_busy(s) < UNITS, BIN_ends_with_free_unit);
#endif
}
#endif

#if MALEKEH
static void alloc_bins_of_near(struct sim *s, const struct verdict *v) {
  bool waited = s->wait > 0, free_near = false, busy_near = false, busy_far = false;
  for (unsigned c = 0; c < UNITS; c++) {
    const struct ccu_state *u = &s->c[c];
    free_near |= !u->busy && u->near, busy_near |= u->busy && u->near, busy_far |= u->busy && !u->near;
  }
  tb_hit(s->t, BIN_wait_0 + s->wait);
  tb_hit_if(s->t, waited && v->own, BIN_kept_over_own);
  tb_hit_if(s->t, waited && v->end == ISSUED && v->nc, BIN_kept_over_nc);
  tb_hit_if(s->t, waited && v->end == PASSED_ALL && !v->ready, BIN_kept_over_none);
  tb_hit_if(s->t, waited && v->end == NO_UNIT, BIN_kept_over_busy);
  tb_hit_if(s->t, v->own && s->c[v->unit].near, BIN_own_near);
  if (v->end == WAITS) {
    tb_hit_if(s->t, s->wait + 1 == s->sthld, BIN_waits_one_below);
    tb_hit_if(s->t, busy_far, BIN_near_beside_busy_far);
    tb_hit_if(s->t, alloc_verdict_has_later(s, v, false), BIN_waits_before_own);
    tb_hit_if(s->t, alloc_verdict_has_later(s, v, true), BIN_waits_before_nc);
  }
  if (v->forced) {
    tb_hit(s->t, BIN_forced_at_0 + s->sthld);
    tb_hit(s->t, BIN_forced_to_0 + v->unit);
    tb_hit_if(s->t, s->wait == s->sthld && waited, BIN_forced_at_threshold);
    tb_hit_if(s->t, s->wait > s->sthld, BIN_forced_above_threshold);
    tb_hit_if(s->t, !s->sthld && !waited, BIN_forced_without_waiting);
    tb_hit_if(s->t, s->forced, BIN_forced_again);
    tb_hit_if(s->t, s->c[v->unit].owned, BIN_forced_of_other);
    tb_hit_if(s->t, !s->c[v->unit].owned, BIN_unit_of_none_near);
  } else if (v->n) {
    tb_hit(s->t, BIN_far_to_0 + v->unit);
    tb_hit_if(s->t, waited, BIN_kept_over_far);
    tb_hit_if(s->t, free_near, BIN_far_beside_near);
    tb_hit_if(s->t, busy_near, BIN_far_beside_busy_near);
    tb_hit_if(s->t, waited && s->wait >= s->sthld, BIN_far_above_threshold);
  }
}
#endif

static void alloc_bins_of_cycle(struct sim *s, const struct verdict *v) {
  unsigned w = v->order[v->tried];
  bool last = v->ready && w == s->last;
  tb_hit(s->t, BIN_last_0 + s->last);
  for (unsigned k = 0; k < WARPS; k++) tb_hit_if(s->t, s->nc[k] && !s->rdy[k] && v->end != ISSUED, BIN_junk_nc);
  tb_hit_if(s->t, v->ready && !s->rdy[s->last], BIN_last_not_ready);
  tb_hit_if(s->t, v->ready && v->end != ISSUED && v->end != WAITS, BIN_nothing);
#if PICKS
  alloc_bins_of_pick(s, v);
#endif
#if OWN_UNITS
  if (v->ready) alloc_bins_of_owners(s, v);
#endif
#if MALEKEH
  alloc_bins_of_near(s, v);
#endif
  if (v->ready) tb_hit(s->t, BIN_first_at_0 + alloc_place_in_age(s, v->order[0]));
  if (v->end != ISSUED) return;
  tb_hit(s->t, (v->nc ? BIN_nc_0 : BIN_issues_0) + w);
  tb_hit_if(s->t, v->unit != NONE, BIN_to_0 + (v->unit != NONE ? v->unit : 0));
  tb_hit_if(s->t, last && s->issued, BIN_last_again);
  tb_hit_if(s->t, last && v->ready > 1 && alloc_place_in_age(s, w), BIN_last_first);
  tb_hit_if(s->t, !last, BIN_age_0 + alloc_place_in_age(s, w));
  tb_hit_if(s->t, v->nc, last ? BIN_nc_of_last : BIN_nc_of_other);
  tb_hit_if(s->t, v->nc && alloc_count_busy(s) == UNITS, BIN_nc_all_busy);
}

/* ---- a cycle ---- */

static void alloc_put_inputs(const struct sim *s, struct alloc_in *in) {
  memset(in, 0, sizeof *in);
  in->threshold_i = s->sthld, in->seed_i = s->seed;
  for (unsigned w = 0; w < WARPS; w++) {
    in->warp_ready_i |= (uint64_t)s->rdy[w] << w, in->warp_direct_i |= (uint64_t)s->nc[w] << w;
    in->age_warp_i[w] = (uint8_t)s->age[w];
  }
  for (unsigned c = 0; c < UNITS; c++) {
    const struct ccu_state *u = &s->c[c];
    in->owner_valid_i |= (uint64_t)u->owned << c, in->busy_i |= (uint64_t)u->busy << c;
    in->cached_i |= (uint64_t)u->any << c, in->cached_near_i |= (uint64_t)u->near << c;
    in->owner_warp_i[c] = (uint8_t)u->warp;
  }
}

static void alloc_compare_cycle(struct sim *s, const struct alloc_in *in, const struct verdict *v) {
  const struct alloc_state is = *(const struct alloc_state *)tb_model(s->t);
  const struct alloc_state state = {.last_warp_q = s->last, .waited_q = s->wait, .random_q = s->lfsr};
  struct alloc_out want = {.issue_wait_o = v->end == WAITS};
  if (v->end == ISSUED) {
    want.issue_valid_o = 1, want.issue_warp_o = v->order[v->tried];
    want.issue_direct_o = v->nc, want.issue_collector_o = v->nc ? 0 : v->unit;
  }
  expect_all(s->t, tb_step(s->t, in), &want, &is, &state);
}

static void alloc_run_cycle(struct sim *s) {
  struct alloc_in in;
  struct verdict *v = &s->v;
  alloc_verdict_decide(s, v);
  alloc_put_inputs(s, &in);
  alloc_compare_cycle(s, &in, v);
  alloc_bins_of_cycle(s, v);
  if (v->n) {
    unsigned value = alloc_random_value(s);
    s->lfsr = value % 2 ? value / 2 ^ 0xb400 : value / 2;
  }
  if (v->end == WAITS) s->wait++;
  if (v->forced) s->wait = 0;
  if (v->end == ISSUED) s->last = v->order[v->tried];
  s->picked = v->n, s->issued = v->end == ISSUED, s->forced = v->forced;
}

/* Without a ready warp no other input means anything. */
static void alloc_run_junk(struct sim *s) {
  const struct verdict nothing = {.end = PASSED_ALL, .unit = NONE};
  struct alloc_in in = {.seed_i = s->seed};
  in.warp_direct_i = tb_bits(s->r, WARPS), in.owner_valid_i = tb_bits(s->r, UNITS);
  any_elements(s->r, in.owner_warp_i, UNITS, WARP_BITS);
  in.busy_i = tb_bits(s->r, UNITS), in.cached_i = tb_bits(s->r, UNITS), in.cached_near_i = tb_bits(s->r, UNITS);
  in.threshold_i = tb_bits(s->r, 6);
  any_elements(s->r, in.age_warp_i, WARPS, WARP_BITS);
  alloc_compare_cycle(s, &in, &nothing);
  tb_hit(s->t, BIN_junk_without_ready);
  tb_hit(s->t, BIN_none_ready);
#if MALEKEH
  tb_hit_if(s->t, s->wait, BIN_kept_over_none);
#endif
  s->picked = s->issued = s->forced = false;
}

/* ---- stimulus ---- */

enum { SM = true, ANY = false };
struct bias {
  bool sm;                           /* units follow what is issued */
  unsigned rdy, nc, busy, any, near; /* densities; of an SM, busy is how long */
  unsigned owned, keep;              /* density of owners; inputs that stay */
  unsigned sthld;                    /* below this */
};

static void alloc_shuffle_ages(struct sim *s) {
  for (unsigned i = 0; i < WARPS; i++) {
    unsigned j = tb_below(s->r, i + 1);
    s->age[i] = s->age[j], s->age[j] = i;
  }
}

/* A warp that owns no unit with `owned`: a unit without an owner may show any. */
static unsigned alloc_some_unowned(struct sim *s) {
  unsigned w = tb_below(s->r, WARPS);
  while (POLICY == 1 && alloc_sim_unit_of(s, w) != NONE) w = (w + 1) % WARPS;
  return w;
}

static void alloc_any_units(struct sim *s, const struct bias *b) {
  for (unsigned c = 0; c < UNITS; c++) {
    struct ccu_state *u = &s->c[c];
    if (!tb_chance(s->r, b->keep)) u->busy = tb_chance(s->r, b->busy);
    if (!tb_chance(s->r, b->keep)) u->any = tb_chance(s->r, b->any);
    if (!tb_chance(s->r, b->keep)) u->near = tb_chance(s->r, b->near);
    if (tb_chance(s->r, b->keep)) continue;
    u->owned = false;
    u->warp = alloc_some_unowned(s), u->owned = tb_chance(s->r, b->owned);
    if (!u->owned) u->warp = tb_below(s->r, WARPS);
  }
}

/* The units after what the last cycle has issued; a warp's end empties its unit. */
static void alloc_advance_units(struct sim *s, const struct bias *b) {
  for (unsigned c = 0; c < UNITS; c++) {
    struct ccu_state *u = &s->c[c];
    if (s->issued && s->v.unit == c && !s->v.nc) {
      *u = (struct ccu_state){.owned = true, .busy = true, .any = tb_chance(s->r, 50), .warp = s->v.order[s->v.tried]};
    } else if (u->busy && tb_chance(s->r, 100 - b->busy)) {
      u->busy = false, u->any = tb_chance(s->r, b->any), u->near = u->any && tb_chance(s->r, b->near);
    } else if (!u->busy && tb_chance(s->r, 2)) {
      *u = (struct ccu_state){.warp = u->warp};
    }
  }
}

static void alloc_run_random(struct sim *s, const struct bias *b, unsigned cycles) {
  for (; cycles; cycles--) {
    bool none = true;
    for (unsigned w = 0; w < WARPS; w++) {
      if (!tb_chance(s->r, b->keep)) s->rdy[w] = tb_chance(s->r, b->rdy);
      if (!tb_chance(s->r, b->keep)) s->nc[w] = tb_chance(s->r, b->nc);
      none &= !s->rdy[w];
    }
    if (!tb_chance(s->r, b->keep)) {
      s->sthld = tb_chance(s->r, 50) ? tb_below(s->r, b->sthld) : s->wait + tb_below(s->r, 3);
      if (s->sthld) s->sthld -= tb_chance(s->r, 50);
      if (s->sthld >= THRESHOLDS) s->sthld = THRESHOLDS - 1;
    }
    if (tb_chance(s->r, b->sm ? 3 : 30)) alloc_shuffle_ages(s);
    if (b->sm) {
      alloc_advance_units(s, b);
    } else {
      alloc_any_units(s, b);
    }
    if (none && tb_chance(s->r, 50)) {
      alloc_run_junk(s);
    } else {
      alloc_run_cycle(s);
    }
  }
}

static const char *const phases[] = {"sm",       "sm_near",  "sm_waits",   "any",   "few_ready", "busy",
                                     "all_near", "no_owner", "all_owners", "waits", "often_nc",  NULL};
static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {SM, 50, 10, 60, 90, 50, 0, 60, 12},   {SM, 80, 5, 70, 100, 95, 0, 80, 6},   {SM, 30, 2, 50, 100, 100, 0, 97, 64},
      {ANY, 50, 15, 40, 50, 50, 70, 30, 20}, {ANY, 8, 15, 40, 50, 50, 80, 30, 8},  {ANY, 50, 3, 90, 50, 70, 90, 50, 8},
      {ANY, 30, 3, 20, 60, 98, 60, 70, 20},  {ANY, 50, 5, 40, 50, 80, 5, 50, 4},   {ANY, 50, 5, 50, 30, 90, 100, 50, 8},
      {ANY, 20, 2, 30, 50, 100, 50, 93, 64}, {ANY, 60, 80, 60, 50, 60, 60, 50, 4},
  };
  struct sim s;
  alloc_sim_begin(&s, t, r);
  alloc_run_random(&s, &bias[phase], 20 + tb_below(r, 150));
}

/* Each warp behind each other one: alone, and with all the others; all units are free and far. */
static void alloc_case_turns(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  alloc_sim_begin(&s, t, r);
  for (unsigned last = 0; last < WARPS; last++) {
    for (unsigned w = 0; w < WARPS; w++) {
      alloc_shuffle_ages(&s);
      memset(s.c, 0, sizeof s.c), memset(s.rdy, 0, sizeof s.rdy);
      s.rdy[last] = true;
      alloc_run_cycle(&s);
      for (unsigned i = 0; i < WARPS; i++) s.rdy[i] = i != last && (w % 2 || i == w);
      alloc_run_cycle(&s);
    }
  }
}

/* With each seed the first picks, from each number of free units. */
static void alloc_case_seeds(struct tb_run *t, struct tb_rng *r) {
  static const unsigned seed[] = {0, 1, 2, 3, 0x8000, 0x7fff, 0xffff, 0xace1, 0x5555, 0xaaaa, 0x4000, 0xfffe};
  struct sim s;
  for (unsigned i = 0; i < sizeof seed / sizeof seed[0]; i++) {
    for (unsigned n = 1; n <= UNITS; n++) {
      alloc_sim_begin(&s, t, r);
      s.seed = seed[i];
      for (unsigned k = 0; k < 24; k++) {
        unsigned from = tb_below(r, UNITS);
        memset(s.c, 0, sizeof s.c);
        for (unsigned c = 0; c < UNITS - n; c++) s.c[(from + c) % UNITS].busy = true;
        for (unsigned w = 0; w < WARPS; w++) s.rdy[w] = tb_chance(r, 50);
        alloc_run_cycle(&s);
      }
      tb_reset(t);
    }
  }
}

#if OWN_UNITS
/* All warps are ready; those that are tried first own busy units, so many of them as there are; the rest issues or not. */
static void alloc_case_busy_owners(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  alloc_sim_begin(&s, t, r);
  for (unsigned k = 0; k < 60; k++) {
    alloc_shuffle_ages(&s);
    for (unsigned w = 0; w < WARPS; w++) s.rdy[w] = k % 3 || w != s.last, s.nc[w] = k % 2 && tb_chance(r, 15);
    for (unsigned c = 0; c < UNITS; c++) {
      unsigned w = POLICY == 2 ? c : s.age[c];
      s.c[c] = (struct ccu_state){.owned = true, .warp = w, .any = true, .near = tb_chance(r, 70)};
    }
    for (unsigned busy = 0; busy <= UNITS; busy++) {
      alloc_run_cycle(&s);
      for (unsigned c = 0; busy < UNITS && c < UNITS; c++) s.c[c].busy |= s.c[c].warp == s.age[busy];
    }
  }
}
#endif

#if MALEKEH
/* With each threshold: so many cycles of waiting, with others between, then a forced allocation, and one more. */
static void alloc_case_thresholds(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  alloc_sim_begin(&s, t, r);
  for (unsigned n = 0; n < THRESHOLDS; n++) {
    s.sthld = n;
    for (bool forced = false; !forced;) {
      unsigned w = tb_below(r, WARPS);
      memset(s.rdy, 0, sizeof s.rdy), memset(s.nc, 0, sizeof s.nc);
      for (unsigned c = 0; c < UNITS; c++) s.c[c] = (struct ccu_state){.near = true, .any = true, .warp = w};
      s.rdy[w] = true;
      unsigned between = tb_below(r, 20);
      s.c[0].owned = between == 1, s.nc[w] = between == 2, s.c[UNITS - 1].near = between != 3, s.rdy[w] = between != 4;
      alloc_run_cycle(&s);
      forced = s.forced;
    }
    memset(s.nc, 0, sizeof s.nc);
    s.sthld = tb_below(r, 2) ? 0 : n;
    alloc_run_cycle(&s);
    while (s.wait) {
      s.sthld = 0;
      alloc_run_cycle(&s);
    }
  }
}

/* The threshold falls below what has been waited, by one, by a bit and to 0. */
static void alloc_case_falls(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  alloc_sim_begin(&s, t, r);
  for (unsigned n = 1; n < THRESHOLDS; n += 1 + tb_below(r, 4)) {
    for (unsigned how = 0; how < 8; how++) {
      memset(s.rdy, 0, sizeof s.rdy);
      for (unsigned c = 0; c < UNITS; c++) s.c[c] = (struct ccu_state){.near = true};
      s.rdy[tb_below(r, WARPS)] = true;
      s.sthld = THRESHOLDS - 1;
      while (s.wait < n) alloc_run_cycle(&s);
      s.sthld = how == 7 ? n - 1 : how == 6 ? 0 : n & ~(1u << how);
      alloc_run_cycle(&s);
      while (s.wait) {
        s.sthld = 0;
        alloc_run_cycle(&s);
      }
    }
  }
}

/* The count near its end, the LFSR near the values from which a pick is the first or the last unit. With threshold_i 63 and near registers
 * in all units a warp waits in each cycle, so that the count is reached in as many; the LFSR passes through all values but 0. */
static void alloc_case_long_waits(struct tb_run *t, struct tb_rng *r) {
  static const unsigned lfsr[] = {1, 2, 0xffff, 0xfffe, 0x8000, 0x7fff, 0x5a00};
  struct sim s;
  for (unsigned i = 0; i < 6 * WARPS; i++) {
    tb_reset(t);
    alloc_sim_begin(&s, t, r);
    s.wait = THRESHOLDS - 1 - i % 4, s.lfsr = lfsr[i % 7], s.last = i % WARPS;
    const struct alloc_state state = {.last_warp_q = s.last, .waited_q = s.wait, .random_q = s.lfsr};
    tb_state(t, &state);
    s.sthld = i % 3 ? THRESHOLDS - 1 : s.wait - i % 2;
    for (unsigned c = 0; c < UNITS; c++) s.c[c] = (struct ccu_state){.near = true};
    for (unsigned n = 0; n < 8; n++) {
      for (unsigned w = 0; w < WARPS; w++) s.rdy[w] = tb_chance(r, 60);
      s.c[tb_below(r, UNITS)].near = n > 4 ? tb_chance(r, 50) : true;
      alloc_run_cycle(&s);
    }
  }
}
#endif

static void alloc_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias some_of_all = {ANY, 50, 20, 40, 50, 80, 50, 40, 8};
  struct sim s;
  for (unsigned i = 0; i < 30; i++) {
    alloc_sim_begin(&s, t, r);
    alloc_run_random(&s, &some_of_all, 1 + tb_below(r, 20));
    tb_hit_if(t, s.issued && s.last, BIN_reset_behind_issue);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct alloc_in *in = vin;
  uint64_t warps = 0;
  (void)model, (void)last_in, (void)last_out;
  if (!in->warp_ready_i) return NULL;
  for (unsigned k = 0; k < WARPS; k++) warps |= UINT64_C(1) << in->age_warp_i[k];
  if (warps != (UINT64_C(1) << WARPS) - 1) return "age_warp_i is no permutation of the warps";
  for (unsigned c = 0; POLICY == 1 && c < UNITS; c++) {
    for (unsigned d = 0; d < c; d++) {
      const bool same = in->owner_warp_i[c] == in->owner_warp_i[d];
      if (same && in->owner_valid_i >> c & in->owner_valid_i >> d & 1) return "a warp owns two units";
    }
  }
  return NULL;
}

static const struct tb_case cases[] = {{"turns", alloc_case_turns},
                                       {"seeds", alloc_case_seeds},
#if OWN_UNITS
                                       {"busy_owners", alloc_case_busy_owners},
#endif
#if MALEKEH
                                       {"thresholds", alloc_case_thresholds},
                                       {"falls", alloc_case_falls},
                                       {"long_waits", alloc_case_long_waits},
#endif
                                       {"resets", alloc_case_resets},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 150000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
