/* SPDX-License-Identifier: Apache-2.0 */
/* aau: address allocation unit. docs/blocks/ltrf/aau.md. */
#include "blocks/ltrf/aau.h"

#include "base/bits.h"

void aau_size(struct aau *s, const struct aau_params *p) {
  BLOCK_RULE(p->Depth >= 2 && p->Depth <= aau_Depth_most && bit_count64(p->Depth) == 1);
  s->size = *p;
  aau_start(s);
}

void aau_reset(struct aau *s) {
  const struct aau_params p = aau_defaults();
  aau_size(s, &p);
}

void aau_eval(const struct aau *s, const struct aau_in *in, struct aau_out *out) {
  (void)in;
  *out = (struct aau_out){.head_valid_o = s->r.free_count_q != 0, .head_number_o = aau_head(s)};
}

void aau_tick(struct aau *s, const struct aau_in *in) {
  if (in->init_i) {
    aau_start(s);
    return;
  }
  BLOCK_RULE(!in->push_valid_i ||
             s->r.occupied_q >> in->push_number_i & 1); /* at the cycle's start: not what is popped now */
  if (in->pop_valid_i) (void)aau_pop(s);
  if (in->push_valid_i) aau_push(s, in->push_number_i);
  BLOCK_INVARIANT(s->r.free_count_q + (uint64_t)bit_count64(s->r.occupied_q) == s->size.Depth);
  BLOCK_INVARIANT(!s->r.free_count_q || !(s->r.occupied_q >> s->number[s->head] & 1));
}
