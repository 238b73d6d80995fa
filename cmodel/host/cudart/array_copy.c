/* SPDX-License-Identifier: Apache-2.0 */
/* Copies to, from and between CUDA arrays, in one and two dimensions. Offsets and widths are bytes, of whole texels. */
#include <stdlib.h>
#include <string.h>

#include "host/cudart/array.h"
#include "host/cudart/bytes.h"
#include "host/cudart/capture.h"

/* ---- boxes ---- */

size_t rt_texel_bytes(const struct array *a) { return texture_texel_bytes(&a->image); }

cudaExtent rt_array_texels(const struct array *a) {
  const struct texture *t = &a->image;
  return (cudaExtent){t->width, t->height, t->geom == GEOM_3D ? t->depth : t->layers};
}

cudaError_t rt_array_write(const struct array *to, const struct texel_box *b, const struct texel_rows *from) {
  struct err e = {0};
  return rt_status(device_texels_write(rt_device(), &to->image, b, from, &e), rt_call(), &e);
}

cudaError_t rt_array_read(const struct array *from, const struct texel_box *b, const struct texel_rows *to) {
  struct err e = {0};
  return rt_status(device_texels_read(rt_device(), &from->image, b, to, &e), rt_call(), &e);
}

cudaError_t rt_array_move(const struct array *to, const struct texel_box *b, const struct array *from,
                          const struct texel_box *a) {
  const size_t texel = rt_texel_bytes(from), n = texel * a->w * a->h * a->d;
  if (texel != rt_texel_bytes(to))
    return rt_error(cudaErrorInvalidValue, rt_call(),
                    "found texels of %zu and %zu bytes, expected arrays of one size of texels", texel,
                    rt_texel_bytes(to));
  struct texel_rows rows = {.data = malloc(n + 1)};
  if (!rows.data) return cudaErrorMemoryAllocation;
  cudaError_t e = rt_array_read(from, a, &rows);
  if (!e) e = rt_array_write(to, b, &rows);
  free(rows.data);
  return e;
}

/* ---- what a call names ---- */

struct spot { /* of an array, where a copy begins */
  const struct array *array;
  size_t x, y; /* bytes, rows */
};

static cudaError_t no_texels(const char *what, size_t bytes, size_t texel) {
  return rt_error(cudaErrorInvalidValue, rt_call(), "found %s of %zu bytes, expected a multiple of a texel's %zu", what,
                  bytes, texel);
}

static cudaError_t spot_find(cudaArray_t h, size_t x, size_t y, struct spot *out) {
  *out = (struct spot){rt_array(h), x, y};
  if (!out->array) return rt_error(cudaErrorInvalidValue, rt_call(), "found no array, or one that was freed");
  const size_t texel = rt_texel_bytes(out->array);
  return x % texel ? no_texels("an offset", x, texel) : cudaSuccess;
}

/* `width` bytes of each of `height` rows. */
static cudaError_t box_at(const struct spot *s, size_t width, size_t height, struct texel_box *out) {
  const size_t texel = rt_texel_bytes(s->array);
  const cudaExtent all = rt_array_texels(s->array);
  if (width % texel) return no_texels("rows", width, texel);
  if (s->x / texel > all.width || width / texel > all.width - s->x / texel || s->y > all.height ||
      height > all.height - s->y)
    return rt_error(cudaErrorInvalidValue, rt_call(),
                    "found %zu x %zu texels from (%zu, %zu) on, expected a part of the array's %zu x %zu",
                    width / texel, height, s->x / texel, s->y, all.width, all.height);
  *out = (struct texel_box){.x = (uint32_t)(s->x / texel),
                            .y = (uint32_t)s->y,
                            .w = (uint32_t)(width / texel),
                            .h = (uint32_t)height,
                            .d = 1};
  return cudaSuccess;
}

/* ---- rows ---- */

struct plane { /* the linear side */
  uint8_t *at;
  size_t pitch, width, height;
};
static cudaError_t plane_of(const char *what, const void *p, size_t pitch, size_t width, size_t height, enum side side,
                            struct plane *out) {
  size_t whole;
  if (width > pitch) return cudaErrorInvalidPitchValue;
  cudaError_t e = rt_area(pitch, width, height, &whole);
  if (e) return e;
  *out = (struct plane){rt_bytes(p, whole, side), pitch, width, height};
  return out->at ? cudaSuccess : rt_no_bytes(what, p, whole, side);
}

struct array_copy { /* to or from an array */
  cudaArray_t array;
  size_t x, y;
  const void *p; /* written by copies from arrays */
  size_t pitch, width, height;
  bool to_array;
  unsigned kind;
};

static cudaError_t array_copy_sync(rt_operation *run, struct array_copy c) { return rt_enqueue_sync(run, &c); }
static cudaError_t array_copy_async(rt_operation *run, struct array_copy c, cudaStream_t s) {
  return rt_enqueue(s, cudaGraphNodeTypeMemcpy, run, &c, sizeof c);
}

static cudaError_t copy_plane_run(const void *args, bool check) {
  const struct array_copy *c = args;
  const bool to_array = c->to_array;
  enum side side;
  struct spot at;
  struct texel_box box;
  struct plane plane;
  cudaError_t e = rt_other_side(c->kind, to_array ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice, &side);
  if (!e) e = spot_find(c->array, c->x, c->y, &at);
  if (e || !c->width || !c->height) return e;
  e = box_at(&at, c->width, c->height, &box);
  if (!e) e = plane_of(to_array ? "source" : "destination", c->p, c->pitch, c->width, c->height, side, &plane);
  if (e || check) return e;
  const struct texel_rows rows = {.data = plane.at, .row = plane.pitch};
  return to_array ? rt_array_write(at.array, &box, &rows) : rt_array_read(at.array, &box, &rows);
}

API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                    size_t height, unsigned kind) {
  return RT_CALL(
      array_copy_sync(copy_plane_run, (struct array_copy){dst, x, y, src, pitch, width, height, true, kind}));
}
API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                         size_t width, size_t height, unsigned kind, cudaStream_t s) {
  return RT_CALL(
      array_copy_async(copy_plane_run, (struct array_copy){dst, x, y, src, pitch, width, height, true, kind}, s));
}
API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                      size_t height, unsigned kind) {
  return RT_CALL(
      array_copy_sync(copy_plane_run, (struct array_copy){src, x, y, dst, pitch, width, height, false, kind}));
}
API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                           size_t height, unsigned kind, cudaStream_t s) {
  return RT_CALL(
      array_copy_async(copy_plane_run, (struct array_copy){src, x, y, dst, pitch, width, height, false, kind}, s));
}
PER_THREAD_SYNC(cudaMemcpy2DToArray,
                (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
                 unsigned kind),
                (dst, x, y, src, pitch, width, height, kind))
PER_THREAD(cudaMemcpy2DToArrayAsync,
           (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
            unsigned kind, cudaStream_t s),
           (dst, x, y, src, pitch, width, height, kind, OWN_STREAM(s)))
PER_THREAD_SYNC(cudaMemcpy2DFromArray,
                (void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width, size_t height,
                 unsigned kind),
                (dst, pitch, src, x, y, width, height, kind))
PER_THREAD(cudaMemcpy2DFromArrayAsync,
           (void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width, size_t height, unsigned kind,
            cudaStream_t s),
           (dst, pitch, src, x, y, width, height, kind, OWN_STREAM(s)))

struct pair { /* of arrays */
  cudaArray_t dst;
  size_t dx, dy;
  cudaArray_t src;
  size_t sx, sy, width, height; /* height: 1 for a number of bytes, which goes on over the ends of rows */
  unsigned kind;
};

static cudaError_t find_pair(const struct pair *p, struct spot *to, struct spot *from) {
  if (p->kind != cudaMemcpyDeviceToDevice && p->kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  cudaError_t e = spot_find(p->dst, p->dx, p->dy, to);
  return e ? e : spot_find(p->src, p->sx, p->sy, from);
}

static cudaError_t move_rows_run(const void *args, bool check) {
  const struct pair *p = args;
  struct spot to, from;
  struct texel_box b = {0}, a = {0};
  cudaError_t e = find_pair(p, &to, &from);
  if (e || !p->width || !p->height) return e;
  e = box_at(&to, p->width, p->height, &b);
  if (!e) e = box_at(&from, p->width, p->height, &a);
  return e || check ? e : rt_array_move(to.array, &b, from.array, &a);
}
API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy,
                                         size_t width, size_t height, unsigned kind) {
  return RT_CALL(rt_enqueue_sync(move_rows_run, &(struct pair){dst, dx, dy, src, sx, sy, width, height, kind}));
}
PER_THREAD_SYNC(cudaMemcpy2DArrayToArray,
                (cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t width,
                 size_t height, unsigned kind),
                (dst, dx, dy, src, sx, sy, width, height, kind))

/* ---- bytes that go on over the ends of rows ---- */

/* Copies between n bytes at `linear` and the texels from s on: the rest of the first row, whole rows, the begin of the last. */
static cudaError_t run_through(struct spot s, uint8_t *linear, size_t n, bool to_array) {
  const size_t row = rt_array_texels(s.array).width * rt_texel_bytes(s.array);
  while (n) {
    size_t width = row - s.x < n ? row - s.x : n, height = 1;
    if (!s.x && n >= row) height = n / row;
    struct texel_box box;
    cudaError_t e = box_at(&s, width, height, &box);
    const struct texel_rows rows = {.data = linear, .row = width};
    if (!e) e = to_array ? rt_array_write(s.array, &box, &rows) : rt_array_read(s.array, &box, &rows);
    if (e) return e;
    linear += width * height;
    n -= width * height;
    s = (struct spot){s.array, 0, s.y + height};
  }
  return cudaSuccess;
}

/* All of it lies in the array. */
static cudaError_t check_run(const struct spot *s, size_t n) {
  const cudaExtent all = rt_array_texels(s->array);
  const size_t texel = rt_texel_bytes(s->array), row = all.width * texel;
  if (n % texel) return no_texels("a copy", n, texel);
  if (s->x < row && s->y < all.height && n <= (all.height - s->y) * row - s->x) return cudaSuccess;
  return rt_error(cudaErrorInvalidValue, rt_call(),
                  "found %zu bytes from (%zu, %zu) on, expected a part of the array's %zu rows of %zu bytes", n, s->x,
                  s->y, all.height, row);
}

static cudaError_t copy_bytes_run(const void *args, bool check) {
  const struct array_copy *c = args;
  const bool to_array = c->to_array;
  enum side side;
  struct spot s;
  cudaError_t e = rt_other_side(c->kind, to_array ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice, &side);
  if (!e) e = spot_find(c->array, c->x, c->y, &s);
  if (e || !c->width) return e;
  e = check_run(&s, c->width);
  if (e) return e;
  uint8_t *linear = rt_bytes(c->p, c->width, side);
  if (!linear) return rt_no_bytes(to_array ? "source" : "destination", c->p, c->width, side);
  return check ? cudaSuccess : run_through(s, linear, c->width, to_array);
}
API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, unsigned kind) {
  return RT_CALL(array_copy_sync(copy_bytes_run, (struct array_copy){dst, x, y, src, 0, n, 1, true, kind}));
}
API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, unsigned kind,
                                       cudaStream_t s) {
  return RT_CALL(array_copy_async(copy_bytes_run, (struct array_copy){dst, x, y, src, 0, n, 1, true, kind}, s));
}
API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t n, unsigned kind) {
  return RT_CALL(array_copy_sync(copy_bytes_run, (struct array_copy){src, x, y, dst, 0, n, 1, false, kind}));
}
API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y, size_t n, unsigned kind,
                                         cudaStream_t s) {
  return RT_CALL(array_copy_async(copy_bytes_run, (struct array_copy){src, x, y, dst, 0, n, 1, false, kind}, s));
}
PER_THREAD_SYNC(cudaMemcpyToArray, (cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, unsigned kind),
                (dst, x, y, src, n, kind))
PER_THREAD(cudaMemcpyToArrayAsync,
           (cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, unsigned kind, cudaStream_t s),
           (dst, x, y, src, n, kind, OWN_STREAM(s)))
PER_THREAD_SYNC(cudaMemcpyFromArray, (void *dst, cudaArray_t src, size_t x, size_t y, size_t n, unsigned kind),
                (dst, src, x, y, n, kind))
PER_THREAD(cudaMemcpyFromArrayAsync,
           (void *dst, cudaArray_t src, size_t x, size_t y, size_t n, unsigned kind, cudaStream_t s),
           (dst, src, x, y, n, kind, OWN_STREAM(s)))

static cudaError_t move_bytes_run(const void *args, bool check) {
  const struct pair *p = args;
  const size_t n = p->width;
  struct spot to, from;
  cudaError_t e = find_pair(p, &to, &from);
  if (!e) e = check_run(&to, n);
  if (!e) e = check_run(&from, n);
  if (e || !n || check) return e;
  uint8_t *between = malloc(n);
  if (!between) return cudaErrorMemoryAllocation;
  e = run_through(from, between, n, false);
  if (!e) e = run_through(to, between, n, true);
  free(between);
  return e;
}
API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy,
                                       size_t n, unsigned kind) {
  return RT_CALL(rt_enqueue_sync(move_bytes_run, &(struct pair){dst, dx, dy, src, sx, sy, n, 1, kind}));
}
PER_THREAD_SYNC(cudaMemcpyArrayToArray,
                (cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t n, unsigned kind),
                (dst, dx, dy, src, sx, sy, n, kind))
