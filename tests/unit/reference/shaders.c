/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shaders: references for ssao, deferred, elevated and pathtracer, pixel after pixel. Vectors round as the
 * kernels' do: a dot product is a multiplication and two fma, x first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/reference/ref.h"

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

/* at: the number of the argument `sphere`. */
static struct ssao *ssao_scene(struct ref *r, const struct launch *l, unsigned at) {
  int spheres = (int)ref_u32(l, at + 1), w = (int)ref_u32(l, at + 2), h = (int)ref_u32(l, at + 3);
  float scale = ref_f32(l, at + 4), eye = ref_f32(l, at + 5), wall = ref_f32(l, at + 6);
  uint64_t n = (uint64_t)w * (uint64_t)h;
  const float *sphere = ref_take(r, l, at, 4 * (uint64_t)spheres, 4);
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

/* at: the number of the argument `point`. */
static void ssao_passes(struct ref *r, const struct launch *l, unsigned at) {
  const struct ssao *s = r->keep;
  int w = s->screen.w, h = s->screen.h;
  uint64_t n = (uint64_t)w * (uint64_t)h;
  const float *point = ref_take(r, l, at, 48, 4), *plane = ref_take(r, l, at + 1, 48, 4);
  float radius = ref_f32(l, at + 6), bias = ref_f32(l, at + 7), *light = ref_alloc(r, n, 4), *out = ref_alloc(r, n, 4);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      light[y * w + x] =
          ssao_light(&s->screen, x, y, s->normal[y * w + x], point, at3(plane + 3 * (y % 4 * 4 + x % 4)), radius, bias);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int k = 0; k < 16; k++) sum += light[clip(y - 2 + k / 4, h) * w + clip(x - 2 + k % 4, w)];
      out[y * w + x] = sum * 0.0625f;
    }
  ref_want(r, "light", T_F32, n, light, 0, 0);
  ref_want(r, "out", T_F32, n, out, 0, 0);
}

REF(ssao) {
  if (index == 0) r->keep = ssao_scene(r, l, 4);
  if (index == 1) ssao_passes(r, l, 4);
}

/* The texture unit clamps where ssao's indices do. */
REF(ssao_tex) {
  if (index == 0) r->keep = ssao_scene(r, l, 2);
  if (index == 1) ssao_passes(r, l, 2);
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

/* ---- elevated ---- */
static float lattice_height(int x, int z) {
  uint32_t k = (uint32_t)x * 0x8da6b343u ^ (uint32_t)z * 0xd8163841u;
  k = (k ^ k >> 15) * 0x2c1b3c6du;
  k = (k ^ k >> 12) * 0x297a2d39u;
  return (float)(k >> 8) / 16777216;
}

/* Value noise between four lattice points; its derivatives are added to *dx and *dz. */
static float value_noise(float x, float z, float *dx, float *dz) {
  int i = (int)floorf(x), j = (int)floorf(z);
  float u = x - floorf(x), v = z - floorf(z);
  float bu = u * u * fma32(-2, u, 3), bv = v * v * fma32(-2, v, 3);
  float here = lattice_height(i, j), east = lattice_height(i + 1, j), north = lattice_height(i, j + 1);
  float twist = here - east - north + lattice_height(i + 1, j + 1);
  *dx = fma32(6 * u * (1 - u), fma32(twist, bv, east - here), *dx);
  *dz = fma32(6 * v * (1 - v), fma32(twist, bu, north - here), *dz);
  return fma32(bu * bv, twist, fma32(bv, north - here, fma32(bu, east - here, here)));
}

static float land_height(float x, float z, int octaves) {
  float sum = 0, high = 2.4f, dx = 0, dz = 0;
  x *= 0.3f;
  z *= 0.3f;
  for (int k = 0; k < octaves; k++) {
    float n = value_noise(x, z, &dx, &dz);
    sum = fma32(high, n / fma32(dz, dz, fma32(dx, dx, 1)), sum);
    high /= 2;
    float turned = fma32(1.6f, x, -1.2f * z);
    z = fma32(1.2f, x, 1.6f * z);
    x = turned;
  }
  return sum;
}

static struct vec blend(struct vec a, struct vec b, float t) { return along(t, minus(b, a), a); }
static float unit_step(float v) {
  v = v < 0 ? 0 : v > 1 ? 1 : v;
  return v * v * fma32(-2, v, 3);
}
static float below_one(float v) { return v < 1 ? v : 1; }

struct view {
  struct vec eye, sun;
  int steps;
};

static struct vec sky_colour(struct vec d, struct vec sun) {
  float near = fma32(d.z, sun.z, fma32(d.y, sun.y, d.x * sun.x)), low = 1 - (d.y > 0 ? d.y : 0);
  struct vec c = blend(vec(0.2f, 0.42f, 0.78f), vec(0.75f, 0.8f, 0.88f), low * low * low * low);
  if (near < 0) near = 0;
  for (int k = 0; k < 3; k++) near *= near;
  return blend(c, vec(1, 0.82f, 0.58f), 0.6f * near);
}

static float sun_shade(struct vec place, struct vec sun) {
  float shade = 1, s = 0.1f;
  for (int k = 0; k < 10 && shade >= 0; k++) {
    float clear = fma32(s, sun.y, place.y) - land_height(fma32(s, sun.x, place.x), fma32(s, sun.z, place.z), 3);
    if (10 * clear / s < shade) shade = 10 * clear / s;
    s += 0.6f * clear > 0.08f ? 0.6f * clear : 0.08f;
  }
  return unit_step(shade);
}

/* How the land looks at a place, with height and normal from four more, `e` away. */
static struct vec land_colour(struct vec place, float e, struct vec sun) {
  float east = land_height(place.x + e, place.z, 7), west = land_height(place.x - e, place.z, 7);
  float north = land_height(place.x, place.z + e, 7), south = land_height(place.x, place.z - e, 7);
  struct vec n = vec(west - east, 2 * e, south - north);
  place.y = (east + west + north + south) / 4;
  n = times(n, 1 / sqrtf(dot(n, n)));
  float light = dot(n, sun);
  float direct = light > 0 ? 2.6f * light * sun_shade(place, sun) : 0, sky = fma32(0.25f, n.y, 0.3f);
  struct vec c = blend(vec(0.24f, 0.2f, 0.17f), vec(0.13f, 0.2f, 0.06f), unit_step((n.y - 0.72f) * 6));
  c = blend(c, vec(0.75f, 0.78f, 0.82f), unit_step((place.y - 1.75f) * 1.6f) * unit_step((n.y - 0.45f) * 4));
  return vec(below_one(c.x * fma32(1, direct, 0.8f * sky)), below_one(c.y * fma32(0.86f, direct, sky)),
             below_one(c.z * fma32(0.66f, direct, 1.3f * sky)));
}

static struct vec elevated_pixel(const struct view *v, struct vec d) {
  const float far = 40;
  d = times(d, 1 / sqrtf(dot(d, d)));
  struct vec colour = sky_colour(d, v->sun);
  float t = 0.3f, over = 1;
  for (int k = 0; k < v->steps; k++) {
    struct vec p = along(t, d, v->eye);
    if (t > far || (p.y > 4.8f && d.y > 0)) break;
    over = p.y - land_height(p.x, p.z, 4);
    if (over < 0.002f * t) break;
    t = fma32(0.65f, over, t);
  }
  if (over >= 0.02f * t || t >= far) return colour;
  struct vec p = along(t, d, v->eye);
  float haze = t * (1 / far);
  return blend(land_colour(p, 0.004f * t, v->sun), colour, haze * fma32(-haze, haze, 2 * haze));
}

REF(elevated) {
  if (index) return;
  int w = (int)ref_u32(l, 1), h = (int)ref_u32(l, 2);
  float scale = ref_f32(l, 3);
  struct view v = {vec(ref_f32(l, 4), ref_f32(l, 5), ref_f32(l, 6)), vec(ref_f32(l, 7), ref_f32(l, 8), ref_f32(l, 9)),
                   (int)ref_u32(l, 10)};
  float *out = ref_alloc(r, 3 * (uint64_t)w * (uint64_t)h, 4), *o = out;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++, o += 3) {
      float right = ((float)x + 0.5f) - 0.5f * (float)w, up = (0.35f * (float)h - 0.5f) - (float)y;
      struct vec c = elevated_pixel(&v, vec(right * scale, up * scale, 1));
      o[0] = sqrtf(c.x), o[1] = sqrtf(c.y), o[2] = sqrtf(c.z);
    }
  ref_want(r, "out", T_F32, 3 * (uint64_t)w * (uint64_t)h, out, 0, 0);
}

/* ---- pathtracer ---- */
struct scene {
  const float *sphere, *paint;
  int spheres;
};

/* xorshift128 */
static float random_unit(uint32_t s[4]) {
  uint32_t t = s[0] ^ s[0] << 11, last = s[3];
  memmove(s, s + 1, 3 * sizeof *s);
  s[3] = last ^ last >> 19 ^ t ^ t >> 8;
  return (float)(s[3] >> 8) / 16777216;
}

static struct vec normalized(struct vec a) { return times(a, 1 / sqrtf(dot(a, a))); }

/* Distance to the first thing, and which: -1 is the floor. Negative: the sky. */
static float first_hit(const struct scene *s, struct vec o, struct vec d, int *what) {
  const float near = 0.001f;
  float best = d.y < -near ? -o.y / d.y : 1e20f;
  *what = -1;
  for (int k = 0; k < s->spheres; k++) {
    struct vec to = minus(at3(s->sphere + 4 * k), o);
    float radius = s->sphere[4 * k + 3], middle = dot(to, d);
    float q = fma32(middle, middle, fma32(radius, radius, -dot(to, to)));
    if (!(q > 0)) continue;
    float front = middle - sqrtf(q), back = middle + sqrtf(q), t = front > near ? front : back;
    if (t > near && t < best) best = t, *what = k;
  }
  return best < 1e20f ? best : -1;
}

static struct vec scattered(struct vec n, uint32_t rng[4]) {
  for (;;) {
    float v[3];
    for (int k = 0; k < 3; k++) v[k] = fma32(2, random_unit(rng), -1);
    float v2 = dot(at3(v), at3(v));
    if (v2 <= 1 && v2 >= 0.0001f) return normalized(along(1 / sqrtf(v2), at3(v), times(n, 1.001f)));
  }
}

/* Mirrors and glass (index 1.5). */
static struct vec bent(struct vec d, struct vec n, int mirror, uint32_t rng[4]) {
  float facing = dot(d, n), c = fabsf(facing), ratio = facing < 0 ? 1 / 1.5f : 1.5f;
  struct vec back = along(-2 * facing, n, d);
  float rest = fma32(-ratio * ratio, fma32(-c, c, 1), 1), m = 1 - c;
  if (mirror || rest <= 0 || random_unit(rng) < fma32(0.96f, m * m * m * m * m, 0.04f)) return back;
  float k = fma32(ratio, c, -sqrtf(rest));
  return normalized(along(facing < 0 ? k : -k, n, times(d, ratio)));
}

/* The light that comes along a path from o in direction d; *rays: its parts are added. */
static struct vec path_light(const struct scene *s, struct vec o, struct vec d, int bounces, uint32_t rng[4],
                             uint32_t *rays) {
  struct vec part = vec(1, 1, 1);
  for (int bounce = 0; bounce < bounces; bounce++) {
    ++*rays;
    int what;
    float t = first_hit(s, o, d, &what);
    if (t < 0) {
      float up = fma32(0.5f, d.y, 0.5f);
      return vec(part.x * fma32(-0.55f, up, 0.9f), part.y * fma32(-0.35f, up, 0.92f), part.z * fma32(0.05f, up, 0.95f));
    }
    o = along(t, d, o);
    struct vec n = vec(0, 1, 0), colour = vec(0.8f, 0.8f, 0.8f);
    int kind = 0;
    if (what >= 0) {
      n = times(minus(o, at3(s->sphere + 4 * what)), 1 / s->sphere[4 * what + 3]);
      colour = at3(s->paint + 4 * what);
      kind = (int)s->paint[4 * what + 3];
    } else if (((int)floorf(o.x) + (int)floorf(o.z)) % 2) {
      colour = vec(0.3f, 0.34f, 0.4f);
    }
    part = vec(part.x * colour.x, part.y * colour.y, part.z * colour.z);
    if (kind == 3) return times(part, 6);
    d = kind == 0 ? scattered(n, rng) : bent(d, n, kind == 1, rng);
    o = along(0.001f, d, o);
  }
  return vec(0, 0, 0);
}

REF(pathtracer) {
  if (index) return;
  struct scene s = {.spheres = (int)ref_u32(l, 5)};
  int w = (int)ref_u32(l, 6), h = (int)ref_u32(l, 7), samples = (int)ref_u32(l, 9), bounces = (int)ref_u32(l, 10);
  float scale = ref_f32(l, 8), part = 1 / (float)samples;
  uint32_t seed = ref_u32(l, 11), pixels = (uint32_t)(w * h);
  s.sphere = ref_take(r, l, 0, 4 * (uint64_t)s.spheres, 4);
  s.paint = ref_take(r, l, 1, 4 * (uint64_t)s.spheres, 4);
  float *out = ref_alloc(r, 3 * (uint64_t)pixels, 4), *noise = ref_alloc(r, 3 * (uint64_t)pixels, 4);
  uint32_t *rays = ref_alloc(r, pixels, 4);
  for (uint32_t i = 0; i < pixels; i++) {
    uint32_t rng[4] = {(i + 1) * 0x9e3779b9u ^ seed, i * 0x85ebca6bu + 1, (i ^ seed) * 0xc2b2ae35u + 7, 0x12345678u};
    for (int k = 0; k < 4; k++) random_unit(rng);
    float sum[3] = {0}, square[3] = {0};
    for (int k = 0; k < samples; k++) {
      float right = (float)((int)i % w) + random_unit(rng) - 0.5f * (float)w;
      float up = 0.5f * (float)h - (float)((int)i / w) - random_unit(rng);
      struct vec d = normalized(vec(right * scale, fma32(up, scale, -0.12f), 1));
      struct vec got = path_light(&s, vec(0, 1.3f, -4.5f), d, bounces, rng, &rays[i]);
      float v[3] = {got.x, got.y, got.z};
      for (int c = 0; c < 3; c++) sum[c] += v[c], square[c] = fma32(v[c], v[c], square[c]);
    }
    for (uint32_t c = 0; c < 3; c++) {
      float mean = sum[c] * part;
      out[3 * i + c] = sqrtf(mean < 1 ? mean : 1);
      noise[3 * i + c] = fma32(square[c], part, -mean * mean) * part;
    }
  }
  ref_want(r, "out", T_F32, 3 * (uint64_t)pixels, out, 0, 0);
  ref_want(r, "noise", T_F32, 3 * (uint64_t)pixels, noise, 0, 0);
  ref_want(r, "rays", T_U32, pixels, rays, 0, 0);
}
