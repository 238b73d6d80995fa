/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime: the state behind the CUDA runtime's calls: one session (host/session/device.h) per process, what its fat binaries have
 * registered, and the errors.
 *
 * - All of it is guarded by one recursive lock. An exported function is `API cudaError_t cudaX(...) { return RT_CALL(x(...)); }`,
 *   where x is static and runs with the lock held, and with the settings of base/host_env.h.
 * - The session is opened, from the environment, by the first call that needs it; never by what constructors call before main.
 * - A message is one line: rt_error. The text of one line is printed once per process.
 */
#ifndef RT_CUDART_RUNTIME_H
#define RT_CUDART_RUNTIME_H

#include "host/cudart/types.h"
#include "host/session/device.h"

#define API __attribute__((visibility("default")))
/* The same function under another name: the variant of a program whose default stream is one for each thread. */
#define ALIAS(name, as) API extern __typeof__(name) as __attribute__((alias(#name)));
/* This variant, name_ptsz, of a function of a stream: the parameters and the arguments of the call are given in parentheses. */
#define PER_THREAD(name, parameters, arguments) \
  API cudaError_t name##_ptsz parameters { return name arguments; }
#define OWN_STREAM(s) ((s) ? (s) : cudaStreamPerThread)

/* ---- calls (state.c) ---- */

/* The value of `e`, evaluated with the lock held and the session open, becomes the thread's last error if it is one, and is told in
 * one line unless `e` told it. After a fault `e` is not evaluated: every call has the fault's error until cudaDeviceReset. */
#define RT_CALL(e) RT_EVALUATE(true, e)
/* The same for what needs no session and works after a fault, too. */
#define RT_HOST(e) RT_EVALUATE(false, e)
#define RT_EVALUATE(session, e)                                                          \
  ({                                                                                     \
    cudaError_t rt_status_ = rt_begin(session);                                          \
    rt_status_ ? rt_end(rt_status_, NULL) : rt_end((rt_enter(__func__), (e)), __func__); \
  })
cudaError_t rt_begin(bool session);
void rt_enter(const char *call);
const char *rt_call(void);                                /* the function that the program has called, for messages */
cudaError_t rt_end(cudaError_t status, const char *call); /* call: its name, for the line; NULL: none is printed */

/* Between the two the thread has the settings of base/host_env.h. A callback is called between rt_unlock and rt_lock: it finds the
 * program's settings, and the lock free. */
void rt_lock(void);
void rt_unlock(void);

/* The session; with the lock held. NULL: rt_begin(true) has not been successful. */
struct device *rt_device(void);
/* cudaDeviceReset: writes REGTWIN_JSON, closes the session; the next call opens another one. Errors are cleared. */
void rt_reset(void);
/* Counts sessions: handles and addresses of an earlier one are void. */
unsigned rt_generation(void);

/* ---- errors (state.c) ---- */

/* "regtwin: CALL: text", and returns code. The text is escaped. */
cudaError_t rt_error(cudaError_t code, const char *call, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What the device said, with a line of *e; a fault becomes the sticky error. */
cudaError_t rt_status(enum device_status status, const char *call, const struct err *e);

const char *rt_error_text(cudaError_t e); /* NULL: no such code (errors.c) */

/* Of the calling thread; rt_last_error(true) clears it. The sticky error, if there is one. */
cudaError_t rt_last_error(bool clear);
void rt_set_last_error(cudaError_t e);
cudaError_t rt_sticky(void);

/* ---- what is registered (register.c) ---- */

struct binary;
struct function {   /* a __global__ function; cudaFunction_t and cudaKernel_t point to it */
  const void *host; /* address of the host's stub */
  const char *name; /* in the PTX */
  struct binary *binary;
  struct device_kernel *kernel; /* NULL: not looked for in this session */
  unsigned generation;          /* ... which it was found in */
  unsigned target;              /* of its PTX: 75 for sm_75; 0: not known yet */
  uint32_t max_dynamic;         /* cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set */
};
/* By the host's address of it, or itself; NULL: none. */
struct function *rt_function(const void *host);
/* Its kernel, its PTX loaded. Errors have been told: cudaErrorNoKernelImageForDevice, ... */
cudaError_t rt_kernel(struct function *f, struct device_kernel **out);

struct rt_place { /* of a __device__, __constant__ or __managed__ variable */
  const char *name;
  struct device_module *module;
  bool constant; /* addr: offset in the module's constant bank (device_constant) */
  bool managed;
  uint32_t addr, size; /* size: bytes */
};
/* A variable by its host address (or, of a managed one, the value or the address of its host pointer); loads its PTX.
 * cudaErrorInvalidSymbol: none is there. */
cudaError_t rt_symbol(const void *symbol, struct rt_place *out);

/* Of a fat binary; loads it. Errors have been told. */
cudaError_t rt_module(struct binary *b, struct device_module **out);

/* Before a module is unloaded: its constant variables have no addresses any more (bytes.c). */
void rt_forget(const struct device_module *m);

/* Highest compute capability of all PTX registered so far, as 75; 0: none. */
unsigned rt_ptx_target(void);

/* ---- streams (stream.c) ---- */

/* cudaSuccess: a stream that is alive, or one of the default streams (0, 1, 2). cudaErrorInvalidResourceHandle. */
cudaError_t rt_stream(cudaStream_t s);
/* True if the legacy default stream waits for what is in s, and s for the default stream. */
bool rt_stream_blocking(cudaStream_t s);

#endif
