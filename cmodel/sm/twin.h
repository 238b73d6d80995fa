/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twin: the one runtime of the golden models (twins) that run inside the SM. A system.def names the blocks of a net and their wires
 * (docs/reference/lists.md); sm/wires.h makes of that a struct with all instances and a constant table, struct twin_net; the functions
 * of sm/twin_run.h and sm/twin.c run the blocks by this table. Of a TWIN(slice, scu_bank, 16), one model of 16 units, the runtime sees one
 * block, and an observer each of the 16 (scu_bank_unit, scu_bank_put).
 *
 * There are two calls for each instance: sit_set(net, 0)->load_valid_i = 1 writes an input (and wakes the block),
 * sit_get(net, 0)->grant_o reads an output, which is evaluated if an input has changed. Between two slots' choices a wire is a
 * call of a hook.
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* A block of a net and its functions (blocks/declare.h); all but eval are NULL of a block without a clock. */
struct twins;
struct twin_kind {
  const char *name; /* "slice/sit" */
  unsigned n;       /* instances */
  bool clocked, counts;
  size_t state, in, out, ticked,
      told; /* arrays of n, from the start of the net's struct; ticked: first cycle whose edge is to come; told: with sim.check, the inputs before the choice wrote the last time */
  size_t state_bytes, in_bytes, out_bytes, control_only;
  const char *depends; /* the inputs that outputs of the same cycle depend on */
  void (*reset)(void *state);
  void (*eval)(const void *state, const void *in, void *out);
  void (*tick)(void *state, const void *in);
  void (*advance)(void *state, const void *in, const void *out);
  bool (*quiet)(const void *in);
  uint64_t (*idle)(const void *state);
  uint64_t (*hold)(const void *state, const void *in);
  void (*skip)(void *state, uint64_t n);
  void (*evaluate)(struct twins *t, unsigned k); /* twin_evaluate (twin_run.h) for this kind */
  /* Of a BANK: its units; shows one to the observer (false: stop) or replaces its outputs by the observer's. */
  unsigned units;
  bool (*unit)(struct twins *t, unsigned u, bool replace);
};

/* Offsets are in the structs BLOCK_out and BLOCK_in. */
struct twin_wire {
  unsigned from, to; /* kinds */
  bool data;         /* between DATA ports */
  bool late;         /* from an output of the same cycle (OUTC) */
  const char *input;
  size_t out, in, bytes;
};
struct twin_pulse {
  unsigned kind;
  size_t in, bytes;
};

/* Inputs of a block that a choice sets together: a PULSE of one bit and a LEVEL that says what it is of. */
struct twin_pair {
  unsigned kind;
  const char *name[2];
  size_t pulse, pulse_bytes, level, level_bytes;
};

struct twin_net {
  unsigned kinds, wires, pulses, pairs;
  const struct twin_kind *kind;
  const struct twin_wire *wire;
  const struct twin_pulse *pulse;
  const struct twin_pair *pair;
  void (*laws)(struct twins *t); /* NULL, or: compares ports with the SM's copies (laws.h); before each clock edge */
};

/* First member of every net. Masks: a bit per instance. */
struct twins {
  const struct twin_net *net;
  struct sm *sm;
  bool observed;                 /* there is an observer */
  bool values;                   /* DATA ports are modelled */
  bool pairs;                    /* with sim.check: pairs of inputs are watched (twin_watch_pairs) */
  void (*laws)(struct twins *t); /* the net's, with sim.check; else NULL */
  uint64_t present[TWIN_KINDS];  /* instances in this launch */
  unsigned active;               /* kinds of which some are awake */
  uint64_t awake[TWIN_KINDS];    /* take this cycle's clock edge */
  uint64_t stale[TWIN_KINDS];    /* the outputs are not those of the inputs */
  uint64_t changed[TWIN_KINDS];  /* an input has, since the last clock edge */
};

/* Resets all blocks, all awake (a launch begins), and drives every wire. leave_out: kinds without an instance in this launch, a
 * mask. */
void twins_start(struct twins *t, const struct twin_net *net, struct sm *S, unsigned leave_out);
/* The same; present: of each kind the instances in this launch, a mask; a kind that has one has number 0. */
void twins_start_some(struct twins *t, const struct twin_net *net, struct sm *S, const uint64_t *present);
/* Another launch of the same SM begins, and the blocks go on as they were: no cycle has passed for them meanwhile. */
void twins_resume(struct twins *t, const struct twin_net *net);
/* No block is awake, and the choice leaves COMMIT: the laws of the cycle. */
static inline void twins_asleep(struct twins *t) {
  if (t->laws) t->laws(t);
}
/* Is any block awake, so that twins_commit would do something? */
static inline bool twins_awake(const struct twins *t) { return t->active != 0; }

/* With an observer: shows all instances; replaces the outputs of instance k, if --drive rtl wants that. */
void twins_observe(struct twins *t);
void twin_replace(struct twins *t, const struct twin_kind *b, unsigned k);
/* The same of a unit of a BANK. */
bool twin_show_unit(struct twins *t, const char *name, unsigned u, const void *state, const void *in, const void *out);
void twin_replace_unit(struct twins *t, const char *name, unsigned u, const void *in, void *out);

/* With sim.check, before the choice writes inputs and before the clock edge: stops the run if what a PULSE told in this cycle was
 * overwritten, since the LEVEL that belongs to it has changed and the PULSE is still set. */
void twin_watch_pairs(struct twins *t, unsigned kind, unsigned k);

/* Inputs of instance k are about to be written; outc: outputs may depend on them in the same cycle. */
static inline void twin_write(struct twins *t, unsigned kind, unsigned k, bool outc) {
  if (t->pairs) twin_watch_pairs(t, kind, k);
  const uint64_t bit = 1ull << k & t->present[kind];
  t->active |= (unsigned)(bit != 0) << kind;
  t->awake[kind] |= bit;
  t->changed[kind] |= bit;
  if (outc) t->stale[kind] |= bit;
}
/* Outputs of instance k are about to be read. */
static inline void twin_read(struct twins *t, unsigned kind, unsigned k) {
  if (t->stale[kind] >> k & 1) t->net->kind[kind].evaluate(t, k);
}

#endif
