/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types: what the CUDA runtime's interface passes, in our own declarations. CUDART_VERSION, as in its headers, is 11000, 12000
 * or 13000: where a structure or a signature differs, the declaration does. Source: "CUDA Runtime API", section
 * "Data types used by CUDA Runtime"; layouts are compared with nvcc's headers where these are (tests/unit/cudart_test.c).
 */
#ifndef RT_CUDART_TYPES_H
#define RT_CUDART_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

typedef enum {
  cudaSuccess = 0,
#define ERROR(number, name, text) cudaError##name = (number),
#include "host/cudart/errors.def"
#undef ERROR
} cudaError_t;

typedef struct dim3 {
  unsigned x, y, z;
} dim3;

/* Handles. Those of streams and events are made by stream.c and event.c, kernels by register.c. */
typedef struct stream *cudaStream_t;
typedef struct event *cudaEvent_t;
typedef struct function *cudaFunction_t;
typedef struct function *cudaKernel_t;
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

typedef enum {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
} cudaMemcpyKind;

typedef struct {
  void *ptr;
  size_t pitch, xsize, ysize; /* bytes; xsize, ysize: of the allocation, in elements and rows */
} cudaPitchedPtr;
typedef struct {
  size_t width, height, depth;
} cudaExtent;
typedef struct {
  size_t x, y, z;
} cudaPos;

typedef struct {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
#if CUDART_VERSION >= 12000
  int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
#endif
} cudaFuncAttributes;

typedef enum {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10,
  cudaFuncAttributeClusterSchedulingPolicyPreference = 15
} cudaFuncAttribute;

typedef enum { /* those that this library looks at */
               cudaLaunchAttributeCooperative = 2,
               cudaLaunchAttributeClusterDimension = 4,
               cudaLaunchAttributePreferredClusterDimension = 11
} cudaLaunchAttributeID;
typedef struct {
  cudaLaunchAttributeID id;
  char pad[8 - sizeof(cudaLaunchAttributeID)];
  union {
    char pad[64];
    int cooperative;
    dim3 clusterDim;
    void *align;
  } val;
} cudaLaunchAttribute;
typedef struct {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
} cudaLaunchConfig_t;

#endif
