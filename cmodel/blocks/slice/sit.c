/* SPDX-License-Identifier: Apache-2.0 */
/* sit: source indirection table. docs/blocks/slice/sit.md. */
#include "blocks/slice/sit.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"
#include "blocks/slice/entry.h"

static unsigned address(const struct sit_in *in, unsigned q) { return in->rq_a_i[q >> 2] >> 8 * (q & 3) & 0xff; }

/* Each bank's winner, in win[] for the banks of the result. */
static unsigned arbitrate(const struct sit *s, const struct sit_in *in, uint8_t win[SIT_BANKS]) {
  uint64_t asks[SIT_BANKS];
  unsigned banks = 0;
  for (uint64_t left = in->rq_v_i; left; left &= left - 1) {
    const unsigned q = (unsigned)bit_low64(left), b = address(in, q) & 15;
    asks[b] = (banks >> b & 1 ? asks[b] : 0) | 1ull << q;
    banks |= 1u << b;
  }
  if (in->ld_v_i) banks &= ~(1u << (in->ld_a_i & 15));
  for (unsigned left = banks; left; left &= left - 1) {
    const int b = bit_low32(left);
    win[b] = (uint8_t)bit_from64(asks[b], (int)s->r.ptr_q[b]);
  }
  return banks;
}

void sit_reset(struct sit *s) { *s = (struct sit){0}; }

void sit_eval(const struct sit *s, const struct sit_in *in, struct sit_out *out) {
  out->gn_o = 0;
  if (in->rq_v_i) {
    uint8_t win[SIT_BANKS];
    for (unsigned left = arbitrate(s, in, win); left; left &= left - 1) out->gn_o |= 1ull << win[bit_low32(left)];
  }
  out->rs_v_o = s->rs_v_q;
  memcpy(out->rs_q_o, s->rs_q_q, sizeof out->rs_q_o);
  memcpy(out->rs_e_o, s->rs_e_q, sizeof out->rs_e_o);
  out->end_of_ports = 0;
}

void sit_tick(struct sit *s, const struct sit_in *in) {
  if (s->rs_v_q) {
    s->rs_v_q = 0;
    memset(s->rs_q_q, 0, sizeof s->rs_q_q);
    memset(s->rs_e_q, 0, sizeof s->rs_e_q);
  }
  if (in->rq_v_i) {
    uint8_t win[SIT_BANKS];
    const unsigned banks = arbitrate(s, in, win);
    s->rs_v_q = banks;
    for (unsigned left = banks; left; left &= left - 1) {
      const unsigned b = (unsigned)bit_low32(left), q = win[b], a = address(in, q);
      BLOCK_INVARIANT(q < SIT_REQUESTERS);
      BLOCK_RULE(s->mem_q[a]);
      s->rs_e_q[b] = s->mem_q[a];
      words_set(s->rs_q_q, 6 * b, 6, q);
      s->r.ptr_q[b] = q + 1 == SIT_REQUESTERS ? 0 : q + 1;
    }
  }
  if (in->ld_v_i) {
    BLOCK_RULE(entry_legal((uint32_t)in->ld_e_i));
    s->mem_q[in->ld_a_i] = (uint32_t)in->ld_e_i;
  }
}

uint64_t sit_idle(const struct sit *s) { return s->rs_v_q ? 0 : UINT64_MAX; }
