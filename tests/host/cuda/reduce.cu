// SPDX-License-Identifier: Apache-2.0
// Reductions by shuffles and atomics, warps that are partly idle, votes, printf and assert, a barrier of the whole grid.
#include "common.h"

__device__ static int warp_sum(int v) {
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffffu, v, by);
  return v;
}

__global__ void sum_blocks(const int *in, int *out, int n) {
  __shared__ int part[32];
  int v = 0;
  for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x)) v += in[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < (blockDim.x + 31) / 32 ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}

// A block of 20 threads: what the twelve lanes that are off would give counts as 0.
__global__ void sum_few(const int *in, int *out) {
  int v = warp_sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = v;
}

__global__ void extremes(const float *in, int n, float *sum, int *most, unsigned *ballots, unsigned *lock, int *turns) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  assert(i < n);
  float v = in[i];
  atomicMax(most, (int)(v * 1000.0f));
  unsigned b = __ballot_sync(0xffffffffu, v > 0.5f);
  float w = v;
  for (int by = 1; by < 32; by *= 2) w += __shfl_xor_sync(0xffffffffu, w, by);
  if (threadIdx.x % 32 == 0) {
    ballots[i / 32] = b;
    atomicAdd(sum, w);
    while (atomicCAS(lock, 0u, 1u)) continue;
    __threadfence();
    *(volatile int *)turns = *(volatile int *)turns + __popc(b);
    __threadfence();
    atomicExch(lock, 0u);
  }
  if (threadIdx.x == 0) printf("block %u of %u: first %d, %s\n", blockIdx.x, gridDim.x, (int)(v * 1000.0f), "100 %");
}

// All CTAs must be resident at once.
__device__ static void grid_barrier(unsigned *arrived, unsigned target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned *)arrived < target) continue;
    __threadfence();
  }
  __syncthreads();
}

__global__ void prefix_rounds(int *a, int *b, int n, unsigned *arrived) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned round = 0;
  for (int by = 1; by < n; by *= 2) {
    if (i < n) b[i] = a[i] + (i >= by ? ((volatile int *)a)[i - by] : 0);
    grid_barrier(arrived, ++round * gridDim.x);
    int *swap = a;
    a = b;
    b = swap;
  }
}

// What cooperative groups make their barrier of: the workspace whose address is in %envreg1 and %envreg2.
__global__ void workspace(unsigned *out) {
  unsigned low, high;
  asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
  volatile unsigned *at = (volatile unsigned *)((unsigned long long)high << 32 | low);
  out[0] = at != nullptr;
  if (at) out[1] = at[1], at[1] = 99;
}

static void integers() {
  enum { N = 3000 };
  static int in[N];
  int want = 0, got = -1, *din, *out;
  for (int i = 0; i < N; i++) want += in[i] = (int)(random_int() % 1000) - 300;
  CHECK(cudaMalloc(&din, sizeof in));
  CHECK(cudaMalloc(&out, sizeof *out));
  CHECK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, sizeof *out));
  sum_blocks<<<5, 96>>>(din, out, N);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == want);
  sum_few<<<1, 20>>>(din, out);
  CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
  want = 0;
  for (int i = 0; i < 20; i++) want += in[i];
  EXPECT(got == want);
  CHECK(cudaFree(din));
  CHECK(cudaFree(out));
}

static void floats() {
  enum { N = 256 };
  float in[N], *din;
  struct results {
    float sum;
    int most;
    unsigned lock;
    int turns;
    unsigned ballots[N / 32];
  } r = {0, -1, 0, 0, {0}}, *d;
  for (int i = 0; i < N; i++) in[i] = random_float();
  CHECK(cudaMalloc(&din, sizeof in));
  CHECK(cudaMalloc(&d, sizeof *d));
  CHECK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d, &r, sizeof r, cudaMemcpyHostToDevice));
  extremes<<<4, 64>>>(din, N, &d->sum, &d->most, d->ballots, &d->lock, &d->turns);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
  double total = 0;
  int most = 0, over = 0, wrong = 0;
  for (int i = 0; i < N; i++) {
    total += (double)in[i];
    most = most > (int)(in[i] * 1000.0f) ? most : (int)(in[i] * 1000.0f);
    over += in[i] > 0.5f;
    wrong += (r.ballots[i / 32] >> i % 32 & 1) != (in[i] > 0.5f);
  }
  EXPECT(near(r.sum, (float)total) && r.most == most && r.turns == over && wrong == 0);
  CHECK(cudaFree(din));
  CHECK(cudaFree(d));
}

static void whole_grid() {
  enum { N = 200 };
  int in[N], out[N], *a, *b, n = N, wrong = 0, sum = 0;
  unsigned *arrived;
  for (int i = 0; i < N; i++) in[i] = (int)(random_int() % 50);
  CHECK(cudaMalloc(&a, sizeof in));
  CHECK(cudaMalloc(&b, sizeof in));
  CHECK(cudaMalloc(&arrived, 2 * sizeof *arrived));
  CHECK(cudaMemset(arrived, 0, sizeof *arrived));
  CHECK(cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice));
  void *args[] = {&a, &b, &n, &arrived};
  CHECK(cudaLaunchCooperativeKernel((const void *)prefix_rounds, dim3(4), dim3(64), args, 0, 0));
  unsigned *d = arrived, found[2] = {5, 5};
  void *of_workspace[] = {&d};
  for (int k = 0; k < 2; k++) {
    CHECK(cudaLaunchCooperativeKernel((const void *)workspace, dim3(1), dim3(1), of_workspace, 0, 0));
    CHECK(cudaMemcpy(found, d, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found[0] == 1 && found[1] == 0);
  }
  workspace<<<1, 1>>>(d);
  CHECK(cudaMemcpy(found, d, sizeof found, cudaMemcpyDeviceToHost));
  EXPECT(found[0] == 0);
  CHECK(cudaMemcpy(out, a, sizeof out, cudaMemcpyDeviceToHost));  // eight rounds: an even number
  for (int i = 0; i < N; i++) wrong += out[i] != (sum += in[i]);
  EXPECT(wrong == 0);
  EXPECT_ERROR(cudaLaunchCooperativeKernel((const void *)prefix_rounds, dim3(100000), dim3(64), args, 0, 0),
               cudaErrorCooperativeLaunchTooLarge);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(arrived));
}

int main() {
  integers();
  floats();
  whole_grid();
  return done("reduce");
}
