/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-locked host memory. Where the device's memory lies at equal host addresses (device_is_mapped) it is taken from there, so that
 * kernels can access it, as long as there is room; otherwise from malloc. What the program registers stays where it is, so that kernels
 * cannot access it.
 */
#include <stdlib.h>

#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"
#include "host/cudart/chunks.h"

enum { PORTABLE = 1, MAPPED = 2, WRITE_COMBINED = 4 };               /* cudaHostAlloc */
enum { REGISTER_MAPPED = 2, REGISTER_IO = 4, REGISTER_FLAGS = 0xf }; /* cudaHostRegister */

/* NULL: no room; nothing is told. */
static void *host_memory_from_device(size_t bytes) {
  enum { ALIGN = 4096 };
  struct err e = {0};
  uint32_t addr;
  if (!device_is_mapped(rt_device()) || device_alloc(rt_device(), bytes, ALIGN, &addr, &e)) return NULL;
  return (void *)(uintptr_t)addr;
}

static void *host_memory_from_host(size_t bytes) {
  enum { ALIGN = 4096 };
  if (bytes > SIZE_MAX / 2) return NULL;
  return aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN);
}

static cudaError_t host_memory_allocate(void **out, size_t bytes, unsigned flags) {
  if (!out || flags & ~(unsigned)(PORTABLE | MAPPED | WRITE_COMBINED)) return cudaErrorInvalidValue;
  *out = NULL;
  if (!bytes) return cudaSuccess;
  if (flags & MAPPED && !device_is_mapped(rt_device()))
    return rt_error(cudaErrorNotSupported, rt_call(), "host memory for kernels: %s", RT_NOT_MAPPED);
  struct chunk b = {
      .at = (uintptr_t)host_memory_from_device(bytes), .bytes = bytes, .kind = CHUNK_MAPPED, .flags = flags};
  if (!b.at && !(flags & MAPPED)) {
    b.at = (uintptr_t)host_memory_from_host(bytes);
    b.kind = CHUNK_HOST;
    if (b.at && device_is_mapped(rt_device()))
      rt_error(cudaSuccess, rt_call(),
               "found %zu bytes, of which the device's memory has %llu free: kernels cannot access this host memory",
               bytes, (unsigned long long)device_memory_free(rt_device()));
  }
  if (!b.at) return cudaErrorMemoryAllocation;
  chunk_add(b);
  *out = (void *)b.at;
  return cudaSuccess;
}
API cudaError_t cudaMallocHost(void **out, size_t bytes) { return RT_UNSAFE(host_memory_allocate(out, bytes, 0)); }
API cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
  return RT_UNSAFE(host_memory_allocate(out, bytes, flags));
}

static cudaError_t host_memory_release(void *p) {
  const struct chunk *b = chunk_at(p);
  struct err e = {0};
  if (!b || (b->kind != CHUNK_HOST && b->kind != CHUNK_MAPPED)) return cudaErrorInvalidValue;
  if (b->kind == CHUNK_HOST) free(p);
  else device_free(rt_device(), (uint32_t)b->at, &e);
  chunk_drop(b);
  return cudaSuccess;
}
API cudaError_t cudaFreeHost(void *p) {
  return RT_CALL(p ? capture_refuse_unsafe() ?: host_memory_release(p) : cudaSuccess);
}

/* ---- memory of the program ---- */

static cudaError_t host_memory_register(void *p, size_t bytes, unsigned flags) {
  if (!p || !bytes || flags & ~(unsigned)REGISTER_FLAGS || (uintptr_t)p + bytes < bytes) return cudaErrorInvalidValue;
  if (flags & REGISTER_IO)
    return rt_error(cudaErrorNotSupported, "cudaHostRegister", "memory of devices is not supported");
  if (!rt_bytes(p, bytes, SIDE_HOST)) return cudaErrorInvalidValue;
  struct chunk b = {.at = (uintptr_t)p, .bytes = bytes, .kind = CHUNK_REGISTERED, .flags = flags};
  return chunk_add(b) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
}
API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
  return RT_UNSAFE(host_memory_register(p, bytes, flags));
}

static cudaError_t host_memory_unregister(void *p) {
  const struct chunk *b = chunk_at(p);
  if (!p) return cudaErrorInvalidValue;
  if (!b || b->kind != CHUNK_REGISTERED) return cudaErrorHostMemoryNotRegistered;
  chunk_drop(b);
  return cudaSuccess;
}
API cudaError_t cudaHostUnregister(void *p) { return RT_UNSAFE(host_memory_unregister(p)); }

/* ---- what is known of it ---- */

static const struct chunk *page_locked(const void *p) {
  const struct chunk *b = chunk_of(p);
  return b && (b->kind == CHUNK_HOST || b->kind == CHUNK_MAPPED || b->kind == CHUNK_REGISTERED) ? b : NULL;
}

static cudaError_t host_memory_get_flags(unsigned *flags, void *p) {
  const struct chunk *b = page_locked(p);
  if (!b || !flags) return cudaErrorInvalidValue;
  *flags = b->flags | (b->kind == CHUNK_MAPPED ? MAPPED : 0);
  return cudaSuccess;
}
API cudaError_t cudaHostGetFlags(unsigned *flags, void *p) { return RT_CALL(host_memory_get_flags(flags, p)); }

static cudaError_t device_pointer(void **out, void *p, unsigned flags) {
  const struct chunk *b = page_locked(p);
  if (!out || !b || flags) return cudaErrorInvalidValue;
  *out = NULL;
  if (b->kind == CHUNK_REGISTERED)
    return rt_error(
        cudaErrorNotSupported, "cudaHostGetDevicePointer",
        "kernels cannot access registered memory; cudaHostAlloc and cudaMallocManaged give memory that they can");
  if (b->kind == CHUNK_HOST)
    return rt_error(cudaErrorNotSupported, "cudaHostGetDevicePointer", "host memory for kernels: %s",
                    device_is_mapped(rt_device()) ? "the device's memory is exhausted" : RT_NOT_MAPPED);
  *out = p;
  return cudaSuccess;
}
API cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned flags) {
  return RT_CALL(device_pointer(out, p, flags));
}
