/* SPDX-License-Identifier: Apache-2.0 */
/* lrvc: live-register vector cache. docs/blocks/finereg/lrvc.md. */
#include "blocks/finereg/lrvc.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

static unsigned lrvc_place(const struct lrvc *s, uint64_t pc) {
  const unsigned b = (unsigned)bit_low64(s->size.NumEntries);
  return (unsigned)(pc >> 3 ^ pc >> (3 + b)) & (unsigned)(s->size.NumEntries - 1);
}

static void lrvc_answer(struct lrvc *s, uint64_t vec, bool hit) {
  s->response_valid_q = true;
  s->response_vector_q = vec;
  s->response_hit_q = hit;
}

static void lrvc_look_up(struct lrvc *s, const struct lrvc_in *in) {
  const unsigned i = lrvc_place(s, in->request_pc_i);
  BLOCK_RULE(!(in->request_pc_i & 7));
  if (s->r.valid_q[i / 32] >> i % 32 & 1 && s->tag_q[i] == in->request_pc_i) {
    lrvc_answer(s, s->vector_q[i], true);
    return;
  }
  s->miss_pc_q = in->request_pc_i;
  s->miss_addr_q = (uint32_t)(in->vector_base_i + (in->request_pc_i - in->code_base_i));
  s->r.state_q = LRVC_MEMORY_REQUEST;
}

static void lrvc_fill(struct lrvc *s, uint64_t vec) {
  const unsigned i = lrvc_place(s, s->miss_pc_q);
  BLOCK_RULE(!(vec >> 63));
  s->r.valid_q[i / 32] |= 1u << i % 32;
  s->tag_q[i] = (uint32_t)s->miss_pc_q;
  s->vector_q[i] = vec;
  lrvc_answer(s, vec, false);
  s->r.state_q = LRVC_IDLE;
}

void lrvc_reset(struct lrvc *s) { *s = (struct lrvc){.size = lrvc_defaults()}; }
void lrvc_size(struct lrvc *s, const struct lrvc_params *p) { s->size = *p; }

void lrvc_eval(const struct lrvc *s, const struct lrvc_in *in, struct lrvc_out *out) {
  (void)in;
  *out = (struct lrvc_out){
      .request_ready_o = s->r.state_q == LRVC_IDLE,
      .response_valid_o = s->response_valid_q,
      .response_vector_o = s->response_vector_q,
      .response_hit_o = s->response_hit_q,
      .memory_request_valid_o = s->r.state_q == LRVC_MEMORY_REQUEST,
      .memory_request_addr_o = s->r.state_q == LRVC_MEMORY_REQUEST ? s->miss_addr_q : 0,
  };
}

void lrvc_tick(struct lrvc *s, const struct lrvc_in *in) {
  BLOCK_RULE(!in->invalidate_i || s->r.state_q == LRVC_IDLE);
  BLOCK_RULE(!in->memory_response_valid_i || s->r.state_q == LRVC_MEMORY_WAIT);
  s->response_valid_q = s->response_hit_q = false;
  s->response_vector_q = 0;
  if (in->invalidate_i) memset(s->r.valid_q, 0, sizeof s->r.valid_q);
  switch (s->r.state_q) {
    case LRVC_IDLE:
      if (in->invalidate_i || (in->request_valid_i && !s->begun)) {
        s->begun = true;
        s->vector_base = in->vector_base_i;
        s->code_base = in->code_base_i;
      }
      if (!in->request_valid_i) break;
      BLOCK_RULE(in->vector_base_i == s->vector_base && in->code_base_i == s->code_base);
      lrvc_look_up(s, in);
      break;
    case LRVC_MEMORY_REQUEST:
      if (in->memory_request_ready_i) s->r.state_q = LRVC_MEMORY_WAIT;
      break;
    default:
      if (in->memory_response_valid_i) lrvc_fill(s, in->memory_response_data_i);
  }
}

/* Memory's answer is an input: nothing changes until it comes. */
uint64_t lrvc_idle(const struct lrvc *s) {
  return s->response_valid_q || s->r.state_q == LRVC_MEMORY_REQUEST ? 0 : UINT64_MAX;
}
