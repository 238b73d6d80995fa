/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of linear memory in one and two dimensions. Ranges may overlap. */
#include <string.h>

#include "cudart/bytes.h"

static cudaError_t copy(void *dst, const void *src, size_t n, unsigned kind, cudaStream_t s) {
  enum side to, from;
  cudaError_t e = rt_stream(s);
  if (!e) e = rt_sides(kind, &to, &from);
  if (e || !n) return e;
  uint8_t *d = rt_bytes(dst, n, to);
  if (!d) return rt_no_bytes("destination", dst, n, to);
  const uint8_t *b = rt_bytes(src, n, from);
  if (!b) return rt_no_bytes("source", src, n, from);
  memmove(d, b, n);
  return cudaSuccess;
}
API cudaError_t cudaMemcpy(void *dst, const void *src, size_t n, unsigned kind) {
  return RT_CALL(copy(dst, src, n, kind, NULL));
}
API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, unsigned kind, cudaStream_t s) {
  return RT_CALL(copy(dst, src, n, kind, s));
}
ALIAS(cudaMemcpy, cudaMemcpy_ptds)
ALIAS(cudaMemcpyAsync, cudaMemcpyAsync_ptsz)

/* Device 0 is the only one. */
static cudaError_t copy_peer(void *dst, int to, const void *src, int from, size_t n, cudaStream_t s) {
  if (to || from) return cudaErrorInvalidDevice;
  return copy(dst, src, n, cudaMemcpyDefault, s);
}
API cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t n) {
  return RT_CALL(copy_peer(dst, to, src, from, n, NULL));
}
API cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t n, cudaStream_t s) {
  return RT_CALL(copy_peer(dst, to, src, from, n, s));
}

/* ---- two dimensions ---- */

struct rows {
  size_t dpitch, spitch, width, height;
};

static cudaError_t copy_rows(void *dst, const void *src, const struct rows *r, unsigned kind, cudaStream_t s) {
  enum side to, from;
  size_t dn, sn;
  cudaError_t e = rt_stream(s);
  if (!e) e = rt_sides(kind, &to, &from);
  if (e || !r->width || !r->height) return e;
  if (r->width > r->dpitch || r->width > r->spitch) return cudaErrorInvalidPitchValue;
  e = rt_area(r->dpitch, r->width, r->height, &dn);
  if (!e) e = rt_area(r->spitch, r->width, r->height, &sn);
  if (e) return e;
  uint8_t *d = rt_bytes(dst, dn, to);
  if (!d) return rt_no_bytes("destination", dst, dn, to);
  const uint8_t *b = rt_bytes(src, sn, from);
  if (!b) return rt_no_bytes("source", src, sn, from);
  for (size_t y = 0; y < r->height; y++) memmove(d + y * r->dpitch, b + y * r->spitch, r->width);
  return cudaSuccess;
}
API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                             unsigned kind) {
  return RT_CALL(copy_rows(dst, src, &(struct rows){dpitch, spitch, width, height}, kind, NULL));
}
API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                                  unsigned kind, cudaStream_t s) {
  return RT_CALL(copy_rows(dst, src, &(struct rows){dpitch, spitch, width, height}, kind, s));
}
ALIAS(cudaMemcpy2D, cudaMemcpy2D_ptds)
ALIAS(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz)
