/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots: the five questions that a register-file architecture may answer differently (docs/timing.md).
 * A choice is one .c file with one const table at its end; a NULL hook is skipped. The SM calls the hooks in
 * the phases named here and nowhere else; a choice reaches the SM through the doors of sm/state.h (ports,
 * ledger, gates).
 */
#ifndef RT_SM_SLOTS_H
#define RT_SM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"

struct sm;
struct kernel; /* of the launch (stream/stream.h) */
struct warp_inst;
struct mem_reply;
struct inflight_inst;  /* an instruction between issue and write-back */
struct collector_unit; /* a collector unit */
struct txn;            /* one line access of a memory instruction */

enum slot { SLOT_RESIDENCY, SLOT_STORAGE, SLOT_COLLECTOR, SLOT_SCHEDULER, SLOT_L1, SLOT_COUNT };

/* idle: for how many cycles the choice only counts (0: busy, UINT64_MAX: asleep until called); skip(n): count n at once. */
#define SLOT_COMMON                        \
  const char *name;                        \
  bool (*init)(struct sm *, struct err *); \
  uint64_t (*idle)(struct sm *);           \
  void (*skip)(struct sm *, uint64_t n);   \
  void (*done)(struct sm *);

enum cta_event { CTA_STALLED, CTA_READY, CTA_ENDED };
enum late { LATE_PASS, LATE_TAKEN, LATE_DROP, LATE_HOLD };
struct residency_ops {
  SLOT_COMMON
  bool (*plan)(struct sm *, const struct kernel *,
               struct err *); /* launch: take from the ledger; set S->cta_limit, places */
  /* CONTROL: the slot in which the grid's next CTA begins now, and the place of its registers; below 0: none does. */
  int (*launch)(struct sm *, unsigned *rf_slot);
  void (*cta)(struct sm *, unsigned cta, enum cta_event); /* CONTROL: on the edge, once */
  enum late (*late)(struct sm *, struct inflight_inst *); /* WRITE: a result from outside (inflight.away) */
  void (*reply)(struct sm *, const struct mem_reply *);   /* ARRIVE: to a request of its own (TAG_RESIDENCY) */
  void (*engine)(struct sm *);                            /* ENGINE: move registers */
  void (*control)(struct sm *);                           /* CONTROL: admit, switch, throttle, end a window */
  void (*commit)(struct sm *);                            /* COMMIT: its blocks' eval, observer, tick */
  bool (*end)(struct sm *, struct err *);                 /* launch end: its laws of conservation */
};

enum result_answer {
  RESULT_NOW,
  RESULT_LATER,
  RESULT_BUSY
}; /* TAKEN: the storage writes later, then sets the flight's written bit */
enum move { MOVE_DONE, MOVE_PENDING };
enum { WARP_IN, WARP_OUT };
struct storage_ops {
  SLOT_COMMON
  bool (*plan)(struct sm *, const struct kernel *,
               struct err *); /* launch: S->warp_regs, physical registers per warp */
  /* FETCH: true puts *pseudo (a copy of wi to begin with) before this instruction; it takes an issue slot of its own. */
  bool (*fetch)(struct sm *, unsigned w, const struct warp_inst *, struct warp_inst *pseudo);
  void (*issue)(struct sm *, unsigned w, const struct warp_inst *); /* ISSUE: after each; W_PSEUDO in flags: do it */
  void (*locate)(struct sm *, struct collector_unit *); /* ISSUE: bank and row of each operand, or start look-ups */
  void (*look)(struct sm *);                            /* COLLECT: look-ups under way */
  void (*read)(struct sm *, struct collector_unit *, unsigned i); /* COLLECT: bank[i] has given row[i] */
  bool (*convert)(struct sm *,
                  struct collector_unit *); /* DISPATCH: it leaves, for unit.extra cycles; false: not in this cycle */
  void (*arrive)(struct sm *);              /* WRITE: first; results it took before may be written */
  enum result_answer (*result)(struct sm *, struct inflight_inst *, unsigned k, uint32_t *bank,
                               uint32_t *row); /* WRITE: destination k */
  enum move (*warp)(struct sm *, unsigned w, int in_or_out);
  void (*engine)(struct sm *);
  void (*commit)(struct sm *); /* COMMIT: its blocks' eval, observer, tick */
};

struct collector_view {
  uint64_t free, busy, near;
}; /* masks of units of a scheduler's group */
enum take { TAKE_TAKEN, TAKE_NEXT, TAKE_STOP };
enum { ANY_UNIT = -1 };
struct collector_ops {
  SLOT_COMMON
  const struct collector_view *(*view)(struct sm *, unsigned sc);
  enum take (*take)(struct sm *, unsigned sc, unsigned w, const struct warp_inst *, int unit,
                    uint32_t inflight); /* ISSUE */
  void (*collect)(struct sm *);         /* COLLECT: claim read ports, latch arrivals */
  void (*result)(struct sm *, struct inflight_inst *,
                 unsigned k);                 /* WRITE: destination k won its port: cache, snoop, forward */
  enum move (*warp)(struct sm *, unsigned w); /* forget this warp's copies */
};

enum warp_event { WEV_IN, WEV_OUT, WEV_BLOCKED, WEV_READY }; /* BLOCKED: on a memory load, a barrier or an atomic */
struct pick {
  int bit, unit;
}; /* bit: warp w = bit * schedulers + sc; -1: none */
struct scheduler_ops {
  SLOT_COMMON
  struct pick (*pick)(struct sm *, unsigned sc, uint64_t ready); /* ISSUE; asked again without it after TAKE_NEXT */
  void (*issued)(struct sm *, unsigned sc, unsigned bit);
  void (*warp)(struct sm *, unsigned w, enum warp_event);
  void (*control)(struct sm *); /* CONTROL: promote, demote */
};

enum l1_answer { L1_GO, L1_HELD };
struct l1_ops {
  SLOT_COMMON
  bool (*plan)(struct sm *, const struct kernel *, struct err *); /* launch, last: what the ledger has left */
  enum l1_answer (*hit)(struct sm *, struct txn *), (*miss)(struct sm *, struct txn *); /* MEMORY */
  void (*evict)(struct sm *, uint32_t line); /* MEMORY, ARRIVE: a valid line leaves */
  void (*store)(struct sm *, struct txn *);  /* MEMORY: a write passes */
  void (*window)(struct sm *);               /* called by residency */
  void (*engine)(struct sm *);
  bool (*lease)(struct sm *, uint32_t first); /* may use registers from `first` up; true: holds none below */
};

struct slots {
  const struct residency_ops *residency;
  const struct storage_ops *storage;
  const struct collector_ops *collector;
  const struct scheduler_ops *scheduler;
  const struct l1_ops *l1;
};

/* The tables that a configuration names; false and *e for a combination that has no meaning (with the reason). */
bool slots_pick(const struct config *cfg, struct slots *s, struct err *e);
/* Takes every hook, and passes it on to S->chosen (sim.null_hooks; sm/null.c). */
extern const struct slots slots_null;

extern const struct residency_ops residency_static, residency_vt, residency_finereg;
extern const struct storage_ops storage_flat, storage_slices, storage_regmutex;
extern const struct collector_ops collector_ocu;
extern const struct scheduler_ops scheduler_lrr, scheduler_gto, scheduler_two_level;
extern const struct l1_ops l1_plain;

#endif
