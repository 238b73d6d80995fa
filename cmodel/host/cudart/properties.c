/* SPDX-License-Identifier: Apache-2.0 */
/* What the device is: attributes (attributes.def), and the structure of properties that is made of them. */
#include "host/cudart/properties.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host/cudart/device.h"
#include "host/cudart/runtime.h"
#include "exec/texture.h"

/* Sizes and offsets of the real ones. */
#define AT(field, offset) _Static_assert(offsetof(cudaDeviceProp, field) == (offset), #field)
AT(maxThreadsPerBlock, 320);
AT(totalConstMem, 352);
#if CUDART_VERSION >= 13000
AT(sharedMemPerBlockOptin, 672);
AT(hostRegisterSupported, 704);
_Static_assert(sizeof(cudaDeviceProp) == 1008, "cudaDeviceProp of 13");
#else
AT(sharedMemPerBlockOptin, 696);
AT(reservedSharedMemPerBlock, 720);
_Static_assert(sizeof(cudaDeviceProp) == (CUDART_VERSION >= 12000 ? 1032 : 728), "cudaDeviceProp of 11 and 12");
#endif

static int64_t properties_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- what a configuration does not have as such ---- */

/* Machines with a real one behind them; any other, as gtx980, Maxwell. */
static unsigned machine_capability(const struct config *c) {
  enum { FERMI = 20, MAXWELL = 52, TURING = 75 };
  if (!strcmp(c->machine, "gtx480")) return FERMI;
  return !strcmp(c->machine, "rtx2060") ? TURING : MAXWELL;
}

/* That of the machine, or of the program's PTX if that asks for more: a device that runs compute_75 has 7.5 at least. */
static unsigned device_capability(const struct config *c) {
  unsigned machine = machine_capability(c), ptx = rt_ptx_target();
  return machine > ptx ? machine : ptx;
}

/* Channels of 32 bits, two transfers a clock: then programs' usual product of width and clock is dram.mbps. */
static int64_t bus_bits(const struct config *c) { return c->dram_channels * 32; }
static int64_t memory_khz(const struct config *c) { return c->dram_mbps * 1000 / (bus_bits(c) / 8 * 2); }

static int64_t double_ratio(const struct config *c) {
  int64_t sp = c->unit_sp_count * c->unit_dp_interval, dp = c->unit_dp_count * c->unit_sp_interval;
  return sp < dp ? 1 : sp / dp;
}

/* ---- attributes ---- */

bool rt_attribute(int number, int *value) {
  const struct config *c = device_config(rt_device());
  int64_t v;
  switch (number) {
#define A(number, name, x) \
  case number:             \
    v = (int64_t)(x);      \
    break;
#include "host/cudart/attributes.def"
#undef A
    default: return false;
  }
  *value = (int)properties_least(v, INT_MAX);
  return true;
}

static int attribute_value(int number) {
  int v = 0;
  rt_attribute(number, &v);
  return v;
}

static cudaError_t device_get_attribute(int *value, int number, int device) {
  if (!value) return cudaErrorInvalidValue;
  if (device) return cudaErrorInvalidDevice;
  return rt_attribute(number, value) ? cudaSuccess : cudaErrorInvalidValue;
}
API cudaError_t cudaDeviceGetAttribute(int *value, int number, int device) {
  return RT_CALL(device_get_attribute(value, number, device));
}

/* ---- properties ---- */

enum {
#define A(number, name, x) ATTRIBUTE_##name = (number),
#include "host/cudart/attributes.def"
#undef A
};
#define GET(field, name) p->field = attribute_value(ATTRIBUTE_##name)
#define GET_SIZE(field, name) p->field = (size_t)attribute_value(ATTRIBUTE_##name)

static void fill_names(cudaDeviceProp *p, const struct config *c) {
  snprintf(p->name, sizeof p->name, "RegTwin %s, %s", c->machine, c->system);
  memcpy(p->uuid, "RegTwin-device-0", sizeof p->uuid);
}

static void fill_sm(cudaDeviceProp *p) {
  GET_SIZE(sharedMemPerBlock, MaxSharedMemoryPerBlock);
  GET(regsPerBlock, MaxRegistersPerBlock);
  GET(warpSize, WarpSize);
  GET(maxThreadsPerBlock, MaxThreadsPerBlock);
  for (int i = 0; i < 3; i++) {
    GET(maxThreadsDim[i], MaxBlockDimX + i);
    GET(maxGridSize[i], MaxGridDimX + i);
  }
  GET(multiProcessorCount, MultiProcessorCount);
  GET(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
  GET(globalL1CacheSupported, GlobalL1CacheSupported);
  GET(localL1CacheSupported, LocalL1CacheSupported);
  GET_SIZE(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
  GET(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
  GET_SIZE(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
  GET(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
  GET(major, ComputeCapabilityMajor);
  GET(minor, ComputeCapabilityMinor);
}

static void fill_memory(cudaDeviceProp *p) {
  p->totalGlobalMem = device_memory_total(rt_device());
  GET_SIZE(memPitch, MaxPitch);
  GET_SIZE(totalConstMem, TotalConstantMemory);
  GET_SIZE(textureAlignment, TextureAlignment);
  GET_SIZE(texturePitchAlignment, TexturePitchAlignment);
  GET_SIZE(surfaceAlignment, SurfaceAlignment);
  GET(memoryBusWidth, GlobalMemoryBusWidth);
  GET(l2CacheSize, L2CacheSize);
  GET(canMapHostMemory, CanMapHostMemory);
  GET(unifiedAddressing, UnifiedAddressing);
  GET(managedMemory, ManagedMemory);
  GET(concurrentManagedAccess, ConcurrentManagedAccess);
  GET(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost);
}

/* Attributes that follow each other are the elements of an array. */
#define GET_ALL(field, name) \
  for (unsigned i = 0; i < sizeof p->field / sizeof p->field[0]; i++) GET(field[i], name + (int)i)

static void fill_textures(cudaDeviceProp *p) {
  GET(maxTexture1D, MaxTexture1DWidth);
  GET(maxTexture1DMipmap, MaxTexture1DMipmappedWidth);
#if CUDART_VERSION < 13000
  GET(maxTexture1DLinear, MaxTexture1DLinearWidth);
#endif
  GET_ALL(maxTexture2D, MaxTexture2DWidth);
  GET_ALL(maxTexture2DMipmap, MaxTexture2DMipmappedWidth);
  GET_ALL(maxTexture2DLinear, MaxTexture2DLinearWidth);
  GET_ALL(maxTexture2DGather, MaxTexture2DGatherWidth);
  GET_ALL(maxTexture3D, MaxTexture3DWidth);
  GET_ALL(maxTexture1DLayered, MaxTexture1DLayeredWidth);
  GET_ALL(maxTexture2DLayered, MaxTexture2DLayeredWidth);
  GET(maxTextureCubemap, MaxTextureCubemapWidth);
  GET_ALL(maxTextureCubemapLayered, MaxTextureCubemapLayeredWidth);
}

static void fill_surfaces(cudaDeviceProp *p) {
  GET(maxSurface1D, MaxSurface1DWidth);
  GET_ALL(maxSurface2D, MaxSurface2DWidth);
  GET_ALL(maxSurface3D, MaxSurface3DWidth);
  GET_ALL(maxSurface1DLayered, MaxSurface1DLayeredWidth);
  GET_ALL(maxSurface2DLayered, MaxSurface2DLayeredWidth);
  GET(maxSurfaceCubemap, MaxSurfaceCubemapWidth);
  GET_ALL(maxSurfaceCubemapLayered, MaxSurfaceCubemapLayeredWidth);
}

static void fill_other(cudaDeviceProp *p) {
  GET(pciBusID, PciBusId);
  GET(concurrentKernels, ConcurrentKernels);
  GET(asyncEngineCount, AsyncEngineCount);
  GET(streamPrioritiesSupported, StreamPrioritiesSupported);
  GET(cooperativeLaunch, CooperativeLaunch);
#if CUDART_VERSION < 13000
  GET(clockRate, ClockRate);
  GET(deviceOverlap, GpuOverlap);
  GET(memoryClockRate, MemoryClockRate);
  GET(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio);
#endif
#if CUDART_VERSION >= 12000
  GET(hostRegisterSupported, HostRegisterSupported);
  GET(memoryPoolsSupported, MemoryPoolsSupported);
#endif
#if CUDART_VERSION >= 13000
  GET(deviceNumaId, NumaId);
  GET(hostNumaId, HostNumaId);
#endif
}

/* bytes: of the structure, as the caller knows it. */
static cudaError_t device_get_properties(void *out, size_t bytes, int device) {
  if (!out) return cudaErrorInvalidValue;
  if (device) return cudaErrorInvalidDevice;
  cudaDeviceProp p = {0};
  fill_names(&p, device_config(rt_device()));
  fill_sm(&p);
  fill_memory(&p);
  fill_textures(&p);
  fill_surfaces(&p);
  fill_other(&p);
  memcpy(out, &p, bytes);
  return cudaSuccess;
}
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
API cudaError_t cudaGetDeviceProperties(void *p, int device) {
  return RT_CALL(device_get_properties(p, offsetof(cudaDeviceProp, hostRegisterSupported), device));
}
API cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *p, int device) {
  return RT_CALL(device_get_properties(p, sizeof *p, device));
}
#else
API cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  return RT_CALL(device_get_properties(p, sizeof *p, device));
}
#endif
