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

/* ---- deferred ---- */
struct surface {
  struct vec place, normal, colour;
  float shine;
};

static struct surface deferred_surface(const struct hit *hit, struct vec ray, const float *paint) {
  struct surface s = {times(ray, hit->z), hit->normal, {0.5f, 0.5f, 0.55f}, 0};
  s.place.z = hit->z;
  if (hit->what >= 0) {
    s.colour = at3(paint + 4 * hit->what);
    s.shine = paint[4 * hit->what + 3];
  } else if (hit->what == -1) {
    float grey = ((int)floorf(s.place.x) + (int)floorf(s.place.z)) % 2 ? 0.25f : 0.75f;
    s.colour = vec(grey, grey, grey);
    s.shine = 0.25f;
  }
  return s;
}

/* What a light adds to the pixel. */
static struct vec deferred_light(const struct surface *s, struct vec view, const float *place, const float *glow,
                                 struct vec sum) {
  struct vec l = minus(at3(place), s->place);
  float d2 = dot(l, l), fade = 1 - d2 / (place[3] * place[3]);
  if (fade <= 0) return sum;
  l = times(l, 1 / sqrtf(d2));
  float facing = dot(s->normal, l);
  if (facing <= 0) return sum;
  struct vec half = vec(l.x + view.x, l.y + view.y, l.z + view.z);
  float spot = dot(s->normal, half) * (1 / sqrtf(dot(half, half)));
  if (spot < 0) spot = 0;
  for (int k = 0; k < 4; k++) spot *= spot;
  spot *= spot * s->shine;
  fade *= fade;
  return vec(fma32(glow[0] * fade, fma32(s->colour.x, facing, spot), sum.x),
             fma32(glow[1] * fade, fma32(s->colour.y, facing, spot), sum.y),
             fma32(glow[2] * fade, fma32(s->colour.z, facing, spot), sum.z));
}

struct deferred {
  int w, h;
  struct surface *at;
  struct vec *ray;
};

static struct deferred *deferred_scene(struct ref *r, const struct launch *l) {
  int spheres = (int)ref_u32(l, 3), w = (int)ref_u32(l, 4), h = (int)ref_u32(l, 5);
  float scale = ref_f32(l, 6), eye = ref_f32(l, 7), wall = ref_f32(l, 8);
  const float *sphere = ref_take(r, l, 1, 4 * (uint64_t)spheres, 4);
  const float *paint = ref_take(r, l, 2, 4 * (uint64_t)spheres, 4);
  uint64_t n = (uint64_t)w * (uint64_t)h;
  struct deferred *d = ref_alloc(r, 1, sizeof *d);
  *d = (struct deferred){w, h, ref_alloc(r, n, sizeof *d->at), NULL};
  float *g = ref_alloc(r, 8 * n, 4);
  for (uint64_t i = 0; i < n; i++) {
    struct vec ray = pixel_ray((int)i % w, (int)i / w, w, h, scale);
    struct hit hit = look(ray, sphere, spheres, eye, wall);
    struct surface s = d->at[i] = deferred_surface(&hit, ray, paint);
    float plane[8] = {hit.z, s.normal.x, s.normal.y, s.normal.z, s.colour.x, s.colour.y, s.colour.z, s.shine};
    for (int k = 0; k < 8; k++) g[(uint64_t)k * n + i] = plane[k];
  }
  ref_want(r, "surface", T_F32, 8 * n, g, 0, 0);
  return d;
}

REF(deferred) {
  if (index == 0) r->keep = deferred_scene(r, l);
  if (index != 1) return;
  const struct deferred *d = r->keep;
  int lights = (int)ref_u32(l, 4);
  float ambient = ref_f32(l, 8);
  const float *place = ref_take(r, l, 1, 4 * (uint64_t)lights, 4), *glow = ref_take(r, l, 2, 4 * (uint64_t)lights, 4);
  uint64_t n = (uint64_t)d->w * (uint64_t)d->h;
  float *out = ref_alloc(r, 3 * n, 4);
  for (uint64_t i = 0; i < n; i++) {
    const struct surface *s = &d->at[i];
    struct vec view = times(s->place, -(1 / sqrtf(dot(s->place, s->place)))), sum = times(s->colour, ambient);
    for (int k = 0; k < lights; k++) sum = deferred_light(s, view, place + 4 * k, glow + 4 * k, sum);
    out[3 * i] = sqrtf(sum.x / (1 + sum.x));
    out[3 * i + 1] = sqrtf(sum.y / (1 + sum.y));
    out[3 * i + 2] = sqrtf(sum.z / (1 + sum.z));
  }
  ref_want(r, "out", T_F32, 3 * n, out, 0, 0);
}
