/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in three dimensions, of linear memory and of arrays. */
#include "host/cudart/copy3d.h"

#include <string.h>

#include "host/cudart/array.h"
#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"

struct box { /* the linear side of a copy */
  uint8_t *at;
  size_t pitch, slice; /* bytes from row to row, from plane to plane */
};

/* *first: offset of the first byte from p->ptr; *whole: bytes from there to the last one. */
static cudaError_t copy3d_measure(const cudaPitchedPtr *p, const cudaPos *pos, const cudaExtent *x, size_t *first,
                                  size_t *whole) {
  size_t slice, offset, right, last;
  if (__builtin_add_overflow(pos->x, x->width, &right)) return cudaErrorInvalidValue;
  if (right > p->pitch) return cudaErrorInvalidPitchValue;
  if (x->depth > 1 && (pos->y > p->ysize || x->height > p->ysize - pos->y)) return cudaErrorInvalidValue;
  if (__builtin_mul_overflow(p->pitch, p->ysize, &slice)) return cudaErrorInvalidValue;
  if (__builtin_mul_overflow(slice, pos->z, first) || __builtin_mul_overflow(p->pitch, pos->y, &offset) ||
      __builtin_add_overflow(*first, offset, first) || __builtin_add_overflow(*first, pos->x, first))
    return cudaErrorInvalidValue;
  if (__builtin_mul_overflow(slice, x->depth - 1, whole) || __builtin_mul_overflow(p->pitch, x->height - 1, &last) ||
      __builtin_add_overflow(*whole, last, whole) || __builtin_add_overflow(*whole, x->width, whole))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

static cudaError_t copy3d_find(const char *what, const cudaPitchedPtr *p, const cudaPos *pos, const cudaExtent *x,
                               enum side side, struct box *out) {
  size_t first, whole;
  cudaError_t e = copy3d_measure(p, pos, x, &first, &whole);
  if (e) return e;
  if (!p->ptr || (uintptr_t)p->ptr + first < first) return cudaErrorInvalidValue;
  *out = (struct box){rt_bytes((uint8_t *)p->ptr + first, whole, side), p->pitch, p->pitch * p->ysize};
  return out->at ? cudaSuccess : rt_no_bytes(what, (uint8_t *)p->ptr + first, whole, side);
}

/* ---- arrays ---- */

/* The box of an array; x in texels. */
static cudaError_t box_in(const struct array *a, const cudaPos *pos, const cudaExtent *x, struct texel_box *out) {
  const cudaExtent all = rt_array_texels(a);
  if (pos->x > all.width || x->width > all.width - pos->x || pos->y > all.height || x->height > all.height - pos->y ||
      pos->z > all.depth || x->depth > all.depth - pos->z)
    return rt_error(cudaErrorInvalidValue, rt_call(),
                    "found %zu x %zu x %zu texels from (%zu, %zu, %zu) on, expected a part of the array's %zu x %zu x "
                    "%zu",
                    x->width, x->height, x->depth, pos->x, pos->y, pos->z, all.width, all.height, all.depth);
  *out = (struct texel_box){.x = (uint32_t)pos->x,
                            .y = (uint32_t)pos->y,
                            .z = (uint32_t)pos->z,
                            .w = (uint32_t)x->width,
                            .h = (uint32_t)x->height,
                            .d = (uint32_t)x->depth};
  return cudaSuccess;
}

/* The linear side of a copy whose other side is the array. */
static cudaError_t rows_for(const char *what, const struct array *a, const cudaPitchedPtr *p, const cudaPos *pos,
                            const cudaExtent *x, enum side side, struct texel_rows *out) {
  struct box b;
  const cudaExtent bytes = {x->width * rt_texel_bytes(a), x->height, x->depth};
  cudaError_t e = copy3d_find(what, p, pos, &bytes, side, &b);
  if (!e) *out = (struct texel_rows){b.at, b.pitch, b.slice};
  return e;
}

static cudaError_t copy_arrays(const cudaMemcpy3DParms *p, enum side to, enum side from, bool check) {
  const struct array *d = rt_array(p->dstArray), *s = rt_array(p->srcArray);
  const cudaExtent *x = &p->extent;
  struct texel_box db = {0}, sb = {0};
  struct texel_rows rows;
  if ((p->dstArray && !d) || (p->srcArray && !s))
    return rt_error(cudaErrorInvalidValue, rt_call(), "found no array, or one that was freed");
  if ((p->dstArray && (p->dstPtr.ptr || to == SIDE_HOST)) || (p->srcArray && (p->srcPtr.ptr || from == SIDE_HOST)))
    return cudaErrorInvalidValue;
  cudaError_t e = d ? box_in(d, &p->dstPos, x, &db) : cudaSuccess;
  if (!e && s) e = box_in(s, &p->srcPos, x, &sb);
  if (e) return e;
  if (d && s) return check ? cudaSuccess : rt_array_move(d, &db, s, &sb);
  e = d ? rows_for("source", d, &p->srcPtr, &p->srcPos, x, from, &rows)
        : rows_for("destination", s, &p->dstPtr, &p->dstPos, x, to, &rows);
  if (e || check) return e;
  return d ? rt_array_write(d, &db, &rows) : rt_array_read(s, &sb, &rows);
}

/* ---- calls ---- */

static cudaError_t copy_box_run(const void *args, bool check) {
  const cudaMemcpy3DParms *p = args;
  enum side to, from;
  struct box d, b;
  cudaError_t e = rt_sides(p->kind, &to, &from);
  if (e) return e;
  const cudaExtent *x = &p->extent;
  if (!x->width || !x->height || !x->depth) return cudaSuccess;
  if (p->srcArray || p->dstArray) return copy_arrays(p, to, from, check);
  e = copy3d_find("destination", &p->dstPtr, &p->dstPos, x, to, &d);
  if (!e) e = copy3d_find("source", &p->srcPtr, &p->srcPos, x, from, &b);
  if (e) return e;
  for (size_t z = 0; !check && z < x->depth; z++)
    for (size_t y = 0; y < x->height; y++)
      memmove(d.at + z * d.slice + y * d.pitch, b.at + z * b.slice + y * b.pitch, x->width);
  return cudaSuccess;
}
static cudaError_t copy_box_sync(const cudaMemcpy3DParms *p) {
  return p ? rt_enqueue_sync(copy_box_run, p) : cudaErrorInvalidValue;
}
static cudaError_t copy_box_async(const cudaMemcpy3DParms *p, cudaStream_t s) {
  if (!p) return capture_failed(s, cudaErrorInvalidValue);
  return rt_enqueue(s, cudaGraphNodeTypeMemcpy, copy_box_run, p, sizeof *p);
}
API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) { return RT_CALL(copy_box_sync(p)); }
API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t s) { return RT_CALL(copy_box_async(p, s)); }
PER_THREAD_SYNC(cudaMemcpy3D, (const cudaMemcpy3DParms *p), (p))
PER_THREAD(cudaMemcpy3DAsync, (const cudaMemcpy3DParms *p, cudaStream_t s), (p, OWN_STREAM(s)))

cudaError_t rt_add_copy_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after, const cudaMemcpy3DParms *p) {
  if (!p) return cudaErrorInvalidValue;
  return graph_add_operation(out, g, after, cudaGraphNodeTypeMemcpy, copy_box_run, p, sizeof *p);
}
API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                       const cudaMemcpy3DParms *p) {
  return RT_CALL(rt_add_copy_node(out, g, (struct node_list){dep, n}, p));
}

static cudaError_t copy_box_of_peers(const cudaMemcpy3DPeerParms *p, cudaMemcpy3DParms *out) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcDevice || p->dstDevice) return cudaErrorInvalidDevice;
  *out = (cudaMemcpy3DParms){p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                             p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
  return cudaSuccess;
}
static cudaError_t copy_peers_sync(const cudaMemcpy3DPeerParms *p) {
  cudaMemcpy3DParms q;
  cudaError_t e = copy_box_of_peers(p, &q);
  return e ? e : copy_box_sync(&q);
}
static cudaError_t copy_peers_async(const cudaMemcpy3DPeerParms *p, cudaStream_t s) {
  cudaMemcpy3DParms q;
  cudaError_t e = copy_box_of_peers(p, &q);
  return e ? capture_failed(s, e) : copy_box_async(&q, s);
}
API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) { return RT_CALL(copy_peers_sync(p)); }
API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t s) {
  return RT_CALL(copy_peers_async(p, s));
}
PER_THREAD_SYNC(cudaMemcpy3DPeer, (const cudaMemcpy3DPeerParms *p), (p))
PER_THREAD(cudaMemcpy3DPeerAsync, (const cudaMemcpy3DPeerParms *p, cudaStream_t s), (p, OWN_STREAM(s)))
