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

#include "compiler/ir/code.h"
#include "trace/stream.h"

/* ---- memory image (exec/memory.c) ---- */
struct memory;
/* Of a launch file: the variables of its one module placed and initialised; buffers one behind the other. */
struct memory *memory_new(const struct module *m);
void memory_free(struct memory *m);
/* A zeroed buffer, aligned to 256; 0: does not fit below GLOBAL_END (CODE_BASE, see below; it has no memory_room), or
 * the host has no memory for it. Moves the image: earlier host pointers of memory_at become invalid. */
uint32_t memory_alloc(struct memory *m, const char *name, uint32_t bytes);
/* The same with so many bytes before and behind it that may be read, and are zero. */
uint32_t memory_alloc_padded(struct memory *m, const char *name, uint32_t bytes, uint32_t pad);
uint64_t memory_room(const struct memory *m, uint64_t pad); /* bytes that a buffer with this pad may have at most */
uint8_t *memory_at(struct memory *m, uint32_t addr, uint32_t bytes); /* host pointer; NULL: not inside one allocation */
uint8_t *memory_const(struct memory *m);                             /* the 64 KB constant bank of memory_new */

/* Of a session (host/session/): several modules come and go, buffers are freed. Its image never moves, unless the host has no
 * room for all of its addresses. */
struct memory_options {
  bool mapped;  /* the image at host addresses equal to device addresses, if there is room (memory_mapped) */
  bool lenient; /* an access to global memory faults only outside of all device memory; one warning per kernel */
};
struct memory *memory_open(const struct memory_options *o); /* free with memory_free */
bool memory_mapped(const struct memory *m);
/* A zeroed buffer of any size, aligned to 256 or a greater power of two, at the lowest address where it fits; 0: it does
 * not. The first ones lie where those of memory_alloc do. */
uint32_t memory_buffer(struct memory *m, uint64_t bytes, uint32_t align);
bool memory_release(struct memory *m, uint32_t addr); /* false: no buffer begins there */
/* Room for a module's variables (ptx_place), which memory_module then takes; memory_release gives it back before that. */
uint32_t memory_block(struct memory *m, uint64_t bytes, uint32_t align);
/* The module's variables in global memory are there and initialised / are gone, before module_free. */
void memory_module(struct memory *m, const struct module *module);
void memory_drop_module(struct memory *m, const struct module *module);
/* Bytes for buffers and variables; those that are free. A buffer of all that is free fits if it lies together. */
uint64_t memory_total(const struct memory *m), memory_unused(const struct memory *m);
/* The buffer or variable that holds addr (one of 0 bytes: that begins there); false: none. Outputs may be NULL. */
bool memory_span(const struct memory *m, uint32_t addr, uint32_t *base, uint32_t *size, bool *symbol);

/* What lies in memory, to be had again after a launch that is tried (exec/saved.c). NULL: the host has no
 * memory for it. memory_restore frees it. */
struct saved;
struct saved *memory_save(struct memory *m);
void memory_restore(struct memory *m, struct saved *s);

/* ---- constant banks (exec/bank.c): 64 KB, one per module ---- */
struct bank;
struct bank *bank_new(const struct module *m); /* the module's constant variables, initialised; it outlives the bank */
void bank_free(struct bank *b);                /* NULL is fine */
/* `bytes` behind the variables and what was added before, zeroed, at a multiple of align (a power of two); name is
 * copied. False: they do not fit. */
bool bank_add(struct bank *b, const char *name, uint32_t bytes, uint32_t align, uint32_t *offset);
void bank_reset(struct bank *b);                                   /* what was added is gone */
uint8_t *bank_at(struct bank *b, uint32_t offset, uint32_t bytes); /* host pointer; NULL: beyond what is there */

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
  struct bank *bank; /* the module's constants; NULL: those of memory_new */
  uint32_t grid[3], block[3];
  uint32_t shared_dyn;             /* bytes */
  uint32_t workspace;              /* address that %envreg2 gives; 0: the launch is not cooperative */
  const uint8_t *param;            /* code->param_bytes */
  const struct textures *textures; /* what its handles name (exec/texture.h); NULL: none */
  struct prints *prints;           /* takes what vprintf makes; NULL: it is dropped */
  uint64_t most_insns;             /* of all warps together; 0: no limit */
  const char *limit;               /* what the user calls that limit; NULL: it has no name */
  uint64_t *ran;                   /* warp instructions are added here when the launch ends or fails; may be NULL */
  const struct exec_tap *tap;      /* NULL: none */
  struct races *races;             /* the race detector (exec/races.h); NULL: none */
  unsigned stride;                 /* as the launch file says: of the grid's CTAs every so manieth is timed; 0: all */
  uint64_t *untimed;               /* CTAs that a timed launch executed without time are added here; may be NULL */
  /* A launch of a trace (trace/trf/trf.h), by its number: nothing is executed, and module, mem and prints are not used. */
  struct trf *trace;
  uint32_t trace_launch;
  struct recording *record; /* a timed launch is recorded (lab/run/record.h); NULL: it is not */
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

/* What every launch must satisfy, whatever the machine (exec/stream.c). False and *e: it does not. */
enum { SHARED_MAX = 227 * 1024, THREADS_MAX = 1024 }; /* of a CTA */
bool launch_fits(const struct code *c, const uint32_t grid[3], const uint32_t block[3], struct err *e);
/* Of a block that fits: what the kernel itself says, .reqntid and .maxntid. */
bool launch_wanted(const struct code *c, const uint32_t block[3], struct err *e);
/* Local memory lies in one window of addresses: is there room for so many resident warps, of all SMs? */
bool launch_local(const struct code *c, uint32_t resident, struct err *e);
/* Bytes of shared memory per CTA, with the dynamic ones; at most SHARED_MAX. */
uint64_t launch_shared(const struct code *c, uint32_t dyn);

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
