/* SPDX-License-Identifier: Apache-2.0 */
/* lm: load monitor. docs/blocks/linebacker/lm.md. */
#include "blocks/linebacker/lm.h"

#include <string.h>

#include "blocks/rules.h"

static const uint64_t MOST = UINT32_MAX;

static unsigned hash(uint64_t pc) {
  return (unsigned)(pc ^ pc >> 5 ^ pc >> 10 ^ pc >> 15 ^ pc >> 20 ^ pc >> 25 ^ pc >> 30) & 31;
}

static void clear(struct lm *s) {
  const uint64_t control_only = s->r.control_only;
  memset(s, 0, sizeof *s);
  s->r.control_only = control_only;
}

void lm_reset(struct lm *s) { memset(s, 0, sizeof *s); }

void lm_eval(const struct lm *s, const struct lm_in *in, struct lm_out *out) {
  *out = (struct lm_out){.q_sel_o = s->r.mode_q == LM_SEL && s->r.sel_q >> in->q_hpc_i & 1,
                         .mode_o = s->r.mode_q,
                         .selected_o = s->selected_q};
}

static void count(struct lm *s, uint64_t pc, bool hit) {
  const unsigned i = hash(pc);
  uint64_t *n = hit ? &s->r.hit_q[i] : &s->r.miss_q[i];
  if (!s->r.hit_q[i] && !s->r.miss_q[i]) s->r.pc_q[i] = pc;
  *n += *n < MOST;
}

static void window(struct lm *s) {
  uint64_t now = 0, before = 0;
  for (unsigned i = 0; i < lm_NumEntries; i++) {
    const bool class = 5 * s->r.hit_q[i] > s->r.hit_q[i] + s->r.miss_q[i];
    now |= (uint64_t) class << i;
    before |= (s->r.v_q[i] & 1) << i;
    s->r.v_q[i] = (s->r.v_q[i] << 1 & 2) | class;
    s->r.hit_q[i] = s->r.miss_q[i] = 0;
  }
  s->r.k_q += s->r.k_q < UINT16_MAX;
  if (s->r.k_q < 2 || now != before) return;
  s->r.mode_q = now ? LM_SEL : LM_OFF;
  s->r.sel_q = now;
  s->selected_q = now != 0;
}

void lm_tick(struct lm *s, const struct lm_in *in) {
  s->selected_q = false;
  if (s->r.mode_q == LM_MON) {
    if (in->a_v_i) count(s, in->a_pc_i, true);
    if (in->b_v_i) count(s, in->b_pc_i, in->b_hit_i);
    if (in->tick_i) window(s);
  }
  if (in->kstart_i) clear(s);
  BLOCK_INVARIANT((s->r.sel_q != 0) == (s->r.mode_q == LM_SEL));
}

uint64_t lm_idle(const struct lm *s) { return s->selected_q ? 0 : UINT64_MAX; }
