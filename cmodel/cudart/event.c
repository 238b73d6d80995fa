/* SPDX-License-Identifier: Apache-2.0 */
/* Events: recorded at once, at the session's simulated time, which only timed launches advance. */
#include <stdlib.h>

#include "base/err.h"
#include "cudart/handle.h"
#include "cudart/runtime.h"

enum { BLOCKING_SYNC = 1, DISABLE_TIMING = 2, INTERPROCESS = 4 };

struct event {
  unsigned flags;
  bool recorded;
  uint64_t ns;
};

static struct handles events = {.tag = HANDLE_EVENT};

static struct event *find(cudaEvent_t e) { return handle_get(&events, e); }

static cudaError_t create(cudaEvent_t *out, unsigned flags) {
  if (!out || flags & ~(unsigned)(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS)) return cudaErrorInvalidValue;
  if (flags & INTERPROCESS)
    return rt_error(cudaErrorNotSupported, "cudaEventCreateWithFlags", "events of several processes are not supported");
  struct event *e = xcalloc(1, sizeof *e);
  e->flags = flags;
  *out = handle_new(&events, e);
  if (*out) return cudaSuccess;
  free(e);
  return cudaErrorMemoryAllocation;
}
API cudaError_t cudaEventCreate(cudaEvent_t *e) { return RT_CALL(create(e, 0)); }
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags) { return RT_CALL(create(e, flags)); }

static cudaError_t destroy(cudaEvent_t e) {
  if (!find(e)) return cudaErrorInvalidResourceHandle;
  handle_drop(&events, e);
  return cudaSuccess;
}
API cudaError_t cudaEventDestroy(cudaEvent_t e) { return RT_CALL(destroy(e)); }

static cudaError_t record(cudaEvent_t e, cudaStream_t s, unsigned flags) {
  struct event *event = find(e);
  if (!event || rt_stream(s)) return cudaErrorInvalidResourceHandle;
  if (flags) return cudaErrorInvalidValue; /* "external" has a meaning in a capture only */
  event->recorded = true;
  event->ns = device_ns(rt_device());
  return cudaSuccess;
}
API cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return RT_CALL(record(e, s, 0)); }
API cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags) {
  return RT_CALL(record(e, s, flags));
}
ALIAS(cudaEventRecord, cudaEventRecord_ptsz)
ALIAS(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz)

/* One that was never recorded is over. */
static cudaError_t over(cudaEvent_t e) { return find(e) ? cudaSuccess : cudaErrorInvalidResourceHandle; }
API cudaError_t cudaEventQuery(cudaEvent_t e) { return RT_CALL(over(e)); }
API cudaError_t cudaEventSynchronize(cudaEvent_t e) { return RT_CALL(over(e)); }

static cudaError_t wait_event(cudaStream_t s, cudaEvent_t e, unsigned flags) {
  if (!find(e) || rt_stream(s)) return cudaErrorInvalidResourceHandle;
  return flags ? cudaErrorInvalidValue : cudaSuccess;
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
  return RT_CALL(wait_event(s, e, flags));
}
ALIAS(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz)

static bool has_time(const struct event *e) { return e && e->recorded && !(e->flags & DISABLE_TIMING); }

static cudaError_t elapsed(float *ms, cudaEvent_t from, cudaEvent_t to) {
  if (!ms) return cudaErrorInvalidValue;
  const struct event *a = find(from), *b = find(to);
  if (!has_time(a) || !has_time(b)) return cudaErrorInvalidResourceHandle;
  *ms = (float)((double)(int64_t)(b->ns - a->ns) / 1e6);
  return cudaSuccess;
}
API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
  return RT_CALL(elapsed(ms, from, to));
}
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
ALIAS(cudaEventElapsedTime, cudaEventElapsedTime_v2)
#endif
