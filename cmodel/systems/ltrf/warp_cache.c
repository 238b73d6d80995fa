/* SPDX-License-Identifier: Apache-2.0 */
/* warp_cache: see warp_cache.h. */
#include "systems/ltrf/warp_cache.h"

#include <string.h>

void warp_cache_init(struct sm *S, struct warp_cache *c) {
  c->entries = (unsigned)sm_view(S)->cfg->ltrf_interval;
  c->slots = (unsigned)sm_view(S)->cfg->sm_active_warps;
  main_file_init(&c->main, sm_view(S)->cfg, false);
  plan_cache_banks(S, c->entries);
  if (sm_view(S)->check) c->cache_row = check_more(S, c->entries * c->slots);
}

void warp_cache_plan(struct sm *S, struct warp_cache *c) {
  c->used = 0;
  c->leaving = 0;
  c->waits = 0;
  memset(c->of, NO_SLOT, sizeof c->of);
  memset(c->operands, 0, sizeof c->operands);
  main_file_reset(&c->main);
  main_file_laws(S, &c->main, c->cache_row, c->entries, c->slots, false);
}

/* ---- warps ---- */

unsigned warp_cache_enter(struct warp_cache *c, unsigned w) {
  const unsigned slot = (unsigned)bit_low64(~(uint64_t)c->used);
  c->used |= 1u << slot;
  c->of[w] = (uint8_t)slot;
  return slot;
}

enum move warp_cache_leave(struct sm *S, struct warp_cache *c, unsigned w) {
  c->leaving |= 1ull << w;
  gate_close(S, SLOT_STORAGE, w);
  return MOVE_PENDING;
}

void warp_cache_forget(struct sm *S, struct warp_cache *c, unsigned w) {
  if (c->of[w] != NO_SLOT) c->used &= ~(1u << c->of[w]);
  c->of[w] = NO_SLOT;
  if (c->leaving >> w & 1) gate_open(S, SLOT_STORAGE, w);
  c->leaving &= ~(1ull << w);
}

bool warp_cache_is_busy(const struct sm *S, const struct warp_cache *c, unsigned w) {
  return c->operands[w] || (!warp_lives(S, w) && warp_view(S, w)->inflight_count);
}

bool warp_cache_spill(struct sm *S, struct warp_cache *c, unsigned w, unsigned i, unsigned reg) {
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

/* ---- operands ---- */

void warp_cache_wait(struct sm *S, struct warp_cache *c, struct waiting_operand o) {
  VEC_PUSH(c->wait, c->waits, c->waits_cap) = o;
  unit_set_row(S, o.unit, o.k, warp_view(S, o.unit->warp)->row + o.unit->op->src[o.k]);
  c->missing[o.unit->index]++;
}

void warp_cache_read_main(struct sm *S, struct warp_cache *c, void (*granted)(struct sm *S, struct waiting_operand o)) {
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

void warp_cache_unit_step(struct sm *S, const struct warp_cache *c, const struct collector_unit *u) {
  if (c->missing[u->index]) return;
  unit_release(S, u);
  if (u->banks == ~0ull) unit_set_full(S, u);
}
