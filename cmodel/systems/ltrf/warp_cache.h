/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warp_cache: what rfc and shrf share. Each warp of the active set has a slot of some entries in a register cache. Operands that are not in
 * it wait for a bank of the main file. A warp that leaves the active set is gated until its entries are written back.
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
bool warp_cache_is_busy(const struct sm *S, const struct warp_cache *c, unsigned w);
/* Writes entry i of the warp to the main file, as register reg; false: one of the two banks is not free in this cycle. The caller copies check's
 * values. */
bool warp_cache_spill(struct sm *S, struct warp_cache *c, unsigned w, unsigned i, unsigned reg);

/* Reads the operand from the main file as soon as its bank is free. */
void warp_cache_wait(struct sm *S, struct warp_cache *c, struct waiting_operand o);
/* Called in each cycle: reads those that wait, of each bank the first one. `granted`, if not NULL, is called for each of them. */
void warp_cache_read_main(struct sm *S, struct warp_cache *c, void (*granted)(struct sm *S, struct waiting_operand o));
/* Lets the unit go on if no operand is missing. */
void warp_cache_unit_step(struct sm *S, const struct warp_cache *c, const struct collector_unit *u);

#endif
