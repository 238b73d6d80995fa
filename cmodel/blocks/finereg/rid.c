/* SPDX-License-Identifier: Apache-2.0 */
/* rid: register index decoder. docs/blocks/finereg/rid.md. */
#include "blocks/finereg/rid.h"

#include "base/bits.h"

void rid_reset(struct rid *s) { *s = (struct rid){0}; }

void rid_eval(const struct rid *s, const struct rid_in *in, struct rid_out *out) {
  (void)in;
  const uint64_t rem = s->r.rem_q;
  *out = (struct rid_out){.ld_rdy_o = !rem, .ix_v_o = rem != 0};
  if (!rem) return;
  out->ix_o = (uint64_t)bit_low64(rem);
  out->ix_last_o = !(rem & (rem - 1));
}

void rid_tick(struct rid *s, const struct rid_in *in) {
  if (s->r.rem_q) {
    if (in->ix_rdy_i) s->r.rem_q &= s->r.rem_q - 1;
  } else if (in->ld_v_i) {
    s->r.rem_q = in->ld_vec_i;
  }
}

uint64_t rid_idle(const struct rid *s) { return s->r.rem_q ? 0 : UINT64_MAX; }
