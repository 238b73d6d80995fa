/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the device, by the host's addresses of them. */
#include <string.h>

#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"

static cudaError_t get_address(void **out, const void *symbol) {
  struct rt_place v;
  if (!out) return cudaErrorInvalidValue;
  cudaError_t e = rt_symbol(symbol, &v);
  if (!e) *out = rt_address(&v);
  return e;
}
API cudaError_t cudaGetSymbolAddress(void **out, const void *symbol) { return RT_CALL(get_address(out, symbol)); }

static cudaError_t get_size(size_t *out, const void *symbol) {
  struct rt_place v;
  if (!out) return cudaErrorInvalidValue;
  cudaError_t e = rt_symbol(symbol, &v);
  if (!e) *out = v.size;
  return e;
}
API cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol) { return RT_CALL(get_size(out, symbol)); }

/* n bytes of a variable from offset on, n > 0. */
static cudaError_t variable_bytes(const void *symbol, size_t n, size_t offset, uint8_t **out) {
  struct rt_place v;
  cudaError_t e = rt_symbol(symbol, &v);
  if (e) return e;
  if (offset > v.size || n > v.size - offset)
    return rt_error(cudaErrorInvalidValue, rt_call(),
                    "found %zu bytes from byte %zu on, expected bytes of the variable %s, which has %u", n, offset,
                    v.name, v.size);
  *out = v.constant ? device_constant(v.module, (uint32_t)(v.addr + offset), (uint32_t)n)
                    : device_at(rt_device(), v.addr + offset, n);
  return *out ? cudaSuccess : cudaErrorInvalidValue;
}

struct symbol_copy {
  const void *symbol;
  const void *p; /* the other side; written by copies from a symbol */
  size_t n, offset;
  unsigned kind;
};
static cudaError_t to_symbol_run(const void *args, bool check) {
  const struct symbol_copy *c = args;
  enum side from;
  uint8_t *d = NULL;
  cudaError_t e = rt_other_side(c->kind, cudaMemcpyDeviceToHost, &from);
  if (e || !c->n) return e;
  e = variable_bytes(c->symbol, c->n, c->offset, &d);
  if (e || !d) return e;
  const uint8_t *b = rt_bytes(c->p, c->n, from);
  if (!b) return rt_no_bytes("source", c->p, c->n, from);
  if (!check) memmove(d, b, c->n);
  return cudaSuccess;
}
static cudaError_t from_symbol_run(const void *args, bool check) {
  const struct symbol_copy *c = args;
  enum side to;
  uint8_t *b = NULL;
  cudaError_t e = rt_other_side(c->kind, cudaMemcpyHostToDevice, &to);
  if (e || !c->n) return e;
  e = variable_bytes(c->symbol, c->n, c->offset, &b);
  if (e || !b) return e;
  uint8_t *d = rt_bytes(c->p, c->n, to);
  if (!d) return rt_no_bytes("destination", c->p, c->n, to);
  if (!check) memmove(d, b, c->n);
  return cudaSuccess;
}
static cudaError_t symbol_copy_async(rt_operation *run, struct symbol_copy c, cudaStream_t s) {
  return rt_enqueue(s, cudaGraphNodeTypeMemcpy, run, &c, sizeof c);
}
static cudaError_t symbol_copy_node(rt_operation *run, struct symbol_copy c, cudaGraphNode_t *out, cudaGraph_t g,
                                    struct node_list after) {
  return graph_add_operation(out, g, after, cudaGraphNodeTypeMemcpy, run, &c, sizeof c);
}

API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t n, size_t offset, unsigned kind) {
  return RT_CALL(rt_enqueue_sync(to_symbol_run, &(struct symbol_copy){symbol, src, n, offset, kind}));
}
API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t n, size_t offset, unsigned kind,
                                        cudaStream_t s) {
  return RT_CALL(symbol_copy_async(to_symbol_run, (struct symbol_copy){symbol, src, n, offset, kind}, s));
}
PER_THREAD_SYNC(cudaMemcpyToSymbol, (const void *symbol, const void *src, size_t n, size_t offset, unsigned kind),
                (symbol, src, n, offset, kind))
PER_THREAD(cudaMemcpyToSymbolAsync,
           (const void *symbol, const void *src, size_t n, size_t offset, unsigned kind, cudaStream_t s),
           (symbol, src, n, offset, kind, OWN_STREAM(s)))
API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep,
                                               size_t deps, const void *symbol, const void *src, size_t n,
                                               size_t offset, unsigned kind) {
  return RT_CALL(symbol_copy_node(to_symbol_run, (struct symbol_copy){symbol, src, n, offset, kind}, out, g,
                                  (struct node_list){dep, deps}));
}

API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t n, size_t offset, unsigned kind) {
  return RT_CALL(rt_enqueue_sync(from_symbol_run, &(struct symbol_copy){symbol, dst, n, offset, kind}));
}
API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t n, size_t offset, unsigned kind,
                                          cudaStream_t s) {
  return RT_CALL(symbol_copy_async(from_symbol_run, (struct symbol_copy){symbol, dst, n, offset, kind}, s));
}
PER_THREAD_SYNC(cudaMemcpyFromSymbol, (void *dst, const void *symbol, size_t n, size_t offset, unsigned kind),
                (dst, symbol, n, offset, kind))
PER_THREAD(cudaMemcpyFromSymbolAsync,
           (void *dst, const void *symbol, size_t n, size_t offset, unsigned kind, cudaStream_t s),
           (dst, symbol, n, offset, kind, OWN_STREAM(s)))
API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep,
                                                 size_t deps, void *dst, const void *symbol, size_t n, size_t offset,
                                                 unsigned kind) {
  return RT_CALL(symbol_copy_node(from_symbol_run, (struct symbol_copy){symbol, dst, n, offset, kind}, out, g,
                                  (struct node_list){dep, deps}));
}
