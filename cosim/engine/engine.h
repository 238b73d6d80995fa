/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine: one block's two models in lockstep. The engine owns both, drives them with the same inputs, compares, and
 * keeps the last cycles. As long as nothing differs the RTL's values are the golden model's, so only those are kept;
 * from the divergence on the RTL's own are sampled.
 */
#ifndef RT_COSIM_ENGINE_H
#define RT_COSIM_ENGINE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"
#include "item.h"
#include "tb.h"

enum { RING = 128, BEFORE = 64, AFTER = 16 }; /* cycles kept; in the waveform before and after the failure */

struct frame { /* one cycle of the ring, followed by its values */
  uint64_t cycle;
  bool reset;   /* the first after a reset */
  bool sampled; /* the RTL's values are its own */
  bool unknown; /* the golden model's outputs are not: it could not evaluate them */
  bool ended;   /* no cycle: the registers after the last edge; no inputs are driven */
};

/* Inputs of cycles: cycles x (in_bytes + 8), each after one word: where the cycle starts. */
enum { START_ON, START_RESET, START_STATE }; /* goes on; after a reset; START_STATE + k: after a reset, from state k */
struct stim {
  unsigned char *at;
  uint64_t cycles, room;
  size_t step;
  unsigned char *state; /* states x state_bytes: struct BLOCK_state */
  uint64_t states;
};

/* What ended a run. The first that is found stands; in one cycle in this order: a difference, the bench's
   oracle, a difference between the golden model with and without its data, the contract of idle and skip,
   a rule of the inputs or an invariant of the golden model, an assertion of the RTL. */
enum outcome { RUN_AGREE, RUN_DIVERGE, RUN_EXPECT, RUN_CONTROL, RUN_IDLE, RUN_ILLEGAL, RUN_INVARIANT, RUN_ASSERT };

/* A value that fits a line: an element of up to 64 bits, 32 bits of a wider one. */
struct field {
  const struct item *item;
  unsigned element, word, width;
};
enum { FIELDS = 32 };

struct engine {
  const struct block_desc *d;
  const struct rtl_api *rtl;
  const struct tb *tb;
  unsigned seed;
  void *c, *r;
  unsigned char *ring;
  size_t slot, at_in, at_out, at_state, at_rout, at_rstate;
  uint64_t cycle, limit, first; /* made so far; where to stop; of the present episode */
  uint64_t kept;                /* frames that hold cycles of this run */
  bool after_reset, plain, edge_in_reset, stopping, observing;
  bool compared;    /* in this cycle */
  bool peeked;      /* in this cycle: peek_in and scratch_out are inputs and outputs of the last tb_peek */
  bool peeking;     /* tb_peek evaluates the golden model */
  bool judging;     /* the golden model evaluates inputs that may be illegal; a broken rule returns to `judged` */
  bool idling;      /* idle_holds is at work */
  bool from_state;  /* this episode starts from a state: assertions of the RTL may count from the reset */
  bool in_case;     /* a case of the bench runs */
  bool no_states;   /* cases end at a tb_state */
  bool strict;      /* a broken rule counts even in the cycle of a difference (shrink) */
  const char *what; /* name of the case, phase or stream that runs */
  unsigned char *peek_in, *scratch_out;
  unsigned char *beyond; /* set where an input's bit must be zero: above its width, beyond a set's dimensions */
  unsigned char *start;  /* the state that this episode starts from */
  unsigned char *quiet, *quiet_out; /* for idle_holds: inputs, outputs; copies of the golden model */
  void *ticked, *skipped;
  void *control; /* golden model without its data, its inputs and outputs; NULL: the block has none */
  unsigned char *control_in, *control_out;
  uint64_t idled, idle_every; /* idle states so far; every idle_every-th is checked */
  uint64_t *hits;
  unsigned bins;
  struct stim *record; /* where each cycle's inputs are kept, or NULL */
  uint64_t record_from;
  /* a window for a waveform with the RTL's internals, in builds that can */
  struct wave *wave;
  uint64_t wave_from, wave_to;
  /* what went wrong */
  enum outcome outcome;
  uint64_t bad_cycle, bad_first;
  uint64_t needs;              /* a run of so many cycles shows the failure again */
  struct field field[FIELDS];  /* what differed in the failure that is shown, for the waveform */
  unsigned fields, differ;     /* fields of all that differ */
  char message[1024];          /* of all but a difference: what is wrong */
  char also[1200];             /* what the other side says, a whole sentence, or empty */
  struct asserted asserted;    /* where it stands */
  jmp_buf stop, judged, leave; /* leave: ends a case */
};

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2))); /* message, exit status 2 */
static inline void *memory_checked(void *memory) {
  if (!memory) die("out of memory");
  return memory;
}

struct engine *engine_new(const struct block_desc *d, const struct rtl_api *rtl, const struct tb *tb, unsigned seed);
void engine_restart(struct engine *e); /* fresh models, cycle 0; the bins stay */
void engine_free(struct engine *e);
/* Self-test: each input arrives and each differing bit is detected; ends the program when the shim or comparer is
 * wrong. */
void engine_check_itself(struct engine *e);
/* Cases, then random episodes, up to limit cycles. */
enum outcome engine_run(struct engine *e, uint64_t limit);
enum outcome engine_replay(struct engine *e, const struct stim *s, const char *name);
unsigned engine_bins_hit(const struct engine *e);
struct frame *engine_frame(const struct engine *e, uint64_t cycle); /* NULL when no longer or not yet there */
static inline unsigned char *frame_at(struct frame *f, size_t offset) { return (unsigned char *)f + offset; }

/* report.c: the table of a failure (docs/start/change-a-block.md), and the eight cycles before it */
void report_failure(struct engine *e, FILE *to);
/* Those that differ in a frame into p, at most four of a port or array, `room` together: how many; *all: of how many. */
enum { OF_ONE = 4 };
unsigned differing_fields(const struct engine *e, struct frame *f, struct field *p, unsigned room, unsigned *all);
void report_stimulus(const struct block_desc *d, const struct stim *s, FILE *to);
/* The ENUM's name for a value, or NULL. */
enum { ENUM_NAME = 32 };
const char *enum_name(const struct item *i, uint64_t value, char name[static ENUM_NAME]);
bool names_have(const char *names, const char *name); /* one of these, with spaces between */

/* idle.c: whether the golden model keeps the contract of idle, hold and skip in its present state; false: why is in
 * e->message. last_in: NULL after a reset. */
bool idle_holds(struct engine *e, const void *last_in, const void *in);
/* Does a line of this kind (QUIET, LOOSE, DATA) of the .def name the port? */
bool line_names(const struct block_desc *d, enum item_kind line, const char *port);
/* The first port or register of a kind that differs, but for those that lines `but` name, with its values; or false. */
bool first_difference(const struct block_desc *d, enum item_kind kind, enum item_kind but, const void *a, const void *b,
                      char text[static 160]);

/* explain.c: where the values of a check are; NULL: not known. */
struct sides {
  const void *in, *out, *state, *model; /* model: the golden model's whole struct */
  const char *scope;                    /* of the assertion */
};
/* A number for a message: 7, 272 (0x110), above 32 bits 0x100000000. */
enum { NUMBER_TEXT = 40 };
void explain_number(uint64_t v, char text[static NUMBER_TEXT]);
/* Appends ": name = value, ..." of what a condition names. */
void explain_values(const struct block_desc *d, const struct sides *at, const char *condition, char *text, size_t room);

/* control.c: the golden model without its data beside the one with it. False: they differ, e->message says where. */
void control_new(struct engine *e);
void control_free(struct engine *e);
void control_reset(struct engine *e);
bool control_holds(struct engine *e, const void *in, const void *out);
void control_tick(struct engine *e);

/* wave.c: one FST file, scopes bench, in, c, rtl, diff; beside it the save file */
struct wave;
struct wave *wave_open(struct engine *e, const char *path, bool internals);
void wave_cycle(struct wave *w, struct frame *f);
void wave_close(struct wave *w, uint64_t from, uint64_t to, uint64_t marker, bool marked);
void wave_of_ring(struct engine *e, const char *path);
/* The RTL's inner signals that the failed assertion names, "name = value, ..." in the failure's cycle, from a closed waveform that has
 * them; an empty text if there is none. */
void wave_asserted_values(const struct engine *e, const char *path, char *text, size_t room);

/* stim.c */
uint64_t desc_hash(const struct block_desc *d);
void stim_add(struct stim *s, const struct block_desc *d, bool reset, const void *in);
/* The same of the first cycle after a reset and a tb_state. */
void stim_add_from(struct stim *s, const struct block_desc *d, const void *state, const void *in);
unsigned char *stim_in(const struct stim *s, uint64_t cycle);
uint64_t *stim_start(const struct stim *s, uint64_t cycle); /* START_... */
bool stim_reset(const struct stim *s, uint64_t cycle);      /* is there a reset before it? */
const unsigned char *stim_state(const struct stim *s, const struct block_desc *d,
                                uint64_t cycle); /* NULL: none of its own */
/* Adds n cycles of another stream, from cycle `first` on. */
void stim_copy(struct stim *s, const struct block_desc *d, const struct stim *from, uint64_t first, uint64_t n);
void stim_free(struct stim *s);
/* NULL, or why the file could not be written; nothing is left half-written. */
const char *stim_write(const struct stim *s, const struct block_desc *d, const char *path);
void stim_read(struct stim *s, const struct block_desc *d, const char *path);
/* NULL, or what is wrong with the file. any: also a stream of the block at another set, which is read as one of this set; right if no
 * input has a shape that differs between the two. */
const char *stim_try(struct stim *s, const struct block_desc *d, bool any, const char *path);

/* shrink.c: in place; false when the stream does not fail from fresh models. *early: the seconds of processor time were used up before the
 * last reduction was tried. */
bool stim_shrink(const struct engine *like, struct stim *s, double seconds, bool *early);

/* Seconds of this process, without other load of the host. */
static inline double processor_time(void) { return 1e-9 * (double)clock_cpu_ns(); }

#endif
