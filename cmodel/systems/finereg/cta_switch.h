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
#include "blocks/finereg/rmu.h"
#include "sm/slot_api.h"

void cta_switch_laws(struct twins *t); /* laws.c */

#define NET finereg
#define NET_DEF "gen/nets/finereg.def"
#include "sm/wires.h"

struct cta_switch;

/* What is kept in memory, above everything that a kernel can address: live vectors; contexts of CTAs. */
#define LIVE_BASE 0x40000000u

/* Commands are csw's outputs command_*. A mover other than the RMU sets csw's command_ready_i, done_valid_i and done_success_i for the
 * next cycle. */
struct register_mover {
  void *(*init)(const struct config *);
  void (*done)(void *state);
  void (*begin)(struct sm *, struct cta_switch *, const struct kernel *);
  enum late (*late)(struct sm *, struct cta_switch *, const struct inflight_view *);
  void (*reply)(struct sm *, struct cta_switch *, const struct mem_reply *);
  void (*engine)(struct sm *, struct cta_switch *);
  void (*ask)(struct sm *, struct cta_switch *);    /* COMMIT, before the clock edge */
  void (*commit)(struct sm *, struct cta_switch *); /* after it */
  uint64_t (*idle)(struct sm *, const struct cta_switch *);
  bool (*end)(struct sm *, struct cta_switch *, struct err *);
};
extern const struct register_mover mover_dram, mover_finereg;

enum { CTAS = csm_NumCtas, CTA_WORDS = CTAS / 32 };
struct cta_switch {
  bool on;       /* false: this launch runs as under static residency */
  bool told;     /* csm and csw have all events up to now as inputs */
  bool suspends; /* csw's freeze_valid_o, which is 1, was 1 before the last clock edge, too */
  struct finereg_net net;
  uint8_t context[CTAS], regs[CTAS]; /* enum csm_context, csm_registers */
  bool away[CTAS];                   /* its registers are not in the file; csm gets the event when the sequence ends */
  uint32_t stalled[CTA_WORDS], ready[CTA_WORDS], ended[CTA_WORDS], refused[CTA_WORDS];
  /* finereg.retry room: stalled CTAs whose spill, whose swap is not tried again before room_seen, the RMU's free entries, is another */
  bool by_room;
  bool barred; /* csw does not see the new CTA in this cycle: the spill for it was refused before */
  uint32_t no_spill[CTA_WORDS], no_swap[CTA_WORDS];
  uint64_t room_seen;
  unsigned active_limit;
  uint64_t free_rf_slot[CTAS / 64];
  int16_t rf_slot[CTAS];              /* in the register file; below 0: none */
  uint64_t moved_at;                  /* first cycle after the context's move; 0: none under way */
  const struct register_mover *mover; /* NULL: registers stay */
  void *state;                        /* the mover's */
  const struct code *code;            /* of this launch */
};

static inline struct cta_switch *cta_switch_of(const struct sm *S) { return choice_of(S, SLOT_RESIDENCY); }
/* Returns the warp slot of a CTA's warp w. */
static inline unsigned cta_switch_warp_at(const struct sm *S, uint64_t c, uint64_t w) {
  return cta_view(S, (unsigned)c)->slot[w];
}
static inline bool cta_has(const uint32_t *set, unsigned c) { return set[c / 32] >> c % 32 & 1; }
static inline void cta_bit(uint32_t *set, unsigned c, bool v) {
  set[c / 32] = v ? set[c / 32] | 1u << c % 32 : set[c / 32] & ~(1u << c % 32);
}

/* The mover has accepted a command: b has its new rf_slot from now on. */
void cta_switch_begins(struct sm *S, struct cta_switch *s, unsigned op, unsigned a, unsigned b);
/* The command has ended: updates rf_slots and statistics. */
void cta_switch_ended(struct sm *S, struct cta_switch *s, unsigned op, unsigned a, unsigned b, bool ok);

#endif
