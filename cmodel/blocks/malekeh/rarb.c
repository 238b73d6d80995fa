/* SPDX-License-Identifier: Apache-2.0 */
/* rarb: bank arbiter. docs/blocks/malekeh/rarb.md. */
#include "blocks/malekeh/rarb.h"

#include <stdbool.h>
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
  rarb_size(s, &(struct rarb_params){.Nccu = rarb_Nccu, .Nbank = rarb_Nbank, .Nwb = rarb_Nwb, .Noct = rarb_Noct});
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

static struct rarb_request request(const struct rarb *s, const struct rarb_in *in, unsigned k) {
  return (struct rarb_request){.r = (uint8_t)(in->rq_r_i >> 8 * k),
                               .ct = (uint8_t)(in->rq_ct_i >> 3 * k & 7),
                               .b = (uint8_t)field(in->rq_b_i, k, s->bank_bits)};
}

/* What a cycle decides. */
struct grants {
  uint64_t slots;                         /* as pend_q */
  struct rarb_request of[rarb_Nccu_most]; /* of the units that are granted one */
  bool conflict;                          /* some unit had more than one candidate */
};

/* The unit behind those whose banks of `headed` have a head: its slots wait with these requests. */
static void choose(const struct rarb *s, uint64_t u, uint64_t slots, const struct rarb_request *q, uint64_t written,
                   uint64_t *headed, struct grants *g) {
  uint64_t banks = 0;
  uint8_t lowest[rarb_Nbank_most];
  for (uint64_t m = slots; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m), b = q[k].b;
    if (!(banks >> b & 1)) lowest[b] = (uint8_t)k;
    banks |= 1ull << b;
  }
  const uint64_t candidates = banks & ~*headed & ~written;
  *headed |= banks;
  if (!candidates) return;
  const unsigned k = lowest[bit_from64(candidates, (int)s->r.pp_q)];
  g->slots |= 1ull << (SLOTS * u + k);
  g->of[u] = q[k];
  g->conflict |= bit_count64(candidates) > 1;
}

static struct grants decide(const struct rarb *s, const struct rarb_in *in, uint64_t written) {
  struct grants g = {0};
  uint64_t headed = 0;
  for (unsigned i = 0; i < s->waiting; i++) {
    const uint64_t u = s->order[i];
    choose(s, u, pending(s, u), s->request[u], written, &headed, &g);
  }
  if (in->rq_v_i) {
    struct rarb_request q[SLOTS];
    for (unsigned k = 0; k < SLOTS; k++) q[k] = request(s, in, k);
    choose(s, in->rq_u_i, in->rq_v_i, q, written, &headed, &g);
  }
  return g;
}

void rarb_eval(const struct rarb *s, const struct rarb_in *in, struct rarb_out *out) {
  uint64_t written;
  *out = (struct rarb_out){.wb_rdy_o = accepted(s, in, &written)};
  if (!s->waiting && !in->rq_v_i) return;
  const struct grants g = decide(s, in, written);
  for (uint64_t m = g.slots; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m) / SLOTS;
    const struct rarb_request q = g.of[u];
    out->rd_v_o |= 1ull << q.b;
    out->rd_u_o |= (uint64_t)u << s->unit_bits * q.b;
    out->rd_r_o |= (uint64_t)q.r << 8 * q.b;
    out->s_v_o |= 1ull << u;
    out->s_ct_o |= (uint64_t)q.ct << 3 * u;
    out->s_b_o |= (uint64_t)q.b << s->bank_bits * u;
  }
}

static void take_requests(struct rarb *s, const struct rarb_in *in) {
  const uint64_t u = in->rq_u_i;
  BLOCK_RULE(!pending(s, u));
  s->r.pend_q |= in->rq_v_i << SLOTS * u;
  for (uint64_t m = in->rq_v_i; m; m &= m - 1) s->request[u][bit_low64(m)] = request(s, in, (unsigned)bit_low64(m));
  s->order[s->waiting++] = (uint8_t)u;
}

/* Units that have nothing more to wait for leave the order. */
static void close_up(struct rarb *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < s->waiting; i++)
    if (pending(s, s->order[i])) s->order[n++] = s->order[i];
  memset(s->order + n, 0, s->waiting - n);
  s->waiting = n;
}

static void check(const struct rarb *s, const struct grants *g, uint64_t written) {
  uint64_t read = 0, units = 0;
  for (uint64_t m = g->slots; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m) / SLOTS;
    BLOCK_INVARIANT(!(units >> u & 1) && !((read | written) >> g->of[u].b & 1));
    units |= 1ull << u;
    read |= 1ull << g->of[u].b;
  }
  for (unsigned i = 0; i < s->waiting; i++) BLOCK_INVARIANT(pending(s, s->order[i]));
  BLOCK_INVARIANT(s->waiting <= s->size.Nccu && s->r.pp_q < s->size.Nbank);
  (void)written;
}

void rarb_tick(struct rarb *s, const struct rarb_in *in) {
  if (!s->waiting && !in->rq_v_i) return;
  uint64_t written;
  (void)accepted(s, in, &written);
  const struct grants g = decide(s, in, written);
  if (in->rq_v_i) take_requests(s, in);
  BLOCK_INVARIANT(!(g.slots & ~s->r.pend_q));
  s->r.pend_q &= ~g.slots;
  if (g.conflict) s->r.pp_q = (s->r.pp_q + 1) & (s->size.Nbank - 1);
  close_up(s);
  check(s, &g, written);
}

uint64_t rarb_idle(const struct rarb *s) { return s->r.pend_q ? 0 : UINT64_MAX; }
