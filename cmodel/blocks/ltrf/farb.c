/* SPDX-License-Identifier: Apache-2.0 */
/* farb: fill arbiter. docs/blocks/ltrf/farb.md. */
#include "blocks/ltrf/farb.h"

#include <string.h>

#include "blocks/rules.h"

void farb_size(struct farb *s, const struct farb_params *p) {
  BLOCK_RULE(bit_count64(p->Nact) == 1 && p->Nact >= 2 && p->Nact <= farb_Nact_most);
  BLOCK_RULE(bit_count64(p->Nb) == 1 && p->Nb >= 2 && p->Nb <= farb_Nb_most);
  BLOCK_RULE(bit_count64(p->Nr) == 1 && p->Nr >= 2 && p->Nr <= farb_Nr_most);
  s->size = *p;
}

void farb_reset(struct farb *s) {
  memset(s, 0, sizeof *s);
  const struct farb_params p = farb_defaults();
  farb_size(s, &p);
}

static int choose(const struct farb *s, const struct farb_in *in) {
  const unsigned m = (unsigned)bit_low64(s->size.Nb), r = (unsigned)bit_low64(s->size.Nr);
  struct farb_request q[farb_Nact_most] = {0};
  for (uint64_t left = in->rq_v_i; left; left &= left - 1) {
    const unsigned k = (unsigned)bit_low64(left);
    q[k].mb = (uint8_t)words_get(in->rq_mb_i, m * k, m);
    q[k].rb = (uint8_t)words_get(in->rq_rb_i, r * k, r);
  }
  return farb_choose(s, in->rq_v_i, in->rq_wb_i, q, in->mrf_rdy_i, in->rfc_rdy_i);
}

void farb_eval(const struct farb *s, const struct farb_in *in, struct farb_out *out) {
  const int k = choose(s, in);
  *out = (struct farb_out){.gn_o = k < 0 ? 0 : 1ull << k};
}

void farb_tick(struct farb *s, const struct farb_in *in) {
  const int k = choose(s, in);
  if (k >= 0) farb_granted(s, (uint64_t)k);
  BLOCK_INVARIANT(s->r.ptr_q < s->size.Nact);
}
