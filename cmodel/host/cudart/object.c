/* SPDX-License-Identifier: Apache-2.0 */
/* Texture objects and surface objects: what the program holds is the handle that its kernels use (compiler/ir/texture.h). */
#include "host/cudart/texture.h"

struct object {
  cudaResourceDesc resource;
  cudaTextureDesc sampling;
  cudaResourceViewDesc view;
  bool has_view, seamless;
  uint64_t handle; /* 0: destroyed */
};

static struct { /* by number of the handle */
  struct object *object;
  uint32_t n, cap;
  unsigned generation;
} objects;

static void texture_objects_renew(void) {
  if (objects.generation != rt_generation()) objects.n = 0;
  objects.generation = rt_generation();
}

static void texture_object_keep(const struct object *o) {
  texture_objects_renew();
  while (objects.n <= handle_index(o->handle)) VEC_PUSH(objects.object, objects.n, objects.cap) = (struct object){0};
  objects.object[handle_index(o->handle)] = *o;
}

static struct object *texture_object_find(uint64_t handle, enum handle_kind kind) {
  texture_objects_renew();
  const uint32_t k = handle_index(handle);
  if (handle_kind(handle) != kind || k >= objects.n || objects.object[k].handle != handle) return NULL;
  return &objects.object[k];
}

/* ---- views ---- */

/* The texels that a format of views means; formats are ordered by kind, then by channels. */
static cudaError_t view_format(int format, struct texture *t) {
  static const uint8_t type[] = {T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_F16, T_F32};
  static const uint8_t channels[] = {1, 2, 4}, order[] = {ORDER_R, ORDER_RG, ORDER_RGBA};
  const unsigned before = texture_texel_bytes(t);
  if (format == cudaResViewFormatNone) return cudaSuccess;
  if (format < 0 || format > cudaResViewFormatFloat4)
    return rt_error(cudaErrorNotSupported, rt_call(), "found the view format %d: compressed blocks are not supported",
                    format);
  t->type = type[(format - 1) / 3];
  t->channels = channels[(format - 1) % 3];
  t->order = order[(format - 1) % 3];
  t->normalized_values = false;
  if (texture_texel_bytes(t) == before) return cudaSuccess;
  return rt_error(cudaErrorInvalidValue, rt_call(), "found a view format of %u bytes, expected one of the array's %u",
                  texture_texel_bytes(t), before);
}

/* *t becomes the part of it that the view shows: some of its levels; all layers or some of an array without levels. */
static cudaError_t texture_apply_view(const cudaResourceViewDesc *v, struct texture *t) {
  cudaError_t e = view_format(v->format, t);
  if (e) return e;
  const unsigned levels = t->levels, last = v->lastMipmapLevel;
  if (v->firstMipmapLevel > last || last >= levels || v->firstLayer > v->lastLayer ||
      (v->lastLayer && v->lastLayer >= t->layers))
    return rt_error(cudaErrorInvalidValue, rt_call(),
                    "found levels %u to %u and layers %u to %u, expected some of %u levels and %u layers",
                    v->firstMipmapLevel, last, v->firstLayer, v->lastLayer, levels, t->layers);
  if (v->firstLayer || (v->lastLayer && v->lastLayer + 1 != t->layers))
    return rt_error(cudaErrorNotSupported, rt_call(), "found layers %u to %u: a view of some layers is not supported",
                    v->firstLayer, v->lastLayer);
  struct texture first = *t;
  rt_image_level(&first, v->firstMipmapLevel);
  if (v->width != first.width || (v->height && v->height != first.height) ||
      (v->depth && t->geom == GEOM_3D && v->depth != first.depth))
    return rt_error(cudaErrorInvalidValue, rt_call(),
                    "found a view of %zu x %zu x %zu, expected the level's %u x %u x %u", v->width, v->height, v->depth,
                    first.width, first.height, first.depth);
  const uint32_t begin = t->level_at[v->firstMipmapLevel], end = last + 1 < levels ? t->level_at[last + 1] : t->bytes;
  for (unsigned i = v->firstMipmapLevel; i <= last; i++)
    first.level_at[i - v->firstMipmapLevel] = t->level_at[i] - begin;
  first.levels = (uint8_t)(last - v->firstMipmapLevel + 1);
  first.bytes = end - begin;
  *t = first;
  return cudaSuccess;
}

/* ---- textures ---- */

static cudaError_t create_texture(cudaTextureObject_t *out, struct object *o) {
  struct texture t;
  struct err e = {0};
  if (o->has_view && o->resource.resType != cudaResourceTypeArray &&
      o->resource.resType != cudaResourceTypeMipmappedArray)
    return cudaErrorInvalidValue;
  cudaError_t error = rt_resource(&o->resource, &t);
  if (!error && o->has_view) error = texture_apply_view(&o->view, &t);
  if (!error) error = rt_sampling(&o->sampling, o->seamless, &t);
  if (!error) error = rt_status(device_texture(rt_device(), &t, &o->handle, &e), rt_call(), &e);
  if (error) return error;
  texture_object_keep(o);
  *out = o->handle;
  return cudaSuccess;
}

static cudaError_t texture_object_create(cudaTextureObject_t *out, const cudaResourceDesc *resource,
                                         const cudaTextureDesc *sampling, bool seamless,
                                         const cudaResourceViewDesc *v) {
  if (!out || !resource || !sampling) return cudaErrorInvalidValue;
  struct object o = {.resource = *resource, .sampling = *sampling, .has_view = v != NULL, .seamless = seamless};
  if (v) o.view = *v;
  return create_texture(out, &o);
}
#if CUDART_VERSION >= 12000
API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const cudaResourceDesc *resource,
                                        const cudaTextureDesc *sampling, const cudaResourceViewDesc *v) {
  return RT_CALL(texture_object_create(out, resource, sampling, sampling && sampling->seamlessCubemap, v));
}
ALIAS(cudaCreateTextureObject, cudaCreateTextureObject_v2)
#else
API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const cudaResourceDesc *resource,
                                        const cudaTextureDesc *sampling, const cudaResourceViewDesc *v) {
  return RT_CALL(texture_object_create(out, resource, sampling, false, v));
}
API cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *out, const cudaResourceDesc *resource,
                                           const struct texture_desc_v2 *sampling, const cudaResourceViewDesc *v) {
  return RT_CALL(texture_object_create(out, resource, sampling ? &sampling->desc : NULL,
                                       sampling && sampling->seamlessCubemap, v));
}
#endif

static cudaError_t texture_object_drop(uint64_t handle, enum handle_kind kind) {
  struct err e = {0};
  struct object *o = texture_object_find(handle, kind);
  if (!handle) return cudaSuccess;
  if (!o) return rt_error(cudaErrorInvalidValue, rt_call(), "found no object, or one that was destroyed");
  o->handle = 0;
  return rt_status(device_handle_free(rt_device(), handle, &e), rt_call(), &e);
}
API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t t) {
  return RT_CALL(texture_object_drop(t, HANDLE_TEXTURE));
}

static cudaError_t get_resource(cudaResourceDesc *out, uint64_t handle, enum handle_kind kind) {
  const struct object *o = texture_object_find(handle, kind);
  if (!out || !o) return cudaErrorInvalidValue;
  *out = o->resource;
  return cudaSuccess;
}
API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *out, cudaTextureObject_t t) {
  return RT_CALL(get_resource(out, t, HANDLE_TEXTURE));
}

static cudaError_t get_sampling(cudaTextureDesc *out, cudaTextureObject_t t) {
  const struct object *o = texture_object_find(t, HANDLE_TEXTURE);
  if (!out || !o) return cudaErrorInvalidValue;
  *out = o->sampling;
  return cudaSuccess;
}
API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out, cudaTextureObject_t t) {
  return RT_CALL(get_sampling(out, t));
}
#if CUDART_VERSION >= 12000
ALIAS(cudaGetTextureObjectTextureDesc, cudaGetTextureObjectTextureDesc_v2)
#else
static cudaError_t get_sampling_v2(struct texture_desc_v2 *out, cudaTextureObject_t t) {
  cudaError_t e = get_sampling(out ? &out->desc : NULL, t);
  if (!e) out->seamlessCubemap = texture_object_find(t, HANDLE_TEXTURE)->seamless;
  return e;
}
API cudaError_t cudaGetTextureObjectTextureDesc_v2(struct texture_desc_v2 *out, cudaTextureObject_t t) {
  return RT_CALL(get_sampling_v2(out, t));
}
#endif

static cudaError_t get_view(cudaResourceViewDesc *out, cudaTextureObject_t t) {
  const struct object *o = texture_object_find(t, HANDLE_TEXTURE);
  if (!out || !o || !o->has_view) return cudaErrorInvalidValue;
  *out = o->view;
  return cudaSuccess;
}
API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *out, cudaTextureObject_t t) {
  return RT_CALL(get_view(out, t));
}

static cudaError_t linear_width(size_t *out, const cudaChannelFormatDesc *desc, int device) {
  struct texture t = {0};
  if (!out || !desc) return cudaErrorInvalidValue;
  if (device) return cudaErrorInvalidDevice;
  cudaError_t e = rt_format(desc, &t);
  if (!e) *out = TEX_MAX_LINEAR;
  return e;
}
API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *out, const cudaChannelFormatDesc *desc, int device) {
  return RT_CALL(linear_width(out, desc, device));
}

/* ---- surfaces ---- */

static cudaError_t create_surface(cudaSurfaceObject_t *out, const cudaResourceDesc *resource) {
  struct texture t;
  struct err e = {0};
  if (!out || !resource) return cudaErrorInvalidValue;
  if (resource->resType != cudaResourceTypeArray)
    return rt_error(cudaErrorInvalidValue, rt_call(), "found resource type %d, expected an array", resource->resType);
  struct object o = {.resource = *resource};
  cudaError_t error = rt_surface(resource->res.array, &t);
  if (!error) error = rt_status(device_surface(rt_device(), &t, &o.handle, &e), rt_call(), &e);
  if (error) return error;
  texture_object_keep(&o);
  *out = o.handle;
  return cudaSuccess;
}
API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const cudaResourceDesc *resource) {
  return RT_CALL(create_surface(out, resource));
}
API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t s) {
  return RT_CALL(texture_object_drop(s, HANDLE_SURFACE));
}
API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out, cudaSurfaceObject_t s) {
  return RT_CALL(get_resource(out, s, HANDLE_SURFACE));
}
