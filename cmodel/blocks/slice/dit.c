/* SPDX-License-Identifier: Apache-2.0 */
/* dit: destination indirection table. docs/blocks/slice/dit.md. */
#include "blocks/slice/dit.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"
#include "blocks/slice/entry.h"

static unsigned address(const struct dit_in *in, unsigned lane) { return in->w_a_i >> 8 * lane & 0xff; }

/* w_rdy: output free, bank not loaded, and no other requesting lane of the bank is nearer to its pointer. */
static unsigned ready(const struct dit *s, const struct dit_in *in) {
  static const uint8_t nearer[DIT_LANES][DIT_LANES] = {{0, 1, 3}, {6, 0, 2}, {4, 5, 0}}; /* by pointer and lane: mask */
  unsigned can = (unsigned)(~s->o_v_q | in->o_rdy_i) & 7, rdy = 0, bank[DIT_LANES];
  for (unsigned l = 0; l < DIT_LANES; l++) bank[l] = address(in, l) & 15;
  for (unsigned l = 0; in->ld_v_i && l < DIT_LANES; l++)
    if (bank[l] == (in->ld_a_i & 15)) can &= ~(1u << l);
  const unsigned asks = can & (unsigned)in->w_v_i;
  for (unsigned l = 0; l < DIT_LANES; l++) {
    unsigned same = 0;
    for (unsigned k = 0; k < DIT_LANES; k++) same |= (unsigned)(bank[k] == bank[l]) << k;
    rdy |= (unsigned)!(asks & same & nearer[s->r.ptr_q[bank[l]]][l]) << l;
  }
  return can & rdy;
}

/* One lane's payload, at its place in the flat vector; src NULL: zeros. */
static void put_payload(struct dit *s, const uint32_t *src, unsigned lane) {
  if (s->r.control_only) return;
  uint32_t *dst = s->o_pl_q;
  const unsigned from = DIT_PAYLOAD * lane, last = from + DIT_PAYLOAD - 1, a = from >> 5, z = last >> 5;
  const uint32_t first_mask = ~0u << (from & 31), last_mask = ~0u >> (31 - (last & 31));
  dst[a] = (dst[a] & ~first_mask) | (src ? src[a] & first_mask : 0);
  dst[z] = (dst[z] & ~last_mask) | (src ? src[z] & last_mask : 0);
  const size_t bytes = (z - a - 1) * sizeof *dst;
  if (src) memcpy(&dst[a + 1], &src[a + 1], bytes);
  else memset(&dst[a + 1], 0, bytes);
}

void dit_reset(struct dit *s) { *s = (struct dit){0}; }

void dit_eval(const struct dit *s, const struct dit_in *in, struct dit_out *out) {
  out->w_rdy_o = ready(s, in);
  out->o_v_o = s->o_v_q;
  memcpy(out->o_e_o, s->o_e_q, sizeof out->o_e_o);
  if (!s->r.control_only) memcpy(out->o_pl_o, s->o_pl_q, sizeof out->o_pl_o);
  out->end_of_ports = 0;
}

void dit_advance(struct dit *s, const struct dit_in *in, const struct dit_out *out) {
  const unsigned won = (unsigned)(out->w_rdy_o & in->w_v_i), gone = (unsigned)(s->o_v_q & in->o_rdy_i);
  for (unsigned left = won | gone; left; left &= left - 1) {
    const unsigned l = (unsigned)bit_low32(left);
    if (won >> l & 1) {
      const unsigned a = address(in, l);
      BLOCK_RULE(s->mem_q[a]);
      s->o_e_q[l] = s->mem_q[a];
      put_payload(s, in->w_pl_i, l);
      s->r.ptr_q[a & 15] = l + 1 == DIT_LANES ? 0 : l + 1;
    } else {
      s->o_e_q[l] = 0;
      put_payload(s, NULL, l);
    }
  }
  s->o_v_q = (s->o_v_q & ~in->o_rdy_i) | won;
  if (in->ld_v_i) {
    BLOCK_RULE(entry_legal((uint32_t)in->ld_e_i));
    s->mem_q[in->ld_a_i] = (uint32_t)in->ld_e_i;
  }
}

void dit_tick(struct dit *s, const struct dit_in *in) {
  struct dit_out out = {.w_rdy_o = ready(s, in)};
  dit_advance(s, in, &out);
}

uint64_t dit_idle(const struct dit *s) { return s->o_v_q ? 0 : UINT64_MAX; }
