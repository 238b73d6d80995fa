/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl: what the files of the OpenCL driver share: objects behind handles, the lock, errors, the session, commands and answers of
 * clGet*Info. The interface itself is Debian's CL/cl.h (OpenCL 1.2; the headers know 3.0, so that every slot of the loader's table has
 * its type); section numbers in the comments are those of the OpenCL 1.2 specification, revision 19. docs/use/host.md.
 *
 * An API function begins with API() and its checks, in the specification's order:
 *
 *   cl_int clFinish(cl_command_queue q) {
 *     API();
 *     cl_int bad = object_check(q, QUEUE);
 *     if (bad) return bad;
 *     ...
 *   }
 *
 * From API() to the end of the function one mutex is held, and the thread has the settings of base/host_env.h. Callbacks of the
 * program are put off until both are released (api_later), so that they have the program's settings, may call OpenCL and wait for
 * other threads. All other functions here expect the mutex to be held.
 */
#ifndef RT_OPENCL_CL_H
#define RT_OPENCL_CL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "host/session/device.h"

/* ---- the lock and errors (api.c) ---- */

const char *api_enter(const char *function);
void api_leave(const char **function);
#define API() __attribute__((cleanup(api_leave), unused)) const char *api_function_ = api_enter(__func__)
/* Releases the mutex until api_wake; for clWaitForEvents, clFinish and blocking commands. */
void api_sleep(void);
void api_wake(void); /* wakes all that sleep: the status of an event has changed */
bool api_try(void);  /* as api_enter, at the end of the process; false: another thread has the mutex */
/* Calls f(arg) when the mutex has been released, in the order of the calls, in this thread. */
void api_later(void (*f)(void *arg), void *arg);

/* One line on standard error, "regtwin: clFunction: CL_CODE: text"; the same line is written once only. Returns code. */
cl_int cl_error(cl_int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for a function that returns a handle: return FAIL(errcode_ret, CL_INVALID_VALUE, "..."); */
#define FAIL(ret, ...) (cl_result((ret), cl_error(__VA_ARGS__)), NULL)
void cl_result(cl_int *errcode_ret, cl_int code); /* errcode_ret may be NULL */
const char *cl_error_name(cl_int code);           /* "CL_INVALID_VALUE" */
/* The code that answers a failure of the session, which is written to standard error:
 * no memory CL_MEM_OBJECT_ALLOCATION_FAILURE, bad value CL_INVALID_VALUE, bad PTX CL_INVALID_BINARY, refused, too large
 * or a fault CL_OUT_OF_RESOURCES. */
cl_int cl_device_error(enum device_status status, const struct err *e);

/* ---- objects (object.c) ---- */

/* Handles point to objects in pools, whose memory is never given back: a handle that was released, or is none, is recognised
 * without a crash. */
enum object_kind { NO_OBJECT, PLATFORM, DEVICE, CONTEXT, QUEUE, MEM, PROGRAM, KERNEL, EVENT, SAMPLER, OBJECT_KINDS };

struct object { /* first member of every object */
  const cl_icd_dispatch *dispatch;
  enum object_kind kind; /* NO_OBJECT: free */
  cl_uint refs;          /* of the program: clRetain*, clRelease*, CL_*_REFERENCE_COUNT */
  cl_uint held;          /* of other objects and of commands */
  void (*destroy)(void *object);
  struct object *next;
};

/* Zeroed, refs 1. `size` is the same for all of a kind. NULL: no memory. When the last reference is gone, destroy frees what the
 * object owns, and drops what it holds; not the object itself. */
void *object_new(enum object_kind kind, size_t size, void (*destroy)(void *object));
/* CL_SUCCESS, or the kind's error (CL_INVALID_CONTEXT...) and a line. */
cl_int object_check(const void *handle, enum object_kind kind);
bool object_is(const void *handle, enum object_kind kind); /* without a line */
cl_int object_retain(void *handle, enum object_kind kind); /* clRetain*: checks the handle */
cl_int object_release(void *handle, enum object_kind kind);
void *object_hold(void *object); /* returns it; NULL is fine */
void object_drop(void *object);
unsigned object_count(enum object_kind kind); /* how many live */

/* ---- answers of clGet*Info (info.c) ---- */

struct info {
  cl_uint name;
  size_t size;
  void *value;
  size_t *size_ret;
};
#define INFO_ARGS \
  &(struct info) { param_name, param_value_size, param_value, param_value_size_ret }
/* CL_INVALID_VALUE: value is there and too small. */
cl_int info_bytes(const struct info *o, const void *bytes, size_t n);
cl_int info_string(const struct info *o, const char *text);
#define INFO(o, type, v) info_bytes((o), &(type){v}, sizeof(type))
/* CL_INVALID_VALUE without a line: programs ask for what later versions or other vendors have. */
cl_int info_unknown(const struct info *o);

/* ---- the session (session.c) ---- */

/* Opened by the environment at the first call; NULL: that failed, and its reason was written. A session that a fault ended is replaced
 * by a new one when a context is created while there is none (session_renew). */
struct device *session_device(void);
void session_renew(void);
void session_spent(void);              /* a fault: nothing can be launched any more */
extern const cl_icd_dispatch cl_table; /* icd.c */

/* ---- platform, device, context, queue ---- */

struct _cl_platform_id {
  struct object o;
};
struct _cl_device_id {
  struct object o;
};
extern struct _cl_platform_id cl_platform;
extern struct _cl_device_id cl_device;

struct _cl_context {
  struct object o;
  cl_context_properties *properties; /* as given, with the 0 at the end */
  size_t nproperties;
  void(CL_CALLBACK *notify)(const char *text, const void *info, size_t n, void *user);
  void *user;
};

struct command;
struct _cl_command_queue {
  struct object o;
  cl_context context;
  cl_command_queue_properties properties;
  cl_int failed; /* status of a deferred command that failed; clFinish reports it once */
};

/* The context's notify function, if any, is told (after the mutex is released). */
void context_notify(cl_context c, const char *text);

/* CL_SUCCESS, or CL_INVALID_VALUE, CL_INVALID_DEVICE: a list of devices as clCreateContext, clBuildProgram take it. n 0 and NULL are
 * answered by CL_SUCCESS if none_is_all. */
cl_int check_devices(cl_uint n, const cl_device_id *devices, bool none_is_all);

/* ---- memory objects (memory.c) ---- */

struct image;
struct mem_map { /* one clEnqueueMapBuffer or clEnqueueMapImage */
  uint8_t *host;
  size_t offset, bytes;        /* in the root buffer; of an image: in its rows, and 0 */
  size_t origin[3], region[3]; /* of an image */
  bool write;
  cl_mem mem; /* through which it was mapped */
};
struct mem_destructor {
  void(CL_CALLBACK *notify)(cl_mem mem, void *user);
  void *user;
};
struct _cl_mem {
  struct object o;
  cl_context context;
  cl_mem_flags flags;
  size_t size;
  uint32_t addr;   /* device address */
  cl_mem parent;   /* of a sub-buffer, which it holds; else NULL */
  size_t origin;   /* in the parent */
  void *host_ptr;  /* as given, CL_MEM_USE_HOST_PTR only */
  uint8_t *shadow; /* host memory of maps: host_ptr, or allocated at the first map; of the root buffer only */
  struct mem_map *maps;
  unsigned nmaps, cap_maps, map_count;
  struct image *image; /* NULL: a buffer */
  struct mem_destructor *destructors;
  unsigned ndestructors, cap_destructors;
};
static inline cl_mem mem_root(cl_mem m) { return m->parent ? m->parent : m; }
cl_mem memory_object(cl_context context, cl_mem_flags flags); /* NULL: no memory */
cl_int memory_flags(cl_mem_flags flags);
/* Its contents, until the next allocation; NULL cannot be. */
uint8_t *mem_bytes(cl_mem m, size_t offset, size_t n);

/* ---- commands and events (command.c, event.c) ---- */

struct callback {
  cl_int type;
  void(CL_CALLBACK *notify)(cl_event event, cl_int status, void *user);
  void *user;
};
struct _cl_event {
  struct object o;
  cl_context context;
  cl_command_queue queue; /* NULL: a user event */
  cl_command_type type;
  cl_int status;                       /* CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, or an error */
  cl_ulong queued, submit, start, end; /* simulated ns */
  bool profiled;                       /* the queue had CL_QUEUE_PROFILING_ENABLE */
  struct callback *callbacks;
  unsigned ncallbacks, cap_callbacks;
};

/*
 * A command is performed within its clEnqueue* call, unless an event that it waits for is not complete (that is a user event,
 * or a command that waits for one), or an in-order queue has such a command before it; then it is performed in the call that completes
 * the last of these.
 */
struct command_plan {
  cl_command_type type;
  bool blocking; /* wait for its end; fails with the command's status */
  bool barrier;  /* a marker or barrier: without a list of events it waits for all before it */
  bool fence;    /* a barrier: all behind it wait for it */
  cl_mem mem[2]; /* what it uses is held until its end; NULL: nothing */
  /* Performs it: CL_SUCCESS, or the error that becomes the event's status and, when it is performed within its call, that call's result. */
  cl_int (*run)(void *args);
  void (*end)(void *args); /* drops what args hold; called once in any case, also when enqueueing fails; may be NULL */
  void *args;              /* from xmalloc; freed after `end` */
};
/* The queue has been checked; this checks the list of events (CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT). `event` may be NULL; on failure
 * *event is set to NULL. Profiling: the session's clock around `run`. */
cl_int command_enqueue(cl_command_queue q, const struct command_plan *plan, cl_uint n, const cl_event *wait,
                       cl_event *event);
void command_resume(void);                                                  /* performs all that has become ready */
void command_finish(cl_command_queue q);                                    /* waits until nothing of q is left */
cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type); /* NULL: no memory */
void event_set(cl_event e, cl_int status); /* callbacks are called later; wakes who waits */
static inline bool event_over(const struct _cl_event *e) { return e->status <= CL_COMPLETE; }

/* ---- programs and kernels (program.c, kernel.c ... define these) ----
 * Their API functions have the prototypes of CL/cl.h, and these are the ones that icd.c expects:
 *   clCreateProgramWithSource, clCreateProgramWithBinary, clCreateProgramWithBuiltInKernels, clRetainProgram, clReleaseProgram,
 *   clBuildProgram, clCompileProgram, clLinkProgram, clUnloadCompiler, clUnloadPlatformCompiler, clGetProgramInfo,
 *   clGetProgramBuildInfo, clCreateKernel, clCreateKernelsInProgram, clRetainKernel, clReleaseKernel, clSetKernelArg, clGetKernelInfo,
 *   clGetKernelWorkGroupInfo, clGetKernelArgInfo, clEnqueueNDRangeKernel, clEnqueueTask, clEnqueueNativeKernel */

/* Limits that device.c reports and others check against. */
uint64_t limit_group_threads(void); /* CL_DEVICE_MAX_WORK_GROUP_SIZE */
uint64_t limit_local_bytes(void);   /* CL_DEVICE_LOCAL_MEM_SIZE */
enum {
  LIMIT_CONSTANT_BYTES = 65536,
  LIMIT_PARAMETER_BYTES = 4096,
  MEM_ALIGN = 128 /* bytes; CL_DEVICE_MEM_BASE_ADDR_ALIGN */
};

#endif
