/* SPDX-License-Identifier: Apache-2.0 */
/* texels: copies between images and rows of the host, a run of texels that lie together at a time. */
#include "exec/texels.h"

#include <string.h>

#include "exec/exec.h"
#include "exec/texture_axes.h"

enum { RUN = 16 }; /* bytes of a block-linear row that lie together, from a multiple of them on */

/* Texels of a level along each axis; *d: slices, or layers. False: the image has no such level. */
static bool texels_size(const struct texture *t, unsigned level, uint32_t *w, uint32_t *h, uint32_t *d) {
  if (level >= t->levels) return false;
  *w = texture_level_size(t->width, level);
  *h = texture_level_size(t->height, level);
  *d = t->layers > 1 || geom_layered(t->geom) || t->geom == GEOM_CUBE ? t->layers : texture_level_size(t->depth, level);
  return true;
}

/* All of it. */
static struct texel_box texels_level(const struct texture *t, unsigned level) {
  struct texel_box b = {.level = level};
  texels_size(t, level, &b.w, &b.h, &b.d);
  return b;
}

uint64_t texels_bytes(const struct texture *t) {
  uint64_t n = 0;
  for (unsigned level = 0; level < t->levels; level++) {
    const struct texel_box b = texels_level(t, level);
    n += (uint64_t)b.w * b.h * b.d;
  }
  return n * texture_texel_bytes(t);
}

enum way { READ, WRITE, FILL };
struct run {
  uint8_t *image, *host;
  uint32_t bytes, size; /* of the run, of a texel */
};

static void texels_move_run(enum way way, const struct run *r) {
  if (way == READ) memcpy(r->host, r->image, r->bytes);
  else if (way == WRITE) memcpy(r->image, r->host, r->bytes);
  else
    for (uint32_t k = 0; k < r->bytes; k += r->size) memcpy(r->image + k, r->host, r->size);
}

static void texels_move_row(const struct texture_axes *a, uint8_t *image, const struct texel_box *b, uint8_t *host,
                            enum way way) {
  const uint32_t size = a->texel;
  for (uint32_t k = 0, n; k < b->w; k += n) {
    const uint32_t at = (uint32_t)((uint64_t)(b->x + k) * size % RUN);
    n = b->w - k;
    if (a->block && (RUN - at) / size < n) n = at + size < RUN ? (RUN - at) / size : 1;
    texels_move_run(way, &(struct run){.image = image + texture_x(a, (b->x + k) * size),
                                       .host = way == FILL ? host : host + (uint64_t)k * size,
                                       .bytes = n * size,
                                       .size = size});
  }
}

static bool texels_move_box(const struct texture *t, struct memory *mem, const struct texel_box *b,
                            const struct texel_rows *rows, enum way way, struct err *e) {
  uint32_t w, h, d;
  if (!texels_size(t, b->level, &w, &h, &d))
    return err_at(e, NULL, 0, 0, "found level %u of an image, expected one of its %u", b->level, t->levels);
  if (b->x > w || b->w > w - b->x || b->y > h || b->h > h - b->y || b->z > d || b->d > d - b->z)
    return err_at(e, NULL, 0, 0,
                  "found a box of %u x %u x %u texels at (%u, %u, %u), expected one in the %u x %u x %u of the image",
                  b->w, b->h, b->d, b->x, b->y, b->z, w, h, d);
  uint8_t *image = memory_at(mem, t->addr, t->bytes);
  if (!image)
    return err_at(e, NULL, 0, 0, "found an image of %u bytes at 0x%x, expected all of it in one buffer", t->bytes,
                  t->addr);
  struct texture_axes a;
  texture_axes_of(t, b->level, &a);
  const uint64_t pitch = rows->row ? rows->row : (uint64_t)b->w * texture_texel_bytes(t);
  const uint64_t slice = rows->slice ? rows->slice : pitch * b->h;
  for (uint32_t z = 0; z < b->d; z++)
    for (uint32_t y = 0; y < b->h; y++)
      texels_move_row(&a, image + a.at + texture_y(&a, b->y + y) + texture_z(&a, b->z + z), b,
                      (uint8_t *)rows->data + (way == FILL ? 0 : z * slice + y * pitch), way);
  return true;
}

bool texels_read(const struct texture *t, struct memory *mem, const struct texel_box *b, const struct texel_rows *to,
                 struct err *e) {
  return texels_move_box(t, mem, b, to, READ, e);
}

bool texels_write(const struct texture *t, struct memory *mem, const struct texel_box *b, const struct texel_rows *from,
                  struct err *e) {
  return texels_move_box(t, mem, b, from, WRITE, e);
}

bool texels_fill(const struct texture *t, struct memory *mem, const struct texel_box *b, const void *texel,
                 struct err *e) {
  uint8_t copy_of[16] = {0}; /* four channels of 32 bits at most */
  memcpy(copy_of, texel, texture_texel_bytes(t));
  return texels_move_box(t, mem, b, &(struct texel_rows){.data = copy_of}, FILL, e);
}

static bool texels_move_all(const struct texture *t, struct memory *mem, uint8_t *host, enum way way, struct err *e) {
  for (unsigned level = 0; level < t->levels; level++) {
    const struct texel_box b = texels_level(t, level);
    if (!texels_move_box(t, mem, &b, &(struct texel_rows){.data = host}, way, e)) return false;
    host += (uint64_t)b.w * b.h * b.d * texture_texel_bytes(t);
  }
  return true;
}

bool texels_read_all(const struct texture *t, struct memory *mem, void *to, struct err *e) {
  return texels_move_all(t, mem, to, READ, e);
}

bool texels_write_all(const struct texture *t, struct memory *mem, const void *from, struct err *e) {
  return texels_move_all(t, mem, (uint8_t *)from, WRITE, e); /* WRITE only reads it */
}
