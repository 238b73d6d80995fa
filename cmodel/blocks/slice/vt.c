/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vt: value truncator. docs/blocks/slice/vt.md: vtl's truncation over a warp (step 1), then the scatter (step
 * 2), registered.
 */
#include "blocks/slice/vt.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"
#include "blocks/slice/vtl.h"

uint32_t vt_scatter(uint32_t x, uint32_t e, bool part) {
  const struct slice_runs p = slice_runs(e, part);
  return slice_move(x, p.run, 4, true);
}

void vt_scatter_warp(uint32_t y[restrict 32], const uint32_t x[restrict 32], uint32_t e, bool part) {
  const struct slice_runs p = slice_runs(e, part);
  slice_move_warp(y, x, &p, true);
}

static uint64_t field_set(uint64_t w, unsigned at, unsigned n, uint64_t v) {
  const uint64_t mask = ((1ull << n) - 1) << at;
  return (w & ~mask) | (v << at & mask);
}

/* Units whose two parts are gone at the next edge. */
static uint64_t ready(const struct vt *s, const struct vt_in *in) {
  return ~((s->o_v_q[0] & ~in->o_rdy0_i) | (s->o_v_q[1] & ~in->o_rdy1_i)) & 7;
}

void vt_reset(struct vt *s) { *s = (struct vt){0}; }

void vt_eval(const struct vt *s, const struct vt_in *in, struct vt_out *out) {
  out->i_rdy_o = ready(s, in);
  out->o_v0_o = s->o_v_q[0];
  out->o_v1_o = s->o_v_q[1];
  out->o_r0_o = s->o_r_q[0];
  out->o_m0_o = s->o_m_q[0];
  out->o_r1_o = s->o_r_q[1];
  out->o_m1_o = s->o_m_q[1];
  out->end_of_ports = 0;
  if (s->r.control_only) return;
  memcpy(out->o_d0_o, s->o_d_q[0], sizeof out->o_d0_o);
  memcpy(out->o_d1_o, s->o_d_q[1], sizeof out->o_d1_o);
  memcpy(out->o_lane_o, s->o_lane_q, sizeof out->o_lane_o);
  out->o_warp_o = s->o_warp_q;
}

/* These units' parts have gone. */
static void clear_part(struct vt *s, uint64_t units, bool part) {
  static const uint32_t bytes[8] = {0, 0xff, 0xff00, 0xffff, 0xff0000, 0xff00ff, 0xffff00, 0xffffff};
  s->o_v_q[part] &= ~units;
  s->o_r_q[part] &= ~(uint64_t)bytes[units];
  s->o_m_q[part] &= ~(uint64_t)bytes[units];
  for (uint64_t m = s->r.control_only ? 0 : units; m; m &= m - 1)
    memset(s->o_d_q[part][bit_low64(m)], 0, sizeof s->o_d_q[part][0]);
}

/* 32 words from bit `at` on. */
static void take_warp(uint32_t d[restrict 32], const uint32_t *restrict w, unsigned at) {
  const unsigned sh = at & 31;
  w += at >> 5;
  if (!sh) {
    memcpy(d, w, SLICE_LANES * sizeof *d);
  } else {
    for (int l = 0; l < SLICE_LANES; l++) d[l] = w[l] >> sh | w[l + 1] << (32 - sh);
  }
}

/* Step 1 and 2 on the values. */
static void take_values(struct vt *s, const struct vt_in *in, unsigned u, uint32_t e) {
  const unsigned at = VT_PAYLOAD * u, n = entry_n(e);
  const uint32_t lanes = (uint32_t)words_get(in->i_pl_i, at + 1024, 32);
  const bool fp = words_get(in->i_pl_i, at + 1062, 1);
  BLOCK_RULE(!fp || n >= 2);
  uint32_t x[SLICE_LANES], code[SLICE_LANES];
  take_warp(x, in->i_pl_i, at);
  vtl_truncate_warp(code, x, n, fp);
  if (!fp && n < SLICE_NIBBLES) {
    uint32_t lost = 0;
    for (int l = 0; l < SLICE_LANES; l++) lost |= lanes >> l & !vtl_restores(x[l], n);
    BLOCK_RULE(!lost);
  }
  for (int part = 0; part < 2; part++)
    if (entry_m(e, part)) vt_scatter_warp(s->o_d_q[part][u], code, e, part);
  s->o_lane_q[u] = lanes;
  s->o_warp_q = field_set(s->o_warp_q, 6 * u, 6, words_get(in->i_pl_i, at + 1056, 6));
}

static void accept(struct vt *s, const struct vt_in *in, unsigned u) {
  const uint32_t e = in->i_e_i[u];
  BLOCK_RULE(entry_legal(e));
  for (int part = 0; part < 2; part++) {
    const unsigned m = entry_m(e, part);
    if (!m) continue;
    s->o_v_q[part] |= 1ull << u;
    s->o_r_q[part] = field_set(s->o_r_q[part], 8 * u, 8, entry_r(e, part));
    s->o_m_q[part] = field_set(s->o_m_q[part], 8 * u, 8, m);
  }
  if (!s->r.control_only) take_values(s, in, u, e);
}

void vt_advance(struct vt *s, const struct vt_in *in, const struct vt_out *out) {
  const uint64_t old = s->o_v_q[0] | s->o_v_q[1], taken = in->i_v_i & out->i_rdy_o;
  clear_part(s, s->o_v_q[0] & in->o_rdy0_i, false);
  clear_part(s, s->o_v_q[1] & in->o_rdy1_i, true);
  const uint64_t empty = old & ~(s->o_v_q[0] | s->o_v_q[1] | taken);
  for (uint64_t m = taken; m; m &= m - 1) accept(s, in, (unsigned)bit_low64(m));
  for (uint64_t m = s->r.control_only ? 0 : empty; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m);
    s->o_lane_q[u] = 0;
    s->o_warp_q = field_set(s->o_warp_q, 6 * u, 6, 0);
  }
}

void vt_tick(struct vt *s, const struct vt_in *in) {
  const struct vt_out out = {.i_rdy_o = ready(s, in)};
  vt_advance(s, in, &out);
}

uint64_t vt_idle(const struct vt *s) { return s->o_v_q[0] | s->o_v_q[1] ? 0 : UINT64_MAX; }
