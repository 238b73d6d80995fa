/* SPDX-License-Identifier: Apache-2.0 */
/* rarb: bank arbiter. docs/blocks/malekeh/rarb.md. */
#include "blocks/malekeh/rarb.h"

#include <string.h>

#include "blocks/rules.h"

void rarb_size(struct rarb *s, const struct rarb_params *p) {
  BLOCK_RULE(bit_count64(p->NumCollectors) == 1 && p->NumCollectors >= 2 &&
             p->NumCollectors <= rarb_NumCollectors_most);
  BLOCK_RULE(bit_count64(p->NumBanks) == 1 && p->NumBanks >= 2 && p->NumBanks <= rarb_NumBanks_most);
  BLOCK_RULE(bit_count64(p->NumResults) == 1 && p->NumResults >= 2 && p->NumResults <= rarb_NumResults_most);
  s->size = *p;
}

void rarb_reset(struct rarb *s) {
  memset(s, 0, sizeof *s);
  const struct rarb_params p = rarb_defaults();
  rarb_size(s, &p);
}

/* Returns the results that are accepted if they want to be, and in *written the banks that are written. */
static uint64_t rarb_accepted(const struct rarb *s, const struct rarb_in *in, uint64_t *written) {
  uint64_t ready = 0;
  *written = 0;
  if (!in->result_valid_i) return (1ull << s->size.NumResults) - 1;
  for (unsigned k = 0; k < s->size.NumResults; k++) {
    const uint64_t bank = 1ull << in->result_bank_i[k];
    if (!(*written & bank)) ready |= 1ull << k;
    if (in->result_valid_i >> k & 1) *written |= bank;
  }
  return ready;
}

/* Returns the requests of the unit that requests in this cycle. */
static struct rarb_unit rarb_requester(const struct rarb_in *in) {
  struct rarb_unit q = {0};
  memcpy(q.reg, in->request_register_i, sizeof q.reg);
  memcpy(q.entry, in->request_entry_i, sizeof q.entry);
  for (uint64_t m = in->request_valid_i; m; m &= m - 1) {
    const unsigned b = in->request_bank_i[bit_low64(m)];
    q.banks |= (uint8_t)(1u << b);
    q.at[b] |= (uint8_t)(m & -m);
  }
  return q;
}

/* Grants unit u a bank, if it can. `closed` are the banks that are written or that older units wait for. */
static void rarb_grant(const struct rarb *s, uint64_t u, const struct rarb_unit *q, uint64_t closed,
                       struct rarb_out *out) {
  const uint64_t candidates = q->banks & ~closed;
  if (!candidates) return;
  const unsigned b = (unsigned)bit_from64(candidates, (int)s->r.preferred_bank_q), k = (unsigned)bit_low32(q->at[b]);
  out->read_valid_o |= 1ull << b;
  out->read_collector_o[b] = (uint8_t)u;
  out->read_register_o[b] = q->reg[k];
  out->operand_valid_o |= 1ull << u;
  out->operand_entry_o[u] = q->entry[k];
  out->operand_bank_o[u] = (uint8_t)b;
}

void rarb_eval(const struct rarb *s, const struct rarb_in *in, struct rarb_out *out) {
  uint64_t closed;
  *out = (struct rarb_out){.result_ready_o = rarb_accepted(s, in, &closed)};
  for (unsigned i = 0; i < s->waiting; i++) {
    const struct rarb_unit *q = &s->unit[s->order[i]];
    rarb_grant(s, s->order[i], q, closed, out);
    closed |= q->banks;
  }
  if (!in->request_valid_i) return;
  const struct rarb_unit q = rarb_requester(in);
  rarb_grant(s, in->request_collector_i, &q, closed, out);
}

static void take_requests(struct rarb *s, const struct rarb_in *in) {
  const uint64_t u = in->request_collector_i;
  BLOCK_RULE(!s->r.pending_q[u]);
  s->unit[u] = rarb_requester(in);
  s->r.pending_q[u] = (uint8_t)in->request_valid_i;
  s->order[s->waiting++] = (uint8_t)u;
}

/* The lowest slot of the unit that waits for this bank is served. */
static void rarb_serve(struct rarb *s, uint64_t u, uint64_t b) {
  struct rarb_unit *q = &s->unit[u];
  BLOCK_INVARIANT(q->banks >> b & 1 && q->at[b]);
  const unsigned k = (unsigned)bit_low32(q->at[b]);
  s->r.pending_q[u] &= (uint8_t) ~(1u << k);
  q->at[b] &= (uint8_t)(q->at[b] - 1);
  if (!q->at[b]) q->banks &= (uint8_t) ~(1u << b);
}

/* Units that have nothing more to wait for leave the order. */
static void close_up(struct rarb *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < s->waiting; i++) {
    const uint8_t u = s->order[i];
    BLOCK_INVARIANT((s->r.pending_q[u] != 0) == (s->unit[u].banks != 0));
    if (s->r.pending_q[u]) s->order[n++] = u;
  }
  memset(s->order + n, 0, s->waiting - n);
  s->waiting = n;
}

void rarb_advance(struct rarb *s, const struct rarb_in *in, const struct rarb_out *out) {
  uint64_t written, banks = 0;
  if (!s->waiting && !in->request_valid_i) return;
  (void)rarb_accepted(s, in, &written);
  BLOCK_INVARIANT(!(out->read_valid_o & written) &&
                  bit_count64(out->read_valid_o) == bit_count64(out->operand_valid_o));
  if (in->request_valid_i) take_requests(s, in);
  for (unsigned i = 0; i < s->waiting; i++) banks |= s->unit[s->order[i]].banks;
  for (uint64_t m = out->operand_valid_o; m; m &= m - 1) {
    const unsigned u = (unsigned)bit_low64(m);
    rarb_serve(s, u, out->operand_bank_o[u]);
  }
  close_up(s);
  /* A unit with candidates is granted one: a candidate that is not read is one more of its unit. */
  if (banks & ~written & ~out->read_valid_o)
    s->r.preferred_bank_q = (s->r.preferred_bank_q + 1) & (s->size.NumBanks - 1);
}

void rarb_tick(struct rarb *s, const struct rarb_in *in) {
  struct rarb_out out;
  rarb_eval(s, in, &out);
  rarb_advance(s, in, &out);
}

uint64_t rarb_idle(const struct rarb *s) { return s->waiting ? 0 : UINT64_MAX; }
