// SPDX-License-Identifier: Apache-2.0
// The second file of the program modules: names of its own that equal those of modules.cu.
#include "common.h"
#include "modules.h"

static __constant__ int by = 5;
static __device__ unsigned calls;

static __device__ __noinline__ int change(int v, int depth) {
  int sum = v;
  for (int i = 0; i < depth; i++) sum += by * i;
  return sum;
}

static __global__ void step(int *p, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  p[i] = change(p[i], 3);
  atomicAdd(&calls, 1u);
}

void other_run(int *device, int n) { step<<<(n + 31) / 32, 32>>>(device, n); }

unsigned other_calls() {
  unsigned n;
  CHECK(cudaMemcpyFromSymbol(&n, calls, sizeof n));
  return n;
}

void other_set(int value) { CHECK(cudaMemcpyToSymbol(by, &value, sizeof value)); }

const void *other_kernel() { return (const void *)step; }
