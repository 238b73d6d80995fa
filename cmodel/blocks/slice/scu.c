/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scu: collector unit with indirection. docs/blocks/slice/scu.md. Registers keep their value until the event
 * that writes them: dp_take clears busy_q only, info_q and the data are stale until the next look-up and
 * part, and the outputs hide that.
 */
#include "blocks/slice/scu.h"

#include <stddef.h>
#include <string.h>

#include "blocks/rules.h"
#include "blocks/slice/entry.h"

static uint64_t requests(const struct scu *s) { return s->busy_q ? s->r.sv_q & ~s->r.loc_q : 0; }
static bool complete(const struct scu *s) { return s->busy_q && !(s->r.sv_q & ~s->r.rdy_q); }

void scu_reset(struct scu *s) { *s = (struct scu){0}; }

/* The fetches that the SIT's responses start in this cycle. */
static void fetch(const struct scu *s, const struct scu_in *in, struct scu_out *out) {
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (!(in->rs_v_i >> o & 1)) continue;
    const uint32_t e = in->rs_e_i[o];
    out->rf_e_o[o] = e;
    for (unsigned part = 0; part < 2; part++) {
      if (part && !entry_m(e, true)) continue;
      out->rf_v_o |= 1ull << (2 * o + part);
      out->rf_r_o |= (uint64_t)entry_r(e, part) << 8 * (2 * o + part);
    }
  }
  out->rf_sgn_o = s->r.sgn_q & in->rs_v_i;
}

static void dispatch(const struct scu *s, struct scu_out *out) {
  out->dp_v_o = 1;
  out->dp_meta_o = s->meta_q;
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (!(s->r.sv_q >> o & 1)) continue;
    BLOCK_INVARIANT(s->r.loc_q >> o & 1);
    out->dp_vc_o |= s->r.cvt_q >> o & 1 && entry_n((uint32_t)s->r.info_q[o]) < SLICE_NIBBLES;
    if (!s->r.control_only) memcpy(&out->dp_d_o[32 * o], s->d_q[o], sizeof s->d_q[o]);
  }
}

void scu_eval(const struct scu *s, const struct scu_in *in, struct scu_out *out) {
  static const uint32_t bytes[8] = {0, 0xff, 0xff00, 0xffff, 0xff0000, 0xff00ff, 0xffff00, 0xffffff};
  if (s->r.control_only) memset(out, 0, offsetof(struct scu_out, dp_d_o));
  else memset(out, 0, sizeof *out);
  if (!s->busy_q) return;
  out->rq_v_o = requests(s);
  out->rq_a_o = s->a_q & bytes[out->rq_v_o];
  out->busy_o = 1;
  if (in->rs_v_i) fetch(s, in, out);
  if (complete(s)) dispatch(s, out);
}

static void part_arrives(struct scu *s, const struct scu_in *in) {
  const unsigned o = (unsigned)in->d_op_i;
  const uint64_t bit = 1ull << o;
  BLOCK_RULE(o < SCU_OPERANDS && s->answered & bit && !(s->r.rdy_q & bit));
  const bool second = s->r.half_q & bit, first_of_two = !second && entry_m((uint32_t)s->r.info_q[o], true);
  if (!s->r.control_only) {
    for (int l = 0; l < 32; l++) s->d_q[o][l] = (second ? s->d_q[o][l] : 0) | in->d_d_i[l];
  }
  if (first_of_two) s->r.half_q |= bit;
  else s->r.rdy_q |= bit;
}

void scu_tick(struct scu *s, const struct scu_in *in) {
  BLOCK_RULE(!(in->gn_i & ~requests(s)));
  BLOCK_RULE(!(in->rs_v_i & ~(s->busy_q ? s->r.loc_q & ~s->answered : 0)));
  BLOCK_RULE(!in->al_v_i || !s->busy_q);
  BLOCK_RULE(!in->dp_take_i || complete(s));
  if (in->d_v_i) part_arrives(s, in); /* before answered changes: a part follows its look-up */
  for (unsigned o = 0; o < SCU_OPERANDS; o++) {
    if (in->rs_v_i >> o & 1) s->r.info_q[o] = in->rs_e_i[o];
  }
  s->answered |= in->rs_v_i;
  s->r.loc_q |= in->gn_i;
  if (in->dp_take_i) s->busy_q = 0;
  if (in->al_v_i) {
    s->busy_q = 1;
    s->r.sv_q = in->al_sv_i;
    s->r.sgn_q = in->al_sgn_i;
    s->r.cvt_q = in->al_cvt_i;
    s->r.loc_q = s->r.half_q = s->r.rdy_q = s->answered = 0;
    s->a_q = in->al_a_i;
    s->meta_q = in->al_meta_i;
  }
}
