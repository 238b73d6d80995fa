/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of linear memory in one and two dimensions. Ranges may overlap. */
#include <string.h>

#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"

struct copy {
  void *dst;
  const void *src;
  size_t n;
  unsigned kind;
};
static cudaError_t copy_run(const void *args, bool check) {
  const struct copy *c = args;
  enum side to, from;
  cudaError_t e = rt_sides(c->kind, &to, &from);
  if (e || !c->n) return e;
  uint8_t *d = rt_bytes(c->dst, c->n, to);
  if (!d) return rt_no_bytes("destination", c->dst, c->n, to);
  const uint8_t *b = rt_bytes(c->src, c->n, from);
  if (!b) return rt_no_bytes("source", c->src, c->n, from);
  if (!check) memmove(d, b, c->n);
  return cudaSuccess;
}
static cudaError_t copy_async(struct copy c, cudaStream_t s) {
  return rt_enqueue(s, cudaGraphNodeTypeMemcpy, copy_run, &c, sizeof c);
}
API cudaError_t cudaMemcpy(void *dst, const void *src, size_t n, unsigned kind) {
  return RT_CALL(rt_enqueue_sync(copy_run, &(struct copy){dst, src, n, kind}));
}
API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, unsigned kind, cudaStream_t s) {
  return RT_CALL(copy_async((struct copy){dst, src, n, kind}, s));
}
PER_THREAD_SYNC(cudaMemcpy, (void *dst, const void *src, size_t n, unsigned kind), (dst, src, n, kind))
PER_THREAD(cudaMemcpyAsync, (void *dst, const void *src, size_t n, unsigned kind, cudaStream_t s),
           (dst, src, n, kind, OWN_STREAM(s)))

static cudaError_t copy_add_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after, struct copy c) {
  return graph_add_operation(out, g, after, cudaGraphNodeTypeMemcpy, copy_run, &c, sizeof c);
}
API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t deps,
                                         void *dst, const void *src, size_t n, unsigned kind) {
  return RT_CALL(copy_add_node(out, g, (struct node_list){dep, deps}, (struct copy){dst, src, n, kind}));
}

/* Device 0 is the only one. */
API cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t n) {
  return RT_CALL(to || from ? cudaErrorInvalidDevice
                            : rt_enqueue_sync(copy_run, &(struct copy){dst, src, n, cudaMemcpyDefault}));
}
API cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t n, cudaStream_t s) {
  return RT_CALL(to || from ? capture_failed(s, cudaErrorInvalidDevice)
                            : copy_async((struct copy){dst, src, n, cudaMemcpyDefault}, s));
}

/* ---- two dimensions ---- */

struct rows {
  void *dst;
  size_t dpitch;
  const void *src;
  size_t spitch, width, height;
  unsigned kind;
};

static cudaError_t copy_rows_run(const void *args, bool check) {
  const struct rows *r = args;
  enum side to, from;
  size_t dn, sn;
  cudaError_t e = rt_sides(r->kind, &to, &from);
  if (e || !r->width || !r->height) return e;
  if (r->width > r->dpitch || r->width > r->spitch) return cudaErrorInvalidPitchValue;
  e = rt_area(r->dpitch, r->width, r->height, &dn);
  if (!e) e = rt_area(r->spitch, r->width, r->height, &sn);
  if (e) return e;
  uint8_t *d = rt_bytes(r->dst, dn, to);
  if (!d) return rt_no_bytes("destination", r->dst, dn, to);
  const uint8_t *b = rt_bytes(r->src, sn, from);
  if (!b) return rt_no_bytes("source", r->src, sn, from);
  for (size_t y = 0; !check && y < r->height; y++) memmove(d + y * r->dpitch, b + y * r->spitch, r->width);
  return cudaSuccess;
}
API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                             unsigned kind) {
  return RT_CALL(rt_enqueue_sync(copy_rows_run, &(struct rows){dst, dpitch, src, spitch, width, height, kind}));
}
API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                                  unsigned kind, cudaStream_t s) {
  const struct rows r = {dst, dpitch, src, spitch, width, height, kind};
  return RT_CALL(rt_enqueue(s, cudaGraphNodeTypeMemcpy, copy_rows_run, &r, sizeof r));
}
PER_THREAD_SYNC(cudaMemcpy2D,
                (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, unsigned kind),
                (dst, dpitch, src, spitch, width, height, kind))
PER_THREAD(cudaMemcpy2DAsync,
           (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, unsigned kind,
            cudaStream_t s),
           (dst, dpitch, src, spitch, width, height, kind, OWN_STREAM(s)))
