/* SPDX-License-Identifier: Apache-2.0 */
/* function: attributes of __global__ functions, and how many blocks of one an SM holds. */
#include "cudart/launch.h"

enum { DEFAULT_SHARED = 48 << 10 }; /* of a block, unless the program asks for more */

/* The kernel behind a function, and what is known of it. */
static cudaError_t find(const char *call, const void *host, struct function **f, struct device_kernel **k,
                        struct device_about *about) {
  *f = rt_function(host);
  if (!*f) return cudaErrorInvalidDeviceFunction;
  cudaError_t e = rt_kernel(*f, k);
  if (e) return e;
  struct err why = {0};
  return rt_status(device_kernel_about(*k, about, &why), call, &why);
}

static uint32_t shared_of_sm(void) { return (uint32_t)device_config(rt_device())->shared_bytes; }

uint64_t rt_max_dynamic(const struct function *f, const struct device_about *about) {
  uint32_t all = shared_of_sm() < DEFAULT_SHARED ? shared_of_sm() : DEFAULT_SHARED;
  uint32_t left = about->shared_bytes < all ? all - about->shared_bytes : 0;
  return f->max_dynamic > left ? f->max_dynamic : left;
}

/* ---- attributes ---- */

static cudaError_t get_attributes(const char *call, cudaFuncAttributes *out, const void *host) {
  struct function *f;
  struct device_kernel *k;
  struct device_about a;
  if (!out) return cudaErrorInvalidValue;
  cudaError_t e = find(call, host, &f, &k, &a);
  if (e) return e;
  *out = (cudaFuncAttributes){.sharedSizeBytes = a.shared_bytes,
                              .constSizeBytes = a.constant_bytes,
                              .localSizeBytes = a.local_bytes,
                              .maxThreadsPerBlock = (int)a.max_threads,
                              .numRegs = (int)a.regs,
                              .ptxVersion = (int)f->target,
                              .binaryVersion = (int)f->target,
                              .maxDynamicSharedSizeBytes = (int)rt_max_dynamic(f, &a),
                              .preferredShmemCarveout = -1};
  return cudaSuccess;
}
API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *host) {
  return RT_CALL(get_attributes(__func__, out, host));
}

static cudaError_t set_attribute(const char *call, const void *host, cudaFuncAttribute attribute, int value) {
  struct function *f;
  struct device_kernel *k;
  struct device_about a;
  cudaError_t e = find(call, host, &f, &k, &a);
  if (e) return e;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || (uint64_t)value + a.shared_bytes > shared_of_sm())
        return rt_error(cudaErrorInvalidValue, call,
                        "%s: found %d bytes of dynamic shared memory, expected 0 to %u less %u that are static", a.name,
                        value, shared_of_sm(), a.shared_bytes);
      f->max_dynamic = (uint32_t)value;
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
  return RT_CALL(set_attribute(__func__, host, attribute, value));
}
API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                                int device) {
  return RT_CALL(device ? cudaErrorInvalidDevice : set_attribute(__func__, kernel, attribute, value));
}

/* How the L1 and shared memory divide their memory, and the width of its banks, are the configuration's. */
static cudaError_t accept(const void *host, int value, int most) {
  if (!rt_function(host)) return cudaErrorInvalidDeviceFunction;
  return value < 0 || value > most ? cudaErrorInvalidValue : cudaSuccess;
}
API cudaError_t cudaFuncSetCacheConfig(const void *host, int value) { return RT_CALL(accept(host, value, 3)); }
API cudaError_t cudaFuncSetSharedMemConfig(const void *host, int value) { return RT_CALL(accept(host, value, 2)); }

static cudaError_t get_name(const char **out, const void *host) {
  const struct function *f = rt_function(host);
  if (!out) return cudaErrorInvalidValue;
  if (!f) return cudaErrorInvalidDeviceFunction;
  *out = f->name;
  return cudaSuccess;
}
API cudaError_t cudaFuncGetName(const char **out, const void *host) { return RT_HOST(get_name(out, host)); }

static cudaError_t get_param(const char *call, const void *host, size_t i, size_t *offset, size_t *size) {
  struct function *f;
  struct device_kernel *k;
  struct device_about a;
  cudaError_t e = find(call, host, &f, &k, &a);
  if (e) return e;
  if (!offset || i >= a.nparam) return cudaErrorInvalidValue;
  *offset = a.param[i].offset;
  if (size) *size = a.param[i].size;
  return cudaSuccess;
}
API cudaError_t cudaFuncGetParamInfo(const void *host, size_t i, size_t *offset, size_t *size) {
  return RT_CALL(get_param(__func__, host, i, offset, size));
}

/* ---- occupancy ---- */

static cudaError_t max_blocks(const char *call, int *out, const void *host, int threads, size_t shared) {
  struct function *f;
  struct device_kernel *k;
  struct device_about a;
  if (!out) return cudaErrorInvalidValue;
  cudaError_t e = find(call, host, &f, &k, &a);
  if (e) return e;
  if (threads <= 0) return cudaErrorInvalidValue;
  bool fits = (uint32_t)threads <= a.max_threads && shared <= rt_max_dynamic(f, &a);
  *out = fits ? (int)device_occupancy(k, (uint32_t)threads, (uint32_t)shared) : 0;
  return cudaSuccess;
}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host, int threads, size_t shared) {
  return RT_CALL(max_blocks(__func__, out, host, threads, shared));
}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *host, int threads,
                                                                       size_t shared, unsigned flags) {
  return RT_CALL(flags > 1 ? cudaErrorInvalidValue : max_blocks(__func__, out, host, threads, shared));
}

/* The most bytes with which so many blocks still fit: their number never grows with the bytes. */
static cudaError_t max_shared(const char *call, size_t *out, const void *host, int blocks, int threads) {
  struct function *f;
  struct device_kernel *k;
  struct device_about a;
  if (!out) return cudaErrorInvalidValue;
  cudaError_t e = find(call, host, &f, &k, &a);
  if (e) return e;
  if (threads <= 0 || blocks <= 0 || device_occupancy(k, (uint32_t)threads, 0) < (unsigned)blocks)
    return cudaErrorInvalidValue;
  uint32_t fits = 0, fails = (uint32_t)rt_max_dynamic(f, &a) + 1;
  while (fails - fits > 1) {
    uint32_t middle = fits + (fails - fits) / 2;
    if (device_occupancy(k, (uint32_t)threads, middle) >= (unsigned)blocks) fits = middle;
    else fails = middle;
  }
  *out = fits;
  return cudaSuccess;
}
API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host, int blocks, int threads) {
  return RT_CALL(max_shared(__func__, out, host, blocks, threads));
}
