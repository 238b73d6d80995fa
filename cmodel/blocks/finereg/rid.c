/* SPDX-License-Identifier: Apache-2.0 */
/* rid: register index decoder. docs/blocks/finereg/rid.md. */
#include "blocks/finereg/rid.h"

#include "base/bits.h"

void rid_reset(struct rid *s) { *s = (struct rid){0}; }

void rid_eval(const struct rid *s, const struct rid_in *in, struct rid_out *out) {
  (void)in;
  const uint64_t left = s->r.remaining_q;
  *out = (struct rid_out){.load_ready_o = !left, .register_valid_o = left != 0};
  if (!left) return;
  out->register_o = (uint64_t)bit_low64(left);
  out->register_last_o = !(left & (left - 1));
}

void rid_tick(struct rid *s, const struct rid_in *in) {
  if (s->r.remaining_q) {
    if (in->register_ready_i) s->r.remaining_q &= s->r.remaining_q - 1;
  } else if (in->load_valid_i) {
    s->r.remaining_q = in->load_vector_i;
  }
}

uint64_t rid_idle(const struct rid *s) { return s->r.remaining_q ? 0 : UINT64_MAX; }
