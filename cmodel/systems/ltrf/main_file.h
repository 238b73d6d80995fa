/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main_file: the main register file (MRF) behind a register cache: slow banks. Register r of warp w lies in bank (r + w) mod rf.banks. An
 * access takes main_file.access cycles from its grant to its data, and its bank's port is busy for main_file.busy of them. As in a file without
 * a cache, reads and writes have ports of their own unless rf.single_port (docs/reference/timing.md, decision 23); LTRF's block knows one for both.
 */
#ifndef RT_SYSTEMS_LTRF_MAIN_FILE_H
#define RT_SYSTEMS_LTRF_MAIN_FILE_H

#include "sm/slot_api.h"

enum {
  NARROW_CROSSBAR = 3
}; /* LTRF, section 4.2: a register takes four cycles through a crossbar of a quarter of the width, not one */

struct main_file {
  unsigned banks, access, busy;
  struct sm *laws;                 /* with sim.check: the SM whose laws see the accesses (laws.c); else NULL */
  bool one_port;                   /* of a bank, for reads and writes */
  uint32_t free[2][BANK_MAX / 32]; /* RF_READ, RF_WRITE: banks that take such an access; after main_file_now */
  struct taken {
    uint64_t until; /* the first cycle in which it is free */
    uint8_t bank, what;
  } taken[2 * BANK_MAX]; /* ports that are not free: a ring, in the order in which they become so */
  unsigned first, n;
};

/* narrow, as LTRF has it: one port, and a crossbar a quarter as wide: a bank is busy until its register is through. All banks are free. */
void main_file_init(struct main_file *m, const struct config *c, bool narrow);
void main_file_reset(struct main_file *m); /* all banks are free */

static inline unsigned main_file_bank(const struct main_file *m, unsigned w, unsigned r) { return (r + w) % m->banks; }

/* Ports that have become free by this cycle, which is none before that of an earlier call. */
static inline void main_file_now(struct main_file *m, uint64_t now) {
  for (; m->n && m->taken[m->first].until <= now; m->n--) {
    const struct taken *t = &m->taken[m->first];
    m->free[t->what][t->bank / 32] |= 1u << t->bank % 32;
    if (m->one_port) m->free[!t->what][t->bank / 32] |= 1u << t->bank % 32;
    m->first = (m->first + 1) % (2 * BANK_MAX);
  }
}

static inline bool main_file_free(struct main_file *m, uint64_t now, unsigned bank, int what) {
  main_file_now(m, now);
  const bool is = m->free[what][bank / 32] >> bank % 32 & 1;
  if (m->laws) law_main_free(m->laws, bank, what, is);
  return is;
}

static inline void main_file_take(struct main_file *m, uint64_t now, unsigned bank, int what) {
  main_file_now(m, now);
  if (m->laws) law_main_taken(m->laws, bank, what);
  m->taken[(m->first + m->n++) % (2 * BANK_MAX)] = (struct taken){now + m->busy, (uint8_t)bank, (uint8_t)what};
  m->free[what][bank / 32] &= ~(1u << bank % 32);
  if (m->one_port) m->free[!what][bank / 32] &= ~(1u << bank % 32);
}

/* Writes the instruction's destination k; false: its bank is busy. */
bool main_file_result(struct sm *S, struct main_file *m, const struct inflight_view *f, unsigned k);
/* The same of a destination that is written nowhere else: the answer of the storage's hook `result`. */
enum result_answer main_file_only(struct sm *S, struct main_file *m, const struct inflight_view *f, unsigned k);
/* An operand of this unit has been granted: it comes by EV_OPERANDS. */
void main_file_operand(struct sm *S, const struct main_file *m, const struct collector_unit *u);
/* A launch begins, its registers planned: where the rows of file and cache lie, for the laws (laws.c). `cache_row`: of the cache, in
 * check's file, with so many entries in each of so many slots. */
void main_file_laws(struct sm *S, struct main_file *m, uint32_t cache_row, unsigned entries, unsigned slots,
                    bool narrow);
/* Hook `main_file`: accesses to the main file; rf_reads and rf_writes are the cache's. */
void main_file_accesses(const struct sm_stats *s, uint64_t *reads, uint64_t *writes);
/* Hook `fits` of the storages that have such a file. */
bool main_file_fits(const struct config *c, const struct slots *slots, struct err *e);

#endif
