/* SPDX-License-Identifier: Apache-2.0 */
/* launch: launch files: parse.c reads, host.c runs them over a module, as a host program would
 * (docs/use/launch-files.md). */
#ifndef RT_LAUNCH_LAUNCH_H
#define RT_LAUNCH_LAUNCH_H

#include "exec/exec.h"

struct script; /* parsed launch file: its PTX path, statements with places */
struct script *script_read(const char *path, struct err *e); /* NULL on error */
struct script *script_parse(const char *path, const char *text, size_t n, struct err *e);
const char *script_ptx(const struct script *s); /* path, relative ones resolved against the launch file */
/* After its PTX could not be loaded: *e says where the launch file names it, unless it has a place in the PTX.
 * False. */
bool script_ptx_unread(const struct script *s, struct err *e);
/* Sizes of the file, in its order; NULL past the last. A file without `sizes` has none. */
const char *script_size_name(const struct script *s, unsigned i);
bool script_has_size(const struct script *s, const char *size);
/* The size that the next run has: `size`, where "default" means the first if none is called so; that is also what
 * holds without this call. A file without sizes takes any. False: it has others. */
bool script_choose(struct script *s, const char *size, struct err *e);
const char *script_size(const struct script *s); /* the chosen one; "": the file has none */
void script_free(struct script *s);

struct host_result { /* a result buffer: of an `expect` or an `image` statement */
  const char *name;
  enum dtype type;
  const void *data;
  uint64_t n;                       /* elements */
  uint32_t width, height, channels; /* of an image: pixels, elements for each; 0: of an expect */
  double black, white;              /* of an image: the values that are the levels 0 and 255 */
  int line, col;                    /* of the statement */
};
/* The 8-bit levels of an image, as its PNG holds them: r->n bytes (launch/image.c). */
void host_levels(const struct host_result *r, uint8_t *level);
/* Element i of a buffer as a double. */
double host_number(enum dtype t, const void *data, uint64_t i);

/* Of a whole run: warp instructions, statements of its file; 0: no limit. */
struct host_limits {
  uint64_t insns, statements;
};

struct host_ops {
  /* Runs one launch (functionally, or with timing); false and *e to stop. `index` counts launches from 0; `name` is
   * the kernel's. `regs`: as the file says, 0 if it does not (the module was allocated by it already, see
   * script_regs). */
  bool (*launch)(void *ctx, const struct launch *l, unsigned index, struct err *e);
  /* Of a run that script_go continues within a launch: the rest of it, as `launch` would return. May be NULL otherwise. */
  bool (*resume)(void *ctx, const struct launch *l, struct err *e);
  void *ctx;
  const char *dumps; /* directory below which dump statements may write; NULL: the current one; "/": anywhere */
  void (*print)(void *ctx, const char *text, size_t n); /* what a launch's kernel printed, at its end; may be NULL */
  const char *images; /* directory that image statements write to; NULL: they are checked only */
  void (*result)(void *ctx, const struct host_result *r); /* at expect and image statements; may be NULL */
  bool unchecked;                                         /* expect statements name results only; they do not compare */
  bool trial;    /* dump statements write nothing: not the run that the user asked for */
  bool *steered; /* NULL, or: set true when the file, after its first launch, reads elements other than in an expect
                  * statement: what it launches may depend on results */
  struct host_limits limits;
};
/* What the file forces for a kernel: `regs N`, 0: nothing. Asked before allocation. */
uint32_t script_regs(const struct script *s, const char *kernel);
/* The seed that script_run uses when it is given 0 (launch/about.c). */
uint64_t script_seed(const struct script *s);
/* Calls `each` with the path of every file that its statements read, for any size, in their order: initial values and
 * expectations, not the PTX. Stops, false, when that returns false. */
bool script_files(const struct script *s, bool (*each)(void *ctx, const char *path), void *ctx);
/* Gives the file's kernels the names that the module has, where it names them by their base names (compiler/ir/find.c). To be
 * called once, before the two functions that report kernels. False: `regs` contradict each other. */
bool script_resolve(struct script *s, struct module *m, struct err *e);
/* Kernels that the file launches, by number; NULL past the last (launch/about.c). */
const char *script_kernel(const struct script *s, unsigned i);
/* Executes all statements over an allocated module. `seed` 0: the file's own (or 1). Expectations that fail are
 * errors with the first differing element, what was expected, and how many differ. With another seed than the file's
 * own, only `expect NAME expr E` is checked: the other answers belong to the file's inputs. */
bool script_run(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops, struct err *e);
/* The same in parts: script_begin, script_go once, script_end. All that a run knows is in *r and what it points to, so that
 * it can be copied out of a launch with the memory of the process (base/image.h), and script_go called again on the copy:
 * it continues with ops->resume, and then with the rest of the file. NULL and *e: a wrong name or argument. ops outlives
 * *r. */
struct host_run;
struct host_run *script_begin(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops,
                              struct err *e);
bool script_go(struct host_run *r, struct err *e);
void script_end(struct host_run *r); /* NULL is fine */
/* The blocks of the file's first launch of `kernel`, by its numbers alone: nothing is filled or executed, of a loop
 * the first round is taken. False: it is not launched, or its block cannot be known before a run (*e). */
struct launch_shape {
  uint32_t block[3], shared_dyn;
  bool found;
};
bool script_shape(const struct script *s, struct module *m, const char *kernel, struct launch_shape *out,
                  struct err *e);
/* After a run: a named buffer's bytes (tests compare them with their C reference); NULL if there is none. */
typedef void host_buffer_fn(void *ctx, const char *name, enum dtype type, const void *data, uint64_t elements);
bool script_run_then(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops,
                     host_buffer_fn *each, void *each_ctx, struct err *e);

#endif
