/* SPDX-License-Identifier: Apache-2.0 */
/* wfil: write filter. docs/blocks/malekeh/wfil.md. */
#include "blocks/malekeh/wfil.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

void wfil_size(struct wfil *s, const struct wfil_params *p) {
  BLOCK_RULE(bit_count64(p->Nccu) == 1 && p->Nccu >= 2 && p->Nccu <= wfil_Nccu_most);
  BLOCK_RULE(bit_count64(p->Nwb) == 1 && p->Nwb >= 2 && p->Nwb <= wfil_Nwb_most);
  BLOCK_RULE(bit_count64(p->Nw) == 1 && p->Nw >= 2 && p->Nw <= wfil_Nw_most && p->Filter <= 1);
  s->size = *p;
}

void wfil_reset(struct wfil *s) {
  memset(s, 0, sizeof *s);
  const struct wfil_params p = wfil_defaults();
  wfil_size(s, &p);
}

/* The lanes that belong to this owner. */
static uint64_t lanes_of(const struct wfil_in *in, unsigned owner) {
  uint64_t lanes = 0;
  for (uint64_t m = in->wb_v_i; m; m &= m - 1) {
    const unsigned l = (unsigned)bit_low64(m);
    lanes |= (uint64_t)(in->wb_wid_i[l] == owner) << l;
  }
  return lanes;
}

void wfil_eval(const struct wfil *s, const struct wfil_in *in, struct wfil_out *out) {
  *out = (struct wfil_out){0};
  if (!in->wb_v_i) return;
  for (uint64_t m = in->r_widv_i; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m);
    uint64_t lanes = lanes_of(in, in->r_wid_i[u]);
    const uint64_t cached = s->size.Filter ? lanes & in->wb_near_i : lanes;
    if (cached) {
      out->d_v_o |= 1ull << u;
      out->d_lane_o[u] = (uint8_t)bit_low64(cached);
      lanes &= ~(cached & -cached);
    }
    out->sn_v_o[u] = (uint8_t)lanes;
  }
}

void wfil_tick(struct wfil *s, const struct wfil_in *in) { (void)s, (void)in; }
