/* SPDX-License-Identifier: Apache-2.0 */
/* vc: value converter. docs/blocks/slice/vc.md: vcl's conversion over a warp, registered. */
#include "blocks/slice/vc.h"

#include <string.h>

#include "blocks/rules.h"
#include "blocks/slice/vcl.h"

void vc_reset(struct vc *s) { *s = (struct vc){0}; }

void vc_eval(const struct vc *s, const struct vc_in *in, struct vc_out *out) {
  (void)in;
  out->o_v_o = s->o_v_q;
  if (!s->r.control_only) memcpy(out->o_d_o, s->o_d_q, sizeof out->o_d_o);
  out->end_of_ports = 0;
}

void vc_tick(struct vc *s, const struct vc_in *in) {
  uint64_t touched = in->i_v_i | s->o_v_q;
  s->o_v_q = in->i_v_i;
  for (; touched; touched &= touched - 1) {
    const unsigned u = (unsigned)__builtin_ctzll(touched), n = in->i_n_i >> 4 * u & 15;
    if (in->i_v_i >> u & 1) {
      BLOCK_RULE(n >= 2 && n <= 8);
      if (!s->r.control_only) vcl_convert_warp(s->o_d_q[u], &in->i_d_i[32 * u], n);
    } else if (!s->r.control_only) {
      memset(s->o_d_q[u], 0, sizeof s->o_d_q[u]);
    }
  }
}

uint64_t vc_idle(const struct vc *s) { return s->o_v_q ? 0 : UINT64_MAX; }
