/* SPDX-License-Identifier: Apache-2.0 */
/* farb: fill arbiter. docs/blocks/ltrf/farb.md. */
#include "blocks/ltrf/farb.h"

#include <string.h>

#include "blocks/rules.h"

void farb_size(struct farb *s, const struct farb_params *p) {
  BLOCK_RULE(bit_count64(p->NumSlots) == 1 && p->NumSlots >= 2 && p->NumSlots <= farb_NumSlots_most);
  BLOCK_RULE(bit_count64(p->NumMainBanks) == 1 && p->NumMainBanks >= 2 && p->NumMainBanks <= farb_NumMainBanks_most);
  BLOCK_RULE(bit_count64(p->NumCacheBanks) == 1 && p->NumCacheBanks >= 2 &&
             p->NumCacheBanks <= farb_NumCacheBanks_most);
  s->size = *p;
}

void farb_reset(struct farb *s) {
  memset(s, 0, sizeof *s);
  const struct farb_params p = farb_defaults();
  farb_size(s, &p);
}

void farb_eval(const struct farb *s, const struct farb_in *in, struct farb_out *out) {
  const int k = farb_choose(s, in);
  *out = (struct farb_out){.grant_o = k < 0 ? 0 : 1ull << k};
}

void farb_tick(struct farb *s, const struct farb_in *in) {
  const int k = farb_choose(s, in);
  if (k >= 0) farb_granted(s, (uint64_t)k);
  BLOCK_INVARIANT(s->r.pointer_q < s->size.NumSlots);
}
