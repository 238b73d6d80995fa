/* SPDX-License-Identifier: Apache-2.0 */
/* reference: see reference.h. Later versions than 11 know no references: their programs register none. */
#include "host/cudart/reference.h"

#if CUDART_VERSION < 12000

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "host/cudart/texture.h"

struct reference {
  const void *host;
  const char *name;
  struct binary *binary;
  enum handle_kind kind;
  bool normalized;     /* the read mode */
  unsigned generation; /* of the session in which it was bound; 0: not bound */
  struct texture image;
  uint64_t said; /* what the host's variable said then: a hash of it */
  uint64_t handle;
};
static struct {
  struct reference **reference;
  unsigned n, cap;
} all;

static bool is_bound(const struct reference *r) { return r->generation && r->generation == rt_generation(); }

void rt_add_reference(struct binary *b, const void *host, const char *name, enum handle_kind kind, bool normalized) {
  struct reference *r = xcalloc(1, sizeof *r);
  *r = (struct reference){.host = host, .name = name, .binary = b, .kind = kind, .normalized = normalized};
  VEC_PUSH(all.reference, all.n, all.cap) = r;
}

void rt_drop_references(const struct binary *b) {
  struct err e = {0};
  unsigned kept = 0;
  for (unsigned i = 0; i < all.n; i++) {
    struct reference *r = all.reference[i];
    if (r->binary != b) all.reference[kept++] = r;
    else {
      if (is_bound(r) && rt_device()) device_handle_free(rt_device(), r->handle, &e);
      free(r);
    }
  }
  all.n = kept;
}

/* By the host's variable. */
static struct reference *reference_find(const void *host, enum handle_kind kind) {
  for (unsigned i = 0; i < all.n; i++)
    if (all.reference[i]->host == host && all.reference[i]->kind == kind) return all.reference[i];
  return NULL;
}

/* ---- binding ---- */

static cudaError_t bind_handle(const struct reference *r, uint64_t handle) {
  struct device_module *m;
  struct err e = {0};
  cudaError_t error = rt_module(r->binary, &m);
  if (error) return error;
  /* nvcc leaves a reference out of the PTX that no kernel uses. */
  if (!device_find_ref(m, r->name)) return cudaSuccess;
  return rt_status(device_bind(m, r->name, handle, &e), rt_call(), &e);
}

static void reference_unbind(struct reference *r) {
  struct err e = {0};
  if (is_bound(r)) device_handle_free(rt_device(), r->handle, &e);
  r->generation = 0;
}

/* How the host's variable says that the image is read. */
static cudaError_t reference_get_sampling(const struct reference *r, struct texture *t) {
  const textureReference *h = r->host;
  cudaTextureDesc d = {.filterMode = h->filterMode,
                       .readMode = r->normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
                       .sRGB = h->sRGB,
                       .normalizedCoords = h->normalized,
                       .maxAnisotropy = h->maxAnisotropy,
                       .mipmapFilterMode = h->mipmapFilterMode,
                       .mipmapLevelBias = h->mipmapLevelBias,
                       .minMipmapLevelClamp = h->minMipmapLevelClamp,
                       .maxMipmapLevelClamp = h->maxMipmapLevelClamp};
  memcpy(d.addressMode, h->addressMode, sizeof d.addressMode);
  return rt_sampling(&d, false, t);
}

static uint64_t said_by(const struct reference *r) { return fnv1a(FNV_START, r->host, sizeof(textureReference)); }

/* The image replaces what was bound; of a texture it is read as the host's variable says. */
static cudaError_t bind_image(struct reference *r, const struct texture *image) {
  struct texture t = *image;
  struct err e = {0};
  uint64_t handle;
  const bool texture = r->kind == HANDLE_TEXTURE;
  cudaError_t error = texture ? reference_get_sampling(r, &t) : cudaSuccess;
  if (!error)
    error =
        rt_status(texture ? device_texture(rt_device(), &t, &handle, &e) : device_surface(rt_device(), &t, &handle, &e),
                  rt_call(), &e);
  if (error) return error;
  const struct texture kept = *image; /* which may be r's own */
  reference_unbind(r);
  r->image = kept;
  r->said = texture ? said_by(r) : 0;
  r->handle = handle;
  r->generation = rt_generation();
  return bind_handle(r, handle);
}

cudaError_t rt_refresh_references(struct binary *b) {
  for (unsigned i = 0; i < all.n; i++) {
    struct reference *r = all.reference[i];
    if (r->binary != b || !is_bound(r) || r->kind != HANDLE_TEXTURE || r->said == said_by(r)) continue;
    cudaError_t e = bind_image(r, &r->image);
    if (e) return e;
  }
  return cudaSuccess;
}

/* ---- calls ---- */

static cudaError_t bind_resource(const void *host, const cudaResourceDesc *d) {
  struct reference *r = reference_find(host, HANDLE_TEXTURE);
  struct texture t;
  if (!r) return rt_error(cudaErrorInvalidTexture, rt_call(), "no fat binary has a texture reference of this address");
  cudaError_t e = rt_resource(d, &t);
  return e ? e : bind_image(r, &t);
}

/* Bytes from p to the end of its buffer. */
static size_t bytes_from(const void *p) {
  uint32_t base, bytes;
  return device_span(rt_device(), (uintptr_t)p, &base, &bytes) ? bytes - ((uintptr_t)p - base) : 0;
}

static cudaError_t bind_linear(size_t *offset, const textureReference *host, void *p, const cudaChannelFormatDesc *desc,
                               size_t bytes) {
  if (!host || !desc) return cudaErrorInvalidValue;
  if (bytes >= UINT_MAX) bytes = bytes_from(p); /* the default of the C++ form: all that is there */
  const cudaResourceDesc d = {.resType = cudaResourceTypeLinear,
                              .res.linear = {.devPtr = p, .desc = *desc, .sizeInBytes = bytes}};
  if (offset) *offset = 0; /* textures begin at any texel */
  return bind_resource(host, &d);
}
API cudaError_t cudaBindTexture(size_t *offset, const textureReference *host, void *p,
                                const cudaChannelFormatDesc *desc, size_t bytes) {
  return RT_CALL(bind_linear(offset, host, p, desc, bytes));
}

static cudaError_t bind_rows(size_t *offset, const textureReference *host, const struct resource_pitch *rows) {
  const cudaResourceDesc d = {.resType = cudaResourceTypePitch2D, .res.pitch2D = *rows};
  if (!host) return cudaErrorInvalidValue;
  if (offset) *offset = 0;
  return bind_resource(host, &d);
}
API cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *host, void *p,
                                  const cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
  return RT_CALL(desc ? bind_rows(offset, host, &(struct resource_pitch){p, *desc, width, height, pitch})
                      : cudaErrorInvalidValue);
}

static cudaError_t bind_array(const textureReference *host, const cudaResourceDesc *d,
                              const cudaChannelFormatDesc *desc) {
  return host && desc ? bind_resource(host, d) : cudaErrorInvalidValue;
}
API cudaError_t cudaBindTextureToArray(const textureReference *host, cudaArray_t a, const cudaChannelFormatDesc *desc) {
  return RT_CALL(bind_array(host, &(cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array = a}, desc));
}
API cudaError_t cudaBindTextureToMipmappedArray(const textureReference *host, cudaMipmappedArray_t a,
                                                const cudaChannelFormatDesc *desc) {
  return RT_CALL(
      bind_array(host, &(cudaResourceDesc){.resType = cudaResourceTypeMipmappedArray, .res.mipmap = a}, desc));
}

static cudaError_t bind_surface(const surfaceReference *host, cudaArray_t a, const cudaChannelFormatDesc *desc) {
  struct reference *r = reference_find(host, HANDLE_SURFACE);
  struct texture t;
  if (!desc) return cudaErrorInvalidValue;
  if (!r) return rt_error(cudaErrorInvalidSurface, rt_call(), "no fat binary has a surface reference of this address");
  cudaError_t e = rt_surface(a, &t);
  return e ? e : bind_image(r, &t);
}
API cudaError_t cudaBindSurfaceToArray(const surfaceReference *host, cudaArray_t a, const cudaChannelFormatDesc *desc) {
  return RT_CALL(bind_surface(host, a, desc));
}

static cudaError_t unbind_texture(const textureReference *host) {
  struct reference *r = reference_find(host, HANDLE_TEXTURE);
  if (!r) return cudaErrorInvalidTexture;
  if (!is_bound(r)) return cudaSuccess;
  reference_unbind(r);
  return bind_handle(r, 0);
}
API cudaError_t cudaUnbindTexture(const textureReference *host) { return RT_CALL(unbind_texture(host)); }

static cudaError_t reference_get_offset(size_t *out, const textureReference *host) {
  const struct reference *r = reference_find(host, HANDLE_TEXTURE);
  if (!out) return cudaErrorInvalidValue;
  if (!r) return cudaErrorInvalidTexture;
  if (!is_bound(r)) return cudaErrorInvalidTextureBinding;
  *out = 0;
  return cudaSuccess;
}
API cudaError_t cudaGetTextureAlignmentOffset(size_t *out, const textureReference *host) {
  return RT_CALL(reference_get_offset(out, host));
}

static cudaError_t reference_get(const void **out, const void *symbol, enum handle_kind kind) {
  if (!out) return cudaErrorInvalidValue;
  if (!reference_find(symbol, kind)) return kind == HANDLE_TEXTURE ? cudaErrorInvalidTexture : cudaErrorInvalidSurface;
  *out = symbol;
  return cudaSuccess;
}
API cudaError_t cudaGetTextureReference(const void **out, const void *symbol) {
  return RT_CALL(reference_get(out, symbol, HANDLE_TEXTURE));
}
API cudaError_t cudaGetSurfaceReference(const void **out, const void *symbol) {
  return RT_CALL(reference_get(out, symbol, HANDLE_SURFACE));
}

#else

void rt_add_reference(struct binary *b, const void *host, const char *name, enum handle_kind kind, bool normalized) {
  (void)b, (void)host, (void)name, (void)kind, (void)normalized;
}
void rt_drop_references(const struct binary *b) { (void)b; }
cudaError_t rt_refresh_references(struct binary *b) {
  (void)b;
  return cudaSuccess;
}

#endif
