/* SPDX-License-Identifier: Apache-2.0 */
/* dit: destination indirection table. docs/blocks/slice/dit.md. */
#include "blocks/slice/dit.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

/* write_ready_o: output free, bank not loaded, and no other requesting lane of the bank is nearer to its pointer. */
static unsigned dit_ready_lanes(const struct dit *s, const struct dit_in *in) {
  static const uint8_t nearer[DIT_LANES][DIT_LANES] = {{0, 1, 3}, {6, 0, 2}, {4, 5, 0}}; /* by pointer and lane: mask */
  unsigned can = (unsigned)(~s->result_valid_q | in->result_ready_i) & DIT_ALL, rdy = 0, bank[DIT_LANES];
  for (unsigned l = 0; l < DIT_LANES; l++) bank[l] = table_bank_of(in->write_addr_i[l]);
  for (unsigned l = 0; in->load_valid_i && l < DIT_LANES; l++)
    if (bank[l] == table_bank_of(in->load_addr_i)) can &= ~(1u << l);
  const unsigned asks = can & (unsigned)in->write_valid_i;
  for (unsigned l = 0; l < DIT_LANES; l++) {
    unsigned same = 0;
    for (unsigned k = 0; k < DIT_LANES; k++) same |= (unsigned)(bank[k] == bank[l]) << k;
    rdy |= (unsigned)!(asks & same & nearer[s->r.pointer_q[bank[l]]][l]) << l;
  }
  return can & rdy;
}

void dit_reset(struct dit *s) { *s = (struct dit){0}; }

void dit_eval(const struct dit *s, const struct dit_in *in, struct dit_out *out) {
  out->write_ready_o = dit_ready_lanes(s, in);
  out->result_valid_o = s->result_valid_q;
  memcpy(out->result_entry_o, s->result_entry_q, sizeof out->result_entry_o);
  if (!s->r.control_only) memcpy(out->result_payload_o, s->result_payload_q, sizeof out->result_payload_o);
  out->end_of_ports = 0;
}

void dit_advance(struct dit *s, const struct dit_in *in, const struct dit_out *out) {
  const unsigned won = (unsigned)(out->write_ready_o & in->write_valid_i),
                 gone = (unsigned)(s->result_valid_q & in->result_ready_i);
  for (unsigned left = won | gone; left; left &= left - 1) {
    const unsigned l = (unsigned)bit_low32(left);
    if (won >> l & 1) {
      const unsigned a = in->write_addr_i[l];
      BLOCK_RULE(s->mem_q[a]);
      s->result_entry_q[l] = s->mem_q[a];
      if (!s->r.control_only) memcpy(s->result_payload_q[l], in->write_payload_i[l], sizeof s->result_payload_q[l]);
      s->r.pointer_q[table_bank_of(a)] = table_next_pointer(l, DIT_LANES);
    } else {
      s->result_entry_q[l] = 0;
      if (!s->r.control_only) memset(s->result_payload_q[l], 0, sizeof s->result_payload_q[l]);
    }
  }
  s->result_valid_q = (s->result_valid_q & ~in->result_ready_i) | won;
  if (in->load_valid_i) {
    BLOCK_RULE(entry_legal((uint32_t)in->load_entry_i));
    s->mem_q[in->load_addr_i] = (uint32_t)in->load_entry_i;
  }
}

void dit_tick(struct dit *s, const struct dit_in *in) {
  struct dit_out out = {.write_ready_o = dit_ready_lanes(s, in)};
  dit_advance(s, in, &out);
}

uint64_t dit_idle(const struct dit *s) { return s->result_valid_q ? 0 : UINT64_MAX; }
