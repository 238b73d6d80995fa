/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scu: collector unit with indirection. docs/blocks/slice/scu.md. Registers keep their value until the event
 * that writes them: dispatch_take_i clears busy_q only, entry_q and the data are stale until the next look-up and
 * part, and the outputs hide that.
 */
#include "blocks/slice/scu.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"
#include "blocks/slice/entry.h"

/* ---- control of N units ---- */

static uint64_t operands_of(uint64_t units) { return units * SCU_ALL; }
static uint64_t units_of(uint64_t operands) {
  return (operands | operands >> 1 | operands >> 2) & 0x1249249249249249ull;
}

static uint64_t scu_requests(const struct scu_control *c) {
  return c->source_q & ~c->located_q & operands_of(c->busy_q);
}
static uint64_t scu_complete_units(const struct scu_control *c) {
  return c->busy_q & ~units_of(c->source_q & ~c->complete_q);
}
static uint64_t to_convert(const struct scu_control *c) {
  return c->source_q & c->convert_q & c->narrow & operands_of(scu_complete_units(c));
}

/* What an entry says: has it a second part, is it narrow. */
static uint64_t two_parts(uint32_t e) { return entry_m(e, true) != 0; }
static uint64_t is_narrow(uint32_t e) { return entry_n(e) < SLICE_NIBBLES; }

static void scu_step_units(struct scu_control *c, const struct scu_control_in *in) {
  BLOCK_RULE(!(in->grant_i & ~scu_requests(c)));
  BLOCK_RULE(!(in->response_valid_i & ~(operands_of(c->busy_q) & c->located_q & ~c->answered)));
  BLOCK_RULE(!(in->allocate_valid_i & c->busy_q));
  BLOCK_RULE(!(in->dispatch_take_i & ~scu_complete_units(c)));
  BLOCK_RULE(!(in->part_valid_i & ~(c->answered & ~c->complete_q))); /* a part follows its look-up */
  const uint64_t first_of_two = in->part_valid_i & c->two & ~c->half_q, new = operands_of(in->allocate_valid_i);
  c->half_q = (c->half_q | first_of_two) & ~new;
  c->complete_q = (c->complete_q | (in->part_valid_i & ~first_of_two)) & ~new;
  c->located_q = (c->located_q | in->grant_i) & ~new;
  c->answered = (c->answered | in->response_valid_i) & ~new;
  c->two = (c->two & ~in->response_valid_i) | in->two_i;
  c->narrow = (c->narrow & ~in->response_valid_i) | in->narrow_i;
  c->busy_q = (c->busy_q & ~in->dispatch_take_i) | in->allocate_valid_i;
  c->source_q = (c->source_q & ~new) | (in->allocate_source_i & new);
  c->signed_q = (c->signed_q & ~new) | (in->allocate_signed_i & new);
  c->convert_q = (c->convert_q & ~new) | (in->allocate_convert_i & new);
}

/* A part's data, OR-ed to those of the first. */
static void scu_merge_part(uint32_t d[restrict 32], const uint32_t part[restrict 32], bool second) {
  for (int l = 0; l < 32; l++) d[l] = (second ? d[l] : 0) | part[l];
}

/* ---- one unit ---- */

static struct scu_control control_of(const struct scu *s) {
  return (struct scu_control){.busy_q = s->busy_q,
                              .source_q = s->r.source_q,
                              .signed_q = s->r.signed_q,
                              .convert_q = s->r.convert_q,
                              .located_q = s->r.located_q,
                              .half_q = s->r.half_q,
                              .complete_q = s->r.complete_q,
                              .two = s->two,
                              .narrow = s->narrow,
                              .answered = s->answered};
}
/* The three bits of unit k. */
static uint64_t of_unit(uint64_t mask, unsigned k) { return mask >> SCU_OPERANDS * k & SCU_ALL; }
static void put_unit(uint64_t *mask, unsigned k, uint64_t value) {
  *mask = (*mask & ~((uint64_t)SCU_ALL << SCU_OPERANDS * k)) | value << SCU_OPERANDS * k;
}

/* Unit k of c. */
static void control_put(struct scu *s, const struct scu_control *c, unsigned k) {
  const unsigned at = SCU_OPERANDS * k;
  s->busy_q = c->busy_q >> at & 1;
  s->r.source_q = of_unit(c->source_q, k);
  s->r.signed_q = of_unit(c->signed_q, k);
  s->r.convert_q = of_unit(c->convert_q, k);
  s->r.located_q = of_unit(c->located_q, k);
  s->r.half_q = of_unit(c->half_q, k);
  s->r.complete_q = of_unit(c->complete_q, k);
  s->two = of_unit(c->two, k);
  s->narrow = of_unit(c->narrow, k);
  s->answered = of_unit(c->answered, k);
}

void scu_reset(struct scu *s) { *s = (struct scu){0}; }

/* The fetches that the SIT's responses start in this cycle. */
static void scu_eval_fetch(const struct scu *s, const struct scu_in *in, struct scu_out *out) {
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (!(in->response_valid_i >> o & 1)) continue;
    const uint32_t e = in->response_entry_i[o];
    out->fetch_entry_o[o] = e;
    for (unsigned part = 0; part < 1 + two_parts(e); part++) {
      out->fetch_valid_o[o] = (uint8_t)(out->fetch_valid_o[o] | 1u << part);
      out->fetch_register_o[o][part] = (uint8_t)entry_r(e, part);
    }
  }
  out->fetch_signed_o = s->r.signed_q & in->response_valid_i;
}

void scu_eval(const struct scu *s, const struct scu_in *in, struct scu_out *out) {
  if (s->r.control_only) memset(out, 0, offsetof(struct scu_out, dispatch_data_o));
  else memset(out, 0, sizeof *out);
  const struct scu_control c = control_of(s);
  if (!c.busy_q) return;
  out->request_valid_o = scu_requests(&c);
  for (unsigned o = 0; o < SCU_OPERANDS; o++) out->request_addr_o[o] = out->request_valid_o >> o & 1 ? s->addr_q[o] : 0;
  out->busy_o = 1;
  if (in->response_valid_i) scu_eval_fetch(s, in, out);
  if (!scu_complete_units(&c)) return;
  out->dispatch_valid_o = 1;
  out->dispatch_convert_o = to_convert(&c) != 0;
  out->dispatch_meta_o = s->meta_q;
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (!(s->r.source_q >> o & 1)) continue;
    BLOCK_INVARIANT(s->r.located_q >> o & 1);
    if (!s->r.control_only) memcpy(out->dispatch_data_o[o], s->data_q[o], sizeof s->data_q[o]);
  }
}

void scu_tick(struct scu *s, const struct scu_in *in) {
  struct scu_control c = control_of(s);
  struct scu_control_in i = {.allocate_valid_i = in->allocate_valid_i,
                             .dispatch_take_i = in->dispatch_take_i,
                             .allocate_source_i = in->allocate_source_i,
                             .allocate_signed_i = in->allocate_signed_i,
                             .allocate_convert_i = in->allocate_convert_i,
                             .grant_i = in->grant_i,
                             .response_valid_i = in->response_valid_i,
                             .part_valid_i = in->part_valid_i << in->part_operand_i};
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (!(in->response_valid_i >> o & 1)) continue;
    s->r.entry_q[o] = in->response_entry_i[o];
    i.two_i |= two_parts(in->response_entry_i[o]) << o;
    i.narrow_i |= is_narrow(in->response_entry_i[o]) << o;
  }
  if (in->part_valid_i && in->part_operand_i < SCU_OPERANDS && !s->r.control_only)
    scu_merge_part(s->data_q[in->part_operand_i], in->part_data_i, c.half_q >> in->part_operand_i & 1);
  scu_step_units(&c, &i);
  control_put(s, &c, 0);
  if (!in->allocate_valid_i) return;
  memcpy(s->addr_q, in->allocate_addr_i, sizeof s->addr_q);
  s->meta_q = in->allocate_meta_i;
}

/* ---- the bank ---- */

void scu_bank_reset(struct scu_bank *s) { memset(s, 0, sizeof *s); }

void scu_bank_eval(const struct scu_bank *s, const struct scu_bank_in *in, struct scu_bank_out *out) {
  const struct scu_control *c = &s->r.c;
  out->request_valid_o = scu_requests(c);
  out->busy_o = c->busy_q;
  out->dispatch_valid_o = scu_complete_units(c);
  out->dispatch_convert_o = to_convert(c);
  memcpy(out->request_addr_o, s->addr_q, sizeof s->addr_q);
  out->fetch_valid_o[0] = in->response_valid_i & operands_of(c->busy_q);
  out->fetch_valid_o[1] = 0;
  for (uint64_t m = out->fetch_valid_o[0]; m; m &= m - 1) {
    const unsigned q = (unsigned)bit_low64(m);
    out->fetch_valid_o[1] |= two_parts(in->response_entry_i[q]) << q;
    out->fetch_register_o[0][q] = (uint8_t)entry_r(in->response_entry_i[q], false);
    out->fetch_register_o[1][q] = (uint8_t)entry_r(in->response_entry_i[q], true);
  }
  if (s->r.control_only) return;
  for (uint64_t m = c->source_q & operands_of(out->dispatch_valid_o); m; m &= m - 1) {
    const unsigned q = (unsigned)bit_low64(m);
    memcpy(out->dispatch_data_o[q], s->data_q[q], sizeof s->data_q[q]);
  }
}

void scu_bank_tick(struct scu_bank *s, const struct scu_bank_in *in) {
  struct scu_control_in i = in->c;
  i.two_i = i.narrow_i = 0;
  for (uint64_t m = in->response_valid_i; m; m &= m - 1) {
    const unsigned q = (unsigned)bit_low64(m);
    const uint32_t e = in->response_entry_i[q];
    s->entry_q[q] = e;
    i.two_i |= two_parts(e) << q;
    i.narrow_i |= is_narrow(e) << q;
  }
  for (uint64_t m = s->r.control_only ? 0 : in->part_valid_i; m; m &= m - 1) {
    const unsigned q = (unsigned)bit_low64(m);
    scu_merge_part(s->data_q[q], in->part_data_i[q / SCU_OPERANDS], s->r.c.half_q >> q & 1);
  }
  scu_step_units(&s->r.c, &i);
  for (uint64_t m = in->allocate_valid_i; m; m &= m - 1) {
    const unsigned at = (unsigned)bit_low64(m), k = at / SCU_OPERANDS;
    memcpy(s->addr_q + at, in->allocate_addr_i + at, SCU_OPERANDS);
    s->meta_q[k] = in->allocate_meta_i[k];
  }
}

static void unit_state(const struct scu_bank *s, unsigned k, struct scu *u) {
  const unsigned at = SCU_OPERANDS * k;
  control_put(u, &s->r.c, k);
  u->r.control_only = s->r.control_only;
  for (unsigned o = 0; o < SCU_OPERANDS; o++) u->r.entry_q[o] = s->entry_q[at + o];
  memcpy(u->addr_q, s->addr_q + at, sizeof u->addr_q);
  u->meta_q = s->meta_q[k];
  memcpy(u->data_q, s->data_q[at], sizeof u->data_q);
}

static void unit_inputs(const struct scu_bank_in *in, unsigned k, struct scu_in *u) {
  const unsigned at = SCU_OPERANDS * k;
  const uint64_t d = of_unit(in->part_valid_i, k);
  *u = (struct scu_in){.allocate_valid_i = in->allocate_valid_i >> at & 1,
                       .allocate_source_i = of_unit(in->allocate_source_i, k),
                       .allocate_signed_i = of_unit(in->allocate_signed_i, k),
                       .allocate_convert_i = of_unit(in->allocate_convert_i, k),
                       .allocate_meta_i = in->allocate_meta_i[k],
                       .grant_i = of_unit(in->grant_i, k),
                       .response_valid_i = of_unit(in->response_valid_i, k),
                       .part_valid_i = d != 0,
                       .part_operand_i = d ? (uint64_t)bit_low64(d) : 0,
                       .dispatch_take_i = in->dispatch_take_i >> at & 1};
  memcpy(u->allocate_addr_i, in->allocate_addr_i + at, sizeof u->allocate_addr_i);
  memcpy(u->response_entry_i, in->response_entry_i + at, sizeof u->response_entry_i);
  memcpy(u->part_data_i, in->part_data_i[k], sizeof u->part_data_i);
}

void scu_bank_unit(const struct scu_bank *s, const struct scu_bank_in *in, const struct scu_bank_out *out, unsigned k,
                   struct scu *u, struct scu_in *u_in, struct scu_out *u_out) {
  const unsigned at = SCU_OPERANDS * k;
  memset(u, 0, sizeof *u);
  unit_state(s, k, u);
  unit_inputs(in, k, u_in);
  memset(u_out, 0, sizeof *u_out);
  u_out->request_valid_o = of_unit(out->request_valid_o, k);
  for (unsigned o = 0; o < SCU_OPERANDS; o++)
    u_out->request_addr_o[o] = u_out->request_valid_o >> o & 1 ? out->request_addr_o[at + o] : 0;
  u_out->busy_o = out->busy_o >> at & 1;
  for (unsigned i = 0; i < 2 * SCU_OPERANDS; i++) {
    const unsigned o = i / 2, part = i % 2, q = at + o;
    if (!(out->fetch_valid_o[part] >> q & 1)) continue;
    u_out->fetch_valid_o[o] = (uint8_t)(u_out->fetch_valid_o[o] | 1u << part);
    u_out->fetch_register_o[o][part] = out->fetch_register_o[part][q];
    u_out->fetch_entry_o[o] = in->response_entry_i[q];
    u_out->fetch_signed_o |= u->r.signed_q & 1ull << o;
  }
  if (!(out->dispatch_valid_o >> at & 1)) return;
  u_out->dispatch_valid_o = 1;
  u_out->dispatch_convert_o = (of_unit(out->dispatch_convert_o, k)) != 0;
  u_out->dispatch_meta_o = u->meta_q;
  for (unsigned o = 0; o < SCU_OPERANDS; o++)
    if (u->r.source_q >> o & 1) memcpy(u_out->dispatch_data_o[o], out->dispatch_data_o[at + o], 128);
}

void scu_bank_put(struct scu_bank_out *out, unsigned k, const struct scu_out *u) {
  const unsigned at = SCU_OPERANDS * k;
  put_unit(&out->request_valid_o, k, u->request_valid_o);
  put_unit(&out->busy_o, k, u->busy_o);
  put_unit(&out->dispatch_valid_o, k, u->dispatch_valid_o);
  if (!u->dispatch_convert_o) put_unit(&out->dispatch_convert_o, k, 0);
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    const unsigned q = at + o;
    out->request_addr_o[q] = u->request_addr_o[o];
    for (unsigned part = 0; part < 2; part++) {
      out->fetch_valid_o[part] = (out->fetch_valid_o[part] & ~(1ull << q)) | (uint64_t)(u->fetch_valid_o[o] >> part & 1)
                                                                                 << q;
      out->fetch_register_o[part][q] = u->fetch_register_o[o][part];
    }
    memcpy(out->dispatch_data_o[q], u->dispatch_data_o[o], 128);
  }
}
