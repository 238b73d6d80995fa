/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warp_cache: what rfc and shrf share. Each warp of the active set has a slot of some entries in a register cache. Operands that are not in
 * it wait for a bank of the main file. A warp that leaves the active set is gated until its entries are written back. What runs in each cycle is inline.
 */
#ifndef RT_SYSTEMS_LTRF_WARP_CACHE_H
#define RT_SYSTEMS_LTRF_WARP_CACHE_H

#include "systems/ltrf/main_file.h"

enum { WARPS = 64, ENTRIES = 32, SLOTS = 16, NO_SLOT = 0xff };

struct waiting_operand { /* operand k of the unit, to be read from the main file */
  const struct collector_unit *unit;
  uint8_t k, writes; /* writes: shrf's, of the entry that it is to be copied into, when it issued */
};

struct warp_cache {
  struct main_file main;
  unsigned entries, slots;      /* entries of a slot */
  uint32_t used;                /* slots */
  uint8_t of[WARPS];            /* the warp's slot, or NO_SLOT */
  uint8_t operands[WARPS];      /* that its units have still to read */
  uint64_t leaving;             /* warps whose entries are written back */
  uint8_t missing[UNIT_MAX];    /* operands of the unit that the main file has still to give */
  struct waiting_operand *wait; /* for a bank of the main file, in order */
  unsigned waits, waits_cap;
  uint32_t cache_row; /* with sim.check: of the cache, in check's file */
};

void warp_cache_init(struct sm *S, struct warp_cache *c);
void warp_cache_plan(struct sm *S, struct warp_cache *c); /* a launch begins, its registers planned */

/* Returns the entry's row in check's file. */
static inline uint32_t warp_cache_row(const struct warp_cache *c, unsigned slot, unsigned i) {
  return c->cache_row + slot * c->entries + i;
}

/* Gives the warp a free slot and returns it. */
unsigned warp_cache_enter(struct warp_cache *c, unsigned w);
/* Gates the warp until warp_cache_forget, which also takes its slot. */
enum move warp_cache_leave(struct sm *S, struct warp_cache *c, unsigned w);
void warp_cache_forget(struct sm *S, struct warp_cache *c, unsigned w);
/* True while operands of the warp are to be read or, after its exit, results are to be written. */
static inline bool warp_cache_is_busy(const struct sm *S, const struct warp_cache *c, unsigned w) {
  return c->operands[w] || (!warp_lives(S, w) && warp_view(S, w)->inflight_count);
}

/* Writes entry i of the warp to the main file, as register reg; false: one of the two banks is not free in this cycle. The caller copies check's
 * values. */
static inline bool warp_cache_spill(struct sm *S, struct warp_cache *c, unsigned w, unsigned i, unsigned reg) {
  const unsigned bank = main_file_bank(&c->main, w, reg);
  if (!main_file_free(&c->main, sm_view(S)->now, bank, RF_WRITE) || !rf_claim(S, 0, i, RF_READ)) return false;
  main_file_take(&c->main, sm_view(S)->now, bank, RF_WRITE);
  sm_counters(S)->main_writes++;
  sm_counters(S)->cache_spills++;
  if (sm_view(S)->laws) {
    law_access(S, 0, RF_READ, warp_cache_row(c, c->of[w], i));
    law_access(S, 0, RF_WRITE, warp_view(S, w)->row + reg);
  }
  return true;
}

/* Reads the operand from the main file as soon as its bank is free. */
static inline void warp_cache_wait(struct sm *S, struct warp_cache *c, struct waiting_operand o) {
  VEC_PUSH(c->wait, c->waits, c->waits_cap) = o;
  unit_set_row(S, o.unit, o.k, warp_view(S, o.unit->warp)->row + o.unit->op->src[o.k]);
  c->missing[o.unit->index]++;
}

/* Called in each cycle: reads those that wait, of each bank the first one. `granted`, if not NULL, is called for each of them. */
static inline void warp_cache_read_main(struct sm *S, struct warp_cache *c,
                                        void (*granted)(struct sm *S, struct waiting_operand o)) {
  if (!c->waits) return;
  unsigned kept = 0;
  const uint64_t now = sm_view(S)->now;
  for (unsigned n = 0; n < c->waits; n++) {
    const struct waiting_operand o = c->wait[n];
    const unsigned w = o.unit->warp, bank = main_file_bank(&c->main, w, o.unit->op->src[o.k]);
    if (!main_file_free(&c->main, now, bank, RF_READ)) {
      c->wait[kept++] = o;
      sm_counters(S)->rf_read_conflicts++;
      continue;
    }
    main_file_take(&c->main, now, bank, RF_READ);
    sm_counters(S)->main_reads++;
    c->operands[w]--;
    if (sm_view(S)->check) check_operand(S, o.unit, o.k);
    if (sm_view(S)->laws) law_operand(S, o.unit, o.k);
    if (granted) granted(S, o);
    main_file_operand(S, &c->main, o.unit);
  }
  c->waits = kept;
  sm_keep_awake(S);
}

/* Lets the unit go on if no operand is missing. */
static inline void warp_cache_unit_step(struct sm *S, const struct warp_cache *c, const struct collector_unit *u) {
  if (c->missing[u->index]) return;
  unit_release(S, u);
  if (u->banks == ~0ull) unit_set_full(S, u);
}

#endif
