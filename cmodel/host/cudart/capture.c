/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures of streams. Source: "CUDA C++ Programming Guide", section "Creating a Graph Using Stream Capture", and "CUDA Runtime API",
 * cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode.
 */
#include "host/cudart/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "host/cudart/stream.h"

struct node_set {
  cudaGraphNode_t *node;
  uint32_t n, cap;
};
struct captured_stream {
  const void *key;          /* stream_key */
  bool blocking;            /* the default stream waits for it */
  struct node_set tail;     /* the next node of this stream follows these */
  cudaGraphEdgeData *plain; /* zeroes, as many as the tail had when it was asked for */
  uint32_t plain_room;
};
struct captured_event {
  cudaEvent_t event;
  struct node_set tail; /* of the stream, when the event was recorded */
};
struct capture {
  uint64_t id;
  cudaGraph_t graph;
  cudaStreamCaptureMode mode;
  const void *thread; /* thread_key of the thread that began it */
  bool invalid;
  bool into;                      /* the graph was the program's already */
  struct captured_stream *stream; /* the first one is that of cudaStreamBeginCapture */
  uint32_t streams, stream_room;
  struct captured_event *event;
  uint32_t events, event_room;
};

static struct {
  struct capture **capture; /* those that are not ended */
  uint32_t n, cap;
  unsigned generation;
  uint64_t ids;
} captures;
static _Thread_local char thread_key; /* its address is the thread's */
static _Thread_local cudaStreamCaptureMode thread_mode;

/* ---- captures ---- */

static void capture_drop(uint32_t i) {
  struct capture *c = captures.capture[i];
  captures.capture[i] = captures.capture[--captures.n];
  for (uint32_t k = 0; k < c->streams; k++) {
    free(c->stream[k].tail.node);
    free(c->stream[k].plain);
  }
  for (uint32_t k = 0; k < c->events; k++) free(c->event[k].tail.node);
  free(c->stream);
  free(c->event);
  free(c);
}

/* Those of an earlier session are void. */
static void capture_renew(void) {
  while (captures.generation != rt_generation() && captures.n) capture_drop(0);
  captures.generation = rt_generation();
}

static bool is_legacy(cudaStream_t s) { return !s || s == cudaStreamLegacy; }

/* Each thread has its own stream under the handle cudaStreamPerThread. */
static const void *stream_key(cudaStream_t s) { return s == cudaStreamPerThread ? (const void *)&thread_key : s; }

struct captured { /* NULL, NULL: a stream that is not captured */
  struct capture *capture;
  struct captured_stream *stream;
};
static struct captured capture_find(cudaStream_t s) {
  capture_renew();
  for (uint32_t i = 0; i < captures.n && !is_legacy(s); i++) {
    struct capture *c = captures.capture[i];
    for (uint32_t k = 0; k < c->streams; k++)
      if (c->stream[k].key == stream_key(s)) return (struct captured){c, &c->stream[k]};
  }
  return (struct captured){0};
}

static struct capture *capture_by_id(uint64_t id) {
  capture_renew();
  for (uint32_t i = 0; i < captures.n; i++)
    if (captures.capture[i]->id == id) return captures.capture[i];
  return NULL;
}

bool capture_active(cudaStream_t s) { return capture_find(s).capture != NULL; }

static cudaError_t capture_invalidate(struct capture *c, cudaError_t e) {
  if (c && e) c->invalid = true;
  return e;
}

cudaError_t capture_failed(cudaStream_t s, cudaError_t e) { return capture_invalidate(capture_find(s).capture, e); }

void capture_invalidate_all(void) {
  capture_renew();
  for (uint32_t i = 0; i < captures.n; i++) captures.capture[i]->invalid = true;
}

/* True if the default stream would have to wait for a captured stream. */
static bool capture_blocks(const struct capture *c) {
  for (uint32_t k = 0; k < c->streams; k++)
    if (c->stream[k].blocking) return true;
  return false;
}

/* What uses the default stream invalidates these captures; a question does not. */
static cudaError_t capture_check_legacy(bool question) {
  cudaError_t e = cudaSuccess;
  capture_renew();
  for (uint32_t i = 0; i < captures.n; i++)
    if (capture_blocks(captures.capture[i])) {
      e = cudaErrorStreamCaptureImplicit;
      if (!question) captures.capture[i]->invalid = true;
    }
  return e;
}

/* ---- the sets of nodes ---- */

static void node_set_clear(struct node_set *s) { s->n = 0; }

static void node_set_add(struct node_set *s, cudaGraphNode_t n) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->node[i] == n) return;
  VEC_PUSH(s->node, s->n, s->cap) = n;
}

static void node_set_add_all(struct node_set *s, const struct node_set *from) {
  for (uint32_t i = 0; i < from->n; i++) node_set_add(s, from->node[i]);
}

/* ---- what becomes a node ---- */

/* The capture of a stream, which a call is about to use. */
static cudaError_t capture_enter(cudaStream_t s, struct captured *out) {
  *out = (struct captured){0};
  cudaError_t e = rt_stream(s);
  if (e) return e;
  if (is_legacy(s)) return capture_check_legacy(false);
  *out = capture_find(s);
  return out->capture && out->capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

static cudaError_t capture_add(const struct captured *at, cudaGraphNodeType type, rt_operation *run, const void *args,
                               size_t bytes) {
  struct node_set *tail = &at->stream->tail;
  cudaGraphNode_t node;
  cudaError_t e =
      graph_add_operation(&node, at->capture->graph, (struct node_list){tail->node, tail->n}, type, run, args, bytes);
  if (e) return capture_invalidate(at->capture, e);
  node_set_clear(tail);
  node_set_add(tail, node);
  return cudaSuccess;
}

cudaError_t rt_enqueue(cudaStream_t s, cudaGraphNodeType type, rt_operation *run, const void *args, size_t bytes) {
  struct captured at;
  cudaError_t e = capture_enter(s, &at);
  if (e) return e;
  return at.capture ? capture_add(&at, type, run, args, bytes) : run(args, false);
}

/* ---- what cannot ---- */

static cudaError_t capture_unsupported(void) {
  return rt_error(cudaErrorStreamCaptureUnsupported, rt_call(),
                  "not permitted, or not supported, while a stream is being captured; the capture is invalidated");
}

cudaError_t capture_refuse(cudaStream_t s) {
  struct captured at;
  cudaError_t e = capture_enter(s, &at);
  if (e || !at.capture) return e;
  return capture_invalidate(at.capture, capture_unsupported());
}

cudaError_t capture_refuse_all(void) {
  capture_renew();
  if (!captures.n) return cudaSuccess;
  capture_invalidate_all();
  return capture_unsupported();
}

cudaError_t capture_refuse_unsafe(void) {
  bool refused = false;
  capture_renew();
  for (uint32_t i = 0; i < captures.n && thread_mode != cudaStreamCaptureModeRelaxed; i++) {
    struct capture *c = captures.capture[i];
    bool minds = c->thread == &thread_key
                     ? c->mode != cudaStreamCaptureModeRelaxed
                     : c->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
    if (minds) c->invalid = refused = true;
  }
  return refused ? capture_unsupported() : cudaSuccess;
}

/* ---- calls without a stream ---- */

static _Thread_local cudaStream_t sync_stream;

void rt_sync_stream(cudaStream_t s) { sync_stream = s; }

cudaError_t rt_enqueue_sync(rt_operation *run, const void *args) {
  cudaError_t e = capture_refuse(sync_stream);
  if (!e) e = capture_refuse_unsafe();
  return e ? e : run(args, false);
}

/* ---- events ---- */

cudaError_t capture_record(cudaStream_t s, cudaEvent_t e, uint64_t *id) {
  struct captured at;
  cudaError_t status = capture_enter(s, &at);
  if (status) return status;
  *id = at.capture ? at.capture->id : 0;
  if (!at.capture) return cudaSuccess;
  struct capture *c = at.capture;
  uint32_t i = 0;
  while (i < c->events && c->event[i].event != e) i++;
  if (i == c->events) VEC_PUSH(c->event, c->events, c->event_room) = (struct captured_event){.event = e};
  node_set_clear(&c->event[i].tail);
  node_set_add_all(&c->event[i].tail, &at.stream->tail);
  return cudaSuccess;
}

static void capture_join(struct capture *c, cudaStream_t s, const struct node_set *tail) {
  struct captured_stream new = {.key = stream_key(s), .blocking = rt_stream_blocking(s)};
  node_set_add_all(&new.tail, tail);
  VEC_PUSH(c->stream, c->streams, c->stream_room) = new;
}

/* The event stands in capture c. */
static cudaError_t capture_wait_in(struct capture *c, const struct captured *at, cudaStream_t s, cudaEvent_t e) {
  if (c->invalid) return capture_invalidate(at->capture, cudaErrorStreamCaptureInvalidated);
  if (is_legacy(s)) return capture_invalidate(c, cudaErrorStreamCaptureImplicit);
  if (at->capture && at->capture != c) {
    at->capture->invalid = true;
    return capture_invalidate(c, cudaErrorStreamCaptureMerge);
  }
  for (uint32_t i = 0; i < c->events; i++)
    if (c->event[i].event == e) {
      if (at->stream) node_set_add_all(&at->stream->tail, &c->event[i].tail);
      else capture_join(c, s, &c->event[i].tail);
    }
  return cudaSuccess;
}

cudaError_t capture_wait(cudaStream_t s, cudaEvent_t e, uint64_t id) {
  struct captured at = {0};
  struct capture *c = id ? capture_by_id(id) : NULL;
  cudaError_t status = c ? rt_stream(s) : capture_enter(s, &at);
  if (status) return status;
  if (c) at = capture_find(s);
  if (at.capture && at.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (c) return capture_wait_in(c, &at, s, e);
  if (id) return capture_invalidate(at.capture, cudaErrorCapturedEvent); /* its capture is over */
  return at.capture ? capture_invalidate(at.capture, cudaErrorStreamCaptureIsolation) : cudaSuccess;
}

cudaError_t capture_refuse_event(uint64_t id) {
  return id ? capture_invalidate(capture_by_id(id), cudaErrorCapturedEvent) : cudaSuccess;
}

/* ---- begin ---- */

static cudaError_t capture_can_begin(cudaStream_t s, cudaStreamCaptureMode mode) {
  cudaError_t e = rt_stream(s);
  if (e) return e;
  if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (is_legacy(s))
    return rt_error(cudaErrorStreamCaptureUnsupported, rt_call(),
                    "found the default stream, expected a stream of cudaStreamCreate, or cudaStreamPerThread");
  return capture_active(s) ? cudaErrorIllegalState : cudaSuccess;
}

static void capture_start(cudaStream_t s, cudaGraph_t g, struct node_list after, cudaStreamCaptureMode mode,
                          bool into) {
  struct capture *c = xcalloc(1, sizeof *c);
  *c = (struct capture){.id = ++captures.ids, .graph = g, .mode = mode, .thread = &thread_key, .into = into};
  struct node_set tail = {0};
  for (size_t i = 0; i < after.n; i++) node_set_add(&tail, after.node[i]);
  capture_join(c, s, &tail);
  free(tail.node);
  VEC_PUSH(captures.capture, captures.n, captures.cap) = c;
}

static cudaError_t capture_begin(cudaStream_t s, cudaStreamCaptureMode mode) {
  cudaGraph_t g;
  cudaError_t e = capture_can_begin(s, mode);
  if (!e) e = graph_new(&g);
  if (!e) capture_start(s, g, (struct node_list){0}, mode, false);
  return e;
}
API cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode) {
  return RT_CALL(capture_begin(s, mode));
}
PER_THREAD(cudaStreamBeginCapture, (cudaStream_t s, cudaStreamCaptureMode mode), (OWN_STREAM(s), mode))

#if CUDART_VERSION >= 12000
static cudaError_t capture_begin_into(cudaStream_t s, cudaGraph_t g, struct node_list after,
                                      const cudaGraphEdgeData *data, cudaStreamCaptureMode mode) {
  cudaError_t e = capture_can_begin(s, mode);
  if (!e) e = graph_check(g, after, data);
  if (!e) capture_start(s, g, after, mode, true);
  return e;
}
API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *dep,
                                              const cudaGraphEdgeData *data, size_t n, cudaStreamCaptureMode mode) {
  return RT_CALL(capture_begin_into(s, g, (struct node_list){dep, n}, data, mode));
}
PER_THREAD(cudaStreamBeginCaptureToGraph,
           (cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *dep, const cudaGraphEdgeData *data, size_t n,
            cudaStreamCaptureMode mode),
           (OWN_STREAM(s), g, dep, data, n, mode))
#endif

static cudaError_t exchange_mode(cudaStreamCaptureMode *mode) {
  if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  cudaStreamCaptureMode before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return cudaSuccess;
}
API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return RT_CALL(exchange_mode(mode));
}

/* ---- end ---- */

/* True if all that the other streams have captured comes before what the first one would capture next. */
static bool capture_is_joined(const struct capture *c) {
  struct node_set before = {0};
  node_set_add_all(&before, &c->stream[0].tail);
  const uint64_t mark = graph_mark();
  for (uint32_t i = 0; i < before.n; i++) { /* grows meanwhile */
    struct rt_node *n = node_get(before.node[i]);
    for (uint32_t k = 0; n && k < n->deps; k++) {
      struct rt_node *dep = node_get(n->dep[k]);
      if (dep->mark != mark) VEC_PUSH(before.node, before.n, before.cap) = n->dep[k];
      dep->mark = mark;
    }
    if (n) n->mark = mark;
  }
  free(before.node);
  for (uint32_t k = 1; k < c->streams; k++)
    for (uint32_t i = 0; i < c->stream[k].tail.n; i++) {
      const struct rt_node *n = node_get(c->stream[k].tail.node[i]);
      if (n && n->mark != mark) return false;
    }
  return true;
}

static cudaError_t capture_result(const struct capture *c) {
  if (!graph_get(c->graph)) return cudaErrorStreamCaptureInvalidated;
  if (c->invalid)
    return rt_error(cudaErrorStreamCaptureInvalidated, rt_call(),
                    "an earlier error has invalidated this capture: there is no graph");
  return capture_is_joined(c) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

static cudaError_t capture_end(cudaStream_t s, cudaGraph_t *out) {
  if (out) *out = NULL;
  cudaError_t e = rt_stream(s);
  if (e) return e;
  if (!out) return cudaErrorInvalidValue;
  if (is_legacy(s) && (e = capture_check_legacy(true))) return e;
  struct captured at = capture_find(s);
  struct capture *c = at.capture;
  if (!c) return cudaErrorIllegalState;
  if (at.stream != c->stream) return capture_invalidate(c, cudaErrorStreamCaptureUnmatched);
  if (c->mode != cudaStreamCaptureModeRelaxed && c->thread != &thread_key) return cudaErrorStreamCaptureWrongThread;
  e = capture_result(c);
  if (!e) *out = c->graph;
  else if (c->into) graph_spoil(c->graph);
  else graph_drop(c->graph);
  for (uint32_t i = 0; i < captures.n; i++)
    if (captures.capture[i] == c) {
      capture_drop(i);
      break;
    }
  return e;
}
API cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out) { return RT_CALL(capture_end(s, out)); }
PER_THREAD(cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t *out), (OWN_STREAM(s), out))

/* ---- questions ---- */

static cudaError_t capture_status(cudaStream_t s, cudaStreamCaptureStatus *status, struct captured *out) {
  cudaError_t e = rt_stream(s);
  if (!e && !status) e = cudaErrorInvalidValue;
  if (!e && is_legacy(s)) e = capture_check_legacy(true);
  if (e) return e;
  *out = capture_find(s);
  *status = !out->capture           ? cudaStreamCaptureStatusNone
            : out->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

static cudaError_t is_capturing(cudaStream_t s, cudaStreamCaptureStatus *status) {
  struct captured at;
  return capture_status(s, status, &at);
}
API cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus *status) {
  return RT_CALL(is_capturing(s, status));
}
PER_THREAD(cudaStreamIsCapturing, (cudaStream_t s, cudaStreamCaptureStatus *status), (OWN_STREAM(s), status))

struct capture_about { /* where an answer is to be stored; NULL: nowhere. Nothing is, unless the capture is active. */
  unsigned long long *id;
  cudaGraph_t *graph;
  const cudaGraphNode_t **dep;
  const cudaGraphEdgeData **data;
  size_t *n;
};

static cudaError_t capture_info(cudaStream_t s, cudaStreamCaptureStatus *status, struct capture_about a) {
  struct captured at;
  cudaError_t e = capture_status(s, status, &at);
  if (e) return e;
  if (a.data && !a.dep) return cudaErrorInvalidValue;
  if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
  struct captured_stream *stream = at.stream;
  if (a.data && stream->plain_room < stream->tail.n) {
    free(stream->plain);
    stream->plain = xcalloc(stream->plain_room = stream->tail.n, sizeof *stream->plain);
  }
  if (a.id) *a.id = at.capture->id;
  if (a.graph) *a.graph = at.capture->graph;
  if (a.dep) *a.dep = stream->tail.node;
  if (a.data) *a.data = stream->plain;
  if (a.n) *a.n = stream->tail.n;
  return cudaSuccess;
}

#if CUDART_VERSION < 13000
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *id) {
  return RT_CALL(capture_info(s, status, (struct capture_about){.id = id}));
}
PER_THREAD(cudaStreamGetCaptureInfo, (cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *id),
           (OWN_STREAM(s), status, id))
API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *id,
                                            cudaGraph_t *g, const cudaGraphNode_t **dep, size_t *n) {
  return RT_CALL(capture_info(s, status, (struct capture_about){id, g, dep, NULL, n}));
}
PER_THREAD(cudaStreamGetCaptureInfo_v2,
           (cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,
            const cudaGraphNode_t **dep, size_t *n),
           (OWN_STREAM(s), status, id, g, dep, n))
#endif
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
#define INFO_WITH_EDGES cudaStreamGetCaptureInfo_v3
#define INFO_WITH_EDGES_PTSZ cudaStreamGetCaptureInfo_v3_ptsz
#elif CUDART_VERSION >= 13000
#define INFO_WITH_EDGES cudaStreamGetCaptureInfo
#define INFO_WITH_EDGES_PTSZ cudaStreamGetCaptureInfo_ptsz
#endif
#ifdef INFO_WITH_EDGES
API cudaError_t INFO_WITH_EDGES(cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,
                                const cudaGraphNode_t **dep, const cudaGraphEdgeData **data, size_t *n) {
  return RT_CALL(capture_info(s, status, (struct capture_about){id, g, dep, data, n}));
}
API cudaError_t INFO_WITH_EDGES_PTSZ(cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *g, const cudaGraphNode_t **dep, const cudaGraphEdgeData **data,
                                     size_t *n) {
  return INFO_WITH_EDGES(OWN_STREAM(s), status, id, g, dep, data, n);
}
#endif

/* ---- dependencies that the program sets ---- */

enum { DEPENDENCIES_ADD, DEPENDENCIES_SET }; /* flags */

static cudaError_t capture_update(cudaStream_t s, struct node_list after, const cudaGraphEdgeData *data,
                                  unsigned flags) {
  struct captured at;
  cudaError_t e = capture_enter(s, &at);
  if (e) return e;
  if (!at.capture) return cudaErrorIllegalState;
  if (flags > DEPENDENCIES_SET) return cudaErrorInvalidValue;
  e = graph_check(at.capture->graph, after, data);
  if (e) return capture_invalidate(at.capture, e);
  struct node_set *tail = &at.stream->tail, all = {0};
  for (size_t i = 0; i < after.n; i++) node_set_add(&all, after.node[i]); /* the list may be the tail itself */
  if (flags == DEPENDENCIES_SET) node_set_clear(tail);
  node_set_add_all(tail, &all);
  free(all.node);
  return cudaSuccess;
}
#if CUDART_VERSION >= 13000
API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, cudaGraphNode_t *dep, const cudaGraphEdgeData *data,
                                                    size_t n, unsigned flags) {
  return RT_CALL(capture_update(s, (struct node_list){dep, n}, data, flags));
}
PER_THREAD(cudaStreamUpdateCaptureDependencies,
           (cudaStream_t s, cudaGraphNode_t *dep, const cudaGraphEdgeData *data, size_t n, unsigned flags),
           (OWN_STREAM(s), dep, data, n, flags))
#else
API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, cudaGraphNode_t *dep, size_t n, unsigned flags) {
  return RT_CALL(capture_update(s, (struct node_list){dep, n}, NULL, flags));
}
PER_THREAD(cudaStreamUpdateCaptureDependencies, (cudaStream_t s, cudaGraphNode_t *dep, size_t n, unsigned flags),
           (OWN_STREAM(s), dep, n, flags))
#if CUDART_VERSION >= 12000
API cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t s, cudaGraphNode_t *dep,
                                                       const cudaGraphEdgeData *data, size_t n, unsigned flags) {
  return RT_CALL(capture_update(s, (struct node_list){dep, n}, data, flags));
}
PER_THREAD(cudaStreamUpdateCaptureDependencies_v2,
           (cudaStream_t s, cudaGraphNode_t *dep, const cudaGraphEdgeData *data, size_t n, unsigned flags),
           (OWN_STREAM(s), dep, data, n, flags))
#endif
#endif
