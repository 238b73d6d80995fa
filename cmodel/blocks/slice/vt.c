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

/* Units whose two parts are gone at the next edge. */
static uint64_t vt_ready_units(const struct vt *s, const struct vt_in *in) {
  return ~((s->part_valid_q[0] & ~in->part0_ready_i) | (s->part_valid_q[1] & ~in->part1_ready_i)) & VT_ALL;
}

void vt_reset(struct vt *s) { *s = (struct vt){0}; }

void vt_eval(const struct vt *s, const struct vt_in *in, struct vt_out *out) {
  out->result_ready_o = vt_ready_units(s, in);
  out->part0_valid_o = s->part_valid_q[0];
  out->part1_valid_o = s->part_valid_q[1];
  memcpy(out->part0_register_o, s->part_register_q[0], sizeof out->part0_register_o);
  memcpy(out->part0_mask_o, s->part_mask_q[0], sizeof out->part0_mask_o);
  memcpy(out->part1_register_o, s->part_register_q[1], sizeof out->part1_register_o);
  memcpy(out->part1_mask_o, s->part_mask_q[1], sizeof out->part1_mask_o);
  out->end_of_ports = 0;
  if (s->r.control_only) return;
  memcpy(out->part0_data_o, s->part_data_q[0], sizeof out->part0_data_o);
  memcpy(out->part1_data_o, s->part_data_q[1], sizeof out->part1_data_o);
  memcpy(out->active_lanes_o, s->active_lanes_q, sizeof out->active_lanes_o);
  memcpy(out->warp_o, s->warp_q, sizeof out->warp_o);
}

/* These units' parts have gone. */
static void clear_part(struct vt *s, uint64_t units, bool part) {
  s->part_valid_q[part] &= ~units;
  for (uint64_t m = units; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m);
    s->part_register_q[part][u] = s->part_mask_q[part][u] = 0;
    if (!s->r.control_only) memset(s->part_data_q[part][u], 0, sizeof s->part_data_q[part][u]);
  }
}

/* Step 1 and 2 on the values. */
static void take_values(struct vt *s, const struct vt_in *in, unsigned u, uint32_t e) {
  const uint32_t *x = in->result_payload_i[u], lanes = payload_lanes(x);
  const bool fp = payload_float(x);
  const unsigned n = entry_n(e);
  BLOCK_RULE(!fp || n >= 2);
  uint32_t code[SLICE_LANES];
  vtl_truncate_warp(code, x, n, fp);
  if (!fp && n < SLICE_NIBBLES) {
    uint32_t lost = 0;
    for (int l = 0; l < SLICE_LANES; l++) lost |= lanes >> l & !vtl_restores(x[l], n);
    BLOCK_RULE(!lost);
  }
  for (int part = 0; part < 2; part++)
    if (entry_m(e, part)) vt_scatter_warp(s->part_data_q[part][u], code, e, part);
  s->active_lanes_q[u] = lanes;
  s->warp_q[u] = (uint8_t)payload_warp(x);
}

static void vt_accept(struct vt *s, const struct vt_in *in, unsigned u) {
  const uint32_t e = in->result_entry_i[u];
  BLOCK_RULE(entry_legal(e));
  for (int part = 0; part < 2; part++) {
    const unsigned m = entry_m(e, part);
    if (!m) continue;
    s->part_valid_q[part] |= 1ull << u;
    s->part_register_q[part][u] = (uint8_t)entry_r(e, part);
    s->part_mask_q[part][u] = (uint8_t)m;
  }
  if (!s->r.control_only) take_values(s, in, u, e);
}

void vt_advance(struct vt *s, const struct vt_in *in, const struct vt_out *out) {
  const uint64_t old = s->part_valid_q[0] | s->part_valid_q[1], taken = in->result_valid_i & out->result_ready_o;
  clear_part(s, s->part_valid_q[0] & in->part0_ready_i, false);
  clear_part(s, s->part_valid_q[1] & in->part1_ready_i, true);
  const uint64_t empty = old & ~(s->part_valid_q[0] | s->part_valid_q[1] | taken);
  for (uint64_t m = taken; m; m &= m - 1) vt_accept(s, in, (unsigned)bit_low64(m));
  for (uint64_t m = s->r.control_only ? 0 : empty; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m);
    s->active_lanes_q[u] = 0;
    s->warp_q[u] = 0;
  }
}

void vt_tick(struct vt *s, const struct vt_in *in) {
  const struct vt_out out = {.result_ready_o = vt_ready_units(s, in)};
  vt_advance(s, in, &out);
}

uint64_t vt_idle(const struct vt *s) { return s->part_valid_q[0] | s->part_valid_q[1] ? 0 : UINT64_MAX; }
