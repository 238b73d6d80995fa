/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common: what the OpenCL programs of this folder share. Each is an ordinary host program for any OpenCL 1.2 GPU, in one C
 * file:  gcc vecadd.c -lOpenCL.  It checks its results and prints a line for each check, "right: ..." or "wrong: ...". Exit
 * status: 0; 1, a check failed; 3, a call failed that must not.
 */
#ifndef RT_HOST_OPENCL_COMMON_H
#define RT_HOST_OPENCL_COMMON_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARED __attribute__((unused)) static

static unsigned checks_failed;

SHARED void check(bool holds, const char *what, ...) __attribute__((format(printf, 2, 3)));
SHARED void check(bool holds, const char *what, ...) {
  va_list ap;
  printf(holds ? "right: " : "wrong: ");
  va_start(ap, what);
  vprintf(what, ap);
  va_end(ap);
  printf("\n");
  checks_failed += !holds;
}

SHARED int finish(void) {
  if (checks_failed) printf("%u checks failed\n", checks_failed);
  return fflush(stdout) || checks_failed;
}

/* The status of a call that must succeed. */
#define OK(call) must(call, #call, __LINE__)
SHARED void must(cl_int status, const char *call, int line) {
  if (status == CL_SUCCESS) return;
  printf("failed: line %d, status %d: %.100s\n", line, status, call);
  fflush(stdout);
  exit(3);
}
/* The same for a call that returns an object and stores its status in cl_int `status`. */
#define MADE(to, call)             \
  do {                             \
    cl_int status;                 \
    to = call;                     \
    must(status, #call, __LINE__); \
  } while (0)

/* A call that must fail with this status. */
#define FAILS(want, what, call)                                  \
  do {                                                           \
    const cl_int found_ = call;                                  \
    check(found_ == (want), "%s: %s", what, #want);              \
    if (found_ != (want)) printf("  found status %d\n", found_); \
  } while (0)
/* The same for a call that returns an object: none then. */
#define NOT_MADE(want, what, call)                                        \
  do {                                                                    \
    cl_int status = CL_SUCCESS;                                           \
    void *const made_ = call;                                             \
    check(!made_ && status == (want), "%s: %s", what, #want);             \
    if (made_ || status != (want)) printf("  found status %d\n", status); \
  } while (0)

struct gpu {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
};

/* The first device of the first platform, and a queue. */
SHARED struct gpu gpu_open(cl_command_queue_properties properties) {
  struct gpu g;
  OK(clGetPlatformIDs(1, &g.platform, NULL));
  OK(clGetDeviceIDs(g.platform, CL_DEVICE_TYPE_ALL, 1, &g.device, NULL));
  const cl_context_properties of_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)g.platform, 0};
  MADE(g.context, clCreateContext(of_platform, 1, &g.device, NULL, NULL, &status));
  MADE(g.queue, clCreateCommandQueue(g.context, g.device, properties, &status));
  return g;
}

SHARED void gpu_close(const struct gpu *g) {
  OK(clFinish(g->queue));
  OK(clReleaseCommandQueue(g->queue));
  OK(clReleaseContext(g->context));
}

/* A built program; the log is shown when it cannot be built. */
SHARED cl_program program_of(const struct gpu *g, const char *source, const char *options) {
  cl_program p;
  MADE(p, clCreateProgramWithSource(g->context, 1, &source, NULL, &status));
  const cl_int built = clBuildProgram(p, 1, &g->device, options, NULL, NULL);
  if (built != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    printf("%s\n", log);
  }
  must(built, "clBuildProgram", __LINE__);
  return p;
}

SHARED cl_kernel kernel_of(cl_program p, const char *name) {
  cl_kernel k;
  MADE(k, clCreateKernel(p, name, &status));
  return k;
}

/* What clGetProgramBuildInfo has as a text. */
SHARED const char *build_log(const struct gpu *g, cl_program p) {
  static char log[1 << 16];
  OK(clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  return log;
}

/* A buffer; from: what it holds at first, or NULL. */
SHARED cl_mem buffer_of(const struct gpu *g, size_t bytes, const void *from) {
  cl_mem m;
  MADE(m, clCreateBuffer(g->context, CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                         (void *)(uintptr_t)from, &status));
  return m;
}

SHARED void read_back(const struct gpu *g, cl_mem m, void *to, size_t bytes) {
  OK(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

#define ARG(kernel, i, value) OK(clSetKernelArg(kernel, i, sizeof(value), &(value)))

SHARED void run_1d(const struct gpu *g, cl_kernel k, size_t global, size_t local) {
  OK(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}

SHARED cl_ulong profile(cl_event e, cl_profiling_info which) {
  cl_ulong ns = 0;
  OK(clGetEventProfilingInfo(e, which, sizeof ns, &ns, NULL));
  return ns;
}

SHARED cl_int event_status(cl_event e) {
  cl_int s = 0;
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, NULL));
  return s;
}

/* The same numbers on every machine: uniform below `below`. */
SHARED uint32_t random_below(uint32_t *state, uint32_t below) {
  *state = *state * 1664525u + 1013904223u;
  return (uint32_t)(((uint64_t)(*state >> 8) * below) >> 24);
}

#endif
