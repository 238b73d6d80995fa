/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of ccu's bench: a third program for the page, which predicts every output and register. The order of use is a list of
 * the entries, an instruction's missing registers are a list, victims are a list: no masks, no matrix. A cycle is
 * its six steps, one function each, and what each of them did is kept for the bins. docs/blocks/malekeh/ccu.md
 */
#ifndef RT_TB_CCU_ORACLE_H
#define RT_TB_CCU_ORACLE_H

#include <string.h>

#include "base/bits.h"
#include "blocks/malekeh/ccu.h"
#include "tb.h"

#define EXPECT ccu
#define EXPECT_DEF "blocks/malekeh/ccu.def"
#include "expect.h"

enum {
  ENTRIES = TB_PARAM(NumEntries),
  WARPS = TB_PARAM(NumWarps),
  LANES = TB_PARAM(NumResults), /* of the write-back */
  CACHE = TB_PARAM(Cache),
  NEAR = TB_PARAM(Near),
  FILTER = TB_PARAM(Filter),
  SLOTS = TB_PARAM(NumSlots),
  WARP_BITS = RT_CLOG2(WARPS),
  REGS = 256,
  WORDS = 32, /* of a register */
  NO_ENTRY = ENTRIES
};

struct entry {
  bool valid, near, locked;
  unsigned r;
  uint32_t data[WORDS];
};

struct slot {
  bool exists, here, asks;
  unsigned at; /* its entry */
};

struct oracle {
  struct entry entry[ENTRIES];
  unsigned used[ENTRIES]; /* the entries, the one used last first */
  struct slot slot[SLOTS];
  bool busy, owned;
  unsigned owner, meta;
  unsigned random; /* LFSR; 0: no pick since reset */
};

/* Entries that were chosen, in order, and why. */
struct choice {
  unsigned n, entry[ENTRIES];
  enum why { EMPTY, FAR, OLD } why[ENTRIES];
  unsigned rank[ENTRIES]; /* before the choice, */
  bool near[ENTRIES];     /* as near */
  bool picked, seeded;    /* seeded: the pick began with seed_i */
  unsigned fars, p;       /* far entries to pick from, position picked; fars is counted without a pick, too */
};

/* What a cycle did, for the bins. */
struct deed {
  unsigned filled; /* operand slots that S has filled */
  enum { NO_D, D_OF_NOBODY, D_OF_OTHER, D_HIT, D_ENTERS, D_DROPPED } d;
  unsigned d_entry, d_rank, d_replaced; /* d_replaced: register of a valid victim; or REGS */
  bool d_was_near;
  struct choice d_choice;
  unsigned snooped;         /* lanes that found their register */
  unsigned snoop_at[LANES]; /* there; or NO_ENTRY */
  bool taken, ends;         /* dispatch; the ownership ends */
  bool allocates, flushes, same, unowned;
  unsigned hits, misses; /* slots; distinct registers */
  unsigned missing[SLOTS];
  struct choice choice;
};

/* ---- the table ---- */

static void ccu_oracle_reset(struct oracle *o) {
  memset(o, 0, sizeof *o);
  for (unsigned e = 0; e < ENTRIES; e++) o->used[e] = e;
}

static unsigned ccu_oracle_rank_of(const struct oracle *o, unsigned e) {
  unsigned i = 0;
  while (o->used[i] != e) i++;
  return i;
}

static void ccu_oracle_use_entry(struct oracle *o, unsigned e) {
  for (unsigned i = ccu_oracle_rank_of(o, e); i; i--) o->used[i] = o->used[i - 1];
  o->used[0] = e;
}

static unsigned ccu_oracle_find_register(const struct oracle *o, unsigned r) {
  for (unsigned e = 0; e < ENTRIES; e++) {
    if (o->entry[e].valid && o->entry[e].r == r) return e;
  }
  return NO_ENTRY;
}

/* A slot waits for the value of this entry. */
static bool ccu_oracle_is_awaited(const struct oracle *o, unsigned e) {
  for (unsigned k = 0; k < SLOTS; k++) {
    if (o->slot[k].exists && !o->slot[k].here && o->slot[k].at == e) return true;
  }
  return false;
}

static bool ccu_oracle_is_complete(const struct oracle *o) {
  for (unsigned k = 0; k < SLOTS; k++) {
    if (o->slot[k].exists && !o->slot[k].here) return false;
  }
  return o->busy;
}

static void ccu_oracle_drop_all(struct oracle *o) {
  for (unsigned e = 0; e < ENTRIES; e++) o->entry[e].valid = o->entry[e].near = false;
}

/* ---- victims ---- */

static unsigned ccu_oracle_pick(struct oracle *o, unsigned n, unsigned seed) {
  const unsigned value = o->random ? o->random : seed ? seed : 0xace1;
  o->random = value / 2;
  if (value % 2) o->random ^= 0xb400;
  return value * n / 65536;
}

static void ccu_oracle_append_choice(const struct oracle *o, struct choice *c, unsigned e, enum why why) {
  c->entry[c->n] = e, c->why[c->n] = why, c->rank[c->n] = ccu_oracle_rank_of(o, e), c->near[c->n] = o->entry[e].near;
  c->n++;
}

static void ccu_oracle_choose(struct oracle *o, unsigned m, unsigned seed, struct choice *c) {
  unsigned far[ENTRIES];
  memset(c, 0, sizeof *c);
  for (unsigned e = 0; e < ENTRIES; e++) {
    const struct entry *x = &o->entry[e];
    if (!x->locked && !x->valid) ccu_oracle_append_choice(o, c, e, EMPTY);
    if (!x->locked && x->valid && !x->near) far[c->fars++] = e;
  }
  if (NEAR && c->fars && m > c->n) {
    c->picked = true, c->seeded = !o->random;
    c->p = ccu_oracle_pick(o, c->fars, seed);
    for (unsigned i = 0; i < c->fars; i++) ccu_oracle_append_choice(o, c, far[(c->p + i) % c->fars], FAR);
  }
  for (unsigned i = ENTRIES; i--;) {
    const struct entry *x = &o->entry[o->used[i]];
    if (!x->locked && x->valid && (!NEAR || x->near)) ccu_oracle_append_choice(o, c, o->used[i], OLD);
  }
  if (c->n > m) c->n = m;
}

/* ---- outputs and registers ---- */

static void ccu_oracle_out(const struct oracle *o, struct ccu_out *out) {
  memset(out, 0, sizeof *out);
  out->owner_valid_o = o->owned, out->owner_warp_o = o->owned ? o->owner : 0, out->busy_o = o->busy;
  for (unsigned e = 0; e < ENTRIES; e++) {
    if (o->entry[e].valid) out->cached_o = 1;
    if (o->entry[e].valid && o->entry[e].near) out->cached_near_o = 1;
  }
  for (unsigned k = 0; k < SLOTS; k++) {
    const struct slot *x = &o->slot[k];
    if (!x->asks) continue;
    out->request_valid_o |= UINT64_C(1) << k;
    out->request_register_o[k] = (uint8_t)o->entry[x->at].r, out->request_entry_o[k] = (uint8_t)x->at;
  }
  if (!ccu_oracle_is_complete(o)) return;
  out->dispatch_valid_o = 1, out->dispatch_meta_o = o->meta;
  for (unsigned k = 0; k < SLOTS; k++) {
    const struct slot *x = &o->slot[k];
    if (x->exists) memcpy(out->dispatch_data_o[k], o->entry[x->at].data, sizeof o->entry[0].data);
  }
}

static void ccu_oracle_state(const struct oracle *o, struct ccu_state *st) {
  unsigned rank[ENTRIES];
  memset(st, 0, sizeof *st);
  for (unsigned e = 0; e < ENTRIES; e++) {
    const struct entry *x = &o->entry[e];
    st->valid_q |= (uint64_t)x->valid << e, st->locked_q |= (uint64_t)x->locked << e,
        st->near_q |= (uint64_t)x->near << e;
    st->tag_q[e] = (uint8_t)x->r;
  }
  for (unsigned i = 0; i < ENTRIES; i++) rank[o->used[i]] = i;
  for (unsigned i = 0, bit = 0; i < ENTRIES; i++) {
    for (unsigned j = i + 1; j < ENTRIES; j++, bit++) st->newer_q |= (uint64_t)(rank[i] < rank[j]) << bit;
  }
  for (unsigned k = 0; k < SLOTS; k++) {
    const struct slot *x = &o->slot[k];
    st->source_q |= (uint64_t)x->exists << k, st->ready_q |= (uint64_t)x->here << k,
        st->request_q |= (uint64_t)x->asks << k;
    st->slot_entry_q[k] = (uint8_t)x->at;
  }
  st->random_q = o->random;
}

/* ---- the steps of a cycle ---- */

static void ccu_oracle_step_s(struct oracle *o, const struct ccu_in *in, struct deed *d) {
  if (!in->operand_valid_i) return;
  memcpy(o->entry[in->operand_entry_i].data, in->operand_data_i, sizeof in->operand_data_i);
  for (unsigned k = 0; k < SLOTS; k++) {
    struct slot *x = &o->slot[k];
    if (!x->exists || x->at != in->operand_entry_i) continue;
    x->here = true;
    d->filled |= 1u << k;
  }
}

static void ccu_oracle_step_d(struct oracle *o, const struct ccu_in *in, struct deed *d) {
  if (!in->cache_valid_i) return;
  const unsigned r = (unsigned)in->cache_register_i;
  d->d = !o->owned ? D_OF_NOBODY : in->cache_warp_i != o->owner ? D_OF_OTHER : D_DROPPED;
  if (d->d != D_DROPPED) return;
  unsigned e = ccu_oracle_find_register(o, r);
  if (e != NO_ENTRY) {
    d->d = D_HIT;
    d->d_was_near = o->entry[e].near;
  } else if (in->cache_lanes_i == UINT32_MAX && (in->cache_near_i || !FILTER)) {
    ccu_oracle_choose(o, 1, (unsigned)in->seed_i, &d->d_choice);
    if (!d->d_choice.n) return;
    d->d = D_ENTERS;
    e = d->d_choice.entry[0];
    d->d_replaced = o->entry[e].valid ? o->entry[e].r : REGS;
  } else {
    return;
  }
  d->d_entry = e, d->d_rank = ccu_oracle_rank_of(o, e);
  struct entry *x = &o->entry[e];
  x->valid = true, x->r = r, x->near = in->cache_near_i;
  for (unsigned l = 0; l < WORDS; l++) {
    if (in->cache_lanes_i >> l & 1) x->data[l] = in->cache_data_i[l];
  }
  ccu_oracle_use_entry(o, e);
}

static void ccu_oracle_step_snoop(struct oracle *o, const struct ccu_in *in, struct deed *d) {
  for (unsigned l = 0; l < LANES; l++) {
    if (!bit_is64(in->snoop_valid_i, l) || !o->owned || in->snoop_warp_i[l] != o->owner) continue;
    const unsigned e = ccu_oracle_find_register(o, in->snoop_register_i[l]);
    if (e == NO_ENTRY) continue;
    o->entry[e].valid = false;
    d->snooped |= 1u << l, d->snoop_at[l] = e;
  }
}

static void ccu_oracle_step_dispatch(struct oracle *o, const struct ccu_in *in, struct deed *d) {
  if (!in->dispatch_take_i) return;
  o->busy = false;
  for (unsigned k = 0; k < SLOTS; k++) o->slot[k].exists = o->slot[k].here = false;
  for (unsigned e = 0; e < ENTRIES; e++) o->entry[e].locked = false;
  d->taken = true;
}

static void ccu_oracle_step_exit(struct oracle *o, const struct ccu_in *in, struct deed *d) {
  if (!o->owned || !(in->exit_warps_i >> o->owner & 1)) return;
  ccu_oracle_drop_all(o);
  o->owned = false;
  d->ends = true;
}

/* The cache's part of an allocation: slots that exist get their entries. */
static void ccu_oracle_look_up(struct oracle *o, const struct ccu_in *in, struct deed *d) {
  for (unsigned k = 0; k < SLOTS; k++) {
    struct slot *x = &o->slot[k];
    const unsigned e = x->exists ? ccu_oracle_find_register(o, in->allocate_register_i[k]) : NO_ENTRY;
    if (e == NO_ENTRY) continue;
    x->at = e, x->here = true;
    o->entry[e].locked = true;
    d->hits++;
  }
  for (unsigned k = 0; k < SLOTS; k++) {
    struct slot *x = &o->slot[k];
    const unsigned r = in->allocate_register_i[k];
    unsigned i = 0;
    if (!x->exists || x->here) continue;
    while (i < d->misses && d->missing[i] != r) i++;
    if (i < d->misses) continue;
    d->missing[d->misses++] = r;
    x->asks = true;
  }
  ccu_oracle_choose(o, d->misses, (unsigned)in->seed_i, &d->choice);
  for (unsigned i = 0; i < d->misses; i++) {
    struct entry *x = &o->entry[d->choice.entry[i]];
    x->valid = x->locked = true, x->r = d->missing[i];
  }
  for (unsigned k = 0; k < SLOTS; k++) {
    struct slot *x = &o->slot[k];
    if (!x->exists) continue;
    if (!x->here) x->at = ccu_oracle_find_register(o, in->allocate_register_i[k]);
    o->entry[x->at].near = bit_is64(in->allocate_near_i, k);
    ccu_oracle_use_entry(o, x->at);
  }
}

static void ccu_oracle_look_up_plain(struct oracle *o, const struct ccu_in *in) {
  for (unsigned k = 0; k < SLOTS; k++) {
    struct slot *x = &o->slot[k];
    if (!x->exists) continue;
    x->at = k, x->asks = true;
    o->entry[k].r = in->allocate_register_i[k];
  }
}

static void ccu_oracle_step_allocation(struct oracle *o, const struct ccu_in *in, struct deed *d) {
  if (!in->allocate_valid_i) return;
  d->allocates = true, d->unowned = !o->owned, d->same = o->owner == in->allocate_warp_i;
  d->flushes = d->unowned || !d->same;
  if (d->flushes) ccu_oracle_drop_all(o);
  o->owned = o->busy = true;
  o->owner = (unsigned)in->allocate_warp_i, o->meta = (unsigned)in->allocate_meta_i;
  for (unsigned k = 0; k < SLOTS; k++) o->slot[k] = (struct slot){.exists = bit_is64(in->allocate_source_i, k)};
  if (CACHE) {
    ccu_oracle_look_up(o, in, d);
  } else {
    ccu_oracle_look_up_plain(o, in);
  }
}

static void ccu_oracle_edge(struct oracle *o, const struct ccu_in *in, struct deed *d) {
  memset(d, 0, sizeof *d);
  for (unsigned k = 0; k < SLOTS; k++) o->slot[k].asks = false;
  ccu_oracle_step_s(o, in, d);
  if (CACHE) ccu_oracle_step_d(o, in, d), ccu_oracle_step_snoop(o, in, d);
  ccu_oracle_step_dispatch(o, in, d);
  ccu_oracle_step_exit(o, in, d);
  ccu_oracle_step_allocation(o, in, d);
}

/* ---- the page's invariants, of the oracle itself ---- */

static void ccu_oracle_check(struct tb_run *t, const struct oracle *o) {
  bool wanted[ENTRIES] = {false};
  for (unsigned k = 0; k < SLOTS; k++) {
    if (o->slot[k].exists) wanted[o->slot[k].at] = true;
  }
  for (unsigned e = 0; e < ENTRIES; e++) {
    const struct entry *x = &o->entry[e];
    tb_expect(t, x->locked == (wanted[e] && CACHE), "entry %u: locked without a slot, or a slot without a lock", e);
    tb_expect(t, !x->locked || x->valid, "entry %u is locked, and not valid", e);
    tb_expect(t, !x->valid || o->owned, "entry %u is valid without an owner", e);
    tb_expect(t, !x->valid || ccu_oracle_find_register(o, x->r) == e, "entry %u: another one has its register", e);
  }
}

#endif
