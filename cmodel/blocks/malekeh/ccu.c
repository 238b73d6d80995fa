/* SPDX-License-Identifier: Apache-2.0 */
/* ccu: caching collector unit. docs/blocks/malekeh/ccu.md. */
#include "blocks/malekeh/ccu.h"

#include <stddef.h>
#include <string.h>

#include "blocks/malekeh/pick.h"

static uint64_t all_entries(const struct ccu *s) { return bit_at64((unsigned)s->size.NumEntries) - 1; }
static bool ccu_owns(const struct ccu *s, uint64_t w) { return s->owned && s->owner == w; }

/* ---- reset ---- */
void ccu_size(struct ccu *s, const struct ccu_params *p) {
  BLOCK_RULE(p->NumEntries >= ccu_NumSlots && p->NumEntries <= ccu_NumEntries_most && p->NumResults >= 1 &&
             p->NumResults <= ccu_NumResults_most);
  BLOCK_RULE(bit_count64(p->NumWarps) == 1 && p->NumWarps <= ccu_NumWarps_most && p->Cache <= 1 && p->Near <= 1 &&
             p->Filter <= 1);
  s->size = *p;
  memset(s->row, 0, sizeof s->row);
  memset(s->column, 0, sizeof s->column);
  uint32_t pair = 1;
  for (unsigned i = 0; i < p->NumEntries; i++)
    for (unsigned j = i + 1; j < p->NumEntries; j++, pair <<= 1) s->row[i] |= pair, s->column[j] |= pair;
  s->r.newer_q = pair - 1;
}

void ccu_reset(struct ccu *s) {
  memset(s, 0, sizeof *s);
  const struct ccu_params p = ccu_defaults();
  ccu_size(s, &p);
}

/* ---- outputs ---- */
static void eval_requests(const struct ccu *s, struct ccu_out *out) {
  out->request_valid_o = s->r.request_q;
  for (uint64_t m = s->r.request_q; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    out->request_entry_o[k] = s->r.slot_entry_q[k];
    out->request_register_o[k] = s->r.tag_q[s->r.slot_entry_q[k]];
  }
}

void ccu_eval(const struct ccu *s, const struct ccu_in *in, struct ccu_out *out) {
  (void)in;
  memset(out, 0, s->r.control_only ? offsetof(struct ccu_out, dispatch_data_o) : sizeof *out);
  if (s->r.request_q) eval_requests(s, out);
  if (s->owned) out->owner_valid_o = 1, out->owner_warp_o = s->owner;
  out->busy_o = s->busy;
  out->cached_o = s->r.valid_q != 0;
  out->cached_near_o = (s->r.valid_q & s->r.near_q) != 0;
  if (!ccu_complete(s)) return;
  out->dispatch_valid_o = 1;
  out->dispatch_meta_o = s->meta;
  for (uint64_t m = s->r.control_only ? 0 : s->r.source_q; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    memcpy(out->dispatch_data_o[k], s->data[s->r.slot_entry_q[k]], sizeof s->data[0]);
  }
}

/* ---- cache table ---- */

/* The valid entry with this tag, as a set. All tags are compared: the loop has no branch. */
static uint64_t ccu_find(const struct ccu *s, uint64_t r) {
  uint64_t equal = 0;
  for (unsigned e = 0; e < ccu_NumEntries_most; e++) equal |= (uint64_t)(s->r.tag_q[e] == r) << e;
  return equal & s->r.valid_q;
}

static void ccu_use(struct ccu *s, unsigned e) { s->r.newer_q = (s->r.newer_q & ~s->column[e]) | s->row[e]; }

/* The number of entries that were used after e. */
static int ccu_rank(const struct ccu *s, unsigned e) {
  return bit_count64((s->row[e] & ~s->r.newer_q) | (s->column[e] & s->r.newer_q));
}

static void set_near(struct ccu *s, unsigned e, uint64_t near) {
  s->r.near_q = (s->r.near_q & ~bit_at64(e)) | near << e;
}

/* ---- victims ---- */
struct victims { /* the rest of the list */
  uint64_t empty, far, other;
  int from; /* the first of far; -1: not picked yet */
};

static struct victims ccu_victims(const struct ccu *s) {
  const uint64_t open = s->r.valid_q & ~s->r.locked_q, far = s->size.Near ? open & ~s->r.near_q : 0;
  return (struct victims){
      .empty = all_entries(s) & ~s->r.valid_q & ~s->r.locked_q, .far = far, .other = open & ~far, .from = -1};
}

/* Picks the entry of `far` with which its order begins, and moves the LFSR on. */
static int ccu_pick(struct ccu *s, uint64_t far, uint64_t seed) {
  const uint64_t p = pick_below(s->r.random_q, seed, (uint64_t)bit_count64(far));
  s->r.random_q = pick_next(s->r.random_q, seed);
  for (uint64_t k = 0; k < p; k++) far &= far - 1;
  return bit_low64(far);
}

/* Returns the entry that was used first; there is at least one. */
static int ccu_oldest(const struct ccu *s, uint64_t entries) {
  int e = bit_low64(entries), most = ccu_rank(s, (unsigned)e);
  for (uint64_t m = entries & (entries - 1); m; m &= m - 1) {
    const int n = ccu_rank(s, (unsigned)bit_low64(m));
    if (n > most) most = n, e = bit_low64(m);
  }
  return e;
}

/* Returns the next victim of the list; -1: there is none. The pick is made when the first far entry is needed. */
static int ccu_next_victim(struct ccu *s, struct victims *v, uint64_t seed) {
  int e = -1;
  if (v->empty) {
    e = bit_low64(v->empty);
    v->empty &= v->empty - 1;
  } else if (v->far) {
    if (v->from < 0) v->from = ccu_pick(s, v->far, seed);
    e = bit_from64(v->far, v->from);
    v->far &= ~bit_at64((unsigned)e);
  } else if (v->other) {
    e = ccu_oldest(s, v->other);
    v->other &= ~bit_at64((unsigned)e);
  }
  return e;
}

static void ccu_enter(struct ccu *s, unsigned e, uint64_t r) {
  s->r.valid_q |= bit_at64(e);
  s->r.tag_q[e] = (uint8_t)r;
}

/* ---- the events of a cycle, in their order ---- */

static void take_operand(struct ccu *s, const struct ccu_in *in) {
  uint64_t slots = 0;
  for (uint64_t m = s->r.source_q & ~s->r.ready_q; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    if (s->r.slot_entry_q[k] == in->operand_entry_i) slots |= bit_at64(k);
  }
  BLOCK_RULE(slots);
  s->r.ready_q |= slots;
  if (!s->r.control_only) memcpy(s->data[in->operand_entry_i], in->operand_data_i, sizeof in->operand_data_i);
}

static void ccu_merge(struct ccu *s, unsigned e, const struct ccu_in *in) {
  if (s->r.control_only) return;
  for (uint64_t m = in->cache_lanes_i; m; m &= m - 1) s->data[e][bit_low64(m)] = in->cache_data_i[bit_low64(m)];
}

static void take_result(struct ccu *s, const struct ccu_in *in) {
  const uint64_t hit = ccu_find(s, in->cache_register_i);
  BLOCK_RULE(!(hit & s->r.locked_q));
  int e = -1;
  if (hit) {
    e = bit_low64(hit);
  } else if (in->cache_lanes_i == UINT32_MAX && (in->cache_near_i || !s->size.Filter)) {
    struct victims v = ccu_victims(s);
    e = ccu_next_victim(s, &v, in->seed_i);
    if (e >= 0) ccu_enter(s, (unsigned)e, in->cache_register_i);
  }
  if (e < 0) return;
  ccu_merge(s, (unsigned)e, in);
  set_near(s, (unsigned)e, in->cache_near_i);
  ccu_use(s, (unsigned)e);
}

static void ccu_snoop(struct ccu *s, const struct ccu_in *in) {
  for (uint64_t m = in->snoop_valid_i; m; m &= m - 1) {
    const unsigned n = (unsigned)bit_low64(m);
    if (!ccu_owns(s, in->snoop_warp_i[n])) continue;
    const uint64_t hit = ccu_find(s, in->snoop_register_i[n]);
    BLOCK_RULE(!(hit & s->r.locked_q));
    s->r.valid_q &= ~hit;
  }
}

static void ccu_dispatch(struct ccu *s) {
  s->busy = false;
  s->r.source_q = s->r.ready_q = s->r.locked_q = 0;
}

static void ccu_empty(struct ccu *s) { s->r.valid_q = s->r.near_q = 0; }

static void ccu_leave(struct ccu *s) {
  BLOCK_RULE(!s->busy);
  ccu_empty(s);
  s->owned = false;
}

static void ccu_point(struct ccu *s, unsigned k, unsigned e) {
  s->r.slot_entry_q[k] = (uint8_t)e;
  s->r.locked_q |= bit_at64(e);
}

/* Fills the slots whose registers are in the table; returns the others. */
static uint64_t ccu_fill_hits(struct ccu *s, const struct ccu_in *in) {
  uint64_t miss = 0;
  for (uint64_t m = in->allocate_source_i; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    const uint64_t hit = ccu_find(s, in->allocate_register_i[k]);
    if (!hit) {
      miss |= bit_at64(k);
      continue;
    }
    ccu_point(s, k, (unsigned)bit_low64(hit));
    s->r.ready_q |= bit_at64(k);
  }
  return miss;
}

/* Fills the other slots: the first one of a register takes a victim and requests, the next ones find its entry. */
static void ccu_fill_misses(struct ccu *s, const struct ccu_in *in, uint64_t slots) {
  struct victims v = ccu_victims(s);
  for (uint64_t m = slots; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    const uint64_t r = in->allocate_register_i[k], taken = ccu_find(s, r);
    if (taken) {
      ccu_point(s, k, (unsigned)bit_low64(taken));
      continue;
    }
    const int e = ccu_next_victim(s, &v, in->seed_i);
    BLOCK_INVARIANT(e >= 0);
    ccu_enter(s, (unsigned)e, r);
    ccu_point(s, k, (unsigned)e);
    s->r.request_q |= bit_at64(k);
  }
}

static void ccu_allocate(struct ccu *s, const struct ccu_in *in) {
  if (!ccu_owns(s, in->allocate_warp_i)) ccu_empty(s);
  s->meta = in->allocate_meta_i;
  s->owner = in->allocate_warp_i;
  s->owned = s->busy = true;
  s->r.source_q = in->allocate_source_i;
  s->r.ready_q = 0;
  memset(s->r.slot_entry_q, 0, sizeof s->r.slot_entry_q);
  if (!s->size.Cache) {
    s->r.request_q = in->allocate_source_i;
    for (uint64_t m = in->allocate_source_i; m; m &= m - 1) { /* slot k has entry k */
      const unsigned k = (unsigned)bit_low64(m);
      s->r.slot_entry_q[k] = (uint8_t)k;
      s->r.tag_q[k] = in->allocate_register_i[k];
    }
    return;
  }
  const uint64_t miss = ccu_fill_hits(s, in);
  if (miss) ccu_fill_misses(s, in, miss);
  for (uint64_t m = in->allocate_source_i; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m), e = s->r.slot_entry_q[k];
    set_near(s, e, in->allocate_near_i >> k & 1);
    ccu_use(s, e);
  }
}

/* ---- what must hold ---- */

/* No register is written twice in a cycle, neither by the cached result and a snoop nor by two snoops. */
static void ccu_check_results(const struct ccu_in *in) {
  for (uint64_t m = in->snoop_valid_i; m; m &= m - 1) {
    const unsigned n = (unsigned)bit_low64(m);
    const uint64_t w = in->snoop_warp_i[n], r = in->snoop_register_i[n];
    BLOCK_RULE(!in->cache_valid_i || in->cache_warp_i != w || in->cache_register_i != r);
    for (uint64_t later = m & (m - 1); later; later &= later - 1) {
      const unsigned k = (unsigned)bit_low64(later);
      BLOCK_RULE(in->snoop_warp_i[k] != w || in->snoop_register_i[k] != r);
      (void)k;
    }
    (void)w, (void)r;
  }
}

static void ccu_check_slots(const struct ccu *s) {
  uint64_t used = 0;
  for (uint64_t m = s->r.source_q; m; m &= m - 1) used |= bit_at64(s->r.slot_entry_q[bit_low64(m)]);
  BLOCK_INVARIANT(s->r.locked_q == (s->size.Cache ? used : 0));
  BLOCK_INVARIANT(!(s->r.locked_q & ~s->r.valid_q));
  BLOCK_INVARIANT(!(s->r.ready_q & ~s->r.source_q) && (s->busy || !s->r.source_q));
  BLOCK_INVARIANT(!(s->r.request_q & (s->r.ready_q | ~s->r.source_q)));
  BLOCK_INVARIANT(s->owned || (!s->r.valid_q && !s->busy));
  (void)used;
}

/* Tags of valid entries differ, and the ranks are a permutation: newer_q is an order. */
static void ccu_check_table(const struct ccu *s) {
  uint64_t ranks = 0;
  for (unsigned e = 0; e < s->size.NumEntries; e++) {
    ranks |= bit_at64((unsigned)ccu_rank(s, e));
    BLOCK_INVARIANT(!(s->r.valid_q >> e & 1) || ccu_find(s, s->r.tag_q[e]) == bit_at64(e));
  }
  BLOCK_INVARIANT(ranks == all_entries(s));
  (void)ranks;
}

void ccu_tick(struct ccu *s, const struct ccu_in *in) {
  s->r.request_q = 0;
  if (ccu_quiet(in)) return;
  BLOCK_RULE(!in->allocate_valid_i || !s->busy);
  BLOCK_RULE(!in->dispatch_take_i || ccu_complete(s));
  if (in->operand_valid_i) take_operand(s, in);
  if (s->size.Cache) {
    if (in->snoop_valid_i) ccu_check_results(in);
    if (in->cache_valid_i && ccu_owns(s, in->cache_warp_i)) take_result(s, in);
    if (in->snoop_valid_i) ccu_snoop(s, in);
  }
  if (in->dispatch_take_i) ccu_dispatch(s);
  if (s->owned && in->exit_warps_i >> s->owner & 1) ccu_leave(s);
  if (in->allocate_valid_i) ccu_allocate(s, in);
  ccu_check_slots(s);
  if (s->size.Cache && (in->allocate_valid_i || in->cache_valid_i)) ccu_check_table(s);
}

uint64_t ccu_idle(const struct ccu *s) { return s->r.request_q ? 0 : UINT64_MAX; }
