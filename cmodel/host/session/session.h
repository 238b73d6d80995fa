/* SPDX-License-Identifier: Apache-2.0 */
/* session: the state of a session, private to host/session/. */
#ifndef RT_SESSION_SESSION_H
#define RT_SESSION_SESSION_H

#include "host/session/chosen.h"
#include "host/session/device.h"
#include "host/session/history.h"
#include "exec/exec.h"
#include "exec/texture_set.h"
#include "gpu/gpu.h"

enum kernel_state { KERNEL_NEW, KERNEL_READY, KERNEL_REFUSED };

static inline enum device_status device_status_of(bool ok) { return ok ? DEVICE_OK : DEVICE_BAD_VALUE; }

struct device_kernel {
  struct device_module *of;
  const char *name;
  struct code *code; /* NULL: refused when the file was read */
  enum kernel_state state;
  struct err why;        /* it is refused */
  bool profiled;         /* its near bits are made */
  struct shape_fit *fit; /* of the blocks asked about so far (fit.c) */
};

struct device_module {
  struct device *d;
  struct device_module *next; /* of the session */
  struct module *m;
  struct bank *bank;
  uint64_t *ref;                /* what is bound, by number of m->texref; 0: nothing */
  struct device_kernel *kernel; /* in the order of the file, refused ones among them */
  unsigned kernels;
};

struct device {
  struct config cfg;
  struct gpu *gpu;
  struct memory *mem;
  struct device_module *module;
  struct chosen chosen; /* launches that are timed */
  void (*print)(void *ctx, const char *text, size_t n);
  void *ctx;
  bool lenient, spent;
  uint32_t code_end;  /* instructions of all modules so far */
  uint32_t workspace; /* of cooperative launches (launch.c); 0: there was none */
  uint64_t untimed;   /* CTAs that timed launches executed without time (sm.cta_stride) */
  struct history history;
  struct texture_set textures;
};

/* ---- origin.c ---- */
struct origin {
  char text[4096]; /* the program's name and its arguments, each with a NUL; cut when they are longer */
  size_t bytes;
  const char *program;
  int rank; /* of several that a launcher has started; -1: there is one process */
};
const struct origin *origin_of_process(void); /* static memory */
/* The file of results of this rank: out.json, out.rank3.json. */
void origin_path(char *to, size_t size, const char *json, const struct origin *o);

/* ---- json.c ---- */
struct json_to { /* takes the text */
  void (*put)(void *to, const char *s, size_t n);
  void *to;
};
struct json_parts {           /* made when the session begins */
  char *head, *configuration; /* text */
  void (*reset)(void);        /* called after each value that jansson has made; may be NULL */
};
struct json_parts json_parts_of(const struct device *d, const char *interface);
void json_parts_free(struct json_parts *p);
/* Writes the results of all launches so far. False: no memory. */
bool json_put_all(const struct json_to *to, const struct device *d, const struct json_parts *p, const char *ended_by);

/* ---- fit.c ---- */
/* CTAs of this shape that an SM holds at once. 0 and *e: none, with the numbers. */
unsigned fit_ctas(struct device_kernel *k, uint32_t threads, uint32_t shared_dyn, struct err *e);
void fit_free(struct device_kernel *k);

/* ---- texref.c ---- */
void refs_begin(struct device_module *m); /* samplers by their initialisers; refs_end: before the module is freed */
void refs_end(struct device_module *m);
/* A reference that the kernel uses is not bound: DEVICE_BAD_VALUE and *e. */
enum device_status refs_bound(const struct device_kernel *k, struct err *e);

/* ---- kernel.c ---- */
/* Compiles it, if that was not tried yet. False and *e: it is refused. */
bool kernel_ready(struct device_kernel *k, struct err *e);

#endif
