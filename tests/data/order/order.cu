// SPDX-License-Identifier: Apache-2.0
// What threads may rely on about each other's memory accesses, waiting loops that end and that cannot, and parameters
// read by generic address; assert. order.ptx: nvcc -arch=sm_75 -ptx order.cu -o order.ptx (CUDA 13), committed.
#include <assert.h>

__device__ __forceinline__ void red(unsigned *p, unsigned v) {
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ unsigned fresh(const unsigned *p) { return *(const volatile unsigned *)p; }

// One warp's red, seen by the CTA behind the barrier; the warp whose turn it is changes with the CTA.
extern "C" __global__ void red_barrier(unsigned *g, unsigned *out) {
  if (threadIdx.x / 32 == blockIdx.x % (blockDim.x / 32)) red(&g[blockIdx.x], 1);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = fresh(&g[blockIdx.x]);
}
// An atomic with an unused result, then a load by the same thread.
extern "C" __global__ void red_load(unsigned *p, unsigned *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&p[i], 5u);
  out[i] = fresh(&p[i]);
}
// Red, fence, flag by one CTA; the other waits for the flag.
extern "C" __global__ void red_flag(unsigned *g, unsigned *out, unsigned *flag) {
  if (blockIdx.x == 0) {
    atomicAdd(&g[threadIdx.x], 7u);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *(volatile unsigned *)flag = 1;
  } else {
    if (threadIdx.x == 0)
      while (!fresh(flag)) continue;
    __syncthreads();
    out[threadIdx.x] = fresh(&g[threadIdx.x]);
  }
}
// Values that atomics return are all different, over CTAs.
extern "C" __global__ void ticket(unsigned *counter, unsigned *out) {
  out[atomicAdd(counter, 1u)] = blockIdx.x * blockDim.x + threadIdx.x;
}
// A lock that one thread of each warp takes.
extern "C" __global__ void lock_warps(unsigned *lock, unsigned *value, int n) {
  if (threadIdx.x % 32) return;
  for (int i = 0; i < n; i++) {
    while (atomicCAS(lock, 0u, 1u)) continue;
    __threadfence();
    *(volatile unsigned *)value = fresh(value) + 1;
    __threadfence();
    atomicExch(lock, 0u);
  }
}
// The last CTA to come adds up what all have left.
extern "C" __global__ void last_block(const int *in, int *part, unsigned *count, int *sum) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  __threadfence();
  if (atomicInc(count, gridDim.x) != gridDim.x - 1) return;
  int total = 0;
  for (int b = 0; b < (int)gridDim.x; b++) total += *(volatile int *)&part[b];
  *sum = total;
}
// Every lane wants the same lock: the one that has it waits for the others to leave the loop.
extern "C" __global__ void lock_lanes(unsigned *lock, unsigned *value) {
  while (atomicCAS(lock, 0u, 1u)) continue;
  *value += 1;
  __threadfence();
  atomicExch(lock, 0u);
}
// Odd lanes wait for even ones.
extern "C" __global__ void wait_lanes(unsigned *flag, unsigned *out) {
  if (threadIdx.x & 1)
    while (!fresh(flag)) continue;
  else
    *(volatile unsigned *)flag = 1;
  out[threadIdx.x] = 1;
}
// All warps wait for what none writes; a few CTAs have ended before.
extern "C" __global__ void wait_nobody(unsigned *flag) {
  if (blockIdx.x < 3) return;
  while (!fresh(flag)) continue;
}
// A long wait that ends: the others look for some 100,000 instructions, then the flag comes.
extern "C" __global__ void wait_long(unsigned *flag, unsigned *out) {
  if (blockIdx.x == 0) {
    unsigned x = 1;
    for (int i = 0; i < 300000; i++) x = x * 1664525u + (x >> 3);
    *(volatile unsigned *)flag = x | 1;
  } else {
    while (!fresh(flag)) continue;
    out[(blockIdx.x - 1) * blockDim.x + threadIdx.x] = 1;
  }
}
// A table in a struct parameter, or one in global memory, behind the same pointer.
struct table {
  int n, at[12];
};
extern "C" __global__ void by_pointer(const __grid_constant__ table p, const int *other, int *out) {
  const int *t = threadIdx.x % 3 ? p.at : other;
  out[threadIdx.x] = t[threadIdx.x % p.n];
}
// A condition that is held, or not.
extern "C" __global__ void asserts(const int *x, int *out) {
  assert(x[threadIdx.x] < 1000);
  out[threadIdx.x] = x[threadIdx.x] + 1;
}
