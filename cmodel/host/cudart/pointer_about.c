/* SPDX-License-Identifier: Apache-2.0 */
/* pointer_about: see pointer_about.h. */
#include "host/cudart/pointer_about.h"

#include "host/cudart/bytes.h"
#include "host/cudart/chunks.h"
#include "host/cudart/managed.h"

static cudaPointerAttributes pointer_about_make(unsigned type, void *device, void *host) {
  return (cudaPointerAttributes){.type = type, .devicePointer = device, .hostPointer = host};
}

static cudaPointerAttributes pointer_about_chunk(void *p, const struct chunk *c) {
  switch (c->kind) {
    case CHUNK_MANAGED: return pointer_about_make(cudaMemoryTypeManaged, p, p);
    case CHUNK_MAPPED: return pointer_about_make(cudaMemoryTypeHost, p, p);
    case CHUNK_HOST:
    case CHUNK_REGISTERED: return pointer_about_make(cudaMemoryTypeHost, NULL, p);
    case CHUNK_POOL: break;
  }
  return pointer_about_make(cudaMemoryTypeDevice, p, NULL);
}

static cudaPointerAttributes pointer_about_other(void *p) {
  if (managed_range(p, 1)) return pointer_about_make(cudaMemoryTypeManaged, p, p);
  if (rt_on_device(p)) return pointer_about_make(cudaMemoryTypeDevice, p, NULL);
  cudaPointerAttributes none = pointer_about_make(cudaMemoryTypeUnregistered, NULL, p);
  none.device = -2;
  return none;
}

static cudaError_t pointer_get_attributes(cudaPointerAttributes *out, void *p) {
  if (!out) return cudaErrorInvalidValue;
  const struct chunk *c = chunk_of(p);
  *out = c ? pointer_about_chunk(p, c) : pointer_about_other(p);
  return cudaSuccess;
}
API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *p) {
  return RT_CALL(pointer_get_attributes(out, (void *)p));
}
