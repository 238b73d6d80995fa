/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays: allocated, described, freed. */
#include "host/cudart/array.h"

#include <stdlib.h>

#include "host/cudart/capture.h"
#include "host/cudart/handle.h"

static struct handles arrays = {.tag = HANDLE_ARRAY}, mipmapped = {.tag = HANDLE_MIPMAPPED};

struct array *rt_array(cudaArray_t a) {
  return handle_get(&arrays, a);
}
struct array *rt_mipmapped(cudaMipmappedArray_t a) {
  return handle_get(&mipmapped, a);
}

/* ---- texels ---- */

/* The type of a channel; T_NONE: none. */
static enum dtype array_channel_type(int bits, int kind) {
  static const enum dtype of[3][3] = {{T_S8, T_S16, T_S32}, {T_U8, T_U16, T_U32}, {T_NONE, T_F16, T_F32}};
  if (kind < cudaChannelFormatKindSigned || kind > cudaChannelFormatKindFloat) return T_NONE;
  return bits == 8 ? of[kind][0] : bits == 16 ? of[kind][1] : bits == 32 ? of[kind][2] : T_NONE;
}

/* 1, 2 or 4 components of the same width; 0: others. */
static unsigned array_channels_of(const cudaChannelFormatDesc *d) {
  if (!d->y && !d->z && !d->w) return 1;
  if (d->y != d->x) return 0;
  if (!d->z && !d->w) return 2;
  return d->z == d->x && d->w == d->x ? 4 : 0;
}

cudaError_t rt_format(const cudaChannelFormatDesc *d, struct texture *out) {
  int kind = d->f;
  if (kind == cudaChannelFormatKindNV12 || kind >= cudaChannelFormatKindUnsignedBlockCompressed1)
    return rt_error(cudaErrorNotSupported, rt_call(),
                    "found the channel format %d: planes and compressed blocks are not supported", kind);
  bool normalized =
      kind >= cudaChannelFormatKindUnsignedNormalized8X1 && kind <= cudaChannelFormatKindSignedNormalized16X4;
  if (normalized)
    kind =
        kind < cudaChannelFormatKindSignedNormalized8X1 ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindSigned;
  enum dtype type = array_channel_type(d->x, kind);
  unsigned channels = array_channels_of(d);
  if (type == T_NONE || !channels)
    return rt_error(cudaErrorInvalidChannelDescriptor, rt_call(),
                    "found components of %d, %d, %d, %d bits of kind %d, expected 1, 2 or 4 of 8, 16 or 32 bits each, "
                    "floats of 16 or 32",
                    d->x, d->y, d->z, d->w, d->f);
  static const uint8_t order[5] = {0, ORDER_R, ORDER_RG, 0, ORDER_RGBA};
  out->type = (uint8_t)type;
  out->channels = (uint8_t)channels;
  out->order = order[channels];
  out->normalized_values = normalized;
  return cudaSuccess;
}

/* ---- allocation ---- */

static cudaError_t array_bad_extent(const cudaExtent *x, unsigned flags, const char *expected) {
  return rt_error(cudaErrorInvalidValue, rt_call(), "found an extent of %zu x %zu x %zu with flags 0x%x, expected %s",
                  x->width, x->height, x->depth, flags, expected);
}

/* What an extent and its flags mean. */
static cudaError_t array_set_shape(const cudaExtent *x, unsigned flags, struct texture *t) {
  const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
  if (!x->width || x->width > UINT32_MAX || x->height > UINT32_MAX || x->depth > UINT32_MAX)
    return array_bad_extent(x, flags, "at least one texel, and sizes that a texture can have");
  t->width = (uint32_t)x->width;
  t->height = x->height ? (uint32_t)x->height : 1;
  t->depth = t->layers = 1;
  if (cube) {
    if (x->width != x->height || !x->depth || x->depth % 6 || (x->depth != 6 && !layered))
      return array_bad_extent(x, flags, "of a cubemap a square and a depth of 6, of a layered one 6 for each cube");
    t->geom = layered ? GEOM_ACUBE : GEOM_CUBE;
    t->layers = (uint32_t)x->depth;
  } else if (layered) {
    if (!x->depth) return array_bad_extent(x, flags, "a depth, which is the number of layers");
    t->geom = x->height ? GEOM_A2D : GEOM_A1D;
    t->layers = (uint32_t)x->depth;
  } else {
    if (x->depth && !x->height) return array_bad_extent(x, flags, "a height, since there is a depth");
    t->geom = x->depth ? GEOM_3D : x->height ? GEOM_2D : GEOM_1D;
    t->depth = x->depth ? (uint32_t)x->depth : 1;
  }
  return cudaSuccess;
}

static cudaError_t array_check_flags(unsigned flags, const struct texture *t) {
  enum { KNOWN = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather };
  if (flags & (cudaArraySparse | cudaArrayDeferredMapping))
    return rt_error(cudaErrorNotSupported, rt_call(),
                    "sparse arrays and those that are mapped later are not supported");
  if (flags & ~(unsigned)(KNOWN | 0x20)) return cudaErrorInvalidValue; /* 0x20: cudaArrayColorAttachment */
  if ((flags & cudaArrayTextureGather) && t->geom != GEOM_2D)
    return rt_error(cudaErrorInvalidValue, rt_call(), "cudaArrayTextureGather is for two-dimensional arrays");
  return cudaSuccess;
}

/* *out: what the caller frees, or hands over to handle_new. */
static cudaError_t array_make(const cudaChannelFormatDesc *desc, cudaExtent extent, unsigned levels, unsigned flags,
                              struct array **out) {
  struct array a = {.desc = *desc, .extent = extent, .flags = flags};
  struct texture *t = &a.image;
  struct err e = {0};
  cudaError_t error = rt_format(desc, t);
  if (!error) error = array_set_shape(&extent, flags, t);
  if (!error) error = array_check_flags(flags, t);
  if (error) return error;
  t->layout = TEX_BLOCK;
  const unsigned most = texture_most_levels(t);
  t->levels = (uint8_t)(levels < most ? levels : most);
  error = rt_status(device_array(rt_device(), t, &e), rt_call(), &e);
  if (error) return error;
  *out = xcalloc(1, sizeof a);
  **out = a;
  return cudaSuccess;
}

static cudaError_t array_give_handle(struct handles *h, struct array *a, void **out) {
  *out = handle_new(h, a);
  if (*out) return cudaSuccess;
  struct err e = {0};
  if (!a->is_level) device_free(rt_device(), a->image.addr, &e);
  free(a);
  return cudaErrorMemoryAllocation;
}

static cudaError_t allocate_array(cudaArray_t *out, const cudaChannelFormatDesc *desc, cudaExtent x, unsigned flags) {
  struct array *a;
  if (!out || !desc) return cudaErrorInvalidValue;
  cudaError_t e = array_make(desc, x, 1, flags, &a);
  return e ? e : array_give_handle(&arrays, a, out);
}
API cudaError_t cudaMallocArray(cudaArray_t *out, const cudaChannelFormatDesc *desc, size_t width, size_t height,
                                unsigned flags) {
  return RT_UNSAFE(flags & (cudaArrayLayered | cudaArrayCubemap)
                       ? cudaErrorInvalidValue
                       : allocate_array(out, desc, (cudaExtent){width, height, 0}, flags));
}
API cudaError_t cudaMalloc3DArray(cudaArray_t *out, const cudaChannelFormatDesc *desc, cudaExtent x, unsigned flags) {
  return RT_UNSAFE(allocate_array(out, desc, x, flags));
}

static cudaError_t allocate_mipmapped(cudaMipmappedArray_t *out, const cudaChannelFormatDesc *desc, cudaExtent x,
                                      unsigned levels, unsigned flags) {
  struct array *a;
  if (!out || !desc || !levels) return cudaErrorInvalidValue;
  cudaError_t e = array_make(desc, x, levels, flags, &a);
  return e ? e : array_give_handle(&mipmapped, a, out);
}
API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out, const cudaChannelFormatDesc *desc, cudaExtent x,
                                         unsigned levels, unsigned flags) {
  return RT_UNSAFE(allocate_mipmapped(out, desc, x, levels, flags));
}

/* ---- levels ---- */

void rt_image_level(struct texture *t, unsigned level) {
  const uint32_t end = level + 1 < t->levels ? t->level_at[level + 1] : t->bytes;
  t->addr += t->level_at[level];
  t->bytes = end - t->level_at[level];
  t->level_at[0] = 0;
  t->levels = 1;
  t->width = texture_level_size(t->width, level);
  t->height = texture_level_size(t->height, level);
  t->depth = texture_level_size(t->depth, level);
}

static size_t halved_extent(size_t n, unsigned level) { return n ? texture_level_size((uint32_t)n, level) : 0; }

static cudaError_t array_get_level(cudaArray_t *out, cudaMipmappedArray_t of, unsigned level) {
  struct array *m = rt_mipmapped(of);
  if (!out) return cudaErrorInvalidValue;
  if (!m) return cudaErrorInvalidResourceHandle;
  if (level >= m->image.levels)
    return rt_error(cudaErrorInvalidValue, rt_call(), "found level %u, expected 0 to %u", level, m->image.levels - 1);
  *out = m->level[level];
  if (*out) return cudaSuccess;
  const bool volume = m->image.geom == GEOM_3D;
  struct array *a = xcalloc(1, sizeof *a);
  *a = (struct array){.image = m->image, .desc = m->desc, .flags = m->flags, .is_level = true};
  a->extent = (cudaExtent){halved_extent(m->extent.width, level), halved_extent(m->extent.height, level),
                           volume ? halved_extent(m->extent.depth, level) : m->extent.depth};
  rt_image_level(&a->image, level);
  cudaError_t e = array_give_handle(&arrays, a, out);
  if (!e) m->level[level] = *out;
  return e;
}
API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_t of, unsigned level) {
  return RT_CALL(array_get_level(out, of, level));
}

/* ---- freed ---- */

static cudaError_t free_array(cudaArray_t h) {
  struct array *a = rt_array(h);
  struct err e = {0};
  if (!h) return cudaSuccess;
  if (!a) return cudaErrorInvalidValue;
  if (a->is_level)
    return rt_error(cudaErrorInvalidValue, rt_call(), "found a level of a mipmapped array, which frees it");
  cudaError_t error = rt_status(device_free(rt_device(), a->image.addr, &e), rt_call(), &e);
  handle_drop(&arrays, h);
  return error;
}
API cudaError_t cudaFreeArray(cudaArray_t a) { return RT_UNSAFE(free_array(a)); }

static cudaError_t free_mipmapped(cudaMipmappedArray_t h) {
  struct array *a = rt_mipmapped(h);
  struct err e = {0};
  if (!h) return cudaSuccess;
  if (!a) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < TEX_LEVELS; i++)
    if (a->level[i]) handle_drop(&arrays, a->level[i]);
  cudaError_t error = rt_status(device_free(rt_device(), a->image.addr, &e), rt_call(), &e);
  handle_drop(&mipmapped, h);
  return error;
}
API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t a) { return RT_UNSAFE(free_mipmapped(a)); }

/* ---- descriptions ---- */

static cudaError_t array_get_info(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned *flags, cudaArray_t h) {
  const struct array *a = rt_array(h);
  if (!a) return cudaErrorInvalidValue;
  if (desc) *desc = a->desc;
  if (extent) *extent = a->extent;
  if (flags) *flags = a->flags;
  return cudaSuccess;
}
API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned *flags, cudaArray_t a) {
  return RT_CALL(array_get_info(desc, extent, flags, a));
}
API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_t a) {
  return RT_CALL(desc ? array_get_info(desc, NULL, NULL, a) : cudaErrorInvalidValue);
}
/* It cannot fail. */
API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return (cudaChannelFormatDesc){x, y, z, w, kind};
}

struct requirements {
  size_t size, alignment;
  unsigned reserved[4];
};
static cudaError_t array_get_requirements(struct requirements *out, const struct array *a, int device) {
  enum { ALIGN = 256 }; /* of device_alloc */
  if (!out) return cudaErrorInvalidValue;
  if (device) return cudaErrorInvalidDevice;
  if (!a) return cudaErrorInvalidValue;
  *out = (struct requirements){.size = a->image.bytes, .alignment = ALIGN};
  return cudaSuccess;
}
API cudaError_t cudaArrayGetMemoryRequirements(struct requirements *out, cudaArray_t a, int device) {
  return RT_CALL(array_get_requirements(out, rt_array(a), device));
}
API cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct requirements *out, cudaMipmappedArray_t a, int device) {
  return RT_CALL(array_get_requirements(out, rt_mipmapped(a), device));
}
