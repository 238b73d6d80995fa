/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scu: collector unit with indirection. docs/blocks/slice/scu.md. Registers keep their value until the event
 * that writes them: dp_take clears busy_q only, info_q and the data are stale until the next look-up and
 * part, and the outputs hide that.
 */
#include "blocks/slice/scu.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"
#include "blocks/slice/entry.h"

/* ---- control of N units ---- */

static uint64_t operands_of(uint64_t units) { return units * 7; }
static uint64_t units_of(uint64_t operands) {
  return (operands | operands >> 1 | operands >> 2) & 0x1249249249249249ull;
}

static uint64_t requests(const struct scu_control *c) { return c->sv_q & ~c->loc_q & operands_of(c->busy_q); }
static uint64_t complete(const struct scu_control *c) { return c->busy_q & ~units_of(c->sv_q & ~c->rdy_q); }
static uint64_t to_convert(const struct scu_control *c) {
  return c->sv_q & c->cvt_q & c->narrow & operands_of(complete(c));
}

/* What an entry says: has it a second part, is it narrow. */
static uint64_t two_parts(uint32_t e) { return entry_m(e, true) != 0; }
static uint64_t is_narrow(uint32_t e) { return entry_n(e) < SLICE_NIBBLES; }

static void step(struct scu_control *c, const struct scu_control_in *in) {
  BLOCK_RULE(!(in->gn_i & ~requests(c)));
  BLOCK_RULE(!(in->rs_v_i & ~(operands_of(c->busy_q) & c->loc_q & ~c->answered)));
  BLOCK_RULE(!(in->al_v_i & c->busy_q));
  BLOCK_RULE(!(in->dp_take_i & ~complete(c)));
  BLOCK_RULE(!(in->d_v_i & ~(c->answered & ~c->rdy_q))); /* a part follows its look-up */
  const uint64_t first_of_two = in->d_v_i & c->two & ~c->half_q, new = operands_of(in->al_v_i);
  c->half_q = (c->half_q | first_of_two) & ~new;
  c->rdy_q = (c->rdy_q | (in->d_v_i & ~first_of_two)) & ~new;
  c->loc_q = (c->loc_q | in->gn_i) & ~new;
  c->answered = (c->answered | in->rs_v_i) & ~new;
  c->two = (c->two & ~in->rs_v_i) | in->two_i;
  c->narrow = (c->narrow & ~in->rs_v_i) | in->narrow_i;
  c->busy_q = (c->busy_q & ~in->dp_take_i) | in->al_v_i;
  c->sv_q = (c->sv_q & ~new) | (in->al_sv_i & new);
  c->sgn_q = (c->sgn_q & ~new) | (in->al_sgn_i & new);
  c->cvt_q = (c->cvt_q & ~new) | (in->al_cvt_i & new);
}

/* A part's data, OR-ed to those of the first. */
static void merge(uint32_t d[restrict 32], const uint32_t part[restrict 32], bool second) {
  for (int l = 0; l < 32; l++) d[l] = (second ? d[l] : 0) | part[l];
}

/* ---- one unit ---- */

static struct scu_control control_of(const struct scu *s) {
  return (struct scu_control){.busy_q = s->busy_q,
                              .sv_q = s->r.sv_q,
                              .sgn_q = s->r.sgn_q,
                              .cvt_q = s->r.cvt_q,
                              .loc_q = s->r.loc_q,
                              .half_q = s->r.half_q,
                              .rdy_q = s->r.rdy_q,
                              .two = s->two,
                              .narrow = s->narrow,
                              .answered = s->answered};
}
/* Unit k of c. */
static void control_put(struct scu *s, const struct scu_control *c, unsigned k) {
  const unsigned at = SCU_OPERANDS * k;
  s->busy_q = c->busy_q >> at & 1;
  s->r.sv_q = c->sv_q >> at & 7;
  s->r.sgn_q = c->sgn_q >> at & 7;
  s->r.cvt_q = c->cvt_q >> at & 7;
  s->r.loc_q = c->loc_q >> at & 7;
  s->r.half_q = c->half_q >> at & 7;
  s->r.rdy_q = c->rdy_q >> at & 7;
  s->two = c->two >> at & 7;
  s->narrow = c->narrow >> at & 7;
  s->answered = c->answered >> at & 7;
}

static uint64_t bytes(uint64_t operands) {
  static const uint32_t mask[8] = {0, 0xff, 0xff00, 0xffff, 0xff0000, 0xff00ff, 0xffff00, 0xffffff};
  return mask[operands & 7];
}

void scu_reset(struct scu *s) { *s = (struct scu){0}; }

/* The fetches that the SIT's responses start in this cycle. */
static void fetch(const struct scu *s, const struct scu_in *in, struct scu_out *out) {
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (!(in->rs_v_i >> o & 1)) continue;
    const uint32_t e = in->rs_e_i[o];
    out->rf_e_o[o] = e;
    for (unsigned part = 0; part < 1 + two_parts(e); part++) {
      out->rf_v_o |= 1ull << (2 * o + part);
      out->rf_r_o |= (uint64_t)entry_r(e, part) << 8 * (2 * o + part);
    }
  }
  out->rf_sgn_o = s->r.sgn_q & in->rs_v_i;
}

void scu_eval(const struct scu *s, const struct scu_in *in, struct scu_out *out) {
  if (s->r.control_only) memset(out, 0, offsetof(struct scu_out, dp_d_o));
  else memset(out, 0, sizeof *out);
  const struct scu_control c = control_of(s);
  if (!c.busy_q) return;
  out->rq_v_o = requests(&c);
  out->rq_a_o = s->a_q & bytes(out->rq_v_o);
  out->busy_o = 1;
  if (in->rs_v_i) fetch(s, in, out);
  if (!complete(&c)) return;
  out->dp_v_o = 1;
  out->dp_vc_o = to_convert(&c) != 0;
  out->dp_meta_o = s->meta_q;
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (!(s->r.sv_q >> o & 1)) continue;
    BLOCK_INVARIANT(s->r.loc_q >> o & 1);
    if (!s->r.control_only) memcpy(&out->dp_d_o[32 * o], s->d_q[o], sizeof s->d_q[o]);
  }
}

void scu_tick(struct scu *s, const struct scu_in *in) {
  struct scu_control c = control_of(s);
  struct scu_control_in i = {.al_v_i = in->al_v_i,
                             .dp_take_i = in->dp_take_i,
                             .al_sv_i = in->al_sv_i,
                             .al_sgn_i = in->al_sgn_i,
                             .al_cvt_i = in->al_cvt_i,
                             .gn_i = in->gn_i,
                             .rs_v_i = in->rs_v_i,
                             .d_v_i = in->d_v_i << in->d_op_i};
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (!(in->rs_v_i >> o & 1)) continue;
    s->r.info_q[o] = in->rs_e_i[o];
    i.two_i |= two_parts(in->rs_e_i[o]) << o;
    i.narrow_i |= is_narrow(in->rs_e_i[o]) << o;
  }
  if (in->d_v_i && in->d_op_i < SCU_OPERANDS && !s->r.control_only)
    merge(s->d_q[in->d_op_i], in->d_d_i, c.half_q >> in->d_op_i & 1);
  step(&c, &i);
  control_put(s, &c, 0);
  if (!in->al_v_i) return;
  s->a_q = in->al_a_i;
  s->meta_q = in->al_meta_i;
}

/* ---- the bank ---- */

void scu_bank_reset(struct scu_bank *s) { memset(s, 0, sizeof *s); }

void scu_bank_eval(const struct scu_bank *s, const struct scu_bank_in *in, struct scu_bank_out *out) {
  const struct scu_control *c = &s->r.c;
  out->rq_v_o = requests(c);
  out->busy_o = c->busy_q;
  out->dp_v_o = complete(c);
  out->dp_vc_o = to_convert(c);
  memcpy(out->rq_a_o, s->a_q, sizeof s->a_q);
  out->rf_v_o[0] = in->rs_v_i & operands_of(c->busy_q);
  out->rf_v_o[1] = 0;
  for (uint64_t m = out->rf_v_o[0]; m; m &= m - 1) {
    const unsigned q = (unsigned)bit_low64(m);
    out->rf_v_o[1] |= two_parts(in->rs_e_i[q]) << q;
    out->rf_r_o[0][q] = (uint8_t)entry_r(in->rs_e_i[q], false);
    out->rf_r_o[1][q] = (uint8_t)entry_r(in->rs_e_i[q], true);
  }
  if (s->r.control_only) return;
  for (uint64_t m = c->sv_q & operands_of(out->dp_v_o); m; m &= m - 1) {
    const unsigned q = (unsigned)bit_low64(m);
    memcpy(out->dp_d_o[q], s->d_q[q], sizeof s->d_q[q]);
  }
}

void scu_bank_tick(struct scu_bank *s, const struct scu_bank_in *in) {
  struct scu_control_in i = in->c;
  i.two_i = i.narrow_i = 0;
  for (uint64_t m = in->rs_v_i; m; m &= m - 1) {
    const unsigned q = (unsigned)bit_low64(m);
    const uint32_t e = in->rs_e_i[q];
    s->info_q[q] = e;
    i.two_i |= two_parts(e) << q;
    i.narrow_i |= is_narrow(e) << q;
  }
  for (uint64_t m = s->r.control_only ? 0 : in->d_v_i; m; m &= m - 1) {
    const unsigned q = (unsigned)bit_low64(m);
    merge(s->d_q[q], in->d_d_i[q / SCU_OPERANDS], s->r.c.half_q >> q & 1);
  }
  step(&s->r.c, &i);
  for (uint64_t m = in->al_v_i; m; m &= m - 1) {
    const unsigned at = (unsigned)bit_low64(m), k = at / SCU_OPERANDS;
    memcpy(s->a_q + at, in->al_a_i + at, SCU_OPERANDS);
    s->meta_q[k] = in->al_meta_i[k];
  }
}

static uint64_t three_bytes(const uint8_t *a) { return a[0] | (uint64_t)a[1] << 8 | (uint64_t)a[2] << 16; }

static void unit_state(const struct scu_bank *s, unsigned k, struct scu *u) {
  const unsigned at = SCU_OPERANDS * k;
  control_put(u, &s->r.c, k);
  u->r.control_only = s->r.control_only;
  for (unsigned o = 0; o < SCU_OPERANDS; o++) u->r.info_q[o] = s->info_q[at + o];
  u->a_q = three_bytes(s->a_q + at);
  u->meta_q = s->meta_q[k];
  memcpy(u->d_q, s->d_q[at], sizeof u->d_q);
}

static void unit_inputs(const struct scu_bank_in *in, unsigned k, struct scu_in *u) {
  const unsigned at = SCU_OPERANDS * k;
  const uint64_t d = in->d_v_i >> at & 7;
  *u = (struct scu_in){.al_v_i = in->al_v_i >> at & 1,
                       .al_sv_i = in->al_sv_i >> at & 7,
                       .al_a_i = three_bytes(in->al_a_i + at),
                       .al_sgn_i = in->al_sgn_i >> at & 7,
                       .al_cvt_i = in->al_cvt_i >> at & 7,
                       .al_meta_i = in->al_meta_i[k],
                       .gn_i = in->gn_i >> at & 7,
                       .rs_v_i = in->rs_v_i >> at & 7,
                       .d_v_i = d != 0,
                       .d_op_i = d ? (uint64_t)bit_low64(d) : 0,
                       .dp_take_i = in->dp_take_i >> at & 1};
  memcpy(u->rs_e_i, in->rs_e_i + at, sizeof u->rs_e_i);
  memcpy(u->d_d_i, in->d_d_i[k], sizeof u->d_d_i);
}

void scu_bank_unit(const struct scu_bank *s, const struct scu_bank_in *in, const struct scu_bank_out *out, unsigned k,
                   struct scu *u, struct scu_in *u_in, struct scu_out *u_out) {
  const unsigned at = SCU_OPERANDS * k;
  memset(u, 0, sizeof *u);
  unit_state(s, k, u);
  unit_inputs(in, k, u_in);
  memset(u_out, 0, sizeof *u_out);
  u_out->rq_v_o = out->rq_v_o >> at & 7;
  u_out->rq_a_o = three_bytes((const uint8_t *)out->rq_a_o + at) & bytes(u_out->rq_v_o);
  u_out->busy_o = out->busy_o >> at & 1;
  for (unsigned i = 0; i < 2 * SCU_OPERANDS; i++) {
    const unsigned q = at + i / 2;
    if (!(out->rf_v_o[i % 2] >> q & 1)) continue;
    u_out->rf_v_o |= 1ull << i;
    u_out->rf_r_o |= (uint64_t)out->rf_r_o[i % 2][q] << 8 * i;
    u_out->rf_e_o[i / 2] = in->rs_e_i[q];
    u_out->rf_sgn_o |= u->r.sgn_q & 1ull << i / 2;
  }
  if (!(out->dp_v_o >> at & 1)) return;
  u_out->dp_v_o = 1;
  u_out->dp_vc_o = (out->dp_vc_o >> at & 7) != 0;
  u_out->dp_meta_o = u->meta_q;
  for (unsigned o = 0; o < SCU_OPERANDS; o++)
    if (u->r.sv_q >> o & 1) memcpy(u_out->dp_d_o + 32 * o, out->dp_d_o[at + o], 128);
}

static void field(uint64_t *mask, unsigned at, uint64_t value) { *mask = (*mask & ~(7ull << at)) | value << at; }

void scu_bank_put(struct scu_bank_out *out, unsigned k, const struct scu_out *u) {
  const unsigned at = SCU_OPERANDS * k;
  field(&out->rq_v_o, at, u->rq_v_o);
  field(&out->busy_o, at, u->busy_o);
  field(&out->dp_v_o, at, u->dp_v_o);
  if (!u->dp_vc_o) field(&out->dp_vc_o, at, 0);
  for (unsigned o = 0; o < SCU_OPERANDS; o++) ((uint8_t *)out->rq_a_o)[at + o] = (uint8_t)(u->rq_a_o >> 8 * o);
  for (unsigned i = 0; i < 2 * SCU_OPERANDS; i++) {
    const unsigned q = at + i / 2;
    out->rf_v_o[i % 2] = (out->rf_v_o[i % 2] & ~(1ull << q)) | (u->rf_v_o >> i & 1) << q;
    out->rf_r_o[i % 2][q] = (uint8_t)(u->rf_r_o >> 8 * i);
  }
  for (unsigned o = 0; o < SCU_OPERANDS; o++) memcpy(out->dp_d_o[at + o], u->dp_d_o + 32 * o, 128);
}
