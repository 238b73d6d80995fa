/* SPDX-License-Identifier: Apache-2.0 */
/* Events: recorded at once, at the session's simulated time, which only timed launches advance. */
#include <stdlib.h>

#include "base/err.h"
#include "host/cudart/capture.h"
#include "host/cudart/handle.h"

enum { BLOCKING_SYNC = 1, DISABLE_TIMING = 2, INTERPROCESS = 4 };

struct event {
  unsigned flags;
  bool recorded;
  uint64_t ns;
  uint64_t capture; /* that it was last recorded in; 0: in none */
};

static struct handles events = {.tag = HANDLE_EVENT};

static struct event *event_find(cudaEvent_t e) { return handle_get(&events, e); }

static cudaError_t event_create(cudaEvent_t *out, unsigned flags) {
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
API cudaError_t cudaEventCreate(cudaEvent_t *e) { return RT_CALL(event_create(e, 0)); }
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags) { return RT_CALL(event_create(e, flags)); }

static cudaError_t event_drop(cudaEvent_t e) {
  if (!event_find(e)) return cudaErrorInvalidResourceHandle;
  handle_drop(&events, e);
  return cudaSuccess;
}
API cudaError_t cudaEventDestroy(cudaEvent_t e) { return RT_CALL(event_drop(e)); }

static cudaError_t event_record_run(const void *args, bool check) {
  struct event *event = event_find(*(const cudaEvent_t *)args);
  if (!event) return cudaErrorInvalidResourceHandle;
  if (!check) *event = (struct event){.flags = event->flags, .recorded = true, .ns = device_ns(rt_device())};
  return cudaSuccess;
}

/* What was before it has been executed. */
static cudaError_t event_wait_run(const void *args, bool check) {
  (void)check;
  return event_find(*(const cudaEvent_t *)args) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

enum { EXTERNAL = 1 }; /* a flag for captured streams: the event becomes a node */

static cudaError_t event_record(cudaEvent_t e, cudaStream_t s, unsigned flags) {
  struct event *event = event_find(e);
  uint64_t capture = 0;
  if (!event || rt_stream(s)) return cudaErrorInvalidResourceHandle;
  if (flags == EXTERNAL && capture_active(s))
    return rt_enqueue(s, cudaGraphNodeTypeEventRecord, event_record_run, &e, sizeof e);
  if (flags) return cudaErrorInvalidValue;
  cudaError_t status = capture_record(s, e, &capture);
  if (status) return status;
  event_record_run(&e, false);
  event->capture = capture;
  return cudaSuccess;
}
API cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return RT_CALL(event_record(e, s, 0)); }
API cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags) {
  return RT_CALL(event_record(e, s, flags));
}
PER_THREAD(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, OWN_STREAM(s)))
PER_THREAD(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned flags), (e, OWN_STREAM(s), flags))

/* One that was never recorded is over. */
static cudaError_t event_check_over(cudaEvent_t e) {
  const struct event *event = event_find(e);
  return event ? capture_refuse_event(event->capture) : cudaErrorInvalidResourceHandle;
}
API cudaError_t cudaEventQuery(cudaEvent_t e) { return RT_CALL(event_check_over(e)); }
API cudaError_t cudaEventSynchronize(cudaEvent_t e) { return RT_CALL(event_check_over(e)); }

static cudaError_t wait_event(cudaStream_t s, cudaEvent_t e, unsigned flags) {
  const struct event *event = event_find(e);
  if (!event || rt_stream(s)) return cudaErrorInvalidResourceHandle;
  if (flags == EXTERNAL && capture_active(s))
    return rt_enqueue(s, cudaGraphNodeTypeWaitEvent, event_wait_run, &e, sizeof e);
  return flags ? cudaErrorInvalidValue : capture_wait(s, e, event->capture);
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
  return RT_CALL(wait_event(s, e, flags));
}
PER_THREAD(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (OWN_STREAM(s), e, flags))

static bool has_time(const struct event *e) { return e && e->recorded && !(e->flags & DISABLE_TIMING); }

static cudaError_t event_get_elapsed(float *ms, cudaEvent_t from, cudaEvent_t to) {
  if (!ms) return cudaErrorInvalidValue;
  const struct event *a = event_find(from), *b = event_find(to);
  if ((a && a->capture) || (b && b->capture)) return cudaErrorCapturedEvent;
  if (!has_time(a) || !has_time(b)) return cudaErrorInvalidResourceHandle;
  *ms = (float)((double)(int64_t)(b->ns - a->ns) / 1e6);
  return cudaSuccess;
}
API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
  return RT_CALL(event_get_elapsed(ms, from, to));
}
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
ALIAS(cudaEventElapsedTime, cudaEventElapsedTime_v2)
#endif

/* ---- nodes of graphs ---- */

cudaError_t rt_add_event_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after, cudaGraphNodeType type,
                              cudaEvent_t e) {
  rt_operation *run = type == cudaGraphNodeTypeEventRecord ? event_record_run : event_wait_run;
  return graph_add_operation(out, g, after, type, run, &e, sizeof e);
}
API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                            cudaEvent_t e) {
  return RT_CALL(rt_add_event_node(out, g, (struct node_list){dep, n}, cudaGraphNodeTypeEventRecord, e));
}
API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                          cudaEvent_t e) {
  return RT_CALL(rt_add_event_node(out, g, (struct node_list){dep, n}, cudaGraphNodeTypeWaitEvent, e));
}

static cudaError_t node_event(cudaGraphNode_t h, cudaGraphNodeType type, cudaEvent_t *out) {
  const struct rt_node *n = node_get(h);
  if (!n || !out || n->type != type) return cudaErrorInvalidValue;
  *out = *(const cudaEvent_t *)n->work->args;
  return cudaSuccess;
}
API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t n, cudaEvent_t *out) {
  return RT_CALL(node_event(n, cudaGraphNodeTypeEventRecord, out));
}
API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t n, cudaEvent_t *out) {
  return RT_CALL(node_event(n, cudaGraphNodeTypeWaitEvent, out));
}
