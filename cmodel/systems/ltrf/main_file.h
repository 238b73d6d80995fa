/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main_file: the main register file (MRF) behind a register cache: slow banks that take one access at a time. Register r of warp w
 * lies in bank (r + w) mod rf.banks. An access takes main_file.access cycles from its grant to its data, and its bank is
 * busy for main_file.busy of them (docs/timing.md, decision 23).
 */
#ifndef RT_SYSTEMS_LTRF_MAIN_FILE_H
#define RT_SYSTEMS_LTRF_MAIN_FILE_H

#include "sm/state.h"

enum {
  NARROW_CROSSBAR = 3
}; /* LTRF, section 4.2: a register takes four cycles through a crossbar of a quarter of the width, not one */

struct main_file {
  unsigned banks, access, busy;
  uint64_t free_at[BANK_MAX]; /* the first cycle in which the bank takes an access */
};

/* narrow: the crossbar is a quarter as wide, and a bank is busy until its register is through. */
static inline void main_file_init(struct main_file *m, const struct config *c, bool narrow) {
  *m = (struct main_file){.banks = (unsigned)c->rf_banks};
  m->access = slow_access(c->rf_latency);
  m->busy = slow_busy(m->access);
  if (!narrow) return;
  m->access += NARROW_CROSSBAR;
  if (m->busy <= NARROW_CROSSBAR) m->busy = NARROW_CROSSBAR + 1;
}

static inline unsigned main_file_bank(const struct main_file *m, unsigned w, unsigned r) { return (r + w) % m->banks; }
static inline bool main_file_free(const struct main_file *m, uint64_t now, unsigned bank) {
  return m->free_at[bank] <= now;
}
static inline void main_file_take(struct main_file *m, uint64_t now, unsigned bank) {
  m->free_at[bank] = now + m->busy;
}

/* The SM's own banks are the cache's: fast, and so many. */
static inline void main_file_behind(struct sm *S, unsigned cache_banks) {
  free(S->slow);
  S->slow = NULL;
  S->operand_late = 0;
  S->nbank = cache_banks;
  S->bank_mask = cache_banks - 1;
}

#endif
