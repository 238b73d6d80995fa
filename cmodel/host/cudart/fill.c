/* SPDX-License-Identifier: Apache-2.0 */
/* cudaMemset in one, two and three dimensions: the low byte of a value, in device memory; nodes of graphs also write words. */
#include <string.h>

#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"

struct fill { /* planes of at.ysize rows of at.pitch bytes */
  cudaPitchedPtr at;
  cudaExtent extent;       /* width in bytes */
  unsigned value, element; /* element: 1, 2 or 4 bytes, the low ones of value */
};

static void fill_row(uint8_t *row, const struct fill *f) {
  if (f->element == 1) memset(row, (int)f->value, f->extent.width);
  else
    for (size_t i = 0; i < f->extent.width; i += f->element) memcpy(row + i, &f->value, f->element);
}

static cudaError_t fill_run(const void *args, bool check) {
  const struct fill *f = args;
  const cudaPitchedPtr *p = &f->at;
  const cudaExtent *x = &f->extent;
  size_t slice, before, whole;
  if (!x->width || !x->height || !x->depth) return cudaSuccess;
  if (x->width > p->pitch && (x->height > 1 || x->depth > 1)) return cudaErrorInvalidPitchValue;
  if (x->depth > 1 && x->height > p->ysize) return cudaErrorInvalidValue;
  if (__builtin_mul_overflow(p->pitch, p->ysize, &slice) || __builtin_mul_overflow(slice, x->depth - 1, &before))
    return cudaErrorInvalidValue;
  cudaError_t e = rt_area(p->pitch, x->width, x->height, &whole);
  if (e) return e;
  if (__builtin_add_overflow(whole, before, &whole)) return cudaErrorInvalidValue;
  uint8_t *at = rt_bytes(p->ptr, whole, SIDE_DEVICE);
  if (!at) return rt_no_bytes("destination", p->ptr, whole, SIDE_DEVICE);
  for (size_t z = 0; !check && z < x->depth; z++)
    for (size_t y = 0; y < x->height; y++) fill_row(at + z * slice + y * p->pitch, f);
  return cudaSuccess;
}

static cudaError_t fill_async(struct fill f, cudaStream_t s) {
  return rt_enqueue(s, cudaGraphNodeTypeMemset, fill_run, &f, sizeof f);
}
static cudaError_t fill_sync(struct fill f) { return rt_enqueue_sync(fill_run, &f); }

static struct fill fill_linear(void *p, int value, size_t n) {
  return (struct fill){{.ptr = p, .pitch = n, .ysize = 1}, {n, 1, 1}, (unsigned)value, 1};
}
API cudaError_t cudaMemset(void *p, int value, size_t n) { return RT_CALL(fill_sync(fill_linear(p, value, n))); }
API cudaError_t cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s) {
  return RT_CALL(fill_async(fill_linear(p, value, n), s));
}
PER_THREAD_SYNC(cudaMemset, (void *p, int value, size_t n), (p, value, n))
PER_THREAD(cudaMemsetAsync, (void *p, int value, size_t n, cudaStream_t s), (p, value, n, OWN_STREAM(s)))

API cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return RT_CALL(fill_sync((struct fill){p, extent, (unsigned)value, 1}));
}
API cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t s) {
  return RT_CALL(fill_async((struct fill){p, extent, (unsigned)value, 1}, s));
}
PER_THREAD_SYNC(cudaMemset3D, (cudaPitchedPtr p, int value, cudaExtent extent), (p, value, extent))
PER_THREAD(cudaMemset3DAsync, (cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t s),
           (p, value, extent, OWN_STREAM(s)))

/* Rows of which even one must fit in the pitch. */
static cudaError_t fill_rows(void *p, size_t pitch, int value, size_t width, size_t height, struct fill *out) {
  *out = (struct fill){{.ptr = p, .pitch = pitch, .ysize = height}, {width, height, 1}, (unsigned)value, 1};
  return width > pitch && width && height ? cudaErrorInvalidPitchValue : cudaSuccess;
}
static cudaError_t fill_rows_sync(void *p, size_t pitch, int value, size_t width, size_t height) {
  struct fill f;
  cudaError_t e = fill_rows(p, pitch, value, width, height, &f);
  return e ? e : fill_sync(f);
}
static cudaError_t fill_rows_async(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s) {
  struct fill f;
  cudaError_t e = fill_rows(p, pitch, value, width, height, &f);
  return e ? capture_failed(s, e) : fill_async(f, s);
}
API cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  return RT_CALL(fill_rows_sync(p, pitch, value, width, height));
}
API cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s) {
  return RT_CALL(fill_rows_async(p, pitch, value, width, height, s));
}
PER_THREAD_SYNC(cudaMemset2D, (void *p, size_t pitch, int value, size_t width, size_t height),
                (p, pitch, value, width, height))
PER_THREAD(cudaMemset2DAsync, (void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s),
           (p, pitch, value, width, height, OWN_STREAM(s)))

cudaError_t rt_add_fill_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after, const cudaMemsetParams *p) {
  size_t width;
  if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) ||
      __builtin_mul_overflow(p->width, (size_t)p->elementSize, &width) || (uintptr_t)p->dst % p->elementSize ||
      (p->height > 1 && p->pitch % p->elementSize))
    return cudaErrorInvalidValue;
  const struct fill f = {{.ptr = p->dst, .pitch = p->height > 1 ? p->pitch : width, .ysize = p->height},
                         {width, p->height, 1},
                         p->value,
                         p->elementSize};
  return graph_add_operation(out, g, after, cudaGraphNodeTypeMemset, fill_run, &f, sizeof f);
}
API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                       const cudaMemsetParams *p) {
  return RT_CALL(rt_add_fill_node(out, g, (struct node_list){dep, n}, p));
}
