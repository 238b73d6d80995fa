// SPDX-License-Identifier: Apache-2.0
// What a CUDA program includes in place of cuda_runtime.h, so that clang-14 compiles it where no CUDA is installed: the
// part of the runtime's interface that the programs in this folder use. All declarations are our own; their values and
// layouts are facts of CUDA's binary interface. CUDART_VERSION (11000, 12000, 13000) chooses the version.
//
//   clang-14 -x cuda --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang -target-sdk-version=11.0 ...
#ifndef OWN_CUDA_H
#define OWN_CUDA_H

#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

#include <stddef.h>
#include <stdio.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define CUDART_CB

// ---- vectors ----
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
struct __attribute__((aligned(8))) int2 {
  int x, y;
};
struct __attribute__((aligned(16))) int4 {
  int x, y, z, w;
};
struct __attribute__((aligned(8))) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct __attribute__((aligned(16))) float4 {
  float x, y, z, w;
};
struct __attribute__((aligned(16))) double2 {
  double x, y;
};
struct uchar3 {
  unsigned char x, y, z;
};
__host__ __device__ static inline float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }
__host__ __device__ static inline float2 make_float2(float x, float y) { return float2{x, y}; }
__host__ __device__ static inline float3 make_float3(float x, float y, float z) { return float3{x, y, z}; }
__host__ __device__ static inline int2 make_int2(int x, int y) { return int2{x, y}; }

// threadIdx and the like come with clang itself.
#include <__clang_cuda_builtin_vars.h>

#include "own_cuda_api.h"
#include "own_cuda_device.h"
#include "own_cuda_texture.h"
#endif
