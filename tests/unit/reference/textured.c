/* SPDX-License-Identifier: Apache-2.0 */
/*
 * textured: references of the kernels that read textures and write surfaces, kmeans_tex, surf_blur, tex_volume and tex_warp, by
 * unit/reference/texture.h. (gicov_tex, hybridsort_tex and ssao_tex stand beside the kernels whose results they have.)
 */
#include <string.h>

#include "unit/reference/ref.h"
#include "unit/reference/texture.h"

/* A copy of the image that an argument of the launch names. */
static struct tref_image image(struct ref *r, const struct launch *l, unsigned param) {
  const uint32_t k = handle_index(ref_u32(l, param));
  struct tref_image m = {NULL, NULL};
  if (!l->textures || k >= l->textures->ntexture)
    die("reference: argument %u of %s is no texture", param, l->code->name);
  struct texture *t = ref_alloc(r, 1, sizeof *t);
  *t = l->textures->texture[k];
  m.t = t;
  m.byte = ref_alloc(r, t->bytes, 1);
  memcpy(m.byte, memory_at(l->mem, t->addr, t->bytes), t->bytes);
  return m;
}

static void sample(const struct tref_image *m, float x, float y, float z, float out[4]) {
  const struct tref_fetch f = {.geom = (enum tex_geom)m->t->geom, .x = {x, y, z}};
  uint32_t bits[4];
  tref_tex(m, &f, bits);
  memcpy(out, bits, sizeof bits);
}

/* ---- kmeans_tex: rounds of both steps ---- */
enum { FEATURES = 34, CENTRES = 8, SHARES = 128 };

static void label_points(const float *point, const float *centre, int32_t *label, uint32_t n, uint32_t k) {
  for (uint32_t i = 0; i < n; i++) {
    float least = __FLT_MAX__;
    for (uint32_t c = 0; c < k; c++) {
      float sum = 0;
      for (uint32_t f = 0; f < FEATURES; f++) {
        const float d = point[i * FEATURES + f] - centre[c * FEATURES + f];
        sum = fma32(d, d, sum);
      }
      if (sum < least) least = sum, label[i] = (int32_t)c;
    }
  }
}

static void move_centre(const float *point, const int32_t *label, float *centre, uint32_t n, uint32_t c, uint32_t f) {
  float share[SHARES] = {0};
  uint32_t members = 0;
  for (uint32_t i = 0; i < n; i++)
    if (label[i] == (int32_t)c) share[i % SHARES] += point[i * FEATURES + f], members++;
  for (uint32_t width = SHARES / 2; width; width /= 2)
    for (uint32_t t = 0; t < width; t++) share[t] += share[t + width];
  if (members) centre[c * FEATURES + f] = share[0] / (float)members;
}

REF(kmeans_tex) {
  if (index) return; /* invert_mapping(point, feature, points) */
  const uint32_t n = ref_u32(l, 2), k = r->small ? 4 : 5;
  const float *point = ref_take(r, l, 0, (uint64_t)n * FEATURES, 4);
  float *centre = ref_alloc(r, CENTRES * FEATURES, 4), *feature = ref_alloc(r, (uint64_t)n * FEATURES, 4);
  int32_t *label = ref_alloc(r, n, 4);
  memcpy(centre, point, (uint64_t)k * FEATURES * 4);
  for (uint32_t i = 0; i < n * FEATURES; i++) feature[i % FEATURES * n + i / FEATURES] = point[i];
  for (int round = 0; round < (r->small ? 2 : 4); round++) {
    label_points(point, centre, label, n, k);
    for (uint32_t c = 0; c < k; c++)
      for (uint32_t f = 0; f < FEATURES; f++) move_centre(point, label, centre, n, c, f);
  }
  ref_want(r, "feature", T_F32, (uint64_t)n * FEATURES, feature, 0, 0);
  ref_want(r, "membership", T_S32, n, label, 0, 0);
  ref_want(r, "centre", T_F32, CENTRES * FEATURES, centre, 0, 0);
}

/* ---- tex_warp: of the last frame ---- */
REF(tex_warp) {
  if (index != (r->small ? 1 : 2)) return;
  const struct tref_image picture = image(r, l, 0);
  const int w = (int)ref_u32(l, 2), h = (int)ref_u32(l, 3);
  const float dx = ref_f32(l, 4), dy = ref_f32(l, 5), aspect = ref_f32(l, 6);
  const uint64_t n = 3 * (uint64_t)w * (uint64_t)h;
  float *out = ref_alloc(r, n, 4), *p = out;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++, p += 3) {
      for (int k = 0; k < 4; k++) {
        const float px = (float)x + (k % 2 ? 0.75f : 0.25f) - 0.5f * (float)w;
        const float py = (float)y + (k / 2 ? 0.75f : 0.25f) - 0.5f * (float)h;
        float c[4];
        sample(&picture, fma32(px, dx, fma32(-py, dy, 0.5f)), fma32(fma32(px, dy, py * dx), aspect, 0.5f), 0, c);
        for (int i = 0; i < 3; i++) p[i] += c[i];
      }
      for (int i = 0; i < 3; i++) p[i] *= 0.25f;
    }
  ref_want(r, "out", T_F32, n, out, 0, 0);
}

/* ---- tex_volume ---- */
REF(tex_volume) {
  if (index) return;
  const struct tref_image volume = image(r, l, 0), colours = image(r, l, 1);
  const int w = (int)ref_u32(l, 3), h = (int)ref_u32(l, 4), steps = (int)ref_u32(l, 5);
  const float eye = ref_f32(l, 6), turn = ref_f32(l, 7), step = 1 / (float)steps;
  const uint64_t n = 3 * (uint64_t)w * (uint64_t)h;
  float *out = ref_alloc(r, n, 4), *p = out;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++, p += 3) {
      const float dx = ((float)x + 0.5f - 0.5f * (float)w) * (1 / (float)w) * 1.5f;
      const float dy = ((float)y + 0.5f - 0.5f * (float)h) * (1 / (float)h) * 1.5f;
      float clear = 1;
      for (int k = 0; k < steps && clear > 0.02f; k++) {
        const float z = ((float)k + 0.5f) * step, away = z + eye, at = z - 0.5f;
        float density[4], c[4];
        sample(&volume, fma32(at, turn, fma32(dx, away, 0.5f)), fma32(at, -turn, fma32(dy, away, 0.5f)), z, density);
        sample(&colours, density[0], 0, 0, c);
        const float part = clear * c[3];
        for (int i = 0; i < 3; i++) p[i] = fma32(part, c[i], p[i]);
        clear -= part;
      }
    }
  ref_want(r, "out", T_F32, n, out, 0, 0);
}

/* ---- surf_blur: whole pictures, rows and then columns ---- */
static void blurred(const uint8_t *from, uint8_t *to, int w, int h, int dx, int dy) {
  static const unsigned weight[9] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int c = 0; c < 4; c++) {
        unsigned sum = 128;
        for (int k = -4; k <= 4; k++)
          sum += weight[k + 4] * from[4 * (clip(y + k * dy, h) * w + clip(x + k * dx, w)) + c];
        to[4 * (y * w + x) + c] = (uint8_t)(sum >> 8);
      }
}

REF(surf_blur) {
  if (index) return;
  const struct tref_image source = image(r, l, 0);
  const int w = (int)ref_u32(l, 2), h = (int)ref_u32(l, 3);
  const uint64_t n = 4 * (uint64_t)w * (uint64_t)h;
  uint8_t *from = ref_alloc(r, n, 1), *rows = ref_alloc(r, n, 1), *out = ref_alloc(r, n, 1);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      memcpy(from + 4 * (y * w + x), source.byte + tref_at(source.t, 0, (uint32_t)x, (uint32_t)y, 0), 4);
  blurred(from, rows, w, h, 1, 0);
  blurred(rows, out, w, h, 0, 1);
  ref_want(r, "rows", T_U8, n, rows, 0, 0);
  ref_want(r, "out", T_U8, n, out, 0, 0);
}
