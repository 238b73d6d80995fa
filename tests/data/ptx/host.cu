// SPDX-License-Identifier: Apache-2.0
// Source of host_nvcc.ptx (sm_75), host_nvcc_90.ptx and host_clang.ptx: kernels of a host program, of which some cannot be run: they are
// refused, and the others run. tests/unit/host_ptx_test.c knows what each of them does.
//   nvcc -arch=compute_75 -ptx host.cu -o host_nvcc.ptx        nvcc -arch=compute_90 -ptx host.cu -o host_nvcc_90.ptx
//   clang-14 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_75 -O1 -S host.cu -o host_clang.ptx
#ifdef __NVCC__
#include <assert.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdio.h>
#include <stdlib.h>
#define THREAD (int)threadIdx.x
#else
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __global__ __attribute__((global))
#define __noinline__ __attribute__((noinline))
#define THREAD (int)__nvvm_read_ptx_sreg_tid_x()
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, __SIZE_TYPE__) __attribute__((noreturn));
#define assert(e) ((e) ? (void)0 : __assertfail(#e, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#define __trap __nvvm_bar0_trap
extern "C" __device__ void *malloc(__SIZE_TYPE__);
extern "C" __device__ void free(void *);
#endif

__device__ int start = 7;
__constant__ int step[2] = {2, 3};

extern "C" __global__ void plain(int *p) { p[THREAD] = start + step[THREAD & 1] * THREAD; }

extern "C" __global__ void asserts(int *p) {
  assert(p[THREAD] < 5 && "small");
  p[THREAD] = 1;
}

__device__ __noinline__ void in_order(int x, int y) { assert(x <= y); }
extern "C" __global__ void asserts_in_function(int *p) {
  in_order(p[THREAD], 3);
  p[THREAD] = 2;
}

extern "C" __global__ void prints(int *p) {
  if (THREAD < 3) printf("%d of %s: %.2f\n", p[THREAD], "three", THREAD * 0.5);
}

#ifdef __NVCC__
extern "C" __global__ void traps(int *p) {
  if (p[THREAD] == 3) __trap();
  p[THREAD] = 3;
}
#endif

// ---- what cannot be run ----

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1) + start; }
__device__ int even(int n);
__device__ __noinline__ int odd(int n) { return n == 0 ? start : even(n - 1) + 1; }
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 2) + start; }
extern "C" __global__ void recursion(int *p) { p[THREAD] = factorial(p[THREAD]) + even(p[THREAD]); }

typedef int (*function)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
__device__ function table[2] = {twice, thrice};
extern "C" __global__ void pointers(int *p) { p[THREAD] = table[p[THREAD] & 1](p[THREAD]); }

struct base {
  __device__ virtual int of(int x) const { return x; }
};
struct derived : base {
  __device__ int of(int x) const override { return x * 2; }
};
__device__ __noinline__ int ask(const base *b, int x) { return b->of(x); }
extern "C" __global__ void virtuals(int *p) {
  base b;
  derived d;
  p[THREAD] = ask(THREAD & 1 ? &b : &d, p[THREAD]);
}

extern "C" __global__ void heap(int *p) {
  int *q = (int *)malloc(p[THREAD]);
  q[0] = 1;
  p[THREAD] = q[0];
  free(q);
}

#ifdef __NVCC__
extern "C" __global__ void textures(cudaTextureObject_t t, int *p) {
  float4 v = tex2D<float4>(t, threadIdx.x + 0.5f, 0.5f);
  p[THREAD] = v.x + v.w + tex1Dfetch<float>(t, THREAD) + tex3D<float>(t, 1, 2, 3) + tex2DLayered<float>(t, 1, 2, 3);
  p[0] += tex2DLod<float>(t, 1, 2, 3) + tex2DGrad<float>(t, 1, 2, make_float2(1, 2), make_float2(3, 4)) +
          tex2Dgather<float4>(t, 1, 2, 0).w + texCubemap<float>(t, 1, 2, 3);
}

extern "C" __global__ void surfaces(cudaSurfaceObject_t s, int *p) {
  float x;
  float4 y;
  surf2Dread(&x, s, 4 * THREAD, 0);
  surf2Dwrite(x + 1, s, 4 * THREAD, 1);
  surf3Dread(&y, s, 1, 2, 3);
  surf1Dwrite(y, s, 16);
  p[THREAD] = x + y.x;
}

// ---- cooperative groups ----

namespace cg = cooperative_groups;
extern "C" __global__ void groups(int *p) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<16>(b);
  int v = cg::reduce(t, p[b.thread_rank()], cg::plus<int>());
  b.sync();
  p[b.thread_rank()] = v + b.size();
  if (THREAD % 3 == 0) {
    auto c = cg::coalesced_threads();
    p[b.thread_rank()] = 1000 * c.size() + c.thread_rank();
  }
}

extern "C" __global__ void partitions(int *p) {
  auto l = cg::labeled_partition(cg::coalesced_threads(), THREAD % 3);
  auto two = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), THREAD & 1);
  p[THREAD] = 100 * l.size() + two.thread_rank();
}

extern "C" __global__ void whole_grid(int *p) {
  auto g = cg::this_grid();
  p[g.thread_rank()] = g.size() + g.is_valid();
}

extern "C" __global__ void large_tiles(int *p) {
  __shared__ cg::block_tile_memory<64> memory; // empty for sm_80 and later, which use reserved shared memory
  auto b = cg::this_thread_block(memory);
  auto t = cg::tiled_partition<64>(b);
  int sum = cg::reduce(t, p[THREAD], cg::plus<int>());
  t.sync();
  p[THREAD] = sum + t.shfl(THREAD, 40);
}
#endif
