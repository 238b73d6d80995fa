/* SPDX-License-Identifier: Apache-2.0 */
/* wve: warp value extractor. The entry is the same for all lanes, so its operations are computed once. */
#include "blocks/slice/wve.h"

#include "blocks/slice/tve.h"

void wve_extract(uint32_t y[restrict 32], const uint32_t d[restrict 32], uint32_t e, bool part, bool sgn) {
  const struct tve_plan p = tve_plan(e, part, sgn);
  slice_move_warp(y, d, &p.moves, false);
  if (!p.fill) return;
  for (int l = 0; l < SLICE_LANES; l++) y[l] |= -(d[l] >> p.sign & 1) & p.fill;
}

void wve_eval(const struct wve *s, const struct wve_in *in, struct wve_out *out) {
  (void)s;
  wve_extract(out->part_data_o, in->data_i, (uint32_t)in->entry_i, in->part_i, in->signed_i);
  out->end_of_ports = 0;
}
