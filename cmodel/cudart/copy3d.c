/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of linear memory in three dimensions. */
#include "cudart/copy3d.h"

#include <string.h>

#include "cudart/bytes.h"

struct box { /* one side of a copy */
  uint8_t *at;
  size_t pitch, slice; /* bytes from row to row, from plane to plane */
};

/* *first: offset of the first byte from p->ptr; *whole: bytes from there to the last one. */
static cudaError_t measure(const cudaPitchedPtr *p, const cudaPos *pos, const cudaExtent *x, size_t *first,
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

static cudaError_t find(const char *what, const cudaPitchedPtr *p, const cudaPos *pos, const cudaExtent *x,
                        enum side side, struct box *out) {
  size_t first, whole;
  cudaError_t e = measure(p, pos, x, &first, &whole);
  if (e) return e;
  if (!p->ptr || (uintptr_t)p->ptr + first < first) return cudaErrorInvalidValue;
  *out = (struct box){rt_bytes((uint8_t *)p->ptr + first, whole, side), p->pitch, p->pitch * p->ysize};
  return out->at ? cudaSuccess : rt_no_bytes(what, (uint8_t *)p->ptr + first, whole, side);
}

static cudaError_t copy(const cudaMemcpy3DParms *p, cudaStream_t s) {
  enum side to, from;
  struct box d, b;
  if (!p) return cudaErrorInvalidValue;
  cudaError_t e = rt_stream(s);
  if (!e) e = rt_sides(p->kind, &to, &from);
  if (e) return e;
  if (p->srcArray || p->dstArray) return rt_error(cudaErrorNotSupported, rt_call(), "arrays are not supported");
  const cudaExtent *x = &p->extent;
  if (!x->width || !x->height || !x->depth) return cudaSuccess;
  e = find("destination", &p->dstPtr, &p->dstPos, x, to, &d);
  if (!e) e = find("source", &p->srcPtr, &p->srcPos, x, from, &b);
  if (e) return e;
  for (size_t z = 0; z < x->depth; z++)
    for (size_t y = 0; y < x->height; y++)
      memmove(d.at + z * d.slice + y * d.pitch, b.at + z * b.slice + y * b.pitch, x->width);
  return cudaSuccess;
}
API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) { return RT_CALL(copy(p, NULL)); }
API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t s) { return RT_CALL(copy(p, s)); }
ALIAS(cudaMemcpy3D, cudaMemcpy3D_ptds)
ALIAS(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz)

static cudaError_t copy_peer(const cudaMemcpy3DPeerParms *p, cudaStream_t s) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcDevice || p->dstDevice) return cudaErrorInvalidDevice;
  cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                         p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
  return copy(&q, s);
}
API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) { return RT_CALL(copy_peer(p, NULL)); }
API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t s) {
  return RT_CALL(copy_peer(p, s));
}
ALIAS(cudaMemcpy3DPeer, cudaMemcpy3DPeer_ptds)
ALIAS(cudaMemcpy3DPeerAsync, cudaMemcpy3DPeerAsync_ptsz)
