/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: the operations of a graph in the order in which each launch executes them. */
#include <stdlib.h>

#include "base/err.h"
#include "host/cudart/capture.h"
#include "host/cudart/handle.h"

enum { FLAG_AUTO_FREE = 1, FLAG_UPLOAD = 2, FLAG_DEVICE_LAUNCH = 4, FLAG_PRIORITY = 8, FLAGS = 15 };

struct program { /* never changes; a launch holds a reference, as the program may destroy its exec meanwhile */
  unsigned refs;
  uint32_t n;
  struct rt_work *work[];
};
struct rt_exec {
  struct program *program;
  unsigned long long flags;
  bool spoilt; /* an update was refused */
};

static void graph_program_drop(struct program *p) {
  if (--p->refs) return;
  for (uint32_t i = 0; i < p->n; i++) work_drop(p->work[i]);
  free(p);
}

static void exec_release(void *exec) { graph_program_drop(((struct rt_exec *)exec)->program); }
static struct handles execs = {.tag = HANDLE_EXEC, .release = exec_release};

/* ---- instantiation ---- */

static struct program *graph_program_new(struct rt_node **order, uint32_t n) {
  struct program *p = xcalloc(1, sizeof *p + n * sizeof(struct rt_work *));
  p->refs = 1;
  for (uint32_t i = 0; i < n; i++)
    if (order[i]->work) p->work[p->n++] = work_ref(order[i]->work);
  return p;
}

/* The number of a result in cudaGraphInstantiateParams. */
enum { INSTANTIATED, INSTANTIATE_ERROR, INSTANTIATE_STRUCTURE, INSTANTIATE_NOT_SUPPORTED };

static cudaError_t exec_new(cudaGraphExec_t *out, cudaGraph_t h, unsigned long long flags, int *result) {
  const struct rt_graph *g = graph_get(h);
  *result = INSTANTIATE_ERROR;
  if (!out || !g || flags & ~(unsigned long long)FLAGS) return cudaErrorInvalidValue;
  if (g->spoilt || flags & FLAG_DEVICE_LAUNCH) {
    *result = INSTANTIATE_NOT_SUPPORTED;
    return rt_error(cudaErrorNotSupported, rt_call(), "%s",
                    g->spoilt ? "a change of this graph was refused, since it is not supported"
                              : "launches of graphs from the device are not supported");
  }
  struct rt_node **order = graph_order(g);
  if (!order) {
    *result = INSTANTIATE_STRUCTURE;
    return rt_error(cudaErrorInvalidValue, rt_call(), "found nodes that depend on each other in a circle");
  }
  struct rt_exec *x = xcalloc(1, sizeof *x);
  *x = (struct rt_exec){.program = graph_program_new(order, g->n), .flags = flags};
  free(order);
  *out = handle_new(&execs, x);
  if (!*out) {
    exec_release(x);
    free(x);
    return cudaErrorMemoryAllocation;
  }
  *result = INSTANTIATED;
  return cudaSuccess;
}

static cudaError_t graph_instantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) {
  int result;
  return exec_new(out, g, flags, &result);
}
#if CUDART_VERSION >= 12000
API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) {
  return RT_CALL(graph_instantiate(out, g, flags));
}

static cudaError_t graph_instantiate_with(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphInstantiateParams *p) {
  if (!p) return cudaErrorInvalidValue;
  p->errNode_out = NULL;
  cudaError_t e = p->flags & FLAG_UPLOAD ? capture_refuse(p->uploadStream) : cudaSuccess;
  p->result_out = INSTANTIATE_ERROR;
  return e ? e : exec_new(out, g, p->flags, &p->result_out);
}
API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphInstantiateParams *p) {
  return RT_CALL(graph_instantiate_with(out, g, p));
}
ALIAS(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz)
#else
static cudaError_t graph_instantiate_log(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphNode_t *node, char *log,
                                         size_t n) {
  if (node) *node = NULL;
  if (log && n) *log = 0;
  return graph_instantiate(out, g, 0);
}
API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphNode_t *node, char *log, size_t n) {
  return RT_CALL(graph_instantiate_log(out, g, node, log, n));
}
#endif
API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) {
  return RT_CALL(graph_instantiate(out, g, flags));
}

static cudaError_t exec_flags(cudaGraphExec_t h, unsigned long long *flags) {
  const struct rt_exec *x = handle_get(&execs, h);
  if (!x || !flags) return cudaErrorInvalidValue;
  *flags = x->flags;
  return cudaSuccess;
}
API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t x, unsigned long long *flags) {
  return RT_CALL(exec_flags(x, flags));
}

static cudaError_t exec_destroy(cudaGraphExec_t h) {
  if (!handle_get(&execs, h)) return cudaErrorInvalidValue;
  handle_drop(&execs, h);
  return cudaSuccess;
}
API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x) { return RT_CALL(exec_destroy(x)); }

/* ---- launches ---- */

/* Ends after a kernel's fault, which is the error of later calls; or when a host function has ended the session. */
static cudaError_t graph_program_run(struct program *p) {
  const unsigned generation = rt_generation();
  cudaError_t e = cudaSuccess;
  p->refs++;
  for (uint32_t i = 0; i < p->n && !e && !rt_sticky(); i++) {
    e = p->work[i]->run(p->work[i]->args, false);
    if (!rt_device() || rt_generation() != generation) e = cudaErrorInvalidResourceHandle;
  }
  graph_program_drop(p);
  return e;
}

static cudaError_t exec_stream(cudaGraphExec_t h, cudaStream_t s, struct rt_exec **out) {
  *out = handle_get(&execs, h);
  cudaError_t e = capture_refuse(s);
  if (e) return e;
  return *out ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t graph_launch(cudaGraphExec_t h, cudaStream_t s) {
  struct rt_exec *x;
  cudaError_t e = exec_stream(h, s, &x);
  if (e) return e;
  if (x->spoilt)
    return rt_error(cudaErrorNotSupported, rt_call(),
                    "an update of this graph was refused, since it is not supported; instantiate the graph again");
  return graph_program_run(x->program);
}
API cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s) { return RT_CALL(graph_launch(x, s)); }
PER_THREAD(cudaGraphLaunch, (cudaGraphExec_t x, cudaStream_t s), (x, OWN_STREAM(s)))

static cudaError_t graph_upload(cudaGraphExec_t h, cudaStream_t s) {
  struct rt_exec *x;
  return exec_stream(h, s, &x);
}
API cudaError_t cudaGraphUpload(cudaGraphExec_t x, cudaStream_t s) { return RT_CALL(graph_upload(x, s)); }
PER_THREAD(cudaGraphUpload, (cudaGraphExec_t x, cudaStream_t s), (x, OWN_STREAM(s)))

/* ---- updates: refused ---- */

static cudaError_t exec_refuse_update(cudaGraphExec_t h, cudaError_t e) {
  struct rt_exec *x = handle_get(&execs, h);
  if (!x) return cudaErrorInvalidValue;
  x->spoilt = true;
  return rt_error(e, rt_call(),
                  "updates of an executable graph are not supported; it cannot be launched any more: instantiate the "
                  "graph again");
}

/* The number of a result of cudaGraphExecUpdate. */
enum { UPDATE_ERROR = 1, UPDATE_NOT_SUPPORTED = 6 };

#if CUDART_VERSION >= 12000
static cudaError_t exec_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info) {
  cudaError_t e = graph_get(g) ? exec_refuse_update(x, cudaErrorGraphExecUpdateFailure) : cudaErrorInvalidValue;
  if (info)
    *info = (cudaGraphExecUpdateResultInfo){.result = e == cudaErrorGraphExecUpdateFailure ? UPDATE_NOT_SUPPORTED
                                                                                           : UPDATE_ERROR};
  return e;
}
API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info) {
  return RT_CALL(exec_update(x, g, info));
}
#else
static cudaError_t exec_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *node, int *result) {
  cudaError_t e = graph_get(g) ? exec_refuse_update(x, cudaErrorGraphExecUpdateFailure) : cudaErrorInvalidValue;
  if (node) *node = NULL;
  if (result) *result = e == cudaErrorGraphExecUpdateFailure ? UPDATE_NOT_SUPPORTED : UPDATE_ERROR;
  return e;
}
API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *node, int *result) {
  return RT_CALL(exec_update(x, g, node, result));
}
#endif

#define REFUSE_UPDATE(name) \
  API cudaError_t name(cudaGraphExec_t exec) { return RT_CALL(exec_refuse_update(exec, cudaErrorNotSupported)); }
REFUSE_UPDATE(cudaGraphExecChildGraphNodeSetParams)
REFUSE_UPDATE(cudaGraphExecEventRecordNodeSetEvent)
REFUSE_UPDATE(cudaGraphExecEventWaitNodeSetEvent)
REFUSE_UPDATE(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
REFUSE_UPDATE(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
REFUSE_UPDATE(cudaGraphExecHostNodeSetParams)
REFUSE_UPDATE(cudaGraphExecKernelNodeSetParams)
REFUSE_UPDATE(cudaGraphExecMemcpyNodeSetParams)
REFUSE_UPDATE(cudaGraphExecMemcpyNodeSetParams1D)
REFUSE_UPDATE(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
REFUSE_UPDATE(cudaGraphExecMemcpyNodeSetParamsToSymbol)
REFUSE_UPDATE(cudaGraphExecMemsetNodeSetParams)
REFUSE_UPDATE(cudaGraphExecNodeSetParams)
REFUSE_UPDATE(cudaGraphNodeSetEnabled)
