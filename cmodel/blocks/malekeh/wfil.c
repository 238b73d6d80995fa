/* SPDX-License-Identifier: Apache-2.0 */
/* wfil: write filter. docs/blocks/malekeh/wfil.md. */
#include "blocks/malekeh/wfil.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

void wfil_size(struct wfil *s, const struct wfil_params *p) {
  BLOCK_RULE(bit_count64(p->NumCollectors) == 1 && p->NumCollectors >= 2 &&
             p->NumCollectors <= wfil_NumCollectors_most);
  BLOCK_RULE(bit_count64(p->NumResults) == 1 && p->NumResults >= 2 && p->NumResults <= wfil_NumResults_most);
  BLOCK_RULE(bit_count64(p->NumWarps) == 1 && p->NumWarps >= 2 && p->NumWarps <= wfil_NumWarps_most && p->Filter <= 1);
  s->size = *p;
}

void wfil_reset(struct wfil *s) {
  memset(s, 0, sizeof *s);
  const struct wfil_params p = wfil_defaults();
  wfil_size(s, &p);
}

/* The results of this owner. */
static uint64_t results_of(const struct wfil_in *in, unsigned owner) {
  uint64_t results = 0;
  for (uint64_t m = in->result_valid_i; m; m &= m - 1) {
    const unsigned r = (unsigned)bit_low64(m);
    results |= (uint64_t)(in->result_warp_i[r] == owner) << r;
  }
  return results;
}

void wfil_eval(const struct wfil *s, const struct wfil_in *in, struct wfil_out *out) {
  *out = (struct wfil_out){0};
  if (!in->result_valid_i) return;
  for (uint64_t m = in->owner_valid_i; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m);
    uint64_t results = results_of(in, in->owner_warp_i[u]);
    const uint64_t cached = s->size.Filter ? results & in->result_near_i : results;
    if (cached) {
      out->cache_valid_o |= 1ull << u;
      out->cache_result_o[u] = (uint8_t)bit_low64(cached);
      results &= ~(cached & -cached);
    }
    out->snoop_valid_o[u] = (uint8_t)results;
  }
}

void wfil_tick(struct wfil *s, const struct wfil_in *in) { (void)s, (void)in; }
