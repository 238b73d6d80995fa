/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_banks: banks of the register file whose accesses take several cycles (rf.latency): a port that was claimed in cycle t is
 * taken until t + S->bank_busy. Reads and writes have ports of their own unless rf.single_port. What an access brings
 * later is the collector's part (EV_OPERANDS).
 */
#include "sm/phases.h"

static void slow_banks_release(struct slow_banks *s, uint64_t cycle) {
  for (unsigned p = 0; p < 2; p++)
    for (unsigned k = 0; k < BANK_WORDS; k++) {
      s->busy[p][k] &= ~s->ends[cycle % SLOW_MAX][p][k];
      s->ends[cycle % SLOW_MAX][p][k] = 0;
    }
}

void slow_banks_begin(struct sm *S) {
  for (unsigned i = 0; i < S->ngroup; i++) {
    struct slow_banks *s = &S->slow[i];
    struct group *g = &S->group[i];
    /* all that ended in cycles that were jumped over, too; none is busy for SLOW_MAX cycles */
    if (S->now >= s->seen + SLOW_MAX) s->seen = S->now + 1 - SLOW_MAX;
    for (; s->seen <= S->now; s->seen++) slow_banks_release(s, s->seen);
    for (unsigned k = 0; k < BANK_WORDS; k++) {
      g->rd_used[k] = s->busy[RF_READ][k];
      g->wr_used[k] = s->busy[RF_WRITE][k];
    }
  }
}

void slow_banks_end(struct sm *S) {
  for (unsigned i = 0; i < S->ngroup; i++) {
    struct slow_banks *s = &S->slow[i];
    const struct group *g = &S->group[i];
    for (unsigned k = 0; k < BANK_WORDS; k++) {
      const uint64_t used[2] = {[RF_READ] = g->rd_used[k], [RF_WRITE] = g->wr_used[k]};
      for (unsigned p = 0; p < 2; p++) {
        s->ends[(S->now + S->bank_busy) % SLOW_MAX][p][k] |= used[p] & ~s->busy[p][k];
        s->busy[p][k] |= used[p];
      }
    }
  }
}
