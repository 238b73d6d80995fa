/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cta_switch: shared by the residencies with more CTAs than may issue: the location of each CTA's context and
 * registers, and the interface of the register mover, in which they differ: how registers leave the register file and
 * come back.
 *
 *   vt        no mover: the registers of all resident CTAs stay in the register file
 *   vt + K    dram.c: up to K CTAs have theirs in memory
 *   finereg   finereg.c: the live ones are in the PCRF
 */
#ifndef RT_SYSTEMS_FINEREG_CTA_SWITCH_H
#define RT_SYSTEMS_FINEREG_CTA_SWITCH_H

#include "blocks/finereg/csm.h"
#include "blocks/finereg/csw.h"
#include "sm/state.h"

struct cta_switch;

/* What is kept in memory, above everything that a kernel can address: live vectors; contexts of CTAs. */
#define LIVE_BASE 0x40000000u
#define CONTEXT_BASE 0x50000000u

/* Commands as csw gives them: sw->csw_out.c_*. A mover keeps sw->c_rdy, done_v, done_ok, as they are in the
 * next cycle. */
struct register_mover {
  void *(*init)(const struct config *);
  void (*done)(void *state);
  void (*begin)(struct sm *, struct cta_switch *, const struct kernel *);
  enum late (*late)(struct sm *, struct cta_switch *, struct inflight_inst *);
  void (*reply)(struct sm *, struct cta_switch *, const struct mem_reply *);
  void (*engine)(struct sm *, struct cta_switch *);
  void (*commit)(struct sm *, struct cta_switch *);
  uint64_t (*idle)(struct sm *, const struct cta_switch *);
  bool (*end)(struct sm *, const struct cta_switch *, struct err *);
};
extern const struct register_mover mover_dram, mover_finereg;

enum { CTAS = csm_NumCta, CTA_WORDS = CTAS / 32 };
enum where {
  NOWHERE,
  ASIDE,
  INSIDE
}; /* context: -, in shared memory, in the pipeline; registers: -, away, in the file */

struct cta_switch {
  bool on;      /* false: this launch runs as under static residency */
  bool awake;   /* csm and csw are active, or count */
  uint64_t lag; /* cycles slept */
  struct csm csm;
  struct csm_in csm_in;
  struct csm_out csm_out;
  struct csw csw;
  struct csw_in csw_in;
  struct csw_out csw_out;
  uint8_t context[CTAS], regs[CTAS]; /* enum where, as csm has them */
  bool away[CTAS];                   /* its registers are not in the file; csm hears of it when the sequence ends */
  uint32_t stalled[CTA_WORDS], ready[CTA_WORDS], ended[CTA_WORDS], refused[CTA_WORDS];
  unsigned active_limit;
  uint64_t free_rf_slot[CTAS / 64];
  int16_t rf_slot[CTAS]; /* in the register file; below 0: none */
  uint64_t moved_at;     /* first cycle after the context's move; 0: none under way */
  bool c_rdy, done_v, done_ok;
  const struct register_mover *mover; /* NULL: registers stay */
  void *state;                        /* the mover's */
  const struct code *code;            /* of this launch */
  const struct code **warned;         /* kernels that a warning has named */
  unsigned nwarned, warned_cap;
};

static inline struct cta_switch *cta_switch_of(const struct sm *S) { return S->choice[SLOT_RESIDENCY]; }
static inline void cta_bit(uint32_t *set, unsigned c, bool v) {
  set[c / 32] = v ? set[c / 32] | 1u << c % 32 : set[c / 32] & ~(1u << c % 32);
}

enum { SPILL, RESTORE, SWAP }; /* csw_out.c_op_o: a leaves; b comes; both */
/* The mover has accepted a command: b has its new rf_slot from now on. */
void cta_switch_begins(struct sm *S, struct cta_switch *s, unsigned op, unsigned a, unsigned b);
/* The command has ended: updates rf_slots, statistics, and csw's inputs of the next cycle. */
void cta_switch_ended(struct sm *S, struct cta_switch *s, unsigned op, unsigned a, unsigned b, bool ok);

/* The twins' evaluation and what the observer sees of it. */
#define CTA_SWITCH_EVAL(S, block, state, in, out)                                \
  do {                                                                           \
    block##_eval(state, in, out);                                                \
    if ((S)->observer && (S)->observer->outputs)                                 \
      (S)->observer->outputs((S)->observer->ctx, "finereg/" #block, 0, in, out); \
  } while (0)
void cta_switch_observe(struct sm *S, const char *block, const void *state, const void *in, const void *out);

#endif
