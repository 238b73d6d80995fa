/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, their nodes and edges. Nodes and graphs name each other by handles, so that each can be freed alone. */
#include "host/cudart/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "host/cudart/handle.h"

/* ---- operations ---- */

struct rt_work *work_new(rt_operation *run, const void *args, size_t bytes) {
  struct rt_work *w = xmalloc(sizeof *w + bytes);
  *w = (struct rt_work){.refs = 1, .run = run, .bytes = bytes};
  memcpy(w->args, args, bytes);
  return w;
}

struct rt_work *work_ref(struct rt_work *w) {
  if (w) w->refs++;
  return w;
}

void work_drop(struct rt_work *w) {
  if (w && !--w->refs) free(w);
}

/* ---- graphs ---- */

static void graph_release(void *graph) { free(((struct rt_graph *)graph)->node); }
static void node_release(void *node) {
  work_drop(((struct rt_node *)node)->work);
  free(((struct rt_node *)node)->dep);
}
static struct handles graphs = {.tag = HANDLE_GRAPH, .release = graph_release};
static struct handles nodes = {.tag = HANDLE_NODE, .release = node_release};

uint64_t graph_mark(void) {
  static uint64_t last = UINT32_MAX; /* lower values are numbers of nodes */
  return ++last;
}

struct rt_graph *graph_get(cudaGraph_t g) {
  return handle_get(&graphs, g);
}
struct rt_node *node_get(cudaGraphNode_t n) {
  return handle_get(&nodes, n);
}

cudaError_t graph_new(cudaGraph_t *out) {
  struct rt_graph *g = xcalloc(1, sizeof *g);
  *out = handle_new(&graphs, g);
  if (*out) return cudaSuccess;
  free(g);
  return cudaErrorMemoryAllocation;
}

void graph_drop(cudaGraph_t h) {
  const struct rt_graph *g = graph_get(h);
  for (uint32_t i = 0; g && i < g->n; i++) handle_drop(&nodes, g->node[i]);
  handle_drop(&graphs, h);
}

void graph_spoil(cudaGraph_t h) {
  struct rt_graph *g = graph_get(h);
  if (g) g->spoilt = true;
}

cudaError_t graph_failed(cudaGraph_t h, cudaError_t e) {
  switch (e) {
    case cudaErrorMemoryAllocation:
    case cudaErrorInvalidKernelImage:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorCooperativeLaunchTooLarge:
    case cudaErrorNotSupported: graph_spoil(h); return e;
    default: return e; /* the program's */
  }
}

/* True if all nodes of the list are of this graph and none occurs twice. */
static bool graph_has_nodes(cudaGraph_t g, struct node_list list) {
  if (list.n && !list.node) return false;
  const uint64_t mark = graph_mark();
  for (size_t i = 0; i < list.n; i++) {
    struct rt_node *n = node_get(list.node[i]);
    if (!n || n->graph != g || n->mark == mark) return false;
    n->mark = mark;
  }
  return true;
}

/* Programmatic edges let two kernels overlap; here they would not. */
static cudaError_t graph_check_edges(cudaGraph_t g, const cudaGraphEdgeData *data, size_t n) {
  static const cudaGraphEdgeData plain;
  for (size_t i = 0; data && i < n; i++)
    if (memcmp(&data[i], &plain, sizeof plain) != 0)
      return graph_failed(g, rt_error(cudaErrorNotSupported, rt_call(),
                                      "found an edge with data, expected zeroes: it is not supported"));
  return cudaSuccess;
}

cudaError_t graph_check(cudaGraph_t g, struct node_list after, const cudaGraphEdgeData *data) {
  if (!graph_get(g) || !graph_has_nodes(g, after)) return cudaErrorInvalidValue;
  return graph_check_edges(g, data, after.n);
}

cudaError_t graph_add(cudaGraph_t h, struct node_list after, cudaGraphNodeType type, struct rt_work *work,
                      cudaGraphNode_t *out) {
  struct rt_graph *g = graph_get(h);
  if (!g || !graph_has_nodes(h, after)) return cudaErrorInvalidValue;
  struct rt_node *n = xcalloc(1, sizeof *n);
  *n = (struct rt_node){.graph = h, .type = type};
  cudaGraphNode_t handle = handle_new(&nodes, n);
  if (!handle) {
    free(n);
    return cudaErrorMemoryAllocation;
  }
  n->work = work_ref(work);
  for (size_t i = 0; i < after.n; i++) VEC_PUSH(n->dep, n->deps, n->cap) = after.node[i];
  VEC_PUSH(g->node, g->n, g->cap) = handle;
  *out = handle;
  return cudaSuccess;
}

cudaError_t graph_add_operation(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after, cudaGraphNodeType type,
                                rt_operation *run, const void *args, size_t bytes) {
  if (!out || !graph_get(g) || !graph_has_nodes(g, after)) return cudaErrorInvalidValue;
  cudaError_t e = run(args, true);
  if (e) return graph_failed(g, e);
  struct rt_work *w = work_new(run, args, bytes);
  e = graph_add(g, after, type, w, out);
  work_drop(w);
  return e;
}

/* A walk from node to dependency; next: number of the dependency that is looked at next. */
struct step {
  struct rt_node *node;
  uint32_t next;
};

struct rt_node **graph_order(const struct rt_graph *g) {
  struct rt_node **order = xcalloc(g->n + 1, sizeof *order);
  struct step *path = xcalloc(g->n + 1, sizeof *path);
  const uint64_t on_path = graph_mark(), ordered = graph_mark();
  uint32_t n = 0, depth = 0;
  for (uint32_t i = 0; i < g->n; i++) {
    struct rt_node *first = node_get(g->node[i]);
    if (first->mark != ordered) path[depth++] = (struct step){first, 0};
    while (depth) {
      struct step *s = &path[depth - 1];
      s->node->mark = on_path;
      struct rt_node *before = s->next < s->node->deps ? node_get(s->node->dep[s->next++]) : NULL;
      if (!before) {
        s->node->mark = ordered;
        order[n++] = s->node;
        depth--;
      } else if (before->mark == on_path) {
        free(order);
        free(path);
        return NULL;
      } else if (before->mark != ordered) {
        path[depth++] = (struct step){before, 0};
      }
    }
  }
  free(path);
  return order;
}

/* ---- calls: graphs ---- */

static cudaError_t graph_create(cudaGraph_t *out, unsigned flags) {
  return !out || flags ? cudaErrorInvalidValue : graph_new(out);
}
API cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags) { return RT_CALL(graph_create(out, flags)); }

static cudaError_t graph_destroy(cudaGraph_t g) {
  if (!graph_get(g)) return cudaErrorInvalidValue;
  graph_drop(g);
  return cudaSuccess;
}
API cudaError_t cudaGraphDestroy(cudaGraph_t g) { return RT_CALL(graph_destroy(g)); }

/* The place of a node in its graph. */
static uint32_t graph_index(const struct rt_graph *g, cudaGraphNode_t n) {
  uint32_t i = 0;
  while (i < g->n && g->node[i] != n) i++;
  return i;
}

/* The copies of nodes are in the same places. */
static cudaError_t graph_clone(cudaGraph_t *out, cudaGraph_t from) {
  struct rt_graph *g = graph_get(from);
  if (!out || !g) return cudaErrorInvalidValue;
  cudaGraph_t copy;
  cudaError_t e = graph_new(&copy);
  for (uint32_t i = 0; !e && i < g->n; i++) {
    struct rt_node *n = node_get(g->node[i]);
    cudaGraphNode_t c;
    n->mark = i;
    e = graph_add(copy, (struct node_list){0}, n->type, n->work, &c);
    if (!e) node_get(c)->original = g->node[i];
  }
  if (e) {
    graph_drop(copy);
    return e;
  }
  struct rt_graph *to = graph_get(copy);
  for (uint32_t i = 0; i < g->n; i++) {
    const struct rt_node *n = node_get(g->node[i]);
    struct rt_node *c = node_get(to->node[i]);
    for (uint32_t k = 0; k < n->deps; k++) VEC_PUSH(c->dep, c->deps, c->cap) = to->node[node_get(n->dep[k])->mark];
  }
  to->spoilt = g->spoilt;
  *out = copy;
  return cudaSuccess;
}
API cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t from) { return RT_CALL(graph_clone(out, from)); }

static cudaError_t graph_find_in_clone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone) {
  const struct rt_graph *g = graph_get(clone);
  if (!out || !g) return cudaErrorInvalidValue;
  for (uint32_t i = 0; i < g->n; i++)
    if (original && node_get(g->node[i])->original == original) {
      *out = g->node[i];
      return cudaSuccess;
    }
  return cudaErrorInvalidValue;
}
API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone) {
  return RT_CALL(graph_find_in_clone(out, original, clone));
}

/* ---- calls: nodes ---- */

static cudaError_t graph_add_empty(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after) {
  return out ? graph_add(g, after, cudaGraphNodeTypeEmpty, NULL, out) : cudaErrorInvalidValue;
}
API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n) {
  return RT_CALL(graph_add_empty(out, g, (struct node_list){dep, n}));
}

/* Removes the place i of a list of nodes. */
static void graph_list_remove(cudaGraphNode_t *list, uint32_t *n, uint32_t i) {
  memmove(list + i, list + i + 1, (--*n - i) * sizeof *list);
}

/* The place of a node among those that another one follows; its number of dependencies: it is not there. */
static uint32_t node_find_dep(const struct rt_node *n, cudaGraphNode_t dep) {
  uint32_t i = 0;
  while (i < n->deps && n->dep[i] != dep) i++;
  return i;
}

static cudaError_t node_destroy(cudaGraphNode_t h) {
  const struct rt_node *n = node_get(h);
  struct rt_graph *g = n ? graph_get(n->graph) : NULL;
  if (!g) return cudaErrorInvalidValue;
  for (uint32_t i = 0; i < g->n; i++) {
    struct rt_node *other = node_get(g->node[i]);
    uint32_t at = node_find_dep(other, h);
    if (at < other->deps) graph_list_remove(other->dep, &other->deps, at);
  }
  graph_list_remove(g->node, &g->n, graph_index(g, h));
  handle_drop(&nodes, h);
  return cudaSuccess;
}
API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t n) { return RT_CALL(node_destroy(n)); }

static cudaError_t node_type(cudaGraphNode_t h, cudaGraphNodeType *type) {
  const struct rt_node *n = node_get(h);
  if (!n || !type) return cudaErrorInvalidValue;
  *type = n->type;
  return cudaSuccess;
}
API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t n, cudaGraphNodeType *type) { return RT_CALL(node_type(n, type)); }

/* ---- lists that a call returns: with a NULL array only their length; what is left of the array becomes NULL ---- */

struct node_output {
  cudaGraphNode_t *node; /* NULL: none is stored */
  size_t room, n;
};

static void graph_put(struct node_output *o, cudaGraphNode_t n) {
  if (o->node && o->n < o->room) o->node[o->n] = n;
  o->n++;
}

static void graph_put_end(const struct node_output *o, size_t *n) {
  for (size_t i = o->n; o->node && i < o->room; i++) o->node[i] = NULL;
  *n = o->node && o->n > o->room ? o->room : o->n;
}

static cudaError_t graph_nodes(cudaGraph_t h, cudaGraphNode_t *list, size_t *n, bool only_roots) {
  const struct rt_graph *g = graph_get(h);
  if (!g || !n) return cudaErrorInvalidValue;
  struct node_output o = {list, *n, 0};
  for (uint32_t i = 0; i < g->n; i++)
    if (!only_roots || !node_get(g->node[i])->deps) graph_put(&o, g->node[i]);
  graph_put_end(&o, n);
  return cudaSuccess;
}
API cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *list, size_t *n) {
  return RT_CALL(graph_nodes(g, list, n, false));
}
API cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *list, size_t *n) {
  return RT_CALL(graph_nodes(g, list, n, true));
}

/* All edges are plain. */
static void graph_put_edges(cudaGraphEdgeData *data, size_t room, bool wanted) {
  if (data && wanted) memset(data, 0, room * sizeof *data);
}

static cudaError_t graph_edges(cudaGraph_t h, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                               size_t *n) {
  const struct rt_graph *g = graph_get(h);
  if (!g || !n || !from != !to || (data && !from)) return cudaErrorInvalidValue;
  const size_t room = *n;
  struct node_output a = {from, room, 0}, b = {to, room, 0};
  for (uint32_t i = 0; i < g->n; i++) {
    const struct rt_node *node = node_get(g->node[i]);
    for (uint32_t k = 0; k < node->deps; k++) {
      graph_put(&a, node->dep[k]);
      graph_put(&b, g->node[i]);
    }
  }
  graph_put_edges(data, room, from != NULL);
  graph_put_end(&a, n);
  graph_put_end(&b, n);
  return cudaSuccess;
}

static cudaError_t node_dependencies(cudaGraphNode_t h, cudaGraphNode_t *list, cudaGraphEdgeData *data, size_t *n) {
  const struct rt_node *node = node_get(h);
  if (!node || !n || (data && !list)) return cudaErrorInvalidValue;
  struct node_output o = {list, *n, 0};
  graph_put_edges(data, *n, list != NULL);
  for (uint32_t i = 0; i < node->deps; i++) graph_put(&o, node->dep[i]);
  graph_put_end(&o, n);
  return cudaSuccess;
}

static cudaError_t node_dependents(cudaGraphNode_t h, cudaGraphNode_t *list, cudaGraphEdgeData *data, size_t *n) {
  const struct rt_node *node = node_get(h);
  const struct rt_graph *g = node ? graph_get(node->graph) : NULL;
  if (!g || !n || (data && !list)) return cudaErrorInvalidValue;
  struct node_output o = {list, *n, 0};
  graph_put_edges(data, *n, list != NULL);
  for (uint32_t i = 0; i < g->n; i++) {
    const struct rt_node *other = node_get(g->node[i]);
    if (node_find_dep(other, h) < other->deps) graph_put(&o, g->node[i]);
  }
  graph_put_end(&o, n);
  return cudaSuccess;
}

/* ---- edges ---- */

/* Both ends of each edge, whose numbers of dependencies do not change between here and the change. */
static cudaError_t graph_change_edges(cudaGraph_t h, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                      const cudaGraphEdgeData *data, size_t n, bool add) {
  if (!graph_get(h) || (n && (!from || !to))) return cudaErrorInvalidValue;
  cudaError_t e = graph_check_edges(h, data, n);
  for (size_t i = 0; !e && i < n; i++) {
    const struct rt_node *a = node_get(from[i]), *b = node_get(to[i]);
    if (!a || !b || a == b || a->graph != h || b->graph != h || (node_find_dep(b, from[i]) < b->deps) == add)
      return cudaErrorInvalidValue;
  }
  for (size_t i = 0; !e && i < n; i++) {
    struct rt_node *b = node_get(to[i]);
    uint32_t at = node_find_dep(b, from[i]);
    if ((at < b->deps) == add) e = cudaErrorInvalidValue; /* the same edge twice in the list */
    else if (add) VEC_PUSH(b->dep, b->deps, b->cap) = from[i];
    else graph_list_remove(b->dep, &b->deps, at);
  }
  return e;
}

/* With data of edges, a function of version 13 or a _v2 of version 12; without, one up to version 12. */
#if CUDART_VERSION >= 13000
#define WITH_EDGES(name) name
#elif CUDART_VERSION >= 12000
#define WITH_EDGES(name) name##_v2
#endif
#if CUDART_VERSION < 13000
API cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) {
  return RT_CALL(graph_edges(g, from, to, NULL, n));
}
API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *list, size_t *n) {
  return RT_CALL(node_dependencies(node, list, NULL, n));
}
API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *list, size_t *n) {
  return RT_CALL(node_dependents(node, list, NULL, n));
}
API cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                         size_t n) {
  return RT_CALL(graph_change_edges(g, from, to, NULL, n, true));
}
API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            size_t n) {
  return RT_CALL(graph_change_edges(g, from, to, NULL, n, false));
}
#endif
#ifdef WITH_EDGES
API cudaError_t WITH_EDGES(cudaGraphGetEdges)(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                              cudaGraphEdgeData *data, size_t *n) {
  return RT_CALL(graph_edges(g, from, to, data, n));
}
API cudaError_t WITH_EDGES(cudaGraphNodeGetDependencies)(cudaGraphNode_t node, cudaGraphNode_t *list,
                                                         cudaGraphEdgeData *data, size_t *n) {
  return RT_CALL(node_dependencies(node, list, data, n));
}
API cudaError_t WITH_EDGES(cudaGraphNodeGetDependentNodes)(cudaGraphNode_t node, cudaGraphNode_t *list,
                                                           cudaGraphEdgeData *data, size_t *n) {
  return RT_CALL(node_dependents(node, list, data, n));
}
API cudaError_t WITH_EDGES(cudaGraphAddDependencies)(cudaGraph_t g, const cudaGraphNode_t *from,
                                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                                     size_t n) {
  return RT_CALL(graph_change_edges(g, from, to, data, n, true));
}
API cudaError_t WITH_EDGES(cudaGraphRemoveDependencies)(cudaGraph_t g, const cudaGraphNode_t *from,
                                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                                        size_t n) {
  return RT_CALL(graph_change_edges(g, from, to, data, n, false));
}
#endif

/* ---- nodes of any kind ---- */

#ifdef WITH_EDGES
static cudaError_t graph_add_any(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after,
                                 const cudaGraphEdgeData *data, const cudaGraphNodeParams *p) {
  if (!out || !p) return cudaErrorInvalidValue;
  cudaError_t e = graph_check(g, after, data);
  if (e) return e;
  switch (p->type) {
    case cudaGraphNodeTypeKernel: return rt_add_kernel_node(out, g, after, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return rt_add_copy_node(out, g, after, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return rt_add_fill_node(out, g, after, &p->memset);
    case cudaGraphNodeTypeHost: return rt_add_host_node(out, g, after, &p->host);
    case cudaGraphNodeTypeEmpty: return graph_add_empty(out, g, after);
    case cudaGraphNodeTypeWaitEvent: return rt_add_event_node(out, g, after, p->type, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return rt_add_event_node(out, g, after, p->type, p->eventRecord.event);
    case cudaGraphNodeTypeGraph: break;
  }
  return graph_failed(g,
                      rt_error(cudaErrorNotSupported, rt_call(), "nodes of type %d are not supported", (int)p->type));
}
API cudaError_t WITH_EDGES(cudaGraphAddNode)(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep,
                                             const cudaGraphEdgeData *data, size_t n, cudaGraphNodeParams *p) {
  return RT_CALL(graph_add_any(out, g, (struct node_list){dep, n}, data, p));
}
#if CUDART_VERSION < 13000
API cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                 cudaGraphNodeParams *p) {
  return RT_CALL(graph_add_any(out, g, (struct node_list){dep, n}, NULL, p));
}
#endif
#endif

/* ---- refused: what begins with a graph or a node that it would change ---- */

static cudaError_t graph_refuse_node(cudaGraph_t g) {
  if (!graph_get(g)) return cudaErrorInvalidValue;
  return graph_failed(g, rt_error(cudaErrorNotSupported, rt_call(),
                                  "nodes of this type are not supported; the graph cannot be instantiated any more"));
}
#define REFUSE_NODE(name)                                         \
  API cudaError_t name(cudaGraphNode_t *out, cudaGraph_t graph) { \
    (void)out;                                                    \
    return RT_CALL(graph_refuse_node(graph));                     \
  }
REFUSE_NODE(cudaGraphAddChildGraphNode)
REFUSE_NODE(cudaGraphAddExternalSemaphoresSignalNode)
REFUSE_NODE(cudaGraphAddExternalSemaphoresWaitNode)
REFUSE_NODE(cudaGraphAddMemAllocNode)
REFUSE_NODE(cudaGraphAddMemFreeNode)

static cudaError_t graph_refuse_change(cudaGraphNode_t h) {
  const struct rt_node *n = node_get(h);
  if (!n) return cudaErrorInvalidValue;
  return graph_failed(n->graph,
                      rt_error(cudaErrorNotSupported, rt_call(),
                               "changes of a node are not supported; its graph cannot be instantiated any more"));
}
#define REFUSE_CHANGE(name) \
  API cudaError_t name(cudaGraphNode_t node) { return RT_CALL(graph_refuse_change(node)); }
REFUSE_CHANGE(cudaGraphEventRecordNodeSetEvent)
REFUSE_CHANGE(cudaGraphEventWaitNodeSetEvent)
REFUSE_CHANGE(cudaGraphExternalSemaphoresSignalNodeSetParams)
REFUSE_CHANGE(cudaGraphExternalSemaphoresWaitNodeSetParams)
REFUSE_CHANGE(cudaGraphHostNodeSetParams)
REFUSE_CHANGE(cudaGraphKernelNodeSetAttribute)
REFUSE_CHANGE(cudaGraphKernelNodeSetParams)
REFUSE_CHANGE(cudaGraphMemcpyNodeSetParams)
REFUSE_CHANGE(cudaGraphMemcpyNodeSetParams1D)
REFUSE_CHANGE(cudaGraphMemcpyNodeSetParamsFromSymbol)
REFUSE_CHANGE(cudaGraphMemcpyNodeSetParamsToSymbol)
REFUSE_CHANGE(cudaGraphMemsetNodeSetParams)
REFUSE_CHANGE(cudaGraphNodeSetParams)
API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t one, cudaGraphNode_t other) {
  return RT_CALL((graph_refuse_change(one), graph_refuse_change(other)));
}
