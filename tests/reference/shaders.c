/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shaders: references for ssao, deferred, elevated and pathtracer, pixel after pixel. Vectors round as the kernels'
 * do: a dot product is a multiplication and two fma, x first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/ref.h"

#define fma32 __builtin_fmaf

struct vec {
  float x, y, z;
};

static struct vec vec(float x, float y, float z) { return (struct vec){x, y, z}; }
static struct vec at3(const float *p) { return vec(p[0], p[1], p[2]); }
static float dot(struct vec a, struct vec b) { return fma32(a.z, b.z, fma32(a.y, b.y, a.x * b.x)); }
static struct vec times(struct vec a, float k) { return vec(a.x * k, a.y * k, a.z * k); }
static struct vec minus(struct vec a, struct vec b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
/* k a + b */
static struct vec along(float k, struct vec a, struct vec b) {
  return vec(fma32(k, a.x, b.x), fma32(k, a.y, b.y), fma32(k, a.z, b.z));
}
static int clip(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

/* ---- scenes of ssao and deferred: a floor `eye` below the camera, a wall ahead, spheres ---- */
struct hit {
  float z;
  struct vec normal;
  int what; /* sphere; -1: the floor, -2: the wall */
};

static struct vec pixel_ray(int x, int y, int w, int h, float scale) {
  float right = ((float)x + 0.5f) - 0.5f * (float)w, up = (0.5f * (float)h - 0.5f) - (float)y;
  return vec(right * scale, up * scale, 1);
}

static struct hit look(struct vec d, const float *sphere, int spheres, float eye, float wall) {
  struct hit hit = {wall, {0, 0, -1}, -2};
  float dd = dot(d, d);
  if (d.y * wall < -eye) hit = (struct hit){-eye / d.y, {0, 1, 0}, -1};
  for (int k = 0; k < spheres; k++) {
    struct vec c = at3(sphere + 4 * k);
    float r = sphere[4 * k + 3], b = dot(d, c), rest = fma32(-r, r, dot(c, c));
    float q = fma32(b, b, -dd * rest);
    float t = q > 0 ? (b - sqrtf(q)) / dd : -1;
    if (t > 0 && t < hit.z) hit = (struct hit){t, times(minus(times(d, t), c), 1 / r), k};
  }
  return hit;
}

/* ---- ssao ---- */
struct screen {
  int w, h;
  float scale;
  const float *depth;
};

static float ssao_light(const struct screen *s, int x, int y, struct vec n, const float *point, struct vec plane,
                        float radius, float bias) {
  float z = s->depth[y * s->w + x], hidden = 0, pixels = 1 / s->scale;
  struct vec p = times(pixel_ray(x, y, s->w, s->h, s->scale), z);
  for (int k = 0; k < 16; k++) {
    struct vec o = at3(point + 3 * k);
    o = along(-2 * dot(o, plane), plane, o);
    o = along(dot(o, n) < 0 ? -radius : radius, o, p);
    float to = pixels / o.z;
    int sx = clip((int)floorf(fma32(o.x, to, 0.5f * (float)s->w)), s->w);
    int sy = clip((int)floorf(fma32(-o.y, to, 0.5f * (float)s->h)), s->h);
    float there = s->depth[sy * s->w + sx], off = fabsf(z - there);
    if (there < o.z - bias) hidden += radius / off < 1 ? radius / off : 1;
  }
  return fma32(hidden, -1.0f / 16, 1);
}

struct ssao {
  struct screen screen;
  struct vec *normal;
};

static struct ssao *ssao_scene(struct ref *r, const struct launch *l) {
  int spheres = (int)ref_u32(l, 5), w = (int)ref_u32(l, 6), h = (int)ref_u32(l, 7);
  float scale = ref_f32(l, 8), eye = ref_f32(l, 9), wall = ref_f32(l, 10);
  uint64_t n = (uint64_t)w * (uint64_t)h;
  const float *sphere = ref_take(r, l, 4, 4 * (uint64_t)spheres, 4);
  float *depth = ref_alloc(r, n, 4);
  struct ssao *s = ref_alloc(r, 1, sizeof *s);
  *s = (struct ssao){{w, h, scale, depth}, ref_alloc(r, n, sizeof *s->normal)};
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      struct hit hit = look(pixel_ray(x, y, w, h, scale), sphere, spheres, eye, wall);
      depth[y * w + x] = hit.z;
      s->normal[y * w + x] = hit.normal;
    }
  ref_want(r, "depth", T_F32, n, depth, 0, 0);
  return s;
}

REF(ssao) {
  if (index == 0) r->keep = ssao_scene(r, l);
  if (index != 1) return;
  const struct ssao *s = r->keep;
  int w = s->screen.w, h = s->screen.h;
  uint64_t n = (uint64_t)w * (uint64_t)h;
  const float *point = ref_take(r, l, 4, 48, 4), *plane = ref_take(r, l, 5, 48, 4);
  float radius = ref_f32(l, 10), bias = ref_f32(l, 11), *light = ref_alloc(r, n, 4), *out = ref_alloc(r, n, 4);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      light[y * w + x] = ssao_light(&s->screen, x, y, s->normal[y * w + x], point,
                                    at3(plane + 3 * (y % 4 * 4 + x % 4)), radius, bias);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int k = 0; k < 16; k++) sum += light[clip(y - 2 + k / 4, h) * w + clip(x - 2 + k % 4, w)];
      out[y * w + x] = sum * 0.0625f;
    }
  ref_want(r, "light", T_F32, n, light, 0, 0);
  ref_want(r, "out", T_F32, n, out, 0, 0);
}
