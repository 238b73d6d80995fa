/* SPDX-License-Identifier: Apache-2.0 */
/* pointer_about: see pointer_about.h. */
#include "host/cudart/pointer_about.h"

#include "host/cudart/bytes.h"
#include "host/cudart/chunks.h"
#include "host/cudart/managed.h"

static cudaPointerAttributes known(unsigned type, void *device, void *host) {
  return (cudaPointerAttributes){.type = type, .devicePointer = device, .hostPointer = host};
}

static cudaPointerAttributes of_chunk(void *p, const struct chunk *c) {
  switch (c->kind) {
    case CHUNK_MANAGED: return known(cudaMemoryTypeManaged, p, p);
    case CHUNK_MAPPED: return known(cudaMemoryTypeHost, p, p);
    case CHUNK_HOST:
    case CHUNK_REGISTERED: return known(cudaMemoryTypeHost, NULL, p);
    case CHUNK_POOL: break;
  }
  return known(cudaMemoryTypeDevice, p, NULL);
}

static cudaPointerAttributes of_other(void *p) {
  if (managed_range(p, 1)) return known(cudaMemoryTypeManaged, p, p);
  if (rt_on_device(p)) return known(cudaMemoryTypeDevice, p, NULL);
  cudaPointerAttributes none = known(cudaMemoryTypeUnregistered, NULL, p);
  none.device = -2;
  return none;
}

static cudaError_t attributes(cudaPointerAttributes *out, void *p) {
  if (!out) return cudaErrorInvalidValue;
  const struct chunk *c = chunk_of(p);
  *out = c ? of_chunk(p, c) : of_other(p);
  return cudaSuccess;
}
API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *p) {
  return RT_CALL(attributes(out, (void *)p));
}
