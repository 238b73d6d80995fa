/* SPDX-License-Identifier: Apache-2.0 */
/* law_book: what the laws (sm/laws.h) keep, and what only sm/ tells them. Only sm/ includes it. */
#ifndef RT_SM_LAW_BOOK_H
#define RT_SM_LAW_BOOK_H

#include "sm/laws.h"

enum { LAW_EVENTS = 1024, LAW_STRIPES = 4, LAW_UNITS = 64, LAW_GROUPS = 8 };

/* Rows from `first` on: row first + k lies in bank (k mod regs + k / regs) mod banks, if not shifted k mod regs mod banks. */
struct law_stripe {
  uint32_t first, rows, regs;
  bool main, shifted; /* of the main register file (law_main_file); the SM's own banks */
};

struct laws {
  const struct code *code; /* of this launch */
  bool arbitrated;         /* a block grants the banks' ports: only its bank numbers are compared */
  struct {
    uint64_t n[2], sum[2]; /* the SM's side, the block's */
    bool open;             /* some block has such a side */
  } account[LAW_ACCOUNTS];
  struct law_event event[LAW_EVENTS]; /* of this cycle */
  unsigned events;
  uint32_t next[LAW_WARPS_MAX]; /* the warp's next instruction, in program order */
  uint64_t ready[LAW_GROUPS];   /* warps that the scheduler was last asked to pick from; */
  uint64_t control[LAW_GROUPS]; /* of these, those whose instruction needs no collector unit */
  uint64_t began;               /* cycle in which the last CTA began */
  uint64_t shared_end;          /* first cycle after the last use of shared memory's port that a residency made */
  uint64_t retired;             /* when the launch began */
  struct law_stripe stripe[LAW_STRIPES];
  unsigned stripes;
  /* ports: banks of the rows accessed in this cycle, by RF_READ and RF_WRITE */
  uint64_t told[LAW_GROUPS][2][LAW_BANKS / 64];
  struct law_main {
    unsigned banks, access, busy; /* access: cycles from a request to its data */
    bool one_port;
    uint64_t told[2][LAW_BANKS / 64], taken[2][LAW_BANKS / 64]; /* in this cycle */
    uint64_t until[2][LAW_BANKS];                               /* first cycle in which the port is free */
  } main;
  struct law_unit { /* of collector `ocu`: operands of the unit's instruction */
    bool on;
    uint8_t left;   /* still to be given */
    uint8_t given;  /* by the storage, before the instruction has issued */
    uint64_t ready; /* first cycle in which it may be dispatched */
  } unit[LAW_GROUPS][LAW_UNITS];
  bool times_units;
  struct law_memory {
    void *at;
    size_t size;
    bool fresh;
  } memory[8];
};

struct laws *laws_new(void);
void laws_free(struct laws *l);
void laws_begin(struct sm *S, const struct kernel *k); /* a launch begins, before plan */
void laws_cycle(struct sm *S);                         /* the end of COMMIT */
bool laws_end(struct sm *S, struct err *e);            /* the end of a launch, after the slots' */

/* The SM has seen an event of this cycle. */
void law_event(struct sm *S, const struct law_event *e);

/* ---- operands and units ---- */
void law_issue(struct sm *S, unsigned w, const struct warp_inst *inst, uint32_t inflight_or_none);
void law_dispatch(struct sm *S); /* DISPATCH begins */
void law_dispatched(struct sm *S, const struct collector_unit *u);

#endif
