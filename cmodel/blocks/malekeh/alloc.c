/* SPDX-License-Identifier: Apache-2.0 */
/* alloc: issue and allocation. docs/blocks/malekeh/alloc.md. */
#include "blocks/malekeh/alloc.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/malekeh/pick.h"

static uint64_t all_units(const struct alloc *s) { return bit_at64(s->size.NumCollectors) - 1; }
static uint64_t free_units(const struct alloc *s, const struct alloc_in *in) { return all_units(s) & ~in->busy_i; }

/* ---- reset ---- */
void alloc_size(struct alloc *s, const struct alloc_params *p) {
  BLOCK_RULE(bit_count64(p->NumWarps) == 1 && p->NumWarps >= 2 && p->NumWarps <= alloc_NumWarps_most);
  BLOCK_RULE(bit_count64(p->NumCollectors) == 1 && p->NumCollectors >= 2 &&
             p->NumCollectors <= alloc_NumCollectors_most && p->Pass <= 1);
  BLOCK_RULE(p->Policy >= ALLOC_MALEKEH && p->Policy <= ALLOC_RANDOM);
  BLOCK_RULE(p->Policy != ALLOC_PER_WARP || p->NumCollectors == p->NumWarps);
  s->size = *p;
}

void alloc_reset(struct alloc *s) {
  memset(s, 0, sizeof *s);
  const struct alloc_params p = alloc_defaults();
  alloc_size(s, &p);
}

/* ---- the warp that is tried ---- */

/* The unit that w owns; -1: none. */
static int alloc_unit_of(const struct alloc *s, const struct alloc_in *in, uint64_t w) {
  if (s->size.Policy == ALLOC_PER_WARP) return (int)w;
  for (uint64_t m = s->size.Policy == ALLOC_MALEKEH ? in->owner_valid_i : 0; m; m &= m - 1)
    if (in->owner_warp_i[bit_low64(m)] == w) return bit_low64(m);
  return -1;
}

/* Returns the owners of some units, a set of warps. */
static uint64_t alloc_owners(const struct alloc *s, const struct alloc_in *in, uint64_t units) {
  uint64_t warps = 0;
  if (s->size.Policy == ALLOC_RANDOM) return 0;
  if (s->size.Policy == ALLOC_PER_WARP) return units;
  for (uint64_t m = units & in->owner_valid_i; m; m &= m - 1) warps |= bit_at64(in->owner_warp_i[bit_low64(m)]);
  return warps;
}

/* The first warp in the page's order that is not passed over; -1: there is none. */
static int first_warp(const struct alloc *s, const struct alloc_in *in) {
  uint64_t warps = in->warp_ready_i;
  if (s->size.Pass) warps &= in->warp_direct_i | ~alloc_owners(s, in, in->busy_i);
  if (!warps) return -1;
  if (warps >> s->r.last_warp_q & 1) return (int)s->r.last_warp_q;
  const uint64_t with_data = warps & alloc_owners(s, in, in->cached_i | in->busy_i);
  if (with_data) warps = with_data;
  for (unsigned k = 0; k < s->size.NumWarps; k++) {
    const uint64_t w = in->age_warp_i[k];
    if (warps >> w & 1) return (int)w;
  }
  return -1; /* age_warp_i is no permutation */
}

/* ---- one try ---- */

static int alloc_kth_unit(uint64_t set, uint64_t k) {
  for (; k; k--) set &= set - 1;
  return bit_low64(set);
}

/* A unit for a warp that owns none; -1: none. */
static int new_unit(const struct alloc *s, const struct alloc_in *in, struct alloc_out *out) {
  uint64_t units = free_units(s, in);
  if (!units) return -1;
  if (s->size.Policy == ALLOC_MALEKEH) {
    const uint64_t far = units & ~in->cached_near_i;
    if (far) units = far;
    else if (s->r.waited_q < in->threshold_i) {
      out->issue_wait_o = 1;
      return -1;
    }
  }
  return alloc_kth_unit(units, pick_below(s->r.random_q, in->seed_i, (uint64_t)bit_count64(units)));
}

void alloc_eval(const struct alloc *s, const struct alloc_in *in, struct alloc_out *out) {
  *out = (struct alloc_out){0};
  const int w = first_warp(s, in);
  if (w < 0) return;
  if (in->warp_direct_i >> w & 1) {
    out->issue_direct_o = 1;
  } else {
    int c = alloc_unit_of(s, in, (uint64_t)w);
    if (c < 0) c = new_unit(s, in, out);
    else if (in->busy_i >> c & 1) c = -1;
    if (c < 0) return;
    out->issue_collector_o = (uint64_t)c;
  }
  out->issue_valid_o = 1;
  out->issue_warp_o = (uint64_t)w;
}

/* ---- the clock edge ---- */

static bool is_permutation(const struct alloc *s, const struct alloc_in *in) {
  uint64_t seen = 0;
  for (unsigned k = 0; k < s->size.NumWarps; k++) seen |= bit_at64(in->age_warp_i[k]);
  return seen == bit_at64(s->size.NumWarps) - 1;
}

static bool owns_two(const struct alloc_in *in) {
  uint64_t seen = 0, again = 0;
  for (uint64_t m = in->owner_valid_i; m; m &= m - 1) {
    const uint64_t w = bit_at64(in->owner_warp_i[bit_low64(m)]);
    again |= seen & w;
    seen |= w;
  }
  return again != 0;
}

static void alloc_check_inputs(const struct alloc *s, const struct alloc_in *in) {
  BLOCK_RULE(is_permutation(s, in));
  BLOCK_RULE(s->size.Policy != ALLOC_MALEKEH || !owns_two(in));
  (void)s, (void)in, (void)is_permutation, (void)owns_two;
}

/* Checks the issue against the units. */
static void alloc_check_issue(const struct alloc *s, const struct alloc_in *in, const struct alloc_out *out) {
  BLOCK_INVARIANT(!out->issue_valid_o || !out->issue_wait_o);
  BLOCK_INVARIANT(!out->issue_valid_o || in->warp_ready_i >> out->issue_warp_o & 1);
  BLOCK_INVARIANT(!out->issue_valid_o || out->issue_direct_o == (in->warp_direct_i >> out->issue_warp_o & 1));
  BLOCK_INVARIANT(!out->issue_valid_o || out->issue_direct_o || free_units(s, in) >> out->issue_collector_o & 1);
  BLOCK_INVARIANT(s->size.Policy != ALLOC_PER_WARP || out->issue_direct_o ||
                  out->issue_collector_o == out->issue_warp_o);
  BLOCK_INVARIANT(!out->issue_wait_o || s->r.waited_q < in->threshold_i);
  /* Without an issue: every ready warp that needs a unit owns a busy one, or no unit is free. */
  BLOCK_INVARIANT(!s->size.Pass || out->issue_valid_o || out->issue_wait_o || !free_units(s, in) ||
                  !(in->warp_ready_i & (in->warp_direct_i | ~alloc_owners(s, in, in->busy_i))));
  (void)s, (void)in, (void)out;
}

void alloc_advance(struct alloc *s, const struct alloc_in *in, const struct alloc_out *out) {
  if (!in->warp_ready_i) return;
  alloc_check_inputs(s, in);
  alloc_check_issue(s, in, out);
  if (out->issue_wait_o) s->r.waited_q++;
  if (!out->issue_valid_o) return;
  s->r.last_warp_q = out->issue_warp_o;
  if (out->issue_direct_o || alloc_unit_of(s, in, out->issue_warp_o) >= 0) return;
  s->r.random_q = pick_next(s->r.random_q, in->seed_i);
  /* All free units had near registers: a forced allocation. */
  if (s->size.Policy == ALLOC_MALEKEH && !(free_units(s, in) & ~in->cached_near_i)) s->r.waited_q = 0;
}

void alloc_tick(struct alloc *s, const struct alloc_in *in) {
  struct alloc_out out;
  alloc_eval(s, in, &out);
  alloc_advance(s, in, &out);
}

/* Nothing issues, and nothing is counted: it stays so. */
uint64_t alloc_hold(const struct alloc *s, const struct alloc_in *in) {
  struct alloc_out out;
  alloc_eval(s, in, &out);
  return out.issue_valid_o || out.issue_wait_o ? 0 : UINT64_MAX;
}
