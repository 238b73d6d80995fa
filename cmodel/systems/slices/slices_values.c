/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices_values: the values of registers on their way through the slices' storage: rows of the register file, the inputs of
 * the value extractors, of VC and of DIT, and what sim.check compares. No time depends on them (slices.h).
 */
#include "systems/slices/slices.h"

#include <string.h>

#include "blocks/slice/vtl.h"

/* ---- operands ---- */

void values_read(struct slices *s, const struct collector_unit *u, unsigned i) {
  struct scu_bank_in *scu = scu_bank_set(&s->net, 0);
  const unsigned k = u->index, q = SCU_OPERANDS * k + (i >> 1), b = u->bank[i];
  struct wve_in *row = wve_set(&s->net, b);
  memcpy(row->data_i, s->row + (size_t)u->row[i] * 32, 128);
  row->entry_i = scu->response_entry_i[q];
  row->part_i = i & 1;
  row->signed_i = s->sgn >> q & 1;
  memcpy(scu->part_data_i[k], wve_get(&s->net, b)->part_data_o, 128);
}

void values_keep(struct slices *s, unsigned k, const struct scu_bank_out *o) {
  const unsigned n = sources_of_pass(s->unit[k]->op, s->pass[k]);
  memcpy(s->operand[k][3 * s->pass[k]], o->dispatch_data_o[SCU_OPERANDS * k], n * sizeof o->dispatch_data_o[0]);
}

/* VC's inputs 3 d to 3 d + n - 1. */
void values_convert(struct slices *s, unsigned d) {
  const unsigned k = s->now[d].unit;
  struct vc_in *vc = vc_set(&s->net, 0);
  for (unsigned i = 0; i < s->now[d].n; i++) {
    const unsigned v = 3 * d + i, q = SCU_OPERANDS * k + i, e = s->net.scu_bank.in[0].response_entry_i[q];
    vc->operand_valid_i |= 1ull << v;
    vc->operand_nibbles_i[v] = (uint8_t)(s->narrow[k] >> i & 1 ? entry_n(e) : SLICE_NIBBLES);
    memcpy(vc->operand_data_i[v], scu_bank_get(&s->net, 0)->dispatch_data_o[q], 128);
  }
}

void values_expect(struct sm *S, struct conversion *c, const struct inflight_view *f) {
  c->inst = f->inst;
  c->op = f->op;
  for (unsigned i = 0; i < f->op->nsrc; i++) memcpy(c->want[i], check_shadow(S, f->inst.warp, f->op->src[i]), 128);
}

void values_check(struct sm *S, struct slices *s, const struct collector_unit *u, unsigned n) {
  for (unsigned i = 0; i < n; i++) check_latch(S, u, i, s->operand[u->index][i]);
}

void values_converted(struct sm *S, struct slices *s) {
  for (unsigned d = 0; d < CONVERTERS; d++) {
    struct conversion *c = &s->before[d];
    if (!c->full) continue;
    for (unsigned i = 0; i < c->n; i++)
      memcpy(s->operand[c->unit][c->first + i], vc_get(&s->net, 0)->converted_data_o[3 * d + i], 128);
    for (unsigned i = 0; sm_view(S)->check && c->last && i < c->op->nsrc; i++)
      if (!check_value(S, &c->inst, c->op, i, s->operand[c->unit][i], c->want[i])) break;
    c->full = false;
  }
  for (unsigned d = 0; d < s->converting; d++) {
    if (s->now[d].full) s->before[d] = s->now[d];
    s->now[d].full = false;
  }
}

/* ---- results ---- */

void values_check_width(struct sm *S, const struct inflight_view *f, unsigned k, unsigned n) {
  const uint32_t *val = result_values(S, &f->inst, k);
  for (uint32_t m = f->inst.lanes; n < SLICE_NIBBLES && m; m &= m - 1) {
    unsigned l = (unsigned)bit_low32(m);
    if (vtl_restores(val[l], n)) continue;
    sm_fail(S,
            "pc 0x%x line %u warp %u instruction %u: result %u (R%u) lane %u is 0x%08x, which %u nibbles do not hold",
            f->op->pc, f->op->line, f->inst.warp, f->inst.seq, k, f->op->dst[k], l, val[l], n);
    return;
  }
}

void values_offer(struct sm *S, struct slices *s, const struct inflight_view *f, unsigned k, unsigned l, bool fp) {
  struct dit_in *in = dit_set(&s->net, 0);
  memcpy(in->write_payload_i[l], result_values(S, &f->inst, k), 128);
  payload_set(in->write_payload_i[l], f->inst.lanes, f->inst.warp, fp);
}

/* The masked nibbles of the active lanes. */
static void write_row(uint32_t *row, const uint32_t *data, unsigned mask, uint32_t lanes) {
  uint32_t bits = 0;
  for (unsigned j = 0; j < 8; j++)
    if (mask >> j & 1) bits |= 0xfu << 4 * j;
  for (unsigned l = 0; l < 32; l++) {
    uint32_t m = lanes >> l & 1 ? bits : 0;
    row[l] = (row[l] & ~m) | (data[l] & m);
  }
}

void values_write(struct slices *s, const struct vt_out *o, unsigned l, unsigned part, uint32_t row, unsigned mask) {
  write_row(s->row + (size_t)row * 32, (part ? o->part1_data_o : o->part0_data_o)[l], mask, o->active_lanes_o[l]);
}

void values_write_now(struct sm *S, struct slices *s, const struct inflight_view *f, unsigned k, unsigned part,
                      bool fp) {
  const uint32_t e = s->entry[f->op->dst[k]];
  uint32_t code[32], data[32];
  vtl_truncate_warp(code, result_values(S, &f->inst, k), entry_n(e), fp);
  vt_scatter_warp(data, code, e, part);
  write_row(s->row + (size_t)(warp_view(S, f->inst.warp)->row + entry_r(e, part)) * 32, data, entry_m(e, part),
            f->inst.lanes);
}
