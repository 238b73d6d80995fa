/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec: executes the allocated code of one launch, 32 lanes at a time, with real values and without time. Public
 * interface of exec/.
 *
 * Memory image: one flat space below GLOBAL_END. Allocations are byte-exact with gaps between them, so that an
 * access outside any of them is found and reported with PC, source line, CTA and thread.
 */
#ifndef RT_EXEC_EXEC_H
#define RT_EXEC_EXEC_H

#include "ir/code.h"
#include "stream/stream.h"

/* ---- memory image (exec/memory.c) ---- */
struct memory;
struct memory *memory_new(const struct module *m); /* module variables placed and initialised */
void memory_free(struct memory *m);
/* A zeroed buffer, aligned to 256; 0: does not fit below GLOBAL_END (CODE_BASE, see below; it has no memory_room), or
 * the host has no memory for it. Moves the image: earlier host pointers of memory_at become invalid. */
uint32_t memory_alloc(struct memory *m, const char *name, uint32_t bytes);
/* The same with so many bytes before and behind it that may be read, and are zero. */
uint32_t memory_alloc_padded(struct memory *m, const char *name, uint32_t bytes, uint32_t pad);
uint64_t memory_room(const struct memory *m, uint64_t pad); /* bytes that a buffer with this pad may have at most */
uint8_t *memory_at(struct memory *m, uint32_t addr, uint32_t bytes); /* host pointer; NULL: not inside one allocation */
uint8_t *memory_const(struct memory *m);                             /* the 64 KB constant bank */

/* What the address ring holds: global: the address. Shared, const, param: the offset. Local: LOCAL_BASE + (warp slot
 * * words + word) * 128 + 4 * lane + byte, with `words` local words per thread: a word that all lanes access is one
 * line; an access of several words reports its lowest. Lanes that do not execute repeat the address of the lowest
 * that does. A generic access whose lanes lie in several windows reports the lanes in global memory (or, with none
 * there, those in the lowest lane's window); the other lanes repeat the lowest of them. A guarded-off access has mem
 * 0. */

/* ---- one launch ---- */
/* Sees every instruction that a warp of the stream has executed, in the order of the warp, before it is given: CTA in the
 * grid, warp in the CTA. It may set inst->near. False and *e: the launch fails. CTAs that a timed launch executes without
 * time are not seen. */
struct exec_tap { /* with several SMs: from several host threads at once, but never for one CTA */
  bool (*insn)(void *ctx, uint32_t cta, uint32_t warp, struct warp_inst *inst, struct err *e);
  void *ctx;
};
struct launch {
  const struct module *module;
  const struct code *code; /* allocated */
  struct memory *mem;
  uint32_t grid[3], block[3];
  uint32_t shared_dyn;        /* bytes */
  const uint8_t *param;       /* code->param_bytes */
  struct prints *prints;      /* takes what vprintf makes; NULL: it is dropped */
  uint64_t most_insns;        /* of all warps together; 0: no limit */
  const char *limit;          /* what the user calls that limit; NULL: it has no name */
  uint64_t *ran;              /* warp instructions are added here when the launch ends or fails; may be NULL */
  const struct exec_tap *tap; /* NULL: none */
  struct races *races;        /* the race detector (exec/races.h); NULL: none */
  unsigned stride;            /* as the launch file says: of the grid's CTAs every so manieth is timed; 0: all */
  uint64_t *untimed;          /* CTAs that a timed launch executed without time are added here; may be NULL */
  /* A launch of a trace (stream/trf.h), by its number: nothing is executed, and module, mem and prints are not used. */
  struct trf *trace;
  uint32_t trace_launch;
  struct recording *record; /* a timed launch is recorded (run/record.h); NULL: it is not */
};

struct exec_limits {
  unsigned warp_slots, cta_slots; /* most resident at once */
  bool values;                    /* fill the value ring */
  bool no_addresses;              /* the address ring stays empty; inst.mem says only that there was an access */
  uint64_t max_insns;             /* per warp, 0: 2^32; beyond it: a runaway loop, reported with its place */
  unsigned sm, sms;               /* as in stream_room; sms 0: one */
  struct all_sms *all; /* the launch's, with several SMs; NULL: loops that cannot end are not looked for then */
  unsigned stride;     /* CTA number k of the stream is k * stride of the grid; 0: 1. The others are executed
                                   * without time (exec/run.c) */
};

/* The streams of the SMs of one launch; freed after them (exec/all_sms.c). */
struct all_sms *all_sms_new(unsigned sms);
void all_sms_free(struct all_sms *t); /* NULL is fine */

/* A functional stream over a launch (exec/stream.c). The launch, its module and memory outlive it. NULL and *e on
 * a launch that cannot run (block too large, shared memory too large for an address...). */
struct stream *stream_functional(const struct launch *l, const struct exec_limits *lim, struct err *e);
/* The SM's view of it; each kernel of a module has its own lines of code, one kernel after the other. */
struct kernel launch_kernel(const struct launch *l);

struct exec_counts {
  uint64_t warp_insns, thread_insns;
};
/* Runs the whole launch without timing: CTAs in order, `resident` at a time (0: as many as one SM would hold; more
 * when all of them wait for others), warps in turns (exec/run.c). An error when it takes more than
 * launch.most_insns. */
bool exec_run(const struct launch *l, unsigned resident, struct exec_counts *counts, struct err *e);

/* ---- what a launch prints (exec/print.c) ---- */
struct prints *prints_new(void);
void prints_free(struct prints *p); /* NULL is fine */
/* At the launch's end: all of it as one text, which is foreign (base/show.h); a note says what was dropped. */
void prints_give(struct prints *p, void (*print)(void *ctx, const char *text, size_t n), void *ctx);

#endif
