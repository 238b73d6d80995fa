/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of wfil: results of few warps or of many, owners that differ from them in one bit, units with the same owner. Its
 * prediction asks of each pair of unit and lane which lanes below would take D. docs/blocks/malekeh/wfil.md
 */
#include <string.h>

#include "blocks/malekeh/wfil.h"
#include "tb.h"

#define EXPECT wfil
#define EXPECT_DEF "blocks/malekeh/wfil.def"
#include "expect.h"

#include "lists.h"

#if TB_PARAM(NumCollectors) * TB_PARAM(NumResults) == 4
#define OF_PAIRS(B, p) TB_4(B, p)
#elif TB_PARAM(NumCollectors) * TB_PARAM(NumResults) == 8
#define OF_PAIRS(B, p) TB_8(B, p)
#elif TB_PARAM(NumCollectors) * TB_PARAM(NumResults) == 16
#define OF_PAIRS(B, p) TB_16(B, p)
#elif TB_PARAM(NumCollectors) * TB_PARAM(NumResults) == 32
#define OF_PAIRS(B, p) TB_32(B, p)
#else
#define OF_PAIRS(B, p) TB_64(B, p)
#endif
#if TB_PARAM(NumWarps) == 8
#define OF_BITS(B, p) TB_3(B, p)
#elif TB_PARAM(NumWarps) == 16
#define OF_BITS(B, p) TB_4(B, p)
#else
#define OF_BITS(B, p) TB_5(B, p)
#endif
#if TB_PARAM(Filter)
#define OF_FILTER(B) OF_PAIRS(B, snoops_) B(far_then_near) B(none_taken) B(all_far)
#else
#define OF_FILTER(B) OF_UNITS(B, snoops_) B(far_taken) B(far_before_near)
#endif
/* clang-format off */
/* takes_, other_ and, with the filter, snoops_: number (lanes) unit + lane. other_bit_: lane and owner differ in this bit alone. */
#define BINS(B)                                                                                                    \
  OF_PAIRS(B, takes_) OF_PAIRS(B, other_) OF_BITS(B, other_bit_) OF_UNITS(B, no_owner_)        \
  OF_RESULTS(B, no_valid_) OF_FILTER(B) B(nothing) B(no_lane_belongs) B(alone) B(two_near) B(near_then_far)           \
  B(all_lanes_of_one) B(two_units_of_one_owner) B(all_units_of_one_owner) B(two_units_take_different_lanes)         \
  B(lane_of_no_unit_beside) B(junk_without_valid)
/* clang-format on */
TB_BINS(BINS)

enum {
  UNITS = TB_PARAM(NumCollectors),
  LANES = TB_PARAM(NumResults),
  WARPS = TB_PARAM(NumWarps),
  FILTER = TB_PARAM(Filter),
  NONE = LANES
};
enum { WARP_BITS = RT_CLOG2(WARPS) };

struct lane {
  bool valid, near;
  unsigned warp;
};
struct owner {
  bool valid;
  unsigned warp;
};
struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  struct lane l[LANES];
  struct owner u[UNITS];
};

static void wfil_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r;
}

static bool wfil_lane_belongs(const struct sim *s, unsigned u, unsigned l) {
  return s->l[l].valid && s->u[u].valid && s->l[l].warp == s->u[u].warp;
}

/* Would the unit take the lane if it were alone? */
static bool wfil_would_take(const struct sim *s, unsigned u, unsigned l) {
  return wfil_lane_belongs(s, u, l) && (s->l[l].near || !FILTER);
}

static unsigned wfil_taken_lane(const struct sim *s, unsigned u) {
  unsigned l = 0;
  while (l < LANES && !wfil_would_take(s, u, l)) l++;
  return l;
}

/* ---- bins ---- */

static void wfil_bins_of_unit(struct sim *s, unsigned u) {
  unsigned d = wfil_taken_lane(s, u), lanes = 0, near = 0, warps = 0;
  for (unsigned l = 0; l < LANES; l++) {
    bool is = wfil_lane_belongs(s, u, l), same = s->l[l].warp == s->u[u].warp;
    unsigned apart = s->l[l].warp ^ s->u[u].warp;
    lanes += is, near += is && s->l[l].near, warps += s->l[l].valid;
    if (is) tb_hit(s->t, l == d ? BIN_takes_0 + LANES * u + l : BIN_snoops_0 + (FILTER ? LANES * u + l : u));
    tb_hit_if(s->t, s->l[l].valid && s->u[u].valid && !is, BIN_other_0 + LANES * u + l);
    tb_hit_if(s->t, s->l[l].valid && !s->u[u].valid && same, BIN_no_owner_0 + u);
    tb_hit_if(s->t, !s->l[l].valid && s->u[u].valid && same, BIN_no_valid_0 + l);
    for (unsigned bit = 0; bit < WARP_BITS; bit++)
      tb_hit_if(s->t, s->l[l].valid && s->u[u].valid && apart == 1u << bit, BIN_other_bit_0 + bit);
    tb_hit_if(s->t, is && d < l && !s->l[l].near, BIN_near_then_far);
#if TB_PARAM(Filter)
    tb_hit_if(s->t, is && l < d && d != NONE, BIN_far_then_near);
#else
    tb_hit_if(s->t, is && d < l && s->l[l].near && !s->l[d].near, BIN_far_before_near);
    tb_hit_if(s->t, is && l == d && !s->l[l].near, BIN_far_taken);
#endif
  }
  tb_hit_if(s->t, lanes == 1 && warps == 1, BIN_alone);
  tb_hit_if(s->t, lanes == LANES, BIN_all_lanes_of_one);
  tb_hit_if(s->t, near > 1, BIN_two_near);
#if TB_PARAM(Filter)
  tb_hit_if(s->t, lanes && d == NONE, BIN_none_taken);
  tb_hit_if(s->t, lanes == LANES && d == NONE, BIN_all_far);
#endif
}

static void wfil_bins_of_cycle(struct sim *s) {
  unsigned valid = 0, belong = 0, one = 0, owners = 0;
  for (unsigned l = 0; l < LANES; l++) {
    bool any = false;
    valid += s->l[l].valid;
    for (unsigned u = 0; u < UNITS; u++) any |= wfil_lane_belongs(s, u, l);
    belong += any;
    tb_hit_if(s->t, !s->l[l].valid && s->l[l].near && s->l[l].warp, BIN_junk_without_valid);
  }
  tb_hit_if(s->t, !valid, BIN_nothing);
  tb_hit_if(s->t, valid && !belong, BIN_no_lane_belongs);
  tb_hit_if(s->t, belong && belong < valid, BIN_lane_of_no_unit_beside);
  for (unsigned u = 0; u < UNITS; u++) {
    wfil_bins_of_unit(s, u);
    owners += s->u[u].valid, one += s->u[u].valid && s->u[u].warp == s->u[0].warp;
    for (unsigned v = 0; v < u; v++) {
      unsigned a = wfil_taken_lane(s, u), b = wfil_taken_lane(s, v);
      tb_hit_if(s->t, a != NONE && a == b, BIN_two_units_of_one_owner);
      tb_hit_if(s->t, a != NONE && b != NONE && a != b, BIN_two_units_take_different_lanes);
    }
  }
  tb_hit_if(s->t, owners == UNITS && one == UNITS && wfil_taken_lane(s, 0) != NONE, BIN_all_units_of_one_owner);
}

/* ---- a cycle ---- */

static void wfil_run_cycle(struct sim *s) {
  const struct wfil_state is = *(const struct wfil_state *)tb_model(s->t), state = {0};
  struct wfil_out want = {0};
  struct wfil_in in = {0};
  for (unsigned l = 0; l < LANES; l++) {
    in.result_valid_i |= (uint64_t)s->l[l].valid << l, in.result_near_i |= (uint64_t)s->l[l].near << l;
    in.result_warp_i[l] = (uint8_t)s->l[l].warp;
  }
  for (unsigned u = 0; u < UNITS; u++) {
    in.owner_valid_i |= (uint64_t)s->u[u].valid << u, in.owner_warp_i[u] = (uint8_t)s->u[u].warp;
    unsigned d = wfil_taken_lane(s, u);
    if (d != NONE) want.cache_valid_o |= UINT64_C(1) << u, want.cache_result_o[u] = (uint8_t)d;
    for (unsigned l = 0; l < LANES; l++) {
      if (l != d && wfil_lane_belongs(s, u, l)) want.snoop_valid_o[u] = (uint8_t)(want.snoop_valid_o[u] | 1u << l);
    }
  }
  expect_all(s->t, tb_step(s->t, &in), &want, &is, &state);
  wfil_bins_of_cycle(s);
}

/* ---- stimulus ---- */

struct bias {
  unsigned valid, near, owner; /* densities */
  unsigned warps;              /* so many different ones at most; 0: all */
  unsigned follow;             /* a lane has the warp of some owner, or all but one bit of it */
};

static void wfil_run_random(struct sim *s, const struct bias *b, unsigned cycles) {
  unsigned base = tb_below(s->r, WARPS);
  for (; cycles; cycles--) {
    unsigned warps = b->warps ? b->warps : WARPS;
    for (unsigned u = 0; u < UNITS; u++) {
      if (!tb_chance(s->r, 40)) continue;
      s->u[u] = (struct owner){tb_chance(s->r, b->owner), (base + tb_below(s->r, warps)) % WARPS};
    }
    for (unsigned l = 0; l < LANES; l++) {
      s->l[l] =
          (struct lane){tb_chance(s->r, b->valid), tb_chance(s->r, b->near), (base + tb_below(s->r, warps)) % WARPS};
      if (!tb_chance(s->r, b->follow)) continue;
      s->l[l].warp = s->u[tb_below(s->r, UNITS)].warp;
      if (tb_chance(s->r, 25)) s->l[l].warp ^= 1u << tb_below(s->r, WARP_BITS);
    }
    if (tb_chance(s->r, 10)) base = tb_below(s->r, WARPS);
    wfil_run_cycle(s);
  }
}

static const char *const phases[] = {"any", "few", "one_warp", "far", "near", "rare", "follow", NULL};
static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {{60, 50, 80, 0, 20}, {80, 50, 90, 3, 0},  {80, 40, 80, 1, 0}, {90, 10, 90, 2, 20},
                                     {90, 95, 90, 2, 20}, {15, 50, 50, 4, 50}, {70, 50, 90, 0, 95}};
  struct sim s;
  wfil_sim_begin(&s, t, r);
  wfil_run_random(&s, &bias[phase], 20 + tb_below(r, 100));
}

/* Each unit with each lane and each warp: the same, one bit apart, without a valid, without an owner; near or far. */
static void wfil_case_pairs(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  wfil_sim_begin(&s, t, r);
  for (unsigned i = 0; i < UNITS * LANES; i++) {
    for (unsigned k = 0; k < 2 * (WARP_BITS + 3); k++) {
      unsigned how = k / 2, warp = tb_below(r, WARPS);
      struct lane *l = &s.l[i % LANES];
      memset(s.l, 0, sizeof s.l), memset(s.u, 0, sizeof s.u);
      *l = (struct lane){how != WARP_BITS, k & 1, warp};
      s.u[i / LANES] = (struct owner){how != WARP_BITS + 1, how < WARP_BITS ? warp ^ 1u << how : warp};
      wfil_run_cycle(&s);
    }
  }
}

/* All units have one owner and all lanes are of this warp: every pattern of near bits and valids of two lanes. */
static void wfil_case_one_owner(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  wfil_sim_begin(&s, t, r);
  for (unsigned a = 0; a < LANES; a++) {
    for (unsigned b = 0; b < LANES; b++) {
      for (unsigned pattern = 0; pattern < 16; pattern++) {
        unsigned warp = tb_below(r, WARPS);
        for (unsigned u = 0; u < UNITS; u++) s.u[u] = (struct owner){true, warp};
        for (unsigned l = 0; l < LANES; l++) s.l[l] = (struct lane){pattern & 1, false, warp};
        s.l[a].valid = pattern >> 1 & 1, s.l[a].near = pattern >> 2 & 1;
        s.l[b].valid = true, s.l[b].near = pattern >> 3 & 1;
        wfil_run_cycle(&s);
      }
    }
  }
}

static const struct tb_case cases[] = {{"pairs", wfil_case_pairs}, {"one_owner", wfil_case_one_owner}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 100000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases};
