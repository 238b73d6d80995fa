// SPDX-License-Identifier: Apache-2.0
// Device functions for own_cuda.h, over clang's builtins for NVPTX. Those that the C library has, too, are overloads that
// only device code sees.
#ifndef OWN_CUDA_DEVICE_H
#define OWN_CUDA_DEVICE_H

#include <math.h>

#define OWN_DEVICE static __device__ inline __attribute__((always_inline))

extern "C" __device__ void __syncthreads(void);
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned, const char *,
                                                                  size_t);
// What assert of assert.h calls.
extern "C" __device__ inline __attribute__((noreturn)) void __assert_fail(const char *condition, const char *file,
                                                                          unsigned line,
                                                                          const char *function) noexcept {
  __assertfail(condition, file, line, function, 1);
}

// ---- atomics; what was there before is returned ----
OWN_DEVICE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
OWN_DEVICE unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
OWN_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
OWN_DEVICE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
OWN_DEVICE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
OWN_DEVICE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
OWN_DEVICE unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
OWN_DEVICE unsigned atomicCAS(unsigned *p, unsigned is, unsigned v) {
  return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)is, (int)v);
}

// ---- warps and order; width 32 ----
OWN_DEVICE void __threadfence() { __nvvm_membar_gl(); }
OWN_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
OWN_DEVICE int __shfl_sync(unsigned mask, int v, int lane) { return __nvvm_shfl_sync_idx_i32(mask, v, lane, 31); }
OWN_DEVICE int __shfl_up_sync(unsigned mask, int v, unsigned by) { return __nvvm_shfl_sync_up_i32(mask, v, by, 0); }
OWN_DEVICE int __shfl_down_sync(unsigned mask, int v, unsigned by) {
  return __nvvm_shfl_sync_down_i32(mask, v, by, 31);
}
OWN_DEVICE int __shfl_xor_sync(unsigned mask, int v, int by) { return __nvvm_shfl_sync_bfly_i32(mask, v, by, 31); }
OWN_DEVICE float __shfl_down_sync(unsigned mask, float v, unsigned by) {
  return __nvvm_shfl_sync_down_f32(mask, v, by, 31);
}
OWN_DEVICE float __shfl_xor_sync(unsigned mask, float v, int by) { return __nvvm_shfl_sync_bfly_f32(mask, v, by, 31); }
OWN_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p != 0); }
OWN_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p != 0); }
OWN_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p != 0); }

// ---- arithmetic ----
OWN_DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
OWN_DEVICE int min(int a, int b) { return a < b ? a : b; }
OWN_DEVICE int max(int a, int b) { return a > b ? a : b; }
__device__ inline float sqrtf(float x) noexcept { return __nvvm_sqrt_rn_f(x); }
__device__ inline float fabsf(float x) noexcept { return __builtin_fabsf(x); }
#endif
