/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices: the state of the slices' storage: slices.c has its times, slices_values.c moves the registers' values, which
 * exist with sim.check or an observer only (net.t.values).
 */
#ifndef RT_SYSTEMS_SLICES_SLICES_H
#define RT_SYSTEMS_SLICES_SLICES_H

#include "blocks/slice/dit.h"
#include "blocks/slice/scu.h"
#include "blocks/slice/sit.h"
#include "blocks/slice/vc.h"
#include "blocks/slice/vt.h"
#include "blocks/slice/vtl.h"
#include "blocks/slice/wve.h"
#include "sm/slot_api.h"

void slices_laws(struct twins *t); /* laws.c */

#define NET slices
#define NET_DEF "gen/nets/slices.def"
#include "sm/wires.h"

enum { UNITS = 16, LANES = 3, ROWS = 256, ALL_SLICES = 0xff, CONVERTERS = 2 };

struct lane {
  uint32_t inflight;
  uint8_t k;
}; /* whose result it carries */

struct conversion {       /* what three units of VC have of a collector unit's pass */
  bool full, last;        /* last: the instruction has left with it */
  uint8_t unit, first, n; /* operands first .. first + n - 1 */
  struct warp_inst inst;  /* last, sim.check: the instruction, and what its operands must be */
  const struct op *op;
  uint32_t want[6][32];
};

struct slices {
  struct slices_net net;
  const struct packing *packing; /* NULL: the identity */
  uint32_t entry[ROWS];          /* 0: not used */

  uint64_t busy, todo; /* units with an instruction; with a (next) pass to be allocated */
  uint64_t given; /* SCUs (bit 3 k) that were given an instruction or a part: they may be complete in the next cycle */
  uint64_t sgn;  /* operands (3 k + i) of the pass allocated last that are sign-extended: allocate_signed_i as it was */
  uint64_t half; /* their first pass is complete and waits for converters */
  uint64_t ready; /* their last pass is complete: the instruction may be dispatched */
  uint64_t taken; /* a pass leaves at the end of this cycle */
  uint64_t gone;  /* of these, dispatched: the last pass */
  uint8_t pass[UNITS], passes[UNITS];
  uint8_t narrow[UNITS]; /* operands of the pass that VC widens: mask */
  const struct collector_unit *unit[UNITS];
  uint32_t operand[UNITS][6][32]; /* merged values, by source */

  struct lane in[LANES], mid[LANES], out[LANES];         /* offered to DIT; in DIT's output register; in VT's */
  struct lane done[2 * LANES];                           /* written in this cycle: released at its end */
  uint64_t waiting;                                      /* of in[], those in use */
  unsigned ndone, lanes;                                 /* lanes: those that carry something, at whatever stage */
  struct conversion now[CONVERTERS], before[CONVERTERS]; /* VC's inputs in this cycle; in the one before: its outputs */
  unsigned converting;                                   /* of now[], those in use */
  unsigned load;                                         /* table entries still to be loaded */
  uint32_t *row; /* [rf.bytes / 128][32]: the register file, in slices; NULL: values are not modelled */
};

static inline struct slices *slices_of(const struct sm *S) { return choice_of(S, SLOT_STORAGE); }
static inline unsigned sources_of_pass(const struct op *op, unsigned pass) {
  const unsigned left = op->nsrc - 3 * pass;
  return left < 3 ? left : 3;
}

/* ---- slices_values.c ---- */

/* COLLECT: bank u->bank[i] has given row[i] of u, on its way to the SCU's input. */
void values_read(struct slices *s, const struct collector_unit *u, unsigned i);
/* A pass is complete: its operands are kept. */
void values_keep(struct slices *s, unsigned k, const struct scu_bank_out *o);
/* DISPATCH: operands of the pass that is s->now[d] to VC; sim.check: what the instruction's operands must be, or are. */
void values_convert(struct slices *s, unsigned d);
void values_expect(struct sm *S, struct conversion *c, const struct inflight_view *f);
void values_check(struct sm *S, struct slices *s, const struct collector_unit *u, unsigned n);
/* COMMIT: VC's results of the previous cycle's inputs: the execution unit has them, sim.check compares them. */
void values_converted(struct sm *S, struct slices *s);
/* WRITE: result k of f to lane l of DIT; sim.check: an integer is written to slices that give it back. */
void values_offer(struct sm *S, struct slices *s, const struct inflight_view *f, unsigned k, unsigned l, bool fp);
void values_check_width(struct sm *S, const struct inflight_view *f, unsigned k, unsigned n);
/* A part of VT's lane l to its row; a part of a result with entry e, past DIT and VT. */
void values_write(struct slices *s, const struct vt_out *o, unsigned l, unsigned part, uint32_t row, unsigned mask);
void values_write_now(struct sm *S, struct slices *s, const struct inflight_view *f, unsigned k, unsigned part,
                      bool fp);

#endif
