/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the device, by the host's addresses of them. */
#include <string.h>

#include "cudart/bytes.h"

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

/* A copy's other side; `wrong` is the direction that this call does not have. */
static cudaError_t other_side(unsigned kind, unsigned wrong, enum side *out) {
  if (kind > cudaMemcpyDefault || kind == wrong || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  *out = kind == cudaMemcpyDefault ? SIDE_ANY : kind == cudaMemcpyDeviceToDevice ? SIDE_DEVICE : SIDE_HOST;
  return cudaSuccess;
}

static cudaError_t to_symbol(const void *symbol, const void *src, size_t n, size_t offset, unsigned kind,
                             cudaStream_t s) {
  enum side from;
  uint8_t *d = NULL;
  cudaError_t e = rt_stream(s);
  if (!e) e = other_side(kind, cudaMemcpyDeviceToHost, &from);
  if (e || !n) return e;
  e = variable_bytes(symbol, n, offset, &d);
  if (e || !d) return e;
  const uint8_t *b = rt_bytes(src, n, from);
  if (!b) return rt_no_bytes("source", src, n, from);
  memmove(d, b, n);
  return cudaSuccess;
}
API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t n, size_t offset, unsigned kind) {
  return RT_CALL(to_symbol(symbol, src, n, offset, kind, NULL));
}
API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t n, size_t offset, unsigned kind,
                                        cudaStream_t s) {
  return RT_CALL(to_symbol(symbol, src, n, offset, kind, s));
}
ALIAS(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds)
ALIAS(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz)

static cudaError_t from_symbol(void *dst, const void *symbol, size_t n, size_t offset, unsigned kind, cudaStream_t s) {
  enum side to;
  uint8_t *b = NULL;
  cudaError_t e = rt_stream(s);
  if (!e) e = other_side(kind, cudaMemcpyHostToDevice, &to);
  if (e || !n) return e;
  e = variable_bytes(symbol, n, offset, &b);
  if (e || !b) return e;
  uint8_t *d = rt_bytes(dst, n, to);
  if (!d) return rt_no_bytes("destination", dst, n, to);
  memmove(d, b, n);
  return cudaSuccess;
}
API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t n, size_t offset, unsigned kind) {
  return RT_CALL(from_symbol(dst, symbol, n, offset, kind, NULL));
}
API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t n, size_t offset, unsigned kind,
                                          cudaStream_t s) {
  return RT_CALL(from_symbol(dst, symbol, n, offset, kind, s));
}
ALIAS(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds)
ALIAS(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz)
