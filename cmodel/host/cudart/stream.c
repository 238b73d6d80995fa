/* SPDX-License-Identifier: Apache-2.0 */
/* Streams. Every call is carried out before it returns, in the order of the program, so that a stream is its flags and its priority. What
 * is captured is in capture.c. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "host/cudart/capture.h"
#include "host/cudart/handle.h"
#include "host/cudart/runtime.h"
#include "host/cudart/stream.h"

struct stream {
  unsigned flags; /* 1: non-blocking */
  int priority;
  uint64_t id;
  struct stream_attribute attribute[STREAM_ATTRIBUTES]; /* [id - 1] */
};

static struct handles streams = {.tag = HANDLE_STREAM};
static uint64_t ids = 3; /* 1 and 2 are the default streams' */

static bool is_default(cudaStream_t s) { return (uintptr_t)s <= 2; }

cudaError_t rt_stream(cudaStream_t s) {
  return is_default(s) || handle_get(&streams, s) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

bool rt_stream_blocking(cudaStream_t s) {
  const struct stream *known = is_default(s) ? NULL : handle_get(&streams, s);
  return !known || !known->flags;
}

static cudaError_t stream_create(cudaStream_t *out, unsigned flags, int priority) {
  if (!out || flags > 1) return cudaErrorInvalidValue;
  struct stream *s = xcalloc(1, sizeof *s);
  s->flags = flags;
  s->priority = priority > 0 ? 0 : priority < STREAM_PRIORITY ? STREAM_PRIORITY : priority;
  s->id = ids++;
  *out = handle_new(&streams, s);
  if (*out) return cudaSuccess;
  free(s);
  return cudaErrorMemoryAllocation;
}
API cudaError_t cudaStreamCreate(cudaStream_t *s) { return RT_CALL(stream_create(s, 0, 0)); }
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) {
  return RT_CALL(stream_create(s, flags, 0));
}
API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority) {
  return RT_CALL(stream_create(s, flags, priority));
}

static cudaError_t stream_drop(cudaStream_t s) {
  if (!handle_get(&streams, s)) return cudaErrorInvalidResourceHandle;
  cudaError_t e = capture_refuse(s);
  if (!e) handle_drop(&streams, s);
  return e;
}
API cudaError_t cudaStreamDestroy(cudaStream_t s) { return RT_CALL(stream_drop(s)); }

API cudaError_t cudaStreamSynchronize(cudaStream_t s) { return RT_CALL(capture_refuse(s)); }
API cudaError_t cudaStreamQuery(cudaStream_t s) { return RT_CALL(capture_refuse(s)); }
PER_THREAD(cudaStreamSynchronize, (cudaStream_t s), (OWN_STREAM(s)))
PER_THREAD(cudaStreamQuery, (cudaStream_t s), (OWN_STREAM(s)))

/* ---- what is known of a stream ---- */

/* What is known of a stream, to be stored at `to`, which is not NULL. The default ones are blocking, with the least priority, and numbered 1
 * and 2. */
static cudaError_t stream_look_up(cudaStream_t s, const void *to, struct stream *out) {
  const struct stream *known = is_default(s) ? NULL : handle_get(&streams, s);
  if (!known && !is_default(s)) return cudaErrorInvalidResourceHandle;
  if (!to) return cudaErrorInvalidValue;
  *out = known ? *known : (struct stream){.id = s == cudaStreamPerThread ? 2 : 1};
  return cudaSuccess;
}

static cudaError_t stream_get_flags(cudaStream_t s, unsigned *flags) {
  struct stream known;
  cudaError_t e = stream_look_up(s, flags, &known);
  if (!e) *flags = known.flags;
  return e;
}
API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags) { return RT_CALL(stream_get_flags(s, flags)); }
ALIAS(cudaStreamGetFlags, cudaStreamGetFlags_ptsz)

static cudaError_t get_priority(cudaStream_t s, int *priority) {
  struct stream known;
  cudaError_t e = stream_look_up(s, priority, &known);
  if (!e) *priority = known.priority;
  return e;
}
API cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority) { return RT_CALL(get_priority(s, priority)); }
ALIAS(cudaStreamGetPriority, cudaStreamGetPriority_ptsz)

static cudaError_t priority_range(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = STREAM_PRIORITY;
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return RT_CALL(priority_range(least, greatest));
}

#if CUDART_VERSION >= 12000
static cudaError_t stream_get_id(cudaStream_t s, unsigned long long *id) {
  struct stream known;
  cudaError_t e = stream_look_up(s, id, &known);
  if (!e) *id = known.id;
  return e;
}
API cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long *id) { return RT_CALL(stream_get_id(s, id)); }
ALIAS(cudaStreamGetId, cudaStreamGetId_ptsz)

static cudaError_t get_device(cudaStream_t s, int *device) {
  struct stream known;
  cudaError_t e = stream_look_up(s, device, &known);
  if (!e) *device = 0;
  return e;
}
API cudaError_t cudaStreamGetDevice(cudaStream_t s, int *device) { return RT_CALL(get_device(s, device)); }
ALIAS(cudaStreamGetDevice, cudaStreamGetDevice_ptsz)
#endif

/* ---- attributes: hints, which are kept and have no effect ---- */

static struct stream_attribute *stream_attribute_of(cudaStream_t s, int id) {
  static struct stream_attribute of_default[STREAM_ATTRIBUTES];
  struct stream *known = is_default(s) ? NULL : handle_get(&streams, s);
  return &(known ? known->attribute : of_default)[id - 1];
}

static cudaError_t access_attribute(cudaStream_t s, int id, void *get, const void *set) {
  cudaError_t e = rt_stream(s);
  if (e) return e;
  if (id < 1 || id > STREAM_ATTRIBUTES || (!get && !set)) return cudaErrorInvalidValue;
  size_t bytes = id == 1 ? 32 : 4; /* an access policy window, else numbers */
  struct stream_attribute *a = stream_attribute_of(s, id);
  if (set) memcpy(a->bytes, set, bytes);
  if (get) memcpy(get, a->bytes, bytes);
  return cudaSuccess;
}
API cudaError_t cudaStreamSetAttribute(cudaStream_t s, int id, const void *value) {
  return RT_CALL(access_attribute(s, id, NULL, value));
}
API cudaError_t cudaStreamGetAttribute(cudaStream_t s, int id, void *value) {
  return RT_CALL(access_attribute(s, id, value, NULL));
}
ALIAS(cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz)
ALIAS(cudaStreamGetAttribute, cudaStreamGetAttribute_ptsz)

static cudaError_t copy_attributes(cudaStream_t dst, cudaStream_t src) {
  cudaError_t e = rt_stream(dst);
  if (!e) e = rt_stream(src);
  if (!e)
    memmove(stream_attribute_of(dst, 1), stream_attribute_of(src, 1),
            STREAM_ATTRIBUTES * sizeof(struct stream_attribute));
  return e;
}
API cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  return RT_CALL(copy_attributes(dst, src));
}
ALIAS(cudaStreamCopyAttributes, cudaStreamCopyAttributes_ptsz)

/* ---- callbacks: called without the lock ---- */

typedef void stream_fn(cudaStream_t s, cudaError_t status, void *user);

static cudaError_t host_call_run(const void *args, bool check) {
  const cudaHostNodeParams *p = args;
  if (!p->fn) return cudaErrorInvalidValue;
  if (check) return cudaSuccess;
  const char *call = rt_call();
  rt_unlock();
  p->fn(p->userData);
  rt_lock();
  rt_enter(call); /* the function may have called others */
  return cudaSuccess;
}

static cudaError_t call_host(cudaStream_t s, host_function *fn, void *user) {
  const cudaHostNodeParams p = {fn, user};
  return rt_enqueue(s, cudaGraphNodeTypeHost, host_call_run, &p, sizeof p);
}
API cudaError_t cudaLaunchHostFunc(cudaStream_t s, host_function *fn, void *user) {
  return RT_CALL(call_host(s, fn, user));
}
PER_THREAD(cudaLaunchHostFunc, (cudaStream_t s, host_function *fn, void *user), (OWN_STREAM(s), fn, user))

cudaError_t rt_add_host_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after, const cudaHostNodeParams *p) {
  if (!p) return cudaErrorInvalidValue;
  return graph_add_operation(out, g, after, cudaGraphNodeTypeHost, host_call_run, p, sizeof *p);
}
API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                     const cudaHostNodeParams *p) {
  return RT_CALL(rt_add_host_node(out, g, (struct node_list){dep, n}, p));
}

static cudaError_t call_stream(cudaStream_t s, stream_fn *fn, void *user, unsigned flags) {
  if (!fn || flags) return cudaErrorInvalidValue;
  cudaError_t e = capture_refuse(s);
  if (e) return e;
  rt_unlock();
  fn(s, cudaSuccess, user);
  rt_lock();
  return cudaSuccess;
}
API cudaError_t cudaStreamAddCallback(cudaStream_t s, stream_fn *fn, void *user, unsigned flags) {
  return RT_CALL(call_stream(s, fn, user, flags));
}
PER_THREAD(cudaStreamAddCallback, (cudaStream_t s, stream_fn *fn, void *user, unsigned flags),
           (OWN_STREAM(s), fn, user, flags))
