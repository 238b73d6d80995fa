/* SPDX-License-Identifier: Apache-2.0 */
/* texture: arrays, textures, samplers and surfaces of a session. */
#include "host/session/session.h"

enum device_status device_array(struct device *d, struct texture *t, struct err *e) {
  t->layout = TEX_BLOCK;
  t->addr = t->pitch = t->bytes = 0;
  if (!texture_lay_out(t, e)) return DEVICE_BAD_VALUE;
  return device_alloc(d, t->bytes, 512, &t->addr, e); /* a GOB */
}

enum device_status device_texels_read(struct device *d, const struct texture *t, const struct texel_box *b,
                                      const struct texel_rows *to, struct err *e) {
  return device_status_of(texels_read(t, d->mem, b, to, e));
}

enum device_status device_texels_write(struct device *d, const struct texture *t, const struct texel_box *b,
                                       const struct texel_rows *from, struct err *e) {
  return device_status_of(texels_write(t, d->mem, b, from, e));
}

enum device_status device_texels_fill(struct device *d, const struct texture *t, const struct texel_box *b,
                                      const void *texel, struct err *e) {
  return device_status_of(texels_fill(t, d->mem, b, texel, e));
}

static enum device_status texture_make_handle(struct device *d, const struct texture *given, enum handle_kind kind,
                                              uint64_t *out, struct err *e) {
  struct texture t = *given;
  *out = 0;
  if (!t.bytes && !texture_lay_out(&t, e)) return DEVICE_BAD_VALUE;
  if (!t.addr || !device_at(d, t.addr, t.bytes))
    return device_status_of(
        err_at(e, NULL, 0, 0, "found an image of %u bytes at 0x%x, expected all of it in one buffer", t.bytes, t.addr));
  *out = handle_of(kind, texture_set_add(&d->textures, &t));
  return DEVICE_OK;
}

enum device_status device_texture(struct device *d, const struct texture *t, uint64_t *out, struct err *e) {
  return texture_make_handle(d, t, HANDLE_TEXTURE, out, e);
}

enum device_status device_surface(struct device *d, const struct texture *t, uint64_t *out, struct err *e) {
  return texture_make_handle(d, t, HANDLE_SURFACE, out, e);
}

enum device_status device_handle_free(struct device *d, uint64_t h, struct err *e) {
  if (texture_set_drop(&d->textures, h)) return DEVICE_OK;
  return device_status_of(err_at(
      e, NULL, 0, 0, "found the handle 0x%llx, expected one of a texture, sampler or surface", (unsigned long long)h));
}
