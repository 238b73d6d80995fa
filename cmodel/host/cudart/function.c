/* SPDX-License-Identifier: Apache-2.0 */
/* function: attributes of __global__ functions, and how many blocks of one an SM holds. */
#include "host/cudart/launch.h"

enum { DEFAULT_SHARED = 48 << 10 }; /* of a block, unless the program asks for more */

struct found {
  struct function *f;
  struct device_kernel *k;
  struct device_about about;
};
/* The kernel behind a function, and what is known of it. */
static cudaError_t function_find(const void *host, struct found *out) {
  out->f = rt_function(host);
  if (!out->f) return cudaErrorInvalidDeviceFunction;
  cudaError_t e = rt_kernel(out->f, &out->k);
  if (e) return e;
  struct err why = {0};
  return rt_status(device_kernel_about(out->k, &out->about, &why), rt_call(), &why);
}
/* The same for a call that stores what it finds at `to`. */
static cudaError_t function_find_for(const void *to, const void *host, struct found *out) {
  return to ? function_find(host, out) : cudaErrorInvalidValue;
}

static uint32_t shared_of_sm(void) { return (uint32_t)device_config(rt_device())->shared_bytes; }

uint64_t rt_max_dynamic(const struct function *f, const struct device_about *about) {
  uint32_t all = shared_of_sm() < DEFAULT_SHARED ? shared_of_sm() : DEFAULT_SHARED;
  uint32_t left = about->shared_bytes < all ? all - about->shared_bytes : 0;
  return f->max_dynamic > left ? f->max_dynamic : left;
}

/* ---- attributes ---- */

static cudaError_t function_get_attributes(cudaFuncAttributes *out, const void *host) {
  struct found x;
  cudaError_t e = function_find_for(out, host, &x);
  if (e) return e;
  *out = (cudaFuncAttributes){.sharedSizeBytes = x.about.shared_bytes,
                              .constSizeBytes = x.about.constant_bytes,
                              .localSizeBytes = x.about.local_bytes,
                              .maxThreadsPerBlock = (int)x.about.max_threads,
                              .numRegs = (int)x.about.regs,
                              .ptxVersion = (int)x.f->target,
                              .binaryVersion = (int)x.f->target,
                              .maxDynamicSharedSizeBytes = (int)rt_max_dynamic(x.f, &x.about),
                              .preferredShmemCarveout = -1};
  return cudaSuccess;
}
API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *host) {
  return RT_CALL(function_get_attributes(out, host));
}

static cudaError_t function_set_attribute(const void *host, cudaFuncAttribute attribute, int value) {
  struct found x;
  cudaError_t e = function_find(host, &x);
  if (e) return e;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || (uint64_t)value + x.about.shared_bytes > shared_of_sm())
        return rt_error(cudaErrorInvalidValue, rt_call(),
                        "%s: found %d bytes of dynamic shared memory, expected 0 to %u less %u that are static",
                        x.about.name, value, shared_of_sm(), x.about.shared_bytes);
      x.f->max_dynamic = (uint32_t)value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaErrorNotSupported;
  }
  return attribute > cudaFuncAttributeClusterDimMustBeSet &&
                 attribute < cudaFuncAttributeClusterSchedulingPolicyPreference
             ? cudaErrorNotSupported
             : cudaErrorInvalidValue;
}
API cudaError_t cudaFuncSetAttribute(const void *host, cudaFuncAttribute attribute, int value) {
  return RT_CALL(function_set_attribute(host, attribute, value));
}
API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                                int device) {
  return RT_CALL(device ? cudaErrorInvalidDevice : function_set_attribute(kernel, attribute, value));
}

/* How the L1 and shared memory divide their memory, and the width of its banks, are the configuration's. */
static cudaError_t function_accept_choice(const void *host, int value, int most) {
  if (!rt_function(host)) return cudaErrorInvalidDeviceFunction;
  return value < 0 || value > most ? cudaErrorInvalidValue : cudaSuccess;
}
API cudaError_t cudaFuncSetCacheConfig(const void *host, int value) {
  return RT_CALL(function_accept_choice(host, value, 3));
}
API cudaError_t cudaFuncSetSharedMemConfig(const void *host, int value) {
  return RT_CALL(function_accept_choice(host, value, 2));
}

static cudaError_t function_get_name(const char **out, const void *host) {
  const struct function *f = rt_function(host);
  if (!out) return cudaErrorInvalidValue;
  if (!f) return cudaErrorInvalidDeviceFunction;
  *out = f->name;
  return cudaSuccess;
}
API cudaError_t cudaFuncGetName(const char **out, const void *host) { return RT_HOST(function_get_name(out, host)); }

static cudaError_t function_get_param(const void *host, size_t i, size_t *offset, size_t *size) {
  struct found x;
  cudaError_t e = function_find(host, &x);
  if (e) return e;
  if (!offset || i >= x.about.nparam) return cudaErrorInvalidValue;
  *offset = x.about.param[i].offset;
  if (size) *size = x.about.param[i].size;
  return cudaSuccess;
}
API cudaError_t cudaFuncGetParamInfo(const void *host, size_t i, size_t *offset, size_t *size) {
  return RT_CALL(function_get_param(host, i, offset, size));
}

/* ---- occupancy ---- */

static cudaError_t function_max_blocks(int *out, const void *host, int threads, size_t shared) {
  struct found x;
  cudaError_t e = function_find_for(out, host, &x);
  if (e) return e;
  if (threads <= 0) return cudaErrorInvalidValue;
  bool fits = (uint32_t)threads <= x.about.max_threads && shared <= rt_max_dynamic(x.f, &x.about);
  *out = fits ? (int)device_occupancy(x.k, (uint32_t)threads, (uint32_t)shared) : 0;
  return cudaSuccess;
}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host, int threads, size_t shared) {
  return RT_CALL(function_max_blocks(out, host, threads, shared));
}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *host, int threads,
                                                                       size_t shared, unsigned flags) {
  return RT_CALL(flags > 1 ? cudaErrorInvalidValue : function_max_blocks(out, host, threads, shared));
}

/* The most bytes with which so many blocks still fit: their number never grows with the bytes. */
static cudaError_t function_max_shared(size_t *out, const void *host, int blocks, int threads) {
  struct found x;
  cudaError_t e = function_find_for(out, host, &x);
  if (e) return e;
  if (threads <= 0 || blocks <= 0 || device_occupancy(x.k, (uint32_t)threads, 0) < (unsigned)blocks)
    return cudaErrorInvalidValue;
  uint32_t fits = 0, fails = (uint32_t)rt_max_dynamic(x.f, &x.about) + 1;
  while (fails - fits > 1) {
    uint32_t middle = fits + (fails - fits) / 2;
    if (device_occupancy(x.k, (uint32_t)threads, middle) >= (unsigned)blocks) fits = middle;
    else fails = middle;
  }
  *out = fits;
  return cudaSuccess;
}
API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host, int blocks, int threads) {
  return RT_CALL(function_max_shared(out, host, blocks, threads));
}
