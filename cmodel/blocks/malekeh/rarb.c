/* SPDX-License-Identifier: Apache-2.0 */
/* rarb: bank arbiter. docs/blocks/malekeh/rarb.md. */
#include "blocks/malekeh/rarb.h"

#include <string.h>

#include "blocks/rules.h"

enum { SLOTS = rarb_Noct, ALL_SLOTS = (1 << SLOTS) - 1 };

static uint64_t field(uint64_t port, unsigned k, unsigned bits) { return port >> bits * k & ((1ull << bits) - 1); }
static uint64_t pending(const struct rarb *s, uint64_t u) { return s->r.pend_q >> SLOTS * u & ALL_SLOTS; }

void rarb_size(struct rarb *s, const struct rarb_params *p) {
  BLOCK_RULE(bit_count64(p->Nccu) == 1 && p->Nccu >= 2 && p->Nccu <= rarb_Nccu_most);
  BLOCK_RULE(bit_count64(p->Nbank) == 1 && p->Nbank >= 2 && p->Nbank <= rarb_Nbank_most);
  BLOCK_RULE(bit_count64(p->Nwb) == 1 && p->Nwb >= 2 && p->Nwb <= rarb_Nwb_most);
  s->size = *p;
  s->unit_bits = (unsigned)bit_low64(p->Nccu);
  s->bank_bits = (unsigned)bit_low64(p->Nbank);
}

void rarb_reset(struct rarb *s) {
  memset(s, 0, sizeof *s);
  const struct rarb_params p = rarb_defaults();
  rarb_size(s, &p);
}

/* The lanes that are accepted if they want to be; the banks that are written. */
static uint64_t accepted(const struct rarb *s, const struct rarb_in *in, uint64_t *written) {
  uint64_t rdy = 0;
  *written = 0;
  if (!in->wb_v_i) return (1ull << s->size.Nwb) - 1;
  for (unsigned k = 0; k < s->size.Nwb; k++) {
    const uint64_t bank = 1ull << field(in->wb_b_i, k, s->bank_bits);
    if (!(*written & bank)) rdy |= 1ull << k;
    if (in->wb_v_i >> k & 1) *written |= bank;
  }
  return rdy;
}

/* The unit that requests in this cycle. */
static struct rarb_unit asking(const struct rarb *s, const struct rarb_in *in) {
  struct rarb_unit q = {.r = in->rq_r_i, .ct = in->rq_ct_i};
  for (uint64_t m = in->rq_v_i; m; m &= m - 1) {
    const uint64_t b = field(in->rq_b_i, (unsigned)bit_low64(m), s->bank_bits);
    q.banks |= (uint8_t)(1u << b);
    q.at[b] |= (uint8_t)(m & -m);
  }
  return q;
}

/* Unit u: `closed` are the banks that are written or that older units wait for. */
static void grant(const struct rarb *s, uint64_t u, const struct rarb_unit *q, uint64_t closed, struct rarb_out *out) {
  const uint64_t candidates = q->banks & ~closed;
  if (!candidates) return;
  const unsigned b = (unsigned)bit_from64(candidates, (int)s->r.pp_q), k = (unsigned)bit_low32(q->at[b]);
  out->rd_v_o |= 1ull << b;
  out->rd_u_o |= u << s->unit_bits * b;
  out->rd_r_o |= field(q->r, k, 8) << 8 * b;
  out->s_v_o |= 1ull << u;
  out->s_ct_o |= field(q->ct, k, 3) << 3 * u;
  out->s_b_o |= (uint64_t)b << s->bank_bits * u;
}

void rarb_eval(const struct rarb *s, const struct rarb_in *in, struct rarb_out *out) {
  uint64_t closed;
  *out = (struct rarb_out){.wb_rdy_o = accepted(s, in, &closed)};
  for (unsigned i = 0; i < s->waiting; i++) {
    const struct rarb_unit *q = &s->unit[s->order[i]];
    grant(s, s->order[i], q, closed, out);
    closed |= q->banks;
  }
  if (!in->rq_v_i) return;
  const struct rarb_unit q = asking(s, in);
  grant(s, in->rq_u_i, &q, closed, out);
}

static void take_requests(struct rarb *s, const struct rarb_in *in) {
  const uint64_t u = in->rq_u_i;
  BLOCK_RULE(!pending(s, u));
  s->unit[u] = asking(s, in);
  s->r.pend_q |= in->rq_v_i << SLOTS * u;
  s->order[s->waiting++] = (uint8_t)u;
}

/* The lowest slot of the unit that waits for this bank is served. */
static void serve(struct rarb *s, uint64_t u, uint64_t b) {
  struct rarb_unit *q = &s->unit[u];
  BLOCK_INVARIANT(q->banks >> b & 1 && q->at[b]);
  const unsigned k = (unsigned)bit_low32(q->at[b]);
  s->r.pend_q &= ~(1ull << (SLOTS * u + k));
  q->at[b] &= (uint8_t)(q->at[b] - 1);
  if (!q->at[b]) q->banks &= (uint8_t) ~(1u << b);
}

/* Units that have nothing more to wait for leave the order. */
static void close_up(struct rarb *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < s->waiting; i++) {
    const uint8_t u = s->order[i];
    BLOCK_INVARIANT((pending(s, u) != 0) == (s->unit[u].banks != 0));
    if (pending(s, u)) s->order[n++] = u;
  }
  memset(s->order + n, 0, s->waiting - n);
  s->waiting = n;
}

void rarb_advance(struct rarb *s, const struct rarb_in *in, const struct rarb_out *out) {
  uint64_t written, banks = 0;
  if (!s->waiting && !in->rq_v_i) return;
  (void)accepted(s, in, &written);
  BLOCK_INVARIANT(!(out->rd_v_o & written) && bit_count64(out->rd_v_o) == bit_count64(out->s_v_o));
  if (in->rq_v_i) take_requests(s, in);
  for (unsigned i = 0; i < s->waiting; i++) banks |= s->unit[s->order[i]].banks;
  for (uint64_t m = out->s_v_o; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m);
    serve(s, u, field(out->s_b_o, u, s->bank_bits));
  }
  close_up(s);
  /* A unit with candidates is granted one: a candidate that is not read is one more of its unit. */
  if (banks & ~written & ~out->rd_v_o) s->r.pp_q = (s->r.pp_q + 1) & (s->size.Nbank - 1);
}

void rarb_tick(struct rarb *s, const struct rarb_in *in) {
  struct rarb_out out;
  rarb_eval(s, in, &out);
  rarb_advance(s, in, &out);
}

uint64_t rarb_idle(const struct rarb *s) { return s->r.pend_q ? 0 : UINT64_MAX; }
