/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object: pools of handles. A pool has chunks of 64, 128, 256... objects of one size, which stay until the process ends. A freed
 * object keeps its dispatch pointer, which the loader reads before the driver is called, and the one that has been free longest is used again.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/opencl/cl.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { CHUNKS = 26, FIRST = 64, QUARANTINE = 16 /* freed objects that are kept from use */ };

struct pool {
  size_t size;
  unsigned nchunks, nfree, live;
  uint8_t *chunk[CHUNKS];
  struct object *oldest, *newest; /* free ones */
};
static struct pool pools[OBJECT_KINDS];

static const struct {
  const char *name;
  cl_int code;
} kinds[OBJECT_KINDS] = {
    [PLATFORM] = {"platform", CL_INVALID_PLATFORM},   [DEVICE] = {"device", CL_INVALID_DEVICE},
    [CONTEXT] = {"context", CL_INVALID_CONTEXT},      [QUEUE] = {"command queue", CL_INVALID_COMMAND_QUEUE},
    [MEM] = {"memory object", CL_INVALID_MEM_OBJECT}, [PROGRAM] = {"program", CL_INVALID_PROGRAM},
    [KERNEL] = {"kernel", CL_INVALID_KERNEL},         [EVENT] = {"event", CL_INVALID_EVENT},
    [SAMPLER] = {"sampler", CL_INVALID_SAMPLER},
};

static void put_free(struct pool *p, struct object *o) {
  o->next = NULL;
  if (p->newest) p->newest->next = o;
  else p->oldest = o;
  p->newest = o;
  p->nfree++;
  POISON((uint8_t *)o + sizeof *o, p->size - sizeof *o);
}

static bool object_pool_grow(struct pool *p) {
  if (p->nchunks == CHUNKS) return false;
  size_t n = (size_t)FIRST << p->nchunks;
  uint8_t *chunk = calloc(n, p->size);
  if (!chunk) return false;
  p->chunk[p->nchunks++] = chunk;
  for (size_t i = 0; i < n; i++) {
    struct object *o = (struct object *)(chunk + i * p->size);
    o->dispatch = &cl_table;
    put_free(p, o);
  }
  return true;
}

void *object_new(enum object_kind kind, size_t size, void (*destroy)(void *object)) {
  struct pool *p = &pools[kind];
  size = (size + 15) / 16 * 16;
  if (!p->size) p->size = size;
  assert(p->size == size);
  if (p->nfree <= QUARANTINE && !object_pool_grow(p) && !p->nfree) return NULL;
  struct object *o = p->oldest;
  p->oldest = o->next;
  if (!p->oldest) p->newest = NULL;
  p->nfree--;
  p->live++;
  UNPOISON((uint8_t *)o + sizeof *o, size - sizeof *o);
  memset(o, 0, size);
  *o = (struct object){.dispatch = &cl_table, .kind = kind, .refs = 1, .destroy = destroy};
  return o;
}

static bool in_pool(const struct pool *p, const void *handle) {
  for (unsigned i = 0; i < p->nchunks; i++) {
    uintptr_t at = (uintptr_t)handle - (uintptr_t)p->chunk[i];
    if (at < ((size_t)FIRST << i) * p->size) return at % p->size == 0;
  }
  return false;
}

bool object_is(const void *handle, enum object_kind kind) {
  if (kind == PLATFORM) return handle == &cl_platform;
  if (kind == DEVICE) return handle == &cl_device;
  return handle && in_pool(&pools[kind], handle) && ((const struct object *)handle)->kind == kind;
}

cl_int object_check(const void *handle, enum object_kind kind) {
  if (object_is(handle, kind)) return CL_SUCCESS;
  for (enum object_kind k = PLATFORM; handle && k < OBJECT_KINDS; k++)
    if (object_is(handle, k))
      return cl_error(kinds[kind].code, "found the handle of a %s, expected one of a %s", kinds[k].name,
                      kinds[kind].name);
  return cl_error(kinds[kind].code, "found %s, expected the handle of a %s",
                  handle ? "no handle, or one that was released" : "NULL", kinds[kind].name);
}

static void end_if_unused(struct object *o) {
  if (o->refs || o->held) return;
  struct pool *p = &pools[o->kind];
  o->held = 1; /* what is destroyed with it may hold and drop it */
  if (o->destroy) o->destroy(o);
  o->kind = NO_OBJECT;
  o->held = 0;
  p->live--;
  put_free(p, o);
}

cl_int object_retain(void *handle, enum object_kind kind) {
  cl_int bad = object_check(handle, kind);
  if (bad) return bad;
  struct object *o = handle;
  if (o->refs == UINT32_MAX) return cl_error(CL_OUT_OF_RESOURCES, "found 2^32 - 1 references, expected fewer");
  o->refs++;
  return CL_SUCCESS;
}

cl_int object_release(void *handle, enum object_kind kind) {
  cl_int bad = object_check(handle, kind);
  if (bad) return bad;
  struct object *o = handle;
  if (!o->refs)
    return cl_error(kinds[kind].code, "found a %s that the program has released as often as it has retained it",
                    kinds[kind].name);
  o->refs--;
  end_if_unused(o);
  return CL_SUCCESS;
}

void *object_hold(void *object) {
  if (object) ((struct object *)object)->held++;
  return object;
}

void object_drop(void *object) {
  struct object *o = object;
  if (!o) return;
  assert(o->held);
  o->held--;
  end_if_unused(o);
}

unsigned object_count(enum object_kind kind) { return pools[kind].live; }
