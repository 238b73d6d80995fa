/* SPDX-License-Identifier: Apache-2.0 */
/* csm: CTA status monitor. docs/blocks/finereg/csm.md. */
#include "blocks/finereg/csm.h"

#include <stdbool.h>

#include "base/bits.h"
#include "blocks/rules.h"

enum { NONE = csm_NumCtas };

/* First member from `from` upward, wrapping; NONE of an empty set. */
static unsigned first_from(const uint64_t set[2], uint64_t from) {
  const unsigned w = (unsigned)from >> 6;
  const uint64_t upper = ~0ull << (from & 63);
  if (set[w] & upper) return 64 * w + (unsigned)bit_low64(set[w] & upper);
  if (set[!w]) return 64 * !w + (unsigned)bit_low64(set[!w]);
  return set[w] ? 64 * w + (unsigned)bit_low64(set[w]) : NONE;
}

static unsigned next_ready(const struct csm *s, const struct csm_in *in, enum csm_class c) {
  const uint64_t set[2] = {s->member_q[c][0] & words_get(in->ready_i, 0, 64),
                           s->member_q[c][1] & words_get(in->ready_i, 64, 64)};
  return first_from(set, c == CSM_KEPT ? s->r.kept_pointer_q : s->r.spilled_pointer_q);
}

static unsigned csm_count_members(const uint64_t set[2]) {
  return (unsigned)(bit_count64(set[0]) + bit_count64(set[1]));
}

void csm_reset(struct csm *s) { *s = (struct csm){0}; }

void csm_eval(const struct csm *s, const struct csm_in *in, struct csm_out *out) {
  const unsigned kept = next_ready(s, in, CSM_KEPT), spilled = next_ready(s, in, CSM_SPILLED);
  const uint64_t launched[2] = {s->member_q[0][0] | s->member_q[1][0] | s->member_q[2][0],
                                s->member_q[0][1] | s->member_q[1][1] | s->member_q[2][1]};
  const unsigned fresh = first_from((const uint64_t[2]){~launched[0], ~launched[1]}, 0);
  *out = (struct csm_out){
      .kept_valid_o = kept != NONE,
      .kept_cta_o = kept % NONE,
      .spilled_valid_o = spilled != NONE,
      .spilled_cta_o = spilled % NONE,
      .new_valid_o = fresh != NONE,
      .new_cta_o = fresh % NONE,
      .active_count_o = csm_count_members(s->member_q[CSM_ACTIVE]),
      .resident_count_o = csm_count_members(launched),
  };
}

static void csm_move_pointer(uint64_t *rr, unsigned id) {
  BLOCK_RULE(id != NONE);
  *rr = (id + 1) % csm_NumCtas;
}

static void set_status(struct csm *s, unsigned cta, enum csm_context context, enum csm_registers registers) {
  BLOCK_RULE((context == CSM_CONTEXT_NONE && registers == CSM_REGISTERS_NONE) ||
             (context == CSM_CONTEXT_SHARED && (registers == CSM_REGISTERS_AWAY || registers == CSM_REGISTERS_HERE)) ||
             (context == CSM_CONTEXT_PIPELINE && registers == CSM_REGISTERS_HERE));
  for (int c = 0; c < CSM_CLASSES; c++) set_del(s->member_q[c], cta);
  if (context == CSM_CONTEXT_NONE) return;
  const unsigned waits_as = registers == CSM_REGISTERS_HERE ? CSM_KEPT : CSM_SPILLED;
  set_add(s->member_q[context == CSM_CONTEXT_PIPELINE ? CSM_ACTIVE : waits_as], cta);
}

void csm_tick(struct csm *s, const struct csm_in *in) {
  if (in->take_kept_i) csm_move_pointer(&s->r.kept_pointer_q, next_ready(s, in, CSM_KEPT));
  if (in->take_spilled_i) csm_move_pointer(&s->r.spilled_pointer_q, next_ready(s, in, CSM_SPILLED));
  BLOCK_RULE(in->set_valid_i != 3 || in->set_cta_i[0] != in->set_cta_i[1]);
  for (unsigned p = 0; p < 2; p++) {
    if (in->set_valid_i >> p & 1) set_status(s, in->set_cta_i[p], in->set_context_i[p], in->set_registers_i[p]);
  }
}
