/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stub: a CUDA driver library that only says what to do. A program with the runtime linked in statically, nvcc's default, opens
 * libcuda.so.1 when it first needs the device; so does one that uses the driver's interface. Each gets CUDA_ERROR_STUB_LIBRARY, of which
 * the runtime makes cudaErrorStubLibrary. Source: "CUDA Driver API", sections "Initialization" and "Driver Entry Point Access".
 */
#include "host/cuda/stub.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

enum { STUB_LIBRARY = 34, INVALID_VALUE = 1, VERSION = 13000 };

int stub_tell(void) {
  note_once(
      "this program has the CUDA runtime linked in statically, or calls the CUDA driver: build it with nvcc -cudart "
      "shared, without "
      "calls of the driver, and start it with 'regtwin host'");
  return STUB_LIBRARY;
}

/* The runtime compares it with its own version before it calls cuInit. */
API int cuDriverGetVersion(int *version) {
  if (version) *version = VERSION;
  return version ? 0 : INVALID_VALUE;
}

static int stub_give_text(const char **out, const char *s) {
  if (out) *out = s;
  return out ? 0 : INVALID_VALUE;
}
API int cuGetErrorName(int error, const char **out) {
  return stub_give_text(out, error ? "CUDA_ERROR_STUB_LIBRARY" : "CUDA_SUCCESS");
}
API int cuGetErrorString(int error, const char **out) {
  return stub_give_text(out, error ? "this driver library is a stub" : "no error");
}

/* ---- functions by name: how the runtime finds all others ---- */

API int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found);
API int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

static void *stub_find(const char *name, int version) {
  if (strcmp(name, "cuDriverGetVersion") == 0) return (void *)cuDriverGetVersion;
  if (strcmp(name, "cuGetErrorName") == 0) return (void *)cuGetErrorName;
  if (strcmp(name, "cuGetErrorString") == 0) return (void *)cuGetErrorString;
  if (strcmp(name, "cuGetProcAddress_v2") == 0) return (void *)cuGetProcAddress_v2;
  if (strcmp(name, "cuGetProcAddress") == 0)
    return version >= 12000 ? (void *)cuGetProcAddress_v2 : (void *)cuGetProcAddress;
  return (void *)stub_tell;
}
API int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found) {
  (void)flags;
  if (found) *found = 0;
  if (!name || !out) return INVALID_VALUE;
  *out = stub_find(name, version);
  return 0;
}
