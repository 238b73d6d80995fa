/* SPDX-License-Identifier: Apache-2.0 */
/* csm: CTA status monitor. docs/blocks/finereg/csm.md. */
#include "blocks/finereg/csm.h"

#include <stdbool.h>

#include "base/bits.h"
#include "blocks/rules.h"

enum { NONE = csm_NumCta };

/* First member from `from` upward, wrapping; NONE of an empty set. */
static unsigned first_from(const uint64_t set[2], uint64_t from) {
  const unsigned w = (unsigned)from >> 6;
  const uint64_t upper = ~0ull << (from & 63);
  if (set[w] & upper) return 64 * w + (unsigned)bit_low64(set[w] & upper);
  if (set[!w]) return 64 * !w + (unsigned)bit_low64(set[!w]);
  return set[w] ? 64 * w + (unsigned)bit_low64(set[w]) : NONE;
}

static unsigned next_ready(const struct csm *s, const struct csm_in *in, enum csm_class c) {
  const uint64_t set[2] = {s->in_q[c][0] & words_get(in->ready_i, 0, 64),
                           s->in_q[c][1] & words_get(in->ready_i, 64, 64)};
  return first_from(set, c == CSM_12 ? s->r.rr12_q : s->r.rr11_q);
}

static unsigned count(const uint64_t set[2]) { return (unsigned)(bit_count64(set[0]) + bit_count64(set[1])); }

void csm_reset(struct csm *s) { *s = (struct csm){0}; }

void csm_eval(const struct csm *s, const struct csm_in *in, struct csm_out *out) {
  const unsigned p12 = next_ready(s, in, CSM_12), p11 = next_ready(s, in, CSM_11);
  const uint64_t launched[2] = {s->in_q[0][0] | s->in_q[1][0] | s->in_q[2][0],
                                s->in_q[0][1] | s->in_q[1][1] | s->in_q[2][1]};
  const unsigned fresh = first_from((const uint64_t[2]){~launched[0], ~launched[1]}, 0);
  *out = (struct csm_out){
      .p12_v_o = p12 != NONE,
      .p12_id_o = p12 % NONE,
      .p11_v_o = p11 != NONE,
      .p11_id_o = p11 % NONE,
      .new_v_o = fresh != NONE,
      .new_id_o = fresh % NONE,
      .n_act_o = count(s->in_q[CSM_22]),
      .n_res_o = count(launched),
  };
}

static void take(uint64_t *rr, unsigned id) {
  BLOCK_RULE(id != NONE);
  *rr = (id + 1) % csm_NumCta;
}

static void set_status(struct csm *s, unsigned cta, unsigned ctx, unsigned reg) {
  BLOCK_RULE((ctx == CSM_NONE && reg == CSM_ABSENT) || (ctx == CSM_SHARED && (reg == CSM_AWAY || reg == CSM_HERE)) ||
             (ctx == CSM_PIPELINE && reg == CSM_HERE));
  for (int c = 0; c < CSM_CLASSES; c++) set_del(s->in_q[c], cta);
  if (ctx != CSM_NONE) set_add(s->in_q[ctx == CSM_PIPELINE ? CSM_22 : reg == CSM_HERE ? CSM_12 : CSM_11], cta);
}

void csm_tick(struct csm *s, const struct csm_in *in) {
  if (in->take12_i) take(&s->r.rr12_q, next_ready(s, in, CSM_12));
  if (in->take11_i) take(&s->r.rr11_q, next_ready(s, in, CSM_11));
  BLOCK_RULE(in->set_v_i != 3 || (in->set_cta_i & 0x7f) != in->set_cta_i >> 7);
  for (unsigned p = 0; p < 2; p++) {
    if (in->set_v_i >> p & 1)
      set_status(s, in->set_cta_i >> 7 * p & 0x7f, in->set_ctx_i >> 2 * p & 3, in->set_reg_i >> 2 * p & 3);
  }
}
