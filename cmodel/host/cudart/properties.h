/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties: cudaDeviceProp, of which each major version has its own layout, and the attributes of the device. CUDA 11 and 12 have fields
 * that 13 dropped; those behind reservedSharedMemPerBlock came with 12, so that cudaGetDeviceProperties of 12, whose _v2 fills
 * all, ends there. Source: "CUDA Runtime API", struct cudaDeviceProp; tests/unit/cudart_test.c has the offsets.
 */
#ifndef RT_CUDART_PROPERTIES_H
#define RT_CUDART_PROPERTIES_H

#include <stdbool.h>

#include "host/cudart/types.h"

#if CUDART_VERSION < 13000
#define UNTIL_12(field) field;
#else
#define UNTIL_12(field)
#endif

typedef struct {
  char name[256];
  char uuid[16], luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  UNTIL_12(int clockRate)
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  UNTIL_12(int deviceOverlap)
  int multiProcessorCount;
  UNTIL_12(int kernelExecTimeoutEnabled)
  int integrated, canMapHostMemory;
  UNTIL_12(int computeMode)
  int maxTexture1D, maxTexture1DMipmap;
  UNTIL_12(int maxTexture1DLinear)
  int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
  int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing;
  UNTIL_12(int memoryClockRate)
  int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  UNTIL_12(int singleToDoublePrecisionPerfRatio)
  int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch;
  UNTIL_12(int cooperativeMultiDeviceLaunch)
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
#if CUDART_VERSION >= 12000
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
#endif
#if CUDART_VERSION >= 13000
  int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
  unsigned gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported, reserved[56];
#elif CUDART_VERSION >= 12000
  int reserved[63];
#endif
} cudaDeviceProp;

/* Value of attribute `number`, with the lock held and the session open; false: there is none of this number. */
bool rt_attribute(int number, int *value);

#endif
