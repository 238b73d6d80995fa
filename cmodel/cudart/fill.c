/* SPDX-License-Identifier: Apache-2.0 */
/* cudaMemset in one, two and three dimensions: the low byte of a value, in device memory. */
#include <string.h>

#include "cudart/bytes.h"

static cudaError_t fill(void *p, int value, size_t n, cudaStream_t s) {
  cudaError_t e = rt_stream(s);
  if (e || !n) return e;
  uint8_t *at = rt_bytes(p, n, SIDE_DEVICE);
  if (!at) return rt_no_bytes("destination", p, n, SIDE_DEVICE);
  memset(at, value, n);
  return cudaSuccess;
}
API cudaError_t cudaMemset(void *p, int value, size_t n) { return RT_CALL(fill(p, value, n, NULL)); }
API cudaError_t cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s) { return RT_CALL(fill(p, value, n, s)); }
ALIAS(cudaMemset, cudaMemset_ptds)
ALIAS(cudaMemsetAsync, cudaMemsetAsync_ptsz)

/* Planes of p.ysize rows of p.pitch bytes; width in bytes. */
static cudaError_t fill_box(cudaPitchedPtr p, int value, cudaExtent x, cudaStream_t s) {
  size_t slice, before, whole;
  cudaError_t e = rt_stream(s);
  if (e || !x.width || !x.height || !x.depth) return e;
  if (x.width > p.pitch && (x.height > 1 || x.depth > 1)) return cudaErrorInvalidPitchValue;
  if (x.depth > 1 && x.height > p.ysize) return cudaErrorInvalidValue;
  if (__builtin_mul_overflow(p.pitch, p.ysize, &slice) || __builtin_mul_overflow(slice, x.depth - 1, &before))
    return cudaErrorInvalidValue;
  e = rt_area(p.pitch, x.width, x.height, &whole);
  if (e) return e;
  if (__builtin_add_overflow(whole, before, &whole)) return cudaErrorInvalidValue;
  uint8_t *at = rt_bytes(p.ptr, whole, SIDE_DEVICE);
  if (!at) return rt_no_bytes("destination", p.ptr, whole, SIDE_DEVICE);
  for (size_t z = 0; z < x.depth; z++)
    for (size_t y = 0; y < x.height; y++) memset(at + z * slice + y * p.pitch, value, x.width);
  return cudaSuccess;
}
API cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return RT_CALL(fill_box(p, value, extent, NULL));
}
API cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t s) {
  return RT_CALL(fill_box(p, value, extent, s));
}
ALIAS(cudaMemset3D, cudaMemset3D_ptds)
ALIAS(cudaMemset3DAsync, cudaMemset3DAsync_ptsz)

static cudaError_t fill_rows(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s) {
  cudaPitchedPtr rows = {.ptr = p, .pitch = pitch, .ysize = height};
  cudaExtent x = {width, height, 1};
  if (width > pitch && width && height) return cudaErrorInvalidPitchValue;
  return fill_box(rows, value, x, s);
}
API cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  return RT_CALL(fill_rows(p, pitch, value, width, height, NULL));
}
API cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s) {
  return RT_CALL(fill_rows(p, pitch, value, width, height, s));
}
ALIAS(cudaMemset2D, cudaMemset2D_ptds)
ALIAS(cudaMemset2DAsync, cudaMemset2DAsync_ptsz)
