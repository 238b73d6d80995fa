/* SPDX-License-Identifier: Apache-2.0 */
/* lrvc: live-register vector cache. docs/blocks/finereg/lrvc.md. */
#include "blocks/finereg/lrvc.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

static unsigned place(const struct lrvc *s, uint64_t pc) {
  const unsigned b = (unsigned)bit_low64(s->size.NumEntries);
  return (unsigned)(pc >> 3 ^ pc >> (3 + b)) & (unsigned)(s->size.NumEntries - 1);
}

static void answer(struct lrvc *s, uint64_t vec, bool hit) {
  s->rs_v_q = true;
  s->rs_vec_q = vec;
  s->rs_hit_q = hit;
}

static void look_up(struct lrvc *s, const struct lrvc_in *in) {
  const unsigned i = place(s, in->rq_pc_i);
  BLOCK_RULE(!(in->rq_pc_i & 7));
  if (s->r.val_q[i / 32] >> i % 32 & 1 && s->tag_m[i] == in->rq_pc_i) {
    answer(s, s->vec_m[i], true);
    return;
  }
  s->pc_q = in->rq_pc_i;
  s->m_a_q = (uint32_t)(in->base_i + (in->rq_pc_i - in->cbase_i));
  s->r.state_q = LRVC_MREQ;
}

static void fill(struct lrvc *s, uint64_t vec) {
  const unsigned i = place(s, s->pc_q);
  BLOCK_RULE(!(vec >> 63));
  s->r.val_q[i / 32] |= 1u << i % 32;
  s->tag_m[i] = (uint32_t)s->pc_q;
  s->vec_m[i] = vec;
  answer(s, vec, false);
  s->r.state_q = LRVC_IDLE;
}

void lrvc_reset(struct lrvc *s) { *s = (struct lrvc){.size = lrvc_defaults()}; }
void lrvc_size(struct lrvc *s, const struct lrvc_params *p) { s->size = *p; }

void lrvc_eval(const struct lrvc *s, const struct lrvc_in *in, struct lrvc_out *out) {
  (void)in;
  *out = (struct lrvc_out){
      .rq_rdy_o = s->r.state_q == LRVC_IDLE,
      .rs_v_o = s->rs_v_q,
      .rs_vec_o = s->rs_vec_q,
      .rs_hit_o = s->rs_hit_q,
      .m_rq_v_o = s->r.state_q == LRVC_MREQ,
      .m_rq_a_o = s->r.state_q == LRVC_MREQ ? s->m_a_q : 0,
  };
}

void lrvc_tick(struct lrvc *s, const struct lrvc_in *in) {
  BLOCK_RULE(!in->inv_i || s->r.state_q == LRVC_IDLE);
  BLOCK_RULE(!in->m_rs_v_i || s->r.state_q == LRVC_MWAIT);
  s->rs_v_q = s->rs_hit_q = false;
  s->rs_vec_q = 0;
  if (in->inv_i) memset(s->r.val_q, 0, sizeof s->r.val_q);
  switch (s->r.state_q) {
    case LRVC_IDLE:
      if (in->inv_i || (in->rq_v_i && !s->begun)) {
        s->begun = true;
        s->base = in->base_i;
        s->cbase = in->cbase_i;
      }
      if (!in->rq_v_i) break;
      BLOCK_RULE(in->base_i == s->base && in->cbase_i == s->cbase);
      look_up(s, in);
      break;
    case LRVC_MREQ:
      if (in->m_rq_rdy_i) s->r.state_q = LRVC_MWAIT;
      break;
    default:
      if (in->m_rs_v_i) fill(s, in->m_rs_d_i);
  }
}

/* Memory's answer is an input: nothing changes until it comes. */
uint64_t lrvc_idle(const struct lrvc *s) { return s->rs_v_q || s->r.state_q == LRVC_MREQ ? 0 : UINT64_MAX; }
