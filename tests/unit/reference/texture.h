/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture: textures and surfaces in plain C, written from docs/reference/textures.md without a look at exec/: one coordinate at a time, every
 * texel found by the formula of the layout, nothing prepared. Of exec/texture.h only the structs are used, and of these
 * neither level_at nor pitch of block-linear images.
 */
#ifndef RT_TESTS_TEXTURE_H
#define RT_TESTS_TEXTURE_H

#include "exec/texture.h"

struct tref_image {
  const struct texture *t;
  uint8_t *byte; /* the image */
};

/* Size of an axis (0 to 2) at a level; bytes of a texel; byte of texel (x, y, slice or layer z); all bytes of a block-linear
 * image with the layout that the page says (block_height and block_depth are found here, too). */
uint32_t tref_size(const struct texture *t, unsigned axis, unsigned level);
unsigned tref_texel_bytes(const struct texture *t);
uint64_t tref_at(const struct texture *t, unsigned level, uint32_t x, uint32_t y, uint32_t z);
uint64_t tref_bytes(const struct texture *t);

struct tref_fetch {
  enum tex_geom geom;
  bool integer; /* coordinates are .s32: i, else x */
  uint32_t layer;
  int32_t i[3];
  float x[3];
  bool leveled;
  int32_t ilevel; /* with i */
  float level;    /* with x */
  int offset[3];
  bool compare;
  float d;
  const struct tex_sampler *s; /* NULL: the texture's own */
};
/* The four results r, g, b, a as bits of f32, u32 or s32. With a comparison the one result is in all of them. The fetch is
 * one that is allowed. */
void tref_tex(const struct tref_image *m, const struct tref_fetch *f, uint32_t out[4]);
/* The four texels' component in the order of tld4. */
void tref_gather(const struct tref_image *m, const struct tref_fetch *f, unsigned component, uint32_t out[4]);
/* The same texel as the four components are after reading (x, y and slice or layer in the image). */
void tref_texel(const struct tref_image *m, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t out[4]);
uint16_t tref_half(uint32_t f); /* an f32's bits as f16, as tex.v4.f16 gives it */

/* suld.b, sust.b (`bytes` at byte i[0] of the row) and sust.p. False: trap. at[]: x, y, z. */
bool tref_suld(const struct tref_image *m, enum tex_geom geom, enum su_clamp clamp, uint32_t layer, const int32_t i[3],
               unsigned bytes, void *out);
bool tref_sust(const struct tref_image *m, enum tex_geom geom, enum su_clamp clamp, uint32_t layer, const int32_t i[3],
               unsigned bytes, const void *in);
bool tref_sustp(const struct tref_image *m, enum tex_geom geom, enum su_clamp clamp, uint32_t layer, const int32_t i[3],
                unsigned n, const uint32_t *value);

#endif
