/* SPDX-License-Identifier: Apache-2.0 */
/* vc: value converter. docs/blocks/slice/vc.md: vcl's conversion over a warp, registered. */
#include "blocks/slice/vc.h"

#include <string.h>

#include "blocks/rules.h"
#include "blocks/slice/vcl.h"

void vc_reset(struct vc *s) { *s = (struct vc){0}; }

void vc_eval(const struct vc *s, const struct vc_in *in, struct vc_out *out) {
  (void)in;
  out->converted_valid_o = s->converted_valid_q;
  if (!s->r.control_only) memcpy(out->converted_data_o, s->converted_data_q, sizeof out->converted_data_o);
  out->end_of_ports = 0;
}

void vc_tick(struct vc *s, const struct vc_in *in) {
  uint64_t touched = in->operand_valid_i | s->converted_valid_q;
  s->converted_valid_q = in->operand_valid_i;
  for (; touched; touched &= touched - 1) {
    const unsigned u = (unsigned)__builtin_ctzll(touched), n = in->operand_nibbles_i[u];
    if (in->operand_valid_i >> u & 1) {
      BLOCK_RULE(n >= 2 && n <= 8);
      if (!s->r.control_only) vcl_convert_warp(s->converted_data_q[u], in->operand_data_i[u], n);
    } else if (!s->r.control_only) {
      memset(s->converted_data_q[u], 0, sizeof s->converted_data_q[u]);
    }
  }
}

uint64_t vc_idle(const struct vc *s) { return s->converted_valid_q ? 0 : UINT64_MAX; }
