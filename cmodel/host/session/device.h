/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device: a session on the simulated GPU, as a host program's runtime library needs it: memory, modules of PTX, launches
 * that are executed and, where wanted, timed. The OpenCL driver (host/opencl/) and the CUDA runtime library (host/cudart/) are
 * built on it; docs/use/host.md.
 *
 * - A session is used by one thread at a time; several sessions share nothing. Every call is synchronous.
 * - Addresses are the device's, below 2^30 (compiler/ir/insn.h); 0 is none. With device_is_mapped, a device address is also the host
 *   address of the same byte.
 * - What can fail returns an enum device_status and fills *e, which has the place in the PTX for what concerns a kernel. After
 *   DEVICE_FAULT the session's memory can still be read, but nothing launched: close it and open another one.
 * - Caches, and all else of the machine, stay warm from launch to launch, as within one launch file.
 */
#ifndef RT_SESSION_DEVICE_H
#define RT_SESSION_DEVICE_H

#include "config/config.h"
#include "exec/texels.h"
#include "compiler/ir/code.h"
#include "mem/mem.h"
#include "sm/stats.h"

enum device_status {
  DEVICE_OK,
  DEVICE_NO_MEMORY, /* of the device: no room for a buffer or for a module's variables */
  DEVICE_BAD_VALUE, /* an address, a size or an argument that cannot be */
  DEVICE_BAD_PTX,   /* the text as a whole cannot be read: syntax, a target that does not exist */
  DEVICE_REFUSED,   /* this kernel uses what is not supported (textures, recursion...), or is wrong: e has the place */
  DEVICE_TOO_LARGE, /* block, grid, registers or shared memory: no SM of the machine can hold a CTA */
  DEVICE_FAULT,     /* the kernel failed: an access out of bounds, a trap, an endless loop */
  DEVICE_ASSERT,    /* likewise: assert in the kernel */
  DEVICE_SPENT /* sim.stop_cycles or sim.stop_ctas was reached, or a fault before: nothing can be launched any more */
};

/* ---- a session ---- */

struct device;
struct device_settings {        /* zeroes: gtx980 (or the system's own machine), baseline, strict, all is timed */
  const char *machine, *system; /* as regtwin run --config, --system; NULL: not given */
  const char *const *set;       /* section.key=value */
  unsigned sets;
  bool lenient;     /* an access anywhere in the device's memory is no fault: one warning per kernel */
  const char *time; /* which launches are timed: "all", "none", or a list of kernels' names and of launch
                                    * numbers 3, 3-7, 3-, separated by commas; NULL: all */
  bool launches;    /* each launch is listed in the results; until then it takes 25 to 300 bytes of memory */
  bool mapped;      /* the image at host addresses equal to device addresses, if there is room */
  void (*print)(void *ctx, const char *text,
                size_t n); /* what kernels print, at the end of each launch; NULL: stdout */
  void *ctx;
};
/* NULL and *e: an unknown machine, system, key or value, a wrong list of launches. Strings are copied. */
struct device *device_open(const struct device_settings *s, struct err *e);
void device_close(struct device *d); /* its modules, too, after device_warn_unmet; NULL is fine */
/* Warns when a kernel that `time` names was never launched. For a session that is not closed at the end of the process. */
void device_warn_unmet(const struct device *d);
const struct config *device_config(const struct device *d);

/* Settings and the file of results as environment variables give them: REGTWIN_CONFIG, REGTWIN_SYSTEM, REGTWIN_SET
 * (section.key=value, separated by blanks), REGTWIN_TIME, REGTWIN_BOUNDS (strict, lenient), REGTWIN_JSON. Pointers into the environment
 * and into *env, which device_env_free frees. False and *e: a value that REGTWIN_BOUNDS does not have... */
struct device_env {
  struct device_settings settings;
  const char *json; /* file of results (results.h); NULL: none */
  uint64_t run;     /* REGTWIN_RUN: when `regtwin host` began, in ns since 1970; 0: not given */
  char *text;
  const char **sets;
};
bool device_env_read(struct device_env *env, struct err *e);
void device_env_free(struct device_env *env);

/* ---- memory ---- */

bool device_is_mapped(const struct device *d);
uint64_t device_memory_total(const struct device *d); /* bytes for buffers and variables; what of it is free */
uint64_t device_memory_free(const struct device *d);
/* A buffer: zeroed, aligned to 256, or (align) to a greater power of two. The addresses of the first buffers are those that a
 * launch file's first buffers have; freed space is used again. */
enum device_status device_alloc(struct device *d, uint64_t bytes, uint32_t align, uint32_t *addr, struct err *e);
/* DEVICE_BAD_VALUE: no buffer begins there (module variables are no buffers). */
enum device_status device_free(struct device *d, uint32_t addr, struct err *e);
/* Host pointer to `bytes` from addr on; NULL: they do not lie in one buffer or variable. Good until the next device_alloc,
 * device_load; with device_is_mapped always. */
uint8_t *device_at(struct device *d, uint64_t addr, uint64_t bytes);
/* The buffer or variable that holds addr; false: none. */
bool device_span(const struct device *d, uint64_t addr, uint32_t *base, uint32_t *bytes);

/* ---- modules ---- */

struct device_module;
/* name: for messages ("vecadd.cl", "a.out"). Kernels that cannot be run do not keep others from running. The module has its own
 * constant bank of 64 KB. */
enum device_status device_load(struct device *d, const char *name, const char *ptx, size_t n,
                               struct device_module **out, struct err *e);
/* Its variables' memory can be used again. */
void device_unload(struct device_module *m);

struct device_variable {
  const char *name;
  bool constant; /* addr: offset in the module's constant bank; else a device address */
  uint32_t addr, size;
};
bool device_find_variable(const struct device_module *m, const char *name, struct device_variable *out);
/* Why it is not supported; NULL: it is, or there is none of this name. */
const struct err *device_variable_refused(const struct device_module *m, const char *name);
/* Bytes of the constant bank; NULL: beyond what is there. */
uint8_t *device_constant(struct device_module *m, uint32_t offset, uint32_t bytes);
/* For arguments that are constant memory: `bytes` behind the variables of the bank, and what was added before, zeroed and
 * aligned to 16; device_constant finds them. DEVICE_NO_MEMORY: more than 64 KB in all. device_constant_reset takes
 * all that was added away. */
enum device_status device_constant_add(struct device_module *m, uint32_t bytes, uint32_t *offset, struct err *e);
void device_constant_reset(struct device_module *m);

struct device_kernel;
/* By its exact name; also one that will be refused at its launch. NULL: the module has none of that name. */
struct device_kernel *device_find_kernel(struct device_module *m, const char *name);
struct device_about {
  const char *name;
  bool refused;              /* the rest but params is 0 then */
  const struct param *param; /* offsets and sizes (compiler/ir/code.h); 0 of a refused one */
  unsigned nparam;
  uint32_t param_bytes;
  uint32_t regs;           /* per thread, as allocated */
  uint32_t shared_bytes;   /* static */
  uint32_t local_bytes;    /* per thread */
  uint32_t constant_bytes; /* of its module's variables */
  uint32_t max_threads;    /* of a block: .maxntid, .reqntid, and what fits an SM */
  uint32_t reqntid[3];     /* 0: not given */
};
/* DEVICE_REFUSED and *e: why it cannot be launched; *out is filled as far as known in either case. Compiles the kernel when it is asked
 * about, or launched, for the first time. */
enum device_status device_kernel_about(struct device_kernel *k, struct device_about *out, struct err *e);
/* CTAs of so many threads that an SM holds at once; 0: none. */
unsigned device_occupancy(struct device_kernel *k, uint32_t threads, uint32_t shared_dyn);

/* ---- arrays, textures, samplers, surfaces (texture.c) ---- */

/* Images are described by exec/texture.h's struct texture. One over linear memory has addr of a buffer and TEX_PITCH; one that lies as
 * the machine likes is made here: block-linear, zeroed, from type, channels, order, geom, sizes, layers and levels; *t gets addr
 * and the rest. device_free(d, t->addr) ends it. */
enum device_status device_array(struct device *d, struct texture *t, struct err *e);
/* The host's copies, of any image: exec/texels.h. DEVICE_BAD_VALUE: a box that does not lie in its level. */
enum device_status device_texels_read(struct device *d, const struct texture *t, const struct texel_box *b,
                                      const struct texel_rows *to, struct err *e);
enum device_status device_texels_write(struct device *d, const struct texture *t, const struct texel_box *b,
                                       const struct texel_rows *from, struct err *e);
enum device_status device_texels_fill(struct device *d, const struct texture *t, const struct texel_box *b,
                                      const void *texel, struct err *e);
/* Handles for kernels (compiler/ir/texture.h): of an image that is read through t->sampler, of one that is accessed as a surface.
 * *t is copied, and laid out if its bytes are 0 (texture_lay_out); all its memory must be in one buffer. The image is not the handle's: it outlives it, and two
 * handles may name it. A level or layer of another image is a texture of its own at its address. */
enum device_status device_texture(struct device *d, const struct texture *t, uint64_t *handle, struct err *e);
enum device_status device_surface(struct device *d, const struct texture *t, uint64_t *handle, struct err *e);
enum device_status device_handle_free(struct device *d, uint64_t handle, struct err *e); /* it names nothing then */
/* References: .texref, .samplerref and .surfref variables of a module; NULL: none of this name. A sampler's initialiser is bound when the
 * module is loaded. */
const struct texref *device_find_ref(const struct device_module *m, const char *name);
/* handle 0: unbinds. DEVICE_BAD_VALUE: no such reference, or the handle is of another kind. A launch of a kernel that uses a reference
 * that is not bound is DEVICE_BAD_VALUE. */
enum device_status device_bind(struct device_module *m, const char *name, uint64_t handle, struct err *e);

/* ---- launches ---- */

struct device_launch {
  uint32_t grid[3], block[3];
  uint32_t shared_dyn; /* bytes */
  const void *param;   /* param_bytes of them, laid out as the kernel's parameters are */
  uint32_t param_bytes;
  bool cooperative; /* the kernel may wait for all of the grid: device_occupancy x sim.sms CTAs at most */
};
struct device_result { /* of one launch; plain data */
  uint32_t index;      /* launches are counted from 0 */
  bool timed;
  uint64_t cycles;           /* 0 without time */
  uint64_t begin_ns, end_ns; /* of the session's simulated clock (device_ns), which only timed launches advance */
  struct sm_stats sm;        /* over the simulated SMs; without time only the counts of instructions */
  struct mem_stats mem;
};
/* Executes it to its end. What the kernel printed has been given to settings.print then. `out` may be NULL; after a fault it holds
 * what was counted. */
enum device_status device_launch(struct device *d, struct device_kernel *k, const struct device_launch *l,
                                 struct device_result *out, struct err *e);
uint64_t device_ns(const struct device *d); /* cycles so far at gpu.clock_mhz, rounded down */
/* Forgets the launches so far, whose results are another process's: of a fork that goes on with the device of its parent. */
void device_forget_launches(struct device *d);

#endif
