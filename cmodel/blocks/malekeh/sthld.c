/* SPDX-License-Identifier: Apache-2.0 */
/* sthld: threshold controller. docs/blocks/malekeh/sthld.md. */
#include "blocks/malekeh/sthld.h"

#include <stdbool.h>
#include <string.h>

#include "blocks/rules.h"

/* A row's delta, 4 bits of two's complement; mv: only if the threshold has moved; the next state, and that from 63. */
#define ROW(delta, mv, next, top) (((delta)&15) | (mv) << 4 | STHLD_##next << 5 | STHLD_##top << 8)
const uint16_t sthld_table[STHLD_ROWS] = {
    ROW(+1, 0, FLAT, FLAT),     ROW(+1, 0, FLAT, FLAT),   /* start */
    ROW(+1, 0, FLAT, HOLD),     ROW(+1, 0, GUESS, GUESS), /* flat */
    ROW(+1, 0, FLAT, FLAT),     ROW(-1, 0, STEEP, STEEP), /* guess */
    ROW(+1, 1, SETTLE, SETTLE), ROW(-1, 0, STEEP, STEEP), /* steep */
    ROW(0, 0, HOLD, HOLD),      ROW(0, 0, HOLD, HOLD),    /* settle */
    ROW(0, 0, HOLD, HOLD),      ROW(+1, 0, GUESS, GUESS), /* hold */
};

void sthld_size(struct sthld *s, const struct sthld_params *p) {
  BLOCK_RULE(p->Moved <= 1);
  s->size = *p;
}

void sthld_reset(struct sthld *s) {
  memset(s, 0, sizeof *s);
  s->r.state_q = STHLD_START;
  const struct sthld_params p = sthld_defaults();
  sthld_size(s, &p);
}

void sthld_eval(const struct sthld *s, const struct sthld_in *in, struct sthld_out *out) {
  (void)in;
  *out = (struct sthld_out){.threshold_o = s->r.threshold_q};
}

static unsigned sthld_row_of(const struct sthld_in *in, uint64_t r) {
  return in->table_valid_i ? in->table_i[r] : sthld_table[r];
}

static int delta_of(unsigned row) { return (int)(row & 15) - (row & 8 ? 16 : 0); }
static bool if_moved(unsigned row) { return row >> 4 & 1; }
static unsigned sthld_next_of(unsigned row) { return row >> 5 & 7; }
static unsigned top_of(unsigned row) { return row >> 8 & 7; }

static void sthld_check_table(const struct sthld_in *in) {
  for (uint64_t r = 0; r < STHLD_ROWS; r++) {
    const unsigned next = sthld_next_of(sthld_row_of(in, r)), top = top_of(sthld_row_of(in, r));
    BLOCK_RULE(next >= STHLD_START && next <= STHLD_HOLD && top >= STHLD_START && top <= STHLD_HOLD);
    (void)next, (void)top;
  }
}

void sthld_tick(struct sthld *s, const struct sthld_in *in) {
  if (!in->tick_i) return;
  if (in->table_valid_i) sthld_check_table(in);
  const uint64_t cur = in->instructions_i, prev = s->r.last_instructions_q, sth = s->r.threshold_q;
  const bool large = 50 * (cur > prev ? cur - prev : prev - cur) > prev;
  const unsigned q = sthld_row_of(in, 2 * (s->r.state_q - 1) + large);
  const int delta = if_moved(q) && s->size.Moved && !s->r.moved_q ? 0 : delta_of(q), to = (int)sth + delta;
  s->r.threshold_q = to < 0 ? 0 : to > STHLD_MOST ? STHLD_MOST : (uint64_t)to;
  s->r.moved_q = s->r.threshold_q != sth;
  s->r.state_q = sth == STHLD_MOST ? top_of(q) : sthld_next_of(q);
  s->r.last_instructions_q = cur;
  BLOCK_INVARIANT(s->r.state_q >= STHLD_START && s->r.state_q <= STHLD_HOLD && s->r.threshold_q <= STHLD_MOST);
  BLOCK_INVARIANT(in->table_valid_i || (s->r.threshold_q <= sth + 1 && sth <= s->r.threshold_q + 1));
}
