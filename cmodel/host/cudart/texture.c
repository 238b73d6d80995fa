/* SPDX-License-Identifier: Apache-2.0 */
/* texture: see texture.h. */
#include "host/cudart/texture.h"

#include <string.h>

/* ---- resources ---- */

/* Linear memory: the buffer must hold all of it. */
static cudaError_t texture_set_memory(const void *p, uint64_t bytes, size_t texel, struct texture *t) {
  uint32_t base, all;
  const uintptr_t at = (uintptr_t)p;
  if (!p || !device_span(rt_device(), at, &base, &all))
    return rt_error(cudaErrorInvalidValue, rt_call(), "found texels where there is no device memory");
  if (at % texel)
    return rt_error(cudaErrorInvalidValue, rt_call(),
                    "found texels at device address 0x%lx, expected a multiple of %zu", (unsigned long)at, texel);
  if (bytes > all - (at - base))
    return rt_error(
        cudaErrorInvalidValue, rt_call(),
        "found %llu bytes of texels from device address 0x%lx on, expected up to %lu: the buffer at 0x%x has %u",
        (unsigned long long)bytes, (unsigned long)at, (unsigned long)(all - (at - base)), base, all);
  t->addr = (uint32_t)at;
  return cudaSuccess;
}

static cudaError_t texture_of_linear(const struct resource_linear *d, struct texture *t) {
  cudaError_t e = rt_format(&d->desc, t);
  if (e) return e;
  const size_t texel = texture_texel_bytes(t), n = d->sizeInBytes / texel;
  if (!n || n > TEX_MAX_LINEAR)
    return rt_error(cudaErrorInvalidValue, rt_call(), "found %zu texels of linear memory, expected 1 to %d", n,
                    TEX_MAX_LINEAR);
  t->geom = GEOM_1D;
  t->linear_1d = true;
  t->width = (uint32_t)n;
  t->height = 1;
  return texture_set_memory(d->devPtr, n * texel, texel, t);
}

static cudaError_t texture_of_pitched(const struct resource_pitch *d, struct texture *t) {
  enum { PITCH_ALIGN = 32 }; /* attribute TexturePitchAlignment */
  cudaError_t e = rt_format(&d->desc, t);
  if (e) return e;
  const size_t texel = texture_texel_bytes(t);
  if (!d->width || !d->height || d->width > TEX_MAX_2D || d->height > TEX_MAX_2D)
    return rt_error(cudaErrorInvalidValue, rt_call(), "found %zu x %zu texels, expected 1 to %d on each side", d->width,
                    d->height, TEX_MAX_2D);
  if (d->pitchInBytes % PITCH_ALIGN || d->pitchInBytes < d->width * texel || d->pitchInBytes > UINT32_MAX)
    return rt_error(cudaErrorInvalidValue, rt_call(),
                    "found a pitch of %zu bytes for rows of %zu, expected as many at least, and a multiple of %d",
                    d->pitchInBytes, d->width * texel, PITCH_ALIGN);
  t->geom = GEOM_2D;
  t->width = (uint32_t)d->width;
  t->height = (uint32_t)d->height;
  t->pitch = (uint32_t)d->pitchInBytes;
  return texture_set_memory(d->devPtr, (uint64_t)t->pitch * (t->height - 1) + t->width * texel, texel, t);
}

cudaError_t rt_resource(const cudaResourceDesc *d, struct texture *out) {
  const struct array *a = NULL;
  *out = (struct texture){.layout = TEX_PITCH, .levels = 1, .depth = 1, .layers = 1};
  switch (d->resType) {
    case cudaResourceTypeArray: a = rt_array(d->res.array); break;
    case cudaResourceTypeMipmappedArray: a = rt_mipmapped(d->res.mipmap); break;
    case cudaResourceTypeLinear: return texture_of_linear(&d->res.linear, out);
    case cudaResourceTypePitch2D: return texture_of_pitched(&d->res.pitch2D, out);
    default: return cudaErrorInvalidValue;
  }
  if (!a) return rt_error(cudaErrorInvalidValue, rt_call(), "found no array, or one that was freed");
  *out = a->image;
  return cudaSuccess;
}

cudaError_t rt_surface(cudaArray_t h, struct texture *out) {
  const struct array *a = rt_array(h);
  if (!a) return rt_error(cudaErrorInvalidValue, rt_call(), "found no array, or one that was freed");
  *out = a->image;
  out->writable = true;
  if (out->geom == GEOM_CUBE || out->geom == GEOM_ACUBE) out->geom = GEOM_A2D;
  return cudaSuccess;
}

/* ---- sampling ---- */

static bool is_integer(const struct texture *t) { return t->type != T_F16 && t->type != T_F32; }
static bool is_small(const struct texture *t) { return is_integer(t) && t->type != T_U32 && t->type != T_S32; }

static cudaError_t check_sampling(const cudaTextureDesc *d, bool seamless, const struct texture *t) {
  for (int i = 0; i < 3; i++)
    if (d->addressMode[i] < TEX_WRAP || d->addressMode[i] > TEX_BORDER) return cudaErrorInvalidValue;
  if (d->filterMode < TEX_POINT || d->filterMode > TEX_LINEAR || d->mipmapFilterMode < TEX_POINT ||
      d->mipmapFilterMode > TEX_LINEAR || d->readMode < cudaReadModeElementType ||
      d->readMode > cudaReadModeNormalizedFloat)
    return cudaErrorInvalidValue;
  if (d->sRGB && t->type == T_U8 && t->normalized_values)
    return rt_error(cudaErrorNotSupported, rt_call(), "found sRGB: the conversion to linear values is not supported");
  if (d->maxAnisotropy > 1) /* no error: it concerns fetches with derivatives alone */
    rt_error(cudaErrorNotSupported, rt_call(), "maxAnisotropy has no effect: filters are isotropic");
  if (seamless && t->geom != GEOM_CUBE && t->geom != GEOM_ACUBE) return cudaErrorInvalidValue;
  if (seamless && d->filterMode == TEX_LINEAR)
    return rt_error(cudaErrorNotSupported, rt_call(), "found seamlessCubemap: filters do not go over a face's edge");
  return cudaSuccess;
}

cudaError_t rt_sampling(const cudaTextureDesc *d, bool seamless, struct texture *t) {
  if (d->readMode == cudaReadModeNormalizedFloat && is_small(t)) t->normalized_values = true;
  cudaError_t e = check_sampling(d, seamless, t);
  if (e) return e;
  if (t->linear_1d) return cudaSuccess; /* has neither addressing nor filter */
  const bool mip = t->levels > 1;
  if (is_integer(t) && !t->normalized_values &&
      (d->filterMode == TEX_LINEAR || (mip && d->mipmapFilterMode == TEX_LINEAR)))
    return rt_error(cudaErrorInvalidFilterSetting, rt_call(),
                    "found a linear filter of integers that are read as they are, expected a point filter, floats or "
                    "cudaReadModeNormalizedFloat");
  if (mip && !d->normalizedCoords)
    return rt_error(cudaErrorInvalidValue, rt_call(), "found levels, expected normalized coordinates with them");
  struct tex_sampler *s = &t->sampler;
  for (int i = 0; i < 3; i++) s->address[i] = (uint8_t)d->addressMode[i];
  s->filter = (uint8_t)d->filterMode;
  s->mip = (uint8_t)d->mipmapFilterMode;
  s->normalized = d->normalizedCoords != 0;
  memcpy(s->border, d->borderColor, sizeof s->border);
  s->lod_bias = d->mipmapLevelBias;
  s->lod_min = d->minMipmapLevelClamp;
  s->lod_max = d->maxMipmapLevelClamp;
  return cudaSuccess;
}
