/* SPDX-License-Identifier: Apache-2.0 */
/* sit: source indirection table. docs/blocks/slice/sit.md. */
#include "blocks/slice/sit.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"
#include "blocks/slice/entry.h"

static unsigned address(const struct sit_in *in, unsigned q) { return in->rq_a_i[q >> 2] >> 8 * (q & 3) & 0xff; }

/* Of each bank one: of the requesters from ptr_q on the first or, if there is none, the first of all. A load has precedence. */
static uint64_t arbitrate(const struct sit *s, const struct sit_in *in) {
  uint64_t grants = 0;
  unsigned first[SIT_BANKS], taken = (unsigned)in->ld_v_i << (in->ld_a_i & 15);
  first[in->ld_a_i & 15] = SIT_REQUESTERS;
  for (uint64_t left = in->rq_v_i; left; left &= left - 1) {
    const unsigned q = (unsigned)bit_low64(left), b = address(in, q) & 15, ptr = (unsigned)s->r.ptr_q[b];
    if (taken >> b & 1) {
      if (first[b] >= ptr || q < ptr) continue;
      grants &= ~(1ull << first[b]);
    }
    taken |= 1u << b;
    first[b] = q;
    grants |= 1ull << q;
  }
  return grants;
}

void sit_reset(struct sit *s) { *s = (struct sit){0}; }

void sit_eval(const struct sit *s, const struct sit_in *in, struct sit_out *out) {
  out->gn_o = arbitrate(s, in);
  out->rs_v_o = s->rs_v_q;
  memcpy(out->rs_q_o, s->rs_q_q, sizeof out->rs_q_o);
  memcpy(out->rs_e_o, s->rs_e_q, sizeof out->rs_e_o);
  out->end_of_ports = 0;
}

void sit_advance(struct sit *s, const struct sit_in *in, const struct sit_out *out) {
  unsigned __int128 requesters = 0;
  if (s->rs_v_q) memset(s->rs_e_q, 0, sizeof s->rs_e_q);
  s->rs_v_q = 0;
  for (uint64_t left = out->gn_o; left; left &= left - 1) {
    const unsigned q = (unsigned)bit_low64(left), a = address(in, q), b = a & 15;
    BLOCK_INVARIANT(q < SIT_REQUESTERS);
    BLOCK_RULE(s->mem_q[a]);
    s->rs_v_q |= 1ull << b;
    s->rs_e_q[b] = s->mem_q[a];
    requesters |= (unsigned __int128)q << 6 * b;
    s->r.ptr_q[b] = q + 1 == SIT_REQUESTERS ? 0 : q + 1;
  }
  memcpy(s->rs_q_q, &requesters, sizeof s->rs_q_q);
  if (in->ld_v_i) {
    BLOCK_RULE(entry_legal((uint32_t)in->ld_e_i));
    s->mem_q[in->ld_a_i] = (uint32_t)in->ld_e_i;
  }
}

void sit_tick(struct sit *s, const struct sit_in *in) {
  struct sit_out out;
  sit_eval(s, in, &out);
  sit_advance(s, in, &out);
}

uint64_t sit_idle(const struct sit *s) { return s->rs_v_q ? 0 : UINT64_MAX; }
