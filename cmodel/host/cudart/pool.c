/* SPDX-License-Identifier: Apache-2.0 */
/* pool: see pool.h. */
#include "host/cudart/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"
#include "host/cudart/chunks.h"
#include "host/cudart/handle.h"
#include "host/cudart/managed.h"

struct pool {
  int reuse[3];       /* attributes 1 to 3; without effect */
  uint64_t threshold; /* attribute 4; without effect */
  uint64_t used, used_high;
};
typedef struct pool *cudaMemPool_t; /* a handle, not a pointer */

enum pool_attribute {
  POOL_FOLLOW_EVENTS = 1,
  POOL_INTERNAL = 3,
  POOL_THRESHOLD,
  POOL_RESERVED,
  POOL_RESERVED_HIGH,
  POOL_USED,
  POOL_USED_HIGH
};

static struct handles pools = {.tag = HANDLE_POOL};
static cudaMemPool_t first, current; /* the default pool, and the device's own one */
static unsigned generation;

static cudaMemPool_t new_pool(void) {
  struct pool *p = xcalloc(1, sizeof *p);
  for (unsigned i = 0; i < 3; i++) p->reuse[i] = 1;
  cudaMemPool_t h = handle_new(&pools, p);
  if (!h) free(p);
  return h;
}

/* The default pool of this session. */
static cudaMemPool_t default_pool(void) {
  if (generation != rt_generation() || !first) first = current = new_pool();
  generation = rt_generation();
  return first;
}
static cudaMemPool_t current_pool(void) {
  default_pool();
  return handle_get(&pools, current) ? current : first;
}

/* What pools have is listed under addresses that neither the host nor the device has: a device address may be one of the host, too. */
static void *pool_listed_address(void *p) { return (void *)((uintptr_t)1 << 57 | (uintptr_t)p); }

void pool_freed(void *p) {
  const struct chunk *c = chunk_at(pool_listed_address(p));
  struct pool *pool = c ? handle_get(&pools, c->pool) : NULL;
  if (pool) pool->used -= c->bytes;
  if (c) chunk_drop(c);
}

/* ---- memory ---- */

static cudaError_t pool_allocate(void **out, size_t bytes, cudaMemPool_t handle, cudaStream_t s) {
  struct pool *p = handle_get(&pools, handle);
  if (!out || !p) return cudaErrorInvalidValue;
  cudaError_t e = capture_refuse(s);
  if (e) return e;
  *out = NULL;
  if (!bytes) return cudaSuccess;
  e = rt_allocate(bytes, out);
  if (e) return e;
  chunk_add(
      (struct chunk){.at = (uintptr_t)pool_listed_address(*out), .bytes = bytes, .kind = CHUNK_POOL, .pool = handle});
  p->used += bytes;
  if (p->used > p->used_high) p->used_high = p->used;
  return cudaSuccess;
}
API cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t s) {
  return RT_CALL(pool_allocate(out, bytes, current_pool(), s));
}
API cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
  return RT_CALL(pool_allocate(out, bytes, pool, s));
}
PER_THREAD(cudaMallocAsync, (void **out, size_t bytes, cudaStream_t s), (out, bytes, OWN_STREAM(s)))
PER_THREAD(cudaMallocFromPoolAsync, (void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t s),
           (out, bytes, pool, OWN_STREAM(s)))

static cudaError_t pool_release(void *p, cudaStream_t s) {
  cudaError_t e = capture_refuse(s);
  if (e) return e;
  return p ? rt_free(p) : cudaErrorInvalidValue;
}
API cudaError_t cudaFreeAsync(void *p, cudaStream_t s) { return RT_CALL(pool_release(p, s)); }
PER_THREAD(cudaFreeAsync, (void *p, cudaStream_t s), (p, OWN_STREAM(s)))

/* ---- pools ---- */

static cudaError_t get_default(cudaMemPool_t *out, int device, bool own) {
  if (!out) return cudaErrorInvalidValue;
  if (device) return cudaErrorInvalidDevice;
  *out = own ? current_pool() : default_pool();
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device) {
  return RT_CALL(get_default(out, device, false));
}
API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device) { return RT_CALL(get_default(out, device, true)); }

static cudaError_t set_current(int device, cudaMemPool_t pool) {
  default_pool();
  if (device) return cudaErrorInvalidDevice;
  if (!handle_get(&pools, pool)) return cudaErrorInvalidValue;
  current = pool;
  return cudaSuccess;
}
API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) { return RT_CALL(set_current(device, pool)); }

/* What the structure of all versions begins with; the rest are sizes and rights that have no effect. */
typedef struct {
  int allocType, handleTypes;
  cudaMemLocation location;
} cudaMemPoolProps;

static cudaError_t pool_create(cudaMemPool_t *out, const cudaMemPoolProps *props) {
  enum { PINNED = 1 };
  if (!out || !props || props->allocType != PINNED) return cudaErrorInvalidValue;
  if (props->handleTypes)
    return rt_error(cudaErrorNotSupported, "cudaMemPoolCreate", "pools for several processes are not supported");
  if (props->location.type != cudaMemLocationTypeDevice)
    return rt_error(cudaErrorNotSupported, "cudaMemPoolCreate", "pools are supported in the device's memory only");
  if (props->location.id) return cudaErrorInvalidDevice;
  default_pool();
  *out = new_pool();
  return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}
API cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const cudaMemPoolProps *props) {
  return RT_CALL(pool_create(out, props));
}

static cudaError_t pool_drop(cudaMemPool_t pool) {
  if (!handle_get(&pools, pool) || pool == default_pool()) return cudaErrorInvalidValue;
  handle_drop(&pools, pool);
  return cudaSuccess;
}
API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { return RT_CALL(pool_drop(pool)); }

static cudaError_t pool_trim(cudaMemPool_t pool) {
  return handle_get(&pools, pool) ? cudaSuccess : cudaErrorInvalidValue;
}
API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  (void)keep;
  return RT_CALL(pool_trim(pool));
}

static cudaError_t pool_get_attribute(cudaMemPool_t pool, int attribute, void *out) {
  const struct pool *p = handle_get(&pools, pool);
  if (!p || !out) return cudaErrorInvalidValue;
  if (attribute >= POOL_FOLLOW_EVENTS && attribute <= POOL_INTERNAL) {
    memcpy(out, &p->reuse[attribute - 1], sizeof *p->reuse);
    return cudaSuccess;
  }
  uint64_t v;
  switch (attribute) {
    case POOL_THRESHOLD: v = p->threshold; break;
    case POOL_RESERVED:
    case POOL_USED: v = p->used; break;
    case POOL_RESERVED_HIGH:
    case POOL_USED_HIGH: v = p->used_high; break;
    default: return cudaErrorInvalidValue;
  }
  memcpy(out, &v, sizeof v);
  return cudaSuccess;
}
API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *out) {
  return RT_CALL(pool_get_attribute(pool, attribute, out));
}

/* The high-water marks can be set to 0 only. */
static cudaError_t pool_set_attribute(cudaMemPool_t pool, int attribute, const void *in) {
  struct pool *p = handle_get(&pools, pool);
  uint64_t v = 0;
  if (!p || !in) return cudaErrorInvalidValue;
  if (attribute >= POOL_FOLLOW_EVENTS && attribute <= POOL_INTERNAL) {
    memcpy(&p->reuse[attribute - 1], in, sizeof *p->reuse);
    return cudaSuccess;
  }
  memcpy(&v, in, attribute >= POOL_THRESHOLD && attribute <= POOL_USED_HIGH ? sizeof v : 0);
  if (attribute == POOL_THRESHOLD) {
    p->threshold = v;
    return cudaSuccess;
  }
  if ((attribute != POOL_RESERVED_HIGH && attribute != POOL_USED_HIGH) || v) return cudaErrorInvalidValue;
  p->used_high = p->used;
  return cudaSuccess;
}
API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *in) {
  return RT_CALL(pool_set_attribute(pool, attribute, in));
}

/* The one device always has access. */
typedef struct {
  cudaMemLocation location;
  int flags; /* 0: none, 1: reading, 3: reading and writing */
} cudaMemAccessDesc;
enum { READ_WRITE = 3 };

static cudaError_t pool_set_access(cudaMemPool_t pool, const cudaMemAccessDesc *list, size_t n) {
  if (!handle_get(&pools, pool) || (n && !list)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < n; i++) {
    if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id) return cudaErrorInvalidDevice;
    if (list[i].flags != READ_WRITE) return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}
API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *list, size_t n) {
  return RT_CALL(pool_set_access(pool, list, n));
}

static cudaError_t pool_get_access(int *flags, cudaMemPool_t pool, const cudaMemLocation *at) {
  if (!flags || !at || !handle_get(&pools, pool)) return cudaErrorInvalidValue;
  if (at->type != cudaMemLocationTypeDevice || at->id) return cudaErrorInvalidDevice;
  *flags = READ_WRITE;
  return cudaSuccess;
}
API cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, cudaMemLocation *at) {
  return RT_CALL(pool_get_access(flags, pool, at));
}
