/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory: allocated and freed, plain and pitched. */
#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"
#include "host/cudart/chunks.h"
#include "host/cudart/pool.h"

enum { PITCH = 512 };

static cudaError_t memory_allocate(void **out, size_t bytes) {
  if (!out) return cudaErrorInvalidValue;
  *out = NULL;
  return bytes ? rt_allocate(bytes, out) : cudaSuccess;
}
API cudaError_t cudaMalloc(void **out, size_t bytes) { return RT_UNSAFE(memory_allocate(out, bytes)); }

static cudaError_t allocate_rows(void **out, size_t *pitch, size_t width, size_t rows) {
  *out = NULL;
  *pitch = 0;
  if (!width || !rows) return cudaSuccess;
  size_t bytes;
  if (width > SIZE_MAX - PITCH || __builtin_mul_overflow((width + PITCH - 1) / PITCH * PITCH, rows, &bytes))
    return cudaErrorMemoryAllocation;
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  return rt_allocate(bytes, out);
}

static cudaError_t allocate_pitch(void **out, size_t *pitch, size_t width, size_t height) {
  if (!out || !pitch) return cudaErrorInvalidValue;
  return allocate_rows(out, pitch, width, height);
}
API cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
  return RT_UNSAFE(allocate_pitch(out, pitch, width, height));
}

static cudaError_t allocate_3d(cudaPitchedPtr *out, cudaExtent x) {
  size_t rows;
  if (!out) return cudaErrorInvalidValue;
  *out = (cudaPitchedPtr){.xsize = x.width, .ysize = x.height};
  if (__builtin_mul_overflow(x.height, x.depth, &rows)) return cudaErrorMemoryAllocation;
  return allocate_rows(&out->ptr, &out->pitch, x.width, rows);
}
API cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent) { return RT_UNSAFE(allocate_3d(out, extent)); }

cudaError_t rt_free(void *p) {
  const struct chunk *c = chunk_at(p);
  struct err e = {0};
  if ((uintptr_t)p > UINT32_MAX || (c && c->kind == CHUNK_MAPPED)) return cudaErrorInvalidValue;
  enum device_status status = device_free(rt_device(), (uint32_t)(uintptr_t)p, &e);
  if (status) return rt_status(status, rt_call(), &e);
  if (c && c->kind == CHUNK_MANAGED) chunk_drop(c);
  pool_freed(p);
  return cudaSuccess;
}
/* Programs call cudaFree(NULL) to open the device: it does nothing, also in a capture. */
API cudaError_t cudaFree(void *p) { return RT_CALL(p ? capture_refuse_unsafe() ?: rt_free(p) : cudaSuccess); }

static cudaError_t memory_info(size_t *free, size_t *total) {
  if (!free || !total) return cudaErrorInvalidValue;
  *free = device_memory_free(rt_device());
  *total = device_memory_total(rt_device());
  return cudaSuccess;
}
API cudaError_t cudaMemGetInfo(size_t *free, size_t *total) { return RT_CALL(memory_info(free, total)); }
