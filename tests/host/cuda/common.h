// SPDX-License-Identifier: Apache-2.0
// What the CUDA test programs share. Each of them checks its own results, prints a short report that is the same in every
// run, and ends with status 0 or 1. nvcc compiles them with CUDA's headers, clang-14 with our own.
#ifndef HOST_CUDA_COMMON_H
#define HOST_CUDA_COMMON_H

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __NVCC__
#include <cuda_runtime.h>
#else
#include "own_cuda.h"
#endif

static int failures;

static inline void check_call(cudaError_t e, const char *call, int line) {
  if (e == cudaSuccess) return;
  printf("line %d: %s: %s\n", line, call, cudaGetErrorName(e));
  fflush(stdout);
  exit(1);
}
// A call that must succeed: without it the rest is pointless.
#define CHECK(call) check_call((call), #call, __LINE__)

static inline void expect_that(bool holds, const char *what, int line) {
  if (holds) return;
  printf("line %d: not so: %s\n", line, what);
  failures++;
}
#define EXPECT(condition) expect_that((condition), #condition, __LINE__)

static inline void expect_error(cudaError_t found, cudaError_t expected, const char *call, int line) {
  if (found == expected) return;
  printf("line %d: %s: found %s, expected %s\n", line, call, cudaGetErrorName(found), cudaGetErrorName(expected));
  failures++;
}
// A call that must give this error.
#define EXPECT_ERROR(call, code) expect_error((call), (code), #call, __LINE__)

static inline bool near(float a, float b) { return fabs((double)a - (double)b) <= 1e-4 * (1 + fabs((double)b)); }

// The program's own random numbers, in [0, 1).
static unsigned random_state = 12345;
static inline unsigned random_int() {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}
static inline float random_float() { return (float)(random_int() & 0xffff) / 65536.0f; }

static inline int done(const char *name) {
  printf("%s: %s\n", name, failures ? "FAILED" : "passed");
  return failures != 0;
}

// A managed variable; MANAGED_BEGIN, at the beginning of main; its use on the host. clang has none for CUDA, so that it is
// registered here as nvcc's code does it: with the handle of this file's binary, which clang keeps under a name of its own.
#ifdef __NVCC__
#define MANAGED(type, name) __managed__ type name
#define MANAGED_BEGIN(name) (void)0
#define managed(name) (name)
#else
extern "C" void __cudaRegisterManagedVar(void **handle, void **pointer, char *address, const char *name, int external,
                                         size_t size, int constant, int global);
extern "C" char __cudaInitModule(void **handle);
static inline void **binary_handle() {
  void **handle = nullptr;
#ifndef __CUDA_ARCH__
  __asm__ volatile("movq __cuda_gpubin_handle(%%rip), %0" : "=r"(handle));
#endif
  return handle;
}
#define MANAGED(type, name) \
  __device__ type name;     \
  static type *name##_pointer
#define MANAGED_BEGIN(name) \
  __cudaRegisterManagedVar(binary_handle(), (void **)&name##_pointer, (char *)&name, #name, 0, sizeof name, 0, 0)
#define managed(name) (*((void)__cudaInitModule(binary_handle()), name##_pointer))
#endif
#endif
