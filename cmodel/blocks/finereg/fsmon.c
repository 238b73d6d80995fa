/* SPDX-License-Identifier: Apache-2.0 */
/* fsmon: free-space monitor. docs/blocks/finereg/fsmon.md. The search has the Verilog's two levels: groups,
 * then entries. */
#include "blocks/finereg/fsmon.h"

#include "base/bits.h"
#include "blocks/rules.h"

enum { GROUP = 32, PRINTED = fsmon_NumEntries / GROUP };

static uint64_t group(const struct fsmon *s, unsigned g) {
  return g < PRINTED ? s->r.flag_q[g] : s->more_q[g - PRINTED];
}

/* The entries that group g has: all 32 but in the last. */
static uint64_t members(const struct fsmon *s, unsigned g) {
  const unsigned left = s->entries - GROUP * g;
  return (1ull << (left < GROUP ? left : GROUP)) - 1;
}

bool fsmon_occupied(const struct fsmon *s, uint64_t idx) {
  return idx < s->entries && group(s, (unsigned)idx / GROUP) >> idx % GROUP & 1;
}

static void set(struct fsmon *s, uint64_t idx, bool occupied) {
  const unsigned g = (unsigned)idx / GROUP;
  uint64_t *flags = g < PRINTED ? &s->r.flag_q[g] : &s->more_q[g - PRINTED];
  *flags = occupied ? *flags | 1ull << idx % GROUP : *flags & ~(1ull << idx % GROUP);
  if (*flags == members(s, g)) s->full_q |= 1ull << g;
  else s->full_q &= ~(1ull << g);
}

static uint64_t lowest_free(const struct fsmon *s) {
  const unsigned g = (unsigned)bit_low64(~s->full_q);
  return GROUP * g + (unsigned)bit_low64(~group(s, g));
}

void fsmon_reset(struct fsmon *s) { *s = (struct fsmon){.entries = fsmon_NumEntries}; }

void fsmon_eval(const struct fsmon *s, const struct fsmon_in *in, struct fsmon_out *out) {
  (void)in;
  *out = (struct fsmon_out){.cnt_free_o = s->entries - s->used};
  if (!out->cnt_free_o) return;
  out->ff_v_o = 1;
  out->ff_idx_o = lowest_free(s);
}

void fsmon_tick(struct fsmon *s, const struct fsmon_in *in) {
  BLOCK_RULE(!in->fr_v_i || fsmon_occupied(s, in->fr_idx_i));
  if (in->al_v_i) {
    BLOCK_RULE(s->used < s->entries);
    set(s, lowest_free(s), true);
    s->used++;
  }
  if (in->fr_v_i) {
    set(s, in->fr_idx_i, false);
    s->used--;
  }
}

uint64_t fsmon_idle(const struct fsmon *s) { return (void)s, UINT64_MAX; }
void fsmon_skip(struct fsmon *s, uint64_t n) { (void)s, (void)n; }
