/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main_file: the main register file (MRF) behind a register cache: slow banks. Register r of warp w lies in bank (r + w) mod rf.banks. An
 * access takes main_file.access cycles from its grant to its data, and its bank's port is busy for main_file.busy of them. As in a file without
 * a cache, reads and writes have ports of their own unless rf.single_port (docs/timing.md, decision 23); LTRF's block knows one for both.
 */
#ifndef RT_SYSTEMS_LTRF_MAIN_FILE_H
#define RT_SYSTEMS_LTRF_MAIN_FILE_H

#include "sm/state.h"

enum {
  NARROW_CROSSBAR = 3
}; /* LTRF, section 4.2: a register takes four cycles through a crossbar of a quarter of the width, not one */

struct main_file {
  unsigned banks, access, busy;
  bool one_port;                 /* of a bank, for reads and writes */
  uint64_t free_at[2][BANK_MAX]; /* RF_READ, RF_WRITE: the first cycle in which the bank takes such an access */
};

/* narrow, as LTRF has it: one port, and a crossbar a quarter as wide: a bank is busy until its register is through. */
static inline void main_file_init(struct main_file *m, const struct config *c, bool narrow) {
  *m = (struct main_file){.banks = (unsigned)c->rf_banks, .one_port = narrow || c->rf_single_port};
  m->access = slow_access(c->rf_latency);
  m->busy = slow_busy(m->access);
  if (!narrow) return;
  m->access += NARROW_CROSSBAR;
  if (m->busy <= NARROW_CROSSBAR) m->busy = NARROW_CROSSBAR + 1;
}

static inline unsigned main_file_bank(const struct main_file *m, unsigned w, unsigned r) { return (r + w) % m->banks; }
static inline bool main_file_free(const struct main_file *m, uint64_t now, unsigned bank, int what) {
  return m->free_at[what][bank] <= now;
}
static inline void main_file_take(struct main_file *m, uint64_t now, unsigned bank, int what) {
  m->free_at[what][bank] = now + m->busy;
  if (m->one_port) m->free_at[!what][bank] = now + m->busy;
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
