/* SPDX-License-Identifier: Apache-2.0 */
/* fsmon: free-space monitor. docs/blocks/finereg/fsmon.md. The search has the Verilog's two levels: groups,
 * then entries. */
#include "blocks/finereg/fsmon.h"

#include "base/bits.h"
#include "blocks/rules.h"

enum { GROUP = 32 };

/* The entries that group g has: all 32 but in the last. */
static uint64_t fsmon_members(const struct fsmon *s, unsigned g) {
  const unsigned left = (unsigned)s->size.NumEntries - GROUP * g;
  return (1ull << (left < GROUP ? left : GROUP)) - 1;
}

bool fsmon_occupied(const struct fsmon *s, uint64_t idx) {
  return idx < s->size.NumEntries && s->r.occupied_q[idx / GROUP] >> idx % GROUP & 1;
}

static void fsmon_set(struct fsmon *s, uint64_t idx, bool occupied) {
  const unsigned g = (unsigned)idx / GROUP;
  uint32_t *flags = &s->r.occupied_q[g];
  *flags = occupied ? *flags | 1u << idx % GROUP : *flags & ~(1u << idx % GROUP);
  if (*flags == fsmon_members(s, g)) s->full_q |= 1ull << g;
  else s->full_q &= ~(1ull << g);
}

static uint64_t fsmon_lowest_free(const struct fsmon *s) {
  const unsigned g = (unsigned)bit_low64(~s->full_q);
  return GROUP * g + (unsigned)bit_low64(~s->r.occupied_q[g]);
}

void fsmon_reset(struct fsmon *s) { *s = (struct fsmon){.size = fsmon_defaults()}; }
void fsmon_size(struct fsmon *s, const struct fsmon_params *p) { s->size = *p; }

void fsmon_eval(const struct fsmon *s, const struct fsmon_in *in, struct fsmon_out *out) {
  (void)in;
  *out = (struct fsmon_out){.free_count_o = s->size.NumEntries - s->used};
  if (!out->free_count_o) return;
  out->free_valid_o = 1;
  out->free_index_o = fsmon_lowest_free(s);
}

void fsmon_tick(struct fsmon *s, const struct fsmon_in *in) {
  BLOCK_RULE(!in->release_valid_i || fsmon_occupied(s, in->release_index_i));
  if (in->allocate_valid_i) {
    BLOCK_RULE(s->used < s->size.NumEntries);
    fsmon_set(s, fsmon_lowest_free(s), true);
    s->used++;
  }
  if (in->release_valid_i) {
    fsmon_set(s, in->release_index_i, false);
    s->used--;
  }
}
