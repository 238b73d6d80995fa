/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph: graphs of operations, and the way of an operation from its call to its execution. An operation is a function with a copy of
 * its arguments. On a stream that is not captured it is executed at once (capture.c); in a capture it becomes a node of a graph,
 * as does what the program adds itself. cudaGraphLaunch executes the nodes in an order of their dependencies (graph_exec.c).
 *
 * A change of a graph that is refused, since it is not supported here, spoils the graph: it cannot be instantiated, or launched, any
 * more. So a program that does not look at errors does not get the results of another graph than its own.
 *
 * With the lock of runtime.h held and the session open.
 */
#ifndef RT_CUDART_GRAPH_H
#define RT_CUDART_GRAPH_H

#include "host/cudart/graph_types.h"
#include "host/cudart/runtime.h"

/* ---- operations ---- */

/* Executes an operation with these arguments; with `check` it only tests whether that is possible. Handles and addresses may be void by
 * the time of the call, as it looks for them itself. */
typedef cudaError_t rt_operation(const void *args, bool check);

/* Executes the operation now, or adds it to the graph that the stream is captured into. */
cudaError_t rt_enqueue(cudaStream_t s, cudaGraphNodeType type, rt_operation *run, const void *args, size_t bytes);
/* Executes an operation of a call without a stream, which is over when the call returns: such a call is not permitted during captures
 * that it would have to wait for. */
cudaError_t rt_enqueue_sync(rt_operation *run, const void *args);
/* The stream of this thread's calls of rt_enqueue_sync: NULL, the legacy default stream, until another one is named. */
void rt_sync_stream(cudaStream_t s);
/* Such a function's variant, name_ptds, of a program whose default stream is one for each thread: the parameters and the arguments of the call
 * are given in parentheses. */
#define PER_THREAD_SYNC(name, parameters, arguments) \
  API cudaError_t name##_ptds parameters {           \
    rt_sync_stream(cudaStreamPerThread);             \
    cudaError_t status = name arguments;             \
    rt_sync_stream(NULL);                            \
    return status;                                   \
  }

struct rt_work { /* an operation that is kept; it never changes */
  unsigned refs;
  rt_operation *run;
  size_t bytes; /* of args */
  _Alignas(16) uint8_t args[];
};
struct rt_work *work_new(rt_operation *run, const void *args, size_t bytes);
struct rt_work *work_ref(struct rt_work *w); /* w may be NULL */
void work_drop(struct rt_work *w);           /* likewise */

/* ---- graphs ---- */

struct rt_graph {
  cudaGraphNode_t *node; /* in the order in which they were added */
  uint32_t n, cap;
  bool spoilt;
};
struct rt_node {
  cudaGraph_t graph;
  cudaGraphNodeType type;
  struct rt_work *work; /* NULL: there is nothing to do */
  cudaGraphNode_t *dep; /* nodes of the same graph, each once, that come before it */
  uint32_t deps, cap;
  cudaGraphNode_t original; /* that this one is a copy of; NULL: none */
  uint64_t mark;            /* scratch of functions that walk over a graph */
};

cudaError_t graph_new(cudaGraph_t *out);
void graph_drop(cudaGraph_t g);
struct rt_graph *graph_get(cudaGraph_t g);   /* NULL: no such graph */
struct rt_node *node_get(cudaGraphNode_t n); /* NULL: no such node */

struct node_list {
  const cudaGraphNode_t *node;
  size_t n;
};
/* cudaErrorInvalidValue: a node of the list is not in the graph, or is there twice; cudaErrorNotSupported: the data of an edge from it, which
 * may be NULL, is not zero. */
cudaError_t graph_check(cudaGraph_t g, struct node_list after, const cudaGraphEdgeData *data);
/* Adds a node that comes after those of the list. cudaErrorInvalidValue: one of them is not in the graph, or occurs twice. */
cudaError_t graph_add(cudaGraph_t g, struct node_list after, cudaGraphNodeType type, struct rt_work *work,
                      cudaGraphNode_t *out);
/* The same for a call of the program: tests the operation, which is copied, first. */
cudaError_t graph_add_operation(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after, cudaGraphNodeType type,
                                rt_operation *run, const void *args, size_t bytes);
/* The nodes such that each follows those that it depends on, as near to the order of their addition as that allows. NULL: a circle. To be
 * freed; never NULL without nodes. */
struct rt_node **graph_order(const struct rt_graph *g);

void graph_spoil(cudaGraph_t g);
/* Spoils a graph if the error is due to a limit of RegTwin, not to the program; returns the error. */
cudaError_t graph_failed(cudaGraph_t g, cudaError_t e);

uint64_t graph_mark(void); /* a value for node->mark that no node has */

/* ---- nodes by their parameters, for cudaGraphAddNode ---- */

cudaError_t rt_add_kernel_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after,
                               const cudaKernelNodeParams *p); /* launch.c */
cudaError_t rt_add_copy_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after,
                             const cudaMemcpy3DParms *p); /* copy3d.c */
cudaError_t rt_add_fill_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after,
                             const cudaMemsetParams *p); /* fill.c */
cudaError_t rt_add_host_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after,
                             const cudaHostNodeParams *p); /* stream.c */
cudaError_t rt_add_event_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after, cudaGraphNodeType type,
                              cudaEvent_t e); /* event.c */

#endif
