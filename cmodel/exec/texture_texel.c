/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_texel: texels in memory and the values that they stand for (docs/reference/textures.md, "The image").
 */
#include "base/bits.h"
#include "exec/alu_fp.h"
#include "exec/texture_warp.h"

/* ---- raw words ---- */

static void fetch_own(const struct exec *x, const uint32_t *a, unsigned bytes, uint32_t (*raw)[LANES]) {
  for (unsigned l = 0; l < LANES; l++) {
    uint32_t word[CHANNELS] = {0};
    overlay_read(&x->over, x->launch->mem->image, a[l], word, bytes);
    for (unsigned k = 0; k < CHANNELS; k++) raw[k][l] = word[k];
  }
}

void texel_fetch(const struct exec *x, const uint32_t *a, unsigned bytes, uint32_t (*raw)[LANES]) {
  const uint8_t *image = x->launch->mem->image;
  if (x->over.n && overlay_touches(&x->over, a)) {
    fetch_own(x, a, bytes, raw);
    return;
  }
  switch (bytes) {
    case 1:
      for (unsigned l = 0; l < LANES; l++) raw[0][l] = *host_at(image, a[l]);
      return;
    case 2:
      for (unsigned l = 0; l < LANES; l++) {
        uint16_t v;
        memcpy(&v, host_at(image, a[l]), 2);
        raw[0][l] = v;
      }
      return;
    case 4:
      for (unsigned l = 0; l < LANES; l++) memcpy(&raw[0][l], host_at(image, a[l]), 4);
      return;
    default:
      for (unsigned k = 0; k < bytes / 4; k++)
        for (unsigned l = 0; l < LANES; l++) memcpy(&raw[k][l], host_at(image, (uint64_t)a[l] + 4 * k), 4);
  }
}

/* ---- values ---- */

/* Quotients of whole numbers below 2^24: the division rounds once. */
INLINE uint32_t texel_from_unorm(uint32_t v, float most) { return of_f32((float)(int32_t)v / most); }
INLINE uint32_t texel_from_snorm(int32_t v, float most) {
  const float q = (float)v / most;
  return of_f32(q < -1.0f ? -1.0f : q);
}
INLINE uint32_t texel_from_half(uint32_t h) { return f32_canonical(f32_of_f16(h)); }

#define EACH(expr)                         \
  do {                                     \
    for (unsigned l = 0; l < LANES; l++) { \
      const uint32_t v = from[l] >> shift; \
      to[l] = expr;                        \
    }                                      \
    return;                                \
  } while (0)

void texel_channel(const struct image *m, const uint32_t (*raw)[LANES], unsigned k, uint32_t *to) {
  const unsigned bit = k * m->channel * 8, shift = bit % 32;
  const uint32_t *from = raw[bit / 32];
  const bool normal = m->t.normalized_values;
  switch (m->type) {
    case T_U8:
      if (normal) EACH(texel_from_unorm(v & 0xff, 255.0f));
      EACH(v & 0xff);
    case T_S8:
      if (normal) EACH(texel_from_snorm((int8_t)v, 127.0f));
      EACH((uint32_t)(int8_t)v);
    case T_U16:
      if (normal) EACH(texel_from_unorm(v & 0xffff, 65535.0f));
      EACH(v & 0xffff);
    case T_S16:
      if (normal) EACH(texel_from_snorm((int16_t)v, 32767.0f));
      EACH((uint32_t)(int16_t)v);
    case T_F16: EACH(texel_from_half(v & 0xffff));
    default: memcpy(to, from, ROW_BYTES);
  }
}

static bool format_signed(const struct image *m) { return m->type == T_S8 || m->type == T_S16 || m->type == T_S32; }

uint32_t texel_border(const struct image *m, const struct tex_sampler *s, unsigned k) {
  const float v = s->border[m->of[k]];
  if (m->floats) return of_f32(v);
  if (v != v) return 0;
  if (format_signed(m)) return (uint32_t)(v < -0x1p31f ? INT32_MIN : v >= 0x1p31f ? INT32_MAX : (int32_t)v);
  return v < 0.0f ? 0 : v >= 0x1p32f ? UINT32_MAX : (uint32_t)v;
}

/* ---- the way back ---- */

static uint32_t norm_pack(uint32_t bits, double least, double most) {
  const double v = (double)f32_of(bits);
  const double w = v != v ? 0.0 : v < least ? least : v > 1.0 ? 1.0 : v;
  return (uint32_t)(int32_t)__builtin_rint(w * most);
}
static uint32_t limit_s(uint32_t v, int32_t most) {
  const int32_t s = (int32_t)v;
  return (uint32_t)(s > most ? most : s < -most - 1 ? -most - 1 : s);
}

uint32_t texel_pack(const struct image *m, uint32_t v) {
  const bool normal = m->t.normalized_values;
  switch (m->type) {
    case T_U8: return normal ? norm_pack(v, 0.0, 255.0) : u32_min(v, 0xff);
    case T_U16: return normal ? norm_pack(v, 0.0, 65535.0) : u32_min(v, 0xffff);
    case T_S8: return normal ? norm_pack(v, -1.0, 127.0) : limit_s(v, 127);
    case T_S16: return normal ? norm_pack(v, -1.0, 32767.0) : limit_s(v, 32767);
    case T_F16: return f16_of_f32(v, R_RN);
    default: return v;
  }
}
