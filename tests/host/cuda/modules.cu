// SPDX-License-Identifier: Apache-2.0
// Two files, each a module of its own: kernels, constants and variables of the same names do not meet; device functions.
#include "common.h"
#include "modules.h"

static __constant__ int by = 100;
static __device__ unsigned calls;

struct pair {
  int first, second;
};
static __device__ __noinline__ struct pair split(int v) {
  struct pair p = {v / 10, v % 10};
  return p;
}
static __device__ __noinline__ int join(struct pair p, const int *weights) {
  return p.first * weights[0] + p.second * weights[1];
}
static __device__ int twice_join(int v) {
  int weights[2] = {by, 1};
  return 2 * join(split(v), weights);
}

static __global__ void step(int *p, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  p[i] = twice_join(p[i]);
  atomicAdd(&calls, 1u);
}

enum { N = 100 };

static void compare(const int *device, const int *want, const char *when) {
  int got[N], wrong = 0;
  CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++) wrong += got[i] != want[i];
  printf("%s: %d wrong\n", when, wrong);
  EXPECT(wrong == 0);
}

int main() {
  int want[N], *device;
  for (int i = 0; i < N; i++) want[i] = 3 * i;
  CHECK(cudaMalloc(&device, sizeof want));
  CHECK(cudaMemcpy(device, want, sizeof want, cudaMemcpyHostToDevice));
  step<<<4, 32>>>(device, N);
  CHECK(cudaGetLastError());
  for (int i = 0; i < N; i++) want[i] = 2 * (want[i] / 10 * 100 + want[i] % 10);
  compare(device, want, "this file's kernel");
  other_run(device, N);
  CHECK(cudaGetLastError());
  for (int i = 0; i < N; i++) want[i] += 5 * (0 + 1 + 2);
  compare(device, want, "the other file's kernel");
  other_set(-1);
  other_run(device, N);
  for (int i = 0; i < N; i++) want[i] -= 3;
  compare(device, want, "with the other constant");

  int mine;
  unsigned called;
  CHECK(cudaMemcpyFromSymbol(&mine, by, sizeof mine));
  CHECK(cudaMemcpyFromSymbol(&called, calls, sizeof called));
  EXPECT(mine == 100 && called == N && other_calls() == 2 * N);
  int n = N;
  void *args[] = {&device, &n};
  CHECK(cudaLaunchKernel(other_kernel(), dim3(2), dim3(64), args, 0, 0));
  for (int i = 0; i < N; i++) want[i] -= 3;
  compare(device, want, "by its address");
  CHECK(cudaFree(device));
  return done("modules");
}
