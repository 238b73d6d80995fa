// SPDX-License-Identifier: Apache-2.0
// A library with a kernel, which the program plugin.c opens and closes.
#include "common.h"

static __device__ int counter = 5;

static __global__ void next(int *p) { *p = atomicAdd(&counter, 1); }

// 5 when called first, 6 then: a library opened again begins again.
extern "C" int plugin_next() {
  int *p, got = -1;
  CHECK(cudaMalloc(&p, sizeof *p));
  next<<<1, 1>>>(p);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(p));
  return got;
}
