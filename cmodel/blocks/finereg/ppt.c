/* SPDX-License-Identifier: Apache-2.0 */
/* ppt: PCRF pointer table. docs/blocks/finereg/ppt.md. */
#include "blocks/finereg/ppt.h"

#include "base/bits.h"
#include "blocks/rules.h"

void ppt_reset(struct ppt *s) { *s = (struct ppt){.size = ppt_defaults()}; }
void ppt_size(struct ppt *s, const struct ppt_params *p) { s->size = *p; }

void ppt_eval(const struct ppt *s, const struct ppt_in *in, struct ppt_out *out) {
  const uint32_t c = (uint32_t)in->rd_cta_i;
  *out = (struct ppt_out){.rd_v_o = set_has(s->val_q, c)};
  if (!out->rd_v_o) return;
  out->rd_ptr_o = s->row_q[c].ptr;
  out->rd_cnt_o = s->row_q[c].cnt;
}

void ppt_tick(struct ppt *s, const struct ppt_in *in) {
  const uint32_t clr = (uint32_t)in->clr_cta_i, wr = (uint32_t)in->wr_cta_i;
  if (in->clr_v_i) {
    BLOCK_RULE(set_has(s->val_q, clr));
    set_del(s->val_q, clr);
  }
  if (in->wr_v_i) {
    BLOCK_RULE(!set_has(s->val_q, wr));
    set_add(s->val_q, wr);
    s->row_q[wr].ptr = (uint16_t)in->wr_ptr_i;
    s->row_q[wr].cnt = (uint16_t)in->wr_cnt_i;
  }
}
