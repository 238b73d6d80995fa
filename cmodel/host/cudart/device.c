/* SPDX-License-Identifier: Apache-2.0 */
/* The device as such: there is exactly one, number 0. Flags, limits and preferences are kept and have no effect. */
#include "host/cudart/device.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/cudart/capture.h"

enum { LIMIT_STACK, LIMIT_PRINTF, LIMIT_HEAP, LIMIT_SYNC_DEPTH, LIMIT_PENDING, LIMIT_L2_FETCH, LIMIT_L2_KEEP, LIMITS };
static const size_t default_limit[LIMITS] = {
    [LIMIT_STACK] = 1024,   [LIMIT_PRINTF] = 1 << 20, [LIMIT_HEAP] = 8 << 20,
    [LIMIT_SYNC_DEPTH] = 2, [LIMIT_PENDING] = 2048,   [LIMIT_L2_FETCH] = 128,
};

static struct settings {
  unsigned generation; /* of the session */
  size_t limit[LIMITS];
  int cache, banks;
} settings;
static unsigned flags; /* of cudaSetDeviceFlags; cudaDeviceReset keeps none */

static struct settings *settings_here(void) {
  if (settings.generation != rt_generation()) {
    settings = (struct settings){.generation = rt_generation()};
    memcpy(settings.limit, default_limit, sizeof default_limit);
  }
  return &settings;
}

/* ---- which devices there are ---- */

static cudaError_t device_put_value(int *out, int value) {
  if (!out) return cudaErrorInvalidValue;
  *out = value;
  return cudaSuccess;
}
static cudaError_t device_check_number(int device) { return device ? cudaErrorInvalidDevice : cudaSuccess; }

API cudaError_t cudaGetDeviceCount(int *n) { return RT_CALL(device_put_value(n, 1)); }
API cudaError_t cudaGetDevice(int *device) { return RT_CALL(device_put_value(device, 0)); }
API cudaError_t cudaSetDevice(int device) { return RT_CALL(device_check_number(device)); }

static cudaError_t set_valid(const int *device, int n) {
  if (n < 0 || (n && !device)) return cudaErrorInvalidValue;
  for (int i = 0; i < n; i++)
    if (device[i]) return cudaErrorInvalidDevice;
  return cudaSuccess;
}
API cudaError_t cudaSetValidDevices(int *device, int n) { return RT_CALL(set_valid(device, n)); }

static cudaError_t device_choose(int *device, const void *prop) {
  return prop ? device_put_value(device, 0) : cudaErrorInvalidValue;
}
API cudaError_t cudaChooseDevice(int *device, const void *prop) { return RT_CALL(device_choose(device, prop)); }

static cudaError_t device_get_bus_name(char *out, int n, int device) {
  if (!out || n < (int)sizeof RT_PCI_NAME) return cudaErrorInvalidValue;
  if (device) return cudaErrorInvalidDevice;
  memcpy(out, RT_PCI_NAME, sizeof RT_PCI_NAME);
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetPCIBusId(char *out, int n, int device) {
  return RT_CALL(device_get_bus_name(out, n, device));
}

/* domain:bus:device.function, domain:bus:device or bus:device.function, in hexadecimal digits. */
static cudaError_t by_bus_name(int *device, const char *name) {
  unsigned v[4] = {0};
  int end = 0;
  if (!device || !name) return cudaErrorInvalidValue;
  bool whole = (sscanf(name, "%4x:%2x:%2x.%1x%n", &v[0], &v[1], &v[2], &v[3], &end) == 4 && !name[end]) ||
               (v[3] = 0, sscanf(name, "%4x:%2x:%2x%n", &v[0], &v[1], &v[2], &end) == 3 && !name[end]) ||
               (v[0] = 0, sscanf(name, "%2x:%2x.%1x%n", &v[1], &v[2], &v[3], &end) == 3 && !name[end]);
  if (!whole) return cudaErrorInvalidValue;
  return v[0] || v[1] != RT_PCI_BUS || v[2] || v[3] ? cudaErrorInvalidDevice : device_put_value(device, 0);
}
API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *name) { return RT_CALL(by_bus_name(device, name)); }

/* ---- versions ---- */

API cudaError_t cudaRuntimeGetVersion(int *v) { return RT_HOST(device_put_value(v, CUDART_VERSION)); }
API cudaError_t cudaDriverGetVersion(int *v) { return RT_HOST(device_put_value(v, CUDART_VERSION)); }

/* ---- begin, wait, end ---- */

static cudaError_t device_do_nothing(void) { return cudaSuccess; }
API cudaError_t cudaDeviceSynchronize(void) { return RT_CALL(capture_refuse_all()); }

static cudaError_t device_reset(void) {
  rt_reset();
  flags = 0;
  return cudaSuccess;
}
API cudaError_t cudaDeviceReset(void) { return RT_HOST(device_reset()); }

API cudaError_t cudaProfilerStart(void) { return RT_CALL(device_do_nothing()); }
API cudaError_t cudaProfilerStop(void) { return RT_CALL(device_do_nothing()); }
API cudaError_t cudaCtxResetPersistingL2Cache(void) { return RT_CALL(device_do_nothing()); }

/* ---- flags ---- */

enum {
  SCHEDULE = 7,
  MAP_HOST = 8,
  RESIZE = 16,
  SYNC_MEMORY = 128,
  ALL_FLAGS = SCHEDULE | MAP_HOST | RESIZE | SYNC_MEMORY
};

static cudaError_t device_set_flags(unsigned f) {
  unsigned schedule = f & SCHEDULE;
  if (f & ~(unsigned)ALL_FLAGS || (schedule & (schedule - 1))) return cudaErrorInvalidValue;
  flags = f;
  return cudaSuccess;
}
API cudaError_t cudaSetDeviceFlags(unsigned f) { return RT_CALL(device_set_flags(f)); }

static cudaError_t device_get_flags(unsigned *out) {
  if (!out) return cudaErrorInvalidValue;
  *out = flags | MAP_HOST;
  return cudaSuccess;
}
API cudaError_t cudaGetDeviceFlags(unsigned *out) { return RT_CALL(device_get_flags(out)); }

#if CUDART_VERSION >= 12000
/* Without bit 0 of init the flags do not count. */
static cudaError_t init_device(int device, unsigned f, unsigned init) {
  if (device) return cudaErrorInvalidDevice;
  if (init > 1) return cudaErrorInvalidValue;
  return init ? device_set_flags(f) : cudaSuccess;
}
API cudaError_t cudaInitDevice(int device, unsigned f, unsigned init) { return RT_CALL(init_device(device, f, init)); }
#endif

/* ---- limits and preferences ---- */

static cudaError_t device_set_limit(unsigned limit, size_t value) {
  if (limit >= LIMITS) return cudaErrorUnsupportedLimit;
  settings_here()->limit[limit] = value;
  return cudaSuccess;
}
API cudaError_t cudaDeviceSetLimit(unsigned limit, size_t value) { return RT_CALL(device_set_limit(limit, value)); }

static cudaError_t device_get_limit(size_t *value, unsigned limit) {
  if (!value) return cudaErrorInvalidValue;
  if (limit >= LIMITS) return cudaErrorUnsupportedLimit;
  *value = settings_here()->limit[limit];
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetLimit(size_t *value, unsigned limit) { return RT_CALL(device_get_limit(value, limit)); }

static cudaError_t set_choice(int *to, int value, int most) {
  if (value < 0 || value > most) return cudaErrorInvalidValue;
  *to = value;
  return cudaSuccess;
}
enum { CACHE_EQUAL = 3, BANK_8_BYTES = 2 };
API cudaError_t cudaDeviceSetCacheConfig(int v) { return RT_CALL(set_choice(&settings_here()->cache, v, CACHE_EQUAL)); }
API cudaError_t cudaDeviceGetCacheConfig(int *v) { return RT_CALL(device_put_value(v, settings_here()->cache)); }
API cudaError_t cudaDeviceSetSharedMemConfig(int v) {
  return RT_CALL(set_choice(&settings_here()->banks, v, BANK_8_BYTES));
}
API cudaError_t cudaDeviceGetSharedMemConfig(int *v) { return RT_CALL(device_put_value(v, settings_here()->banks)); }

/* ---- names that 13 dropped ---- */

#if CUDART_VERSION < 13000
ALIAS(cudaDeviceSynchronize, cudaThreadSynchronize)
ALIAS(cudaDeviceReset, cudaThreadExit)
ALIAS(cudaDeviceSetLimit, cudaThreadSetLimit)
ALIAS(cudaDeviceGetLimit, cudaThreadGetLimit)
ALIAS(cudaDeviceSetCacheConfig, cudaThreadSetCacheConfig)
ALIAS(cudaDeviceGetCacheConfig, cudaThreadGetCacheConfig)
#endif
