/* SPDX-License-Identifier: Apache-2.0 */
/* sit: source indirection table. docs/blocks/slice/sit.md. */
#include "blocks/slice/sit.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

/* Of each bank one: of the requesters from pointer_q on the first or, if there is none, the first of all. A load has precedence. */
static uint64_t sit_arbitrate(const struct sit *s, const struct sit_in *in) {
  uint64_t grants = 0;
  unsigned first[TABLE_BANKS], taken = (unsigned)in->load_valid_i << table_bank_of(in->load_addr_i);
  first[table_bank_of(in->load_addr_i)] = SIT_REQUESTERS;
  for (uint64_t left = in->request_valid_i; left; left &= left - 1) {
    const unsigned q = (unsigned)bit_low64(left), b = table_bank_of(in->request_addr_i[q]), ptr = s->r.pointer_q[b];
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
  out->grant_o = sit_arbitrate(s, in);
  out->response_valid_o = s->response_valid_q;
  memcpy(out->response_requester_o, s->response_requester_q, sizeof out->response_requester_o);
  memcpy(out->response_entry_o, s->response_entry_q, sizeof out->response_entry_o);
  out->end_of_ports = 0;
}

void sit_advance(struct sit *s, const struct sit_in *in, const struct sit_out *out) {
  if (s->response_valid_q) {
    memset(s->response_entry_q, 0, sizeof s->response_entry_q);
    memset(s->response_requester_q, 0, sizeof s->response_requester_q);
  }
  s->response_valid_q = 0;
  for (uint64_t left = out->grant_o; left; left &= left - 1) {
    const unsigned q = (unsigned)bit_low64(left), a = in->request_addr_i[q], b = table_bank_of(a);
    BLOCK_INVARIANT(q < SIT_REQUESTERS);
    BLOCK_RULE(s->mem_q[a]);
    s->response_valid_q |= 1ull << b;
    s->response_entry_q[b] = s->mem_q[a];
    s->response_requester_q[b] = (uint8_t)q;
    s->r.pointer_q[b] = table_next_pointer(q, SIT_REQUESTERS);
  }
  if (in->load_valid_i) {
    BLOCK_RULE(entry_legal((uint32_t)in->load_entry_i));
    s->mem_q[in->load_addr_i] = (uint32_t)in->load_entry_i;
  }
}

void sit_tick(struct sit *s, const struct sit_in *in) {
  struct sit_out out;
  sit_eval(s, in, &out);
  sit_advance(s, in, &out);
}

uint64_t sit_idle(const struct sit *s) { return s->response_valid_q ? 0 : UINT64_MAX; }
