/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: device memory at equal host addresses. It never moves, so that advice and prefetches are only checked. */
#include "host/cudart/managed.h"

#include <string.h>

#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"
#include "host/cudart/chunks.h"

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };
enum { DEVICE_CPU = -1, DEVICE_NONE = -2 };

static cudaError_t managed_allocate(void **out, size_t bytes, unsigned flags) {
  if (!out || !bytes || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST)) return cudaErrorInvalidValue;
  *out = NULL;
  if (!device_is_mapped(rt_device()))
    return rt_error(cudaErrorNotSupported, "cudaMallocManaged", "managed memory: %s", RT_NOT_MAPPED);
  cudaError_t e = rt_allocate(bytes, out);
  if (e) return e;
  chunk_add((struct chunk){.at = (uintptr_t)*out, .bytes = bytes, .kind = CHUNK_MANAGED, .flags = flags});
  return cudaSuccess;
}
API cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
  return RT_UNSAFE(managed_allocate(out, bytes, flags));
}

bool managed_range(const void *p, size_t n) {
  const struct chunk *b = chunk_of(p);
  if (b) return b->kind == CHUNK_MANAGED && n <= b->bytes - ((uintptr_t)p - b->at);
  struct rt_place v;
  uint32_t base, bytes;
  if (!device_is_mapped(rt_device()) || !device_span(rt_device(), (uintptr_t)p, &base, &bytes)) return false;
  if (n > bytes - ((uintptr_t)p - base)) return false;
  return !rt_symbol((void *)(uintptr_t)base, &v) && v.managed;
}

static cudaError_t managed_attach(cudaStream_t s, void *p, size_t n, unsigned flags) {
  cudaError_t e = capture_refuse(s);
  if (e) return e;
  if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST && flags != ATTACH_SINGLE) return cudaErrorInvalidValue;
  return managed_range(p, n ? n : 1) ? cudaSuccess : cudaErrorInvalidValue;
}
API cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t n, unsigned flags) {
  return RT_CALL(managed_attach(s, p, n, flags));
}
PER_THREAD(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned flags), (OWN_STREAM(s), p, n, flags))

/* ---- advice ---- */

static bool place_exists(cudaMemLocation l) {
  switch (l.type) {
    case cudaMemLocationTypeDevice: return l.id == 0;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNumaCurrent: return true;
    case cudaMemLocationTypeHostNuma: return l.id == 0;
    default: return false;
  }
}
#if CUDART_VERSION < 13000
static cudaMemLocation managed_place_of(int device) {
  bool host = device == DEVICE_CPU;
  return (cudaMemLocation){host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, host ? 0 : device};
}
#endif

static cudaError_t managed_prefetch(const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t s) {
  cudaError_t e = capture_refuse(s);
  if (e) return e;
  if (!n || flags || !managed_range(p, n)) return cudaErrorInvalidValue;
  return place_exists(to) ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t managed_advise(const void *p, size_t n, int advice, cudaMemLocation at) {
  enum { READ_MOSTLY = 1, UNSET_PREFERRED = 4, LAST = 6 };
  bool without_place = advice <= READ_MOSTLY + 1 || advice == UNSET_PREFERRED;
  if (!n || advice < READ_MOSTLY || advice > LAST || !managed_range(p, n)) return cudaErrorInvalidValue;
  return without_place || place_exists(at) ? cudaSuccess : cudaErrorInvalidDevice;
}

#if CUDART_VERSION >= 13000
API cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t s) {
  return RT_CALL(managed_prefetch(p, n, to, flags, s));
}
PER_THREAD(cudaMemPrefetchAsync, (const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t s),
           (p, n, to, flags, OWN_STREAM(s)))
API cudaError_t cudaMemAdvise(const void *p, size_t n, int advice, cudaMemLocation at) {
  return RT_CALL(managed_advise(p, n, advice, at));
}
#else
API cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t s) {
  return RT_CALL(managed_prefetch(p, n, managed_place_of(device), 0, s));
}
PER_THREAD(cudaMemPrefetchAsync, (const void *p, size_t n, int device, cudaStream_t s), (p, n, device, OWN_STREAM(s)))
API cudaError_t cudaMemAdvise(const void *p, size_t n, int advice, int device) {
  return RT_CALL(managed_advise(p, n, advice, managed_place_of(device)));
}
#endif
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
API cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t s) {
  return RT_CALL(managed_prefetch(p, n, to, flags, s));
}
PER_THREAD(cudaMemPrefetchAsync_v2, (const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t s),
           (p, n, to, flags, OWN_STREAM(s)))
API cudaError_t cudaMemAdvise_v2(const void *p, size_t n, int advice, cudaMemLocation at) {
  return RT_CALL(managed_advise(p, n, advice, at));
}
#endif

/* ---- what was advised: not kept, so every range has the values of one that nothing was advised for ---- */

enum { RANGE_READ_MOSTLY = 1, RANGE_ACCESSED_BY = 3, RANGE_PLACE_TYPE = 5, RANGE_LAST_TYPE = 7, RANGE_LAST = 8 };

static bool range_value(void *data, size_t bytes, int attribute) {
  int32_t none =
      attribute == RANGE_READ_MOSTLY || attribute == RANGE_PLACE_TYPE || attribute == RANGE_LAST_TYPE ? 0 : DEVICE_NONE;
  bool list = attribute == RANGE_ACCESSED_BY;
  if (!data || attribute < RANGE_READ_MOSTLY || attribute > RANGE_LAST || bytes < sizeof none || bytes % sizeof none ||
      (!list && bytes != sizeof none))
    return false;
  for (size_t i = 0; i < bytes; i += sizeof none) memcpy((uint8_t *)data + i, &none, sizeof none);
  return true;
}

static cudaError_t range_attributes(void **data, const size_t *bytes, const int *attribute, size_t n, const void *p,
                                    size_t range) {
  if (!data || !bytes || !attribute || !n || !range || !managed_range(p, range)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < n; i++)
    if (!range_value(data[i], bytes[i], attribute[i])) return cudaErrorInvalidValue;
  return cudaSuccess;
}
API cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, int attribute, const void *p, size_t range) {
  return RT_CALL(range_attributes(&data, &bytes, &attribute, 1, p, range));
}
API cudaError_t cudaMemRangeGetAttributes(void **data, size_t *bytes, int *attribute, size_t n, const void *p,
                                          size_t range) {
  return RT_CALL(range_attributes(data, bytes, attribute, n, p, range));
}
