/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twin: the one runtime of the golden models (twins) that run inside the SM. A choice names its blocks and their wires in its
 * system's wires.def; sm/wires.h makes of that a struct with all instances; this file runs them. A block comes in with five
 * lines of wires.def:
 *
 *   TWIN(slice, sit, 1)                        system, block, instances; TWINC: a block without a clock
 *   BANK(slice, scu, 16)                       one model, scu_bank, of 16 instances of scu: the runtime sees one block, and an
 *                                              observer each of the 16 (scu_bank_unit, scu_bank_put)
 *   PULSE(sit, ld_v_i)                         an input that the choice sets for one cycle: zero again in the next
 *   LEVEL(sit, ld_a_i)                         an input that the choice sets and that stays
 *   READ(sit, rs_v_o)                          an output that the choice looks at
 *   WIRE(sit, rs_v_o, scu, rs_v_i)             from output to input, instance by instance
 *   DATA_WIRE(dit, o_pl_o, vt, i_pl_i)         a WIRE of DATA ports
 *
 * and two calls for each instance: sit_set(net, 0)->ld_v_i = 1 writes an input (and wakes the block), sit_get(net, 0)->gn_o
 * reads an output, which is evaluated if an input has changed. Between two slots' choices a wire is a call of a hook.
 *
 * Time: an output that depends on state only (OUT) holds from the start of the cycle; one of the same cycle's inputs (OUTC) once
 * these are set. In COMMIT, twins_commit evaluates what still feeds other blocks, shows every block to the observer, takes the
 * clock edge of all that are awake, and puts the new outputs on the wires. A block whose idle() says that it sleeps and whose
 * inputs are quiet (blocks/declare.h) is not called until an input changes; what it counted meanwhile is made up for by its
 * skip(). With an observer none sleeps. The order of the TWIN lines is that of evaluation: a block stands before those that it
 * feeds. Without sim.check and without an observer no values are modelled: DATA ports stay zero, and nothing else changes.
 */
#ifndef RT_SM_TWIN_H
#define RT_SM_TWIN_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sm;

/* How others watch the blocks: lockstep drives the Verilog with what it is shown, the recorder writes it down. The SM uses the
 * golden models' outputs, so a run with an observer and one without cannot differ; only --drive rtl puts the Verilog's in their
 * place, and the two must not differ then either. */
struct observer {
  /* The block has been reset (a launch begins). */
  void (*reset)(void *ctx, const char *block, unsigned instance);
  /* One cycle, before its clock edge: structs BLOCK, BLOCK_in, BLOCK_out of the block's header ("slice/sit"); of a block without
   * a clock only the cycles in which it is used. False stops the run. */
  bool (*cycle)(void *ctx, const char *block, unsigned instance, uint64_t cycle, const void *state, const void *in,
                const void *out);
  /* NULL, or: replaces the outputs that the SM is about to use by the Verilog's for the same inputs (--drive rtl). */
  void (*outputs)(void *ctx, const char *block, unsigned instance, const void *in, void *out);
  void *ctx;
};

/* Every wire has settled after so many rounds, or the wires make a loop. */
enum { TWIN_KINDS = 8, TWIN_ROUNDS = 16 };

struct twins;
/* The instances of a block in a net; made by sm/wires.h. Offsets are in the net's struct. */
struct twin_kind {
  const char *name; /* "slice/sit" */
  unsigned n;
  size_t state, in, out, ticked; /* arrays of n; ticked: first cycle whose clock edge it has not taken */
  size_t state_bytes, in_bytes, out_bytes, control_only;
  void (*reset)(void *state); /* NULL: no clock; so are all below but eval */
  void (*eval)(const void *state, const void *in, void *out);
  uint64_t (*wait)(const void *state, const void *in,
                   bool changed); /* cycles that it only counts; changed: since the last edge */
  void (*skip)(void *state, uint64_t n);
  /* The clock edge of some instances; behind it: PULSEs are zero, outputs that are on wires are evaluated, who does not sleep is
   * awake. evaluate: by twin_evaluate, which has the observer replace outputs. */
  void (*edge)(struct twins *t, uint64_t which, uint64_t now);
  void (*next)(struct twins *t, uint64_t which, bool evaluate);
  /* Of a BANK: its units; one of them is shown to the observer, or its outputs are replaced. */
  unsigned units;
  bool (*show)(struct twins *t, unsigned unit);
  void (*replace)(struct twins *t, unsigned unit);
};

struct twin_net {
  unsigned kinds;
  unsigned wired, late; /* kinds with an output on a wire; with one of the same cycle (OUTC): masks */
  const struct twin_kind *kind;
  void (*drive)(struct twins *t, unsigned kind, unsigned k); /* the outputs of this instance go over their wires */
};

/* First member of every net. Masks: a bit per instance. */
struct twins {
  const struct twin_net *net;
  struct sm *sm;
  bool observed;                /* there is an observer */
  bool values;                  /* DATA ports are modelled */
  bool begun;                   /* every wire has been driven once since the reset */
  uint64_t present[TWIN_KINDS]; /* instances in this launch */
  unsigned active;              /* kinds of which some are awake */
  uint64_t awake[TWIN_KINDS];   /* take this cycle's clock edge */
  uint64_t stale[TWIN_KINDS];   /* the outputs are not those of the inputs */
  uint64_t changed[TWIN_KINDS]; /* an input has, since the last clock edge */
};

/* Resets all blocks, all awake (a launch begins). leave_out: kinds without an instance in this launch, a mask. */
void twins_start(struct twins *t, const struct twin_net *net, struct sm *S, unsigned leave_out);
/* Evaluates what drives wires of the same cycle: from here on every input is this cycle's, if the choice has set its own. */
void twins_settle(struct twins *t);
/* COMMIT: settles, shows the blocks to the observer, takes the clock edge. */
void twins_commit(struct twins *t);
/* Is any block awake, so that twins_commit would do something? */
static inline bool twins_awake(const struct twins *t) { return t->active != 0; }
/* After COMMIT: for how many cycles the blocks only count (0: busy, UINT64_MAX: until an input is set). */
uint64_t twins_idle(struct twins *t);
/* n such cycles at once. */
void twins_skip(struct twins *t, uint64_t n);

/* What the generated accessors are made of. */
void twin_evaluate(struct twins *t, unsigned kind, unsigned k);
static inline void twin_write(struct twins *t, unsigned kind, unsigned k, bool outc) {
  const uint64_t bit = 1ull << k & t->present[kind];
  t->active |= (unsigned)(bit != 0) << kind;
  t->awake[kind] |= bit;
  t->changed[kind] |= bit;
  if (outc) t->stale[kind] |= bit;
}
static inline void twin_read(struct twins *t, unsigned kind, unsigned k) {
  if (t->stale[kind] >> k & 1) twin_evaluate(t, kind, k);
}

#endif
