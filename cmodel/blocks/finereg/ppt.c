/* SPDX-License-Identifier: Apache-2.0 */
/* ppt: PCRF pointer table. docs/blocks/finereg/ppt.md. */
#include "blocks/finereg/ppt.h"

#include "base/bits.h"
#include "blocks/rules.h"

void ppt_reset(struct ppt *s) { *s = (struct ppt){.size = ppt_defaults()}; }
void ppt_size(struct ppt *s, const struct ppt_params *p) { s->size = *p; }

void ppt_eval(const struct ppt *s, const struct ppt_in *in, struct ppt_out *out) {
  const uint32_t c = (uint32_t)in->read_cta_i;
  *out = (struct ppt_out){.read_valid_o = set_has(s->valid_q, c)};
  if (!out->read_valid_o) return;
  out->read_pointer_o = s->row_q[c].pointer;
  out->read_count_o = s->row_q[c].count;
}

void ppt_tick(struct ppt *s, const struct ppt_in *in) {
  const uint32_t clear = (uint32_t)in->clear_cta_i, write = (uint32_t)in->write_cta_i;
  if (in->clear_valid_i) {
    BLOCK_RULE(set_has(s->valid_q, clear));
    set_del(s->valid_q, clear);
  }
  if (in->write_valid_i) {
    BLOCK_RULE(!set_has(s->valid_q, write));
    set_add(s->valid_q, write);
    s->row_q[write].pointer = (uint16_t)in->write_pointer_i;
    s->row_q[write].count = (uint16_t)in->write_count_i;
  }
}
