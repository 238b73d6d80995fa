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
