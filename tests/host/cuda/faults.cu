// SPDX-License-Identifier: Apache-2.0
// Kernels that fault and kernels that are refused, errors that stay, a reset and what works behind it; launches that
// cannot be. With the argument past_end: only a read past the end of a buffer; ends with status 3 if that is a fault.
#include "common.h"

__global__ void store(int *p, int at, int v) { p[at] = v + (int)threadIdx.x; }
__global__ void read_past(const int *p, int *out, int at) { *out = p[at]; }
__global__ void check_that(int v) { assert(v > 3); }
__global__ void stop() { asm volatile("trap;"); }
__global__ void large_shared(int *p) {
  extern __shared__ int room[];
  room[threadIdx.x] = (int)threadIdx.x;
  *p = room[0];
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int *p, int n) { *p = fibonacci(n); }

__global__ void texture(float *p, unsigned long long object) {
  float x, y, z, w;
  asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(object), "r"(0));
  *p = x + y + z + w;
}

__global__ void reduction(unsigned long long object) {
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %1}], %1;" ::"l"(object), "r"(0));
}

// A kernel that works, on a new buffer.
static void all_is_well(const char *when) {
  int *p, got[4] = {0};
  CHECK(cudaMalloc(&p, sizeof got));
  store<<<1, 1>>>(p, 2, 77);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(p));
  EXPECT(got[2] == 77);
  printf("%s: works\n", when);
}

// Behind a launch that faults: the error comes at the latest with the next synchronisation, and stays.
static void sticky(cudaError_t expected, const char *what) {
  cudaError_t found = cudaDeviceSynchronize();
  printf("%s: %s\n", what, cudaGetErrorName(found));
  EXPECT_ERROR(found, expected);
  EXPECT_ERROR(cudaGetLastError(), expected);
  EXPECT_ERROR(cudaPeekAtLastError(), expected);
  int *p = nullptr, v;
  EXPECT_ERROR(cudaMalloc(&p, 64), expected);
  EXPECT_ERROR(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost), expected);
  store<<<1, 1>>>(p, 0, 1);
  EXPECT_ERROR(cudaGetLastError(), expected);
  EXPECT_ERROR(cudaDeviceSynchronize(), expected);
  CHECK(cudaDeviceReset());
  CHECK(cudaGetLastError());
  all_is_well("after a reset");
}

static void faults() {
  int *p;
  CHECK(cudaMalloc(&p, 1024));
  store<<<2, 64>>>(p, 1 << 28, 5);
  sticky(cudaErrorIllegalAddress, "out of bounds");
  store<<<1, 32>>>(nullptr, 0, 5);
  sticky(cudaErrorIllegalAddress, "null");
  CHECK(cudaMalloc(&p, 1024));
  store<<<1, 1>>>((int *)((char *)p + 2), 0, 5);
  sticky(cudaErrorMisalignedAddress, "misaligned");
  CHECK(cudaMalloc(&p, 1024));
  CHECK(cudaFree(p));
  store<<<1, 1>>>(p, 0, 5);
  sticky(cudaErrorIllegalAddress, "freed");
  check_that<<<2, 4>>>(4);
  CHECK(cudaDeviceSynchronize());
  check_that<<<2, 4>>>(3);
  sticky(cudaErrorAssert, "assert");
  stop<<<1, 1>>>();
  sticky(cudaErrorLaunchFailure, "trap");
  CHECK(cudaMalloc(&p, 1024));
  texture<<<1, 1>>>((float *)p, 77);
  sticky(cudaErrorLaunchFailure, "no texture");
}

static void configurations() {
  int *p;
  CHECK(cudaMalloc(&p, 1024));
  store<<<0, 1>>>(p, 0, 1);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidConfiguration);
  store<<<1, 0>>>(p, 0, 1);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidConfiguration);
  store<<<1, 1025>>>(p, 0, 1);
  EXPECT_ERROR(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
  store<<<dim3(1, 65536), 1>>>(p, 0, 1);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidConfiguration);
  store<<<1, dim3(1, 1, 65)>>>(p, 0, 1);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidConfiguration);
  large_shared<<<1, 32, 1 << 24>>>(p);
  EXPECT(cudaGetLastError() != cudaSuccess);
  void *args[] = {&p};
  EXPECT_ERROR(cudaLaunchKernel((const void *)all_is_well, dim3(1), dim3(1), args, 0, 0),
               cudaErrorInvalidDeviceFunction);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  CHECK(cudaFree(p));
  all_is_well("after launches that cannot be");
}

static void refused() {
  float *p;
  CHECK(cudaMalloc(&p, 64));
  recursion<<<1, 1>>>((int *)p, 5);
  printf("recursion: %s\n", cudaGetLastError() == cudaSuccess ? "runs" : "refused");
  reduction<<<1, 1>>>(0);
  printf("reduction on a surface: %s\n", cudaGetLastError() == cudaSuccess ? "runs" : "refused");
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(p));
  all_is_well("after refused kernels");
}

static void calls() {
  int *p = nullptr, v = 0, n = -1;
  EXPECT_ERROR(cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
  EXPECT_ERROR(cudaMalloc((void **)nullptr, 4), cudaErrorInvalidValue);
  CHECK(cudaMalloc(&p, 256));
  EXPECT_ERROR(cudaMemcpy(p, &v, 257, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaMemcpy(p, &v, 4, (cudaMemcpyKind)77), cudaErrorInvalidMemcpyDirection);
  EXPECT_ERROR(cudaMemset(p, 0, (size_t)1 << 40), cudaErrorInvalidValue);
  EXPECT(cudaFree(p + 4) != cudaSuccess);
  CHECK(cudaFree(p));
  EXPECT(cudaFree(p) != cudaSuccess);
  EXPECT_ERROR(cudaSetDevice(5), cudaErrorInvalidDevice);
  CHECK(cudaGetDeviceCount(&n));
  EXPECT(n == 1);
  EXPECT_ERROR(cudaEventRecord((cudaEvent_t)0x1234560, 0), cudaErrorInvalidResourceHandle);
  EXPECT_ERROR(cudaStreamSynchronize((cudaStream_t)0x1234560), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  EXPECT(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
  EXPECT(strlen(cudaGetErrorString(cudaErrorIllegalAddress)) > 5);
  EXPECT(strlen(cudaGetErrorString((cudaError_t)54321)) > 5);
  all_is_well("after wrong calls");
}

static int past_end() {
  int *p, *q;
  CHECK(cudaMalloc(&p, 256));
  CHECK(cudaMalloc(&q, 256));
  CHECK(cudaMemset(p, 0, 256));
  read_past<<<1, 1>>>(p, q, 70);
  cudaError_t e = cudaDeviceSynchronize();
  printf("read past the end: %s\n", cudaGetErrorName(e));
  if (e != cudaSuccess) return 3;
  return done("faults");
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "past_end")) return past_end();
  all_is_well("at first");
  configurations();
  refused();
  calls();
  faults();
  return done("faults");
}
