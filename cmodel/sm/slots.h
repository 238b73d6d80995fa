/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots: the five slots of the SM that a register-file architecture fills (docs/reference/slots.md). A choice is one .c file
 * with one const table at its end. The hooks are declared in sm/slot.def and called through build/gen/hooks.h; a choice
 * reaches the SM only by the functions of sm/slot_api.h (ports, ledger, gates).
 */
#ifndef RT_SM_SLOTS_H
#define RT_SM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"

struct sm;
struct sm_stats;
struct slots;
struct kernel; /* of the launch (trace/stream.h) */
struct warp_inst;
struct mem_reply;
struct inflight_view;  /* an instruction between issue and write-back */
struct collector_unit; /* operands on their way to one instruction */
struct txn_view;       /* one line access of a memory instruction */

/* The register file in a unified memory of registers, shared memory and L1. */
struct rf_share {
  int64_t fixed;       /* bytes of registers that lie outside the unified memory */
  double part;         /* of a byte of registers beyond those, what is kept */
  int64_t *key;        /* what is kept has a size of its own: its key; NULL: it is part of rf.bytes alone */
  int64_t least, most; /* of that key */
};

/* Near bits: is a register read again soon (compiler/ir/reuse.h)? Made by the run (lab/run/near.h). */
struct near_want {
  enum near_source { NEAR_NONE, NEAR_PROFILE, NEAR_EXACT } source; /* PROFILE: op.near; EXACT: warp_inst.near */
  const char *file;                                                /* of PROFILE; "": by executing two CTAs */
  uint32_t most;                                                   /* instructions: the largest distance that is near */
};

enum cta_event { CTA_STALLED, CTA_READY, CTA_ENDED };
/* PASS: the SM goes on with storage.result; TAKEN: the residency has stored all destinations, the instruction retires; DROP: it
 * retires, since all are dead; HOLD: called again in the next cycle */
enum late { LATE_PASS, LATE_TAKEN, LATE_DROP, LATE_HOLD };

/* TO_BANK: the SM writes it in this cycle if the bank's port is free, else asks again in the next; ACCEPTED: the storage writes it
 * itself, at once (result_complete_now) or in a later cycle (result_complete_accepted, result_complete_at); BUSY: called again in
 * the next cycle */
enum result_answer { RESULT_TO_BANK, RESULT_ACCEPTED, RESULT_BUSY };
enum move { MOVE_DONE, MOVE_PENDING };
enum warp_move { WARP_BEGIN, WARP_END, WARP_IN, WARP_OUT };

struct collector_view { /* masks of units */
  uint64_t free, busy, near;
};
/* NEXT: ask with another warp; CLASS: with one whose instruction is of another class; STOP: no issue here in this cycle */
enum take { TAKE_TAKEN, TAKE_NEXT, TAKE_CLASS, TAKE_STOP };
enum { ANY_UNIT = -1 };

enum warp_event { WEV_IN, WEV_OUT, WEV_BLOCKED, WEV_READY }; /* BLOCKED: on a memory load, a barrier or an atomic */
struct pick {
  int bit, unit; /* bit: warp w = bit * schedulers + sc; or one of these */
};
enum { PICK_NONE = -1, PICK_STOP = -2 }; /* NONE: none of them is active; STOP: no unit for any of them in this cycle */

enum l1_answer { L1_GO, L1_HELD, L1_BUSY };

/* SLOT_RESIDENCY ..., in the order of slot.def */
enum slot {
#define SLOT(slot, ID, question) SLOT_##ID,
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text)
#define MUST(slot, name, type, phase, parameters, arguments, text)
#include "sm/slot.def"
  SLOT_COUNT
};
#define NOTHING ((void)0) /* in slot.def: what a call gives when the hook is left out */
#define EACH_SLOT(DO) DO(residency) DO(storage) DO(collector) DO(scheduler) DO(l1)

/* struct residency_ops ..., one member for each hook */
/* clang-format off */
#define SLOT(slot, ID, question) struct slot##_ops { const char *name;
#define SLOT_END(slot) };
/* clang-format on */
#define HOOK(slot, hook, type, left_out, phase, parameters, arguments, text) type(*hook) parameters;
#define MUST(slot, hook, type, phase, parameters, arguments, text) type(*hook) parameters;
#define ASK(slot, hook, type, left_out, parameters, text) type(*hook) parameters;
#include "sm/slot.def"

struct slots {
  const struct residency_ops *residency;
  const struct storage_ops *storage;
  const struct collector_ops *collector;
  const struct scheduler_ops *scheduler;
  const struct l1_ops *l1;
};

/* The tables that a configuration names; false and *e, with the reason, for an unsupported combination. */
bool slots_pick(const struct config *cfg, struct slots *s, struct err *e);
/* For the hook `fits` of a choice, `mine` ("slot.storage ltrf"): false and *e, unless that slot's choice `found` is one of `names`
 * ("static pcal"). `why` is the technical reason. */
bool slot_needs(struct err *e, const char *mine, const char *slot, const char *found, const char *names,
                const char *why);
/* The rules between keys, and slots_pick: can a run be so configured? */
bool config_fits(const struct config *c, struct err *e);
/* Adds to the reason for which a configuration is refused on which of the built-in machines the same system with the same settings would
 * fit. Returns false. */
bool machines_advised(const struct config *c, struct err *e);
/* CTAs and warps resident at most (residency_ops.most); true: these may be more than may issue. */
bool slots_most(const struct config *cfg, int64_t *ctas, int64_t *warps);
/* The register file in a unified memory (residency_ops.unified). */
struct rf_share slots_share(struct config *cfg, double live);
/* Where the registers have a cache, whose accesses sm.rf_reads and rf_writes are: those to the file behind it (storage_ops.main_file). */
void slots_main_file(const struct config *cfg, const struct sm_stats *s, uint64_t *reads, uint64_t *writes);
/* The near bits that the collector asks for (collector_ops.near). */
struct near_want slots_near(const struct config *cfg);
/* False and *e when a table lacks a hook that every choice must have. */
bool slots_complete(const struct slots *s, struct err *e);
/* Takes every hook, and passes it on to S->chosen (sim.null_hooks; sm/null.c). */
extern const struct slots slots_null;

#define CHOICE(slot, name) extern const struct slot##_ops slot##_##name;
#include "gen/systems/choices.def"

#endif
