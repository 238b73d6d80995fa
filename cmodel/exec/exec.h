/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec: runs the allocated code of one launch, 32 lanes at a time, with real values; asks never what
 * cycle it is. Public face of exec/ for stream/, lab/ and the tests.
 *
 * Memory image: one flat space below GLOBAL_END. Allocations are byte-exact with gaps between them, so that an
 * access outside any of them is found and reported with PC, source line, CTA and thread.
 */
#ifndef RT_EXEC_EXEC_H
#define RT_EXEC_EXEC_H

#include "code/code.h"
#include "stream/stream.h"

/* ---- memory image (exec/memory.c) ---- */
struct memory;
struct memory *memory_new(const struct module *m);    /* module variables placed and initialised */
void memory_free(struct memory *m);
/* A zeroed buffer, aligned to 256; 0: does not fit below GLOBAL_END (CODE_BASE, see below; it has no
 * memory_room), or the host has no memory for it. Moves the image: a host pointer
 * that memory_at gave before is good no longer. */
uint32_t memory_alloc(struct memory *m, const char *name, uint32_t bytes);
/* The same with so many bytes before and behind it that may be read, and are zero. */
uint32_t memory_alloc_padded(struct memory *m, const char *name, uint32_t bytes, uint32_t pad);
uint64_t memory_room(const struct memory *m,
                     uint64_t pad); /* bytes that a buffer with this pad may have at most */
uint8_t *memory_at(struct memory *m, uint32_t addr, uint32_t bytes);   /* host pointer; NULL: not inside one allocation */
uint8_t *memory_const(struct memory *m);              /* the 64 KB constant bank */

/* The SM fetches instructions from here and local memory lies here, above all buffers; so lines never alias. */
#define LOCAL_BASE 0x30000000u
#define CODE_BASE 0x3f000000u
/* What the address ring holds: global: the address. Shared, const, param: the offset. Local: LOCAL_BASE + (warp slot *
 * words + word) * 128 + 4 * lane + byte, with `words` local words per thread: a word that all lanes access is one line;
 * an access of several words reports its lowest. Lanes that do not execute repeat the address of the lowest that does. A
 * generic access whose lanes lie in several windows reports the lanes in global memory (or, with none there, those in
 * the lowest lane's window); the other lanes repeat the lowest of them. A guarded-off access has mem 0. */

/* ---- one launch ---- */
struct launch {
  const struct module *module;
  const struct code *code;         /* allocated */
  struct memory *mem;
  uint32_t grid[3], block[3];
  uint32_t shared_dyn;             /* bytes */
  const uint8_t *param;            /* code->param_bytes */
  struct prints *prints;           /* takes what vprintf makes; NULL: it is dropped */
  uint64_t most_insns;             /* of all warps together; 0: no limit */
  const char *limit;               /* what the user calls that limit; NULL: it has no name */
  uint64_t *ran;                   /* warp instructions are added here when the launch ends or fails; NULL: nobody asks */
  struct races *races;             /* told of all accesses (exec/races.h); NULL: nobody looks for races */
};

struct exec_limits {
  unsigned warp_slots, cta_slots;  /* most resident at once */
  bool values;                     /* fill the value ring */
  bool no_addresses;               /* the address ring stays empty; wi.mem tells only that there was an access */
  uint64_t max_insns;              /* per warp, 0: 2^32; beyond it: a runaway loop, reported with its place */
};

/* A functional stream over a launch (stream/functional.c). The launch, its module and memory outlive it. NULL and *e on
 * a launch that cannot run (block too large, shared memory too large for an address...). */
struct stream *stream_functional(const struct launch *l, const struct exec_limits *lim, struct err *e);

struct exec_counts { uint64_t warp_insns, thread_insns; };
/* Runs the whole launch without timing: CTAs in order, `resident` at a time (0: as many as one SM would hold; more when all of them
 * wait for others), warps in turns (exec/run.c). An error when it takes more than launch.most_insns. */
bool exec_run(const struct launch *l, unsigned resident, struct exec_counts *counts, struct err *e);

/* ---- what a launch prints (exec/print.c) ---- */
struct prints *prints_new(void);
void prints_free(struct prints *p);                   /* NULL is fine */
/* At the launch's end: all of it as one text, which is foreign (base/show.h); a note says what was dropped. */
void prints_give(struct prints *p, void (*print)(void *ctx, const char *text, size_t n), void *ctx);

/* ---- a launch file (exec/file.c reads, exec/host.c runs) ---- */
struct script;                     /* parsed launch file: its PTX path, statements with places */
struct script *script_read(const char *path, struct err *e);           /* NULL on error */
struct script *script_parse(const char *path, const char *text, size_t n, struct err *e);
const char *script_ptx(const struct script *s);                        /* path, relative ones resolved against the launch file */
/* After its PTX could not be loaded: *e says where the launch file names it, unless it has a place in the
 * PTX. False. */
bool script_ptx_unread(const struct script *s, struct err *e);
void script_free(struct script *s);

struct host_result { /* a buffer that the file calls a result: of an `expect` or an `image` statement */
  const char *name;
  enum dtype type;
  const void *data;
  uint64_t n;                       /* elements */
  uint32_t width, height, channels; /* of an image: pixels, elements for each; 0: of an expect */
  double black, white;              /* of an image: the values that are the levels 0 and 255 */
  int line, col;                    /* of the statement */
};
/* The 8-bit levels of an image, as its PNG holds them: r->n bytes (exec/image.c). */
void host_levels(const struct host_result *r, uint8_t *level);
/* Element i of a buffer as a double. */
double host_number(enum dtype t, const void *data, uint64_t i);

/* Of a whole run: warp instructions, statements of its file; 0: no limit. */
struct host_limits { uint64_t insns, statements; };

struct host_ops {
  /* Runs one launch (functionally, or with timing); false and *e to stop. `index` counts launches from 0; `name` is the
   * kernel's. `regs`: as the file says, 0 if it does not (the module was allocated by it already, see script_regs). */
  bool (*launch)(void *ctx, const struct launch *l, unsigned index, struct err *e);
  void *ctx;
  const char *dumps;  /* directory below which dump statements may write; NULL: the current one; "/": anywhere */
  void (*print)(void *ctx, const char *text, size_t n); /* what a launch's kernel printed, at its end; NULL: nobody asks */
  const char *images; /* directory that image statements write to; NULL: they are checked only */
  void (*result)(void *ctx, const struct host_result *r); /* at expect and image statements; NULL: nobody asks */
  bool unchecked; /* expect statements name results only; they do not compare */
  bool trial;     /* dump statements write nothing: not the run that the user asked for */
  struct host_limits limits;
};
/* What the file forces for a kernel: `regs N`, 0: nothing. Asked before allocation. */
uint32_t script_regs(const struct script *s, const char *kernel);
/* The seed that script_run uses when it is given 0 (exec/about.c). */
uint64_t script_seed(const struct script *s);
/* Gives the file's kernels the names that the module has, where it names them by their base names (code/find.c). To be called
 * once, before the two functions that speak of kernels. False: `regs` contradict each other. */
bool script_resolve(struct script *s, struct module *m, struct err *e);
/* Kernels that the file launches, by number; NULL past the last (exec/about.c). */
const char *script_kernel(const struct script *s, unsigned i);
/* Executes all statements over an allocated module. `seed` 0: the file's own (or 1). Expectations that fail are errors with
 * the first differing element, what was expected, and how many differ. With another seed than the file's own,
 * only `expect NAME expr E` is checked: the other answers belong to the file's inputs. */
bool script_run(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops, struct err *e);
/* The blocks of the file's first launch of `kernel`, by its numbers alone: nothing is filled or executed, of a loop the first
 * round is taken. False: it is not launched, or its block cannot be known before a run (*e). */
struct launch_shape { uint32_t block[3], shared_dyn; bool found; };
bool script_shape(const struct script *s, struct module *m, const char *kernel, struct launch_shape *out, struct err *e);
/* After a run: a named buffer's bytes (tests compare them with their C reference); NULL if there is none. */
typedef void host_buffer_fn(void *ctx, const char *name, enum dtype type, const void *data, uint64_t elements);
bool script_run_then(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops,
                     host_buffer_fn *each, void *each_ctx, struct err *e);

#endif
