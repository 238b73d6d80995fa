/* SPDX-License-Identifier: Apache-2.0 */
/* lm: load monitor. docs/blocks/linebacker/lm.md. */
#include "blocks/linebacker/lm.h"

#include <string.h>

#include "blocks/rules.h"

static const uint32_t MOST = UINT32_MAX;

static unsigned lm_hash(uint64_t pc) {
  return (unsigned)(pc ^ pc >> 5 ^ pc >> 10 ^ pc >> 15 ^ pc >> 20 ^ pc >> 25 ^ pc >> 30) & 31;
}

static void lm_clear(struct lm *s) {
  const uint64_t control_only = s->r.control_only;
  memset(s, 0, sizeof *s);
  s->r.control_only = control_only;
}

void lm_reset(struct lm *s) { memset(s, 0, sizeof *s); }

void lm_eval(const struct lm *s, const struct lm_in *in, struct lm_out *out) {
  *out =
      (struct lm_out){.query_selected_o = s->r.mode_q == LM_SELECTED && s->r.selected_hashes_q >> in->query_hash_i & 1,
                      .mode_o = s->r.mode_q,
                      .selected_o = s->selected_q};
}

static void lm_count_access(struct lm *s, uint64_t pc, bool hit) {
  const unsigned i = lm_hash(pc);
  uint32_t *n = hit ? &s->r.hit_count_q[i] : &s->r.miss_count_q[i];
  if (!s->r.hit_count_q[i] && !s->r.miss_count_q[i]) s->r.load_pc_q[i] = (uint32_t)pc;
  *n += *n < MOST;
}

static void end_window(struct lm *s) {
  uint64_t now = 0, before = 0;
  for (unsigned i = 0; i < lm_NumEntries; i++) {
    const uint64_t hits = s->r.hit_count_q[i], misses = s->r.miss_count_q[i];
    const bool class = 5 * hits > hits + misses, last = s->r.class_q[i] & 1;
    now |= (uint64_t) class << i;
    before |= (uint64_t)last << i;
    s->r.class_q[i] = (uint8_t)(last << 1 | class);
    s->r.hit_count_q[i] = s->r.miss_count_q[i] = 0;
  }
  s->r.window_count_q += s->r.window_count_q < UINT16_MAX;
  if (s->r.window_count_q < 2 || now != before) return;
  s->r.mode_q = now ? LM_SELECTED : LM_OFF;
  s->r.selected_hashes_q = now;
  s->selected_q = now != 0;
}

void lm_tick(struct lm *s, const struct lm_in *in) {
  s->selected_q = false;
  if (s->r.mode_q == LM_MONITOR) {
    if (in->hit_valid_i) lm_count_access(s, in->hit_pc_i, true);
    if (in->miss_valid_i) lm_count_access(s, in->miss_pc_i, in->miss_tag_hit_i);
    if (in->window_end_i) end_window(s);
  }
  if (in->launch_start_i) lm_clear(s);
  BLOCK_INVARIANT((s->r.selected_hashes_q != 0) == (s->r.mode_q == LM_SELECTED));
}

uint64_t lm_idle(const struct lm *s) { return s->selected_q ? 0 : UINT64_MAX; }
